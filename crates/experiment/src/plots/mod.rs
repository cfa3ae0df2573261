//! Draws results as SVG plots.

mod scale;
mod labels;
mod ink;
mod legend;
mod chart;

use maud::html;

use self::chart::{Named, PlotLine, Point};
use super::results::{ResultCell, ResultRow, Results};
use super::standing::{cell, ser};
use super::units::{bytes, short};
use majuscule_train::eval::compare::Interval;

/// A plot that can be written to a file of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plot {
    /// The unique name of the plot's file, without extension.
    pub name: String,
    /// The title of the plot.
    pub title: String,
    /// The drawing, which follows the reader's colour scheme.
    pub svg: String,
    /// The caption that explains the plot.
    pub caption: String,
}

/// The prefixes of plot names: SER by size of the training corpus, F by look-ahead, SER by size or
/// speed of the model, F by the word error rate of recognisers, and layer weights.
pub(super) const TRAINING: &str = "training-size";
pub(super) const LOOK_AHEAD: &str = "look-ahead";
pub(super) const TRADE: &str = "model-";
pub(super) const RECOGNITION: &str = "word-error-rate";
pub(super) const LAYERS: &str = "layers";

/// Draws all plots for which the results have data.
pub fn all(results: &Results) -> Vec<Plot> {
    let tests = 0..results.tests.len();
    let of_training = tests.clone().filter_map(|test| training(results, test));
    let of_look_ahead = tests.clone().filter_map(|test| look_ahead(results, test));
    let of_trade = tests.flat_map(|test| [size(results, test), speed(results, test)]).flatten();
    let of_tests = of_training.chain(of_look_ahead).chain(of_trade);
    of_tests.chain(recognition(results)).chain(layers(results)).collect()
}

impl Plot {
    fn new(name: String, title: String, caption: String, svg: &str) -> Self {
        let head = html! { title { (title) } style { (maud::PreEscaped(style())) } };
        let svg = svg.replacen("<svg ", "<svg class=\"plot\" role=\"img\" ", 1);
        let svg = svg.replacen(">\n", &format!(">\n{}\n", head.into_string()), 1);
        Self { name, title, svg, caption }
    }

    /// Creates a plot of a test, whose name its title contains.
    fn of_test(
        results: &Results,
        test: usize,
        (kind, title): (&str, &str),
        caption: &str,
        svg: &str,
    ) -> Self {
        let title = format!("{title}, {}", results.tests[test].name);
        Self::new(format!("{kind}-{}", slug(results, test)), title, caption.to_owned(), svg)
    }
}

/// Returns the CSS that each plot contains.
pub(super) fn style() -> String {
    ink::style()
}

/// Removes the style from a drawing, for a page that contains the style once.
pub(super) fn inline(svg: &str) -> String {
    svg.replacen(&format!("<style>{}</style>", style()), "", 1).replacen(
        " xmlns=\"http://www.w3.org/2000/svg\"",
        "",
        1,
    )
}

/// Converts a test's name to a part of a file name: letters and digits, separated by `-`, and numbered, so that no
/// two tests share a name.
fn slug(results: &Results, test: usize) -> String {
    let name: String = results.tests[test]
        .name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' })
        .collect();
    let name: String = name.split_whitespace().collect::<Vec<_>>().join("-");
    let short: String = name.chars().take(40).collect();
    format!("{}-{}", test + 1, short).trim_end_matches('-').to_owned()
}

/// Returns the distinct series in order; the index of a series is the number of its colour.
fn series(results: &Results) -> Vec<&str> {
    let mut all: Vec<&str> = Vec::new();
    for row in &results.rows {
        if !all.contains(&row.series.as_str()) {
            all.push(&row.series);
        }
    }
    all
}

/// Returns a figure with its interval, in percent, as a point at `x`.
fn point(x: f64, figure: Option<f64>, interval: Option<Interval>) -> Option<Point> {
    let interval = interval.map(|Interval { low, high }| (100.0 * low, 100.0 * high));
    Some(Point { x, y: 100.0 * figure?, interval }).filter(|point| point.x.is_finite() && point.y.is_finite())
}

