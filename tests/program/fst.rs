//! `majuscule fst`: language models as machines, built, applied and drawn.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;

use crate::room::Room;

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
    room.fails("fst info tiny.arpa", b"", 1, &["tiny.arpa: is not an OpenFst machine"]);
    // An error in the contents of a file is not an error of usage: the exit code is 1.
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
