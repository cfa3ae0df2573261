//! Signals: a program that is told to end leaves nothing unfinished behind.

/// Removes, once a signal tells the program to end, what it has not finished, and ends it as the signal would have. A signal that is ignored
/// (`nohup`) stays ignored.
#[cfg(unix)]
pub fn clean_up() {
    use std::thread;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    use majuscule::files;

    let wanted = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !is_ignored(signal));
    let Ok(mut signals) = Signals::new(wanted) else { return };
    // Where there are no threads, the next run clears up.
    let _ = thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            let _nothing_more = files::remove_unfinished();
            let _ = emulate_default_handler(signal);
        }
    });
}

#[cfg(not(unix))]
pub fn clean_up() {}

/// Whether the program was started with a signal ignored, as far as the system tells.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // Elsewhere nobody tells, and only a hangup is commonly ignored.
    mask.map_or(signal == signal_hook::consts::SIGHUP, |mask| mask >> (signal - 1) & 1 == 1)
}
