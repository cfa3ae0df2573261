//! The program as a user meets it: its output, its errors, and the files
//! that it leaves on the disk.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::LazyLock;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::toy_network;
use majuscule::model::FileRecord;
use tempfile::TempDir;

/// The training text of the model of these tests.
const CORPUS: &str = "The ministers met in Lisbon, said Anna McDonald of the BBC.\n\
                      In New York the WHO asked us who had read O'Neill in Lisbon.\n\
                      We flew to São Tomé as the BBC said and l’Europe.\n\
                      I saw Jean-Paul in the US with an iPhone, and I told us.\n";

/// A folder with a model trained once on that corpus.
static TRAINED: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("corpus.txt"), CORPUS).unwrap();
    let args = ["train", "majority", "corpus.txt", "-o", "model", "--pack", "model.packed", "--force"];
    let output = run(&folder, &args, b"");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder
});

#[test]
fn paragraphs_that_are_taken_for_sentences_are_told() {
    let room = Room::new();
    room.write(
        "paragraphs.txt",
        "We met Ana. She left Porto at once. Nobody knew why.\nIt rained. Rui stayed.\n",
    );
    room.write("sentences.txt", "We met Ana.\nShe left Porto at once. Why?\nIt rained.\n");
    let told = |line: &str| {
        let args: Vec<&str> = line.split(' ').collect();
        let output = run(room.0.path(), &args, b"");
        assert!(output.status.success(), "{line}");
        String::from_utf8(output.stderr).unwrap().contains("give --split")
    };
    assert!(told("evaluate --model model --protocol rei paragraphs.txt"));
    assert!(told("corpus stats paragraphs.txt"));
    assert!(told("train maxent paragraphs.txt -o told"));
    assert!(told("adapt told paragraphs.txt -o adapted"));
    assert!(told("score paragraphs.txt paragraphs.txt"));
    assert!(told("compare paragraphs.txt --model model --protocol rei"));
    assert!(told("compare paragraphs.txt --model model --output paragraphs.txt --protocol rei"));
    assert!(told("lm count paragraphs.txt -o told.counts"));
    assert!(told("lexicon build paragraphs.txt"));
    assert!(told("maxent features paragraphs.txt -o told.features"));
    assert!(!told("score sentences.txt sentences.txt"));
    assert!(!told("lm count --split paragraphs.txt --force -o told.counts"));
    assert!(!told("evaluate --model model --protocol rei --split paragraphs.txt"));
    assert!(!told("evaluate --model model --protocol asr paragraphs.txt"));
    assert!(!told("corpus stats sentences.txt"));
}

#[test]
fn overlap_says_which_ngrams_stand_in_both_texts() {
    let room = Room::new();
    room.write("train.txt", "We met Ana Reis in Porto.\n");
    room.write("test.txt", "They say we met Ana.\nNo.\nRui left us there.\n");
    let out = room.out("corpus overlap train.txt test.txt --order 3", b"");
    let expected = "1 of 5 3-grams of test.txt stand in train.txt (20.00 %)\n\
                    1 of 2 sentences of 3 words or more have one (50.00 %)\n\n1\twe met ana\n";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
    room.write("more.txt", "Rui left us.\n");
    let out = room.out("corpus overlap train.txt more.txt --test test.txt more.txt --order 3", b"");
    let out = String::from_utf8(out).unwrap();
    assert!(
        out.starts_with("3 of 6 3-grams of test.txt and 1 more stand in train.txt and 1 more (50.00 %)\n"),
        "{out}"
    );
    let refused = run(room.0.path(), &["corpus", "overlap", "train.txt"], b"");
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("one file is named"));
}

#[test]
fn evaluate_takes_what_restore_puts_on_top() {
    let room = Room::new();
    room.write("text.txt", "We told Ana. Then iPods sang.\n");
    room.write("my.words", "Ana\niPods\n");
    let slots = |options: &str| {
        let out =
            room.out(&format!("evaluate --model model --json {options} text.txt").replace("  ", " "), b"");
        let page: serde_json::Value = serde_json::from_slice(&out).unwrap();
        page["correct"].as_u64().unwrap()
    };
    assert_eq!(slots(""), 0);
    assert_eq!(slots("--words my.words"), 2);
    assert_eq!(slots("--words my.words --sentence-start auto"), 3);
}

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_majuscule"))
}

/// Runs a command in a folder with these bytes as standard input.
fn run(folder: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut child = spawn(program().args(args).current_dir(folder));
    let mut stdin = child.stdin.take().unwrap();
    thread::scope(|scope| {
        // A program that needs no more input closes the pipe.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    })
}

fn spawn(command: &mut Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// A temporary folder of one test, with the model in it.
struct Room(TempDir);

impl Room {
    fn new() -> Self {
        let room = Self(tempfile::tempdir_in(TRAINED.as_path()).unwrap());
        fs::create_dir(room.path("model")).unwrap();
        for file in fs::read_dir(TRAINED.join("model")).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), room.path("model").join(file.file_name())).unwrap();
        }
        room
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        fs::write(self.path(name), bytes).unwrap();
        self
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn run(&self, line: &str, input: &[u8]) -> Output {
        let args: Vec<&str> = line.split_whitespace().collect();
        run(self.0.path(), &args, input)
    }

    /// Returns the standard output of a command that must succeed.
    fn out(&self, line: &str, input: &[u8]) -> Vec<u8> {
        let output = self.run(line, input);
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    /// Returns the standard output of `restore` with the model, which must succeed.
    fn restored(&self, line: &str, input: &str) -> String {
        String::from_utf8(self.out(&format!("restore --model model {line}"), input.as_bytes())).unwrap()
    }

    /// Checks that a command fails with this code, and that its message contains all of
    /// these parts and no panic.
    fn fails(&self, line: &str, input: &[u8], code: i32, parts: &[&str]) {
        let output = self.run(line, input);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{line}: {error}");
        for part in parts {
            assert!(error.contains(part), "{line}: {error:?} lacks {part:?}");
        }
        assert!(!error.contains("panicked") && !error.contains('\u{2}'), "{line}: {error:?}");
    }

    /// Returns the names of the entries in the folder, without the model.
    fn names(&self) -> Vec<String> {
        let names =
            fs::read_dir(self.0.path()).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| name != "model").collect();
        names.sort();
        names
    }
}

#[test]
fn text_is_restored_from_files_and_standard_input() {
    let room = Room::new();
    room.write("a.txt", "anna mcdonald\n").write("b.txt", "lisbon,  and\tnew york");
    assert_eq!(room.restored("", "the bbc in lisbon.\r\n"), "The BBC in Lisbon.\r\n");
    assert_eq!(room.restored("a.txt b.txt", "unused"), "Anna McDonald\nLisbon,  and\tNew York");
    assert_eq!(room.restored("a.txt - b.txt", "bbc\n"), "Anna McDonald\nBBC\nLisbon,  and\tNew York");
    assert_eq!(room.restored("a.txt -o out.txt", ""), "");
    assert_eq!(room.read("out.txt"), "Anna McDonald\n");
    assert_eq!(room.restored("b.txt --force -o out.txt", ""), "");
    assert_eq!(room.read("out.txt"), "Lisbon,  and\tNew York");
    assert_eq!(room.names(), ["a.txt", "b.txt", "out.txt"]);
    assert_eq!(room.restored("-o - a.txt -", "i"), "Anna McDonald\nI");
    assert!(!room.path("-").exists());
    assert_eq!(room.run("restore --model model a.txt", b"").stderr, b"", "it is quiet");
    let packed = TRAINED.join("model.packed");
    let line = format!("restore --model {}", packed.display());
    assert_eq!(room.out(&line, b"o'neill of the who"), b"O'Neill of the who");
}

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
fn a_line_that_would_come_out_in_capitals_alone_is_decided_as_a_whole() {
    let room = Room::new();
    assert_eq!(room.restored("", "WHO bbc"), "who BBC");
    assert_eq!(room.restored("", "who BBC"), "who BBC");
    assert_eq!(room.restored("", "WHO met bbc"), "WHO met BBC");
}

#[test]
fn the_locale_pairs_the_letters() {
    let room = Room::new();
    room.write("words.txt", "İzmir\n");
    assert_eq!(
        room.restored("--locale tr --words words.txt --sentence-start always", "izmir\niki"),
        "İzmir\nİki"
    );
    room.write("tr.txt", "Dün İstanbul'da ve Iğdır'da konuştu.\n");
    room.out("train majority tr.txt --lang tr -o turkish", b"");
    let said = String::from_utf8(room.run("train majority tr.txt --lang tr -o it's", b"").stderr).unwrap();
    assert!(said.ends_with("\nuse it: majuscule restore --model 'it'\\''s' TEXT\n"), "{said}");
    let out = room.out("restore --model turkish", "istanbul'da ILIK ığdır'da\nİSTANBUL'DA ILIK".as_bytes());
    assert_eq!(String::from_utf8(out).unwrap(), "İstanbul'da ILIK Iğdır'da\nİstanbul'da ılık");
    assert_eq!(room.restored("--locale nl --sentence-start always", "ijs"), "IJs");
    room.fails(
        "restore --model model --locale 4",
        b"",
        2,
        &["\"4\" is not a language tag", "expected one such as"],
    );
}

#[test]
fn bytes_that_are_not_utf8_are_named_by_file_line_and_column() {
    let room = Room::new();
    room.write("bad.txt", b"first\nsecond \xe9l\xe8ve bbc\n");
    let place = "bad.txt, line 2, column 8: byte 0xe9 is not UTF-8";
    room.fails("restore --model model bad.txt", b"", 1, &[place, "--lossy"]);
    room.fails("restore --model model bad.txt -o out.txt", b"", 1, &[place]);
    assert_eq!(room.names(), ["bad.txt"]);
    room.fails("restore --model model", b"lisbon \xff", 1, &["standard input, line 1, column 8", "0xff"]);
    let out = room.out("restore --model model --lossy bad.txt", b"");
    assert_eq!(out, b"first\nsecond \xe9l\xe8ve BBC\n");
    room.fails("train majority bad.txt -o other", b"", 1, &["bad.txt, line 2, column 8"]);
    room.fails("lexicon build bad.txt", b"", 1, &["bad.txt, line 2, column 8"]);
    room.fails("corpus stats bad.txt", b"", 1, &["bad.txt, line 2, column 8"]);
    room.write("words.txt", b"Lisbon\nS\xe3o\n");
    room.fails("restore --model model --words words.txt", b"", 1, &["words.txt, line 2", "UTF-8"]);
}

#[test]
fn odd_texts_come_through_byte_for_byte() {
    let room = Room::new();
    let tag = "<".repeat(3000);
    for text in [
        "",
        "\n",
        "\r\n\r\n",
        "\u{feff}",
        "\0\0\0",
        "\u{301}\u{301}\u{308}",
        "\u{200d}\u{ad}",
        " \t\u{a0}\u{2028}",
        &tag,
        "’’--''",
    ] {
        assert_eq!(room.restored("", text), text);
        room.write("odd.txt", text);
        assert_eq!(room.restored("odd.txt", ""), text);
    }
    assert_eq!(room.restored("", "\u{feff}lisbon\0 \0bbc\0"), "\u{feff}Lisbon\0 \0BBC\0");
    assert_eq!(room.restored("", "lis\u{ad}bon bbc\u{301}"), "Lis\u{ad}bon bbc\u{301}");
    assert_eq!(room.restored("", "sa\u{303}o tome\u{301} são tomé"), "Sa\u{303}o Tome\u{301} São Tomé");
    assert_eq!(room.restored("", "o’neill l'europe"), "O’Neill l'Europe");
}

#[test]
fn models_that_cannot_be_used_are_refused() {
    let room = Room::new();
    let model = "restore --model";
    room.fails(
        &format!("{model} nowhere"),
        b"",
        1,
        &["nowhere: there is no such file or folder", "name a model made by train"],
    );
    room.write("notes.txt", "notes");
    room.fails(
        &format!("{model} notes.txt"),
        b"",
        1,
        &["notes.txt", "no packed model", "name a model made by train"],
    );
    fs::create_dir(room.path("empty")).unwrap();
    room.fails(&format!("{model} empty"), b"", 1, &["empty", "no majuscule.json"]);
    room.fails(
        &format!("{model} model --lang pt"),
        b"",
        2,
        &["--lang pt is not the language of the model, en"],
    );

    let words = room.path("model").join("words.bin");
    let bytes = fs::read(&words).unwrap();
    fs::write(&words, &bytes[..bytes.len() - 9]).unwrap();
    for verb in ["restore --model", "inspect"] {
        room.fails(
            &format!("{verb} model"),
            b"",
            1,
            &["model: words.bin has", "but the manifest says", "again"],
        );
    }
    let mut altered = bytes.clone();
    altered[bytes.len() / 2] ^= 4;
    fs::write(&words, altered).unwrap();
    for verb in ["restore --model", "inspect"] {
        room.fails(&format!("{verb} model"), b"", 1, &["model: words.bin has checksum", "altered"]);
    }
    fs::write(&words, bytes).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&room.out("inspect model --json", b"")).unwrap();
    assert_eq!((&json["method"], &json["language"]), (&"majority".into(), &"en".into()));
    assert!(String::from_utf8(room.out("inspect model", b"")).unwrap().contains("method      majority"));

    let manifest = room.read("model/majuscule.json");
    room.write("model/majuscule.json", manifest.replace("\"en\"", "\"nl\""));
    for verb in ["restore --model", "inspect"] {
        room.fails(&format!("{verb} model"), b"", 1, &["majuscule.json is not what its checksum", "altered"]);
    }
    room.write("model/majuscule.json", manifest.replace("\"format\": 2", "\"format\": 9"));
    let parts = ["model: model format 9, but this build reads 2", "use a newer majuscule"];
    room.fails(&format!("{model} model"), b"", 1, &parts);
    room.fails("inspect model", b"", 1, &parts);
    room.write("model/majuscule.json", "{\"name\": \"something else\"}");
    room.fails(&format!("{model} model"), b"", 1, &["model: majuscule.json is no manifest of majuscule"]);
}

#[test]
fn marks_are_put_in_when_they_are_asked_for() {
    let room = Room::new();
    let text = "He met Ana, then he left. Did she see him? Yes. It was late, so we went home.\n".repeat(40);
    room.write("marks.txt", text);
    room.out("train maxent marks.txt --marks --bits 14 -o puts", b"");
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
    assert!(ana[2] == "," && ana[3].parse::<f64>().is_ok_and(|share| share > 0.5 && share < 1.0), "{ana:?}");
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
    room.fails(
        "restore --lines sentence --format srt --model puts",
        b"",
        2,
        &["plain text", "majuscule convert"],
    );
    room.fails(
        "restore --marks --model model",
        spoken.as_bytes(),
        2,
        &["puts no marks", "accurate, fast, best or ngram of --lang en"],
    );
    room.fails("restore --marks=x --model puts", b"", 2, &["\"x\" is no punctuation mark", "auto"]);
    room.fails(
        "restore --marks=! --model puts",
        b"so",
        2,
        &["--marks: the method puts no \"!\", only \",.?\""],
    );
    room.fails("restore --marks --format conll --model puts", b"so\n", 2, &["conll has no place for marks"]);
    room.fails("restore --marks=auto --stream --model puts", b"so", 2, &["--marks auto", "name the marks"]);
    room.fails("restore --marks --mark-form written --format ctm --model puts", b"", 2, &["joined or apart"]);
    let spoken = "he met ana then he left".split(' ').enumerate();
    let rows: String = spoken.map(|(at, word)| format!("r A {at} 0.5 {word}\n")).collect();
    let restored = restored("--marks --mark-form apart --format ctm", &rows);
    assert!(restored.contains("r A 2 0.5 Ana\nr A 2.50 0.00 ,\nr A 3 0.5 then\n"), "{restored}");
    let streamed =
        room.out("restore --marks --mark-form apart --stream --format ctm --model puts", rows.as_bytes());
    assert!(String::from_utf8(streamed).unwrap().contains("Ana\nr A 2.50 0.00 ,\n"));
    // After "met", the model puts nothing; a pause of a second and more ends a sentence.
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
    room.fails("restore --marks .,? --model puts", b"", 2, &[".,? is no file", "--marks=.,?"]);
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
    room.fails("restore --mark-threshold 0.5 --model puts", b"", 2, &["--marks"]);
    room.fails(
        "evaluate --mark-threshold 0.5 --model puts marks.txt",
        b"",
        2,
        &["--mark-threshold: no marks"],
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
    room.out("train maxent marks.txt --marks --bits 14 -o puts", b"");
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
    // No share is above 1, and so no sentence ends.
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
            &["--end-threshold", "finds no ends of sentences"],
        ),
        ("evaluate --predictions-per-word 2 --look-ahead 1 marks.txt", &["--predictions-per-word"]),
        ("evaluate --predictions-per-word 2 --step 9 marks.txt", &["--predictions-per-word", "--step"]),
    ] {
        room.fails(line, b"so\n", 2, parts);
    }
}

#[test]
fn a_better_model_reads_what_a_fast_one_is_not_sure_of() {
    let room = Room::new();
    let text = "We met in Lisbon and Porto.\nThey told us of the US army.\n".repeat(40);
    room.write("corpus.txt", &text);
    room.out("train hmm corpus.txt -o fast --order 1", b"");
    room.out("train maxent corpus.txt -o exact --size 1000", b"");
    let cascade = |sure: &str| {
        let line = format!("restore --cascade fast,exact --sure {sure}");
        String::from_utf8(room.out(&line, b"they told us\nthe us army\n")).unwrap()
    };
    assert_eq!([cascade("0"), cascade("1")], ["they told us\nthe us army\n", "they told us\nthe US army\n"]);
    let read = |sure: &str| {
        let output = room.run(&format!("evaluate --cascade fast,exact --sure {sure} corpus.txt"), b"");
        String::from_utf8(output.stderr).unwrap()
    };
    let spoken = "We met in Lisbon, and then in Porto.\nThey told us of the US army. Who did?\n".repeat(40);
    room.write("spoken.txt", spoken);
    room.out("train maxent spoken.txt --marks --bits 14 -o puts", b"");
    let line = "restore --marks --sure 1 --cascade puts,exact";
    let input = b"we met in lisbon and then in porto they told us of the us army who did";
    let marked = String::from_utf8(room.out(line, input)).unwrap();
    assert_eq!(marked, "We met in Lisbon, and then in Porto. They told us of the US army. Who did?");
    room.out("train hmm spoken.txt --marks --order 3 -o better", b"");
    let by = |options: &str| room.out(&format!("restore --marks {options}"), input);
    assert_eq!(by("--cascade puts,better --sure 1"), by("--model better"));
    assert_eq!(by("--cascade puts,better --sure 0"), by("--model puts"));
    room.out("compact better --pack small", b"");
    assert_eq!(by("--model small"), by("--model better"));
    room.fails(
        "restore --marks --cascade exact,puts",
        b"us",
        2,
        &[
            "the first model of --cascade, which reads all of a text, puts no marks",
            "accurate, fast, best or ngram of --lang en",
        ],
    );
    assert_eq!(read("0"), "the second model read 0.0 % of the words\n");
    assert_ne!(read("1"), read("0"));
    for (line, code, part) in [
        ("restore --cascade fast", 2, "names 1 models: expected two"),
        ("restore --cascade fast,exact --sure 2", 2, "'--sure <P>': expected a probability"),
        ("restore --cascade fast,exact --sure -1", 2, "'--sure <P>': expected a probability"),
        ("restore --cascade fast,exact --sure nan", 2, "'--sure <P>': expected a probability"),
        ("restore --sure 0.5 --model fast", 2, "--cascade"),
        ("restore --sure 0.5 --preset fast", 2, "--cascade"),
        ("evaluate --sure 0.5 --model fast corpus.txt", 2, "--cascade"),
        ("restore --cascade fast,exact --stream", 2, "leave --stream out"),
        ("restore --cascade fast,exact --model fast", 2, "--model"),
        ("restore --sure 0.5", 2, "--cascade"),
        ("restore --cascade fast,gone", 1, "gone"),
        ("restore --cascade model,exact", 2, "must say how sure it is"),
    ] {
        room.fails(line, b"us\n", code, &[part]);
    }
}

