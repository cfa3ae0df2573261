//! Axes, lines and points drawn as SVG.

use std::ops::Range;

use plotters::chart::DualCoordChartContext;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::ink::{
    DASH, Drawing, Drawn, FAMILY, GRID, INK, MUTED, PAPER, SCALE, TEXT, colour, fitted, mark, visible, write,
};
use super::labels::{self, Area, PlotPoint};
use super::legend::{Legend, LegendSample};
use super::scale::Axis;

const WIDTH: u32 = 640;
const HEIGHT: u32 = 400;

/// The margins and axis areas in pixels; the titles of the vertical axes are above them.
const TOP: u32 = 34;
const SIDE: u32 = 18;
const UPRIGHT: u32 = 46;
const LEVEL: u32 = 46;
const BOTTOM: u32 = 8;

/// The maximum length of a name inside a drawing, in characters.
const MOST: usize = 30;

/// The gaps above and below the legend in pixels.
const BETWEEN: u32 = 8;
const BELOW: u32 = 6;

/// Points joined by a line.
#[derive(Debug, Clone, PartialEq)]
pub struct PlotLine {
    /// The name in the legend; a line without one is not listed.
    pub name: Option<String>,
    /// The number of the line's colour.
    pub colour: usize,
    /// True if the line is dashed and measured on the right axis.
    pub right: bool,
    /// The points of the line, from left to right.
    pub points: Vec<Point>,
}

/// A point and its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The position on the horizontal axis.
    pub x: f64,
    /// The position on a vertical axis.
    pub y: f64,
    /// The confidence interval on the vertical axis.
    pub interval: Option<(f64, f64)>,
}

/// A point with its name next to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// The name of the point.
    pub name: String,
    /// The number shown instead of the name if names are crowded.
    pub number: usize,
    /// The number of the point's colour.
    pub colour: usize,
    /// The position of the point.
    pub point: Point,
}

/// Draws a chart of lines above its legend.
pub fn lines(x: &Axis, y: &Axis, right: Option<&Axis>, lines: &[PlotLine]) -> String {
    let named = lines.iter().filter_map(|line| Some((LegendSample::Line(line.colour), line.name.clone()?)));
    let dashes = right.map(|axis| (LegendSample::Dashes, axis.title.clone()));
    let legend = Legend::new(named.chain(dashes), (SIDE as i32, (WIDTH - SIDE) as i32), false);
    above_legend(&legend, |above| {
        axes(above, x, y, right, |chart| {
            for line in lines.iter().filter(|line| !line.right) {
                let colour = colour(line.colour);
                chart.draw_series(line.points.iter().filter_map(|point| whisker(point, colour)))?;
                chart.draw_series(LineSeries::new(
                    line.points.iter().map(|point| (point.x, point.y)),
                    colour.stroke_width(2),
                ))?;
                chart.draw_series(
                    line.points.iter().map(|point| Circle::new((point.x, point.y), 4, mark(line.colour))),
                )?;
            }
            for line in lines.iter().filter(|line| line.right) {
                let points = line.points.iter().map(|point| (point.x, point.y));
                let style = colour(line.colour).stroke_width(2);
                chart.draw_secondary_series(DashedLineSeries::new(points, DASH, DASH, style))?;
            }
            Ok(())
        })
    })
}

/// Returns the line from one end of a point's interval to the other.
fn whisker(point: &Point, colour: RGBColor) -> Option<PathElement<(f64, f64)>> {
    let (low, high) = point.interval?;
    Some(PathElement::new([(point.x, low), (point.x, high)], colour.mix(0.6).stroke_width(1)))
}

