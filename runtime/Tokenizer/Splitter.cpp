// See Splitter.h.
#include "runtime/Tokenizer/Splitter.h"

#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"

#include <algorithm>

namespace agt::rt {

const char *const gpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

namespace {

using Pieces = std::vector<std::string_view>;

/// A piece, and whether it is UTF-8.
struct Run {
  std::string_view text;
  bool valid;
};

std::vector<Run> runsOf(std::string_view text) {
  std::vector<Run> runs;
  auto add = [&](std::string_view part, bool valid) {
    if (part.empty())
      return;
    if (!valid && !runs.empty() && !runs.back().valid &&
        runs.back().text.data() + runs.back().text.size() == part.data())
      runs.back().text = {runs.back().text.data(),
                          runs.back().text.size() + part.size()};
    else
      runs.push_back({part, valid});
  };
  while (!text.empty()) {
    size_t bad = findInvalidUtf8(text);
    add(text.substr(0, bad), true);
    if (bad == std::string::npos)
      break;
    add(text.substr(bad, 1), false);
    text.remove_prefix(bad + 1);
  }
  return runs;
}

/// The byte behind the character at `at` of UTF-8.
size_t behind(std::string_view text, size_t at) {
  for (++at; at < text.size() && (text[at] & 0xc0) == 0x80;)
    ++at;
  return at;
}

/// Cuts one piece; empty matches cut nothing.
void split(std::string_view text, const SplitStep &step, Pieces &out) {
  size_t done = 0, at = 0, begin, end;
  auto cut = [&](size_t to) {
    if (to > done)
      out.push_back(text.substr(done, to - done));
    done = to;
  };
  while (at < text.size() &&
         step.pattern.find(text, at, begin, end, false, /*valid=*/true)) {
    if (begin < at || end <= begin) {
      at = behind(text, std::max(at, end));
      continue;
    }
    if (step.kind != SplitStep::WithPrevious)
      cut(begin);
    if (step.kind != SplitStep::WithNext)
      cut(end);
    at = end;
  }
  cut(text.size());
}

} // namespace

std::vector<std::string_view> splitText(std::string_view text,
                                        const std::vector<SplitStep> &steps) {
  Pieces all;
  try {
    for (const Run &run : runsOf(text)) {
      Pieces pieces = {run.text};
      for (const SplitStep &step : steps) {
        if (!run.valid)
          break;
        Pieces finer;
        for (std::string_view piece : pieces)
          split(piece, step, finer);
        pieces = std::move(finer);
      }
      all.insert(all.end(), pieces.begin(), pieces.end());
    }
  } catch (const PatternError &error) {
    fail(AGT_BAD_INPUT,
         std::string("the tokenizer's pattern cannot be matched: ") +
             error.what());
  }
  return all;
}

} // namespace agt::rt
