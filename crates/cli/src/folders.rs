//! The texts in a folder, which every verb reads if a folder is named.

use std::fs;
use std::path::{Path, PathBuf};

use majuscule_base::error::{Error, Result};
use majuscule_base::files;
use majuscule_format::Format;
use majuscule_methods::model::MANIFEST;

/// A text, and its name in an output folder.
pub struct InputText {
    pub path: PathBuf,
    pub name: PathBuf,
}

/// The extensions of plain text in addition to the extensions of the format: Markdown, and web pages and documents.
/// Restoring copies their mark-up, but learning would read it as words.
const MARKDOWN: [&str; 2] = ["md", "markdown"];
const MARKUP: [&str; 3] = ["html", "htm", "tex"];

/// Returns the texts of files and folders, in order: each file, and of each folder and its subfolders the files with
/// the extension of any format, or of this `format` if it is not `auto`. The other files of a folder are reported.
///
/// # Errors
/// If a folder cannot be read or holds no such files.
pub fn texts(files: &[PathBuf], format: Format) -> Result<Vec<InputText>> {
    texts_named(files, format, &[&MARKDOWN[..], &MARKUP].concat())
}

/// Does the work of [`texts`], where `plain` are the extensions of plain text in addition to those of the format.
fn texts_named(files: &[PathBuf], format: Format, plain: &[&str]) -> Result<Vec<InputText>> {
    let is_named = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let end = files::uncompressed_name(&name).rsplit_once('.').map(|(_, end)| end.to_owned());
        let is_plain = matches!(format, Format::Auto | Format::Text);
        is_plain && end.is_some_and(|end| plain.contains(&end.as_str()))
            || Format::named(path).is_some_and(|kind| format == Format::Auto || format == kind)
    };
    let mut texts = Vec::new();
    for path in files {
        if !path.is_dir() {
            texts.push(InputText { path: path.clone(), name: files::name(path).into() });
            continue;
        }
        let from = texts.len();
        let mut skipped = Vec::new();
        walk(path, Path::new(""), &is_named, &mut texts, &mut skipped)?;
        if texts.len() == from {
            let problem = "is a folder, but no file in it has a known extension, such as .srt: name the files themselves";
            return Err(Error::file(path.to_string_lossy(), problem));
        }
        if !skipped.is_empty() {
            let (folder, skipped) = (path.display(), skipped.join(", "));
            tell!("{folder}: skipped {skipped}, since the names show no known format of text");
        }
    }
    Ok(texts)
}

/// Returns the paths of [`texts`] to learn from, without web pages and documents, which have mark-up.
///
/// # Errors
/// Like [`texts`].
#[cfg(feature = "learning")]
pub fn paths(files: &[PathBuf], format: Format) -> Result<Vec<PathBuf>> {
    Ok(texts_named(files, format, &MARKDOWN)?.into_iter().map(|text| text.path).collect())
}

/// Returns for each path, a reference or a hypothesis for it, the list of its texts. The files of folders must have
/// the same names except for their extensions, and come in the order of these names.
///
/// # Errors
/// If a folder is compared with a file, or if its names differ from the names in the reference
/// folder.
#[cfg(feature = "learning")]
pub fn sides(paths: &[&Path], format: Format) -> Result<Vec<Vec<PathBuf>>> {
    let is_folder = paths.first().is_some_and(|reference| reference.is_dir());
    if let Some(other) = paths.iter().find(|path| path.is_dir() != is_folder) {
        let (folder, file) = if is_folder { (paths[0], *other) } else { (*other, paths[0]) };
        return Err(Error::usage(format!(
            "{} is a folder, but {} is a file: name two files, or two folders whose files have the same names",
            folder.display(),
            file.display()
        )));
    }
    if !is_folder {
        return Ok(paths.iter().map(|path| vec![path.to_path_buf()]).collect());
    }
    let mut sides = Vec::new();
    let mut names: Option<Vec<PathBuf>> = None;
    for path in paths {
        let named = |InputText { path, name }| {
            let name = PathBuf::from(files::uncompressed_name(&name.to_string_lossy()));
            (name.with_extension(""), path)
        };
        let texts = texts_named(&[path.to_path_buf()], format, &MARKDOWN)?;
        let mut side: Vec<(PathBuf, PathBuf)> = texts.into_iter().map(named).collect();
        side.sort();
        let own: Vec<PathBuf> = side.iter().map(|(name, _)| name.clone()).collect();
        let expected = names.get_or_insert_with(|| own.clone());
        let lacks = |folder: &Path, name: &Path, other: &Path| {
            let (folder, name, other) = (folder.display(), name.display(), other.display());
            Err(Error::usage(format!(
                "{folder} has no {name}, which {other} has: expected the same file names in both, extensions aside"
            )))
        };
        if let Some(name) = expected.iter().find(|name| !own.contains(name)) {
            return lacks(path, name, paths[0]);
        }
        if let Some(name) = own.iter().find(|name| !expected.contains(name)) {
            return lacks(paths[0], name, path);
        }
        sides.push(side.into_iter().map(|(_, path)| path).collect());
    }
    Ok(sides)
}

/// Adds the texts of a folder and its subfolders, but not the files of a model, and the names of the other
/// files except for hidden ones; links to other folders are not followed.
fn walk(
    folder: &Path,
    inside: &Path,
    is_named: &impl Fn(&Path) -> bool,
    texts: &mut Vec<InputText>,
    skipped: &mut Vec<String>,
) -> Result<()> {
    if folder.join(MANIFEST).exists() {
        return Ok(());
    }
    let refused = |error| Error::io("read", folder, error);
    for path in files::paths_in(folder)? {
        let name = inside.join(files::name(&path));
        if fs::symlink_metadata(&path).map_err(refused)?.is_dir() {
            walk(&path, &name, is_named, texts, skipped)?;
        } else if !path.is_file() {
            continue;
        } else if is_named(&path) {
            texts.push(InputText { path, name });
        } else if !files::name(&path).starts_with('.') {
            skipped.push(name.display().to_string());
        }
    }
    Ok(())
}
