//! `restore` on pipes, terminals and live text: when each answer comes, and how much memory it takes.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
#[cfg(target_os = "linux")]
use std::process::Command;
use std::process::{Child, ChildStdin};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::command::{program, spawn};
use crate::room::{Room, TRAINED, cue, room_with_context};
use crate::toy_network;

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
        let mut child = spawn(program().args(line.split_whitespace()).current_dir(room.folder()));
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
fn settings_of_streams_and_doubt_that_cannot_be_are_refused() {
    let room = Room::new();
    for (line, parts) in [
        ("--max-delay 100", ["--stream", "--max-delay"]),
        ("--stream --max-delay=-1", ["--max-delay", "-1"]),
        ("--stream --max-delay soon", ["--max-delay", "soon"]),
        ("--stream --look-ahead one", ["--look-ahead", "one"]),
        ("--stream --n-best 3", ["--stream", "--n-best"]),
        ("--stream --case auto", ["--case auto", "use --case ignore or keep"]),
        ("--json", ["--json", "words of --confidence or the updates of --stream"]),
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
        let mut child = spawn(program().args(line.split(' ')).current_dir(room.folder()));
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
    command.args(["-qec", &line, "/dev/null"]).current_dir(room.folder());
    let mut child = spawn(&mut command);
    let lines = lines(child.stdout.take().unwrap());
    let hint = lines.recv_timeout(Duration::from_secs(60)).expect("a hint");
    assert!(hint.contains("Ctrl-D"), "{hint}");
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Returns the memory of a process in kB, without the pages of files that are mapped: they contain the program, so
/// they grow with its features, and a busy system evicts some, so the peak of both is meaningless.
#[cfg(target_os = "linux")]
fn anonymous_memory(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("RssAnon:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn memory_stays_flat_on_a_line_without_end() {
    const LENGTH: usize = 16_000_000;
    let room = Room::new();
    room.write("words.txt", "New York City\nBBC News\n").write("network", toy_network::cnn_bilstm().pack());
    for (unit, options) in [
        ("we met the bbc in new york ", "--words words.txt --lang en --preset fast"),
        ("we met the bbc in new york ", "--model network --threads 1"),
        ("WE MET THE BBC", "--model model --threads 1"),
        ("\u{301}", "--model model"),
        ("\0", "--model model"),
        ("<b", "--model model"),
        ("\u{e9}", "--model model --lossy"),
    ] {
        let args = ["restore"].into_iter().chain(options.split_whitespace());
        let mut child = spawn(program().args(args).current_dir(room.folder()));
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
        let length = blocks * (1_000_000 / unit.len()) * unit.len();
        let mut buffer = vec![0; 1 << 16];
        let (mut read, mut peak) = (0, 0);
        let [early, late] = [length / 4, length - 2_000_000].map(|bytes| {
            while read < bytes {
                let more = stdout.read(&mut buffer).unwrap();
                assert!(more > 0, "the output ends early");
                read += more;
                peak = anonymous_memory(&child).max(peak);
            }
            peak
        });
        let rest = thread::spawn(move || std::io::copy(&mut stdout, &mut std::io::sink()));
        drop(feeder.join().unwrap().unwrap());
        read += rest.join().unwrap().unwrap() as usize;
        assert!(child.wait().unwrap().success());
        assert_eq!(read, length, "of {unit:?}");
        assert!(late < 20_000, "{late} kB for a line of {unit:?}");
        assert!(late < early + 4_000, "{early} kB, then {late} kB for a line of {unit:?}");
    }
}
