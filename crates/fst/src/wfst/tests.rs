//! Laws: the search by layers, rustfst and brute force agree on small random models.

use proptest::prelude::*;
use rustc_hash::FxHashMap;

use super::*;
use majuscule_lm::search::{Scorer, n_best};
use majuscule_lm::vocab::SPECIAL;

/// The words of the random models: forms of four lower-cased words, and `<unk>`.
const WORDS: [&str; 7] = ["a", "A", "b", "B", "bB", "c", "<unk>"];

/// A back-off model with arbitrary values, in a form that a slow
/// reference implementation can read too.
#[derive(Debug, Clone)]
struct Small {
    arpa: String,
    /// log10 p and log10 back-off of each n-gram.
    grams: FxHashMap<Vec<&'static str>, (f64, f64)>,
    order: usize,
}

impl Small {
    fn model(&self) -> NgramModel {
        NgramModel::read("small.arpa", self.arpa.clone().into_bytes()).unwrap()
    }

    /// The longest suffix of a history that the model contains and that is shorter than its order.
    fn state<'h>(&self, history: &'h [&'static str]) -> &'h [&'static str] {
        let starts = (history.len() + 1).saturating_sub(self.order)..=history.len();
        let ends = starts.map(|start| &history[start..]);
        ends.into_iter().find(|end| end.is_empty() || self.grams.contains_key(*end)).unwrap()
    }

    /// −ln p of a word after a history.
    fn exact(&self, history: &[&'static str], word: &'static str) -> f64 {
        let gram = [history, &[word]].concat();
        if let Some((log10, _)) = self.grams.get(&gram) {
            return -log10 * std::f64::consts::LN_10;
        }
        let back_off = self.grams.get(history).map_or(0.0, |(_, back_off)| *back_off);
        -back_off * std::f64::consts::LN_10 + self.exact(&history[1..], word)
    }

    /// The costs of a sentence: −ln of its probability, and the cost of its cheapest sequence of
    /// back-offs.
    fn costs(&self, sentence: &[&'static str]) -> (f64, f64) {
        let mut words = vec!["<s>"];
        words.extend(sentence);
        words.push("</s>");
        let exact = (1..words.len()).map(|at| self.exact(self.state(&words[..at]), words[at])).sum();
        (exact, self.cheapest(&["<s>"], &words[1..]))
    }

    fn cheapest(&self, history: &[&'static str], rest: &[&'static str]) -> f64 {
        let [word, rest @ ..] = rest else { return 0.0 };
        let state = self.state(history);
        let mut best = f64::INFINITY;
        let mut so_far = 0.0;
        for start in 0..=state.len() {
            let gram = [&state[start..], &[*word]].concat();
            if let Some((log10, _)) = self.grams.get(&gram) {
                let cost = so_far - log10 * std::f64::consts::LN_10 + self.cheapest(&gram, rest);
                best = best.min(cost);
            }
            let back_off = self.grams.get(&state[start..]).map_or(0.0, |(_, back_off)| *back_off);
            so_far -= back_off * std::f64::consts::LN_10;
        }
        best
    }
}

fn smalls() -> impl Strategy<Value = Small> {
    let figures = prop::collection::vec((0u32..300, 0u32..100, 0u32..3), 64);
    (1usize..=3, figures, any::<u64>()).prop_map(|(order, figures, chosen)| {
        let mut figures = figures.into_iter().cycle();
        let mut orders: Vec<Vec<Vec<&'static str>>> = vec![Vec::new()];
        orders[0] = SPECIAL.iter().chain(&WORDS[..6]).map(|&word| vec![word]).collect();
        let mut bits = chosen;
        for n in 2..=order {
            let mut longer = Vec::new();
            for before in orders[n - 2].clone() {
                for word in WORDS.iter().chain(&["</s>"]) {
                    bits = bits.rotate_left(7).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    let gram = [&before[..], &[*word]].concat();
                    let whole = n == 2 || orders[n - 2].contains(&gram[1..].to_vec());
                    if bits >> 62 == 0 && before.last() != Some(&"</s>") && whole && gram[0] != "<unk>" {
                        longer.push(gram);
                    }
                }
            }
            orders.push(longer);
        }
        let mut grams = FxHashMap::default();
        let mut arpa = "\\data\\\n".to_owned();
        for (n, list) in (1..).zip(&orders) {
            arpa.push_str(&format!("ngram {n}={}\n", list.len()));
        }
        for (n, list) in (1..).zip(&orders) {
            arpa.push_str(&format!("\n\\{n}-grams:\n"));
            for gram in list {
                let (p, back_off, none) = figures.next().unwrap();
                let log10 = if gram == &["<s>"] { -99.0 } else { f64::from(p) / -100.0 };
                let back_off = if n == order || none == 0 || gram.last() == Some(&"</s>") {
                    0.0
                } else {
                    0.2 - f64::from(back_off) / 100.0
                };
                arpa.push_str(&format!("{log10}\t{}", gram.join(" ")));
                arpa.push_str(&if n < order { format!("\t{back_off}\n") } else { "\n".to_owned() });
                grams.insert(gram.clone(), (log10, back_off));
            }
        }
        arpa.push_str("\n\\end\\\n");
        Small { arpa, grams, order: orders.len() }
    })
}

fn lowers() -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "d"]), 0..6)
}

