//! Settings with a few named values, each with a line of help, and names that are misspelt.

use crate::error::Error;

/// A setting with a few named values, such as a format or a preset. A program parses and lists the
/// values by this table.
pub trait NamedValue: Copy + PartialEq + Send + Sync + 'static {
    /// The values in the order of help texts, each with its name and one line of help.
    const VALUES: &'static [(Self, &'static str, &'static str)];

    /// Former names that are still accepted, each with the current name.
    const FORMER: &'static [(&'static str, &'static str)] = &[];

    /// Returns the name of the value; `?` if the table lacks it.
    fn name_of(self) -> &'static str {
        Self::VALUES.iter().find(|(value, ..)| *value == self).map_or("?", |(_, name, _)| name)
    }

    /// Returns the names of all values, with commas between them.
    fn names() -> String {
        Self::VALUES.iter().map(|(_, name, _)| *name).collect::<Vec<_>>().join(", ")
    }

    /// Returns the value with this name.
    fn of_name(name: &str) -> Option<Self> {
        let name = Self::FORMER.iter().find(|(former, _)| *former == name).map_or(name, |(_, now)| now);
        Self::VALUES.iter().find(|(_, known, _)| *known == name).map(|(value, ..)| *value)
    }
}

/// Returns the name that a misspelt one probably means, by the measure and the limit with which clap
/// finds options.
///
/// ```
/// use majuscule_base::named::nearest;
///
/// assert_eq!(nearest("look_ahed", ["lang", "look_ahead", "lossy"]), Some("look_ahead"));
/// assert_eq!(nearest("colour", ["lang", "look_ahead", "lossy"]), None);
/// ```
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let rated = known.into_iter().map(|known| (strsim::jaro(name, known), known));
    let (likeness, nearest) = rated.max_by(|one, other| one.0.total_cmp(&other.0))?;
    (likeness > 0.7).then_some(nearest)
}

/// Returns the error that there is no option of this name, with the most similar one of those that exist.
pub fn no_option(name: &str, known: &[&str]) -> Error {
    let hint = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => format!("expected one of {}", known.join(", ")),
    };
    Error::usage(format!("there is no option \"{name}\": {hint}"))
}
