//! Windows of words for the network.

use std::ops::Range;

use super::network::NetworkWord;
use super::vocabulary::BilstmVocabulary;
use crate::shared::heads::RightContext;
use crate::shared::windower::{WindowOptions, WindowWord, WordEncoder, WordWindow};
use majuscule_base::error::Result;

/// The ids of a word and of its letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordIds {
    pub id: u32,
    pub letters: Box<[u32]>,
}

/// A text for the network.
pub type TextWindow = WordWindow<WordIds>;

/// Returns the words of a window in the form that the network reads.
pub fn seen(window: &TextWindow) -> Vec<NetworkWord<'_>> {
    let words = window.words.iter();
    words.map(|WindowWord { word, .. }| NetworkWord { id: word.ids.id, letters: &word.ids.letters }).collect()
}

/// A window, and the scores of the classes of its words and of the marks after its words.
pub type ScoredWindow = (TextWindow, [Vec<f32>; 2]);

/// Returns the options of windows of this many words.
pub fn options(window: usize, runs_on: bool, look_ahead: Option<usize>) -> WindowOptions {
    WindowOptions::new(window, window.div_ceil(2), runs_on, look_ahead)
}

impl WordEncoder for &BilstmVocabulary {
    type Ids = WordIds;
    type Window = TextWindow;

    fn encode(&self, lower: &str, _: usize) -> Result<WordIds> {
        Ok(WordIds { id: self.word(lower).unwrap_or_default(), letters: self.spelling(lower) })
    }

    fn size(_: &WordIds) -> usize {
        1
    }

    fn window(
        &self,
        words: &[WindowWord<WordIds>],
        after: RightContext,
        targets: Range<usize>,
        _: usize,
    ) -> TextWindow {
        WordWindow::new(words, after, targets)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::shared::windower::Windower;
    use majuscule_text::{Locale, Tokens};

    fn windows(words: &[String], options: WindowOptions) -> Vec<TextWindow> {
        let vocabulary = BilstmVocabulary::new("us\n".to_owned(), "us".to_owned()).unwrap();
        let mut windows = Vec::new();
        let tokens = Tokens::of_words(words.iter().map(String::as_str), Locale::Root);
        Windower::new(&vocabulary, options).push_document(&tokens, &mut windows).unwrap();
        windows
    }

    fn targets(window: &TextWindow) -> Vec<&str> {
        window.words[window.targets.clone()].iter().map(|word| &*word.word.lower).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn every_word_is_a_target_once_in_order_in_a_window_that_fits(
            words in prop::collection::vec("[a-z]{1,2}|us", 0..60),
            window in 2usize..30,
            look_ahead in prop::option::of(0usize..9),
        ) {
            let windows = windows(&words, options(window, false, look_ahead));
            prop_assert_eq!(windows.iter().flat_map(targets).collect::<Vec<_>>(), words);
            for TextWindow { words, targets, .. } in &windows {
                prop_assert!(words.len() <= window && !targets.is_empty());
                if let Some(look_ahead) = look_ahead {
                    prop_assert!(words.len() - targets.start <= look_ahead + 1);
                }
            }
        }
    }

    #[test]
    fn windows_share_half_and_each_answers_the_words_in_its_middle() {
        let words: Vec<String> = "a b c d e f g h i j".split(' ').map(str::to_owned).collect();
        let windows = windows(&words, options(4, false, None));
        let found: Vec<String> = windows.iter().map(|window| targets(window).join(" ")).collect();
        assert_eq!(found, ["a b c", "d e", "f g", "h i j"]);
    }
}
