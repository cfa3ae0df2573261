//! Compares recognisers by everything that an alignment shows: words, capitals, marks and sentence
//! ends, in one table for each.

use serde::Serialize;

use super::files::{FileScores, Lacking, UnpairedFile};
use super::{AlignedCounts, AlignedScore};
use crate::corpus::Protocol;
use crate::eval::compare::{CompareConfig, ComparedSystem, Comparison, System, compare};
use crate::eval::report::{self, Layout, PRECISION_RECALL_F, TableWriter};
use crate::eval::slots::{Matching, Slots, ratio};
use crate::eval::table::{TextTable, csv_cell, percent, thousands};
use majuscule_base::error::{Error, Result};
use majuscule_text::MarkSet;

/// The quantity that a table of a comparison measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measured {
    /// The words, whatever their case: the error rate is the word error rate.
    Words,
    /// The capitals of all words of both sides.
    Capitals,
    /// The capitals of the words that were recognised.
    CapitalsOfRecognised,
    /// The marks after words: the table also has the punctuation error rate.
    Marks,
    /// The ends of sentences, whatever their marks.
    SentenceEnds,
}

impl Measured {
    const ALL: [Self; 5] =
        [Self::Words, Self::Capitals, Self::CapitalsOfRecognised, Self::Marks, Self::SentenceEnds];

    /// The title of the table.
    pub fn title(self) -> &'static str {
        match self {
            Self::Words => "Words",
            Self::Capitals => "Capitals, all words",
            Self::CapitalsOfRecognised => "Capitals, recognised words",
            Self::Marks => "Punctuation marks",
            Self::SentenceEnds => "Sentence ends",
        }
    }

    /// The name of the error rate, errors divided by the words or slots of the reference, in tables, and its key in CSV
    /// and JSON.
    fn error_rate(self) -> [&'static str; 2] {
        if self == Self::Words { ["WER %", "wer"] } else { ["SER %", "ser"] }
    }

    fn slots(self, counts: &AlignedCounts, matching: Matching, marks: MarkSet) -> Slots {
        match self {
            Self::Words => counts.words(),
            Self::Capitals => counts.all().slots(matching),
            Self::CapitalsOfRecognised => counts.recognised.slots(matching),
            Self::Marks => counts.marks.slots(marks),
            Self::SentenceEnds => counts.marks.sentence_ends(),
        }
    }
}

/// A table of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredTable {
    /// The measure of the table.
    pub measured: Measured,
    /// The systems and their figures.
    pub comparison: Comparison,
}

/// Several systems against one reference.
#[derive(Debug, Clone, PartialEq)]
pub struct AlignedComparison {
    /// The signature of the figures: how they were made.
    pub signature: String,
    /// The number of recordings.
    pub recordings: usize,
    /// The tables: words, capitals, marks, sentence ends. Tables without slots are omitted.
    pub tables: Vec<MeasuredTable>,
    /// The files and recordings that only one side has, each with the name of the system.
    pub left_out: Vec<(String, UnpairedFile)>,
}

impl AlignedComparison {
    /// Compares systems, each with its scores. `signature` describes how the scores were made;
    /// `protocol` describes how cases are compared and which marks are distinguished.
    ///
    /// # Errors
    /// If there is no system, if systems have different recordings, or if the number of resamples is
    /// 0.
    pub fn of(
        systems: &[(String, FileScores)],
        signature: String,
        protocol: Protocol,
        config: CompareConfig,
    ) -> Result<Self> {
        check_recordings(systems)?;
        let stretches = stretches(systems);
        let matching = Matching::of(protocol);
        let marks = protocol.mark_convention().map_or(MarkSet::USUAL, |convention| convention.marks());
        let mut tables = Vec::new();
        for measured in Measured::ALL {
            let system = |((name, _), stretches): (&(String, FileScores), &Vec<AlignedCounts>)| System {
                name: name.clone(),
                examples: stretches.iter().map(|counts| measured.slots(counts, matching, marks)).collect(),
            };
            let compared: Vec<System> = systems.iter().zip(&stretches).map(system).collect();
            let comparison = compare(&compared, config)?;
            let has_slots =
                |system: &ComparedSystem| system.slots.reference() + system.slots.hypothesis() > 0;
            if comparison.systems.iter().any(has_slots) {
                tables.push(MeasuredTable { measured, comparison });
            }
        }
        let left_out = systems
            .iter()
            .flat_map(|(name, scores)| scores.left_out.iter().map(move |left| (name.clone(), left.clone())));
        Ok(Self {
            signature,
            recordings: systems.first().map_or(0, |(_, scores)| scores.recordings.len()),
            tables,
            left_out: left_out.collect(),
        })
    }