#[test]
fn a_network_restores_whole_or_in_bytes() {
    let room = Room::new();
    let text = "the minister met us in lisbon\nwho met anna\n";
    for network in [toy_network::cnn_bilstm(), toy_network::whole()] {
        room.write("network", network.pack());
        room.out("compact network --force --pack bytes", b"");
        let size = |name: &str| fs::metadata(room.path(name)).unwrap().len();
        assert!(size("bytes") < size("network"));
        for model in ["network", "network --precision int8", "bytes", "bytes --precision f32"] {
            let once = room.out(&format!("restore --marks=,. --model {model}"), text.as_bytes());
            assert_eq!(String::from_utf8(once.clone()).unwrap().to_lowercase().replace([',', '.'], ""), text);
            assert_eq!(room.out(&format!("restore --marks=,. --model {model}"), &once), once, "{model}");
        }
        room.fails(
            "restore --model bytes --device cuda:0",
            b"text",
            2,
            &["cuda:0", "computes on the processor"],
        );
        room.fails("restore --model bytes --precision bf16", b"text", 2, &["bf16", "f32 or int8"]);
    }
    room.fails(
        "compact accurate -o other",
        b"",
        1,
        &["is a model of maxent", "only those of bert, cnn-bilstm and hmm"],
    );
    room.fails("compact bytes -o bytes", b"", 2, &["bytes"]);
    room.fails("inspect bytes --check-encoder", b"", 2, &["in a build with --features neural"]);
    let mut cut = fs::read(room.path("bytes")).unwrap();
    cut.truncate(cut.len() / 2);
    room.write("cut", cut);
    room.fails("restore --model cut", b"text", 1, &["cut"]);
}

#[test]
fn the_best_preset_lies_in_a_folder() {
    let room = Room::new();
    room.write("en.best", toy_network::in_bytes().pack());
    let text = b"who met anna in lisbon\n";
    let expected = room.out("restore --model en.best --marks=,.", text);
    let with = |line: &str, folder: &Path| {
        let mut command = program();
        command.current_dir(room.path("")).env("MAJUSCULE_MODELS", folder).args(line.split_whitespace());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = spawn(&mut command);
        child.stdin.take().unwrap().write_all(text).unwrap();
        child.wait_with_output().unwrap()
    };
    for line in ["restore --preset best --marks=,.", "restore --model best --marks=,."] {
        assert_eq!(with(line, &room.path("")).stdout, expected, "{line}");
    }
    assert!(with("restore --cascade fast,best", &room.path("")).status.success());
    fs::create_dir(room.path("models")).unwrap();
    fs::rename(room.path("model"), room.path("models/en.best")).unwrap();
    for (language, part) in [
        ("en", "en.best: is a model of majority, but one of bert is expected there"),
        ("pt", "pt.best: is a model of en, but one of pt is expected there"),
    ] {
        room.write("models/pt.best", toy_network::in_bytes().pack());
        let refused = with(&format!("restore --preset best --lang {language}"), &room.path("models"));
        let error = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(1), "{error}");
        assert!(error.contains(part), "{error}");
    }
    let missing = with("restore --preset ngram --lang nl", &room.path("models"));
    let error = String::from_utf8(missing.stderr).unwrap();
    assert_eq!(missing.status.code(), Some(2), "{error}");
    assert!(error.contains("no model ngram of nl is in") && error.contains("--pack nl.ngram"), "{error}");
}

#[test]
fn a_network_of_several_languages_pairs_letters_as_in_the_one_asked_for() {
    let room = Room::new();
    fs::create_dir(room.path("models")).unwrap();
    room.write("models/multilingual.best", toy_network::in_bytes_of("nl,pt").pack());
    room.write("talk.txt", "ijs in ijmuiden en ijs in ijsland is ijs\n".repeat(8));
    for (language, beginning) in [("nl", "IJ"), ("pt", "Ij")] {
        let output =
            with_models(&room, "models", &format!("restore --preset best --lang {language} talk.txt"));
        assert!(output.status.success(), "{output:?}");
        let line = format!("restore --model models/multilingual.best --locale {language} talk.txt");
        assert_eq!(output.stdout, room.out(&line, b""), "{language}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.split(' ').any(|word| word.starts_with(beginning)), "{text}");
    }
    let listed = with_models(&room, "models", "models --lang pt");
    let list = String::from_utf8(listed.stdout).unwrap();
    assert!(
        list.lines().any(|line| line.starts_with("pt.best ") && line.contains("multilingual.best")),
        "{list}"
    );
}

/// Runs the program with a folder of models.
fn with_models(room: &Room, folder: &str, line: &str) -> Output {
    let mut command = program();
    command.current_dir(room.path("")).env("MAJUSCULE_MODELS", room.path(folder));
    command.args(line.split_whitespace()).stdin(Stdio::null()).output().unwrap()
}

#[test]
fn a_file_that_is_no_model_of_a_preset_is_refused_in_one_sentence() {
    let room = Room::new();
    fs::create_dir(room.path("models")).unwrap();
    let whole = toy_network::in_bytes().pack();
    let with_number = |at: usize, number: u32| {
        let mut bytes = whole.clone();
        bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        bytes
    };
    let mut altered = whole.clone();
    let last = altered.len() - 200;
    altered[last] ^= 1;
    let text = "a text of my own\n".repeat(20).into_bytes();
    for (bytes, says) in [
        (Vec::new(), "is no packed model"),
        (text, "is no packed model: it does not begin with MAJUSCUL"),
        (whole[..12].to_vec(), "the model is cut off"),
        (whole[..whole.len() / 2].to_vec(), "the model is cut off"),
        (whole[..whole.len() - 300].to_vec(), "the model is cut off"),
        (altered, "it was altered"),
        (with_number(8, 99), "model format 99, but this build reads"),
    ] {
        room.write("models/en.best", bytes);
        for line in ["restore --preset best talk.txt", "restore --cascade fast,best talk.txt"] {
            room.write("talk.txt", "we met anna\n");
            let output = with_models(&room, "models", line);
            let error = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{line}: {error}");
            assert!(error.contains("en.best") && error.contains(says), "{line}: {error}");
            assert_eq!(error.lines().count(), 1, "{error}");
            assert!(output.stdout.is_empty());
        }
        let listed = with_models(&room, "models", "models --lang en");
        let list = String::from_utf8(listed.stdout).unwrap();
        assert_eq!(listed.status.code(), Some(1), "{list}");
        assert!(list.contains("en.best      cannot be used: ") && list.contains(says), "{list}");
    }
}

#[test]
fn models_lists_what_is_here_and_how_to_get_the_rest() {
    let room = Room::new();
    fs::create_dir(room.path("models")).unwrap();
    let bytes = toy_network::in_bytes().pack();
    room.write("models/en.best", &bytes);
    fs::copy(Path::new(crate::ROOT).join("lm/en.ngram"), room.path("models/en.ngram")).unwrap();
    let listed = with_models(&room, "models", "models");
    let list = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.status.success(), "{list}");
    let line = |name: &str| list.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    let crc32 = FileRecord::of("", &bytes).crc32;
    let best = line("en.best ");
    assert!(best.contains(" bert ") && best.contains(&format!("crc32 {crc32}")), "{best}");
    assert!(best.contains("unknown licence") && best.contains("models"), "{best}");
    let ngram = line("en.ngram ");
    assert!(
        ngram.contains(" hmm ") && ngram.contains(" 2.9 MB ") && ngram.contains("CC BY-SA 4.0"),
        "{ngram}"
    );
    assert!(line("nl.accurate ").contains(" maxent ") && line("nl.accurate ").contains("LGPL"), "{list}");
    assert!(line("es.fast ").ends_with("built in"), "{list}");
    assert_eq!(line("fr.ngram "), "fr.ngram     missing");
    assert!(list.contains("majuscule compact --pack LANG.PRESET"), "{list}");
    assert!(list.contains(&*room.path("models").to_string_lossy()), "{list}");

    let json = with_models(&room, "models", "models --json --lang en");
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let names: Vec<&str> =
        json["models"].as_array().unwrap().iter().filter_map(|model| model["model"].as_str()).collect();
    assert_eq!(names, ["en.accurate", "en.fast", "en.small", "en.best", "en.ngram"]);
    assert_eq!(json["models"][3]["crc32"], serde_json::json!(crc32));
    assert_eq!(json["models"][3]["licence"], serde_json::Value::Null);
    assert!(json["models"][0]["path"].is_null() && json["folders"][0].is_string());
    room.fails("models --lang ../evil", b"", 2, &["is not a language"]);
}

#[test]
fn the_licences_of_built_in_models_are_those_of_the_table_in_lm() {
    let room = Room::new();
    let table = fs::read_to_string(Path::new(crate::ROOT).join("lm/README.md")).unwrap();
    let list: serde_json::Value = serde_json::from_slice(&room.out("models --json", b"")).unwrap();
    let built_in = |model: &&serde_json::Value| model["preset"] == "accurate" || model["preset"] == "fast";
    let models: Vec<_> = list["models"].as_array().unwrap().iter().filter(built_in).collect();
    assert_eq!(models.len(), 10);
    for model in models {
        let (language, licence) = (model["language"].as_str().unwrap(), model["licence"].as_str().unwrap());
        let row = table.lines().find(|line| line.starts_with(&format!("| `{language}` |"))).unwrap();
        let cell = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        assert!(cell.starts_with(licence), "{model}: {row}");
    }
}

#[test]
fn a_document_never_names_a_model_file() {
    let room = Room::new();
    room.write("evil.ngram", toy_network::in_bytes().pack());
    fs::create_dir(room.path("models")).unwrap();
    room.write("talk.json", r#"{"text":" we met in lisbon","language":"../evil"}"#);
    for preset in ["ngram", "best", "small"] {
        let mut command = program();
        command.current_dir(room.path("")).env("MAJUSCULE_MODELS", room.path("models"));
        let output = command.args(["restore", "talk.json", "--preset", preset]).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!error.contains("evil"), "{error}");
    }
    let restored = room.out("restore -q talk.json", b"");
    assert!(String::from_utf8(restored).unwrap().contains("We met in Lisbon"));
    for line in ["restore --preset ngram --lang ../evil", "restore --lang=", "inspect best --lang ../evil"] {
        room.fails(line, b"we met", 2, &["is not a language: expected letters, digits and hyphens"]);
    }
}

#[test]
fn an_output_that_is_an_input_is_refused_and_both_stay() {
    let room = Room::new();
    room.write("a.txt", "bbc\n").write("words.txt", "eBay\n");
    let both = ["is both input and output", "name another"];
    room.fails("restore --model model a.txt -o a.txt", b"", 2, &both);
    room.fails("restore --model model - a.txt -o ./model/../a.txt", b"", 2, &both);
    room.fails("restore --model model --words words.txt -o words.txt", b"", 2, &both);
    room.fails("train majority a.txt --pack a.txt", b"", 2, &both);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("a.txt", room.path("link.txt")).unwrap();
        room.fails("restore --model model a.txt -o link.txt", b"", 2, &both);
    }
    let packed = fs::read(TRAINED.join("model.packed")).unwrap();
    room.write("m.packed", &packed).write("counts.txt", "eBay\n");
    room.fails("restore --model m.packed a.txt -o m.packed", b"", 2, &both);
    room.fails("restore --model model a.txt -o model/words.bin", b"", 2, &both);
    room.fails("train majority --lexicon counts.txt --pack counts.txt", b"", 2, &both);
    room.fails("train majority a.txt --lexicon counts.txt --pack counts.txt", b"", 2, &both);
    assert_eq!(fs::read(room.path("m.packed")).unwrap(), packed);
    assert_eq!(room.read("counts.txt"), "eBay\n");
    let manifest = room.read("model/majuscule.json");
    room.write("model/counts.txt", "eBay\n");
    let inside = ["model/counts.txt lies in model", "name another"];
    room.fails("train majority --lexicon model/counts.txt -o model --force", b"", 2, &inside);
    room.fails("train majority a.txt -o new --pack new/packed", b"", 2, &["new/packed lies in new"]);
    assert_eq!(room.read("model/majuscule.json"), manifest);
    assert_eq!(room.read("a.txt"), "bbc\n");
    assert_eq!(room.read("words.txt"), "eBay\n");
    room.fails("restore --model model a.txt -o model", b"", 2, &["model holds a model", "name another"]);
    room.fails("restore --model model a.txt missing.txt -o out.txt", b"", 1, &["missing.txt"]);
    assert!(!room.path("out.txt").exists());
    room.fails("restore --model model a.txt -o no/such/place.txt", b"", 1, &["no/such/place.txt"]);
}

#[test]
fn standard_input_is_named_once() {
    let room = Room::new();
    room.write("a.txt", CORPUS).write("words.txt", "eBay\n");
    for line in [
        "restore --model model --words -",
        "restore --model model --words - a.txt -",
        "restore --model model - -",
        "train majority - - -o other",
        "train majority - --lexicon - -o other",
        "lexicon build - -",
        "lexicon merge - words.txt -",
        "lexicon update - - --date 2026-11-20",
        "lexicon compare - -",
        "score - -",
        "corpus stats - -",
    ] {
        room.fails(line, b"eBay\n", 2, &["- is named twice", "read only once"]);
    }
    assert_eq!(room.restored("--words - words.txt", "ebay"), "ebay\n");
}

#[test]
fn parts_of_a_corpus_add_up_to_its_lexicon() {
    let room = Room::new();
    // The second part has no capitals, which only the whole must have.
    let parts = ["We met Ana.\nThey met IBM.\n", "nothing then\n"];
    fs::create_dir(room.path("whole")).unwrap();
    room.write("whole/text", parts.concat());
    room.write("text", parts[0]);
    room.out("lexicon build --part text -o one.tsv", b"");
    room.write("text", parts[1]);
    room.fails("lexicon build text", b"", 1, &["text: 0 of its 2 words have a capital"]);
    room.out("lexicon build --part text -o two.tsv", b"");
    let merged = room.out("lexicon merge --parts two.tsv one.tsv --min-count 2", b"");
    assert_eq!(merged, room.out("lexicon build whole/text --min-count 2", b""));
    room.fails("lexicon merge --parts two.tsv", b"", 1, &["two.tsv: 0 of its 2 words have a capital"]);
}

#[test]
fn settings_that_made_a_model_stand_in_its_manifest() {
    let room = Room::new();
    room.write("a.txt", CORPUS);
    fs::create_dir(room.path("lists")).unwrap();
    room.write("lists/words.txt", "eBay\n");
    let line = "train majority a.txt --vocabulary 1000 --min-count 1 --lexicon lists/words.txt -o other";
    room.out(line, b"");
    let json: serde_json::Value = serde_json::from_slice(&room.out("inspect other --json", b"")).unwrap();
    let config = serde_json::json!({
        "lexicon": ["words.txt"], "lower_min_count": 0, "min_count": 1, "no_parts": false, "vocabulary": 1000
    });
    assert_eq!(json["settings"], serde_json::json!({ "parts": false, "config": config }));
    assert!(String::from_utf8(room.out("inspect other", b"")).unwrap().contains("\"vocabulary\":1000"));
}

#[test]
#[cfg(target_os = "linux")]
fn of_two_outputs_both_appear_or_none() {
    let room = Room::new();
    room.write("a.txt", CORPUS);
    room.fails("train majority a.txt -o other --pack /dev/full", b"", 1, &["cannot write /dev/full"]);
    room.fails("train majority a.txt -o other --pack no/such", b"", 1, &["no/such"]);
    assert_eq!(room.names(), ["a.txt"]);
}

#[test]
fn a_folder_that_stands_there_is_replaced_only_by_force() {
    let room = Room::new();
    room.write("corpus.txt", CORPUS);
    let before = room.read("model/majuscule.json");
    room.fails("train majority corpus.txt -o model", b"", 2, &["model exists already", "--force"]);
    assert_eq!(room.read("model/majuscule.json"), before);
    room.out("train majority corpus.txt -o model --force --no-parts", b"");
    assert_ne!(room.read("model/majuscule.json"), before);
    fs::create_dir(room.path("papers")).unwrap();
    room.write("papers/mine.txt", "mine");
    room.fails("train majority corpus.txt -o papers --force", b"", 2, &["papers holds no majuscule.json"]);
    assert_eq!(room.read("papers/mine.txt"), "mine");
    room.fails("train majority corpus.txt -o corpus.txt --force", b"", 2, &["corpus.txt is a file"]);
    assert_eq!(room.names(), ["corpus.txt", "papers"]);
}

#[test]
fn inputs_that_are_no_text_are_refused() {
    let room = Room::new();
    for verb in ["restore --model model", "corpus stats", "lexicon build", "train majority -o other"] {
        room.fails(&format!("{verb} model"), b"", 1, &["model: is a folder, but "]);
        room.fails(&format!("{verb} missing.txt"), b"", 1, &["missing.txt"]);
    }
    assert_eq!(room.names(), [""; 0]);
    #[cfg(unix)]
    {
        let folder = fs::File::open(room.path("model")).unwrap();
        let mut command = program();
        command.args(["restore", "--model", "model"]).current_dir(room.0.path()).stdin(folder);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains("cannot read standard input: Is a directory"), "{error}");
    }
}

#[test]
fn compressed_input_is_read_and_one_that_is_cut_off_is_refused() {
    let text = "anna met the bbc in lisbon.\n".repeat(300);
    let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 1);
    xz.write_all(text.as_bytes()).unwrap();
    let zst = ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest);
    let room = Room::new();
    let cased = "Anna met the BBC in Lisbon.\n".repeat(300);
    for (end, name, bytes) in
        [("gz", "gzip", gzip(&text)), ("xz", "xz", xz.finish().unwrap()), ("zst", "zstd", zst)]
    {
        room.write(&format!("text.{end}"), &bytes).write(&format!("cut.{end}"), &bytes[..bytes.len() - 10]);
        assert_eq!(room.restored(&format!("text.{end}"), ""), cased);
        assert_eq!(room.out("restore --model model", &bytes), cased.as_bytes());
        for verb in ["restore --model model -o out.txt", "train majority -o other", "corpus stats"] {
            let problem = format!("cut.{end}: the {name} data are cut off before their end");
            room.fails(&format!("{verb} cut.{end}"), b"", 1, &[&problem, "again"]);
        }
        room.fails("restore --model model", &bytes[..bytes.len() - 10], 1, &["standard input: ", "cut off"]);
    }
    assert!(!room.path("out.txt").exists() && !room.path("other").exists());
}

