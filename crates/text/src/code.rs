//! Finds code and formulas in plain text, Markdown, TeX and HTML: they are not text.

use std::borrow::Cow;
use std::iter::repeat_n;
use std::path::Path;

use rustc_hash::FxHashMap;

use super::language::has_word;
use super::markup::escaped_letter;
use super::tokenize::NO_TEXT;

/// A pair of strings around code: the opener and the closer, both without regard to case, the byte that fills the
/// code, and the block that the opener opens if its line has no closer. Of openers with the same beginning, the
/// longer comes first.
type Pair = (&'static str, &'static str, u8, Opens);

const PAIRS: [Pair; 24] = [
    ("<!--", "-->", BLANK, Opens::Block),
    ("$$", "$$", NO_TEXT, Opens::First),
    ("\\(", "\\)", NO_TEXT, Opens::Alone),
    ("\\[", "\\]", NO_TEXT, Opens::Alone),
    ("<%=", "%>", PLACEHOLDER, Opens::Nothing),
    ("<%", "%>", BLANK, Opens::Nothing),
    ("{{#", "}}", BLANK, Opens::Nothing),
    ("{{/", "}}", BLANK, Opens::Nothing),
    ("{{!", "}}", BLANK, Opens::Nothing),
    ("{{", "}}", PLACEHOLDER, Opens::Nothing),
    ("{%", "%}", BLANK, Opens::Nothing),
    ("{#", "#}", BLANK, Opens::Nothing),
    (WIKI_LINK, "]]", NO_TEXT, Opens::Nothing),
    ("<script", "</script", BLANK, Opens::Element),
    ("<style", "</style", BLANK, Opens::Element),
    ("<pre", "</pre", BLANK, Opens::Element),
    ("<textarea", "</textarea", BLANK, Opens::Element),
    ("<svg", "</svg", BLANK, Opens::Element),
    ("<math", "</math", BLANK, Opens::Element),
    ("<code", "</code", NO_TEXT, Opens::Element),
    ("<kbd", "</kbd", NO_TEXT, Opens::Element),
    ("<samp", "</samp", NO_TEXT, Opens::Element),
    ("<tt", "</tt", NO_TEXT, Opens::Element),
    ("<var", "</var", NO_TEXT, Opens::Element),
];

/// Opens a link of a wiki: `[[target|text]]`.
const WIKI_LINK: &str = "[[";

/// Fills code that is separate from text or that is mark-up; [`NO_TEXT`] fills code that is used like words.
const BLANK: u8 = b' ';

/// Fills code that is used like words and contains words: one name in braces.
const PLACEHOLDER: u8 = b'{';

/// The kind of code that an opener opens if its closer is not on the same line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opens {
    Nothing,
    Block,
    /// A block, in TeX or if nothing is before it on its line.
    First,
    /// A block, in TeX or if nothing else is on its line.
    Alone,
    /// A block, if nothing but tags is before it on its line or nothing after it. The tag that begins with `</x`
    /// closes it.
    Element,
}

/// Environments of TeX that are not text; formulas end at an empty line at the latest.
const FORMULAS: &str =
    "equation align alignat gather multline eqnarray math displaymath flalign split cases aligned array";
const LISTINGS: &str =
    "verbatim Verbatim lstlisting minted tikzpicture algorithmic alltt comment filecontents";

/// Commands of TeX whose arguments are not text: those that begin with `cite` or end with `ref`, and these.
const COMMANDS: &str = "label usepackage documentclass input include includegraphics includeonly bibliography \
    bibliographystyle url href begin end newcommand renewcommand providecommand def vspace hspace setlength addtolength \
    color textcolor definecolor texttt addbibresource graphicspath hypersetup geometry newtheorem theoremstyle \
    pagestyle thispagestyle setcounter RequirePackage lstset usetikzlibrary tag operatorname mathrm index gls Gls";

/// The largest number of backticks around a code span.
const LONGEST_RUN: usize = 16;

/// The largest number of words of a formula between dollars that has no mathematical symbols.
const LONGEST_FORMULA: usize = 3;

/// The notation of a text, according to its file name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Notation {
    /// None: only text that counts as code in all notations
    #[default]
    Plain,
    /// Markdown: fences, spans, links
    Markdown,
    /// TeX: commands and maths
    Tex,
}

/// The largest number of characters of live text that wait for the end of their line.
const LONGEST_WAIT: usize = 1024;

/// The kind of code in which a line begins.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Block {
    Text,
    FrontMatter,
    /// A fenced block, with the character of its fence and the number of these characters.
    Fence(u8, usize),
    /// Code up to this closer; if the code is used like words, an empty line also ends it.
    Until {
        close: Cow<'static, str>,
        fill: u8,
    },
}

/// Finds the code in a text, line by line. The kind of a line does not depend on later lines.
#[derive(Debug, Clone)]
pub struct CodeFinder {
    notation: Notation,
    block: Block,
    /// True before the first line.
    is_first: bool,
    /// True after an empty line or a line of indented code, where indented code may begin or continue.
    may_indent: bool,
    in_list: bool,
    /// True if each line is a separate text.
    apart: bool,
    /// The part of a live line that was read.
    begun: BegunLine,
}

