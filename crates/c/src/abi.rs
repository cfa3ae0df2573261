//! The functions that C calls, and the one place with `unsafe`: addresses become references here, and answers become
//! memory of the caller.
//!
//! The comments are those of the header, which cbindgen makes from this file. The rules that all functions share are at
//! the top of `cbindgen.toml`.
#![allow(unsafe_code)] // The caller passes addresses, and the functions keep their names.
#![allow(non_camel_case_types)] // Types have the names that C gives them.

use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr::{self, NonNull};

use majuscule::{Model, RestoredWord, Streaming};
use majuscule_base::error::{Error, Result, caught};
use majuscule_restore::CallOptions;

use crate::calls::{LiveText, embedded, option_name, read_options, restore_file, utf8};

/// The most bytes that a text, a file or a model given as bytes may have, which is 2 GiB less one byte. A greater length
/// is refused and nothing is read: it is a negative number, or memory that was never set.
pub const MJ_MAX_LENGTH: usize = 0x7FFF_FFFF;

/// The outcome of a call. A later version may have more codes: anything but MJ_OK is a failure.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum mj_code {
    /// The call has done its work.
    MJ_OK = 0,
    /// An argument or an option is wrong: change the call.
    MJ_USAGE = 1,
    /// The text or the file is wrong, for example not UTF-8: change the data.
    MJ_INPUT = 2,
    /// The model is truncated, altered, or of a method that this build lacks: use another one.
    MJ_MODEL = 3,
    /// The system cannot read a file.
    MJ_FILE = 4,
    /// The library has a bug: report the message with the text and the options.
    MJ_BUG = 5,
}

/// A trained model. It does not change: any number of threads may use one at the same time.
pub struct mj_model(Model);

/// A text that is restored while it arrives. One thread at a time may use it. It needs its model only at its start: the
/// model may be freed before the stream.
pub struct mj_stream(LiveText);

/// The words of a text, restored. Any number of threads may read it at the same time.
pub struct mj_word_list {
    words: Vec<mj_word>,
    /// The forms, one after another, each with a NUL.
    _forms: Vec<u8>,
}

/// The description of a failure.
pub struct mj_error {
    code: mj_code,
    message: CString,
}

/// A text that a call returns. Set it to {NULL, 0} or leave it unset before the call, and free it with mj_string_free
/// after it. The call writes it in any case: after a failure it is {NULL, 0}.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct mj_string {
    /// The bytes, UTF-8 except for files in other encodings, with a NUL after the last one. A text may have NULs of its
    /// own.
    pub data: *const c_char,
    /// The number of bytes without the last NUL. Do not change it: mj_string_free reads it.
    pub length: usize,
}

/// A word of a text, restored. It belongs to its mj_word_list.
#[repr(C)]
#[derive(Debug)]
pub struct mj_word {
    /// The word with the capitals that it gets, without inserted punctuation: UTF-8 with a NUL after the last byte.
    pub form: *const c_char,
    /// The number of bytes of the form, without the NUL.
    pub form_length: usize,
    /// The position of its first byte in the text, from 0.
    pub start: usize,
    /// The position after its last byte in the text.
    pub end: usize,
    /// The punctuation mark inserted after it, as a Unicode code point; 0 if none is.
    pub mark: u32,
    /// The opening mark inserted before it, such as U+00BF in Spanish, as a Unicode code point; 0 if none is.
    pub opening: u32,
    /// The probability of its case, from 0 to 1; -1 if the model has none.
    pub probability: f32,
    /// The probability of its mark, or of no mark, from 0 to 1; -1 without the option "marks".
    pub mark_probability: f32,
    /// 1 if a sentence ends after it, 0 if not, and -1 if the model finds no ends.
    pub sentence_end: c_int,
}

/// An answer that a call writes to an address; `NONE` is written if the call fails.
trait Answer {
    const NONE: Self;
}

impl<T> Answer for *mut T {
    const NONE: Self = ptr::null_mut();
}

impl Answer for mj_string {
    const NONE: Self = Self { data: ptr::null(), length: 0 };
}

