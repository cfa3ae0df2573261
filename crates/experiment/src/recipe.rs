//! Recipes of experiments, read from TOML: texts, the steps and rows that use them, and the tests on which rows are
//! evaluated.
//!
//! A row describes the training of its model by command-line arguments, `train = "hmm --order 3"`. A recipe can
//! therefore use all options of the verbs, and its commands can be typed by hand.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::Deserialize;
use toml::de::{DeTable, DeValue};

use super::results::{PaperRun, Published};
use majuscule_base::error::{Error, Location, Problem, Result};
use majuscule_restore::models::Preset;
use majuscule_text::Locale;
use majuscule_train::corpus::Protocol;

/// A recipe, as parsed from its file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// The title of the experiment in a report.
    pub title: String,
    /// The paper whose table or figure the experiment reproduces.
    pub source: Option<String>,
    /// A description of what the experiment shows and what a reader has to know.
    #[serde(default)]
    pub about: String,
    /// The language of texts and models that do not specify their own.
    #[serde(default = "english")]
    pub language: String,
    /// The protocol of training and tests that do not specify their own.
    #[serde(default)]
    pub protocol: Protocol,
    /// True if the words of the texts are counted by their case.
    #[serde(default)]
    pub statistics: bool,
    /// True if tables have a column for the words that a model knows, for papers that score only these words.
    #[serde(default)]
    pub in_model: bool,
    /// True if the report has the figures of parts of the words: known and unknown words, the first of sentences,
    /// acronyms, short and long sentences, files, speakers and categories of transcripts.
    #[serde(default)]
    pub slices: bool,
    /// The files and folders that the user must provide: name and description of each.
    #[serde(default)]
    pub needs: BTreeMap<String, String>,
    /// The training behind the figures of the source: the settings that hold for all rows with published figures.
    #[serde(default)]
    pub paper: PaperRun,
    /// The training texts, by name.
    #[serde(default)]
    pub corpora: BTreeMap<String, RecipeTexts>,
    /// The steps that run before the rows and are shared by several: language models, lexicons.
    #[serde(default, rename = "step")]
    pub steps: Vec<RecipeStep>,
    /// The tests on which rows are evaluated.
    #[serde(default, rename = "test")]
    pub tests: Vec<RecipeTest>,
    /// The rows of the tables.
    #[serde(default, rename = "row")]
    pub rows: Vec<RecipeRow>,
    /// The text of the recipe file.
    #[serde(skip)]
    pub text: String,
    /// The name of the recipe file, for error messages.
    #[serde(skip)]
    pub file: String,
}

/// The definition of a training text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecipeTexts {
    /// Files, or folders of files, in the folder of corpora.
    pub files: Vec<PathBuf>,
    /// True if the lines are shuffled first, always in the same order.
    #[serde(default)]
    pub shuffled: bool,
    /// The prefix of lines that are headings, such as `# `: these lines are left out.
    pub headings: Option<String>,
    /// The number of lines to skip at the beginning.
    #[serde(default)]
    pub skip: u64,
    /// The number of lines to use after the skipped ones; all lines if it is not given.
    pub lines: Option<u64>,
    /// Command-line options for reading the files, such as `--split`.
    #[serde(default)]
    pub options: String,
}

/// A file that is made before the rows: the output of a verb.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecipeStep {
    /// The name of the step; other commands refer to its output as `{name}`.
    pub name: String,
    /// The verb and its settings, without texts and output: `lm train --order 3`.
    pub command: String,
    /// The texts that the step reads, if any.
    #[serde(default)]
    pub corpus: NameList,
}

/// A test of a recipe.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecipeTest {
    /// The name of the test in tables.
    pub name: String,
    /// Files or folders in the folder of corpora, with texts in their true case.
    #[serde(default)]
    pub files: Vec<PathBuf>,
    /// The names of corpora of the recipe, used instead of files: some lines of a file can then be
    /// for training and others for tests.
    #[serde(default)]
    pub corpus: NameList,
    /// The recogniser's transcripts of the same speech, whose words are
    /// restored; files are paired by name.
    pub recognised: Option<PathBuf>,
    /// The protocol of the test, if it differs from the recipe's.
    pub protocol: Option<Protocol>,
    /// Options of `evaluate`, such as `--split`.
    #[serde(default)]
    pub options: String,
}

