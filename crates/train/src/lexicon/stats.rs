//! Computes the statistics of a lexicon.

use std::fmt;

use serde::Serialize;

use super::Lexicon;
use majuscule::text::Class;

/// The statistics of a lexicon.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LexiconStats {
    /// The language tag of the lexicon.
    pub language: String,
    /// The number of different words in lower case.
    pub words: usize,
    /// The number of different spellings of the words.
    pub forms: usize,
    /// The number of words with two forms or more.
    pub ambiguous: usize,
    /// The number of occurrences of all words.
    pub tokens: f64,
    /// The number of occurrences at sentence beginnings.
    pub initial: f64,
    /// The figures by class of the form, in the order of [`Class::ALL`].
    pub classes: Vec<ClassStats>,
    /// The figures by source.
    pub sources: Vec<SourceStats>,
    /// The updates as text: date, decay and sources.
    pub updates: Vec<String>,
}

/// The figures of the forms of a class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassStats {
    /// The class.
    pub class: Class,
    /// The number of forms.
    pub forms: usize,
    /// The number of occurrences of the forms.
    pub tokens: f64,
    /// The share of all occurrences; `None` if there are none.
    pub share: Option<f64>,
}

/// The figures of a source.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SourceStats {
    /// The name of the source.
    pub name: String,
    /// The number of words or entries that were read from the source.
    pub read: u64,
    /// The number of different words found in the source, perhaps elsewhere too.
    pub words: usize,
    /// The number of different forms found in the source, perhaps elsewhere too.
    pub forms: usize,
    /// The number of forms found in no other source.
    pub only_here: usize,
}

impl LexiconStats {
    /// Counts the words and forms of a lexicon.
    pub fn of(lexicon: &Lexicon) -> Self {
        let mut stats = Self::empty(lexicon);
        let mut last_word = vec![None; lexicon.sources.len()];
        for (i, entry) in lexicon.iter().enumerate() {
            stats.ambiguous += usize::from(entry.forms.len() > 1);
            stats.initial += entry.initial();
            for form in entry.forms {
                stats.tokens += form.total();
                let class = &mut stats.classes[form.case.class() as usize];
                class.forms += 1;
                class.tokens += form.total();
                let sources = lexicon.sets.get(form.sources);
                for id in sources.iter().map(|&id| usize::from(id)) {
                    stats.sources[id].forms += 1;
                    stats.sources[id].only_here += usize::from(sources.len() == 1);
                    stats.sources[id].words += usize::from(last_word[id].replace(i) != Some(i));
                }
            }
        }
        for class in &mut stats.classes {
            class.share = (stats.tokens > 0.0).then(|| class.tokens / stats.tokens);
        }
        stats
    }

    fn empty(lexicon: &Lexicon) -> Self {
        let class = |class| ClassStats { class, forms: 0, tokens: 0.0, share: None };
        let sources = lexicon.sources().iter().map(|source| SourceStats {
            name: source.name().to_owned(),
            read: source.words,
            words: 0,
            forms: 0,
            only_here: 0,
        });
        let updates = lexicon.updates().iter();
        Self {
            language: lexicon.language().to_owned(),
            words: lexicon.len(),
            forms: lexicon.form_count(),
            ambiguous: 0,
            tokens: 0.0,
            initial: 0.0,
            classes: Class::ALL.map(class).to_vec(),
            sources: sources.collect(),
            updates: updates
                .map(|update| format!("{} x{} + {}", update.date, update.decay, update.sources.join(", ")))
                .collect(),
        }
    }
}

impl fmt::Display for LexiconStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "language         {}", self.language)?;
        writeln!(f, "words            {}", self.words)?;
        writeln!(f, "forms            {}", self.forms)?;
        writeln!(f, "ambiguous words  {}", self.ambiguous)?;
        writeln!(
            f,
            "occurrences      {:.0}, {:.0} of them at sentence beginnings",
            self.tokens, self.initial
        )?;
        writeln!(f, "\n{:<8} {:>12} {:>14} {:>8}", "case", "forms", "occurrences", "share")?;
        for class in &self.classes {
            let share = class.share.map_or("-".to_owned(), |share| format!("{:.2} %", 100.0 * share));
            writeln!(f, "{:<8} {:>12} {:>14.0} {share:>8}", class.class.name(), class.forms, class.tokens)?;
        }
        writeln!(f, "\n{:>12} {:>12} {:>12} {:>12}  source", "read", "words", "forms", "only here")?;
        for source in &self.sources {
            let SourceStats { name, read, words, forms, only_here } = source;
            writeln!(f, "{read:>12} {words:>12} {forms:>12} {only_here:>12}  {name}")?;
        }
        self.updates.iter().try_for_each(|update| writeln!(f, "\nupdated          {update}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexicon::tests::lexicon;

    #[test]
    fn figures_are_those_a_pencil_finds() {
        let positions = crate::lexicon::read::parse(b"Rose\nLisbon\n").unwrap();
        let stats = LexiconStats::of(&lexicon("rose rose Rose ^The NATO iPhone").merge(&positions).unwrap());
        assert_eq!((stats.words, stats.forms, stats.ambiguous), (5, 6, 1));
        assert_eq!((stats.tokens, stats.initial), (8.0, 1.0));
        let forms: Vec<_> = stats.classes.iter().map(|class| (class.forms, class.share)).collect();
        // Of eight: two of rose; two of Rose, one of The and one of Lisbon; NATO; iPhone.
        assert_eq!(forms, [(1, Some(0.25)), (3, Some(0.5)), (1, Some(0.125)), (1, Some(0.125))]);
        let sources: Vec<_> = stats.sources.iter().map(|s| (s.read, s.words, s.forms, s.only_here)).collect();
        assert_eq!(sources, [(6, 4, 5, 4), (2, 2, 2, 1)]);
        assert!(stats.to_string().contains("title               3              4  50.00 %"));
    }
}
