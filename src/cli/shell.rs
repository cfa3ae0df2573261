//! `majuscule completions` and `majuscule man`: the command line, told to a shell and to man.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::CommandFactory;

use super::{Cli, page::print};
use crate::error::Error;

/// Prints a script that completes the command line in a shell
#[derive(Debug, clap::Args)]
pub struct Completions {
    /// The shell
    shell: clap_complete::Shell,
}

/// Prints the manual page, or writes one for every verb into a folder
#[derive(Debug, clap::Args)]
pub struct Man {
    /// Write majuscule.1, majuscule-restore.1, … into this folder
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

/// Prints the script.
pub fn completions(args: Completions) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "majuscule", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}

/// Prints or writes the manual.
pub fn man(args: Man) -> Result<ExitCode> {
    match args.output {
        Some(folder) => {
            std::fs::create_dir_all(&folder).map_err(|error| Error::io("create", &folder, error))?;
            clap_mangen::generate_to(Cli::command(), &folder)
                .map_err(|error| Error::io("write", &folder, error))?;
        }
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut page)?;
            print(&String::from_utf8_lossy(&page))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
