// See JsonGrammar.h.
#include "runtime/Generate/JsonGrammar.h"

#include "runtime/Support/Failure.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace agt::rt {

// Values that hold values of their own type end somewhere.
static constexpr int deepest = 64;
// Items are written out one by one.
static constexpr int64_t mostItems = 4096;
// Ways that lead to the next byte: beyond this a schema goes round in itself.
static constexpr size_t mostWays = 100'000;
// Digits of a number: a whole one fits 64 bits.
static constexpr size_t mostDigits = 17;
// What a number is at most that has no bounds: whole ones are exact in doubles.
static constexpr double unbounded = 1e15;

[[noreturn]] static void refuse(const std::string &what) {
  fail(AGT_BAD_INPUT, "the schema has " + what + ", which is not understood");
}

//===----------------------------------------------------------------------===//
// From the schema to steps
//===----------------------------------------------------------------------===//

JsonGrammar::JsonGrammar(const Json &schema) {
  static const Json none = Json::object();
  definitions =
      schema.is_object() && schema.contains("$defs") ? &schema["$defs"] : &none;
  try {
    value(schema);
  } catch (const Json::exception &) {
    fail(AGT_BAD_INPUT, "the schema is none: a part of it has the wrong type");
  }
  add(Step::End);
  definitions = nullptr;
  start(); // fails where it has no beginning
}

void JsonGrammar::one(std::bitset<256> bytes) {
  steps[add(Step::Bytes)].bytes = bytes;
}

void JsonGrammar::range(int first, int last) {
  std::bitset<256> bytes;
  for (int byte = first; byte <= last; ++byte)
    bytes.set(size_t(byte));
  one(bytes);
}

void JsonGrammar::text(const std::string &text) {
  for (unsigned char byte : text)
    range(byte, byte);
}

/// One, or none.
void JsonGrammar::blank() {
  size_t split = add(Step::Split);
  text(" ");
  steps[split].to = split + 1;
  steps[split].other = steps.size();
}

void JsonGrammar::value(const Json &schema) {
  if (!schema.is_object())
    refuse("'" + schema.dump() + "'");
  static const char *const words[] = {
      "type",  "properties", "required",    "additionalProperties",
      "items", "maxItems",   "enum",        "const",
      "anyOf", "minimum",    "maximum",     "$ref",
      "$defs", "title",      "description", "$schema"};
  for (const auto &entry : schema.items())
    if (std::find(std::begin(words), std::end(words), entry.key()) ==
        std::end(words))
      refuse("'" + entry.key() + "'");
  if (schema.contains("$ref"))
    return reference(schema["$ref"].get<std::string>());
  if (schema.contains("anyOf")) {
    auto values = schema["anyOf"].get<std::vector<Json>>();
    // Bounds beside it are those of each number in it.
    for (Json &each : values)
      for (const char *bound : {"minimum", "maximum"})
        if (schema.contains(bound) && each.is_object() && !each.contains(bound))
          each[bound] = schema[bound];
    return either(values);
  }
  if (schema.contains("enum")) {
    std::vector<Json> values;
    for (const Json &each : schema["enum"])
      values.push_back({{"const", each}});
    return either(values);
  }
  if (schema.contains("const"))
    return text(schema["const"].dump());
  if (!schema.contains("type"))
    refuse("a value without a 'type'");
  if (schema["type"].is_array()) {
    std::vector<Json> values;
    for (const Json &each : schema["type"]) {
      values.push_back(schema);
      values.back()["type"] = each;
    }
    return either(values);
  }
  std::string type = schema["type"].get<std::string>();
  if (type == "object")
    return object(schema);
  if (type == "array")
    return array(schema);
  if (type == "string")
    return string();
  if (type == "integer" || type == "number")
    return number(schema, type == "integer");
  if (type == "boolean")
    return either({{{"const", true}}, {{"const", false}}});
  if (type == "null")
    return text("null");
  refuse("the type '" + type + "'");
}

void JsonGrammar::object(const Json &schema) {
  Json properties = schema.value("properties", Json::object());
  Json required = schema.value("required", Json::array());
  text("{");
  bool first = true;
  for (const Json &name : required) {
    if (!name.is_string() || !properties.contains(name.get<std::string>()))
      refuse("a required property " + name.dump() + " that is none");
    if (!first) {
      text(",");
      blank();
    }
    first = false;
    text(name.dump() + ":");
    blank();
    value(properties[name.get<std::string>()]);
  }
  if (std::set<Json>(required.begin(), required.end()).size() !=
      std::max(required.size(), properties.size()))
    refuse("a property that is not required, or twice");
  text("}");
}

