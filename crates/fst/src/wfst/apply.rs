//! Applies a machine and its tables of symbols to lines of text: words in, words out.

use rustc_hash::FxHashMap;

use super::{
    ArcLabel, EPSILON, FAILURE_SYMBOL, LayeredSearch, Machine, MachinePath, Symbols, best_paths, composed,
};
use majuscule_base::error::{Error, Result};
use majuscule_lm::vocab::SPECIAL;
use majuscule_text::Locale;
use majuscule_text::tokens::lower_word;

/// A machine that reads and writes words.
#[derive(Debug)]
pub struct Transducer {
    machine: Machine,
    outputs: Symbols,
    locale: Locale,
    /// The input labels of each lower-cased word: the word itself,
    /// or all its forms for an acceptor.
    readings: FxHashMap<String, Vec<ArcLabel>>,
    /// The input label of words without readings.
    unknown: Option<ArcLabel>,
}

/// The output for a line of text.
#[derive(Debug, Clone, PartialEq)]
pub struct InputLine {
    /// The cost of the path, −ln of its weight.
    pub cost: f64,
    /// The words of the output, separated by spaces.
    pub text: String,
}

impl Transducer {
    /// Creates a transducer from a machine and its tables of symbols. A transducer reads words in
    /// lower case; an acceptor reads every form of each word, so that its best path is the best of
    /// all ways to write the words. The symbol `<phi>` marks failure arcs.
    ///
    /// # Errors
    /// Returns an error if a table lacks a label of the machine, or failure arcs form a cycle.
    pub fn new(machine: Machine, inputs: &Symbols, outputs: Symbols, locale: Locale) -> Result<Self> {
        inputs.check(&machine, "reads", |arc| arc.ilabel)?;
        outputs.check(&machine, "writes", |arc| arc.olabel)?;
        let acceptor = machine.properties().acceptor;
        let machine = match inputs.label(FAILURE_SYMBOL) {
            Some(label) => machine.with_failure(label)?,
            None => machine,
        };
        let mut readings: FxHashMap<String, Vec<ArcLabel>> = FxHashMap::default();
        let mut key = String::new();
        for (label, word) in inputs.iter() {
            if label == EPSILON || word == FAILURE_SYMBOL || SPECIAL.contains(&word) {
                continue;
            }
            key.clear();
            if acceptor {
                lower_word(word, locale, &mut key);
            } else {
                key.push_str(word);
            }
            readings.entry(key.clone()).or_default().push(label);
        }
        Ok(Self { machine, outputs, locale, readings, unknown: inputs.label(SPECIAL[0]) })
    }

    /// Returns a function that finds the best path of a line; `None` if the machine accepts none.
    ///
    /// # Errors
    /// The function returns an error if a line has a word that the machine
    /// cannot read, not even as `<unk>`.
    pub fn best(&self) -> impl FnMut(&str) -> Result<Option<InputLine>> {
        let mut search = LayeredSearch::new(&self.machine);
        move |line| Ok(search.best(&self.lattice(line)?).map(|path| self.line(line, &path)))
    }

    /// Finds the `count` best paths of a line with distinct outputs, best first.
    ///
    /// # Errors
    /// Returns the errors of [`Transducer::best`], and an error if rustfst fails.
    pub fn several(&self, line: &str, count: usize) -> Result<Vec<InputLine>> {
        let paths = best_paths(&self.machine, &self.lattice(line)?, count)?;
        Ok(paths.iter().map(|path| self.line(line, path)).collect())
    }

    /// Returns all paths of a line through the machine, as a machine; `None` if it accepts none.
    ///
    /// # Errors
    /// Returns the errors of [`Transducer::several`].
    pub fn paths(&self, line: &str) -> Result<Option<Machine>> {
        composed(&self.machine, &self.lattice(line)?)
    }

    /// Returns the labels that each word of a line may be read as.
    fn lattice(&self, line: &str) -> Result<Vec<&[ArcLabel]>> {
        let mut key = String::new();
        let readings = |word: &str| {
            key.clear();
            lower_word(word, self.locale, &mut key);
            let readings = self.readings.get(&key).map(Vec::as_slice);
            readings.or_else(|| self.unknown.as_ref().map(std::slice::from_ref)).ok_or_else(|| {
                let word = word.escape_debug();
                Error::usage(format!(
                    "\"{word}\" is not among the symbols that the machine reads, and it has no <unk>"
                ))
            })
        };
        line.split_whitespace().map(readings).collect()
    }

    /// Converts a path to its output. A word that was read as `<unk>` stays unchanged.
    fn line(&self, line: &str, path: &MachinePath) -> InputLine {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        let written = |label: &ArcLabel| self.outputs.word(*label).unwrap_or(SPECIAL[0]);
        if words.len() == path.output.len() {
            for (word, label) in words.iter_mut().zip(&path.output) {
                match written(label) {
                    unknown if unknown == SPECIAL[0] => {}
                    form => *word = form,
                }
            }
        } else {
            words = path.output.iter().map(written).collect();
        }
        InputLine { cost: path.cost, text: words.join(" ") }
    }
}
