// Generated sentences: each parses, without ambiguity, and survives formatting.
// AGT_SENTENCES sets how many, AGT_SEED where they begin.
#include "AmbiguityCheck.h"
#include "Helpers.h"
#include "SentenceGenerator.h"

#include "frontend/Format/Formatter.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace agt;
using namespace agt::test;

namespace {

uint64_t setting(const char *name, uint64_t value) {
  const char *text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : value;
}

uint64_t firstSeed() { return setting("AGT_SEED", 1); }

uint64_t lastSeed() { return firstSeed() + setting("AGT_SENTENCES", 3000); }

} // namespace

TEST(Sentences, ParseAndSurviveFormatting) {
  for (uint64_t seed = firstSeed(); seed != lastSeed(); ++seed) {
    SentenceGenerator generator(seed);
    std::string text = generator.layOut(generator.file());
    TestSource source(text);
    auto once = formatFile(source.sources, source.buffer, source.diagnostics);
    ASSERT_TRUE(once) << "seed " << seed << "\n" << source.text << text;
    TestSource again(*once);
    auto twice = formatFile(again.sources, again.buffer, again.diagnostics);
    ASSERT_EQ(twice, once) << "seed " << seed;
  }
}

TEST(Sentences, AreNotAmbiguous) {
  for (uint64_t seed = firstSeed(); seed != lastSeed(); ++seed) {
    SentenceGenerator generator(seed);
    std::string text = generator.layOut(generator.file());
    ASSERT_EQ(findAmbiguities(text), "") << "seed " << seed << "\n" << text;
  }
}
