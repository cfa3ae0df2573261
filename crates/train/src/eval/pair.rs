//! Pairs a reference with the output of other systems, and converts this output into choices like
//! those of a method.

use std::collections::VecDeque;
use std::path::Path;

use crate::corpus::{Corpus, Example, ExampleBlocks, Protocol, Reading};
use majuscule_base::error::{Error, Result};
use majuscule_text::{Choice, Label, Locale};

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
    let open = |hypothesis| HypothesisStream::open(reference, hypothesis);
    let mut streams = hypotheses.iter().map(open).collect::<Result<Vec<_>>>()?;
    let mut choices = vec![Vec::new(); streams.len()];
    let mut examples = ExampleQueue::of(&reference.corpus)?;
    while let Some((example, gaps)) = examples.next()? {
        for (stream, choices) in streams.iter_mut().zip(&mut choices) {
            choices.clear();
            let gaps = gaps.iter().copied().chain(std::iter::repeat(0));
            for (((lower, _), gold), gap) in example.tokens.iter().zip(&example.gold).zip(gaps) {
                choices.push(stream.label((lower, gold.label), gap)?.into());
            }
        }
        visit(&example, &choices)?;
    }
    for stream in &mut streams {
        while stream.next(None)?.is_some() {}
    }
    Ok(())
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
    reference: &'a PairSide,
    hypothesis: &'a PairSide,
    found: FileWords<'a>,
    /// All words of the reference, if the protocol omits words because of their case.
    expected: Option<FileWords<'a>>,
    /// The number of equal words so far.
    same: u64,
}

impl<'a> HypothesisStream<'a> {
    fn open(reference: &'a PairSide, hypothesis: &'a PairSide) -> Result<Self> {
        let expected = reference.words.as_ref().map(FileWords::of).transpose()?;
        let found = FileWords::of(hypothesis.words())?;
        Ok(Self { reference, hypothesis, found, expected, same: 0 })
    }

    /// Skips the `gap` words that the protocol omitted before a word of the reference, and returns
    /// the hypothesis's label for that word.
    fn label(&mut self, wanted: (&str, Label), gap: u32) -> Result<Label> {
        for _ in 0..gap {
            self.next(Some(wanted))?;
        }
        Ok(self.next(Some(wanted))?.unwrap_or_default())
    }

    /// Advances both sides by a word and returns the hypothesis's label for it; `None` if both sides end. `wanted` is
    /// the word of the reference, if the protocol omits no words.
    ///
    /// # Errors
    /// If a file cannot be read, or the words differ.
    fn next(&mut self, wanted: Option<(&str, Label)>) -> Result<Option<Label>> {
        let found = self.found.next()?;
        let expected = match &mut self.expected {
            None => wanted,
            Some(words) => words.next()?.or(wanted),
        };
        match (expected, found) {
            (None, None) => return Ok(None),
            (Some((expected, _)), Some((found, label))) if expected == found => {
                self.same += 1;
                return Ok(Some(label));
            }
            _ => {}
        }
        let locale = self.reference.corpus.locale();
        let spelled = |(lower, label): (&str, Label)| label.case.applied(lower, locale);
        let (expected, found) = (expected.map(spelled), found.map(spelled));
        Err(self.mismatch(expected, found)?)
    }

    /// Returns the error for the first difference: the word of each side, `None` where the side has ended.
    fn mismatch(&self, expected: Option<String>, found: Option<String>) -> Result<Error> {
        let Self { reference, hypothesis, .. } = *self;
        let position = |side: &PairSide| -> Result<(String, u64)> {
            let (file, line) = side.words().place_of_word(self.same)?.unwrap_or((String::new(), 1));
            // A text in memory or in a single file has the name of the side.
            Ok((if side.is_several { file } else { side.name.clone() }, line))
        };
        let same = "the words must be the same in the same order, capitals aside";
        Ok(match (found, expected) {
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
                let expected = expected.unwrap_or_default();
                let (name, line) = position(reference)?;
                let problem = format!("ends, but {name}, line {line} goes on with \"{expected}\": {same}");
                Error::file(&hypothesis.name, problem)
            }
        })
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
