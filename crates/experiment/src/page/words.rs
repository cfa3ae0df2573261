//! Frequent errors, and examples as each row wrote them.

use maud::{Markup, html};

use super::count;
use crate::results::{ResultSample, ResultTest, Results};
use crate::standing::cells;
use majuscule_train::eval::report::MisspelledWord;
use majuscule_train::eval::table::thousands;

/// The maximum number of errors shown for a row; further ones are too rare to be informative.
const ERRORS: usize = 20;

/// The number of examples that are unfolded at first; further examples open at a click.
const OPEN: usize = 4;

/// Renders the most frequent errors of each row, test by test; `None` if there are none.
pub fn errors(results: &Results) -> Option<Markup> {
    let of_test = |t| -> Vec<(&str, &[MisspelledWord])> {
        let rows = cells(results, t).map(|(row, cell)| (row.name.as_str(), &*cell.errors));
        rows.filter(|(_, errors)| !errors.is_empty()).collect()
    };
    let tests: Vec<_> = (0..results.tests.len()).map(|t| (&results.tests[t], of_test(t))).collect();
    tests.iter().any(|(_, rows)| !rows.is_empty()).then(|| {
        html! {
            p.note { "The most frequent errors of each row: what it wrote, what would be right, and how often." }
            @for (test, rows) in &tests {
                @if !rows.is_empty() {
                    details {
                        summary { (test.name) }
                        div.cards {
                            @for (name, errors) in rows { (card(name, errors)) }
                        }
                    }
                }
            }
        }
    })
}

fn card(name: &str, errors: &[MisspelledWord]) -> Markup {
    html! {
        div.card {
            h4 { (name) }
            table.words {
                thead { tr { th scope="col" { "written" } th scope="col" { "right" } th.n scope="col" { "times" } } }
                tbody {
                    @for MisspelledWord { reference, hypothesis, count } in errors.iter().take(ERRORS) {
                        tr { td.wrote { (hypothesis) } td { (reference) } td.n { (thousands(*count)) } }
                    }
                }
            }
        }
    }
}

/// Renders examples side by side, test by test; `None` if there are none.
pub fn sentences(results: &Results) -> Option<Markup> {
    results.tests.iter().any(|test| !test.sample.is_empty()).then(|| {
        html! {
            p.note {
                "Examples that rows write differently. " mark { "Marked" } " words are wrong; hover over one for its correct spelling. "
                span.off { "Grey" } " words are not scored. Rows with the same output are shown together."
            }
            @for test in &results.tests {
                @if !test.sample.is_empty() {
                    h3 { (test.name) }
                    (samples(results, test))
                }
            }
        }
    })
}

fn samples(results: &Results, test: &ResultTest) -> Markup {
    let (open, rest) = test.sample.split_at(test.sample.len().min(OPEN));
    html! {
        @for sample in open { (side_by_side(results, sample)) }
        @if !rest.is_empty() {
            details {
                summary { (count(rest.len() as u64, "more example")) }
                @for sample in rest { (side_by_side(results, sample)) }
            }
        }
    }
}

fn side_by_side(results: &Results, sample: &ResultSample) -> Markup {
    html! {
        dl.sample {
            div.reference { dt { "reference" } dd { (spoken(sample, &sample.reference)) } }
            @for RowOutput { rows, words, wrong } in written(sample) {
                div {
                    dt {
                        @for (at, row) in rows.iter().enumerate() {
                            @if at > 0 { " · " }
                            (results.rows.get(*row).map_or("", |row| row.name.as_str()))
                        }
                    }
                    dd { (spoken(sample, words)) }
                    dd.count { @if wrong == 0 { "✓ all right" } @else { (wrong) " wrong" } }
                }
            }
        }
    }
}

/// An output that belongs to one or more rows.
struct RowOutput<'a> {
    rows: Vec<usize>,
    words: &'a [String],
    wrong: usize,
}

/// Returns the distinct outputs of an example, by increasing number of errors.
fn written(sample: &ResultSample) -> Vec<RowOutput<'_>> {
    let mut all: Vec<RowOutput> = Vec::new();
    for (row, words) in sample.outputs.iter().enumerate() {
        let Some(words) = words else { continue };
        match all.iter_mut().find(|written| written.words == words) {
            Some(written) => written.rows.push(row),
            None => {
                let wrong = (0..words.len()).filter(|&at| is_wrong(sample, words, at)).count();
                all.push(RowOutput { rows: vec![row], words, wrong });
            }
        }
    }
    all.sort_by_key(|written| written.wrong);
    all
}

fn is_scored(sample: &ResultSample, at: usize) -> bool {
    sample.scored.get(at).copied().unwrap_or(false)
}

fn is_wrong(sample: &ResultSample, words: &[String], at: usize) -> bool {
    is_scored(sample, at) && words.get(at) != sample.reference.get(at)
}

fn spoken(sample: &ResultSample, words: &[String]) -> Markup {
    html! {
        @for (at, word) in words.iter().enumerate() {
            @if at > 0 { " " }
            @if is_wrong(sample, words, at) {
                mark tabindex="-1" title=[sample.reference.get(at).map(|right| format!("right: {right}"))] { (word) }
            } @else if is_scored(sample, at) {
                (word)
            } @else {
                span.off { (word) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made;

    #[test]
    fn a_wrong_word_is_marked_and_says_what_is_right() {
        let html = sentences(&made::small()).unwrap().into_string();
        let first = "<dt>a &lt;script&gt;alert(1)&lt;/script&gt;</dt><dd>we saw <mark tabindex=\"-1\" title=\"right: McKay\">Mckay</mark> in \
                     <span class=\"off\">&lt;lisbon&gt;</span></dd><dd class=\"count\">1 wrong</dd>";
        assert!(html.contains(first), "{html}");
        assert!(html.contains("<dt>b</dt><dd>we saw McKay in <span"), "{html}");
        assert!(html.contains("✓ all right"), "{html}");
    }

    #[test]
    fn rows_that_wrote_the_same_stand_together_and_the_best_first() {
        let mut results = made::small();
        let sample = &mut results.tests[0].sample[0];
        sample.outputs.push(sample.outputs[0].clone());
        sample.outputs.push(None);
        let rows: Vec<_> = written(sample).into_iter().map(|written| (written.rows, written.wrong)).collect();
        assert_eq!(rows, [(vec![1], 0), (vec![0, 2], 1)]);
    }

    #[test]
    fn samples_that_do_not_fit_their_reference_are_shown_all_the_same() {
        let mut results = made::small();
        let sample = &mut results.tests[0].sample[0];
        sample.scored.pop();
        sample.outputs[0].as_mut().unwrap().extend(["and".into(), "more".into()]);
        sample.outputs[1].as_mut().unwrap().clear();
        sample.outputs.push(Some(vec!["x".into()]));
        assert!(sentences(&results).unwrap().into_string().contains("and"));
    }
}
