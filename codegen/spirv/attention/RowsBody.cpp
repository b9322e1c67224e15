// See RowsBody.h.
#include "codegen/spirv/attention/RowsBody.h"

#include "codegen/kernels/attention/AttentionAbi.h"

using namespace mlir;
using namespace agt::kernels;
using namespace agt::kernels::attention;
using agt::codegen::BlockSoftmax;

namespace agt::spirv::attention {

RowsBody::RowsBody(SpirvBuilder &b, const AttentionSpec &spec,
                   const Launch &launch, int64_t lanes)
    : b(b), spec(spec), launch(launch), lanes(lanes),
      q(b.view(kQ, wordTypeOf(spec.q))), k(b.view(kK, wordTypeOf(spec.k))),
      v(b.view(kV, wordTypeOf(spec.v))), o(b.view(kO, wordTypeOf(spec.o))) {
  for (int64_t r = 0; r < kRowsAtOnce; ++r) {
    total.push_back(b.makeShared(b.f32Type(), kMaxValueDim));
    block.push_back(b.makeShared(b.f32Type(), kMaxValueDim));
    m.push_back(b.makeVariable(b.f32Type()));
    l.push_back(b.makeVariable(b.f32Type()));
    blockL.push_back(b.makeVariable(b.f32Type()));
  }
}

void RowsBody::emit(Value first, Value end) {
  b.forRange(first, end, kRowsAtOnce, [&](Value row) { rows(row, end); });
}

// Calls body with the lane's place in an accumulator and the element of the
// row that belongs there, the last one where the row ends before.
void RowsBody::forChunks(llvm::function_ref<void(Value, Value)> body) {
  Value last = b.sub(launch.valueDim, b.i32(1));
  b.forRange(b.i32(0), launch.valueDim, lanes, [&](Value chunk) {
    Value place = b.add(chunk, b.lane());
    body(place, b.minS(place, last));
  });
}

void RowsBody::rows(Value first, Value end) {
  rowNumbers.clear();
  about.clear();
  Value last = b.sub(end, b.i32(1));
  for (int64_t r = 0; r < kRowsAtOnce; ++r) {
    rowNumbers.push_back(b.minS(b.add(first, r), last));
    about.push_back(launch.row(b, rowNumbers[r]));
    b.store(m[r], codegen::emptyMaximum(b));
    b.store(l[r], b.f32(0));
  }
  forChunks([&](Value place, Value) {
    for (SharedArray &array : total)
      b.store(array, place, b.f32(0));
  });
  launch.forKeyBlocks(b, rowNumbers.front(), rowNumbers.back(),
                      [&](Value from, Value to) { largeBlock(from, to); });
  launch.store(b, [&] { storeFinished(); }, [&] { storePartial(); });
}

void RowsBody::largeBlock(Value from, Value to) {
  PerRow before;
  for (int64_t r = 0; r < kRowsAtOnce; ++r) {
    before.push_back(b.load(m[r]));
    b.store(blockL[r], b.f32(0));
  }
  forChunks([&](Value place, Value) {
    for (SharedArray &array : block)
      b.store(array, place, b.f32(0));
  });
  b.forRange(from, to, lanes, [&](Value first) { smallBlock(first); });
  merge(before);
}

void RowsBody::merge(ArrayRef<Value> before) {
  PerRow factor;
  for (int64_t r = 0; r < kRowsAtOnce; ++r) {
    factor.push_back(b.exp2NonPositive(b.fsub(before[r], b.load(m[r]))));
    b.store(l[r], b.fma(b.load(l[r]), factor[r], b.load(blockL[r])));
  }
  forChunks([&](Value place, Value) {
    for (int64_t r = 0; r < kRowsAtOnce; ++r)
      b.store(
          total[r], place,
          b.fma(b.load(total[r], place), factor[r], b.load(block[r], place)));
  });
}

// A block of as many keys as there are lanes.
void RowsBody::smallBlock(Value first) {
  Value number = b.add(first, b.lane());
  PerRow scores = products(b.minS(number, b.sub(launch.keys, b.i32(1))));
  Launch::Key key = launch.key(b, number);
  SmallVector<BlockSoftmax> softmax;
  for (int64_t r = 0; r < kRowsAtOnce; ++r) {
    Launch::Key pair = launch.pair(b, rowNumbers[r], key);
    Value seen = launch.score.visible(b, about[r], pair);
    Value score = launch.scoreOf(b, scores[r], about[r], pair, seen);
    softmax.push_back(softmaxAcrossLanes(b.load(m[r]), score));
    b.store(m[r], softmax[r].m);
    b.store(blockL[r],
            b.fma(b.load(blockL[r]), softmax[r].correction, softmax[r].sum));
    Value &weight = softmax[r].weights[0];
    weight = b.select(seen, weight, b.f32(-1));
  }
  accumulate(first, softmax);
}

Value RowsBody::acrossLanes(Value v,
                            llvm::function_ref<Value(Value, Value)> combine) {
  Value result = b.broadcast(v, 0);
  for (int64_t lane = 1; lane < lanes; ++lane)
    result = combine(result, b.broadcast(v, lane));
  return result;
}

// codegen::softmaxBlock with a block's scores in the lanes.
BlockSoftmax RowsBody::softmaxAcrossLanes(Value m, Value score) {
  Value top =
      acrossLanes(score, [&](Value x, Value y) { return b.fmaxAny(x, y); });
  BlockSoftmax r;
  r.m = b.fmaxAny(m, top);
  r.correction = b.exp2NonPositive(b.fsub(m, r.m));
  r.weights = {b.exp2NonPositive(b.fsub(score, r.m))};
  r.sum =
      acrossLanes(r.weights[0], [&](Value x, Value y) { return b.fadd(x, y); });
  return r;
}

// q.k of the lane's key for each row. Elements past the end of a row are left
// out by selection: what is read in their place may be infinite.
RowsBody::PerRow RowsBody::products(Value key) {
  Value kRow = launch.kRow(b, key);
  SmallVector<Variable> sums;
  PerRow bases;
  for (int64_t r = 0; r < kRowsAtOnce; ++r) {
    sums.push_back(b.makeVariable(b.f32(0)));
    bases.push_back(launch.qRow(b, rowNumbers[r]));
  }
  Value last = b.sub(launch.headDim, b.i32(1));
  b.forRange(b.i32(0), launch.headDim, lanes, [&](Value chunk) {
    Value own = b.add(chunk, b.lane());
    Value inside = b.minS(own, last);
    PerRow elements;
    for (int64_t r = 0; r < kRowsAtOnce; ++r)
      elements.push_back(loadNumber(b, q, spec.q, b.add(bases[r], inside)));
    PerRow partial(kRowsAtOnce);
    for (int64_t i = 0; i < lanes; ++i) {
      Value dim = b.add(chunk, i);
      Value x = loadNumber(b, k, spec.k, b.add(kRow, b.minS(dim, last)));
      Value there = b.le(dim, last);
      x = b.select(there, x, b.f32(0));
      for (int64_t r = 0; r < kRowsAtOnce; ++r) {
        Value y = b.select(there, b.broadcast(elements[r], i), b.f32(0));
        partial[r] = i ? b.fma(y, x, partial[r]) : b.fmul(y, x);
      }
    }
    for (int64_t r = 0; r < kRowsAtOnce; ++r)
      b.store(sums[r], b.fadd(b.load(sums[r]), partial[r]));
  });
  PerRow values;
  for (Variable sum : sums)
    values.push_back(b.load(sum));
  return values;
}

void RowsBody::accumulate(Value firstKey, ArrayRef<BlockSoftmax> softmax) {
  Value lastKey = b.sub(launch.keys, b.i32(1));
  PerRow bases, scales;
  SmallVector<PerRow> weights(kRowsAtOnce), visible(kRowsAtOnce);
  for (int64_t i = 0; i < lanes; ++i) {
    Value key = b.minS(b.add(firstKey, i), lastKey);
    bases.push_back(launch.vRow(b, key));
    scales.push_back(launch.valueScale(b, key));
    for (int64_t r = 0; r < kRowsAtOnce; ++r) {
      Value weight = b.broadcast(softmax[r].weights[0], i);
      weights[r].push_back(weight);
      visible[r].push_back(b.logicalNot(b.flt(weight, b.f32(0))));
    }
  }
  forChunks([&](Value place, Value dim) {
    PerRow sums;
    for (int64_t r = 0; r < kRowsAtOnce; ++r)
      sums.push_back(b.fmul(b.load(block[r], place), softmax[r].correction));
    for (int64_t i = 0; i < lanes; ++i) {
      Value x = loadNumber(b, v, spec.v, b.add(bases[i], dim));
      if (scales[i])
        x = b.fmul(x, scales[i]);
      for (int64_t r = 0; r < kRowsAtOnce; ++r)
        sums[r] =
            b.select(visible[r][i], b.fma(weights[r][i], x, sums[r]), sums[r]);
    }
    for (int64_t r = 0; r < kRowsAtOnce; ++r)
      b.store(block[r], place, sums[r]);
  });
}

void RowsBody::storeFinished() {
  PerRow factors, bases;
  for (int64_t r = 0; r < kRowsAtOnce; ++r) {
    codegen::FinishedRow done =
        launch.finish(b, rowNumbers[r], b.load(m[r]), b.load(l[r]));
    factors.push_back(done.factor);
    bases.push_back(launch.oRow(b, rowNumbers[r]));
    if (spec.has(kLse))
      b.ifThen(b.eq(b.lane(), b.i32(0)), [&] {
        launch.storeRow(b, rowNumbers[r], b.load(m[r]), b.load(l[r]), done);
      });
  }
  forChunks([&](Value place, Value) {
    b.ifThen(b.lt(place, launch.valueDim), [&] {
      for (int64_t r = 0; r < kRowsAtOnce; ++r)
        b.storeElement(
            o, spec.o, b.add(bases[r], place),
            codegen::finishValue(b, b.load(total[r], place), factors[r]));
    });
  });
}

void RowsBody::storePartial() {
  PerRow bases;
  for (int64_t r = 0; r < kRowsAtOnce; ++r)
    bases.push_back(launch.partialRow(b, launch.slot, rowNumbers[r]));
  b.ifThen(b.eq(b.lane(), b.i32(0)), [&] {
    for (int64_t r = 0; r < kRowsAtOnce; ++r)
      launch.storePartial(b, rowNumbers[r], b.load(m[r]), b.load(l[r]));
  });
  forChunks([&](Value place, Value) {
    b.ifThen(b.lt(place, launch.valueDim), [&] {
      for (int64_t r = 0; r < kRowsAtOnce; ++r)
        b.storeWord(spec.place(kPartials), b.add(bases[r], place),
                    b.load(total[r], place));
    });
  });
}

OwningOpRef<ModuleOp> buildRows(Location loc, const AttentionSpec &spec,
                                int64_t lanes) {
  SpirvBuilder b(loc,
                 {"attention", static_cast<int32_t>(lanes), wordTypesOf(spec)});
  b.guarded([&] {
    Launch launch(b, spec, RowsBody::kRowsAtOnce, Launch::OfKvHead);
    RowsBody body(b, spec, launch, lanes);
    Value end = b.add(launch.firstRow, RowsBody::kRowsAtOnce);
    body.emit(launch.firstRow, b.minS(end, launch.rows));
  });
  return b.finish();
}

} // namespace agt::spirv::attention
