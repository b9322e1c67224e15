// Fuzzes the readers of tensor files: any bytes are either refused with a
// Failure or give tensors whose every element can be read. Both formats see
// every input; what one takes, the other refuses at the first bytes.
#include "runtime/Support/Failure.h"
#include "runtime/Tensor/Npy.h"
#include "runtime/Tensor/Safetensors.h"
#include "runtime/Tensor/Tensor.h"

using namespace agt::rt;

// Reads all elements, as whichever parameter takes them.
static void readAll(const StoredTensor &stored) {
  for (int dtype = AGT_F32; dtype <= AGT_BOOL; ++dtype) {
    try {
      HostTensor tensor =
          bindStored(stored, static_cast<agt_dtype>(dtype), "x", "x.npy");
      agt_tensor view = tensor.view();
      auto bytes = tensorBytes(view.dtype, view.shape, view.rank);
      if (!bytes)
        __builtin_trap(); // a reader let dims through that fit no memory
      std::vector<unsigned char> copy(*bytes);
      copyContiguous(view, copy.data());
    } catch (const Failure &) {
      continue; // the parameter has another type
    }
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  try {
    readAll(readNpy(data, size, "x.npy"));
  } catch (const Failure &failure) {
    if (failure.message.empty())
      __builtin_trap();
  }
  try {
    for (const NamedStored &entry : readSafetensors(data, size, "x.st"))
      readAll(entry.tensor);
  } catch (const Failure &failure) {
    if (failure.message.empty())
      __builtin_trap();
  }
  return 0;
}
