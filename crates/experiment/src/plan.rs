//! Plans the jobs of a recipe, in order. Each job is a command with a key, which is made of everything that the
//! result of the job depends on.

use std::array;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::library::TEXTS;
use super::recipe::{NameList, Recipe, RecipeRow, RecipeStep, RecipeTest, RecipeTexts, placeholders};
use super::results::OmittedRow;
use majuscule_base::error::{Error, Result, option};
use majuscule_base::files::{self, Input};
use majuscule_format::{DetectedFormat, Format, FormatInfo};
use majuscule_restore::models::{Methods, Preset};
use majuscule_train::RESULTS_VERSION;
use majuscule_train::eval::table::thousands;

/// The locations of a recipe's files, and the choice of rows to make.
#[derive(Debug, Clone, Default)]
pub struct Setting {
    /// The folder that the recipe's text files are relative to.
    pub corpora: PathBuf,
    /// The cache folder, where outputs are stored and found again.
    pub cache: PathBuf,
    /// The paths of other files that the recipe needs, by name.
    pub given: BTreeMap<String, PathBuf>,
    /// True if rows marked as long are made too.
    pub long: bool,
    /// The methods of the program; rows of other methods are left out.
    pub methods: Methods,
}

/// All jobs of an experiment, in an order in which each job comes after its dependencies.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// The cache folder, where outputs are stored.
    pub cache: PathBuf,
    /// The files that are written before the first job, with their texts.
    pub texts: BTreeMap<PathBuf, &'static str>,
    /// The jobs, in order.
    pub jobs: Vec<Job>,
    /// The rows, each with the jobs that make it.
    pub rows: Vec<Planned>,
    /// The texts whose words are counted, each with its job.
    pub statistics: Vec<(String, usize)>,
    /// The training texts that are searched for test texts.
    pub overlaps: Vec<Searched>,
    /// The rows that are left out.
    pub left_out: Vec<OmittedRow>,
}

/// A planned row of the tables.
#[derive(Debug, Clone, Default)]
pub struct Planned {
    /// The index of the row in the recipe.
    pub recipe: usize,
    /// The name of the row.
    pub name: String,
    /// The number of training lines, for a row with several sizes.
    pub lines: Option<u64>,
    /// The seed of training, for a row with several seeds.
    pub seed: Option<u64>,
    /// The job that trains or adapts the model; `None` for an existing model.
    pub training: Option<usize>,
    /// The location of the model; `None` for a cascade or a
    /// recogniser's own capitals, which have none.
    pub model: Option<RowModel>,
    /// The job of each test; `None` if the row does not take part in the test.
    pub tests: Vec<Option<usize>>,
}

/// A training text that is searched for a test text before training.
#[derive(Debug, Clone)]
pub struct Searched {
    /// The name of the training text in the recipe.
    pub corpus: String,
    /// The largest number of training lines that rows use, if a row specifies its number of lines.
    pub lines: Option<u64>,
    /// The indices of the tests that use the test text.
    pub tests: Vec<usize>,
    /// The job that performs the search.
    pub job: usize,
}

/// The location of a row's model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowModel {
    /// A folder or packed file.
    At(PathBuf),
    /// A model built into the program.
    BuiltIn {
        /// The language of the model.
        language: String,
        /// The preset: fast or accurate.
        preset: Preset,
    },
}

/// One job of a plan.
#[derive(Debug, Clone)]
pub struct Job {
    /// The title that is shown while the job runs.
    pub title: String,
    /// The job's own folder in the cache.
    pub folder: PathBuf,
    /// The arguments of the verb, without those that name outputs.
    pub arguments: Vec<String>,
    /// The task of the job.
    pub task: Task,
    /// The user's files that the job reads: their names, with digests of their contents.
    pub inputs: BTreeMap<String, String>,
    /// The indices of the earlier jobs whose outputs this job reads.
    pub needs: BTreeSet<usize>,
    /// The command without the contents of its inputs: jobs with equal requests differ only in the
    /// contents of the files they read.
    pub request: String,
    /// The command as a reader would type it.
    pub shown: String,
}

/// A range of the lines of files; empty lines do not count.
#[derive(Debug, Clone)]
pub struct LineRange {
    /// True if the lines are shuffled first.
    pub shuffled: bool,
    /// The prefix of lines that are left out, if any are.
    pub headings: Option<String>,
    /// The number of lines to skip first.
    pub skip: u64,
    /// The number of lines to use after the skipped ones.
    pub lines: u64,
}

