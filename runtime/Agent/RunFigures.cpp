// See RunFigures.h.
#include "runtime/Agent/RunFigures.h"

namespace agt::rt {

size_t RunFigures::add(JoinFigures figures) {
  std::lock_guard<std::mutex> held(mutex);
  all.push_back(std::move(figures));
  return all.size() - 1;
}

void RunFigures::readBehind(size_t join, const std::string &path,
                            int64_t tokens, double seconds) {
  std::lock_guard<std::mutex> held(mutex);
  JoinFigures &figures = all[join];
  figures.next = path;
  figures.tokensRead = tokens;
  figures.readSeconds = seconds;
}

std::vector<JoinFigures> RunFigures::joins() const {
  std::lock_guard<std::mutex> held(mutex);
  return all;
}

} // namespace agt::rt
