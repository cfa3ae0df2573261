//! The file of a tokenizer with fewer pieces, which cuts the words that need no others as before.
//!
//! Removing pieces that no best cut of a word uses leaves that cut the best: the longest piece
//! that fits (WordPiece), the most probable sequence (Unigram) and the next merge (BPE) are still
//! there, and nothing better has come.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use serde_json::Value;

/// Returns the tokenizer with the pieces that `used` names and those that any other word may need:
/// the special ones, single characters of the scripts in use, bytes, and parts that BPE merges; and
/// the ids of all these in their old order, which is their new order.
///
/// # Errors
/// Describes what is not as expected.
pub fn cut(mut tokenizer: Value, used: BTreeSet<u32>) -> Result<(Value, Vec<u32>), String> {
    let model = Vocabulary::read(&tokenizer["model"])?;
    let mut kept = used;
    for token in tokenizer["added_tokens"].as_array().into_iter().flatten() {
        kept.extend(id(&token["id"]));
    }
    model.extend(&mut kept);
    let kept: Vec<u32> = kept.into_iter().collect();
    let places: BTreeMap<u32, usize> = kept.iter().enumerate().map(|(place, &id)| (id, place)).collect();
    renumber(&mut tokenizer, &places);
    model.write(&mut tokenizer["model"], &places);
    Ok((tokenizer, kept))
}

fn id(value: &Value) -> Option<u32> {
    u32::try_from(value.as_u64()?).ok()
}

/// The pieces of a model.
struct Vocabulary {
    pieces: Vec<(String, u32)>,
    kind: ModelKind,
    /// The piece for what no other piece spells.
    unknown: Option<u32>,
}

enum ModelKind {
    /// Pieces inside a word have a prefix.
    WordPiece { prefix: String },
    /// Pieces have a log-probability.
    Unigram { scores: Vec<f64> },
    /// Pieces are made by merging two, in this order.
    Bpe { merges: Vec<(String, String)> },
}

impl Vocabulary {
    fn read(model: &Value) -> Result<Self, String> {
        let text = |name: &str| model[name].as_str().unwrap_or_default();
        let by_name = || -> Vec<(String, u32)> {
            let entries = model["vocab"].as_object().into_iter().flatten();
            entries.filter_map(|(piece, number)| Some((piece.clone(), id(number)?))).collect()
        };
        let named = |pieces: &[(String, u32)]| {
            let unknown = model["unk_token"].as_str()?;
            pieces.iter().find(|(piece, _)| piece == unknown).map(|(_, id)| *id)
        };
        match text("type") {
            "WordPiece" => {
                let pieces = by_name();
                let unknown = named(&pieces);
                let prefix = text("continuing_subword_prefix").to_owned();
                Ok(Self { pieces, kind: ModelKind::WordPiece { prefix }, unknown })
            }
            "Unigram" => {
                let entries = model["vocab"].as_array().into_iter().flatten();
                let entries =
                    entries.filter_map(|entry| Some((entry[0].as_str()?.to_owned(), entry[1].as_f64()?)));
                let (pieces, scores): (Vec<String>, Vec<f64>) = entries.unzip();
                let pieces = pieces.into_iter().zip(0..).collect();
                Ok(Self { pieces, kind: ModelKind::Unigram { scores }, unknown: id(&model["unk_id"]) })
            }
            "BPE"
                if text("continuing_subword_prefix").is_empty() && text("end_of_word_suffix").is_empty() =>
            {
                let pieces = by_name();
                let unknown = named(&pieces);
                let merges = model["merges"].as_array().into_iter().flatten().filter_map(merge).collect();
                Ok(Self { pieces, kind: ModelKind::Bpe { merges }, unknown })
            }
            "BPE" => Err("BPE that marks pieces inside or at the end of words".to_owned()),
            other => Err(format!("a tokenizer of kind {other:?}")),
        }
        .map_err(|found| format!("the vocabulary of {found} cannot be cut: keep all of its pieces"))
    }

    /// Adds the pieces that the kept ones need, and those that any other word may need.
    fn extend(&self, kept: &mut BTreeSet<u32>) {
        kept.extend(self.unknown);
        let letters = |piece: &str| -> Vec<char> {
            let bare = match &self.kind {
                ModelKind::WordPiece { prefix } => piece.strip_prefix(prefix.as_str()),
                ModelKind::Unigram { .. } | ModelKind::Bpe { .. } => None,
            };
            bare.unwrap_or(piece).chars().collect()
        };
        // A script is taken as the blocks of 256 characters that the kept pieces have characters of.
        let block = |letter: char| u32::from(letter) >> 8;
        let used = self.pieces.iter().filter(|(_, id)| kept.contains(id));
        let blocks: BTreeSet<u32> = used.flat_map(|(piece, _)| letters(piece)).map(block).collect();
        let is_bpe = matches!(self.kind, ModelKind::Bpe { .. });
        for (piece, id) in &self.pieces {
            // The characters of BPE may stand for bytes, of which any word may need each.
            let is_character =
                matches!(letters(piece)[..], [letter] if is_bpe || blocks.contains(&block(letter)));
            let is_byte = piece.len() == 6 && piece.starts_with("<0x") && piece.ends_with('>');
            if is_character || is_byte {
                kept.insert(*id);
            }
        }
        match &self.kind {
            ModelKind::WordPiece { .. } => {}
            // What is unknown costs more than the least probable piece.
            ModelKind::Unigram { scores } => {
                let least = (0..scores.len()).min_by(|&a, &b| scores[a].total_cmp(&scores[b]));
                kept.extend(least.map(|least| least as u32));
            }
            ModelKind::Bpe { merges } => self.extend_parts(merges, kept),
        }
    }

