// Integers of durations are computed exactly where the number has no fraction,
// so that `9223372036854775807ns` is what it says.
#include "frontend/Parse/Literals.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace agt;

/// Splits a number from its unit; underscores go.
static std::pair<std::string, llvm::StringRef>
splitUnit(llvm::StringRef spelling) {
  std::string number;
  size_t at = 0;
  for (; at != spelling.size(); ++at) {
    char c = spelling[at];
    bool exponent = (c == 'e' || c == 'E') && at + 1 < spelling.size() &&
                    (llvm::isDigit(spelling[at + 1]) ||
                     spelling[at + 1] == '-' || spelling[at + 1] == '+');
    bool sign = (c == '-' || c == '+') && !number.empty() &&
                (number.back() == 'e' || number.back() == 'E');
    if (!llvm::isDigit(c) && c != '.' && c != '_' && !exponent && !sign)
      break;
    if (c != '_')
      number += c;
  }
  return {number, spelling.drop_front(at)};
}

static std::optional<double> toDouble(llvm::StringRef number) {
  llvm::APFloat value(llvm::APFloat::IEEEdouble());
  auto status =
      value.convertFromString(number, llvm::APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return std::nullopt;
  }
  if (!value.isFinite())
    return std::nullopt;
  return value.convertToDouble();
}

std::optional<uint64_t> agt::parseInt(llvm::StringRef spelling) {
  auto [number, unit] = splitUnit(spelling);
  uint64_t value;
  if (llvm::StringRef(number).getAsInteger(10, value))
    return std::nullopt;
  uint64_t factor = llvm::StringSwitch<uint64_t>(unit)
                        .Case("Ki", 1ull << 10)
                        .Case("Mi", 1ull << 20)
                        .Case("Gi", 1ull << 30)
                        .Default(1);
  bool overflow = false;
  value = llvm::SaturatingMultiply(value, factor, &overflow);
  if (overflow)
    return std::nullopt;
  return value;
}

std::optional<double> agt::parseFloat(llvm::StringRef spelling) {
  return toDouble(splitUnit(spelling).first);
}

std::optional<int64_t> agt::parseDuration(llvm::StringRef spelling) {
  auto [number, unit] = splitUnit(spelling);
  uint64_t factor = llvm::StringSwitch<uint64_t>(unit)
                        .Case("ns", 1)
                        .Case("us", 1000)
                        .Case("ms", 1000000)
                        .Case("s", 1000000000)
                        .Case("m", 60 * 1000000000ull)
                        .Case("h", 3600 * 1000000000ull)
                        .Default(86400 * 1000000000ull);
  uint64_t whole;
  if (!llvm::StringRef(number).getAsInteger(10, whole)) {
    bool overflow = false;
    uint64_t value = llvm::SaturatingMultiply(whole, factor, &overflow);
    if (overflow || value > INT64_MAX)
      return std::nullopt;
    return value;
  }
  auto value = toDouble(number);
  if (!value || *value * factor >= 0x1p63)
    return std::nullopt;
  return std::llround(*value * factor);
}

std::optional<Quantity> agt::parseQuantity(llvm::StringRef spelling) {
  auto [number, unit] = splitUnit(spelling);
  auto value = toDouble(number);
  if (!value)
    return std::nullopt;

  Quantity quantity{*value, ast::QuantityLit::Bytes};
  if (unit.consume_back("/s"))
    quantity.unit = ast::QuantityLit::BytesPerSecond;
  double base = 1000;
  if (unit.consume_back("iB"))
    base = 1024;
  else if (unit.consume_back("FLOPS"))
    quantity.unit = ast::QuantityLit::FlopsPerSecond;
  else if (unit.consume_back("Hz"))
    quantity.unit = ast::QuantityLit::Hertz;
  else
    unit.consume_back("B");
  if (!unit.empty())
    quantity.value *= std::pow(
        base, llvm::StringRef("KMGTP").find(unit == "k" ? 'K' : unit[0]) + 1);
  if (!std::isfinite(quantity.value))
    return std::nullopt;
  return quantity;
}

