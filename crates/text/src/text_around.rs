//! The text before and after an inserted text, such as dictated words at the cursor of an editor.

/// The largest number of words, and of their bytes, that are kept on each side.
const CONTEXT: (usize, usize) = (60, 4096);

/// The context of an inserted text: the last 60 words before it and the first 60 words after it. It never changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextAround {
    before: String,
    after: String,
}

impl TextAround {
    /// Keeps the words of `before` and `after` that are nearest to the inserted text.
    pub fn new(before: &str, after: &str) -> Self {
        let mut around = Self::default();
        around.set_before(before);
        around.set_after(after);
        around
    }

    /// Sets the text before the inserted text.
    pub(super) fn set_before(&mut self, text: &str) {
        let (words, bytes) = CONTEXT;
        let end = &text[text.ceil_char_boundary(text.len().saturating_sub(bytes))..];
        let is_start = |at: &usize| end[..*at].ends_with(|c: char| !c.is_whitespace());
        let mut starts = white_space(end).rev().filter(is_start);
        starts.nth(words - 1).map_or(end, |at| end[at..].trim_start()).clone_into(&mut self.before);
    }

    /// Sets the text after the inserted text.
    pub(super) fn set_after(&mut self, text: &str) {
        let (words, bytes) = CONTEXT;
        let start = &text[..text.floor_char_boundary(bytes)];
        let is_end = |at: &usize| start[..*at].ends_with(|c: char| !c.is_whitespace());
        let mut ends = white_space(start).filter(is_end);
        ends.nth(words - 1).map_or(start, |at| &start[..at]).clone_into(&mut self.after);
    }

    /// Returns the text before the inserted text.
    pub fn before(&self) -> &str {
        &self.before
    }

    /// Returns the text after the inserted text.
    pub fn after(&self) -> &str {
        &self.after
    }
}

/// Returns true if an inserted text begins a sentence whatever the words before it are: at the start of a text or
/// line.
pub fn begins_line(around: &TextAround) -> bool {
    let before = around.before.trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with('\n')
}

/// Returns the space to insert before `text` and the space to insert after it; each may be empty.
pub fn spaces_around(around: &TextAround, text: &str, language: &str) -> [&'static str; 2] {
    [(&*around.before, text), (text, &*around.after)]
        .map(|(left, right)| if touches(left, right, language) { "" } else { " " })
}

/// Returns the positions of white space.
fn white_space(text: &str) -> impl DoubleEndedIterator<Item = usize> {
    text.char_indices().filter(|(_, c)| c.is_whitespace()).map(|(at, _)| at)
}

/// Returns true if no space is needed between two texts: one of them is empty, white space is already there, or a
/// mark at the boundary belongs to the word on its other side.
fn touches(left: &str, right: &str, language: &str) -> bool {
    let is_free = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let (mut ends, mut starts) = (left.chars().rev(), right.chars());
    let (Some(last), Some(first)) = (ends.next(), starts.next()) else { return true };
    let opens = match last {
        '(' | '[' | '{' | '«' | '“' | '„' | '‘' | '‹' | '¿' | '¡' | '/' | '@' | '#' | '_' | '\\' | '—' => {
            true
        }
        '"' => is_free(ends.next()),
        '-' | '–' => !is_free(ends.next()),
        // The apostrophe of an elision: `l'` before `Europe`.
        '\'' | '’' => matches!(language.get(..2), Some("fr" | "it")) || is_free(ends.next()),
        _ => last.is_whitespace(),
    };
    let closes = match first {
        '.' | ',' | ';' | ':' | '?' | '!' | '…' | ')' | ']' | '}' | '»' | '”' | '›' | '/' | '%' | '\''
        | '’' | '—' => true,
        '"' => is_free(starts.next()),
        '-' | '–' => !is_free(starts.next()),
        _ => first.is_whitespace(),
    };
    opens || closes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_next_to_a_text_are_kept() {
        let many = "a ".repeat(100) + "b";
        let around = TextAround::new(&many, &many);
        assert_eq!(around.before(), "a ".repeat(59).trim_start().to_owned() + "b");
        let long = "ä".repeat(10_000);
        let around = TextAround::new(&long, &long);
        assert_eq!([around.before(), around.after()].map(str::len), [4096; 2]);
        assert_eq!(TextAround::new("we  met", " in\nrome ").after(), " in\nrome ");
    }

    #[test]
    fn spaces_are_inserted_between_words_alone() {
        let spaces = |before: &str, text: &str, after: &str| {
            let [lead, trail] = spaces_around(&TextAround::new(before, after), text, "en");
            [before, lead, text, trail, after].concat()
        };
        for (before, text, after, wanted) in [
            ("We", "met", "Ana", "We met Ana"),
            ("We ", "met", " Ana", "We met Ana"),
            ("We (", "met", ") Ana", "We (met) Ana"),
            ("a well-", "known", ", man", "a well-known, man"),
            ("- ", "known", "", "- known"),
            ("he –", "known", "– a", "he – known – a"),
            ("said: \"", "yes", "\" and", "said: \"yes\" and"),
            ("said \"no\"", "yes", "\"no\"", "said \"no\" yes \"no\""),
            ("the dogs'", "tails", "'s", "the dogs' tails's"),
            ("", "", "", ""),
        ] {
            assert_eq!(spaces(before, text, after), wanted);
        }
        assert_eq!(spaces_around(&TextAround::new("l'", ""), "europe", "fr"), ["", ""]);
    }
}
