//! What a run took: time and memory.

use serde::{Deserialize, Serialize};

/// What a process took.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Time on the clock.
    pub wall_seconds: f64,
    /// Time of all threads together; `None` where the system does not say.
    pub cpu_seconds: Option<f64>,
    /// The most memory that was resident at once; likewise.
    pub peak_bytes: Option<u64>,
}

/// What a run of majuscule took, and a model in it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Took {
    /// All of it.
    #[serde(flatten)]
    pub usage: Usage,
    /// The model alone, where one was at work.
    pub restoring: Option<Restoring>,
}

/// How long a model was at work.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Restoring {
    /// Seconds on the clock.
    pub seconds: f64,
    /// The words that it was given.
    pub words: u64,
}

impl Restoring {
    /// Words a second; `None` where it took no time that could be measured.
    pub fn words_per_second(self) -> Option<f64> {
        (self.seconds > 0.0).then(|| self.words as f64 / self.seconds)
    }
}
