//! Collects results from the outputs of jobs: the examples of each test are read once, for all rows in parallel.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::Path;
use std::thread;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::plan::{Job, Plan, Planned, RowModel, Searched, Task};
use super::recipe::{Recipe, RecipeTest};
use super::results::{
    self, Recognised, ResultCell, ResultRow, ResultSample, Results, RowRun, SliceFigures, Usage,
};
use majuscule_base::error::{Error, Result};
use majuscule_base::files;
use majuscule_methods::Backend;
use majuscule_methods::model::{self, Manifest};
use majuscule_restore::models::Methods;
use majuscule_text::Locale;
use majuscule_train::RESULTS_VERSION;
use majuscule_train::corpus::Protocol;
use majuscule_train::corpus::overlap::{Overlap, TextSize};
use majuscule_train::corpus::stats::CorpusStats;
use majuscule_train::eval::aligned;
use majuscule_train::eval::choices::{Choices, ChoicesReader};
use majuscule_train::eval::differences::apart;
use majuscule_train::eval::marks::MarkReport;
use majuscule_train::eval::report::{Figures, MisspelledWord};
use majuscule_train::eval::{Matching, Slots, System, compare};

/// The maximum number of examples of a test that are shown side by side.
const SAMPLE: usize = 24;
/// The number of resamples of the examples of a test.
const RESAMPLES: usize = 10_000;
/// The maximum number of words that are shown of one example.
const STRETCH: usize = 48;
/// The maximum number of errors that are listed for a row.
const ERRORS: usize = 30;

/// Collects the results of a plan whose jobs are done.
///
/// # Errors
/// Returns an error if the output of a job cannot be read.
pub fn collect(recipe: &Recipe, plan: &Plan, methods: &Methods) -> Result<Results> {
    let mut tests = Vec::with_capacity(recipe.tests.len());
    let mut rows =
        plan.rows.iter().map(|planned| row(recipe, plan, planned, methods)).collect::<Result<Vec<_>>>()?;
    for (at, test) in recipe.tests.iter().enumerate() {
        let (test, cells) = tested(recipe, plan, at, test)?;
        for (row, cell) in rows.iter_mut().zip(cells) {
            row.cells.push(cell);
        }
        tests.push(test);
    }
    let texts = plan.statistics.iter().map(|(name, job)| text(name, &plan.jobs[*job]));
    let overlaps = plan.overlaps.iter().map(|searched| overlap(recipe, plan, searched));
    Ok(Results {
        title: recipe.title.clone(),
        source: recipe.source.clone(),
        about: recipe.about.trim().to_owned(),
        recipe: recipe.text.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        cores: thread::available_parallelism().map_or(1, NonZeroUsize::get),
        tests,
        rows,
        texts: texts.collect::<Result<_>>()?,
        overlaps: overlaps.collect::<Result<_>>()?,
        left_out: plan.left_out.clone(),
    })
}

/// Reads the word counts of a text from the output of its job.
fn text(name: &str, job: &Job) -> Result<results::TextSummary> {
    let CorpusStats { sentences, scored, all } = printed(job)?;
    Ok(results::TextSummary { name: name.to_owned(), sentences, tags: scored.tags, all: Some(all.tags) })
}

/// Reads the overlap of a test text with a training text from the output of its job.
///
/// # Errors
/// Returns an error if the output of the job cannot be read.
pub fn overlap(recipe: &Recipe, plan: &Plan, searched: &Searched) -> Result<results::TextOverlap> {
    let Searched { corpus, lines, tests, job } = searched;
    let job = &plan.jobs[*job];
    Ok(results::TextOverlap {
        tests: tests.iter().map(|&test| recipe.tests[test].name.clone()).collect(),
        corpus: corpus.clone(),
        lines: *lines,
        command: job.shown.clone(),
        found: printed(job)?,
    })
}

