//! Punctuation marks after a word, and sets of them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use majuscule_base::error::Error;
use majuscule_base::named::NamedValue;

/// The mark after a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Mark {
    /// No mark: the sentence continues.
    #[default]
    None,
    /// A comma.
    Comma,
    /// A full stop.
    Period,
    /// A question mark.
    Question,
    /// An exclamation mark.
    Exclamation,
    /// A colon.
    Colon,
    /// A semicolon.
    Semicolon,
    /// A dash between words, not a hyphen.
    Dash,
    /// An ellipsis.
    Ellipsis,
    /// The end of a sentence whose punctuation mark is unknown.
    SentenceEnd,
}

/// The name, the character and the strength of each mark, in the order of the enumeration.
const MARKS: [(&str, Option<char>, u8); 10] = [
    ("none", None, 0),
    ("comma", Some(','), 1),
    ("period", Some('.'), 5),
    ("question", Some('?'), 8),
    ("exclamation", Some('!'), 7),
    ("colon", Some(':'), 3),
    ("semicolon", Some(';'), 4),
    ("dash", Some('–'), 2),
    ("ellipsis", Some('…'), 6),
    ("sentence end", None, 0),
];

impl Mark {
    /// The marks that have a character, in the order of the enumeration.
    pub const WRITTEN: [Self; 8] = [
        Self::Comma,
        Self::Period,
        Self::Question,
        Self::Exclamation,
        Self::Colon,
        Self::Semicolon,
        Self::Dash,
        Self::Ellipsis,
    ];

    /// Returns true if a sentence ends with the mark.
    #[inline]
    pub fn ends_sentence(self) -> bool {
        matches!(self, Self::Period | Self::Question | Self::Exclamation | Self::Ellipsis | Self::SentenceEnd)
    }

    /// Returns the character of the mark; `None` for no mark and for an unknown one.
    pub fn character(self) -> Option<char> {
        MARKS[self as usize].1
    }

    /// Returns the inverted form of the mark, such as `¿`, which opens a sentence in some languages.
    pub(super) fn inverted(self) -> Option<char> {
        match self {
            Self::Question => Some('¿'),
            Self::Exclamation => Some('¡'),
            _ => None,
        }
    }

    /// Returns the mark that ends a sentence opened by `c`: a question mark for `¿`, [`Mark::None`] if `c` opens
    /// none.
    pub fn opened_by(c: char) -> Self {
        match c {
            '¿' => Self::Question,
            '¡' => Self::Exclamation,
            _ => Self::None,
        }
    }

    /// Returns the name of the mark.
    pub fn name(self) -> &'static str {
        MARKS[self as usize].0
    }

    /// Returns the mark that a character represents, in any script; a hyphen is a dash.
    pub fn of(c: char) -> Self {
        match c {
            ',' | '،' | '，' | '、' => Self::Comma,
            ':' | '：' => Self::Colon,
            ';' | '；' | '؛' | '·' => Self::Semicolon,
            '-' | '–' | '—' => Self::Dash,
            '…' => Self::Ellipsis,
            '?' | '？' | '؟' | '\u{37e}' | '⁇' | '⁈' => Self::Question,
            '!' | '！' | '‼' | '⁉' => Self::Exclamation,
            c if is_end_mark(c) => Self::Period,
            _ => Self::None,
        }
    }

    /// Returns the strongest mark in `gap`, the text between two words or after the last word. Brackets and quotes do
    /// not count, and a hyphen counts only if nothing but white space or a second hyphen is next to it in `gap`.
    ///
    /// ```
    /// use majuscule::Mark;
    ///
    /// let marks = [" ", "”, ", "?” — ", "... ", " -- "].map(Mark::between);
    /// assert_eq!(marks, [Mark::None, Mark::Comma, Mark::Question, Mark::Ellipsis, Mark::Dash]);
    /// ```
    pub fn between(gap: &str) -> Self {
        let is_hyphen = gap.contains('-') && !gap.split_whitespace().any(|run| matches!(run, "-" | "--"));
        let mark = |c| if is_hyphen && c == '-' { Self::None } else { Self::of(c) };
        match gap.chars().map(mark).fold(Self::None, Self::stronger) {
            Self::Period if gap.contains("..") => Self::Ellipsis,
            mark => mark,
        }
    }

    /// Returns the stronger of two marks. A mark that ends a sentence is stronger than a mark inside one.
    #[must_use]
    pub fn stronger(self, other: Self) -> Self {
        let strength = |mark: Self| MARKS[mark as usize].2;
        if strength(other) > strength(self) { other } else { self }
    }

    /// Returns this mark if `set` has it, and otherwise its replacement (mapping of Ueffing et al. 2013): a comma for
    /// a dash or a colon, a full stop for a stronger mark, or no mark if the set lacks the replacement too.
    #[must_use]
    pub fn within(self, set: MarkSet) -> Self {
        let nearest: &[Self] = match self {
            Self::Exclamation | Self::Ellipsis | Self::Semicolon | Self::SentenceEnd => &[Self::Period],
            Self::Colon | Self::Dash => &[Self::Comma],
            Self::Question => &[Self::Period],
            _ => &[],
        };
        let is_end_alone = self == Self::SentenceEnd;
        [self].iter().chain(nearest).copied().find(|mark| set.has(*mark)).unwrap_or(match is_end_alone {
            true => self,
            false => Self::None,
        })
    }
}

