//! Files and folders that appear under their names as a whole, or not at all.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::input::BUFFER;
use super::outputs::check_replaceable;
use super::unfinished::{Unfinished, parent};
use crate::error::{Error, Result};

/// An unfinished file, written under a hidden name in the same folder and renamed by
/// [`Publish::commit`], so that the final name always has the old or the new contents, never a
/// part. Dropped without a commit, it leaves nothing.
#[derive(Debug)]
pub struct Publish {
    target: PathBuf,
    /// `None` for a device or a pipe, which is written directly.
    temporary: Option<Unfinished>,
    /// `None` once committed.
    writer: Option<BufWriter<File>>,
}

impl Publish {
    /// Begins a file to be published at `path`. A link is followed. An existing file keeps its
    /// owner and permissions.
    ///
    /// # Errors
    /// If the folder or the existing file cannot be written,
    /// or a new file cannot have the same owner.
    pub fn new(path: impl AsRef<Path>) -> Result<Self> {
        let target = followed(path.as_ref());
        let old = match fs::metadata(&target) {
            Ok(old) if old.is_dir() => {
                let problem = "is a folder, but the name of a file is expected";
                return Err(Error::file(target.to_string_lossy(), problem));
            }
            Ok(old) if !old.is_file() => {
                let file = File::options().write(true).open(&target);
                let file = file.map_err(|error| Error::io("write", &target, error))?;
                return Ok(Self { target, temporary: None, writer: Some(BufWriter::new(file)) });
            }
            Ok(old) => {
                // Renaming would replace even a write-protected file.
                let opened = File::options().write(true).open(&target);
                opened.map_err(|error| Error::io("write", &target, error))?;
                Some(old)
            }
            Err(_) => None,
        };
        let (temporary, file) = match old {
            None => Unfinished::file(&target, File::options().write(true))?,
            Some(old) => {
                let (temporary, file) = Unfinished::file(&target, &mut like(&old))?;
                inherit(&file, &old, &target)?;
                (temporary, file)
            }
        };
        let writer = Some(BufWriter::with_capacity(BUFFER, file));
        Ok(Self { target, temporary: Some(temporary), writer })
    }

    /// Renames the file to its final name.
    ///
    /// # Errors
    /// If the rest cannot be written or the file cannot be renamed; nothing is left of it then.
    pub fn commit(self) -> Result<()> {
        self.replace(None)
    }

    /// Renames the file to its final name, and keeps an existing file under that name with `ending`
    /// appended. At every moment the old contents have one of the two names.
    ///
    /// # Errors
    /// Like [`Publish::commit`], and if other contents have the name of the backup already.
    pub fn commit_with_backup(self, ending: &str) -> Result<()> {
        let mut backup = self.target.clone().into_os_string();
        backup.push(ending);
        self.replace(Some(Path::new(&backup)))
    }

    fn replace(self, backup: Option<&Path>) -> Result<()> {
        let refused = |error| Error::io("write", &self.target, error);
        let written = self.writer.map(BufWriter::into_inner).transpose();
        let file = written.map_err(|error| refused(error.into_error()))?;
        let Some(temporary) = self.temporary else { return Ok(()) };
        file.map_or(Ok(()), |file| file.sync_all()).map_err(refused)?;
        if let Some(backup) = backup {
            keep(&self.target, backup)?;
        }
        temporary.rename(&self.target).map_err(refused)?;
        sync_folder(parent(&self.target));
        Ok(())
    }
}

/// Returns the options for creating a file that replaces another, never with wider permissions.
#[cfg_attr(not(unix), expect(unused_variables, reason = "only Unix knows modes"))]
fn like(old: &fs::Metadata) -> fs::OpenOptions {
    let mut options = File::options();
    options.write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
        // Only the owner may read the file until it has its group.
        options.mode(old.mode() & 0o700);
    }
    options
}

/// Gives a new file the owner and the permissions of the file that it replaces.
fn inherit(file: &File, old: &fs::Metadata, target: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let new = file.metadata().map_err(|error| Error::io("write", target, error))?;
        let (uid, gid) = (old.uid(), old.gid());
        if (new.uid(), new.gid()) != (uid, gid) && fchown(file, Some(uid), Some(gid)).is_err() {
            let problem = format!(
                "belongs to user {uid} and group {gid}, but a new file cannot have this owner: name another file, or run as \
                 that user"
            );
            return Err(Error::file(target.to_string_lossy(), problem));
        }
    }
    file.set_permissions(old.permissions()).map_err(|error| Error::io("write", target, error))
}

impl Write for Publish {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.writer {
            Some(writer) => writer.write(bytes),
            None => Ok(0),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), BufWriter::flush)
    }
}

