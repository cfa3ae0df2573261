//! `majuscule maxent`: features and weights for other programs, and from them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::room::{CORPUS, Room};

#[test]
fn weights_of_maxent_go_out_and_come_back() {
    let room = Room::new();
    room.write("a.txt", CORPUS.repeat(20));
    room.out("maxent features a.txt -o rows --dictionary names --look-ahead 1", b"");
    assert!(room.read("names").contains("\tb-=in_lisbon\n"), "{}", room.read("names"));
    room.out("maxent features --as megam a.txt -o named", b"");
    assert!(room.read("named").contains("title\tbias w=lisbon"), "{}", room.read("named"));
    room.out("maxent fit rows --dictionary names --l2 0.1 -o weights", b"");
    room.out("train maxent --protocol text a.txt --look-ahead 1 --weights weights -o other", b"");
    let restored = room.out("restore --model other", b"we met the bbc in new york\n");
    assert_eq!(String::from_utf8(restored).unwrap(), "we met the BBC in New York\n");
    room.out("maxent weights other --dictionary names -o again", b"");
    assert!(room.read("again").starts_with("***NAMED_LABELS_IDS***\tlower\ttitle\tupper\tmixed\nbias\t0\t"));
    let json: serde_json::Value = serde_json::from_slice(&room.out("inspect other --json", b"")).unwrap();
    assert_eq!(json["settings"]["config"]["weights"], serde_json::json!(["weights"]));
    room.write("bad", "w=us\tNaN\n");
    room.fails(
        "train maxent --protocol text a.txt --weights bad -o third",
        b"",
        1,
        &["bad, line 1", "finite"],
    );
    room.write("huge", "w=us\t0\t0\t1e9\t0\n");
    room.fails(
        "train maxent --protocol text a.txt --weights huge -o third",
        b"",
        1,
        &["huge: has a weight of 1e9"],
    );
    room.fails("train maxent --protocol text a.txt --weights gone -o third", b"", 1, &["gone"]);
    room.fails(
        "train maxent --protocol text a.txt --weights weights -o weights --force",
        b"",
        2,
        &["weights"],
    );
    let note = room.run("train maxent --protocol text a.txt --rate 40 --epochs 20 -o wide", b"").stderr;
    assert!(String::from_utf8(note).unwrap().contains("now: --weight-bits 16 keeps them\n"));
    room.fails(
        "train maxent --protocol text a.txt --l2 -1 -o third",
        b"",
        2,
        &["--l2 -1", "0 or a greater number"],
    );
    room.fails("train maxent --protocol text a.txt --l1 NaN -o third", b"", 2, &["--l1 NaN"]);
    room.fails("train maxent --protocol text a.txt --cost 1 -o third", b"", 2, &["--cost", "--l2"]);
    room.fails("maxent fit a.txt -o third", b"", 1, &["a.txt, line 1", "class from 0 to 3"]);
    room.write("signs", "+1 1:0.5 3:-0.25 \n-1 1:-0.7 2:1 \n+1 3:1e-1\n-1 2:0.3 3:-1 \n");
    room.out("maxent fit signs -o signed", b"");
    let signed: Vec<(String, f64)> = room
        .read("signed")
        .lines()
        .map(|line| line.split_once('\t').unwrap())
        .map(|(index, weight)| (index.to_owned(), weight.parse().unwrap()))
        .collect();
    assert!(signed.iter().map(|(index, _)| index.as_str()).eq(["1", "2", "3"]), "{signed:?}");
    assert!(signed[0].1 > 0.0 && signed[1].1 < 0.0 && signed[2].1 > 0.0, "{signed:?}");
    room.write("mixed", "+1 1:1\n-1 2:1\n2 1:1\n");
    room.fails("maxent fit mixed -o third", b"", 1, &["mixed, line 3", "-1 and 2"]);
    room.write("endless", "+1 1:inf\n-1 2:1\n");
    room.fails("maxent fit endless -o third", b"", 1, &["endless, line 1", "\"1:inf\"", "finite"]);
    room.out("train maxent --bits 10 --threads 20000 a.txt -o many", b"");
    room.out("train maxent --protocol text a.txt --solver lbfgs --l2 1 --checkpoint kept -o best", b"");
    room.fails("train maxent --protocol text a.txt --solver lbfgs -o third", b"", 2, &["--l2 1"]);
    room.fails("maxent fit rows --l2 -1 -o third", b"", 2, &["--l2 -1"]);
    room.fails("maxent features a.txt -o a.txt", b"", 2, &["a.txt"]);
    room.fails("maxent features a.txt -o x --dictionary x", b"", 2, &["x"]);
    room.fails("maxent features --target begin a.txt -o x", b"", 2, &["--protocol asr"]);
    room.fails("maxent weights model --dictionary names -o x", b"", 1, &["majority"]);
    if !cfg!(feature = "liblinear") {
        room.fails(
            "train maxent --protocol text a.txt --solver liblinear -o third",
            b"",
            2,
            &["--features liblinear"],
        );
    }
}
