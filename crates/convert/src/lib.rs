//! Converts between formats of subtitles and transcripts, and cuts speech into cues.
//!
//! A file is a sequence of segments, each with its text, times and the other fields of its format, and of blocks that
//! are not spoken. Reading the output returns the same as reading the input. The table lists the content that each
//! format can express:
//!
//! | format | a segment is | it has | blocks |
//! | --- | --- | --- | --- |
//! | text | a line | the text | |
//! | srt | a cue | number, times in milliseconds, text of lines, tags `<i> <b> <u> <s> <font> {\an8}`, coordinates | |
//! | vtt | a cue | name, times in milliseconds, text of lines, tags, voices and times in `<>`, settings | header, notes, styles, regions, fragments (lines without a timing) |
//! | ass | an event | times in hundredths, name, text of lines, overrides as tags, other fields | script: all lines that are not visible events |
//! | ttml | a paragraph, which is read and not written | identifier, times, agent, text of lines, styles as tags | head |
//! | ctm | a word | recording, channel, times, confidence, type, speaker | comments |
//! | stm | a turn | recording, channel, speaker, times, label, text, alternatives and events as tags | comments |
//! | whisper-json | a segment | number, times, text, speaker, words with times and confidences, other fields | other fields of the document |
//! | jsonl | an object | everything | everything |
//!
//! Only `<i>`, `<b>` and `<u>` are tags in all subtitle formats, in ass as `{\i1}` and `{\i0}`; the settings of one
//! format are not valid in another. Escapes of vtt and ttml are plain characters elsewhere. Unspoken parts of ctm and
//! stm, events in `<>` and alternatives, are tags, and a missing name, confidence or type is `-`, `NA` and `NA`. In
//! jsonl the text is plain: a separate list contains the tags with their positions. Blocks have `"text":null`, so
//! that readers of texts skip them.
//!
//! In ass a field with its usual value (`0`, `Default`) is not content, nor is an identifier that is
//! the position of the event. A file without a script gets one, which is not content either.
//!
//! The following is not content and is not kept: line endings, a byte-order mark, empty lines
//! between cues and in them, white space around fields, the notation of a time (`00:01.000`,
//! `4.00`), the escapes of a string in JSON. In .srt, which requires numbers, a cue without a
//! number gets its position in the file.
//!
//! ```
//! use std::path::Path;
//!
//! use majuscule_base::files::Input;
//! use majuscule_format::Format;
//! use majuscule_convert::Conversion;
//!
//! let srt = "1\n00:00:01,000 --> 00:00:02,000\nso <i>it</i> is\n\n";
//! let conversion = Conversion { from: Format::Srt, to: Format::Jsonl, ..Conversion::default() };
//! let mut out = Vec::new();
//! conversion.run(Input::of_text("talk.srt", srt.as_bytes()), &mut out, Path::new("talk.jsonl"))?;
//! let object = r#"{"id":"1","begin":1.0,"end":2.0,"text":"so it is","tags":[[3,"<i>"],[5,"</i>"]]}"#;
//! assert_eq!(String::from_utf8(out)?, format!("{object}\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// `println!` and similar macros panic if nobody reads their output.
#![deny(clippy::print_stderr, clippy::print_stdout)]

// In reading order: each module uses only the modules above it.
mod limits;
mod cut;
mod juncture;
mod words;
mod rolled;
mod cutter;
mod speaker_names;
mod transcript;
mod source;
mod conversion;
mod options;

pub use conversion::{Conversion, ConversionNotes, is_converted, is_cut_anew};
pub use limits::{CueCut, CueLimits};
pub use speaker_names::SpeakerNames;
pub use transcript::TranscriptForm;

#[cfg(test)]
mod formats;
