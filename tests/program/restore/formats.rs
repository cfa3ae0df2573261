//! `restore` on formats: detected by the first bytes, returned with only their capitals changed, or
//! converted.

use std::fs;
use std::path::Path;

use crate::command::run_with_input;
use crate::room::{Room, TRAINED};

#[test]
fn one_command_makes_subtitles_of_a_document() {
    let room = Room::new();
    // Two words lack a time, and one has an impossible time.
    let times = [
        "0.0,\"end\":0.3",
        "0.3,\"end\":0.5",
        "null,\"end\":null",
        "1.0,\"end\":1.5",
        "90,\"end\":91",
        "7.0,\"end\":7.4",
    ];
    let words = ["so", "we", "met", "angela", "merkel", "yesterday"];
    let listed = words
        .iter()
        .zip(times)
        .map(|(word, time)| format!("{{\"word\":\" {word}\",\"start\":{time},\"probability\":0.9}}"));
    let listed = listed.collect::<Vec<_>>().join(",");
    let json = format!(
        r#"{{"text":" {0}","language":"en","segments":[{{"id":0,"start":0.0,"end":7.5,"text":" {0}","temperature":0.0,"words":[{listed}]}}]}}"#,
        words.join(" ")
    );
    room.write("ep.json", &json);
    let output = room.run("restore --marks ep.json -o ep.srt", b"");
    let note = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.success() && note.lines().count() == 1 && note.starts_with("majuscule: left out: "),
        "{note}"
    );
    let srt = room.read("ep.srt");
    let text: Vec<&str> =
        srt.lines().filter(|line| !line.contains("-->") && line.parse::<u32>().is_err()).collect();
    let text = text.join(" ").replace(['.', ',', '?'], "");
    assert_eq!(text.split_whitespace().collect::<Vec<_>>().join(" "), "So we met Angela Merkel yesterday");
    assert!(
        srt.starts_with("1\n00:00:00,000 --> ")
            && srt.trim_end().lines().any(|line| line.ends_with("00:00:08,000")
                || line.ends_with("00:00:07,400")
                || line.starts_with("00:00:07,000")),
        "{srt}"
    );
    // Restoring and converting in two steps has the same result.
    room.out("restore --quiet --marks ep.json -o marked.json", b"");
    assert_eq!(room.run("convert marked.json --to srt --cues sentence", b"").stdout, srt.as_bytes());
    assert_eq!(
        room.out("restore --quiet --marks --format whisper-json - --to srt", json.as_bytes()),
        srt.as_bytes()
    );
    // In a folder, each text gets the name of its new format.
    fs::create_dir(room.path("talks")).unwrap();
    room.write("talks/ep.json", &json);
    room.out("restore --quiet --marks talks --to srt -o subtitles/", b"");
    assert_eq!(room.read("subtitles/ep.srt"), srt);
    // What the other format cannot hold is left out and reported.
    room.write("talk.srt", "1\n00:00:01,000 --> 00:00:02,000 X1:40\nwe met\n");
    room.fails(
        "restore --strict talk.srt -o talk.vtt",
        b"",
        1,
        &["the coordinates \"X1:40\" would be lost", "--strict"],
    );
    room.out("restore --quiet talk.srt -o talk.vtt", b"");
    assert!(room.read("talk.vtt").starts_with("WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\n"));
    room.fails("restore ep.json talk.srt --to text", b"", 2, &["several texts cannot be converted into one"]);
    room.fails("restore --stream ep.json -o ep.vtt", b"", 2, &["--stream keeps the format of a text"]);
    room.fails("restore --check ep.json --to srt", b"", 2, &["cannot be used with"]);
}

