//! OpenFst's binary files, `vector` and `const`, with arcs of the type `standard`.
//!
//! A file is checked byte by byte before rustfst sees a machine: a truncated, foreign or altered
//! file is an error. Layout: a header (magic number, kind, arc type, version, flags, properties,
//! start, numbers of states and arcs), symbol tables if the flags are set, then the states. In
//! `const` the states come first, 20 bytes each, and then all arcs; in `vector` each state is
//! followed by its arcs. All numbers are little-endian.

use std::io::{self, Write};

use rustfst::Semiring;
use rustfst::fst_properties::FstProperties;

use super::symbols::shown;
use super::{ArcLabel, EPSILON, Machine, MachineArc, Symbols, cost};
use majuscule_base::error::{Error, Result};

const MAGIC: i32 = 2_125_659_606;
const SYMBOLS_MAGIC: i32 = 2_125_658_996;
const ARCS: &str = "standard";

/// The property that a machine is stored in full, which every file has.
const EXPANDED: u64 = 1;

const HAS_INPUT_SYMBOLS: i32 = 1;
const HAS_OUTPUT_SYMBOLS: i32 = 2;
const IS_ALIGNED: i32 = 4;

/// The version of `const` files that were always aligned.
const ALIGNED_VERSION: i32 = 1;
const ALIGNMENT: usize = 16;

/// The properties of a machine file apart from the machine itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The kind of file: `vector` or `const`.
    pub kind: String,
    /// The input symbols, if the file has them.
    pub inputs: Option<Symbols>,
    /// The output symbols, if the file has them.
    pub outputs: Option<Symbols>,
    /// True if the arcs of each state are sorted by input label in the file.
    pub input_sorted: bool,
    /// True if the arcs of each state are sorted by output label in the file.
    pub output_sorted: bool,
}

/// Returns true if a file that begins with these bytes is meant to be an OpenFst machine.
fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC.to_le_bytes())
}

/// Writes a machine as a `const` file, with its input and output symbols.
///
/// # Errors
/// Returns an error if `out` cannot be written.
pub fn write(
    machine: &Machine,
    symbols: Option<(&Symbols, &Symbols)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(100 + 20 * machine.finals.len() + 16 * machine.arcs.len());
    bytes.extend(MAGIC.to_le_bytes());
    put_text("const", &mut bytes);
    put_text(ARCS, &mut bytes);
    bytes.extend(2i32.to_le_bytes());
    let flags = if symbols.is_some() { HAS_INPUT_SYMBOLS | HAS_OUTPUT_SYMBOLS } else { 0 };
    bytes.extend(flags.to_le_bytes());
    bytes.extend((properties(machine).bits() | EXPANDED).to_le_bytes());
    bytes.extend(machine.start.map_or(-1, i64::from).to_le_bytes());
    bytes.extend((machine.finals.len() as i64).to_le_bytes());
    bytes.extend((machine.arcs.len() as i64).to_le_bytes());
    if let Some((inputs, outputs)) = symbols {
        put_symbols(inputs, &mut bytes);
        put_symbols(outputs, &mut bytes);
    }
    for (state, last) in machine.finals.iter().enumerate() {
        let (begin, end) = (machine.begins[state], machine.begins[state + 1]);
        let arcs = &machine.arcs[begin..end];
        let inputs = arcs.iter().take_while(|arc| arc.ilabel == EPSILON).count();
        let outputs = arcs.iter().filter(|arc| arc.olabel == EPSILON).count();
        bytes.extend(last.to_le_bytes());
        for number in [begin, end - begin, inputs, outputs] {
            bytes.extend((number as u32).to_le_bytes());
        }
    }
    for arc in &machine.arcs {
        bytes.extend(arc.ilabel.to_le_bytes());
        bytes.extend(arc.olabel.to_le_bytes());
        bytes.extend(cost(&arc.weight).to_le_bytes());
        bytes.extend(arc.nextstate.to_le_bytes());
    }
    out.write_all(&bytes)
}

