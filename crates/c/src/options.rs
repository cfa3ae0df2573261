//! The options of a call, from JSON.

use std::num::NonZeroUsize;

use majuscule_base::error::Result;
use majuscule_restore::{CallOptions, GivenOptions};
use majuscule_text::Door;

/// The door whose options C has: its calls are those of JavaScript.
const DOOR: Door = Door::JavaScript;

/// Returns the name of an option in C: `mark_threshold` for `mark-threshold`.
pub fn option_name(name: &str) -> String {
    name.replace('-', "_")
}

/// Reads the options of a call.
///
/// # Errors
/// Fails if the text is not a JSON object, if there is no option of a name, or if a value does not fit.
pub fn read(json: &str) -> Result<CallOptions> {
    let mut given = GivenOptions::read(json.as_bytes(), option_name)?;
    let threads = given.take("threads", "a whole number from 1", |value| {
        NonZeroUsize::new(value.as_u64()?.try_into().ok()?)
    })?;
    let mut options = CallOptions::read(&mut given, DOOR)?;
    if let Some(threads) = threads {
        options.restoring.threads = threads;
    }
    given.finish()?;
    Ok(options)
}

#[cfg(test)]
mod tests {
    use majuscule_text::{RestoreOptions, UserOption};

    use super::*;

    /// The options that are not declared for all doors.
    const OTHERS: [&str; 6] = ["lang", "spellings", "threads", "name", "format", "encoding"];

    #[test]
    fn the_header_names_every_option_and_each_refuses_an_object() {
        let header = include_str!("../include/majuscule.h");
        let (_, options) = header.split_once(" * Options. ").unwrap();
        let (options, _) = options.split_once(" * Memory. ").unwrap();
        let words: Vec<&str> = options
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty())
            .collect();
        let declared = UserOption::<RestoreOptions>::at(DOOR).map(UserOption::field);
        for name in declared.chain(OTHERS.map(str::to_owned)) {
            assert!(words.contains(&&*name), "the header does not name the option {name}");
            let refused = read(&format!("{{\"{name}\": {{}}}}")).unwrap_err().to_string();
            assert!(!refused.contains("there is no option") && refused.contains("expected"), "{refused}");
            assert!(read(&format!("{{\"{name}\": null}}")).is_ok());
        }
    }
}
