//! `--usage`: records the time and memory of a run for the experiment that started it.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use super::publish;
use majuscule_base::error::Result;
use majuscule_base::files;
use majuscule_text::restorer::{Details, Request, Restorer, Session};
use majuscule_text::{Choice, Labels, Tokens};
use majuscule_train::eval::usage::{Restoring, Took, Usage};

/// The time that models worked in this process, in nanoseconds (wall-clock time and, for models in
/// one thread, CPU time), and the number of words that the models processed.
static WALL: AtomicU64 = AtomicU64::new(0);
static ON_CPU: AtomicU64 = AtomicU64::new(0);
static WORDS: AtomicU64 = AtomicU64::new(0);

/// The smallest CPU time that is exact enough: Linux counts CPU time in ticks of some milliseconds.
const EXACT: u64 = 100_000_000;

/// A running measurement, and the file for its result.
#[derive(Debug)]
pub struct UsageWatch {
    file: Option<PathBuf>,
    since: Instant,
}

impl UsageWatch {
    /// Starts the measurement. A file is requested only by an experiment, which holds standard
    /// input open: once the experiment has ended, however it ended, this process ends too.
    pub fn new(file: Option<PathBuf>) -> Self {
        if file.is_some() {
            thread::spawn(|| {
                let _ = io::copy(&mut io::stdin(), &mut io::sink());
                let _nothing_more = files::remove_unfinished();
                process::exit(1);
            });
        }
        Self { file, since: Instant::now() }
    }

    /// Writes the usage so far, if a file was requested.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self) -> Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let [wall, on_cpu, words] = [&WALL, &ON_CPU, &WORDS].map(|count| count.load(Ordering::Relaxed));
        let nanoseconds = if on_cpu < EXACT { wall } else { on_cpu };
        let took = Took {
            usage: Usage {
                wall_seconds: self.since.elapsed().as_secs_f64(),
                cpu_seconds: cpu_seconds(),
                peak_bytes: peak_bytes(),
            },
            processor: processor(),
            restoring: (words > 0).then(|| Restoring { seconds: nanoseconds as f64 / 1e9, words }),
        };
        let json = serde_json::to_vec(&took).expect("numbers, as JSON has them");
        publish(file, |out| out.write_all(&json))
    }
}

/// User and system time of all threads so far, as Linux reports it.
fn cpu_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is a name in parentheses, which may hold spaces.
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks: Vec<f64> =
        fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    let [user, system] = ticks[..] else { return None };
    // USER_HZ, which is 100 on every machine that Linux runs on.
    Some((user + system) / 100.0)
}

/// The name of the CPU, as Linux reports it.
fn processor() -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix("model name"))?;
    let name = line.trim_start().strip_prefix(':')?.trim();
    (!name.is_empty() && name != "unknown").then(|| name.to_owned())
}

/// The peak resident memory, as Linux reports it.
fn peak_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// The CPU time of this thread in nanoseconds, as Linux reports it, with the precision of a scheduler tick.
fn thread_nanoseconds() -> Option<u64> {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    stat.split(' ').next()?.parse().ok()
}

/// A model that measures the time of its work: CPU time, which other work on the machine does not
/// change, if it works in one thread for some time and the system reports it; otherwise wall-clock time.
pub struct Timed<'a>(pub &'a dyn Restorer);

impl Restorer for Timed<'_> {
    fn labels(&self) -> &Labels {
        self.0.labels()
    }

    fn look_ahead(&self) -> Option<usize> {
        self.0.look_ahead()
    }

    fn details(&self) -> Option<&dyn Details> {
        self.0.details()
    }

    fn has_probabilities(&self) -> bool {
        self.0.has_probabilities()
    }

    fn balances_capitals(&self) -> bool {
        self.0.balances_capitals()
    }

    fn session(&self, request: Request) -> Box<dyn Session + '_> {
        self.0.session(request)
    }

    fn restore_batch(&self, documents: &[Tokens], request: Request) -> Result<Vec<Vec<Choice>>> {
        let (since, before) =
            (Instant::now(), (request.threads.get() == 1).then(thread_nanoseconds).flatten());
        let choices = self.0.restore_batch(documents, request);
        WALL.fetch_add(since.elapsed().as_nanos() as u64, Ordering::Relaxed);
        if let Some((before, after)) = before.zip(thread_nanoseconds()) {
            ON_CPU.fetch_add(after.saturating_sub(before), Ordering::Relaxed);
        }
        WORDS.fetch_add(documents.iter().map(|tokens| tokens.len() as u64).sum(), Ordering::Relaxed);
        choices
    }
}