void JsonGrammar::array(const Json &schema) {
  if (!schema.contains("items"))
    refuse("an array without 'items'");
  int64_t most = schema.value("maxItems", int64_t(-1));
  if (most > mostItems)
    refuse("an array of more than " + std::to_string(mostItems) + " items");
  text("[");
  if (most == 0)
    return text("]");
  // The items are one piece, called for each.
  size_t jump = add(Step::Jump), item = steps.size();
  value(schema["items"]);
  add(Step::Return);
  steps[jump].to = steps.size();
  std::vector<size_t> ends = {add(Step::Split)}; // each may be the last
  steps[ends.back()].to = steps.size();
  steps[add(Step::Call)].to = item;
  size_t again = steps.size();
  for (int64_t count = 1; most < 0 || count < most; ++count) {
    ends.push_back(add(Step::Split));
    steps[ends.back()].to = steps.size();
    text(",");
    blank();
    steps[add(Step::Call)].to = item;
    if (most < 0) {
      steps[add(Step::Jump)].to = again;
      break;
    }
  }
  for (size_t split : ends)
    steps[split].other = steps.size();
  text("]");
}

/// Text in UTF-8 with JSON's escapes, but for those of halves of pairs.
void JsonGrammar::string() {
  text("\"");
  size_t again = steps.size();
  std::vector<size_t> backs;
  auto way = [&](auto &&body) {
    size_t split = add(Step::Split);
    steps[split].to = steps.size();
    body();
    backs.push_back(add(Step::Jump));
    steps[split].other = steps.size();
  };
  std::bitset<256> plain, hex, letters;
  for (int byte = 0x20; byte < 0x80; ++byte)
    plain.set(size_t(byte), byte != '"' && byte != '\\' && byte != 0x7f);
  for (unsigned char digit : std::string("0123456789abcdefABCDEF"))
    hex.set(digit);
  for (unsigned char letter : std::string("\"\\/bfnrt"))
    letters.set(letter);
  way([&] { one(plain); });
  struct Lead {
    int first, last, next, nextLast, more;
  };
  // Unicode 15, table 3-7.
  static const Lead leads[] = {
      {0xc2, 0xdf, 0x80, 0xbf, 0}, {0xe0, 0xe0, 0xa0, 0xbf, 1},
      {0xe1, 0xec, 0x80, 0xbf, 1}, {0xed, 0xed, 0x80, 0x9f, 1},
      {0xee, 0xef, 0x80, 0xbf, 1}, {0xf0, 0xf0, 0x90, 0xbf, 2},
      {0xf1, 0xf3, 0x80, 0xbf, 2}, {0xf4, 0xf4, 0x80, 0x8f, 2}};
  for (const Lead &lead : leads)
    way([&] {
      range(lead.first, lead.last);
      range(lead.next, lead.nextLast);
      for (int i = 0; i < lead.more; ++i)
        range(0x80, 0xbf);
    });
  way([&] {
    text("\\");
    one(letters);
  });
  way([&] {
    std::bitset<256> notD = hex;
    notD.reset('d');
    notD.reset('D');
    text("\\u");
    one(notD);
    for (int i = 0; i < 3; ++i)
      one(hex);
  });
  for (size_t back : backs)
    steps[back].to = again;
  text("\"");
}

void JsonGrammar::number(const Json &schema, bool whole) {
  size_t at = add(Step::Number);
  steps[at].whole = whole;
  steps[at].least = schema.value("minimum", -unbounded);
  steps[at].most = schema.value("maximum", unbounded);
  if (whole) {
    steps[at].least = std::ceil(steps[at].least);
    steps[at].most = std::floor(steps[at].most);
  }
  if (!(steps[at].least <= steps[at].most))
    refuse("a number that cannot be");
}

void JsonGrammar::either(const std::vector<Json> &schemas) {
  if (schemas.empty())
    refuse("a choice of nothing");
  std::vector<size_t> ends;
  for (size_t i = 0; i < schemas.size(); ++i) {
    size_t split = i + 1 < schemas.size() ? add(Step::Split) : steps.size();
    size_t begin = steps.size();
    value(schemas[i]);
    if (i + 1 == schemas.size())
      break;
    ends.push_back(add(Step::Jump));
    steps[split].to = begin;
    steps[split].other = steps.size();
  }
  for (size_t end : ends)
    steps[end].to = steps.size();
}

