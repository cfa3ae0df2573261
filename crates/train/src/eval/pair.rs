//! Pairs a reference with the output of other systems, and gives their choices as if a method had
//! made them.

use std::mem;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use crate::corpus::{Corpus, Example, Protocol, Reading};
use majuscule::error::{Error, Result};
use majuscule::text::{Case, Choice, Label, Locale};

/// The number of words in a batch, and of batches that may wait. Reading continues while other
/// batches are scored, and memory stays constant.
const BATCH: usize = 1 << 13;
const AHEAD: usize = 4;

/// A reference or a hypothesis: a file read under a protocol.
#[derive(Debug)]
pub struct PairSide {
    name: String,
    /// True if it has several files.
    is_several: bool,
    corpus: Corpus,
    /// All words of the file, if the protocol leaves some out by their case: `rei` distinguishes an
    /// event, `(music)`, from a name, `(COD)`, and the case of a hypothesis is not reliable.
    words: Option<Corpus>,
}

impl PairSide {
    /// Opens files as one text of this name. `-` is standard input, which is kept in memory so that
    /// an error can name its line.
    ///
    /// # Errors
    /// If there are no files, or standard input cannot be read.
    pub fn new(
        name: String,
        files: &[impl AsRef<Path>],
        reading: Reading,
        protocol: Protocol,
        locale: Locale,
    ) -> Result<Self> {
        let side = Self::of(name, Corpus::new(files, reading, protocol, locale)?)?;
        Ok(Self { is_several: files.len() > 1, ..side })
    }

    /// Compares a corpus that is open, which errors call `name`.
    ///
    /// # Errors
    /// If standard input is in it and cannot be read.
    pub fn of(name: String, mut corpus: Corpus) -> Result<Self> {
        corpus.hold()?;
        let all = Protocol::Asr { window: Protocol::WINDOW };
        let words = if corpus.protocol() == Protocol::Rei { Some(corpus.under(all)?) } else { None };
        Ok(Self { name, is_several: false, corpus, words })
    }

    /// The corpus of the file, read under the protocol.
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// The words that are compared.
    fn words(&self) -> &Corpus {
        self.words.as_ref().unwrap_or(&self.corpus)
    }

    /// The name of the file or folder as it was given.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// A callback that receives an example and each hypothesis's choices for its words.
pub type PairVisitor<'a> = dyn FnMut(&Example, &[Vec<Choice>]) -> Result<()> + 'a;

/// Calls `visit` with every example of the reference, in order, and each hypothesis's choices for
/// its words. The words are compared ignoring case, as one stream: the line breaks of a hypothesis
/// may differ if the protocol allows it.
///
/// # Errors
/// If a file cannot be read, if the words differ (the error names both words and their lines), or
/// if `visit` fails.
pub fn pair(reference: &PairSide, hypotheses: &[PairSide], visit: &mut PairVisitor<'_>) -> Result<()> {
    let outcome = thread::scope(|scope| {
        let start = |corpus| {
            let (sender, batches) = sync_channel(AHEAD);
            let (used, empty) = channel();
            scope.spawn(move || send(corpus, &sender, &empty));
            FileWords::new(batches, used)
        };
        let stream = |side| {
            let hypothesis = start(PairSide::words(side));
            HypothesisStream { hypothesis, reference: reference.words.as_ref().map(start), same: 0 }
        };
        let mut streams: Vec<HypothesisStream> = hypotheses.iter().map(stream).collect();
        follow(reference, &mut streams, visit)
    });
    match outcome {
        Ok(()) => Ok(()),
        Err(PairStop::Error(error)) => Err(error),
        Err(PairStop::Differs(difference)) => {
            Err(difference.error(reference, &hypotheses[difference.hypothesis])?)
        }
    }
}

/// Sends the examples of a corpus, or the error that ends them. Batches that come back are used
/// again, because threads contend with each other if one allocates memory and another frees it.
fn send(corpus: &Corpus, sender: &SyncSender<Result<Batch>>, empty: &Receiver<Batch>) {
    // If another file had an error first, nobody receives any more. This is the quickest way out.
    let stopped = |_| Error::usage("nobody listens");
    let mut batch = Batch::default();
    let read = corpus.for_each(&mut |example| {
        batch.push(example);
        if batch.words < BATCH {
            return Ok(());
        }
        let mut next = empty.try_recv().unwrap_or_default();
        next.clear();
        sender.send(Ok(mem::replace(&mut batch, next))).map_err(stopped)
    });
    // The examples before an error are compared first.
    sender.send(Ok(batch)).ok();
    if let Err(error) = read {
        sender.send(Err(error)).ok();
    }
}

/// A batch of examples.
#[derive(Debug, Default)]
struct Batch {
    /// The examples of this batch, followed by some of an earlier one, whose memory is used again.
    examples: Vec<Example>,
    len: usize,
    words: usize,
}

impl Batch {
    fn clear(&mut self) {
        (self.len, self.words) = (0, 0);
    }

