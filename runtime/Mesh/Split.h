// Which tokens a part of a dim holds, and which elements a part of a tensor.
//
// A part of a dim is a few runs of indices: one where parts are contiguous or
// striped, two for zigzag. A part of a tensor is the product of its dims' runs.
// Any number of tokens and of parts is fine: parts may be empty.
#ifndef AGT_RUNTIME_MESH_SPLIT_H
#define AGT_RUNTIME_MESH_SPLIT_H

#include "agt/runtime.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace agt::rt {

/// The indices begin, begin + step, ... (`count` of them).
struct TokenRun {
  int64_t begin;
  int64_t count;
  int64_t step;
  bool operator==(const TokenRun &other) const {
    return begin == other.begin && count == other.count && step == other.step;
  }
};

/// The part of position `position`.
inline int64_t partOf(const agt_split &split, int64_t position) {
  return position / split.step % split.parts;
}

/// What part `part` of `tokens` tokens holds, in order; runs are not empty.
std::vector<TokenRun> tokensOf(const agt_split &split, int64_t part,
                               int64_t tokens);
int64_t countOf(const std::vector<TokenRun> &runs);

/// Some indices of the outer dims, one run of the dim behind them, all of the
/// dims after that: what a part consists of, in its C order.
struct PartBlock {
  const int64_t *outer; // `dim` indices
  int dim;
  TokenRun run;
};

/// A part of a tensor, in C order.
class TensorPart {
public:
  /// The part whose number along splits[i] is parts[i].
  TensorPart(const int64_t *shape, int rank,
             const std::vector<agt_split> &splits,
             const std::vector<int64_t> &parts);

  const std::vector<int64_t> &shape() const { return partShape; }
  int64_t elements() const;
  std::vector<PartBlock> blocks() const;
  /// True where the part is one piece of the whole in C order, which begins
  /// at element `first`.
  bool isOnePiece(int64_t &first) const;

  /// From the whole tensor, whatever its strides.
  void read(const agt_tensor &whole, unsigned char *part) const;
  /// Into the whole, in C order.
  void write(const unsigned char *part, unsigned char *whole,
             uint64_t elementBytes) const;

private:
  int64_t innerElements() const; // of one index of the last split dim

  std::vector<int64_t> whole;
  std::vector<int64_t> partShape;
  std::vector<std::vector<TokenRun>> runs; // by dim
  int last = 0;                            // the last dim that is split
  std::vector<int64_t> outerIndices;       // what blocks point to
};

bool sameSplits(const std::vector<agt_split> &a,
                const std::vector<agt_split> &b);

/// The number of the part along each split.
std::vector<int64_t> partsOf(const std::vector<agt_split> &splits,
                             int64_t position);
/// The first of the positions before `position`, going round all `positions`,
/// that holds `parts`; -1 when none does.
int64_t nearestHolder(const std::vector<agt_split> &splits,
                      const std::vector<int64_t> &parts, int64_t position,
                      int64_t positions);

} // namespace agt::rt

#endif // AGT_RUNTIME_MESH_SPLIT_H
