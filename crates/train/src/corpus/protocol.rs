//! Protocols: rules that turn cased sentences into examples. Every report names its protocol.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::layout::{CUE_WIDTH, LineBreaks, PageLayout, PageWriter};
use super::read::CorpusSentence;
use super::{Example, Gold, marks};
use crate::random::below;
use majuscule_base::error::{Error, Result};
use majuscule_text::case::MAX_LETTERS;
use majuscule_text::locale::is_joiner;
use majuscule_text::sentence::Abbreviations;
use majuscule_text::tokenize::{Capitalized, Cut, Tokenizer};
use majuscule_text::{Break, Case, Locale, Mark, MarkSet, Spellings, Token};

/// The words that are trained on and scored, and their form as a method sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Protocol {
    /// Text as it is restored: words with the marks around them. The first word of a sentence is
    /// context, neither trained on nor scored. Unless the format defines sentences, a line is a
    /// sentence, whatever marks it contains. This protocol suits training and lexicons.
    #[default]
    Text,
    /// Batista et al. 2007: marks and the first word of each sentence are removed.
    Batista,
    /// Rei et al. 2020: marks and metadata events are removed. A first word is context only if its
    /// capital may be due to its position: the word is in title case, or a single letter that is
    /// lower case elsewhere (`A`, not English `I`).
    Rei,
    /// Susanto et al. 2016: tokens as given, all of which are scored. Tokens of more than 64
    /// letters count as lower case, whatever their case. Files that are not tokenised have the
    /// tokens that the tokeniser finds.
    Susanto,
    /// Recogniser output: marks are removed, the sentences of a document run together in windows,
    /// and every word counts.
    Asr {
        /// The number of words in a window; the last one of a document may be shorter.
        window: NonZeroUsize,
    },
    /// For models that must handle every kind of text: each stretch of about 200 words is treated
    /// as `text`, `rei` or `asr`, as a fixed random sequence decides.
    Mix,
    /// For networks, which see no marks: running text as under `asr`, in windows of 200 words that are cut anywhere,
    /// mixed in a fixed random sequence with short texts of a few sentences. The short texts are about two examples
    /// in three, and have about one word in six.
    Windows,
    /// For networks that read the layout: as `windows`, but each text is laid out at random: as
    /// running text, with one sentence per line, in lines of one width or in subtitle cues.
    Layouts,
    /// One sentence per line: marks are removed, and every word counts.
    Lines,
    /// Subtitles: marks are removed, sentences are cut into cues of at most two lines of 38 characters, and
    /// every word counts.
    Cues,
    /// Marks or sentence ends: like `asr`, but a document is one stream unless it is cut into
    /// windows, and the marks after words are also scored.
    Marks {
        /// The marks that are distinguished.
        convention: MarkConvention,
        /// The number of words in a window, if a document is cut into windows. The last word of a window ends a text.
        window: Option<NonZeroUsize>,
    },
}

/// A convention of scoring punctuation marks: the marks that are distinguished, and the text that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MarkConvention {
    /// IWSLT 2011 as Ueffing et al. 2013 score it: commas, with colons and dashes; full stops, with all other
    /// marks; question marks.
    Iwslt,
    /// SEPP-NLG 2021: `. , ? - :`, where all other marks count as full stops. Sentences with quotes, brackets or
    /// single apostrophes are left out, and sentences of fewer than three words.
    Sepp,
    /// punctuator2: all marks except the ellipsis, which counts as a full stop.
    Punctuator2,
    /// Ends of sentences, whatever their marks.
    Segments,
}

impl MarkConvention {
    /// All conventions.
    pub const ALL: [Self; 4] = [Self::Iwslt, Self::Sepp, Self::Punctuator2, Self::Segments];

    /// The name of the convention.
    pub fn name(self) -> &'static str {
        match self {
            Self::Iwslt => "iwslt",
            Self::Sepp => "sepp",
            Self::Punctuator2 => "punctuator2",
            Self::Segments => "segments",
        }
    }

    /// The marks that are distinguished; all other marks count as the [nearest](Mark::within) of these. No marks are
    /// distinguished if only the ends of sentences are scored.
    pub fn marks(self) -> MarkSet {
        let all = Mark::WRITTEN.into_iter();
        match self {
            Self::Iwslt => MarkSet::USUAL,
            Self::Sepp => all
                .filter(|mark| !matches!(mark, Mark::Exclamation | Mark::Semicolon | Mark::Ellipsis))
                .collect(),
            Self::Punctuator2 => all.filter(|mark| *mark != Mark::Ellipsis).collect(),
            Self::Segments => MarkSet::NONE,
        }
    }

    /// Returns true if the words of a sentence are scored.
    fn takes(self, sentence: &str) -> bool {
        let is_left_out = |c: char| "\"“”„‟«»‹›()[]{}".contains(c);
        let is_apostrophe = |token: &str| matches!(token, "'" | "’" | "‘");
        self != Self::Sepp
            || !sentence.contains(is_left_out)
                && !sentence.split_whitespace().any(is_apostrophe)
                && sentence.split_whitespace().filter(|token| token.contains(char::is_alphanumeric)).count()
                    >= 3
    }
}

impl Protocol {
    /// The default window of `asr`.
    pub const WINDOW: NonZeroUsize = NonZeroUsize::new(200).expect("200 is not 0");

