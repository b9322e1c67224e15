// Graphs that llms are made of, and copies of them: graphs that the runtime
// asks for and the author did not write.
#ifndef AGT_PASSES_DECODERS_H
#define AGT_PASSES_DECODERS_H

#include "dialect/Agt/Agt.h"

namespace agt {

/// What the program binds an argument to (`agt.input`); null for an author's.
mlir::DictionaryAttr inputOf(GraphOp graph, unsigned number);
/// Whether that is of the kind.
bool isInput(GraphOp graph, unsigned number, llvm::StringRef kind);

/// A copy at the end of the module, which nobody is shown.
GraphOp copyHidden(GraphOp graph, llvm::StringRef name);

/// The graph that an llm of the kind `graph` writes one text with: the one that
/// its setting `pinned` names, else `graph`. Null after an error.
GraphOp decoderOf(LlmOp llm);
/// Names a graph in a setting of an llm.
void setGraph(LlmOp llm, llvm::StringRef setting, llvm::StringRef name);

} // namespace agt

#endif // AGT_PASSES_DECODERS_H
