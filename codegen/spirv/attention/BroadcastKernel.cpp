// See BroadcastKernel.h.
#include "codegen/spirv/attention/BroadcastKernel.h"

#include "codegen/common/Partial.h"
#include "codegen/kernels/attention/AttentionAbi.h"
#include "codegen/kernels/attention/Launch.h"
#include "codegen/spirv/attention/RowAccess.h"
#include "codegen/spirv/attention/RowsBody.h"

using namespace mlir;
using namespace agt::kernels;
using namespace agt::kernels::attention;
using agt::codegen::BlockSoftmax;

namespace agt::spirv::attention {

// The word type of a tensor's buffer.
static WordType wordFor(agt_dtype dtype, bool wide) {
  return wide ? WordType::I64 : wordTypeOf(dtype);
}

// The words of all buffers; those of the rows may be wide.
static std::vector<WordType> wordsFor(const AttentionSpec &spec, bool wide) {
  std::vector<WordType> words = wordTypesOf(spec);
  for (Buffer buffer : {kQ, kK, kV, kO})
    words[buffer] = wordFor(spec.typeOf(buffer), wide);
  return words;
}

bool broadcastFits(const AttentionSpec &spec, bool wide) {
  for (agt_dtype dtype : {spec.k, spec.v})
    if (dtype == AGT_I8 || dtype == AGT_F8E4M3)
      return false;
  int64_t width = 1;
  for (agt_dtype dtype : {spec.q, spec.k, spec.v, spec.o})
    width = std::max(width, elementsPerWord(dtype, wordFor(dtype, wide)));
  return spec.headDim && spec.valueDim && spec.alignment % width == 0;
}

namespace {

class Builder {
public:
  Builder(Location loc, const AttentionSpec &spec, const BroadcastShape &shape)
      : shape(shape), b(loc, {"attention", static_cast<int32_t>(shape.lanes),
                              wordsFor(spec, shape.wide)}),
        q(access(kQ, spec.q, spec.headDim, width(spec.q))),
        k(access(kK, spec.k, spec.headDim, width(spec.k))),
        v(access(kV, spec.v, spec.valueDim, valueWidth(spec))),
        o(access(kO, spec.o, spec.valueDim, valueWidth(spec))), spec(spec) {}

  OwningOpRef<ModuleOp> build() {
    b.guarded([&] { body(); });
    return b.finish();
  }

private:
  int64_t width(agt_dtype dtype) {
    return elementsPerWord(dtype, wordFor(dtype, shape.wide));
  }
  // Values and outputs go by the same lanes.
  int64_t valueWidth(const AttentionSpec &spec) {
    return std::max(width(spec.v), width(spec.o));
  }
  RowAccess access(Buffer buffer, agt_dtype dtype, int64_t dims,
                   int64_t width) {
    return RowAccess(b, buffer, dtype, wordFor(dtype, shape.wide),
                     {dims, shape.lanes, width});
  }

  void body();
  void manyRows(Value lastRow);
  void noteUnseen(Value first, ArrayRef<SmallVector<Value>> values);
  Value unseenNotFinite();
  void loadQueries();
  void makeState();
  void largeBlock(Value from, Value to);
  void smallBlock(Value first);
  void scores(Value first, MutableArrayRef<SmallVector<Value>> out);
  SmallVector<Value> products(Value key);
  void fenced(llvm::function_ref<void()> body);
  void chunkProducts(ArrayRef<Value> elements, int64_t chunk,
                     ArrayRef<Variable> sums);
  void accumulate(Value first, ArrayRef<BlockSoftmax> softmax);
  void mergeLargeBlock(ArrayRef<Value> before);
  void storeFinished();
  void storePartial();

  // The values of a row's accumulators follow each other.
  int64_t perRow() const { return v.rows().chunks() * v.rows().width; }
  template <typename Body> void forRows(Body body) {
    for (int64_t r = 0; r < shape.rowsPerLane; ++r)
      for (int64_t lane = 0; lane < shape.lanes; ++lane)
        body(r, lane, (r * shape.lanes + lane) * perRow());
  }
  // The same in pieces for the driver's compiler, whose time grows faster than
  // the length of a block. Not for what runs once a small block: 0.35 for 0.48.
  template <typename Body> void forRowsApart(Body body) {
    for (int64_t r = 0; r < shape.rowsPerLane; ++r)
      fenced([&] {
        for (int64_t lane = 0; lane < shape.lanes; ++lane)
          body(r, lane, (r * shape.lanes + lane) * perRow());
      });
  }

