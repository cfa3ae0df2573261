//! `POST /v1/score`: figures of a text compared with its reference.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use majuscule::{Format, Interrupt, Locale};
use majuscule_base::error::Error;
use majuscule_restore::pool::DEFAULT_LANGUAGE;
use majuscule_train::corpus::{Corpus, Protocol, Reading};
use majuscule_train::eval::report::ReportConfig;
use majuscule_train::eval::score::check_words;
use majuscule_train::eval::{PairSide, Report, Score, Signature, pair};
use serde_json::{Value, json};

use crate::about::answer;
use crate::body;
use crate::fields::Fields;
use crate::media;
use crate::problem::ApiError;
use crate::state::Service;

/// The number of errors that are listed by default.
const TOP: usize = 20;

/// Two texts to compare.
struct TextsToScore {
    reference: String,
    hypothesis: String,
    protocol: Protocol,
    reading: Reading,
    locale: Locale,
    top: usize,
}

/// Scores a text.
pub async fn score(State(service): State<Arc<Service>>, request: Request) -> Result<Response, ApiError> {
    let (query, request) = Fields::of_query(request).await?;
    query.finish()?;
    media::expect(request.headers(), "application/json")?;
    let mut body = body::read(&service, request.into_body(), service.options.json_limit).await?;
    let score = move |interrupt| {
        body.hold_words()?;
        Ok(TextsToScore::read(Fields::of_body(&body.bytes)?)?.report(&interrupt)?)
    };
    Ok(answer(&service.queue.run(score).await?))
}

impl TextsToScore {
    fn read(mut fields: Fields) -> Result<Self, ApiError> {
        let mut required = |name| {
            let text = fields.text(name)?;
            fields.required(name, text, "a string")
        };
        let (reference, hypothesis) = (required("reference")?, required("hypothesis")?);
        let wrong = |name| move |error: Error| ApiError::from(error).with("field", name);
        let protocol = fields.text("protocol")?.map(|name| name.parse::<Protocol>());
        let protocol = protocol.transpose().map_err(wrong("protocol"))?.unwrap_or_default();
        let language = fields.text("lang")?.unwrap_or_else(|| DEFAULT_LANGUAGE.to_owned());
        let locale = language
            .parse::<Locale>()
            .map_err(|error| ApiError::field("lang", format!("`lang`: {error}")))?;
        let split = fields.flag("split")?.unwrap_or(false);
        let reading = Reading { format: Format::Text, split, language: Some(language), ..Reading::default() };
        let top = fields.number("top")?.unwrap_or(TOP);
        fields.finish()?;
        Ok(Self { reference, hypothesis, protocol, reading, locale, top })
    }

    fn report(self, interrupt: &Interrupt) -> majuscule::Result<Value> {
        let Self { reference, hypothesis, protocol, reading, locale, top } = self;
        let side = |name: &str, text: &str| {
            let corpus = Corpus::of_text(text, reading.clone(), protocol, locale).interrupted_by(interrupt);
            PairSide::of(name.to_owned(), corpus)
        };
        let reference = side("the reference", &reference)?;
        let hypothesis = [side("the hypothesis", &hypothesis)?];
        let mut score = Score::default();
        pair(&reference, &hypothesis, &mut |example, choices| {
            choices
                .iter()
                .try_for_each(|choices| score.add(&example.tokens, &example.gold, choices, |_| None))
        })?;
        check_words(protocol, reference.name(), score.all().tokens())?;
        let signature = Signature::of(protocol, &reading, &["the reference"], locale).to_string();
        let sentence_ends = protocol.mark_convention().is_some();
        let config = ReportConfig { signature, protocol, locale, sentence_ends, top };
        let mut report = serde_json::to_value(Report::of(&score, &config))
            .map_err(|error| Error::Bug(error.to_string()))?;
        let notes = reference.corpus().sentences_a_line()?.map(|sentences| {
            format!("the reference has about {sentences:.1} sentences per line, but each line is read as one: give `split` true to split lines")
        });
        report["notes"] = json!(Vec::from_iter(notes));
        Ok(report)
    }
}
