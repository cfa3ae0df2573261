//! Scores examples and choices. Scores add up over words, examples and files.

use std::ops::AddAssign;

use rustc_hash::FxHashMap;

use super::calibration::Calibration;
use super::marks::{MarkCalibration, MarkConfusion};
use super::slots::{Confusion, Matching, Slots, sum};
use crate::corpus::protocol::MarkConvention;
use crate::corpus::{Corpus, Example, Gold, Protocol};
use majuscule_base::error::{Error, Result, option};
use majuscule_text::restorer::{Request, Restorer, SentenceStarts};
use majuscule_text::{Case, Choice, Locale, MarkSet, RestoreOptions, SentenceStart, Tokens, resolve};

/// The number of words restored in one call: enough for a method that works on many sentences at
/// once, with little memory.
const BATCH: usize = 1 << 14;

/// The counts of a score. The sum of the scores of two sets of examples is the score of both
/// together, in any order.
///
/// A score counts unmodified cases: a matching is applied only when figures are computed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Score {
    /// The counts by whether the method knows the word (no, yes, unknown), then by whether the word
    /// begins a sentence.
    parts: [[Confusion; 2]; 3],
    ends: Slots,
    pairs: SentencePairs,
    marks: MarkConfusion,
    calibration: Calibration,
    mark_calibration: MarkCalibration,
    wrong: FxHashMap<Wrong, u64>,
    examples: u64,
}

/// The counts of pairs of neighbouring sentences of a reference, and of the pairs that the hypothesis divides
/// exactly: in it, a sentence ends between the two and nowhere inside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SentencePairs {
    /// The number of pairs.
    pub all: u64,
    /// The number of pairs that are divided exactly.
    pub exact: u64,
}

impl SentencePairs {
    /// The fraction of pairs that are divided exactly; `None` without pairs.
    pub fn fraction(&self) -> Option<f64> {
        super::slots::ratio(self.exact, self.all)
    }

    /// Counts the pairs of an example. `ends` indicates, for each scored word, whether a sentence ends at it in the
    /// reference and in the hypothesis.
    fn count(&mut self, ends: impl Iterator<Item = (bool, bool)>) {
        // `is_whole`: the hypothesis ends no sentence inside the current one. `before`: the previous sentence was
        // whole and its end was found; `None` if there is no previous sentence.
        let (mut is_whole, mut before) = (true, None);
        for (ends, found) in ends {
            if !ends {
                is_whole &= !found;
                continue;
            }
            if let Some(is_exact) = before {
                self.all += 1;
                self.exact += u64::from(is_exact && is_whole);
            }
            (before, is_whole) = (Some(is_whole && found), true);
        }
    }
}

impl AddAssign for SentencePairs {
    fn add_assign(&mut self, other: Self) {
        self.all += other.all;
        self.exact += other.exact;
    }
}

/// A word whose case is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Wrong {
    /// The word in lower case.
    pub lower: Box<str>,
    /// The correct case, as in the reference.
    pub reference: Case,
    /// The chosen case, as in the hypothesis.
    pub hypothesis: Case,
}

impl Score {
    /// Counts one example, with one choice for each of its words. `knows` returns true if the model
    /// contains a word, `None` if this is unknown.
    ///
    /// # Errors
    /// If there are not as many choices as words.
    pub fn add(
        &mut self,
        tokens: &Tokens,
        gold: &[Gold],
        choices: &[Choice],
        knows: impl Fn(&str) -> Option<bool>,
    ) -> Result<()> {
        if choices.len() != tokens.len() || gold.len() != tokens.len() {
            return Err(uneven(tokens.len(), gold.len(), choices.len()));
        }
        self.examples += 1;
        let scored = || gold.iter().zip(choices).filter(|(gold, _)| gold.scored);
        self.pairs.count(scored().map(|(gold, choice)| (gold.ends, choice.label.mark.ends_sentence())));
        for (((lower, _), gold), choice) in tokens.iter().zip(gold).zip(choices) {
            if !gold.scored {
                continue;
            }
            let (reference, hypothesis) = (gold.label.case, choice.label.case);
            let known = knows(lower).map_or(2, usize::from);
            self.parts[known][usize::from(gold.initial)].add(reference, hypothesis);
            self.ends += MarkConvention::Segments.slots(gold, choice.label);
            self.marks.add(gold.label.mark, choice.label.mark);
            if let Some(confidence) = choice.confidence {
                self.calibration.add(confidence, reference == hypothesis);
            }
            if let Some(confidence) = choice.mark_confidence {
                self.mark_calibration.add(gold, choice.label, confidence);
            }
            if reference != hypothesis {
                *self.wrong.entry(Wrong { lower: lower.into(), reference, hypothesis }).or_default() += 1;
            }
        }
        Ok(())
    }

