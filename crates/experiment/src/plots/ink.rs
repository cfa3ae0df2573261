//! Colours and text of drawings, for light and dark pages.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::labels::PlotPoint;

/// A drawing, or a part of one.
pub type Drawing<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The result of drawing.
pub type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// The size of text in pixels.
pub const TEXT: f64 = 13.0;

/// The length of dashes and of the gaps between them, in pixels.
pub const DASH: u32 = 6;

/// The colours of the background, text, secondary text, and grid lines.
pub const PAPER: RGBColor = RGBColor(0xff, 0xff, 0xff);
pub const INK: RGBColor = RGBColor(0x1f, 0x23, 0x28);
pub const MUTED: RGBColor = RGBColor(0x5b, 0x63, 0x6d);
pub const GRID: RGBColor = RGBColor(0xdd, 0xe0, 0xe4);

/// The colours of series, which most people can distinguish, and their counterparts on a dark page.
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

/// Returns the CSS that sets dark colours if the reader prefers them, and that outlines text so that lines do not
/// touch it.
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

/// The font family of the text.
pub const FAMILY: &str = "sans-serif";

/// The factor by which plotters divides font sizes.
pub const SCALE: f64 = 1.24;

/// Writes text that is vertically centred on `at`; `side` is the horizontal part of the text that is at `at`.
pub fn write(area: &Drawing, text: &str, at: PlotPoint, side: HPos, size: f64, ink: RGBColor) -> Drawn {
    let style = (FAMILY, size * SCALE).into_font().color(&ink).pos(Pos::new(side, VPos::Center));
    area.draw(&Text::new(visible(text), at, style))
}

/// Returns the colour of a series.
pub fn colour(number: usize) -> RGBColor {
    SERIES[number % SERIES.len()].0
}

/// Returns the style of a series' points: filled while colours are new, hollow when they repeat.
pub fn mark(number: usize) -> ShapeStyle {
    let full = (number / SERIES.len()).is_multiple_of(2);
    if full { colour(number).filled() } else { colour(number).stroke_width(2) }
}

/// Shortens a name to at most `most` characters.
pub fn fitted(name: &str, most: usize) -> String {
    let name = visible(name);
    if name.chars().count() <= most {
        return name;
    }
    name.chars().take(most.saturating_sub(1)).collect::<String>().trim_end().to_owned() + "…"
}

/// Replaces characters that XML does not allow, and line breaks, with spaces.
pub fn visible(text: &str) -> String {
    let kept = |c: char| if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') { ' ' } else { c };
    text.chars().map(kept).collect()
}
