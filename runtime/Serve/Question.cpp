// See Question.h.
#include "runtime/Serve/Question.h"

#include "runtime/Generate/SharedModel.h"
#include "runtime/Value/Value.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace agt::rt {
namespace {

// As OpenAI has it for completions.
constexpr int64_t fewTokens = 16;
constexpr int64_t mostLogprobs = 20;

class Reader {
public:
  explicit Reader(const Json &body) : body(body) {}

  const Json *find(const char *name) {
    known.insert(name);
    auto found = body.find(name);
    return found == body.end() || found->is_null() ? nullptr : &*found;
  }

  [[noreturn]] static void refuse(const std::string &name,
                                  const std::string &message) {
    throw Refusal{400, message, name};
  }

  std::string text(const char *name) {
    const Json *found = find(name);
    if (!found || !found->is_string())
      refuse(name, std::string("expected '") + name + "' as a string");
    return found->get<std::string>();
  }

  bool flag(const char *name) {
    const Json *found = find(name);
    if (found && !found->is_boolean())
      refuse(name, std::string("expected '") + name + "' as true or false");
    return found && found->get<bool>();
  }

  double number(const char *name, double otherwise, double least, double most) {
    const Json *found = find(name);
    if (!found)
      return otherwise;
    double value = found->is_number() ? found->get<double>() : NAN;
    if (!(value >= least && value <= most))
      refuse(name, std::string("expected '") + name + "' as a number from " +
                       floatText(least) + " to " + floatText(most));
    return value;
  }

  int64_t whole(const char *name, int64_t otherwise, int64_t least,
                int64_t most = INT64_MAX) {
    const Json *found = find(name);
    if (!found)
      return otherwise;
    if (!found->is_number_integer() ||
        (found->is_number_unsigned() &&
         found->get<uint64_t>() > uint64_t(INT64_MAX)) ||
        found->get<int64_t>() < least || found->get<int64_t>() > most)
      refuse(name,
             std::string("expected '") + name + "' as a whole number from " +
                 std::to_string(least) +
                 (most == INT64_MAX ? " on" : " to " + std::to_string(most)));
    return found->get<int64_t>();
  }

  /// A field that changes nothing at this value, and is not understood at any
  /// other.
  void only(const char *name, const Json &value) {
    const Json *found = find(name);
    if (found && *found != value)
      refuse(name, std::string("'") + name +
                       "' is not understood here but as " + value.dump());
  }