fn put_text(text: &str, bytes: &mut Vec<u8>) {
    bytes.extend((text.len() as i32).to_le_bytes());
    bytes.extend(text.bytes());
}

fn put_symbols(symbols: &Symbols, bytes: &mut Vec<u8>) {
    bytes.extend(SYMBOLS_MAGIC.to_le_bytes());
    put_text("majuscule", bytes);
    // The label that the next symbol would get, and the number of symbols.
    bytes.extend(i64::from(symbols.next()).to_le_bytes());
    bytes.extend((symbols.len() as i64).to_le_bytes());
    for (label, word) in symbols.iter() {
        put_text(word, bytes);
        bytes.extend(i64::from(shown(label)).to_le_bytes());
    }
}

/// Returns the properties of a machine's arcs; without them, a composition would examine all arcs
/// again.
pub(super) fn properties(machine: &Machine) -> FstProperties {
    use FstProperties as P;
    let mut acceptor = true;
    let (mut input_epsilons, mut output_epsilons) = (false, false);
    let (mut sorted, mut input_unique) = (true, true);
    let mut weighted = machine.finals.iter().any(|&last| last != 0.0 && last != f32::INFINITY);
    for arc in &machine.arcs {
        acceptor &= arc.ilabel == arc.olabel;
        input_epsilons |= arc.ilabel == EPSILON;
        output_epsilons |= arc.olabel == EPSILON;
        weighted |= *cost(&arc.weight) != 0.0;
    }
    let mut epsilons = false;
    for state in machine.begins.windows(2) {
        let arcs = &machine.arcs[state[0]..state[1]];
        sorted &= arcs.is_sorted_by_key(|arc| arc.olabel);
        input_unique &= arcs.is_sorted_by(|a, b| a.ilabel < b.ilabel);
        epsilons |= arcs.iter().any(|arc| arc.ilabel == EPSILON && arc.olabel == EPSILON);
    }
    let choose = |is: bool, yes: P, no: P| if is { yes } else { no };
    P::I_LABEL_SORTED
        | choose(sorted, P::O_LABEL_SORTED, P::NOT_O_LABEL_SORTED)
        | choose(acceptor, P::ACCEPTOR, P::NOT_ACCEPTOR)
        | choose(epsilons, P::EPSILONS, P::NO_EPSILONS)
        | choose(input_epsilons, P::I_EPSILONS, P::NO_I_EPSILONS)
        | choose(output_epsilons, P::O_EPSILONS, P::NO_O_EPSILONS)
        | choose(input_unique, P::I_DETERMINISTIC, P::NOT_I_DETERMINISTIC)
        | choose(weighted, P::WEIGHTED, P::UNWEIGHTED)
}

/// Reads a machine, `vector` or `const`, and sorts its arcs; `name` is the file's name.
///
/// # Errors
/// Returns an error if the file is not such a machine, is cut off, or has
/// arcs to states that do not exist.
pub fn read(name: &str, bytes: &[u8]) -> Result<(Machine, Facts)> {
    let (machine, facts) = machine(bytes).map_err(|problem| Error::file(name, problem))?;
    Ok((machine.fitting()?, facts))
}

const AGAIN: &str = "copy it again, or build it again";

