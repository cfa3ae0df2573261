//! Compares systems on the same examples: confidence intervals and significance tests.
//!
//! Percentile bootstrap over examples (Efron & Tibshirani 1993), paired bootstrap (Koehn 2004) and
//! approximate randomisation (Noreen 1989). All systems share the same resamples, and every draw
//! follows from the seed.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use super::slots::{Slots, sum};
use crate::corpus::{Gold, Protocol};
use crate::random::below;
use majuscule_base::error::{Error, Result};
use majuscule_text::Choice;

/// The number of resamples and the seed of their draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::Args)]
pub struct CompareConfig {
    /// Number of resamples of the examples
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pub resamples: usize,
    /// Seed of the resampling: the same seed gives the same figures
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
}

majuscule_arguments::default_of_arguments!(CompareConfig);

/// The slots of one system, example by example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct System {
    /// The name of the system in the report.
    pub name: String,
    /// The slots of each example, in the order of the reference; for a stream, the slots of each 200
    /// words.
    pub examples: Vec<Slots>,
}

impl System {
    /// Creates a system without examples.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), examples: Vec::new() }
    }

    /// Appends the slots of an example's scored words.
    pub fn push(&mut self, gold: &[Gold], choices: &[Choice], protocol: Protocol) {
        let slots = |(gold, choice): (&Gold, &Choice)| Slots::under(protocol, gold, choice.label);
        let words: Vec<Slots> = gold
            .iter()
            .zip(choices)
            .map(|word| if word.0.scored { slots(word) } else { Slots::default() })
            .collect();
        self.push_words(&words, protocol);
    }

    /// Appends the slots of an example, given the slots of each word. A stream is divided into chunks of
    /// [`Protocol::WINDOW`] words, since resamples of a few long examples would be meaningless.
    pub fn push_words(&mut self, words: &[Slots], protocol: Protocol) {
        let is_stream = protocol.mark_convention().is_some() && protocol.window().is_none();
        let together = if is_stream { Protocol::WINDOW.get() } else { words.len().max(1) };
        self.examples.extend(words.chunks(together).map(|words| sum(words.iter().copied())));
    }
}

/// Two or more systems on the same examples.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The configuration of the resampling.
    pub config: CompareConfig,
    /// The number of examples in each resample.
    pub examples: usize,
    /// The index of the system with which the other systems are compared: the system with the
    /// lowest SER, or the first of several such systems.
    pub best: usize,
    /// The systems in the order given.
    pub systems: Vec<ComparedSystem>,
}

/// The figures of a compared system.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedSystem {
    /// The name of the system.
    pub name: String,
    /// The slots of the system over all examples.
    pub slots: Slots,
    /// The 95 % confidence intervals of the figures.
    pub intervals: Intervals,
    /// The difference from the best system; `None` for the best itself and where SER is undefined.
    pub difference: Option<SystemDifference>,
}

/// An interval from the 2.5th to the 97.5th percentile of the resamples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The interval of each figure. `None` if the figure was undefined in every resample.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Default)]
pub struct Intervals {
    /// The interval of precision.
    pub precision: Option<Interval>,
    /// The interval of recall.
    pub recall: Option<Interval>,
    /// The interval of F.
    pub f: Option<Interval>,
    /// The interval of SER.
    pub ser: Option<Interval>,
}

/// The difference of a system from the best.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SystemDifference {
    /// The SER of the system minus the SER of the best: never below 0.
    pub ser: f64,
    /// The 95 % confidence interval of the difference.
    pub interval: Option<Interval>,
    /// The fraction of resamples in which the system is no worse than the best: the p-value of a
    /// paired bootstrap test, one-sided, corrected for the number of systems (Holm 1979).
    pub p_bootstrap: f64,
    /// The fraction of random exchanges of the two systems' examples that result in as large a
    /// difference: the p-value of approximate randomisation, two-sided, corrected for the number of systems.
    pub p_randomization: f64,
}

