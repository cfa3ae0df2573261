//! The help of `majuscule restore`: its options in groups, with the common options first.

use clap::Arg;

/// The groups of options in the long help, in order, each with its options.
const GROUPS: [(&str, &str); 7] = [
    ("Input", "format field context group before after id encoding lossy"),
    (
        "Output",
        "output force in_place check diff to strict speakers no_speakers names times lines confidence json n_best quiet",
    ),
    ("Capitals", "words case sentence_start capitals style threshold locale"),
    ("Punctuation", "marks mark_form mark_threshold pause_ends dictated"),
    ("Live text", "stream max_delay look_ahead"),
    ("Models", "lang preset model cascade sure predictions_per_word window step end_threshold"),
    ("Computing", "device precision threads"),
];

/// The options that the short help shows.
const FIRST: &str =
    "output in_place check to format field encoding lang preset model words case marks stream threads";

/// Returns an option of `restore` under the heading of its group, left out of the short help unless it
/// is one of the first.
pub fn in_groups(arg: Arg) -> Arg {
    let id = arg.get_id().as_str();
    let has = |options: &str| options.split(' ').any(|option| option == id);
    let is_shown = has(FIRST) || arg.is_positional();
    let group = GROUPS.iter().find(|(_, options)| has(options));
    let arg = arg.hide_short_help(!is_shown);
    match group {
        Some((heading, _)) => arg.help_heading(*heading),
        None => arg,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::restore::RestoreArgs;
    use clap::{Args, Command};

    #[test]
    fn every_option_has_a_group_and_every_name_is_one_of_an_option() {
        let command = RestoreArgs::augment_args(Command::new("restore")).mut_args(in_groups);
        let ids: Vec<&str> = command.get_opts().map(|arg| arg.get_id().as_str()).collect();
        for option in command.get_opts().filter(|option| !option.is_hide_set()) {
            assert!(option.get_help_heading().is_some(), "{option}");
        }
        let lists = GROUPS.iter().map(|(_, options)| *options).chain([FIRST]);
        for name in lists.flat_map(|options| options.split(' ')) {
            assert!(ids.contains(&name), "{name}");
        }
    }
}
