//! The answers of a tagger that has a head for cases and one for marks, found as a chain: the mark
//! after a word tells whether a sentence begins at the next word, and that its case.

use crate::methods::gaps::{MarkCosts, ShownGap, likeliest_mark};
use crate::methods::sentence_starts::BoundaryEvidence;
use crate::methods::spellings::ClassCases;
use crate::restorer::{Request, SentenceStarts};
use crate::text::{CapitalBalance, Case, Choice, Class, Constraint, Label, Labels, Mark, MarkSet};

/// The labels of the heads of a tagger. A head with only one label is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heads {
    /// The classes of case, in the order of their scores.
    classes: Vec<Class>,
    /// No mark and the marks, in the order of their scores.
    marks: Vec<Mark>,
}

/// The number of scores of each head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeadSizes {
    /// The number of scores of cases, or 0 without that head.
    pub cases: usize,
    /// The number of scores of marks, or 0 without that head.
    pub marks: usize,
}

impl HeadSizes {
    /// Returns the number of scores of all heads.
    pub fn all(self) -> usize {
        self.cases + self.marks
    }
}

impl Heads {
    /// Returns the heads of a model that chooses among these labels: each class with each mark.
    pub fn of(labels: &Labels) -> Self {
        let mut heads = Self { classes: Vec::new(), marks: Vec::new() };
        for (class, mark) in (0..labels.len()).filter_map(|id| labels.get(id)) {
            if !heads.classes.contains(&class) {
                heads.classes.push(class);
            }
            if !heads.marks.contains(&mark) {
                heads.marks.push(mark);
            }
        }
        heads
    }

    /// Returns the labels of a model with these classes and marks.
    pub fn labels(classes: &[Class], marks: MarkSet) -> Labels {
        let marks = [Mark::None].into_iter().chain(marks.iter());
        Labels::new(marks.flat_map(|mark| classes.iter().map(move |&class| (class, mark))))
    }

    /// Returns the number of scores of each head.
    pub fn sizes(&self) -> HeadSizes {
        let scores = |labels: usize| if labels > 1 { labels } else { 0 };
        HeadSizes { cases: scores(self.classes.len()), marks: scores(self.marks.len()) }
    }

    /// Returns the marks that can be put after words.
    pub fn marks(&self) -> MarkSet {
        self.marks.iter().copied().filter(|mark| *mark != Mark::None).collect()
    }

    /// Returns the names of the classes, and of the marks.
    pub fn names(&self) -> [Vec<&'static str>; 2] {
        let classes = self.classes.iter().map(|class| class.name());
        [classes.collect(), self.marks.iter().map(|mark| mark.name()).collect()]
    }

    /// Returns the classes, and this one if it is not among them.
    pub fn classes_with(&self, class: Class) -> Vec<Class> {
        let more = Some(class).filter(|class| !self.classes.contains(class));
        self.classes.iter().copied().chain(more).collect()
    }

    /// Returns the position of the score of a class, if the heads have one.
    pub fn class_id(&self, class: Class) -> Option<usize> {
        let id = self.classes.iter().position(|&known| known == class);
        id.filter(|_| self.sizes().cases > 0)
    }

    /// Returns the position of the score of a mark among those of marks, as the nearest that the
    /// head knows; `None` without that head, and for an end of which no mark is known.
    pub fn mark_id(&self, mark: Mark) -> Option<usize> {
        if self.sizes().marks == 0 {
            return None;
        }
        let nearest = mark.within(self.marks());
        self.marks.iter().position(|&known| known == nearest)
    }

