//! Checks of the arguments of `majuscule restore` against each other, a text and a model.

use std::path::{Path, PathBuf};

use majuscule_base::error::Error;
use majuscule_base::named::NamedValue;
use majuscule_format::{Format, FormatFamily};
use majuscule_methods::model::Store;
use majuscule_restore::models::{Model, Preset};
use majuscule_text::{Context, MarkSet, OutputForm};

use super::arguments::RestoreArgs;
use crate::methods::methods;

impl RestoreArgs {
    /// Refuses marks that are named as files: `--marks .,?`.
    pub(super) fn check_files(&self) -> Result<(), Error> {
        let files = self.targets.files();
        let is_marks = |file: &&PathBuf| {
            let is_here = file.is_file() || file.as_os_str() == "-" || file.is_dir() && files.len() == 1;
            self.user.has("marks")
                && !is_here
                && file.to_str().is_some_and(|name| name.parse::<MarkSet>().is_ok())
        };
        let Some(marks) = files.iter().find(is_marks) else { return Ok(()) };
        let marks = marks.display();
        Err(Error::usage(format!("{marks} is not a file: to insert these marks, give --marks={marks}")))
    }

    /// Refuses contradictory options.
    pub(super) fn check(&self, files: &[&Path]) -> Result<(), Error> {
        if let Some(option) = self.voting.given().filter(|_| self.stream || self.n_best.is_some()) {
            let problem = "needs whole windows of text, for which live text and n-best lists do not wait";
            return Err(Error::usage(format!("{option} {problem}: leave --stream and --n-best out")));
        }
        let problem = if self.json && !self.stream && !self.confidence {
            "--json prints the words of --confidence or the updates of --stream: give one of these too"
        } else if !self.cascade.files().is_empty() && (self.stream || self.lang() == "auto") {
            "--cascade waits for sentence ends and handles one language: leave --stream out, and name the language"
        } else if self.user.options.form.is_by_sentence() && self.targets.is_compared() {
            "--lines changes line breaks, but --check and --diff compare lines: leave it out"
        } else if self.id.is_some() && !self.stream {
            "--id is for live records: give --stream too"
        } else if self.stream && self.is_told_by_file() {
            "--lang auto waits for some text, but --stream does not wait: name the language"
        } else {
            let known =
                |file: &&Path| Some(self.format).filter(|kind| *kind != Format::Auto).or(Format::named(file));
            return files.iter().filter_map(known).try_for_each(|kind| self.check_kind(kind));
        };
        Err(Error::usage(problem))
    }

    /// Refuses options that do not fit the format of a text.
    pub(super) fn check_kind(&self, kind: Format) -> Result<(), Error> {
        let problem = if self.n_best.is_some() && !kind.is_plain_text() {
            "--n-best reads only plain text: leave it out, or give --format text"
        } else if self.user.options.form == OutputForm::Sentences && kind.info().family != FormatFamily::Text
        {
            "--lines sentence writes only plain text: leave it out, or convert to text first (majuscule convert)"
        } else if self.stream && self.confidence && !kind.is_plain_text() {
            "--stream keeps the form of records, which cannot hold probabilities: leave --confidence out"
        } else if self.user.options.context == Context::Line && !kind.info().has_context {
            "--context line separates lines of text or records of jsonl, but subtitles and other transcripts continue from line to line: \
             leave it out"
        } else if self.user.options.group.is_some() && !kind.info().has_objects {
            "--group names a field of jsonl, but a text has another format: leave it out, or give --format jsonl"
        } else {
            return Ok(());
        };
        Err(Error::usage(problem))
    }

    /// Refuses options that do not fit the format that a text is converted to; `to` is `None` if it keeps its format.
    pub(super) fn check_conversion(
        &self,
        kind: Format,
        to: Option<Format>,
        joins: bool,
    ) -> Result<(), Error> {
        let written = to.unwrap_or(kind);
        let problem = if self.user.options.form == OutputForm::Paragraphs
            && written.info().family != FormatFamily::Text
        {
            "--lines paragraph writes only plain text: leave it out, or write a transcript with -o FILE.txt or --to text"
        } else if to.is_none() && self.output_form.is_transcript() {
            "--names and --times are for a transcript: write one with -o FILE.txt, -o FILE.md or --to text"
        } else if to.is_none() {
            return Ok(());
        } else if self.user.options.form == OutputForm::Sentences {
            "--lines sentence keeps the format of a text: leave it out, or convert to text first (majuscule convert)"
        } else if joins {
            "several texts cannot be converted into one: name a folder with -o and the format with --to, or convert each by itself"
        } else if self.stream {
            "--stream keeps the format of a text: leave it out, or give the output the extension of that format"
        } else {
            return Ok(());
        };
        Err(Error::usage(problem))
    }

    /// Refuses a `--lang` that the model does not cover.
    pub(super) fn check_language(&self, model: &Model) -> Result<(), Error> {
        let manifest = &model.manifest;
        match &self.lang {
            Some(asked) if !manifest.is_of(asked) => Err(Error::usage(format!(
                "--lang {asked} is not the language of the model, {}: leave --lang out",
                manifest.language
            ))),
            _ => Ok(()),
        }
    }

    /// Refuses marks from a model without them, and names the built-in models that have some.
    pub(super) fn check_marks(&self, model: &Model) -> Result<(), Error> {
        let has_marks = |model: &Model| !model.restorer.labels().marks().is_empty();
        if !self.user.has("marks") || has_marks(model) {
            return Ok(());
        }
        let which = if self.cascade.files().is_empty() {
            "model"
        } else {
            "first model of --cascade, which reads all of a text,"
        };
        let language = &model.manifest.language;
        let stored_has_marks = |store: Box<dyn Store>| !store.manifest().labels.marks().is_empty();
        let methods = methods();
        let presets = Preset::VALUES
            .iter()
            .filter(|(preset, ..)| methods.preset_store(language, *preset).is_ok_and(stored_has_marks));
        let names: Vec<&str> = presets.map(|(_, name, _)| *name).collect();
        let others = match names.as_slice() {
            [] => "one that was trained with marks (majuscule train maxent --marks)".to_owned(),
            [name] => format!("{name} of --lang {language}"),
            [names @ .., last] => format!("{} or {last} of --lang {language}", names.join(", ")),
        };
        Err(Error::usage(format!(
            "the {which} does not insert punctuation: leave --marks out, or name {others}"
        )))
    }
}
