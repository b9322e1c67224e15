// Syntax errors: whole texts, one for each fault, several in a run.
#include "Helpers.h"

#include "gtest/gtest.h"

using agt::test::errorsOf;

TEST(SyntaxErrors, EmptyFilesAreFiles) {
  EXPECT_EQ(errorsOf(""), "");
  EXPECT_EQ(errorsOf("\n// nothing\n"), "");
}

TEST(SyntaxErrors, MissingSemicolon) {
  EXPECT_EQ(errorsOf("fn f() -> int {\n  let x = 1\n  return x;\n}\n"),
            "t.agt:2:12: error: expected ';' after the expression\n"
            "  let x = 1\n"
            "           ^\n");
  EXPECT_EQ(errorsOf("fn f() -> int { return 1 }\n"),
            "t.agt:1:25: error: expected ';' after the expression\n"
            "fn f() -> int { return 1 }\n"
            "                        ^\n");
  EXPECT_EQ(errorsOf("const x = 1"),
            "t.agt:1:12: error: expected ';' after the expression\n"
            "const x = 1\n"
            "           ^\n");
  // The words of a value go on until the ':' shows that they should not have.
  EXPECT_EQ(errorsOf("agent a() -> string {\n"
                     "  budget: steps 5\n"
                     "  node n { return \"\"; }\n"
                     "  start n max 3 visits;\n"
                     "}\n"),
            "t.agt:2:18: error: expected ';'\n"
            "  budget: steps 5\n"
            "                 ^\n");
  EXPECT_EQ(errorsOf("mesh m {\n  link cp: 50GB/s\n  link tp: 1GB/s;\n}\n"),
            "t.agt:2:18: error: expected ';'\n"
            "  link cp: 50GB/s\n"
            "                 ^\n");
}

TEST(SyntaxErrors, UnclosedBrackets) {
  EXPECT_EQ(errorsOf("fn f() -> int {\n  if (x) {\n    return 1;\n}\n"),
            "t.agt:4:2: error: expected '}' at the end of the file\n"
            "}\n"
            " ^\n"
            "t.agt:1:15: note: unclosed '{'\n"
            "fn f() -> int {\n"
            "              ^\n");
  EXPECT_EQ(
      errorsOf("fn f() -> int {\n  return 1;\n\nfn g() -> int { return 2; "
               "}\n"),
      "t.agt:4:1: error: expected '}' before 'fn'\n"
      "fn g() -> int { return 2; }\n"
      "^~\n"
      "t.agt:1:15: note: unclosed '{'\n"
      "fn f() -> int {\n"
      "              ^\n");
  EXPECT_EQ(errorsOf("fn f() -> int {\n  let x = (1 + [2;\n  return 1\n}\n"),
            "t.agt:2:18: error: expected ']' before ';'\n"
            "  let x = (1 + [2;\n"
            "                 ^\n"
            "t.agt:2:16: note: unclosed '['\n"
            "  let x = (1 + [2;\n"
            "               ^\n"
            "t.agt:3:11: error: expected ';' after the expression\n"
            "  return 1\n"
            "          ^\n");
  // The parser sees the fault before the bracket's end does.
  EXPECT_EQ(
      errorsOf("fn f() -> int {\n  if (x { return 1; }\n  return 2;\n}\n"),
      "t.agt:2:9: error: expected ')', got '{'\n"
      "  if (x { return 1; }\n"
      "        ^\n");
}

TEST(SyntaxErrors, StrayBrackets) {
  EXPECT_EQ(errorsOf("fn f() -> int { return 1); }\n"),
            "t.agt:1:25: error: unexpected ')', nothing is open that it "
            "closes\n"
            "fn f() -> int { return 1); }\n"
            "                        ^\n");
  EXPECT_EQ(errorsOf("fn f() -> int { return 1; } }\nconst x = 1;\n"),
            "t.agt:1:29: error: unexpected '}', nothing is open that it "
            "closes\n"
            "fn f() -> int { return 1; } }\n"
            "                            ^\n");
  EXPECT_EQ(errorsOf("fn f() -> int {\n  if (x) { a; } }\n  return 1;\n}\n"),
            "t.agt:3:3: error: expected a declaration, got 'return'\n"
            "  return 1;\n"
            "  ^~~~~~\n");
}

