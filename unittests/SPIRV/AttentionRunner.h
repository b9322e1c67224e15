// AttentionRunner: an attention kernel on the device, launched through the
// runtime's ABI as compiled code would, and a reference in float64 beside it.
#ifndef AGT_UNITTESTS_SPIRV_ATTENTIONRUNNER_H
#define AGT_UNITTESTS_SPIRV_ATTENTIONRUNNER_H

#include "codegen/kernels/attention/AttentionSpec.h"
#include "codegen/spirv/KernelCode.h"
#include "runtime/include/agt/runtime.h"

#include <deque>
#include <random>
#include <string>
#include <vector>

namespace agt::test {

/// Rows of [batch][head][token], anywhere in memory.
struct RowTensor {
  agt_dtype dtype = AGT_F32;
  int64_t batches = 0, heads = 0, tokens = 0, dims = 0;
  int64_t batchStride = 0, headStride = 0, tokenStride = 0;
  std::vector<char> bytes;

  /// Dense in the order batch, head, token (or batch, token, head), `pad`
  /// elements between rows. Everything is NaN at first.
  RowTensor(agt_dtype dtype, int64_t batches, int64_t heads, int64_t tokens,
            int64_t dims, bool tokensFirst, int64_t pad);

  int64_t at(int64_t batch, int64_t head, int64_t token, int64_t dim) const {
    return batch * batchStride + head * headStride + token * tokenStride + dim;
  }
  double get(int64_t index) const;
  void set(int64_t index, double value); // rounded to the type
  int64_t elements() const;
};

struct AttentionCase {
  kernels::attention::AttentionSpec spec;
  int64_t batch = 1, kvHeads = 1, group = 1;
  int64_t queries = 1, keys = 1, headDim = 1, valueDim = 1;
  float scale = 1;
  bool topLeft = false;     // causal: else the last query sees the last key
  bool tokensFirst = false; // the order of axes
  int64_t pad = 0;          // elements between rows

  int64_t causalOffset() const { return topLeft ? 0 : keys - queries; }
  /// Keys that a query sees: those below.
  int64_t visibleEnd(int64_t query) const;
  std::string text() const;
};

struct AttentionData {
  RowTensor q, k, v, o;

  explicit AttentionData(const AttentionCase &c);
  /// Values around `size` in q and k, within 1 in v.
  void fill(std::mt19937 &random, double size);
};

/// A kernel as a program holds it: constant data that outlives the device.
struct HostKernel {
  HostKernel(const spirv::KernelCode &code, const std::string &profile);
  std::vector<std::vector<uint32_t>> words; // of each variant
  std::vector<agt_kernel_variant> variants;
  agt_kernel kernel = {};
};

/// The device, opened once.
class AttentionDevice {
public:
  AttentionDevice();
  ~AttentionDevice();

  /// Keeps a kernel with the variants of the named profile ("" for all).
  const HostKernel &keep(const spirv::KernelCode &code,
                         const std::string &profile = "");

  /// Runs the kernel as `launches` launches of so much work each; fills
  /// data.o. `seconds` is the time of the whole plan.
  std::string run(const HostKernel &kernel, const AttentionCase &c,
                  AttentionData &data, double flops, double *seconds = nullptr,
                  int launches = 1);
  /// A launch of another kernel over one buffer of `bytes`.
  std::string run(const HostKernel &kernel, const std::vector<int64_t> &scalars,
                  int64_t groups, int64_t bytes, double *seconds);
  const std::string &problem() const { return trouble; }

private:
  std::deque<HostKernel> kernels;
  agt_context *context = nullptr;
  std::string trouble;
};

/// What is wrong with data.o, or nothing. `stride` leaves rows out.
std::string compareAttention(const AttentionCase &c, const AttentionData &data,
                             int64_t stride = 1);

} // namespace agt::test

#endif // AGT_UNITTESTS_SPIRV_ATTENTIONRUNNER_H
