//! Lays out scores of aligned recordings as a report.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::AlignedCounts;
use super::comparison::error_rate;
use super::files::{FileScores, UnpairedFile};
use crate::eval::marks::MarkReport;
use crate::eval::report::{
    Figures, Layout, MisspelledWord, ReportConfig, TableWriter, figures_table, most_frequent_errors, row,
    spell,
};
use crate::eval::slots::{Confusion, Matching};
use crate::eval::table::{TextTable, percent, thousands};

/// All figures of aligned recordings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AlignedReport {
    /// The signature of the figures: how they were made.
    pub signature: String,
    /// The number of recordings that were scored.
    pub recordings: u64,
    /// The word errors of the recogniser.
    pub word_errors: WordErrors,
    /// The figures of all words of both sides.
    #[serde(flatten)]
    pub all: Figures,
    /// The figures of the words that were recognised.
    pub recognised: Figures,
    /// The figures of the words that were substituted.
    pub misrecognised: Figures,
    /// The figures of the words that were deleted: their capitals are deleted slots.
    pub deleted: Figures,
    /// The figures of the words that were inserted: their capitals are inserted slots.
    pub inserted: Figures,
    /// The figures of the marks after words, if the protocol scores marks. After a word that one
    /// side lacks, that side has no mark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marks: Option<MarkReport>,
    /// The punctuation error rate of LibriSpeech-PC, (S+D+I)/(C+S+D+I) over marks, if the protocol
    /// scores marks and there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub punctuation_error_rate: Option<f64>,
    /// The most frequent errors of case on words that were recognised.
    pub words: Vec<MisspelledWord>,
    /// The figures of each recording, if they were requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<AlignedPart>,
    /// The figures of each speaker of the reference, if they were requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub speakers: Vec<AlignedPart>,
    /// The figures of each category of the reference, if they were requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<AlignedPart>,
    /// The files and recordings that only one side has.
    pub left_out: Vec<UnpairedFile>,
}

/// The word errors of a recogniser, ignoring case.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WordErrors {
    /// The number of words of the reference.
    pub reference: u64,
    /// The number of words that were recognised, including optional words that only one side has.
    pub correct: u64,
    /// The number of words that were substituted.
    pub substitutions: u64,
    /// The number of words of the reference that were deleted.
    pub deletions: u64,
    /// The number of words that were inserted.
    pub insertions: u64,
    /// The word error rate: errors divided by words of the reference.
    pub rate: Option<f64>,
    /// The word error rate of words with their case and the marks after them (PC-WER), from the same alignment.
    #[serde(default)]
    pub rate_with_case_and_marks: Option<f64>,
}

/// The figures of one recording, speaker or category.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AlignedPart {
    /// The name of the recording's hypothesis, of the speaker or of the category.
    #[serde(alias = "file")]
    pub name: String,
    /// The word errors of the part.
    pub word_errors: WordErrors,
    /// The figures of all words of the part.
    #[serde(flatten)]
    pub all: Figures,
    /// The figures of the words that were recognised.
    pub recognised: Figures,
}

/// The parts of which a report has separate figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReportedParts {
    /// True for each recording.
    pub files: bool,
    /// True for each speaker of the reference.
    pub speakers: bool,
    /// True for each category of the reference.
    pub categories: bool,
}

impl WordErrors {
    fn of(counts: &AlignedCounts) -> Self {
        let words = counts.words();
        Self {
            reference: words.reference(),
            correct: words.correct,
            substitutions: words.substituted,
            deletions: words.deleted,
            insertions: words.inserted,
            rate: words.ser(),
            rate_with_case_and_marks: counts.word_error_rate_with_case_and_marks(),
        }
    }
}

/// The figures of words that are missing on one side. They have no accuracy, since it is unknown
/// how many of them have the right case.
fn without_accuracy(words: Confusion, matching: Matching) -> Figures {
    Figures { accuracy: None, ..Figures::of_words(words, matching) }
}

