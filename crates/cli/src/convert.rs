//! `majuscule convert`: converts subtitles and transcripts between formats.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;

use super::force::ForceArg;
use super::{host, messages};
use majuscule_base::error::Error;
use majuscule_base::error::worded;
use majuscule_base::files::{Encoding, Limits, Publish};
use majuscule_convert::{Conversion, ConversionNotes, CueCut, CueLimits, SpeakerNames, TranscriptForm};
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

/// The format of the output, if it differs from the input's, and its cues.
#[derive(Debug, clap::Args)]
pub struct OutputFormArgs {
    /// Format of the output; by default the one of its file extension. If neither is given, restore
    /// keeps the format. It cuts a recogniser's words into new cues if it writes srt, vtt or ass
    #[arg(long, value_parser = majuscule_arguments::by_name::<Format>(), value_name = "FORMAT")]
    to: Option<Format>,
    /// Refuse to leave out information that the other format cannot hold, such as cue settings in .srt
    #[arg(long)]
    strict: bool,
    /// Begin a cue with the name of its speaker where the speaker changes (ANA: so we met), if the
    /// other format has no other place for it, as srt
    #[arg(long, conflicts_with = "no_speakers")]
    speakers: bool,
    /// Name no speakers in plain text, which is otherwise a transcript if the file has speakers: a
    /// paragraph for each turn, after the speaker's name
    #[arg(long)]
    no_speakers: bool,
    /// Names for the speakers of the file: SPEAKER_00=Laura,SPEAKER_01=Tom
    #[arg(long, value_name = "SPEAKER=NAME,...", value_parser = speaker_names)]
    names: Option<SpeakerNames>,
    /// Begin each paragraph of a transcript in plain text with its time: [00:12:07]
    #[arg(long)]
    times: bool,
    /// Had the effect of today's default.
    #[arg(long, hide = true)]
    drop: bool,
    #[command(flatten)]
    cues: CueArgs,
}

/// The cutting of speech into new cues.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "New cues")]
struct CueArgs {
    /// Cut the words into new cues: at the ends of sentences, otherwise at commas and pauses, and
    /// where the speaker changes. Words without times get times interpolated by character count
    /// within their segment. convert does not change the text (restore adds capitals). Information
    /// that cues cannot hold is left out
    #[arg(long, value_parser = majuscule_arguments::by_name::<CueCut>(), value_name = "WHERE")]
    cues: Option<CueCut>,
    /// Maximum length of a line, in characters
    #[arg(long, requires = "cues", value_name = "N", allow_negative_numbers = true, default_value_t = CueLimits::default().max_chars)]
    max_chars: usize,
    /// Maximum number of lines in a cue
    #[arg(long, requires = "cues", value_name = "N", allow_negative_numbers = true, default_value_t = CueLimits::default().max_lines)]
    max_lines: usize,
    /// Maximum duration of a cue, in seconds
    #[arg(long, requires = "cues", value_name = "S", allow_negative_numbers = true, default_value_t = CueLimits::default().max_seconds)]
    max_seconds: f64,
    /// Minimum duration of a cue, in seconds: a cue stays on the screen after its words if there
    /// is time. Shorter cues are reported on standard error
    #[arg(long, requires = "cues", value_name = "S", allow_negative_numbers = true, default_value_t = CueLimits::default().min_seconds)]
    min_seconds: f64,
    /// Maximum reading speed, in characters per second; faster cues are reported on standard error
    #[arg(long, requires = "cues", value_name = "N", allow_negative_numbers = true, default_value_t = CueLimits::default().max_cps)]
    max_cps: f64,
}

impl OutputFormArgs {
    /// Returns the format of the output, if it is named.
    pub fn to(&self) -> Option<Format> {
        self.to.filter(|kind| *kind != Format::Auto)
    }

    /// Returns true if the output is a transcript with names or times.
    pub fn is_transcript(&self) -> bool {
        self.names.is_some() || self.times
    }

    /// Returns a conversion with the settings that both verbs have, to an output of this name.
    pub fn conversion(&self, target: &Path) -> Conversion {
        let Self { strict, speakers, no_speakers, times, .. } = *self;
        let markdown = is_markdown(target);
        Conversion {
            strict,
            speakers: (speakers || no_speakers).then_some(speakers),
            names: self.names.clone().unwrap_or_default(),
            transcript: TranscriptForm { times, markdown, ..TranscriptForm::default() },
            interrupt: host::interrupt(),
            ..Conversion::default()
        }
    }

    /// Returns the cut into new cues, if one is requested.
    pub fn cut(&self) -> Option<CueCut> {
        self.cues.cues
    }

    /// Returns the limits of new cues; `language` is the language of the text.
    pub fn limits(&self, language: Option<String>) -> CueLimits {
        let CueArgs { max_chars, max_lines, max_seconds, min_seconds, max_cps, .. } = self.cues;
        CueLimits { max_chars, max_lines, max_seconds, min_seconds, max_cps, language, max_words: None }
    }
}

/// Reads names for speakers.
fn speaker_names(text: &str) -> Result<SpeakerNames, String> {
    text.parse().map_err(|error: Error| error.worded(|name| format!("--{name}")))
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
pub fn run(args: &ConvertArgs) -> Result<ExitCode> {
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
    Ok(ExitCode::SUCCESS)
}

impl ConvertArgs {
    fn conversion(&self, output: Option<&Path>) -> Result<Conversion, Error> {
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
        let limits = |CueCut::Sentence| self.output_form.limits(self.lang.clone());
        let (field, cues) = (self.field.clone(), self.output_form.cut().map(limits));
        let conversion = self.output_form.conversion(output.unwrap_or(Path::new("")));
        Ok(Conversion { from, to, field, cues, language: self.lang.clone(), ..conversion })
    }
}
