//! What jobs left behind in, results out: each test's examples are gone over once, all rows side by side.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::thread;

use super::plan::{Job, Model, Plan, Planned};
use super::recipe::{Recipe, Test};
use super::results::{self, Cell, Results, Row, Sample};
use crate::error::Result;
use crate::eval::choices::{Choices, Reader};
use crate::eval::report::{Figures, Word};
use crate::eval::{Matching, Slots, System, compare};
use crate::methods;
use crate::model;
use crate::text::{Case, Locale};

/// How many examples of a test are shown side by side,
const SAMPLE: usize = 24;
/// how many words of one,
const STRETCH: usize = 48;
/// and how many of a row's errors are listed.
const ERRORS: usize = 30;

/// Collects the results of a plan whose jobs are done.
///
/// # Errors
/// Where what they left behind cannot be read.
pub fn collect(recipe: &Recipe, plan: &Plan) -> Result<Results> {
    let mut tests = Vec::with_capacity(recipe.tests.len());
    let mut rows = plan.rows.iter().map(|planned| row(recipe, plan, planned)).collect::<Result<Vec<_>>>()?;
    for (at, test) in recipe.tests.iter().enumerate() {
        let (test, cells) = tested(recipe, plan, at, test)?;
        for (row, cell) in rows.iter_mut().zip(cells) {
            row.cells.push(cell);
        }
        tests.push(test);
    }
    Ok(Results {
        title: recipe.title.clone(),
        source: recipe.source.clone(),
        about: recipe.about.trim().to_owned(),
        recipe: recipe.text.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        cores: thread::available_parallelism().map_or(1, NonZeroUsize::get),
        tests,
        rows,
        texts: plan
            .statistics
            .iter()
            .map(|(name, job)| text(name, &plan.jobs[*job]))
            .collect::<Result<_>>()?,
        left_out: plan.left_out.clone(),
    })
}

/// What was counted of a text.
fn text(name: &str, job: &Job) -> Result<results::Text> {
    let printed: serde_json::Value = serde_json::from_str(&job.printed()?).unwrap_or_default();
    let count = |tag: &str| printed["scored"]["tags"][tag].as_u64().unwrap_or_default();
    Ok(results::Text {
        name: name.to_owned(),
        sentences: printed["sentences"].as_u64().unwrap_or_default(),
        l: count("L"),
        u: count("U"),
        t: count("T"),
    })
}

/// A row without its cells.
fn row(recipe: &Recipe, plan: &Plan, planned: &Planned) -> Result<Row> {
    let own = &recipe.rows[planned.recipe];
    let model = match &planned.model {
        Some(Model::At(path)) => Some(methods::load(&*model::open(path)?)?),
        Some(Model::BuiltIn { language, preset }) => Some(methods::embedded_as(language, *preset)?),
        None => None,
    };
    let training = planned.training.map(|job| &plan.jobs[job]);
    let commands = needed(plan, planned).into_iter().map(|job| plan.jobs[job].shown.clone()).collect();
    Ok(Row {
        name: planned.name.clone(),
        series: own.name.clone(),
        lines: planned.lines,
        commands,
        method: model.as_ref().map(|model| model.manifest.method.clone()),
        bytes: model.as_ref().map(|model| model.manifest.files.iter().map(|file| file.bytes).sum()),
        training: training.and_then(Job::usage).map(|took| took.usage),
        epochs: model.as_ref().and_then(|model| model.manifest.settings["epochs"].as_f64()),
        layers: model.and_then(|model| model.restorer.layer_weights()).map(|weights| weights.0),
        published: own.published.clone(),
        cells: Vec::new(),
    })
}

/// The jobs that make a row, and what they need, in order; tests last.
fn needed(plan: &Plan, planned: &Planned) -> Vec<usize> {
    let mut needed: Vec<usize> =
        planned.training.into_iter().chain(planned.tests.iter().copied().flatten()).collect();
    let mut at = 0;
    while let Some(&job) = needed.get(at) {
        let reads = |other: &Job| plan.jobs[job].request.contains(&other.key());
        let more: Vec<usize> =
            (0..job).filter(|&other| reads(&plan.jobs[other]) && !needed.contains(&other)).collect();
        needed.extend(more);
        at += 1;
    }
    needed.sort_unstable();
    needed
}

/// What is counted of a row on a test.
struct Counted {
    system: System,
    words: u64,
    errors: BTreeMap<(String, String), u64>,
}