    /// The number of examples that were counted.
    pub fn examples(&self) -> u64 {
        self.examples
    }

    /// All words.
    pub fn all(&self) -> Confusion {
        sum(self.parts.into_iter().flatten())
    }

    /// Returns the counts of the words that the model contains, which may be fewer than it saw in
    /// training; `None` if the words of the model are unknown.
    pub fn seen(&self) -> Option<Confusion> {
        self.knowing().then(|| sum(self.parts[1]))
    }

    /// Returns the counts of the words that the model does not contain; `None` if the words of the model are unknown.
    pub fn unseen(&self) -> Option<Confusion> {
        self.knowing().then(|| sum(self.parts[0]))
    }

    fn knowing(&self) -> bool {
        sum(self.parts[..2].iter().flatten().copied()).tokens() > 0
    }

    /// The words that begin a sentence.
    pub fn initial(&self) -> Confusion {
        sum(self.parts.map(|part| part[1]))
    }

    /// The words that do not begin a sentence.
    pub fn rest(&self) -> Confusion {
        sum(self.parts.map(|part| part[0]))
    }

    /// Returns the slots of sentence ends: each word at which a sentence ends is a slot.
    pub fn ends(&self) -> Slots {
        self.ends
    }

    /// The pairs of neighbouring sentences inside examples.
    pub fn pairs(&self) -> SentencePairs {
        self.pairs
    }

    /// The marks after words.
    pub fn marks(&self) -> &MarkConfusion {
        &self.marks
    }

    /// Returns the slots by which a protocol compares systems: the slots of marks or sentence ends
    /// if the protocol scores them, otherwise the slots of cases.
    pub fn slots(&self, protocol: Protocol) -> Slots {
        match protocol.mark_convention() {
            Some(MarkConvention::Segments) => self.ends,
            Some(convention) => self.marks.slots(convention.marks()),
            None => self.all().slots(Matching::of(protocol)),
        }
    }

    /// The calibration of the method's confidences, over the words that have one.
    pub fn calibration(&self) -> Calibration {
        self.calibration
    }

    /// The calibration of the method's probabilities of marks, over the words that have one.
    pub fn mark_calibration(&self) -> MarkCalibration {
        self.mark_calibration
    }

    /// Returns at most `most` errors under a matching with their counts, the most frequent first;
    /// equally frequent errors are in alphabetical order.
    pub fn most_frequent_errors(&self, matching: Matching, most: usize) -> Vec<(Wrong, u64)> {
        most_frequent(&self.wrong, matching, most)
    }
}

/// Implements [`Score::most_frequent_errors`].
pub(super) fn most_frequent(
    wrong: &FxHashMap<Wrong, u64>,
    matching: Matching,
    most: usize,
) -> Vec<(Wrong, u64)> {
    let costs = |wrong: &Wrong| matching.see(wrong.reference) != matching.see(wrong.hypothesis);
    let mut words: Vec<_> = wrong.iter().filter(|(wrong, _)| costs(wrong)).collect();
    words.sort_unstable_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b)));
    words.truncate(most);
    words.into_iter().map(|(wrong, &count)| (wrong.clone(), count)).collect()
}

