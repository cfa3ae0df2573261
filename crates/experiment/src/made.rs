//! Invented results for tests: a small set with unusual content, and a large one as in a real
//! experiment.

use std::collections::BTreeMap;

use super::results::{
    OmittedRow, PaperRun, Published, Recognised, ResultCell, ResultRow, ResultSample, ResultTest, Results,
    RowRun, Usage,
};
use majuscule_train::eval::compare::Interval;
use majuscule_train::eval::report::MisspelledWord;
use majuscule_train::eval::{Figures, Intervals, Slots, SystemDifference};

/// Two rows on one test, names and words that a page must not treat as
/// markup, and a row that was left out.
pub fn small() -> Results {
    let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
    let mut first = row("a <script>alert(1)</script>", "a & b", None);
    first.commands = vec!["majuscule train hmm 'a <b>.txt' --output a".into()];
    first.published =
        BTreeMap::from([("<i>test</i>".into(), Published { ser: Some(0.333), ..Published::default() })]);
    first.cells = vec![Some(cell(1000, 0.3, Some((0.1, 0.0005))))];
    let mut second = row("b", "b", None);
    (second.training, second.bytes, second.method) = (None, None, None);
    second.cells = vec![Some(ResultCell { usage: None, words_per_second: None, ..cell(1000, 0.2, None) })];
    Results {
        title: "A <b>small</b> one".into(),
        source: Some("A paper & more".into()),
        about: "What it shows.\n\nWhat a reader has to know: 1 < 2.".into(),
        recipe: "title = \"</pre><script>alert(2)</script>\"\n".into(),
        version: "0.1.0".into(),
        cores: 2,
        tests: vec![ResultTest {
            name: "<i>test</i>".into(),
            signature: "protocol:text|file:<x>".into(),
            examples: 40,
            words: 1000,
            slots: 100,
            sample: vec![ResultSample {
                reference: words("we saw McKay in <Lisbon>"),
                scored: vec![true, true, true, true, false],
                outputs: vec![
                    Some(words("we saw Mckay in <lisbon>")),
                    Some(words("we saw McKay in <Lisbon>")),
                ],
            }],
        }],
        rows: vec![first, second],
        texts: Vec::new(),
        overlaps: Vec::new(),
        left_out: vec![OmittedRow { name: "c <u>".into(), why: "needs the feature neural & a GPU".into() }],
    }
}

/// A dozen rows on three tests: three series of sizes, an encoder with seven layers, and the output
/// of another system.
pub fn large() -> Results {
    let sizes = [50_000, 100_000, 200_000, 500_000, 1_900_000];
    let mut rows = vec![row("most frequent form", "majority", Some(1_900_000))];
    rows.extend(
        sizes.map(|size| row(&format!("maxent {}", super::units::short(size as f64)), "maxent", Some(size))),
    );
    rows.push(row("hmm trigram, Kneser-Ney", "hmm", Some(1_900_000)));
    let weights = [
        [0.08, 0.11, 0.14, 0.17, 0.19, 0.18, 0.13],
        [0.10, 0.12, 0.13, 0.15, 0.18, 0.17, 0.15],
        [0.14, 0.13, 0.13, 0.13, 0.15, 0.16, 0.16],
    ];
    rows.extend([50_000, 200_000, 1_900_000].into_iter().zip(weights).map(|(size, weights)| {
        let name = format!("bert {}", super::units::short(size as f64));
        ResultRow { layers: Some(weights.into()), epochs: Some(3.0), ..row(&name, "bert", Some(size)) }
    }));
    rows.push(row("bert 50k, adapted to subtitles", "bert adapted", Some(50_000)));
    rows.push(ResultRow { method: None, bytes: None, training: None, ..row("google", "google", None) });
    let names = ["europarl", "subtitles (TED)", "earnings21, rev-kaldi"];
    let base = [30.1, 18.4, 15.2, 12.9, 11.8, 10.2, 13.7, 7.9, 6.1, 4.8, 6.0, 22.0];
    for (i, row) in rows.iter_mut().enumerate() {
        fill(row, i, &base, &names);
    }
    Results {
        title: "Methods by the size of their training corpus".into(),
        source: Some("Rei et al. 2020, table 3 and figure 2".into()),
        about: "Three methods, trained on 50,000 to 1.9 million lines of Europarl and tested on clean text, subtitles and the output of a recogniser.\n\n\
                Times are of this machine; figures of the source were made with another BERT (110 M parameters) on other text, so they show the order of things, not a target."
            .into(),
        recipe: "title = \"Methods by the size of their training corpus\"\n\n[corpora]\neuroparl = \"europarl/train.en\"\n\n\
                 [[row]]\nname = \"most frequent form\"\nmethod = \"majority\"\ncorpus = \"europarl\"\n".into(),
        version: "0.1.0".into(),
        cores: 2,
        tests: names.iter().enumerate().map(|(t, name)| test(t, name, rows.len())).collect(),
        rows,
        texts: Vec::new(),
        overlaps: Vec::new(),
        left_out: vec![OmittedRow {
            name: "bert-base-uncased 1.9M".into(),
            why: "takes about nine hours on two cores: run it with --all".into(),
        }],
    }
}

