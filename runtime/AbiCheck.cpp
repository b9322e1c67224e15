// Compares agt/abi.def and agt/agent.def, which the compiler declares functions
// from, with the prototypes of agt/runtime.h and agt/agent.h. A difference does
// not compile.
#include "agt/agent.h"

#include <type_traits>

namespace {

enum class Kind { Status, Ptr, I32, I64, F64 };

template <typename Type> constexpr Kind kindOf() {
  if constexpr (std::is_same_v<Type, agt_status>)
    return Kind::Status;
  else if constexpr (std::is_pointer_v<Type>)
    return Kind::Ptr;
  else if constexpr (std::is_same_v<Type, double>)
    return Kind::F64;
  else if constexpr (std::is_integral_v<Type> || std::is_enum_v<Type>)
    return sizeof(Type) == 8 ? Kind::I64 : Kind::I32;
}

template <Kind Result, Kind... Arguments> struct Signature {
  template <typename R, typename... As>
  static constexpr bool fits(R (*)(As...)) {
    if constexpr (sizeof...(As) == sizeof...(Arguments))
      return kindOf<R>() == Result && ((kindOf<As>() == Arguments) && ...);
    else
      return false;
  }
};

constexpr Kind Status = Kind::Status, Ptr = Kind::Ptr, I32 = Kind::I32,
               I64 = Kind::I64, F64 = Kind::F64;

#define AGT_ABI(NAME, ...)                                                     \
  static_assert(Signature<__VA_ARGS__>::fits(&NAME),                           \
                #NAME " differs between abi.def and runtime.h");
#include "agt/abi.def"
#define AGT_ABI(NAME, ...)                                                     \
  static_assert(Signature<__VA_ARGS__>::fits(&NAME),                           \
                #NAME " differs between agent.def and agent.h");
#include "agt/agent.def"

// The layouts that the compiler writes as constant data and on the stack.
static_assert(sizeof(agt_tensor) == 32 && offsetof(agt_tensor, dtype) == 8 &&
              offsetof(agt_tensor, rank) == 12 &&
              offsetof(agt_tensor, shape) == 16 &&
              offsetof(agt_tensor, strides) == 24);
static_assert(sizeof(agt_kernel_variant) == 72 &&
              offsetof(agt_kernel_variant, min_flops) == 24 &&
              offsetof(agt_kernel_variant, tile) == 32 &&
              offsetof(agt_kernel_variant, min_rows) == 64);
static_assert(sizeof(agt_cpu_variant) == 56 &&
              offsetof(agt_cpu_variant, isa) == 8 &&
              offsetof(agt_cpu_variant, scratch_bytes) == 12 &&
              offsetof(agt_cpu_variant, min_flops) == 16 &&
              offsetof(agt_cpu_variant, tile) == 24);
static_assert(sizeof(agt_kernel) == 32 &&
              offsetof(agt_kernel, n_cpu_variants) == 20 &&
              offsetof(agt_kernel, cpu_variants) == 24);
static_assert(sizeof(agt_param) == 16);
static_assert(sizeof(agt_graph) == 56 && offsetof(agt_graph, run) == 40 &&
              offsetof(agt_graph, mesh) == 48);
static_assert(sizeof(agt_mesh_axis) == 24 && sizeof(agt_mesh) == 32 &&
              offsetof(agt_mesh, axes) == 16);
static_assert(sizeof(agt_split) == 16);
static_assert(sizeof(agt_program) == 48);

static_assert(sizeof(agt_site) == 40 && offsetof(agt_site, on_change) == 32);
static_assert(sizeof(agt_ask) == 96 && offsetof(agt_ask, context) == 8 &&
              offsetof(agt_ask, stop) == 72 && offsetof(agt_ask, tools) == 80 &&
              offsetof(agt_ask, n_tools) == 88);
static_assert(sizeof(agt_fork) == 72 && offsetof(agt_fork, width) == 32 &&
              offsetof(agt_fork, n) == 56 && offsetof(agt_fork, policy) == 64 &&
              offsetof(agt_fork, type) == 68);
static_assert(sizeof(agt_join_op) == 32 && offsetof(agt_join_op, n) == 8 &&
              offsetof(agt_join_op, with) == 16 &&
              offsetof(agt_join_op, function) == 24);
static_assert(sizeof(agt_tool) == 16 && sizeof(agt_test) == 24 &&
              sizeof(agt_agents) == 56);

} // namespace
