//! The page at `/`, and the page of the OpenAPI document: static files, which load nothing from other addresses.

use axum::Router;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

/// The content security policy of the page: it may run its own scripts and styles, and send requests to this service.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/// The files of the pages, by their paths.
const FILES: [(&str, &str, &str); 16] = [
    ("/", "text/html", include_str!("../page/index.html")),
    ("/page.css", "text/css", include_str!("../page/page.css")),
    ("/page.js", SCRIPT, include_str!("../page/page.js")),
    ("/align.js", SCRIPT, include_str!("../page/align.js")),
    ("/choices.js", SCRIPT, include_str!("../page/choices.js")),
    ("/dom.js", SCRIPT, include_str!("../page/dom.js")),
    ("/encodings.js", SCRIPT, include_str!("../page/encodings.js")),
    ("/engine.js", SCRIPT, include_str!("../page/engine.js")),
    ("/live.js", SCRIPT, include_str!("../page/live.js")),
    ("/messages.js", SCRIPT, include_str!("../page/messages.js")),
    ("/spellings.js", SCRIPT, include_str!("../page/spellings.js")),
    ("/view.js", SCRIPT, include_str!("../page/view.js")),
    ("/word.js", SCRIPT, include_str!("../page/word.js")),
    ("/docs", "text/html", include_str!("../docs/index.html")),
    ("/docs.css", "text/css", include_str!("../docs/docs.css")),
    ("/docs.js", SCRIPT, include_str!("../docs/docs.js")),
];

const SCRIPT: &str = "text/javascript";

/// Makes the routes of the pages.
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    // Browsers request the icon even if the page names none.
    let router = Router::new().route("/favicon.ico", get(|| async { StatusCode::NO_CONTENT }));
    FILES.into_iter().fold(router, |router, (path, kind, text)| {
        router.route(path, get(move || async move { file(kind, text) }))
    })
}

/// Answers with a file of a page.
fn file(kind: &str, text: &'static str) -> Response {
    let headers = [
        (CONTENT_TYPE, &*format!("{kind}; charset=utf-8")),
        (CONTENT_SECURITY_POLICY, POLICY),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-cache"),
    ];
    (headers, text).into_response()
}
