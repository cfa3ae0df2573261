//! Tests of the openings of sentences (`¿`) in every format.

use std::sync::Arc;

use crate::laws::marked;
use majuscule_base::error::Result;
use majuscule_format::Format;
use majuscule_restore::stream_as;
use majuscule_text::RestoreOptions;
use majuscule_text::restorer::{Boundary, Request, Restorer, Session};
use majuscule_text::tokenize::Capitalized;
use majuscule_text::{Case, Choice, Class, Label, Labels, Mark, MarkForm, Tokens};

/// A method that opens a question at `qué` and ends it after `hora`.
struct Asking(Labels);

struct AskingSession;

impl Restorer for Asking {
    fn labels(&self) -> &Labels {
        &self.0
    }

    fn look_ahead(&self) -> Option<usize> {
        Some(0)
    }

    fn session(&self, _: Request) -> Box<dyn Session + '_> {
        Box::new(AskingSession)
    }
}

impl Session for AskingSession {
    fn push(&mut self, tokens: &Tokens, _: Boundary, out: &mut Vec<Choice>) -> Result<()> {
        let mark = |lower: &str, word: &str| if lower == word { Mark::Question } else { Mark::None };
        out.extend(tokens.iter().map(|(lower, _)| Choice {
            opening: mark(lower, "qué"),
            ..Label { case: Case::Lower, mark: mark(lower, "hora") }.into()
        }));
        Ok(())
    }
}

fn asking() -> Asking {
    let marks = [Mark::None, Mark::Comma, Mark::Period, Mark::Question];
    Asking(Labels::new(marks.into_iter().flat_map(|mark| Class::ALL.map(|class| (class, mark)))))
}

fn options(language: &str, mark_form: Option<MarkForm>) -> RestoreOptions {
    RestoreOptions::default()
        .marks(".,?".parse().unwrap())
        .in_language(Some(language.to_owned()))
        .capitalized(Capitalized::Ignore)
        .mark_form(mark_form)
}

/// Returns a file with marks, and checks that they are inserted once.
fn restored(kind: Format, file: &str, options: &RestoreOptions) -> String {
    let once = |file: &str| {
        String::from_utf8(marked(kind, file.as_bytes(), usize::MAX, &asking(), options)).unwrap()
    };
    let found = once(file);
    assert_eq!(once(&found), found);
    found
}

#[test]
fn a_question_opens_before_its_first_letter() {
    let cue = |text: &str| format!("1\n00:00:01,000 --> 00:00:02,000\n{text}\n\n");
    let [plain, asked] = ["<i>qué</i> hora", "<i>¿Qué</i> hora?"];
    let event = |text: &str| format!("[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,,,,,,,{text}\n");
    let words = |text: &str, punctuated: [&str; 2]| {
        let word = |(word, beside): (&str, &str)| format!("{{\"word\":\" {word}\"{beside},\"start\":1}}");
        let words = ["qué", "hora"].into_iter().zip(punctuated).map(word).collect::<Vec<_>>().join(",");
        format!("{{\"text\":\"{text}\",\"segments\":[{{\"text\":\" {text}\",\"words\":[{words}]}}]}}\n")
    };
    let beside = [",\"punctuated_word\":\" ¿Qué\"", ",\"punctuated_word\":\" hora?\""];
    let whisper = words("¿Qué hora?", beside).replace("\"word\":\" qué", "\"word\":\" Qué");
    for (kind, file, expected) in [
        (Format::Text, "dime, qué hora".into(), "Dime, ¿qué hora?".into()),
        (Format::Text, "\"qué hora\" (qué hora)".into(), "\"¿Qué hora\" (¿qué hora)".to_owned()),
        (Format::Tok, "dime , qué hora".into(), "Dime , ¿ qué hora ?".into()),
        (Format::Srt, cue(plain), cue(asked)),
        (Format::Ass, event("{\\i1}qué{\\i0} hora"), event("{\\i1}¿Qué{\\i0} hora?")),
        (Format::Ctm, "r A 1 0.5 qué\nr A 2 1 hora\n".into(), "r A 1 0.5 ¿Qué\nr A 2 1 hora?\n".into()),
        (Format::Jsonl, "{\"text\":\"qu\\u00e9 hora\"}\n".into(), "{\"text\":\"¿Qu\\u00e9 hora?\"}\n".into()),
        (Format::WhisperJson, words("qué hora", [""; 2]), whisper),
    ] {
        assert_eq!(restored(kind, &file, &options("es", None)), expected, "{kind:?}");
    }
}

#[test]
fn a_question_opens_once_in_every_format() {
    for info in Format::all().iter().filter(|info| info.format.mark_form(None).is_ok()) {
        let file = info.example.replacen("met", "qué hora", 1);
        restored(info.format, &file, &options("es", None).lossy(true));
    }
}

#[test]
fn an_opening_apart_is_a_token_or_a_row_of_its_own() {
    let apart = options("es", Some(MarkForm::Apart));
    assert_eq!(restored(Format::Tok, "dime , qué hora", &apart), "Dime , ¿ qué hora ?");
    assert_eq!(restored(Format::Stm, "r A s 0 1 qué hora\n", &apart), "r A s 0 1 ¿ Qué hora ?\n");
    let rows = "r A 1.00 0.00 ¿\nr A 1.00 0.50 Qué\nr A 2.00 1.00 hora\nr A 3.00 0.00 ?\n";
    assert_eq!(restored(Format::Ctm, "r A 1.00 0.50 qué\nr A 2.00 1.00 hora\n", &apart), rows);
    assert_eq!(restored(Format::Conll, "qué\tX\nhora\tY", &apart), "¿\t_\nQué\tX\nhora\tY\n?\t_");
}

#[test]
fn only_spanish_opens_its_questions_and_one_that_is_there_stays() {
    assert_eq!(restored(Format::Text, "dime, qué hora", &options("pt", None)), "Dime, qué hora?");
    let spanish = options("es-MX", None);
    assert_eq!(restored(Format::Text, "dime, ¿qué hora", &spanish), "Dime, ¿qué hora?");
    assert_eq!(restored(Format::Text, "dime, ¿\"qué\" hora", &spanish), "Dime, ¿\"qué\" hora?");
    let stops = spanish.marks(".,".parse().unwrap());
    assert_eq!(restored(Format::Text, "dime, qué hora", &stops), "Dime, qué hora.");
}

#[test]
fn an_opening_comes_with_its_word_in_a_text_that_comes_in() {
    let asking = Arc::new(asking());
    let mut stream = stream_as("data", Format::Text, asking, options("es", None)).unwrap();
    let mut out = Vec::new();
    stream.push("dime, qu".as_bytes(), &mut out).unwrap();
    stream.push("é tal ".as_bytes(), &mut out).unwrap();
    stream.finish(&mut out).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), "Dime, ¿qué tal ");
}
