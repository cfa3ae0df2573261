//! Decides which capitals of the source stay: the letters of each line are judged, sentence by sentence.

use std::borrow::Cow;
use std::ops::Range;

use super::case::{Capitals, Case};
use super::mark::Mark;
use super::markup::untagged;
use super::options::RestoreOptions;
use super::resolve::{Decision, resolve};
use super::source_capitals::{Capitalized, DutchApostrophe};
use super::speaker_label::listed_case;
use super::tokens::{Break, Constraint, Token, Tokens};

/// The number of words of two letters or more that are enough to judge a sentence. A shorter sentence is judged
/// together with the adjacent sentence on its line: `He works for NASA. NASA! I know.`
const SHOWING: usize = 2;

/// The largest number of lower-case letters in the prefix of a name that is otherwise in capitals: `McDONALD`.
const LONGEST_PREFIX: u32 = 3;

/// The largest number of letters of a unit and of the ending of an ordinal.
const LONGEST_UNIT: usize = 4;

/// Decides for each sentence of a line whether it keeps its capitals, under [`Capitalized::Auto`].
#[derive(Debug, Clone, Default)]
pub struct KeptCapitals {
    /// The decision on the last sentence, made by its first words, in case the sentence continues.
    open: Option<bool>,
    /// The parts of the current piece that are judged, for reuse.
    parts: Vec<JudgedPart>,
}

/// Words whose capitals are judged together.
#[derive(Debug, Clone)]
struct JudgedPart {
    words: Range<usize>,
    /// True if the words are a speaker label.
    is_label: bool,
}

impl JudgedPart {
    /// Returns true if two adjacent parts are judged as one, since one of them is too short.
    fn joins(&self, next: &Self, tokens: &Tokens) -> bool {
        !self.is_label && !next.is_label && (self.is_short(tokens) || next.is_short(tokens))
    }

    fn is_short(&self, tokens: &Tokens) -> bool {
        let mut showing = self.words.clone().filter(|&at| has_two_letters(tokens.lower(at)));
        showing.nth(SHOWING - 1).is_none()
    }
}

/// The cases of the letters of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct LetterKinds {
    small: bool,
    capital: bool,
}

impl LetterKinds {
    fn are_both(self) -> bool {
        self.small && self.capital
    }

    /// Returns true if all letters are capitals.
    fn are_shouted(self) -> bool {
        self.capital && !self.small
    }
}

impl KeptCapitals {
    /// Drops the kept capitals of a sentence that has lost its case, or whose restored form would have no lower-case
    /// letter or no capital. Restored again, such a form would count as a sentence that has lost its case, and the
    /// result would differ (`WHO bbc` becomes `WHO BBC`, and `WHO BBC` becomes `who BBC`). Speaker labels are no
    /// evidence about their lines, and lose their own capitals only together with their lines.
    pub fn drop_kept_capitals(
        &mut self,
        source: &[u8],
        tokens: &mut Tokens,
        decisions: &[Decision],
        options: &RestoreOptions,
    ) {
        if options.capitalized != Capitalized::Auto || tokens.is_empty() {
            return;
        }
        let words = tokens.as_slice();
        let goes_on = decisions.first().is_some_and(|first| !begins_part(&words[0], first, false));
        let mut open = self.open.filter(|_| goes_on);
        let mut start = 0;
        while start < tokens.len() {
            let words = &tokens.as_slice()[start..];
            let len = words[1..].iter().position(|word| word.before >= Break::Line);
            let line = start..len.map_or(tokens.len(), |len| start + len + 1);
            start = line.end;
            open = match words[..line.len()].iter().any(is_kept) {
                true => {
                    self.find_parts(line, tokens, decisions, options);
                    self.judge(open, source, tokens, decisions, options)
                }
                // A sentence without capitals keeps none.
                false => open.filter(|_| {
                    let others = words[1..line.len()].iter().zip(&decisions[line.start + 1..]);
                    !others.into_iter().any(|(word, decision)| begins_part(word, decision, false))
                }),
            };
            self.open = open.or(Some(false));
            open = None;
        }
    }

    /// Judges the parts of a line in which some words have capitals; `open` is the decision on the sentence that
    /// continues there. Returns the decision on its last sentence.
    fn judge(
        &mut self,
        open: Option<bool>,
        source: &[u8],
        tokens: &mut Tokens,
        decisions: &[Decision],
        options: &RestoreOptions,
    ) -> Option<bool> {
        let mut last = None;
        // The text of a line is judged before its speaker label, because it is evidence for the label.
        for at in (0..self.parts.len()).rev() {
            let part = &self.parts[at];
            let rest = self.parts.get(at + 1).filter(|rest| !rest.is_label);
            let judge = Judge { source, words: tokens.as_slice(), decisions, options };
            let keeps = match open.filter(|_| at == 0) {
                Some(keeps) => keeps,
                None if part.is_label => judge.keeps_label(part, rest),
                None => judge.keeps(&part.words),
            };
            last = last.or(Some(keeps));
            let first = part.words.start;
            for word in part.words.clone() {
                let begins = decisions[word].begins(&tokens.as_slice()[word]);
                match keeps {
                    true if !begins => keep_small(word, source, tokens),
                    true => {}
                    false => free(word, word == first || begins, tokens, options),
                }
            }
        }
        last
    }