impl AddAssign for Score {
    fn add_assign(&mut self, other: Self) {
        for (sum, part) in self.parts.iter_mut().flatten().zip(other.parts.into_iter().flatten()) {
            *sum += part;
        }
        self.ends += other.ends;
        self.pairs += other.pairs;
        self.marks += other.marks;
        self.calibration += other.calibration;
        self.mark_calibration += other.mark_calibration;
        for (wrong, count) in other.wrong {
            *self.wrong.entry(wrong).or_default() += count;
        }
        self.examples += other.examples;
    }
}

fn uneven(words: usize, gold: usize, choices: usize) -> Error {
    Error::file(
        "evaluation",
        format!("{words} words, but {gold} right labels and {choices} choices: expected one of each a word"),
    )
}

/// Scores a method on examples that were made under a protocol. The method sees the words without
/// capitals, and its choices are compared with the right labels. The protocol, and not `request`,
/// decides which sentence starts are to be predicted and which marks are requested, as in
/// [`evaluate_corpus`].
///
/// # Errors
/// If the method fails, or has no marks or sentence ends where the protocol scores them.
pub fn evaluate(
    method: &dyn Restorer,
    request: Request,
    protocol: Protocol,
    examples: &[Example],
) -> Result<Score> {
    let mut show = |_: &Tokens, _: &[Gold], _: &[Choice]| Ok(());
    let mut evaluation = Evaluation::new(method, request, protocol, None, None, &mut show)?;
    examples.iter().try_for_each(|example| evaluation.push(example))?;
    evaluation.finish()
}

/// Scores a method on the examples of a corpus, while reading it. Memory grows with the number of
/// distinct errors, not with the corpus.
///
/// # Errors
/// If the corpus cannot be read, or for the reasons of [`evaluate`].
pub fn evaluate_corpus(method: &dyn Restorer, request: Request, corpus: &Corpus) -> Result<Score> {
    evaluate_each(method, request, None, corpus, &mut |_, _, _| Ok(()))
}

/// A callback that receives the words, right labels and choices of each example.
pub type ExampleView<'a> = dyn FnMut(&Tokens, &[Gold], &[Choice]) -> Result<()> + 'a;

/// Like [`evaluate_corpus`], and calls `show` with each example, in order. `sentence_start` adds
/// sentence-initial capitals to the method's choices, as restoring text does; with `None`, the
/// choices are the method's own. Spellings of the corpus ([`Corpus::with_spellings`]) always take
/// precedence.
///
/// # Errors
/// The errors of [`evaluate_corpus`], and if `show` fails.
pub fn evaluate_each(
    method: &dyn Restorer,
    request: Request,
    sentence_start: Option<SentenceStart>,
    corpus: &Corpus,
    show: &mut ExampleView<'_>,
) -> Result<Score> {
    let mut evaluation =
        Evaluation::new(method, request, corpus.protocol(), Some(corpus.locale()), sentence_start, show)?;
    corpus.for_each(&mut |example| evaluation.push(example))?;
    evaluation.finish()
}

/// Refuses a text without scored words, for which no figure is defined.
///
/// # Errors
/// If `words` is 0.
pub fn check_words(protocol: Protocol, file: &str, words: u64) -> Result<()> {
    if words > 0 {
        return Ok(());
    }
    let expected = match protocol {
        Protocol::Marks { convention: MarkConvention::Sepp, .. } => {
            "text with punctuation, in sentences of three words or more without quotes and brackets"
        }
        Protocol::Marks { .. } => "text with punctuation",
        Protocol::Text | Protocol::Batista | Protocol::Rei => {
            "sentences in their true case, of two words or more since the first does not count"
        }
        _ => "text in its true case",
    };
    Err(Error::file(file, format!("contains no words to score: expected, under {protocol}, {expected}")))
}

