// See Weights.h.
#include "runtime/Weights/Weights.h"

#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"
#include "runtime/Tensor/Npy.h"
#include "runtime/Weights/Llama2c.h"

namespace agt::rt {

static std::vector<NamedStored> read(const MappedFile &file,
                                     const std::string &path,
                                     const std::string &format) {
  if (format == "llama2c")
    return readLlama2c(file.data(), file.size(), path);
  if (format == "safetensors")
    return readSafetensors(file.data(), file.size(), path);
  if (format == "npy")
    return {{"", readNpy(file.data(), file.size(), path)}};
  fail(AGT_BAD_INPUT, "cannot read '" + path + "': weights of format '" +
                          format + "' are not known");
}

WeightsFile::WeightsFile(const std::string &path, const std::string &format)
    : name(path), file(path), list(read(file, path, format)) {
  for (size_t i = 0; i < list.size(); ++i)
    byName.emplace(list[i].name, i);
}

const StoredTensor *WeightsFile::find(const std::string &tensor) const {
  auto found = byName.find(tensor);
  return found == byName.end() ? nullptr : &list[found->second].tensor;
}

static void checkShape(const StoredTensor &stored, const WantedTensor &wanted,
                       const std::string &path) {
  bool fits = stored.shape.size() == wanted.shape.size();
  for (size_t i = 0; fits && i < wanted.shape.size(); ++i)
    fits = wanted.shape[i] < 0 || wanted.shape[i] == stored.shape[i];
  if (!fits)
    fail(AGT_BAD_INPUT,
         "tensor '" + wanted.name + "' of '" + path + "' is " +
             shapeText(stored.shape.data(), stored.shape.size()) +
             ", the program was compiled for " +
             shapeText(wanted.shape.data(), wanted.shape.size()));
}

std::vector<HostTensor> bindWeights(const WeightsFile &file,
                                    const std::string &weights,
                                    const std::vector<WantedTensor> &wanted) {
  std::vector<std::string> missing;
  for (const WantedTensor &tensor : wanted)
    if (!file.find(tensor.name))
      missing.push_back("'" + tensor.name + "'");
  if (!missing.empty())
    fail(AGT_BAD_INPUT, "'" + file.path() + "' lacks " +
                            std::to_string(missing.size()) +
                            (missing.size() == 1 ? " tensor" : " tensors") +
                            " that weights '" + weights +
                            "' must have: " + listText(missing));
  std::vector<HostTensor> tensors;
  for (const WantedTensor &tensor : wanted) {
    const StoredTensor &stored = *file.find(tensor.name);
    checkShape(stored, tensor, file.path());
    tensors.push_back(
        bindStored(stored, tensor.dtype, tensor.name, file.path()));
  }
  return tensors;
}

} // namespace agt::rt
