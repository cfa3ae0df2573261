//! The text of a file as the tokenizer reads it: run by run, from break to break.

use std::borrow::Cow;
use std::ops::Range;

use super::line_parts::{PartRole, TextPart};
use super::piece::Piece;
use majuscule_text::divided_word::{Division, LINE_END, ends_divided};
use majuscule_text::locale::is_joiner;
use majuscule_text::markup::is_inside_word;
use majuscule_text::speaker_label::listed_case;
use majuscule_text::tokenize::{Capitalized, Cut, Tokenizer};
use majuscule_text::{Break, Case, Constraint, Mark, RestoreOptions, Token, Tokens};

/// The text of a piece. Each run of text is tokenised as a whole once it ends, because a word may be in several parts
/// of the file.
#[derive(Debug)]
pub(super) struct RunningText {
    pub(super) tokenizer: Tokenizer,
    /// The text with its words at their positions in the source, and blanks for everything that is not
    /// text.
    pub(super) view: String,
    /// The byte of the view at which the unread run begins, if there is one.
    run: Option<usize>,
    landmarks: Landmarks,
}

impl RunningText {
    /// Starts a text of parts, whose sentences continue from line to line.
    pub(super) fn of_parts(options: &RestoreOptions) -> Self {
        let tokenizer = Tokenizer::flowing(options.locale(), options.language(), options.capitalized);
        Self::new(tokenizer, options)
    }

    /// Starts a text that consists of lines, like plain text.
    pub(super) fn of_lines(options: &RestoreOptions) -> Self {
        let tokenizer = Tokenizer::new(options.locale(), options.language(), options.capitalized);
        Self::new(tokenizer.of_speakers(true), options)
    }

    fn new(tokenizer: Tokenizer, options: &RestoreOptions) -> Self {
        let tokenizer = tokenizer.putting_marks(options.puts().is_some()).of_markup(false);
        let tokenizer = tokenizer.noting_marks(options.notes_marks());
        Self {
            tokenizer: tokenizer.knowing(options.vocabulary()),
            view: String::new(),
            run: None,
            landmarks: Landmarks { capitalized: options.capitalized, ..Landmarks::default() },
        }
    }

    /// Appends a part, which is at `position` in the source; `between` is the source between it and the last part.
    pub(super) fn push(&mut self, part: &TextPart, position: Range<usize>, text: &str, between: &str) {
        let is_on_line = part.role == PartRole::Text && self.run.is_some();
        if is_on_line && part.before.is_none() && is_inside_word(&self.view, between, text) {
            // A placeholder tag represents the mark-up between the parts.
            self.view.push_str("<b");
            fill(&mut self.view, position.start - 1);
            self.view.push('>');
        } else if is_on_line && (part.opens_line || part.before == Some(Break::Cue)) {
            fill(&mut self.view, position.start.saturating_sub(LINE_END.len_utf8()));
            if self.view.len() < position.start {
                self.view.push(LINE_END);
            }
        }
        fill(&mut self.view, position.start);
        self.run.get_or_insert(position.start);
        self.landmarks.add(part, position);
        self.view.push_str(text);
    }

    /// Returns the view, to whose end the caller appends more text of the run.
    pub(super) fn run_on(&mut self) -> &mut String {
        self.run.get_or_insert(self.view.len());
        &mut self.view
    }

    /// Appends the words of the run to `tokens`, and returns the number of the first; `None` if there
    /// is no run.
    pub(super) fn end_run(&mut self, tokens: &mut Tokens) -> Option<usize> {
        let start = self.run.take()?;
        let first = tokens.len();
        let run = self.landmarks.without_marks_of_labels(&self.view, start);
        self.tokenizer.read(&run, start as u32, Cut::Whole, tokens);
        if self.landmarks.apply(first, tokens) {
            self.tokenizer.close_gap();
        }
        Some(first)
    }

    /// Returns true if the text may end in the middle of a word that a hyphen divides.
    pub(super) fn ends_divided(&self) -> bool {
        self.run.is_some() && ends_divided(self.view.trim_ascii_end())
    }

    /// Returns true if a part in the next cue begins with the rest of the last word.
    pub(super) fn continues_word(&self, part: &TextPart, text: &str, options: &RestoreOptions) -> bool {
        let run = |text: &str| text.split_ascii_whitespace().next().unwrap_or_default().to_owned();
        let first = || self.view.split_ascii_whitespace().next_back().unwrap_or_default();
        part.before == Some(Break::Cue)
            && part.role == PartRole::Text
            && self.ends_divided()
            && Division::of(first(), &run(text), options.locale(), options.vocabulary()) != Division::Apart
    }

