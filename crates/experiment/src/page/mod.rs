//! Renders results as one self-contained HTML page: no script, font or image is loaded from elsewhere.

mod cost;
mod origin;
mod scores;
mod sheet;
mod words;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use self::cost::noted;
use super::figure_table::FigureTable;
use super::matrix::{ALL_TESTS, SER, SLICES, all_tests, slices};
use super::plots::{self, Plot};
use super::results::Results;
use super::standing::lead;
use super::tables::{self, OVERLAP, paragraphs};
use super::units::cores;
use super::{over_seeds, what_was_run};
use majuscule_train::eval::table::{percent, thousands};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The content security policy: nothing is loaded from anywhere, whatever the results contain.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// Renders the page. It is readable without its script, which only sorts and filters tables, copies commands,
/// and marks tables and plots wider than the screen.
pub fn html(results: &Results) -> String {
    let parts: Vec<PageSection> = parts(results).into_iter().flatten().collect();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "majuscule " (results.version) };
                title { (results.title) }
                style { (PreEscaped(STYLE)) (PreEscaped(plots::style())) }
            }
            body {
                header {
                    h1 { (results.title) }
                    @if let Some(source) = &results.source {
                        p.source { "After " (source) }
                    }
                    (summary(results))
                    @for paragraph in paragraphs(&results.about) {
                        p { (paragraph) }
                    }
                }
                nav aria-label="Parts of this page" {
                    @for part in &parts {
                        a href={ "#" (part.id) } { (part.heading) }
                    }
                }
                main {
                    @for part in &parts {
                        section id=(part.id) {
                            h2 { (part.heading) }
                            (part.body)
                        }
                    }
                }
                footer { p { "majuscule " (results.version) " · " (cores(results.cores)) } }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

/// A section of the page, linked from its top.
struct PageSection {
    id: &'static str,
    heading: &'static str,
    body: Markup,
}

/// The notes above the tables of what was run, of texts, and of overlaps.
const RUN_NOTE: &str = "From the manifests of the models and the processes that trained them.";
const TEXTS_NOTE: &str = "Words by their tags: L lower and mixed case, U capitals throughout, T the first letter alone. Counts and the first ratio are of \
                          the words that are scored; the paper's ratio is that of all words, the first of sentences too.";
const OVERLAP_NOTE: &str =
    "N-grams are of eight words, without case and marks; sentences of fewer words do not count.";

/// Renders all sections in order; `None` for an empty section.
fn parts(results: &Results) -> [Option<PageSection>; 17] {
    let plots = plots::all(results);
    let part = |id, heading, body: Option<Markup>| body.map(|body| PageSection { id, heading, body });
    [
        part("scores", "Scores", scores::scores(results)),
        part("all-tests", ALL_TESTS, scores::figures(&other_figures(results))),
        part("slices", SLICES, scores::figures(&slices(results))),
        part("recognised", "Recognised speech", scores::recognised(results)),
        part("training-size", "Size of the training corpus", figures(&plots, plots::TRAINING)),
        part("look-ahead", "Words of look-ahead", figures(&plots, plots::LOOK_AHEAD)),
        part("recognition", "Recognisers", figures(&plots, plots::RECOGNITION)),
        part("trade", "Model size and speed", figures(&plots, plots::TRADE)),
        part(
            "runs",
            over_seeds::HEADING,
            noted(&format!("{}.", over_seeds::ABOUT), &over_seeds::table(results)),
        ),
        part("run", what_was_run::HEADING, noted(RUN_NOTE, &what_was_run::table(results))),
        part("texts", "Texts", noted(TEXTS_NOTE, &tables::texts(results))),
        part("overlap", OVERLAP, noted(OVERLAP_NOTE, &tables::overlaps(results))),
        part("cost", "Cost", cost::cost(results)),
        part("layers", "Layers", cost::layers(results, figures(&plots, plots::LAYERS))),
        part("errors", "Words that go wrong", words::errors(results)),
        part("sentences", "Side by side", words::sentences(results)),
        part("made", "How this was made", Some(origin::origin(results))),
    ]
}

/// Returns the tables over all tests, except the slot error rates, which are part of the section of scores.
fn other_figures(results: &Results) -> Vec<FigureTable> {
    let is_other = |table: &FigureTable| table.heading != SER;
    all_tests(results).into_iter().filter(is_other).collect()
}

/// Renders a list with a sentence about each test.
fn summary(results: &Results) -> Markup {
    let leads: Vec<_> = (0..results.tests.len())
        .filter_map(|test| Some((&results.tests[test], lead(results, test)?)))
        .collect();
    html! {
        @if !leads.is_empty() {
            ul.summary {
                @for (test, lead) in leads {
                    li {
                        "On " strong { (test.name) } ", " strong { (lead.best) } " has the least SER, "
                        strong { (percent(Some(lead.ser))) " %" } ": " (lead.then) "."
                    }
                }
            }
        }
    }
}

/// Renders the plots of a kind side by side; `None` if there are none.
fn figures(plots: &[Plot], kind: &str) -> Option<Markup> {
    let plots: Vec<_> = plots.iter().filter(|plot| plot.name.starts_with(kind)).collect();
    (!plots.is_empty()).then(|| {
        html! {
            div.figures {
                @for plot in plots {
                    figure {
                        div.box tabindex="0" role="region" aria-label=(plot.title) { (PreEscaped(plots::inline(&plot.svg))) }
                        figcaption { strong { (plot.title) } ". " (plot.caption) }
                    }
                }
            }
        }
    })
}

/// Formats a number with a noun: `1 word`, `2 words`.
fn count(number: u64, singular: &str) -> String {
    if number == 1 { format!("1 {singular}") } else { format!("{} {singular}s", thousands(number)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made;

    /// Removes the tool's own style and script from a page.
    fn content(page: &str) -> String {
        page.replace(STYLE, "").replace(SCRIPT, "").replace(&plots::style(), "")
    }

    #[test]
    fn nothing_that_users_name_is_markup() {
        let page = content(&html(&made::small()));
        assert_eq!(page.matches("<script").count(), 1, "{page}");
        assert!(!page.contains("<i>test") && !page.contains("<b>small") && !page.contains("<u>"), "{page}");
        assert!(!page.contains("<Lisbon>") && !page.contains("'a <b>.txt'"), "{page}");
        assert!(page.contains("a &lt;script&gt;alert(1)&lt;/script&gt;"), "{page}");
    }

    #[test]
    fn nothing_is_loaded() {
        for results in [made::small(), made::large()] {
            let page = html(&results);
            for foreign in ["http://", "https://", "src=", "url(", "@import", "<link", "<img", "<iframe"] {
                assert!(!page.contains(foreign), "{foreign}");
            }
        }
    }

    #[test]
    fn what_a_pointer_shows_a_finger_reaches_too() {
        for results in [made::small(), made::large()] {
            let page = content(&html(&results));
            let reached =
                ["0", "-1"].map(|tab| page.matches(&format!("tabindex=\"{tab}\" title=\"")).count());
            assert_eq!(reached.iter().sum::<usize>(), page.matches(" title=\"").count());
        }
        assert!(html(&made::small()).contains("<mark tabindex=\"-1\" title=\""));
        assert!(STYLE.contains("[title]:focus::after") && SCRIPT.contains("data-more"));
    }

    #[test]
    fn every_row_and_test_appears() {
        let results = made::large();
        let page = html(&results);
        for name in
            results.rows.iter().map(|row| &row.name).chain(results.tests.iter().map(|test| &test.name))
        {
            assert!(page.contains(name), "{name}");
        }
        for id in [
            "scores",
            "recognised",
            "training-size",
            "trade",
            "cost",
            "layers",
            "errors",
            "sentences",
            "made",
        ] {
            assert!(page.contains(&format!("<section id=\"{id}\">")), "{id}");
            assert!(page.contains(&format!("href=\"#{id}\"")), "{id}");
        }
    }

    #[test]
    fn parts_with_nothing_to_say_are_left_out() {
        let page = html(&made::small());
        for id in ["recognised", "training-size", "layers"] {
            assert!(!page.contains(&format!("id=\"{id}\"")), "{id}");
        }
        let mut results = made::small();
        results.rows.clear();
        assert!(html(&results).contains("id=\"made\""));
        results.tests.clear();
        assert!(html(&results).contains("id=\"made\""));
    }

    #[test]
    fn equal_results_give_equal_bytes() {
        let json = serde_json::to_string(&made::large()).unwrap();
        let read = serde_json::from_str(&json).unwrap();
        assert!(html(&made::large()) == html(&made::large()) && html(&made::large()) == html(&read));
    }

    #[test]
    fn the_summary_says_which_row_is_best() {
        let page = html(&made::small());
        let summary = "<li>On <strong>&lt;i&gt;test&lt;/i&gt;</strong>, <strong>b</strong> has the least SER, \
                       <strong>20.00 %</strong>: next is ";
        assert!(page.contains(summary), "{page}");
    }
}
