//! Chooses labels from the scores of a tagger, which has a head for cases and a head for punctuation marks.
//! The choices are a chain: the mark after a word decides whether a sentence begins at the next word, and
//! thereby the next word's case.

use crate::gaps::{MarkCosts, ShownGap, likeliest_mark};
use crate::sentence_starts::{BoundaryEvidence, odds_by_capital};
use crate::spellings::ClassCases;
use majuscule_text::restorer::{Request, SentenceStarts};
use majuscule_text::{
    Break, CapitalBalance, Case, Choice, Class, Constraint, Label, Labels, Mark, MarkSet, Token,
};

/// The labels of the heads of a tagger. A head with only one label is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heads {
    /// The classes of case, in the order of their scores.
    classes: Vec<Class>,
    /// No mark and the marks, in the order of their scores.
    marks: Vec<Mark>,
}

/// The rules for choosing labels by their scores.
#[derive(Debug, Clone, Copy)]
pub struct ChoiceRules<'a> {
    /// The cases of the classes, with the mixed-case forms of words.
    pub cases: &'a ClassCases<String>,
    /// The costs of marks.
    pub costs: MarkCosts,
    /// The labels that are wanted.
    pub request: &'a Request,
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

    /// Returns the marks that can be inserted after words.
    pub fn marks(&self) -> MarkSet {
        self.marks.iter().copied().filter(|mark| *mark != Mark::None).collect()
    }

    /// Returns the names of the classes, and of the marks.
    pub fn names(&self) -> [Vec<&'static str>; 2] {
        let classes = self.classes.iter().map(|class| class.name());
        [classes.collect(), self.marks.iter().map(|mark| mark.name()).collect()]
    }

    /// Returns the classes of the heads, and `class` if it is not among them.
    pub fn classes_with(&self, class: Class) -> Vec<Class> {
        let more = Some(class).filter(|class| !self.classes.contains(class));
        self.classes.iter().copied().chain(more).collect()
    }

    /// Returns the position of the score of a class, if the heads have one.
    pub fn class_id(&self, class: Class) -> Option<usize> {
        let id = self.classes.iter().position(|&known| known == class);
        id.filter(|_| self.sizes().cases > 0)
    }

    /// Returns the position, among the scores of marks, of the score of a mark or of the nearest mark that
    /// the head knows; `None` without a head for marks, and for a sentence end if the head knows no mark
    /// for it.
    pub fn mark_id(&self, mark: Mark) -> Option<usize> {
        if self.sizes().marks == 0 {
            return None;
        }
        let nearest = mark.within(self.marks());
        self.marks.iter().position(|&known| known == nearest)
    }

    /// Returns the choice for the next word of a text; `ln` has ln of the probabilities of the word's
    /// labels, head after head, shifted by a constant for each head; it is empty for a word that the
    /// network does not see. The scores of the mark before the word may follow.
    pub fn choice(
        &self,
        word: &ChainWord<'_>,
        ln: &[f32],
        rules: ChoiceRules<'_>,
        chain: &mut ChainState,
    ) -> Choice {
        let ChoiceRules { cases, costs, request } = rules;
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
                let factor = |mark: Mark| if mark.ends_sentence() { f32::from(word.start_odds) } else { 1.0 };
                let odds = odds().map(|(mark, odds)| (mark, odds * factor(mark)));
                likeliest_mark(odds, costs, after.is_end(), word.context.refused, request, |mark| mark)
            }
        };
        if puts {
            chain.ended = match word.after {
                RightContext::Word(ShownGap { mark: Some(_), ends, .. }, _) => ends,
                _ => mark.ends_sentence(),
            };
        }
        let (case, confidence) = self.case(word, of_cases, cases, begins, request.capitals);
        Choice {
            label: Label { case, mark },
            confidence: request.confidence.then_some(confidence),
            mark_confidence: mark_confidence.filter(|_| request.confidence),
            opening: Mark::None,
        }
    }

    /// Returns the factor by which the capital of the next word in the source raises the odds that a
    /// sentence ends after word `at`. `word` returns the context of a word and its scores of classes, if
    /// there is such a word. A capital next to other capitals may belong to a title, and a capital at the
    /// beginning of a line to a list.
    pub fn start_odds<'a>(&self, at: usize, word: impl Fn(usize) -> Option<(WordContext, &'a [f32])>) -> u16 {
        let probability = |(_, scores): (WordContext, &[f32])| self.capital_probability(scores);
        let is_odd =
            |word: (WordContext, &[f32])| word.0.constraint.has_capital() && probability(word) <= Some(0.5);
        let Some(next) = word(at + 1).filter(|(context, _)| context.shows_start) else { return 1 };
        let (Some(before), Some(capital)) = (word(at), probability(next)) else { return 1 };
        // After a form of address, the capital belongs to a name.
        if before.0.refused.has(Mark::Period) || word(at + 2).is_some_and(is_odd) {
            return 1;
        }
        odds_by_capital(capital, MOST_ODDS, next.0.layout == WordLayout::Line || is_odd(before)) as u16
    }

    /// Returns the probability of a capital inside a sentence from scores of classes; `None` without
    /// scores.
    fn capital_probability(&self, scores: &[f32]) -> Option<f32> {
        let lower = self.class_id(Class::Lower)?;
        let mut ln = scores.to_vec();
        ln_softmax(&mut ln);
        Some(1.0 - ln.get(lower)?.exp())
    }

    /// Returns true if a sentence more probably ends in a gap than continues, after the costs are applied;
    /// `of_marks` has ln of the probabilities of the marks.
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

    /// Returns the most probable case of a word with its probability, given whether a sentence begins at
    /// the word; the first of equally probable cases.
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
        let mixed = cases.mixed(word.lower).or_else(|| cases.compound(word.lower, |_| None));
        // Mixed case is impossible if its capitals are not known.
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
        // A word in lower case gets a capital at the beginning of a sentence.
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
        // `l'Europe` begins a sentence as `L'Europe`, and `iPhone` as `iPhone`.
        (found.opening(word.lower, cases.locale()), probability(found))
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