    /// All protocols, with their default windows.
    pub const ALL: [Self; 14] = [
        Self::Text,
        Self::Batista,
        Self::Rei,
        Self::Susanto,
        Self::Asr { window: Self::WINDOW },
        Self::Mix,
        Self::Windows,
        Self::Layouts,
        Self::Lines,
        Self::Cues,
        Self::of_marks(MarkConvention::Iwslt),
        Self::of_marks(MarkConvention::Sepp),
        Self::of_marks(MarkConvention::Punctuator2),
        Self::of_marks(MarkConvention::Segments),
    ];

    const fn of_marks(convention: MarkConvention) -> Self {
        Self::Marks { convention, window: None }
    }

    /// Returns true if the protocol needs the counts of single letters of the whole corpus, which is then read twice.
    pub(super) fn counts_letters(self) -> bool {
        matches!(self, Self::Rei | Self::Mix)
    }

    /// The convention by which marks are scored; `None` if only case is scored.
    pub fn mark_convention(self) -> Option<MarkConvention> {
        match self {
            Self::Marks { convention, .. } => Some(convention),
            _ => None,
        }
    }

    /// The window size in words, if the protocol joins sentences into windows of a fixed size; `None` for every other
    /// protocol, including one that joins all sentences of a document into one stream.
    pub fn window(self) -> Option<NonZeroUsize> {
        match self {
            Self::Asr { window } => Some(window),
            Self::Marks { window, .. } => window,
            _ => None,
        }
    }

    /// Returns the protocol with a window, if it can have windows.
    fn with_window(self, window: NonZeroUsize) -> Option<Self> {
        match self {
            Self::Asr { .. } => Some(Self::Asr { window }),
            Self::Marks { convention, .. } => Some(Self::Marks { convention, window: Some(window) }),
            _ => None,
        }
    }

    /// The name of the protocol without settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Batista => "batista",
            Self::Rei => "rei",
            Self::Susanto => "susanto",
            Self::Asr { .. } => "asr",
            Self::Mix => "mix",
            Self::Windows => "windows",
            Self::Layouts => "layouts",
            Self::Lines => "lines",
            Self::Cues => "cues",
            Self::Marks { convention, .. } => convention.name(),
        }
    }

    /// Returns true if examples run across sentences, so that they depend on earlier text of the
    /// file.
    pub fn runs_on(self) -> bool {
        !matches!(self, Self::Text | Self::Batista | Self::Rei | Self::Susanto)
    }

    /// Returns true if marks are removed, so that a method sees none.
    pub fn removes_marks(self) -> bool {
        !matches!(self, Self::Text | Self::Susanto | Self::Mix)
    }

    /// Returns true if examples have line breaks that a method can learn from.
    pub fn has_layouts(self) -> bool {
        matches!(self, Self::Layouts | Self::Lines | Self::Cues)
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.window() {
            Some(window) => write!(f, "{}:{window}", self.name()),
            None => f.write_str(self.name()),
        }
    }
}

impl FromStr for Protocol {
    type Err = Error;

    /// Parses the name of a protocol: `rei`, `asr`, or `asr:100` with a window of 100 words.
    fn from_str(text: &str) -> Result<Self> {
        let (name, window) = text.split_once(':').map_or((text, None), |(name, window)| (name, Some(window)));
        let found = Self::ALL.into_iter().find(|protocol| protocol.name() == name);
        let has_windows = |protocol: &Self| protocol.with_window(Self::WINDOW).is_some();
        let found = found.filter(|protocol| window.is_none() || has_windows(protocol));
        let Some(protocol) = found else {
            let names = Self::ALL.map(Self::name).join(", ");
            return Err(Error::usage(format!("protocol \"{text}\" is not known: expected one of {names}")));
        };
        let Some(window) = window else { return Ok(protocol) };
        window.parse().ok().and_then(|window| protocol.with_window(window)).ok_or_else(|| {
            Error::usage(format!(
                "window \"{window}\": expected a number of words of at least 1, such as {name}:200"
            ))
        })
    }
}

impl TryFrom<String> for Protocol {
    type Error = Error;

    fn try_from(name: String) -> Result<Self> {
        name.parse()
    }
}

impl From<Protocol> for String {
    fn from(protocol: Protocol) -> Self {
        protocol.to_string()
    }
}

/// The number of times each single letter occurs as a word: in lower case anywhere, and as a
/// capital inside a sentence.
#[derive(Debug, Clone, Default)]
pub(super) struct SingleLetters(FxHashMap<char, [u64; 2]>);

impl SingleLetters {
    /// Counts the single letters of a sentence.
    pub(super) fn add(&mut self, sentence: CorpusSentence<'_>, locale: Locale, scratch: &mut String) {
        let mut initial = true;
        marks::words(sentence.text, locale, scratch, |word| {
            if word.len() <= 4
                && let Some((lower, is_upper)) = single_letter(word, locale)
                && !(is_upper && initial)
            {
                self.0.entry(lower).or_default()[usize::from(is_upper)] += 1;
            }
            initial = false;
        });
    }

    /// Adds the counts of another part of the corpus.
    pub(super) fn merge(&mut self, other: &Self) {
        for (&letter, counts) in &other.0 {
            let sum = self.0.entry(letter).or_default();
            sum[0] += counts[0];
            sum[1] += counts[1];
        }
    }

