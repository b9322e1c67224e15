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

#include <functional>
#include <memory>

namespace agt::sema {

/// A tensor of a file of weights; `dtype` is the file's word for it.
struct WeightTensor {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  /// Of blocks of quantised numbers: the bytes of the last dim, else 0.
  int64_t rowBytes = 0;
};

/// What a file of weights holds, or why it cannot be read.
struct WeightsHeader {
  std::string error;
  std::vector<WeightTensor> tensors;
};

/// Reads the header of a file in a format of the language. What files there are
/// is the runtime's knowledge, which reads them when the program starts.
using WeightsReader = std::function<WeightsHeader(const std::string &path,
                                                  const std::string &format)>;

/// A `weights` declaration that a graph uses.
struct WeightsInfo {
  const ast::WeightsDecl *decl = nullptr;
  std::string path; // absolute
  WeightsHeader header;
};

/// `llm x = graph G {...}`.
struct LocalLlm {
  const ast::LlmDecl *decl = nullptr;
  const ast::GraphDecl *graph = nullptr;
  std::string tokenizer; // an absolute path
  int64_t context = 0;   // tokens
  int64_t page = 16;     // tokens
  int64_t pin = 0;       // first tokens that stay visible through windows
  /// How long who asks for a text behind a context may be held for others.
  int64_t waitNanoseconds = 0;
};

struct SemaOptions {
  /// `--define NAME=VALUE`, in order; the last of a name counts.
  std::vector<std::pair<std::string, std::string>> defines;
  /// `--only NAME,...`: graphs to compile, with those they call. Empty: all
  /// declarations.
  std::vector<std::string> only;
  /// The graph that is to be compiled, with those it calls, where `only` is
  /// empty.
  std::string graph;
  /// Which `test` blocks are to be compiled. They are checked in any case.
  enum class Tests {
    None,
    All,
    Only // and what they use, nothing else
  } tests = Tests::None;
  /// Everything is checked and nothing is to be compiled: what cannot be is no
  /// error.
  bool nothing = false;
  /// Asked for weights that graphs use; without one there are none to read.
  WeightsReader readWeights;
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
  /// Those that the graphs use.
  std::vector<WeightsInfo> weights;
  std::vector<LocalLlm> localLlms;
  /// Agents, and what they use.
  std::unique_ptr<agents::AgentProgram> agents;
};

/// Checks the files (imports first, the main file last) and reports every
/// fault to `diags`. The program is good for use when there was none.
Program checkProgram(llvm::ArrayRef<const ast::File *> files,
                     Diagnostics &diags, const SemaOptions &options);

} // namespace agt::sema

#endif
