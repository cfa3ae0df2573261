//! Lays out a score or a comparison: as text for a terminal, as Markdown or as JSON.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::compare::{ComparedSystem, Comparison, Interval, Intervals, SystemDifference};
use super::differences::DifferingExamples;
use super::marks::{MarkCalibrationError, MarkReport};
use super::score::{Score, Wrong};
use super::slots::{Confusion, Matching, Slots, ratio};
use super::table::{TextTable, between, percent, probability, thousands};
use crate::corpus::{Protocol, SpeechPartKind};
use majuscule_text::{Class, Locale};

/// The layout of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// Aligned columns, for a terminal.
    #[default]
    Text,
    /// Tables in Markdown.
    Markdown,
    /// One JSON object: figures are fractions, and undefined ones are `null`.
    Json,
}

/// A function that lays a table out.
pub(super) type TableWriter = fn(&TextTable) -> String;

impl Layout {
    /// Lays out a page that ends with a line feed. `tables` receives the signature and the function that lays tables
    /// out, and `json` makes an object.
    pub(super) fn page(
        self,
        signature: &str,
        tables: impl FnOnce(&str, TableWriter) -> String,
        json: impl FnOnce() -> serde_json::Result<String>,
    ) -> String {
        match self {
            Self::Text => tables(signature, TextTable::text),
            Self::Markdown => tables(&format!("`{signature}`"), TextTable::markdown),
            Self::Json => json().expect("numbers and strings, as JSON has them") + "\n",
        }
    }
}

/// The figures of a set of words.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// The number of words that were scored.
    pub tokens: u64,
    /// The number of correct slots.
    pub correct: u64,
    /// The number of slots on both sides that differ.
    pub substitutions: u64,
    /// The number of slots of the reference that were missed.
    pub deletions: u64,
    /// The number of slots that the reference does not have.
    pub insertions: u64,
    /// The fraction of the hypothesis's slots that are correct.
    pub precision: Option<f64>,
    /// The fraction of the reference's slots that are correct.
    pub recall: Option<f64>,
    /// The harmonic mean of precision and recall.
    pub f: Option<f64>,
    /// The slot error rate: errors divided by slots of the reference.
    pub ser: Option<f64>,
    /// The fraction of words that are right.
    pub accuracy: Option<f64>,
}

impl Figures {
    /// Computes the figures of `tokens` words with these slots. Each error is an error of one word.
    pub fn of(tokens: u64, slots: Slots) -> Self {
        Self {
            tokens,
            correct: slots.correct,
            substitutions: slots.substituted,
            deletions: slots.deleted,
            insertions: slots.inserted,
            precision: slots.precision(),
            recall: slots.recall(),
            f: slots.f(),
            ser: slots.ser(),
            accuracy: ratio(tokens.saturating_sub(slots.errors()), tokens),
        }
    }

    /// The slots from which the figures were computed.
    pub fn slots(&self) -> Slots {
        let &Self { correct, substitutions: substituted, insertions: inserted, deletions: deleted, .. } =
            self;
        Slots { correct, substituted, inserted, deleted }
    }

    pub(super) fn of_words(words: Confusion, matching: Matching) -> Self {
        Self::of(words.tokens(), words.slots(matching))
    }
}

/// The figures of each class against all others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[allow(missing_docs, reason = "the names of the classes")]
pub struct ClassScores {
    pub lower: Figures,
    pub title: Figures,
    pub upper: Figures,
    pub mixed: Figures,
}

/// A word and a wrong spelling of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MisspelledWord {
    /// The correct spelling.
    pub reference: String,
    /// The wrong spelling.
    pub hypothesis: String,
    /// The number of times the error occurs.
    pub count: u64,
}

/// The configuration of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportConfig {
    /// A line that describes how the figures were made; see [`Signature`](super::Signature).
    pub signature: String,
    /// The protocol, which determines how cases and marks are compared.
    pub protocol: Protocol,
    /// The locale in which the words of the list of errors are spelled.
    pub locale: Locale,
    /// True if the hypothesis has ends of sentences.
    pub sentence_ends: bool,
    /// The number of errors to list, the most frequent first.
    pub top: usize,
}

