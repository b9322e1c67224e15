// One graph: its values by id, and the translation of each instruction.
#ifndef AGT_FRONTEND_LOWER_GRAPHLOWERING_H
#define AGT_FRONTEND_LOWER_GRAPHLOWERING_H

#include "dialect/Agt/Agt.h"
#include "frontend/Lower/DimLowering.h"
#include "frontend/Lower/Locations.h"
#include "frontend/Sema/CheckedGraph.h"

namespace agt {

/// The inputs of graphs that are not parameters: a graph takes those that it
/// asks for, and behind them the weights of the graphs that it calls.
class HiddenInputs {
public:
  explicit HiddenInputs(llvm::ArrayRef<sema::CheckedGraph> graphs);

  /// `type` is that of the graph in which the input stands first.
  struct Entry {
    const sema::HiddenInput *input;
    const sema::TensorType *type;
  };
  llvm::ArrayRef<Entry> of(llvm::StringRef graph) const {
    return entries.find(graph)->second;
  }
  const sema::CheckedGraph &graph(llvm::StringRef name) const {
    return *graphs.find(name)->second;
  }

private:
  const std::vector<Entry> &collect(const sema::CheckedGraph &graph);

  llvm::StringMap<const sema::CheckedGraph *> graphs;
  llvm::StringMap<std::vector<Entry>> entries;
};

mlir::Type elementType(sema::DType dtype, mlir::Builder &builder);

/// The symbol of a graph of a mesh as it is `on single`.
std::string singleName(llvm::StringRef graph);

class GraphLowering {
public:
  /// `onSingle`: the graph without its mesh, under singleName.
  GraphLowering(const sema::CheckedGraph &graph, const HiddenInputs &inputs,
                mlir::OpBuilder &builder, Locations &locations,
                bool onSingle = false)
      : graph(graph), inputs(inputs), builder(builder), locations(locations),
        onSingle(onSingle),
        dims(builder, [this](llvm::StringRef name, mlir::Location loc) {
          return dimName(name, loc);
        }) {}

  /// Appends the `agt.graph` at the builder's place.
  GraphOp lower();

private:
  GraphOp createOp();
  void lowerInst(const sema::Inst &inst);
  // By kind of op.
  mlir::Value lowerElementwise(const sema::Inst &inst, mlir::Location loc);
  mlir::Value lowerUnary(sema::Op op, mlir::Value x, mlir::Location loc);
  mlir::Value lowerCompute(const sema::Inst &inst, mlir::Location loc);
  mlir::Value lowerShape(const sema::Inst &inst, mlir::Location loc);
  mlir::Value lowerNumber(const sema::Inst &inst, mlir::Location loc);
  mlir::Value numberFunction(const sema::Inst &inst, mlir::Location loc);
  mlir::ValueRange lowerSeveral(const sema::Inst &inst, mlir::Location loc);
  mlir::ValueRange lowerCall(const sema::Inst &inst, mlir::Location loc);
  mlir::ValueRange lowerShard(const sema::Inst &inst, mlir::Location loc);
  mlir::ValueRange lowerAttention(const sema::Inst &inst, mlir::Location loc);
  /// Whether a call is of the graph without its mesh.
  bool callsOnSingle(const sema::Inst &inst) const;
  void lowerRequire(const sema::Inst &inst, mlir::Location loc);

  mlir::RankedTensorType type(const sema::TensorType &type);
  mlir::RankedTensorType resultType(const sema::Inst &inst, unsigned i = 0);
  mlir::Value operand(const sema::Inst &inst, unsigned i) {
    return i < inst.operands.size() ? value(inst.operands[i]) : mlir::Value();
  }
  mlir::Value value(sema::ValueId id) {
    return id == sema::noValue ? mlir::Value() : values[id];
  }
  llvm::SmallVector<mlir::Value> operands(const sema::Inst &inst);
  /// The number that a Scalar or Full holds.
  mlir::Value scalarOf(const sema::Inst &inst, mlir::Location loc);
  /// The dims that are not numbers, as values.
  llvm::SmallVector<mlir::Value> openSizes(llvm::ArrayRef<sema::Dim> shape,
                                           mlir::Location loc);
  mlir::Value dimName(llvm::StringRef name, mlir::Location loc);

  const sema::CheckedGraph &graph;
  const HiddenInputs &inputs;
  mlir::OpBuilder &builder;
  Locations &locations;
  bool onSingle;
  DimLowering dims;
  GraphOp op;
  std::vector<mlir::Value> values;
};

} // namespace agt

#endif
