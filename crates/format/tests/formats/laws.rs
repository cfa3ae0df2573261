//! The laws of every format, for the tests of each.

use std::io::Cursor;
use std::sync::Arc;

use proptest::prelude::*;

use majuscule_base::error::Result;
use majuscule_base::files::{Dribble, Input};
use majuscule_format::{Format, Piece, Record, WrittenWords};
use majuscule_restore::{restore, stream_as};
use majuscule_text::RestoreOptions;
use majuscule_text::markup::untagged;
use majuscule_text::restorer::{Boundary, Request, Restorer, Session};
use majuscule_text::tokenize::Capitalized;
use majuscule_text::{
    Break, Case, Choice, Class, Decision, Label, Labels, Locale, Mark, MarkForm, MarkPlaces, OutputForm,
    SentenceStart, Token, Tokens,
};

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_cues_keep_the_laws(cues in prop::collection::vec(CUE, 0..6), end in "\r?\n") {
        let timing = |i: usize| format!("00:00:0{i}.000 --> 00:00:0{i}.900{end}");
        let body: String = (0..).zip(&cues).map(|(i, cue)| format!("{i}{end}{}{cue}{end}{end}", timing(i))).collect();
        let vtt = format!("WEBVTT{end}{end}{body}");
        check(Format::Srt, &body);
        check(Format::Vtt, &vtt);
        // An empty line ends a cue of WebVTT, and a bracket alone in the first one begins data.
        if !cues.iter().any(|cue| matches!(cue.lines().next().map(str::trim), Some("" | "["))) {
            assert_eq!(words(Format::Srt, &body), words(Format::Vtt, &vtt));
        }
    }

    #[test]
    fn any_rows_and_objects_keep_the_laws(texts in prop::collection::vec("[a-cA-Cİıéß'.?,¿\\-]{1,6}", 0..12), other in 1..5usize) {
        let row = |(i, word): (usize, &String)| format!("r{} A {i} 0.5 {word}\n", i / other / 3);
        check(Format::Ctm, &texts.iter().enumerate().map(row).collect::<String>());
        let rows = texts.chunks(other).map(|words| format!("r A s 0 1 {}\r\n", words.join(" ")));
        check(Format::Stm, &rows.collect::<String>());
        check(Format::Conll, &texts.chunks(other).map(|words| words.join("\tX\n") + "\n\n").collect::<String>());
        let escaped = |text: &str| text.replace('é', "\\u00e9").replace('İ', "\\u0130");
        let objects = texts.chunks(other).map(|words| format!("{{\"text\": \"{}\"}}\n", escaped(&words.join(" "))));
        check(Format::Jsonl, &objects.collect::<String>());
        // Words with times, of which some lack a mark or are missing: such a word may be taken for another
        // one, whose capitals it then has to share.
        let texts: Vec<String> = texts.iter().map(|text| text.to_ascii_lowercase()).collect();
        let list = |words: &[String]| {
            let word = |(at, word): (usize, &String)| {
                let said = if at % 3 == 1 { word.trim_end_matches(['.', ',', '?']) } else { word };
                format!("{{\"word\":\" {}\",\"start\": {at}}}", escaped(said))
            };
            words.iter().enumerate().filter(|(at, _)| at % 5 < 4).map(word).collect::<Vec<_>>().join(",")
        };
        let timed = |words: &[String]| format!("{{\"text\": \"{}\",\"words\":[{}]}}\n", escaped(&words.join(" ")), list(words));
        check(Format::Jsonl, &texts.chunks(other).map(timed).collect::<String>());
        check(Format::WhisperJson, &timed(&texts));
        check(Format::WhisperJson, &format!("{{\"words\":[{}]}}\n", list(&texts)));
    }
}

