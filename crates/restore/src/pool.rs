//! Models by language, and the choice of one for a text.

use std::io::{Cursor, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::language_monitor::LanguageMonitor;
use super::notes::{LanguageSource, Note};
use super::{Done, restore};
use crate::models::language::{DetectedLanguage, LANGUAGE_BYTES, LanguageEvidence, tag_of};
use crate::models::{Methods, Model, Preset};
use majuscule_base::error::{Error, Result, option};
use majuscule_base::files::{Encoding, Input, TextEncoder};
use majuscule_base::named::NamedValue;
use majuscule_format::{DetectedFormat, Format, Record, decoded_text, whisper};
use majuscule_methods::Backend;
use majuscule_methods::model::{self, Manifest};
use majuscule_text::{LanguageTag, RestoreOptions, Spellings};

/// The language of texts whose language is neither named nor detected.
pub const DEFAULT_LANGUAGE: &str = "en";

/// Models by language and preset, each loaded once and shared by all threads, and models that the host
/// has named.
#[derive(Debug)]
pub struct ModelPool {
    methods: Methods,
    computing: Backend,
    most: NonZeroUsize,
    /// The models, the most recently used one at the end.
    models: Mutex<Vec<HeldModel>>,
    /// The models that the host has named, in the order in which it named them.
    named: Mutex<Vec<HeldModel>>,
}

#[derive(Clone)]
struct HeldModel {
    /// The language of a preset, or the name that the host has given.
    name: String,
    source: ModelSource,
    model: Model,
}

/// The place from which a model is loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ModelSource {
    Preset(Preset),
    Path(PathBuf),
}

impl std::fmt::Debug for HeldModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.name, self.source)
    }
}

