//! The weights of layers as a chart of bars, in SVG.

use majuscule::restorer::LayerWeights;

/// The size of the drawing, and where in it the bars stand.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 84.0;
const BOTTOM: f64 = 64.0;

/// The share of its place that a bar fills.
const BAR: f64 = 0.72;

/// The most numbers that stand under the bars without touching, and over them.
const MOST_NUMBERS: usize = 26;
const MOST_VALUES: usize = 14;

/// A bar for each layer, and a line at their centre of gravity, under the name of the model.
pub fn layers(model: &str, weights: &LayerWeights) -> String {
    let bottom = HEIGHT - BOTTOM;
    let most = weights.0.iter().copied().fold(0.0, f64::max);
    let (step, steps) = scale(most);
    let y = |value: f64| bottom - value / (step * steps as f64) * (bottom - TOP);
    let place = (WIDTH - LEFT - RIGHT) / weights.0.len().max(1) as f64;
    let middle = |layer: f64| LEFT + (layer + 0.5) * place;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n"
    );
    let mut text = |x: f64, y: f64, more: &str, what: &str| {
        svg += &format!("<text x=\"{x:.1}\" y=\"{y:.1}\" {more}>{}</text>\n", escaped(what));
    };
    text(LEFT, 30.0, "font-size=\"17\" font-weight=\"bold\"", model);
    text(LEFT, 50.0, "fill=\"#666\"", "weights of the layers");
    text(middle(weights.layers() as f64 / 2.0), HEIGHT - 16.0, CENTRED, "layer (0: embeddings)");
    let turned = format!("{CENTRED} transform=\"rotate(-90 20 {0:.1})\"", TOP.midpoint(bottom));
    text(20.0, TOP.midpoint(bottom), &turned, "weight");
    let digits = if step < 0.01 { 3 } else { 2 };
    for tick in 0..=steps {
        let value = tick as f64 * step;
        text(LEFT - 8.0, y(value) + 4.5, "text-anchor=\"end\"", &format!("{value:.digits$}"));
    }
    let every = weights.0.len().div_ceil(MOST_NUMBERS).max(1);
    for layer in (0..weights.0.len()).step_by(every) {
        text(middle(layer as f64), bottom + 20.0, CENTRED, &layer.to_string());
    }
    for tick in 0..=steps {
        let (y, colour) = (y(tick as f64 * step), if tick == 0 { "#222" } else { "#ddd" });
        svg += &line([LEFT, y, WIDTH - RIGHT, y], &format!("stroke=\"{colour}\""));
    }
    for (layer, &weight) in weights.0.iter().enumerate() {
        let (x, top, width) = (middle(layer as f64) - place * BAR / 2.0, y(weight), place * BAR);
        let height = bottom - top;
        svg += &format!(
            "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"#4c78a8\"/>\n"
        );
    }
    if let Some(relative) = weights.relative_centre() {
        let x = middle(weights.centre());
        svg += &line(
            [x, TOP - 12.0, x, bottom],
            "stroke=\"#b3402a\" stroke-width=\"2\" stroke-dasharray=\"6 4\"",
        );
        // To the side where there is room.
        let (side, anchor) = if relative > 0.5 { (-6.0, "end") } else { (6.0, "start") };
        let centre =
            format!("centre of gravity {:.2} of {}: {relative:.2}", weights.centre(), weights.layers());
        svg += &format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" fill=\"#b3402a\">{centre}</text>\n",
            x + side,
            TOP - 8.0
        );
    }
    if weights.0.len() <= MOST_VALUES {
        for (layer, &weight) in weights.0.iter().enumerate() {
            let (x, y) = (middle(layer as f64), y(weight) - 6.0);
            svg += &format!(
                "<text x=\"{x:.1}\" y=\"{y:.1}\" {CENTRED} {READABLE} fill=\"#666\">{weight:.3}</text>\n"
            );
        }
    }
    svg + "</svg>\n"
}

/// Small, on a white edge that keeps lines away from it.
const READABLE: &str = "font-size=\"11\" paint-order=\"stroke\" stroke=\"#fff\" stroke-width=\"4\"";

const CENTRED: &str = "text-anchor=\"middle\"";

fn line([x, y, to_x, to_y]: [f64; 4], more: &str) -> String {
    format!("<line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{to_x:.1}\" y2=\"{to_y:.1}\" {more}/>\n")
}

/// How far the marks of an axis stand apart and how many there are, so that a value has room below the last: 1, 2 or 5 of some
/// power of 10, and no more than five.
fn scale(most: f64) -> (f64, usize) {
    let fits = |step: &f64| most * 1.08 <= 5.0 * step;
    let steps = (-4..1).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(power)));
    let step = { steps }.find(fits).unwrap_or(0.5);
    (step, (most * 1.08 / step).ceil().max(1.0) as usize)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_stand_where_a_reader_expects_them() {
        for (most, expected) in
            [(0.09, (0.02, 5)), (0.34, (0.1, 4)), (0.5, (0.2, 3)), (1.0, (0.5, 3)), (0.0, (0.0001, 1))]
        {
            let (step, steps) = scale(most);
            assert!((step - expected.0).abs() < 1e-12 && steps == expected.1, "{most}: {step} {steps}");
        }
    }

    #[test]
    fn a_bar_is_as_high_as_its_weight() {
        let svg = layers("a <model> & more", &LayerWeights(vec![0.5, 0.25, 0.25]));
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(svg.contains(">a &lt;model&gt; &amp; more</text>"));
        assert!(svg.contains(">centre of gravity 0.75 of 2: 0.38</text>"));
        let height = |bar: &str| {
            let (_, rest) = bar.split_once("height=\"").unwrap();
            rest.split_once('"').unwrap().0.parse::<f64>().unwrap()
        };
        let bars: Vec<f64> = svg.lines().filter(|line| line.contains("#4c78a8")).map(height).collect();
        // 0.5 and twice 0.25 of an axis up to 0.6 that is 232 high.
        assert_eq!(bars, [193.3, 96.7, 96.7]);
    }
}