    /// Lays all tables out.
    pub fn page(&self, layout: Layout) -> String {
        let tables = |signature: &str, lay: TableWriter| {
            let before = if layout == Layout::Markdown { "## " } else { "" };
            let mut out = format!("{signature}\n");
            for table in &self.tables {
                let title = table.measured.title();
                out.push_str(&format!("\n{before}{title}\n\n{}", lay(&table.text_table())));
            }
            out.push_str(&format!("\n{}\n", self.about()));
            out.extend(self.left_out.iter().map(|(name, left)| left.line(&format!(" of {name}"))));
            out
        };
        layout.page(&self.signature, tables, || Ok(self.json().to_string()))
    }

    fn about(&self) -> String {
        let Some(MeasuredTable { comparison: Comparison { config, examples, .. }, .. }) = self.tables.first()
        else {
            return "nothing to compare".to_owned();
        };
        format!(
            "{} recordings; 95 % intervals from {} resamples of {} stretches of {} words of the reference, seed {}; p of approximate \
             randomization against the system with the fewest errors, corrected for the number of systems (Holm 1979)",
            thousands(self.recordings as u64),
            thousands(config.resamples as u64),
            thousands(*examples as u64),
            AlignedScore::STRETCH,
            config.seed
        )
    }

    /// Lays all figures out as comma-separated values: a line for each, with its interval.
    pub fn csv(&self) -> String {
        let mut out = "table,system,figure,value,low,high,p_randomization\n".to_owned();
        for MeasuredTable { measured, comparison } in &self.tables {
            let [_, rate] = measured.error_rate();
            for system in &comparison.systems {
                let ComparedSystem { name, slots, intervals, difference } = system;
                let figures = [
                    ("precision", slots.precision(), intervals.precision),
                    ("recall", slots.recall(), intervals.recall),
                    ("f", slots.f(), intervals.f),
                    (rate, slots.ser(), intervals.ser),
                ];
                let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
                let mut line = |figure: &str, value: Option<f64>, ends: [Option<f64>; 2], p: Option<f64>| {
                    let cells = [
                        measured.title().to_owned(),
                        name.clone(),
                        figure.to_owned(),
                        number(value),
                        number(ends[0]),
                        number(ends[1]),
                        number(p),
                    ];
                    out.push_str(&(cells.map(|cell| csv_cell(&cell)).join(",") + "\n"));
                };
                for (figure, value, interval) in figures {
                    let p = difference.filter(|_| figure == rate);
                    let ends =
                        [interval.map(|interval| interval.low), interval.map(|interval| interval.high)];
                    line(figure, value, ends, p.map(|difference| difference.p_randomization));
                }
                if *measured == Measured::Marks {
                    line("per", error_rate(slots), [None; 2], None);
                }
            }
        }
        out
    }

    /// Lays all tables out in LaTeX, with the rules of booktabs.
    pub fn latex(&self) -> String {
        let mut out = format!("% {}\n% {}\n", self.signature, self.about());
        for table in &self.tables {
            out.push_str(&format!("\n{}", table.text_table().latex(table.measured.title())));
        }
        out
    }

    fn json(&self) -> serde_json::Value {
        let table = |MeasuredTable { measured, comparison }: &MeasuredTable| {
            let [_, rate] = measured.error_rate();
            let system = |system: &ComparedSystem| {
                let slots = &system.slots;
                let mut value = serde_json::json!({
                    "name": system.name,
                    "correct": slots.correct,
                    "substitutions": slots.substituted,
                    "deletions": slots.deleted,
                    "insertions": slots.inserted,
                    "precision": slots.precision(),
                    "recall": slots.recall(),
                    "f": slots.f(),
                    (rate): slots.ser(),
                    "intervals": system.intervals,
                    "difference": system.difference,
                });
                if *measured == Measured::Marks {
                    value["per"] = serde_json::json!(error_rate(slots));
                }
                value
            };
            serde_json::json!({
                "measured": measured,
                "best": comparison.systems.get(comparison.best).map(|best| &best.name),
                "systems": comparison.systems.iter().map(system).collect::<Vec<_>>(),
            })
        };
        let config = self.tables.first().map(|table| table.comparison.config);
        let left_out = |(name, left): &(String, UnpairedFile)| serde_json::json!({ "system": name, "name": left.name, "lacks": left.lacks });
        serde_json::json!({
            "signature": self.signature,
            "recordings": self.recordings,
            "examples": self.tables.first().map_or(0, |table| table.comparison.examples),
            "resamples": config.map(|config| config.resamples),
            "seed": config.map(|config| config.seed),
            "tables": self.tables.iter().map(table).collect::<Vec<_>>(),
            "left_out": self.left_out.iter().map(left_out).collect::<Vec<_>>(),
        })
    }
}