/// Returns the marks to request from a method under a protocol: all marks that the method can
/// insert if the protocol scores marks, otherwise none.
///
/// # Errors
/// If the method has no marks or sentence ends where the protocol scores them, or if `threshold`,
/// the minimum probability of a mark, would have no effect.
pub fn marks_for(method: &dyn Restorer, protocol: Protocol, threshold: Option<f32>) -> Result<MarkSet> {
    let marks = scored_marks(method, protocol)?;
    let problem = match threshold {
        Some(_) if marks.is_empty() => {
            "no punctuation is inserted here: expected a protocol and a model with punctuation"
        }
        Some(_) if !method.has_probabilities() => "the method gives no probabilities: use hmm or maxent",
        _ => return Ok(marks),
    };
    Err(Error::usage(format!("{}: {problem}", option("mark-threshold"))))
}

/// Returns true if sentence ends are scored: the method predicts them, and examples run across
/// sentences, so that sentence ends are not given.
pub fn scores_sentence_ends(method: &dyn Restorer, protocol: Protocol) -> bool {
    method.labels().ends_sentences() && protocol.runs_on()
}

/// Returns the marks to request from a method under a protocol, without checking a threshold.
fn scored_marks(method: &dyn Restorer, protocol: Protocol) -> Result<MarkSet> {
    let Some(convention) = protocol.mark_convention() else { return Ok(MarkSet::NONE) };
    let (marks, name) = (method.labels().marks(), convention.name());
    let lacks = match convention {
        MarkConvention::Segments if !method.labels().ends_sentences() => "does not predict sentence ends",
        MarkConvention::Segments => return Ok(marks),
        _ if marks.is_empty() => "does not insert punctuation marks",
        _ => return Ok(marks),
    };
    Err(Error::usage(format!(
        "the model {lacks}, but the protocol {name} scores them: expected a model that was trained with marks"
    )))
}

/// A method, the examples of the next batch, and the score so far.
struct Evaluation<'a> {
    method: &'a dyn Restorer,
    request: Request,
    options: RestoreOptions,
    documents: Vec<Tokens>,
    gold: Vec<Vec<Gold>>,
    words: usize,
    score: Score,
    show: &'a mut ExampleView<'a>,
}

impl<'a> Evaluation<'a> {
    fn new(
        method: &'a dyn Restorer,
        request: Request,
        protocol: Protocol,
        locale: Option<Locale>,
        sentence_start: Option<SentenceStart>,
        show: &'a mut ExampleView<'a>,
    ) -> Result<Self> {
        let starts = match sentence_start {
            Some(start) => start.into(),
            // If each example is a sentence, there are no other sentence starts to predict.
            None if protocol.runs_on() => SentenceStarts::Predicted,
            None => SentenceStarts::Marked,
        };
        let sentence_start = sentence_start.unwrap_or(SentenceStart::Never);
        let options = RestoreOptions::default().in_locale(locale).sentence_start(sentence_start);
        let request = Request {
            starts,
            sentence_ends: scores_sentence_ends(method, protocol),
            marks: marks_for(method, protocol, request.mark_threshold)?,
            ..request
        };
        let (documents, gold, score) = (Vec::new(), Vec::new(), Score::default());
        Ok(Self { method, request, options, documents, gold, words: 0, score, show })
    }

    fn push(&mut self, example: &Example) -> Result<()> {
        self.words += example.tokens.len();
        self.documents.push(example.tokens.clone());
        self.gold.push(example.gold.clone());
        if self.words >= BATCH { self.restore() } else { Ok(()) }
    }

    /// Restores and counts the collected examples, and clears them.
    fn restore(&mut self) -> Result<()> {
        let mut choices = self.method.restore_batch(&self.documents, self.request)?;
        for (tokens, choices) in self.documents.iter().zip(&mut choices) {
            for ((lower, token), choice) in tokens.iter().zip(choices) {
                choice.label.case = resolve(lower, token, &(*choice).into(), &self.options).case;
            }
        }
        let details = self.method.details();
        for ((tokens, gold), choices) in self.documents.iter().zip(&self.gold).zip(&choices) {
            self.score.add(tokens, gold, choices, |lower| details?.knows(lower))?;
            (self.show)(tokens, gold, choices)?;
        }
        self.documents.clear();
        self.gold.clear();
        self.words = 0;
        Ok(())
    }