    /// Ends the text: the next run begins a new text.
    pub(super) fn end_text(&mut self, tokens: &mut Tokens) {
        self.end_run(tokens);
        self.tokenizer.reset();
    }

    /// Ends a piece whose source is not the file itself: the source is `text`, or the view by default.
    pub(super) fn end_piece(&mut self, text: Option<&str>, options: &RestoreOptions, piece: &mut Piece) {
        self.end_run(&mut piece.tokens);
        let source = text.unwrap_or(&self.view).as_bytes();
        options.spellings.fix(source, 0, true, &mut piece.tokens);
        piece.source.extend_from_slice(source);
        piece.gap = self.tokenizer.gap();
    }

    /// Forgets the text, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.view.clear();
        self.run = None;
    }
}

/// Appends blanks up to byte `end`.
pub(super) fn fill(view: &mut String, end: usize) {
    const BLANKS: &str = "                                                                ";
    while let Some(blanks) = end.checked_sub(view.len()).filter(|&blanks| blanks > 0) {
        view.push_str(&BLANKS[..blanks.min(BLANKS.len())]);
    }
}

/// The positions in a text that the format determines, as bytes of the source.
#[derive(Debug, Default)]
struct Landmarks {
    /// The option that decides which capitals of the text are kept.
    capitalized: Capitalized,
    /// The positions at which a sentence begins, regardless of the text before them.
    begins: Vec<usize>,
    /// The beginnings of the lines of cues.
    lines: Vec<usize>,
    /// The names of speakers; true if a name repeats the last one.
    labels: Vec<(Range<usize>, bool)>,
}

impl Landmarks {
    /// Notes that a part of the text is at these bytes.
    fn add(&mut self, part: &TextPart, position: Range<usize>) {
        if part.opens_line {
            self.lines.push(position.start);
        }
        if matches!(part.role, PartRole::Beginning | PartRole::Label) {
            self.begins.push(position.start);
        }
        if matches!(part.role, PartRole::Label | PartRole::RepeatedLabel) {
            self.labels.push((position, part.role == PartRole::RepeatedLabel));
        }
    }

    /// Returns the text from byte `start` on, with blanks in place of the punctuation after the words of labels,
    /// which does not belong to the text.
    fn without_marks_of_labels<'a>(&self, view: &'a str, start: usize) -> Cow<'a, str> {
        let mut run = Cow::Borrowed(&view[start..]);
        for (label, _) in &self.labels {
            let mut at = label.start - start;
            for word in view[label.clone()].split_inclusive(' ') {
                let name = word.trim_end_matches(|c: char| !(c.is_alphanumeric() || is_joiner(c)));
                let marks = at + name.len()..at + word.len();
                at = marks.end;
                run.to_mut().replace_range(marks.clone(), &" ".repeat(marks.len()));
            }
        }
        run
    }

    /// Applies the landmarks to the words from `first` on, and forgets them; returns true if the last
    /// word belongs to a label.
    fn apply(&mut self, first: usize, tokens: &mut Tokens) -> bool {
        let words = &mut tokens.as_mut_slice()[first..];
        let at = |words: &[Token], position: usize| {
            words.partition_point(|word| (word.source.start as usize) < position)
        };
        for position in self.begins.drain(..) {
            let at = at(words, position);
            words.get_mut(at).into_iter().for_each(|word| word.starts = true);
        }
        for position in self.lines.drain(..) {
            let at = at(words, position);
            // If a line begins inside a word, no word opens the line.
            if at > 0 && words[at - 1].source.end as usize > position {
                continue;
            }
            words.get_mut(at).into_iter().for_each(|word| word.opens_line = true);
        }
        for (position, repeats) in self.labels.drain(..) {
            let words = &tokens.as_slice()[first..];
            let label = first + at(words, position.start)..first + at(words, position.end);
            for nth in label.clone() {
                let is_first = nth == label.start;
                let listed =
                    listed_case(tokens.lower(nth), is_first).or((is_first && repeats).then_some(Case::Title));
                let word = &mut tokens.as_mut_slice()[nth];
                word.is_label = true;
                word.opening.get_or_insert(Mark::None);
                if !is_first {
                    word.gap = Some(Mark::None);
                }
                // Lists decide the case of a word that loses its capitals, so they also decide the case
                // of a word without capitals.
                if let (Constraint::Free, Some(listed), Capitalized::Auto) =
                    (word.constraint, listed, self.capitalized)
                {
                    word.constraint = Constraint::Kept(listed);
                }
            }
            if let Some(next) = tokens.as_mut_slice().get_mut(label.end).filter(|_| !label.is_empty()) {
                next.gap = Some(Mark::None);
            }
        }
        tokens.as_slice()[first..].last().is_some_and(|word| word.is_label)
    }
}
