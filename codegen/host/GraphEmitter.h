//===- GraphEmitter.h - One graph as a host function ------------*- C++ -*-===//
//
// The state of lowering one graph: which buffer holds each tensor, what each
// size is, and after which op a buffer is free. Internal to codegen/host.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_CODEGEN_HOST_GRAPHEMITTER_H
#define AGT_CODEGEN_HOST_GRAPHEMITTER_H

#include "codegen/host/AttentionShapes.h"
#include "codegen/host/GraphLowering.h"
#include "codegen/host/HostBuilder.h"

#include "mlir/IR/IRMapping.h"

namespace agt::host {

class GraphEmitter {
public:
  using Value = mlir::Value;

  GraphEmitter(GraphOp graph, mlir::func::FuncOp function, KernelTable &kernels)
      : graph(graph), b(function), kernels(kernels) {}

  mlir::LogicalResult run();

private:
  void checkInputs();
  mlir::LogicalResult emit(mlir::Operation *op);
  mlir::LogicalResult emitKernel(KernelOp op);
  mlir::LogicalResult emitAttention(AttentionOp op);
  llvm::SmallVector<Value> attentionScalars(AttentionOp op, const RowView &q,
                                            const RowView &k, const RowView &v,
                                            const RowView &o, Value offset);
  mlir::LogicalResult launchBlocks(AttentionOp op,
                                   const spirv::attention::AttentionSpec &spec,
                                   llvm::ArrayRef<Value> buffers,
                                   llvm::ArrayRef<Value> scalars);
  /// Checks what an attention's inputs hold, where the graph's own are those.
  void checkData(AttentionOp op, Value queries, Value keys);
  void emitRequire(RequireOp op);
  void emitRopeTable(RopeTableOp op);
  void emitReturn(ReturnOp op);

  // Buffers. A reshape or cast shares the buffer of what it renames: the root.
  Value root(Value tensor);
  void planLifetimes();
  void freeAfter(mlir::Operation *op);
  Value buffer(Value tensor);
  /// Allocates the buffer of a result whose dims are `dims`.
  Value allocate(Value tensor, llvm::ArrayRef<Value> dims);
  /// Fails the run where a tensor has more elements than kernels can count.
  void requireIndexable(mlir::Location loc, llvm::ArrayRef<Value> dims);
  Value allocate(mlir::Location loc, llvm::ArrayRef<Value> dims,
                 mlir::Type element);

  // Sizes, in 64 bits.
  Value size(Value index);
  Value dim(Value tensor, int64_t axis);
  /// What the caller's array has, whatever its type says.
  Value inputDim(unsigned number, int64_t axis);
  llvm::SmallVector<Value> dims(Value tensor);
  /// The dims of `tensor`, with `sizes` for those its type leaves open.
  llvm::SmallVector<Value> dims(Value tensor, mlir::ValueRange sizes);
  /// Refuses a run in which `size`, called `what`, is larger.
  void requireAtMost(mlir::Location loc, Value size, int64_t most,
                     llvm::StringRef what);
  /// A number of the source as the scalar of a kernel: bits of an f32.
  Value floatBits(Value f64);

  void launch(mlir::Operation *op, size_t kernel, llvm::StringRef name,
              llvm::ArrayRef<Value> buffers, llvm::ArrayRef<Value> scalars,
              Value flops);

  GraphOp graph;
  HostBuilder b;
  KernelTable &kernels;
  mlir::IRMapping numbers;              // index and f64 values of the graph
  llvm::DenseMap<Value, Value> buffers; // by root
  llvm::DenseMap<Value, llvm::SmallVector<Value>> shapes;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Value>> lastUses;
  Value runHandle;
};

} // namespace agt::host

#endif // AGT_CODEGEN_HOST_GRAPHEMITTER_H
