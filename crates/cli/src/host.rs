//! The verbs as calls of a program that hosts this one, such as the Python package.
//!
//! A verb runs in one thread, and all its exchanges with its host belong to that thread: models and files in memory,
//! by names that only the host uses; the text that would be printed; the progress of training.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io::{self, Cursor, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use majuscule::Interrupt;
use majuscule_base::bytes::Bytes;
use majuscule_base::error::{Error, Result, caught};
use majuscule_base::files::{self, Input};
use majuscule_restore::models::Model;
#[cfg(feature = "learning")]
use majuscule_train::corpus::{Corpus, ReadingCallback, ReadingProgress};

use crate::Cli;

/// The progress of a long job, as numbers by name.
pub type ProgressFigures<'a> = &'a [(&'static str, f64)];

/// A callback for the progress of a long job, from any thread.
pub type ProgressCallback = Arc<dyn Fn(ProgressFigures<'_>) + Send + Sync>;

/// The input that a host passes to a call.
#[derive(Default)]
pub struct Host {
    /// Models, by the names that the arguments have for them.
    pub models: Vec<(String, Model)>,
    /// Files, by the names that the arguments have for them.
    pub files: Vec<(String, Arc<[u8]>)>,
    /// The flag that stops the call.
    pub interrupt: Interrupt,
    /// A callback for the progress of training.
    pub progress: Option<ProgressCallback>,
}

/// The outcome of a call.
#[derive(Debug, Default)]
pub struct VerbOutcome {
    /// The text that the program would have written to standard output.
    pub output: Vec<u8>,
    /// The report as JSON, of a verb that measures.
    pub json: Option<String>,
    /// The lines that the program would have written to standard error.
    pub messages: Vec<String>,
    /// False if something failed; the messages describe the failure.
    pub is_success: bool,
}

struct HostedCall {
    host: Host,
    answer: VerbOutcome,
}

thread_local! {
    static CALL: RefCell<Option<HostedCall>> = const { RefCell::new(None) };
}

/// Runs `work` on the call that this thread serves; returns `None` if the program runs without a host.
fn with<T>(work: impl FnOnce(&mut HostedCall) -> T) -> Option<T> {
    CALL.with_borrow_mut(|call| call.as_mut().map(work))
}

/// Runs a verb in this thread as the program would with these arguments, without its name.
///
/// # Errors
/// The errors of the verb; a panic is [`Error::Bug`]. [`Error::Usage`] for arguments that the program does not have.
pub fn call(arguments: impl IntoIterator<Item = OsString>, host: Host) -> Result<VerbOutcome> {
    let arguments = [OsString::from("majuscule")].into_iter().chain(arguments);
    let cli = crate::parse(arguments).map_err(|error| refused(&error))?;
    CALL.set(Some(HostedCall { host, answer: VerbOutcome::default() }));
    let done = caught(|| cli.verb.run().map_err(unwrapped));
    let call = CALL.take();
    let code = done?;
    Bytes::check_unchanged()?;
    let mut answer = call.map(|call| call.answer).unwrap_or_default();
    answer.is_success = code == ExitCode::SUCCESS;
    Ok(answer)
}

/// Returns the problem with the arguments, in one line.
fn refused(error: &clap::Error) -> Error {
    let page = error.render().to_string();
    let lines = page.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    let text = lines.join(" ");
    Error::usage(text.strip_prefix("error: ").unwrap_or(&text).to_owned())
}

/// Returns the library's error in an error of a verb.
fn unwrapped(error: anyhow::Error) -> Error {
    error.downcast::<Error>().unwrap_or_else(|error| Error::usage(format!("{error:#}")))
}

/// Passes a message to the host, if there is one; otherwise returns false.
pub fn hear(message: &str) -> bool {
    with(|call| call.answer.messages.push(message.to_owned())).is_some()
}

/// Returns true if the program runs for a host.
pub fn is_hosted() -> bool {
    with(|_| ()).is_some()
}

/// Passes on the progress of training.
#[cfg(feature = "learning")]
pub fn show(figures: ProgressFigures<'_>) {
    if let Some(Some(progress)) = with(|call| call.host.progress.clone()) {
        progress(figures);
    }
}

/// Returns a corpus whose reading the host can stop, and which reports its progress to the host.
#[cfg(feature = "learning")]
pub fn watched(corpus: Corpus) -> Corpus {
    let progress = with(|call| call.host.progress.clone()).flatten();
    let watch = progress.map(|progress| {
        let show = move |ReadingProgress { pass, bytes }| {
            progress(&[("pass", pass as f64), ("bytes", bytes as f64)])
        };
        Arc::new(show) as ReadingCallback
    });
    corpus.interrupted_by(&interrupt()).watched_by(watch)
}

/// Keeps a report for the host, if there is a host.
#[cfg(feature = "learning")]
pub fn keep(json: impl FnOnce() -> String) {
    with(|call| call.answer.json = Some(json()));
}

/// Returns the flag that stops the work.
pub fn interrupt() -> Interrupt {
    with(|call| call.host.interrupt.clone()).unwrap_or_default()
}

/// Returns a model of the host.
pub fn model(name: &Path) -> Option<Model> {
    let name = name.to_str()?;
    with(|call| call.host.models.iter().find(|(of, _)| of == name).map(|(_, model)| model.clone()))?
}

/// Opens a file of the host or of the system.
///
/// # Errors
/// The errors of [`files::open`].
pub fn open(path: &Path) -> Result<Input<'static>> {
    let held = with(|call| {
        let mut files = call.host.files.iter();
        files.find(|(name, _)| path.to_str() == Some(name)).map(|(_, bytes)| Arc::clone(bytes))
    });
    match held.flatten() {
        Some(bytes) => Input::new(path.to_string_lossy(), Cursor::new(bytes)),
        None => files::open(path),
    }
}

/// Returns standard output, or the output of a call.
pub fn stdout() -> Box<dyn Write> {
    match is_hosted() {
        true => Box::new(HeldOutput),
        false => Box::new(io::stdout().lock()),
    }
}

/// The output of a call.
struct HeldOutput;

impl Write for HeldOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        with(|call| call.answer.output.extend_from_slice(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An option of a verb.
#[derive(Debug)]
pub struct VerbOption {
    /// Its name without leading hyphens; empty for a positional argument.
    pub name: String,
    /// The number of values that it accepts.
    pub values: OptionValues,
    /// The name of its value in the help: `N`, `FILE`.
    pub value: String,
    /// The names of its values, where there is a list of them.
    pub choices: Vec<String>,
    /// The value that applies if the option is not given.
    pub default: Option<String>,
    /// The first paragraph of its description.
    pub help: String,
}

/// The number of values that an option accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionValues {
    /// None: the option is given or not.
    Flag,
    /// One.
    One,
    /// One, or none, which stands for a special value.
    Optional,
    /// Several, separated by commas.
    Listed,
    /// Several, separated by commas, or none, which stands for special values.
    OptionallyListed,
    /// Several, each after the name of the option.
    Repeated,
}

/// Returns the options of a verb, such as `["train", "maxent"]`.
///
/// # Errors
/// [`Error::Usage`] if there is no such verb.
pub fn options(verb: &[&str]) -> Result<Vec<VerbOption>> {
    use clap::{ArgAction, CommandFactory};
    let mut root = Cli::command();
    root.build();
    let mut command = &root;
    for name in verb {
        let missing = || Error::usage(format!("there is no verb {}", verb.join(" ")));
        command = command.find_subcommand(name).ok_or_else(missing)?;
    }
    let named = command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set() && !["help", "version"].contains(&arg.get_id().as_str()));
    let option = |arg: &clap::Arg| {
        let is_flag = !arg.get_action().takes_values();
        let is_optional = arg.get_num_args().unwrap_or_default().min_values() == 0;
        let values = match (arg.get_value_delimiter().is_some(), is_optional) {
            _ if is_flag => OptionValues::Flag,
            (true, true) => OptionValues::OptionallyListed,
            (true, false) => OptionValues::Listed,
            (false, true) => OptionValues::Optional,
            _ if matches!(arg.get_action(), ArgAction::Append) => OptionValues::Repeated,
            _ => OptionValues::One,
        };
        let value = arg.get_value_names().and_then(|names| names.first());
        let choices = if is_flag { Vec::new() } else { arg.get_possible_values() };
        VerbOption {
            name: arg.get_long().unwrap_or_default().to_owned(),
            values,
            value: value.map(ToString::to_string).unwrap_or_default(),
            choices: choices.iter().map(|value| value.get_name().to_owned()).collect(),
            default: arg.get_default_values().first().map(|value| value.to_string_lossy().into_owned()),
            help: arg.get_help().map(ToString::to_string).unwrap_or_default(),
        }
    };
    Ok(named.map(option).filter(|option| !option.name.is_empty()).collect())
}

#[cfg(all(test, feature = "learning", feature = "languages"))]
mod tests {
    use super::*;

    fn called(arguments: &[&str], host: Host) -> Result<VerbOutcome> {
        call(arguments.iter().map(OsString::from), host)
    }

    fn file(name: &str, text: &str) -> (String, Arc<[u8]>) {
        (name.to_owned(), text.as_bytes().into())
    }

    #[test]
    fn a_verb_works_on_models_and_files_of_its_host() {
        let model = Model::embedded("en").unwrap();
        let host = Host {
            models: vec![("<model>".to_owned(), model)],
            files: vec![file("<text>", "an iphone in lisbon\n"), file("<words>", "iPhone\n")],
            ..Host::default()
        };
        let arguments = ["restore", "--model", "<model>", "--words", "<words>", "<text>"];
        let answer = called(&arguments, host).unwrap();
        assert!(answer.output.ends_with(b"iPhone in Lisbon\n") && answer.is_success);
        assert!(!is_hosted(), "a call leaves nothing behind");
    }

    #[test]
    fn a_host_hears_what_would_be_printed() {
        let host = Host { files: vec![file("<text>", "1984\n")], ..Host::default() };
        let answer = called(&["restore", "--lang", "auto", "<text>"], host).unwrap();
        assert_eq!(answer.output, b"1984\n");
        let host = Host { files: vec![file("<a>", "I met Ana in Lisbon.\n")], ..Host::default() };
        let problem = called(&["convert", "<a>", "--from", "text", "--to", "vtt"], host).unwrap_err();
        assert!(matches!(problem, Error::Input { .. }), "{problem}");
    }

    #[test]
    fn wrong_arguments_and_interrupts_are_errors() {
        let problem = called(&["restore", "--no-such"], Host::default()).unwrap_err();
        assert!(matches!(problem, Error::Usage(_)) && problem.to_string().contains("--no-such"), "{problem}");
        let interrupt = Interrupt::new();
        interrupt.set();
        let host = Host { files: vec![file("<text>", "we met\n")], interrupt, ..Host::default() };
        assert!(matches!(called(&["restore", "<text>"], host), Err(Error::Interrupted)));
    }

    #[test]
    fn options_are_those_of_the_help() {
        let found = options(&["train", "maxent"]).unwrap();
        let of = |name: &str| found.iter().find(|option| option.name == name).unwrap();
        assert_eq!((of("force").values, of("epochs").values), (OptionValues::Flag, OptionValues::One));
        assert!(of("solver").choices.contains(&"lbfgs".to_owned()));
        assert_eq!(of("protocol").value, "PROTOCOL");
        assert!(options(&["no such verb"]).is_err());
    }
}
