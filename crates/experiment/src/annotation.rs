//! Sheets of words on which systems differ, for annotators who do not see the systems' names, and keys that name the
//! systems.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::csv_table::CsvTable;
use majuscule_base::error::{Error, Result};
use majuscule_text::Locale;
use majuscule_train::eval::Choices;
use majuscule_train::eval::table::csv_cell;
use majuscule_train::eval::word_kinds::WordFacts;
use majuscule_train::random::{Purpose, Random, below, generator, shuffle};

/// The words that systems wrote for the same text.
#[derive(Debug, Clone, Copy)]
pub struct SystemWords<'a> {
    /// The names of the systems.
    pub systems: &'a [String],
    /// The examples of each system.
    pub choices: &'a [Vec<Choices>],
    /// The facts about the words of each example.
    pub facts: &'a [Vec<WordFacts>],
    /// True if there is a text in its true case; otherwise the output of the first system replaces it.
    pub has_reference: bool,
    /// The locale of the case mappings.
    pub locale: Locale,
}

/// The size of a sheet and the seed of its draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnnotationConfig {
    /// The largest number of positions.
    pub sample: usize,
    /// The number of words of context on each side.
    pub context: usize,
    /// The seed of the sample and of the order of variants.
    pub seed: u64,
}

/// A sheet of positions at which systems differ, and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation {
    /// The key, which annotators do not get.
    pub key: AnnotationKey,
    /// The context of each position; the word at the position is in lower case and brackets.
    contexts: Vec<String>,
    /// The number of positions at which the systems differ.
    pub differing: usize,
}

/// The key of a sheet: the system behind each variant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnnotationKey {
    /// The seed of the draws.
    pub seed: u64,
    /// The names of the systems.
    pub systems: Vec<String>,
    /// The positions, in the order of the text.
    pub rows: Vec<AnnotatedPlace>,
}

/// A position at which systems differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnnotatedPlace {
    /// The identifier of the row.
    pub id: String,
    /// The word as the reference spells it, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The variants in the order of the sheet: A, B, and so on.
    pub variants: Vec<WordVariant>,
}

/// A spelling of a word, and the systems that wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordVariant {
    /// The word, with the punctuation mark after it if punctuation is scored.
    pub word: String,
    /// The names of the systems.
    pub systems: Vec<String>,
}

/// The columns of a sheet, except for the columns of the variants.
const ID: &str = "id";
const CONTEXT: &str = "context";
const CHOICE: &str = "choice";

/// The letters of variants.
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

impl Annotation {
    /// Draws positions at which systems differ, and shuffles the variants of each position.
    ///
    /// # Errors
    /// If there are fewer than two systems or more than 26, two have the same name, or all write the same.
    pub fn of(words: SystemWords<'_>, config: AnnotationConfig) -> Result<Self> {
        let SystemWords { systems, choices, .. } = words;
        check_systems(systems)?;
        let examples = choices.iter().map(Vec::len).min().unwrap_or_default();
        let mut places: Vec<(usize, usize)> =
            (0..examples).flat_map(|example| words.differing(example)).collect();
        let differing = places.len();
        if places.is_empty() {
            return Err(Error::usage("the systems write all words alike: there is nothing to annotate"));
        }
        shuffle(&mut places, below_in(&mut generator(config.seed, Purpose::HeldOut, 0)));
        places.truncate(config.sample);
        places.sort_unstable();
        let mut order = generator(config.seed, Purpose::Order, 0);
        let rows =
            places.iter().enumerate().map(|(row, &place)| words.place(row + 1, place, &mut order)).collect();
        let contexts = places.iter().map(|&place| words.context(place, config.context)).collect();
        let key = AnnotationKey { seed: config.seed, systems: systems.to_vec(), rows };
        Ok(Self { key, contexts, differing })
    }

    /// Returns the sheet as comma-separated values: a row per position, with an empty cell for the choice.
    pub fn sheet(&self) -> String {
        let letters = self.key.letters();
        let mut sheet = format!("{ID},{CONTEXT},{},{CHOICE}\n", letters.join(","));
        for (place, context) in self.key.rows.iter().zip(&self.contexts) {
            let mut cells = vec![csv_cell(&place.id), csv_cell(&inert(context))];
            let variant = |at: usize| {
                place.variants.get(at).map_or_else(String::new, |variant| csv_cell(&inert(&variant.word)))
            };
            cells.extend((0..letters.len()).map(variant));
            cells.push(String::new());
            sheet.push_str(&(cells.join(",") + "\n"));
        }
        sheet
    }
}

