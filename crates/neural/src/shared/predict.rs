//! The options that choose the heads to train.

use serde::Serialize;

use majuscule_arguments::by_name;
use majuscule_base::error::{Error, Result, option};
use majuscule_base::named::NamedValue;
use majuscule_methods::gaps::MarkCosts;
use majuscule_text::restorer::Request;
use majuscule_text::{Choice, MarkSet, Tokens};
use majuscule_train::corpus::Example;
use majuscule_train::methods::balance::{Costs, FEWEST, MarkOptions, best_costs, f_of_choices};

/// A kind of prediction of a tagger, which has its own head.
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
        (Self::Marks, "marks", "The punctuation after words, and with it the ends of sentences"),
    ];
}

/// The choice of the heads to train.
#[derive(Debug, Clone, PartialEq, Serialize, Default, clap::Args)]
pub struct HeadOptions {
    /// Targets that one network learns: case, marks or case,marks; by default case, and marks too
    /// with --marks
    #[arg(long, value_name = "HEADS", value_delimiter = ',', value_parser = by_name::<Prediction>())]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub predict: Vec<Prediction>,
    /// The punctuation marks to learn
    #[command(flatten)]
    #[serde(flatten)]
    pub punctuation: MarkOptions,
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
    /// a cost that is not a positive number.
    pub fn learned(&self) -> Result<LearnedHeads> {
        let learned = self.named()?;
        self.punctuation.checked_costs(learned.marks)?;
        Ok(learned)
    }

    /// Returns the costs of the marks of a request, or `None` if there are no marks. A cost that is not given is chosen
    /// for the best F on the held-out examples, or is 1 if there are too few of them. `scored` computes the scores of
    /// documents, and `choices` returns the choices that follow from them under these costs.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] for a cost that is not a positive number, and the errors of `scored`.
    pub fn costs<S>(
        &self,
        request: Request,
        held_out: &[Example],
        scored: impl FnOnce(&[Tokens], Request) -> Result<Vec<S>>,
        choices: impl Fn(&S, MarkCosts, Request) -> Vec<Choice>,
    ) -> Result<Option<MarkCosts>> {
        let marks = request.marks;
        if marks.is_empty() {
            return Ok(None);
        }
        let given = self.punctuation.given_costs();
        let mut costs = self.punctuation.checked_costs(marks)?;
        let made = |[mark_cost, end_cost]: Costs| MarkCosts { mark_cost, end_cost };
        if held_out.iter().map(|example| example.tokens.len()).sum::<usize>() >= FEWEST {
            let documents: Vec<Tokens> = held_out.iter().map(|example| example.tokens.clone()).collect();
            let scored = scored(&documents, request)?;
            costs = best_costs(given, costs, |costs| {
                let choices = scored.iter().map(|scores| Ok(choices(scores, made(costs), request)));
                f_of_choices(choices, marks, held_out)
            })?;
        }
        Ok(Some(made(costs)))
    }

    fn named(&self) -> Result<LearnedHeads> {
        let asks = |prediction| self.predict.contains(&prediction);
        let cases = self.predict.is_empty() || asks(Prediction::Case);
        match self.punctuation.marks {
            Some(marks) if self.predict.is_empty() || asks(Prediction::Marks) => {
                Ok(LearnedHeads { cases, marks })
            }
            Some(marks) => Err(Error::usage(format!(
                "{} {marks} and {} case: include marks in both or in neither",
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
        let punctuation = MarkOptions { marks, ..MarkOptions::default() };
        HeadOptions { predict: predict.to_vec(), punctuation }.learned()
    }

    #[test]
    fn naming_marks_is_asking_for_them() {
        use Prediction::{Case, Marks};
        let heads = |cases, marks| LearnedHeads { cases, marks };
        assert_eq!(learned(&[], None).unwrap(), heads(true, MarkSet::NONE));
        assert_eq!(learned(&[], Some(".,?")).unwrap(), heads(true, MarkSet::USUAL));
        assert_eq!(learned(&[Marks], None).unwrap(), heads(false, MarkSet::USUAL));
        assert_eq!(learned(&[Case, Marks], Some(".")).unwrap(), heads(true, ".".parse().unwrap()));
        let cost = HeadOptions {
            punctuation: MarkOptions { end_cost: Some(0.5), ..MarkOptions::default() },
            ..HeadOptions::default()
        };
        let error = cost.learned().unwrap_err().to_string();
        assert_eq!(error, "`end-cost` is for punctuation, which is not learned: give `marks` too");
        let error = learned(&[Case], Some(".")).unwrap_err().to_string();
        assert_eq!(error, "`marks` . and `predict` case: include marks in both or in neither");
    }
}
