//! Decides for each sentence of a text whether it begins a paragraph.
//!
//! A logistic regression weighs the length of the paragraph so far, the first words of the sentence, the lengths of
//! the sentences around the gap, and the lexical cohesion of the text on either side: the cosine of blocks in Hearst
//! 1997 (lexical score determination). In her method, a block is a fixed number of words, and a boundary is a local
//! minimum of cohesion. In this module, a block is a number of sentences, and cohesion is one of several features.
//! Their weights are learned on texts with paragraphs (`lm/paragraphs.py`).

use std::collections::VecDeque;
use std::sync::LazyLock;
use std::time::Duration;

use majuscule_base::bytes::hash::wyhash;
use rustc_hash::FxHashMap;

/// The number of sentences on either side of a gap whose cohesion counts.
const BLOCK: usize = 3;

/// The largest number of words of a block that count. A decision waits for at most this many words.
const WINDOW: usize = 96;

/// A paragraph of at least this many words ends at the next sentence end.
const LONGEST: usize = 400;

/// The fewest words of a paragraph, unless the source has a shorter one.
const SHORTEST: usize = 5;

/// Cohesion counts words of at least `CONTENT` characters, and compares their first `STEM` characters: a simple
/// stemmer that needs no list of function words.
const CONTENT: usize = 5;
const STEM: usize = 6;

/// The weight of each second beyond an ordinary pause. It is chosen, not learned: no text with paragraphs has times.
const PAUSE_WEIGHT: f64 = 1.0;
const ORDINARY_PAUSE: f64 = 0.5;
const LONGEST_PAUSE: f64 = 3.0;

/// The numbers of words of a paragraph, and of a sentence, with a learned weight; others are interpolated linearly.
const PARAGRAPH_WORDS: [usize; 7] = [0, 8, 24, 56, 120, 248, 504];
const SENTENCE_WORDS: [usize; 6] = [0, 4, 8, 16, 32, 64];

/// The gap before a sentence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SentenceGap {
    /// A paragraph always begins here: at the start of the text, of another speaker's turn, or of a paragraph of the
    /// source.
    Paragraph,
    /// Another sentence ended here, and a paragraph may begin.
    Sentence {
        /// True if the sentence before the gap was a question.
        asked: bool,
        /// The pause between the two sentences, if their times are known.
        pause: Option<Duration>,
    },
}

/// Divides sentences into paragraphs.
///
/// [`Self::begin`] begins each sentence, and [`Self::push`] adds its words. [`Self::decide`] returns, for one
/// sentence after the other, whether a paragraph begins there. A decision needs three sentences of right context, or
/// 96 words if that is less. The divider keeps as much left context, and needs the same time for each word.
/// Paragraphs in its input at the positions where it would begin them change no decision, so dividing a divided text
/// changes nothing.
///
/// ```
/// use majuscule_text::paragraphs::{ParagraphDivider, SentenceGap};
///
/// let mut divider = ParagraphDivider::new("en");
/// divider.begin(SentenceGap::Paragraph);
/// ["we", "met", "in", "lisbon"].into_iter().for_each(|word| divider.push(word));
/// assert_eq!(divider.decide(), Some(true));
/// divider.begin(SentenceGap::Sentence { asked: false, pause: None });
/// divider.push("it");
/// assert_eq!(divider.decide(), None);
/// divider.finish();
/// assert_eq!(divider.decide(), Some(false));
/// ```
#[derive(Debug, Clone)]
pub struct ParagraphDivider {
    openings: &'static OpeningWeights,
    /// The sentences of the left context, then the sentences without a decision. The last sentence may still get
    /// words.
    sentences: VecDeque<SentenceFacts>,
    /// The number of sentences with a decision.
    decided: usize,
    /// The numbers of words and sentences of the paragraph so far, without the last sentence that has a decision.
    words: usize,
    count: usize,
    /// True if the sentences so far are complete.
    is_whole: bool,
}

