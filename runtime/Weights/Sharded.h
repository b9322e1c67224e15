// Safetensors in several files, with an index that says which tensor is where.
#ifndef AGT_RUNTIME_WEIGHTS_SHARDED_H
#define AGT_RUNTIME_WEIGHTS_SHARDED_H

#include "runtime/Support/File.h"
#include "runtime/Tensor/Safetensors.h"

#include <memory>

namespace agt::rt {

/// Whether a file of format safetensors is an index: JSON, not a header's
/// length.
bool isSafetensorsIndex(const MappedFile &file);

/// The tensors that the index `index` of `path` names. The files beside it are
/// mapped and appended to `files`; tensors point into them. Tensors that the
/// index leaves out are left out. Fails with AGT_BAD_INPUT; the text names the
/// file at fault.
std::vector<NamedStored>
readSharded(const MappedFile &index, const std::string &path,
            std::vector<std::unique_ptr<MappedFile>> &files);

} // namespace agt::rt

#endif // AGT_RUNTIME_WEIGHTS_SHARDED_H