/// Locks a list of models, which a panic while a model was loaded leaves unchanged.
fn locked(models: &Mutex<Vec<HeldModel>>) -> MutexGuard<'_, Vec<HeldModel>> {
    models.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ModelPool {
    /// Makes a pool of models of these methods that holds ten models at a time.
    pub fn new(methods: Methods) -> Self {
        let most = const { NonZeroUsize::new(10).expect("10 is not 0") };
        let (models, named) = (Mutex::default(), Mutex::default());
        Self { methods, computing: Backend::default(), most, models, named }
    }

    /// Computes on another backend.
    #[must_use]
    pub fn computing(self, computing: Backend) -> Self {
        Self { computing, ..self }
    }

    /// Limits the number of models in the pool: the least recently used model is dropped first. A dropped model
    /// remains in memory while it is in use.
    #[must_use]
    pub fn holding(self, most: NonZeroUsize) -> Self {
        Self { most, ..self }
    }

    /// Loads a model from its folder or packed file, for requests that ask for it by a name. The limit on the number
    /// of models does not apply to it.
    ///
    /// # Errors
    /// [`Error::Usage`] if the name is taken or has other characters than ASCII letters, digits, `.`, `_`
    /// and `-`, and the errors of [`Model::open`].
    pub fn with_model(self, name: &str, path: impl Into<PathBuf>) -> Result<Self> {
        let is_usable = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
        if name.is_empty() || !name.bytes().all(is_usable) {
            return Err(Error::usage(format!(
                "\"{name}\" is not a valid name for a model: expected letters, digits, ., _ and -"
            )));
        }
        if locked(&self.named).iter().any(|of| of.name == name) {
            return Err(Error::usage(format!("two models are called {name}: give each a name of its own")));
        }
        let source = ModelSource::Path(path.into());
        let model = self.load(name, &source)?;
        locked(&self.named).push(HeldModel { name: name.to_owned(), source, model });
        Ok(self)
    }

    fn load(&self, name: &str, source: &ModelSource) -> Result<Model> {
        match source {
            ModelSource::Preset(preset) => self.methods.load_preset(name, *preset, &self.computing),
            ModelSource::Path(path) => self.methods.load(&*model::open(path)?, &self.computing),
        }
    }

    /// Returns the models that the host has named, with their names.
    pub fn named_models(&self) -> Vec<(String, Model)> {
        locked(&self.named).iter().map(|of| (of.name.clone(), of.model.clone())).collect()
    }

    /// Loads all models in the pool again, and then replaces them. If a model cannot be loaded, the old one stays and
    /// the error is returned. A replaced model remains in memory while it is in use.
    pub fn reload(&self) -> Vec<Error> {
        let mut errors = Vec::new();
        let lists = [&self.models, &self.named];
        let mut loaded = |held: HeldModel| match self.load(&held.name, &held.source) {
            Ok(model) => Some(HeldModel { model, ..held }),
            Err(error) => {
                errors.push(error);
                None
            }
        };
        let new = lists.map(|list| {
            let held = locked(list).clone();
            held.into_iter().filter_map(&mut loaded).collect::<Vec<_>>()
        });
        for (list, new) in lists.into_iter().zip(new) {
            let mut list = locked(list);
            for new in new {
                let old = list.iter_mut().find(|old| old.name == new.name && old.source == new.source);
                old.into_iter().for_each(|old| old.model = new.model.clone());
            }
        }
        errors
    }

    /// Returns the model of a language and a preset; loads it if the pool does not hold it.
    ///
    /// # Errors
    /// The errors of [`Methods::load_preset`].
    pub fn model(&self, language: &str, preset: Preset) -> Result<Model> {
        let (mut models, source) = (locked(&self.models), ModelSource::Preset(preset));
        let at = models.iter().position(|of| of.name == language && of.source == source);
        let held = match at {
            Some(at) => models.remove(at),
            None => {
                let model = self.load(language, &source)?;
                HeldModel { name: language.to_owned(), source, model }
            }
        };
        let model = held.model.clone();
        models.push(held);
        let surplus = models.len().saturating_sub(self.most.get());
        models.drain(..surplus);
        Ok(model)
    }

    /// Returns the manifest of the model of a language and a preset, without loading the model.
    ///
    /// # Errors
    /// The errors of [`Methods::preset_store`].
    pub fn manifest(&self, language: &str, preset: Preset) -> Result<Manifest> {
        Ok(self.methods.preset_store(language, preset)?.manifest().clone())
    }

    /// Returns the number of models that the pool holds.
    pub fn len(&self) -> usize {
        locked(&self.models).len() + locked(&self.named).len()
    }

    /// Returns true if the pool holds no models.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Chooses the model of a text by its language: the language that `wanted` names, or, depending on `wanted`, the
    /// declared, the detected or the default language, in this order. If the language cannot be detected, `around`
    /// returns the language of the texts around the text, if the host knows it.
    ///
    /// # Errors
    /// Fails if the text cannot be read, or there is no model of the language.
    pub fn choose(
        &self,
        wanted: &LanguageChoice,
        preset: Preset,
        (kind, field): (Format, Option<&str>),
        input: &mut Input<'_>,
        around: &mut dyn FnMut() -> Option<(String, LanguageSource)>,
    ) -> Result<ChosenModel> {
        let mut notes = Vec::new();
        if matches!(wanted, LanguageChoice::Default | LanguageChoice::Detected)
            && kind.info().declares_language
            && let Some(declared) = declared(input)?
        {
            let language = tag_of(&declared).to_owned();
            match self.model(&language, preset) {
                Ok(model) => return Ok(ChosenModel { model, language, is_declared: true, notes }),
                Err(error @ Error::Usage(_)) => {
                    notes.push(Note::Declared { language: declared, problem: error.problem() });
                }
                // The searched folders are irrelevant to a note about the text.
                Err(Error::NoModel { model, .. }) => {
                    let problem = format!("there is no model {model}").into();
                    notes.push(Note::Declared { language: declared, problem });
                }
                Err(error) => return Err(error),
            }
        }
        let language = match wanted {
            LanguageChoice::Named(language) => language.clone(),
            LanguageChoice::Default | LanguageChoice::Fixed => DEFAULT_LANGUAGE.to_owned(),
            LanguageChoice::Detected => match detect(kind, field, input)? {
                DetectedLanguage::BuiltIn(language) => language.to_owned(),
                detected => {
                    let (used, source) =
                        around().unwrap_or((DEFAULT_LANGUAGE.to_owned(), LanguageSource::Default));
                    notes.extend(match detected {
                        DetectedLanguage::Unsure => Some(Note::Unsure { used: used.clone(), source }),
                        DetectedLanguage::Other(found) => Some(Note::Other { used: used.clone(), found }),
                        DetectedLanguage::Empty | DetectedLanguage::BuiltIn(_) => None,
                    });
                    used
                }
            },
        };
        Ok(ChosenModel { model: self.model(&language, preset)?, language, is_declared: false, notes })
    }

    /// Chooses the model with a name: a model that the host has named, or the model of a language and a preset, such as
    /// `en.fast`.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if there is no such model, or if `wanted` names a language that the model does not
    /// cover.
    pub fn choose_named(&self, name: &str, wanted: &LanguageChoice) -> Result<ChosenModel> {
        let named = locked(&self.named).iter().find(|of| of.name == name).map(|of| of.model.clone());
        let model = match (named, name.rsplit_once('.').map(|(of, preset)| (of, Preset::of_name(preset)))) {
            (Some(model), _) => model,
            (None, Some((language, Some(preset)))) => self.model(language, preset)?,
            (None, _) => {
                let names = locked(&self.named).iter().map(|of| format!("{}, ", of.name)).collect::<String>();
                return Err(Error::usage(format!(
                    "no model is called \"{name}\": expected {names}or a language and a preset, such as en.fast"
                )));
            }
        };
        let all = &model.manifest.language;
        let language = match wanted {
            LanguageChoice::Named(tag) => {
                if !model.manifest.covers(&tag.parse::<LanguageTag>()?.primary()) {
                    let lang = option("lang");
                    return Err(Error::usage(format!(
                        "{lang} {tag} is not the language of the model {name}, {all}: leave {lang} out"
                    )));
                }
                tag.clone()
            }
            _ => all.split(',').next().unwrap_or_default().to_owned(),
        };
        Ok(ChosenModel { model, language, is_declared: true, notes: Vec::new() })
    }

    /// Restores a file: determines its encoding, format and language, reads the user's spellings, and writes the file
    /// in the same encoding and format. The notes of the result report anything unexpected.
    ///
    /// ```
    /// use majuscule::{FileRequest, Format, Input, LanguageChoice, Methods, ModelPool};
    ///
    /// let pool = ModelPool::new(Methods::all());
    /// let request = FileRequest::default().language(LanguageChoice::Detected);
    /// let file = Input::uncompressed("talk.srt", &b"1\n00:00:01,000 --> 00:00:02,000\nthey told us about lisbon\n"[..]);
    /// let mut out = Vec::new();
    /// let restored = pool.restore_file(file, &request, &mut out)?;
    /// assert!(out.ends_with(b"They told us about Lisbon\n"));
    /// assert_eq!((restored.format, &*restored.language), (Format::Srt, "en"));
    /// # Ok::<(), majuscule::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the file cannot be read or written or violates its format, or if there is no model for it; also returns
    /// the method's errors. Output before the error is written.
    pub fn restore_file(
        &self,
        input: Input<'_>,
        request: &FileRequest,
        out: &mut dyn Write,
    ) -> Result<RestoredFile> {
        let mut file = OpenedFile::open(input, request)?;
        let chosen = chosen(self, request, file.format, &mut file.input)?;
        file.restore(chosen, request.model.as_ref().and(request.language.tag()), request, out)
    }
}

