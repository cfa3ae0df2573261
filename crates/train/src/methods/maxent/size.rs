//! The size of a model: a number of features, or a number of bytes shared by words and weights.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use super::MaxentConfig;
use crate::corpus::Corpus;
use majuscule_base::error::{Error, Result, option};
use majuscule_base::files;
use majuscule_methods::maxent::WORD;
use majuscule_methods::maxent::table::HashTable;
use majuscule_methods::maxent::weights::Width;
use majuscule_methods::model::{self, Draft};

/// The size of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelSize {
    /// At most this number of features, and as many words as the vocabulary setting allows.
    Features(usize),
    /// At most this number of bytes, packed: at most a fourth of them for words, and all others for
    /// features.
    Bytes(usize),
}

/// A unit of bytes is a power of ten, as for file sizes, so that no model called 2 MB is larger.
const KILO: f64 = 1000.0;

impl FromStr for ModelSize {
    type Err = String;

    /// Parses a number of features, or with a unit a number of bytes: 2MB, 500kB, 1.5MiB, 700000B.
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        if let Ok(features) = text.parse() {
            return Ok(Self::Features(features));
        }
        let bytes = files::bytes(text, KILO)
            .filter(|bytes| *bytes >= 0.0 && text.ends_with(|c: char| c.is_ascii_alphabetic()));
        let expected = "expected a number of features such as 300000, or a size such as 2MB or 500kB";
        bytes.map(|bytes| Self::Bytes(bytes as usize)).ok_or_else(|| expected.to_owned())
    }
}

impl fmt::Display for ModelSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Features(features) => write!(f, "{features}"),
            Self::Bytes(bytes) if bytes > 0 && bytes % 1_000_000 == 0 => write!(f, "{}MB", bytes / 1_000_000),
            Self::Bytes(bytes) if bytes > 0 && bytes % 1000 == 0 => write!(f, "{}kB", bytes / 1000),
            Self::Bytes(bytes) => write!(f, "{bytes}B"),
        }
    }
}

impl Serialize for ModelSize {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The divisor of the size in bytes that yields the limit for words: a fourth.
const FRACTION_OF_WORDS: usize = 4;

/// The fraction of the size in bytes that is reserved for the weights of marks, in a model that has
/// them.
const FRACTION_OF_MARKS: (usize, usize) = (2, 5);

/// The divisor for spare features: a sixteenth more features are trained than fit, since some end
/// up with zero weights and need no bytes.
const SPARE: usize = 16;

impl ModelSize {
    /// Returns the number of words that a model keeps, at most `most`.
    pub(super) fn vocabulary(self, most: usize) -> usize {
        match self {
            Self::Features(_) => most,
            Self::Bytes(bytes) => most.min(HashTable::<WORD>::room(bytes / FRACTION_OF_WORDS)),
        }
    }

    /// Returns the number of features that a model may have besides other sections of these
    /// lengths.
    ///
    /// # Errors
    /// If no feature fits.
    pub(super) fn features(
        self,
        config: &MaxentConfig,
        corpus: &Corpus,
        others: &[usize],
    ) -> Result<FeatureLimits> {
        let bytes = match self {
            Self::Features(size) => return Ok(FeatureLimits { trained: size, kept: usize::MAX }),
            Self::Bytes(bytes) => bytes,
        };
        let sections: usize = others.iter().map(|&len| model::packed(len)).sum();
        // The weights are aligned at both ends too.
        let taken = sections + model::packed(0) + model::packed(manifest(config, corpus));
        let kept = config.width().room(bytes.saturating_sub(taken));
        if kept == 0 {
            let size = option("size");
            let problem = format!("{size} {self}: a model without features already takes {taken} bytes");
            return Err(Error::usage(format!("{problem}; give a larger size, or fewer lists and forms")));
        }
        Ok(FeatureLimits { trained: kept + kept / SPARE, kept })
    }

    /// Returns the number of bytes that the weights of marks may occupy, if the size is in bytes.
    pub(super) fn bytes_of_marks(self) -> Option<usize> {
        match self {
            Self::Features(_) => None,
            Self::Bytes(bytes) => Some(bytes * FRACTION_OF_MARKS.0 / FRACTION_OF_MARKS.1),
        }
    }

    /// Returns the limits on the features of marks: the given number, or else the number that the
    /// size allows.
    pub(super) fn features_of_marks(self, given: Option<usize>, width: Width) -> FeatureLimits {
        match (given.map_or(self, Self::Features), self.bytes_of_marks()) {
            (Self::Features(size), _) => FeatureLimits { trained: size, kept: usize::MAX },
            (_, bytes) => {
                let kept = width.room(bytes.unwrap_or_default());
                FeatureLimits { trained: kept + kept / SPARE, kept }
            }
        }
    }

