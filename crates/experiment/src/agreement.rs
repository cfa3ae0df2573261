//! The agreement of annotators, and the systems that they prefer.
//!
//! Kappa is by Cohen 1960, alpha by Krippendorff 2011 ("Computing Krippendorff's Alpha-Reliability", section C) for
//! nominal data with missing values, and the interval of a proportion by Wilson 1927.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::annotation::AnnotationKey;
use majuscule_base::error::{Error, Result};
use majuscule_train::eval::Layout;
use majuscule_train::eval::compare::Interval;
use majuscule_train::eval::table::{TextTable, between, percent, thousands};

/// The choices of an annotator: for each row of the key the index of a variant, or `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnotatorChoices {
    /// The name of the sheet.
    pub name: String,
    /// For each row of the key, the index of the variant that the annotator chose; `None` if there is no choice.
    pub choices: Vec<Option<usize>>,
}

/// The preferences of annotators and their agreement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgreementReport {
    /// The number of rows of the sheet.
    pub places: u64,
    /// The number of rows for which some annotator chose.
    pub chosen_places: u64,
    /// The number of choices of all annotators.
    pub choices: u64,
    /// Each annotator, with the number of choices.
    pub annotators: Vec<AnnotatorCount>,
    /// Each system, with the choices of its variants.
    pub systems: Vec<SystemPreference>,
    /// Each pair of annotators.
    pub pairs: Vec<AnnotatorPair>,
    /// The fraction of equal choices among all pairs of choices for the same row.
    pub agreement: Option<f64>,
    /// Krippendorff's alpha; `None` if no row has two choices or all choices are equal.
    pub alpha: Option<f64>,
}

/// The number of choices of an annotator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnnotatorCount {
    /// The name of the sheet.
    pub name: String,
    /// The number of rows with a choice.
    pub choices: u64,
}

/// The preference for a system.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SystemPreference {
    /// The name of the system.
    pub name: String,
    /// The number of choices of the system's variants. Systems that wrote the same word share a choice.
    pub preferred: u64,
    /// The fraction of all choices that are for the system's variants.
    pub fraction: Option<f64>,
    /// The 95 % confidence interval of the fraction. Each row counts once, since several choices for one row are not
    /// independent.
    pub interval: Option<Interval>,
}

/// The agreement of two annotators.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnnotatorPair {
    /// The names of the sheets.
    pub annotators: [String; 2],
    /// The number of rows for which both chose.
    pub places: u64,
    /// The fraction of these rows for which both chose the same.
    pub agreement: Option<f64>,
    /// Cohen's kappa; `None` if no row has both choices, or both always chose the same system.
    pub kappa: Option<f64>,
}

impl AgreementReport {
    /// Evaluates the choices of annotators. Choices are identified by their systems, not by their letters, which are
    /// random in each row.
    ///
    /// # Errors
    /// If nobody chose anything.
    pub fn of(key: &AnnotationKey, annotators: &[AnnotatorChoices]) -> Result<Self> {
        let systems = |(row, choice): (usize, &Option<usize>)| {
            choice.and_then(|choice| Some(key.rows.get(row)?.variants.get(choice)?.systems.as_slice()))
        };
        let rows = |annotator: &AnnotatorChoices| annotator.choices.iter().enumerate().map(systems).collect();
        let judged: Vec<Vec<Option<&[String]>>> = annotators.iter().map(rows).collect();
        let all: Vec<&[String]> = judged.iter().flatten().copied().flatten().collect();
        if all.is_empty() {
            return Err(Error::usage(
                "no choice is filled in: expected letters of variants in the column of choices",
            ));
        }
        let chosen_places =
            (0..key.rows.len()).filter(|&row| judged.iter().any(|rows| rows[row].is_some())).count() as u64;
        let preference = |name: &String| {
            let preferred = all.iter().filter(|systems| systems.contains(name)).count() as u64;
            let fraction = ratio(preferred as f64, all.len() as f64);
            let interval = fraction.and_then(|fraction| wilson(fraction, chosen_places as f64));
            SystemPreference { name: name.clone(), preferred, fraction, interval }
        };
        let count = |annotator: &AnnotatorChoices| AnnotatorCount {
            name: annotator.name.clone(),
            choices: annotator.choices.iter().flatten().count() as u64,
        };
        let mut pairs = Vec::new();
        for (one, left) in annotators.iter().enumerate() {
            for (other, right) in annotators.iter().enumerate().skip(one + 1) {
                let both = judged[one].iter().zip(&judged[other]);
                let both: Vec<_> = both.filter_map(|(one, other)| Some([(*one)?, (*other)?])).collect();
                pairs.push(AnnotatorPair {
                    annotators: [left.name.clone(), right.name.clone()],
                    places: both.len() as u64,
                    agreement: observed(&both),
                    kappa: kappa(&both),
                });
            }
        }
        Ok(Self {
            places: key.rows.len() as u64,
            chosen_places,
            choices: all.len() as u64,
            annotators: annotators.iter().map(count).collect(),
            systems: key.systems.iter().map(preference).collect(),
            pairs,
            agreement: raw_agreement(&judged),
            alpha: alpha(&judged),
        })
    }

