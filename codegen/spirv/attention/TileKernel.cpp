// See TileKernel.h.
#include "codegen/spirv/attention/TileKernel.h"

#include "codegen/common/Partial.h"
#include "codegen/kernels/attention/AttentionAbi.h"
#include "codegen/kernels/attention/Launch.h"
#include "codegen/spirv/attention/RowsBody.h"

using namespace mlir;
using namespace agt::kernels;
using namespace agt::kernels::attention;

namespace agt::spirv::attention {
namespace {

constexpr int64_t kThreads = 128;
constexpr int64_t kKeys = 32;              // of a tile
constexpr int64_t kChunk = 32;             // elements of a row staged at once
constexpr int64_t kHalfPitch = kChunk + 8; // of a staged row of f16: aligned
constexpr int64_t kSide = 16;              // of a cooperative matrix
constexpr int64_t kPitch = kChunk + 1;     // of a staged row: no bank twice
constexpr int64_t kAcross = 8;             // threads along keys or elements
constexpr int64_t kRowsEach = kTileRows / (kThreads / kAcross);
constexpr int64_t kEach = kChunk / kAcross; // keys or elements a thread has

class Builder {
public:
  Builder(Location loc, const AttentionSpec &spec, bool matrices)
      : spec(spec), matrices(matrices), pitch(matrices ? kChunk + 4 : kPitch),
        b(loc, {"attention", kThreads, wordTypesOf(spec), matrices}),
        chunks(((spec.valueDim ? spec.valueDim : kMaxValueDim) + kChunk - 1) /
               kChunk) {}

  OwningOpRef<ModuleOp> build() {
    b.guarded([&] { body(); });
    return b.finish();
  }

private:
  using PerRow = SmallVector<Value>;
  using RowBase = llvm::function_ref<Value(Value)>;

  void body();
  void stage(const SharedArray &to, Buffer from, agt_dtype dtype, RowBase base,
             Value rows, Value firstRow, Value firstDim, Value dims);
  void largeBlock(Value from, Value to);
  void tile(Value firstKey);
  void stageKeysAndQueries(Value firstKey, Value dim);
  SmallVector<PerRow> products(Value firstKey);
  SmallVector<PerRow> matrixProducts(Value firstKey);
  SmallVector<PerRow> scores(Value firstKey);
  void softmax(ArrayRef<PerRow> scores, Value firstKey);
  void accumulate(Value firstKey);
  void chunkProducts(int64_t chunk, Value firstKey, bool masked);
  void merge(ArrayRef<Value> before);
  void storeFinished();
  void storePartial();

  Value rowInTile(int64_t r) {
    return b.add(threadRow, r * (kThreads / kAcross));
  }
  Value at(Value row, Value column) { return b.add(b.mul(row, pitch), column); }
  // The weight of a pair that is not seen is -1, which no other is.
  Value isUnseen(Value weight) { return b.flt(weight, b.f32(0)); }
  // The thread's accumulator for a row, chunk and element of the chunk.
  int64_t slot(int64_t r, int64_t chunk, int64_t i) {
    return (r * chunks + chunk) * kEach + i;
  }

