//! `majuscule experiment`: compares methods by a recipe.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use clap::Subcommand;

use super::annotate::{AgreementArgs, AnnotateArgs};
use super::language::detect_stored;
use super::{publish, recipes};
use crate::force::ForceArg;
use crate::methods::{advice, methods};
use crate::page::{named_path, print};
use crate::{flag, folders};
use majuscule_base::error::{Error, worded};
use majuscule_base::files::{self, ByteSize};
use majuscule_experiment::plan::{Job, Task};
use majuscule_experiment::suggest::{SuggestedTexts, Suggestion, suggest};
use majuscule_experiment::{Recipe, Results, Setting, execute, exports, library, page, plan, plots, tables};
use majuscule_format::Format;
use majuscule_restore::models::Preset;
use majuscule_train::corpus::Reading;

/// Compares methods by a recipe: trains the missing models,
/// tests all on the same sentences, and writes a report
///
/// A recipe is a TOML file that defines texts, models with their training, and tests. The recipes
/// of the papers are built in.
#[derive(Debug, Subcommand)]
pub enum ExperimentAction {
    Run(RunArgs),
    New(NewArgs),
    /// Lists the built-in recipes
    List,
    /// Prints a recipe, for instance as the start of your own
    Show {
        /// Name of a built-in recipe, or a file
        recipe: String,
    },
    /// Regenerates the tables, plots and page of a report from its results.json
    Report {
        /// Folder written by experiment run
        folder: PathBuf,
    },
    Annotate(AnnotateArgs),
    Agreement(AgreementArgs),
}

/// Runs a recipe and writes its report to a folder
///
/// Models and results are cached: an interrupted run continues where it stopped, and after a change
/// of the recipe only the new parts are run.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  majuscule experiment run small
  majuscule experiment run batista-2007-table-6 --corpora corpora
  majuscule experiment run rei-2020-table-3 --corpora corpora --with encoder=all-MiniLM-L6-v2
  majuscule experiment run mine.toml --corpora . -o mine")]
pub struct RunArgs {
    /// Name of a built-in recipe, or a file
    #[arg(value_name = "RECIPE")]
    recipe: String,
    /// Folder that contains the texts of the recipe
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    corpora: PathBuf,
    /// Folder for the report, named after the recipe by default
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Folder for cached models and results; cache/ in the folder of the report by default
    #[arg(long, value_name = "FOLDER")]
    cache: Option<PathBuf>,
    /// Further input of the recipe; experiment show lists what it needs
    #[arg(long = "with", value_name = "NAME=PATH", value_parser = given)]
    given: Vec<(String, PathBuf)>,
    /// Also run the rows marked as long
    #[arg(long)]
    long: bool,
    /// Print the commands in order, without running them
    #[arg(long)]
    dry_run: bool,
}

/// Writes a recipe for your own texts: with protocols that fit them, a held-out part of the training
/// text, and baselines
///
/// It reports what it detected, test text that also occurs in the training text, and the time that
/// the experiment will take.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  majuscule experiment new my.toml --train news.txt --test talk.srt
  majuscule experiment run my.toml")]
pub struct NewArgs {
    /// File of the recipe to write
    #[arg(value_name = "RECIPE")]
    recipe: PathBuf,
    /// Training text in its true case, a file or a folder; may be given several times
    #[arg(long, value_name = "TEXT", required = true)]
    train: Vec<PathBuf>,
    /// Test text in its true case; may be given several times. A part of a plain training
    /// text is held out as a test too
    #[arg(long, value_name = "TEXT")]
    test: Vec<PathBuf>,
    /// Language of the texts; detected by default
    #[arg(long, value_name = "LANG", value_parser = crate::page::language)]
    lang: Option<String>,
    #[command(flatten)]
    force: ForceArg,
}

impl NewArgs {
    fn run(self) -> Result<()> {
        let Self { recipe, train, test, lang, force } = self;
        let inputs: Vec<&PathBuf> = train.iter().chain(&test).collect();
        files::check_inputs(&inputs)?;
        force.check(&recipe, &inputs)?;
        let mut reading = Reading { language: lang, ..Reading::default() };
        detect_stored(&mut reading, &folders::paths(&train, Format::Auto)?)?;
        let lang = reading.language().to_owned();
        let has_built_in = methods().preset_store(&lang, Preset::Accurate).is_ok();
        let texts = SuggestedTexts { train, tests: test, language: lang, has_built_in };
        let Suggestion { recipe: text, notes } = suggest(&texts)?;
        publish(&recipe, |out| out.write_all(text.as_bytes()))?;
        notes.iter().for_each(|note| tell!("{note}"));
        tell!("{}: run it with majuscule experiment run {}", recipe.display(), recipe.display());
        Ok(())
    }
}

