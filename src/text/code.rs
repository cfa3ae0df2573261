//! Finds code and formulas in plain text, Markdown, TeX and HTML: they are no text.

use std::path::Path;

use super::tokenize::NO_TEXT;

/// Elements of HTML whose insides are no text, and where one that is not closed on its line ends.
const ELEMENTS: [(&str, ElementEnd); 11] = [
    ("script", ElementEnd::Tag),
    ("style", ElementEnd::Tag),
    ("pre", ElementEnd::Tag),
    ("textarea", ElementEnd::Tag),
    ("svg", ElementEnd::Tag),
    ("math", ElementEnd::Tag),
    ("code", ElementEnd::EmptyLine),
    ("kbd", ElementEnd::EmptyLine),
    ("samp", ElementEnd::EmptyLine),
    ("tt", ElementEnd::EmptyLine),
    ("var", ElementEnd::EmptyLine),
];

/// Environments of TeX that are no text; formulas end at an empty line at the latest.
const FORMULAS: &str =
    "equation align alignat gather multline eqnarray math displaymath flalign split cases aligned array";
const LISTINGS: &str =
    "verbatim Verbatim lstlisting minted tikzpicture algorithmic alltt comment filecontents";

/// Commands of TeX whose arguments are no text: those that begin with `cite` or end with `ref`, and these.
const COMMANDS: &str = "label usepackage documentclass input include includegraphics includeonly bibliography \
    bibliographystyle url href begin end newcommand renewcommand providecommand def vspace hspace setlength addtolength \
    color textcolor definecolor texttt addbibresource graphicspath hypersetup geometry newtheorem theoremstyle \
    pagestyle thispagestyle setcounter RequirePackage lstset usetikzlibrary tag operatorname mathrm index gls Gls";

/// The largest number of words of a formula between dollars that has no mark of one.
const LONGEST_FORMULA: usize = 3;

/// The line at which an element ends that is not closed on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ElementEnd {
    Tag,
    EmptyLine,
}

/// The notation of a text, as far as the name of its file tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Notation {
    #[default]
    Plain,
    Markdown,
    Tex,
}

/// The largest number of characters of a line that wait for its end where text comes in live.
const LONGEST_WAIT: usize = 1024;

/// What a line begins inside of.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Block {
    Text,
    FrontMatter,
    /// A fence of this many of this character.
    Fence(u8, usize),
    /// Code until this, in lower case; `is_formula` if it ends at an empty line as well.
    Until {
        end: String,
        is_formula: bool,
    },
}

/// The code of a text, which is read line by line. What a line is depends on no later line.
#[derive(Debug, Clone)]
pub(crate) struct CodeFinder {
    notation: Notation,
    block: Block,
    /// True before the first line.
    is_first: bool,
    /// True after an empty line or one of indented code, where such code may begin or go on.
    may_indent: bool,
    in_list: bool,
    /// True if each line is a text of its own.
    apart: bool,
    /// The part of a live line that was read.
    begun: BegunLine,
}

/// What is known of the part of a line that was read.
#[derive(Debug, Clone, Copy, Default)]
struct BegunLine {
    /// True if it has anything but white space, and anything but tags and white space.
    is_written: bool,
    has_text: bool,
    is_in_tag: bool,
}

impl BegunLine {
    fn read(&mut self, text: &str) {
        for c in text.chars() {
            self.is_in_tag = (self.is_in_tag || c == '<') && c != '>';
            self.is_written |= !c.is_whitespace();
            self.has_text |= !self.is_in_tag && c != '>' && !c.is_whitespace();
        }
    }
}

