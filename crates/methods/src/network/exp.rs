//! The exponential, GELU, sigmoid and tanh, by polynomials without branches, so that the compiler vectorises them.

use std::f32::consts::{FRAC_1_SQRT_2, LOG2_E};

/// A number that rounds: the lowest bits of its sum with a small number are the small number, rounded to an
/// integer.
pub const ROUND: f32 = 12_582_912.0;

/// ln 2 in two parts, so that subtracting multiples loses no precision.
const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];

/// Computes eˣ for x ≤ 0 with an error of at most 2 units in the last place; below −87 it stays at e⁻⁸⁷,
/// practically 0.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    let x = x.max(-87.0);
    let shifted = x * LOG2_E + ROUND;
    let whole = shifted - ROUND;
    let rest = x - whole * LN_2[0] - whole * LN_2[1];
    // The series of eˣ for |x| ≤ ½ ln 2, with coefficients that spread the error (Cephes).
    let mut series = 1.987_569_1e-4f32;
    for coefficient in [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5] {
        series = series * rest + coefficient;
    }
    let power = series * rest * rest + rest + 1.0;
    f32::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << 23))
}

/// Computes 2ˣ for x ≤ 0 with a relative error of at most 3e-7; below −126 the result stays at 2⁻¹²⁶, practically
/// 0.
#[inline(always)]
pub fn exp2(x: f32) -> f32 {
    let x = x.max(-126.0);
    let shifted = x + ROUND;
    let rest = x - (shifted - ROUND);
    // The polynomial of least relative error for |x| ≤ ½.
    let mut power = 1.327_647_1e-3f32;
    for coefficient in [9.675_541e-3, 5.550_713e-2, 0.240_221_2, 0.693_146_94, 1.000_000_1] {
        power = power * rest + coefficient;
    }
    f32::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << 23))
}

/// Returns the probability that a standard normal variable is below x, and its density there times
/// √2π.
#[inline(always)]
fn normal(x: f32) -> (f32, f32) {
    let bell = exp(-0.5 * x * x);
    // Abramowitz & Stegun 7.1.26: the error function to 1.5e-7.
    let t = 1.0 / (1.0 + 0.327_591_1 * (x * FRAC_1_SQRT_2).abs());
    let mut series = 1.061_405_4f32;
    for coefficient in [-1.453_152, 1.421_413_8, -0.284_496_72, 0.254_829_6] {
        series = series * t + coefficient;
    }
    let above = 0.5 * series * t * bell;
    (if x < 0.0 { above } else { 1.0 - above }, bell)
}

/// Computes GELU, x · Φ(x), with an error of at most 1e-6, faster than `gelu_with_derivative`.
#[inline(always)]
pub fn gelu(x: f32) -> f32 {
    /// At this and larger distances from 0, Φ is practically 0 or 1.
    const FAR: f32 = 5.5;
    let near = x.clamp(-FAR, FAR);
    // (Φ(x) - ½) / x is a smooth function of x²: the polynomial in x² from 0 to FAR², mapped to -1 to 1,
    // that has the least maximum of the error of x · Φ(x).
    let square = near * near * (2.0 / (FAR * FAR)) - 1.0;
    let mut series = 4.288_14e-4f32;
    for coefficient in [
        -1.275_313e-3,
        1.341_649_2e-3,
        -1.492_882_3e-3,
        3.880_499_2e-3,
        -7.392_387e-3,
        1.066_128_1e-2,
        -1.481_46e-2,
        2.023_615_7e-2,
        -2.607_769_7e-2,
        3.208_808_2e-2,
        -3.879_081_5e-2,
        4.773_671_6e-2,
        -6.417_237e-2,
        1.285_519_5e-1,
    ] {
        series = series * square + coefficient;
    }
    x.max(-FAR) * (0.5 + near * series)
}

/// Computes x · Φ(x) and its derivative.
#[inline(always)]
pub fn gelu_with_derivative(x: f32) -> (f32, f32) {
    const FRAC_1_SQRT_2_PI: f32 = 0.398_942_3;
    let (below, bell) = normal(x);
    (x * below, below + x * bell * FRAC_1_SQRT_2_PI)
}

/// Computes 1 / (1 + e⁻ˣ).
#[inline(always)]
pub fn sigmoid(x: f32) -> f32 {
    let power = exp(-x.abs());
    (if x < 0.0 { power } else { 1.0 }) / (1.0 + power)
}

/// Computes the hyperbolic tangent.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let power = exp(-2.0 * x.abs());
    ((1.0 - power) / (1.0 + power)).copysign(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_those_of_the_library() {
        for x in (-8600..=0).map(|x| x as f32 / 100.0) {
            assert!((exp(x) - x.exp()).abs() <= 3e-7 * x.exp(), "{x}");
        }
        assert!(exp(f32::NEG_INFINITY) < 1e-37 && exp(-1e9) < 1e-37);
        assert_eq!(exp(0.0), 1.0);
        for x in (-12500..=0).map(|x| x as f32 / 100.0) {
            assert!((exp2(x) - x.exp2()).abs() <= 3e-7 * x.exp2(), "{x}");
        }
        assert!(exp2(f32::NEG_INFINITY) < 2e-38 && exp2(-1e9) < 2e-38);
    }

    #[test]
    fn the_derivative_is_that_of_the_curve() {
        for x in (-600..=600).map(|x| x as f32 / 100.0) {
            let step = 1e-2;
            let curve = |x: f32| gelu_with_derivative(x).0;
            let derivative = (curve(x + step) - curve(x - step)) / (2.0 * step);
            let (value, found) = gelu_with_derivative(x);
            assert!((value - gelu(x)).abs() < 1e-6 && (found - derivative).abs() < 1e-4, "{x}: {derivative}");
        }
        // 1 · Φ(1) = 0.841345
        for gelu in [gelu, |x| gelu_with_derivative(x).0] {
            assert!(
                (gelu(1.0) - 0.841_344_7).abs() < 1e-6
                    && gelu(-50.0).abs() < 1e-6
                    && (gelu(50.0) - 50.0).abs() < 1e-5
            );
        }
    }

    #[test]
    fn curves_are_those_of_the_library() {
        for x in (-3000..=3000).map(|x| x as f32 / 100.0) {
            assert!((sigmoid(x) - 1.0 / (1.0 + (-x).exp())).abs() < 3e-7, "{x}");
            assert!((tanh(x) - x.tanh()).abs() < 3e-7, "{x}");
        }
    }
}
