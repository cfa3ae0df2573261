//! Minimises a smooth convex function to a given precision by L-BFGS (Nocedal & Wright 2006,
//! algorithms 7.4 and 3.1), with all data in memory.

use std::collections::VecDeque;

use super::exchange::FitConfig;
use majuscule_base::error::Result;
use majuscule_base::interrupt::Interrupt;

/// The number of steps whose curvature is remembered.
const MEMORY: usize = 10;

/// Minimises `function` from 0, until the norm of the gradient is at most `precision` times the
/// norm at 0, or at most `precision` if the norm at 0 is below 1. Returns the point, or `None` if
/// `steps` steps do not suffice. `function` returns its value at a point and writes the gradient.
///
/// # Errors
/// If `interrupt` is set, which stops the search.
pub(super) fn least(
    size: usize,
    &FitConfig { steps, precision, .. }: &FitConfig,
    interrupt: &Interrupt,
    mut function: impl FnMut(&[f64], &mut [f64]) -> f64,
) -> Result<Option<Vec<f64>>> {
    let (mut at, mut slope) = (vec![0.0; size], vec![0.0; size]);
    let mut value = function(&at, &mut slope);
    let enough = precision * dot(&slope, &slope).sqrt().max(1.0);
    let mut memory: VecDeque<(Vec<f64>, Vec<f64>)> = VecDeque::new();
    for _ in 0..steps {
        if dot(&slope, &slope).sqrt() <= enough {
            return Ok(Some(at));
        }
        let way = direction(&slope, &memory);
        let down = dot(&way, &slope);
        // The length of the gradient, which is the first direction, is no estimate of the step
        // length.
        let mut step = if memory.is_empty() { 1.0 / dot(&slope, &slope).sqrt().max(1.0) } else { 1.0 };
        let (next, next_value, next_slope) = loop {
            let next: Vec<f64> = at.iter().zip(&way).map(|(at, way)| at + step * way).collect();
            interrupt.check()?;
            let mut next_slope = vec![0.0; size];
            let next_value = function(&next, &mut next_slope);
            // Near the minimum, differences of the value drown in rounding errors.
            let noise = 4.0 * f64::EPSILON * value.abs();
            if next_value <= value + 1e-4 * step * down + noise {
                break (next, next_value, next_slope);
            }
            step /= 2.0;
            // Floating point has no precision left for an improvement.
            if step < 1e-18 {
                return Ok(Some(at));
            }
        };
        let moved: Vec<f64> = next.iter().zip(&at).map(|(next, at)| next - at).collect();
        let turned: Vec<f64> = next_slope.iter().zip(&slope).map(|(next, slope)| next - slope).collect();
        if dot(&moved, &turned) > 0.0 {
            memory.push_front((moved, turned));
            memory.truncate(MEMORY);
        }
        (at, value, slope) = (next, next_value, next_slope);
    }
    Ok(None)
}

/// Returns the direction of descent: the negative gradient, corrected by the remembered curvature.
fn direction(slope: &[f64], memory: &VecDeque<(Vec<f64>, Vec<f64>)>) -> Vec<f64> {
    let mut way: Vec<f64> = slope.iter().map(|slope| -slope).collect();
    let fractions: Vec<f64> = memory
        .iter()
        .map(|(moved, turned)| {
            let fraction = dot(moved, &way) / dot(moved, turned);
            add(&mut way, -fraction, turned);
            fraction
        })
        .collect();
    if let Some((moved, turned)) = memory.front() {
        let scale = dot(moved, turned) / dot(turned, turned);
        way.iter_mut().for_each(|way| *way *= scale);
    }
    for ((moved, turned), fraction) in memory.iter().zip(fractions).rev() {
        let back = dot(turned, &way) / dot(moved, turned);
        add(&mut way, fraction - back, moved);
    }
    way
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(sum: &mut [f64], times: f64, more: &[f64]) {
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += times * more);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn limits(steps: usize, precision: f64) -> FitConfig {
        FitConfig { steps, precision, ..FitConfig::default() }
    }

    proptest! {
        #[test]
        fn the_bottom_of_a_bowl_is_found(bottom in prop::collection::vec(-5.0f64..5.0, 1..20), narrow in 1.0f64..1e3) {
            // Each dimension is steeper than the one before.
            let weight = |at: usize| 1.0 + narrow * at as f64;
            let found = least(bottom.len(), &limits(1000, 1e-10), &Interrupt::default(), |at, slope| {
                let mut value = 0.0;
                for position in 0..at.len() {
                    let away = at[position] - bottom[position];
                    slope[position] = weight(position) * away;
                    value += weight(position) * away * away / 2.0;
                }
                value
            });
            for (found, bottom) in found.unwrap().unwrap().iter().zip(&bottom) {
                prop_assert!((found - bottom).abs() < 1e-4, "{} {}", found, bottom);
            }
        }
    }

    #[test]
    fn what_has_no_bottom_is_told() {
        let down = |at: &[f64], slope: &mut [f64]| {
            slope[0] = -1.0;
            -at[0]
        };
        assert_eq!(least(1, &limits(50, 1e-9), &Interrupt::default(), down).unwrap(), None);
    }
}