impl From<Vec<u8>> for mj_string {
    /// Gives the bytes to the caller, in exactly as much memory as they need with a NUL.
    fn from(mut bytes: Vec<u8>) -> Self {
        let length = bytes.len();
        bytes.push(0);
        let data = Box::into_raw(bytes.into_boxed_slice()).cast::<c_char>();
        Self { data, length }
    }
}

impl mj_error {
    fn new(error: &Error) -> Self {
        let code = match error {
            Error::Usage(_) | Error::NoModel { .. } => mj_code::MJ_USAGE,
            Error::Input { .. } => mj_code::MJ_INPUT,
            Error::Model { .. } => mj_code::MJ_MODEL,
            Error::Io { .. } => mj_code::MJ_FILE,
            _ => mj_code::MJ_BUG,
        };
        let message = error.worded(option_name).replace('\0', "\u{FFFD}");
        Self { code, message: CString::new(message).unwrap_or_default() }
    }
}

impl mj_word_list {
    fn new(words: Vec<RestoredWord>, language: &str) -> Self {
        let mut forms = Vec::with_capacity(words.iter().map(|word| word.text.len() + 1).sum());
        for word in &words {
            forms.extend_from_slice(word.text.as_bytes());
            forms.push(0);
        }
        let mut form = forms.as_ptr().cast::<c_char>();
        let listed = |word: RestoredWord| {
            let listed = mj_word {
                form,
                form_length: word.text.len(),
                start: word.span.start,
                end: word.span.end,
                mark: word.mark.character().map_or(0, u32::from),
                opening: word.opening.opening(language).map_or(0, u32::from),
                probability: word.confidence.unwrap_or(-1.0),
                mark_probability: word.mark_confidence.unwrap_or(-1.0),
                sentence_end: word.ends_sentence.map_or(-1, c_int::from),
            };
            form = form.wrapping_add(word.text.len() + 1);
            listed
        };
        Self { words: words.into_iter().map(listed).collect(), _forms: forms }
    }
}

/// Makes a call whose answer goes to `place`: catches a panic, writes the error, and returns the code.
///
/// # Safety
/// `place` and `error` are NULL or may be written to.
unsafe fn answer<T: Answer>(
    place: *mut T,
    error: *mut *mut mj_error,
    work: impl FnOnce() -> Result<T>,
) -> mj_code {
    let write = || {
        let place = NonNull::new(place)
            .ok_or_else(|| Error::usage("the address for the result is NULL: pass that of a variable"))?;
        // SAFETY: the caller's promise.
        unsafe { place.write(T::NONE) };
        let found = work()?;
        // SAFETY: the same.
        unsafe { place.write(found) };
        Ok(())
    };
    let failure = caught(write).err().map(|error| Box::new(mj_error::new(&error)));
    let code = failure.as_ref().map_or(mj_code::MJ_OK, |failure| failure.code);
    if !error.is_null() {
        // SAFETY: the caller's promise.
        unsafe { error.write(failure.map_or(ptr::null_mut(), Box::into_raw)) };
    }
    code
}

/// Gives a value to the caller.
fn given<T>(value: T) -> *mut T {
    Box::into_raw(Box::new(value))
}

/// Frees what the caller was given, and sets its pointer to NULL.
///
/// # Safety
/// `place` is NULL or the address of a pointer that is NULL or from [`given`].
unsafe fn free<T>(place: *mut *mut T) {
    if place.is_null() {
        return;
    }
    // SAFETY: the caller's promise.
    let value = unsafe { place.replace(ptr::null_mut()) };
    if !value.is_null() {
        // A value whose destructor panics is lost, since there is nobody to be told.
        let _ = caught(|| {
            // SAFETY: the same.
            drop(unsafe { Box::from_raw(value) });
            Ok(())
        });
    }
}

/// The value behind a pointer that the caller must not leave out.
///
/// # Safety
/// `value` is NULL or points to a value that lives as long as the reference.
unsafe fn some<'a, T>(value: *const T, name: &str, maker: &str) -> Result<&'a T> {
    // SAFETY: the caller's promise.
    unsafe { value.as_ref() }.ok_or_else(|| Error::usage(format!("the {name} is NULL: expected {maker}")))
}