/// All figures of a score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The signature of the figures: how they were made.
    pub signature: String,
    /// The number of examples that were scored.
    pub examples: u64,
    /// The figures of all words.
    #[serde(flatten)]
    pub all: Figures,
    /// The mean of F over the classes that occur.
    pub macro_f: Option<f64>,
    /// The figures of each class against all others. Under tags, the mixed class is scored
    /// separately, by spelling.
    pub classes: ClassScores,
    /// The figures when all capitalized forms count as equal.
    pub binary: Figures,
    /// The figures of the words that the model contains; `None` if its words are unknown. A model
    /// may omit words that it saw in training, such as rare words or words that its rules decide
    /// correctly.
    pub seen: Option<Figures>,
    /// The figures of the words that the model does not contain; `None` if its words are unknown.
    pub unseen: Option<Figures>,
    /// The figures of the words that begin a sentence.
    pub initial: Figures,
    /// The figures of the words that do not begin a sentence.
    pub rest: Figures,
    /// The figures of the ends of sentences as slots; `None` if the hypothesis has none.
    pub sentence_ends: Option<Figures>,
    /// F0.5 of sentence ends, in which an inserted end costs more than a missing end; `None` if the hypothesis has
    /// none.
    pub sentence_ends_f_half: Option<f64>,
    /// The fraction of pairs of neighbouring sentences that the hypothesis divides exactly: it has a sentence end
    /// between the two sentences, and none inside them.
    pub exact_sentence_pairs: Option<f64>,
    /// The figures of punctuation marks, if the protocol scores them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marks: Option<MarkReport>,
    /// The expected calibration error of the confidences; `None` if there are none.
    pub calibration_error: Option<f64>,
    /// The expected calibration error of the probabilities of marks, if there are any and the
    /// protocol scores them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark_calibration_error: Option<MarkCalibrationError>,
    /// The 95 % confidence intervals from resampling the examples, if they were requested. They are
    /// intervals for marks if the protocol scores marks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intervals: Option<Intervals>,
    /// True if the intervals and the figures of each file are for marks or sentence ends.
    #[serde(skip)]
    slots_are_marks: bool,
    /// False if marks are scored on a lower-case reference, as is common in corpora of punctuation.
    #[serde(skip)]
    has_case: bool,
    /// The most frequent errors.
    pub words: Vec<MisspelledWord>,
    /// The figures of each file, if they were requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileFigures>,
    /// The figures of each speaker, on request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub speakers: Vec<SpeechPartFigures>,
    /// The figures of each category of a transcript, on request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<SpeechPartFigures>,
}

/// The figures of a speaker or a category.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpeechPartFigures {
    /// The speaker or the category.
    pub name: String,
    /// The figures of the speaker or the category.
    #[serde(flatten)]
    pub all: Figures,
}

/// The figures of one file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileFigures {
    /// The name of the file as it was given.
    pub file: String,
    /// The figures of the file.
    #[serde(flatten)]
    pub all: Figures,
}

impl Report {
    /// Reads the figures from a score.
    pub fn of(score: &Score, config: &ReportConfig) -> Self {
        let matching = Matching::of(config.protocol);
        let figures = |words| Figures::of_words(words, matching);
        let all = score.all();
        let class = |class| Figures::of(all.tokens(), all.class(class, matching));
        let [lower, title, upper, mixed] = Class::ALL.map(class);
        let slots_are_marks = config.protocol.mark_convention().is_some();
        // A few stray capitals, such as those left by a lost ™, do not make the reference cased.
        let has_case = !slots_are_marks || 1000 * all.slots(matching).reference() >= all.tokens();
        Self {
            signature: config.signature.clone(),
            examples: score.examples(),
            all: figures(all),
            macro_f: all.macro_f(matching),
            classes: ClassScores { lower, title, upper, mixed },
            binary: Figures::of(all.tokens(), all.capitalized(matching)),
            seen: score.seen().map(figures),
            unseen: score.unseen().map(figures),
            initial: figures(score.initial()),
            rest: figures(score.rest()),
            sentence_ends: config.sentence_ends.then(|| Figures::of(all.tokens(), score.ends())),
            sentence_ends_f_half: score.ends().f_half().filter(|_| config.sentence_ends),
            exact_sentence_pairs: score.pairs().fraction().filter(|_| config.sentence_ends),
            marks: MarkReport::of(score.marks(), config.protocol),
            calibration_error: score.calibration().expected_error().filter(|_| has_case),
            mark_calibration_error: MarkCalibrationError::of(&score.mark_calibration(), config.protocol),
            intervals: None,
            slots_are_marks,
            has_case,
            words: score
                .most_frequent_errors(matching, if has_case { config.top } else { 0 })
                .iter()
                .map(|word| spell(word, config.locale))
                .collect(),
            files: Vec::new(),
            speakers: Vec::new(),
            categories: Vec::new(),
        }
    }