    /// Returns true if a capital at the beginning of a sentence may be due to its position: the
    /// letter occurs elsewhere in lower case, at least as often as it does as a capital inside
    /// sentences. The second condition keeps English `I` a slot in a corpus with a Catalan name
    /// such as `Terrón i Cusí`.
    fn may_be_lower(&self, lower: char) -> bool {
        self.0.get(&lower).is_some_and(|&[lower, upper]| lower > 0 && lower >= upper)
    }
}

/// Returns the lower case of a word that is a single letter, and true if the word is a capital;
/// `None` for other words.
fn single_letter(word: &str, locale: Locale) -> Option<(char, bool)> {
    let mut chars = word.chars().filter(|&c| !is_joiner(c));
    let letter = chars.next()?;
    if chars.next().is_some() {
        return None;
    }
    match locale.letters(letter.encode_utf8(&mut [0; 4])).next()?.2? {
        majuscule_text::Letter::Upper(lower) => Some((lower, true)),
        majuscule_text::Letter::Lower(_) => Some((letter, false)),
    }
}

/// A callback that receives an example and, for each of its words, the number of words before it that the protocol
/// omitted because of their kind. The list is empty if the protocol never omits words.
pub(super) type ExampleVisitor<'a> = dyn FnMut(&Example, &[u32]) -> Result<()> + 'a;

/// Makes examples from sentences that come in order. Buffers are reused: there is no allocation per
/// word or sentence.
#[derive(Debug)]
pub(super) struct ExampleBuilder<'a> {
    protocol: Protocol,
    locale: Locale,
    letters: &'a SingleLetters,
    spellings: &'a Spellings,
    abbreviations: &'static Abbreviations,
    tokenizer: Tokenizer,
    example: Example,
    words: String,
    /// The number of words that the protocol left out before each word of the example, as `rei` does with the
    /// words of events.
    skipped: Vec<u32>,
    /// The number of words that the protocol left out after the last word of the example.
    skipping: u32,
    /// The current turn of `mix`, `windows` or `layouts`.
    turn: ProtocolTurn,
    /// The page on which the words of the text are placed.
    page: PageWriter,
}

/// A turn of [`Protocol::Mix`], [`Protocol::Windows`] or [`Protocol::Layouts`].
#[derive(Debug, Clone)]
struct ProtocolTurn {
    protocol: Protocol,
    /// The number of words until the next turn.
    left: usize,
    /// The generator that draws the next turn, always from the same seed.
    random: ChaCha8Rng,
}

/// The largest number of words after which a short text of `windows` ends, as soon as the current
/// sentence is complete.
const SHORT_TEXT: u64 = 30;

impl ProtocolTurn {
    fn first() -> Self {
        Self { protocol: Protocol::Text, left: 0, random: ChaCha8Rng::seed_from_u64(1) }
    }

    /// Draws the next turn of `windows`: a text of a few sentences, or running text of two windows
    /// that continues to the end of its last sentence.
    fn next_of_windows(&mut self) {
        self.protocol = Protocol::Asr { window: Protocol::WINDOW };
        self.left = match below(&mut self.random, 5) {
            0 => 2 * Protocol::WINDOW.get(),
            _ => 1 + below(&mut self.random, SHORT_TEXT) as usize,
        };
    }

    /// Draws the next turn of `mix`.
    fn next_of_mix(&mut self) {
        let words = Protocol::WINDOW;
        self.protocol = match below(&mut self.random, 10) {
            0..4 => Protocol::Text,
            4..6 => Protocol::Rei,
            // Two windows: the first begins a sentence and is cut off, and the second continues
            // words that it does not contain.
            _ => Protocol::Asr { window: words.midpoint(NonZeroUsize::MIN) },
        };
        self.left = words.get();
    }
}

impl<'a> ExampleBuilder<'a> {
    pub(super) fn new(
        protocol: Protocol,
        locale: Locale,
        language: &str,
        letters: &'a SingleLetters,
        spellings: &'a Spellings,
    ) -> Self {
        Self {
            protocol,
            locale,
            letters,
            spellings,
            abbreviations: Abbreviations::of(language),
            tokenizer: Tokenizer::new(locale, language, Capitalized::Ignore),
            example: Example::default(),
            words: String::new(),
            skipped: Vec::new(),
            skipping: 0,
            turn: ProtocolTurn::first(),
            page: PageWriter::new(match protocol {
                Protocol::Lines => PageLayout::SENTENCES,
                Protocol::Cues => {
                    PageLayout::Cues { width: CUE_WIDTH, breaks: LineBreaks::Sentences, has_two_lines: true }
                }
                _ => PageLayout::Running,
            }),
        }
    }

    /// Adds a sentence and calls `visit` with the examples that it completes.
    ///
    /// # Errors
    /// If `visit` fails.
    pub(super) fn sentence(
        &mut self,
        sentence: CorpusSentence<'_>,
        visit: &mut ExampleVisitor<'_>,
    ) -> Result<()> {
        // A file may hold several recordings.
        if sentence.before == Break::Document {
            self.end_document(visit)?;
        }
        match self.protocol {
            Protocol::Mix | Protocol::Windows | Protocol::Layouts => self.take_turns(sentence, visit),
            protocol => self.sentence_under(protocol, sentence, visit),
        }
    }

