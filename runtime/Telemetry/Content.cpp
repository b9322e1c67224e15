// See Content.h.
#include "runtime/Telemetry/Content.h"

#include "runtime/Agent/History.h"

namespace agt::rt {

namespace {

constexpr size_t longest = 16 << 10;

Json part(const std::string &text) {
  return {{"type", "text"}, {"content", shortened(text)}};
}

Json message(const std::string &role, const std::string &text) {
  return {{"role", role}, {"parts", Json::array({part(text)})}};
}

std::string dumped(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace

std::string shortened(std::string text) {
  if (text.size() > longest) {
    text.resize(longest);
    text += "...";
  }
  return text;
}

Attributes contentOfTool(const std::string &args, const std::string &result) {
  Attributes all;
  if (!args.empty())
    all.emplace_back("gen_ai.tool.call.arguments", shortened(args));
  if (!result.empty())
    all.emplace_back("gen_ai.tool.call.result", shortened(result));
  return all;
}

Attributes contentOfModel(const std::string &args, const std::string &result,
                          const std::string &info) {
  Attributes all;
  auto asked = [&](const char *name) {
    Json text = infoMember(args, name);
    return text.is_string() ? text.get<std::string>() : std::string();
  };
  if (std::string system = asked("system"); !system.empty())
    all.emplace_back("gen_ai.system_instructions",
                     dumped(Json::array({part(system)})));
  Json input = Json::array();
  if (Json list = infoMember(args, "messages"); list.is_array())
    for (const Json &one : list)
      if (one.is_object())
        input.push_back(message(one.value("role", ""), one.value("text", "")));
  if (std::string user = asked("user"); !user.empty())
    input.push_back(message("user", user));
  if (!input.empty())
    all.emplace_back("gen_ai.input.messages", dumped(input));
  if (result.empty())
    return all;
  // A text answer is a JSON string; a turn's is the whole reply in one.
  Json answer = Json::parse(result, nullptr, false);
  std::string text = answer.is_string() ? answer.get<std::string>() : result;
  if (Json part = infoMember(info, "part"); part == true)
    if (Json said = infoMember(text, "text"); said.is_string())
      text = said.get<std::string>();
  Json output = message("assistant", text);
  if (Json finish = infoMember(info, "finish"); finish.is_string())
    output["finish_reason"] = finish;
  all.emplace_back("gen_ai.output.messages", dumped(Json::array({output})));
  return all;
}

} // namespace agt::rt