    /// Returns the choice for the next word of a text; `ln` has ln of the probabilities of its
    /// labels, head after head, all of them shifted by a constant for each head, or nothing for a
    /// word that the network does not see. After them may stand those of the mark before the word.
    pub fn choice(
        &self,
        word: &ChainWord<'_>,
        ln: &[f32],
        cases: &ClassCases<String>,
        costs: MarkCosts,
        chain: &mut ChainState,
        request: &Request,
    ) -> Choice {
        let sizes = self.sizes();
        let (ln, before) = ln.split_at(sizes.all().min(ln.len()));
        let (of_cases, of_marks) = if ln.is_empty() { (ln, ln) } else { ln.split_at(sizes.cases) };
        let puts = sizes.marks > 0 && !request.marks.is_empty();
        let begins = match sizes.marks {
            0 => false,
            _ if puts => chain.has_begun(word.context),
            _ => word.context.begins(request.starts, || !before.is_empty() && self.ends(before, costs)),
        };
        let odds = || self.marks.iter().copied().zip(odds(of_marks)).skip(1);
        let (mark, mark_confidence) = match word.after {
            _ if !puts => {
                let all: f32 = odds().map(|(_, odds)| odds).sum();
                let ends: f32 = odds().filter(|(mark, _)| mark.ends_sentence()).map(|(_, odds)| odds).sum();
                let ends = word.after.ends(ends / (1.0 + all), request.starts);
                let is_end = sizes.marks > 0 && request.sentence_ends && ends;
                (if is_end { Mark::SentenceEnd } else { Mark::None }, None)
            }
            RightContext::Word(ShownGap { mark: Some(mark), .. }, _) => (mark, Some(1.0)),
            RightContext::Forced => (Mark::None, Some(1.0)),
            after => {
                let is_last = after.is_end();
                likeliest_mark(odds(), costs, is_last, word.context.refused, request, |mark| mark)
            }
        };
        if puts {
            chain.ended = mark.ends_sentence();
        }
        let (case, confidence) = self.case(word, of_cases, cases, begins, request.capitals);
        Choice {
            label: Label { case, mark },
            confidence: request.confidence.then_some(confidence),
            mark_confidence: mark_confidence.filter(|_| request.confidence),
            opening: Mark::None,
        }
    }

    /// Returns true if a sentence rather ends at a mark with these ln of probabilities, the costs taken
    /// into account.
    fn ends(&self, of_marks: &[f32], costs: MarkCosts) -> bool {
        let (mut ends, mut inside) = (0.0, 1.0f32);
        for (mark, odds) in self.marks.iter().zip(odds(of_marks)).skip(1) {
            match mark.ends_sentence() {
                true => ends += odds / costs.end_cost,
                false => inside = inside.max(odds / costs.mark_cost),
            }
        }
        ends > inside
    }

    /// Returns the most probable case of a word with its probability, given whether a sentence begins
    /// at the word; of equally probable ones the first.
    fn case(
        &self,
        word: &ChainWord<'_>,
        ln: &[f32],
        cases: &ClassCases<String>,
        begins: bool,
        balance: CapitalBalance,
    ) -> (Case, f32) {
        if let Constraint::Fixed(case) = word.context.constraint {
            return (case, 1.0);
        }
        let mixed = cases.mixed(word.lower);
        // Without a known pattern, mixed case is impossible.
        let known = |(class, &ln): (&Class, &f32)| Some((cases.case(*class, word.lower, mixed)?, ln));
        let known: Vec<(Case, f32)> = self.classes.iter().zip(ln).filter_map(known).collect();
        let lower_odds = balance.lower_odds().ln();
        let weighed = |(case, ln): (Case, f32)| if case == Case::Lower { ln + lower_odds } else { ln };
        let best = known
            .iter()
            .copied()
            .reduce(|best, next| if weighed(next) > weighed(best) { next } else { best });
        let title = || cases.case(Class::Title, word.lower, mixed).unwrap_or_default();
        let Some((mut found, most)) = best else { return (if begins { title() } else { Case::Lower }, 1.0) };
        let fraction = |same: &dyn Fn(Case) -> bool| {
            let same = known.iter().filter(|(case, _)| same(*case));
            same.map(|(_, ln)| (ln - most).exp()).sum::<f32>()
        };
        let all = fraction(&|_| true);
        if !begins {
            return (found, fraction(&|case| case == found) / all);
        }
        // A word in lower case elsewhere has a capital at the beginning of a sentence.
        let title = title();
        let probability = |case: Case| {
            let same = fraction(&|same| same == case || case == title && same == Case::Lower);
            if case == Case::Lower { 0.0 } else { same / all }
        };
        for case in known.iter().map(|(case, _)| *case).chain([title]) {
            if probability(case) > probability(found) {
                found = case;
            }
        }
        (found, probability(found))
    }
}