/// Chooses the model that a request asks for, for a text of this format.
///
/// # Errors
/// The errors of [`ModelPool::choose`] and [`ModelPool::choose_named`].
pub fn chosen(
    pool: &ModelPool,
    request: &FileRequest,
    format: Format,
    input: &mut Input<'_>,
) -> Result<ChosenModel> {
    let FileRequest { language, preset, model, options, .. } = request;
    match model {
        Some(name) => pool.choose_named(name, language),
        None => pool.choose(language, *preset, (format, options.field.as_deref()), input, &mut || None),
    }
}

/// Returns the options of a request, completed by the options of its model and the user's own spellings. `asked` is
/// the language of the text, which a model of several languages cannot know.
///
/// # Errors
/// Fails if a spelling is not valid.
pub fn filled_in(request: &FileRequest, model: &Model, asked: Option<&str>) -> Result<RestoreOptions> {
    let options = match asked {
        Some(tag) => request.options.clone().in_language(Some(tag.to_owned())),
        None => request.options.clone(),
    };
    let options = model.fill_in(options);
    let Some((name, list)) = &request.words else { return Ok(options) };
    let spellings = Spellings::read(list, name, options.locale())?;
    Ok(options.spellings(spellings))
}

impl Model {
    /// Restores a file with this model, whatever model the request asks for; otherwise like
    /// [`ModelPool::restore_file`].
    ///
    /// ```
    /// use majuscule::{FileRequest, Input, Model};
    ///
    /// let file = Input::uncompressed("talk.vtt", &b"WEBVTT\n\n00:01.000 --> 00:02.000\nwe met in lisbon\n"[..]);
    /// let mut out = Vec::new();
    /// Model::embedded("en")?.restore_file(file, &FileRequest::default(), &mut out)?;
    /// assert!(out.ends_with(b"We met in Lisbon\n"));
    /// # Ok::<(), majuscule::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the file cannot be read or written, or violates its format; also returns the method's errors. Output
    /// before the error is written.
    pub fn restore_file(
        &self,
        input: Input<'_>,
        request: &FileRequest,
        out: &mut dyn Write,
    ) -> Result<RestoredFile> {
        let tag = request.language.tag();
        let language = tag.or(self.manifest.language.split(',').next()).unwrap_or_default().to_owned();
        let chosen = ChosenModel { model: self.clone(), language, is_declared: false, notes: Vec::new() };
        OpenedFile::open(input, request)?.restore(chosen, tag, request, out)
    }
}