/// The forms of a lower-cased word.
fn forms(lower: &str) -> Vec<&'static str> {
    let forms: Vec<_> = WORDS[..6]
        .iter()
        .copied()
        .filter(|word| word.to_lowercase().as_str() == lower.repeat(word.len()))
        .collect();
    if forms.is_empty() { vec!["<unk>"] } else { forms }
}

/// All sentences whose lower case is this sentence.
fn sentences(lowers: &[&str]) -> Vec<Vec<&'static str>> {
    let mut all = vec![Vec::new()];
    for lower in lowers {
        all = all
            .iter()
            .flat_map(|before: &Vec<_>| {
                forms(lower).into_iter().map(move |form| [&before[..], &[form]].concat())
            })
            .collect();
    }
    all
}

fn lattice(model: &NgramModel, lowers: &[&str]) -> Vec<Vec<ArcLabel>> {
    lowers.iter().map(|lower| labels(model, &forms(lower))).collect()
}

/// Finds the best path by rustfst, the slow twin of the search by layers.
fn best_path(machine: &Machine, lattice: &[Vec<ArcLabel>]) -> MachinePath {
    plain::compose(machine, lattice).and_then(|both| plain::shortest(&both, 1)).unwrap().pop().unwrap()
}

/// A machine as a scorer of labels with numbers of back-offs.
struct Walked<'m>(&'m Machine);

impl Scorer for Walked<'_> {
    type State = u32;
    type Candidate = (ArcLabel, u8);

    fn start(&self) -> u32 {
        self.0.start.unwrap_or(0)
    }

    fn step(&self, _: usize, state: u32, (label, skips): (ArcLabel, u8)) -> (f32, u32) {
        Machine::step(self.0, state, label, skips)
    }

    fn finish(&self, state: u32) -> f32 {
        Machine::finish(self.0, state)
    }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-4
}

fn labels(model: &NgramModel, words: &[&str]) -> Vec<ArcLabel> {
    words.iter().map(|word| model.vocabulary().id(word).0 + 1).collect()
}

proptest! {
    #[test]
    fn layers_rustfst_and_brute_force_find_paths_of_equal_cost(small in smalls(), lowers in lowers()) {
        let model = small.model();
        let lattice = lattice(&model, &lowers);
        let all = sentences(&lowers);
        for back_off in [BackOff::Failure, BackOff::Epsilon] {
            let machine = Machine::of_model(&model, back_off).unwrap();
            let cost = |sentence: &Vec<&'static str>| {
                let (exact, cheapest) = small.costs(sentence);
                if back_off == BackOff::Failure { exact } else { cheapest }
            };
            let slow = all.iter().map(cost).reduce(f64::min).unwrap();
            let fast = LayeredSearch::new(&machine).best(&lattice).unwrap();
            let plain = best_path(&machine, &lattice);
            prop_assert!(near(fast.cost, slow), "{back_off:?}: {} by layers, {slow} by force", fast.cost);
            prop_assert!(near(plain.cost, slow), "{back_off:?}: {} by rustfst, {slow} by force", plain.cost);
            let its = all.iter().find(|sentence| labels(&model, sentence) == fast.output).unwrap();
            prop_assert!(near(cost(its), slow));
            // One candidate for each number of back-offs.
            let skips = if back_off == BackOff::Epsilon { small.order as u8 } else { 1 };
            let ways = |&label: &ArcLabel| (0..skips).map(move |skips| (label, skips));
            let positions: Vec<Vec<_>> = lattice.iter().map(|labels| labels.iter().flat_map(ways).collect()).collect();
            let walked = n_best(&Walked(&machine), &positions, 1);
            prop_assert!(near(walked[0].cost, slow), "{back_off:?}: {} by walking, {slow} by force", walked[0].cost);
            // The n best paths are the first of all sentences.
            let mut costs: Vec<f64> = all.iter().map(cost).collect();
            costs.sort_by(f64::total_cmp);
            let paths = best_paths(&machine, &lattice, 4).unwrap();
            prop_assert_eq!(paths.len(), costs.len().min(4), "{:?}: {:?}", back_off, paths);
            for (path, cost) in paths.iter().zip(&costs) {
                prop_assert!(near(path.cost, *cost), "{back_off:?}: {paths:?}, {costs:?} by force");
            }
        }
    }
}

