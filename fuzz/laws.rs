//! The functions that fuzzers run: each accepts any bytes and panics only if a law is broken.

use std::io::{Cursor, Read};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use majuscule_base::error::{Error, Result};
use majuscule_base::files::Input;
use majuscule_convert::{Conversion, ConversionNotes, CueCut, CueLimits, TranscriptForm};
use majuscule_experiment::{Recipe, Setting, plan};
use majuscule_format::{Format, FormatFamily, Record, Stripping, Utterance, refuse_binary, strip};
use majuscule_fst::ngram::NgramConfig;
use majuscule_fst::wfst::BackOff;
use majuscule_lm::{NgramModel, NgramState, ScoredWord, arpa, binary};
use majuscule_methods::Backend;
use majuscule_methods::majority::CaseTable;
use majuscule_methods::model::{Bytes, Draft, Manifest, Packed, Section, Store};
use majuscule_restore::models::{Methods, Model, load};
use majuscule_restore::{Stream, Streaming, n_best, restore, stream_as};
use majuscule_text::restorer::Restorer;
use majuscule_text::tokenize::Capitalized;
use majuscule_text::{
    Locale, Mark, MarkPlaces, MarkSet, OutputForm, RestoreOptions, SentenceStart, Spellings,
};
use majuscule_train::corpus::{Corpus, Protocol, Reading};
use majuscule_train::eval::align::{self, Edit};
use majuscule_train::lexicon;
use majuscule_train::lm::kneser_ney::Smoothing;
use majuscule_train::lm::spill::Memory;
use majuscule_train::lm::words::{TrainingText, WordUnits};
use majuscule_train::methods::balance::MarkOptions;
use majuscule_train::methods::majority::MajorityConfig;
use majuscule_train::methods::{Learner, hmm, maxent, train};

/// A network with weights that nobody learned.
#[path = "../tests/program/toy_network.rs"]
pub mod toy_network;

/// The training text of the model of these targets.
const TEXT: &str = "The ministers met in Lisbon and in New York, as the BBC and Jean-Paul O'Neill of the WHO said to us.\n\
                    They gave an iPhone to McDonald, who wrote of l'Europe, the U.S. and ÍSLAND in IJmuiden, Şanlıurfa \
                    and ΟΔΟΣ; who read it?\n";

/// The training text of a model with openings of questions.
const SPANISH: &str = "¿Qué es esto? Esto es Lisboa. ¿Quién vive en Lisboa? Ana vive en Lisboa, pero ¿dónde trabaja?\n\
                       Y ¿cómo está Pedro? Pedro está bien. Dime, ¿qué hora es? Es tarde. ¿Cuándo vuelve Ana? Ana vuelve pronto.\n\
                       ¿Dónde vive Pedro? Pedro vive con Ana. ¿Qué dijo Ana? Ana dijo que no. ¿Cómo es Lisboa? Lisboa es blanca.\n";

/// A training text with all marks, and with openings of questions.
const MARKED: &str = "¿Qué es esto? ¡Es la OMS en Lisboa! Ana dijo: los ministros, el BBC y McDonald llegaron; nada más…\n\
                      ¿Por qué no vino Jean-Paul? Pues sí – vino a Nueva York. ¡Qué bien!\n";

/// Spellings that win over the model, one of them in lower case.
const WORDS: &str = "eBay\nNew York City\nbbc\nWHO\nAT&T\nÍsland\n";

/// Reads any bytes as a recipe, and plans or refuses it.
///
/// # Panics
/// If reading or planning panics.
pub fn recipe(data: &[u8]) {
    let Ok(recipe) = Recipe::parse(&String::from_utf8_lossy(data), "data") else { return };
    let _ = plan(
        &recipe,
        &Setting { corpora: "/nowhere".into(), cache: "/nowhere".into(), ..Setting::default() },
    );
}

/// Restores any bytes as a text, with and without `lossy`, and checks that only the case
/// of letters changes and that a second run changes nothing; in paragraphs, white space changes too. The first
/// byte chooses the mode; the others are the text.
///
/// # Panics
/// If a law is broken.
pub fn tokenize(data: &[u8]) {
    let _ = Input::new("data", Cursor::new(data.to_vec())).and_then(Input::bytes);
    let Some((&mode, text)) = data.split_first() else { return };
    for lossy in [false, true] {
        let mode = Mode::of(mode, lossy);
        let Ok(once) = mode.restored(text, &*MODEL.restorer) else {
            assert!(!lossy, "with lossy, every text is restored");
            continue;
        };
        assert_only_case_changed(text, &once, mode.locale);
        let twice = mode.restored(&once, &*MODEL.restorer).expect("what was restored is a text");
        assert!(
            twice == once,
            "restored twice under {mode:?}, {:?} becomes {:?}",
            String::from_utf8_lossy(&once),
            String::from_utf8_lossy(&twice)
        );
    }
    check_paragraphs(Mode::of(mode, true), text);
}

/// Checks that a text in paragraphs has the letters of its source and does not depend on how its bytes arrive.
fn check_paragraphs(mode: Mode, text: &[u8]) {
    let options = mode.options().expect("the spellings are right").form(OutputForm::Paragraphs);
    let written = |text: &[u8], step: usize| {
        let written = mode.restored_with(Format::Text, text, step, &*MODEL.restorer, &options);
        written.expect("with lossy, every text is restored")
    };
    let once = written(text, usize::MAX);
    let letters = |text: &[u8]| mode.folded(text).replace(|c: char| c.is_ascii_whitespace(), "");
    assert_eq!(letters(&once), letters(text), "more than case and white space changed");
    assert!(written(text, 3) == once, "{:?} depends on its parts", String::from_utf8_lossy(text));
}

/// Streams any bytes as a text that is cut anywhere, and checks that the output does not depend on
/// the cuts. If pending words are forced out, only case may change, and all pending words come out.
/// The first byte chooses the mode, the second the look-ahead and the cuts. The others are the
/// text, in which the byte 0xfe is a cut, and 0xff is a cut that also forces the pending words out.
///
/// # Panics
/// If a law is broken.
pub fn stream(data: &[u8]) {
    let [mode, cuts, text @ ..] = data else { return };
    let mode = Mode {
        case: [Capitalized::Keep, Capitalized::Ignore][usize::from(cuts >> 7)],
        ..Mode::of(*mode, true)
    };
    let look_ahead = usize::from(cuts & 3);
    let every = usize::from(cuts >> 2 & 0x1f) + 1;
    let parts = || text.split_inclusive(|&b| b >= 0xfe).flat_map(|part| part.chunks(every));
    let plain: Vec<u8> = text.iter().copied().filter(|&b| b < 0xfe).collect();
    for model in [&*MODEL, &*CONTEXT] {
        let whole = mode.streamed([(&*plain, false)], look_ahead, &model.restorer);
        assert_only_case_changed(&plain, &whole.0, mode.locale);
        for stops in [false, true] {
            let parts = parts().map(|part| match part.split_last() {
                Some((&last, rest)) if last >= 0xfe => (rest, stops && last == 0xff),
                _ => (part, false),
            });
            let streamed = mode.streamed(parts, look_ahead, &model.restorer);
            assert!(
                stops || streamed == whole,
                "under {mode:?} and {look_ahead} words ahead {:?} comes out whole, {} bytes before the end, but {:?} in parts, \
                 {} bytes",
                String::from_utf8_lossy(&whole.0),
                whole.1,
                String::from_utf8_lossy(&streamed.0),
                streamed.1
            );
        }
    }
}