/// Returns the SER of a row on a test as a point at `x`.
fn ser_at(results: &Results, row: usize, test: usize, x: f64) -> Option<Point> {
    point(x, ser(results, row, test), cell(results, row, test)?.intervals.ser)
}

/// Returns the F of a row on a test as a point at `x`.
fn f_at(results: &Results, row: usize, test: usize, x: f64) -> Option<Point> {
    let ResultCell { figures, intervals, .. } = cell(results, row, test)?;
    point(x, figures.f, intervals.f)
}

/// Returns the title of the SER axis, which names the test because a drawing may stand alone.
fn ser_of(results: &Results, test: usize) -> String {
    format!("SER %, {}", results.tests[test].name)
}

/// Returns the values that an axis must include to show all points and their intervals.
fn reach<'a>(points: impl IntoIterator<Item = &'a Point>) -> impl Iterator<Item = f64> {
    let ends = |point: &Point| {
        let (low, high) = point.interval.unwrap_or((point.y, point.y));
        [low, point.y, high]
    };
    points.into_iter().map(ends).collect::<Vec<_>>().into_iter().flatten()
}

/// Plots SER and the time of an epoch against the size of the training corpus, as in figure 2 of
/// Rei et al. 2020. Returns `None` if no series has two sizes.
fn training(results: &Results, test: usize) -> Option<Plot> {
    let (mut curves, mut epochs) = (Vec::new(), Vec::new());
    for (colour, name) in series(results).into_iter().enumerate() {
        let mut rows: Vec<(f64, usize)> = Vec::new();
        for (i, row) in results.rows.iter().enumerate().filter(|(_, row)| row.series == name) {
            rows.extend(row.lines.filter(|lines| *lines > 0).map(|lines| ((lines as f64).log10(), i)));
        }
        rows.sort_by(|(one, _), (two, _)| one.total_cmp(two));
        let ser: Vec<Point> = rows.iter().filter_map(|(x, i)| ser_at(results, *i, test, *x)).collect();
        if ser.first().map(|first| first.x) < ser.last().map(|last| last.x) {
            curves.push(PlotLine { name: Some(name.to_owned()), colour, right: false, points: ser });
            let time = |(x, i): &(f64, usize)| {
                ser_at(results, *i, test, *x)?;
                Some(Point { x: *x, y: epoch(&results.rows[*i])?, interval: None })
            };
            let points = rows.iter().filter_map(time).collect();
            epochs.push(PlotLine { name: None, colour, right: true, points });
        }
    }
    let points = || curves.iter().flat_map(|curve| &curve.points);
    points().next()?;
    let x = scale::sizes("lines of training text", points().map(|point| 10f64.powf(point.x).round()));
    let y = scale::linear(ser_of(results, test), reach(points()));
    let slowest = epochs.iter().flat_map(|line| &line.points).map(|point| point.y).reduce(f64::max);
    let (unit, unit_name) = slowest.map_or((1.0, "s"), time_unit);
    let times =
        slowest.map(|slowest| scale::linear(format!("time of an epoch, {unit_name}"), [0.0, slowest / unit]));
    for point in epochs.iter_mut().flat_map(|line| &mut line.points) {
        point.y /= unit;
    }
    let lines = curves.into_iter().chain(epochs).filter(|line| line.points.len() > 1);
    let svg = chart::lines(&x, &y, times.as_ref(), &lines.collect::<Vec<_>>());
    let caption = "SER by lines of training text, with 95 % intervals; the fewer errors, the lower.";
    let caption = match times {
        Some(_) => &format!("{caption} Dashed, on the right: CPU time of training by the number of epochs."),
        None => caption,
    };
    Some(Plot::of_test(results, test, (TRAINING, "SER by training size"), caption, &svg))
}

