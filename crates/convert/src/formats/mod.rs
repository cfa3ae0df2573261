//! Tests of the text written in each format and read back: one file for each.

mod ass;
mod ctm;
mod lrc;
mod recogniser;
mod srt;
mod stm;
mod ttml;
mod vtt;
mod whisper;

use std::io::Cursor;
use std::path::Path;

use majuscule_base::error::Result;
use majuscule_base::files::Input;
use majuscule_format::Format;

use crate::Conversion;

/// Converts a file and refuses to leave anything out.
pub(crate) fn written(from: Format, to: Format, text: &str) -> String {
    run(from, to, true, text).expect("nothing is lost")
}

/// Converts a file and drops the parts that the output format cannot express.
pub(crate) fn dropped(from: Format, to: Format, text: &str) -> String {
    run(from, to, false, text).expect("no text is lost")
}

/// Converts a file, and returns the error if there is one.
pub(crate) fn run(from: Format, to: Format, strict: bool, text: &str) -> Result<String> {
    let mut out = Vec::new();
    let input = Input::uncompressed("data", Cursor::new(text.to_owned()));
    Conversion { from, to, strict, ..Conversion::default() }.run(input, &mut out, Path::new("out"))?;
    Ok(String::from_utf8(out).expect("text was written"))
}
