//! Checks of settings, which all neural methods share.

use majuscule_base::error::{Error, Result, option};

/// Refuses settings out of their ranges: fractions from 0 to less than 1, sizes of at least 0, and
/// counts of at least 1.
pub fn check_numbers(
    fractions: &[(&str, f64)],
    sizes: &[(&str, f64)],
    counts: &[(&str, usize)],
) -> Result<()> {
    let refuse = |problem: String| Err(Error::usage(problem));
    if let Some((name, fraction)) = fractions.iter().find(|(_, fraction)| !(0.0..1.0).contains(fraction)) {
        return refuse(format!("{} {fraction}: expected a fraction from 0 to less than 1", option(name)));
    }
    if let Some((name, size)) = sizes.iter().find(|(_, size)| !(size.is_finite() && *size >= 0.0)) {
        return refuse(format!("{} {size}: expected a number of at least 0", option(name)));
    }
    match counts.iter().find(|(_, count)| *count == 0) {
        Some((name, _)) => refuse(format!("{} 0: expected at least 1", option(name))),
        None => Ok(()),
    }
}
