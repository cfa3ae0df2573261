//! Words in, choices out: the weights of what is seen around each word are summed, and sentence beginnings are told apart
//! from capitals of the word's own.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::boundary::{Bonus, BoundaryModel};
use super::filling::{Filler, Values};
use super::line_evidence::LineEvidence;
use super::observe::{BoundaryEvidence, Observer, Opening, WordFeatures};
use super::templates::{BEGUN, NO_WORD, PREVIOUS};
use super::{BEGIN, CLASSES, Maxent, Sums};
use crate::error::Result;
use crate::restorer::{Boundary, SentenceStarts, Session, Want};
use crate::text::{Break, Case, Choice, Class, Constraint, Label, Mark, Token, Tokens};

/// So many words are looked up side by side.
const AT_ONCE: usize = 32;

/// A word that waits for its right context.
#[derive(Debug, Default)]
struct WaitingWord {
    lower: String,
    seen: WordFeatures,
    sums: Sums,
    given: Constraint,
    shown: BoundaryEvidence,
    /// Whether a line ended before it.
    opens_line: bool,
}

/// What is known of the words to the left that were answered or guessed.
#[derive(Debug, Clone, Copy)]
struct AnswerHistory {
    /// How many words ago a sentence began.
    chain: BoundaryModel,
    /// The probability of each class of the word before, of its beginning a sentence, and of its not being there.
    before: [f32; PREVIOUS],
    lines: LineEvidence,
}

impl Default for AnswerHistory {
    fn default() -> Self {
        let mut before = [0.0; PREVIOUS];
        before[NO_WORD] = 1.0;
        Self { chain: BoundaryModel::default(), before, lines: LineEvidence::default() }
    }
}

/// A text on its way through a model.
#[derive(Debug)]
pub struct MaxentSession<'a> {
    model: &'a Maxent,
    want: Want,
    look_ahead: usize,
    /// The words that are not answered yet, all of one sentence where the text shows sentences.
    waiting: VecDeque<WaitingWord>,
    /// Words to be used again.
    spare: Vec<WaitingWord>,
    /// What is seen of them and of the words to their left.
    observer: Observer<'a>,
    /// What is seen of the next words, and the sums of their own features.
    next: Vec<(WordFeatures, Sums)>,
    history: AnswerHistory,
    /// Whether the case of the word before is looked at.
    looks_before: bool,
    /// Beginnings less likely than this, with no class whose sum is above the other, leave a word in lower case.
    seldom: f32,
    far: i32,
    /// By profile.
    bonuses: FxHashMap<u16, Bonus>,
    features: Vec<u64>,
    values: Values,
    /// The features of context that were looked up, a row each time.
    #[cfg(test)]
    pub rows: Vec<Vec<u64>>,
}

impl<'a> MaxentSession<'a> {
    /// Starts on a text.
    pub fn new(model: &'a Maxent, want: Want, look_ahead: usize) -> Self {
        let super::MaxentSettings { capital_cost, steps, .. } = model.settings;
        Self {
            model,
            want,
            look_ahead,
            waiting: VecDeque::new(),
            spare: Vec::new(),
            observer: Observer::new(&model.features, &model.gazetteers),
            next: Vec::new(),
            history: AnswerHistory::default(),
            looks_before: model.features.looks_before(),
            seldom: SELDOM * capital_cost,
            far: (steps as f32 * (NO_CAPITAL + capital_cost.ln())) as i32,
            bonuses: FxHashMap::default(),
            features: Vec::new(),
            values: Values::default(),
            #[cfg(test)]
            rows: Vec::new(),
        }
    }
}

impl Session for MaxentSession<'_> {
    fn push(&mut self, tokens: &Tokens, end: Boundary, out: &mut Vec<Choice>) -> Result<()> {
        let mut rest = tokens.iter();
        let mut next = std::mem::take(&mut self.next);
        while rest.len() > 0 {
            let words = rest.clone().take(AT_ONCE);
            next.extend(words.map(|(lower, token)| self.model.seen(lower, token, &mut self.features)));
            for ((seen, sums), (lower, token)) in next.drain(..).zip(rest.by_ref()) {
                self.take(lower, token, seen, sums, out);
            }
        }
        self.next = next;
        match end {
            Boundary::None | Boundary::Line => {}
            Boundary::Force => {
                while let Some(later) = self.waiting.len().checked_sub(1) {
                    self.answer(later, (later == 0).then_some(false), out);
                }
            }
            Boundary::Reset => {
                self.finish(None, out);
                self.observer.open(Opening::Text);
            }
        }
        Ok(())
    }

    fn guess(&mut self, out: &mut Vec<Choice>) -> Result<()> {
        let mut history = self.history;
        for waiting in 0..self.waiting.len() {
            let later = self.waiting.len() - 1 - waiting;
            out.push(self.choose(waiting, later, (later == 0).then_some(false), &mut history));
        }
        Ok(())
    }
}

