//! Restores all texts.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;

use majuscule_base::bytes::Bytes;
use majuscule_base::error::Error;
use majuscule_base::files::{self, Encoding, FileStamp, Input, Publish};
use majuscule_base::printable::c_quoted;
use majuscule_format::{Format, decoded_text};
use majuscule_restore::models::Model;
use majuscule_restore::models::language::DetectedLanguage;
use majuscule_restore::pool::{detect, detected_format};
use majuscule_restore::{Done, LanguageMonitor, ModelPool, Note, restore, stream_as};
use majuscule_text::tokenize::NO_TEXT;
use majuscule_text::{MarkForm, OutputForm, RestoreOptions, Spellings};

use super::arguments::RestoreArgs;
use super::progress::RestoreProgress;
use crate::language::RunLanguages;
use crate::messages::shown;
use crate::methods::methods;
use crate::targets::Destination;
use crate::{convert, host, messages, named, piped};

/// Restores all texts.
pub fn run(args: RestoreArgs) -> Result<ExitCode> {
    args.check_files()?;
    let way = args.targets.way(args.format, args.output_form.to(), &args.other_inputs())?;
    let paths = way.paths();
    args.check(&paths)?;
    // The message comes before anything is waited for.
    if paths.contains(&Path::new("-")) && !host::is_hosted() && std::io::stdin().is_terminal() && !args.quiet
    {
        tell!(
            "majuscule: reading from the keyboard: end with Ctrl-D on an empty line, or name files (see --help)"
        );
    }
    let to_terminal =
        host::is_hosted() || matches!(way, Destination::Out(_)) && std::io::stdout().is_terminal();
    let mut work = Work::new(&args, &paths, RestoreProgress::new(&paths, to_terminal || args.quiet))?;
    work.joins = paths.len() > 1 && matches!(way, Destination::Out(_) | Destination::Joined(..));
    let code = match &way {
        Destination::Out(paths) => {
            let mut stdout = host::stdout();
            for path in paths {
                work.restore(host::open(path)?, path, Path::new(STDOUT), &mut stdout)?;
            }
            work.tell(None);
            ExitCode::SUCCESS
        }
        Destination::Joined(paths, output) => {
            let mut out = Publish::new(output)?;
            for path in paths {
                work.restore(host::open(path)?, path, output, &mut out)?;
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

/// Prints a note on a text.
fn tell_note(path: &Path, note: &Note) {
    tell!("majuscule: {}", note.worded(&shown(path), crate::flag));
}

/// The outcome of several texts.
#[derive(Debug, Default)]
struct Tally {
    changed: usize,
    same: usize,
    failed: usize,
    /// The exit code for all texts together.
    code: ExitCode,
}

/// Processes each text separately; after a failure, the error is printed and the next text follows.
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
                tally.code = crate::report(&error.into());
            }
        }
    }
    Ok(tally)
}

impl Tally {
    /// Returns the numbers of changed, unchanged and failed texts; `None` for a single text.
    fn summary(&self) -> Option<String> {
        let Self { changed, same, failed, .. } = *self;
        let were = if same == 1 { "it was" } else { "they were" };
        let is_several = changed + same + failed > 1;
        is_several.then(|| format!("{changed} changed, {same} as {were}, {failed} failed"))
    }
}

impl RestoreArgs {
    /// Returns the options of a text in the format `told`, with its defaults for options that the
    /// user has not set.
    fn options_of(&self, told: Format, options: &RestoreOptions) -> RestoreOptions {
        let kind = told.read_as();
        let mark_form = options.mark_form.or((told != kind).then_some(MarkForm::Apart));
        let has_default = !self.user.has("pause-ends") && self.user.has("marks");
        let pause_ends = if has_default { kind.sentence_pause() } else { options.pause_ends };
        options.clone().mark_form(mark_form).pause_ends(pause_ends)
    }

    /// Returns the format of a text: from `--format`, else from the file name, else from the first
    /// bytes.
    fn kind(&self, file: &Path, input: &mut Input) -> Result<Format, Error> {
        if self.format != Format::Auto {
            return Ok(self.format);
        }
        let (kind, note) = detected_format(input)?;
        note.into_iter().for_each(|note| self.tell(file, &note));
        self.check_kind(kind)?;
        Ok(kind)
    }

    /// Prints a note on a text, unless it is not wanted.
    fn tell(&self, file: &Path, note: &Note) {
        if !self.quiet {
            tell_note(file, note);
        }
    }

