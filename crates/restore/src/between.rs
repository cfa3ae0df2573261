//! Restores a text that is inserted between two other texts.

use std::ops::Range;

use super::openings::with_openings;
use super::texts::push_words;
use super::{Done, Out, PieceQueue, RestoredWord, TextRestorer, options, whole_piece};
use majuscule_base::error::{Error, Result, option};
use majuscule_base::files::Input;
use majuscule_format::{Format, Piece};
use majuscule_text::restorer::{Request, Restorer};
use majuscule_text::text_around::{begins_line, spaces_around};
use majuscule_text::write::{push_mark, push_opening};
use majuscule_text::{
    Decision, Mark, MarkPlaces, MarkSet, OutputForm, RestoreOptions, SentenceStart, TextAround, Token,
};

impl TextRestorer {
    /// Restores a text that is inserted between two others, such as words dictated at the cursor of an editor, and
    /// returns it as it is to be inserted: [`TextRestorer::restore`] with [`RestoreOptions::around`].
    ///
    /// A sentence begins with the text if `before` is empty, or ends with a sentence or a line; otherwise only names and
    /// other words that have capitals inside a sentence get one. A sentence ends with the text only if it began in the
    /// text, or if `after` begins with a capital. Spaces are inserted where the text would touch a word.
    ///
    /// ```
    /// use majuscule::{MarkSet, Model, RestoreOptions};
    ///
    /// let restorer = Model::embedded("en")?.with(RestoreOptions::default().marks(MarkSet::USUAL));
    /// assert_eq!(restorer.between("We went", "to the park", "")?, " to the park");
    /// assert_eq!(restorer.between("We went home.", "it was late", "")?, " It was late.");
    /// # Ok::<(), majuscule::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns the method's errors.
    pub fn between(&self, before: &str, text: &str, after: &str) -> Result<String> {
        let options = self.options.clone().around(Some(TextAround::new(before, after)));
        Self { model: self.model.clone(), options }.restore(text)
    }
}

/// Restores a text in the context of the text around it. Returns it with the spaces that are inserted, and the number
/// of its words.
///
/// # Errors
/// Returns the method's errors.
pub(super) fn restore(
    method: &dyn Restorer,
    options: &RestoreOptions,
    around: &TextAround,
    text: &str,
) -> Result<(String, usize)> {
    let fragment = Fragment::new(around, text, options);
    let (words, options) = fragment.words(method, options, |request| request)?;
    if words.is_empty() {
        return Ok((text.to_owned(), 0));
    }
    let (mut restored, mut done) = (fragment.lead.as_bytes().to_vec(), 0);
    for word in &words {
        restored.extend_from_slice(&text.as_bytes()[done..word.span.start]);
        push_opening(word.opening, &options, &mut restored);
        restored.extend_from_slice(word.text.as_bytes());
        push_mark(word.mark, &options, &mut restored);
        done = word.span.end;
    }
    restored.extend_from_slice(&text.as_bytes()[done..]);
    restored.extend_from_slice(fragment.trail.as_bytes());
    Ok((String::from_utf8_lossy(&restored).into_owned(), words.len()))
}

/// Restores a file in the context of the text around it. Line breaks at the end of the file stay after the inserted
/// spaces.
///
/// # Errors
/// Fails if the file cannot be read or written; returns [`Error::Usage`] for an output form other than text, and the
/// method's errors.
pub(super) fn restore_file(
    input: Input,
    method: &dyn Restorer,
    options: &RestoreOptions,
    around: &TextAround,
    out: &mut Out<'_>,
) -> Result<Done> {
    if options.form != OutputForm::Text {
        let [before, after] = ["before", "after"].map(option);
        let problem =
            "print only the restored text: leave them out to print words, changes or one sentence per line";
        return Err(Error::usage(format!("{before} and {after} {problem}")));
    }
    let text = input.text()?;
    let fragment = text.trim_end_matches(['\r', '\n']);
    let (restored, words) = restore(method, options, around, fragment)?;
    let restored = restored + &text[fragment.len()..];
    let done = Done { words: words as u64, bytes: text.len() as u64, changed: restored != text };
    out(restored.as_bytes(), done)?;
    Ok(done)
}

/// Restores the words of a text in the context of the text around it; `request` changes the request to the method.
///
/// # Errors
/// Returns the method's errors.
pub(super) fn words(
    method: &dyn Restorer,
    options: &RestoreOptions,
    around: &TextAround,
    text: &str,
    request: impl FnOnce(Request) -> Request,
) -> Result<Vec<RestoredWord>> {
    Ok(Fragment::new(around, text, options).words(method, options, request)?.0)
}

/// A text, the text around it, and the spaces between them.
struct Fragment<'a> {
    around: &'a TextAround,
    text: &'a str,
    lead: &'a str,
    trail: &'a str,
}

/// The fragment as a part of the whole text.
struct FragmentSpan {
    /// Its position, in bytes.
    span: Range<usize>,
    /// Its words. The first and the last one may be parts of words of the whole text: `l'` before `Europe`.
    words: Range<usize>,
}

impl<'a> Fragment<'a> {
    fn new(around: &'a TextAround, text: &'a str, options: &RestoreOptions) -> Self {
        let [lead, trail] = spaces_around(around, text, options.language());
        Self { around, text, lead, trail }
    }