/// Refuses systems that a sheet cannot distinguish.
///
/// # Errors
/// If there are fewer than two systems or more than 26, or two have the same name.
pub fn check_systems(names: &[String]) -> Result<()> {
    if !(2..=LETTERS.len()).contains(&names.len()) {
        let found = names.len();
        return Err(Error::usage(format!("{found} systems: expected from 2 to {}", LETTERS.len())));
    }
    let mut seen = BTreeSet::new();
    match names.iter().find(|name| !seen.insert(*name)) {
        Some(name) => Err(Error::usage(format!("{name} is named twice: name each system once"))),
        None => Ok(()),
    }
}

/// Puts an apostrophe before text that a spreadsheet would read as a formula.
fn inert(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text.to_owned() }
}

/// Returns a function that draws a number below its argument.
fn below_in(random: &mut Random) -> impl FnMut(usize) -> usize + '_ {
    |bound| below(random, bound as u64) as usize
}

impl SystemWords<'_> {
    /// Returns the scored words of an example that systems write differently.
    fn differing(&self, example: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let first = &self.choices[0][example];
        let differs = move |word: &usize| {
            let [_, written] = first.shown(*word);
            self.choices.iter().any(|system| system[example].shown(*word)[1] != written)
        };
        let scored = (0..first.reference.len()).filter(move |word| !first.unscored.contains(word));
        scored.filter(differs).map(move |word| (example, word))
    }

    fn place(&self, id: usize, (example, word): (usize, usize), random: &mut Random) -> AnnotatedPlace {
        let mut variants: Vec<WordVariant> = Vec::new();
        for (name, system) in self.systems.iter().zip(self.choices) {
            let [_, written] = system[example].shown(word);
            match variants.iter_mut().find(|variant| variant.word == written) {
                Some(variant) => variant.systems.push(name.clone()),
                None => variants.push(WordVariant { word: written, systems: vec![name.clone()] }),
            }
        }
        shuffle(&mut variants, below_in(random));
        let [reference, _] = self.choices[0][example].shown(word);
        AnnotatedPlace { id: id.to_string(), reference: self.has_reference.then_some(reference), variants }
    }

    /// Returns the words around a position. Without a reference, a word on which the systems differ is in lower case,
    /// so that it reveals no system.
    fn context(&self, (example, at): (usize, usize), words: usize) -> String {
        let first = &self.choices[0][example];
        // If punctuation is scored, the variants contain the punctuation mark at the position itself.
        let mark = |k: usize| match k == at && !first.marks.is_empty() {
            true => None,
            false => self.facts[example].get(k).and_then(|facts| facts.mark.character()),
        };
        let shown = |k: usize| {
            let lower = self.locale.lower(&first.reference[k]);
            let is_alike =
                self.choices.iter().all(|system| system[example].hypothesis[k] == first.hypothesis[k]);
            let word = match self.has_reference || is_alike {
                _ if k == at => format!("[{lower}]"),
                true => first.reference[k].clone(),
                false => lower,
            };
            word + &mark(k).map(String::from).unwrap_or_default()
        };
        let to = first.reference.len().min(at + words + 1);
        (at.saturating_sub(words)..to).map(shown).collect::<Vec<_>>().join(" ")
    }
}