/// Restores any bytes as a file of any format. The first byte chooses the format; the
/// others go to [`format()`].
///
/// # Panics
/// If a law is broken.
pub fn any_format(data: &[u8]) {
    let Some((&kind, data)) = data.split_first() else { return };
    format(chosen(kind, restored()), data);
}

/// Puts marks into any bytes as a file of any format that has a place for them, which the first
/// byte chooses; see [`marks`].
///
/// # Panics
/// If a law is broken.
pub fn any_marks(data: &[u8]) {
    let Some((&kind, data)) = data.split_first() else { return };
    marks(chosen(kind, restored()), data);
}

/// Takes capitals and marks out of any bytes as a file of any format, which the first byte chooses; see [`stripped`].
///
/// # Panics
/// If a law is broken.
pub fn any_stripped(data: &[u8]) {
    let Some((&kind, data)) = data.split_first() else { return };
    stripped(chosen(kind, restored()), data);
}

/// Restores a text between two others, which strokes separate, and checks that its letters and the spaces between its
/// words stay. The first byte chooses the marks.
///
/// # Panics
/// If a law is broken.
pub fn between(data: &[u8]) {
    let Some((&number, text)) = data.split_first() else { return };
    let text = String::from_utf8_lossy(text);
    let parts: Vec<&str> = text.splitn(3, '|').collect();
    let [before, inner, after] = parts[..] else { return };
    let letters = |text: &str| -> String {
        text.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .map(|c| if c == 'ς' { 'σ' } else { c })
            .collect()
    };
    for (model, language) in MARKS.iter() {
        let marks = if number % 3 == 0 { MarkSet::NONE } else { MarkSet::USUAL };
        let places = [MarkPlaces::Everywhere, MarkPlaces::Unmarked][usize::from(number % 2)];
        let options = RestoreOptions::default().marks(marks).mark_places(places);
        let restorer = model.with(options.in_language(Some((*language).to_owned())));
        let once = restorer.between(before, inner, after).expect("a text is restored");
        assert_eq!(letters(&once), letters(inner), "{before:?} {inner:?} {after:?}: {once:?}");
        // A mark is inserted between words, and spaces around them.
        let words = |text: &str| text.split_whitespace().filter(|word| !letters(word).is_empty()).count();
        assert_eq!(words(&once), words(inner), "{before:?} {inner:?} {after:?}: {once:?}");
    }
}

/// Takes capitals, marks or both out of any bytes as a file of a format, and checks that a second run changes nothing, that
/// the output does not depend on how the bytes arrive, and that without capitals alone only the case of letters changes.
/// The first byte chooses the mode; the others are the file.
///
/// # Panics
/// If a law is broken.
pub fn stripped(kind: Format, data: &[u8]) {
    let Some((&number, file)) = data.split_first() else { return };
    let mode = Mode::of(number, true);
    let (case, marks) = [(true, true), (true, false), (false, true)][usize::from(number) % 3];
    let stripped = |file: &[u8], step| -> Result<Vec<u8>> {
        let mut out = Vec::new();
        let input = Input::uncompressed("text", Dribble::new(file, step));
        strip(kind, input, &mode.options()?, Stripping { case, marks }, &mut |bytes| {
            out.extend_from_slice(bytes);
            Ok(())
        })?;
        Ok(out)
    };
    let Ok(once) = stripped(file, usize::MAX) else {
        return assert!(marks && kind.mark_form(None).is_err(), "with lossy, every file is stripped");
    };
    let shown = String::from_utf8_lossy;
    let becomes = format!("{kind:?} {:?} becomes {:?}", shown(file), shown(&once));
    if !marks {
        assert_only_case_changed(&unescaped(kind, file), &unescaped(kind, &once), mode.locale);
    }
    let dribbled = stripped(file, 1 + file.len() / 3).expect("the file was read before");
    assert_eq!(shown(&dribbled), shown(&once), "{becomes} in parts");
    let twice = stripped(&once, usize::MAX).expect("what was stripped is a file");
    assert_eq!(shown(&twice), shown(&once), "{becomes} and then something else");
}

/// The formats that are restored, without the formats of plain text.
pub fn restored() -> impl Iterator<Item = Format> {
    Format::all().iter().filter(|info| info.family != FormatFamily::Text).map(|info| info.format)
}

/// The formats that conversion reads, without tokenised text, which it reads as plain text.
fn converted_formats() -> impl Iterator<Item = Format> {
    let converted = Format::all().iter().filter(|info| info.segments.is_some() && !info.is_tokenised);
    converted.map(|info| info.format)
}

/// Returns the format that a byte chooses.
fn chosen(kind: u8, formats: impl Iterator<Item = Format>) -> Format {
    let formats: Vec<Format> = formats.collect();
    formats[usize::from(kind) % formats.len()]
}

/// Converts any bytes as a file of any format, which the first byte chooses; see [`conversions`].
///
/// # Panics
/// If a law is broken.
pub fn convert(data: &[u8]) {
    let Some((&kind, data)) = data.split_first() else { return };
    conversions(chosen(kind, converted_formats()), data);
}

