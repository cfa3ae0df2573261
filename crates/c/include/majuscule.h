/*
 * majuscule restores capital letters and punctuation in text that lost them.
 *
 *     mj_model *model;
 *     mj_string restored;
 *     mj_error *error;
 *     if (mj_model_embedded("en", NULL, &model, &error)
 *         || mj_restore(model, text, strlen(text), "{\"marks\": true}", &restored, &error)) {
 *       fprintf(stderr, "%s\n", mj_error_message(error));
 *     }
 *
 * Rules of all functions:
 *
 * Codes. A function that can fail returns MJ_OK, which is 0, or another code, and has `error` as its last parameter. It
 * sets `*error` to NULL or to an error, which the caller frees with mj_error_free. NULL as `error` leaves errors out.
 * After a failure the result is NULL or {NULL, 0}, and may be freed like any other. The address for a result is not NULL.
 *
 * Texts. A text, a file or a model in memory is an address and a number of bytes, at most MJ_MAX_LENGTH; NULL with the
 * length 0 is the empty text. A function cannot check that the bytes are there: a wrong length is undefined behaviour.
 * Names, paths and options are UTF-8 and end with a NUL. Results do not keep any memory of the caller.
 *
 * Options. They are a JSON object, such as {"marks": true, "threshold": 0.9}, or NULL for the defaults. They have the
 * names and the values of the command line, with underscores: marks, case, sentence_start, capitals, style, mark_form,
 * mark_threshold, threshold, look_ahead, predictions, context, locale, lossy. "spellings" is a list of the user's own
 * spellings, "lang" the tag of the language of the text, and "threads" the number of threads. "before" and "after" are
 * the texts around one text, which mj_restore_between has as arguments. Files also have name, format, encoding, field,
 * lines and pause_ends.
 *
 * Memory. mj_X_free accepts the address of a pointer, frees the value and sets the pointer to NULL. NULL, and the address
 * of NULL, do nothing. The use of another copy of the pointer after that is undefined behaviour, like a pointer that no
 * function here returned. If memory runs out, the process ends.
 *
 * Threads. The library starts no threads unless the option "threads" is above 1, and handles no signals. It keeps no state
 * between calls but word lists, which are built once and stay until the process ends. Functions may run at the same time
 * on different values, and on the same model or list of words. A value is freed by one thread, when no other one uses it.
 *
 * Bugs. A panic inside the library is caught and becomes MJ_BUG; its message is also written to standard error.
 */


#ifndef MAJUSCULE_H
#define MAJUSCULE_H

#include <stddef.h>
#include <stdint.h>

/**
 * The most bytes that a text, a file or a model given as bytes may have, which is 2 GiB less one byte. A greater length
 * is refused and nothing is read: it is a negative number, or memory that was never set.
 */
#define MJ_MAX_LENGTH 2147483647

/**
 * The outcome of a call. A later version may have more codes: anything but MJ_OK is a failure.
 */
typedef enum {
  /**
   * The call has done its work.
   */
  MJ_OK = 0,
  /**
   * An argument or an option is wrong: change the call.
   */
  MJ_USAGE = 1,
  /**
   * The text or the file is wrong, for example not UTF-8: change the data.
   */
  MJ_INPUT = 2,
  /**
   * The model is truncated, altered, or of a method that this build lacks: use another one.
   */
  MJ_MODEL = 3,
  /**
   * The system cannot read a file.
   */
  MJ_FILE = 4,
  /**
   * The library has a bug: report the message with the text and the options.
   */
  MJ_BUG = 5,
} mj_code;

/**
 * The description of a failure.
 */
typedef struct mj_error mj_error;

/**
 * A trained model. It does not change: any number of threads may use one at the same time.
 */
typedef struct mj_model mj_model;

/**
 * A text that is restored while it arrives. One thread at a time may use it. It needs its model only at its start: the
 * model may be freed before the stream.
 */
typedef struct mj_stream mj_stream;

/**
 * The words of a text, restored. Any number of threads may read it at the same time.
 */
typedef struct mj_word_list mj_word_list;

/**
 * A text that a call returns. Set it to {NULL, 0} or leave it unset before the call, and free it with mj_string_free
 * after it. The call writes it in any case: after a failure it is {NULL, 0}.
 */