    fn sentence_under(
        &mut self,
        protocol: Protocol,
        sentence: CorpusSentence<'_>,
        visit: &mut ExampleVisitor<'_>,
    ) -> Result<()> {
        match protocol {
            Protocol::Text | Protocol::Mix => self.text(sentence),
            Protocol::Batista => self.batista(sentence),
            Protocol::Rei => self.rei(sentence),
            Protocol::Susanto => self.susanto(sentence),
            Protocol::Asr { window } => return self.asr(sentence, window, None, visit),
            Protocol::Windows | Protocol::Layouts => {
                return self.asr(sentence, Protocol::WINDOW, None, visit);
            }
            Protocol::Lines | Protocol::Cues => return self.asr(sentence, NonZeroUsize::MAX, None, visit),
            Protocol::Marks { convention, window } => {
                return match convention.takes(sentence.text) {
                    true => self.asr(sentence, window.unwrap_or(NonZeroUsize::MAX), Some(convention), visit),
                    false => Ok(()),
                };
            }
        }
        self.give(visit)
    }

    fn take_turns(&mut self, sentence: CorpusSentence<'_>, visit: &mut ExampleVisitor<'_>) -> Result<()> {
        if self.turn.left == 0 {
            self.give(visit)?;
            match self.protocol {
                Protocol::Windows => self.turn.next_of_windows(),
                Protocol::Layouts => {
                    self.turn.next_of_windows();
                    self.page = PageWriter::new(PageLayout::draw(&mut self.turn.random));
                }
                _ => self.turn.next_of_mix(),
            }
        }
        self.turn.left = self.turn.left.saturating_sub(sentence.text.split_whitespace().count());
        self.sentence_under(self.turn.protocol, sentence, visit)
    }

    /// The number of words that wait for their window to be full.
    pub(super) fn waiting(&self) -> u64 {
        self.example.tokens.len() as u64
    }

    /// Calls `visit` with the words of a document that are not in an example yet.
    ///
    /// # Errors
    /// If `visit` fails.
    pub(super) fn end_document(&mut self, visit: &mut ExampleVisitor<'_>) -> Result<()> {
        self.page.restart();
        self.give(visit)
    }

    fn give(&mut self, visit: &mut ExampleVisitor<'_>) -> Result<()> {
        if !self.example.gold.is_empty() {
            self.spell();
            visit(&self.example, &self.skipped)?;
        }
        self.skipped.clear();
        self.example.tokens.clear();
        self.example.gold.clear();
        Ok(())
    }

    /// Applies the spellings of the user if the original text with its marks is not available: spellings are then
    /// matched against the words alone.
    fn spell(&mut self) {
        let tokens = &mut self.example.tokens;
        if self.spellings.is_empty() || tokens.as_slice().iter().any(|token| !token.source.is_empty()) {
            return;
        }
        let mut source = String::new();
        for at in 0..tokens.len() {
            let start = source.len() as u32;
            source.push_str(tokens.lower(at));
            tokens.as_mut_slice()[at].source = start..source.len() as u32;
            source.push(' ');
        }
        self.spellings.fix(source.as_bytes(), 0, true, tokens);
    }

    fn text(&mut self, sentence: CorpusSentence<'_>) {
        self.tokens(sentence);
        for gold in &mut self.example.gold {
            gold.scored = !gold.initial;
        }
    }

    fn susanto(&mut self, sentence: CorpusSentence<'_>) {
        if !sentence.tokenised {
            self.tokens(sentence);
            // Sentences are given, so their starts are visible.
            if let Some(first) = self.example.tokens.as_mut_slice().first_mut() {
                first.starts = true;
            }
            return;
        }
        let Example { tokens, gold } = &mut self.example;
        let mut before = sentence.before;
        let mut initial = true;
        for token in sentence.text.split_whitespace() {
            // A case does not describe letters after the 64th. Such a token counts, but is not a slot.
            let is_long = token.len() > MAX_LETTERS && self.locale.letter_count(token) > MAX_LETTERS;
            let case = if is_long { Case::Lower } else { Case::of(token, self.locale) };
            let is_word = token.contains(char::is_alphanumeric);
            let starts = initial && is_word;
            tokens.push(token, self.locale, Token { before, starts, ..Token::default() });
            gold.push(Gold { label: case.into(), scored: true, initial: starts, ..Gold::default() });
            before = Break::Space;
            initial &= !is_word;
        }
        end_sentence(gold, "");
    }

    /// Adds the words as `restore` finds them, all of them scored. The reader decides where sentences end; a
    /// method sees only the evidence of the marks.
    fn tokens(&mut self, sentence: CorpusSentence<'_>) {
        let Example { tokens, gold } = &mut self.example;
        let text = sentence.text;
        self.tokenizer.reset();
        self.tokenizer.read(text, 0, Cut::Whole, tokens);
        self.spellings.fix(text.as_bytes(), 0, true, tokens);
        let mut end = 0;
        for i in 0..tokens.len() {
            let token = &mut tokens.as_mut_slice()[i];
            if token.before == Break::Document {
                token.before = sentence.before;
                // The end of the last document may be in another file.
                token.gap = token.gap.filter(|_| sentence.before != Break::Document);
                // Inside a paragraph, the end of the previous sentence shows that this one begins.
                token.starts |= sentence.before < Break::Line;
            }
            let (start, gap) = (token.source.start as usize, end);
            end = token.source.end as usize;
            let label = Case::of(&text[start..end], self.locale).into();
            if let Some(last) = i.checked_sub(1) {
                mark(gold, tokens.lower(last), &text[gap..start], self.abbreviations);
            }
            gold.push(Gold { label, scored: true, initial: i == 0, ..Gold::default() });
        }
        end_sentence(gold, &text[end..]);
    }

