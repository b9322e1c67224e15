// Grammars of schemas: what they let through is JSON of the schema, whoever
// walks through them, and every value of the schema gets through.
#include "runtime/Generate/JsonGrammar.h"
#include "runtime/Generate/TextStream.h"
#include "runtime/Value/Value.h"
#include "unittests/Runtime/Refusal.h"
#include "unittests/Runtime/Seed.h"

#include <gtest/gtest.h>

#include <random>

using namespace agt::rt;

namespace {

bool accepts(const JsonGrammar &grammar, const std::string &text) {
  JsonGrammar::State state = grammar.start();
  for (unsigned char byte : text)
    if (!grammar.take(state, byte))
      return false;
  return grammar.mayEnd(state);
}

std::string refusal(const std::string &schema) {
  return test::messageOf([&] { JsonGrammar grammar(parseJson(schema)); });
}

TEST(JsonGrammarTest, Numbers) {
  JsonGrammar any(parseJson(R"({"type": "integer"})"));
  for (const char *text : {"0", "-7", "120", "999999999999999"})
    EXPECT_TRUE(accepts(any, text)) << text;
  for (const char *text :
       {"", "-", "-0", "01", "1.5", "1e3", "+1", "99999999999999999999"})
    EXPECT_FALSE(accepts(any, text)) << text;
  JsonGrammar real(parseJson(R"({"type": "number"})"));
  for (const char *text : {"0", "-7", "1.5", "-0.25", "0.0"})
    EXPECT_TRUE(accepts(real, text)) << text;
  for (const char *text : {".5", "1.", "1.5.", "1e3", "NaN", "- 1"})
    EXPECT_FALSE(accepts(real, text)) << text;
  JsonGrammar unit(
      parseJson(R"({"type": "number", "minimum": 0.0, "maximum": 1.0})"));
  for (const char *text : {"0", "1", "0.999", "1.000", "0.0"})
    EXPECT_TRUE(accepts(unit, text)) << text;
  for (const char *text : {"1.01", "2", "10", "-0.5", "-"})
    EXPECT_FALSE(accepts(unit, text)) << text;
  JsonGrammar perhaps(parseJson(
      R"({"anyOf": [{"type": "number"}, {"type": "null"}], "minimum": 0, "maximum": 1})"));
  EXPECT_TRUE(accepts(perhaps, "null") && accepts(perhaps, "0.5"));
  EXPECT_FALSE(accepts(perhaps, "1.5"));
  JsonGrammar some(
      parseJson(R"({"type": "integer", "minimum": -12, "maximum": 105})"));
  for (int number = -130; number <= 1100; ++number)
    EXPECT_EQ(accepts(some, std::to_string(number)),
              number >= -12 && number <= 105)
        << number;
}

TEST(JsonGrammarTest, TextsAreUtf8WithEscapes) {
  JsonGrammar text(parseJson(R"({"type": "string"})"));
  for (const char *good : {R"("")", R"("a b")", R"("\"\\\n")", R"("\u00e9")",
                           "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""})
    EXPECT_TRUE(accepts(text, good)) << good;
  for (const char *bad : {R"(")", R"("\x")", R"("\ud800")", "\"\n\"",
                          "\"\xc3\"", "\"\xed\xa0\x80\"", R"("a"b)"})
    EXPECT_FALSE(accepts(text, bad)) << bad;
}

TEST(JsonGrammarTest, ObjectsHaveTheirPropertiesInOrder) {
  JsonGrammar grammar(parseJson(R"({"type": "object",
    "properties": {"b": {"type": "boolean"},
                   "a": {"anyOf": [{"enum": ["x", "xy"]}, {"type": "null"}]},
                   "l": {"type": "array", "items": {"type": "integer"}, "maxItems": 2}},
    "required": ["b", "a", "l"], "additionalProperties": false})"));
  for (const char *good : {R"({"b":true,"a":"x","l":[]})",
                           R"({"b": false, "a": "xy", "l": [1, 2]})",
                           R"({"b":true,"a":null,"l":[3]})"})
    EXPECT_TRUE(accepts(grammar, good)) << good;
  for (const char *bad :
       {R"({"a":"x","b":true,"l":[]})", R"({"b":true,"a":"xyz","l":[]})",
        R"({"b":true,"a":"x","l":[1,2,3]})",
        R"({"b":true,"a":"x","l":[]})"
        "\n",
        R"({"b":true,"a":"x"})", R"({"b":true,"a":"x","l":[,]})"})
    EXPECT_FALSE(accepts(grammar, bad)) << bad;
}

TEST(JsonGrammarTest, WhatIsNotUnderstoodIsNamed) {
  EXPECT_EQ(refusal(R"({"type": "string", "pattern": "a"})"),
            "the schema has 'pattern', which is not understood");
  EXPECT_EQ(refusal(R"({"type": "date"})"),
            "the schema has the type 'date', which is not understood");
  EXPECT_EQ(refusal(R"({"$ref": "other.json"})"),
            "the schema has the reference 'other.json', which is not "
            "understood");
  EXPECT_EQ(
      refusal(R"({"type": "object", "properties": {"a": {"type": "null"}}})"),
      "the schema has a property that is not required, or twice, which is "
      "not understood");
  const std::string round =
      "the schema has a value that begins with itself, which is not understood";
  EXPECT_EQ(
      refusal(
          R"({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}})"),
      round);
  EXPECT_EQ(refusal(R"({"$ref": "#/$defs/A", "$defs": {"A": {"anyOf":
              [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A"}]}}})"),
            round);
  EXPECT_EQ(
      refusal(
          R"({"type": "array", "items": {"type": "null"}, "maxItems": 1000000000})"),
      "the schema has an array of more than 4096 items, which is not "
      "understood");
  EXPECT_EQ(refusal(R"({"$ref": 3})"),
            "the schema is none: a part of it has the wrong type");
  EXPECT_EQ(
      refusal(
          R"({"type": "object", "properties": {"a": {"type": "null"}, "b": {"type": "null"}}, "required": ["a", "a"]})"),
      "the schema has a property that is not required, or twice, which is "
      "not understood");
  EXPECT_EQ(refusal(R"({"type": "integer", "minimum": 0.2, "maximum": 0.8})"),
            "the schema has a number that cannot be, which is not understood");
}

// Bytes are drawn from all that fit, until the text is over.
TEST(JsonGrammarTest, NoWalkGetsStuck) {
  std::mt19937 random(test::drawnSeed());
  Json schema = parseJson(R"({"$ref": "#/$defs/Tree", "$defs": {"Tree": {
    "type": "object",
    "properties": {
      "name": {"type": "string"},
      "score": {"type": "number", "minimum": -0.5, "maximum": 12.25},
      "n": {"type": "integer", "minimum": 3, "maximum": 104},
      "left": {"anyOf": [{"$ref": "#/$defs/Tree"}, {"type": "null"}]},
      "others": {"type": "array", "items": {"$ref": "#/$defs/Tree"}, "maxItems": 2}},
    "required": ["name", "score", "n", "left", "others"]}}})");
  JsonGrammar grammar(schema);
  std::function<void(const Json &)> check = [&](const Json &tree) {
    ASSERT_EQ(tree.size(), 5u);
    ASSERT_TRUE(tree["name"].is_string());
    double score = tree["score"].get<double>();
    ASSERT_TRUE(score >= -0.5 && score <= 12.25) << score;
    ASSERT_TRUE(tree["n"].is_number_integer() && tree["n"] >= 3 &&
                tree["n"] <= 104);
    if (!tree["left"].is_null())
      check(tree["left"]);
    ASSERT_LE(tree["others"].size(), 2u);
    for (const Json &other : tree["others"])
      check(other);
  };
  for (int round = 0; round < 60; ++round) {
    JsonGrammar::State state = grammar.start();
    std::string text;
    while (!grammar.mustEnd(state)) {
      std::vector<unsigned char> fits;
      for (int byte = 0; byte < 256; ++byte) {
        JsonGrammar::State next = state;
        if (grammar.take(next, static_cast<unsigned char>(byte)))
          fits.push_back(static_cast<unsigned char>(byte));
      }
      ASSERT_FALSE(fits.empty()) << text;
      unsigned char byte = fits[random() % fits.size()];
      // So that texts end, and trees do.
      for (unsigned char wanted : {'"', 'n', ']'})
        if (random() % 3 && std::count(fits.begin(), fits.end(), wanted))
          byte = wanted;
      grammar.take(state, byte);
      text += char(byte);
    }
    check(parseJson(text));
  }
}