    /// Returns the report as text that ends with a line feed.
    pub fn page(&self, layout: Layout) -> String {
        let lay = match layout {
            Layout::Text => TextTable::text,
            Layout::Markdown => TextTable::markdown,
            Layout::Json => {
                return serde_json::to_string(self).expect("numbers and strings, as JSON has them") + "\n";
            }
        };
        let mut table = TextTable::new(&["system", "preferred", "%", "95 % interval"]);
        for SystemPreference { name, preferred, fraction, interval } in &self.systems {
            table.push([name.clone(), thousands(*preferred), percent(*fraction), between(*interval)]);
        }
        let mut page = format!(
            "{} choices of {} annotators for {} of {} places\n\n{}",
            thousands(self.choices),
            self.annotators.len(),
            thousands(self.chosen_places),
            thousands(self.places),
            lay(&table)
        );
        let mut table = TextTable::new(&["annotator", "choices"]);
        for AnnotatorCount { name, choices } in &self.annotators {
            table.push([name.clone(), thousands(*choices)]);
        }
        page.push_str(&format!("\n{}", lay(&table)));
        if self.pairs.is_empty() {
            return page;
        }
        let mut table = TextTable::new(&["annotators", "places", "agreement %", "Cohen's kappa"]);
        for AnnotatorPair { annotators: [one, other], places, agreement, kappa } in &self.pairs {
            let names = format!("{one}, {other}");
            table.push([names, thousands(*places), percent(*agreement), coefficient(*kappa)]);
        }
        let (agreement, alpha) = (percent(self.agreement), coefficient(self.alpha));
        page + &format!(
            "\n{}\nraw agreement: {agreement} %, Krippendorff's alpha (nominal): {alpha}\n",
            lay(&table)
        )
    }
}

fn coefficient(value: Option<f64>) -> String {
    value.map_or_else(|| "–".into(), |value| format!("{value:.3}"))
}

/// Returns a quotient; `None` if it is undefined.
fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

/// The 97.5th percentile of the standard normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Returns the 95 % interval (Wilson 1927) of a proportion of `n` observations; `None` if `n` is 0.
fn wilson(fraction: f64, n: f64) -> Option<Interval> {
    let squared = ratio(Z * Z, n)?;
    let middle = fraction + squared / 2.0;
    let half = (squared * (fraction * (1.0 - fraction) + squared / 4.0)).sqrt();
    let scale = 1.0 + squared;
    // Rounding must not lead out of the range of fractions.
    Some(Interval { low: ((middle - half) / scale).max(0.0), high: ((middle + half) / scale).min(1.0) })
}

/// Returns the fraction of pairs whose members are equal.
fn observed<T: PartialEq>(both: &[[T; 2]]) -> Option<f64> {
    ratio(both.iter().filter(|[one, other]| one == other).count() as f64, both.len() as f64)
}

/// Computes Cohen's kappa, (p_o − p_e) / (1 − p_e), where p_e is the agreement expected by chance from the category
/// frequencies of each annotator.
fn kappa<T: Ord>(both: &[[T; 2]]) -> Option<f64> {
    let observed = observed(both)?;
    let mut counts: BTreeMap<&T, [u64; 2]> = BTreeMap::new();
    for pair in both {
        for (side, category) in pair.iter().enumerate() {
            counts.entry(category).or_default()[side] += 1;
        }
    }
    let square = (both.len() * both.len()) as f64;
    let expected = counts.values().map(|[one, other]| one * other).sum::<u64>() as f64 / square;
    ratio(observed - expected, 1.0 - expected)
}

/// Returns the fraction of equal choices among all pairs of choices for the same row.
fn raw_agreement<T: Ord>(judged: &[Vec<Option<T>>]) -> Option<f64> {
    let [mut equal, mut pairs] = [0, 0];
    for counts in counts_of_units(judged) {
        let of = |count: u64| count * count.saturating_sub(1) / 2;
        equal += counts.values().copied().map(of).sum::<u64>();
        pairs += of(counts.values().sum());
    }
    ratio(equal as f64, pairs as f64)
}