    /// Returns the restored words of the fragment, and the options in use.
    fn words(
        &self,
        method: &dyn Restorer,
        options: &RestoreOptions,
        request: impl FnOnce(Request) -> Request,
    ) -> Result<(Vec<RestoredWord>, RestoreOptions)> {
        let mut options = Format::Text.fill_in(options)?.form(OutputForm::Text);
        // The text around the fragment has no influence on which capitals are kept.
        let own = whole_piece(self.text, &options)?;
        if own.tokens.is_empty() {
            return Ok((Vec::new(), options));
        }
        if options.puts() == Some(MarkPlaces::Unmarked) && own.tokens.as_slice().iter().any(has_mark) {
            options.marks = MarkSet::NONE;
        }
        let Self { around, text, lead, trail } = self;
        let whole = [around.before(), lead, text, trail, around.after()].concat();
        let mut piece = whole_piece(whole, &options)?;
        let part = self.prepare(&mut piece, own.tokens.as_slice(), &options);
        let request = request(options::request(&options, method, Format::Text)?);
        let mut queue = PieceQueue::new(with_openings(method.session(request), &options), &options);
        let mut words = Vec::new();
        let take = &mut |piece: &Piece, decisions: &[Decision]| {
            let mut decisions = decisions[part.words.clone()].to_vec();
            self.close(piece, &part, &mut decisions);
            words = part.restored(piece, &decisions, &options, method.labels().ends_sentences());
            Ok(())
        };
        queue.push(piece, take)?;
        queue.flush(take)?;
        Ok((words, options))
    }

    /// Closes the text around the fragment to inserted marks, and to sentence starts that no visible sign shows.
    /// `own` are the words of the fragment when it is read alone.
    fn prepare(&self, piece: &mut Piece, own: &[Token], options: &RestoreOptions) -> FragmentSpan {
        let start = self.around.before().len() + self.lead.len();
        let (span, tokens) = (start..start + self.text.len(), piece.tokens.as_slice());
        let first = tokens.partition_point(|word| word.source.end as usize <= span.start);
        let words = first..tokens.partition_point(|word| (word.source.start as usize) < span.end);
        let is_bare = !own.iter().any(has_mark);
        let is_alike = own.len() == words.len();
        for (at, token) in piece.tokens.as_mut_slice().iter_mut().enumerate() {
            let is_inside = words.contains(&at) && at > words.start;
            token.is_bare = Some(is_bare && is_inside);
            if !is_inside && at != words.end {
                token.gap = token.gap.or(Some(Mark::None));
            }
            if (token.source.start as usize) < span.start || !words.contains(&at) {
                continue;
            }
            if is_alike {
                token.constraint = own[at - words.start].constraint;
            }
            if at == words.start {
                token.starts |= options.sentence_start != SentenceStart::Never && begins_line(self.around);
            }
        }
        FragmentSpan { span, words }
    }

    /// Removes inserted marks at the ends of the fragment: a mark inside a word of the whole text, and a mark that
    /// ends a sentence which neither began in the fragment nor visibly ends there.
    fn close(&self, piece: &Piece, part: &FragmentSpan, decisions: &mut [Decision]) {
        let tokens = &piece.tokens.as_slice()[part.words.clone()];
        let began = || tokens.iter().zip(&*decisions).any(|(token, decision)| decision.begins(token));
        let may_end = match self.around.after().trim_start().chars().next() {
            None => began(),
            Some(next) => next.is_uppercase(),
        };
        let [divides_first, divides_last] = part.divides(tokens);
        if let Some(first) = decisions.first_mut().filter(|_| divides_first) {
            first.placed.before = Mark::None;
        }
        let is_refused = |mark: Mark| divides_last || mark.ends_sentence() && !may_end;
        if let Some(last) = decisions.last_mut().filter(|last| is_refused(last.placed.after)) {
            last.placed.after = Mark::None;
        }
    }
}

impl FragmentSpan {
    /// Returns whether the first word begins before the fragment, and whether the last word ends after it.
    fn divides(&self, tokens: &[Token]) -> [bool; 2] {
        let first = tokens.first().is_some_and(|word| (word.source.start as usize) < self.span.start);
        let last = tokens.last().is_some_and(|word| word.source.end as usize > self.span.end);
        [first, last]
    }

    /// Returns the characters of `restored` that belong to the fragment; `source` is the position of the same text in
    /// the whole text. A change of case keeps the number of characters.
    fn cut(&self, piece: &Piece, source: Range<usize>, restored: &str) -> String {
        let count = |part: Range<usize>| String::from_utf8_lossy(&piece.source[part]).chars().count();
        let before = count(source.start..self.span.start.max(source.start));
        let after = count(self.span.end.min(source.end)..source.end);
        let inside = restored.chars().count().saturating_sub(before + after);
        restored.chars().skip(before).take(inside).collect()
    }

    /// Returns the restored words of the fragment.
    fn restored(
        &self,
        piece: &Piece,
        decisions: &[Decision],
        options: &RestoreOptions,
        ends_sentences: bool,
    ) -> Vec<RestoredWord> {
        let (mut part, mut words) = (Piece::default(), Vec::new());
        part.source.clone_from(&piece.source);
        part.tokens.extend(&piece.tokens, self.words.clone());
        push_words(&part, decisions, options, ends_sentences, 0, &mut words);
        for word in &mut words {
            word.text = self.cut(piece, word.span.clone(), &word.text);
            let [start, end] =
                [word.span.start, word.span.end].map(|at| at.clamp(self.span.start, self.span.end));
            word.span = start - self.span.start..end - self.span.start;
        }
        words
    }
}

/// Returns true if there is a mark before a word.
fn has_mark(token: &Token) -> bool {
    token.gap.is_some_and(|mark| mark != Mark::None)
}