/// The findings in the part of a line that was read.
#[derive(Debug, Clone, Copy, Default)]
struct BegunLine {
    /// True if that part has anything but white space; `has_text` is true if it has anything but tags and white
    /// space.
    is_written: bool,
    has_text: bool,
    is_in_tag: bool,
    last: Option<char>,
}

impl BegunLine {
    fn read(&mut self, text: &str) {
        for c in text.chars() {
            self.is_in_tag = (self.is_in_tag || c == '<') && c != '>';
            self.is_written |= !c.is_whitespace();
            self.has_text |= !self.is_in_tag && c != '>' && !c.is_whitespace();
            self.last = Some(c);
        }
    }
}

impl CodeFinder {
    /// Starts a text of a file with this name; with `apart`, each line is a separate text.
    pub fn new(name: &str, apart: bool) -> Self {
        let name = name.to_ascii_lowercase();
        let name = [".gz", ".zst", ".xz"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
        let notation = match Path::new(name).extension().and_then(|end| end.to_str()) {
            Some("md" | "markdown" | "mdown" | "mkd" | "qmd" | "rmd") if !apart => Notation::Markdown,
            Some("tex" | "latex" | "ltx" | "sty" | "cls") => Notation::Tex,
            _ => Notation::Plain,
        };
        Self {
            notation,
            block: Block::Text,
            is_first: true,
            may_indent: true,
            in_list: false,
            apart,
            begun: BegunLine::default(),
        }
    }

    /// Returns the notation of the text.
    pub fn notation(&self) -> Notation {
        self.notation
    }

    /// Returns whole lines if they have no code, and otherwise `view` with as many bytes: blanks replace code that is
    /// separate from text or that is mark-up, [`NO_TEXT`] replaces code that is used like words, and `{__name_}`
    /// replaces placeholders.
    pub fn view<'a>(&mut self, lines: &'a str, view: &'a mut String) -> &'a str {
        view.clear();
        let mut at = 0;
        while at < lines.len() {
            // Most lines of a text have no code.
            if self.notation == Notation::Plain && self.block == Block::Text {
                let rest = &lines[at..];
                let odd = next_odd(rest.as_bytes(), self.is_first);
                let begin = odd.map_or(rest.len(), |odd| rest[..odd].rfind('\n').map_or(0, |feed| feed + 1));
                self.is_first &= begin == 0;
                if odd.is_none() && at == 0 {
                    return lines;
                }
                view.push_str(&rest[..begin]);
                at += begin;
            }
            let Some(line) = lines[at..].split_inclusive('\n').next() else { break };
            let (text, end) = line.split_at(line.trim_end_matches(['\n', '\r']).len());
            self.line(text, view);
            view.push_str(end);
            at += line.len();
        }
        view
    }

    /// Appends the view of the part of a live text that can be read before more text arrives, and returns the length
    /// of that part; `is_whole` is true if no more text comes. From the first character that may open code on, text
    /// waits for the end of its line.
    pub fn read_live(&mut self, text: &str, is_whole: bool, view: &mut String) -> usize {
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
            let is_ended = line.len() < rest.len();
            let plain =
                if self.block == Block::Text { self.plain_len(line, is_ended || is_whole) } else { 0 };
            self.begun.read(&line[..plain]);
            self.is_first &= !self.begun.is_written;
            view.push_str(&line[..plain]);
            at += plain;
            let odd = &line[plain..];
            let limit = odd.char_indices().nth(LONGEST_WAIT).map(|(at, _)| at);
            if !(odd.is_empty() || is_ended || is_whole || limit.is_some()) {
                break;
            }
            let odd = &odd[..limit.unwrap_or(odd.len())];
            match self.begun.is_written {
                _ if odd.is_empty() => {}
                true if self.block == Block::Text => self.inline(odd, 0, view),
                true => self.block_line(odd, view),
                false => self.line(odd, view),
            }
            self.begun.read(odd);
            at += odd.len();
            if limit.is_some() || !is_ended {
                continue;
            }
            view.push('\n');
            at += 1;
            self.begun = BegunLine::default();
            self.is_first = false;
            if self.apart {
                self.block = Block::Text;
            }
        }
        at
    }

    /// Returns the number of bytes of a line before the first that may open code.
    fn plain_len(&self, line: &str, is_whole: bool) -> usize {
        let mut begun = self.begun;
        let mut is_escaped = false;
        for (at, c) in line.char_indices() {
            let next = line[at + c.len_utf8()..].chars().next();
            let opens = |is: fn(char) -> bool| next.map_or(!is_whole, is);
            let may_open = match c {
                _ if std::mem::take(&mut is_escaped) => false,
                '`' => true,
                '~' => !begun.is_written,
                '-' => !begun.is_written && self.is_first,
                '$' => opens(|c| !c.is_ascii_digit() && !c.is_whitespace()),
                ']' => opens(|c| matches!(c, '(' | '[')),
                '[' => opens(|c| c == '['),
                '\\' => {
                    is_escaped = true;
                    opens(|c| c.is_ascii_alphabetic() || matches!(c, '(' | '['))
                }
                '<' | '{' => may_be_pair(&line[at..], is_whole),
                _ => false,
            };
            if may_open {
                return at;
            }
            begun.read(&line[at..at + c.len_utf8()]);
        }
        line.len()
    }

