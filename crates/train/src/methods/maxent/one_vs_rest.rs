//! Training with LIBLINEAR: finds weights of each class against the rest.
//!
//! The crate gets only input that it accepts (ascending indices from 1, finite values, at least two
//! classes), and is not used for prediction, because its prediction copies each vector and requires
//! it to reach the last feature.

use liblinear::util::TrainingInput;
use liblinear::{Builder, LibLinearModel, SolverType, toggle_liblinear_stdout_output};

use super::cells::Gradient;
use super::dataset::DataSet;
use super::exchange::Target;
use super::matrix::{Matrix, UNLIKELY, against_the_rest};
use super::names;
use super::rows::{Holder, matrix};
use super::solving::Solver;
use majuscule_base::error::{Error, Result};
use majuscule_methods::maxent::{BEGIN, CLASSES};
use majuscule_text::Class;

/// Finds weights of the chosen features, in their order.
pub(super) fn solve(data: &DataSet<'_>, chosen: &[u64]) -> Result<Vec<Gradient>> {
    let bias = chosen.iter().position(|&feature| feature == names::bias());
    let mut weights = classes(&matrix(data, Target::Case, chosen, &HOLDER)?, data, bias)?;
    if data.begins {
        for (weights, begin) in
            weights.iter_mut().zip(beginnings(&matrix(data, Target::Begin, chosen, &HOLDER)?, data, bias)?)
        {
            weights[BEGIN] = begin as f32;
        }
    }
    Ok(weights)
}

const HOLDER: Holder = Holder { name: "LIBLINEAR", bytes };

/// Returns the memory in bytes that LIBLINEAR needs. Each entry of a row is stored in the matrix (4
/// bytes), in the crate as a pair (16), and as LIBLINEAR's node in a vector whose capacity may be
/// twice its length (32). Each row has two vectors, its targets, and LIBLINEAR's own arrays; each
/// feature has a weight per class, and the vectors of the Newton method.
fn bytes(matrix: &Matrix) -> usize {
    matrix.numbers() * 52 + matrix.len() * 200 + matrix.features as usize * FEATURE
}

/// The memory per feature in bytes.
const FEATURE: usize = 128;

/// Returns the weights of classes; the weight of a beginning is 0.
fn classes(matrix: &Matrix, data: &DataSet<'_>, bias: Option<usize>) -> Result<Vec<Gradient>> {
    let columns = columns(matrix, data)?;
    let column = |class: Class| columns.iter().find(|(label, _)| *label == class as u8);
    let columns: [_; CLASSES] = Class::ALL.map(|class| column(class).map(|(_, column)| column.as_slice()));
    Ok(against_the_rest(columns, bias, matrix.features as usize))
}

/// Returns the weights for the beginning of a sentence, as log-odds.
fn beginnings(matrix: &Matrix, data: &DataSet<'_>, bias: Option<usize>) -> Result<Vec<f64>> {
    let size = matrix.features as usize;
    let begins = |class: &Class| *class == Class::Title;
    if matrix.classes.iter().all(begins) || !matrix.classes.iter().any(begins) {
        let mut weights = vec![0.0; size];
        let sign = if matrix.classes.iter().any(begins) { 1.0 } else { -1.0 };
        bias.into_iter().for_each(|bias| weights[bias] = sign * UNLIKELY);
        return Ok(weights);
    }
    let found = columns(matrix, data)?.into_iter().find(|(label, _)| *label == Class::Title as u8);
    Ok(found.map_or_else(|| vec![0.0; size], |(_, column)| column))
}

/// Trains LIBLINEAR, and returns for each label its weights against the rest.
fn columns(matrix: &Matrix, data: &DataSet<'_>) -> Result<Vec<(u8, Vec<f64>)>> {
    let labels: Vec<u8> = matrix.classes.iter().map(|class| *class as u8).collect();
    if labels.iter().all(|label| *label == labels[0]) {
        let problem = "all words that are trained on are of one class: give text as it was published";
        return Err(Error::file(data.corpus.name(), problem));
    }
    let solving = &data.config.solving;
    let model = train(matrix, &labels, solving.solver, solving.cost.unwrap_or(1.0))?;
    Ok(coefficients(&model, matrix.features))
}

