//! Counts of requests and their times, as Prometheus reads them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The upper ends of the buckets of the histogram, in seconds.
const BUCKETS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

/// Counts of requests and their times.
#[derive(Debug, Default)]
pub struct Metrics(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    /// The number of requests by route and status.
    requests: BTreeMap<(String, u16), u64>,
    /// The times by route.
    times: BTreeMap<String, Histogram>,
}

#[derive(Debug, Default, Clone)]
struct Histogram {
    buckets: [u64; BUCKETS.len()],
    count: u64,
    seconds: f64,
}

/// A value that is read when the metrics are requested: its name, its type, its help and itself.
pub type ReadValue = (&'static str, &'static str, &'static str, u64);

impl Metrics {
    /// Counts an answered request.
    pub fn count(&self, route: &str, status: u16, time: Duration) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.requests.entry((route.to_owned(), status)).or_default() += 1;
        let histogram = counts.times.entry(route.to_owned()).or_default();
        let seconds = time.as_secs_f64();
        histogram.count += 1;
        histogram.seconds += seconds;
        for (bucket, end) in histogram.buckets.iter_mut().zip(BUCKETS) {
            *bucket += u64::from(seconds <= end);
        }
    }

    /// Writes all values in the text format of Prometheus.
    pub fn page(&self, read: &[ReadValue]) -> String {
        let mut page = String::new();
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A string accepts everything that is written to it.
        let _ = counts.write(&mut page);
        for (name, kind, help, value) in read {
            let _ = write!(page, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}\n");
        }
        page
    }
}

impl Counts {
    fn write(&self, page: &mut String) -> std::fmt::Result {
        page.push_str(
            "# HELP majuscule_requests_total Answered requests.\n# TYPE majuscule_requests_total counter\n",
        );
        for ((route, status), count) in &self.requests {
            writeln!(page, "majuscule_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}")?;
        }
        let name = "majuscule_request_seconds";
        writeln!(page, "# HELP {name} Seconds to the answer.\n# TYPE {name} histogram")?;
        for (route, Histogram { buckets, count, seconds }) in &self.times {
            for (end, bucket) in BUCKETS.iter().zip(buckets) {
                writeln!(page, "{name}_bucket{{route=\"{route}\",le=\"{end}\"}} {bucket}")?;
            }
            writeln!(page, "{name}_bucket{{route=\"{route}\",le=\"+Inf\"}} {count}")?;
            writeln!(page, "{name}_sum{{route=\"{route}\"}} {seconds}")?;
            writeln!(page, "{name}_count{{route=\"{route}\"}} {count}")?;
        }
        Ok(())
    }
}
