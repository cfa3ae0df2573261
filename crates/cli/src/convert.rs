//! `majuscule convert`: converts subtitles and transcripts between formats.

use std::path::{Path, PathBuf};

use super::force::ForceArg;
use super::{host, messages};
use majuscule_arguments::UserOptionArgs;
use majuscule_base::error::{Error, Result, worded};
use majuscule_base::files::{Encoding, Limits, Publish};
use majuscule_convert::{Conversion, ConversionNotes};
use majuscule_format::Format;

/// Converts subtitles and transcripts from one format to another
///
/// Times, texts, tags, settings, confidences and everything else that both formats can hold stay the
/// same. Information that the other format cannot hold is left out and reported in one line; with
/// --strict it is an error that says what would be lost, and where. Words are never left out.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ConvertArgs {
    /// The limits on the memory that a file may take.
    #[arg(from_global, id = "input_limit")]
    limits: Limits,
    /// Subtitles or a transcript, also as .gz, .zst or .xz; - is standard input, which needs --from
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// Write to this file instead of standard output; it appears only once it is complete
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArg,
    /// Format of the input; by default the format of its file extension
    #[arg(long, value_parser = majuscule_arguments::by_name::<Format>(), value_name = "FORMAT")]
    from: Option<Format>,
    /// Field of jsonl that holds the text (text by default)
    #[arg(long, value_name = "NAME")]
    field: Option<String>,
    /// Encoding of a file without a byte-order mark (one of UTF-8 or UTF-16 takes precedence):
    /// windows-1252, koi8-r, shift_jis, gbk, ..., named as in the WHATWG standard (its koi8-u has ў
    /// and Ў at AE and BE); UTF-8 by default. The output is UTF-8
    #[arg(long, value_name = "NAME")]
    encoding: Option<Encoding>,
    #[command(flatten)]
    output_form: OutputFormArgs,
    /// Language of the text, such as en, whose abbreviations, articles and prepositions guide the
    /// cuts; by default the language that the file declares, or else any language
    #[arg(long, value_name = "TAG", value_parser = super::page::language, help_heading = "New cues")]
    lang: Option<String>,
}

/// The format of the output, if it differs from the input's, and its new cues.
#[derive(Debug, clap::Args)]
pub struct OutputFormArgs {
    #[command(flatten)]
    user: UserOptionArgs<Conversion>,
}

impl OutputFormArgs {
    /// Returns the format of the output, if it is named.
    pub fn to(&self) -> Option<Format> {
        Some(self.user.options.to).filter(|kind| *kind != Format::Auto)
    }

    /// Returns true if the output is a transcript with names or times.
    pub fn is_transcript(&self) -> bool {
        !self.user.options.names.is_empty() || self.user.options.transcript.times
    }

    /// Returns true if new cues are requested, or a limit of them is set.
    pub fn asks_for_cues(&self) -> bool {
        self.user.options.asks_for_cues()
    }

    /// Returns a conversion to an output of this name, with the settings that `convert` and
    /// `restore` share.
    pub fn conversion(&self, target: &Path) -> Conversion {
        let mut conversion = self.user.options.clone();
        conversion.transcript.markdown = is_markdown(target);
        Conversion { interrupt: host::interrupt(), ..conversion }
    }
}

/// Returns true for a name of a file in Markdown, in which a transcript is written.
pub fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}

/// Prints the notes of a conversion for the user.
pub fn tell(notes: ConversionNotes) {
    if let Some(left) = notes.left_out {
        tell!("majuscule: left out: {left}");
    }
    for note in notes.cues {
        tell!("majuscule: {}", worded(&note, |name| format!("--{name}")));
    }
}

const EXAMPLES: &str = "\
Examples:
  majuscule convert talk.srt -o talk.vtt
  majuscule convert talk.ttml -o talk.ass
  majuscule convert talk.vtt -o talk.srt --strict
  majuscule convert talk.ctm --to jsonl | jq .text
  majuscule convert talk.ctm -o talk.srt --cues sentence
  majuscule convert talk.srt -o wide.srt --cues sentence --max-chars 50
  majuscule convert talk.srt --to text
  majuscule convert talk.json -o talk.md --names SPEAKER_00=Laura --times
  some-recogniser | majuscule convert - --from whisper-json -o talk.jsonl";

/// Converts a file.
pub fn run(args: &ConvertArgs) -> Result<()> {
    let output = args.output.as_deref().filter(|path| *path != Path::new("-"));
    let conversion = args.conversion(output)?;
    if let Some(output) = output {
        args.force.check(output, &[&args.input])?;
    }
    let (input, encoder) =
        host::open(&args.input)?.within(args.limits).decoded(args.encoding.clone(), None)?;
    let notes = match output {
        Some(path) => {
            let mut out = Publish::new(path)?;
            let notes = conversion.run(input, &mut out, path)?;
            out.commit()?;
            notes
        }
        None => conversion.run(input, &mut host::stdout(), Path::new("standard output"))?,
    };
    let read = [(args.input.clone(), encoder.encoding().clone())];
    messages::tell_encodings(&read, args.encoding.as_ref());
    tell(notes);
    Ok(())
}

impl ConvertArgs {
    fn conversion(&self, output: Option<&Path>) -> Result<Conversion> {
        let usage = |problem: &str| Err(Error::usage(problem));
        let from = match self.from {
            None | Some(Format::Auto) if self.input == Path::new("-") => {
                return usage(
                    "standard input has no file extension that shows its format: name the format with --from",
                );
            }
            None | Some(Format::Auto) => {
                Format::refuse_unread(&self.input)?;
                Format::of_name(&self.input)
            }
            Some(kind) => kind,
        };
        let to = match (self.output_form.to(), output) {
            (None, None) => {
                return usage(
                    "standard output has no file extension that shows its format: name the format with --to",
                );
            }
            (None, Some(output)) if is_markdown(output) => Format::Text,
            (None, Some(output)) => Format::named(output).ok_or_else(|| {
                let problem = "has no known file extension, such as .vtt: name the format with --to";
                Error::usage(format!("{} {problem}", output.display()))
            })?,
            (Some(kind), _) => kind,
        };
        let mut conversion = self.output_form.conversion(output.unwrap_or(Path::new("")));
        conversion.set_language(self.lang.as_deref(), "");
        Ok(Conversion { from, to, field: self.field.clone(), ..conversion })
    }
}
