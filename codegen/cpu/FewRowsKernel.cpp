// See FewRowsKernel.h. The layouts of blocks are in AgtModelOps.td.
#include "codegen/cpu/FewRowsKernel.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace agt::cpu {

// Additions of one sum wait for each other; of several they do not.
static constexpr int64_t sumsOfARow = 4;

bool FewRowsKernel::takes(Operation *anchor) {
  auto linear = dyn_cast<LinearOp>(anchor);
  if (!linear)
    return false;
  auto unpack = linear.getWeight().getDefiningOp<UnpackBlocksOp>();
  return unpack ? isa<BlockArgument>(unpack.getBytes())
                : directTensor(linear.getWeight()).has_value();
}

FewRowsKernel::FewRowsKernel(InvocationBuilder &k, kernels::Evaluator &e,
                             const kernels::ProductShape &shape, Value root,
                             const Target &target)
    : ProductKernel(k, e, shape, root, target, few),
      unpack(shape.rhs.getDefiningOp<UnpackBlocksOp>()), lanes(target.lanes) {}

// ---- what a block is made of ------------------------------------------------

Value FewRowsKernel::half(Pointer byte) {
  return v.loadF32({&v, byte.v, v.builder().getF16Type()}, AGT_F16, 0);
}

Value FewRowsKernel::byteAt(Pointer block, int64_t byte) {
  CpuBuilder::Lanes scope(v, 0);
  return arith::ExtUIOp::create(v.builder(), v.i32Type(), v.load(block + byte));
}

Value FewRowsKernel::signedAt(Pointer block, int64_t byte) {
  return v.loadF32(block + byte, AGT_I8, 0);
}

Value FewRowsKernel::bytesAt(Pointer block, int64_t byte) {
  CpuBuilder::Lanes scope(v, lanes);
  return arith::ExtUIOp::create(v.builder(), v.i32Type(),
                                v.load(block + byte, lanes));
}

void FewRowsKernel::add(Value q, Value factor, Value offset, Pointer x,
                        Sums &sums) {
  CpuBuilder::Lanes scope(v, lanes);
  Value number = q.getType() == v.i32Type() ? v.toF32(q) : q;
  Value wide = v.splat(factor, lanes);
  number = offset ? v.fma(number, wide, v.splat(offset, lanes))
                  : v.fmul(number, wide);
  Value &sum = sums[turn++ % sums.size()];
  sum = v.fma(number, v.load(x, lanes), sum);
}

FewRowsKernel::Sums FewRowsKernel::addQ4_0(Pointer block, Pointer x,
                                           Sums sums) {
  Value d = half(block), offset = v.fmul(d, v.f32(-8));
  for (int64_t i = 0; i < 16; i += lanes) {
    CpuBuilder::Lanes scope(v, lanes);
    Value bytes = bytesAt(block, 2 + i);
    add(v.bitAnd(bytes, 15), d, offset, x + i, sums);
    add(v.shr(bytes, 4), d, offset, x + (16 + i), sums);
  }
  return sums;
}

FewRowsKernel::Sums FewRowsKernel::addQ8_0(Pointer block, Pointer x,
                                           Sums sums) {
  Value d = half(block);
  for (int64_t i = 0; i < 32; i += lanes)
    add(v.loadF32(block + (2 + i), AGT_I8, lanes), d, Value(), x + i, sums);
  return sums;
}

FewRowsKernel::Sums FewRowsKernel::addQ4_K(Pointer block, Pointer x,
                                           Sums sums) {
  Value d = half(block), m = v.fneg(half(block + 2));
  Value factors[8], offsets[8];
  for (int64_t i = 0; i < 4; ++i) {
    Value first = byteAt(block, 4 + i), second = byteAt(block, 8 + i),
          third = byteAt(block, 12 + i);
    auto late = [&](Value low, Value above) {
      return v.bitOr(low, v.shl(v.shr(above, 6), 4));
    };
    auto times = [&](Value factor, Value number) {
      return v.fmul(factor, v.toF32(number));
    };
    factors[i] = times(d, v.bitAnd(first, 63));
    offsets[i] = times(m, v.bitAnd(second, 63));
    factors[4 + i] = times(d, late(v.bitAnd(third, 15), first));
    offsets[4 + i] = times(m, late(v.shr(third, 4), second));
  }
  for (int64_t pair = 0; pair < 4; ++pair)
    for (int64_t i = 0; i < 32; i += lanes) {
      CpuBuilder::Lanes scope(v, lanes);
      Value bytes = bytesAt(block, 16 + 32 * pair + i);
      int64_t part = 2 * pair;
      add(v.bitAnd(bytes, 15), factors[part], offsets[part],
          x + (64 * pair + i), sums);
      add(v.shr(bytes, 4), factors[part + 1], offsets[part + 1],
          x + (64 * pair + 32 + i), sums);
    }
  return sums;
}

FewRowsKernel::Sums FewRowsKernel::addQ6_K(Pointer block, Pointer x,
                                           Sums sums) {
  Value d = half(block + 208);
  Value factors[16], offsets[16];
  for (int64_t i = 0; i < 16; ++i) {
    factors[i] = v.fmul(d, signedAt(block, 192 + i));
    offsets[i] = v.fmul(factors[i], v.f32(-32));
  }
  for (int64_t side = 0; side < 2; ++side)
    for (int64_t i = 0; i < 32; i += lanes) {
      CpuBuilder::Lanes scope(v, lanes);
      Value low[2] = {bytesAt(block, 64 * side + i),
                      bytesAt(block, 64 * side + 32 + i)};
      Value high = bytesAt(block, 128 + 32 * side + i);
      for (int64_t n = 0; n < 4; ++n) {
        Value four = n < 2 ? v.bitAnd(low[n], 15) : v.shr(low[n - 2], 4);
        Value two = v.bitAnd(v.shr(high, 2 * n), 3);
        int64_t part = 8 * side + 2 * n + i / 16;
        add(v.bitOr(four, v.shl(two, 4)), factors[part], offsets[part],
            x + (128 * side + 32 * n + i), sums);
      }
    }
  return sums;
}

