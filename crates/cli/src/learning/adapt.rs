//! `majuscule adapt`: adapts a model to a small corpus.

use std::ffi::OsString;
use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::Result;
use clap::builder::{Resettable, ValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, FromArgMatches, Subcommand};

use super::language::detected;
use super::method::AdaptMethod;
use super::spinner::Spinner;
use super::train::ModelTarget;
use crate::methods::methods as loaded;
use crate::page::threads;
use crate::{folders, named};
use majuscule_base::error::Error;
use majuscule_base::files;
use majuscule_methods::Backend;
use majuscule_methods::model::{Manifest, Store};
use majuscule_restore::models::language::name_of;
use majuscule_train::corpus::{Corpus, Protocol, Reading};
use majuscule_train::methods::{self, Progress};

/// The arguments of `majuscule adapt MODEL CORPUS… -o FOLDER`. The method of the model determines
/// the options, and it is known only once the model is open.
#[derive(Debug)]
pub struct AdaptArgs {
    given: AdaptInputs,
    /// The options of some methods, among all arguments.
    matches: ArgMatches,
}

const EXAMPLES: &str = "\
Examples:
  majuscule adapt my-model speeches-of-may.txt -o my-model-may
  majuscule adapt my-model minutes.txt --variance 0.01 --epochs 3 -o my-model --force
  majuscule adapt my-tagger subtitles.txt --epochs 3 --checkpoint now -o my-subtitle-tagger
  majuscule adapt accurate subtitles.txt --lang en -o my-default";

/// Adapts a model to a text of another kind
///
/// A maxent model learns the words and names of the text, and its weights change as far as the text
/// provides evidence (Chelba & Acero 2004). A bert model is fine-tuned on the text, with all layers
/// unfrozen (Rei et al. 2020). A cnn-bilstm model continues its training with a lower rate.
#[derive(Debug, clap::Args)]
struct AdaptInputs {
    /// Model, a folder or packed file; accurate and fast are the built-in ones of --lang
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Cased text, also as .gz, .zst or .xz; - is standard input
    #[arg(required = true, value_name = "CORPUS")]
    corpora: Vec<PathBuf>,
    #[command(flatten)]
    place: ModelTarget,
    /// Protocol under which to learn: text, batista, rei, susanto, asr, asr:N or mix; by default
    /// the one that the model was trained under. For maxent models, asr and mix are allowed only if the model
    /// was trained under one of them
    #[arg(long, value_name = "PROTOCOL")]
    protocol: Option<Protocol>,
    /// Number of threads: at most, and by default, the number
    /// of cores. The model does not depend on it
    #[arg(long, value_name = "N", value_parser = crate::page::number)]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    reading: Reading,
}

/// Adapts a model and saves it.
pub fn run(AdaptArgs { given, matches }: AdaptArgs) -> Result<()> {
    let AdaptInputs { model, corpora, place, mut reading, .. } = given;
    let corpora = folders::paths(&corpora, reading.format)?;
    let inputs = [super::model_files([&model]), corpora.clone()].concat();
    files::check_inputs(&inputs)?;
    let store = named::open(&model, reading.language())?;
    check_adaptable(&*store)?;
    let manifest = store.manifest();
    let adaptation = adaptation(&manifest.method, &matches)?;
    let adaptation = adaptation.adapter();
    place.check(&inputs, adaptation.checkpoint())?;
    let protocol = given.protocol.map_or_else(|| protocol(&manifest.trained_on.protocol), Ok)?;
    let locale = match &reading.language {
        Some(language) => super::measure::locale(None, language)?,
        None => manifest.locale,
    };
    if reading.language.is_none() {
        check_language(&reading, &corpora, manifest)?;
        reading.language = Some(manifest.language.clone());
    }
    let mut corpus = Corpus::new(&corpora, reading, protocol, locale)?;
    corpus.hold()?;
    super::measure::tell_paragraphs(&corpus)?;
    let progress = Spinner::new();
    progress.begin("adapting", adaptation.checkpoint());
    let names = corpora.iter().map(|file| files::name(file)).collect();
    let watch = &mut |now: &Progress| progress.show(now);
    let draft = methods::adapt(adaptation, &*store, &corpus, names, threads(given.threads), watch)?;
    drop(progress);
    place.publish(&draft)?;
    if let Some(file) = adaptation.checkpoint() {
        fs::remove_file(file).map_err(|error| Error::io("remove", file, error))?;
    }
    Ok(())
}

/// Refuses text in a language that is not the model's, unless the user names the language of the text.
fn check_language(reading: &Reading, corpora: &[PathBuf], manifest: &Manifest) -> Result<(), Error> {
    let Some(tag) = detected(reading, corpora)?.filter(|tag| !manifest.is_of(tag)) else { return Ok(()) };
    let (found, expected) = (name_of(tag), name_of(&manifest.language));
    Err(Error::usage(format!(
        "the text is in {found}, but the model is of {expected}: give other text, or --lang {tag} to adapt the model nevertheless"
    )))
}

/// Refuses a model that cannot be adapted.
fn check_adaptable(store: &dyn Store) -> Result<(), Error> {
    let method = store.manifest().method.as_str();
    if methods().find_subcommand(method).is_some() {
        return Ok(());
    }
    // If this build lacks the method, loading fails with an error that gives this reason.
    loaded().load(store, &Backend::default())?;
    let problem = format!("method \"{method}\": only models of maxent, bert and cnn-bilstm can be adapted");
    Err(Error::model(store.name(), problem))
}