/// Turns scores into ln of the probabilities of their softmax.
pub fn ln_softmax(scores: &mut [f32]) {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let whole = most + scores.iter().map(|score| (score - most).exp()).sum::<f32>().ln();
    scores.iter_mut().for_each(|score| *score -= whole);
}

/// Returns the odds of labels against the first one.
fn odds(ln: &[f32]) -> impl Iterator<Item = f32> + Clone + '_ {
    /// Higher logarithms count as this, so that no sum of odds is infinite.
    const HIGHEST: f32 = 60.0;
    ln.iter().map(|other| (other - ln[0]).min(HIGHEST).exp())
}

/// A word of a chain.
#[derive(Debug, Clone, Copy)]
pub struct ChainWord<'a> {
    /// The word in lower case.
    pub lower: &'a str,
    /// The facts about it that the text shows.
    pub context: WordContext,
    /// The text after it.
    pub after: RightContext,
}

/// The facts about a word that the text shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WordContext {
    /// The constraint on its case.
    pub constraint: Constraint,
    /// The gap before the word.
    pub gap: ShownGap,
    /// The evidence for a sentence start at the word, where no marks are inserted.
    pub shown: BoundaryEvidence,
    /// The marks that cannot be inserted after the word.
    pub refused: MarkSet,
}

/// The text after a word, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RightContext {
    /// More words may follow.
    #[default]
    Unknown,
    /// A word with this gap before it and this evidence for a sentence start.
    Word(ShownGap, BoundaryEvidence),
    /// Words that are not waited for.
    Forced,
    /// The end of the text or of a segment that is a text by itself.
    End,
}

impl RightContext {
    /// Returns the text after a word that this word follows.
    pub fn word(next: WordContext) -> Self {
        Self::Word(next.gap, next.shown)
    }

    /// Returns true if a text ends after the word.
    fn is_end(self) -> bool {
        matches!(self, Self::End | Self::Word(ShownGap { opens: true, .. }, _))
    }

    /// Returns true if a sentence ends there, where it does with this probability unless the text
    /// shows it.
    fn ends(self, probability: f32, starts: SentenceStarts) -> bool {
        match self {
            Self::Word(_, BoundaryEvidence::Begins) => true,
            Self::Word(_, BoundaryEvidence::Inside) | Self::Forced => false,
            Self::End => true,
            Self::Word(..) | Self::Unknown => starts >= SentenceStarts::Predicted && probability > 0.5,
        }
    }
}

impl WordContext {
    /// Returns true if a sentence begins at the word, where no marks are inserted: one that the text shows,
    /// or that is `found` by what is known of the mark before the word with the words after it.
    fn begins(self, starts: SentenceStarts, found: impl FnOnce() -> bool) -> bool {
        match self.shown {
            _ if starts == SentenceStarts::None => false,
            BoundaryEvidence::Begins => true,
            BoundaryEvidence::Inside => false,
            BoundaryEvidence::Nothing => starts >= SentenceStarts::Predicted && (self.gap.opens || found()),
        }
    }
}

/// The state of a chain before a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainState {
    /// True if the mark after the word before ends a sentence.
    ended: bool,
}

impl Default for ChainState {
    fn default() -> Self {
        Self { ended: true }
    }
}

impl ChainState {
    /// Returns true if a sentence begins at a word, where marks are inserted.
    fn has_begun(self, word: WordContext) -> bool {
        self.ended || word.gap.opens || word.gap.mark.is_some_and(Mark::ends_sentence)
    }
}
