//! The heads that are trained, as the user names them.

use serde::Serialize;

use majuscule::error::{Error, Result, option};
use majuscule::methods::gaps::MarkCosts;
use majuscule::named::NamedValue;
use majuscule::text::{Choice, MarkSet};
use majuscule_arguments::by_name;
use majuscule_train::corpus::Example;
use majuscule_train::methods::balance::{Costs, FEWEST, best_costs, checked_costs, f_of_choices};

/// An answer of a tagger, found by a head of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Prediction {
    /// The case of words.
    Case,
    /// The marks after words, and with them the ends of sentences.
    Marks,
}

impl NamedValue for Prediction {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Case, "case", "The case of words"),
        (Self::Marks, "marks", "The marks after words, and with them the ends of sentences"),
    ];
}

/// The choice of the heads to train.
#[derive(Debug, Clone, PartialEq, Serialize, Default, clap::Args)]
pub struct HeadOptions {
    /// What to learn: case, marks or case,marks, on one network; by default case, and marks too if
    /// they are named
    #[arg(long, value_name = "HEADS", value_delimiter = ',', value_parser = by_name::<Prediction>())]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub predict: Vec<Prediction>,
    /// Also learn marks: commas, full stops and question marks, or those that are named, in a row
    /// (.,?!:;-…)
    #[arg(long, value_name = "MARKS", num_args = 0..=1, require_equals = true, default_missing_value = ".,?")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marks: Option<MarkSet>,
    /// The cost of a superfluous mark inside a sentence relative to that of a missing one; by
    /// default the one that gives the best F on held-out text
    #[arg(long, value_name = "RATIO", allow_negative_numbers = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark_cost: Option<f32>,
    /// The cost of a superfluous sentence end relative to that of a missing one; by default the one
    /// that gives the best F on held-out text
    #[arg(long, value_name = "RATIO", allow_negative_numbers = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_cost: Option<f32>,
}

/// The heads to train.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LearnedHeads {
    /// True if case is learned.
    pub cases: bool,
    /// The marks that are learned.
    pub marks: MarkSet,
}

impl HeadOptions {
    /// Returns the heads to train.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if marks are named or have costs, but are not to be learned, and for
    /// a cost that is none.
    pub fn learned(&self) -> Result<LearnedHeads> {
        checked_costs(self.given_costs())?;
        let learned = self.named()?;
        match ["mark-cost", "end-cost"].iter().zip(self.given_costs()).find(|(_, cost)| cost.is_some()) {
            Some((name, _)) if learned.marks.is_empty() => Err(Error::usage(format!(
                "{} is for marks, which are not learned: give {} too",
                option(name),
                option("marks")
            ))),
            _ => Ok(learned),
        }
    }

    fn given_costs(&self) -> [Option<f32>; 2] {
        [self.mark_cost, self.end_cost]
    }

    /// Returns the costs of marks that are given, or else those that give the best F on held-out
    /// examples; too few of them cannot decide. `choices` returns the choices for the words of an
    /// example under some costs.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] for a cost that is none.
    pub fn costs(
        &self,
        marks: MarkSet,
        held_out: &[Example],
        choices: impl Fn(usize, MarkCosts) -> Vec<Choice>,
    ) -> Result<MarkCosts> {
        let given = self.given_costs();
        let mut costs = checked_costs(given)?;
        let made = |[mark_cost, end_cost]: Costs| MarkCosts { mark_cost, end_cost };
        if held_out.iter().map(|example| example.tokens.len()).sum::<usize>() >= FEWEST {
            costs = best_costs(given, costs, |costs| {
                let choices = (0..held_out.len()).map(|at| Ok(choices(at, made(costs))));
                f_of_choices(choices, marks, held_out)
            })?;
        }
        Ok(made(costs))
    }

    fn named(&self) -> Result<LearnedHeads> {
        let asks = |prediction| self.predict.contains(&prediction);
        let cases = self.predict.is_empty() || asks(Prediction::Case);
        match self.marks {
            Some(marks) if self.predict.is_empty() || asks(Prediction::Marks) => {
                Ok(LearnedHeads { cases, marks })
            }
            Some(marks) => Err(Error::usage(format!(
                "{} {marks} and {} case: name marks in both or in neither",
                option("marks"),
                option("predict")
            ))),
            None if asks(Prediction::Marks) => Ok(LearnedHeads { cases, marks: MarkSet::USUAL }),
            None => Ok(LearnedHeads { cases, marks: MarkSet::NONE }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned(predict: &[Prediction], marks: Option<&str>) -> Result<LearnedHeads> {
        let marks = marks.map(|marks| marks.parse().unwrap());
        HeadOptions { predict: predict.to_vec(), marks, ..HeadOptions::default() }.learned()
    }

    #[test]
    fn naming_marks_is_asking_for_them() {
        use Prediction::{Case, Marks};
        let heads = |cases, marks| LearnedHeads { cases, marks };
        assert_eq!(learned(&[], None).unwrap(), heads(true, MarkSet::NONE));
        assert_eq!(learned(&[], Some(".,?")).unwrap(), heads(true, MarkSet::USUAL));
        assert_eq!(learned(&[Marks], None).unwrap(), heads(false, MarkSet::USUAL));
        assert_eq!(learned(&[Case, Marks], Some(".")).unwrap(), heads(true, ".".parse().unwrap()));
        let cost = HeadOptions { end_cost: Some(0.5), ..HeadOptions::default() };
        let error = cost.learned().unwrap_err().to_string();
        assert_eq!(error, "`end-cost` is for marks, which are not learned: give `marks` too");
        let error = learned(&[Case], Some(".")).unwrap_err().to_string();
        assert_eq!(error, "`marks` . and `predict` case: name marks in both or in neither");
    }
}
