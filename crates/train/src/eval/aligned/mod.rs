//! Scores the transcript of a recogniser against a reference: words are aligned ignoring case, and capitals are scored
//! through the alignment.
//!
//! Words are read as under the protocol `asr`: without sentence ends, in one stream per recording. The marks after
//! words are counted separately. Hyphens also separate words, since some recognisers write hyphens where others write
//! spaces. Batista et al. 2007 name this as future work.
//!
//! The units of alignment and the costs are the same as in NIST's sclite (`network.rs`): utterances are aligned by
//! name, and a segment of a reference is aligned with the words whose midpoint in time is before the end of the
//! segment. Of several alternatives, the best one is chosen. A recording without names, times or alternatives is
//! aligned as a whole, by the fewest edits ([`align`](super::align)).

pub mod files;
mod network;
pub mod comparison;
pub mod report;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::{AddAssign, Range};
use std::slice;

use rustc_hash::{FxHashMap, FxHashSet};

use super::align::{Edit, align};
use super::marks::MarkConfusion;
use super::score::{Wrong, most_frequent};
use super::slots::{Confusion, Matching, Slots, ratio, sum};
use crate::corpus::Corpus;
use crate::corpus::marks::words_and_gaps;
use crate::corpus::protocol::mark_after;
use majuscule_base::error::Result;
use majuscule_format::{Utterance, UtterancePart};
use majuscule_text::restorer::{Request, Restorer};
use majuscule_text::sentence::Abbreviations;
use majuscule_text::tokenize::Capitalized;
use majuscule_text::{
    Break, Case, Constraint, Locale, Mark, RestoreOptions, SentenceStart, Spellings, Token, Tokens, resolve,
};
use network::{AlignedWords, AlignmentWord, Network};

/// The words of a recording, with their cases.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Transcript {
    /// The name of the recording and its channel, if the file has them.
    pub recording: Option<String>,
    /// All words, including the words of every alternative.
    words: Tokens,
    cases: Vec<Case>,
    /// The mark after each word.
    marks: Vec<Mark>,
    parts: Vec<TranscriptPart>,
    utterances: Vec<AlignedUtterance>,
    /// The distinct speakers and categories of utterances.
    groups: Vec<SpeechGroup>,
}

/// The speaker and the categories of utterances, if a transcript names them.
#[derive(Debug, Clone, PartialEq)]
struct SpeechGroup {
    speaker: Option<String>,
    categories: Vec<String>,
}

/// A part of a transcript: a word by its index, or a delimiter of alternatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TranscriptPart {
    Word(usize),
    Optional(usize),
    Open,
    Next,
    Close,
}

/// A part of a transcript with a name or with times.
#[derive(Debug, Clone, PartialEq)]
struct AlignedUtterance {
    name: Option<String>,
    /// The index of the utterance's group in the transcript.
    group: usize,
    times: Option<(f64, f64)>,
    is_segment: bool,
    is_ignored: bool,
    parts: Range<usize>,
}

impl Transcript {
    /// Reads the recordings of a corpus, in the order in which they begin. If the format names no
    /// recordings, there is only one. The names of recordings are unique, ignoring case.
    ///
    /// # Errors
    /// If a file cannot be read or violates its format.
    pub fn read(corpus: &Corpus) -> Result<Vec<Self>> {
        let mut transcripts: Vec<Self> = Vec::new();
        let mut at: FxHashMap<Option<String>, usize> = FxHashMap::default();
        let mut scratch = String::new();
        let abbreviations = Abbreviations::of(corpus.language());
        corpus.for_each_utterance(&mut |utterance| {
            let at = *at.entry(utterance.recording.as_deref().map(str::to_lowercase)).or_insert_with(|| {
                transcripts.push(Self { recording: utterance.recording.clone(), ..Self::default() });
                transcripts.len() - 1
            });
            transcripts[at].push(&utterance, corpus.locale(), abbreviations, &mut scratch);
            Ok(())
        })?;
        if transcripts.is_empty() {
            transcripts.push(Self::default());
        }
        Ok(transcripts)
    }

    /// Creates the transcript of a plain text.
    pub fn of_text(text: &str, locale: Locale) -> Self {
        let utterance = Utterance { parts: vec![UtterancePart::Text(text)], ..Utterance::default() };
        let mut transcript = Self::default();
        transcript.push(&utterance, locale, Abbreviations::of(""), &mut String::new());
        transcript
    }

