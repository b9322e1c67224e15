// See Json.h. The library makes a float of an integer that is too long; its
// reader is watched for that.
#include "runtime/Value/Json.h"

#include "runtime/Value/Value.h"

namespace agt::rt {

namespace {

// nlohmann's callbacks, with the integers checked before they are passed on.
class ExactReader {
public:
  explicit ExactReader(Json &result) : builder(result, true) {}

  bool null() { return builder.null(); }
  bool boolean(bool truth) { return builder.boolean(truth); }
  bool number_integer(int64_t number) { return builder.number_integer(number); }
  bool number_unsigned(uint64_t number) {
    if (number > uint64_t(INT64_MAX))
      tooLong(std::to_string(number));
    return builder.number_integer(int64_t(number));
  }
  bool number_float(double number, const std::string &text) {
    if (text.find_first_of(".eE") == std::string::npos)
      tooLong(text);
    return builder.number_float(number, text);
  }
  bool string(std::string &text) { return builder.string(text); }
  bool binary(Json::binary_t &bytes) { return builder.binary(bytes); }
  bool start_object(size_t n) {
    deeper();
    return builder.start_object(n);
  }
  bool key(std::string &name) { return builder.key(name); }
  bool end_object() {
    --depth;
    return builder.end_object();
  }
  bool start_array(size_t n) {
    deeper();
    return builder.start_array(n);
  }
  bool end_array() {
    --depth;
    return builder.end_array();
  }
  template <typename Error>
  bool parse_error(size_t position, const std::string &, const Error &error) {
    std::string what = error.what();
    // "[json.exception...] parse error at line 1, column 2: why"
    size_t colon = what.find(": ");
    throw StepFailure(
        "not JSON, at byte " + std::to_string(position) + ": " +
        (colon == std::string::npos ? what : what.substr(colon + 2)));
  }

private:
  // What reads, compares and prints it calls itself for each level.
  void deeper() {
    if (++depth > deepest)
      throw StepFailure("not JSON that is read here: nested deeper than " +
                        std::to_string(deepest));
  }
  [[noreturn]] static void tooLong(const std::string &digits) {
    throw StepFailure("the integer " + digits + " does not fit 64 bits");
  }
  static constexpr int deepest = 512;
  nlohmann::detail::json_sax_dom_parser<Json> builder;
  int depth = 0;
};

} // namespace

Json parseJson(std::string_view text) {
  Json result;
  ExactReader reader(result);
  try {
    Json::sax_parse(text.begin(), text.end(), &reader);
  } catch (const Json::exception &error) { // a float beyond doubles
    throw StepFailure(std::string("not JSON: ") + error.what());
  }
  return result;
}

} // namespace agt::rt
