//! `POST /v1/convert`: a file in another format.

use std::path::Path;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use majuscule::{Encoding, Format};
use majuscule_base::error::worded;
use majuscule_base::named::NamedValue;
use majuscule_convert::{Conversion, ConversionNotes, is_cut_anew};
use majuscule_text::{Door, UserOption};

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
    if multipart::is_form(request.headers()) {
        let (FilePart { name, format, body }, query) = multipart::read(&service, request, query).await?;
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
    /// Reads the parameters; `name` and `format` are the defaults for the name and the format of the file.
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
        let mut output = output(&mut query)?;
        if output.to == Format::Auto {
            return Err(ApiError::field(
                "to",
                "the parameter `to` is missing: name the format of the answer, such as vtt",
            ));
        }
        if let Some(language) = query.text("lang")? {
            output.set_language(Some(&language), "");
        }
        let conversion = Conversion { from, field: query.text("field")?, ..output };
        let encoding = encoding(&mut query)?;
        query.finish()?;
        Ok(Self { name, conversion, encoding })
    }

    async fn run(self, service: &Service, given: Spool) -> Result<Response, ApiError> {
        let Self { name, mut conversion, encoding } = self;
        let to = conversion.to;
        let held = HeldPart::of(&[conversion.from, to], conversion.cut.is_some());
        let work = move |given: &GivenFile, out: &mut AnswerWriter<'_>| {
            let (mut input, _) = given.open(&name)?.decoded(encoding, None)?;
            if conversion.from == Format::Auto {
                conversion.from = Format::detect(&mut input)?.kind;
            }
            conversion.interrupt = out.interrupt();
            conversion.run(input, out, Path::new("the answer"))
        };
        let (out, notes) = file::answer(service, given, held, work).await?;
        let headers = [
            (CONTENT_TYPE.as_str(), media::content_type(to)),
            ("majuscule-format", to.name_of().to_owned()),
            ("majuscule-notes", header_value(&worded_notes(notes))),
        ];
        Ok((headers, out.into_body()?).into_response())
    }
}

/// Reads the parameters of the output: its new cues, and its format; [`Format::Auto`] keeps the file's format.
pub fn output(query: &mut Fields) -> Result<Conversion, ApiError> {
    let mut output = Conversion::default();
    output.limits.max_words = Some(CUE_WORDS);
    for option in UserOption::at(Door::Service) {
        query.set(option, &mut output)?;
    }
    Ok(output)
}

/// Returns the part of a file in the format `from` that is held in memory while the file is restored and converted.
pub fn held(output: &Conversion, from: Format) -> HeldPart {
    let to = Some(output.to).filter(|to| *to != Format::Auto);
    let is_cut = to.is_some_and(|to| from == Format::Auto || is_cut_anew(from, to));
    let formats: Vec<Format> = [from].into_iter().chain(to).collect();
    HeldPart::of(&formats, is_cut || output.cut.is_some())
}

/// Phrases the notes of a conversion with the field names of this service.
pub fn worded_notes(ConversionNotes { left_out, cues }: ConversionNotes) -> Vec<String> {
    let left_out = left_out.map(|left| format!("left out: {left}"));
    left_out.into_iter().chain(cues).map(|note| worded(&note, field_name)).collect()
}