    fn push(
        &mut self,
        utterance: &Utterance<'_>,
        locale: Locale,
        abbreviations: &Abbreviations,
        scratch: &mut String,
    ) {
        let Self { words, cases, marks, parts, .. } = self;
        let first = parts.len();
        for part in &utterance.parts {
            let (text, part): (_, fn(usize) -> TranscriptPart) = match *part {
                UtterancePart::Text(text) => (text, TranscriptPart::Word),
                UtterancePart::Optional(text) => (text, TranscriptPart::Optional),
                UtterancePart::Open => {
                    parts.push(TranscriptPart::Open);
                    continue;
                }
                UtterancePart::Next => {
                    parts.push(TranscriptPart::Next);
                    continue;
                }
                UtterancePart::Close => {
                    parts.push(TranscriptPart::Close);
                    continue;
                }
            };
            let first = words.len();
            words_and_gaps(text, locale, scratch, |gap, word| {
                if let Some(last) = words.len().checked_sub(1).filter(|_| words.len() > first) {
                    marks[last] = mark_after(words.lower(last), gap, word.is_some(), abbreviations);
                }
                let Some(word) = word else { return };
                let before = if words.is_empty() { Break::Document } else { Break::Space };
                parts.push(part(words.len()));
                words.push(word, locale, Token { before, ..Token::default() });
                cases.push(Case::of(word, locale));
                marks.push(Mark::None);
            });
        }
        let Utterance { name, speaker, times, is_segment, is_ignored, .. } = *utterance;
        let (name, parts) = (name.map(str::to_owned), first..parts.len());
        let categories = utterance.categories.iter().map(|&name| name.to_owned()).collect();
        let own = SpeechGroup { speaker: speaker.map(str::to_owned), categories };
        // Most utterances are in the latest group, where the search begins.
        let group = self.groups.iter().rposition(|group| *group == own).unwrap_or_else(|| {
            self.groups.push(own);
            self.groups.len() - 1
        });
        self.utterances.push(AlignedUtterance { name, group, times, is_segment, is_ignored, parts });
    }

    /// Returns the same words in the cases that a method chooses for them, and with its marks. The method sees the
    /// words as one stream with one alternative of each set; the words of the other alternatives are restored in
    /// further streams.
    ///
    /// # Errors
    /// If the method fails.
    pub fn restored(
        mut self,
        method: &dyn Restorer,
        request: Request,
        locale: Locale,
        spellings: &Spellings,
        kept: Capitalized,
    ) -> Result<Self> {
        let has = |lower: bool| self.cases.iter().any(|&case| (case == Case::Lower) == lower);
        let keeps = match kept {
            Capitalized::Keep => true,
            Capitalized::Ignore => false,
            Capitalized::Auto => has(true) && has(false),
        };
        // The words have no marks around them, so the method decides where sentences start.
        let options = RestoreOptions::default().sentence_start(SentenceStart::Never);
        /// The largest number of alternatives of a set that are restored in separate streams.
        const TURNS: usize = 8;
        let mut left: FxHashSet<usize> = (0..self.words.len()).collect();
        for turn in 0..=TURNS {
            if left.is_empty() {
                break;
            }
            let mut stream = self.stream(turn);
            if turn == TURNS || turn > 0 && !stream.iter().any(|word| left.contains(word)) {
                // Nested alternatives that no turn reaches are restored one after the other.
                stream = left.iter().copied().collect();
                stream.sort_unstable();
            }
            let mut words = Tokens::new();
            let mut source = String::new();
            for &word in &stream {
                let before = if words.is_empty() { Break::Document } else { Break::Space };
                let (start, lower) = (source.len() as u32, self.words.lower(word));
                source.extend([lower, " "]);
                words.push(
                    lower,
                    locale,
                    Token { before, source: start..start + lower.len() as u32, ..Token::default() },
                );
            }
            for (token, &word) in words.as_mut_slice().iter_mut().zip(&stream) {
                if keeps && self.cases[word] != Case::Lower {
                    token.constraint = Constraint::Kept(self.cases[word]);
                }
            }
            spellings.fix(source.as_bytes(), 0, true, &mut words);
            let choices = method.restore_batch(slice::from_ref(&words), request)?.pop().unwrap_or_default();
            for ((word, (lower, token)), choice) in stream.into_iter().zip(words.iter()).zip(choices) {
                if left.remove(&word) {
                    self.cases[word] = resolve(lower, token, &choice.into(), &options).case;
                    self.marks[word] = choice.label.mark;
                }
            }
        }
        Ok(self)
    }

    /// Returns the indices of the words of one stream. From each set of alternatives, the stream uses number `turn`,
    /// counted from 0, or the last one if there are fewer.
    fn stream(&self, turn: usize) -> Vec<usize> {
        let mut alternatives = self.alternatives().into_iter();
        // For each open set of alternatives: the alternative to use, the current one, and true if all enclosing sets
        // are in use.
        let mut open: Vec<(usize, usize, bool)> = Vec::new();
        let mut words = Vec::new();
        for part in &self.parts {
            let is_in = open.last().is_none_or(|&(wanted, at, around)| around && wanted == at);
            match *part {
                TranscriptPart::Open => {
                    open.push((turn.min(alternatives.next().unwrap_or(1) - 1), 0, is_in));
                }
                TranscriptPart::Next => open.iter_mut().rev().take(1).for_each(|(_, at, _)| *at += 1),
                TranscriptPart::Close => drop(open.pop()),
                TranscriptPart::Word(at) | TranscriptPart::Optional(at) => words.extend(is_in.then_some(at)),
            }
        }
        words
    }

    /// The number of alternatives of each set, in the order in which the sets begin.
    fn alternatives(&self) -> Vec<usize> {
        let (mut counts, mut open) = (Vec::new(), Vec::new());
        for part in &self.parts {
            match part {
                TranscriptPart::Open => {
                    open.push(counts.len());
                    counts.push(1);
                }
                TranscriptPart::Next => open.last().into_iter().for_each(|&set: &usize| counts[set] += 1),
                TranscriptPart::Close => drop(open.pop()),
                TranscriptPart::Word(_) | TranscriptPart::Optional(_) => {}
            }
        }
        counts
    }

    /// Returns true if the utterances have names.
    fn is_named(&self) -> bool {
        self.utterances.first().is_some_and(|utterance| utterance.name.is_some())
    }

