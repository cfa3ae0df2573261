//! The library's named settings as command-line arguments; the library
//! itself does not depend on clap.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use majuscule::named::NamedValue;

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
