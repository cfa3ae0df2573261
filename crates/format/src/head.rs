//! The first bytes of a file, which may show its format.

use majuscule_base::files::BOM;

/// The number of bytes after which detection gives up.
const MOST: usize = 1 << 16;

/// The first bytes of a file, as far as they have arrived.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileHead<'a> {
    /// The bytes after a byte-order mark.
    pub(super) bytes: &'a [u8],
    /// The bytes after a byte-order mark and white space.
    pub(super) text: &'a [u8],
    /// True if no more bytes will be read.
    pub(super) ended: bool,
    /// The name of the file, without the extension of its compression.
    pub(super) file: &'a str,
}

impl<'a> FileHead<'a> {
    /// Reads the first bytes of a file; `None` if more are needed.
    pub(super) fn new(head: &'a [u8], ended: bool, file: &'a str) -> Option<Self> {
        let ended = ended || head.len() >= MOST;
        let head = &head[..head.len().min(MOST)];
        if !ended && head.len() < BOM.len() && BOM.starts_with(head) {
            return None;
        }
        let bytes = head.strip_prefix(BOM).unwrap_or(head);
        Some(Self { bytes, text: bytes.trim_ascii_start(), ended, file })
    }

    /// Returns true if the text begins with one of these openings, regardless of case; `None` if more bytes are
    /// needed.
    pub(super) fn begins_with(self, openings: &[&str]) -> Option<bool> {
        let mut is_open = false;
        for opening in openings {
            let len = self.text.len().min(opening.len());
            if self.text[..len].eq_ignore_ascii_case(&opening.as_bytes()[..len]) {
                if len == opening.len() {
                    return Some(true);
                }
                is_open = true;
            }
        }
        (!is_open || self.ended).then_some(false)
    }

    /// Returns true if the text begins like this pattern; `None` if more bytes are needed. In a pattern, `0` matches
    /// a number of at most 12 digits, and `~` matches any amount of white space. A pattern without capitals also
    /// matches text in capitals.
    pub(super) fn begins_like(self, pattern: &str) -> Option<bool> {
        let is_exact = pattern.bytes().any(|b| b.is_ascii_uppercase());
        let mut rest = self.text;
        for sign in pattern.bytes() {
            if sign == b'~' {
                rest = rest.trim_ascii_start();
                continue;
            }
            let Some(first) = rest.first() else { return self.ended.then_some(false) };
            let len = match sign {
                b'0' => rest.iter().take(12).take_while(|b| b.is_ascii_digit()).count(),
                _ => usize::from(*first == sign || !is_exact && first.to_ascii_lowercase() == sign),
            };
            if len == 0 {
                return Some(false);
            }
            rest = &rest[len..];
        }
        Some(true)
    }

    /// Returns the name of the first element of a document in XML; `None` if more bytes are needed.
    pub(super) fn root(self) -> Option<Option<String>> {
        /// The length in bytes up to which the rest of a name is waited for.
        const LONGEST: usize = 64;
        let mut rest = self.text;
        loop {
            rest = rest.trim_ascii_start();
            let Some(inside) = rest.strip_prefix(b"<") else {
                return (self.ended || !rest.is_empty()).then_some(None);
            };
            if matches!(inside.first(), Some(b'?' | b'!')) {
                let close: &[u8] =
                    if b"!--".starts_with(&inside[..inside.len().min(3)]) { b"-->" } else { b">" };
                match inside.windows(close.len()).position(|part| part == close) {
                    Some(at) => rest = &inside[at + close.len()..],
                    None => return self.ended.then_some(None),
                }
                continue;
            }
            let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b':' | b'_' | b'-' | b'.');
            let len = inside.iter().take_while(|b| is_name(b)).count();
            if len == inside.len() && len < LONGEST && !self.ended {
                return None;
            }
            return Some(
                str::from_utf8(&inside[..len]).ok().filter(|_| len < inside.len()).map(str::to_owned),
            );
        }
    }
}
