//! Runs models and reads the outputs of other systems on one text, for `compare` and `experiment annotate`.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use super::measure;
use super::spinner::Spinner;
use crate::backend::BackendArgs;
use crate::page::threads;
use crate::{folders, host, named};
use majuscule_base::error::{Error, Result};
use majuscule_methods::model::Manifest;
use majuscule_restore::models::Model;
use majuscule_text::Locale;
use majuscule_text::restorer::Request;
use majuscule_train::corpus::{Corpus, Example, Protocol, Reading};
use majuscule_train::eval::word_kinds::WordFacts;
use majuscule_train::eval::{Choices, System, evaluate_each, marks_for, pair};

/// The systems as they are named on the command line, and the way their text is read.
pub struct NamedSystems<'a> {
    /// The text in its true case.
    pub reference: &'a Path,
    /// The models that restore the text.
    pub models: &'a [PathBuf],
    /// The outputs of other systems for the text.
    pub outputs: &'a [PathBuf],
    /// The way the text is read.
    pub reading: &'a Reading,
    /// The protocol: what a system sees and what counts.
    pub protocol: Protocol,
    /// The case mappings that the user names; they replace the case mappings of the first model.
    pub locale: Option<Locale>,
    /// The number of threads that a method may use.
    pub threads: Option<NonZeroUsize>,
    /// The device and the precision of the computation.
    pub backend: &'a BackendArgs,
    /// True if the words that each system writes are kept.
    pub keeps_words: bool,
}

/// The results of systems on the same text.
pub struct SystemResults {
    /// The slots of each system.
    pub systems: Vec<System>,
    /// The examples of each system, if words are kept.
    pub choices: Vec<Vec<Choices>>,
    /// The facts about the words of each example, if words are kept.
    pub facts: Vec<Vec<WordFacts>>,
    /// The number of words that are scored.
    pub words: u64,
    /// The case mappings that count.
    pub locale: Locale,
    /// The language of the text, which the first model determines.
    pub language: String,
}

impl NamedSystems<'_> {
    /// Lets each model restore the text and reads the outputs; `locale` is used if there is no model.
    ///
    /// # Errors
    /// If a model or a file cannot be read, or the words differ.
    pub fn run(&self, locale: Locale) -> Result<SystemResults> {
        let mut results = SystemResults {
            systems: Vec::new(),
            choices: Vec::new(),
            facts: Vec::new(),
            words: 0,
            locale,
            language: self.reading.language().to_owned(),
        };
        self.models(&mut results)?;
        self.outputs(&mut results)?;
        Ok(results)
    }

    /// Lets each model restore the text.
    fn models(&self, results: &mut SystemResults) -> Result<()> {
        let Self { reference, models, reading, protocol, .. } = *self;
        let computing = &self.backend.computing();
        if models.is_empty() {
            return Ok(());
        }
        if reference == Path::new("-") && models.len() + self.outputs.len() > 1 {
            let problem = "the text is read once for each system, but standard input can be read only once: give a file";
            return Err(Error::usage(problem));
        }
        let progress = Spinner::new();
        let mut done = 0;
        let mut opened = None;
        for path in models {
            progress.say(format!("opening {}", path.display()));
            let Model { manifest, restorer } = named::load(path, reading.language(), computing, false)?;
            let name = path.to_string_lossy().into_owned();
            marks_for(&*restorer, protocol, None)
                .map_err(|error| Error::usage(format!("{name}: {error}")))?;
            // The first model determines the case mappings and the language.
            let (corpus, examples) = match &opened {
                Some(opened) => opened,
                None => {
                    results.locale = self.locale.unwrap_or(manifest.locale);
                    let reading = reading_of(reading, &manifest);
                    reading.language().clone_into(&mut results.language);
                    &*opened.insert(self.open(reading, results.locale, &progress)?)
                }
            };
            if manifest.locale != results.locale {
                let (one, other) = (results.locale, manifest.locale);
                return Err(Error::usage(format!(
                    "{name} has the case mappings of \"{other}\", but the others have the case mappings of \"{one}\": compare models of one language"
                )));
            }
            progress.say(name.clone());
            let request = Request { threads: threads(self.threads), ..Request::default() };
            let (mut system, mut all, mut words) = (System::new(&name), Vec::new(), 0);
            let details = restorer.details();
            evaluate_each(&*restorer, request, None, corpus, &mut |tokens, gold, choices| {
                words += gold.iter().filter(|gold| gold.scored).count() as u64;
                system.push(gold, choices, protocol);
                if self.keeps_words {
                    results.add_facts(all.len(), WordFacts::of(tokens, gold, details));
                    all.push(Choices::of(tokens, gold, choices, protocol, results.locale));
                }
                done += 1;
                progress.count(done, examples * models.len() as u64);
                Ok(())
            })?;
            results.words = words;
            results.systems.push(system);
            results.choices.push(all);
        }
        Ok(())
    }

    /// Opens the text as a model reads it, and counts its examples if a progress bar is shown.
    fn open(&self, reading: Reading, locale: Locale, progress: &Spinner) -> Result<(Corpus, u64)> {
        let files = folders::paths(&[self.reference.to_owned()], reading.format)?;
        let corpus = host::watched(Corpus::new(&files, reading, self.protocol, locale)?);
        if self.outputs.is_empty() {
            // If there are outputs, the warning comes when they are read.
            measure::tell_paragraphs(&corpus)?;
        }
        let mut examples = 0;
        if progress.is_shown() {
            corpus.for_each(&mut |_| {
                examples += 1;
                Ok(())
            })?;
        }
        Ok((corpus, examples))
    }

    /// Reads the outputs of other systems.
    fn outputs(&self, results: &mut SystemResults) -> Result<()> {
        let Self { reference, outputs, reading, protocol, .. } = *self;
        if outputs.is_empty() {
            return Ok(());
        }
        let files: Vec<&Path> = [reference].into_iter().chain(outputs.iter().map(PathBuf::as_path)).collect();
        let mut sides = measure::sides(&files, reading, protocol, results.locale)?;
        let hypotheses = sides.split_off(1);
        let mut systems: Vec<System> = hypotheses.iter().map(|side| System::new(side.name())).collect();
        let mut all = vec![Vec::new(); systems.len()];
        let (mut words, mut examples) = (0, 0);
        pair(&sides[0], &hypotheses, &mut |Example { tokens, gold }, choices| {
            words += gold.iter().filter(|gold| gold.scored).count() as u64;
            if self.keeps_words {
                results.add_facts(examples, WordFacts::of(tokens, gold, None));
            }
            for ((system, all), choices) in systems.iter_mut().zip(&mut all).zip(choices) {
                system.push(gold, choices, protocol);
                if self.keeps_words {
                    all.push(Choices::of(tokens, gold, choices, protocol, results.locale));
                }
            }
            examples += 1;
            Ok(())
        })?;
        results.words = words;
        results.systems.extend(systems);
        results.choices.extend(all);
        Ok(())
    }
}

impl SystemResults {
    /// Adds the facts that a system provides about the words of an example.
    fn add_facts(&mut self, example: usize, facts: Vec<WordFacts>) {
        match self.facts.get_mut(example) {
            Some(all) => all.iter_mut().zip(facts).for_each(|(all, other)| all.add_vocabulary(other)),
            None => self.facts.push(facts),
        }
    }
}

/// Returns the settings for reading text for a model. If the model is of another language, its language is used.
fn reading_of(reading: &Reading, manifest: &Manifest) -> Reading {
    let mut reading = reading.clone();
    if !manifest.is_of(reading.language()) {
        reading.language = Some(manifest.language.clone());
    }
    reading
}