/// Compares systems by their slots on the same examples. Takes time proportional to systems ×
/// examples × resamples.
///
/// # Errors
/// If there is no system or no resample, or if the systems differ in the number of examples.
pub fn compare(systems: &[System], config: CompareConfig) -> Result<Comparison> {
    let Some(first) = systems.first() else {
        return Err(Error::usage("no system to compare: expected one or more"));
    };
    if config.resamples == 0 {
        return Err(Error::usage("0 resamples: expected 1 or more, such as 1000"));
    }
    let examples = first.examples.len();
    if let Some(other) = systems.iter().find(|system| system.examples.len() != examples) {
        let problem = format!(
            "{} examples, but {} has {examples}: expected the same",
            other.examples.len(),
            first.name
        );
        return Err(Error::file(&other.name, problem));
    }
    let totals: Vec<Slots> = systems.iter().map(|system| sum(system.examples.iter().copied())).collect();
    let best = (0..totals.len()).min_by_key(|&i| totals[i].errors()).unwrap_or(0);
    let resamples = resample(systems, config);
    let compared = |i: usize| ComparedSystem {
        name: systems[i].name.clone(),
        slots: totals[i],
        intervals: intervals(&resamples[i]),
        difference: if i == best {
            None
        } else {
            difference(systems, &totals, &resamples, (i, best), config)
        },
    };
    let mut compared: Vec<ComparedSystem> = (0..systems.len()).map(compared).collect();
    let differences = || compared.iter().filter_map(|system| system.difference);
    let bootstrap = holm(&differences().map(|found| found.p_bootstrap).collect::<Vec<_>>());
    let randomization = holm(&differences().map(|found| found.p_randomization).collect::<Vec<_>>());
    let corrected = bootstrap.into_iter().zip(randomization);
    for (found, p) in compared.iter_mut().filter_map(|system| system.difference.as_mut()).zip(corrected) {
        (found.p_bootstrap, found.p_randomization) = p;
    }
    Ok(Comparison { config, examples, best, systems: compared })
}

/// Corrects p-values for the number of comparisons (Holm 1979): the smallest p-value is multiplied by the number of
/// comparisons, the next by one less, and so on. No corrected p-value is smaller than the one before it.
fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&one, &other| p[one].total_cmp(&p[other]));
    let (mut corrected, mut least) = (vec![0.0; p.len()], 0.0);
    for (at, &i) in order.iter().enumerate() {
        least = f64::max(least, (p[i] * (p.len() - at) as f64).min(1.0));
        corrected[i] = least;
    }
    corrected
}

/// Returns the slots of each system in each resample. A resample draws as many examples as the text
/// has, with replacement; all systems use the same draws.
fn resample(systems: &[System], config: CompareConfig) -> Vec<Vec<Slots>> {
    let mut random = generator(config.seed, 0);
    let examples = systems[0].examples.len();
    let mut drawn = vec![0; examples];
    let mut resamples = vec![Vec::with_capacity(config.resamples); systems.len()];
    for _ in 0..config.resamples {
        drawn.fill_with(|| below(&mut random, examples as u64) as usize);
        for (system, sums) in systems.iter().zip(&mut resamples) {
            sums.push(sum(drawn.iter().map(|&i| system.examples[i])));
        }
    }
    resamples
}

/// Creates the random generator of a stream. Streams of one seed share no draws.
fn generator(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let mut random = ChaCha8Rng::from_seed(bytes);
    random.set_stream(stream);
    random
}

fn intervals(resamples: &[Slots]) -> Intervals {
    let of = |figure: fn(&Slots) -> Option<f64>| interval(resamples.iter().filter_map(figure).collect());
    Intervals {
        precision: of(Slots::precision),
        recall: of(Slots::recall),
        f: of(Slots::f),
        ser: of(Slots::ser),
    }
}

/// The interval of the middle 95 % of the values.
fn interval(mut values: Vec<f64>) -> Option<Interval> {
    values.sort_unstable_by(f64::total_cmp);
    let outside = values.len() / 40;
    Some(Interval { low: *values.get(outside)?, high: *values.get(values.len().checked_sub(outside + 1)?)? })
}