fn given(text: &str) -> Result<(String, PathBuf), &'static str> {
    named_path(text).ok_or("expected NAME=PATH")
}

impl ExperimentAction {
    /// Runs the subcommand.
    pub fn run(self) -> Result<()> {
        match self {
            Self::Run(args) => args.run(),
            Self::New(args) => args.run(),
            Self::List => list(),
            Self::Show { recipe } => Ok(print(&text_of(&recipe)?)?),
            Self::Report { folder } => report(&folder),
            Self::Annotate(args) => Ok(args.run()?),
            Self::Agreement(args) => Ok(args.run()?),
        }
    }
}

fn report(folder: &Path) -> Result<()> {
    let file = folder.join(RESULTS);
    let bytes = files::open(&file)?.bytes()?;
    let results: Results = serde_json::from_slice(&bytes).map_err(|error| {
        Error::file(file.to_string_lossy(), format!("is not the result of an experiment: {error}"))
    })?;
    write_report(&results, folder)
}

/// The file of results, in the folder of the report.
const RESULTS: &str = "results.json";

impl RunArgs {
    fn run(self) -> Result<()> {
        let recipe = Recipe::parse(&text_of(&self.recipe)?, &self.recipe)?;
        let name = Path::new(&self.recipe).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let output = self.output.unwrap_or_else(|| name.into());
        let cache = self.cache.unwrap_or_else(|| output.join("cache"));
        let setting = Setting {
            corpora: self.corpora,
            cache,
            given: self.given.into_iter().collect::<BTreeMap<_, _>>(),
            long: self.long,
            methods: methods(),
        };
        let mut plan = plan(&recipe, &setting)?;
        for row in &mut plan.left_out {
            row.why = worded(&row.why, flag);
        }
        for job in &plan.jobs {
            check(job)?;
        }
        if self.dry_run {
            let commands: Vec<_> = plan.jobs.iter().map(|job| format!("{}\n", job.shown)).collect();
            return Ok(print(&commands.concat())?);
        }
        check_folder(&output)?;
        fs::create_dir_all(&output).map_err(|error| Error::io("create", &output, error))?;
        let results =
            execute(&recipe, &plan, &setting.methods, &mut itself, &mut |message| tell!("{message}"))?;
        write_report(&results, &output)?;
        Ok(print(&tables::text(&results))?)
    }
}

/// Refuses a folder that has contents but no report or cache.
fn check_folder(folder: &Path) -> Result<()> {
    let Ok(mut entries) = fs::read_dir(folder) else { return Ok(()) };
    let is_ours = folder.join(RESULTS).exists() || folder.join("cache").exists();
    if !is_ours && entries.next().is_some() {
        let problem = "contains files that are not of a report: name another folder with -o";
        return Err(Error::usage(format!("{} {problem}", folder.display())).into());
    }
    Ok(())
}

/// Parses the arguments of a job as a command line, before any job is run.
fn check(job: &Job) -> Result<()> {
    use clap::Parser;
    let mut arguments = [&["majuscule".to_owned()], &job.arguments[..]].concat();
    match &job.task {
        Task::Lines { .. } => return Ok(()),
        Task::Run { .. } => arguments.extend(["-o".into(), "output".into()]),
        Task::Print { .. } => {}
    }
    if arguments[1] == "train"
        && let Some(advice) = arguments.get(2).and_then(|method| advice(method))
    {
        return Err(Error::usage(format!("{}: {advice}", job.title)).into());
    }
    if let Err(error) = crate::Cli::try_parse_from(&arguments) {
        let error = error.to_string();
        let first = error.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        return Err(Error::usage(format!("{}: {first}, in: {}", job.title, job.shown)).into());
    }
    Ok(())
}