/// A file whose encoding and format are known.
pub(crate) struct OpenedFile<'a> {
    pub(crate) input: Input<'a>,
    encoder: TextEncoder,
    pub(crate) format: Format,
    /// The note that the name and the first bytes indicate different formats.
    pub(crate) note: Option<Note>,
}

impl<'a> OpenedFile<'a> {
    pub(crate) fn open(input: Input<'a>, request: &FileRequest) -> Result<Self> {
        let FileRequest { format, encoding, options, .. } = request;
        let input = input.within(options.limits);
        let (mut input, encoder) = decoded_text(input, encoding.as_ref(), options.lossy)?;
        let (format, note) = match *format {
            Format::Auto => detected_format(&mut input)?,
            named => (named, None),
        };
        Ok(Self { input, encoder, format, note })
    }

    /// Restores the file with a model; `asked` is the language of the text, as in [`filled_in`].
    fn restore(
        self,
        chosen: ChosenModel,
        asked: Option<&str>,
        request: &FileRequest,
        out: &mut dyn Write,
    ) -> Result<RestoredFile> {
        let Self { input, mut encoder, format, note } = self;
        let options = filled_in(request, &chosen.model, asked)?;
        let found: Arc<Mutex<Vec<Note>>> = Arc::default();
        let sink = Arc::clone(&found);
        let take = move |note| sink.lock().unwrap_or_else(PoisonError::into_inner).push(note);
        let is_monitored = request.language == LanguageChoice::Default && !chosen.is_declared;
        let monitored =
            LanguageMonitor::new(chosen.model.restorer.clone(), &chosen.language, take).only_if(is_monitored);
        let name = input.name().to_owned();
        let unwritten = |error| Error::io("write", &name, error);
        let mut write = |bytes: &[u8], _| encoder.write(bytes, out).map_err(unwritten);
        let done = restore(format, input, &monitored, &options, &mut write)?;
        encoder.finish(out).map_err(unwritten)?;
        monitored.finish();
        let found = std::mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner));
        let notes = note.into_iter().chain(chosen.notes).chain(found).collect();
        Ok(RestoredFile {
            done,
            format,
            language: chosen.language,
            encoding: encoder.encoding().clone(),
            notes,
        })
    }
}

/// The choice of the language that a text is restored in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum LanguageChoice {
    /// The default language, unless the text declares another; a text that turns out to be in another
    /// language gets a note.
    #[default]
    Default,
    /// The default language, whatever the text declares.
    Fixed,
    /// The language with this tag.
    Named(String),
    /// The language that the text declares, or that is detected.
    Detected,
}

impl LanguageChoice {
    /// Returns the tag of a language that is named.
    pub fn tag(&self) -> Option<&str> {
        match self {
            Self::Named(tag) => Some(tag),
            _ => None,
        }
    }
}

/// The model of a text.
#[derive(Clone)]
pub struct ChosenModel {
    /// The model.
    pub model: Model,
    /// The tag of the language that the model was chosen for.
    pub language: String,
    /// True if the text declares the language.
    pub is_declared: bool,
    /// Notes on surprising choices.
    pub notes: Vec<Note>,
}

