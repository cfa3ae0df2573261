//! Pairs a reference with the output of other systems, and converts this output into choices like
//! those of a method.

use std::collections::VecDeque;
use std::path::Path;

use crate::corpus::{Corpus, Example, ExampleBlocks, Protocol, Reading};
use majuscule_base::error::{Error, Result};
use majuscule_text::{Case, Choice, Label, Locale};

/// A reference or a hypothesis: a file read under a protocol.
#[derive(Debug)]
pub struct PairSide {
    name: String,
    /// True if the text has several files.
    is_several: bool,
    corpus: Corpus,
    /// All words of the text, if the protocol omits words because of their case: `rei` distinguishes an event,
    /// `(music)`, from a name, `(COD)`, by case, and the case of a hypothesis is not reliable.
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

    /// Creates a side from an open corpus, which error messages call `name`.
    ///
    /// # Errors
    /// If the corpus includes standard input and it cannot be read.
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
    let mut streams = Vec::new();
    for side in hypotheses {
        let reference = reference.words.as_ref().map(FileWords::of).transpose()?;
        streams.push(HypothesisStream { hypothesis: FileWords::of(side.words())?, reference, same: 0 });
    }
    match follow(reference, &mut streams, visit)? {
        None => Ok(()),
        Some(difference) => Err(difference.error(reference, &hypotheses[difference.hypothesis])?),
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
        let position = |side: &PairSide| -> Result<(String, u64)> {
            let (file, line) = side.words().place_of_word(self.same)?.unwrap_or((String::new(), 1));
            // A text in memory or in a single file has the name of the side.
            Ok((if side.is_several { file } else { side.name.clone() }, line))
        };
        let same = "the words must be the same in the same order, capitals aside";
        Ok(match (&self.found, &self.expected) {
            (Some(found), Some(expected)) => {
                let (name, at) = position(reference)?;
                let (file, line) = position(hypothesis)?;
                Error::line(
                    &file,
                    line,
                    format!("\"{found}\", but {name}, line {at} has \"{expected}\": {same}"),
                )
            }
            (Some(found), None) => {
                let (file, line) = position(hypothesis)?;
                let name = &reference.name;
                Error::line(&file, line, format!("\"{found}\", but {name} has ended before it: {same}"))
            }
            (None, expected) => {
                let expected = expected.as_deref().unwrap_or_default();
                let (name, line) = position(reference)?;
                let problem = format!("ends, but {name}, line {line} goes on with \"{expected}\": {same}");
                Error::file(&hypothesis.name, problem)
            }
        })
    }
}

/// Compares all streams with the reference word by word, up to the first difference.
fn follow(
    reference: &PairSide,
    streams: &mut [HypothesisStream<'_>],
    visit: &mut PairVisitor<'_>,
) -> Result<Option<WordMismatch>> {
    let locale = reference.corpus.locale();
    let mut choices = vec![Vec::new(); streams.len()];
    let mut examples = ExampleQueue::of(&reference.corpus)?;
    while let Some((example, gaps)) = examples.next()? {
        for (hypothesis, (stream, choices)) in streams.iter_mut().zip(&mut choices).enumerate() {
            choices.clear();
            let gaps = gaps.iter().copied().chain(std::iter::repeat(0));
            for (((lower, _), gold), gap) in example.tokens.iter().zip(&example.gold).zip(gaps) {
                match stream.label(lower, gold.label.case, gap)? {
                    Ok(label) => choices.push(label.into()),
                    Err(differing) => return Ok(Some(differing.difference(hypothesis, stream.same, locale))),
                }
            }
        }
        visit(&example, &choices)?;
    }
    for (hypothesis, stream) in streams.iter_mut().enumerate() {
        if let Err(differing) = stream.end()? {
            return Ok(Some(differing.difference(hypothesis, stream.same, locale)));
        }
    }
    Ok(None)
}

/// The examples of a corpus, in order. Each has, for its words, the number of words that the
/// protocol omitted before the word.
struct ExampleQueue<'a> {
    blocks: ExampleBlocks<'a>,
    ready: VecDeque<(Example, Vec<u32>)>,
    /// The error to return after the examples that are ready.
    error: Option<Error>,
}

impl<'a> ExampleQueue<'a> {
    fn of(corpus: &'a Corpus) -> Result<Self> {
        Ok(Self { blocks: corpus.example_blocks()?, ready: VecDeque::new(), error: None })
    }

    /// Returns the next example; `None` at the end.
    fn next(&mut self) -> Result<Option<(Example, Vec<u32>)>> {
        while self.ready.is_empty() {
            if let Some(error) = self.error.take() {
                return Err(error);
            }
            let read = self.blocks.next(&mut |example, gaps| {
                self.ready.push_back((example.clone(), gaps.to_vec()));
                Ok(())
            });
            match read {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(error) => self.error = Some(error),
            }
        }
        Ok(self.ready.pop_front())
    }
}

/// The words of a hypothesis during the comparison with the reference.
struct HypothesisStream<'a> {
    hypothesis: FileWords<'a>,
    /// All words of the reference, if the protocol omits words because of their case.
    reference: Option<FileWords<'a>>,
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

impl HypothesisStream<'_> {
    /// Skips the `gap` words that the protocol omitted before a word of the reference, and returns
    /// the hypothesis's label for that word.
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
struct FileWords<'a> {
    examples: ExampleQueue<'a>,
    /// The example of the next word, and the index of the word in it.
    example: Example,
    at: usize,
}

impl<'a> FileWords<'a> {
    fn of(corpus: &'a Corpus) -> Result<Self> {
        Ok(Self { examples: ExampleQueue::of(corpus)?, example: Example::default(), at: 0 })
    }

    /// Returns the next word in lower case, with its label; `None` at the end.
    fn next(&mut self) -> Result<Option<(&str, Label)>> {
        while self.at == self.example.tokens.len() {
            let Some((example, _)) = self.examples.next()? else { return Ok(None) };
            (self.example, self.at) = (example, 0);
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
    fn an_event_is_paired_by_its_position() {
        let reference = "We saw (the) the Rome.\n(Music)\nWe left.";
        let score = score(reference, "We saw (THE) the Rome.\n(MUSIC)\nWe left.", Protocol::Rei).unwrap();
        assert_eq!(score.all().slots(Matching::Tags), Slots { correct: 1, ..Slots::default() });
        // The event after the word is not the word itself.
        let score = self::score("We saw the (the) Rome.", "We saw THE (the) Rome.", Protocol::Rei).unwrap();
        assert_eq!(score.all().slots(Matching::Tags), Slots { correct: 1, inserted: 1, ..Slots::default() });
    }

    #[test]
    fn many_examples_wait_for_their_turn() {
        const LINES: usize = 1 << 15;
        let text = "Ada ran to Rome.\n".repeat(LINES);
        assert_eq!(score(&text, &text, Protocol::Susanto).unwrap().examples(), LINES as u64);
        let error = score("One line only", &text, Protocol::Susanto).unwrap_err().to_string();
        assert!(error.starts_with("hyp.txt, line 1: \"Ada\""), "{error}");
    }
}