fn tiny() -> NgramModel {
    NgramModel::read("tiny.arpa", include_bytes!("../../../../lm/tiny.arpa").to_vec()).unwrap()
}

/// The machine of the tiny model, as a file.
fn tiny_file() -> Vec<u8> {
    let (machine, inputs, outputs) = lowered(&tiny());
    let mut file = Vec::new();
    write(&machine, Some((&inputs, &outputs)), &mut file).unwrap();
    file
}

fn lowered(model: &NgramModel) -> (Machine, Symbols, Symbols) {
    let forms = Forms::of_vocabulary(model.vocabulary(), Locale::Root);
    Machine::lowered(model, &forms, Locale::Root, 0.0).unwrap()
}

/// A machine of the tiny model, with its symbols.
fn machine(back_off: Option<BackOff>) -> (Machine, Symbols, Symbols) {
    let model = tiny();
    match back_off {
        Some(arcs) => {
            let symbols = Symbols::of_model(&model, arcs).unwrap();
            (Machine::of_model(&model, arcs).unwrap(), symbols.clone(), symbols)
        }
        None => lowered(&model),
    }
}

fn transducer(back_off: Option<BackOff>) -> Transducer {
    let (machine, inputs, outputs) = machine(back_off);
    Transducer::new(machine, &inputs, outputs, Locale::Root).unwrap()
}

#[test]
fn the_paths_of_a_sentence_are_a_machine_with_the_same_best_path() {
    let line = "told us in the us";
    for arcs in [Some(BackOff::Failure), Some(BackOff::Epsilon), None] {
        let whole = transducer(arcs);
        let paths = whole.paths(line).unwrap().unwrap();
        // Each word is read by some of its forms.
        assert!(paths.states() >= 6 && paths.finals() > 0 && paths.arcs() > 6, "{paths:?}");
        let (_, inputs, outputs) = machine(arcs);
        // Its arcs back off no more, and it accepts nothing else.
        let drawn = Transducer::new(paths, &inputs, outputs, Locale::Root).unwrap();
        let (found, expected) = (drawn.best()(line).unwrap().unwrap(), whole.best()(line).unwrap().unwrap());
        assert_eq!(found.text, expected.text);
        assert!((found.cost - expected.cost).abs() < 1e-4, "{found:?}, {expected:?}");
        assert_eq!(drawn.best()("told us").unwrap(), None);
    }
    assert_eq!(transducer(Some(BackOff::Failure)).paths("").unwrap().map(|paths| paths.states()), Some(1));
}

/// The values of the tiny model, added by hand.
#[test]
fn the_tiny_model_is_a_machine() {
    let exact = transducer(Some(BackOff::Failure)).best()("told us in the us").unwrap().unwrap();
    assert_eq!(exact.text, "told us in the US");
    // <s> told: -0.39794 - 1; told us: -0.22185; us in, "told us" backed off: -0.30103 - 0.85387;
    // in the, "us in" backed off: -0.30103 - 0.30103; in the US: -0.13668; the US </s>: -0.09691.
    let log10 = -3.61034;
    assert!((exact.cost + log10 * std::f64::consts::LN_10).abs() < 1e-4, "{exact:?}, {log10}");
    // Words are read in any case, and an unknown word stays unchanged.
    let line = transducer(None).best()("TOLD US in Braga").unwrap().unwrap();
    assert_eq!(line.text, "told us in Braga");
    let several = transducer(None).several("told us", 3).unwrap();
    assert_eq!(several.iter().map(|line| line.text.as_str()).collect::<Vec<_>>(), ["told us", "told US"]);
}