    /// Builds a network from the words of utterances.
    fn network<'a>(
        &'a self,
        utterances: &[usize],
        locale: Locale,
        numbers: &mut FxHashMap<&'a str, u32>,
    ) -> Network<'a> {
        let mut network = Network::new();
        for utterance in
            utterances.iter().map(|&at| &self.utterances[at]).filter(|utterance| !utterance.is_ignored)
        {
            for part in &self.parts[utterance.parts.clone()] {
                let mut push = |at, optional| {
                    self.push_word((at, optional), utterance.group, locale, numbers, &mut network);
                };
                match *part {
                    TranscriptPart::Word(at) => push(at, false),
                    TranscriptPart::Optional(at) => push(at, true),
                    TranscriptPart::Open => network.open(),
                    TranscriptPart::Next => network.next(),
                    TranscriptPart::Close => network.close(),
                }
            }
        }
        network
    }

    /// Appends a word to a network. Words joined by hyphens become several words, each with its
    /// case.
    fn push_word<'a>(
        &'a self,
        (at, optional): (usize, bool),
        group: usize,
        locale: Locale,
        numbers: &mut FxHashMap<&'a str, u32>,
        network: &mut Network<'a>,
    ) {
        let (lower, case, mark) = (self.words.lower(at), self.cases[at], self.marks[at]);
        let spelled =
            if lower.contains('-') { Cow::Owned(case.applied(lower, locale)) } else { Cow::Borrowed("") };
        let mut spelled = spelled.split('-');
        let mut parts = lower.split('-').peekable();
        while let Some(lower) = parts.next() {
            let mark = if parts.peek().is_none() { mark } else { Mark::None };
            let case =
                spelled.next().filter(|part| !part.is_empty()).map_or(case, |part| Case::of(part, locale));
            let next = numbers.len() as u32;
            let number = *numbers.entry(lower).or_insert(next);
            network.push(AlignmentWord { lower, number, case, mark, group, optional });
        }
    }
}

/// The utterances of a reference and a hypothesis that are aligned with each other, and the utterances without a
/// partner.
#[derive(Debug, Default)]
struct Pairing {
    pairs: Vec<(Vec<usize>, Vec<usize>)>,
    /// True if the pairs are parts of a recording rather than all of it.
    is_parted: bool,
    only_reference: Vec<usize>,
    only_hypothesis: Vec<usize>,
}

impl Pairing {
    fn of(reference: &Transcript, hypothesis: &Transcript) -> Self {
        let is_timed = |one: &Transcript| one.utterances.iter().any(|utterance| utterance.times.is_some());
        if reference.is_named() && hypothesis.is_named() {
            Self::by_name(reference, hypothesis)
        } else if reference.utterances.iter().any(|utterance| utterance.is_segment) && is_timed(hypothesis) {
            Self::by_time(reference, hypothesis)
        } else {
            let whole = |one: &Transcript| (0..one.utterances.len()).collect();
            Self { pairs: vec![(whole(reference), whole(hypothesis))], ..Self::default() }
        }
    }

    /// Pairs utterances with the same name, ignoring case, in the order of the reference.
    fn by_name(reference: &Transcript, hypothesis: &Transcript) -> Self {
        let name =
            |utterance: &AlignedUtterance| utterance.name.as_deref().unwrap_or_default().to_lowercase();
        let mut named: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (at, utterance) in hypothesis.utterances.iter().enumerate().rev() {
            named.entry(name(utterance)).or_default().push(at);
        }
        let mut pairing = Self { is_parted: true, ..Self::default() };
        for (at, utterance) in reference.utterances.iter().enumerate() {
            match named.get_mut(&name(utterance)).and_then(Vec::pop) {
                Some(other) => pairing.pairs.push((vec![at], vec![other])),
                None => pairing.only_reference.push(at),
            }
        }
        pairing.only_hypothesis = named.into_values().flatten().collect();
        pairing.only_hypothesis.sort_unstable();
        pairing
    }

    /// Pairs segments, in the order of their start times, with words. Each segment receives the
    /// words whose midpoint in time is before its end and that no earlier segment has received; the
    /// last segment receives all remaining words. Words of an ignored segment are not aligned.
    fn by_time(reference: &Transcript, hypothesis: &Transcript) -> Self {
        let times = |at: usize| reference.utterances[at].times.unwrap_or_default();
        let mut segments: Vec<usize> = (0..reference.utterances.len()).collect();
        segments.sort_by(|&a, &b| times(a).0.total_cmp(&times(b).0));
        let mut groups = hypothesis.groups().into_iter().peekable();
        let mut pairing = Self { is_parted: true, ..Self::default() };
        for (position, &segment) in segments.iter().enumerate() {
            let is_last = position + 1 == segments.len();
            let mut words = Vec::new();
            while let Some((group, _)) = groups.next_if(|&(_, middle)| is_last || middle < times(segment).1) {
                words.extend(group);
            }
            if !reference.utterances[segment].is_ignored {
                pairing.pairs.push((vec![segment], words));
            }
        }
        pairing
    }
}

