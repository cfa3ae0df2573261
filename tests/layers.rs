//! Two laws of the house, read off the source: modules are a list, not a web, and an outside crate stays at the door.

use std::fs;
use std::path::{Path, PathBuf};

/// Where each outside crate may be named: files or folders under `src/`. An empty list means anywhere.
const DOORS: &[(&str, &[&str])] = &[
    // rustfst's traits give its errors.
    ("anyhow", &["cli/", "main.rs", "search/wfst/"]),
    ("candle_core", &["methods/bert/"]),
    ("candle_nn", TESTS),
    ("candle_transformers", TESTS),
    // A derive under `cfg_attr(feature = "cli", …)` is not counted: a `Config` is also its own arguments.
    ("clap", &["cli/"]),
    ("clap_complete", &["cli/"]),
    ("clap_mangen", &["cli/"]),
    (
        "crc32fast",
        &[
            "experiment/plan.rs",
            "lm/",
            "methods/bert/train/checkpoint.rs",
            "methods/maxent/train/checkpoint.rs",
            "model/",
        ],
    ),
    ("encoding_rs", &["files/encoding.rs"]),
    ("flate2", &["files.rs"]),
    ("gemm", &["methods/bilstm/product.rs"]),
    ("indicatif", &["cli/"]),
    ("liblinear", &["methods/maxent/train/one_vs_rest.rs"]),
    ("liblzma", &["files.rs"]),
    ("maud", &["experiment/"]),
    ("memmap2", &["bytes/"]),
    ("ngrams", &["corpus/overlap.rs"]),
    ("plotters", &["experiment/plots/"]),
    ("rand_chacha", &["corpus/", "eval/", "methods/chance.rs"]),
    ("rayon", &["methods/bert/train/threads.rs"]),
    // A hash for maps in memory, and the derives and formats of every file: parts of the language, not strangers.
    ("rustc_hash", &[]),
    ("rustfst", &["search/wfst/"]),
    ("rustix", &["files.rs"]),
    ("ruzstd", &["files.rs"]),
    ("safetensors", &["methods/bert/weights.rs"]),
    ("serde", &[]),
    ("serde_json", &[]),
    ("signal_hook", &["cli/signals.rs"]),
    ("thiserror", &["error.rs"]),
    ("toml", &["experiment/"]),
    ("tokenizers", &["methods/bert/tokenize.rs"]),
    ("unicode_normalization", &["text/"]),
];

/// No file of the crate: tests alone, though they cannot be dev-dependencies.
const TESTS: &[&str] = &["(tests)"];

#[test]
fn a_module_uses_only_modules_above_it() {
    let modules = modules(&code(&read(&src().join("lib.rs"))));
    assert!(modules.len() > 1, "src/lib.rs names no modules: this test reads them wrong");
    let mut wrong = Vec::new();
    for file in files() {
        let Some(own) = modules.iter().position(|module| *module == file.module) else { continue };
        for used in file.uses() {
            match modules.iter().position(|module| *module == used) {
                Some(at) if at <= own => {}
                Some(_) => wrong.push(format!("{} uses {used}, which is not above it", file.name)),
                None => wrong.push(format!(
                    "{} uses crate::{used}, which is no module of src/lib.rs: name the module that it comes from",
                    file.name
                )),
            }
        }
    }
    assert_none(wrong);
}

#[test]
fn an_outside_crate_is_named_only_at_its_door() {
    let mut wrong = Vec::new();
    for file in files() {
        for (stranger, doors) in DOORS {
            let inside = doors.is_empty() || doors.iter().any(|door| file.path.starts_with(door));
            if !inside && file.names_crate(stranger) {
                let doors: Vec<_> = doors.iter().map(|door| format!("src/{door}")).collect();
                let doors = doors.join(" and ");
                wrong.push(format!("{} names {stranger}, which may be named only in {doors}", file.name));
            }
        }
    }
    assert_none(wrong);
}

#[test]
fn every_outside_crate_has_a_door() {
    let manifest = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"));
    let mut wrong = Vec::new();
    for name in dependencies(&manifest) {
        if !DOORS.iter().any(|(stranger, _)| *stranger == name) {
            wrong.push(format!(
                "Cargo.toml names {name}: say in tests/layers.rs which file or folder may use it"
            ));
        }
    }
    assert_none(wrong);
}

