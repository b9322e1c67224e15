// See Evaluator.h. Places, loads and stores are here; what each op does with
// elements is in EvaluateOps.cpp.
#include "codegen/kernels/Evaluator.h"

#include "dialect/Agt/Shapes.h"

using namespace mlir;

namespace agt::kernels {

class Evaluator::ScopeGuard {
public:
  explicit ScopeGuard(Evaluator &evaluator) : evaluator(evaluator) {
    evaluator.scopes.emplace_back();
  }
  ~ScopeGuard() { evaluator.scopes.pop_back(); }

private:
  Evaluator &evaluator;
};

// Looks a key up in the map `member` of all open scopes, innermost first.
template <typename Scopes, typename Map, typename Key>
static auto *find(Scopes &scopes, Map member, const Key &key) {
  using Mapped =
      typename std::remove_reference_t<decltype(scopes.front().*
                                                member)>::mapped_type;
  for (auto &scope : llvm::reverse(scopes)) {
    auto it = (scope.*member).find(key);
    if (it != (scope.*member).end())
      return &it->second;
  }
  return static_cast<Mapped *>(nullptr);
}

static Type elementOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

Evaluator::Evaluator(KernelBuilder &builder, KernelOp kernel,
                     KernelShapes &shapes)
    : k(builder), kernel(kernel), shapes(shapes), types(builder),
      math(builder) {
  scopes.emplace_back();
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (isa<RankedTensorType>(argument.getType()))
      buffers[argument] = firstResult++;
}

std::vector<WordType> Evaluator::buffersOf(KernelOp kernel) {
  std::vector<WordType> words;
  for (Value input : kernel.getInputs())
    if (isa<RankedTensorType>(input.getType()))
      words.push_back(ElementTypes::wordType(elementOf(input)));
  for (Value result : kernel.getResults())
    words.push_back(ElementTypes::wordType(elementOf(result)));
  return words;
}

Type Evaluator::resultElement(unsigned result) {
  return elementOf(kernel.getResult(result));
}

// ---- places ----------------------------------------------------------------

Place Evaluator::keep(Coordinates coordinates) {
  places.push_back(std::make_unique<Coordinates>(std::move(coordinates)));
  return places.back().get();
}

Place Evaluator::at(const Sizes &sizes, ArrayRef<Value> indices) {
  return keep({sizes, SmallVector<Value>(indices), std::nullopt});
}
Place Evaluator::at(const Sizes &sizes, Linear linear) {
  return keep({sizes, {}, linear});
}
Place Evaluator::at(const Sizes &sizes, ArrayRef<Value> indices,
                    Linear linear) {
  return keep({sizes, SmallVector<Value>(indices), linear});
}

Value Evaluator::numberOf(const Linear &linear) {
  return k.add(k.mul(linear.base, linear.factor), linear.offset);
}

Linear Evaluator::linearOf(Place place) {
  if (place->linear)
    return *place->linear;
  Value number = k.i32(0);
  for (auto [index, dim] : llvm::zip_equal(place->indices, place->sizes))
    number = k.add(k.mul(number, size(dim)), index);
  return {number};
}

std::pair<Value, Value> Evaluator::divide(Value x, AffineExpr by) {
  std::pair<void *, void *> key{x.getAsOpaquePointer(),
                                const_cast<void *>(by.getAsOpaquePointer())};
  if (auto *found = find(scopes, &Scope::divisions, key))
    return *found;
  Value divisor = size(by);
  Value quotient = k.div(x, divisor);
  Value rest = k.sub(x, k.mul(quotient, divisor));
  return scopes.back().divisions[key] = {quotient, rest};
}

SmallVector<Value> Evaluator::indicesOf(Place place) {
  if (place->hasIndices())
    return place->indices;
  if (auto *found = find(scopes, &Scope::indices, place))
    return *found;
  const Sizes &sizes = place->sizes;
  const Linear &linear = *place->linear;
  SmallVector<Value> indices(sizes.size());
  int64_t dim = static_cast<int64_t>(sizes.size()) - 1;
  Value rest = linear.base;
  // Elements of one word share all indices but the last where a row is whole
  // words: divide once for all of them.
  auto row = dyn_cast<AffineConstantExpr>(sizes.back());
  if (linear.factor > 1 && row && row.getValue() % linear.factor == 0 &&
      linear.offset < linear.factor) {
    auto [quotient, word] =
        divide(rest, shapes.constant(row.getValue() / linear.factor));
    indices[dim--] = numberOf({word, linear.factor, linear.offset});
    rest = quotient;
  } else {
    rest = numberOf(linear);
  }
  for (; dim > 0; --dim) {
    auto [quotient, index] = divide(rest, sizes[dim]);
    indices[dim] = index;
    rest = quotient;
  }
  if (dim == 0)
    indices[0] = rest;
  return scopes.back().indices[place] = indices;
}

// The dims of `tensor` that are stretched to the place's sizes; nothing where
// the place itself will do.
Place Evaluator::broadcast(Place place, Value tensor) {
  const Sizes &own = shapes.sizesOf(tensor);
  size_t skipped = place->sizes.size() - own.size();
  auto stretched = [&](size_t i) {
    return own[i] == shapes.constant(1) &&
           place->sizes[i + skipped] != shapes.constant(1);
  };
  bool same = skipped == 0;
  for (size_t i = 0; same && i < own.size(); ++i)
    same = !stretched(i);
  if (same)
    return place;

  std::pair<void *, Place> key{tensor.getAsOpaquePointer(), place};
  if (Place *found = find(scopes, &Scope::broadcasts, key))
    return *found;
  SmallVector<Value> indices;
  if (!own.empty()) {
    SmallVector<Value> all = indicesOf(place);
    for (size_t i = 0; i < own.size(); ++i)
      indices.push_back(stretched(i) ? k.i32(0) : all[i + skipped]);
  }
  return scopes.back().broadcasts[key] = at(own, indices);
}

Value Evaluator::operand(Value tensor, Place place) {
  return element(tensor, broadcast(place, tensor));
}

// ---- elements --------------------------------------------------------------

Value Evaluator::element(Value tensor, Place place) {
  std::pair<void *, const void *> key{tensor.getAsOpaquePointer(), place};
  if (Value *found = find(scopes, &Scope::elements, key))
    return *found;
  Value value = compute(tensor, place, /*rounded=*/true);
  return scopes.back().elements[key] = value;
}

Value Evaluator::unrounded(Value tensor, Place place) {
  std::pair<void *, const void *> key{tensor.getAsOpaquePointer(), place};
  if (Value *found = find(scopes, &Scope::elements, key))
    return *found;
  return compute(tensor, place, /*rounded=*/false);
}

void Evaluator::pin(Value tensor, Place place, Value value) {
  scopes.back().elements[{tensor.getAsOpaquePointer(), place}] = value;
}

Value Evaluator::size(AffineExpr expr) {
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    return k.i32(cast<AffineConstantExpr>(expr).getValue());
  case AffineExprKind::SymbolId:
    return k.scalar(cast<AffineSymbolExpr>(expr).getPosition());
  case AffineExprKind::DimId:
    llvm_unreachable("sizes are over symbols");
  default:
    break;
  }
  auto pair = cast<AffineBinaryOpExpr>(expr);
  Value x = size(pair.getLHS()), y = size(pair.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return k.add(x, y);
  case AffineExprKind::Mul:
    return k.mul(x, y);
  case AffineExprKind::Mod:
    return k.rem(x, y);
  case AffineExprKind::FloorDiv:
    return k.div(x, y);
  default: // CeilDiv
    return k.div(k.add(x, k.sub(y, k.i32(1))), y);
  }
}