    fn push(&mut self, example: &Example) {
        if self.len == self.examples.len() {
            self.examples.push(Example::default());
        }
        let Example { tokens, gold } = &mut self.examples[self.len];
        tokens.clear();
        tokens.extend(&example.tokens, 0..example.tokens.len());
        gold.clear();
        gold.extend_from_slice(&example.gold);
        self.len += 1;
        self.words += example.tokens.len();
    }
}

/// The reason why the streams are not followed to their ends.
enum PairStop {
    Error(Error),
    Differs(WordMismatch),
}

impl From<Error> for PairStop {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// The first difference between a hypothesis and the reference: the word of each side, `None` where
/// the side has ended.
struct WordMismatch {
    hypothesis: usize,
    /// The number of equal words before the difference.
    same: u64,
    expected: Option<String>,
    found: Option<String>,
}

impl WordMismatch {
    fn error(&self, reference: &PairSide, hypothesis: &PairSide) -> Result<Error> {
        let place = |side: &PairSide| -> Result<(String, u64)> {
            let (file, line) = side.words().place_of_word(self.same)?.unwrap_or((String::new(), 1));
            // A text in memory, and one of a single file, has the name of the side.
            Ok((if side.is_several { file } else { side.name.clone() }, line))
        };
        let same = "the words must be the same in the same order, capitals aside";
        Ok(match (&self.found, &self.expected) {
            (Some(found), Some(expected)) => {
                let (name, at) = place(reference)?;
                let (file, line) = place(hypothesis)?;
                Error::line(
                    &file,
                    line,
                    format!("\"{found}\", but {name}, line {at} has \"{expected}\": {same}"),
                )
            }
            (Some(found), None) => {
                let (file, line) = place(hypothesis)?;
                let name = &reference.name;
                Error::line(&file, line, format!("\"{found}\", but {name} has ended before it: {same}"))
            }
            (None, expected) => {
                let expected = expected.as_deref().unwrap_or_default();
                let (name, line) = place(reference)?;
                let problem = format!("ends, but {name}, line {line} goes on with \"{expected}\": {same}");
                Error::file(&hypothesis.name, problem)
            }
        })
    }
}

/// Follows all streams along the reference.
fn follow(
    reference: &PairSide,
    streams: &mut [HypothesisStream],
    visit: &mut PairVisitor<'_>,
) -> Result<(), PairStop> {
    let locale = reference.corpus.locale();
    let mut choices = vec![Vec::new(); streams.len()];
    let mut stopped = None;
    let walked = reference.corpus.for_each_with_gaps(&mut |example, gaps| {
        for (hypothesis, (stream, choices)) in streams.iter_mut().zip(&mut choices).enumerate() {
            choices.clear();
            let gaps = gaps.iter().copied().chain(std::iter::repeat(0));
            for (((lower, _), gold), gap) in example.tokens.iter().zip(&example.gold).zip(gaps) {
                match stream.label(lower, gold.label.case, gap)? {
                    Ok(label) => choices.push(label.into()),
                    Err(differing) => {
                        stopped = Some(differing.difference(hypothesis, stream.same, locale));
                        return Err(Error::usage("the words differ"));
                    }
                }
            }
        }
        visit(example, &choices)
    });
    if let Some(difference) = stopped {
        return Err(PairStop::Differs(difference));
    }
    walked?;
    for (hypothesis, stream) in streams.iter_mut().enumerate() {
        if let Err(differing) = stream.end()? {
            return Err(PairStop::Differs(differing.difference(hypothesis, stream.same, locale)));
        }
    }
    Ok(())
}

/// The words of a hypothesis while it is followed along the reference.
struct HypothesisStream {
    hypothesis: FileWords,
    /// All words of the reference, if the protocol leaves some out by their case.
    reference: Option<FileWords>,
    /// The number of equal words so far.
    same: u64,
}

/// Two words that should be equal. `None` where a side has ended.
struct Differing {
    expected: Option<LabelledWord>,
    found: Option<LabelledWord>,
}

/// A word in lower case and its label.
type LabelledWord = (String, Label);

impl Differing {
    fn difference(self, hypothesis: usize, same: u64, locale: Locale) -> WordMismatch {
        let spelled = |(lower, label): LabelledWord| label.case.applied(&lower, locale);
        WordMismatch {
            hypothesis,
            same,
            expected: self.expected.map(spelled),
            found: self.found.map(spelled),
        }
    }
}

fn owned((lower, label): (&str, Label)) -> LabelledWord {
    (lower.to_owned(), label)
}

impl HypothesisStream {
    /// The hypothesis's label for a word of the reference, after the `gap` words that the protocol
    /// left out before that word.
    fn label(&mut self, lower: &str, case: Case, gap: u32) -> Result<Result<Label, Differing>> {
        let wanted = (lower, Label::from(case));
        let mut left_out = gap;
        loop {
            let found = self.hypothesis.next()?;
            let expected = match &mut self.reference {
                None => Some(wanted),
                Some(reference) => reference.next()?,
            };
            match (expected, found) {
                (Some(expected), Some(found)) if expected.0 == found.0 => {
                    self.same += 1;
                    match left_out.checked_sub(1) {
                        Some(fewer) => left_out = fewer,
                        None => return Ok(Ok(found.1)),
                    }
                }
                (expected, found) => {
                    let expected = expected.or(Some(wanted)).map(owned);
                    return Ok(Err(Differing { expected, found: found.map(owned) }));
                }
            }
        }
    }