/// Converts any bytes as a file of a format to all other formats. Input that can be read can be
/// written as JSON lines and converted back from them; the output has the content of the input; and
/// a part that is left out is never text.
///
/// # Panics
/// If a law is broken.
pub fn conversions(from: Format, data: &[u8]) {
    let objects = |kind: Format, data: &[u8]| converted(kind, Format::Jsonl, true, data);
    let shown = String::from_utf8_lossy(data);
    let said = match objects(from, data) {
        Ok(said) => said,
        // Other fields of JSON may have the names of fields that are written.
        Err(_) if matches!(from, Format::Jsonl | Format::WhisperJson | Format::Ass) => return,
        Err(error) => {
            let error = error.to_string();
            let is_lost =
                ["would be lost", "convert to another format"].iter().any(|lost| error.contains(lost))
                    && !error.contains("which is before the beginning");
            return assert!(!is_lost, "{from:?} {shown:?} is read and not written: {error}");
        }
    };
    // All that follows reads these objects.
    let Some(said_text) = text(&said) else { return };
    match converted(Format::Jsonl, from, true, said.as_bytes()) {
        Ok(back) => {
            if let Some(again) = objects_again(from, back.as_bytes()) {
                assert_eq!(unnumbered(&again), unnumbered(&said), "{from:?} {shown:?}");
            }
        }
        Err(_) if matches!(from, Format::Ttml | Format::Lrc) => {}
        // Some times can be read and not written. A file that begins with empty lines, which are left out, may have its
        // first carriage return in the line that becomes the first, a bracket that an empty line kept open may be
        // closed in the next line, and escapes may look like a 7-bit encoding.
        Err(error) => assert!(
            matches!(from, Format::Srt | Format::Vtt | Format::Ass)
                && error.to_string().contains("the digits of ")
                || (from == Format::Ass || shown.starts_with('\n'))
                    && error.to_string().contains("found a carriage return")
                || is_seven_bit(&error)
                || from == Format::Srt
                    && shown.lines().any(|line| line.trim().is_empty())
                    && error.to_string().contains("found text that would be read as tags"),
            "{from:?} {shown:?} does not come back from {said}: {error}"
        ),
    }
    for to in converted_formats() {
        for strict in [true, false] {
            let conversion = Conversion { from, to, strict, speakers: Some(false), ..Conversion::default() };
            let Ok((written, notes)) = run(&conversion, data) else { continue };
            let Some(again) = objects_again(to, written.as_bytes()) else { continue };
            let Some(again_text) = text(&again) else { continue };
            // Plain text has the lines of captions that roll up once.
            if notes.cues.iter().any(|note| note.contains("read once")) {
                assert!(
                    to == Format::Text && again_text.len() < said_text.len(),
                    "{from:?} {shown:?} rolls up"
                );
                continue;
            }
            let becomes = format!("{from:?} {shown:?} becomes {to:?} {written:?}");
            match strict {
                true => assert_eq!(unnumbered(&said), unnumbered(&again), "{becomes}"),
                false => assert_eq!(said_text, again_text, "{becomes}"),
            }
        }
        if to == Format::Text {
            let transcript = TranscriptForm { paragraphs: true, ..TranscriptForm::default() };
            let speakers = Some(false);
            let conversion = Conversion { from, to, transcript, speakers, ..Conversion::default() };
            if let Ok((written, notes)) = run(&conversion, data) {
                let words: String = written.split_whitespace().collect();
                assert!(
                    words == said_text.replace(char::is_whitespace, "")
                        || notes.cues.iter().any(|note| note.contains("read once")),
                    "{from:?} {shown:?} becomes the transcript {written:?}"
                );
            }
        }
        let limits = CueLimits { max_chars: 20, ..CueLimits::default() };
        let cut = Conversion { from, to, cut: Some(CueCut::Sentence), limits, ..Conversion::default() };
        if let Ok((written, notes)) = run(&cut, data) {
            let again = objects_again(to, written.as_bytes());
            let Some(again_text) = again.and_then(|again| text(&again)) else { continue };
            if notes.cues.iter().any(|note| note.contains("read once")) {
                assert!(again_text.len() < said_text.len(), "{from:?} {shown:?} rolls up");
                continue;
            }
            // Cues of several channels are sorted by their times, and speakers get a dash.
            let letters = |text: &str| {
                let mut letters: Vec<char> = text.chars().filter(|c| c.is_alphanumeric()).collect();
                letters.sort_unstable();
                letters
            };
            assert_eq!(
                letters(&said_text),
                letters(&again_text),
                "{from:?} {shown:?} is cut into {to:?} {written:?}"
            );
        }
    }
}

fn converted(from: Format, to: Format, strict: bool, data: &[u8]) -> Result<String> {
    Ok(run(&Conversion { from, to, strict, ..Conversion::default() }, data)?.0)
}

fn run(conversion: &Conversion, data: &[u8]) -> Result<(String, ConversionNotes)> {
    let mut out = Vec::new();
    let input = Input::uncompressed("data", Cursor::new(data.to_vec()));
    let notes = conversion.run(input, &mut out, Path::new("out"))?;
    Ok((String::from_utf8(out).expect("text was written"), notes))
}

/// Returns the JSON lines of a file that was written here, which can be read. `None` if it is refused as a
/// 7-bit encoding.
fn objects_again(kind: Format, written: &[u8]) -> Option<String> {
    match converted(kind, Format::Jsonl, true, written) {
        Ok(objects) => Some(objects),
        Err(error) if is_seven_bit(&error) => None,
        Err(error) => panic!("{kind:?} {:?} was written: {error}", String::from_utf8_lossy(written)),
    }
}

/// Returns true if text is refused since it looks like a 7-bit encoding. Text between `~{` and `~}` may do so by chance
/// once its white space has become escapes: nothing distinguishes the two, and to read real HZ as words would be worse
/// than to refuse.
fn is_seven_bit(error: &Error) -> bool {
    error.to_string().contains(", an encoding of ")
}

/// Returns the text of objects, without white space. `None` if it is refused as a 7-bit encoding.
fn text(objects: &str) -> Option<String> {
    let mut records = Format::Jsonl
        .records(Input::uncompressed("data", Cursor::new(objects.to_owned())), None)
        .expect("the field is there");
    let (mut record, mut text) = (Record::default(), String::new());
    loop {
        match records.next(&mut record) {
            Ok(true) => text.extend(record.text.chars().filter(|c| !c.is_whitespace())),
            Ok(false) => return Some(text),
            Err(error) if is_seven_bit(&error) => return None,
            Err(error) => panic!("the objects were written here: {error}"),
        }
    }
}

/// Returns the objects without the numbers of cues, with the tags of one format, and with speakers for voices.
fn unnumbered(objects: &str) -> String {
    let styles = [("{\\\\i", "i>"), ("{\\\\b", "b>"), ("{\\\\u", "u>")];
    let objects = styles.into_iter().fold(objects.to_owned(), |objects, (own, shared)| {
        objects
            .replace(&format!("{own}1}}"), &format!("<{shared}"))
            .replace(&format!("{own}0}}"), &format!("</{shared}"))
    });
    let named: Vec<String> = objects.lines().map(with_speaker).collect();
    let without =
        |line: &String| match line.strip_prefix("{\"id\":\"").and_then(|rest| rest.split_once("\",")) {
            Some((id, rest)) if id.bytes().all(|b| b.is_ascii_digit()) => format!("{{{rest}\n"),
            _ => format!("{line}\n"),
        };
    named.iter().map(without).collect()
}