/// A row, or several rows that differ in the size of their corpus or in their seed. A row has exactly one of `train`,
/// `adapt`, `preset`, `model`, `model_of`, `cascade` and `own`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecipeRow {
    /// The name of the row in tables.
    pub name: String,
    /// A method and its settings: `maxent --look-ahead 1`.
    pub train: Option<String>,
    /// The name of the row whose model is adapted; `options` holds the settings of `adapt`.
    pub adapt: Option<String>,
    /// A built-in model: `fast` or `accurate`.
    pub preset: Option<Preset>,
    /// An existing model: a folder or packed file in the folder of corpora, or one of `needs`.
    pub model: Option<String>,
    /// The name of the row whose model this row tests again, with its own options of `evaluate`. Parsing replaces
    /// this reference by the settings of the named row.
    pub model_of: Option<String>,
    /// The names of two rows that form a cascade: the second decides where the first is unsure;
    /// `options` may contain `--sure`.
    pub cascade: Option<[String; 2]>,
    /// True if the row scores the recogniser's own capitals.
    #[serde(default)]
    pub own: bool,
    /// The training texts of the row.
    #[serde(default)]
    pub corpus: NameList,
    /// The numbers of training lines, for a row with one training text; each number makes a separate row.
    #[serde(default)]
    pub sizes: Vec<u64>,
    /// The seeds that the row is trained with; each seed makes a separate row, and reports have the mean and standard
    /// deviation over all seeds.
    #[serde(default)]
    pub seeds: Vec<u64>,
    /// Settings of `adapt`, or the `--sure` of a cascade.
    #[serde(default)]
    pub options: String,
    /// Options of `evaluate` for this row.
    #[serde(default)]
    pub evaluate: String,
    /// The protocol of training, if it differs from the recipe's.
    pub protocol: Option<Protocol>,
    /// The language of the row, if it differs from the recipe's.
    pub language: Option<String>,
    /// The names of the tests that the row takes part in, if not all: a method without punctuation takes part in no
    /// test of punctuation.
    #[serde(default)]
    pub tests: NameList,
    /// True if the row takes long: it is made only on request.
    #[serde(default)]
    pub long: bool,
    /// The figures that the source publishes for this row, by test name.
    #[serde(default)]
    pub published: BTreeMap<String, Published>,
    /// The training behind the published figures of this row, where it differs from the recipe's `paper`.
    #[serde(default)]
    pub paper: PaperRun,
}

/// A list of names, written as one name or as a list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(from = "OneOrMore")]
pub struct NameList(pub Vec<String>);

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a name, or a list of names")]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl From<OneOrMore> for NameList {
    fn from(names: OneOrMore) -> Self {
        match names {
            OneOrMore::One(name) => Self(vec![name]),
            OneOrMore::More(names) => Self(names),
        }
    }
}

impl RecipeRow {
    /// Returns the number of words of look-ahead that the row is tested with, or else trained with, if its settings
    /// contain one.
    pub fn look_ahead(&self) -> Option<u64> {
        let given = |settings: &str| {
            let mut words = settings.split_whitespace();
            words.find(|word| *word == "--look-ahead").and_then(|_| words.next()?.parse().ok())
        };
        given(&self.evaluate).or_else(|| given(self.train.as_deref()?))
    }
}

fn english() -> String {
    "en".into()
}

impl Recipe {
    /// Parses a recipe; error messages call it `file`.
    ///
    /// # Errors
    /// Returns [`Error::Input`] if the text is not valid TOML, has an unknown key, refers to an
    /// undefined name, or contains a command that sets its own output location.
    pub fn parse(text: &str, file: &str) -> Result<Self> {
        let mut recipe: Self = toml::from_str(text).map_err(|error| toml_error(&error, text, file))?;
        check_outputs(text, file)?;
        recipe.text = text.to_owned();
        recipe.file = file.to_owned();
        for at in 0..recipe.rows.len() {
            recipe.take_model_of_row_above(at)?;
        }
        recipe.check()?;
        Ok(recipe)
    }