impl AnnotationKey {
    /// Reads a key from its file, which errors call `name`.
    ///
    /// # Errors
    /// If the text is not a key, or names a system or a row wrongly.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let is_no_key = |problem: &str| {
            let remedy = "name the file that was written next to the sheet";
            Error::file(name, format!("is not the key of a sheet ({problem}): {remedy}"))
        };
        let key: Self = serde_json::from_str(text).map_err(|error| is_no_key(&error.to_string()))?;
        let mut ids = BTreeSet::new();
        for AnnotatedPlace { id, variants, .. } in &key.rows {
            if !ids.insert(id) {
                return Err(is_no_key(&format!("two rows are called {id}")));
            }
            if !(2..=LETTERS.len()).contains(&variants.len()) {
                return Err(is_no_key(&format!("row {id} has {} variants", variants.len())));
            }
            let mut systems = variants.iter().flat_map(|variant| &variant.systems);
            if let Some(system) = systems.find(|system| !key.systems.contains(system)) {
                return Err(is_no_key(&format!(
                    "row {id} names the system {system}, which is not in its list"
                )));
            }
        }
        Ok(key)
    }

    /// Returns the key as JSON.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("strings and numbers, as JSON has them") + "\n"
    }

    /// Returns the letters of the columns with variants.
    fn letters(&self) -> Vec<&'static str> {
        let most = self.rows.iter().map(|place| place.variants.len()).max().unwrap_or_default();
        (0..most).map(|at| &LETTERS[at..=at]).collect()
    }

    /// Reads the choices of a filled sheet, one for each row of the key: the index of a variant, or `None` where the
    /// annotator chose none. Rows may be in any order; errors call the sheet `name`.
    ///
    /// # Errors
    /// If the sheet is not a table, lacks a column or a row, has a row that is missing from the key or has other
    /// variants in the key, or if a choice is not the letter of a variant.
    pub fn choices(&self, name: &str, text: &str) -> Result<Vec<Option<usize>>> {
        let letters = self.letters();
        let columns: Vec<&str> = [ID].into_iter().chain(letters.iter().copied()).chain([CHOICE]).collect();
        let table = CsvTable::parse(name, text, &columns)?;
        let (id, choice) = (table.column(ID)?, table.column(CHOICE)?);
        let variants = letters.iter().map(|letter| table.column(letter)).collect::<Result<Vec<_>>>()?;
        let mut found: Vec<Option<Option<usize>>> = vec![None; self.rows.len()];
        for row in &table.rows {
            let cell = |column: usize| &row[column];
            let Some(at) = self.rows.iter().position(|place| place.id == cell(id)) else {
                let problem =
                    format!("the key has no row \"{}\": name the key of this sheet", cell(id).escape_debug());
                return Err(table.problem(row, problem));
            };
            let place = &self.rows[at];
            let own = variants.iter().enumerate().find_map(|(k, &column)| {
                let word = place.variants.get(k).map_or("", |variant| &variant.word);
                (![word, &inert(word)].contains(&cell(column)))
                    .then(|| (letters[k], cell(column).to_owned(), word))
            });
            if let Some((letter, found, word)) = own {
                let found = found.escape_debug();
                let problem = format!(
                    "variant {letter} of row {} is \"{found}\", but \"{word}\" in the key: name the key of this sheet, and change \
                     nothing in it but the choices",
                    place.id
                );
                return Err(table.problem(row, problem));
            }
            if found[at].is_some() {
                let problem = format!("row {} occurs twice: expected each row once", place.id);
                return Err(table.problem(row, problem));
            }
            let chosen = match cell(choice) {
                "" => None,
                letter => {
                    let own = &letters[..place.variants.len()];
                    let Some(at) = own.iter().position(|own| own.eq_ignore_ascii_case(letter)) else {
                        let problem = format!(
                            "the choice \"{}\" of row {} is not a variant: expected {}, or nothing",
                            letter.escape_debug(),
                            place.id,
                            own.join(" or ")
                        );
                        return Err(table.problem(row, problem));
                    };
                    Some(at)
                }
            };
            found[at] = Some(chosen);
        }
        let Some(at) = found.iter().position(Option::is_none) else {
            return Ok(found.into_iter().flatten().collect());
        };
        let (id, count) = (&self.rows[at].id, self.rows.len());
        let problem = format!(
            "row {id} of the key is missing: expected all {count} rows, with an empty choice where there is none"
        );
        Err(Error::file(name, problem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: AnnotationConfig = AnnotationConfig { sample: 100, context: 2, seed: 1 };

    /// An annotation of systems called s1, s2 and so on.
    fn annotation(
        reference: Option<&str>,
        hypotheses: &[&str],
        config: AnnotationConfig,
    ) -> Result<Annotation> {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let side = |hypothesis: &&str| {
            let reference = words(reference.unwrap_or(hypotheses[0]));
            vec![Choices { reference, hypothesis: words(hypothesis), ..Choices::default() }]
        };
        let choices: Vec<_> = hypotheses.iter().map(side).collect();
        let systems: Vec<_> = (1..=hypotheses.len()).map(|number| format!("s{number}")).collect();
        let facts = vec![vec![WordFacts::default(); words(hypotheses[0]).len()]];
        let (has_reference, locale) = (reference.is_some(), Locale::Root);
        let words =
            SystemWords { systems: &systems, choices: &choices, facts: &facts, has_reference, locale };
        Annotation::of(words, config)
    }

    #[test]
    fn a_row_has_a_variant_per_spelling_and_the_key_says_whose() {
        let found = annotation(
            Some("We met Ana in Rome"),
            &["we met Ana in rome", "We met ana in rome", "we met ANA in rome"],
            CONFIG,
        )
        .unwrap();
        assert_eq!(found.differing, 2);
        let rows = &found.key.rows;
        assert_eq!(rows.iter().map(|place| place.variants.len()).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(rows[1].reference.as_deref(), Some("Ana"));
        let we = rows[0].variants.iter().find(|variant| variant.word == "we").unwrap();
        assert_eq!(we.systems, ["s1", "s3"]);
        assert_eq!(found.contexts, ["[we] met Ana", "We met [ana] in Rome"]);
        let sheet = found.sheet();
        let lines: Vec<&str> = sheet.lines().collect();
        assert_eq!(lines[0], "id,context,A,B,C,choice");
        // The first row has no third variant.
        assert!(lines[1].starts_with("1,[we] met Ana,") && lines[1].ends_with(",,"), "{sheet}");
        assert_eq!(AnnotationKey::parse("key", &found.key.json()).unwrap(), found.key);
    }

    #[test]
    fn no_cell_is_a_formula() {
        let found = annotation(Some("=Ana left"), &["=Ana left", "=ana left"], CONFIG).unwrap();
        let sheet = found.sheet();
        assert!(sheet.contains(",'=Ana") && !sheet.contains(",="), "{sheet}");
        let row = sheet.trim_end().to_owned() + "A\n";
        assert_eq!(found.key.choices("sheet", &row).unwrap(), [Some(0)]);
    }

    #[test]
    fn marks_stand_in_the_context_unless_they_are_what_is_judged() {
        use majuscule_text::Mark::{Comma, None, Period};
        let side = |hypothesis: &str, marks: &[[majuscule_text::Mark; 2]]| {
            let words = |text: &str| text.split(' ').map(str::to_owned).collect();
            let (reference, hypothesis) = (words("Ana left"), words(hypothesis));
            vec![Choices { reference, hypothesis, marks: marks.to_vec(), ..Choices::default() }]
        };
        let fact = |mark| WordFacts { mark, ..WordFacts::default() };
        let of = |choices: [Vec<Choices>; 2]| {
            let systems = ["s1".to_owned(), "s2".to_owned()];
            let facts = [vec![fact(Comma), fact(Period)]];
            let (has_reference, locale) = (true, Locale::Root);
            let words =
                SystemWords { systems: &systems, choices: &choices, facts: &facts, has_reference, locale };
            Annotation::of(words, CONFIG).unwrap()
        };
        assert_eq!(of([side("Ana left", &[]), side("ana left", &[])]).contexts, ["[ana], left."]);
        let [comma, none] = [[Comma, Comma], [Comma, None]].map(|first| [first, [Period, Period]]);
        let found = of([side("Ana left", &comma), side("Ana left", &none)]);
        assert_eq!(found.contexts, ["[ana] left."]);
        let mut words: Vec<_> = found.key.rows[0].variants.iter().map(|variant| &variant.word).collect();
        words.sort();
        assert_eq!(words, ["Ana", "Ana,"]);
    }

    #[test]
    fn without_a_reference_the_context_shows_no_system() {
        let found = annotation(None, &["We met Ana", "we met ana"], CONFIG).unwrap();
        assert_eq!(found.contexts, ["[we] met ana", "we met [ana]"]);
        assert_eq!(found.key.rows[0].reference, None);
    }

    #[test]
    fn the_seed_gives_the_sample_and_the_order_and_the_order_varies() {
        let (one, two) = (["Ana"; 60].join(" "), ["ana"; 60].join(" "));
        let with = |seed, sample| {
            annotation(Some(&one), &[&one, &two], AnnotationConfig { seed, sample, ..CONFIG }).unwrap()
        };
        assert_eq!(with(3, 20), with(3, 20));
        assert_ne!(with(3, 20), with(4, 20));
        assert_eq!((with(3, 20).key.rows.len(), with(3, 20).differing), (20, 60));
        let first = with(3, 60).key.rows.iter().filter(|place| place.variants[0].systems == ["s1"]).count();
        // Of 60 fair draws, fewer than 15 or more than 45 are less probable than 1 in 10,000.
        assert!((15..=45).contains(&first), "{first}");
    }

    #[test]
    fn systems_that_cannot_be_told_apart_are_errors() {
        let error = annotation(None, &["a b", "a b"], CONFIG).unwrap_err().to_string();
        assert!(error.contains("nothing to annotate"), "{error}");
        let error = annotation(None, &["a b"], CONFIG).unwrap_err().to_string();
        assert!(error.contains("1 systems: expected from 2 to 26"), "{error}");
    }

    /// A key with two rows, where the systems differ in the order of the variants.
    fn key() -> AnnotationKey {
        let variant =
            |word: &str, system: &str| WordVariant { word: word.into(), systems: vec![system.into()] };
        let place = |id: &str, variants| AnnotatedPlace { id: id.into(), reference: None, variants };
        AnnotationKey {
            seed: 1,
            systems: vec!["s1".into(), "s2".into()],
            rows: vec![
                place("1", vec![variant("Ana", "s1"), variant("ana", "s2")]),
                place("2", vec![variant("rome", "s2"), variant("Rome", "s1")]),
            ],
        }
    }

    #[test]
    fn choices_are_read_in_any_order_and_may_be_missing() {
        let sheet = "choice,id,context,A,B,notes\n,2,,rome,Rome,unsure\n b ,1,,Ana,ana,\n";
        assert_eq!(key().choices("sheet", sheet).unwrap(), [Some(1), None]);
    }

    #[test]
    fn nothing_of_a_sheet_is_guessed() {
        let header = "id,context,A,B,choice\n";
        for (rows, problem) in [
            ("1,,Ana,ana,A\n3,,rome,Rome,A\n", "sheet, line 3: the key has no row \"3\": "),
            (
                "1,,Ana,ana,C\n2,,rome,Rome,A\n",
                "sheet, line 2: the choice \"C\" of row 1 is not a variant: expected A or B",
            ),
            (
                "1,,Ana,ana,Ana\n2,,rome,Rome,A\n",
                "sheet, line 2: the choice \"Ana\" of row 1 is not a variant",
            ),
            (
                "1,,ana,Ana,A\n2,,rome,Rome,A\n",
                "sheet, line 2: variant A of row 1 is \"ana\", but \"Ana\" in the key: ",
            ),
            ("1,,Ana,ana,A\n1,,Ana,ana,B\n", "sheet, line 3: row 1 occurs twice"),
            ("1,,Ana,ana,A\n", "sheet: row 2 of the key is missing: expected all 2 rows"),
        ] {
            let error = key().choices("sheet", &format!("{header}{rows}")).unwrap_err().to_string();
            assert!(error.starts_with(problem), "{error}");
        }
        let error = key().choices("sheet", "id,context,A,choice\n1,,Ana,A\n").unwrap_err().to_string();
        assert!(
            error.starts_with("sheet, line 1: no column is called B (found: id, context, A, choice)"),
            "{error}"
        );
    }

    #[test]
    fn a_file_that_is_no_key_is_an_error() {
        let mut twice = key();
        twice.rows[1].id = "1".into();
        let mut unnamed = key();
        unnamed.systems.pop();
        let mut alone = key();
        alone.rows[0].variants.pop();
        for (text, problem) in [
            (
                "id,context".to_owned(),
                "key: is not the key of a sheet (expected value at line 1 column 1): name the file",
            ),
            (twice.json(), "key: is not the key of a sheet (two rows are called 1)"),
            (
                unnamed.json(),
                "key: is not the key of a sheet (row 1 names the system s2, which is not in its list)",
            ),
            (alone.json(), "key: is not the key of a sheet (row 1 has 1 variants)"),
        ] {
            let error = AnnotationKey::parse("key", &text).unwrap_err().to_string();
            assert!(error.starts_with(problem), "{error}");
        }
    }
}