/// The facts about a sentence that decisions depend on.
#[derive(Debug, Clone)]
struct SentenceFacts {
    gap: SentenceGap,
    words: usize,
    /// The weight of its first two words.
    opening: f64,
    /// The hashes of the stems among its first words, each with the number of words before the stem.
    stems: Vec<(usize, u64)>,
}

impl ParagraphDivider {
    /// Makes a divider for a language tag. A language without opening words has only the weights that all languages
    /// share.
    pub fn new(language: &str) -> Self {
        let primary = language.split(['-', '_']).next().unwrap_or_default();
        let openings = WEIGHTS.openings.get(primary).unwrap_or(&WEIGHTS.no_openings);
        Self { openings, sentences: VecDeque::new(), decided: 0, words: 0, count: 0, is_whole: false }
    }

    /// Begins a sentence.
    pub fn begin(&mut self, gap: SentenceGap) {
        self.is_whole = false;
        self.sentences.push_back(SentenceFacts { gap, words: 0, opening: 0.0, stems: Vec::new() });
    }

    /// Adds a word in lower case to the last sentence.
    pub fn push(&mut self, word: &str) {
        let Some(sentence) = self.sentences.back_mut() else { return };
        if let Some(weights) = self.openings.0.get(sentence.words) {
            sentence.opening += weights.get(word).copied().unwrap_or_default();
        }
        if sentence.words < WINDOW
            && let Some(stem) = stem(word)
        {
            sentence.stems.push((sentence.words, wyhash(stem.as_bytes(), 0)));
        }
        sentence.words += 1;
    }

    /// Marks the sentences so far as complete, so that they are decided with the context that has arrived.
    pub fn finish(&mut self) {
        self.is_whole = true;
    }

    /// Returns true if a paragraph begins with the first sentence that has no decision yet, and false if the
    /// paragraph continues; `None` if that depends on text that has not arrived.
    pub fn decide(&mut self) -> Option<bool> {
        let at = self.decided;
        let gap = self.sentences.get(at)?.gap;
        if matches!(gap, SentenceGap::Sentence { .. }) && !self.is_whole && !self.has_right_context() {
            return None;
        }
        if at > 0 {
            self.words += self.sentences[at - 1].words;
            self.count += 1;
        }
        let begins = match gap {
            SentenceGap::Sentence { .. } if at > 0 && self.words < LONGEST => {
                self.words >= SHORTEST && self.rest(at) >= SHORTEST && self.score(at) > 0.0
            }
            _ => true,
        };
        if begins {
            (self.words, self.count) = (0, 0);
        }
        self.decided += 1;
        if self.decided > BLOCK {
            self.sentences.pop_front();
            self.decided -= 1;
        }
        Some(begins)
    }

    /// Returns true if the sentences without a decision are enough right context.
    fn has_right_context(&self) -> bool {
        let words = self.sentences.range(self.decided..).map(|sentence| sentence.words).sum::<usize>();
        words >= WINDOW || self.sentences.len() > self.decided + BLOCK
    }

    /// Returns the number of words from sentence `at` to the next certain start of a paragraph, within a block.
    fn rest(&self, at: usize) -> usize {
        let block = self.sentences.range(at..).take(BLOCK).enumerate();
        let rest =
            block.take_while(|(after, sentence)| *after == 0 || sentence.gap != SentenceGap::Paragraph);
        rest.map(|(_, sentence)| sentence.words).sum()
    }