void JsonGrammar::reference(const std::string &name) {
  const std::string prefix = "#/$defs/";
  if (name.rfind(prefix, 0) != 0 ||
      !definitions->contains(name.substr(prefix.size())))
    refuse("the reference '" + name + "'");
  auto found = known.find(name);
  if (found == known.end()) {
    size_t jump = add(Step::Jump);
    found = known.emplace(name, steps.size()).first;
    value((*definitions)[name.substr(prefix.size())]);
    add(Step::Return);
    steps[jump].to = steps.size();
  }
  steps[add(Step::Call)].to = found->second;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

namespace {

/// What a beginning of a number can come to.
struct Digits {
  bool valid = false; // begins a number
  bool whole = false; // is one
  bool hasPoint = false;
  double low = 0, high = 0; // its value lies in [low, high), without its sign
  bool negative = false;
  size_t count = 0, behind = 0;

  explicit Digits(const std::string &text) {
    size_t at = 0;
    negative = at < text.size() && text[at] == '-';
    at += negative;
    size_t begin = at;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
      ++count;
    if (count > 1 && text[begin] == '0')
      return;
    if (at < text.size()) {
      if (text[at] != '.' || count == 0)
        return;
      hasPoint = true;
      for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
        ++behind;
    }
    if (at != text.size() || count + behind > mostDigits)
      return;
    valid = true;
    whole = count > 0 && (!hasPoint || behind > 0);
    low = count ? std::strtod(text.substr(begin).c_str(), nullptr) : 0;
    high = low + std::pow(10.0, -double(behind));
  }
};

/// Whether digits behind `text` can bring it between the bounds.
bool canBecome(const std::string &text, bool integer, double least,
               double most) {
  Digits digits(text);
  if (!digits.valid || (integer && digits.hasPoint))
    return false;
  if (digits.count == 0) // nothing, or a sign
    return digits.negative ? least < 0 : most >= 0;
  if (integer && digits.negative && digits.low == 0)
    return false;
  // Whether some of [low, high] fits, or of [low, high) where it is open.
  auto fits = [&](double low, double high, bool open) {
    if (digits.negative)
      return -low >= least && (open ? -high < most : -high <= most);
    return low <= most && (open ? high > least : high >= least);
  };
  bool isFull = digits.count + digits.behind == mostDigits;
  if (integer || isFull ? fits(digits.low, digits.low, false)
                        : fits(digits.low, digits.high, true))
    return true;
  if (digits.hasPoint || digits.low == 0)
    return false;
  // With more digits in front of the point.
  double low = digits.low, high = digits.low + 1;
  for (size_t more = digits.count; more < mostDigits; ++more) {
    low *= 10;
    high *= 10;
    if (integer ? fits(low, high - 1, false) : fits(low, high, true))
      return true;
  }
  return false;
}

bool isNumber(const std::string &text, double least, double most) {
  Digits digits(text);
  if (!digits.valid || !digits.whole)
    return false;
  double value = std::strtod(text.c_str(), nullptr);
  return value >= least && value <= most;
}

} // namespace

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// Adds the threads that wait for a byte behind `thread`.
void JsonGrammar::follow(State &state, State::Thread thread) const {
  if (++state.ways > mostWays)
    refuse("a value that begins with itself");
  const Step &step = steps[thread.at];
  switch (step.kind) {
  case Step::Split:
    follow(state, {step.to, thread.caller, ""});
    return follow(state, {step.other, thread.caller, ""});
  case Step::Jump:
    return follow(state, {step.to, thread.caller, ""});
  case Step::Call: {
    int depth = thread.caller ? thread.caller->depth + 1 : 1;
    if (depth > deepest)
      return;
    auto frame = std::make_shared<State::Frame>(
        State::Frame{thread.at + 1, thread.caller, depth});
    return follow(state, {step.to, std::move(frame), ""});
  }
  case Step::Return:
    return follow(state, {thread.caller->back, thread.caller->caller, ""});
  case Step::Number:
    if (isNumber(thread.number, step.least, step.most))
      follow(state, {thread.at + 1, thread.caller, ""});
    break;
  case Step::Bytes:
  case Step::End:
    break;
  }
  state.threads.push_back(std::move(thread));
}

JsonGrammar::State JsonGrammar::start() const {
  State state;
  follow(state, {0, nullptr, ""});
  if (state.threads.empty())
    refuse("a value that begins with itself");
  return state;
}

bool JsonGrammar::take(State &state, unsigned char byte) const {
  State next;
  for (const State::Thread &thread : state.threads) {
    const Step &step = steps[thread.at];
    if (step.kind == Step::Bytes && step.bytes[byte])
      follow(next, {thread.at + 1, thread.caller, ""});
    if (step.kind != Step::Number)
      continue;
    std::string number = thread.number + char(byte);
    if (canBecome(number, step.whole, step.least, step.most))
      follow(next, {thread.at, thread.caller, std::move(number)});
  }
  state = std::move(next);
  return !state.threads.empty();
}

bool JsonGrammar::mayEnd(const State &state) const {
  return std::any_of(
      state.threads.begin(), state.threads.end(),
      [&](const auto &each) { return steps[each.at].kind == Step::End; });
}

bool JsonGrammar::mustEnd(const State &state) const {
  return std::all_of(
      state.threads.begin(), state.threads.end(),
      [&](const auto &each) { return steps[each.at].kind == Step::End; });
}

} // namespace agt::rt
