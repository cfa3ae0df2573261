//! The output: the text, or its words with their probabilities.

use serde::Serialize;

use super::Done;
use super::diff::Diff;
use super::sentences::SentenceLines;
use majuscule_base::error::Result;
use majuscule_format::Piece;
use majuscule_text::markup::untagged;
use majuscule_text::restorer::Restorer;
use majuscule_text::{Break, Decision, MarkForm, OutputForm, RestoreOptions, resolve};

/// Receives bytes of the output, with the amount of text in them.
pub type Out<'a> = dyn FnMut(&[u8], Done) -> Result<()> + 'a;

/// Writes pieces, one after the other.
#[derive(Debug)]
pub(super) struct PieceWriter {
    pub(super) options: RestoreOptions,
    /// True if the method chooses sentence ends.
    marks: bool,
    /// The line of the source in which the next piece begins.
    line: u64,
    /// True if words came before.
    goes_on: bool,
    diff: Diff,
    sentences: SentenceLines,
    /// The text of a piece, if the output is in another form.
    text: Vec<u8>,
    /// The output of a piece.
    written: Vec<u8>,
    /// The amount of text written.
    pub(super) done: Done,
}

/// A word as JSON.
#[derive(Debug, Serialize)]
struct JsonWord<'a> {
    line: u64,
    form: &'a str,
    probability: f64,
    /// The opening of a sentence inserted before the word.
    #[serde(skip_serializing_if = "Option::is_none")]
    opening: Option<char>,
    /// The mark inserted after the word.
    #[serde(skip_serializing_if = "Option::is_none")]
    mark: Option<char>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mark_probability: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sentence_end: Option<bool>,
}

impl PieceWriter {
    pub(super) fn new(options: RestoreOptions, method: &dyn Restorer) -> Self {
        Self {
            marks: method.labels().ends_sentences(),
            line: 1,
            goes_on: false,
            diff: Diff::default(),
            sentences: SentenceLines::new(&options),
            text: Vec::new(),
            written: Vec::new(),
            done: Done::default(),
            options,
        }
    }

    /// Passes a piece to `out`.
    pub(super) fn write(&mut self, piece: &Piece, decisions: &[Decision], out: &mut Out<'_>) -> Result<()> {
        self.written.clear();
        let bytes = piece.bytes();
        match self.options.form {
            OutputForm::Text => {
                piece.write(decisions, &self.options, &mut self.written);
                self.done.changed |= self.written != bytes;
            }
            OutputForm::Diff => {
                self.text.clear();
                piece.write(decisions, &self.options, &mut self.text);
                self.diff.push(bytes, &self.text, &mut self.written);
                self.done.changed |= self.text != bytes;
            }
            OutputForm::Sentences | OutputForm::Paragraphs => {
                self.sentences.push(piece, decisions, &self.options, &mut self.written);
                self.done.changed |= self.written != bytes;
            }
            OutputForm::Words | OutputForm::Json => self.words(piece, decisions),
        }
        self.done.words += decisions.len() as u64;
        self.done.bytes += bytes.len() as u64;
        out(&self.written, self.done)
    }

    /// Passes the remaining output to `out` at the end of the input.
    pub(super) fn finish(&mut self, out: &mut Out<'_>) -> Result<()> {
        self.written.clear();
        self.diff.finish(&mut self.written);
        if self.options.form.is_by_sentence() {
            self.sentences.finish(&mut self.written);
        }
        if self.written.is_empty() { Ok(()) } else { out(&self.written, self.done) }
    }

    /// Appends the words of a piece.
    fn words(&mut self, piece: &Piece, decisions: &[Decision]) {
        let (mut done, out) = (0, &mut self.written);
        for (token, decision) in piece.tokens.as_slice().iter().zip(decisions) {
            let (start, end) = (token.source.start as usize, token.source.end as usize);
            self.line += line_feeds(&piece.source[done..start]);
            done = start;
            let Ok(word) = str::from_utf8(&piece.source[start..end]).map(untagged) else { continue };
            let resolved = resolve(&word, token, decision, &self.options);
            let probability = resolved.confidence.unwrap_or(1.0);
            let mark = decision
                .placed
                .after
                .spelling(self.options.language(), MarkForm::Joined)
                .map(|(_, mark)| mark);
            let mark_probability = decision.mark_confidence(&self.options);
            let form = resolved.case.applied(&word, self.options.locale());
            if self.options.form == OutputForm::Words {
                if token.before >= Break::Line && std::mem::replace(&mut self.goes_on, true) {
                    out.push(b'\n');
                }
                let mark = mark.map(|mark| {
                    let probability = mark_probability.map(|fraction| format!("\t{fraction:.4}"));
                    format!("\t{mark}{}", probability.unwrap_or_default())
                });
                let mark = mark.unwrap_or_default();
                out.extend(format!("{form}\t{probability:.4}{mark}\n").bytes());
                continue;
            }
            let word = JsonWord {
                line: self.line,
                form: &form,
                probability: rounded(probability),
                opening: decision.placed.before.opening(self.options.language()),
                mark,
                mark_probability: mark_probability.map(rounded),
                sentence_end: self.marks.then_some(decision.choice.label.mark.ends_sentence()),
            };
            out.extend(serde_json::to_vec(&word).expect("a word has string keys only"));
            out.push(b'\n');
        }
        self.line += line_feeds(&piece.source[done..]);
    }
}

/// Rounds a probability to four decimal places.
fn rounded(probability: f32) -> f64 {
    (f64::from(probability) * 1e4).round() / 1e4
}

fn line_feeds(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&b| b == b'\n').count() as u64
}