    /// Returns the log-odds that a paragraph begins with sentence `at`, which is not the first. If they are not
    /// positive, the result may be an upper bound that is not positive either.
    fn score(&self, at: usize) -> f64 {
        let (last, next) = (&self.sentences[at - 1], &self.sentences[at]);
        let SentenceGap::Sentence { asked, pause } = next.gap else { return f64::INFINITY };
        let mut score = WEIGHTS.bias + next.opening + if asked { WEIGHTS.asked } else { 0.0 };
        score += between(&PARAGRAPH_WORDS, &WEIGHTS.words, self.words);
        score += WEIGHTS.sentences[self.count.min(WEIGHTS.sentences.len()) - 1];
        score += between(&SENTENCE_WORDS, &WEIGHTS.last, last.words);
        score += between(&SENTENCE_WORDS, &WEIGHTS.next, next.words);
        if let Some(pause) = pause {
            score += PAUSE_WEIGHT * (pause.as_secs_f64().min(LONGEST_PAUSE) - ORDINARY_PAUSE);
        }
        for (sentences, weight) in [1, BLOCK].into_iter().zip(WEIGHTS.cohesion) {
            // Cohesion is never negative: it cannot raise this score.
            if score <= 0.0 && weight <= 0.0 {
                break;
            }
            let left = self.sentences.range(at.saturating_sub(sentences)..at).rev();
            let right = self.sentences.range(at..).take(sentences);
            score += weight * cosine(&mut stems_of(left), &mut stems_of(right));
        }
        score
    }
}

/// Returns the stems of a block of sentences; `sentences` starts at the gap.
fn stems_of<'a>(sentences: impl Iterator<Item = &'a SentenceFacts>) -> Vec<u64> {
    let (mut stems, mut words) = (Vec::new(), 0);
    for sentence in sentences {
        let seen = sentence.stems.iter().take_while(|(before, _)| words + before < WINDOW);
        stems.extend(seen.map(|(_, stem)| *stem));
        words += sentence.words;
    }
    stems
}

/// Returns the stem of a word; `None` if the word is too short to count for cohesion.
fn stem(word: &str) -> Option<&str> {
    word.chars().nth(CONTENT - 1)?;
    Some(word.char_indices().nth(STEM).map_or(word, |(end, _)| &word[..end]))
}

/// Returns the cosine similarity of two lists as vectors of counts; 0 if one is empty.
fn cosine(left: &mut [u64], right: &mut [u64]) -> f64 {
    [&mut *left, &mut *right].into_iter().for_each(<[u64]>::sort_unstable);
    let [squares, others] = [&*left, &*right]
        .map(|side| side.chunk_by(|a, b| a == b).map(|run| run.len() * run.len()).sum::<usize>());
    let mut runs = right.chunk_by(|a, b| a == b).peekable();
    let mut product = 0;
    for run in left.chunk_by(|a, b| a == b) {
        while runs.next_if(|other| other[0] < run[0]).is_some() {}
        product += runs.next_if(|other| other[0] == run[0]).map_or(0, |other| run.len() * other.len());
    }
    if product == 0 { 0.0 } else { product as f64 / ((squares * others) as f64).sqrt() }
}

/// Returns the weight at `x`, interpolated linearly between the weights at the nearest points.
fn between<const N: usize>(points: &[usize; N], weights: &[f64; N], x: usize) -> f64 {
    let above = points.partition_point(|&point| point <= x);
    if above == N {
        return weights[N - 1];
    }
    let (start, end) = (points[above - 1], points[above]);
    let part = (x - start) as f64 / (end - start) as f64;
    weights[above - 1] * (1.0 - part) + weights[above] * part
}

/// The weights, in log-odds.
#[derive(Debug, Default)]
struct ParagraphWeights {
    bias: f64,
    /// For a question before the gap.
    asked: f64,
    /// For the words of the paragraph so far.
    words: [f64; PARAGRAPH_WORDS.len()],
    /// For one, two, three, and four or more sentences so far.
    sentences: [f64; 4],
    /// For the words of the sentence before the gap, and after it.
    last: [f64; SENTENCE_WORDS.len()],
    next: [f64; SENTENCE_WORDS.len()],
    /// For the cohesion of one sentence and of [`BLOCK`] sentences on either side.
    cohesion: [f64; 2],
    openings: FxHashMap<&'static str, OpeningWeights>,
    no_openings: OpeningWeights,
}