impl MaxentSession<'_> {
    /// Takes the next word, of which this is seen, and these are the sums of its own features.
    fn take(&mut self, lower: &str, token: &Token, seen: WordFeatures, sums: Sums, out: &mut Vec<Choice>) {
        let starts = token.starts || self.want.starts == SentenceStarts::EveryLine && token.opens;
        if let Some(opening) = Opening::of(token, starts) {
            self.finish((opening == Opening::Segment).then_some(starts), out);
            self.observer.open(opening);
            if opening == Opening::Text {
                // Nothing of the last text counts.
                self.history.lines = LineEvidence::default();
            }
        }
        let mut word = self.spare.pop().unwrap_or_default();
        word.lower.clear();
        word.lower.push_str(lower);
        let shown = match (self.observer.take(token, starts, seen), self.want.starts) {
            (_, SentenceStarts::None) | (BoundaryEvidence::Nothing, SentenceStarts::Marked) => {
                BoundaryEvidence::Inside
            }
            (shown, _) => shown,
        };
        let opens_line = token.before == Break::Line;
        self.waiting.push_back(WaitingWord { seen, sums, given: token.given, shown, opens_line, ..word });
        if self.waiting.len() > self.look_ahead {
            self.answer(self.look_ahead, None, out);
        }
    }

    /// The choice for a word that waits, where at most `look_ahead` words after it count; its history becomes that of the next.
    /// `ends` says whether a sentence ends after it, where that is known.
    fn choose(
        &mut self,
        waiting: usize,
        look_ahead: usize,
        ends: Option<bool>,
        history: &mut AnswerHistory,
    ) -> Choice {
        let WaitingWord { seen, mut sums, given, shown, opens_line, .. } = self.waiting[waiting];
        self.sum(self.waiting.len() - waiting, look_ahead, &mut sums);
        let mut shares = None;
        if self.looks_before {
            shares = self.look_before(&history.before, seen, &mut sums);
        }
        if opens_line && shown == BoundaryEvidence::Nothing {
            let without = self.begins(&sums, seen, history.chain).0;
            self.add_line(history.lines, &mut sums);
            history.lines.take(without);
        }
        let begins;
        (begins, history.chain) = match shown {
            BoundaryEvidence::Nothing => self.begins(&sums, seen, history.chain),
            BoundaryEvidence::Begins => (1.0, BoundaryModel::begun()),
            BoundaryEvidence::Inside => (0.0, history.chain.inside()),
        };
        if self.looks_before {
            let shares = shares.unwrap_or_else(|| match self.is_plain(&sums, begins) {
                true => PLAIN,
                false => self.model.shares(&sums),
            });
            history.before = before(given, shares, begins);
        }
        let wants_mark = self.want.marks && self.model.settings.begins;
        let mark = match ends {
            Some(true) if wants_mark => Mark::SentenceEnd,
            None if wants_mark
                && shown == BoundaryEvidence::Nothing
                && self.ends_after(waiting, look_ahead, history) =>
            {
                Mark::SentenceEnd
            }
            _ => Mark::None,
        };
        match given {
            Constraint::Fixed(case) => Choice {
                label: Label { mark, ..Label::from(case) },
                confidence: self.want.confidence.then_some(1.0),
            },
            _ => self.likeliest(&self.waiting[waiting], &sums, shares, begins, mark),
        }
    }

    /// Answers the word that waits longest.
    fn answer(&mut self, look_ahead: usize, ends: Option<bool>, out: &mut Vec<Choice>) {
        let mut history = self.history;
        out.push(self.choose(0, look_ahead, ends, &mut history));
        self.history = history;
        self.spare.extend(self.waiting.pop_front());
        self.observer.forget(self.waiting.len());
    }

    /// Adds the weights of what is seen around the word that is the last but so many, or behind the last.
    fn sum(&mut self, back: usize, look_ahead: usize, sums: &mut Sums) {
        let features = self.observer.context(back, look_ahead);
        self.model.weights.add(features, sums);
        #[cfg(test)]
        self.rows.push(features.to_vec());
        if self.observer.is_repeated(back, look_ahead) {
            // No acronym is said twice in a row: what is written like one is a name (`Tap Tap`).
            sums[TITLE] = sums[TITLE].max(sums[UPPER]);
            sums[UPPER] = (self.model.settings.steps as f32 * NEVER) as i32;
        }
    }

    /// Adds what the choice before a word says to its sums. Where that choice is not all but certain: the probability of each class,
    /// summed over what may have been chosen (the forward algorithm, as in the chain), and of a beginning only the mean is added.
    fn look_before(
        &mut self,
        before: &[f32; PREVIOUS],
        word: WordFeatures,
        sums: &mut Sums,
    ) -> Option<[f32; CLASSES]> {
        let likely = || before.iter().enumerate().filter(|(_, share)| **share > SELDOM);
        if likely().count() == 1 {
            likely().for_each(|(at, _)| self.add_previous(at, word, sums));
            return None;
        }
        let (mut shares, mut begins) = ([0.0; CLASSES], 0.0);
        let whole: f32 = likely().map(|(_, share)| share).sum();
        for (at, share) in likely() {
            let (mut sums, beginning, share) = (*sums, sums[BEGIN], share / whole);
            self.add_previous(at, word, &mut sums);
            begins += share * (sums[BEGIN] - beginning) as f32;
            for (sum, class) in shares.iter_mut().zip(self.model.shares(&sums)) {
                *sum += share * class;
            }
        }
        sums[BEGIN] += begins as i32;
        Some(shares)
    }

    fn add_previous(&mut self, before: usize, word: WordFeatures, sums: &mut Sums) {
        self.features.clear();
        let features = &mut self.features;
        let emit = |filler: &Filler, values: &Values| features.push(filler.feature(values));
        self.model.features.previous(before, word, &mut self.values, emit);
        let upper = sums[UPPER];
        self.model.weights.add(&self.features, sums);
        if before == Class::Upper as usize {
            // An acronym stands among ordinary words: what speaks for more capitals after one was learned where text shouts.
            sums[UPPER] = sums[UPPER].min(upper);
        }
    }

    /// The probability that a sentence begins at a word with these sums, and the chain after it.
    fn begins(&mut self, sums: &Sums, word: WordFeatures, chain: BoundaryModel) -> (f32, BoundaryModel) {
        let model = self.model;
        let sum = sums[BEGIN] as f32 / model.settings.steps as f32;
        if !model.settings.begins || sum < HOPELESS {
            return (0.0, chain.inside());
        }
        let bonus = self.bonuses.entry(word.profile).or_insert_with(|| model.bonus(word));
        chain.step(sum, bonus)
    }

    /// Whether a sentence is likelier to end than to go on after a word that waits, with the history behind it: one begins then at
    /// the next word, of which a word less is seen.
    fn ends_after(&mut self, waiting: usize, look_ahead: usize, history: &AnswerHistory) -> bool {
        let (seen, mut sums, opens_line) = match self.waiting.get(waiting + 1) {
            Some(next) => (next.seen, next.sums, next.opens_line),
            None => {
                let (seen, sums) = self.model.nothing(&mut self.features);
                (seen, sums, false)
            }
        };
        self.sum(self.waiting.len() - waiting - 1, look_ahead.saturating_sub(1), &mut sums);
        if self.looks_before {
            self.look_before(&history.before, seen, &mut sums);
        }
        if opens_line {
            self.add_line(history.lines, &mut sums);
        }
        self.begins(&sums, seen, history.chain).0 > 0.5
    }

    /// Adds what the end of a line says to the sum for a beginning.
    fn add_line(&self, lines: LineEvidence, sums: &mut Sums) {
        sums[BEGIN] += (lines.bonus() * self.model.settings.steps as f32) as i32;
    }

    /// Whether no class but the lower case is likely enough to be looked at.
    fn is_plain(&self, sums: &Sums, begins: f32) -> bool {
        begins < self.seldom && sums[..BEGIN].iter().all(|&sum| sum < self.far)
    }

    /// The likeliest label of a word with these sums, at which a sentence begins with the probability `begins`; `shares` are
    /// those of the classes where the sums do not tell them.
    fn likeliest(
        &self,
        word: &WaitingWord,
        sums: &Sums,
        shares: Option<[f32; CLASSES]>,
        begins: f32,
        mark: Mark,
    ) -> Choice {
        let model = self.model;
        // A spelling that came without text: a list has it, so that no weight speaks for or against it.
        let only = (word.seen.profile == 0).then(|| model.cases.mixed(&word.seen.hash)).flatten();
        let is_open = shares.is_none() && only.is_none() && !self.want.confidence;
        if is_open && self.is_plain(sums, begins) {
            return Choice { label: Label { case: Case::Lower, mark }, confidence: None };
        }
        let mut shares = begun(shares.unwrap_or_else(|| model.shares(sums)), begins);
        let mixed = model.cases.mixed(&word.seen.hash);
        if mixed.is_none() {
            shares[Class::Mixed as usize] = 0.0;
        }
        if only.is_some() {
            shares = [0.0, 0.0, 0.0, 1.0];
        }
        let case = |class: Class| match class {
            Class::Title => model.title(&word.lower, begins > 0.5),
            _ => model.cases.case(class, &word.lower, mixed).unwrap_or_default(),
        };
        // Of equally likely ones the smaller change.
        let mut best = (Class::Lower, shares[0] * model.settings.capital_cost);
        for class in [Class::Title, Class::Upper, Class::Mixed] {
            if shares[class as usize] > best.1 {
                best = (class, shares[class as usize]);
            }
        }
        let found = case(best.0);
        let confidence = || {
            let same = Class::ALL.into_iter().filter(|&class| case(class) == found);
            same.map(|class| shares[class as usize]).sum::<f32>() / shares.iter().sum::<f32>()
        };
        let confidence = self.want.confidence.then(confidence);
        Choice { label: Label { case: found, mark }, confidence }
    }

    /// The sentence, or all that is known of it, ends; `ends` says whether the next word begins one, where that shows.
    fn finish(&mut self, begins: Option<bool>, out: &mut Vec<Choice>) {
        while !self.waiting.is_empty() {
            let last = self.waiting.len() == 1;
            self.answer(self.look_ahead, begins.filter(|begins| last && *begins), out);
        }
        self.history = AnswerHistory { lines: self.history.lines, ..AnswerHistory::default() };
    }
}