impl Transcript {
    /// Returns the utterances in groups, with a set of alternatives as one group. Each group has the latest midpoint
    /// in time of its utterances.
    fn groups(&self) -> Vec<(Range<usize>, f64)> {
        let mut groups: Vec<(Range<usize>, f64)> = Vec::new();
        let mut depth = 0;
        for (at, utterance) in self.utterances.iter().enumerate() {
            let middle = utterance.times.map_or(0.0, |(begin, end)| begin.midpoint(end));
            match groups.last_mut().filter(|_| depth > 0) {
                Some((group, latest)) => (group.end, *latest) = (at + 1, latest.max(middle)),
                None => groups.push((at..at + 1, middle)),
            }
            for part in &self.parts[utterance.parts.clone()] {
                match part {
                    TranscriptPart::Open => depth += 1,
                    TranscriptPart::Close => depth -= 1,
                    _ => {}
                }
            }
        }
        groups
    }
}

/// Aligns the words of a hypothesis with the words of its reference, ignoring case, and counts errors of words and of
/// cases.
///
/// ```
/// use majuscule_train::eval::Matching;
/// use majuscule_train::eval::aligned::{Transcript, score};
/// use majuscule_text::Locale;
///
/// let [reference, hypothesis] = ["We met Ana Reis in Porto.", "we met Ana rice in in Porto"]
///     .map(|text| Transcript::of_text(text, Locale::Root));
/// let score = score(&reference, &hypothesis, Locale::Root);
/// // Of six words one is substituted and one inserted.
/// assert_eq!(score.counts.words().ser(), Some(2.0 / 6.0));
/// // Of the slots We, Ana, Reis and Porto, two are missing: one at a word that was recognised.
/// assert_eq!(score.counts.all().slots(Matching::Spelling).deleted, 2);
/// assert_eq!(score.counts.recognised.slots(Matching::Spelling).deleted, 1);
/// ```
pub fn score(reference: &Transcript, hypothesis: &Transcript, locale: Locale) -> AlignedScore {
    score_pairs(reference, hypothesis, &Pairing::of(reference, hypothesis), locale)
}

/// The largest number of pairs of states in an alignment of networks, whose costs occupy 256 MB.
/// Larger networks are aligned by the fewest edits, with only the first alternative of each set.
const MAX_PAIRS: usize = 1 << 26;

fn score_pairs(
    reference: &Transcript,
    hypothesis: &Transcript,
    pairing: &Pairing,
    locale: Locale,
) -> AlignedScore {
    let mut score = AlignedScore::default();
    for (references, hypotheses) in &pairing.pairs {
        score.group = references.first().map_or(0, |&at| reference.utterances[at].group);
        let mut numbers = FxHashMap::default();
        let reference = reference.network(references, locale, &mut numbers);
        let hypothesis = hypothesis.network(hypotheses, locale, &mut numbers);
        let is_plain = reference.is_plain() && hypothesis.is_plain();
        let is_large = reference.states().saturating_mul(hypothesis.states()) > MAX_PAIRS;
        if is_large || is_plain && !pairing.is_parted {
            score.count_plain(&reference.first(), &hypothesis.first());
        } else {
            network::align(&reference, &hypothesis).into_iter().for_each(|pair| score.count(pair));
        }
    }
    score.sum_parts(reference);
    score
}

/// The counts of aligned words. The sum of the counts of two texts is the counts of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AlignedCounts {
    /// The words that the recogniser got right.
    pub recognised: Confusion,
    /// The words that were substituted. A slot is correct if both words have the same case.
    pub misrecognised: Confusion,
    /// The words of the reference that were deleted. They are scored as if the hypothesis had them
    /// in lower case, so a capital is a deleted slot.
    pub deleted: Confusion,
    /// The words that were inserted. They are scored as if the reference had them in lower case, so
    /// a capital is an inserted slot.
    pub inserted: Confusion,
    /// The number of optional words that only one side has. They are not errors: as in sclite, they count as
    /// recognised words of the reference. They are not slots.
    pub optional: u64,
    /// The words that were recognised and have the case and the mark of the reference.
    pub identical: u64,
    /// The marks after the words of both sides. A side that lacks a word has no mark there.
    pub marks: MarkConfusion,
}

impl AlignedCounts {
    fn add(&mut self, (reference, hypothesis): AlignedWords<'_>) {
        let seen = |word: Option<AlignmentWord<'_>>| {
            word.map_or((Case::Lower, Mark::None), |word| (word.case, word.mark))
        };
        let [(right, mark), (found, chosen)] = [reference, hypothesis].map(seen);
        let words = match (reference, hypothesis) {
            (Some(word), None) | (None, Some(word)) if word.optional => {
                self.optional += 1;
                return;
            }
            (Some(one), Some(other)) if one.number == other.number => {
                self.identical += u64::from((right, mark) == (found, chosen));
                &mut self.recognised
            }
            (Some(_), Some(_)) => &mut self.misrecognised,
            (_, None) => &mut self.deleted,
            (None, _) => &mut self.inserted,
        };
        words.add(right, found);
        self.marks.add(mark, chosen);
    }

    /// The cases of all words of both sides. Two aligned words count once.
    pub fn all(&self) -> Confusion {
        sum([self.recognised, self.misrecognised, self.deleted, self.inserted])
    }

    /// The words as slots, whatever their case: the slot error rate is the word error rate.
    pub fn words(&self) -> Slots {
        Slots {
            correct: self.recognised.tokens() + self.optional,
            substituted: self.misrecognised.tokens(),
            deleted: self.deleted.tokens(),
            inserted: self.inserted.tokens(),
        }
    }

    /// Returns the word error rate with case and marks: a recognised word with a different case or mark after it is
    /// also an error. The alignment is the same as for the word error rate.
    pub fn word_error_rate_with_case_and_marks(&self) -> Option<f64> {
        let words = self.words();
        ratio(words.errors() + self.recognised.tokens() - self.identical, words.reference())
    }
}