fn train(matrix: &Matrix, labels: &[u8], solver: Solver, cost: f64) -> Result<impl LibLinearModel + use<>> {
    let row = |at: usize| matrix.row(at).iter().map(|&index| (index, 1.0)).collect();
    let rows = (0..matrix.len()).map(row).collect();
    let refused =
        |problem: &dyn std::fmt::Display| Error::usage(format!("LIBLINEAR refuses the text: {problem}"));
    let input =
        TrainingInput::from_sparse_features(labels.iter().map(|label| f64::from(*label)).collect(), rows)
            .map_err(|error| refused(&error))?;
    toggle_liblinear_stdout_output(false);
    let mut builder = Builder::new();
    builder.problem().input_data(input);
    // The stopping precisions are LIBLINEAR's own defaults.
    let (solver, precision) = match solver {
        Solver::LiblinearDual => (SolverType::L2R_LR_DUAL, 0.1),
        Solver::Adagrad | Solver::Lbfgs | Solver::Liblinear => (SolverType::L2R_LR, 0.01),
    };
    builder.parameters().solver_type(solver).stopping_criterion(precision).constraints_violation_cost(cost);
    builder.build_model().map_err(|error| refused(&error))
}

/// Copies out the weights of each label. With two labels LIBLINEAR holds one vector, and returns it
/// with the sign of the label.
fn coefficients(model: &impl LibLinearModel, features: u32) -> Vec<(u8, Vec<f64>)> {
    let labels = model.labels().clone();
    let known = model.num_features() as u32;
    let weight = |index: u32, at: usize| match index <= known {
        true => model.feature_coefficient(index as i32, at as i32),
        false => 0.0,
    };
    let column = |at: usize| (1..=features).map(|index| weight(index, at)).collect();
    labels.iter().enumerate().map(|(at, &label)| (label as u8, column(at))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use liblinear::util::PredictionInput;
    use proptest::prelude::*;

    /// Returns rows whose class follows from the first features, with some errors.
    fn small(rows: &[(u8, Vec<u32>)]) -> (Matrix, Vec<u8>) {
        let mut matrix = Matrix::new(9);
        let mut labels = Vec::new();
        for (label, row) in rows {
            // Every row reaches the last feature, since the crate predicts only such rows.
            let row: Vec<u32> = row.iter().copied().chain([9]).collect();
            matrix.push(&row, Class::ALL[usize::from(*label)]);
            labels.push(*label);
        }
        (matrix, labels)
    }

    proptest! {
        #[test]
        fn weights_read_back_give_its_own_decision_values(
            rows in prop::collection::vec((0u8..4, prop::collection::btree_set(1u32..9, 0..6)), 8..60),
            dual: bool,
        ) {
            let rows: Vec<(u8, Vec<u32>)> =
                rows.into_iter().map(|(label, row)| (label, row.into_iter().collect())).collect();
            let (matrix, labels) = small(&rows);
            prop_assume!(labels.iter().any(|label| *label != labels[0]));
            let solver = if dual { Solver::LiblinearDual } else { Solver::Liblinear };
            let model = train(&matrix, &labels, solver, 1.0).unwrap();
            let columns = coefficients(&model, matrix.features);
            for at in 0..matrix.len() {
                let row: Vec<(u32, f64)> = matrix.row(at).iter().map(|&index| (index, 1.0)).collect();
                let own = model.predict_values(PredictionInput::from_sparse_features(row).unwrap()).unwrap().0;
                for (value, (_, column)) in own.iter().zip(&columns) {
                    let sum: f64 = matrix.row(at).iter().map(|&index| column[index as usize - 1]).sum();
                    prop_assert!((value - sum).abs() < 1e-9, "{} {}", value, sum);
                }
            }
        }
    }
}
