//! Sentences in an order drawn at random, for training that goes over a corpus once: what comes last must not count most.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::Corpus;
use super::split::below;
use crate::error::Result;

/// How a corpus is shuffled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Config {
    /// So many sentences that follow each other in a file stay together, for what runs across sentences
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Config::default().stretch))]
    pub stretch: usize,
    /// Another seed, another order
    #[cfg_attr(feature = "cli", arg(long, value_name = "NUMBER", default_value_t = Config::default().seed))]
    pub seed: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self { stretch: 1, seed: 1 }
    }
}

/// All sentences of a corpus, a line each, the same for the same seed. They are held in memory.
///
/// # Errors
/// Where a file cannot be read or is not what its format says.
pub fn shuffled(corpus: &Corpus, config: Config) -> Result<String> {
    let mut text = String::new();
    let (mut starts, mut sentences) = (Vec::new(), 0);
    corpus.for_each_sentence(&mut |sentence| {
        if sentences % config.stretch.max(1) == 0 {
            starts.push(text.len());
        }
        sentences += 1;
        text.push_str(sentence.text);
        text.push('\n');
        Ok(())
    })?;
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let mut stretches: Vec<_> = starts.iter().copied().zip(ends).collect();
    // Fisher and Yates.
    let mut random = ChaCha8Rng::seed_from_u64(config.seed);
    for at in (1..stretches.len()).rev() {
        stretches.swap(at, below(&mut random, at as u64 + 1) as usize);
    }
    let mut shuffled = String::with_capacity(text.len());
    stretches.into_iter().for_each(|(start, end)| shuffled.push_str(&text[start..end]));
    Ok(shuffled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Protocol, Reading};
    use crate::text::Locale;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_sentence_stays_once_and_stretches_stay_together(count in 0usize..60, stretch in 1usize..5, seed: u64) {
            let text: String = (0..count).map(|i| format!("Sentence {i} here.\n")).collect();
            let corpus = Corpus::of_text(&text, Reading::default(), Protocol::Text, Locale::Root);
            let found = shuffled(&corpus, Config { stretch, seed }).unwrap();
            let mut lines: Vec<&str> = found.lines().collect();
            let number = |line: &str| line.split(' ').nth(1).unwrap().parse::<usize>().unwrap();
            let together = |pair: &[&str]| number(pair[1]) % stretch == 0 || number(pair[1]) == number(pair[0]) + 1;
            prop_assert!(lines.windows(2).all(together));
            lines.sort_unstable();
            let mut sorted: Vec<&str> = text.lines().collect();
            sorted.sort_unstable();
            prop_assert_eq!(lines, sorted);
        }
    }
}
