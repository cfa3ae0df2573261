//! Checks of the settings that all trainings have.

use majuscule::error::{Error, Result};

/// The settings of a training that stand for numbers, each with its name.
#[derive(Debug)]
pub struct NumberSettings<'a> {
    /// From 0 to less than 1.
    pub fractions: &'a [(&'a str, f64)],
    /// 0 or more.
    pub sizes: &'a [(&'a str, f64)],
    /// 1 or more.
    pub counts: &'a [(&'a str, usize)],
}

impl NumberSettings<'_> {
    /// Checks all of them.
    ///
    /// # Errors
    /// [`Error::Usage`] for the first that is out of its range.
    pub fn check(&self) -> Result<()> {
        let refuse = |problem: String| Err(Error::Usage(problem));
        if let Some((name, share)) = self.fractions.iter().find(|(_, share)| !(0.0..1.0).contains(share)) {
            return refuse(format!("{name} {share}: expected a share from 0 to less than 1"));
        }
        if let Some((name, size)) = self.sizes.iter().find(|(_, size)| !(size.is_finite() && *size >= 0.0)) {
            return refuse(format!("{name} {size}: expected a number of at least 0"));
        }
        if let Some((name, _)) = self.counts.iter().find(|(_, count)| *count == 0) {
            return refuse(format!("{name} 0: expected at least 1"));
        }
        Ok(())
    }
}
