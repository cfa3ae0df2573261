//! `majuscule restore`: restores capital letters in texts.

use std::io::{IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};

use super::backend::BackendArgs;
use super::cascade::CascadeArgs;
use super::convert::{self, OutputFormArgs};
use super::language::{self, Majority, RunLanguages};
use super::language_monitor::LanguageMonitor;
use super::messages;
use super::methods::methods;
use super::named;
use super::page::threads;
use super::piped;
use super::stream::FollowOptions;
use super::targets::{Destination, Targets};
use super::voting::VotingArgs;
use majuscule::bytes::Bytes;
use majuscule::error::Error;
use majuscule::files::{self, Encoding, FileStamp, Input, Limits, Publish};
use majuscule::format::convert::{Conversion, ConversionNotes};
use majuscule::format::cues::CueCut;
use majuscule::format::{DetectedKind, Kind, refuse_binary, whisper};
use majuscule::methods::language::{DetectedLanguage, tag_of};
use majuscule::methods::{Model, Preset};
use majuscule::model::Store;
use majuscule::named::NamedValue;
use majuscule::printable::c_quoted;
use majuscule::restore::{self, Done, restore, stream_as};
use majuscule::text::tokenize::{Capitalized, NO_TEXT};
use majuscule::text::{
    Context, Locale, MarkForm, MarkPlaces, MarkSet, OutputForm, RestoreOptions, SentenceStart, Spellings,
};
use majuscule_arguments::{by_name, default_name};

