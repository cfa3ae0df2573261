//! Live text that is shown before it is decided: how often a shown word is rewritten, and how many words later it is
//! settled, by words of look-ahead.

use std::path::{Path, PathBuf};

use majuscule::{MarkPlaces, MarkSet, Model, Preset, RestoreOptions};

/// The words of the text that are measured.
const WORDS: usize = 5_000;

/// A word as a reader sees it, with the mark after it.
struct ShownWord {
    form: String,
    /// The number of times that it was rewritten, and the number of words that came before it had its last form.
    rewritten: usize,
    settled: usize,
    /// The number of words that had come when it was first shown.
    shown: usize,
}

/// Shows what is decided and what may still change after each word, and returns the words.
fn shown(model: &Model, look_ahead: usize, words: &[&str]) -> majuscule::Result<Vec<ShownWord>> {
    let options = RestoreOptions::default()
        .look_ahead(Some(look_ahead))
        .marks(MarkSet::USUAL)
        .mark_places(MarkPlaces::Everywhere);
    let mut stream = model.with(options).word_stream()?;
    let (mut decided, mut all) = (0, Vec::<ShownWord>::new());
    for (come, word) in words.iter().enumerate() {
        let part = stream.push(&format!("{word} "))?.text;
        let tail = stream.tail()?.text;
        let forms = part.split_whitespace().chain(tail.split_whitespace());
        for (at, form) in (decided..).zip(forms) {
            match all.get_mut(at) {
                Some(shown) if shown.form != form => {
                    form.clone_into(&mut shown.form);
                    shown.rewritten += 1;
                    shown.settled = come;
                }
                Some(_) => {}
                None => {
                    all.push(ShownWord { form: form.to_owned(), rewritten: 0, settled: come, shown: come })
                }
            }
        }
        decided += part.split_whitespace().count();
    }
    Ok(all)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // `cargo test` builds and runs benches too.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let given = std::env::var_os("MAJUSCULE_BENCH_TEXT").map(PathBuf::from);
    let path = given.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/en.txt"));
    let lower = std::fs::read_to_string(&path)?.to_lowercase();
    let is_letter = |c: char| c.is_alphanumeric() || c == '\'';
    let words: Vec<&str> =
        lower.split_whitespace().map(|word| word.trim_matches(|c| !is_letter(c))).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).take(WORDS).collect();
    println!("{} words of {}\n", words.len(), path.display());
    println!(
        "| model | words of look-ahead | words rewritten, % of words shown | words until a word is settled: mean | 95 % |"
    );
    println!("| --- | ---: | ---: | ---: | ---: |");
    for preset in [Preset::Accurate, Preset::Fast] {
        let model = Model::embedded_as("en", preset)?;
        let name = format!("{preset:?}").to_lowercase();
        for look_ahead in [0, 1, 2, 3, 4, 8] {
            let all = shown(&model, look_ahead, &words)?;
            let rewritten: usize = all.iter().map(|word| word.rewritten).sum();
            let mut settled: Vec<usize> = all.iter().map(|word| word.settled - word.shown).collect();
            settled.sort_unstable();
            let mean = settled.iter().sum::<usize>() as f64 / settled.len() as f64;
            println!(
                "| `{name}` | {look_ahead} | {:.1} | {mean:.2} | {} |",
                100.0 * rewritten as f64 / all.len() as f64,
                settled[settled.len() * 95 / 100],
            );
        }
    }
    Ok(())
}