#[test]
fn what_unpacks_beyond_the_limit_is_refused_before_memory_is_full() {
    let room = Room::new();
    let (large, line) = (gzip("iPhone\n".repeat(300_000)), gzip("iPhone ".repeat(300_000)));
    room.write("large.json.gz", &large).write("line.txt.gz", &line).write("recipe.toml.gz", &large);
    let (whole, one_line) = ("holds more than 1M unpacked", "line 1: the line is longer than 32K");
    for (verb, problem) in [
        ("restore --model model large.json.gz", "read whole: --input-limit allows more"),
        ("restore --model model --words large.json.gz", whole),
        ("restore --model model --n-best 2 line.txt.gz", "an --input-limit of 32 times its length"),
        ("lexicon stats line.txt.gz", one_line),
        ("experiment run recipe.toml.gz", whole),
        ("fst info large.json.gz", whole),
    ] {
        room.fails(&format!("{verb} --input-limit 1M"), b"", 1, &[problem]);
    }
    let text = room.out("restore --model model --input-limit 1M line.txt.gz", b"");
    assert_eq!(text.len(), "iPhone ".len() * 300_000, "plain text is not held as a whole");
}

#[test]
fn corpora_that_teach_no_case_are_refused() {
    let room = Room::new();
    room.write("lower.txt", "we met in lisbon\n")
        .write("upper.txt", "WE MET IN LISBON\n")
        .write("empty.txt", "");
    for (file, problem) in [
        ("lower.txt", "0 of its 4 words have a capital"),
        ("upper.txt", "4 of its 4 words are all capitals"),
        ("empty.txt", "no words"),
    ] {
        room.fails(&format!("train majority {file} -o other"), b"", 1, &[problem]);
        assert!(!room.path("other").exists());
    }
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
fn arguments_that_cannot_be_are_exit_code_2() {
    let room = Room::new();
    room.write("a.txt", "a\n");
    for verb in ["restore --model model a.txt", "train majority a.txt -o other", "lexicon build a.txt"] {
        room.fails(&format!("{verb} --threads 0"), b"", 2, &["--threads", "0", "expected a number from 1"]);
        room.fails(&format!("{verb} --threads many"), b"", 2, &["--threads", "many"]);
    }
    for verb in
        ["train majority a.txt -o other", "lexicon build a.txt", "corpus stats a.txt", "score a.txt a.txt"]
    {
        let problem = "--lang \"english\" is not a language tag: expected one such as en";
        room.fails(&format!("{verb} --lang english"), b"", 2, &[problem]);
    }
    let languages = ["\"tlh\"", "en, es, fr, nl, pt", "--model"];
    room.fails("restore --lang tlh a.txt", b"", 2, &languages);
    room.fails("restore --case loud a.txt", b"", 2, &["loud", "auto", "keep", "ignore"]);
    room.fails("restore --sentence-start 1 a.txt", b"", 2, &["auto", "always", "never"]);
    room.fails("restore --modle x", b"", 2, &["--modle", "--model"]);
    room.fails("restor", b"", 2, &["restor", "restore"]);
    room.fails("train oracle a.txt -o other", b"", 2, &["oracle"]);
    room.fails("train majority a.txt", b"", 2, &["--output"]);
    room.fails("train majority -o other", b"", 2, &["no files"]);
    room.fails("completions cmd", b"", 2, &["bash"]);
    room.fails("", b"", 2, &["Usage"]);
}

#[test]
fn a_model_of_n_grams_says_how_sure_it_is_and_what_else_it_may_be() {
    let room = Room::new();
    room.write("corpus.txt", CORPUS);
    let quiet = |output: Output| {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    quiet(room.run("train hmm corpus.txt -o tagger", b""));
    let config = |model: &str| -> serde_json::Value {
        let manifest: serde_json::Value =
            serde_json::from_str(&room.read(&format!("{model}/majuscule.json"))).unwrap();
        manifest["settings"]["config"].clone()
    };
    assert!(config("tagger")["order"].is_number() && config("tagger")["unknown"] == "guess");
    // The training settings of an existing language model are unknown, and without a corpus no
    // unknown words are guessed.
    quiet(room.run("train hmm --lm tagger/model.lm -o lent", b""));
    quiet(room.run("train hmm --lm tagger/model.lm corpus.txt -o lent-with-text", b""));
    for (model, unknown) in [("lent", "keep"), ("lent-with-text", "guess")] {
        let config = config(model);
        for key in ["order", "smoothing", "min_counts", "vocabulary"] {
            assert!(config.get(key).is_none(), "{model}: {key}");
        }
        assert_eq!(
            (&config["unknown"], &config["lm"]),
            (&serde_json::json!(unknown), &serde_json::json!(["model.lm"]))
        );
        assert_eq!(room.path(model).join("endings.tsv").exists(), unknown == "guess");
    }
    let text = b"the who asked us in lisbon\nwho told us\n";
    let restored = quiet(room.run("restore --model tagger", text));
    assert_eq!(restored, "the WHO asked us in Lisbon\nwho told us\n");
    let forward = quiet(room.run("restore --model tagger --look-ahead 0", text));
    assert_eq!(forward.to_lowercase(), restored.to_lowercase());
    let words = quiet(room.run("restore --model tagger --confidence", text));
    let blocks: Vec<&str> = words.trim_end().split("\n\n").collect();
    assert_eq!(blocks.len(), 2, "{words}");
    let read =
        |line: &str| line.split_once('\t').map(|(word, p)| (word.to_owned(), p.parse::<f64>().unwrap()));
    let first: Vec<(String, f64)> = blocks[0].lines().map(|line| read(line).unwrap()).collect();
    let spelled: Vec<&str> = first.iter().map(|(word, _)| word.as_str()).collect();
    assert_eq!(spelled, ["the", "WHO", "asked", "us", "in", "Lisbon"]);
    assert!(first.iter().all(|(_, p)| (0.25..=1.0).contains(p)), "{first:?}");
    assert!(first[1].1 < 1.0, "who and WHO were both seen");
    let ways = quiet(room.run("restore --model tagger --n-best 3", text));
    let first: Vec<&str> = ways.split("\n\n").next().unwrap().lines().collect();
    assert_eq!(first.len(), 3, "{ways}");
    assert!(first[0].ends_with("\tthe WHO asked us in Lisbon"), "{ways}");
    // Methods that read their corpus more than once keep input that can be read only once.
    let piped = room.run("train hmm - -o piped", CORPUS.as_bytes());
    assert!(piped.status.success(), "{}", String::from_utf8_lossy(&piped.stderr));
    for file in ["model.lm", "forms.map", "endings.tsv"] {
        let read = |model: &str| fs::read(room.path(model).join(file)).unwrap();
        assert!(read("piped") == read("tagger"), "{file}");
    }
    for (line, says) in [("--n-best 3", "finds one way only"), ("--confidence", "no probabilities")] {
        let output = room.run(&format!("restore --model model {line}"), text);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8(output.stderr).unwrap().contains(says));
    }
}
#[test]
fn language_models_and_texts_are_read_in_other_encodings() {
    let room = Room::new();
    let text = "O Luís foi a Évora.\nA Évora ia o Luís.\n";
    let latin: Vec<u8> = text.chars().map(|c| c as u8).collect();
    room.write("utf8.txt", text);
    fs::write(room.path("latin.txt"), &latin).unwrap();
    let train = "--order 2 --discount-fallback";
    room.out(&format!("lm train {train} utf8.txt -o a.arpa"), b"");
    room.out(&format!("lm train {train} latin.txt --encoding windows-1252 -o b.arpa"), b"");
    assert_eq!(room.read("a.arpa"), room.read("b.arpa"));
    let arpa: Vec<u8> = room.read("a.arpa").chars().map(|c| c as u8).collect();
    fs::write(room.path("latin.arpa"), arpa).unwrap();
    room.fails("lm info latin.arpa", b"", 1, &["latin.arpa, line "]);
    room.out("lm convert latin.arpa --encoding windows-1252 -o c.arpa", b"");
    assert_eq!(room.read("a.arpa"), room.read("c.arpa"));
    let scores = room.out("lm score a.arpa utf8.txt", b"");
    assert_eq!(room.out("lm score latin.arpa latin.txt --encoding windows-1252", b""), scores);
    assert!(!String::from_utf8(scores).unwrap().contains("OOV: 1"));
}

#[test]
fn what_other_toolkits_leave_out_is_read_with_a_note() {
    let room = Room::new();
    room.write(
        "odd.arpa",
        "A model.\n\n\\data\\\nngram\t1=5\nngram 2=1\nngram 3=1\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\t-0.3\n-1\t</s>\n-0.5\ta\n\
         -0.7\tb\t0\n\n\\2-grams:\n-0.3\ta b\t-0.2\n\n\\3-grams:\n-0.4\tb a b\n\n\\end\\\n",
    );
    let output = room.run("lm info odd.arpa", b"");
    assert!(output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("odd.arpa, line 19: the n-gram begins with words that are no n-gram"), "{said}");
    assert!(
        said.contains("odd.arpa, line 12: the n-gram begins longer n-grams but has no back-off"),
        "{said}"
    );
    room.write("odd.moses", "Foo (3/3)\n\u{ad} (1/1)\nbar (2/2)\n");
    let output = room.run("lexicon stats odd.moses", b"");
    assert!(output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("odd.moses, line 2, column 1: the form \"\\u{ad}\" is no word"), "{said}");
}
#[test]
fn a_transducer_is_built_applied_and_drawn() {
    let room = Room::new();
    let tiny = Path::new(crate::ROOT).join("lm/tiny.arpa");
    fs::copy(tiny, room.path("tiny.arpa")).unwrap();
    let print = |line: &str| String::from_utf8(room.out(line, b"told us the us\nTHE us in braga\n")).unwrap();
    print("fst build tiny.arpa -o t.fst --isymbols t.in --osymbols t.out");
    print("fst build tiny.arpa --kind g -o g.fst");
    assert!(room.read("t.in").starts_with("<eps>\t0\n<unk>\t1\n"));
    assert!(print("fst info t.fst").contains("a transducer\n"));
    let facts = print("fst info g.fst");
    assert!(facts.contains("an acceptor\n") && facts.contains("epsilon arcs       0\n"), "{facts}");
    assert!(facts.contains("input              sorted, deterministic\n"), "{facts}");
    for machine in ["t.fst", "g.fst", "t.fst --isymbols t.in --osymbols t.out"] {
        assert_eq!(print(&format!("fst apply {machine}")), "told us the US\nThe US in braga\n", "{machine}");
    }
    // -2.16343 in log10, by lm/README.md; with us at the end -1.39794 -
    // 0.22185 - 0.18709 - 1 - 0.79588.
    let best = print("fst apply g.fst --n-best 2");
    assert!(best.starts_with("4.9815\ttold us the US\n8.2957\ttold us the us\n\n"), "{best}");
    assert!(print("fst draw t.fst").starts_with("digraph {\n"));
    print("fst draw g.fst -o g.svg");
    assert!(room.read("g.svg").starts_with("<svg "));

    room.fails("fst build tiny.arpa --arcs failure -o x.fst", b"", 2, &["build --kind g"]);
    room.fails("fst build tiny.arpa -o tiny.arpa", b"", 2, &["tiny.arpa"]);
    room.fails("fst build tiny.arpa -o x.fst --isymbols x.fst", b"", 2, &["x.fst", "two outputs"]);
    room.fails("fst build tiny.arpa -o x.fst --isymbols none/x.in", b"", 1, &["none/x.in"]);
    assert!(!room.path("x.fst").exists(), "of several outputs all appear or none");
    room.fails("fst build tiny.arpa -o x.fst --map-weight -1", b"", 2, &["--map-weight -1", "0 or more"]);
    room.fails("fst info tiny.arpa", b"", 1, &["tiny.arpa: is no machine of OpenFst"]);
    // An error in the contents of a file is no error of usage: the exit code is 1.
    room.write("few.out", "<eps>\t0\nus\t5\n");
    room.fails("fst apply t.fst --osymbols few.out", b"us", 1, &["t.fst: the machine writes the label "]);
    let whole = fs::read(room.path("t.fst")).unwrap();
    fs::write(room.path("cut.fst"), &whole[..whole.len() / 2]).unwrap();
    room.fails("fst apply cut.fst", b"", 1, &["cut.fst: is cut off"]);
    room.fails("fst apply t.fst --isymbols t.out --osymbols t.out -", b"\xff", 1, &["UTF-8"]);

    for arcs in ["failure", "epsilon"] {
        print(&format!("train ngram --lm tiny.arpa --arcs {arcs} -o {arcs}"));
        let manifest: serde_json::Value =
            serde_json::from_str(&room.read(&format!("{arcs}/majuscule.json"))).unwrap();
        let settings = &manifest["settings"];
        assert!(settings["order"] == 3 && settings["config"].get("order").is_none(), "{settings}");
        assert_eq!(settings["config"]["unknown"], "keep");
        assert_eq!(print(&format!("restore --model {arcs}")), "told us the US\nTHE US in braga\n");
        // These verbs also read the machine inside a model.
        assert!(print(&format!("fst apply {arcs}/model.fst")).starts_with("told us the US\n"));
    }
}

#[test]
fn a_model_of_maxent_takes_new_words_from_a_small_text() {
    let room = Room::new();
    room.write("a.txt", CORPUS.repeat(20));
    room.write("b.txt", "We met Zelda here.\nThe man asked Zelda who went.\nThen Zelda and Anna left.\n");
    room.out("train maxent --bits 12 --size 60kB a.txt -o old --pack old.packed", b"");
    assert!(fs::metadata(room.path("old.packed")).unwrap().len() <= 60_000);
    room.out("adapt old.packed b.txt --bits 12 -o new --pack new.packed", b"");
    for model in ["new", "new.packed"] {
        let restored = room.out(&format!("restore --model {model}"), b"we saw zelda in lisbon\n");
        assert_eq!(String::from_utf8(restored).unwrap(), "we saw Zelda in Lisbon\n");
    }
    let manifest = room.read("new/majuscule.json");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["trained_on"]["files"], serde_json::json!(["a.txt", "b.txt"]));
    assert_eq!(manifest["settings"]["adapted"][0]["protocol"], "text");
    assert_eq!(manifest["settings"]["config"]["size"], "60kB");
    room.fails("adapt model b.txt -o third", b"", 1, &["majority", "only models of maxent and bert"]);
    room.fails("adapt old b.txt --lang tr -o third", b"", 2, &["\"tr\"", "--lang"]);
    room.fails("adapt old b.txt --protocol asr -o third", b"", 2, &["--protocol asr", "hides"]);
    room.fails("adapt old b.txt --variance -1 -o third", b"", 2, &["--variance -1"]);
    room.fails("adapt old b.txt --variance NaN -o third", b"", 2, &["--variance NaN"]);
    room.fails("adapt old b.txt --epochs many -o third", b"", 2, &["many", "--epochs"]);
    room.fails("adapt old - -o third", b"\n", 1, &["has no words"]);
    room.fails("adapt old b.txt -o old --force", b"", 2, &["old"]);
    room.fails(
        "train maxent a.txt --size 2kB -o third",
        b"",
        2,
        &["--size 2kB", "before it has any features"],
    );
    room.fails("train maxent a.txt --size 2apples -o third", b"", 2, &["2apples", "500kB"]);
}

/// A model of the toy encoder with a short training.
#[cfg(feature = "neural")]
fn train_bert(room: &Room, line: &str) {
    room.out(&format!("{} {line}", TRAIN_BERT.as_str()), b"");
}

#[cfg(feature = "neural")]
static TRAIN_BERT: LazyLock<String> = LazyLock::new(|| {
    let encoder = Path::new(crate::ROOT).join("tests/data/toy-bert");
    let settings =
        "--epochs 30 --rate 0.003 --head-rate 0.01 --warm-up 3 --held-out 0 --decay --protocol rei";
    format!("train bert --encoder {} {settings}", encoder.display())
});

#[cfg(feature = "neural")]
#[test]
fn a_model_of_bert_is_adapted_with_options_of_its_own() {
    let room = Room::new();
    room.write(
        "a.txt",
        "the minister of Anna met us in Lisbon\nwho said to us in York with the minister\n".repeat(10),
    );
    room.write(
        "b.txt",
        "who met the Minister of McBride with Anna\nthe NATO said to the Minister in York\n".repeat(10),
    );
    train_bert(&room, "a.txt -o old");
    let adapt = "adapt old b.txt --epochs 30 --held-out 0 --warm-up 3 --protocol asr:9";
    room.out(&format!("{adapt} -o new --checkpoint kept --log log"), b"");
    assert!(!room.path("kept").exists() && room.read("log").contains("\"loss\""));
    let text = b"who met the minister of mcbride with anna\n";
    let restored =
        |model: &str| String::from_utf8(room.out(&format!("restore --model {model}"), text)).unwrap();
    assert!(restored("old").contains("the minister of mcbride"));
    assert_eq!(restored("new"), "who met the Minister of McBride with Anna\n");
    let manifest: serde_json::Value = serde_json::from_slice(&room.out("inspect new --json", b"")).unwrap();
    assert_eq!(manifest["trained_on"]["files"], serde_json::json!(["a.txt", "toy-bert", "b.txt"]));
    let adapted = &manifest["settings"]["adapted"][0];
    assert_eq!((&adapted["files"][0], &adapted["protocol"]), (&"b.txt".into(), &"asr:9".into()));
    // Settings that are not given are those of the first training.
    assert_eq!(
        [&adapted["rate"], &adapted["head_rate"]],
        [&serde_json::json!(0.003), &serde_json::json!(0.01)]
    );
    assert_eq!([&adapted["epochs"], &adapted["batch"]], [&serde_json::json!(30), &serde_json::json!(8)]);
    assert_eq!(
        (&manifest["settings"]["runs_on"], &manifest["settings"]["config"]["epochs"]),
        (&true.into(), &30.into())
    );
    let refused =
        |line: &str, parts: &[&str]| room.fails(&format!("adapt old b.txt {line} -o third"), b"", 2, parts);
    refused("--variance 1", &["--variance is for models of maxent, but this one is of bert"]);
    refused("--rate small", &["small", "--rate"]);
    refused("--dropout 1", &["--dropout 1"]);
    refused("--checkpoint-every 7", &["--checkpoint"]);
    room.out("train maxent --bits 12 a.txt -o other", b"");
    room.fails("adapt other b.txt --decay -o third", b"", 2, &["--decay is for models of bert", "of maxent"]);
}

