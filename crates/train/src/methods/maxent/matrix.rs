//! A training set as rows of numbered features, all in memory, for solvers that do not stream.

use std::iter;
use std::ops::Range;

use super::cells::Gradient;
use super::exchange::FitConfig;
use super::lbfgs;
use majuscule_base::error::{Error, Result};
use majuscule_base::files::Lines;
use majuscule_base::interrupt::Interrupt;
use majuscule_methods::maxent::{BEGIN, CLASSES};
use majuscule_text::Class;

/// The rows of features, and the target of each.
#[derive(Debug, Default)]
pub(super) struct Matrix {
    /// The largest feature number; features are numbered from 1.
    pub(super) features: u32,
    indices: Vec<u32>,
    /// The value of each index; empty as long as all values are 1.
    values: Vec<f64>,
    /// The end of each row in `indices`.
    ends: Vec<usize>,
    /// The class of each row. Of the labels -1 and +1, -1 is lower and +1 title.
    pub(super) classes: Vec<Class>,
    /// True if the labels are -1 and +1.
    pub(super) is_signed: bool,
}

/// A row in svmlight's format.
#[derive(Debug, Default)]
struct SvmlightRow {
    label: i8,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl Matrix {
    /// Creates a matrix without rows for this number of features.
    pub(super) fn new(features: u32) -> Self {
        Self { features, ..Self::default() }
    }

    /// Reads svmlight's text format: a class from 0 to 3, or -1 and +1, and ascending
    /// `index:value`.
    ///
    /// # Errors
    /// If a line has another form, or if all rows are of one class.
    pub(super) fn read(lines: &mut Lines) -> Result<Self> {
        let mut matrix = Self::new(0);
        let (mut row, mut others) = (SvmlightRow::default(), None);
        while let Some(line) = lines.next()? {
            let line = line.split('#').next().unwrap_or_default();
            let mut parts = line.split_ascii_whitespace();
            let Some(label) = parts.next() else { continue };
            if let Err(problem) = row.read(label, parts) {
                return Err(lines.problem(problem));
            }
            match row.label {
                -1 => matrix.is_signed = true,
                1 => {}
                label => others = Some(label),
            }
            if let (true, Some(label)) = (matrix.is_signed, others) {
                let problem = format!("labels -1 and {label} in one file: expected 0 to 3, or -1 and +1");
                return Err(lines.problem(problem));
            }
            matrix.push_valued(&row);
            matrix.features = matrix.features.max(row.indices.last().copied().unwrap_or_default());
        }
        if matrix.len() == 0 || matrix.classes.iter().all(|class| *class == matrix.classes[0]) {
            let problem =
                "expected rows of at least two classes, 0 to 3 or -1 and +1: there is nothing to learn";
            return Err(Error::file(lines.name(), problem));
        }
        Ok(matrix)
    }

    /// Adds a row with values.
    fn push_valued(&mut self, row: &SvmlightRow) {
        let are_ones = row.values.iter().all(|value| *value == 1.0);
        if !are_ones && self.values.is_empty() {
            self.values.resize(self.indices.len(), 1.0);
        }
        if !are_ones || !self.values.is_empty() {
            self.values.extend(&row.values);
        }
        self.push(&row.indices, Class::ALL[row.label.max(0) as usize]);
    }

    pub(super) fn push(&mut self, row: &[u32], class: Class) {
        self.indices.extend(row);
        self.ends.push(self.indices.len());
        self.classes.push(class);
    }

    /// Returns the number of entries in all rows.
    pub(super) fn numbers(&self) -> usize {
        self.indices.len()
    }

    pub(super) fn len(&self) -> usize {
        self.classes.len()
    }

    /// Returns the range of a row in the indices.
    fn range(&self, at: usize) -> Range<usize> {
        at.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[at]
    }

    /// Returns the features of a row, ascending.
    pub(super) fn row(&self, at: usize) -> &[u32] {
        &self.indices[self.range(at)]
    }

    /// Returns the features of a row, counted from 0, and their values.
    fn valued(&self, at: usize) -> impl Iterator<Item = (usize, f64)> {
        let values = self.values.get(self.range(at)).unwrap_or_default();
        let values = values.iter().copied().chain(iter::repeat(1.0));
        self.row(at).iter().zip(values).map(|(index, value)| (*index as usize - 1, value))
    }

    /// Finds the multinomial weights that minimise the sum of −ln P over the rows plus the penalty,
    /// to the given precision; the weights of lower case are 0. `None` if that takes too many steps.
    ///
    /// # Errors
    /// If the flag is set.
    pub(super) fn fit(&self, fit: &FitConfig, interrupt: &Interrupt) -> Result<Option<Vec<[f64; BEGIN]>>> {
        let size = BEGIN * self.features as usize;
        let found = lbfgs::least(size, fit, interrupt, |weights, slope| self.cost(weights, fit.l2, slope))?;
        Ok(found.map(|found| found.as_chunks().0.to_vec()))
    }

    /// Finds the weights for +1 against -1 that minimise the sum of −ln P over the rows plus half
    /// the squared weights times the penalty, as [`Matrix::fit`] does for classes.
    ///
    /// # Errors
    /// If the flag is set.
    pub(super) fn fit_signed(&self, fit: &FitConfig, interrupt: &Interrupt) -> Result<Option<Vec<f64>>> {
        let size = self.features as usize;
        lbfgs::least(size, fit, interrupt, |weights, slope| self.cost_signed(weights, fit.l2, slope))
    }

    /// Returns the cost that [`Matrix::fit_signed`] minimises, and writes its gradient.
    fn cost_signed(&self, weights: &[f64], l2: f64, slope: &mut [f64]) -> f64 {
        let mut cost = 0.0;
        for (slope, weight) in slope.iter_mut().zip(weights) {
            *slope = l2 * weight;
            cost += weight * *slope / 2.0;
        }
        for (at, &class) in self.classes.iter().enumerate() {
            let sign = if class == Class::Title { 1.0 } else { -1.0 };
            let sum: f64 = self.valued(at).map(|(feature, value)| weights[feature] * value).sum();
            let against = -sign * sum;
            // The term is ln(1 + e^x) without overflow.
            cost += against.max(0.0) + (-against.abs()).exp().ln_1p();
            let wrong = 1.0 / (1.0 + (-against).exp());
            self.valued(at).for_each(|(feature, value)| slope[feature] -= sign * wrong * value);
        }
        cost
    }

    /// Returns the sum of −ln P over the rows plus the penalty of
    /// [`Penalty::L2`](super::lazy::Penalty), and writes its gradient.
    fn cost(&self, weights: &[f64], l2: f64, slope: &mut [f64]) -> f64 {
        let weights: &[[f64; BEGIN]] = weights.as_chunks().0;
        let slope: &mut [[f64; BEGIN]] = slope.as_chunks_mut().0;
        let mut cost = 0.0;
        for (slope, weights) in slope.iter_mut().zip(weights) {
            let mean = weights.iter().sum::<f64>() / CLASSES as f64;
            *slope = weights.map(|weight| l2 * (weight - mean));
            cost += weights.iter().zip(&*slope).map(|(weight, slope)| weight * slope / 2.0).sum::<f64>();
        }
        for (at, &class) in self.classes.iter().enumerate() {
            let mut sums = [0.0; CLASSES];
            for (feature, value) in self.valued(at) {
                sums[1..].iter_mut().zip(weights[feature]).for_each(|(sum, weight)| *sum += value * weight);
            }
            let most = sums.iter().copied().fold(f64::MIN, f64::max);
            let whole = sums.iter().map(|sum| (sum - most).exp()).sum::<f64>().ln() + most;
            cost += whole - sums[class as usize];
            let mut fractions = sums.map(|sum| (sum - whole).exp());
            fractions[class as usize] -= 1.0;
            for (feature, value) in self.valued(at) {
                slope[feature]
                    .iter_mut()
                    .zip(&fractions[1..])
                    .for_each(|(slope, fraction)| *slope += value * fraction);
            }
        }
        cost
    }
}

impl SvmlightRow {
    /// Reads the label and the features of a line.
    fn read<'a>(&mut self, label: &str, features: impl Iterator<Item = &'a str>) -> Result<(), String> {
        self.indices.clear();
        self.values.clear();
        let known =
            label.parse().ok().filter(|label: &f64| (-1.0..4.0).contains(label) && label.fract() == 0.0);
        self.label = known.map(|label| label as i8).ok_or_else(|| {
            format!("\"{label}\": expected a class from 0 to 3, or -1 and +1, and then index:value")
        })?;
        for feature in features {
            let wrong = |expected: &str| format!("\"{feature}\": expected {expected}");
            let (index, value) = feature.split_once(':').ok_or_else(|| wrong("index:value"))?;
            let index: u32 = index.parse().map_err(|_| wrong("index:value, the index a number from 1"))?;
            if index == 0 || index > LARGEST {
                return Err(wrong(&format!("an index from 1 to {LARGEST}")));
            }
            if index <= self.indices.last().copied().unwrap_or_default() {
                return Err(wrong("ascending indices, each once"));
            }
            let value = value.parse().ok().filter(|value: &f64| value.abs() <= MOST);
            self.indices.push(index);
            self.values.push(value.ok_or_else(|| wrong("a finite value, at most 1e30"))?);
        }
        Ok(())
    }
}

