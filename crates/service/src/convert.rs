//! `POST /v1/convert`: a file in another format.

use std::path::Path;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use majuscule::{Encoding, Format, Interrupt};
use majuscule_base::named::NamedValue;
use majuscule_convert::{Conversion, CueCut, CueLimits};

use crate::body;
use crate::fields::Fields;
use crate::file::{self, AnswerWriter, CUE_WORDS, GivenFile, HeldPart};
use crate::media;
use crate::multipart::{self, FilePart};
use crate::problem::{ApiError, field_name};
use crate::restore::{encoding, header_value};
use crate::spool::Spool;
use crate::state::Service;

/// Converts a file.
pub async fn convert(State(service): State<Arc<Service>>, request: Request) -> Result<Response, ApiError> {
    let (query, request) = Fields::of_query(request).await?;
    if let Some(boundary) = multipart::boundary(request.headers())? {
        let body = body::read(&service, request.into_body(), service.options.input_limit).await?;
        let (FilePart { name, format, body }, query) = multipart::read(boundary, body, query).await?;
        let given = Spool::of_whole(&service, body);
        return ConvertRequest::read(query, name, || Ok(format))?.run(&service, given).await;
    }
    let wanted = ConvertRequest::read(query, None, || media::format(request.headers()))?;
    let given = Spool::receive(&service, request.into_body()).await?;
    wanted.run(&service, given).await
}

/// A conversion of a file.
struct ConvertRequest {
    name: String,
    conversion: Conversion,
    encoding: Option<Encoding>,
}

impl ConvertRequest {
    /// Reads the parameters; the file has this name and format unless they say otherwise.
    fn read(
        mut query: Fields,
        name: Option<String>,
        format: impl FnOnce() -> Result<Format, ApiError>,
    ) -> Result<Self, ApiError> {
        let name = query.text("name")?.or(name).unwrap_or_else(|| "the file".to_owned());
        let from = match query.named::<Format>("from")?.filter(|from| *from != Format::Auto) {
            Some(from) => from,
            None => format()?,
        };
        // Clients of recognisers know it by the other name.
        let to = query.named::<Format>("to")?.or(query.named::<Format>("response_format")?);
        let Some(to) = to.filter(|to| *to != Format::Auto) else {
            return Err(ApiError::field(
                "to",
                "the parameter `to` is missing: name the format of the answer, such as vtt",
            ));
        };
        let cues = cue_limits(&mut query)?;
        let drop = query.flag("drop")?.unwrap_or(false);
        let field = query.text("field")?;
        let conversion = Conversion { from, to, field, drop, cues, interrupt: Interrupt::default() };
        let encoding = encoding(&mut query)?;
        query.finish()?;
        Ok(Self { name, conversion, encoding })
    }

    async fn run(self, service: &Service, given: Spool) -> Result<Response, ApiError> {
        let Self { name, mut conversion, encoding } = self;
        let to = conversion.to;
        let is_whole =
            to.info().is_whole() || conversion.from == Format::Auto || conversion.from.info().is_whole();
        let held = match conversion.cues {
            Some(_) => HeldPart::Cues,
            None if is_whole => HeldPart::Document,
            None => HeldPart::Lines,
        };
        let work = move |given: &GivenFile, out: &mut AnswerWriter<'_>| {
            let (mut input, _) = given.open(&name)?.decoded(encoding, None)?;
            if conversion.from == Format::Auto {
                conversion.from = Format::detect(&mut input)?.kind;
            }
            conversion.interrupt = out.interrupt();
            conversion.run(input, out, Path::new("the answer"))
        };
        let (out, notes) = file::answer(service, given, held, work).await?;
        let left_out = notes.left_out.map(|left| format!("left out: {left}"));
        let notes: Vec<String> = left_out.into_iter().chain(notes.cues).collect();
        let notes: Vec<String> =
            notes.iter().map(|note| majuscule_base::error::worded(note, field_name)).collect();
        let headers = [
            (CONTENT_TYPE.as_str(), media::content_type(to)),
            ("majuscule-format", to.name_of().to_owned()),
            ("majuscule-notes", header_value(&notes)),
        ];
        Ok((headers, out.into_body()?).into_response())
    }
}

/// Reads how speech is cut into new cues, if it is.
fn cue_limits(query: &mut Fields) -> Result<Option<CueLimits>, ApiError> {
    let cut = query.named::<CueCut>("cues")?;
    let usual = CueLimits::default();
    if cut.is_none()
        && let Some(name) = CUE_FIELDS.into_iter().find(|name| query.has(name))
    {
        return Err(ApiError::field(
            name,
            format!("`{name}` is for new cues: give `cues` with it, or leave it out"),
        ));
    }
    let mut seconds = |name, usual| {
        query.read(name, "a number", serde_json::Value::as_f64).map(|given| given.unwrap_or(usual))
    };
    let limits = CueLimits {
        max_seconds: seconds("max_seconds", usual.max_seconds)?,
        min_seconds: seconds("min_seconds", usual.min_seconds)?,
        max_cps: seconds("max_cps", usual.max_cps)?,
        max_chars: query.number("max_chars")?.unwrap_or(usual.max_chars),
        max_lines: query.number("max_lines")?.unwrap_or(usual.max_lines),
        language: query.text("lang")?,
        max_words: Some(CUE_WORDS),
    };
    Ok(cut.map(|CueCut::Sentence| limits))
}

/// The parameters of new cues.
const CUE_FIELDS: [&str; 6] = ["max_chars", "max_lines", "max_seconds", "min_seconds", "max_cps", "lang"];