/// Returns an object with a speaker in place of the voice tag that begins its text, if that says nothing else.
fn with_speaker(line: &str) -> String {
    let object: serde_json::Value = match serde_json::from_str(line) {
        Ok(object) => object,
        // Half of a pair of escapes is JSON and no text.
        Err(error) if error.to_string().contains("surrogate") => return line.to_owned(),
        Err(error) => panic!("{line} is not JSON: {error}"),
    };
    let tags = object["tags"].as_array().into_iter().flatten();
    let tags: Vec<(u64, &str)> = tags.filter_map(|tag| Some((tag[0].as_u64()?, tag[1].as_str()?))).collect();
    let name =
        tags.first().and_then(|(at, tag)| tag.strip_prefix("<v ")?.strip_suffix('>').filter(|_| *at == 0));
    let Some(name) = name.filter(|name| name.split_whitespace().collect::<Vec<_>>().join(" ") == **name)
    else {
        return line.to_owned();
    };
    let len = object["text"].as_str().unwrap_or_default().chars().count() as u64;
    let is_end = |(at, tag): &(u64, &str)| *tag == "</v>" && *at == len;
    if object.get("speaker").is_some() || tags.iter().any(|(at, tag)| *tag == "</v>" && *at < len) {
        return line.to_owned();
    }
    let written = |tag: &(u64, &str)| serde_json::json!([tag.0, tag.1]).to_string();
    let list = |tags: &[String]| {
        if tags.is_empty() { String::new() } else { format!(",\"tags\":[{}]", tags.join(",")) }
    };
    let all: Vec<String> = tags.iter().map(written).collect();
    let kept: Vec<String> = tags[1..].iter().filter(|tag| !is_end(tag)).map(written).collect();
    let speaker = format!("\"speaker\":{},\"begin\":", serde_json::json!(name));
    line.replacen("\"begin\":", &speaker, 1).replacen(&list(&all), &list(&kept), 1)
}

/// Restores any bytes as a file of a format, and checks the laws of [`tokenize`]. The
/// output, also that of live records, does not depend on how the bytes arrive, and a corpus
/// finds sentences in the file, or an error that names its line. The first byte chooses the
/// mode; the others are the file.
///
/// # Panics
/// If a law is broken.
pub fn format(kind: Format, data: &[u8]) {
    let Some((&mode, file)) = data.split_first() else { return };
    sentences(kind, file);
    for lossy in [false, true] {
        let mode = Mode::of(mode, lossy);
        let restored = |file: &[u8], step| mode.restored_as(kind, file, step, &*MODEL.restorer);
        let Ok(once) = restored(file, usize::MAX) else {
            assert!(!lossy, "with lossy, every file is restored");
            continue;
        };
        let shown = String::from_utf8_lossy;
        assert_only_case_changed(&unescaped(kind, file), &unescaped(kind, &once), mode.locale);
        let dribbled = restored(file, 1 + file.len() / 3).expect("the file was read before");
        assert!(
            dribbled == once,
            "{:?} comes out {:?} in parts, {:?} whole",
            shown(file),
            shown(&dribbled),
            shown(&once)
        );
        let twice = restored(&once, usize::MAX).expect("what was restored is a file");
        assert!(
            twice == once,
            "restored twice under {mode:?}, {:?} becomes {:?}",
            shown(&once),
            shown(&twice)
        );
        if lossy && matches!(kind, Format::Ctm | Format::Jsonl | Format::WhisperJson) {
            captions(kind, mode, file);
        }
    }
}

/// Puts marks into any bytes as a file of a format, and checks that a second run changes nothing,
/// that the output does not depend on how the bytes arrive, and that all letters stay; and that a text
/// with its punctuation comes out as without marks, and so does what came out. The first byte chooses
/// the mode; the others are the file.
///
/// # Panics
/// If a law is broken.
pub fn marks(kind: Format, data: &[u8]) {
    let Some((&number, file)) = data.split_first() else { return };
    let mode = Mode::of(number, true);
    let mark_places = [MarkPlaces::Everywhere, MarkPlaces::Unmarked][usize::from(number >> 7)];
    let look_ahead = [None, Some(2)][usize::from(number >> 6 & 1)];
    for (model, language) in MARKS.iter() {
        let marked = |file: &[u8], step| {
            let (marks, language) = (MarkSet::USUAL, Some((*language).to_owned()));
            let options = mode
                .options()?
                .marks(marks)
                .mark_places(mark_places)
                .look_ahead(look_ahead)
                .in_language(language);
            mode.restored_with(kind, file, step, &*model.restorer, &options)
        };
        if kind.mark_form(None).is_err() {
            assert!(marked(file, usize::MAX).is_err(), "marks have no place");
            continue;
        }
        let once = marked(file, usize::MAX).expect("with lossy, every file is restored");
        let [dribbled, twice] = [marked(file, 1 + file.len() / 3), marked(&once, usize::MAX)];
        for (found, how) in [(dribbled, "in parts"), (twice, "twice")] {
            let found = found.expect("the file was read before");
            assert!(
                found == once,
                "marked {how} under {mode:?}, {:?} comes out {:?}, and once {:?}",
                String::from_utf8_lossy(file),
                String::from_utf8_lossy(&found),
                String::from_utf8_lossy(&once)
            );
        }
        if kind == Format::Text && mark_places == MarkPlaces::Unmarked && look_ahead.is_none() {
            let file = punctuated(file);
            let plain = |file: &[u8]| {
                let options = mode.options()?.in_language(Some((*language).to_owned()));
                mode.restored_with(kind, file, usize::MAX, &*model.restorer, &options)
            };
            let marked = marked(&file, usize::MAX).expect("it is text");
            for (found, how) in
                [(plain(&file), "restored without marks"), (plain(&marked), "and then without")]
            {
                let found = found.expect("it is text");
                assert!(
                    found == marked,
                    "{how} under {mode:?}, {:?} comes out {:?}, and with marks {:?}",
                    String::from_utf8_lossy(&file),
                    String::from_utf8_lossy(&found),
                    String::from_utf8_lossy(&marked)
                );
            }
        }
        // A word with times has its marks in a field of its own.
        if !matches!(kind, Format::Jsonl | Format::WhisperJson) {
            let letters =
                |file: &[u8]| mode.folded(file).chars().filter(|c| c.is_alphanumeric()).collect::<String>();
            assert_eq!(letters(&once), letters(file), "letters change");
        }
    }
}

/// Returns the lines of any bytes with so many marks that the text has its punctuation everywhere.
fn punctuated(file: &[u8]) -> Vec<u8> {
    /// The largest number of words between two full stops.
    const LONGEST: usize = 6;
    const SENTENCES: &str = "we met the us, and left. who told us? it was late.\n";
    let mut text = SENTENCES.to_owned();
    for line in String::from_utf8_lossy(file).lines() {
        for words in line.split(' ').collect::<Vec<_>>().chunks(LONGEST) {
            text.extend([&*words.join(" "), " so it was. "]);
        }
        text.push('\n');
    }
    (text + SENTENCES).into_bytes()
}

