// See TestGraphs.h.
#include "runtime/Agent/TestGraphs.h"

#include "runtime/Agent/Execution.h"
#include "runtime/Support/Philox.h"
#include "runtime/Support/Text.h"
#include "runtime/Tensor/Element.h"
#include "runtime/Tensor/Tensor.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace agt::rt {

TestGraphs::TestGraphs(const agt_program *program)
    : manifest(program ? parseManifest(*program) : Manifest()),
      context(DeviceChoice()) {}

const ManifestGraph &TestGraphs::declared(const agt_graph &graph) const {
  for (const ManifestGraph &candidate : manifest.graphs)
    if (candidate.name == graph.name)
      return candidate;
  fail(AGT_FAILED,
       std::string("the manifest has no graph '") + graph.name + "'");
}

const Weights &TestGraphs::weightsOf(const agt_graph &graph) {
  auto known = weights.find(&graph);
  if (known == weights.end())
    known = weights
                .try_emplace(&graph, graph, declared(graph), manifest,
                             std::map<std::string, std::string>())
                .first;
  return known->second;
}

Value TestGraphs::run(Arena &arena, const agt_graph &graph, const Value *args,
                      size_t nArgs) {
  std::vector<Value> values;
  try {
    std::vector<agt_tensor> in;
    for (size_t i = 0; i < nArgs; ++i)
      in.push_back(*args[i]->tensor);
    for (size_t i = nArgs; i < graph.n_params; ++i)
      in.push_back(*weightsOf(graph).tensor(i));
    Results results(graph.n_results);
    rethrow(graph.run(&context, in.data(), in.size(), results.tensors.data(),
                      results.tensors.size()));
    for (const agt_tensor &tensor : results.tensors) {
      values.push_back(
          makeTensor(arena, tensor.dtype, tensor.shape, size_t(tensor.rank)));
      copyContiguous(tensor,
                     static_cast<unsigned char *>(values.back()->tensor->data));
    }
  } catch (const Failure &failure) {
    throw StepFailure(std::string("graph '") + graph.name +
                      "': " + failure.message);
  }
  return values.size() == 1 ? values[0] : makeList(arena, values);
}

static Value randomTensor(Arena &arena, const int64_t *shape, size_t rank,
                          uint64_t seed) {
  Value value = makeTensor(arena, AGT_F32, shape, rank);
  auto *data = static_cast<float *>(value->tensor->data);
  uint64_t count = *tensorBytes(AGT_F32, shape, int(rank)) / sizeof(float);
  for (uint64_t i = 0; i < count; i += 4) {
    std::array<float, 4> normals = philoxNormals(i / 4, seed);
    std::copy_n(normals.begin(), std::min<uint64_t>(4, count - i), data + i);
  }
  return value;
}

/// As many as tell any two f32 apart.
static std::string digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

namespace {

/// Compares two tensors of one shape, element by element.
class Comparison {
public:
  Comparison(const agt_tensor &a, const agt_tensor &b, double atol, double rtol)
      : a(a), b(b), atol(atol), rtol(rtol),
        integers(isInteger(a.dtype) && isInteger(b.dtype)),
        count(*tensorBytes(AGT_I8, a.shape, a.rank)) {
    for (uint64_t i = 0; i < count; ++i)
      look(i);
  }

  /// "" where they are close.
  std::string complaint() const {
    if (!differing)
      return "";
    std::string where;
    uint64_t rest = worst;
    for (int axis = a.rank; axis-- > 0; rest /= uint64_t(a.shape[axis]))
      where = std::to_string(rest % uint64_t(a.shape[axis])) +
              (where.empty() ? "" : ", ") + where;
    return std::to_string(differing) + " of " + std::to_string(count) +
           (count == 1 ? " element differs" : " elements differ") +
           " by more than " + boundText() + ", most at [" + where +
           "]: " + numberText(a, worst) + " and " + numberText(b, worst);
  }

private:
  void look(uint64_t i) {
    double x = realElement(a.dtype, a.data, i);
    double y = realElement(b.dtype, b.data, i);
    if (integers ? integerElement(a.dtype, a.data, i) ==
                       integerElement(b.dtype, b.data, i)
                 : x == y || (std::isnan(x) && std::isnan(y)))
      return;
    double difference = integers ? distance(i) : std::fabs(x - y);
    bool finite = std::isfinite(x) && std::isfinite(y);
    if (finite && difference <= atol + rtol * std::fabs(y))
      return;
    if (!finite)
      difference = std::numeric_limits<double>::infinity();
    if (!differing++ || difference > largest) {
      worst = i;
      largest = difference;
    }
  }

  /// Of two integers, which may be further apart than an i64 says.
  double distance(uint64_t i) const {
    uint64_t x = uint64_t(integerElement(a.dtype, a.data, i));
    uint64_t y = uint64_t(integerElement(b.dtype, b.data, i));
    return double(int64_t(x) < int64_t(y) ? y - x : x - y);
  }

  std::string boundText() const {
    if (rtol == 0)
      return digits(atol);
    return (atol == 0 ? "" : digits(atol) + " + ") + digits(rtol) +
           " of the second";
  }

  static std::string numberText(const agt_tensor &tensor, uint64_t i) {
    if (isInteger(tensor.dtype))
      return std::to_string(integerElement(tensor.dtype, tensor.data, i));
    return digits(realElement(tensor.dtype, tensor.data, i));
  }

  const agt_tensor &a, &b;
  double atol, rtol;
  bool integers;
  uint64_t count;
  uint64_t differing = 0, worst = 0;
  double largest = 0;
};

} // namespace

static std::string compareTensors(const agt_tensor &a, const agt_tensor &b,
                                  double atol, double rtol) {
  for (double bound : {atol, rtol})
    if (!(bound >= 0))
      return "a bound of 'expect_close' cannot be " + digits(bound);
  if (!std::equal(a.shape, a.shape + a.rank, b.shape, b.shape + b.rank))
    return "their shapes are " + shapeText(a.shape, size_t(a.rank)) + " and " +
           shapeText(b.shape, size_t(b.rank));
  return Comparison(a, b, atol, rtol).complaint();
}

} // namespace agt::rt

using namespace agt::rt;

int32_t agt_test_randn(agt_scope *scope, const char *place,
                       const int64_t *shape, uint64_t rank, int64_t seed,
                       const agt_value **result) {
  return guardStep(scope, std::string(scope->prefix), place, [&] {
    *result = randomTensor(scope->arena(), shape, rank, uint64_t(seed));
  });
}

int32_t agt_test_graph(agt_scope *scope, const char *place,
                       const agt_graph *graph, const agt_value *const *args,
                       uint64_t n_args, const agt_value **result) {
  return guardStep(scope, std::string(scope->prefix), place, [&] {
    TestGraphs &graphs = *scope->strand->run.options.graphs;
    *result = graphs.run(scope->arena(), *graph, args, n_args);
  });
}

int32_t agt_test_close(agt_scope *scope, const char *place, const char *text,
                       const agt_value *a, const agt_value *b, double atol,
                       double rtol) {
  return guardStep(scope, std::string(scope->prefix), place, [&] {
    std::string complaint = compareTensors(*a->tensor, *b->tensor, atol, rtol);
    if (!complaint.empty())
      fail(AGT_FAILED,
           std::string("expected ") + text + " to be close: " + complaint);
  });
}
