//! `majuscule lm`: language models trained, counted in pieces, asked and converted.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;

use crate::room::{Room, gzip};

#[test]
fn the_words_of_a_sentence_and_the_next_ones_are_shown_with_their_probabilities() {
    let room = Room::new();
    room.write("model.arpa", include_str!("../../lm/tiny.arpa")).write("text.txt", "told us in Porto\n");
    let print = |line: &str| String::from_utf8(room.out(line, b"")).unwrap();
    let scored = print("lm score --words --plain model.arpa text.txt");
    let rows: Vec<Vec<&str>> = scored.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows[0], ["word", "log10 p", "order"]);
    // As by hand: <s> told: -0.39794 - 1; told us: -0.22185; us in after "told us" backed off: -0.30103 - 0.85387.
    assert_eq!(rows[1..4], [["told", "-1.3979", "1"], ["us", "-0.2218", "2"], ["in", "-1.1549", "2"]]);
    assert_eq!((rows[4][0], rows[4][2], rows[5][0]), ("Porto", "0", "</s>"));
    assert!(scored.ends_with("\n\n"));
    let total: f64 = rows[1..6].iter().map(|row| row[1].parse::<f64>().unwrap()).sum();
    let whole = print("lm score --plain model.arpa text.txt");
    let whole: f64 = whole.split(' ').nth(1).unwrap().parse().unwrap();
    assert!((total - whole).abs() < 3e-4, "{total} {whole}");
    let next = print("lm next model.arpa told --count 2");
    assert_eq!(next, "word\tp %\tlog10 p\nus\t60.00\t-0.2218\n</s>\t10.00\t-1.0000\n");
    let output = room.run("lm next model.arpa lisbon --count 1", b"");
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("\"lisbon\" is not in the vocabulary, but Lisbon is")
    );
    room.fails("lm next model.arpa --count 0", b"", 2, &["--count"]);
}

