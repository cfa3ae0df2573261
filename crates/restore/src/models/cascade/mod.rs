//! Two methods in a row: a fast one answers where it is confident, and a slower, better one reads
//! only the stretches with an uncertain word.

mod marks;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use marks::{make_bare, opens};

use super::Model;
use majuscule_base::error::{Error, Result, option};
use majuscule_text::restorer::{Boundary, Details, Request, Restorer, SentenceStarts, Session};
use majuscule_text::{Break, Choice, Constraint, Label, Labels, Mark, MarkSet, Token, Tokens, probability};

/// The maximum number of words in a stretch or a window: a longer sentence is cut.
const MOST: usize = 96;

/// The number of context words that are shown before and after a cut.
const CONTEXT: usize = 16;

/// A fast method and a better one.
pub struct Cascade {
    fast: Arc<dyn Restorer>,
    exact: Arc<dyn Restorer>,
    /// The confidence below which a choice of the fast method is uncertain.
    sure: f32,
    labels: Labels,
    /// True if the second method has all marks of the first.
    puts_marks: bool,
    read: Arc<Read>,
}

/// The number of words that a cascade has answered, and the number of words that its second method answered.
#[derive(Debug, Default)]
pub struct Read {
    all: AtomicU64,
    exact: AtomicU64,
}

impl Read {
    /// Returns the fraction of words that the second method answered; 0 if there were no words.
    pub fn fraction(&self) -> f64 {
        let [all, exact] = [&self.all, &self.exact].map(|count| count.load(Ordering::Relaxed) as f64);
        exact / all.max(1.0)
    }
}

/// Combines two models into one: `exact` reads the stretches of text, sentences or lines, that
/// contain a word whose probability under `fast` is below `sure`. Also returns the counts of words
/// that each model answers.
///
/// With marks requested, `exact` decides marks and cases where a mark or a case is in doubt, if it has the
/// marks that `fast` would insert. Otherwise `fast` alone decides marks and sentence ends, and `exact` reads
/// words without marks in the sentences that `fast` finds. Either way text with the marks inserted leads to
/// the same choices.
///
/// # Errors
/// [`Error::Usage`] if `sure` is not a probability, or if the two models have different case mappings.
pub fn cascade(fast: Model, exact: Model, sure: f32) -> Result<(Model, Arc<Read>)> {
    if !(0.0..=1.0).contains(&sure) {
        return Err(Error::usage(format!("{} {sure}: expected a probability from 0 to 1", option("sure"))));
    }
    let [one, other] = [&fast, &exact].map(|model| model.manifest.locale);
    if one != other {
        let problem = format!(
            "the first model has the case mappings of \"{one}\", but the second has the case mappings of \"{other}\""
        );
        return Err(Error::usage(format!("{problem}: a cascade needs two models of one language")));
    }
    let labels_of = |labels: &Labels| (0..labels.len()).filter_map(|id| labels.get(id)).collect::<Vec<_>>();
    let [mut labels, exact_labels] = [&fast, &exact].map(|model| labels_of(model.restorer.labels()));
    let marks = fast.restorer.labels().marks();
    let puts_marks = !marks.is_empty() && marks.and(exact.restorer.labels().marks()) == marks;
    let kept = |mark| if puts_marks { mark } else { Mark::None };
    labels.extend(exact_labels.into_iter().map(|(class, mark)| (class, kept(mark))));
    let labels = Labels::new(labels);
    let read = Arc::<Read>::default();
    let (fast, Model { manifest, restorer: exact }) = (fast.restorer, exact);
    let restorer = Arc::new(Cascade { fast, exact, sure, labels, puts_marks, read: read.clone() });
    Ok((Model { manifest, restorer }, read))
}

