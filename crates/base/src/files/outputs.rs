//! Refuses outputs that would destroy data, before long work begins.

use std::fs;
use std::path::Path;

use crate::error::{Error, Result, option};

/// Refuses standard input (`-`) named twice, since the second reader would find it empty.
///
/// # Errors
/// If standard input is named twice.
pub fn check_inputs(inputs: &[impl AsRef<Path>]) -> Result<()> {
    if inputs.iter().filter(|input| input.as_ref() == Path::new("-")).count() > 1 {
        return Err(Error::usage("- is named twice, but standard input can be read only once"));
    }
    Ok(())
}

/// Refuses a folder that [`publish_folder`](super::publish_folder) would not replace, to be called before long work.
///
/// # Errors
/// If something exists there that may not be replaced.
pub fn check_replaceable(target: &Path, replace: Option<&str>) -> Result<()> {
    let shown = target.display();
    let Ok(old) = fs::metadata(target) else { return Ok(()) };
    if !old.is_dir() {
        return Err(Error::usage(format!("{shown} is a file, but the name of a folder is expected")));
    }
    let mut files = fs::read_dir(target).map_err(|error| Error::io("read", target, error))?;
    match replace {
        _ if files.next().is_none() => Ok(()),
        None => Err(exists_already(target, "folder")),
        Some(mark) if target.join(mark).is_file() => Ok(()),
        Some(mark) => Err(Error::usage(format!(
            "{shown} contains no {mark}, so it is not replaced even with {}: name another folder, or remove it",
            option("force")
        ))),
    }
}

/// Refuses an output that is one of the inputs, which would be lost, or that is standard output,
/// where nothing can appear as a whole.
///
/// # Errors
/// If the output is standard output or one of the inputs.
pub fn check_output(output: &Path, inputs: &[impl AsRef<Path>]) -> Result<()> {
    if output == Path::new("-") {
        return Err(Error::usage(
            "this output is written as a whole, so it cannot go to standard output (-): name a file",
        ));
    }
    let Ok(output) = fs::canonicalize(output) else { return Ok(()) };
    match inputs.iter().find(|input| fs::canonicalize(input.as_ref()).is_ok_and(|input| input == output)) {
        Some(input) if output.is_file() => {
            let input = input.as_ref().display();
            Err(Error::usage(format!("{input} is both input and output: name another output file")))
        }
        _ => Ok(()),
    }
}

/// Refuses an output file that exists already, unless it is empty, a device or a pipe, where nothing
/// is lost.
///
/// # Errors
/// If there is such a file.
pub fn check_new(output: &Path) -> Result<()> {
    match fs::metadata(output) {
        Ok(old) if old.is_file() && old.len() > 0 => Err(exists_already(output, "file")),
        _ => Ok(()),
    }
}

/// Returns the error for an output, a `file` or a `folder`, that may not be replaced.
fn exists_already(output: &Path, kind: &str) -> Error {
    let (shown, force) = (output.display(), option("force"));
    Error::usage(format!("{shown} exists already: name another {kind}, or give {force} to replace it"))
}

/// Refuses an output folder that contains an input, which
/// would be lost when the folder is replaced.
///
/// # Errors
/// If an input lies in the folder.
pub fn check_output_folder(output: &Path, inputs: &[impl AsRef<Path>]) -> Result<()> {
    let Ok(folder) = fs::canonicalize(output) else { return Ok(()) };
    let inside = |input: &&_| {
        fs::canonicalize(AsRef::<Path>::as_ref(*input)).is_ok_and(|input| input.starts_with(&folder))
    };
    match inputs.iter().find(inside) {
        Some(input) => Err(Error::usage(format!(
            "{} is inside {}, which would be replaced: name another output folder",
            input.as_ref().display(),
            output.display()
        ))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_holds_an_input_is_no_output() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("a.tsv");
        fs::write(&input, "a").unwrap();
        assert!(matches!(check_output_folder(folder.path(), &[&input]), Err(Error::Usage(_))));
        assert!(check_output_folder(&folder.path().join("new"), &[&input]).is_ok());
        assert!(check_inputs(&["-", "a", "-"]).is_err() && check_inputs(&["-", "a", "a"]).is_ok());
    }

    #[test]
    fn an_output_that_is_an_input_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        assert!(check_output(&path, &[&path]).is_ok());
        fs::write(&path, "").unwrap();
        assert!(matches!(
            check_output(&folder.path().join(".").join("text"), &[&path]),
            Err(Error::Usage(_))
        ));
        assert!(check_output(&folder.path().join("other"), &[&path]).is_ok());
        assert!(check_output(Path::new("-"), &[&path]).unwrap_err().to_string().contains("name a file"));
    }
}
