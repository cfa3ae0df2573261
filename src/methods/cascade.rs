//! Two methods in a row: a fast one answers where it is confident, and a slower, better one reads
//! only the stretches with an uncertain word.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Model;
use crate::error::{Error, Result, option};
use crate::restorer::{Boundary, Details, Request, Restorer, SentenceStarts, Session};
use crate::text::{Break, Choice, Constraint, Label, Labels, Mark, MarkSet, Token, Tokens};

/// The maximum number of words in a stretch: a longer sentence is cut.
const MOST: usize = 96;

/// The number of context words that are shown before and after a cut.
const CONTEXT: usize = 16;

/// A fast method and a better one.
pub struct Cascade {
    fast: Box<dyn Restorer>,
    exact: Box<dyn Restorer>,
    /// The confidence below which a choice of the fast method is uncertain.
    sure: f32,
    labels: Labels,
    read: Arc<Read>,
}

/// The number of words that a cascade has answered, and of those that its second method answered.
#[derive(Debug, Default)]
pub struct Read {
    all: AtomicU64,
    exact: AtomicU64,
}

impl Read {
    /// The share of words that the second method answered; 0 if there were no words.
    pub fn share(&self) -> f64 {
        let [all, exact] = [&self.all, &self.exact].map(|count| count.load(Ordering::Relaxed) as f64);
        exact / all.max(1.0)
    }
}

/// Combines two models into one: `exact` reads the stretches of text, sentences or lines, that
/// contain a word whose probability under `fast` is below `sure`. Also returns the counts of words
/// that each model answers.
///
/// `fast` alone decides marks and sentence ends. With marks asked for, `exact` reads words without
/// marks in the sentences that `fast` finds, so that it may be a model without marks, and text with
/// the marks put in leads to the same choices.
///
/// # Errors
/// [`Error::Usage`] if `sure` is no probability, or if the two models have different case pairs.
pub fn cascade(fast: Model, exact: Model, sure: f32) -> Result<(Model, Arc<Read>)> {
    if !(0.0..=1.0).contains(&sure) {
        return Err(Error::Usage(format!("{} {sure}: expected a probability from 0 to 1", option("sure"))));
    }
    let [one, other] = [&fast, &exact].map(|model| model.manifest.locale);
    if one != other {
        let problem = format!("the first model pairs letters as \"{one}\" does, the second as \"{other}\"");
        return Err(Error::Usage(format!("{problem}: a cascade needs two of one language")));
    }
    let labels_of = |labels: &Labels| (0..labels.len()).filter_map(|id| labels.get(id)).collect::<Vec<_>>();
    let [mut labels, exact_labels] = [&fast, &exact].map(|model| labels_of(model.restorer.labels()));
    labels.extend(exact_labels.into_iter().map(|(class, _)| (class, Mark::None)));
    let labels = Labels::new(labels);
    let read = Arc::<Read>::default();
    let (fast, Model { manifest, restorer: exact }) = (fast.restorer, exact);
    let restorer = Box::new(Cascade { fast, exact, sure, labels, read: read.clone() });
    Ok((Model { manifest, restorer }, read))
}

