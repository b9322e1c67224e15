// MCP without a server: messages and event streams that may be anything, and
// schemas beside declared types.
#include "runtime/Mcp/EventStream.h"
#include "runtime/Mcp/Message.h"
#include "runtime/Mcp/Schema.h"
#include "runtime/Mcp/Transport.h"

#include <gtest/gtest.h>
#include <thread>

using namespace agt::rt;

namespace {

using Lines = std::vector<std::string>;

TEST(McpMessage, KnowsItsKinds) {
  EXPECT_EQ(readMessage(R"({"id":1,"result":{}})").kind, McpMessage::Result);
  EXPECT_EQ(readMessage(R"({"id":1,"error":{}})").kind, McpMessage::Error);
  EXPECT_EQ(readMessage(R"({"id":"a","method":"ping"})").kind,
            McpMessage::Request);
  EXPECT_EQ(readMessage(R"({"method":"x"})").kind, McpMessage::Notification);
  EXPECT_EQ(readMessage(R"({"method":"x"})").body, Json());
}

TEST(McpMessage, SaysWhyItIsNone) {
  auto why = [](const std::string &text) {
    McpMessage message = readMessage(text);
    EXPECT_EQ(message.kind, McpMessage::Garbage) << text;
    return message.method;
  };
  EXPECT_EQ(why("[]"), "no JSON object");
  EXPECT_EQ(why("{}"), "neither a method nor a result or an error");
  EXPECT_EQ(why(R"({"id":1,"result":1,"error":2})"),
            "neither a method nor a result or an error");
  EXPECT_EQ(why(R"({"method":1})"), "a method that is no string");
  EXPECT_EQ(why(R"({"method":"x","params":18446744073709551616})"),
            "the integer 18446744073709551616 does not fit 64 bits");
  EXPECT_EQ(why(std::string(100000, '[')),
            "not JSON that is read here: nested deeper than 512");
  EXPECT_EQ(why("{\"a\":\"\xff\"}").substr(0, 8), "not JSON");
}

// What cannot be read exactly is still somebody's answer.
TEST(McpMessage, IsUnreadable) {
  McpMessage message =
      readMessage(R"({"id":7,"result":{"n":18446744073709551616}})");
  EXPECT_EQ(message.kind, McpMessage::Unreadable);
  EXPECT_TRUE(message.answers(7));
  EXPECT_FALSE(message.answers(8));
  EXPECT_EQ(message.method,
            "the integer 18446744073709551616 does not fit 64 bits");
  EXPECT_FALSE(readMessage(R"({"id":1e999,"result":1})").answers(7));
}

TEST(McpMessage, AnswersTheRequestOfItsNumberAlone) {
  auto answers = [](const std::string &id) {
    return readMessage("{\"id\":" + id + ",\"result\":{}}").answers(7);
  };
  EXPECT_TRUE(answers("7"));
  for (const char *other : {"8", "-7", "\"7\"", "7.0", "null", "true", "[7]"})
    EXPECT_FALSE(answers(other)) << other;
  EXPECT_FALSE(readMessage(R"({"id":7,"method":"ping"})").answers(7));
}

// The end of a call is its idle time after the last progress, and the longest
// time whatever there was.
TEST(McpTime, IsExtendedByProgressUpToTheLongest) {
  using namespace std::chrono;
  McpTime time(200'000'000, 350'000'000);
  std::this_thread::sleep_for(milliseconds(150));
  time.progress();
  EXPECT_GT(time.left(), milliseconds(50));
  EXPECT_LE(time.left(), milliseconds(200));
  std::this_thread::sleep_for(milliseconds(210));
  EXPECT_TRUE(time.over());
  EXPECT_EQ(McpTime(1'000'000'000, 4'000'000'000).text(), "1.000 s");
}

TEST(EventStream, TakesEventsApartWhereverTheyAreCut) {
  std::string text = ": comment\r\nid: 1\r\ndata: a\r\ndata:b\r\n\r\n"
                     "event: x\nretry: 25\ndata\n\nid: 2\ndata: c\r\rdata: d";
  for (size_t piece : {1, 2, 3, 7, 100}) {
    Lines events;
    EventStream stream(
        [&](const std::string &data) { events.push_back(data); });
    for (size_t at = 0; at < text.size(); at += piece)
      stream.feed(std::string_view(text).substr(at, piece));
    EXPECT_EQ(events, (Lines{"a\nb", "c"})) << piece;
    EXPECT_EQ(stream.lastId, "2");
    EXPECT_EQ(stream.retryMs, 25);
    EXPECT_EQ(stream.pending(), 7u);
    stream.restart();
    stream.feed("data: e\n\n");
    EXPECT_EQ(events.back(), "e");
  }
}

class McpSchema : public testing::Test {
protected:
  McpSchema()
      : types(Json::parse(R"([
          {"kind": "string"}, {"kind": "int"}, {"kind": "float"},
          {"kind": "bool"}, {"kind": "option", "of": 1},
          {"kind": "list", "of": 0},
          {"kind": "record", "name": "Node", "fields": [
            {"name": "name", "type": 0}, {"name": "size", "type": 4}]},
          {"kind": "list", "of": 6},
          {"kind": "enum", "name": "Level", "values": ["low", "high"]}])")) {}

