//! The program, run with arguments in a folder.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;

/// The program, not yet started and without arguments.
pub fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_majuscule"))
}

/// Runs the program with these arguments, without standard input.
pub fn run(folder: &Path, line: &str) -> Output {
    let mut command = program();
    command.args(line.split_whitespace()).current_dir(folder).stdin(Stdio::null());
    command.output().unwrap()
}

/// Runs the program with these arguments and with these bytes as standard input.
pub fn run_with_input(folder: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut child = spawn(program().args(args).current_dir(folder));
    let mut stdin = child.stdin.take().unwrap();
    thread::scope(|scope| {
        // A program that needs no more input closes the pipe.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    })
}

/// Starts a command whose input and outputs are pipes of the test.
pub fn spawn(command: &mut Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
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
