// A plan: what a compiled graph has recorded between agt_graph_begin and
// agt_graph_end, or what it has recorded for one position of a mesh. Plain
// data; Record.cpp and Mesh/Record.cpp fill it, Execute.cpp and
// Mesh/Position.cpp run it.
//
// Invariant: pointers to the caller's data (inputs) are valid until
// agt_graph_end or agt_mesh_run returns, since the compiled function is still
// running then; everything else is copied.
#ifndef AGT_RUNTIME_PLAN_PLAN_H
#define AGT_RUNTIME_PLAN_PLAN_H

#include "agt/runtime.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace agt::rt {

struct Leaves; // Leaves.cpp: what an attention has made of its keys so far

/// Seconds on a clock that never jumps.
double monotonicSeconds();

struct LaunchRecord {
  const agt_kernel *kernel;
  std::vector<agt_buffer *> buffers;
  std::vector<uint32_t> scalars; // without the number of groups
  int64_t work[4];
  double flops;
  double kvBytes = 0; // keys and values that it visits
  std::string name;
  std::string place;
};

/// A value of the graph's IR, there when `launches` launches have run.
struct ValueRecord {
  agt_buffer *buffer;
  size_t launches;
};

struct OutputRecord {
  agt_buffer *buffer = nullptr;
  std::vector<int64_t> shape;    // of the whole
  std::vector<agt_split> splits; // on a mesh: which part the buffer holds
};

/// What travels at the same time as what is recorded behind it.
struct ExchangeRecord {
  agt_buffer *send; // NULL when sendBytes is 0
  int64_t to;
  uint64_t sendBytes;
  agt_buffer *receive; // NULL when receiveBytes is 0
  int64_t from;
  uint64_t receiveBytes;
  int32_t move;  // agt_move
  uint32_t axis; // its number in the mesh
  std::string name;
  std::string place;
  bool awaited = false;
};

struct GatherRecord {
  agt_buffer *part;
  agt_buffer *whole;
  std::vector<int64_t> shape;
  uint64_t elementBytes;
  std::vector<agt_split> splits;
  std::vector<agt_split> kept; // positions of one part of each are a group
  uint32_t axis;
  std::string name;
  std::string place;
};

struct HopRecord {
  int64_t step;
  int64_t owner;
  bool attended;
  std::string name;
};

/// What a plan does, in order. `index` is a position in the list of its kind;
/// that of an Await is the exchange's.
struct PlanStep {
  enum Kind { Launch, Exchange, Await, Gather, Hop } kind;
  uint32_t index;
};

} // namespace agt::rt

struct agt_buffer {
  uint32_t number = 0; // position in the plan
  uint64_t bytes = 0;
  const agt_tensor *input = nullptr;   // the input it holds at the start
  std::vector<agt_split> splits;       // on a mesh: which part of that
  const unsigned char *part = nullptr; // that part, where the rest is elsewhere
  std::vector<unsigned char> data;     // or the constant
  bool freed = false;
  bool isOutput = false;
  // The steps that use it, first and last; nothing when first > last.
  uint32_t firstUse = ~0u;
  uint32_t lastUse = 0;

  bool isUsed() const { return firstUse <= lastUse || isOutput; }
};

struct agt_run {
  agt_run(agt_context &context, const agt_graph &graph)
      : context(context), graph(graph) {}

  agt_buffer &newBuffer(uint64_t bytes);
  bool isOnMesh() const { return position >= 0; }
  /// Notes that the next step uses the buffer.
  void use(agt_buffer &buffer);
  void addStep(agt::rt::PlanStep::Kind kind, size_t index) {
    steps.push_back({kind, uint32_t(index)});
  }

  agt_context &context;
  const agt_graph &graph;
  std::vector<agt_tensor> inputs;
  std::vector<agt_buffer *> inputBuffers; // NULL until asked for
  std::deque<agt_buffer> buffers;         // addresses stay
  std::vector<agt::rt::PlanStep> steps;
  std::vector<agt::rt::LaunchRecord> launches;
  std::vector<agt::rt::ExchangeRecord> exchanges;
  std::vector<agt::rt::GatherRecord> gathers;
  std::vector<agt::rt::HopRecord> hops;
  std::vector<agt::rt::ValueRecord> values;
  std::vector<agt::rt::OutputRecord> outputs;
  std::vector<std::shared_ptr<agt::rt::Leaves>> leaves;
  int64_t position = -1;    // on the mesh
  bool failed = false;      // to be dropped
  bool lastIsEmpty = false; // the last launch had no work and is not there
};

#endif // AGT_RUNTIME_PLAN_PLAN_H
