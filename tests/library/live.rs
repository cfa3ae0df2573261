//! Text that arrives slowly, with a built-in model.

use majuscule::{Capitalized, Format, MarkSet, Model, RestoreOptions};
use majuscule_restore::stream_as;

#[test]
fn a_sentence_ends_with_a_line_before_a_pause() {
    let model = Model::embedded("en").unwrap();
    let options = RestoreOptions::default().capitalized(Capitalized::Ignore);
    let said = |kind, lines: [&str; 2], options: &RestoreOptions| {
        let mut stream = stream_as("live", kind, model.restorer.clone(), options.clone()).unwrap();
        lines.map(|line| {
            let mut out = Vec::new();
            stream.push(line.as_bytes(), &mut out).unwrap();
            stream.now(&mut out).unwrap();
            String::from_utf8(out).unwrap()
        })
    };
    let marked = options.clone().marks(MarkSet::USUAL);
    let text = ["did you see lisbon\n", "yes it was nice \r\n"];
    assert_eq!(said(Format::Text, text, &marked), ["Did you see Lisbon?\n", "Yes, it was nice. \r\n"]);
    let records = ["{\"text\":\"did you see lisbon\"}\n", "{\"text\":\"yes it was nice\"}\n"];
    assert_eq!(
        said(Format::Jsonl, records, &marked),
        ["{\"text\":\"Did you see Lisbon?\"}\n", "{\"text\":\"Yes, it was nice.\"}\n"]
    );
    let parts = ["we met in the ", "city of lisbon\n"];
    assert_eq!(said(Format::Text, parts, &marked), ["We met in the ", "city of Lisbon.\n"]);
    assert_eq!(said(Format::Text, parts, &options), ["We met in the ", "city of Lisbon\n"]);
}

#[test]
fn a_replaced_record_ends_no_sentence() {
    let model = Model::embedded("en").unwrap();
    let options = RestoreOptions::default().capitalized(Capitalized::Ignore);
    let options = options.marks(MarkSet::USUAL);
    let mut stream = stream_as("live", Format::Jsonl, model.restorer.clone(), options).unwrap();
    let mut out = Vec::new();
    for text in ["we met in the", "we met in the city"] {
        stream.push(format!("{{\"id\":1,\"text\":\"{text}\"}}\n").as_bytes(), &mut out).unwrap();
    }
    assert_eq!(String::from_utf8(out).unwrap(), "{\"id\":1,\"text\":\"We met in the\"}\n");
}
