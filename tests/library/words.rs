//! The words of a text, one by one, as the library gives them.

use majuscule::{Model, RestoreOptions};

#[test]
fn the_words_of_a_text_are_decided_as_the_text_is() {
    let model = Model::embedded("en").unwrap();
    let text = "we met in lisbon.\nthe BBC and <b>mc</b>donald\nWHO bbc";
    for threshold in [None, Some(1.0)] {
        let restorer = model.with(RestoreOptions::default().threshold(threshold));
        let mut spelled = text.to_owned();
        for word in restorer.words(text).unwrap() {
            spelled.replace_range(word.span, &word.text);
        }
        assert_eq!(spelled, restorer.restore(text).unwrap());
    }
}
