//! Scores: an overview of all tests, each test with its intervals, and recognised speech.

use maud::{Markup, html};

use super::count;
use super::sheet::{ReportTable, SheetColumn, SheetField, remarked};
use crate::figure_table::FigureTable;
use crate::results::{Recognised, ResultCell, Results};
use crate::standing::{NEAR, SIGNIFICANT, Standing, cell, cells, equal, ranking, ser, standing};
use crate::tables::{WHY_NO_SLOT_F, has_in_model, has_remark, leaks, mark_table, published, remarks};
use crate::what_was_run::explained;
use majuscule_train::eval::compare::Interval;
use majuscule_train::eval::table::{between, percent, thousands};

/// Renders the tables of scores; `None` if there are no tests.
pub fn scores(results: &Results) -> Option<Markup> {
    (!results.tests.is_empty()).then(|| {
        html! {
            (legend())
            @if results.tests.len() > 1 {
                h3 { "SER % on all tests" }
                (overview(results))
            }
            @for (t, test) in results.tests.iter().enumerate() {
                h3 { (test.name) }
                p.note {
                    (count(test.examples, "example")) ", " (count(test.words, "word")) ", " (count(test.slots, "slot")) "."
                }
                (table(results, t))
                @if let Some(marks) = mark_table(results, t) {
                    p.note { "F of each mark, of all together (micro) and their mean (macro)." }
                    (ReportTable::from(&marks))
                }
                @if let Some(explained) = explained(results, t) {
                    p.note { (explained) "." }
                }
                @if has_remark(results, t) {
                    p.note { (WHY_NO_SLOT_F) "." }
                }
                @for leak in leaks(results, t) {
                    p { strong { (leak) "." } }
                }
            }
        }
    })
}

/// Renders tables of figures, each under its heading; `None` if there are none.
pub fn figures(tables: &[FigureTable]) -> Option<Markup> {
    (!tables.is_empty()).then(|| {
        html! {
            @for table in tables {
                h3 { (table.heading) }
                (ReportTable::from(table))
            }
        }
    })
}

fn legend() -> Markup {
    html! {
        p.note {
            "P, R and F are precision, recall and their harmonic mean over words with capitals, or with punctuation where a test scores it; SER, the slot error rate, is all errors "
            "divided by the capitals of the reference: lower is better. Small figures are 95 % intervals, from resampled examples. "
            span.mark-best { "★" } " is the least SER; " span.mark-near { "≈" } " " (NEAR) ": chance alone gives so large a difference in "
            "5 % of cases or more (p ≥ " (SIGNIFICANT) ", approximate randomization, corrected for the number of rows)."
        }
    }
}

fn overview(results: &Results) -> ReportTable {
    let mut columns = vec![SheetColumn::words("")];
    columns.extend(results.tests.iter().map(|test| SheetColumn::figures(&test.name)));
    let mut sheet = ReportTable::new("SER on all tests", columns);
    for (i, row) in results.rows.iter().enumerate() {
        let field = |t| {
            let ser = ser(results, i, t);
            marked(
                SheetField::figure_or_none(ser, html! { (percent(ser)) (mark(standing(results, i, t))) }),
                results,
                i,
                t,
            )
        };
        sheet.push([SheetField::words(&row.name)].into_iter().chain((0..results.tests.len()).map(field)));
    }
    sheet
}

/// Marks a field with the class `best` if it belongs to the best row.
fn marked(field: SheetField, results: &Results, row: usize, test: usize) -> SheetField {
    if standing(results, row, test) == Some(Standing::Best) { field.class("best") } else { field }
}

/// Renders the sign after the best row and after each row that does not differ from it significantly. Other rows have
/// a blank of the same width, so that digits are aligned.
fn mark(standing: Option<Standing>) -> Markup {
    html! {
        @match standing {
            Some(Standing::Best) => span.mark.mark-best tabindex="0" title="the least SER" { "★" },
            Some(Standing::Near(d)) => {
                span.mark.mark-near tabindex="0" title={ "cannot be told from the best (p " (equal(d.p_randomization)) ")" } { "≈" }
            },
            _ => span.mark {},
        }
    }
}

fn table(results: &Results, t: usize) -> ReportTable {
    let test = &results.tests[t];
    let published = published(results, t);
    let mut columns = vec![SheetColumn::words("")];
    columns.extend([
        SheetColumn::figures("SER %"),
        SheetColumn::drawing("SER from 0"),
        SheetColumn::figures("against the best"),
    ]);
    columns.extend(["P %", "R %", "F %"].map(SheetColumn::figures));
    let in_model = has_in_model(results, t);
    columns.extend(in_model.then(|| SheetColumn::figures("SER %").under("words in the model")));
    columns.extend(
        published.iter().map(|(name, _)| SheetColumn::figures(format!("{name} %")).under("published")),
    );
    let mut sheet = ReportTable::new(format!("Scores on {}", test.name), columns);
    let widest = widest(results, t);
    for (i, row) in results.rows.iter().enumerate() {
        let mut fields = vec![SheetField::words(&row.name)];
        match cell(results, i, t) {
            Some(ResultCell { figures, intervals, .. }) => fields.extend([
                marked(figure(figures.ser, intervals.ser), results, i, t),
                SheetField::words(strip(figures.ser, intervals.ser, widest)),
                against_the_best(standing(results, i, t)),
                figure(figures.precision, intervals.precision),
                figure(figures.recall, intervals.recall),
                figure(figures.f, intervals.f),
            ]),
            None => fields
                .extend((0..6).map(|at| if at == 1 { SheetField::words("") } else { SheetField::none() })),
        }
        if in_model {
            let known = cell(results, i, t).and_then(|cell| cell.in_model.as_ref());
            let ser = known.and_then(|figures| figures.ser);
            fields.push(SheetField::figure_or_none(ser, html! { (percent(ser)) }));
        }
        let given = row.published.get(&test.name);
        fields.extend(published.iter().map(|(name, of)| {
            let figure = given.and_then(of);
            let remarks = remarks(results, i, t, name).filter(|_| figure.is_some());
            let shown = html! {
                (percent(figure))
                (remarked(remarks.as_deref()))
            };
            SheetField::figure(figure, shown).class("published")
        }));
        sheet.push(fields);
    }
    sheet
}

