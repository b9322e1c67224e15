// See Endpoint.h.
#include "runtime/Serve/Endpoint.h"

#include "runtime/Serve/Logprobs.h"
#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"
#include "runtime/Web/Guard.h"

#include <condition_variable>
#include <ctime>
#include <deque>
#include <thread>

namespace agt::rt {
namespace {

WebReply jsonReply(const Json &json) {
  WebReply reply;
  reply.type = "application/json";
  reply.body = json.dump() + "\n";
  return reply;
}

Json errorJson(const Refusal &refusal) {
  return {{"error",
           {{"message", refusal.message},
            {"type",
             refusal.status < 500 ? "invalid_request_error" : "server_error"},
            {"param", refusal.param.empty() ? Json() : Json(refusal.param)},
            {"code", nullptr}}}};
}

WebReply refuse(const Refusal &refusal) {
  WebReply reply = jsonReply(errorJson(refusal));
  reply.status = refusal.status;
  return reply;
}

/// One completion: its question, and the objects it is answered with.
struct Completion {
  Question question;
  std::string id;
  int64_t created;
  TextRequest request;
  std::optional<Logprobs> logprobs; // where they are wanted

  Json object(const char *chatName, const char *textName) const {
    return {{"id", id},
            {"object", question.chat ? chatName : textName},
            {"created", created},
            {"model", question.model}};
  }

  /// `tokens`: those that are told of here.
  Json choice(const Json &finish, const std::vector<TokenChance> &tokens) {
    return {{"index", 0},
            {"finish_reason", finish},
            {"logprobs", logprobs ? logprobs->next(tokens) : Json()}};
  }

  Json usage(const TextResult &result) const {
    int64_t read = int64_t(request.prompt.size());
    return {{"prompt_tokens", read},
            {"completion_tokens", result.newTokens},
            {"total_tokens", read + result.newTokens}};
  }

  static const char *finishOf(const TextResult &result) {
    return result.isWhole ? "stop" : "length";
  }

  Json whole(const TextResult &result, const std::vector<TokenChance> &tokens) {
    Json all = object("chat.completion", "text_completion");
    Json one = choice(finishOf(result), tokens);
    if (question.chat)
      one["message"] = {{"role", "assistant"}, {"content", result.text}};
    else
      one["text"] = result.text;
    all["choices"] = Json::array({one});
    all["usage"] = usage(result);
    return all;
  }