    /// Divides the words of a line into the parts that are judged.
    fn find_parts(
        &mut self,
        line: Range<usize>,
        tokens: &Tokens,
        decisions: &[Decision],
        options: &RestoreOptions,
    ) {
        self.parts.clear();
        let by_sentence = options.form.is_by_sentence();
        let (mut ended, mut was_label) = (true, false);
        for at in line {
            let token = &tokens.as_slice()[at];
            let begins = ended || begins_part(token, &decisions[at], was_label);
            was_label = token.is_label;
            ended =
                by_sentence && options.marks.is_empty() && decisions[at].choice.label.mark.ends_sentence();
            match self.parts.last_mut() {
                Some(part) if !begins => part.words.end = at + 1,
                _ => self.parts.push(JudgedPart { words: at..at + 1, is_label: token.is_label }),
            }
        }
        if !by_sentence && self.parts.len() > 1 {
            self.parts.dedup_by(|next, part| {
                let joins = part.joins(next, tokens);
                if joins {
                    part.words.end = next.words.end;
                }
                joins
            });
        }
    }
}

/// Returns true if a new part, which is judged separately, begins with this word; `was_label` is true if the word
/// before it is part of a speaker label.
fn begins_part(token: &Token, decision: &Decision, was_label: bool) -> bool {
    let goes_on_in_label = token.is_label && was_label;
    token.before >= Break::Line
        || !goes_on_in_label && (token.opens_line || decision.begins(token) || token.is_label != was_label)
}

/// Leaves the case of a word whose capitals are kept to the method; `is_first` is true for the first word of a part,
/// and for a word that begins a sentence.
fn free(at: usize, is_first: bool, tokens: &mut Tokens, options: &RestoreOptions) {
    let token = &tokens.as_slice()[at];
    if is_kept(token) {
        let listed = if token.is_label { listed_case(tokens.lower(at), is_first) } else { None };
        let apostrophe = DutchApostrophe::of(options.locale(), token.left, tokens.lower(at));
        let constraint = match (DutchApostrophe::constraint(apostrophe), listed) {
            (Constraint::Free, Some(listed)) => Constraint::Kept(listed),
            (constraint, _) => constraint,
        };
        tokens.as_mut_slice()[at].constraint = constraint;
    }
}

/// Keeps the lower case of a word inside a sentence with capitals, where a method is seldom right about a
/// capital: the first word of a quote that is part of the sentence (`he said "wow!" and left`), and a word
/// that is divided at a line end.
fn keep_small(at: usize, source: &[u8], tokens: &mut Tokens) {
    let token = &tokens.as_slice()[at];
    let word = &source[token.source.start as usize..token.source.end as usize];
    let opens_quote =
        matches!(token.left, Some('"' | '“' | '„' | '«' | '»')) && token.gap == Some(Mark::None);
    let is_open = (opens_quote || word.contains(&b'\n')) && token.constraint == Constraint::Free;
    if is_open && !str::from_utf8(word).is_ok_and(has_capital) {
        tokens.as_mut_slice()[at].constraint = Constraint::Fixed(Case::Lower);
    }
}

fn has_capital(word: &str) -> bool {
    untagged(word).contains(char::is_uppercase)
}

fn is_kept(word: &Token) -> bool {
    matches!(word.constraint, Constraint::Kept(_) | Constraint::Doubtful(_))
}

fn has_two_letters(lower: &str) -> bool {
    let is_plain =
        lower.as_bytes().first_chunk().is_some_and(|[a, b]| a.is_ascii_lowercase() && b.is_ascii_lowercase());
    is_plain || lower.chars().filter(|c| c.is_alphabetic()).nth(1).is_some()
}

/// Judges parts of a piece.
struct Judge<'a> {
    source: &'a [u8],
    words: &'a [Token],
    decisions: &'a [Decision],
    options: &'a RestoreOptions,
}

