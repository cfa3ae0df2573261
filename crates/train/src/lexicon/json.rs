//! Writes a lexicon as one JSON object, one word per line.

use std::io::{self, Write};

use serde::Serialize;

use super::{CountedForm, Lexicon, LexiconSource, LexiconUpdate};

#[derive(Serialize)]
struct LexiconHeader<'a> {
    format: &'static str,
    version: u32,
    language: &'a str,
    sources: &'a [LexiconSource],
    updates: &'a [LexiconUpdate],
}

#[derive(Serialize)]
struct WordLine<'a> {
    word: &'a str,
    forms: Vec<FormLine<'a>>,
}

#[derive(Serialize)]
struct FormLine<'a> {
    form: String,
    case: &'static str,
    count: f64,
    initial: f64,
    sources: Vec<&'a str>,
}

/// Writes a lexicon; `words` is an array of objects with `word` and `forms`.
///
/// # Errors
/// If `out` cannot be written.
pub fn write(lexicon: &Lexicon, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let header = serde_json::to_string(&LexiconHeader {
        format: "majuscule lexicon",
        version: super::tsv::FORMAT,
        language: lexicon.language(),
        sources: lexicon.sources(),
        updates: lexicon.updates(),
    })?;
    // The header is a complete object, written without its closing bracket.
    write!(out, "{},\"words\":[", header.trim_end_matches('}'))?;
    for (i, entry) in lexicon.iter().enumerate() {
        let forms = entry.forms.iter().map(|form| form_line(lexicon, entry.word, form)).collect();
        out.write_all(if i == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *out, &WordLine { word: entry.word, forms })?;
    }
    writeln!(out, "\n]}}")
}

fn form_line<'a>(lexicon: &'a Lexicon, word: &str, form: &CountedForm) -> FormLine<'a> {
    FormLine {
        form: form.case.applied(word, lexicon.locale()),
        case: form.case.class().name(),
        count: form.count,
        initial: form.initial,
        sources: lexicon.sources_of(form).map(LexiconSource::name).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexicon::tests::lexicon;

    #[test]
    fn it_is_one_object_with_a_word_a_line() {
        let day = "2026-11-20".parse().unwrap();
        let lexicon = lexicon("rose Rose \"").update(&lexicon("iPhone"), 0.5, day).unwrap();
        let mut out = Vec::new();
        write(&lexicon, &mut out).unwrap();
        assert_eq!(out.iter().filter(|&&byte| byte == b'\n').count(), 3 + 2);
        let json: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(json["words"][1]["forms"][0]["form"], "iPhone");
        assert_eq!(json["words"][1]["forms"][0]["case"], "mixed");
        assert_eq!(json["words"][2]["forms"][1]["count"], 0.5);
        assert_eq!(json["updates"][0]["date"], "2026-11-20");
        assert_eq!(json["sources"][0]["name"], "test");
    }
}
