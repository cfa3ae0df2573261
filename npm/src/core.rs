//! A model and its calls, which read bytes and return bytes.

use majuscule::{Backend, Methods, Model, Stream, Streaming, TextRestorer, detect_language};
use majuscule_base::error::{Error, Result};
use majuscule_methods::MAXENT;
use majuscule_methods::model::Packed;
use majuscule_restore::FileReport;
use serde::Serialize;

#[cfg(feature = "all")]
use crate::conversion;
use crate::failure::{Failure, left_out};
use crate::files;
use crate::language::TextLanguage;
use crate::settings::Settings;
use crate::words::PlacedWord;

/// An instance of the package: at most one model, its options, and live texts.
#[derive(Default)]
pub struct Core {
    input: Vec<u8>,
    answer: Vec<u8>,
    model: Option<Model>,
    /// The options of the next calls.
    settings: Settings,
    /// The model with these options.
    restorer: Option<TextRestorer>,
    streams: Vec<Option<Stream>>,
    /// The result of the last file.
    report: FileReport,
}

impl Core {
    /// Makes room for an input of this size.
    pub fn input_room(&mut self, bytes: usize) -> &mut [u8] {
        self.input.clear();
        self.input.resize(bytes, 0);
        &mut self.input
    }

    /// Returns the answer to the last call.
    pub fn answer(&self) -> &[u8] {
        &self.answer
    }

    /// Makes a call with the input, and keeps its answer or its failure; returns 0, or 1 after a failure.
    pub fn answer_with(&mut self, call: impl FnOnce(&mut Self, Vec<u8>) -> Result<Vec<u8>>) -> u32 {
        let input = std::mem::take(&mut self.input);
        self.answer.clear();
        let (answer, code) = match call(self, input) {
            Ok(answer) => (answer, 0),
            Err(error) => (json(&Failure::from(&error)).unwrap_or_default(), 1),
        };
        self.answer = answer;
        code
    }

    /// Loads a model from the input, which is its packed file, and answers with the description of the model.
    pub fn load(&mut self, input: Vec<u8>) -> Result<Vec<u8>> {
        let model = match cfg!(feature = "all") {
            true => Model::from_bytes(input)?,
            false => {
                let packed = Packed::open("the model", input.into())?;
                Methods::of(&[MAXENT]).load(&packed, &Backend::default())?
            }
        };
        let manifest = &model.manifest;
        let facts = ModelFacts {
            language: &manifest.language,
            method: &manifest.method,
            marks: model.restorer.labels().marks().to_string(),
        };
        let facts = json(&facts)?;
        self.model = Some(model);
        self.restorer = None;
        Ok(facts)
    }

    /// Sets the options of the next calls.
    pub fn set_options(&mut self, input: Vec<u8>) -> Result<Vec<u8>> {
        self.restorer = None;
        self.settings = Settings::read(&input)?;
        Ok(Vec::new())
    }

    fn model(&self) -> Result<&Model> {
        self.model.as_ref().ok_or_else(|| Error::usage("no model is loaded"))
    }

    /// Returns the model with the options of calls, for texts.
    fn restorer(&mut self) -> Result<&TextRestorer> {
        if self.restorer.is_none() {
            self.restorer = Some(self.settings.call.restorer(self.model()?)?);
        }
        self.restorer.as_ref().ok_or_else(|| Error::usage("no model is loaded"))
    }

    /// Restores a text.
    pub fn restore(&mut self, input: Vec<u8>) -> Result<Vec<u8>> {
        Ok(self.restorer()?.restore(&text(input)?)?.into_bytes())
    }

    /// Answers with the words of a text.
    pub fn words(&mut self, input: Vec<u8>) -> Result<Vec<u8>> {
        let text = text(input)?;
        let restorer = self.restorer()?;
        json(&PlacedWord::of_text(&text, restorer.words(&text)?, restorer.as_ref()))
    }

    /// Restores each word of a list in JSON, and answers with the restored words.
    pub fn label(&mut self, input: Vec<u8>) -> Result<Vec<u8>> {
        let given: Vec<String> = serde_json::from_slice(&input)
            .map_err(|_| Error::usage("the words are not a list of strings"))?;
        let restorer = self.restorer()?;
        json(&PlacedWord::of_words(&given, restorer.restore_words(&given)?, restorer.as_ref()))
    }

