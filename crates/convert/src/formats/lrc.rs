//! .lrc: lyrics, which are read and not written.

use majuscule_format::Format;

use super::{dropped, run};

#[test]
fn a_line_is_shown_until_the_next() {
    let file = "[ar:Ana Reis]\n[00:12.00][01:15.30]so we met\n[00:14.50]\n[00:20:50]in lisbon (again)\n";
    let srt = "1\n00:00:12,000 --> 00:00:14,500\nso we met\n\n2\n00:00:20,500 --> 00:01:15,300\nin lisbon (again)\n\n\
               3\n00:01:15,300 --> 00:01:15,829\nso we met\n\n";
    assert_eq!(dropped(Format::Lrc, Format::Srt, file), srt);
    let refused = run(Format::Lrc, Format::Srt, true, file).unwrap_err().to_string();
    assert!(
        refused.starts_with("data, line 1, column 1: the comment \"[ar:Ana Reis]\" would be lost"),
        "{refused}"
    );
}

#[test]
fn an_offset_moves_all_times_and_words_have_their_own() {
    let file = "[offset:+500]\n[00:01.00]<00:01.00>so <00:01.50>we 3 < 4\n";
    let objects = dropped(Format::Lrc, Format::Jsonl, file);
    let words = r#""words":[{"text":"so","begin":0.5},{"text":" we 3 < 4","begin":1.0}]"#;
    assert!(
        objects.contains(words) && objects.contains(r#""begin":0.5,"end":1.147,"text":"so we 3 < 4""#),
        "{objects}"
    );
}

#[test]
fn a_song_without_times_has_lines() {
    assert_eq!(dropped(Format::Lrc, Format::Text, "[ti:so]\nwe met\n\nin lisbon\n"), "we met\nin lisbon\n");
}

#[test]
fn the_words_of_a_repetition_have_its_times() {
    let file = "[00:12.00][01:15.00]<00:12.00>so <00:12.50>we\n[00:20.00]yes\n";
    let objects = dropped(Format::Lrc, Format::Jsonl, file);
    assert!(
        objects.contains(r#""words":[{"text":"so","begin":75.0},{"text":" we","begin":75.5}]"#),
        "{objects}"
    );
}