/// The task of a job.
#[derive(Debug, Clone)]
pub enum Task {
    /// Copies a range of the lines of files.
    Lines {
        /// The files to read.
        files: Vec<PathBuf>,
        /// The lines to copy.
        range: LineRange,
        /// The extension of the copy, which ensures that the copy is read in the format of the files; `None` if the
        /// format is detected from the contents.
        extension: Option<&'static str>,
    },
    /// Runs a verb.
    Run {
        /// True if the verb can resume from a checkpoint.
        checkpoint: bool,
        /// True if the job is a step of the recipe and not a row.
        is_step: bool,
    },
    /// Runs a verb that prints JSON, and stores what it prints.
    Print {
        /// True if the choices of a model are stored too.
        choices: bool,
    },
}

impl Job {
    /// The path of the job's output: a model, a text, or the choices of a test.
    pub fn output(&self) -> PathBuf {
        let output = self.folder.join("output");
        match self.task {
            Task::Lines { extension: Some(extension), .. } => output.with_extension(extension),
            _ => output,
        }
    }
}

/// Plans the jobs of a recipe.
///
/// # Errors
/// Returns an error if a file named by the recipe is missing or cannot be read.
pub fn plan(recipe: &Recipe, setting: &Setting) -> Result<Plan> {
    let mut planner = Planner {
        recipe,
        setting,
        plan: Plan { cache: setting.cache.clone(), ..Plan::default() },
        made: BTreeMap::new(),
        digests: BTreeMap::new(),
    };
    for name in setting.given.keys() {
        if !recipe.needs.contains_key(name) {
            let needs: Vec<_> = recipe.needs.keys().map(String::as_str).collect();
            let needs = if needs.is_empty() { "nothing".to_owned() } else { needs.join(", ") };
            return Err(Error::usage(format!("{} needs {needs}, but {name} is given", recipe.file)));
        }
    }
    if recipe.statistics
        && let Err(RowRefusal::Error(error)) = planner.statistics()
    {
        return Err(error);
    }
    for at in 0..recipe.rows.len() {
        planner.row(at)?;
    }
    if planner.plan.rows.is_empty() {
        let why: Vec<_> =
            planner.plan.left_out.iter().map(|row| format!("{}: {}", row.name, row.why)).collect();
        return Err(Error::usage(format!("{}: no row can be made: {}", recipe.file, why.join("; "))));
    }
    Ok(planner.plan)
}

struct Planner<'a> {
    recipe: &'a Recipe,
    setting: &'a Setting,
    plan: Plan,
    /// The jobs of the recipe's steps, by name, and the jobs that extract texts, by corpus and number of lines.
    made: BTreeMap<String, usize>,
    digests: BTreeMap<PathBuf, String>,
}

/// A row that a row of the recipe expands to.
struct RowVariant {
    name: String,
    lines: Option<u64>,
    seed: Option<u64>,
    /// The name of the row whose model this row adapts.
    base: Option<String>,
}

/// The reason that a row is not planned.
enum RowRefusal {
    /// The row cannot be made with this setting, for this reason; this is not an error.
    Without(String),
    Error(Error),
}

impl From<Error> for RowRefusal {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

type Planning<T> = Result<T, RowRefusal>;

impl Planner<'_> {
    /// Plans jobs that count the words of all texts, training texts first.
    fn statistics(&mut self) -> Planning<()> {
        let corpora = self
            .recipe
            .corpora
            .iter()
            .map(|(name, texts)| (name, &texts.files, &texts.options, self.recipe.protocol));
        let tests = self.recipe.tests.iter().filter(|test| test.corpus.0.is_empty()).map(|test| {
            (&test.name, &test.files, &test.options, test.protocol.unwrap_or(self.recipe.protocol))
        });
        for (name, files, options, protocol) in corpora.chain(tests) {
            let mut command = Command::default();
            command.says(["corpus", "stats", "--json", "--lang", &self.recipe.language]);
            command.says(["--protocol", &protocol.to_string()]);
            self.words(&mut command, options)?;
            self.files(&mut command, files)?;
            let job = self.job(format!("counting {name}"), command, Task::Print { choices: false });
            self.plan.statistics.push((name.clone(), job));
        }
        Ok(())
    }

    fn row(&mut self, at: usize) -> Result<()> {
        let row = &self.recipe.rows[at];
        for variant in self.variants(row) {
            match self.missing(row).and_then(|()| self.planned(at, &variant)) {
                Ok(planned) => self.plan.rows.push(planned),
                Err(RowRefusal::Without(why)) => {
                    self.plan.left_out.push(OmittedRow { name: variant.name, why });
                }
                Err(RowRefusal::Error(error)) => return Err(error),
            }
        }
        Ok(())
    }

