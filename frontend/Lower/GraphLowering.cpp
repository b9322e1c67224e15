#include "frontend/Lower/GraphLowering.h"
#include "dialect/Agt/Attributes.h"

using namespace agt;
using namespace mlir;
using agt::sema::DType;
using agt::sema::Inst;
using Code = agt::sema::Op;

//===----------------------------------------------------------------------===//
// Types and sizes
//===----------------------------------------------------------------------===//

std::string agt::singleName(StringRef graph) {
  return (graph + " on single").str();
}

Type agt::elementType(DType dtype, Builder &builder) {
  switch (dtype) {
  case DType::F32:
    return builder.getF32Type();
  case DType::F16:
    return builder.getF16Type();
  case DType::BF16:
    return builder.getBF16Type();
  case DType::F8E4M3:
    return Float8E4M3FNType::get(builder.getContext());
  case DType::I8:
    return builder.getI8Type();
  case DType::I32:
    return builder.getI32Type();
  case DType::I64:
    return builder.getI64Type();
  case DType::Bool:
    return builder.getI1Type();
  }
  return Type();
}

RankedTensorType GraphLowering::type(const sema::TensorType &type) {
  SmallVector<int64_t> shape;
  for (sema::Dim dim : type.shape)
    shape.push_back(dim->constant().value_or(ShapedType::kDynamic));
  return RankedTensorType::get(shape, elementType(type.dtype, builder));
}

RankedTensorType GraphLowering::resultType(const Inst &inst, unsigned i) {
  return type(graph.values[inst.results[i]].type);
}

SmallVector<Value> GraphLowering::operands(const Inst &inst) {
  SmallVector<Value> result;
  for (sema::ValueId id : inst.operands)
    result.push_back(value(id));
  return result;
}

SmallVector<Value> GraphLowering::openSizes(ArrayRef<sema::Dim> shape,
                                            Location loc) {
  SmallVector<Value> sizes;
  for (sema::Dim dim : shape)
    if (!dim->constant())
      sizes.push_back(dims.lower(dim, loc));
  return sizes;
}

Value GraphLowering::dimName(StringRef name, Location loc) {
  const sema::DimSource &source = graph.sources.find(name)->second;
  Location place = locations.get(source.range);
  return tensor::DimOp::create(builder, place, op.getArgument(source.param),
                               dims.constant(source.dim, place));
}

//===----------------------------------------------------------------------===//
// Inputs that are not parameters
//===----------------------------------------------------------------------===//

HiddenInputs::HiddenInputs(ArrayRef<sema::CheckedGraph> list) {
  for (const sema::CheckedGraph &graph : list)
    graphs[graph.signature->decl->name.text] = &graph;
  for (const sema::CheckedGraph &graph : list)
    collect(graph);
}

// Calls nest no deeper than the checker allows, and never in a circle.
const std::vector<HiddenInputs::Entry> &
HiddenInputs::collect(const sema::CheckedGraph &graph) {
  StringRef name = graph.signature->decl->name.text;
  auto known = entries.find(name);
  if (known != entries.end())
    return known->second;
  std::vector<Entry> list;
  for (const sema::HiddenInput &input : graph.hidden)
    list.push_back({&input, &graph.values[input.value].type});
  for (const Inst &inst : graph.insts) {
    if (inst.op != Code::Call)
      continue;
    for (const Entry &entry : collect(*graphs.lookup(inst.text)))
      if (llvm::none_of(list, [&](const Entry &other) {
            return other.input->isSame(*entry.input);
          }))
        list.push_back(entry);
  }
  return entries[name] = std::move(list);
}

/// Attributes of an argument, by name.
static DictionaryAttr
attributes(Builder &builder,
           std::initializer_list<std::pair<StringRef, Attribute>> entries) {
  SmallVector<NamedAttribute> attrs;
  for (auto [name, value] : entries)
    if (value)
      attrs.push_back(builder.getNamedAttr(name, value));
  return builder.getDictionaryAttr(attrs);
}

static DictionaryAttr itemAttrs(const sema::SignatureItem &item,
                                Builder &builder) {
  StringAttr name =
      item.name.empty() ? StringAttr() : builder.getStringAttr(item.name);
  DictionaryAttr input;
  if (item.cache)
    input = attributes(
        builder, {{"kind", builder.getStringAttr("positions")},
                  {"cache", builder.getStringAttr(item.name)},
                  {"tokens", builder.getI64IntegerAttr(item.cache->tokens)},
                  {"vocab", builder.getI64IntegerAttr(item.cache->vocab)}});
  return attributes(builder, {{kInput, input},
                              {kName, name},
                              {kType, builder.getStringAttr(item.text)}});
}

