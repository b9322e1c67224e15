// FusionPlan: which ops of a graph become one kernel.
//
// One walk from the last op to the first, so that all readers of a value are
// decided before it. A value either gets memory, and its op becomes the root of
// a kernel, or it is computed inside the kernels of its readers. Bounds on the
// size of a kernel, on its buffers and on the places at which it computes one
// value are kept as it grows, so the walk is linear however long a chain is.
#ifndef AGT_PASSES_FUSIONPLAN_H
#define AGT_PASSES_FUSIONPLAN_H

#include "dialect/Agt/Agt.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace agt {

/// What a kernel can do with an op.
enum class FusionKind {
  Pulled, // its elements are computed one by one from its operands' elements
  Alias,  // the same, and in memory it is its operand under another type
  Anchor, // loops; at most one a kernel
  Outside // has no place in a kernel
};
FusionKind fusionKind(mlir::Operation *op);

class FusionPlan {
public:
  explicit FusionPlan(GraphOp graph);

  /// Ops whose results have memory, in order. Aliases are not among them.
  llvm::ArrayRef<mlir::Operation *> roots() const { return rootList; }
  /// The ops computed in the kernel of `root`, itself included, in order.
  llvm::SmallVector<mlir::Operation *> members(mlir::Operation *root) const;
  /// Why the op has memory of its own; empty for members of other kernels.
  llvm::StringRef reason(mlir::Operation *op) const;

private:
  struct Decision {
    llvm::SmallVector<mlir::Operation *, 2> kernels; // roots it is computed in
    llvm::StringRef reason;
    bool indexOnly = false; // feeds a product: only moves and casts may follow
  };
  /// Places of elements at which a value is computed for one element of the
  /// kernel: `x + transpose(x)` computes x at two, and what x is made of at as
  /// many each time that x is used.
  using Places = llvm::SmallSetVector<unsigned, 4>;
  /// What one kernel has taken in so far.
  struct Kernel {
    llvm::SmallVector<mlir::Operation *> members;
    llvm::SmallPtrSet<mlir::Value, 16> open; // tensors not computed in it yet
    bool anchored = false;
    llvm::DenseMap<mlir::Operation *, Places> places;
    /// Where an operand is read for a place of its reader.
    llvm::DenseMap<std::pair<mlir::OpOperand *, unsigned>, unsigned> moved;
  };
  /// How the readers of a value want it.
  struct Demand {
    llvm::SmallMapVector<mlir::Operation *, int64_t, 2> kernels; // evaluations
    llvm::DenseMap<mlir::Operation *, Places> places;            // by kernel
    bool memory = false;
    bool indexOnly = false;
  };
  struct Subtree {
    int64_t cost = 0;
    int64_t loads = 0;
  };

  void decide(mlir::Operation *op);
  Demand demandOf(mlir::Operation *op);
  void addPlaces(Kernel &kernel, mlir::OpOperand &use, Places &places);
  llvm::StringRef whyNotPulled(mlir::Operation *op, const Demand &demand);
  llvm::StringRef whyNoEpilogue(mlir::Operation *op, const Demand &demand);
  llvm::StringRef whyFull(mlir::Operation *op, const Demand &demand);
  void makeRoot(mlir::Operation *op, llvm::StringRef reason);
  void join(mlir::Operation *op, const Demand &demand);
  Subtree subtreeOf(mlir::Operation *op);

  llvm::DenseMap<mlir::Operation *, Decision> decisions;
  llvm::DenseMap<mlir::Operation *, Kernel> kernels;
  llvm::DenseMap<mlir::Operation *, Subtree> subtrees;
  llvm::SmallVector<mlir::Operation *> rootList;
};

} // namespace agt

#endif // AGT_PASSES_FUSIONPLAN_H