/// The weights of the first and of the second word of a sentence.
#[derive(Debug, Default)]
struct OpeningWeights([FxHashMap<&'static str, f64>; 2]);

static WEIGHTS: LazyLock<ParagraphWeights> =
    LazyLock::new(|| ParagraphWeights::read(include_str!("paragraphs.txt")));

impl ParagraphWeights {
    /// Reads lines with a name, a tab and weights in hundredths. For opening words, the name is a language tag and
    /// the position of the word in its sentence, such as `en.1`, and each weight follows its word.
    fn read(text: &'static str) -> Self {
        let mut all = Self::default();
        for (name, values) in text.lines().filter_map(|line| line.split_once('\t')) {
            let mut fields = values.split(' ');
            let number = |field: &str| field.parse::<f64>().map_or(f64::NAN, |hundredths| hundredths / 100.0);
            if let Some((tag, place)) = name.split_once('.') {
                let words = &mut all.openings.entry(tag).or_default().0[usize::from(place == "2")];
                while let (Some(word), Some(weight)) = (fields.next(), fields.next()) {
                    words.insert(word, number(weight));
                }
                continue;
            }
            let places: &mut [f64] = match name {
                "bias" => std::slice::from_mut(&mut all.bias),
                "asked" => std::slice::from_mut(&mut all.asked),
                "words" => &mut all.words,
                "sentences" => &mut all.sentences,
                "last" => &mut all.last,
                "next" => &mut all.next,
                "cohesion" => &mut all.cohesion,
                _ => continue,
            };
            places.iter_mut().zip(fields).for_each(|(place, field)| *place = number(field));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LONG: Duration = Duration::from_secs(9);
    const OPEN: SentenceGap = SentenceGap::Sentence { asked: false, pause: None };

    fn begin(divider: &mut ParagraphDivider, gap: SentenceGap, sentence: &str) {
        divider.begin(gap);
        sentence.split_whitespace().for_each(|word| divider.push(word));
    }

    /// Divides sentences, and checks that no decision depends on when it is asked for.
    fn divided(language: &str, sentences: &[(SentenceGap, String)]) -> Vec<bool> {
        let [mut late, mut early] = [(); 2].map(|()| ParagraphDivider::new(language));
        let mut answers = Vec::new();
        for (gap, sentence) in sentences {
            begin(&mut late, *gap, sentence);
            begin(&mut early, *gap, sentence);
            answers.extend(std::iter::from_fn(|| early.decide()));
        }
        late.finish();
        early.finish();
        answers.extend(std::iter::from_fn(|| early.decide()));
        assert_eq!(std::iter::from_fn(|| late.decide()).collect::<Vec<_>>(), answers);
        answers
    }

    fn open_gaps(sentences: &[&str]) -> Vec<(SentenceGap, String)> {
        sentences.iter().map(|&sentence| (OPEN, sentence.to_owned())).collect()
    }

    proptest! {
        #[test]
        fn dividing_a_divided_text_changes_nothing(
            sentences in prop::collection::vec((any::<bool>(), "((so|now|he|lisbon|harbour|boats) ?){1,30}"), 0..30),
            language in "en|nl|xx|mul|",
        ) {
            let gap = |begins: bool| if begins { SentenceGap::Paragraph } else { OPEN };
            let sentences: Vec<_> = sentences
                .into_iter()
                .map(|(begins, sentence)| (gap(begins && sentence.len() % 5 == 0), sentence))
                .collect();
            let once = divided(&language, &sentences);
            prop_assert_eq!(once.len(), sentences.len());
            let again: Vec<_> = sentences.into_iter().zip(&once).map(|((_, s), &begins)| (gap(begins), s)).collect();
            prop_assert_eq!(divided(&language, &again), once);
        }
    }

    #[test]
    fn every_weight_is_a_number() {
        let all = &*WEIGHTS;
        let lists: [&[f64]; 5] = [&all.words, &all.sentences, &all.last, &all.next, &all.cohesion];
        let openings = all.openings.values().flat_map(|openings| &openings.0).flat_map(FxHashMap::values);
        let numbers = lists.into_iter().flatten().chain([&all.bias, &all.asked]).chain(openings);
        assert!(numbers.clone().count() > 500 && numbers.clone().all(|weight| weight.abs() < 10.0));
        for tag in ["en", "de", "es", "fr", "it", "pt"] {
            assert!(all.openings[tag].0.iter().all(|words| words.len() > 30), "{tag}");
        }
    }

    #[test]
    fn cohesion_is_the_cosine_of_the_counts() {
        // (2·1 + 1·3) / (√(4 + 1) · √(1 + 9 + 4))
        let cosine = cosine(&mut [1, 2, 1], &mut [2, 1, 2, 3, 2, 3]);
        assert!((cosine - 5.0 / 70f64.sqrt()).abs() < 1e-12);
        assert_eq!(stem("rowing"), Some("rowing"));
        assert_eq!(stem("übermorgen"), Some("übermo"));
        assert_eq!(stem("boat"), None);
    }

    #[test]
    fn a_weight_is_linear_between_its_points() {
        let weights = [1.0, 3.0, 4.0];
        let at = |x| between(&[0, 4, 8], &weights, x);
        assert_eq!([0, 1, 4, 6, 8, 100].map(at), [1.0, 1.5, 3.0, 3.5, 4.0, 4.0]);
    }

    #[test]
    fn a_paragraph_begins_with_another_speaker_and_after_a_long_pause() {
        let mut sentences =
            open_gaps(&["we rowed out to the harbour early", "it was cold on the water then"]);
        assert_eq!(divided("en", &sentences), [true, false]);
        let pause = |pause| SentenceGap::Sentence { asked: false, pause: Some(pause) };
        sentences[1].0 = pause(Duration::ZERO);
        assert_eq!(divided("en", &sentences), [true, false]);
        sentences[1].0 = pause(LONG);
        assert_eq!(divided("en", &sentences), [true, true]);
        sentences[1].0 = SentenceGap::Paragraph;
        assert_eq!(divided("en", &sentences), [true, true]);
    }

    #[test]
    fn a_paragraph_is_neither_endless_nor_a_fragment() {
        let long = divided("en", &open_gaps(&["because it was so cold on the boats"; 2000]));
        let lengths = long.split(|&begins| begins).map(|rest| 8 * (rest.len() + 1));
        assert!(lengths.clone().all(|words| words < LONGEST + 8));
        let mut last = open_gaps(&["we rowed out to the harbour early", "yes", "so we left the boats"]);
        last[1].0 = SentenceGap::Sentence { asked: true, pause: Some(LONG) };
        assert!(divided("en", &last)[1]);
        last[2].0 = SentenceGap::Paragraph;
        assert!(!divided("en", &last)[1]);
        assert!(!divided("en", &last[..2])[1]);
        let short = divided("en", &open_gaps(&["a"; 100]));
        assert!(short.windows(SHORTEST - 1).all(|next| next.iter().filter(|&&begins| begins).count() < 2));
    }

    #[test]
    fn a_sentence_without_end_takes_little_memory_and_waits_for_nothing() {
        let mut divider = ParagraphDivider::new("en");
        begin(&mut divider, SentenceGap::Paragraph, "he came");
        assert_eq!(divider.decide(), Some(true));
        begin(&mut divider, OPEN, &"harbour ".repeat(WINDOW - 1));
        assert_eq!(divider.decide(), None);
        divider.push("harbour");
        assert!(divider.decide().is_some());
        (0..100_000).for_each(|_| divider.push("harbour"));
        assert!(divider.sentences.iter().all(|sentence| sentence.stems.len() <= WINDOW));
        (0..100).for_each(|_| begin(&mut divider, OPEN, "it is"));
        std::iter::from_fn(|| divider.decide()).count();
        assert!(divider.sentences.len() <= 2 * BLOCK);
    }
}
