//! Words in, choices out: the weights of what is seen around each word are summed, and sentence beginnings are told apart
//! from capitals of the word's own.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::chain::{Bonus, Chain};
use super::features::{self, REACH, Seen};
use super::{BEGIN, CLASSES, Maxent, Sums, add};
use crate::error::Result;
use crate::restorer::{End, Session, Want};
use crate::text::{Break, Case, Choice, Given, Label, Mark, Token, Tokens};

/// So many words to the left are kept at most, so that they are seldom moved.
const KEPT: usize = 256;

/// Where a text showed a sentence's beginning, it shows all others too for so many words.
const SHOWN: usize = 64;

/// What a text shows of whether a sentence begins at a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shown {
    /// Nothing: the model has to find out.
    #[default]
    Nothing,
    /// It does.
    Begins,
    /// It does not.
    Inside,
}

/// Tells what a text shows of the beginnings of sentences, word by word.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shows {
    left: usize,
}

impl Shows {
    /// What it shows of the next word.
    pub fn of(&mut self, token: &Token) -> Shown {
        self.left = if token.starts { SHOWN } else { self.left.saturating_sub(1) };
        match (token.starts, self.left) {
            (true, _) => Shown::Begins,
            (false, 0) => Shown::Nothing,
            (false, _) => Shown::Inside,
        }
    }
}

/// Whether a model does not look from a word to those before it, nor from them to it.
pub fn parts(token: &Token) -> bool {
    token.starts || matches!(token.before, Break::Turn | Break::Paragraph | Break::Document)
}

/// A word that waits for its right context.
#[derive(Debug, Default)]
struct Word {
    lower: String,
    seen: Seen,
    sums: Sums,
    given: Given,
    shown: Shown,
}

/// A text on its way through a model.
#[derive(Debug)]
pub struct Decoding<'a> {
    model: &'a Maxent,
    want: Want,
    look_ahead: usize,
    /// The words that are not answered yet, all of one sentence where the text shows sentences.
    waiting: VecDeque<Word>,
    /// Words to be used again.
    spare: Vec<Word>,
    /// What is seen of them, and before them of the words to the left.
    seen: Vec<Seen>,
    shows: Shows,
    chain: Chain,
    /// By profile.
    bonuses: FxHashMap<u16, Bonus>,
    features: Vec<u64>,
}

impl<'a> Decoding<'a> {
    pub fn new(model: &'a Maxent, want: Want, look_ahead: usize) -> Self {
        Self {
            model,
            want,
            look_ahead,
            waiting: VecDeque::new(),
            spare: Vec::new(),
            seen: Vec::new(),
            shows: Shows::default(),
            chain: Chain::default(),
            bonuses: FxHashMap::default(),
            features: Vec::new(),
        }
    }
}

impl Session for Decoding<'_> {
    fn push(&mut self, tokens: &Tokens, end: End, out: &mut Vec<Choice>) -> Result<()> {
        for (lower, token) in tokens.iter() {
            if parts(token) {
                self.finish(Some(token.starts), out);
            }
            let (seen, sums) = self.model.seen(lower, token, &mut self.features);
            let mut word = self.spare.pop().unwrap_or_default();
            word.lower.clear();
            word.lower.push_str(lower);
            let shown = self.shows.of(token);
            self.waiting.push_back(Word { seen, sums, given: token.given, shown, ..word });
            self.seen.push(seen);
            if self.waiting.len() > self.look_ahead {
                self.answer(None, out);
            }
        }
        if end == End::Flush {
            self.finish(None, out);
            self.shows = Shows::default();
        }
        Ok(())
    }
}

