//! `restore` writes texts in their encoding, with unusual characters as they were.

use std::fs;

use crate::room::Room;

#[test]
fn odd_texts_come_through_byte_for_byte() {
    let room = Room::new();
    let tag = "<".repeat(3000);
    for text in [
        "",
        "\n",
        "\r\n\r\n",
        "\u{feff}",
        "\0\0\0",
        "\u{301}\u{301}\u{308}",
        "\u{200d}\u{ad}",
        " \t\u{a0}\u{2028}",
        &tag,
        "’’--''",
    ] {
        assert_eq!(room.restored("", text), text);
        room.write("odd.txt", text);
        assert_eq!(room.restored("odd.txt", ""), text);
    }
    assert_eq!(room.restored("", "\u{feff}lisbon\0 \0bbc\0"), "\u{feff}Lisbon\0 \0BBC\0");
    assert_eq!(room.restored("", "lis\u{ad}bon bbc\u{301}"), "Lis\u{ad}bon bbc\u{301}");
    assert_eq!(room.restored("", "sa\u{303}o tome\u{301} são tomé"), "Sa\u{303}o Tome\u{301} São Tomé");
    assert_eq!(room.restored("", "o’neill l'europe"), "O’Neill l'Europe");
}

#[test]
fn texts_keep_their_encoding() {
    let room = Room::new();
    room.write("old.txt", b"s\xe3o tom\xe9 \x81\r\n\xff");
    room.fails("restore --model model old.txt", b"", 1, &["old.txt, line 1, column 2", "--encoding"]);
    let restored = |line: &str, input: &[u8]| room.out(&format!("restore --model model {line}"), input);
    {
        assert_eq!(restored("--encoding windows-1252 old.txt", b""), b"S\xe3o Tom\xe9 \x81\r\n\xff");
        let diff = restored("--encoding windows-1252 --diff old.txt", b"");
        assert!(String::from_utf8(diff).unwrap().contains("\n-são tomé \u{81}\r\n+São Tomé \u{81}\r\n ÿ\n"));
        room.fails(
            "restore --model model --encoding windows-1253",
            b"a\n \xd2",
            1,
            &["line 2, column 2", "found 0xd2"],
        );
        assert_eq!(restored("--encoding windows-1253 --lossy", b"bbc \xd2 bbc"), b"BBC \xd2 BBC");
        // A file in UTF-8 is read as UTF-8, and a file has only one encoding.
        room.write("texts.txt", "são tomé\n").write("mixed.txt", b"s\xc3\xa3o\ntom\xe9\n");
        let output = room
            .run("restore --model model --encoding windows-1252 --in-place old.txt texts.txt mixed.txt", b"");
        assert_eq!(fs::read(room.path("old.txt")).unwrap(), b"S\xe3o Tom\xe9 \x81\r\n\xff");
        assert_eq!(room.read("texts.txt"), "São Tomé\n");
        assert_eq!(fs::read(room.path("mixed.txt")).unwrap(), b"s\xc3\xa3o\ntom\xe9\n");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            said.contains("texts.txt: read as UTF-8, its actual encoding, instead of windows-1252\n"),
            "{said}"
        );
        assert!(said.contains("mixed.txt, line 2, column 4: found 0xe9, which is not UTF-8"), "{said}");
        // Several of these files are one line.
        room.write("more.txt", "são paulo\n");
        let line = "restore --model model --encoding windows-1252 --check texts.txt more.txt old.txt";
        let said = String::from_utf8(room.run(line, b"").stderr).unwrap();
        assert_eq!(said.matches("read as").count(), 1, "{said}");
        let note = "majuscule: 2 files, such as texts.txt: read as UTF-8, their actual encoding, instead of windows-1252\n";
        assert!(said.starts_with(note), "{said}");
        // A byte-order mark wins over the option.
        assert_eq!(
            restored("--encoding windows-1252", "\u{feff}são tomé".as_bytes()),
            "\u{feff}São Tomé".as_bytes()
        );
    }
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    assert_eq!(restored("", &wide("\u{feff}são tomé\n")), wide("\u{feff}São Tomé\n"));
    assert_eq!(restored("--stream --encoding utf-16be", &wide("são tomé\n")), wide("São Tomé\n"));
    room.write("wide.txt", wide("\u{feff}the bbc"));
    assert_eq!(room.restored("--in-place wide.txt", ""), "");
    assert_eq!(fs::read(room.path("wide.txt")).unwrap(), wide("\u{feff}the BBC"));
    let odd = [wide("\u{feff}bbc "), vec![0xd8, 0, 0, b'a', 0]].concat();
    room.fails("restore --model model", &odd, 1, &["standard input, line 1, column 6", "0xd8 0x00"]);
    assert_eq!(restored("--lossy", &odd), [wide("\u{feff}BBC "), vec![0xd8, 0, 0, b'a', 0]].concat());
    room.fails("restore --model model", &[0xff, 0xfe, 0, 0, b'a', 0, 0, 0], 1, &["UTF-32"]);
    room.fails(
        "restore --model model --encoding klingon",
        b"",
        2,
        &["klingon", "windows-1250 to windows-1258"],
    );
    room.fails("restore --model model --encoding iso-2022-jp", b"", 2, &["ISO-2022-JP is not supported"]);
    // A double-byte encoding is not written, unless the text is ASCII or UTF-8.
    for (name, text) in [("shift_jis", &b"bbc\n \x93\xfa"[..]), ("gbk", b"bbc\n \xc8\xd5")] {
        for line in ["", " --lossy", " --stream"] {
            let line = format!("restore --model model --encoding {name}{line}");
            room.fails(
                &line,
                text,
                1,
                &["is read, but not written: convert the file to UTF-8 first (iconv does)"],
            );
        }
        assert_eq!(restored(&format!("--encoding {name}"), b"the bbc\n"), b"the BBC\n");
    }
}
