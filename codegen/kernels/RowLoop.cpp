// See RowLoop.h.
#include "codegen/kernels/RowLoop.h"

using namespace mlir;

namespace agt::kernels {

// Rows this short (elements an invocation) are unrolled: what is computed for
// one pass over them is there for the next.
static constexpr int64_t kUnrolled = 16;
static constexpr int64_t kBlock = 128;

RowShape::RowShape(KernelShapes &shapes, Value tensor, int64_t axis)
    : tensor(tensor), axis(axis), sizes(shapes.sizesOf(tensor)),
      length(sizes[axis]) {
  ArrayRef<AffineExpr> all = sizes;
  inner = shapes.count(all.drop_front(axis + 1));
  rows = shapes.count(all.take_front(axis)) * inner;
  isLast = axis + 1 == static_cast<int64_t>(sizes.size());
}

std::optional<int64_t> RowShape::staticLength() const {
  if (auto constant = dyn_cast<AffineConstantExpr>(length))
    return constant.getValue();
  return std::nullopt;
}

RowLoop::RowLoop(Evaluator &evaluator, const RowShape &shape, Value row,
                 uint32_t lanes)
    : e(evaluator), k(evaluator.builder()), shape(shape), rowNumber(row),
      lanes(lanes) {
  Sizes without(shape.sizes);
  without.erase(without.begin() + shape.axis);
  if (!without.empty())
    others = e.indicesOf(e.at(without, Linear{row}));
}

Value RowLoop::firstLane() { return lanes > 1 ? k.thread() : k.i32(0); }

std::optional<int64_t> RowLoop::unrolled() const {
  std::optional<int64_t> length = shape.staticLength();
  if (!length || *length % lanes != 0 || *length / lanes > kUnrolled)
    return std::nullopt;
  return *length / lanes;
}

Place RowLoop::at(Value r) {
  // The same place for the same r, where it still stands.
  if (unrolled())
    if (Place known = places.lookup(r))
      return known;
  Values indices(others);
  indices.insert(indices.begin() + shape.axis, r);
  // (row / inner) * length * inner + r * inner + row % inner
  Value length = e.size(shape.length);
  Value number;
  if (shape.isLast) {
    number = k.add(k.mul(rowNumber, length), r);
  } else {
    Value inner = e.size(shape.inner);
    Value outer = k.div(rowNumber, inner);
    Value column = k.sub(rowNumber, k.mul(outer, inner));
    number = k.add(k.mul(k.add(k.mul(outer, length), r), inner), column);
  }
  Place place = e.at(shape.sizes, indices, Linear{number});
  if (unrolled())
    places[r] = place;
  return place;
}

Values RowLoop::foldRange(Value first, Value last, Values init, Step step) {
  SmallVector<Variable> variables;
  for (Value value : init)
    variables.push_back(k.makeVariable(value));
  auto loaded = [&] {
    Values values;
    for (Variable variable : variables)
      values.push_back(k.load(variable));
    return values;
  };
  e.forRange(first, last, lanes, [&](Value r) {
    Values next = step(loaded(), r, at(r));
    for (auto [variable, value] : llvm::zip_equal(variables, next))
      k.store(variable, value);
  });
  return loaded();
}

Values RowLoop::fold(Values init, Step step) {
  std::optional<int64_t> count = unrolled();
  if (!count)
    return foldRange(firstLane(), e.size(shape.length), std::move(init), step);
  for (int64_t i = 0; i < *count; ++i) {
    Value r = k.add(firstLane(), i * lanes);
    init = step(init, r, at(r));
  }
  return init;
}

Values RowLoop::foldRow(
    Values init, Step step,
    llvm::function_ref<Values(ArrayRef<Value>, ArrayRef<Value>)> combine) {
  return combineLanes(k, lanes, fold(std::move(init), step), combine);
}

Value RowLoop::sum(Value zero,
                   llvm::function_ref<Value(Value r, Place place)> term) {
  return sums({zero},
              [&](Value r, Place place) { return Values{term(r, place)}; })[0];
}

Values RowLoop::sums(Values zeros,
                     llvm::function_ref<Values(Value r, Place place)> terms) {
  bool real = isa<FloatType>(zeros[0].getType());
  auto add = [&](ArrayRef<Value> a, ArrayRef<Value> b) {
    Values both;
    for (auto [x, y] : llvm::zip_equal(a, b))
      both.push_back(real ? k.fadd(x, y) : k.add(x, y));
    return both;
  };
  auto step = [&](ArrayRef<Value> carried, Value r, Place place) {
    return add(carried, terms(r, place));
  };
  std::optional<int64_t> length = shape.staticLength();
  int64_t block = kBlock * lanes;
  if (!real || (length && *length <= block))
    return combineLanes(k, lanes, fold(std::move(zeros), step), add);

  SmallVector<Variable> totals;
  for (Value zero : zeros)
    totals.push_back(k.makeVariable(zero));
  auto loaded = [&] {
    Values values;
    for (Variable total : totals)
      values.push_back(k.load(total));
    return values;
  };
  Value end = e.size(shape.length);
  e.forRange(k.i32(0), end, block, [&](Value start) {
    Value last = k.minS(k.add(start, block), end);
    Values part = foldRange(k.add(start, firstLane()), last, zeros, step);
    for (auto [total, value] : llvm::zip_equal(totals, add(loaded(), part)))
      k.store(total, value);
  });
  return combineLanes(k, lanes, loaded(), add);
}

// ---- results ---------------------------------------------------------------

void RowLoop::storeEach(unsigned result,
                        llvm::function_ref<Value(Value r, Place place)> value) {
  int64_t perWord = ElementTypes::perWord(e.resultElement(result));
  if (perWord == 1 || !shape.isLast || !shape.length.isMultipleOf(perWord)) {
    fold({}, [&](ArrayRef<Value>, Value r, Place place) {
      e.store(result, e.numberOf(e.linearOf(place)), value(r, place));
      return Values{};
    });
    return;
  }
  // Rows are whole words: an invocation computes whole ones.
  Value words = e.size(shape.length.floorDiv(perWord));
  Value first = k.mul(rowNumber, words);
  e.forRange(firstLane(), words, lanes, [&](Value word) {
    Value number = k.add(first, word);
    Values elements;
    for (int64_t i = 0; i < perWord; ++i) {
      Value r = k.add(k.mul(word, perWord), i);
      Values indices(others);
      indices.push_back(r);
      elements.push_back(
          value(r, e.at(shape.sizes, indices, Linear{number, perWord, i})));
    }
    e.storeWord(result, number, elements);
  });
}

Place RowLoop::reduced(const Sizes &sizes, bool keep) {
  Values indices(others);
  if (keep)
    indices.insert(indices.begin() + shape.axis, k.i32(0));
  return e.at(sizes, indices, Linear{rowNumber});
}

void RowLoop::once(llvm::function_ref<void()> body) {
  if (lanes == 1)
    return body();
  e.ifThen(k.eq(k.thread(), k.i32(0)), body);
}

} // namespace agt::kernels
