//! Shows the examples in which systems differ, side by side.

use serde::Serialize;

use super::choices::Choices;
use super::slots::Matching;
use super::table::thousands;
use super::word_kinds::WordsByKind;
use majuscule_text::{Case, Locale};

/// The examples that systems write differently.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DifferingExamples {
    /// The names of the systems.
    pub systems: Vec<String>,
    /// The number of examples in which the systems differ.
    pub examples: u64,
    /// The examples with the largest differences between systems; among equals, earlier examples
    /// come first.
    pub shown: Vec<Different>,
    /// The errors by kind of word, if the words are grouped.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub kinds: Option<WordsByKind>,
}

/// An example that systems write differently.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Different {
    /// The words in their true case.
    pub reference: Vec<String>,
    /// The words as each system wrote them.
    pub hypotheses: Vec<Vec<SystemWord>>,
    /// The largest number of errors of any system in this example minus the smallest.
    #[serde(skip)]
    apart: u64,
}

/// A word as a system wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SystemWord {
    /// The word.
    pub word: String,
    /// True if the word is wrong.
    pub wrong: bool,
}

/// The marking of errors in text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marking {
    /// In red and underlined, for a terminal.
    Colours,
    /// Between asterisks.
    Stars,
}

impl DifferingExamples {
    /// Compares systems on the same examples, in the same order. At most `most` examples are shown.
    pub fn of(
        systems: Vec<String>,
        examples: Vec<Vec<Choices>>,
        matching: Matching,
        locale: Locale,
        most: usize,
    ) -> Self {
        let count = examples.iter().map(Vec::len).min().unwrap_or_default();
        let mut different: Vec<Different> = Vec::new();
        for at in 0..count {
            let sides: Vec<&Choices> = examples.iter().map(|system| &system[at]).collect();
            let first = sides[0];
            if sides.iter().any(|side| (&side.hypothesis, &side.marks) != (&first.hypothesis, &first.marks)) {
                different.push(Different::of(&sides, matching, locale));
            }
        }
        let examples = different.len() as u64;
        different.sort_by_key(|different| std::cmp::Reverse(different.apart));
        different.truncate(most);
        Self { systems, examples, shown: different, kinds: None }
    }

    /// The examples as text.
    pub fn text(&self, marking: Marking) -> String {
        let shown = self.shown.len() as u64;
        let mut page = format!("\n{} examples are written differently", thousands(self.examples));
        page += &if shown < self.examples {
            format!("; the {shown} that distinguish the systems most:\n")
        } else {
            ":\n".into()
        };
        let width = self
            .systems
            .iter()
            .map(|name| name.chars().count())
            .chain([REFERENCE.len()])
            .max()
            .unwrap_or_default();
        for different in &self.shown {
            page += &format!("\n{REFERENCE:width$}  {}\n", different.reference.join(" "));
            for (name, words) in self.systems.iter().zip(&different.hypotheses) {
                let words: Vec<_> = words.iter().map(|word| word.text(marking)).collect();
                page += &format!("{name:width$}  {}\n", words.join(" "));
            }
        }
        page
    }
}

const REFERENCE: &str = "reference";

impl Different {
    fn of(sides: &[&Choices], matching: Matching, locale: Locale) -> Self {
        let words = |side: &&Choices| {
            let word = |(at, cases): (usize, Option<[Case; 2]>)| {
                let [right, chosen] = side.marks.get(at).copied().unwrap_or_default();
                let wrong = cases.is_some_and(|[case, found]| case != found || right != chosen);
                let [_, word] = side.shown(at);
                SystemWord { word, wrong }
            };
            side.cases(matching, locale).enumerate().map(word).collect::<Vec<_>>()
        };
        let hypotheses: Vec<Vec<SystemWord>> = sides.iter().map(words).collect();
        let errors = hypotheses.iter().map(|words| words.iter().filter(|word| word.wrong).count() as u64);
        let apart = apart(errors);
        let reference =
            |side: &&Choices| (0..side.reference.len()).map(|at| side.shown(at)[0].clone()).collect();
        Self { reference: sides.first().map(reference).unwrap_or_default(), hypotheses, apart }
    }
}

/// Returns the distance between systems on an example: the largest number of errors of any system minus the smallest.
pub fn apart(errors: impl Iterator<Item = u64>) -> u64 {
    let (least, most) =
        errors.fold((u64::MAX, 0), |(least, most), errors| (least.min(errors), most.max(errors)));
    most.saturating_sub(least)
}

impl SystemWord {
    fn text(&self, marking: Marking) -> String {
        match (self.wrong, marking) {
            (false, _) => self.word.clone(),
            (true, Marking::Colours) => format!("\x1b[31;4m{}\x1b[0m", self.word),
            (true, Marking::Stars) => format!("*{}*", self.word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(reference: &str, hypothesis: &str) -> Choices {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect();
        Choices {
            reference: words(reference),
            hypothesis: words(hypothesis),
            unscored: [0].into(),
            ..Choices::default()
        }
    }

    #[test]
    fn marks_tell_systems_apart_too() {
        use majuscule_text::Mark::{self, Comma, None, Period, SentenceEnd};
        let side = |marks: [[Mark; 2]; 3]| {
            vec![Choices { marks: marks.to_vec(), ..choices("Well we left", "Well we left") }]
        };
        let found = DifferingExamples::of(
            vec!["one".into(), "two".into()],
            vec![
                side([[None, None], [Comma, None], [Period, Period]]),
                side([[None, None], [Comma, Comma], [Period, SentenceEnd]]),
            ],
            Matching::Tags,
            Locale::Root,
            5,
        );
        let expected = "reference  Well we, left.\none        Well *we* left.\ntwo        Well we, *left|*\n";
        assert!(found.text(Marking::Stars).ends_with(expected), "{}", found.text(Marking::Stars));
    }

    #[test]
    fn what_tells_systems_apart_comes_first() {
        let one = vec![
            choices("We met Anna", "We met anna"),
            choices("In Rome", "in Rome"),
            choices("The EU and UN", "The eu and un"),
        ];
        let two = vec![
            choices("We met Anna", "We met Anna"),
            choices("In Rome", "in Rome"),
            choices("The EU and UN", "The EU and UN"),
        ];
        let found = DifferingExamples::of(
            vec!["one".into(), "two".into()],
            vec![one, two],
            Matching::of(Default::default()),
            Locale::Root,
            5,
        );
        assert_eq!(
            found.text(Marking::Stars),
            "\n2 examples are written differently:\n\nreference  The EU and UN\none        The *eu* and *un*\ntwo        \
             The EU and UN\n\nreference  We met Anna\none        We met *anna*\ntwo        We met Anna\n"
        );
        assert!(found.text(Marking::Colours).contains("\x1b[31;4manna\x1b[0m"));
    }
}
