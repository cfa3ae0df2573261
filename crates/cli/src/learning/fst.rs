//! `majuscule fst`: language models as weighted transducers, in OpenFst's file formats.

use std::io::{BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

use super::lm::with_notes;
use super::{OutputArg, publish};
use crate::force::ForceArg;
use crate::host;
use crate::page::print;
use majuscule_base::error::{Error, Result};
use majuscule_base::files::{self, Limits, Publish};
use majuscule_fst::wfst::{self, BackOff, Facts, Machine, Symbols, Transducer};
use majuscule_lm::NgramModel;
use majuscule_lm::forms::{Forms, check_weight};
use majuscule_methods::hmm::checked_language_model;
use majuscule_text::Locale;

/// Language models as weighted transducers, in OpenFst's file formats
#[derive(Debug, Subcommand)]
pub enum FstAction {
    Build(FstBuildArgs),
    /// Describes a machine: its size and its properties
    Info(MachineInput),
    Apply(Apply),
    Draw(DrawArgs),
}

impl FstAction {
    /// Runs the subcommand.
    pub fn run(self) -> Result<()> {
        match self {
            Self::Build(args) => args.run(),
            Self::Info(input) => input.describe(),
            Self::Apply(args) => args.run(),
            Self::Draw(args) => args.run(),
        }
    }
}

/// The kind of machine to build from a language model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum MachineKind {
    /// The acceptor of cased words
    G,
    /// The transducer from lower-cased words to their forms, as in Batista et al. 2007
    #[default]
    T,
}

/// Builds a machine from a language model: an OpenFst file with its symbol tables
#[derive(Debug, clap::Args)]
pub struct FstBuildArgs {
    /// The limits on the memory that a file may take.
    #[arg(from_global, id = "input_limit")]
    limits: Limits,
    /// Language model, ARPA or binary
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    output: OutputArg,
    /// Acceptor of cased words, or transducer from lower-cased words
    #[arg(long, value_enum, value_name = "KIND", default_value_t)]
    kind: MachineKind,
    /// Format of back-off arcs; failure by default for g, and always epsilon for t, where an arc for
    /// "us" would hide the failure arc of "US"
    #[arg(long, value_enum, value_name = "KIND")]
    arcs: Option<BackOff>,
    /// Forms of words, as a map of SRILM's disambig; by default those of the model's words
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// Weight of the map's probabilities
    #[arg(long, value_name = "WEIGHT", default_value_t = 0.0, allow_negative_numbers = true)]
    map_weight: f32,
    /// Also write the input symbols as a text file
    #[arg(long, value_name = "FILE")]
    isymbols: Option<PathBuf>,
    /// Also write the output symbols as a text file
    #[arg(long, value_name = "FILE")]
    osymbols: Option<PathBuf>,
    /// Language whose case mappings are used, such as tr or nl
    #[arg(long, value_name = "LANG", default_value = "root")]
    locale: Locale,
}

impl FstBuildArgs {
    fn run(&self) -> Result<()> {
        let inputs: Vec<&PathBuf> = [&self.model].into_iter().chain(&self.map).collect();
        self.output.check_with(self.isymbols.iter().chain(&self.osymbols), &inputs)?;
        check_weight("map-weight", self.map_weight)?;
        let (machine, isymbols, osymbols) = self.machine()?;
        let whole = files::unpublished(&self.output.path, |out| {
            wfst::write(&machine, Some((&isymbols, &osymbols)), out)
        });
        let mut all = vec![whole?];
        for (file, symbols) in [(&self.isymbols, &isymbols), (&self.osymbols, &osymbols)] {
            let Some(file) = file else { continue };
            all.push(files::unpublished(file, |out| symbols.write(out))?);
        }
        // All files are on disk before the first gets its name, so that all appear or none does.
        all.into_iter().try_for_each(Publish::commit)
    }

    fn open(&self) -> Result<NgramModel> {
        with_notes(checked_language_model(&self.model, None))
    }