    /// Starts a live text, and answers with its number.
    pub fn stream_start(&mut self, _: Vec<u8>) -> Result<Vec<u8>> {
        let stream = Some(self.restorer()?.stream()?);
        let free = self.streams.iter().position(Option::is_none);
        let at = free.unwrap_or_else(|| {
            self.streams.push(None);
            self.streams.len() - 1
        });
        self.streams[at] = stream;
        json(&at)
    }

    /// Does some work on a live text, and answers with its output.
    fn on_stream(
        &mut self,
        number: u32,
        work: impl FnOnce(&mut Stream, &mut Vec<u8>) -> Result<()>,
    ) -> Result<Vec<u8>> {
        let stream = self.streams.get_mut(number as usize).and_then(Option::as_mut);
        let stream = stream.ok_or_else(|| Error::usage("the stream has ended: start another one"))?;
        let mut out = Vec::new();
        work(stream, &mut out)?;
        Ok(out)
    }

    /// Reads the next part of a live text, and answers with the text that is then certain.
    pub fn stream_push(&mut self, input: Vec<u8>, number: u32) -> Result<Vec<u8>> {
        self.on_stream(number, |stream, out| stream.push(&input, out))
    }

    /// Stops waiting: answers with all text that has arrived.
    pub fn stream_now(&mut self, _: Vec<u8>, number: u32) -> Result<Vec<u8>> {
        self.on_stream(number, |stream, out| stream.now(out))
    }

    /// Answers with the text that [`Core::stream_now`] would return, and continues to wait.
    pub fn stream_tail(&mut self, _: Vec<u8>, number: u32) -> Result<Vec<u8>> {
        self.on_stream(number, |stream, out| stream.tail().map(|tail| *out = tail))
    }

    /// Ends a live text, and answers with the remaining text.
    pub fn stream_finish(&mut self, input: Vec<u8>, number: u32) -> Result<Vec<u8>> {
        let rest = self.on_stream(number, |stream, out| stream.finish(out).map(drop))?;
        self.stream_drop(input, number)?;
        Ok(rest)
    }

    /// Forgets a live text.
    pub fn stream_drop(&mut self, _: Vec<u8>, number: u32) -> Result<Vec<u8>> {
        if let Some(stream) = self.streams.get_mut(number as usize) {
            *stream = None;
        }
        Ok(Vec::new())
    }

    /// Restores a file.
    pub fn restore_file(&mut self, input: Vec<u8>) -> Result<Vec<u8>> {
        let (out, report) = files::restore(self.model()?, &self.settings, &input)?;
        self.report = report;
        Ok(out)
    }

    /// Refuses to convert a file.
    #[cfg(not(feature = "all"))]
    pub fn convert(&mut self, _: Vec<u8>) -> Result<Vec<u8>> {
        Err(left_out("does not convert files"))
    }

    /// Converts a file. The input is the length of the options in four bytes, the options, and the file.
    #[cfg(feature = "all")]
    pub fn convert(&mut self, input: Vec<u8>) -> Result<Vec<u8>> {
        let options = input.first_chunk::<4>().map(|length| u32::from_le_bytes(*length) as usize);
        let parts = options.and_then(|length| input.get(4..)?.split_at_checked(length));
        let (options, file) = parts.ok_or_else(|| Error::usage("the options are cut off"))?;
        let (out, report) = conversion::convert(options, file)?;
        self.report = report;
        Ok(out)
    }

    /// Answers with the report on the last file.
    pub fn report(&mut self, _: Vec<u8>) -> Result<Vec<u8>> {
        json(&self.report)
    }

    /// Answers with the language of a file, which the options describe.
    pub fn detect_file_language(&mut self, input: Vec<u8>) -> Result<Vec<u8>> {
        if cfg!(not(feature = "all")) {
            return Err(left_out("does not detect the language of files"));
        }
        json(&files::language(&self.settings, &input)?)
    }

    /// Answers with the language of a text.
    pub fn detect_language(&mut self, input: Vec<u8>) -> Result<Vec<u8>> {
        json(&TextLanguage::of(detect_language(&text(input)?), "the text"))
    }
}

/// The description of a model.
#[derive(Serialize)]
struct ModelFacts<'a> {
    language: &'a str,
    method: &'a str,
    /// The marks that the model can insert.
    marks: String,
}

fn json(value: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|error| Error::Bug(error.to_string()))
}

fn text(input: Vec<u8>) -> Result<String> {
    String::from_utf8(input).map_err(|_| Error::usage("the text is not UTF-8"))
}
