//! Outputs that are not finished, because the disk is full or the program is killed: no part of
//! them has the final name.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::io::Write;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::path::PathBuf;
#[cfg(target_os = "linux")]
use std::process::Stdio;
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use crate::command::{program, spawn};
#[cfg(target_os = "linux")]
use crate::room::CORPUS;
use crate::room::Room;

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let room = Room::new();
    room.write("a.txt", "bbc\n").write("corpus.txt", CORPUS);
    for line in [
        "restore --model model a.txt",
        "inspect model",
        "man",
        "completions bash",
        "corpus stats corpus.txt",
        "lexicon build corpus.txt",
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = program();
        command.args(line.split(' ')).current_dir(room.folder()).stdin(Stdio::null()).stdout(full);
        let output = command.stderr(Stdio::piped()).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{line}: {error}");
        assert!(error.contains("cannot write standard output: No space left"), "{line}: {error}");
    }
    room.fails(
        "restore --model model a.txt -o /dev/full",
        b"",
        1,
        &["cannot write /dev/full: No space left"],
    );
}

/// Runs a command under a limit on the length of files, so that a write fails
/// as it does on a full disk.
fn run_limited(folder: &Path, line: &str) -> Output {
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_majuscule")]).args(line.split(' '));
    command.current_dir(folder).output().unwrap()
}

#[test]
fn what_does_not_fit_leaves_nothing_under_its_name() {
    let room = Room::new();
    let corpus: String = (0..5000).map(|i| format!("We met Word{i} in Lisbon\n")).collect();
    room.write("corpus.txt", corpus).write("old.txt", "old");
    let manifest = room.read("model/majuscule.json");
    for line in [
        "restore --model model corpus.txt -o new.txt",
        "restore --model model corpus.txt --force -o old.txt",
        "lexicon build corpus.txt --force -o old.txt",
        "train majority corpus.txt -o new",
        "train majority corpus.txt -o model --force",
        "train majority corpus.txt --pack new.packed",
    ] {
        let output = run_limited(room.folder(), line);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{line}: {error}");
        assert!(error.contains("cannot write "), "{line}: {error}");
        assert_eq!(room.names(), ["corpus.txt", "old.txt"], "{line}");
    }
    assert_eq!(room.read("old.txt"), "old");
    assert_eq!(room.read("model/majuscule.json"), manifest);
}

/// A file system of 64 kB that is unmounted on drop.
#[cfg(target_os = "linux")]
struct SmallDisk(PathBuf);

#[cfg(target_os = "linux")]
impl SmallDisk {
    /// Returns `None` if this test may not mount a file system.
    fn new(at: PathBuf) -> Option<Self> {
        fs::create_dir(&at).unwrap();
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&at).output();
        mount.is_ok_and(|output| output.status.success()).then(|| Self(at))
    }
}

#[cfg(target_os = "linux")]
impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_leaves_nothing_under_the_name() {
    let room = Room::new();
    let Some(disk) = SmallDisk::new(room.path("disk")) else {
        eprintln!(
            "skipped: no small disk may be mounted here; a limit on file sizes stands in for it in another test"
        );
        return;
    };
    room.write("long.txt", "we met the bbc in lisbon\n".repeat(20_000));
    room.write("corpus.txt", (0..60_000).map(|i| format!("We met Word{i} in Lisbon\n")).collect::<String>());
    for line in [
        "restore --model model long.txt -o disk/out.txt",
        "train majority corpus.txt -o disk/model",
        "lm train corpus.txt --discount-fallback --memory 1M --temp disk -o model.arpa",
        "lm train corpus.txt --discount-fallback --memory 1M -o disk/model.arpa",
        "lm count corpus.txt --memory 1M --temp disk -o new.counts",
    ] {
        room.fails(line, b"", 1, &["cannot write", "No space left"]);
        assert_eq!(fs::read_dir(&disk.0).unwrap().count(), 0, "{line}");
        assert!(!room.path("model.arpa").exists() && !room.path("new.counts").exists(), "{line}");
    }
}