/// Builds a row of the results, still without its cells.
fn row(recipe: &Recipe, plan: &Plan, planned: &Planned, methods: &Methods) -> Result<ResultRow> {
    let own = &recipe.rows[planned.recipe];
    let (manifest, layers) = match &planned.model {
        Some(RowModel::At(path)) => {
            let store = model::open(path)?;
            // A model is loaded only if it may have layers, to read their weights.
            let has_layers = methods.has_backends(&store.manifest().method);
            let model = has_layers.then(|| methods.load(&*store, &Backend::default())).transpose()?;
            let layers = model.and_then(|model| model.restorer.details()?.layer_weights());
            (Some(store.manifest().clone()), layers)
        }
        Some(RowModel::BuiltIn { language, preset }) => {
            (Some(methods.preset_store(language, *preset)?.manifest().clone()), None)
        }
        None => (None, None),
    };
    let needed: Vec<&Job> = needed(plan, planned).into_iter().map(|job| &plan.jobs[job]).collect();
    let training = planned.training.and_then(|job| training(&plan.jobs[job], &needed));
    Ok(ResultRow {
        name: planned.name.clone(),
        series: own.name.clone(),
        lines: planned.lines,
        commands: needed.iter().map(|job| job.shown.clone()).collect(),
        method: manifest.as_ref().map(|manifest| manifest.method.clone()),
        bytes: manifest.as_ref().map(|manifest| manifest.files.iter().map(|file| file.bytes).sum()),
        training,
        epochs: manifest.as_ref().and_then(|manifest| epochs(&manifest.settings)),
        layers: layers.map(|weights| weights.0),
        look_ahead: own.look_ahead(),
        published: own.published.clone(),
        seeded: planned.seed,
        run: run(recipe, plan, planned, manifest.as_ref())?,
        paper: own.paper.or(&recipe.paper),
        cells: Vec::new(),
    })
}

/// Returns the training behind a row: the settings in the manifest of its model, the size of its training texts, and
/// the CPU.
fn run(recipe: &Recipe, plan: &Plan, planned: &Planned, manifest: Option<&Manifest>) -> Result<RowRun> {
    let own = &recipe.rows[planned.recipe];
    // A row that reads the outputs of steps is trained on their texts.
    let of_steps = || {
        let commands = || own.train.iter().chain([&own.options]);
        let is_read = |name: &str| commands().any(|command| command.contains(&format!("{{{name}}}")));
        let steps = recipe.steps.iter().filter(|step| is_read(&step.name));
        steps.flat_map(|step| step.corpus.0.clone()).collect::<BTreeSet<_>>().into_iter().collect()
    };
    let names: &Vec<String> = &if own.corpus.0.is_empty() { of_steps() } else { own.corpus.0.clone() };
    let trained = planned.training.and_then(|job| plan.jobs[job].usage());
    let lines = names.iter().map(|name| recipe.corpora[name].lines).sum::<Option<u64>>();
    let mut counted = (!names.is_empty()).then(TextSize::default);
    for name in names {
        let lines = own.sizes.iter().copied().max();
        // Of several sizes, only the largest was searched for overlaps and therefore counted.
        let searched =
            plan.overlaps.iter().find(|searched| searched.corpus == *name && searched.lines == lines);
        let more = match searched.filter(|_| planned.lines == lines) {
            Some(searched) => printed::<Overlap>(&plan.jobs[searched.job])?.training,
            None => None,
        };
        counted = counted.zip(more).map(|(all, more)| TextSize {
            sentences: all.sentences + more.sentences,
            words: all.words + more.words,
        });
    }
    let lines = lines.filter(|_| !names.is_empty()).or_else(|| Some(counted?.sentences));
    Ok(RowRun {
        version: Some(RESULTS_VERSION),
        sentences: planned.lines.or(lines),
        words: counted.map(|size| size.words),
        processor: trained.and_then(|took| took.processor),
        ..manifest.map(|manifest| RowRun::of(&manifest.settings)).unwrap_or_default()
    })
}

/// The resource usage of training, including the steps it needs, such as training a language model.
fn training(training: &Job, needed: &[&Job]) -> Option<Usage> {
    let mut all = training.usage()?.usage;
    for step in needed.iter().filter(|job| matches!(job.task, Task::Run { is_step: true, .. })) {
        let usage = step.usage()?.usage;
        all.wall_seconds += usage.wall_seconds;
        all.cpu_seconds = all.cpu_seconds.zip(usage.cpu_seconds).map(|(one, other)| one + other);
        all.peak_bytes = all.peak_bytes.zip(usage.peak_bytes).map(|(one, other)| one.max(other));
    }
    Some(all)
}

/// Returns the number of epochs that were configured for the last training of a model.
fn epochs(settings: &serde_json::Value) -> Option<f64> {
    let adapted = settings["adapted"].as_array().and_then(|all| all.last());
    adapted.unwrap_or(&settings["config"])["epochs"].as_f64()
}