    /// Appends the view of a line.
    fn line(&mut self, line: &str, view: &mut String) {
        let is_first = std::mem::take(&mut self.is_first);
        if self.block == Block::Text {
            self.text_line(line, is_first, view);
        } else {
            self.block_line(line, view);
        }
        if self.apart {
            self.block = Block::Text;
            self.is_first = false;
        }
    }

    /// Appends a line that begins inside a block.
    fn block_line(&mut self, line: &str, view: &mut String) {
        let trimmed = line.trim();
        match &self.block {
            Block::FrontMatter if trimmed == "---" || trimmed == "..." => self.block = Block::Text,
            Block::FrontMatter if is_yaml(line) => {}
            Block::FrontMatter => {
                self.block = Block::Text;
                return self.text_line(line, false, view);
            }
            Block::Fence(mark, len) => {
                let fence = trimmed.trim_start_matches(['>', ' ']);
                if fence.len() >= *len && fence.bytes().all(|b| b == *mark) {
                    self.block = Block::Text;
                    self.may_indent = true;
                }
            }
            Block::Until { fill: NO_TEXT, .. } if trimmed.is_empty() => self.block = Block::Text,
            Block::Until { close, fill } => {
                let end = Line::new(line, self.begun).end(close, 0);
                mask(&line[..end.unwrap_or(line.len())], *fill, view);
                if let Some(end) = end {
                    self.block = Block::Text;
                    self.inline(line, end, view);
                }
                return;
            }
            Block::Text => {}
        }
        mask(line, BLANK, view);
    }

    /// Appends a line that begins in text.
    fn text_line(&mut self, line: &str, is_first: bool, view: &mut String) {
        let trimmed = line.trim_start();
        if is_first && line.trim_end() == "---" && self.notation != Notation::Tex {
            self.block = Block::FrontMatter;
            return mask(line, BLANK, view);
        }
        if self.notation != Notation::Tex
            && let Some((mark, len)) = self.fence(trimmed)
        {
            self.block = Block::Fence(mark, len);
            return mask(line, BLANK, view);
        }
        if self.notation == Notation::Markdown && self.is_indented(line, trimmed) {
            return mask(line, BLANK, view);
        }
        let from = if self.notation == Notation::Tex { 0 } else { definition_len(line) };
        mask(&line[..from], BLANK, view);
        self.inline(line, from, view);
    }

    /// Returns the fence that a line opens, which may be in a list or a quotation.
    fn fence(&self, trimmed: &str) -> Option<(u8, usize)> {
        let mut line = trimmed.trim_start_matches(['>', ' ']);
        let bullet =
            line.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(['-', '*', '+', '.', ')']);
        if let Some(item) = bullet.filter(|item| item.starts_with(' ')) {
            line = item.trim_start();
        }
        let mark = *line.as_bytes().first().filter(|b| matches!(b, b'`' | b'~'))?;
        let len = line.bytes().take_while(|b| *b == mark).count();
        let info = line[len..].trim();
        // Tildes alone are an ornament, unless the file is Markdown.
        let is_fence = match mark {
            b'`' => !info.contains('`'),
            _ => self.notation == Notation::Markdown || !info.is_empty() && !info.contains(['~', ' ']),
        };
        (len >= 3 && is_fence).then_some((mark, len))
    }

    /// Returns true if a line is indented code.
    fn is_indented(&mut self, line: &str, trimmed: &str) -> bool {
        if trimmed.is_empty() {
            self.may_indent = true;
            return false;
        }
        let indent = &line[..line.len() - trimmed.len()];
        let is_code = self.may_indent && !self.in_list && (indent.contains('\t') || indent.len() >= 4);
        let number = trimmed.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_item = match number.len() < trimmed.len() {
            true => number.starts_with(". ") || number.starts_with(") "),
            false => ["- ", "* ", "+ "].iter().any(|bullet| trimmed.starts_with(bullet)),
        };
        self.in_list = !is_code && (is_item || self.in_list && (!indent.is_empty() || !self.may_indent));
        self.may_indent = is_code;
        is_code
    }