#[cfg(feature = "neural")]
#[test]
fn one_model_serves_several_languages() {
    let room = Room::new();
    room.write("en.txt", "the minister of Anna met us in Lisbon\nwho said to us in York\n".repeat(10));
    room.write("pt.txt", "o ministro de Anna disse em Porto\nem York disse Anna a todos\n".repeat(10));
    train_bert(&room, "--lang en,pt en.txt pt.txt -o both --log log");
    let manifest: serde_json::Value = serde_json::from_slice(&room.out("inspect both --json", b"")).unwrap();
    assert_eq!([&manifest["language"], &manifest["locale"]], ["en,pt", "root"]);
    for (lang, text) in [("en", "who said to us in York\n"), ("pt", "em York disse Anna a todos\n")] {
        let lower = text.to_lowercase();
        let line = format!("restore --model both --lang {lang}");
        assert_eq!(String::from_utf8(room.out(&line, lower.as_bytes())).unwrap(), text);
        let page =
            room.out(&format!("evaluate --model both --lang {lang} --protocol rei --json {lang}.txt"), b"");
        let page: serde_json::Value = serde_json::from_slice(&page).unwrap();
        assert!(page.to_string().contains("\"ser\":0.0"), "{page}");
    }
    room.fails("restore --model both --lang fr", b"", 2, &["--lang fr", "en,pt"]);
    let problem = ["--lang en,nl: nl pairs letters in another way than en", "--locale"];
    room.fails("train majority en.txt --lang en,nl -o other", b"", 2, &problem);
}

#[cfg(feature = "neural")]
#[test]
fn an_encoder_is_checked_against_another_implementation() {
    let room = Room::new();
    room.write("a.txt", "the minister of Anna met us in Lisbon\nwho said to us in York\n".repeat(10));
    room.write("text", "who met anna\n");
    train_bert(&room, "a.txt -o tagger");
    let page = String::from_utf8(room.out("inspect tagger --check-encoder", b"")).unwrap();
    for implementation in ["graph       (training)", "engine      (restoring on the CPU)"] {
        let line = format!("{implementation} differs from candle-transformers by at most ");
        assert!(page.contains(&line), "{page}");
    }
    let json = room.out("inspect tagger --check-encoder=text --json", b"");
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["encoder_check"]["pieces"], 5);
    for implementation in ["graph", "engine"] {
        assert!(json["encoder_check"][implementation].as_f64().unwrap() < 1e-4, "{json}");
    }
    room.out("train majority a.txt -o other", b"");
    room.fails("inspect other --check-encoder", b"", 2, &["is a model of majority", "only those of bert"]);
}

#[cfg(feature = "neural")]
#[test]
fn the_weights_of_layers_are_printed() {
    let room = Room::new();
    room.write("a.txt", "the minister of Anna met us in Lisbon\nwho said to us in York\n".repeat(10));
    train_bert(&room, "a.txt -o tagger");
    let json: serde_json::Value = serde_json::from_slice(&room.out("inspect tagger --json", b"")).unwrap();
    let weight = |layer: usize| json["layers"]["weights"][layer].as_f64().unwrap();
    let centre = json["layers"]["centre_of_gravity"].as_f64().unwrap();
    assert_eq!(json["layers"]["weights"].as_array().unwrap().len(), 3);
    assert!((weight(0) + weight(1) + weight(2) - 1.0).abs() < 1e-6);
    assert!((centre - (weight(1) + 2.0 * weight(2))).abs() < 1e-9);
    assert!((json["layers"]["centre_of_gravity_by_layers"].as_f64().unwrap() - centre / 2.0).abs() < 1e-9);
    let page = String::from_utf8(room.out("inspect tagger", b"")).unwrap();
    assert!(page.contains(&format!("layer 0     {:.4} (embeddings)\n", weight(0))), "{page}");
    assert!(
        page.contains(&format!("centre at layer {centre:.3} of 2: {:.3} of the way up\n", centre / 2.0)),
        "{page}"
    );
}

#[cfg(feature = "neural")]
#[test]
fn a_training_of_bert_that_was_killed_goes_on_from_its_checkpoint() {
    let room = Room::new();
    room.write("a.txt", "the minister of Anna met us in Lisbon\nwho said to us in York\n".repeat(100));
    train_bert(&room, "a.txt -o whole");
    let kept = format!("{} a.txt --checkpoint kept --checkpoint-every 2", TRAIN_BERT.as_str());
    let args: Vec<&str> = kept.split_whitespace().chain(["-o", "model-of-two"]).collect();
    let mut child = spawn(program().args(args).current_dir(room.0.path()));
    let begun = Instant::now();
    while !room.path("kept").exists() && child.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < Duration::from_secs(120), "no checkpoint appeared");
        thread::sleep(Duration::from_millis(1));
    }
    drop(child.kill());
    let output = child.wait_with_output().unwrap();
    assert!(output.stderr.is_empty() || output.status.success(), "no progress where there is no terminal");
    if room.path("kept").exists() {
        room.fails(&format!("{kept} --seed 2 -o other"), b"", 2, &["seed 1 was begun, but this one has 2"]);
        room.write("a.txt", "the minister of Anna met us in Lisbon\nWho said to us in York\n".repeat(100));
        room.fails(&format!("{kept} -o other"), b"", 1, &["a text that it was begun with has been altered"]);
        room.write("a.txt", "the minister of Anna met us in Lisbon\nwho said to us in York\n".repeat(100));
    }
    room.out(&format!("{kept} --force --threads 1 -o model-of-two"), b"");
    for file in ["model.safetensors", "mixed.txt", "majuscule.json"] {
        let [whole, of_two] =
            ["whole", "model-of-two"].map(|model| fs::read(room.path(model).join(file)).unwrap());
        assert!(whole == of_two, "{file} differs");
    }
    assert!(!room.path("kept").exists());
}

#[test]
fn weights_of_maxent_go_out_and_come_back() {
    let room = Room::new();
    room.write("a.txt", CORPUS.repeat(20));
    room.out("maxent features a.txt -o rows --dictionary names --look-ahead 1", b"");
    assert!(room.read("names").contains("\tb-=in_lisbon\n"), "{}", room.read("names"));
    room.out("maxent features --as megam a.txt -o named", b"");
    assert!(room.read("named").contains("title\tbias w=lisbon"), "{}", room.read("named"));
    room.out("maxent fit rows --dictionary names --l2 0.1 -o weights", b"");
    room.out("train maxent a.txt --look-ahead 1 --weights weights -o other", b"");
    let restored = room.out("restore --model other", b"we met the bbc in new york\n");
    assert_eq!(String::from_utf8(restored).unwrap(), "we met the BBC in New York\n");
    room.out("maxent weights other --dictionary names -o again", b"");
    assert!(room.read("again").starts_with("***NAMED_LABELS_IDS***\tlower\ttitle\tupper\tmixed\nbias\t0\t"));
    let json: serde_json::Value = serde_json::from_slice(&room.out("inspect other --json", b"")).unwrap();
    assert_eq!(json["settings"]["config"]["weights"], serde_json::json!(["weights"]));
    room.write("bad", "w=us\tNaN\n");
    room.fails("train maxent a.txt --weights bad -o third", b"", 1, &["bad, line 1", "finite"]);
    room.write("huge", "w=us\t0\t0\t1e9\t0\n");
    room.fails("train maxent a.txt --weights huge -o third", b"", 1, &["huge: has a weight of 1e9"]);
    room.fails("train maxent a.txt --weights gone -o third", b"", 1, &["gone"]);
    room.fails("train maxent a.txt --weights weights -o weights --force", b"", 2, &["weights"]);
    let note = room.run("train maxent a.txt --rate 40 --epochs 20 -o wide", b"").stderr;
    assert!(String::from_utf8(note).unwrap().contains("now: --weight-bits 16 keeps them\n"));
    room.fails("train maxent a.txt --l2 -1 -o third", b"", 2, &["--l2 -1", "0 or a greater number"]);
    room.fails("train maxent a.txt --l1 NaN -o third", b"", 2, &["--l1 NaN"]);
    room.fails("train maxent a.txt --cost 1 -o third", b"", 2, &["--cost", "--l2"]);
    room.fails("maxent fit a.txt -o third", b"", 1, &["a.txt, line 1", "class from 0 to 3"]);
    room.write("signs", "+1 1:0.5 3:-0.25 \n-1 1:-0.7 2:1 \n+1 3:1e-1\n-1 2:0.3 3:-1 \n");
    room.out("maxent fit signs -o signed", b"");
    let signed: Vec<(String, f64)> = room
        .read("signed")
        .lines()
        .map(|line| line.split_once('\t').unwrap())
        .map(|(index, weight)| (index.to_owned(), weight.parse().unwrap()))
        .collect();
    assert!(signed.iter().map(|(index, _)| index.as_str()).eq(["1", "2", "3"]), "{signed:?}");
    assert!(signed[0].1 > 0.0 && signed[1].1 < 0.0 && signed[2].1 > 0.0, "{signed:?}");
    room.write("mixed", "+1 1:1\n-1 2:1\n2 1:1\n");
    room.fails("maxent fit mixed -o third", b"", 1, &["mixed, line 3", "-1 and 2"]);
    room.write("endless", "+1 1:inf\n-1 2:1\n");
    room.fails("maxent fit endless -o third", b"", 1, &["endless, line 1", "\"1:inf\"", "finite"]);
    room.out("train maxent --bits 10 --threads 20000 a.txt -o many", b"");
    room.out("train maxent a.txt --solver lbfgs --l2 1 --checkpoint kept -o best", b"");
    room.fails("train maxent a.txt --solver lbfgs -o third", b"", 2, &["--l2 1"]);
    room.fails("maxent fit rows --l2 -1 -o third", b"", 2, &["--l2 -1"]);
    room.fails("maxent features a.txt -o a.txt", b"", 2, &["a.txt"]);
    room.fails("maxent features a.txt -o x --dictionary x", b"", 2, &["x"]);
    room.fails("maxent features --target begin a.txt -o x", b"", 2, &["--protocol asr"]);
    room.fails("maxent weights model --dictionary names -o x", b"", 1, &["majority"]);
    if !cfg!(feature = "liblinear") {
        room.fails("train maxent a.txt --solver liblinear -o third", b"", 2, &["--features liblinear"]);
    }
}

#[test]
fn a_training_that_was_killed_goes_on_from_its_checkpoint() {
    let room = Room::new();
    room.write("a.txt", CORPUS.repeat(400)).write("b.txt", CORPUS.repeat(401)).write("plain", "");
    let train = "train maxent --bits 12 --epochs 20";
    room.out(&format!("{train} a.txt -o whole"), b"");
    let kept = format!("{train} a.txt -o model-of-two --checkpoint kept --checkpoint-every 10000");
    let args: Vec<&str> = kept.split_whitespace().collect();
    let mut child = spawn(program().args(args).current_dir(room.0.path()));
    let begun = Instant::now();
    while !room.path("kept").exists() && child.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < Duration::from_secs(120), "no checkpoint appeared");
        thread::sleep(Duration::from_millis(1));
    }
    // If the training was already done, it starts again from nothing, and
    // the checks below hold too.
    drop(child.kill());
    child.wait().unwrap();
    if room.path("kept").exists() {
        let other = |line: &str| line.replace("-o model-of-two", "-o other");
        room.fails(
            &other(&kept.replace("--bits 12", "--bits 13")),
            b"",
            2,
            &["kept", "bits 12", "has 13", "remove"],
        );
        room.fails(
            &other(&kept.replace("a.txt", "b.txt")),
            b"",
            2,
            &["kept", "a.txt of", "b.txt of", "remove"],
        );
    }
    room.out(&format!("{kept} --force --threads 1"), b"");
    for file in ["weights.bin", "words.bin", "majuscule.json"] {
        let [whole, of_two] =
            ["whole", "model-of-two"].map(|model| fs::read(room.path(model).join(file)).unwrap());
        assert!(whole == of_two, "{file} differs");
    }
    assert!(!room.path("kept").exists());
    let refused =
        |line: &str, code, parts: &[&str]| room.fails(&format!("{train} a.txt {line}"), b"", code, parts);
    refused("-o other --checkpoint plain", 1, &["plain: is no checkpoint", "a new file"]);
    refused("-o other --checkpoint model", 1, &["model: is no checkpoint"]);
    refused("-o other --checkpoint gone/kept", 1, &["gone/kept"]);
    refused("-o other --checkpoint a.txt", 2, &["a.txt is both input and output"]);
    refused("-o other --checkpoint other/kept", 2, &["lies in other"]);
    refused("--pack kept --checkpoint ./kept", 2, &["both --pack and --checkpoint"]);
    refused("-o other --checkpoint kept --checkpoint-every 0", 2, &["--checkpoint-every 0", "at least 1"]);
    refused("-o other --checkpoint-every 7", 2, &["--checkpoint"]);
    refused("-o other --checkpoint kept --weights plain", 2, &["leave --checkpoint out"]);
    assert!(!room.path("kept").exists() && !room.path("other").exists());
}

#[test]
fn a_language_model_is_trained_asked_and_converted() {
    let room = Room::new();
    let text = "Ana saw Rui.\nRui saw Ana in Lisbon.\nAna left.\n";
    room.write("text.txt", text);
    let train = "lm train text.txt --order 2 --discount-fallback";
    room.out(&format!("{train} -o model.arpa"), b"");
    assert!(room.read("model.arpa").starts_with("\\data\\\nngram 1=9\nngram 2=12\n\n\\1-grams:\n"));
    room.out(&format!("{train} -o model.bin --threads 1"), b"");
    room.out("lm convert model.bin -o converted.arpa", b"");
    assert_eq!(room.read("converted.arpa"), room.read("model.arpa"));
    let print = |line: &str| String::from_utf8(room.out(line, text.as_bytes())).unwrap();
    assert_eq!(print("lm info model.bin"), "order    2\n1-grams  9\n2-grams  12\n");
    // Each line is a sentence.
    let scores = print("lm score model.arpa text.txt");
    assert_eq!(scores.lines().count(), 3);
    assert!(scores.lines().all(|line| line.starts_with("Total: -") && line.ends_with(" OOV: 0")), "{scores}");
    assert_eq!(print("lm score model.bin").lines().count(), 3);
    assert_eq!(
        print("lm score --plain model.bin").lines().last().map(|line| line.ends_with("OOV: 1")),
        Some(true)
    );
    assert!(print("lm perplexity model.bin text.txt").contains("words                        10\n"));
    room.out("lm convert model.bin --compact -o small.lm", b"");
    assert_eq!(print("lm score small.lm"), print("lm score model.bin"));
    assert!(fs::metadata(room.path("small.lm")).unwrap().len() < 300);
    room.fails("lm convert model.bin --compact -o small.arpa", b"", 2, &["--compact", "small.arpa"]);

    // The language model inside a model of hmm, as a folder and packed, compressed too.
    room.out("train hmm --lm model.bin text.txt -o tagger", b"");
    room.out("compact tagger --pack tagger.packed", b"");
    fs::write(room.path("tagger.gz"), gzip(fs::read(room.path("tagger.packed")).unwrap())).unwrap();
    for model in ["tagger", "tagger.packed", "tagger.gz"] {
        assert_eq!(print(&format!("lm score {model}")), print("lm score model.bin"), "{model}");
        assert_eq!(room.out(&format!("restore --model {model}"), b"ana saw rui"), b"Ana saw Rui");
    }
    room.out("train majority text.txt -o plain", b"");
    room.fails("lm score plain", b"", 1, &["plain", "model of majority", "only those of hmm"]);

    room.out("lm prune model.bin --threshold 1 --force -o pruned.arpa", b"");
    assert!(room.read("pruned.arpa").contains("ngram 1=9\nngram 2=0\n"));
    room.fails("lm prune model.bin --threshold nan --force -o pruned.arpa", b"", 2, &["threshold NaN"]);

    room.write("other.txt", "Rui left Porto.\n");
    room.out("lm train other.txt --order 3 --smoothing witten-bell -o other.bin", b"");
    room.out("lm interpolate model.bin other.bin --weight 0.75 --force -o mixed.arpa", b"");
    assert!(room.read("mixed.arpa").starts_with("\\data\\\nngram 1=10\n"));
    room.out("lm interpolate model.arpa other.bin --tune text.txt -o tuned.bin", b"");
    assert!(print("lm info --check tuned.bin").starts_with("order    3\n1-grams  10\n"));
    room.fails("lm interpolate model.bin --force -o mixed.arpa", b"", 2, &["MODEL"]);
    room.fails(
        "lm interpolate model.bin other.bin --weight 1.5 --force -o mixed.arpa",
        b"",
        2,
        &["from 0 to 1"],
    );
    room.fails(
        "lm interpolate model.bin other.bin --tune empty.txt --force -o mixed.arpa",
        b"",
        1,
        &["empty.txt"],
    );
    room.fails("lm interpolate model.bin other.bin -o other.bin", b"", 2, &["both input and output"]);

    room.write("list.txt", "Ana\nEva\n");
    room.out(
        "lm train text.txt --smoothing witten-bell --vocabulary-list list.txt --min-count 1,2 -o small.arpa",
        b"",
    );
    assert!(room.read("small.arpa").contains("ngram 1=5\n"));
    room.write("missing.txt", "zebra\n");
    let missing = "lm train text.txt --smoothing witten-bell --vocabulary-list missing.txt -o none.arpa";
    room.fails(missing, b"", 1, &["text.txt", "none of the words of the list"]);
    room.fails(&format!("{missing} --unknown prune"), b"", 1, &["none of the words of the list"]);
    room.fails("lm train text.txt --smoothing witten-bell -o -", b"", 2, &["name a file"]);
    room.fails("lm train text.txt --threads 0 --force -o model.arpa", b"", 2, &["expected a number from 1"]);
    room.fails("lm prune model.bin --threshold -1 --force -o pruned.arpa", b"", 2, &["threshold -1"]);
    room.fails("lm train text.txt --force -o model.arpa", b"", 2, &["--discount-fallback"]);
    room.fails("lm train text.txt --order 9 --force -o model.arpa", b"", 2, &["order 9"]);
    room.fails("lm train text.txt -o text.txt", b"", 2, &["both input and output"]);
    room.fails("lm train empty.txt --force -o model.arpa", b"", 1, &["empty.txt"]);
    room.fails("lm score text.txt text.txt", b"", 1, &["text.txt, line 3", "ARPA"]);
    room.fails("lm perplexity model.bin -", b"", 1, &["no words"]);
    assert_eq!(room.read("converted.arpa"), room.read("model.arpa"));
}

