//! The OpenAPI document of all routes.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use majuscule::{Format, LANGUAGES, Preset, RestoreOptions};
use majuscule_base::named::NamedValue;
use majuscule_convert::Conversion;
use majuscule_text::{Door, OptionKind, UserOption, UserSettings};
use serde_json::{Value, json};

/// The template of the document. Its placeholders are replaced: the groups `options` and `conversion` by their
/// fields, and others by [`RESPONSES`], the formats with their content types, the presets and the languages.
const DOCUMENT: &str = include_str!("../openapi.json");

static WHOLE: LazyLock<String> = LazyLock::new(|| {
    let mut document = DOCUMENT.to_owned();
    for (group, fields) in [("options", fields::<RestoreOptions>()), ("conversion", fields::<Conversion>())] {
        let each = |write: &dyn Fn(&str, &Value) -> String| {
            fields.iter().map(|(name, schema)| write(name, schema)).collect::<Vec<_>>().join(", ")
        };
        for place in REFERENCES {
            let place = place.replace("GROUP", group);
            document = document.replace(&place, &each(&|name, _| place.replace(group, name)));
        }
        let parameter = |name: &str, schema: &Value| {
            let named = json!({"$ref": format!("#/components/schemas/{name}")});
            let described = &schema["description"];
            let parameter = json!({"name": name, "in": "query", "description": described, "schema": named});
            format!("{name:?}: {parameter}")
        };
        document = document
            .replace(&PARAMETERS.replace("GROUP", group), &each(&parameter))
            .replace(&SCHEMAS.replace("GROUP", group), &each(&|name, schema| format!("{name:?}: {schema}")));
    }
    let joined = |parts: Vec<String>| parts.join(", ");
    for (group, responses) in RESPONSES {
        let of = |(status, name): &(&str, &str)| {
            format!(r##""{status}": {{"$ref": "#/components/responses/{name}"}}"##)
        };
        document =
            document.replace(&format!("\"{group}\": {{}}"), &joined(responses.iter().map(of).collect()));
    }
    let types = Format::all().iter().filter_map(|info| Some(*info.media_types.first()?));
    let types: BTreeSet<&str> = types.filter(|kind| !DESCRIBED.contains(kind)).collect();
    let types = types.into_iter().map(|kind| format!("{kind:?}: {{}}")).collect();
    document
        .replace("\"files\": {}", &joined(types))
        .replace("\"FORMATS\"", &joined(quoted::<Format>()))
        .replace("\"PRESETS\"", &joined(quoted::<Preset>()))
        .replace("(LANGUAGES)", &format!("({})", LANGUAGES.join("|")))
});

/// Returns the names of the values of a setting, in quotes.
fn quoted<T: NamedValue>() -> Vec<String> {
    T::VALUES.iter().map(|(_, name, _)| format!("{name:?}")).collect()
}

/// The errors that several routes have in common, by their placeholder in the document: for guarded routes, for
/// routes that compute, and for routes that receive a body.
const RESPONSES: [(&str, &[(&str, &str)]); 3] = [
    ("guarded", &[("401", "Unauthorized"), ("403", "OtherPage")]),
    ("computed", &[("429", "Busy"), ("500", "Bug"), ("503", "Late")]),
    (
        "received",
        &[
            ("400", "BadRequest"),
            ("408", "TooSlow"),
            ("413", "TooLong"),
            ("415", "OtherType"),
            ("422", "WrongFile"),
        ],
    ),
];

/// The content types that the document already describes, including one for any file.
const DESCRIBED: [&str; 3] = ["application/json", "text/vtt", "application/octet-stream"];

/// The parts of the document that name a group. Each is repeated for all fields of the group, with their names.
const REFERENCES: [&str; 3] = [
    r##"{"$ref": "#/components/parameters/GROUP"}"##,
    r##""GROUP": {"$ref": "#/components/schemas/GROUP"}"##,
    r##""GROUP": {"anyOf": [{"$ref": "#/components/schemas/GROUP"}, {"type": "null"}]}"##,
];

/// The placeholders of a group, among the parameters and among the schemas.
const PARAMETERS: &str = r#""GROUP": {"in": "query"}"#;
const SCHEMAS: &str = r#""GROUP": {"type": "object"}"#;

/// Makes the route of the document.
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let document = || async { ([(CONTENT_TYPE, "application/json")], WHOLE.as_str()) };
    Router::new().route("/openapi.json", get(document))
}

/// Returns the fields of settings, with their JSON schemas.
fn fields<S: UserSettings>() -> Vec<(String, Value)> {
    UserOption::<S>::at(Door::Service).map(|option| (option.field(), schema_of(option))).collect()
}

/// Returns the JSON schema of an option's values.
fn schema_of<S>(option: &UserOption<S>) -> Value {
    let listed = |names: fn() -> Vec<(&'static str, &'static str)>| names().into_iter().map(|(name, _)| name);
    let mut schema = match option.kind {
        OptionKind::Flag => json!({"type": "boolean"}),
        OptionKind::Text(_) => json!({"type": "string"}),
        OptionKind::Count(least) => json!({"type": "integer", "minimum": least}),
        OptionKind::Probability => json!({"type": "number", "minimum": 0, "maximum": 1}),
        OptionKind::Number(_) => json!({"type": "number"}),
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

// Without the feature `score`, the document has one route more than the router.
#[cfg(all(test, feature = "score"))]
mod tests {
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
        let pages = paths(&page::routes());
        assert!(all.contains("/v1/restore") && pages.contains("/") && pages.is_subset(&all), "{all:?}");
        for group in ["options", "conversion"] {
            assert!(!WHOLE.contains(&format!("{group:?}")) && !WHOLE.contains(&format!("/{group}\"")));
        }
        let document: Value = serde_json::from_str(&WHOLE).unwrap();
        let documented: BTreeSet<String> = document["paths"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(&all - &pages, documented);
    }
}
