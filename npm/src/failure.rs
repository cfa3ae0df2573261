//! Errors for JavaScript: each has a kind and a message, in which options have their JavaScript names
//! (`markThreshold`).

use majuscule::Error;
use serde::Serialize;

/// A failed call.
#[derive(Debug, Serialize)]
pub struct Failure {
    /// One of `usage`, `input`, `model` and `bug`.
    kind: &'static str,
    message: String,
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        let kind = match error {
            Error::Usage(_) | Error::NoModel { .. } => "usage",
            Error::Input { .. } => "input",
            Error::Model { .. } => "model",
            _ => "bug",
        };
        Self { kind, message: error.worded(option_name) }
    }
}

/// Returns the name of an option in JavaScript: `markThreshold` for `mark-threshold`.
pub fn option_name(name: &str) -> String {
    let mut parts = name.split('-');
    let mut joined = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut chars = part.chars();
        joined.extend(chars.next().map(|first| first.to_ascii_uppercase()));
        joined.push_str(chars.as_str());
    }
    joined
}

/// Returns the error for a function that only the core "all" has.
pub fn left_out(what: &str) -> Error {
    Error::usage(format!("the core \"text\" {what}: load the core \"all\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_in_errors_are_named_as_in_javascript() {
        assert_eq!(["mark-threshold", "lang"].map(option_name), ["markThreshold", "lang"]);
        let failure = Failure::from(&Error::usage(format!(
            "leave {} out",
            majuscule_base::error::option("look-ahead")
        )));
        assert_eq!((failure.kind, &*failure.message), ("usage", "leave lookAhead out"));
    }
}