fn difference(
    systems: &[System],
    totals: &[Slots],
    resamples: &[Vec<Slots>],
    (other, best): (usize, usize),
    config: CompareConfig,
) -> Option<SystemDifference> {
    let ser = totals[other].ser()? - totals[best].ser()?;
    let resampled: Vec<f64> = resamples[other]
        .iter()
        .zip(&resamples[best])
        .filter_map(|(other, best)| Some(other.ser()? - best.ser()?))
        .collect();
    let no_worse = resampled.iter().filter(|&&difference| difference <= 0.0).count();
    Some(SystemDifference {
        ser,
        p_bootstrap: (no_worse + 1) as f64 / (resampled.len() + 1) as f64,
        interval: interval(resampled),
        p_randomization: randomization(&systems[other].examples, &systems[best].examples, other, config),
    })
}

/// Returns the p-value of exchanging the two systems' answers example by example at random. Both
/// systems have the same number of reference slots, so their error counts, which are exact, are
/// compared instead of SER.
fn randomization(one: &[Slots], two: &[Slots], stream: usize, config: CompareConfig) -> f64 {
    let differences: Vec<i64> =
        one.iter().zip(two).map(|(one, two)| one.errors() as i64 - two.errors() as i64).collect();
    let observed = differences.iter().sum::<i64>().abs();
    let mut random = generator(config.seed, 1 + stream as u64);
    let as_large =
        (0..config.resamples).filter(|_| exchanged(&differences, &mut random).abs() >= observed).count();
    (as_large + 1) as f64 / (config.resamples + 1) as f64
}

