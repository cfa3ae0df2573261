//! The laws of inserted punctuation, with the built-in models.

use majuscule::{Format, MarkPlaces, MarkSet, Model, Preset, RestoreOptions};
use proptest::prelude::*;

/// Sentences with their punctuation.
const SENTENCES: [&str; 14] = [
    "We took the train to Lisbon, and it rained all day.",
    "\"Stop!\" he said, and nobody moved.",
    "Did you see Ana (really?) at the market in Rome?",
    "I thought... well, never mind.",
    "Dr. Smith paid 3.50 at 10:30, which was too much.",
    "Hello, Maria, are you there?",
    "She left (so it seems!) with Peter Brown; the others stayed.",
    "No, thank you.",
    "The U.S. Senate met on Monday, as it does each week, to hear what the committee had found in Texas.",
    "My brother works for the BBC, doesn't he?",
    "Bring the following: bread, milk and eggs.",
    "It was late, but we talked on until the lights went out and the last guests had gone home.",
    "What a day!",
    "Nobody knew how long it would take, so they sat down by the river and waited for the boat to come back.",
];

/// Removes the marks of a sentence that are not inside words, and its capitals.
fn bare(sentence: &str) -> String {
    let word = |word: &str| word.trim_end_matches([',', '.', '?', '!', ';', ':']).to_lowercase();
    sentence.replace(['(', ')', '"'], "").split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Returns a file of a format whose lines, cues or segments are these texts.
fn file(format: Format, texts: &[String]) -> String {
    match format {
        Format::Srt => {
            let cue = |(at, text): (usize, &String)| {
                let [minute, second] = [at / 60, at % 60];
                format!(
                    "{}\n00:{minute:02}:{second:02},000 --> 00:{minute:02}:{second:02},900\n{text}\n\n",
                    at + 1
                )
            };
            texts.iter().enumerate().map(cue).collect()
        }
        Format::WhisperJson => {
            let quoted = |text: &str| format!("{:?}", format!(" {text}"));
            let segments: Vec<_> = texts
                .iter()
                .map(|text| format!("{{\"start\":0,\"end\":1,\"text\":{}}}", quoted(text)))
                .collect();
            let text = texts.iter().map(|text| format!(" {text}")).collect::<String>();
            format!("{{\"text\":{text:?},\"segments\":[{}]}}\n", segments.join(","))
        }
        Format::Jsonl => texts.iter().map(|text| format!("{{\"text\":{text:?}}}\n")).collect(),
        _ => texts.iter().map(|text| format!("{text}\n")).collect(),
    }
}

fn restored(preset: Preset, format: Format, file: &str, marks: MarkSet) -> String {
    let options = RestoreOptions::default().marks(marks).mark_places(MarkPlaces::Unmarked);
    let mut out = Vec::new();
    let restorer = Model::embedded_as("en", preset).expect("the model is built in").with(options);
    restorer.restore_to(format, file.as_bytes(), &mut out).expect("the file is sound");
    String::from_utf8(out).expect("only case changes")
}

/// Returns the number of words that differ.
fn changed(one: &str, other: &str) -> usize {
    one.split_whitespace().zip(other.split_whitespace()).filter(|(one, other)| one != other).count()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn punctuated_text_is_restored_alike_with_and_without_marks(
        sentences in prop::collection::vec(prop::sample::select(SENTENCES.to_vec()), 3..20),
        format in prop::sample::select(vec![Format::Text, Format::Srt, Format::WhisperJson, Format::Jsonl]),
        preset in prop::sample::select(vec![Preset::Accurate, Preset::Fast]),
        is_small: bool,
    ) {
        let case = |text: &&str| if is_small { text.to_lowercase() } else { (*text).to_owned() };
        let file = file(format, &sentences.iter().map(case).collect::<Vec<_>>());
        let plain = restored(preset, format, &file, MarkSet::NONE);
        prop_assert_eq!(restored(preset, format, &file, MarkSet::USUAL), plain);
    }

    #[test]
    fn the_output_with_marks_stays_as_it_is(
        sentences in prop::collection::vec((prop::sample::select(SENTENCES.to_vec()), prop::bool::weighted(0.9)), 3..40),
        is_first_bare: bool,
        format in prop::sample::select(vec![Format::Text, Format::Srt, Format::WhisperJson, Format::Jsonl]),
        preset in prop::sample::select(vec![Preset::Accurate, Preset::Fast]),
    ) {
        // Stretches of ten sentences or so have their marks, or lack them.
        let mut is_bare = is_first_bare;
        let texts: Vec<_> = sentences.iter().map(|(sentence, stays)| {
            is_bare ^= !stays;
            if is_bare { bare(sentence) } else { (*sentence).to_owned() }
        }).collect();
        let once = restored(preset, format, &file(format, &texts), MarkSet::USUAL);
        prop_assert_eq!(&restored(preset, format, &once, MarkSet::USUAL), &once);
        // The words of a stretch that got few marks may still suggest a sentence start.
        let plain = restored(preset, format, &once, MarkSet::NONE);
        prop_assert!(changed(&plain, &once) <= 1, "{plain}\n{once}");
    }
}

#[test]
fn stray_marks_and_lost_halves_do_not_keep_a_text_bare() {
    let texts = |is_bare: &dyn Fn(usize) -> bool| {
        let text = |(at, sentence): (usize, &&str)| {
            if is_bare(at) { bare(sentence) } else { (*sentence).to_owned() }
        };
        SENTENCES.repeat(6).iter().enumerate().map(text).collect::<Vec<_>>().join(" ")
    };
    let inserted = |text: &str| {
        let with_marks = restored(Preset::Accurate, Format::Text, text, MarkSet::USUAL);
        with_marks.matches(['.', ',', '?']).count() - text.matches(['.', ',', '?']).count()
    };
    assert_eq!(inserted(&texts(&|_| false)), 0);
    let bare_text = texts(&|_| true);
    let all = inserted(&bare_text);
    assert!(all > SENTENCES.len(), "{all}");
    let word = |(at, word): (usize, &str)| if at % 300 == 299 { format!("{word}?") } else { word.to_owned() };
    let stray = bare_text.split(' ').enumerate().map(word).collect::<Vec<_>>().join(" ");
    assert!(stray.matches('?').count() > 1);
    assert!(inserted(&stray) * 10 >= all * 9, "{} of {all}", inserted(&stray));
    let half = inserted(&texts(&|at| at >= 42));
    assert!(half * 10 > all * 4 && half * 10 < all * 6, "{half} of {all}");
}
