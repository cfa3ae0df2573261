//! The OpenAPI document of all routes, and a page that shows it.

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;

use crate::page::file;

/// The document.
const DOCUMENT: &str = include_str!("../openapi.json");

/// The document.
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new().route("/openapi.json", get(|| async { ([(CONTENT_TYPE, "application/json")], DOCUMENT) }))
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
    use serde_json::Value;

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
        let document: Value = serde_json::from_str(DOCUMENT).unwrap();
        let documented: BTreeSet<String> = document["paths"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(&all - &pages, documented);
    }
}