/// What the word after one sees of it.
fn before(given: Constraint, shares: [f32; CLASSES], begins: f32) -> [f32; PREVIOUS] {
    let mut shares = shares;
    if let Constraint::Fixed(case) = given {
        shares = Class::ALL.map(|class| f32::from(u8::from(class == case.class())));
    }
    let mut before = [0.0; PREVIOUS];
    for (before, share) in before.iter_mut().zip(shares) {
        *before = share * (1.0 - begins);
    }
    before[BEGUN] = begins;
    before
}

/// The probability of each class where a sentence begins with the probability `begins`: what is lower case elsewhere has a capital
/// there.
#[inline]
fn begun([lower, title, upper, mixed]: [f32; CLASSES], begins: f32) -> [f32; CLASSES] {
    [lower * (1.0 - begins), title + lower * begins, upper, mixed]
}

/// Where the sum for a capital at the front stands.
const TITLE: usize = Class::Title as usize - 1;

/// Where the sum for capitals throughout stands.
const UPPER: usize = Class::Upper as usize - 1;

/// The sum of a class that is out of the question.
const NEVER: f32 = -30.0;

/// The classes of a word that is in lower case without doubt.
const PLAIN: [f32; CLASSES] = [1.0, 0.0, 0.0, 0.0];

/// With a sum of weights below this no sentence begins, whatever came before: it does in one of a thousand words.
const HOPELESS: f32 = -7.0;

