//! `majuscule convert`: converts subtitles and transcripts between formats without loss.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;

use super::messages;
use majuscule::error::Error;
use majuscule::files::{self, Encoding, Publish};
use majuscule::format::Kind;
use majuscule::format::convert::Conversion;

/// Converts subtitles and transcripts from one format to another
///
/// A conversion that would lose information is an error that says what and where; --drop leaves
/// that information out. Words are never left out. Times, texts, tags, settings, confidences and
/// everything else that both formats have stay the same.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ConvertArgs {
    /// Subtitles or a transcript, also as .gz, .zst or .xz; - is standard input, with --from
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// Write to this file instead of standard output; it appears only once it is complete
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format of the input; by default that of its file extension
    #[arg(long, value_parser = majuscule_arguments::by_name::<Kind>(), value_name = "FORMAT")]
    from: Option<Kind>,
    /// Format of the output; by default that of its file extension
    #[arg(long, value_parser = majuscule_arguments::by_name::<Kind>(), value_name = "FORMAT")]
    to: Option<Kind>,
    /// Field of jsonl that holds the text (text by default),
    /// or number of the conll column that holds the words
    #[arg(long, value_name = "NAME")]
    field: Option<String>,
    /// Encoding of a file without a byte-order mark (a mark of UTF-8 or UTF-16 always decides):
    /// windows-1252, koi8-r, shift_jis, gbk, ..., by the names of the WHATWG standard (its koi8-u has ў
    /// and Ў at AE and BE); UTF-8 by default. The output is UTF-8
    #[arg(long, value_name = "NAME")]
    encoding: Option<Encoding>,
    /// Leave out what the other format cannot hold, such as cue
    /// settings in .srt, and report it on standard error
    #[arg(long)]
    drop: bool,
}

const EXAMPLES: &str = "\
Examples:
  majuscule convert talk.srt -o talk.vtt
  majuscule convert talk.vtt --drop -o talk.srt
  majuscule convert talk.ttml --drop -o talk.ass
  majuscule convert talk.ctm --to jsonl | jq .text
  majuscule convert talk.srt --to text --drop
  some-recogniser | majuscule convert - --from whisper-json -o talk.jsonl";

/// Converts a file.
pub fn run(args: &ConvertArgs) -> Result<ExitCode> {
    let output = args.output.as_deref().filter(|path| *path != Path::new("-"));
    let conversion = args.conversion(output)?;
    if let Some(output) = output {
        files::check_output(output, &[&args.input])?;
    }
    let (input, encoder) = files::open(&args.input)?.decoded(args.encoding.clone(), None)?;
    let left = match output {
        Some(path) => {
            let mut out = Publish::new(path)?;
            let left = conversion.run(input, &mut out, path)?;
            out.commit()?;
            left
        }
        None => conversion.run(input, &mut std::io::stdout().lock(), Path::new("standard output"))?,
    };
    messages::tell_encoding(&args.input, args.encoding.as_ref(), encoder.encoding());
    if let Some(left) = left {
        tell!("majuscule: left out: {left}");
    }
    Ok(ExitCode::SUCCESS)
}

impl ConvertArgs {
    fn conversion(&self, output: Option<&Path>) -> Result<Conversion, Error> {
        let usage = |problem: &str| Err(Error::Usage(problem.to_owned()));
        let from = match self.from {
            None | Some(Kind::Auto) if self.input == Path::new("-") => {
                return usage("standard input has no name that tells its format: name it with --from");
            }
            None | Some(Kind::Auto) => {
                Kind::refuse_unread(&self.input)?;
                Kind::of_name(&self.input)
            }
            Some(kind) => kind,
        };
        let to = match (self.to, output) {
            (None | Some(Kind::Auto), None) => {
                return usage("standard output has no name that tells its format: name it with --to");
            }
            (None | Some(Kind::Auto), Some(output)) => match Kind::named(output) {
                Some(kind) => kind,
                None => {
                    let problem = "has no name that tells its format, such as talk.vtt: name it with --to";
                    return Err(Error::Usage(format!("{} {problem}", output.display())));
                }
            },
            (Some(kind), _) => kind,
        };
        Ok(Conversion { from, to, field: self.field.clone(), drop: self.drop })
    }
}
