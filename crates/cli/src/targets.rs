//! The inputs and outputs of `restore`: standard input and output, files, folders, or in place.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::folders::{self, InputText};
use super::force::ForceArg;
use majuscule_base::error::{Error, Result};
use majuscule_base::files;
use majuscule_format::Format;
use majuscule_methods::model::MANIFEST;

/// The input and output options.
#[derive(Debug, clap::Args)]
pub struct Targets {
    #[command(flatten)]
    named: NamedTexts,
    /// Overwrite each file that changes; --in-place=.bak keeps a backup next to it. A crash or a
    /// full disk never leaves a half-written file
    #[arg(
        long,
        value_name = "ENDING",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        conflicts_with_all = ["output", "stream", "n_best", "confidence", "json", "to", "cues"]
    )]
    in_place: Option<String>,
    /// Write nothing, print changes as --diff does, and exit with 1 if there are any
    #[arg(long, conflicts_with_all = ["output", "in_place", "stream", "n_best", "confidence", "json", "to", "cues"])]
    check: bool,
    /// Print the changes as a unified diff, instead of the text
    #[arg(long, conflicts_with_all = ["output", "in_place", "stream", "n_best", "confidence", "json", "to", "cues"])]
    diff: bool,
}

/// The texts, and an output that is not in their place.
#[derive(Debug, clap::Args)]
pub struct NamedTexts {
    /// Texts, subtitles and transcripts, also as .gz, .zst or .xz; standard input for - or if none
    /// is given. From a folder and its subfolders, only files with a known extension are read
    /// (such as .txt, .srt, .vtt, .ass, .ttml, .csv, .tsv, .jsonl and .json)
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write to this file instead of standard output; it appears only once it is complete. In a
    /// folder (an existing one, or out/), output files keep their names and subfolders
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArg,
}

/// The destination of the texts.
#[derive(Debug)]
pub enum Destination {
    /// All texts, one after another, to standard output.
    Out(Vec<PathBuf>),
    /// All texts, one after another, to one file.
    Joined(Vec<PathBuf>, PathBuf),
    /// Each text to a file of its own.
    Apart(Vec<(PathBuf, PathBuf)>),
    /// Each text back to its file, with the extension of backups, if any.
    Back(Vec<PathBuf>, Option<String>),
    /// A diff of each text, printed to standard output; the flag is true for `--check`, under which any change makes
    /// the exit code a failure.
    Diff(Vec<PathBuf>, bool),
}

impl Destination {
    /// Returns the paths of the texts.
    pub fn paths(&self) -> Vec<&Path> {
        match self {
            Self::Out(paths) | Self::Joined(paths, _) | Self::Back(paths, _) | Self::Diff(paths, _) => {
                paths.iter().map(PathBuf::as_path).collect()
            }
            Self::Apart(pairs) => pairs.iter().map(|(path, _)| path.as_path()).collect(),
        }
    }
}

impl Targets {
    /// Returns true if the changes are printed instead of the text.
    pub fn is_compared(&self) -> bool {
        self.check || self.diff
    }

    /// Returns the files and folders that are named.
    pub fn files(&self) -> &[PathBuf] {
        &self.named.files
    }

    /// Returns the destination of the texts. From a folder, only files named as this format are read. In an output
    /// folder, their names have the extension of the format `to`, if there is one. `others` are further inputs, which
    /// must not be overwritten.
    ///
    /// # Errors
    /// If a folder cannot be read or holds no texts, or an
    /// output would overwrite an input or another output.
    pub fn way(&self, format: Format, to: Option<Format>, others: &[PathBuf]) -> Result<Destination> {
        let named = &self.named;
        let paths = || {
            let paths: Vec<PathBuf> = named.texts(format)?.into_iter().map(|text| text.path).collect();
            files::check_inputs(&[&paths, others].concat()).map(|()| paths)
        };
        match &self.in_place {
            _ if self.is_compared() => Ok(Destination::Diff(paths()?, self.check)),
            Some(ending) => Ok(Destination::Back(paths()?, self.backup(ending)?)),
            None => named.way(format, to, others, ", or give --in-place, --check or --diff"),
        }
    }

    /// Returns true if a text found in a folder is a link to a file outside it. A link that was
    /// named itself is followed.
    pub fn leads_out(&self, path: &Path) -> bool {
        let is_outside = |folder: &PathBuf| match (fs::canonicalize(path), fs::canonicalize(folder)) {
            (Ok(file), Ok(folder)) => !file.starts_with(folder),
            _ => true,
        };
        let mut folders = self.named.files.iter().filter(|folder| path.starts_with(folder));
        path.is_symlink() && !self.named.files.iter().any(|file| file == path) && folders.any(is_outside)
    }