Value Evaluator::loadWord(unsigned buffer, Value word) {
  std::pair<unsigned, void *> key{buffer, word.getAsOpaquePointer()};
  if (Value *found = find(scopes, &Scope::words, key))
    return *found;
  return scopes.back().words[key] = k.loadWord(buffer, word);
}

Evaluator::Words Evaluator::loadWords(BlockArgument tensor, Place place) {
  Value word = k.mul(numberOf(linearOf(place)), 2);
  unsigned buffer = buffers.lookup(tensor);
  return {loadWord(buffer, word), loadWord(buffer, k.add(word, 1))};
}

Value Evaluator::load(BlockArgument tensor, Place place) {
  unsigned buffer = buffers.lookup(tensor);
  Type type = elementOf(tensor);
  Linear linear = linearOf(place);
  if (type.isInteger(64)) {
    auto wide = [&](Value half) {
      return arith::ExtUIOp::create(k.builder(), type, half);
    };
    Words words = loadWords(tensor, place);
    return k.bitOr(wide(words.low),
                   k.shl(wide(words.high), types.integerOf(type, 32)));
  }
  int64_t perWord = ElementTypes::perWord(type);
  if (perWord == 1)
    return loadWord(buffer, numberOf(linear));

  // The place in the word is known where the factor is whole words.
  int64_t width = 32 / perWord;
  if (linear.factor % perWord == 0) {
    Value word = numberOf(
        {linear.base, linear.factor / perWord, linear.offset / perWord});
    Value bits =
        k.shr(loadWord(buffer, word), (linear.offset % perWord) * width);
    return types.decode(type, bits);
  }
  Value number = numberOf(linear);
  Value bits = loadWord(buffer, k.shr(number, perWord == 2 ? 1 : 2));
  Value shift = k.mul(k.bitAnd(number, perWord - 1), width);
  return types.decode(type, k.shr(bits, shift));
}