    /// Returns the rows that a recipe row expands to: one for each size or seed.
    fn variants(&self, row: &RecipeRow) -> Vec<RowVariant> {
        let variant = |lines: Option<u64>, seed: Option<u64>, base: Option<String>| {
            let name = match (lines, seed) {
                (Some(lines), _) => format!("{}, {} lines", row.name, thousands(lines)),
                (_, Some(seed)) => format!("{}, seed {seed}", row.name),
                _ => row.name.clone(),
            };
            RowVariant { name, lines, seed, base }
        };
        let Some(base) = &row.adapt else {
            let sizes = row.sizes.iter().map(|&lines| variant(Some(lines), None, None));
            let seeds = row.seeds.iter().map(|&seed| variant(None, Some(seed), None));
            let all: Vec<RowVariant> = sizes.chain(seeds).collect();
            return if all.is_empty() { vec![variant(None, None, None)] } else { all };
        };
        // A row that adapts a row with several sizes or seeds has the same sizes or seeds.
        let above = self.recipe.rows.iter().find(|row| row.name == *base);
        let above = above.map(|above| self.variants(above)).unwrap_or_default();
        above.into_iter().map(|above| variant(above.lines, above.seed, Some(above.name))).collect()
    }

    /// Refuses a long row that is not requested, and a row whose method is missing, before its files are read.
    fn missing(&self, row: &RecipeRow) -> Planning<()> {
        let method = row.train.as_deref().and_then(|train| train.split_whitespace().next());
        let absence = method.and_then(|method| self.setting.methods.absence(method));
        match absence.map(str::to_owned) {
            _ if row.long && !self.setting.long => {
                Err(RowRefusal::Without(format!("it takes long: include it with {}", option("long"))))
            }
            Some(why) => Err(RowRefusal::Without(why)),
            None => Ok(()),
        }
    }

    fn planned(&mut self, at: usize, variant: &RowVariant) -> Planning<Planned> {
        let row = &self.recipe.rows[at];
        let &RowVariant { ref name, lines, seed, ref base } = variant;
        let mut planned = Planned { recipe: at, name: name.clone(), lines, seed, ..Planned::default() };
        let mut choosing = Command::default();
        if let Some(settings) = &row.train {
            planned.training = Some(self.train(row, settings, variant)?);
        } else if let Some(base) = base {
            planned.training = Some(self.adapt(row, name, base, seed)?);
        } else if let Some(preset) = row.preset {
            choosing.says(["--preset", preset.name()]);
            // Built-in models change only with the program.
            planned.model = Some(RowModel::BuiltIn { language: self.language(row).to_owned(), preset });
        } else if let Some(model) = &row.model {
            choosing.says(["--model"]);
            let path = if model.contains('{') { model.clone() } else { format!("{{corpora}}/{model}") };
            self.word(&mut choosing, path)?;
            planned.model = choosing.words.last().map(|[path, ..]| RowModel::At(path.into()));
        } else if let Some(rows) = &row.cascade {
            self.cascade(&mut choosing, rows)?;
            self.words(&mut choosing, &row.options)?;
        }
        if let Some(job) = planned.training {
            choosing.says(["--model"]);
            self.makes(&mut choosing, job);
            planned.model = Some(RowModel::At(self.plan.jobs[job].output()));
        }
        for test in &self.recipe.tests {
            let is_taken = row.tests.0.is_empty() || row.tests.0.contains(&test.name);
            let job = if is_taken { self.test(row, test, name, &choosing)? } else { None };
            planned.tests.push(job);
        }
        Ok(planned)
    }

    fn language<'a>(&'a self, row: &'a RecipeRow) -> &'a str {
        row.language.as_deref().unwrap_or(&self.recipe.language)
    }

    fn train(&mut self, row: &RecipeRow, settings: &str, variant: &RowVariant) -> Planning<usize> {
        let &RowVariant { ref name, lines, seed, .. } = variant;
        let mut command = Command::default();
        command.says(["train"]);
        self.words(&mut command, settings)?;
        command.seed(seed);
        let protocol = row.protocol.unwrap_or(self.recipe.protocol).to_string();
        command.says(["--protocol", &protocol, "--lang", self.language(row)]);
        // The largest size contains all smaller ones.
        self.overlaps(&row.corpus, row.sizes.iter().copied().max())?;
        self.texts(&mut command, &row.corpus, lines)?;
        let checkpoint = matches!(settings.split_whitespace().next(), Some("maxent" | "bert"));
        Ok(self.makes_new(format!("training {name}"), name, command, checkpoint))
    }

    fn adapt(&mut self, row: &RecipeRow, name: &str, base: &str, seed: Option<u64>) -> Planning<usize> {
        let Some(training) = self.plan.rows.iter().find(|row| row.name == base).and_then(|row| row.training)
        else {
            return Err(RowRefusal::Without(format!("it adapts \"{base}\", which is not made")));
        };
        let mut command = Command::default();
        command.says(["adapt"]);
        self.makes(&mut command, training);
        self.words(&mut command, &row.options)?;
        command.seed(seed);
        if let Some(protocol) = row.protocol {
            command.says(["--protocol", &protocol.to_string()]);
        }
        self.overlaps(&row.corpus, None)?;
        self.texts(&mut command, &row.corpus, None)?;
        Ok(self.makes_new(format!("adapting {name}"), name, command, false))
    }

