//! The resources of a run: time and memory.

use serde::{Deserialize, Serialize};

/// The resources that a process used.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Wall-clock time.
    pub wall_seconds: f64,
    /// CPU time of all threads together; `None` if the system does not report it.
    pub cpu_seconds: Option<f64>,
    /// The peak of resident memory; `None` if the system does not report it.
    pub peak_bytes: Option<u64>,
}

/// The resources that a run of majuscule used, and the throughput of its model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Took {
    /// The resources of the whole run.
    #[serde(flatten)]
    pub usage: Usage,
    /// The throughput of the model alone, if one was used.
    pub restoring: Option<Restoring>,
    /// The name of the CPU; `None` if the system does not report it.
    #[serde(default)]
    pub processor: Option<String>,
}

/// The time that a model took and the words it restored.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Restoring {
    /// The time in seconds: CPU time for a single-threaded model, or wall-clock time if the model
    /// uses several threads or its CPU time is too short to be exact.
    pub seconds: f64,
    /// The number of words that the model was given.
    pub words: u64,
}

impl Restoring {
    /// Words per second; `None` if no time could be measured.
    pub fn words_per_second(self) -> Option<f64> {
        (self.seconds > 0.0).then(|| self.words as f64 / self.seconds)
    }
}