    /// Appends the rest of a line of text from byte `at` on.
    fn inline(&mut self, text: &str, mut at: usize, view: &mut String) {
        let mut line = Line::new(text, self.begun);
        let mut start = at;
        let opens = |c: char| matches!(c, '`' | '$' | '\\' | '<' | '[' | ']' | '{' | '%' | '&' | '~');
        while let Some(next) = text[at..].find(opens).map(|len| at + len) {
            let Some((end, fill)) = self.code(&mut line, next) else {
                at = next + 1;
                if text[next..].starts_with('\\') {
                    at += text[at..].chars().next().map_or(0, char::len_utf8);
                }
                continue;
            };
            // The bracket after the text of a link stays.
            let from = next + usize::from(text.as_bytes()[next] == b']');
            view.push_str(&text[start..from]);
            mask(&text[from..end], fill, view);
            (start, at) = (end, end);
        }
        view.push_str(&text[start..]);
    }

    /// Returns the code at byte `at` of a line, and opens the block that it begins.
    fn code(&mut self, line: &mut Line<'_>, at: usize) -> Option<Code> {
        let is_tex = self.notation == Notation::Tex;
        match line.text.as_bytes()[at] {
            b'`' if !is_tex => line.span(at),
            b'$' => self.pair(line, at).or_else(|| self.formula(line, at)),
            b'\\' => self.pair(line, at).or_else(|| self.command(line, at)),
            b'<' => self.pair(line, at),
            b'{' | b'[' if !is_tex => self.pair(line, at),
            b']' => line.target(at),
            b'%' if is_tex => Some((line.text.len(), BLANK)),
            // The cell separator of a TeX table becomes `|`, as in other tables.
            b'&' if is_tex => line.next("\\\\", at).map(|_| (at + 1, b'|')),
            b'~' if is_tex => Some((at + 1, BLANK)),
            _ => None,
        }
    }

    /// Opens a block, and returns the rest of the line.
    fn open(&mut self, line: &Line<'_>, close: impl Into<Cow<'static, str>>, fill: u8) -> Code {
        self.block = Block::Until { close: close.into(), fill };
        (line.text.len(), fill)
    }

    /// Finds code between an opener and a closer of `PAIRS`.
    fn pair(&mut self, line: &mut Line<'_>, at: usize) -> Option<Code> {
        let rest = &line.text[at..];
        let &(open, close, fill, opens) =
            PAIRS.iter().find(|pair| pair_len(rest, pair) == Some(pair.0.len()))?;
        let inside = at + open.len();
        let tag = if opens == Opens::Element { line.next(">", inside) } else { None };
        if tag.is_some_and(|tag| line.text[..tag].ends_with('/')) {
            return None;
        }
        if let Some(end) = line.end(close, inside) {
            let link = (open == WIKI_LINK).then(|| &line.text[inside..end]);
            return match link.map(|link| link.rfind('|')) {
                Some(_) if line.text[end..].starts_with('(') => None,
                Some(Some(bar)) => Some((inside + bar + 1, BLANK)),
                _ => Some((end, fill)),
            };
        }
        let is_tex = self.notation == Notation::Tex;
        let begun = line.begun(at);
        let is_last = |at: usize| at >= line.text_end;
        let is_block = match opens {
            Opens::Nothing => false,
            Opens::Block => true,
            Opens::First => is_tex || !begun.is_written,
            Opens::Alone => is_tex || !begun.is_written && is_last(inside),
            // `the <code> tag` opens nothing.
            Opens::Element => !begun.has_text || tag.is_none_or(|tag| is_last(tag + 1)),
        };
        is_block.then(|| self.open(line, close, fill))
    }

    /// Finds a formula between dollars; a formula contains no dollar.
    fn formula(&mut self, line: &mut Line<'_>, at: usize) -> Option<Code> {
        let is_tex = self.notation == Notation::Tex;
        let Some(close) = line.next("$", at + 1) else {
            return is_tex.then(|| self.open(line, "$", NO_TEXT));
        };
        let (inside, after) = (&line.text[at + 1..close], &line.text[close + 1..]);
        (is_tex || is_formula(inside, line.begun(at).last, after)).then_some((close + 1, NO_TEXT))
    }

