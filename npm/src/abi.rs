//! The functions that JavaScript calls: the one place with `unsafe`.
//!
//! The steps of a call: `input_place(bytes)` returns the address for the input, JavaScript writes it there and calls
//! a function, which returns 0, or 1 if it failed; the answer, or the failure as JSON, is the `answer_length()` bytes
//! at `answer_place()`. Addresses are valid until the next call. Only numbers cross the boundary, and no function
//! reads memory at an address that it receives, so JavaScript cannot make the code read or write anything but its own
//! buffers.
#![allow(unsafe_code)] // Functions keep their names for JavaScript by the attribute `no_mangle`, which counts as unsafe.

use std::cell::RefCell;

use crate::core::Core;

thread_local! {
    // This WebAssembly module has one thread and runs one call at a time: a borrow fails only after a panic, which
    // ends the instance.
    static CORE: RefCell<Core> = {
        std::panic::set_hook(Box::new(|panic| PANIC.set(panic.to_string())));
        RefCell::default()
    };

    // The message of the panic that ended the instance.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

fn with<T>(work: impl FnOnce(&mut Core) -> T) -> T {
    CORE.with_borrow_mut(work)
}

/// Makes room for the input of the next call and returns its address.
#[unsafe(no_mangle)]
extern "C" fn input_place(bytes: usize) -> *mut u8 {
    with(|core| core.input_room(bytes).as_mut_ptr())
}

/// Returns the address of the last answer.
#[unsafe(no_mangle)]
extern "C" fn answer_place() -> *const u8 {
    with(|core| core.answer().as_ptr())
}

/// Returns the number of bytes of the last answer.
#[unsafe(no_mangle)]
extern "C" fn answer_length() -> usize {
    with(|core| core.answer().len())
}

/// Returns the address of the message of the panic that ended the instance.
#[unsafe(no_mangle)]
extern "C" fn panic_place() -> *const u8 {
    PANIC.with_borrow(|message| message.as_ptr())
}

/// Returns the number of bytes of the message of the panic that ended the instance.
#[unsafe(no_mangle)]
extern "C" fn panic_length() -> usize {
    PANIC.with_borrow(String::len)
}

/// Exports a function for each call of [`Core`]. Its name begins with `majuscule_`, so that no other library has it.
macro_rules! calls {
    ($($name:ident $(($number:ident))? => $call:ident,)*) => {
        $(
            #[doc = concat!("Calls [`Core::", stringify!($call), "`].")]
            #[unsafe(no_mangle)]
            extern "C" fn $name($($number: u32)?) -> u32 {
                with(|core| core.answer_with(|core, input| core.$call(input $(, $number)?)))
            }
        )*
    };
}

calls! {
    majuscule_load => load,
    majuscule_set_options => set_options,
    majuscule_restore => restore,
    majuscule_words => words,
    majuscule_label => label,
    majuscule_stream_start => stream_start,
    majuscule_stream_push(stream) => stream_push,
    majuscule_stream_now(stream) => stream_now,
    majuscule_stream_tail(stream) => stream_tail,
    majuscule_stream_finish(stream) => stream_finish,
    majuscule_stream_drop(stream) => stream_drop,
    majuscule_restore_file => restore_file,
    majuscule_convert => convert,
    majuscule_report => report,
    majuscule_language => detect_language,
    majuscule_file_language => detect_file_language,
}