    fn cascade(&mut self, command: &mut Command, rows: &[String; 2]) -> Planning<()> {
        let models: Vec<_> =
            rows.iter().filter_map(|name| self.plan.rows.iter().find(|row| row.name == *name)).collect();
        let [Planned { training: Some(fast), .. }, Planned { training: Some(exact), .. }] = models[..] else {
            return Err(RowRefusal::Without(format!(
                "it is a cascade of \"{}\" and \"{}\", which are not both trained",
                rows[0], rows[1]
            )));
        };
        command.says(["--cascade"]);
        let [one, two] = [*fast, *exact].map(|job| self.plan.jobs[job].word());
        command.words.push(array::from_fn(|side| format!("{},{}", one[side], two[side])));
        command.needs.extend([*fast, *exact]);
        Ok(())
    }

    fn test(
        &mut self,
        row: &RecipeRow,
        test: &RecipeTest,
        name: &str,
        choosing: &Command,
    ) -> Planning<Option<usize>> {
        if row.own && test.recognised.is_none() {
            return Ok(None);
        }
        let mut command = Command::default();
        command.says([if row.own { "score" } else { "evaluate" }]);
        command.append(choosing);
        let protocol = test.protocol.unwrap_or(self.recipe.protocol).to_string();
        // A built-in model belongs to a language; for other models the language of the test matters.
        let language = if row.preset.is_some() { self.language(row) } else { &self.recipe.language };
        if test.recognised.is_none() {
            command.says(["--protocol", &protocol]);
        }
        command.says(["--lang", language]);
        self.words(&mut command, &test.options)?;
        self.words(&mut command, &row.evaluate)?;
        if !row.own {
            command.says(["--threads", "1"]);
        }
        if let Some(recognised) = &test.recognised {
            // Both paths are passed unchanged, because the files of two folders are paired by name.
            self.input(&mut command, "", &test.files[0])?;
            command.says(["--align"]);
            self.input(&mut command, "", recognised)?;
        } else {
            self.texts(&mut command, &test.corpus, None)?;
            self.files(&mut command, &test.files)?;
        }
        command.says(["--json"]);
        let is_aligned = test.recognised.is_some();
        if is_aligned {
            command.says(["--per-file"]);
        } else if self.recipe.slices && !row.own {
            command.says(self.parts_by_themselves(test)?);
        }
        let title = format!("testing {name} on {}", test.name);
        Ok(Some(self.job(title, command, Task::Print { choices: !is_aligned })))
    }

