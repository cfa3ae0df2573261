//! Tests of `stm`.

use crate::laws::{check, error, starts, words};
use majuscule_format::Format;

#[test]
fn sentences_run_on_from_segment_to_segment() {
    let file = "a 1 ana 0 1 <o,f0,female> so { we / they } met.\na 1 ana 1 2 then rui\r\na 1 ana 2 3 left. [noise] he\n\
                ;; x\na 1 rui 3 4 ignore_time_segment_in_scoring\na 1 rui 4 5 no\nb 1 rui 0 1 yes.";
    assert_eq!(words(Format::Stm, file), ["so", "we", "met", "then", "rui", "left", "he", "no", "yes"]);
    assert_eq!(starts(Format::Stm, file), ["so", "then", "he", "no", "yes"]);
    check(Format::Stm, file);
    let found = error(Format::Stm, "a 1 ana 0 1 so\na 1 ana 2 1 we\n");
    assert!(found.starts_with("data, line 2, column 11: found the end 1 before"), "{found}");
}