proptest! {
    #[test]
    fn marks_keep_their_laws_in_any_text(text in prop::collection::vec(prop::sample::select(PARTS.to_vec()), 0..20)) {
        let text = text.concat();
        check_marks(Format::Text, &text, None);
        check_marks(Format::Tok, &text, None);
        check_live_marks(Format::Text, &text, None);
    }

    #[test]
    fn marks_keep_their_laws_in_any_records(words in prop::collection::vec("(dr|no|5|we met|josé|so,|'s|¿ah|\"so)( –| )?", 0..9)) {
        let row = |(i, word): (usize, &String)| format!("r A {i} 0.5 {}\n", word.replace(' ', "-"));
        check_live_marks(Format::Ctm, &words.iter().enumerate().map(row).collect::<String>(), None);
        check_live_marks(Format::Ctm, &words.iter().enumerate().map(row).collect::<String>(), Some(MarkForm::Apart));
        let escaped = |word: &String| word.replace('é', "\\u00e9");
        let object = |(i, word)| format!("{{\"id\":{i},\"text\":\"{}\"}}\n", escaped(word));
        check_live_marks(Format::Jsonl, &words.iter().enumerate().map(object).collect::<String>(), None);
        let timed = |(i, word)| {
            let word = escaped(word);
            format!("{{\"id\":{i},\"words\":[{{\"begin\":1.0,\"text\":\"{word}\"}}],\"text\":\"{word}\"}}\n")
        };
        check_live_marks(Format::Jsonl, &words.iter().enumerate().map(timed).collect::<String>(), None);
        let document = |(i, word): (usize, &String)| {
            format!("{{\"id\":{i},\"text\":\"{word}\",\"segments\":[{{\"text\":\" {word}\",\"words\":[{{\"word\":\" {word}\"}}]}}]}}\n")
        };
        let documents = words.iter().enumerate().map(document).collect::<String>();
        check_live_marks(Format::WhisperJson, &documents, None);
        check_live_marks(Format::WhisperJson, &documents.replace("\"word\":", "\"start\":0.5,\"word\":"), None);
    }
}

const PARTS: [&str; 45] = [
    "we",
    "met",
    "dr",
    "etc",
    "no",
    "5",
    "12",
    "u.s",
    "b",
    "i",
    "josé",
    "lisbon",
    "'s",
    "'t",
    "x",
    "&t",
    "&#39",
    "a)",
    " ",
    " ",
    " ",
    " ",
    "\n",
    "\n",
    "\n\n",
    "- ",
    " – ",
    ".",
    "? ",
    "...",
    "…",
    ", ",
    "(",
    ") ",
    "<i>",
    "</i>",
    "http://a.b/c ",
    "@x ",
    "\"",
    "'",
    "¿",
    "¡",
    "¿ ",
    "-",
    " —",
];

/// A cue with tags, events, lyrics and turns.
const CUE: &str = "([a-cA-Cİıé]{0,3}[ .?!¿'()<>\\[\\]-]{1,2}|<i>|</i>|\\[a b\\]|\n[a-c]|&amp;|>> |♪ ?){0,12}";

#[test]
fn lyrics_have_the_same_words_with_marks_whatever_brackets_and_tags_they_have() {
    let lines = [
        "♪(b'\na",
        "♪a)<i>\nA>",
        "♪a)<i>",
        "♪ (la) <i>\nb> ♪",
        "- ♪ (a b) c",
        "♪ - [a] b",
        "<i ♪\na>",
        "♪ man: a",
    ];
    for lines in lines {
        let srt =
            format!("1\n00:00:01,000 --> 00:00:02,000\n{lines}\n\n2\n00:00:03,000 --> 00:00:04,000\nA>\n");
        check(Format::Srt, &srt);
        check(Format::Vtt, &format!("WEBVTT\n\n{}", srt.replace(',', ".")));
    }
}

