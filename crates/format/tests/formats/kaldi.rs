//! Tests of `kaldi`.

use crate::laws::{check, starts, words};
use majuscule_format::Format;

#[test]
fn the_words_of_an_utterance_are_text_and_its_name_is_not() {
    let file = "ana-1 we met Ana\r\nana-2\n\nana-3\t<noise> he left !SIL [laughter] ana-4\nrui-1 yes";
    check(Format::Kaldi, file);
    assert_eq!(words(Format::Kaldi, file), ["we", "met", "ana", "he", "left", "ana-4", "yes"]);
    assert_eq!(starts(Format::Kaldi, file), ["we", "he", "yes"]);
}
