//! Text from outside, such as a file name, made safe to print to a terminal.

use std::borrow::Cow;
use std::fmt::Write;

/// Escapes each character that a terminal would obey, as in JSON: `\n`,
/// `\u001b`. These are the control characters, and the marks of writing
/// direction, with which one name can be made to look like another.
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, is_obeyed)
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            _ if !is_escaped(c) => shown.push(c),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            _ => {
                // Writing to a string cannot fail.
                let _ = write!(shown, "\\u{:04x}", u32::from(c));
            }
        }
    }
    Cow::Owned(shown)
}

/// Shortens a text for an error message: if it has more than 40 characters, the first ones and an
/// ellipsis remain.
pub fn shortened(text: &str) -> Cow<'_, str> {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// Escapes each line of a page like [`printable`]; tabs stay.
pub fn printable_lines(page: &str) -> Cow<'_, str> {
    escaped(page, |c| is_obeyed(c) && !matches!(c, '\n' | '\t'))
}

fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns the name of a file for the header of a diff. A name with bytes that would end the name
/// or the line is quoted with the escapes of C, as `git` writes and `patch` reads it; other names
/// are unchanged.
pub fn c_quoted(name: &[u8]) -> Vec<u8> {
    let is_plain = |c: char| !c.is_control() && !matches!(c, '"' | '\\' | '\u{fffd}');
    if str::from_utf8(name).is_ok_and(|name| name.chars().all(is_plain)) {
        return name.to_vec();
    }
    let mut quoted = vec![b'"'];
    for &b in name {
        match b {
            b'\n' => quoted.extend(b"\\n"),
            b'\r' => quoted.extend(b"\\r"),
            b'\t' => quoted.extend(b"\\t"),
            b'"' | b'\\' => quoted.extend([b'\\', b]),
            b' '..=b'~' => quoted.push(b),
            _ => quoted.extend(format!("\\{b:03o}").bytes()),
        }
    }
    quoted.push(b'"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_shortened_after_40_characters() {
        let (long, short) = ("é".repeat(41), "é".repeat(40));
        assert_eq!(shortened(&long), format!("{short}…"));
        assert_eq!(shortened(&short), short);
    }

    #[test]
    fn what_a_terminal_obeys_is_shown_and_all_else_stays() {
        for (text, shown) in [
            ("São Tomé – “Évora” \u{1f600}.txt", "São Tomé – “Évora” \u{1f600}.txt"),
            ("a\nb\t\r.txt", "a\\nb\\t\\r.txt"),
            ("\u{1b}]0;title\u{7}\u{7f}", "\\u001b]0;title\\u0007\\u007f"),
            ("\u{9b}31m \u{202e}txt.exe", "\\u009b31m \\u202etxt.exe"),
        ] {
            assert_eq!(printable(text), shown);
        }
        assert_eq!(printable_lines("a\tb\n\n\u{1b}[2J\tc\r\n"), "a\tb\n\n\\u001b[2J\tc\\r\n");
        for c in (0..=0x10_ffff).filter_map(char::from_u32) {
            let text = c.to_string();
            assert!(!printable(&text).contains(char::is_control), "{text:?}");
            assert!(!c_quoted(text.as_bytes()).iter().any(u8::is_ascii_control), "{text:?}");
        }
    }

    #[test]
    fn a_name_in_a_diff_stands_in_one_line() {
        for (name, quoted) in [
            (&b"talks/s\xc3\xa3o tom\xc3\xa9.srt"[..], &b"talks/s\xc3\xa3o tom\xc3\xa9.srt"[..]),
            (b"a\n+++ b", b"\"a\\n+++ b\""),
            (b"a\tb\x1b", b"\"a\\tb\\033\""),
            (b"\"a\\b\"", b"\"\\\"a\\\\b\\\"\""),
            (b"\xe3.txt", b"\"\\343.txt\""),
            (b"\xc2\x9b", b"\"\\302\\233\""),
        ] {
            assert_eq!(c_quoted(name), quoted);
        }
    }
}