impl Judge<'_> {
    /// Returns true if words have letters in both cases, in the source and in the restored text.
    fn keeps(&self, words: &Range<usize>) -> bool {
        // Most sentences with capitals have such a word.
        if words.clone().any(|at| self.is_kept_title(at)) {
            return true;
        }
        self.kinds(words, |_, word| self.in_source(word)).are_both()
            && self.kinds(words, |at, word| self.written(at, word)).are_both()
    }

    /// Returns true if a word stays in title case, and so has letters in both cases.
    fn is_kept_title(&self, at: usize) -> bool {
        self.words[at].constraint == Constraint::Kept(Case::Title) && !self.follows_number(at)
    }

    fn follows_number(&self, at: usize) -> bool {
        self.words[at].before == Break::Space
            && at
                .checked_sub(1)
                .is_some_and(|before| self.source[self.words[before].source.start as usize].is_ascii_digit())
    }

    /// Returns true if a speaker label keeps its capitals, according to its own letters or to the letters of `rest`,
    /// the rest of its line.
    fn keeps_label(&self, label: &JudgedPart, rest: Option<&JudgedPart>) -> bool {
        let is_plain = |rest: &JudgedPart| {
            !self.kinds(&rest.words, |_, word| self.in_source(word)).are_shouted()
                && !self.kinds(&rest.words, |at, word| self.written(at, word)).are_shouted()
        };
        self.keeps(&label.words) || rest.is_some_and(is_plain)
    }

    /// Returns the kinds of letters of some words, if each has the capitals that `capitals` returns.
    fn kinds(&self, words: &Range<usize>, capitals: impl Fn(usize, &str) -> Capitals) -> LetterKinds {
        let mut kinds = LetterKinds::default();
        for at in words.clone() {
            let Some(word) = self.word(at) else { continue };
            let found = capitals(at, &word);
            let all = Case::Upper.capitals(&word, self.options.locale());
            kinds.capital |= found != Capitals(0);
            kinds.small |= found != all && !self.is_in_capitals(at, &word, found, all);
            if kinds.are_both() {
                break;
            }
        }
        kinds
    }

    fn word(&self, at: usize) -> Option<Cow<'_, str>> {
        let Range { start, end } = self.words[at].source.clone();
        str::from_utf8(&self.source[start as usize..end as usize]).ok().map(untagged)
    }

    fn in_source(&self, word: &str) -> Capitals {
        Case::of(word, self.options.locale()).capitals(word, self.options.locale())
    }

    fn written(&self, at: usize, word: &str) -> Capitals {
        let case = resolve(word, &self.words[at], &self.decisions[at], self.options).case;
        case.capitals(word, self.options.locale())
    }

    /// Returns true if a word with exactly these capitals may occur in text in capitals; `all` are the letters that
    /// can be capitals: `McDONALD`, `iPHONE`, `CEOs`, `5th`, `km` after a number.
    fn is_in_capitals(&self, at: usize, word: &str, capitals: Capitals, all: Capitals) -> bool {
        let (Capitals(capitals), Capitals(all)) = (capitals, all);
        let count = all.count_ones();
        let small = (!capitals & all).count_ones();
        let is_name = || {
            // The lower-case letters are right after a capital first letter, or only the first letter is in lower
            // case.
            let after = (capitals >> 1).trailing_zeros();
            let is_prefix = if capitals & 1 == 1 { after == small } else { after == 0 && small == 1 };
            is_prefix && small <= LONGEST_PREFIX && count >= small + 2 + (capitals as u32 & 1)
        };
        let is_plural = || {
            small == 1 && count > 2 && capitals.leading_zeros() > all.leading_zeros() && word.ends_with('s')
        };
        let is_unit = || {
            count as usize <= LONGEST_UNIT
                && (word.starts_with(|c: char| c.is_ascii_digit()) || self.follows_number(at))
        };
        capitals != 0 && (is_name() || is_plural()) || is_unit()
    }
}

/// Marks as doubtful the capitals of a line, from word `first` on, that are not certain to stay: the sentence may
/// lose them if there are no lower-case letters in the word or in an adjacent word.
pub(super) fn mark_doubtful(tokens: &mut Tokens, first: usize) {
    if !tokens.as_slice()[first..].iter().any(|word| word.constraint.has_capital()) {
        return;
    }
    for at in first..tokens.len() {
        let words = tokens.as_slice();
        let Constraint::Kept(case) = words[at].constraint else { continue };
        // Adjacent words count across sentence ends, since more sentence ends may be inserted.
        let opens = |word: &Token| word.opens_line || word.before >= Break::Line;
        let before = at.checked_sub(1).filter(|&before| before >= first && !opens(&words[at]));
        let after = Some(at + 1).filter(|&after| words.get(after).is_some_and(|word| !opens(word)));
        let is_sure = [before, Some(at), after].into_iter().flatten().any(|at| has_small(tokens, at));
        if case != Case::Lower && !is_sure && !words[at].is_label {
            tokens.as_mut_slice()[at].constraint = Constraint::Doubtful(case);
        }
    }
}

