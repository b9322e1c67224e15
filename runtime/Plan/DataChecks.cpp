// What the elements of inputs have to be, where a wrong one would be read as
// something else: offsets of packed sequences, scales of 8-bit blocks. Inputs
// are checked while the plan is recorded; what a graph computes is by its own
// kernels, and is not. reference/DataChecks.cpp says the same of the oracle.
#include "runtime/Plan/Context.h"
#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"
#include "runtime/Tensor/Tensor.h"

#include <algorithm>
#include <cmath>

using namespace agt::rt;

namespace {

/// An input's elements in C order.
template <typename Element> struct Elements {
  Elements(const agt_run &run, uint64_t input)
      : tensor(run.inputs.at(input)), name(run.graph.params[input].name),
        values(*tensorBytes(tensor.dtype, tensor.shape, tensor.rank) /
               sizeof(Element)) {
    copyContiguous(tensor, reinterpret_cast<unsigned char *>(values.data()));
  }

  int64_t dim(int axis) const { return tensor.shape[tensor.rank + axis]; }
  /// "name[2, 0]"
  std::string at(int64_t offset) const {
    std::vector<int64_t> index(size_t(tensor.rank));
    for (size_t i = index.size(); i-- > 0;) {
      index[i] = offset % tensor.shape[i];
      offset /= tensor.shape[i];
    }
    return name + shapeText(index.data(), index.size());
  }

  const agt_tensor &tensor;
  std::string name;
  std::vector<Element> values;
};

void checkOffsets(const Elements<int32_t> &offsets, int64_t tokens) {
  auto refuse = [&](const std::string &what, const std::string &got) {
    fail(AGT_BAD_INPUT, "expected offsets in '" + offsets.name + "' that " +
                            what + ", got " + got);
  };
  const std::vector<int32_t> &values = offsets.values;
  auto shown = [&](size_t i) {
    return offsets.at(int64_t(i)) + " = " + std::to_string(values[i]);
  };
  if (values.empty())
    refuse("start at 0", "none");
  if (values[0] != 0)
    refuse("start at 0", shown(0));
  for (size_t i = 1; i < values.size(); ++i) {
    if (values[i] < values[i - 1])
      refuse("do not decrease", shown(i) + " behind " + shown(i - 1));
    if (values[i] > tokens)
      refuse("end within the " + std::to_string(tokens) + " tokens there are",
             shown(i));
  }
}

/// The first element of a block that is not 0, or -1.
int64_t firstOther(const Elements<unsigned char> &values, int64_t scale,
                   int64_t blocks, int64_t block, bool headsFirst) {
  int64_t dim = values.dim(-1), tokens = values.dim(headsFirst ? -2 : -3),
          heads = values.dim(headsFirst ? -3 : -2);
  int64_t number = scale % blocks, head = scale / blocks % heads,
          batch = scale / blocks / heads;
  // -0 of f8 is 0 too.
  unsigned char bits = values.tensor.dtype == AGT_F8E4M3 ? 0x7f : 0xff;
  for (int64_t t = number * block; t < std::min(tokens, (number + 1) * block);
       ++t) {
    int64_t row = headsFirst ? (batch * heads + head) * tokens + t
                             : (batch * tokens + t) * heads + head;
    for (int64_t i = row * dim; i < (row + 1) * dim; ++i)
      if (values.values[size_t(i)] & bits)
        return i;
  }
  return -1;
}

} // namespace

/// Other ranks of a mesh may have the data of an input.
static bool isHere(const agt_run &run, uint64_t input) {
  return run.inputs.at(input).data != nullptr;
}

static void checkScales(const Elements<float> &scales) {
  for (int64_t i = 0; i < int64_t(scales.values.size()); ++i) {
    float scale = scales.values[size_t(i)];
    if (!std::isfinite(scale))
      fail(AGT_BAD_INPUT, "expected finite scales in '" + scales.name +
                              "', got " + scales.at(i) + " = " +
                              (std::isnan(scale) ? "nan"
                               : scale < 0       ? "-inf"
                                                 : "inf"));
  }
}

static void checkZeros(const Elements<float> &scales,
                       const Elements<unsigned char> &values, int64_t block,
                       bool headsFirst) {
  for (int64_t i = 0; i < int64_t(scales.values.size()); ++i) {
    if (scales.values[size_t(i)] != 0)
      continue;
    int64_t other = firstOther(values, i, scales.dim(-1), block, headsFirst);
    if (other >= 0)
      fail(AGT_BAD_INPUT, "expected scales in '" + scales.name +
                              "' that are not 0 where values are not, got " +
                              scales.at(i) + " = 0 for " + values.at(other));
  }
}

/// Failures are at `place`, and the plan is to be dropped.
template <typename Body>
static agt_status checked(agt_run *run, const char *place, Body &&body) {
  agt_status status = guard(body);
  if (status) {
    status->place = place;
    run->failed = true;
  }
  return status;
}

agt_status agt_graph_check_offsets(agt_run *run, uint64_t input, int64_t tokens,
                                   const char *place) {
  return checked(run, place, [&] {
    if (isHere(*run, input))
      checkOffsets({*run, input}, tokens);
  });
}

agt_status agt_graph_check_scales(agt_run *run, uint64_t scales_input,
                                  uint64_t values_input, int64_t block,
                                  int32_t heads_first, const char *place) {
  return checked(run, place, [&] {
    if (!isHere(*run, scales_input) || !isHere(*run, values_input))
      return;
    Elements<float> scales(*run, scales_input);
    checkScales(scales);
    // The values, which are many, only where it comes to them.
    if (std::count(scales.values.begin(), scales.values.end(), 0.0f) > 0)
      checkZeros(scales, {*run, values_input}, block, heads_first != 0);
  });
}
