// See Text.h.
#include "runtime/Support/Text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace agt::rt {

// `value` with one decimal and the first unit that keeps it below `base`.
static std::string scaled(double value, double base,
                          const std::vector<const char *> &units) {
  size_t unit = 0;
  while (value >= base && unit + 1 < units.size()) {
    value /= base;
    ++unit;
  }
  char text[64];
  std::snprintf(text, sizeof text, "%.1f %s", value, units[unit]);
  return text;
}

std::string bytesText(uint64_t bytes) {
  std::string text = std::to_string(bytes) + " bytes";
  if (bytes >= 1024)
    text += " (" +
            scaled(double(bytes), 1024,
                   {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}) +
            ")";
  return text;
}

std::string secondsText(double seconds) {
  char text[64];
  if (seconds >= 1)
    std::snprintf(text, sizeof text, "%.3f s", seconds);
  else if (seconds >= 1e-3)
    std::snprintf(text, sizeof text, "%.3f ms", seconds * 1e3);
  else
    std::snprintf(text, sizeof text, "%.1f us", seconds * 1e6);
  return text;
}

std::string rateText(double flops, double seconds) {
  if (flops <= 0 || seconds <= 0)
    return "-";
  return scaled(
      flops / seconds, 1000,
      {"FLOP/s", "KFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s"});
}

std::optional<double> parseRate(std::string_view text) {
  static const std::pair<const char *, double> units[] = {
      {"KiB/s", 0x1p10}, {"MiB/s", 0x1p20}, {"GiB/s", 0x1p30},
      {"TiB/s", 0x1p40}, {"PiB/s", 0x1p50}, {"KB/s", 1e3},
      {"MB/s", 1e6},     {"GB/s", 1e9},     {"TB/s", 1e12},
      {"PB/s", 1e15},    {"B/s", 1}};
  for (const auto &[name, size] : units) {
    if (!endsWith(text, name))
      continue;
    std::string digits(text.substr(0, text.size() - std::strlen(name)));
    if (digits.empty() ||
        !std::isdigit(static_cast<unsigned char>(digits[0])) ||
        digits.find_first_not_of("0123456789.e+-") != std::string::npos)
      return std::nullopt;
    char *end;
    double value = std::strtod(digits.c_str(), &end) * size;
    if (*end || !(value > 0) || !std::isfinite(value))
      return std::nullopt;
    return value;
  }
  return std::nullopt;
}

std::string listText(const std::vector<std::string> &items) {
  std::string text;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i)
      text += i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

std::string shapeText(const int64_t *shape, size_t rank) {
  std::string text = "[";
  for (size_t i = 0; i < rank; ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

// Edits (insert, delete, change, swap of neighbours) that turn a into b.
static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> rows(a.size() + 1,
                                        std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i)
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        rows[i][j] = i + j;
        continue;
      }
      size_t change = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      rows[i][j] = std::min({change, rows[i - 1][j] + 1, rows[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  return rows[a.size()][b.size()];
}

std::string didYouMean(std::string_view word,
                       const std::vector<std::string> &candidates) {
  // A third of the letters may be wrong: enough for slips, too few for words
  // that merely look alike. Very long words are no slip of anything.
  if (word.size() > 200)
    return "";
  size_t limit = std::max<size_t>(1, word.size() / 3);
  const std::string *best = nullptr;
  for (const std::string &candidate : candidates) {
    if (candidate.size() > word.size() + limit)
      continue; // as many edits at least, and a long one takes long
    size_t distance = editDistance(word, candidate);
    if (distance <= limit && distance < candidate.size()) {
      limit = distance - (distance ? 1 : 0);
      best = &candidate;
    }
  }
  return best ? ", did you mean '" + *best + "'?" : "";
}

std::string printable(std::string_view text) {
  std::string shown;
  for (char c : text) {
    unsigned char byte = static_cast<unsigned char>(c);
    char escape[8];
    std::snprintf(escape, sizeof escape, "\\u{%X}", byte);
    shown += byte < 0x20 || byte == 0x7F ? escape : std::string(1, c);
  }
  return shown;
}

bool endsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() &&
         text.substr(text.size() - suffix.size()) == suffix;
}

std::string substitute(std::string_view message, int64_t a, int64_t b) {
  std::string text;
  while (!message.empty()) {
    if (message.substr(0, 3) == "{0}" || message.substr(0, 3) == "{1}") {
      text += std::to_string(message[1] == '0' ? a : b);
      message.remove_prefix(3);
      continue;
    }
    text += message.front();
    message.remove_prefix(1);
  }
  return text;
}

// The length of the code point that starts at `at`, 0 when it is none.
static size_t codePointBytes(std::string_view text, size_t at) {
  auto byte = [&](size_t k) -> unsigned {
    return at + k < text.size() ? (unsigned char)text[at + k] : 0;
  };
  unsigned lead = byte(0);
  if (lead < 0x80)
    return 1;
  size_t n = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4)
    return 0;
  for (size_t k = 1; k < n; ++k)
    if ((byte(k) & 0xc0) != 0x80)
      return 0;
  // Overlong forms, surrogates, beyond U+10FFFF.
  if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f) ||
      (lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) > 0x8f))
    return 0;
  return n;
}

size_t findInvalidUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    size_t n = codePointBytes(text, at);
    if (!n)
      return at;
    at += n;
  }
  return std::string_view::npos;
}

} // namespace agt::rt
