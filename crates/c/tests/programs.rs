//! Programs in C, C++ and other languages, compiled against the header and run with the library. Without a compiler, an
//! interpreter or valgrind, a test says so and passes.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

const PACKAGE: &str = env!("CARGO_MANIFEST_DIR");
const TEXT: &str = "we met angela merkel in lisbon\n";
const RESTORED: &str = "We met Angela Merkel in Lisbon.\n";

/// Returns the folder of the libraries. Cargo builds none for the tests of a package without a Rust library.
fn libraries() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let test = std::env::current_exe().expect("the test has a path");
        let folder = test.ancestors().nth(2).expect("it is in the folder deps of a profile");
        let profile = folder.file_name().expect("a profile has a name");
        let profile = if profile == "debug" { OsStr::new("dev") } else { profile };
        let target = folder.parent().expect("the target folder");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = Command::new(cargo);
        build.args(["build", "--locked", "-p", "majuscule-c", "--profile"]).arg(profile);
        run(build.arg("--target-dir").arg(target).current_dir(PACKAGE), "");
        folder.to_owned()
    })
}

/// Runs a command and returns its output, or ends the test with its errors.
fn run(command: &mut Command, input: &str) -> String {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    child.stdin.take().expect("it is piped").write_all(input.as_bytes()).expect("it reads its input");
    let output = child.wait_with_output().expect("it ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{errors}", output.status);
    String::from_utf8(output.stdout).expect("it writes UTF-8")
}

/// Returns true if a tool is there, and says so if not.
fn has(tool: &str, version: &str) -> bool {
    let found = Command::new(tool).arg(version).stdin(Stdio::null()).output();
    let has = found.is_ok_and(|output| output.status.success());
    if !has {
        println!("no {tool} here: not tested");
    }
    has
}

/// Makes a folder for the files of the test that runs in this thread.
fn folder() -> PathBuf {
    let test = std::thread::current().name().expect("a test has a name").to_owned();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    fs::create_dir_all(&folder).expect("the folder for tests can be written");
    folder
}

/// The ways to compile.
const C: &[&str] = &["cc", "-std=c11", "-D_POSIX_C_SOURCE=200809L"];
const CPP: &[&str] = &["c++", "-std=c++17", "-x", "c++"];

/// Compiles a program without warnings, with these arguments after it, and returns it; `None` without a compiler.
fn compiled(language: &[&str], source: &str, more: &[&str]) -> Option<PathBuf> {
    if !has(language[0], "--version") {
        return None;
    }
    let program = folder().join("program");
    let mut compiler = Command::new(language[0]);
    compiler.args(&language[1..]).args(["-Wall", "-Wextra", "-pedantic", "-Werror", "-pthread", "-g", "-I"]);
    compiler.arg(Path::new(PACKAGE).join("include")).arg(Path::new(PACKAGE).join(source));
    run(compiler.args(["-x", "none"]).args(more).arg("-o").arg(&program), "");
    Some(program)
}

/// Compiles a program that uses the shared library.
fn compiled_shared(language: &[&str], source: &str, more: &[&str]) -> Option<PathBuf> {
    let library = libraries().display();
    let shared = [&format!("-L{library}"), "-lmajuscule", &format!("-Wl,-rpath,{library}")];
    compiled(language, source, &[more, &shared].concat())
}

/// Runs the contract with a number of calls, in which memory must not grow.
fn check_contract(program: &mut Command, calls: &str) {
    let model = Path::new(PACKAGE).join("../../lm/en.fast");
    println!("{}", run(program.arg(model).arg(calls), ""));
}

#[test]
fn a_program_in_c_finds_what_the_header_says() {
    let calls = std::env::var("MAJUSCULE_CALLS").unwrap_or_else(|_| "2000".to_owned());
    let Some(program) = compiled_shared(C, "tests/contract.c", &[]) else { return };
    check_contract(&mut Command::new(program), &calls);
}

#[test]
fn a_program_in_cpp_finds_the_same() {
    let Some(program) = compiled_shared(CPP, "tests/contract.c", &[]) else { return };
    check_contract(&mut Command::new(program), "100");
}

#[test]
fn valgrind_finds_no_error_and_no_leak() {
    if !has("valgrind", "--version") {
        return;
    }
    let Some(program) = compiled_shared(C, "tests/contract.c", &[]) else { return };
    let mut valgrind = Command::new("valgrind");
    // Word lists that are built once stay until the process ends, and are not errors.
    valgrind.args(["-q", "--leak-check=full", "--show-leak-kinds=definite,indirect"]);
    valgrind.args(["--errors-for-leak-kinds=definite,indirect", "--error-exitcode=9"]);
    check_contract(valgrind.arg(program), "20");
}

#[test]
fn a_static_library_needs_no_file_at_run_time() {
    let library = libraries().join("libmajuscule.a");
    let more = [library.to_str().expect("the path is UTF-8"), "-lm", "-ldl"];
    let Some(program) = compiled(C, "examples/hello.c", &more) else { return };
    assert_eq!(run(&mut Command::new(program), ""), "Where did you meet Angela Merkel?\n");
}

#[test]
fn the_book_shows_the_program_of_ten_lines() {
    let [book, program] = ["../../docs/book/src/embedding.md", "examples/hello.c"]
        .map(|file| fs::read_to_string(Path::new(PACKAGE).join(file)).expect("the file is here"));
    assert!(book.contains(&format!("```c\n{program}```")), "docs/book/src/embedding.md has another program");
}