impl Cascade {
    /// Chooses the cases of the words of stretches.
    fn answer(&self, stretches: Vec<CascadeWindow>, request: Request) -> Result<Vec<Choice>> {
        if stretches.iter().flat_map(|stretch| &stretch.choices).any(|choice| choice.confidence.is_none()) {
            let problem = "the first method of a cascade must say how sure it is, and this one does not";
            return Err(Error::Usage(format!("{problem}: take maxent or hmm")));
        }
        let is_doubtful = |choice: &Choice| choice.confidence.is_some_and(|sure| sure < self.sure);
        let in_doubt = stretches.iter().filter(|stretch| stretch.choices.iter().any(is_doubtful));
        let doubtful: Vec<Tokens> = in_doubt.map(|stretch| stretch.tokens.clone()).collect();
        let starts = match request.starts {
            SentenceStarts::Predicted if !request.marks.is_empty() => SentenceStarts::Marked,
            starts => starts,
        };
        let request = Request { marks: MarkSet::NONE, starts, ..request };
        let better = self.exact.restore_batch(&doubtful, request)?;
        let mut better = better.into_iter();
        let mut out = Vec::new();
        for CascadeWindow { tokens, from, mut choices } in stretches {
            self.read.all.fetch_add(choices.len() as u64, Ordering::Relaxed);
            if choices.iter().any(is_doubtful)
                && let Some(better) = better.next()
            {
                self.read.exact.fetch_add(choices.len() as u64, Ordering::Relaxed);
                let words = tokens.as_slice()[from..].iter().zip(&better[from..]);
                for (choice, (token, better)) in choices.iter_mut().zip(words) {
                    if !matches!(token.constraint, Constraint::Fixed(_)) {
                        // The first method decides marks and where sentences end, since the
                        // second may be unable to.
                        let label = Label { mark: choice.label.mark, ..better.label };
                        *choice = Choice { label, confidence: better.confidence, ..*choice };
                    }
                }
            }
            out.extend(choices.into_iter().map(|choice| Choice {
                confidence: choice.confidence.filter(|_| request.confidence),
                ..choice
            }));
        }
        Ok(out)
    }
}

impl Restorer for Cascade {
    fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The whole stretch is needed.
    fn look_ahead(&self) -> Option<usize> {
        None
    }

    fn details(&self) -> Option<&dyn Details> {
        Some(self)
    }

    fn has_probabilities(&self) -> bool {
        self.fast.has_probabilities() && self.exact.has_probabilities()
    }

    fn session(&self, request: Request) -> Box<dyn Session + '_> {
        let fast = self.fast.session(Request { confidence: true, ..request });
        Box::new(Cascading { cascade: self, request, fast, gathering: Gathering::new(request) })
    }

    /// The second method reads the uncertain stretches of all documents together.
    fn restore_batch(&self, documents: &[Tokens], request: Request) -> Result<Vec<Vec<Choice>>> {
        let fast = self.fast.restore_batch(documents, Request { confidence: true, ..request })?;
        let mut stretches = Vec::new();
        for (document, choices) in documents.iter().zip(fast) {
            let mut gathering = Gathering { choices, ..Gathering::new(request) };
            gathering.hold(document);
            gathering.take(true, &mut stretches);
        }
        let mut choices = self.answer(stretches, request)?.into_iter();
        Ok(documents.iter().map(|document| choices.by_ref().take(document.len()).collect()).collect())
    }
}

impl Details for Cascade {
    fn knows(&self, lower: &str) -> Option<bool> {
        self.fast.details()?.knows(lower)
    }
}

/// The state of a text in a cascade. A stretch also ends at [`Boundary::Force`]: the text after it
/// is restored without the text before it.
struct Cascading<'a> {
    cascade: &'a Cascade,
    request: Request,
    fast: Box<dyn Session + 'a>,
    gathering: Gathering,
}

impl Session for Cascading<'_> {
    fn push(&mut self, tokens: &Tokens, end: Boundary, out: &mut Vec<Choice>) -> Result<()> {
        self.gathering.hold(tokens);
        self.fast.push(tokens, end, &mut self.gathering.choices)?;
        let mut stretches = Vec::new();
        self.gathering.take(matches!(end, Boundary::Force | Boundary::Reset), &mut stretches);
        // One by one: sums of floats must not depend on the other words that were pushed.
        for stretch in stretches {
            out.extend(self.cascade.answer(vec![stretch], self.request)?);
        }
        Ok(())
    }
}

/// The words of one call of the second method, and those around them.
struct CascadeWindow {
    tokens: Tokens,
    /// The number of context words before the words with choices.
    from: usize,
    /// The choices of the first method.
    choices: Vec<Choice>,
}

