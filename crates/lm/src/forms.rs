//! The forms of lower-cased words: the spellings that each may have, which SRILM's `disambig` calls
//! the map.

use std::fmt::Write;

use super::vocab::{SPECIAL, Vocabulary, WordId};
use majuscule_base::error::{Error, Result, option};
use majuscule_text::{Case, Locale, tokens::lower_word};

/// A spelling that a word may have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Form {
    /// The word of the language model that the form is scored as.
    pub word: WordId,
    /// The case of the form.
    pub case: Case,
    /// ln of the weight of the form in the map; 0 if the map has no weight.
    pub weight: f32,
}

/// Lower-cased words with the forms of each, best first: this order breaks ties.
#[derive(Debug, Clone, Default)]
pub struct Forms {
    /// The lower-cased words; the three special words have no forms.
    words: Vocabulary,
    /// The start of each word's forms, followed by the end of the last word's.
    starts: Vec<u32>,
    forms: Vec<Form>,
}

impl Forms {
    /// Makes every word of a vocabulary a form of its lower case, in
    /// the order of the words' numbers.
    pub fn of_vocabulary(vocabulary: &Vocabulary, locale: Locale) -> Self {
        let mut found = FormsBuilder::new(locale);
        for spelling in vocabulary.iter().skip(SPECIAL.len()) {
            found.add(spelling, 0.0);
        }
        found.finish(vocabulary)
    }

    /// Reads a map, with `word form p form p …` on each line; a form without a number has p = 1.
    /// The forms of a word stay in their order. Forms that the model does not know are dropped if
    /// it knows another form of the word: `<unk>` represents many words, so it would beat a rare
    /// one. If the model knows none of the forms, they are scored as the title-cased word, which
    /// may occur only sentence-initially, or otherwise as `<unk>`. `name` is the file's name.
    ///
    /// # Errors
    /// Returns an error that names the line if a line has another layout, and an error if there are
    /// no forms.
    pub fn read(name: &str, text: &str, vocabulary: &Vocabulary, locale: Locale) -> Result<Self> {
        let mut found = FormsBuilder::new(locale);
        let mut word = String::new();
        for (line, text) in (1u64..).zip(text.lines()) {
            let problem = |what: String| Error::line(name, line, what);
            let mut fields = text.split_ascii_whitespace().peekable();
            let Some(key) = fields.next() else { continue };
            if SPECIAL.contains(&key) {
                continue;
            }
            if fields.peek().is_none() {
                return Err(problem(format!(
                    "found the word \"{}\" without a form, expected \"word form p\"",
                    key.escape_debug()
                )));
            }
            while let Some(form) = fields.next() {
                let p = fields.next_if(|field| weight(field).is_some()).and_then(weight).unwrap_or(1.0);
                word.clear();
                lower_word(form, locale, &mut word);
                if word != key {
                    let (form, key) = (form.escape_debug(), key.escape_debug());
                    return Err(problem(format!(
                        "found \"{form}\", expected a form of the word \"{key}\", which is in lower case, or a probability"
                    )));
                }
                if p > 0.0 {
                    found.add(form, p.ln());
                }
            }
        }
        if found.forms.is_empty() {
            return Err(Error::file(name, "has no forms: expected lines \"word form p\""));
        }
        Ok(found.finish(vocabulary))
    }

    /// Returns the forms of a lower-cased word, as produced by
    /// [`lower_word`]; none if it is unknown.
    #[inline]
    pub fn get(&self, lower: &str) -> &[Form] {
        match self.words.get(lower) {
            Some(WordId(at)) => {
                &self.forms[self.starts[at as usize] as usize..self.starts[at as usize + 1] as usize]
            }
            None => &[],
        }
    }

    /// Returns the number of words.
    pub fn len(&self) -> usize {
        self.words.len() - SPECIAL.len()
    }

    /// Returns true if there are no words.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Iterates over all words with their forms, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[Form])> {
        self.words.iter().skip(SPECIAL.len()).map(|word| (word, self.get(word)))
    }

    /// Returns the forms as a map.
    pub fn to_map(&self, locale: Locale) -> String {
        let mut map = String::new();
        for (word, forms) in self.iter() {
            map += word;
            for form in forms {
                let _ = write!(map, " {} {}", form.case.applied(word, locale), form.weight.exp());
            }
            map.push('\n');
        }
        map
    }
}

/// Refuses a weight that costs cannot be multiplied by; `name` is the name of its option.
///
/// # Errors
/// Returns an error if the weight is negative or not finite.
pub fn check_weight(name: &str, weight: f32) -> Result<()> {
    match weight.is_finite() && weight >= 0.0 {
        true => Ok(()),
        false => Err(Error::usage(format!("{} {weight}: expected a number that is 0 or more", option(name)))),
    }
}