/// Streams the file as live records and checks them.
fn captions(kind: Format, mode: Mode, file: &[u8]) {
    let mode = Mode { case: Capitalized::Ignore, ..mode };
    let restored = |step: usize| {
        let options = mode.options().expect("the spellings are right");
        let flow = stream_as("text", kind, CONTEXT.restorer.clone(), options);
        let (mut flow, mut out) = (flow.expect("the format has records"), Vec::new());
        for part in file.chunks(step) {
            flow.push(part, &mut out).expect("with lossy, every record is restored");
            if step == 5 {
                flow.now(&mut out).expect("the method answers");
            }
            let shown = [&*out, &flow.tail().expect("the method answers")].concat();
            assert!(shown.len() >= out.len() && out.len() <= 2 * file.len(), "more than case changed");
        }
        flow.finish(&mut out).expect("with lossy, every record is restored");
        assert_only_case_changed(&unescaped(kind, file), &unescaped(kind, &out), mode.locale);
        out
    };
    let whole = restored(file.len().max(1));
    assert!(restored(1 + file.len() / 3) == whole, "{:?} depends on its cuts", String::from_utf8_lossy(file));
    restored(5);
}

/// Returns a JSON file with its escapes replaced by their letters, and any other file as it is.
fn unescaped(kind: Format, file: &[u8]) -> Vec<u8> {
    if !matches!(kind, Format::Jsonl | Format::WhisperJson) {
        return file.to_vec();
    }
    let (mut out, mut at) = (Vec::new(), 0);
    while let Some(&b) = file.get(at) {
        let unit = |at: usize| {
            let hex = file.get(at + 2..at + 6).filter(|_| file[at..].starts_with(b"\\u"))?;
            u16::from_str_radix(str::from_utf8(hex).ok()?, 16).ok()
        };
        let decoded = |units: &[u16]| char::decode_utf16(units.iter().copied()).next()?.ok();
        let (c, len) = match (unit(at), unit(at + 6)) {
            (None, _) => (None, 0),
            (Some(one), two) => match (decoded(&[one]), two) {
                (None, Some(two)) => (decoded(&[one, two]), 12),
                (c, _) => (c, 6),
            },
        };
        if let Some(c) = c {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            at += len;
            continue;
        }
        // The byte after a backslash belongs to the escape.
        let len = if b == b'\\' { 2.min(file.len() - at) } else { 1 };
        out.extend_from_slice(&file[at..at + len]);
        at += len;
    }
    out
}

/// Reads any bytes as a packed model, as its manifest and as its words: an error, or a
/// model that changes only case.
///
/// # Panics
/// If the law is broken.
pub fn model(data: &[u8]) {
    if let Ok(store) = Packed::open("fuzz", Bytes::Owned(data.into())) {
        let _ = store.check();
        use_model(&store);
    }
    let _ = Manifest::read(data, "fuzz");
    if let Ok(table) = CaseTable::open(Bytes::Owned(data.into())) {
        let _ = (table.get("lisbon"), table.get(""), table.get("jean-paul"));
    }
    // A store without checksums lets altered words through.
    use_model(&Altered { manifest: &MODEL.manifest, words: Bytes::Owned(data.into()) });
}

/// Alters a section of a model of any method, or its manifest, and recomputes the checksums. The result must be an
/// error, or a model that changes only case and inserts marks. The first byte chooses the model, the second the
/// section; with its highest bit the rest replaces the section, and without it the rest is changes to it, each a
/// position in three bytes and a byte. Returns true if the model restores.
///
/// # Panics
/// If a law is broken.
pub fn sections(data: &[u8]) -> bool {
    let &[model, section, ref change @ ..] = data else { return false };
    let (manifest, sections) = &SECTIONED[usize::from(model) % SECTIONED.len()];
    let Some(draft) = altered(manifest, sections, section, change) else { return false };
    let store = Packed::open("fuzz", draft.pack().into());
    match store.and_then(|store| every_method().load(&store, &Backend::default())) {
        Ok(model) => use_sections(&model),
        Err(error) => {
            assert_is_clear(&error);
            false
        }
    }
}

/// Returns the model with one section changed; `None` if its manifest is no longer valid.
fn altered(manifest: &Manifest, sections: &[Section], section: u8, change: &[u8]) -> Option<Draft> {
    let mut manifest_bytes = serde_json::to_vec(manifest).expect("a manifest has string keys only");
    let mut sections = sections.to_vec();
    let chosen = usize::from(section & 0x7f) % (sections.len() + 1);
    let bytes = sections.get_mut(chosen).map_or(&mut manifest_bytes, |(_, bytes)| bytes);
    if section & 0x80 != 0 {
        *bytes = change.to_vec();
    } else {
        for &[low, middle, high, byte] in change.as_chunks::<4>().0 {
            let at = u32::from_le_bytes([low, middle, high, 0]) as usize;
            let len = bytes.len().max(1);
            bytes.get_mut(at % len).into_iter().for_each(|place| *place = byte);
        }
    }
    Some(Draft::new(serde_json::from_slice(&manifest_bytes).ok()?, sections))
}

/// Checks that an error names the remedy only once. Programs print it as one line, whatever names it holds.
fn assert_is_clear(error: &Error) {
    let error = error.to_string();
    let advices = error.split(": ").filter(|part| part.contains(" again")).count();
    assert!(advices <= 1, "{error}");
}

/// The methods whose models can be loaded without a library of tensors.
fn every_method() -> Methods {
    Methods::default().with(majuscule_methods::network::bert::METHOD).with(majuscule_fst::ngram::METHOD)
}

/// Restores a text by a model, also with marks, live, and with several results. Returns false if the
/// model fails.
fn use_sections(model: &Model) -> bool {
    const TEXT: &str = "the ministers met in lisbon, who said jean-paul o'neill 12 \u{e7}a \u{200b} iphone?\nel ministro lleg\u{f3} por qu\u{e9}";
    let text = [TEXT, " ", &"long".repeat(80), " mcdonald"].concat();
    let mode = Mode { locale: model.manifest.locale, ..Mode::of(0, false) };
    let plain = mode.options().expect("the spellings are right");
    // No marks are requested from a model without marks.
    let marks = MarkSet::USUAL.and(model.restorer.labels().marks());
    let marked = plain.clone().marks(marks);
    let threshold = model.restorer.has_probabilities().then_some(0.5);
    let mark_threshold = threshold.filter(|_| !marks.is_empty());
    let certain = marked.clone().mark_threshold(mark_threshold).threshold(threshold);
    let live = marked.clone().look_ahead(Some(1));
    let form = if threshold.is_some() { OutputForm::Json } else { OutputForm::Text };
    let words = marked.clone().form(form);
    for (number, options) in [&plain, &marked, &certain, &live, &words].into_iter().enumerate() {
        let restored =
            mode.restored_with(Format::Text, text.as_bytes(), usize::MAX, &*model.restorer, options);
        let restored = match restored {
            Ok(restored) => restored,
            Err(error) => {
                assert_is_clear(&error);
                return false;
            }
        };
        let letters =
            |text: &[u8]| mode.folded(text).chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        match number {
            0 => assert_only_case_changed(text.as_bytes(), &restored, mode.locale),
            4 if threshold.is_some() => {
                assert!(!String::from_utf8_lossy(&restored).contains("null"), "a probability is none")
            }
            _ => assert_eq!(letters(&restored), letters(text.as_bytes()), "letters change"),
        }
    }
    let _ = n_best(b"the ministers met o'neill", &*model.restorer, 3, &plain);
    if let Some(details) = model.restorer.details() {
        let _ = (details.knows("lisbon"), details.layer_weights());
    }
    true
}

