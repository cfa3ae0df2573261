//! Pictures of small machines: Graphviz' DOT, or SVG.

use std::fmt::Write;

use super::symbols::shown;
use super::{ArcLabel, EPSILON, EPSILON_SYMBOL, Machine, MachineArc, Symbols, cost};
use majuscule_base::error::{Error, Result};

/// The maximum number of states and of arcs; a larger picture is unreadable.
const MOST: usize = 200;

/// Writes a machine as a DOT file for Graphviz.
///
/// # Errors
/// Returns an error if the machine is too large for a picture.
pub fn dot(machine: &Machine, inputs: &Symbols, outputs: &Symbols) -> Result<String> {
    check(machine)?;
    let mut out = "digraph {\n  rankdir = LR;\n  node [shape = circle];\n".to_owned();
    for state in 0..machine.states() as u32 {
        let shape = if machine.end(state) < f32::INFINITY { ", shape = doublecircle" } else { "" };
        let style = if machine.start() == Some(state) { ", style = bold" } else { "" };
        let _ = writeln!(out, "  {state} [label = {:?}{shape}{style}];", name(machine, state).join("/"));
    }
    for state in 0..machine.states() as u32 {
        for arc in machine.out(state) {
            let text = said(arc, inputs, outputs);
            let dashed = if is_back_off(machine, arc) { ", style = dashed" } else { "" };
            let _ = writeln!(out, "  {state} -> {} [label = {text:?}{dashed}];", arc.nextstate);
        }
    }
    out.push_str("}\n");
    Ok(out)
}

fn check(machine: &Machine) -> Result<()> {
    let (states, arcs) = (machine.states(), machine.arcs());
    if arcs.max(states) <= MOST {
        return Ok(());
    }
    Err(Error::usage(format!(
        "the machine has {states} states and {arcs} arcs, but a picture holds {MOST} at most: draw a smaller one"
    )))
}

/// Returns the number of a state and, if the state is final, its final cost.
fn name(machine: &Machine, state: u32) -> Vec<String> {
    let mut name = vec![state.to_string()];
    let end = machine.end(state);
    if end < f32::INFINITY {
        name.push(format!("{end:.2}"));
    }
    name
}

fn is_back_off(machine: &Machine, arc: &MachineArc) -> bool {
    arc.ilabel == EPSILON || Some(arc.ilabel) == machine.failure()
}

/// Returns the label of an arc: its input, its output if it differs from the input, and its cost.
fn said(arc: &MachineArc, inputs: &Symbols, outputs: &Symbols) -> String {
    let word = |label: ArcLabel, symbols: &Symbols| match symbols.word(label) {
        Some(word) => word.to_owned(),
        None if label == EPSILON => EPSILON_SYMBOL.to_owned(),
        None => shown(label).to_string(),
    };
    let (read, written) = (word(arc.ilabel, inputs), word(arc.olabel, outputs));
    let cost = cost(&arc.weight);
    if read == written { format!("{read}/{cost:.2}") } else { format!("{read}:{written}/{cost:.2}") }
}

/// The distance between two columns of states, and the minimum distance
/// between two states of a column.
const COLUMN: f64 = 230.0;
const ROW: f64 = 120.0;
const RADIUS: f64 = 24.0;
/// The height of a line of text.
const LINE: f64 = 13.0;

/// Draws a machine as SVG: states in columns by their distance from the
/// start in arcs, back-off arcs dashed.
///
/// # Errors
/// Returns an error if the machine is too large for a picture.
pub fn svg(machine: &Machine, inputs: &Symbols, outputs: &Symbols) -> Result<String> {
    check(machine)?;
    let positions = positions(machine);
    let bundles = bundles(machine, inputs, outputs);
    let (mut lines, mut labels) = (String::new(), String::new());
    for bundle in &bundles {
        draw(bundle, &positions, &mut lines, &mut labels);
    }
    let mut states = String::new();
    for (state, &(x, y)) in (0u32..).zip(&positions) {
        let bold = if machine.start() == Some(state) { " stroke-width=\"3\"" } else { "" };
        let _ = writeln!(
            states,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{RADIUS}\" fill=\"#fff\" stroke=\"#222\"{bold}/>"
        );
        if machine.end(state) < f32::INFINITY {
            let inner = RADIUS - 4.0;
            let _ = writeln!(
                states,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{inner}\" fill=\"none\" stroke=\"#222\"/>"
            );
        }
        text(&mut states, (x, y), &name(machine, state), "#222");
    }
    let side = |of: fn(&(f64, f64)) -> f64| positions.iter().map(of).fold(0.0, f64::max);
    let (width, height) = (side(|position| position.0) + COLUMN / 2.0, side(|position| position.1) + ROW);
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
         orient=\"auto\"><path d=\"M0 0 8 4 0 8z\" fill=\"#555\"/></marker></defs>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{lines}{states}{labels}</svg>\n"
    ))
}

