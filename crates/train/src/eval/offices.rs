//! Words for offices and institutions, whose capitals writers do not agree on: one list per language.

use std::collections::BTreeSet;

/// The words of each language in lower case, in the singular where the plural adds an `s`.
const OFFICES: [(&str, &str); 5] = [
    (
        "en",
        "ambassador archbishop bishop cabinet chairman chairperson chairwoman chancellor commission \
         commissioner committee congress congressman congresswoman council councillor court director emperor general \
         government governor judge king mayor minister ministry parliament pope premier presidency president prince \
         princess professor queen rapporteur secretary senate senator speaker",
    ),
    (
        "es",
        "alcalde alcaldesa arzobispo ayuntamiento canciller comisaria comisario comisión comité congreso consejera \
         consejero consejo director directora diputada diputado embajador embajadora emperador general gobernador \
         gobernadora gobierno jueza ministerio ministra ministro obispo papa parlamento ponente presidencia presidenta \
         presidente princesa príncipe profesor profesora reina rey secretaria secretario senado senador senadora \
         tribunal",
    ),
    (
        "fr",
        "ambassadeur ambassadrice archevêque assemblée chancelier chancelière comité commissaire commission congrès \
         conseil conseiller conseillère cour député députée directeur directrice empereur général gouvernement \
         gouverneur juge maire ministre ministère pape parlement premier président présidence présidente prince \
         princesse professeur professeure rapporteur rapporteure reine roi secrétaire sénat sénateur sénatrice \
         tribunal évêque",
    ),
    (
        "nl",
        "aartsbisschop ambassadeur bisschop burgemeester comité commissaris commissarissen commissie directeur \
         gouverneur hof kabinet kamer kanselier keizer koning koningin minister ministerie parlement paus premier \
         president presidente prins prinses professor raad rapporteur rechter rechtbank regering secretaris senaat \
         senator staatssecretaris voorzitster voorzitter wethouder",
    ),
    (
        "pt",
        "arcebispo assembleia bispo chanceler comissária comissário comissão comissões comité comitê congresso \
         conselho conselheira conselheiro câmara deputada deputado diretor diretora embaixador embaixadora general \
         governador governadora governo imperador juiz juíza ministra ministro ministério papa parlamento prefeita \
         prefeito presidenta presidente presidência primeiro princesa príncipe professor professora rainha rei relator \
         relatora secretaria secretária secretário senado senador senadora tribunal",
    ),
];

/// The words for offices and institutions in the languages of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OfficeWords(BTreeSet<&'static str>);

impl OfficeWords {
    /// The words of one language or several: `en`, `pt-BR`, `en,fr`. A language without a list has none.
    ///
    /// ```
    /// use majuscule_train::eval::offices::OfficeWords;
    ///
    /// let offices = OfficeWords::of("en,fr");
    /// assert!(offices.contains("commissioners") && offices.contains("l'assemblée"));
    /// assert!(!offices.contains("burgemeester"));
    /// ```
    pub fn of(languages: &str) -> Self {
        let tags = languages.split(',').map(|tag| tag.split(['-', '_']).next().unwrap_or_default().trim());
        let words = |tag: &str| OFFICES.iter().find(|(known, _)| tag.eq_ignore_ascii_case(known));
        Self(tags.filter_map(words).flat_map(|(_, words)| words.split_whitespace()).collect())
    }

    /// Returns true if a word in lower case is an office or institution: also after an article
    /// that has lost its vowel (`l'assemblée`), in the genitive (`president's`) and in a plural on `s`.
    pub fn contains(&self, lower: &str) -> bool {
        let apostrophe = ['\'', '’'];
        let lower = ["'s", "’s"].iter().find_map(|ending| lower.strip_suffix(ending)).unwrap_or(lower);
        let bare = match lower.split_once(apostrophe) {
            Some((article, noun)) if article.chars().count() <= 2 => noun,
            _ => lower.trim_end_matches(apostrophe),
        };
        self.0.contains(bare) || bare.strip_suffix('s').is_some_and(|singular| self.0.contains(singular))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_in_lower_case_and_listed_once() {
        for (language, words) in OFFICES {
            let words: Vec<&str> = words.split_whitespace().collect();
            assert_eq!(words.iter().collect::<BTreeSet<_>>().len(), words.len(), "{language}");
            assert!(words.iter().all(|word| *word == word.to_lowercase()), "{language}");
        }
    }

    #[test]
    fn a_genitive_a_plural_and_an_article_belong_to_the_word() {
        let english = OfficeWords::of("en-GB");
        for office in ["president", "president's", "presidents", "presidents'", "commission’s"] {
            assert!(english.contains(office), "{office}");
        }
        for other in ["presidential", "s", "", "'"] {
            assert!(!english.contains(other), "{other}");
        }
        assert!(!OfficeWords::of("auto").contains("president"));
    }
}