/// The large results, extended to `rows` rows and four tests.
pub fn wide(rows: usize) -> Results {
    let mut results = large();
    let dozen = results.rows.len();
    results.tests.push(ResultTest {
        name: "a fourth test with a rather long name".into(),
        ..results.tests[0].clone()
    });
    results.rows = (0..rows)
        .map(|i| {
            let mut row = results.rows[i % dozen].clone();
            row.name = format!("{}, setting {}", row.name, i / dozen + 1);
            row.bytes = row.bytes.map(|bytes| bytes + bytes * (i / dozen) as u64 / 3);
            row.cells.push(row.cells[0].clone());
            row
        })
        .collect();
    for sample in results.tests.iter_mut().flat_map(|test| &mut test.sample) {
        sample.outputs = (0..rows).map(|i| sample.outputs[i % dozen].clone()).collect();
    }
    results
}

fn row(name: &str, series: &str, lines: Option<u64>) -> ResultRow {
    let cpu = lines.unwrap_or(1000) as f64 / 2500.0;
    ResultRow {
        name: name.into(),
        series: series.into(),
        lines,
        commands: vec![
            format!("majuscule train maxent europarl.en --lines {} --output model", lines.unwrap_or(0)),
            "majuscule evaluate europarl.test.en --model model".into(),
        ],
        method: Some(series.split(' ').next().unwrap_or_default().into()),
        bytes: Some(400_000 + lines.unwrap_or(0) * 3),
        training: Some(Usage {
            wall_seconds: cpu * 0.6,
            cpu_seconds: Some(cpu),
            peak_bytes: Some(180_000_000 + lines.unwrap_or(0) * 400),
        }),
        epochs: series.starts_with("maxent").then_some(2.0),
        layers: None,
        look_ahead: None,
        published: BTreeMap::new(),
        seeded: None,
        run: RowRun::default(),
        paper: PaperRun::default(),
        cells: Vec::new(),
    }
}

fn fill(row: &mut ResultRow, i: usize, base: &[f64], names: &[&str]) {
    let best = base.iter().copied().fold(f64::MAX, f64::min);
    for (t, name) in names.iter().enumerate() {
        let factor = [1.0, 1.6, 2.7][t];
        let ser = base[i] * factor / 100.0;
        let behind = (base[i] - best) * factor / 100.0;
        let p = if behind < 0.03 { 0.21 } else { 0.0009 };
        let missing = t == 0 && row.name == "google" || t == 1 && row.name.starts_with("hmm");
        let difference = (behind > 0.0).then_some((behind, p));
        let mut cell = cell([812_345, 64_201, 20_412][t], ser, difference);
        if row.method.is_none() {
            (cell.usage, cell.words_per_second) = (None, None);
        } else {
            cell.words_per_second = Some(2_900_000.0 / (1.0 + (i * i * i) as f64 * 7.0));
        }
        if t == 2 {
            cell.recognised = Some(Recognised {
                word_error_rate: Some(0.1731),
                right: figures(17_000, ser * 0.7),
                wrong: figures(3_412, ser * 2.2),
            });
        }
        if t == 0 && i % 3 == 1 {
            let published = Published { f: Some(0.93), ser: Some(ser * 1.1), ..Published::default() };
            row.published.insert((*name).into(), published);
        }
        row.cells.push((!missing).then_some(cell));
    }
}

