//===- AgtKernelOps.cpp - What runs as one kernel -------------------------===//

#include "dialect/Agt/Agt.h"
#include "dialect/Agt/Shapes.h"

using namespace mlir;
using namespace agt;

//===----------------------------------------------------------------------===//
// agt.kernel
//===----------------------------------------------------------------------===//

// `"label" (%a = %x : type, ...) [sizes] -> types attributes {...} {body}`
ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr label;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, sizes;
  SmallVector<Type> inputTypes;
  auto parseInput = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    if (parser.parseArgument(argument) || parser.parseEqual() ||
        parser.parseOperand(inputs.emplace_back()) ||
        parser.parseColonType(argument.type))
      return failure();
    inputTypes.push_back(argument.type);
    return success();
  };
  SMLoc start = parser.getCurrentLocation();
  if (parser.parseAttribute(label, "label", result.attributes) ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     parseInput) ||
      parser.parseOperandList(sizes, OpAsmParser::Delimiter::OptionalSquare) ||
      parser.parseOptionalArrowTypeList(result.types) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.resolveOperands(inputs, inputTypes, start, result.operands) ||
      parser.resolveOperands(sizes, parser.getBuilder().getIndexType(),
                             result.operands) ||
      parser.parseRegion(*result.addRegion(), arguments))
    return failure();
  result.getOrAddProperties<Properties>().operandSegmentSizes = {
      static_cast<int32_t>(inputs.size()), static_cast<int32_t>(sizes.size())};
  ensureTerminator(*result.regions.front(), parser.getBuilder(),
                   result.location);
  return success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getLabelAttr() << " (";
  llvm::interleaveComma(llvm::zip_equal(getBody().getArguments(), getInputs()),
                        printer, [&](auto pair) {
                          auto [argument, input] = pair;
                          printer << argument << " = " << input << " : "
                                  << input.getType();
                        });
  printer << ')';
  if (!getSizes().empty())
    printer << " [" << getSizes() << ']';
  printer.printOptionalArrowTypeList(getResultTypes());
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getLabelAttrName(), getOperandSegmentSizesAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/true);
}

LogicalResult KernelOp::verify() {
  // kernel_c1
  if (!llvm::equal(getBody().getArgumentTypes(), getInputs().getTypes()))
    return emitOpError("expected body arguments of types (")
           << getInputs().getTypes() << "), got ("
           << getBody().getArgumentTypes() << ")";
  // kernel_c2: by the operands' own constraint
  // kernel_c3
  if (failed(verifySizes(*this, getResultTypes(), getSizes())))
    return failure();
  // kernel_c4
  TypeRange yielded = getBody().front().getTerminator()->getOperandTypes();
  if (!compatibleResultTypes(yielded, getResultTypes()))
    return emitOpError("expected yielded values of types (")
           << getResultTypes() << "), got (" << yielded << ")";
  return success();
}

LogicalResult KernelOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  return reifySizes(builder, *this, getSizes(), shapes);
}

//===----------------------------------------------------------------------===//
// agt.rope_table, agt.rotate
//===----------------------------------------------------------------------===//

LogicalResult RopeTableOp::verify() {
  // rope_table_c1
  return verifyTensor(*this, "a result", getResult(), {ShapedType::kDynamic, 2},
                      tensorType(getResult()).getElementType());
}

LogicalResult
RopeTableOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  reifyResult(builder, getResult(), shapes, [&](int64_t) -> OpFoldResult {
    Value two = arith::ConstantIndexOp::create(builder, getLoc(), 2);
    return arith::DivUIOp::create(builder, getLoc(), getDims(), two)
        .getResult();
  });
  return success();
}

LogicalResult RotateOp::verify() {
  RankedTensorType input = tensorType(getInput());
  // rotate_c1
  if (!isPositionsOf(tensorType(getPositions()).getShape(), input.getShape()))
    return emitOpError("expected positions [tokens] or [batch..., tokens] of ")
           << input << ", got " << getPositions().getType();
  // rotate_c2
  Type word = tensorType(getTable()).getElementType();
  if (failed(verifyTensor(*this, "a table", getTable(),
                          {ShapedType::kDynamic, 2}, word)))
    return failure();
  // rotate_c3
  int64_t rows = tensorType(getTable()).getDimSize(0);
  int64_t last = input.getShape().back();
  if (!ShapedType::isDynamic(rows) && !ShapedType::isDynamic(last) &&
      2 * rows > last)
    return emitOpError("expected a table of at most ")
           << last / 2 << " rows, got " << rows;
  // rotate_c4
  return verifyTensor(*this, "a result", getResult(), input.getShape(),
                      input.getElementType());
}

LogicalResult RotateOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  return reifyLike(builder, *this, getInput(), shapes);
}
