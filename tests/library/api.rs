//! The public API: all exports of the crate's root, with fields, variants and signatures, compared with `api.txt`,
//! so that every change to it is seen.
//!
//! `MAJUSCULE_BLESS=1 cargo test -p majuscule --test library api` writes the file anew.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use majuscule::Format;

/// Returns the source files below a folder, without the modules of tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the sources are here") {
        let path = entry.expect("the folder can be read").path();
        match path.is_dir() {
            true => found.extend(sources(&path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}

/// Returns the names that the root exports.
fn exported(root: &str) -> BTreeSet<String> {
    let uses = root.split("\npub use ").skip(1).map(|rest| rest.split(';').next().unwrap_or_default());
    let names = |list: &str| -> Vec<String> {
        let list = list.rsplit("::{").next().unwrap_or(list).trim_end_matches('}');
        list.split(',').map(|name| name.trim().rsplit("::").next().unwrap_or_default().to_owned()).collect()
    };
    uses.flat_map(names).filter(|name| !name.is_empty()).collect()
}

/// Returns a declaration that begins at a line, up to its body, in one line.
fn declaration(lines: &[&str]) -> String {
    let mut whole = String::new();
    for line in lines {
        whole.push_str(line.trim());
        whole.push(' ');
        if line.ends_with(['{', ';', '}']) {
            break;
        }
    }
    let whole = whole.trim_end().trim_end_matches(['{', ';']).trim_end().to_owned();
    whole.replace("( ", "(").replace(", )", ")")
}

/// Returns the name of the type that a line opens or implements; `None` for any other line.
fn type_of(line: &str) -> Option<(&str, &str)> {
    for kind in ["pub struct ", "pub enum ", "pub trait ", "impl "] {
        let Some(rest) = line.strip_prefix(kind) else { continue };
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        return Some((kind.trim_start_matches("pub ").trim_end(), &rest[..end]));
    }
    // A type with parameters: the name follows them.
    let rest = line.strip_prefix("impl<")?.split_once("> ")?.1;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    (!rest.contains(" for ")).then_some(("impl", &rest[..end]))
}

/// The packages whose names the root exports.
const LAYERS: [&str; 5] = ["base", "text", "format", "methods", "restore"];

/// Returns all that the root exports, a line for each item and member.
fn api(package: &Path) -> String {
    let root = fs::read_to_string(package.join("src/lib.rs")).expect("the root is here");
    let names = exported(&root);
    let mut items = BTreeSet::new();
    for file in LAYERS.iter().flat_map(|layer| sources(&package.join("crates").join(layer).join("src"))) {
        let text = fs::read_to_string(&file).expect("a source can be read");
        let text = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let mut inside: Option<(&str, &str)> = None;
        for (at, line) in lines.iter().enumerate() {
            if line.starts_with('}') {
                inside = None;
            } else if !line.starts_with([' ', '/', '#']) && !line.is_empty() {
                let is_trait_impl = line.starts_with("impl") && line.contains(" for ");
                inside = type_of(line).filter(|(_, name)| names.contains(*name) && !is_trait_impl);
                match inside {
                    Some((kind, name)) if kind != "impl" => {
                        let attribute = lines[..at].iter().rev().take_while(|line| line.starts_with('#'));
                        let open = attribute.into_iter().any(|line| line.contains("non_exhaustive"));
                        items.insert(format!("{kind} {name}{}", if open { ", more to come" } else { "" }));
                    }
                    _ => {}
                }
                let function = line.strip_prefix("pub fn ").or(line.strip_prefix("pub const "));
                let name = function.map(|rest| {
                    &rest[..rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())]
                });
                if name.is_some_and(|name| names.contains(name)) {
                    items.insert(declaration(&lines[at..]));
                }
            }
            let Some((kind, name)) = inside else { continue };
            let member = match (kind, line.strip_prefix("    ")) {
                ("impl", Some(rest)) if rest.starts_with("pub fn ") || rest.starts_with("pub const ") => rest,
                ("struct", Some(rest)) if rest.starts_with("pub ") && !rest.starts_with("pub(") => rest,
                ("trait", Some(rest)) if rest.starts_with("fn ") => rest,
                ("enum", Some(rest)) if rest.starts_with(|c: char| c.is_ascii_uppercase()) => rest,
                _ => continue,
            };
            let member = match kind {
                "impl" | "trait" => declaration(&lines[at..]),
                _ => member.trim_end_matches([',', '{', ' ']).to_owned(),
            };
            items.insert(format!("{name}: {}", member.trim_start_matches("pub ")));
        }
    }
    // A macro makes the enum of formats from their list.
    items.insert("enum Format".to_owned());
    items.extend(Format::all().iter().map(|info| format!("Format: {:?}", info.format)));
    let found: BTreeSet<&str> = items
        .iter()
        .filter_map(|item| item.split([' ', ':', ',', '(', '<']).find(|word| names.contains(*word)))
        .collect();
    let mut out = String::new();
    for name in names.iter().filter(|name| !found.contains(name.as_str())) {
        let _ = writeln!(out, "{name}");
    }
    items.iter().for_each(|item| {
        let _ = writeln!(out, "{item}");
    });
    out
}

#[test]
fn the_api_is_the_one_written_down() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (found, file) = (api(package), package.join("tests/library/api.txt"));
    if std::env::var_os("MAJUSCULE_BLESS").is_some() {
        fs::write(&file, &found).expect("the file can be written");
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    let [new, old]: [BTreeSet<&str>; 2] = [&found, &written].map(|text| text.lines().collect());
    let added: Vec<_> = new.difference(&old).map(|line| format!("+ {line}")).collect();
    let gone: Vec<_> = old.difference(&new).map(|line| format!("- {line}")).collect();
    assert!(
        added.is_empty() && gone.is_empty(),
        "the API has changed: say so in the CHANGELOG, and write api.txt anew with MAJUSCULE_BLESS=1\n{}",
        [gone, added].concat().join("\n")
    );
}