fn test(t: usize, name: &str, rows: usize) -> ResultTest {
    let lines = [
        "on Tuesday the Commission told MEPs in Strasbourg that McKay and Van der Berg had left for New York",
        "so I asked her about the iPhone and she said that NASA had called",
        "thank you Mr President this is about Parliament and not about the parliament of Hungary",
        "the Bank of England raised rates in May",
    ];
    let sample = lines.iter().enumerate().map(|(k, line)| sample(k, line, rows)).collect();
    ResultTest {
        name: name.into(),
        signature: format!("majuscule:0.1.0|protocol:rei|file:{}|words:alphabetic", name.replace(' ', "_")),
        examples: [30_000, 4_100, 44][t],
        words: [812_345, 64_201, 20_412][t],
        slots: [71_020, 5_512, 2_214][t],
        sample,
    }
}

/// A sample line in which row `i` lower-cases the words at multiples of `i % 4 + 2`,
/// shifted by `k`. Row 0 also adds wrong capitals, rows 9 and 10 are right, and row 11
/// has no output for the first line.
fn sample(k: usize, line: &str, rows: usize) -> ResultSample {
    let reference: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let output = |i: usize| {
        let word = |(at, word): (usize, &String)| match (i, at) {
            (9 | 10, _) => word.clone(),
            _ if (at + k).is_multiple_of(i % 4 + 2) => word.to_lowercase(),
            (0, at) if at == k + 4 => word.to_uppercase(),
            _ => word.clone(),
        };
        (i != 11 || k != 0).then(|| reference.iter().enumerate().map(word).collect())
    };
    ResultSample {
        scored: (0..reference.len()).map(|at| at > 0).collect(),
        outputs: (0..rows).map(output).collect(),
        reference,
    }
}

fn cell(tokens: u64, ser: f64, difference: Option<(f64, f64)>) -> ResultCell {
    let around = |middle: f64| Some(Interval { low: middle * 0.97, high: middle * 1.02 });
    let figures = figures(tokens, ser);
    let word = |(k, (reference, hypothesis)): (usize, (&str, &str))| MisspelledWord {
        reference: reference.into(),
        hypothesis: hypothesis.into(),
        count: 400 / (k as u64 + 1),
    };
    let errors = [
        ("Parliament", "parliament"),
        ("union", "Union"),
        ("MEPs", "Meps"),
        ("McKay", "Mckay"),
        ("May", "may"),
        ("<Lisbon>", "<lisbon>"),
        ("iPhone", "iphone"),
    ];
    ResultCell {
        figures,
        intervals: Intervals {
            precision: figures.precision.and_then(around),
            recall: figures.recall.and_then(around),
            f: figures.f.and_then(around),
            ser: figures.ser.and_then(around),
        },
        difference: difference.map(|(ser, p)| SystemDifference {
            ser,
            interval: around(ser),
            p_bootstrap: p / 2.0,
            p_randomization: p,
        }),
        usage: Some(Usage {
            wall_seconds: tokens as f64 / 3e5,
            cpu_seconds: Some(tokens as f64 / 2.5e5),
            peak_bytes: Some(96_000_000),
        }),
        words_per_second: Some(700_000.0),
        errors: errors.into_iter().enumerate().map(word).collect(),
        recognised: None,
        in_model: None,
        marks: None,
        sentence_ends: None,
        slices: Vec::new(),
    }
}

/// Figures in which a tenth of the words are slots, and errors are
/// half deletions and half insertions.
fn figures(tokens: u64, ser: f64) -> Figures {
    let slots = tokens / 10;
    let wrong = (slots as f64 * ser).round() as u64;
    let deleted = wrong / 2;
    let slots = Slots {
        correct: slots.saturating_sub(deleted),
        deleted,
        inserted: wrong - deleted,
        ..Slots::default()
    };
    Figures::of(tokens, slots)
}