    /// Refuses a model that exceeds its size. Its manifest may name more files than the corpus has.
    pub fn check(self, draft: &Draft) -> Result<()> {
        match (self, draft.pack().len()) {
            (Self::Bytes(most), packed) if packed > most => Err(Error::usage(format!(
                "{} {self}: the names of the files alone take more; give fewer files",
                option("size")
            ))),
            _ => Ok(()),
        }
    }
}

/// The number of features that are trained, and the largest number that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FeatureLimits {
    pub(super) trained: usize,
    pub(super) kept: usize,
}

/// Returns an upper bound of the size of a manifest: its fixed parts, the training settings, and
/// the names of files.
fn manifest(config: &MaxentConfig, corpus: &Corpus) -> usize {
    let pretty =
        |value: serde_json::Result<String>| value.map_or(0, |text| text.len() + DEEP * text.lines().count());
    let names: Vec<String> = corpus.files().into_iter().map(|(name, _)| name).collect();
    // The groups of features occur twice, the second time as the groups of the model.
    EVERY_MANIFEST
        + 2 * pretty(serde_json::to_string_pretty(config))
        + pretty(serde_json::to_string_pretty(&names))
}

/// The extra indentation, in spaces, of a line in a manifest compared with the same line standing
/// alone.
const DEEP: usize = 4;

/// The size of a manifest without settings and names: the labels, and a record for each file.
const EVERY_MANIFEST: usize = 2000;

impl FeatureLimits {
    /// Returns the limits of two tables; the second has this fraction of the features.
    pub(super) fn shared(self, fraction: f64) -> [Self; 2] {
        let part = |count: usize| (count as f64 * fraction) as usize;
        let second = Self { trained: part(self.trained).max(1), kept: part(self.kept) };
        [Self { trained: self.trained - part(self.trained), kept: self.kept - second.kept }, second]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Protocol, Reading};
    use crate::methods::{maxent, train};
    use majuscule_text::Locale;
    use std::num::NonZeroUsize;

    #[test]
    fn sizes_are_read_as_they_are_written() {
        for (text, size, again) in [
            ("300000", ModelSize::Features(300_000), "300000"),
            ("2MB", ModelSize::Bytes(2_000_000), "2MB"),
            ("1.5m", ModelSize::Bytes(1_500_000), "1500kB"),
            ("500kB", ModelSize::Bytes(500_000), "500kB"),
            ("64KiB", ModelSize::Bytes(65_536), "65536B"),
            ("70001B", ModelSize::Bytes(70_001), "70001B"),
        ] {
            assert_eq!(text.parse(), Ok(size));
            assert_eq!(size.to_string(), again);
            assert_eq!(again.parse(), Ok(size));
        }
        for text in ["", "MB", "-2MB", "2.5", "-1", "2 apples", "NaNMB", "infMB", "0x10"] {
            assert!(text.parse::<ModelSize>().unwrap_err().contains("2MB"), "{text}");
        }
    }

    /// Returns a text with many words and more features.
    fn text() -> String {
        let word = |number: u64| {
            let letters = (0..5).map(|at| {
                char::from(b'a' + (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (9 * at + 8) & 15) as u8)
            });
            let word: String = letters.collect();
            if number.is_multiple_of(3) { word[..1].to_uppercase() + &word[1..] } else { word }
        };
        let sentence = |at: u64| {
            (0..8).map(|position| word((at * 7 + position * position) % 900)).collect::<Vec<_>>().join(" ")
        };
        (0..2500).map(|at| format!("So {}.\n", sentence(at))).collect()
    }

    #[test]
    fn a_packed_model_is_never_larger_than_asked_and_hardly_smaller() {
        let corpus = Corpus::of_text(&text(), Reading::default(), Protocol::Text, Locale::Root);
        for bytes in [60_000, 100_000, 200_000] {
            let config =
                MaxentConfig { bits: 18, look_ahead: 1, size: ModelSize::Bytes(bytes), ..Default::default() };
            let names = vec!["text".to_owned(); 3];
            let draft = train(&config, &corpus, names, NonZeroUsize::MIN, &mut |_| {}).unwrap();
            let packed = draft.pack().len();
            assert!(packed <= bytes && packed * 10 >= bytes * 9, "{packed} of {bytes}");
            let words = draft.manifest().file("words.bin").unwrap().bytes as usize;
            assert!(words * FRACTION_OF_WORDS <= bytes, "{words} of {bytes} for words");
        }
    }

    #[test]
    fn what_holds_no_model_is_refused() {
        let corpus = Corpus::of_text(&text(), Reading::default(), Protocol::Text, Locale::Root);
        let config = MaxentConfig { bits: 12, size: ModelSize::Bytes(3000), ..Default::default() };
        let problem = maxent::train(&config, &corpus, NonZeroUsize::MIN).unwrap_err().to_string();
        assert!(problem.contains("`size` 3kB: a model without features already takes"), "{problem}");
    }
}
