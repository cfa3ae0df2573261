//! Axes, lines and points drawn as SVG.

use std::ops::Range;

use plotters::chart::DualCoordChartContext;
use plotters::coord::Shift;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, ValueFormatter};
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::labels::{self, Area, Place};
use super::scale::Axis;

const WIDTH: u32 = 720;
const HEIGHT: u32 = 430;

/// Between the edge and the axes; the titles of the upright axes stand above them.
const TOP: u32 = 34;
const SIDE: u32 = 18;
const UPRIGHT: u32 = 46;
const LEVEL: u32 = 52;

const TEXT: f64 = 13.0;
const LEGEND_ROW: u32 = 22;
const DASH: u32 = 6;

const PAPER: RGBColor = RGBColor(0xff, 0xff, 0xff);
const INK: RGBColor = RGBColor(0x1f, 0x23, 0x28);
const MUTED: RGBColor = RGBColor(0x5b, 0x63, 0x6d);
const GRID: RGBColor = RGBColor(0xdd, 0xe0, 0xe4);

/// Colours of series, told apart by most eyes, and what a dark page writes for them.
const SERIES: [(RGBColor, &str); 8] = [
    (RGBColor(0x0b, 0x5f, 0xa5), "#6cb2f0"),
    (RGBColor(0xc2, 0x57, 0x0c), "#f2a65a"),
    (RGBColor(0x2b, 0x7a, 0x3d), "#7ccb8b"),
    (RGBColor(0x7a, 0x4b, 0xa8), "#c4a3ea"),
    (RGBColor(0xb3, 0x26, 0x1e), "#f28b82"),
    (RGBColor(0x0f, 0x7c, 0x83), "#5cc9d0"),
    (RGBColor(0x7a, 0x5a, 0x2e), "#d0b080"),
    (RGBColor(0xb0, 0x30, 0x6f), "#f08cbb"),
];

/// What gives plots dark colours where a reader wants them, and names an edge that keeps lines away.
pub fn style() -> String {
    let ours = [(PAPER, "#15171a"), (INK, "#e4e6e9"), (MUTED, "#9ba3ad"), (GRID, "#343941")];
    let mut dark = String::new();
    for (light, dark_colour) in ours.into_iter().chain(SERIES) {
        let RGBColor(red, green, blue) = light;
        let light = format!("#{red:02X}{green:02X}{blue:02X}");
        dark.push_str(&format!(".plot [fill=\"{light}\"]{{fill:{dark_colour}}}"));
        dark.push_str(&format!(".plot [stroke=\"{light}\"]{{stroke:{dark_colour}}}"));
    }
    format!(
        ".plot text{{font-family:system-ui,\"Segoe UI\",\"Liberation Sans\",sans-serif;paint-order:stroke;stroke:#fff;stroke-width:3px;\
         stroke-linejoin:round}}@media screen and (prefers-color-scheme:dark){{.plot text{{stroke:#15171a}}{dark}}}"
    )
}

/// Points joined by a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// What the legend says; a line without is in no legend.
    pub name: Option<String>,
    /// The number of its colour.
    pub colour: usize,
    /// Whether it is dashed and measured on the right axis.
    pub right: bool,
    /// Its points, from left to right.
    pub points: Vec<Point>,
}

/// A point, and where its interval lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Along the level axis.
    pub x: f64,
    /// Along an upright axis.
    pub y: f64,
    /// From where to where it may lie, along the same.
    pub interval: Option<(f64, f64)>,
}

/// A point with its name beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// The number of its colour.
    pub colour: usize,
    /// Where it stands.
    pub point: Point,
}

