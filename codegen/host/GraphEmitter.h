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
#include "dialect/Ring/Ring.h"

#include "mlir/IR/IRMapping.h"

namespace agt::host {

class GraphEmitter {
public:
  using Value = mlir::Value;

  GraphEmitter(GraphOp graph, mlir::func::FuncOp function, KernelTable &kernels)
      : graph(graph), b(function), kernels(kernels) {}

  /// The whole graph, on one device: an agt_graph_fn.
  mlir::LogicalResult run();
  /// What one position records: an agt_record_fn.
  mlir::LogicalResult runPosition();

private:
  mlir::LogicalResult emitBody();
  void checkInputs();
  mlir::LogicalResult emit(mlir::Operation *op);
  mlir::LogicalResult emitKernel(KernelOp op);
  mlir::LogicalResult emitAttention(AttentionOp op);
  llvm::SmallVector<Value> attentionScalars(AttentionOp op, const RowView &q,
                                            const RowView &k, const RowView &v,
                                            const RowView &o, Value offset);
  // Leaves (LeavesLaunch.cpp).
  void emit(LeavesOp op);
  mlir::LogicalResult emit(RootOp op);
  mlir::LogicalResult attendLeaves(AttentionOp op, size_t kernel,
                                   llvm::ArrayRef<Value> buffers,
                                   llvm::ArrayRef<Value> scalars, Value flops,
                                   Value kvBytes);
  /// The number of a kernel that an attention needs besides its own.
  mlir::FailureOr<size_t>
  kernelBeside(mlir::Operation *op,
               const kernels::attention::AttentionSpec &spec,
               const kernels::attention::Numbered &kernel);
  llvm::SmallVector<Value> workOf(size_t kernel, llvm::ArrayRef<Value> scalars);
  /// 1 or 0, or nothing where an attention is always launched.
  Value enabledOf(AttentionOp op);
  /// Launches a kernel that an attention needs besides its own.
  mlir::LogicalResult launchBeside(
      mlir::Operation *op, const kernels::attention::AttentionSpec &spec,
      const kernels::attention::Numbered &kernel, llvm::ArrayRef<Value> buffers,
      llvm::ArrayRef<Value> scalars, Value enabled);
  /// Checks what an attention's inputs hold, where the graph's own are those.
  void checkData(AttentionOp op, Value queries, Value keys);
  /// The same for all attentions of a graph on a mesh (kDataChecks).
  void checkMeshData();
  void emitRequire(RequireOp op);
  void emitRopeTable(RopeTableOp op);
  void emitReturn(ReturnOp op);

  // Graphs on a mesh (RingEmitter.cpp).
  /// False where it is no op of the ring dialect.
  bool emitRing(mlir::Operation *op);
  void emitMeshReturn(ReturnOp op);
  void emit(ring::PlaceOp op);
  void emit(ring::PartOp op);
  void emit(ring::PositionsOp op);
  void emit(ring::ShiftOp op);
  void emit(ring::AwaitOp op);
  void emit(ring::GatherOp op);
  void emit(ring::HopOp op);
  void emit(ring::SeesOp op);
  void emit(ring::NeededOp op);
  Value position();
  Value placeOf(int64_t parts, int64_t step);
  Value neighbour(ring::CutAttr cut, int64_t by);
  Value bytesOf(llvm::ArrayRef<Value> dims, mlir::Type element);
  Value view(ring::ViewAttr view);
  void mapNumber(Value index, Value wide);
  void mapFlag(Value bit, Value slot);

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
              Value flops, Value enabled = Value());

  GraphOp graph;
  HostBuilder b;
  KernelTable &kernels;
  mlir::IRMapping numbers;              // index and f64 values of the graph
  llvm::DenseMap<Value, Value> buffers; // by root
  llvm::DenseMap<Value, llvm::SmallVector<Value>> shapes;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Value>> lastUses;
  Value runHandle;
  // On a mesh.
  struct Transfer {
    Value ticket, buffer;
    llvm::SmallVector<Value> dims;
  };
  bool onMesh = false;
  Value ownPosition;
  llvm::DenseMap<Value, Transfer> transfers; // by token
};

} // namespace agt::host

#endif // AGT_CODEGEN_HOST_GRAPHEMITTER_H