    /// Adds the figures of one file: the figures of marks where the protocol scores marks.
    pub fn push_file(&mut self, file: impl Into<String>, score: &Score, protocol: Protocol) {
        let all = Figures::of(score.all().tokens(), score.slots(protocol));
        self.files.push(FileFigures { file: file.into(), all });
    }

    /// Adds the figures of a speaker or a category, if it has words.
    pub fn push_speech_part(
        &mut self,
        kind: SpeechPartKind,
        name: String,
        score: &Score,
        protocol: Protocol,
    ) {
        let all = Figures::of(score.all().tokens(), score.slots(protocol));
        let parts = match kind {
            SpeechPartKind::Speaker => &mut self.speakers,
            SpeechPartKind::Category => &mut self.categories,
        };
        if score.all().tokens() > 0 {
            parts.push(SpeechPartFigures { name, all });
        }
    }

    /// The report as text that ends with a line feed.
    pub fn page(&self, layout: Layout) -> String {
        layout.page(
            &self.signature,
            |signature, lay| self.laid_out(signature, lay),
            || serde_json::to_string(self),
        )
    }

    fn laid_out(&self, signature: &str, lay: TableWriter) -> String {
        let mut out = format!("{signature}\n\n{}\n{}\n", lay(&self.figures()), self.single_figures());
        out.extend(self.marks.as_ref().map(|marks| marks.page(lay)));
        for table in self.lists() {
            out.push_str(&format!("\n{}", lay(&table)));
        }
        out
    }

    fn single_figures(&self) -> String {
        let mut out = match self.has_case {
            true => format!("macro F: {} %", percent(self.macro_f)),
            false => "the reference has no capitals: case is not scored".to_owned(),
        };
        if self.calibration_error.is_some() {
            out.push_str(&format!(", expected calibration error: {} %", percent(self.calibration_error)));
        }
        out.extend(self.mark_calibration_error.map(|error| error.line()));
        if self.sentence_ends_f_half.is_some() {
            let [f_half, pairs] = [self.sentence_ends_f_half, self.exact_sentence_pairs].map(percent);
            out.push_str(&format!("\nsentence ends: F0.5 {f_half} %, exact pairs of sentences {pairs} %"));
        }
        if let Some(Intervals { precision, recall, f, ser }) = self.intervals {
            let [precision, recall, f, ser] = [precision, recall, f, ser].map(between);
            let of = if self.slots_are_marks { " of marks" } else { "" };
            out.push_str(&format!("\n95 % intervals{of}: P {precision}, R {recall}, F {f}, SER {ser}"));
        }
        out
    }

    fn figures(&self) -> TextTable {
        let mut table = figures_table("");
        let classes = &self.classes;
        let rows = [
            ("all words", Some(self.all)),
            ("capitalized or not", Some(self.binary)),
            ("lower", Some(classes.lower)),
            ("title", Some(classes.title)),
            ("upper", Some(classes.upper)),
            ("mixed", Some(classes.mixed)),
            ("in the model", self.seen),
            ("not in the model", self.unseen),
            ("sentence-initial", Some(self.initial)),
            ("the rest", Some(self.rest)),
            ("sentence ends", self.sentence_ends),
        ];
        let rows = rows.into_iter().filter(|(name, _)| self.has_case || *name == "sentence ends");
        for (name, figures) in rows {
            if let Some(figures) = figures {
                table.push(row(name, &figures));
            }
        }
        table
    }

    /// The tables below the table of figures, if they have rows.
    fn lists(&self) -> Vec<TextTable> {
        let mut lists = Vec::new();
        let files = self.files.iter().map(|FileFigures { file, all }| (file.as_str(), all));
        lists.extend(self.figures_of("file", files));
        let parts = [(SpeechPartKind::Speaker, &self.speakers), (SpeechPartKind::Category, &self.categories)];
        for (kind, parts) in parts {
            let parts = parts.iter().map(|SpeechPartFigures { name, all }| (name.as_str(), all));
            lists.extend(self.figures_of(kind.name(), parts));
        }
        if !self.words.is_empty() {
            lists.push(most_frequent_errors(&self.words));
        }
        lists
    }