/// Less likely beginnings do not bear on the case of a word where capitals cost 1,
const SELDOM: f32 = 0.01;

/// and where no class but the lower case has a sum above this, none of them is likely enough to be looked at.
const NO_CAPITAL: f32 = -3.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::maxent::gazetteers::Gazetteers;
    use crate::methods::maxent::table::HashTable;
    use crate::methods::maxent::templates::{Group, VERSION};
    use crate::methods::maxent::weights::WeightTable;
    use crate::methods::maxent::{MaxentSettings, WEIGHTS_EACH, WORD};
    use crate::text::{Break, Locale};
    use proptest::prelude::*;

    /// A model that knows nothing and looks at everything.
    fn model(look_ahead: usize) -> Maxent {
        let table = HashTable::<WEIGHTS_EACH>::build([].into_iter());
        let words = HashTable::<WORD>::build([].into_iter());
        let settings = MaxentSettings {
            version: VERSION,
            groups: [&Group::DEFAULT[..], &[Group::Spans, Group::Clusters]].concat(),
            look_ahead,
            steps: 1,
            cut: 0,
            begins: true,
            capital_cost: 1.0,
        };
        let (table, words) =
            (WeightTable::open(table.into()).unwrap(), HashTable::open(words.into()).unwrap());
        Maxent::new(table, words, Gazetteers::default(), String::new(), settings, Locale::Root)
    }

    fn any_tokens() -> impl Strategy<Value = Tokens> {
        use Break::{Cue, Document, Line, None, Paragraph, Space, Turn};
        let before = prop::sample::select(vec![
            Space, Space, Space, Space, Space, Space, None, Line, Cue, Turn, Paragraph, Document,
        ]);
        let word = ("[a-c]{1,2}", before, prop::bool::weighted(0.1), prop::option::of(Just(',')));
        prop::collection::vec(word, 1..100).prop_map(|words| {
            let mut tokens = Tokens::new();
            for (word, before, starts, right) in words {
                tokens.push(&word, Locale::Root, Token { before, starts, right, ..Token::default() });
            }
            tokens
        })
    }

    proptest! {
        #[test]
        fn a_session_sees_what_training_sees_however_the_text_is_cut(
            tokens in any_tokens(), look_ahead in 0usize..=3, cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let model = model(look_ahead);
            let (mut seen, mut features) = (Vec::new(), Vec::new());
            seen.extend(tokens.iter().map(|(lower, token)| model.seen(lower, token, &mut features).0));
            let mut all = Vec::new();
            let mut observer = Observer::new(&model.features, &model.gazetteers);
            observer.text(&tokens, &seen, |observer, word| {
                let is_behind = word.at == tokens.len();
                let lower = if is_behind { "" } else { tokens.lower(word.at) };
                let look_ahead = if is_behind { look_ahead.saturating_sub(1) } else { look_ahead };
                let mut row = Vec::new();
                let observation = observer.observation(lower, word, look_ahead);
                model.features.all(&observation, |filler, values, _| row.push(filler.feature(values)));
                let mut own = Vec::new();
                let here = seen.get(word.at).copied().unwrap_or_default();
                model.features.own(lower, here, |filler, values, _| own.push(filler.feature(values)));
                assert!(row.starts_with(&own));
                all.push((word.shown, row.split_off(own.len())));
            });

            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(tokens.len())).collect();
            cuts.sort_unstable();
            let ends = cuts.iter().copied().chain([tokens.len()]);
            let rows = |want: Want| {
                let (mut session, mut out) = (MaxentSession::new(&model, want, look_ahead), Vec::new());
                let mut start = 0;
                for end in ends.clone() {
                    let mut part = Tokens::new();
                    part.extend(&tokens, start..end);
                    session.push(&part, Boundary::None, &mut out).unwrap();
                    start = end;
                }
                session.push(&Tokens::new(), Boundary::Reset, &mut out).unwrap();
                assert_eq!(out.len(), tokens.len());
                session.rows
            };
            let (behind, words) = all.split_last().unwrap();
            let words: Vec<Vec<u64>> = words.iter().map(|(_, row)| row.clone()).collect();
            prop_assert_eq!(rows(Want::default()), words);
            // Where sentences end is asked too: the last place looked at is that behind the last word.
            if behind.0 == BoundaryEvidence::Nothing {
                let last = rows(Want { marks: true, ..Want::default() }).pop();
                prop_assert_eq!(last.as_ref(), Some(&behind.1));
            }
        }
    }
}