#[test]
fn memory_stays_flat_whatever_comes() {
    let cue = "1\n00:00:01,000 --> 00:00:02,000\nwe met\nin lisbon\n\n";
    let long = format!("1\n00:00:01,000 --> 00:00:02,000\n{}\n", "we met\n".repeat(100_000));
    for (kind, text) in [
        (Format::Srt, cue.repeat(10_000)),
        (Format::Srt, long),
        (Format::Srt, cue.replace("we met", &"we met ".repeat(100_000))),
        (Format::Vtt, format!("WEBVTT\n\nNOTE\n{}", "so it is\n".repeat(100_000))),
        (
            Format::Ass,
            "[Events]\n".to_owned() + &"Dialogue: 0,0:00:01.00,0:00:02.00,,,,,,,so it is\n".repeat(20_000),
        ),
        (Format::Ttml, format!("<tt>{}</tt>", "<p>so it is<br/></p>".repeat(50_000))),
        (Format::Ctm, "r A 0 1 so\n".repeat(100_000)),
        (Format::Ctm, ";; so it is\n".repeat(100_000)),
        (Format::Stm, "r A s 0 1 so it is\n".repeat(50_000)),
        (Format::Conll, "so\tX\n".repeat(200_000)),
        (Format::Jsonl, "{\"text\":\"so\"}\n".repeat(50_000)),
    ] {
        let pieces = pieces(kind, text.as_bytes(), usize::MAX, lossy()).unwrap();
        let longest = pieces.iter().map(|piece| piece.bytes().len()).max();
        assert!(longest < Some(2_000_000), "{kind:?}: {longest:?}");
        assert_eq!(pieces.iter().map(|piece| piece.bytes().len()).sum::<usize>(), text.len(), "{kind:?}");
    }
}

/// Returns the pieces of a file.
pub fn pieces(kind: Format, bytes: &[u8], step: usize, options: RestoreOptions) -> Result<Vec<Piece>> {
    let input = Input::uncompressed("data", Dribble::new(bytes, step));
    let mut format = kind.open(input, options)?;
    let mut pieces = vec![Piece::default()];
    while format.next(pieces.last_mut().unwrap())? {
        pieces.push(Piece::default());
    }
    pieces.pop();
    Ok(pieces)
}

fn lossy() -> RestoreOptions {
    RestoreOptions::default().lossy(true).in_language(Some("en".into()))
}

fn tokens(kind: Format, bytes: &[u8], step: usize, options: RestoreOptions) -> Vec<(String, Token)> {
    let pieces = pieces(kind, bytes, step, options.clone()).unwrap();
    let all = pieces.iter().flat_map(|piece| piece.tokens.iter());
    // Places depend on the beginning of a piece.
    all.map(|(lower, token)| (lower.to_owned(), Token { lower: 0..0, source: 0..0, ..token.clone() }))
        .collect()
}

/// Returns the words of a file, skipping the parts that cannot be read.
pub fn words(kind: Format, text: &str) -> Vec<String> {
    tokens(kind, text.as_bytes(), usize::MAX, lossy()).into_iter().map(|(lower, _)| lower).collect()
}

/// Returns the words that begin a sentence.
pub fn starts(kind: Format, text: &str) -> Vec<String> {
    let tokens = tokens(kind, text.as_bytes(), usize::MAX, lossy());
    tokens.into_iter().filter(|(_, token)| token.starts).map(|(lower, _)| lower).collect()
}

/// Returns the error of a file that cannot be read.
pub fn error(kind: Format, text: &str) -> String {
    pieces(kind, text.as_bytes(), usize::MAX, RestoreOptions::default()).unwrap_err().to_string()
}

/// Returns the file with the cases that `case` gives the words, by their number and spelling.
pub fn written(kind: Format, bytes: &[u8], case: impl Fn(usize, &str) -> Case) -> Vec<u8> {
    written_in_steps(kind, bytes, usize::MAX, case)
}

fn written_in_steps(kind: Format, bytes: &[u8], step: usize, case: impl Fn(usize, &str) -> Case) -> Vec<u8> {
    let (mut out, mut number, mut words) = (Vec::new(), 0, WrittenWords::default());
    let options = lossy().capitalized(Capitalized::Ignore).sentence_start(SentenceStart::Never);
    for mut piece in pieces(kind, bytes, step, options.clone()).unwrap() {
        let decisions: Vec<Decision> = (piece.tokens.as_slice().iter())
            .map(|token| {
                let word = &piece.source[token.source.start as usize..token.source.end as usize];
                number += 1;
                let case = case(number, &untagged(std::str::from_utf8(word).unwrap()));
                Label::from(case).into()
            })
            .collect();
        words.repeat_answers(&mut piece, &decisions, &options);
        piece.write(&decisions, &options, &mut out);
    }
    out
}

