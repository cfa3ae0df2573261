//! Experiments as a user runs them: a recipe becomes a report, and no work is done twice.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

use crate::command::program;

const TRAIN: &str = "The ministers met in Lisbon, said Anna McDonald of the BBC.\n\
                     In New York the WHO asked us who had read O'Neill in Lisbon.\n\
                     We flew to Porto as the BBC said.\n\
                     I saw Anna in the US with an iPhone, and I told us.\n";
const TEST: &str =
    "We met Anna in Lisbon.\nThey say the BBC told us in Porto.\nWhen I read it, the WHO was in New York.\n";

const RECIPE: &str = r#"
title = "Two methods"
protocol = "rei"

[corpora.news]
files = ["news.txt"]

[[test]]
name = "held out"
files = ["test.txt"]

[[row]]
name = "most frequent form"
train = "majority"
corpus = "news"
published."held out" = { f = 0.5, ser = 0.6 }

[[row]]
name = "HMM"
train = "hmm --order 2"
corpus = "news"
"#;

struct Room(TempDir);

impl Room {
    fn new(recipe: &str) -> Self {
        let room = Self(tempfile::tempdir().unwrap());
        room.write("news.txt", TRAIN);
        room.write("test.txt", TEST);
        room.write("table.toml", recipe);
        room
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Output {
        program().args(arguments).current_dir(self.0.path()).output().unwrap()
    }

    /// Runs the recipe and returns its standard error.
    fn experiment(&self) -> String {
        let output = self.run(&["experiment", "run", "table.toml"]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{said}");
        said
    }

    /// Returns the exit code and the message of a run that fails.
    fn refusal(&self) -> (i32, String) {
        let output = self.run(&["experiment", "run", "table.toml"]);
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    }

    fn results(&self) -> Value {
        serde_json::from_slice(&fs::read(self.path("table/results.json")).unwrap()).unwrap()
    }
}

#[test]
fn a_recipe_gives_a_report() {
    let room = Room::new(RECIPE);
    room.experiment();
    let results = room.results();
    let rows = results["rows"].as_array().unwrap();
    let names: Vec<_> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["most frequent form", "HMM"]);
    for row in rows {
        let cell = &row["cells"][0];
        let correct = cell["figures"]["correct"].as_u64().unwrap();
        let missed = cell["figures"]["substitutions"].as_u64().unwrap()
            + cell["figures"]["deletions"].as_u64().unwrap();
        // The slots are Anna, Lisbon; BBC, Porto; I, WHO, New, York.
        assert_eq!(correct + missed, 8, "{row}");
        assert!(row["bytes"].as_u64().unwrap() > 0);
        assert!(row["training"]["wall_seconds"].as_f64().unwrap() > 0.0);
        assert!(cell["words_per_second"].as_f64().unwrap() > 0.0);
    }
    assert_eq!(results["tests"][0]["slots"], 8);
    let page = fs::read_to_string(room.path("table/report.html")).unwrap();
    let latex = fs::read_to_string(room.path("table/tables.tex")).unwrap();
    assert_eq!(latex.matches("\\begin{tabular}").count(), latex.matches("\\bottomrule").count());
    assert!(fs::read_to_string(room.path("table/figures.csv")).unwrap().starts_with("row,test,part,figure,"));
    let tables = fs::read_to_string(room.path("table/tables.md")).unwrap();
    for text in [page, tables] {
        assert!(text.contains("most frequent form") && text.contains("HMM"), "{text}");
    }
}

#[test]
fn parts_of_the_words_add_up_where_a_recipe_asks_for_them() {
    let room = Room::new(RECIPE);
    room.experiment();
    assert_eq!(room.results()["rows"][0]["cells"][0]["slices"], Value::Array(Vec::new()));
    room.write("table.toml", &format!("slices = true\n{RECIPE}"));
    room.experiment();
    let results = room.results();
    for row in results["rows"].as_array().unwrap() {
        let cell = &row["cells"][0];
        let slices = cell["slices"].as_array().unwrap();
        let count = |name: &str, figure: &str| {
            let slice = slices.iter().find(|slice| slice["name"] == name).unwrap();
            slice["figures"][figure].as_u64().unwrap()
        };
        for figure in ["tokens", "correct", "deletions", "insertions", "substitutions"] {
            let all = cell["figures"][figure].as_u64().unwrap();
            assert_eq!(
                count("first words of sentences", figure) + count("other words", figure),
                all,
                "{row}"
            );
            assert_eq!(
                count("words in the model", figure) + count("words not in the model", figure),
                all,
                "{row}"
            );
        }
        assert!(count("capitals throughout", "correct") <= cell["figures"]["correct"].as_u64().unwrap());
    }
    let tables = fs::read_to_string(room.path("table/tables.md")).unwrap();
    assert!(tables.contains("## Parts of the words") && tables.contains("| other words |"), "{tables}");
}

#[test]
fn a_row_takes_the_tests_that_it_names() {
    let recipe = RECIPE.replace("[[test]]", "[[test]]\nname = \"again\"\nfiles = [\"test.txt\"]\n\n[[test]]");
    let room = Room::new(&recipe.replacen("published", "tests = \"held out\"\npublished", 1));
    room.experiment();
    let results = room.results();
    let tested: Vec<Vec<bool>> = results["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["cells"].as_array().unwrap().iter().map(|cell| !cell.is_null()).collect())
        .collect();
    assert_eq!(tested, [[false, true], [true, true]]);
    let tables = fs::read_to_string(room.path("table/tables.md")).unwrap();
    assert!(tables.contains("## All tests\n\n### SER %\n\n|  | again | held out |\n"), "{tables}");
}

#[test]
fn what_was_done_is_not_done_again() {
    let room = Room::new(RECIPE);
    assert!(room.experiment().contains("training HMM"));
    let first = room.results();
    assert!(!room.experiment().contains("[1/"), "all was there");
    assert_eq!(room.results(), first);
    room.write("table.toml", &RECIPE.replace("--order 2", "--order 3"));
    let said = room.experiment();
    assert!(said.contains("training HMM") && !said.contains("training most frequent form"), "{said}");
}

#[test]
fn a_text_that_changed_is_learned_again() {
    let room = Room::new(RECIPE);
    room.experiment();
    room.write("news.txt", &(TRAIN.to_owned() + "They met in Porto.\n"));
    let said = room.experiment();
    assert!(said.contains("news.txt has changed: training most frequent form again"), "{said}");
    assert!(said.contains("testing HMM"), "{said}");
}

#[test]
fn what_is_done_before_an_error_is_kept() {
    let broken = RECIPE.replace("--order 2", "--lm none.lm");
    let room = Room::new(&broken);
    let (code, said) = room.refusal();
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("none.lm") && said.contains("finished jobs are kept"), "{said}");
    room.write("table.toml", RECIPE);
    let said = room.experiment();
    assert!(!said.contains("training most frequent form") && said.contains("training HMM"), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_is_killed_leaves_no_training_behind() {
    use std::time::{Duration, Instant};
    let room = Room::new(&RECIPE.replace("hmm --order 2", "maxent --epochs 1000000 --features word"));
    let mut run = program()
        .args(["experiment", "run", "table.toml"])
        .current_dir(room.0.path())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let trains = || {
        let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path()));
        let here = fs::canonicalize(room.0.path()).unwrap();
        let ours =
            processes.filter(|process| fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == here));
        let commands = ours.filter_map(|process| fs::read_to_string(process.join("cmdline")).ok());
        commands.filter(|command| command.contains("maxent")).count()
    };
    let wait = |count: usize| {
        let since = Instant::now();
        while trains() != count {
            assert!(since.elapsed() < Duration::from_secs(60), "{} processes train", trains());
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    wait(1);
    run.kill().unwrap();
    run.wait().unwrap();
    wait(0);
}

#[test]
fn a_recipe_that_cannot_be_is_refused_before_anything_is_trained() {
    let refused = |recipe: &str, words: &[&str]| {
        let room = Room::new(recipe);
        let (_, said) = room.refusal();
        for word in words {
            assert!(said.contains(word), "{word}: {said}");
        }
        assert!(!room.path("table").exists(), "{said}");
    };
    refused(
        &RECIPE.replace("corpus = \"news\"", "corpse = \"news\""),
        &["table.toml, line 15, column 1", "unknown field `corpse`"],
    );
    refused(&RECIPE.replace("hmm --order 2", "hnm"), &["training HMM", "hnm"]);
    refused(&RECIPE.replace("--order 2", "--ordre 2"), &["training HMM", "--ordre"]);
    refused(&RECIPE.replace("news.txt", "olds.txt"), &["cannot read", "olds.txt"]);
    refused(
        &RECIPE.replace("majority", "majority --pack=news.txt"),
        &["table.toml, line 14, column 9: found --pack=news.txt in a command"],
    );
    refused("", &["table.toml", "missing field `title`"]);
    refused("title = \"x", &["table.toml, line 1"]);
}

#[test]
fn rows_that_cannot_be_made_here_are_named() {
    let more = "
[[row]]
name = \"BERT\"
train = \"bert --encoder {encoder}\"
corpus = \"news\"
[[row]]
name = \"forever\"
train = \"majority\"
corpus = \"news\"
long = true
";
    let needs = RECIPE.replace("[corpora", "[needs]\nencoder = \"a BERT folder\"\n[corpora");
    let room = Room::new(&(needs + more));
    room.experiment();
    let results = room.results();
    let rows = results["left_out"].as_array().unwrap();
    let left_out: Vec<_> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(left_out, ["BERT", "forever"]);
    assert_eq!(rows[1]["why"], "it takes long: include it with --long");
    assert_eq!(results["rows"].as_array().unwrap().len(), 2);
}

#[test]
fn what_a_recipe_needs_may_be_a_file_or_a_folder() {
    let rows = "
[[row]]
name = \"with a list\"
train = \"maxent --list {names}\"
corpus = \"news\"
[[row]]
name = \"with a list in a folder\"
train = \"maxent --list {lists}/names.txt\"
corpus = \"news\"
";
    let needs = "[needs]\nnames = \"a list\"\nlists = \"a folder of lists\"\n[corpora";
    let room = Room::new(&(RECIPE.replace("[corpora", needs) + rows));
    fs::create_dir(room.path("lists")).unwrap();
    room.write("lists/names.txt", "McDonald\n");
    let output = room.run(&[
        "experiment",
        "run",
        "table.toml",
        "--with",
        "names=lists/names.txt",
        "--with",
        "lists=lists",
    ]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    assert_eq!(room.results()["rows"].as_array().unwrap().len(), 4);
}

#[test]
fn sizes_are_rows_of_a_series() {
    let room = Room::new(&RECIPE.replace("train = \"majority\"\n", "train = \"majority\"\nsizes = [2, 4]\n"));
    room.experiment();
    let results = room.results();
    let rows = results["rows"].as_array().unwrap();
    let lines: Vec<_> =
        rows.iter().map(|row| (row["series"].as_str().unwrap(), row["lines"].as_u64())).collect();
    assert_eq!(lines, [("most frequent form", Some(2)), ("most frequent form", Some(4)), ("HMM", None)]);
    let command = rows[0]["commands"][0].as_str().unwrap();
    assert_eq!(command, "cat news.txt | head -n 2 > news-2.txt");
}

#[test]
fn one_text_is_enough() {
    let recipe = r#"
title = "My talks"
corpora.rest = { files = ["news.txt"], shuffled = true, skip = 1 }
corpora.held = { files = ["news.txt"], shuffled = true, lines = 1 }
test = [{ name = "held out", corpus = "held" }]
row = [
  { name = "most frequent form", train = "majority", corpus = "rest" },
  { name = "HMM", train = "hmm", corpus = "rest" },
]
"#;
    let room = Room::new(recipe);
    room.experiment();
    let results = room.results();
    assert_eq!(results["tests"][0]["examples"], 1);
    let commands = &results["rows"][0]["commands"];
    assert_eq!(commands[0], "majuscule corpus shuffle news.txt | tail -n +2 > rest.txt");
    assert_eq!(commands[1], "majuscule corpus shuffle news.txt | head -n 1 > held.txt");
}

#[test]
fn headings_of_a_text_are_left_out() {
    let recipe = |lines: usize| {
        format!(
            "title = \"Talks\"\ncorpora.talks = {{ files = [\"talks.txt\"], headings = \"# \", lines = {lines} }}\n\
             test = [{{ name = \"talks\", corpus = \"talks\" }}]\n\
             row = [{{ name = \"most frequent form\", train = \"majority\", corpus = \"talks\" }}]\n"
        )
    };
    let talks = "# talks/One\nWe met in Lisbon.\n\n# talks/Two\nThey left Lisbon. #1\n";
    let room = Room::new(&recipe(2));
    room.write("talks.txt", talks);
    room.experiment();
    let results = room.results();
    assert_eq!(results["tests"][0]["examples"], 2);
    assert_eq!(results["rows"][0]["commands"][0], "cat talks.txt | grep -v '^# ' | head -n 2 > talks.txt");
    let room = Room::new(&recipe(3));
    room.write("talks.txt", talks);
    let (_, told) = room.refusal();
    assert!(told.contains("holds 2 lines after the first 0, but the recipe needs 3"), "{told}");
}

#[test]
fn a_test_text_that_is_part_of_the_training_text_is_told_before_anything_is_trained() {
    let leaks = r#"
title = "Learned by heart"
corpora.all = { files = ["news.txt"] }
corpora.some = { files = ["news.txt"], lines = 2 }
test = [{ name = "own", corpus = "some" }, { name = "again", corpus = "some" }, { name = "new", files = ["test.txt"] }]
row = [{ name = "most frequent form", train = "majority", corpus = "all" }]
"#;
    let room = Room::new(leaks);
    let said = room.experiment();
    // "The ministers ... BBC" has 11 words and 4 n-grams; "In New York ... Lisbon"
    // has 13 words and 6 n-grams.
    let warning = "warning: 100.00 % of the 8-grams of the test \"own\", \"again\" (10 of 10, in 2 of 2 sentences) occur in the training \
                   text \"all\": figures on it are better than on a new text (listed by: majuscule corpus overlap ";
    let at = said.find(warning).unwrap_or_else(|| panic!("{said}"));
    assert!(at < said.find("training most frequent form").unwrap(), "{said}");
    assert_eq!(said.matches("warning").count(), 1, "{said}");
    let overlaps = room.results()["overlaps"].clone();
    assert_eq!(overlaps[0]["tests"], serde_json::json!(["own", "again"]));
    assert_eq!((&overlaps[1]["tests"][0], &overlaps[1]["shared_ngrams"]), (&"new".into(), &0.into()));
    let tables = fs::read_to_string(room.path("table/tables.md")).unwrap();
    assert!(tables.contains("| new | all | 4 | 0 | 0.00 | 2 | 0 |"), "{tables}");
    // The warning is repeated, though the search is not.
    let again = room.experiment();
    assert!(again.contains("warning: 100.00 %") && !again.contains("searching"), "{again}");
    let clean = Room::new(RECIPE);
    assert!(!clean.experiment().contains("warning"));
    assert_eq!(clean.results()["overlaps"][0]["shared_ngrams"], 0);
}

#[test]
fn what_adapted_rows_and_steps_learn_from_is_searched_too() {
    let recipe = r#"
title = "Steps"
corpora.first = { files = ["news.txt"] }
corpora.second = { files = ["test.txt"] }
corpora.third = { files = ["more.txt"] }
step = [{ name = "model", command = "lm train --order 2", corpus = "third" }]
test = [{ name = "new", files = ["test.txt"] }]
row = [
  { name = "HMM", train = "hmm --lm {model}", corpus = "first" },
  { name = "most frequent form", train = "majority", corpus = "first", sizes = [1, 2] },
  { name = "adapted", adapt = "most frequent form", corpus = "second" },
]
"#;
    let room = Room::new(recipe);
    room.write("more.txt", TRAIN);
    let commands =
        String::from_utf8(room.run(&["experiment", "run", "table.toml", "--dry-run"]).stdout).unwrap();
    let searched = commands
        .lines()
        .filter_map(|line| line.strip_prefix("majuscule corpus overlap --json --top 0 --lang en "));
    let expected = [
        "more.txt --test test.txt",
        "news.txt --test test.txt",
        "first-2.txt --test test.txt",
        "test.txt --test test.txt",
    ];
    assert_eq!(searched.collect::<Vec<_>>(), expected, "{commands}");
}

#[test]
fn a_report_is_made_again_from_its_results() {
    let room = Room::new(RECIPE);
    room.experiment();
    let page = fs::read(room.path("table/report.html")).unwrap();
    fs::remove_file(room.path("table/report.html")).unwrap();
    assert!(room.run(&["experiment", "report", "table"]).status.success());
    assert_eq!(fs::read(room.path("table/report.html")).unwrap(), page);
    room.write("table/results.json", "{");
    let output = room.run(&["experiment", "report", "table"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("results.json: is not the result of an experiment"), "{said}");
}

#[test]
fn every_recipe_inside_is_listed_and_shown() {
    let room = Room::new(RECIPE);
    let list = String::from_utf8(room.run(&["experiment", "list"]).stdout).unwrap();
    let names: Vec<&str> = list
        .lines()
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert!(names.len() > 14 && names.contains(&"small"), "{list}");
    for name in names {
        let shown = String::from_utf8(room.run(&["experiment", "show", name]).stdout).unwrap();
        assert!(shown.starts_with("title = "), "{name}: {shown}");
    }
    let output = room.run(&["experiment", "show", "nothing"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_folder_of_something_else_is_left_alone() {
    let room = Room::new(RECIPE);
    fs::create_dir(room.path("table")).unwrap();
    room.write("table/letter.txt", "Dear Anna");
    let (code, said) = room.refusal();
    assert_eq!(code, 2);
    assert!(said.contains("table contains files that are not of a report"), "{said}");
}

#[test]
fn a_recipe_names_no_output_in_any_spelling() {
    for option in ["--pack=news.txt", "--pa=news.txt", "-onews.txt", "--usage=news.txt", "@news.txt"] {
        let room = Room::new(&RECIPE.replace("majority", &format!("majority {option}")));
        assert_ne!(room.refusal().0, 0, "{option}");
        assert_eq!(fs::read_to_string(room.path("news.txt")).unwrap(), TRAIN, "{option}");
    }
}

#[test]
fn the_texts_of_the_small_recipe_are_inside_the_program() {
    let room = Room::new(&RECIPE.replace("news.txt", "examples/small/train.txt"));
    let output = room.run(&["experiment", "run", "small", "--dry-run"]);
    let commands = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && commands.contains("examples/small/train.txt"), "{commands}");
    assert!(!room.path("small").exists(), "a dry run writes nothing");
    room.experiment();
    assert_eq!(room.results()["rows"].as_array().unwrap().len(), 2);
    // The user's own file comes before the built-in one.
    fs::create_dir_all(room.path("examples/small")).unwrap();
    room.write("examples/small/train.txt", TRAIN);
    assert!(room.experiment().contains("examples/small/train.txt has changed"));
}

#[test]
fn two_runs_do_not_share_a_cache() {
    let room = Room::new(RECIPE);
    fs::create_dir_all(room.path("table/cache")).unwrap();
    let held = fs::File::create(room.path("table/cache/lock")).unwrap();
    held.lock().unwrap();
    let (code, said) = room.refusal();
    assert_eq!(code, 1);
    assert!(said.contains("another experiment is using this cache: wait until it is done"), "{said}");
    held.unlock().unwrap();
    room.experiment();
}

#[test]
fn a_row_needs_the_jobs_that_it_reads_and_no_others() {
    let room = Room::new(RECIPE);
    room.experiment();
    let requests: Value =
        serde_json::from_slice(&fs::read(room.path("table/cache/requests.json")).unwrap()).unwrap();
    let majority = fs::read_dir(room.path("table/cache")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut keys = majority.map(|name| name.into_string().unwrap()).filter(|name| name.len() == 16);
    let trained = |key: &String| {
        let done = fs::read_to_string(room.path("table/cache").join(key).join("done")).unwrap();
        done.starts_with("train majority")
    };
    let key = keys.find(trained).unwrap();
    assert!(requests.as_object().unwrap().len() >= 4);
    // An option of another row has this key as its value; the row needs no model of that name.
    room.write("table.toml", &(RECIPE.to_owned() + &format!("evaluate = \"--column {key}\"\n")));
    room.experiment();
    let results = room.results();
    let commands = results["rows"][1]["commands"].as_array().unwrap();
    assert!(commands.iter().any(|command| command.as_str().unwrap().contains(&key)), "{commands:?}");
    assert!(
        commands.iter().all(|command| !command.as_str().unwrap().contains("train majority")),
        "{commands:?}"
    );
}

#[test]
fn a_recipe_for_ones_own_texts_runs_as_it_is_written() {
    let room = Room::new(RECIPE);
    room.write("long.txt", &TRAIN.repeat(60));
    room.write("talk.srt", "1\n00:00:01,000 --> 00:00:02,000\nWe met Anna in Lisbon\n");
    let new =
        ["experiment", "new", "my.toml", "--train", "long.txt", "--test", "test.txt", "--test", "talk.srt"];
    let output = room.run(&new);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("24 lines are held out") && said.contains("talk.srt: protocol asr"), "{said}");
    let output = room.run(&["experiment", "run", "my.toml"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tables = fs::read_to_string(room.path("my/tables.md")).unwrap();
    for text in ["## held out", "## talk.srt", "| hidden Markov model |", "## What was run", "| 0.25 |"] {
        assert!(tables.contains(text), "{text}: {tables}");
    }
    // A recipe that is there is not replaced.
    assert!(!room.run(&new).status.success());
}
