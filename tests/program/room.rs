//! A folder of one test, with a small model in it, in which the program is run.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::LazyLock;

use tempfile::TempDir;

use crate::command::{program, run_with_input};

/// The training text of the model of these tests.
pub const CORPUS: &str = "The ministers met in Lisbon, said Anna McDonald of the BBC.\n\
                          In New York the WHO asked us who had read O'Neill in Lisbon.\n\
                          We flew to São Tomé as the BBC said and l’Europe.\n\
                          I saw Jean-Paul in the US with an iPhone, and I told us.\n";

/// A folder with a model trained once on that corpus.
pub static TRAINED: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("room");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("corpus.txt"), CORPUS).unwrap();
    let args = ["train", "majority", "corpus.txt", "-o", "model", "--pack", "model.packed", "--force"];
    let output = run_with_input(&folder, &args, b"");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder
});

/// A temporary folder of one test, with the model in it.
pub struct Room(TempDir);

impl Room {
    /// Makes the folder, with a copy of the model.
    pub fn new() -> Self {
        let room = Self(tempfile::tempdir_in(TRAINED.as_path()).unwrap());
        fs::create_dir(room.path("model")).unwrap();
        for file in fs::read_dir(TRAINED.join("model")).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), room.path("model").join(file.file_name())).unwrap();
        }
        room
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    /// Returns the path of an entry of the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        fs::write(self.path(name), bytes).unwrap();
        self
    }

    /// Returns the text of a file.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs the program in the folder with these bytes as standard input.
    pub fn run(&self, line: &str, input: &[u8]) -> Output {
        let args: Vec<&str> = line.split_whitespace().collect();
        run_with_input(self.0.path(), &args, input)
    }

    /// Returns the standard output of a command that must succeed.
    pub fn out(&self, line: &str, input: &[u8]) -> Vec<u8> {
        let output = self.run(line, input);
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    /// Returns the standard output of `restore` with the model, which must succeed.
    pub fn restored(&self, line: &str, input: &str) -> String {
        String::from_utf8(self.out(&format!("restore --model model {line}"), input.as_bytes())).unwrap()
    }

    /// Checks that a command fails with this code, and that its message contains all of
    /// these parts and no panic.
    pub fn fails(&self, line: &str, input: &[u8], code: i32, parts: &[&str]) {
        is_failure(line, self.run(line, input), code, parts);
    }

    /// The same without standard input, where all external models of English are, wherever the program
    /// was built.
    pub fn fails_beside_external_models(&self, line: &str, code: i32, parts: &[&str]) {
        fs::create_dir(self.path("external")).unwrap();
        for model in ["lm/en.ngram", "lm/networks/en.best"] {
            let model = Path::new(crate::ROOT).join(model);
            fs::copy(&model, self.path("external").join(model.file_name().unwrap())).unwrap();
        }
        is_failure(line, with_models(self, "external", line), code, parts);
    }

    /// Returns the names of the entries in the folder, without the model.
    pub fn names(&self) -> Vec<String> {
        let names =
            fs::read_dir(self.0.path()).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| name != "model").collect();
        names.sort();
        names
    }
}

/// Checks that a command failed with this code, and that its message contains all of these parts and no
/// panic.
fn is_failure(line: &str, output: Output, code: i32, parts: &[&str]) {
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{line}: {error}");
    for part in parts {
        assert!(error.contains(part), "{line}: {error:?} lacks {part:?}");
    }
    assert!(!error.contains("panicked") && !error.contains('\u{2}'), "{line}: {error:?}");
}

/// Makes a folder that also has `tagger`, a model of `hmm`, and `ends`, a model of `maxent` that
/// finds the ends of sentences.
pub fn room_with_context() -> Room {
    let room = Room::new();
    room.write("corpus.txt", CORPUS);
    for line in ["train hmm corpus.txt -o tagger", "train maxent --protocol asr corpus.txt -o ends"] {
        let output = room.run(line, b"");
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
    room
}

/// Runs the program with a folder of models, which lies in the room.
pub fn with_models(room: &Room, folder: &str, line: &str) -> Output {
    let mut command = program();
    command.current_dir(room.path("")).env("MAJUSCULE_MODELS", room.path(folder));
    command.args(line.split_whitespace()).stdin(Stdio::null()).output().unwrap()
}

/// Trains a model of the toy encoder for a short time.
#[cfg(feature = "neural")]
pub fn train_bert(room: &Room, line: &str) {
    room.out(&format!("{} {line}", TRAIN_BERT.as_str()), b"");
}

/// The command of that training, without a corpus and an output.
#[cfg(feature = "neural")]
pub static TRAIN_BERT: LazyLock<String> = LazyLock::new(|| {
    let encoder = Path::new(crate::ROOT).join("tests/data/toy-bert");
    let settings =
        "--epochs 30 --rate 0.003 --head-rate 0.01 --warm-up 3 --held-out 0 --decay --protocol rei";
    format!("train bert --encoder {} {settings}", encoder.display())
});

/// Returns bytes as a file of gzip.
pub fn gzip(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(bytes.as_ref()).unwrap();
    gz.finish().unwrap()
}

/// Returns a subtitle with one cue.
pub fn cue(text: &str) -> String {
    format!("1\n00:00:01,000 --> 00:00:02,000\n{text}\n")
}
