//! Hints for options and verbs that have another name in this program or do not exist.

use super::methods::advice;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Verbs and options that people try, each group with its hint.
const WISHES: [(&[&str], &str); 14] = [
    (
        &["punctuate", "punctuation", "marks", "commas", "punct"],
        "majuscule restore --marks inserts commas, full stops and question marks; train learns them with \
         --marks",
    ),
    (
        &["serve", "server", "http", "api", "rest", "daemon", "listen"],
        if cfg!(feature = "service") {
            "the HTTP service is majuscule serve, and restore --stream reads a pipe and answers at once"
        } else {
            "the HTTP service (majuscule serve) needs a build with --features service; restore --stream reads a pipe and answers at once"
        },
    ),
    (
        &["transcribe", "recognise", "recognize", "asr"],
        "majuscule does not recognise speech: it restores the output of a recogniser (majuscule restore talk.json, or --stream)",
    ),
    (
        &["truecase", "recase", "capitalize", "capitalise", "predict", "infer", "correct", "fix"],
        "use majuscule restore",
    ),
    (&["language", "lng"], "name the language with --lang, such as --lang pt, or detect it with --lang auto"),
    (
        &["detect", "detect-language", "langid"],
        "restore --lang auto detects the language of each file, and the summary of several files names their languages",
    ),
    (
        &["download", "pull", "list-models"],
        "nothing needs to be downloaded: the models are inside the program (majuscule restore --lang pt), and majuscule models \
         lists them all",
    ),
    (&["output-dir", "outdir", "output-folder"], "-o FOLDER/ writes each text to that folder under its name"),
    (&["recursive", "r"], "a folder is read with its subfolders: majuscule restore talks/ -o restored/"),
    (
        &["gpu", "cuda", "use-gpu"],
        "--device cuda:0 runs bert models on a GPU, in a build with --features cuda",
    ),
    (
        &["lower", "lowercase", "upper", "uppercase"],
        "majuscule restores capitals; --case ignore decides every word anew",
    ),
    (
        &["glossary", "dictionary", "vocab-file", "custom-words"],
        "give your own spellings with --words FILE, one word or phrase per line; lexicon words makes such a list from your documents",
    ),
    (&["update"], "lexicon merge OLD NEW --date DATE adds the counts of new text to old ones, which decay"),
    (
        &["watch", "follow"],
        "--stream restores text as it arrives: tail -f talk.txt | majuscule restore --stream",
    ),
];

/// Removes the tip to write `--` before an option that does not exist: the option would then name a
/// file.
pub fn without_value_tip(mut error: clap::Error) -> clap::Error {
    if let Some(ContextValue::StyledStrs(mut tips)) = error.remove(ContextKind::Suggested) {
        tips.retain(|tip| !tip.to_string().contains("as a value"));
        if !tips.is_empty() {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
    }
    error
}

/// Returns the hint for unknown arguments, if there is one.
pub fn hint(error: &clap::Error) -> Option<String> {
    let kind = match error.kind() {
        ErrorKind::UnknownArgument => ContextKind::InvalidArg,
        ErrorKind::InvalidSubcommand => ContextKind::InvalidSubcommand,
        _ => return None,
    };
    let Some(ContextValue::String(found)) = error.get(kind) else { return None };
    let name = found.trim_start_matches('-').split('=').next().unwrap_or_default().to_lowercase();
    if let Some(advice) = advice(&name) {
        return Some(advice);
    }
    let wish = WISHES.iter().find(|(names, _)| names.contains(&&*name));
    wish.map(|(_, answer)| format!("{found}: {answer}"))
}
