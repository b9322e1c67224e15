// RowAccess: how the lanes of a subgroup read and write rows of a tensor.
//
// A row is cut into chunks; in a chunk each lane has one element, or two or
// four neighbours: whole words, which the lane then reads at once and writes
// without a race. Lanes beyond the end of a row read its last elements again
// and are left out by whoever uses them.
#ifndef AGT_CODEGEN_SPIRV_ATTENTION_ROWACCESS_H
#define AGT_CODEGEN_SPIRV_ATTENTION_ROWACCESS_H

#include "codegen/spirv/SpirvBuilder.h"

namespace agt::spirv::attention {

struct RowLayout {
  int64_t dims;  // elements of a row
  int64_t lanes; // of the subgroup
  int64_t width; // elements a lane has of a chunk: 1, 2 or 4

  int64_t chunkDims() const { return lanes * width; }
  int64_t chunks() const { return (dims + chunkDims() - 1) / chunkDims(); }
  /// Where element `dim` is: chunk, lane and which of the lane's elements.
  int64_t chunkOf(int64_t dim) const { return dim / chunkDims(); }
  int64_t laneOf(int64_t dim) const { return dim % chunkDims() / width; }
  int64_t partOf(int64_t dim) const { return dim % width; }
};

/// Elements in a word of a buffer.
int64_t elementsPerWord(agt_dtype dtype, WordType word);

class RowAccess {
public:
  using Value = mlir::Value;

  RowAccess(SpirvBuilder &b, unsigned buffer, agt_dtype dtype, WordType word,
            RowLayout layout)
      : b(b), buffer(buffer), dtype(dtype), word(word),
        perWord(elementsPerWord(dtype, word)), layout(layout) {
    assert(layout.width % perWord == 0 && "lanes own whole words");
  }

  const RowLayout &rows() const { return layout; }

  /// The lane's elements of a chunk of the row that begins at element `base`.
  llvm::SmallVector<Value> load(Value base, int64_t chunk);
  /// Stores what the lane has of a chunk, elements beyond the row left out.
  void store(Value base, int64_t chunk, llvm::ArrayRef<Value> values);
  /// All elements of a row, for a lane that has the row to itself.
  llvm::SmallVector<Value> loadWhole(Value base);

private:
  Value wordIndex(Value element);
  void loadInto(Value index, llvm::SmallVectorImpl<Value> &values);
  bool full(int64_t chunk) const {
    return (chunk + 1) * layout.chunkDims() <= layout.dims;
  }

  SpirvBuilder &b;
  unsigned buffer;
  agt_dtype dtype;
  WordType word;
  int64_t perWord;
  RowLayout layout;
};

} // namespace agt::spirv::attention

#endif // AGT_CODEGEN_SPIRV_ATTENTION_ROWACCESS_H
