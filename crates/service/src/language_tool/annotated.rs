//! A text with mark-up, and the positions of its text parts.

use std::ops::Range;

use majuscule::{OffsetCursor, OffsetUnit};
use serde_json::Value;

use crate::fields::Fields;
use crate::problem::ApiError;

/// A text to check. Offsets count the mark-up too, in code units of UTF-16.
#[derive(Debug, Default)]
pub struct AnnotatedText {
    /// The text without mark-up.
    plain: String,
    /// The parts, in order.
    parts: Vec<AnnotatedPart>,
    /// The length of the text with its mark-up, in code units of UTF-16.
    units: usize,
}

/// A part of the text that a client may change.
#[derive(Debug)]
struct AnnotatedPart {
    /// The position in the plain text, in bytes.
    span: Range<usize>,
    /// The offset in the text with its mark-up.
    offset: usize,
}

impl AnnotatedText {
    /// Reads the field `text`, or `data`: a list of parts in JSON, each with `text` or `markup`. Other members of a
    /// part are ignored, because clients add some.
    pub fn read(fields: &mut Fields) -> Result<Self, ApiError> {
        match (fields.text("text")?, fields.text("data")?) {
            (Some(_), Some(_)) => Err(ApiError::bad("the form has text and data: send one of them")),
            (None, None) => Err(ApiError::bad("the form has nothing to check: send text or data")),
            (Some(text), None) => {
                let mut whole = Self::default();
                whole.push_text(&text);
                Ok(whole)
            }
            (None, Some(data)) => {
                let value = serde_json::from_str(&data)
                    .map_err(|error| ApiError::field("data", format!("`data` is not JSON: {error}")))?;
                Self::read_parts(value)
            }
        }
    }

    fn read_parts(data: Value) -> Result<Self, ApiError> {
        let mut data = Fields::of(data, "data.".to_owned())?;
        let parts = data.list("annotation")?;
        let parts = data.required("annotation", parts, "a list")?;
        let mut whole = Self::default();
        for (at, part) in parts.into_iter().enumerate() {
            let mut part = Fields::of(part, format!("data.annotation[{at}]."))?;
            let (text, markup) = (part.text("text")?, part.text("markup")?);
            let stands_for = part.text("interpretAs")?;
            match (text, markup) {
                (Some(text), None) if stands_for.is_none() => whole.push_text(&text),
                (None, Some(markup)) => {
                    whole.plain.push_str(&stands_for.unwrap_or_default());
                    whole.units += utf16_len(&markup);
                }
                (text, _) => {
                    let found = text.map_or(Value::Null, Value::String);
                    return Err(part.wrong(
                        "text",
                        &found,
                        "text alone, or markup with or without interpretAs",
                    ));
                }
            }
        }
        Ok(whole)
    }

    fn push_text(&mut self, text: &str) {
        let start = self.plain.len();
        self.plain.push_str(text);
        self.parts.push(AnnotatedPart { span: start..self.plain.len(), offset: self.units });
        self.units += utf16_len(text);
    }

    /// Returns the text without mark-up.
    pub fn plain(&self) -> &str {
        &self.plain
    }

    /// Returns a converter of positions in the plain text.
    pub fn places(&self) -> Places<'_> {
        Places { parts: &self.parts, cursor: OffsetCursor::new(&self.plain, OffsetUnit::Utf16), at: 0 }
    }
}

/// Converts positions in the plain text to offsets in the whole text; positions must be in increasing order.
pub struct Places<'a> {
    /// The parts, beginning with the last one requested.
    parts: &'a [AnnotatedPart],
    cursor: OffsetCursor<'a>,
    /// The offset of the first of `parts` in the plain text.
    at: usize,
}

impl Places<'_> {
    /// Returns the offset and the length of a span; `None` if the span contains mark-up, which a replacement would
    /// remove.
    pub fn of(&mut self, span: &Range<usize>) -> Option<(usize, usize)> {
        while let [first, rest @ ..] = self.parts
            && first.span.end <= span.start
        {
            self.at = rest.first().map_or(self.at, |next| self.cursor.at(next.span.start));
            self.parts = rest;
        }
        let part =
            self.parts.first().filter(|part| part.span.start <= span.start && span.end <= part.span.end)?;
        let (start, end) = (self.cursor.at(span.start), self.cursor.at(span.end));
        Some((part.offset + start - self.at, end - start))
    }
}

/// Returns the length of a text in code units of UTF-16.
pub fn utf16_len(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn offsets_count_the_markup_and_never_reach_over_it() {
        let data = json!({"annotation": [
            {"text": "é😀 "}, {"markup": "<b>"}, {"text": "lisbon"}, {"markup": "</b>"},
            {"text": "\u{301} "}, {"markup": "<p>", "interpretAs": "\n\n"}, {"text": "we met"},
        ]});
        let text = AnnotatedText::read_parts(data).unwrap();
        assert_eq!(text.plain(), "é😀 lisbon\u{301} \n\nwe met");
        let mut places = text.places();
        let mut of = |word: &str| {
            let start = text.plain().find(word).unwrap();
            places.of(&(start..start + word.len()))
        };
        assert_eq!(of("é"), Some((0, 1)));
        assert_eq!(of("lisbon"), Some((7, 6)));
        assert_eq!(of("lisbon\u{301}"), None);
        assert_eq!(of("\n\n"), None);
        assert_eq!((of("we"), of("met")), (Some((22, 2)), Some((25, 3))));
    }

    #[test]
    fn a_part_is_text_or_markup() {
        for wrong in
            [json!({}), json!({"text": "a", "markup": "b"}), json!({"text": "a", "interpretAs": "b"})]
        {
            assert!(AnnotatedText::read_parts(json!({ "annotation": [wrong] })).is_err());
        }
        assert!(AnnotatedText::read_parts(json!({})).is_err());
    }
}
