// See Weights.h.
#include "runtime/Weights/Weights.h"

#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"
#include "runtime/Tensor/Npy.h"
#include "runtime/Weights/Gguf.h"
#include "runtime/Weights/Llama2c.h"
#include "runtime/Weights/Sharded.h"

namespace agt::rt {

static_assert(MappedFile::slack >= AGT_CPU_SLACK,
              "kernels read weights where they are mapped");

static std::vector<NamedStored>
read(std::vector<std::unique_ptr<MappedFile>> &files, const std::string &path,
     const std::string &format) {
  files.push_back(std::make_unique<MappedFile>(path));
  const MappedFile &file = *files.back();
  if (format == "llama2c")
    return readLlama2c(file.data(), file.size(), path);
  if (format == "safetensors" && isSafetensorsIndex(file))
    return readSharded(file, path, files);
  if (format == "safetensors")
    return readSafetensors(file.data(), file.size(), path);
  if (format == "gguf") {
    Gguf gguf(file.data(), file.size(), path);
    if (int64_t parts = gguf.whole("split.count").value_or(1); parts > 1)
      gguf.refuse("it is one of " + std::to_string(parts) +
                  " files ('split.count'), which have to be merged");
    return gguf.tensors();
  }
  if (format == "npy")
    return {{"", readNpy(file.data(), file.size(), path)}};
  fail(AGT_BAD_INPUT, "cannot read '" + path + "': weights of format '" +
                          format + "' are not known");
}

WeightsFile::WeightsFile(const std::string &path, const std::string &format)
    : name(path), list(read(files, path, format)) {
  for (size_t i = 0; i < list.size(); ++i)
    byName.emplace(list[i].name, i);
}

const StoredTensor *WeightsFile::find(const std::string &tensor) const {
  auto found = byName.find(tensor);
  return found == byName.end() ? nullptr : &list[found->second].tensor;
}

/// `shape` is that of the tensor's elements.
static void checkShape(const StoredTensor &stored, const WantedTensor &wanted,
                       const std::vector<int64_t> &shape,
                       const std::string &path) {
  bool fits = stored.shape.size() == shape.size();
  for (size_t i = 0; fits && i < shape.size(); ++i)
    fits = shape[i] < 0 || shape[i] == stored.shape[i];
  if (!fits)
    fail(AGT_BAD_INPUT,
         "tensor '" + wanted.name + "' of '" + path + "' is " +
             shapeText(stored.shape.data(), stored.shape.size()) +
             ", the program was compiled for " +
             shapeText(shape.data(), shape.size()));
}

static HostTensor bind(const StoredTensor &stored, const WantedTensor &wanted,
                       const std::string &path) {
  if (wanted.blocks.empty()) {
    checkShape(stored, wanted, wanted.shape, path);
    return bindStored(stored, wanted.dtype, wanted.name, path);
  }
  HostTensor tensor = bindBlocks(stored, wanted.blocks, wanted.name, path);
  // In numbers, as authors know them.
  std::vector<int64_t> shape = wanted.shape;
  shape.back() = shape.back() / int64_t(storageBytes(stored.storage)) *
                 storageNumbers(stored.storage);
  checkShape(stored, wanted, shape, path);
  return tensor;
}

std::vector<HostTensor> bindWeights(const WeightsFile &file,
                                    const std::string &weights,
                                    const std::vector<WantedTensor> &wanted) {
  std::vector<std::string> missing;
  for (const WantedTensor &tensor : wanted)
    if (!file.find(tensor.name))
      missing.push_back("'" + tensor.name + "'");
  if (!missing.empty())
    fail(AGT_BAD_INPUT,
         "'" + file.path() + "' lacks " + std::to_string(missing.size()) +
             (missing.size() == 1 ? " tensor" : " tensors") +
             " that weights '" + weights + "' must have: " + listText(missing));
  std::vector<HostTensor> tensors;
  for (const WantedTensor &tensor : wanted)
    tensors.push_back(bind(*file.find(tensor.name), tensor, file.path()));
  return tensors;
}

} // namespace agt::rt
