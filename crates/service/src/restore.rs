//! `POST /v1/restore`: restores texts in JSON, or a file, which comes back in its format.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{CONTENT_LANGUAGE, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use majuscule::{Encoding, Error, Format, Interrupt, ModelPool, OffsetUnit, RestoredFile};
use majuscule_base::named::NamedValue;
use majuscule_convert::Conversion;
use majuscule_restore::pool::detected_format;
use serde_json::json;

use crate::answer::{self, RestoreAnswer};
use crate::body::{self, WholeBody};
use crate::convert;
use crate::fields::{Fields, TimedWord, read_words};
use crate::file::{self, AnswerWriter, GivenFile};
use crate::media;
use crate::multipart::{self, FilePart};
use crate::problem::{ApiError, worded_notes};
use crate::request::{ChosenRestorer, RestoreRequest};
use crate::spool::Spool;
use crate::state::Service;

/// The name of a text in notes and errors, unless the client names it.
const NAME: &str = "the text";

/// The maximum size in bytes of the list of spellings in the URL of a request whose body is the file itself.
const LONGEST_LIST: usize = 16 << 10;

/// The texts to restore.
enum Given {
    Text(String),
    Texts(Vec<String>),
    /// Words with their times.
    Words(Vec<TimedWord>),
}

/// Restores a text.
pub async fn restore(State(service): State<Arc<Service>>, request: Request) -> Result<Response, ApiError> {
    let (mut query, request) = Fields::of_query(request).await?;
    let is_json = media::named(request.headers()).is_some_and(|named| named == "application/json");
    let is_file = ["format", "to", "response_format"].into_iter().any(|name| query.has(name));
    if is_json && !is_file {
        let unit = query.named::<OffsetUnit>("offsets")?.unwrap_or_default();
        query.finish()?;
        let body = body::read(&service, request.into_body(), service.options.json_limit).await?;
        return restore_json(&service, body, unit).await;
    }
    if multipart::is_form(request.headers()) {
        let (FilePart { name, format, body }, mut query) = multipart::read(&service, request, query).await?;
        let file = FileOptions::read(&mut query, name, || Ok(format), usize::MAX)?;
        query.finish()?;
        return restore_file(&service, Spool::of_whole(&service, body), file).await;
    }
    let file = FileOptions::read(&mut query, None, || media::format(request.headers()), LONGEST_LIST)?;
    query.finish()?;
    let given = Spool::receive(&service, request.into_body()).await?;
    restore_file(&service, given, file).await
}

/// Restores the texts in a body of JSON. The JSON is parsed in the queue as well, where it delays no other request.
async fn restore_json(service: &Service, body: WholeBody, unit: OffsetUnit) -> Result<Response, ApiError> {
    let (pool, mut out) = (Arc::clone(&service.pool), Spool::new(service, "the answer"));
    let work = move |interrupt| {
        let answer = answer_json(body, unit, &pool, interrupt)?;
        // A long answer is kept on disk until its client reads it.
        let written = serde_json::to_writer(&mut out, &answer);
        written.map_err(|error| Error::io("write", "the answer", error.into()))?;
        Ok(out)
    };
    let answer = service.queue.run(work).await?;
    Ok(([(CONTENT_TYPE, "application/json")], answer.into_body()?).into_response())
}

fn answer_json(
    mut body: WholeBody,
    unit: OffsetUnit,
    pool: &ModelPool,
    interrupt: Interrupt,
) -> Result<RestoreAnswer, ApiError> {
    body.hold_words()?;
    let mut fields = Fields::of_body(&body.bytes)?;
    let given = Given::read(&mut fields)?;
    let request = RestoreRequest::read(&mut fields)?.with_spellings(&mut fields)?;
    let with_confidence = fields.flag("confidence")?.unwrap_or(true);
    fields.finish()?;
    let chosen = request.choose(pool, &given.whole(), interrupt)?;
    Ok(answer(chosen, given, unit, with_confidence)?)
}

/// Restores the texts in JSON.
fn answer(
    chosen: ChosenRestorer,
    given: Given,
    unit: OffsetUnit,
    with_confidence: bool,
) -> majuscule::Result<RestoreAnswer> {
    let ChosenRestorer { restorer, options, .. } = &chosen;
    let mut answer = RestoreAnswer::default();
    match given {
        Given::Texts(texts) => {
            let restored = restorer.restore_all(&texts, NonZeroUsize::MIN);
            answer.texts = Some(restored.into_iter().collect::<majuscule::Result<_>>()?);
        }
        Given::Text(text) => {
            let words = restorer.words(&text)?;
            answer.restored = Some(answer::of_text(&text, &words, options, unit));
            answer.offsets = Some(unit.name_of());
        }
        Given::Words(given) => {
            let words: Vec<&str> = given.iter().map(|(word, _)| &**word).collect();
            let words = restorer.restore_words(&words)?;
            answer.restored = Some(answer::of_words(given, &words, options));
        }
    }
    if let Some(restored) = answer.restored.as_mut().filter(|_| !with_confidence) {
        restored.drop_confidences();
    }
    answer.notes = worded_notes(&chosen.notes, NAME);
    (answer.language, answer.model, answer.version) =
        (chosen.language, chosen.model, env!("CARGO_PKG_VERSION"));
    Ok(answer)
}