#[test]
fn a_program_that_is_killed_leaves_nothing_under_the_name() {
    let room = Room::new();
    room.write("old.txt", "old");
    // Signal 9 cannot be caught. Signal 2 (Ctrl-C) is not tested: a shell lets
    // background processes ignore it.
    for signal in ["-9", "-15"] {
        for (name, before) in [("new.txt", None), ("old.txt", Some("old"))] {
            let mut command = program();
            command.args(["restore", "--model", "model", "--force", "-o", name]).current_dir(room.folder());
            let mut child = spawn(&mut command);
            let mut stdin = child.stdin.take().unwrap();
            stdin.write_all("we met the bbc in lisbon\n".repeat(40_000).as_bytes()).unwrap();
            let started = Instant::now();
            let hidden = || {
                let all = fs::read_dir(room.folder()).unwrap().map(|file| file.unwrap());
                let mut hidden = all.filter(|file| file.file_name().to_string_lossy().starts_with('.'));
                hidden.any(|file| file.metadata().is_ok_and(|file| file.len() > 100_000))
            };
            while !hidden() {
                assert!(started.elapsed() < Duration::from_secs(20), "nothing is being written");
                thread::sleep(Duration::from_millis(5));
            }
            assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
            assert!(!child.wait().unwrap().success());
            drop(stdin);
            assert_eq!(
                fs::read_to_string(room.path(name)).ok().as_deref(),
                before,
                "{name} after kill {signal}"
            );
            for file in fs::read_dir(room.folder()).unwrap().map(|file| file.unwrap()) {
                if file.file_name().to_string_lossy().starts_with('.') {
                    fs::remove_file(file.path()).unwrap();
                }
            }
        }
    }
    // A leftover temporary file is not in the way.
    room.write(".majuscule-0.tmp", "left");
    assert_eq!(room.restored("-o new.txt", "bbc"), "");
    assert_eq!(room.read("new.txt"), "BBC");
}

/// Returns true if the tests were started with this signal ignored, as in
/// the background of a script.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[test]
fn a_run_that_is_ended_by_a_signal_leaves_nothing_behind() {
    use std::os::unix::process::ExitStatusExt;
    let room = Room::new();
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1), ("KILL", 9)] {
        // A signal that the parent process ignores stays ignored in the program.
        if number != 9 && is_ignored(number) {
            continue;
        }
        // The program has begun its output and waits for more input.
        let mut command = program();
        command.args(["restore", "--model", "model", "-o", "out.txt"]).current_dir(room.folder());
        let mut child = spawn(&mut command);
        // Held until the end, which `wait` would otherwise bring about.
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"bbc\n").unwrap();
        let begun = Instant::now();
        while room.names().is_empty() && begun.elapsed() < Duration::from_secs(60) {
            thread::sleep(Duration::from_millis(2));
        }
        assert_eq!(room.names(), [".majuscule-0.tmp"]);
        let kill = Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap();
        assert!(kill.success());
        assert_eq!(child.wait().unwrap().signal(), Some(number));
        drop(stdin);
        let left = if number == 9 { vec![".majuscule-0.tmp"] } else { Vec::new() };
        assert_eq!(room.names(), left, "{name}");
    }
    // The next run removes the temporary files of dead processes, and keeps the files of living
    // processes.
    fs::create_dir(room.path(".majuscule-7.tmp")).unwrap();
    room.write(".majuscule-7.tmp/words.bin", "half").write(".majuscule-x.tmp", "mine");
    let mut living = majuscule_base::files::Publish::new(room.path("other.txt")).unwrap();
    assert_eq!(room.restored("-o out.txt", "bbc"), "");
    assert_eq!(room.names(), [".majuscule-0.tmp", ".majuscule-x.tmp", "out.txt"]);
    living.write_all(b"whole").unwrap();
    living.commit().unwrap();
    assert_eq!(room.read("other.txt"), "whole");
}
