// RowLoop: the elements of a tensor along one axis, gone over by one
// invocation or by the lanes of one subgroup.
//
// Sums start from zero in blocks of at most 128 terms an invocation, so that
// their error does not grow with the length of the row.
#ifndef AGT_CODEGEN_KERNELS_ROWLOOP_H
#define AGT_CODEGEN_KERNELS_ROWLOOP_H

#include "codegen/kernels/KernelVariants.h"

namespace agt::kernels {

/// The shape of the rows along an axis.
struct RowShape {
  RowShape(KernelShapes &shapes, mlir::Value tensor, int64_t axis);

  mlir::Value tensor;
  int64_t axis;
  Sizes sizes;
  mlir::AffineExpr length, inner, rows;
  bool isLast; // the axis is the last one: rows are contiguous

  std::optional<int64_t> staticLength() const;
};

class RowLoop {
public:
  using Value = mlir::Value;
  using Step = llvm::function_ref<Values(llvm::ArrayRef<Value> carried, Value r,
                                         Place place)>;

  /// Row number `row`; `lanes` is 1, or the subgroup's (and workgroup's) size.
  RowLoop(Evaluator &evaluator, const RowShape &shape, Value row,
          uint32_t lanes);

  /// Element r of the row as a place in the tensor.
  Place at(Value r);
  /// This invocation's elements folded into `init`.
  Values fold(Values init, Step step);
  /// The sum of `term` over the whole row.
  Value sum(Value zero, llvm::function_ref<Value(Value r, Place place)> term);
  /// Several sums at a time, of floats or of integers.
  Values sums(Values zeros,
              llvm::function_ref<Values(Value r, Place place)> terms);
  /// The same fold over the whole row: the same for all lanes.
  Values foldRow(
      Values init, Step step,
      llvm::function_ref<Values(llvm::ArrayRef<Value>, llvm::ArrayRef<Value>)>
          combine);
  /// Stores value(r, place) to the elements of result `result`, which has the
  /// tensor's shape.
  void storeEach(unsigned result,
                 llvm::function_ref<Value(Value r, Place place)> value);
  /// The place in a tensor of `sizes` that has the row's other indices, and at
  /// the axis nothing, or 0 if `keep`.
  Place reduced(const Sizes &sizes, bool keep);

  /// Runs body in one invocation of the row.
  void once(llvm::function_ref<void()> body);
  Value row() const { return rowNumber; }

private:
  Value firstLane();
  std::optional<int64_t> unrolled() const;
  Values foldRange(Value first, Value last, Values init, Step step);

  Evaluator &e;
  KernelBuilder &k;
  const RowShape &shape;
  Value rowNumber;
  uint32_t lanes;
  Values others; // the row's indices without the axis
  llvm::DenseMap<Value, Place> places;
};

} // namespace agt::kernels

#endif // AGT_CODEGEN_KERNELS_ROWLOOP_H