#[test]
fn the_readers_of_this_test_read_right() {
    let source = r##"
        //! use crate::cli;
        use crate::{error::{Error, Result}, text};
        use super::files;
        fn f<'a>(x: &'a str) -> char { /* crate::cli */ let s = "crate::cli \" {"; '"'; '{'; crate::corpus::read(s); '\'' }
        macro_rules! m { () => { $crate::format::plain() } }
        #[cfg_attr(feature = "cli", derive(clap::Args))]
        struct Config { a: clap_complete::Shell }
        const RAW: &str = r#"crate::cli ""#;
        #[cfg(test)]
        mod tests { use crate::cli; fn g() { "}"; } }
        use crate::lexicon::Lexicon as crate_lexicon;
    "##;
    let file = File::of("eval/mod.rs", source);
    assert_eq!(file.module, "eval");
    assert_eq!(file.uses(), ["corpus", "error", "files", "format", "lexicon", "text"]);
    assert!(!file.names_crate("clap"));
    assert!(file.names_crate("clap_complete"));
    assert_eq!(modules("pub mod cli;\nmod error ; fn model() {}"), ["cli", "error"]);
    let manifest = "[dependencies]\na-b = \"1\"\n# c = 1\n[dev-dependencies]\nd = \"1\"\n[target.'x'.dependencies]\ne = \"1\"\n";
    assert_eq!(dependencies(manifest), ["a_b", "e"]);
}

fn assert_none(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
}

/// A source file, without comments, literals, tests and what only the command line's derives need.
struct File {
    /// From the top folder: `src/eval/mod.rs`.
    name: String,
    /// Under `src/`: `eval/mod.rs`.
    path: String,
    /// The module of `lib.rs` that it belongs to: `eval`.
    module: String,
    code: String,
}

/// Every file under `src/`, in order of name.
fn files() -> Vec<File> {
    let mut paths = Vec::new();
    walk(&src(), &mut paths);
    paths.sort();
    let name = |path: &Path| {
        let parts: Vec<_> =
            path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        parts.join("/")
    };
    paths
        .iter()
        .map(|path| File::of(&name(path.strip_prefix(src()).expect("walked from src")), &read(path)))
        .collect()
}

fn walk(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("src can be listed") {
        let path = entry.expect("src can be listed").path();
        if path.is_dir() {
            walk(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            paths.push(path);
        }
    }
}

impl File {
    fn of(path: &str, source: &str) -> Self {
        let module = path.split('/').next().unwrap_or_default().trim_end_matches(".rs");
        Self {
            name: format!("src/{path}"),
            path: path.to_owned(),
            module: module.to_owned(),
            code: without_cli_attributes(&without_tests(&code(source))),
        }
    }

    /// What follows `crate::` anywhere, or as many `super::` as lead to the top of the crate. Sorted, each once.
    fn uses(&self) -> Vec<&str> {
        let depth = self.path.trim_end_matches("/mod.rs").split('/').count();
        let mut uses = after(&self.code, "crate::");
        let supers = after(&self.code, &"super::".repeat(depth));
        uses.extend(supers.into_iter().filter(|used| *used != "super" && self.module != "lib"));
        uses.sort_unstable();
        uses.dedup();
        uses
    }

    fn names_crate(&self, name: &str) -> bool {
        let path = starts(&self.code, &format!("{name}::")).next().is_some();
        let import = ["use", "extern crate"].iter().any(|keyword| {
            starts(&self.code, &format!("{keyword} {name}"))
                .any(|(_, rest)| rest.trim_start().starts_with(';') || rest.starts_with(" as "))
        });
        path || import
    }
}

/// The first names after each `prefix`, groups in braces opened; macros left out.
fn after<'a>(code: &'a str, prefix: &str) -> Vec<&'a str> {
    let mut names = Vec::new();
    for (_, rest) in starts(code, prefix) {
        match rest.strip_prefix('{') {
            Some(group) => names.extend(first_names(group)),
            None => names.push(rest),
        }
    }
    names.iter().map(|rest| identifier(rest)).filter(|name| !name.is_empty()).collect()
}

