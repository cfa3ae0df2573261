//! Names for the speakers of a text, which recognisers call `SPEAKER_00`.

use std::collections::BTreeMap;
use std::str::FromStr;

use majuscule_base::error::{Error, option};
use majuscule_base::printable::shortened;

/// Names for speakers, `SPEAKER_00=Laura,SPEAKER_01=Tom`, each true if the speaker occurs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpeakerNames(BTreeMap<String, (String, bool)>);

impl SpeakerNames {
    /// Returns true if no names are given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Replaces a speaker by its name, if it has one.
    pub(crate) fn rename(&mut self, speaker: &mut String) {
        if let Some((name, is_used)) = self.0.get_mut(speaker) {
            *is_used = true;
            name.clone_into(speaker);
        }
    }

    /// Returns the note on speakers that do not occur, if there are any.
    pub(crate) fn note(&self) -> Option<String> {
        let absent: Vec<&str> =
            self.0.iter().filter(|(_, (_, is_used))| !is_used).map(|(speaker, _)| &**speaker).collect();
        let what = if absent.len() == 1 { "does not occur as a speaker" } else { "do not occur as speakers" };
        (!absent.is_empty()).then(|| format!("{}: {} {what}", option("names"), absent.join(", ")))
    }
}

impl FromStr for SpeakerNames {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let mut names = BTreeMap::new();
        for pair in text.split(',') {
            let parts = pair.split_once('=').map(|(speaker, name)| (speaker.trim(), name.trim()));
            let is_name = |name: &str| !name.is_empty() && !name.contains(char::is_control);
            let Some((speaker, name)) = parts.filter(|(speaker, name)| is_name(speaker) && is_name(name))
            else {
                let (option, found) = (option("names"), shortened(pair));
                return Err(Error::usage(format!(
                    "expected speakers with their names, such as SPEAKER_00=Laura,SPEAKER_01=Tom, but found \"{found}\" in {option}"
                )));
            };
            if names.insert(speaker.to_owned(), (name.to_owned(), false)).is_some() {
                return Err(Error::usage(format!(
                    "{speaker} has two names in {}: leave one out",
                    option("names")
                )));
            }
        }
        Ok(Self(names))
    }
}
