//! The options of a conversion that a person may set, for all doors.

use std::ops::RangeInclusive;

use majuscule_format::Format;
use majuscule_text::user_options::{choices, set};
use majuscule_text::{Door, OptionKind, UserOption, UserSettings};

use crate::conversion::Conversion;
use crate::limits::CueCut;

use Door::{JavaScript, Program, Service};

/// Python has the options of the program's verbs.
const EVERYWHERE: &[Door] = &[Program, Service, JavaScript];
/// The program sets these options by `--lang` and by the name of the output.
const IN_CALLS: &[Door] = &[Service, JavaScript];

impl UserSettings for Conversion {
    const OPTIONS: &'static [UserOption<Self>] = &OPTIONS;

    fn heading(option: &UserOption<Self>) -> Option<&'static str> {
        (option.name == "cues" || matches!(option.name.split_once('-'), Some(("max" | "min", _))))
            .then_some("New cues")
    }
}

/// Any number: the limits refuse what is out of range later, by name.
const ANY: RangeInclusive<f64> = f64::MIN..=f64::MAX;

const FORMAT: OptionKind = OptionKind::Choice(choices::<Format>, None);

const OPTIONS: [UserOption<Conversion>; 15] = [
    UserOption {
        name: "response-format",
        help: "Another name of to, which clients of recognisers know",
        kind: FORMAT,
        doors: &[Service],
        set: |conversion, value| set(&mut conversion.to, value.named()),
    },
    UserOption {
        name: "to",
        help: "Format of the output; by default the one of its file extension, or else that of the input. Restoring cuts \
               a recogniser's words into new cues if it writes srt, vtt or ass",
        kind: FORMAT,
        doors: EVERYWHERE,
        set: |conversion, value| set(&mut conversion.to, value.named()),
    },
    UserOption {
        name: "strict",
        help: "Refuse to leave out information that the other format cannot hold, such as cue settings in srt",
        kind: OptionKind::Flag,
        doors: EVERYWHERE,
        set: |conversion, value| set(&mut conversion.strict, value.flag()),
    },
    UserOption {
        name: "speakers",
        help: "Begin a cue with the name of its speaker where the speaker changes (ANA: so we met), if the other format \
               has no other place for it, as srt. Without speakers, plain text names none either: it is otherwise a \
               transcript if the file has speakers, a paragraph for each turn, after the speaker's name",
        kind: OptionKind::Flag,
        doors: EVERYWHERE,
        set: |conversion, value| set(&mut conversion.speakers, value.flag().map(Some)),
    },
    UserOption {
        name: "no-speakers",
        help: "Name no speakers, in plain text either",
        kind: OptionKind::Flag,
        doors: &[Program],
        set: |conversion, value| set(&mut conversion.speakers, value.flag().map(|without| Some(!without))),
    },
    UserOption {
        name: "names",
        help: "Names for the speakers of the file: SPEAKER_00=Laura,SPEAKER_01=Tom",
        kind: OptionKind::Text("SPEAKER=NAME,..."),
        doors: EVERYWHERE,
        set: |conversion, value| set(&mut conversion.names, value.parsed()),
    },
    UserOption {
        name: "times",
        help: "Begin each paragraph of a transcript in plain text with its time: [00:12:07]",
        kind: OptionKind::Flag,
        doors: EVERYWHERE,
        set: |conversion, value| set(&mut conversion.transcript.times, value.flag()),
    },
    UserOption {
        name: "paragraphs",
        help: "Write plain text in paragraphs also if the file has no speakers",
        kind: OptionKind::Flag,
        doors: IN_CALLS,
        set: |conversion, value| set(&mut conversion.transcript.paragraphs, value.flag()),
    },
    UserOption {
        name: "markdown",
        help: "Write the names of speakers in a transcript in bold type, as Markdown does",
        kind: OptionKind::Flag,
        doors: IN_CALLS,
        set: |conversion, value| set(&mut conversion.transcript.markdown, value.flag()),
    },
    UserOption {
        name: "cues",
        help: "Cut the words into new cues: at the ends of sentences, otherwise at commas and pauses, and where the \
               speaker changes\n\n\
               Words without times get times interpolated by character count within their segment. convert does not \
               change the text (restore adds capitals). Information that cues cannot hold is left out.",
        kind: OptionKind::Choice(choices::<CueCut>, None),
        doors: EVERYWHERE,
        set: |conversion, value| set(&mut conversion.cut, value.named().map(Some)),
    },
    UserOption {
        name: "max-chars",
        help: "Maximum length of a line of a new cue, in characters; 42 by default",
        kind: OptionKind::Count(0),
        doors: EVERYWHERE,
        set: |conversion, value| set(&mut conversion.limits.max_chars, value.count(0)),
    },
    UserOption {
        name: "max-lines",
        help: "Maximum number of lines in a new cue; 2 by default",
        kind: OptionKind::Count(0),
        doors: EVERYWHERE,
        set: |conversion, value| set(&mut conversion.limits.max_lines, value.count(0)),
    },
    UserOption {
        name: "max-seconds",
        help: "Maximum duration of a new cue, in seconds; 7 by default",
        kind: OptionKind::Number("S"),
        doors: EVERYWHERE,
        set: |conversion, value| set(&mut conversion.limits.max_seconds, value.number(ANY)),
    },
    UserOption {
        name: "min-seconds",
        help: "Minimum duration of a new cue, in seconds: a cue stays on the screen after its words if there is time (1 \
               by default). Shorter cues are reported in a note",
        kind: OptionKind::Number("S"),
        doors: EVERYWHERE,
        set: |conversion, value| set(&mut conversion.limits.min_seconds, value.number(ANY)),
    },
    UserOption {
        name: "max-cps",
        help: "Maximum reading speed, in characters per second (17 by default); faster cues are reported in a note",
        kind: OptionKind::Number("N"),
        doors: EVERYWHERE,
        set: |conversion, value| set(&mut conversion.limits.max_cps, value.number(ANY)),
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::CueLimits;

    #[test]
    fn help_names_the_defaults_of_new_cues() {
        let CueLimits { max_chars, max_lines, max_seconds, min_seconds, max_cps, .. } = CueLimits::default();
        for (name, default) in [
            ("max-chars", max_chars.to_string()),
            ("max-lines", max_lines.to_string()),
            ("max-seconds", max_seconds.to_string()),
            ("min-seconds", min_seconds.to_string()),
            ("max-cps", max_cps.to_string()),
        ] {
            let option = UserOption::<Conversion>::named(Program, name).unwrap();
            assert!(option.help.contains(&default) && option.help.contains("by default"), "{name}");
            assert_eq!(Conversion::heading(option), Some("New cues"));
        }
    }
}
