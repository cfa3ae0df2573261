//! The OpenAPI document beside the service.

use std::collections::BTreeSet;

use majuscule_service::ServiceOptions;
use serde_json::{Map, Value, json};

use crate::client::{HttpAnswer, Server};

struct Api {
    server: Server,
    document: Value,
}

/// A documented operation.
struct Operation<'a> {
    path: &'a str,
    method: &'a str,
    given: &'a Value,
}

impl Api {
    fn new() -> Self {
        let server = Server::new(ServiceOptions::default());
        let document = server.get("/openapi.json").json();
        Self { server, document }
    }

    fn operations(&self) -> Vec<Operation<'_>> {
        let mut operations = Vec::new();
        for (path, methods) in self.document["paths"].as_object().unwrap() {
            for (method, given) in methods.as_object().unwrap() {
                operations.push(Operation { path, method, given });
            }
        }
        operations
    }

    /// The value that a reference stands for.
    fn resolved<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(place) => self.resolved(self.document.pointer(&place[1..]).unwrap()),
            None => value,
        }
    }

    /// The names of the parameters of an operation.
    fn parameters(&self, given: &Value) -> BTreeSet<String> {
        let parameters = given["parameters"].as_array().into_iter().flatten();
        parameters.map(|parameter| self.resolved(parameter)["name"].as_str().unwrap().to_owned()).collect()
    }

    /// The names of the fields of a schema.
    fn fields(&self, schema: &Value) -> BTreeSet<String> {
        self.resolved(schema)["properties"].as_object().unwrap().keys().cloned().collect()
    }

    /// Posts a body of a content type, with the parameters in `query`.
    fn post(&self, path: &str, query: &str, kind: &str, body: &Value) -> HttpAnswer {
        let path = format!("{path}{query}");
        match kind {
            "application/json" => self.server.post(&path, kind, body.to_string().as_bytes()),
            "application/x-www-form-urlencoded" => {
                let fields = body.as_object().unwrap().iter();
                let fields: Vec<_> = fields.map(|(name, value)| (&**name, value.as_str().unwrap())).collect();
                self.server.form(&path, &fields)
            }
            "multipart/form-data" => {
                let part = |(name, value): (&String, &Value)| {
                    format!(
                        "--x\r\nContent-Disposition: form-data; name={name}\r\n\r\n{}\r\n",
                        value.as_str().unwrap()
                    )
                };
                let parts: String = body.as_object().unwrap().iter().map(part).collect();
                self.server.post(&path, "multipart/form-data; boundary=x", format!("{parts}--x--").as_bytes())
            }
            _ => self.server.post(&path, kind, body.as_str().unwrap().as_bytes()),
        }
    }
}

/// The names that an error says are expected.
fn expected(answer: &HttpAnswer, unknown: &str) -> BTreeSet<String> {
    let detail = answer.problem(400);
    let names = detail.strip_prefix(&format!("the field {unknown:?} is not known here: expected some of "));
    names.unwrap_or_else(|| panic!("{detail}")).split(", ").map(str::to_owned).collect()
}

