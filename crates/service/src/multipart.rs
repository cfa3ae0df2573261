//! Bodies of `multipart/form-data` (RFC 7578): a file, and options as further parts.

use std::ops::Range;

use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use majuscule::Format;

use crate::body::WholeBody;
use crate::fields::Fields;
use crate::media;
use crate::problem::ApiError;
use crate::spool::on_a_thread;

/// The name of the part that is a file.
const FILE: &str = "file";

/// The largest number of parts.
const MOST_PARTS: usize = 64;

/// The longest boundary, after RFC 2046.
const LONGEST_BOUNDARY: usize = 70;

/// A file that came as a part.
pub struct FilePart {
    /// The name that the client gave.
    pub name: Option<String>,
    /// The format by the name, or else by the content type of the part.
    pub format: Format,
    /// The bytes; those of the other parts are not held any longer.
    pub body: WholeBody,
}

/// Returns the boundary of a body of parts; `None` if the body is of another type.
///
/// # Errors
/// Fails if the content type has no boundary.
pub fn boundary(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    if media::named(headers).is_none_or(|named| named != "multipart/form-data") {
        return Ok(None);
    }
    let header = headers.get(CONTENT_TYPE).and_then(|header| header.to_str().ok()).unwrap_or_default();
    match parameter(header, "boundary") {
        Some(boundary) if (1..=LONGEST_BOUNDARY).contains(&boundary.len()) => Ok(Some(boundary)),
        _ => Err(ApiError::bad(
            "multipart/form-data has no boundary of 1 to 70 characters: leave the header Content-Type to your client",
        )),
    }
}

/// Takes a body of parts apart, on a thread of its own: the parts that are no file become fields.
///
/// # Errors
/// Fails if the body is not of such parts, or has no file or several.
pub async fn read(
    boundary: String,
    body: WholeBody,
    mut fields: Fields,
) -> Result<(FilePart, Fields), ApiError> {
    on_a_thread(move || Ok((read_parts(&boundary, body, &mut fields)?, fields))).await
}

fn read_parts(boundary: &str, mut body: WholeBody, fields: &mut Fields) -> Result<FilePart, ApiError> {
    let mut file = None;
    for part in parts(&body.bytes, boundary)? {
        let bytes = body.bytes.get(part.span.clone()).unwrap_or_default();
        if part.field != FILE {
            let text = std::str::from_utf8(bytes);
            let text = text.map_err(|_| {
                ApiError::field(
                    &part.field,
                    format!("the part `{}` is not UTF-8: encode it as UTF-8", part.field),
                )
            })?;
            fields.add([(part.field, text.to_owned())])?;
        } else if file.replace(part).is_some() {
            return Err(ApiError::field(FILE, "the body has several parts `file`: send each file by itself"));
        }
    }
    let Some(FormPart { name, kind, span, .. }) = file else {
        return Err(ApiError::field(FILE, "the body has no part `file`: send the file as such a part"));
    };
    body.bytes.truncate(span.end);
    body.bytes.drain(..span.start);
    let is_named = name.as_ref().is_some_and(|name| Format::named(name.as_ref()).is_some());
    let format = kind.filter(|_| !is_named).and_then(|kind| media::format_of(&kind));
    Ok(FilePart { name, format: format.unwrap_or(Format::Auto), body })
}

/// A part of a body.
#[derive(Debug, PartialEq, Eq)]
struct FormPart {
    /// The name of the field.
    field: String,
    /// The name of the file.
    name: Option<String>,
    /// The content type.
    kind: Option<String>,
    /// The place of the content in the body.
    span: Range<usize>,
}

/// Finds the parts of a body.
fn parts(body: &[u8], boundary: &str) -> Result<Vec<FormPart>, ApiError> {
    let wrong = |problem: &str| ApiError::bad(format!("the body is not multipart/form-data: {problem}"));
    let first = format!("--{boundary}");
    let delimiter = format!("\r\n{first}");
    // What comes before the first boundary has no meaning.
    let mut at = match body.starts_with(first.as_bytes()) {
        true => first.len(),
        false => after(body, 0, delimiter.as_bytes()).ok_or_else(|| wrong("its boundary is missing"))?,
    };
    let mut parts = Vec::new();
    while !body.get(at..).unwrap_or_default().starts_with(b"--") {
        let start = after(body, at, b"\r\n").ok_or_else(|| wrong("it ends inside a boundary"))?;
        // A part without headers begins with the empty line.
        let content = after(body, start - 2, b"\r\n\r\n")
            .ok_or_else(|| wrong("a part has no empty line after its headers"))?;
        let end = after(body, content.max(2) - 2, delimiter.as_bytes());
        let next = end.ok_or_else(|| wrong("its last boundary is missing"))?;
        let span = content..(next - delimiter.len()).max(content);
        let headers = body.get(start..content).unwrap_or_default();
        parts.push(
            FormPart::of(&String::from_utf8_lossy(headers), span)
                .ok_or_else(|| wrong("a part has no name"))?,
        );
        if parts.len() > MOST_PARTS {
            return Err(wrong(&format!("it has more than {MOST_PARTS} parts")));
        }
        at = next;
    }
    Ok(parts)
}

