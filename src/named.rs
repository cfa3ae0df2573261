//! Settings with a short list of values, each of which has a name and a line of help.

/// A setting that is one of a few named values: a format, a preset. A program reads and lists them by this table.
pub trait NamedValue: Copy + PartialEq + Send + Sync + 'static {
    /// The values in the order of help texts, each with its name and one line of help.
    const VALUES: &'static [(Self, &'static str, &'static str)];

    /// Names that were given up and are still understood, each with the name of now.
    const FORMER: &'static [(&'static str, &'static str)] = &[];

    /// The value's name; `?` where the table lacks it.
    fn name_of(self) -> &'static str {
        Self::VALUES.iter().find(|(value, ..)| *value == self).map_or("?", |(_, name, _)| name)
    }

    /// The value of a name.
    fn of_name(name: &str) -> Option<Self> {
        let name = Self::FORMER.iter().find(|(former, _)| *former == name).map_or(name, |(_, now)| now);
        Self::VALUES.iter().find(|(_, known, _)| *known == name).map(|(value, ..)| *value)
    }
}