/// Restores capital letters in text
///
/// Only the case of letters changes, and --marks puts in punctuation. The format stays, unless the
/// output is named as another one (-o talk.srt) or --to names it. Four sources decide, and the first that has an answer
/// wins: the spellings of --words, capitals of the input that are kept (--case), the start of a
/// sentence (--sentence-start), the model.
#[derive(Debug, clap::Args)]
#[command(before_help = super::COMMANDS, after_help = EXAMPLES)]
pub struct RestoreArgs {
    /// The limits on what is held in memory of a text.
    #[arg(from_global, id = "input_limit")]
    limits: Limits,
    #[command(flatten)]
    targets: Targets,
    #[command(flatten)]
    output_form: OutputFormArgs,
    /// Format of the files; whatever is not text in them stays unchanged
    ///
    /// In subtitles and transcripts a sentence continues from cue to cue, tags and [events] are not
    /// words, and a dash or a voice marks another speaker.
    #[arg(long, value_parser = by_name::<Kind>(), default_value = default_name::<Kind>())]
    format: Kind,
    /// Field of jsonl, or column of tsv or csv, that holds the text (text by default; result.text
    /// names a nested field of jsonl); number of the conll column that holds the words, or of the
    /// column of a table without a header
    #[arg(long, value_name = "NAME")]
    field: Option<String>,
    /// Extent of one text: words of one text influence each other, words of two texts never do.
    /// With line, the last words of a line or record wait for nothing
    #[arg(long, value_parser = by_name::<Context>(), default_value = default_name::<Context>())]
    context: Context,
    /// Field of jsonl (call, or meta.call for a nested field) that groups records: consecutive
    /// records with the same value form one text
    #[arg(long, value_name = "FIELD", conflicts_with = "context")]
    group: Option<String>,
    /// Encoding of texts without a byte-order mark (a mark of UTF-8 or UTF-16 always decides):
    /// windows-1252, koi8-r, shift_jis, gbk, ..., by the names of the WHATWG standard (its koi8-u has ў
    /// and Ў at AE and BE); UTF-8 by default. Texts are written in their own encoding,
    /// probabilities and diffs in UTF-8
    #[arg(long, value_name = "NAME")]
    encoding: Option<Encoding>,
    /// Language of the built-in model: en (the default), es, fr, nl, pt, or auto
    ///
    /// auto detects the language of each file from its first 4 KiB, or 64 KiB if those do not tell,
    /// and waits for these or for the end of the input. A file that does not tell its language, or is
    /// in another one, is restored in that of most files in its folder or of the run, otherwise in
    /// English, with a note on standard error. The language that Whisper's JSON names is used with
    /// auto and if this option is absent. Without auto, a text that is clearly in another language
    /// gets a warning. With a --model of several languages, this names the language of the text
    #[arg(long, value_name = "LANG", value_parser = super::page::language)]
    lang: Option<String>,
    /// Built-in model of the language to use
    #[arg(long, value_parser = by_name::<Preset>(), default_value = default_name::<Preset>())]
    preset: Preset,
    /// Model made by train, used instead of a built-in one
    #[arg(long, value_name = "FOLDER", conflicts_with = "preset")]
    model: Option<PathBuf>,
    #[command(flatten)]
    cascade: CascadeArgs,
    /// Your own spellings, one word or phrase per line (iPhone, New York); they always win
    #[arg(long, value_name = "FILE")]
    words: Option<PathBuf>,
    /// Capitals of the input that count: auto by default, but ignore with --stream, which cannot
    /// wait for the whole line that auto looks at
    #[arg(long, value_parser = by_name::<Capitalized>())]
    case: Option<Capitalized>,
    /// Sentence starts that get a capital
    #[arg(long, value_parser = by_name::<SentenceStart>(), default_value = default_name::<SentenceStart>())]
    sentence_start: SentenceStart,
    /// Insert commas, full stops and question marks where the text shows none; all: everywhere; or
    /// those named, such as --marks=.,?!:;-…, everywhere
    ///
    /// A line or a cue that shows marks has them all, and so has one without any where the lines
    /// around it show them (auto, the default but with --stream, which does not wait for whole lines).
    /// Marks and capitals that are there stay, so that restoring a text twice changes nothing the
    /// second time. The model must have been trained with marks (train maxent --marks). A word
    /// waits for the next one, which tells whether a mark stands between them.
    #[arg(
        long,
        visible_alias = "punctuate",
        value_name = "MARKS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = USUAL_MARKS,
        conflicts_with = "n_best"
    )]
    marks: Option<MarksArg>,
    /// Form of the marks: by default as the language writes them, with the spaces of French, but
    /// apart in tok and joined in ctm, stm, trn and nlp. With apart, marks in ctm and conll get rows
    /// of their own
    #[arg(long, value_parser = by_name::<MarkForm>(), requires = "marks", conflicts_with = "n_best")]
    mark_form: Option<MarkForm>,
    /// Put in only marks of at least probability P (0 to 1); without it, the model decides by the
    /// costs that it was trained with. hmm and ngram then decide each mark by at most 8 later words
    #[arg(long, value_name = "P", value_parser = super::page::probability, allow_negative_numbers = true, requires = "marks", conflicts_with = "n_best")]
    mark_threshold: Option<f32>,
    /// End a sentence at each pause of at least this many seconds between the words of ctm, the
    /// segments of stm and whisper-json, or the cues of srt, vtt and ass
    ///
    /// With --marks, pauses of 2 seconds end one by default; with never, none does.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pause_ends: Option<PauseEnds>,
    /// Lines of the output: those of the input, or one sentence per line, of plain text
    #[arg(long, value_enum, default_value_t, conflicts_with_all = ["confidence", "n_best", "json", "to", "cues"])]
    lines: OutputLines,
    /// Language whose case pairs are used, such as tr or nl; that of the model by default
    #[arg(long, value_name = "LANG")]
    locale: Option<Locale>,
    /// Print each word as soon as it is decided, without waiting for the end of its line
    ///
    /// A word ends at white space or at the end of the input. It is printed once the next word has
    /// ended too, or the next N words with --look-ahead N. Printed words never change, and the
    /// output does not depend on how the input is chunked, unless --max-delay fires. The rest of a
    /// line decides nothing: a line begins a sentence if the text before it has ended one, and with
    /// --sentence-start always, every line does. An open mark-up tag is waited for, and so is a
    /// phrase of --words that may still continue.
    ///
    /// With --format ctm, jsonl or whisper-json (one document per line), a record is printed once
    /// all its words are decided.
    #[arg(long, conflicts_with_all = ["n_best", "to", "cues"])]
    stream: bool,
    /// With --stream and JSON, the field that identifies a record (id by
    /// default): a record whose identifier has occurred before replaces
    /// the earlier one, since recognisers revise what they heard
    #[arg(long, value_name = "NAME")]
    id: Option<String>,
    /// With --stream, print words that have been pending for this long, decided by the words that
    /// have arrived; if that splits a word, its remainder is left unchanged
    #[arg(long, value_name = "MILLISECONDS", requires = "stream", conflicts_with = "n_best")]
    max_delay: Option<u64>,
    /// Number of later words that a choice may depend on, which live text then waits for; 0 is
    /// none. By default all the context that the method uses, and 1 with --stream
    #[arg(long, visible_alias = "lookahead", value_name = "N")]
    look_ahead: Option<usize>,
    #[command(flatten)]
    voting: VotingArgs,
    #[command(flatten)]
    backend: BackendArgs,
    /// Print each word on its own line with the probability of its case, instead of the text, and
    /// with the mark that --marks puts in after it and the probability of that; an error for methods without probabilities
    #[arg(long, conflicts_with_all = ["to", "cues"])]
    confidence: bool,
    /// Leave a word as it is in the input if its case has a probability below P (0 to 1). Words of
    /// --words, capitals that are kept and sentence starts count as certain
    #[arg(long, value_name = "P", value_parser = super::page::probability, allow_negative_numbers = true, conflicts_with = "n_best")]
    threshold: Option<f32>,
    /// Print JSON, one object per line
    ///
    /// With --confidence, one object per word:
    /// {"line":1,"form":"Lisbon","probability":0.98}, with "mark":"." where --marks puts one in and
    /// "mark_probability":0.91 of that or of no mark,
    /// and "sentence_end":true or false if the model predicts sentence ends. With --stream alone, one object per update:
    /// {"committed":"in ","tail":"Lisbon"}. The committed texts together are the output of
    /// --stream; tail may still change.
    #[arg(long, conflicts_with_all = ["n_best", "to", "cues"], verbatim_doc_comment)]
    json: bool,
    /// Print the N most probable ways to write each line, each line taken
    /// by itself: log10 of the probability, a tab and the text, with an
    /// empty line after the last; an error for methods that find only one
    #[arg(long, value_name = "N", value_parser = super::page::number, conflicts_with_all = ["confidence", "look_ahead", "to", "cues"])]
    n_best: Option<NonZeroUsize>,
    /// Copy unreadable parts (bytes that are not UTF-8, parts of a file that are not in its format)
    /// unchanged, instead of stopping there
    #[arg(long)]
    lossy: bool,
    /// Number of threads: at most, and by default, the number
    /// of cores. The output does not depend on it
    #[arg(long, value_name = "N", value_parser = super::page::number)]
    threads: Option<NonZeroUsize>,
    /// Print errors only: no summary of many files, no notes, no progress
    #[arg(short, long)]
    quiet: bool,
}

/// The lines of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum OutputLines {
    /// The lines of the input
    #[default]
    Same,
    /// One sentence per line; empty lines stay
    Sentence,
}

/// The value of `--marks`.
#[derive(Debug, Clone, Copy)]
struct MarksArg {
    marks: MarkSet,
    /// `None` for a bare `--marks`: only where the text shows none, if it is read whole.
    places: Option<MarkPlaces>,
}

/// The value that stands for a bare `--marks`.
const USUAL_MARKS: &str = "usual";

impl FromStr for MarksArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (marks, places) = match text {
            USUAL_MARKS => (MarkSet::USUAL, None),
            "auto" => (MarkSet::USUAL, Some(MarkPlaces::Unmarked)),
            "all" => (MarkSet::USUAL, Some(MarkPlaces::Everywhere)),
            named => {
                let wrong = |error: Error| format!("{}, auto or all", error.worded(super::flag));
                (named.parse().map_err(wrong)?, Some(MarkPlaces::Everywhere))
            }
        };
        Ok(Self { marks, places })
    }
}

