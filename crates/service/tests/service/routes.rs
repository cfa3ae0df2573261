//! The answers of each route.

use std::fs;
use std::path::PathBuf;

use majuscule::{
    FileRequest, Format, Input, LanguageChoice, MarkPlaces, MarkSet, Methods, Model, ModelPool, Preset,
    RestoreOptions,
};
use majuscule_base::named::NamedValue;
use majuscule_convert::{Conversion, CueCut, CueLimits};
use majuscule_service::ServiceOptions;
use serde_json::{Value, json};

use crate::client::Server;

fn server() -> Server {
    Server::new(ServiceOptions::default())
}

pub fn example(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    fs::read(path).unwrap()
}

#[test]
fn a_text_comes_back_with_words_and_sentences() {
    let server = server();
    let answer =
        server.restore(r#"{"text":"we met angela merkel in lisbon it was late","lang":"en","marks":".,?"}"#);
    assert_eq!(answer.status, 200, "{answer:?}");
    let answer = answer.json();
    assert_eq!(answer["text"], "We met Angela Merkel in Lisbon. It was late.");
    assert_eq!(answer["offsets"], "code_points");
    assert_eq!((&answer["language"], &answer["model"]), (&json!("en"), &json!("en.accurate")));
    assert_eq!(answer["version"], env!("CARGO_PKG_VERSION"));
    let lisbon = &answer["words"][5];
    assert_eq!((&lisbon["word"], &lisbon["punctuated_word"]), (&json!("lisbon"), &json!("Lisbon.")));
    assert_eq!((&lisbon["start"], &lisbon["end"]), (&json!(24), &json!(30)));
    assert_eq!(lisbon["sentence_end"], true);
    assert!(
        lisbon["confidence"].as_f64().unwrap() > 0.5 && lisbon["mark_confidence"].as_f64().unwrap() > 0.3
    );
    assert_eq!(
        answer["sentences"],
        json!([
            {"start": 0, "end": 30, "text": "We met Angela Merkel in Lisbon."},
            {"start": 31, "end": 42, "text": "It was late."},
        ])
    );
}

#[test]
fn an_option_means_what_it_means_in_the_library() {
    let server = server();
    let answer = |form: &str| {
        let request = json!({"text": "où est anna", "lang": "fr", "marks": "?", "mark_form": form});
        server.restore(&request.to_string()).json()["text"].clone()
    };
    assert_eq!([answer("written"), answer("joined")], ["Où est Anna\u{202f}?", "Où est Anna?"]);
}

#[test]
fn a_text_at_a_cursor_goes_on_in_the_text_around_it() {
    let server = server();
    let restored = |before: &str, after: &str| {
        let request =
            json!({"text": "to the park with anna", "marks": true, "before": before, "after": after});
        server.restore(&request.to_string()).json()
    };
    let answer = restored("We went", "and played");
    assert_eq!(
        (&answer["text"], &answer["words"][0]["start"]),
        (&json!(" to the park with Anna "), &json!(0))
    );
    assert_eq!(restored("", "")["text"], "To the park with Anna.");
    let refused = server.post("/v1/restore?before=We", "text/vtt", b"WEBVTT\n");
    assert_eq!(
        (refused.status, refused.json()["detail"].as_str().unwrap().contains("plain text")),
        (400, true)
    );
}

#[test]
fn a_recognisers_file_becomes_a_transcript() {
    let server = server();
    let file = example("interview.json");
    let written = |parameters: &str| {
        let answer =
            server.post(&format!("/v1/restore?to=text&marks=true&{parameters}"), "application/json", &file);
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.text()
    };
    assert!(
        written("names=SPEAKER_00%3DLaura&times=true&markdown=true")
            .starts_with("[00:00:00] **Laura:** Hello")
    );
    assert!(written("").starts_with("SPEAKER_00: Hello and welcome"));
    let lines = written("speakers=false");
    assert_eq!(lines.lines().count(), 11, "{lines}");
    assert!(written("speakers=false&paragraphs=true").contains("\n\nThank you, Laura"));
    let refused = server.post("/v1/convert?to=text&names=Ana", "application/json", &file);
    assert_eq!((refused.status, refused.json()["detail"].as_str().unwrap().contains("names")), (400, true));
}

#[test]
fn the_text_is_that_of_the_library() {
    let server = server();
    let model = Model::embedded("en").unwrap();
    for name in ["en.txt", "talk.srt"] {
        let text = String::from_utf8(example(name)).unwrap();
        for marks in [MarkSet::NONE, MarkSet::USUAL] {
            let request = json!({"text": text, "lang": "en", "marks": marks.to_string()});
            let answer = server.restore(&request.to_string()).json();
            let expected = model.with(RestoreOptions::default().marks(marks)).restore(&text).unwrap();
            assert_eq!(answer["text"], expected);
        }
    }
}

#[test]
fn offsets_are_in_the_unit_of_the_request() {
    let server = server();
    let text = "é😀 we met 😀 in lisbon 😀";
    let ask = |unit: &str| {
        let path = format!("/v1/restore{unit}");
        let body = json!({"text": text, "lang": "en"}).to_string();
        let answer = server.post(&path, "application/json", body.as_bytes()).json();
        let words = answer["words"].as_array().unwrap().clone();
        let lisbon = words.into_iter().find(|word| word["word"] == "lisbon").unwrap();
        (
            answer["offsets"].clone(),
            lisbon["start"].as_u64().unwrap() as usize,
            lisbon["end"].as_u64().unwrap() as usize,
        )
    };
    let (unit, start, end) = ask("?offsets=bytes");
    assert_eq!((unit, &text[start..end]), (json!("bytes"), "lisbon"));
    let points: Vec<char> = text.chars().collect();
    for (path, name) in [("", "code_points"), ("?offsets=code_points", "code_points")] {
        let (unit, start, end) = ask(path);
        assert_eq!((unit, points[start..end].iter().collect::<String>()), (json!(name), "lisbon".to_owned()));
    }
    let units: Vec<u16> = text.encode_utf16().collect();
    let (unit, start, end) = ask("?offsets=utf16");
    assert_eq!(
        (unit, String::from_utf16(&units[start..end]).unwrap()),
        (json!("utf16"), "lisbon".to_owned())
    );
}

#[test]
fn texts_are_restored_each_by_itself() {
    let answer = server().restore(r#"{"texts":["we met in lisbon","thanks angela",""],"lang":"en"}"#).json();
    assert_eq!(answer["texts"], json!(["We met in Lisbon", "Thanks Angela", ""]));
    assert!(answer.get("words").is_none());
}

#[test]
fn a_change_below_the_threshold_is_not_made() {
    let server = server();
    let text = "we met angela in lisbon it was late";
    let ask = |more: Value| {
        let mut body = json!({"text": text, "lang": "en", "marks": ".,?"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        server.restore(&body.to_string()).json()["text"].as_str().unwrap().to_owned()
    };
    assert_eq!(ask(json!({})), "We met Angela in Lisbon. It was late.");
    assert_eq!(ask(json!({"mark_threshold": 1})), "We met Angela in Lisbon it was late");
    assert_eq!(ask(json!({"mark_threshold": 1, "threshold": 1})), "We met angela in lisbon it was late");
    let query = "/v1/restore?lang=en&threshold=1";
    assert_eq!(server.post(query, "text/plain", text.as_bytes()).text(), text);
    let wrong = server.post("/v1/restore?threshold=2", "text/plain", b"a");
    assert_eq!(wrong.problem(400), "`threshold` is 2, but a probability from 0 to 1 was expected");
}

#[test]
fn spellings_reach_a_file() {
    let server = server();
    let ask = |spellings: &str| {
        let path = format!("/v1/restore?lang=en&spellings={spellings}");
        server.post(&path, "text/plain", b"my iphone in new york\n")
    };
    assert_eq!(ask("").text(), "My iPhone in New York\n");
    assert_eq!(ask("IPHONE%0Anew%20york%0A").text(), "My IPHONE in new york\n");
    assert!(ask("one%0A...").problem(422).starts_with("spellings, line 2: "));
    assert!(ask(&"a%0A".repeat(8 << 10)).status == 200);
    let wrong = ask(&"aa%0A".repeat(6 << 10));
    assert!(wrong.problem(400).contains("`spellings` has 18432 bytes"), "{wrong:?}");
    assert_eq!(wrong.json()["limit"], 16 << 10);
}

#[test]
fn words_keep_their_times() {
    let words = json!([
        {"word": "we", "start": 0.1, "end": 0.3, "confidence": 0.9},
        {"word": "met", "start": 0.3, "end": 0.5},
        {"word": "angela", "start": 0.5, "end": 1},
        "yesterday",
    ]);
    let body = json!({"words": words, "lang": "en", "marks": "."}).to_string();
    let answer = server().restore(&body).json();
    assert_eq!(answer["text"], "We met Angela yesterday.");
    assert_eq!(answer["words"][2]["punctuated_word"], "Angela");
    assert_eq!((&answer["words"][2]["start"], &answer["words"][2]["end"]), (&json!(0.5), &json!(1)));
    assert!(answer["words"][3].get("start").is_none() && answer.get("offsets").is_none());
    assert_eq!(answer["sentences"][0]["text"], "We met Angela yesterday.");
}

#[test]
fn punctuation_belongs_to_the_word_that_it_touches() {
    let answer = server().restore(r#"{"text":"(we met) in \"lisbon\".  then we left","lang":"en"}"#).json();
    let words: Vec<&str> = answer["words"]
        .as_array()
        .unwrap()
        .iter()
        .map(|word| word["punctuated_word"].as_str().unwrap())
        .collect();
    assert_eq!(words, ["(We", "met)", "in", "\"Lisbon\".", "Then", "we", "left"]);
    let sentences = answer["sentences"].as_array().unwrap();
    let texts: Vec<&str> = sentences.iter().map(|sentence| sentence["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["(We met) in \"Lisbon\".", "Then we left"]);
}

#[test]
fn options_change_the_answer() {
    let server = server();
    let text = |body: Value| server.restore(&body.to_string()).json()["text"].as_str().unwrap().to_owned();
    assert_eq!(text(json!({"text": "my ipad", "lang": "en", "spellings": ["iPad", "My"]})), "My iPad");
    assert_eq!(text(json!({"text": "ein iphone", "spellings": ["iPHONE"]})), "Ein iPHONE");
    assert_eq!(
        text(json!({"text": "ele disse que vivia em lisboa", "lang": "auto"})),
        "Ele disse que vivia em Lisboa"
    );
    assert_eq!(text(json!({"text": "in lisbon", "lang": "en", "sentence_start": "never"})), "in Lisbon");
    let plain =
        server.restore(r#"{"text":"in lisbon","preset":"fast","look_ahead":0,"confidence":false}"#).json();
    assert_eq!(plain["model"], "en.fast");
    assert!(plain["words"][0].get("confidence").is_none());
    let other = server
        .restore(r#"{"text":"wir haben uns gestern mit der frau und dem mann in der stadt getroffen"}"#);
    assert_eq!(other.json()["notes"].as_array().unwrap().len(), 1, "{other:?}");
}

#[test]
fn files_come_back_byte_for_byte_as_the_library_writes_them() {
    let (server, pool) = (server(), ModelPool::new(Methods::all()));
    let files = [
        ("talk.srt", "application/x-subrip", ""),
        ("talk.vtt", "text/vtt", ""),
        ("talk.json", "application/json", "?format=whisper-json"),
        ("talk.ctm", "text/plain", "?format=ctm"),
        ("en.txt", "text/plain; charset=utf-8", ""),
        ("pt.txt", "text/plain", "?lang=pt"),
        ("talk.srt", "application/octet-stream", "?format=auto&name=talk.srt"),
        ("talk.srt", "application/x-subrip", "?marks=auto"),
    ];
    for (name, kind, query) in files {
        let file = example(name);
        let answer = server.post(&format!("/v1/restore{query}"), kind, &file);
        let language =
            if query.contains("lang") { LanguageChoice::Named("pt".into()) } else { LanguageChoice::Default };
        let mut options = RestoreOptions::default();
        if query.contains("marks") {
            let pause = std::time::Duration::from_secs(2);
            options = options.marks(MarkSet::USUAL).mark_places(MarkPlaces::Unmarked).pause_ends(Some(pause));
        }
        let request = FileRequest::default().language(language).options(options);
        let mut expected = Vec::new();
        pool.restore_file(Input::uncompressed(name, &*file), &request, &mut expected).unwrap();
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(answer.body == expected && expected != file, "{name}{query}");
        assert_eq!(answer.header("majuscule-format"), Some(Format::of_name(name.as_ref()).name_of()));
    }
}

#[test]
fn a_file_has_its_language_format_and_notes_in_headers() {
    let server = server();
    let answer = server.post("/v1/restore?lang=auto", "text/plain", b"ele disse que vivia em lisboa");
    assert_eq!(answer.header("content-language"), Some("pt"));
    assert_eq!(answer.header("content-type"), Some("text/plain; charset=utf-8"));
    assert_eq!(answer.header("majuscule-notes"), Some("[]"));
    let srt = "1\n00:00:01,000 --> 00:00:02,000\nwe met\n";
    let answer = server.post(
        "/v1/restore?format=auto&lossy=true&name=%C3%A9%F0%9F%98%80.vtt",
        "text/plain",
        srt.as_bytes(),
    );
    let notes: Vec<String> = serde_json::from_str(answer.header("majuscule-notes").unwrap()).unwrap();
    assert!(notes[0].starts_with("é😀.vtt has the extension of vtt, but begins like srt"), "{notes:?}");
}

#[test]
fn conversion_is_that_of_the_library() {
    let server = server();
    let file = example("talk.srt");
    let answer = server.post("/v1/convert?from=srt&to=vtt", "application/x-subrip", &file);
    let conversion = Conversion { from: Format::Srt, to: Format::Vtt, ..Conversion::default() };
    let mut expected = Vec::new();
    conversion.run(Input::uncompressed("talk.srt", &*file), &mut expected, "out".as_ref()).unwrap();
    assert_eq!((answer.status, answer.text()), (200, String::from_utf8(expected).unwrap()));
    assert_eq!(answer.header("content-type"), Some("text/vtt; charset=utf-8"));

    let file = example("talk.json");
    let answer = server.post("/v1/convert?to=srt&cues=sentence&max_chars=30", "application/json", &file);
    let conversion = Conversion {
        from: Format::WhisperJson,
        to: Format::Srt,
        cut: Some(CueCut::Sentence),
        limits: CueLimits { max_chars: 30, ..CueLimits::default() },
        ..Conversion::default()
    };
    let mut expected = Vec::new();
    conversion.run(Input::uncompressed("talk.json", &*file), &mut expected, "out".as_ref()).unwrap();
    assert_eq!((answer.status, answer.text()), (200, String::from_utf8(expected).unwrap()));
}

#[test]
fn a_file_is_restored_and_converted_in_one_request() {
    let server = server();
    let file = example("talk.json");
    let restored = server.post("/v1/restore?format=whisper-json&marks=auto", "text/plain", &file).body;
    // Words with times become cues, whose cuts depend on the language.
    let conversion = Conversion {
        from: Format::WhisperJson,
        to: Format::Srt,
        cut: Some(CueCut::Sentence),
        limits: CueLimits { language: Some("en".to_owned()), ..CueLimits::default() },
        ..Conversion::default()
    };
    let mut expected = Vec::new();
    let notes =
        conversion.run(Input::uncompressed("talk.json", &*restored), &mut expected, "out".as_ref()).unwrap();
    let answer = server.post("/v1/restore?to=srt&marks=auto&lang=en", "application/json", &file);
    assert_eq!((answer.status, answer.text()), (200, String::from_utf8(expected).unwrap()), "{answer:?}");
    assert!(answer.text().contains("\nGood evening and welcome"), "{answer:?}");
    let header = |name| answer.header(name).unwrap();
    assert_eq!(
        [header("content-type"), header("content-language"), header("majuscule-format")],
        ["application/x-subrip", "en", "srt"]
    );
    assert!(header("majuscule-notes").contains(&notes.left_out.unwrap()), "{answer:?}");

    // The answer is UTF-8; a file without another format to convert to stays in its own.
    let utf16: Vec<u8> =
        "1\n00:00:01,000 --> 00:00:02,000\nin lisbon\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let vtt = server.post("/v1/restore?to=vtt&encoding=utf-16le", "application/x-subrip", &utf16);
    assert_eq!(vtt.text(), "WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\nIn Lisbon\n\n", "{vtt:?}");
    let srt = example("talk.srt");
    for to in ["srt", "auto"] {
        let same = server.post(&format!("/v1/restore?to={to}"), "application/x-subrip", &srt);
        assert_eq!(same.body, server.post("/v1/restore", "application/x-subrip", &srt).body);
    }
    let lost = server.post("/v1/restore?to=text&strict=true", "application/x-subrip", &srt);
    assert!(lost.problem(422).contains("`strict`"), "{lost:?}");
    let short = server.post("/v1/restore?to=srt&max_chars=20", "application/json", &file);
    let cut = server.post("/v1/restore?to=srt&cues=sentence&max_chars=20", "application/json", &file);
    assert_eq!((short.status, &short.body), (200, &cut.body), "{short:?}");
    let uncut = server.post("/v1/restore?to=vtt&max_chars=20", "application/x-subrip", &srt);
    assert!(uncut.problem(400).ends_with("limits of cues are for new cues: give `cues` too"), "{uncut:?}");
}

#[test]
fn the_service_says_what_it_has() {
    let server = server();
    assert_eq!(server.get("/health").json(), json!({"status": "ok"}));
    assert_eq!(server.get("/ready").json(), json!({"status": "ready"}));
    let languages = server.get("/v1/languages").json();
    assert_eq!(languages["default"], "en");
    assert!(languages["languages"].as_array().unwrap().contains(&json!({"tag": "pt", "name": "Portuguese"})));
    let models = server.get("/v1/models").json();
    let fast = models["models"].as_array().unwrap().iter().find(|model| model["model"] == "en.fast").unwrap();
    assert_eq!((&fast["method"], &fast["has_confidence"]), (&json!("maxent"), &json!(true)));
}

#[test]
fn models_are_listed_without_being_loaded() {
    let server = server();
    let models = server.get("/v1/models").json();
    assert!(server.get("/metrics").text().contains("majuscule_loaded_models 0\n"));
    for listed in models["models"].as_array().unwrap() {
        let preset = Preset::of_name(listed["preset"].as_str().unwrap()).unwrap();
        let model = Methods::all()
            .load_preset(listed["language"].as_str().unwrap(), preset, &Default::default())
            .unwrap();
        let method = &model.restorer;
        let expected =
            json!([method.has_probabilities(), method.look_ahead(), method.labels().marks().to_string()]);
        assert_eq!(
            json!([listed["has_confidence"], listed["look_ahead"], listed["marks"]]),
            expected,
            "{listed}"
        );
    }
}

#[test]
fn metrics_count_requests_by_route_and_status() {
    let server = server();
    server.restore(r#"{"text":"a"}"#);
    server.restore("{");
    server.get("/no/such/path");
    let page = server.get("/metrics").text();
    for line in [
        "majuscule_requests_total{route=\"/v1/restore\",status=\"200\"} 1",
        "majuscule_requests_total{route=\"/v1/restore\",status=\"400\"} 1",
        "majuscule_requests_total{route=\"other\",status=\"404\"} 1",
        "majuscule_request_seconds_count{route=\"/v1/restore\"} 2",
        "majuscule_queue_length 0",
    ] {
        assert!(page.lines().any(|found| found == line), "{line}: {page}");
    }
}

#[test]
fn the_page_loads_nothing_from_elsewhere() {
    let server = server();
    let page = server.get("/");
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'"), "{policy}");
    let paths = page.text();
    let modules = fs::read_dir(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("page")).unwrap();
    let names = modules.map(|file| file.unwrap().file_name().into_string().unwrap());
    let names: Vec<String> = names.filter(|name| name != "index.html").collect();
    assert!(names.len() > 2 && paths.contains("src=\"page.js\"") && paths.contains("href=\"page.css\""));
    let mut files: Vec<_> = names.iter().map(|name| server.get(&format!("/{name}"))).collect();
    files.push(server.get("/"));
    assert!(files.iter().all(|file| file.status == 200));
    assert!(files.iter().map(|file| file.body.len()).sum::<usize>() < 100_000);
    for forbidden in [
        "http:",
        "https:",
        "//cdn",
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
    ] {
        assert!(files.iter().all(|file| !file.text().contains(forbidden)), "{forbidden}");
    }
    let inline = ["style=", " onclick", "<style"];
    assert!(inline.iter().all(|inline| !page.text().contains(inline)));
    assert_eq!(server.get("/favicon.ico").status, 204);
}

#[test]
fn a_named_model_is_asked_for_by_its_name() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../lm/en.fast");
    let pool = ModelPool::new(Methods::all()).with_model("mine", path).unwrap();
    let server = Server::over(pool, ServiceOptions::default());
    let answer = server.restore(r#"{"text":"in lisbon","model":"mine"}"#).json();
    assert_eq!([&answer["model"], &answer["language"], &answer["text"]], ["mine", "en", "In Lisbon"]);
    let answer = server.restore(r#"{"text":"em lisboa","model":"pt.fast","lang":"pt-BR"}"#).json();
    assert_eq!([&answer["model"], &answer["language"]], ["pt.fast", "pt-BR"]);
    let answer = server.post("/v1/restore?model=mine", "text/plain", b"in lisbon");
    assert_eq!((answer.text().as_str(), answer.header("content-language")), ("In Lisbon", Some("en")));
    let models = server.get("/v1/models").json();
    assert_eq!(
        (&models["models"][0]["model"], &models["models"][0]["language"]),
        (&json!("mine"), &json!("en"))
    );
    for (body, detail) in [
        (r#"{"text":"a","model":"other"}"#, "no model is called \"other\": expected mine, or a language"),
        (r#"{"text":"a","model":"mine","lang":"pt"}"#, "`lang` pt is not the language of the model mine, en"),
        (r#"{"text":"a","model":"mine","preset":"fast"}"#, "`model` and `preset` both choose the model"),
        (r#"{"text":"a","model":"../../etc"}"#, "no model is called \"../../etc\""),
    ] {
        assert!(server.restore(body).problem(400).starts_with(detail), "{detail}");
    }
}