    /// The table of the parts of a kind; `None` if there are none.
    fn figures_of<'a>(
        &self,
        kind: &str,
        parts: impl Iterator<Item = (&'a str, &'a Figures)>,
    ) -> Option<TextTable> {
        let mut parts = parts.peekable();
        parts.peek()?;
        let marks = if self.slots_are_marks { "marks of " } else { "" };
        let mut table = figures_table(&format!("{marks}{kind}"));
        for (name, all) in parts {
            table.push(row(name, all));
        }
        Some(table)
    }
}

pub(super) fn most_frequent_errors(words: &[MisspelledWord]) -> TextTable {
    let mut table = TextTable::new(&["most frequent errors", "instead of", "times"]);
    for MisspelledWord { reference, hypothesis, count } in words {
        table.push([hypothesis.clone(), reference.clone(), thousands(*count)]);
    }
    table
}

pub(super) fn spell((wrong, count): &(Wrong, u64), locale: Locale) -> MisspelledWord {
    MisspelledWord {
        reference: wrong.reference.applied(&wrong.lower, locale),
        hypothesis: wrong.hypothesis.applied(&wrong.lower, locale),
        count: *count,
    }
}

pub(super) fn figures_table(first: &str) -> TextTable {
    TextTable::new(&[first, "words", "slots", "C", "S", "D", "I", "P %", "R %", "F %", "SER %", "acc. %"])
}

pub(super) fn row(name: &str, figures: &Figures) -> Vec<String> {
    let &Figures { tokens, correct, substitutions, deletions, insertions, .. } = figures;
    let slots = correct + substitutions + deletions;
    let counts = [tokens, slots, correct, substitutions, deletions, insertions].map(thousands);
    let ratios = [figures.precision, figures.recall, figures.f, figures.ser, figures.accuracy].map(percent);
    [name.to_owned()].into_iter().chain(counts).chain(ratios).collect()
}

impl Comparison {
    /// The comparison as text that ends with a line feed. `words` is the number of words that were
    /// scored. Only JSON includes the differing examples; the other layouts print them separately. A compact
    /// table fits a column of a page.
    pub fn page(
        &self,
        signature: &str,
        words: u64,
        differences: Option<&DifferingExamples>,
        (layout, is_compact): (Layout, bool),
    ) -> String {
        let tables = |signature: &str, lay: TableWriter| {
            let table = self.table(if is_compact { &COMPACT_COLUMNS } else { &COLUMNS });
            format!("{signature}\n\n{}\n{}\n", lay(&table), self.about())
        };
        let json = || {
            let mut object = self.json(signature, words);
            if let Some(differences) = differences {
                object["differences"] = json!(differences);
            }
            Ok(object.to_string())
        };
        layout.page(signature, tables, json)
    }

    fn about(&self) -> String {
        format!(
            "95 % intervals from {} resamples of {} examples, seed {}; p against {}: paired bootstrap, approximate \
             randomization, both corrected for the number of systems (Holm 1979)",
            thousands(self.config.resamples as u64),
            thousands(self.examples as u64),
            self.config.seed,
            self.systems.get(self.best).map_or("", |best| &best.name),
        )
    }

    /// Builds the table of the systems with these columns.
    pub(super) fn table(&self, columns: &[Column]) -> TextTable {
        let headings = columns.iter().map(|(heading, _)| *heading);
        let mut table = TextTable::new(["system"].into_iter().chain(headings));
        for system in &self.systems {
            let cells = columns.iter().map(|(_, cell)| cell(system));
            table.push([system.name.clone()].into_iter().chain(cells));
        }
        table
    }

    fn json(&self, signature: &str, words: u64) -> serde_json::Value {
        let system = |system: &ComparedSystem| {
            let mut value = json!(Figures::of(words, system.slots));
            value["name"] = json!(system.name);
            value["intervals"] = json!(system.intervals);
            value["difference"] = json!(system.difference);
            value
        };
        json!({
            "signature": signature,
            "examples": self.examples,
            "resamples": self.config.resamples,
            "seed": self.config.seed,
            "best": self.systems.get(self.best).map(|best| &best.name),
            "systems": self.systems.iter().map(system).collect::<Vec<_>>(),
        })
    }
}