type Area2<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// A chart of lines over its legend.
pub fn lines(x: &Axis, y: &Axis, right: Option<&Axis>, lines: &[Line]) -> String {
    let legend = Legend::of(lines, right);
    let height = HEIGHT + legend.rows() * LEGEND_ROW;
    svg((WIDTH, height), |root| {
        let (above, below) = root.split_vertically(HEIGHT);
        axes(&above, x, y, right, |chart| {
            for line in lines.iter().filter(|line| !line.right) {
                let colour = colour(line.colour);
                chart.draw_series(line.points.iter().filter_map(|point| {
                    let (low, high) = point.interval?;
                    Some(PathElement::new([(point.x, low), (point.x, high)], colour.mix(0.6).stroke_width(1)))
                }))?;
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
        })?;
        legend.draw(&below)
    })
}

/// A chart of points with their names, and how many names found no room.
pub fn points(x: &Axis, y: &Axis, points: &[Named]) -> (String, usize) {
    let mut unnamed = 0;
    let svg = svg((WIDTH, HEIGHT), |root| {
        let mut places: Vec<Place> = Vec::new();
        axes(root, x, y, None, |chart| {
            for Named { colour: series, point, .. } in points {
                places.push(chart.backend_coord(&(point.x, point.y)));
                let whisker = point.interval.map(|(low, high)| {
                    PathElement::new(
                        [(point.x, low), (point.x, high)],
                        colour(*series).mix(0.6).stroke_width(1),
                    )
                });
                chart.draw_series(whisker)?;
                chart.draw_series([Circle::new((point.x, point.y), 5, mark(*series))])?;
            }
            Ok(())
        })?;
        unnamed = names(root, points, &places)?;
        Ok(())
    });
    (svg, unnamed)
}

fn names(
    root: &Area2,
    points: &[Named],
    places: &[Place],
) -> Result<usize, DrawingAreaErrorKind<std::io::Error>> {
    let shown: Vec<String> = points.iter().map(|point| shortened(&point.name)).collect();
    let widths: Vec<i32> = shown.iter().map(|name| labels::width(name, TEXT - 1.0) + 4).collect();
    let inside = Area {
        from: ((SIDE + UPRIGHT) as i32 + 2, TOP as i32),
        to: ((WIDTH - SIDE) as i32, (HEIGHT - LEVEL) as i32 - 4),
    };
    let placed = labels::place(places, &widths, inside);
    // All lines first: where one has to pass a name, it passes under it.
    for (place, (area, _)) in
        places.iter().zip(&placed).filter_map(|(place, at)| Some((place, at.filter(|at| at.1)?)))
    {
        root.draw(&PathElement::new([*place, area.nearest(*place)], MUTED.stroke_width(1)))?;
    }
    for ((name, place), at) in shown.iter().zip(places).zip(&placed) {
        let Some((area, _)) = at else { continue };
        let middle = (area.from.1 + area.to.1) / 2;
        // On the side of its point, where an estimate of its width is off.
        let (x, side) = if area.from.0 >= place.0 {
            (area.from.0 + 2, HPos::Left)
        } else if area.to.0 <= place.0 {
            (area.to.0 - 2, HPos::Right)
        } else {
            ((area.from.0 + area.to.0) / 2, HPos::Center)
        };
        write(root, name, (x, middle), side, TEXT - 1.0, INK)?;
    }
    Ok(placed.iter().filter(|place| place.is_none()).count())
}

type Chart<'a, 'b> = DualCoordChartContext<'a, SVGBackend<'b>, Plane, Plane>;
type Plane = Cartesian2d<Axis, Axis>;

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let share = (value - self.low) / (self.high - self.low);
        from + (share * f64::from(to - from)).round() as i32
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

/// Axes and a grid, and on it what `draw` draws.
fn axes<'b>(
    root: &Area2<'b>,
    x: &Axis,
    y: &Axis,
    right: Option<&Axis>,
    draw: impl FnOnce(&mut Chart<'_, 'b>) -> Drawn,
) -> Drawn {
    let mut chart = ChartBuilder::on(root)
        .margin_top(TOP)
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
    above(&y.title, SIDE, HPos::Left)?;
    if let Some(right) = right {
        chart.configure_secondary_axes().axis_style(MUTED).label_style(label()).draw()?;
        above(&right.title, WIDTH - SIDE, HPos::Right)?;
    }
    draw(&mut chart)
}

/// Rows of names, each behind a piece of its line.
struct Legend {
    entries: Vec<(String, Option<usize>)>,
    places: Vec<(i32, u32)>,
}

const SAMPLE: i32 = 26;
const GAP: i32 = 22;

impl Legend {
    fn of(lines: &[Line], right: Option<&Axis>) -> Self {
        let named = lines.iter().filter_map(|line| Some((shortened(line.name.as_ref()?), Some(line.colour))));
        let mut entries: Vec<_> = named.collect();
        entries.extend(right.map(|axis| (axis.title.clone(), None)));
        let (mut x, mut row) = (SIDE as i32, 0);
        let mut places = Vec::new();
        for (name, _) in &entries {
            let wide = SAMPLE + 8 + labels::width(name, TEXT);
            if x + wide > (WIDTH - SIDE) as i32 && x > SIDE as i32 {
                (x, row) = (SIDE as i32, row + 1);
            }
            places.push((x, row));
            x += wide + GAP;
        }
        Self { entries, places }
    }

    fn rows(&self) -> u32 {
        self.places.last().map_or(0, |(_, row)| row + 1)
    }

    fn draw(&self, area: &Area2) -> Drawn {
        for ((name, colour), (x, row)) in self.entries.iter().zip(&self.places) {
            let y = (row * LEGEND_ROW + LEGEND_ROW / 2) as i32 - 4;
            let line = [(*x, y), (x + SAMPLE, y)];
            match colour {
                Some(number) => {
                    area.draw(&PathElement::new(line, self::colour(*number).stroke_width(2)))?;
                    area.draw(&Circle::new((x + SAMPLE / 2, y), 4, mark(*number)))?;
                }
                None => area.draw(&DashedPathElement::new(line, DASH, DASH, MUTED.stroke_width(2)))?,
            }
            write(area, name, (x + SAMPLE + 8, y), HPos::Left, TEXT, INK)?;
        }
        Ok(())
    }
}

const FAMILY: &str = "sans-serif";

/// plotters writes a font size divided by this.
const SCALE: f64 = 1.24;

fn write(area: &Area2, text: &str, at: Place, side: HPos, size: f64, ink: RGBColor) -> Drawn {
    let style = (FAMILY, size * SCALE).into_font().color(&ink).pos(Pos::new(side, VPos::Center));
    area.draw(&Text::new(visible(text), at, style))
}

fn colour(number: usize) -> RGBColor {
    SERIES[number % SERIES.len()].0
}

/// Full discs for the first colours; hollow ones where they come round again.
fn mark(number: usize) -> ShapeStyle {
    let full = (number / SERIES.len()).is_multiple_of(2);
    if full { colour(number).filled() } else { colour(number).stroke_width(2) }
}

/// A name that leaves room for others.
fn shortened(name: &str) -> String {
    const MOST: usize = 32;
    let name = visible(name);
    if name.chars().count() <= MOST {
        return name;
    }
    name.chars().take(MOST - 1).collect::<String>().trim_end().to_owned() + "…"
}

/// Without what XML does not allow, in one line.
fn visible(text: &str) -> String {
    let kept = |c: char| if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') { ' ' } else { c };
    text.chars().map(kept).collect()
}

fn svg<'a>(size: (u32, u32), draw: impl FnOnce(&Area2<'_>) -> Drawn) -> String {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let drawn = root.fill(&PAPER).and_then(|()| draw(&root)).and_then(|()| root.present());
        drawn.expect("a string takes all that is written");
    }
    svg
}
