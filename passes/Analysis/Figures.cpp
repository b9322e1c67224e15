// See Figures.h.
#include "passes/Analysis/Figures.h"

#include <cstdio>
#include <vector>

namespace agt::analysis {

static std::string fixed(double value, int digits) {
  int size = std::snprintf(nullptr, 0, "%.*f", digits, value);
  std::string text(size_t(size) + 1, '\0');
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  text.pop_back();
  return text;
}

std::string plainText(double value) {
  std::string text = fixed(value, 2);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.')
    text.pop_back();
  return text;
}

static std::string scaled(double value,
                          const std::vector<const char *> &units) {
  size_t unit = 0;
  while (value >= 1000 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return plainText(value) + " " + units[unit];
}

std::string bytesText(double bytes) {
  return scaled(bytes, {"B", "KB", "MB", "GB", "TB", "PB"});
}

std::string secondsText(double seconds) {
  return scaled(seconds * 1e9, {"ns", "us", "ms", "s"});
}

std::string countText(double value) {
  std::string digits = fixed(value, 0), text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i && (digits.size() - i) % 3 == 0)
      text += ',';
    text += digits[i];
  }
  return text;
}

} // namespace agt::analysis
