//! Makes a model smaller: compacts its language model, and drops the entries of its map and of its endings
//! that the rest of the model implies.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use majuscule_base::error::{Error, Result};
use majuscule_lm::{WordId, compact};
use majuscule_methods::hmm::guess::{AFTER_CAPITALS, Guesser};
use majuscule_methods::hmm::{ENDINGS, Hmm, LANGUAGE_MODEL, MAP};
use majuscule_methods::model::{Draft, Section, Store};
use majuscule_text::Case;

/// The largest difference in a probability at which an ending counts as equal to the next shorter one.
const ALIKE: f32 = 0.05;

/// The least weight of a form, with three digits: a form with weight 0 would not count as a form.
const LEAST_WEIGHT: f32 = 0.001;

/// Returns a small form of a model. Its language model is [compact](majuscule_lm::compact), and its guesser
/// keeps the endings that differ from shorter ones. The map drops a word that the language model lacks if
/// the guesser is certain of its most frequent form.
///
/// # Errors
/// Returns [`Error::Model`] if a file of the model is missing, truncated or altered.
pub fn compact(store: &dyn Store) -> Result<Draft> {
    let model = Hmm::load(store)?;
    let mut small = Vec::new();
    compact::write(&model.model, &mut small).map_err(|error| Error::io("write", LANGUAGE_MODEL, error))?;
    let mut sections: Vec<Section> = vec![(LANGUAGE_MODEL.to_owned(), small)];
    if store.manifest().file(ENDINGS).is_some() {
        let endings = fewer_endings(&String::from_utf8_lossy(&store.section(ENDINGS)?));
        let guesser = Guesser::read(&endings).expect("a part of endings that were read");
        sections.push((MAP.to_owned(), shorter_map(&model, &guesser).into_bytes()));
        sections.push((ENDINGS.to_owned(), endings.into_bytes()));
    } else {
        sections.push((MAP.to_owned(), store.section(MAP)?.to_vec()));
    }
    Ok(Draft::new(store.manifest().clone(), sections))
}

/// Returns the endings that differ from the next shorter ending that is kept, with probabilities in
/// three decimals.
fn fewer_endings(text: &str) -> String {
    let mut kept: FxHashMap<&str, [f32; 3]> = FxHashMap::default();
    let mut fewer = String::new();
    for line in text.lines() {
        let mut fields = line.split('\t');
        let ending = fields.next().unwrap_or_default();
        let mut number = || fields.next()?.parse().ok();
        let (Some(lower), Some(title), Some(upper)) = (number(), number(), number()) else { continue };
        let fractions: [f32; 3] = [lower, title, upper];
        let shorter = ending.char_indices().skip(1).find_map(|(at, _)| kept.get(&ending[at..]));
        let shorter = shorter.or_else(|| kept.get(""));
        let is_alike = |shorter: &[f32; 3]| fractions.iter().zip(shorter).all(|(a, b)| (a - b).abs() < ALIKE);
        if ending != AFTER_CAPITALS && shorter.is_some_and(is_alike) {
            continue;
        }
        let _ = writeln!(fewer, "{ending}\t{lower:.3}\t{title:.3}\t{upper:.3}");
        kept.insert(ending, fractions);
    }
    fewer
}

/// Returns the map of the words that the language model knows or whose most frequent form the guesser
/// is not certain of. Weights are omitted if the model ignores them, and a weight of 1 always, since
/// it is the default in a map.
fn shorter_map(model: &Hmm, guesser: &Guesser) -> String {
    let mut map = String::new();
    for (word, forms) in model.forms.iter() {
        let is_guessed = || {
            let case = guesser.sure(word).map(Case::class);
            case.is_some() && case == forms.first().map(|form| form.case.class())
        };
        if forms.iter().all(|form| form.word == WordId::UNKNOWN) && is_guessed() {
            continue;
        }
        map += word;
        for form in forms {
            let _ = write!(map, " {}", form.case.applied(word, model.locale));
            let weight = form.weight.exp().max(LEAST_WEIGHT);
            if model.settings.map_weight != 0.0 && weight < 1.0 - LEAST_WEIGHT {
                let _ = write!(map, " {weight:.3}");
            }
        }
        map.push('\n');
    }
    map
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_that_are_alike_are_left_out() {
        let text = "\t0.8\t0.15\t0.05\na\t0.82\t0.14\t0.04\nia\t0.3\t0.6\t0.1\n\
                    lia\t0.32\t0.58\t0.1\nxlia\t0.81\t0.14\t0.05\n^\t1\t2\t3\n";
        let fewer = "\t0.800\t0.150\t0.050\nia\t0.300\t0.600\t0.100\nxlia\t0.810\t0.140\t0.050\n^\t1.000\t2.000\t3.000\n";
        assert_eq!(fewer_endings(text), fewer);
        let [whole, part] = [text, fewer].map(|text| Guesser::read(text).unwrap());
        for word in ["julia", "axlia", "a", "ta", "b", "", "via"] {
            let near = whole.costs(word, false).into_iter().zip(part.costs(word, false));
            assert!(near.into_iter().all(|(a, b)| ((-a).exp() - (-b).exp()).abs() < ALIKE), "{word}");
        }
    }
}
