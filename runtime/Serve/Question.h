// What a client of an OpenAI-compatible endpoint asks for: the body of a
// request as values, checked. What the endpoint has no answer to is refused by
// name, not passed over.
#ifndef AGT_RUNTIME_SERVE_QUESTION_H
#define AGT_RUNTIME_SERVE_QUESTION_H

#include "runtime/Generate/Sampler.h"
#include "runtime/Value/Json.h"

#include <optional>
#include <string>
#include <vector>

namespace agt::rt {

/// Why a request is refused: the HTTP status, and what OpenAI's errors say.
struct Refusal {
  int status = 400;
  std::string message;
  std::string param; // the field; "" where it is none
};

struct Question {
  bool chat = false; // messages, else a prompt
  std::string model;
  std::string text;                           // what the model reads
  std::optional<std::vector<int64_t>> tokens; // the same, as numbers of tokens
  int64_t limit = -1;
  Sampling sampling;
  std::vector<std::string> stops;
  Json schema; // of the answer; null: text
  bool stream = false, usage = false;
  /// Of how many of the likeliest tokens the chances are told, beside those of
  /// each that is written.
  std::optional<size_t> logprobs;
};

/// Throws Refusal.
Question readQuestion(std::string_view body, bool chat);

} // namespace agt::rt

#endif // AGT_RUNTIME_SERVE_QUESTION_H