#[test]
fn one_command_makes_a_transcript_of_a_document_with_speakers() {
    let room = Room::new();
    let segments = [
        (0, 2, "S0", "so we met in lisbon"),
        (2, 4, "S0", "it was late"),
        (3700, 3702, "S1", "did you see the bbc"),
    ];
    let segments = segments.map(|(begin, end, speaker, text)| {
        format!(r#"{{"start":{begin},"end":{end},"speaker":"{speaker}","text":" {text}"}}"#)
    });
    room.write("talk.json", format!(r#"{{"segments":[{}]}}"#, segments.join(",")));
    let written = |line: &str, name: &str| {
        let told = room.run(&format!("restore --marks --preset fast {line} talk.json -o {name}"), b"");
        let told = String::from_utf8(told.stderr).unwrap();
        (room.read(name), told)
    };
    let (plain, _) = written("", "talk.txt");
    let turns: Vec<&str> = plain.split("\n\n").collect();
    assert!(turns.len() == 2 && turns[0].starts_with("S0: So we met in Lisbon"), "{plain}");
    let (markdown, told) = written("--names S0=Ana,S2=Bob --times", "talk.md");
    assert!(markdown.starts_with("[00:00:00] **Ana:** So we met in Lisbon"), "{markdown}");
    assert!(markdown.contains("\n\n[01:01:40] **S1:** Did you see the BBC"), "{markdown}");
    assert!(told.contains("--names: S2 does not occur as a speaker"), "{told}");
    let (subtitles, _) = written("--names S0=Ana", "talk.vtt");
    assert!(subtitles.contains("<v Ana>So we met"), "{subtitles}");
    let (subtitles, _) = written("--speakers --names S0=Ana", "talk.srt");
    assert!(subtitles.contains("\nANA: So we met") && subtitles.contains("\nS1: Did"), "{subtitles}");
    let (lines, _) = written("--no-speakers", "lines.txt");
    assert!(lines.starts_with("So we met in Lisbon") && !lines.contains("S1"), "{lines}");
    let (paragraphs, _) = written("--no-speakers --lines paragraph", "paragraphs.txt");
    assert_eq!(
        paragraphs.replace("\n\n", "\n"),
        plain.replace("\n\n", "\n").replace("S0: ", "").replace("S1: ", "")
    );
    for line in
        ["--names S0=Ana", "--times", "--lines paragraph", "--times --to vtt", "--lines sentence --to text"]
    {
        room.fails(&format!("restore {line} talk.json"), b"", 2, &["--"]);
    }
    room.fails(
        "restore --names Ana talk.json",
        b"",
        2,
        &["expected speakers with their names", "\"Ana\" in --names"],
    );
    room.write("chat.txt", "Ana: so we met.\nit was late.\nBob: yes.\n");
    let chat = room.out("restore --preset fast --names Ana=Eva chat.txt", b"");
    assert_eq!(String::from_utf8(chat).unwrap(), "Eva: So we met. It was late.\n\nBob: Yes.\n");
}

#[test]
fn a_speaker_of_words_begins_a_turn_in_the_documents_of_all_recognisers() {
    let room = Room::new();
    let words =
        [("we", 0), ("met", 0), ("in", 0), ("lisbon", 0), ("and", 1), ("then", 1), ("we", 1), ("left", 1)];
    let listed = |word: &dyn Fn(&str, usize, usize) -> String| {
        let words: Vec<String> =
            words.iter().enumerate().map(|(at, (text, speaker))| word(text, *speaker, at)).collect();
        words.join(",")
    };
    let monologue = |speaker: usize| {
        let own = words.iter().filter(|(_, of)| *of == speaker);
        let elements =
            own.map(|(word, _)| format!(r#"{{"type":"text","value":"{word}","ts":1,"end_ts":2}}"#));
        let elements: Vec<String> = elements.collect();
        format!(
            r#"{{"speaker":{speaker},"elements":[{}]}}"#,
            elements.join(r#",{"type":"punct","value":" "},"#)
        )
    };
    let phrase = |speaker, text| {
        format!(
            r#"{{"speaker":{speaker},"offsetInTicks":1{speaker}000000,"durationInTicks":9000000,"nBest":[{{"display":"{text}"}}]}}"#
        )
    };
    let transcript = "we met in lisbon and then we left";
    let documents = [
        format!(r#"{{"monologues":[{},{}]}}"#, monologue(0), monologue(1)),
        format!(
            r#"{{"recognizedPhrases":[{},{}]}}"#,
            phrase(0, "we met in lisbon"),
            phrase(1, "and then we left")
        ),
        format!(
            r#"{{"results":{{"channels":[{{"alternatives":[{{"transcript":"{transcript}","words":[{}]}}]}}]}}}}"#,
            listed(&|word, speaker, at| format!(
                r#"{{"word":"{word}","start":{at},"end":{at}.5,"speaker":{speaker}}}"#
            ))
        ),
        format!(
            r#"{{"results":{{"transcripts":[{{"transcript":"{transcript}"}}],"items":[{}]}}}}"#,
            listed(&|word, speaker, at| format!(
                r#"{{"type":"pronunciation","start_time":"{at}","end_time":"{at}.5","speaker_label":"{speaker}","alternatives":[{{"content":"{word}"}}]}}"#
            ))
        ),
        format!(
            r#"{{"results":[{}]}}"#,
            listed(&|word, speaker, at| format!(
                r#"{{"type":"word","start_time":{at},"end_time":{at}.5,"alternatives":[{{"content":"{word}","speaker":"{speaker}"}}]}}"#
            ))
        ),
    ];
    let restored = |document: &str| {
        let line = "restore --marks --quiet --format whisper-json --to text";
        String::from_utf8(room.out(line, document.as_bytes())).unwrap()
    };
    for document in documents {
        let written = restored(&document);
        assert_eq!(written, "0: We met in Lisbon.\n\n1: And then we left.\n", "{document}");
    }
    // Words without a text are on one line.
    let words = listed(&|word, _, _| format!(r#"{{"word":"{word}"}}"#));
    let written = restored(&format!(r#"{{"words":[{words}]}}"#));
    assert!(!written.contains("met."), "{written}");
}

#[test]
fn a_format_is_told_by_the_first_bytes_where_the_name_says_nothing() {
    let room = Room::new();
    let srt = "1\n00:00:01,000 --> 00:00:02,000\n<i>we met in lisbon</i>\n";
    let object = "{\"text\":\"we met the bbc\",\"id\":\"bbc\"}\n";
    let whisper = "{\n\"text\": \"the bbc\",\n\"segments\": [{\"text\": \" the bbc\"}], \"task\": \"bbc\"}";
    for (input, part) in [
        (srt, "\n<i>we met in Lisbon</i>"),
        (&format!("WEBVTT\n\nbbc\n{}", &srt[2..].replace(',', ".")), "bbc\n00:00:01.000"),
        (object, "\"we met the BBC\",\"id\":\"bbc\""),
        (whisper, "[{\"text\": \" the BBC\"}], \"task\": \"bbc\""),
    ] {
        let out = room.restored("", input);
        assert!(out.contains(part), "{out}");
        assert_eq!(room.write("talk", input).restored("talk", ""), out);
    }
    // The name of the file decides its format, and a note reports the contradiction.
    let output = room.write("talk.txt", srt).run("restore --model model talk.txt", b"");
    let note = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.success() && note.contains("talk.txt has the extension of text, but begins like srt"),
        "{note}"
    );
    for line in ["--format srt talk.txt", "--format text talk.txt", "--quiet talk.txt"] {
        assert!(room.run(&format!("restore --model model {line}"), b"").stderr.is_empty(), "{line}");
    }
    room.write("ep.json", whisper);
    // The output has another format: the document has no times for it.
    room.fails(
        "restore --model model ep.json -o nice.srt",
        b"",
        1,
        &["ep.json, line 3", "found no beginning"],
    );
    assert!(!room.path("nice.srt").exists());
    room.fails(
        "restore --model model ep.json -o nice.trn",
        b"",
        2,
        &["ep.json is whisper-json", "nice.trn has the extension of trn"],
    );
    room.restored("talk.txt -o other.txt", "");
    room.restored("--format srt talk.txt -o again.txt", "");
    let image = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    room.write("talk.png", image).fails(
        "restore --model model talk.png",
        b"",
        1,
        &["talk.png: found an image"],
    );
    let every_byte: Vec<u8> = (0..1000).map(|at| (at * 7 % 256) as u8).collect();
    room.fails("restore --model model", &every_byte, 1, &["standard input: this is not text", "--lossy"]);
    room.out("restore --model model --lossy", &every_byte);
    let passed = room.out("restore --model model --lossy", image);
    assert_eq!(passed.to_ascii_lowercase(), image.to_ascii_lowercase());
}

#[test]
fn the_files_of_the_examples_come_out_with_other_capitals_alone() {
    let folder = Path::new(crate::ROOT).join("examples");
    let model = TRAINED.join("model");
    let model = model.to_str().unwrap();
    let lower = |text: &str| text.replace("\\u00c9", "\\u00e9").to_lowercase();
    for (name, word) in [
        ("talk.srt", "Lisbon."),
        ("talk.vtt", "Lisbon."),
        ("talk.ctm", "Lisbon 0.91"),
        ("talk.json", "\" Lisbon.\""),
    ] {
        let before = fs::read_to_string(folder.join(name)).unwrap();
        let output = run_with_input(&folder, &["restore", "--model", model, name], b"");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let after = String::from_utf8(output.stdout).unwrap();
        assert!(after.contains(word), "{name}: {after}");
        assert_eq!(lower(&after), lower(&before), "{name}");
        let format = match name {
            "talk.json" => "whisper-json",
            _ => name.rsplit_once('.').unwrap().1,
        };
        let again =
            run_with_input(&folder, &["restore", "--model", model, "--format", format], after.as_bytes());
        assert_eq!(String::from_utf8(again.stdout).unwrap(), after, "{name}");
    }
}

#[test]
fn a_broken_subtitle_is_named_or_passed() {
    let room = Room::new();
    room.write("a.srt", "1\n00:00:01,000 --> 00:00:02,000\nin lisbon\n\n2\n00:00:0x --> 00:00:02,000\nin lisbon\n\n3\n00:00:01,000 --> 00:00:02,000\nin lisbon\n");
    let output = room.run("restore --model model a.srt -o b.srt", b"");
    assert_eq!(output.status.code(), Some(1));
    let problem = String::from_utf8(output.stderr).unwrap();
    assert!(
        problem.contains("a.srt, line 6, column 1: found \"00:00:0x\", but a timing is expected"),
        "{problem}"
    );
    assert!(!room.path("b.srt").exists());
    let output = room.run("restore --model model --lossy a.srt", b"");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        text.lines().filter(|line| line.starts_with("in")).collect::<Vec<_>>(),
        ["in Lisbon", "in lisbon", "in Lisbon"]
    );
    assert_eq!(room.run("restore --model model --format conll --field word", b"x").status.code(), Some(2));
}