#[test]
fn a_filter_in_c_restores_live_text() {
    let Some(program) = compiled_shared(C, "examples/filter.c", &[]) else { return };
    assert_eq!(run(Command::new(program).args(["en", "{\"marks\": \"all\"}"]), TEXT), RESTORED);
}

#[test]
fn a_live_caption_in_cpp_shows_settled_and_open_text() {
    let Some(program) = compiled_shared(CPP, "examples/captions.cpp", &[]) else { return };
    let shown = run(&mut Command::new(program), TEXT);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!((lines.first(), lines.last()), (Some(&"[We ]"), Some(&"We met Angela Merkel in Lisbon. ")));
}

#[test]
fn a_program_in_python_calls_c() {
    if has("python3", "--version") && cfg!(target_os = "linux") {
        let mut python = Command::new("python3");
        python.arg(Path::new(PACKAGE).join("examples/restore.py")).arg(libraries().join("libmajuscule.so"));
        assert_eq!(run(&mut python, TEXT), RESTORED);
    }
}

#[test]
fn a_program_in_go_calls_c() {
    if has("go", "version") {
        let mut go = Command::new("go");
        let library = libraries().display();
        go.env("CGO_CFLAGS", format!("-I{PACKAGE}/include"));
        go.env("CGO_LDFLAGS", format!("-L{library} -Wl,-rpath,{library}"));
        go.args(["run", "."]).current_dir(Path::new(PACKAGE).join("examples/go"));
        assert_eq!(run(&mut go, TEXT), RESTORED);
    }
}

/// Returns the folder of the headers of Java; `None` without a compiler for Java.
fn java_headers() -> Option<PathBuf> {
    has("javac", "-version").then(|| {
        let mut java = Command::new("java");
        java.args(["-XshowSettings:properties", "-version"]);
        let shown = java.output().expect("javac has java with it").stderr;
        let shown = String::from_utf8_lossy(&shown).into_owned();
        let home = shown.lines().find_map(|line| line.trim().strip_prefix("java.home = "));
        Path::new(home.expect("Java has a home")).join("include")
    })
}

#[test]
fn a_program_in_java_calls_c() {
    let Some(headers) = java_headers().filter(|headers| headers.is_dir()) else { return };
    let folder = folder();
    let [headers, machine] =
        [headers.clone(), headers.join("linux")].map(|path| format!("-I{}", path.display()));
    let more = ["-fPIC", "-shared", &headers, &machine];
    let Some(library) = compiled_shared(C, "examples/java/majuscule_jni.c", &more) else { return };
    fs::rename(library, folder.join("libmajuscule_jni.so")).expect("both are in the folder of the test");
    let source = Path::new(PACKAGE).join("examples/java/majuscule/Majuscule.java");
    run(Command::new("javac").args(["-Xlint:all", "-Werror", "-d"]).arg(&folder).arg(source), "");
    let mut java = Command::new("java");
    java.arg("-cp").arg(&folder).arg(format!("-Djava.library.path={}", folder.display()));
    assert_eq!(run(java.arg("majuscule.Majuscule"), TEXT), RESTORED);
    let version = run(Command::new("javac").arg("-version"), "");
    let version = version.trim().trim_start_matches("javac ").split('.').next().map(str::parse::<u32>);
    if version.is_some_and(|version| version.is_ok_and(|version| version >= 22)) {
        let mut java = Command::new("java");
        java.arg("--enable-native-access=ALL-UNNAMED");
        java.arg(Path::new(PACKAGE).join("examples/java/Foreign.java"));
        assert_eq!(run(java.arg(libraries().join("libmajuscule.so")), TEXT), RESTORED);
    } else {
        println!("no Java 22 here: its foreign functions are not tested");
    }
}

/// The header has each function, and nothing else. With cbindgen its comments are compared too, and `MAJUSCULE_BLESS=1
/// cargo test -p majuscule-c` writes it anew.
#[test]
fn the_header_has_the_functions_of_the_library() {
    let [header, source] = ["include/majuscule.h", "src/abi.rs"].map(|file| Path::new(PACKAGE).join(file));
    if has("cbindgen", "--version") {
        let mut cbindgen = Command::new("cbindgen");
        let made = run(cbindgen.args(["--quiet", "--config", "cbindgen.toml", "."]).current_dir(PACKAGE), "");
        if std::env::var_os("MAJUSCULE_BLESS").is_some() {
            fs::write(&header, &made).expect("the header can be written");
        }
        let header = fs::read_to_string(&header).expect("the header is here");
        assert_eq!(header, made, "MAJUSCULE_BLESS=1 cargo test -p majuscule-c writes the header anew");
    }
    let names = |file: &Path, before: &str| -> Vec<String> {
        let text = fs::read_to_string(file).expect("the file is here");
        let code =
            text.lines().filter(|line| !line.trim_start().starts_with(['*', '/']) && line.contains(before));
        let names =
            code.filter_map(|line| line.split_once('(')?.0.split([' ', '*']).next_back().map(str::to_owned));
        names.filter(|name| name.starts_with("mj_")).collect()
    };
    let functions = names(&source, "extern \"C\" fn ");
    assert!(functions.contains(&"mj_restore".to_owned()), "{functions:?}");
    assert_eq!(names(&header, "mj_"), functions);
}
