//===- Interpreter.cpp - The float64 oracle of agt graphs -----------------===//
//
// An environment maps SSA values to data; a block is evaluated in order. The
// arithmetic is in the files of the op kinds (Ops.h); here are the ops that
// hold or leave blocks: graphs, calls, kernels, checks.
//
//===----------------------------------------------------------------------===//

#include "reference/Interpreter.h"
#include "dialect/Agt/Attributes.h"
#include "reference/Checks.h"
#include "reference/Ops.h"

#include "llvm/Support/FormatVariadic.h"

#include <array>

using namespace mlir;
using namespace agt::reference;
using agt::GraphOp;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;

char RunError::ID = 0;

void RunError::log(llvm::raw_ostream &os) const {
  os << (place.empty() ? "" : place + ": ") << message;
}

std::error_code RunError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

/// Inputs that do not fit have no place in the program.
template <typename... Values>
static Error refuse(const char *format, Values &&...values) {
  return llvm::make_error<RunError>(
      "", llvm::formatv(format, std::forward<Values>(values)...).str());
}

namespace {
class Interpreter {
public:
  explicit Interpreter(RunInfo &info, unsigned depth = 0,
                       Observe observe = nullptr)
      : info(info), depth(depth), observe(observe) {}

  /// Evaluates a block with one op at its end that leaves it; gives the
  /// operands of that op.
  Expected<Data> runBlock(Block &block, ArrayRef<Datum> arguments);

private:
  Expected<Data> evaluate(Operation *op);
  Error require(agt::RequireOp op);
  Expected<Data> call(agt::CallOp op);
  Expected<Data> compute(Operation *op);
  Error show(Operation *op, Data &results);

  Environment environment;
  RunInfo &info;
  unsigned depth; // of calls
  Observe observe;
};
} // namespace

Expected<Data> Interpreter::runBlock(Block &block, ArrayRef<Datum> arguments) {
  for (auto [argument, datum] :
       llvm::zip_equal(block.getArguments(), arguments))
    environment[argument] = datum;
  for (Operation &op : block.without_terminator()) {
    Expected<Data> results = evaluate(&op);
    if (!results)
      return results.takeError();
    if (Error error = checkResults(&op, *results))
      return std::move(error);
    if (Error error = show(&op, *results))
      return std::move(error);
    for (auto [result, datum] : llvm::zip_equal(op.getResults(), *results))
      environment[result] = datum;
  }
  return environment.lookup(block.getTerminator()->getOperands());
}

Error Interpreter::show(Operation *op, Data &results) {
  if (!observe || !isa<GraphOp>(op->getParentOp()) ||
      !isa<agt::KernelOp, agt::AttentionOp>(op))
    return Error::success();
  std::vector<Tensor> tensors;
  for (const Datum &result : results)
    tensors.push_back(*result.tensor);
  if (Error error = observe(op, tensors))
    return error;
  for (auto [result, tensor] : llvm::zip_equal(results, tensors))
    result = Datum(std::move(tensor));
  return Error::success();
}

Expected<Data> Interpreter::evaluate(Operation *op) {
  if (auto check = dyn_cast<agt::RequireOp>(op)) {
    if (Error error = require(check))
      return std::move(error);
    return Data();
  }
  if (auto callOp = dyn_cast<agt::CallOp>(op))
    return call(callOp);
  if (auto kernel = dyn_cast<agt::KernelOp>(op))
    return runBlock(kernel.getBody().front(),
                    environment.lookup(kernel.getInputs()));
  return compute(op);
}

Error Interpreter::require(agt::RequireOp op) {
  if (environment.at(op.getCondition()).integer != 0)
    return Error::success();
  std::string message = op.getMessage().str();
  for (auto [i, value] : llvm::enumerate(op.getValues())) {
    std::string name = llvm::formatv("{{{0}}", i);
    std::string text = std::to_string(environment.at(value).integer);
    for (size_t at = 0; (at = message.find(name, at)) != std::string::npos;
         at += text.size())
      message.replace(at, name.size(), text);
  }
  return failAt(op, message);
}

Expected<Data> Interpreter::call(agt::CallOp op) {
  // The front end refuses recursion; IR written by hand may have it.
  if (depth == kDeepestCalls)
    return failAt(op, "calls nest deeper than " + llvm::Twine(kDeepestCalls));
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getCalleeAttr());
  return Interpreter(info, depth + 1)
      .runBlock(graph.getBody().front(), environment.lookup(op.getOperands()));
}

Expected<Data> Interpreter::compute(Operation *op) {
  Data operands = environment.lookup(op->getOperands());
  if (Error error = checkOperands(op, operands))
    return std::move(error);
  if (Error error = checkData(op, operands))
    return std::move(error);
  allowFlush(op, operands);
  constexpr std::array kinds = {evaluateScalar,       evaluateElementwise,
                                evaluateShape,        evaluateReduction,
                                evaluateNorm,         evaluateRotation,
                                evaluateQuantization, evaluateBlocks};
  for (auto *kind : kinds)
    if (std::optional<Data> results = kind(op, operands))
      return std::move(*results);
  if (auto results = evaluateAttention(op, operands, info.largestScore))
    return std::move(*results);
  return failAt(op, "the reference interpreter does not know '" +
                        op->getName().getStringRef() + "'");
}

/// Whether an input may be passed for an argument of type `type`.
static Error checkInput(GraphOp graph, unsigned i, const Tensor &input) {
  auto type = cast<RankedTensorType>(graph.getArgumentTypes()[i]);
  auto name = graph.getArgAttrOfType<StringAttr>(i, agt::kName);
  std::string who =
      name ? "'" + name.str() + "'" : "argument " + std::to_string(i);
  if (input.element != elementOf(type))
    return refuse("expected {0} for {1}, got {2}", nameOf(elementOf(type)), who,
                  nameOf(input.element));
  if (input.rank() != type.getRank())
    return refuse("expected {0} dims for {1}, got {2}", type.getRank(), who,
                  input.rank());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!type.isDynamicDim(dim) && type.getDimSize(dim) != input.shape[dim])
      return refuse("expected size {0} in dim {1} of {2}, got {3}",
                    type.getDimSize(dim), dim, who, input.shape[dim]);
  return Error::success();
}

Expected<std::vector<Tensor>> agt::reference::run(GraphOp graph,
                                                  std::vector<Tensor> inputs,
                                                  RunInfo *info,
                                                  Observe observe) {
  if (inputs.size() != graph.getNumArguments())
    return refuse("expected {0} inputs, got {1}", graph.getNumArguments(),
                  inputs.size());
  for (auto [i, input] : llvm::enumerate(inputs))
    if (Error error = checkInput(graph, i, input))
      return std::move(error);
  RunInfo ignored;
  Data arguments;
  for (Tensor &input : inputs)
    arguments.emplace_back(std::move(input));
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (auto name = graph.getArgAttrOfType<StringAttr>(i, agt::kName))
      argument.input = name.str();
  Expected<Data> results = Interpreter(info ? *info : ignored, 0, observe)
                               .runBlock(graph.getBody().front(), arguments);
  if (!results)
    return results.takeError();
  std::vector<Tensor> tensors;
  for (const Datum &datum : *results)
    tensors.push_back(*datum.tensor);
  return tensors;
}