fn above_legend(legend: &Legend, draw: impl FnOnce(&Drawing<'_>) -> Drawn) -> String {
    let below = if legend.height() > 0 { BETWEEN + legend.height() + BELOW } else { 0 };
    svg((WIDTH, HEIGHT + below), |root| {
        let (above, below) = root.split_vertically(HEIGHT);
        draw(&above)?;
        let (_, below) = below.split_vertically(BETWEEN);
        legend.draw(&below)
    })
}

/// Draws a chart of points with their names next to them, or, if the names are crowded, with
/// numbers and a list of names below.
pub fn points(x: &Axis, y: &Axis, points: &[Named]) -> String {
    // The same layout as in `axes`.
    let (left, right) = ((SIDE + UPRIGHT) as i32, (WIDTH - SIDE) as i32);
    let (top, bottom) = (TOP as i32, (HEIGHT - LEVEL - BOTTOM) as i32);
    let places: Vec<PlotPoint> = points
        .iter()
        .map(|Named { point, .. }| (x.map(&point.x, (left, right)), y.map(&point.y, (bottom, top))))
        .collect();
    let inside = Area { from: (left + 2, top), to: (right, bottom - 4) };
    let names = points.iter().map(|named| fitted(&named.name, MOST)).collect();
    let mut labels = PointLabels::new(names, &places, inside);
    let mut legend = Legend::new([], (left, right), false);
    if labels.are_crowded() {
        let numbers = points.iter().map(|named| named.number.to_string()).collect();
        labels = PointLabels::new(numbers, &places, inside);
        let entry =
            |named: &Named| (LegendSample::Point(named.colour), format!("{}  {}", named.number, named.name));
        legend = Legend::new(points.iter().map(entry), (SIDE as i32, right), true);
    }
    above_legend(&legend, |above| {
        axes(above, x, y, None, |chart| {
            for Named { colour: series, point, .. } in points {
                chart.draw_series(whisker(point, colour(*series)))?;
                chart.draw_series([Circle::new((point.x, point.y), 5, mark(*series))])?;
            }
            Ok(())
        })?;
        labels.draw(above, &places)
    })
}

/// The texts next to points.
struct PointLabels {
    texts: Vec<String>,
    placed: Vec<Option<(Area, bool)>>,
}

impl PointLabels {
    fn new(texts: Vec<String>, places: &[PlotPoint], inside: Area) -> Self {
        let widths: Vec<i32> = texts.iter().map(|text| labels::width(text, TEXT - 1.0) + 4).collect();
        Self { placed: labels::place(places, &widths, inside), texts }
    }

    /// Returns true if a label found no room, or too many are far from their points.
    fn are_crowded(&self) -> bool {
        let far = self.placed.iter().flatten().filter(|(_, line)| *line).count();
        self.placed.contains(&None) || far > 3.max(self.placed.len() / 5)
    }

    fn draw(&self, root: &Drawing, places: &[PlotPoint]) -> Drawn {
        // Lines are drawn first, so that a line passes under a name.
        for (place, placed) in places.iter().zip(&self.placed) {
            if let Some((area, true)) = placed {
                root.draw(&PathElement::new([*place, area.nearest(*place)], MUTED.stroke_width(1)))?;
            }
        }
        for ((text, place), placed) in self.texts.iter().zip(places).zip(&self.placed) {
            let Some((area, _)) = placed else { continue };
            let middle = (area.from.1 + area.to.1) / 2;
            // The text is anchored at the side of its point, because the
            // estimate of its width may be off.
            let (x, side) = if area.from.0 >= place.0 {
                (area.from.0 + 2, HPos::Left)
            } else if area.to.0 <= place.0 {
                (area.to.0 - 2, HPos::Right)
            } else {
                ((area.from.0 + area.to.0) / 2, HPos::Center)
            };
            write(root, text, (x, middle), side, TEXT - 1.0, INK)?;
        }
        Ok(())
    }
}

type Chart<'a, 'b> = DualCoordChartContext<'a, SVGBackend<'b>, Plane, Plane>;
type Plane = Cartesian2d<Axis, Axis>;

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let fraction = (value - self.low) / (self.high - self.low);
        from + (fraction * f64::from(to - from)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.marks.iter().map(|(mark, _)| *mark).collect()
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        let mark = self.marks.iter().find(|(mark, _)| mark == value);
        mark.map_or_else(String::new, |(_, name)| name.clone())
    }
}

/// Draws axes and a grid, and then calls `draw` for the contents.
fn axes<'b>(
    root: &Drawing<'b>,
    x: &Axis,
    y: &Axis,
    right: Option<&Axis>,
    draw: impl FnOnce(&mut Chart<'_, 'b>) -> Drawn,
) -> Drawn {
    let mut chart = ChartBuilder::on(root)
        .margin_top(TOP)
        .margin_bottom(BOTTOM)
        .margin_left(SIDE)
        .margin_right(SIDE)
        .x_label_area_size(LEVEL)
        .y_label_area_size(UPRIGHT)
        .right_y_label_area_size(if right.is_some() { UPRIGHT } else { 0 })
        .build_cartesian_2d(x.clone(), y.clone())?
        .set_secondary_coord(x.clone(), right.unwrap_or(y).clone());
    let label = || (FAMILY, TEXT * SCALE).into_font().color(&MUTED);
    chart
        .configure_mesh()
        .disable_x_mesh()
        .max_light_lines(0)
        .bold_line_style(GRID)
        .axis_style(MUTED)
        .label_style(label())
        .axis_desc_style(label())
        .x_desc(visible(&x.title))
        .draw()?;
    let above =
        |title: &str, at: u32, side| write(root, title, (at as i32, TOP as i32 / 2), side, TEXT, MUTED);
    above(&fitted(&y.title, MOST), SIDE, HPos::Left)?;
    if let Some(right) = right {
        chart.configure_secondary_axes().axis_style(MUTED).label_style(label()).draw()?;
        above(&right.title, WIDTH - SIDE, HPos::Right)?;
    }
    draw(&mut chart)
}

fn svg(size: (u32, u32), draw: impl FnOnce(&Drawing<'_>) -> Drawn) -> String {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let drawn = root.fill(&PAPER).and_then(|()| draw(&root)).and_then(|()| root.present());
        drawn.expect("a string takes all that is written");
    }
    svg
}
