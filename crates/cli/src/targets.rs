//! Where texts come from, and where they go: to standard output, a file, a folder, or back where they were.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use majuscule::error::{Error, Result};
use majuscule::files;
use majuscule::format::Kind;
use majuscule::model::MANIFEST;

/// What is read, and what becomes of it.
#[derive(Debug, clap::Args)]
pub struct Targets {
    /// Texts, subtitles and transcripts; .gz, .zst and .xz are read as they are; - and none at all are standard input. Of a folder
    /// all files are read that are named as a format (.txt, .srt, .vtt, .ass, .ttml, .ctm, .stm, .jsonl, .json, .conll), in the folders inside
    /// it too
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write here instead of standard output: to a file, which appears whole, once all is done, or to a folder (one that is there,
    /// or out/), where each text keeps its name
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write each text back to its file; with an ending (--in-place=.bak) the file as it was stays beside it under its name and
    /// that ending. A file that does not change is not touched
    #[arg(
        long,
        value_name = "ENDING",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        conflicts_with_all = ["output", "stream", "n_best", "confidence", "json"]
    )]
    in_place: Option<String>,
    /// Write nothing, but print what would change, as --diff does, and exit with 1 where something would
    #[arg(long, conflicts_with_all = ["output", "in_place", "stream", "n_best", "confidence", "json"])]
    check: bool,
    /// Print what changes as a unified diff, instead of the text
    #[arg(long, conflicts_with_all = ["output", "in_place", "stream", "n_best", "confidence", "json"])]
    diff: bool,
}

/// Where the texts go.
#[derive(Debug)]
pub enum Destination {
    /// All, one after the other, to standard output.
    Out(Vec<PathBuf>),
    /// All, one after the other, to one file.
    Joined(Vec<PathBuf>, PathBuf),
    /// Each to a file of its own.
    Apart(Vec<(PathBuf, PathBuf)>),
    /// Each back to its file; what the file held stays under another ending, if one is given.
    Back(Vec<PathBuf>, Option<String>),
    /// What changes goes to standard output; whether that is a failure.
    Diff(Vec<PathBuf>, bool),
}

/// A text that is read, and its name in a folder it may be written to.
struct InputText {
    path: PathBuf,
    name: PathBuf,
}

impl Destination {
    /// The texts.
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
    /// Whether what changes comes out, instead of the text.
    pub fn is_compared(&self) -> bool {
        self.check || self.diff
    }

    /// Where the texts go; of folders, those named as files of this format. `others` are read too, and must not be written.
    ///
    /// # Errors
    /// Where a folder cannot be read or holds none, and where what is read would be written over or twice.
    pub fn way(&self, format: Kind, others: &[PathBuf]) -> Result<Destination> {
        let texts = self.texts(format)?;
        let paths = || texts.iter().map(|text| text.path.clone()).collect::<Vec<_>>();
        let inputs = [&paths(), others].concat();
        files::check_inputs(&inputs)?;
        let output = self.output.as_deref().filter(|path| *path != Path::new("-"));
        let has_folder = self.files.iter().any(|file| file.is_dir());
        Ok(match output {
            Some(folder) if has_folder || is_folder(folder) => {
                Destination::Apart(apart(texts, folder, &inputs)?)
            }
            Some(file) => {
                files::check_output(file, &inputs)?;
                let name = file.to_string_lossy();
                let plain = files::uncompressed_name(&name);
                if plain != name {
                    let problem = "is the name of a compressed file, but texts come out as they are: name";
                    return Err(Error::Usage(format!("{name} {problem} {plain}")));
                }
                Destination::Joined(paths(), file.to_owned())
            }
            None if self.is_compared() => Destination::Diff(paths(), self.check),
            None => match &self.in_place {
                Some(ending) => Destination::Back(paths(), self.backup(ending)?),
                None if has_folder => {
                    let problem = "a folder is given, but the texts in it have nowhere to go: name a folder for them with \
                                   -o, or give --in-place, --check or --diff";
                    return Err(Error::Usage(problem.into()));
                }
                None => Destination::Out(paths()),
            },
        })
    }

    /// Whether a text that was found in a folder is a link to a file outside it. One that is named itself is meant.
    pub fn leads_out(&self, path: &Path) -> bool {
        let is_outside = |folder: &PathBuf| match (fs::canonicalize(path), fs::canonicalize(folder)) {
            (Ok(file), Ok(folder)) => !file.starts_with(folder),
            _ => true,
        };
        let mut folders = self.files.iter().filter(|folder| path.starts_with(folder));
        path.is_symlink() && !self.files.iter().any(|file| file == path) && folders.any(is_outside)
    }