/// The words that wait for the end of their stretch.
struct Gathering {
    /// The words kept: first those that are already answered, then those that are not.
    held: Tokens,
    answered: usize,
    /// The first method's choices for the words that are not answered, as far as they are known.
    choices: Vec<Choice>,
    /// True if the marks among the choices show where sentences begin, and those of the text do
    /// not: see [`Request::marks`].
    by_marks: bool,
}

impl Gathering {
    fn new(request: Request) -> Self {
        let by_marks = !request.marks.is_empty();
        Self { held: Tokens::new(), answered: 0, choices: Vec::new(), by_marks }
    }

    /// Takes the next words.
    fn hold(&mut self, tokens: &Tokens) {
        let from = self.held.len();
        self.held.extend(tokens, 0..tokens.len());
        for token in self.held.as_mut_slice().iter_mut().skip(from).filter(|_| self.by_marks) {
            let starts = token.before >= Break::Turn;
            *token = Token { starts, left: None, right: None, gap: None, ..token.clone() };
        }
    }

    /// Returns the first word after word `from` that begins a stretch, if there is one, and the
    /// number of words for which that is known.
    fn end(&mut self, from: usize) -> (Option<usize>, usize) {
        if !self.by_marks {
            let begins = |token: &Token| token.starts || token.before >= Break::Line;
            let mut words = self.held.as_slice().iter().enumerate().skip(from.max(1));
            return (words.find(|(_, token)| begins(token)).map(|(at, _)| at), self.held.len());
        }
        let words = self.held.as_mut_slice().iter_mut().enumerate().skip(from + 1);
        for ((at, token), choice) in words.zip(&self.choices) {
            token.starts |= choice.label.mark.ends_sentence();
            if token.starts {
                return (Some(at), at);
            }
        }
        (None, self.held.len().min(from + self.choices.len() + 1))
    }