/// Returns the place after the first occurrence of `wanted` from `from`.
fn after(body: &[u8], from: usize, wanted: &[u8]) -> Option<usize> {
    let mut at = from;
    // Most bytes do not begin what is wanted.
    while let Some(found) = body.get(at..)?.iter().position(|byte| Some(byte) == wanted.first()) {
        at += found;
        if body.get(at..)?.starts_with(wanted) {
            return Some(at + wanted.len());
        }
        at += 1;
    }
    None
}

impl FormPart {
    /// Reads the headers of a part; `None` if they name no field.
    fn of(headers: &str, span: Range<usize>) -> Option<Self> {
        let header = |wanted: &str| {
            let mut lines = headers.lines().filter_map(|line| line.split_once(':'));
            lines.find(|(name, _)| name.trim().eq_ignore_ascii_case(wanted)).map(|(_, value)| value.trim())
        };
        let disposition = header("Content-Disposition")?;
        Some(Self {
            field: parameter(disposition, "name")?,
            name: parameter(disposition, "filename").filter(|name| !name.is_empty()),
            kind: header("Content-Type").map(str::to_owned),
            span,
        })
    }
}

/// Returns a parameter of a header, such as `boundary=a` or `name="a b"`.
fn parameter(header: &str, wanted: &str) -> Option<String> {
    let mut rest = header.split_once(';')?.1;
    loop {
        let (name, value) = rest.split_once('=')?;
        let (value, after) = read_value(value);
        if name.trim().eq_ignore_ascii_case(wanted) {
            return Some(value);
        }
        rest = after.split_once(';')?.1;
    }
}

/// Reads a value, in quotes or not, and returns it with the rest. Clients write a quote inside as `\"` or
/// `%22`, and other backslashes as they are.
fn read_value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(';').unwrap_or(text.len());
        let (value, rest) = text.split_at(end);
        return (value.trim().to_owned(), rest);
    };
    let (mut value, mut chars) = (String::new(), quoted.chars());
    while let Some(c) = chars.next() {
        match c {
            '"' => break,
            '\\' if chars.as_str().starts_with(['"', '\\']) => value.extend(chars.next()),
            c => value.push(c),
        }
    }
    (value.replace("%22", "\""), chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(body: &str) -> Vec<(String, Option<String>, String)> {
        let parts = parts(body.as_bytes(), "X").unwrap();
        parts.into_iter().map(|part| (part.field, part.name, body[part.span].to_owned())).collect()
    }

    #[test]
    fn parts_have_names_and_contents() {
        let body = "before\r\n--X\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\n--X  \r\ncontent-type: \
                    text/vtt\r\ncontent-disposition: form-data; filename=\"b \\\"c\\\";\\d%22.srt\"; name=file\r\n\r\n\r\n\r\n--Y\
                    \r\n\r\n--X\r\nContent-Disposition: form-data; name=c\r\n\r\n\r\n--X--\r\nafter";
        let name = Some("b \"c\";\\d\".srt".to_owned());
        assert_eq!(
            found(body),
            [
                ("a".to_owned(), None, "one".to_owned()),
                ("file".to_owned(), name, "\r\n\r\n--Y\r\n".to_owned()),
                ("c".to_owned(), None, String::new()),
            ]
        );
        assert_eq!(found("--X--"), []);
    }

    #[test]
    fn a_body_that_is_cut_off_anywhere_is_an_error() {
        let body = "--X\r\nContent-Disposition: form-data; name=a\r\n\r\none\r\n--X--";
        assert_eq!(found(body).len(), 1);
        for end in 0..body.len() {
            assert!(parts(&body.as_bytes()[..end], "X").is_err(), "{end}");
        }
        assert!(parts(b"--X\r\nContent-Disposition: form-data\r\n\r\none\r\n--X--", "X").is_err());
        assert!(parts(b"--X\r\n\r\none\r\n--X--", "X").is_err());
    }

    #[test]
    fn a_boundary_is_a_parameter() {
        let of = |kind: &str| {
            let headers = HeaderMap::from_iter([(CONTENT_TYPE, kind.parse().unwrap())]);
            boundary(&headers)
        };
        assert_eq!(of("text/plain; boundary=a").unwrap(), None);
        for kind in ["multipart/form-data; boundary=a", "Multipart/Form-Data;charset=utf-8; Boundary=\"a\""] {
            assert_eq!(of(kind).unwrap().as_deref(), Some("a"));
        }
        for kind in ["multipart/form-data", "multipart/form-data; boundary=\"\""] {
            assert!(of(kind).is_err());
        }
    }
}