FewRowsKernel::Sums FewRowsKernel::addBlock(Pointer block, Pointer x,
                                            ArrayRef<Value> sums) {
  Sums own(sums);
  switch (unpack.getFormat()) {
  case BlockFormat::Q4_0:
    return addQ4_0(block, x, own);
  case BlockFormat::Q8_0:
    return addQ8_0(block, x, own);
  case BlockFormat::Q4_K:
    return addQ4_K(block, x, own);
  case BlockFormat::Q6_K:
    return addQ6_K(block, x, own);
  }
  llvm_unreachable("every format is above");
}

// ---- the sums ---------------------------------------------------------------

Value FewRowsKernel::sumOf(ArrayRef<Value> sums) {
  CpuBuilder::Lanes scope(v, lanes);
  Value all = v.fadd(v.fadd(sums[0], sums[1]), v.fadd(sums[2], sums[3]));
  auto add = [&](Value a, Value b) { return v.fadd(a, b); };
  return vector::ExtractOp::create(v.builder(), v.combineLanes(all, lanes, add),
                                   0);
}

Value FewRowsKernel::sumOfBlocks(Pointer row, Pointer x, Index count) {
  BlockLayout layout = layoutOf(unpack.getFormat());
  Sums zeros;
  {
    CpuBuilder::Lanes scope(v, lanes);
    zeros.assign(sumsOfARow, v.f32(0));
  }
  auto add = [&](Index first, int64_t number, ArrayRef<Value> own) {
    Sums sums(own);
    for (int64_t i = 0; i < number; ++i)
      sums = addBlock(row + (first + i) * layout.bytes,
                      x + (first + i) * layout.numbers, sums);
    return sums;
  };
  // A small block alone would leave sums unused.
  int64_t together = layout.numbers < sumsOfARow * lanes ? 2 : 1;
  Index blocks = count / layout.numbers, whole = blocks / together * together;
  Sums sums = v.loop(v.index(0), whole, together, zeros,
                     [&](Index block, ArrayRef<Value> own) {
                       return add(block, together, own);
                     });
  if (together > 1)
    sums =
        v.loop(whole, blocks, 1, sums, [&](Index block, ArrayRef<Value> own) {
          return add(block, 1, own);
        });
  return sumOf(sums);
}

Value FewRowsKernel::sumOfNumbers(Pointer row, Pointer x, Index count) {
  agt_dtype dtype = directTensor(s.rhs)->dtype;
  int64_t step = sumsOfARow * lanes;
  Index whole = count / step * step;
  Sums zeros;
  {
    CpuBuilder::Lanes scope(v, lanes);
    zeros.assign(sumsOfARow, v.f32(0));
  }
  Value sum = sumOf(v.loop(
      v.index(0), whole, step, zeros, [&](Index term, ArrayRef<Value> own) {
        CpuBuilder::Lanes scope(v, lanes);
        Sums sums;
        for (int64_t i = 0; i < sumsOfARow; ++i)
          sums.push_back(
              v.fma(v.loadF32(row + (term + i * lanes), dtype, lanes),
                    v.load(x + (term + i * lanes), lanes), own[i]));
        return sums;
      }));
  CpuBuilder::Lanes one(v, 0);
  return v.loop(whole, count, 1, {sum},
                [&](Index term, ArrayRef<Value> own) -> Sums {
                  return {v.fma(v.loadF32(row + term, dtype, 0),
                                v.load(x + term), own[0])};
                })[0];
}

void FewRowsKernel::addProducts(Value first, Value count) {
  Value tensor = unpack ? unpack.getBytes() : directTensor(s.rhs)->tensor;
  Value length = e.size(s.k);
  v.follow(k);
  Index rowLength = v.index(length), skipped = v.index(first);
  Type element = v.builder().getI8Type();
  if (unpack) {
    BlockLayout layout = layoutOf(unpack.getFormat());
    rowLength = rowLength / layout.numbers * layout.bytes;
    skipped = skipped / layout.numbers * layout.bytes;
  } else {
    element = v.memoryType(directTensor(s.rhs)->dtype);
  }
  Index column0 = v.index(firstColumn), terms = v.index(count);
  Pointer weight{&v, k.bufferAddress(bufferOf(tensor)), element};
  Pointer base{&v, k.scratch(), v.builder().getF32Type()};
  Pointer left = base, sums = base + tile.sumsAt();
  v.loop(v.index(0), v.index(columnCount), 1, [&](Index column) {
    Pointer row = weight + ((column0 + column) * rowLength + skipped);
    v.loop(v.index(0), v.index(rowCount), 1, [&](Index r) {
      Pointer x = left + r * tile.terms;
      Value sum =
          unpack ? sumOfBlocks(row, x, terms) : sumOfNumbers(row, x, terms);
      CpuBuilder::Lanes one(v, 0);
      Pointer to = sums + (r * tile.columns + column);
      v.store(to, v.fadd(v.load(to), sum));
    });
  });
}

} // namespace agt::cpu
