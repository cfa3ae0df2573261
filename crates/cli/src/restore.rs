//! `majuscule restore`: text in, the same text with its capitals out.

use std::io::{IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};

use super::backend::BackendArgs;
use super::cascade::CascadeArgs;
use super::heard::Heard;
use super::messages;
use super::methods::methods;
use super::named;
use super::page::threads;
use super::stream::FollowOptions;
use super::targets::{Destination, Targets};
use majuscule::bytes::Bytes;
use majuscule::error::Error;
use majuscule::files::{self, Encoding, FileStamp, Input, Publish};
use majuscule::format::{Context, Kind, Settings, refuse_binary, whisper};
use majuscule::methods::language::{Other, name_of, tag_of};
use majuscule::methods::{LANGUAGES, Model, Preset, embedded_on, language_of};
use majuscule::named::NamedValue;
use majuscule::printable::c_quoted;
use majuscule::restore::{self, Done, Output, OutputForm, RestoreOptions, Threshold, restore_as, stream_as};
use majuscule::text::tokenize::{Capitalized, NO_TEXT};
use majuscule::text::{Locale, Policy, SentenceStart, Spellings};
use majuscule_arguments::{by_name, default_name};

/// Restores capital letters in text
///
/// Nothing but the case of letters is ever changed. What wins, in this order: the spellings of --words, capitals that are
/// kept (--case), the start of a sentence (--sentence-start), the model.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct RestoreArgs {
    #[command(flatten)]
    targets: Targets,
    /// What the files are; what is no text in them stays as it is
    ///
    /// In subtitles and transcripts a sentence runs on from cue to cue, tags and [events] are no words, and a dash or a voice is
    /// another speaker.
    #[arg(long, value_parser = by_name::<Kind>(), default_value = default_name::<Kind>())]
    format: Kind,
    /// Which field of jsonl is the text (text where it is not given; result.text is a field inside another), or the number of the
    /// column of conll that has the words
    #[arg(long, value_name = "NAME")]
    field: Option<String>,
    /// What belongs together: words of one text bear on each other, and those of two never do. With line the last words of a line or
    /// record wait for nothing
    #[arg(long, value_parser = by_name::<Context>(), default_value = default_name::<Context>())]
    context: Context,
    /// The field of jsonl that says which records belong together (call, or meta.call inside another): those that follow each other
    /// and say the same there are one text
    #[arg(long, value_name = "FIELD", conflicts_with = "context")]
    group: Option<String>,
    /// The encoding of texts without a byte-order mark, which tells UTF-16 and UTF-8: windows-1252, iso-8859-2, koi8-r, ..., as the
    /// WHATWG standard names them (koi8-u has ў and Ў at AE and BE); UTF-8 where it is not given. Texts are written back in theirs, probabilities and diffs in UTF-8
    #[arg(long, value_name = "NAME")]
    encoding: Option<Encoding>,
    /// The built-in model of this language: en (where it is not given), es, fr, nl or pt; auto tells it from the commonest words
    /// in the first 4 KiB of each file, and waits until so much or the end is there. What Whisper's JSON says of its language is
    /// used with auto and where this is not given; a text that clearly is in another language is told on standard error. With
    /// a --model of several languages, the one of the text
    #[arg(long, value_name = "LANG")]
    lang: Option<String>,
    /// Which of the two built-in models of the language
    #[arg(long, value_parser = by_name::<Preset>(), default_value = default_name::<Preset>())]
    preset: Preset,
    /// A model made by train, instead of a built-in one
    #[arg(long, value_name = "FOLDER", conflicts_with = "preset")]
    model: Option<PathBuf>,
    #[command(flatten)]
    cascade: CascadeArgs,
    /// Your own spellings, a word or phrase a line (iPhone, New York); they always win
    #[arg(long, value_name = "FILE")]
    words: Option<PathBuf>,
    /// Which capitals of the input count; auto where it is not given, ignore with --stream, which cannot wait for the line
    /// that auto looks at
    #[arg(long, value_parser = by_name::<Capitalized>())]
    case: Option<Capitalized>,
    /// Where a capital is put because a sentence begins
    #[arg(long, value_parser = by_name::<SentenceStart>(), default_value = default_name::<SentenceStart>())]
    sentence_start: SentenceStart,
    /// Whose case pairs are used, such as tr or nl; by default the model's
    #[arg(long, value_name = "LANG")]
    locale: Option<Locale>,
    /// Print each word as soon as it is certain, without waiting for its line to end
    ///
    /// A word ends at white space or the end of the input, and comes out once the words of --look-ahead (1) after it have
    /// ended too; what was printed is never changed. The output is that of the whole text given at once. Nothing is
    /// decided by the rest of a line: the first word of a line begins a sentence where the text before it has ended one,
    /// and for any other line with --sentence-start always. A mark-up tag and a phrase of --words are waited for.
    ///
    /// Of --format ctm, jsonl and whisper-json (a document a line) a record comes out once all its words are certain.
    #[arg(long, conflicts_with = "n_best")]
    stream: bool,
    /// With --stream and JSON, the field that says which record it is (id where it is not given): one that was there before takes
    /// the place of that record, as recognisers revise what they heard
    #[arg(long, value_name = "NAME")]
    id: Option<String>,
    /// With --stream, print what waited for so long, by the words that are there; a word of which only a part is there ends
    /// then, and the rest of it stays as it comes
    #[arg(long, value_name = "MILLISECONDS", requires = "stream")]
    max_delay: Option<u64>,
    /// Let a choice depend on at most N later words, so that live text waits for no more; 0 is none. By default all that the
    /// method uses, with --stream 1
    #[arg(long, visible_alias = "lookahead", value_name = "N")]
    look_ahead: Option<usize>,
    /// Average each choice over so many contexts, with a model of bert on texts longer than its window: slower and better
    #[arg(long, value_name = "N", value_parser = super::page::number, conflicts_with = "look_ahead")]
    predictions_per_word: Option<NonZeroUsize>,
    #[command(flatten)]
    backend: BackendArgs,
    /// Print each word on a line of its own with the probability of its case, instead of the text; methods that have none
    /// cannot
    #[arg(long)]
    confidence: bool,
    /// Leave a word as it is in the input where the probability of its case is less than P, from 0 to 1. Words of
    /// --words, capitals that are kept and the starts of sentences are certain
    #[arg(long, value_name = "P", conflicts_with = "n_best")]
    threshold: Option<Threshold>,
    /// Print JSON, an object a line
    ///
    /// With --confidence, of each word: {"line":1,"form":"Lisbon","probability":0.98}, and "sentence_end":true or false
    /// where the model chooses that. With --stream alone, whenever something is new: {"committed":"in ","tail":"Lisbon"},
    /// where committed is what --stream would print and tail what may still change.
    #[arg(long, conflicts_with = "n_best", verbatim_doc_comment)]
    json: bool,
    /// Print for each line, taken by itself, the N likeliest ways to write it, with log10 of the probability of each before
    /// a tab and an empty line after the last; methods that find only one cannot
    #[arg(long, value_name = "N", value_parser = super::page::number, conflicts_with_all = ["confidence", "look_ahead"])]
    n_best: Option<NonZeroUsize>,
    /// Pass bytes that are not UTF-8 and parts of a file that are not in its format through as they are, instead of stopping
    /// there
    #[arg(long)]
    lossy: bool,
    /// How many threads work on it; as many as the machine has cores at most, and so many where it is not given. The output does not depend on it
    #[arg(long, value_name = "N", value_parser = super::page::number)]
    threads: Option<NonZeroUsize>,
    /// Say nothing but errors: no summary of many files, no notes, no progress
    #[arg(short, long)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  majuscule restore talk.txt -o talk.cased.txt
  majuscule restore talk.srt -o talk.cased.srt
  majuscule restore --in-place=.bak talks/
  majuscule restore --lang auto --encoding windows-1252 legendas/ -o restored/
  majuscule restore --check subtitles/*.vtt
  some-recogniser | majuscule restore | less
  some-recogniser | majuscule restore --stream --max-delay 500
  majuscule restore --lang pt --words my.words legendas.txt.gz
  majuscule restore --model my-model --sentence-start always talk.txt
  majuscule restore --cascade fast,my-tagger --sure 0.95 talk.txt";

/// So many bytes of a file tell its language: some hundred words, enough for five languages that differ in the commonest.
const LANGUAGE_BYTES: usize = 4096;

/// Restores all texts.
pub fn run(args: RestoreArgs) -> Result<ExitCode> {
    let way = args.targets.way(args.format, &args.other_inputs())?;
    let paths = way.paths();
    args.check(&paths)?;
    // Said before anything is waited for.
    if paths.contains(&Path::new("-")) && std::io::stdin().is_terminal() && !args.quiet {
        tell!(
            "majuscule: reading what you type: end with Ctrl-D on a line of its own, or name files (--help)"
        );
    }
    let to_terminal = matches!(way, Destination::Out(_)) && std::io::stdout().is_terminal();
    let mut work = Work::new(&args, RestoreProgress::new(&paths, to_terminal || args.quiet))?;
    let code = match &way {
        Destination::Out(paths) => {
            let mut stdout = std::io::stdout().lock();
            for path in paths {
                work.restore(files::open(path)?, path, Path::new(STDOUT), &mut stdout)?;
            }
            ExitCode::SUCCESS
        }
        Destination::Joined(paths, output) => {
            let mut out = Publish::new(output)?;
            for path in paths {
                work.restore(files::open(path)?, path, output, &mut out)?;
            }
            Bytes::check_unchanged()?;
            out.commit()?;
            ExitCode::SUCCESS
        }
        Destination::Apart(pairs) => {
            let tally = each(pairs, |(path, output)| work.restore_to(path, output))?;
            tally.tell(args.quiet);
            tally.code
        }
        Destination::Back(paths, backup) => {
            let tally = each(paths, |path| work.restore_in_place(path, backup.as_deref()))?;
            tally.tell(args.quiet);
            tally.code
        }
        Destination::Diff(paths, is_check) => {
            let compared = each(paths, |path| work.compare(path));
            // Nobody closes a pipe in which nothing came.
            if *is_check && compared.as_ref().is_err_and(Error::is_closed_pipe) {
                return Ok(ExitCode::FAILURE);
            }
            let tally = compared?;
            match tally.changed {
                1.. if *is_check => {
                    if !args.quiet {
                        tell!("majuscule: {} of {} would change", tally.changed, paths.len());
                    }
                    ExitCode::FAILURE
                }
                _ => tally.code,
            }
        }
    };
    Ok(code)
}

const STDOUT: &str = "standard output";

/// What became of several texts.
#[derive(Debug, Default)]
struct Tally {
    changed: usize,
    same: usize,
    failed: usize,
    /// The exit code that they give together.
    code: ExitCode,
}

/// Restores each text by itself: where one fails, that is said, and the next is done. `work` says whether a text changed.
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
    /// Says what became of them, where there was more than one.
    fn tell(&self, quiet: bool) {
        let Self { changed, same, failed, .. } = *self;
        if !quiet && changed + same + failed > 1 {
            let were = if same == 1 { "it was" } else { "they were" };
            tell!("majuscule: {changed} changed, {same} as {were}, {failed} failed");
        }
    }
}

impl RestoreArgs {
    /// Refuses what does not go together.
    fn check(&self, files: &[&Path]) -> Result<(), Error> {
        let problem = if self.json && !self.stream && !self.confidence {
            "--json tells more of words or of a stream: give --confidence or --stream with it"
        } else if !self.cascade.files().is_empty() && (self.stream || self.lang() == "auto") {
            "--cascade waits for the ends of sentences and serves one language: leave --stream out, and name the language"
        } else if self.id.is_some() && !self.stream {
            "--id is for records that come in live: give --stream with it"
        } else if self.stream && self.is_told_by_file() {
            "--lang auto waits for the first 4 KiB, but --stream does not wait: name the language"
        } else {
            let known =
                |file: &&Path| Some(self.format).filter(|kind| *kind != Kind::Auto).or(Kind::named(file));
            return files.iter().filter_map(known).try_for_each(|kind| self.check_kind(kind));
        };
        Err(Error::Usage(problem.into()))
    }

    /// Refuses what does not go together with the format of a text.
    fn check_kind(&self, kind: Kind) -> Result<(), Error> {
        let problem = if self.n_best.is_some() && kind != Kind::Text {
            "--n-best reads plain text: leave it out, or give --format text"
        } else if self.stream && self.confidence && kind != Kind::Text {
            "--stream gives records back as they are: leave --confidence out"
        } else if self.context == Context::Line && !matches!(kind, Kind::Text | Kind::Jsonl) {
            "--context line parts lines of text and records of jsonl, but subtitles and other transcripts run on from line to line: \
             leave it out"
        } else if self.group.is_some() && kind != Kind::Jsonl {
            "--group names a field of jsonl, but there is a text of another format: leave it out, or give --format jsonl"
        } else {
            return Ok(());
        };
        Err(Error::Usage(problem.into()))
    }

    /// What a text is: as is said, or as its name says, or as its first bytes show. Tokens of a text are text.
    fn kind(&self, file: &Path, input: &mut Input) -> Result<Kind, Error> {
        let kind = self.told_kind(file, input)?;
        Ok(if kind == Kind::Tok { Kind::Text } else { kind })
    }

    fn told_kind(&self, file: &Path, input: &mut Input) -> Result<Kind, Error> {
        if self.format != Kind::Auto {
            return Ok(self.format);
        }
        Kind::refuse_unread(file)?;
        let (named, told) = (Kind::named(file), Kind::told_by(input)?);
        if let (Some(named), Some(told)) = (named, told)
            && named != told
            && !self.quiet
        {
            let (file, named, told) = (shown(file), name(named), name(told));
            tell!(
                "majuscule: {file} is named as {named}, but begins as {told} does: read as {named}; --format {told} reads it as that"
            );
        }
        let kind = named.or(told).unwrap_or(Kind::Text);
        self.check_kind(kind)?;
        Ok(kind)
    }

    /// Refuses to write a text under the name of another format: it keeps its own.
    fn check_target(&self, kind: Kind, file: &Path, target: &Path) -> Result<(), Error> {
        let objects = [Kind::Jsonl, Kind::WhisperJson];
        match Kind::named(target).filter(|_| self.format == Kind::Auto) {
            Some(other)
                if other != kind
                    && Kind::named(file) != Some(other)
                    && !(objects.contains(&kind) && objects.contains(&other)) =>
            {
                let (from, to) = (shown(file), target.display());
                Err(Error::Usage(format!(
                    "{to} is named as {}, but {from} is {}, and restore keeps the format: convert it first (majuscule convert {} -o \
                     {to}), or name the output as what it is",
                    name(other),
                    name(kind),
                    file.display(),
                )))
            }
            _ => Ok(()),
        }
    }

    /// Whether the model is one of those inside the program.
    fn is_built_in(&self) -> bool {
        self.model.is_none() && self.cascade.files().is_empty()
    }

    /// Whether each file chooses its own model.
    fn is_told_by_file(&self) -> bool {
        self.lang() == "auto" && self.is_built_in()
    }

    /// All that is read beside texts: spellings, and the model with the files of its folder.
    fn other_inputs(&self) -> Vec<PathBuf> {
        let mut inputs: Vec<PathBuf> = self.words.iter().cloned().collect();
        for model in self.model.iter().chain(self.cascade.files()) {
            let files = std::fs::read_dir(model).into_iter().flatten();
            inputs.extend(files.filter_map(|file| Some(file.ok()?.path())));
            inputs.push(model.clone());
        }
        inputs
    }

    /// The model that is named; `None` where each file chooses its own.
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
            None => embedded_on(self.lang(), self.preset, &self.backend.computing()).map(Some),
        }
    }

    fn lang(&self) -> &str {
        self.lang.as_deref().unwrap_or("en")
    }

    /// Refuses a language that a model of one's own is not for.
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

    fn settings(&self, model: &Model, words: &[u8]) -> Result<Settings, Error> {
        let locale = self.locale.unwrap_or(model.manifest.locale);
        let name = self.words.as_deref().unwrap_or(Path::new("")).to_string_lossy();
        let words = Spellings::read(words, &name, locale)?;
        let asked = self.lang.as_ref().filter(|asked| model.manifest.is_of(asked));
        let language = asked.unwrap_or(&model.manifest.language).clone();
        Ok(self.options(words).settings(&language, locale))
    }

    /// The arguments as the library takes them, with spellings read before.
    fn options(&self, spellings: Spellings) -> RestoreOptions {
        RestoreOptions {
            locale: self.locale,
            capitalized: match self.case {
                None if self.stream => Capitalized::Ignore,
                case => case.unwrap_or_default(),
            },
            spellings,
            sentence_start: self.sentence_start,
            context: self.context,
            group: self.group.clone(),
            field: self.field.clone(),
            id: self.id.clone(),
            lossy: self.lossy,
            look_ahead: self.look_ahead.or(self.stream.then_some(1)),
            predictions: self.predictions_per_word.unwrap_or(NonZeroUsize::MIN),
            threshold: self.threshold,
            threads: threads(self.threads),
        }
    }

    fn output(&self) -> Output {
        let form = match (self.confidence, self.json) {
            (false, _) if self.targets.is_compared() => OutputForm::Diff,
            (false, _) => OutputForm::Text,
            (true, false) => OutputForm::Words,
            (true, true) => OutputForm::Json,
        };
        Output { form, threshold: self.threshold, patience: None }
    }

    fn follow(&self) -> FollowOptions {
        let max_delay = self.max_delay.map(Duration::from_millis);
        FollowOptions { max_delay, revisable: self.json && !self.confidence }
    }
}

/// What restores one text after the other.
struct Work<'a> {
    args: &'a RestoreArgs,
    words: Vec<u8>,
    /// A model named at the start serves all texts; otherwise the last one's is here.
    model: Option<Model>,
    /// The language of the built-in model that is here.
    language: String,
    settings: Option<Settings>,
    done: Done,
    progress: RestoreProgress,
}

impl<'a> Work<'a> {
    /// Opens all but the texts: what is wrong there is told before anything is written.
    fn new(args: &'a RestoreArgs, progress: RestoreProgress) -> Result<Self, Error> {
        let model = args.model()?;
        let words =
            args.words.as_ref().map(|path| files::open(path)?.bytes()).transpose()?.unwrap_or_default();
        let settings = model.as_ref().map(|model| args.settings(model, &words)).transpose()?;
        let language = if model.is_some() { args.lang().to_owned() } else { String::new() };
        Ok(Self { args, words, model, language, settings, done: Done::default(), progress })
    }

    /// Takes the built-in model for a text, by the language that it says it is in, that is named, or that it shows. Whether it says
    /// that itself.
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
                Err(Error::Usage(problem)) => {
                    tell!("majuscule: {} says that its language is \"{language}\": {problem}", shown(path));
                }
                Err(error) => return Err(error),
            }
        }
        let language = match args.is_told_by_file() {
            true => language_of(&String::from_utf8_lossy(&input.peek(LANGUAGE_BYTES)?))?.to_owned(),
            false => args.lang().to_owned(),
        };
        self.take_model(&language)?;
        Ok(said.is_some())
    }

    fn take_model(&mut self, language: &str) -> Result<(), Error> {
        if self.model.is_none() || self.language != language {
            let found = embedded_on(language, self.args.preset, &self.args.backend.computing())?;
            self.settings = Some(self.args.settings(&found, &self.words)?);
            self.model = Some(found);
            self.language = language.to_owned();
        }
        Ok(())
    }

    /// Restores a text to `out`, which errors call `target`, and says whether it changed.
    fn restore(
        &mut self,
        input: Input,
        path: &Path,
        target: &Path,
        out: &mut dyn Write,
    ) -> Result<bool, Error> {
        let args = self.args;
        let mut input = input;
        if !args.lossy {
            refuse_binary(&mut input, args.encoding.as_ref())?;
        }
        let stand_in = args.lossy.then_some(NO_TEXT as char);
        let (mut input, mut encoder) = input.decoded(args.encoding.clone(), stand_in)?;
        let kind = args.kind(path, &mut input)?;
        if args.output().form == OutputForm::Text && args.n_best.is_none() {
            args.check_target(kind, path, target)?;
        }
        let is_said = !args.is_built_in() || self.choose(kind, path, &mut input)?;
        let is_judged = !is_said && (args.lang.is_none() || args.is_told_by_file());
        let (Some(model), Some(settings)) = (&self.model, &self.settings) else { return Ok(false) };
        let policy = args.options(Spellings::default()).policy(settings.locale);
        let mut output = args.output();
        if target == Path::new(STDOUT) && path == Path::new("-") && is_live() {
            output.patience = Some(PAUSE);
        }
        let tell = |other| tell_language(path, &self.language, other);
        let heard = Heard::new(&*model.restorer, &self.language, args.is_told_by_file(), tell)
            .only_if(is_judged && !args.quiet);
        let (before, progress) = (self.done, &mut self.progress);
        let is_text = output.form == OutputForm::Text && args.n_best.is_none() && !args.follow().revisable;
        let write = &mut |bytes: &[u8], done| {
            let written = if is_text { encoder.write(bytes, out) } else { out.write_all(bytes) };
            // Flushed at once: a slow pipe is served line by line.
            written.and_then(|()| out.flush()).map_err(|error| Error::io("write", target, error))?;
            progress.show(before + done);
            Ok(())
        };
        if let Some(n) = args.n_best {
            n_best(input, model, n.get(), settings, &policy, write)?;
            return Ok(false);
        }
        let (settings, method, want) =
            (settings.clone(), &heard, args.options(Spellings::default()).want(kind));
        let done = if args.stream {
            let name = input.name().to_owned();
            let mut flow = stream_as(name, kind, settings, method, want, policy, output)?;
            args.follow().restore(input, &mut *flow, write)?
        } else {
            let mut format = kind.open(input, settings)?;
            restore_as(&mut *format, method, want, &policy, output, write)?
        };
        heard.finish();
        if !args.quiet {
            messages::tell_encoding(path, args.encoding.as_ref(), encoder.encoding());
        }
        self.done = before + done;
        Ok(done.changed)
    }

    /// Restores a text to a file of its own.
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

    /// Restores a text back to its file.
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

    /// Prints what changes in a text.
    fn compare(&mut self, path: &Path) -> Result<bool, Error> {
        let mut out = Headed { header: header(path), out: std::io::stdout().lock() };
        self.restore(files::open(path)?, path, Path::new(STDOUT), &mut out)
    }
}

/// The header of the diff of a text.
fn header(path: &Path) -> Vec<u8> {
    let name = c_quoted(path.as_os_str().as_encoded_bytes());
    // A tab ends a name with white space in it, as GNU's diff writes it; quotation marks end it too.
    let is_open = !name.starts_with(b"\"") && String::from_utf8_lossy(&name).contains(char::is_whitespace);
    let end = if is_open { &b"\t\n"[..] } else { b"\n" };
    [b"--- ", &name[..], end, b"+++ ", &name, end].concat()
}

/// Text that comes in live and is not followed by more for so long comes out, with the words that wait for right context.
const PAUSE: Duration = Duration::from_millis(500);

/// Whether somebody may wait at the other end of standard output for what comes in: neither side is a file.
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

/// Says that a text is in another language than its model.
fn tell_language(path: &Path, language: &str, other: Other) {
    let (file, used) = (shown(path), name_of(language));
    let other_name = match other {
        Other::Language(tag, name) if LANGUAGES.contains(&tag) => {
            let advice = format!("give --lang {tag}, or --lang auto, which tells them apart");
            return tell!("majuscule: {file} looks {name}, but is restored as {used}: {advice}");
        }
        Other::Language(_, name) => format!("looks {name}"),
        Other::Script => "is not in Latin letters".to_owned(),
        Other::Unknown => "is in a language that is not known here".to_owned(),
    };
    let list = LANGUAGES.join(", ");
    tell!(
        "majuscule: {file} {other_name}, but is restored as {used}: the built-in models are of {list}; train makes one of your own \
         text, and --model names it"
    );
}

/// What a file is called in messages.
fn shown(file: &Path) -> String {
    if file == Path::new("-") { "standard input".to_owned() } else { file.display().to_string() }
}

/// What a format is called on the command line.
fn name(kind: Kind) -> String {
    kind.name_of().to_owned()
}

/// The language that Whisper's JSON says it is in; the input is read whole, as it is for its text, and stays to be read.
fn language_said(input: &mut Input) -> Result<Option<String>, Error> {
    let name = input.name().to_owned();
    let empty = Input::uncompressed(name.clone(), std::io::empty());
    let bytes = std::mem::replace(input, empty).bytes()?;
    let language = whisper::language(&bytes);
    *input = Input::uncompressed(name, std::io::Cursor::new(bytes));
    Ok(language)
}

/// What is written comes after a header, if anything is written.
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

/// Prints the likeliest ways to write each line.
fn n_best(
    input: Input,
    model: &Model,
    n: usize,
    settings: &Settings,
    policy: &Policy,
    write: &mut impl FnMut(&[u8], Done) -> Result<(), Error>,
) -> Result<(), Error> {
    let only_one = || {
        let method = &model.manifest.method;
        Error::Usage(format!("the method {method} finds one way only: leave --n-best out, or use hmm"))
    };
    let mut lines = input.lines();
    while let Some(line) = lines.next()? {
        let ways = restore::n_best(line.as_bytes(), &*model.restorer, n, settings.clone(), policy)?;
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

/// A progress bar on standard error, where that is a terminal and the work takes its time.
struct RestoreProgress {
    /// How many there are to read, where that is known.
    bytes: Option<u64>,
    start: Instant,
    bar: Option<ProgressBar>,
    wanted: bool,
}

/// Work that is done sooner shows no bar.
const PATIENCE: Duration = Duration::from_millis(500);

impl RestoreProgress {
    /// `hidden` where nobody wants it, or the text appears on the terminal: then it needs no bar between its lines.
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

/// Without a length there is no bar to fill.
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
                let settings = Settings {
                    language: "en".into(),
                    capitalized: Capitalized::Ignore,
                    lossy: true,
                    ..Settings::default()
                };
                let input = Input::uncompressed("talk.srt", std::io::Cursor::new(file.clone()));
                let mut format = Kind::Srt.open(input, settings).unwrap();
                let want = RestoreOptions { sentence_start, ..Default::default() }.want(Kind::Srt);
                let policy = Policy { sentence_start, ..Policy::default() };
                let mut out = Vec::new();
                let mut write = |bytes: &[u8], _| {
                    out.extend_from_slice(bytes);
                    Ok(())
                };
                restore::restore(&mut *format, &*model.restorer, want, &policy, &mut write).unwrap();
                out
            };
            let [auto, always] = [SentenceStart::Auto, SentenceStart::Always].map(restored);
            let keeps = auto.iter().zip(&always).all(|(auto, always)| auto == always || always.is_ascii_uppercase());
            prop_assert!(keeps, "{}\n{}", String::from_utf8_lossy(&auto), String::from_utf8_lossy(&always));
        }
    }
}
