// Nesting deeper than 256 is an error, and what is long without being deep is
// not.
#include "Helpers.h"

#include "gtest/gtest.h"

using agt::test::errorsOf;

namespace {

std::string repeat(llvm::StringRef text, unsigned count) {
  std::string result;
  for (unsigned index = 0; index != count; ++index)
    result += text;
  return result;
}

void expectTooDeep(const std::string &text, const char *place) {
  std::string errors = errorsOf(text);
  EXPECT_EQ(errors.substr(0, errors.find('\n')),
            std::string("t.agt:") + place +
                ": error: nesting is deeper than 256");
  EXPECT_EQ(errors.find("error", errors.find('\n')), std::string::npos);
}

std::string brackets(unsigned depth) {
  return "const x = " + repeat("(", depth) + "1" + repeat(")", depth) + ";\n";
}

} // namespace

TEST(Nesting, Brackets) {
  EXPECT_EQ(errorsOf(brackets(256)), "");
  expectTooDeep(brackets(257), "1:267");
  expectTooDeep(brackets(20000), "1:267");
  expectTooDeep("const x = " + repeat("[", 20000), "1:267");
}

TEST(Nesting, Prefixes) {
  EXPECT_EQ(errorsOf("const x = " + repeat("!", 256) + "a;\n"), "");
  expectTooDeep("const x = " + repeat("!", 257) + "a;\n", "1:267");
  expectTooDeep("const x = " + repeat("-", 20000) + "a;\n", "1:267");
  expectTooDeep("const x = " + repeat("approve ", 20000) + ";\n", "1:2059");
  expectTooDeep("const x = " + repeat("match ", 20000) + ";\n", "1:1547");
}

TEST(Nesting, Interpolations) {
  EXPECT_EQ(errorsOf("const x = " + repeat("\"{", 256) + "1" +
                     repeat("}\"", 256) + ";\n"),
            "");
  expectTooDeep("const x = " + repeat("\"{", 257) + "1" + repeat("}\"", 257) +
                    ";\n",
                "1:524");
}

TEST(Nesting, ElseIfs) {
  // The body's braces, 254 `else if`, and the braces of the last branch.
  auto chain = [](unsigned count) {
    return "fn f() -> int { if (a) {} " + repeat("else if (a) {} ", count) +
           "return 1; }\n";
  };
  EXPECT_EQ(errorsOf(chain(254)), "");
  expectTooDeep(chain(20000), "1:3845");
}

TEST(Nesting, Types) {
  auto type = [](unsigned depth) {
    return "fn f(x: " + repeat("list<", depth) + "int" + repeat(">", depth) +
           ") -> int { return 1; }\n";
  };
  EXPECT_EQ(errorsOf(type(256)), "");
  expectTooDeep(type(257), "1:1294");
  expectTooDeep(type(20000), "1:5133");
}

TEST(Nesting, Suffixes) {
  EXPECT_EQ(errorsOf("const x = a" + repeat(".b", 256) + ";\n"), "");
  std::string errors = errorsOf("const x = a" + repeat(".b", 20000) + ";\n");
  EXPECT_EQ(errors.substr(0, errors.find('\n')),
            "t.agt:1:11: error: more than 256 calls, indexes and fields in a "
            "row");
}

TEST(Nesting, LongIsNotDeep) {
  EXPECT_EQ(errorsOf("const x = " + repeat("a + ", 200000) + "b;\n"), "");
  EXPECT_EQ(errorsOf("const x = " + repeat("a * b - c && ", 20000) + "d;\n"),
            "");
  EXPECT_EQ(errorsOf("const x = [" + repeat("1, ", 100000) + "2];\n"), "");
  EXPECT_EQ(errorsOf("fn f() -> int { " + repeat("if (a) { b; } ", 5000) +
                     "return 1; }\n"),
            "");
  EXPECT_EQ(errorsOf(repeat("fn f() -> int { return match x { a => { 1 } "
                            "else => { 2 } }; }\n",
                            500)),
            "");
}

TEST(Nesting, ASumIsOneNode) {
  agt::test::TestSource source("const x = " + repeat("a + ", 200000) + "b;\n");
  agt::ast::File *file = source.parse();
  ASSERT_TRUE(file);
  auto *constant = llvm::cast<agt::ast::ConstDecl>(file->decls.front());
  auto *sum = llvm::cast<agt::ast::ChainExpr>(constant->value);
  EXPECT_EQ(sum->rest.size(), 200000u);
  EXPECT_TRUE(llvm::isa<agt::ast::NameRef>(sum->first));
  EXPECT_EQ(agt::lineAndColumn(source.sources, sum->rest.back().operand->loc())
                .column,
            800011u);
}
