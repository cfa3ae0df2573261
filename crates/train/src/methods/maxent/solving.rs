//! The settings of solvers: the choice of solver, the objective, and the stopping criterion.

use std::path::PathBuf;

use serde::Serialize;

use super::dataset::DataSet;
use super::lazy::Penalty;
use majuscule_base::error::{Error, Result, option};
use majuscule_base::files::ByteSize;
use majuscule_methods::maxent::hash::hash;

/// The settings for finding weights.
#[derive(Debug, Clone, PartialEq, Serialize)]
// clap names argument groups by their type, and this one is flattened into another.
#[derive(clap::Args)]
#[group(skip)]
pub struct Solving {
    /// The solver that finds the weights
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    pub solver: Solver,
    /// The L1 penalty on the absolute values of weights, relative to the sum of −ln P over the
    /// words; it makes many weights 0 (AdaGrad)
    #[arg(long, value_name = "PENALTY", allow_negative_numbers = true, default_value_t = 0.0)]
    pub l1: f64,
    /// The L2 penalty on half the squared weights, relative to the same sum: LIBLINEAR's 1/C, and 1
    /// in MegaM (AdaGrad, L-BFGS)
    #[arg(long, value_name = "PENALTY", allow_negative_numbers = true, default_value_t = 0.0)]
    pub l2: f64,
    /// Use the average of the weights over all words instead of the final weights (AdaGrad)
    #[arg(long)]
    pub average: bool,
    /// Hold out this fraction of the examples, and stop when the loss on them gets worse; the best
    /// weights are kept (AdaGrad, with several --epochs)
    #[arg(long, value_name = "FRACTION", allow_negative_numbers = true, default_value_t = Solving::HELD_OUT)]
    pub held_out: f64,
    /// The number of epochs in a row that may be worse than the best
    #[arg(long, value_name = "N", default_value_t = Solving::PATIENCE)]
    pub patience: usize,
    /// The seed of the choice of held-out examples
    #[arg(long, value_name = "N", default_value_t = Solving::SEED)]
    pub seed: u64,
    /// The cost of −ln P of a word relative to half the squared weights; 1 by default (LIBLINEAR)
    #[arg(long, value_name = "C", allow_negative_numbers = true)]
    pub cost: Option<f64>,
    /// The memory that LIBLINEAR or L-BFGS may take, such as 2G or 500M: each holds the whole
    /// corpus
    #[arg(long, value_name = "SIZE", default_value_t = ByteSize(4 << 30))]
    pub solver_memory: ByteSize,
    /// Take the weights from a file instead of learning them: a model of LIBLINEAR, whose features
    /// --dictionary names, or weights of MegaM
    #[arg(long, value_name = "FILE")]
    #[serde(serialize_with = "crate::methods::names")]
    pub weights: Option<PathBuf>,
    /// Take the weights for sentence beginnings from a file too (maxent features --target begin)
    #[arg(long, value_name = "FILE", requires = "weights")]
    #[serde(serialize_with = "crate::methods::names")]
    pub begin_weights: Option<PathBuf>,
    /// The names of the features that other files give as numbers, as written by maxent features
    #[arg(long, value_name = "FILE", requires = "weights")]
    #[serde(serialize_with = "crate::methods::names")]
    pub dictionary: Option<PathBuf>,
}

majuscule_arguments::default_of_arguments!(Solving);

/// The defaults that other arguments share.
impl Solving {
    pub(super) const HELD_OUT: f64 = 0.0;
    pub(super) const PATIENCE: usize = 1;
    pub(super) const SEED: u64 = 1;
}

/// The solvers that find weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
#[derive(clap::ValueEnum)]
pub enum Solver {
    /// Multinomial logistic regression by AdaGrad, which streams the text
    #[default]
    Adagrad,
    /// Multinomial logistic regression, to the optimum under --l2, by L-BFGS as in MegaM; holds the
    /// whole corpus in memory
    Lbfgs,
    /// LIBLINEAR's -s 0: one-versus-rest, by a trust region Newton method
    Liblinear,
    /// LIBLINEAR's -s 7: one-versus-rest, by coordinate descent in the dual
    LiblinearDual,
}