TEST(TextStreamTest, CharactersAreWholeAndStopsAreNotShown) {
  TextStream stream({"END", ""});
  EXPECT_EQ(stream.take("a\xc3"), "a");
  EXPECT_EQ(stream.take("\xa9"), "\xc3\xa9");
  EXPECT_EQ(stream.take("xE"), "x");
  EXPECT_EQ(stream.take("N"), "");
  EXPECT_EQ(stream.take("E"), "EN");
  EXPECT_FALSE(stream.isStopped());
  EXPECT_EQ(stream.take("NDz"), "");
  EXPECT_TRUE(stream.isStopped());
  EXPECT_EQ(stream.take("more"), "");
  EXPECT_EQ(stream.end(), "");
}

TEST(TextStreamTest, WhatIsNoTextIsReplacedAndTheRestShownAtTheEnd) {
  TextStream stream({"ab"});
  EXPECT_EQ(stream.take("\xff"), "\xef\xbf\xbd");
  EXPECT_EQ(stream.take("a"), "");
  EXPECT_EQ(stream.take("\xe2\x82"), "a");
  EXPECT_EQ(stream.end(), "\xef\xbf\xbd\xef\xbf\xbd");
  TextStream empty({});
  EXPECT_EQ(empty.take("\xc3(") + empty.end(), "\xef\xbf\xbd(");
}

} // namespace