/// Returns the position of each state.
fn positions(machine: &Machine) -> Vec<(f64, f64)> {
    // The distance of each state from the start in arcs; unreachable states come last.
    let mut depths: Vec<Option<usize>> = vec![None; machine.states()];
    let mut wave: Vec<u32> = machine.start().into_iter().collect();
    let mut depth = 0;
    while !wave.is_empty() {
        wave.retain(|&state| {
            depths[state as usize].replace(depth).is_none_or(|before| {
                depths[state as usize] = Some(before);
                false
            })
        });
        wave = wave.iter().flat_map(|&state| machine.out(state)).map(|arc| arc.nextstate).collect();
        depth += 1;
    }
    let last = depths.iter().flatten().max().map_or(0, |most| most + 1);
    let columns: Vec<usize> = depths.into_iter().map(|depth| depth.unwrap_or(last)).collect();
    let count = |column| columns.iter().filter(|&&other| other == column).count();
    let tallest = (0..=last).map(count).max().unwrap_or(1);
    let mut filled = vec![0; last + 1];
    columns
        .iter()
        .map(|&column| {
            let row = filled[column] as f64 + (tallest - count(column)) as f64 / 2.0;
            filled[column] += 1;
            // Every other column is shifted down a little, so that arcs across several columns pass
            // between states.
            let shift = if column % 2 == 1 { ROW / 3.0 } else { 0.0 };
            (COLUMN / 2.0 + column as f64 * COLUMN, ROW + row * ROW + shift)
        })
        .collect()
}

/// All arcs from one state to another that are drawn alike.
struct Bundle {
    from: u32,
    to: u32,
    dashed: bool,
    said: Vec<String>,
}

fn bundles(machine: &Machine, inputs: &Symbols, outputs: &Symbols) -> Vec<Bundle> {
    let mut bundles: Vec<Bundle> = Vec::new();
    for from in 0..machine.states() as u32 {
        for arc in machine.out(from) {
            let (to, dashed, said) = (arc.nextstate, is_back_off(machine, arc), said(arc, inputs, outputs));
            match bundles.iter_mut().find(|other| (other.from, other.to, other.dashed) == (from, to, dashed))
            {
                Some(bundle) => bundle.said.push(said),
                None => bundles.push(Bundle { from, to, dashed, said: vec![said] }),
            }
        }
    }
    bundles
}

fn draw(bundle: &Bundle, positions: &[(f64, f64)], lines: &mut String, labels: &mut String) {
    let (x1, y1) = positions[bundle.from as usize];
    let (x2, y2) = positions[bundle.to as usize];
    let style = if bundle.dashed { " stroke-dasharray=\"5 4\"" } else { "" };
    let path = |lines: &mut String, d: String| {
        let _ = writeln!(
            lines,
            "<path d=\"{d}\" fill=\"none\" stroke=\"#555\" marker-end=\"url(#tip)\"{style}/>"
        );
    };
    let colour = if bundle.dashed { "#a33" } else { "#135" };
    if bundle.from == bundle.to {
        let (left, right, top) = (x1 - 14.0, x1 + 14.0, y1 - RADIUS + 4.0);
        path(
            lines,
            format!(
                "M{left:.1} {top:.1} C{:.1} {:.1} {:.1} {:.1} {right:.1} {top:.1}",
                x1 - 34.0,
                y1 - 70.0,
                x1 + 34.0,
                y1 - 70.0
            ),
        );
        let above = LINE * bundle.said.len() as f64 / 2.0;
        text(labels, (x1, y1 - 66.0 - above), &bundle.said, colour);
        return;
    }
    let (dx, dy) = (x2 - x1, y2 - y1);
    let length = dx.hypot(dy);
    // Arcs bend to the right of their direction, so that two opposite arcs do not coincide; longer
    // arcs bend more.
    let bow = if bundle.dashed { 40.0 } else { 24.0 } + length / 12.0;
    let (cx, cy) = (f64::midpoint(x1, x2) - dy / length * bow, f64::midpoint(y1, y2) + dx / length * bow);
    let towards = |x: f64, y: f64| {
        let length = (cx - x).hypot(cy - y);
        (x + (cx - x) / length * RADIUS, y + (cy - y) / length * RADIUS)
    };
    let ((x1, y1), (x2, y2)) = (towards(x1, y1), towards(x2, y2));
    path(lines, format!("M{x1:.1} {y1:.1} Q{cx:.1} {cy:.1} {x2:.1} {y2:.1}"));
    // The label is nearer to the arc's origin, so that labels of arcs that
    // meet in a state do not overlap.
    let along: f64 = if bundle.dashed { 0.25 } else { 0.45 };
    let rest = 1.0 - along;
    let at = |a: f64, c: f64, b: f64| rest * rest * a + 2.0 * along * rest * c + along * along * b;
    text(labels, (at(x1, cx, x2), at(y1, cy, y2)), &bundle.said, colour);
}

/// Draws lines of text centred on a position.
fn text(out: &mut String, (x, y): (f64, f64), lines: &[String], colour: &str) {
    let first = y - LINE * (lines.len() - 1) as f64 / 2.0;
    for (at, line) in lines.iter().enumerate() {
        let line = line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let y = first + at as f64 * LINE;
        // The text is first drawn as a white outline, so that lines do not run through the letters.
        for paint in ["fill=\"#fff\" stroke=\"#fff\" stroke-width=\"3\"", &format!("fill=\"{colour}\"")] {
            let _ = writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" {paint}>{line}</text>",
                y + 4.0
            );
        }
    }
}