impl Solving {
    pub(super) fn check(&self) -> Result<()> {
        check_penalties(self.l1, self.l2)?;
        let [cost, l2, solver] = ["cost", "l2", "solver"].map(option);
        let only = |what: &str, whose: &str, cure: String| {
            format!("{} is for {solver} {whose}: {cure}", option(what))
        };
        let native = |what: &str| only(what, "adagrad", "leave it out".to_owned());
        let is_native = self.solver == Solver::Adagrad;
        let is_foreign = matches!(self.solver, Solver::Liblinear | Solver::LiblinearDual);
        let problem = match () {
            () if !(0.0..1.0).contains(&self.held_out) => {
                format!("{} {}: expected a fraction from 0 to less than 1", option("held-out"), self.held_out)
            }
            () if self.patience == 0 => format!("{} 0: expected at least 1", option("patience")),
            () if self.cost.is_some_and(|cost| !(cost.is_finite() && cost > 0.0)) => {
                format!("{cost} {}: expected a number greater than 0", self.cost.unwrap_or_default())
            }
            () if !is_foreign && self.cost.is_some() => {
                only("cost", "liblinear", format!("give {l2}, which is 1/C"))
            }
            () if self.solver == Solver::Lbfgs && self.l2 == 0.0 => {
                format!(
                    "{solver} lbfgs needs a penalty, without which weights may grow without bound: give {l2} 1, as in MegaM"
                )
            }
            () if is_foreign && self.l2 > 0.0 => only("l2", "adagrad", format!("give {cost}, which is 1/L2")),
            () if !is_native && self.l1 > 0.0 => native("l1"),
            () if !is_native && self.average => native("average"),
            () if !is_native && self.held_out > 0.0 => native("held-out"),
            () if is_foreign && !cfg!(feature = "liblinear") => return Err(left_out()),
            () => return Ok(()),
        };
        Err(Error::usage(problem))
    }

    /// Returns the penalty on weights for each word of a data set.
    pub(super) fn penalty(&self, data: &DataSet<'_>) -> Result<Penalty> {
        if self.l1 == 0.0 && self.l2 == 0.0 {
            return Ok(Penalty::None);
        }
        let mut words = 0;
        data.rows_of(false, |_| words += 1)?;
        Ok(Penalty::of(self.l1, self.l2, words))
    }

    /// Returns true if the example with this number, from 0, is held out: the same examples in
    /// every epoch.
    #[inline]
    pub(super) fn holds_out(&self, number: u64) -> bool {
        if self.held_out == 0.0 {
            return false;
        }
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.seed.to_le_bytes());
        bytes[8..].copy_from_slice(&number.to_le_bytes());
        ((hash(&bytes) >> 11) as f64) < self.held_out * (1u64 << 53) as f64
    }

    /// Returns the files that the solver reads.
    pub fn inputs(&self) -> Vec<PathBuf> {
        [&self.weights, &self.begin_weights, &self.dictionary].into_iter().flatten().cloned().collect()
    }
}

/// Returns the error of a build that lacks LIBLINEAR.
pub(super) fn left_out() -> Error {
    Error::usage(format!(
        "this build has no LIBLINEAR: build majuscule with --features liblinear, or use {} adagrad",
        option("solver")
    ))
}

/// Refuses invalid penalties.
pub(super) fn check_penalties(l1: f64, l2: f64) -> Result<()> {
    for (name, penalty) in [("l1", l1), ("l2", l2)] {
        if !(penalty.is_finite() && penalty >= 0.0) {
            return Err(Error::usage(format!("{} {penalty}: expected 0 or a greater number", option(name))));
        }
    }
    if l1 > 0.0 && l2 > 0.0 {
        return Err(Error::usage(format!(
            "{} {l1} and {} {l2}: expected only one of them",
            option("l1"),
            option("l2")
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_the_fraction_is_held_out_and_another_seed_holds_others() {
        let of = |seed: u64| Solving { held_out: 0.1, seed, ..Solving::default() };
        let held = |solving: &Solving| (0..10_000).filter(|&number| solving.holds_out(number)).count();
        assert!((900..1100).contains(&held(&of(1))));
        assert!((0..100).any(|number| of(1).holds_out(number) != of(2).holds_out(number)));
        assert_eq!(held(&Solving::default()), 0);
    }

    #[test]
    fn settings_that_cannot_be_are_refused() {
        let default = Solving::default;
        let lbfgs = || Solving { solver: Solver::Lbfgs, l2: 1.0, ..Solving::default() };
        let liblinear = || Solving { solver: Solver::Liblinear, ..Solving::default() };
        for solving in [
            Solving { l1: -1.0, ..default() },
            Solving { l1: f64::NAN, ..default() },
            Solving { l2: f64::INFINITY, ..default() },
            Solving { l2: -0.1, ..default() },
            Solving { l1: 1.0, l2: 1.0, ..default() },
            Solving { held_out: 1.0, ..default() },
            Solving { held_out: f64::NAN, ..default() },
            Solving { patience: 0, ..default() },
            Solving { cost: Some(1.0), ..default() },
            Solving { cost: Some(0.0), ..liblinear() },
            Solving { cost: Some(f64::NAN), ..liblinear() },
            Solving { l1: 1.0, ..liblinear() },
            Solving { l2: 1.0, ..liblinear() },
            Solving { average: true, ..liblinear() },
            Solving { held_out: 0.1, ..liblinear() },
            Solving { l2: 0.0, ..lbfgs() },
            Solving { l1: 1.0, l2: 0.0, ..lbfgs() },
            Solving { cost: Some(1.0), ..lbfgs() },
            Solving { average: true, ..lbfgs() },
            Solving { held_out: 0.1, ..lbfgs() },
        ] {
            assert!(matches!(solving.check(), Err(Error::Usage(_))), "{solving:?}");
        }
        assert!(default().check().is_ok() && lbfgs().check().is_ok());
    }
}