/// The bytes at an address; NULL is no bytes if the length is 0.
///
/// # Safety
/// `bytes` is NULL or the address of `length` bytes that live as long as the reference.
unsafe fn bytes_at<'a>(bytes: *const c_char, length: usize, name: &str) -> Result<&'a [u8]> {
    if length > MJ_MAX_LENGTH {
        let problem = format!("{name} has a length of {length}: expected at most {MJ_MAX_LENGTH} bytes");
        return Err(Error::usage(problem));
    }
    match length {
        0 => Ok(&[]),
        _ if bytes.is_null() => {
            Err(Error::usage(format!("{name} is NULL with a length of {length}: expected its address")))
        }
        // SAFETY: the caller's promise; the length fits isize.
        _ => Ok(unsafe { std::slice::from_raw_parts(bytes.cast(), length) }),
    }
}

/// A name, a path or options; `None` for NULL.
///
/// # Safety
/// `name` is NULL or the address of bytes that end with a NUL and live as long as the reference.
unsafe fn string_at<'a>(string: *const c_char, name: &str) -> Result<Option<&'a str>> {
    if string.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    utf8(name, unsafe { CStr::from_ptr(string) }.to_bytes()).map(Some)
}

/// The options of a call; NULL is none.
///
/// # Safety
/// Like [`string_at`].
unsafe fn options_at(options: *const c_char) -> Result<CallOptions> {
    // SAFETY: the caller's promise.
    unsafe { string_at(options, "the options") }?.map_or_else(|| Ok(CallOptions::default()), read_options)
}

/// The model of a call.
///
/// # Safety
/// `model` is NULL or a model that is not freed during the call.
unsafe fn model_at<'a>(model: *const mj_model) -> Result<&'a Model> {
    // SAFETY: the caller's promise.
    Ok(&unsafe { some(model, "model", "one from mj_model_embedded, mj_model_open or mj_model_from_bytes") }?
        .0)
}

/// Returns the version of the library, such as "0.1.0". It is not freed.
#[unsafe(no_mangle)]
pub extern "C" fn mj_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Loads a model that is built into the library.
///
/// `language` is a tag such as "en"; of a tag such as "en-GB" only the language counts. `preset` is "accurate" (a small
/// network), "fast" (several times as fast, a quarter of the size) or NULL for the best that this build has. Keep the model:
/// loading it takes some milliseconds.
///
/// Fails with MJ_USAGE if this build has no such model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mj_model_embedded(
    language: *const c_char,
    preset: *const c_char,
    model: *mut *mut mj_model,
    error: *mut *mut mj_error,
) -> mj_code {
    // SAFETY: the header asks the caller for it, here and below.
    unsafe {
        answer(model, error, || {
            let language = string_at(language, "the language")?
                .ok_or_else(|| Error::usage("the language is NULL: expected a tag such as \"en\""))?;
            embedded(language, string_at(preset, "the preset")?).map(|model| given(mj_model(model)))
        })
    }
}

/// Loads a model from a folder or a packed file; `path` is UTF-8 on every system.
///
/// The file may be mapped into memory: do not change it while the model is in use.
///
/// Fails with MJ_MODEL if there is no model at the path, or if it is truncated or altered, and with MJ_FILE if the system
/// cannot read it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mj_model_open(
    path: *const c_char,
    model: *mut *mut mj_model,
    error: *mut *mut mj_error,
) -> mj_code {
    // SAFETY: as above.
    unsafe {
        answer(model, error, || {
            let path = string_at(path, "the path")?.ok_or_else(|| {
                Error::usage("the path is NULL: expected that of a folder or a packed file")
            })?;
            Ok(given(mj_model(Model::open(path)?)))
        })
    }
}

/// Loads a model from the bytes of a packed file. They are copied: the caller may free them after the call.
///
/// Fails with MJ_MODEL if they are truncated, altered or not a model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mj_model_from_bytes(
    bytes: *const c_char,
    length: usize,
    model: *mut *mut mj_model,
    error: *mut *mut mj_error,
) -> mj_code {
    // SAFETY: as above.
    unsafe {
        answer(model, error, || {
            let bytes = bytes_at(bytes, length, "the model")?;
            Ok(given(mj_model(Model::from_bytes(bytes.to_vec())?)))
        })
    }
}

/// Frees a model and sets the pointer to NULL. No call may be using the model; streams go on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mj_model_free(model: *mut *mut mj_model) {
    // SAFETY: as above.
    unsafe { free(model) }
}