    fn batista(&mut self, sentence: CorpusSentence<'_>) {
        let mut first = true;
        let Example { tokens, gold } = &mut self.example;
        marks::words(sentence.text, self.locale, &mut self.words, |word| {
            if std::mem::take(&mut first) {
                return;
            }
            // Every word has white space before it, because the words continue a first word that was removed.
            tokens.push(word, self.locale, Token { before: Break::Space, ..Token::default() });
            gold.push(Gold { label: Case::of(word, self.locale).into(), scored: true, ..Gold::default() });
        });
        end_sentence(gold, "");
    }

    fn rei(&mut self, sentence: CorpusSentence<'_>) {
        let Example { tokens, gold } = &mut self.example;
        let (locale, letters) = (self.locale, self.letters);
        let mut word = |word: &str| {
            let initial = gold.is_empty();
            let before = if initial { sentence.before } else { Break::Space };
            let case = Case::of(word, locale);
            let due_to_position = initial
                && (case == Case::Title
                    || case == Case::Upper
                        && single_letter(word, locale).is_some_and(|(lower, _)| letters.may_be_lower(lower)));
            tokens.push(word, locale, Token { before, starts: initial, ..Token::default() });
            gold.push(Gold { label: case.into(), scored: !due_to_position, initial, ..Gold::default() });
        };
        marks::parts(sentence.text, |part, is_event| {
            marks::words(part, locale, &mut self.words, |each| {
                if is_event {
                    self.skipping += 1;
                } else {
                    word(each);
                    self.skipped.push(std::mem::take(&mut self.skipping));
                }
            });
        });
        end_sentence(gold, "");
    }

    fn asr(
        &mut self,
        sentence: CorpusSentence<'_>,
        window: NonZeroUsize,
        convention: Option<MarkConvention>,
        visit: &mut ExampleVisitor<'_>,
    ) -> Result<()> {
        // A sentence end without a mark has a label, `SentenceEnd`, unless only written marks are scored.
        let is_written = convention.is_some_and(|convention| convention != MarkConvention::Segments);
        let mut initial = true;
        let mut result = Ok(());
        let letters = sentence.text.chars().count();
        let (locale, abbreviations) = (self.locale, self.abbreviations);
        let mut words = std::mem::take(&mut self.words);
        marks::words_and_gaps(sentence.text, locale, &mut words, |gap, word| {
            let Example { tokens, gold } = &mut self.example;
            let Some(word) = word else {
                if !initial {
                    end_sentence(gold, gap);
                    if is_written && let Some(last) = gold.last_mut() {
                        last.label.mark = Mark::between(gap);
                    }
                }
                return;
            };
            if let Some(last) = tokens.len().checked_sub(1).filter(|_| !initial) {
                mark(gold, tokens.lower(last), gap, abbreviations);
            }
            // A window that is cut off from earlier words does not begin a document: its words continue them.
            let follows_mark = gold.last().is_some_and(|last| last.label.mark != Mark::None);
            let placed = self.page.place(word.chars().count(), follows_mark, initial.then_some(letters));
            let before = if self.example.gold.is_empty() { Break::Document } else { placed.before };
            // A full window is passed on only now that the mark of its last word is known.
            if result.is_ok() && self.example.gold.len() >= window.get() {
                result = self.give(visit);
            }
            let Example { tokens, gold } = &mut self.example;
            tokens.push(word, locale, Token { before, ..placed });
            let opening = gap.chars().map(Mark::opened_by).fold(Mark::None, Mark::stronger);
            let label = Case::of(word, locale).into();
            gold.push(Gold { label, scored: true, initial, opening, ..Gold::default() });
            initial = false;
        });
        self.words = words;
        result
    }
}

/// Sets the mark of the last word so far, `lower`, from the text between this word and the next
/// word of the sentence.
fn mark(gold: &mut [Gold], lower: &str, gap: &str, abbreviations: &Abbreviations) {
    if let Some(last) = gold.last_mut() {
        last.label.mark = mark_after(lower, gap, true, abbreviations);
    }
}

/// Returns the mark after a word. `gap` is the text after the word, up to the next word if there is
/// one. The full stop of an abbreviation is part of the word.
pub(crate) fn mark_after(lower: &str, gap: &str, has_next: bool, abbreviations: &Abbreviations) -> Mark {
    // Marks inside text that is not a word, such as a URL, do not belong to the word.
    let gap = gap.split(char::is_alphanumeric).next().unwrap_or_default();
    // The parts of a number, a time or a name: 1,000 and 10:30.
    let is_inside = has_next && !gap.contains(char::is_whitespace);
    match Mark::between(gap) {
        mark @ (Mark::Dash | Mark::Ellipsis) => mark,
        _ if is_inside && gap.contains([',', '.', ':', ';', '?', '!']) => Mark::None,
        Mark::Period if !abbreviations.ends(lower, ".", false) => Mark::None,
        mark => mark,
    }
}

