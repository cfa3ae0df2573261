//! `majuscule completions` and `majuscule man`: shell completions and manual pages.

use std::path::PathBuf;

use anyhow::Result;
use clap::builder::PossibleValuesParser;
use clap::{Command, CommandFactory};

#[cfg(feature = "learning")]
use super::learning;
use super::{Cli, page::print};
use majuscule_base::error::Error;
use majuscule_restore::models::LANGUAGES;

/// Prints a shell completion script
#[derive(Debug, clap::Args)]
pub struct Completions {
    /// Shell to complete for
    shell: clap_complete::Shell,
}

/// Prints the manual page, or writes one page per verb to a folder
#[derive(Debug, clap::Args)]
pub struct Man {
    /// Write majuscule.1, majuscule-restore.1, … to this folder
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

/// Prints the completion script.
pub fn completions(args: Completions) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut completed(), "majuscule", &mut script);
    if args.shell == clap_complete::Shell::Fish {
        // Clap's script for fish lacks the values of positional arguments.
        let names = learning::recipes();
        let is_asked = "__fish_seen_subcommand_from experiment; and __fish_seen_subcommand_from run show";
        script
            .extend(format!("complete -c majuscule -n \"{is_asked}\" -a \"{}\"\n", names.join(" ")).bytes());
    }
    Ok(print(&String::from_utf8_lossy(&script))?)
}

/// Returns the command line for completion: without the options that users never type, and with
/// values for arguments that also accept others.
fn completed() -> Command {
    let cli = Cli::command();
    let whole = Command::new("majuscule").version(env!("CARGO_PKG_VERSION")).propagate_version(true);
    whole
        .about(cli.get_about().cloned().unwrap_or_default())
        .args(cli.get_arguments().filter(|arg| !arg.is_hide_set()).cloned())
        .subcommands(cli.get_subcommands().cloned().map(with_values))
}

fn with_values(verb: Command) -> Command {
    let is_restore = verb.get_name() == "restore";
    verb.mut_subcommands(with_values).mut_args(|arg| {
        let values: Vec<&'static str> = match (arg.get_long(), arg.get_id().as_str()) {
            (Some("lang"), _) if is_restore => LANGUAGES.into_iter().chain(["auto"]).collect(),
            (Some("lang"), _) => LANGUAGES.to_vec(),
            (Some("protocol"), _) => learning::protocols(),
            (None, "recipe") => learning::recipes(),
            _ => return arg,
        };
        arg.value_parser(PossibleValuesParser::new(values))
    })
}

/// A build that only restores has no protocols and no recipes.
#[cfg(not(feature = "learning"))]
mod learning {
    pub fn protocols() -> Vec<&'static str> {
        Vec::new()
    }

    pub fn recipes() -> Vec<&'static str> {
        Vec::new()
    }
}

/// Prints the manual page or writes all pages.
pub fn man(args: Man) -> Result<()> {
    let Some(folder) = args.output else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Cli::command()).render(&mut page)?;
        return Ok(print(&String::from_utf8_lossy(&page))?);
    };
    std::fs::create_dir_all(&folder).map_err(|error| Error::io("create", &folder, error))?;
    Ok(clap_mangen::generate_to(Cli::command(), &folder)
        .map_err(|error| Error::io("write", &folder, error))?)
}
