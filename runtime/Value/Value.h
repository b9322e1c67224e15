// What an agt_value points to, and how values are made and compared.
//
// A value is 32 bytes and immutable. A record's shape (its fields' names) is
// shared by all records of a type; NULL is the value none.
#ifndef AGT_RUNTIME_VALUE_VALUE_H
#define AGT_RUNTIME_VALUE_VALUE_H

#include "agt/agent.h"
#include "runtime/Support/Text.h"
#include "runtime/Value/Arena.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agt::rt {

/// The fields of a record in declared order, and their order by name, which is
/// that of canonical JSON.
struct Shape {
  explicit Shape(std::vector<std::string> names);
  std::vector<std::string> names;
  std::vector<size_t> sorted;
};

using Value = const agt_value *;

} // namespace agt::rt

struct agt_value {
  int32_t kind;
  union {
    bool truth;
    int64_t number; // AGT_INT; of a handle: bytes of the content
    double real;
    uint64_t count; // of bytes, elements, fields
  };
  union {
    const char *bytes; // of a handle: the NUL-ended id
    const agt_value *const *elements;
    const agt_tensor *tensor; // in C order
  };
  const agt::rt::Shape *shape;
};

namespace agt::rt {

Value makeBool(Arena &arena, bool truth);
Value makeInt(Arena &arena, int64_t number);
Value makeFloat(Arena &arena, double number);
/// Copies the text.
Value makeString(Arena &arena, std::string_view text);
Value makeBytes(Arena &arena, std::string_view bytes);
Value makeList(Arena &arena, const std::vector<Value> &elements);
Value makeRecord(Arena &arena, const Shape &shape,
                 const std::vector<Value> &fields);
/// A tensor in C order with room for its elements, which are to be written
/// through `data`. Fails with StepFailure for a size below 0 and for more bytes
/// than there are.
Value makeTensor(Arena &arena, agt_dtype dtype, const int64_t *shape,
                 size_t rank);
Value makeHandle(Arena &arena, std::string_view id, int64_t bytes);

inline std::string_view textOf(Value value) {
  return {value->bytes, size_t(value->count)};
}
inline bool isString(Value value) { return value && value->kind == AGT_STRING; }

/// [ok, value, error, key], [step, message] and [llm, text, tokens].
const Shape &resultShape();
const Shape &caughtShape();
const Shape &contextShape();

bool equalValues(Value a, Value b);
int compareValues(Value a, Value b);

/// Canonical JSON: keys sorted bytewise, no blanks, integers in decimal, floats
/// as the shortest decimal that reads back, always with a point or an exponent.
/// Throws StepFailure for a float that JSON has no word for.
std::string canonicalJson(Value value);
void appendCanonical(std::string &out, Value value);
/// A JSON string with quotes; escapes no more than JSON asks for.
void appendQuoted(std::string &out, std::string_view text);
std::string jsonString(std::string_view text);
/// The text in an interpolation: strings as they are, else canonical JSON.
void appendText(std::string &out, Value value);
std::string floatText(double number);

std::string base64(std::string_view bytes);
/// False when the text is no base64.
bool fromBase64(std::string_view text, std::string &bytes);

int64_t countCodePoints(std::string_view text);

/// What a step fails with: caught by `try`.
class StepFailure : public std::exception {
public:
  explicit StepFailure(std::string message) : message(std::move(message)) {}
  const char *what() const noexcept override { return message.c_str(); }
  std::string message;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_VALUE_VALUE_H