/// A column of a table of compared systems: its heading and its cell for a system.
pub(super) type Column = (&'static str, fn(&ComparedSystem) -> String);

/// The columns of precision, recall and F.
pub(super) const PRECISION_RECALL_F: [Column; 3] = [
    ("P %", |system| with_interval(system.slots.precision(), system.intervals.precision)),
    ("R %", |system| with_interval(system.slots.recall(), system.intervals.recall)),
    ("F %", |system| with_interval(system.slots.f(), system.intervals.f)),
];

const COLUMNS: [Column; 7] = [
    PRECISION_RECALL_F[0],
    PRECISION_RECALL_F[1],
    PRECISION_RECALL_F[2],
    ("SER %", ser),
    ("SER less best", difference),
    ("p bootstrap", |system| of_difference(system, |found| probability(found.p_bootstrap))),
    ("p randomization", p_randomization),
];

/// The columns of a table of half the width, for a column of a page. It has one p-value, and half the
/// width of each interval after `±`.
const COMPACT_COLUMNS: [Column; 3] = [
    ("F %", |system| with_half_width(system.slots.f(), system.intervals.f)),
    ("SER %", |system| with_half_width(system.slots.ser(), system.intervals.ser)),
    ("p", p_randomization),
];

fn with_interval(figure: Option<f64>, interval: Option<Interval>) -> String {
    format!("{} {}", percent(figure), between(interval))
}

fn with_half_width(figure: Option<f64>, interval: Option<Interval>) -> String {
    let half = interval.map(|Interval { low, high }| format!(" ±{:.1}", 50.0 * (high - low)));
    percent(figure) + &half.unwrap_or_default()
}

/// The cell of the error rate, which is the word error rate if the slots are words.
pub(super) fn ser(system: &ComparedSystem) -> String {
    with_interval(system.slots.ser(), system.intervals.ser)
}

/// The cell of the difference from the best system.
pub(super) fn difference(system: &ComparedSystem) -> String {
    of_difference(system, |found| with_interval(Some(found.ser), found.interval))
}

/// The cell of the p-value of approximate randomisation.
pub(super) fn p_randomization(system: &ComparedSystem) -> String {
    of_difference(system, |found| probability(found.p_randomization))
}

fn of_difference(system: &ComparedSystem, cell: impl Fn(&SystemDifference) -> String) -> String {
    system.difference.as_ref().map_or_else(|| "–".to_owned(), cell)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::eval::compare::{self, Interval, System, compare};
    use crate::eval::score::tests::example;
    use majuscule_text::{Case, Choice, Label};

    /// The figure of Batista et al. 2007 and a line of mixed case.
    fn score() -> Score {
        let mut score = Score::default();
        let pairs = [
            ("here is an Example of a big SER", "here Is an example of a big SER"),
            ("McKay and McKay saw NATO", "Mckay and Mckay saw Nato"),
        ];
        for (reference, hypothesis) in pairs {
            let reference = example(reference);
            let choices: Vec<Choice> = hypothesis
                .split(' ')
                .map(|word| Choice::from(Label::from(Case::of(word, Locale::Root))))
                .collect();
            score.add(&reference.tokens, &reference.gold, &choices, |_| None).unwrap();
        }
        score
    }

    fn config(matching: Matching) -> ReportConfig {
        let protocol = if matching == Matching::Tags { Protocol::Rei } else { Protocol::Text };
        ReportConfig {
            signature: "protocol:text".into(),
            protocol,
            locale: Locale::Root,
            sentence_ends: false,
            top: 10,
        }
    }

    #[test]
    fn json_has_its_keys() {
        let page = Report::of(&score(), &config(Matching::Spelling)).page(Layout::Json);
        let value: Value = serde_json::from_str(&page).unwrap();
        let keys = [
            "tokens",
            "correct",
            "substitutions",
            "deletions",
            "insertions",
            "precision",
            "recall",
            "f",
            "ser",
            "accuracy",
        ];
        assert_eq!(value["signature"], "protocol:text");
        for position in [&value, &value["binary"], &value["initial"], &value["rest"]] {
            assert!(keys.iter().all(|key| position.get(key).is_some_and(Value::is_number)), "{position}");
        }
        for class in ["lower", "title", "upper", "mixed"] {
            assert!(keys.iter().all(|key| value["classes"][class].get(key).is_some()), "{class}");
        }
        assert!(value["seen"].is_null() && value["sentence_ends"].is_null());
        assert_eq!(value["words"][0], json!({"reference": "McKay", "hypothesis": "Mckay", "count": 2}));
    }

    #[test]
    fn figures_are_fractions_of_the_counts() {
        // One of figure 1's slots is correct, one deleted and one inserted; the second pair adds
        // three substituted slots.
        let figures = Report::of(&score(), &config(Matching::Spelling)).all;
        let Figures { tokens, correct, substitutions, deletions, insertions, .. } = figures;
        assert_eq!((tokens, correct, substitutions, deletions, insertions), (13, 1, 3, 1, 1));
        assert_eq!(figures.precision, Some(1.0 / 5.0));
        assert_eq!(figures.recall, Some(1.0 / 5.0));
        assert_eq!(figures.ser, Some(5.0 / 5.0));
        assert_eq!(figures.accuracy, Some(8.0 / 13.0));
    }

    #[test]
    fn under_tags_mixed_case_stands_apart() {
        let report = Report::of(&score(), &config(Matching::Tags));
        // Mckay is T where the reference is L: two insertions and no substitution.
        assert_eq!((report.all.substitutions, report.all.insertions), (1, 3));
        assert_eq!((report.classes.mixed.deletions, report.classes.mixed.correct), (2, 0));
        assert_eq!(report.binary.substitutions, 0);
    }

    #[test]
    fn undefined_figures_are_null() {
        let page = Report::of(&Score::default(), &config(Matching::Tags)).page(Layout::Json);
        let value: Value = serde_json::from_str(&page).unwrap();
        for key in ["precision", "recall", "f", "ser", "accuracy", "macro_f"] {
            assert!(value[key].is_null(), "{key}");
        }
    }

    #[test]
    fn a_page_names_its_signature_and_the_words() {
        let mut report = Report::of(&score(), &config(Matching::Spelling));
        report.push_file("a.txt", &score(), Protocol::Text);
        let half = Some(Interval { low: 0.25, high: 0.5 });
        report.intervals = Some(Intervals { precision: half, recall: half, f: half, ser: None });
        let text = report.page(Layout::Text);
        assert!(text.starts_with("protocol:text\n\n"), "{text}");
        let all: Vec<&str> = text.lines().nth(3).unwrap().split_whitespace().collect();
        assert_eq!(all.join(" "), "all words 13 5 1 3 1 1 20.00 20.00 20.00 100.00 61.54");
        assert!(text.contains("\nMckay                      McKay      2\n"), "{text}");
        assert!(text.contains("\n95 % intervals: P [25.00, 50.00], R [25.00, 50.00], F"), "{text}");
        let markdown = report.page(Layout::Markdown);
        assert!(
            markdown
                .contains("| all words | 13 | 5 | 1 | 3 | 1 | 1 | 20.00 | 20.00 | 20.00 | 100.00 | 61.54 |"),
            "{markdown}"
        );
        assert!(markdown.contains("| a.txt | 13 |"), "{markdown}");
    }

    #[test]
    fn a_comparison_names_the_best_and_the_draws() {
        let slots = |deleted| Slots { correct: 4 - deleted, deleted, ..Slots::default() };
        let systems = [
            System { name: "a.txt".into(), examples: vec![slots(2); 4] },
            System { name: "b.txt".into(), examples: vec![slots(1); 4] },
        ];
        let comparison = compare(&systems, compare::CompareConfig { resamples: 20, seed: 7 }).unwrap();
        let compact = comparison.page("protocol:text", 40, None, (Layout::Markdown, true));
        assert!(compact.contains("| system | F % | SER % | p |"), "{compact}");
        assert!(compact.lines().all(|line| !line.starts_with('|') || line.chars().count() < 60), "{compact}");
        let text = comparison.page("protocol:text", 40, None, (Layout::Text, false));
        assert!(text.contains("50.00 [50.00, 50.00]"), "{text}");
        assert!(text.contains("20 resamples of 4 examples, seed 7; p against b.txt"), "{text}");
        let value: Value =
            serde_json::from_str(&comparison.page("protocol:text", 40, None, (Layout::Json, false))).unwrap();
        assert_eq!(value["best"], "b.txt");
        assert_eq!(value["systems"][0]["ser"], 0.5);
        assert_eq!(value["systems"][0]["difference"]["ser"], 0.25);
        assert!(value["systems"][1]["difference"].is_null());
    }
}