/// The sum of the differences with random signs. One draw yields 64 signs.
fn exchanged(differences: &[i64], random: &mut ChaCha8Rng) -> i64 {
    let mut sum = 0;
    for chunk in differences.chunks(64) {
        let signs = random.next_u64();
        for (k, difference) in chunk.iter().enumerate() {
            sum += if signs >> k & 1 == 1 { *difference } else { -difference };
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn system(name: &str, errors: &[u64]) -> System {
        // Each example has ten slots; `deleted` of them are deleted.
        let slots = |&deleted: &u64| Slots { correct: 10 - deleted, deleted, ..Slots::default() };
        System { name: name.into(), examples: errors.iter().map(slots).collect() }
    }

    proptest! {
        #[test]
        fn the_best_has_the_least_ser_and_the_same_seed_the_same_figures(
            one in proptest::collection::vec(0u64..10, 8),
            two in proptest::collection::vec(0u64..10, 8),
            seed in any::<u64>(),
        ) {
            let systems = [system("one", &one), system("two", &two)];
            let config = CompareConfig { resamples: 50, seed };
            let comparison = compare(&systems, config).unwrap();
            let best = &comparison.systems[comparison.best];
            prop_assert!(comparison.systems.iter().all(|system| system.slots.ser() >= best.slots.ser()));
            prop_assert_eq!(compare(&systems, config).unwrap(), comparison);
        }
    }

    #[test]
    fn a_system_that_is_always_better_is_significantly_so() {
        let systems = [system("worse", &[5; 40]), system("better", &[1; 40])];
        let comparison = compare(&systems, CompareConfig::default()).unwrap();
        assert_eq!(comparison.best, 1);
        assert_eq!(comparison.systems[1].difference, None);
        let difference = comparison.systems[0].difference.unwrap();
        // 5/10 against 1/10.
        assert!((difference.ser - 0.4).abs() < 1e-12);
        // No resample of 1000 reverses the order.
        assert_eq!(difference.p_bootstrap, 1.0 / 1001.0);
        assert_eq!(difference.p_randomization, 1.0 / 1001.0);
    }

    #[test]
    fn a_system_against_itself_is_no_different() {
        let errors = [3, 1, 4, 1, 5, 9, 2, 6];
        let comparison =
            compare(&[system("a", &errors), system("b", &errors)], CompareConfig::default()).unwrap();
        assert_eq!(comparison.best, 0);
        let difference = comparison.systems[1].difference.unwrap();
        assert_eq!((difference.ser, difference.p_bootstrap, difference.p_randomization), (0.0, 1.0, 1.0));
    }

    #[test]
    fn errors_that_balance_are_not_significant() {
        // One error more in half of the examples and one less in the other half, then one more: 21
        // against 20.
        let one: Vec<u64> = (0..41).map(|i| i % 2).collect();
        let two: Vec<u64> = (0..41).map(|i| (i + 1) % 2).collect();
        let comparison =
            compare(&[system("one", &one), system("two", &two)], CompareConfig::default()).unwrap();
        assert_eq!(comparison.best, 0);
        let difference = comparison.systems[1].difference.unwrap();
        assert_eq!(difference.p_randomization, 1.0);
        assert!(difference.p_bootstrap > 0.2, "{difference:?}");
    }

    #[test]
    fn an_interval_holds_the_middle() {
        let values = (0..1000).rev().map(f64::from).collect();
        assert_eq!(interval(values), Some(Interval { low: 25.0, high: 974.0 }));
        assert_eq!(interval(vec![]), None);
        assert_eq!(interval(vec![0.5]), Some(Interval { low: 0.5, high: 0.5 }));
    }

    #[test]
    fn intervals_hold_the_figure_and_have_no_width_where_nothing_varies() {
        let comparison = compare(&[system("flat", &[2; 10])], CompareConfig::default()).unwrap();
        assert_eq!(comparison.systems[0].intervals.ser, Some(Interval { low: 0.2, high: 0.2 }));
        let comparison = compare(&[system("varied", &[0, 1, 2, 3, 4, 5])], CompareConfig::default()).unwrap();
        let ComparedSystem { slots, intervals, .. } = &comparison.systems[0];
        let (ser, interval) = (slots.ser().unwrap(), intervals.ser.unwrap());
        assert!(interval.low < ser && ser < interval.high, "{interval:?}");
    }

    #[test]
    fn several_comparisons_are_corrected_for_their_number() {
        // The worked example of Holm's procedure with four tests.
        let corrected = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (found, expected) in corrected.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((found - expected).abs() < 1e-12, "{corrected:?}");
        }
        assert_eq!(holm(&[0.4, 0.9]), [0.8, 0.9]);
        assert_eq!(holm(&[0.7, 0.9]), [1.0, 1.0]);
        assert_eq!((holm(&[0.25]), holm(&[])), (vec![0.25], vec![]));
    }

    #[test]
    fn resamples_of_a_stream_are_drawn_from_each_200_words() {
        let (gold, choices) = (vec![Gold::default(); 450], vec![Choice::default(); 450]);
        for (protocol, examples) in [("iwslt", 3), ("segments", 3), ("iwslt:450", 1), ("asr:450", 1)] {
            let mut system = System::new("a");
            system.push(&gold, &choices, protocol.parse().unwrap());
            assert_eq!(system.examples.len(), examples, "{protocol}");
        }
    }

    #[test]
    fn what_cannot_be_compared_is_an_error() {
        assert!(matches!(compare(&[], CompareConfig::default()), Err(Error::Usage(_))));
        let none = CompareConfig { resamples: 0, ..CompareConfig::default() };
        assert!(matches!(compare(&[system("a", &[1])], none), Err(Error::Usage(_))));
        let error =
            compare(&[system("a", &[1]), system("b", &[1, 2])], CompareConfig::default()).unwrap_err();
        assert_eq!(error.to_string(), "b: 2 examples, but a has 1: expected the same");
    }

    #[test]
    fn without_examples_nothing_is_defined() {
        let comparison = compare(&[system("a", &[]), system("b", &[])], CompareConfig::default()).unwrap();
        assert_eq!(comparison.systems[0].intervals.ser, None);
        assert_eq!(comparison.systems[1].difference, None);
    }
}
