//! A table of a page: cells in, HTML out that a script can sort and that reads without it.

use maud::{Markup, Render, html};

use crate::units::NONE;

/// A column: its heading and how it is taken.
#[derive(Debug, Clone)]
pub struct SheetColumn {
    name: String,
    /// What stands over this column and those beside it that share it.
    group: Option<String>,
    kind: FieldKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FieldKind {
    Words,
    Figures,
    Drawing,
}

impl SheetColumn {
    /// Text, to the left.
    pub fn words(name: impl Into<String>) -> Self {
        Self { name: name.into(), group: None, kind: FieldKind::Words }
    }

    /// Numbers, to the right.
    pub fn figures(name: impl Into<String>) -> Self {
        Self { kind: FieldKind::Figures, ..Self::words(name) }
    }

    /// Something to look at, with nothing to sort by.
    pub fn drawing(name: impl Into<String>) -> Self {
        Self { kind: FieldKind::Drawing, ..Self::words(name) }
    }

    /// Under a common heading.
    pub fn under(mut self, group: impl Into<String>) -> Self {
        self.group = Some(group.into());
        self
    }
}

/// What stands in a place of a table, and what it is sorted by.
#[derive(Debug, Clone)]
pub struct SheetField {
    shown: Markup,
    key: Option<f64>,
    class: Option<&'static str>,
}

impl SheetField {
    /// Words, or what has no order but that of its text.
    pub fn words(shown: impl Render) -> Self {
        Self { shown: html! { (shown) }, key: None, class: None }
    }

    /// A number and how it is written; nothing to say stands as a dash and is sorted to the end.
    pub fn figure(key: Option<f64>, shown: impl Render) -> Self {
        match key {
            Some(key) => Self { key: Some(key), ..Self::words(shown) },
            None => Self::none(),
        }
    }

    /// Nothing to say.
    pub fn none() -> Self {
        Self { class: Some("none"), ..Self::words(NONE) }
    }

    /// A number as it is written even where there is nothing to say.
    pub fn figure_or_none(key: Option<f64>, shown: impl Render) -> Self {
        Self { key, class: key.is_none().then_some("none"), ..Self::words(shown) }
    }

    /// Of a kind that the style sheet knows.
    pub fn class(self, class: &'static str) -> Self {
        Self { class: Some(class), ..self }
    }
}

/// A table: the first field of each row is its heading.
#[derive(Debug, Clone)]
pub struct ReportTable {
    label: String,
    columns: Vec<SheetColumn>,
    rows: Vec<Vec<SheetField>>,
}

impl ReportTable {
    /// One without rows yet; `label` is what a screen reader calls it.
    pub fn new(label: impl Into<String>, columns: Vec<SheetColumn>) -> Self {
        Self { label: label.into(), columns, rows: Vec::new() }
    }

    /// Appends a row.
    pub fn push(&mut self, fields: impl IntoIterator<Item = SheetField>) {
        self.rows.push(fields.into_iter().collect());
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The classes of all fields of a column.
    fn classes(&self, at: usize) -> Vec<&'static str> {
        let Some(column) = self.columns.get(at) else { return Vec::new() };
        let kind = match column.kind {
            FieldKind::Words => None,
            FieldKind::Figures => Some("n"),
            FieldKind::Drawing => Some("drawing"),
        };
        let before = at.checked_sub(1).and_then(|before| self.columns[before].group.as_ref());
        let begins = column.group.is_some() && column.group.as_ref() != before;
        kind.into_iter().chain(begins.then_some("from")).collect()
    }

    /// Common headings: how many columns stand under each.
    fn groups(&self) -> Vec<(Option<&str>, usize)> {
        let mut groups: Vec<(Option<&str>, usize)> = Vec::new();
        for column in self.columns.iter().skip(1) {
            match groups.last_mut() {
                Some((group, count)) if *group == column.group.as_deref() => *count += 1,
                _ => groups.push((column.group.as_deref(), 1)),
            }
        }
        groups
    }
}

impl Render for ReportTable {
    fn render(&self) -> Markup {
        let grouped = self.columns.iter().any(|column| column.group.is_some());
        html! {
            div.box tabindex="0" role="region" aria-label=(self.label) {
                table.sortable {
                    thead {
                        @if grouped {
                            tr.groups {
                                td {}
                                @for (group, count) in self.groups() {
                                    @match group {
                                        Some(group) => th.from colspan=(count) scope="colgroup" { (group) },
                                        None => td colspan=(count) {},
                                    }
                                }
                            }
                        }
                        tr {
                            @for (at, column) in self.columns.iter().enumerate() {
                                @let sorted = column.kind != FieldKind::Drawing;
                                @let numeric = column.kind == FieldKind::Figures;
                                th class=[joined(self.classes(at))] scope="col" data-column=[sorted.then_some(at)] data-numeric[numeric] {
                                    (column.name)
                                }
                            }
                        }
                    }
                    tbody {
                        @for row in &self.rows {
                            tr {
                                @for (at, SheetField { shown, key, class }) in row.iter().enumerate() {
                                    @if at == 0 {
                                        th scope="row" class=[class] { (shown) }
                                    } @else {
                                        td class=[joined(self.classes(at).into_iter().chain(*class))] data-sort=[key.map(rounded)] { (shown) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Twelve digits: the last ones of a number do not survive being written as JSON and read again.
fn rounded(key: f64) -> f64 {
    format!("{key:.11e}").parse().unwrap_or(key)
}

fn joined(classes: impl IntoIterator<Item = &'static str>) -> Option<String> {
    let classes: Vec<_> = classes.into_iter().collect();
    (!classes.is_empty()).then(|| classes.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_carry_what_they_are_sorted_by_and_nothing_is_a_dash() {
        let mut sheet = ReportTable::new(
            "a & b",
            vec![SheetColumn::words("row"), SheetColumn::figures("SER %").under("<test>")],
        );
        sheet.push([SheetField::words("a"), SheetField::figure(Some(0.125), "12.50").class("best")]);
        sheet.push([SheetField::words("b"), SheetField::figure(None, "")]);
        let html = sheet.render().into_string();
        assert!(html.contains(r#"<td class="n from best" data-sort="0.125">12.50</td>"#), "{html}");
        assert!(html.contains(r#"<td class="n from none">–</td>"#), "{html}");
        assert!(
            html.contains(r#"<th class="n from" scope="col" data-column="1" data-numeric>SER %</th>"#),
            "{html}"
        );
        assert!(
            html.contains(r#"<th class="from" colspan="1" scope="colgroup">&lt;test&gt;</th>"#),
            "{html}"
        );
        assert!(html.contains(r#"aria-label="a &amp; b""#), "{html}");
    }
}
