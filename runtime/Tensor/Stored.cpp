// See Stored.h.
#include "runtime/Tensor/Stored.h"

#include "runtime/Support/Failure.h"
#include "runtime/Tensor/Dtype.h"

#include <algorithm>

namespace agt::rt {

namespace {
struct StorageFacts {
  const char *name;
  size_t bytes;
  int64_t numbers = 1;
};
} // namespace

static StorageFacts factsOf(Storage storage) {
  switch (storage) {
  case Storage::F64:
    return {"f64", 8};
  case Storage::F32:
    return {"f32", 4};
  case Storage::F16:
    return {"f16", 2};
  case Storage::BF16:
    return {"bf16", 2};
  case Storage::F8E4M3:
    return {"f8e4m3", 1};
  case Storage::F8E5M2:
    return {"f8e5m2", 1};
  case Storage::I64:
    return {"i64", 8};
  case Storage::I32:
    return {"i32", 4};
  case Storage::I16:
    return {"i16", 2};
  case Storage::I8:
    return {"i8", 1};
  case Storage::U64:
    return {"u64", 8};
  case Storage::U32:
    return {"u32", 4};
  case Storage::U16:
    return {"u16", 2};
  case Storage::U8:
    return {"u8", 1};
  case Storage::Bool:
    return {"bool", 1};
  case Storage::Q4_0:
    return {"q4_0", 18, 32};
  case Storage::Q8_0:
    return {"q8_0", 34, 32};
  case Storage::Q4_K:
    return {"q4_k", 144, 256};
  case Storage::Q6_K:
    return {"q6_k", 210, 256};
  case Storage::Other:
    break;
  }
  return {"a type that agt does not have", 1};
}

const char *storageName(Storage storage) { return factsOf(storage).name; }
size_t storageBytes(Storage storage) { return factsOf(storage).bytes; }
int64_t storageNumbers(Storage storage) { return factsOf(storage).numbers; }

uint64_t StoredTensor::bytes() const {
  uint64_t numbers = 1;
  for (int64_t dim : shape)
    numbers *= uint64_t(dim);
  return numbers / uint64_t(storageNumbers(storage)) * storageBytes(storage);
}

std::string StoredTensor::type() const {
  return typeName.empty() ? storageName(storage) : typeName;
}

int64_t rowBytes(const StoredTensor &tensor) {
  if (!tensor.isBlocks())
    return 0;
  return tensor.shape.back() / storageNumbers(tensor.storage) *
         int64_t(storageBytes(tensor.storage));
}

agt_tensor HostTensor::view() const {
  return {const_cast<unsigned char *>(data), dtype, int(shape.size()),
          shape.data(), strides.empty() ? nullptr : strides.data()};
}

// The ways a dtype may be stored; the second is that of the raw bits.
static bool canHold(agt_dtype dtype, Storage storage) {
  switch (dtype) {
  case AGT_F32:
    return storage == Storage::F32;
  case AGT_F16:
    return storage == Storage::F16;
  case AGT_BF16:
    return storage == Storage::BF16 || storage == Storage::U16;
  case AGT_F8E4M3:
    return storage == Storage::F8E4M3 || storage == Storage::U8;
  case AGT_I8:
    return storage == Storage::I8;
  case AGT_I32:
    return storage == Storage::I32;
  case AGT_I64:
    return storage == Storage::I64;
  case AGT_BOOL:
    return storage == Storage::Bool;
  }
  return false;
}

// What to do about a type that is wrong in a common way.
static std::string advice(agt_dtype dtype, Storage storage) {
  if (dtype == AGT_I32 && storage == Storage::I64)
    return "; NumPy makes i64 by default, save x.astype(numpy.int32)";
  if (dtype == AGT_F32 && storage == Storage::F64)
    return "; NumPy makes f64 by default, save x.astype(numpy.float32)";
  if (dtype == AGT_BF16)
    return "; bf16 is stored as bf16 or as its raw u16";
  if (dtype == AGT_F8E4M3)
    return "; f8e4m3 is stored as f8e4m3 or as its raw u8";
  return "";
}

[[noreturn]] static void refuseType(const char *want, const std::string &name,
                                    const StoredTensor &stored,
                                    const std::string &file,
                                    const std::string &advice) {
  fail(AGT_BAD_INPUT, std::string("expected ") + want + " for '" + name +
                          "', got " + stored.type() + " in '" + file + "'" +
                          advice);
}

static void swapElements(std::vector<unsigned char> &bytes, size_t size) {
  for (size_t at = 0; at + size <= bytes.size(); at += size)
    std::reverse(bytes.begin() + ptrdiff_t(at),
                 bytes.begin() + ptrdiff_t(at + size));
}

HostTensor bindStored(const StoredTensor &stored, agt_dtype dtype,
                      const std::string &name, const std::string &file) {
  if (!canHold(dtype, stored.storage))
    refuseType(dtypeName(dtype), name, stored, file,
               advice(dtype, stored.storage));
  HostTensor tensor;
  tensor.dtype = dtype;
  tensor.shape = stored.shape;
  tensor.strides = stored.strides;
  tensor.data = stored.data;
  if (stored.swapped) {
    // The strides stay right: the elements are where they were.
    tensor.owned.assign(stored.data, stored.data + stored.bytes());
    tensor.owned.reserve(tensor.owned.size() + AGT_CPU_SLACK);
    swapElements(tensor.owned, storageBytes(stored.storage));
    tensor.data = tensor.owned.data();
  }
  return tensor;
}

HostTensor bindBlocks(const StoredTensor &stored, const std::string &blocks,
                      const std::string &name, const std::string &file) {
  if (!stored.isBlocks() || blocks != storageName(stored.storage))
    refuseType(blocks.c_str(), name, stored, file, "");
  HostTensor tensor;
  tensor.dtype = AGT_I8;
  tensor.shape = stored.shape;
  tensor.shape.back() = rowBytes(stored);
  tensor.data = stored.data;
  return tensor;
}

} // namespace agt::rt
