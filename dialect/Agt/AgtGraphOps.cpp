//===- AgtGraphOps.cpp - Graphs, calls, checks, scalars -------------------===//

#include "dialect/Agt/Agt.h"
#include "dialect/Agt/Shapes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace agt;

//===----------------------------------------------------------------------===//
// agt.graph, agt.return
//===----------------------------------------------------------------------===//

ParseResult GraphOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(arguments, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void GraphOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

static bool isAgtTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return false;
  Type element = tensor.getElementType();
  return isa<Float32Type, Float16Type, BFloat16Type, Float8E4M3FNType>(
             element) ||
         element.isSignlessInteger(1) || element.isSignlessInteger(8) ||
         element.isSignlessInteger(32) || element.isSignlessInteger(64);
}

LogicalResult GraphOp::verify() {
  // graph_c1
  if (getBody().empty())
    return emitOpError("expected a body, got a declaration");
  // graph_c2
  for (Type type :
       llvm::concat<const Type>(getArgumentTypes(), getResultTypes()))
    if (!isAgtTensor(type))
      return emitOpError("expected tensors as arguments and results, got ")
             << type;
  return success();
}

LogicalResult ReturnOp::verify() {
  // return_c1
  auto graph = cast<GraphOp>((*this)->getParentOp());
  ArrayRef<Type> types = graph.getResultTypes();
  if (llvm::equal(types, getOperandTypes()))
    return success();
  InFlightDiagnostic diag = emitOpError("expected values of types (");
  diag << types << "), got (" << getOperandTypes() << ")";
  diag.attachNote(graph.getLoc()) << "the results are declared here";
  return diag;
}

//===----------------------------------------------------------------------===//
// agt.call
//===----------------------------------------------------------------------===//

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // call_c1
  auto graph = symbols.lookupNearestSymbolFrom<GraphOp>(*this, getCalleeAttr());
  if (!graph)
    return emitOpError("expected the name of a graph, got '")
           << getCallee() << "'";
  // call_c2
  if (!compatibleResultTypes(graph.getArgumentTypes(),
                             getOperands().getTypes()))
    return emitOpError("expected arguments of types (")
           << graph.getArgumentTypes() << "), got (" << getOperands().getTypes()
           << ")";
  // call_c3
  if (!compatibleResultTypes(graph.getResultTypes(), getResultTypes()))
    return emitOpError("expected results of types (")
           << graph.getResultTypes() << "), got (" << getResultTypes() << ")";
  return success();
}

//===----------------------------------------------------------------------===//
// agt.require
//===----------------------------------------------------------------------===//

LogicalResult RequireOp::verify() {
  // require_c1: every {n} of the message is a value.
  StringRef rest = getMessage();
  while (true) {
    rest = rest.drop_until([](char c) { return c == '{'; });
    if (rest.empty())
      return success();
    rest = rest.drop_front();
    size_t index = 0;
    if (rest.consumeInteger(10, index) || !rest.consume_front("}"))
      continue;
    if (index >= getValues().size())
      return emitOpError("expected a value for {")
             << index << "} of the message, got " << getValues().size()
             << " values";
  }
}

/// A check that is known to hold goes; one that is known to fail stays, and
/// fails the run at its place.
LogicalResult RequireOp::canonicalize(RequireOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getCondition(), m_One()))
    return failure();
  rewriter.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// agt.scalar
//===----------------------------------------------------------------------===//

LogicalResult ScalarOp::verify() {
  // scalar_c1
  if (tensorType(getResult()).getRank() != 0)
    return emitOpError("expected a result without dims, got ")
           << getResult().getType();
  return success();
}

LogicalResult ScalarOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  return reifySizes(builder, *this, {}, shapes);
}
