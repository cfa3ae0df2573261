/* Restores standard input while it arrives: filter LANGUAGE [OPTIONS]
 * speech-to-text | ./filter en '{"marks": "all"}' */
#include <majuscule.h>
#include <stdio.h>
#include <unistd.h>

/* Writes and frees what a call returned, or ends the program with its error. */
static int write_out(mj_code code, mj_string *restored, mj_error **error) {
  if (code != MJ_OK) {
    fprintf(stderr, "filter: %s\n", mj_error_message(*error));
    mj_error_free(error);
    return 1;
  }
  if (restored->length > 0) fwrite(restored->data, 1, restored->length, stdout);
  fflush(stdout);
  mj_string_free(restored);
  return 0;
}

int main(int count, char **arguments) {
  const char *language = count > 1 ? arguments[1] : "en";
  const char *options = count > 2 ? arguments[2] : NULL;
  char part[4096];
  mj_model *model = NULL;
  mj_stream *stream = NULL;
  mj_string restored = {NULL, 0};
  mj_error *error;
  mj_code code = mj_model_embedded(language, NULL, &model, &error);
  if (code == MJ_OK) code = mj_stream_new(model, options, &stream, &error);
  int failed = write_out(code, &restored, &error);
  ssize_t length;
  while (!failed && (length = read(STDIN_FILENO, part, sizeof part)) > 0) {
    code = mj_stream_push(stream, part, (size_t)length, &restored, &error);
    failed = write_out(code, &restored, &error);
  }
  if (!failed) failed = write_out(mj_stream_finish(stream, &restored, &error), &restored, &error);
  mj_stream_free(&stream);
  mj_model_free(&model);
  return failed;
}
