#include <majuscule.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  const char *text = "where did you meet angela merkel";
  mj_model *model;
  mj_string restored;
  mj_error *error;
  if (mj_model_embedded("en", NULL, &model, &error) ||
      mj_restore(model, text, strlen(text), "{\"marks\": true}", &restored, &error))
    return fprintf(stderr, "%s\n", mj_error_message(error)), 1;
  printf("%s\n", restored.data); /* Where did you meet Angela Merkel? */
  mj_string_free(&restored);
  mj_model_free(&model);
  return 0;
}
