//! Parse, run, exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    majuscule_cli::main()
}