#[test]
fn a_map_or_a_language_model_that_is_no_use_is_refused() {
    let room = Room::new();
    let tiny = Path::new(crate::ROOT).join("lm/tiny.arpa");
    fs::copy(tiny, room.path("tiny.arpa")).unwrap();
    let no_words = "\\data\\\nngram 1=3\n\\1-grams:\n-1 <unk>\n-99 <s>\n-0.5 </s>\n\\end\\\n";
    room.write("corpus.txt", CORPUS).write("no-words.arpa", no_words);
    room.write("empty.map", "").write("wrong.map", "us US 1\nthe teh 1\n");
    room.out("lm convert tiny.arpa -o tiny.lm", b"");
    let mut altered = fs::read(room.path("tiny.lm")).unwrap();
    let last = altered.len() - 5;
    altered[last] ^= 1;
    fs::write(room.path("altered.lm"), &altered).unwrap();
    for verb in ["train hmm -o other --lm", "train ngram -o other --lm", "fst build -o other"] {
        room.fails(&format!("{verb} altered.lm"), b"", 1, &["altered.lm: the file was altered"]);
        room.fails(&format!("{verb} tiny.lm --map empty.map"), b"", 1, &["empty.map: has no forms"]);
        room.fails(&format!("{verb} tiny.lm --map wrong.map"), b"", 1, &["wrong.map, line 2", "\"teh\""]);
        room.fails(&format!("{verb} corpus.txt"), b"", 1, &["corpus.txt, line", "expected an ARPA file"]);
        room.fails(&format!("{verb} tiny.lm --map-weight -1"), b"", 2, &["--map-weight -1", "0 or more"]);
        if verb.starts_with("train") {
            room.fails(&format!("{verb} no-words.arpa"), b"", 1, &["no-words.arpa: knows no words"]);
        }
        assert!(!room.path("other").exists(), "{verb}");
    }
}

#[test]
fn lists_and_a_lexicon_become_part_of_a_model() {
    let room = Room::new();
    room.write("corpus.txt", CORPUS.repeat(50))
        .write("places.txt", "Lisbon\nNew York\n")
        .write("empty.txt", "# no\n");
    room.write("latin.txt", b"Lisbon\nM\xfcnchen\n")
        .write("long.txt", "a b c d e f g h\n")
        .write("no.tsv", "");
    let train = "train maxent --bits 12 corpus.txt -o other";
    for (line, code, parts) in [
        ("--list gone.txt", 1, &["cannot open gone.txt"][..]),
        ("--list empty.txt", 1, &["empty.txt: has no entries: expected a word or a phrase a line"]),
        ("--list latin.txt", 1, &["latin.txt, line 2", "UTF-8"]),
        ("--list long.txt", 1, &["long.txt: \"a b c d e f g h\" has 8 words: a phrase has at most 7"]),
        (&"--list places.txt ".repeat(17), 2, &["17 lists: at most 16"]),
        ("--features lists", 2, &["the features lists look at a file", "--list"]),
        ("--features word --list places.txt", 2, &["add lists or lists-around to --features"]),
        ("--features forms-around", 2, &["--forms"]),
        ("--forms gone.tsv", 1, &["cannot open gone.tsv"]),
        ("--forms no.tsv", 1, &["no.tsv: has no words"]),
    ] {
        room.fails(&format!("{train} {line}"), b"", code, parts);
        assert!(!room.path("other").exists(), "{line}");
    }
    room.out("lexicon build --lang en corpus.txt -o forms.tsv", b"");
    room.out(&format!("{train} --list places.txt --forms forms.tsv"), b"");
    let manifest = room.read("other/majuscule.json");
    for part in ["\"lists-around\"", "\"places.txt\"", "\"forms.tsv\"", "\"lists.bin\"", "\"forms.bin\""] {
        assert!(manifest.contains(part), "{part}: {manifest}");
    }
    fs::remove_file(room.path("places.txt")).unwrap();
    room.out("restore --model other corpus.txt", b"");
    room.fails(&format!("{train} --force --list other/lists.bin"), b"", 2, &["other"]);
    let lists = fs::read(room.path("other/lists.bin")).unwrap();
    fs::write(room.path("other/lists.bin"), &lists[1..]).unwrap();
    room.fails("restore --model other", b"we", 1, &["lists.bin has"]);
    fs::remove_file(room.path("other/lists.bin")).unwrap();
    room.fails("restore --model other", b"we", 1, &["other: lists.bin is missing"]);
}

#[test]
fn a_language_model_is_trained_from_counts_of_its_pieces() {
    let room = Room::new();
    let pieces = ["Ana saw Rui.\nRui saw Ana in Lisbon.\n", "Ana left.\nRui left Lisbon with Ana.\n"];
    room.write("all.txt", pieces.concat()).write("1.txt", pieces[0]).write("2.txt", pieces[1]);
    room.out("lm count all.txt --order 3 -o all.counts", b"");
    room.out("lm count 1.txt --order 3 -o 1.counts --threads 1", b"");
    room.out("lm count - --order 4 -o 2.counts --memory 1M", pieces[1].as_bytes());
    room.out("lm merge 2.counts 1.counts -o merged.counts", b"");
    let bytes = |name: &str| fs::read(room.path(name)).unwrap();
    assert!(bytes("merged.counts") == bytes("all.counts"));
    let settings = "--discount-fallback --order 2";
    room.out(&format!("lm train all.txt {settings} -o all.arpa"), b"");
    for counts in ["1.counts 2.counts", "merged.counts", "all.counts"] {
        room.out(&format!("lm train --counts {counts} {settings} --force -o counted.arpa"), b"");
        assert_eq!(room.read("counted.arpa"), room.read("all.arpa"), "{counts}");
    }
    room.fails("lm train --counts 1.counts --order 4 -o a.arpa", b"", 2, &["up to order 3", "count again"]);
    room.fails("lm train all.txt --counts 1.counts -o a.arpa", b"", 2, &["cannot be used with"]);
    room.fails("lm train -o a.arpa", b"", 2, &["CORPUS"]);
    room.fails("lm train --counts all.txt -o a.arpa", b"", 1, &["all.txt", "is no file of counts"]);
    room.fails("lm merge 1.counts -o 1.counts", b"", 2, &["both input and output"]);
    room.out("lm count 2.txt --plain --order 3 -o plain.counts", b"");
    room.fails(
        "lm merge 1.counts plain.counts -o a.counts",
        b"",
        1,
        &["plain.counts", "white space", "count them alike"],
    );
    let whole = bytes("all.counts");
    fs::write(room.path("cut.counts"), &whole[..whole.len() - 1]).unwrap();
    room.fails("lm merge cut.counts -o a.counts", b"", 1, &["cut.counts", "cut off"]);
    let mut altered = whole;
    let middle = altered.len() / 2;
    altered[middle] ^= 1;
    fs::write(room.path("altered.counts"), &altered).unwrap();
    room.fails("lm merge altered.counts -o a.counts", b"", 1, &["altered.counts", "were altered"]);
}

#[test]
fn a_language_model_does_not_depend_on_memory() {
    let room = Room::new();
    let text: String = (0..30_000u32)
        .map(|i| format!("We met Word{} in Lisbon{} on {}\n", i % 701, i % 97, i * i % 331))
        .collect();
    room.write("text.txt", text);
    fs::create_dir(room.path("temp")).unwrap();
    for name in ["model.arpa", "model.bin"] {
        let train = format!("lm train --plain text.txt --order 5 --discount-fallback --force -o {name}");
        room.out(&train, b"");
        let whole = fs::read(room.path(name)).unwrap();
        for memory in ["--memory 1M", "--memory 1.5MB --temp temp --threads 1", "--memory 1G"] {
            room.out(&format!("{train} {memory}"), b"");
            assert!(fs::read(room.path(name)).unwrap() == whole, "{name} {memory}");
        }
    }
    assert_eq!(fs::read_dir(room.path("temp")).unwrap().count(), 0);
    let train = "lm train --plain text.txt --discount-fallback --force -o new.arpa";
    for (memory, problem) in
        [("1K", "1M at least"), ("lots", "such as 2G"), ("-2G", "1M at least"), ("nan", "such as")]
    {
        room.fails(&format!("{train} --memory={memory}"), b"", 2, &[problem]);
    }
    room.fails(&format!("{train} --memory 1G --temp none"), b"", 2, &["--temp none", "a folder"]);
    assert!(!room.path("new.arpa").exists());
}

#[test]
fn help_manual_and_completions_print() {
    let room = Room::new();
    let print = |line: &str| String::from_utf8(room.out(line, b"")).unwrap();
    let help = print("--help");
    let verbs: Vec<&str> = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        .filter_map(|line| line.get(2..)?.split(' ').next().filter(|verb| !verb.is_empty()))
        .collect();
    for verb in [
        "restore",
        "train",
        "evaluate",
        "score",
        "compare",
        "experiment",
        "lexicon",
        "lm",
        "maxent",
        "tagger",
        "corpus",
        "inspect",
        "completions",
        "man",
    ] {
        assert!(verbs.contains(&verb), "{verb} is missing from the help: {verbs:?}");
    }
    for verb in &verbs {
        assert!(print(&format!("help {verb}")).contains("Usage:"), "{verb}");
        if *verb != "help" {
            assert!(print(&format!("{verb} --help")).contains("Usage:"), "{verb}");
        }
    }
    for verb in [
        "train majority",
        "lexicon build",
        "lexicon merge",
        "lexicon update",
        "lexicon stats",
        "lexicon show",
        "lexicon compare",
        "lexicon export",
        "lm train",
        "lm count",
        "lm merge",
        "lm score",
        "lm perplexity",
        "lm prune",
        "lm interpolate",
        "lm info",
        "lm convert",
        "tagger train",
        "tagger evaluate",
        "tagger words",
        "corpus stats",
        "corpus split",
        "experiment annotate",
        "experiment agreement",
    ] {
        assert!(print(&format!("{verb} --help")).contains("Usage:"), "{verb}");
    }
    // The description of a verb in a list is the beginning of the verb's own help.
    for verb in ["", "train", "lexicon", "tagger", "corpus"] {
        let list = print(&format!("{verb} --help"));
        let rows = list.lines().skip_while(|line| !["Commands:", "Methods:"].contains(line)).skip(1);
        for row in rows.take_while(|line| !line.is_empty()).filter(|row| row.starts_with("  ")) {
            let Some((name, about)) = row.trim().split_once("  ") else { continue };
            if name != "help" {
                let help = print(&format!("{verb} {name} --help"));
                // The help of restore begins with commands.
                let begins = help.split("\n\n").take(2).any(|part| part.starts_with(about.trim()));
                assert!(begins, "{verb} {name}: {about:?} is not how it begins:\n{help}");
            }
        }
    }
    assert!(print("train majority --help").starts_with("The most frequent form of each word"));
    for page in ["--help", "restore --help", "-h"] {
        assert!(
            print(page).starts_with("What most people come for:\n  majuscule restore --marks talk.txt"),
            "{page}"
        );
    }
    for verb in ["restore", "train", "train majority", "lexicon build", "lexicon update", "tagger train"] {
        assert!(
            print(&format!("{verb} --help")).contains(&format!("Examples:\n  majuscule {verb}")),
            "{verb}"
        );
    }
    assert_eq!(print("--version"), format!("majuscule {}\n", env!("CARGO_PKG_VERSION")));
    assert!(print("man").starts_with(".ie") || print("man").contains(".TH majuscule"));
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = print(&format!("completions {shell}"));
        for word in ["majuscule", "nl", "accurate", "susanto", "input-limit", "batista-2007-table-4"] {
            // The scripts for elvish and PowerShell do not have the values of positional arguments.
            let is_told = !word.starts_with("batista") || !["elvish", "powershell"].contains(&shell);
            assert!(!is_told || script.contains(word), "{shell}: {word}");
        }
        assert!(!script.contains("--usage") && !script.contains("-l usage"), "{shell}");
    }
    print("man -o pages");
    assert!(room.read("pages/majuscule-restore.1").contains("\\-\\-words"));
}

#[test]
fn the_output_does_not_depend_on_threads() {
    let room = Room::new();
    let text: String = (0..40_000)
        .map(|i| format!("who met number {i} of the bbc in LISBON. {}", ["\n", "us ", "\r\n\n"][i % 3]))
        .collect();
    room.write("long.txt", &text);
    let one = room.restored("--threads 1 long.txt", "");
    for threads in [2, 4] {
        assert!(room.restored(&format!("--threads {threads} long.txt"), "") == one, "{threads} threads");
        assert!(room.restored(&format!("--threads {threads}"), &text) == one, "{threads} threads, a pipe");
    }
    assert!(room.restored("", &one) == one, "a second time");
}