/// Restores a text: capitals and, with {"marks": true}, punctuation. Everything else stays as it is.
///
/// `text` is `length` bytes of UTF-8. Free `restored` with mj_string_free.
///
/// Fails with MJ_INPUT if the text is not UTF-8 (the message has the position of the byte), and with MJ_USAGE if the
/// model does not support an option.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mj_restore(
    model: *const mj_model,
    text: *const c_char,
    length: usize,
    options: *const c_char,
    restored: *mut mj_string,
    error: *mut *mut mj_error,
) -> mj_code {
    // SAFETY: as above.
    unsafe {
        answer(restored, error, || {
            let restorer = options_at(options)?.restorer(model_at(model)?)?;
            let text = utf8("the text", bytes_at(text, length, "the text")?)?;
            Ok(restorer.restore(text)?.into_bytes().into())
        })
    }
}

/// Restores a text that is inserted between two others, such as words dictated at the cursor of an editor. The result is
/// the text with the spaces that are missing: the texts around it are not part of it, and stay as they are.
///
/// `before`, `text` and `after` are bytes of UTF-8 with their lengths. The last 60 words before and the first 60 after
/// count, and either text may be empty. Free `restored` with mj_string_free.
///
/// Fails like mj_restore.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mj_restore_between(
    model: *const mj_model,
    before: *const c_char,
    before_length: usize,
    text: *const c_char,
    length: usize,
    after: *const c_char,
    after_length: usize,
    options: *const c_char,
    restored: *mut mj_string,
    error: *mut *mut mj_error,
) -> mj_code {
    // SAFETY: as above.
    unsafe {
        answer(restored, error, || {
            let restorer = options_at(options)?.restorer(model_at(model)?)?;
            let read = |bytes, length, name| utf8(name, bytes_at(bytes, length, name)?);
            let before = read(before, before_length, "the text before")?;
            let text = read(text, length, "the text")?;
            let after = read(after, after_length, "the text after")?;
            Ok(restorer.between(before, text, after)?.into_bytes().into())
        })
    }
}

/// Restores a text and returns its words with their positions, marks and probabilities, in the order of the text.
///
/// `text` is `length` bytes of UTF-8. Free `words` with mj_word_list_free.
///
/// Fails like mj_restore.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mj_words(
    model: *const mj_model,
    text: *const c_char,
    length: usize,
    options: *const c_char,
    words: *mut *mut mj_word_list,
    error: *mut *mut mj_error,
) -> mj_code {
    // SAFETY: as above.
    unsafe {
        answer(words, error, || {
            let model = model_at(model)?;
            let restorer = options_at(options)?.restorer(model)?;
            let words = restorer.words(utf8("the text", bytes_at(text, length, "the text")?)?)?;
            Ok(given(mj_word_list::new(words, restorer.as_ref().language())))
        })
    }
}

/// Returns the number of words; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mj_word_list_count(words: *const mj_word_list) -> usize {
    // SAFETY: as above.
    unsafe { words.as_ref() }.map_or(0, |list| list.words.len())
}

/// Returns a word by its number, from 0; NULL if there is none of that number. The word is not freed: it lives as long
/// as the list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mj_word_list_at(words: *const mj_word_list, number: usize) -> *const mj_word {
    // SAFETY: as above.
    let word = unsafe { words.as_ref() }.and_then(|list| list.words.get(number));
    word.map_or(ptr::null(), ptr::from_ref)
}

/// Frees a list with its words and sets the pointer to NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mj_word_list_free(words: *mut *mut mj_word_list) {
    // SAFETY: as above.
    unsafe { free(words) }
}

/// Starts a text that is restored while it arrives.
///
/// Unless the options say otherwise, existing capitals are ignored, and a word waits for the next one. With
/// {"look_ahead": 0} it waits for none.
///
/// Fails with MJ_USAGE if the model does not support an option.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mj_stream_new(
    model: *const mj_model,
    options: *const c_char,
    stream: *mut *mut mj_stream,
    error: *mut *mut mj_error,
) -> mj_code {
    // SAFETY: as above.
    unsafe {
        answer(stream, error, || {
            Ok(given(mj_stream(LiveText::start(model_at(model)?, &options_at(options)?)?)))
        })
    }
}

