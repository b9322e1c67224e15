// See Fanout.h.
#include "runtime/Generate/Fanout.h"

#include <algorithm>
#include <map>

namespace agt::rt {

static constexpr int64_t bitsOfWord = 64;

VisitedPlaces::VisitedPlaces(int64_t capacity)
    : capacity(capacity),
      blocks(size_t(capacity / placesOfBlock / bitsOfWord + 1)) {}

void VisitedPlaces::add(const Sequence &sequence) {
  sequence.forEachRun([&](int32_t first, int64_t count) {
    int64_t last = (first + count - 1) / placesOfBlock;
    for (int64_t block = first / placesOfBlock; block <= last; ++block)
      blocks[size_t(block / bitsOfWord)] |= uint64_t(1) << block % bitsOfWord;
  });
}

void VisitedPlaces::add(const VisitedPlaces &others) {
  for (size_t i = 0; i < blocks.size(); ++i)
    blocks[i] |= others.blocks[i];
}

int64_t VisitedPlaces::count() const {
  int64_t places = 0;
  for (uint64_t word : blocks)
    places += placesOfBlock * __builtin_popcountll(word);
  // The last block may be shorter.
  int64_t last = capacity / placesOfBlock;
  bool visited = blocks[size_t(last / bitsOfWord)] >> last % bitsOfWord & 1;
  return visited ? places - placesOfBlock + capacity % placesOfBlock : places;
}

const char *wayName(Way way) {
  switch (way) {
  case Way::ByBeginning:
    return "by beginning";
  case Way::Alone:
    return "alone";
  default:
    return "together";
  }
}

int64_t roundedRows(size_t rows) {
  int64_t count = 1;
  while (size_t(count) < rows)
    count *= 2;
  return count;
}

namespace {

struct Text {
  Text(const Sequence &sequence, int64_t capacity)
      : beginning(sequence.firstPlace()), visited(capacity) {
    visited.add(sequence);
  }

  int32_t beginning; // of texts that begin alike the same
  VisitedPlaces visited;
  std::vector<size_t> rows;
};

// What another way has to promise of what all together costs: estimates are
// some percent off.
constexpr double worthIt = 0.9;

LaunchPart partOf(const std::vector<const Text *> &texts, int64_t capacity) {
  LaunchPart part;
  VisitedPlaces visited(capacity);
  for (const Text *text : texts) {
    visited.add(text->visited);
    part.rows.insert(part.rows.end(), text->rows.begin(), text->rows.end());
  }
  part.texts = int64_t(texts.size());
  part.places = visited.count();
  return part;
}

} // namespace

LaunchPlan planLaunches(const std::vector<Row> &rows, int64_t capacity,
                        const LaunchCost &cost, bool trial) {
  std::vector<Text> texts;
  const Sequence *last = nullptr;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].sequence != last)
      texts.emplace_back(*rows[i].sequence, capacity);
    last = rows[i].sequence;
    texts.back().rows.push_back(i);
  }
  std::map<int32_t, std::vector<const Text *>> byBeginning;
  std::vector<const Text *> all;
  for (const Text &text : texts) {
    all.push_back(&text);
    byBeginning[text.beginning].push_back(&text);
  }
  std::array<std::vector<LaunchPart>, ways> parts;
  parts[size_t(Way::Together)].push_back(partOf(all, capacity));
  for (const auto &[place, together] : byBeginning)
    parts[size_t(Way::ByBeginning)].push_back(partOf(together, capacity));
  for (const Text *text : all)
    parts[size_t(Way::Alone)].push_back(partOf({text}, capacity));
  LaunchPlan plan;
  plan.texts = int64_t(texts.size());
  plan.beginnings = int64_t(byBeginning.size());
  for (const LaunchPart &part : parts[size_t(Way::Alone)])
    plan.placesAlone += part.places;
  std::array<bool, ways> known = {};
  for (size_t way = 0; way < ways && cost.isKnown(); ++way) {
    known[way] = true;
    for (const LaunchPart &part : parts[way]) {
      int64_t size = roundedRows(part.rows.size());
      known[way] &= cost.hasSeen(size);
      plan.seconds[way] += cost.estimate(size, part.places);
    }
  }
  auto of = [&](Way way) { return plan.seconds[size_t(way)]; };
  // Of equal ones the one with fewer launches.
  Way apart =
      of(Way::Alone) < of(Way::ByBeginning) ? Way::Alone : Way::ByBeginning;
  if (known[size_t(apart)] && of(apart) < worthIt * of(Way::Together))
    plan.way = apart;
  plan.trial = trial;
  if (trial)
    plan.way = Way::ByBeginning;
  plan.parts = std::move(parts[size_t(plan.way)]);
  for (const LaunchPart &part : plan.parts)
    plan.places += part.places;
  return plan;
}

} // namespace agt::rt
