//! `majuscule corpus`: the overlap of two texts.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::command::run_with_input;
use crate::room::Room;

#[test]
fn overlap_says_which_ngrams_stand_in_both_texts() {
    let room = Room::new();
    room.write("train.txt", "We met Ana Reis in Porto.\n");
    room.write("test.txt", "They say we met Ana.\nNo.\nRui left us there.\n");
    let out = room.out("corpus overlap train.txt test.txt --order 3", b"");
    let expected = "1 of 5 3-grams of test.txt occur in train.txt (20.00 %)\n\
                    1 of 2 sentences of 3 words or more have one (50.00 %)\n\n1\twe met ana\n";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
    room.write("more.txt", "Rui left us.\n");
    let out = room.out("corpus overlap train.txt more.txt --test test.txt more.txt --order 3", b"");
    let out = String::from_utf8(out).unwrap();
    assert!(
        out.starts_with("3 of 6 3-grams of test.txt and 1 more occur in train.txt and 1 more (50.00 %)\n"),
        "{out}"
    );
    let refused = run_with_input(room.folder(), &["corpus", "overlap", "train.txt"], b"");
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("one file is named"));
}