    /// Checks that both sides end together.
    fn end(&mut self) -> Result<Result<(), Differing>> {
        loop {
            let found = self.hypothesis.next()?;
            let expected = self.reference.as_mut().map_or(Ok(None), FileWords::next)?;
            match (expected, found) {
                (None, None) => return Ok(Ok(())),
                (Some(expected), Some(found)) if expected.0 == found.0 => self.same += 1,
                (expected, found) => {
                    let (expected, found) = (expected.map(owned), found.map(owned));
                    return Ok(Err(Differing { expected, found }));
                }
            }
        }
    }
}

/// The words of a file, one after another.
struct FileWords {
    batches: Receiver<Result<Batch>>,
    used: Sender<Batch>,
    batch: Batch,
    /// The position of the next word: its example in the batch, and its index there.
    example: usize,
    at: usize,
}

impl FileWords {
    fn new(batches: Receiver<Result<Batch>>, used: Sender<Batch>) -> Self {
        Self { batches, used, batch: Batch::default(), example: 0, at: 0 }
    }

    /// Returns the next word in lower case, with its label; `None` at the end.
    fn next(&mut self) -> Result<Option<(&str, Label)>> {
        loop {
            if self.example == self.batch.len {
                // A reader that is done takes no batch back.
                self.used.send(mem::take(&mut self.batch)).ok();
                (self.example, self.at) = (0, 0);
                let Ok(batch) = self.batches.recv() else { return Ok(None) };
                self.batch = batch?;
            } else if self.at == self.batch.examples[self.example].tokens.len() {
                (self.example, self.at) = (self.example + 1, 0);
            } else {
                break;
            }
        }
        let Example { tokens, gold } = &self.batch.examples[self.example];
        let at = self.at;
        self.at += 1;
        Ok(Some((tokens.lower(at), gold[at].label)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Matching, Score, Slots};

    fn side(name: &str, text: &str, protocol: Protocol) -> PairSide {
        let corpus = Corpus::of_text(text, Reading::default(), protocol, Locale::Root);
        PairSide::of(name.into(), corpus).unwrap()
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
        // Ada is correct; We, She and Rome are lost.
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
        // The hypothesis's first word is in upper case and the reference's in title case. Under rei
        // it is only context.
        let score = score("Rain in Spain", "RAIN in Spain", Protocol::Rei).unwrap();
        assert_eq!(score.all().tokens(), 2);
        assert_eq!(score.all().slots(Matching::Tags).ser(), Some(0.0));
    }

    #[test]
    fn an_event_is_one_by_the_case_of_the_reference() {
        // In the reference, (COD) is a name and (laughs) an event.
        let reference = "Cod (COD) is fish.\nWe (laughs) saw Rome (music) and Cod (COD) there.";
        let score = score(reference, &reference.to_lowercase(), Protocol::Rei).unwrap();
        // The deleted slots are COD, Rome, Cod and COD.
        assert_eq!(score.all().slots(Matching::Tags), Slots { deleted: 4, ..Slots::default() });
        let error = self::score(reference, "cod is fish", Protocol::Rei).unwrap_err().to_string();
        assert!(error.starts_with("hyp.txt, line 1: \"is\", but ref.txt, line 1 has \"COD\""), "{error}");
        let error = self::score("We saw (music)", "We saw", Protocol::Rei).unwrap_err().to_string();
        assert!(error.starts_with("hyp.txt: ends, but ref.txt, line 1 goes on with \"music\""), "{error}");
    }

    #[test]
    fn an_event_is_paired_by_its_place() {
        let reference = "We saw (the) the Rome.\n(Music)\nWe left.";
        let score = score(reference, "We saw (THE) the Rome.\n(MUSIC)\nWe left.", Protocol::Rei).unwrap();
        assert_eq!(score.all().slots(Matching::Tags), Slots { correct: 1, ..Slots::default() });
        // The event after the word is not the word itself.
        let score = self::score("We saw the (the) Rome.", "We saw THE (the) Rome.", Protocol::Rei).unwrap();
        assert_eq!(score.all().slots(Matching::Tags), Slots { correct: 1, inserted: 1, ..Slots::default() });
    }

    #[test]
    fn many_examples_wait_for_their_turn() {
        let text = "Ada ran to Rome.\n".repeat(BATCH * AHEAD);
        assert_eq!(score(&text, &text, Protocol::Susanto).unwrap().examples(), (BATCH * AHEAD) as u64);
        let error = score("One line only", &text, Protocol::Susanto).unwrap_err().to_string();
        assert!(error.starts_with("hyp.txt, line 1: \"Ada\""), "{error}");
    }
}
