//! What every method is: tokens without their capitals in, one choice for each out.

use std::num::NonZeroUsize;

use crate::error::Result;
#[cfg(doc)]
use crate::text::Mark;
use crate::text::{Choice, Label, Labels, SentenceStart, Tokens};

/// What is asked of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Want {
    /// Fill in [`Choice::confidence`], where the method has one.
    pub confidence: bool,
    /// Fill in the marks after words, where the method chooses them; without, all may be [`Mark::None`].
    pub marks: bool,
    /// Which beginnings of sentences a method that can tell them gives a capital.
    pub starts: SentenceStarts,
    /// Use at most so many words of right context; `None` is all that the method uses.
    pub look_ahead: Option<usize>,
    /// How many contexts a choice is averaged over, by a method that sees a window of a long text at a time (Courtland et al. 2020):
    /// slower and better.
    pub predictions: NonZeroUsize,
    /// How many threads a method may use inside one call. The choices do not depend on it.
    pub threads: NonZeroUsize,
}

impl Default for Want {
    fn default() -> Self {
        Self {
            confidence: false,
            marks: false,
            starts: SentenceStarts::Predicted,
            look_ahead: None,
            predictions: NonZeroUsize::MIN,
            threads: NonZeroUsize::MIN,
        }
    }
}

/// Beginnings of sentences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum SentenceStarts {
    /// None: each word is chosen as if it stood inside a sentence.
    None,
    /// Those that the text shows.
    Marked,
    /// Those too that it does not show, as in the output of a recogniser: they are looked for.
    #[default]
    Predicted,
    /// All these, and the first word of each line.
    EveryLine,
}

impl From<SentenceStart> for SentenceStarts {
    /// What a method is asked for where capitals are put so.
    fn from(start: SentenceStart) -> Self {
        match start {
            SentenceStart::Never => Self::None,
            SentenceStart::Auto => Self::Predicted,
            SentenceStart::Always => Self::EveryLine,
        }
    }
}

/// What comes after the tokens of a push.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Boundary {
    /// More, perhaps on the same line: choices that need it are held back.
    None,
    /// A new line, cue or turn, if anything: the context goes on, and a method that does not look past such a break may
    /// answer all.
    Line,
    /// More, but nobody waits for it: all choices are given by the right context there is, and the context goes on.
    Force,
    /// Nothing that belongs together with them: all choices are given and the context is forgotten.
    Reset,
}

/// A trained method, ready for use.
///
/// ```
/// use majuscule::restorer::{Restorer, Want};
/// use majuscule::text::{Locale, Tokens};
///
/// # fn show(method: &dyn Restorer) -> majuscule::error::Result<()> {
/// let document = Tokens::of_words(["hello", "lisbon"], Locale::Root);
/// let choices = method.restore_batch(&[document], Want::default())?;
/// assert_eq!(choices[0].len(), 2);
/// # Ok(())
/// # }
/// ```
pub trait Restorer: Send + Sync {
    /// The labels it chooses among.
    fn labels(&self) -> &Labels;

    /// How many words of right context it uses: so many choices at most are held back. `None` is all there are up to
    /// [`Boundary::Reset`], as an exact search or a transformer uses.
    fn look_ahead(&self) -> Option<usize>;

    /// Returns true where the method has probabilities: [`Choice::confidence`] is filled in where it is asked for.
    fn has_probabilities(&self) -> bool {
        true
    }

    /// Starts on a text.
    fn session(&self, want: Want) -> Box<dyn Session + '_>;

    /// The answers to single reports and verbs; `None` for a method that has none.
    #[doc(hidden)]
    fn details(&self) -> Option<&dyn Details> {
        None
    }

    /// Restores several documents that have nothing to do with each other, in order.
    ///
    /// # Errors
    /// Where the method fails on one, such as for want of memory on a device.
    fn restore_batch(&self, documents: &[Tokens], want: Want) -> Result<Vec<Vec<Choice>>> {
        let mut session = self.session(want);
        let restore = |document: &Tokens| {
            let mut choices = Vec::with_capacity(document.len());
            session.push(document, Boundary::Reset, &mut choices)?;
            Ok(choices)
        };
        documents.iter().map(restore).collect()
    }
}

/// Answers of a method to single reports and verbs, which restoring does without.
pub trait Details {
    /// Whether a word is among the words that the model holds; `None` for a method that has no list of words.
    fn knows(&self, lower: &str) -> Option<bool> {
        let _ = lower;
        None
    }

    /// The `n` likeliest labellings of a sentence, the likeliest first, fewer where there are no more; `None` for a method
    /// that finds only one.
    fn n_best(&self, sentence: &Tokens, n: usize) -> Option<Vec<Labelling>> {
        let _ = (sentence, n);
        None
    }

    /// How much each layer of a network counts; `None` for a method without layers.
    fn layer_weights(&self) -> Option<LayerWeights> {
        None
    }
}

/// How much each layer of a network counts: shares of 1, the layer of embeddings first.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerWeights(pub Vec<f64>);

impl LayerWeights {
    /// Their centre of gravity, the sum of layer times weight with layers counted from 0 (Tenney et al. 2019): the higher it is,
    /// the higher are the layers that tell the case of words.
    pub fn centre(&self) -> f64 {
        self.0.iter().enumerate().map(|(layer, weight)| layer as f64 * weight).sum()
    }

    /// How many layers there are above that of embeddings.
    pub fn layers(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// The centre of gravity over the number of layers, from 0 to 1: networks of different depth compare. `None` without layers.
    pub fn relative_centre(&self) -> Option<f64> {
        (self.layers() > 0).then(|| self.centre() / self.layers() as f64)
    }
}

/// One label for each word of a sentence, together.
#[derive(Debug, Clone, PartialEq)]
pub struct Labelling {
    /// log10 of its probability, together with that of the words.
    pub log10: f64,
    /// The labels.
    pub labels: Vec<Label>,
}

/// A text on its way through a method, with the left context and scratch memory that it needs. Law: any way of cutting a
/// text into pushes gives equal choices.
pub trait Session: Send {
    /// Takes the next words and appends the choices that are certain, in order, one for each word. At most
    /// [`Restorer::look_ahead`] are held back until a later push; none after [`Boundary::Force`], which changes no choice but
    /// those it gives, and none after [`Boundary::Reset`].
    ///
    /// # Errors
    /// Where the method fails, such as for want of memory on a device.
    fn push(&mut self, tokens: &Tokens, end: Boundary, out: &mut Vec<Choice>) -> Result<()>;

    /// Appends the choices that [`Boundary::Force`] would give, and goes on holding them back. A method that holds nothing back has
    /// none.
    ///
    /// # Errors
    /// Like [`Session::push`].
    fn guess(&mut self, out: &mut Vec<Choice>) -> Result<()> {
        let _ = out;
        Ok(())
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
