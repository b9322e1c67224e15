// The formatter's rules, one by one; examples and generated sentences are
// formatted elsewhere.
#include "Helpers.h"

#include "frontend/Format/Formatter.h"

#include "gtest/gtest.h"

using agt::test::TestSource;

namespace {

/// The formatted text; formatting it again must change nothing.
std::string format(const std::string &text) {
  TestSource source(text);
  auto once =
      agt::formatFile(source.sources, source.buffer, source.diagnostics);
  if (!once)
    return source.text;
  TestSource again(*once);
  EXPECT_EQ(agt::formatFile(again.sources, again.buffer, again.diagnostics),
            once);
  return *once;
}

} // namespace

TEST(Formatter, Spaces) {
  EXPECT_EQ(format("const x=a+ -b*f (c ,d)[ 0 ]. e..g(h =1)on m;"),
            "const x = a + -b * f(c, d)[0].e..g(h = 1) on m;\n");
  EXPECT_EQ(format("fn f(a:list<int,max 3>?)->tensor<f32,[N,2]>{return "
                   "parse < T >( a )<b;}"),
            "fn f(a: list<int, max 3>?) -> tensor<f32, [N, 2]> { return "
            "parse<T>(a) < b; }\n");
  EXPECT_EQ(format("fn f() -> int { if(!a){}else if ( b ) { } return (1); }"),
            "fn f() -> int { if (!a) {} else if (b) {} return (1); }\n");
  EXPECT_EQ(format("tool t()->T{http :POST \"{ x }\";header \"A\":b; r:4 "
                   "e (5ms,max 3s);}"),
            "tool t() -> T { http: POST \"{ x }\"; header \"A\": b; r: 4 "
            "e(5ms, max 3s); }\n");
}

TEST(Formatter, BracesStayOnTheirLineWhileTheyFit) {
  EXPECT_EQ(format("mesh m { axes: cp = 4; }\nmesh n {\naxes: cp = 4; }\n"),
            "mesh m { axes: cp = 4; }\nmesh n {\n  axes: cp = 4;\n}\n");
  EXPECT_EQ(
      format("fn f() -> int { let a = 1; let b = 2; let c = 3; let d = 4; "
             "let e = 5; let f = 6; return a + b + c; }\n"),
      "fn f() -> int {\n  let a = 1;\n  let b = 2;\n  let c = 3;\n"
      "  let d = 4;\n  let e = 5;\n  let f = 6;\n  return a + b + c;\n}\n");
  EXPECT_EQ(format("fn f() -> int { if (a) { b; } else {\n c; } return 1; }\n"),
            "fn f() -> int {\n  if (a) {\n    b;\n  } else {\n    c;\n  }\n"
            "  return 1;\n}\n");
}

TEST(Formatter, ALineCommentBehindABlockCommentEndsItsLine) {
  EXPECT_EQ(format("const x = a + /* b\nc */ // d\ne;\n"),
            "const x = a + /* b\nc */  // d\n    e;\n");
  EXPECT_EQ(format("const x = f(\"\"\"a\nb\"\"\", // d\n2);\n"),
            "const x = f(\"\"\"a\nb\"\"\",  // d\n    2);\n");
}

TEST(Formatter, BlankLines) {
  EXPECT_EQ(format("\n\nconst a = 1;\nconst b = 2;\n\n\n\nconst c = 3;\n\n"),
            "const a = 1;\nconst b = 2;\n\nconst c = 3;\n");
  EXPECT_EQ(format("fn f() -> int {\n\n  a;\n\n\n  return 1;\n\n}\n"),
            "fn f() -> int {\n  a;\n\n  return 1;\n}\n");
}

TEST(Formatter, Comments) {
  EXPECT_EQ(format("// a\n\n/// doc\nconst x = 1; // b\n/* c */ const y = 2;"
                   " /* d */\n// e"),
            "// a\n\n/// doc\nconst x = 1;  // b\n/* c */\nconst y = 2;  /* d "
            "*/\n// e\n");
  EXPECT_EQ(format("fn f() -> int { // a\n  // b\n  return 1; // c\n  // d\n}"),
            "fn f() -> int {  // a\n  // b\n  return 1;  // c\n  // d\n}\n");
  EXPECT_EQ(format("const x = f(a, // first\n b /* second */, c);\n"),
            "const x = f(a,  // first\n    b /* second */, c);\n");
  EXPECT_EQ(format("const x /* a\n   b */ = 1;\n"),
            "const x /* a\n   b */ = 1;\n");
  EXPECT_EQ(format("mesh m {\n  // nothing\n}\n"),
            "mesh m {\n  // nothing\n}\n");
}

TEST(Formatter, LongLines) {
  EXPECT_EQ(
      format("const x = aaaaaaaaaaaaaaaaaaaaaaaaaa(bbbbbbbbbbbbbbbbbbbbbbbbbb, "
             "cccccccccccccccccccccccccc, dddddddddddddddddddddddd);\n"),
      "const x = aaaaaaaaaaaaaaaaaaaaaaaaaa(bbbbbbbbbbbbbbbbbbbbbbbbbb, "
      "cccccccccccccccccccccccccc,\n    dddddddddddddddddddddddd);\n");
  EXPECT_EQ(format("graph g(x: tensor<f32, [A, B, C]>, y: tensor<f32, [A, B, "
                   "C]>) -> tensor<f32, [A, B, C]> where A = 1, B = 2 on m { "
                   "return x; }\n"),
            "graph g(x: tensor<f32, [A, B, C]>, y: tensor<f32, [A, B, C]>)\n"
            "    -> tensor<f32, [A, B, C]>\n"
            "    where A = 1, B = 2\n"
            "    on m\n"
            "{\n"
            "  return x;\n"
            "}\n");
  std::string sum = "const x = a0";
  for (int index = 1; index != 60; ++index)
    sum += " + a" + std::to_string(index);
  std::string text = format(sum + ";\n");
  for (llvm::StringRef rest = text; !rest.empty();
       rest = rest.split('\n').second)
    EXPECT_LE(rest.split('\n').first.size(), 100u);
}

TEST(Formatter, StringsAreLeftAlone) {
  EXPECT_EQ(format("const x = \"\"\"\n    a {  b  }\n  \"\"\" + \"{ c }\";\n"),
            "const x = \"\"\"\n    a {  b  }\n  \"\"\" + \"{ c }\";\n");
}

TEST(Formatter, LongIsFast) {
  std::string sum = "const x = a";
  for (int index = 0; index != 100000; ++index)
    sum += " + b";
  EXPECT_GT(format(sum + ";\n").size(), sum.size());
}

TEST(Formatter, SyntaxErrorsAreReported) {
  EXPECT_EQ(format("const x = 1\n"),
            "t.agt:1:12: error: expected ';' after the expression\n"
            "const x = 1\n"
            "           ^\n");
}

TEST(Formatter, EmptyFiles) {
  EXPECT_EQ(format(""), "");
  EXPECT_EQ(format("\n\n"), "");
  EXPECT_EQ(format("// a"), "// a\n");
}
