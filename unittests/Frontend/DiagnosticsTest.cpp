// What a diagnostic looks like: places, carets, notes, limits.
#include "Helpers.h"

#include "gtest/gtest.h"

using namespace agt;
using agt::test::TestSource;

namespace {

struct Printed {
  explicit Printed(llvm::StringRef text) : source(text) {}

  llvm::SMRange range(size_t begin, size_t end) {
    const char *start =
        source.sources.getMemoryBuffer(source.buffer)->getBufferStart();
    return {llvm::SMLoc::getFromPointer(start + begin),
            llvm::SMLoc::getFromPointer(start + end)};
  }

  TestSource source;
};

} // namespace

TEST(Diagnostics, CaretRangeAndNotes) {
  Printed printed("let a = b;\nlet c = dd;\n");
  printed.source.diagnostics.error(printed.range(19, 21), "no 'dd'")
      .note(printed.range(4, 5), "'a' is here");
  EXPECT_EQ(printed.source.text, "t.agt:2:9: error: no 'dd'\n"
                                 "let c = dd;\n"
                                 "        ^~\n"
                                 "t.agt:1:5: note: 'a' is here\n"
                                 "let a = b;\n"
                                 "    ^\n");
  EXPECT_EQ(printed.source.diagnostics.errorCount(), 1u);
}

TEST(Diagnostics, TabsAreExpandedInBothLines) {
  Printed printed("\tx\ty;\n");
  printed.source.diagnostics.error(printed.range(3, 4), "y");
  EXPECT_EQ(printed.source.text, "t.agt:1:4: error: y\n"
                                 "        x       y;\n"
                                 "                ^\n");
}

TEST(Diagnostics, ColumnsCountCodePointsAndCaretsCountCells) {
  // U+00E9 takes one cell, U+4E16 two.
  Printed printed("\xC3\xA9\xE4\xB8\x96 x;\n");
  printed.source.diagnostics.warning(printed.range(6, 7), "x");
  EXPECT_EQ(printed.source.text, "t.agt:1:4: warning: x\n"
                                 "\xC3\xA9\xE4\xB8\x96 x;\n"
                                 "    ^\n");
}

TEST(Diagnostics, WhatIsNotUtf8TakesOneCell) {
  Printed printed("a\xC3\xFF b\n");
  printed.source.diagnostics.error(printed.range(4, 5), "b\xFF");
  EXPECT_EQ(printed.source.text, "t.agt:1:5: error: b\xEF\xBF\xBD\n"
                                 "a\xEF\xBF\xBD\xEF\xBF\xBD b\n"
                                 "    ^\n");
}

TEST(Diagnostics, ControlCharactersAreEscaped) {
  using namespace std::literals;
  Printed printed("a\0\x1B[2J\x7F b;\n"sv);
  printed.source.diagnostics.error(printed.range(8, 9), "no 'b\0\n\x1B'"s);
  EXPECT_EQ(printed.source.text, "t.agt:1:9: error: no 'b\\u{0}\\u{A}\\u{1B}'\n"
                                 "a\\u{0}\\u{1B}[2J\\u{7F} b;\n"
                                 "                      ^\n");
}

TEST(Diagnostics, LongLinesAreCutAroundTheCaret) {
  std::string text(100000, 'a');
  text[50000] = 'X';
  Printed printed(text);
  printed.source.diagnostics.error(printed.range(50000, 50001), "here");
  std::string shown = std::string(53, 'a') + "X" + std::string(106, 'a');
  EXPECT_EQ(printed.source.text, "t.agt:1:50001: error: here\n" + shown + "\n" +
                                     std::string(53, ' ') + "^\n");
}

TEST(Diagnostics, RangesOverSeveralLinesStopAtTheFirst) {
  Printed printed("ab\ncd\n");
  printed.source.diagnostics.error(printed.range(1, 5), "x");
  EXPECT_EQ(printed.source.text, "t.agt:1:2: error: x\nab\n ^\n");
}

TEST(Diagnostics, WithoutAPlace) {
  Printed printed("");
  printed.source.diagnostics.error(llvm::SMRange(), "too little memory");
  EXPECT_EQ(printed.source.text, "error: too little memory\n");
}

TEST(Diagnostics, AtTheEnd) {
  for (llvm::StringRef text : {"abc", "abc\n", "abc\r\n"}) {
    Printed printed(text);
    printed.source.diagnostics.error(
        endOfFile(printed.source.sources, printed.source.buffer), "end");
    EXPECT_EQ(printed.source.text, "t.agt:1:4: error: end\nabc\n   ^\n");
  }
}

TEST(Diagnostics, TheErrorLimit) {
  Printed printed("a\n");
  printed.source.diagnostics.setErrorLimit(2);
  for (int count = 0; count != 5; ++count)
    printed.source.diagnostics.error(printed.range(0, 1), "x");
  EXPECT_EQ(printed.source.text,
            "t.agt:1:1: error: x\na\n^\nt.agt:1:1: error: x\na\n^\n"
            "error: too many errors, the rest is not shown\n");
  EXPECT_EQ(printed.source.diagnostics.errorCount(), 5u);
}