TEST(SyntaxErrors, WhatIsExpected) {
  EXPECT_EQ(errorsOf("fn f() -> int { return; }\n"),
            "t.agt:1:23: error: expected an expression, got ';'\n"
            "fn f() -> int { return; }\n"
            "                      ^\n");
  EXPECT_EQ(errorsOf("fn f() -> int { let x = f(1, ,); return x; }\n"),
            "t.agt:1:30: error: expected an argument or ')', got ','\n"
            "fn f() -> int { let x = f(1, ,); return x; }\n"
            "                             ^\n");
  EXPECT_EQ(errorsOf("fn f() -> int { let graph = 1; return 1; }\n"),
            "t.agt:1:21: error: expected a name or '(', got the reserved word "
            "'graph'\n"
            "fn f() -> int { let graph = 1; return 1; }\n"
            "                    ^~~~~\n");
  EXPECT_EQ(errorsOf("fn f() -> int { let x: = 1; return 1; }\n"),
            "t.agt:1:24: error: expected a type, got '='\n"
            "fn f() -> int { let x: = 1; return 1; }\n"
            "                       ^\n");
  EXPECT_EQ(errorsOf("tool t() -> T { exec: }\n"),
            "t.agt:1:23: error: expected a value, got '}'\n"
            "tool t() -> T { exec: }\n"
            "                      ^\n");
  EXPECT_EQ(errorsOf("hello\n"),
            "t.agt:1:1: error: expected a declaration, got 'hello'\n"
            "hello\n"
            "^~~~~\n");
  EXPECT_EQ(errorsOf("record R { a int; }\n"),
            "t.agt:1:14: error: expected ':', got 'int'\n"
            "record R { a int; }\n"
            "             ^~~\n");
  EXPECT_EQ(errorsOf("enum E { }\n"),
            "t.agt:1:10: error: expected a name, got '}'\n"
            "enum E { }\n"
            "         ^\n");
  EXPECT_EQ(errorsOf("graph g(x: tensor<f32, [T]>) tensor<f32, [T]> { }\n"),
            "t.agt:1:30: error: expected '->', got 'tensor'\n"
            "graph g(x: tensor<f32, [T]>) tensor<f32, [T]> { }\n"
            "                             ^~~~~~\n");
  EXPECT_EQ(errorsOf("const x ="),
            "t.agt:1:10: error: expected an expression, got the end of the "
            "file\n"
            "const x =\n"
            "         ^\n");
  EXPECT_EQ(errorsOf("import x;\n"),
            "t.agt:1:8: error: expected a string, got 'x'\n"
            "import x;\n"
            "       ^\n");
}

TEST(SyntaxErrors, OperatorsThatDoNotChain) {
  EXPECT_EQ(errorsOf("const x = a < b < c;\n"),
            "t.agt:1:17: error: comparisons do not chain, join them with "
            "'&&'\n"
            "const x = a < b < c;\n"
            "                ^\n");
  EXPECT_EQ(errorsOf("const x = 0..1..2;\n"),
            "t.agt:1:15: error: '..' does not chain\n"
            "const x = 0..1..2;\n"
            "              ^~\n");
}

TEST(SyntaxErrors, Assignments) {
  EXPECT_EQ(errorsOf("fn f() -> int { a[0] = 1; a.b = 2; return 1; }\n"),
            "t.agt:1:22: error: only a variable can be assigned, not an "
            "element or a field\n"
            "fn f() -> int { a[0] = 1; a.b = 2; return 1; }\n"
            "                     ^\n"
            "t.agt:1:31: error: only a variable can be assigned, not an "
            "element or a field\n"
            "fn f() -> int { a[0] = 1; a.b = 2; return 1; }\n"
            "                              ^\n");
  EXPECT_EQ(errorsOf("fn f() -> int { if (a = b) { } return 1; }\n"),
            "t.agt:1:23: error: expected '==', got '='\n"
            "fn f() -> int { if (a = b) { } return 1; }\n"
            "                      ^\n");
  EXPECT_EQ(errorsOf("fn f() -> int { let x: list<int>= a; return 1; }\n"),
            "t.agt:1:32: error: expected '>', got '>=': a '=' directly after a "
            "type argument needs a space before it\n"
            "fn f() -> int { let x: list<int>= a; return 1; }\n"
            "                               ^~\n");
}

TEST(SyntaxErrors, StreamsAreOfALaterVersion) {
  EXPECT_EQ(errorsOf("const x = 1;\nstream s { a: 1; }\nlive l { }\n"),
            "t.agt:2:1: error: 'stream' is reserved for a later version of the "
            "language\n"
            "stream s { a: 1; }\n"
            "^~~~~~\n"
            "t.agt:3:1: error: 'live' is reserved for a later version of the "
            "language\n"
            "live l { }\n"
            "^~~~\n");
  // As a WORD they are words.
  EXPECT_EQ(errorsOf("record R { stream: int; live: int; }\n"
                     "const x = a.stream + f(live = 1);\n"),
            "");
}

TEST(SyntaxErrors, OneForEachFault) {
  EXPECT_EQ(errorsOf("fn f(a b) -> int {\n"
                     "  let x 5;\n"
                     "  for y of z { a 1; }\n"
                     "  if x { b; }\n"
                     "  emit;\n"
                     "  return 1;\n"
                     "}\n"
                     "mesh { axes: cp = 4; }\n"
                     "const y = 3;\n"),
            "t.agt:1:8: error: expected ':', got 'b'\n"
            "fn f(a b) -> int {\n"
            "       ^\n"
            "t.agt:2:9: error: expected '=', got '5'\n"
            "  let x 5;\n"
            "        ^\n"
            "t.agt:3:9: error: expected 'in', got 'of'\n"
            "  for y of z { a 1; }\n"
            "        ^~\n"
            "t.agt:4:6: error: expected '(', got 'x'\n"
            "  if x { b; }\n"
            "     ^\n"
            "t.agt:5:7: error: expected an expression, got ';'\n"
            "  emit;\n"
            "      ^\n"
            "t.agt:8:6: error: expected a name, got '{'\n"
            "mesh { axes: cp = 4; }\n"
            "     ^\n");
}

TEST(SyntaxErrors, MatchesWithAndWithoutValues) {
  EXPECT_EQ(errorsOf("fn f() -> int { return match x { a => { 1 } b => { } }; "
                     "}\n"),
            "t.agt:1:52: error: expected an expression or a statement, got "
            "'}'\n"
            "fn f() -> int { return match x { a => { 1 } b => { } }; }\n"
            "                                                   ^\n");
}
