// Names of steps. A step's path is the segments of what encloses it and its
// own; it must be the same in every replay and no other step's. Segments of one
// scope (a body, an iteration, a branch, a node) are therefore different,
// unless the two steps stand in arms of which only one can run.
//
// `emit`, `sleep` and `while` have no name that an author could give: the
// second one in a scope is `emit.2`.
#ifndef AGT_FRONTEND_SEMA_AGENT_STEPPATHS_H
#define AGT_FRONTEND_SEMA_AGENT_STEPPATHS_H

#include "frontend/AST/Node.h"
#include "frontend/Diagnostics.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace agt::sema::agents {

class StepPaths {
public:
  explicit StepPaths(Diagnostics &diags) : diags(diags) {
    scopes.emplace_back();
  }

  /// A scope of its own: an iteration, a branch, a node.
  void push() { scopes.emplace_back(); }
  /// Ends it; whether there was a step in it.
  bool pop();

  /// Registers a step. `fromLet` says whose name it is, for the advice.
  void add(llvm::StringRef segment, llvm::SMRange range, bool fromLet);
  /// Registers a loop with steps, named by its variable.
  void addLoop(llvm::StringRef variable, llvm::SMRange range);
  /// The segment of a statement that nobody can name.
  std::string number(llvm::StringRef callee);

  /// One arm of an `if` or `match`: others of the same `branch` exclude it.
  void enterArm(const ast::Node &branch, unsigned arm);
  /// `goesOn`: whether control may go on behind the arm; if not, what follows
  /// the whole statement excludes it as well.
  void leaveArm(bool goesOn);
  /// The body of a `try`: its handler runs after any part of it.
  size_t enterTry() const { return scopes.back().uses.size(); }
  void leaveTry(size_t mark);

private:
  using Arms = llvm::SmallVector<std::pair<const ast::Node *, unsigned>, 2>;
  struct Use {
    std::string segment;
    llvm::SMRange range;
    Arms arms;
    /// Control cannot come from here to what follows.
    bool ended = false;
  };
  struct Scope {
    std::vector<Use> uses;
    llvm::StringMap<llvm::SmallVector<size_t, 1>> bySegment;
    llvm::StringMap<unsigned> numbers;
    Arms arms;
    llvm::SmallVector<size_t, 4> armStarts;
  };
  static bool exclusive(const Use &use, const Arms &arms);
  const Use *clash(llvm::StringRef segment);
  void record(llvm::StringRef segment, llvm::SMRange range);

  Diagnostics &diags;
  std::vector<Scope> scopes;
};

} // namespace agt::sema::agents

#endif
