//! Reads JSON: the positions of its strings and their contents.

use super::transcript::{Fault, shortened};
use std::ops::Range;

/// An event of parsing a document; events come in the order of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    /// The beginning of an object or array, at its first byte.
    Begin(usize),
    /// The end of an object or array, at its last byte.
    End(usize),
    /// The name of the next value, between its quotes.
    Key(Range<usize>),
    /// A string, between its quotes.
    String(Range<usize>),
    /// Any other value.
    Other(Range<usize>),
}

/// Parses one document and reports its events in order. `NaN` and infinities count as numbers, since Python writes
/// them.
///
/// # Errors
/// Fails if the text is not JSON.
pub(super) fn read(json: &str, tell: &mut dyn FnMut(Event)) -> Result<(), Fault> {
    let bytes = json.as_bytes();
    // The closing characters of the open objects and arrays.
    let mut open: Vec<u8> = Vec::new();
    let mut expected = Expected::Value;
    let mut at = 0;
    loop {
        at += bytes[at..].iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r')).count();
        let Some(&b) = bytes.get(at) else { break };
        let closes = open.last() == Some(&b);
        match (b, expected) {
            (b'{' | b'[', Expected::Value | Expected::ValueOrEnd) => {
                tell(Event::Begin(at));
                open.push(if b == b'{' { b'}' } else { b']' });
                expected = if b == b'{' { Expected::KeyOrEnd } else { Expected::ValueOrEnd };
                at += 1;
                continue;
            }
            (b'"', Expected::Key | Expected::KeyOrEnd) => {
                let string = string(json, at)?;
                at = string.end + 1;
                tell(Event::Key(string));
                expected = Expected::Colon;
                continue;
            }
            (b':', Expected::Colon) => {
                expected = Expected::Value;
                at += 1;
                continue;
            }
            (b',', Expected::CommaOrEnd) if !open.is_empty() => {
                expected = if open.last() == Some(&b'}') { Expected::Key } else { Expected::Value };
                at += 1;
                continue;
            }
            (_, Expected::CommaOrEnd | Expected::KeyOrEnd | Expected::ValueOrEnd) if closes => {
                open.pop();
                tell(Event::End(at));
                at += 1;
            }
            (b'{', Expected::CommaOrEnd) if open.is_empty() => {
                let problem =
                    "found another object after the document, as in JSON Lines, which are the format jsonl";
                return Err(Fault { at, problem: problem.to_owned() });
            }
            (b'"', Expected::Value | Expected::ValueOrEnd) => {
                let string = string(json, at)?;
                at = string.end + 1;
                tell(Event::String(string));
            }
            (_, Expected::Value | Expected::ValueOrEnd) => {
                let inside = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.');
                let end = at + bytes[at..].iter().take_while(inside).count();
                if !is_scalar(&json[at..end]) {
                    return Err(expected.fault(json, at));
                }
                tell(Event::Other(at..end));
                at = end;
            }
            _ => return Err(expected.fault(json, at)),
        }
        expected = Expected::CommaOrEnd;
    }
    if expected == Expected::CommaOrEnd && open.is_empty() {
        Ok(())
    } else {
        Err(expected.fault(json, json.len()))
    }
}

/// A member of an object or an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    /// The name of the member; empty in an array.
    pub(super) key: String,
    /// The position of the value, including the quotes of a string.
    pub(super) position: Range<usize>,
}

impl Member {
    /// Returns the value as written.
    pub(super) fn raw<'a>(&self, json: &'a str) -> &'a str {
        &json[self.position.clone()]
    }

    /// Returns the contents of the value, if it is a string.
    pub(super) fn string(&self, json: &str) -> Option<String> {
        text(self.raw(json))
    }

    /// Returns the value as written, if it is a number.
    pub(super) fn number<'a>(&self, json: &'a str) -> Option<&'a str> {
        Some(self.raw(json)).filter(|raw| is_number(raw))
    }

    pub(super) fn is_null(&self, json: &str) -> bool {
        self.raw(json) == "null"
    }
}