/// Returns true if `c` is a mark that may end a sentence.
pub fn is_end_mark(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '！' | '？' | '。' | '؟' | '\u{37e}' | '।' | '‼' | '⁇' | '⁈' | '⁉')
}

/// The form in which marks are inserted into a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MarkForm {
    /// In the form of the language: after the word, and after a space where the language requires one.
    #[default]
    Written,
    /// Right after the word.
    Joined,
    /// As separate tokens, after a space.
    Apart,
}

impl NamedValue for MarkForm {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Written, "written", "As the language writes them"),
        (Self::Joined, "joined", "Directly after the word"),
        (Self::Apart, "apart", "As tokens of their own, after a space"),
    ];
}

/// A set of marks that have a character.
///
/// ```
/// use majuscule::{Mark, MarkSet};
///
/// let marks: MarkSet = ".,?".parse()?;
/// assert!(marks.has(Mark::Comma) && !marks.has(Mark::Colon));
/// # Ok::<(), majuscule::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MarkSet(u16);

impl MarkSet {
    /// The set without marks.
    pub const NONE: Self = Self(0);

    /// Commas, full stops and question marks.
    pub const USUAL: Self =
        Self(1 << Mark::Comma as u16 | 1 << Mark::Period as u16 | 1 << Mark::Question as u16);

    /// Returns true if the set has a mark.
    #[inline]
    pub fn has(self, mark: Mark) -> bool {
        self.0 >> mark as u16 & 1 == 1
    }

    /// Returns true if the set has no marks.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the marks of the set, in the order of the enumeration.
    pub fn iter(self) -> impl Iterator<Item = Mark> + Clone {
        Mark::WRITTEN.into_iter().filter(move |&mark| self.has(mark))
    }

    /// Returns the marks that are in both sets.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl FromIterator<Mark> for MarkSet {
    fn from_iter<T: IntoIterator<Item = Mark>>(marks: T) -> Self {
        let written = |mark: &Mark| mark.character().is_some();
        Self(marks.into_iter().filter(written).fold(0, |set, mark| set | 1 << mark as u16))
    }
}

impl fmt::Display for MarkSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().filter_map(Mark::character).try_for_each(|c| write!(f, "{c}"))
    }
}

impl FromStr for MarkSet {
    type Err = Error;

    /// Reads marks in a row, such as `.,?`; a hyphen is a dash.
    fn from_str(text: &str) -> Result<Self, Error> {
        let expected = "expected some of . , ? ! : ; - … without spaces, such as .,?";
        if let Some(c) = text.chars().find(|&c| Mark::of(c) == Mark::None) {
            return Err(Error::usage(format!("\"{c}\" is not a known punctuation mark: {expected}")));
        }
        match text.chars().map(Mark::of).collect() {
            Self::NONE => Err(Error::usage(format!("no marks are named: {expected}"))),
            set => Ok(set),
        }
    }
}