const EXAMPLES: &str = "\
Examples:
  majuscule restore talk.txt -o talk.cased.txt
  majuscule restore --marks talk.json -o talk.marked.json
  majuscule restore --marks talk.json -o talk.vtt --cues sentence --max-chars 36
  majuscule restore --marks talks/ --to srt -o subtitles/
  majuscule restore --in-place=.bak talks/
  majuscule restore --lang auto --encoding windows-1252 legendas/ -o restored/
  majuscule restore --check subtitles/*.vtt
  some-recogniser | majuscule restore | less
  some-recogniser | majuscule restore --stream --max-delay 500
  majuscule restore --lang pt --words my.words legendas.txt.gz
  majuscule restore --model my-model --sentence-start always talk.txt
  majuscule restore --cascade fast,my-tagger --sure 0.95 talk.txt";

/// The language of texts whose language is neither named nor told.
const DEFAULT_LANGUAGE: &str = "en";

/// Restores all texts.
pub fn run(args: RestoreArgs) -> Result<ExitCode> {
    args.check_files()?;
    let way = args.targets.way(args.format, args.output_form.to(), &args.other_inputs())?;
    let paths = way.paths();
    args.check(&paths)?;
    // The message comes before anything is waited for.
    if paths.contains(&Path::new("-")) && std::io::stdin().is_terminal() && !args.quiet {
        tell!(
            "majuscule: reading what you type: end with Ctrl-D on a line of its own, or name files (--help)"
        );
    }
    let to_terminal = matches!(way, Destination::Out(_)) && std::io::stdout().is_terminal();
    let mut work = Work::new(&args, RestoreProgress::new(&paths, to_terminal || args.quiet))?;
    work.paths = paths.iter().map(|path| path.to_path_buf()).collect();
    work.joins = paths.len() > 1 && matches!(way, Destination::Out(_) | Destination::Joined(..));
    let code = match &way {
        Destination::Out(paths) => {
            let mut stdout = std::io::stdout().lock();
            for path in paths {
                work.restore(files::open(path)?, path, Path::new(STDOUT), &mut stdout)?;
            }
            work.tell(None);
            ExitCode::SUCCESS
        }
        Destination::Joined(paths, output) => {
            let mut out = Publish::new(output)?;
            for path in paths {
                work.restore(files::open(path)?, path, output, &mut out)?;
            }
            Bytes::check_unchanged()?;
            out.commit()?;
            work.tell(None);
            ExitCode::SUCCESS
        }
        Destination::Apart(pairs) => {
            let tally = each(pairs, |(path, output)| work.restore_to(path, output))?;
            work.tell(tally.summary());
            tally.code
        }
        Destination::Back(paths, backup) => {
            let tally = each(paths, |path| work.restore_in_place(path, backup.as_deref()))?;
            work.tell(tally.summary());
            tally.code
        }
        Destination::Diff(paths, is_check) => {
            let compared = each(paths, |path| work.compare(path));
            // A reader closes the pipe early only once a change
            // has been printed, so something would change.
            if *is_check && compared.as_ref().is_err_and(Error::is_closed_pipe) {
                return Ok(ExitCode::FAILURE);
            }
            let tally = compared?;
            match tally.changed {
                changed @ 1.. if *is_check => {
                    work.tell(Some(format!("{changed} of {} would change", paths.len())));
                    ExitCode::FAILURE
                }
                _ => {
                    work.tell(None);
                    tally.code
                }
            }
        }
    };
    Ok(code)
}

const STDOUT: &str = "standard output";

/// The outcome of several texts.
#[derive(Debug, Default)]
struct Tally {
    changed: usize,
    same: usize,
    failed: usize,
    /// The exit code for all texts together.
    code: ExitCode,
}

/// Processes each text by itself; after a failure, the error is printed and the next text follows.
/// `work` returns true if a text changed.
fn each<T>(texts: &[T], mut work: impl FnMut(&T) -> Result<bool, Error>) -> Result<Tally, Error> {
    let mut tally = Tally::default();
    for text in texts {
        match work(text) {
            Ok(true) => tally.changed += 1,
            Ok(false) => tally.same += 1,
            Err(error) if error.is_closed_pipe() => return Err(error),
            Err(error) => {
                tally.failed += 1;
                tally.code = super::report(&error.into());
            }
        }
    }
    Ok(tally)
}

impl Tally {
    /// The numbers of changed, unchanged and failed texts; `None` of a single text.
    fn summary(&self) -> Option<String> {
        let Self { changed, same, failed, .. } = *self;
        let were = if same == 1 { "it was" } else { "they were" };
        let is_several = changed + same + failed > 1;
        is_several.then(|| format!("{changed} changed, {same} as {were}, {failed} failed"))
    }
}

impl RestoreArgs {
    /// Refuses marks that are named as files: `--marks .,?`.
    fn check_files(&self) -> Result<(), Error> {
        let files = self.targets.files();
        let is_marks = |file: &&PathBuf| {
            let is_here = file.is_file() || file.as_os_str() == "-" || file.is_dir() && files.len() == 1;
            self.marks.is_some()
                && !is_here
                && file.to_str().is_some_and(|name| name.parse::<MarkSet>().is_ok())
        };
        let Some(marks) = files.iter().find(is_marks) else { return Ok(()) };
        let marks = marks.display();
        Err(Error::Usage(format!("{marks} is no file: marks follow an equals sign, as in --marks={marks}")))
    }

    /// Refuses contradictory options.
    fn check(&self, files: &[&Path]) -> Result<(), Error> {
        if let Some(option) = self.voting.given().filter(|_| self.stream || self.n_best.is_some()) {
            let problem = "reads a text in windows, which live text and n-best lists do not wait for";
            return Err(Error::Usage(format!("{option} {problem}: leave --stream and --n-best out")));
        }
        let problem = if self.json && !self.stream && !self.confidence {
            "--json tells more of words or of a stream: give --confidence or --stream with it"
        } else if !self.cascade.files().is_empty() && (self.stream || self.lang() == "auto") {
            "--cascade waits for the ends of sentences and serves one language: leave --stream out, and name the language"
        } else if self.lines == OutputLines::Sentence && self.targets.is_compared() {
            "--lines sentence moves the ends of lines, which --check and --diff compare: leave it out"
        } else if self.id.is_some() && !self.stream {
            "--id is for records that come in live: give --stream with it"
        } else if self.stream && self.is_told_by_file() {
            "--lang auto waits for some text, but --stream does not wait: name the language"
        } else {
            let known =
                |file: &&Path| Some(self.format).filter(|kind| *kind != Kind::Auto).or(Kind::named(file));
            return files.iter().filter_map(known).try_for_each(|kind| self.check_kind(kind));
        };
        Err(Error::Usage(problem.into()))
    }

    /// Refuses options that do not fit the format of a text.
    fn check_kind(&self, kind: Kind) -> Result<(), Error> {
        let problem = if self.n_best.is_some() && kind != Kind::Text {
            "--n-best reads plain text: leave it out, or give --format text"
        } else if self.lines == OutputLines::Sentence && kind != Kind::Text && kind != Kind::Tok {
            "--lines sentence writes plain text: leave it out, or convert to text first (majuscule convert)"
        } else if self.stream && self.confidence && kind != Kind::Text {
            "--stream gives records back as they are: leave --confidence out"
        } else if self.context == Context::Line && !matches!(kind, Kind::Text | Kind::Jsonl | Kind::Csv) {
            "--context line parts lines of text and records of jsonl, but subtitles and other transcripts run on from line to line: \
             leave it out"
        } else if self.group.is_some() && kind != Kind::Jsonl {
            "--group names a field of jsonl, but there is a text of another format: leave it out, or give --format jsonl"
        } else {
            return Ok(());
        };
        Err(Error::Usage(problem.into()))
    }

    /// The format of a text: from `--format`, else from the file name, else from the first bytes.
    fn kind(&self, file: &Path, input: &mut Input) -> Result<Kind, Error> {
        if self.format != Kind::Auto {
            return Ok(self.format);
        }
        let DetectedKind { kind, named, begun } = Kind::detect(input)?;
        if let (Some(named), Some(begun)) = (named, begun)
            && named != begun
            // One object is a document as well as a line.
            && (named, begun) != (Kind::WhisperJson, Kind::Jsonl)
            && !self.quiet
        {
            let other = if kind == named { begun } else { named };
            let (file, [named, begun, kind, other]) = (shown(file), [named, begun, kind, other].map(name));
            tell!(
                "majuscule: {file} is named as {named}, but begins as {begun} does: read as {kind}; --format {other} reads it as that"
            );
        }
        self.check_kind(kind)?;
        Ok(kind)
    }

    /// Returns the format that a text is converted to once it is restored; `None` if it keeps its
    /// format. Without `--to`, the name of the output tells.
    ///
    /// # Errors
    /// Refuses an output name with the extension of a format that the text cannot be converted to.
    fn converts_to(&self, kind: Kind, file: &Path, target: &Path) -> Result<Option<Kind>, Error> {
        if let Some(to) = self.output_form.to() {
            return Ok(Some(to).filter(|to| *to != kind || self.output_form.cut().is_some()));
        }
        let objects = [Kind::Jsonl, Kind::WhisperJson];
        let named = Kind::named(target).filter(|other| {
            let is_same = *other == kind
                || objects.contains(&kind) && objects.contains(other)
                // Texts of Kaldi have that extension, too.
                || (kind, *other) == (Kind::Kaldi, Kind::Text);
            !is_same && Kind::named(file) != Some(*other)
        });
        match named {
            Some(other) if kind.is_converted_to(other) => Ok(Some(other)),
            Some(other) if self.format == Kind::Auto => {
                let (from, to) = (shown(file), target.display());
                Err(Error::Usage(format!(
                    "{to} is named as {}, but {from} is {}, which is not converted to that: name the output as what it is",
                    name(other),
                    name(kind),
                )))
            }
            _ => Ok(Some(kind).filter(|_| self.output_form.cut().is_some())),
        }
    }

    /// Returns the conversion of a text after it is restored; `language` is that of its model.
    /// Words with times become new cues of subtitles, and what JSON says beside its text is not
    /// expected there.
    fn conversion(&self, from: Kind, to: Kind, language: &str) -> Conversion {
        let is_subtitles = matches!(to, Kind::Srt | Kind::Vtt | Kind::Ass);
        let is_heard = matches!(from, Kind::WhisperJson | Kind::Ctm);
        let default = (is_subtitles && is_heard).then_some(CueCut::Sentence);
        let limits = |CueCut::Sentence| {
            let named = self.lang.clone().filter(|lang| lang != "auto");
            // A document names its language itself.
            let found =
                || Some(language.to_owned()).filter(|tag| from != Kind::WhisperJson && !tag.is_empty());
            self.output_form.limits(named.or_else(found))
        };
        Conversion {
            from,
            to,
            field: self.field.clone().filter(|_| from == Kind::Jsonl),
            drop: self.output_form.drops() || matches!(from, Kind::WhisperJson | Kind::Jsonl),
            cues: self.output_form.cut().or(default).map(limits),
        }
    }

    fn tell_conversion(&self, path: &Path, encoding: &Encoding, notes: ConversionNotes) {
        if !self.quiet {
            messages::tell_encoding(path, self.encoding.as_ref(), encoding);
            convert::tell(notes);
        }
    }

    /// Refuses options that say how a text is written if it is converted.
    fn check_conversion(&self, joins: bool) -> Result<(), Error> {
        let problem = if joins {
            "several texts are not converted into one: name a folder with -o and the format with --to, or convert each by itself"
        } else if self.stream {
            "--stream gives texts back in their own format: leave it out, or name the output as what it is"
        } else {
            return Ok(());
        };
        Err(Error::Usage(problem.into()))
    }

    /// Returns true if the model is a built-in one.
    fn is_built_in(&self) -> bool {
        self.model.is_none() && self.cascade.files().is_empty()
    }

    /// Returns true if the language of each file selects its model.
    fn is_told_by_file(&self) -> bool {
        self.lang() == "auto" && self.is_built_in()
    }

    /// All inputs other than the texts: the spellings, and the
    /// models with the files of their folders.
    fn other_inputs(&self) -> Vec<PathBuf> {
        let mut inputs: Vec<PathBuf> = self.words.iter().cloned().collect();
        for model in self.model.iter().chain(self.cascade.files()) {
            let files = std::fs::read_dir(model).into_iter().flatten();
            inputs.extend(files.filter_map(|file| Some(file.ok()?.path())));
            inputs.push(model.clone());
        }
        inputs
    }

    /// The model that the options name; `None` if the language of each file selects its model.
    fn model(&self) -> Result<Option<Model>, Error> {
        if let Some((model, _)) = self.cascade.load(self.lang(), &self.backend.computing())? {
            return Ok(Some(model));
        }
        match &self.model {
            Some(path) => {
                let model = methods().load(&*named::open(path, self.lang())?, &self.backend.computing())?;
                self.check_language(&model)?;
                Ok(Some(model))
            }
            None if self.is_told_by_file() => Ok(None),
            None => self.of_preset(self.lang()).map(Some),
        }
    }

    /// Loads the model of the preset of a language.
    fn of_preset(&self, language: &str) -> Result<Model, Error> {
        named::of_preset(self.preset, language, &self.backend.computing())
    }

    fn lang(&self) -> &str {
        self.lang.as_deref().unwrap_or(DEFAULT_LANGUAGE)
    }

    /// The language of a file that has a built-in model, if the file tells it.
    fn detected(&self, path: &Path) -> Result<Option<&'static str>, Error> {
        let stand_in = self.lossy.then_some(NO_TEXT as char);
        let (mut input, _) =
            files::open(path)?.within(self.limits).decoded(self.encoding.clone(), stand_in)?;
        let kind = self.format.of_input(&mut input)?;
        Ok(match language::detect(kind, self.field.as_deref(), &mut input)? {
            DetectedLanguage::BuiltIn(language) => Some(language),
            _ => None,
        })
    }

    /// Refuses a `--lang` that the model does not cover.
    fn check_language(&self, model: &Model) -> Result<(), Error> {
        let manifest = &model.manifest;
        match &self.lang {
            Some(asked) if !manifest.is_of(asked) => Err(Error::Usage(format!(
                "--lang {asked} is not the language of the model, {}: leave --lang out",
                manifest.language
            ))),
            _ => Ok(()),
        }
    }

    /// Refuses marks from a model without them, and names the built-in models that have some.
    fn check_marks(&self, model: &Model) -> Result<(), Error> {
        let has_marks = |model: &Model| !model.restorer.labels().marks().is_empty();
        if self.marks.is_none() || has_marks(model) {
            return Ok(());
        }
        let which = if self.cascade.files().is_empty() {
            "model"
        } else {
            "first model of --cascade, which reads all of a text,"
        };
        let language = &model.manifest.language;
        let stored_has_marks = |store: Box<dyn Store>| !store.manifest().labels.marks().is_empty();
        let methods = methods();
        let presets = Preset::VALUES
            .iter()
            .filter(|(preset, ..)| methods.preset_store(language, *preset).is_ok_and(stored_has_marks));
        let names: Vec<&str> = presets.map(|(_, name, _)| *name).collect();
        let others = match names.as_slice() {
            [] => "one that was trained with marks (majuscule train maxent --marks)".to_owned(),
            [name] => format!("{name} of --lang {language}"),
            [names @ .., last] => format!("{} or {last} of --lang {language}", names.join(", ")),
        };
        Err(Error::Usage(format!("the {which} puts no marks: leave --marks out, or name {others}")))
    }

    /// The options for texts under this model: the arguments,
    /// with the spellings read under its case pairs.
    fn options_for(
        &self,
        model: &Model,
        options: &RestoreOptions,
        words: &[u8],
    ) -> Result<RestoreOptions, Error> {
        self.check_marks(model)?;
        let asked = self.lang.as_ref().filter(|asked| model.manifest.is_of(asked)).cloned();
        let options = RestoreOptions { language: asked, ..options.clone() }.for_model(&model.manifest);
        let name = self.words.as_deref().unwrap_or(Path::new("")).to_string_lossy();
        Ok(RestoreOptions { spellings: Spellings::read(words, &name, options.locale())?, ..options })
    }

    /// The arguments as options of the library, without the spellings, which depend on the model.
    fn options(&self) -> RestoreOptions {
        RestoreOptions {
            locale: self.locale,
            capitalized: match self.case {
                None if self.stream => Capitalized::Ignore,
                case => case.unwrap_or_default(),
            },
            sentence_start: self.sentence_start,
            context: self.context,
            group: self.group.clone(),
            field: self.field.clone(),
            id: self.id.clone(),
            lossy: self.lossy,
            look_ahead: self.look_ahead.or(self.stream.then_some(1)),
            threshold: self.threshold,
            marks: self.marks.map_or(MarkSet::NONE, |arg| arg.marks),
            mark_places: self.marks.map_or(MarkPlaces::default(), |arg| {
                arg.places.unwrap_or(match self.stream {
                    true => MarkPlaces::Everywhere,
                    false => MarkPlaces::Unmarked,
                })
            }),
            mark_form: self.mark_form,
            mark_threshold: self.mark_threshold,
            pause_ends: self.pause_ends.and_then(|PauseEnds(least)| least),
            threads: threads(self.threads),
            limits: self.limits,
            form: match (self.confidence, self.json) {
                (false, _) if self.targets.is_compared() => OutputForm::Diff,
                (false, _) if self.lines == OutputLines::Sentence => OutputForm::Sentences,
                (false, _) => OutputForm::Text,
                (true, false) => OutputForm::Words,
                (true, true) => OutputForm::Json,
            },
            ..RestoreOptions::default()
        }
    }

    fn follow(&self) -> FollowOptions {
        let max_delay = self.max_delay.map(Duration::from_millis);
        FollowOptions { max_delay, revisable: self.json && !self.confidence }
    }
}

/// The shortest pause that ends a sentence where punctuation is inserted.
const SENTENCE_PAUSE: Duration = Duration::from_secs(2);

/// The value of `--pause-ends`: the shortest pause that ends a sentence, if one does.
#[derive(Debug, Clone, Copy)]
struct PauseEnds(Option<Duration>);

impl FromStr for PauseEnds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "never" {
            return Ok(Self(None));
        }
        let seconds = text.parse().ok().filter(|&seconds: &f64| (0.001..=3600.0).contains(&seconds));
        let least = seconds.map(Duration::from_secs_f64);
        least
            .map(|least| Self(Some(least)))
            .ok_or_else(|| "expected seconds from 0.001 to 3600, such as 1.5, or never".to_owned())
    }
}

/// The state that restores one text after another.
struct Work<'a> {
    args: &'a RestoreArgs,
    options: RestoreOptions,
    words: Vec<u8>,
    /// The model for all texts if the options name one, otherwise the model of the last text; with
    /// the options of its texts.
    model: Option<(Model, RestoreOptions)>,
    /// The language of the built-in model in `model`.
    language: String,
    /// The texts of the run, and the languages that they are restored in.
    paths: Vec<PathBuf>,
    languages: RunLanguages,
    done: Done,
    progress: RestoreProgress,
    /// True if several texts go to one output.
    joins: bool,
}

impl<'a> Work<'a> {
    /// Opens everything but the texts, so that an error there
    /// is reported before anything is written.
    fn new(args: &'a RestoreArgs, progress: RestoreProgress) -> Result<Self, Error> {
        let model = args.model()?;
        let words = args
            .words
            .as_ref()
            .map(|path| files::open(path)?.within(args.limits).bytes())
            .transpose()?
            .unwrap_or_default();
        let language = if model.is_some() { args.lang().to_owned() } else { String::new() };
        let (options, done) = (args.options(), Done::default());
        let (paths, languages, joins) = (Vec::new(), RunLanguages::default(), false);
        let mut work =
            Self { args, options, words, model: None, language, paths, languages, done, progress, joins };
        model.map_or(Ok(()), |model| work.set_model(model))?;
        Ok(work)
    }

    /// Prints a summary, with the languages that were detected if there are several texts.
    fn tell(&self, summary: Option<String>) {
        let has_languages = self.args.is_told_by_file() && self.paths.len() > 1;
        let languages = self.languages.summary().filter(|_| has_languages);
        let parts: Vec<String> = summary.into_iter().chain(languages).collect();
        if !self.args.quiet && !parts.is_empty() {
            tell!("majuscule: {}", parts.join("; "));
        }
    }

    fn set_model(&mut self, model: Model) -> Result<(), Error> {
        let (model, predictions) = self.args.voting.apply(model)?;
        let options = self.args.options_for(&model, &self.options, &self.words)?;
        self.model = Some((model, RestoreOptions { predictions, ..options }));
        Ok(())
    }

    /// Selects the built-in model for a text, by the language that the
    /// text names, the language of `--lang` or the language detected,
    /// in this order. Returns true if the text names its language.
    fn choose(&mut self, kind: Kind, path: &Path, input: &mut Input) -> Result<bool, Error> {
        let args = self.args;
        let is_open = args.lang.is_none() || args.is_told_by_file();
        let mut said = None;
        if kind == Kind::WhisperJson && is_open && !args.stream {
            said = language_said(input)?;
        }
        if let Some(language) = &said {
            match self.take_model(tag_of(language)) {
                Ok(()) => return Ok(true),
                Err(problem @ Error::Usage(_)) => {
                    let (file, problem) = (shown(path), problem.worded(super::flag));
                    tell!("majuscule: {file} says that its language is \"{language}\": {problem}");
                }
                Err(error) => return Err(error),
            }
        }
        let language = match args.is_told_by_file() {
            true => self.detected(kind, path, input)?,
            false => args.lang(),
        };
        self.take_model(language)?;
        Ok(said.is_some())
    }

    /// The language that a text is in. If the text does not tell, or there is no built-in model, it is
    /// the language of most texts around it, or the default; a note says so.
    fn detected(&mut self, kind: Kind, path: &Path, input: &mut Input) -> Result<&'static str, Error> {
        let args = self.args;
        let detected = language::detect(kind, args.field.as_deref(), input)?;
        if let DetectedLanguage::BuiltIn(language) = detected {
            return Ok(language);
        }
        let majority = self.languages.majority(path, &self.paths, |file| args.detected(file).ok().flatten());
        let language = match majority {
            Some(Majority::Folder(language) | Majority::Run(language)) => language,
            None => DEFAULT_LANGUAGE,
        };
        match detected {
            _ if args.quiet => {}
            DetectedLanguage::Unsure => language::tell_unsure(&shown(path), language, majority),
            DetectedLanguage::Other(other) => language::tell_other(&shown(path), language, other),
            DetectedLanguage::Empty | DetectedLanguage::BuiltIn(_) => {}
        }
        Ok(language)
    }

    fn take_model(&mut self, language: &str) -> Result<(), Error> {
        if self.model.is_none() || self.language != language {
            self.set_model(self.args.of_preset(language)?)?;
            self.language = language.to_owned();
        }
        Ok(())
    }

    /// Restores a text to `out`, which errors call `target`. Returns true if the text changed.
    fn restore(
        &mut self,
        input: Input<'static>,
        path: &Path,
        target: &Path,
        out: &mut dyn Write,
    ) -> Result<bool, Error> {
        let args = self.args;
        let mut input = input.within(args.limits);
        if !args.lossy {
            refuse_binary(&mut input, args.encoding.as_ref())?;
        }
        let stand_in = args.lossy.then_some(NO_TEXT as char);
        let (mut input, mut encoder) = input.decoded(args.encoding.clone(), stand_in)?;
        let told = args.kind(path, &mut input)?;
        // Tokenised text is plain text, but for the form of marks.
        let kind = if told == Kind::Tok { Kind::Text } else { told };
        let is_text = matches!(self.options.form, OutputForm::Text | OutputForm::Sentences);
        let is_written = is_text && args.n_best.is_none() && !args.follow().revisable;
        let to = if is_written { args.converts_to(kind, path, target)? } else { None };
        if to.is_some() {
            args.check_conversion(self.joins)?;
        }
        let is_said = !args.is_built_in() || self.choose(kind, path, &mut input)?;
        let is_monitored = !is_said && args.lang.is_none();
        if args.is_built_in() {
            self.languages.count(&self.language);
        }
        let Some((model, options)) = &self.model else { return Ok(false) };
        let is_live = target == Path::new(STDOUT) && path == Path::new("-") && is_live();
        if is_live || args.stream {
            encoder = encoder.at_once();
        }
        let mark_form = options.mark_form.or((told == Kind::Tok).then_some(MarkForm::Apart));
        let has_default = args.pause_ends.is_none() && args.marks.is_some() && kind.has_pauses();
        let pause_ends = if has_default { Some(SENTENCE_PAUSE) } else { options.pause_ends };
        let patience = is_live.then_some(PAUSE);
        let options = RestoreOptions { patience, mark_form, pause_ends, ..options.clone() };
        let (shown_path, language) = (shown(path), self.language.clone());
        let report = move |other| language::tell_other(&shown_path, &language, other);
        let monitored = LanguageMonitor::new(model.restorer.clone(), &self.language, report)
            .only_if(is_monitored && !args.quiet);
        let monitored = Arc::new(monitored);
        let (before, progress) = (self.done, &mut self.progress);
        let name = input.name().to_owned();
        if let Some(to) = to {
            let conversion = args.conversion(kind, to, &self.language);
            let (done, notes) = piped::convert(&conversion, &name, out, target, |pipe| {
                restore(kind, input, &*monitored, &options, &mut |bytes, done| {
                    progress.show(before + done);
                    pipe.write_all(bytes).map_err(|error| Error::io("write", target, error))
                })
            })?;
            monitored.finish();
            args.tell_conversion(path, encoder.encoding(), notes);
            self.done = before + done;
            return Ok(true);
        }
        let write = &mut |bytes: &[u8], done| {
            let written = if is_written { encoder.write(bytes, out) } else { out.write_all(bytes) };
            // Flushed at once, so that a slow pipe is served line by line.
            written.and_then(|()| out.flush()).map_err(|error| files::unwritten(&name, target, error))?;
            progress.show(before + done);
            Ok(())
        };
        if let Some(n) = args.n_best {
            n_best(input, model, n.get(), &options, write)?;
            return Ok(false);
        }
        let done = if args.stream {
            let mut flow = stream_as(name.clone(), kind, monitored.clone(), options)?;
            args.follow().restore(input, &mut *flow, write)?
        } else {
            restore(kind, input, &*monitored, &options, write)?
        };
        monitored.finish();
        if is_text {
            encoder.finish(out).map_err(|error| files::unwritten(&name, target, error))?;
        }
        if !args.quiet {
            messages::tell_encoding(path, args.encoding.as_ref(), encoder.encoding());
        }
        self.done = before + done;
        Ok(done.changed)
    }

    /// Restores a text to another file.
    fn restore_to(&mut self, path: &Path, output: &Path) -> Result<bool, Error> {
        let input = files::open(path)?;
        if let Some(folder) = output.parent() {
            std::fs::create_dir_all(folder).map_err(|error| Error::io("create", folder, error))?;
        }
        let mut out = Publish::new(output)?;
        let changed = self.restore(input, path, output, &mut out)?;
        Bytes::check_unchanged()?;
        out.commit()?;
        Ok(changed)
    }

    /// Restores a text in place.
    fn restore_in_place(&mut self, path: &Path, backup: Option<&str>) -> Result<bool, Error> {
        let refused = |what: &str| {
            let problem = format!("{what}, and not written in place: name an output with -o");
            Err(Error::file(path.to_string_lossy(), problem))
        };
        if path.exists() && !path.is_file() {
            return refused("is no regular file");
        }
        if self.args.targets.leads_out(path) {
            return refused("is a link that leads out of the folder that is given");
        }
        let seen = FileStamp::new(path)?;
        let input = files::open(path)?;
        if input.is_compressed() {
            return refused("is compressed");
        }
        let mut out = Publish::new(path)?;
        let changed = self.restore(input, path, path, &mut out)?;
        if changed {
            Bytes::check_unchanged()?;
            seen.check()?;
            match backup {
                Some(ending) => out.commit_with_backup(ending)?,
                None => out.commit()?,
            }
        }
        Ok(changed)
    }

    /// Prints the diff of a text.
    fn compare(&mut self, path: &Path) -> Result<bool, Error> {
        let mut out = Headed { header: header(path), out: std::io::stdout().lock() };
        self.restore(files::open(path)?, path, Path::new(STDOUT), &mut out)
    }
}

/// The header of the diff of a text.
fn header(path: &Path) -> Vec<u8> {
    let name = c_quoted(path.as_os_str().as_encoded_bytes());
    // A tab ends a name that contains white space, as GNU diff writes it; so do quotation marks.
    let is_open = !name.starts_with(b"\"") && String::from_utf8_lossy(&name).contains(char::is_whitespace);
    let end = if is_open { &b"\t\n"[..] } else { b"\n" };
    [b"--- ", &name[..], end, b"+++ ", &name, end].concat()
}

/// The pause in live input after which text is printed, with the words that wait for right context.
const PAUSE: Duration = Duration::from_millis(500);

/// Returns true if somebody may be waiting for the output as the input arrives: neither standard
/// input nor standard output is a file.
fn is_live() -> bool {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let is_file = |side: std::os::fd::BorrowedFd<'_>| {
            let side = side.try_clone_to_owned().map(std::fs::File::from);
            side.and_then(|file| file.metadata()).is_ok_and(|metadata| metadata.is_file())
        };
        !is_file(std::io::stdin().as_fd()) && !is_file(std::io::stdout().as_fd())
    }
    #[cfg(not(unix))]
    {
        std::io::stdin().is_terminal()
    }
}

/// The name of a file in messages.
fn shown(file: &Path) -> String {
    if file == Path::new("-") { "standard input".to_owned() } else { file.display().to_string() }
}

/// The name of a format on the command line.
fn name(kind: Kind) -> String {
    kind.name_of().to_owned()
}

/// The language that Whisper's JSON names. The input is read
/// whole, as it is for its text, and can still be read.
fn language_said(input: &mut Input) -> Result<Option<String>, Error> {
    let name = input.name().to_owned();
    let empty = Input::uncompressed(name.clone(), std::io::empty());
    let bytes = std::mem::replace(input, empty).bytes()?;
    let language = whisper::language(&bytes);
    *input = Input::uncompressed(name, std::io::Cursor::new(bytes));
    Ok(language)
}

/// A writer that puts a header before its first bytes, if any are written.
struct Headed<W> {
    header: Vec<u8>,
    out: W,
}

impl<W: Write> Write for Headed<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if !self.header.is_empty() && !bytes.is_empty() {
            self.out.write_all(&std::mem::take(&mut self.header))?;
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

/// Prints the most probable ways to write each line.
fn n_best(
    input: Input,
    model: &Model,
    n: usize,
    options: &RestoreOptions,
    write: &mut impl FnMut(&[u8], Done) -> Result<(), Error>,
) -> Result<(), Error> {
    let only_one = || {
        let method = &model.manifest.method;
        Error::Usage(format!("the method {method} finds one way only: leave --n-best out, or use hmm"))
    };
    let mut lines = input.lines();
    while let Some(line) = lines.next()? {
        let ways = restore::n_best(line.as_bytes(), &*model.restorer, n, options)?;
        let mut out = Vec::new();
        for way in ways.ok_or_else(only_one)? {
            out.extend(format!("{:.4}\t", way.log10).bytes());
            out.extend(way.line);
            out.push(b'\n');
        }
        out.push(b'\n');
        write(&out, Done::default())?;
    }
    Ok(())
}

/// A progress bar on standard error, if that is a terminal and the work takes long.
struct RestoreProgress {
    /// The number of bytes to read, if known.
    bytes: Option<u64>,
    start: Instant,
    bar: Option<ProgressBar>,
    wanted: bool,
}

/// The time before the bar appears: shorter work shows none.
const PATIENCE: Duration = Duration::from_millis(500);

impl RestoreProgress {
    /// A bar that is never shown if `hidden`: it is not wanted, or it would appear between the
    /// lines of a text on the terminal.
    fn new(files: &[&Path], hidden: bool) -> Self {
        let wanted = std::io::stderr().is_terminal() && !hidden;
        let bytes = if wanted { files.iter().map(files::len).sum() } else { None };
        Self { bytes, start: Instant::now(), bar: None, wanted }
    }

    fn show(&mut self, done: Done) {
        if !self.wanted || self.bar.is_none() && self.start.elapsed() < PATIENCE {
            return;
        }
        let bytes = self.bytes;
        let bar = self.bar.get_or_insert_with(|| {
            let bar = bar(bytes);
            messages::set_bar(Some(&bar));
            bar
        });
        bar.set_position(done.bytes);
        let seconds = self.start.elapsed().as_secs_f64();
        bar.set_message(format!("{} words, {:.1} M/s", done.words, done.words as f64 / seconds / 1e6));
    }
}

impl Drop for RestoreProgress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            messages::set_bar(None);
            bar.finish_and_clear();
        }
    }
}

/// A bar if the number of bytes is known, otherwise a counter.
fn bar(bytes: Option<u64>) -> ProgressBar {
    let known = "{elapsed_precise} [{bar:30}] {bytes}/{total_bytes}, {msg}, {eta} left";
    let open = "{elapsed_precise} {bytes}, {msg}";
    let (bar, template) = match bytes {
        None => (ProgressBar::no_length(), open),
        Some(bytes) => (ProgressBar::new(bytes), known),
    };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use majuscule::methods::embedded_as;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

        #[test]
        fn in_subtitles_a_capital_where_each_line_opens_takes_none_elsewhere(
            cues in prop::collection::vec(
                prop::collection::vec(prop::sample::select(vec![
                    "- so", "-", ">> and", "thank you", "we met", "in lisbon", "the bbc", "i", "do you know", "yes.", "no",
                    "what", "it's late", "[noise]", "\n",
                ]), 1..6),
                1..12,
            ),
        ) {
            let model = embedded_as("en", Preset::Fast).unwrap();
            let cues = cues.iter().enumerate().map(|(at, words)| {
                format!("{}\n00:00:{at:02},000 --> 00:00:{at:02},900\n{}\n\n", at + 1, words.join(" "))
            });
            let file: String = cues.collect();
            let restored = |sentence_start| {
                let options = RestoreOptions {
                    language: Some("en".into()),
                    capitalized: Capitalized::Ignore,
                    sentence_start,
                    lossy: true,
                    ..RestoreOptions::default()
                };
                let input = Input::uncompressed("talk.srt", std::io::Cursor::new(file.clone()));
                let mut out = Vec::new();
                let mut write = |bytes: &[u8], _| {
                    out.extend_from_slice(bytes);
                    Ok(())
                };
                restore(Kind::Srt, input, &*model.restorer, &options, &mut write).unwrap();
                out
            };
            let [auto, always] = [SentenceStart::Auto, SentenceStart::Always].map(restored);
            let keeps = auto.iter().zip(&always).all(|(auto, always)| auto == always || always.is_ascii_uppercase());
            prop_assert!(keeps, "{}\n{}", String::from_utf8_lossy(&auto), String::from_utf8_lossy(&always));
        }
    }
}
