//! Words as pieces of the encoder's vocabulary.

use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::{Model as _, Tokenizer};

/// Cuts words into pieces.
#[derive(Debug, Clone)]
pub struct Pieces {
    tokenizer: Tokenizer,
    /// The pieces before and after each text, and the padding.
    pub special: Special,
}

/// The ids of special pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Special {
    /// The piece before each text.
    pub first: u32,
    /// The piece after each text.
    pub last: u32,
    /// The padding.
    pub padding: u32,
}

/// The largest number of ids of a vocabulary that the tokenizer may lack: some vocabularies are
/// padded to a round number.
const SPARE: usize = 1024;

impl Pieces {
    /// Reads a `tokenizer.json`, for an encoder with a vocabulary of this size, if it is known.
    ///
    /// # Errors
    /// Describes the fault in it.
    pub fn read(json: &[u8], vocabulary: Option<usize>) -> Result<Self, String> {
        let mut tokenizer =
            Tokenizer::from_bytes(json).map_err(|error| format!("is no tokenizer ({error})"))?;
        // Windows and batches take care of truncation and padding.
        tokenizer.with_truncation(None).map_err(|error| error.to_string())?;
        tokenizer.with_padding(None);
        Self::new(tokenizer, vocabulary)
    }

    /// Reads a `vocab.txt`, one piece per line, for an encoder with a vocabulary of this size, if
    /// it is known.
    ///
    /// # Errors
    /// Describes the fault in it.
    pub fn read_vocabulary(text: &[u8], lowercase: bool, vocabulary: Option<usize>) -> Result<Self, String> {
        let pieces = WordPiece::read_bytes(text).map_err(|error| format!("is no vocabulary ({error})"))?;
        let model = WordPiece::builder()
            .vocab(pieces)
            .unk_token("[UNK]".to_owned())
            .build()
            .map_err(|error| format!("is no vocabulary ({error})"))?;
        let mut tokenizer = Tokenizer::new(model);
        // Accents are stripped together with capitals, as in the first models.
        let normalizer = BertNormalizer::new(true, true, None, lowercase);
        tokenizer.with_normalizer(Some(normalizer)).map_err(|error| error.to_string())?;
        tokenizer.with_pre_tokenizer(Some(BertPreTokenizer));
        Self::new(tokenizer, vocabulary)
    }

    fn new(tokenizer: Tokenizer, vocabulary: Option<usize>) -> Result<Self, String> {
        let found = tokenizer.get_vocab_size(true);
        let vocabulary = vocabulary.unwrap_or(found);
        if found > vocabulary || found + SPARE < vocabulary {
            return Err(format!(
                "has {found} pieces, but the encoder {vocabulary}: they are not of the same model"
            ));
        }
        let id = |piece: &str| match tokenizer.token_to_id(piece) {
            Some(id) if (id as usize) < vocabulary => Ok(id),
            _ => Err(format!("has no piece {piece}: expected the tokenizer of a BERT model")),
        };
        let special = Special { first: id("[CLS]")?, last: id("[SEP]")?, padding: id("[PAD]")? };
        id("[UNK]")?;
        let most = tokenizer.get_model().get_vocab().into_values().max().unwrap_or_default();
        if most as usize >= vocabulary {
            return Err(format!("numbers a piece {most}, but the encoder has {vocabulary} from 0"));
        }
        Ok(Self { tokenizer, special })
    }

    /// Returns the bytes of an equivalent `tokenizer.json`.
    pub fn json(&self) -> Vec<u8> {
        self.tokenizer.to_string(false).expect("a tokenizer that was read can be written").into_bytes()
    }

    /// Returns the pieces of a word; none for a word of marks that the vocabulary drops.
    ///
    /// # Errors
    /// Fails if the tokenizer fails.
    pub fn of(&self, word: &str) -> Result<Vec<u32>, String> {
        let encoding = self.tokenizer.encode_fast(word, false).map_err(|error| error.to_string())?;
        Ok(encoding.get_ids().to_vec())
    }

    /// Returns true if the tokenizer distinguishes case. The encoder has then rarely seen text in
    /// lower case as it is given here.
    pub fn is_cased(&self) -> bool {
        ["Paris", "Monday", "HE"].iter().any(|word| self.of(word) != self.of(&word.to_lowercase()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VOCABULARY: &[u8] = include_bytes!("../../../../tests/data/toy-bert/vocab.txt");

    fn toy(lowercase: bool) -> Pieces {
        let size = VOCABULARY.iter().filter(|byte| **byte == b'\n').count();
        Pieces::read_vocabulary(VOCABULARY, lowercase, Some(size)).unwrap()
    }

    #[test]
    fn words_are_cut_and_a_saved_tokenizer_cuts_the_same() {
        let pieces = toy(true);
        let again = Pieces::read(&pieces.json(), None).unwrap();
        assert_eq!(again.json(), pieces.json());
        for (word, count) in
            [("lisbon", 1), ("nato", 1), ("bbcs", 2), ("séc", 3), ("o'neill", 7), ("\u{200b}", 0), ("", 0)]
        {
            assert_eq!(pieces.of(word).unwrap().len(), count, "{word}");
            assert_eq!(again.of(word).unwrap(), pieces.of(word).unwrap());
        }
    }

    #[test]
    fn a_cased_tokenizer_is_told_and_one_of_another_model_refused() {
        assert!(!toy(true).is_cased() && toy(false).is_cased());
        let refused = |text: &[u8], size| Pieces::read_vocabulary(text, true, Some(size)).unwrap_err();
        assert!(refused(VOCABULARY, 20).contains("but the encoder 20: they are not of the same model"));
        assert!(refused(VOCABULARY, 30_522).contains("not of the same model"));
        assert!(refused(b"[PAD]\n[UNK]\n[CLS]\n", 3).contains("no piece [SEP]"));
        assert!(Pieces::read(b"{}", None).unwrap_err().contains("is no tokenizer"));
    }
}
