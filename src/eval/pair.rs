//! A reference and what other systems made of it in, choices out: as if a method had made them.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use crate::corpus::{Corpus, Example, Protocol, Reading};
use crate::error::{Error, Result};
use crate::text::{Choice, Label, Locale};

/// So many examples may wait: reading goes on while others are scored, and memory stays flat.
const AHEAD: usize = 256;

/// A reference or a hypothesis: a file read under a protocol.
#[derive(Debug)]
pub struct Side {
    name: String,
    corpus: Corpus,
}

impl Side {
    /// Reads a file; `-` is standard input, which is held in memory so that an error can name its line.
    ///
    /// # Errors
    /// Where standard input cannot be read.
    pub fn new(file: &Path, reading: Reading, protocol: Protocol, locale: Locale) -> Result<Self> {
        let mut corpus = Corpus::new(&[file], reading, protocol, locale)?;
        corpus.hold()?;
        Ok(Self { name: file.to_string_lossy().into_owned(), corpus })
    }

    /// The file's name as it was given.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// What is done with an example and each hypothesis's choices for its words.
pub type Visit<'a> = dyn FnMut(&Example, &[Vec<Choice>]) -> Result<()> + 'a;

/// Gives every example of the reference to `visit`, in order, with each hypothesis's choices for its words. The words are
/// compared without case, as one stream: a hypothesis may have other line breaks where the protocol does not mind them.
///
/// # Errors
/// Where a file cannot be read, where the words differ (the error names both, and their lines), and where `visit` fails.
pub fn pair(reference: &Side, hypotheses: &[Side], visit: &mut Visit<'_>) -> Result<()> {
    let outcome = thread::scope(|scope| {
        let mut streams: Vec<Words> = hypotheses
            .iter()
            .map(|side| {
                let (sender, examples) = sync_channel(AHEAD);
                scope.spawn(move || send(side, &sender));
                Words::new(examples)
            })
            .collect();
        follow(reference, &mut streams, visit)
    });
    match outcome {
        Ok(()) => Ok(()),
        Err(Stop::Error(error)) => Err(error),
        Err(Stop::Differs(difference)) => {
            Err(difference.error(reference, &hypotheses[difference.hypothesis])?)
        }
    }
}

/// Sends the examples of a side, or the error that ends them.
fn send(side: &Side, sender: &SyncSender<Result<Example>>) {
    // Nobody listens any more where another file had an error first: then this is the quickest way out.
    let stopped = |_| Error::Usage("nobody listens".into());
    let read = side.corpus.for_each(&mut |example| sender.send(Ok(example.clone())).map_err(stopped));
    if let Err(error) = read {
        sender.send(Err(error)).ok();
    }
}

/// Why the streams are not followed to their ends.
enum Stop {
    Error(Error),
    Differs(Difference),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// Where the words of a hypothesis leave those of the reference: each side's own word, `None` where it has ended.
struct Difference {
    hypothesis: usize,
    /// How many words are the same before it.
    same: u64,
    expected: Option<String>,
    found: Option<String>,
}

impl Difference {
    fn error(&self, reference: &Side, hypothesis: &Side) -> Result<Error> {
        let line = |side: &Side| side.corpus.line_of_word(self.same);
        let same = "the words must be the same in the same order, capitals aside";
        let name = &reference.name;
        Ok(match (&self.found, &self.expected) {
            (Some(found), Some(expected)) => Error::line(
                &hypothesis.name,
                line(hypothesis)?.unwrap_or(1),
                format!(
                    "\"{found}\", but {name}, line {} has \"{expected}\": {same}",
                    line(reference)?.unwrap_or(1)
                ),
            ),
            (Some(found), None) => {
                let problem = format!("\"{found}\", but {name} has ended before it: {same}");
                Error::line(&hypothesis.name, line(hypothesis)?.unwrap_or(1), problem)
            }
            (None, expected) => {
                let expected = expected.as_deref().unwrap_or_default();
                let line = line(reference)?.unwrap_or(1);
                let problem = format!("ends, but {name}, line {line} goes on with \"{expected}\": {same}");
                Error::file(&hypothesis.name, problem)
            }
        })
    }
}

/// Walks all streams along the reference.
fn follow(reference: &Side, streams: &mut [Words], visit: &mut Visit<'_>) -> Result<(), Stop> {
    let mut choices = vec![Vec::new(); streams.len()];
    let mut same = 0;
    let mut difference = None;
    let locale = reference.corpus.locale();
    let walked = reference.corpus.for_each(&mut |example| {
        for (hypothesis, (stream, choices)) in streams.iter_mut().zip(&mut choices).enumerate() {
            choices.clear();
            for i in 0..example.tokens.len() {
                let expected = example.tokens.lower(i);
                let next = stream.next()?;
                if let Some((found, label)) = next
                    && found == expected
                {
                    choices.push(Choice { label, confidence: None });
                    continue;
                }
                difference = Some(Difference {
                    hypothesis,
                    same: same + i as u64,
                    expected: Some(example.gold[i].label.case.applied(expected, locale)),
                    found: next.map(|(found, label)| label.case.applied(found, locale)),
                });
                return Err(Error::Usage("the words differ".into()));
            }
        }
        same += example.tokens.len() as u64;
        visit(example, &choices)
    });
    if let Some(difference) = difference {
        return Err(Stop::Differs(difference));
    }
    walked?;
    for (hypothesis, stream) in streams.iter_mut().enumerate() {
        if let Some((found, label)) = stream.next()? {
            let found = Some(label.case.applied(found, locale));
            return Err(Stop::Differs(Difference { hypothesis, same, expected: None, found }));
        }
    }
    Ok(())
}

/// The words of a hypothesis, one after another.
struct Words {
    examples: Receiver<Result<Example>>,
    example: Example,
    at: usize,
}

impl Words {
    fn new(examples: Receiver<Result<Example>>) -> Self {
        Self { examples, example: Example::default(), at: 0 }
    }

