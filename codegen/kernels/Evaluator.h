// Evaluator: values of single elements of the tensors in an agt.kernel's body.
//
// Fusion here is by pulling: an element of a result is computed from elements
// of operands at mapped indices, down to loads from the arguments. A chain of
// element-wise functions, broadcasts, transposes, slices, reshapes, gathers
// and rotations therefore needs nothing in memory between its ops. What cannot
// be pulled (a sum, a product) is computed by its kernel's loops and then
// *pinned*: evaluation stops there.
//
// Places of elements are Coordinates, compared by address: the same place asked
// for twice gives the same object, and what was computed there is not computed
// again within its scope. Scopes follow the regions of the kernel's control
// flow; a value made in a branch is forgotten at its end.
#ifndef AGT_CODEGEN_KERNELS_EVALUATOR_H
#define AGT_CODEGEN_KERNELS_EVALUATOR_H

#include "codegen/common/ElementaryMath.h"
#include "codegen/kernels/ElementTypes.h"
#include "codegen/kernels/KernelShapes.h"

#include <map>
#include <memory>
#include <optional>

namespace agt::kernels {

using codegen::ElementaryMath;

/// A number in C order: base * factor + offset. The form with a factor says
/// which elements share a word.
struct Linear {
  mlir::Value base;
  int64_t factor = 1;
  int64_t offset = 0;
};

/// A place in a tensor of the given sizes: indices, or a number in C order, or
/// both.
struct Coordinates {
  Sizes sizes;
  llvm::SmallVector<mlir::Value> indices;
  std::optional<Linear> linear;

  bool hasIndices() const { return indices.size() == sizes.size(); }
};
using Place = const Coordinates *;

class Evaluator {
public:
  using Value = mlir::Value;
  using AffineExpr = mlir::AffineExpr;

  Evaluator(KernelBuilder &builder, KernelOp kernel, KernelShapes &shapes);

  KernelBuilder &builder() { return k; }
  KernelShapes &kernelShapes() { return shapes; }
  ElementTypes &elementTypes() { return types; }
  ElementaryMath &elementary() { return math; }

  /// The word types of the buffers of a kernel: tensor inputs, then results.
  static std::vector<WordType> buffersOf(KernelOp kernel);

  // Places.
  Place at(const Sizes &sizes, llvm::ArrayRef<Value> indices);
  Place at(const Sizes &sizes, Linear linear);
  Place at(const Sizes &sizes, llvm::ArrayRef<Value> indices, Linear linear);
  llvm::SmallVector<Value> indicesOf(Place place);
  Linear linearOf(Place place);
  Value numberOf(const Linear &linear);

  /// The element of `tensor` at `place`, as ElementTypes has it in registers.
  Value element(Value tensor, Place place);
  /// The same before the last rounding, for a store that rounds anyway.
  Value unrounded(Value tensor, Place place);
  /// Elements of `tensor` at `place` are `value` from here on.
  void pin(Value tensor, Place place, Value value);

  /// A size (or any expression over scalars) as a register.
  Value size(AffineExpr expr);

  /// Stores a register to element `number` of result `index`. Narrow elements
  /// go in by atomics.
  void store(unsigned result, Value number, Value value);
  /// Stores `perWord` registers as word `word` of result `index`.
  void storeWord(unsigned result, Value word, llvm::ArrayRef<Value> values);
  mlir::Type resultElement(unsigned result);

  /// Truncated integer quotient or remainder; by 0 gives 0.
  Value integerQuotient(Value x, Value y, bool remainder);

  // Control flow with a scope for each region.
  void ifThen(Value cond, llvm::function_ref<void()> body);
  void forRange(Value lower, Value upper, int64_t step,
                llvm::function_ref<void(Value)> body);
  Value ifValue(Value cond, llvm::function_ref<Value()> then,
                llvm::function_ref<Value()> otherwise);

private:
  struct Scope {
    std::map<std::pair<void *, const void *>, Value> elements;
    std::map<std::pair<void *, void *>, std::pair<Value, Value>> divisions;
    std::map<std::pair<void *, Place>, Place> broadcasts;
    std::map<std::pair<unsigned, void *>, Value> words;
    std::map<Place, llvm::SmallVector<Value>> indices;
  };
  class ScopeGuard;

  Value compute(Value tensor, Place place, bool rounded);
  Value load(mlir::BlockArgument tensor, Place place);
  Value loadWord(unsigned buffer, Value word);
  /// A 64-bit integer.
  struct Words {
    Value low, high;
  };
  Words loadWords(mlir::BlockArgument tensor, Place place);
  Words integerWords(Value tensor, Place place);
  Place broadcast(Place place, Value tensor);
  Value operand(Value tensor, Place place);
  std::pair<Value, Value> divide(Value x, AffineExpr by);
  Value scalar(Value number, mlir::Type element);

  Value binary(mlir::Operation *op, Place place);

  Value unary(mlir::Operation *op, Place place);
  Value compare(CompareOp op, Place place);
  Value concat(ConcatOp op, Place place);
  Value concatFrom(ConcatOp op, unsigned first, Value index,
                   llvm::ArrayRef<Value> indices);
  Value embed(EmbedOp op, Place place);
  Value rotate(RotateOp op, Place place);
  Value dequantize(DequantizeOp op, Place place);
  Value unpackBlocks(UnpackBlocksOp op, Place place);
  /// The f16 at byte `place`; halves lie at even bytes.
  Value halfAt(Value bytes, llvm::ArrayRef<Value> row, Value byte);
  ElementaryMath::SinCos angle(RotateOp op, llvm::ArrayRef<Value> indices,
                               Value pair);

  Place keep(Coordinates coordinates);

  KernelBuilder &k;
  KernelOp kernel;
  KernelShapes &shapes;
  ElementTypes types;
  ElementaryMath math;
  llvm::DenseMap<Value, unsigned> buffers;
  unsigned firstResult = 0;
  std::vector<std::unique_ptr<Coordinates>> places;
  std::vector<Scope> scopes;
};

} // namespace agt::kernels

#endif // AGT_CODEGEN_KERNELS_EVALUATOR_H
