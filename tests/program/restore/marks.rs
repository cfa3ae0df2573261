//! `restore --marks`: punctuation marks that the method inserts, and windows that vote on them.

use crate::room::Room;

#[test]
fn a_text_at_a_cursor_goes_on_in_the_text_around_it() {
    let room = Room::new();
    let restored = |line: &str, input: &str| {
        String::from_utf8(room.out(&format!("restore {line} --preset fast"), input.as_bytes())).unwrap()
    };
    assert_eq!(restored("--marks --before We.went", "to lisbon\n"), " To Lisbon.\n");
    assert_eq!(restored("--before We --after met", "in LISBON"), " in LISBON ");
    assert_eq!(restored("--before -", "we met"), restored("--before=-", "we met"));
    for other in ["--lines sentence", "--diff"] {
        room.fails(&format!("restore --before We {other} -"), b"so", 2, &["--before", "leave them out"]);
    }
    room.write("talk.srt", "1\n00:00:01,000 --> 00:00:02,000\nso\n");
    room.fails("restore --after We talk.srt", b"", 2, &["--before and --after", "srt", "leave them out"]);
    room.fails("restore --before We --stream", b"so", 2, &["--stream", "--before"]);
}

#[test]
fn marks_are_put_in_when_they_are_asked_for() {
    let room = Room::new();
    let text = "He met Ana, then he left. Did she see him? Yes. It was late, so we went home.\n".repeat(40);
    room.write("marks.txt", text);
    room.out("train maxent --protocol text marks.txt --marks --bits 14 -o puts", b"");
    let spoken = "he met ana then he left did she see him yes it was late so we went home";
    let restored = |line: &str, input: &str| {
        String::from_utf8(room.out(&format!("restore {line} --model puts"), input.as_bytes())).unwrap()
    };
    let written = restored("--marks", spoken);
    assert_eq!(written, "He met Ana, then he left. Did she see him? Yes. It was late, so we went home.");
    assert_eq!(restored("--punctuate", &written), written);
    assert_eq!(restored("--marks=.", spoken).matches([',', '?']).count(), 0);
    let lines = "he left\ndid she see him\nit was late\n";
    let always = restored("--marks --sentence-start always", lines);
    assert_eq!(restored("--marks --sentence-start always", &always), always);
    let two = format!("he left, then\n{spoken}\n");
    assert_eq!(restored("--marks=auto", &two).lines().next(), Some("He left, then"));
    // No full stop can follow `b`, so that no sentence ends there either.
    let abbreviated = restored("--marks=auto", "yes mr it was late b\nyes b\n");
    assert_eq!(restored("--marks=auto", &abbreviated), abbreviated);
    let stream = restored("--marks --stream", spoken);
    assert_eq!(stream.to_lowercase().replace([',', '.', '?'], ""), spoken);
    let words = restored("--marks --confidence", spoken);
    let fields = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
    let words: Vec<_> = words.lines().map(fields).collect();
    let ana = words.iter().find(|fields| fields[0] == "Ana").unwrap();
    assert!(
        ana[2] == "," && ana[3].parse::<f64>().is_ok_and(|fraction| fraction > 0.5 && fraction < 1.0),
        "{ana:?}"
    );
    let objects = restored("--marks --confidence --json", spoken);
    let comma = format!(r#""mark":",","mark_probability":{}"#, ana[3].trim_end_matches('0'));
    assert!(objects.contains(&comma), "{objects}");
    assert_eq!(objects.matches("mark_probability").count(), objects.lines().count());
    let sure = restored("--marks --mark-threshold 1", spoken);
    assert_eq!(sure.matches([',', '.', '?']).count(), 0, "{sure}");
    assert_eq!(restored("--marks --mark-threshold 0", spoken), written);
    assert!(restored("--marks --diff", spoken).contains("+He met Ana, then"));
    let tokens = restored("--marks --format tok", "he met ana then he left");
    assert_eq!(tokens, "He met Ana , then he left .");
    let lines =
        restored("--marks --lines sentence", &spoken.replace(" then", "\nthen").replace(" it", "\n\nit"));
    let expected =
        ["He met Ana, then he left.", "Did she see him?", "Yes.", "", "It was late, so we went home.", ""];
    assert_eq!(lines.split('\n').collect::<Vec<_>>(), expected);
    let talk = "he left then did she see him yes\n".repeat(30);
    let divided = restored("--marks --lines paragraph", &talk);
    assert!(divided.matches("\n\n").count() > 5, "{divided}");
    assert_eq!(restored("--marks --lines paragraph", &divided), divided);
    assert!(divided.split_whitespace().eq(restored("--marks --lines sentence", &talk).split_whitespace()));
    let turns = restored("--lines paragraph", "Ana: he left.\nBob: yes. It was\nlate.\n\n\nSo what?");
    assert_eq!(turns, "Ana: He left.\n\nBob: Yes. It was late.\n\nSo what?\n");
    let paragraph = |text: &str| restored("--lines paragraph", text);
    assert_eq!(paragraph(&"\n".repeat(1 << 20)).trim(), "");
    assert_eq!(paragraph(&"boat ".repeat(100_000)).trim(), "boat ".repeat(100_000).trim());
    let short = paragraph(&"a. ".repeat(1 << 19));
    assert_eq!(short.matches('.').count(), 1 << 19);
    room.fails(
        "restore --lines sentence --format srt --model puts",
        b"",
        2,
        &["plain text", "majuscule convert"],
    );
    room.fails_beside_external_models(
        "restore --marks --model model",
        2,
        &["does not insert punctuation", "accurate, fast, best or ngram of --lang en"],
    );
    room.fails("restore --marks=x --model puts", b"", 2, &["\"x\" is not a known punctuation mark", "auto"]);
    room.fails(
        "restore --marks=! --model puts",
        b"so",
        2,
        &["--marks: the model does not insert \"!\", only \",.?\""],
    );
    room.fails("restore --marks --format conll --model puts", b"so\n", 2, &["conll cannot hold punctuation"]);
    room.fails("restore --marks=auto --stream --model puts", b"so", 2, &["--marks auto", "name the marks"]);
    room.fails("restore --marks --mark-form written --format ctm --model puts", b"", 2, &["joined or apart"]);
    let spoken = "he met ana then he left".split(' ').enumerate();
    let rows: String = spoken.map(|(at, word)| format!("r A {at} 0.5 {word}\n")).collect();
    let restored = restored("--marks --mark-form apart --format ctm", &rows);
    assert!(restored.contains("r A 2 0.5 Ana\nr A 2.50 0.00 ,\nr A 3 0.5 then\n"), "{restored}");
    let streamed =
        room.out("restore --marks --mark-form apart --stream --format ctm --model puts", rows.as_bytes());
    assert!(String::from_utf8(streamed).unwrap().contains("Ana\nr A 2.50 0.00 ,\n"));
    // After "met", the model inserts nothing; a pause of a second and more ends a sentence.
    let pauses = |text: &str, format: &str| {
        let line = format!("restore --marks=. --pause-ends 1 --format {format} --model puts");
        String::from_utf8(room.out(&line, text.as_bytes())).unwrap()
    };
    let ctm = |begin: &str| format!("r A 0 0.5 he\nr A 0.5 0.5 met\nr A {begin} 0.5 he\n");
    assert!(pauses(&ctm("2.0"), "ctm").ends_with("met.\nr A 2.0 0.5 He.\n"));
    assert!(pauses(&ctm("1.9"), "ctm").ends_with("met\nr A 1.9 0.5 he.\n"));
    let srt = |begin: &str| {
        format!("1\n00:00:00,000 --> 00:00:01,000\nhe met\n\n2\n00:00:0{begin} --> 00:00:04,000\nhe\n")
    };
    assert!(pauses(&srt("2,000"), "srt").contains("He met.\n"));
    assert!(pauses(&srt("1,999"), "srt").contains("He met\n"));
    let vtt = format!("WEBVTT\n\n{}", srt("2,500").replace(',', "."));
    assert!(pauses(&vtt, "vtt").contains("He met.\n"));
    let stm = "r A ana 0 1 he met\nr A ana 2.5 3 he\n";
    assert_eq!(pauses(stm, "stm"), "r A ana 0 1 He met.\nr A ana 2.5 3 He.\n");
    let ass = "[Events]\nFormat: Start, End, Text\nDialogue: 0:00:00.00,0:00:01.00,he met\nDialogue: 0:00:02.00,0:00:03.00,he\n";
    assert!(pauses(ass, "ass").contains(",He met.\n"));
    let json = |begin: &str| {
        let segments =
            format!(r#"{{"start":0.0,"end":1.0,"text":"he met"}},{{"start":{begin},"end":4.0,"text":"he"}}"#);
        format!(r#"{{"segments":[{segments}]}}"#)
    };
    assert!(pauses(&json("2.5"), "whisper-json").contains("\"He met.\""));
    assert!(pauses(&json("1.5"), "whisper-json").contains("\"He met\""));
    let chunks =
        r#"{"chunks":[{"timestamp":[0.0,1.0],"text":"he met"},{"timestamp":[2.5,null],"text":"he"}]}"#;
    assert!(pauses(chunks, "whisper-json").contains("\"He met.\""));
    let offsets = r#"{"transcription":[{"offsets":{"from":0,"to":1000},"text":"he met"},{"offsets":{"from":2500,"to":3000},"text":"he"}]}"#;
    assert!(pauses(offsets, "whisper-json").contains("\"He met.\""));
    let live = room
        .out("restore --marks=. --pause-ends 1 --stream --format ctm --model puts", ctm("2.0").as_bytes());
    assert!(String::from_utf8(live).unwrap().contains("met.\n"));
    room.fails("restore --pause-ends 1 --model puts", b"so", 2, &["--pause-ends", "this is text"]);
    room.fails("restore --pause-ends 0 --format ctm --model puts", b"", 2, &["0.001 to 3600"]);
    room.fails("restore --mark-form apart --model puts", b"", 2, &["--marks"]);
    room.fails("restore --marks .,? --model puts", b"", 2, &[".,? is not a file", "--marks=.,?"]);
    room.fails("restore --marks --mark-threshold -1 --model puts", b"", 2, &["--mark-threshold", "0 to 1"]);
    for (cost, found) in [("--mark-cost -1", "-1"), ("--end-cost inf", "inf"), ("--end-cost 1e39", "inf")] {
        let line = format!("train maxent marks.txt --marks {cost} -o none");
        room.fails(&line, b"", 2, &[&format!(" {found}"), "expected a number above 0"]);
    }
    room.write("talk.ctm", "t 1 0 1 so\n");
    room.fails(
        "convert talk.ctm --to srt --cues sentence --max-cps -1",
        b"",
        2,
        &["--max-cps -1: expected 1 to 1000"],
    );
    room.write("talk.srt", "1\n00:00:01,000 --> 00:00:02,000\nwe met\n\n");
    let limits = "limits of cues are for new cues: give --cues too";
    room.fails("restore --max-chars 30 talk.srt", b"", 2, &[limits]);
    room.fails("restore --mark-threshold 0.5 --model puts", b"", 2, &["--marks"]);
    room.fails(
        "evaluate --mark-threshold 0.5 --model puts marks.txt",
        b"",
        2,
        &["--mark-threshold: no punctuation"],
    );
    let f = |least: &str| {
        let line =
            format!("evaluate --protocol iwslt --json --mark-threshold {least} --model puts marks.txt");
        String::from_utf8(room.out(&line, b"")).unwrap()
    };
    assert_ne!(f("0"), f("1"));
}

#[test]
fn overlapping_windows_vote_on_marks_and_sentence_ends() {
    let room = Room::new();
    let text = "He met Ana, then he left. Did she see him? Yes. It was late, so we went home.\n".repeat(40);
    room.write("marks.txt", &text);
    room.out("train maxent --protocol text marks.txt --marks --bits 14 -o puts", b"");
    room.out("train majority marks.txt -o cases", b"");
    let text = &text[..text.len() / 4];
    room.write("some.txt", text);
    let spoken = text.to_lowercase().replace([',', '.', '?'], "");
    room.write("spoken.txt", &spoken);
    let restored = |options: &str, file: &str| {
        String::from_utf8(room.out(&format!("restore --model puts {options} {file}"), b"")).unwrap()
    };
    for options in
        ["--end-threshold 0.5 --window 30", "--window 9 --step 3", "--predictions-per-word 4 --window 20"]
    {
        let options = format!("--marks {options}");
        let written = restored(&options, "spoken.txt");
        assert_eq!(written.to_lowercase().replace([',', '.', '?'], ""), spoken, "{options}");
        assert!(written.matches('.').count() > 20, "{options}: {written}");
        room.write("written.txt", &written);
        assert_eq!(restored(&options, "written.txt"), written, "{options}");
    }
    // No fraction is above 1, and so no sentence ends.
    let ends = |threshold: &str| {
        let options = format!("--marks --window 3 --lines sentence --end-threshold {threshold}");
        restored(&options, "spoken.txt").lines().count()
    };
    assert_eq!([ends("0.5"), ends("1")], [40, 1]);
    let figures = |options: &str| {
        let line = format!("evaluate --model puts --protocol segments --split some.txt --json {options}");
        let report: serde_json::Value = serde_json::from_slice(&room.out(&line, b"")).unwrap();
        report["sentence_ends"]["f"].as_f64().unwrap()
    };
    assert!(figures("--window 20") > 0.9 && figures("--window 9 --end-threshold 1") < 0.1);
    for (line, parts) in [
        ("restore --window 20 --stream --model puts", &["--window", "--stream"][..]),
        ("restore --window 20 --n-best 2 --model puts", &["--window", "--n-best"]),
        ("restore --step 2 --look-ahead 1 --model puts", &["--step", "--look-ahead"]),
        ("restore --window 20 --step 20 --model puts", &["windows of 20 words", "overlap"]),
        ("restore --end-threshold 2 --model puts", &["--end-threshold", "from 0 to 1"]),
        ("restore --end-threshold nan --window 9 --model puts", &["--end-threshold", "from 0 to 1"]),
        ("restore --end-threshold 0.5 --model puts", &["--window <WORDS>", "--step <WORDS>"]),
        ("evaluate --end-threshold 0.5 --model puts some.txt", &["--window <WORDS>"]),
        (
            "restore --window 9 --end-threshold 0.2 --model cases",
            &["--end-threshold", "does not predict sentence ends"],
        ),
        ("evaluate --predictions-per-word 2 --look-ahead 1 marks.txt", &["--predictions-per-word"]),
        ("evaluate --predictions-per-word 2 --step 9 marks.txt", &["--predictions-per-word", "--step"]),
    ] {
        room.fails(line, b"so\n", 2, parts);
    }
}

#[test]
fn the_built_in_models_put_in_marks() {
    let room = Room::new();
    let spoken = b"where did you go i went to lisbon with my mother";
    for preset in ["accurate", "fast"] {
        let marked =
            String::from_utf8(room.out(&format!("restore --marks --preset {preset}"), spoken)).unwrap();
        assert!(marked.contains("? I went to Lisbon"), "{preset}: {marked}");
    }
}