  const AttentionSpec &spec;
  bool matrices;
  int64_t pitch; // of a staged row of f32
  SpirvBuilder b;
  int64_t chunks; // of a value row
  std::optional<Launch> launch;
  SharedArray sharedQ, sharedKV, weights;
  SharedArray sharedK; // with matrices: f16, as sharedQ is then
  Value threadRow, threadColumn;
  Launch::Row firstAbout, lastAbout; // of the workgroup
  SmallVector<Value> rows;           // the thread's; may be past the last
  SmallVector<Launch::Row> about;    // them, the last again past it
  SmallVector<PerRow> seen;          // of the tile's pairs, those of the thread
  SmallVector<Variable> m, l, blockL, total, block, corrections;
};

void Builder::body() {
  launch.emplace(b, spec, kTileRows, Launch::OfKvHead);
  Type half = b.builder().getF16Type();
  sharedQ = matrices ? b.makeShared(half, kTileRows * kHalfPitch)
                     : b.makeShared(b.f32Type(), kTileRows * pitch);
  if (matrices)
    sharedK = b.makeShared(half, kKeys * kHalfPitch);
  sharedKV = b.makeShared(b.f32Type(), kKeys * pitch);
  weights = b.makeShared(b.f32Type(), kTileRows * pitch);
  threadRow = b.div(b.thread(), kAcross);
  threadColumn = b.rem(b.thread(), kAcross);
  Value lastRow = b.sub(launch->rows, b.i32(1));
  for (int64_t r = 0; r < kRowsEach; ++r) {
    rows.push_back(b.add(launch->firstRow, rowInTile(r)));
    about.push_back(launch->row(b, b.minS(rows[r], lastRow)));
    m.push_back(b.makeVariable(codegen::emptyMaximum(b)));
    l.push_back(b.makeVariable(b.f32(0)));
    blockL.push_back(b.makeVariable(b.f32Type()));
    corrections.push_back(b.makeVariable(b.f32Type()));
  }
  for (int64_t i = 0; i < kRowsEach * chunks * kEach; ++i) {
    total.push_back(b.makeVariable(b.f32(0)));
    block.push_back(b.makeVariable(b.f32Type()));
  }
  Value last = b.minS(b.add(launch->firstRow, kTileRows - 1), lastRow);
  firstAbout = launch->row(b, launch->firstRow);
  lastAbout = launch->row(b, last);
  launch->forKeyBlocks(b, launch->firstRow, last,
                       [&](Value from, Value to) { largeBlock(from, to); });
  launch->store(b, [&] { storeFinished(); }, [&] { storePartial(); });
}

// Stages kChunk elements from `firstDim` of 32 rows from `firstRow`, 0 where
// there is no such row or element.
void Builder::stage(const SharedArray &to, Buffer from, agt_dtype dtype,
                    RowBase base, Value count, Value firstRow, Value firstDim,
                    Value dims) {
  bool half = to.element.isF16();
  Value zero = half ? b.zeroHalf() : b.f32(0);
  Value column = b.rem(b.thread(), kChunk);
  Value dim = b.add(firstDim, column);
  Value row0 = b.div(b.thread(), kChunk);
  constexpr int64_t step = kThreads / kChunk;
  for (int64_t i = 0; i < kTileRows; i += step) {
    Value place = b.add(row0, i);
    Value row = b.add(firstRow, place);
    Value there = b.logicalAnd(b.lt(row, count), b.lt(dim, dims));
    Value index = b.add(base(b.minS(row, b.sub(count, b.i32(1)))),
                        b.minS(dim, b.sub(dims, b.i32(1))));
    Value x =
        half ? b.loadHalf(from, index) : loadNumber(b, from, dtype, index);
    if (Value scale = from == kV ? launch->valueScale(b, row) : Value())
      x = b.fmul(x, scale);
    b.store(to, b.add(b.mul(place, half ? kHalfPitch : pitch), column),
            b.select(there, x, zero));
  }
}

void Builder::largeBlock(Value from, Value to) {
  PerRow before;
  for (int64_t r = 0; r < kRowsEach; ++r) {
    before.push_back(b.load(m[r]));
    b.store(blockL[r], b.f32(0));
  }
  for (Variable x : block)
    b.store(x, b.f32(0));
  b.forRange(from, to, kKeys, [&](Value first) { tile(first); });
  merge(before);
}

void Builder::merge(ArrayRef<Value> before) {
  for (int64_t r = 0; r < kRowsEach; ++r) {
    Value factor = b.exp2NonPositive(b.fsub(before[r], b.load(m[r])));
    b.store(l[r], b.fma(b.load(l[r]), factor, b.load(blockL[r])));
    for (int64_t i = slot(r, 0, 0); i < slot(r + 1, 0, 0); ++i)
      b.store(total[i], b.fma(b.load(total[i]), factor, b.load(block[i])));
  }
}

void Builder::tile(Value firstKey) {
  softmax(scores(firstKey), firstKey);
  accumulate(firstKey);
}

void Builder::stageKeysAndQueries(Value firstKey, Value dim) {
  b.barrier();
  stage(
      sharedQ, kQ, spec.q, [&](Value r) { return launch->qRow(b, r); },
      launch->rows, launch->firstRow, dim, launch->headDim);
  stage(
      matrices ? sharedK : sharedKV, kK, spec.k,
      [&](Value r) { return launch->kRow(b, r); }, launch->keys, firstKey, dim,
      launch->headDim);
  b.barrier();
}

// q.k of the thread's rows and keys, by the thread.
SmallVector<Builder::PerRow> Builder::products(Value firstKey) {
  SmallVector<Variable> sums;
  for (int64_t i = 0; i < kRowsEach * kEach; ++i)
    sums.push_back(b.makeVariable(b.f32(0)));
  b.forRange(b.i32(0), launch->headDim, kChunk, [&](Value dim) {
    stageKeysAndQueries(firstKey, dim);
    b.forRange(b.i32(0), b.i32(kChunk), 1, [&](Value d) {
      PerRow q, k;
      for (int64_t r = 0; r < kRowsEach; ++r)
        q.push_back(b.load(sharedQ, at(rowInTile(r), d)));
      for (int64_t j = 0; j < kEach; ++j)
        k.push_back(b.load(sharedKV, at(b.add(threadColumn, j * kAcross), d)));
      for (int64_t r = 0; r < kRowsEach; ++r)
        for (int64_t j = 0; j < kEach; ++j) {
          Variable sum = sums[r * kEach + j];
          b.store(sum, b.fma(q[r], k[j], b.load(sum)));
        }
    });
  });
  SmallVector<PerRow> values(kRowsEach);
  for (int64_t r = 0; r < kRowsEach; ++r)
    for (int64_t j = 0; j < kEach; ++j)
      values[r].push_back(b.load(sums[r * kEach + j]));
  return values;
}

// The same by four subgroups, a quarter of the tile each, and through shared
// memory to the threads that go on with them.
SmallVector<Builder::PerRow> Builder::matrixProducts(Value firstKey) {
  using Matrix = SpirvBuilder::Matrix;
  constexpr int64_t across = kKeys / kSide;
  Value row = b.mul(b.div(b.subgroup(), across), kSide);
  Value column = b.mul(b.rem(b.subgroup(), across), kSide);
  Variable sum = b.makeVariable(b.zeroSum());
  b.forRange(b.i32(0), launch->headDim, kChunk, [&](Value dim) {
    stageKeysAndQueries(firstKey, dim);
    for (int64_t d = 0; d < kChunk; d += kSide) {
      Value q = b.loadMatrix(sharedQ, b.add(b.mul(row, kHalfPitch), d),
                             kHalfPitch, Matrix::A, /*transposed=*/false);
      Value k = b.loadMatrix(sharedK, b.add(b.mul(column, kHalfPitch), d),
                             kHalfPitch, Matrix::B, /*transposed=*/true);
      b.store(sum, b.multiplyAdd(q, k, b.load(sum)));
    }
  });
  b.storeMatrix(weights, at(row, column), pitch, b.load(sum));
  b.barrier();
  SmallVector<PerRow> values(kRowsEach);
  for (int64_t r = 0; r < kRowsEach; ++r)
    for (int64_t j = 0; j < kEach; ++j)
      values[r].push_back(
          b.load(weights, at(rowInTile(r), b.add(threadColumn, j * kAcross))));
  return values;
}

SmallVector<Builder::PerRow> Builder::scores(Value firstKey) {
  SmallVector<PerRow> values =
      matrices ? matrixProducts(firstKey) : products(firstKey);
  Value lastRow = b.sub(launch->rows, b.i32(1));
  seen.assign(kRowsEach, {});
  for (int64_t j = 0; j < kEach; ++j) {
    Value number = b.add(firstKey, b.add(threadColumn, j * kAcross));
    Launch::Key key = launch->key(b, number);
    for (int64_t r = 0; r < kRowsEach; ++r) {
      Launch::Key pair = launch->pair(b, b.minS(rows[r], lastRow), key);
      seen[r].push_back(launch->score.visible(b, about[r], pair));
      values[r][j] =
          launch->scoreOf(b, values[r][j], about[r], pair, seen[r].back());
    }
  }
  return values;
}

// Scores to weights, in shared memory for all threads of the row. Each thread
// of a row goes through the whole of it for the maximum and the sum: they all
// come to the same.
void Builder::softmax(ArrayRef<PerRow> scores, Value firstKey) {
  for (int64_t r = 0; r < kRowsEach; ++r)
    for (int64_t j = 0; j < kEach; ++j)
      b.store(weights, at(rowInTile(r), b.add(threadColumn, j * kAcross)),
              scores[r][j]);
  b.barrier();
  PerRow maxima;
  for (int64_t r = 0; r < kRowsEach; ++r) {
    Variable top = b.makeVariable(b.load(m[r]));
    b.forRange(b.i32(0), b.i32(kKeys), 1, [&](Value j) {
      b.store(top,
              b.fmaxAny(b.load(top), b.load(weights, at(rowInTile(r), j))));
    });
    maxima.push_back(b.load(top));
    b.store(corrections[r], b.exp2NonPositive(b.fsub(b.load(m[r]), maxima[r])));
    b.store(m[r], maxima[r]);
  }
  b.barrier();
  for (int64_t r = 0; r < kRowsEach; ++r)
    for (int64_t j = 0; j < kEach; ++j)
      b.store(weights, at(rowInTile(r), b.add(threadColumn, j * kAcross)),
              b.select(seen[r][j],
                       b.exp2NonPositive(b.fsub(scores[r][j], maxima[r])),
                       b.f32(-1)));
  b.barrier();
  for (int64_t r = 0; r < kRowsEach; ++r) {
    Variable sum = b.makeVariable(b.f32(0));
    b.forRange(b.i32(0), b.i32(kKeys), 1, [&](Value j) {
      Value w = b.load(weights, at(rowInTile(r), j));
      Value more = b.fadd(b.load(sum), w);
      b.store(sum, b.select(isUnseen(w), b.load(sum), more));
    });
    b.store(blockL[r],
            b.fma(b.load(blockL[r]), b.load(corrections[r]), b.load(sum)));
  }
}

void Builder::accumulate(Value firstKey) {
  // Keys that some row does not see are left out by selection, where there are
  // any: a weight of 0 would not do for a value of infinity or NaN.
  Value masked = b.logicalNot(launch->score.allSee(
      b, firstAbout, lastAbout, firstKey, b.add(firstKey, kKeys)));
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    b.barrier();
    stage(
        sharedKV, kV, spec.v, [&](Value r) { return launch->vRow(b, r); },
        launch->keys, firstKey, b.i32(chunk * kChunk), launch->valueDim);
    b.barrier();
    for (int64_t r = 0; r < kRowsEach; ++r)
      for (int64_t i = 0; i < kEach; ++i) {
        Variable x = block[slot(r, chunk, i)];
        b.store(x, b.fmul(b.load(x), b.load(corrections[r])));
      }
    b.ifElse(
        masked, [&] { chunkProducts(chunk, firstKey, true); },
        [&] { chunkProducts(chunk, firstKey, false); });
  }
}

void Builder::chunkProducts(int64_t chunk, Value firstKey, bool masked) {
  Value column = b.mul(threadColumn, kEach);
  b.forRange(b.i32(0), b.i32(kKeys), 1, [&](Value j) {
    PerRow w, v;
    for (int64_t r = 0; r < kRowsEach; ++r)
      w.push_back(b.load(weights, at(rowInTile(r), j)));
    for (int64_t i = 0; i < kEach; ++i)
      v.push_back(b.load(sharedKV, at(j, b.add(column, i))));
    for (int64_t r = 0; r < kRowsEach; ++r)
      for (int64_t i = 0; i < kEach; ++i) {
        Variable x = block[slot(r, chunk, i)];
        Value old = b.load(x), sum = b.fma(w[r], v[i], old);
        if (masked)
          sum = b.select(isUnseen(w[r]), old, sum);
        b.store(x, sum);
      }
  });
}

void Builder::storeFinished() {
  // Two 16-bit elements of a thread are one word of its own where rows begin
  // at whole words.
  bool pairs = spec.o != AGT_F32 && spec.alignment % 2 == 0;
  for (int64_t r = 0; r < kRowsEach; ++r) {
    codegen::FinishedRow done =
        launch->finish(b, rows[r], b.load(m[r]), b.load(l[r]));
    if (spec.has(kLse))
      b.ifThen(b.logicalAnd(b.lt(rows[r], launch->rows),
                            b.eq(threadColumn, b.i32(0))),
               [&] {
                 launch->storeRow(b, rows[r], b.load(m[r]), b.load(l[r]), done);
               });
    Value base = launch->oRow(b, rows[r]);
    for (int64_t chunk = 0; chunk < chunks; ++chunk)
      for (int64_t i = 0; i < kEach; i += pairs ? 2 : 1) {
        Value dim = b.add(b.mul(threadColumn, kEach), chunk * kChunk + i);
        Value there = b.logicalAnd(b.lt(rows[r], launch->rows),
                                   b.lt(dim, launch->valueDim));
        auto value = [&](int64_t i) {
          return codegen::finishValue(b, b.load(total[slot(r, chunk, i)]),
                                      done.factor);
        };
        b.ifThen(there, [&] {
          Value index = b.add(base, dim);
          if (pairs)
            b.storeWord(kO, b.shr(index, 1),
                        b.packPair(spec.o, value(i), value(i + 1)));
          else
            b.storeElement(kO, spec.o, index, value(i));
        });
      }
  }
}

void Builder::storePartial() {
  for (int64_t r = 0; r < kRowsEach; ++r)
    b.ifThen(b.lt(rows[r], launch->rows), [&] {
      b.ifThen(b.eq(threadColumn, b.i32(0)), [&] {
        launch->storePartial(b, rows[r], b.load(m[r]), b.load(l[r]));
      });
      Value base = launch->partialRow(b, launch->slot, rows[r]);
      for (int64_t chunk = 0; chunk < chunks; ++chunk)
        for (int64_t i = 0; i < kEach; ++i) {
          Value dim = b.add(b.mul(threadColumn, kEach), chunk * kChunk + i);
          b.ifThen(b.lt(dim, launch->valueDim), [&] {
            b.storeWord(spec.place(kPartials), b.add(base, dim),
                        b.load(total[slot(r, chunk, i)]));
          });
        }
    });
}

} // namespace

bool matricesFit(const AttentionSpec &spec) {
  return spec.q == AGT_F16 && spec.k == AGT_F16 &&
         (spec.o == AGT_F32 || spec.alignment % 2 == 0);
}

OwningOpRef<ModuleOp> buildTile(Location loc, const AttentionSpec &spec,
                                bool matrices) {
  return Builder(loc, spec, matrices).build();
}

} // namespace agt::spirv::attention
