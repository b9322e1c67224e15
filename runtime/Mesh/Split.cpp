// See Split.h.
#include "runtime/Mesh/Split.h"

#include "runtime/Tensor/Dtype.h"
#include "runtime/Tensor/Tensor.h"

#include <algorithm>
#include <cstring>

namespace agt::rt {

// Piece `index` of `tokens` tokens in `pieces` pieces, cut between units of
// `grain` tokens.
static TokenRun pieceOf(int64_t tokens, int64_t grain, int64_t pieces,
                        int64_t index) {
  int64_t units = (tokens + grain - 1) / grain;
  int64_t each = units / pieces, more = units % pieces;
  int64_t first = index * each + std::min(index, more);
  int64_t end = std::min(tokens, (first + each + (index < more)) * grain);
  return {first * grain, end - first * grain, 1};
}

std::vector<TokenRun> tokensOf(const agt_split &split, int64_t part,
                               int64_t tokens) {
  std::vector<TokenRun> runs;
  auto add = [&](const TokenRun &run) {
    if (run.count > 0)
      runs.push_back(run);
  };
  int64_t parts = split.parts;
  int64_t grain = split.balance >= AGT_LEAVES ? AGT_LEAF_KEYS : 1;
  if (split.balance == AGT_STRIPED) {
    add({part, part < tokens ? (tokens - part - 1) / parts + 1 : 0, parts});
  } else if (split.balance == AGT_ZIGZAG ||
             split.balance == AGT_ZIGZAG_LEAVES) {
    add(pieceOf(tokens, grain, 2 * parts, part));
    add(pieceOf(tokens, grain, 2 * parts, 2 * parts - 1 - part));
  } else {
    add(pieceOf(tokens, grain, parts, part));
  }
  return runs;
}

int64_t countOf(const std::vector<TokenRun> &runs) {
  int64_t count = 0;
  for (const TokenRun &run : runs)
    count += run.count;
  return count;
}

bool sameSplits(const std::vector<agt_split> &a,
                const std::vector<agt_split> &b) {
  return a.size() == b.size() &&
         (a.empty() ||
          std::memcmp(a.data(), b.data(), a.size() * sizeof(agt_split)) == 0);
}

std::vector<int64_t> partsOf(const std::vector<agt_split> &splits,
                             int64_t position) {
  std::vector<int64_t> parts;
  for (const agt_split &split : splits)
    parts.push_back(partOf(split, position));
  return parts;
}

int64_t nearestHolder(const std::vector<agt_split> &splits,
                      const std::vector<int64_t> &parts, int64_t position,
                      int64_t positions) {
  for (int64_t back = 1; back <= positions; ++back) {
    int64_t other = (position + positions - back) % positions;
    if (partsOf(splits, other) == parts)
      return other;
  }
  return -1;
}

TensorPart::TensorPart(const int64_t *shape, int rank,
                       const std::vector<agt_split> &splits,
                       const std::vector<int64_t> &parts)
    : whole(shape, shape + rank) {
  for (int64_t size : whole)
    runs.push_back(size ? std::vector<TokenRun>{{0, size, 1}}
                        : std::vector<TokenRun>{});
  for (size_t i = 0; i < splits.size(); ++i) {
    size_t dim = size_t(splits[i].dim);
    runs[dim] = tokensOf(splits[i], parts[i], whole[dim]);
    last = std::max(last, splits[i].dim);
  }
  for (const auto &each : runs)
    partShape.push_back(countOf(each));

  // All combinations of indices of the dims before the last split one.
  if (elements() == 0)
    return;
  std::vector<int64_t> combinations = {};
  size_t count = 1;
  for (int dim = 0; dim < last; ++dim) {
    std::vector<int64_t> longer;
    for (size_t i = 0; i < count; ++i)
      for (const TokenRun &run : runs[size_t(dim)])
        for (int64_t k = 0; k < run.count; ++k) {
          longer.insert(longer.end(), combinations.begin() + int64_t(i) * dim,
                        combinations.begin() + int64_t(i + 1) * dim);
          longer.push_back(run.begin + k * run.step);
        }
    combinations = std::move(longer);
    count = combinations.size() / size_t(dim + 1);
  }
  outerIndices = std::move(combinations);
}

int64_t TensorPart::elements() const {
  // An empty part has none, however large its other dims are.
  if (std::count(partShape.begin(), partShape.end(), 0))
    return 0;
  int64_t count = 1;
  for (int64_t size : partShape)
    count *= size;
  return count;
}

int64_t TensorPart::innerElements() const {
  int64_t count = 1;
  for (size_t dim = size_t(last) + 1; dim < whole.size(); ++dim)
    count *= whole[dim];
  return count;
}

std::vector<PartBlock> TensorPart::blocks() const {
  std::vector<PartBlock> result;
  if (elements() == 0)
    return result;
  if (whole.empty())
    return {{nullptr, 0, {0, 1, 1}}};
  size_t combinations = last ? outerIndices.size() / size_t(last) : 1;
  for (size_t i = 0; i < combinations; ++i)
    for (const TokenRun &run : runs[size_t(last)])
      result.push_back({outerIndices.data() + i * size_t(last), last, run});
  return result;
}

// The number of an element of the whole in C order.
static int64_t flatIndex(const std::vector<int64_t> &shape,
                         const PartBlock &block) {
  int64_t index = 0;
  for (int dim = 0; dim < block.dim; ++dim)
    index = (index + block.outer[dim]) * shape[size_t(dim) + 1];
  index += block.run.begin;
  for (size_t dim = size_t(block.dim) + 1; dim < shape.size(); ++dim)
    index *= shape[dim];
  return index;
}

bool TensorPart::isOnePiece(int64_t &first) const {
  std::vector<PartBlock> all = blocks();
  if (all.size() != 1 || (all[0].run.step != 1 && all[0].run.count != 1))
    return false;
  first = flatIndex(whole, all[0]);
  return true;
}

void TensorPart::read(const agt_tensor &tensor, unsigned char *part) const {
  if (elements() == 0)
    return;
  if (whole.empty())
    return copyContiguous(tensor, part);
  size_t rank = whole.size();
  std::vector<int64_t> strides(rank, 1);
  for (size_t dim = rank - 1; dim > 0; --dim)
    strides[dim - 1] = strides[dim] * whole[dim];
  if (tensor.strides)
    strides.assign(tensor.strides, tensor.strides + rank);
  int64_t elementBytes = int64_t(dtypeBytes(tensor.dtype));
  for (const PartBlock &block : blocks()) {
    size_t dim = size_t(block.dim);
    int64_t offset = block.run.begin * strides[dim];
    for (size_t i = 0; i < dim; ++i)
      offset += block.outer[i] * strides[i];
    std::vector<int64_t> shape(whole.begin() + block.dim, whole.end());
    std::vector<int64_t> steps(strides.begin() + block.dim, strides.end());
    shape[0] = block.run.count;
    steps[0] *= block.run.step;
    agt_tensor view{
        static_cast<unsigned char *>(tensor.data) + offset * elementBytes,
        tensor.dtype, int(shape.size()), shape.data(), steps.data()};
    copyContiguous(view, part);
    part += block.run.count * innerElements() * elementBytes;
  }
}

void TensorPart::write(const unsigned char *part, unsigned char *to,
                       uint64_t elementBytes) const {
  uint64_t inner = uint64_t(innerElements()) * elementBytes;
  for (const PartBlock &block : blocks()) {
    unsigned char *target =
        to + uint64_t(flatIndex(whole, block)) * elementBytes;
    if (block.run.step == 1) {
      std::memcpy(target, part, uint64_t(block.run.count) * inner);
    } else {
      for (int64_t i = 0; i < block.run.count; ++i)
        std::memcpy(target + uint64_t(i * block.run.step) * inner,
                    part + uint64_t(i) * inner, inner);
    }
    part += uint64_t(block.run.count) * inner;
  }
}

} // namespace agt::rt