impl AlignedReport {
    /// Computes the figures from scores, with the figures of the requested parts.
    pub fn of(scores: &FileScores, config: &ReportConfig, asked: ReportedParts) -> Self {
        let matching = Matching::of(config.protocol);
        let score = scores.all();
        let all = &score.counts;
        let part = |(name, counts): (&String, &AlignedCounts)| AlignedPart {
            name: name.clone(),
            word_errors: WordErrors::of(counts),
            all: without_accuracy(counts.all(), matching),
            recognised: Figures::of_words(counts.recognised, matching),
        };
        let parts = |counts: &BTreeMap<String, AlignedCounts>, is_asked: bool| -> Vec<AlignedPart> {
            counts.iter().filter(|_| is_asked).map(part).collect()
        };
        let [speakers, categories] = &score.parts;
        let files = scores.recordings.iter().filter(|_| asked.files);
        let words = score.most_frequent_errors(matching, config.top);
        let marks = MarkReport::of(&all.marks, config.protocol);
        Self {
            punctuation_error_rate: marks.as_ref().and_then(|marks| error_rate(&marks.micro.slots())),
            marks,
            signature: config.signature.clone(),
            recordings: scores.recordings.len() as u64,
            word_errors: WordErrors::of(all),
            all: without_accuracy(all.all(), matching),
            recognised: Figures::of_words(all.recognised, matching),
            misrecognised: Figures::of_words(all.misrecognised, matching),
            deleted: without_accuracy(all.deleted, matching),
            inserted: without_accuracy(all.inserted, matching),
            words: words.iter().map(|word| spell(word, config.locale)).collect(),
            files: files.map(|(name, score)| part((name, &score.counts))).collect(),
            speakers: parts(speakers, asked.speakers),
            categories: parts(categories, asked.categories),
            left_out: scores.left_out.clone(),
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
        let mut out = format!("{signature}\n\n{}\n\n{}", self.recognition(), lay(&self.figures()));
        if let Some(marks) = &self.marks {
            let rate = percent(self.punctuation_error_rate);
            out.push_str(&format!("{}\nPER: {rate} %\n", marks.page(lay)));
        }
        for (of, parts) in
            [("file", &self.files), ("speaker", &self.speakers), ("category", &self.categories)]
        {
            if !parts.is_empty() {
                out.push_str(&format!("\n{}", lay(&part_figures(of, parts))));
            }
        }
        if !self.words.is_empty() {
            out.push_str(&format!("\n{}", lay(&most_frequent_errors(&self.words))));
        }
        if !self.left_out.is_empty() {
            out.push('\n');
        }
        out.extend(self.left_out.iter().map(|left| left.line("")));
        out
    }

    fn recognition(&self) -> String {
        let WordErrors { reference, correct, substitutions, deletions, insertions, rate, .. } =
            self.word_errors;
        let [reference, correct, substitutions, deletions, insertions] =
            [reference, correct, substitutions, deletions, insertions].map(thousands);
        format!(
            "WER: {} %, of {reference} words {correct} recognised, {substitutions} misrecognised, {deletions} deleted; \
             {insertions} inserted\nPC-WER: {} %, with case and the punctuation after a word as parts of it",
            percent(rate),
            percent(self.word_errors.rate_with_case_and_marks)
        )
    }

    fn figures(&self) -> TextTable {
        let mut table = figures_table("");
        for (name, figures) in [
            ("all words", &self.all),
            ("recognised", &self.recognised),
            ("misrecognised", &self.misrecognised),
            ("deleted", &self.deleted),
            ("inserted", &self.inserted),
        ] {
            table.push(row(name, figures));
        }
        table
    }
}

fn part_figures(of: &str, parts: &[AlignedPart]) -> TextTable {
    let mut table =
        TextTable::new(&[of, "words", "WER %", "PC-WER %", "slots", "F %", "SER %", "SER % recognised"]);
    for AlignedPart { name, word_errors, all, recognised } in parts {
        let slots = all.correct + all.substitutions + all.deletions;
        table.push([
            name.clone(),
            thousands(word_errors.reference),
            percent(word_errors.rate),
            percent(word_errors.rate_with_case_and_marks),
            thousands(slots),
            percent(all.f),
            percent(all.ser),
            percent(recognised.ser),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::corpus::Protocol;
    use crate::eval::aligned::files::Lacking;
    use crate::eval::aligned::tests::score_texts;
    use majuscule_text::Locale;

    fn report() -> AlignedReport {
        // Ana is recognised and its capital lost; Reis is misrecognised as rice.
        let score = score_texts("We met Ana Reis", "We met ana rice uh");
        let left_out =
            vec![UnpairedFile { name: "hyp/b.nlp".into(), lacks: Lacking::Reference, is_deleted: false }];
        let scores = FileScores { recordings: vec![("hyp/a.nlp".into(), score)], left_out };
        let config = ReportConfig {
            signature: "protocol:asr".into(),
            protocol: Protocol::default(),
            locale: Locale::Root,
            sentence_ends: false,
            top: 10,
        };
        AlignedReport::of(&scores, &config, ReportedParts { files: true, ..ReportedParts::default() })
    }

    #[test]
    fn a_page_has_both_kinds_of_errors() {
        let page = report().page(Layout::Text);
        let wer = "WER: 50.00 %, of 4 words 3 recognised, 1 misrecognised, 0 deleted; 1 inserted\n";
        assert!(page.starts_with(&format!("protocol:asr\n\n{wer}PC-WER: 75.00 %, ")), "{page}");
        let row = |name: &str| {
            let line = page.lines().find(|line| line.starts_with(name)).unwrap();
            line.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(row("all words"), "all words 5 3 1 0 2 0 100.00 33.33 50.00 66.67 –");
        assert_eq!(row("recognised"), "recognised 3 2 1 0 1 0 100.00 50.00 66.67 50.00 66.67");
        assert_eq!(row("hyp/a.nlp"), "hyp/a.nlp 4 50.00 75.00 3 50.00 66.67 50.00");
        assert!(page.ends_with("\nleft out: hyp/b.nlp, which has no reference\n"), "{page}");
        assert!(report().page(Layout::Markdown).contains("| misrecognised | 1 | 1 | 0 |"));
    }

    #[test]
    fn a_recording_without_a_hypothesis_may_be_scored_as_deleted() {
        let mut report = report();
        report.left_out =
            vec![UnpairedFile { name: "ref/c.stm".into(), lacks: Lacking::Hypothesis, is_deleted: true }];
        let page = report.page(Layout::Text);
        assert!(page.ends_with("\nall deleted: ref/c.stm, which has no hypothesis\n"), "{page}");
    }

    #[test]
    fn json_has_its_keys() {
        let value: Value = serde_json::from_str(&report().page(Layout::Json)).unwrap();
        assert_eq!(value["word_errors"]["rate"], 0.5);
        assert_eq!((&value["deletions"], &value["recognised"]["deletions"]), (&2.into(), &1.into()));
        assert_eq!(value["words"][0]["reference"], "Ana");
        assert_eq!(value["left_out"][0]["lacks"], "reference");
        assert_eq!(value["files"][0]["recognised"]["ser"], 0.5);
        assert!(value["accuracy"].is_null());
    }
}