    /// Returns the locale of the recipe's language, or of the first of several languages.
    ///
    /// # Errors
    /// Returns an error if the language is not valid.
    pub fn locale(&self) -> Result<Locale> {
        let first = self.language.split(',').next().unwrap_or_default();
        first.parse().map_err(|error| self.problem(format!("language {error}")))
    }

    fn problem(&self, problem: impl Into<Problem>) -> Error {
        Error::file(self.file.clone(), problem)
    }

    fn refused<T>(&self, problem: impl Into<Problem>) -> Result<T> {
        Err(self.problem(problem))
    }

    /// Copies the settings of the named row to a row with `model_of`.
    fn take_model_of_row_above(&mut self, at: usize) -> Result<()> {
        let row = &self.rows[at];
        let Some(name) = &row.model_of else { return Ok(()) };
        let of_test = RecipeRow {
            name: row.name.clone(),
            model_of: row.model_of.clone(),
            evaluate: row.evaluate.clone(),
            tests: row.tests.clone(),
            long: row.long,
            published: row.published.clone(),
            paper: row.paper.clone(),
            ..RecipeRow::default()
        };
        let whose = format!("row \"{}\"", row.name);
        if *row != of_test {
            return self.refused(format!(
                "{whose}: with model_of, expected only name, evaluate, tests, long, published and paper"
            ));
        }
        let above = self.row_above(at, &whose, name)?;
        self.rows[at] = RecipeRow {
            model_of: None,
            long: of_test.long || above.long,
            paper: of_test.paper.or(&above.paper),
            name: of_test.name,
            evaluate: of_test.evaluate,
            tests: of_test.tests,
            published: of_test.published,
            ..above.clone()
        };
        Ok(())
    }

    /// Returns the row called `name` among the rows above row `at`, which uses it.
    fn row_above(&self, at: usize, whose: &str, name: &str) -> Result<&RecipeRow> {
        self.rows[..at].iter().find(|row| row.name == name).ok_or_else(|| {
            self.problem(format!("{whose} uses \"{name}\": expected the name of a row above it"))
        })
    }

    fn check(&self) -> Result<()> {
        if self.tests.is_empty() || self.rows.is_empty() {
            return self
                .refused("expected at least one [[test]] and one [[row]]: there is nothing to compare");
        }
        self.check_names("test", self.tests.iter().map(|test| &test.name))?;
        self.check_names("row", self.rows.iter().map(|row| &row.name))?;
        self.check_names("step", self.steps.iter().map(|step| &step.name).chain(self.needs.keys()))?;
        let mut made: BTreeSet<&str> = self.needs.keys().map(String::as_str).chain(["corpora"]).collect();
        for test in &self.tests {
            let whose = format!("test \"{}\"", test.name);
            if test.files.is_empty() == test.corpus.0.is_empty() {
                return self.refused(format!("{whose}: expected either files or the name of a corpus"));
            }
            if test.recognised.is_some() && test.files.len() != 1 {
                return self.refused(format!(
                    "{whose}: recognised text is compared with one file or one folder of files"
                ));
            }
            self.check_corpora(&whose, &test.corpus)?;
            self.check_placeholders(&whose, &test.options, &BTreeSet::from(["corpora"]))?;
        }
        for step in &self.steps {
            let whose = format!("step \"{}\"", step.name);
            self.check_corpora(&whose, &step.corpus)?;
            self.check_placeholders(&whose, &step.command, &made)?;
            made.insert(&step.name);
        }
        for (at, row) in self.rows.iter().enumerate() {
            self.check_row(at, row, &made)?;
        }
        Ok(())
    }

