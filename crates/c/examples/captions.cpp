// A live caption: words arrive one by one on standard input, as from a recogniser. Each time a line shows the text that
// does not change any more and, in brackets, the text that still may.
#include <majuscule.h>

#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

struct Free {
  void operator()(mj_model *model) const { mj_model_free(&model); }
  void operator()(mj_stream *stream) const { mj_stream_free(&stream); }
  void operator()(mj_error *error) const { mj_error_free(&error); }
};

using Model = std::unique_ptr<mj_model, Free>;
using Stream = std::unique_ptr<mj_stream, Free>;

// An error of the library becomes an exception.
static void check(mj_code code, mj_error *error) {
  std::unique_ptr<mj_error, Free> owned(error);
  if (code != MJ_OK) throw std::runtime_error(mj_error_message(error));
}

static Model load(const char *language) {
  mj_model *model;
  mj_error *error;
  mj_code code = mj_model_embedded(language, nullptr, &model, &error);
  check(code, error);
  return Model(model);
}

static Stream start(const Model &model, const char *options) {
  mj_stream *stream;
  mj_error *error;
  mj_code code = mj_stream_new(model.get(), options, &stream, &error);
  check(code, error);
  return Stream(stream);
}

// Makes a call of a stream and returns its text.
template <typename Call, typename... Arguments>
static std::string text_of(Call call, const Stream &stream, Arguments... arguments) {
  mj_string found;
  mj_error *error;
  mj_code code = call(stream.get(), arguments..., &found, &error);
  check(code, error);
  std::string text(found.data, found.length);
  mj_string_free(&found);
  return text;
}

int main() try {
  Stream stream = start(load("en"), R"({"marks": "all"})");
  std::string settled;
  for (std::string word; std::cin >> word;) {
    word += ' ';
    settled += text_of(mj_stream_push, stream, word.data(), word.size());
    std::cout << settled << '[' << text_of(mj_stream_tail, stream) << ']' << std::endl;
  }
  std::cout << settled << text_of(mj_stream_finish, stream) << std::endl;
} catch (const std::exception &error) {
  std::cerr << "captions: " << error.what() << '\n';
  return 1;
}
