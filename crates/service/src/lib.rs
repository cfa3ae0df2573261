//! The HTTP service of majuscule: text and files over HTTP, and a page to try it on.
//!
//! A request passes through `observe` (identifier, log, metrics), the token, the limits of its body and
//! the queue, and is computed by the library on a thread of its own.

#![deny(clippy::print_stderr, clippy::print_stdout)]

mod options;
mod problem;
mod metrics;
mod queue;
mod state;
mod body;
mod fields;
mod media;
mod request;
mod answer;
mod restore;
mod convert;
mod about;
mod page;
mod token;
mod observe;
mod server;

pub use options::{Log, LogEntry, ServiceOptions};
pub use server::{run, serve};

use std::sync::Arc;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use majuscule::ModelPool;

use state::Service;

/// Makes the routes of the service over the models of a pool.
pub fn router(pool: Arc<ModelPool>, options: ServiceOptions) -> Router {
    let service = Arc::new(Service::new(pool, options));
    let guarded = Router::new()
        .route("/v1/restore", post(restore::restore))
        .route("/v1/convert", post(convert::convert))
        .route("/v1/models", get(about::models))
        .route("/v1/languages", get(about::languages))
        .route("/metrics", get(about::metrics))
        .route_layer(from_fn_with_state(Arc::clone(&service), token::check));
    let routes = Router::new()
        .merge(guarded)
        .route("/health", get(about::health))
        .route("/ready", get(about::ready))
        .merge(page::routes())
        .layer(from_fn_with_state(Arc::clone(&service), observe::observe))
        .with_state(service);
    // Around all of it, where the header Allow is set.
    Router::new().fallback_service(routes).layer(from_fn(problem::reword))
}
