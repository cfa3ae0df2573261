//! The options of a request, from JSON or from the parameters of its URL.

use majuscule::{
    ChosenModel, Encoding, FileRequest, Format, Input, Interrupt, LanguageChoice, MarkPlaces, ModelPool,
    Note, Preset, RestoreOptions, TextRestorer,
};
use majuscule_restore::models::language::LanguageEvidence;
use majuscule_restore::pool::{chosen, filled_in};
use majuscule_text::{Door, UserOption};

use crate::fields::Fields;
use crate::problem::ApiError;

/// The name of the user's own spellings in errors.
const SPELLINGS: &str = "spellings";

/// The options of a request.
#[derive(Debug, Clone)]
pub struct RestoreRequest(FileRequest);

/// A restorer that was chosen for a text.
pub struct ChosenRestorer {
    /// The restorer.
    pub restorer: TextRestorer,
    /// The tag of the language.
    pub language: String,
    /// The name of the model.
    pub model: String,
    /// The name of the method.
    pub method: String,
    /// The options in use.
    pub options: RestoreOptions,
    /// Notes on surprising choices.
    pub notes: Vec<Note>,
}

impl ChosenRestorer {
    /// Returns true if the method needs only microseconds for a word.
    pub fn is_light(&self) -> bool {
        ["majority", "hmm", "maxent", "cnn-bilstm"].contains(&&*self.method)
    }
}

impl RestoreRequest {
    /// Creates the request for a text in a language.
    pub fn new(language: LanguageChoice, options: RestoreOptions) -> Self {
        Self(FileRequest::default().language(language).options(options))
    }

    /// Reads the options that JSON and URL parameters have in common.
    pub fn read(fields: &mut Fields) -> Result<Self, ApiError> {
        let language = match fields.text("lang")? {
            None => LanguageChoice::Default,
            Some(auto) if auto == "auto" => LanguageChoice::Detected,
            Some(named) => LanguageChoice::Named(named),
        };
        let mut options = RestoreOptions::default();
        for option in UserOption::at(Door::Service) {
            fields.set(option, &mut options)?;
        }
        let (preset, model) = (fields.named::<Preset>("preset")?, fields.text("model")?);
        if preset.is_some() && model.is_some() {
            return Err(ApiError::field(
                "model",
                "`model` and `preset` both choose the model: send one of them",
            ));
        }
        let Self(mut request) = Self::new(language, options);
        (request.preset, request.model) = (preset.unwrap_or_default(), model);
        Ok(Self(request))
    }

    /// Reads the user's own spellings from JSON, where they are a list.
    pub fn with_spellings(self, fields: &mut Fields) -> Result<Self, ApiError> {
        let spellings = fields.texts(SPELLINGS)?.unwrap_or_default();
        Ok(Self(self.0.words(SPELLINGS, spellings.join("\n"))))
    }

    /// Reads the user's own spellings from parameters, where they are lines of a text of at most `longest`
    /// bytes.
    pub fn with_spelling_lines(self, fields: &mut Fields, longest: usize) -> Result<Self, ApiError> {
        let lines = fields.text("spellings")?.unwrap_or_default();
        if lines.len() > longest {
            let detail = format!(
                "`spellings` has {} bytes, but a URL can hold only {longest} of them: send the file and the \
                 spellings as parts of a form",
                lines.len()
            );
            return Err(ApiError::field("spellings", detail).with("limit", longest));
        }
        Ok(Self(self.0.words(SPELLINGS, lines.lines().collect::<Vec<_>>().join("\n"))))
    }

    /// Converts the request to one for live text, in which punctuation is restored everywhere, because live text has
    /// no whole lines to inspect. The language must be named in advance.
    ///
    /// # Errors
    /// Fails if the language is to be detected.
    pub fn into_live(mut self) -> Result<Self, ApiError> {
        if self.0.language == LanguageChoice::Detected {
            let detail = "`lang` is \"auto\", but the language of live text cannot be detected: name it";
            return Err(ApiError::field("lang", detail));
        }
        self.0.options.mark_places = MarkPlaces::Everywhere;
        Ok(self)
    }

    /// Returns the request for a file of a known format.
    pub fn into_file(self, format: Format, encoding: Option<Encoding>, field: Option<String>) -> FileRequest {
        let Self(mut request) = self;
        let pause_ends = format.sentence_pause().filter(|_| !request.options.marks.is_empty());
        request.options = request.options.field(field).pause_ends(pause_ends);
        (request.format, request.encoding) = (format, encoding);
        request
    }

    /// Chooses the model for a text.
    ///
    /// # Errors
    /// Fails if the language has no model or a spelling is not valid.
    pub fn choose(
        self,
        pool: &ModelPool,
        text: &str,
        interrupt: Interrupt,
    ) -> majuscule::Result<ChosenRestorer> {
        let Self(mut request) = self;
        request.options.interrupt = interrupt;
        let mut input = Input::of_text("text", text.as_bytes());
        let ChosenModel { model, language, is_declared, mut notes } =
            chosen(pool, &request, Format::Text, &mut input)?;
        if request.language == LanguageChoice::Default && !is_declared {
            notes.extend(other_language(text, &language));
        }
        let asked = request.model.as_ref().and(request.language.tag());
        let options = filled_in(&request, &model, asked)?;
        let name = request.model.unwrap_or_else(|| format!("{language}.{}", request.preset.name()));
        let (method, restorer) = (model.manifest.method.clone(), model.with(options.clone()));
        Ok(ChosenRestorer { restorer, language, model: name, method, options, notes })
    }
}

/// The number of bytes of a text from which its language is detected: about 300 words, as many as count in a
/// file.
const LANGUAGE_BYTES: usize = 2 << 10;

/// Returns a note if a text is in another language than its model's.
fn other_language(text: &str, used: &str) -> Option<Note> {
    let mut evidence = LanguageEvidence::default();
    evidence.push_text(&text[..text.floor_char_boundary(LANGUAGE_BYTES)]);
    evidence.other_than(used).map(|found| Note::Other { used: used.to_owned(), found })
}
