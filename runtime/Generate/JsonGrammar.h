// Which bytes may come next where a text is to be JSON of a schema.
//
// A schema (draft 2020-12, of which: type, properties in their order, all of
// them required, items, maxItems, enum, const, anyOf, minimum, maximum, $ref to
// $defs) becomes a small program that matches bytes, alternatives side by side,
// with calls where a value stands in another. There are no blanks but one
// behind a comma or a colon, and numbers have no exponents. Every text that it
// lets through is JSON of the schema, and no text gets stuck: where bytes are
// left, some way to the end is.
#ifndef AGT_RUNTIME_GENERATE_JSONGRAMMAR_H
#define AGT_RUNTIME_GENERATE_JSONGRAMMAR_H

#include "runtime/Value/Json.h"

#include <bitset>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace agt::rt {

class JsonGrammar {
public:
  /// Fails with AGT_BAD_INPUT where the schema says what is not understood,
  /// which the message names.
  explicit JsonGrammar(const Json &schema);

  /// Where a text is; made by start().
  class State {
    friend class JsonGrammar;
    struct Frame {
      size_t back; // where the caller goes on
      std::shared_ptr<const Frame> caller;
      int depth;
    };
    struct Thread {
      size_t at;
      std::shared_ptr<const Frame> caller;
      std::string number; // what there is of one
    };
    std::vector<Thread> threads;
    size_t ways = 0; // gone while they were found
  };

  State start() const;
  /// Takes a byte; false where it may not stand here, and then the state is
  /// of no use any more.
  bool take(State &state, unsigned char byte) const;
  /// Whether the text may be over, and whether it has to be.
  bool mayEnd(const State &state) const;
  bool mustEnd(const State &state) const;

private:
  struct Step {
    enum Kind { Bytes, Number, Split, Jump, Call, Return, End } kind;
    std::bitset<256> bytes;
    size_t to = 0, other = 0; // Split: both; Jump, Call: the first
    bool whole = false;       // Number: an integer
    double least = 0, most = 0;
  };

  size_t add(Step::Kind kind) {
    steps.push_back({kind, {}, 0, 0, false, 0, 0});
    return steps.size() - 1;
  }
  void text(const std::string &text);
  void one(std::bitset<256> bytes);
  void range(int first, int last);
  void blank();
  void value(const Json &schema);
  void object(const Json &schema);
  void array(const Json &schema);
  void string();
  void number(const Json &schema, bool whole);
  void either(const std::vector<Json> &schemas);
  void reference(const std::string &name);
  void follow(State &state, State::Thread thread) const;

  std::vector<Step> steps;
  const Json *definitions = nullptr; // while it is made
  std::map<std::string, size_t> known;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_GENERATE_JSONGRAMMAR_H
