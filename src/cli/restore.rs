//! `majuscule restore`: text in, the same text with its capitals out.

use std::io::{IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};

use crate::error::Error;
use crate::files::{self, Publish};
use crate::format::{Plain, Settings};
use crate::methods::{Model, embedded, embedded_for, load};
use crate::model;
use crate::restore::{Done, restore};
use crate::restorer::Want;
use crate::text::tokenize::Capitalized;
use crate::text::{Locale, Policy, SentenceStart, Words};

/// Restores capital letters in text
///
/// Nothing but the case of letters is ever changed. What wins, in this order: the spellings of --words, capitals that are
/// kept (--case), the start of a sentence (--sentence-start), the model.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Texts in UTF-8; .gz, .zst and .xz are read as they are; - and none at all are standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write here instead of standard output; the file appears whole, once all is done
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The built-in model of this language: en, es, fr, nl or pt; auto tells it from the commonest words at
    /// the beginning of each file
    #[arg(long, value_name = "LANG", default_value = "en")]
    lang: String,
    /// A model made by train, instead of a built-in one
    #[arg(long, value_name = "FOLDER", conflicts_with = "lang")]
    model: Option<PathBuf>,
    /// Your own spellings, a word or phrase a line (iPhone, New York); they always win
    #[arg(long, value_name = "FILE")]
    words: Option<PathBuf>,
    /// Which capitals of the input count
    #[arg(long, value_enum, default_value_t)]
    case: Capitalized,
    /// Where a capital is put because a sentence begins
    #[arg(long, value_enum, default_value_t)]
    sentence_start: SentenceStart,
    /// Whose case pairs are used, such as tr or nl; by default the model's
    #[arg(long, value_name = "LANG")]
    locale: Option<Locale>,
    /// Pass bytes that are not UTF-8 through as they are, instead of stopping there
    #[arg(long)]
    lossy: bool,
    /// How many threads work on it; all cores where it is not given. The output does not depend on it
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

/// Restores all files, one after the other.
pub fn run(args: Args) -> Result<ExitCode> {
    let files = if args.files.is_empty() { vec![PathBuf::from("-")] } else { args.files.clone() };
    let output = args.output.as_deref().filter(|path| *path != Path::new("-"));
    if let Some(output) = output {
        let inputs: Vec<&PathBuf> = files.iter().chain(&args.words).collect();
        files::check_output(output, &inputs)?;
    }
    let model = args.model()?;
    match output {
        Some(path) => {
            let mut out = Publish::new(path)?;
            args.restore(model, &files, path, &mut out)?;
            out.commit()?;
        }
        None => {
            let out = &mut std::io::stdout().lock();
            args.restore(model, &files, Path::new("standard output"), out)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// The model that is named; `None` where each file chooses its own.
    fn model(&self) -> Result<Option<Model>, Error> {
        match &self.model {
            Some(path) => load(&*model::open(path)?).map(Some),
            None if self.lang == "auto" => Ok(None),
            None => embedded(&self.lang).map(Some),
        }
    }

    fn settings(&self, model: &Model) -> Result<Settings, Error> {
        let locale = self.locale.unwrap_or(model.manifest.locale);
        let words = match &self.words {
            Some(path) => Words::read(&files::open(path)?.bytes()?, &path.to_string_lossy(), locale)?,
            None => Words::default(),
        };
        let language = model.manifest.language.clone();
        Ok(Settings { locale, language, capitalized: self.case, words, lossy: self.lossy })
    }

    fn restore(
        &self,
        mut model: Option<Model>,
        files: &[PathBuf],
        target: &Path,
        out: &mut dyn Write,
    ) -> Result<(), Error> {
        let threads = self.threads.or_else(|| std::thread::available_parallelism().ok());
        let want = Want { threads: threads.unwrap_or(NonZeroUsize::MIN), ..Want::default() };
        let mut progress = Progress::new(files);
        let mut before = Done::default();
        // A model named at the start serves all files, and wrong words are told before anything is written.
        let mut settings = model.as_ref().map(|model| self.settings(model)).transpose()?;
        for file in files {
            let mut input = files::open(file)?;
            if self.lang == "auto" && self.model.is_none() {
                let found = embedded_for(&String::from_utf8_lossy(input.peek()?))?;
                settings = Some(self.settings(&found)?);
                model = Some(found);
            }
            let (Some(model), Some(settings)) = (&model, &settings) else { continue };
            let policy = Policy { locale: settings.locale, sentence_start: self.sentence_start };
            let mut plain = Plain::new(input, settings.clone());
            let done = restore(&mut plain, &*model.restorer, want, &policy, &mut |bytes, done| {
                // Flushed at once: a slow pipe is served line by line.
                let written = out.write_all(bytes).and_then(|()| out.flush());
                written.map_err(|error| Error::io("write", target, error))?;
                progress.show(before + done);
                Ok(())
            })?;
            before = before + done;
        }
        progress.finish();
        Ok(())
    }
}

/// A progress bar on standard error, where that is a terminal and the work takes its time.
struct Progress {
    bytes: u64,
    start: Instant,
    bar: Option<ProgressBar>,
    wanted: bool,
}

/// Work that is done sooner shows no bar.
const PATIENCE: Duration = Duration::from_millis(500);

impl Progress {
    fn new(files: &[PathBuf]) -> Self {
        let bytes = files.iter().map(|file| file.metadata().map_or(0, |metadata| metadata.len())).sum();
        // Text that appears on the terminal line by line needs no bar between the lines.
        let wanted = std::io::stderr().is_terminal() && !std::io::stdout().is_terminal();
        Self { bytes, start: Instant::now(), bar: None, wanted }
    }

    fn show(&mut self, done: Done) {
        if !self.wanted || self.bar.is_none() && self.start.elapsed() < PATIENCE {
            return;
        }
        let bytes = self.bytes;
        let bar = self.bar.get_or_insert_with(|| bar(bytes));
        bar.set_position(done.bytes);
        let seconds = self.start.elapsed().as_secs_f64();
        bar.set_message(format!("{} words, {:.1} M/s", done.words, done.words as f64 / seconds / 1e6));
    }

    fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(bytes: u64) -> ProgressBar {
    // A compressed file or a pipe has no length that could be reached: then there is no bar to fill.
    let known = "{elapsed_precise} [{bar:30}] {bytes}/{total_bytes}, {msg}, {eta} left";
    let open = "{elapsed_precise} {bytes}, {msg}";
    let (bar, template) = match bytes {
        0 => (ProgressBar::no_length(), open),
        _ => (ProgressBar::new(bytes), known),
    };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