/// Returns the curve through points; `None` if there are fewer than two.
fn curve(name: &str, colour: usize, mut points: Vec<Point>) -> Option<PlotLine> {
    points.sort_by(|one, other| one.x.total_cmp(&other.x));
    (points.len() > 1).then(|| PlotLine { name: Some(name.to_owned()), colour, right: false, points })
}

/// Plots F against the number of words of look-ahead. Rows whose names differ only after the last
/// comma form a curve. Returns `None` if no curve has two points.
fn look_ahead(results: &Results, test: usize) -> Option<Plot> {
    let mut curves: Vec<(&str, Vec<Point>)> = Vec::new();
    for (i, row) in results.rows.iter().enumerate() {
        let point = row.look_ahead.and_then(|words| f_at(results, i, test, words as f64));
        let Some(point) = point else { continue };
        let name = row.name.rsplit_once(", ").map_or(row.name.as_str(), |(name, _)| name);
        match curves.iter_mut().find(|(other, _)| *other == name) {
            Some((_, points)) => points.push(point),
            None => curves.push((name, vec![point])),
        }
    }
    let curves = curves.into_iter().enumerate();
    let lines: Vec<PlotLine> =
        curves.filter_map(|(colour, (name, points))| curve(name, colour, points)).collect();
    let points = || lines.iter().flat_map(|line| &line.points);
    let most = points().map(|point| point.x).reduce(f64::max)? as usize;
    let x = scale::whole("words of look-ahead", most, most.div_ceil(20).max(1));
    let y = scale::linear(format!("F %, {}", results.tests[test].name), reach(points()));
    let svg = chart::lines(&x, &y, None, &lines);
    let caption = "F by the number of words after a word that decide it, with 95 % intervals.";
    Some(Plot::of_test(results, test, (LOOK_AHEAD, "F by look-ahead"), caption, &svg))
}

/// Returns the CPU seconds of an epoch.
fn epoch(row: &ResultRow) -> Option<f64> {
    let seconds = row.training?.cpu_seconds? / row.epochs?;
    seconds.is_finite().then_some(seconds)
}

fn time_unit(seconds: f64) -> (f64, &'static str) {
    match seconds {
        ..120.0 => (1.0, "s"),
        ..7200.0 => (60.0, "min"),
        _ => (3600.0, "h"),
    }
}

/// Plots SER against the size of the model on disk.
fn size(results: &Results, test: usize) -> Option<Plot> {
    let of = |row: usize| Some(results.rows[row].bytes? as f64);
    // Axis marks are round numbers, so they are written as 10 MB and not as 10.0 MB.
    let name = |value: f64| bytes(value as u64).replace(".00 ", " ").replace(".0 ", " ");
    trade(results, test, ("size", "model size"), ("size on disk", name), of, "Smaller models are on the left")
}

/// Plots SER against throughput in words per second.
fn speed(results: &Results, test: usize) -> Option<Plot> {
    let of = |row: usize| cell(results, row, test)?.words_per_second;
    trade(results, test, ("speed", "speed"), ("words a second", short), of, "Faster models are on the right")
}

/// Plots SER against a cost on a logarithmic axis. Returns `None` if fewer than two rows have both.
fn trade(
    results: &Results,
    test: usize,
    (name, title): (&str, &str),
    (axis, mark): (&str, impl Fn(f64) -> String),
    of: impl Fn(usize) -> Option<f64>,
    sides: &str,
) -> Option<Plot> {
    let names = series(results);
    let point = |(i, row): (usize, &ResultRow)| {
        let value = of(i).filter(|value| *value > 0.0)?;
        let colour = names.iter().position(|name| *name == row.series)?;
        let point = ser_at(results, i, test, value.log10())?;
        Some(Named { name: row.name.clone(), number: i + 1, colour, point })
    };
    let points: Vec<_> = results.rows.iter().enumerate().filter_map(point).collect();
    if points.len() < 2 {
        return None;
    }
    let x = scale::logarithmic(axis, points.iter().map(|named| 10f64.powf(named.point.x)), mark);
    let y = scale::linear(ser_of(results, test), reach(points.iter().map(|named| &named.point)));
    let svg = chart::points(&x, &y, &points);
    let caption = format!("{sides}, those with fewer errors lower.");
    let (kind, title) = (format!("{TRADE}{name}"), format!("SER by {title}"));
    Some(Plot::of_test(results, test, (&kind, &title), &caption, &svg))
}