/// The largest feature index that is accepted: a larger one would need gigabytes of weights.
const LARGEST: u32 = 1 << 28;

/// The largest value that is accepted: squares of larger values would overflow.
const MOST: f64 = 1e30;

/// Converts the one-versus-rest weights of each class to multinomial weights: half the difference
/// from the weights of lower case.
///
/// With two classes, whose decision values are opposite, the logit is LIBLINEAR's decision value,
/// so the probability is the same. With more classes, the most probable class is the class that
/// LIBLINEAR predicts, and the probabilities are a softmax of half the decision values. (The whole
/// difference of two opposite values would square the odds.) A class without weights gets a low
/// bias instead.
pub(super) fn against_the_rest(
    columns: [Option<&[f64]>; CLASSES],
    bias: Option<usize>,
    features: usize,
) -> Vec<Gradient> {
    let value = |class: usize, at: usize| match columns[class] {
        Some(column) => column[at],
        None if bias == Some(at) => -2.0 * UNLIKELY,
        None => 0.0,
    };
    (0..features)
        .map(|at| {
            let mut weights = Gradient::default();
            for class in 1..CLASSES {
                weights[class - 1] = ((value(class, at) - value(0, at)) / 2.0) as f32;
            }
            weights
        })
        .collect()
}

/// The magnitude of the decision value of an unseen class: odds of one in hundreds.
pub(super) const UNLIKELY: f64 = 6.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::maxent::adagrad::Gradients;
    use crate::methods::maxent::cells::TrainingWeights;
    use crate::methods::maxent::dataset::TrainingTarget;
    use crate::methods::maxent::lazy::Penalty;
    use crate::methods::maxent::loss::gradient;
    use majuscule_base::files::Input;
    use proptest::prelude::*;
    use std::num::NonZeroUsize;

    fn read(text: &str) -> Result<Matrix> {
        let input = Input::new("text", std::io::Cursor::new(text.as_bytes().to_vec())).unwrap();
        Matrix::read(&mut input.lines())
    }

    #[test]
    fn rows_come_out_as_they_went_in() {
        let matrix = read("0 1:1 3:1\n1 2:1 # a comment\n\n3\n").unwrap();
        assert_eq!((matrix.len(), matrix.features), (3, 3));
        assert_eq!([matrix.row(0), matrix.row(1), matrix.row(2)], [&[1, 3][..], &[2], &[]]);
        assert_eq!(matrix.classes, [Class::Lower, Class::Title, Class::Mixed]);
    }

    #[test]
    fn values_and_signs_are_read_as_svmlight_has_them() {
        let matrix = read("+1 1:0.5 3:-1 \n-1 2:1e-3\n1.0 1:1\n").unwrap();
        assert!(matrix.is_signed);
        assert_eq!(matrix.classes, [Class::Title, Class::Lower, Class::Title]);
        let rows: Vec<Vec<(usize, f64)>> = (0..3).map(|at| matrix.valued(at).collect()).collect();
        assert_eq!(rows, [vec![(0, 0.5), (2, -1.0)], vec![(1, 1e-3)], vec![(0, 1.0)]]);
        // All values before the first value other than 1 are 1.
        let matrix = read("0 1:1\n1 1:1 2:3\n").unwrap();
        assert!(!matrix.is_signed);
        assert_eq!(
            matrix.valued(0).chain(matrix.valued(1)).collect::<Vec<_>>(),
            [(0, 1.0), (0, 1.0), (1, 3.0)]
        );
    }

    #[test]
    fn of_one_feature_the_best_weight_is_where_the_slope_is_nothing() {
        // At w the gradient is w − 2 · 2 σ(−2w) + 1 · σ(w): twice +1 at the value 2, once -1 at the
        // value 1.
        let matrix = read("+1 1:2\n+1 1:2\n-1 1:1\n").unwrap();
        let weight = matrix
            .fit_signed(&FitConfig { l2: 1.0, steps: 100, precision: 1e-9 }, &Interrupt::default())
            .unwrap()
            .unwrap()[0];
        let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
        assert!((weight - 4.0 * logistic(-2.0 * weight) + logistic(weight)).abs() < 1e-6, "{weight}");
    }

    #[test]
    fn what_is_no_matrix_is_refused() {
        for text in [
            "",
            "0 1:1\n0 2:1\n",
            "4 1:1\n",
            "-2 1:1\n",
            "0.5 1:1\n",
            "NaN 1:1\n",
            "x\n",
            "0 0:1\n",
            "0 2:1 1:1\n",
            "0 1:1 1:1\n",
            "0 1:NaN\n",
            "0 1:inf\n",
            "0 1:1e300\n",
            "0 1:\n",
            "0 1\n",
            "0 qid:1 1:1\n",
            "0 4294967295:1\n",
            "-1 1:1\n0 1:1\n",
            "2 1:1\n-1 1:1\n",
            "+1 1:1\n+1 2:1\n",
        ] {
            assert!(matches!(read(text), Err(Error::Input { .. })), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_matrix_or_an_error(text in "[0-3:. \n1#+e-]{0,40}") {
            let _ = read(&text);
        }
    }

    fn matrices() -> impl Strategy<Value = Matrix> {
        let row = (0usize..CLASSES, prop::collection::btree_set(1u32..7, 0..5));
        prop::collection::vec(row, 2..30).prop_map(|rows| {
            let mut matrix = Matrix::new(6);
            for (class, row) in rows {
                matrix.push(&row.into_iter().collect::<Vec<_>>(), Class::ALL[class]);
            }
            matrix
        })
    }

    proptest! {
        #[test]
        fn the_slope_is_that_of_the_cost(
            matrix in matrices(), weights in prop::collection::vec(-2.0f64..2.0, 18), l2 in 0.0f64..3.0, at in 0usize..18,
        ) {
            const SMALL: f64 = 1e-5;
            let mut slope = vec![0.0; 18];
            matrix.cost(&weights, l2, &mut slope);
            let with = |by: f64| {
                let mut weights = weights.clone();
                weights[at] += by;
                matrix.cost(&weights, l2, &mut [0.0; 18])
            };
            let found = (with(SMALL) - with(-SMALL)) / (2.0 * SMALL);
            prop_assert!((found - slope[at]).abs() < 1e-5, "{} {}", found, slope[at]);
        }

        #[test]
        fn the_slope_of_signs_is_that_of_the_cost(
            matrix in matrices(), weights in prop::collection::vec(-2.0f64..2.0, 6), l2 in 0.0f64..3.0, at in 0usize..6,
        ) {
            const SMALL: f64 = 1e-5;
            let mut slope = vec![0.0; 6];
            matrix.cost_signed(&weights, l2, &mut slope);
            let with = |by: f64| {
                let mut weights = weights.clone();
                weights[at] += by;
                matrix.cost_signed(&weights, l2, &mut [0.0; 6])
            };
            let found = (with(SMALL) - with(-SMALL)) / (2.0 * SMALL);
            prop_assert!((found - slope[at]).abs() < 1e-5, "{} {}", found, slope[at]);
        }

        #[test]
        fn adagrad_comes_near_what_is_best(matrix in matrices()) {
            let l2 = 1.0;
            let best = matrix.fit(&FitConfig { l2, steps: 1000, precision: 1e-6 }, &Interrupt::default()).unwrap().unwrap().concat();
            let mut weights = TrainingWeights::of((1..7).collect()).lazily(Penalty::of(0.0, l2, matrix.len() as u64), false);
            for _ in 0..300 {
                for (at, &class) in matrix.classes.iter().enumerate() {
                    let features: Vec<u64> = matrix.row(at).iter().map(|&index| index.into()).collect();
                    let mut gradients = Gradients::of(1);
                    let answer = TrainingTarget { class: Some(class), ..TrainingTarget::default() };
                    gradients.push(&features, features.len(), gradient(weights.logits(&features, features.len()), answer));
                    weights.apply(&[gradients], 0.3, NonZeroUsize::MIN);
                }
            }
            let found: Vec<f64> =
                weights.settle().values().flat_map(|values| [values[0], values[1], values[2]]).map(f64::from).collect();
            let cost = |weights: &[f64]| matrix.cost(weights, l2, &mut [0.0; 18]);
            prop_assert!(cost(&best) <= cost(&found) + 1e-6);
            prop_assert!(cost(&found) < 1.01 * cost(&best), "{} {}", cost(&found), cost(&best));
        }
    }

    #[test]
    fn of_two_classes_the_decision_value_stays() {
        let (lower, title) = ([-1.5, 0.25], [1.5, -0.25]);
        let weights = against_the_rest([Some(&lower), Some(&title), None, None], Some(0), 2);
        assert_eq!([weights[0][0], weights[1][0]], [1.5, -0.25]);
        // The expected weight is (−12 − −1.5) / 2, on the bias alone.
        assert_eq!([weights[0][1], weights[1][1]], [-5.25, -0.125]);
    }
}