/// Reads in the background and sends each line as it comes.
fn lines(from: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(from).lines() {
            let Ok(line) = line else { return };
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

#[test]
fn a_line_comes_back_before_the_pipe_closes() {
    for threads in ["1", "2"] {
        let mut child = spawn(
            program()
                .args(["restore", "--model", "model", "--threads", threads])
                .current_dir(TRAINED.as_path()),
        );
        let mut stdin = child.stdin.take().unwrap();
        let lines = lines(child.stdout.take().unwrap());
        for (line, cased) in
            [("i\n", "I"), ("bbc\n", "BBC"), ("\n", ""), ("we met in lisbon\n", "we met in Lisbon")]
        {
            stdin.write_all(line.as_bytes()).unwrap();
            let found =
                lines.recv_timeout(Duration::from_secs(20)).expect("a line that waits for the next one");
            assert_eq!(found, cased);
        }
        drop(stdin);
        assert!(child.wait().unwrap().success());
    }
}

/// A running program: the test sends bytes and waits for the answers.
struct Talk {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: mpsc::Receiver<u8>,
}

impl Talk {
    fn new(room: &Room, line: &str) -> Self {
        let mut child = spawn(program().args(line.split_whitespace()).current_dir(room.0.path()));
        let out = child.stdout.take().unwrap();
        let (sender, stdout) = mpsc::channel();
        // The thread ends with the program, or when the receiver is gone.
        thread::spawn(move || {
            BufReader::new(out).bytes().map_while(Result::ok).try_for_each(|byte| sender.send(byte))
        });
        Self { stdin: child.stdin.take(), child, stdout }
    }

    fn say(&mut self, text: &str) -> &mut Self {
        self.stdin.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
        self
    }

    /// Waits for output of this length, and checks that it is this text.
    fn hear(&mut self, expected: &str) -> &mut Self {
        let mut heard = Vec::new();
        while heard.len() < expected.len() {
            let patience = Duration::from_secs(20);
            heard.push(self.stdout.recv_timeout(patience).expect("an answer that waits for the next word"));
        }
        assert_eq!(String::from_utf8_lossy(&heard), expected);
        self
    }

    /// Closes the input and returns the rest of the output.
    fn end(mut self) -> String {
        drop(self.stdin.take());
        assert!(self.child.wait().unwrap().success());
        String::from_utf8(self.stdout.iter().collect()).unwrap()
    }
}

/// A folder that also has `tagger`, a model of `hmm`, and `ends`, a model of `maxent` that
/// finds the ends of sentences.
fn room_with_context() -> Room {
    let room = Room::new();
    room.write("corpus.txt", CORPUS);
    for line in ["train hmm corpus.txt -o tagger", "train maxent --protocol asr corpus.txt -o ends"] {
        let output = room.run(line, b"");
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
    room
}

#[test]
fn a_stream_answers_each_word_before_the_next_is_sent() {
    let room = room_with_context();
    let mut talk = Talk::new(&room, "restore --model model --stream");
    for (said, heard) in
        [("we ", "we "), ("met ", "met "), ("lis", ""), ("bon\n", "Lisbon\n"), ("(BBC) ", "(BBC) ")]
    {
        talk.say(said).hear(heard);
    }
    talk.say("new york. ").hear("New York. ").say("we said").hear("We ");
    assert_eq!(talk.end(), "said");
    for more in ["", " --look-ahead 1", " --lookahead 1 --max-delay 600000"] {
        let mut talk = Talk::new(&room, &format!("restore --model tagger --stream{more}"));
        talk.say("the ").say("who ").hear("the ").say("asked\n").hear("WHO ").say("us ").hear("asked\n");
        assert_eq!(talk.end(), "us ");
    }
    let mut talk = Talk::new(&room, "restore --model tagger --stream --look-ahead 2");
    talk.say("in lisbon the ").hear("in ").say("who").say(" ").hear("Lisbon ");
    assert_eq!(talk.end(), "the WHO ");
}

#[test]
fn a_stream_waits_no_longer_than_it_may() {
    let room = room_with_context();
    let mut talk = Talk::new(&room, "restore --model tagger --stream --max-delay 20");
    talk.say("in new ").hear("In New ").say("york").hear("York").say(" and lis").hear(" and ").hear("lis");
    // The remainder of a word that was split stays as it is.
    talk.say("BON ").hear("BON ").say("lisbon").hear("Lisbon");
    assert_eq!(talk.end(), "");
    let mut talk = Talk::new(&room, "restore --model tagger --stream --max-delay 0");
    talk.say("in lisbon").hear("in Lisbon");
    assert_eq!(talk.end(), "");
}

#[test]
fn a_stream_gives_what_the_whole_text_gives() {
    let room = room_with_context();
    let text = "the who asked us in lisbon\nI told new york\n\nand l’europe of THE bbc";
    room.write("text.txt", text);
    for model in ["model", "tagger", "ends"] {
        for look_ahead in ["", "--look-ahead 0", "--look-ahead 3"] {
            let streamed = room.out(&format!("restore --model {model} --stream {look_ahead} text.txt"), b"");
            let look_ahead = if look_ahead.is_empty() { "--look-ahead 1" } else { look_ahead };
            let whole =
                room.out(&format!("restore --model {model} --case ignore {look_ahead} text.txt"), b"");
            assert_eq!(String::from_utf8(streamed).unwrap(), String::from_utf8(whole).unwrap());
        }
    }
    room.fails(
        "restore --model model --stream",
        b"we\nmet \xff",
        1,
        &["standard input, line 2, column 5", "0xff"],
    );
    assert_eq!(room.run("restore --model model --stream", b"the bbc\nin lis\xff").stdout, b"the BBC\nin lis");
}

#[test]
fn live_records_come_out_with_their_times() {
    let room = room_with_context();
    let mut talk = Talk::new(&room, "restore --model tagger --stream --format ctm");
    talk.say("a 1 0.00 0.25 in 0.9\n").say("a 1 0.25 0.5 new\n").hear("a 1 0.00 0.25 In 0.9\n");
    talk.say("a 1 0.75 0.5 york NA lex ana\n").hear("a 1 0.25 0.5 New\n");
    assert_eq!(talk.end(), "a 1 0.75 0.5 York NA lex ana\n");
    let record = |id: u32, text: &str| format!("{{\"id\":{id},\"text\":\"{text}\"}}\n");
    let mut talk = Talk::new(&room, "restore --model tagger --stream --format jsonl --look-ahead 0");
    for (said, heard) in [("in new", "In New"), ("in new york", "In New York")] {
        talk.say(&record(1, said)).hear(&record(1, heard));
    }
    assert_eq!(talk.end(), "");
    // A record waits no longer than the maximal delay.
    let mut talk = Talk::new(&room, "restore --model tagger --stream --format whisper-json --max-delay 20");
    talk.say(&record(1, "in lisbon")).hear(&record(1, "in Lisbon"));
    assert_eq!(talk.end(), "");

    // A streamed file has the same output as the file restored at once, and
    // fields may have other names.
    let example = Path::new(crate::ROOT).join("examples/talk.ctm");
    room.write("talk.ctm", fs::read(example).unwrap());
    let restored =
        |line: &str| String::from_utf8(room.out(&format!("restore --model tagger {line}"), b"")).unwrap();
    assert_eq!(restored("--stream talk.ctm"), restored("--case ignore --look-ahead 1 talk.ctm"));
    room.write(
        "said.jsonl",
        "{\"part\":1,\"said\":{\"words\":\"in \\u00e9 the bbc\"}}\n{\"part\":1,\"said\":{\"words\":\"new\"}}",
    );
    assert_eq!(
        restored("--stream --field said.words --id part said.jsonl"),
        "{\"part\":1,\"said\":{\"words\":\"In \\u00c9 the BBC\"}}\n{\"part\":1,\"said\":{\"words\":\"New\"}}"
    );
    room.write("talk.srt", cue("in lisbon"));
    for (line, part) in [
        ("--stream talk.srt", "--stream reads text, ctm, jsonl and whisper-json"),
        ("--stream --confidence talk.ctm", "leave --confidence out"),
        ("--id part talk.ctm", "give --stream"),
    ] {
        room.fails(&format!("restore --model tagger {line}"), b"", 2, &[part]);
    }
    let bad = "restore --model tagger --stream --format jsonl";
    room.fails(
        bad,
        b"{\"text\":\"in\"}\n{\"text\":",
        1,
        &["standard input, line 2, column 9: found the end"],
    );
    assert_eq!(room.run(bad, b"{\"text\":\"in\"}\n{\"text\":").stdout, b"{\"text\":\"In\"}\n");
    assert_eq!(
        room.out(&format!("{bad} --lossy"), b"{\"text\":\"bbc\"}\n{\"text\":"),
        b"{\"text\":\"BBC\"}\n{\"text\":"
    );
}

#[test]
fn a_revisable_stream_shows_what_may_still_change() {
    let room = room_with_context();
    let mut talk = Talk::new(&room, "restore --model tagger --stream --json");
    talk.say("the ").hear("{\"committed\":\"\",\"tail\":\"The \"}\n");
    talk.say("bbc in\n").hear("{\"committed\":\"the BBC \",\"tail\":\"in\\n\"}\n");
    talk.say("lis").hear("{\"committed\":\"\",\"tail\":\"in\\nlis\"}\n");
    assert_eq!(talk.end(), "{\"committed\":\"in\\nlis\",\"tail\":\"\"}\n");
}

#[test]
fn words_in_doubt_are_left_as_they_are() {
    let room = room_with_context();
    let restored = |line: &str| {
        String::from_utf8(
            room.out(&format!("restore --model tagger {line}"), b"the Who asked in LISBON. told\n"),
        )
        .unwrap()
    };
    assert_eq!(restored("--case ignore"), "The WHO asked in Lisbon. Told\n");
    assert_eq!(restored("--case ignore --threshold 0"), "The WHO asked in Lisbon. Told\n");
    // Lisbon has one known form, and the start of a sentence is certain, but who is in doubt.
    assert_eq!(restored("--case ignore --threshold 1"), "The Who asked in Lisbon. Told\n");
    assert_eq!(restored("--stream --threshold 1"), "the Who asked in Lisbon. Told\n");
    let words = restored("--case ignore --threshold 1 --confidence");
    let (word, probability) = words.lines().nth(1).unwrap().split_once('\t').unwrap();
    assert!(word == "Who" && probability.parse::<f64>().unwrap() < 1.0, "{words}");
}

#[test]
fn words_come_as_json_too() {
    let room = room_with_context();
    let text = b"the who asked us\n\nin lisbon\n";
    for (model, ends) in [("tagger", false), ("ends", true)] {
        let words =
            String::from_utf8(room.out(&format!("restore --model {model} --confidence"), text)).unwrap();
        let json = String::from_utf8(room.out(&format!("restore --model {model} --confidence --json"), text))
            .unwrap();
        let read = |line| serde_json::from_str::<serde_json::Value>(line).unwrap();
        let objects: Vec<_> = json.lines().map(read).collect();
        let lines: Vec<_> = objects.iter().map(|word| word["line"].as_u64().unwrap()).collect();
        assert_eq!(lines, [1, 1, 1, 1, 3, 3]);
        let as_words = objects.iter().map(|word| {
            format!("{}\t{:.4}", word["form"].as_str().unwrap(), word["probability"].as_f64().unwrap())
        });
        assert_eq!(
            as_words.collect::<Vec<_>>(),
            words.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>()
        );
        assert!(objects.iter().all(|word| word["sentence_end"].is_boolean() == ends), "{json}");
        let streamed =
            room.out(&format!("restore --model {model} --stream --look-ahead 9 --confidence --json"), text);
        assert_eq!(String::from_utf8(streamed).unwrap(), json);
    }
}

#[test]
fn settings_of_streams_and_doubt_that_cannot_be_are_refused() {
    let room = Room::new();
    for (line, parts) in [
        ("--max-delay 100", ["--stream", "--max-delay"]),
        ("--stream --max-delay=-1", ["--max-delay", "-1"]),
        ("--stream --max-delay soon", ["--max-delay", "soon"]),
        ("--stream --look-ahead one", ["--look-ahead", "one"]),
        ("--stream --n-best 3", ["--stream", "--n-best"]),
        ("--stream --case auto", ["--case auto", "use --case ignore or keep"]),
        ("--json", ["--json", "give --confidence or --stream"]),
        ("--threshold 1.01", ["--threshold", "from 0 to 1"]),
        ("--threshold=-0.1", ["--threshold", "from 0 to 1"]),
        ("--threshold NaN", ["--threshold", "from 0 to 1"]),
        ("--threshold 50%", ["--threshold", "from 0 to 1"]),
        ("--threshold 0.5", ["no probabilities: leave --threshold out", "use hmm or maxent"]),
        ("--stream --threshold 0.5", ["no probabilities: leave --threshold out", "use hmm or maxent"]),
        ("--stream --confidence", ["no probabilities: leave --confidence out", "use hmm or maxent"]),
    ] {
        room.fails(&format!("restore --model model {line}"), b"bbc\n", 2, &parts);
    }
    room.fails("restore --stream --lang auto", b"bbc\n", 2, &["--lang auto", "name the language"]);
}

#[test]
fn a_stream_that_nobody_reads_any_more_ends() {
    let room = Room::new();
    for line in ["restore --model model --stream", "restore --model model --stream --max-delay 600000"] {
        let mut child = spawn(program().args(line.split(' ')).current_dir(room.0.path()));
        let mut stdin = child.stdin.take().unwrap();
        drop(child.stdout.take());
        // The input pipe stays open: the program ends because it cannot write.
        stdin.write_all(b"we met in lisbon\n").unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{line}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{line}");
        drop(stdin);
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let room = Room::new();
    room.write("long.txt", "we met the bbc in lisbon\n".repeat(200_000));
    room.write("corpus.txt", (0..30_000).map(|i| format!("We met Word{i} in Lisbon\n")).collect::<String>());
    for line in [
        "restore --model model long.txt",
        "restore --model model --threads 1 long.txt",
        "restore --model model --stream long.txt",
        "lexicon build corpus.txt",
        "completions bash",
        "man",
        "corpus stats corpus.txt",
    ] {
        let mut child = spawn(program().args(line.split(' ')).current_dir(room.0.path()));
        let mut first = [0; 10];
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut first).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{line}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{line}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let room = Room::new();
    room.write("a.txt", "bbc\n").write("corpus.txt", CORPUS);
    for line in [
        "restore --model model a.txt",
        "inspect model",
        "man",
        "completions bash",
        "corpus stats corpus.txt",
        "lexicon build corpus.txt",
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = program();
        command.args(line.split(' ')).current_dir(room.0.path()).stdin(Stdio::null()).stdout(full);
        let output = command.stderr(Stdio::piped()).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{line}: {error}");
        assert!(error.contains("cannot write standard output: No space left"), "{line}: {error}");
    }
    room.fails(
        "restore --model model a.txt -o /dev/full",
        b"",
        1,
        &["cannot write /dev/full: No space left"],
    );
}

/// Runs a command under a limit on the length of files, so that a write fails
/// as it does on a full disk.
#[cfg(unix)]
fn run_limited(folder: &Path, line: &str) -> Output {
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_majuscule")]).args(line.split(' '));
    command.current_dir(folder).output().unwrap()
}

#[test]
#[cfg(unix)]
fn what_does_not_fit_leaves_nothing_under_its_name() {
    let room = Room::new();
    let corpus: String = (0..5000).map(|i| format!("We met Word{i} in Lisbon\n")).collect();
    room.write("corpus.txt", corpus).write("old.txt", "old");
    let manifest = room.read("model/majuscule.json");
    for line in [
        "restore --model model corpus.txt -o new.txt",
        "restore --model model corpus.txt --force -o old.txt",
        "lexicon build corpus.txt --force -o old.txt",
        "train majority corpus.txt -o new",
        "train majority corpus.txt -o model --force",
        "train majority corpus.txt --pack new.packed",
    ] {
        let output = run_limited(room.0.path(), line);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{line}: {error}");
        assert!(error.contains("cannot write "), "{line}: {error}");
        assert_eq!(room.names(), ["corpus.txt", "old.txt"], "{line}");
    }
    assert_eq!(room.read("old.txt"), "old");
    assert_eq!(room.read("model/majuscule.json"), manifest);
}

/// A file system of 64 kB that is unmounted on drop.
#[cfg(target_os = "linux")]
struct SmallDisk(PathBuf);

#[cfg(target_os = "linux")]
impl SmallDisk {
    /// Returns `None` if this test may not mount a file system.
    fn new(at: PathBuf) -> Option<Self> {
        fs::create_dir(&at).unwrap();
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&at).output();
        mount.is_ok_and(|output| output.status.success()).then(|| Self(at))
    }
}

#[cfg(target_os = "linux")]
impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_leaves_nothing_under_the_name() {
    let room = Room::new();
    let Some(disk) = SmallDisk::new(room.path("disk")) else {
        eprintln!(
            "skipped: no small disk may be mounted here; a limit on file sizes stands in for it in another test"
        );
        return;
    };
    room.write("long.txt", "we met the bbc in lisbon\n".repeat(20_000));
    room.write("corpus.txt", (0..60_000).map(|i| format!("We met Word{i} in Lisbon\n")).collect::<String>());
    for line in [
        "restore --model model long.txt -o disk/out.txt",
        "train majority corpus.txt -o disk/model",
        "lm train corpus.txt --discount-fallback --memory 1M --temp disk -o model.arpa",
        "lm train corpus.txt --discount-fallback --memory 1M -o disk/model.arpa",
        "lm count corpus.txt --memory 1M --temp disk -o new.counts",
    ] {
        room.fails(line, b"", 1, &["cannot write", "No space left"]);
        assert_eq!(fs::read_dir(&disk.0).unwrap().count(), 0, "{line}");
        assert!(!room.path("model.arpa").exists() && !room.path("new.counts").exists(), "{line}");
    }
}

#[test]
#[cfg(unix)]
fn a_program_that_is_killed_leaves_nothing_under_the_name() {
    let room = Room::new();
    room.write("old.txt", "old");
    // Signal 9 cannot be caught. Signal 2 (Ctrl-C) is not tested: a shell lets
    // background processes ignore it.
    for signal in ["-9", "-15"] {
        for (name, before) in [("new.txt", None), ("old.txt", Some("old"))] {
            let mut command = program();
            command.args(["restore", "--model", "model", "--force", "-o", name]).current_dir(room.0.path());
            let mut child = spawn(&mut command);
            let mut stdin = child.stdin.take().unwrap();
            stdin.write_all("we met the bbc in lisbon\n".repeat(40_000).as_bytes()).unwrap();
            let started = Instant::now();
            let hidden = || {
                let all = fs::read_dir(room.0.path()).unwrap().map(|file| file.unwrap());
                let mut hidden = all.filter(|file| file.file_name().to_string_lossy().starts_with('.'));
                hidden.any(|file| file.metadata().is_ok_and(|file| file.len() > 100_000))
            };
            while !hidden() {
                assert!(started.elapsed() < Duration::from_secs(20), "nothing is being written");
                thread::sleep(Duration::from_millis(5));
            }
            assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
            assert!(!child.wait().unwrap().success());
            drop(stdin);
            assert_eq!(
                fs::read_to_string(room.path(name)).ok().as_deref(),
                before,
                "{name} after kill {signal}"
            );
            for file in fs::read_dir(room.0.path()).unwrap().map(|file| file.unwrap()) {
                if file.file_name().to_string_lossy().starts_with('.') {
                    fs::remove_file(file.path()).unwrap();
                }
            }
        }
    }
    // A leftover temporary file is not in the way.
    room.write(".majuscule-0.tmp", "left");
    assert_eq!(room.restored("-o new.txt", "bbc"), "");
    assert_eq!(room.read("new.txt"), "BBC");
}

/// Returns the peak memory of a process so far, in kB.
#[cfg(target_os = "linux")]
fn peak(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn memory_stays_flat_on_a_line_without_end() {
    const LENGTH: usize = 30_000_000;
    let room = Room::new();
    room.write("words.txt", "New York City\nBBC News\n");
    for (unit, options) in [
        ("we met the bbc in new york ", "--words words.txt --lang en"),
        ("WE MET THE BBC", "--model model --threads 1"),
        ("\u{301}", "--model model"),
        ("\0", "--model model"),
        ("<b", "--model model"),
        ("\u{e9}", "--model model --lossy"),
    ] {
        let args = ["restore"].into_iter().chain(options.split_whitespace());
        let mut child = spawn(program().args(args).current_dir(room.0.path()));
        let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let block = unit.repeat(1_000_000 / unit.len());
        let blocks = LENGTH / block.len();
        let feeder = thread::spawn(move || {
            for _ in 0..blocks {
                stdin.write_all(block.as_bytes())?;
            }
            std::io::Result::Ok(stdin)
        });
        // The last part waits for the end of the input, so the process is still
        // alive and can be measured.
        let (mut read, mut buffer) = (0, vec![0; 1 << 16]);
        while read < blocks * (1_000_000 / unit.len()) * unit.len() - 2_000_000 {
            let more = stdout.read(&mut buffer).unwrap();
            assert!(more > 0, "the output ends early");
            read += more;
        }
        let peak = peak(&child);
        let rest = thread::spawn(move || std::io::copy(&mut stdout, &mut std::io::sink()));
        drop(feeder.join().unwrap().unwrap());
        read += rest.join().unwrap().unwrap() as usize;
        assert!(child.wait().unwrap().success());
        assert_eq!(read, blocks * (1_000_000 / unit.len()) * unit.len(), "of {unit:?}");
        assert!(peak < 40_000, "{peak} kB for a line of {unit:?}");
    }
}

#[test]
fn built_in_models_restore_their_languages() {
    let room = Room::new();
    for (options, text, cased) in [
        ("", "the european parliament met in brussels.", "The European Parliament met in Brussels."),
        ("--lang en", "i live in london", "I live in London"),
        ("--lang es", "vive en madrid desde enero.", "Vive en Madrid desde enero."),
        ("--lang fr", "elle habite à paris.", "Elle habite à Paris."),
        ("--lang nl", "zij woont in amsterdam.", "Zij woont in Amsterdam."),
        ("--lang pt", "ela vive em lisboa.", "Ela vive em Lisboa."),
        ("--lang pt-BR", "ela vive em lisboa.", "Ela vive em Lisboa."),
    ] {
        let out = room.out(&format!("restore {options}"), text.as_bytes());
        assert_eq!(String::from_utf8(out).unwrap(), cased);
    }
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
fn every_verb_takes_built_in_models_by_their_names() {
    let room = Room::new();
    room.write(
        "a.txt",
        "We met Zelda here.\nThe man asked Zelda who went.\nThen Zelda and Anna left.\n".repeat(3),
    );
    assert_eq!(room.out("restore --model fast --lang es", b"vive en madrid.\n"), b"Vive en Madrid.\n");
    let scored = room.out("evaluate --model fast --lang en a.txt", b"");
    assert_eq!(scored, room.out("evaluate --preset fast --lang en a.txt", b""));
    for (model, language) in [("accurate", "en"), ("fast --lang pt", "pt")] {
        let inspected = String::from_utf8(room.out(&format!("inspect {model}"), b"")).unwrap();
        assert!(inspected.contains(&format!("language    {language}")), "{inspected}");
    }
    room.out("adapt fast a.txt --bits 12 -o new", b"");
    let restored = room.out("restore --model new", b"and then zelda came.\n");
    assert_eq!(restored, b"And then Zelda came.\n");
    room.out("maxent features a.txt -o rows --dictionary names", b"");
    room.out("maxent weights fast --dictionary names -o weights", b"");
    // A folder with the name of a preset wins over the preset.
    fs::rename(room.path("new"), room.path("accurate")).unwrap();
    assert!(String::from_utf8(room.out("inspect accurate", b"")).unwrap().contains("a.txt"));
}

#[test]
fn a_language_is_told_however_the_text_arrives() {
    let room = Room::new();
    // The first line alone would be taken for English.
    let text = "the and of\nela vive em lisboa com o pai e a mãe, que não é de lá, e com uma tia do porto.\n";
    let whole = room.out("restore --lang auto", text.as_bytes());
    let mut child = spawn(program().args(["restore", "--lang", "auto"]));
    let mut stdin = child.stdin.take().unwrap();
    for line in text.split_inclusive('\n') {
        stdin.write_all(line.as_bytes()).unwrap();
        thread::sleep(Duration::from_millis(200));
    }
    drop(stdin);
    assert_eq!(child.wait_with_output().unwrap().stdout, whole);
    assert!(String::from_utf8(whole).unwrap().contains("Lisboa"));
}

#[test]
fn records_and_lines_by_themselves_say_nothing_of_each_other() {
    let room = Room::new();
    let said = |line: &str, input: &str| {
        let out = room.out(&format!("restore {line}"), input.as_bytes());
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

#[test]
fn one_command_makes_subtitles_of_a_document() {
    let room = Room::new();
    // Two words lack a time, and one has none that can be right.
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
    // Restoring and converting in two steps gives the same.
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
    // What a user would not expect to be lost needs --drop.
    room.write("talk.srt", "1\n00:00:01,000 --> 00:00:02,000 X1:40\nwe met\n");
    room.fails(
        "restore talk.srt -o talk.vtt",
        b"",
        1,
        &["the coordinates \"X1:40\" would be lost", "--drop"],
    );
    room.out("restore --quiet --drop talk.srt -o talk.vtt", b"");
    assert!(room.read("talk.vtt").starts_with("WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\n"));
    room.fails("restore ep.json talk.srt --to text", b"", 2, &["several texts are not converted into one"]);
    room.fails(
        "restore --stream ep.json -o ep.vtt",
        b"",
        2,
        &["--stream gives texts back in their own format"],
    );
    room.fails("restore --check ep.json --to srt", b"", 2, &["cannot be used with"]);
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
        output.status.success() && note.contains("talk.txt is named as text, but begins as srt"),
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
        &["ep.json is whisper-json", "nice.trn is named as trn"],
    );
    room.restored("talk.txt -o other.txt", "");
    room.restored("--format srt talk.txt -o again.txt", "");
    let image = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    room.write("talk.png", image).fails(
        "restore --model model talk.png",
        b"",
        1,
        &["talk.png: this is an image"],
    );
    let every_byte: Vec<u8> = (0..1000).map(|at| (at * 7 % 256) as u8).collect();
    room.fails("restore --model model", &every_byte, 1, &["standard input: this is no text", "--lossy"]);
    room.out("restore --model model --lossy", &every_byte);
    let passed = room.out("restore --model model --lossy", image);
    assert_eq!(passed.to_ascii_lowercase(), image.to_ascii_lowercase());
}

#[test]
fn a_text_in_another_language_is_told() {
    let room = Room::new();
    let note = |line: &str, input: &str| {
        let output = room.run(&format!("restore {line}"), input.as_bytes());
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let german = "die kanzlerin sprach gestern in berlin mit dem minister, und der präsident war auch da. ";
    let spanish = "el presidente de la comisión habló ayer con los ministros en la ciudad de lisboa.";
    let english = "the president of the commission met angela merkel in lisbon, but that was not all.";
    for (line, input, parts) in [
        ("", german, &["standard input looks German", "as English", "--model"][..]),
        ("--stream", german, &["looks German"]),
        ("--lang auto", &german.repeat(9), &["looks German"]),
        ("", spanish, &["looks Spanish", "--lang es"]),
        ("", english, &[]),
        ("", "paris, rome, berlin", &[]),
        ("--lang auto", spanish, &[]),
        ("--lang en", spanish, &[]),
        ("--model model", spanish, &[]),
        ("--quiet", spanish, &[]),
    ] {
        let note = note(line, input);
        assert!(
            parts.iter().all(|part| note.contains(part)) && note.is_empty() == parts.is_empty(),
            "{line}: {note}"
        );
    }
    let whisper = |language: &str| {
        format!(
            "{{\"text\": \"ela vive em lisboa com a maria.\", \"segments\": [], \"language\": \"{language}\"}}"
        )
    };
    let line = "restore --format whisper-json";
    for language in ["pt", "Portuguese"] {
        let portuguese = room.out(&format!("{line} --lang pt"), whisper(language).as_bytes());
        assert_eq!(room.out(line, whisper(language).as_bytes()), portuguese);
        assert_eq!(room.out(&format!("{line} --lang auto"), whisper(language).as_bytes()), portuguese);
        assert!(note("--format whisper-json", &whisper(language)).is_empty());
    }
    assert!(note("--format whisper-json", &whisper("german")).contains("\"german\""));
}

#[test]
fn no_verb_replaces_an_output_without_force() {
    let room = Room::new();
    room.write("talk.srt", "1\n00:00:01,000 --> 00:00:02,000\nWe met Ana in Lisbon.\n");
    room.write("long.txt", "We met Ana in Lisbon, and Rui saw us there on Monday.\n".repeat(40));
    for (line, output) in [
        ("restore --preset fast long.txt -o", "restored.txt"),
        ("convert talk.srt --drop -o", "talk.vtt"),
        ("lexicon build long.txt -o", "long.tsv"),
        ("lexicon words long.txt -o", "long.words"),
        ("lexicon export long.tsv --format json -o", "long.json"),
        ("lm count --order 2 long.txt -o", "long.counts"),
        ("lm train --order 2 --smoothing witten-bell long.txt -o", "long.arpa"),
        ("lm convert long.arpa -o", "long.lm"),
        ("fst build long.arpa -o", "long.fst"),
        ("fst draw long.fst -o", "long.svg"),
        ("maxent features long.txt -o", "long.svm"),
        ("evaluate --preset fast long.txt --choices", "long.jsonl"),
        ("train majority long.txt --pack", "long.packed"),
        ("train majority long.txt -o", "long-model"),
    ] {
        let line = format!("{line} {output}");
        room.out(&line, b"");
        let is_file = room.path(output).is_file();
        if is_file {
            fs::write(room.path(output), "precious").unwrap();
        }
        room.fails(&line, b"", 2, &[output, "exists already", "--force"]);
        if is_file {
            assert_eq!(fs::read_to_string(room.path(output)).unwrap(), "precious", "{line}");
            // Nothing is lost of an empty file.
            fs::write(room.path(output), "").unwrap();
            room.out(&line, b"");
        }
        room.out(&format!("{line} --force"), b"");
    }
    room.out("restore --preset fast long.txt talk.srt -o out/", b"");
    room.fails("restore --preset fast long.txt talk.srt -o out/", b"", 2, &["2 of 2", "out", "--force"]);
    fs::remove_file(room.path("out/talk.srt")).unwrap();
    room.fails("restore --preset fast long.txt talk.srt -o out/", b"", 2, &["long.txt exists already"]);
    assert!(!room.path("out/talk.srt").exists());
    room.out("restore --preset fast long.txt talk.srt -o out/ --force", b"");
}

#[test]
fn a_folder_means_all_texts_in_it_for_every_verb() {
    let room = Room::new();
    let lines = "We met Ana in Lisbon, and Rui saw the BBC there.\nThe BBC told Ana of Lisbon.\n".repeat(30);
    for (file, text) in
        [("docs/a.txt", lines.as_str()), ("docs/more/b.txt", &lines), ("docs/table.bin", "\0")]
    {
        fs::create_dir_all(room.path(file).parent().unwrap()).unwrap();
        fs::write(room.path(file), text).unwrap();
    }
    let same = |line: &str| {
        let [folder, files] = ["docs", "docs/a.txt docs/more/b.txt"].map(|texts| {
            let out = room.out(&line.replace("TEXTS", texts), b"");
            String::from_utf8(out).unwrap()
        });
        assert_eq!(folder, files, "{line}");
        folder
    };
    same("corpus stats TEXTS");
    same("corpus shuffle TEXTS");
    same("evaluate --preset fast TEXTS");
    same("lexicon build TEXTS");
    assert_eq!(same("lexicon words TEXTS"), "Ana\nBBC\nLisbon\nRui\n");
    room.out("lm train --order 2 --smoothing witten-bell docs -o of-docs.lm", b"");
    same("lm perplexity of-docs.lm TEXTS");
    room.out("train majority docs -o of-docs", b"");
    room.out("adapt fast docs -o adapted", b"");
    room.out("restore --preset fast docs -o restored", b"");
    let scored = |line: &str| String::from_utf8(room.out(line, b"")).unwrap();
    assert!(scored("score docs restored").contains("all words"));
    assert!(scored("compare docs --model fast --output restored").contains("restored"));
    room.fails("score docs docs/a.txt", b"", 2, &["docs is a folder", "docs/a.txt is a file"]);
    fs::remove_file(room.path("restored/more/b.txt")).unwrap();
    room.fails("score docs restored", b"", 2, &["restored has no more/b", "docs"]);
    fs::write(room.path("restored/more/b.txt"), lines.replacen("Rui", "Ruy", 1)).unwrap();
    room.fails(
        "score docs restored",
        b"",
        1,
        &["restored/more/b.txt, line 1: \"Ruy\"", "docs/more/b.txt, line 1"],
    );
    room.out("corpus split docs -o parts", b"");
}

#[test]
fn a_text_that_does_not_tell_its_language_takes_that_of_its_folder() {
    let room = Room::new();
    let note = |line: &str, input: &str| {
        let output = room.run(&format!("restore --lang auto {line}"), input.as_bytes());
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let unsure = note("", "ok\n");
    assert!(unsure.contains("cannot tell the language of standard input") && unsure.contains("English"));
    for silent in ["", "12 34\n", "qu'est-ce que tu fais ce soir\n", "NO SABEMOS LO QUE PASÓ ANOCHE\n"] {
        assert_eq!(note("", silent), "", "{silent}");
    }
    assert_eq!(note("--quiet", "ok\n"), "");
    for (file, text) in [
        ("talks/fr/a.txt", "il ne sait pas ce que marie veut\n"),
        ("talks/fr/b.srt", "1\n00:00:01,000 --> 00:00:02,000\non y va tout de suite\n"),
        ("talks/fr/c.txt", "ok\n"),
        ("talks/en/d.txt", "the man saw it in london\n"),
        ("talks/en/e.txt", "we have not seen it yet\n"),
        ("talks/de/f.txt", "ich weiß es leider auch nicht\n"),
    ] {
        fs::create_dir_all(room.path(file).parent().unwrap()).unwrap();
        fs::write(room.path(file), text).unwrap();
    }
    let said = note("talks -o out", "");
    let lines: Vec<&str> = said.lines().collect();
    let [german, french, summary] = lines[..] else { panic!("{said}") };
    assert!(german.contains("f.txt looks German, but is restored as English"), "{said}");
    assert!(french.contains("c.txt: restored as French, as most texts in its folder are"), "{said}");
    assert!(
        summary.ends_with("6 changed, 0 as they were, 0 failed; languages: English 3, French 3"),
        "{said}"
    );
    assert!(note("talks --diff", "").ends_with("languages: English 3, French 3\n"));
    assert!(note("talks/fr/a.txt talks/en/d.txt", "").ends_with("languages: English 1, French 1\n"));
    assert_eq!(note("talks/fr/a.txt", ""), "");
}

#[test]
fn what_is_asked_for_by_another_name_is_answered() {
    let room = Room::new();
    let spoken = b"where did you go i went to lisbon with my mother";
    assert_eq!(room.out("restore --punctuate", spoken), room.out("restore --marks", spoken));
    // Text that has its punctuation stays as it is, unless all of it is asked for.
    let written = b"Well, we met.\nso where did you go i went to lisbon\nYes, we did.\n";
    assert_eq!(room.out("restore --marks=auto", written), room.out("restore --marks", written));
    assert!(!String::from_utf8(room.out("restore --marks", written)).unwrap().contains('?'));
    assert!(String::from_utf8(room.out("restore --marks=all", written)).unwrap().contains("? I went"));
    for (line, parts) in [
        ("restore --marks=every", ["is no punctuation mark", "--marks"]),
        #[cfg(not(feature = "service"))]
        ("serve --port 80", ["--features service", "--stream"]),
        ("truecase a.txt", ["majuscule restore", "truecase"]),
        #[cfg(not(feature = "neural"))]
        ("train bert a.txt -o model", ["--features neural", "bert"]),
        #[cfg(not(feature = "neural"))]
        ("train bilstm a.txt -o model", ["--features neural", "bilstm"]),
        #[cfg(not(feature = "neural"))]
        ("train cnn-bilstm a.txt -o model", ["--features neural", "cnn-bilstm"]),
    ] {
        room.fails(line, b"", 2, &parts);
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

#[test]
fn the_last_line_comes_out_before_the_next_one_is_sent() {
    let room = room_with_context();
    // Without `--context line` the line comes out after a pause; with it, nothing later can change
    // the line, so it comes out at once.
    for line in ["--model tagger", "--model tagger --threads 1", "--model tagger --context line"] {
        let mut talk = Talk::new(&room, &format!("restore {line}"));
        talk.say("in new york\n").hear("In New York\n").say("lisbon\n").hear("Lisbon\n");
        assert_eq!(talk.end(), "");
    }
    let mut talk = Talk::new(&room, "restore --model tagger --format jsonl");
    talk.say("{\"text\":\"in new york\"}\n").hear("{\"text\":\"In New York\"}\n");
    assert_eq!(talk.end(), "");
}

#[test]
#[cfg(target_os = "linux")]
fn who_types_at_a_terminal_is_told_how_to_end() {
    let room = Room::new();
    if !Command::new("script").arg("--version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no script(1) here, which makes a terminal");
        return;
    }
    let line = format!("{} restore --model model", env!("CARGO_BIN_EXE_majuscule"));
    let mut command = Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).current_dir(room.0.path());
    let mut child = spawn(&mut command);
    let lines = lines(child.stdout.take().unwrap());
    let hint = lines.recv_timeout(Duration::from_secs(60)).expect("a hint");
    assert!(hint.contains("Ctrl-D"), "{hint}");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_that_is_written_shows_progress_at_a_terminal() {
    let room = Room::new();
    if !Command::new("script").arg("--version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no script(1) here, which makes a terminal");
        return;
    }
    room.write("long.txt", "we met the bbc in lisbon\n".repeat(2_000_000));
    let screen = |options: &str| {
        let line = format!("{} restore --model model {options}", env!("CARGO_BIN_EXE_majuscule"));
        let mut command = Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).current_dir(room.0.path()).stdin(Stdio::null());
        String::from_utf8_lossy(&command.output().unwrap().stdout).into_owned()
    };
    assert!(screen("--threads 1 long.txt -o out.txt").contains("left"));
    room.write("short.txt", "we met the bbc in lisbon\n");
    assert!(!screen("short.txt").contains("left"));
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
        let output = run(&folder, &["restore", "--model", model, name], b"");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let after = String::from_utf8(output.stdout).unwrap();
        assert!(after.contains(word), "{name}: {after}");
        assert_eq!(lower(&after), lower(&before), "{name}");
        let format = match name {
            "talk.json" => "whisper-json",
            _ => name.rsplit_once('.').unwrap().1,
        };
        let again = run(&folder, &["restore", "--model", model, "--format", format], after.as_bytes());
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

fn gzip(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(bytes.as_ref()).unwrap();
    gz.finish().unwrap()
}

/// Returns a subtitle with one cue.
fn cue(text: &str) -> String {
    format!("1\n00:00:01,000 --> 00:00:02,000\n{text}\n")
}

#[test]
fn texts_keep_their_names_in_another_folder() {
    let room = Room::new();
    fs::create_dir_all(room.path("talks/old")).unwrap();
    room.write("talks/a.srt", cue("in lisbon"))
        .write("talks/old/a.srt", cue("the bbc"))
        .write("talks/x.png", "bbc");
    room.write("talks/.b.txt", "bbc").write("b.txt", "bbc\n");
    room.write("talks/c.txt.gz", gzip("the bbc\n"));
    #[cfg(not(feature = "compression"))]
    room.write("talks/c.txt", "the bbc\n");
    assert_eq!(room.restored("talks b.txt -o new/texts/", ""), "");
    assert_eq!(room.read("new/texts/a.srt"), cue("in Lisbon"));
    assert_eq!(room.read("new/texts/old/a.srt"), cue("the BBC"));
    assert_eq!(
        (room.read("new/texts/b.txt"), room.read("new/texts/c.txt")),
        ("BBC\n".into(), "the BBC\n".into())
    );
    assert_eq!(fs::read_dir(room.path("new/texts")).unwrap().count(), 4);
    // The name of an existing folder needs no slash at its end.
    assert_eq!(room.restored("b.txt -o talks", ""), "");
    assert_eq!(room.read("talks/b.txt"), "BBC\n");
    assert_eq!(room.restored("--format srt talks -o one", ""), "");
    assert_eq!(fs::read_dir(room.path("one")).unwrap().count(), 2);

    let restore = |line: &str, code, parts: &[&str]| {
        room.fails(&format!("restore --model model {line}"), b"bbc", code, parts)
    };
    restore("talks", 2, &["nowhere to go", "--in-place", "-o"]);
    restore("talks -o talks", 2, &["talks/a.srt is both input and output", "--in-place"]);
    restore("b.txt talks/b.txt -o new/", 2, &["new/b.txt would be written twice"]);
    restore("- -o new/", 2, &["standard input has no name"]);
    fs::create_dir(room.path("none")).unwrap();
    restore("none -o new", 1, &["none: is a folder, but "]);
    // If one file fails, the others are still processed.
    room.write("talks/a.srt", "so\n");
    restore("talks -o some", 1, &["talks/a.srt, line 1, column 1: found"]);
    assert!(!room.path("some/a.srt").exists());
    assert_eq!(room.read("some/old/a.srt"), cue("the BBC"));
}

#[test]
fn a_text_restored_in_place_is_never_lost() {
    let room = Room::new();
    room.write("a.srt", cue("in lisbon")).write("b.txt", "BBC Lisbon us\n").write("bad.srt", "so\n");
    let model = "restore --model model";
    room.fails(&format!("{model} --in-place=.bak a.srt bad.srt b.txt"), b"", 1, &["bad.srt, line 1"]);
    assert_eq!((room.read("a.srt"), room.read("a.srt.bak")), (cue("in Lisbon"), cue("in lisbon")));
    assert_eq!((room.read("bad.srt"), room.read("b.txt")), ("so\n".into(), "BBC Lisbon us\n".into()));
    // A file that does not change has no backup, and no other file is left.
    assert_eq!(room.names(), ["a.srt", "a.srt.bak", "b.txt", "bad.srt"]);
    assert_eq!(room.restored("--in-place=.bak a.srt", ""), "");
    // A run that was stopped after it made the backup can be repeated; a
    // different backup is not replaced.
    room.write("a.srt", cue("in lisbon"));
    assert_eq!(room.restored("--in-place=.bak a.srt", ""), "");
    assert_eq!(room.read("a.srt"), cue("in Lisbon"));
    room.write("a.srt", cue("the bbc"));
    room.fails(&format!("{model} --in-place=.bak a.srt"), b"", 1, &["a.srt.bak: stands there already"]);
    assert_eq!((room.read("a.srt"), room.read("a.srt.bak")), (cue("the bbc"), cue("in lisbon")));
    fs::remove_file(room.path("bad.srt")).unwrap();
    let manifest = room.read("model/majuscule.json");
    assert_eq!(room.restored("--in-place .", ""), "");
    assert_eq!(room.read("model/majuscule.json"), manifest);
    assert_eq!(room.read("a.srt"), cue("the BBC"));
    assert_eq!(room.names(), ["a.srt", "a.srt.bak", "b.txt"]);
    {
        room.write("c.txt.gz", gzip("the bbc\n"));
        room.fails(&format!("{model} --in-place c.txt.gz"), b"", 1, &["is compressed"]);
    }
    for (line, code, part) in [
        ("--in-place", 2, "name them"),
        ("--in-place -", 2, "name them"),
        ("--in-place=a/b a.srt", 2, "expected an ending"),
        ("--in-place=.old.srt a.srt", 2, "name another ending"),
        ("a.srt -o b.srt.gz", 2, "name b.srt"),
        ("--in-place a.srt -o c.srt", 2, "--output"),
        ("--in-place --stream b.txt", 2, "--stream"),
        ("--in-place gone.srt", 1, "gone.srt"),
        ("--in-place .bak a.srt", 2, "write --in-place=.bak"),
        ("--in-place a.srt ~", 2, "write --in-place=~"),
    ] {
        room.fails(&format!("{model} {line}"), b"bbc", code, &[part]);
    }
    // Nothing is written if the extension of the backup was given as a file.
    room.write("a.srt", cue("the bbc"));
    room.fails(&format!("{model} --in-place a.srt .bak"), b"", 2, &["or ./.bak where it is a text"]);
    assert_eq!(room.read("a.srt"), cue("the bbc"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("a.srt", room.path("link.srt")).unwrap();
        assert_eq!(room.restored("--in-place=.old link.srt", ""), "");
        assert!(room.path("link.srt").is_symlink());
        assert_eq!((room.read("a.srt"), room.read("a.srt.old")), (cue("the BBC"), cue("the bbc")));
    }
}

#[test]
fn what_would_change_is_shown() {
    let room = Room::new();
    room.write("a.txt", "x\nin lisbon\n").write("b.txt", "in Lisbon").write("c.txt", "in the bbc");
    let changes = "--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n x\n-in lisbon\n+in Lisbon\n\
                   --- c.txt\n+++ c.txt\n@@ -1,1 +1,1 @@\n-in the bbc\n\\ No newline at end of file\n+in the BBC\n\
                   \\ No newline at end of file\n";
    assert_eq!(room.restored("--diff a.txt b.txt c.txt", ""), changes);
    let output = room.run("restore --model model --check a.txt b.txt c.txt", b"");
    assert_eq!(
        (output.status.code(), String::from_utf8(output.stdout).unwrap()),
        (Some(1), changes.to_owned())
    );
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "majuscule: 2 of 3 would change\n");
    assert_eq!(room.restored("--check b.txt", ""), "");
    room.write("a b.txt", "in lisbon\n");
    let spaced = run(room.0.path(), &["restore", "--model", "model", "--diff", "a b.txt"], b"");
    assert!(spaced.stdout.starts_with(b"--- a b.txt\t\n+++ a b.txt\t\n"));
    assert_eq!(room.restored("--diff", "the bbc\n"), "--- -\n+++ -\n@@ -1,1 +1,1 @@\n-the bbc\n+the BBC\n");
    assert_eq!(room.read("a.txt"), "x\nin lisbon\n");
    room.fails("restore --model model --check b.txt gone.txt", b"", 1, &["gone.txt"]);
}

#[test]
fn texts_keep_their_encoding() {
    let room = Room::new();
    room.write("old.txt", b"s\xe3o tom\xe9 \x81\r\n\xff");
    room.fails("restore --model model old.txt", b"", 1, &["old.txt, line 1, column 2", "--encoding"]);
    let restored = |line: &str, input: &[u8]| room.out(&format!("restore --model model {line}"), input);
    {
        assert_eq!(restored("--encoding windows-1252 old.txt", b""), b"S\xe3o Tom\xe9 \x81\r\n\xff");
        let diff = restored("--encoding windows-1252 --diff old.txt", b"");
        assert!(String::from_utf8(diff).unwrap().contains("\n-são tomé \u{81}\r\n+São Tomé \u{81}\r\n ÿ\n"));
        room.fails(
            "restore --model model --encoding windows-1253",
            b"a\n \xd2",
            1,
            &["line 2, column 2", "found 0xd2"],
        );
        assert_eq!(restored("--encoding windows-1253 --lossy", b"bbc \xd2 bbc"), b"BBC \xd2 BBC");
        // A file in UTF-8 is read as UTF-8, and a file has only one encoding.
        room.write("texts.txt", "são tomé\n").write("mixed.txt", b"s\xc3\xa3o\ntom\xe9\n");
        let output = room
            .run("restore --model model --encoding windows-1252 --in-place old.txt texts.txt mixed.txt", b"");
        assert_eq!(fs::read(room.path("old.txt")).unwrap(), b"S\xe3o Tom\xe9 \x81\r\n\xff");
        assert_eq!(room.read("texts.txt"), "São Tomé\n");
        assert_eq!(fs::read(room.path("mixed.txt")).unwrap(), b"s\xc3\xa3o\ntom\xe9\n");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("texts.txt: read as UTF-8, which it is, and not as windows-1252\n"), "{said}");
        assert!(said.contains("mixed.txt, line 2, column 4: found 0xe9, which is not UTF-8"), "{said}");
        // A byte-order mark wins over the option.
        assert_eq!(
            restored("--encoding windows-1252", "\u{feff}são tomé".as_bytes()),
            "\u{feff}São Tomé".as_bytes()
        );
    }
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    assert_eq!(restored("", &wide("\u{feff}são tomé\n")), wide("\u{feff}São Tomé\n"));
    assert_eq!(restored("--stream --encoding utf-16be", &wide("são tomé\n")), wide("São Tomé\n"));
    room.write("wide.txt", wide("\u{feff}the bbc"));
    assert_eq!(room.restored("--in-place wide.txt", ""), "");
    assert_eq!(fs::read(room.path("wide.txt")).unwrap(), wide("\u{feff}the BBC"));
    let odd = [wide("\u{feff}bbc "), vec![0xd8, 0, 0, b'a', 0]].concat();
    room.fails("restore --model model", &odd, 1, &["standard input, line 1, column 6", "0xd8 0x00"]);
    assert_eq!(restored("--lossy", &odd), [wide("\u{feff}BBC "), vec![0xd8, 0, 0, b'a', 0]].concat());
    room.fails("restore --model model", &[0xff, 0xfe, 0, 0, b'a', 0, 0, 0], 1, &["UTF-32"]);
    room.fails(
        "restore --model model --encoding klingon",
        b"",
        2,
        &["klingon", "windows-1250 to windows-1258"],
    );
    room.fails("restore --model model --encoding iso-2022-jp", b"", 2, &["ISO-2022-JP is not read"]);
    // The second byte of a double-byte code may be that of an ASCII letter.
    for (name, text) in [
        ("shift_jis", &b"\x93\xfa the bbc \r\n\x83a\x83A bbc"[..]),
        ("gbk", b"\xc8\xd5 the bbc \r\n\x81a\x81A bbc"),
        ("gb18030", b"\xc8\xd5 the bbc \r\n\x81\x30\x81\x30 bbc"),
        ("big5", b"\xa4\xe9 the bbc \r\n\xa4a\xa4A bbc"),
        ("euc-jp", b"\xc6\xfc the bbc \r\n\x8e\xb1 bbc"),
        ("euc-kr", b"\xec\xed the bbc \r\n\x81a\x81A bbc"),
    ] {
        let capital = |word: &[u8]| if word[0] == b'b' { word.to_ascii_uppercase() } else { word.to_vec() };
        let expected: Vec<u8> = text.split_inclusive(|&b| b == b' ').flat_map(capital).collect();
        for line in ["", "--stream", "--lossy"] {
            let found = restored(&format!("--encoding {name} {line}"), text);
            assert_eq!(
                found.escape_ascii().to_string(),
                expected.escape_ascii().to_string(),
                "{name} {line}"
            );
        }
    }
    room.fails(
        "restore --model model --encoding shift_jis",
        b"bbc\n \x82\xa0\x81",
        1,
        &["standard input, line 2, column 3: found 0x81, which is no character of Shift_JIS"],
    );
    // The encoding lacks the capital.
    let small = b"bbc\n\xa8\xa6t\xa8\xa6 bbc";
    room.fails(
        "restore --model model --encoding gbk --sentence-start always",
        small,
        1,
        &[
            "standard input, line 2, column 1: found a letter whose other case, 'É', has no code in GBK",
            "with --lossy",
        ],
    );
    assert_eq!(
        restored("--encoding gbk --sentence-start always --lossy", small),
        b"BBC\n\xa8\xa6t\xa8\xa6 BBC"
    );
    assert_eq!(restored("--encoding shift_jis --lossy", b"\x82\xa0 bbc \x81"), b"\x82\xa0 BBC \x81");
}

#[test]
fn many_texts_end_with_a_summary() {
    let room = Room::new();
    room.write("a.txt", "the bbc\n")
        .write("b.txt", "BBC\n")
        .write("c.txt", b"\xff")
        .write("d.txt", "in lisbon");
    let said = |line: &str| {
        String::from_utf8(room.run(&format!("restore --model model {line}"), b"").stderr).unwrap()
    };
    assert!(said("--in-place . gone.txt").ends_with("\nmajuscule: 2 changed, 1 as it was, 2 failed\n"));
    assert_eq!(said("a.txt b.txt d.txt -o new/"), "majuscule: 0 changed, 3 as they were, 0 failed\n");
    assert_eq!(said("--in-place a.txt"), "");
    assert_eq!(said("--quiet a.txt b.txt -o new/ --force"), "");
    room.write("a.txt", "the bbc\n");
    assert_eq!(said("-q --check a.txt b.txt"), "");
    assert!(said("--quiet --in-place a.txt c.txt").starts_with("majuscule: c.txt, line 1"));
}

#[test]
#[cfg(target_os = "linux")]
fn messages_that_nobody_reads_do_not_end_the_work() {
    let room = Room::new();
    let closed = || Stdio::from(std::io::pipe().unwrap().1);
    let full = || Stdio::from(fs::File::options().write(true).open("/dev/full").unwrap());
    for stderr in [closed(), full()] {
        room.write("a.txt", "the bbc\n").write("b.txt", b"\xff").write("c.txt", "in lisbon\n");
        let mut command = program();
        command.args(["restore", "--model", "model", "--in-place", "a.txt", "b.txt", "c.txt"]);
        let status = command.current_dir(room.0.path()).stderr(stderr).status().unwrap();
        assert_eq!(status.code(), Some(1));
        assert_eq!((room.read("a.txt"), room.read("c.txt")), ("the BBC\n".into(), "in Lisbon\n".into()));
    }
    for (args, code) in
        [(&["restore", "--nothing"][..], 2), (&["train", "majority", "c.txt", "-o", "new"], 0)]
    {
        for stderr in [closed(), full()] {
            let mut command = program();
            command.args(args).args(["--force"].iter().filter(|_| code == 0)).current_dir(room.0.path());
            assert_eq!(command.stderr(stderr).status().unwrap().code(), Some(code));
        }
    }
    // Standard output is the data: a write that fails is an error, except on a closed pipe.
    for (stdout, code) in [(closed(), 0), (full(), 1)] {
        let mut command = program();
        command.args(["restore", "--model", "model", "c.txt"]).current_dir(room.0.path());
        assert_eq!(command.stdout(stdout).stderr(full()).status().unwrap().code(), Some(code));
    }
}

#[test]
#[cfg(unix)]
fn a_name_never_forges_a_patch_and_never_reaches_the_terminal_raw() {
    let room = Room::new();
    let forged = "a\n+++ victim\n@@ -1,1 +1,1 @@\n-b\n+c\n.txt";
    room.write(forged, "the bbc\n").write("\u{1b}[2J.txt", b"\xff").write("\u{9b}2J\n.json", b"{");
    let run = |args: &[&str]| run(room.0.path(), args, b"");
    let diff = run(&["restore", "--model", "model", "--diff", forged]);
    let name = r#""a\n+++ victim\n@@ -1,1 +1,1 @@\n-b\n+c\n.txt""#;
    assert_eq!(
        String::from_utf8(diff.stdout).unwrap(),
        format!("--- {name}\n+++ {name}\n@@ -1,1 +1,1 @@\n-the bbc\n+the BBC\n")
    );
    // The first format had no checksum.
    let mut manifest: serde_json::Value = serde_json::from_str(&room.read("model/majuscule.json")).unwrap();
    manifest.as_object_mut().unwrap().remove("checksum");
    manifest["format"] = 1.into();
    manifest["language"] = "en\u{1b}[31m\nfile        all whole".into();
    room.write("model/majuscule.json", manifest.to_string());
    for args in [
        &["restore", "--model", "model", "--in-place", "."][..],
        &["restore", "--\u{1b}[31m"],
        &["restore", "--model", "\u{1b}[31m"],
        &["restore", "--in-place=\u{1b}/", "."],
        &["evaluate", "\u{1b}[2J.txt"],
        &["inspect", "model"],
        &["restore", "--model", "model", "--lang", "pt"],
    ] {
        let output = run(args);
        for text in [output.stdout, output.stderr] {
            let text = String::from_utf8(text).unwrap();
            assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
            assert!(!text.contains("\nfile        all whole"), "{text:?}");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_pipe_or_a_device_is_no_file_of_a_model() {
    let room = Room::new();
    let make = |name: &str| {
        let _ = fs::remove_file(room.path(name));
        assert!(Command::new("mkfifo").arg(room.path(name)).status().unwrap().success());
    };
    make("model/words.bin");
    room.fails("restore --model model", b"bbc", 1, &["words.bin: is no regular file"]);
    make("model/majuscule.json");
    room.fails("restore --model model", b"bbc", 1, &["majuscule.json: is no regular file"]);
    make("pipe");
    room.fails("restore --model pipe", b"bbc", 1, &["pipe: is no regular file"]);
    fs::remove_file(room.path("model/majuscule.json")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", room.path("model/majuscule.json")).unwrap();
    room.fails("inspect model", b"", 1, &["majuscule.json: is no regular file"]);
}

#[test]
#[cfg(unix)]
fn a_model_is_replaced_under_its_readers_and_by_two_at_once() {
    let room = Room::new();
    room.write("a.txt", "We met in Lisbon.\n".repeat(3)).write("b.txt", "They met in Porto, in the US.\n");
    let train = |file: &str| room.run(&format!("train majority {file} -o new --force"), b"");
    assert!(train("a.txt").status.success());
    let is_done = std::sync::atomic::AtomicBool::new(false);
    thread::scope(|scope| {
        let trainers = ["a.txt", "b.txt"].map(|file| {
            scope.spawn(move || {
                for _ in 0..10 {
                    let output = train(file);
                    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                }
            })
        });
        let reader = scope.spawn(|| {
            let mut opened = 0;
            while opened < 3 || !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                let model = majuscule::model::open(room.path("new")).unwrap();
                model.check().unwrap();
                opened += 1;
            }
        });
        for trainer in trainers {
            trainer.join().unwrap();
        }
        is_done.store(true, std::sync::atomic::Ordering::Relaxed);
        reader.join().unwrap();
    });
    assert_eq!(room.names(), ["a.txt", "b.txt", "new"]);
}

/// Returns true if the tests were started with this signal ignored, as in
/// the background of a script.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[test]
#[cfg(unix)]
fn a_run_that_is_ended_by_a_signal_leaves_nothing_behind() {
    use std::os::unix::process::ExitStatusExt;
    let room = Room::new();
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1), ("KILL", 9)] {
        // A signal that the parent process ignores stays ignored in the program.
        if number != 9 && is_ignored(number) {
            continue;
        }
        // The program has begun its output and waits for more input.
        let mut command = program();
        command.args(["restore", "--model", "model", "-o", "out.txt"]).current_dir(room.0.path());
        let mut child = spawn(&mut command);
        child.stdin.as_mut().unwrap().write_all(b"bbc\n").unwrap();
        let begun = Instant::now();
        while room.names().is_empty() && begun.elapsed() < Duration::from_secs(60) {
            thread::sleep(Duration::from_millis(2));
        }
        assert_eq!(room.names(), [".majuscule-0.tmp"]);
        let kill = Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap();
        assert!(kill.success());
        assert_eq!(child.wait().unwrap().signal(), Some(number));
        let left = if number == 9 { vec![".majuscule-0.tmp"] } else { Vec::new() };
        assert_eq!(room.names(), left, "{name}");
    }
    // The next run removes the temporary files of dead processes, and keeps those of living ones.
    fs::create_dir(room.path(".majuscule-7.tmp")).unwrap();
    room.write(".majuscule-7.tmp/words.bin", "half").write(".majuscule-x.tmp", "mine");
    let mut living = majuscule::files::Publish::new(room.path("other.txt")).unwrap();
    assert_eq!(room.restored("-o out.txt", "bbc"), "");
    assert_eq!(room.names(), [".majuscule-0.tmp", ".majuscule-x.tmp", "out.txt"]);
    living.write_all(b"whole").unwrap();
    living.commit().unwrap();
    assert_eq!(room.read("other.txt"), "whole");
}

#[test]
#[cfg(unix)]
fn a_link_out_of_a_folder_is_not_followed_in_place() {
    let room = Room::new();
    fs::create_dir(room.path("talks")).unwrap();
    room.write("mine.txt", "the bbc\n").write("talks/a.txt", "the bbc\n");
    std::os::unix::fs::symlink("../mine.txt", room.path("talks/b.txt")).unwrap();
    std::os::unix::fs::symlink("a.txt", room.path("talks/c.txt")).unwrap();
    room.fails(
        "restore --model model --in-place talks",
        b"",
        1,
        &["talks/b.txt: is a link that leads out of the folder", "name an output"],
    );
    assert_eq!((room.read("mine.txt"), room.read("talks/a.txt")), ("the bbc\n".into(), "the BBC\n".into()));
    assert_eq!(room.restored("--in-place talks/b.txt", ""), "");
    assert_eq!(room.read("mine.txt"), "the BBC\n");
}

#[test]
fn every_option_in_the_book_is_one_of_its_verb() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let top = package.ancestors().find(|folder| folder.join("docs/book").is_dir()).unwrap();
    let book = top.join("docs/book/src");
    let chapters = ["", "training"].map(|folder| fs::read_dir(book.join(folder)).unwrap());
    let files =
        chapters.into_iter().flatten().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let mut helps = std::collections::HashMap::new();
    let mut options = 0;
    for path in files.chain([top.join("README.md")]) {
        for (verb, option) in documented_options(&fs::read_to_string(&path).unwrap()) {
            let help = helps.entry(verb.clone()).or_insert_with(|| {
                let args: Vec<&str> = verb.split(' ').chain(["--help"]).collect();
                let output = run(top, &args, b"");
                assert!(output.status.success(), "{}: majuscule {verb}", path.display());
                String::from_utf8(output.stdout).unwrap()
            });
            let is_there = help.match_indices(&option).any(|(at, _)| {
                let next = help[at + option.len()..].chars().next();
                !next.is_some_and(|c| c.is_alphanumeric() || c == '-')
            });
            assert!(is_there, "{}: majuscule {verb} has no {option}", path.display());
            options += 1;
        }
    }
    assert!(options > 80, "only {options} options: this test reads the book wrong");
}

/// Returns the options in the commands of a document, each with its verb, and those of its tables,
/// which belong to `restore`. Methods and settings that the default build lacks are left out.
fn documented_options(text: &str) -> Vec<(String, String)> {
    const GROUPS: &[&str] = &["train", "lexicon", "lm", "maxent", "corpus", "fst", "experiment", "tagger"];
    const ELSEWHERE: &[&str] = &["bert", "bilstm", "cuda"];
    let mut found = Vec::new();
    for line in text.lines() {
        let command = line.strip_prefix("    ").and_then(|line| line.split_once("majuscule "));
        let cell = line.strip_prefix("| `-").map(|cell| format!("restore -{cell}"));
        let cell = cell.as_ref().map(|cell| cell.split(" | ").next().unwrap());
        let Some(words) = command.map(|(_, command)| command).or(cell) else { continue };
        let words = words.split(['#', '>']).next().unwrap().split(" | ").next().unwrap();
        let mut words = words.split_whitespace().map(|word| word.trim_matches(['`', ',', '(', ')']));
        let mut verb = words.next().unwrap_or_default().to_owned();
        if verb.starts_with('-') || verb.contains(['.', '/', ':']) {
            continue;
        }
        if GROUPS.contains(&&*verb) {
            verb = format!("{verb} {}", words.next().unwrap());
        }
        if ELSEWHERE.iter().any(|word| line.contains(word)) {
            continue;
        }
        let options = words.filter(|word| word.starts_with('-') && word.len() > 1);
        let names = options.map(|word| word.split(['=', '[', '`']).next().unwrap().to_owned());
        found.extend(names.map(|name| (verb.clone(), name)));
    }
    found
}
