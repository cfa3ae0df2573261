//! The library's named settings as command-line arguments; the library
//! itself does not depend on clap.

mod user_options;

use clap::Command;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use majuscule_base::named::NamedValue;
pub use user_options::{BARE_MARKS, UserOptionArgs};

/// Returns a parser that reads a setting by the name of one of its values:
/// `#[arg(value_parser = by_name::<Preset>())]`.
pub fn by_name<T: NamedValue>() -> impl TypedValueParser<Value = T> {
    let former =
        |name: &'static str| T::FORMER.iter().filter(move |(_, now)| *now == name).map(|(former, _)| *former);
    let values =
        T::VALUES.iter().map(|(_, name, help)| PossibleValue::new(*name).aliases(former(name)).help(*help));
    PossibleValuesParser::new(values)
        .map(|name| T::of_name(&name).expect("clap accepts names of the table alone"))
}

/// Returns the name of a setting's default: `#[arg(default_value = default_name::<Preset>())]`.
pub fn default_name<T: NamedValue + Default>() -> &'static str {
    T::default().name_of()
}

/// Derives the default of a configuration from its arguments, where each default is stated once:
/// `default_of_arguments!(MaxentConfig);`. It parses: a default that other arguments share is a
/// constant, so that no start of the program has to.
#[macro_export]
macro_rules! default_of_arguments {
    ($config:ty) => {
        impl Default for $config {
            fn default() -> Self {
                $crate::of_no_arguments()
            }
        }
    };
}

/// Returns the configuration of a command line without arguments.
///
/// # Panics
/// Panics if an argument is required.
pub fn of_no_arguments<T: clap::Args>() -> T {
    let command = T::augment_args(Command::new("defaults").no_binary_name(true));
    let parsed = command.try_get_matches_from([""; 0]).and_then(|matches| T::from_arg_matches(&matches));
    parsed.expect("no argument is required")
}