/// Runs a subcommand in a separate process, so that its memory and time can be measured.
fn itself(arguments: &[String]) -> Result<String, Error> {
    let own = || std::env::current_exe().map_err(|error| Error::io("find", "majuscule", error));
    let command = match crate::PROGRAM.get() {
        Some(command) => command,
        None => &vec![own()?.into()],
    };
    let (program, before) = command.split_first().expect("a command has a program");
    let run = || {
        let mut child = Command::new(program)
            .args(before)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()?;
        // The pipe closes when this process ends, and then the child ends too.
        let _alive = child.stdin.take();
        child.wait_with_output()
    };
    let output = run().map_err(|error| Error::io("run", program, error))?;
    if !output.status.success() {
        let problem = format!(
            "failed ({}); finished jobs are kept: run the same recipe again to resume",
            output.status
        );
        return Err(Error::file(format!("majuscule {}", arguments.join(" ")), problem));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn write_report(results: &Results, folder: &Path) -> Result<()> {
    let json = serde_json::to_string_pretty(results)? + "\n";
    let mut files = vec![
        (folder.join(RESULTS), json),
        (folder.join("tables.md"), tables::markdown(results)),
        (folder.join("tables.tex"), exports::latex(results)),
        (folder.join("figures.csv"), exports::csv(results)),
        (folder.join("report.html"), page::html(results)),
    ];
    files.extend(
        plots::all(results).into_iter().map(|plot| (folder.join(format!("{}.svg", plot.name)), plot.svg)),
    );
    for (file, text) in files {
        publish(&file, |out| out.write_all(text.as_bytes()))?;
        tell!("{}", file.display());
    }
    Ok(())
}

fn list() -> Result<()> {
    let mut page = String::new();
    let width = 2 + recipes().iter().map(|name| name.len()).max().unwrap_or_default();
    for (name, text) in library::RECIPES {
        let recipe = Recipe::parse(text, name).with_context(|| format!("the recipe {name}"))?;
        page += &format!("{name:<width$}{}\n", recipe.title);
        for (need, what) in &recipe.needs {
            page += &format!("{:<width$}  needs --with {need}=PATH: {what}\n", "");
        }
        let mut trained = recipe.rows.iter().filter_map(|row| row.train.as_ref()?.split(' ').next());
        if trained.any(|method| advice(method).is_some()) {
            page += &format!("{:<width$}  needs a build with --features neural\n", "");
        }
    }
    Ok(print(&page)?)
}

/// The largest size of a recipe; the longest built-in recipe has about 4 KiB.
const LARGEST_RECIPE: ByteSize = ByteSize(1 << 20);

/// Returns the text of a built-in recipe or of a file.
fn text_of(name: &str) -> Result<String> {
    match library::RECIPES.iter().find(|(known, _)| *known == name) {
        Some((_, text)) => Ok((*text).to_owned()),
        None if Path::new(name).exists() => Ok(files::open(name)?.short_text(LARGEST_RECIPE)?),
        None => {
            let names = recipes().join(", ");
            bail!(Error::usage(format!(
                "there is no recipe or file called {name}: the built-in recipes are {names}"
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use majuscule_experiment::recipe::OUTPUTS;

    /// Options that name an input file or folder, in every verb that has them.
    const READ: &[&str] = &[
        "align",
        "begin-weights",
        "corpora",
        "counts",
        "encoder",
        "forms",
        "lexicon",
        "list",
        "lm",
        "map",
        "model",
        "reference",
        "spellings",
        "tagger",
        "test",
        "token",
        "tune",
        "vocabulary-list",
        "weights",
        "with",
        "words",
    ];

    fn options(command: &clap::Command, found: &mut Vec<(String, Vec<String>)>) {
        for arg in command.get_arguments().filter(|arg| arg.get_action().takes_values()) {
            let values = arg.get_value_names().unwrap_or_default().iter().map(ToString::to_string);
            found.extend(arg.get_long().map(|long| (long.to_owned(), values.collect())));
        }
        command.get_subcommands().for_each(|command| options(command, found));
    }

    #[test]
    fn of_every_option_that_names_a_file_it_is_known_whether_it_is_written() {
        let mut found = Vec::new();
        options(&crate::Cli::command(), &mut found);
        assert!(found.len() > 100);
        for (option, values) in found {
            let names_file = values
                .iter()
                .any(|value| ["FILE", "FOLDER", "PATH", "ENDING"].iter().any(|name| value.contains(name)));
            let option = option.as_str();
            let is_output = OUTPUTS.split(' ').any(|output| output == option);
            assert!(
                !names_file || READ.contains(&option) != is_output,
                "--{option} {values:?}: add it to READ here, or to OUTPUTS of recipes, which must not give it"
            );
        }
    }
}
