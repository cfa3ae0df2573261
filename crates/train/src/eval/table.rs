//! Lays out rows of cells as aligned columns or as a Markdown table.

use super::compare::Interval;

/// A table with a heading for each column. The first column holds words, the others figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextTable {
    rows: Vec<Vec<String>>,
}

impl TextTable {
    /// Creates a table with these headings and no rows.
    pub fn new(headings: impl IntoIterator<Item: AsRef<str>>) -> Self {
        Self { rows: vec![headings.into_iter().map(|heading| heading.as_ref().to_owned()).collect()] }
    }

    /// Appends a row.
    pub fn push(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Lays the table out in aligned columns, two spaces apart, the first column aligned left and
    /// the other columns aligned right.
    pub fn text(&self) -> String {
        let widths = self.widths();
        let mut out = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (k, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                if k > 0 {
                    line.push_str("  ");
                }
                line.push_str(&if k == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") });
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width =
            |k: usize| self.rows.iter().filter_map(move |row| Some(row.get(k)?.chars().count())).max();
        (0..columns).map(|k| width(k).unwrap_or(0)).collect()
    }

    /// Lays the table out in Markdown.
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        for (i, row) in self.rows.iter().enumerate() {
            out.push('|');
            for cell in row {
                out.push_str(&format!(" {} |", cell.trim().replace('|', "\\|")));
            }
            out.push('\n');
            if i == 0 {
                out.push_str("| --- |");
                out.push_str(&" ---: |".repeat(row.len().saturating_sub(1)));
                out.push('\n');
            }
        }
        out
    }

    /// Lays the table out in LaTeX, as a floating table with a caption and the rules of the package
    /// booktabs.
    pub fn latex(&self, caption: &str) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut out = format!(
            "\\begin{{table}}\n\\centering\n\\caption{{{}}}\n\\begin{{tabular}}{{l{}}}\n\\toprule\n",
            in_latex(caption),
            "r".repeat(columns.saturating_sub(1))
        );
        for (i, row) in self.rows.iter().enumerate() {
            let cells: Vec<String> = row.iter().map(|cell| in_latex(cell.trim())).collect();
            out.push_str(&format!("{} \\\\\n", cells.join(" & ")));
            if i == 0 {
                out.push_str("\\midrule\n");
            }
        }
        out + "\\bottomrule\n\\end{tabular}\n\\end{table}\n"
    }
}

/// Escapes text for LaTeX.
fn in_latex(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', c]),
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("$<$"),
            '>' => out.push_str("$>$"),
            '–' => out.push_str("--"),
            '±' => out.push_str("$\\pm$"),
            _ => out.push(c),
        }
    }
    out
}

/// Formats a cell of comma-separated values, in quotes if necessary.
pub fn csv_cell(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// Formats a fraction as a percentage; `–` if it is undefined.
pub fn percent(fraction: Option<f64>) -> String {
    fraction.map_or_else(|| "–".into(), |fraction| format!("{:.2}", 100.0 * fraction))
}

/// Formats an interval of fractions as percentages; empty if it is undefined.
pub fn between(interval: Option<Interval>) -> String {
    interval.map_or_else(String::new, |Interval { low, high }| {
        format!("[{:.2}, {:.2}]", 100.0 * low, 100.0 * high)
    })
}

/// Formats the p-value of a difference, as precisely as resamples can estimate it.
pub fn probability(p: f64) -> String {
    if p < 0.001 { "< 0.001".into() } else { format!("{p:.3}") }
}

/// Formats a count with thousands separators: `1,234,567`.
pub fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> TextTable {
        let mut table = TextTable::new(&["", "F %"]);
        table.push(["título".into(), "7.50".into()]);
        table.push(["a|b".into(), "100.00".into()]);
        table
    }

    #[test]
    fn columns_stand_in_line() {
        assert_eq!(table().text(), "           F %\ntítulo    7.50\na|b     100.00\n");
    }

    #[test]
    fn markdown_keeps_its_bars_apart() {
        assert_eq!(table().markdown(), "|  | F % |\n| --- | ---: |\n| título | 7.50 |\n| a\\|b | 100.00 |\n");
    }

    #[test]
    fn latex_has_the_rules_of_booktabs_and_no_command_from_a_name() {
        let mut table = TextTable::new(&["", "F %"]);
        table.push(["a_b \\input & {x}".into(), "< 7".into()]);
        let expected = "\\begin{table}\n\\centering\n\\caption{50 \\%}\n\\begin{tabular}{lr}\n\\toprule\n & F \\% \\\\\n\\midrule\n\
                        a\\_b \\textbackslash{}input \\& \\{x\\} & $<$ 7 \\\\\n\\bottomrule\n\\end{tabular}\n\\end{table}\n";
        assert_eq!(table.latex("50 %"), expected);
    }

    #[test]
    fn thousands_stand_apart() {
        let all: Vec<_> = [0, 12, 123, 1234, 1234567].into_iter().map(thousands).collect();
        assert_eq!(all, ["0", "12", "123", "1,234", "1,234,567"]);
    }

    #[test]
    fn intervals_are_percentages_and_small_probabilities_have_a_bound() {
        assert_eq!(between(Some(Interval { low: 0.0716, high: 0.08 })), "[7.16, 8.00]");
        assert_eq!((between(None), probability(0.0009)), (String::new(), "< 0.001".into()));
        assert_eq!(probability(0.05), "0.050");
    }

    #[test]
    fn an_undefined_figure_is_a_dash() {
        assert_eq!((percent(None), percent(Some(0.0716))), ("–".into(), "7.16".into()));
    }
}
