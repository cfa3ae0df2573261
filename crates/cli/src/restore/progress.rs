//! The progress bar of `majuscule restore`.

use std::io::IsTerminal;
use std::path::Path;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use majuscule_base::files;
use majuscule_restore::Done;

use crate::messages;

/// A progress bar on standard error, if that is a terminal and the work takes long.
pub(super) struct RestoreProgress {
    /// The number of bytes to read, if known.
    bytes: Option<u64>,
    start: Instant,
    bar: Option<ProgressBar>,
    wanted: bool,
}

/// The time before the bar appears: shorter work shows none.
const PATIENCE: Duration = Duration::from_millis(500);

impl RestoreProgress {
    /// Makes a progress bar that is never shown if `hidden`, because it is not wanted or would
    /// appear between the lines of a text on the terminal.
    pub(super) fn new(files: &[&Path], hidden: bool) -> Self {
        let wanted = std::io::stderr().is_terminal() && !hidden;
        let bytes = if wanted { files.iter().map(files::len).sum() } else { None };
        Self { bytes, start: Instant::now(), bar: None, wanted }
    }

    pub(super) fn show(&mut self, done: Done) {
        if !self.wanted || self.bar.is_none() && self.start.elapsed() < PATIENCE {
            return;
        }
        let bytes = self.bytes;
        let bar = self.bar.get_or_insert_with(|| {
            let bar = bar(bytes);
            messages::set_bar(Some(&bar));
            bar
        });
        bar.set_position(done.bytes);
        let seconds = self.start.elapsed().as_secs_f64();
        bar.set_message(format!("{} words, {:.1} M/s", done.words, done.words as f64 / seconds / 1e6));
    }
}

impl Drop for RestoreProgress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            messages::set_bar(None);
            bar.finish_and_clear();
        }
    }
}

/// Returns a bar if the number of bytes is known, otherwise a counter.
fn bar(bytes: Option<u64>) -> ProgressBar {
    let known = "{elapsed_precise} [{bar:30}] {bytes}/{total_bytes}, {msg}, {eta} left";
    let open = "{elapsed_precise} {bytes}, {msg}";
    let (bar, template) = match bytes {
        None => (ProgressBar::no_length(), open),
        Some(bytes) => (ProgressBar::new(bytes), known),
    };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
