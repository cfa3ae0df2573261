//! Cuts words into subwords of the encoder's vocabulary.

use std::collections::BTreeSet;

use serde_json::Value;
use tokenizers::models::ModelWrapper;
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::PreTokenizerWrapper;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::pre_tokenizers::metaspace::PrependScheme;
use tokenizers::processors::template::TemplateProcessing;
use tokenizers::{Model as _, PaddingParams, Tokenizer};

use super::vocabulary;
pub use majuscule_methods::network::subwords::{Special, SpecialNames, SubwordTokenizer};

/// Cuts words into subwords.
#[derive(Debug, Clone)]
pub struct HuggingFaceTokenizer {
    tokenizer: Tokenizer,
    /// The subwords before and after each text, and the padding.
    pub special: Special,
}

/// The largest number of ids of a vocabulary that the tokenizer may lack: some vocabularies are
/// padded to a round number.
const SPARE: usize = 1024;

impl HuggingFaceTokenizer {
    /// Reads a `tokenizer.json`, for an encoder with a vocabulary of this size, if the size is known.
    ///
    /// # Errors
    /// Describes the fault in the file.
    pub fn read(json: &[u8], vocabulary: Option<usize>) -> Result<Self, String> {
        Self::read_named(json, SpecialNames::default(), vocabulary)
    }

    /// Reads a `tokenizer.json` in which special subwords have these names; special subwords without a given name are
    /// found as in [`HuggingFaceTokenizer::read`].
    ///
    /// # Errors
    /// Describes the fault in the file.
    pub fn read_named(json: &[u8], names: SpecialNames, vocabulary: Option<usize>) -> Result<Self, String> {
        let tokenizer =
            Tokenizer::from_bytes(json).map_err(|error| format!("is not a tokenizer ({error})"))?;
        Self::new(tokenizer, names, vocabulary)
    }

    /// Reads a `vocab.txt`, one subword per line, for an encoder with a vocabulary of this size, if the size is
    /// known.
    ///
    /// # Errors
    /// Describes the fault in the file.
    pub fn read_vocabulary(text: &[u8], lowercase: bool, vocabulary: Option<usize>) -> Result<Self, String> {
        let subwords =
            WordPiece::read_bytes(text).map_err(|error| format!("is not a vocabulary ({error})"))?;
        let model = WordPiece::builder()
            .vocab(subwords)
            .unk_token("[UNK]".to_owned())
            .build()
            .map_err(|error| format!("is not a vocabulary ({error})"))?;
        let mut tokenizer = Tokenizer::new(model);
        // Accents are stripped together with capitals, as in the first models.
        let normalizer = BertNormalizer::new(true, true, None, lowercase);
        tokenizer.with_normalizer(Some(normalizer)).map_err(|error| error.to_string())?;
        tokenizer.with_pre_tokenizer(Some(BertPreTokenizer));
        Self::new(tokenizer, SpecialNames::default(), vocabulary)
    }

    fn new(mut tokenizer: Tokenizer, names: SpecialNames, vocabulary: Option<usize>) -> Result<Self, String> {
        let found = tokenizer.get_vocab_size(true);
        let vocabulary = vocabulary.unwrap_or(found);
        if found > vocabulary || found + SPARE < vocabulary {
            return Err(format!(
                "has {found} subwords, but the encoder {vocabulary}: they are not of the same model"
            ));
        }
        let part = |part: Option<Value>| part.unwrap_or_default();
        let processor =
            part(tokenizer.get_post_processor().and_then(|found| serde_json::to_value(found).ok()));
        let padding = part(tokenizer.get_padding().and_then(|found| serde_json::to_value(found).ok()));
        let id = |subword: &str| tokenizer.token_to_id(subword);
        let own = SpecialNames::in_tokenizer(&processor, &Value::Null, &id);
        let names = names.or(SpecialNames::in_tokenizer(&processor, &padding, &id));
        let special = names.ids(vocabulary, &id)?;
        let most = highest_id(&tokenizer);
        if most as usize >= vocabulary {
            return Err(format!(
                "has a subword with the number {most}, but the encoder has {vocabulary} subwords, numbered from 0"
            ));
        }
        // Windows and batches handle truncation and padding.
        tokenizer.with_truncation(None).map_err(|error| error.to_string())?;
        tokenizer.with_padding(None);
        if names != own {
            keep_names(&mut tokenizer, &names, special)?;
        }
        prefix_words(&mut tokenizer);
        let subwords = Self { tokenizer, special };
        // The test uses a letter that hardly any vocabulary contains.
        subwords.of("\u{a000}").map_err(|problem| format!("cannot split unknown words ({problem})"))?;
        Ok(subwords)
    }