/// Labels the last word so far as the end of a sentence, with the mark in the text after the word.
fn end_sentence(gold: &mut [Gold], gap: &str) {
    let mark = Mark::between(gap);
    if let Some(last) = gold.last_mut() {
        last.label.mark = if mark.ends_sentence() { mark } else { Mark::SentenceEnd };
        last.ends = true;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Corpus, Reading};
    use super::*;
    use crate::corpus::stats::{Tags, WordStats};
    use majuscule_format::Format;

    fn corpus(text: &str, format: Format, protocol: Protocol) -> Corpus {
        Corpus::of_text(text, Reading { format, ..Reading::default() }, protocol, Locale::Root)
    }

    /// The examples as text in their true case, one per line. Words that are not scored are in
    /// brackets, and `|` marks the end of a sentence.
    fn shown(text: &str, protocol: Protocol) -> Vec<String> {
        shown_of(&corpus(text, Format::Text, protocol))
    }

    fn shown_of(corpus: &Corpus) -> Vec<String> {
        let word = |((lower, _), gold): ((&str, &Token), &Gold)| {
            let word = gold.label.case.applied(lower, Locale::Root);
            let word = if gold.scored { word } else { format!("({word})") };
            if gold.ends { word + "|" } else { word }
        };
        let line = |example: Example| {
            example.tokens.iter().zip(&example.gold).map(word).collect::<Vec<_>>().join(" ")
        };
        corpus.examples().unwrap().into_iter().map(line).collect()
    }

    fn asr(window: usize) -> Protocol {
        Protocol::Asr { window: NonZeroUsize::new(window).unwrap() }
    }

    fn any_text() -> impl Strategy<Value = String> {
        proptest::collection::vec(
            "([A-Ca-c'.]{1,5}|[0-9]{1,3}|[,;:!?\n-]| |\\(a\\)|Évora|U\\.S\\.){1,12}",
            0..8,
        )
        .prop_map(|lines| lines.join("\n"))
    }

    proptest! {
        #[test]
        fn every_example_has_a_word_and_an_answer_for_each(text in any_text()) {
            for protocol in [Protocol::Text, Protocol::Batista, Protocol::Rei, Protocol::Susanto, asr(3)] {
                for example in corpus(&text, Format::Text, protocol).examples().unwrap() {
                    prop_assert!(!example.gold.is_empty());
                    prop_assert_eq!(example.tokens.len(), example.gold.len());
                }
            }
        }

        #[test]
        fn what_a_method_sees_does_not_show_the_case(text in any_text()) {
            for protocol in [Protocol::Text, Protocol::Susanto, Protocol::Rei, Protocol::Batista, asr(3)] {
                let seen = |text: &str| -> Vec<_> {
                    let examples = corpus(text, Format::Text, protocol).examples().unwrap();
                    let without_source = |example: Example| {
                        let words: Vec<_> = example.tokens.iter().map(|(lower, token)| {
                            (lower.to_owned(), token.before, token.starts, token.left, token.right)
                        }).collect();
                        words
                    };
                    examples.into_iter().map(without_source).collect()
                };
                prop_assert_eq!(seen(&text), seen(&text.to_lowercase()), "{}", protocol);
            }
        }

        #[test]
        fn windows_hold_all_words_in_order(text in any_text(), window in 1usize..7) {
            let whole = corpus(&text, Format::Text, asr(usize::MAX)).examples().unwrap();
            let parts = corpus(&text, Format::Text, asr(window)).examples().unwrap();
            let gold = |examples: &[Example]| examples.iter().flat_map(|e| e.gold.clone()).collect::<Vec<_>>();
            prop_assert_eq!(gold(&parts), gold(&whole));
            for (i, part) in parts.iter().enumerate() {
                let is_last = i + 1 == parts.len();
                prop_assert!(part.gold.len() == window || is_last && part.gold.len() < window);
                let before = if i == 0 { Break::Document } else { Break::Space };
                prop_assert_eq!(part.tokens.as_slice()[0].before, before);
            }
        }

        #[test]
        fn threads_change_nothing(text in any_text(), threads in 2usize..4) {
            for protocol in [Protocol::Text, Protocol::Rei] {
                let corpus = corpus(&text, Format::Text, protocol);
                let threads = NonZeroUsize::new(threads).unwrap();
                let parts = corpus.map_reduce(threads, Vec::new, |seen, example| {
                    seen.push(example.clone());
                    Ok(())
                });
                prop_assert_eq!(parts.unwrap().concat(), corpus.examples().unwrap());
            }
        }
    }

    #[test]
    fn the_tags_are_those_of_rei_2020_table_1() {
        let text = "Automatic Truecasing of Video Subtitles using BERT: A multilingual adaptable approach";
        let examples = corpus(text, Format::Text, Protocol::Rei).examples().unwrap();
        let tag = |gold: &Gold| {
            let mut words = WordStats::default();
            words.add(gold.label.case);
            let Tags { l, u, t } = words.tags;
            [(l, 'L'), (u, 'U'), (t, 'T')].into_iter().find(|(words, _)| *words == 1).unwrap().1
        };
        assert_eq!(examples[0].gold.iter().map(tag).collect::<String>(), "TTLTTLUULLL");
        let lower: Vec<&str> = examples[0].tokens.iter().map(|(lower, _)| lower).collect();
        let source = "automatic truecasing of video subtitles using bert a multilingual adaptable approach";
        assert_eq!(lower.join(" "), source);
    }

    #[test]
    fn batista_takes_the_first_word_out() {
        let text = "“Yes,” said Ana to the U.S. envoy.\nNo.\nIn Braga, it rained.";
        assert_eq!(shown(text, Protocol::Batista), ["said Ana to the US envoy|", "Braga it rained|"]);
        let examples = corpus(text, Format::Text, Protocol::Batista).examples().unwrap();
        assert_eq!(examples[1].tokens.as_slice()[0].before, Break::Space);
        assert!(examples.iter().all(|example| example.gold.iter().all(|gold| !gold.initial)));
        assert!(examples[1].tokens.as_slice().iter().all(|token| !token.starts));
    }

    #[test]
    fn rei_leaves_out_a_first_word_whose_capital_may_be_due_to_its_position() {
        let text = "The cat saw a dog.\nA dog saw NATO.\nI think I saw it.\nNATO and iPhone and I.\nMrs Terrón i Cusí";
        assert_eq!(
            shown(text, Protocol::Rei),
            [
                "(The) cat saw a dog|",
                "(A) dog saw NATO|",
                "I think I saw it|",
                "NATO and iPhone and I|",
                "(Mrs) Terrón i Cusí|",
            ]
        );
        // Without a lower-case `a` elsewhere, `A` may be a name.
        assert_eq!(shown("A grade", Protocol::Rei), ["A grade|"]);
        assert_eq!(
            shown("A4 paper\n[MUSIC] 1990 was a year", Protocol::Rei),
            ["A4 paper|", "1990 was a year|"]
        );
    }

    #[test]
    fn susanto_takes_tokens_as_given() {
        let text = "`` Lisbon , '' he said .\nMcDonald 's";
        let tokens = corpus(text, Format::Tok, Protocol::Susanto);
        assert_eq!(shown_of(&tokens), ["`` Lisbon , '' he said .|", "McDonald 's|"]);
        let initial: Vec<_> = tokens.examples().unwrap()[0].gold.iter().map(|gold| gold.initial).collect();
        assert_eq!(initial, [false, true, false, false, false, false, false]);
        assert_eq!(shown("“Lisbon,” he said.", Protocol::Susanto), ["Lisbon he said|"]);
    }

    #[test]
    fn susanto_counts_tokens_that_are_too_long_for_a_case() {
        let long = "X".repeat(MAX_LETTERS + 1);
        let text = format!("See {long} and {} .", &long[1..]);
        let expected = format!("See {} and {} .|", long.to_lowercase(), &long[1..]);
        assert_eq!(shown_of(&corpus(&text, Format::Tok, Protocol::Susanto)), [expected]);
    }

    #[test]
    fn asr_runs_sentences_together_in_windows() {
        let text = "Hello there.\nIt is me, Rui.\nBye.";
        assert_eq!(shown(text, asr(3)), ["Hello there| It", "is me Rui|", "Bye|"]);
        let examples = corpus(text, Format::Text, asr(100)).examples().unwrap();
        let initial: Vec<_> = examples[0].gold.iter().map(|gold| gold.initial).collect();
        assert_eq!(initial, [true, false, true, false, false, false, true]);
        let tokens = examples[0].tokens.as_slice();
        assert!(tokens.iter().all(|token| !token.starts && token.left.is_none() && token.right.is_none()));
    }

    #[test]
    fn windows_are_cut_anywhere_and_some_texts_are_short() {
        let text: String = (0..4000).map(|at| format!("We met Rui and {at} more left.\n")).collect();
        let examples = corpus(&text, Format::Text, Protocol::Windows).examples().unwrap();
        let sizes: Vec<usize> = examples.iter().map(|example| example.tokens.len()).collect();
        // All words, none twice: seven in each sentence.
        assert_eq!(sizes.iter().sum::<usize>(), 28_000);
        // Two windows are 57 sentences and a word: the rest of the last sentence is a text of its own.
        let is_short = |size: usize| (7..=35).contains(&size) && size.is_multiple_of(7);
        let whole = &sizes[..sizes.len() - 1];
        assert!(whole.iter().all(|&size| size == 200 || size == 6 || is_short(size)), "{sizes:?}");
        let short: Vec<usize> = whole.iter().copied().filter(|&size| is_short(size)).collect();
        let words: usize = short.iter().sum();
        assert!(
            (4000..6500).contains(&words) && (200..350).contains(&short.len()),
            "{words} of {}",
            short.len()
        );
        let mut inside = 0;
        for example in &examples {
            let tokens = example.tokens.as_slice();
            assert!(tokens.iter().all(|token| !token.starts && token.right.is_none()));
            assert!(example.gold.iter().all(|gold| gold.scored));
            // Text that is cut off from earlier words continues them.
            let is_inside = !example.gold[0].initial;
            assert_eq!(tokens[0].before, if is_inside { Break::Space } else { Break::Document });
            inside += usize::from(is_inside);
        }
        assert!(inside > 50, "{inside}");
    }

    /// The words of a text with the marks after them under a protocol.
    fn marked(text: &str, protocol: &str) -> String {
        let examples = corpus(text, Format::Text, protocol.parse().unwrap()).examples().unwrap();
        let word = |((lower, _), gold): ((&str, &Token), &Gold)| {
            let mark = gold.label.mark.character().map_or(String::new(), String::from);
            lower.to_owned() + &mark + if gold.ends { "|" } else { "" }
        };
        let line = |example: &Example| {
            example.tokens.iter().zip(&example.gold).map(word).collect::<Vec<_>>().join(" ")
        };
        examples.iter().map(line).collect::<Vec<_>>().join(" / ")
    }

    #[test]
    fn protocols_of_marks_run_sentences_together_and_keep_the_marks_as_the_answer() {
        let text = "J. Reis, at 10:30 – yes; 1,000 left!\nA list:\nAnd/or Yahoo!com wait…what—no mark";
        let words = "j reis, at 10 30– yes; 1 000 left!| a list:| and or yahoo com wait… what– no mark|";
        for protocol in ["iwslt", "sepp", "punctuator2"] {
            // Two words do not make a sentence under sepp.
            let expected = if protocol == "sepp" { words.replace(" a list:|", "") } else { words.into() };
            assert_eq!(marked(text, protocol), expected, "{protocol}");
        }
        let windows = words.replace("!| ", "!| / ").replace("no ", "no / ");
        assert_eq!(marked(text, "iwslt:9"), windows);
        // An end without a mark is an end all the same where ends alone are scored.
        let ends = corpus(text, Format::Text, "segments".parse().unwrap()).examples().unwrap();
        let ends: Vec<Mark> =
            ends[0].gold.iter().filter(|gold| gold.ends).map(|gold| gold.label.mark).collect();
        assert_eq!(ends, [Mark::Exclamation, Mark::SentenceEnd, Mark::SentenceEnd]);
    }

    #[test]
    fn protocols_of_marks_cut_a_document_only_where_they_are_told_to() {
        let text = "We met Rui, who left.\n".repeat(100);
        for convention in MarkConvention::ALL.map(MarkConvention::name) {
            let words = |protocol: &str| -> Vec<usize> {
                let corpus = corpus(&text, Format::Text, protocol.parse().unwrap());
                corpus.examples().unwrap().iter().map(|example| example.tokens.len()).collect()
            };
            assert_eq!(words(convention), [500], "{convention}");
            assert_eq!(words(&format!("{convention}:200")), [200, 200, 100], "{convention}");
        }
    }

    #[test]
    fn sepp_leaves_out_sentences_with_quotes_brackets_and_apostrophes() {
        let text = "We met “Rui” there.\nThey (all) left early.\nWe won't see it.\nThe boys ' names here.\nNot this.\nBut this one.";
        assert_eq!(marked(text, "sepp"), "we won't see it.| but this one.|");
    }

    #[test]
    fn text_keeps_the_marks_around_words_and_counts_no_first_words() {
        let text = "Thank you, Ana. I like (old) Porto.";
        assert_eq!(shown(text, Protocol::Text), ["(Thank) you Ana I like old Porto|"]);
        let examples = corpus(text, Format::Text, Protocol::Text).examples().unwrap();
        let tokens = examples[0].tokens.as_slice();
        assert_eq!((tokens[1].right, tokens[5].left), (Some(','), Some('(')));
        assert!(tokens[3].starts && !tokens[4].starts);
    }

    #[test]
    fn a_line_is_a_sentence_unless_it_is_to_be_split() {
        let text = "Thank you, Ana. I like Porto.\nWhy? No idea.";
        let split = Reading { split: true, ..Reading::default() };
        for (reading, protocol, expected) in [
            (Reading::default(), Protocol::Text, "(Thank) you Ana I like Porto| / (Why) No idea|"),
            (Reading::default(), Protocol::Susanto, "Thank you Ana I like Porto| / Why No idea|"),
            (split.clone(), Protocol::Text, "(Thank) you Ana| / (I) like Porto| / (Why)| / (No) idea|"),
            (split, Protocol::Susanto, "Thank you Ana| / I like Porto| / Why| / No idea|"),
        ] {
            let corpus = Corpus::of_text(text, reading, protocol, Locale::Root);
            assert_eq!(shown_of(&corpus).join(" / "), expected, "{protocol}");
            // A method still sees where sentences begin.
            let examples = corpus.examples().unwrap();
            let tokens = || examples.iter().flat_map(|example| example.tokens.as_slice());
            assert_eq!(tokens().filter(|token| token.starts).count(), 4, "{protocol}");
        }
    }

    #[test]
    fn protocols_are_read_and_written_by_name() {
        for protocol in Protocol::ALL.into_iter().chain([asr(50), "sepp:9".parse().unwrap()]) {
            assert_eq!(protocol.to_string().parse::<Protocol>().unwrap(), protocol);
        }
        assert_eq!("asr".parse::<Protocol>().unwrap(), asr(200));
        for wrong in ["asr:0", "asr:x", "Rei", "", "rei:200", "windows:9", "iwslt:", "segments:0"] {
            assert!(matches!(wrong.parse::<Protocol>(), Err(Error::Usage(_))), "{wrong}");
        }
    }
}
