//! The options of a request, from JSON or from the parameters of its address.

use majuscule::methods::language::LanguageEvidence;
use majuscule::{
    Capitalized, ChosenModel, Encoding, FileRequest, Format, Input, Interrupt, LanguageChoice, ModelPool,
    Note, Preset, RestoreOptions, SentenceStart, Spellings, TextRestorer, WantedMarks,
};
use serde_json::Value;

use crate::fields::Fields;
use crate::problem::ApiError;

/// The options of a request.
#[derive(Debug, Clone)]
pub struct RestoreRequest {
    language: LanguageChoice,
    preset: Preset,
    options: RestoreOptions,
    spellings: Vec<String>,
}

/// A text's restorer.
pub struct ChosenRestorer {
    /// The restorer.
    pub restorer: TextRestorer,
    /// The tag of the language.
    pub language: String,
    /// The name of the model.
    pub model: String,
    /// The options in use.
    pub options: RestoreOptions,
    /// What may surprise in the choice.
    pub notes: Vec<Note>,
}

impl RestoreRequest {
    /// Reads the options that JSON and addresses have.
    pub fn read(fields: &mut Fields) -> Result<Self, ApiError> {
        let language = match fields.text("lang")? {
            None => LanguageChoice::Default,
            Some(auto) if auto == "auto" => LanguageChoice::Detected,
            Some(named) => LanguageChoice::Named(named),
        };
        let WantedMarks { marks, places } = marks(fields)?.unwrap_or_default();
        let options = RestoreOptions::default()
            .marks(marks)
            .mark_places(places)
            .lossy(fields.flag("lossy")?.unwrap_or(false))
            .look_ahead(fields.number("look_ahead")?)
            .sentence_start(fields.named::<SentenceStart>("sentence_start")?.unwrap_or_default())
            .capitalized(fields.named::<Capitalized>("case")?.unwrap_or_default());
        let preset = fields.named::<Preset>("preset")?.unwrap_or_default();
        Ok(Self { language, preset, options, spellings: Vec::new() })
    }

    /// Reads the user's own spellings, which only JSON has.
    pub fn with_spellings(self, fields: &mut Fields) -> Result<Self, ApiError> {
        Ok(Self { spellings: fields.texts("spellings")?.unwrap_or_default(), ..self })
    }

    /// Returns the request for a file of a known format.
    pub fn into_file(self, format: Format, encoding: Option<Encoding>, field: Option<String>) -> FileRequest {
        let pause_ends = format.sentence_pause().filter(|_| !self.options.marks.is_empty());
        let request = FileRequest::default()
            .format(format)
            .language(self.language)
            .preset(self.preset)
            .options(self.options.field(field).pause_ends(pause_ends));
        match encoding {
            Some(encoding) => request.encoding(encoding),
            None => request,
        }
    }

    /// Chooses the model for a text.
    ///
    /// # Errors
    /// Fails if there is no model of the language, or the spellings are not spellings.
    pub fn choose(
        self,
        pool: &ModelPool,
        text: &str,
        interrupt: Interrupt,
    ) -> majuscule::Result<ChosenRestorer> {
        let Self { language: wanted, preset, options, spellings } = self;
        let mut input = Input::of_text("text", text.as_bytes());
        let chosen = pool.choose(&wanted, preset, (Format::Text, None), &mut input, &mut || None)?;
        let ChosenModel { model, language, mut notes, .. } = chosen;
        if wanted == LanguageChoice::Default {
            notes.extend(other_language(text, &language));
        }
        let options = options.interrupt(interrupt).for_model(&model.manifest);
        let list = spellings.join("\n");
        let spellings = Spellings::read(list.as_bytes(), "spellings", options.locale())?;
        let options = options.spellings(spellings);
        let name = format!("{language}.{}", preset.name());
        Ok(ChosenRestorer { restorer: model.with(options.clone()), language, model: name, options, notes })
    }
}

/// Returns a note if a text is in another language than that of its model.
fn other_language(text: &str, used: &str) -> Option<Note> {
    let mut evidence = LanguageEvidence::default();
    evidence.push_text(text);
    evidence.other_than(used).map(|found| Note::Other { used: used.to_owned(), found })
}

/// Reads the punctuation marks that are inserted, and where.
fn marks(fields: &mut Fields) -> Result<Option<WantedMarks>, ApiError> {
    let Some(value) = fields.value("marks") else { return Ok(None) };
    let found = match &value {
        Value::Bool(false) => WantedMarks::default(),
        Value::Bool(true) => WantedMarks::AUTO,
        Value::String(named) => match &**named {
            "" | "false" | "none" => WantedMarks::default(),
            "true" => WantedMarks::AUTO,
            marks => marks.parse().map_err(|error| ApiError::from(error).with("field", "marks"))?,
        },
        other => return Err(fields.wrong("marks", other, "true, false, auto, all or marks such as .,?")),
    };
    Ok(Some(found))
}
