//! The legend below a drawing.

use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::ink::{DASH, Drawing, Drawn, INK, MUTED, TEXT, colour, fitted, mark, write};
use super::labels;

/// The sample before a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LegendSample {
    /// A line of that colour with a point on it.
    Line(usize),
    /// A dashed line.
    Dashes,
    /// A point of that colour.
    Point(usize),
}

impl LegendSample {
    fn width(self) -> i32 {
        if matches!(self, Self::Point(_)) { 10 } else { 26 }
    }
}

/// The entries of a legend and their positions.
#[derive(Debug, Clone, PartialEq)]
pub struct Legend {
    entries: Vec<(LegendSample, String)>,
    places: Vec<(i32, i32)>,
    height: u32,
}

/// The maximum length of a name in characters: two columns of such names fit.
const MOST: usize = 34;

const ROW: i32 = 22;
const BEFORE: i32 = 8;
const GAP: i32 = 22;

impl Legend {
    /// Lays entries out between two positions, in columns or one after another, as many in a row as fit.
    pub fn new(
        entries: impl IntoIterator<Item = (LegendSample, String)>,
        (from, to): (i32, i32),
        in_columns: bool,
    ) -> Self {
        let entries: Vec<_> =
            entries.into_iter().map(|(sample, name)| (sample, fitted(&name, MOST))).collect();
        let width =
            |(sample, name): &(LegendSample, String)| sample.width() + BEFORE + labels::width(name, TEXT);
        let widest = entries.iter().map(width).max().filter(|_| in_columns);
        let widths: Vec<i32> = entries.iter().map(|entry| widest.unwrap_or_else(|| width(entry))).collect();
        let (mut x, mut y) = (from, ROW / 2);
        let mut places = Vec::new();
        for width in widths {
            if x + width > to && x > from {
                (x, y) = (from, y + ROW);
            }
            places.push((x, y));
            x += width + GAP;
        }
        let height = places.last().map_or(0, |(_, y)| y + ROW / 2);
        Self { entries, places, height: height.unsigned_abs() }
    }

    /// Returns the height of the legend in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Draws the legend at the top of an area.
    pub fn draw(&self, area: &Drawing) -> Drawn {
        for ((sample, name), (x, y)) in self.entries.iter().zip(&self.places) {
            let middle = (x + sample.width() / 2, *y);
            let line = [(*x, *y), (x + sample.width(), *y)];
            match *sample {
                LegendSample::Line(number) => {
                    area.draw(&PathElement::new(line, colour(number).stroke_width(2)))?;
                    area.draw(&Circle::new(middle, 4, mark(number)))?;
                }
                LegendSample::Dashes => {
                    area.draw(&DashedPathElement::new(line, DASH, DASH, MUTED.stroke_width(2)))?
                }
                LegendSample::Point(number) => area.draw(&Circle::new(middle, 5, mark(number)))?,
            }
            write(area, name, (x + sample.width() + BEFORE, *y), HPos::Left, TEXT, INK)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_inside_and_columns_stand_in_line() {
        let names = ["a", "a longer name", "b", "another one", "c", "d"];
        let entries = || names.map(|name| (LegendSample::Point(0), name.to_owned()));
        let columns = Legend::new(entries(), (10, 300), true);
        let lefts: Vec<i32> = columns.places.iter().map(|(x, _)| *x).collect();
        assert_eq!((lefts[0], lefts[2], lefts[4]), (10, 10, 10));
        assert_eq!((lefts[1], lefts[3]), (lefts[3], lefts[5]));
        assert_eq!(columns.height(), 66);
        assert!(Legend::new(entries(), (10, 300), false).height() < 66);
        assert_eq!(Legend::new([], (10, 300), false).height(), 0);
    }
}