/// Returns true if a word has lower-case letters in the source that it would not have in text in capitals. A word
/// after a number may be a unit, and does not count.
fn has_small(tokens: &Tokens, at: usize) -> bool {
    let words = tokens.as_slice();
    let is_number = |at: usize| tokens.lower(at).starts_with(|c: char| c.is_ascii_digit());
    let may_be_unit = is_number(at) || at > 0 && words[at].before == Break::Space && is_number(at - 1);
    match words[at].constraint {
        _ if may_be_unit => false,
        Constraint::Free | Constraint::Kept(Case::Lower | Case::Title) => has_two_letters(tokens.lower(at)),
        Constraint::Kept(Case::Mixed(Capitals(capitals))) => {
            let letters = tokens.lower(at).chars().filter(|c| c.is_alphabetic()).count() as u32;
            letters > capitals.count_ones() + LONGEST_PREFIX
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenize::{Cut, Tokenizer};
    use crate::{Label, Locale, OutputForm};

    /// Returns the words whose capitals stay, if a method would write all words in lower case.
    fn kept(text: &str, options: &RestoreOptions) -> Vec<String> {
        let mut tokens = Tokens::new();
        let mut tokenizer = Tokenizer::new(Locale::Root, "en", options.capitalized);
        tokenizer.read(text, 0, Cut::Whole, &mut tokens);
        let decisions = vec![Decision::from(Label::from(Case::Lower)); tokens.len()];
        KeptCapitals::default().drop_kept_capitals(text.as_bytes(), &mut tokens, &decisions, options);
        let words = tokens.as_slice().iter().filter(|word| is_kept(word));
        words.map(|word| text[word.source.start as usize..word.source.end as usize].to_owned()).collect()
    }

    fn stays(text: &str) -> String {
        kept(text, &RestoreOptions::default()).join(" ")
    }

    #[test]
    fn capitals_stay_in_a_line_of_both_cases() {
        assert_eq!(stays("the NATO\nALL CAPS\nnone"), "NATO");
        assert_eq!(stays("Ana and THE MAN met"), "Ana THE MAN");
    }

    #[test]
    fn each_sentence_of_a_line_is_judged_by_itself_unless_it_is_short() {
        assert_eq!(stays("I saw it. THE MAN FLED. He ran."), "I He");
        assert_eq!(stays("I saw it. NO! He is at NASA. OK?"), "I NO He NASA OK");
        assert_eq!(stays("OK. I saw it. YES"), "OK I YES");
        assert_eq!(stays("WHO? THE MAN FLED."), "");
    }

    #[test]
    fn names_units_and_plurals_make_no_line_mixed() {
        for text in [
            "THE McDONALD CASE",
            "MacARTHUR WENT TO DeVITO",
            "THE CEOs OF THE BBC's SHOW",
            "ON THE 5th OF MAY AT 10am",
            "RUN 5 km OR 10 kHz",
            "MY iPHONE IS NEW",
        ] {
            assert_eq!(stays(text), "", "{text}");
        }
        assert_eq!(stays("McDonald met Ana"), "McDonald Ana");
        assert_eq!(stays("a PhD in THE US"), "PhD THE US");
        assert_eq!(stays("the iOS"), "iOS");
    }

    #[test]
    fn capitals_that_a_sentence_may_lose_are_doubtful() {
        let doubtful = |text: &str| {
            let mut tokens = Tokens::new();
            let tokenizer = Tokenizer::new(Locale::Root, "en", Capitalized::Auto);
            let mut tokenizer = tokenizer.putting_marks(true);
            tokenizer.read(text, 0, Cut::Whole, &mut tokens);
            let words = tokens.iter().filter(|(_, word)| matches!(word.constraint, Constraint::Doubtful(_)));
            words.map(|(lower, _)| lower).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(doubtful("Then He\n- TOTAL"), "total");
        assert_eq!(doubtful("I saw it. THE MAN FLED. A man ran to the BBC Office"), "man fled");
        assert_eq!(doubtful("we saw THE BIG MAN run"), "big");
        assert_eq!(doubtful("5 Then"), "then");
        assert_eq!(doubtful("In 2019 They left, 5 Km"), "km");
        assert_eq!(doubtful("THE Anti-Corruption UNIT\nTHE McDONALD CASE"), "the mcdonald case");
    }

    #[test]
    fn a_text_of_a_sentence_a_line_is_judged_sentence_by_sentence() {
        let options = RestoreOptions::default().form(OutputForm::Sentences);
        assert_eq!(kept("I saw it. NO! He ran.", &options).join(" "), "I He");
    }

    #[test]
    fn all_capitals_stay_or_none_where_that_is_asked_for() {
        let of = |capitalized| RestoreOptions::default().capitalized(capitalized);
        assert_eq!(kept("ALL of it\nTHE MAN", &of(Capitalized::Keep)).join(" "), "ALL THE MAN");
        assert!(kept("ALL of it", &of(Capitalized::Ignore)).is_empty());
    }
}