fn machine(bytes: &[u8]) -> Result<(Machine, Facts), String> {
    let mut rest = UnreadBytes { bytes, at: 0 };
    if !begins(bytes) {
        return Err(
            "is not an OpenFst machine: expected a binary file, as fst build and fstcompile write it".into(),
        );
    }
    rest.int()?;
    let kind = rest.text()?.to_owned();
    let arcs = rest.text()?;
    if kind != "vector" && kind != "const" {
        return Err(format!(
            "is a machine of type \"{}\", but this reads vector and const: convert it with fstconvert --fst_type=const",
            kind.escape_debug()
        ));
    }
    if arcs != ARCS {
        return Err(format!(
            "has arcs of type \"{}\", but this reads standard ones: convert it with fstmap --map_type=to_standard",
            arcs.escape_debug()
        ));
    }
    let version = rest.int()?;
    if !(1..=2).contains(&version) {
        return Err(format!("has version {version}, but this reads 1 and 2: write it with another OpenFst"));
    }
    let flags = rest.int()?;
    // The properties recorded in the file are not trusted but computed again.
    rest.long()?;
    let start = rest.long()?;
    let states = rest.long()?;
    let arcs = rest.long()?;
    let inputs = if flags & HAS_INPUT_SYMBOLS != 0 { Some(symbols(&mut rest)?) } else { None };
    let outputs = if flags & HAS_OUTPUT_SYMBOLS != 0 { Some(symbols(&mut rest)?) } else { None };
    let aligned = flags & IS_ALIGNED != 0 || kind == "const" && version == ALIGNED_VERSION;
    let mut sides = [true; 2];
    let mut see = |arcs: &[MachineArc]| {
        sides[0] &= arcs.is_sorted_by_key(|arc| shown(arc.ilabel));
        sides[1] &= arcs.is_sorted_by_key(|arc| shown(arc.olabel));
    };
    let mut machine = match kind.as_str() {
        "const" => constant(&mut rest, aligned, states, arcs, &mut see)?,
        _ => vector(&mut rest, states, &mut see)?,
    };
    let [input_sorted, output_sorted] = sides;
    if rest.at != bytes.len() {
        let more = bytes.len() - rest.at;
        return Err(format!("has {more} bytes more than a machine of its size: {AGAIN}"));
    }
    let count = machine.finals.len() as i64;
    machine.start = match start {
        -1 => None,
        0.. if start < count => Some(start as u32),
        _ => return Err(format!("begins in state {start}, but has {count} states: {AGAIN}")),
    };
    check(&machine)?;
    Ok((machine, Facts { kind, inputs, outputs, input_sorted, output_sorted }))
}

/// The invalid label of OpenFst and rustfst.
const NO_LABEL: ArcLabel = ArcLabel::MAX;

/// Refuses arcs to states that do not exist, invalid labels, and costs that cannot be added.
fn check(machine: &Machine) -> Result<(), String> {
    let count = machine.finals.len();
    let is_cost = |cost: f32| !cost.is_nan() && cost != f32::NEG_INFINITY;
    for arc in &machine.arcs {
        if arc.nextstate as usize >= count {
            return Err(format!("has an arc to state {}, but {count} states: {AGAIN}", arc.nextstate as i32));
        }
        if !is_cost(*cost(&arc.weight)) {
            return Err(format!("has an arc that costs {}: {AGAIN}", cost(&arc.weight)));
        }
        if arc.ilabel == NO_LABEL || arc.olabel == NO_LABEL {
            return Err(format!("has an arc with the label -1, which means no label: {AGAIN}"));
        }
    }
    match machine.finals.iter().find(|&&last| !is_cost(last)) {
        Some(last) => Err(format!("has a state that ends at the cost {last}: {AGAIN}")),
        None => Ok(()),
    }
}

fn constant(
    rest: &mut UnreadBytes<'_>,
    aligned: bool,
    states: i64,
    arcs: i64,
    see: &mut dyn FnMut(&[MachineArc]),
) -> Result<Machine, String> {
    if aligned {
        rest.align()?;
    }
    let cells = rest.cells::<20>(states)?;
    if aligned && arcs > 0 {
        rest.align()?;
    }
    let all = rest.cells::<16>(arcs)?;
    let mut machine = Machine::new();
    machine.arcs.reserve_exact(all.len());
    for cell in cells {
        let begin = u32::from_le_bytes(part(cell, 4)) as usize;
        let count = u32::from_le_bytes(part(cell, 8)) as usize;
        if begin != machine.arcs.len() || begin + count > all.len() {
            let problem = format!("has a state with arcs {begin} to {} of {}", begin + count, all.len());
            return Err(format!("{problem}: {AGAIN}"));
        }
        machine.arcs.extend(all[begin..begin + count].iter().map(arc));
        see(&machine.arcs[begin..]);
        machine.end_state(f32::from_le_bytes(part(cell, 0)));
    }
    if machine.arcs.len() != all.len() {
        return Err(format!("has {} arcs that belong to no state: {AGAIN}", all.len() - machine.arcs.len()));
    }
    Ok(machine)
}