/// Returns the members of the object or array at `position`, in order; none for any other value.
///
/// # Errors
/// Fails if the text is not JSON, if an object has the same name twice, or if an escape is an unpaired surrogate.
pub(super) fn members(json: &str, position: &Range<usize>) -> Result<Vec<Member>, Fault> {
    let mut members: Vec<Member> = Vec::new();
    let mut problem = None;
    // The number of open objects and arrays, and the start of a member that is one.
    let (mut depth, mut start) = (0, 0);
    let mut key = String::new();
    let (from, json) = (position.start, &json[position.clone()]);
    let read = read(json, &mut |event| {
        let member = match event {
            Event::Begin(at) => {
                start = if depth == 1 { at } else { start };
                depth += 1;
                return;
            }
            Event::End(at) => {
                depth -= 1;
                start..at + 1
            }
            Event::Key(name) if depth == 1 => {
                key.clear();
                decode(&json[name.clone()], &mut key);
                if members.iter().any(|member| member.key == key) {
                    let twice = format!("found the field \"{}\" twice", shortened(&key));
                    problem.get_or_insert(Fault { at: name.start, problem: twice });
                }
                if is_split(&json[name.clone()]) {
                    problem.get_or_insert(Fault { at: name.start, problem: TORN.to_owned() });
                }
                return;
            }
            Event::Key(_) => return,
            Event::String(string) => {
                if depth == 1 && is_split(&json[string.clone()]) {
                    problem.get_or_insert(Fault { at: string.start, problem: TORN.to_owned() });
                }
                string.start - 1..string.end + 1
            }
            Event::Other(other) => other,
        };
        if depth == 1 {
            members.push(Member { key: key.clone(), position: from + member.start..from + member.end });
        }
    });
    let read = read.and_then(|()| problem.map_or(Ok(members), Err));
    read.map_err(|fault| Fault { at: fault.at + from, ..fault })
}

const TORN: &str = "found half of a pair of \\u escapes, which is not a character: both halves are expected";

/// Returns true if an escape in the contents of a string is an unpaired surrogate.
fn is_split(raw: &str) -> bool {
    raw.contains("\\u")
        && units(raw).any(|(position, c)| {
            c == char::REPLACEMENT_CHARACTER
                && raw[position.clone()].starts_with('\\')
                && !raw[position].eq_ignore_ascii_case("\\ufffd")
        })
}

/// Returns true if the text is a number in JSON.
pub(super) fn is_number(text: &str) -> bool {
    serde_json::from_str::<serde_json::Number>(text).is_ok() && text.trim() == text
}

/// Returns a text as a JSON string, with quotes and escapes.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Returns the contents of a value, if it is a string.
pub(super) fn text(value: &str) -> Option<String> {
    let raw = value.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::with_capacity(raw.len());
    decode(raw, &mut text);
    Some(text)
}

/// Returns the value as strict JSON without white space between its parts: `null` for NaN and infinities, and escapes
/// for control characters.
pub(super) fn compact(raw: &str) -> String {
    let (mut in_string, mut escaped) = (false, false);
    let mut out = String::with_capacity(raw.len());
    for (at, c) in raw.char_indices() {
        match c {
            '\0'..' ' if in_string => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ if in_string || !c.is_ascii_whitespace() => out.push(c),
            _ => {}
        }
        in_string ^= c == '"' && !escaped;
        escaped = in_string && c == '\\' && !escaped;
        let ends = |c: char| !c.is_ascii_alphanumeric();
        if !in_string && c.is_ascii_alphabetic() && raw[at + 1..].chars().next().is_none_or(ends) {
            let name = ["-Infinity", "Infinity", "NaN"].into_iter().find(|name| out.ends_with(name));
            out.truncate(out.len() - name.map_or(0, str::len));
            out.push_str(name.map_or("", |_| "null"));
        }
    }
    out
}

/// The syntax that may come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
}

impl Expected {
    fn fault(self, json: &str, at: usize) -> Fault {
        let found = match json[at..].split_whitespace().next() {
            None => "the end".to_owned(),
            Some(found) => format!("\"{}\"", shortened(found)),
        };
        let expected = match self {
            Self::Value | Self::ValueOrEnd => "a JSON value",
            Self::Key | Self::KeyOrEnd => "a key in quotes",
            Self::Colon => "a colon",
            Self::CommaOrEnd => "a comma or the end of the object, array or document",
        };
        Fault { at, problem: format!("found {found}, but {expected} is expected: the file may be cut off") }
    }
}