    fn backup(&self, ending: &str) -> Result<Option<String>> {
        if let Some(file) = self.named.files.iter().find(|file| is_ending(file)).filter(|_| ending.is_empty())
        {
            let file = file.display();
            let problem = "looks like the extension for backups, and there is no such file: write";
            return Err(Error::usage(format!(
                "--in-place {file}: {file} {problem} --in-place={file}, or ./{file} if it is a text"
            )));
        }
        if self.named.files.is_empty() || self.named.files.iter().any(|file| file == Path::new("-")) {
            return Err(Error::usage("--in-place writes to files: name them"));
        }
        if ending.contains(['/', '\\']) {
            return Err(Error::usage(format!(
                "--in-place={ending}: expected a file extension, such as .bak"
            )));
        }
        if Format::named(Path::new(ending)).is_some() {
            let problem =
                "the backup would be read as a text the next time: name another extension, such as .bak";
            return Err(Error::usage(format!("--in-place={ending}: {problem}")));
        }
        Ok(Some(ending.to_owned()).filter(|ending| !ending.is_empty()))
    }
}

impl NamedTexts {
    /// Returns the destination of the texts, as [`Targets::way`] does; `remedy` is advice on what else can be done
    /// with a folder.
    ///
    /// # Errors
    /// The errors of [`Targets::way`].
    pub fn way(
        &self,
        format: Format,
        to: Option<Format>,
        others: &[PathBuf],
        remedy: &str,
    ) -> Result<Destination> {
        let texts = self.texts(format)?;
        let paths = || texts.iter().map(|text| text.path.clone()).collect::<Vec<_>>();
        let inputs = [&paths(), others].concat();
        files::check_inputs(&inputs)?;
        let output = self.output.as_deref().filter(|path| *path != Path::new("-"));
        let has_folder = self.files.iter().any(|file| file.is_dir());
        Ok(match output {
            Some(folder) if has_folder || is_folder(folder) => {
                let pairs = apart(texts, folder, to.and_then(Format::ending), &inputs)?;
                self.check_new(folder, &pairs)?;
                Destination::Apart(pairs)
            }
            Some(file) => {
                self.force.check(file, &inputs)?;
                let name = file.to_string_lossy();
                let plain = files::uncompressed_name(&name);
                if plain != name {
                    let problem = "is the name of a compressed file, but output is not compressed: name";
                    return Err(Error::usage(format!("{name} {problem} {plain}")));
                }
                Destination::Joined(paths(), file.to_owned())
            }
            None if has_folder => {
                let problem =
                    "a folder is given, but no output for the texts in it: name an output folder with -o";
                return Err(Error::usage(format!("{problem}{remedy}")));
            }
            None => Destination::Out(paths()),
        })
    }

    /// Refuses outputs in a folder that exist already, unless they may be replaced.
    fn check_new(&self, folder: &Path, pairs: &[(PathBuf, PathBuf)]) -> Result<()> {
        let is_old = |(_, target): &&(PathBuf, PathBuf)| files::check_new(target).is_err();
        let old: Vec<&Path> = match self.force.is_given() {
            true => Vec::new(),
            false => pairs.iter().filter(is_old).map(|(_, target)| target.as_path()).collect(),
        };
        match old[..] {
            [] => Ok(()),
            [one] => files::check_new(one),
            [first, ..] => Err(Error::usage(format!(
                "{} of {} outputs exist already in {}, such as {}: name another folder, or give --force to replace them",
                old.len(),
                pairs.len(),
                folder.display(),
                first.display()
            ))),
        }
    }

    fn texts(&self, format: Format) -> Result<Vec<InputText>> {
        if self.files.is_empty() {
            return Ok(vec![InputText { path: "-".into(), name: "-".into() }]);
        }
        folders::texts(&self.files, format)
    }
}

/// Returns true if the name of a missing file may have been
/// meant as an extension: `.bak`, `~`, `orig`.
fn is_ending(file: &Path) -> bool {
    let name = file.to_string_lossy();
    let begins = name.starts_with(['.', '~']) && !name.contains(['/', '\\']);
    (begins || ["bak", "orig", "old", "backup"].contains(&&*name)) && fs::symlink_metadata(file).is_err()
}

fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR])
}

/// Pairs each text with its output file in `folder`.
fn apart(
    texts: Vec<InputText>,
    folder: &Path,
    ending: Option<&str>,
    inputs: &[PathBuf],
) -> Result<Vec<(PathBuf, PathBuf)>> {
    if folder.join(MANIFEST).exists() {
        let problem = format!("{} contains a model: name another output folder", folder.display());
        return Err(Error::usage(problem));
    }
    let read: BTreeSet<PathBuf> = inputs.iter().filter_map(|input| fs::canonicalize(input).ok()).collect();
    let mut written = BTreeSet::new();
    let mut pairs = Vec::new();
    for InputText { path, name } in texts {
        let name = name.to_string_lossy();
        if name == "-" {
            return Err(Error::usage(
                "standard input has no file name for the output folder: name a file with -o",
            ));
        }
        let mut target = folder.join(files::uncompressed_name(&name));
        if let Some(ending) = ending
            && Format::named(&target).is_some()
        {
            target.set_extension(ending);
        }
        let problem = if fs::canonicalize(&target).is_ok_and(|target| read.contains(&target)) {
            "is both input and output: name another output folder, or give --in-place"
        } else if !written.insert(target.clone()) {
            "would be written twice, since two inputs have this name: write one of them to another folder"
        } else {
            pairs.push((path, target));
            continue;
        };
        return Err(Error::usage(format!("{} {problem}", target.display())));
    }
    Ok(pairs)
}