// ---- stores ----------------------------------------------------------------

void Evaluator::store(unsigned result, Value number, Value value) {
  unsigned buffer = firstResult + result;
  Type type = resultElement(result);
  int64_t perWord = ElementTypes::perWord(type);
  if (type.isInteger(64) || perWord == 1)
    return storeWord(result, number, value);
  k.storeNarrow(buffer, number, types.encode(type, value), 32 / perWord);
}

void Evaluator::storeWord(unsigned result, Value word, ArrayRef<Value> values) {
  unsigned buffer = firstResult + result;
  Type type = resultElement(result);
  if (type.isInteger(64)) {
    auto half = [&](Value x) {
      return arith::TruncIOp::create(k.builder(), k.i32Type(), x);
    };
    Value first = k.mul(word, 2);
    Value value = values.front();
    k.storeWord(buffer, first, half(value));
    k.storeWord(buffer, k.add(first, 1),
                half(k.shr(value, types.integerOf(type, 32))));
    return;
  }
  if (ElementTypes::perWord(type) == 1)
    return k.storeWord(buffer, word, values.front());
  Value bits = k.i32(0);
  int64_t shift = 0, width = 32 / ElementTypes::perWord(type);
  for (Value value : values) {
    bits = k.bitOr(bits, k.shl(types.encode(type, value), shift));
    shift += width;
  }
  k.storeWord(buffer, word, bits);
}

// ---- control flow ----------------------------------------------------------

void Evaluator::ifThen(Value cond, llvm::function_ref<void()> body) {
  k.ifThen(cond, [&] {
    ScopeGuard scope(*this);
    body();
  });
}

void Evaluator::forRange(Value lower, Value upper, int64_t step,
                         llvm::function_ref<void(Value)> body) {
  k.forRange(lower, upper, step, [&](Value iv) {
    ScopeGuard scope(*this);
    body(iv);
  });
}

Value Evaluator::ifValue(Value cond, llvm::function_ref<Value()> then,
                         llvm::function_ref<Value()> otherwise) {
  // Through a variable: its type is only known once a branch is built.
  std::optional<Variable> variable;
  auto branch = [&](llvm::function_ref<Value()> make) {
    ScopeGuard scope(*this);
    Value value = make();
    if (!variable)
      variable = k.makeVariable(value.getType());
    k.store(*variable, value);
  };
  k.ifElse(cond, [&] { branch(then); }, [&] { branch(otherwise); });
  return k.load(*variable);
}

} // namespace agt::kernels
