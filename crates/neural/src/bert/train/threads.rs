//! A pool with the requested number of threads: candle distributes its work in the pool that it is
//! called from.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// The last pool: most calls need as many threads as the call before.
static LAST: Mutex<Option<(NonZeroUsize, Arc<ThreadPool>)>> = Mutex::new(None);

/// Runs work on this number of threads.
///
/// # Errors
/// Fails if the threads cannot be started.
pub fn with<R: Send>(threads: NonZeroUsize, work: impl FnOnce() -> R + Send) -> Result<R, String> {
    Ok(pool(threads)?.install(work))
}

fn pool(threads: NonZeroUsize) -> Result<Arc<ThreadPool>, String> {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((count, pool)) = &*last
        && *count == threads
    {
        return Ok(pool.clone());
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads.get()).build();
    let pool = Arc::new(pool.map_err(|error| error.to_string())?);
    *last = Some((threads, pool.clone()));
    Ok(pool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_as_were_asked_for() {
        for count in [1, 3, 3, 2] {
            let found = with(NonZeroUsize::new(count).unwrap(), rayon::current_num_threads);
            assert_eq!(found, Ok(count));
        }
    }
}
