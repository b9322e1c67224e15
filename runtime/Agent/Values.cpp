// The value half of agt/agent.h: thin doors to runtime/Value.
#include "runtime/Agent/Execution.h"
#include "runtime/Support/Text.h"

using namespace agt::rt;

agt_scope *agt_scope_enter(agt_scope *parent, const char *name, int64_t index) {
  return makeScope(*parent->strand, parent->path(std::string(name) + "#" +
                                                 std::to_string(index)));
}

static int32_t failAt(agt_scope *scope, const char *place,
                      std::string message) {
  // The place is for the person who reads the error: it is not part of the
  // message that `err` holds.
  return guardStep(scope, std::string(scope->prefix), place,
                   [&] { throw StepFailure(std::move(message)); });
}

int32_t agt_scope_fail(agt_scope *scope, const char *place,
                       const agt_value *message) {
  std::string text;
  appendText(text, message);
  return failAt(scope, place, text);
}

int32_t agt_scope_fail_with(agt_scope *scope, const char *place,
                            const char *message, int64_t a, int64_t b) {
  return failAt(scope, place, substitute(message, a, b));
}

const agt_value *agt_scope_caught(agt_scope *scope) {
  Strand &strand = *scope->strand;
  const agt_value *caught =
      makeRecord(strand.arena, caughtShape(),
                 {makeString(strand.arena, strand.failedStep),
                  makeString(strand.arena, strand.failure)});
  strand.takeFailure();
  return caught;
}

int32_t agt_value_kind(const agt_value *value) {
  return value ? value->kind : int32_t(AGT_NONE);
}
const agt_value *agt_value_bool(agt_scope *scope, int32_t truth) {
  return makeBool(scope->arena(), truth != 0);
}
const agt_value *agt_value_int(agt_scope *scope, int64_t number) {
  return makeInt(scope->arena(), number);
}
const agt_value *agt_value_float(agt_scope *scope, double number) {
  return makeFloat(scope->arena(), number);
}
const agt_value *agt_value_string(agt_scope *scope, const char *bytes,
                                  uint64_t n_bytes) {
  auto *value =
      static_cast<agt_value *>(scope->arena().allocate(sizeof(agt_value)));
  value->kind = AGT_STRING;
  value->count = n_bytes;
  value->bytes = bytes;
  value->shape = nullptr;
  return value;
}
const agt_value *agt_value_list(agt_scope *scope,
                                const agt_value *const *elements, uint64_t n) {
  return makeList(scope->arena(), std::vector<Value>(elements, elements + n));
}
int32_t agt_value_record(agt_scope *scope, const char *place, uint32_t type,
                         const agt_value *const *fields, uint64_t n,
                         const agt_value **result) {
  return guardStep(scope, std::string(scope->prefix), place, [&] {
    *result = scope->strand->run.program.types->record(
        scope->arena(), type, std::vector<Value>(fields, fields + n));
  });
}

int32_t agt_value_is_true(const agt_value *value) { return value->truth; }
int64_t agt_value_as_int(const agt_value *value) { return value->number; }
double agt_value_as_float(const agt_value *value) {
  return value->kind == AGT_INT ? double(value->number) : value->real;
}
int64_t agt_value_length(const agt_value *value) {
  return value->kind == AGT_STRING ? countCodePoints(textOf(value))
                                   : int64_t(value->count);
}
const agt_value *agt_value_field(const agt_value *record, uint64_t index) {
  return record->elements[index];
}
const agt_value *agt_value_at(const agt_value *list, int64_t index) {
  return list->elements[index];
}
int32_t agt_value_element(agt_scope *scope, const char *place,
                          const agt_value *list, int64_t index,
                          const agt_value **result) {
  return guardStep(scope, std::string(scope->prefix), place, [&] {
    if (index < 0 || uint64_t(index) >= list->count)
      throw StepFailure("the index " + std::to_string(index) +
                        " is outside a list of " + std::to_string(list->count));
    *result = list->elements[index];
  });
}
int32_t agt_value_equals(const agt_value *a, const agt_value *b) {
  return equalValues(a, b);
}
int32_t agt_value_compare(const agt_value *a, const agt_value *b) {
  return compareValues(a, b);
}
const agt_value *agt_value_concat(agt_scope *scope, const agt_value *a,
                                  const agt_value *b) {
  if (a->kind == AGT_STRING)
    return makeString(scope->arena(),
                      std::string(textOf(a)) + std::string(textOf(b)));
  std::vector<Value> all(a->elements, a->elements + a->count);
  all.insert(all.end(), b->elements, b->elements + b->count);
  return makeList(scope->arena(), all);
}
const agt_value *agt_text_join(agt_scope *scope, const agt_value *const *parts,
                               uint64_t n) {
  std::string text;
  for (uint64_t i = 0; i < n; ++i) {
    // A float without JSON still has a text.
    try {
      appendText(text, parts[i]);
    } catch (const StepFailure &) {
      text += parts[i]->kind == AGT_FLOAT && parts[i]->real > 0   ? "inf"
              : parts[i]->kind == AGT_FLOAT && parts[i]->real < 0 ? "-inf"
                                                                  : "nan";
    }
  }
  return makeString(scope->arena(), text);
}

struct agt_list_builder {
  Arena *arena;
  std::vector<Value> elements;
};
agt_list_builder *agt_list_begin(agt_scope *scope) {
  return new agt_list_builder{&scope->arena(), {}};
}
agt_list_builder *agt_list_add(agt_list_builder *builder,
                               const agt_value *element) {
  builder->elements.push_back(element);
  return builder;
}
const agt_value *agt_list_end(agt_list_builder *builder) {
  const agt_value *list = makeList(*builder->arena, builder->elements);
  delete builder;
  return list;
}

static int64_t calculate(int32_t op, int64_t a, int64_t b) {
  int64_t result = 0;
  bool over = false;
  if ((op == AGT_INT_DIV || op == AGT_INT_REM) && b == 0)
    throw StepFailure("division by zero");
  switch (op) {
  case AGT_INT_ADD:
    over = __builtin_add_overflow(a, b, &result);
    break;
  case AGT_INT_SUB:
    over = __builtin_sub_overflow(a, b, &result);
    break;
  case AGT_INT_MUL:
    over = __builtin_mul_overflow(a, b, &result);
    break;
  case AGT_INT_NEG:
    over = __builtin_sub_overflow(int64_t(0), a, &result);
    break;
  default:
    over = a == INT64_MIN && b == -1;
    if (over && op == AGT_INT_REM)
      return 0;
    if (!over)
      result = op == AGT_INT_DIV ? a / b : a % b;
  }
  if (over)
    throw StepFailure("integer overflow");
  return result;
}

int32_t agt_int_calculate(agt_scope *scope, const char *place, int32_t op,
                          int64_t a, int64_t b, int64_t *result) {
  return guardStep(scope, std::string(scope->prefix), place,
                   [&] { *result = calculate(op, a, b); });
}

int32_t agt_value_parse(agt_scope *scope, const char *place, uint32_t type,
                        const agt_value *text, const agt_value **result) {
  return guardStep(scope, std::string(scope->prefix), place, [&] {
    *result = scope->strand->run.program.types->read(
        scope->arena(), parseJson(textOf(text)), type, {});
  });
}