impl CodeFinder {
    /// Starts a text of a file with this name; with `apart`, each line is a text of its own.
    pub(crate) fn new(name: &str, apart: bool) -> Self {
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
    pub(crate) fn notation(&self) -> Notation {
        self.notation
    }

    /// Returns whole lines as text, or `view` with as many bytes: with blanks for code that stands
    /// apart from text or that is mark-up, and with [`NO_TEXT`] for what stands in place of words.
    pub(crate) fn view<'a>(&mut self, lines: &'a str, view: &'a mut String) -> &'a str {
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

    /// Appends the view of the beginning of a live text, as far as it can be read before more of it
    /// comes, and returns its length; `is_whole` is true if nothing more comes. Text waits from the
    /// first character that may open code to the end of its line.
    pub(crate) fn read_live(&mut self, text: &str, is_whole: bool, view: &mut String) -> usize {
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
                '\\' => {
                    is_escaped = true;
                    opens(|c| c.is_ascii_alphabetic() || matches!(c, '(' | '['))
                }
                '<' => may_be_element(&line[at + 1..], is_whole),
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
            let from = view.len();
            self.text_line(line, is_first, view);
            if self.notation == Notation::Tex {
                show_row(line, from, view);
            }
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
            Block::Until { is_formula: true, .. } if trimmed.is_empty() => self.block = Block::Text,
            Block::Until { end, is_formula } => {
                let Some(at) = find_ignoring_case(line, end) else {
                    return mask(line, *is_formula, view);
                };
                let mut at = at + end.len();
                if end.starts_with("</") {
                    at += line[at..].find('>').map_or(line.len() - at, |len| len + 1);
                }
                mask(&line[..at], *is_formula, view);
                self.block = Block::Text;
                return self.inline(line, at, view);
            }
            Block::Text => {}
        }
        mask(line, false, view);
    }

    /// Appends a line that begins in text.
    fn text_line(&mut self, line: &str, is_first: bool, view: &mut String) {
        let trimmed = line.trim_start();
        if is_first && line.trim_end() == "---" && self.notation != Notation::Tex {
            self.block = Block::FrontMatter;
            return mask(line, false, view);
        }
        if self.notation != Notation::Tex
            && let Some((mark, len)) = self.fence(trimmed)
        {
            self.block = Block::Fence(mark, len);
            return mask(line, false, view);
        }
        if self.notation == Notation::Markdown && self.is_indented(line, trimmed) {
            return mask(line, false, view);
        }
        let from = if self.notation == Notation::Tex { 0 } else { definition_len(line) };
        mask(&line[..from], false, view);
        self.inline(line, from, view);
    }

    /// Returns the fence that a line opens, which may stand in a list or a quotation.
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
    fn inline(&mut self, line: &str, mut at: usize, view: &mut String) {
        let mut start = at;
        let opens = |c: char| matches!(c, '`' | '$' | '\\' | '<' | ']' | '%');
        while let Some(next) = line[at..].find(opens).map(|len| at + len) {
            let Some(Code { end, is_word }) = self.code(line, next) else {
                at = next + 1;
                continue;
            };
            view.push_str(&line[start..next]);
            // The bracket after the text of a link stays.
            let from = next + usize::from(line.as_bytes()[next] == b']');
            view.push_str(&line[next..from]);
            mask(&line[from..end], is_word, view);
            (start, at) = (end, end);
        }
        view.push_str(&line[start..]);
    }

    /// Returns the code at byte `at` of a line, and opens the block that it begins.
    fn code(&mut self, line: &str, at: usize) -> Option<Code> {
        let rest = &line[at..];
        let is_escaped = line[..at].bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1;
        let is_tex = self.notation == Notation::Tex;
        match rest.as_bytes()[0] {
            _ if is_escaped => None,
            b'`' if !is_tex => span_len(&line[..at], rest).map(|len| Code::word(at + len)),
            b'$' => self.dollars(line, at),
            b'\\' => self.command(line, at),
            b'<' => self.element(line, at),
            b']' => target_len(rest).map(|len| Code::apart(at + len)),
            b'%' if is_tex => Some(Code::apart(line.len())),
            _ => None,
        }
    }

    /// Finds a formula between dollars.
    fn dollars(&mut self, line: &str, at: usize) -> Option<Code> {
        let is_tex = self.notation == Notation::Tex;
        let mark = if line[at..].starts_with("$$") { "$$" } else { "$" };
        let from = at + mark.len();
        let inside = &line[from..];
        let closes = inside.match_indices(mark).map(|(len, _)| len).find(|&len| {
            let before = inside[..len].bytes().rev().take_while(|b| *b == b'\\').count();
            before % 2 == 0
                && (is_tex || mark == "$$" || is_formula(&line[..at], &inside[..len], &inside[len + 1..]))
        });
        if let Some(len) = closes.filter(|&len| len > 0) {
            return Some(Code::word(from + len + mark.len()));
        }
        let stands_alone = mark == "$$" && line[..at].trim().is_empty();
        if closes.is_some() || !is_tex && !stands_alone {
            return None;
        }
        self.block = Block::Until { end: mark.to_owned(), is_formula: true };
        Some(Code::word(line.len()))
    }

    /// Finds `\(x\)`, an environment, and a command of TeX: one with braces, or any in a file of TeX.
    fn command(&mut self, line: &str, at: usize) -> Option<Code> {
        let rest = &line[at..];
        let is_tex = self.notation == Notation::Tex;
        for (open, close) in [("\\(", "\\)"), ("\\[", "\\]")] {
            if let Some(inside) = rest.strip_prefix(open) {
                if let Some(len) = inside.find(close) {
                    return Some(Code::word(at + len + 4));
                }
                let stands_alone = line[..at].trim().is_empty() && inside.trim().is_empty();
                if !is_tex && !stands_alone {
                    return None;
                }
                self.block = Block::Until { end: close.to_owned(), is_formula: true };
                return Some(Code::word(line.len()));
            }
        }
        let name_len = rest[1..].bytes().take_while(u8::is_ascii_alphabetic).count();
        let name = &rest[1..1 + name_len];
        let mut end = 1 + name_len + usize::from(rest[1 + name_len..].starts_with('*'));
        let opens_group = rest[end..].starts_with(['{', '[']);
        let stands_in_path = line[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, ':' | '\\'));
        if name.is_empty() || !is_tex && (!opens_group || stands_in_path) {
            // `\\` breaks a line.
            return (is_tex && rest.starts_with("\\\\")).then(|| Code::apart(at + 2));
        }
        if is_tex && name == "verb" {
            let mark = rest[end..].chars().next()?;
            let len = rest[end + mark.len_utf8()..].find(mark)?;
            return Some(Code::word(at + end + len + 2 * mark.len_utf8()));
        }
        if name == "begin"
            && let Some(environment) = group(&rest[end..], b'{', b'}')
        {
            let whole = &rest[end + 1..end + environment - 1];
            let plain = whole.trim_end_matches('*');
            let is_formula = has(FORMULAS, plain);
            if is_formula || has(LISTINGS, plain) {
                let close = format!("\\end{{{whole}}}");
                if let Some(len) = rest.find(&close) {
                    return Some(Code::word(at + len + close.len()));
                }
                self.block = Block::Until { end: close.to_ascii_lowercase(), is_formula };
                return Some(Code { end: line.len(), is_word: is_formula });
            }
        }
        let is_key = name.starts_with("cite") || name.ends_with("cite") || name.ends_with("ref");
        if is_key || has(COMMANDS, name) {
            let mut is_text = false;
            while !is_text
                && let Some(len) = group(&rest[end..], b'[', b']').or_else(|| group(&rest[end..], b'{', b'}'))
            {
                end += len;
                // The second argument of these is text.
                is_text = matches!(name, "href" | "textcolor");
            }
            end += usize::from(is_text && rest[end..].starts_with('{'));
            let is_apart = matches!(
                name,
                "begin" | "end" | "label" | "href" | "textcolor" | "index" | "vspace" | "hspace"
            );
            return Some(Code { end: at + end, is_word: !is_apart });
        }
        // The argument of the others is text.
        while let Some(len) = group(&rest[end..], b'[', b']') {
            end += len;
        }
        end += usize::from(rest[end..].starts_with('{'));
        Some(Code::apart(at + end))
    }

