//! Tables of a page, rendered as HTML that a script can sort and that is readable without the script.

use maud::{Markup, Render, html};

use crate::figure_table::{FigureField, FigureTable};
use crate::units::NONE;

/// A column: its heading and the kind of its fields.
#[derive(Debug, Clone)]
pub struct SheetColumn {
    name: String,
    /// The common heading of this column and its neighbours, if any.
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
    /// Creates a column of text, aligned left.
    pub fn words(name: impl Into<String>) -> Self {
        Self { name: name.into(), group: None, kind: FieldKind::Words }
    }

    /// Creates a column of numbers, aligned right.
    pub fn figures(name: impl Into<String>) -> Self {
        Self { kind: FieldKind::Figures, ..Self::words(name) }
    }

    /// Creates a column of drawings, which cannot be sorted.
    pub fn drawing(name: impl Into<String>) -> Self {
        Self { kind: FieldKind::Drawing, ..Self::words(name) }
    }

    /// Puts the column under a common heading.
    pub fn under(mut self, group: impl Into<String>) -> Self {
        self.group = Some(group.into());
        self
    }
}

/// A field of a table and its sort key.
#[derive(Debug, Clone)]
pub struct SheetField {
    shown: Markup,
    key: Option<f64>,
    class: Option<&'static str>,
}

impl SheetField {
    /// Creates a field that is sorted by its text.
    pub fn words(shown: impl Render) -> Self {
        Self { shown: html! { (shown) }, key: None, class: None }
    }

    /// Creates a field with a number and its text; a missing number is shown
    /// as a dash and sorted to the end.
    pub fn figure(key: Option<f64>, shown: impl Render) -> Self {
        match key {
            Some(key) => Self { key: Some(key), ..Self::words(shown) },
            None => Self::none(),
        }
    }

    /// Creates an empty field, shown as a dash.
    pub fn none() -> Self {
        Self { class: Some("none"), ..Self::words(NONE) }
    }

    /// Creates a field with a number and its text, which is shown even if the number is missing.
    pub fn figure_or_none(key: Option<f64>, shown: impl Render) -> Self {
        Self { key, class: key.is_none().then_some("none"), ..Self::words(shown) }
    }

    /// Sets the CSS class of the field.
    pub fn class(self, class: &'static str) -> Self {
        Self { class: Some(class), ..self }
    }
}

/// A table; the first field of each row is its heading.
#[derive(Debug, Clone)]
pub struct ReportTable {
    label: String,
    columns: Vec<SheetColumn>,
    rows: Vec<Vec<SheetField>>,
}

impl ReportTable {
    /// Creates a table without rows; `label` is its name for screen readers.
    pub fn new(label: impl Into<String>, columns: Vec<SheetColumn>) -> Self {
        Self { label: label.into(), columns, rows: Vec::new() }
    }

    /// Appends a row.
    pub fn push(&mut self, fields: impl IntoIterator<Item = SheetField>) {
        self.rows.push(fields.into_iter().collect());
    }

    /// Returns true if the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the CSS classes of all fields of a column.
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

    /// Returns the common headings, each with the number of columns under it.
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

impl From<&FigureTable> for ReportTable {
    fn from(table: &FigureTable) -> Self {
        let column = |(at, name): (usize, &String)| match at {
            0 => SheetColumn::words(""),
            _ if at < table.words => SheetColumn::words(name),
            _ => SheetColumn::figures(name),
        };
        let mut sheet = Self::new(&table.heading, table.columns.iter().enumerate().map(column).collect());
        for row in &table.rows {
            sheet.push(row.iter().enumerate().map(|(at, FigureField { value, text, remark })| match at {
                _ if at < table.words => SheetField::words(text),
                _ => SheetField::figure(*value, html! { (text) (remarked(remark.as_deref())) }),
            }));
        }
        sheet
    }
}

/// Renders the remark after a figure, if there is one.
pub fn remarked(remark: Option<&str>) -> Markup {
    html! { @if let Some(remark) = remark { " " span.interval { "(" (remark) ")" } } }
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

/// Rounds a number to twelve digits, because its last digits do not
/// survive a round trip through JSON.
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