impl AddAssign<&Self> for AlignedCounts {
    fn add_assign(&mut self, other: &Self) {
        self.recognised += other.recognised;
        self.misrecognised += other.misrecognised;
        self.deleted += other.deleted;
        self.inserted += other.inserted;
        self.optional += other.optional;
        self.identical += other.identical;
        self.marks += other.marks;
    }
}

/// The counts of an aligned text, also by its parts. The sum of the scores of two recordings is the score of both.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AlignedScore {
    /// The counts of all words.
    pub counts: AlignedCounts,
    /// The counts of the speakers and of the categories of the reference, if it names them. A word that was
    /// inserted belongs to the utterance of the word before it.
    pub parts: [BTreeMap<String, AlignedCounts>; 2],
    /// The counts of the groups of utterances, while words are counted, and the group of the last word.
    groups: BTreeMap<usize, AlignedCounts>,
    group: usize,
    /// The words that were recognised but have the wrong case.
    wrong: FxHashMap<Wrong, u64>,
    /// The counts of each stretch of [`AlignedScore::STRETCH`] words of the reference; stretches are the units of
    /// resampling. Words that were inserted belong to the word before them.
    stretches: Vec<AlignedCounts>,
}

impl AlignedScore {
    /// The number of words of the reference in a stretch: as many as in a window of `asr`.
    pub const STRETCH: u64 = 200;

    /// The counts of the stretch that a word belongs to.
    fn stretch(&mut self, is_of_reference: bool) -> &mut AlignedCounts {
        let before = self.counts.words().reference() - self.counts.optional;
        let word = if is_of_reference { before } else { before.saturating_sub(1) };
        let at = (word / Self::STRETCH) as usize;
        if self.stretches.len() <= at {
            self.stretches.resize_with(at + 1, AlignedCounts::default);
        }
        &mut self.stretches[at]
    }

