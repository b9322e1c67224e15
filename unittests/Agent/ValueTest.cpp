// Values, their JSON, the types they are read against, and the library.
#include "unittests/Agent/EngineFixture.h"

#include <limits>

using namespace agt::rt;
using namespace agt::rt::test;

namespace {

std::string failureOf(const std::function<void()> &body) {
  try {
    body();
  } catch (const StepFailure &failure) {
    return failure.message;
  }
  return "";
}

TEST(Canonical, Numbers) {
  Arena arena;
  auto text = [&](double number) {
    return canonicalJson(makeFloat(arena, number));
  };
  EXPECT_EQ(text(0.1), "0.1");
  EXPECT_EQ(text(5), "5.0");
  EXPECT_EQ(text(-0.0), "-0.0");
  EXPECT_EQ(text(1e300), "1e+300");
  EXPECT_EQ(text(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(canonicalJson(makeInt(arena, INT64_MIN)), "-9223372036854775808");
  EXPECT_EQ(failureOf([&] { text(std::numeric_limits<double>::infinity()); }),
            "an infinite float has no JSON");
  EXPECT_EQ(failureOf([&] { text(std::numeric_limits<double>::quiet_NaN()); }),
            "a float that is not a number has no JSON");
}

TEST(Canonical, TextsAndRecords) {
  Arena arena;
  Shape shape({"z", "a", "\xc3\xa4"});
  Value record = makeRecord(
      arena, shape,
      {makeInt(arena, 1),
       makeString(arena, std::string_view("\"\\\n\x01\0", 5)), nullptr});
  EXPECT_EQ(canonicalJson(record),
            "{\"a\":\"\\\"\\\\\\n\\u0001\\u0000\",\"z\":1,\"\xc3\xa4\":null}");
  EXPECT_EQ(canonicalJson(makeBytes(arena, "ab")), "\"YWI=\"");
}

TEST(Json, LosesNothing) {
  auto why = [](const char *text) {
    return failureOf([&] { parseJson(text); });
  };
  EXPECT_EQ(parseJson("9223372036854775807").get<int64_t>(), INT64_MAX);
  EXPECT_EQ(why("9223372036854775808"),
            "the integer 9223372036854775808 does not fit 64 bits");
  EXPECT_EQ(why("-99999999999999999999"),
            "the integer -99999999999999999999 does not fit 64 bits");
  EXPECT_NE(why("\"\\ud800\""), "");
  EXPECT_NE(why("\"\xff\""), "");
  EXPECT_NE(why("{\"a\": 1"), "");
  EXPECT_NE(why("1e999"), "");
  EXPECT_EQ(parseJson("\"\\u0000\"").get<std::string>(), std::string(1, 0));
}

// Within a boot the boot clock counts, which nobody can set; across boots the
// wall clock has to do.
TEST(Instant, DoesNotFollowASetClock) {
  Instant now = Instant::now(), later = now.after(3600'000'000'000);
  EXPECT_EQ(Instant::parse(later.text()).text(), later.text());
  later.wallMs = 0; // as if the clock had been set forward by decades
  EXPECT_GT(later.remaining(), 3599'000'000'000);
  later.boot = "another";
  EXPECT_EQ(later.remaining(), 0);
  later.wallMs = now.wallMs + 60000;
  EXPECT_GT(later.remaining(), 59'000'000'000);
}

class TypesTest : public testing::Test {
protected:
  std::string read(uint32_t type, const char *json, bool strict = false) {
    Reading reading;
    reading.strict = strict;
    return canonicalJson(types.read(arena, parseJson(json), type, reading));
  }
  std::string why(uint32_t type, const char *json, bool strict = false) {
    return failureOf([&] { read(type, json, strict); });
  }

  Arena arena;
  Types types{Json::parse(R"([
    {"kind": "string"}, {"kind": "int"}, {"kind": "float"}, {"kind": "bool"},
    {"kind": "option", "of": 0}, {"kind": "list", "of": 6, "max": 2},
    {"kind": "record", "name": "Finding", "doc": "what was found", "fields": [
      {"name": "claim", "type": 0, "doc": "one sentence"},
      {"name": "score", "type": 2, "min": 0, "max": 1},
      {"name": "level", "type": 7}, {"name": "by", "type": 4}]},
    {"kind": "enum", "name": "Level", "values": ["low", "high"]},
    {"kind": "bytes"}, {"kind": "handle", "of": 0}, {"kind": "result", "of": 1},
    {"kind": "tuple", "of": [0, 1]}, {"kind": "list", "of": 1},
    {"kind": "record", "name": "Tree", "fields": [
      {"name": "kids", "type": 14}]}, {"kind": "list", "of": 13}])")};
};

TEST_F(TypesTest, ReadsWhatFits) {
  EXPECT_EQ(
      read(5, R"([{"claim": "c", "score": 1, "level": "low", "more": 1}])"),
      R"([{"by":null,"claim":"c","level":"low","score":1.0}])");
  EXPECT_EQ(read(1, "3.0"), "3");
  EXPECT_EQ(read(8, "\"YWI=\""), "\"YWI=\"");
  EXPECT_EQ(read(11, "[\"a\", 2]"), "[\"a\",2]");
  EXPECT_EQ(read(10, R"({"ok": true, "value": 4, "key": "k"})"),
            R"({"error":null,"key":"k","ok":true,"value":4})");
  EXPECT_EQ(types.text(5), "list<Finding, max 2>");
  EXPECT_EQ(types.text(4), "string?");
  EXPECT_EQ(types.text(11), "(string, int)");
}

TEST_F(TypesTest, SaysWhatDoesNotFitAndWhere) {
  EXPECT_EQ(why(1, "1.5"), "expected int in the value, got 1.5");
  EXPECT_EQ(why(0, "[1]"), "expected string in the value, got [1]");
  EXPECT_EQ(why(5, R"([{"claim": "c", "score": 1.5, "level": "low"}])"),
            "expected a value in 0..1 in '[0].score', got 1.5");
  EXPECT_EQ(why(5, R"([{"claim": "c", "level": "low"}])"),
            "expected the field 'score' of Finding in '[0]', got "
            "{\"claim\":\"c\",\"level\":\"low\"}");
  EXPECT_EQ(why(6, R"({"claim": "c", "score": 0, "level": "mid"})"),
            "expected one of low, high in 'level', got \"mid\"");
  EXPECT_EQ(why(12, "[1, 2, 3, \"x\", 5]"), "expected int in '[3]', got \"x\"");
  EXPECT_EQ(why(5, "[1, 2, 3]"),
            "expected at most 2 elements in the value, got 3");
  EXPECT_EQ(
      why(6, R"({"claim": "c", "score": 0, "level": "low", "x": 1})", true),
      "expected no field 'x' in the value, which is a Finding");
  EXPECT_EQ(why(9, "\"text\""), "expected handle<string> in the value, got "
                                "\"text\"");
}

TEST_F(TypesTest, Schemas) {
  EXPECT_EQ(types.schema(5), Json::parse(R"({
    "type": "array", "maxItems": 2, "items": {"$ref": "#/$defs/Finding"},
    "$defs": {"Finding": {"type": "object", "description": "what was found",
      "additionalProperties": false,
      "required": ["claim", "score", "level", "by"],
      "properties": {
        "claim": {"type": "string", "description": "one sentence"},
        "score": {"type": "number", "minimum": 0.0, "maximum": 1.0},
        "level": {"type": "string", "enum": ["low", "high"]},
        "by": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}}})"));
  EXPECT_EQ(types.schema(13)["$defs"]["Tree"]["properties"]["kids"]["items"],
            Json::parse(R"({"$ref": "#/$defs/Tree"})"));
}

// ---- the library and arithmetic --------------------------------------------

class LibraryTest : public EngineTest {
protected:
  LibraryTest() {
    RunRow row;
    row.id = "x";
    log->create(row);
    run = std::make_unique<Execution>(program, *log, writer, row,
                                      ExecutionOptions());
    scope = makeScope(run->newStrand(nullptr), "");
  }
  Value value(const std::string &json) { return valueOf(Json::parse(json)); }
  Value valueOf(const Json &json) {
    Arena &arena = scope->arena();
    if (json.is_null())
      return nullptr;
    if (json.is_boolean())
      return makeBool(arena, json.get<bool>());
    if (json.is_number_integer())
      return makeInt(arena, json.get<int64_t>());
    if (json.is_number())
      return makeFloat(arena, json.get<double>());
    if (json.is_string())
      return makeString(arena, json.get<std::string>());
    std::vector<Value> all;
    for (const Json &element : json)
      all.push_back(valueOf(element));
    return makeList(arena, all);
  }
  // Arguments as a JSON list; the answer as JSON, or "failed: why".
  std::string call(int32_t function, const std::string &args) {
    Value list = value(args), result = nullptr;
    int32_t outcome = agt_library_call(scope, "", function, list->elements,
                                       list->count, &result);
    return outcome == AGT_STEP_OK
               ? canonicalJson(result)
               : "failed: " + std::string(textOf(
                                  agt_value_field(agt_scope_caught(scope), 1)));
  }
  std::string calculate(int32_t op, int64_t a, int64_t b) {
    int64_t result = 0;
    int32_t outcome = agt_int_calculate(scope, "", op, a, b, &result);
    return outcome == AGT_STEP_OK
               ? std::to_string(result)
               : std::string(
                     textOf(agt_value_field(agt_scope_caught(scope), 1)));
  }

  Writer writer{*log};
  std::unique_ptr<Execution> run;
  agt_scope *scope;
};

TEST_F(LibraryTest, Texts) {
  EXPECT_EQ(call(AGT_LIB_LEN, "[\"h\u00e4\"]"), "2");
  EXPECT_EQ(call(AGT_LIB_SPLIT, R"(["a,b,,c", ","])"), R"(["a","b","","c"])");
  EXPECT_EQ(call(AGT_LIB_SPLIT, "[\"a\u00e4\", \"\"]"), "[\"a\",\"\u00e4\"]");
  EXPECT_EQ(call(AGT_LIB_SPLIT, R"(["", ","])"), R"([""])");
  EXPECT_EQ(call(AGT_LIB_TRIM, R"([" \t a b\n"])"), R"("a b")");
  EXPECT_EQ(call(AGT_LIB_REPLACE, R"(["aaa", "aa", "b"])"), R"("ba")");
  EXPECT_EQ(call(AGT_LIB_REPLACE, R"(["a", "", "b"])"),
            "failed: replace: the text to replace is empty");
  EXPECT_EQ(call(AGT_LIB_CONTAINS, R"(["abc", "bc"])"), "true");
  EXPECT_EQ(call(AGT_LIB_CONTAINS, R"([[1, 2.0], 2])"), "true");
  EXPECT_EQ(call(AGT_LIB_STARTS_WITH, R"(["ab", "abc"])"), "false");
  EXPECT_EQ(call(AGT_LIB_ENDS_WITH, R"(["abc", "bc"])"), "true");
  EXPECT_EQ(call(AGT_LIB_LOWER, "[\"A\u00c4Z\"]"), "\"a\u00c4z\"");
  EXPECT_EQ(call(AGT_LIB_LINES, R"(["a\r\nb\n\nc\n"])"), R"(["a","b","","c"])");
  EXPECT_EQ(call(AGT_LIB_JOIN_TEXT, R"([["a", "b"], "; "])"), R"("a; b")");
}

TEST_F(LibraryTest, Regexes) {
  EXPECT_EQ(call(AGT_LIB_MATCHES, R"(["abc", "^.b"])"), "true");
  EXPECT_EQ(call(AGT_LIB_FIND_ALL, R"(["a1b22", "[0-9]+"])"), R"(["1","22"])");
  EXPECT_EQ(call(AGT_LIB_FIND_ALL, "[\"\u00e4a\", \"a*\"]"), R"(["","a",""])");
  EXPECT_EQ(call(AGT_LIB_MATCHES, R"(["a", "(b"])"),
            "failed: the regular expression \"(b\" is wrong at byte 2: "
            "missing closing parenthesis");
  EXPECT_EQ(call(AGT_LIB_MATCHES,
                 R"(["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!",
                     "^(a+)+$"])"),
            "failed: the regular expression cannot be matched: match limit "
            "exceeded");
}

TEST_F(LibraryTest, Lists) {
  EXPECT_EQ(call(AGT_LIB_SORT, "[[3, 1.5, 2]]"), "[1.5,2,3]");
  EXPECT_EQ(call(AGT_LIB_SORT, R"([[["b", 1], ["a", 1], ["c", 0]], 1, true])"),
            R"([["b",1],["a",1],["c",0]])");
  EXPECT_EQ(call(AGT_LIB_RANGE, "[3]"), "[0,1,2]");
  EXPECT_EQ(call(AGT_LIB_RANGE, "[2, 1]"), "[]");
  EXPECT_EQ(call(AGT_LIB_RANGE, "[0, 9000000000]"),
            "failed: range: expected at most 16777216 numbers");
  EXPECT_EQ(call(AGT_LIB_SUM, "[[1, 2]]"), "3");
  EXPECT_EQ(call(AGT_LIB_SUM, "[[0.5, 2.0]]"), "2.5");
  EXPECT_EQ(call(AGT_LIB_SUM, "[[9223372036854775807, 1]]"),
            "failed: integer overflow");
  EXPECT_EQ(call(AGT_LIB_ALL, "[[]]"), "true");
  EXPECT_EQ(call(AGT_LIB_ANY, "[[false, true]]"), "true");
  EXPECT_EQ(call(AGT_LIB_FIRST, "[[]]"), "null");
  EXPECT_EQ(call(AGT_LIB_LAST, "[[1, 2]]"), "2");
  EXPECT_EQ(call(AGT_LIB_JSON, "[[1, \"x\", null]]"), R"("[1,\"x\",null]")");
}

TEST_F(LibraryTest, ArithmeticIsChecked) {
  EXPECT_EQ(calculate(AGT_INT_ADD, INT64_MAX, 1), "integer overflow");
  EXPECT_EQ(calculate(AGT_INT_MUL, 1ll << 62, 2), "integer overflow");
  EXPECT_EQ(calculate(AGT_INT_NEG, INT64_MIN, 0), "integer overflow");
  EXPECT_EQ(calculate(AGT_INT_DIV, -7, 2), "-3");
  EXPECT_EQ(calculate(AGT_INT_REM, -7, 2), "-1");
  EXPECT_EQ(calculate(AGT_INT_DIV, 1, 0), "division by zero");
  EXPECT_EQ(calculate(AGT_INT_DIV, INT64_MIN, -1), "integer overflow");
  EXPECT_EQ(calculate(AGT_INT_REM, INT64_MIN, -1), "0");
}

TEST_F(LibraryTest, OrderAndEquality) {
  EXPECT_TRUE(agt_value_equals(value("[1, \"a\"]"), value("[1.0, \"a\"]")));
  EXPECT_FALSE(
      agt_value_equals(value("9007199254740993"), value("9007199254740992.0")));
  EXPECT_LT(agt_value_compare(nullptr, value("false")), 0);
  EXPECT_LT(agt_value_compare(value("\"Z\""), value("\"a\"")), 0);
  EXPECT_LT(agt_value_compare(value("[1]"), value("[1, 0]")), 0);
}

// ---- join ------------------------------------------------------------------

TEST_F(LibraryTest, Joins) {
  static const agt_site top = {"top", nullptr, nullptr, "", 0};
  auto join = [&](const std::string &list, std::vector<agt_join_op> ops) {
    Value result = nullptr;
    Budget budget(nullptr, {}, "x", 0);
    scope->strand->budget = &budget;
    int32_t outcome = agt_step_join(scope, &top, value(list), 0, 0, ops.data(),
                                    ops.size(), &result);
    return outcome == AGT_STEP_OK
               ? canonicalJson(result)
               : std::string(
                     textOf(agt_value_field(agt_scope_caught(scope), 1)));
  };
  agt_join_op flatten = {AGT_JOIN_FLATTEN, 0, 0, 0, 0, nullptr},
              dedupe = {AGT_JOIN_DEDUPE, 0, 0, 0, 0, nullptr},
              rank = {AGT_JOIN_RANK, 1, 1, 0, 0, nullptr},
              take = {AGT_JOIN_TAKE, 0, 2, 0, 0, nullptr},
              budget = {AGT_JOIN_BUDGET, 0, 3, 0, 0, nullptr};
  std::string lists = R"([[["a", 1], ["b", 3]], [["a", 9], ["c", 2]]])";
  EXPECT_EQ(join(lists, {flatten, dedupe, rank}),
            R"([["b",3],["c",2],["a",1]])");
  EXPECT_EQ(join(lists, {flatten, dedupe, rank, take}), R"([["b",3],["c",2]])");
  EXPECT_EQ(join(lists, {flatten, dedupe, rank, budget}), R"([["b",3]])");
  // Merges three at a time; each call keeps its group's length as one number.
  agt_join_op reduce = {AGT_JOIN_REDUCE,
                        0,
                        3,
                        AGT_WITH_FUNCTION,
                        0,
                        [](agt_scope *scope, Value const *args, Value *result) {
                          Value n =
                              agt_value_int(scope, agt_value_length(args[0]));
                          *result = agt_value_list(scope, &n, 1);
                          return int32_t(AGT_STEP_OK);
                        }};
  EXPECT_EQ(join("[7, 7, 7, 7, 7, 7, 7]", {reduce}), "[3]");
  EXPECT_EQ(join("[7]", {reduce}), "[7]");
  EXPECT_EQ(join("[]", {reduce}), "[]");
  reduce.n = 1;
  EXPECT_EQ(join("[7, 7]", {reduce}),
            "reduce: expected a fanin of 2 or more, got 1");
}

} // namespace