    /// Returns the options of `evaluate` that score the files, speakers and categories of a test separately.
    fn parts_by_themselves(&mut self, test: &RecipeTest) -> Result<Vec<&'static str>> {
        let mut files = Vec::new();
        for file in &test.files {
            let path = self.place(file);
            files.extend(if path.is_dir() { files::paths_in(&path)? } else { vec![path] });
        }
        let has = |has: fn(&FormatInfo) -> bool| files.iter().any(|file| has(Format::of_name(file).info()));
        let parts = [
            ("--per-file", files.len() > 1),
            ("--per-speaker", has(|format| format.has_speakers)),
            ("--per-category", has(|format| format.has_categories)),
        ];
        Ok(parts.into_iter().filter_map(|(option, is_there)| is_there.then_some(option)).collect())
    }

    /// Plans the jobs that search training texts for the texts of all tests.
    fn overlaps(&mut self, corpus: &NameList, lines: Option<u64>) -> Planning<()> {
        for name in &corpus.0 {
            for (at, test) in self.recipe.tests.iter().enumerate() {
                let job = self.overlap(name, lines, test)?;
                let mut known = self.plan.overlaps.iter_mut();
                match known.find(|known| known.job == job && known.corpus == *name) {
                    Some(known) if known.tests.contains(&at) => {}
                    Some(known) => known.tests.push(at),
                    None => {
                        let corpus = name.clone();
                        self.plan.overlaps.push(Searched { corpus, lines, tests: vec![at], job });
                    }
                }
            }
        }
        Ok(())
    }

    fn overlap(&mut self, name: &str, lines: Option<u64>, test: &RecipeTest) -> Planning<usize> {
        let mut command = Command::default();
        command.says(["corpus", "overlap", "--json", "--top", "0", "--lang", &self.recipe.language]);
        // Both texts are read with the corpus's options, because the options of a test belong to `evaluate`, which has
        // others too.
        self.words(&mut command, &self.recipe.corpora[name].options)?;
        self.text(&mut command, name, lines)?;
        command.says(["--test"]);
        for corpus in &test.corpus.0 {
            self.text(&mut command, corpus, None)?;
        }
        self.files(&mut command, &test.files)?;
        let title = format!("searching {name} for {}", test.name);
        Ok(self.job(title, command, Task::Print { choices: false }))
    }

    /// Adds the texts of corpora and their reading options to a command.
    fn texts(&mut self, command: &mut Command, corpus: &NameList, lines: Option<u64>) -> Planning<()> {
        if let Some(first) = corpus.0.first() {
            // All corpora of a command have the same options.
            self.words(command, &self.recipe.corpora[first].options)?;
        }
        for name in &corpus.0 {
            self.text(command, name, lines)?;
        }
        Ok(())
    }

    /// Adds the text of a corpus to a command.
    fn text(&mut self, command: &mut Command, name: &str, lines: Option<u64>) -> Result<()> {
        let texts = &self.recipe.corpora[name];
        let is_whole = texts.skip == 0 && texts.lines.is_none() && texts.headings.is_none();
        if !texts.shuffled && is_whole && lines.is_none() {
            self.files(command, &texts.files)?;
        } else {
            let job = self.some_lines(name, texts, lines)?;
            self.makes(command, job);
        }
        Ok(())
    }

    /// Returns the job that extracts a range of lines from a corpus, planning it if necessary.
    fn some_lines(&mut self, name: &str, texts: &RecipeTexts, lines: Option<u64>) -> Result<usize> {
        let lines = lines.or(texts.lines).unwrap_or(u64::MAX);
        let known = format!("corpus {name} {lines}");
        if let Some(&job) = self.made.get(&known) {
            return Ok(job);
        }
        let mut command = Command::default();
        let RecipeTexts { shuffled, skip, ref headings, .. } = *texts;
        let taken = if shuffled { "shuffled" } else { "lines" };
        command.says([taken, &skip.to_string(), &lines.to_string()]);
        if let Some(headings) = headings {
            command.says(["without", headings]);
        }
        let first = command.words.len();
        self.files(&mut command, &texts.files)?;
        let words = &command.words[first..];
        let files: Vec<PathBuf> = side(words, RUN).into_iter().map(PathBuf::from).collect();
        let extension = if shuffled { None } else { self.extension_of_lines(name, &files)? };
        let all = if shuffled { "majuscule corpus shuffle" } else { "cat" };
        let mut shown = format!("{all} {}", side(words, SHOWN).join(" "));
        if let Some(headings) = headings {
            shown += &format!(" | grep -v '^{headings}'");
        }
        if skip > 0 {
            shown += &format!(" | tail -n +{}", skip + 1);
        }
        if lines < u64::MAX {
            shown += &format!(" | head -n {lines}");
        }
        let range = LineRange { shuffled, headings: headings.clone(), skip, lines };
        let task = Task::Lines { files, range, extension };
        let job = self.job(format!("taking lines of {name}"), command, task);
        let is_part = lines < u64::MAX && texts.lines != Some(lines);
        let count = if is_part { format!("-{lines}") } else { String::new() };
        self.plan.jobs[job].shown = format!("{shown} > {}{count}.txt", slug(name));
        self.made.insert(known, job);
        Ok(job)
    }

    /// Returns the extension with which lines of the files are read in the format of the files; `None` if the names do
    /// not indicate the format.
    ///
    /// # Errors
    /// If a file cannot be read, if its format is not read line by line, or if the files have different formats.
    fn extension_of_lines(&self, corpus: &str, files: &[PathBuf]) -> Result<Option<&'static str>> {
        let mut first = None;
        for file in files {
            let mut input = match self.plan.texts.get(file) {
                Some(text) => Input::new(file.to_string_lossy(), text.as_bytes())?,
                None => files::open(file)?,
            };
            let DetectedFormat { kind, named, .. } = Format::detect(&mut input)?;
            let wrong = |problem: String| {
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                Error::usage(format!(
                    "corpora.{corpus}: {name} has the format {}, {problem}",
                    kind.info().name
                ))
            };
            if !FORMATS_BY_LINE.contains(&kind) {
                let to_do =
                    "whose lines mean nothing alone: name whole files, without lines, skip and headings";
                return Err(wrong(to_do.to_owned()));
            }
            let &mut (format, _) = first.get_or_insert((kind, named));
            if format != kind {
                return Err(wrong(format!(
                    "but the files before it have {}: make two corpora",
                    format.info().name
                )));
            }
        }
        Ok(first.and_then(|(_, named)| named?.info().extensions.first().copied()))
    }

    /// Returns the job of a step, planning it the first time.
    fn step(&mut self, step: &RecipeStep) -> Planning<usize> {
        if let Some(&job) = self.made.get(&step.name) {
            return Ok(job);
        }
        let mut command = Command::default();
        self.words(&mut command, &step.command)?;
        self.overlaps(&step.corpus, None)?;
        self.texts(&mut command, &step.corpus, None)?;
        let job = self.makes_new(format!("making {}", step.name), &step.name, command, false);
        let made = &mut self.plan.jobs[job];
        made.shown = made.shown.replace(" -o models/", " -o made/");
        if let Task::Run { is_step, .. } = &mut made.task {
            *is_step = true;
        }
        self.made.insert(step.name.clone(), job);
        Ok(job)
    }

    /// Adds the words of a recipe's command to a command.
    fn words(&mut self, command: &mut Command, words: &str) -> Planning<()> {
        for word in words.split_whitespace() {
            self.word(command, word.to_owned())?;
        }
        Ok(())
    }

    fn word(&mut self, command: &mut Command, word: String) -> Planning<()> {
        let Some(name) = placeholders(&word).next() else {
            command.says([&word]);
            return Ok(());
        };
        let (before, after) = word.split_once(&format!("{{{name}}}")).unwrap_or((&word, ""));
        if name == "corpora" {
            self.input(command, before, Path::new(after.trim_start_matches('/')))?;
        } else if let Some(what) = self.recipe.needs.get(name) {
            let Some(path) = self.setting.given.get(name) else {
                return Err(RowRefusal::Without(format!("it needs {} {name}=PATH: {what}", option("with"))));
            };
            let inside = after.trim_start_matches('/');
            // A slash at the end would turn the path of a file into the path of a folder.
            let path = if inside.is_empty() { path.clone() } else { path.join(inside) };
            self.path(command, before, &path, &format!("{name}{after}"))?;
        } else {
            let step = self.recipe.steps.iter().find(|step| step.name == name).expect("recipes are checked");
            let job = self.step(step)?;
            let [output, key, _] = self.plan.jobs[job].word();
            let shown = format!("made/{}", slug(name));
            command.words.push([output, key, shown].map(|word| format!("{before}{word}{after}")));
            command.needs.insert(job);
        }
        Ok(())
    }

    /// Adds the output of a job to a command.
    fn makes(&self, command: &mut Command, job: usize) {
        command.needs.insert(job);
        command.words.push(self.plan.jobs[job].word());
    }

    /// Adds files in the folder of corpora to a command; the files
    /// of a folder are added one by one.
    fn files(&mut self, command: &mut Command, files: &[PathBuf]) -> Result<()> {
        for file in files {
            let path = self.place(file);
            if path.is_dir() {
                let first = command.words.len();
                for path in files::paths_in(&path)? {
                    self.input(command, "", &file.join(path.file_name().unwrap_or_default()))?;
                }
                command.words[first..].iter_mut().for_each(|word| word[SHOWN].clear());
                command.words.push([String::new(), String::new(), format!("{}/*", file.display())]);
            } else {
                self.input(command, "", file)?;
            }
        }
        Ok(())
    }

    /// Adds to a command the path of a file or folder, which is named relative to the folder of corpora.
    fn input(&mut self, command: &mut Command, before: &str, file: &Path) -> Result<()> {
        let path = self.place(file);
        self.path(command, before, &path, &file.to_string_lossy())
    }

    /// Returns the path of a file in the folder of corpora. A file that exists only inside the
    /// program is placed in the cache.
    fn place(&mut self, file: &Path) -> PathBuf {
        let path = self.setting.corpora.join(file);
        let inside = TEXTS.iter().find(|(name, _)| !path.exists() && file == Path::new(name));
        let Some(&(name, text)) = inside else { return path };
        let path = self.setting.cache.join("texts").join(name);
        self.digests.entry(path.clone()).or_insert_with(|| text_digest(text));
        self.plan.texts.insert(path.clone(), text);
        path
    }

    fn path(&mut self, command: &mut Command, before: &str, path: &Path, name: &str) -> Result<()> {
        if !self.digests.contains_key(path) {
            self.digests.insert(path.to_owned(), digest(path)?);
        }
        command.words.push([&path.display().to_string(), name, name].map(|word| format!("{before}{word}")));
        command.inputs.insert(name.to_owned(), self.digests[path].clone());
        Ok(())
    }

    /// Plans the job of a command that has the option `-o`.
    fn makes_new(&mut self, title: String, name: &str, mut command: Command, checkpoint: bool) -> usize {
        command.words.push([String::new(), String::new(), format!("-o models/{}", slug(name))]);
        self.job(title, command, Task::Run { checkpoint, is_step: false })
    }

    /// Plans the job of a command, or returns an equal job that is already planned.
    fn job(&mut self, title: String, command: Command, task: Task) -> usize {
        let Command { words, inputs, needs } = command;
        let request = side(&words, REQUEST).join(" ");
        let folder = self.setting.cache.join(key(&request, &inputs));
        if let Some(same) = self.plan.jobs.iter().position(|job| job.folder == folder) {
            return same;
        }
        let shown = format!("majuscule {}", side(&words, SHOWN).join(" "));
        let arguments = side(&words, RUN);
        self.plan.jobs.push(Job { title, folder, arguments, task, inputs, needs, request, shown });
        self.plan.jobs.len() - 1
    }
}