/// The highest factor that a capital contributes to the odds of a sentence start.
const MOST_ODDS: f32 = 500.0;

/// A word of a chain.
#[derive(Debug, Clone, Copy)]
pub struct ChainWord<'a> {
    /// The word in lower case.
    pub lower: &'a str,
    /// The facts about it that the text shows.
    pub context: WordContext,
    /// The text after it.
    pub after: RightContext,
    /// The [odds](Heads::start_odds) of a sentence end after the word, from the capital of the next word.
    pub start_odds: u16,
}

/// The facts about a word that the text shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WordContext {
    /// The constraint on its case.
    pub constraint: Constraint,
    /// The gap before the word.
    pub gap: ShownGap,
    /// The evidence for a sentence start at the word, used if no marks are inserted.
    pub shown: BoundaryEvidence,
    /// The marks that cannot be inserted after the word.
    pub refused: MarkSet,
    /// True if marks are inserted, and the word has a capital in the source that a sentence start may
    /// explain.
    pub shows_start: bool,
    /// The layout before the word.
    pub layout: WordLayout,
}

/// The layout of a text between a word and the word before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WordLayout {
    /// Nothing but white space.
    #[default]
    Running,
    /// The end of a line, in a text or in a cue.
    Line,
    /// The end of a cue, a paragraph or a text.
    Apart,
}

impl WordLayout {
    /// The number of layouts that a network has a vector for: all but running text.
    pub const VECTORS: usize = 2;

    /// Returns the layout before a word.
    pub fn before(token: &Token) -> Self {
        match token.before {
            Break::None | Break::Space if token.opens_line => Self::Line,
            Break::None | Break::Space => Self::Running,
            Break::Line => Self::Line,
            Break::Cue | Break::Turn | Break::Paragraph | Break::Document => Self::Apart,
        }
    }

    /// Returns the row of the layout's vector, if it has one.
    pub fn vector(self) -> Option<usize> {
        (self as usize).checked_sub(1)
    }
}

/// The text after a word, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RightContext {
    /// More words may follow.
    #[default]
    Unknown,
    /// A word with this gap before it and this evidence for a sentence start.
    Word(ShownGap, BoundaryEvidence),
    /// More words may follow, but the answer does not wait for them.
    Forced,
    /// The end of the text or of a segment that counts as a text.
    End,
}

impl RightContext {
    /// Returns the right context of a word that is followed by `next`.
    pub fn word(next: WordContext) -> Self {
        Self::Word(next.gap, next.shown)
    }