    fn check_names<'a>(&self, what: &str, names: impl Iterator<Item = &'a String>) -> Result<()> {
        let mut seen = BTreeSet::new();
        for name in names {
            if name.trim().is_empty() {
                return self.refused(format!("a {what} has an empty name: give it one"));
            }
            if !seen.insert(name) {
                return self
                    .refused(format!("two {what}s are called \"{name}\": give each a name of its own"));
            }
        }
        Ok(())
    }

    fn check_row(&self, at: usize, row: &RecipeRow, made: &BTreeSet<&str>) -> Result<()> {
        let whose = format!("row \"{}\"", row.name);
        let ways = [
            row.train.is_some(),
            row.adapt.is_some(),
            row.preset.is_some(),
            row.model.is_some(),
            row.cascade.is_some(),
            row.own,
        ];
        if ways.iter().filter(|&&way| way).count() != 1 {
            return self.refused(format!(
                "{whose}: expected exactly one of train, adapt, preset, model, model_of, cascade and own"
            ));
        }
        self.check_corpora(&whose, &row.corpus)?;
        for settings in [row.train.as_ref(), row.model.as_ref(), Some(&row.options), Some(&row.evaluate)] {
            self.check_placeholders(&whose, settings.map_or("", String::as_str), made)?;
        }
        let learns = row.train.is_some() || row.adapt.is_some();
        let has_texts = !row.corpus.0.is_empty() || !row.sizes.is_empty();
        if !learns && has_texts {
            return self.refused(format!("{whose}: only rows that train or adapt have a corpus or sizes"));
        }
        if !row.sizes.is_empty() && (row.adapt.is_some() || row.corpus.0.len() != 1) {
            return self.refused(format!("{whose}: sizes are for a row that trains on one corpus"));
        }
        let is_repeated = row.seeds.iter().enumerate().any(|(at, seed)| row.seeds[..at].contains(seed));
        if !row.seeds.is_empty() && (row.train.is_none() || !row.sizes.is_empty() || is_repeated) {
            return self.refused(format!(
                "{whose}: seeds are for a row that trains, once each, and not together with sizes"
            ));
        }
        if let Some(name) = &row.adapt {
            self.row_above(at, &whose, name)?;
        }
        for name in row.cascade.iter().flatten() {
            let above = self.row_above(at, &whose, name)?;
            if !above.sizes.is_empty() || !above.seeds.is_empty() {
                return self.refused(format!(
                    "{whose}: a cascade needs two models, not rows of several sizes or seeds"
                ));
            }
        }
        let is_test = |name: &String| self.tests.iter().any(|test| test.name == *name);
        let names = row.published.keys().map(|name| ("published figures for", name));
        let names = names.chain(row.tests.0.iter().map(|name| ("it takes the test", name)));
        match names.into_iter().find(|(_, name)| !is_test(name)) {
            Some((what, name)) => {
                Err(self.problem(format!("{whose}: {what} \"{name}\", which is not a test")))
            }
            None => Ok(()),
        }
    }

    fn check_corpora(&self, whose: &str, names: &NameList) -> Result<()> {
        let mut read: Option<(&str, &str)> = None;
        for name in &names.0 {
            let Some(texts) = self.corpora.get(name) else {
                let known: Vec<_> = self.corpora.keys().map(String::as_str).collect();
                let known = if known.is_empty() { "none".into() } else { known.join(", ") };
                return self
                    .refused(format!("{whose} reads the corpus \"{name}\", but [corpora] has {known}"));
            };
            let (first, options) = *read.get_or_insert((name, &texts.options));
            if options != texts.options {
                return self.refused(format!(
                    "{whose} reads the corpora {first} and {name}, whose options differ: expected the same for both"
                ));
            }
        }
        Ok(())
    }

    fn check_placeholders(&self, whose: &str, command: &str, made: &BTreeSet<&str>) -> Result<()> {
        match placeholders(command).find(|name| !made.contains(name)) {
            Some(name) => Err(self.problem(format!(
                "{whose} uses {{{name}}}: expected {{corpora}}, one of [needs] or a [[step]] above it"
            ))),
            None => Ok(()),
        }
    }
}

/// The options of all verbs that name an output file or folder. An experiment sets these options itself, so that it
/// writes only to its folder and its cache.
pub const OUTPUTS: &str =
    "cache checkpoint choices csv dictionary in-place isymbols latex log osymbols output pack temp usage";

/// The keys of a recipe whose values become words of a command.
const COMMANDS: [&str; 5] = ["command", "train", "options", "evaluate", "model"];

/// Refuses commands that name an output; the error contains the line.
fn check_outputs(text: &str, file: &str) -> Result<()> {
    let table = DeTable::parse(text).map_err(|error| toml_error(&error, text, file))?;
    match written_in(table.get_ref()) {
        None => Ok(()),
        Some((word, start)) => {
            let (line, column) = place(text, start).unzip();
            let problem = format!(
                "found {} in a command: an experiment itself decides where each verb writes, in its folder and its cache; leave \
                 it out",
                word.escape_debug()
            );
            Err(Error::Input {
                location: Location { file: file.to_owned(), line, column },
                problem: problem.into(),
            })
        }
    }
}

