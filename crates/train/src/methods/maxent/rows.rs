//! Turns a corpus into rows of numbered features, for the solvers that hold all of it in memory.

use rustc_hash::{FxHashMap, FxHashSet};

use super::cells::Gradient;
use super::dataset::DataSet;
use super::exchange::{FitConfig, Target};
use super::matrix::Matrix;
use majuscule_base::error::{Error, Result, option};
use majuscule_base::files::ByteSize;
use majuscule_methods::maxent::BEGIN;

/// Returns the features of a corpus that affect the classes of words, in the order of first
/// occurrence, or `None` if there are more than `most`.
///
/// # Errors
/// If the corpus cannot be read.
pub(super) fn all_features(data: &DataSet<'_>, most: usize) -> Result<Option<Vec<u64>>> {
    let (mut known, mut found) = (FxHashSet::default(), Vec::new());
    data.rows_of(false, |row| {
        let Some((features, _)) = row.of(Target::Case).filter(|_| found.len() <= most) else { return };
        found.extend(features.iter().copied().filter(|feature| known.insert(*feature)));
    })?;
    Ok((found.len() <= most).then_some(found))
}

/// A solver that holds the whole corpus.
pub(super) struct Holder {
    pub(super) name: &'static str,
    /// The function that returns the memory in bytes that the solver needs for rows.
    pub(super) bytes: fn(&Matrix) -> usize,
}

/// Returns the rows of a corpus, restricted to the chosen features. The column of a feature is its position in
/// `chosen`, counted from 1.
///
/// # Errors
/// If the corpus cannot be read, or has more words than fit into the memory limit.
pub(super) fn matrix(data: &DataSet<'_>, target: Target, chosen: &[u64], holder: &Holder) -> Result<Matrix> {
    let memory = data.config.solving.solver_memory;
    let numbers: FxHashMap<u64, u32> = chosen.iter().copied().zip(1..).collect();
    let mut matrix = Matrix::new(chosen.len() as u32);
    let fixed = (holder.bytes)(&matrix);
    let (mut row, mut fitting, mut words) = (Vec::new(), None, 0u64);
    // No examples are held out for these solvers.
    data.rows_of(false, |found| {
        let Some((features, class)) = found.of(target) else { return };
        words += 1;
        if fitting.is_some() {
            return;
        }
        row.clear();
        row.extend(features.iter().filter_map(|feature| numbers.get(feature)));
        row.sort_unstable();
        row.dedup();
        matrix.push(&row, class);
        if (holder.bytes)(&matrix) > memory.0 {
            fitting = Some(words - 1);
        }
    })?;
    let Some(fitting) = fitting else { return Ok(matrix) };
    let of_rows = ((holder.bytes)(&matrix) - fixed) as f64 * words as f64 / matrix.len() as f64;
    let whole = ByteSize(fixed + of_rows as usize);
    let problem = format!(
        "{words} words take about {whole} in {}, and {} is {memory}: {fitting} words would fit; give \
         less text, more memory, or {} adagrad, which holds no corpus",
        holder.name,
        option("solver-memory"),
        option("solver")
    );
    Err(Error::usage(format!("{}: {problem}", data.corpus.name())))
}

/// Finds the optimal weights of the chosen features under the penalty `--l2`, in their order, by
/// L-BFGS.
///
/// # Errors
/// Like [`matrix`], and if sentence beginnings are to be found too, if all words are of one class,
/// or if the steps do not suffice.
pub(super) fn best(data: &DataSet<'_>, chosen: &[u64]) -> Result<Vec<Gradient>> {
    if data.begins {
        let solver = option("solver");
        return Err(Error::usage(format!(
            "{solver} lbfgs does not learn sentence starts: train under a protocol that shows them (text, batista, rei or susanto), or with {solver} adagrad"
        )));
    }
    // The memory: 4 bytes for each entry of a row, the class of each row, and for each feature the
    // vectors of L-BFGS, with three weights each.
    let bytes = |matrix: &Matrix| matrix.numbers() * 4 + matrix.len() * 9 + matrix.features as usize * 700;
    let matrix = matrix(data, Target::Case, chosen, &Holder { name: "L-BFGS", bytes })?;
    if matrix.classes.iter().all(|class| *class == matrix.classes[0]) {
        let problem = "all words that are trained on are of one class: give text as it was published";
        return Err(Error::file(data.corpus.name(), problem));
    }
    let fit = FitConfig { l2: data.config.solving.l2, ..FitConfig::default() };
    let weights = matrix.fit(&fit, data.corpus.interrupt())?.ok_or_else(|| {
        let (steps, l2) = (fit.steps, option("l2"));
        Error::usage(format!("L-BFGS did not converge in {steps} steps: give a larger {l2}"))
    })?;
    let single = |[title, upper, mixed]: [f64; BEGIN]| [title as f32, upper as f32, mixed as f32, 0.0];
    Ok(weights.into_iter().map(single).collect())
}