    /// Returns true if a text ends after the word.
    fn is_end(self) -> bool {
        matches!(self, Self::End | Self::Word(ShownGap { opens: true, .. }, _))
    }

    /// Returns true if a sentence ends after the word, according to the evidence in the text or, without
    /// evidence, to `probability`.
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
    /// Returns true if a sentence begins at the word, if no marks are inserted: the text shows the start,
    /// or `found` infers it from the scores of the mark before the word.
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
    /// True if the mark after the previous word ends a sentence.
    ended: bool,
}

impl Default for ChainState {
    fn default() -> Self {
        Self { ended: true }
    }
}

impl ChainState {
    /// Returns true if a sentence begins at a word, if marks are inserted.
    fn has_begun(self, word: WordContext) -> bool {
        self.ended || word.gap.opens || word.gap.ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use majuscule_text::Locale;

    fn heads() -> Heads {
        Heads::of(&Heads::labels(&[Class::Lower, Class::Title], MarkSet::USUAL))
    }

    /// A word with scores, by which it has a capital inside a sentence with this probability.
    fn scores(capital: f32) -> [f32; 2] {
        [(1.0 - capital).ln(), capital.ln()]
    }

    fn word(case: Case) -> WordContext {
        let constraint = Constraint::Kept(case);
        WordContext { constraint, shows_start: case != Case::Lower, ..WordContext::default() }
    }

    #[test]
    fn the_capital_of_a_word_that_seldom_has_one_shows_a_sentence_start() {
        let [never, seldom, often] = [scores(0.0001), scores(0.01), scores(0.9)];
        let (small, capital) = (word(Case::Lower), word(Case::Title));
        let odds = |words: [Option<(WordContext, &[f32])>; 3]| heads().start_odds(0, |at| words[at]);
        let (before, after) = (Some((small, &seldom[..])), Some((small, &seldom[..])));
        assert_eq!(odds([before, Some((capital, &seldom)), after]), 100);
        assert_eq!(odds([before, Some((capital, &never)), None]), MOST_ODDS as u16);
        assert_eq!(odds([before, Some((small, &seldom)), after]), 1, "no capital");
        assert_eq!(odds([before, Some((capital, &often)), after]), 1, "a name");
        assert_eq!(odds([before, Some((capital, &seldom)), Some((capital, &seldom))]), 1, "a title");
        assert_eq!(odds([before, Some((capital, &seldom)), Some((capital, &often))]), 100, "before a name");
        assert_eq!(odds([Some((capital, &seldom)), Some((capital, &seldom)), after]), 10, "perhaps a title");
        assert_eq!(odds([Some((capital, &often)), Some((capital, &seldom)), after]), 100, "after a name");
        let opens_line = WordContext { layout: WordLayout::Line, ..capital };
        assert_eq!(
            odds([before, Some((opens_line, &seldom)), after]),
            10,
            "perhaps the first word of a list item"
        );
        assert_eq!(odds([before, None, None]), 1);
        assert_eq!(odds([before, Some((capital, &[])), after]), 1, "a word that the network does not see");
    }

    #[test]
    fn a_word_in_mixed_case_opens_a_sentence_with_a_capital() {
        let heads = Heads::of(&Heads::labels(&[Class::Lower, Class::Title, Class::Mixed], MarkSet::USUAL));
        let cases = ClassCases::new("iPhone\n".to_owned(), Locale::Root, str::to_owned);
        let restored = |lower: &str, begins| {
            let word = ChainWord {
                lower,
                context: WordContext::default(),
                after: RightContext::Unknown,
                start_odds: 1,
            };
            let ln = [0.1f32, 0.2, 0.7].map(f32::ln);
            let (case, _) = heads.case(&word, &ln, &cases, begins, CapitalBalance::Balanced);
            case.applied(lower, Locale::Root)
        };
        assert_eq!(
            ["l'europe", "roland-garros"].map(|word| restored(word, false)),
            ["l'Europe", "Roland-Garros"]
        );
        assert_eq!(["l'europe", "iphone"].map(|word| restored(word, true)), ["L'Europe", "iPhone"]);
        assert_eq!(restored("mcdonald", false), "Mcdonald", "without parts and spelling");
    }
}
