//! Applies labels to text: the only code that changes letters and inserts marks.

use super::mark::{Mark, MarkForm};
use super::markup::{retagged, untagged};
use super::options::RestoreOptions;
use super::resolve::{Decision, Placed, Resolved, resolve, stays_lower};
use super::tokens::{Token, Tokens};

/// Appends `source` to `out` with its words in the chosen cases, the marks that are
/// [inserted](Placed), and everything else unchanged. [`resolve`] decides the cases.
///
/// # Panics
/// Panics if there are fewer decisions than words, or if the positions of the words are outside the source.
pub fn write(
    source: &[u8],
    tokens: &Tokens,
    decisions: &[Decision],
    options: &RestoreOptions,
    out: &mut Vec<u8>,
) {
    write_with(source, tokens, decisions, options, out, &mut |token, placed, side, out| {
        side.push(placed, options, out);
        side.of(token)
    });
}

/// The side of a word on which a mark is inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkSide {
    /// An opening, before the word.
    Before,
    /// A mark after the word.
    After,
}

impl MarkSide {
    /// Returns the position of this side of a word in the source, in bytes.
    pub fn of(self, token: &Token) -> usize {
        match self {
            Self::Before => token.source.start as usize,
            Self::After => token.source.end as usize,
        }
    }

    /// Appends the characters of the mark that is inserted on this side of a word.
    pub fn push(self, placed: Placed, options: &RestoreOptions, out: &mut Vec<u8>) {
        match self {
            Self::Before => push_opening(placed.before, options, out),
            Self::After => push_mark(placed.after, options, out),
        }
    }
}

/// Appends the opening mark of a sentence that ends with `mark`, if the language has one.
pub fn push_opening(mark: Mark, options: &RestoreOptions, out: &mut Vec<u8>) {
    if let Some(c) = mark.opening(options.language()) {
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        out.extend((options.mark_form == Some(MarkForm::Apart)).then_some(b' '));
    }
}

