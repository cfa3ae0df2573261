//! Tests of `ctm`.

use crate::laws::{check, error, starts, words};
use majuscule_format::Format;

#[test]
fn a_recording_is_a_text() {
    let file = ";; made\na A 0.5 0.25 we 0.9\na A 0.8 0.1 met. 0.9\r\na A 1 0.1 <laugh>\na A 1 1 then\n\
                a A * * <ALT_BEGIN>\na A 2 1 i\na A * * <ALT>\na A 2 1 you\na A * * <ALT_END>\na A 3 1 [noise] NA\n\
                a A 3 1 left 0.5\na B 0 1 é\u{30c}é\nb A 0 1 yes";
    assert_eq!(words(Format::Ctm, file), ["we", "met", "then", "i", "left", "é\u{30c}é", "yes"]);
    assert_eq!(starts(Format::Ctm, file), ["we", "then", "é\u{30c}é"]);
    check(Format::Ctm, file);
    let found = error(Format::Ctm, "a A 0 1 so\na A x 1 we\n");
    assert!(found.starts_with("data, line 2, column 5: found \"x\", but the beginning"), "{found}");
    assert_eq!(words(Format::Ctm, "a A 0 1 so\na A x 1 we\na A 0 1 go"), ["so", "go"]);
}