    /// Counts plain sequences of words, aligned by the fewest edits.
    fn count_plain(&mut self, reference: &[AlignmentWord<'_>], hypothesis: &[AlignmentWord<'_>]) {
        let numbers =
            |words: &[AlignmentWord<'_>]| -> Vec<u32> { words.iter().map(|word| word.number).collect() };
        let edits = align(&numbers(reference), &numbers(hypothesis));
        let (mut reference, mut hypothesis) = (reference.iter().copied(), hypothesis.iter().copied());
        for edit in edits {
            let one = if edit == Edit::Insert { None } else { reference.next() };
            self.count((one, if edit == Edit::Delete { None } else { hypothesis.next() }));
        }
    }

    fn count(&mut self, words: AlignedWords<'_>) {
        let (reference, hypothesis) = words;
        self.group = reference.map_or(self.group, |word| word.group);
        // The words before this one determine its stretch. An optional word counts as a word of the reference.
        let is_optional = hypothesis.is_some_and(|word| word.optional);
        self.stretch(reference.is_some() || is_optional).add(words);
        self.groups.entry(self.group).or_default().add(words);
        self.counts.add(words);
        if let (Some(word), Some(other)) = words
            && word.number == other.number
            && word.case != other.case
        {
            let wrong = Wrong { lower: word.lower.into(), reference: word.case, hypothesis: other.case };
            *self.wrong.entry(wrong).or_default() += 1;
        }
    }

    /// Adds the scores of the groups up by speakers and categories.
    fn sum_parts(&mut self, reference: &Transcript) {
        let [speakers, categories] = &mut self.parts;
        for (at, score) in std::mem::take(&mut self.groups) {
            let Some(group) = reference.groups.get(at) else { continue };
            if let Some(name) = &group.speaker {
                *speakers.entry(name.clone()).or_default() += &score;
            }
            for name in &group.categories {
                *categories.entry(name.clone()).or_default() += &score;
            }
        }
    }

    /// The most frequent errors of case on words that were recognised. See
    /// [`AlignedScore::most_frequent_errors`](super::Score::most_frequent_errors).
    pub fn most_frequent_errors(&self, matching: Matching, most: usize) -> Vec<(Wrong, u64)> {
        most_frequent(&self.wrong, matching, most)
    }
}

impl AddAssign<&Self> for AlignedScore {
    fn add_assign(&mut self, other: &Self) {
        self.counts += &other.counts;
        for (sum, parts) in self.parts.iter_mut().zip(&other.parts) {
            for (name, score) in parts {
                *sum.entry(name.clone()).or_default() += score;
            }
        }
        self.stretches.extend_from_slice(&other.stretches);
        for (wrong, count) in &other.wrong {
            *self.wrong.entry(wrong.clone()).or_default() += count;
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::corpus::{Protocol, Reading};
    use crate::eval::score::tests::Titles;
    use majuscule_format::Format;
    use majuscule_text::MarkSet;

    pub fn score_texts(reference: &str, hypothesis: &str) -> AlignedScore {
        let [reference, hypothesis] =
            [reference, hypothesis].map(|text| Transcript::of_text(text, Locale::Root));
        score(&reference, &hypothesis, Locale::Root)
    }

    fn slots(words: Confusion) -> Slots {
        words.slots(Matching::Spelling)
    }

    proptest! {
        #[test]
        fn a_text_against_itself_in_other_case_is_scored_word_by_word(text in "([A-Ca-c]{1,3}[ -]?){0,30}") {
            let score = score_texts(&text, &text.to_lowercase());
            prop_assert_eq!(score.counts.words().reference(), score.counts.recognised.tokens());
            prop_assert_eq!(score.counts.words().hypothesis(), score.counts.recognised.tokens());
            prop_assert_eq!(slots(score.counts.all()).deleted, slots(score.counts.all()).reference());
            prop_assert_eq!(slots(score_texts(&text, &text).counts.all()).errors(), 0);
        }

        #[test]
        fn every_word_of_both_sides_counts_once(reference in "([A-Ca-c]{1,2} ){0,20}", hypothesis in "([A-Ca-c]{1,2} ){0,20}") {
            let score = score_texts(&reference, &hypothesis);
            prop_assert_eq!(score.counts.words().reference(), reference.split_whitespace().count() as u64);
            prop_assert_eq!(score.counts.words().hypothesis(), hypothesis.split_whitespace().count() as u64);
            let capitals = |text: &str| text.split_whitespace().filter(|word| **word != word.to_lowercase()).count();
            let slots = slots(score.counts.all());
            prop_assert_eq!(slots.reference(), capitals(&reference) as u64);
            prop_assert_eq!(slots.hypothesis(), capitals(&hypothesis) as u64);
        }
    }

    #[test]
    fn a_word_that_one_side_lacks_has_no_mark_and_no_capital_there() {
        let score = score_texts("Met. Ana, left", "uh uh Met. left");
        let usual = |words: &MarkConfusion| words.slots(MarkSet::USUAL);
        // The stop beside the inserted words counts once, and Ana with her comma is deleted.
        let marks = Slots { correct: 1, deleted: 1, ..Slots::default() };
        assert_eq!((usual(&score.counts.marks), score.counts.marks.tokens()), (marks, 5));
        let [stretch] = &score.stretches[..] else { panic!("one stretch") };
        assert_eq!((usual(&stretch.marks), slots(stretch.all())), (marks, slots(score.counts.all())));
    }

    #[test]
    fn capitals_are_counted_by_what_became_of_their_words() {
        // The: deleted with its word. Ana: right. Reis, rice: substituted, its capital lost. Porto,
        // Oporto: another word with the same case. NATO, Nato: recognised, but with another
        // capital. Uh: inserted.
        let score = score_texts(
            "The day Ana Reis saw Porto and NATO left",
            "day Ana rice saw Oporto and Nato Uh left",
        );
        let counts = [
            score.counts.recognised,
            score.counts.misrecognised,
            score.counts.deleted,
            score.counts.inserted,
        ]
        .map(|words| words.tokens());
        assert_eq!(counts, [6, 2, 1, 1]);
        assert_eq!(slots(score.counts.recognised), Slots { correct: 1, substituted: 1, ..Slots::default() });
        assert_eq!(slots(score.counts.misrecognised), Slots { correct: 1, deleted: 1, ..Slots::default() });
        assert_eq!(slots(score.counts.deleted), Slots { deleted: 1, ..Slots::default() });
        assert_eq!(slots(score.counts.inserted), Slots { inserted: 1, ..Slots::default() });
        assert_eq!(slots(score.counts.all()), Slots { correct: 2, substituted: 1, inserted: 1, deleted: 2 });
        assert_eq!(score.counts.words().ser(), Some(4.0 / 9.0));
        let errors = score.most_frequent_errors(Matching::Spelling, 5);
        assert_eq!(
            errors.iter().map(|(wrong, count)| (&*wrong.lower, *count)).collect::<Vec<_>>(),
            [("nato", 1)]
        );
    }

    #[test]
    fn a_word_with_another_case_or_mark_is_an_error_where_these_are_parts_of_it() {
        // ana: its capital lost; Porto: its mark lost; left: another mark; rain: substituted.
        let score = score_texts(
            "We met Ana in Porto, and she left. It rained",
            "We met ana in Porto and she left, It rain",
        );
        assert_eq!((score.counts.recognised.tokens(), score.counts.identical), (9, 6));
        assert_eq!(score.counts.words().ser(), Some(0.1));
        assert_eq!(score.counts.word_error_rate_with_case_and_marks(), Some(0.4));
        assert_eq!(
            score_texts("We met, Ana.", "We met, Ana.").counts.word_error_rate_with_case_and_marks(),
            Some(0.0)
        );
    }

    #[test]
    fn words_belong_to_the_speakers_and_categories_of_their_utterances() {
        let stm = "a 1 ana 0 2 <o,f0> We met Rui\na 1 rui 2 4 <o,f1> Yes in Porto\na 1 ana 4 6 <o,f0> Good\n";
        let corpus = |text: &str, format| {
            let reading = Reading { format, ..Reading::default() };
            Transcript::read(&Corpus::of_text(text, reading, Protocol::default(), Locale::Root))
                .unwrap()
                .remove(0)
        };
        let reference = corpus(stm, Format::Stm);
        let spoken = "we met Rui uh yes Porto good";
        let timed = |(word, at): (&str, u32)| format!("a 1 {:.1} 0.1 {word}\n", f64::from(at) * 0.7);
        let ctm: String = spoken.split(' ').zip(0..).map(timed).collect();
        // With times, the inserted word is the first of the second segment.
        for (hypothesis, expected) in [
            (corpus(spoken, Format::Text), [[4, 0, 0, 1], [2, 0, 1, 0]]),
            (corpus(&ctm, Format::Ctm), [[4, 0, 0, 0], [2, 0, 1, 1]]),
        ] {
            let score = score(&reference, &hypothesis, Locale::Root);
            let [speakers, categories] = &score.parts;
            let counts = |part: &AlignedCounts| {
                [part.recognised, part.misrecognised, part.deleted, part.inserted].map(|words| words.tokens())
            };
            assert_eq!(speakers.keys().collect::<Vec<_>>(), ["ana", "rui"]);
            assert_eq!([counts(&speakers["ana"]), counts(&speakers["rui"])], expected);
            assert_eq!(counts(&categories["f0"]), counts(&speakers["ana"]));
            assert_eq!(categories["o"].words().reference(), score.counts.words().reference());
            assert_eq!(categories["o"].words().ser(), score.counts.words().ser());
        }
        // An optional word of the hypothesis belongs to the speaker of the reference, too.
        let hypothesis = corpus("a 1 x 0 1 <o> We\na 1 y 1 2 <o> met Rui (uh)\n", Format::Stm);
        let score = score(&reference, &hypothesis, Locale::Root);
        assert_eq!((score.counts.optional, score.parts[0]["ana"].optional), (1, 1));
    }

    #[test]
    fn case_marks_and_hyphens_part_no_words_from_each_other() {
        let score = score_texts("Jan-San, the U.S. e-commerce…", "jan san the us E-Commerce");
        assert_eq!((score.counts.words().ser(), score.counts.recognised.tokens()), (Some(0.0), 6));
        // Jan, San and US are lost; E and Commerce are inserted.
        assert_eq!(slots(score.counts.all()), Slots { inserted: 2, deleted: 3, ..Slots::default() });
    }

    #[test]
    fn a_method_sees_the_words_of_the_hypothesis_and_not_their_case() {
        let method = Titles(vec!["ana", "rice"]);
        let reference = Transcript::of_text("Ana Reis left", Locale::Root);
        for hypothesis in ["ana rice left", "ANA RICE LEFT."] {
            let hypothesis = Transcript::of_text(hypothesis, Locale::Root)
                .restored(
                    &method,
                    Request::default(),
                    Locale::Root,
                    &Spellings::default(),
                    Capitalized::Ignore,
                )
                .unwrap();
            let score = score(&reference, &hypothesis, Locale::Root);
            assert_eq!(slots(score.counts.recognised), Slots { correct: 1, ..Slots::default() });
            assert_eq!(slots(score.counts.misrecognised), Slots { correct: 1, ..Slots::default() });
        }
    }

    fn transcript(format: Format, file: &str) -> Transcript {
        let reading = Reading { format, ..Reading::default() };
        let corpus = Corpus::of_text(file, reading, Protocol::default(), Locale::Root);
        Transcript::read(&corpus).unwrap().remove(0)
    }

    /// The numbers of recognised, misrecognised, deleted and inserted words.
    fn counted(reference: &Transcript, hypothesis: &Transcript) -> [u64; 4] {
        let score = score(reference, hypothesis, Locale::Root);
        let counts = [
            score.counts.recognised,
            score.counts.misrecognised,
            score.counts.deleted,
            score.counts.inserted,
        ];
        let mut counts = counts.map(|words| words.tokens());
        counts[0] += score.counts.optional;
        counts
    }

    fn utterances(reference: &str, hypothesis: &str) -> [u64; 4] {
        counted(&transcript(Format::Trn, reference), &transcript(Format::Trn, hypothesis))
    }

    fn segments(reference: &str, hypothesis: &str) -> [u64; 4] {
        counted(&transcript(Format::Stm, reference), &transcript(Format::Ctm, hypothesis))
    }

    #[test]
    fn utterances_are_paired_by_their_names_in_any_order() {
        let reference = "We met Ana (x-1)\nshe left Porto (x-2)\nno one (x-3)\n";
        assert_eq!(
            utterances(reference, "she left Porto (X-2)\nwe met Ana (x-1)\nwhat (x-4)\n"),
            [6, 0, 0, 0]
        );
    }

    #[test]
    fn of_alternatives_the_best_is_taken() {
        for (hypothesis, counts) in [
            ("so we are here", [4, 0, 0, 0]),
            ("we were here", [3, 0, 0, 0]),
            ("um we are here", [3, 0, 0, 1]),
            ("we've been here", [3, 0, 0, 0]),
            ("we have been there", [3, 1, 0, 0]),
        ] {
            let reference = "{ so / @ } {we {are/were}/we've been/we have been} here (x-1)";
            assert_eq!(utterances(reference, &format!("{hypothesis} (x-1)")), counts, "{hypothesis}");
        }
        let hypothesis = "r A * * <ALT_BEGIN>\nr A 0 1 Anna\nr A * * <ALT>\nr A 0 1 Ana\nr A * * <ALT_END>\nr A 1 1 left\n";
        assert_eq!(segments("r A x 0 2 Ana left\n", hypothesis), [2, 0, 0, 0]);
        // Within a stream too.
        assert_eq!(
            counted(&transcript(Format::Text, "Ana left"), &transcript(Format::Ctm, hypothesis)),
            [2, 0, 0, 0]
        );
    }

    #[test]
    fn optional_words_are_no_errors_where_they_are_left_out() {
        assert_eq!(utterances("we (uh) met Ana (x-1)", "we met Ana (x-1)"), [4, 0, 0, 0]);
        assert_eq!(utterances("we (uh) met Ana (x-1)", "we uh met Ana (x-1)"), [4, 0, 0, 0]);
        assert_eq!(utterances("we met Ana (x-1)", "we (uh) met (x-1)"), [3, 0, 1, 0]);
        let optional = score(
            &transcript(Format::Trn, "We (Uh) met (x-1)"),
            &transcript(Format::Trn, "We met (x-1)"),
            Locale::Root,
        );
        assert_eq!((slots(optional.counts.all()).reference(), optional.counts.words().ser()), (1, Some(0.0)));
    }

    #[test]
    fn words_are_scored_in_the_segment_of_their_time() {
        let heard = |words: &[(&str, f64)]| -> String {
            words.iter().map(|(word, at)| format!("r A {at} 0.2 {word}\n")).collect()
        };
        // The same word in another segment is not a match.
        let reference = "r A x 2 4 we left\nr A x 0 2 Ana left\n";
        assert_eq!(segments(reference, &heard(&[("Ana", 0.1), ("we", 2.5), ("left", 3.0)])), [3, 0, 1, 0]);
        // Words heard in an ignored segment cost nothing, in whatever case its label is written.
        for ignored in ["IGNORE_TIME_SEGMENT_IN_SCORING", "ignoretimesegmentinscoring"] {
            let reference = format!("r A x 0 2 Ana left\nr A x 2 4 {ignored}\nr A x 4 6 so\n");
            let heard =
                heard(&[("Ana", 0.1), ("left", 1.0), ("what", 2.5), ("ever", 3.0), ("so", 4.5), ("on", 9.0)]);
            assert_eq!(segments(&reference, &heard), [3, 0, 0, 1]);
        }
        // A time just below 0 counts as 0.
        assert_eq!(segments("r A x 0 2 Ana\n", "r A 1.01 -0.01 ana\n"), [1, 0, 0, 0]);
    }

    #[test]
    fn two_words_that_differ_cost_less_than_two_that_stand_alone() {
        // Three substitutions cost as much as two deletions and two insertions, and win the tie.
        // Four cost more.
        assert_eq!(utterances("a b c (x-1)", "d e a (x-1)"), [0, 3, 0, 0]);
        assert_eq!(utterances("a b c d (x-1)", "b c d e (x-1)"), [3, 0, 1, 1]);
    }

    #[test]
    fn a_hypothesis_that_is_empty_or_wholly_wrong_has_a_score() {
        assert_eq!(utterances("we met Ana (x-1)", "(x-1)"), [0, 0, 3, 0]);
        assert_eq!(utterances("we met Ana (x-1)", ""), [0, 0, 3, 0]);
        assert_eq!(utterances("we met Ana (x-1)", "no (x-1)"), [0, 1, 2, 0]);
        assert_eq!(segments("r A x 0 2 Ana left\n", ""), [0, 0, 2, 0]);
    }

    #[test]
    fn a_method_chooses_for_the_words_of_every_alternative() {
        let method = Titles(vec!["ana", "anna", "hannah"]);
        let hypothesis = transcript(Format::Trn, "{ anna / { hannah / ana } } left (x-1)");
        let hypothesis = hypothesis
            .restored(&method, Request::default(), Locale::Root, &Spellings::default(), Capitalized::Ignore)
            .unwrap();
        for reference in ["Anna left (x-1)", "Hannah left (x-1)", "Ana left (x-1)"] {
            let score = score(&transcript(Format::Trn, reference), &hypothesis, Locale::Root);
            assert_eq!(
                slots(score.counts.recognised),
                Slots { correct: 1, ..Slots::default() },
                "{reference}"
            );
        }
    }

    #[test]
    fn spellings_and_capitals_that_are_kept_win() {
        let restored = |text: &str, kept| {
            let spellings = Spellings::read(b"New York\n", "my.words", Locale::Root).unwrap();
            let method = Titles(vec!["ana"]);
            let text = Transcript::of_text(text, Locale::Root);
            let text = text.restored(&method, Request::default(), Locale::Root, &spellings, kept).unwrap();
            let words = text.words.iter().zip(&text.cases);
            words.map(|((lower, _), case)| case.applied(lower, Locale::Root)).collect::<Vec<_>>().join(" ")
        };
        let text = "ana Saw new york";
        assert_eq!(restored(text, Capitalized::Ignore), "Ana saw New York");
        assert_eq!(restored(text, Capitalized::Auto), "Ana Saw New York");
        assert_eq!(restored("ANA SAW", Capitalized::Auto), "Ana saw");
        assert_eq!(restored("ANA SAW", Capitalized::Keep), "ANA SAW");
    }

    #[test]
    fn recordings_are_told_apart() {
        let file = "two A 0 1 So\none A 0 1 Yes\nTwo a 1 1 it\ntwo B 0 1 No\n";
        let reading = Reading { format: Format::Ctm, ..Reading::default() };
        let corpus = Corpus::of_text(file, reading, Protocol::default(), Locale::Root);
        let found = Transcript::read(&corpus).unwrap();
        let found: Vec<_> = found.iter().map(|one| (one.recording.as_deref(), one.words.len())).collect();
        assert_eq!(found, [(Some("two A"), 2), (Some("one A"), 1), (Some("two B"), 1)]);
    }
}
