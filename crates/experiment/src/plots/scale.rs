//! Scales: the marks and ends of an axis.

use crate::units::short;

/// An axis: its quantity, ends, and named marks. On a logarithmic axis, all positions are log10.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The quantity and its unit.
    pub title: String,
    /// The lower end.
    pub low: f64,
    /// The upper end, which is above the lower one.
    pub high: f64,
    /// The marks in order: position and name.
    pub marks: Vec<(f64, String)>,
}

/// The maximum number of steps of a linear axis.
const STEPS: f64 = 6.0;

/// Creates an axis with round marks whose ends enclose all values; it starts at 0 if the values
/// reach well down towards it.
pub fn linear(title: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Axis {
    let (mut low, mut high) = ends(values);
    if low > 0.0 && low < 0.5 * high {
        low = 0.0;
    }
    if high - low < 1e-9 * high.abs().max(1e-3) {
        (low, high) = (low - 0.1 * low.abs().max(1.0), high + 0.1 * high.abs().max(1.0));
    }
    let step = step((high - low) / STEPS);
    // The tolerance avoids an empty step beyond an end that lies on a mark.
    let (first, last) = ((low / step + 1e-6).floor(), (high / step - 1e-6).ceil());
    let digits = if step < 1.0 { (-step.log10()).ceil().clamp(0.0, 9.0) as usize } else { 0 };
    let marks = (0..=(last - first) as usize).map(|k| (first + k as f64) * step);
    Axis {
        title: title.into(),
        low: first * step,
        high: last * step,
        marks: marks.map(|value| (value, format!("{value:.digits$}"))).collect(),
    }
}

/// Returns the smallest product of 1, 2 or 5 and a power of 10 that is not below `least`.
fn step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0]
        .into_iter()
        .map(|digit| digit * power)
        .find(|step| *step >= least * 0.999)
        .unwrap_or(10.0 * power)
}

/// Creates a logarithmic axis with a little room at both ends; `name` formats a value.
pub fn logarithmic(
    title: impl Into<String>,
    values: impl IntoIterator<Item = f64>,
    name: impl Fn(f64) -> String,
) -> Axis {
    let (low, high) = ends(values.into_iter().map(f64::log10));
    // At least 0.4 of a decade in all, which contains one of 1, 2 and 5.
    let room = (0.06 * (high - low)).max(0.2);
    let (low, high) = (low - room, high + room);
    let digits: &[f64] = if high - low > 3.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let powers = low.floor() as i32..=high.ceil() as i32;
    let marks = powers
        .flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power)))
        .filter(|value| (low..=high).contains(&value.log10()))
        .map(|value| (value.log10(), name(value)))
        .collect();
    Axis { title: title.into(), low, high, marks }
}

/// Creates a logarithmic axis whose marks are the values themselves, except those
/// too close to the previous mark.
pub fn sizes(title: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Axis {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let axis = logarithmic(title, values.iter().copied(), short);
    let mut marks: Vec<(f64, String)> = Vec::new();
    for value in values {
        let apart = |(last, _): &(f64, String)| value.log10() - last > 0.07 * (axis.high - axis.low);
        if marks.last().is_none_or(apart) {
            marks.push((value.log10(), short(value)));
        }
    }
    Axis { marks, ..axis }
}

/// Creates an axis of whole numbers from 0 to `most`, with a mark at each multiple of `every`.
pub fn whole(title: &str, most: usize, every: usize) -> Axis {
    let marks = (0..=most).step_by(every).map(|number| (number as f64, number.to_string())).collect();
    Axis { title: title.into(), low: -0.3, high: most as f64 + 0.3, marks }
}

fn ends(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let start = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = values
        .into_iter()
        .filter(|value| value.is_finite())
        .fold(start, |(low, high), value| (low.min(value), high.max(value)));
    if low > high { (0.0, 1.0) } else { (low, high) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(axis: &Axis) -> Vec<&str> {
        axis.marks.iter().map(|(_, name)| name.as_str()).collect()
    }

    proptest! {
        #[test]
        fn an_axis_holds_its_values_and_has_few_marks(values in proptest::collection::vec(1e-3f64..1e9, 0..8)) {
            let straight = linear("", values.iter().copied());
            let curved = logarithmic("", values.iter().copied(), short);
            for value in &values {
                let slack = 1e-5 * (straight.high - straight.low);
                prop_assert!(straight.low - slack <= *value && *value <= straight.high + slack, "{straight:?}");
                prop_assert!(curved.low <= value.log10() && value.log10() <= curved.high, "{curved:?}");
            }
            for axis in [straight, curved] {
                prop_assert!(axis.low < axis.high && (1..=13).contains(&axis.marks.len()), "{axis:?}");
                prop_assert!(axis.marks.is_sorted_by(|one, two| one.0 < two.0));
            }
        }
    }

    #[test]
    fn marks_are_round() {
        assert_eq!(names(&linear("", [6.2, 9.9])), ["6", "7", "8", "9", "10"]);
        assert_eq!(names(&linear("", [4.8, 30.1])), ["0", "10", "20", "30", "40"]);
        assert_eq!(names(&linear("", [0.08, 0.19])), ["0.00", "0.05", "0.10", "0.15", "0.20"]);
        assert_eq!(names(&logarithmic("", [4e5, 6e6], short)), ["500k", "1M", "2M", "5M"]);
        assert_eq!(names(&logarithmic("", [1e5], short)), ["100k"]);
        assert_eq!(names(&sizes("", [50e3, 100e3, 1.9e6, 101e3])), ["50k", "100k", "1.9M"]);
    }
}
