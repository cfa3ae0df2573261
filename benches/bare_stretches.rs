//! Prints 1 for each word of a text that lacks its punctuation, and 0 for each that has it: bare_stretches LANGUAGE FILE.

use std::process::ExitCode;

use majuscule_text::bare_stretches::LOOK_AHEAD;
use majuscule_text::tokenize::tokenize;
use majuscule_text::{BareStretches, Locale};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [language, path] = &arguments[..] else {
        eprintln!("expected a language and a file");
        return ExitCode::FAILURE;
    };
    let Ok(text) = std::fs::read_to_string(path) else {
        eprintln!("{path} is not readable text");
        return ExitCode::FAILURE;
    };
    let tokens = tokenize(&text, Locale::Root, language);
    let mut stretches = BareStretches::new(LOOK_AHEAD);
    tokens.as_slice().iter().for_each(|token| stretches.push(token));
    stretches.finish(None);
    // A word between spaces may be several words, or none.
    let starts = tokens.as_slice().iter().map(|token| token.source.start as usize);
    let found = stretches.found();
    let mut states = starts.zip(stretches.take(found));
    let mut next = states.next();
    let mut last = false;
    for (start, word) in
        text.split_whitespace().map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
    {
        while let Some((at, is_bare)) = next.filter(|(at, _)| *at < start + word.len()) {
            last = is_bare;
            next = states.next();
            _ = at;
        }
        println!("{}", u8::from(last));
    }
    ExitCode::SUCCESS
}
