//! Laws: the search by layers, rustfst and brute force agree on small random models.

use proptest::prelude::*;
use rustc_hash::FxHashMap;

use super::*;
use crate::lm::vocab::SPECIAL;

/// The words of the random models: several forms of each of three.
const WORDS: [&str; 7] = ["a", "A", "b", "B", "bB", "c", "<unk>"];

/// A back-off model of any figures, in a form that a slow twin reads too.
#[derive(Debug, Clone)]
struct Small {
    arpa: String,
    /// log10 p and log10 back-off.
    grams: FxHashMap<Vec<&'static str>, (f64, f64)>,
    order: usize,
}

impl Small {
    fn model(&self) -> NgramModel {
        NgramModel::read("small.arpa", self.arpa.clone().into_bytes()).unwrap()
    }

    /// The longest end of a history that the model has and that can have something after it.
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

    /// The costs of a sentence: −ln of its probability, and by the cheapest of all ways to back off.
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

/// The words that each may be.
fn forms(lower: &str) -> Vec<&'static str> {
    let forms: Vec<_> = WORDS[..6]
        .iter()
        .copied()
        .filter(|word| word.to_lowercase().as_str() == lower.repeat(word.len()))
        .collect();
    if forms.is_empty() { vec!["<unk>"] } else { forms }
}

/// All sentences that a lower-cased one may be.
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

fn lattice(model: &NgramModel, lowers: &[&str]) -> Lattice {
    let mut lattice = Lattice::default();
    for lower in lowers {
        let label = |form| Candidate { label: model.vocabulary().id(form).0 + 1, cost: 0.0 };
        lattice.push(forms(lower).into_iter().map(label));
    }
    lattice
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-4
}

fn labels(model: &NgramModel, words: &[&str]) -> Vec<Label> {
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
            let fast = Search::new(&machine).best(&lattice).unwrap();
            let plain = best_path(&machine, &lattice).unwrap().unwrap();
            prop_assert!(near(fast.cost, slow), "{back_off:?}: {} by layers, {slow} by force", fast.cost);
            prop_assert!(near(plain.cost, slow), "{back_off:?}: {} by rustfst, {slow} by force", plain.cost);
            let its = all.iter().find(|sentence| labels(&model, sentence) == fast.output).unwrap();
            prop_assert!(near(cost(its), slow));
            // Several best paths are the first of all sentences.
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