#[test]
fn the_document_is_of_this_version() {
    let api = Api::new();
    assert_eq!(api.document["openapi"], "3.1.0");
    assert_eq!(api.document["info"]["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn every_documented_route_exists_with_its_methods() {
    let api = Api::new();
    for path in api.document["paths"].as_object().unwrap().keys() {
        let head = format!("BREW {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        let answer = api.server.raw(head.as_bytes());
        assert_eq!(answer.status, 405, "{path}");
        let allowed = answer.header("allow").unwrap().split(',').filter(|method| *method != "HEAD");
        let allowed: BTreeSet<String> = allowed.map(str::to_lowercase).collect();
        let documented = api.document["paths"][path].as_object().unwrap().keys().cloned().collect();
        assert_eq!(allowed, documented, "{path}");
    }
}

#[test]
fn the_fields_of_json_are_those_that_are_accepted() {
    let api = Api::new();
    let accepted = |path: &str, body: Value| {
        let mut body = body;
        body["no_such_field"] = json!(1);
        expected(&api.post(path, "", "application/json", &body), "no_such_field")
    };
    let schema = |path: &str| {
        &api.document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
    };
    assert_eq!(accepted("/v1/restore", json!({"text": "a"})), api.fields(schema("/v1/restore")));
    let given = json!({"reference": "a", "hypothesis": "a"});
    assert_eq!(accepted("/v1/score", given), api.fields(schema("/v1/score")));
    let word = api.post(
        "/v1/restore",
        "",
        "application/json",
        &json!({"words": [{"word": "a", "no_such_field": 1}]}),
    );
    assert_eq!(
        expected(&word, "words[0].no_such_field"),
        api.fields(&api.document["components"]["schemas"]["Word"])
    );
}

#[test]
fn the_parameters_are_those_that_are_accepted() {
    let api = Api::new();
    let accepted = |path: &str, kind: &str, query: &str| {
        let query = format!("?no_such_field=1{query}");
        expected(&api.post(path, &query, kind, &json!("a")), "no_such_field")
    };
    let documented = |path: &str| api.parameters(&api.document["paths"][path]["post"]);
    let of_json = accepted("/v1/restore", "application/json", "");
    let of_files = accepted("/v1/restore", "text/plain", "");
    assert_eq!(&of_json | &of_files, documented("/v1/restore"));
    assert_eq!(of_json, BTreeSet::from(["offsets".to_owned()]));
    assert_eq!(accepted("/v1/convert", "text/vtt", "&to=srt"), documented("/v1/convert"));
}

#[test]
fn the_parts_of_forms_are_those_that_are_accepted() {
    let api = Api::new();
    for (path, more) in [("/v1/restore", json!({})), ("/v1/convert", json!({"to": "srt"}))] {
        let mut body = json!({"file": "a", "no_such_field": "1"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let mut accepted = expected(&api.post(path, "", "multipart/form-data", &body), "no_such_field");
        accepted.insert("file".to_owned());
        let content = &api.document["paths"][path]["post"]["requestBody"]["content"];
        assert_eq!(accepted, api.fields(&content["multipart/form-data"]["schema"]), "{path}");
    }
}

#[test]
fn the_examples_run() {
    let api = Api::new();
    let mut ran = 0;
    for Operation { path, method, given } in api.operations() {
        let none = Map::new();
        let content = given["requestBody"]["content"].as_object().unwrap_or(&none);
        for (kind, content) in content {
            for example in content["examples"].as_object().unwrap_or(&none).values() {
                assert_eq!(method, "post");
                let answer = api.post(path, "", kind, &example["value"]);
                assert_eq!(answer.status, 200, "{path} {kind} {answer:?}");
                let answered = answer.header("content-type").unwrap().split(';').next().unwrap();
                let content = &given["responses"]["200"]["content"][answered];
                assert!(content.is_object(), "{path}: {answered}");
                let schema = &content["schema"];
                let schema = if schema["anyOf"].is_array() { &schema["anyOf"][0] } else { schema };
                if answered == "application/json" {
                    let found: BTreeSet<String> =
                        answer.json().as_object().unwrap().keys().cloned().collect();
                    let known = api.fields(schema);
                    assert!(found.is_subset(&known), "{path}: {found:?} {known:?}");
                }
                ran += 1;
            }
        }
    }
    assert!(ran >= 6, "{ran}");
}

#[test]
fn the_page_of_the_document_loads_nothing_from_elsewhere() {
    let server = Server::new(ServiceOptions::default());
    let files = ["/docs", "/docs.js", "/docs.css"].map(|path| server.get(path));
    assert!(files.iter().all(|file| file.status == 200));
    assert!(files.iter().map(|file| file.body.len()).sum::<usize>() < 20_000);
    let policy = files[0].header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'"), "{policy}");
    for forbidden in ["http:", "https:", "//cdn", "innerHTML", "outerHTML", "insertAdjacentHTML", "eval("] {
        assert!(files.iter().all(|file| !file.text().contains(forbidden)), "{forbidden}");
    }
}