/// Gives a file a second name, which it keeps when the first name goes to another file. A file that
/// already has the second name must have the same contents, as after an interruption.
fn keep(file: &Path, backup: &Path) -> Result<()> {
    if fs::symlink_metadata(backup).is_ok() {
        let read = |path: &Path| fs::read(path).map_err(|error| Error::io("read", path, error));
        return match read(file)? == read(backup)? {
            true => Ok(()),
            false => {
                let problem = "exists already and would be replaced by another backup: remove it, or name \
                               another extension";
                Err(Error::file(backup.to_string_lossy(), problem))
            }
        };
    }
    if fs::hard_link(file, backup).is_err() {
        // Some file systems have no hard links.
        let mut copy = Publish::new(backup)?;
        let from = File::open(file).map_err(|error| Error::io("read", file, error))?;
        let copied = io::copy(&mut BufReader::new(from), &mut copy);
        copied.map_err(|error| Error::io("write", backup, error))?;
        copy.commit()?;
    }
    sync_folder(parent(backup));
    Ok(())
}

/// Writes the output of `write` to a file on disk that does not have its final name yet, so that
/// several files can appear together; see [`Publish::commit`].
///
/// # Errors
/// If the file cannot be written; nothing is left of it then.
pub fn unpublished(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut Publish) -> io::Result<()>,
) -> Result<Publish> {
    let path = path.as_ref();
    let mut file = Publish::new(path)?;
    let written = write(&mut file).and_then(|()| file.flush());
    written.map_err(|error| Error::io("write", path, error))?;
    Ok(file)
}

/// Publishes the output of `write` at `path`; see [`Publish`].
///
/// # Errors
/// If `write` fails or the file cannot be written; nothing is left of it then.
pub fn publish(path: impl AsRef<Path>, write: impl FnOnce(&mut Publish) -> Result<()>) -> Result<()> {
    let mut file = Publish::new(path)?;
    write(&mut file)?;
    file.commit()
}

/// Publishes a folder: `fill` writes into an empty folder next to it, which is then renamed. An
/// existing folder is replaced if it is empty, or if it contains the file that `replace` names,
/// such as the manifest of a model, which shows that it is of the same kind.
///
/// # Errors
/// If an existing folder may not be replaced, `fill` fails, or the folder cannot be written;
/// everything stays as it was then.
pub fn publish_folder(
    path: impl AsRef<Path>,
    replace: Option<&str>,
    fill: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    let target = followed(path.as_ref());
    check_replaceable(&target, replace)?;
    let temporary = Unfinished::folder(&target)?;
    let old = fs::metadata(&target).ok();
    #[cfg(unix)]
    if let Some(old) = &old {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        // The contents are never visible to more users than the contents of the old folder were.
        let mode = fs::Permissions::from_mode(old.mode() & 0o7777 | 0o700);
        let set = fs::set_permissions(temporary.path(), mode);
        set.map_err(|error| Error::io("write", &target, error))?;
    }
    fill(temporary.path())?;
    sync_files(temporary.path())?;
    let refused = |error| Error::io("write", &target, error);
    if let Some(old) = old {
        fs::set_permissions(temporary.path(), old.permissions()).map_err(refused)?;
    }
    // One process at a time: another may have written here meanwhile.
    let _turn = turn(parent(&target));
    check_replaceable(&target, replace)?;
    place(temporary, &target).map_err(refused)?;
    sync_folder(parent(&target));
    Ok(())
}

/// Locks the names in a folder, if the system has locks; other processes wait until the lock is
/// dropped.
fn turn(folder: &Path) -> Option<File> {
    let file = File::open(folder).ok()?;
    file.lock().ok().map(|()| file)
}

/// Renames a folder to the name of another, which is removed.
fn place(temporary: Unfinished, target: &Path) -> io::Result<()> {
    if !target.exists() {
        return temporary.rename(target);
    }
    // In one step, if the system can: at no moment is the name free. The old folder is then removed
    // under the temporary name, locked, so that no other process takes it for the folder of a dead one:
    // it would remove the folder, and could use the name before it is removed here.
    let locked = File::open(target).ok().filter(|old| old.try_lock().is_ok());
    if exchange(temporary.path(), target).is_ok() {
        drop(temporary);
        drop(locked);
        return Ok(());
    }
    let old =
        (0..10_000).map(|n| parent(target).join(format!(".majuscule-{n}.old"))).find(|old| !old.exists());
    let old = old.ok_or(io::ErrorKind::AlreadyExists)?;
    fs::rename(target, &old)?;
    if let Err(error) = temporary.rename(target) {
        let _ = fs::rename(old, target);
        return Err(error);
    }
    let _ = fs::remove_dir_all(old);
    Ok(())
}