  std::string sent(uint32_t type, const std::string &schema,
                   const std::string &more = "") {
    return compare(
        {{"a", "", type}}, 0,
        R"({"inputSchema": {"type": "object", "properties": {"a": )" + schema +
            "}" + more + "}}");
  }
  std::string received(uint32_t type, const std::string &schema) {
    return compare({}, type, R"({"outputSchema": )" + schema + "}");
  }
  std::string compare(std::vector<ParamDecl> params, uint32_t result,
                      const std::string &listed) {
    ToolDecl tool;
    tool.params = std::move(params);
    tool.result = result;
    return misfit(types, tool, Json::parse(listed));
  }
  Types types;
};

enum { String, Int, Float, Bool, Maybe, Texts, Node, Nodes, Level };

TEST_F(McpSchema, WhatIsSent) {
  EXPECT_EQ(sent(String, R"({"type": "string"})"), "");
  EXPECT_EQ(sent(String, "true"), "");
  EXPECT_EQ(sent(String, R"({"type": 5, "anyOf": {}, "enum": "x"})"), "");
  EXPECT_EQ(sent(Int, R"({"type": ["null", "number"]})"), "");
  EXPECT_EQ(sent(String, R"({"type": "integer"})"),
            "the argument 'a' is declared as string, the server takes "
            "{\"type\":\"integer\"}");
  EXPECT_EQ(sent(Float, R"({"type": "integer"})"),
            "the argument 'a' is declared as float, the server takes "
            "{\"type\":\"integer\"}");
  EXPECT_EQ(sent(String, "false"),
            "the argument 'a' is declared as string, the server takes false");
  EXPECT_EQ(
      sent(String, R"({"anyOf": [{"type": "null"}, {"type": "string"}]})"), "");
  EXPECT_EQ(sent(Bool, R"({"anyOf": [{"type": "null"}, {"type": "string"}]})"),
            "the argument 'a' is declared as bool, the server takes {\"anyOf\":"
            "[{\"type\":\"null\"},{\"type\":\"string\"}]}");
  EXPECT_EQ(sent(Texts, R"({"type": "array", "items": {"type": "number"}})"),
            "an element of the argument 'a' is declared as string, the server "
            "takes {\"type\":\"number\"}");
  EXPECT_EQ(sent(Level, R"({"enum": ["low", "high", "top"]})"), "");
  EXPECT_EQ(sent(Level, R"({"enum": ["low"]})"),
            "the argument 'a' is declared as Level, the server takes "
            "{\"enum\":[\"low\"]}");
  EXPECT_EQ(sent(String, R"({})", R"(, "required": ["a", "b"])"),
            "the argument 'b' is not declared, the server requires it");
  EXPECT_EQ(compare({{"x", "", String}}, 0,
                    R"({"inputSchema": {"additionalProperties": false}})"),
            "the argument 'x' is declared as string, the server's schema has "
            "none: {\"additionalProperties\":false}");
  EXPECT_EQ(sent(Maybe, R"({"type": "integer"})", R"(, "required": ["a"])"),
            "the argument 'a' is declared as int?, the server requires "
            "{\"type\":\"integer\"}");
  EXPECT_EQ(sent(Maybe, R"({"type": "integer"})"), "");
  EXPECT_EQ(sent(Node, R"({"type": "object", "required": ["name", "kind"],
                           "properties": {"kind": {"type": "string"}}})"),
            "the field 'kind' of the argument 'a' is not declared, the server "
            "requires {\"type\":\"string\"}");
}

TEST_F(McpSchema, WhatIsReceived) {
  const char *node = R"({"type": "object", "properties": {
      "name": {"type": "string"}, "size": {"type": "integer"}}})";
  EXPECT_EQ(received(Node, node), "");
  EXPECT_EQ(received(Int, R"({"type": "number"})"), "");
  EXPECT_EQ(received(Float, R"({"type": "integer"})"), "");
  EXPECT_EQ(received(String, node), ""); // the text is taken
  EXPECT_EQ(received(Nodes, std::string(R"({"type": "object", "properties": {
      "result": {"type": "array", "items": )") +
                                node + "}}}"),
            "");
  EXPECT_EQ(received(Node, R"({"type": "object", "properties": {
      "title": {"type": "string"}}})"),
            "the field 'name' of the result is declared as string, the "
            "server's schema has none: {\"properties\":{\"title\":{\"type\":"
            "\"string\"}},\"type\":\"object\"}");
  EXPECT_EQ(received(Node, R"({"type": "object", "properties": {
      "name": {"type": "boolean"}}})"),
            "the field 'name' of the result is declared as string, the server "
            "gives {\"type\":\"boolean\"}");
}

// Schemas that name themselves, in every way, come to an end.
TEST_F(McpSchema, ReferencesMayGoRoundInCircles) {
  EXPECT_EQ(sent(String, R"({"$ref": "#/properties/a"})"), "");
  EXPECT_EQ(sent(String, R"({"$ref": "https://elsewhere/x"})"), "");
  EXPECT_EQ(sent(String, R"({"$ref": "#/%zz/~5"})"), "");
  EXPECT_EQ(sent(Node, R"({"$ref": "#"})"), "");
  EXPECT_EQ(sent(Node, R"({"allOf": [{"$ref": "#/properties/a"},
                                     {"$ref": "#/properties/a"}]})"),
            "");
}

TEST_F(McpSchema, NoneIsLeftOutWhereItMayBe) {
  Json schema = Json::parse(R"({"required": ["b"], "properties": {
      "c": {"$ref": "#/$defs/C"}, "d": {"items": {"required": ["x"]}}},
    "$defs": {"C": {"required": ["y"]}}})");
  EXPECT_EQ(fitArguments(Json::parse(R"({"a": null, "b": null,
                           "c": {"x": null, "y": null},
                           "d": [null, {"x": null, "z": null}]})"),
                         schema),
            Json::parse(R"({"b": null, "c": {"y": null},
                            "d": [null, {"x": null}]})"));
}

} // namespace