fn tested(
    recipe: &Recipe,
    plan: &Plan,
    at: usize,
    test: &Test,
) -> Result<(results::Test, Vec<Option<Cell>>)> {
    let protocol = test.protocol.unwrap_or(recipe.protocol);
    let matching = Matching::of(protocol);
    let jobs: Vec<Option<&Job>> =
        plan.rows.iter().map(|row| row.tests[at].map(|job| &plan.jobs[job])).collect();
    let mut files = jobs
        .iter()
        .map(|job| job.map(|job| Reader::open(&job.output())).transpose())
        .collect::<Result<Vec<_>>>()?;
    let mut counted: Vec<Option<Counted>> = { plan.rows.iter() }
        .zip(&jobs)
        .map(|(row, job)| {
            job.map(|_| Counted { system: System::new(&*row.name), words: 0, errors: BTreeMap::new() })
        })
        .collect();
    let mut sample = Samples::default();
    let mut found = results::Test {
        name: test.name.clone(),
        signature: String::new(),
        examples: 0,
        words: 0,
        slots: 0,
        sample: Vec::new(),
    };
    loop {
        let examples = files
            .iter_mut()
            .map(|file| file.as_mut().map_or(Ok(None), Reader::next))
            .collect::<Result<Vec<_>>>()?;
        let Some(first) = examples.iter().flatten().next() else { break };
        for ((example, file), row) in examples.iter().zip(&files).zip(&plan.rows) {
            let Some(file) = file else { continue };
            let same = |example: &Choices| test.recognised.is_some() || example.reference == first.reference;
            if !example.as_ref().is_some_and(same) {
                return Err(file.problem(&format!("\"{}\" was tested on another text", row.name)));
            }
        }
        for (choices, counted) in examples.iter().zip(&mut counted) {
            if let (Some(choices), Some(counted)) = (choices, counted) {
                counted.add(choices, recipe.locale()?, matching);
            }
        }
        found.examples += 1;
        sample.offer(examples, &counted);
    }
    let compared = compare(
        &counted.iter().flatten().map(|counted| counted.system.clone()).collect::<Vec<_>>(),
        compare::Config::default(),
    )?;
    let mut compared = compared.systems.into_iter();
    let mut cells = Vec::with_capacity(jobs.len());
    for (counted, job) in counted.into_iter().zip(&jobs) {
        let (Some(counted), Some(job)) = (counted, job) else {
            cells.push(None);
            continue;
        };
        let compared = compared.next().expect("one for each that was counted");
        (found.words, found.slots) = (counted.words, compared.slots.reference());
        let took = job.usage();
        let printed: serde_json::Value = serde_json::from_str(&job.printed()?).unwrap_or_default();
        found.signature = printed["signature"].as_str().unwrap_or_default().to_owned();
        cells.push(Some(Cell {
            figures: Figures::of(counted.words, compared.slots),
            intervals: compared.intervals,
            difference: compared.difference,
            usage: took.map(|took| took.usage),
            words_per_second: took.and_then(|took| took.restoring?.words_per_second()),
            errors: counted.most_frequent(),
            recognised: serde_json::from_value(printed["recognised"].clone()).ok(),
        }));
    }
    found.sample = sample.best();
    Ok((found, cells))
}

impl Counted {
    fn add(&mut self, choices: &Choices, locale: Locale, matching: Matching) {
        let mut slots = Slots::default();
        for (at, (reference, hypothesis)) in choices.reference.iter().zip(&choices.hypothesis).enumerate() {
            if choices.unscored.contains(&at) {
                continue;
            }
            self.words += 1;
            let [right, chosen] = [reference, hypothesis].map(|word| matching.see(Case::of(word, locale)));
            slots += Slots::of(right, chosen);
            if right != chosen {
                *self.errors.entry((reference.clone(), hypothesis.clone())).or_default() += 1;
            }
        }
        self.system.examples.push(slots);
    }

    fn most_frequent(self) -> Vec<Word> {
        let mut errors: Vec<_> = self.errors.into_iter().collect();
        errors.sort_by_key(|(_, count)| Reverse(*count));
        errors.truncate(ERRORS);
        errors
            .into_iter()
            .map(|((reference, hypothesis), count)| Word { reference, hypothesis, count })
            .collect()
    }
}

/// Examples that tell rows apart, and by how many errors.
#[derive(Default)]
struct Samples(Vec<(u64, Sample)>);

impl Samples {
    fn offer(&mut self, examples: Vec<Option<Choices>>, counted: &[Option<Counted>]) {
        let errors =
            counted.iter().flatten().filter_map(|counted| counted.system.examples.last()).map(Slots::errors);
        let (least, most) =
            errors.fold((u64::MAX, 0), |(least, most), errors| (least.min(errors), most.max(errors)));
        let apart = most.saturating_sub(least);
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
        let reference = first.reference[stretch.clone()].to_vec();
        let outputs = examples
            .into_iter()
            .map(|choices| choices.map(|choices| choices.hypothesis[stretch.clone()].to_vec()))
            .collect();
        let place = self.0.partition_point(|(other, _)| *other >= apart);
        self.0.insert(place, (apart, Sample { reference, scored, outputs }));
        self.0.truncate(SAMPLE);
    }

    fn best(self) -> Vec<Sample> {
        self.0.into_iter().map(|(_, sample)| sample).collect()
    }
}

/// The words of a long example in which rows differ most.
fn stretch(examples: &[Option<Choices>], words: usize) -> std::ops::Range<usize> {
    let differ = |at: usize| {
        let mut outputs = examples.iter().flatten().map(|choices| &choices.hypothesis[at]);
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