/// Exchanges the names of two folders in one step.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns the target of `path` after following links.
fn followed(path: &Path) -> PathBuf {
    match path.is_symlink() {
        true => fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()),
        false => path.to_owned(),
    }
}

/// Flushes all files in a folder to disk.
fn sync_files(folder: &Path) -> Result<()> {
    let refused = |error| Error::io("write", folder, error);
    for entry in fs::read_dir(folder).map_err(refused)? {
        let path = entry.map_err(refused)?.path();
        if path.is_dir() {
            sync_files(&path)?;
        } else {
            // Some systems flush only files that are open for writing.
            let file = File::options().append(true).open(&path);
            file.and_then(|file| file.sync_all()).map_err(|error| Error::io("write", &path, error))?;
        }
    }
    sync_folder(folder);
    Ok(())
}

/// Flushes the renames in a folder to disk, on systems that can.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(name).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_published_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        let failed = publish(&path, |file| {
            file.write_all(b"half").unwrap();
            Err(Error::usage("stop"))
        });
        assert!(failed.is_err());
        assert_eq!(names(folder.path()), [""; 0]);

        publish(&path, |file| file.write_all(b"old").map_err(|error| Error::io("write", "", error))).unwrap();
        let mut file = Publish::new(&path).unwrap();
        file.write_all(b"new").unwrap();
        file.flush().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["out.txt"]);
    }

    #[test]
    fn two_may_publish_in_one_folder_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut one = Publish::new(folder.path().join("one")).unwrap();
        let two = Publish::new(folder.path().join("two")).unwrap();
        one.write_all(b"1").unwrap();
        two.commit().unwrap();
        one.commit().unwrap();
        assert_eq!(names(folder.path()), ["one", "two"]);
    }

    #[test]
    #[cfg(unix)]
    fn permissions_links_and_devices_stay_as_they_are() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&real, &link).unwrap();
        Publish::new(&link).unwrap().commit().unwrap();
        assert_eq!(fs::read(&real).unwrap(), b"");
        assert!(link.is_symlink());
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);

        let mut null = Publish::new("/dev/null").unwrap();
        null.write_all(b"gone").unwrap();
        null.commit().unwrap();
        assert!(!Path::new("/dev/null").is_file());
    }

    #[test]
    #[cfg(unix)]
    fn a_new_file_and_a_new_folder_are_never_open_to_more_than_the_old() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        // Only privileged users may give files away.
        let _ = chown(&path, Some(12345), Some(54321));
        let owner =
            |path: &Path| fs::metadata(path).map(|file| (file.uid(), file.gid(), file.mode() & 0o777));
        let was = owner(&path).unwrap();
        let file = Publish::new(&path).unwrap();
        assert_eq!(owner(&folder.path().join(".majuscule-0.tmp")).unwrap(), was);
        file.commit().unwrap();
        assert_eq!(owner(&path).unwrap(), was);

        let path = folder.path().join("model");
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
        let fill = |temporary: &Path| {
            assert_eq!(owner(temporary).unwrap().2, 0o750);
            Ok(())
        };
        publish_folder(&path, None, fill).unwrap();
        assert_eq!(owner(&path).unwrap().2, 0o750);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_an_error() {
        // The device on which every write finds the disk full.
        if !Path::new("/dev/full").exists() {
            return;
        }
        let mut full = Publish::new("/dev/full").unwrap();
        full.write_all(b"text").unwrap();
        let error = full.commit().unwrap_err().to_string();
        assert!(error.starts_with("cannot write /dev/full"), "{error}");
    }

    #[test]
    fn a_folder_is_published_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        let fill = |text: &'static str| {
            move |temporary: &Path| {
                fs::write(temporary.join("data"), text).unwrap();
                fs::write(temporary.join("manifest"), "{}").unwrap();
                Ok(())
            }
        };
        let failed = publish_folder(&path, None, |temporary| {
            fs::write(temporary.join("data"), "half").unwrap();
            Err(Error::usage("stop"))
        });
        assert!(failed.is_err());
        assert_eq!(names(folder.path()), [""; 0]);

        publish_folder(&path, None, fill("old")).unwrap();
        assert!(publish_folder(&path, None, fill("new")).unwrap_err().to_string().contains("`force`"));
        assert!(matches!(publish_folder(&path, Some("other"), fill("new")), Err(Error::Usage(_))));
        assert_eq!(fs::read(path.join("data")).unwrap(), b"old");
        publish_folder(&path, Some("manifest"), fill("new")).unwrap();
        assert_eq!(fs::read(path.join("data")).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["model"]);
    }
}
