//! The interface of every method: its input is tokens without their capitals, and its output one choice for each
//! token.

use std::num::NonZeroUsize;
use std::sync::Arc;

#[cfg(doc)]
use crate::Token;
use crate::{CapitalBalance, Choice, Label, Labels, Mark, MarkSet, SentenceStart, Tokens, label};
use majuscule_base::error::{self, Error, Result};

/// The request to a session.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Request {
    /// True to fill in [`Choice::confidence`], and [`Choice::mark_confidence`] if marks are requested,
    /// if the method has probabilities.
    pub confidence: bool,
    /// True to fill in the ends of sentences after words, if the method finds them; otherwise all
    /// marks may be [`Mark::None`].
    pub sentence_ends: bool,
    /// False if only marks are requested: the cases of the choices are then arbitrary.
    pub cases: bool,
    /// The marks to choose from, among the marks that the method can insert after words. If there are any, the marks
    /// of the text count as constraints ([`Token::gap`]) and not as context, so that inserted marks and original
    /// marks lead to the same choices.
    pub marks: MarkSet,
    /// The probability, from 0 to 1, below which a mark is not inserted and does not count as context;
    /// `None` lets the method decide alone.
    pub mark_threshold: Option<f32>,
    /// The sentence starts that get a capital, from a method that can distinguish them.
    pub starts: SentenceStarts,
    /// The balance between missing and superfluous capitals, for a method that
    /// [has one](Restorer::balances_capitals).
    pub capitals: CapitalBalance,
    /// True if a capital in the source may be evidence of a sentence start where marks are inserted. This requires
    /// that the same method decides capitals and marks, so that a text restored again has no new evidence.
    pub shown_capitals: bool,
    /// The largest number of words of right context to use; `None` is all that the method uses.
    pub look_ahead: Option<usize>,
    /// The number of contexts that a choice is averaged over, by a method that sees a window of a
    /// long text at a time (Courtland et al. 2020). More contexts are slower and better.
    pub predictions: NonZeroUsize,
    /// The number of threads that a method may use inside one call. The choices do not depend on
    /// it.
    pub threads: NonZeroUsize,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            confidence: false,
            sentence_ends: false,
            cases: true,
            marks: MarkSet::NONE,
            mark_threshold: None,
            starts: SentenceStarts::Predicted,
            capitals: CapitalBalance::default(),
            shown_capitals: true,
            look_ahead: None,
            predictions: NonZeroUsize::MIN,
            threads: NonZeroUsize::MIN,
        }
    }
}

impl Request {
    /// Returns true if the probabilities of marks are needed.
    pub fn needs_mark_confidence(&self) -> bool {
        self.confidence || self.mark_threshold.is_some()
    }

    /// Returns `mark`, or no mark if `mark` is less probable than the threshold, with the probability of the result
    /// if it is needed.
    pub fn decided(&self, mark: Mark, probability: impl Fn(Mark) -> f32) -> (Mark, Option<f32>) {
        if !self.needs_mark_confidence() {
            return (mark, None);
        }
        let probability = |mark| label::probability(probability(mark));
        let found = probability(mark);
        match self.mark_threshold {
            Some(least) if found < least && mark != Mark::None => (Mark::None, Some(probability(Mark::None))),
            _ => (mark, Some(found)),
        }
    }
}

/// Checks that a method supports this balance of capitals.
///
/// # Errors
/// Returns [`Error::Usage`].
pub fn check_capitals(method: &dyn Restorer, balance: CapitalBalance) -> Result<()> {
    if balance == CapitalBalance::default() || method.balances_capitals() {
        return Ok(());
    }
    let option = error::option("capitals");
    Err(Error::usage(format!(
        "the method cannot balance capitals: leave {option} out, or use maxent or a network"
    )))
}

/// A set of sentence starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum SentenceStarts {
    /// No sentence starts: each case is chosen as if the word were inside a sentence.
    None,
    /// Sentence starts that the text shows.
    Marked,
    /// Sentence starts that the text shows, and starts that the method predicts, as in the output of a
    /// recogniser.
    #[default]
    Predicted,
    /// All sentence starts, marked or predicted, and the first word of each line.
    EveryLine,
}

impl From<SentenceStart> for SentenceStarts {
    /// Returns the sentence starts to request from a method under a sentence-start option.
    fn from(start: SentenceStart) -> Self {
        match start {
            SentenceStart::Never => Self::None,
            SentenceStart::Auto => Self::Predicted,
            SentenceStart::Always => Self::EveryLine,
        }
    }
}

/// The boundary after the tokens of a push.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Boundary {
    /// No boundary: more words may follow on the same line, and choices that depend on them are
    /// held back.
    None,
    /// A new line, cue or turn: the context is kept, and a method that does not look past such a
    /// break may return all choices.
    Line,
    /// No boundary in the text, but choices wait no longer: all choices are returned, made with the right context
    /// that has arrived, and the context is kept.
    Force,
    /// The end of the text: all choices are returned and the context is cleared.
    Reset,
}

/// A trained method, ready for use.
///
/// ```
/// use majuscule::{Request, Restorer};
/// use majuscule::{Locale, Tokens};
///
/// # fn show(method: &dyn Restorer) -> majuscule::Result<()> {
/// let document = Tokens::of_words(["hello", "lisbon"], Locale::Root);
/// let choices = method.restore_batch(&[document], Request::default())?;
/// assert_eq!(choices[0].len(), 2);
/// # Ok(())
/// # }
/// ```
pub trait Restorer: Send + Sync {
    /// Returns the labels that the method chooses among.
    fn labels(&self) -> &Labels;

    /// Returns the number of words of right context that the method uses, which is also the largest
    /// number of choices that it holds back. `None` is all words up to [`Boundary::Reset`], as an
    /// exact search or a transformer uses.
    fn look_ahead(&self) -> Option<usize>;

