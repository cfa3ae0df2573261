//! The costs of marks with the best F on held-out text.

use serde::Serialize;

use crate::corpus::{Corpus, Example, Protocol, Reading};
use majuscule_base::error::{Error, Result, option};
use majuscule_format::Format;
use majuscule_text::restorer::{Request, Restorer};
use majuscule_text::{Choice, Mark, MarkSet};

/// The candidate costs.
const COSTS: [f32; 11] = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.15, 1.3];

/// The minimum gain in F for which separate costs replace a common one; a smaller gain on so few
/// words may be chance.
const CLEARLY: f64 = 0.003;

/// The costs of a superfluous mark inside a sentence and of a superfluous sentence end, each relative to
/// the cost of a missing one.
pub type Costs = [f32; 2];

/// The punctuation marks that a method learns, and the costs of wrong ones.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Default, clap::Args)]
pub struct MarkOptions {
    /// Also learn punctuation: commas, full stops and question marks, or the marks listed
    /// (.,?!:;-…)
    #[arg(long, value_name = "MARKS", num_args = 0..=1, require_equals = true, default_missing_value = ".,?")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marks: Option<MarkSet>,
    /// The cost of a superfluous mark inside a sentence relative to the cost of a missing one; by default the
    /// cost with the best F on held-out text, or 1 without such text
    #[arg(long, value_name = "RATIO", allow_negative_numbers = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark_cost: Option<f32>,
    /// The cost of a superfluous sentence end relative to the cost of a missing one; by default the cost with
    /// the best F on held-out text, or the value of --mark-cost
    #[arg(long, value_name = "RATIO", allow_negative_numbers = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_cost: Option<f32>,
}

impl MarkOptions {
    /// Returns the options that learn these marks.
    pub fn of(marks: MarkSet) -> Self {
        Self { marks: Some(marks), ..Self::default() }
    }

    /// Returns the marks to learn, if there are any.
    pub fn learned(&self) -> MarkSet {
        self.marks.unwrap_or_default()
    }

    /// Returns the costs that are given.
    pub fn given_costs(&self) -> [Option<f32>; 2] {
        [self.mark_cost, self.end_cost]
    }

    /// Returns the given costs, with 1 for each missing one, for a method that learns these marks.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] for a cost that is not a positive number, or without marks.
    pub fn checked_costs(&self, learned: MarkSet) -> Result<Costs> {
        let given = self.given_costs();
        for (name, cost) in ["mark-cost", "end-cost"].iter().zip(given) {
            let Some(cost) = cost else { continue };
            if !(cost.is_finite() && cost > 0.0) {
                return Err(Error::usage(format!("{} {cost:?}: expected a number above 0", option(name))));
            }
            if learned.is_empty() {
                return Err(Error::usage(format!(
                    "{} is for punctuation, which is not learned: give {} too",
                    option(name),
                    option("marks")
                )));
            }
        }
        Ok(given.map(|cost| cost.unwrap_or(1.0)))
    }
}

/// Returns the `given` costs. Missing ones get the values that maximise `f`, searched from `costs`.
///
/// # Errors
/// The errors of `f`.
pub fn best_costs(
    given: [Option<f32>; 2],
    costs: Costs,
    mut f: impl FnMut(Costs) -> Result<f64>,
) -> Result<Costs> {
    if let [Some(inside), Some(end)] = given {
        return Ok([inside, end]);
    }
    // First varies one common cost, then each cost alone, and accepts the latter only for a clear
    // gain.
    let mut best = (f64::NEG_INFINITY, costs);
    for varied in [[true, true], [false, true], [true, false]] {
        let (from, least) = (best.1, best.0 + CLEARLY);
        for cost in COSTS {
            let costs = [0, 1].map(|at| given[at].unwrap_or(if varied[at] { cost } else { from[at] }));
            let found = f(costs)?;
            if found > best.0.max(least) {
                best = (found, costs);
            }
        }
    }
    Ok(best.1)
}

/// Returns the micro-averaged F1 of the marks that a method inserts.
///
/// # Errors
/// If the method fails.
pub fn f_of(method: &dyn Restorer, marks: MarkSet, examples: &[Example]) -> Result<f64> {
    let request = Request { marks, ..Request::default() };
    let choices = examples
        .iter()
        .map(|example| Ok(method.restore_batch(std::slice::from_ref(&example.tokens), request)?.remove(0)));
    f_of_choices(choices, marks, examples)
}

