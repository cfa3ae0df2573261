//! The laws of every format, for the tests of each.

use std::sync::Arc;

use proptest::prelude::*;

use crate::case_laws::lossy;
pub use crate::case_laws::{check_cases, error, pieces, starts, words, written};
use majuscule_base::error::Result;
use majuscule_base::files::{Dribble, Input};
use majuscule_format::Format;
use majuscule_restore::{restore, stream_as};
use majuscule_text::RestoreOptions;
use majuscule_text::restorer::{Boundary, Request, Restorer, Session};
use majuscule_text::tokenize::Capitalized;
use majuscule_text::{
    Case, Choice, Class, Label, Labels, Locale, Mark, MarkForm, MarkPlaces, OutputForm, SentenceStart, Tokens,
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
        // Words with times, of which some lack a mark or are missing: such a word may be matched with
        // another one, whose capitals it then has to share.
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
    fn paragraphs_keep_their_laws_and_a_second_run_changes_none(
        any in prop::collection::vec("((so|now|he|Ana:|harbour|boats|2010|- |# |,) ?){1,9}[.?…\",]?(\n| |\n\n)", 0..40),
        sentences in prop::collection::vec("((so|now|he|harbour|boats|in 2010) ){1,20}we left[.?]( |\n\n)", 0..40),
    ) {
        let options = lossy().in_language(Some("en".to_owned()));
        let method = Counting { step: 11, ..Counting::new() };
        check_paragraphs(any.concat().as_bytes(), &method, &options);
        let once = check_paragraphs(sentences.concat().as_bytes(), &method, &options);
        // A paragraph at a sentence end that the method found is new evidence of a capital.
        let twice = check_paragraphs(once.as_bytes(), &method, &options);
        prop_assert_eq!(twice.to_lowercase(), once.to_lowercase());
    }

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
fn the_example_of_every_format_keeps_the_laws_of_marks() {
    for info in Format::all() {
        check(info.format, info.example);
    }
}

#[test]
fn memory_stays_flat_whatever_comes() {
    let cue = "1\n00:00:01,000 --> 00:00:02,000\nwe met\nin lisbon\n\n";
    let long = format!("1\n00:00:01,000 --> 00:00:02,000\n{}\n", "we met\n".repeat(100_000));
    let odd = [
        (Format::Srt, long),
        (Format::Srt, cue.replace("we met", &"we met ".repeat(100_000))),
        (Format::Vtt, format!("WEBVTT\n\nNOTE\n{}", "so it is\n".repeat(100_000))),
        (Format::Ttml, format!("<tt>{}</tt>", "<p>so it is<br/></p>".repeat(50_000))),
        (Format::Ctm, ";; so it is\n".repeat(100_000)),
        (Format::Jsonl, "{\"text\":\"so\"}\n".repeat(50_000)),
    ];
    let examples =
        Format::all().iter().map(|info| (info.format, format!("{}\n", info.example).repeat(5_000)));
    for (kind, text) in odd.into_iter().chain(examples) {
        let pieces = pieces(kind, text.as_bytes(), usize::MAX, lossy()).unwrap();
        let longest = pieces.iter().map(|piece| piece.bytes().len()).max();
        assert!(longest < Some(2_000_000), "{kind:?}: {longest:?}");
        assert_eq!(pieces.iter().map(|piece| piece.bytes().len()).sum::<usize>(), text.len(), "{kind:?}");
    }
}

/// Checks the laws of cases, and the laws of marks if the format has a place for them.
pub fn check(kind: Format, text: &str) {
    check_cases(kind, text);
    if kind.mark_form(None).is_ok() {
        check_marks(kind, text, None);
    }
    let has_numbers = text.lines().any(|line| line.matches('\t').count() > 8);
    if matches!(kind, Format::Conll | Format::Ctm | Format::Stm) && !has_numbers {
        check_marks(kind, text, Some(MarkForm::Apart));
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

/// Checks the laws of marks: removing the inserted marks returns the text without them; restoring the
/// text again does not change it; it does not depend on how the bytes arrive.
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
        // Quotes that a mark makes necessary in its cell of a table are removed with it.
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
            check_paragraphs(bytes, &method, &options.marks(Default::default()));
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

/// Checks the laws of text in paragraphs: it has the words of a text with a sentence a line, and it does not depend
/// on how the bytes arrive or on the threads. Returns the text.
fn check_paragraphs(bytes: &[u8], method: &Counting, options: &RestoreOptions) -> String {
    let written = |bytes: &[u8], step: usize, form: OutputForm, threads: usize| {
        let options = options.clone().form(form).threads(threads.try_into().unwrap());
        String::from_utf8_lossy(&marked(Format::Text, bytes, step, method, &options)).into_owned()
    };
    let once = written(bytes, usize::MAX, OutputForm::Paragraphs, 1);
    let sentences = written(bytes, usize::MAX, OutputForm::Sentences, 1);
    assert!(once.split_ascii_whitespace().eq(sentences.split_ascii_whitespace()), "{once:?}, {sentences:?}");
    assert_eq!(written(bytes, 1, OutputForm::Paragraphs, 3), once);
    once
}

/// Checks the laws of marks in a text that arrives bit by bit.
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

/// Removes from a text the lines that another one lacks.
fn without_rows(text: &[u8], other: &[u8]) -> String {
    let [text, other] = [text, other].map(String::from_utf8_lossy);
    let end = if other.contains('\n') || !other.contains('\r') { "\n" } else { "\r" };
    let mut others = other.split(end).peekable();
    text.split(end).filter(|line| others.next_if_eq(line).is_some()).collect::<Vec<_>>().join(end)
}

/// Removes from a text the marks that another one lacks, and the words next to them.
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

/// Removes the members of JSON that have a word with its marks.
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