    /// Adds the parts that kept pieces are merged from.
    fn extend_parts(&self, merges: &[(String, String)], kept: &mut BTreeSet<u32>) {
        let ids: FxHashMap<&str, u32> = self.pieces.iter().map(|(piece, id)| (piece.as_str(), *id)).collect();
        let ranks: FxHashMap<(&str, &str), usize> = merges
            .iter()
            .zip(0..)
            .map(|((left, right), rank)| ((left.as_str(), right.as_str()), rank))
            .collect();
        for (piece, _) in self.pieces.iter().filter(|(_, id)| kept.contains(id)).cloned().collect::<Vec<_>>()
        {
            // A part of a piece lies between two of these ends.
            let mut ends: Vec<usize> = piece.char_indices().map(|(at, _)| at).chain([piece.len()]).collect();
            let next = |ends: &[usize]| {
                let rank = |at: usize| {
                    let pair = (&piece[ends[at - 1]..ends[at]], &piece[ends[at]..ends[at + 1]]);
                    Some((*ranks.get(&pair)?, at))
                };
                (1..ends.len().saturating_sub(1)).filter_map(rank).min()
            };
            while let Some((_, at)) = next(&ends) {
                ends.remove(at);
                kept.extend(ids.get(&piece[ends[at - 1]..ends[at]]));
            }
        }
    }

    /// Writes the kept pieces with their new ids.
    fn write(&self, model: &mut Value, places: &BTreeMap<u32, usize>) {
        let kept = || self.pieces.iter().filter_map(|(piece, id)| Some((piece, *places.get(id)?)));
        match &self.kind {
            ModelKind::Unigram { scores } => {
                let entry = |(piece, id): &(String, u32)| {
                    places.contains_key(id).then(|| serde_json::json!([piece, scores[*id as usize]]))
                };
                model["vocab"] = self.pieces.iter().filter_map(entry).collect::<Vec<_>>().into();
                model["unk_id"] = self.unknown.map(|unknown| places[&unknown]).into();
            }
            ModelKind::WordPiece { .. } | ModelKind::Bpe { .. } => {
                let entries = kept().map(|(piece, place)| (piece.clone(), place.into()));
                model["vocab"] = Value::Object(entries.collect());
            }
        }
        if let ModelKind::Bpe { merges } = &self.kind {
            let names: BTreeSet<&str> = kept().map(|(piece, _)| piece.as_str()).collect();
            let is_kept = |(left, right): &&(String, String)| {
                let whole = format!("{left}{right}");
                [left, right, &whole].iter().all(|piece| names.contains(piece.as_str()))
            };
            let merges = merges.iter().filter(is_kept);
            model["merges"] = merges.map(|(left, right)| serde_json::json!([left, right])).collect();
        }
    }
}

/// Returns the two parts of a merge, which stand in a list or with a space between them.
fn merge(value: &Value) -> Option<(String, String)> {
    if let Some((left, right)) = value.as_str().and_then(|both| both.split_once(' ')) {
        return Some((left.to_owned(), right.to_owned()));
    }
    Some((value[0].as_str()?.to_owned(), value[1].as_str()?.to_owned()))
}

/// Replaces the ids outside the model.
fn renumber(tokenizer: &mut Value, places: &BTreeMap<u32, usize>) {
    let renumber = |value: &mut Value| {
        if let Some(place) = id(value).and_then(|id| places.get(&id)) {
            *value = (*place).into();
        }
    };
    for token in tokenizer["added_tokens"].as_array_mut().into_iter().flatten() {
        renumber(&mut token["id"]);
    }
    if let Some(padding) = tokenizer.get_mut("padding").filter(|padding| padding.is_object()) {
        renumber(&mut padding["pad_id"]);
    }
    renumber_ends(&mut tokenizer["post_processor"], &renumber);
}

fn renumber_ends(processor: &mut Value, renumber: &dyn Fn(&mut Value)) {
    for inner in processor.get_mut("processors").and_then(Value::as_array_mut).into_iter().flatten() {
        renumber_ends(inner, renumber);
    }
    for end in ["cls", "sep"] {
        processor.get_mut(end).and_then(|end| end.get_mut(1)).into_iter().for_each(renumber);
    }
    let tokens = processor.get_mut("special_tokens").and_then(Value::as_object_mut);
    for (_, token) in tokens.into_iter().flatten() {
        token.get_mut("ids").and_then(Value::as_array_mut).into_iter().flatten().for_each(renumber);
    }
}