/// Appends the characters of a mark.
pub fn push_mark(mark: Mark, options: &RestoreOptions, out: &mut Vec<u8>) {
    let form = options.mark_form.unwrap_or_default();
    if let Some((space, c)) = mark.spelling(options.language(), form) {
        out.extend_from_slice(space.as_bytes());
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

/// Writes the marks that are inserted at a word: see [`write_with`].
pub type Insert<'a> = dyn FnMut(&Token, Placed, MarkSide, &mut Vec<u8>) -> usize + 'a;

/// Writes like [`write()`], but calls `put` for each inserted mark with the output so far. `put` writes the mark, and
/// returns the byte of the source up to which the output is complete.
pub fn write_with(
    source: &[u8],
    tokens: &Tokens,
    decisions: &[Decision],
    options: &RestoreOptions,
    out: &mut Vec<u8>,
    put: &mut Insert<'_>,
) {
    assert!(decisions.len() >= tokens.len(), "one outcome for each word");
    let mut written = 0;
    let mut spelled = String::new();
    for (token, decision) in tokens.as_slice().iter().zip(decisions) {
        let (start, end) = (token.source.start as usize, token.source.end as usize);
        let bytes = &source[start..end];
        if decision.placed.before != Mark::None {
            out.extend_from_slice(&source[written..start]);
            written = put(token, decision.placed, MarkSide::Before, out);
        }
        if !stays_as_it_is(bytes, token, decision, options)
            && let Ok(word) = std::str::from_utf8(bytes)
        {
            spelled.clear();
            spell(word, token, decision, options, &mut spelled);
            out.extend_from_slice(&source[written..start]);
            out.extend_from_slice(spelled.as_bytes());
            written = end;
        }
        if decision.placed.after != Mark::None {
            out.extend_from_slice(&source[written..end]);
            written = put(token, decision.placed, MarkSide::After, out);
        }
    }
    out.extend_from_slice(&source[written..]);
}

/// Returns true if a word certainly stays unchanged. Most unchanged words are found without decoding them as text.
#[inline]
pub fn stays_as_it_is(word: &[u8], token: &Token, decision: &Decision, options: &RestoreOptions) -> bool {
    stays_lower(token, decision, options) && word.iter().all(|b| b.is_ascii() && !b.is_ascii_uppercase())
}

/// Appends a word of the source in a given case, with the tags inside it unchanged.
#[inline]
pub fn spell(
    word: &str,
    token: &Token,
    decision: &Decision,
    options: &RestoreOptions,
    out: &mut String,
) -> Resolved {
    let plain = untagged(word);
    let resolved = resolve(&plain, token, decision, options);
    if plain.len() == word.len() {
        resolved.case.apply(&plain, options.locale(), out);
    } else {
        retagged(word, &resolved.case.applied(&plain, options.locale()), out);
    }
    resolved
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenize::{Capitalized, Cut, Tokenizer, tokenize};
    use crate::{Capitals, Case, Label, Locale, SentenceStart};
    use proptest::prelude::*;

    /// The plain twin of [`write`]: every word is spelled anew.
    fn plain_write(
        source: &str,
        tokens: &Tokens,
        decisions: &[Decision],
        options: &RestoreOptions,
    ) -> String {
        let (mut out, mut written) = (String::new(), 0);
        for (token, decision) in tokens.as_slice().iter().zip(decisions) {
            let (start, end) = (token.source.start as usize, token.source.end as usize);
            let word = &source[start..end];
            out += &source[written..start];
            resolve(word, token, decision, options).case.apply(word, options.locale(), &mut out);
            written = end;
        }
        out + &source[written..]
    }

    proptest! {
        #[test]
        fn words_left_as_they_are_are_what_spelling_them_gives(
            text in "([a-cA-Ciİı3é]{1,3}[ '.\n]{1,2}){0,12}",
            cases in prop::collection::vec(0u64..4, 48),
            sentence_start in prop_oneof![Just(SentenceStart::Auto), Just(SentenceStart::Always), Just(SentenceStart::Never)],
            capitalized in prop_oneof![Just(Capitalized::Auto), Just(Capitalized::Keep), Just(Capitalized::Ignore)],
        ) {
            for locale in [Locale::Root, Locale::Turkic] {
                let options = RestoreOptions::default().in_locale(Some(locale)).sentence_start(sentence_start);
                let mut tokens = Tokens::new();
                Tokenizer::new(locale, "en", capitalized).read(&text, 0, Cut::Whole, &mut tokens);
                let any_case = |k: &u64| match k {
                    0 | 1 => Case::Lower,
                    2 => Case::Title,
                    _ => Case::Mixed(Capitals(0b10)),
                };
                let choices: Vec<_> =
                    cases.iter().map(|k| Label::from(any_case(k)).into()).collect();
                let mut out = Vec::new();
                write(text.as_bytes(), &tokens, &choices, &options, &mut out);
                prop_assert_eq!(String::from_utf8(out).unwrap(), plain_write(&text, &tokens, &choices, &options));
            }
        }
    }

    fn written(source: &str, cases: &[Case], sentence_start: SentenceStart) -> String {
        let tokens = tokenize(source, Locale::Root, "en");
        let choices: Vec<_> = cases.iter().map(|&case| Label::from(case).into()).collect();
        let mut out = Vec::new();
        write(
            source.as_bytes(),
            &tokens,
            &choices,
            &RestoreOptions::default().sentence_start(sentence_start),
            &mut out,
        );
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn letters_change_and_nothing_else() {
        let cases = [Case::Title, Case::Mixed(Capitals(0b101)), Case::Upper];
        assert_eq!(
            written("\thello,  MCdonald\r\n(nato)", &cases, SentenceStart::Never),
            "\tHello,  McDonald\r\n(NATO)"
        );
    }

    #[test]
    fn a_sentence_start_gets_its_capital() {
        let lower = [Case::Lower; 3];
        assert_eq!(written("one. two\nthree", &lower, SentenceStart::Auto), "One. Two\nthree");
        assert_eq!(written("one. two\nthree", &lower, SentenceStart::Always), "One. Two\nThree");
        assert_eq!(written("one. two\nthree", &lower, SentenceStart::Never), "one. two\nthree");
    }

    #[test]
    fn a_sentence_start_respects_mixed_case() {
        let iphone = Case::of("iPhone", Locale::Root);
        let europe = Case::of("l'Europe", Locale::Root);
        assert_eq!(
            written("iphone. l'europe. 3rd.", &[iphone, europe, Case::Lower], SentenceStart::Auto),
            "iPhone. L'Europe. 3rd."
        );
    }
}