/// Makes a call of a stream.
///
/// # Safety
/// `stream` is NULL or a stream that no other call is using; `out` and `error` are like in [`answer`].
unsafe fn on_stream(
    stream: *mut mj_stream,
    out: *mut mj_string,
    error: *mut *mut mj_error,
    work: impl FnOnce(&mut LiveText) -> Result<Vec<u8>>,
) -> mj_code {
    // SAFETY: the caller's promise.
    unsafe {
        answer(out, error, || {
            let stream = stream.as_mut();
            let stream =
                stream.ok_or_else(|| Error::usage("the stream is NULL: expected one from mj_stream_new"))?;
            work(&mut stream.0).map(mj_string::from)
        })
    }
}

/// Adds the next part of the text and returns what has become certain, which does not change any more and may be empty.
///
/// `text` is `length` bytes of UTF-8, which may end inside a word or a character: the result does not depend on how the
/// text is cut. Joined, the results are the text. Free `restored` with mj_string_free.
///
/// Fails with MJ_INPUT if the text is not UTF-8, unless {"lossy": true} lets it pass. After a failure that is not
/// MJ_USAGE the stream has ended, and only mj_stream_free is of use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mj_stream_push(
    stream: *mut mj_stream,
    text: *const c_char,
    length: usize,
    restored: *mut mj_string,
    error: *mut *mut mj_error,
) -> mj_code {
    // SAFETY: as above.
    unsafe {
        on_stream(stream, restored, error, |live| {
            let text = bytes_at(text, length, "the text")?;
            live.run(|stream, out| stream.push(text, out))
        })
    }
}

/// Returns the text that has arrived and is not certain yet, as it would be if nothing more came. The stream goes on as
/// if it had not been asked: show this text, and replace it after the next push.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mj_stream_tail(
    stream: *mut mj_stream,
    restored: *mut mj_string,
    error: *mut *mut mj_error,
) -> mj_code {
    // SAFETY: as above.
    unsafe {
        on_stream(stream, restored, error, |live| {
            live.run(|stream, out| {
                *out = stream.tail()?;
                Ok(())
            })
        })
    }
}

/// Stops waiting: returns all the text that has arrived, which does not change any more. The stream goes on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mj_stream_now(
    stream: *mut mj_stream,
    restored: *mut mj_string,
    error: *mut *mut mj_error,
) -> mj_code {
    // SAFETY: as above.
    unsafe { on_stream(stream, restored, error, |live| live.run(|stream, out| stream.now(out))) }
}

/// Ends the text and returns the rest of it. After that only mj_stream_free is of use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mj_stream_finish(
    stream: *mut mj_stream,
    restored: *mut mj_string,
    error: *mut *mut mj_error,
) -> mj_code {
    // SAFETY: as above.
    unsafe {
        on_stream(stream, restored, error, |live| {
            let rest = live.run(|stream, out| stream.finish(out).map(|_| ()))?;
            live.end();
            Ok(rest)
        })
    }
}

/// Frees a stream, ended or not, and sets the pointer to NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mj_stream_free(stream: *mut *mut mj_stream) {
    // SAFETY: as above.
    unsafe { free(stream) }
}

/// Restores a file in its own format: subtitles, transcripts, tables or text, of which only words change.
///
/// `bytes` are the `length` bytes of the file. The options {"name": "talk.srt"} or {"format": "srt"} name the format,
/// which is otherwise detected by the first bytes; "encoding" names an encoding other than UTF-8. Free `restored` with
/// mj_string_free, and `report` too unless it is NULL: a JSON object with the strings "format", "language" and
/// "encoding", and "notes", a list of sentences about what may surprise, such as a text in another language.
///
/// Fails with MJ_INPUT if the file violates its format: the message names the line.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mj_file(
    model: *const mj_model,
    bytes: *const c_char,
    length: usize,
    options: *const c_char,
    restored: *mut mj_string,
    report: *mut mj_string,
    error: *mut *mut mj_error,
) -> mj_code {
    // SAFETY: as above.
    unsafe {
        if let Some(report) = NonNull::new(report) {
            report.write(mj_string::NONE);
        }
        answer(restored, error, || {
            let options = options_at(options)?;
            let (out, found) =
                restore_file(model_at(model)?, &options, bytes_at(bytes, length, "the file")?)?;
            if let Some(report) = NonNull::new(report) {
                report.write(found.into_bytes().into());
            }
            Ok(out.into())
        })
    }
}

