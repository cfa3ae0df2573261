//! Human-readable sizes, times and throughput.

use majuscule_train::eval::table::thousands;

/// The sign for a missing value.
pub const NONE: &str = "–";

/// Formats a number of bytes with three digits: `4.13 MB`.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut unit = 0;
    // 999.5 and more would be written as 1000.
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{} {}", three_digits(value), UNITS[unit])
}

/// Formats a number of cores: `1 core`, `2 cores`.
pub fn cores(count: usize) -> String {
    format!("{count} {}", if count == 1 { "core" } else { "cores" })
}

fn three_digits(value: f64) -> String {
    let digits = match value {
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{value:.digits$}")
}

/// Formats a time in its two largest units, `2 h 05 min`, or in seconds.
pub fn duration(seconds: f64) -> String {
    if seconds < 9.995 {
        return format!("{seconds:.2} s");
    }
    if seconds < 59.95 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    if whole < 3600 {
        format!("{} min {:02} s", whole / 60, whole % 60)
    } else {
        // Minutes are rounded first, so that 3599.9 s do not become 60 min.
        let minutes = (seconds / 60.0).round() as u64;
        format!("{} h {:02} min", minutes / 60, minutes % 60)
    }
}

/// Formats a throughput in words per second, with all digits.
pub fn speed(words_per_second: f64) -> String {
    if words_per_second < 10.0 {
        format!("{words_per_second:.1}")
    } else {
        thousands(words_per_second.round() as u64)
    }
}

/// Formats a count for an axis: `50k`, `1.9M`.
pub fn short(count: f64) -> String {
    let (value, unit) = match count {
        ..999.5 => (count, ""),
        ..999_500.0 => (count / 1e3, "k"),
        ..999_500_000.0 => (count / 1e6, "M"),
        _ => (count / 1e9, "G"),
    };
    let text = three_digits(value);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_three_digits() {
        let all = [0, 999, 1000, 4_130_000, 99_950, 999_600, 438_000_000].map(bytes);
        assert_eq!(all, ["0 B", "999 B", "1.00 kB", "4.13 MB", "100 kB", "1.00 MB", "438 MB"]);
    }

    #[test]
    fn times_have_two_units() {
        let all = [0.04, 59.9, 59.96, 245.0, 3599.9, 7500.0].map(duration);
        assert_eq!(all, ["0.04 s", "59.9 s", "1 min 00 s", "4 min 05 s", "1 h 00 min", "2 h 05 min"]);
    }

    #[test]
    fn one_core_is_no_cores() {
        assert_eq!([1, 2, 64].map(cores), ["1 core", "2 cores", "64 cores"]);
    }

    #[test]
    fn counts_on_an_axis_are_short() {
        let all = [5.0, 0.5, 50_000.0, 1_900_000.0, 999_999.0, 2e9].map(short);
        assert_eq!(all, ["5", "0.5", "50k", "1.9M", "1M", "2G"]);
        assert_eq!([speed(3.25), speed(1_234_567.4)], ["3.2", "1,234,567"]);
    }
}