/// The models whose sections are altered.
static SECTIONED: LazyLock<Vec<(Manifest, Vec<Section>)>> = LazyLock::new(|| {
    let punctuation = MarkOptions::of(MarkSet::from_iter(Mark::WRITTEN));
    let language = hmm::LanguageAndMap { punctuation, ..hmm::LanguageAndMap::default() };
    let ngram = |arcs| NgramConfig { language: language.clone(), arcs, ..NgramConfig::default() };
    let drafts = [
        draft(),
        trained_on(
            MARKED,
            "es",
            &maxent::MaxentConfig { bits: 10, punctuation, ..maxent::MaxentConfig::default() },
        ),
        trained_on(MARKED, "es", &hmm::HmmConfig { language: language.clone(), ..hmm::HmmConfig::default() }),
        trained_on(MARKED, "es", &ngram(BackOff::Failure)),
        trained_on(MARKED, "es", &ngram(BackOff::Epsilon)),
        toy_network::whole(),
        toy_network::in_bytes(),
    ];
    drafts.into_iter().map(parts).collect()
});

/// Returns the manifest and the sections of a model.
fn parts(draft: Draft) -> (Manifest, Vec<Section>) {
    let store = Packed::open("fuzz", draft.pack().into()).expect("it was packed");
    let manifest = store.manifest().clone();
    let section = |name: &String| store.section(name).expect("it was packed").to_vec();
    let sections = manifest.files.iter().map(|file| (file.name.clone(), section(&file.name))).collect();
    (manifest, sections)
}

/// Returns the section of each model that [`sections`] alters, in the form of its input, from which
/// mutations begin: the numbers of the model and of the section, and its bytes.
pub fn whole_sections() -> Vec<Vec<u8>> {
    let of_model = |(model, (manifest, sections)): (usize, &(Manifest, Vec<Section>))| {
        let manifest = serde_json::to_vec(manifest).expect("a manifest has string keys only");
        let all = sections.iter().map(|(_, bytes)| bytes.clone()).chain([manifest]);
        let all =
            all.enumerate().map(|(section, bytes)| [&[model as u8, 0x80 | section as u8], &*bytes].concat());
        all.collect::<Vec<_>>()
    };
    SECTIONED.iter().enumerate().flat_map(of_model).collect()
}

/// Reads any bytes as a lexicon or list in every format: an error, or a lexicon that stays the same
/// when it is written and read again.
///
/// # Panics
/// If the law is broken.
pub fn lexicon(data: &[u8]) {
    use lexicon::read::{LexiconFormat, LexiconReadConfig, parse, read_bytes};
    for format in [
        None,
        Some(LexiconFormat::Tsv),
        Some(LexiconFormat::Moses),
        Some(LexiconFormat::Map),
        Some(LexiconFormat::List),
    ] {
        let config = LexiconReadConfig {
            format,
            phrases: data.len().is_multiple_of(2),
            ..LexiconReadConfig::default()
        };
        let Ok(lexicon) = read_bytes(data, &config) else { continue };
        let mut written = Vec::new();
        lexicon::tsv::write(&lexicon, &mut written).expect("memory takes all");
        let again = parse(&written).unwrap_or_else(|error| panic!("{error}, in what was written"));
        assert!(again == lexicon, "written and read again, the lexicon is another");
    }
}

/// Reads any bytes as a language model in the ARPA format: an error, or a model that scores any
/// words and stays the same when it is written and read again, as ARPA and as a binary.
///
/// # Panics
/// If the law is broken.
pub fn arpa(data: &[u8]) {
    let Ok(model) = NgramModel::read("fuzz", data.to_vec()) else { return };
    // The numbers of a binary may be anything.
    if model.check().is_err() {
        return;
    }
    use_language_model(&model);
    let written = |model: &NgramModel| {
        let mut text = Vec::new();
        arpa::write(model, &mut text).expect("memory can be written");
        text
    };
    let text = written(&model);
    let again = NgramModel::read("fuzz", text.clone()).expect("what was written can be read");
    assert!(written(&again) == text, "{:?} is read otherwise", String::from_utf8_lossy(&text));
    let mut bytes = Vec::new();
    binary::write(&model, &mut bytes).expect("memory can be written");
    let again = NgramModel::read("fuzz", bytes).expect("what was written can be read");
    again.check().expect("the checksum was written with it");
    assert_eq!(written(&again), text, "the binary is read otherwise");
}

/// Reads any bytes as a binary language model: an error, or a model that scores
/// any words in finite time.
///
/// # Panics
/// If an altered number causes a panic.
pub fn binary(data: &[u8]) {
    if let Ok(model) = NgramModel::read("fuzz", data.to_vec()) {
        use_language_model(&model);
        for order in 1..=model.order() {
            model.for_each(order, &mut |words, _, _| {
                let _ = words.iter().map(|&word| model.vocabulary().word(word).len()).sum::<usize>();
            });
        }
        let _ = majuscule_train::lm::prune::prune(&model, 1e-3);
    }
}

fn use_language_model(model: &NgramModel) {
    let words: Vec<_> = model.vocabulary().iter().chain(["no word"]).take(100).collect();
    let scorer = model.scorer();
    let _ = scorer.sentence(words.iter().copied());
    let from: Vec<_> = words.iter().map(|word| (scorer.start(), model.vocabulary().id(word))).collect();
    let mut steps = vec![ScoredWord { log10: 0.0, state: NgramState::EMPTY }; from.len()];
    scorer.steps(&from, &mut steps);
    for ((state, word), step) in from.into_iter().zip(steps) {
        let alone = scorer.step(state, word);
        let same = alone.log10 == step.log10 || alone.log10.is_nan() && step.log10.is_nan();
        assert!(same && alone.state == step.state, "{alone:?} alone, {step:?} beside others");
    }
}

