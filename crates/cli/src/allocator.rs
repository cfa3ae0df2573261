//! The settings of the C library's allocator.
#![allow(unsafe_code)] // The C library has no safe way to set them.

/// The number of arenas: memory that a thread has freed can be reused by other threads only within an arena.
const ARENAS: libc::c_int = 2;

/// The number of bytes from which memory goes back to the system as soon as it is freed.
const MAPPED: libc::c_int = 1 << 20;

/// Sets the allocator for a process that serves many requests: without it, glibc keeps a few hundred megabytes of
/// large requests that have ended. To be called before there are threads.
pub fn share_among_threads() {
    for (setting, value) in [(libc::M_ARENA_MAX, ARENAS), (libc::M_MMAP_THRESHOLD, MAPPED)] {
        // SAFETY: it changes what later allocations do and touches no memory; a value that it does not accept changes nothing.
        unsafe { libc::mallopt(setting, value) };
    }
}