impl MeasuredTable {
    fn text_table(&self) -> TextTable {
        let &Self { measured, ref comparison } = self;
        let mut columns = if measured == Measured::Words { vec![] } else { PRECISION_RECALL_F.to_vec() };
        columns.push((measured.error_rate()[0], report::ser));
        if measured == Measured::Marks {
            columns.push(("PER %", |system| percent(error_rate(&system.slots))));
        }
        columns.push(("against the best", report::difference));
        columns.push(("p", report::p_randomization));
        comparison.table(&columns)
    }
}

/// The punctuation error rate of LibriSpeech-PC: errors divided by correct marks and errors.
pub(super) fn error_rate(marks: &Slots) -> Option<f64> {
    ratio(marks.errors(), marks.correct + marks.errors())
}

/// Refuses systems that were scored on other recordings than the first system.
fn check_recordings(systems: &[(String, FileScores)]) -> Result<()> {
    let missing = |scores: &FileScores| {
        let left =
            scores.left_out.iter().filter(|left| left.lacks == Lacking::Hypothesis && !left.is_deleted);
        left.map(|left| left.name.clone()).collect::<Vec<_>>()
    };
    let Some((first, scores)) = systems.first() else { return Ok(()) };
    let (recordings, missing_there) = (scores.recordings.len(), missing(scores));
    for (name, other) in &systems[1..] {
        let (found, missing_here) = (other.recordings.len(), missing(other));
        let odd = |from: &[String], of: &[String]| from.iter().find(|name| !of.contains(name)).cloned();
        let problem = match () {
            () if found != recordings => {
                format!("{found} recordings are paired, but {recordings} of {first}")
            }
            () if let Some(lacking) = odd(&missing_here, &missing_there) => {
                format!("lacks the recording {lacking}, which {first} has")
            }
            () if let Some(lacking) = odd(&missing_there, &missing_here) => {
                format!("has the recording {lacking}, which {first} lacks")
            }
            () => continue,
        };
        return Err(Error::file(name, format!("{problem}: compare systems on the same recordings")));
    }
    Ok(())
}