    /// Finds a comment or an element of HTML that is no text.
    fn element(&mut self, line: &str, at: usize) -> Option<Code> {
        let rest = &line[at..];
        if let Some(inside) = rest.strip_prefix("<!--") {
            if let Some(len) = inside.find("-->") {
                return Some(Code::apart(at + 4 + len + 3));
            }
            self.block = Block::Until { end: "-->".to_owned(), is_formula: false };
            return Some(Code::apart(line.len()));
        }
        let name = |name: &str| {
            let is_named = rest.get(1..1 + name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
            is_named && !rest[1 + name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '-')
        };
        let (name, ends) = *ELEMENTS.iter().find(|(known, _)| name(known))?;
        let tag = rest.find('>');
        if tag.is_some_and(|tag| rest[..tag].ends_with('/')) {
            return None;
        }
        let close = format!("</{name}");
        if let Some(len) = find_ignoring_case(rest, &close) {
            let end = rest[len..].find('>').map_or(rest.len(), |tag| len + tag + 1);
            return Some(Code { end: at + end, is_word: ends == ElementEnd::EmptyLine });
        }
        // `the <code> tag` opens nothing.
        let is_after_tags = is_markup(&line[..at]) && !self.begun.has_text;
        if !is_after_tags && tag.is_some_and(|tag| !rest[tag + 1..].trim().is_empty()) {
            return None;
        }
        self.block = Block::Until { end: close, is_formula: ends == ElementEnd::EmptyLine };
        Some(Code { end: line.len(), is_word: ends == ElementEnd::EmptyLine })
    }
}

/// Code inside a line of text, up to byte `end`; `is_word` is true if it stands in place of words.
struct Code {
    end: usize,
    is_word: bool,
}

impl Code {
    fn word(end: usize) -> Self {
        Self { end, is_word: true }
    }

