//! The program, run with a line of arguments in a folder.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs the program with these arguments, without standard input.
pub fn run(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_majuscule"));
    command.args(line.split_whitespace()).current_dir(folder).stdin(Stdio::null());
    command.output().unwrap()
}

/// Returns the standard output of a command that must succeed.
pub fn out(folder: &Path, line: &str) -> String {
    let output = run(folder, line);
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the exit code and the message of a command that fails.
pub fn fails(folder: &Path, line: &str) -> (i32, String) {
    let output = run(folder, line);
    assert!(output.stdout.is_empty(), "{line}");
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}
