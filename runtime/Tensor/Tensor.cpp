// Strided copies. Dims are first reduced: those of one element go, neighbours
// that lie one after the other in memory are joined. What is left is walked by
// a counter over the outer dims with one loop over the innermost.
#include "runtime/Tensor/Tensor.h"

#include "runtime/Support/Failure.h"
#include "runtime/Tensor/Dtype.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

namespace agt::rt {

std::optional<uint64_t> tensorBytes(agt_dtype dtype, const int64_t *shape,
                                    int rank) {
  // An empty tensor takes no bytes, however large its other dims are.
  bool empty = false;
  for (int i = 0; i < rank; ++i) {
    if (shape[i] < 0)
      return std::nullopt;
    empty |= shape[i] == 0;
  }
  if (empty)
    return 0;
  int64_t bytes = int64_t(dtypeBytes(dtype));
  for (int i = 0; i < rank; ++i)
    if (__builtin_mul_overflow(bytes, shape[i], &bytes))
      return std::nullopt;
  return uint64_t(bytes);
}

namespace {
struct Dim {
  int64_t size;
  int64_t stride; // in elements
};
} // namespace

// The dims that matter, outermost first; empty for a single element.
static std::vector<Dim> reducedDims(const agt_tensor &tensor) {
  std::vector<Dim> dims;
  int64_t cStride = 1;
  for (int i = tensor.rank - 1; i >= 0; --i) {
    int64_t size = tensor.shape[i];
    int64_t stride = tensor.strides ? tensor.strides[i] : cStride;
    cStride *= size;
    if (size == 1)
      continue;
    if (!dims.empty() && stride == dims.back().stride * dims.back().size)
      dims.back().size *= size;
    else
      dims.push_back({size, stride});
  }
  return {dims.rbegin(), dims.rend()};
}

bool isContiguous(const agt_tensor &tensor) {
  if (!tensor.strides || tensorBytes(tensor.dtype, tensor.shape, tensor.rank) ==
                             std::optional<uint64_t>(0))
    return true;
  std::vector<Dim> dims = reducedDims(tensor);
  return dims.empty() || (dims.size() == 1 && dims[0].stride == 1);
}

// Copies one run of elements; `from` need not be aligned.
template <size_t Bytes>
static void copyRun(const unsigned char *from, int64_t stride, int64_t count,
                    unsigned char *to) {
  int64_t step = stride * int64_t(Bytes);
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * int64_t(Bytes), from + i * step, Bytes);
}

using RunCopy = void (*)(const unsigned char *, int64_t, int64_t,
                         unsigned char *);

static RunCopy runCopyFor(size_t bytes) {
  switch (bytes) {
  case 1:
    return copyRun<1>;
  case 2:
    return copyRun<2>;
  case 4:
    return copyRun<4>;
  default:
    return copyRun<8>;
  }
}

static void copyStrided(const agt_tensor &tensor, unsigned char *to) {
  std::vector<Dim> dims = reducedDims(tensor);
  auto *from = static_cast<const unsigned char *>(tensor.data);
  int64_t elementBytes = int64_t(dtypeBytes(tensor.dtype));
  RunCopy copy = runCopyFor(size_t(elementBytes));
  Dim inner = dims.back();
  dims.pop_back();
  std::vector<int64_t> counter(dims.size(), 0);
  for (;;) {
    int64_t offset = 0;
    for (size_t i = 0; i < dims.size(); ++i)
      offset += counter[i] * dims[i].stride;
    copy(from + offset * elementBytes, inner.stride, inner.size, to);
    to += inner.size * elementBytes;
    size_t axis = dims.size();
    while (axis > 0 && ++counter[axis - 1] == dims[axis - 1].size)
      counter[--axis] = 0;
    if (axis == 0)
      return;
  }
}

void copyContiguous(const agt_tensor &tensor, unsigned char *to) {
  uint64_t bytes =
      tensorBytes(tensor.dtype, tensor.shape, tensor.rank).value_or(0);
  if (bytes == 0)
    return;
  if (isContiguous(tensor))
    std::memcpy(to, tensor.data, bytes);
  else
    copyStrided(tensor, to);
  if (tensor.dtype == AGT_BOOL)
    for (uint64_t i = 0; i < bytes; ++i)
      to[i] = to[i] != 0;
}

void allocateTensor(agt_tensor &tensor, agt_dtype dtype, const int64_t *shape,
                    int rank) {
  uint64_t bytes = tensorBytes(dtype, shape, rank).value_or(0);
  // Whole cache lines, at least one: vector code may then load freely.
  uint64_t rounded = (bytes / 64 + 1) * 64;
  void *data = std::aligned_alloc(64, rounded);
  auto *dims = static_cast<int64_t *>(
      std::malloc(sizeof(int64_t) * size_t(rank ? rank : 1)));
  if (!data || !dims) {
    std::free(data);
    std::free(dims);
    throw std::bad_alloc();
  }
  if (rank)
    std::memcpy(dims, shape, sizeof(int64_t) * size_t(rank));
  tensor = {data, dtype, rank, dims, nullptr};
}

} // namespace agt::rt

void agt_tensor_release(agt_tensor *tensor) {
  if (!tensor)
    return;
  std::free(tensor->data);
  std::free(const_cast<int64_t *>(tensor->shape));
  tensor->data = nullptr;
  tensor->shape = nullptr;
}
