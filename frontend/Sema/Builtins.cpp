#include "frontend/Sema/Builtins.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace agt;
using namespace agt::sema;

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

template <Op op> static Value unaryFunction(CallArgs &args) {
  return args.checker.unary(op, args.name(), args.operand(0), args.callRange());
}

template <Op op> static Value binaryFunction(CallArgs &args) {
  return args.checker.binary(op, args.name(), args.operand(0), args.operand(1),
                             args.callRange());
}

static Value whereFunction(CallArgs &args) {
  return args.checker.select(args.operand(0), args.operand(1), args.operand(2),
                             args.callRange());
}

static Value castFunction(CallArgs &args) {
  Inst inst(Op::Cast, args.callRange());
  inst.operands = {args.id(0)};
  TensorType type = args.type(0);
  type.dtype = *parseDType(args.word(1));
  if (type.dtype == args.type(0).dtype)
    return args[0];
  return args.checker.graph->emit(std::move(inst), std::move(type));
}

static const Param oneElement[] = {param("x", ParamKind::Element)};
static const Param twoElements[] = {param("a", ParamKind::Element),
                                    param("b", ParamKind::Element)};
static const Param whereParams[] = {tensorParam("c", setOf(DType::Bool)),
                                    param("a", ParamKind::Element),
                                    param("b", ParamKind::Element)};
static const Param castParams[] = {tensorParam("x"),
                                   param("dtype", ParamKind::DType)};

llvm::ArrayRef<Builtin> agt::sema::elementwiseBuiltins() {
  static const Builtin table[] = {
      {"exp", oneElement, unaryFunction<Op::Exp>, true},
      {"log", oneElement, unaryFunction<Op::Log>, true},
      {"sqrt", oneElement, unaryFunction<Op::Sqrt>, true},
      {"rsqrt", oneElement, unaryFunction<Op::Rsqrt>, true},
      {"tanh", oneElement, unaryFunction<Op::Tanh>, true},
      {"sigmoid", oneElement, unaryFunction<Op::Sigmoid>, true},
      {"silu", oneElement, unaryFunction<Op::Silu>, true},
      {"gelu", oneElement, unaryFunction<Op::Gelu>, true},
      {"gelu_tanh", oneElement, unaryFunction<Op::GeluTanh>, true},
      {"relu", oneElement, unaryFunction<Op::Relu>, true},
      {"abs", oneElement, unaryFunction<Op::Abs>, true},
      {"cos", oneElement, unaryFunction<Op::Cos>, true},
      {"sin", oneElement, unaryFunction<Op::Sin>, true},
      {"max", twoElements, binaryFunction<Op::Max>, true},
      {"min", twoElements, binaryFunction<Op::Min>, true},
      {"where", whereParams, whereFunction},
      {"cast", castParams, castFunction},
  };
  return table;
}

//===----------------------------------------------------------------------===//
// The whole table
//===----------------------------------------------------------------------===//

static const llvm::StringMap<const Builtin *> &builtinsByName() {
  static const llvm::StringMap<const Builtin *> map = [] {
    llvm::StringMap<const Builtin *> result;
    for (auto table : {elementwiseBuiltins(), computeBuiltins(),
                       shapeBuiltins(), attentionBuiltins(), cacheBuiltins()})
      for (const Builtin &builtin : table)
        result[builtin.name] = &builtin;
    return result;
  }();
  return map;
}

const Builtin *agt::sema::findBuiltin(llvm::StringRef name) {
  return builtinsByName().lookup(name);
}

std::vector<llvm::StringRef> agt::sema::builtinNames() {
  std::vector<llvm::StringRef> names;
  for (const auto &entry : builtinsByName())
    names.push_back(entry.first());
  llvm::sort(names);
  return names;
}
