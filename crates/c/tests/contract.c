/* Checks what the header says, as C11 and as C++17: contract MODEL CALLS.
 * MODEL is the packed file of the fast English model; memory must not grow in CALLS calls of each kind. */
#include <majuscule.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                          \
  do {                                                                            \
    if (!(condition)) {                                                           \
      fprintf(stderr, "%s:%d: it is not true that %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                    \
    }                                                                             \
  } while (0)

#define MERKEL "the president met angela merkel in lisbon"
#define RESTORED "The President met Angela Merkel in Lisbon"

/* Checks that a call failed with a code and with these words in its message. */
static void check_failure(int line, mj_code found, mj_code expected, mj_error **error, const char *words) {
  const char *message = mj_error_message(*error);
  if (found != expected || mj_error_code(*error) != expected || strstr(message, words) == NULL) {
    fprintf(stderr, "line %d: code %d, \"%s\": expected code %d, \"%s\"\n", line, found, message, expected, words);
    exit(1);
  }
  mj_error_free(error);
  CHECK(*error == NULL);
}
#define failed(call, code, words) check_failure(__LINE__, call, code, &error, words)

/* Checks a text and frees it. */
static void is(mj_string *found, const char *expected) {
  if (found->length != strlen(expected) || memcmp(found->data, expected, found->length + 1) != 0) {
    fprintf(stderr, "found: %s\nexpected: %s\n", found->data, expected);
    exit(1);
  }
  mj_string_free(found);
  CHECK(found->data == NULL && found->length == 0);
}

static void restores(const mj_model *model, const char *text, const char *options, const char *expected) {
  mj_string found;
  mj_error *error;
  mj_code code = mj_restore(model, text, strlen(text), options, &found, &error);
  if (code != MJ_OK) fprintf(stderr, "%s\n", mj_error_message(error));
  CHECK(code == MJ_OK && error == NULL);
  is(&found, expected);
}

static void check_texts(const mj_model *model) {
  mj_string found;
  restores(model, MERKEL, NULL, RESTORED);
  restores(model, MERKEL, "{\"marks\": true}", RESTORED ".");
  restores(model, "ebay opened in lisbon", "{\"spellings\": [\"eBay\"], \"sentence_start\": \"always\"}",
           "eBay opened in Lisbon");
  restores(model, "", NULL, "");
  /* A NUL is a character like others. */
  CHECK(mj_restore(model, "lisbon\0merkel", 13, NULL, &found, NULL) == MJ_OK);
  CHECK(found.length == 13 && memcmp(found.data, "Lisbon\0Merkel", 14) == 0);
  mj_string_free(&found);
  CHECK(mj_restore(model, NULL, 0, NULL, &found, NULL) == MJ_OK);
  is(&found, "");
}

static void between(const mj_model *model, const char *before, const char *text, const char *after,
                    const char *expected) {
  mj_string found;
  mj_error *error;
  CHECK(mj_restore_between(model, before, strlen(before), text, strlen(text), after, strlen(after),
                           "{\"marks\": true}", &found, &error) == MJ_OK && error == NULL);
  is(&found, expected);
}

static void check_between(const mj_model *model) {
  mj_string found;
  mj_error *error;
  between(model, "We went", "to lisbon", "", " to Lisbon");
  between(model, "We went home.", "it was late", "", " It was late.");
  between(model, "We met ", "angela merkel", " in Lisbon.", "Angela Merkel");
  between(model, "", "", "", "");
  CHECK(mj_restore_between(model, NULL, 0, "lisbon", 6, NULL, 0, NULL, &found, NULL) == MJ_OK);
  is(&found, "Lisbon");
  failed(mj_restore_between(model, NULL, 1, "x", 1, NULL, 0, NULL, &found, &error), MJ_USAGE,
         "the text before is NULL");
  failed(mj_restore_between(model, NULL, 0, "x", 1, "a\xFF", 2, NULL, &found, &error), MJ_INPUT,
         "the text after: byte 1");
  CHECK(found.data == NULL && found.length == 0);
}

static void check_words(const mj_model *model) {
  const char *text = "we met in lisbon";
  mj_word_list *words;
  const mj_word *word;
  mj_error *error;
  CHECK(mj_words(model, text, strlen(text), "{\"marks\": true}", &words, &error) == MJ_OK);
  CHECK(mj_word_list_count(words) == 4 && mj_word_list_at(words, 4) == NULL);
  word = mj_word_list_at(words, 3);
  CHECK(strcmp(word->form, "Lisbon") == 0 && word->form_length == 6);
  CHECK(word->start == 10 && word->end == 16 && word->mark == '.' && word->opening == 0);
  CHECK(word->probability > 0.5F && word->probability <= 1.0F && word->mark_probability > 0.0F);
  CHECK(mj_word_list_at(words, 0)->mark == 0 && strcmp(mj_word_list_at(words, 0)->form, "We") == 0);
  mj_word_list_free(&words);
  CHECK(words == NULL);
  mj_word_list_free(&words);
  CHECK(mj_words(model, text, strlen(text), NULL, &words, NULL) == MJ_OK);
  CHECK(mj_word_list_at(words, 0)->mark_probability == -1.0F);
  mj_word_list_free(&words);
}

static void check_stream(const mj_model *model) {
  mj_stream *stream;
  mj_string found;
  mj_error *error;
  CHECK(mj_stream_new(model, "{\"look_ahead\": 0}", &stream, &error) == MJ_OK);
  CHECK(mj_stream_push(stream, "we met in lis", 13, &found, &error) == MJ_OK);
  is(&found, "We met in ");
  CHECK(mj_stream_push(stream, "bon today", 9, &found, &error) == MJ_OK);
  is(&found, "Lisbon ");
  CHECK(mj_stream_tail(stream, &found, &error) == MJ_OK);
  is(&found, "today");
  CHECK(mj_stream_now(stream, &found, &error) == MJ_OK);
  is(&found, "today");
  /* The two bytes of e with an acute accent come one by one. */
  CHECK(mj_stream_push(stream, " caf\xC3", 5, &found, &error) == MJ_OK);
  is(&found, " ");
  CHECK(mj_stream_push(stream, "\xA9 ", 2, &found, &error) == MJ_OK);
  mj_string_free(&found);
  CHECK(mj_stream_finish(stream, &found, &error) == MJ_OK);
  mj_string_free(&found);
  failed(mj_stream_push(stream, "x", 1, &found, &error), MJ_USAGE, "the stream has ended");
  CHECK(found.data == NULL && found.length == 0);
  mj_stream_free(&stream);
  CHECK(stream == NULL);
  mj_stream_free(&stream);
  /* One that does not end, and one that fails. */
  CHECK(mj_stream_new(model, NULL, &stream, NULL) == MJ_OK);
  failed(mj_stream_push(stream, "x", (size_t)-1, &found, &error), MJ_USAGE, "length");
  CHECK(mj_stream_push(stream, "and so on", 9, &found, NULL) == MJ_OK);
  mj_string_free(&found);
  failed(mj_stream_push(stream, " \xFF ", 3, &found, &error), MJ_INPUT, "UTF-8");
  failed(mj_stream_now(stream, &found, &error), MJ_USAGE, "the stream has ended");
  mj_stream_free(&stream);
}

static void check_files(const mj_model *model) {
  const char *cues = "1\n00:00:01,000 --> 00:00:02,000\nwe met in <i>lisbon</i>\n";
  mj_string found, report;
  mj_error *error;
  CHECK(mj_file(model, cues, strlen(cues), "{\"name\": \"talk.srt\"}", &found, &report, &error) == MJ_OK);
  is(&found, "1\n00:00:01,000 --> 00:00:02,000\nWe met in <i>Lisbon</i>\n");
  CHECK(strstr(report.data, "\"format\":\"srt\"") != NULL && strstr(report.data, "\"notes\":[]") != NULL);
  mj_string_free(&report);
  failed(mj_file(model, "1\nno times\n", 11, "{\"format\": \"srt\"}", &found, &report, &error), MJ_INPUT,
         "the file, line 2");
  CHECK(found.data == NULL && report.data == NULL);
  CHECK(mj_file(model, NULL, 0, NULL, &found, NULL, NULL) == MJ_OK);
  is(&found, "");
}

static void check_wrong_use(const mj_model *model) {
  mj_model *other = (mj_model *)model;
  mj_string found = {"not changed", 11};
  mj_word_list *words;
  mj_stream *stream;
  mj_error *error;
  failed(mj_restore(NULL, "x", 1, NULL, &found, &error), MJ_USAGE, "the model is NULL");
  CHECK(found.data == NULL && found.length == 0);
  failed(mj_restore(model, NULL, 1, NULL, &found, &error), MJ_USAGE, "the text is NULL");
  failed(mj_restore(model, "x", 1, NULL, NULL, &error), MJ_USAGE, "the result is NULL");
  CHECK(mj_restore(NULL, NULL, 9, NULL, NULL, NULL) == MJ_USAGE);
#if SIZE_MAX > 0xFFFFFFFF
  failed(mj_restore(model, "x", (size_t)1 << 40, NULL, &found, &error), MJ_USAGE, "1099511627776");
  failed(mj_model_from_bytes("x", (size_t)1 << 40, &other, &error), MJ_USAGE, "1099511627776");
#endif
  failed(mj_words(model, "x", (size_t)-1, NULL, &words, &error), MJ_USAGE, "at most 2147483647");
  failed(mj_restore(model, "abc\xFFz", 5, NULL, &found, &error), MJ_INPUT, "byte 3, 0xFF, is not UTF-8");
  failed(mj_restore(model, "ab\xC3", 3, NULL, &found, &error), MJ_INPUT, "ends at byte 2");
  failed(mj_restore(model, "x", 1, "{\"mark\": true}", &found, &error), MJ_USAGE,
         "there is no option \"mark\": did you mean \"marks\"?");
  failed(mj_restore(model, "x", 1, "{\"mark_threshold\": 2}", &found, &error), MJ_USAGE,
         "mark_threshold 2: expected a probability from 0 to 1");
  failed(mj_restore(model, "x", 1, "{\"threads\": 0}", &found, &error), MJ_USAGE, "from 1");
  failed(mj_restore(model, "x", 1, "{\"marks\"", &found, &error), MJ_USAGE, "not a JSON object");
  failed(mj_restore(model, "x", 1, "\xFF", &found, &error), MJ_INPUT, "the options: byte 0");
  failed(mj_file(model, "x", 1, "{\"format\": \"word\"}", &found, NULL, &error), MJ_USAGE, "one of");
  failed(mj_stream_new(NULL, NULL, &stream, &error), MJ_USAGE, "the model is NULL");
  failed(mj_stream_push(NULL, "x", 1, &found, &error), MJ_USAGE, "the stream is NULL");
  failed(mj_model_embedded(NULL, NULL, &other, &error), MJ_USAGE, "the language is NULL");
  failed(mj_model_embedded("xx", NULL, &other, &error), MJ_USAGE, "\"xx\"");
  failed(mj_model_embedded("en", "quick", &other, &error), MJ_USAGE, "no preset \"quick\"");
  failed(mj_model_open("no such file", &other, &error), MJ_MODEL, "there is no such file");
  CHECK(other == NULL);
  mj_model_free(&other);
  mj_model_free(NULL);
  mj_word_list_free(NULL);
  mj_stream_free(NULL);
  mj_error_free(NULL);
  mj_string_free(NULL);
  CHECK(mj_word_list_count(NULL) == 0 && mj_word_list_at(NULL, 0) == NULL);
  CHECK(mj_error_code(NULL) == MJ_OK && strcmp(mj_error_message(NULL), "") == 0);
}

static void check_models(const char *path) {
  FILE *file = fopen(path, "rb");
  mj_model *model;
  mj_error *error;
  long size;
  size_t at;
  char *bytes;
  CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0);
  rewind(file);
  bytes = (char *)malloc((size_t)size);
  CHECK(bytes != NULL && fread(bytes, 1, (size_t)size, file) == (size_t)size);
  fclose(file);
  /* Cut at both ends and between; the last bytes may be padding. */
  for (at = 0; at < 10; at++) {
    size_t length = at < 4 ? at * 7 : at < 9 ? (size_t)size * (at - 3) / 6 : (size_t)size - 64;
    failed(mj_model_from_bytes(bytes, length, &model, &error), MJ_MODEL, "");
    CHECK(model == NULL);
  }
  bytes[size / 2] ^= 1;
  failed(mj_model_from_bytes(bytes, (size_t)size, &model, &error), MJ_MODEL, "");
  bytes[size / 2] ^= 1;
  CHECK(mj_model_from_bytes(bytes, (size_t)size, &model, &error) == MJ_OK);
  memset(bytes, 0, (size_t)size);
  free(bytes);
  restores(model, MERKEL, NULL, RESTORED);
  mj_model_free(&model);
  CHECK(model == NULL);
  CHECK(mj_model_open(path, &model, &error) == MJ_OK);
  restores(model, MERKEL, NULL, RESTORED);
  mj_model_free(&model);
}

static void *work(void *model) {
  int turn;
  for (turn = 0; turn < 50; turn++) {
    check_texts((const mj_model *)model);
    check_words((const mj_model *)model);
    check_stream((const mj_model *)model);
  }
  return NULL;
}

static void check_threads(mj_model *model) {
  pthread_t threads[8];
  size_t at;
  for (at = 0; at < 8; at++) CHECK(pthread_create(&threads[at], NULL, work, model) == 0);
  for (at = 0; at < 8; at++) CHECK(pthread_join(threads[at], NULL) == 0);
  restores(model, MERKEL, "{\"threads\": 2, \"marks\": true}", RESTORED ".");
}

/* The memory of the process in KiB; 0 where the system does not say. */
static long memory(void) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  long found = 0;
  if (file == NULL) return 0;
  while (fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, "VmRSS:", 6) == 0) found = strtol(line + 6, NULL, 10);
  fclose(file);
  return found;
}