/// Finds the first word in a table's commands that names an output, and returns it with the byte
/// offset of its value.
fn written_in(table: &DeTable<'_>) -> Option<(String, usize)> {
    table.iter().find_map(|(key, value)| match value.get_ref() {
        DeValue::String(text) if COMMANDS.contains(&key.get_ref().as_ref()) => {
            let word = text.split_whitespace().find(|word| names_output(word))?;
            Some((word.to_owned(), value.span().start))
        }
        DeValue::Table(table) => written_in(table),
        DeValue::Array(values) => values.iter().find_map(|value| match value.get_ref() {
            DeValue::Table(table) => written_in(table),
            _ => None,
        }),
        _ => None,
    })
}

/// Returns true if a word of a command is an option that names an output, or
/// the `--` that ends the options.
fn names_output(word: &str) -> bool {
    match word.strip_prefix("--") {
        Some(option) => {
            let name = option.split_once('=').map_or(option, |(name, _)| name);
            name.is_empty() || OUTPUTS.split(' ').any(|output| output == name)
        }
        // One-letter options may be combined, with the value of the last one attached.
        None => word.strip_prefix('-').is_some_and(|letters| {
            letters.starts_with(|c: char| c.is_ascii_alphabetic()) && letters.contains('o')
        }),
    }
}

/// Returns the names that a command has in braces.
pub(super) fn placeholders(command: &str) -> impl Iterator<Item = &str> {
    command.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name)
}

/// Converts a TOML error to an input error with line and column.
fn toml_error(error: &toml::de::Error, text: &str, file: &str) -> Error {
    let (line, column) = error.span().and_then(|span| place(text, span.start)).unzip();
    let problem = error.message().trim().replace('\n', ", ");
    Error::Input { location: Location { file: file.to_owned(), line, column }, problem: problem.into() }
}

