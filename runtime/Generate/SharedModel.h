// An llm from a graph that many ask at a time: one cache in pages, one launch
// for all that are ready.
#ifndef AGT_RUNTIME_GENERATE_SHAREDMODEL_H
#define AGT_RUNTIME_GENERATE_SHAREDMODEL_H

#include "runtime/Generate/Chances.h"
#include "runtime/Generate/Decoder.h"
#include "runtime/Generate/Restraint.h"
#include "runtime/Generate/Scheduler.h"
#include "runtime/Generate/TextStream.h"

#include <mutex>
#include <optional>

namespace agt::rt {

/// Puts what one more message says behind a prompt, a line break between:
/// models here know no roles.
void addMessage(std::string &prompt, std::string_view said);

/// A text as somebody asks for it.
struct TextRequest {
  std::vector<int32_t> context, prompt; // as those of a GenerationRequest
  int64_t limit = -1;
  Sampling sampling;
  std::vector<std::string> stops;
  /// Of the text, as JSON; null: any text.
  Json schema;
  /// Shown what can be shown, as it comes; says whether to go on. May be empty.
  /// Everybody waits for it.
  std::function<bool(std::string_view)> show;
  /// Told how likely each new token was, as the model has it and whatever
  /// temperature or schema make of it, and of so many of the likeliest; before
  /// its text is shown. May be empty.
  std::function<void(TokenChance)> weigh;
  size_t likeliest = 0;
  std::function<bool()> cancelled;
};

struct TextResult {
  std::string text;
  bool isWhole = true; // not cut off by the limit or the context
  bool isCancelled = false;
  int64_t newTokens = 0;
  double readSeconds = 0; // from when it was begun until its first token
};

class SharedModel {
public:
  /// Opens tokenizer, weights and device. The cache has room for eight texts of
  /// the llm's context, for fewer where memory is short.
  SharedModel(const agt_program &program, const Manifest &manifest,
              const ManifestLlm &llm, DeviceChoice device,
              const std::map<std::string, std::string> &weightPaths);

  const Tokenizer &tokenizer() const { return *words; }
  int64_t context() const { return llm.context; }
  /// From any thread. Fails with AGT_BAD_INPUT where the context has no room
  /// for the prompt, or the schema is not understood.
  TextResult write(const TextRequest &request);
  /// Fails as write() would before it begins.
  void check(const TextRequest &request) const;
  /// Reads a context for those who ask with it; what is there is not read
  /// again.
  void read(const std::vector<int32_t> &context);

  /// What its launches were so far.
  FanoutTotals totals() { return scheduler->totals(); }
  std::vector<LaunchNote> notes() { return scheduler->notes(); }
  /// Keys and values of a place, of all layers.
  uint64_t bytesOfPlace() const { return decoder.bytesOfPlace(); }

private:
  std::vector<std::vector<float>> launch(const std::vector<Row> &rows,
                                         const std::vector<size_t> &wanted);

  const ManifestLlm &llm;
  const TokenOrder &order();

  std::unique_ptr<Tokenizer> words;
  std::once_flag orderOnce;
  std::optional<TokenOrder> orderOfAll; // once an answer has had a schema
  Decoder decoder;
  std::unique_ptr<PagePool> pool;
  std::unique_ptr<Scheduler> scheduler;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_GENERATE_SHAREDMODEL_H