    fn apart(end: usize) -> Self {
        Self { end, is_word: false }
    }
}

/// Returns true if lines may have code. Most have none: a look at many bytes at once tells.
fn next_odd(lines: &[u8], is_first: bool) -> Option<usize> {
    // Comparisons without a branch, in a loop of a known length, look at many bytes at once.
    let opens = |b: u8| (b == b'`') | (b == b'$') | (b == b'\\') | (b == b'<') | (b == b']') | (b == b'~');
    let has = |bytes: &[u8]| bytes.iter().fold(0, |has, &b| has | u8::from(opens(b))) != 0;
    if is_first && lines.starts_with(b"---") {
        return Some(0);
    }
    let (chunks, rest) = lines.as_chunks::<64>();
    let from = chunks.iter().position(|chunk| has(chunk)).unwrap_or(chunks.len()) * 64;
    let end = if from < lines.len() - rest.len() { from + 64 } else { lines.len() };
    lines[from..end].iter().position(|&b| opens(b)).map(|at| from + at)
}

/// Writes bars between the cells of a table and at the end of its row, as other tables have them; the view
/// of the line begins at byte `from`.
fn show_row(line: &str, from: usize, view: &mut String) {
    let Some(end) = line.rfind("\\\\").filter(|&end| line[..end].contains('&')) else { return };
    let row: String = view.drain(from..).collect();
    let is_escaped = |at: usize| row[..at].ends_with('\\');
    let bar = |(at, c): (usize, char)| if at == end || c == '&' && !is_escaped(at) { '|' } else { c };
    view.extend(row.char_indices().map(bar));
}

/// Appends as many bytes as `code` has.
fn mask(code: &str, is_word: bool, view: &mut String) {
    let mark = if is_word { NO_TEXT as char } else { ' ' };
    view.extend(std::iter::repeat_n(mark, code.len()));
}

fn has(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == word)
}

