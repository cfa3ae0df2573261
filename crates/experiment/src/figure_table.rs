//! Tables that the Markdown, the LaTeX and the page of a report share.

use super::units::NONE;
use majuscule_train::eval::table::{TextTable, percent, thousands};

/// A table of words and figures.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureTable {
    /// The name of the table.
    pub heading: String,
    /// The headings of the columns.
    pub columns: Vec<String>,
    /// The number of columns of words, which come before the columns of figures.
    pub words: usize,
    /// The rows, with a field for each column.
    pub rows: Vec<Vec<FigureField>>,
}

/// A field of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureField {
    /// The value of a figure, if it is known.
    pub value: Option<f64>,
    /// The words, or the figure as it is shown.
    pub text: String,
    /// The remark after the figure.
    pub remark: Option<String>,
}

impl FigureField {
    /// Creates a field of words.
    pub fn words(text: impl Into<String>) -> Self {
        Self { value: None, text: text.into(), remark: None }
    }

    /// Creates a field of a figure, which `shown` formats; a missing figure is a dash.
    pub fn figure(value: Option<f64>, shown: impl Fn(f64) -> String) -> Self {
        Self { value, ..Self::words(value.map_or_else(|| NONE.to_owned(), shown)) }
    }

    /// Creates a field of a fraction, shown as a percentage.
    pub fn percent(fraction: Option<f64>) -> Self {
        Self::figure(fraction, |fraction| percent(Some(fraction)))
    }

    /// Creates a field of a whole number, which `shown` formats.
    pub fn whole(value: Option<u64>, shown: impl Fn(u64) -> String) -> Self {
        let text = value.map_or_else(|| NONE.to_owned(), shown);
        Self { value: value.map(|value| value as f64), ..Self::words(text) }
    }

    /// Creates a field of a count.
    pub fn count(count: u64) -> Self {
        Self::whole(Some(count), thousands)
    }
}

impl FigureTable {
    /// Creates a table without rows.
    pub fn new<T: Into<String>>(
        heading: impl Into<String>,
        words: usize,
        columns: impl IntoIterator<Item = T>,
    ) -> Self {
        let columns = columns.into_iter().map(T::into).collect();
        Self { heading: heading.into(), columns, words, rows: Vec::new() }
    }

    /// Appends a row.
    pub fn push(&mut self, fields: impl IntoIterator<Item = FigureField>) {
        self.rows.push(fields.into_iter().collect());
    }

    /// Lays the table out in Markdown.
    pub fn markdown(&self) -> String {
        let remarked = |field: &FigureField| match &field.remark {
            Some(remark) => format!("{} ({remark})", field.text),
            None => plain(&field.text),
        };
        self.text(plain, remarked).markdown()
    }

    /// Lays the table out in LaTeX, without remarks.
    pub fn latex(&self, caption: &str) -> String {
        self.text(str::to_owned, |field| field.text.clone()).latex(caption)
    }

    fn text(&self, heading: fn(&str) -> String, field: impl Fn(&FigureField) -> String) -> TextTable {
        let headings: Vec<String> = self.columns.iter().map(|column| heading(column)).collect();
        let mut table = TextTable::new(&headings.iter().map(String::as_str).collect::<Vec<_>>());
        self.rows.iter().for_each(|row| table.push(row.iter().map(&field)));
        table
    }
}

/// Escapes text for Markdown and puts it on one line.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '*' | '_' | '`' | '[' | ']' | '\\' | '~' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out
}

/// Puts text on one line.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
