// Files of weights, whatever their format: mapped, checked, tensors by name.
#ifndef AGT_RUNTIME_WEIGHTS_WEIGHTS_H
#define AGT_RUNTIME_WEIGHTS_WEIGHTS_H

#include "runtime/Support/File.h"
#include "runtime/Tensor/Safetensors.h"

#include <map>
#include <memory>

namespace agt::rt {

class WeightsFile {
public:
  /// Fails with AGT_BAD_INPUT where the file is not of that format, or lies
  /// about itself. `format` is llama2c, safetensors, gguf or npy.
  WeightsFile(const std::string &path, const std::string &format);

  const std::string &path() const { return name; }
  const std::vector<NamedStored> &tensors() const { return list; }
  /// Null where there is none of that name.
  const StoredTensor *find(const std::string &tensor) const;

private:
  std::string name;
  std::vector<std::unique_ptr<MappedFile>> files; // what tensors point into
  std::vector<NamedStored> list;
  std::map<std::string, size_t> byName;
};

/// A tensor that a graph wants; -1 stands for any size.
struct WantedTensor {
  std::string name;
  agt_dtype dtype;
  std::vector<int64_t> shape;
  /// Of quantised blocks: their type. `shape` then is that of the bytes.
  std::string blocks = {};
};

/// The tensors of a file, as many as are wanted and in their order. Fails with
/// AGT_BAD_INPUT: all that are missing are listed, and the first that has
/// another type or shape is named. `weights` is the author's name.
std::vector<HostTensor> bindWeights(const WeightsFile &file,
                                    const std::string &weights,
                                    const std::vector<WantedTensor> &wanted);

} // namespace agt::rt

#endif // AGT_RUNTIME_WEIGHTS_WEIGHTS_H
