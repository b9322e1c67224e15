// What the runtime's tests share: the add kernel, tensors, statuses, and a
// small program as the compiler would make it.
#ifndef AGT_UNITTESTS_RUNTIME_TESTPROGRAM_H
#define AGT_UNITTESTS_RUNTIME_TESTPROGRAM_H

#include "agt/runtime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace agt::rt::test {

/// out[i] = in[i] + scalars[2] for i < scalars[1]; see add.spvasm.
extern const agt_kernel_variant addVariant;
extern const agt_cpu_variant addCpuVariant; // the same, native
extern const agt_kernel addKernel;

/// Graphs: "add_one" (x: tensor<i32, [N]>) -> (y: tensor<i32, [N]>);
/// "sum_chain" (x, steps of them) with many temporaries; "same" returns its
/// input; "two" has two results.
extern const agt_program program;
const agt_graph &graph(const std::string &name);

/// An i32 tensor of one dim that owns its data.
struct Ints {
  explicit Ints(std::vector<int32_t> values);
  Ints(const Ints &) = delete;
  agt_tensor tensor;
  std::vector<int32_t> values;
  int64_t shape[1];
};

/// The elements of an i32 tensor; releases it.
std::vector<int32_t> take(agt_tensor &tensor);

/// "CODE place: message", "" for NULL; releases the status.
std::string textOf(agt_status status);

/// Records one add launch over n words.
agt_status addLaunch(agt_run *run, agt_buffer *from, agt_buffer *to, int64_t n,
                     int64_t value, const char *name);

} // namespace agt::rt::test

#endif // AGT_UNITTESTS_RUNTIME_TESTPROGRAM_H