std::optional<std::string> agt::parseEscape(llvm::StringRef spelling) {
  switch (spelling.size() == 2 ? spelling[1] : 'u') {
  case 'n':
    return "\n";
  case 't':
    return "\t";
  case 'r':
    return "\r";
  case '\\':
    return "\\";
  case '"':
    return "\"";
  default:
    break;
  }
  llvm::StringRef digits = spelling;
  unsigned value;
  if (!digits.consume_front("\\u{") || !digits.consume_back("}") ||
      digits.size() > 6 || digits.getAsInteger(16, value))
    return std::nullopt;
  char bytes[4];
  char *end = bytes;
  if (!llvm::ConvertCodePointToUTF8(value, end))
    return std::nullopt;
  return std::string(bytes, end);
}

//===- Block strings -----------------------------------------------------===//

static llvm::StringRef blanksAtStart(llvm::StringRef line) {
  return line.take_while([](char c) { return c == ' ' || c == '\t'; });
}

namespace {

/// The indent that all lines with text share: the longest common prefix, so
/// that tabs and spaces are never mixed up.
class CommonIndent {
public:
  void add(llvm::StringRef indent) {
    if (!first) {
      first = indent;
      return;
    }
    size_t length = 0;
    while (length < first->size() && length < indent.size() &&
           (*first)[length] == indent[length])
      ++length;
    first = first->take_front(length);
  }
  size_t size() const { return first ? first->size() : 0; }

private:
  std::optional<llvm::StringRef> first;
};

} // namespace

void agt::stripBlockString(
    llvm::MutableArrayRef<std::pair<bool, std::string>> pieces) {
  if (pieces.empty())
    return;
  if (pieces.front().first) {
    llvm::StringRef text = pieces.front().second;
    if (text.consume_front("\r\n") || text.consume_front("\n"))
      // What follows still begins a line; the marker is removed below.
      pieces.front().second = "\n" + text.str();
    else
      pieces.front().second = "\r" + text.str();
  }
  if (pieces.back().first) {
    llvm::StringRef text = pieces.back().second;
    llvm::StringRef trimmed = text.rtrim(" \t");
    if (trimmed.ends_with("\n"))
      pieces.back().second = trimmed.str();
  }

  // A line is blank when only blanks stand before the next line break; where a
  // piece ends within a line, an interpolation or an escape follows it, except
  // at the end of the string.
  CommonIndent common;
  for (size_t index = 0; index != pieces.size(); ++index) {
    if (!pieces[index].first)
      continue;
    llvm::StringRef rest = llvm::StringRef(pieces[index].second);
    for (size_t at = rest.find('\n'); at != llvm::StringRef::npos;
         at = rest.find('\n', at + 1)) {
      llvm::StringRef line = rest.drop_front(at + 1);
      llvm::StringRef indent = blanksAtStart(line);
      llvm::StringRef after = line.drop_front(indent.size());
      bool blank = after.empty()
                       ? index + 1 == pieces.size()
                       : after.starts_with("\n") || after.starts_with("\r\n");
      if (!blank)
        common.add(indent);
    }
  }
  size_t indent = common.size();
  for (size_t index = 0; index != pieces.size(); ++index) {
    if (!pieces[index].first)
      continue;
    std::string stripped;
    llvm::StringRef rest = pieces[index].second;
    while (true) {
      auto [line, after] = rest.split('\n');
      stripped += line;
      if (line.size() == rest.size())
        break;
      stripped += '\n';
      rest = after.drop_front(std::min(indent, blanksAtStart(after).size()));
    }
    pieces[index].second = stripped;
  }
  // The marker put before the first line.
  if (pieces.front().first)
    pieces.front().second.erase(0, 1);
}
