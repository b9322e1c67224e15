// What a run tells about its joins (--stats): the tokens that go into each and
// that it leaves, and what reading them cost the first ask behind it. Of this
// process alone; nothing of it is in the log.
#ifndef AGT_RUNTIME_AGENT_RUNFIGURES_H
#define AGT_RUNTIME_AGENT_RUNFIGURES_H

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace agt::rt {

struct JoinFigures {
  std::string path;
  /// The highest of "text", "schema", "dedupe and rank", "evidence", "reduce"
  /// that it uses.
  std::string rung;
  int64_t entries = 0;     // that branches gave
  int64_t tokensIn = 0;    // of these, roughTokens() of their JSON
  int64_t tokensLeft = 0;  // of what it makes of them
  std::string next;        // the first ask behind it, "" before there is one
  int64_t tokensRead = 0;  // by that ask, as the model counts
  double readSeconds = -1; // until its first token; below 0: nobody says
};

class RunFigures {
public:
  /// The number of the join.
  size_t add(JoinFigures figures);
  void readBehind(size_t join, const std::string &path, int64_t tokens,
                  double seconds);
  std::vector<JoinFigures> joins() const;

private:
  mutable std::mutex mutex;
  std::vector<JoinFigures> all;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_AGENT_RUNFIGURES_H