impl Decoding<'_> {
    /// Answers the word that waits longest; `ends` says whether a sentence ends after it, where the text shows that.
    fn answer(&mut self, ends: Option<bool>, out: &mut Vec<Choice>) {
        let at = self.seen.len() - self.waiting.len();
        let Some(mut word) = self.waiting.pop_front() else { return };
        self.sum(at, self.look_ahead, &mut word.sums);
        let begins = match word.shown {
            Shown::Nothing => {
                let (begins, chain) = self.begins(&word.sums, word.seen);
                self.chain = chain;
                begins
            }
            // A capital for a beginning that shows is put there by whoever writes the text.
            Shown::Begins => {
                self.chain = Chain::begun();
                0.0
            }
            Shown::Inside => {
                self.chain = self.chain.inside();
                0.0
            }
        };
        let mark = match ends {
            Some(true) => Mark::SentenceEnd,
            None if self.want.marks && word.shown == Shown::Nothing && self.ends_after(at) => {
                Mark::SentenceEnd
            }
            _ => Mark::None,
        };
        let mark = if self.model.settings.begins { mark } else { Mark::None };
        out.push(match word.given {
            Given::Fixed(case) => Choice {
                label: Label { mark, ..Label::from(case) },
                confidence: self.want.confidence.then_some(1.0),
            },
            _ => self.choice(&word, begins, mark),
        });
        self.spare.push(word);
        if self.seen.len() > KEPT {
            self.seen.drain(..self.seen.len() - self.waiting.len() - REACH);
        }
    }

    /// Adds the weights of what is seen around word `at`.
    fn sum(&mut self, at: usize, look_ahead: usize, sums: &mut Sums) {
        self.features.clear();
        let window = features::window(&self.seen, at);
        features::context(&self.model.settings.groups, &window, look_ahead, &mut self.features);
        add(&self.model.weights, &self.features, sums);
    }

    /// The probability that a sentence begins at a word with these sums, and the chain after it.
    fn begins(&mut self, sums: &Sums, word: Seen) -> (f32, Chain) {
        let model = self.model;
        let sum = sums[BEGIN] as f32 / model.settings.steps as f32;
        if !model.settings.begins || sum < HOPELESS {
            return (0.0, self.chain.inside());
        }
        let bonus = self.bonuses.entry(word.profile).or_insert_with(|| model.bonus(word));
        self.chain.step(sum, bonus)
    }

    /// Whether a sentence is likelier to end than to go on after word `at`, which has just been answered: one begins then at
    /// the next word, of which a word less is seen.
    fn ends_after(&mut self, at: usize) -> bool {
        let (seen, mut sums) = match self.waiting.front() {
            Some(next) => (next.seen, next.sums),
            None => self.model.nothing(&mut self.features),
        };
        self.sum(at + 1, self.look_ahead.saturating_sub(1), &mut sums);
        self.begins(&sums, seen).0 > 0.5
    }

    /// The likeliest label of a word, at which a sentence begins with the probability `begins`.
    fn choice(&self, word: &Word, begins: f32, mark: Mark) -> Choice {
        let model = self.model;
        let mixed = model.mixed.get(&word.seen.hash).copied();
        let case = |class: usize| match class {
            0 => Some(Case::Lower),
            1 => Some(Case::Title),
            2 => Some(Case::Upper),
            _ => mixed.map(Case::Mixed),
        };
        let case = |class: usize| {
            let case = case(class)?;
            Some(Case::of_capitals(case.capitals(&word.lower, model.locale), &word.lower, model.locale))
        };
        let shares = model.shares(&word.sums, begins);
        // Of equally likely ones the smaller change.
        let cases = (0..CLASSES).filter_map(|class| Some((case(class)?, shares[class])));
        let weight = |class: Case| if class == Case::Lower { model.settings.capital_cost } else { 1.0 };
        let weighed = cases.clone().map(|(case, share)| (case, share * weight(case)));
        let best = weighed.fold((Case::Lower, f32::MIN), |best, new| if new.1 > best.1 { new } else { best });
        let confidence = || {
            let same: f32 = cases.clone().filter(|(case, _)| *case == best.0).map(|(_, share)| share).sum();
            same / cases.map(|(_, share)| share).sum::<f32>()
        };
        Choice { label: Label { case: best.0, mark }, confidence: self.want.confidence.then(confidence) }
    }

    /// The sentence, or all that is known of it, ends; `ends` says whether the next word begins one, where that shows.
    fn finish(&mut self, begins: Option<bool>, out: &mut Vec<Choice>) {
        while !self.waiting.is_empty() {
            let last = self.waiting.len() == 1;
            self.answer(begins.filter(|begins| last && *begins), out);
        }
        self.seen.clear();
        self.chain = Chain::default();
    }
}

/// With a sum of weights below this no sentence begins, whatever came before.
const HOPELESS: f32 = -12.0;