static DictionaryAttr hiddenAttrs(const sema::HiddenInput &input,
                                  const sema::GraphSignature &signature,
                                  Builder &builder) {
  if (input.kind == sema::HiddenInput::Weight) {
    StringRef file = input.weights->name.text;
    std::string name = (file + "[\"" + input.tensor + "\"]").str();
    DictionaryAttr what = attributes(
        builder, {{"kind", builder.getStringAttr("weight")},
                  {"weights", builder.getStringAttr(file)},
                  {"tensor", builder.getStringAttr(input.tensor)},
                  {"blocks", input.blocks.empty()
                                 ? StringAttr()
                                 : builder.getStringAttr(input.blocks)}});
    return attributes(builder,
                      {{kInput, what}, {kName, builder.getStringAttr(name)}});
  }
  StringRef cache = signature.params[input.param].name;
  bool length = input.kind == sema::HiddenInput::CacheLength;
  StringRef kind = length                                       ? "length"
                   : input.kind == sema::HiddenInput::CacheKeys ? "keys"
                                                                : "values";
  std::string name = (cache + "." + kind).str();
  if (!length)
    name += "[" + std::to_string(input.layer) + "]";
  DictionaryAttr what = attributes(
      builder, {{"kind", builder.getStringAttr(kind)},
                {"cache", builder.getStringAttr(cache)},
                {"layer", length ? IntegerAttr()
                                 : builder.getI64IntegerAttr(input.layer)}});
  return attributes(builder,
                    {{kInput, what}, {kName, builder.getStringAttr(name)}});
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

GraphOp GraphLowering::createOp() {
  const ast::GraphDecl &decl = *graph.signature->decl;
  SmallVector<Type> types, results;
  SmallVector<Attribute> inputAttrs, resultAttrs;
  for (const sema::SignatureItem &item : graph.signature->params) {
    types.push_back(type(item.type));
    inputAttrs.push_back(itemAttrs(item, builder));
  }
  for (const HiddenInputs::Entry &entry : inputs.of(decl.name.text)) {
    types.push_back(type(*entry.type));
    inputAttrs.push_back(hiddenAttrs(*entry.input, *graph.signature, builder));
  }
  for (const sema::SignatureItem &item : graph.signature->results) {
    results.push_back(type(item.type));
    resultAttrs.push_back(itemAttrs(item, builder));
  }
  auto stringOrNull = [&](StringRef text) {
    return text.empty() ? StringAttr() : builder.getStringAttr(text);
  };
  std::string name =
      onSingle ? singleName(decl.name.text) : decl.name.text.str();
  return GraphOp::create(
      builder, locations.get(decl.name.range), builder.getStringAttr(name),
      TypeAttr::get(builder.getFunctionType(types, results)),
      builder.getArrayAttr(inputAttrs), builder.getArrayAttr(resultAttrs),
      stringOrNull(decl.doc), stringOrNull(onSingle ? "" : decl.mesh.text),
      StringAttr());
}

GraphOp GraphLowering::lower() {
  op = createOp();
  values.resize(graph.values.size());
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&op.getBody());
  for (auto [i, item] : llvm::enumerate(graph.signature->params))
    values[i] = body->addArgument(type(item.type), locations.get(item.range));
  // Those that this graph asks for itself come first.
  for (auto [i, entry] :
       llvm::enumerate(inputs.of(graph.signature->decl->name.text))) {
    Value argument =
        body->addArgument(type(*entry.type), locations.get(entry.input->range));
    if (i < graph.hidden.size())
      values[graph.hidden[i].value] = argument;
  }
  for (const Inst &inst : graph.insts)
    lowerInst(inst);
  return op;
}

void GraphLowering::lowerInst(const Inst &inst) {
  Location loc = locations.get(inst.range);
  if (inst.op == Code::Require)
    return lowerRequire(inst, loc);
  if (inst.op == Code::Return) {
    ReturnOp::create(builder, loc, operands(inst));
    return;
  }
  Value single = lowerElementwise(inst, loc);
  if (!single)
    single = lowerCompute(inst, loc);
  if (!single)
    single = lowerShape(inst, loc);
  if (!single)
    single = lowerNumber(inst, loc);
  if (single) {
    values[inst.results[0]] = single;
    return;
  }
  if (inst.op == Code::Shard && onSingle) {
    values[inst.results[0]] = operand(inst, 0);
    return;
  }
  for (auto [id, result] : llvm::zip(inst.results, lowerSeveral(inst, loc)))
    values[id] = result;
}

void GraphLowering::lowerRequire(const Inst &inst, Location loc) {
  Value a = dims.lower(inst.dims[0], loc), b = dims.lower(inst.dims[1], loc);
  auto predicate = inst.predicate == sema::Predicate::Equal
                       ? arith::CmpIPredicate::eq
                       : arith::CmpIPredicate::sle;
  Value holds = arith::CmpIOp::create(builder, loc, predicate, a, b);
  SmallVector<Value> shown = {a, b};
  if (inst.dims.size() > 2)
    shown = {dims.lower(inst.dims[2], loc), dims.lower(inst.dims[3], loc)};
  RequireOp::create(builder, loc, holds, builder.getStringAttr(inst.text),
                    shown);
}
