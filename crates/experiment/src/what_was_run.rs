//! The training of each row, the training in the source, and the differences between them.

use std::collections::BTreeSet;

use serde_json::Value;

use super::figure_table::{FigureField, FigureTable};
use super::results::{PaperRun, ResultRow, Results, RowRun, RunEncoder};
use super::units::{NONE, duration};
use majuscule_train::eval::table::thousands;

/// The heading of the section.
pub(super) const HEADING: &str = "What was run";

/// Settings of a training that make up its schedule, by their names in manifests.
const STEPS: &str = "schedule layers reset_layers solver optimizer sync_period focal_loss class_weights frozen rate head_rate scalar_rate \
                     warm_up decay batch batch_pieces l2 precision";

impl RowRun {
    /// Reads the settings of a model's manifest: the settings of its last training, and its
    /// encoder.
    pub(super) fn of(settings: &Value) -> Self {
        let adapted = settings["adapted"].as_array().and_then(|all| all.last());
        let config = adapted.unwrap_or(&settings["config"]);
        let encoder = &settings["encoder"];
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let name = text(&encoder["name"]).or_else(|| text(&settings["config"]["encoder"]));
        // An adaptation has no such setting of its own: the setting of the model's training holds.
        let dropout = &settings["config"]["right_context_dropout"];
        Self {
            encoder: name.map(|name| RunEncoder { name, crc32: text(&encoder["crc32"]) }),
            schedule: schedule(config),
            right_context_dropout: dropout.as_f64().map(|dropout| (dropout * 1e4).round() / 1e4),
            seed: config["seed"].as_u64(),
            ..Self::default()
        }
    }
}

/// Returns the steps of a training on one line: `frozen 0, rate 0.0003, decay`.
fn schedule(config: &Value) -> Option<String> {
    let is_unused = |name: &str| match name {
        "batch" => !config["batch_pieces"].is_null(),
        "sync_period" | "focal_loss" | "reset_layers" => config[name].as_f64() == Some(0.0),
        _ => false,
    };
    let step = |name: &str| {
        let words = match name {
            // Manifests keep the former name of `--batch-subwords`.
            "batch_pieces" => "batch subwords".to_owned(),
            name => name.replace('_', " "),
        };
        match &config[name] {
            _ if is_unused(name) => None,
            Value::Null | Value::Bool(false) => None,
            Value::Bool(true) => Some(words),
            Value::String(value) => Some(format!("{words} {value}")),
            value => {
                // Some settings are f32 values, which have seven digits.
                let number = value.as_f64()?;
                Some(format!("{words} {}", (number * 1e7).round() / 1e7))
            }
        }
    };
    let steps: Vec<String> = STEPS.split(' ').filter_map(step).collect();
    (!steps.is_empty()).then(|| steps.join(", "))
}

impl PaperRun {
    /// Fills in the missing settings of a row with the settings of the whole recipe.
    pub(super) fn or(&self, all: &Self) -> Self {
        let text = |own: &Option<String>, all: &Option<String>| own.clone().or_else(|| all.clone());
        Self {
            encoder: text(&self.encoder, &all.encoder),
            schedule: text(&self.schedule, &all.schedule),
            epochs: text(&self.epochs, &all.epochs),
            sentences: self.sentences.or(all.sentences),
            words: self.words.or(all.words),
            kind: text(&self.kind, &all.kind),
            test: text(&self.test, &all.test),
            cost: text(&self.cost, &all.cost),
        }
    }
}

/// A difference between a row and the row of the source that it is compared with: its sign after a published figure, its
/// meaning, and whether a row has it on a test of this name.
type RunDifference = (&'static str, &'static str, fn(&ResultRow, &str) -> bool);

const DIFFERENCES: [RunDifference; 4] = [
    ("e", "another encoder", |ResultRow { paper, run, .. }, _| {
        let is_same =
            |theirs: &String| run.encoder.as_ref().is_some_and(|ours| ours.name.eq_ignore_ascii_case(theirs));
        paper.encoder.as_ref().is_some_and(|theirs| !is_same(theirs))
    }),
    ("k", "a training text of another kind or language", |row, _| row.paper.kind.is_some()),
    ("s", "a training text of another size", |ResultRow { paper, run, .. }, _| {
        differ(run.sentences, paper.sentences) || differ(run.words, paper.words)
    }),
    ("t", "another test text", |row, test| row.paper.test.as_ref().is_some_and(|theirs| theirs != test)),
];

/// The sizes of two training texts are different if they differ by more than this fraction of the published size.
const SIZES_DIFFER: f64 = 0.1;