/// Checks the laws: writing back the cases that were read gives the same bytes; any cases change
/// nothing but case, and can be read back; however the bytes arrive, the words and the output are
/// the same.
pub fn check(kind: Format, text: &str) {
    let bytes = text.as_bytes();
    assert_eq!(String::from_utf8_lossy(&written(kind, bytes, |_, word| Case::of(word, Locale::Root))), text);
    let any = |number: usize, _: &str| [Case::Title, Case::Upper, Case::Lower][number % 3];
    let changed = written(kind, bytes, any);
    assert_eq!(written(kind, &changed, any), changed, "{}", String::from_utf8_lossy(&changed));
    let back = written(kind, &changed, |_, _| Case::Lower);
    assert_eq!(back, written(kind, bytes, |_, _| Case::Lower));
    let options = || lossy().capitalized(Capitalized::Ignore);
    let whole = tokens(kind, bytes, usize::MAX, options());
    for step in [1, 7, 4099] {
        assert_eq!(tokens(kind, bytes, step, options()), whole, "steps of {step} bytes");
        assert!(written_in_steps(kind, bytes, step, any) == changed, "steps of {step} bytes");
    }
    assert_eq!(tokens(kind, &changed, usize::MAX, options()), whole);
    if !matches!(kind, Format::Conll | Format::Labels) {
        check_marks(kind, text, None);
    }
    let has_numbers = text.lines().any(|line| line.matches('\t').count() > 8);
    if matches!(kind, Format::Conll | Format::Ctm | Format::Stm) && !has_numbers {
        check_marks(kind, text, Some(MarkForm::Apart));
    }
    // A reader of the text alone reads the same words in the same order.
    let Ok(text) = read(kind, bytes) else { return };
    let mut rest = text.as_str();
    for (word, _) in &whole {
        let found = rest.find(&**word);
        let found = found.unwrap_or_else(|| panic!("{kind:?}: {word} is missing in {rest:?} of {text:?}"));
        rest = &rest[found + word.len()..];
    }
}

/// A method that chooses by the number of the word, and holds the last choice back.
pub struct Counting {
    labels: Labels,
    step: usize,
}

impl Counting {
    pub fn new() -> Self {
        let marks = Mark::WRITTEN.into_iter().chain([Mark::None]);
        let labels = marks.flat_map(|mark| Class::ALL.map(|class| (class, mark)));
        Self { labels: Labels::new(labels), step: 1 }
    }
}

struct CountingSession {
    step: usize,
    given: usize,
    waiting: usize,
}

impl Restorer for Counting {
    fn labels(&self) -> &Labels {
        &self.labels
    }

    fn look_ahead(&self) -> Option<usize> {
        Some(1)
    }

    fn session(&self, _: Request) -> Box<dyn Session + '_> {
        Box::new(CountingSession { step: self.step, given: 0, waiting: 0 })
    }
}

impl Session for CountingSession {
    fn push(&mut self, tokens: &Tokens, end: Boundary, out: &mut Vec<Choice>) -> Result<()> {
        self.waiting += tokens.len();
        let held = usize::from(end < Boundary::Force);
        while self.waiting > held {
            let number = self.given * self.step;
            let mark = Mark::WRITTEN.get(number / 3 % 11).copied().unwrap_or_default();
            let case = [Case::Lower, Case::Title, Case::Lower, Case::Upper][number % 4];
            let opening = [Mark::None, Mark::Question, Mark::None, Mark::None, Mark::Exclamation][number % 5];
            out.push(Choice { opening, ..Label { case, mark }.into() });
            self.given += 1;
            self.waiting -= 1;
        }
        Ok(())
    }
}

