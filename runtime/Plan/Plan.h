// A plan: what a compiled graph has recorded between agt_graph_begin and
// agt_graph_end. Plain data; Record.cpp fills it, Execute.cpp runs it.
//
// Invariant: pointers to the caller's data (inputs) are valid until
// agt_graph_end returns, since the compiled function is still running then;
// everything else is copied.
#ifndef AGT_RUNTIME_PLAN_PLAN_H
#define AGT_RUNTIME_PLAN_PLAN_H

#include "agt/runtime.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace agt::rt {

/// Seconds on a clock that never jumps.
double monotonicSeconds();

struct LaunchRecord {
  const agt_kernel *kernel;
  std::vector<agt_buffer *> buffers;
  std::vector<uint32_t> scalars; // without the number of groups
  int64_t work[4];
  double flops;
  std::string name;
  std::string place;
};

struct OutputRecord {
  agt_buffer *buffer = nullptr;
  std::vector<int64_t> shape;
};

} // namespace agt::rt

struct agt_buffer {
  uint32_t number = 0; // position in the plan
  uint64_t bytes = 0;
  const agt_tensor *input = nullptr; // the input it holds at the start
  std::vector<unsigned char> data;   // or the constant
  bool freed = false;
  bool isOutput = false;
  // The launches that use it, first and last; nothing when first > last.
  uint32_t firstUse = ~0u;
  uint32_t lastUse = 0;

  /// Its content comes from the host and stays for every repeat.
  bool isPinned() const { return input || !data.empty(); }
  bool isUsed() const { return firstUse <= lastUse || isOutput; }
};

struct agt_run {
  agt_run(agt_context &context, const agt_graph &graph)
      : context(context), graph(graph) {}

  agt_buffer &newBuffer(uint64_t bytes);

  agt_context &context;
  const agt_graph &graph;
  std::vector<agt_tensor> inputs;
  std::vector<agt_buffer *> inputBuffers; // NULL until asked for
  std::deque<agt_buffer> buffers;         // addresses stay
  std::vector<agt::rt::LaunchRecord> launches;
  std::vector<agt::rt::OutputRecord> outputs;
  bool failed = false; // to be dropped
};

#endif // AGT_RUNTIME_PLAN_PLAN_H
