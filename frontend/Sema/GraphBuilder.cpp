#include "frontend/Sema/GraphBuilder.h"

using namespace agt::sema;

static constexpr size_t noInst = ~size_t(0);

ValueId GraphBuilder::addValue(TensorType type) {
  graph.values.push_back({false, std::move(type)});
  definitions.push_back(noInst);
  return graph.values.size() - 1;
}

ValueId GraphBuilder::addNumber() {
  graph.values.push_back({true, {}});
  definitions.push_back(noInst);
  return graph.values.size() - 1;
}

const HiddenInput *GraphBuilder::findHidden(const HiddenInput &input) const {
  for (const HiddenInput &known : graph.hidden)
    if (known.isSame(input))
      return &known;
  return nullptr;
}

const HiddenInput &GraphBuilder::hiddenInput(HiddenInput input,
                                             TensorType type) {
  if (const HiddenInput *known = findHidden(input))
    return *known;
  input.value = addValue(std::move(type));
  graph.hidden.push_back(std::move(input));
  return graph.hidden.back();
}

void GraphBuilder::setSource(llvm::StringRef name, const HiddenInput &input,
                             unsigned dim) {
  unsigned number =
      graph.signature->params.size() + unsigned(&input - graph.hidden.data());
  graph.sources[name] = DimSource{number, dim, input.range};
}

Value GraphBuilder::emit(Inst inst, TensorType result) {
  ValueId id = addValue(result);
  definitions[id] = graph.insts.size();
  inst.results.push_back(id);
  append(std::move(inst));
  return Value::ofTensor(std::move(result), id);
}

Value GraphBuilder::emitNumber(Inst inst) {
  ValueId id = addNumber();
  definitions[id] = graph.insts.size();
  inst.results.push_back(id);
  append(std::move(inst));
  return Value::ofNumber(id);
}

Value GraphBuilder::emitTuple(Inst inst, llvm::ArrayRef<TensorType> results) {
  std::vector<Value> elements;
  for (const TensorType &type : results) {
    ValueId id = addValue(type);
    definitions[id] = graph.insts.size();
    inst.results.push_back(id);
    elements.push_back(Value::ofTensor(type, id));
  }
  append(std::move(inst));
  return Value::ofTuple(std::move(elements));
}

ValueId GraphBuilder::asNumber(const Value &number, llvm::SMRange range) {
  if (number.isFloat() && !number.number)
    return number.id;
  bool constant = number.constantNumber().has_value();
  Inst inst(constant ? Op::NumberConst : Op::NumberOfInt, range);
  if (constant)
    inst.number = *number.constantNumber();
  else
    inst.dims = {number.dim};
  return emitNumber(std::move(inst)).id;
}

const Inst *GraphBuilder::definition(ValueId id) const {
  size_t index = definitions[id];
  return index == noInst ? nullptr : &graph.insts[index];
}

bool GraphBuilder::hasFact(Dim difference, Predicate predicate) const {
  return factSet.contains({difference, unsigned(predicate)});
}

void GraphBuilder::addFact(Dim difference, Predicate predicate) {
  if (factSet.insert({difference, unsigned(predicate)}).second)
    facts.push_back({difference, predicate});
}

void GraphBuilder::rollback(const Checkpoint &point) {
  graph.insts.erase(graph.insts.begin() + point.insts, graph.insts.end());
  graph.values.resize(point.values);
  graph.hidden.resize(point.hidden, HiddenInput{HiddenInput::Weight, {}});
  definitions.resize(point.values);
  while (facts.size() > point.facts) {
    factSet.erase({facts.back().first, unsigned(facts.back().second)});
    facts.pop_back();
  }
}

bool GraphBuilder::known(Dim a, Dim b) const {
  if (a == b)
    return true;
  Dim difference = dims.sub(a, b);
  return difference && hasFact(difference, Predicate::Equal);
}

void GraphBuilder::appendRequire(Predicate predicate, llvm::ArrayRef<Dim> dims,
                                 llvm::SMRange range,
                                 const llvm::Twine &message) {
  Inst inst(Op::Require, range);
  inst.predicate = predicate;
  inst.dims.assign(dims.begin(), dims.end());
  inst.text = message.str();
  append(std::move(inst));
}

void GraphBuilder::addEqual(Dim a, Dim b) {
  for (Dim difference : {dims.sub(a, b), dims.sub(b, a)})
    if (difference)
      addFact(difference, Predicate::Equal);
}

bool GraphBuilder::requireEqual(Dim a, Dim b, llvm::SMRange range,
                                const llvm::Twine &message) {
  Relation relation = dims.compare(a, b);
  if (relation != Relation::Unknown || known(a, b))
    return relation != Relation::Different;
  appendRequire(Predicate::Equal, {a, b}, range, message);
  addEqual(a, b);
  return true;
}

bool GraphBuilder::requireMultiple(Dim a, Dim b, llvm::SMRange range,
                                   const llvm::Twine &message) {
  Dim zero = dims.constant(0);
  Dim rest = b == zero ? a : dims.rem(a, b);
  if (!rest)
    return false;
  Relation relation = dims.compare(rest, zero);
  if (relation != Relation::Unknown || known(rest, zero))
    return relation != Relation::Different;
  appendRequire(Predicate::Equal, {rest, zero, a, b}, range, message);
  addEqual(rest, zero);
  return true;
}

bool GraphBuilder::requireLessOrEqual(Dim a, Dim b, llvm::SMRange range,
                                      const llvm::Twine &message) {
  Dim room = dims.sub(b, a), excess = dims.sub(a, b);
  if (room && dims.isNonNegative(room))
    return true;
  if (excess && dims.isPositive(excess))
    return false;
  if (excess && hasFact(excess, Predicate::LessOrEqual))
    return true;
  if (excess && hasFact(excess, Predicate::Equal))
    return true;
  appendRequire(Predicate::LessOrEqual, {a, b}, range, message);
  if (excess)
    addFact(excess, Predicate::LessOrEqual);
  return true;
}