typedef struct {
  /**
   * The bytes, UTF-8 except for files in other encodings, with a NUL after the last one. A text may have NULs of its
   * own.
   */
  const char *data;
  /**
   * The number of bytes without the last NUL. Do not change it: mj_string_free reads it.
   */
  size_t length;
} mj_string;

/**
 * A word of a text, restored. It belongs to its mj_word_list.
 */
typedef struct {
  /**
   * The word with the capitals that it gets, without inserted punctuation: UTF-8 with a NUL after the last byte.
   */
  const char *form;
  /**
   * The number of bytes of the form, without the NUL.
   */
  size_t form_length;
  /**
   * The position of its first byte in the text, from 0.
   */
  size_t start;
  /**
   * The position after its last byte in the text.
   */
  size_t end;
  /**
   * The punctuation mark inserted after it, as a Unicode code point; 0 if none is.
   */
  uint32_t mark;
  /**
   * The opening mark inserted before it, such as U+00BF in Spanish, as a Unicode code point; 0 if none is.
   */
  uint32_t opening;
  /**
   * The probability of its case, from 0 to 1; -1 if the model has none.
   */
  float probability;
  /**
   * The probability of its mark, or of no mark, from 0 to 1; -1 without the option "marks".
   */
  float mark_probability;
  /**
   * 1 if a sentence ends after it, 0 if not, and -1 if the model finds no ends.
   */
  int sentence_end;
} mj_word;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Returns the version of the library, such as "0.1.0". It is not freed.
 */
const char *mj_version(void);

/**
 * Loads a model that is built into the library.
 *
 * `language` is a tag such as "en"; of a tag such as "en-GB" only the language counts. `preset` is "accurate" (a small
 * network), "fast" (several times as fast, a quarter of the size) or NULL for the best that this build has. Keep the model:
 * loading it takes some milliseconds.
 *
 * Fails with MJ_USAGE if this build has no such model.
 */
mj_code mj_model_embedded(const char *language,
                          const char *preset,
                          mj_model **model,
                          mj_error **error);

/**
 * Loads a model from a folder or a packed file; `path` is UTF-8 on every system.
 *
 * The file may be mapped into memory: do not change it while the model is in use.
 *
 * Fails with MJ_MODEL if there is no model at the path, or if it is truncated or altered, and with MJ_FILE if the system
 * cannot read it.
 */
mj_code mj_model_open(const char *path,
                      mj_model **model,
                      mj_error **error);

/**
 * Loads a model from the bytes of a packed file. They are copied: the caller may free them after the call.
 *
 * Fails with MJ_MODEL if they are truncated, altered or not a model.
 */
mj_code mj_model_from_bytes(const char *bytes,
                            size_t length,
                            mj_model **model,
                            mj_error **error);

/**
 * Frees a model and sets the pointer to NULL. No call may be using the model; streams go on.
 */
void mj_model_free(mj_model **model);

/**
 * Restores a text: capitals and, with {"marks": true}, punctuation. Everything else stays as it is.
 *
 * `text` is `length` bytes of UTF-8. Free `restored` with mj_string_free.
 *
 * Fails with MJ_INPUT if the text is not UTF-8 (the message has the position of the byte), and with MJ_USAGE if the
 * model does not support an option.
 */
mj_code mj_restore(const mj_model *model,
                   const char *text,
                   size_t length,
                   const char *options,
                   mj_string *restored,
                   mj_error **error);

/**
 * Restores a text that is inserted between two others, such as words dictated at the cursor of an editor. The result is
 * the text with the spaces that are missing: the texts around it are not part of it, and stay as they are.
 *
 * `before`, `text` and `after` are bytes of UTF-8 with their lengths. The last 60 words before and the first 60 after
 * count, and either text may be empty. Free `restored` with mj_string_free.
 *
 * Fails like mj_restore.
 */
mj_code mj_restore_between(const mj_model *model,
                           const char *before,
                           size_t before_length,
                           const char *text,
                           size_t length,
                           const char *after,
                           size_t after_length,
                           const char *options,
                           mj_string *restored,
                           mj_error **error);

