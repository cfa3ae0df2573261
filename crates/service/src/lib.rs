//! The HTTP service of majuscule: text and files over HTTP, and a page to try it on.
//!
//! A request passes through `observe` (identifier, log, metrics), `site`, the token check, the limits on its body and
//! the queue. The library then computes the answer on a separate thread.

#![deny(clippy::print_stderr, clippy::print_stdout)]

mod options;
mod problem;
mod metrics;
mod room;
mod queue;
mod state;
mod body;
mod spool;
mod file;
mod answer;
mod fields;
mod media;
mod multipart;
mod request;
mod live;
mod restore;
mod convert;
#[cfg(feature = "score")]
mod score;
mod language_tool;
mod audio;
mod about;
mod page;
mod openapi;
mod token;
mod site;
mod observe;
mod client_stream;
mod connection;
mod server;

pub use options::{LiveLimits, Log, LogEntry, ServiceOptions};
pub use server::{run, serve};
pub use site::HostNames;

use std::sync::Arc;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use majuscule::ModelPool;

use state::Service;

/// Makes the routes of the service, which use the models of a pool.
pub fn router(pool: Arc<ModelPool>, options: ServiceOptions) -> Router {
    // This layer is around the whole router, because inside the router the header Allow is not set yet.
    Router::new().fallback_service(routes(pool, options)).layer(from_fn(problem::reword))
}

fn routes(pool: Arc<ModelPool>, options: ServiceOptions) -> Router {
    let service = Arc::new(Service::new(pool, options));
    let guarded = Router::new()
        .route("/v1/restore", post(restore::restore))
        .route("/v1/convert", post(convert::convert))
        .route("/v1/live", get(live::socket))
        .route("/v1/live/vosk", get(live::vosk))
        .route("/v1/models", get(about::models))
        .route("/v1/languages", get(about::languages))
        .route("/v1/audio/transcriptions", post(audio::refuse))
        .route("/v1/audio/translations", post(audio::refuse))
        .merge(language_tool::routes())
        .merge(score_route())
        .route("/metrics", get(about::metrics))
        .route_layer(from_fn_with_state(Arc::clone(&service), token::check))
        .route_layer(from_fn_with_state(Arc::clone(&service), site::check));
    Router::new()
        .merge(guarded)
        .route("/health", get(about::health))
        .route("/ready", get(about::ready))
        .merge(page::routes())
        .merge(openapi::routes())
        .layer(from_fn_with_state(Arc::clone(&service), observe::observe))
        .with_state(service)
}

/// Makes the route that scores texts, in builds with the feature `score`.
fn score_route() -> Router<Arc<Service>> {
    #[cfg(feature = "score")]
    let route = Router::new().route("/v1/score", post(score::score));
    #[cfg(not(feature = "score"))]
    let route = Router::new();
    route
}
