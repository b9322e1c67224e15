// Section 1 of the language: values of literals.
#include "frontend/Parse/Literals.h"

#include "gtest/gtest.h"

using namespace agt;

TEST(Literals, Ints) {
  EXPECT_EQ(parseInt("42"), 42u);
  EXPECT_EQ(parseInt("1_000"), 1000u);
  EXPECT_EQ(parseInt("007"), 7u);
  EXPECT_EQ(parseInt("1Ki"), 1024u);
  EXPECT_EQ(parseInt("3Mi"), 3u << 20);
  EXPECT_EQ(parseInt("1Gi"), 1u << 30);
  EXPECT_EQ(parseInt("9223372036854775807"), 9223372036854775807u);
  EXPECT_EQ(parseInt("18446744073709551616"), std::nullopt);
  EXPECT_EQ(parseInt("99999999999Gi"), std::nullopt);
}

TEST(Literals, Floats) {
  EXPECT_EQ(parseFloat("3.5"), 3.5);
  EXPECT_EQ(parseFloat("1e-5"), 1e-5);
  EXPECT_EQ(parseFloat("2.5E+3"), 2500.0);
  EXPECT_EQ(parseFloat("1_0.2_5"), 10.25);
  EXPECT_EQ(parseFloat("1e999"), std::nullopt);
}

TEST(Literals, Durations) {
  EXPECT_EQ(parseDuration("3ns"), 3);
  EXPECT_EQ(parseDuration("2us"), 2000);
  EXPECT_EQ(parseDuration("500ms"), 500000000);
  EXPECT_EQ(parseDuration("1.5s"), 1500000000);
  EXPECT_EQ(parseDuration("20m"), 1200000000000);
  EXPECT_EQ(parseDuration("24h"), 86400000000000);
  EXPECT_EQ(parseDuration("1d"), 86400000000000);
  EXPECT_EQ(parseDuration("1e3ms"), 1000000000);
  EXPECT_EQ(parseDuration("9223372036854775807ns"), INT64_MAX);
  EXPECT_EQ(parseDuration("9223372036854775808ns"), std::nullopt);
  EXPECT_EQ(parseDuration("200000d"), std::nullopt);
}

TEST(Literals, Quantities) {
  auto check = [](llvm::StringRef text, double value,
                  ast::QuantityLit::Unit unit) {
    auto quantity = parseQuantity(text);
    ASSERT_TRUE(quantity) << text.str();
    EXPECT_EQ(quantity->value, value) << text.str();
    EXPECT_EQ(quantity->unit, unit) << text.str();
  };
  check("7B", 7, ast::QuantityLit::Bytes);
  check("80GiB", 80.0 * (1ull << 30), ast::QuantityLit::Bytes);
  check("80GB", 80e9, ast::QuantityLit::Bytes);
  check("1.5KiB", 1536, ast::QuantityLit::Bytes);
  check("2PB", 2e15, ast::QuantityLit::Bytes);
  check("450GB/s", 450e9, ast::QuantityLit::BytesPerSecond);
  check("1KiB/s", 1024, ast::QuantityLit::BytesPerSecond);
  check("990TFLOPS", 990e12, ast::QuantityLit::FlopsPerSecond);
  check("5FLOPS", 5, ast::QuantityLit::FlopsPerSecond);
  check("3kHz", 3e3, ast::QuantityLit::Hertz);
  check("1.2GHz", 1.2e9, ast::QuantityLit::Hertz);
  check("50Hz", 50, ast::QuantityLit::Hertz);
  EXPECT_FALSE(parseQuantity("1e308GB"));
}

TEST(Literals, Escapes) {
  EXPECT_EQ(parseEscape("\\n"), "\n");
  EXPECT_EQ(parseEscape("\\t"), "\t");
  EXPECT_EQ(parseEscape("\\r"), "\r");
  EXPECT_EQ(parseEscape("\\\\"), "\\");
  EXPECT_EQ(parseEscape("\\\""), "\"");
  EXPECT_EQ(parseEscape("\\u{41}"), "A");
  EXPECT_EQ(parseEscape("\\u{1F600}"), "\xF0\x9F\x98\x80");
  EXPECT_EQ(parseEscape("\\u{0}"), std::string(1, '\0'));
  EXPECT_EQ(parseEscape("\\u{D800}"), std::nullopt);
  EXPECT_EQ(parseEscape("\\u{110000}"), std::nullopt);
  EXPECT_EQ(parseEscape("\\u{0000041}"), std::nullopt);
  EXPECT_EQ(parseEscape("\\q"), std::nullopt);
  EXPECT_EQ(parseEscape("\\u{12"), std::nullopt);
}

namespace {

std::string strip(std::vector<std::pair<bool, std::string>> pieces) {
  stripBlockString(pieces);
  std::string text;
  for (const auto &piece : pieces)
    text += piece.second;
  return text;
}

} // namespace

TEST(Literals, BlockStrings) {
  EXPECT_EQ(strip({}), "");
  EXPECT_EQ(strip({{true, "abc"}}), "abc");
  EXPECT_EQ(strip({{true, "\n  abc\n  "}}), "abc\n");
  EXPECT_EQ(strip({{true, "\r\n  abc\r\n  "}}), "abc\r\n");
  EXPECT_EQ(strip({{true, "\n    a\n\n      b\n    c\n  "}}), "a\n\n  b\nc\n");
  // The first line counts only when it begins a line of the source.
  EXPECT_EQ(strip({{true, "a\n  b\n  c"}}), "a\nb\nc");
  EXPECT_EQ(strip({{true, "  a\n  b"}}), "  a\nb");
  // Blanks at the end of the last line of text are text.
  EXPECT_EQ(strip({{true, "\n  a  "}}), "a  ");
  // Tabs and blanks are not the same indent.
  EXPECT_EQ(strip({{true, "\n\ta\n  b\n"}}), "\ta\n  b\n");
  // Line breaks from escapes begin no line of the source.
  EXPECT_EQ(strip({{true, "\n  a"}, {false, "\n"}, {true, "b\n  c\n"}}),
            "a\nb\nc\n");
  // A line that begins with an interpolation has the indent before it.
  EXPECT_EQ(strip({{true, "\n  "}, {false, "X"}, {true, "\n    b\n  "}}),
            "X\n  b\n");
  EXPECT_EQ(strip({{false, "X"}, {true, "\n  b\n  "}}), "X\nb\n");
}