    /// Takes the complete stretches, or all words if the text has `ended`.
    fn take(&mut self, ended: bool, out: &mut Vec<CascadeWindow>) {
        loop {
            let from = self.answered;
            let (end, known) = self.end(from);
            let is_cut = end.unwrap_or(known) > from + MOST + CONTEXT;
            let (to, seen) = match end {
                _ if is_cut => (from + MOST, from + MOST + CONTEXT),
                Some(end) => (end, end),
                None if ended => (self.held.len(), self.held.len()),
                None => return,
            };
            if to == from || self.choices.len() < to - from {
                return;
            }
            let mut tokens = Tokens::new();
            tokens.extend(&self.held, 0..seen);
            out.push(CascadeWindow { tokens, from, choices: self.choices.drain(..to - from).collect() });
            // After a cut, the next stretch sees the last words of this one.
            self.answered = if is_cut { CONTEXT } else { 0 };
            let mut held = Tokens::new();
            held.extend(&self.held, to - self.answered..self.held.len());
            self.held = held;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::{Case, Locale};

    /// A method that puts all words in a case, full stops after words that end in p, and has a
    /// confidence of one half for words with an x.
    #[derive(Clone)]
    struct Fake(Labels, Case);

    struct Answering(Case, Request);

    impl Restorer for Fake {
        fn labels(&self) -> &Labels {
            &self.0
        }

        fn look_ahead(&self) -> Option<usize> {
            Some(0)
        }

        fn session(&self, request: Request) -> Box<dyn Session + '_> {
            Box::new(Answering(self.1, request))
        }
    }

    impl Session for Answering {
        fn push(&mut self, tokens: &Tokens, _: Boundary, out: &mut Vec<Choice>) -> Result<()> {
            let confidence = |lower: &str| if lower.contains('x') { 0.5 } else { 0.9 };
            let mark = |lower: &str| match lower.ends_with('p') && self.1.marks.has(Mark::Period) {
                true => Mark::Period,
                false => Mark::None,
            };
            out.extend(tokens.iter().map(|(lower, _)| Choice {
                confidence: self.1.confidence.then(|| confidence(lower)),
                ..Label { mark: mark(lower), ..self.0.into() }.into()
            }));
            Ok(())
        }
    }

    fn cascade() -> Cascade {
        let fake = |case| Box::new(Fake(Labels::cases(), case));
        Cascade {
            fast: fake(Case::Lower),
            exact: fake(Case::Upper),
            sure: 0.8,
            labels: Labels::cases(),
            read: Arc::default(),
        }
    }

    /// The words of lines.
    fn tokens(lines: &[Vec<&str>]) -> Tokens {
        let mut tokens = Tokens::new();
        for line in lines {
            let mut all = Tokens::of_words(line.iter().copied(), Locale::Root);
            let before = if tokens.is_empty() { Break::Document } else { Break::Line };
            all.as_mut_slice().iter_mut().take(1).for_each(|first| first.before = before);
            tokens.extend(&all, 0..all.len());
        }
        tokens
    }

    fn cases(choices: &[Choice]) -> String {
        choices.iter().map(|choice| if choice.label.case == Case::Upper { 'E' } else { 'f' }).collect()
    }

    #[test]
    fn the_second_method_answers_the_lines_with_a_word_in_doubt() {
        let cascade = cascade();
        let text = tokens(&[vec!["a", "b"], vec!["a", "x", "c"], vec!["d"]]);
        let choices =
            cascade.restore_batch(&[text.clone(), tokens(&[vec!["x"]])], Request::default()).unwrap();
        assert_eq!([cases(&choices[0]), cases(&choices[1])], ["ffEEEf", "E"]);
        assert!((cascade.read.share() - 4.0 / 7.0).abs() < 1e-9);
        assert!(choices[0].iter().all(|choice| choice.confidence.is_none()));
        let sure =
            cascade.restore_batch(&[text], Request { confidence: true, ..Request::default() }).unwrap();
        assert!(sure[0].iter().all(|choice| choice.confidence.is_some()));
    }

    #[test]
    fn a_first_method_that_does_not_say_how_sure_it_is_is_refused() {
        struct Unsure(Fake);
        impl Restorer for Unsure {
            fn labels(&self) -> &Labels {
                self.0.labels()
            }
            fn look_ahead(&self) -> Option<usize> {
                Some(0)
            }
            fn session(&self, request: Request) -> Box<dyn Session + '_> {
                Box::new(Answering(Case::Lower, Request { confidence: false, ..request }))
            }
        }
        let fast = Box::new(Unsure(Fake(Labels::cases(), Case::Lower)));
        let found = Cascade { fast, ..cascade() }.restore_batch(&[tokens(&[vec!["a"]])], Request::default());
        assert!(matches!(found, Err(Error::Usage(_))));
    }

    proptest! {
        #[test]
        fn the_cuts_of_a_text_change_nothing(
            lines in prop::collection::vec(prop::collection::vec("[abx]|[ab]{2,3}", 1..300), 1..4),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let cascade = cascade();
            let lines: Vec<Vec<&str>> = lines.iter().map(|line| line.iter().map(String::as_str).collect()).collect();
            let text = tokens(&lines);
            let whole = cascade.restore_batch(std::slice::from_ref(&text), Request::default()).unwrap().remove(0);
            prop_assert_eq!(whole.len(), text.len());
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len())).collect();
            cuts.sort_unstable();
            let mut session = cascade.session(Request::default());
            let (mut out, mut from) = (Vec::new(), 0);
            for to in cuts.into_iter().chain([text.len()]) {
                let mut part = Tokens::new();
                part.extend(&text, from..to);
                session.push(&part, if to == text.len() { Boundary::Reset } else { Boundary::None }, &mut out).unwrap();
                from = to;
            }
            prop_assert_eq!(out, whole);
        }
    }
}
