//! A flag with which a host stops a long call from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

/// The number of words after which a flag is checked again: a quarter of a second per thread with the slowest method.
pub const WORDS_AT_ONCE: usize = 1000;

/// A flag that stops work at the next point where nothing is half done, within milliseconds. Clones share the flag.
/// By default there is no flag, and nothing stops.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Option<Arc<AtomicBool>>);

impl Interrupt {
    /// Makes a flag.
    pub fn new() -> Self {
        Self(Some(Arc::default()))
    }

    /// Stops all work that has the flag, now and later. Without a [flag](Interrupt::new) nothing
    /// happens.
    pub fn set(&self) {
        if let Some(flag) = &self.0 {
            flag.store(true, Ordering::Relaxed);
        }
    }

    /// Checks the flag.
    ///
    /// # Errors
    /// [`Error::Interrupted`] once it is set.
    #[inline]
    pub fn check(&self) -> Result<()> {
        match &self.0 {
            Some(flag) if flag.load(Ordering::Relaxed) => Err(Error::Interrupted),
            _ => Ok(()),
        }
    }
}