/// A word of a command, on three sides: as it is run, as it is in the request, where each input is given by its name or
/// key instead of its path, and as it is shown to a reader. It is empty where a side lacks it.
type CommandWord = [String; 3];

const RUN: usize = 0;
const REQUEST: usize = 1;
const SHOWN: usize = 2;

/// Returns the words on one side of a command.
fn side(words: &[CommandWord], side: usize) -> Vec<String> {
    words.iter().map(|word| word[side].clone()).filter(|word| !word.is_empty()).collect()
}

/// A command under construction.
#[derive(Debug, Clone, Default)]
struct Command {
    words: Vec<CommandWord>,
    inputs: BTreeMap<String, String>,
    needs: BTreeSet<usize>,
}

impl Command {
    fn says<'a>(&mut self, words: impl IntoIterator<Item = &'a (impl AsRef<str> + ?Sized + 'a)>) {
        self.words.extend(words.into_iter().map(|word| [word.as_ref(); 3].map(str::to_owned)));
    }

    fn seed(&mut self, seed: Option<u64>) {
        if let Some(seed) = seed {
            self.says(["--seed", &seed.to_string()]);
        }
    }

    fn append(&mut self, other: &Self) {
        self.words.extend_from_slice(&other.words);
        self.inputs.extend(other.inputs.clone());
        self.needs.extend(&other.needs);
    }
}