/// Returns the micro-averaged F1 of the marks that were chosen for the words of each example.
///
/// # Errors
/// The first error among the choices.
pub fn f_of_choices(
    choices: impl Iterator<Item = Result<Vec<Choice>>>,
    marks: MarkSet,
    examples: &[Example],
) -> Result<f64> {
    let (mut right, mut found, mut there) = (0, 0, 0);
    for (example, choices) in examples.iter().zip(choices) {
        // The last mark of a window does not count, because the method sees the text end there.
        for (gold, choice) in example.gold.iter().zip(&choices?).rev().skip(1) {
            let [gold, choice] = [gold.label.mark, choice.label.mark].map(|mark| mark.within(marks));
            right += usize::from(gold == choice && gold != Mark::None);
            found += usize::from(choice != Mark::None);
            there += usize::from(gold != Mark::None);
        }
    }
    Ok(2.0 * right as f64 / (found + there).max(1) as f64)
}

/// A sample of a corpus in two parts.
#[derive(Debug)]
pub struct Sample {
    /// The part to learn from.
    pub learned: Corpus,
    /// Windows of the held-out part.
    pub held_out: Vec<Example>,
}

/// The number of consecutive sentences that are held out together, as running text of at least one
/// window.
const IN_A_ROW: usize = 20;

/// One in this many rows of sentences is held out.
const ROWS: usize = 20;

/// The largest number of bytes of a sample: about a million words.
const MOST: usize = 6_000_000;

/// The minimum number of held-out words; with fewer, chance would decide the costs.
pub const FEWEST: usize = 2000;

impl Sample {
    /// Samples the first sentences of a corpus and holds out a part of them; `None` if the corpus
    /// is too small.
    ///
    /// # Errors
    /// If the corpus cannot be read.
    pub fn of(corpus: &Corpus) -> Result<Option<Self>> {
        let [mut learned, mut held_out] = [const { String::new() }; 2];
        let mut format = Format::Text;
        let mut sentences = 0;
        corpus.for_each_sentence(&mut |sentence| {
            if learned.len() < MOST {
                let is_held_out = sentences / IN_A_ROW % ROWS == ROWS - 1;
                let part = if is_held_out { &mut held_out } else { &mut learned };
                part.push_str(sentence.text);
                part.push('\n');
                sentences += 1;
                format = if sentence.tokenised { Format::Tok } else { Format::Text };
            }
            Ok(())
        })?;
        let reading =
            Reading { format, split: false, language: Some(corpus.language().into()), ..Reading::default() };
        let part = |text: &str, protocol| Corpus::of_text(text, reading.clone(), protocol, corpus.locale());
        let held_out = part(&held_out, Protocol::Asr { window: Protocol::WINDOW }).examples()?;
        let words: usize = held_out.iter().map(|example| example.tokens.len()).sum();
        let learned = part(&learned, corpus.protocol());
        Ok((words >= FEWEST).then_some(Self { learned, held_out }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use majuscule_text::Locale;

    #[test]
    fn the_best_costs_are_found_one_by_one_and_given_ones_stay() {
        // The best costs are .5 and .8; both together are best at .7.
        let f = |[inside, end]: Costs| Ok(1.0 - f64::from((inside - 0.5).abs() + (end - 0.8).abs()));
        assert_eq!(best_costs([None; 2], [1.0; 2], f).unwrap(), [0.5, 0.8]);
        assert_eq!(best_costs([None, Some(1.0)], [1.0; 2], f).unwrap(), [0.5, 1.0]);
        assert_eq!(
            best_costs([Some(2.0); 2], [1.0; 2], |_| panic!("nothing is to be found")).unwrap(),
            [2.0; 2]
        );
        // Small differences are chance.
        let flat = |[inside, end]: Costs| Ok(0.5 + f64::from(end - inside) / 1000.0);
        let [inside, end] = best_costs([None; 2], [1.0; 2], flat).unwrap();
        assert_eq!(inside, end);
    }

    #[test]
    fn a_sample_holds_out_rows_of_sentences_and_a_small_corpus_has_none() {
        let text = |sentences: usize| {
            let sentence = |at| format!("In {at} we met Ana, who had come from Porto that day.\n");
            (0..sentences).map(sentence).collect::<String>()
        };
        let sample = |sentences: usize| {
            let corpus = Corpus::of_text(&text(sentences), Reading::default(), Protocol::Text, Locale::Root);
            Sample::of(&corpus).unwrap()
        };
        assert!(sample(400).is_none());
        let Sample { learned, held_out } = sample(4000).unwrap();
        assert_eq!(learned.examples().unwrap().len(), 3800);
        assert_eq!(held_out.iter().map(|window| window.tokens.len()).sum::<usize>(), 200 * 12);
        // The first row that is held out begins with sentence 380.
        assert_eq!(held_out[0].tokens.lower(1), "380");
        assert!(learned.examples().unwrap().iter().all(|example| example.tokens.lower(1) != "380"));
    }
}