  Json piece(const std::string &text, const Json &finish, bool first,
             const std::vector<TokenChance> &tokens) {
    Json all = object("chat.completion.chunk", "text_completion");
    Json one = choice(finish, tokens);
    if (tokens.empty())
      one["logprobs"] = nullptr;
    if (question.chat) {
      one["delta"] = Json::object();
      if (first)
        one["delta"]["role"] = "assistant";
      if (first || !text.empty())
        one["delta"]["content"] = text;
    } else {
      one["text"] = text;
    }
    all["choices"] = Json::array({one});
    return all;
  }
};

/// What can be shown, and the tokens since the piece before.
struct Piece {
  std::string text;
  std::vector<TokenChance> tokens;
};

std::string eventOf(const Json &json) {
  return "data: " + json.dump() + "\n\n";
}

/// Writes pieces as they come. The model writes on a thread of its own: nobody
/// who shares its launches waits for a slow reader.
void stream(SharedModel &model, Completion &completion, const WebSink &sink) {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Piece> pieces;
  std::vector<TokenChance> tokens; // of the next piece; the writer's
  bool done = false;
  std::atomic<bool> gone{false};
  TextResult result;
  std::string failure;
  completion.request.show = [&](std::string_view text) {
    std::lock_guard<std::mutex> held(mutex);
    pieces.push_back({std::string(text), std::move(tokens)});
    tokens.clear();
    changed.notify_one();
    return !gone;
  };
  if (completion.logprobs)
    completion.request.weigh = [&](TokenChance chance) {
      tokens.push_back(std::move(chance));
    };
  completion.request.cancelled = [&] { return gone.load(); };
  std::thread writer([&] {
    try {
      result = model.write(completion.request);
    } catch (const Failure &why) {
      failure = why.message;
    } catch (const std::exception &why) {
      failure = why.what();
    }
    std::lock_guard<std::mutex> held(mutex);
    done = true;
    changed.notify_one();
  });
  auto say = [&](const std::string &event) {
    if (!gone && !sink(event))
      gone = true;
  };
  if (completion.question.chat)
    say(eventOf(completion.piece("", nullptr, true, {})));
  std::unique_lock<std::mutex> held(mutex);
  while (!done || !pieces.empty()) {
    if (pieces.empty()) {
      // A reader that is gone is seen by writing: a comment does no harm.
      if (!changed.wait_for(held, std::chrono::seconds(1),
                            [&] { return done || !pieces.empty(); })) {
        held.unlock();
        say(": \n\n");
        held.lock();
      }
      continue;
    }
    Piece piece = std::move(pieces.front());
    pieces.pop_front();
    held.unlock();
    say(eventOf(completion.piece(piece.text, nullptr, false, piece.tokens)));
    held.lock();
  }
  held.unlock();
  writer.join();
  if (!failure.empty()) {
    say(eventOf(errorJson({500, failure, ""})));
    return;
  }
  say(eventOf(
      completion.piece("", Completion::finishOf(result), false, tokens)));
  if (completion.question.usage) {
    Json last = completion.object("chat.completion.chunk", "text_completion");
    last["choices"] = Json::array();
    last["usage"] = completion.usage(result);
    say(eventOf(last));
  }
  say("data: [DONE]\n\n");
}

std::vector<int32_t> promptOf(const Question &question,
                              const Tokenizer &tokenizer) {
  if (!question.tokens)
    return tokenizer.encode(question.text);
  std::vector<int32_t> tokens;
  for (int64_t token : *question.tokens) {
    if (token < 0 || token >= tokenizer.size())
      throw Refusal{400,
                    "'prompt' has the token " + std::to_string(token) +
                        ", the tokenizer has " +
                        std::to_string(tokenizer.size()) + ": 0 to " +
                        std::to_string(tokenizer.size() - 1),
                    "prompt"};
    tokens.push_back(int32_t(token));
  }
  return tokens;
}

} // namespace

WebReply Endpoint::answer(const WebRequest &request) {
  if (std::optional<WebReply> foreign = foreignRefusal(request))
    return *foreign;
  bool chat = request.path == "/v1/chat/completions";
  bool models = request.path == "/v1/models";
  if (!chat && !models && request.path != "/v1/completions")
    return refuse({404, "there is no '" + request.path + "' here", ""});
  std::string method = models ? "GET" : "POST";
  if (request.method != method)
    return refuse({405,
                   "expected " + method + " for '" + request.path + "', got " +
                       request.method,
                   ""});
  if (models)
    return list();
  try {
    return complete(request, chat);
  } catch (const Refusal &refusal) {
    return refuse(refusal);
  }
}

WebReply Endpoint::list() const {
  Json data = Json::array();
  for (const auto &[name, model] : models)
    data.push_back({{"id", name},
                    {"object", "model"},
                    {"created", 0},
                    {"owned_by", "agt"}});
  return jsonReply({{"object", "list"}, {"data", data}});
}

std::string Endpoint::newId(bool chat) {
  return (chat ? "chatcmpl-" : "cmpl-") + std::to_string(++counter);
}

WebReply Endpoint::complete(const WebRequest &web, bool chat) {
  auto completion = std::make_shared<Completion>();
  completion->question = readQuestion(web.body, chat);
  const Question &question = completion->question;
  auto found = models.find(question.model);
  if (found == models.end()) {
    std::vector<std::string> names;
    for (const auto &[name, model] : models)
      names.push_back(name);
    throw Refusal{404,
                  "there is no model '" + question.model + "', there is " +
                      listText(names),
                  "model"};
  }
  SharedModel &model = *found->second;
  completion->id = newId(chat);
  completion->created = int64_t(std::time(nullptr));
  TextRequest &request = completion->request;
  request.prompt = promptOf(question, model.tokenizer());
  request.limit = question.limit;
  request.sampling = question.sampling;
  request.stops = question.stops;
  request.schema = question.schema;
  if (question.logprobs) {
    completion->logprobs.emplace(model.tokenizer(), chat);
    request.likeliest = *question.logprobs;
  }
  try {
    if (!question.stream) {
      std::vector<TokenChance> tokens;
      if (question.logprobs)
        request.weigh = [&](TokenChance chance) {
          tokens.push_back(std::move(chance));
        };
      request.cancelled = web.isGone;
      TextResult result = model.write(request);
      return jsonReply(completion->whole(result, tokens));
    }
    model.check(request); // before the status is said
  } catch (const Failure &failure) {
    throw Refusal{failure.code == AGT_BAD_INPUT ? 400 : 500, failure.message,
                  ""};
  }
  WebReply reply;
  reply.type = "text/event-stream";
  reply.stream = [&model, completion](const WebSink &sink) {
    stream(model, *completion, sink);
  };
  return reply;
}

} // namespace agt::rt