    /// Returns the number of words of right context that live text has unless [`Request::look_ahead`] limits it;
    /// `None` means all words that the method uses.
    fn live_look_ahead(&self) -> Option<usize> {
        None
    }

    /// Returns true if the method has probabilities: [`Choice::confidence`] is then filled in on
    /// request.
    fn has_probabilities(&self) -> bool {
        true
    }

    /// Returns true if the method follows [`Request::capitals`].
    fn balances_capitals(&self) -> bool {
        false
    }

    /// Returns true if the method averages its choices over contexts ([`Request::predictions`]).
    fn averages_contexts(&self) -> bool {
        false
    }

    /// Starts a text.
    fn session(&self, request: Request) -> Box<dyn Session + '_>;

    /// Returns the details for individual reports and commands; `None` for a method without details.
    #[doc(hidden)]
    fn details(&self) -> Option<&dyn Details> {
        None
    }

    /// Restores several independent documents, in order.
    ///
    /// # Errors
    /// Fails if the method fails on a document, such as for lack of memory on a device.
    fn restore_batch(&self, documents: &[Tokens], request: Request) -> Result<Vec<Vec<Choice>>> {
        let mut session = self.session(request);
        let restore = |document: &Tokens| {
            let mut choices = Vec::with_capacity(document.len());
            session.push(document, Boundary::Reset, &mut choices)?;
            Ok(choices)
        };
        documents.iter().map(restore).collect()
    }
}

/// Details of a method for individual reports and commands, which restoring does not need.
pub trait Details {
    /// Returns true if the model's vocabulary contains a word; `None` for a method without a
    /// vocabulary.
    fn knows(&self, lower: &str) -> Option<bool> {
        let _ = lower;
        None
    }

    /// Returns the `n` most probable labellings of a sentence, best first, or fewer if there are no
    /// more; `None` for a method that finds only one.
    fn n_best(&self, sentence: &Tokens, n: usize) -> Option<Vec<Labelling>> {
        let _ = (sentence, n);
        None
    }

    /// Returns the weight of each layer of a network; `None` for a method without layers.
    fn layer_weights(&self) -> Option<LayerWeights> {
        None
    }
}

/// The weight of each layer of a network, the embedding layer first; the weights sum to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerWeights(pub Vec<f64>);

impl LayerWeights {
    /// Returns the centre of gravity: the sum of layer times weight, with layers counted from 0 (Tenney
    /// et al. 2019). A higher centre means that higher layers determine the case of words.
    pub fn centre(&self) -> f64 {
        self.0.iter().enumerate().map(|(layer, weight)| layer as f64 * weight).sum()
    }

    /// Returns the number of layers above the embedding layer.
    pub fn layers(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// Returns the centre of gravity divided by the number of layers, from 0 to 1, which compares
    /// networks of different depth. `None` without layers.
    pub fn relative_centre(&self) -> Option<f64> {
        (self.layers() > 0).then(|| self.centre() / self.layers() as f64)
    }
}

/// A joint labelling of a sentence, one label for each word.
#[derive(Debug, Clone, PartialEq)]
pub struct Labelling {
    /// The log10 of the joint probability of the labels and the words.
    pub log10: f64,
    /// The labels.
    pub labels: Vec<Label>,
}

/// A text being processed by a method, with the left context and scratch memory that it needs. Law:
/// the choices do not depend on how the text is cut into pushes.
pub trait Session: Send {
    /// Adds the next words and appends the choices that are certain, in order, one for each word. At most
    /// [`Restorer::look_ahead`] choices are held back until a later push. None are held back after
    /// [`Boundary::Reset`] or [`Boundary::Force`]. A forced push changes only the choices that it forces and the
    /// consequences of marks among them.
    ///
    /// # Errors
    /// Fails if the method fails, such as for lack of memory on a device.
    fn push(&mut self, tokens: &Tokens, end: Boundary, out: &mut Vec<Choice>) -> Result<()>;

    /// Appends the choices that [`Boundary::Force`] would make, and continues to hold them back. A
    /// method that holds nothing back appends none.
    ///
    /// # Errors
    /// Like [`Session::push`].
    fn guess(&mut self, out: &mut Vec<Choice>) -> Result<()> {
        let _ = out;
        Ok(())
    }
}

/// A session that borrows its method.
type BorrowedSession<'a> = Box<dyn Session + 'a>;

self_cell::self_cell!(
    /// A session that shares ownership of its method, and therefore has no lifetime parameter.
    pub struct OwnedSession {
        owner: Arc<dyn Restorer>,
        #[covariant]
        dependent: BorrowedSession,
    }
);

impl OwnedSession {
    /// Starts a text.
    pub fn start(method: Arc<dyn Restorer>, request: Request) -> Self {
        Self::new(method, |method| method.session(request))
    }
}

impl Session for OwnedSession {
    fn push(&mut self, tokens: &Tokens, end: Boundary, out: &mut Vec<Choice>) -> Result<()> {
        self.with_dependent_mut(|_, session| session.push(tokens, end, out))
    }

    fn guess(&mut self, out: &mut Vec<Choice>) -> Result<()> {
        self.with_dependent_mut(|_, session| session.guess(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_centre_of_gravity_is_that_of_a_pencil() {
        // 0 · 1/2 + 1 · 1/8 + 2 · 1/8 + 3 · 1/4 = 1.125, of 3 layers.
        let weights = LayerWeights(vec![0.5, 0.125, 0.125, 0.25]);
        assert_eq!((weights.centre(), weights.relative_centre()), (1.125, Some(0.375)));
        assert_eq!(LayerWeights(vec![1.0]).relative_centre(), None);
    }
}