/// Returns the jobs of a row and all their dependencies, in order; tests come last.
fn needed(plan: &Plan, planned: &Planned) -> Vec<usize> {
    let mut needed: Vec<usize> =
        planned.training.into_iter().chain(planned.tests.iter().copied().flatten()).collect();
    let mut at = 0;
    while let Some(&job) = needed.get(at) {
        let more: Vec<usize> =
            plan.jobs[job].needs.iter().copied().filter(|other| !needed.contains(other)).collect();
        needed.extend(more);
        at += 1;
    }
    needed.sort_unstable();
    needed
}

/// Builds a test and the cells of all rows for this test.
fn tested(
    recipe: &Recipe,
    plan: &Plan,
    at: usize,
    test: &RecipeTest,
) -> Result<(results::ResultTest, Vec<Option<ResultCell>>)> {
    let jobs: Vec<Option<&Job>> =
        plan.rows.iter().map(|row| row.tests[at].map(|job| &plan.jobs[job])).collect();
    let names = plan.rows.iter().map(|row| row.name.as_str());
    let (counted, sample) = match &test.recognised {
        Some(_) => {
            let counted = names.zip(&jobs).map(|(name, job)| job.map(|job| alignment(name, job)).transpose());
            (counted.collect::<Result<_>>()?, Vec::new())
        }
        None => choices(recipe, test, &names.collect::<Vec<_>>(), &jobs)?,
    };
    let systems: Vec<System> = counted.iter().flatten().map(|counted| counted.system.clone()).collect();
    let examples = systems.first().map_or(0, |system| system.examples.len() as u64);
    // The correction for the number of rows needs p-values below 0.001.
    let config = compare::CompareConfig { resamples: RESAMPLES, ..compare::CompareConfig::default() };
    let mut compared = compare(&systems, config)?.systems.into_iter();
    let mut found = results::ResultTest {
        name: test.name.clone(),
        signature: String::new(),
        examples,
        words: 0,
        slots: 0,
        sample,
    };
    let mut cells = Vec::with_capacity(jobs.len());
    for (counted, job) in counted.into_iter().zip(&jobs) {
        let (Some(counted), Some(job)) = (counted, job) else {
            cells.push(None);
            continue;
        };
        let compared = compared.next().expect("one for each that was counted");
        (found.words, found.slots) = (counted.words, compared.slots.reference());
        let Signed { signature, seen, marks, sentence_ends, parts } = printed(job)?;
        found.signature = signature;
        let mut slices = if recipe.slices { parts.slices(seen) } else { Vec::new() };
        slices.extend(counted.by_length().filter(|_| recipe.slices && marks.is_none()));
        let took = job.usage();
        cells.push(Some(ResultCell {
            figures: Figures::of(counted.words, compared.slots),
            intervals: compared.intervals,
            difference: compared.difference,
            usage: took.as_ref().map(|took| took.usage),
            words_per_second: took.and_then(|took| took.restoring?.words_per_second()),
            recognised: counted.recognised.clone(),
            in_model: seen.filter(|_| recipe.in_model),
            marks,
            sentence_ends,
            slices,
            errors: counted.most_frequent(),
        }));
    }
    Ok((found, cells))
}

/// Parses the JSON that a job printed.
fn printed<T: DeserializeOwned>(job: &Job) -> Result<T> {
    serde_json::from_str(&job.printed()?).map_err(|error| {
        let folder = job.folder.to_string_lossy();
        Error::file(folder, format!("does not contain a report ({error}): remove it and run again"))
    })
}

/// The parts of a report that are not counts of examples.
#[derive(Deserialize)]
struct Signed {
    signature: String,
    seen: Option<Figures>,
    marks: Option<MarkReport>,
    sentence_ends: Option<Figures>,
    #[serde(flatten)]
    parts: PrintedParts,
}

/// The figures of parts of the words in a report; the report of an alignment has none.
#[derive(Default, Deserialize)]
#[serde(default)]
struct PrintedParts {
    unseen: Option<Figures>,
    initial: Option<Figures>,
    rest: Option<Figures>,
    classes: Option<PrintedClasses>,
    files: Vec<PrintedPart>,
    speakers: Vec<PrintedPart>,
    categories: Vec<PrintedPart>,
}

#[derive(Deserialize)]
struct PrintedClasses {
    upper: Figures,
    mixed: Figures,
}

#[derive(Deserialize)]
struct PrintedPart {
    #[serde(alias = "file")]
    name: String,
    #[serde(flatten)]
    figures: Figures,
}

/// The largest number of files, speakers or categories of a test that have slices.
const MOST_PARTS: usize = 10;