/// The texts at which the members of a group begin: `error::{Error, Result}, text}` begins two.
fn first_names(group: &str) -> Vec<&str> {
    let mut members = vec![group.trim_start()];
    let mut depth = 0;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => members.push(group[at + 1..].trim_start()),
            _ => {}
        }
    }
    members
}

/// Each place where `pattern` stands as a path of its own, and what follows it.
fn starts<'a>(code: &'a str, pattern: &str) -> impl Iterator<Item = (usize, &'a str)> {
    code.match_indices(pattern).filter_map(move |(at, found)| {
        let before = code[..at].chars().next_back();
        let own = !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':');
        own.then(|| (at, &code[at + found.len()..]))
    })
}

/// The name that `text` begins with; empty for a macro or none.
fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    if text[end..].starts_with('!') { "" } else { &text[..end] }
}

/// The modules declared, in order.
fn modules(code: &str) -> Vec<String> {
    starts(code, "mod ")
        .map(|(_, rest)| (identifier(rest), rest))
        .filter(|(name, rest)| rest[name.len()..].trim_start().starts_with(';'))
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// The crates under `[dependencies]` and `[target.….dependencies]`, as code spells them.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut inside = false;
    let mut names = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside =
                line == "[dependencies]" || line.starts_with("[target.") && line.ends_with(".dependencies]");
        } else if let Some((name, _)) = line.split_once(['=', '.'])
            && inside
            && !line.starts_with('#')
        {
            names.push(name.trim().replace('-', "_"));
        }
    }
    names
}

/// The source with every comment gone and every literal of text or character empty, save the `"cli"` of an attribute.
fn code(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if let Some(hashes) = raw_string(rest, &code) {
            let close = format!("\"{}", "#".repeat(hashes));
            let body = hashes + 2;
            body + rest[body..].find(&close).map_or(rest.len() - body, |at| at + close.len())
        } else if c == '"' {
            let length = quoted(rest, '"');
            code.push_str(if &rest[..length] == "\"cli\"" { "\"cli\"" } else { "\"\"" });
            length
        } else if c == '\'' && is_character(rest) {
            quoted(rest, '\'')
        } else {
            code.push(c);
            c.len_utf8()
        };
        rest = &rest[length..];
    }
    code
}

/// How long the comment is that `text` begins with; comments nest.
fn block_comment(text: &str) -> usize {
    let (mut at, mut depth) = (0, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        let step = if rest.starts_with(b"/*") {
            depth += 1;
            2
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            2
        } else {
            1
        };
        at += step;
        if depth == 0 {
            break;
        }
    }
    at
}

/// How many `#` the raw string has that `text` begins with, if it begins with one.
fn raw_string(text: &str, before: &str) -> Option<usize> {
    let inside_a_name = before.ends_with(|c: char| c.is_alphanumeric() && c != 'b' || c == '_');
    let after = text.strip_prefix('r')?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    (!inside_a_name && after[hashes..].starts_with('"')).then_some(hashes)
}

/// How long the literal is that `text` begins with, up to the next `quote` without a backslash.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// Whether the quote that `text` begins with opens a character and not a lifetime.
fn is_character(text: &str) -> bool {
    let mut chars = text.chars().skip(1);
    chars.next() == Some('\\') || chars.next() == Some('\'')
}

/// The code without what stands under `#[cfg(test)]`: a test may use whatever helps it.
fn without_tests(code: &str) -> String {
    without(code, "#[cfg(test)]", |rest| {
        let item = rest.find(['{', ';']).unwrap_or(rest.len());
        if rest[item..].starts_with('{') { item + bracketed(&rest[item..], '{', '}') } else { item }
    })
}

/// The code without `#[cfg_attr(feature = "cli", …)]`.
fn without_cli_attributes(code: &str) -> String {
    without(code, "#[cfg_attr(feature = \"cli\"", |rest| bracketed(rest, '[', ']'))
}

/// The code without each `opening` and the length that follows from it.
fn without(code: &str, opening: &str, length: impl Fn(&str) -> usize) -> String {
    let mut kept = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find(opening) {
        kept.push_str(&rest[..at]);
        rest = &rest[at + length(&rest[at..])..];
    }
    kept + rest
}

/// How far the first bracket of `text` reaches, itself and its partner included.
fn bracketed(text: &str, open: char, close: char) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return at + c.len_utf8();
            }
        }
    }
    text.len()
}