/// Returns the line and column of a byte offset.
fn place(text: &str, at: usize) -> Option<(u64, u64)> {
    let before = text.get(..at)?;
    let line = before.matches('\n').count() as u64 + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() as u64 + 1;
    Some((line, column))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"
title = "Small"
language = "en"
protocol = "rei"
[corpora.news]
files = ["news.txt"]
[[test]]
name = "held out"
files = ["test.txt"]
[[row]]
name = "most frequent form"
train = "majority"
corpus = "news"
"#;

    fn error(text: &str) -> String {
        Recipe::parse(text, "table.toml").unwrap_err().to_string()
    }

    #[test]
    fn ten_lines_are_a_recipe() {
        let recipe = Recipe::parse(SMALL, "table.toml").unwrap();
        assert_eq!(
            (recipe.protocol, recipe.rows[0].corpus.0.as_slice()),
            (Protocol::Rei, &["news".to_owned()][..])
        );
    }

    #[test]
    fn a_mistake_is_named_with_its_place() {
        assert_eq!(
            error(&SMALL.replace("corpus =", "corpse =")),
            "table.toml, line 13, column 1: unknown field `corpse`, expected one of `name`, `train`, `adapt`, `preset`, \
             `model`, `model_of`, `cascade`, `own`, `corpus`, `sizes`, `seeds`, `options`, `evaluate`, `protocol`, `language`, `tests`, `long`, \
             `published`, \
             `paper`"
        );
        assert_eq!(
            error(&SMALL.replace("corpus = \"news\"", "corpus = \"olds\"")),
            "table.toml: row \"most frequent form\" reads the corpus \"olds\", but [corpora] has news"
        );
        assert_eq!(
            error(&SMALL.replace("corpus = \"news\"", "corpus = \"news\"\ntests = \"olds\"")),
            "table.toml: row \"most frequent form\": it takes the test \"olds\", which is not a test"
        );
        assert!(error("title = \"x").starts_with("table.toml, line 1, column "));
        assert_eq!(
            error("title = \"x\""),
            "table.toml: expected at least one [[test]] and one [[row]]: there is nothing to compare"
        );
    }

    #[test]
    fn a_row_comes_about_in_one_way() {
        let both = error(&(SMALL.to_owned() + "preset = \"fast\"\n"));
        assert_eq!(
            both,
            "table.toml: row \"most frequent form\": expected exactly one of train, adapt, preset, model, model_of, \
             cascade and own"
        );
        let unknown = error(&(SMALL.to_owned() + "[[row]]\nname = \"better\"\nadapt = \"best\"\n"));
        assert_eq!(unknown, "table.toml: row \"better\" uses \"best\": expected the name of a row above it");
        let braces = error(&SMALL.replace("\"majority\"", "\"hmm --lm {trigram}\""));
        assert_eq!(
            braces,
            "table.toml: row \"most frequent form\" uses {trigram}: expected {corpora}, one of [needs] or a [[step]] above it"
        );
    }

    #[test]
    fn a_row_tests_the_model_of_a_row_above_again() {
        let again = "[[row]]\nname = \"again\"\nmodel_of = \"most frequent form\"\n";
        let recipe = Recipe::parse(&format!("{SMALL}{again}evaluate = \"--split\"\n"), "table.toml").unwrap();
        let [first, second] = &recipe.rows[..] else { panic!("{:?}", recipe.rows) };
        let expected =
            RecipeRow { name: "again".to_owned(), evaluate: "--split".to_owned(), ..first.clone() };
        assert_eq!(*second, expected);
        let found = error(&format!("{SMALL}{again}corpus = \"news\"\n"));
        assert!(found.contains("row \"again\": with model_of, expected only name, evaluate,"), "{found}");
        let found = error(&(SMALL.to_owned() + &again.replace("most frequent form", "again")));
        assert_eq!(found, "table.toml: row \"again\" uses \"again\": expected the name of a row above it");
    }

    #[test]
    fn a_recipe_that_says_where_to_write_is_refused() {
        for command in [
            "majority --pack=notes.txt",
            "majority --pack notes.txt",
            "majority -o notes",
            "majority -onotes",
            "majority -fo=notes",
            "majority --output=notes",
            "maxent --checkpoint notes.txt",
            "hmm --usage notes.txt",
            "majority -- notes.txt",
        ] {
            let word = command.split_once(' ').unwrap().1.split(' ').next().unwrap();
            let expected = format!("table.toml, line 12, column 9: found {word} in a command: ");
            let found = error(&SMALL.replace("majority", command));
            assert!(found.starts_with(&expected), "{found}");
        }
        let escaped = error(&SMALL.replace("majority", "majority \\u002d-pack=notes.txt"));
        assert!(escaped.contains("line 12, column 9: found --pack=notes.txt"), "{escaped}");
        for more in [
            "[[step]]\nname = \"s\"\ncommand = \"lm train -o notes\"\n",
            "[[row]]\nname = \"r\"\npreset = \"fast\"\nevaluate = \"--choices notes.txt\"\n",
            "[[row]]\nname = \"r\"\nmodel = \"--choices={corpora}/notes.txt\"\n",
            "[[row]]\nname = \"r\"\nadapt = \"most frequent form\"\noptions = \"\"\"\n--pack\nnotes.txt\"\"\"\n",
            "[corpora]\nold = { files = [\"a\"], options = \"--usage notes.txt\" }\n",
        ] {
            let more = if more.starts_with("[corpora]") {
                SMALL.replace("[corpora.news]", &format!("{more}[corpora.news]"))
            } else {
                SMALL.to_owned() + more
            };
            assert!(error(&more).contains(" in a command: an experiment itself decides where"), "{more}");
        }
        for fine in ["majority --min-count 2", "hmm --map-weight -0.5 --order 2", "bert --lowercase-o"] {
            assert!(Recipe::parse(&SMALL.replace("majority", fine), "table.toml").is_ok(), "{fine}");
        }
    }

    #[test]
    fn names_are_unique() {
        let twice =
            error(&(SMALL.to_owned() + "[[row]]\nname = \"most frequent form\"\npreset = \"fast\"\n"));
        assert_eq!(
            twice,
            "table.toml: two rows are called \"most frequent form\": give each a name of its own"
        );
    }
}