fn differ(ours: Option<u64>, theirs: Option<u64>) -> bool {
    let Some((ours, theirs)) = ours.zip(theirs) else { return false };
    ours.abs_diff(theirs) as f64 > SIZES_DIFFER * theirs as f64
}

/// Returns the signs of the differences between a row and the source, if the source publishes figures for the row on a
/// test.
pub(super) fn differences(row: &ResultRow, test: &str) -> Vec<&'static str> {
    let all = DIFFERENCES.iter().filter(|_| row.published.contains_key(test));
    all.filter(|(_, _, is_other)| is_other(row, test)).map(|(sign, ..)| *sign).collect()
}

/// Returns the explanation of the signs after the published figures of a test; `None` if there are none.
pub(super) fn explained(results: &Results, test: usize) -> Option<String> {
    let test = &results.tests.get(test)?.name;
    let found: BTreeSet<&str> = results.rows.iter().flat_map(|row| differences(row, test)).collect();
    let meanings = DIFFERENCES.iter().filter(|(sign, ..)| found.contains(sign));
    let meanings: Vec<String> = meanings.map(|(sign, meaning, _)| format!("({sign}) {meaning}")).collect();
    (!found.is_empty()).then(|| {
        format!("published figures are not of the same run where the source has {}", meanings.join(", "))
    })
}

