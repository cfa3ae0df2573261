//! Work on several threads, with the results in order.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Processes items on threads, each with scratch memory of `scratches`, and returns the results in order.
pub fn in_parallel<T: Sync, R: Send, S: Default + Send>(
    items: &[T],
    threads: NonZeroUsize,
    scratches: &mut Vec<S>,
    work: impl Fn(&T, &mut S) -> R + Sync,
) -> Vec<R> {
    let threads = threads.get().min(items.len()).max(1);
    scratches.resize_with(scratches.len().max(threads), S::default);
    if threads == 1 {
        return items.iter().map(|item| work(item, &mut scratches[0])).collect();
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    thread::scope(|scope| {
        let (next, done, work) = (&next, &done, &work);
        for scratch in &mut scratches[..threads] {
            scope.spawn(move || {
                while let at = next.fetch_add(1, Ordering::Relaxed)
                    && let Some(item) = items.get(at)
                {
                    let result = work(item, scratch);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
