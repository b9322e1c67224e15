// The planner and the program ask the same questions of a ring and must have
// the same answers: passes/Analysis beside runtime/Mesh.
#include "passes/Analysis/RingSchedule.h"
#include "runtime/Mesh/Split.h"
#include "runtime/Mesh/View.h"

#include <gtest/gtest.h>

#include <random>

using namespace agt;

namespace {

TEST(RingAgrees, PlannerAndProgram) {
  unsigned seed = std::random_device{}();
  if (const char *given = std::getenv("AGT_SEED"))
    seed = unsigned(std::strtoull(given, nullptr, 0));
  RecordProperty("seed", std::to_string(seed));
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  auto upTo = [&](int64_t most) {
    return std::uniform_int_distribution<int64_t>(0, most)(random);
  };
  for (int round = 0; round < 300; ++round) {
    analysis::Ring ring;
    ring.places = 1 + upTo(16);
    ring.balance = static_cast<analysis::Tokens>(upTo(2));
    ring.queries = upTo(3) ? upTo(200) : upTo(2);
    ring.keys = upTo(3) ? upTo(200) : upTo(2);
    ring.offset = upTo(1) ? 0 : ring.keys - ring.queries;
    ring.causal = upTo(1);
    ring.left = upTo(1) ? -1 : upTo(40);
    ring.right = upTo(1) ? -1 : upTo(40);
    ring.pin = upTo(1) ? 0 : upTo(9);
    rt::RingView view{{int32_t(ring.places), int32_t(ring.balance),
                       int32_t(ring.balance), ring.causal, ring.left,
                       ring.right, ring.pin},
                      ring.queries,
                      ring.keys,
                      ring.offset};
    agt_split split{0, int32_t(ring.places), 1, int32_t(ring.balance)};
    for (int64_t a = 0; a < ring.places; ++a) {
      EXPECT_EQ(analysis::tokensOf(ring.balance, ring.places, a, ring.keys),
                rt::countOf(rt::tokensOf(split, a, ring.keys)));
      for (int64_t b = 0; b < ring.places; ++b) {
        EXPECT_EQ(ring.sees(a, b), view.sees(a, b));
        EXPECT_EQ(ring.needed(a, b), view.needed(a, b));
      }
    }
  }
}

} // namespace