impl Given {
    fn read(fields: &mut Fields) -> Result<Self, ApiError> {
        let named = ["text", "texts", "words"].into_iter().filter(|name| fields.has(name)).count();
        let text = fields.text("text")?.map(Self::Text);
        let texts = fields.texts("texts")?.map(Self::Texts);
        let words = fields.list("words")?.map(|words| read_words(words, fields)).transpose()?;
        let words = words.map(Self::Words);
        match text.or(texts).or(words) {
            Some(given) if named == 1 => Ok(given),
            Some(_) => {
                Err(ApiError::bad("the body has more than one of text, texts and words: send one of them"))
            }
            None => Err(ApiError::bad("the body has nothing to restore: send text, texts or words")),
        }
    }

    /// Returns all text, for language detection.
    fn whole(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Texts(texts) => texts.join("\n"),
            Self::Words(words) => words.iter().map(|(word, _)| &**word).collect::<Vec<_>>().join(" "),
        }
    }
}

/// A file and the options for its restoration.
struct FileOptions {
    name: String,
    format: Format,
    encoding: Option<Encoding>,
    field: Option<String>,
    output: Conversion,
    request: RestoreRequest,
}

impl FileOptions {
    /// Reads the parameters of a file; `name` and `format` are the defaults for its name and its format. The list of
    /// spellings has at most `longest` bytes.
    fn read(
        query: &mut Fields,
        name: Option<String>,
        format: impl FnOnce() -> Result<Format, ApiError>,
        longest: usize,
    ) -> Result<Self, ApiError> {
        let format = match query.named::<Format>("format")? {
            Some(format) => format,
            None => format()?,
        };
        Ok(Self {
            name: query.text("name")?.or(name).unwrap_or_else(|| NAME.to_owned()),
            format,
            encoding: encoding(query)?,
            field: query.text("field")?,
            output: convert::output(query)?,
            request: RestoreRequest::read(query)?.with_spelling_lines(query, longest)?,
        })
    }

    /// Restores the file to `out`, and converts it if another format is wanted. Returns the restored file and the
    /// notes of the conversion.
    fn restore(
        self,
        pool: &ModelPool,
        given: &GivenFile,
        out: &mut AnswerWriter<'_>,
    ) -> majuscule::Result<(RestoredFile, Vec<String>)> {
        let Self { name, format, encoding, field, output, request } = self;
        let (format, note) = match format {
            Format::Auto => {
                let (mut begin, _) = given.open(&name)?.decoded(encoding.clone(), None)?;
                detected_format(&mut begin)?
            }
            named => (named, None),
        };
        let conversion = Conversion { field: field.clone(), ..output }.after_restoring(format);
        let mut request = request.into_file(format, encoding, field);
        request.options.interrupt = out.interrupt();
        request.options.limits = given.limits;
        let mut restored = pool.restore_file(given.open(&name)?, &request, out)?;
        restored.notes.extend(note);
        let Some(mut conversion) = conversion else { return Ok((restored, Vec::new())) };
        conversion.interrupt = out.interrupt();
        conversion.set_language(request.language.tag(), &restored.language);
        let source = out.take(given);
        let (input, _) = source.open(&name)?.decoded(Some(restored.encoding), None)?;
        let notes = conversion.run(input, out, Path::new("the answer"))?;
        (restored.format, restored.encoding) = (conversion.to, Encoding::Utf8);
        Ok((restored, convert::worded_notes(notes)))
    }
}

/// Reads the encoding of a file.
pub fn encoding(query: &mut Fields) -> Result<Option<Encoding>, ApiError> {
    let named = query.text("encoding")?.map(|name| name.parse::<Encoding>());
    named.transpose().map_err(|problem| ApiError::field("encoding", format!("`encoding`: {problem}")))
}

async fn restore_file(service: &Service, given: Spool, file: FileOptions) -> Result<Response, ApiError> {
    let pool = Arc::clone(&service.pool);
    let (name, held) = (file.name.clone(), convert::held(&file.output, file.format));
    let work = move |given: &GivenFile, out: &mut AnswerWriter<'_>| file.restore(&pool, given, out);
    let (out, (restored, converted)) = file::answer(service, given, held, work).await?;
    let RestoredFile { format, language, encoding, notes, .. } = restored;
    let kind = match &encoding {
        Encoding::Utf8 => media::content_type(format),
        other => media::content_type(format).replace("utf-8", &other.name().to_ascii_lowercase()),
    };
    let notes = header_value(&[worded_notes(&notes, &name), converted].concat());
    let headers = [
        (CONTENT_TYPE.as_str(), kind),
        (CONTENT_LANGUAGE.as_str(), language),
        ("majuscule-format", format.name_of().to_owned()),
        ("majuscule-notes", notes),
    ];
    Ok((headers, out.into_body()?).into_response())
}

/// Writes notes as a JSON list that contains only ASCII characters, as headers require.
pub fn header_value(notes: &[String]) -> String {
    let json = json!(notes).to_string();
    let mut units = [0; 2];
    let escape = |c: char| match c {
        ' '..='~' => c.to_string(),
        c => c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
    };
    json.chars().map(escape).collect()
}
