//! Small texts that networks learn by heart in tests.

use std::num::NonZeroUsize;

use majuscule_text::Locale;
use majuscule_train::corpus::{Corpus, Protocol, Reading};

/// Fifty sentences in which a word's case depends on its neighbours: `who asks us` and `the WHO in
/// the US`.
pub fn corpus() -> Corpus {
    let names = ["Anna", "Lisbon", "Porto", "York", "NATO"];
    let sentence = |i: usize| {
        let (one, other) = (names[i % 5], names[(i / 5 + 1) % 5]);
        match i % 3 {
            0 => format!("the minister of {one} met {other} and us\n"),
            1 => format!("who said to us in {one} with {other}\n"),
            _ => format!("the WHO of the US met {one} of McDonald in {other}\n"),
        }
    };
    let text: String = (0..50).map(sentence).collect();
    Corpus::of_text(&text, Reading::default(), Protocol::Rei, Locale::Root)
}

/// Statements with a comma and questions that begin with `who`, in windows of running text.
pub fn marked_corpus(window: usize) -> Corpus {
    running(window, |i, one, other| match i % 2 {
        0 => format!("The minister of {one} met us, and we met {other}. "),
        _ => format!("Who met {one} in {other}? "),
    })
}

/// The same, and statements with `who` inside, which show the case of `who`.
pub fn marked_corpus_with_clauses(window: usize) -> Corpus {
    running(window, |i, one, other| match i % 3 {
        0 => format!("The minister of {one} met us, and we met {other}. "),
        1 => format!("The minister of {one}, who met us, met {other}. "),
        _ => format!("Who met {one} in {other}? "),
    })
}

/// Makes running text of sentences, each by its number and two names.
fn running(window: usize, sentence: impl Fn(usize, &str, &str) -> String) -> Corpus {
    let names = ["Anna", "Lisbon", "Porto", "York", "NATO"];
    let text: String = (0..150).map(|i| sentence(i, names[i % 5], names[(i / 5 + 1) % 5])).collect();
    let reading = Reading { split: true, ..Reading::default() };
    Corpus::of_text(
        &text,
        reading,
        Protocol::Asr { window: NonZeroUsize::new(window).unwrap() },
        Locale::Root,
    )
}

/// Returns a configuration with a change.
pub fn changed<C>(mut config: C, change: impl FnOnce(&mut C)) -> C {
    change(&mut config);
    config
}
