//! Signals: an interrupted program leaves nothing unfinished behind.

/// On a signal that ends the program, removes unfinished files and ends the program as the signal
/// would have. An ignored signal (`nohup`) stays ignored.
#[cfg(unix)]
pub fn clean_up() {
    use std::thread;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    use majuscule_base::files;

    let wanted = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !is_ignored(signal));
    let Ok(mut signals) = Signals::new(wanted) else { return };
    // If no thread can be started, the next run removes the files that this one leaves.
    let _ = thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            let _nothing_more = files::remove_unfinished();
            let _ = emulate_default_handler(signal);
        }
    });
}

#[cfg(not(unix))]
pub fn clean_up() {}

/// Returns true if the program was started with the signal
/// ignored, as far as the system reports it.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // Other systems do not report it; there only a hangup is commonly ignored.
    mask.map_or(signal == signal_hook::consts::SIGHUP, |mask| mask >> (signal - 1) & 1 == 1)
}