    /// Returns the bytes of an equivalent `tokenizer.json`.
    pub fn json(&self) -> Vec<u8> {
        self.tokenizer.to_string(false).expect("a tokenizer that was read can be written").into_bytes()
    }

    /// Returns a tokenizer with these subwords and the subwords that any other word may need, and the old ids of its
    /// subwords, in order. The tokenizer splits words of these subwords as before.
    ///
    /// # Errors
    /// Describes a vocabulary that cannot be cut.
    pub fn cut(&self, used: BTreeSet<u32>) -> Result<(Self, Vec<u32>), String> {
        let json: Value = serde_json::from_slice(&self.json()).map_err(|error| error.to_string())?;
        let Special { first, last, padding } = self.special;
        let used = used.into_iter().chain([first, last, padding]).collect();
        let (json, kept) = vocabulary::cut(json, used)?;
        let json = serde_json::to_vec(&json).map_err(|error| error.to_string())?;
        Ok((Self::read(&json, Some(kept.len()))?, kept))
    }

    /// Returns true if the tokenizer distinguishes case. Such an encoder has rarely seen text that is all in lower
    /// case, as its input is.
    pub fn is_cased(&self) -> bool {
        ["Paris", "Monday", "HE"].iter().any(|word| self.of(word) != self.of(&word.to_lowercase()))
    }
}

impl SubwordTokenizer for HuggingFaceTokenizer {
    fn of(&self, word: &str) -> Result<Vec<u32>, String> {
        let encoding = self.tokenizer.encode_fast(word, false).map_err(|error| error.to_string())?;
        Ok(encoding.get_ids().to_vec())
    }

    fn special(&self) -> Special {
        self.special
    }
}

/// Returns the highest id of a subword.
fn highest_id(tokenizer: &Tokenizer) -> u32 {
    let added = tokenizer.get_added_tokens_decoder().keys().copied().max().unwrap_or_default();
    let model = tokenizer.get_model();
    added.max(match model {
        // The vocabulary of a Unigram model is a list, so its ids have no gaps.
        ModelWrapper::Unigram(_) => model.get_vocab_size().saturating_sub(1) as u32,
        _ => model.get_vocab().into_values().max().unwrap_or_default(),
    })
}

/// Writes the names of special subwords into a tokenizer, so that its file is sufficient to find them.
fn keep_names(tokenizer: &mut Tokenizer, names: &SpecialNames, special: Special) -> Result<(), String> {
    let SpecialNames { first: Some(first), last: Some(last), padding: Some(padding) } = names else {
        return Ok(());
    };
    let ends = TemplateProcessing::builder()
        .try_single(format!("{first} $A {last}"))
        .map_err(|error| error.to_string())?
        .special_tokens(vec![(first.as_str(), special.first), (last.as_str(), special.last)])
        .build()
        .map_err(|error| error.to_string())?;
    tokenizer.with_post_processor(Some(ends));
    // Words are encoded one at a time, so that they get no padding.
    let padding = PaddingParams { pad_id: special.padding, pad_token: padding.clone(), ..Default::default() };
    tokenizer.with_padding(Some(padding));
    Ok(())
}

/// Makes the tokenizer cut a single word as it cuts a word after a space in a text.
fn prefix_words(tokenizer: &mut Tokenizer) {
    let Some(mut pre_tokenizer) = tokenizer.get_pre_tokenizer().cloned() else { return };
    prefixed(&mut pre_tokenizer);
    tokenizer.with_pre_tokenizer(Some(pre_tokenizer));
}