impl Cascade {
    /// Chooses the labels of the words of windows.
    fn answer(&self, windows: Vec<CascadeWindow>, request: Request) -> Result<Vec<Choice>> {
        if windows.iter().flat_map(|window| &window.choices).any(|choice| choice.confidence.is_none()) {
            let problem = "the first model of a cascade must give probabilities, but this one does not";
            return Err(Error::usage(format!("{problem}: use a maxent or hmm model")));
        }
        let in_doubt = windows.iter().filter(|window| window.in_doubt);
        let doubtful: Vec<Tokens> = in_doubt.map(|window| window.tokens.clone()).collect();
        let puts_marks = self.puts_marks && !request.marks.is_empty();
        let mut better = self.exact.restore_batch(&doubtful, self.second_request(request))?.into_iter();
        let mut out = Vec::new();
        for CascadeWindow { tokens, from, mut choices, in_doubt, keeps_last } in windows {
            self.read.all.fetch_add(choices.len() as u64, Ordering::Relaxed);
            if in_doubt && let Some(better) = better.next() {
                self.read.exact.fetch_add(choices.len() as u64, Ordering::Relaxed);
                let last = choices.len() - 1;
                let words = tokens.as_slice()[from..].iter().zip(&better[from..]);
                for (at, (choice, (token, better))) in choices.iter_mut().zip(words).enumerate() {
                    let first = *choice;
                    *choice = *better;
                    if !puts_marks || keeps_last && at == last {
                        choice.label.mark = first.label.mark;
                        choice.mark_confidence = first.mark_confidence;
                    }
                    if !puts_marks {
                        choice.opening = first.opening;
                    }
                    if matches!(token.constraint, Constraint::Fixed(_)) {
                        choice.label = Label { mark: choice.label.mark, ..first.label };
                        choice.confidence = first.confidence;
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

    /// Returns the request to the second method. If the first method decides marks, the second method reads the
    /// sentences that the first method finds.
    fn second_request(&self, request: Request) -> Request {
        if self.puts_marks || request.marks.is_empty() {
            return Request { shown_capitals: false, ..request };
        }
        let starts = match request.starts {
            SentenceStarts::Predicted => SentenceStarts::Marked,
            starts => starts,
        };
        Request { marks: MarkSet::NONE, starts, ..request }
    }

    fn gathering(&self, request: Request) -> Gathering {
        let decided = match request.marks.is_empty() {
            true => DecidedParts::Cases,
            false if self.puts_marks => DecidedParts::CasesAndMarks,
            false => DecidedParts::CasesByMarks,
        };
        let (held, choices) = (Tokens::new(), Vec::new());
        Gathering { sure: self.sure, held, answered: 0, choices, decided, last: Mark::None }
    }
}

/// Returns the request to the first method, whose doubt about cases counts even if only marks are requested.
fn first_request(request: Request) -> Request {
    Request { cases: true, confidence: true, shown_capitals: false, ..request }
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

    fn balances_capitals(&self) -> bool {
        self.fast.balances_capitals() && self.exact.balances_capitals()
    }

    fn session(&self, request: Request) -> Box<dyn Session + '_> {
        let fast = self.fast.session(first_request(request));
        Box::new(Cascading { cascade: self, request, fast, gathering: self.gathering(request) })
    }

    /// The second method reads the uncertain stretches of all documents together.
    fn restore_batch(&self, documents: &[Tokens], request: Request) -> Result<Vec<Vec<Choice>>> {
        let mut gatherings: Vec<Gathering> = documents.iter().map(|_| self.gathering(request)).collect();
        let read: Vec<Tokens> = gatherings
            .iter_mut()
            .zip(documents)
            .map(|(gathering, document)| gathering.hold(document))
            .collect();
        let fast = self.fast.restore_batch(&read, first_request(request))?;
        let mut windows = Vec::new();
        for (mut gathering, choices) in gatherings.into_iter().zip(fast) {
            gathering.choices = choices;
            gathering.take(Boundary::Reset, &mut windows);
        }
        let mut choices = self.answer(windows, request)?.into_iter();
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
        let read = self.gathering.hold(tokens);
        self.fast.push(&read, end, &mut self.gathering.choices)?;
        let mut windows = Vec::new();
        self.gathering.take(end, &mut windows);
        // Windows are answered one by one, since sums of floats must not depend on the other words that were pushed.
        for window in windows {
            out.extend(self.cascade.answer(vec![window], self.request)?);
        }
        Ok(())
    }
}

/// Words that one of the methods answers, and the words around them.
struct CascadeWindow {
    tokens: Tokens,
    /// The number of context words before the words with choices.
    from: usize,
    /// The choices of the first method.
    choices: Vec<Choice>,
    /// True if the second method answers.
    in_doubt: bool,
    /// True if the first method decides the mark after the last word.
    keeps_last: bool,
}

/// The decisions of the second method.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DecidedParts {
    /// Cases.
    Cases,
    /// Cases. The marks among the choices show where sentences begin, and the marks of the text do not: see
    /// [`Request::marks`].
    CasesByMarks,
    /// Cases and marks.
    CasesAndMarks,
}

/// The words that wait for their window. Where the second method decides only cases, a window is a stretch: a
/// sentence or a line.
struct Gathering {
    /// The probability below which a choice of the first method is in doubt.
    sure: f32,
    /// The words kept: first the words that are already answered, then the unanswered words.
    held: Tokens,
    answered: usize,
    /// The first method's choices for the unanswered words, to which more choices are appended.
    choices: Vec<Choice>,
    decided: DecidedParts,
    /// The mark before the first word that is not answered.
    last: Mark,
}

/// The next window.
struct WindowSpan {
    /// The ends among the held words of the window and of the words that the second method sees.
    to: usize,
    seen: usize,
    in_doubt: bool,
    /// The number of its words that the next window sees.
    kept: usize,
}

impl Gathering {
    /// Adds the next words and returns them as the first method reads them.
    fn hold(&mut self, tokens: &Tokens) -> Tokens {
        let from = self.held.len();
        self.held.extend(tokens, 0..tokens.len());
        let mut read = tokens.clone();
        match self.decided {
            DecidedParts::Cases => {}
            DecidedParts::CasesByMarks => {
                for token in &mut self.held.as_mut_slice()[from..] {
                    let starts = opens(token);
                    *token = Token { starts, left: None, right: None, gap: None, ..token.clone() };
                }
            }
            DecidedParts::CasesAndMarks => read.as_mut_slice().iter_mut().for_each(make_bare),
        }
        read
    }

    /// Processes the windows that are complete at a boundary.
    fn take(&mut self, end: Boundary, out: &mut Vec<CascadeWindow>) {
        let ended = matches!(end, Boundary::Force | Boundary::Reset);
        while let Some(WindowSpan { to, seen, in_doubt, kept }) = self.next_span(ended) {
            let from = self.answered;
            let choices: Vec<Choice> = self.choices.drain(..to - from).collect();
            let last = choices.last().map_or(Mark::None, |choice| choice.label.mark);
            let mut tokens = Tokens::new();
            if in_doubt && self.decided == DecidedParts::CasesAndMarks {
                tokens = self.window_of_marks(from..to, seen, last);
            } else if in_doubt {
                tokens.extend(&self.held, 0..seen);
            }
            let is_forced = end == Boundary::Force;
            let keeps_last = self.held.as_slice().get(to).map_or(is_forced, |next| !opens(next));
            out.push(CascadeWindow { tokens, from, choices, in_doubt, keeps_last });
            (self.last, self.answered) = (last, kept);
            let mut held = Tokens::new();
            held.extend(&self.held, to - kept..self.held.len());
            self.held = held;
        }
    }

    fn next_span(&mut self, ended: bool) -> Option<WindowSpan> {
        match self.decided {
            DecidedParts::CasesAndMarks => self.span_of_marks(ended),
            DecidedParts::Cases | DecidedParts::CasesByMarks => self.span_of_cases(ended),
        }
    }

    /// Returns the next stretch if it is complete, or if the text has `ended`.
    fn span_of_cases(&mut self, ended: bool) -> Option<WindowSpan> {
        let from = self.answered;
        let (end, known) = self.end(from);
        let is_cut = end.unwrap_or(known) > from + MOST + CONTEXT;
        let (to, seen) = match end {
            _ if is_cut => (from + MOST, from + MOST + CONTEXT),
            Some(end) => (end, end),
            None if ended => (self.held.len(), self.held.len()),
            None => return None,
        };
        let choices = self.choices.get(..to - from).filter(|choices| !choices.is_empty())?;
        let in_doubt = choices.iter().any(|choice| self.is_unsure(choice.confidence));
        // After a cut, the next stretch sees the last words of this one.
        Some(WindowSpan { to, seen, in_doubt, kept: if is_cut { CONTEXT } else { 0 } })
    }

    /// Returns the first word after word `from` that begins a stretch, if there is one, and the
    /// number of words for which that is known.
    fn end(&mut self, from: usize) -> (Option<usize>, usize) {
        if self.decided == DecidedParts::Cases {
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

    fn is_unsure(&self, confidence: Option<f32>) -> bool {
        confidence.is_some_and(|sure| probability(sure) < self.sure)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use majuscule_text::{Case, Locale};

    /// A method that chooses one case for all words and inserts full stops after words that end in certain
    /// letters. Its confidence is one half for words with an x and for marks after words with a y.
    #[derive(Clone)]
    struct Fake(Labels, Case, &'static str);

    struct Answering(Case, &'static str, Request);

    impl Restorer for Fake {
        fn labels(&self) -> &Labels {
            &self.0
        }

        fn look_ahead(&self) -> Option<usize> {
            Some(0)
        }

        fn session(&self, request: Request) -> Box<dyn Session + '_> {
            Box::new(Answering(self.1, self.2, request))
        }
    }

    impl Session for Answering {
        fn push(&mut self, tokens: &Tokens, _: Boundary, out: &mut Vec<Choice>) -> Result<()> {
            let Self(case, ends, request) = self;
            let [confidence, mark_confidence] =
                ['x', 'y'].map(|doubt| move |lower: &str| if lower.contains(doubt) { 0.5 } else { 0.9 });
            let mark = |lower: &str| match lower.ends_with(|c| ends.contains(c))
                && request.marks.has(Mark::Period)
            {
                true => Mark::Period,
                false => Mark::None,
            };
            out.extend(tokens.iter().map(|(lower, _)| Choice {
                confidence: request.confidence.then(|| confidence(lower)),
                mark_confidence:
                    (request.confidence && !request.marks.is_empty()).then(|| mark_confidence(lower)),
                ..Label { mark: mark(lower), ..(*case).into() }.into()
            }));
            Ok(())
        }
    }

    fn cascade() -> Cascade {
        let fake = |case, ends| Arc::new(Fake(Labels::cases(), case, ends));
        Cascade {
            fast: fake(Case::Lower, "p"),
            exact: fake(Case::Upper, "pq"),
            sure: 0.8,
            labels: Labels::cases(),
            puts_marks: false,
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

    fn whole(cascade: &Cascade, text: &Tokens, request: Request) -> Vec<Choice> {
        cascade.restore_batch(std::slice::from_ref(text), request).unwrap().remove(0)
    }

    #[test]
    fn the_second_method_answers_the_lines_with_a_word_in_doubt() {
        let cascade = cascade();
        let text = tokens(&[vec!["a", "b"], vec!["a", "x", "c"], vec!["d"]]);
        let choices =
            cascade.restore_batch(&[text.clone(), tokens(&[vec!["x"]])], Request::default()).unwrap();
        assert_eq!([cases(&choices[0]), cases(&choices[1])], ["ffEEEf", "E"]);
        assert!((cascade.read.fraction() - 4.0 / 7.0).abs() < 1e-9);
        assert!(choices[0].iter().all(|choice| choice.confidence.is_none()));
        let sure = whole(&cascade, &text, Request { confidence: true, ..Request::default() });
        assert!(sure.iter().all(|choice| choice.confidence.is_some()));
    }

    fn putting_marks() -> (Cascade, Request) {
        let request = Request { marks: MarkSet::USUAL, ..Request::default() };
        (Cascade { puts_marks: true, ..cascade() }, request)
    }

    #[test]
    fn the_second_method_puts_marks_between_ends_of_which_the_first_is_sure() {
        let (cascade, request) = putting_marks();
        let text = tokens(&[vec!["a", "p", "q", "y", "q", "p", "a", "q", "p", "d"]]);
        let choices = whole(&cascade, &text, request);
        assert_eq!(cases(&choices), "ffEEEEffff");
        let marks: String =
            choices.iter().map(|choice| if choice.label.mark == Mark::None { ' ' } else { '.' }).collect();
        assert_eq!(marks, " .. ..  . ", "the first method would end two sentences");
        let mut shown = text.clone();
        shown.as_mut_slice()[8].gap = Some(Mark::Comma);
        assert_eq!(cases(&whole(&cascade, &shown, request)), "ffEEEEEEEf", "the text shows another mark");
    }

    #[test]
    fn the_second_method_reads_marks_of_the_first_on_both_sides_of_its_words() {
        let (cascade, request) = putting_marks();
        let mut gathering = Cascade { sure: 0.8, ..cascade }.gathering(request);
        gathering.hold(&tokens(&[vec!["a", "p", "x", "p", "a"]]));
        gathering.choices = ["a", "p", "x", "p", "a"]
            .map(|word| {
                let mark = if word == "p" { Mark::Period } else { Mark::None };
                let confidence = Some(if word == "x" { 0.5 } else { 0.9 });
                Choice { confidence, ..Label { mark, ..Label::default() }.into() }
            })
            .to_vec();
        let mut windows = Vec::new();
        gathering.take(Boundary::Reset, &mut windows);
        let [_, window, _] = &windows[..] else { panic!("{} windows", windows.len()) };
        let gaps: Vec<_> = window.tokens.as_slice().iter().map(|token| token.gap).collect();
        let period = Some(Mark::Period);
        assert_eq!((window.from, gaps), (2, vec![None, None, period, None, period]));
        assert!(window.tokens.as_slice()[4].starts);
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
                Box::new(Answering(Case::Lower, "", Request { confidence: false, ..request }))
            }
        }
        let fast = Arc::new(Unsure(Fake(Labels::cases(), Case::Lower, "")));
        let found = Cascade { fast, ..cascade() }.restore_batch(&[tokens(&[vec!["a"]])], Request::default());
        assert!(matches!(found, Err(Error::Usage(_))));
    }

    proptest! {
        #[test]
        fn the_cuts_of_a_text_change_nothing(
            lines in prop::collection::vec(prop::collection::vec("[abpqxy]|[ab]{2,3}", 1..300), 1..4),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let lines: Vec<Vec<&str>> = lines.iter().map(|line| line.iter().map(String::as_str).collect()).collect();
            let text = tokens(&lines);
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len())).collect();
            cuts.sort_unstable();
            for (cascade, request) in [(cascade(), Request::default()), putting_marks()] {
                let whole = whole(&cascade, &text, request);
                prop_assert_eq!(whole.len(), text.len());
                let mut session = cascade.session(request);
                let (mut out, mut from) = (Vec::new(), 0);
                for to in cuts.iter().copied().chain([text.len()]) {
                    let mut part = Tokens::new();
                    part.extend(&text, from..to);
                    session.push(&part, if to == text.len() { Boundary::Reset } else { Boundary::None }, &mut out).unwrap();
                    from = to;
                }
                prop_assert_eq!(out, whole);
            }
        }

        #[test]
        fn marks_that_were_put_in_lead_to_the_same_choices(words in prop::collection::vec("[ab]|[ab]|[pqxy]", 1..400)) {
            let (cascade, request) = putting_marks();
            let text = tokens(&[words.iter().map(String::as_str).collect()]);
            let once = whole(&cascade, &text, request);
            let mut shown = text.clone();
            for (token, before) in shown.as_mut_slice().iter_mut().skip(1).zip(&once) {
                token.gap = before.label.mark.character().map(|_| before.label.mark);
                token.starts = before.label.mark.ends_sentence();
            }
            prop_assert_eq!(whole(&cascade, &shown, request), once);
        }
    }
}