/// The way a file is restored.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct FileRequest {
    /// The format; [`Format::Auto`] is detected by the name and the first bytes.
    pub format: Format,
    /// The language.
    pub language: LanguageChoice,
    /// The preset whose model is used.
    pub preset: Preset,
    /// The name of the model, as in [`ModelPool::choose_named`]; `None` leaves the choice to the language
    /// and the preset.
    pub model: Option<String>,
    /// The encoding of a text without a byte-order mark; `None` is UTF-8.
    pub encoding: Option<Encoding>,
    /// The user's own spellings: the name of the list in errors, and the list. They are read with the
    /// case mappings of the model.
    pub words: Option<(String, Vec<u8>)>,
    /// The options of restoring.
    pub options: RestoreOptions,
}

impl FileRequest {
    /// Reads the file in this format.
    #[must_use]
    pub fn format(self, format: Format) -> Self {
        Self { format, ..self }
    }

    /// Chooses the language in this way.
    #[must_use]
    pub fn language(self, language: LanguageChoice) -> Self {
        Self { language, ..self }
    }

    /// Uses the model of this preset.
    #[must_use]
    pub fn preset(self, preset: Preset) -> Self {
        Self { preset, ..self }
    }

    /// Uses the model with this name.
    #[must_use]
    pub fn model(self, name: impl Into<String>) -> Self {
        Self { model: Some(name.into()), ..self }
    }

    /// Reads a text without a byte-order mark in this encoding.
    #[must_use]
    pub fn encoding(self, encoding: Encoding) -> Self {
        Self { encoding: Some(encoding), ..self }
    }

    /// Reads the user's own spellings from a list, which errors call `name`.
    #[must_use]
    pub fn words(self, name: impl Into<String>, list: impl Into<Vec<u8>>) -> Self {
        Self { words: Some((name.into(), list.into())), ..self }
    }

    /// Restores with these options.
    #[must_use]
    pub fn options(self, options: RestoreOptions) -> Self {
        Self { options, ..self }
    }
}

/// The result of restoring a file.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RestoredFile {
    /// The amount of text.
    pub done: Done,
    /// The format that it was read in.
    pub format: Format,
    /// The tag of the language that it was restored in.
    pub language: String,
    /// The encoding that it was read and written in.
    pub encoding: Encoding,
    /// Notes on surprises.
    pub notes: Vec<Note>,
}

/// Detects the format of a text by its name and its first bytes, with a note if they indicate different formats.
///
/// # Errors
/// The errors of [`Format::detect`].
pub fn detected_format(input: &mut Input<'_>) -> Result<(Format, Option<Note>)> {
    let DetectedFormat { kind: read, named, begun } = Format::detect(input)?;
    let note = match (named, begun) {
        // One JSON object may be a whole document or a line.
        (Some(named), Some(begun)) if named.info().is_whole() && begun.info().has_objects => None,
        (Some(named), Some(begun)) if named != begun => Some(Note::Format { named, begun, read }),
        _ => None,
    };
    Ok((read, note))
}

/// Detects the language of a file by its text alone, without the syntax of its format. The file can still be read from
/// its beginning.
///
/// # Errors
/// Fails if the file cannot be read. A part that violates the format is ignored.
pub fn detect(kind: Format, field: Option<&str>, input: &mut Input<'_>) -> Result<DetectedLanguage> {
    Ok(language_evidence(kind, field, input)?.detected())
}

/// Returns the evidence of the text of a file for languages, as [`detect`] uses it.
///
/// # Errors
/// Returns the errors of [`detect`].
pub fn language_evidence(
    kind: Format,
    field: Option<&str>,
    input: &mut Input<'_>,
) -> Result<LanguageEvidence> {
    if kind.info().is_whole() {
        return Ok(evidence_of_bytes(kind, field, &whole(input)?));
    }
    let mut evidence = LanguageEvidence::default();
    for len in LANGUAGE_BYTES {
        let head = input.peek(len)?;
        evidence = evidence_of_bytes(kind, field, &head);
        let is_sure = !matches!(evidence.detected(), DetectedLanguage::Unsure | DetectedLanguage::Empty);
        if head.len() < len || is_sure {
            break;
        }
    }
    Ok(evidence)
}

