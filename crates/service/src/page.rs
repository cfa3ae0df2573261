//! The page at `/`: three static files, which ask for nothing from any other address.

use axum::Router;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

/// What the page may do: run its script and style, and ask this service.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/// The routes of the page.
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let html = || async { file("text/html; charset=utf-8", include_str!("../page/index.html")) };
    let style = || async { file("text/css; charset=utf-8", include_str!("../page/page.css")) };
    let script = || async { file("text/javascript; charset=utf-8", include_str!("../page/page.js")) };
    Router::new()
        .route("/", get(html))
        .route("/page.css", get(style))
        .route("/page.js", get(script))
        // Browsers ask for it unasked.
        .route("/favicon.ico", get(|| async { StatusCode::NO_CONTENT }))
}

fn file(kind: &'static str, text: &'static str) -> Response {
    let headers = [
        (CONTENT_TYPE, kind),
        (CONTENT_SECURITY_POLICY, POLICY),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-cache"),
    ];
    (headers, text).into_response()
}
