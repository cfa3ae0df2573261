//! The program: parses the arguments, runs the verb, returns the exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    majuscule_cli::main()
}