/// Frees a text and sets it to {NULL, 0}; such a text stays as it is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mj_string_free(string: *mut mj_string) {
    if string.is_null() {
        return;
    }
    // SAFETY: as above; the memory has the size that `mj_string::from` gave it.
    unsafe {
        let mj_string { data, length } = string.replace(mj_string::NONE);
        if !data.is_null() {
            let bytes = ptr::slice_from_raw_parts_mut(data.cast_mut().cast::<u8>(), length + 1);
            drop(Box::from_raw(bytes));
        }
    }
}

/// Returns the code of a failure; MJ_OK for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mj_error_code(error: *const mj_error) -> mj_code {
    // SAFETY: as above.
    unsafe { error.as_ref() }.map_or(mj_code::MJ_OK, |error| error.code)
}

/// Returns the message of a failure as UTF-8 that ends with a NUL: what was found, what was expected, where, and what to
/// do, in lower case and without a full stop. It is not freed: it lives as long as the error. For NULL it is empty.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mj_error_message(error: *const mj_error) -> *const c_char {
    // SAFETY: as above.
    unsafe { error.as_ref() }.map_or(c"".as_ptr(), |error| error.message.as_ptr())
}

/// Frees an error and sets the pointer to NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mj_error_free(error: *mut *mut mj_error) {
    // SAFETY: as above.
    unsafe { free(error) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use majuscule::{Boundary, Choice, Labels, Preset, Request, Restorer, Session, Tokens};

    use super::*;

    /// A method that panics.
    struct Broken(Labels);

    impl Restorer for Broken {
        fn labels(&self) -> &Labels {
            &self.0
        }

        fn look_ahead(&self) -> Option<usize> {
            Some(0)
        }

        fn session(&self, _: Request) -> Box<dyn Session + '_> {
            Box::new(BrokenSession)
        }
    }

    struct BrokenSession;

    impl Session for BrokenSession {
        fn push(&mut self, _: &Tokens, _: Boundary, _: &mut Vec<Choice>) -> Result<()> {
            panic!("broken on purpose")
        }
    }

    /// Returns the code and the message of a call.
    fn failure(call: impl FnOnce(*mut *mut mj_error) -> mj_code) -> (mj_code, String) {
        let mut error = ptr::null_mut();
        let code = call(&mut error);
        // SAFETY: the error is that of the call.
        let message = unsafe { CStr::from_ptr(mj_error_message(error)) }.to_str().unwrap().to_owned();
        unsafe { mj_error_free(&mut error) };
        (code, message)
    }

    #[test]
    fn a_panic_is_an_error_and_ends_a_stream() {
        let english = Model::embedded_as("en", Preset::Fast).unwrap();
        let labels = english.restorer.labels().clone();
        let model = mj_model(Model { restorer: Arc::new(Broken(labels)), ..english });
        let (text, length) = (c"lisbon ".as_ptr(), 7);
        let mut found = mj_string { data: text, length };
        // SAFETY: all addresses are of values here.
        unsafe {
            let (code, message) =
                failure(|error| mj_restore(&model, text, length, ptr::null(), &mut found, error));
            assert_eq!(code, mj_code::MJ_BUG);
            assert!(message.contains("broken on purpose"), "{message}");
            assert!(found.data.is_null());
            let mut stream = ptr::null_mut();
            assert_eq!(mj_stream_new(&model, ptr::null(), &mut stream, ptr::null_mut()), mj_code::MJ_OK);
            let mut push = |stream| failure(|error| mj_stream_push(stream, text, length, &mut found, error));
            let codes = [push(stream), push(stream)].map(|(code, _)| code);
            assert_eq!(codes, [mj_code::MJ_BUG, mj_code::MJ_USAGE]);
            mj_stream_free(&mut stream);
            assert!(stream.is_null());
        }
    }

    #[test]
    fn handles_may_be_shared_between_threads() {
        fn is_shared<T: Send + Sync>() {}
        fn is_sent<T: Send>() {}
        is_shared::<mj_model>();
        is_sent::<mj_stream>();
    }
}
