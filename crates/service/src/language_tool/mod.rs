//! The routes of a LanguageTool server, whose clients show words with wrong case.

mod annotated;
mod language;
mod matches;
mod rules;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::get;
use majuscule::{LanguageChoice, ModelPool, RestoreOptions, WantedMarks};
use majuscule_base::named::NamedValue;
use majuscule_restore::models::language::LanguageEvidence;
use majuscule_text::{Door, UserOption};
use serde_json::{Value, json};

use crate::about::answer;
use crate::body;
use crate::fields::Fields;
use crate::media;
use crate::problem::ApiError;
use crate::request::{ChosenRestorer, RestoreRequest};
use crate::state::Service;
use annotated::AnnotatedText;
use language::AskedLanguage;
use rules::RuleChoice;

/// The probability below which a case is not reported as wrong. In English news and subtitles in their true case, 2
/// to 4 words in 1000 are reported with this threshold, and 8 without it. At least 4 in 5 lost capitals are found.
const SURE: f32 = 0.9;

/// The largest number of matches that are listed; the answer reports whether there are more.
const MOST_MATCHES: usize = 5000;

/// The routes, below `/v2`.
pub fn routes() -> Router<Arc<Service>> {
    Router::new()
        .route("/v2/check", get(check).post(check))
        .route("/v2/languages", get(|| async { answer(&language::list()) }))
        .route("/v2/healthcheck", get(|| async { "OK" }))
}

/// The strictness of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum CheckLevel {
    /// Words whose case is almost certainly wrong.
    #[default]
    Default,
    /// All words that the model would write in another way.
    Picky,
}

impl NamedValue for CheckLevel {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Default, "default", "Words whose case is almost certainly wrong"),
        (Self::Picky, "picky", "All words that the model would write differently"),
    ];
}

/// A request to check a text.
struct CheckRequest {
    text: AnnotatedText,
    language: AskedLanguage,
    rules: RuleChoice,
    /// The options that are used if missing punctuation is checked too.
    marked: RestoreOptions,
    level: CheckLevel,
}

/// `/v2/check`: lists the words of a text whose case is wrong.
async fn check(State(service): State<Arc<Service>>, request: Request) -> Result<Response, ApiError> {
    media::expect(request.headers(), "application/x-www-form-urlencoded")?;
    let (mut fields, request) = Fields::of_query(request).await?;
    let mut body = body::read(&service, request.into_body(), service.options.json_limit).await?;
    let pool = Arc::clone(&service.pool);
    let check = move |interrupt| {
        body.hold_words()?;
        fields.add_form(&body.bytes)?;
        Ok(CheckRequest::read(&mut fields)?.answer(&pool, interrupt)?)
    };
    Ok(answer(&service.queue.run(check).await?))
}

impl CheckRequest {
    /// Reads the fields that this service uses. Clients also send other fields, which are ignored.
    fn read(fields: &mut Fields) -> Result<Self, ApiError> {
        let mut options = RestoreOptions::default();
        if let Some(marks) = UserOption::named(Door::Service, "marks") {
            fields.set(marks, &mut options)?;
        }
        let are_given = !options.marks.is_empty();
        if !are_given {
            WantedMarks { marks: options.marks, places: options.mark_places } = WantedMarks::AUTO;
        }
        Ok(Self {
            text: AnnotatedText::read(fields)?,
            language: AskedLanguage::read(fields)?,
            rules: RuleChoice::read(fields, are_given)?,
            marked: options,
            level: fields.named("level")?.unwrap_or_default(),
        })
    }

    fn answer(self, pool: &ModelPool, interrupt: majuscule::Interrupt) -> majuscule::Result<Value> {
        let Self { text, language, rules, marked, level } = self;
        let mut evidence = LanguageEvidence::default();
        evidence.push_text(text.plain());
        let (model, described) = language.choose(&evidence);
        let (mut found, mut is_complete) = (Vec::new(), true);
        if let Some(tag) = &model {
            let mut options = if rules.marks { marked } else { RestoreOptions::default() };
            let has_probabilities = pool.model(tag, Default::default())?.restorer.has_probabilities();
            if level == CheckLevel::Default && has_probabilities {
                options = options.threshold(Some(SURE));
            }
            let request = RestoreRequest::new(LanguageChoice::Named(tag.clone()), options);
            let ChosenRestorer { restorer, options, .. } = request.choose(pool, text.plain(), interrupt)?;
            let words = restorer.words(text.plain())?;
            found = matches::list(&text, &words, &options, &rules);
            is_complete = found.len() <= MOST_MATCHES;
            found.truncate(MOST_MATCHES);
        }
        Ok(json!({
            "software": {
                "name": "majuscule",
                "version": env!("CARGO_PKG_VERSION"),
                "buildDate": "",
                "apiVersion": 1,
                "premium": false,
                "premiumHint": "",
                "status": "",
            },
            "warnings": { "incompleteResults": !is_complete },
            "language": described,
            "matches": found,
        }))
    }
}
