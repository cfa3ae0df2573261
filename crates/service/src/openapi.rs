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
    let mut document = serde_json::from_str(DOCUMENT).expect("the document is JSON");
    expand(&mut document);
    let Value::Object(components) = &mut document["components"] else { unreachable!("it has components") };
    for option in UserOption::at(Door::Service) {
        let name = option.name.replace('-', "_");
        let schema = json!({"$ref": format!("#/components/schemas/{name}")});
        let parameter =
            json!({"name": name, "in": "query", "description": option.summary(), "schema": schema});
        components["parameters"][&name] = parameter;
        components["schemas"][&name] = schema_of(option);
    }
    document.to_string()
});

/// The document.
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let document = || async { ([(CONTENT_TYPE, "application/json")], WHOLE.as_str()) };
    Router::new().route("/openapi.json", get(document))
}

/// Returns what stands for each option where the document names `options`.
fn each_option(given: &Value) -> Vec<(String, Value)> {
    let given = given.to_string();
    let option = |option: &UserOption| {
        let name = option.name.replace('-', "_");
        let value = given.replace("/options", &format!("/{name}"));
        (name, serde_json::from_str(&value).expect("only a name is another"))
    };
    UserOption::at(Door::Service).map(option).collect()
}

/// Puts the options of the library into lists of parameters and into the properties of objects.
fn expand(value: &mut Value) {
    match value {
        Value::Array(items) => {
            let is_options = |item: &Value| item["$ref"] == "#/components/parameters/options";
            if let Some(at) = items.iter().position(is_options) {
                let options: Vec<Value> = each_option(&items[at]).into_iter().map(|(_, item)| item).collect();
                items.splice(at..=at, options);
            }
            items.iter_mut().for_each(expand);
        }
        Value::Object(members) => {
            if let Some(Value::Object(properties)) = members.get_mut("properties")
                && let Some(options) = properties.remove("options")
            {
                properties.extend(each_option(&options));
            }
            members.values_mut().for_each(expand);
        }
        _ => {}
    }
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
        let document: Value = serde_json::from_str(&WHOLE).unwrap();
        let documented: BTreeSet<String> = document["paths"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(&all - &pages, documented);
    }
}
