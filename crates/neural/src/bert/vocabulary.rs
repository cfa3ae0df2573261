//! Removes subwords from the file of a tokenizer. Words that need none of the removed subwords are cut as before.
//!
//! If the best cut of a word does not use the removed subwords, it remains the best: the longest subword that
//! fits (WordPiece), the most probable sequence (Unigram) and the next merge (BPE) remain, and there are no new
//! candidates.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use serde_json::Value;

/// Returns the tokenizer with the subwords in `used` and the subwords that any other word may need: special
/// subwords, single characters of the scripts in use, bytes, and parts that BPE merges. Also returns the old
/// ids of all kept subwords in ascending order; a new id is an index in this list.
///
/// # Errors
/// Names a kind of vocabulary that cannot be cut.
pub fn cut(mut tokenizer: Value, used: BTreeSet<u32>) -> Result<(Value, Vec<u32>), String> {
    let model = TokenizerVocabulary::read(&tokenizer["model"])?;
    let mut kept = used;
    for token in tokenizer["added_tokens"].as_array().into_iter().flatten() {
        kept.extend(id(&token["id"]));
    }
    model.extend(&mut kept);
    let kept: Vec<u32> = kept.into_iter().collect();
    let positions: BTreeMap<u32, usize> =
        kept.iter().enumerate().map(|(position, &id)| (id, position)).collect();
    renumber(&mut tokenizer, &positions);
    model.write(&mut tokenizer["model"], &positions);
    Ok((tokenizer, kept))
}

fn id(value: &Value) -> Option<u32> {
    u32::try_from(value.as_u64()?).ok()
}

/// The subwords of a model.
struct TokenizerVocabulary {
    subwords: Vec<(String, u32)>,
    kind: ModelKind,
    /// The subword for text that no other subword spells.
    unknown: Option<u32>,
}

enum ModelKind {
    /// Subwords inside a word have a prefix.
    WordPiece { prefix: String },
    /// Subwords have a log-probability.
    Unigram { scores: Vec<f64> },
    /// Subwords are made by merging two subwords; the merges are in order of priority.
    Bpe { merges: Vec<(String, String)> },
}

impl TokenizerVocabulary {
    fn read(model: &Value) -> Result<Self, String> {
        let text = |name: &str| model[name].as_str().unwrap_or_default();
        let by_name = || -> Vec<(String, u32)> {
            let entries = model["vocab"].as_object().into_iter().flatten();
            entries.filter_map(|(subword, number)| Some((subword.clone(), id(number)?))).collect()
        };
        let named = |subwords: &[(String, u32)]| {
            let unknown = model["unk_token"].as_str()?;
            subwords.iter().find(|(subword, _)| subword == unknown).map(|(_, id)| *id)
        };
        match text("type") {
            "WordPiece" => {
                let subwords = by_name();
                let unknown = named(&subwords);
                let prefix = text("continuing_subword_prefix").to_owned();
                Ok(Self { subwords, kind: ModelKind::WordPiece { prefix }, unknown })
            }
            "Unigram" => {
                let entries = model["vocab"].as_array().into_iter().flatten();
                let entries =
                    entries.filter_map(|entry| Some((entry[0].as_str()?.to_owned(), entry[1].as_f64()?)));
                let (subwords, scores): (Vec<String>, Vec<f64>) = entries.unzip();
                let subwords = subwords.into_iter().zip(0..).collect();
                Ok(Self { subwords, kind: ModelKind::Unigram { scores }, unknown: id(&model["unk_id"]) })
            }
            "BPE"
                if text("continuing_subword_prefix").is_empty() && text("end_of_word_suffix").is_empty() =>
            {
                let subwords = by_name();
                let unknown = named(&subwords);
                let merges = model["merges"].as_array().into_iter().flatten().filter_map(merge).collect();
                Ok(Self { subwords, kind: ModelKind::Bpe { merges }, unknown })
            }
            "BPE" => Err("BPE that marks subwords inside or at the end of words".to_owned()),
            other => Err(format!("a tokenizer of kind {other:?}")),
        }
        .map_err(|found| format!("the vocabulary of {found} cannot be cut: keep all of its subwords"))
    }