#[test]
fn a_language_model_is_trained_asked_and_converted() {
    let room = Room::new();
    let text = "Ana saw Rui.\nRui saw Ana in Lisbon.\nAna left.\n";
    room.write("text.txt", text);
    let train = "lm train text.txt --order 2 --discount-fallback";
    room.out(&format!("{train} -o model.arpa"), b"");
    assert!(room.read("model.arpa").starts_with("\\data\\\nngram 1=9\nngram 2=12\n\n\\1-grams:\n"));
    room.out(&format!("{train} -o model.bin --threads 1"), b"");
    room.out("lm convert model.bin -o converted.arpa", b"");
    assert_eq!(room.read("converted.arpa"), room.read("model.arpa"));
    let print = |line: &str| String::from_utf8(room.out(line, text.as_bytes())).unwrap();
    assert_eq!(print("lm info model.bin"), "order    2\n1-grams  9\n2-grams  12\n");
    // Each line is a sentence.
    let scores = print("lm score model.arpa text.txt");
    assert_eq!(scores.lines().count(), 3);
    assert!(scores.lines().all(|line| line.starts_with("Total: -") && line.ends_with(" OOV: 0")), "{scores}");
    assert_eq!(print("lm score model.bin").lines().count(), 3);
    assert_eq!(
        print("lm score --plain model.bin").lines().last().map(|line| line.ends_with("OOV: 1")),
        Some(true)
    );
    assert!(print("lm perplexity model.bin text.txt").contains("words                        10\n"));
    room.out("lm convert model.bin --compact -o small.lm", b"");
    assert_eq!(print("lm score small.lm"), print("lm score model.bin"));
    assert!(fs::metadata(room.path("small.lm")).unwrap().len() < 300);
    room.fails("lm convert model.bin --compact -o small.arpa", b"", 2, &["--compact", "small.arpa"]);

    // The language model inside a model of hmm, as a folder and packed, compressed too.
    room.out("train hmm --lm model.bin text.txt -o tagger", b"");
    room.out("compact tagger --pack tagger.packed", b"");
    fs::write(room.path("tagger.gz"), gzip(fs::read(room.path("tagger.packed")).unwrap())).unwrap();
    for model in ["tagger", "tagger.packed", "tagger.gz"] {
        assert_eq!(print(&format!("lm score {model}")), print("lm score model.bin"), "{model}");
        assert_eq!(room.out(&format!("restore --model {model}"), b"ana saw rui"), b"Ana saw Rui");
    }
    room.out("train majority text.txt -o plain", b"");
    room.fails("lm score plain", b"", 1, &["plain", "majority model", "only hmm models"]);

    room.out("lm prune model.bin --threshold 1 --force -o pruned.arpa", b"");
    assert!(room.read("pruned.arpa").contains("ngram 1=9\nngram 2=0\n"));
    room.fails("lm prune model.bin --threshold nan --force -o pruned.arpa", b"", 2, &["threshold NaN"]);

    room.write("other.txt", "Rui left Porto.\n");
    room.out("lm train other.txt --order 3 --smoothing witten-bell -o other.bin", b"");
    room.out("lm interpolate model.bin other.bin --weight 0.75 --force -o mixed.arpa", b"");
    assert!(room.read("mixed.arpa").starts_with("\\data\\\nngram 1=10\n"));
    room.out("lm interpolate model.arpa other.bin --tune text.txt -o tuned.bin", b"");
    assert!(print("lm info --check tuned.bin").starts_with("order    3\n1-grams  10\n"));
    room.fails("lm interpolate model.bin --force -o mixed.arpa", b"", 2, &["MODEL"]);
    room.fails(
        "lm interpolate model.bin other.bin --weight 1.5 --force -o mixed.arpa",
        b"",
        2,
        &["from 0 to 1"],
    );
    room.fails(
        "lm interpolate model.bin other.bin --tune empty.txt --force -o mixed.arpa",
        b"",
        1,
        &["empty.txt"],
    );
    room.fails("lm interpolate model.bin other.bin -o other.bin", b"", 2, &["both input and output"]);

    room.write("list.txt", "Ana\nEva\n");
    room.out(
        "lm train text.txt --smoothing witten-bell --vocabulary-list list.txt --min-count 1,2 -o small.arpa",
        b"",
    );
    assert!(room.read("small.arpa").contains("ngram 1=5\n"));
    room.write("missing.txt", "zebra\n");
    let missing = "lm train text.txt --smoothing witten-bell --vocabulary-list missing.txt -o none.arpa";
    room.fails(missing, b"", 1, &["text.txt", "none of the words of the list"]);
    room.fails(&format!("{missing} --unknown prune"), b"", 1, &["none of the words of the list"]);
    room.fails("lm train text.txt --smoothing witten-bell -o -", b"", 2, &["name a file"]);
    room.fails("lm train text.txt --threads 0 --force -o model.arpa", b"", 2, &["expected a number from 1"]);
    room.fails("lm prune model.bin --threshold -1 --force -o pruned.arpa", b"", 2, &["threshold -1"]);
    room.fails("lm train text.txt --force -o model.arpa", b"", 2, &["--discount-fallback"]);
    room.fails("lm train text.txt --order 9 --force -o model.arpa", b"", 2, &["order 9"]);
    room.fails("lm train text.txt -o text.txt", b"", 2, &["both input and output"]);
    room.fails("lm train empty.txt --force -o model.arpa", b"", 1, &["empty.txt"]);
    room.fails("lm score text.txt text.txt", b"", 1, &["text.txt, line 3", "ARPA"]);
    room.fails("lm perplexity model.bin -", b"", 1, &["no words"]);
    assert_eq!(room.read("converted.arpa"), room.read("model.arpa"));
}

#[test]
fn a_language_model_is_trained_from_counts_of_its_pieces() {
    let room = Room::new();
    let pieces = ["Ana saw Rui.\nRui saw Ana in Lisbon.\n", "Ana left.\nRui left Lisbon with Ana.\n"];
    room.write("all.txt", pieces.concat()).write("1.txt", pieces[0]).write("2.txt", pieces[1]);
    room.out("lm count all.txt --order 3 -o all.counts", b"");
    room.out("lm count 1.txt --order 3 -o 1.counts --threads 1", b"");
    room.out("lm count - --order 4 -o 2.counts --memory 1M", pieces[1].as_bytes());
    room.out("lm merge 2.counts 1.counts -o merged.counts", b"");
    let bytes = |name: &str| fs::read(room.path(name)).unwrap();
    assert!(bytes("merged.counts") == bytes("all.counts"));
    let settings = "--discount-fallback --order 2";
    room.out(&format!("lm train all.txt {settings} -o all.arpa"), b"");
    for counts in ["1.counts 2.counts", "merged.counts", "all.counts"] {
        room.out(&format!("lm train --counts {counts} {settings} --force -o counted.arpa"), b"");
        assert_eq!(room.read("counted.arpa"), room.read("all.arpa"), "{counts}");
    }
    room.fails("lm train --counts 1.counts --order 4 -o a.arpa", b"", 2, &["up to order 3", "count again"]);
    room.fails("lm train all.txt --counts 1.counts -o a.arpa", b"", 2, &["cannot be used with"]);
    room.fails("lm train -o a.arpa", b"", 2, &["CORPUS"]);
    room.fails("lm train --counts all.txt -o a.arpa", b"", 1, &["all.txt", "is not a file of counts"]);
    room.fails("lm merge 1.counts -o 1.counts", b"", 2, &["both input and output"]);
    room.out("lm count 2.txt --plain --order 3 -o plain.counts", b"");
    room.fails(
        "lm merge 1.counts plain.counts -o a.counts",
        b"",
        1,
        &["plain.counts", "white space", "count both with the same settings"],
    );
    let whole = bytes("all.counts");
    fs::write(room.path("cut.counts"), &whole[..whole.len() - 1]).unwrap();
    room.fails("lm merge cut.counts -o a.counts", b"", 1, &["cut.counts", "cut off"]);
    let mut altered = whole;
    let middle = altered.len() / 2;
    altered[middle] ^= 1;
    fs::write(room.path("altered.counts"), &altered).unwrap();
    room.fails("lm merge altered.counts -o a.counts", b"", 1, &["altered.counts", "were altered"]);
}

