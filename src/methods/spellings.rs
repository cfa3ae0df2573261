//! Words in mixed case as a model keeps them: a spelling a line, sorted.

use crate::text::{Case, Locale, Tokens};

/// The lower case of each spelling, and its case. Text in Dutch has `Ijsland` here and there: half of a title case is read as
/// all of it, so that no model learns to write it.
pub fn read(text: &str, locale: Locale) -> impl Iterator<Item = (String, Case)> {
    text.lines().map(move |spelling| {
        let tokens = Tokens::of_words([spelling], locale);
        let case = match Case::of(spelling, locale) {
            Case::Mixed(capitals) if capitals == Case::Title.capitals(spelling, Locale::Root) => Case::Title,
            case => case,
        };
        (tokens.lower(0).to_owned(), case)
    })
}

/// The text of words with their cases.
pub fn write<'a>(cases: impl IntoIterator<Item = (&'a String, Case)>, locale: Locale) -> String {
    let spelling = |(lower, case): (&String, Case)| case.applied(lower, locale);
    let mut spellings: Vec<String> = cases.into_iter().map(spelling).collect();
    spellings.sort_unstable();
    spellings.iter().flat_map(|spelling| [spelling, "\n"]).collect()
}

/// The most frequent of several cases, and of equally frequent ones the first.
pub fn most_frequent<N: Ord>(cases: &std::collections::BTreeMap<Case, N>) -> Option<Case> {
    cases.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0))).map(|(case, _)| *case)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_dutch_title_case_is_a_title_case() {
        let cases = |locale| read("Ijsland\nIJmuiden\niPhone\nMcDonald\n", locale).map(|(_, case)| case);
        let [phone, donald] = ["iPhone", "McDonald"].map(|word| Case::of(word, Locale::Root));
        assert!(cases(Locale::Dutch).eq([Case::Title, Case::Title, phone, donald]));
        let [ij, title] = [Case::of("IJmuiden", Locale::Root), Case::Title];
        assert!(cases(Locale::Root).eq([title, ij, phone, donald]));
    }
}
