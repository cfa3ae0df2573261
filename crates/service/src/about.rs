//! The routes that report the models, languages and state of the service.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use majuscule::{LANGUAGES, Model, ModelPool, Preset};
use majuscule_base::named::NamedValue;
use majuscule_methods::model::Manifest;
use majuscule_restore::models::language::name_of;
use majuscule_restore::pool::DEFAULT_LANGUAGE;
use serde_json::{Value, json};

use crate::problem::ApiError;
use crate::state::Service;

/// `GET /health`: the service runs.
pub async fn health() -> Response {
    answer(&json!({ "status": "ok" }))
}

/// `GET /ready`: the service has a model and room for requests.
pub async fn ready(State(service): State<Arc<Service>>) -> Result<Response, ApiError> {
    let pool = Arc::clone(&service.pool);
    service.queue.run(move |_| Ok(pool.model(DEFAULT_LANGUAGE, Preset::default())?)).await?;
    Ok(answer(&json!({ "status": "ready" })))
}

/// `GET /metrics`: values for Prometheus.
pub async fn metrics(State(service): State<Arc<Service>>) -> Response {
    let (queued, running) = service.queue.lengths();
    let (live_sessions, live_words) = service.live.counts();
    let gauge = |name, help, value: usize| (name, "gauge", help, value as u64);
    let page = service.metrics.page(&[
        gauge("majuscule_queue_length", "Requests that wait for a thread.", queued),
        gauge("majuscule_running_requests", "Requests that compute.", running),
        gauge(
            "majuscule_abandoned_requests",
            "Requests that compute although nobody waits for their answer.",
            service.queue.abandoned(),
        ),
        gauge("majuscule_loaded_models", "Models that are loaded.", service.pool.len()),
        gauge("majuscule_live_sessions", "Live sessions.", live_sessions),
        ("majuscule_live_words_total", "counter", "Words in final results of live sessions.", live_words),
    ]);
    ([(CONTENT_TYPE, "text/plain; version=0.0.4")], page).into_response()
}

/// `GET /v1/languages`: the languages with models.
pub async fn languages() -> Response {
    let languages: Vec<Value> =
        LANGUAGES.iter().map(|tag| json!({ "tag": tag, "name": name_of(tag) })).collect();
    answer(&json!({ "languages": languages, "default": DEFAULT_LANGUAGE }))
}

/// `GET /v1/models`: the models that can be loaded.
pub async fn models(State(service): State<Arc<Service>>) -> Result<Response, ApiError> {
    let pool = Arc::clone(&service.pool);
    let models = service.queue.run(move |_| Ok(list(&pool))).await?;
    Ok(answer(&json!({ "models": models })))
}

fn list(pool: &ModelPool) -> Vec<Value> {
    let presets = |language| Preset::VALUES.iter().map(move |(preset, ..)| (language, *preset));
    let all = LANGUAGES.into_iter().flat_map(presets);
    let of_preset = |(language, preset): (&str, Preset)| {
        let manifest = pool.manifest(language, preset).ok()?;
        let mut described = describe(&format!("{language}.{}", preset.name()), &manifest);
        (described["language"], described["preset"]) = (language.into(), preset.name().into());
        Some(described)
    };
    let of_name = |(name, model): (String, Model)| {
        let (mut described, method) = (describe(&name, &model.manifest), &model.restorer);
        described["has_confidence"] = method.has_probabilities().into();
        described["look_ahead"] = method.look_ahead().into();
        described
    };
    pool.named_models().into_iter().map(of_name).chain(all.filter_map(of_preset)).collect()
}

/// Describes a model by its manifest. A preset model is assumed: it has probabilities, and it uses all right context
/// unless it has the setting `look_ahead`.
fn describe(name: &str, manifest: &Manifest) -> Value {
    json!({
        "model": name,
        "language": manifest.language,
        "method": manifest.method,
        "marks": manifest.labels.marks().to_string(),
        "has_confidence": true,
        "look_ahead": manifest.settings["look_ahead"],
    })
}

/// Answers with JSON.
pub fn answer(value: &Value) -> Response {
    ([(CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}