  void refuseOthers() {
    for (const auto &entry : body.items())
      if (!known.count(entry.key()))
        refuse(entry.key(), "'" + entry.key() + "' is not understood here");
  }

private:
  const Json &body;
  std::set<std::string> known;
};

/// The text of one message: a string, or parts of the type text.
std::string contentOf(const Json &message) {
  auto refuse = [] {
    Reader::refuse("messages", "expected messages with a 'role' and a "
                               "'content' of text");
  };
  if (!message.is_object() || !message.contains("content") ||
      !message.value("role", Json()).is_string())
    refuse();
  const Json &content = message["content"];
  if (content.is_string())
    return content.get<std::string>();
  std::string text;
  if (!content.is_array())
    refuse();
  for (const Json &part : content) {
    if (!part.is_object() || part.value("type", Json()) != "text" ||
        !part.value("text", Json()).is_string())
      refuse();
    text += part["text"].get<std::string>();
  }
  return text;
}

std::string readMessages(Reader &reader) {
  const Json *messages = reader.find("messages");
  if (!messages || !messages->is_array() || messages->empty())
    Reader::refuse("messages", "expected 'messages' as a list");
  std::string text;
  for (const Json &message : *messages)
    addMessage(text, contentOf(message));
  return text;
}

void readPrompt(Reader &reader, Question &question) {
  const Json *prompt = reader.find("prompt");
  // One prompt of several.
  if (prompt && prompt->is_array() && prompt->size() == 1 &&
      !prompt->front().is_number())
    prompt = &prompt->front();
  if (prompt && prompt->is_string()) {
    question.text = prompt->get<std::string>();
    return;
  }
  question.tokens.emplace();
  bool fits = prompt && prompt->is_array() && !prompt->empty();
  for (const Json &token : fits ? *prompt : Json::array()) {
    fits = fits && token.is_number_integer();
    if (fits)
      question.tokens->push_back(token.get<int64_t>());
  }
  if (!fits)
    Reader::refuse("prompt", "expected 'prompt' as one string or one list of "
                             "numbers of tokens");
}

std::optional<size_t> readLogprobs(Reader &reader, bool chat) {
  if (!chat) {
    int64_t count = reader.whole("logprobs", -1, 0, mostLogprobs);
    return count < 0 ? std::nullopt : std::optional(size_t(count));
  }
  bool wanted = reader.flag("logprobs");
  int64_t count = reader.whole("top_logprobs", -1, 0, mostLogprobs);
  if (count >= 0 && !wanted)
    Reader::refuse("top_logprobs",
                   "'top_logprobs' needs 'logprobs' to be true");
  return wanted ? std::optional(size_t(std::max<int64_t>(count, 0)))
                : std::nullopt;
}

std::vector<std::string> readStops(Reader &reader) {
  const Json *stop = reader.find("stop");
  if (!stop)
    return {};
  std::vector<std::string> stops;
  Json list = stop->is_array() ? *stop : Json::array({*stop});
  for (const Json &each : list) {
    if (!each.is_string())
      Reader::refuse("stop", "expected 'stop' as a string or a list of them");
    stops.push_back(each.get<std::string>());
  }
  return stops;
}

Json readFormat(Reader &reader) {
  const Json *format = reader.find("response_format");
  if (!format)
    return nullptr;
  std::string type = format->is_object() ? format->value("type", "") : "";
  if (type == "text")
    return nullptr;
  if (type != "json_schema" || !format->contains("json_schema") ||
      !(*format)["json_schema"].is_object() ||
      !(*format)["json_schema"].contains("schema"))
    Reader::refuse("response_format",
                   "expected 'response_format' of the type text, or of "
                   "json_schema with a 'schema'");
  return (*format)["json_schema"]["schema"];
}

} // namespace

Question readQuestion(std::string_view bytes, bool chat) {
  Json body;
  try {
    body = parseJson(bytes);
  } catch (const StepFailure &failure) {
    throw Refusal{400, "the body is " + failure.message, ""};
  }
  if (!body.is_object())
    throw Refusal{400, "expected an object as the body", ""};
  Reader reader(body);
  Question question;
  question.chat = chat;
  question.model = reader.text("model");
  if (chat)
    question.text = readMessages(reader);
  else
    readPrompt(reader, question);
  question.limit = reader.whole("max_tokens", chat ? -1 : fewTokens, 1);
  if (chat)
    question.limit = reader.whole("max_completion_tokens", question.limit, 1);
  question.sampling.temperature = reader.number("temperature", 1, 0, 100);
  question.sampling.topP = reader.number("top_p", 1, 0, 1);
  question.sampling.minP = reader.number("min_p", 0, 0, 1);
  question.sampling.repetition =
      reader.number("repetition_penalty", 1, 1e-3, 1e3);
  question.sampling.topK = reader.whole("top_k", 0, 0);
  question.sampling.seed = uint64_t(reader.whole("seed", 0, INT64_MIN));
  question.stops = readStops(reader);
  question.schema = readFormat(reader);
  question.logprobs = readLogprobs(reader, chat);
  question.stream = reader.flag("stream");
  if (const Json *options = reader.find("stream_options"))
    question.usage =
        options->is_object() && options->value("include_usage", Json()) == true;
  reader.only("n", 1);
  reader.only("best_of", 1);
  reader.only("frequency_penalty", 0);
  reader.only("presence_penalty", 0);
  reader.only("echo", false);
  reader.only("suffix", "");
  reader.only("tools", Json::array());
  for (const char *aside : {"user", "store", "metadata"})
    reader.find(aside);
  reader.refuseOthers();
  return question;
}

} // namespace agt::rt
