//! The universal parts of speech of Universal Dependencies.

use majuscule_base::named::NamedValue;

/// A part of speech of Universal Dependencies: the column UPOS of CoNLL-U.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Upos {
    /// Adjective
    Adj,
    /// Adposition
    Adp,
    /// Adverb
    Adv,
    /// Auxiliary verb
    Aux,
    /// Coordinating conjunction
    Cconj,
    /// Determiner
    Det,
    /// Interjection
    Intj,
    /// Noun
    Noun,
    /// Numeral
    Num,
    /// Particle
    Part,
    /// Pronoun
    Pron,
    /// Proper noun
    Propn,
    /// Punctuation
    Punct,
    /// Subordinating conjunction
    Sconj,
    /// Symbol
    Sym,
    /// Verb
    Verb,
    /// Another word
    X,
}

impl NamedValue for Upos {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Adj, "ADJ", "Adjective"),
        (Self::Adp, "ADP", "Adposition"),
        (Self::Adv, "ADV", "Adverb"),
        (Self::Aux, "AUX", "Auxiliary verb"),
        (Self::Cconj, "CCONJ", "Coordinating conjunction"),
        (Self::Det, "DET", "Determiner"),
        (Self::Intj, "INTJ", "Interjection"),
        (Self::Noun, "NOUN", "Noun"),
        (Self::Num, "NUM", "Numeral"),
        (Self::Part, "PART", "Particle"),
        (Self::Pron, "PRON", "Pronoun"),
        (Self::Propn, "PROPN", "Proper noun"),
        (Self::Punct, "PUNCT", "Punctuation"),
        (Self::Sconj, "SCONJ", "Subordinating conjunction"),
        (Self::Sym, "SYM", "Symbol"),
        (Self::Verb, "VERB", "Verb"),
        (Self::X, "X", "Another word"),
    ];
}

impl Upos {
    /// Returns the number of the part of speech, from 1. It is part of features, so it never changes.
    pub fn number(self) -> u8 {
        self as u8 + 1
    }

    /// Returns the part of speech with this number; `None` for 0, which means no part of speech.
    pub fn of_number(number: u8) -> Option<Self> {
        let at = usize::from(number).checked_sub(1)?;
        Self::VALUES.get(at).map(|(upos, ..)| *upos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_of_speech_has_a_name_and_a_number_of_its_own() {
        for (at, &(upos, name, _)) in Upos::VALUES.iter().enumerate() {
            assert_eq!(upos as usize, at);
            assert_eq!(Upos::of_number(upos.number()), Some(upos));
            assert_eq!(Upos::of_name(name), Some(upos));
        }
        assert_eq!((Upos::of_number(0), Upos::of_number(18)), (None, None));
    }
}
