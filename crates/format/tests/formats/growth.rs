//! The time that a text takes grows with its length and not with its square, whatever it contains.

use std::io::Cursor;

use crate::laws::Counting;
use majuscule_base::files::Input;
use majuscule_format::Format;
use majuscule_restore::{restore, stream_as};
use majuscule_text::tokenize::Capitalized;
use majuscule_text::{MarkSet, RestoreOptions};

/// Parts of texts that open something, or that start a search for something after them.
const ATOMS: [&str; 88] = [
    "$", "$ ", "$5 ", "$a ", "($a", "$a$ ", "$$", "$$a ", "`", "` ", "``", "`a ", "'`", "\\", "\\ ", "\\a",
    "\\a[", "\\a{", "\\(", "\\[", "\\verb", "\\c{", "<", "< ", "<!--", "<a", "<a ", "<a>", "<code>", "<pre ",
    "</", "<%", "{", "{{", "{{a ", "{%", "{\\", "{a", "{y:", "[", "[[", "[[a|", "](", "](a ", "][", "]:",
    "(", "( a", ") ", "~", "~~~", "%", "%(", "%s ", ":", ":a:", ": ", "&", "&amp;", "&#", "&a", "-", "- ",
    " - ", "--", "- a ", "–", ".", ". ", "a.", "...", "…", "!?", "\"", "' ", "'", "¿", "¿ ", "@", "#", "_",
    "a_", "a-", "a, ", "0:07 ", "♪", "\n", "-\n",
];

/// Returns a file with this text: the example of the format, with the text in place of a word.
fn file(format: Format, text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let line = text.replace('\n', " ");
    match format {
        Format::Text => text.to_owned(),
        Format::Ctm => line.split(' ').map(|word| format!("r A 0 1 {word}\n")).collect(),
        Format::Conll | Format::Labels => line.split(' ').map(|word| format!("{word}\tX\n")).collect(),
        Format::Jsonl => format!("{{\"text\":\"{escaped}\"}}\n"),
        Format::WhisperJson => format!("{{\"segments\":[{{\"start\":0,\"end\":1,\"text\":\"{escaped}\"}}]}}"),
        Format::Csv => format!("text\n\"{}\"\n", text.replace('"', "\"\"")),
        Format::Srt | Format::Vtt => format.info().example.replacen("met", text, 1),
        _ => format.info().example.replacen("met", &line, 1),
    }
}

/// The seconds that this thread has computed, which other work on the machine does not change; `None` where the
/// system does not report it.
fn seconds() -> Option<f64> {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(times.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}

/// Returns the seconds that `run` computes, the least of some runs.
fn least(runs: usize, mut run: impl FnMut()) -> f64 {
    let mut time = || {
        let before = seconds()?;
        run();
        Some(seconds()? - before)
    };
    (0..runs).filter_map(|_| time()).fold(f64::INFINITY, f64::min)
}

/// Returns a line about a text that repeats an atom, if it takes long and if four times the length takes more
/// than ten times as long.
fn grown(about: &str, atom: &str, run: impl Fn(&str)) -> Option<String> {
    let text = |bytes: usize| atom.repeat(bytes / atom.len());
    let [short, long] = [text(8 << 10), text(32 << 10)];
    if least(1, || run(&short)) < 0.05 {
        return None;
    }
    let times = [&short, &long].map(|text| least(3, || run(text)));
    (times[1] > 10.0 * times[0].max(0.02)).then(|| format!("{about}: {atom:?} takes {times:?} seconds\n"))
}

fn options(marks: bool) -> RestoreOptions {
    let options = RestoreOptions::default().marks(if marks { MarkSet::USUAL } else { MarkSet::NONE });
    let options = options.capitalized(Capitalized::Ignore);
    options.lossy(true).in_language(Some("en".into()))
}

#[test]
fn the_time_of_a_text_grows_with_its_length_whatever_it_consists_of() {
    if seconds().is_none() {
        return;
    }
    let notations = ["file.md", "file.tex"].map(|name| (name, Format::Text));
    let formats = Format::all().iter().map(|info| ("file", info.format)).chain(notations);
    let grown = formats.flat_map(|format| [false, true].map(|marks| (format, marks))).flat_map(
        |((name, format), marks)| {
            ATOMS.into_iter().filter_map(move |atom| {
                grown(&format!("{name} in {format:?}"), atom, |text| {
                    let input = Input::uncompressed(name, Cursor::new(file(format, text)));
                    // A text that is not a file of the format fails.
                    _ = restore(format, input, &Counting::new(), &options(marks), &mut |_, _| Ok(()));
                })
            })
        },
    );
    assert_eq!(grown.collect::<String>(), "");
}

#[test]
fn the_time_of_live_text_grows_with_its_length_whatever_it_consists_of() {
    if seconds().is_none() {
        return;
    }
    let grown =
        ATOMS.into_iter().flat_map(|atom| [(atom, false), (atom, true)]).filter_map(|(atom, marks)| {
            grown("live text", atom, |text| {
                let method = std::sync::Arc::new(Counting::new());
                let mut stream = stream_as("live", Format::Text, method, options(marks)).unwrap();
                text.as_bytes().chunks(64).for_each(|part| stream.push(part, &mut Vec::new()).unwrap());
            })
        });
    assert_eq!(grown.collect::<String>(), "");
}