/// Returns the largest SER on a test, or upper end of its interval, which is the full width of drawings.
fn widest(results: &Results, t: usize) -> f64 {
    let upper = |row| {
        let cell = cell(results, row, t)?;
        Some(cell.intervals.ser.map_or(0.0, |interval| interval.high).max(cell.figures.ser?))
    };
    ranking(results, t).into_iter().filter_map(upper).fold(0.0, f64::max)
}

fn figure(figure: Option<f64>, interval: Option<Interval>) -> SheetField {
    let shown = html! {
        (percent(figure))
        @if interval.is_some() { span.interval { (between(interval)) } }
    };
    SheetField::figure(figure, shown)
}

/// Draws a bar from 0 to the figure, with the interval over its end.
fn strip(figure: Option<f64>, interval: Option<Interval>, widest: f64) -> Markup {
    let fraction = |value: f64| if widest > 0.0 { 100.0 * value / widest } else { 0.0 };
    html! {
        @if let Some(figure) = figure {
            span.strip aria-hidden="true" {
                i style={ "width:" (format!("{:.1}", fraction(figure))) "%" } {}
                @if let Some(Interval { low, high }) = interval {
                    b style={ "left:" (format!("{:.1}", fraction(low))) "%;width:" (format!("{:.1}", fraction(high - low))) "%" } {}
                }
            }
        }
    }
}

fn against_the_best(standing: Option<Standing>) -> SheetField {
    match standing {
        None | Some(Standing::Unknown) => SheetField::none(),
        Some(Standing::Best) => SheetField::figure(Some(0.0), html! { span.mark-best { "★" } " best" }),
        Some(Standing::Near(d)) => SheetField::figure(
            Some(d.ser),
            html! {
                "+" (percent(Some(d.ser))) " " span.interval {
                    span.mark-near { "≈" } " " (NEAR) " (p " (equal(d.p_randomization)) ")"
                }
            },
        ),
        Some(Standing::Worse(d)) => SheetField::figure(
            Some(d.ser),
            html! { "+" (percent(Some(d.ser))) " " span.interval { "p " (equal(d.p_randomization)) } },
        ),
    }
}

/// Renders the tables of tests on recognised speech; `None` if there are none.
pub fn recognised(results: &Results) -> Option<Markup> {
    let sheets: Vec<_> = (0..results.tests.len())
        .map(|t| (&results.tests[t].name, recognised_table(results, t)))
        .filter(|(_, sheet)| !sheet.is_empty())
        .collect();
    (!sheets.is_empty()).then(|| {
        html! {
            p.note {
                "WER is the word error rate of the recogniser, case aside. A word counts as recognised right where the recogniser wrote the word of "
                "the reference, and as taken for another where it wrote some other word in its place."
            }
            @for (name, sheet) in sheets {
                h3 { (name) }
                (sheet)
            }
        }
    })
}

fn recognised_table(results: &Results, t: usize) -> ReportTable {
    let right = |name: &str| SheetColumn::figures(name).under("recognised right");
    let wrong = |name: &str| SheetColumn::figures(name).under("taken for others");
    let columns = vec![
        SheetColumn::words(""),
        SheetColumn::figures("WER %"),
        SheetColumn::figures("SER %"),
        right("words"),
        right("SER %"),
        wrong("words"),
        wrong("SER %"),
    ];
    let mut sheet = ReportTable::new(format!("Recognised speech, {}", results.tests[t].name), columns);
    for (row, cell) in cells(results, t) {
        let Some(Recognised { word_error_rate, right, wrong }) = &cell.recognised else { continue };
        let rate = |rate: Option<f64>| SheetField::figure(rate, percent(rate));
        let words = |words: u64| SheetField::figure(Some(words as f64), thousands(words));
        sheet.push([
            SheetField::words(&row.name),
            rate(*word_error_rate),
            rate(cell.figures.ser),
            words(right.tokens),
            rate(right.ser),
            words(wrong.tokens),
            rate(wrong.ser),
        ]);
    }
    sheet
}

#[cfg(test)]
mod tests {
    use maud::Render;

    use super::*;
    use crate::made;

    #[test]
    fn a_score_has_its_interval_and_stands_beside_what_is_published() {
        let html = table(&made::small(), 0).render().into_string();
        let ser =
            "<td class=\"n\" data-sort=\"0.3\">30.00<span class=\"interval\">[29.10, 30.60]</span></td>";
        assert!(html.contains(ser), "{html}");
        assert!(html.contains("<td class=\"n from published\" data-sort=\"0.333\">33.30</td>"), "{html}");
        assert!(html.contains("<td class=\"n best\" data-sort=\"0.2\">20.00<span"), "{html}");
    }

    #[test]
    fn what_cannot_be_told_from_the_best_is_marked() {
        let mut results = made::small();
        let difference = |results: &mut Results| {
            results.rows[0].cells[0].as_mut().unwrap().difference.as_mut().unwrap().p_randomization = 0.21
        };
        assert!(!table(&results, 0).render().into_string().contains("cannot be told"));
        difference(&mut results);
        assert!(
            table(&results, 0).render().into_string().contains("</span> cannot be told from it (p = 0.210)")
        );
    }
}
