// Checking a parsed file: names, types, dims, dtypes and arguments. The result
// is a Program: what later stages need of the declarations, and every chosen
// graph as a CheckedGraph.
#ifndef AGT_FRONTEND_SEMA_SEMA_H
#define AGT_FRONTEND_SEMA_SEMA_H

#include "frontend/AST/AST.h"
#include "frontend/Diagnostics.h"
#include "frontend/Sema/Agent/CheckedAgents.h"
#include "frontend/Sema/CheckedGraph.h"
#include "frontend/Sema/Machine.h"

#include <memory>

namespace agt::sema {

struct SemaOptions {
  /// `--define NAME=VALUE`, in order; the last of a name counts.
  std::vector<std::pair<std::string, std::string>> defines;
  /// `--only NAME,...`: graphs to compile, with those they call. Empty: all
  /// declarations.
  std::vector<std::string> only;
  /// Everything is checked and nothing is to be compiled: what cannot be is no
  /// error.
  bool nothing = false;
};

struct Program {
  /// Owns the dims of all graphs.
  std::unique_ptr<DimContext> dims;
  std::vector<std::unique_ptr<GraphSignature>> signatures;
  /// `--define` or `--only` named what the program does not have.
  bool badOptions = false;
  std::vector<TargetInfo> targets;
  std::vector<MeshInfo> meshes;
  std::vector<ModelInfo> models;
  /// In source order.
  std::vector<CheckedGraph> graphs;
  /// Agents, and what they use.
  std::unique_ptr<agents::AgentProgram> agents;
};

/// Checks the files (imports first, the main file last) and reports every
/// fault to `diags`. The program is good for use when there was none.
Program checkProgram(llvm::ArrayRef<const ast::File *> files,
                     Diagnostics &diags, const SemaOptions &options);

} // namespace agt::sema

#endif
