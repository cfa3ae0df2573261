//! Checksums of the data that a training depends on.

use crc32fast::Hasher;
use majuscule_text::{Locale, MarkSet};
use majuscule_train::corpus::Example;

/// A checksum of examples, which depends on their order.
#[derive(Debug, Clone, Default)]
pub struct Digest(Hasher);

impl Digest {
    /// Adds an example. Its marks are mapped into the set `marks`, as in training.
    pub fn add(&mut self, example: &Example, locale: Locale, marks: MarkSet) {
        for ((lower, _), gold) in example.tokens.iter().zip(&example.gold) {
            self.0.update(gold.label.case.applied(lower, locale).as_bytes());
            // These bytes separate words, as no word contains them.
            self.0.update(if gold.scored { b"\n" } else { b"\t" });
            if !marks.is_empty() {
                self.0.update(&[gold.label.mark.within(marks) as u8]);
            }
        }
    }

    /// Adds numbers.
    pub fn add_numbers(&mut self, numbers: &[f32]) {
        for part in numbers.chunks(1024) {
            let bytes: Vec<u8> = part.iter().flat_map(|number| number.to_le_bytes()).collect();
            self.0.update(&bytes);
        }
    }

    /// Returns the checksum.
    pub fn sum(&self) -> u32 {
        self.0.clone().finalize()
    }
}