    /// The next word in lower case, with its label; `None` at the end.
    fn next(&mut self) -> Result<Option<(&str, Label)>> {
        while self.at == self.example.tokens.len() {
            let Ok(example) = self.examples.recv() else { return Ok(None) };
            self.example = example?;
            self.at = 0;
        }
        let at = self.at;
        self.at += 1;
        Ok(Some((self.example.tokens.lower(at), self.example.gold[at].label)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Matching, Score, Slots};

    fn side(name: &str, text: &str, protocol: Protocol) -> Side {
        let corpus = Corpus::of_text(text, Reading::default(), protocol, Locale::Root);
        Side { name: name.into(), corpus }
    }

    fn score(reference: &str, hypothesis: &str, protocol: Protocol) -> Result<Score> {
        let hypotheses = [side("hyp.txt", hypothesis, protocol)];
        let mut score = Score::default();
        pair(&side("ref.txt", reference, protocol), &hypotheses, &mut |example, choices| {
            score.add(&example.tokens, &example.gold, &choices[0], |_| None)
        })?;
        Ok(score)
    }

    fn error(reference: &str, hypothesis: &str) -> String {
        score(reference, hypothesis, Protocol::Batista).unwrap_err().to_string()
    }

    const ASR: Protocol = Protocol::Asr { window: Protocol::WINDOW };

    #[test]
    fn the_example_of_a_big_ser_through_files() {
        for protocol in [Protocol::Susanto, ASR] {
            let score = score("here is an Example of a big SER", "here Is an example of a big SER", protocol)
                .unwrap();
            let slots = score.all().slots(Matching::Spelling);
            assert_eq!((slots.precision(), slots.recall(), slots.ser()), (Some(0.5), Some(0.5), Some(1.0)));
        }
    }

    #[test]
    fn windows_may_have_other_line_breaks() {
        let score = score("We met Ada.\nShe lives in Rome.", "we met Ada she\nlives in rome", ASR).unwrap();
        // Ada; We, She and Rome are lost.
        let slots = score.all().slots(Matching::Spelling);
        assert_eq!(slots, Slots { correct: 1, substituted: 0, inserted: 0, deleted: 3 });
        assert_eq!(score.initial().tokens(), 2);
    }

    #[test]
    fn an_error_names_file_line_and_both_words() {
        let found = error("One day.\n\nThe river Tagus rose.", "one day\n\nthe river\ntejo rose");
        assert_eq!(
            found,
            "hyp.txt, line 4: \"rose\", but ref.txt, line 3 has \"Tagus\": the words must be the same in the same order, \
             capitals aside"
        );
        let found = error("One day.\nThe river Tagus rose.", "one day\nthe river Tejo rose");
        assert!(
            found.starts_with("hyp.txt, line 2: \"Tejo\", but ref.txt, line 2 has \"Tagus\": "),
            "{found}"
        );
    }

    #[test]
    fn an_error_says_which_side_ends() {
        let found = error("The river\nTagus rose again.", "the river\nTagus rose");
        assert!(found.starts_with("hyp.txt: ends, but ref.txt, line 2 goes on with \"again\": "), "{found}");
        let found = error("The river\nTagus rose.", "the river\nTagus rose Again");
        assert!(
            found.starts_with("hyp.txt, line 2: \"Again\", but ref.txt has ended before it: "),
            "{found}"
        );
    }

    #[test]
    fn several_hypotheses_are_followed_side_by_side() {
        let texts = ["We saw Rome", "we saw rome"].map(|text| side("hyp.txt", text, Protocol::Susanto));
        let mut scores = [Score::default(), Score::default()];
        pair(&side("ref.txt", "We saw Rome", Protocol::Susanto), &texts, &mut |example, choices| {
            for (score, choices) in scores.iter_mut().zip(choices) {
                score.add(&example.tokens, &example.gold, choices, |_| None)?;
            }
            Ok(())
        })
        .unwrap();
        let ser = scores.map(|score| score.all().slots(Matching::Spelling).ser());
        assert_eq!(ser, [Some(0.0), Some(1.0)]);
    }

    #[test]
    fn what_is_scored_is_said_by_the_reference() {
        // The hypothesis's first word is upper case, the reference's is title case: context only under rei.
        let score = score("Rain in Spain", "RAIN in Spain", Protocol::Rei).unwrap();
        assert_eq!(score.all().tokens(), 2);
        assert_eq!(score.all().slots(Matching::Tags).ser(), Some(0.0));
    }

    #[test]
    fn many_examples_wait_for_their_turn() {
        let text = "Ada ran to Rome.\n".repeat(3 * AHEAD);
        assert_eq!(score(&text, &text, Protocol::Susanto).unwrap().examples(), 3 * AHEAD as u64);
        let error = score("One line only", &text, Protocol::Susanto).unwrap_err().to_string();
        assert!(error.starts_with("hyp.txt, line 1: \"Ada\""), "{error}");
    }
}