impl TryFrom<String> for MarkSet {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        if text.is_empty() { Ok(Self::NONE) } else { text.parse() }
    }
}

impl From<MarkSet> for String {
    fn from(set: MarkSet) -> Self {
        set.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_read_and_written_in_one_order() {
        let set: MarkSet = "?-.,".parse().unwrap();
        assert_eq!(set.to_string(), ",.?–");
        assert_eq!(set.to_string().parse::<MarkSet>().unwrap(), set);
        assert_eq!(".,?".parse::<MarkSet>().unwrap(), MarkSet::USUAL);
        for wrong in ["", "x", ". ,"] {
            assert!(matches!(wrong.parse::<MarkSet>(), Err(Error::Usage(_))), "{wrong:?}");
        }
    }

    #[test]
    fn a_mark_outside_a_set_becomes_the_nearest_one_in_it() {
        use Mark::{Colon, Comma, Ellipsis, Exclamation, None, Period, Question, Semicolon};
        let within = |marks: &str| {
            let set: MarkSet = marks.parse().unwrap();
            [Comma, Colon, Semicolon, Exclamation, Ellipsis, Question].map(|mark| mark.within(set))
        };
        assert_eq!(within(".,?"), [Comma, Comma, Period, Period, Period, Question]);
        assert_eq!(within("."), [None, None, Period, Period, Period, Period]);
        assert_eq!(within(",:!"), [Comma, Colon, None, Exclamation, None, None]);
    }

    #[test]
    fn languages_space_their_marks_and_read_them_back() {
        use Mark::{Colon, Comma, Dash, Question, Semicolon};
        let spelled = |language: &str| {
            let spelled = |mark: Mark| {
                let (space, c) = mark.spelling(language, MarkForm::Written).unwrap();
                assert_eq!(Mark::between(&format!("{space}{c} ")), mark);
                format!("{space}{c}")
            };
            [Comma, Question, Semicolon, Colon, Dash].map(spelled)
        };
        assert_eq!(spelled("en"), [",", "?", ";", ":", " –"]);
        assert_eq!(spelled("fr-FR"), [",", "\u{202f}?", "\u{202f};", "\u{a0}:", " –"]);
        assert_eq!(spelled("fr-CA"), [",", "?", ";", "\u{a0}:", " –"]);
        assert_eq!(spelled("el"), [",", "\u{37e}", "·", ":", " –"]);
        assert_eq!(spelled("ar"), ["،", "؟", "؛", ":", " –"]);
        assert_eq!(Question.spelling("fr", MarkForm::Joined), Some(("", '?')));
        assert_eq!(Question.spelling("fr", MarkForm::Apart), Some((" ", '?')));
        assert_eq!(Mark::SentenceEnd.spelling("fr", MarkForm::Written), None);
    }

    #[test]
    fn spanish_opens_its_questions_and_exclamations() {
        for mark in Mark::WRITTEN {
            let opening = ["es", "es-MX", "pt", "est"].map(|language| mark.opening(language));
            assert_eq!((opening[0], [None; 2]), (opening[1], [opening[2], opening[3]]));
            assert!(opening[0].is_none_or(|c| Mark::opened_by(c) == mark && Mark::of(c) == Mark::None));
        }
        assert_eq!(Mark::Question.opening("es"), Some('¿'));
    }

    #[test]
    fn marks_between_words_are_read_whatever_stands_around_them() {
        let marks = |gaps: &[&str]| gaps.iter().map(|gap| Mark::between(gap)).collect::<Vec<_>>();
        use Mark::{Comma, Dash, Ellipsis, Exclamation, None, Period, Question};
        assert_eq!(marks(&[" ", "", "/", " (", "’ “", "-)"]), [None; 6]);
        assert_eq!(
            marks(&["), ", ".)\n", " ?! ", "!\"", " – ", ", - "]),
            [Comma, Period, Question, Exclamation, Dash, Dash]
        );
        assert_eq!(marks(&["...", "… ", ". . "]), [Ellipsis, Ellipsis, Period]);
    }
}