fn find_ignoring_case(line: &str, lower: &str) -> Option<usize> {
    let found = |part: &[u8]| part.eq_ignore_ascii_case(lower.as_bytes());
    line.as_bytes().windows(lower.len()).position(found)
}

/// Returns true if a line may stand in front matter.
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

/// Returns the length of the code span that `rest` begins with; `before` stands before it.
fn span_len(before: &str, rest: &str) -> Option<usize> {
    let len = rest.bytes().take_while(|b| *b == b'`').count();
    if before.ends_with('`') {
        return None;
    }
    let mut at = len;
    while let Some(next) = rest[at..].find('`').map(|next| at + next) {
        let run = rest[next..].bytes().take_while(|b| *b == b'`').count();
        if run == len {
            let inside = &rest[len..next];
            // ``quotes'' of TeX, `quotes' of old.
            let is_quote = inside.contains("''") && len == 2
                || inside.matches('\'').count() % 2 == 1 && inside.contains("' ");
            return (!is_quote && !inside.trim().is_empty()).then_some(next + len);
        }
        at = next + run;
    }
    None
}

/// Returns true if dollars are around a formula and not before prices: `$5 and $10`.
fn is_formula(before: &str, inside: &str, after: &str) -> bool {
    let marks = ['\\', '^', '_', '=', '{', '+', '<', '>', '*', '/', '|'];
    let is_marked = inside.contains(marks);
    let is_price = inside.starts_with(|c: char| c.is_ascii_digit()) && !is_marked && inside.contains(' ');
    !inside.is_empty()
        && !inside.starts_with(char::is_whitespace)
        && !inside.ends_with(char::is_whitespace)
        && !after.starts_with(|c: char| c.is_alphanumeric())
        && !before.ends_with(|c: char| c.is_alphanumeric())
        && !is_price
        && (is_marked || inside.split_whitespace().count() <= LONGEST_FORMULA)
}

/// Returns the length of a group in brackets at the beginning of a text.
fn group(text: &str, open: u8, close: u8) -> Option<usize> {
    let mut depth = 0;
    if text.as_bytes().first() != Some(&open) {
        return None;
    }
    for (at, b) in text.bytes().enumerate() {
        depth += usize::from(b == open);
        if b == close {
            depth -= 1;
            if depth == 0 {
                return Some(at + 1);
            }
        }
    }
    None
}

/// Returns the length of `](target)` or `][id]` at the beginning of a text.
fn target_len(rest: &str) -> Option<usize> {
    let target = &rest[1..];
    let len = group(target, b'(', b')').or_else(|| group(target, b'[', b']'))?;
    // `[sic](he said)` is no link, but text.
    let inside = target[1..len - 1].trim();
    let is_url = inside
        .split_once(char::is_whitespace)
        .is_none_or(|(_, title)| inside.starts_with('<') || title.trim_start().starts_with(['"', '\'', '(']));
    is_url.then_some(1 + len)
}

/// Returns true if the text after `<` is, or may become, a comment or an element that is no text.
fn may_be_element(text: &str, is_whole: bool) -> bool {
    let names = ELEMENTS.iter().map(|(name, _)| *name).chain(["!--"]);
    names.into_iter().any(|name| {
        let len = name.len().min(text.len());
        let begins = text.get(..len).is_some_and(|start| start.eq_ignore_ascii_case(&name[..len]));
        let after = text.get(name.len()..).and_then(|after| after.chars().next());
        let is_named = name == "!--" || !after.is_some_and(|c| c.is_alphanumeric() || c == '-');
        begins && (len == name.len() && is_named || len < name.len() && !is_whole)
    })
}

/// Returns true if nothing but tags and white space stands in a text.
fn is_markup(text: &str) -> bool {
    let mut is_inside = false;
    text.chars().all(|c| {
        is_inside = (is_inside || c == '<') && c != '>';
        is_inside || c == '>' || c.is_whitespace()
    })
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