/// Parses the protocol under which a model was trained.
fn protocol(trained_on: &str) -> Result<Protocol, Error> {
    trained_on.parse().map_err(|_| {
        Error::usage(format!(
            "the model was trained under \"{trained_on}\", which is not a single protocol: name one with --protocol"
        ))
    })
}

/// Parses the given options as options of a method.
///
/// # Errors
/// If the method has no such option. Clap refuses wrong values.
fn adaptation(method: &str, matches: &ArgMatches) -> Result<AdaptMethod> {
    let mut line = vec![OsString::from("adapt"), method.into()];
    let is_given = |option: &MethodOption| {
        matches.value_source(option.arg.get_id().as_str()) == Some(ValueSource::CommandLine)
    };
    for option in options().into_iter().filter(is_given) {
        let long = option.arg.get_long().unwrap_or_default();
        if option.methods().all(|of| of != method) {
            let of = enumerated(&option.methods().collect::<Vec<_>>());
            return Err(Error::usage(format!(
                "--{long} is for models of {of}, but this is a {method} model: leave it out; adapt --help lists the options \
                 of each method"
            ))
            .into());
        }
        if !option.arg.get_action().takes_values() {
            line.push(format!("--{long}").into());
            continue;
        }
        for value in matches.get_raw(option.arg.get_id().as_str()).into_iter().flatten() {
            let mut given = OsString::from(format!("--{long}="));
            given.push(value);
            line.push(given);
        }
    }
    let usage = "majuscule adapt [OPTIONS] <MODEL> <CORPUS>...";
    let command = methods().mut_subcommands(|method| method.override_usage(usage));
    let matches = command.try_get_matches_from(line).unwrap_or_else(|error| error.exit());
    Ok(AdaptMethod::from_arg_matches(&matches)?)
}

/// Builds a command with a subcommand for each method that can adapt a model, with the options of the method.
fn methods() -> Command {
    AdaptMethod::augment_subcommands(Command::new("adapt"))
}

/// An option, and the methods that have it.
struct MethodOption {
    arg: Arg,
    /// The name of each method, its help for the option, and its default.
    of: Vec<(String, String, Option<String>)>,
}

/// Returns the options of all methods, each option once.
fn options() -> Vec<MethodOption> {
    let mut options: Vec<MethodOption> = Vec::new();
    for method in methods().get_subcommands() {
        for arg in method.get_arguments() {
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            let default = arg.get_default_values().first().map(|value| value.to_string_lossy().into_owned());
            let default = default.filter(|_| arg.get_action().takes_values());
            // Options of networks show their defaults in the help.
            let own = match help.strip_suffix(']').and_then(|help| help.rsplit_once(" [default: ")) {
                Some((says, shown)) => (says.to_owned(), Some(shown.to_owned())),
                None => (help, default),
            };
            let own = (method.get_name().to_owned(), own.0, own.1);
            match options.iter_mut().find(|option| option.arg.get_id() == arg.get_id()) {
                Some(option) => option.of.push(own),
                None => options.push(MethodOption { arg: arg.clone(), of: vec![own] }),
            }
        }
    }
    options
}

/// Enumerates names: `a, b and c`.
fn enumerated(names: &[&str]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.concat(),
    }
}

impl MethodOption {
    fn methods(&self) -> impl Iterator<Item = &str> {
        self.of.iter().map(|(method, ..)| method.as_str())
    }

    /// Returns one argument for all methods: its values are kept unparsed until the method is known.
    fn arg(&self) -> Arg {
        let heading = format!("Options for models of {}", enumerated(&self.methods().collect::<Vec<_>>()));
        let arg = self.arg.clone().help(self.help()).long_help(Resettable::Reset).help_heading(heading);
        if !arg.get_action().takes_values() {
            return arg;
        }
        arg.required(false).default_value(Resettable::Reset).value_parser(ValueParser::os_string())
    }

    /// The help of the option, with the defaults of the methods. Methods with the same help share it.
    fn help(&self) -> String {
        type Methods = [(String, String, Option<String>)];
        let shared = |methods: &Methods| {
            let (_, help, default) = &methods[0];
            let default = match methods.iter().all(|(.., other)| other == default) {
                true => default.clone(),
                false => {
                    let own = |(method, _, default): &(String, String, Option<String>)| {
                        default.as_ref().map(|default| format!("{default} for {method}"))
                    };
                    Some(methods.iter().filter_map(own).collect::<Vec<String>>().join(", "))
                }
            };
            default.map_or_else(|| help.clone(), |default| format!("{help} [default: {default}]"))
        };
        let groups: Vec<&Methods> = self.of.chunk_by(|(_, a, _), (_, b, _)| a == b).collect();
        if let [all] = groups[..] {
            return shared(all);
        }
        let named = groups.into_iter().map(|methods| {
            let names: Vec<&str> = methods.iter().map(|(method, ..)| method.as_str()).collect();
            format!("{}: {}", enumerated(&names), shared(methods))
        });
        named.collect::<Vec<_>>().join("; ")
    }
}

impl FromArgMatches for AdaptArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self { given: AdaptInputs::from_arg_matches(matches)?, matches: matches.clone() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for AdaptArgs {
    fn augment_args(command: Command) -> Command {
        let language = |language: Arg| language.help("Language of the text; by default the model's language");
        let command = AdaptInputs::augment_args(command).mut_arg("language", language).after_help(EXAMPLES);
        command.args(options().iter().map(MethodOption::arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
