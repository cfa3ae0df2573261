//! Runs jobs and collects their results: jobs whose output is in the cache are not repeated, and interrupted jobs are
//! resumed.

use std::collections::BTreeMap;
use std::fs::{self, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::collect::{collect, overlap};
use super::plan::{Job, LineRange, Plan, Task};
use super::recipe::Recipe;
use super::results::Results;
use super::tables::leak;
use majuscule_base::error::{Error, Result, option};
use majuscule_base::files;
use majuscule_restore::models::Methods;
use majuscule_text::Locale;
use majuscule_train::corpus::{Corpus, Protocol, Reading, shuffle};
use majuscule_train::eval::usage::Took;

/// A function that runs a verb of the command line: arguments in, printed text out.
pub type Run<'a> = dyn FnMut(&[String]) -> Result<String> + 'a;

/// Runs the jobs of a plan and collects their results; `tell` receives messages for the user.
///
/// # Errors
/// Returns an error if a job fails; the output of earlier jobs is kept.
pub fn execute(
    recipe: &Recipe,
    plan: &Plan,
    methods: &Methods,
    run: &mut Run<'_>,
    tell: &mut dyn FnMut(&str),
) -> Result<Results> {
    let _alone = lock(&plan.cache)?;
    for (file, text) in &plan.texts {
        let folder = file.parent().unwrap_or(&plan.cache);
        fs::create_dir_all(folder).map_err(|error| Error::io("create", folder, error))?;
        files::publish(file, |out| write(out, folder, text.as_bytes()))?;
    }
    let mut known = KnownInputs::read(&plan.cache)?;
    for (at, job) in plan.jobs.iter().enumerate() {
        if !job.is_done() {
            if let Some(file) = known.changed(job) {
                tell(&format!("{file} has changed: {} again", job.title));
            }
            tell(&format!("[{}/{}] {}", at + 1, plan.jobs.len(), job.title));
            do_job(job, run)?;
            known.keep(job, &plan.cache)?;
        }
        for searched in plan.overlaps.iter().filter(|searched| searched.job == at) {
            let found = overlap(recipe, plan, searched)?;
            if let Some(leak) = leak(&found) {
                let command = found.command.replace(" --json --top 0", "");
                tell(&format!("warning: {leak} (listed by: {command})"));
            }
        }
    }
    collect(recipe, plan, methods)
}

/// Locks a cache until the file is closed, so that two runs do not do
/// the same jobs in the same folders.
fn lock(cache: &Path) -> Result<fs::File> {
    fs::create_dir_all(cache).map_err(|error| Error::io("create", cache, error))?;
    let path = cache.join("lock");
    let file = fs::File::options().create(true).append(true).open(&path);
    let file = file.map_err(|error| Error::io("open", &path, error))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Error::file(
            cache.to_string_lossy(),
            format!(
                "another experiment is using this cache: wait until it is done, or name another cache with {}",
                option("cache")
            ),
        )),
        // On a file system without locks, runs are unprotected.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// The name of the file that marks a job as done; it is written last.
const DONE: &str = "done";

impl Job {
    pub(super) fn is_done(&self) -> bool {
        self.folder.join(DONE).is_file()
    }

    /// Reads the resource usage of the job; `None` if it is unknown.
    pub(super) fn usage(&self) -> Option<Took> {
        serde_json::from_slice(&fs::read(self.folder.join("usage.json")).ok()?).ok()
    }

    /// Reads the output that the job printed.
    pub(super) fn printed(&self) -> Result<String> {
        let file = self.folder.join("printed.json");
        fs::read_to_string(&file).map_err(|error| Error::io("read", file, error))
    }
}

fn do_job(job: &Job, run: &mut Run<'_>) -> Result<()> {
    let folder = &job.folder;
    fs::create_dir_all(folder).map_err(|error| Error::io("create", folder, error))?;
    let mut arguments = job.arguments.clone();
    let path =
        |option: &str, file: &str| [option.to_owned(), folder.join(file).to_string_lossy().into_owned()];
    let mut printed = String::new();
    match &job.task {
        Task::Lines { files, range, .. } => take_lines(files, range, &job.output())?,
        Task::Run { checkpoint, .. } => {
            let resumed = folder.join("checkpoint").exists();
            arguments.extend(path("-o", "output"));
            // The remains of an interrupted run are replaced.
            arguments.push("--force".into());
            arguments.extend(path("--usage", "usage.json"));
            if *checkpoint {
                arguments.extend(path("--checkpoint", "checkpoint"));
            }
            run(&arguments)?;
            if resumed {
                // The usage of a resumed job covers only its last part.
                let file = folder.join("usage.json");
                fs::remove_file(&file).map_err(|error| Error::io("remove", file, error))?;
            }
        }
        Task::Print { choices } => {
            if *choices {
                arguments.extend(path("--choices", "output"));
                arguments.push("--force".into());
            }
            arguments.extend(path("--usage", "usage.json"));
            printed = run(&arguments)?;
        }
    }
    files::publish(folder.join("printed.json"), |out| write(out, folder, printed.as_bytes()))?;
    files::publish(folder.join(DONE), |out| write(out, folder, job.request.as_bytes()))
}

fn write(out: &mut impl Write, folder: &Path, bytes: &[u8]) -> Result<()> {
    out.write_all(bytes).map_err(|error| Error::io("write", folder, error))
}

/// Writes a range of the lines of several files to one file.
fn take_lines(from: &[PathBuf], range: &LineRange, to: &Path) -> Result<()> {
    let LineRange { shuffled, skip, lines, .. } = *range;
    // The numbers of lines that are still to be skipped and to be copied.
    let mut left = (skip, lines);
    files::publish(to, |out| {
        let mut take = |line: &str| {
            match &mut left {
                _ if line.trim().is_empty()
                    || range.headings.as_ref().is_some_and(|own| line.starts_with(own)) => {}
                (0, 0) => {}
                (0, lines) => {
                    *lines -= 1;
                    writeln!(out, "{line}").map_err(|error| Error::io("write", to, error))?;
                }
                (skip, _) => *skip -= 1,
            }
            Ok(left.1 > 0)
        };
        if shuffled {
            let corpus = Corpus::new(from, Reading::default(), Protocol::default(), Locale::Root)?;
            let text = shuffle::shuffle(&corpus, shuffle::ShuffleConfig::default())?.text;
            text.lines().try_for_each(|line| take(line).map(|_| ()))?;
        } else {
            for file in from {
                let mut text = files::open(file)?.lines();
                while let Some(line) = text.next()?
                    && take(line)?
                {}
            }
        }
        if left.1 > 0 && lines != u64::MAX {
            let name = from.first().map_or_else(String::new, |file| file.to_string_lossy().into_owned());
            let problem = format!(
                "holds {} lines after the first {skip}, but the recipe needs {lines}",
                lines - left.1
            );
            return Err(Error::file(name, problem));
        }
        Ok(())
    })
}

/// The inputs that each job of a cache read when the job was last run, by the job's request.
#[derive(Debug, Default, Serialize, Deserialize)]
struct KnownInputs(BTreeMap<String, BTreeMap<String, String>>);

impl KnownInputs {
    fn file(cache: &Path) -> PathBuf {
        cache.join("requests.json")
    }

    fn read(cache: &Path) -> Result<Self> {
        let file = Self::file(cache);
        match fs::read(&file) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
                let problem =
                    format!("is not a list of finished jobs ({error}): remove it, and nothing else is lost");
                Error::file(file.to_string_lossy(), problem)
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Error::io("read", file, error)),
        }
    }

    /// Returns an input file that has changed since the job was last run.
    fn changed<'a>(&self, job: &'a Job) -> Option<&'a str> {
        let last = self.0.get(&job.request)?;
        let changed =
            |(file, digest): &(&'a String, &'a String)| last.get(*file).is_some_and(|last| last != *digest);
        job.inputs.iter().find(changed).map(|(file, _)| file.as_str())
    }

    fn keep(&mut self, job: &Job, cache: &Path) -> Result<()> {
        self.0.insert(job.request.clone(), job.inputs.clone());
        let file = Self::file(cache);
        let json = serde_json::to_vec_pretty(self).expect("strings, as JSON has them");
        files::publish(&file, |out| write(out, &file, &json))
    }
}
