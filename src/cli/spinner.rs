//! A sign of life of jobs that take their time.

use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// What a long job is at and for how long, on standard error where that is a terminal.
#[derive(Debug)]
pub struct Spinner(Option<ProgressBar>);

/// Often enough to be seen to work.
const TICK: Duration = Duration::from_millis(250);

impl Spinner {
    /// Says nothing yet.
    pub fn new() -> Self {
        let style = ProgressStyle::with_template("{spinner} {elapsed_precise} {msg}");
        let bar = || {
            style.map_or_else(
                |_| ProgressBar::new_spinner(),
                |style| ProgressBar::new_spinner().with_style(style),
            )
        };
        Self(io::stderr().is_terminal().then(bar))
    }

    /// Says what the job is at now.
    pub fn say(&self, message: String) {
        if let Some(bar) = &self.0 {
            bar.set_message(message);
            bar.enable_steady_tick(TICK);
        }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