    /// Finds a TeX environment or command; outside TeX files, only commands with braces or brackets count.
    fn command(&mut self, line: &mut Line<'_>, at: usize) -> Option<Code> {
        let text = line.text;
        let is_tex = self.notation == Notation::Tex;
        let name_len = text[at + 1..].bytes().take_while(u8::is_ascii_alphabetic).count();
        let name = &text[at + 1..at + 1 + name_len];
        let mut end = at + 1 + name_len;
        end += usize::from(text[end..].starts_with('*'));
        let opens_group = text[end..].starts_with(['{', '[']);
        let is_in_path = |c: char| c.is_alphanumeric() || matches!(c, ':' | '\\');
        let stands_in_path = line.begun(at).last.is_some_and(is_in_path);
        // `\c{c}` is a letter.
        if name.is_empty()
            || is_tex && escaped_letter(&text[at..], true).is_some()
            || !is_tex && (!opens_group || stands_in_path)
        {
            // `\\` breaks a line, and ends the row of a table.
            let ends_row = line.next("&", 0).is_some_and(|cell| cell < at);
            let fill = if ends_row { b'|' } else { BLANK };
            return (is_tex && text[at..].starts_with("\\\\")).then_some((at + 2, fill));
        }
        if is_tex && name == "verb" {
            let mark = text[end..].chars().next().filter(char::is_ascii)?;
            return line.next(mark.encode_utf8(&mut [0; 4]), end + 1).map(|close| (close + 1, NO_TEXT));
        }
        if name == "begin"
            && let Some(group) = line.group(end, b"{")
        {
            let whole = &text[end + 1..group - 1];
            let plain = whole.strip_suffix('*').unwrap_or(whole);
            let is_formula = has_word(FORMULAS, plain);
            if is_formula || has_word(LISTINGS, plain) {
                let close = format!("\\end{{{whole}}}");
                let fill = if is_formula { NO_TEXT } else { BLANK };
                let end = line.end(&close, group).map(|end| (end, NO_TEXT));
                return end.or_else(|| Some(self.open(line, close, fill)));
            }
        }
        let is_key = name.starts_with("cite") || name.ends_with("cite") || name.ends_with("ref");
        if is_key || has_word(COMMANDS, name) {
            let mut is_text = false;
            while !is_text && let Some(group) = line.group(end, b"[{") {
                end = group;
                // The second argument of these is text.
                is_text = matches!(name, "href" | "textcolor");
            }
            end += usize::from(is_text && text[end..].starts_with('{'));
            let apart = ["begin", "end", "label", "href", "textcolor", "index", "vspace", "hspace"];
            return Some((end, if apart.contains(&name) { BLANK } else { NO_TEXT }));
        }
        // The argument of any other command is text.
        while let Some(group) = line.group(end, b"[") {
            end = group;
        }
        end += usize::from(text[end..].starts_with('{'));
        Some((end, BLANK))
    }
}

/// The end of code inside a line of text, and the byte that fills it.
type Code = (usize, u8);

/// A line, and the closers that were searched for in it, so that no text is searched twice for the same closer.
struct Line<'a> {
    text: &'a str,
    /// The byte after the last one that is not white space.
    text_end: usize,
    /// The findings in the part of the line before a byte, and that byte.
    begun: (BegunLine, usize),
    /// For each closer, the byte from which it was searched for, and the byte of the first closer found, or the
    /// length of the line if there is none.
    closers: Vec<(String, usize, usize)>,
    /// The byte of the closing bracket for each opening one, and the next run of the same length for each run of
    /// backticks.
    partners: Option<FxHashMap<usize, usize>>,
}

impl<'a> Line<'a> {
    fn new(text: &'a str, begun: BegunLine) -> Self {
        let text_end = text.trim_end().len();
        Self { text, text_end, begun: (begun, 0), closers: Vec::new(), partners: None }
    }

    /// Returns the findings in the line before byte `at`; `at` grows from call to call.
    fn begun(&mut self, at: usize) -> BegunLine {
        let (begun, read) = &mut self.begun;
        begun.read(&self.text[*read..at.max(*read)]);
        *read = at.max(*read);
        *begun
    }

    /// Returns the first closer from byte `from` on; a dollar after a backslash does not count.
    fn next(&mut self, close: &str, from: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let index = self.closers.iter().position(|(known, ..)| known == close).unwrap_or_else(|| {
            self.closers.push((close.to_owned(), 1, 0));
            self.closers.len() - 1
        });
        let (_, searched, found) = &mut self.closers[index];
        if !(*searched..=*found).contains(&from) {
            let is_escaped =
                |at: usize| bytes[..at].iter().rev().take_while(|b| **b == b'\\').count() % 2 == 1;
            let closes = |&at: &usize| {
                bytes[at] == close.as_bytes()[0]
                    && bytes[at..]
                        .get(..close.len())
                        .is_some_and(|it| it.eq_ignore_ascii_case(close.as_bytes()))
                    && !(bytes[at] == b'$' && is_escaped(at))
            };
            *searched = from;
            *found = (from..bytes.len()).find(closes).unwrap_or(bytes.len());
        }
        Some(*found).filter(|&found| found < bytes.len())
    }

    /// Returns the byte after the first closer from byte `from` on.
    fn end(&mut self, close: &str, from: usize) -> Option<usize> {
        let end = self.next(close, from)? + close.len();
        let tag = if close.starts_with("</") {
            self.next(">", end).map_or(self.text.len(), |tag| tag + 1)
        } else {
            end
        };
        Some(tag)
    }

    /// Returns the byte of the partner of a bracket or of a run of backticks.
    fn partner(&mut self, at: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let partners = self.partners.get_or_insert_with(|| {
            let (mut partners, mut open) = (FxHashMap::default(), [const { Vec::new() }; 3]);
            let mut runs: FxHashMap<usize, usize> = FxHashMap::default();
            let mut run = 0;
            for (at, b) in bytes.iter().enumerate() {
                if let Some(kind) = b"([{".iter().position(|open| open == b) {
                    open[kind].push(at);
                } else if let Some(kind) = b")]}".iter().position(|close| close == b) {
                    partners.extend(open[kind].pop().map(|open| (open, at)));
                }
                run = if *b == b'`' { run + 1 } else { 0 };
                if run > 0 && bytes.get(at + 1) != Some(&b'`') {
                    let start = at + 1 - run;
                    partners.extend(runs.insert(run, start).map(|before| (before, start)));
                }
            }
            partners
        });
        partners.get(&at).copied()
    }

