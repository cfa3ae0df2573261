//! Progress indicators of long jobs.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use crate::{host, messages};
use majuscule_base::printable::printable;
use majuscule_train::methods::{Left, Progress};

/// A spinner with the current step and the elapsed time of a
/// long job, on standard error if that is a terminal.
#[derive(Debug)]
pub struct Spinner(Option<ProgressBar>);

/// The interval of updates: short enough to look alive.
const TICK: Duration = Duration::from_millis(250);

impl Spinner {
    /// Creates a spinner without a message.
    pub fn new() -> Self {
        let style = ProgressStyle::with_template("{spinner} {elapsed_precise} {msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
        let is_shown = !host::is_hosted() && io::stderr().is_terminal();
        Self(is_shown.then(|| ProgressBar::new_spinner().with_style(style)))
    }

    /// Shows the current step of the job.
    pub fn say(&self, message: String) {
        if let Some(bar) = &self.0 {
            bar.set_message(printable(&message).into_owned());
            bar.enable_steady_tick(TICK);
            messages::set_bar(Some(bar));
        }
    }
}

/// The template of the bar for a job with a known number of parts.
const PARTS: &str = "{elapsed_precise} [{bar:30}] {percent} %, {eta} left, {msg}";

impl Spinner {
    /// Shows a job that resumes from its checkpoint, if there is one.
    pub fn begin(&self, job: &str, checkpoint: Option<&Path>) {
        self.say(match checkpoint.filter(|file| file.exists()) {
            Some(file) => format!("{job}, resuming from {}", file.display()),
            None => job.to_owned(),
        });
    }

    /// Returns true if the spinner is visible.
    pub fn is_shown(&self) -> bool {
        self.0.is_some()
    }

    /// Shows that `done` parts of `of` are done.
    pub fn count(&self, done: u64, of: u64) {
        self.advance(done, of, PARTS);
    }

    /// Shows that `done` parts of `of` are done, on a bar with this template; returns the bar.
    fn advance(&self, done: u64, of: u64, template: &str) -> Option<&ProgressBar> {
        let bar = self.0.as_ref()?;
        if bar.length().is_none() {
            messages::set_bar(Some(bar));
            bar.set_length(of);
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("=> "));
            }
        }
        bar.set_position(done);
        Some(bar)
    }
}

/// The template of the bar for training, above the current figures.
const BAR: &str = "{elapsed_precise} [{bar:30}] {percent} %, {prefix}\n{wide_msg}";

impl Spinner {
    /// Shows the progress of training.
    pub fn show(&self, progress: &Progress) {
        host::show(&figures(progress));
        if let Some(bar) = self.advance(progress.step as u64, progress.steps as u64, BAR) {
            bar.set_prefix(left(progress));
            bar.set_message(doing(progress));
        }
    }
}

/// The progress as numbers by name.
fn figures(progress: &Progress) -> Vec<(&'static str, f64)> {
    let Progress { epoch, epochs, step, steps, loss, subwords_per_second, held_out_ser, left } = *progress;
    let (Left::All(left) | Left::Epoch(left)) = left;
    let counts = [("epoch", epoch), ("epochs", epochs), ("step", step), ("steps", steps)];
    let counts = counts.map(|(name, count)| (name, count as f64));
    let rates =
        [("loss", loss), ("subwords_per_second", subwords_per_second), ("seconds_left", left.as_secs_f64())];
    let held_out = held_out_ser.map(|ser| ("held_out_ser", ser));
    counts.into_iter().chain(rates).chain(held_out).collect()
}

fn left(progress: &Progress) -> String {
    match progress.left {
        Left::All(time) => format!("{} left", HumanDuration(time)),
        Left::Epoch(time) => format!("{} left of epoch {}", HumanDuration(time), progress.epoch),
    }
}

fn doing(progress: &Progress) -> String {
    let Progress { epoch, epochs, step, steps, loss, subwords_per_second, held_out_ser, .. } = progress;
    let ser = held_out_ser.map(|ser| format!(", held-out SER {ser:.4}")).unwrap_or_default();
    format!(
        "epoch {epoch} of {epochs}, step {step} of {steps}, loss {loss:.4}{ser}, {subwords_per_second:.0} subwords/s"
    )
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            messages::set_bar(None);
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_says_how_far_and_how_well() {
        let progress = Progress {
            epoch: 1,
            epochs: 4,
            step: 300,
            steps: 4000,
            loss: 0.04321,
            subwords_per_second: 2150.4,
            held_out_ser: None,
            left: Left::Epoch(Duration::from_secs(340)),
        };
        assert_eq!(left(&progress), "6 minutes left of epoch 1");
        assert_eq!(doing(&progress), "epoch 1 of 4, step 300 of 4000, loss 0.0432, 2150 subwords/s");
        let later =
            Progress { held_out_ser: Some(0.08765), left: Left::All(Duration::from_secs(40)), ..progress };
        assert_eq!(left(&later), "40 seconds left");
        assert_eq!(
            doing(&later),
            "epoch 1 of 4, step 300 of 4000, loss 0.0432, held-out SER 0.0877, 2150 subwords/s"
        );
    }
}