fn is_scalar(text: &str) -> bool {
    let number = text.strip_prefix('-').unwrap_or(text);
    matches!(text, "true" | "false" | "null" | "NaN" | "Infinity" | "-Infinity")
        || number.starts_with(|c: char| c.is_ascii_digit()) && text.parse::<f64>().is_ok()
}

/// Returns the position of the contents of the string whose first quote is at byte `at`.
fn string(json: &str, at: usize) -> Result<Range<usize>, Fault> {
    let start = at + 1;
    let mut end = start;
    loop {
        match json.as_bytes().get(end) {
            Some(b'"') => return Ok(start..end),
            Some(b'\\') => match unit(&json[end..]) {
                Some((len, _)) => end += len,
                None => {
                    let found = shortened(json[end..].split_whitespace().next().unwrap_or_default());
                    let problem =
                        format!("found \"{found}\", but an escape is expected, such as \\n or \\u00e9");
                    return Err(Fault { at: end, problem });
                }
            },
            Some(b'\n') | None => {
                let problem = "the string that begins here has no end: the file may be cut off";
                return Err(Fault { at, problem: problem.to_owned() });
            }
            Some(_) => end += 1,
        }
    }
}

/// Returns the first character of the contents of a string, and its length in bytes as written. An unpaired surrogate
/// becomes U+FFFD.
fn unit(raw: &str) -> Option<(usize, char)> {
    let Some(escape) = raw.strip_prefix('\\') else {
        return raw.chars().next().map(|c| (c.len_utf8(), c));
    };
    let c = match escape.as_bytes().first()? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b @ (b'"' | b'\\' | b'/') => char::from(*b),
        b'u' => {
            let first = hex(&raw[2..])?;
            let second = raw.get(6..8).filter(|next| *next == "\\u").and_then(|_| hex(&raw[8..]));
            return match (first, second) {
                (0xd800..0xdc00, Some(second @ 0xdc00..0xe000)) => {
                    let c = char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
                    Some((12, c.unwrap_or(char::REPLACEMENT_CHARACTER)))
                }
                _ => Some((6, char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))),
            };
        }
        _ => return None,
    };
    Some((2, c))
}

fn hex(text: &str) -> Option<u32> {
    let digits = text.get(..4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u32::from_str_radix(digits, 16).ok()
}

/// Iterates over the characters between the quotes of a string, each with its position there.
pub(super) fn units(raw: &str) -> impl Iterator<Item = (Range<usize>, char)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (len, c) = unit(&raw[at..])?;
        at += len;
        Some((at - len..at, c))
    })
}

/// Appends the contents of a string to `out`; `raw` is the text between its quotes.
pub(super) fn decode(raw: &str, out: &mut String) {
    // Most strings have no escape.
    match raw.contains('\\') {
        true => out.extend(units(raw).map(|(_, c)| c)),
        false => out.push_str(raw),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(json: &str) -> Result<usize, Fault> {
        let mut count = 0;
        read(json, &mut |_| count += 1).map(|()| count)
    }

    #[test]
    fn white_space_goes_between_the_parts_of_a_value_and_stays_in_strings() {
        assert_eq!(compact(r#"{ "a b" : [ 1, "c \" d" ] }"#), r#"{"a b":[1,"c \" d"]}"#);
        assert_eq!(
            compact(r#"["NaN", NaN, {"a":-Infinity,"b": Infinity }]"#),
            r#"["NaN",null,{"a":null,"b":null}]"#
        );
    }

    #[test]
    fn json_is_read_and_faults_have_positions() {
        assert_eq!(events(r#" {"a": [1, -2.5e3, NaN, "x\"y", {}, []], "b": null} "#), Ok(15));
        for (json, at) in [
            ("", 0),
            ("{", 1),
            ("[1 2]", 3),
            (r#"{"a" 1}"#, 5),
            (r#"{"a": tru}"#, 6),
            ("[1,]", 3),
            (r#"["a"#, 1),
            (r#"["\x"]"#, 2),
            ("[]]", 2),
            ("{]", 1),
            ("1 2", 2),
            (r#"{"a":1,}"#, 7),
            (r#"["\u00g0"]"#, 2),
        ] {
            assert_eq!(events(json).unwrap_err().at, at, "{json}");
        }
    }
}