/**
 * Restores a text and returns its words with their positions, marks and probabilities, in the order of the text.
 *
 * `text` is `length` bytes of UTF-8. Free `words` with mj_word_list_free.
 *
 * Fails like mj_restore.
 */
mj_code mj_words(const mj_model *model,
                 const char *text,
                 size_t length,
                 const char *options,
                 mj_word_list **words,
                 mj_error **error);

/**
 * Returns the number of words; 0 for NULL.
 */
size_t mj_word_list_count(const mj_word_list *words);

/**
 * Returns a word by its number, from 0; NULL if there is none of that number. The word is not freed: it lives as long
 * as the list.
 */
const mj_word *mj_word_list_at(const mj_word_list *words,
                               size_t number);

/**
 * Frees a list with its words and sets the pointer to NULL.
 */
void mj_word_list_free(mj_word_list **words);

/**
 * Starts a text that is restored while it arrives.
 *
 * Unless the options say otherwise, existing capitals are ignored, and a word waits for the next one. With
 * {"look_ahead": 0} it waits for none.
 *
 * Fails with MJ_USAGE if the model does not support an option.
 */
mj_code mj_stream_new(const mj_model *model,
                      const char *options,
                      mj_stream **stream,
                      mj_error **error);

/**
 * Adds the next part of the text and returns what has become certain, which does not change any more and may be empty.
 *
 * `text` is `length` bytes of UTF-8, which may end inside a word or a character: the result does not depend on how the
 * text is cut. Joined, the results are the text. Free `restored` with mj_string_free.
 *
 * Fails with MJ_INPUT if the text is not UTF-8, unless {"lossy": true} lets it pass. After a failure that is not
 * MJ_USAGE the stream has ended, and only mj_stream_free is of use.
 */
mj_code mj_stream_push(mj_stream *stream,
                       const char *text,
                       size_t length,
                       mj_string *restored,
                       mj_error **error);

/**
 * Returns the text that has arrived and is not certain yet, as it would be if nothing more came. The stream goes on as
 * if it had not been asked: show this text, and replace it after the next push.
 */
mj_code mj_stream_tail(mj_stream *stream,
                       mj_string *restored,
                       mj_error **error);

/**
 * Stops waiting: returns all the text that has arrived, which does not change any more. The stream goes on.
 */
mj_code mj_stream_now(mj_stream *stream,
                      mj_string *restored,
                      mj_error **error);

/**
 * Ends the text and returns the rest of it. After that only mj_stream_free is of use.
 */
mj_code mj_stream_finish(mj_stream *stream, mj_string *restored, mj_error **error);

/**
 * Frees a stream, ended or not, and sets the pointer to NULL.
 */
void mj_stream_free(mj_stream **stream);

/**
 * Restores a file in its own format: subtitles, transcripts, tables or text, of which only words change.
 *
 * `bytes` are the `length` bytes of the file. The options {"name": "talk.srt"} or {"format": "srt"} name the format,
 * which is otherwise detected by the first bytes; "encoding" names an encoding other than UTF-8. Free `restored` with
 * mj_string_free, and `report` too unless it is NULL: a JSON object with the strings "format", "language" and
 * "encoding", and "notes", a list of sentences about what may surprise, such as a text in another language.
 *
 * Fails with MJ_INPUT if the file violates its format: the message names the line.
 */
mj_code mj_file(const mj_model *model,
                const char *bytes,
                size_t length,
                const char *options,
                mj_string *restored,
                mj_string *report,
                mj_error **error);

/**
 * Frees a text and sets it to {NULL, 0}; such a text stays as it is.
 */
void mj_string_free(mj_string *string);

/**
 * Returns the code of a failure; MJ_OK for NULL.
 */
mj_code mj_error_code(const mj_error *error);

/**
 * Returns the message of a failure as UTF-8 that ends with a NUL: what was found, what was expected, where, and what to
 * do, in lower case and without a full stop. It is not freed: it lives as long as the error. For NULL it is empty.
 */
const char *mj_error_message(const mj_error *error);

/**
 * Frees an error and sets the pointer to NULL.
 */
void mj_error_free(mj_error **error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MAJUSCULE_H */
