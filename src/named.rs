//! Settings with a few named values, each with a line of help.

/// A setting with a few named values, such as a format or a preset. A program parses and lists the
/// values by this table.
pub trait NamedValue: Copy + PartialEq + Send + Sync + 'static {
    /// The values in the order of help texts, each with its name and one line of help.
    const VALUES: &'static [(Self, &'static str, &'static str)];

    /// Former names that are still accepted, each with the current name.
    const FORMER: &'static [(&'static str, &'static str)] = &[];

    /// The name of the value; `?` if the table lacks it.
    fn name_of(self) -> &'static str {
        Self::VALUES.iter().find(|(value, ..)| *value == self).map_or("?", |(_, name, _)| name)
    }

    /// The value with this name.
    fn of_name(name: &str) -> Option<Self> {
        let name = Self::FORMER.iter().find(|(former, _)| *former == name).map_or(name, |(_, now)| now);
        Self::VALUES.iter().find(|(_, known, _)| *known == name).map(|(value, ..)| *value)
    }
}
