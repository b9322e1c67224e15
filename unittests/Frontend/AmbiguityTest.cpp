// No text is ambiguous: every .agt file of the repository and the examples
// beside it, parsed with ANTLR's exact ambiguity detection.
#include "AmbiguityCheck.h"
#include "Helpers.h"

#include "frontend/Parse/TreeParser.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace agt;
using namespace agt::test;

namespace {

class Listener : public antlr4::BaseErrorListener {
public:
  explicit Listener(std::string &out) : out(out) {}

  void reportAmbiguity(antlr4::Parser *parser, const antlr4::dfa::DFA &dfa,
                       size_t start, size_t stop, bool,
                       const antlrcpp::BitSet &alternatives,
                       antlr4::atn::ATNConfigSet *) override {
    out << "ambiguity in rule '"
        << parser->getRuleNames()[dfa.atnStartState->ruleIndex] << "', tokens "
        << start << " to " << stop << ", alternatives "
        << antlrcpp::BitSet(alternatives).toString() << '\n';
  }

private:
  llvm::raw_string_ostream out;
};

} // namespace

std::string agt::test::findAmbiguities(llvm::StringRef text) {
  TestSource source(text);
  auto list = lex(source.sources, source.buffer, source.diagnostics);
  if (!list)
    return source.text;
  Structure structure = findStructure(*list);
  TreeTokenStream stream(structure.tokens);
  AgtParser parser(&stream);
  std::string reports;
  Listener listener(reports);
  parser.removeErrorListeners();
  parser.addErrorListener(&listener);
  parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(
      antlr4::atn::PredictionMode::LL_EXACT_AMBIG_DETECTION);
  parser.setErrorHandler(std::make_shared<antlr4::BailErrorStrategy>());
  try {
    parser.file();
  } catch (const antlr4::ParseCancellationException &) {
    reports += "syntax error\n";
  }
  return reports;
}

namespace {

/// The .agt files under a folder that parse, with their number.
unsigned checkFolder(const std::string &folder) {
  unsigned files = 0;
  std::error_code error;
  for (llvm::sys::fs::recursive_directory_iterator entry(folder, error), end;
       entry != end && !error; entry.increment(error)) {
    if (llvm::sys::path::extension(entry->path()) != ".agt")
      continue;
    auto buffer = llvm::MemoryBuffer::getFile(entry->path());
    EXPECT_TRUE(static_cast<bool>(buffer)) << entry->path();
    if (!buffer)
      continue;
    // Tests of errors are no sentences.
    TestSource source((*buffer)->getBuffer());
    if (!source.parse())
      continue;
    EXPECT_EQ(findAmbiguities((*buffer)->getBuffer()), "") << entry->path();
    ++files;
  }
  EXPECT_FALSE(error) << folder << ": " << error.message();
  return files;
}

std::string sourceFolder() {
  const char *folder = std::getenv("AGT_SOURCE");
  return folder ? folder : ".";
}

} // namespace

TEST(Ambiguity, Detects) {
  // The check itself: this rule of the language has no two readings, but a text
  // that is no sentence is reported.
  EXPECT_EQ(findAmbiguities("const x = parse<T>(a);"), "");
  EXPECT_NE(findAmbiguities("const x = ;"), "");
}

TEST(Ambiguity, RepositoryFiles) {
  EXPECT_GT(checkFolder(sourceFolder() + "/examples") +
                checkFolder(sourceFolder() + "/test"),
            0u);
}

TEST(Ambiguity, SharedExamples) {
  std::string folder = sourceFolder() + "/../shared/examples";
  if (!llvm::sys::fs::is_directory(folder))
    GTEST_SKIP() << "no folder " << folder;
  EXPECT_GT(checkFolder(folder), 0u);
}