/// Returns the number of choices of each category, for each row.
fn counts_of_units<T: Ord>(judged: &[Vec<Option<T>>]) -> impl Iterator<Item = BTreeMap<&T, u64>> {
    let units = judged.iter().map(Vec::len).max().unwrap_or_default();
    (0..units).map(move |unit| {
        let mut counts = BTreeMap::new();
        for category in judged.iter().filter_map(|row| row.get(unit)?.as_ref()) {
            *counts.entry(category).or_default() += 1;
        }
        counts
    })
}

/// Computes alpha, 1 − D_o / D_e: the observed disagreement divided by the disagreement of all choices paired at
/// random. In a row with m choices, each ordered pair counts as 1/(m − 1); a row with one choice does not count.
fn alpha<T: Ord>(judged: &[Vec<Option<T>>]) -> Option<f64> {
    // The sum of the entries off the diagonal of the coincidence matrix, and the number of choices of each category.
    let mut off_diagonal = 0.0;
    let mut totals: BTreeMap<&T, f64> = BTreeMap::new();
    for counts in counts_of_units(judged) {
        let choices: u64 = counts.values().sum();
        if choices < 2 {
            continue;
        }
        let equal: u64 = counts.values().map(|count| count * count).sum();
        off_diagonal += (choices * choices - equal) as f64 / (choices - 1) as f64;
        for (category, count) in counts {
            *totals.entry(category).or_default() += count as f64;
        }
    }
    let choices: f64 = totals.values().sum();
    let expected = choices * choices - totals.values().map(|total| total * total).sum::<f64>();
    ratio(off_diagonal * (choices - 1.0), expected).map(|disagreement| 1.0 - disagreement)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::annotation::{AnnotatedPlace, WordVariant};

    fn is_near(found: Option<f64>, expected: f64) {
        assert!(found.is_some_and(|found| (found - expected).abs() < 5e-5), "{found:?} is not {expected}");
    }

    /// Rows of categories, one digit per unit; a point is a missing value.
    fn rows(rows: &[&str]) -> Vec<Vec<Option<u32>>> {
        rows.iter().map(|row| row.chars().map(|c| c.to_digit(10)).collect()).collect()
    }

    #[test]
    fn alpha_of_four_observers_is_that_of_krippendorff() {
        // Units 2, 6 and 8 have disagreements: (16 - 10) / 3 + (16 - 4) / 3 + (16 - 10) / 3 = 8; unit 12 has one value.
        // The totals of the 40 values are 9, 13, 10, 5 and 3: 1600 - 81 - 169 - 100 - 25 - 9 = 1216.
        // 1 - 39 * 8 / 1216 = .7434
        let judged = rows(&["123321412...", "1233224125.3", ".3332342251.", "12332441251."]);
        is_near(alpha(&judged), 0.7434);
        // Of the pairs, 3 + 3 + 6 + 6 + 6 + 0 + 6 + 3 + 6 + 3 + 1 = 43 are equal, of 3 + 6 * 8 + 3 + 1 = 55.
        is_near(raw_agreement(&judged), 43.0 / 55.0);
    }

    #[test]
    fn alpha_of_two_observers_is_that_of_krippendorff() {
        // Ten units, four of them with a disagreement. Each disagreement counts twice: 8. The totals of the 20 values
        // are 14 and 6: 400 - 196 - 36 = 168. 1 - 19 * 8 / 168 = .0952
        let judged = rows(&["0100000010", "1110010000"]);
        is_near(alpha(&judged), 0.0952);
    }

    #[test]
    fn kappa_compares_agreement_with_chance() {
        // 20 and 15 of 50 are equal: p_o = .7. By chance 25/50 * 30/50 + 25/50 * 20/50 = .5. (.7 - .5) / .5 = .4
        let times = |pair, count| std::iter::repeat_n(pair, count);
        let both: Vec<_> = times([0, 0], 20)
            .chain(times([0, 1], 5))
            .chain(times([1, 0], 10))
            .chain(times([1, 1], 15))
            .collect();
        is_near(observed(&both), 0.7);
        is_near(kappa(&both), 0.4);
    }

    #[test]
    fn the_interval_of_8_of_10_is_that_of_wilson() {
        // z² / n = .38415. Middle: (.8 + .19207) / 1.38415 = .71674. Half: √(.38415 * (.16 + .09604)) / 1.38415 = .22657
        let Interval { low, high } = wilson(0.8, 10.0).unwrap();
        is_near(Some(low), 0.4902);
        is_near(Some(high), 0.9433);
        // Even 0 of 10 has an interval: .38415 / 1.38415
        let Interval { low, high } = wilson(0.0, 10.0).unwrap();
        is_near(Some(low), 0.0);
        is_near(Some(high), 0.2775);
        assert_eq!(wilson(0.5, 0.0), None);
    }

    #[test]
    fn what_is_undefined_is_none() {
        assert_eq!(kappa::<u32>(&[]), None);
        // Both always chose the same, so agreement by chance is 1.
        assert_eq!(kappa(&[[1, 1], [1, 1]]), None);
        assert_eq!(alpha(&rows(&["11", "11"])), None);
        assert_eq!(alpha(&rows(&["1.", ".2"])), None);
        assert_eq!(raw_agreement(&rows(&["1.", ".2"])), None);
    }

    proptest! {
        #[test]
        fn coefficients_do_not_depend_on_names_or_order(
            left in proptest::collection::vec(proptest::option::of(0u32..3), 12),
            right in proptest::collection::vec(proptest::option::of(0u32..3), 12),
        ) {
            let renamed = |row: &[Option<u32>]| row.iter().map(|value| value.map(|value| 7 - value)).collect();
            let near = |one: Option<f64>, other: Option<f64>| match (one, other) {
                (Some(one), Some(other)) => (one - other).abs() < 1e-9 && one <= 1.0,
                (one, other) => one == other,
            };
            let judged = [left.clone(), right.clone()];
            prop_assert!(near(alpha(&judged), alpha(&[right.clone(), left.clone()])));
            prop_assert!(near(alpha(&judged), alpha(&[renamed(&left), renamed(&right)])));
            let both: Vec<_> = left.iter().zip(&right).filter_map(|(one, other)| Some([(*one)?, (*other)?])).collect();
            let turned: Vec<_> = both.iter().map(|[one, other]| [*other, *one]).collect();
            prop_assert!(near(kappa(&both), kappa(&turned)));
            // Two annotators have one pair a row.
            prop_assert!(near(observed(&both), raw_agreement(&judged)));
        }
    }

    /// Rows whose first variant is the first system's, or the second system's where `turned` is true.
    fn key(turned: &[bool]) -> AnnotationKey {
        let variant = |system: &str| WordVariant { word: system.into(), systems: vec![system.into()] };
        let row = |(at, turned): (usize, &bool)| {
            let mut variants = vec![variant("s1"), variant("s2")];
            if *turned {
                variants.reverse();
            }
            AnnotatedPlace { id: at.to_string(), reference: None, variants }
        };
        AnnotationKey {
            seed: 1,
            systems: vec!["s1".into(), "s2".into()],
            rows: turned.iter().enumerate().map(row).collect(),
        }
    }

    fn annotator(name: &str, choices: &[Option<usize>]) -> AnnotatorChoices {
        AnnotatorChoices { name: name.into(), choices: choices.to_vec() }
    }

    #[test]
    fn letters_stand_for_the_systems_behind_them() {
        let key = key(&[false, true, false, true]);
        let annotators = [
            annotator("ana", &[Some(0), Some(1), Some(0), None]),
            annotator("rui", &[Some(0), Some(1), Some(1), None]),
        ];
        let report = AgreementReport::of(&key, &annotators).unwrap();
        // Ana chose s1 three times; Rui chose s1, s1 and s2.
        assert_eq!(report.systems.iter().map(|system| system.preferred).collect::<Vec<_>>(), [5, 1]);
        assert_eq!((report.choices, report.chosen_places, report.places), (6, 3, 4));
        is_near(report.systems[0].fraction, 5.0 / 6.0);
        is_near(report.agreement, 2.0 / 3.0);
        // By chance 3/3 * 2/3 + 0/3 * 1/3 = 2/3, which equals the observed agreement.
        is_near(report.pairs[0].kappa, 0.0);
        // One row with a disagreement: 2; totals 5 and 1: 36 - 25 - 1 = 10. 1 - 5 * 2 / 10 = 0
        is_near(report.alpha, 0.0);
        let page = report.page(Layout::Text);
        assert!(
            page.starts_with("6 choices of 2 annotators for 3 of 4 places\n\nsystem  preferred"),
            "{page}"
        );
        assert!(
            page.ends_with("\nraw agreement: 66.67 %, Krippendorff's alpha (nominal): 0.000\n"),
            "{page}"
        );
    }

    #[test]
    fn one_annotator_has_preferences_and_no_agreement() {
        let report = AgreementReport::of(&key(&[false]), &[annotator("ana", &[Some(1)])]).unwrap();
        assert_eq!((report.systems[1].preferred, report.alpha, report.pairs.len()), (1, None, 0));
        assert!(!report.page(Layout::Text).contains("agreement"));
        let error = AgreementReport::of(&key(&[false]), &[annotator("ana", &[None])]).unwrap_err();
        assert!(error.to_string().starts_with("no choice is filled in"), "{error}");
    }
}
