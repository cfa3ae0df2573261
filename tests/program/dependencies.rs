//! A build without features needs only Rust: no random numbers, memory maps, threads or C code of
//! its own. A program that only restores has no training code. Modules are a list.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Packages that must not be in the dependency tree, with the reasons.
const UNWANTED: &[(&str, &str)] = &[
    ("cc", "it compiles C"),
    ("getrandom", "it asks the system for random numbers"),
    ("memmap2", "it maps files into memory"),
    ("rayon", "it starts threads"),
    ("wasm-bindgen", "it needs JavaScript"),
];

#[test]
fn inference_on_wasm_needs_no_system() {
    let tree = tree(&["--package=majuscule", "--target=wasm32-unknown-unknown"]);
    let packages: Vec<&str> = tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(
        packages.contains(&"majuscule") && packages.contains(&"serde"),
        "this is no tree of majuscule:\n{tree}"
    );
    for (unwanted, why) in UNWANTED {
        assert!(
            !packages.contains(unwanted),
            "a build without features depends on {unwanted}: {why}\n{tree}"
        );
    }
    if let Some(links_c) = packages.iter().find(|package| package.ends_with("-sys")) {
        panic!("a build without features depends on {links_c}: it links a C library\n{tree}");
    }
}

#[test]
fn a_program_that_only_restores_has_no_training_in_it() {
    let tree = tree(&["--package=majuscule-cli", "--features=compression,lang-en"]);
    assert!(
        tree.lines().any(|line| line.starts_with("clap ")),
        "this is no tree of the command line:\n{tree}"
    );
    assert!(!tree.contains("majuscule-train"), "training is in it:\n{tree}");
}

#[test]
fn a_library_that_restores_has_no_command_line_no_c_and_no_training_in_it() {
    let output = tree_of(&["--package=majuscule"], &[]);
    for unwanted in ["clap", "rustfst", "liblzma", "majuscule-train", "rand_chacha", "cc "] {
        assert!(!output.lines().any(|line| line.starts_with(unwanted)), "{unwanted} is in it:\n{output}");
    }
}

#[test]
fn a_module_of_formats_uses_only_those_above_it() {
    let folder = Path::new(crate::ROOT).join("crates/format/src");
    let list = fs::read_to_string(folder.join("lib.rs")).expect("the package has a root");
    let read = |file: &str| {
        let text = fs::read_to_string(folder.join(file)).expect("the module has a file");
        text.split("#[cfg(test)]").next().unwrap_or_default().to_owned()
    };
    let modules: Vec<&str> = list
        .lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'))
        .filter(|module| folder.join(format!("{module}.rs")).exists())
        .collect();
    assert!(modules.contains(&"srt"), "{modules:?}");
    for (at, module) in modules.iter().enumerate() {
        for used in read(&format!("{module}.rs")).split("\nuse super::").skip(1) {
            let used = used.split(';').next().unwrap_or_default();
            let names = match used.strip_prefix('{') {
                Some(names) => names.trim_end_matches('}'),
                None => used.split("::").next().unwrap_or_default(),
            };
            for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
                let is_above = modules[..at].contains(&name);
                assert!(is_above, "{module} uses {name}, which is not above it in crates/format/src/lib.rs");
            }
        }
    }
}

/// Returns the packages of a build with these features or this target, one per line, as read from
/// the lock file without the network.
fn tree(build: &[&str]) -> String {
    tree_of(build, &["--no-default-features"])
}

fn tree_of(build: &[&str], features: &[&str]) -> String {
    let arguments = ["tree", "--offline", "--locked", "--edges=normal", "--prefix=none"];
    let build = [build, features].concat();
    // Cargo sets its own path for the tests that it runs; a test started by hand uses
    // the one on the search path.
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let command = format!("{} {} {}", cargo.to_string_lossy(), arguments.join(" "), build.join(" "));
    let output = Command::new(&cargo)
        .args(arguments)
        .args(&build)
        .current_dir(crate::ROOT)
        .output()
        .unwrap_or_else(|error| panic!("cannot run `{command}`, which this test reads: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "`{command}`, which this test reads, failed ({}):\n{errors}",
        output.status
    );
    String::from_utf8(output.stdout).expect("cargo writes UTF-8")
}