/// Returns the parts with the most words, in their original order.
fn largest(parts: impl Iterator<Item = SliceFigures>) -> Vec<SliceFigures> {
    let mut parts: Vec<(usize, SliceFigures)> = parts.enumerate().collect();
    parts.sort_by_key(|(_, part)| Reverse(part.figures.tokens));
    parts.truncate(MOST_PARTS);
    parts.sort_by_key(|(at, _)| *at);
    parts.into_iter().map(|(_, part)| part).collect()
}

impl PrintedParts {
    /// Converts the parts to slices; `seen` has the figures of the words that the model knows.
    fn slices(self, seen: Option<Figures>) -> Vec<SliceFigures> {
        let (upper, mixed) = self.classes.map(|classes| (classes.upper, classes.mixed)).unzip();
        let named = [
            ("words in the model", seen),
            ("words not in the model", self.unseen),
            ("first words of sentences", self.initial),
            ("other words", self.rest),
            ("capitals throughout", upper),
            ("mixed case", mixed),
        ];
        let named = named
            .into_iter()
            .filter_map(|(name, figures)| Some(SliceFigures { name: name.to_owned(), figures: figures? }));
        let largest = |parts: Vec<PrintedPart>, shown: &dyn Fn(String) -> String| {
            let slice = |PrintedPart { name, figures }| SliceFigures { name: shown(name), figures };
            largest(parts.into_iter().map(slice))
        };
        let files = largest(self.files, &|file| files::name(Path::new(&file)));
        let speakers = largest(self.speakers, &|name| format!("speaker {name}"));
        let categories = largest(self.categories, &|name| format!("category {name}"));
        named.chain(files).chain(speakers).chain(categories).collect()
    }
}

/// The counts of a row on a test.
struct CountedResult {
    system: System,
    words: u64,
    errors: BTreeMap<(String, String), u64>,
    recognised: Option<Recognised>,
    /// The words and slots of the examples of each range of [`LENGTHS`].
    lengths: [(u64, Slots); LENGTHS.len()],
}

/// The ranges of example lengths that are reported separately: their names and largest numbers of words.
const LENGTHS: [(&str, usize); 4] = [
    ("of 1 to 5 words", 5),
    ("of 6 to 15 words", 15),
    ("of 16 to 40 words", 40),
    ("of more than 40 words", usize::MAX),
];

impl CountedResult {
    fn new(name: &str) -> Self {
        Self {
            system: System::new(name),
            words: 0,
            errors: BTreeMap::new(),
            recognised: None,
            lengths: Default::default(),
        }
    }
}

/// Reads the examples of a test for all rows in parallel, counts the errors of each row, and
/// samples examples on which rows differ.
fn choices(
    recipe: &Recipe,
    test: &RecipeTest,
    names: &[&str],
    jobs: &[Option<&Job>],
) -> Result<(Vec<Option<CountedResult>>, Vec<ResultSample>)> {
    let protocol = test.protocol.unwrap_or(recipe.protocol);
    let locale = recipe.locale()?;
    let again = |job: &Job| format!("remove {} and run again", job.folder.display());
    let open = |job: &Option<&Job>| job.map(|job| ChoicesReader::open(&job.output(), again(job))).transpose();
    let mut files = jobs.iter().map(open).collect::<Result<Vec<_>>>()?;
    let mut counted: Vec<Option<CountedResult>> =
        names.iter().zip(jobs).map(|(name, job)| job.map(|_| CountedResult::new(name))).collect();
    let mut sample = Samples::default();
    loop {
        let next = |file: &mut Option<ChoicesReader>| file.as_mut().map_or(Ok(None), ChoicesReader::read);
        let examples = files.iter_mut().map(next).collect::<Result<Vec<_>>>()?;
        let Some(first) = examples.iter().flatten().next() else { break };
        for ((example, file), name) in examples.iter().zip(&files).zip(names) {
            let Some(file) = file else { continue };
            if example.as_ref().is_none_or(|example| example.reference != first.reference) {
                return Err(file.problem(&format!("\"{name}\" was tested on another text")));
            }
        }
        for (choices, counted) in examples.iter().zip(&mut counted) {
            if let (Some(choices), Some(counted)) = (choices, counted) {
                counted.add(choices, locale, protocol);
            }
        }
        sample.offer(examples, &counted);
    }
    Ok((counted, sample.best()))
}

