//! A session of a window model, which reads words and returns choices. No choice depends on how the
//! text is divided into pushes.

use std::fmt::Debug;

use super::windower::{Windower, WordEncoder};
use majuscule_base::error::Result;
use majuscule_text::restorer::{Boundary, Request, Session};
use majuscule_text::{Choice, Tokens};

/// A model that reads windows of words.
pub trait WindowModel: Debug + Sync {
    /// A window of words that the model reads at a time.
    type Window: Debug + Send;
    /// The encoder of words for its network.
    type Encoder<'m>: WordEncoder<Window = Self::Window>
    where
        Self: 'm;
    /// The state of a text between its windows, such as the scores of words that are also targets
    /// of later windows.
    type Pending: Debug + Clone + Default + Send;

    /// Returns the windower of a session.
    fn windower(&self, request: Request) -> Windower<Self::Encoder<'_>>;

    /// Appends the choices for the words that are finished with these windows.
    fn answer(
        &self,
        windows: Vec<Self::Window>,
        pending: &mut Self::Pending,
        request: Request,
        out: &mut Vec<Choice>,
    ) -> Result<()>;
}

/// A text being processed by a model.
#[derive(Debug)]
pub struct WindowSession<'a, M: WindowModel> {
    model: &'a M,
    request: Request,
    windower: Windower<M::Encoder<'a>>,
    windows: Vec<M::Window>,
    pending: M::Pending,
}

/// The largest number of windows that wait for the model, so that memory stays bounded.
const MOST_WAITING: usize = 1024;

impl<'a, M: WindowModel> WindowSession<'a, M> {
    /// Starts a text.
    pub fn new(model: &'a M, request: Request) -> Self {
        let (windower, windows, pending) = (model.windower(request), Vec::new(), M::Pending::default());
        Self { model, request, windower, windows, pending }
    }

    fn answer(&mut self, out: &mut Vec<Choice>) -> Result<()> {
        if self.windows.is_empty() {
            return Ok(());
        }
        let windows = std::mem::take(&mut self.windows);
        self.model.answer(windows, &mut self.pending, self.request, out)
    }
}

impl<M: WindowModel> Session for WindowSession<'_, M> {
    fn push(&mut self, tokens: &Tokens, end: Boundary, out: &mut Vec<Choice>) -> Result<()> {
        for (lower, token) in tokens.iter() {
            self.windower.push(lower, token, &mut self.windows)?;
            if self.windows.len() >= MOST_WAITING {
                self.answer(out)?;
            }
        }
        self.windower.end(end, &mut self.windows);
        self.answer(out)
    }

    fn guess(&mut self, out: &mut Vec<Choice>) -> Result<()> {
        match self.windower.rest() {
            Some(window) => self.model.answer(vec![window], &mut self.pending.clone(), self.request, out),
            None => Ok(()),
        }
    }
}
