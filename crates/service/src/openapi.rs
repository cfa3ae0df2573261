//! The OpenAPI document of all routes, and a page that shows it.

use std::sync::LazyLock;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use majuscule::{Door, OptionKind, UserOption};
use serde_json::{Value, json};

use crate::page::file;

/// The document. Where it names `options`, the options of the library come in.
const DOCUMENT: &str = include_str!("../openapi.json");

static WHOLE: LazyLock<String> = LazyLock::new(|| {
    let each = |write: &dyn Fn(&UserOption, &str) -> String| {
        let options = UserOption::at(Door::Service);
        options.map(|option| write(option, &option.field())).collect::<Vec<_>>().join(", ")
    };
    let mut document = DOCUMENT.to_owned();
    for place in REFERENCES {
        let named = |name: &str| place.replace("options", name);
        document = document.replace(place, &each(&|_, name| named(name)));
    }
    let parameter = |option: &UserOption, name: &str| {
        let schema = json!({"$ref": format!("#/components/schemas/{name}")});
        let parameter =
            json!({"name": name, "in": "query", "description": option.summary(), "schema": schema});
        format!("{name:?}: {parameter}")
    };
    let schema = |option: &UserOption, name: &str| format!("{name:?}: {}", schema_of(option));
    document.replace(PARAMETERS, &each(&parameter)).replace(SCHEMAS, &each(&schema))
});

/// The parts of the document that name `options`, and that each option repeats with its own name.
const REFERENCES: [&str; 3] = [
    r##"{"$ref": "#/components/parameters/options"}"##,
    r##""options": {"$ref": "#/components/schemas/options"}"##,
    r##""options": {"anyOf": [{"$ref": "#/components/schemas/options"}, {"type": "null"}]}"##,
];

/// The place of the options among the parameters, and among the schemas.
const PARAMETERS: &str = r#""options": {"in": "query"}"#;
const SCHEMAS: &str = r#""options": {"type": "object"}"#;

/// The document.
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let document = || async { ([(CONTENT_TYPE, "application/json")], WHOLE.as_str()) };
    Router::new().route("/openapi.json", get(document))
}

/// Returns the JSON schema of an option's values.
fn schema_of(option: &UserOption) -> Value {
    let listed = |names: fn() -> Vec<(&'static str, &'static str)>| names().into_iter().map(|(name, _)| name);
    let mut schema = match option.kind {
        OptionKind::Flag => json!({"type": "boolean"}),
        OptionKind::Text(_) => json!({"type": "string"}),
        OptionKind::Count(least) => json!({"type": "integer", "minimum": least}),
        OptionKind::Probability => json!({"type": "number", "minimum": 0, "maximum": 1}),
        OptionKind::Seconds => json!({"type": "number", "exclusiveMinimum": 0}),
        OptionKind::Choice(names, default) => {
            let mut schema = json!({"type": "string", "enum": listed(names).collect::<Vec<_>>()});
            if let Some(default) = default {
                schema["default"] = default.into();
            }
            schema
        }
        OptionKind::Choices(names) => {
            let one = listed(names).collect::<Vec<_>>().join("|");
            json!({"type": "string", "pattern": format!("^({one})(,({one}))*$")})
        }
        OptionKind::Marks => {
            json!({"type": ["string", "boolean"], "pattern": "^(auto|all|none|true|false|[.,?!:;…–-]*)$"})
        }
    };
    schema["description"] = option.summary().into();
    schema
}

/// The files of the page.
pub fn page_routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let html = || async { file("text/html", include_str!("../docs/index.html")) };
    let style = || async { file("text/css", include_str!("../docs/docs.css")) };
    let script = || async { file("text/javascript", include_str!("../docs/docs.js")) };
    Router::new().route("/docs", get(html)).route("/docs.css", get(style)).route("/docs.js", get(script))
}

// Without scores the document has a route more.
#[cfg(all(test, feature = "score"))]
mod tests {
    use std::collections::BTreeSet;

    use majuscule::{Methods, ModelPool};

    use super::*;
    use crate::{ServiceOptions, page};

    /// The paths of a router, which it shows in no other way.
    fn paths(router: &Router) -> BTreeSet<String> {
        let shown = format!("{router:?}");
        let quoted = shown.split('"').skip(1).step_by(2);
        quoted.filter(|text| text.starts_with('/')).map(str::to_owned).collect()
    }

    #[test]
    fn every_route_is_documented() {
        let pool = ModelPool::new(Methods::all()).into();
        let all = paths(&crate::routes(pool, ServiceOptions::default()));
        let pages = &paths(&page::routes()) | &paths(&page_routes());
        assert!(all.contains("/v1/restore") && pages.contains("/") && pages.is_subset(&all), "{all:?}");
        assert!(!WHOLE.contains("\"options\"") && !WHOLE.contains("/options\""));
        let document: Value = serde_json::from_str(&WHOLE).unwrap();
        let documented: BTreeSet<String> = document["paths"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(&all - &pages, documented);
    }
}
