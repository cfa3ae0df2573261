//! Placement of the names of points, so that no name covers another or a point.

/// A position in pixels; x grows to the right and y downwards.
pub type PlotPoint = (i32, i32);

/// A rectangle, given by two corners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Area {
    /// The upper left corner.
    pub from: PlotPoint,
    /// The lower right corner.
    pub to: PlotPoint,
}

impl Area {
    fn meets(self, other: Self) -> bool {
        self.from.0 < other.to.0
            && other.from.0 < self.to.0
            && self.from.1 < other.to.1
            && other.from.1 < self.to.1
    }

    fn holds(self, other: Self) -> bool {
        self.from.0 <= other.from.0
            && other.to.0 <= self.to.0
            && self.from.1 <= other.from.1
            && other.to.1 <= self.to.1
    }

    /// Returns the point of the rectangle that is nearest to a position.
    pub fn nearest(self, (x, y): PlotPoint) -> PlotPoint {
        (x.clamp(self.from.0, self.to.0), y.clamp(self.from.1, self.to.1))
    }
}

/// The height of a name, and the radius around a point that is kept free, in pixels.
pub const HEIGHT: i32 = 16;
const POINT: i32 = 6;

/// The distances of names from their points that are tried, in pixels; from
/// `LINE` on, a line leads to the point.
const DISTANCES: [i32; 8] = [8, 12, 20, 32, 46, 62, 80, 100];
const LINE: i32 = 20;

/// The directions that are tried in turn: right, left, above, below, and between them.
const SIDES: [(f64, f64); 12] = [
    (1.0, 0.0),
    (-1.0, 0.0),
    (0.0, -1.0),
    (0.0, 1.0),
    (0.7, -0.7),
    (0.7, 0.7),
    (-0.7, -0.7),
    (-0.7, 0.7),
    (0.92, -0.38),
    (0.92, 0.38),
    (-0.92, -0.38),
    (-0.92, 0.38),
];

/// Places the name of each point, and reports whether a line has to lead to it; `None` if there is
/// no room left. A line avoids other names and points if it can, and otherwise passes under them.
pub fn place(points: &[PlotPoint], widths: &[i32], inside: Area) -> Vec<Option<(Area, bool)>> {
    let mut taken: Vec<Area> = points.iter().map(|&point| around(point, POINT)).collect();
    let mut lines: Vec<Area> = Vec::new();
    let name = |(&point, &width): (&PlotPoint, &i32)| {
        let is_free = |area: Area, of: &[Area]| !of.iter().any(|taken| taken.meets(area));
        let own = around(point, POINT);
        let is_clear = |area: Area, line: bool| {
            !line || way(point, area).iter().all(|step| own.meets(*step) || is_free(*step, &taken))
        };
        let rooms =
            || candidates(point, width).filter(|(area, _)| inside.holds(*area) && is_free(*area, &taken));
        let clear = rooms().find(|(area, line)| is_free(*area, &lines) && is_clear(*area, *line));
        let (area, line) = clear.or_else(|| rooms().next())?;
        taken.push(area);
        if line {
            lines.extend(way(point, area));
        }
        Some((area, line))
    };
    points.iter().zip(widths).map(name).collect()
}

fn candidates((x, y): PlotPoint, width: i32) -> impl Iterator<Item = (Area, bool)> {
    DISTANCES.into_iter().flat_map(move |distance| {
        SIDES.into_iter().map(move |(right, down)| {
            // The side of the name that faces the point is centred on `at`.
            let at = (x + (right * f64::from(distance)) as i32, y + (down * f64::from(distance)) as i32);
            let left = at.0 - ((1.0 - right) / 2.0 * f64::from(width)) as i32;
            let top = at.1 - ((1.0 - down) / 2.0 * f64::from(HEIGHT)) as i32;
            (Area { from: (left, top), to: (left + width, top + HEIGHT) }, distance >= LINE)
        })
    })
}

fn around((x, y): PlotPoint, by: i32) -> Area {
    Area { from: (x - by, y - by), to: (x + by, y + by) }
}

/// Returns the line from a point to its name as small areas, without its ends.
fn way(point: PlotPoint, area: Area) -> Vec<Area> {
    let end = area.nearest(point);
    let along = |from: i32, to: i32, k: i32| from + (to - from) * k / 10;
    (2..9).map(|k| around((along(point.0, end.0, k), along(point.1, end.1, k)), 1)).collect()
}

/// Estimates the width of a name in a sans-serif font of `size` pixels; most fonts are no wider.
pub fn width(text: &str, size: f64) -> i32 {
    let ems: f64 = text
        .chars()
        .map(|c| match c {
            'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' | '(' | ')' => 0.34,
            'm' | 'w' | 'M' | 'W' | '%' | '@' | '…' => 0.95,
            'A'..='Z' => 0.72,
            '\u{1100}'.. => 1.0,
            _ => 0.6,
        })
        .sum();
    (ems * size).ceil() as i32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const INSIDE: Area = Area { from: (0, 0), to: (700, 400) };

    proptest! {
        #[test]
        fn no_name_covers_another_or_a_point(
            points in proptest::collection::vec((0i32..700, 0i32..400), 0..40),
            width in 10i32..200,
        ) {
            let placed: Vec<Area> =
                place(&points, &vec![width; points.len()], INSIDE).into_iter().flatten().map(|(area, _)| area).collect();
            for (i, area) in placed.iter().enumerate() {
                prop_assert!(INSIDE.holds(*area));
                prop_assert!(placed[..i].iter().all(|other| !other.meets(*area)));
                prop_assert!(points.iter().all(|&point| !around(point, POINT).meets(*area)));
            }
        }
    }

    #[test]
    fn a_lone_name_stands_to_the_right_and_one_at_the_edge_to_the_left() {
        let place = |point| place(&[point], &[50], INSIDE)[0].unwrap();
        assert_eq!(place((100, 100)), (Area { from: (108, 92), to: (158, 108) }, false));
        assert_eq!(place((690, 100)), (Area { from: (632, 92), to: (682, 108) }, false));
    }

    #[test]
    fn points_in_one_place_are_named_apart() {
        let placed = place(&[(300, 200); 9], &[80; 9], INSIDE);
        assert!(placed.iter().all(Option::is_some), "{placed:?}");
        assert!(placed.iter().flatten().any(|(_, line)| *line));
    }
}
