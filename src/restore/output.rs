//! What comes out: the text, or its words with their probabilities.

use std::str::FromStr;
use std::time::Duration;

use serde::Serialize;

use super::diff::Diff;
use crate::error::{Error, Result};
use crate::format::Piece;
use crate::restorer::{Restorer, Want};
use crate::text::markup::untagged;
use crate::text::{Break, Case, Choice, Mark, Policy};

/// What comes out.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Output {
    /// As what.
    pub form: OutputForm,
    /// Leaves words that the method is less sure of in the case that they have in the source. What is put on top of the
    /// method's choices ([`Policy`]) is put on theirs too.
    pub threshold: Option<Threshold>,
    /// Where no more comes for so long after the end of a line, somebody waits for it: it comes out by the right context there is, and
    /// words that wait for more may have another case than in the same text read at once. `None` waits for all that the method uses.
    pub patience: Option<Duration>,
}

/// As what the words come out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutputForm {
    /// The bytes of the source with other capitals.
    #[default]
    Text,
    /// A word a line, with the probability of its case behind a tab, and an empty line where a line of the source ended.
    Words,
    /// What changes, as a unified diff without the names of the files.
    Diff,
    /// A JSON object a word and line: `line` of the source, `form`, `probability`, and `sentence_end` where the method
    /// chooses that.
    Json,
}

/// A probability from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Threshold(f32);

impl FromStr for Threshold {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let probability = text.parse().ok().filter(|probability| (0.0..=1.0).contains(probability));
        probability.map(Self).ok_or_else(|| "expected a probability from 0 to 1".to_owned())
    }
}

impl Output {
    /// What is asked of the method for it.
    ///
    /// # Errors
    /// [`Error::Usage`] where that is a probability, and the method gives none.
    pub(super) fn want(&self, method: &dyn Restorer, want: Want) -> Result<Want> {
        let option = match (self.threshold, self.form) {
            (Some(_), _) => "--threshold",
            (None, OutputForm::Words | OutputForm::Json) => "--confidence",
            (None, OutputForm::Text | OutputForm::Diff) => return Ok(want),
        };
        let marks = self.form == OutputForm::Json && method.labels().marks();
        let want = Want { confidence: true, marks, ..want };
        if !method.has_probabilities() {
            let problem =
                format!("the method gives no probabilities: leave {option} out, or use hmm or maxent");
            return Err(Error::Usage(problem));
        }
        Ok(want)
    }

    /// Takes back the choices that are in doubt: these words get the case that they have.
    pub(super) fn doubt(&self, piece: &Piece, choices: &mut [Choice], policy: &Policy) {
        let Some(Threshold(threshold)) = self.threshold else { return };
        for (token, choice) in piece.tokens.as_slice().iter().zip(choices) {
            let word = &piece.source[token.source.start as usize..token.source.end as usize];
            if choice.confidence.is_some_and(|confidence| confidence < threshold)
                && let Ok(word) = str::from_utf8(word)
            {
                choice.label.case = Case::of(&untagged(word), policy.locale);
            }
        }
    }
}

/// Writes pieces, one after the other.
#[derive(Debug)]
pub(super) struct PieceWriter {
    form: OutputForm,
    /// Whether the method chooses where sentences end.
    marks: bool,
    /// The line of the source that the next piece begins in.
    line: u64,
    /// Whether words came before.
    goes_on: bool,
    diff: Diff,
    /// The text of a piece, where that is not what comes out.
    text: Vec<u8>,
}

/// A word as JSON.
#[derive(Debug, Serialize)]
struct JsonWord<'a> {
    line: u64,
    form: &'a str,
    probability: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    sentence_end: Option<bool>,
}

impl PieceWriter {
    pub(super) fn new(form: OutputForm, method: &dyn Restorer) -> Self {
        let (marks, diff) = (method.labels().marks(), Diff::default());
        Self { form, marks, line: 1, goes_on: false, diff, text: Vec::new() }
    }

    /// Appends a piece to `out`, and says whether its text changed, where it comes out.
    pub(super) fn write(
        &mut self,
        piece: &Piece,
        choices: &[Choice],
        policy: &Policy,
        out: &mut Vec<u8>,
    ) -> bool {
        match self.form {
            OutputForm::Text => {
                let from = out.len();
                piece.write(choices, policy, out);
                out[from..] != *piece.bytes()
            }
            OutputForm::Diff => {
                self.text.clear();
                piece.write(choices, policy, &mut self.text);
                self.diff.push(piece.bytes(), &self.text, out);
                self.text != piece.bytes()
            }
            OutputForm::Words | OutputForm::Json => {
                self.words(piece, choices, policy, out);
                false
            }
        }
    }

    /// Appends what is left, now that nothing more comes.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        self.diff.finish(out);
    }

    /// Appends the words of a piece.
    fn words(&mut self, piece: &Piece, choices: &[Choice], policy: &Policy, out: &mut Vec<u8>) {
        let mut done = 0;
        for (token, choice) in piece.tokens.as_slice().iter().zip(choices) {
            let (start, end) = (token.source.start as usize, token.source.end as usize);
            self.line += line_feeds(&piece.source[done..start]);
            done = start;
            let Ok(word) = str::from_utf8(&piece.source[start..end]).map(untagged) else { continue };
            let case = policy.case(&word, token, choice);
            // What the user or the source decides is certain.
            let is_chosen = case == choice.label.case;
            let probability = if is_chosen { choice.confidence.unwrap_or(1.0) } else { 1.0 };
            let form = case.applied(&word, policy.locale);
            if self.form == OutputForm::Words {
                if token.before >= Break::Line && std::mem::replace(&mut self.goes_on, true) {
                    out.push(b'\n');
                }
                out.extend(format!("{form}\t{probability:.4}\n").bytes());
                continue;
            }
            let word = JsonWord {
                line: self.line,
                form: &form,
                probability: (f64::from(probability) * 1e4).round() / 1e4,
                sentence_end: self.marks.then_some(choice.label.mark == Mark::SentenceEnd),
            };
            out.extend(serde_json::to_vec(&word).expect("a word has string keys only"));
            out.push(b'\n');
        }
        self.line += line_feeds(&piece.source[done..]);
    }
}

fn line_feeds(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&b| b == b'\n').count() as u64
}
