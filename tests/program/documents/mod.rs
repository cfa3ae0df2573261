//! Checks that the documents agree: links lead somewhere, and every figure of the README is also in
//! a report.

use std::fs;
use std::path::{Path, PathBuf};

use majuscule_format::Format;

/// The largest size of the README in bytes; longer text belongs in the book.
const README_BYTES: usize = 9_000;

/// The sites that documents may link to: papers, licences, conventions and sources. Packages
/// are named, and not linked.
const SITES: &[&str] = &[
    "aclanthology.org",
    "creativecommons.org",
    "doi.org",
    "github.com",
    "huggingface.co",
    "keepachangelog.com",
    "opus.nlpl.eu",
    "rustup.rs",
    "semver.org",
    "www.geonames.org",
    "www.statmt.org",
];

#[test]
fn the_readme_fits_on_a_screen_or_two() {
    let bytes = read(&top().join("README.md")).len();
    assert!(
        bytes <= README_BYTES,
        "README.md has {bytes} bytes of {README_BYTES}: move something into docs/book"
    );
}

#[test]
fn every_link_inside_the_repository_leads_somewhere() {
    let mut broken = Vec::new();
    let mut links = 0;
    for path in documents() {
        let text = prose(&read(&path));
        for link in targets(&text).filter(|link| !link.contains("://")) {
            let (file, anchor) =
                link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
            let target = if file.is_empty() { path.clone() } else { path.with_file_name(file) };
            let found =
                target.exists() && anchor.is_none_or(|anchor| anchors(&read(&target)).any(|it| it == anchor));
            links += 1;
            if !found {
                broken.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(links > 50, "only {links} links: this test reads documents wrong");
    assert!(broken.is_empty(), "these links lead nowhere:\n{}", broken.join("\n"));
}

#[test]
fn documents_link_papers_and_sources_alone() {
    for path in documents() {
        let text = read(&path);
        let sites = targets(&text).filter_map(|link| link.split_once("://")?.1.split('/').next());
        let others: Vec<&str> = sites.filter(|site| !SITES.contains(site)).collect();
        assert!(others.is_empty(), "{} links other sites: {others:?}", path.display());
    }
}

#[test]
fn the_summary_names_every_chapter_once() {
    let src = top().join("docs/book/src");
    let summary = read(&src.join("SUMMARY.md"));
    let mut named: Vec<PathBuf> = targets(&summary).map(|link| src.join(link)).collect();
    let mut chapters: Vec<PathBuf> =
        markdown(&src).into_iter().filter(|path| !path.ends_with("SUMMARY.md")).collect();
    named.sort();
    chapters.sort();
    assert_eq!(named, chapters);
}

#[test]
fn the_table_of_formats_has_every_format_and_its_extensions() {
    let page = read(&top().join("docs/book/src/formats.md"));
    let rows: Vec<Vec<&str>> = page.lines().map(|line| line.split('|').map(str::trim).collect()).collect();
    for info in Format::all().iter().filter(|info| info.format != Format::Auto) {
        let has = |cell: &str, name: &str| cell.split('`').any(|span| span == name);
        let row = rows.iter().find(|row| row.len() > 3 && has(row[1], info.name));
        let row = row.unwrap_or_else(|| panic!("formats.md has no row of {}", info.name));
        let missing = info.extensions.iter().find(|extension| !has(row[2], &format!(".{extension}")));
        assert_eq!(missing, None, "the extensions of {} in formats.md", info.name);
    }
}

#[test]
fn the_figures_of_the_readme_come_from_the_reports() {
    let readme = read(&top().join("README.md"));
    for (heading, report, rows) in [("Quality", "quality.md", 7), ("Speed", "speed.md", 5)] {
        let report = read(&top().join("docs/reports").join(report));
        let section = section(&readme, heading);
        let table: Vec<&str> = section.lines().filter(|line| line.starts_with('|')).collect();
        assert_eq!(table.len(), rows + 2, "the table under {heading}, with its header");
        for row in table {
            assert!(report.lines().any(|line| line == row), "no report has this row of the README:\n{row}");
        }
    }
}

#[test]
fn the_rust_of_the_readme_is_tested_in_the_library() {
    let readme = read(&top().join("README.md"));
    let library = read(&top().join("src/lib.rs"));
    let (_, code) = readme.split_once("```rust\n").expect("a block of Rust");
    let (code, _) = code.split_once("```").expect("its end");
    for line in code.lines() {
        assert!(library.contains(&format!("//! {line}\n")), "no documentation test has this line:\n{line}");
    }
}

#[test]
fn the_map_names_files_that_exist() {
    let top = top();
    let files = [
        "benches", "crates", "docs", "examples", "fuzz", "lexicons", "lm", "npm", "python", "release", "src",
        "tests",
    ];
    let files: Vec<String> = files.iter().flat_map(|folder| all_files(&top.join(folder))).collect();
    let mut maps = markdown(&top.join("docs/decisions"));
    maps.extend(["ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| top.join(name)));
    let map: String = maps.iter().map(|path| read(path)).collect();
    let mut wrong = Vec::new();
    for line in prose(&map).lines() {
        let spans: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
        let paths =
            spans.iter().filter(|span| span.ends_with('/') || span.ends_with(".rs") || span.ends_with(".py"));
        let paths: Vec<&str> = paths.copied().filter(|path| !path.contains("LANG")).collect();
        let named = |path: &str| files.iter().find(|file| format!("{file}/").contains(&format!("/{path}")));
        wrong.extend(
            paths.iter().filter(|path| named(path).is_none()).map(|path| format!("there is no {path}")),
        );
    }
    assert!(
        wrong.is_empty(),
        "ARCHITECTURE.md, CONTRIBUTING.md and docs/decisions are behind the code:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn each_of_the_twenty_questions_leads_to_files_and_to_names_that_they_declare() {
    let map = read(&top().join("ARCHITECTURE.md"));
    let rows: Vec<&str> = section(&map, "Where is …?").lines().filter(|line| line.contains("? | ")).collect();
    assert_eq!(rows.len(), 20, "questions in ARCHITECTURE.md");
    let mut wrong = Vec::new();
    for row in rows {
        let (question, place) = row.split_once("? | ").expect("a question and a place");
        let mut file: Option<(&str, String)> = None;
        for span in place.split('`').skip(1).step_by(2) {
            if span.contains('/') {
                let path = top().join(span);
                if !path.exists() {
                    wrong.push(format!("{question}: there is no {span}"));
                }
                file = Some((span, fs::read_to_string(path).unwrap_or_default()));
            } else if let Some((path, source)) = &file {
                let missing = span.split("::").find(|name| !declares(source, name));
                wrong.extend(missing.map(|name| format!("{question}: {path} declares no {name}")));
            } else {
                wrong.push(format!("{question}: {span} stands before any file"));
            }
        }
        if file.is_none() {
            wrong.push(format!("{question}: no file"));
        }
    }
    assert!(wrong.is_empty(), "ARCHITECTURE.md is behind the code:\n{}", wrong.join("\n"));
}

/// Returns true if a Rust source declares an item of this name, whatever its kind.
fn declares(source: &str, name: &str) -> bool {
    let kinds = ["const", "enum", "fn", "static", "struct", "trait", "type"];
    kinds.iter().any(|kind| {
        let declaration = format!("{kind} {name}");
        let mut rests = source.split(&declaration).skip(1);
        rests.any(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}

#[test]
fn the_workflow_builds_with_the_oldest_rust_of_the_manifest() {
    let manifest = read(&top().join("Cargo.toml"));
    let (_, version) = manifest.split_once("\nrust-version = ").expect("the oldest Rust");
    let version = version.lines().next().expect("a version");
    let workflow = read(&top().join(".github/workflows/ci.yml"));
    assert!(workflow.contains(&format!("rust: [{version}, stable]")), "ci.yml does not build with {version}");
}

/// Returns the paths of all files in a folder, without the files of builds.
fn all_files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("an entry").path()).filter(|path| !path.ends_with("target"));
    paths
        .flat_map(|path| if path.is_dir() { all_files(&path) } else { vec![path.display().to_string()] })
        .collect()
}

/// Returns the folder of the repository.
fn top() -> PathBuf {
    let package = Path::new(crate::ROOT);
    let top = package.ancestors().find(|folder| folder.join("docs/book").is_dir());
    top.expect("a folder with docs/book, at or above the package").to_owned()
}

/// Returns the paths of all documents for readers, sorted.
fn documents() -> Vec<PathBuf> {
    let top = top();
    let mut found: Vec<PathBuf> = fs::read_dir(&top)
        .expect("the top folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect();
    for folder in ["benches", "docs", "fuzz", "lexicons", "lm"] {
        found.extend(markdown(&top.join(folder)));
    }
    found.sort();
    found
}

/// Returns the Markdown files in a folder and its subfolders, without the files of builds.
fn markdown(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.ends_with("target") {
            found.extend(markdown(&path));
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns a document without its blocks of code.
fn prose(text: &str) -> String {
    let mut fenced = false;
    let mut prose = String::new();
    for line in text.lines() {
        let is_fence = line.starts_with("```");
        fenced ^= is_fence;
        if !fenced && !is_fence && !line.starts_with("    ") {
            prose.push_str(line);
            prose.push('\n');
        }
    }
    prose
}

/// Returns the targets of links and images.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target)
}

/// Returns the anchors of the headings of a document, as GitHub and mdBook make them.
fn anchors(text: &str) -> impl Iterator<Item = String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    })
}

/// Returns the text under a heading of the second level.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let (_, rest) = text.split_once(&format!("\n## {heading}\n")).expect("the heading");
    rest.split_once("\n## ").map_or(rest, |(section, _)| section)
}