static void check_growth(const mj_model *model, long calls) {
  long at, before = 0;
  for (at = 0; at < calls + 1000; at++) {
    mj_string found;
    mj_word_list *words;
    mj_stream *stream;
    mj_error *error;
    if (at == 1000) before = memory();
    CHECK(mj_restore(model, "we met", 6, NULL, &found, &error) == MJ_OK);
    mj_string_free(&found);
    CHECK(mj_words(model, "we met", 6, "{\"marks\": true}", &words, &error) == MJ_OK);
    mj_word_list_free(&words);
    CHECK(mj_stream_new(model, NULL, &stream, &error) == MJ_OK);
    CHECK(mj_stream_push(stream, "we met", 6, &found, &error) == MJ_OK);
    mj_string_free(&found);
    mj_stream_free(&stream);
    CHECK(mj_restore(model, "\xFF", 1, NULL, &found, &error) == MJ_INPUT);
    mj_error_free(&error);
  }
  printf("%ld calls of each kind: %ld KiB, then %ld KiB\n", calls, before, memory());
  CHECK(memory() - before < 1024);
}

int main(int count, char **arguments) {
  mj_model *model;
  mj_stream *stream;
  mj_string found;
  mj_error *error;
  CHECK(count == 3 && strcmp(mj_version(), "0.") > 0);
  CHECK(mj_model_embedded("en-GB", "fast", &model, &error) == MJ_OK && error == NULL);
  check_texts(model);
  check_between(model);
  check_words(model);
  check_stream(model);
  check_files(model);
  check_wrong_use(model);
  check_models(arguments[1]);
  check_threads(model);
  check_growth(model, strtol(arguments[2], NULL, 10));
  /* A stream outlives its model. */
  CHECK(mj_stream_new(model, NULL, &stream, NULL) == MJ_OK);
  mj_model_free(&model);
  CHECK(mj_stream_push(stream, MERKEL, strlen(MERKEL), &found, NULL) == MJ_OK);
  mj_string_free(&found);
  CHECK(mj_stream_finish(stream, &found, NULL) == MJ_OK);
  is(&found, "in Lisbon");
  mj_stream_free(&stream);
  CHECK(mj_model_embedded("en", NULL, &model, &error) == MJ_OK);
  restores(model, MERKEL, "{\"marks\": true}", RESTORED ".");
  mj_model_free(&model);
  return 0;
}