/// Reads any bytes as a file of counts: an error, or counts that stay the same when they are written and read again. A
/// model is trained on the counts, or an error states the reason for failure.
///
/// # Panics
/// If the law is broken.
pub fn counts(data: &[u8]) {
    let memory = Memory::unlimited();
    let open = |bytes: &[u8]| TrainingText::of_bytes("fuzz", bytes.to_vec(), &memory);
    let written = |text: TrainingText| {
        let (order, mut bytes) = (text.order().unwrap_or_default(), Vec::new());
        let refused = |error| Error::io("write", "memory", error);
        text.write_counts(order, &mut bytes, &refused, &mut |_| Ok(())).map(|()| (order, bytes))
    };
    let Ok((order, once)) = open(data).and_then(written) else { return };
    let (_, twice) = open(&once).and_then(written).expect("what was written can be read");
    assert!(once == twice, "written twice, counts differ");
    let text = open(data).expect("it was read before");
    let config = majuscule_train::lm::kneser_ney::KneserNeyConfig {
        order,
        smoothing: Smoothing::WittenBell,
        ..Default::default()
    };
    if let Ok(model) = text.train(&config, &mut |_| Ok(())) {
        let _ = model.scorer().sentence(model.vocabulary().iter().take(100));
    }
}

/// Reads any bytes as a corpus and as utterances to be scored, and checks that sentences come in order and times are finite.
fn sentences(format: Format, data: &[u8]) {
    let reading = Reading { format, language: Some("en".to_owned()), ..Reading::default() };
    let corpus = Corpus::of_bytes(data, reading, Protocol::default(), Locale::Root);
    let mut last = 0;
    let read = corpus.for_each_sentence(&mut |sentence| {
        assert!(!sentence.text.trim().is_empty(), "a sentence is empty");
        assert!(sentence.line >= last, "line {} comes after line {last}", sentence.line);
        last = sentence.line;
        Ok(())
    });
    // Input that looks compressed has no lines yet.
    let is_text = str::from_utf8(data).is_ok() && data.get(1..4) != Some(b"*M\x18");
    // Input that begins like another kind of file has no lines either.
    let input = || Input::uncompressed("data", Cursor::new(data.to_vec()));
    if let Err(Error::Input { location, problem }) = read {
        let is_refused = refuse_binary(&mut input(), None).is_err();
        assert!(location.line.is_some() || !is_text || is_refused, "{location}: {}", problem.text());
    }
    let (Ok(mut records), mut record) = (format.records(input(), None), Record::default()) else { return };
    while let Ok(true) = records.next(&mut record) {
        if let Ok(Some(Utterance { times: Some((begin, end)), .. })) = records.utterance() {
            assert!(begin.is_finite() && end.is_finite(), "from {begin} to {end} in line {}", record.line);
        }
    }
}

/// Aligns two sequences of any bytes, separated by 0xff, and checks that the edits turn one into
/// the other and are as few as in the plain matrix.
///
/// # Panics
/// If the law is broken.
pub fn align(data: &[u8]) {
    let middle = data.iter().position(|&b| b == 0xff).unwrap_or(data.len() / 2);
    let (one, other) = data.split_at(middle);
    let [reference, hypothesis] =
        [one, other].map(|side| side.iter().map(|&b| u32::from(b)).collect::<Vec<_>>());
    let (mut i, mut j, mut errors) = (0, 0, 0);
    for edit in align::align(&reference, &hypothesis) {
        match edit {
            Edit::Match => assert_eq!(reference[i], hypothesis[j]),
            Edit::Substitute => assert_ne!(reference[i], hypothesis[j]),
            Edit::Delete | Edit::Insert => {}
        }
        i += usize::from(edit != Edit::Insert);
        j += usize::from(edit != Edit::Delete);
        errors += usize::from(edit != Edit::Match);
    }
    assert_eq!((i, j), (reference.len(), hypothesis.len()), "some words are not aligned");
    assert_eq!(errors, distance(&reference, &hypothesis), "there are fewer edits");
}

/// Returns the plain edit distance; the matrix is filled row by row.
fn distance(reference: &[u32], hypothesis: &[u32]) -> usize {
    let mut row: Vec<usize> = (0..=hypothesis.len()).collect();
    for (i, word) in reference.iter().enumerate() {
        let mut before = std::mem::replace(&mut row[0], i + 1);
        for (j, other) in hypothesis.iter().enumerate() {
            let replaced = before + usize::from(word != other);
            before = row[j + 1];
            row[j + 1] = replaced.min(before + 1).min(row[j] + 1);
        }
    }
    row[hypothesis.len()]
}

/// Returns a file of counts, from which mutations begin.
///
/// # Panics
/// Never.
pub fn counted() -> Vec<u8> {
    let corpus = Corpus::of_text(TEXT, Reading::default(), Protocol::Text, Locale::Root);
    let text = TrainingText::read(&corpus, WordUnits::Words, NonZeroUsize::MIN, &Memory::unlimited());
    let (mut bytes, refused) = (Vec::new(), |error| Error::io("write", "memory", error));
    let written = text.and_then(|text| text.write_counts(3, &mut bytes, &refused, &mut |_| Ok(())));
    written.expect("the text has words, and memory can be written");
    bytes
}

/// Returns a small packed model, from which mutations begin.
pub fn packed() -> Vec<u8> {
    draft().pack()
}

/// Returns only the words of that model.
pub fn words() -> Vec<u8> {
    MODEL_STORE.section("words.bin").expect("every model of majority has it").to_vec()
}

static MODEL_STORE: LazyLock<Packed> =
    LazyLock::new(|| Packed::open("fuzz", Bytes::Owned(packed().into())).expect("it was packed"));

static MODEL: LazyLock<Model> = LazyLock::new(|| load(&*MODEL_STORE).expect("it was trained"));

/// A model that depends on the words around a word.
static CONTEXT: LazyLock<Model> = LazyLock::new(|| {
    let draft = trained(&hmm::HmmConfig::default());
    let store = Packed::open("fuzz", Bytes::Owned(draft.pack().into())).expect("it was packed");
    load(&store).expect("it was trained")
});

/// Models with marks, and their languages: two that decide marks from left to right, the second with
/// openings, and one that searches.
static MARKS: LazyLock<[(Model, &str); 3]> = LazyLock::new(|| {
    let punctuation = MarkOptions::of(MarkSet::USUAL);
    let language = hmm::LanguageAndMap { punctuation, ..hmm::LanguageAndMap::default() };
    let maxent = maxent::MaxentConfig { bits: 12, punctuation, ..maxent::MaxentConfig::default() };
    [
        (trained(&maxent), "en"),
        (trained_on(SPANISH, "es", &maxent), "es"),
        (trained(&hmm::HmmConfig { language, ..hmm::HmmConfig::default() }), "en"),
    ]
    .map(|(draft, language)| {
        let store = Packed::open("fuzz", Bytes::Owned(draft.pack().into())).expect("it was packed");
        (load(&store).expect("it was trained"), language)
    })
});