    fn finish(mut self) -> Result<Score> {
        self.restore()?;
        Ok(self.score)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::corpus::Reading;
    use majuscule_text::restorer::{Boundary, Details, Session};
    use majuscule_text::{Class, Label, Labels, Locale, Mark, Spellings};

    /// A method that writes the words of its list in title case and all others in lower case.
    pub struct Titles(pub Vec<&'static str>);

    impl Restorer for Titles {
        fn labels(&self) -> &Labels {
            static LABELS: std::sync::LazyLock<Labels> = std::sync::LazyLock::new(Labels::cases);
            &LABELS
        }

        fn look_ahead(&self) -> Option<usize> {
            Some(0)
        }

        fn details(&self) -> Option<&dyn Details> {
            Some(self)
        }

        fn has_probabilities(&self) -> bool {
            false
        }

        fn session(&self, _: Request) -> Box<dyn Session + '_> {
            Box::new(TitlesSession(self))
        }
    }

    impl Details for Titles {
        fn knows(&self, lower: &str) -> Option<bool> {
            Some(self.0.contains(&lower))
        }
    }

    struct TitlesSession<'a>(&'a Titles);

    impl Session for TitlesSession<'_> {
        fn push(&mut self, tokens: &Tokens, _: Boundary, out: &mut Vec<Choice>) -> Result<()> {
            out.extend(tokens.iter().map(|(lower, _)| {
                let case = if self.0.0.contains(&lower) { Case::Title } else { Case::Lower };
                Choice::from(Label::from(case))
            }));
            Ok(())
        }
    }

    /// An example of one sentence, whose first word is initial and all of whose words are scored.
    pub fn example(sentence: &str) -> Example {
        let words: Vec<&str> = sentence.split(' ').collect();
        let gold = |(i, word): (usize, &&str)| Gold {
            label: Case::of(word, Locale::Root).into(),
            scored: true,
            initial: i == 0,
            ends: i + 1 == words.len(),
            ..Gold::default()
        };
        let gold = words.iter().enumerate().map(gold).collect();
        Example { tokens: Tokens::of_words(words, Locale::Root), gold }
    }

    fn score(sentences: &[&str]) -> Score {
        let method = Titles(vec!["ada", "rome", "may"]);
        let examples: Vec<Example> = sentences.iter().map(|sentence| example(sentence)).collect();
        evaluate(&method, Request::default(), Protocol::Susanto, &examples).unwrap()
    }

    const SENTENCES: [&str; 5] = [
        "Ada saw Rome",
        "rome may wait",
        "NATO met in Rome",
        "we read McKay and Ada",
        "Nothing else happened",
    ];

    #[test]
    fn a_pair_of_sentences_is_exact_if_only_one_ends_inside_it() {
        let counted = |reference: &str, hypothesis: &str| {
            let mut pairs = SentencePairs::default();
            pairs.count(
                reference.chars().zip(hypothesis.chars()).map(|(one, other)| (one == '.', other == '.')),
            );
            (pairs.exact, pairs.all)
        };
        // Three sentences are two pairs; the end of the text after the last one does not matter.
        assert_eq!(counted("ab.cd.ef.", "ab.cd.ef."), (2, 2));
        assert_eq!(counted("ab.cd.ef.", "ab.cd.efg"), (2, 2));
        // An end that is missed joins two pairs' sentences, and one too many divides both pairs of its sentence.
        assert_eq!(counted("ab.cd.ef.", "ab.cdeef."), (1, 2));
        assert_eq!(counted("ab.cd.ef.", "ab.c..ef."), (0, 2));
        assert_eq!((counted("ab.", "ab."), counted("", "")), ((0, 0), (0, 0)));
        assert_eq!(SentencePairs { all: 4, exact: 3 }.fraction(), Some(0.75));
    }

    proptest! {
        #[test]
        fn scores_add_up_in_any_order(
            sentences in proptest::collection::vec(proptest::sample::select(&SENTENCES[..]), 0..12),
            cut in 0usize..12,
        ) {
            let cut = cut.min(sentences.len());
            let mut sum = score(&sentences[cut..]);
            sum += score(&sentences[..cut]);
            let whole = score(&sentences);
            prop_assert_eq!(&sum, &whole);
            prop_assert_eq!(sum.most_frequent_errors(Matching::Spelling, 3), whole.most_frequent_errors(Matching::Spelling, 3));
        }
    }

    #[test]
    fn the_parts_are_the_whole() {
        let score = score(&SENTENCES);
        let whole = score.all();
        let mut known = score.seen().unwrap();
        known += score.unseen().unwrap();
        let mut positions = score.initial();
        positions += score.rest();
        assert_eq!(known, whole);
        assert_eq!(positions, whole);
        assert_eq!(whole.tokens(), 18);
        assert_eq!(score.initial().tokens(), 5);
        assert_eq!(score.examples(), 5);
    }

    #[test]
    fn slots_are_counted_over_sentences() {
        // Ada correct, Rome correct; rome inserted, may inserted; NATO deleted, Rome correct; McKay
        // deleted, Ada correct; Nothing deleted.
        let slots = score(&SENTENCES).all().slots(Matching::Spelling);
        assert_eq!(slots, Slots { correct: 4, substituted: 0, inserted: 2, deleted: 3 });
        // Under tags, McKay counts as lower case.
        let slots = score(&SENTENCES).all().slots(Matching::Tags);
        assert_eq!(slots, Slots { correct: 4, substituted: 0, inserted: 2, deleted: 2 });
    }

    #[test]
    fn a_word_that_is_not_scored_costs_nothing() {
        let mut unscored = example("May we go");
        unscored.gold[0].scored = false;
        let method = Titles(vec![]);
        let score = evaluate(&method, Request::default(), Protocol::Susanto, &[unscored]).unwrap();
        assert_eq!(score.all().tokens(), 2);
        assert_eq!(score.all().slots(Matching::Spelling), Slots::default());
    }

    #[test]
    fn the_most_frequent_error_comes_first() {
        let score = score(&["NATO may go", "NATO and UNO", "McKay"]);
        let words: Vec<_> = score
            .most_frequent_errors(Matching::Spelling, 10)
            .into_iter()
            .map(|(wrong, count)| (wrong.lower.to_string(), wrong.reference, wrong.hypothesis, count))
            .collect();
        let mckay = Case::of("McKay", Locale::Root);
        assert_eq!(
            words,
            [
                ("nato".into(), Case::Upper, Case::Lower, 2),
                ("may".into(), Case::Lower, Case::Title, 1),
                ("mckay".into(), mckay, Case::Lower, 1),
                ("uno".into(), Case::Upper, Case::Lower, 1),
            ]
        );
        assert_eq!(score.most_frequent_errors(Matching::Tags, 10).len(), 3);
        assert_eq!(score.most_frequent_errors(Matching::Tags, 1).len(), 1);
    }

    #[test]
    fn a_missing_choice_is_an_error() {
        let example = example("two words");
        let error =
            Score::default().add(&example.tokens, &example.gold, &[Choice::default()], |_| None).unwrap_err();
        assert!(error.to_string().contains("2 words, but 2 right labels and 1 choices"), "{error}");
    }

    #[test]
    fn a_corpus_scores_like_its_examples() {
        let text = "Ada saw Rome.\nThey may wait in Rome.\n".repeat(2000);
        let corpus = Corpus::of_text(&text, Reading::default(), Protocol::Batista, Locale::Root);
        let method = Titles(vec!["ada", "rome", "may"]);
        let score = evaluate_corpus(&method, Request::default(), &corpus).unwrap();
        let examples = corpus.examples().unwrap();
        assert_eq!(score, evaluate(&method, Request::default(), Protocol::Batista, &examples).unwrap());
        // Rome twice and may: two correct slots and one inserted each time.
        assert_eq!(
            score.all().slots(Matching::Spelling),
            Slots { correct: 4000, inserted: 2000, ..Slots::default() }
        );
    }

    /// A method that writes all words in title case if it is to predict sentence starts, as if each
    /// word began a sentence.
    struct Beginnings;

    impl Restorer for Beginnings {
        fn labels(&self) -> &Labels {
            static LABELS: std::sync::LazyLock<Labels> = std::sync::LazyLock::new(Labels::cases);
            &LABELS
        }

        fn look_ahead(&self) -> Option<usize> {
            Some(0)
        }

        fn has_probabilities(&self) -> bool {
            false
        }

        fn session(&self, request: Request) -> Box<dyn Session + '_> {
            Box::new(BeginningsSession(request.starts))
        }
    }

    struct BeginningsSession(SentenceStarts);

    impl Session for BeginningsSession {
        fn push(&mut self, tokens: &Tokens, _: Boundary, out: &mut Vec<Choice>) -> Result<()> {
            let case = if self.0 >= SentenceStarts::Predicted { Case::Title } else { Case::Lower };
            out.extend(tokens.iter().map(|_| Choice::from(Label::from(case))));
            Ok(())
        }
    }

    #[test]
    fn a_model_that_finds_beginnings_has_one_score_under_every_protocol() {
        let text = "Ada saw Rome.\nThey may wait in Rome.\n";
        for protocol in Protocol::ALL.into_iter().filter(|protocol| protocol.mark_convention().is_none()) {
            let corpus = Corpus::of_text(text, Reading::default(), protocol, Locale::Root);
            let score = evaluate_corpus(&Beginnings, Request::default(), &corpus).unwrap();
            for starts in [
                SentenceStarts::None,
                SentenceStarts::Marked,
                SentenceStarts::Predicted,
                SentenceStarts::EveryLine,
            ] {
                let request = Request { starts, ..Request::default() };
                let examples = corpus.examples().unwrap();
                assert_eq!(evaluate(&Beginnings, request, protocol, &examples).unwrap(), score, "{protocol}");
            }
            // Sentence starts are predicted only if sentences run together.
            let found = score.all().slots(Matching::Spelling).hypothesis() > 0;
            assert_eq!(found, protocol.runs_on(), "{protocol}");
        }
    }

    #[test]
    fn spellings_and_the_beginnings_of_sentences_are_scored_where_they_are_asked_for() {
        let text = "We saw it. Then McKay met NATO in New York.\n";
        let spellings = Spellings::read(b"McKay\nNew York\n", "my.words", Locale::Root).unwrap();
        for protocol in [Protocol::Text, Protocol::Rei, Protocol::Asr { window: Protocol::WINDOW }] {
            let corpus = Corpus::of_text(text, Reading::default(), protocol, Locale::Root);
            let corpus = corpus.with_spellings(spellings.clone());
            let errors = |start| {
                let (method, request) = (Titles(vec![]), Request::default());
                let score = evaluate_each(&method, request, start, &corpus, &mut |_, _, _| Ok(())).unwrap();
                let wrong = score.most_frequent_errors(Matching::Spelling, 9);
                wrong.into_iter().map(|(wrong, _)| wrong.lower.into_string()).collect::<Vec<_>>()
            };
            assert!(
                !errors(None).iter().any(|word| ["mckay", "new", "york"].contains(&word.as_str())),
                "{protocol}"
            );
            assert!(errors(None).contains(&"then".into()), "{protocol}");
            // If marks are removed, nothing shows the start of a sentence.
            let shows = protocol == Protocol::Text;
            assert_eq!(errors(Some(SentenceStart::Auto)).contains(&"then".into()), !shows, "{protocol}");
            assert!(errors(Some(SentenceStart::Never)).contains(&"then".into()), "{protocol}");
        }
    }

    /// A method that inserts a mark after words of its list, if it may insert that mark, and
    /// capitals after full stops.
    struct MarkingMethod(Labels, Vec<(&'static str, Mark)>);

    impl Restorer for MarkingMethod {
        fn labels(&self) -> &Labels {
            &self.0
        }

        fn look_ahead(&self) -> Option<usize> {
            Some(0)
        }

        fn has_probabilities(&self) -> bool {
            false
        }

        fn session(&self, request: Request) -> Box<dyn Session + '_> {
            Box::new(MarksSession(self, request, true))
        }
    }

    struct MarksSession<'a>(&'a MarkingMethod, Request, bool);

    impl Session for MarksSession<'_> {
        fn push(&mut self, tokens: &Tokens, _: Boundary, out: &mut Vec<Choice>) -> Result<()> {
            let Self(method, request, begins) = self;
            out.extend(tokens.iter().map(|(lower, _)| {
                let found = method.1.iter().find(|(word, _)| *word == lower).map(|(_, mark)| *mark);
                let mark = found.filter(|&mark| request.marks.has(mark)).unwrap_or_default();
                let case = if *begins { Case::Title } else { Case::Lower };
                *begins = mark.ends_sentence();
                Choice::from(Label { case, mark })
            }));
            Ok(())
        }
    }

    fn marks(list: &[(&'static str, Mark)]) -> MarkingMethod {
        let labels = list.iter().map(|&(_, mark)| (Class::Lower, mark)).chain([(Class::Lower, Mark::None)]);
        MarkingMethod(Labels::new(labels), list.to_vec())
    }

    #[test]
    fn marks_and_cases_of_one_output_are_scored_together() {
        let text = "Well, we met Rui: he left.\nDid she?\nYes!\n";
        let method = marks(&[
            ("well", Mark::Comma),
            ("rui", Mark::Period),
            ("left", Mark::Period),
            ("yes", Mark::Period),
        ]);
        let score = |protocol: &str| {
            let protocol = protocol.parse().unwrap();
            let corpus = Corpus::of_text(text, Reading::default(), protocol, Locale::Root);
            evaluate_corpus(&method, Request::default(), &corpus).map(|score| (score.slots(protocol), score))
        };
        // The comma, the full stop and the exclamation mark are right, the colon is a full stop and
        // the question mark is missing.
        let (slots, all) = score("iwslt").unwrap();
        assert_eq!(slots, Slots { correct: 3, substituted: 1, inserted: 0, deleted: 1 });
        // The ends after left and yes are right, after rui one is inserted, after she one deleted.
        assert_eq!(all.ends(), Slots { correct: 2, substituted: 0, inserted: 1, deleted: 1 });
        // Well and Did have their capitals, He has a superfluous one, Rui and Yes lack theirs.
        assert_eq!(
            all.all().slots(Matching::Tags),
            Slots { correct: 2, substituted: 0, inserted: 1, deleted: 2 }
        );
        let (slots, _) = score("punctuator2").unwrap();
        assert_eq!(slots, Slots { correct: 2, substituted: 2, inserted: 0, deleted: 1 });
        assert_eq!(score("segments").unwrap().0, all.ends());
        // Other protocols ask for no marks.
        assert_eq!(score("asr").unwrap().1.marks().slots(MarkSet::USUAL).hypothesis(), 0);
    }

    #[test]
    fn a_method_without_marks_is_told_what_it_lacks() {
        let score = |method: &dyn Restorer, protocol: &str| {
            let corpus =
                Corpus::of_text("We met.", Reading::default(), protocol.parse().unwrap(), Locale::Root);
            evaluate_corpus(method, Request::default(), &corpus).map_err(|error| error.to_string())
        };
        let (cases, ends) = (Titles(vec![]), marks(&[("met", Mark::SentenceEnd)]));
        let lacks = "but the protocol iwslt scores them: expected a model that was trained with marks";
        for method in [&cases as &dyn Restorer, &ends] {
            let error = score(method, "iwslt").unwrap_err();
            assert!(
                error.ends_with(&format!("the model does not insert punctuation marks, {lacks}")),
                "{error}"
            );
        }
        let error = score(&cases, "segments").unwrap_err();
        assert!(error.contains("does not predict sentence ends"), "{error}");
        assert!(score(&ends, "segments").is_ok());
    }

    #[test]
    fn nobody_knows_without_a_list_of_words() {
        let example = example("Ada");
        let mut score = Score::default();
        score.add(&example.tokens, &example.gold, &[Choice::default()], |_| None).unwrap();
        assert_eq!((score.seen(), score.unseen()), (None, None));
    }
}
