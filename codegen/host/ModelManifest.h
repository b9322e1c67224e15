//===- ModelManifest.h - What a program says of its models ------*- C++ -*-===//
//
// The part of a manifest (docs/Models.md) that is about weights, caches and
// local llms, for compiled programs and for the oracle's.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_CODEGEN_HOST_MODELMANIFEST_H
#define AGT_CODEGEN_HOST_MODELMANIFEST_H

#include "dialect/Agt/Agt.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace agt::host {

/// How many arguments of a graph are parameters of the author's; those that the
/// program binds alone stand behind them.
unsigned countParams(GraphOp graph);

/// One entry an argument: null for a plain parameter, else its `agt.input` with
/// its shape (-1 where a dim is open). Nothing where all are plain.
std::optional<llvm::json::Array> inputsJson(GraphOp graph);

/// `{"name", "path", "format"}` each.
llvm::json::Array weightsJson(mlir::ModuleOp module);

/// `{"name", "graph", "pages", "tokenizer", "context", "page", "vocab"}` each,
/// with `pin`, `pinned` and `wait` (nanoseconds) where there are any.
llvm::json::Array localLlmsJson(mlir::ModuleOp module);

} // namespace agt::host

#endif // AGT_CODEGEN_HOST_MODELMANIFEST_H