  BroadcastShape shape;
  SpirvBuilder b;
  RowAccess q, k, v, o;
  const AttentionSpec &spec;
  std::optional<Launch> launch;

  Value one;                         // which no driver knows to be 1
  Launch::Row firstAbout, lastAbout; // of the workgroup
  Variable unseenBits;
  SmallVector<Value> rowNumbers;  // of this lane, the last row again past it
  SmallVector<Launch::Row> about; // them
  SmallVector<SmallVector<Value>> queries;
  SmallVector<Variable> m, l, blockL;
  SmallVector<Variable> total, block; // of o: [row][lane][chunk][part]
};

void Builder::body() {
  launch.emplace(b, spec, shape.rows(), Launch::OfHead);
  one = b.minU(b.scalar(kQueries), b.i32(1));
  RowsBody rare(b, spec, *launch, shape.lanes);
  Value endRow = b.minS(b.add(launch->firstRow, shape.rows()), launch->queries);
  Value count = b.sub(endRow, launch->firstRow);
  Value few = b.le(count, b.i32(RowsBody::kRowsAtOnce));
  unseenBits = b.makeVariable(b.select(few, b.i32(-1), b.i32(0)));
  b.ifThen(b.logicalNot(few), [&] { manyRows(b.sub(endRow, b.i32(1))); });
  b.ifThen(unseenNotFinite(), [&] { rare.emit(launch->firstRow, endRow); });
}

void Builder::manyRows(Value lastRow) {
  for (int64_t r = 0; r < shape.rowsPerLane; ++r) {
    Value row = b.add(b.add(launch->firstRow, b.lane()), r * shape.lanes);
    rowNumbers.push_back(b.minS(row, lastRow));
    about.push_back(launch->row(b, rowNumbers.back()));
  }
  firstAbout = launch->row(b, launch->firstRow);
  lastAbout = launch->row(b, lastRow);
  loadQueries();
  makeState();
  launch->forKeyBlocks(b, launch->firstRow, lastRow,
                       [&](Value from, Value to) { largeBlock(from, to); });
  launch->store(b, [&] { storeFinished(); }, [&] { storePartial(); });
}

// A weight of 0 takes a key out of the sums only where its value is finite.
// Where it is not, the rows are done again by the code that leaves keys out
// one by one. Only blocks with keys that some row does not see can matter.
void Builder::noteUnseen(Value first, ArrayRef<SmallVector<Value>> values) {
  Value allSee = launch->score.allSee(b, firstAbout, lastAbout, first,
                                      b.add(first, shape.blockKeys));
  b.ifThen(b.logicalNot(allSee), [&] {
    SmallVector<Value> largest;
    for (auto &key : values)
      for (Value v : key)
        largest.push_back(b.bitAnd(b.asI32(v), 0x7fffffff));
    while (largest.size() > 1) {
      for (size_t i = 0; i < largest.size() / 2; ++i)
        largest[i] = b.maxU(largest[i], largest[largest.size() - 1 - i]);
      largest.resize((largest.size() + 1) / 2);
    }
    b.store(unseenBits, b.maxU(b.load(unseenBits), largest[0]));
  });
}

// Whether any lane found such a value (or all were told to act as if).
Value Builder::unseenNotFinite() {
  Value bits = b.load(unseenBits);
  Value largest = b.broadcast(bits, 0);
  for (int64_t lane = 1; lane < shape.lanes; ++lane)
    largest = b.maxU(largest, b.broadcast(bits, lane));
  return b.le(b.i32(0x7f800000), b.bitAnd(largest, 0x7fffffff));
}

void Builder::loadQueries() {
  for (Value row : rowNumbers) {
    queries.push_back(q.loadWhole(launch->qRow(b, row)));
    for (Value &x : queries.back())
      x = b.fmul(x, launch->score.factor);
  }
}

void Builder::makeState() {
  for (int64_t r = 0; r < shape.rowsPerLane; ++r) {
    m.push_back(b.makeVariable(codegen::emptyMaximum(b)));
    l.push_back(b.makeVariable(b.f32(0)));
    blockL.push_back(b.makeVariable(b.f32Type()));
  }
  for (int64_t i = 0; i < shape.rows() * perRow(); ++i) {
    total.push_back(b.makeVariable(b.f32(0)));
    block.push_back(b.makeVariable(b.f32Type()));
  }
}

void Builder::largeBlock(Value from, Value to) {
  SmallVector<Value> before;
  for (int64_t r = 0; r < shape.rowsPerLane; ++r) {
    before.push_back(b.load(m[r]));
    b.store(blockL[r], b.f32(0));
  }
  for (Variable x : block)
    b.store(x, b.f32(0));
  b.forRange(from, to, shape.blockKeys,
             [&](Value first) { smallBlock(first); });
  mergeLargeBlock(before);
}

void Builder::mergeLargeBlock(ArrayRef<Value> before) {
  SmallVector<Value> factor;
  for (int64_t r = 0; r < shape.rowsPerLane; ++r) {
    factor.push_back(b.exp2NonPositive(b.fsub(before[r], b.load(m[r]))));
    b.store(l[r], b.fma(b.load(l[r]), factor[r], b.load(blockL[r])));
  }
  forRowsApart([&](int64_t r, int64_t lane, int64_t at) {
    Value f = b.broadcast(factor[r], lane);
    for (int64_t i = at; i < at + perRow(); ++i)
      b.store(total[i], b.fma(b.load(total[i]), f, b.load(block[i])));
  });
}

void Builder::smallBlock(Value first) {
  SmallVector<SmallVector<Value>> s(shape.rowsPerLane);
  scores(first, s);
  SmallVector<BlockSoftmax> softmax;
  for (int64_t r = 0; r < shape.rowsPerLane; ++r) {
    softmax.push_back(codegen::softmaxBlock(b, b.load(m[r]), s[r]));
    b.store(m[r], softmax[r].m);
    b.store(blockL[r],
            b.fma(b.load(blockL[r]), softmax[r].correction, softmax[r].sum));
  }
  accumulate(first, softmax);
}

// A loop over the keys, not unrolled: drivers compile one basic block slowly
// and move too much within it. The scores go through a row of variables that
// moves on with every turn, so that each is found at a constant place.
void Builder::scores(Value first, MutableArrayRef<SmallVector<Value>> out) {
  SmallVector<SmallVector<Variable>> queue(shape.rowsPerLane);
  for (auto &q : queue)
    for (int64_t i = 0; i < shape.blockKeys; ++i)
      q.push_back(b.makeVariable(b.f32Type()));
  b.forRange(b.i32(0), b.i32(shape.blockKeys), 1, [&](Value at) {
    Value number = b.add(first, at);
    SmallVector<Value> products = this->products(number);
    Launch::Key key = launch->key(b, number);
    for (int64_t r = 0; r < shape.rowsPerLane; ++r) {
      for (int64_t i = 0; i + 1 < shape.blockKeys; ++i)
        b.store(queue[r][i], b.load(queue[r][i + 1]));
      Launch::Key pair = launch->pair(b, rowNumbers[r], key);
      Value seen = launch->score.visible(b, about[r], pair);
      b.store(queue[r].back(),
              launch->score.score(b, products[r], about[r], pair, seen));
    }
  });
  for (int64_t r = 0; r < shape.rowsPerLane; ++r)
    for (Variable x : queue[r])
      out[r].push_back(b.load(x));
}

// Products of a key with the lane's rows. All of the key is asked for before
// any of it is used.
SmallVector<Value> Builder::products(Value key) {
  Value lastKey = b.sub(launch->keys, b.i32(1));
  Value base = launch->kRow(b, b.minS(key, lastKey));
  SmallVector<Variable> sums;
  for (int64_t r = 0; r < shape.rowsPerLane; ++r)
    sums.push_back(b.makeVariable(b.f32(0)));
  SmallVector<SmallVector<Value>> elements;
  for (int64_t chunk = 0; chunk < k.rows().chunks(); ++chunk)
    elements.push_back(k.load(base, chunk));
  for (auto [chunk, values] : llvm::enumerate(elements))
    fenced([&, at = chunk, part = ArrayRef<Value>(values)] {
      chunkProducts(part, at, sums);
    });
  SmallVector<Value> values;
  for (Variable x : sums)
    values.push_back(b.load(x));
  return values;
}

// A loop of one turn, which keeps a driver's compiler from moving the work of
// one chunk into another's: it would do all broadcasts first and one row after
// the other then, each a single chain of additions.
void Builder::fenced(llvm::function_ref<void()> body) {
  b.forRange(b.i32(0), one, 1, [&](Value) { body(); });
}

void Builder::chunkProducts(ArrayRef<Value> elements, int64_t chunk,
                            ArrayRef<Variable> sums) {
  const RowLayout &layout = k.rows();
  SmallVector<SmallVector<Value>> partial(shape.rowsPerLane);
  int64_t dim = chunk * layout.chunkDims();
  int64_t end = std::min(layout.dims, dim + layout.chunkDims());
  for (; dim < end; ++dim) {
    Value x = b.broadcast(elements[layout.partOf(dim)], layout.laneOf(dim));
    for (auto [r, chains] : llvm::enumerate(partial)) {
      if (static_cast<int64_t>(chains.size()) < shape.chains) {
        chains.push_back(b.fmul(queries[r][dim], x));
        continue;
      }
      Value &chain = chains[dim % shape.chains];
      chain = b.fma(queries[r][dim], x, chain);
    }
  }
  for (auto [sum, chains] : llvm::zip(sums, partial))
    b.store(sum, b.fadd(b.load(sum), codegen::sumTree(b, chains)));
}

void Builder::accumulate(Value first, ArrayRef<BlockSoftmax> softmax) {
  Value lastKey = b.sub(launch->keys, b.i32(1));
  SmallVector<SmallVector<Value>> values(shape.blockKeys);
  for (int64_t key = 0; key < shape.blockKeys; ++key) {
    Value base = launch->vRow(b, b.minS(b.add(first, key), lastKey));
    for (int64_t chunk = 0; chunk < v.rows().chunks(); ++chunk)
      values[key].append(v.load(base, chunk));
  }
  noteUnseen(first, values);
  forRows([&](int64_t r, int64_t lane, int64_t at) {
    Value correction = b.broadcast(softmax[r].correction, lane);
    SmallVector<Value> weights;
    for (Value w : softmax[r].weights)
      weights.push_back(b.broadcast(w, lane));
    for (int64_t i = 0; i < perRow(); ++i) {
      Value sum = b.fmul(b.load(block[at + i]), correction);
      for (int64_t key = 0; key < shape.blockKeys; ++key)
        sum = b.fma(weights[key], values[key][i], sum);
      b.store(block[at + i], sum);
    }
  });
}

void Builder::storeFinished() {
  SmallVector<Value> factors;
  for (int64_t r = 0; r < shape.rowsPerLane; ++r) {
    codegen::FinishedRow done =
        launch->finish(b, rowNumbers[r], b.load(m[r]), b.load(l[r]));
    factors.push_back(done.factor);
    // Rows past the last are the last again, and store what it does.
    launch->storeRow(b, rowNumbers[r], b.load(m[r]), b.load(l[r]), done);
  }
  Value lastRow = b.sub(launch->queries, b.i32(1));
  const int64_t width = o.rows().width;
  forRowsApart([&](int64_t r, int64_t lane, int64_t at) {
    Value row = b.add(launch->firstRow, r * shape.lanes + lane);
    Value base = launch->oRow(b, b.minS(row, lastRow));
    Value f = b.broadcast(factors[r], lane);
    for (int64_t chunk = 0; chunk < o.rows().chunks(); ++chunk) {
      SmallVector<Value> parts;
      for (int64_t part = 0; part < width; ++part)
        parts.push_back(codegen::finishValue(
            b, b.load(total[at + chunk * width + part]), f));
      o.store(base, chunk, parts);
    }
  });
}

// The elements of a row are stored one by one: their words are of another type
// than those of the output.
void Builder::storePartial() {
  for (int64_t r = 0; r < shape.rowsPerLane; ++r)
    launch->storePartial(b, rowNumbers[r], b.load(m[r]), b.load(l[r]));
  Value lastRow = b.sub(launch->queries, b.i32(1));
  const RowLayout &layout = o.rows();
  forRowsApart([&](int64_t r, int64_t lane, int64_t at) {
    Value row = b.add(launch->firstRow, r * shape.lanes + lane);
    Value base = launch->partialRow(b, launch->slot, b.minS(row, lastRow));
    for (int64_t chunk = 0; chunk < layout.chunks(); ++chunk)
      for (int64_t part = 0; part < layout.width; ++part) {
        Value dim = b.add(b.mul(b.lane(), layout.width),
                          chunk * layout.chunkDims() + part);
        b.ifThen(b.lt(dim, launch->valueDim), [&] {
          b.storeWord(spec.place(kPartials), b.add(base, dim),
                      b.load(total[at + chunk * layout.width + part]));
        });
      }
  });
}

} // namespace

OwningOpRef<ModuleOp> buildBroadcast(Location loc, const AttentionSpec &spec,
                                     const BroadcastShape &shape) {
  return Builder(loc, spec, shape).build();
}

} // namespace agt::spirv::attention