/// Returns a file restored with marks.
pub fn marked(
    kind: Format,
    bytes: &[u8],
    step: usize,
    method: &dyn Restorer,
    options: &RestoreOptions,
) -> Vec<u8> {
    let input = Input::uncompressed("data", Dribble::new(bytes, step));
    let mut out = Vec::new();
    let mut write = |bytes: &[u8], _| {
        out.extend_from_slice(bytes);
        Ok(())
    };
    restore(kind, input, method, options, &mut write).unwrap();
    out
}

/// Checks the laws of marks: taking out those that were inserted gives the text without them;
/// restored again, the text does not change; however the bytes arrive, it is the same.
fn check_marks(kind: Format, text: &str, mark_form: Option<MarkForm>) {
    let bytes = text.as_bytes();
    for (step, language, capitalized, mark_places) in [
        (1, "en", Capitalized::Auto, MarkPlaces::Everywhere),
        (5, "en", Capitalized::Ignore, MarkPlaces::Unmarked),
        (7, "fr", Capitalized::Keep, MarkPlaces::Everywhere),
        (17, "nl", Capitalized::Ignore, MarkPlaces::Everywhere),
        (23, "fr-CA", Capitalized::Auto, MarkPlaces::Unmarked),
        (3, "es", Capitalized::Ignore, MarkPlaces::Everywhere),
        (13, "es-MX", Capitalized::Auto, MarkPlaces::Unmarked),
    ] {
        let method = Counting { step, ..Counting::new() };
        let options = lossy()
            .marks(Mark::WRITTEN.into_iter().collect())
            .in_language(Some(language.to_owned()))
            .in_locale(Some(if language == "nl" { Locale::Dutch } else { Locale::Root }))
            .capitalized(capitalized)
            .mark_places(mark_places)
            .mark_form(mark_form);
        let plain = options.clone().capitalized(Capitalized::Ignore).sentence_start(SentenceStart::Never);
        let with_marks = marked(kind, bytes, usize::MAX, &method, &plain);
        let without = plain.marks(Default::default());
        let expected = marked(kind, bytes, usize::MAX, &method, &without);
        // Quotes that a mark brings to its cell of a table are taken out with it.
        let unquoted = |mut bytes: Vec<u8>| {
            bytes.retain(|&b| kind != Format::Csv || b != b'"');
            bytes
        };
        let [with_marks, expected] = [with_marks, expected].map(unquoted);
        let has_rows = mark_form.is_some() && kind != Format::Stm;
        let taken_out = if has_rows { without_rows } else { without_marks }(&with_marks, &expected);
        assert_eq!(taken_out, String::from_utf8_lossy(&expected), "{}", String::from_utf8_lossy(&with_marks));
        let once = marked(kind, bytes, usize::MAX, &method, &options);
        let twice = marked(kind, &once, usize::MAX, &method, &options);
        let [once, twice] = [&once, &twice].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        assert_eq!(twice, once, "{kind:?}, {language}, {capitalized:?}, {mark_places:?}: {text:?}");
        for step in [1, 7] {
            let cut = marked(kind, bytes, step, &method, &options);
            assert_eq!(String::from_utf8_lossy(&cut), once, "steps of {step} bytes");
        }
        if kind == Format::Text {
            check_sentences(bytes, &once, &method, &options);
        }
    }
}

/// Checks the laws of text with a sentence a line: only its white space is another, and written
/// again it does not change.
fn check_sentences(bytes: &[u8], text: &str, method: &Counting, options: &RestoreOptions) {
    let options = options.clone().form(OutputForm::Sentences);
    let written = |bytes: &[u8], step: usize| {
        String::from_utf8_lossy(&marked(Format::Text, bytes, step, method, &options)).into_owned()
    };
    let sentences = written(bytes, usize::MAX);
    assert!(sentences.split_ascii_whitespace().eq(text.split_ascii_whitespace()), "{sentences:?}, {text:?}");
    assert_eq!(written(bytes, 1), sentences);
}

/// Checks the laws of marks in a text that comes in bit by bit.
fn check_live_marks(kind: Format, text: &str, mark_form: Option<MarkForm>) {
    for language in ["en", "es"] {
        check_live_marks_of(language, kind, text, mark_form);
    }
}