/// Returns the evidence of the text in the first bytes of a file, up to the first violation of its format.
fn evidence_of_bytes(kind: Format, field: Option<&str>, bytes: &[u8]) -> LanguageEvidence {
    let mut evidence = LanguageEvidence::default();
    // The last character may be cut off.
    let text = String::from_utf8_lossy(bytes);
    if let Ok(mut records) = kind.records(Input::of_text("text", text.as_bytes()), field) {
        let mut record = Record::default();
        while let Ok(true) = records.next(&mut record) {
            evidence.push_text(&record.text);
        }
    }
    if evidence.is_empty() && bytes.len() >= LANGUAGE_BYTES[0] {
        // The first record is longer than these bytes.
        evidence.push_text(&text);
    }
    evidence
}

/// Returns the language that Whisper's JSON declares. The whole input is read into memory, as for restoring, and can
/// then be read again.
fn declared(input: &mut Input<'_>) -> Result<Option<String>> {
    Ok(whisper::language(&whole(input)?))
}

/// Reads a whole input into memory; it can then be read again.
fn whole(input: &mut Input<'_>) -> Result<Arc<[u8]>> {
    let (name, limits) = (input.name().to_owned(), input.limits());
    let empty = Input::uncompressed(name.clone(), std::io::empty());
    let bytes: Arc<[u8]> = std::mem::replace(input, empty).bytes()?.into();
    *input = Input::uncompressed(name, Cursor::new(Arc::clone(&bytes))).within(limits);
    Ok(bytes)
}

// Every pool needs a model, and these are of the English one.
#[cfg(all(test, feature = "lang-en"))]
mod tests {
    use super::*;
    use majuscule_base::files::{ByteSize, Limits};

    #[test]
    fn a_pool_loads_each_model_once_and_holds_no_more_than_it_may() {
        let pool = ModelPool::new(Methods::all()).holding(NonZeroUsize::MIN);
        assert!(pool.is_empty());
        let [one, same] = [(); 2].map(|()| pool.model("en", Preset::Fast).unwrap());
        assert!(Arc::ptr_eq(&one.restorer, &same.restorer));
        let other = pool.model("en", Preset::Accurate).unwrap();
        assert!(!Arc::ptr_eq(&one.restorer, &other.restorer) && pool.len() == 1);
        assert!(!Arc::ptr_eq(&one.restorer, &pool.model("en", Preset::Fast).unwrap().restorer));
        let missing = pool.model("en", Preset::Best).err().unwrap().to_string();
        assert!(
            missing.contains(
                "no model best of en is built in: copy lm/networks/en.best from the source of majuscule, or make one"
            ),
            "{missing}"
        );
        assert!(matches!(pool.model("xx", Preset::Fast), Err(Error::Usage(_))));
        assert_eq!(pool.len(), 1);
    }

    #[test]
    fn named_models_are_loaded_again_and_stay_if_that_fails() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        let source = |name| format!("{}/../../lm/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::copy(source("en.fast"), &path).unwrap();
        let pool = ModelPool::new(Methods::all()).with_model("mine", &path).unwrap();
        let chosen = |name: &str, language| pool.choose_named(name, &language);
        let first = chosen("mine", LanguageChoice::Default).unwrap();
        assert_eq!((&*first.language, pool.len()), ("en", 1));
        assert_eq!(chosen("mine", LanguageChoice::Named("en-GB".into())).unwrap().language, "en-GB");
        assert_eq!(chosen("en.accurate", LanguageChoice::Detected).unwrap().language, "en");
        for (name, language) in [("other", "en"), ("en.other", "en"), ("mine", "pt"), ("en.fast", "pt")] {
            let error = chosen(name, LanguageChoice::Named(language.into())).err().unwrap();
            assert!(matches!(error, Error::Usage(_)), "{error}");
        }
        let is_same = || {
            let now = chosen("mine", LanguageChoice::Default).unwrap();
            Arc::ptr_eq(&now.model.restorer, &first.model.restorer)
        };
        // As a program publishes a file: written under another name in the same folder, then renamed.
        let publish = |bytes: &[u8]| {
            let beside = folder.path().join("beside");
            std::fs::write(&beside, bytes).unwrap();
            std::fs::rename(beside, &path).unwrap();
        };
        publish(b"no model");
        let errors = pool.reload();
        assert!(errors.len() == 1 && is_same(), "{errors:?}");
        publish(&std::fs::read(source("en.accurate")).unwrap());
        assert!(pool.reload().is_empty() && !is_same());
        assert_eq!(first.model.restore("we met in lisbon").unwrap(), "We met in Lisbon");
        let request = FileRequest::default().model("mine");
        let mut out = Vec::new();
        pool.restore_file(Input::of_text("a.txt", b"we met in lisbon"), &request, &mut out).unwrap();
        assert_eq!(out, b"We met in Lisbon");
        for (name, problem) in
            [("mine", "two models are called mine"), ("a/b", "is not a valid name for a model")]
        {
            let pool = ModelPool::new(Methods::all()).with_model("mine", &path).unwrap();
            assert!(pool.with_model(name, &path).unwrap_err().to_string().contains(problem));
        }
    }

