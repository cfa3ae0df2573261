//! The letters of a word as feature values.

use super::templates::FeatureSlot;

/// Returns the prefix or suffix of a word that a slot asks for; `None` if the word has fewer
/// letters.
pub fn affix(lower: &str, slot: FeatureSlot) -> Option<&str> {
    match slot {
        FeatureSlot::First(letters) => {
            // Without letters, as at the end of a text, there is no first letter.
            let mut ends = lower.char_indices().skip(1).map(|(at, _)| at).chain([lower.len()]);
            ends.nth(letters - 1).map(|end| &lower[..end])
        }
        FeatureSlot::Last(letters) => {
            lower.char_indices().rev().nth(letters - 1).map(|(start, _)| &lower[start..])
        }
        _ => None,
    }
}

/// Calls `visit` with each sequence of two to four letters of a word, where the two ends of the
/// word count as letters. The first argument is 1 if the sequence begins the word, 2 if it ends the
/// word, 3 if it is the whole word, and 0 otherwise; the second is its letters without the ends.
pub fn ngrams<'a>(lower: &'a str, visit: &mut impl FnMut(u64, &'a str)) {
    // `starts[n]` is the start of the last n letters.
    let (mut starts, mut letters) = ([0; 5], 0);
    for end in lower.char_indices().skip(1).map(|(at, _)| at).chain([lower.len()]) {
        starts.rotate_right(1);
        starts[0] = end;
        letters += 1;
        starts[2..].iter().take(letters - 1).for_each(|&start| visit(0, &lower[start..end]));
        if letters <= 3 {
            visit(1, &lower[..end]);
        }
    }
    starts[1..4].iter().take(letters).for_each(|&start| visit(2, &lower[start..]));
    if letters <= 2 {
        visit(3, lower);
    }
}

/// Returns the shape of a word: its length, its number of vowels, and whether it has digits,
/// hyphens, apostrophes or full stops.
pub fn shape(lower: &str) -> u64 {
    let (mut len, mut vowels, mut kinds) = (0u64, 0u64, 0u64);
    for c in lower.chars() {
        len += 1;
        match c {
            'a' | 'e' | 'i' | 'o' | 'u' | 'y' | 'á' | 'é' | 'í' | 'ó' | 'ú' | 'à' | 'è' | 'ã' | 'õ' | 'â'
            | 'ê' | 'ô' | 'ë' | 'ï' | 'ö' | 'ü' => vowels += 1,
            '0'..='9' => kinds |= 1,
            '-' => kinds |= 2,
            '\'' => kinds |= 4,
            '.' => kinds |= 8,
            _ => {}
        }
    }
    len.min(15) << 16 | vowels.min(7) << 8 | kinds
}

#[cfg(test)]
mod tests {
    use super::*;
    use ngrams::Ngrams;
    use proptest::prelude::*;

    /// The n-grams of an independent crate, which counts the ends of the word as letters.
    fn plain(word: &str) -> Vec<String> {
        let letters: Vec<char> = format!("^{word}$").chars().collect();
        let of = |n| Ngrams::new(letters.iter().copied(), n).map(|letters| letters.into_iter().collect());
        (2..=4.min(letters.len())).flat_map(of).collect()
    }

    proptest! {
        #[test]
        fn sequences_of_letters_are_those_of_the_plain_twin(word in "[a-cé]{1,7}|\\PC{1,9}") {
            let mut found = Vec::new();
            ngrams(&word, &mut |kind, letters| {
                let (first, last) = (if kind & 1 == 1 { "^" } else { "" }, if kind & 2 == 2 { "$" } else { "" });
                found.push(format!("{first}{letters}{last}"));
            });
            let mut plain = plain(&word);
            found.sort();
            plain.sort();
            prop_assert_eq!(found, plain);
        }
    }
}