/// The columns of the table, each with its value for a row here and in the source.
type RunColumn = (&'static str, fn(&ResultRow) -> Option<String>, fn(&PaperRun) -> Option<String>);

const COLUMNS: [RunColumn; 12] = [
    ("version of results", |row| row.run.version.map(|version| version.to_string()), |_| None),
    ("encoder", |row| Some(row.run.encoder.as_ref()?.name.clone()), |paper| paper.encoder.clone()),
    ("CRC-32 of its weights", |row| row.run.encoder.as_ref()?.crc32.clone(), |_| None),
    ("epochs", |row| row.epochs.map(|epochs| epochs.to_string()), |paper| paper.epochs.clone()),
    ("schedule", |row| row.run.schedule.clone(), |paper| paper.schedule.clone()),
    ("kind of training text", |_| None, |paper| paper.kind.clone()),
    ("lines", |row| row.run.sentences.map(thousands), |paper| paper.sentences.map(thousands)),
    ("words", |row| row.run.words.map(thousands), |paper| paper.words.map(thousands)),
    ("dropout of right context", |row| row.run.right_context_dropout.map(|p| p.to_string()), |_| None),
    ("seed", |row| row.run.seed.map(|seed| seed.to_string()), |_| None),
    ("training CPU time", |row| row.training?.cpu_seconds.map(duration), |paper| paper.cost.clone()),
    ("CPU", |row| row.run.processor.clone(), |_| None),
];

/// Returns the table of what was run: each row of the results, followed by the row of the source. It has no rows if
/// nothing is known of any row.
pub(super) fn table(results: &Results) -> FigureTable {
    let of = |row: &ResultRow| COLUMNS.map(|(_, ours, theirs)| [ours(row), theirs(&row.paper)]);
    let all: Vec<[[Option<String>; 2]; 12]> = results.rows.iter().map(of).collect();
    let is_known = |column: &usize| all.iter().any(|row| row[*column].iter().any(Option::is_some));
    let columns: Vec<usize> = (0..COLUMNS.len()).filter(is_known).collect();
    let headings = [""].into_iter().chain(columns.iter().map(|&at| COLUMNS[at].0));
    let mut table = FigureTable::new(HEADING, 1 + columns.len(), headings);
    for (row, cells) in results.rows.iter().zip(&all).filter(|_| !columns.is_empty()) {
        let side = |name: &str, side: usize| {
            let cells = columns.iter().map(|&at| cells[at][side].as_deref().unwrap_or(NONE));
            [name].into_iter().chain(cells).map(FigureField::words).collect::<Vec<_>>()
        };
        table.push(side(&row.name, 0));
        if !row.published.is_empty() && cells.iter().any(|[_, theirs]| theirs.is_some()) {
            table.push(side("in the source", 1));
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::made;
    use crate::results::Published;
    use crate::tables::markdown;

    fn tagger() -> Value {
        json!({
            "encoder": { "name": "all-MiniLM-L6-v2", "bytes": 90868376, "crc32": "0badcafe" },
            "config": {
                "encoder": "all-MiniLM-L6-v2", "epochs": 1, "rate": 3e-4, "head_rate": 1e-3, "frozen": 0,
                "decay": true, "batch": 8, "batch_pieces": 512, "seed": 7,
            },
        })
    }

    #[test]
    fn a_manifest_tells_encoder_steps_and_seed() {
        let run = RowRun::of(&tagger());
        let encoder = RunEncoder { name: "all-MiniLM-L6-v2".into(), crc32: Some("0badcafe".into()) };
        assert_eq!((run.encoder, run.seed), (Some(encoder), Some(7)));
        let expected = "frozen 0, rate 0.0003, head rate 0.001, decay, batch subwords 512";
        assert_eq!(run.schedule.as_deref(), Some(expected));
        let mut settings = tagger();
        for (name, value) in
            [("sync_period", json!(6)), ("focal_loss", json!(0.0)), ("class_weights", json!(true))]
        {
            settings["config"][name] = value;
        }
        let expected = format!("sync period 6, class weights, {expected}");
        assert_eq!(RowRun::of(&settings).schedule, Some(expected));
        // A number in single precision is shown as it was given.
        let maxent = json!({ "config": { "right_context_dropout": 0.25f32, "rate": 0.1f32 } });
        let run = RowRun::of(&maxent);
        assert_eq!((run.right_context_dropout, run.schedule.as_deref()), (Some(0.25), Some("rate 0.1")));
        assert_eq!(RowRun::of(&Value::Null), RowRun::default());
    }

    #[test]
    fn the_steps_of_an_adaptation_are_its_own_and_the_encoder_that_of_the_model() {
        let mut settings = tagger();
        settings["adapted"] = json!([{ "rate": 1e-4, "seed": 3 }]);
        let run = RowRun::of(&settings);
        assert_eq!((run.schedule.as_deref(), run.seed), (Some("rate 0.0001"), Some(3)));
        assert_eq!(run.encoder.unwrap().name, "all-MiniLM-L6-v2");
    }

    fn compared(sentences: u64) -> Results {
        let mut results = made::small();
        let test = results.tests[0].name.clone();
        let row = &mut results.rows[0];
        row.run = RowRun { sentences: Some(sentences), words: Some(1_234_567), ..RowRun::of(&tagger()) };
        row.published.insert(test.clone(), Published { ser: Some(0.333), ..Published::default() });
        row.paper = PaperRun {
            encoder: Some("bert-base-uncased".into()),
            sentences: Some(50_000),
            test: Some(test),
            ..PaperRun::default()
        };
        results
    }

    #[test]
    fn a_published_figure_of_another_run_is_marked() {
        let results = compared(50_000);
        let of = |results: &Results, row: usize| differences(&results.rows[row], &results.tests[0].name);
        assert_eq!(of(&results, 0), ["e"]);
        let page = markdown(&results);
        assert!(page.contains("| 33.30 (e) |"), "{page}");
        assert!(page.contains("where the source has (e) another encoder.\n"), "{page}");
        // 44,999 are more than a tenth fewer; 45,000 are not.
        assert_eq!(of(&compared(45_000), 0), ["e"]);
        let mut other = compared(44_999);
        other.rows[0].paper.test = Some("another".into());
        other.rows[0].paper.kind = Some("news".into());
        assert_eq!(of(&other, 0), ["e", "k", "s", "t"]);
        assert!(markdown(&other).contains("| 33.30 (e, k, s, t) |"));
        // The encoder of the source, by any case.
        other.rows[0].paper.encoder = Some("ALL-minilm-L6-v2".into());
        assert_eq!(of(&other, 0), ["k", "s", "t"]);
        // A row without published figures has nothing to differ from.
        assert!(of(&other, 1).is_empty());
    }

    #[test]
    fn the_table_has_both_runs_and_no_column_that_nobody_knows() {
        let page = markdown(&compared(50_000));
        let (_, section) = page.split_once("## What was run\n").unwrap();
        let lines: Vec<&str> = section.lines().filter(|line| line.starts_with('|')).collect();
        assert!(
            lines[0].starts_with("|  | encoder | CRC-32 of its weights | schedule | lines | words | seed |"),
            "{page}"
        );
        assert!(lines[2].contains(" | all-MiniLM-L6-v2 | 0badcafe | "), "{page}");
        assert!(lines[2].contains(" | 50,000 | 1,234,567 | 7 | "), "{page}");
        assert!(lines[3].starts_with("| in the source | bert-base-uncased | – | – | 50,000 | – |"), "{page}");
        // The page has the same table, and results of an older version have none.
        let page = crate::page::html(&compared(50_000));
        assert!(page.contains("<section id=\"run\">") && page.contains("0badcafe"));
        let mut old = serde_json::to_value(made::small()).unwrap();
        for row in old["rows"].as_array_mut().unwrap() {
            let row = row.as_object_mut().unwrap();
            row.remove("run");
            row.remove("paper");
        }
        let old: Results = serde_json::from_value(old).unwrap();
        assert_eq!(old.rows[0].run, RowRun::default());
    }
}