#[test]
fn a_language_model_does_not_depend_on_memory() {
    let room = Room::new();
    let text: String = (0..30_000u32)
        .map(|i| format!("We met Word{} in Lisbon{} on {}\n", i % 701, i % 97, i * i % 331))
        .collect();
    room.write("text.txt", text);
    fs::create_dir(room.path("temp")).unwrap();
    for name in ["model.arpa", "model.bin"] {
        let train = format!("lm train --plain text.txt --order 5 --discount-fallback --force -o {name}");
        room.out(&train, b"");
        let whole = fs::read(room.path(name)).unwrap();
        for memory in ["--memory 1M", "--memory 1.5MB --temp temp --threads 1", "--memory 1G"] {
            room.out(&format!("{train} {memory}"), b"");
            assert!(fs::read(room.path(name)).unwrap() == whole, "{name} {memory}");
        }
    }
    assert_eq!(fs::read_dir(room.path("temp")).unwrap().count(), 0);
    let train = "lm train --plain text.txt --discount-fallback --force -o new.arpa";
    for (memory, problem) in
        [("1K", "at least 1M"), ("lots", "such as 2G"), ("-2G", "at least 1M"), ("nan", "such as")]
    {
        room.fails(&format!("{train} --memory={memory}"), b"", 2, &[problem]);
    }
    room.fails(&format!("{train} --memory 1G --temp none"), b"", 2, &["--temp none", "an existing folder"]);
    assert!(!room.path("new.arpa").exists());
}

#[test]
fn language_models_and_texts_are_read_in_other_encodings() {
    let room = Room::new();
    let text = "O Luís foi a Évora.\nA Évora ia o Luís.\n";
    let latin: Vec<u8> = text.chars().map(|c| c as u8).collect();
    room.write("utf8.txt", text);
    fs::write(room.path("latin.txt"), &latin).unwrap();
    let train = "--order 2 --discount-fallback";
    room.out(&format!("lm train {train} utf8.txt -o a.arpa"), b"");
    room.out(&format!("lm train {train} latin.txt --encoding windows-1252 -o b.arpa"), b"");
    assert_eq!(room.read("a.arpa"), room.read("b.arpa"));
    let arpa: Vec<u8> = room.read("a.arpa").chars().map(|c| c as u8).collect();
    fs::write(room.path("latin.arpa"), arpa).unwrap();
    room.fails("lm info latin.arpa", b"", 1, &["latin.arpa, line "]);
    room.out("lm convert latin.arpa --encoding windows-1252 -o c.arpa", b"");
    assert_eq!(room.read("a.arpa"), room.read("c.arpa"));
    let scores = room.out("lm score a.arpa utf8.txt", b"");
    assert_eq!(room.out("lm score latin.arpa latin.txt --encoding windows-1252", b""), scores);
    assert!(!String::from_utf8(scores).unwrap().contains("OOV: 1"));
}

#[test]
fn what_other_toolkits_leave_out_is_read_with_a_note() {
    let room = Room::new();
    room.write(
        "odd.arpa",
        "A model.\n\n\\data\\\nngram\t1=5\nngram 2=1\nngram 3=1\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\t-0.3\n-1\t</s>\n-0.5\ta\n\
         -0.7\tb\t0\n\n\\2-grams:\n-0.3\ta b\t-0.2\n\n\\3-grams:\n-0.4\tb a b\n\n\\end\\\n",
    );
    let output = room.run("lm info odd.arpa", b"");
    assert!(output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("odd.arpa, line 19: the n-gram begins with words that are not an n-gram"),
        "{said}"
    );
    assert!(
        said.contains("odd.arpa, line 12: the n-gram begins longer n-grams but has no back-off"),
        "{said}"
    );
    room.write("odd.moses", "Foo (3/3)\n\u{ad} (1/1)\nbar (2/2)\n");
    let output = room.run("lexicon export odd.moses", b"");
    assert!(output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("odd.moses, line 2, column 1: the form \"\\u{ad}\" is not a word"), "{said}");
}