    fn texts(&self, format: Kind) -> Result<Vec<InputText>> {
        if self.files.is_empty() {
            return Ok(vec![InputText { path: "-".into(), name: "-".into() }]);
        }
        let mut texts = Vec::new();
        for path in &self.files {
            if !path.is_dir() {
                texts.push(InputText { path: path.clone(), name: files::name(path).into() });
                continue;
            }
            let from = texts.len();
            walk(path, Path::new(""), format, &mut texts)?;
            if texts.len() == from {
                let problem =
                    "is a folder, but no file in it is named as a format, such as talk.srt: name files";
                return Err(Error::file(path.to_string_lossy(), problem));
            }
        }
        Ok(texts)
    }

    fn backup(&self, ending: &str) -> Result<Option<String>> {
        if let Some(file) = self.files.iter().find(|file| is_ending(file)).filter(|_| ending.is_empty()) {
            let file = file.display();
            let problem = "looks like the ending of backups, and there is no such file: write";
            return Err(Error::Usage(format!(
                "--in-place {file}: {file} {problem} --in-place={file}, or ./{file} where it is a text"
            )));
        }
        if self.files.is_empty() || self.files.iter().any(|file| file == Path::new("-")) {
            return Err(Error::Usage("--in-place writes to files: name them".into()));
        }
        if ending.contains(['/', '\\']) {
            return Err(Error::Usage(format!(
                "--in-place={ending}: expected an ending of names, such as .bak"
            )));
        }
        if Kind::named(Path::new(ending)).is_some() {
            let problem = "the file as it was would be taken for a text the next time: name another ending, such as .bak";
            return Err(Error::Usage(format!("--in-place={ending}: {problem}")));
        }
        Ok(Some(ending.to_owned()).filter(|ending| !ending.is_empty()))
    }
}

/// Whether a file that is not there may be meant as an ending: `.bak`, `~`, `orig`.
fn is_ending(file: &Path) -> bool {
    let name = file.to_string_lossy();
    let begins = name.starts_with(['.', '~']) && !name.contains(['/', '\\']);
    (begins || ["bak", "orig", "old", "backup"].contains(&&*name)) && fs::symlink_metadata(file).is_err()
}

fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR])
}

/// Adds the texts of a folder, but not what a model is made of; links to other folders are not followed.
fn walk(folder: &Path, inside: &Path, format: Kind, texts: &mut Vec<InputText>) -> Result<()> {
    if folder.join(MANIFEST).exists() {
        return Ok(());
    }
    let refused = |error| Error::io("read", folder, error);
    for path in files::paths_in(folder)? {
        let name = inside.join(files::name(&path));
        let is_named = Kind::named(&path).is_some_and(|kind| format == Kind::Auto || format == kind);
        if fs::symlink_metadata(&path).map_err(refused)?.is_dir() {
            walk(&path, &name, format, texts)?;
        } else if is_named && path.is_file() {
            texts.push(InputText { path, name });
        }
    }
    Ok(())
}

/// The file in `folder` that each text goes to.
fn apart(texts: Vec<InputText>, folder: &Path, inputs: &[PathBuf]) -> Result<Vec<(PathBuf, PathBuf)>> {
    if folder.join(MANIFEST).exists() {
        let problem = format!("{} holds a model: name another output folder", folder.display());
        return Err(Error::Usage(problem));
    }
    let read: BTreeSet<PathBuf> = inputs.iter().filter_map(|input| fs::canonicalize(input).ok()).collect();
    let mut written = BTreeSet::new();
    let mut pairs = Vec::new();
    for InputText { path, name } in texts {
        let name = name.to_string_lossy();
        if name == "-" {
            return Err(Error::Usage("standard input has no name in a folder: name a file with -o".into()));
        }
        let target = folder.join(files::uncompressed_name(&name));
        let problem = if fs::canonicalize(&target).is_ok_and(|target| read.contains(&target)) {
            "is both input and output: name another output folder, or give --in-place"
        } else if !written.insert(target.clone()) {
            "would be written twice, for two inputs have this name: write one of them to another folder"
        } else {
            pairs.push((path, target));
            continue;
        };
        return Err(Error::Usage(format!("{} {problem}", target.display())));
    }
    Ok(pairs)
}