fn draft() -> Draft {
    trained(&MajorityConfig::default())
}

fn trained(learner: &dyn Learner) -> Draft {
    trained_on(TEXT, "en", learner)
}

fn trained_on(text: &str, language: &str, learner: &dyn Learner) -> Draft {
    let reading = Reading { language: Some(language.to_owned()), ..Reading::default() };
    let corpus = Corpus::of_text(text, reading, Protocol::default(), Locale::Root);
    train(learner, &corpus, Vec::new(), NonZeroUsize::MIN, &mut |_| {}).expect("the text is cased")
}

/// The options for restoring a text.
#[derive(Debug, Clone, Copy)]
struct Mode {
    locale: Locale,
    case: Capitalized,
    start: SentenceStart,
    words: bool,
    lossy: bool,
}

impl Mode {
    fn of(number: u8, lossy: bool) -> Self {
        let three = |by: u8| usize::from(number / by % 3);
        Self {
            locale: [Locale::Root, Locale::Turkic, Locale::Dutch][three(1)],
            case: [Capitalized::Auto, Capitalized::Keep, Capitalized::Ignore][three(3)],
            start: [SentenceStart::Auto, SentenceStart::Always, SentenceStart::Never][three(9)],
            words: number / 27 % 2 == 1,
            lossy,
        }
    }

    fn options(self) -> Result<RestoreOptions> {
        let words = if self.words { WORDS } else { "" };
        Ok(RestoreOptions::default()
            .in_locale(Some(self.locale))
            .in_language(Some("en".to_owned()))
            .capitalized(self.case)
            .spellings(Spellings::read(words.as_bytes(), "words", self.locale)?)
            .sentence_start(self.start)
            .lossy(self.lossy))
    }

    /// Streams the parts, each with true if the pending words are forced out after it, and then the
    /// end. Returns the output, and the number of bytes that came before the end was known.
    fn streamed<'a>(
        self,
        parts: impl IntoIterator<Item = (&'a [u8], bool)>,
        look_ahead: usize,
        method: &Arc<dyn Restorer>,
    ) -> (Vec<u8>, usize) {
        let options = self.options().expect("the spellings are right");
        let stream = Stream::new("text", method.clone(), options.look_ahead(Some(look_ahead)));
        let mut stream = stream.expect("text can be streamed");
        let (mut taken, mut out) = (Vec::new(), Vec::new());
        for (part, stops) in parts {
            stream.push(part, &mut out).expect("with lossy, every text is restored");
            taken.extend_from_slice(part);
            if stops {
                stream.now(&mut out).expect("the method answers");
            }
            let tail = stream.tail().expect("the method answers");
            assert_eq!(self.folded(&[&*out, &tail].concat()), self.folded(&taken), "more than case changed");
        }
        let came = out.len();
        stream.finish(&mut out).expect("with lossy, every text is restored");
        assert_eq!(self.folded(&out), self.folded(&taken), "more than case changed");
        (out, came)
    }

    fn folded(self, text: &[u8]) -> String {
        folded(&String::from_utf8_lossy(text), self.locale)
    }

    fn restored(self, text: &[u8], method: &dyn Restorer) -> Result<Vec<u8>> {
        self.restored_as(Format::Text, text, usize::MAX, method)
    }

    /// Restores a file that arrives in parts of `step` bytes.
    fn restored_as(self, kind: Format, text: &[u8], step: usize, method: &dyn Restorer) -> Result<Vec<u8>> {
        self.restored_with(kind, text, step, method, &self.options()?)
    }

    fn restored_with(
        self,
        kind: Format,
        text: &[u8],
        step: usize,
        method: &dyn Restorer,
        options: &RestoreOptions,
    ) -> Result<Vec<u8>> {
        let input = Input::uncompressed("text", Dribble::new(text, step));
        let mut out = Vec::with_capacity(text.len());
        restore(kind, input, method, options, &mut |bytes, _| {
            out.extend_from_slice(bytes);
            Ok(())
        })?;
        Ok(out)
    }
}

/// A reader that returns at most `step` bytes at a time.
pub struct Dribble {
    bytes: Cursor<Vec<u8>>,
    step: usize,
}

impl Dribble {
    pub fn new(bytes: &[u8], step: usize) -> Self {
        Self { bytes: Cursor::new(bytes.to_vec()), step }
    }
}

impl Read for Dribble {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let len = self.step.min(out.len());
        self.bytes.read(&mut out[..len])
    }
}

/// Returns a text without its case. The form of a sigma depends on the end of its word, which the text alone does not
/// show: a word may continue after a tag, or end early. So the forms are made equal.
fn folded(text: &str, locale: Locale) -> String {
    locale.lower(text).replace('ς', "σ")
}

fn assert_only_case_changed(before: &[u8], after: &[u8], locale: Locale) {
    let (mut old, mut new) = (before.utf8_chunks(), after.utf8_chunks());
    loop {
        let (old, new) = match (old.next(), new.next()) {
            (Some(old), Some(new)) => (old, new),
            (None, None) => return,
            _ => panic!("{:?} became {:?}", String::from_utf8_lossy(before), String::from_utf8_lossy(after)),
        };
        assert_eq!(folded(new.valid(), locale), folded(old.valid(), locale), "more than case changed");
        // A small sigma may become a capital, and never the other small one.
        let mut letters = old.valid().chars().zip(new.valid().chars());
        let turned = letters.find(|&(old, new)| matches!(old, 'σ' | 'ς') && new != old && new != 'Σ');
        assert_eq!(turned, None, "a sigma changed its form");
        assert_eq!(new.invalid(), old.invalid(), "bytes that are no text changed");
    }
}

/// A store whose words may be any bytes.
struct Altered<'a> {
    manifest: &'a Manifest,
    words: Bytes,
}

impl Store for Altered<'_> {
    fn name(&self) -> &str {
        "fuzz"
    }

    fn manifest(&self) -> &Manifest {
        self.manifest
    }

    fn section(&self, _: &str) -> Result<Bytes> {
        Ok(self.words.clone())
    }
}

fn use_model(store: &dyn Store) {
    let Ok(Model { manifest, restorer }) = load(store) else { return };
    let text = TEXT.to_lowercase();
    let mode = Mode { locale: manifest.locale, ..Mode::of(0, false) };
    let restored = mode.restored(text.as_bytes(), &*restorer).expect("a method that needs no device answers");
    assert_only_case_changed(text.as_bytes(), &restored, mode.locale);
}