impl Job {
    /// Returns the name of the job in the cache and in the requests of jobs that use it.
    pub(super) fn key(&self) -> String {
        files::name(&self.folder)
    }

    /// Returns the word for the output of the job in the command of another. Rows with the same model or text share one
    /// job, and so one name for its output.
    fn word(&self) -> CommandWord {
        let before = match self.task {
            Task::Lines { .. } => " > ",
            Task::Run { .. } | Task::Print { .. } => " -o ",
        };
        let shown = self.shown.rsplit_once(before).map_or("", |(_, output)| output);
        [self.output().to_string_lossy().into_owned(), self.key(), shown.to_owned()]
    }
}

/// Hashes everything that a job's result depends on into a name: the request, the contents of the
/// files, and the version of results.
fn key(request: &str, inputs: &BTreeMap<String, String>) -> String {
    let mut all = format!("results {RESULTS_VERSION}\n{request}\n");
    for (name, digest) in inputs {
        all += &format!("{name} {digest}\n");
    }
    // 64-bit FNV-1a.
    let hash = all
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("{hash:016x}")
}

/// Digests the contents of a file, or of all files in a folder.
fn digest(path: &Path) -> Result<String> {
    if path.is_dir() {
        let mut all = String::new();
        for path in files::paths_in(path)? {
            all += &format!("{} {}\n", files::name(&path), digest(&path)?);
        }
        return Ok(format!("{:08x}-{}", crc32fast::hash(all.as_bytes()), all.len()));
    }
    let mut file = fs::File::open(path).map_err(|error| Error::io("read", path, error))?;
    let (mut hasher, mut len, mut buffer) = (crc32fast::Hasher::new(), 0, vec![0; 1 << 20]);
    loop {
        let read =
            std::io::Read::read(&mut file, &mut buffer).map_err(|error| Error::io("read", path, error))?;
        if read == 0 {
            return Ok(format!("{:08x}-{len}", hasher.finalize()));
        }
        hasher.update(&buffer[..read]);
        len += read;
    }
}

/// Returns the digest of a file that contains this text.
fn text_digest(text: &str) -> String {
    format!("{:08x}-{}", crc32fast::hash(text.as_bytes()), text.len())
}

/// The formats in which each line is read independently, so that any lines of a file are a valid file too.
const FORMATS_BY_LINE: [Format; 8] = [
    Format::Text,
    Format::Tok,
    Format::Labels,
    Format::Stm,
    Format::Trn,
    Format::Ctm,
    Format::Kaldi,
    Format::Jsonl,
];