    /// Returns the byte after a group at byte `at`, which one of these brackets opens.
    fn group(&mut self, at: usize, open: &[u8]) -> Option<usize> {
        let is_open = self.text.as_bytes().get(at).is_some_and(|b| open.contains(b));
        if is_open { self.partner(at).map(|close| close + 1) } else { None }
    }

    /// Finds the code span at byte `at`.
    fn span(&mut self, at: usize) -> Option<Code> {
        let close = self.partner(at)?;
        let len = self.text[at..].bytes().take(LONGEST_RUN + 1).take_while(|b| *b == b'`').count();
        let inside = &self.text[at + len..close.max(at + len)];
        // ``quotes'' of TeX, or `quotes' in the old style.
        let is_quote = inside.contains("''") && len == 2
            || inside.matches('\'').count() % 2 == 1 && inside.contains("' ");
        (len <= LONGEST_RUN && !is_quote && !inside.trim().is_empty()).then_some((close + len, NO_TEXT))
    }

    /// Finds `](target)` or `][id]` at byte `at`.
    fn target(&mut self, at: usize) -> Option<Code> {
        let end = self.group(at + 1, b"([")?;
        // `[sic](he said)` is not a link, but text.
        let inside = self.text[at + 2..end - 1].trim();
        let is_url = inside.split_once(char::is_whitespace).is_none_or(|(_, title)| {
            inside.starts_with('<') || title.trim_start().starts_with(['"', '\'', '('])
        });
        is_url.then_some((end, BLANK))
    }
}

/// Returns the length of the beginning of an opener with which `text` starts: the whole opener, or a part if the text
/// is shorter. `None` if the text does not match the opener.
fn pair_len(text: &str, (open, .., opens): &Pair) -> Option<usize> {
    let len = open.len().min(text.len());
    let begins = text.as_bytes()[..len].eq_ignore_ascii_case(&open.as_bytes()[..len]);
    let goes_on = |after: &str| after.starts_with(|c: char| c.is_alphanumeric() || c == '-');
    let is_other = *opens == Opens::Element && text.get(len..).is_none_or(goes_on);
    (begins && (len < open.len() || !is_other)).then_some(len)
}

/// Returns true if the text begins with an opener of `PAIRS`, or may do so when more text arrives.
fn may_be_pair(text: &str, is_whole: bool) -> bool {
    PAIRS.iter().any(|pair| pair_len(text, pair).is_some_and(|len| !is_whole || len == pair.0.len()))
}

/// Returns the first byte that may open code. Most lines have none, which a fast test of many bytes at once shows.
fn next_odd(lines: &[u8], is_first: bool) -> Option<usize> {
    // Comparisons without a branch, in a loop of a known length, look at many bytes at once.
    let opens = |b: u8| {
        (b == b'`') | (b == b'$') | (b == b'\\') | (b == b'<') | (b == b']') | (b == b'~') | (b == b'{')
    };
    let has = |bytes: &[u8]| bytes.iter().fold(0, |has, &b| has | u8::from(opens(b))) != 0;
    if is_first && lines.starts_with(b"---") {
        return Some(0);
    }
    let (chunks, rest) = lines.as_chunks::<64>();
    let from = chunks.iter().position(|chunk| has(chunk)).unwrap_or(chunks.len()) * 64;
    let end = if from < lines.len() - rest.len() { from + 64 } else { lines.len() };
    lines[from..end].iter().position(|&b| opens(b)).map(|at| from + at)
}

/// Appends the view of `code`, which has as many bytes. A blank separates code from a word right before it.
fn mask(code: &str, fill: u8, view: &mut String) {
    if fill == PLACEHOLDER {
        let name = code[1..code.len() - 1].chars();
        view.push('{');
        name.for_each(|c| {
            if c.is_alphanumeric() { view.push(c) } else { view.extend(repeat_n('_', c.len_utf8())) }
        });
        return view.push('}');
    }
    let is_behind = fill == NO_TEXT && view.ends_with(char::is_alphanumeric);
    let blank = usize::from(is_behind && !code.is_empty());
    view.extend(repeat_n(' ', blank));
    view.extend(repeat_n(char::from(fill), code.len() - blank));
}

/// Returns true if a line may be in front matter.
fn is_yaml(line: &str) -> bool {
    let trimmed = line.trim();
    let has_key = || {
        trimmed.split_once(':').is_some_and(|(key, rest)| {
            !key.is_empty()
                && !key.contains(' ')
                && (rest.is_empty() || rest.starts_with(char::is_whitespace))
        })
    };
    trimmed.is_empty()
        || line.starts_with([' ', '\t', '#', '}', ']'])
        || trimmed.starts_with("- ")
        || has_key()
}