/// Plots F of each row against the word error rates of the recognisers whose transcripts are restored. Returns `None`
/// if no row has two points.
fn recognition(results: &Results) -> Option<Plot> {
    let tests = 0..results.tests.len();
    let point = |row: usize, test: usize| {
        let rate = cell(results, row, test)?.recognised.as_ref()?.word_error_rate?;
        // A recogniser that writes no capitals has an F of 0 and is not a point of that curve.
        f_at(results, row, test, 100.0 * rate).filter(|point| point.y > 0.0)
    };
    let line = |(colour, row): (usize, &ResultRow)| {
        curve(&row.name, colour, tests.clone().filter_map(|test| point(colour, test)).collect())
    };
    let lines: Vec<PlotLine> = results.rows.iter().enumerate().filter_map(line).collect();
    let points = || lines.iter().flat_map(|line| &line.points);
    points().next()?;
    let x = scale::linear("word error rate %", points().map(|point| point.x));
    let y = scale::linear("F %", reach(points()));
    let svg = chart::lines(&x, &y, None, &lines);
    let caption =
        "F by the word error rate of the recogniser, with 95 % intervals; each recogniser is a column.";
    Some(Plot::new(RECOGNITION.into(), "F by word error rate".into(), caption.into(), &svg))
}

/// Plots the weights of layers, as in figure 3 of Rei et al. 2020.
/// Returns `None` if no row has any.
fn layers(results: &Results) -> Option<Plot> {
    let rows: Vec<(&ResultRow, &Vec<f64>)> =
        results.rows.iter().filter_map(|row| Some((row, row.layers.as_ref()?))).collect();
    let deepest = rows.iter().map(|(_, weights)| weights.len()).max().filter(|deepest| *deepest > 1)?;
    let line = |(colour, (row, weights)): (usize, &(&ResultRow, &Vec<f64>))| {
        let points = weights.iter().enumerate();
        let points = points.map(|(layer, weight)| Point { x: layer as f64, y: *weight, interval: None });
        let points = points.filter(|point| point.y.is_finite()).collect();
        PlotLine { name: Some(row.name.clone()), colour, right: false, points }
    };
    let lines: Vec<PlotLine> = rows.iter().enumerate().map(line).collect();
    let x = scale::whole("layer (0: embeddings)", deepest - 1, deepest.div_ceil(26));
    let y =
        scale::linear("weight", lines.iter().flat_map(|line| &line.points).map(|point| point.y).chain([0.0]));
    let svg = chart::lines(&x, &y, None, &lines);
    let caption = "How much each layer of the encoder counts; the weights of a row sum to 1.".to_owned();
    Some(Plot::new(LAYERS.into(), "Weights of the layers".into(), caption, &svg))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made;
    use crate::results::Recognised;

    #[test]
    fn there_are_plots_of_what_there_is() {
        let names: Vec<_> = all(&made::large()).into_iter().map(|plot| plot.name).collect();
        let tests = ["1-europarl", "2-subtitles-ted", "3-earnings21-rev-kaldi"];
        let mut expected: Vec<String> = tests.iter().map(|test| format!("training-size-{test}")).collect();
        expected.extend(
            tests.iter().flat_map(|test| [format!("model-size-{test}"), format!("model-speed-{test}")]),
        );
        expected.push("layers".into());
        assert_eq!(names, expected);
        // Only one row has a size and a speed, so there is nothing to compare.
        assert_eq!(all(&made::small()), []);
    }

    #[test]
    fn rows_with_other_look_aheads_are_a_curve() {
        let mut results = made::large();
        for (i, row) in results.rows.iter_mut().enumerate().take(3) {
            row.look_ahead = Some(i as u64);
            row.name = format!("maxent, {i} ahead");
        }
        results.rows[3].look_ahead = Some(1);
        let plots: Vec<_> =
            all(&results).into_iter().filter(|plot| plot.name.starts_with(LOOK_AHEAD)).collect();
        assert_eq!(plots.len(), results.tests.len());
        assert_eq!(plots[0].name, "look-ahead-1-europarl");
        assert!(plots[0].svg.contains("maxent") && !plots[0].svg.contains("ahead</"), "{}", plots[0].svg);
    }

    #[test]
    fn recognisers_are_points_of_a_curve() {
        let mut results = made::large();
        for (row, rates) in [(0, [0.25, 0.125, 0.5]), (1, [f64::NAN, 0.125, f64::INFINITY])] {
            for (cell, rate) in results.rows[row].cells.iter_mut().flatten().zip(rates) {
                let (right, wrong) = (cell.figures, cell.figures);
                cell.recognised = Some(Recognised { word_error_rate: Some(rate), right, wrong });
            }
        }
        let plot = recognition(&results).unwrap();
        // One point is no curve.
        let names = |row: usize| plot.svg.matches(&format!(">\n{}\n</text>", results.rows[row].name)).count();
        assert!(plot.name == RECOGNITION && names(0) == 1 && names(1) == 0, "{}", plot.svg);
    }

    #[test]
    fn a_drawing_escapes_names_and_loads_nothing() {
        let mut results = made::large();
        for row in &mut results.rows {
            row.name = format!("<script>\u{0}{}", row.name);
            row.series = format!("<b>&{}", row.series);
        }
        results.tests[0].name = "</title><script>".into();
        for Plot { svg, name, .. } in all(&results) {
            assert!(svg.starts_with("<svg class=\"plot\"") && svg.ends_with("</svg>\n"), "{name}: {svg}");
            assert!(!svg.contains("<script") && !svg.contains("<b>") && !svg.contains('\0'), "{name}: {svg}");
            assert_eq!(svg.matches("://").count(), 1, "{name}");
            assert!(!inline(&svg).contains("://") && !inline(&svg).contains("<style"), "{name}");
        }
    }

    #[test]
    fn odd_figures_are_drawn_too() {
        let mut results = made::large();
        for (i, row) in results.rows.iter_mut().enumerate() {
            row.lines = Some([0, 1, u64::MAX][i % 3]);
            row.bytes = Some([0, 1, u64::MAX][i % 3]);
            row.epochs = Some(0.0);
            row.layers = Some(vec![f64::NAN; i % 3]);
            let cell = row.cells[0].as_mut();
            if let Some(cell) = cell {
                cell.figures.ser = [None, Some(0.0), Some(f64::INFINITY), Some(7.5)][i % 4];
                cell.words_per_second = Some([f64::NAN, f64::INFINITY, 0.0, 1e-9, 5.0][i % 5]);
            }
        }
        assert!(!all(&results).is_empty());
    }

    #[test]
    fn points_bear_their_names_or_numbers_where_these_crowd() {
        let plot = |results: &Results| {
            all(results).into_iter().find(|plot| plot.name.starts_with("model-size")).unwrap().svg
        };
        let dozen = plot(&made::large());
        assert!(dozen.contains(">\nbert 200k\n</text>") && !dozen.contains(">\n7\n</text>"), "{dozen}");
        let crowd = plot(&made::wide(30));
        // Rows 12 and 24 are outputs of another system, which have no size.
        for number in (1..=30).filter(|number| number % 12 != 0) {
            assert!(crowd.contains(&format!(">\n{number}\n</text>")), "{number}: {crowd}");
            assert!(crowd.contains(&format!(">\n{number}  ")), "{number}: {crowd}");
        }
    }
}
