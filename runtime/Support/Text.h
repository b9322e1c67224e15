// Small helpers for the texts users read: sizes, lists, near misses.
#ifndef AGT_RUNTIME_SUPPORT_TEXT_H
#define AGT_RUNTIME_SUPPORT_TEXT_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agt::rt {

/// "1234567 bytes (1.2 MiB)"; below 1 KiB only the bytes.
std::string bytesText(uint64_t bytes);

/// "1.25 ms", "3.4 s": a time with the unit that reads best.
std::string secondsText(double seconds);

/// "12.3 GFLOP/s"; "-" where there is nothing to divide.
std::string rateText(double flops, double seconds);

/// Bytes a second of "50MB/s", "1.5GiB/s": a number above 0, a unit of the
/// language, "/s". Nothing for other texts.
std::optional<double> parseRate(std::string_view text);

/// "a, b and c".
std::string listText(const std::vector<std::string> &items);

/// "[2, 3]" for two dims.
std::string shapeText(const int64_t *shape, size_t rank);

/// ", did you mean 'x'?" for the candidate nearest to `word`, or "".
std::string didYouMean(std::string_view word,
                       const std::vector<std::string> &candidates);

/// Text as it may be shown on a terminal: control characters are written as
/// \u{1B}.
std::string printable(std::string_view text);

/// Where the first byte that is not UTF-8 is; npos when all is well.
size_t findInvalidUtf8(std::string_view text);

/// True when `text` ends with `suffix`.
bool endsWith(std::string_view text, std::string_view suffix);

/// `message` with {0} and {1} replaced by a and b.
std::string substitute(std::string_view message, int64_t a, int64_t b);

} // namespace agt::rt

#endif // AGT_RUNTIME_SUPPORT_TEXT_H
