//! `majuscule convert`: subtitles and transcripts in another format, with nothing lost.

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
/// What has no place in the other format is an error that says what and where; --drop leaves it out. Words are never left out.
/// Times, texts, tags, settings, confidences and all else that both formats have are the same in both.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ConvertArgs {
    /// Subtitles or a transcript; .gz, .zst and .xz are read as they are; - is standard input, with --from
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// Write here instead of standard output; the file appears whole, once all is done
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The format that is read; by the end of the file's name where it is not given
    #[arg(long, value_parser = majuscule_arguments::by_name::<Kind>(), value_name = "FORMAT")]
    from: Option<Kind>,
    /// The format that is written; by the end of the output's name where it is not given
    #[arg(long, value_parser = majuscule_arguments::by_name::<Kind>(), value_name = "FORMAT")]
    to: Option<Kind>,
    /// Which field of jsonl is the text (text where it is not given), or the number of the column of conll that has the words
    #[arg(long, value_name = "NAME")]
    field: Option<String>,
    /// The encoding of a file without a byte-order mark, which tells UTF-16 and UTF-8: windows-1252, iso-8859-2, koi8-r, ..., as the
    /// WHATWG standard names them (koi8-u has ў and Ў at AE and BE); UTF-8 where it is not given. The output is in UTF-8
    #[arg(long, value_name = "NAME")]
    encoding: Option<Encoding>,
    /// Leave out what has no place in the other format, such as the settings of cues in .srt, and say on standard error what that
    /// was
    #[arg(long)]
    drop: bool,
}

const EXAMPLES: &str = "\
Examples:
  majuscule convert talk.srt -o talk.vtt
  majuscule convert talk.vtt --drop -o talk.srt
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
