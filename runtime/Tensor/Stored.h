// A tensor as a file holds it, whatever the format, and its way to a
// parameter. Files know more types than the language: each must be named in
// messages, few can be bound.
#ifndef AGT_RUNTIME_TENSOR_STORED_H
#define AGT_RUNTIME_TENSOR_STORED_H

#include "agt/runtime.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace agt::rt {

enum class Storage {
  F64,
  F32,
  F16,
  BF16,
  F8E4M3,
  F8E5M2,
  I64,
  I32,
  I16,
  I8,
  U64,
  U32,
  U16,
  U8,
  Bool,
  Q4_0, // blocks of quantised numbers, as GGUF files have them
  Q8_0,
  Q4_K,
  Q6_K,
  Other // what no parameter can be; its size is not known
};

/// "f64", "u16" and so on.
const char *storageName(Storage storage);
/// Of an element; of a block where elements are quantised.
size_t storageBytes(Storage storage);
/// How many numbers a block holds, 1 where each stands for itself.
int64_t storageNumbers(Storage storage);

/// Does not own its data: that is the file's.
struct StoredTensor {
  Storage storage = Storage::F32;
  bool swapped = false; // bytes are in the other order
  std::vector<int64_t> shape;
  std::vector<int64_t> strides; // in elements; empty: C order
  const unsigned char *data = nullptr;
  std::string typeName = {}; // the file's word where the storage has none

  uint64_t bytes() const;
  bool isBlocks() const { return storageNumbers(storage) > 1; }
  /// For messages.
  std::string type() const;
};

/// The bytes of the last dim of quantised blocks, which is whole blocks; 0 of
/// other tensors.
int64_t rowBytes(const StoredTensor &tensor);

/// A tensor bound to a parameter, with what it points to beside the file.
struct HostTensor {
  HostTensor() = default;
  HostTensor(HostTensor &&) = default; // vectors keep their memory
  HostTensor &operator=(HostTensor &&) = default;

  agt_dtype dtype = AGT_F32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  const unsigned char *data = nullptr;
  std::vector<unsigned char> owned; // where data had to be changed; with room
                                    // for AGT_CPU_SLACK bytes more

  /// Valid while this object stays where it is.
  agt_tensor view() const;
};

/// `stored` as a value of `dtype` for the parameter `name`, with the bytes in
/// this machine's order. Fails with AGT_BAD_INPUT when the types differ; in
/// the text, `file` is where the tensor came from. bf16 and f8e4m3 may be
/// stored as raw unsigned integers.
HostTensor bindStored(const StoredTensor &stored, agt_dtype dtype,
                      const std::string &name, const std::string &file);

/// Quantised blocks of the type `blocks` ("q8_0") as bytes, an i8 tensor whose
/// last dim is rowBytes(). Fails as bindStored() does.
HostTensor bindBlocks(const StoredTensor &stored, const std::string &blocks,
                      const std::string &name, const std::string &file);

} // namespace agt::rt

#endif // AGT_RUNTIME_TENSOR_STORED_H
