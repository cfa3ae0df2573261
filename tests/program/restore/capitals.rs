//! `restore` decides capitals: the user's words, capitals kept, starts of sentences, and how much
//! of the text counts.

use crate::room::Room;

#[test]
fn the_users_words_win_over_capitals_kept_and_these_over_the_start_and_this_over_the_model() {
    let room = Room::new();
    room.write("words.txt", "lisbon\nNEW YORK\n");
    let text = "us Lisbon and new york. us and IPhone. met iphone.";
    assert_eq!(room.restored("", text), "Us Lisbon and New York. Us and IPhone. Met iPhone.");
    assert_eq!(
        room.restored("--words words.txt", text),
        "Us lisbon and NEW YORK. Us and IPhone. Met iPhone."
    );
    assert_eq!(
        room.restored("--sentence-start never", text),
        "us Lisbon and New York. us and IPhone. met iPhone."
    );
    assert_eq!(room.restored("--case ignore", text), "Us Lisbon and New York. Us and iPhone. Met iPhone.");
    assert_eq!(room.restored("--case keep", "THEY MET the bbc"), "THEY MET the BBC");
    assert_eq!(room.restored("", "THEY MET THE BBC"), "they met the BBC");
    assert_eq!(room.restored("--sentence-start always", "they met"), "They met");
    assert_eq!(room.restored("", "they met"), "they met");
}

#[test]
fn fewer_or_more_capitals_come_out_as_asked_for() {
    let room = Room::new();
    let text = "he read the book of the wild at the city library\n\n\
        he is the minister of agriculture in the government of the north\n\
        the university of the south met the minister of state and the queen of the island\n";
    let [few, balanced, many] = ["few", "balanced", "many"].map(|balance| {
        let line = format!("restore --lang en --capitals {balance}");
        let found = String::from_utf8(room.out(&line, text.as_bytes())).unwrap();
        found.chars().filter(|c| c.is_uppercase()).count()
    });
    assert!(few < balanced && balanced < many, "{few} {balanced} {many}");
    room.fails("restore --capitals few --model model", b"", 2, &["--capitals", "maxent or a network"]);
}

#[test]
fn rules_of_a_house_style_are_applied_as_asked_for() {
    let room = Room::new();
    let text = "# the office of the president\n- he thanked the president\n";
    let restored = |style: &str| {
        String::from_utf8(room.out(&format!("restore --lang en {style}"), text.as_bytes())).unwrap()
    };
    assert_eq!(restored(""), "# The office of the President\n- He thanked the President\n");
    assert_eq!(
        restored("--style small-offices"),
        "# The office of the president\n- He thanked the president\n"
    );
    let both = restored("--style title-headings,small-offices");
    assert_eq!(both, "# The Office of the President\n- He thanked the president\n");
    room.fails("restore --style small", b"", 2, &["small-offices, title-headings, capital-items"]);
}

#[test]
fn a_line_that_would_come_out_in_capitals_alone_is_decided_as_a_whole() {
    let room = Room::new();
    assert_eq!(room.restored("", "WHO bbc"), "who BBC");
    assert_eq!(room.restored("", "who BBC"), "who BBC");
    assert_eq!(room.restored("", "WHO met bbc"), "WHO met BBC");
}

#[test]
fn spellings_that_clash_or_change_more_than_case_are_named() {
    let room = Room::new();
    for (words, parts) in [
        ("iPhone\nBBC\nIPHONE\n", ["words.txt, line 3", "clashes with line 1", "keep one"]),
        ("eBay\nebay\teBays\n", ["words.txt, line 2", "\"eBays\"", "more than case"]),
        ("# mine\n\nhttp://a.b\n", ["words.txt, line 3", "no word", "left as they are"]),
    ] {
        room.write("words.txt", words);
        room.fails("restore --model model --words words.txt", b"ebay", 1, &parts);
    }
    room.fails("restore --model model --words missing.txt", b"", 1, &["missing.txt"]);
}

#[test]
fn in_text_without_marks_utterances_begin_with_capitals_and_wrapped_lines_do_not() {
    let room = Room::new();
    let utterances = "thanks everyone for coming\nthe train to geneva was late\nshe told us about the report\n\
                      he works for the bbc in london\nnobody knows why\n";
    let out = String::from_utf8(room.out("restore", utterances.as_bytes())).unwrap();
    assert!(out.lines().all(|line| line.starts_with(char::is_uppercase)), "{out}");
    let wrapped = "thanks everyone for coming to lisbon because the\nmeeting that we had in geneva was so long that\n\
                   nobody could say what angela wanted to do with\nthe report about trains in the north of the\n\
                   country and why it was never sent to the people\nwho asked for it in london\n";
    let out = String::from_utf8(room.out("restore", wrapped.as_bytes())).unwrap();
    let opened = out.lines().filter(|line| line.starts_with(char::is_uppercase)).count();
    assert_eq!(opened, 1, "{out}");
}

#[test]
fn records_and_lines_by_themselves_say_nothing_of_each_other() {
    let room = Room::new();
    let said = |line: &str, input: &str| {
        let out = room.out(&format!("restore --preset fast {line}"), input.as_bytes());
        String::from_utf8(out).unwrap().replace("{\"text\":\"", "").replace("\"}", "")
    };
    let records = "{\"text\":\"thanks and\"}\n{\"text\":\"the meeting is on monday\"}\n";
    let lines = "thanks and\nthe meeting is on monday\n";
    let [apart, joined] =
        ["Thanks and\nThe meeting is on Monday\n", "Thanks and\nthe meeting is on Monday\n"];
    for (line, input, expected) in [
        ("--format jsonl", records, apart),
        ("--format jsonl --context line", records, apart),
        ("--format jsonl --context file", records, joined),
        ("--format jsonl --stream", records, joined),
        ("--format jsonl --stream --context line", records, apart),
        ("", lines, joined),
        ("--context file", lines, joined),
        ("--context line", lines, apart),
        ("--context line --stream", lines, apart),
    ] {
        assert_eq!(said(line, input), expected, "{line}");
        assert_eq!(said(&format!("{line} --threads 1"), input), expected, "{line}");
    }
    let call = |call: &str, text: &str| format!("{{\"meta\":{{\"call\":{call}}},\"text\":\"{text}\"}}\n");
    let calls = |a: &str, b: &str| call(a, "thanks and") + &call(b, "the meeting is on monday");
    for stream in ["", " --stream"] {
        for (a, b, text) in [
            ("7", "7", "the meeting"),
            ("\"x\"", "\"\\u0078\"", "the meeting"),
            ("7", "8", "The meeting"),
            ("null", "null", "The meeting"),
        ] {
            let out = said(&format!("--format jsonl --group meta.call{stream}"), &calls(a, b));
            assert!(out.contains(text), "{a} {b}{stream}: {out}");
        }
    }
    room.fails(
        "restore --format jsonl --group call",
        calls("1", "1").as_bytes(),
        1,
        &["line 1", "\"call\"", "--group"],
    );
    room.fails("restore --group call talk.srt", b"", 2, &["--group", "jsonl"]);
    room.fails("restore --context line talk.srt", b"", 2, &["--context line", "subtitles"]);
    room.fails("restore --group call --context file", b"", 2, &["--group", "--context"]);
}
