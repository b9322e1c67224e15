// Scales of 8-bit tensors: f32, one per head and block of tokens. The number of
// tokens in a block is not an argument of what uses them; it is found where the
// scales come from.
#ifndef AGT_FRONTEND_SEMA_SCALES_H
#define AGT_FRONTEND_SEMA_SCALES_H

#include "frontend/Sema/Builtins.h"

namespace agt::sema {

/// Checks that argument `param` has the shape [leading..., blocks of tokens]
/// and returns the tokens of a block: those of the `quantize` that made it, or
/// those that its last dim says. `of` names the tensor that is scaled.
std::optional<int64_t> checkScales(CallArgs &args, unsigned param,
                                   llvm::ArrayRef<Dim> leading, Dim tokens,
                                   llvm::StringRef of);

} // namespace agt::sema

#endif