/// Reads the counts of an alignment with recognised words, one recording at a time.
fn alignment(name: &str, job: &Job) -> Result<CountedResult> {
    let report: aligned::report::AlignedReport = printed(job)?;
    let errors = report.words.into_iter().map(|word| ((word.reference, word.hypothesis), word.count));
    let recordings = report.files.iter().map(|file| file.all.slots());
    let recognised = Recognised {
        word_error_rate: report.word_errors.rate,
        right: report.recognised,
        wrong: report.misrecognised,
    };
    Ok(CountedResult {
        system: System { name: name.to_owned(), examples: recordings.collect() },
        words: report.all.tokens,
        errors: errors.collect(),
        lengths: Default::default(),
        recognised: Some(recognised),
    })
}

impl CountedResult {
    fn add(&mut self, choices: &Choices, locale: Locale, protocol: Protocol) {
        let mut words = Vec::with_capacity(choices.reference.len());
        for (at, found) in choices.slots(Matching::of(protocol), locale).enumerate() {
            self.words += u64::from(found.is_some());
            let slots = found.unwrap_or_default();
            words.push(slots);
            if slots.errors() > 0 {
                *self.errors.entry(choices.shown(at).into()).or_default() += 1;
            }
        }
        self.system.push_words(&words, protocol);
        let length = LENGTHS.iter().position(|(_, most)| choices.reference.len() <= *most);
        if let Some((scored, slots)) = length.and_then(|length| self.lengths.get_mut(length)) {
            *scored += (choices.reference.len() - choices.unscored.len()) as u64;
            words.iter().for_each(|word| *slots += *word);
        }
    }

    /// Returns the figures by the length of examples, if the examples have lengths of more than one range.
    fn by_length(&self) -> impl Iterator<Item = SliceFigures> {
        let used = self.lengths.iter().filter(|(words, _)| *words > 0).count();
        let lengths = LENGTHS.iter().zip(self.lengths).filter(move |(_, (words, _))| used > 1 && *words > 0);
        lengths.map(|((name, _), (words, slots))| SliceFigures {
            name: (*name).to_owned(),
            figures: Figures::of(words, slots),
        })
    }

    fn most_frequent(self) -> Vec<MisspelledWord> {
        let mut errors: Vec<_> = self.errors.into_iter().collect();
        errors.sort_by_key(|(_, count)| Reverse(*count));
        errors.truncate(ERRORS);
        errors
            .into_iter()
            .map(|((reference, hypothesis), count)| MisspelledWord { reference, hypothesis, count })
            .collect()
    }
}

/// Examples on which rows differ, each with the difference in the number of errors.
#[derive(Default)]
struct Samples(Vec<(u64, ResultSample)>);

impl Samples {
    fn offer(&mut self, examples: Vec<Option<Choices>>, counted: &[Option<CountedResult>]) {
        let errors =
            counted.iter().flatten().filter_map(|counted| counted.system.examples.last()).map(Slots::errors);
        let apart = apart(errors);
        if apart == 0 || (self.0.len() == SAMPLE && self.0[SAMPLE - 1].0 >= apart) {
            return;
        }
        let Some(first) = examples.iter().flatten().next() else { return };
        if first.reference.len() > 4 * STRETCH
            || examples.iter().flatten().any(|other| other.reference.len() != first.reference.len())
        {
            // Whole recordings are too long to be shown.
            return;
        }
        let stretch = stretch(&examples, first.reference.len());
        let scored = stretch.clone().map(|at| !first.unscored.contains(&at)).collect();
        let reference = stretch.clone().map(|at| first.shown(at)[0].clone()).collect();
        let output = |choices: Choices| stretch.clone().map(|at| choices.shown(at)[1].clone()).collect();
        let outputs = examples.into_iter().map(|choices| choices.map(output)).collect();
        let place = self.0.partition_point(|(other, _)| *other >= apart);
        self.0.insert(place, (apart, ResultSample { reference, scored, outputs }));
        self.0.truncate(SAMPLE);
    }

    fn best(self) -> Vec<ResultSample> {
        self.0.into_iter().map(|(_, sample)| sample).collect()
    }
}

/// Returns the range of words of a long example in which rows differ most.
fn stretch(examples: &[Option<Choices>], words: usize) -> std::ops::Range<usize> {
    let differ = |at: usize| {
        let mut outputs =
            examples.iter().flatten().map(|choices| (&choices.hypothesis[at], choices.marks.get(at)));
        let first = outputs.next();
        outputs.any(|other| Some(other) != first)
    };
    let starts = (0..words).step_by(STRETCH);
    let most = starts.max_by_key(|&start| {
        let end = (start + STRETCH).min(words);
        ((start..end).filter(|&at| differ(at)).count(), Reverse(start))
    });
    let start = most.unwrap_or_default();
    start..(start + STRETCH).min(words)
}