    #[test]
    fn limits_are_those_of_a_request_and_not_of_the_process() {
        let pool = ModelPool::new(Methods::all());
        let document = format!("{{\"text\": \"{}\"}}", "we met in lisbon ".repeat(70_000));
        let restored = |input| {
            let options = RestoreOptions::default().limits(Limits::new(ByteSize(input)));
            let request = FileRequest { preset: Preset::Fast, options, ..Default::default() };
            let input = Input::of_text("talk.json", document.as_bytes());
            pool.restore_file(input, &request, &mut std::io::sink()).map(|restored| restored.done.words)
        };
        let refused = restored(1 << 20).unwrap_err().to_string();
        assert!(refused.contains("is larger than 1M"), "{refused}");
        assert_eq!(restored(2 << 20).unwrap(), 4 * 70_000);
    }

    #[test]
    fn a_file_is_restored_with_notes_on_what_may_surprise() {
        let pool = ModelPool::new(Methods::all());
        let restored = |name: &str, file: &str, language| {
            let request = FileRequest { language, preset: Preset::Fast, ..Default::default() };
            let mut out = Vec::new();
            let restored =
                pool.restore_file(Input::of_text(name, file.as_bytes()), &request, &mut out).unwrap();
            (String::from_utf8(out).unwrap(), restored.notes)
        };
        let (text, notes) = restored("a.txt", "1984\n", LanguageChoice::Detected);
        assert_eq!((&*text, notes), ("1984\n", vec![]));
        let cue = "1\n00:00:01,000 --> 00:00:02,000\nwe met in lisbon\n";
        let (text, notes) = restored("a.txt", cue, LanguageChoice::Default);
        let note = Note::Format { named: Format::Text, begun: Format::Srt, read: Format::Text };
        assert!(text.contains("Lisbon") && notes == [note], "{text} {notes:?}");
        let swedish = "vi träffades i lissabon i går och pratade om vädret\n".repeat(3);
        let (_, notes) = restored("a.txt", &swedish, LanguageChoice::Default);
        assert!(matches!(&*notes, [Note::Other { used, .. }] if used == "en"), "{notes:?}");
        let (_, notes) = restored("a.txt", &swedish, LanguageChoice::Named("en".into()));
        assert_eq!(notes, []);
        let declared = r#"{"text": "we met in lisbon", "language": "xx"}"#;
        let (_, notes) = restored("a.json", declared, LanguageChoice::Default);
        assert!(matches!(&*notes, [Note::Declared { language, .. }] if language == "xx"), "{notes:?}");
    }

    #[cfg(feature = "languages")]
    #[test]
    fn the_text_of_a_file_tells_and_not_its_keys() {
        let detect =
            |kind, text: &str| detect(kind, None, &mut Input::of_text("a", text.as_bytes())).unwrap();
        let french = r#"{"id": "the speaker of the house", "text": "on ne sait pas où il est"}"#;
        assert_eq!(detect(Format::Jsonl, &format!("{french}\n")), DetectedLanguage::BuiltIn("fr"));
        let cue = "1\n00:00:01,000 --> 00:00:02,000\n<font color=\"white\">wat is er aan de hand</font>\n";
        assert_eq!(detect(Format::Srt, cue), DetectedLanguage::BuiltIn("nl"));
        assert_eq!(detect(Format::Srt, "1\n00:00:01,000 --> 00:00:02,000\n1984\n"), DetectedLanguage::Empty);
        let late = format!(
            "[Script Info]\n{}[Events]\nFormat: Layer, Text\nDialogue: 0,não sei o que é isso\n",
            "; -\n".repeat(2000)
        );
        assert_eq!(detect(Format::Ass, &late), DetectedLanguage::BuiltIn("pt"));
    }
}
