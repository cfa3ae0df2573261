//! Work on several threads, with the results in order.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Processes items on threads, each with scratch memory, and returns the results in order.
pub fn in_parallel<T: Sync, R: Send, S: Default>(
    items: &[T],
    threads: NonZeroUsize,
    work: impl Fn(&T, &mut S) -> R + Sync,
) -> Vec<R> {
    let threads = threads.get().min(items.len());
    if threads <= 1 {
        let mut scratch = S::default();
        return items.iter().map(|item| work(item, &mut scratch)).collect();
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut scratch = S::default();
                while let at = next.fetch_add(1, Ordering::Relaxed)
                    && let Some(item) = items.get(at)
                {
                    let result = work(item, &mut scratch);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