proptest! {
    #[test]
    fn t_finds_what_g_with_epsilons_finds(small in smalls(), lowers in lowers()) {
        let model = small.model();
        let g = Machine::of_model(&model, BackOff::Epsilon).unwrap();
        let (t, inputs, _) = lowered(&model);
        // "bB" is a form of "bb".
        let label = |lower: &&str| inputs.label(lower).or(inputs.label("<unk>")).unwrap();
        let read: Vec<_> = lowers.iter().map(|lower| vec![label(lower)]).collect();
        let forms = |lower: &&str| -> Vec<&str> {
            forms(lower).into_iter().filter(|form| form.len() == 1 || *form == "<unk>").collect()
        };
        let all: Vec<_> = lowers.iter().map(|lower| labels(&model, &forms(lower))).collect();
        let (by_t, by_g) = (LayeredSearch::new(&t).best(&read).unwrap(), LayeredSearch::new(&g).best(&all).unwrap());
        prop_assert!(near(by_t.cost, by_g.cost), "{by_t:?} {by_g:?}");
        prop_assert!(near(best_path(&t, &read).cost, by_t.cost));
    }

    #[test]
    fn a_machine_is_written_and_read(small in smalls()) {
        let model = small.model();
        for back_off in [BackOff::Failure, BackOff::Epsilon] {
            let machine = Machine::of_model(&model, back_off).unwrap();
            let symbols = Symbols::of_model(&model, back_off).unwrap();
            let mut file = Vec::new();
            write(&machine, Some((&symbols, &symbols)), &mut file).unwrap();
            let (read, facts) = read("g.fst", &file).unwrap();
            prop_assert!(read.begins == machine.begins && read.finals == machine.finals);
            prop_assert!(read.arcs == machine.arcs && read.start() == machine.start());
            prop_assert_eq!(facts.inputs.as_ref(), Some(&symbols));
            let read = back_off.of(read, &symbols).unwrap();
            prop_assert_eq!(read.failure(), machine.failure());
        }
    }

    #[test]
    fn a_damaged_machine_is_refused_or_runs(at in any::<prop::sample::Index>(), bit in 0u32..8, line in "(us|the|in|told|<s>|x) (us|the) us") {
        let mut file = tiny_file();
        let at = at.index(file.len());
        file[at] ^= 1 << bit;
        let Ok((machine, facts)) = read("t.fst", &file) else { return Ok(()) };
        let (Some(inputs), Some(outputs)) = (facts.inputs, facts.outputs) else { return Ok(()) };
        let Ok(transducer) = Transducer::new(machine, &inputs, outputs, Locale::Root) else { return Ok(()) };
        let _ = transducer.best()(&line);
    }
}

#[test]
fn a_machine_that_is_cut_off_is_refused() {
    let file = tiny_file();
    for len in 0..file.len() {
        assert!(read("t.fst", &file[..len]).is_err(), "{len} of {} bytes", file.len());
    }
    let problem = |file: &[u8]| read("t.fst", file).unwrap_err().to_string();
    assert!(problem(b"\\data\\\nngram 1=3\n").contains("t.fst: is not an OpenFst machine"));
    assert!(problem(&[&file[..], b"more"].concat()).contains("4 bytes more"));
    let kind = |from: &str, to: &str| {
        let at = file.windows(from.len()).position(|bytes| bytes == from.as_bytes()).unwrap();
        [&file[..at], to.as_bytes(), &file[at + from.len()..]].concat()
    };
    assert!(problem(&kind("const", "ngram")).contains("type \"ngram\", but this reads vector and const"));
    assert!(problem(&kind("standard", "log_arcs")).contains("arcs of type \"log_arcs\""));
}

