// Making values and comparing them.
#include "runtime/Value/Value.h"

#include "runtime/Support/Text.h"
#include "runtime/Tensor/Tensor.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace agt::rt {

Shape::Shape(std::vector<std::string> given) : names(std::move(given)) {
  sorted.resize(names.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  std::sort(sorted.begin(), sorted.end(),
            [&](size_t a, size_t b) { return names[a] < names[b]; });
}

const Shape &resultShape() {
  static const Shape shape({"ok", "value", "error", "key"});
  return shape;
}

const Shape &caughtShape() {
  static const Shape shape({"step", "message"});
  return shape;
}

const Shape &contextShape() {
  static const Shape shape({"llm", "text", "tokens"});
  return shape;
}

static agt_value *make(Arena &arena, int32_t kind) {
  auto *value = static_cast<agt_value *>(arena.allocate(sizeof(agt_value)));
  value->kind = kind;
  value->count = 0;
  value->bytes = nullptr;
  value->shape = nullptr;
  return value;
}

Value makeBool(Arena &arena, bool truth) {
  agt_value *value = make(arena, AGT_BOOL_VALUE);
  value->truth = truth;
  return value;
}

Value makeInt(Arena &arena, int64_t number) {
  agt_value *value = make(arena, AGT_INT);
  value->number = number;
  return value;
}

Value makeFloat(Arena &arena, double number) {
  agt_value *value = make(arena, AGT_FLOAT);
  value->real = number;
  return value;
}

static Value makeText(Arena &arena, int32_t kind, std::string_view text) {
  agt_value *value = make(arena, kind);
  value->count = text.size();
  value->bytes = arena.copy(text).data();
  return value;
}

Value makeString(Arena &arena, std::string_view text) {
  return makeText(arena, AGT_STRING, text);
}

Value makeBytes(Arena &arena, std::string_view bytes) {
  return makeText(arena, AGT_BYTES, bytes);
}

static Value makeElements(Arena &arena, int32_t kind, const Value *elements,
                          size_t n) {
  agt_value *value = make(arena, kind);
  auto *copy = static_cast<Value *>(arena.allocate(n * sizeof(Value)));
  std::copy(elements, elements + n, copy);
  value->count = n;
  value->elements = copy;
  return value;
}

Value makeList(Arena &arena, const std::vector<Value> &elements) {
  return makeElements(arena, AGT_LIST, elements.data(), elements.size());
}

Value makeRecord(Arena &arena, const Shape &shape,
                 const std::vector<Value> &fields) {
  Value made = makeElements(arena, AGT_RECORD, fields.data(), fields.size());
  const_cast<agt_value *>(made)->shape = &shape;
  return made;
}

Value makeTensor(Arena &arena, agt_dtype dtype, const int64_t *shape,
                 size_t rank) {
  std::optional<uint64_t> bytes = tensorBytes(dtype, shape, int(rank));
  std::string sizes = shapeText(shape, rank);
  if (!bytes)
    throw StepFailure("there is no tensor of shape " + sizes);
  auto *dims = static_cast<int64_t *>(arena.allocate(2 * rank * 8));
  std::copy(shape, shape + rank, dims);
  int64_t stride = 1;
  for (size_t i = rank; i-- > 0; stride *= shape[i])
    dims[rank + i] = stride;
  auto *tensor = static_cast<agt_tensor *>(arena.allocate(sizeof(agt_tensor)));
  *tensor = {};
  try {
    tensor->data = arena.allocate(*bytes);
  } catch (const std::bad_alloc &) {
    throw StepFailure("there is no memory for " + bytesText(*bytes) +
                      ", a tensor of shape " + sizes);
  }
  tensor->dtype = dtype;
  tensor->rank = int(rank);
  tensor->shape = dims;
  tensor->strides = dims + rank;
  agt_value *value = make(arena, AGT_TENSOR);
  value->tensor = tensor;
  return value;
}

Value makeHandle(Arena &arena, std::string_view id, int64_t bytes) {
  agt_value *value = make(arena, AGT_HANDLE);
  value->number = bytes;
  value->bytes = arena.copy(id).data();
  return value;
}

// Of an int and a float, exactly: a float beyond the ints decides by its sign.
static int compareNumbers(int64_t a, double b) {
  if (std::isnan(b) || b >= 9223372036854775808.0)
    return -1;
  if (b < -9223372036854775808.0)
    return 1;
  int64_t whole = int64_t(b);
  if (a != whole)
    return a < whole ? -1 : 1;
  double part = b - double(whole);
  return part > 0 ? -1 : part < 0 ? 1 : 0;
}

static int compareFloats(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return int(std::isnan(a)) - int(std::isnan(b));
  return a < b ? -1 : a > b;
}

static int compareElements(Value a, Value b) {
  for (uint64_t i = 0; i < a->count && i < b->count; ++i)
    if (int order = compareValues(a->elements[i], b->elements[i]))
      return order;
  return a->count < b->count ? -1 : a->count > b->count;
}

int compareValues(Value a, Value b) {
  if (!a || !b)
    return int(a != nullptr) - int(b != nullptr);
  if (a->kind == AGT_INT && b->kind == AGT_FLOAT)
    return compareNumbers(a->number, b->real);
  if (a->kind == AGT_FLOAT && b->kind == AGT_INT)
    return -compareNumbers(b->number, a->real);
  if (a->kind != b->kind)
    return a->kind < b->kind ? -1 : 1;
  switch (a->kind) {
  case AGT_BOOL_VALUE:
    return int(a->truth) - int(b->truth);
  case AGT_INT:
    return a->number < b->number ? -1 : a->number > b->number;
  case AGT_FLOAT:
    return compareFloats(a->real, b->real);
  case AGT_LIST:
  case AGT_RECORD:
    return compareElements(a, b);
  case AGT_HANDLE:
    return std::string_view(a->bytes).compare(b->bytes);
  default:
    return textOf(a).compare(textOf(b));
  }
}

bool equalValues(Value a, Value b) {
  // The one place where order and equality differ: lengths decide at once.
  if (a && b && a->kind == b->kind &&
      (a->kind == AGT_LIST || a->kind == AGT_STRING) && a->count != b->count)
    return false;
  return compareValues(a, b) == 0;
}

} // namespace agt::rt
