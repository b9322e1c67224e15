// The pure functions of the language: agt_library_call.
#include "runtime/Agent/Execution.h"
#include "runtime/Agent/Secrets.h"
#include "runtime/Value/Regex.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

using namespace agt::rt;

namespace {

std::string_view trimmed(std::string_view text) {
  const char *blanks = " \t\r\n\f\v";
  size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string replaced(std::string_view text, std::string_view from,
                     std::string_view to) {
  if (from.empty())
    throw StepFailure("replace: the text to replace is empty");
  std::string out;
  while (true) {
    size_t found = text.find(from);
    out += text.substr(0, found);
    if (found == std::string_view::npos)
      return out;
    out += to;
    text.remove_prefix(found + from.size());
  }
}

std::string mapped(std::string_view text, char from, char to) {
  std::string out(text);
  for (char &letter : out)
    if (letter >= from && letter <= from + 25)
      letter = char(letter - from + to);
  return out;
}

class Call {
public:
  Call(agt_scope *scope, Value const *args, uint64_t n)
      : arena(scope->arena()), args(args), n(n) {}

  Value run(int32_t function) {
    switch (function) {
    case AGT_LIB_LEN:
      return makeInt(arena, agt_value_length(args[0]));
    case AGT_LIB_CONCAT:
      return concat();
    case AGT_LIB_SPLIT:
      return split(text(0), text(1));
    case AGT_LIB_TRIM:
      return makeString(arena, trimmed(text(0)));
    case AGT_LIB_REPLACE:
      return makeString(arena, replaced(text(0), text(1), text(2)));
    case AGT_LIB_CONTAINS:
      return makeBool(arena, contains());
    case AGT_LIB_STARTS_WITH:
      return makeBool(arena, text(0).substr(0, text(1).size()) == text(1));
    case AGT_LIB_ENDS_WITH:
      return makeBool(arena, text(0).size() >= text(1).size() &&
                                 text(0).substr(text(0).size() -
                                                text(1).size()) == text(1));
    case AGT_LIB_LOWER:
      return makeString(arena, mapped(text(0), 'A', 'a'));
    case AGT_LIB_UPPER:
      return makeString(arena, mapped(text(0), 'a', 'A'));
    case AGT_LIB_LINES:
      return lines(text(0));
    case AGT_LIB_JOIN_TEXT:
      return joinText();
    case AGT_LIB_MATCHES:
      return makeBool(arena, Regex(text(1)).matches(text(0)));
    case AGT_LIB_FIND_ALL:
      return strings(Regex(text(1)).findAll(text(0)));
    case AGT_LIB_JSON:
      return makeString(arena, canonicalJson(args[0]));
    case AGT_LIB_SORT:
      return sorted();
    case AGT_LIB_RANGE:
      return range();
    case AGT_LIB_SUM:
    case AGT_LIB_SUM_FLOAT:
      return sum(function == AGT_LIB_SUM_FLOAT);
    case AGT_LIB_ALL:
    case AGT_LIB_ANY:
      return makeBool(arena, quantify(function == AGT_LIB_ALL));
    case AGT_LIB_FIRST:
      return args[0]->count ? args[0]->elements[0] : nullptr;
    case AGT_LIB_LAST:
      return args[0]->count ? args[0]->elements[args[0]->count - 1] : nullptr;
    case AGT_LIB_ENV:
      return makeString(arena, environment(std::string(text(0))));
    case AGT_LIB_SECRET:
      return makeString(arena, readSecret(std::string(text(0))));
    default:
      fail(AGT_FAILED, "the program calls the library function " +
                           std::to_string(function) + ", which is none");
    }
  }

private:
  std::string_view text(int i) const { return textOf(args[i]); }

  static std::string environment(const std::string &name) {
    const char *value = std::getenv(name.c_str());
    if (!value)
      throw StepFailure("the variable " + name +
                        " is not set in the environment");
    return value;
  }

  Value strings(const std::vector<std::string> &texts) {
    std::vector<Value> all;
    for (const std::string &one : texts)
      all.push_back(makeString(arena, one));
    return makeList(arena, all);
  }

  Value concat() {
    if (isString(args[0]))
      return makeString(arena, std::string(text(0)) + std::string(text(1)));
    std::vector<Value> all(args[0]->elements,
                           args[0]->elements + args[0]->count);
    all.insert(all.end(), args[1]->elements,
               args[1]->elements + args[1]->count);
    return makeList(arena, all);
  }

  Value split(std::string_view text, std::string_view separator) {
    std::vector<Value> all;
    if (separator.empty()) {
      for (size_t at = 0; at < text.size();) {
        size_t end = at + 1;
        while (end < text.size() && (text[end] & 0xc0) == 0x80)
          ++end;
        all.push_back(makeString(arena, text.substr(at, end - at)));
        at = end;
      }
      return makeList(arena, all);
    }
    while (true) {
      size_t found = text.find(separator);
      all.push_back(makeString(arena, text.substr(0, found)));
      if (found == std::string_view::npos)
        return makeList(arena, all);
      text.remove_prefix(found + separator.size());
    }
  }

  Value lines(std::string_view text) {
    std::vector<Value> all;
    while (!text.empty()) {
      size_t end = text.find('\n');
      std::string_view line = text.substr(0, end);
      if (!line.empty() && line.back() == '\r')
        line.remove_suffix(1);
      all.push_back(makeString(arena, line));
      if (end == std::string_view::npos)
        break;
      text.remove_prefix(end + 1);
    }
    return makeList(arena, all);
  }

  bool contains() const {
    if (isString(args[0]))
      return text(0).find(text(1)) != std::string_view::npos;
    return std::any_of(
        args[0]->elements, args[0]->elements + args[0]->count,
        [&](Value element) { return equalValues(element, args[1]); });
  }

  Value joinText() {
    std::string all;
    for (uint64_t i = 0; i < args[0]->count; ++i) {
      if (i)
        all += text(1);
      all += textOf(args[0]->elements[i]);
    }
    return makeString(arena, all);
  }

  Value sorted() {
    std::vector<Value> all(args[0]->elements,
                           args[0]->elements + args[0]->count);
    Value field = n > 1 ? args[1] : nullptr;
    bool desc = n > 2 && args[2] && args[2]->truth;
    auto key = [&](Value value) {
      return field ? value->elements[field->number] : value;
    };
    std::vector<size_t> order(all.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      int difference = compareValues(key(all[a]), key(all[b]));
      if (!difference)
        return a < b; // stable
      return desc ? difference > 0 : difference < 0;
    });
    for (size_t &index : order)
      all[&index - order.data()] = args[0]->elements[index];
    return makeList(arena, all);
  }

  Value range() {
    int64_t from = n > 1 ? args[0]->number : 0;
    int64_t to = args[n - 1]->number;
    if (to > from && uint64_t(to) - uint64_t(from) > (1u << 24))
      throw StepFailure("range: expected at most 16777216 numbers");
    std::vector<Value> all;
    for (int64_t i = from; i < to; ++i)
      all.push_back(makeInt(arena, i));
    return makeList(arena, all);
  }

  Value sum(bool real) {
    Value list = args[0];
    real |= list->count && list->elements[0]->kind == AGT_FLOAT;
    double total = 0;
    int64_t exact = 0;
    for (uint64_t i = 0; i < list->count; ++i) {
      if (real)
        total += agt_value_as_float(list->elements[i]);
      else if (__builtin_add_overflow(exact, list->elements[i]->number, &exact))
        throw StepFailure("integer overflow");
    }
    return real ? makeFloat(arena, total) : makeInt(arena, exact);
  }

  bool quantify(bool all) const {
    for (uint64_t i = 0; i < args[0]->count; ++i)
      if (args[0]->elements[i]->truth != all)
        return !all;
    return all;
  }

  Arena &arena;
  Value const *args;
  uint64_t n;
};

} // namespace

int32_t agt_library_call(agt_scope *scope, const char *place, int32_t function,
                         const agt_value *const *args, uint64_t n_args,
                         const agt_value **result) {
  return guardStep(scope, std::string(scope->prefix), place,
                   [&] { *result = Call(scope, args, n_args).run(function); });
}