/// A machine that rustfst wrote as a vector, its arcs in no order.
#[test]
fn a_vector_of_rustfst_is_read() {
    use rustfst::Semiring;
    use rustfst::fst_impls::VectorFst;
    use rustfst::prelude::MutableFst;
    let mut fst = VectorFst::<TropicalWeight>::new();
    fst.add_states(2);
    fst.set_start(0).unwrap();
    fst.set_final(1, TropicalWeight::new(0.5)).unwrap();
    for (label, cost) in [(3, 0.25), (1, 1.0), (2, 2.0)] {
        fst.add_tr(0, Tr::new(label, label, TropicalWeight::new(cost), 1)).unwrap();
    }
    let mut file = Vec::new();
    fst.store(&mut file).unwrap();
    let (machine, facts) = read("v.fst", &file).unwrap();
    assert_eq!((facts.kind.as_str(), machine.states(), machine.arcs()), ("vector", 2, 3));
    // The facts describe the order in the file.
    assert!(!facts.input_sorted && !facts.output_sorted);
    let best = LayeredSearch::new(&machine).best(&[[1, 3]]);
    assert_eq!(best, Some(MachinePath { cost: 0.75, output: vec![3] }));
}

#[test]
fn labels_below_0_and_tables_with_holes_are_read() {
    let minus = |number: i32| number.cast_unsigned();
    let mut parts = Machine::new();
    parts.start = Some(0);
    parts.arc(minus(-2), 7, 0.5, 1);
    parts.arc(7, minus(-2), 0.25, 1);
    parts.end_state(f32::INFINITY);
    parts.end_state(0.0);
    let symbols = Symbols::read("s", "us\t7\nodd\t-2\n").unwrap();
    let mut bytes = Vec::new();
    write(&parts, Some((&symbols, &symbols)), &mut bytes).unwrap();
    let (machine, facts) = read("odd.fst", &bytes).unwrap();
    assert_eq!(facts.inputs.as_ref(), Some(&symbols));
    // As signed numbers, the arcs read 7 and -2 and write -2 and 7.
    assert!(!facts.input_sorted && facts.output_sorted);
    let transducer = Transducer::new(machine.clone(), &symbols, symbols.clone(), Locale::Root).unwrap();
    assert_eq!(transducer.best()("odd").unwrap().unwrap().text, "us");
    assert_eq!(transducer.several("us", 2).unwrap()[0].text, "odd");
    let other = Symbols::read("s", "us\t7\n").unwrap();
    let problem = Transducer::new(machine, &other, other.clone(), Locale::Root).unwrap_err().to_string();
    assert!(
        problem.contains("the machine reads the label -2, which is not among the 1 symbols"),
        "{problem}"
    );
    let mut none = Machine::new();
    none.start = Some(0);
    none.arc(minus(-1), 1, 0.0, 0);
    none.end_state(0.0);
    let mut bytes = Vec::new();
    write(&none, None, &mut bytes).unwrap();
    assert!(read("odd.fst", &bytes).unwrap_err().to_string().contains("the label -1"));
}

#[test]
fn failure_arcs_in_a_circle_are_refused() {
    let mut machine = Machine::new();
    machine.start = Some(0);
    machine.arc(9, 9, 0.0, 1);
    machine.end_state(f32::INFINITY);
    machine.arc(9, 9, 0.0, 0);
    machine.end_state(0.0);
    assert!(machine.clone().with_failure(8).is_ok());
    assert!(machine.with_failure(9).unwrap_err().to_string().contains("backs off to itself"));
}

#[test]
fn a_circle_of_negative_costs_comes_to_an_end() {
    let mut machine = Machine::new();
    machine.start = Some(0);
    machine.arc(0, 1, -1.0, 1);
    machine.end_state(f32::INFINITY);
    machine.arc(0, 0, -1.0, 0);
    machine.arc(1, 1, 0.0, 1);
    machine.end_state(0.0);
    assert!(LayeredSearch::new(&machine).best(&[[1]]).is_some());
}

#[test]
fn a_picture_has_every_state_and_arc() {
    let (machine, inputs, outputs) = lowered(&tiny());
    let dot = dot(&machine, &inputs, &outputs).unwrap();
    assert_eq!(dot.matches("->").count(), machine.arcs());
    assert!(dot.contains("[label = \"us:US/"), "{dot}");
    let svg = svg(&machine, &inputs, &outputs).unwrap();
    assert!(svg.matches("<circle").count() >= machine.states() && svg.contains("us:US/"));
    let mut parts = Machine::new();
    (0..300).for_each(|_| parts.end_state(0.0));
    let problem = super::dot(&parts, &inputs, &outputs).unwrap_err().to_string();
    assert!(problem.contains("300 states and 0 arcs, but a picture holds 200 at most"));
}
