/* The native methods of Majuscule.java and Majuscule.kt. Arrays for names and options end with a NUL. */
#include <jni.h>
#include <majuscule.h>
#include <stdint.h>

/* Throws the error of a call and frees it. */
static void throw_error(JNIEnv *env, mj_error *error) {
  jclass exception = (*env)->FindClass(env, "java/lang/IllegalArgumentException");
  if (exception != NULL) (*env)->ThrowNew(env, exception, mj_error_message(error));
  mj_error_free(&error);
}

JNIEXPORT jlong JNICALL Java_majuscule_Majuscule_load(JNIEnv *env, jclass class, jbyteArray language) {
  mj_model *model = NULL;
  mj_error *error;
  jbyte *tag = (*env)->GetByteArrayElements(env, language, NULL);
  (void)class;
  if (tag == NULL) return 0;
  if (mj_model_embedded((const char *)tag, NULL, &model, &error) != MJ_OK) throw_error(env, error);
  (*env)->ReleaseByteArrayElements(env, language, tag, JNI_ABORT);
  return (jlong)(intptr_t)model;
}

JNIEXPORT jbyteArray JNICALL Java_majuscule_Majuscule_restore(JNIEnv *env, jclass class, jlong model, jbyteArray text,
                                                              jbyteArray options) {
  jbyteArray result = NULL;
  mj_string restored;
  mj_error *error;
  jsize length = (*env)->GetArrayLength(env, text);
  jbyte *bytes = (*env)->GetByteArrayElements(env, text, NULL);
  jbyte *json = (*env)->GetByteArrayElements(env, options, NULL);
  (void)class;
  if (bytes != NULL && json != NULL) {
    const mj_model *handle = (const mj_model *)(intptr_t)model;
    if (mj_restore(handle, (const char *)bytes, (size_t)length, (const char *)json, &restored, &error) != MJ_OK) {
      throw_error(env, error);
    } else if ((result = (*env)->NewByteArray(env, (jsize)restored.length)) != NULL) {
      (*env)->SetByteArrayRegion(env, result, 0, (jsize)restored.length, (const jbyte *)restored.data);
    }
    mj_string_free(&restored);
  }
  if (json != NULL) (*env)->ReleaseByteArrayElements(env, options, json, JNI_ABORT);
  if (bytes != NULL) (*env)->ReleaseByteArrayElements(env, text, bytes, JNI_ABORT);
  return result;
}

JNIEXPORT void JNICALL Java_majuscule_Majuscule_free(JNIEnv *env, jclass class, jlong handle) {
  mj_model *model = (mj_model *)(intptr_t)handle;
  (void)env;
  (void)class;
  mj_model_free(&model);
}