    /// Adds the subwords that the kept subwords need, and the subwords that any other word may need.
    fn extend(&self, kept: &mut BTreeSet<u32>) {
        kept.extend(self.unknown);
        let letters = |subword: &str| -> Vec<char> {
            let bare = match &self.kind {
                ModelKind::WordPiece { prefix } => subword.strip_prefix(prefix.as_str()),
                ModelKind::Unigram { .. } | ModelKind::Bpe { .. } => None,
            };
            bare.unwrap_or(subword).chars().collect()
        };
        // A script is approximated by blocks of 256 characters, namely the blocks of all characters in kept subwords.
        let block = |letter: char| u32::from(letter) >> 8;
        let used = self.subwords.iter().filter(|(_, id)| kept.contains(id));
        let blocks: BTreeSet<u32> = used.flat_map(|(subword, _)| letters(subword)).map(block).collect();
        let is_bpe = matches!(self.kind, ModelKind::Bpe { .. });
        for (subword, id) in &self.subwords {
            // The characters of BPE may represent bytes, and a word may need any of them.
            let is_character =
                matches!(letters(subword)[..], [letter] if is_bpe || blocks.contains(&block(letter)));
            let is_byte = subword.len() == 6 && subword.starts_with("<0x") && subword.ends_with('>');
            if is_character || is_byte {
                kept.insert(*id);
            }
        }
        match &self.kind {
            ModelKind::WordPiece { .. } => {}
            // The score of unknown text depends on the least probable subword, so this subword is kept.
            ModelKind::Unigram { scores } => {
                let least = (0..scores.len()).min_by(|&a, &b| scores[a].total_cmp(&scores[b]));
                kept.extend(least.map(|least| least as u32));
            }
            ModelKind::Bpe { merges } => self.extend_parts(merges, kept),
        }
    }

    /// Adds the parts that kept subwords are merged from.
    fn extend_parts(&self, merges: &[(String, String)], kept: &mut BTreeSet<u32>) {
        let ids: FxHashMap<&str, u32> =
            self.subwords.iter().map(|(subword, id)| (subword.as_str(), *id)).collect();
        let ranks: FxHashMap<(&str, &str), usize> = merges
            .iter()
            .zip(0..)
            .map(|((left, right), rank)| ((left.as_str(), right.as_str()), rank))
            .collect();
        for (subword, _) in
            self.subwords.iter().filter(|(_, id)| kept.contains(id)).cloned().collect::<Vec<_>>()
        {
            // A part of the subword is the text between two adjacent ends.
            let mut ends: Vec<usize> =
                subword.char_indices().map(|(at, _)| at).chain([subword.len()]).collect();
            let next = |ends: &[usize]| {
                let rank = |at: usize| {
                    let pair = (&subword[ends[at - 1]..ends[at]], &subword[ends[at]..ends[at + 1]]);
                    Some((*ranks.get(&pair)?, at))
                };
                (1..ends.len().saturating_sub(1)).filter_map(rank).min()
            };
            while let Some((_, at)) = next(&ends) {
                ends.remove(at);
                kept.extend(ids.get(&subword[ends[at - 1]..ends[at]]));
            }
        }
    }

    /// Writes the kept subwords with their new ids.
    fn write(&self, model: &mut Value, positions: &BTreeMap<u32, usize>) {
        let kept = || self.subwords.iter().filter_map(|(subword, id)| Some((subword, *positions.get(id)?)));
        match &self.kind {
            ModelKind::Unigram { scores } => {
                let entry = |(subword, id): &(String, u32)| {
                    positions.contains_key(id).then(|| serde_json::json!([subword, scores[*id as usize]]))
                };
                model["vocab"] = self.subwords.iter().filter_map(entry).collect::<Vec<_>>().into();
                model["unk_id"] = self.unknown.map(|unknown| positions[&unknown]).into();
            }
            ModelKind::WordPiece { .. } | ModelKind::Bpe { .. } => {
                let entries = kept().map(|(subword, position)| (subword.clone(), position.into()));
                model["vocab"] = Value::Object(entries.collect());
            }
        }
        if let ModelKind::Bpe { merges } = &self.kind {
            let names: BTreeSet<&str> = kept().map(|(subword, _)| subword.as_str()).collect();
            let is_kept = |(left, right): &&(String, String)| {
                let whole = format!("{left}{right}");
                [left, right, &whole].iter().all(|subword| names.contains(subword.as_str()))
            };
            let merges = merges.iter().filter(is_kept);
            model["merges"] = merges.map(|(left, right)| serde_json::json!([left, right])).collect();
        }
    }
}

/// Returns the two parts of a merge, which is a list or a string with a space between them.
fn merge(value: &Value) -> Option<(String, String)> {
    if let Some((left, right)) = value.as_str().and_then(|both| both.split_once(' ')) {
        return Some((left.to_owned(), right.to_owned()));
    }
    Some((value[0].as_str()?.to_owned(), value[1].as_str()?.to_owned()))
}

/// Replaces the ids outside the model.
fn renumber(tokenizer: &mut Value, positions: &BTreeMap<u32, usize>) {
    let renumber = |value: &mut Value| {
        if let Some(position) = id(value).and_then(|id| positions.get(&id)) {
            *value = (*position).into();
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
