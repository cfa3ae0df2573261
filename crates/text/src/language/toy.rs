//! A fictitious language, which shows that files and a line in the list are enough to add a language.

use super::Language;
use crate::{Locale, Mark};
use majuscule_lexicons::LanguageFiles;

/// The rows of the toy language.
const WORDS: &str = "\
name\tToyish
licence\tno licence
aliases\tqty
one_letter\tŵ
opened\t!
titles\twizzo
particles\tvlan
no_names\tzig
common\tblim
\tblam
elision_particle\tq'
elision_words\tolaffo
elision_ends\tixx
doubles_letters\tyes
# Lines of cues
bound\tblim
close\tblam
objects\tblom
conjunctions\tblum
genitives\tvlan
speaker_titles\twizzo
speaker_roles\tzpeaker
speaker_keys\tzkey
speaker_articles\tblim
clock_words\tzhours
";

/// The toy language.
pub static TOY: Language = Language {
    locale: Locale::Turkic,
    mark_characters: &[(Mark::Question, '⁇')],
    mark_spaces: &[(Mark::Question, "\u{2009}")],
    mark_spaces_of_regions: &[("QM", &[(Mark::Comma, "\u{2003}")])],
    ..Language::read(
        "qtx",
        &LanguageFiles {
            words: WORDS,
            abbreviations: "# Toys\nZorb NAME\nplik NUMBER\nplok\n",
            acronyms: "",
        },
    )
};

#[cfg(test)]
mod tests {
    use crate::conventions::tests::spelled;
    use crate::language::BUILT_IN;
    use crate::sentence::split;
    use crate::speaker_label::name_len;
    use crate::tokenize::tokenize;
    use crate::{Case, Language, Locale, Mark, MarkForm};

    #[test]
    fn a_sentence_ends_as_the_list_and_the_letters_of_the_language_say() {
        let text = "Met zorb. Reis ŵ. Plik. Then plik. 5 came.";
        let [toy, other] = ["qtx", "en"].map(|tag| split(text, tag).collect::<Vec<_>>());
        assert_eq!(toy, ["Met zorb. Reis ŵ.", "Plik.", "Then plik. 5 came."]);
        assert_eq!(other, ["Met zorb.", "Reis ŵ. Plik.", "Then plik.", "5 came."]);
        let starts = tokenize("zorb. so it is. we", Locale::Root, "qtx-QM");
        let starts = starts.iter().filter(|(_, token)| token.starts);
        assert_eq!(starts.map(|(lower, _)| lower).collect::<Vec<_>>(), ["zorb", "we"]);
    }

    #[test]
    fn marks_are_written_as_the_language_and_its_regions_do() {
        use Mark::{Comma, Exclamation, Question};
        let written = |mark: Mark, tag: &str| mark.spelling(tag, MarkForm::Written);
        assert_eq!(written(Question, "qtx"), Some(("\u{2009}", '⁇')));
        assert_eq!(written(Question, "qtx-qm"), Some(("", '⁇')));
        assert_eq!(written(Comma, "qtx-QM"), Some(("\u{2003}", ',')));
        assert_eq!([Question, Exclamation].map(|mark| mark.opening("qtx")), [None, Some('¡')]);
    }

    #[test]
    fn a_language_is_found_by_its_tag_its_name_and_its_aliases() {
        assert_eq!(BUILT_IN.last(), Some(&"qtx"));
        assert_eq!(Language::of_name("TOYISH").map(|language| language.tag), Some("qtx"));
        let locales = ["qtx", "QTY", "qtz"].map(|tag| tag.parse::<Locale>().ok());
        assert_eq!(locales, [Some(Locale::Turkic), Some(Locale::Turkic), Some(Locale::Root)]);
    }

    #[test]
    fn conventions_take_the_facts_of_the_language() {
        let text = "x plok. blim ee.uu ana q'orbo wizzo vlan zig";
        assert_eq!(spelled("qtx", text, Case::Title), "X plok. blim EE.UU Ana q'Orbo Wizzo vlan Zig");
        assert_eq!(spelled("en", text, Case::Title), "X Plok. Blim Ee.uu Ana Q'orbo Wizzo Vlan Zig");
    }

    #[test]
    fn the_labels_of_speakers_have_the_words_of_all_languages() {
        let labels = ["Wizzo Reis: so", "Zpeaker 2: so", "Blim zpeaker: so", "Zkey: so"].map(name_len);
        assert_eq!(labels, [Some(11), Some(10), Some(13), Some(5)]);
    }
}