    fn machine(&self) -> Result<(Machine, Symbols, Symbols)> {
        match self.kind {
            MachineKind::G if self.map.is_some() => Err(Error::usage(
                "--map gives the forms of lower-cased words, which g does not read: build --kind t",
            )),
            MachineKind::G => {
                let model = self.open()?;
                let arcs = self.arcs.unwrap_or_default();
                let symbols = Symbols::of_model(&model, arcs)?;
                Ok((Machine::of_model(&model, arcs)?, symbols.clone(), symbols))
            }
            MachineKind::T if self.arcs == Some(BackOff::Failure) => Err(Error::usage(
                "t cannot have failure arcs: its input is lower-cased, and an arc for \"us\" would hide the failure of \
                 \"US\"; build --kind g, which is exact"
                    .to_owned(),
            )),
            MachineKind::T => {
                let model = self.open()?;
                let forms = match &self.map {
                    Some(file) => {
                        let text = files::open(file)?.within(self.limits).text()?;
                        Forms::read(&file.to_string_lossy(), &text, model.vocabulary(), self.locale)?
                    }
                    None => Forms::of_vocabulary(model.vocabulary(), self.locale),
                };
                Machine::lowered(&model, &forms, self.locale, self.map_weight)
            }
        }
    }
}

/// A machine, and its symbol tables.
#[derive(Debug, clap::Args)]
pub struct MachineInput {
    /// The limits on the memory that a file may take.
    #[arg(from_global, id = "input_limit")]
    limits: Limits,
    /// OpenFst file of type vector or const with arcs of type standard
    #[arg(value_name = "MACHINE")]
    machine: PathBuf,
    /// Input symbols as a text file, if the machine's file lacks them
    #[arg(long, value_name = "FILE")]
    isymbols: Option<PathBuf>,
    /// Output symbols as a text file, if the machine's file lacks them
    #[arg(long, value_name = "FILE")]
    osymbols: Option<PathBuf>,
}

impl MachineInput {
    /// Reads the machine and the facts about its file.
    fn open(&self) -> Result<(Machine, Facts)> {
        let (machine, mut facts) = wfst::read(
            &self.machine.to_string_lossy(),
            &files::open(&self.machine)?.within(self.limits).bytes()?,
        )
        .map_err(|error| self.problem(error))?;
        for (file, symbols) in [(&self.isymbols, &mut facts.inputs), (&self.osymbols, &mut facts.outputs)] {
            let Some(file) = file else { continue };
            *symbols = Some(Symbols::read(
                &file.to_string_lossy(),
                &files::open(file)?.within(self.limits).text()?,
            )?);
        }
        Ok((machine, facts))
    }

    /// Converts a usage error into an error about the file, since the contents of the file are at fault.
    fn problem(&self, error: Error) -> Error {
        match error {
            Error::Usage(problem) => Error::file(self.machine.to_string_lossy(), problem),
            other => other,
        }
    }

    fn symbols(&self, symbols: Option<Symbols>, side: &str, flag: &str) -> Result<Symbols> {
        symbols.ok_or_else(|| {
            let name = self.machine.to_string_lossy();
            Error::file(name, format!("has no table of the symbols that it {side}: give a table with {flag}"))
        })
    }
}

impl MachineInput {
    /// Prints the size of the machine and its properties.
    fn describe(&self) -> Result<()> {
        let (machine, facts) = self.open()?;
        let properties = machine.properties();
        let say = |is: bool, yes: &'static str, no: &'static str| if is { yes } else { no };
        let symbols = |symbols: &Option<Symbols>| {
            symbols.as_ref().map_or("none".to_owned(), |all| all.len().to_string())
        };
        let failure = facts.inputs.as_ref().and_then(|symbols| symbols.label(wfst::FAILURE_SYMBOL));
        let failures = failure.map_or(0, |label| machine.count_reading(label));
        print(&format!(
            "type               {}, {}\nstates             {}\narcs               {}\nstart              {}\nfinal states       {}\n\
             input symbols      {}\noutput symbols     {}\nfailure arcs       {failures}\nepsilon arcs       {}\n\
             input              {}, {}\noutput             {}\n",
            facts.kind,
            say(properties.acceptor, "an acceptor", "a transducer"),
            machine.states(),
            machine.arcs(),
            machine.start().map_or("none".to_owned(), |state| state.to_string()),
            machine.finals(),
            symbols(&facts.inputs),
            symbols(&facts.outputs),
            machine.count_reading(wfst::EPSILON),
            say(facts.input_sorted, "sorted", "not sorted"),
            say(properties.input_deterministic, "deterministic", "not deterministic"),
            say(facts.output_sorted, "sorted", "not sorted"),
        ))
    }
}