/// Parses the number after a form in a map.
fn weight(field: &str) -> Option<f32> {
    let digits = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E');
    let number: f32 = field.chars().all(digits).then(|| field.parse().ok())??;
    (number.is_finite() && number >= 0.0).then_some(number)
}

/// Forms in the order in which they are added.
struct FormsBuilder {
    locale: Locale,
    words: Vocabulary,
    /// The word, case, weight and spelling of each form.
    forms: Vec<(WordId, Case, f32, String)>,
    lower: String,
}

impl FormsBuilder {
    fn new(locale: Locale) -> Self {
        Self { locale, words: Vocabulary::new(), forms: Vec::new(), lower: String::new() }
    }

    fn add(&mut self, spelling: &str, weight: f32) {
        self.lower.clear();
        lower_word(spelling, self.locale, &mut self.lower);
        let word = self.words.insert(&self.lower);
        if word.0 >= SPECIAL.len() as u32 {
            self.forms.push((word, Case::of(spelling, self.locale), weight, spelling.to_owned()));
        }
    }

    /// Sorts the forms by their words, finds each in the vocabulary, and drops repeated cases.
    fn finish(mut self, vocabulary: &Vocabulary) -> Forms {
        self.forms.sort_by_key(|(word, ..)| *word);
        let mut starts = vec![0; SPECIAL.len()];
        let mut forms: Vec<Form> = Vec::with_capacity(self.forms.len());
        for same in self.forms.chunk_by(|a, b| a.0 == b.0) {
            starts.push(forms.len() as u32);
            let start = forms.len();
            for (_, case, weight, spelling) in same {
                if forms[start..].iter().all(|form| form.case != *case) {
                    forms.push(Form { word: vocabulary.id(spelling), case: *case, weight: *weight });
                }
            }
            let is_known = |form: &Form| form.word != WordId::UNKNOWN;
            if forms[start..].iter().any(is_known) {
                let known: Vec<Form> = forms.drain(start..).filter(is_known).collect();
                forms.extend(known);
            } else {
                let title = Case::Title.applied(self.words.word(same[0].0), self.locale);
                let word = vocabulary.id(&title);
                forms[start..].iter_mut().for_each(|form| form.word = word);
            }
        }
        starts.push(forms.len() as u32);
        Forms { words: self.words, starts, forms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary(words: &[&str]) -> Vocabulary {
        let mut vocabulary = Vocabulary::new();
        vocabulary.extend(words.iter().copied());
        vocabulary
    }

    fn cases(forms: &Forms, word: &str) -> Vec<(Case, u32)> {
        forms.get(word).iter().map(|form| (form.case, form.word.0)).collect()
    }

    #[test]
    fn the_forms_of_a_vocabulary_are_its_words() {
        let forms = Forms::of_vocabulary(&vocabulary(&["us", "US", "Us", "O’Neill"]), Locale::Root);
        assert_eq!(cases(&forms, "us"), [(Case::Lower, 3), (Case::Upper, 4), (Case::Title, 5)]);
        assert_eq!(forms.get("o'neill").len(), 1);
        assert!(forms.get("<s>").is_empty() && forms.get("we").is_empty());
        assert_eq!(forms.len(), 2);
    }

    #[test]
    fn a_map_is_read_and_written() {
        let vocabulary = vocabulary(&["us", "US", "Hello"]);
        let map = "<s> <s>\nus US 0.25 Us 0.5 us 0.75\nnato NATO\nhello hello 1\n1990 1990 1\n";
        let forms = Forms::read("map", map, &vocabulary, Locale::Root).unwrap();
        assert_eq!(cases(&forms, "us"), [(Case::Upper, 4), (Case::Lower, 3)]);
        assert_eq!(cases(&forms, "nato"), [(Case::Upper, 0)]);
        // The word occurs only sentence-initially.
        assert_eq!(cases(&forms, "hello"), [(Case::Lower, 5)]);
        assert_eq!(
            forms.to_map(Locale::Root),
            "us US 0.25 us 0.75\nnato NATO 1\nhello hello 1\n1990 1990 1\n"
        );
    }

    #[test]
    fn a_line_that_is_wrong_is_named() {
        let read =
            |map: &str| Forms::read("m.map", map, &Vocabulary::new(), Locale::Root).unwrap_err().to_string();
        assert_eq!(
            read("us US 1\nus we 1\n"),
            "m.map, line 2: found \"we\", expected a form of the word \"us\", which is in lower case, or a probability"
        );
        assert!(
            ["", "<s> <s>\n", "us US 0\n"].iter().all(|map| read(map).starts_with("m.map: has no forms"))
        );
        assert!(read("us\n").contains("line 1: found the word \"us\" without a form"));
    }
}