fn check_live_marks_of(language: &str, kind: Format, text: &str, mark_form: Option<MarkForm>) {
    let method = Arc::new(Counting { step: 7, ..Counting::new() });
    let options = RestoreOptions::default()
        .in_language(Some(language.to_owned()))
        .marks(Mark::WRITTEN.into_iter().collect())
        .capitalized(Capitalized::Ignore)
        .sentence_start(SentenceStart::Never)
        .mark_form(mark_form)
        .lossy(true);
    let live = |bytes: &[u8], step: usize, options: &RestoreOptions| {
        let mut stream = stream_as("data", kind, method.clone(), options.clone()).unwrap();
        let mut out = Vec::new();
        for part in bytes.chunks(step) {
            stream.push(part, &mut out).unwrap();
            stream.tail().unwrap();
        }
        stream.finish(&mut out).unwrap();
        out
    };
    let once = live(text.as_bytes(), 4096, &options);
    let without = live(text.as_bytes(), 4096, &options.clone().marks(Default::default()));
    let taken_out = if mark_form.is_some() { without_rows } else { without_marks };
    assert_eq!(taken_out(&once, &without), String::from_utf8_lossy(&without));
    let twice = live(&once, 4096, &options);
    assert_eq!(String::from_utf8_lossy(&twice), String::from_utf8_lossy(&once), "{kind:?}: {text:?}");
    for step in [1, 7] {
        let cut = live(text.as_bytes(), step, &options);
        assert_eq!(String::from_utf8_lossy(&cut), String::from_utf8_lossy(&once), "steps of {step} bytes");
    }
}

/// Takes out of a text the lines that another one lacks.
fn without_rows(text: &[u8], other: &[u8]) -> String {
    let [text, other] = [text, other].map(String::from_utf8_lossy);
    let end = if other.contains('\n') || !other.contains('\r') { "\n" } else { "\r" };
    let mut others = other.split(end).peekable();
    text.split(end).filter(|line| others.next_if_eq(line).is_some()).collect::<Vec<_>>().join(end)
}

/// Takes out of a text the marks that another one lacks, and the words beside which they are put.
fn without_marks(text: &[u8], other: &[u8]) -> String {
    let [text, other] = [text, other].map(|text| String::from_utf8_lossy(text).into_owned());
    let text = if other.contains(BESIDE) { text } else { without_words_beside(&text) };
    let mut others = other.chars().peekable();
    let mut keeps = |c: char| {
        let is_mark = Mark::of(c) != Mark::None || matches!(c, '¿' | '¡' | ' ' | '\u{202f}' | '\u{a0}');
        others.next_if_eq(&c).is_some() || !is_mark
    };
    text.chars().filter(|&c| keeps(c)).collect()
}

const BESIDE: &str = "\"punctuated_word\"";

/// Takes out the members of JSON that have a word with its marks.
fn without_words_beside(text: &str) -> String {
    let mut parts = text.split(BESIDE);
    let mut left = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        left.truncate(left.trim_end_matches([' ', '\n']).len() - 1);
        let value = part.trim_start_matches([' ', ':', '\n']).strip_prefix('"').unwrap();
        let is_end = |at: usize| value[..at].chars().rev().take_while(|c| *c == '\\').count() % 2 == 0;
        let end = value.match_indices('"').map(|(at, _)| at).find(|&at| is_end(at)).unwrap();
        left.push_str(&value[end + 1..]);
    }
    left
}

/// Returns the text of a file in lower case, which may not be valid.
fn read(kind: Format, bytes: &[u8]) -> Result<String> {
    let input = Input::uncompressed("data", Cursor::new(bytes.to_vec()));
    let (mut records, mut record, mut text) = (kind.records(input, None)?, Record::default(), String::new());
    while records.next(&mut record)? {
        for (position, before) in &record.stretches {
            text.push_str(if *before == Break::None { "" } else { " " });
            text.push_str(&record.text[position.clone()]);
        }
    }
    Ok(Locale::Root.lower(&text).replace('’', "'"))
}
