//! Bodies of `multipart/form-data` (RFC 7578): a file, and options as further parts.

use axum::extract::multipart::MultipartError;
use axum::extract::{DefaultBodyLimit, FromRequest, Multipart, Request};
use axum::http::HeaderMap;
use majuscule::Format;
use tokio::runtime::Handle;

use crate::body::{self, WholeBody};
use crate::fields::Fields;
use crate::media;
use crate::problem::ApiError;
use crate::spool::on_a_thread;
use crate::state::Service;

/// The name of the part that is a file.
const FILE: &str = "file";

/// The largest number of parts.
const MOST_PARTS: usize = 64;

/// A file that came as a part.
pub struct FilePart {
    /// The name that the client gave.
    pub name: Option<String>,
    /// The format by the content type of the part; [`Format::Auto`] if the file name indicates a format or the type
    /// does not.
    pub format: Format,
    /// The bytes; the bytes of the other parts have been freed.
    pub body: WholeBody,
}

/// Returns true if a body is `multipart/form-data`.
pub fn is_form(headers: &HeaderMap) -> bool {
    media::named(headers).is_some_and(|named| named == "multipart/form-data")
}

/// Reads a form, and splits it into parts on a separate thread. All parts except the file become fields.
///
/// # Errors
/// Fails like [`body::read`], and also if the body is not a valid form or does not have exactly one file.
pub async fn read(
    service: &Service,
    request: Request,
    mut fields: Fields,
) -> Result<(FilePart, Fields), ApiError> {
    let (head, body) = request.into_parts();
    let WholeBody { bytes, memory } = body::read(service, body, service.options.input_limit).await?;
    // This is the memory for the parts, which are copied out of the body.
    let mut copies = service.memory.share();
    if !copies.grow(bytes.len() as u64) {
        return Err(body::no_memory());
    }
    let mut request = Request::from_parts(head, bytes.into());
    DefaultBodyLimit::disable().apply(&mut request);
    on_a_thread(move || {
        let (name, kind, bytes) = Handle::current().block_on(read_parts(request, &mut fields))?;
        drop(copies);
        let is_named = name.as_ref().is_some_and(|name| Format::named(name.as_ref()).is_some());
        let format = kind.filter(|_| !is_named).and_then(|kind| media::format_of(&kind));
        let body = WholeBody { bytes, memory };
        Ok((FilePart { name, format: format.unwrap_or(Format::Auto), body }, fields))
    })
    .await
}

/// The name, the content type and the bytes of a file.
type FileContent = (Option<String>, Option<String>, Vec<u8>);

async fn read_parts(request: Request, fields: &mut Fields) -> Result<FileContent, ApiError> {
    let mut form = Multipart::from_request(request, &()).await.map_err(|_| {
        ApiError::bad("multipart/form-data has no boundary: leave the header Content-Type to your client")
    })?;
    let (mut file, mut parts) = (None, 0);
    while let Some(part) = form.next_field().await.map_err(wrong)? {
        parts += 1;
        if parts > MOST_PARTS {
            return Err(ApiError::bad(format!("the body has more than {MOST_PARTS} parts: send fewer")));
        }
        let Some(field) = part.name().map(str::to_owned) else {
            return Err(ApiError::bad(format!("part {parts} of the body has no name: name it")));
        };
        let name = part.file_name().filter(|name| !name.is_empty()).map(str::to_owned);
        let kind = part.content_type().map(str::to_owned);
        let bytes: Vec<u8> = part.bytes().await.map_err(wrong)?.into();
        if field != FILE {
            let text = String::from_utf8(bytes).map_err(|_| {
                ApiError::field(&field, format!("the part `{field}` is not UTF-8: encode it as UTF-8"))
            })?;
            fields.add([(field, text)])?;
        } else if file.replace((name, kind, bytes)).is_some() {
            return Err(ApiError::field(FILE, "the body has several parts `file`: send each file by itself"));
        }
    }
    file.ok_or_else(|| ApiError::field(FILE, "the body has no part `file`: send the file as such a part"))
}

/// Returns the error for a body that is cut off or has wrong boundaries.
fn wrong(error: MultipartError) -> ApiError {
    let problem = error.body_text();
    ApiError::bad(format!(
        "the body is not multipart/form-data with the boundary of its Content-Type: {problem}; send the whole form"
    ))
}