/// Returns the stretches of each system, recording by recording. If systems match alternatives of a
/// reference with different numbers of words, shorter lists are padded with empty stretches.
fn stretches(systems: &[(String, FileScores)]) -> Vec<Vec<AlignedCounts>> {
    let recordings = systems.first().map_or(0, |(_, scores)| scores.recordings.len());
    let mut all = vec![Vec::new(); systems.len()];
    for at in 0..recordings {
        let of = |(_, scores): &(String, FileScores)| scores.recordings[at].1.stretches.clone();
        let mut each: Vec<Vec<AlignedCounts>> = systems.iter().map(of).collect();
        let most = each.iter().map(Vec::len).max().unwrap_or(0);
        each.iter_mut().for_each(|stretches| stretches.resize_with(most, AlignedCounts::default));
        all.iter_mut().zip(each).for_each(|(all, more): (&mut Vec<AlignedCounts>, _)| all.extend(more));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::aligned::tests::score_texts;

    const SAID: &str = "We met Ana Reis, and she left. Who saw NATO?";

    fn scores(heard: &[&str]) -> FileScores {
        let recordings =
            heard.iter().enumerate().map(|(at, heard)| (format!("{at}.txt"), score_texts(SAID, heard)));
        FileScores { recordings: recordings.collect(), left_out: Vec::new() }
    }

    fn comparison() -> AlignedComparison {
        let systems = [
            ("good, mostly".to_owned(), scores(&["We met Ana Reis and she left. Who saw NATO?"; 3])),
            ("bad_one".to_owned(), scores(&["we met ana rice and she left who saw nato"; 3])),
        ];
        let protocol = "iwslt".parse().unwrap();
        AlignedComparison::of(&systems, "protocol:iwslt".into(), protocol, CompareConfig::default()).unwrap()
    }

    fn slots(measured: Measured, system: usize) -> Slots {
        let tables = comparison().tables;
        tables.iter().find(|table| table.measured == measured).unwrap().comparison.systems[system].slots
    }

    #[test]
    fn every_table_counts_what_a_pencil_counts() {
        // Three times: ten words, with Reis heard as rice; the capitals We, Ana, Reis, Who and NATO;
        // a comma, a full stop and a question mark, two of which end sentences.
        let of = |correct, substituted, deleted| Slots { correct, substituted, deleted, inserted: 0 };
        assert_eq!(slots(Measured::Words, 0), of(30, 0, 0));
        assert_eq!(slots(Measured::Words, 1), of(27, 3, 0));
        assert_eq!(slots(Measured::Capitals, 0), of(15, 0, 0));
        assert_eq!(slots(Measured::Capitals, 1), of(0, 0, 15));
        assert_eq!(slots(Measured::CapitalsOfRecognised, 1), of(0, 0, 12));
        assert_eq!(slots(Measured::Marks, 0), of(6, 0, 3));
        assert_eq!(slots(Measured::SentenceEnds, 0), of(6, 0, 0));
        assert_eq!(slots(Measured::SentenceEnds, 1), of(0, 0, 6));
        assert_eq!(error_rate(&slots(Measured::Marks, 0)), Some(3.0 / 9.0));
    }

    #[test]
    fn all_layouts_have_all_tables() {
        let comparison = comparison();
        let page = comparison.page(Layout::Text);
        let titles = Measured::ALL.map(Measured::title);
        for title in titles {
            assert!(page.contains(&format!("\n{title}\n\nsystem ")), "{page}");
        }
        assert!(page.contains("WER %") && page.contains("PER %"), "{page}");
        let markdown = comparison.page(Layout::Markdown);
        assert!(markdown.contains("## Words\n\n| system | WER % |"), "{markdown}");
        assert!(markdown.contains("| bad_one | 10.00 [10.00, 10.00] |"), "{markdown}");
        let rates = ["| WER % | against", "| SER % | against", "| SER % | PER % | against"];
        let tables = rates.map(|rate| markdown.matches(rate).count());
        assert_eq!(tables, [1, 3, 1], "{markdown}");
        assert!(markdown.contains(" [33.33, 33.33] | 33.33 | – | – |\n"), "{markdown}");
        let csv = comparison.csv();
        assert!(csv.starts_with("table,system,figure,value,low,high,p_randomization\n"), "{csv}");
        assert!(csv.contains("\nWords,bad_one,wer,0.1,0.1,0.1,"), "{csv}");
        assert!(csv.contains("\nPunctuation marks,\"good, mostly\",per,0.3333333333333333,,,\n"), "{csv}");
        let latex = comparison.latex();
        assert!(latex.contains("\\toprule") && latex.contains("bad\\_one & 10.00 "), "{latex}");
        assert_eq!(latex.matches("\\begin{table}").count(), 5, "{latex}");
        let json: serde_json::Value = serde_json::from_str(&comparison.page(Layout::Json)).unwrap();
        assert_eq!(json["tables"][0]["systems"][1]["wer"], 0.1);
        assert_eq!((&json["tables"][3]["measured"], &json["recordings"]), (&"marks".into(), &3.into()));
    }

    #[test]
    fn resamples_are_of_stretches_and_not_of_recordings() {
        let said = "a ".repeat(AlignedScore::STRETCH as usize + 1) + "B";
        let of = |heard: &str| FileScores {
            recordings: vec![("x".into(), score_texts(&said, heard))],
            left_out: Vec::new(),
        };
        // Inserted words belong to the stretch of the word before them.
        let systems = [("one".to_owned(), of(&said)), ("two".to_owned(), of(&said.replace('B', "b c d")))];
        let compared =
            AlignedComparison::of(&systems, String::new(), Protocol::default(), CompareConfig::default());
        let words = &compared.unwrap().tables[0].comparison;
        assert_eq!((words.examples, words.systems[1].slots.inserted), (2, 2));
        let whole = "a ".repeat(AlignedScore::STRETCH as usize);
        assert_eq!(score_texts(&whole, &format!("{whole}b c")).stretches.len(), 1);
    }

    #[test]
    fn systems_that_heard_other_recordings_are_not_compared() {
        let systems = [("one".to_owned(), scores(&[SAID; 2])), ("two".to_owned(), scores(&[SAID]))];
        let found =
            AlignedComparison::of(&systems, String::new(), Protocol::default(), CompareConfig::default());
        let problem = found.unwrap_err().to_string();
        assert!(
            problem.contains("two") && problem.contains("1 recordings are paired, but 2 of one"),
            "{problem}"
        );
    }

    #[test]
    fn systems_that_lack_different_recordings_are_not_compared() {
        let lacking = |name: &str| {
            let name = name.to_owned();
            let left_out = vec![UnpairedFile { name, lacks: Lacking::Hypothesis, is_deleted: false }];
            FileScores { left_out, ..scores(&[SAID]) }
        };
        let compared = |other: &str| {
            let systems = [("one".to_owned(), lacking("a.txt")), ("two".to_owned(), lacking(other))];
            AlignedComparison::of(&systems, String::new(), Protocol::default(), CompareConfig::default())
        };
        assert!(compared("a.txt").is_ok());
        let error = compared("b.txt").unwrap_err().to_string();
        assert!(
            error.contains("two") && error.contains("lacks the recording b.txt, which one has"),
            "{error}"
        );
    }
}
