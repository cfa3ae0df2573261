//! A format that nobody writes, `@ ana met rui`: it shows that a file, and its two lines in `lib.rs`, add a format.

use super::grammar::Grammar;
use super::head::FileHead;
use super::info::FormatInfo;
use super::line_parts::{LineParts, PartRole};
use super::transcript::Fault;
use majuscule_text::Break;

/// The toy format.
pub(super) const TOY: FormatInfo = FormatInfo {
    example: "# the bbc\n@ the bbc met\r\n\n@ in new york. who?\n@",
    shown: ".toy",
    extensions: &["toy"],
    begins: Some(|head: FileHead<'_>| head.begins_with(&["# ", "@ "])),
    grammar: Some(|_| Ok(Box::new(ToyLines))),
    ..FormatInfo::LINES
};

/// Lines; only lines that begin with `@` are text.
#[derive(Debug)]
struct ToyLines;

impl Grammar for ToyLines {
    fn line(&mut self, line: &str, parts: &mut LineParts) -> Result<(), Fault> {
        if line.starts_with("@ ") {
            parts.push_as(2..line.len(), Some(Break::Turn), PartRole::Beginning);
        }
        Ok(())
    }
}

mod tests {
    use super::*;
    use crate::Format;
    use crate::case_laws::{starts, words};
    use majuscule_base::named::NamedValue;

    #[test]
    fn a_format_is_found_by_its_name_its_extension_and_its_first_bytes() {
        assert_eq!(Format::VALUES.last(), Some(&(Format::Toy, "toy", "A toy: a line after @")));
        assert_eq!(<Format as NamedValue>::of_name("toy"), Some(Format::Toy));
        assert_eq!(Format::named("a.toy".as_ref()), Some(Format::Toy));
        assert_eq!(Format::Toy.info().shown, ".toy");
    }

    #[test]
    fn the_words_after_the_sign_are_text() {
        assert_eq!(words(Format::Toy, TOY.example), ["the", "bbc", "met", "in", "new", "york", "who"]);
        assert_eq!(starts(Format::Toy, TOY.example), ["the", "in", "who"]);
    }
}