fn vector(
    rest: &mut UnreadBytes<'_>,
    states: i64,
    see: &mut dyn FnMut(&[MachineArc]),
) -> Result<Machine, String> {
    let mut machine = Machine::new();
    // A file that was written to a pipe does not record its number of states.
    while if states == -1 { rest.at < rest.bytes.len() } else { (machine.finals.len() as i64) < states } {
        let last = f32::from_le_bytes(rest.array()?);
        let count = rest.long()?;
        let begin = machine.arcs.len();
        machine.arcs.extend(rest.cells::<16>(count)?.iter().map(arc));
        see(&machine.arcs[begin..]);
        machine.end_state(last);
    }
    Ok(machine)
}

fn arc(cell: &[u8; 16]) -> MachineArc {
    let number = |at| u32::from_le_bytes(part(cell, at));
    MachineArc {
        ilabel: number(0),
        olabel: number(4),
        weight: Semiring::new(f32::from_le_bytes(part(cell, 8))),
        nextstate: number(12),
    }
}

fn part(cell: &[u8], at: usize) -> [u8; 4] {
    *cell[at..].first_chunk().expect("a cell has all its parts")
}

/// Reads a table of symbols inside a file.
fn symbols(rest: &mut UnreadBytes<'_>) -> Result<Symbols, String> {
    let magic = rest.int()?;
    if magic != SYMBOLS_MAGIC {
        return Err(format!("should have a symbol table, but has something else there: {AGAIN}"));
    }
    rest.text()?;
    rest.long()?;
    let count = rest.long()?;
    let mut rows = Vec::new();
    for _ in 0..count {
        let symbol = rest.text()?;
        rows.push((rest.long()?, symbol));
    }
    Symbols::of_rows(rows).map_err(|problem| format!("has an invalid symbol table ({problem}): {AGAIN}"))
}

/// The bytes of a file and the position of the next one to read.
struct UnreadBytes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> UnreadBytes<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], String> {
        let end = self.at.checked_add(len);
        let taken = end.and_then(|end| self.bytes.get(self.at..end));
        let taken = taken.ok_or_else(|| format!("is cut off: {AGAIN}"))?;
        self.at += len;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        Ok(*self.take(N)?.first_chunk().expect("as many bytes as were asked for"))
    }

    fn int(&mut self) -> Result<i32, String> {
        self.array().map(i32::from_le_bytes)
    }

    fn long(&mut self) -> Result<i64, String> {
        self.array().map(i64::from_le_bytes)
    }

    fn text(&mut self) -> Result<&'a str, String> {
        let len = self.int()?;
        let bytes = self.take(usize::try_from(len).unwrap_or(usize::MAX))?;
        str::from_utf8(bytes).map_err(|_| format!("has a name or symbol that is not UTF-8: {AGAIN}"))
    }

    fn cells<const N: usize>(&mut self, count: i64) -> Result<&'a [[u8; N]], String> {
        let count = usize::try_from(count).map_err(|_| format!("declares {count} parts: {AGAIN}"))?;
        Ok(self.take(count.saturating_mul(N))?.as_chunks().0)
    }

    fn align(&mut self) -> Result<(), String> {
        self.take(self.at.next_multiple_of(ALIGNMENT) - self.at).map(drop)
    }
}
