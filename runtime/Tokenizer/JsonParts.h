// The parts of a Hugging Face tokenizer.json, as far as they are known here.
#ifndef AGT_RUNTIME_TOKENIZER_JSONPARTS_H
#define AGT_RUNTIME_TOKENIZER_JSONPARTS_H

#include "runtime/Tokenizer/Vocabulary.h"

#include <nlohmann/json.hpp>

namespace agt::rt {

/// A JSON object of the file; what of it is not asked for is refused by name.
/// All failures are AGT_BAD_INPUT.
class JsonPart {
public:
  using Json = nlohmann::json;

  /// `name` is for messages: "its normalizer". Fails where `json` is no object.
  JsonPart(const Json &json, const std::string &name);

  const std::string &name() const { return own; }
  /// The member `key`; null where there is none.
  const Json *find(const char *key);
  /// Null is as good as none.
  const Json *findUnlessNull(const char *key);
  std::string text(const char *key);
  bool flag(const char *key, bool otherwise);
  const Json &list(const char *key);
  /// A part of this one.
  JsonPart part(const char *key);
  /// Marks a member as read that has no effect here.
  void skip(const char *key) { find(key); }
  /// Refuses what is left.
  void done() const;
  [[noreturn]] void refuse(const std::string &why) const;
  /// "its normalizer has 'x' as 'type', which is not known here"
  [[noreturn]] void refuseValue(const char *key,
                                const std::string &value) const;

private:
  const Json &json;
  std::string own;
  std::set<std::string> seen;
};

/// What becomes of a text before the model sees it, and of tokens behind it.
struct JsonStages {
  bool byteLevel = false;
  bool blanksReplaced = false; // by U+2581
  Vocabulary::Front front = Vocabulary::Never;
  std::vector<SplitStep> steps;
};

void readNormalizer(const nlohmann::json &json, JsonStages &stages);
void readPreTokenizer(const nlohmann::json &json, JsonStages &stages);
/// Checks that the decoder is the way back.
void checkDecoder(const nlohmann::json &json, const JsonStages &stages);
/// The tokens in front of every text.
std::vector<int32_t> readPostProcessor(const nlohmann::json &json);

} // namespace agt::rt

#endif // AGT_RUNTIME_TOKENIZER_JSONPARTS_H