/// Returns the length of `[id]: target` at the beginning of a line.
fn definition_len(line: &str) -> usize {
    let start = line.len() - line.trim_start_matches(' ').len();
    let find = || {
        let id = line[start..].strip_prefix('[').filter(|_| start < 4)?;
        let len = id.find(']').filter(|&len| len > 0 && !id.starts_with('^'))?;
        let rest = id[len + 1..].strip_prefix(':')?;
        let target = rest.trim_start();
        let url = target.split_whitespace().next()?;
        let is_url = url.contains("://")
            || url.starts_with(['<', '#', '/', '.'])
            || url.contains('/')
            || url.starts_with("mailto:");
        is_url.then_some(line.len() - target.len() + url.len())
    };
    find().unwrap_or(0)
}

/// Returns true if the text between two dollars, with the text around them, is a formula and not a price: `$5 and
/// $10`.
fn is_formula(inside: &str, before: Option<char>, after: &str) -> bool {
    let marks = ['\\', '^', '_', '=', '{', '+', '<', '>', '*', '/', '|'];
    let is_marked = inside.contains(marks);
    let is_price = inside.starts_with(|c: char| c.is_ascii_digit()) && !is_marked && inside.contains(' ');
    !inside.is_empty()
        && !inside.starts_with(char::is_whitespace)
        && !inside.ends_with(char::is_whitespace)
        && !after.starts_with(|c: char| c.is_alphanumeric())
        && !before.is_some_and(char::is_alphanumeric)
        && !is_price
        && (is_marked || inside.split_whitespace().count() <= LONGEST_FORMULA)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text with `·` for bytes that stand in place of words and `_` for blanks in place of
    /// other code.
    fn view(name: &str, text: &str) -> String {
        let mut view = String::new();
        let mut finder = CodeFinder::new(name, false);
        let view = finder.view(text, &mut view).to_owned();
        assert_eq!(view.len(), text.len());
        let marks = view.bytes().zip(text.bytes()).map(|(seen, byte)| match seen {
            NO_TEXT => '·',
            b' ' if byte != b' ' => '_',
            seen => char::from(seen),
        });
        let marks = marks.collect::<String>();
        // Lines that come one by one are the same.
        let mut finder = CodeFinder::new(name, false);
        let mut lines = String::new();
        for line in text.split_inclusive('\n') {
            let mut part = String::new();
            lines.push_str(finder.view(line, &mut part));
        }
        assert_eq!(lines, view);
        marks
    }

    fn words(name: &str, text: &str) -> String {
        view(name, text)
            .split(|c: char| c.is_whitespace() || c == '_')
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn fences_hold_no_text() {
        assert_eq!(words("a.txt", "so\n```python\ndef hello(name):\n```\nwe met"), "so we met");
        assert_eq!(words("a.txt", "- so\n\n  ~~~ sh\n  run ```\n  ~~~\nwe"), "- so we");
        assert_eq!(words("a.txt", "1. ```\n   x\n   ```\n> ```\n> x\n> ```\nwe"), "we");
        assert_eq!(words("a.txt", "````\n```\n````\nwe"), "we");
        assert_eq!(words("a.txt", "so\n```\nnever closed\n\nx"), "so");
        assert_eq!(words("a.txt", "~~~~~~\nso we"), "~~~~~~ so we");
        assert_eq!(words("a.md", "~~~\nso\n~~~\nwe"), "we");
    }

    #[test]
    fn live_text_has_the_same_code_however_it_arrives() {
        let text = "so\n```py\nx = 1\n```\n  run `git a` and $x$, $5 or \\(a\\) [we](http://a.b) <b>h</b> <script>\nvar x\n\
            </script>\n<code>a b</code> <c> c\\d \\emph{we} it ` s\n\
            {{ a b }} {% x %} {x [[a b|c]] [x] a$x$ C:\\x{a} we <%= x %> so $$ x\n\
            \\[a\\] so\nand \\emph{we} it\n---\n$$\nx\n$$\n<!-- a\n\nb --> we ~ ] < $";
        let mut whole = String::new();
        let whole = CodeFinder::new("", false).view(text, &mut whole).to_owned();
        for step in [1, 2, 5, 1000] {
            let mut finder = CodeFinder::new("", false);
            let mut view = String::new();
            for end in (0..text.len()).step_by(step) {
                let from = view.len();
                finder.read_live(&text[from..end], false, &mut view);
            }
            let from = view.len();
            finder.read_live(&text[from..], true, &mut view);
            assert_eq!(view, whole, "steps of {step} bytes");
        }
    }

    #[test]
    fn indented_code_is_code_in_markdown_alone() {
        let text = "so\n\n    x = y\n\n    z\nwe\n    met\n\n- a\n\n    b\n\nc\n\n\td";
        assert_eq!(words("a.md", text), "so we met - a b c");
        assert!(words("a.txt", text).contains("x = y"));
    }

    #[test]
    fn code_spans_are_words_that_stay() {
        assert_eq!(view("a", "run `git a` and ``b ` c``."), "run ······· and ·········.");
        assert_eq!(view("a", "a \\`no\\`, it`s"), "a \\`no\\`, it`s");
        assert_eq!(view("a", "``quotes'' and ``more''"), "``quotes'' and ``more''");
        assert_eq!(view("a", "`he' said `so'"), "`he' said `so'");
    }

    #[test]
    fn formulas_stand_between_dollars_and_prices_do_not() {
        assert_eq!(view("a", "so $x = y_i$ is"), "so ········· is");
        assert_eq!(view("a", "$x$, $2x + 1$ and $$a b$$"), "···, ········ and ·······");
        assert_eq!(view("a", "\\(a\\) and \\[b\\]"), "····· and ·····");
        for text in
            ["from $5 to $10", "$5 and 6$ more", "US$5 and A$6", "$HOME and $PATH", "$ a $", "a $1,000 b"]
        {
            assert_eq!(view("a", text), text);
        }
        assert_eq!(words("a.tex", "so $x\n = y$ is \\$5"), "so ·· ····· is \\$5");
        assert_eq!(words("a", "$$\nx = y\n$$\nwe"), "·· ····· ·· we");
        assert_eq!(words("a", "$$\nx\n\nwe"), "·· · we");
    }

    #[test]
    fn placeholders_and_targets_of_wikis_stay() {
        assert_eq!(view("a", "{{ user }} met <%= a b %> so"), "{__user__} met {___a_b__} so");
        assert_eq!(words("a", "{% if a %}so{% endif %} {# no #} we"), "so we");
        assert_eq!(words("a", "{{#each a}}so{{/each}} {{ open so }"), "so {{ open so }");
        assert_eq!(view("a", "see [[the alps|our alps]]!"), "see _____ _____our alps]]!");
        assert_eq!(
            view("a", "see [[the alps]] or [[so](http://a.b)]"),
            "see ············ or [[so]____________]"
        );
        assert_eq!(words("a.tex", "{{so we}} [[a]]"), "{{so we}} [[a]]");
    }

    #[test]
    fn code_right_behind_a_word_leaves_it_apart() {
        assert_eq!(
            words("a.tex", "angela~\\cite{m}. paris\\ref{a}. the $n$th"),
            "angela ········. paris ······. the ···th"
        );
        assert_eq!(words("a", "we<kbd>a b</kbd>"), "we ·············");
    }

    #[test]
    fn the_argument_of_a_command_is_text() {
        assert_eq!(view("a.tex", "\\section{the alps}"), "_________the alps}");
        assert_eq!(view("a", "\\section*{the alps}"), "__________the alps}");
        assert_eq!(view("a.tex", "see \\cite[p.~3]{x} % no"), "see ·············· _ __");
        assert_eq!(
            words("a.tex", "\\begin{equation}\nx\n\\end{equation}\nwe"),
            "················ · ·············· we"
        );
        assert_eq!(
            words("a.tex", "\\begin{verbatim}\nx\n\ny\n\\end{verbatim}\nwe \\verb|a b|."),
            "we ··········."
        );
        assert_eq!(words("a.tex", "\\begin{itemize}\n\\item we\n\\end{itemize}"), "we");
        assert_eq!(view("a", "C:\\dir\\x{a}"), "C:\\dir\\x{a}");
    }

    #[test]
    fn elements_and_comments_end_where_they_do_in_html() {
        let text = "<p>so <code class=\"a\">x y</code> we <KBD>a</kbd></p>";
        assert_eq!(words("a", text), "<p>so ·························· we ············</p>");
        assert_eq!(words("a", "<script>\nvar x;\n\n</SCRIPT>\nwe <!-- no\nno --> met"), "we met");
        assert_eq!(words("a", "<div><pre>\nx\n</pre>so"), "<div> so");
        assert_eq!(words("a", "use the <script> tag to\nload"), "use the <script> tag to load");
        assert_eq!(words("a", "<code>x\n\nwe"), "······· we");
        assert_eq!(words("a", "a <style media=x>\nb\n</style> c"), "a c");
    }

    #[test]
    fn targets_of_links_and_front_matter_are_no_text() {
        assert_eq!(view("a", "[the alps](http://a.b/C \"x\") are"), "[the alps]_____________ ____ are");
        assert_eq!(view("a", "[we]: http://a.b so"), "_____ __________ so");
        assert_eq!(view("a", "[we]: #a so"), "_____ __ so");
        assert_eq!(view("a", "[^1]: so"), "[^1]: so");
        assert_eq!(words("a", "[we]( http://a.b \"x\" ) are"), "[we] are");
        assert!(words("a", "[we]( ébé so) are").ends_with("so) are"));
        assert_eq!(words("a", "---\ntitle: x y\ntags:\n  - z\n---\nwe"), "we");
        assert_eq!(words("a", "---\nso we met\n---"), "so we met ---");
        assert_eq!(words("a", "we\n---\na: b\n---"), "we --- a: b ---");
    }
}
