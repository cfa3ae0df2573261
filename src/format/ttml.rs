//! `.ttml`, the W3C's subtitles in XML: the text of paragraphs.
//!
//! Text between `<p>` and `</p>` is a cue, in which `<br/>` ends a line. Tags, comments, metadata
//! and everything else are copied unchanged.

use super::cue::CueScanner;
use super::lines::Ends;
use super::records::{Grammar, LineParts};
use super::transcript::{Fault, shortened};

/// Elements inside a paragraph whose text is not shown.
const SILENT: [&str; 5] = ["metadata", "title", "desc", "copyright", "agent"];

/// The number of bytes of a tag that are kept: its name is at the beginning.
const LONGEST_TAG: usize = 256;

/// Paragraphs as text to be restored, read in parts that end with a line or a tag.
#[derive(Debug, Default)]
pub(super) struct TtmlParagraphs {
    cues: CueScanner,
    at: TtmlPosition,
    /// The open tag; `quote` is the quote of its open attribute value.
    tag: String,
    quote: Option<char>,
    /// True if the root was found; `in_paragraph` is true if a paragraph is open.
    is_begun: bool,
    in_paragraph: bool,
    /// The element whose text is not shown, and the number of open elements of its name.
    silent: Option<(&'static str, usize)>,
    /// True if nothing stands before the next text on the line of the cue.
    opens: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum TtmlPosition {
    #[default]
    Text,
    Tag,
    Comment,
    Data,
}

impl TtmlParagraphs {
    /// Reads text at byte `start` of the line.
    fn text(&mut self, text: &str, start: usize, parts: &mut LineParts) {
        let is_empty = text.trim().is_empty();
        if !self.in_paragraph || self.silent.is_some() || is_empty {
            return;
        }
        let first = parts.places.len();
        self.cues.part(text, std::mem::take(&mut self.opens), parts);
        parts.shift(first, start);
    }

    /// Handles the tag that was read.
    fn end_tag(&mut self) -> Result<(), Fault> {
        let is_end = self.tag.starts_with("</");
        let is_empty = self.tag.ends_with("/>");
        let inside = self.tag.trim_start_matches(['<', '/']);
        let name = &inside[..inside.find(|c: char| c.is_whitespace() || matches!(c, '/' | '>')).unwrap_or(0)];
        let local = name.rsplit(':').next().unwrap_or_default();
        if self.tag.starts_with("<?") || self.tag.starts_with("<!") {
            return Ok(());
        }
        if !self.is_begun && local != "tt" {
            let problem = format!("found <{}>, but the root of TTML is expected, <tt>", shortened(name));
            return Err(Fault { at: 0, problem });
        }
        self.is_begun = true;
        if let Some((silent, depth)) = &mut self.silent {
            if local == *silent && !is_empty {
                *depth = if is_end { *depth - 1 } else { *depth + 1 };
            }
            self.silent = self.silent.filter(|(_, depth)| *depth > 0);
            return Ok(());
        }
        match local {
            "p" => {
                self.in_paragraph = !is_end && !is_empty;
                self.opens = true;
                self.cues.begin();
            }
            "br" => self.opens = true,
            local if !is_end && !is_empty => {
                let silent = SILENT.into_iter().find(|silent| *silent == local);
                self.silent = silent.map(|silent| (silent, 1));
            }
            _ => {}
        }
        Ok(())
    }
}

impl Grammar for TtmlParagraphs {
    fn line(&mut self, line: &str, parts: &mut LineParts) -> Result<(), Fault> {
        let mut at = 0;
        while at < line.len() {
            let rest = &line[at..];
            let (len, next) = match self.at {
                TtmlPosition::Text => match rest.find('<') {
                    Some(len) => (len, TtmlPosition::Tag),
                    None => (rest.len(), TtmlPosition::Text),
                },
                TtmlPosition::Comment => rest
                    .find("-->")
                    .map_or((rest.len(), TtmlPosition::Comment), |len| (len + 3, TtmlPosition::Text)),
                TtmlPosition::Data => {
                    rest.find("]]>").map_or((rest.len(), TtmlPosition::Data), |len| (len, TtmlPosition::Text))
                }
                TtmlPosition::Tag => {
                    let mut end = None;
                    for (place, c) in rest.char_indices() {
                        match self.quote {
                            Some(quote) if quote == c => self.quote = None,
                            Some(_) => {}
                            None if matches!(c, '"' | '\'') => self.quote = Some(c),
                            None if c == '>' => {
                                end = Some(place + 1);
                                break;
                            }
                            None => {}
                        }
                    }
                    let len = end.unwrap_or(rest.len());
                    let kept: String = rest[..len].chars().take(LONGEST_TAG).collect();
                    self.tag.truncate(self.tag.len().min(4 * LONGEST_TAG));
                    self.tag.push_str(&kept);
                    (len, if end.is_some() { TtmlPosition::Text } else { TtmlPosition::Tag })
                }
            };
            let was = std::mem::replace(&mut self.at, next);
            match (was, next) {
                (TtmlPosition::Text | TtmlPosition::Data, _) => self.text(&rest[..len], at, parts),
                (TtmlPosition::Tag, TtmlPosition::Text) => {
                    let ended = self.end_tag();
                    self.tag.clear();
                    ended?;
                }
                _ => {}
            }
            at += len;
            if was == TtmlPosition::Text && next == TtmlPosition::Tag {
                let rest = &line[at..];
                let begins = [("<!--", TtmlPosition::Comment), ("<![CDATA[", TtmlPosition::Data)];
                if let Some((begin, kind)) = begins.into_iter().find(|(begin, _)| rest.starts_with(begin)) {
                    at += begin.len();
                    self.at = kind;
                }
            } else if was == TtmlPosition::Data && next == TtmlPosition::Text {
                at += "]]>".len();
            }
        }
        // The line ends inside a tag.
        if self.at == TtmlPosition::Tag {
            self.tag.push(' ');
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), String> {
        match self.at {
            TtmlPosition::Text if self.is_begun => Ok(()),
            TtmlPosition::Text => Err("found no element, but the root of TTML is expected, <tt>".to_owned()),
            _ => Err("found the end of the file inside a tag or a comment".to_owned()),
        }
    }

    fn is_between(&self) -> bool {
        !self.in_paragraph
    }

    fn ends(&self) -> Ends {
        Ends::Tags
    }
}

#[cfg(test)]
mod tests {
    use crate::format::Kind;
    use crate::format::laws::{check, error, starts, words};

    const FILE: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- so <p>it is</p> -->\n<tt xmlns=\"http://www.w3.org/ns/ttml\" xml:lang=\"en\"\n  a='>'>\
        <head><metadata><ttm:title>a talk</ttm:title></metadata></head>\n<body><div>\n<p begin=\"0s\" end='1.5s'>so we met <span tts:color=\"red\">ana,</span><br/>\n  - me too.</p>\
        <p begin=\"2s\"\n end=\"3s\"><metadata>x<ttm:desc>y</ttm:desc></metadata>MAN: and - rui &amp; é<![CDATA[ a < b]]></p><p/>no text</div></body></tt>";

    #[test]
    fn only_the_text_of_paragraphs_is_text() {
        let found = words(Kind::Ttml, FILE);
        assert_eq!(found, ["so", "we", "met", "ana", "me", "too", "man", "and", "rui", "é", "a", "b"]);
        assert_eq!(starts(Kind::Ttml, FILE), ["me", "man", "and"]);
        check(Kind::Ttml, FILE);
        check(Kind::Ttml, &FILE.replace('\n', " "));
        assert_eq!(words(Kind::Ttml, "<tt:tt><tt:p>so</tt:p></tt:tt>"), ["so"]);
    }

    #[test]
    fn what_is_no_ttml_is_named() {
        let found = error(Kind::Ttml, "<html><p>so</p></html>");
        assert!(found.starts_with("data, line 1, column 1: found <html>, but the root of TTML"), "{found}");
        let found = error(Kind::Ttml, "<tt>\n<p>so</p\n");
        assert!(
            found.starts_with("data, line 3, column 1: found the end of the file inside a tag"),
            "{found}"
        );
    }

    #[test]
    fn a_file_of_one_line_is_read_in_pieces() {
        let text = format!("<tt>{}</tt>", "<p begin=\"1s\">we met ana</p>".repeat(5000));
        assert_eq!(words(Kind::Ttml, &text).len(), 15_000);
    }
}
