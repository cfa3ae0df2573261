//! Help, the manual and completions, and the options that the book names.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;

use majuscule_base::named::NamedValue;
use majuscule_format::Format;
use majuscule_restore::models::LANGUAGES;

use crate::command::run_with_input;
use crate::room::Room;

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
        "lexicon show",
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
        assert!(print(page).starts_with("Common uses:\n  majuscule restore --marks talk.txt"), "{page}");
    }
    for verb in ["restore", "train", "train majority", "lexicon build", "lexicon merge", "tagger train"] {
        assert!(
            print(&format!("{verb} --help")).contains(&format!("Examples:\n  majuscule {verb}")),
            "{verb}"
        );
    }
    let [short, long] = ["restore -h", "restore --help"].map(print);
    for option in ["--marks", "--lang", "--stream"] {
        assert!(short.contains(option), "{option}");
    }
    let words = short.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&LANGUAGES.join(", ")), "the help of --lang lacks a language: {words}");
    for (_, format, _) in Format::VALUES {
        assert!(long.contains(&format!("- {format}:")), "{format}");
    }
    for option in ["--mark-threshold <", "--cascade <", "--precision <", "--input-limit <"] {
        assert!(!short.contains(option) && long.contains(option), "{option}");
    }
    for group in
        ["Input:", "Output:", "New cues:", "Capitals:", "Punctuation:", "Live text:", "Models:", "Computing:"]
    {
        assert!(long.contains(&format!("\n{group}\n")), "{group}");
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
                let output = run_with_input(top, &args, b"");
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

/// Returns the options in the commands of a document, each with its verb, and the options in its
/// tables, which belong to `restore`. Methods and settings that the default build lacks are left
/// out.
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