fn prefixed(pre_tokenizer: &mut PreTokenizerWrapper) {
    match pre_tokenizer {
        PreTokenizerWrapper::ByteLevel(bytes) => bytes.add_prefix_space = true,
        PreTokenizerWrapper::Metaspace(space) => space.set_prepend_scheme(PrependScheme::Always),
        PreTokenizerWrapper::Sequence(parts) => parts.as_mut().iter_mut().for_each(prefixed),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use majuscule_methods::network::subwords::NativeTokenizer;
    use proptest::prelude::*;

    use super::*;

    const VOCABULARY: &[u8] = include_bytes!("../../../../tests/data/toy-bert/vocab.txt");

    fn toy(lowercase: bool) -> HuggingFaceTokenizer {
        let size = VOCABULARY.iter().filter(|byte| **byte == b'\n').count();
        HuggingFaceTokenizer::read_vocabulary(VOCABULARY, lowercase, Some(size)).unwrap()
    }

    #[test]
    fn words_are_cut_and_a_saved_tokenizer_cuts_the_same() {
        let subwords = toy(true);
        let again = HuggingFaceTokenizer::read(&subwords.json(), None).unwrap();
        assert_eq!(again.json(), subwords.json());
        for (word, count) in
            [("lisbon", 1), ("nato", 1), ("bbcs", 2), ("séc", 3), ("o'neill", 7), ("\u{200b}", 0), ("", 0)]
        {
            assert_eq!(subwords.of(word).unwrap().len(), count, "{word}");
            assert_eq!(again.of(word).unwrap(), subwords.of(word).unwrap());
        }
    }

    /// The words of a text with marks, digits and letters that the vocabularies lack.
    const TEXT: &str = "anna met who's nato in lisbon ' york 1,5 séc 'n minister-to \u{16a0} &co";

    const ROBERTA: &str = include_str!("../../../../tests/data/toy-roberta/tokenizer.json");
    const XLM_ROBERTA: &str = include_str!("../../../../tests/data/toy-xlm-roberta/tokenizer.json");

    #[test]
    fn subwords_of_words_in_a_row_are_those_of_the_whole_text() {
        let bpe = HuggingFaceTokenizer::read(ROBERTA.as_bytes(), None).unwrap();
        let unigram = HuggingFaceTokenizer::read(XLM_ROBERTA.as_bytes(), None).unwrap();
        for subwords in [toy(true), bpe, unigram] {
            let whole = subwords.of(TEXT).unwrap();
            let words: Vec<u32> = TEXT.split(' ').flat_map(|word| subwords.of(word).unwrap()).collect();
            assert_eq!(words, whole);
            assert!(HuggingFaceTokenizer::read(&subwords.json(), None).unwrap().of(TEXT).unwrap() == whole);
        }
    }

    /// The vocabularies that are cut without this library, too.
    fn both_ways() -> [(HuggingFaceTokenizer, NativeTokenizer); 2] {
        [toy(true), HuggingFaceTokenizer::read(XLM_ROBERTA.as_bytes(), None).unwrap()].map(|subwords| {
            let own = NativeTokenizer::read(&subwords.json(), highest_id(&subwords.tokenizer) as usize + 1)
                .unwrap();
            assert_eq!(own.special(), subwords.special);
            (subwords, own)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

        #[test]
        fn words_are_cut_as_without_this_library(word in "[a-z]{0,12}|(lis|bon|nato|an|é|e\u{301}|1|,|'|\u{16a0}|東|ﬁ| |▁|\t|ß){0,9}|\\PC{0,6}") {
            for (subwords, own) in both_ways() {
                // Characters from Unicode versions newer than the library's tables may differ.
                prop_assume!(word.chars().all(|c| !c.is_whitespace() || matches!(c, ' ' | '\t')));
                prop_assert_eq!(own.of(&word).unwrap(), subwords.of(&word).unwrap(), "{:?}", word);
            }
        }
    }

    #[test]
    fn a_word_of_bytes_or_of_a_unigram_begins_with_its_space() {
        for (json, space) in [(ROBERTA, 'Ġ'), (XLM_ROBERTA, '▁')] {
            let subwords = HuggingFaceTokenizer::read(json.as_bytes(), None).unwrap();
            let names = |word: &str| {
                let ids = subwords.of(word).unwrap();
                ids.iter()
                    .map(|&id| subwords.tokenizer.id_to_token(id).unwrap())
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            assert_eq!(names("lisbon"), format!("{space}lisbon"));
            assert_eq!(names("nato"), format!("{space} n at o"));
            assert_eq!(subwords.special, Special { first: 0, last: 2, padding: 1 });
        }
        // Bytes spell every word, and a Unigram has a subword for unknown text.
        let of = |json: &str, word: &str| {
            HuggingFaceTokenizer::read(json.as_bytes(), None).unwrap().of(word).unwrap()
        };
        assert_eq!(of(ROBERTA, "ᚠ").len(), 4);
        assert_eq!(of(XLM_ROBERTA, "ᚠ"), [4, 3]);
    }

    #[test]
    fn a_cut_vocabulary_cuts_its_words_as_before_and_any_other_word_too() {
        for (json, whole) in [(ROBERTA, false), (XLM_ROBERTA, false), ("", true)] {
            let subwords =
                if whole { toy(true) } else { HuggingFaceTokenizer::read(json.as_bytes(), None).unwrap() };
            let words = ["nato", "anna", "minister", "1,5"];
            let used: BTreeSet<u32> = words.iter().flat_map(|word| subwords.of(word).unwrap()).collect();
            let (cut, kept) = subwords.cut(used.clone()).unwrap();
            assert!(kept.len() < subwords.tokenizer.get_vocab_size(true), "{json}");
            assert!(used.iter().all(|id| kept.contains(id)) && kept.is_sorted());
            let name = |subwords: &HuggingFaceTokenizer, id: u32| subwords.tokenizer.id_to_token(id).unwrap();
            for (new, old) in kept.iter().enumerate() {
                assert_eq!(name(&cut, new as u32), name(&subwords, *old));
            }
            let old =
                |word: &str| cut.of(word).unwrap().iter().map(|&id| kept[id as usize]).collect::<Vec<_>>();
            for word in words {
                assert_eq!(old(word), subwords.of(word).unwrap(), "{word}");
            }
            // Of letters, since its own subword is gone.
            assert!(old("lisbon").len() > subwords.of("lisbon").unwrap().len());
            assert_eq!(old("\u{16a0}"), subwords.of("\u{16a0}").unwrap());
            let ends = |special: Special| [special.first, special.last, special.padding];
            assert_eq!(ends(cut.special).map(|id| kept[id as usize]), ends(subwords.special));
            assert!(HuggingFaceTokenizer::read(&cut.json(), Some(kept.len())).unwrap().json() == cut.json());
        }
    }

    #[test]
    fn special_subwords_are_found_by_role_and_kept_in_the_saved_tokenizer() {
        let other = XLM_ROBERTA.replace("<s>", "<begin>").replace("</s>", "<end>").replace("<pad>", "<fill>");
        let settings = serde_json::json!({ "bos_token": "<begin>", "sep_token": { "content": "<end>" }, "pad_token": "<fill>" });
        let names = SpecialNames::of(&settings);
        let subwords = HuggingFaceTokenizer::read_named(other.as_bytes(), names.clone(), None).unwrap();
        assert_eq!(subwords.special, Special { first: 0, last: 2, padding: 1 });
        let again = HuggingFaceTokenizer::read(&subwords.json(), None).unwrap();
        assert!(again.special == subwords.special && again.json() == subwords.json());
        assert_eq!(again.of(TEXT).unwrap(), subwords.of(TEXT).unwrap());
        // The tokenizer itself defines its end subwords; only the settings define its padding.
        let problem = HuggingFaceTokenizer::read(other.as_bytes(), None).unwrap_err();
        assert!(problem.contains("no subword for the padding"), "{problem}");
        let problem = HuggingFaceTokenizer::read_named(XLM_ROBERTA.as_bytes(), names, None).unwrap_err();
        assert!(problem.contains("no subword <begin>, the beginning of a text"), "{problem}");
    }

    #[test]
    fn a_tokenizer_that_cuts_texts_short_or_pads_them_is_used_without() {
        let cut = r#""truncation":{"direction":"Right","max_length":3,"strategy":"LongestFirst","stride":0},
            "padding":{"strategy":{"Fixed":9},"direction":"Right","pad_to_multiple_of":null,"pad_id":1,"pad_type_id":0,"pad_token":"<pad>"}"#;
        let json = XLM_ROBERTA.replace(r#""truncation":null,"padding":null"#, cut);
        assert_ne!(json, XLM_ROBERTA);
        let [cutting, whole] =
            [&json, XLM_ROBERTA].map(|json| HuggingFaceTokenizer::read(json.as_bytes(), None).unwrap());
        assert_eq!(cutting.of(TEXT).unwrap(), whole.of(TEXT).unwrap());
        assert!(cutting.json() == whole.json());
    }

    #[test]
    fn a_tokenizer_that_cannot_cut_every_word_or_numbers_too_high_is_refused() {
        let refused = |json: &str, from: &str, to: &str| {
            assert!(json.contains(from));
            HuggingFaceTokenizer::read(json.replace(from, to).as_bytes(), None).unwrap_err()
        };
        let problem = refused(XLM_ROBERTA, "\"unk_id\":3", "\"unk_id\":null");
        assert!(problem.contains("cannot split unknown words"), "{problem}");
        let problem = refused(ROBERTA, "\"!\":37,", "\"!\":4000,");
        assert!(problem.contains("has a subword with the number 4000, but the encoder has"), "{problem}");
    }

    #[test]
    fn a_cased_tokenizer_is_told_and_one_of_another_model_refused() {
        assert!(!toy(true).is_cased() && toy(false).is_cased());
        let refused =
            |text: &[u8], size| HuggingFaceTokenizer::read_vocabulary(text, true, Some(size)).unwrap_err();
        assert!(refused(VOCABULARY, 20).contains("but the encoder 20: they are not of the same model"));
        assert!(refused(VOCABULARY, 30_522).contains("not of the same model"));
        assert!(refused(b"[PAD]\n[UNK]\n[CLS]\n", 3).contains("no subword for the end of a text"));
        assert!(HuggingFaceTokenizer::read(b"{}", None).unwrap_err().contains("is not a tokenizer"));
    }
}