/// Converts a name to one that needs no quotes in a command.
pub(super) fn slug(name: &str) -> String {
    let parts = name.split(|c: char| !c.is_alphanumeric() && c != '.').filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(rows: &str) -> Result<Plan> {
        let folder = tempfile::tempdir().unwrap();
        for name in ["news.txt", "test.txt"] {
            fs::write(folder.path().join(name), "She met Ana.\n").unwrap();
        }
        let head = "title = \"Runs\"\n[corpora.news]\nfiles = [\"news.txt\"]\n[[test]]\nname = \"test\"\nfiles = [\"test.txt\"]\n";
        let recipe = Recipe::parse(&format!("{head}{rows}"), "runs.toml")?;
        let methods = Methods::all();
        plan(&recipe, &Setting { corpora: folder.path().to_owned(), methods, ..Setting::default() })
    }

    #[test]
    fn each_seed_makes_a_row_and_a_row_that_adapts_it() {
        let plan = planned(
            "[[row]]\nname = \"net\"\ntrain = \"maxent\"\ncorpus = \"news\"\nseeds = [1, 22]\n\
             [[row]]\nname = \"adapted\"\nadapt = \"net\"\ncorpus = \"news\"\n",
        );
        let plan = plan.unwrap();
        let rows: Vec<_> = plan.rows.iter().map(|row| (row.name.as_str(), row.seed)).collect();
        let expected = [
            ("net, seed 1", Some(1)),
            ("net, seed 22", Some(22)),
            ("adapted, seed 1", Some(1)),
            ("adapted, seed 22", Some(22)),
        ];
        assert_eq!(rows, expected);
        let command = |row: usize| &plan.jobs[plan.rows[row].training.unwrap()].shown;
        assert!(command(1).starts_with("majuscule train maxent --seed 22 "), "{}", command(1));
        assert!(command(3).contains("models/net-seed-22 --seed 22 "), "{}", command(3));
    }

    #[test]
    fn rows_of_one_model_train_it_once_and_name_it_once() {
        let plan = planned(
            "[[row]]\nname = \"net\"\ntrain = \"majority\"\ncorpus = \"news\"\n\
             [[row]]\nname = \"again\"\nmodel_of = \"net\"\nevaluate = \"--split\"\n\
             [[row]]\nname = \"twice\"\ncascade = [\"net\", \"again\"]\n",
        );
        let plan = plan.unwrap();
        assert_eq!(plan.rows[0].training, plan.rows[1].training);
        let test = |row: usize| plan.jobs[plan.rows[row].tests[0].unwrap()].shown.as_str();
        assert!(test(0).contains(" --model models/net --protocol text --lang en --threads"), "{}", test(0));
        assert!(test(1).contains(" --model models/net --protocol text --lang en --split"), "{}", test(1));
        assert!(test(2).contains(" --cascade models/net,models/net "), "{}", test(2));
    }

    /// Plans the taking of lines of files with these names and contents.
    fn lines_of(files: &[(&str, &str)], more: &str) -> Result<Plan> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        fs::write(folder.path().join("test.txt"), "She met Ana.\n").unwrap();
        let names: Vec<_> = files.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        let recipe = format!(
            "title = \"Lines\"\n[corpora.calls]\nfiles = [{}]\n{more}\n[[test]]\nname = \"test\"\n\
             files = [\"test.txt\"]\n[[row]]\nname = \"a\"\ntrain = \"majority\"\ncorpus = \"calls\"\n",
            names.join(", ")
        );
        let recipe = Recipe::parse(&recipe, "lines.toml")?;
        plan(
            &recipe,
            &Setting { corpora: folder.path().to_owned(), methods: Methods::all(), ..Setting::default() },
        )
    }

    #[test]
    fn lines_are_read_in_the_format_of_their_file() {
        for (name, text, expected) in [
            ("a.txt", "She met Ana.\n", "output.txt"),
            ("a.en", "She met Ana.\n", "output"),
            ("a.tok", "She met Ana .\n", "output.tok"),
            ("a.labels", "she\tO\nmet\tO\nana\tPERIOD\n", "output"),
        ] {
            let plan = lines_of(&[(name, text)], "lines = 1").unwrap();
            let output = plan.jobs[0].output();
            assert_eq!(output.file_name().unwrap(), expected, "{name}");
        }
    }

    #[test]
    fn lines_are_taken_only_where_each_is_a_text() {
        let nlp = "token|speaker|ts|endTs|punctuation|case|tags|wer_tags\nana|1||||UC|[]|[]\n";
        for more in ["lines = 1", "skip = 1", "headings = \"# \""] {
            let found = lines_of(&[("call.nlp", nlp)], more).unwrap_err().to_string();
            assert!(found.contains("corpora.calls: call.nlp has the format nlp"), "{found}");
        }
        assert!(lines_of(&[("call.nlp", nlp)], "").is_ok());
        assert!(lines_of(&[("call.nlp", nlp)], "shuffled = true\nlines = 1").is_ok());
        let found =
            lines_of(&[("a.txt", "Ana.\n"), ("b.tok", "Ana .\n")], "lines = 1").unwrap_err().to_string();
        assert!(found.contains("b.tok has the format tok, but the files before it have text"), "{found}");
    }

    #[test]
    fn seeds_are_for_trainings_and_each_of_its_own() {
        for more in
            ["preset = \"fast\"\nseeds = [1]", "train = \"majority\"\ncorpus = \"news\"\nseeds = [1, 1]"]
        {
            let found = planned(&format!("[[row]]\nname = \"a\"\n{more}\n")).unwrap_err().to_string();
            assert!(found.contains("row \"a\": seeds are for a row that trains, once each"), "{found}");
        }
    }
}