/// Prints the best path for each line of text: its words in their forms
///
/// A transducer reads the words in lower case. An acceptor reads all
/// forms of each word, and its best path is the most probable way to
/// write the line; with failure arcs (the symbol <phi>) it is exact.
#[derive(Debug, clap::Args)]
pub struct Apply {
    #[command(flatten)]
    input: MachineInput,
    /// Text, one sentence per line; standard input by default
    #[arg(value_name = "TEXT", default_value = "-")]
    text: PathBuf,
    /// Print the N best paths for each line, each as its cost, a tab and the text, with an empty
    /// line after the last
    #[arg(long, value_name = "N", value_parser = crate::page::number)]
    n_best: Option<NonZeroUsize>,
    /// Language whose case mappings are used, such as tr or nl
    #[arg(long, value_name = "LANG", default_value = "root")]
    locale: Locale,
}

impl Apply {
    fn run(&self) -> Result<()> {
        let (machine, facts) = self.input.open()?;
        let inputs = self.input.symbols(facts.inputs, "reads", "--isymbols")?;
        let outputs = self.input.symbols(facts.outputs, "writes", "--osymbols")?;
        let transducer = Transducer::new(machine, &inputs, outputs, self.locale)
            .map_err(|error| self.input.problem(error))?;
        let mut lines = files::open(&self.text)?.within(self.input.limits).lines();
        let refused = |error| Error::io("write", "standard output", error);
        let mut out = BufWriter::with_capacity(1 << 16, host::stdout());
        let mut best = transducer.best();
        while let Some(line) = lines.next()? {
            let found = match self.n_best {
                None | Some(NonZeroUsize::MIN) => best(line).map(Vec::from_iter),
                Some(count) => transducer.several(line, count.get()),
            };
            let found = found.map_err(|error| match error {
                Error::Usage(problem) => lines.problem(problem),
                error => error,
            })?;
            if self.n_best.is_some() {
                let all = found.iter().try_for_each(|line| writeln!(out, "{:.4}\t{}", line.cost, line.text));
                all.and_then(|()| writeln!(out)).map_err(refused)?;
            } else {
                let none = || lines.problem("the machine has no path for this line");
                writeln!(out, "{}", found.first().ok_or_else(none)?.text).map_err(refused)?;
            }
        }
        out.flush().map_err(refused)
    }
}

/// Draws a small machine: SVG if the name ends in .svg, otherwise Graphviz DOT
///
/// With --sentence, draws the lattice of a sentence instead: all ways in which the machine reads its words, with
/// their costs.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  majuscule fst draw tiny.fst -o tiny.svg
  majuscule fst draw news.fst --sentence \"we met angela\" -o lattice.svg")]
pub struct DrawArgs {
    #[command(flatten)]
    input: MachineInput,
    /// File to write; without it, DOT on standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArg,
    /// Draw the lattice of this sentence: its composition with the machine
    #[arg(long, value_name = "TEXT")]
    sentence: Option<String>,
    /// Language whose case mappings are used for the words of the sentence, such as tr or nl
    #[arg(long, value_name = "LANG", default_value = "root", requires = "sentence")]
    locale: Locale,
}

impl DrawArgs {
    fn run(&self) -> Result<()> {
        if let Some(output) = &self.output {
            self.force.check(output, std::slice::from_ref(&self.input.machine))?;
        }
        let (machine, facts) = self.input.open()?;
        let of_input = |error| self.input.problem(error);
        let inputs = facts.inputs.unwrap_or_default();
        let outputs = facts.outputs.unwrap_or_default();
        let machine = match (&self.sentence, inputs.label(wfst::FAILURE_SYMBOL)) {
            (Some(sentence), _) => {
                let transducer = Transducer::new(machine, &inputs, outputs.clone(), self.locale);
                let paths = transducer.map_err(of_input)?.paths(sentence)?;
                paths.ok_or_else(|| Error::usage("--sentence: the machine has no path for these words"))?
            }
            (None, Some(label)) => machine.with_failure(label).map_err(of_input)?,
            (None, None) => machine,
        };
        let is_svg = |output: &PathBuf| output.extension().is_some_and(|extension| extension == "svg");
        let draw = if self.output.as_ref().is_some_and(is_svg) { wfst::svg } else { wfst::dot };
        let picture = draw(&machine, &inputs, &outputs).map_err(of_input)?;
        match &self.output {
            Some(output) => publish(output, |file| file.write_all(picture.as_bytes())),
            None => print(&picture),
        }
    }
}
