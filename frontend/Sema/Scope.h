// Local names of a graph: parameters, `let`, `var` and loop variables, in
// nested blocks. An inner block may use a name again; one block may not.
#ifndef AGT_FRONTEND_SEMA_SCOPE_H
#define AGT_FRONTEND_SEMA_SCOPE_H

#include "frontend/Sema/Value.h"

#include "llvm/ADT/StringMap.h"

#include <deque>

namespace agt::sema {

struct Local {
  enum Kind { Param, Let, Var, LoopVariable };
  Kind kind = Let;
  Value value;
  /// Of the declaration.
  llvm::SMRange range;
  /// How many `repeat`s enclose the declaration.
  unsigned depth = 0;
  /// The depth of the innermost `repeat` that carries it; its own otherwise.
  unsigned carriedDepth = 0;
};

class Scope {
public:
  Scope() { push(); }

  void push() { frames.emplace_back(); }
  void pop() { frames.pop_back(); }
  /// The number of enclosing `repeat`s.
  unsigned depth() const { return frames.size() - 1; }

  Local *find(llvm::StringRef name) {
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      auto found = frame->find(name);
      if (found != frame->end())
        return &found->second;
    }
    return nullptr;
  }
  Local *findInBlock(llvm::StringRef name) {
    auto found = frames.back().find(name);
    return found == frames.back().end() ? nullptr : &found->second;
  }
  void declare(llvm::StringRef name, Local local) {
    local.depth = local.carriedDepth = depth();
    frames.back()[name] = std::move(local);
  }
  std::vector<llvm::StringRef> names() const {
    std::vector<llvm::StringRef> result;
    for (const auto &frame : frames)
      for (const auto &entry : frame)
        result.push_back(entry.first());
    return result;
  }

private:
  /// A deque: callers keep pointers to locals while blocks come and go.
  std::deque<llvm::StringMap<Local>> frames;
};

} // namespace agt::sema

#endif