    /// Replaces the dictated commands of a text, if that is wanted; returns true if there are any.
    fn without_commands(
        &self,
        kind: Format,
        input: Input<'static>,
        model: &Model,
        options: &RestoreOptions,
    ) -> Result<(Input<'static>, bool), Error> {
        if !self.dictated {
            return Ok((input, false));
        }
        let name = input.name().to_owned();
        if kind != Format::Text {
            let problem = format!(
                "--dictated reads plain text, but {name} is {}: convert it with --to text",
                kind.shown()
            );
            return Err(Error::usage(problem));
        }
        let text = input.text()?;
        let written = model.with(options.clone()).dictated(&text)?;
        let is_rewritten = written != text;
        let input = Input::uncompressed(name, std::io::Cursor::new(written.into_bytes())).within(self.limits);
        Ok((input, is_rewritten))
    }

    /// Returns the model that the options name; `None` if the language of each file selects its
    /// model.
    fn model(&self, pool: &ModelPool) -> Result<Option<Model>, Error> {
        if let Some((model, _)) = self.cascade.load(self.lang(), &self.backend.computing())? {
            return Ok(Some(model));
        }
        match &self.model {
            Some(path) => {
                let model = named::load(path, self.lang(), &self.backend.computing(), true)?;
                self.check_language(&model)?;
                Ok(Some(model))
            }
            None if self.is_told_by_file() => Ok(None),
            None => Ok(Some(pool.model(self.lang(), self.preset)?)),
        }
    }

    /// Returns the detected language of a file, if it has a built-in model.
    fn detected(&self, path: &Path) -> Result<Option<&'static str>, Error> {
        let stand_in = self.user.options.lossy.then_some(NO_TEXT as char);
        let (mut input, _) =
            files::open(path)?.within(self.limits).decoded(self.encoding.clone(), stand_in)?;
        let kind = self.format.of_input(&mut input)?;
        Ok(match detect(kind, self.user.options.field.as_deref(), &mut input)? {
            DetectedLanguage::BuiltIn(language) => Some(language),
            _ => None,
        })
    }

    /// Returns the options for texts under this model: the arguments, with the spellings read under
    /// its case mappings.
    fn options_for(
        &self,
        model: &Model,
        options: &RestoreOptions,
        words: &[u8],
    ) -> Result<RestoreOptions, Error> {
        self.check_marks(model)?;
        let asked = self.lang.as_ref().filter(|asked| model.manifest.is_of(asked)).cloned();
        let options = model.fill_in(options.clone().in_language(asked));
        let name = self.words.as_deref().unwrap_or(Path::new("")).to_string_lossy();
        let spellings = Spellings::read(words, &name, options.locale())?;
        Ok(options.spellings(spellings))
    }
}

/// The state that restores one text after another.
struct Work<'a> {
    args: &'a RestoreArgs,
    pool: ModelPool,
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
    /// The encodings that the texts were read in.
    read_as: Vec<(PathBuf, Encoding)>,
}

impl<'a> Work<'a> {
    /// Opens everything but the texts, so that an error there
    /// is reported before anything is written.
    fn new(args: &'a RestoreArgs, paths: &[&Path], progress: RestoreProgress) -> Result<Self, Error> {
        let pool = ModelPool::new(methods()).computing(args.backend.computing());
        let model = args.model(&pool)?;
        let words = args.words.as_ref().map(|path| host::open(path)?.within(args.limits).bytes());
        let mut work = Self {
            args,
            pool,
            options: args.options(),
            words: words.transpose()?.unwrap_or_default(),
            model: None,
            language: if model.is_some() { args.lang().to_owned() } else { String::new() },
            paths: paths.iter().map(|path| path.to_path_buf()).collect(),
            languages: RunLanguages::default(),
            done: Done::default(),
            progress,
            joins: false,
            read_as: Vec::new(),
        };
        model.map_or(Ok(()), |model| work.set_model(model))?;
        Ok(work)
    }

    /// Prints the encodings that differ from the named one, and a summary; for several texts, it
    /// includes the detected languages.
    fn tell(&self, summary: Option<String>) {
        if !self.args.quiet {
            messages::tell_encodings(&self.read_as, self.args.encoding.as_ref());
        }
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
        self.model = Some((model, options.predictions(predictions)));
        Ok(())
    }

    /// Selects the built-in model for a text by its language: the language of `--lang`, or else the
    /// language that the text declares, or else the detected one. Returns true if the text declares
    /// its language.
    fn choose(&mut self, kind: Format, path: &Path, input: &mut Input) -> Result<bool, Error> {
        let Self { args, pool, paths, languages, .. } = self;
        let around = &mut || languages.majority(path, paths, |file| args.detected(file).ok().flatten());
        let text = (kind, args.user.options.field.as_deref());
        let chosen = pool.choose(&args.language(), args.preset, text, input, around)?;
        chosen.notes.iter().for_each(|note| args.tell(path, note));
        if self.model.is_none() || self.language != chosen.language {
            self.set_model(chosen.model)?;
            self.language = chosen.language;
        }
        Ok(chosen.is_declared)
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
        let input = input.within(args.limits);
        let (mut input, mut encoder) = decoded_text(input, args.encoding.as_ref(), args.user.options.lossy)?;
        let told = args.kind(path, &mut input)?;
        let kind = told.read_as();
        let is_text = self.options.form == OutputForm::Text || self.options.form.is_by_sentence();
        let is_written = is_text && args.n_best.is_none() && !args.follow().revisable;
        let to = if is_written { args.converts_to(kind, path, target)? } else { None };
        args.check_conversion(kind, to, self.joins)?;
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
        let options = args.options_of(told, options).patience(is_live.then_some(PAUSE));
        let options = if to.is_some() { options.form(OutputForm::Text) } else { options };
        let (input, is_rewritten) = args.without_commands(kind, input, model, &options)?;
        let file = path.to_owned();
        let report = move |note: Note| tell_note(&file, &note);
        let monitored = LanguageMonitor::new(model.restorer.clone(), &self.language, report)
            .only_if(is_monitored && !args.quiet);
        let monitored = Arc::new(monitored);
        let (before, progress) = (self.done, &mut self.progress);
        let name = input.name().to_owned();
        if let Some(conversion) = to.and_then(|to| args.conversion(kind, to, target, &self.language)) {
            let (done, notes) = piped::convert(&conversion, &name, out, target, |pipe| {
                restore(kind, input, &*monitored, &options, &mut |bytes, done| {
                    progress.show(before + done);
                    pipe.write_all(bytes).map_err(|error| Error::io("write", target, error))
                })
            })?;
            monitored.finish();
            if !args.quiet {
                convert::tell(notes);
            }
            self.read_as.push((path.to_owned(), encoder.encoding().clone()));
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
        self.read_as.push((path.to_owned(), encoder.encoding().clone()));
        self.done = before + done;
        Ok(done.changed || is_rewritten)
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
            let problem = format!("{what} and cannot be changed in place: name an output with -o");
            Err(Error::file(path.to_string_lossy(), problem))
        };
        if path.exists() && !path.is_file() {
            return refused("is not a regular file");
        }
        if self.args.targets.leads_out(path) {
            return refused("is a link to a file outside the given folder");
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
            if !self.args.quiet
                && path.is_symlink()
                && let Ok(file) = std::fs::canonicalize(path)
            {
                tell!("majuscule: {} is a link: changed {}, to which it leads", shown(path), file.display());
            }
        }
        Ok(changed)
    }

    /// Prints the diff of a text.
    fn compare(&mut self, path: &Path) -> Result<bool, Error> {
        let mut out = Headed { header: header(path), out: host::stdout() };
        self.restore(host::open(path)?, path, Path::new(STDOUT), &mut out)
    }
}

/// Returns the header of the diff of a text.
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

/// A writer that writes a header before the first bytes, if there are any.
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
        Error::usage(format!("the method {method} gives no n-best list: leave --n-best out, or use hmm"))
    };
    let mut lines = input.lines();
    while let Some(line) = lines.next()? {
        let ways = majuscule_restore::n_best(line.as_bytes(), &*model.restorer, n, options)?;
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use majuscule_restore::models::{Model, Preset};
    use majuscule_text::SentenceStart;
    use majuscule_text::tokenize::Capitalized;

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
            let model = Model::embedded_as("en", Preset::Fast).unwrap();
            let cues = cues.iter().enumerate().map(|(at, words)| {
                format!("{}\n00:00:{at:02},000 --> 00:00:{at:02},900\n{}\n\n", at + 1, words.join(" "))
            });
            let file: String = cues.collect();
            let restored = |sentence_start| {
                let options = RestoreOptions::default().in_language(Some("en".into())).capitalized(Capitalized::Ignore).sentence_start(sentence_start).lossy(true);
                let input = Input::uncompressed("talk.srt", std::io::Cursor::new(file.clone()));
                let mut out = Vec::new();
                let mut write = |bytes: &[u8], _| {
                    out.extend_from_slice(bytes);
                    Ok(())
                };
                restore(Format::Srt, input, &*model.restorer, &options, &mut write).unwrap();
                out
            };
            let [auto, always] = [SentenceStart::Auto, SentenceStart::Always].map(restored);
            let keeps = auto.iter().zip(&always).all(|(auto, always)| auto == always || always.is_ascii_uppercase());
            prop_assert!(keeps, "{}\n{}", String::from_utf8_lossy(&auto), String::from_utf8_lossy(&always));
        }
    }
}
