// Kernels made with SpirvBuilder come out as SPIR-V that Vulkan's validator
// takes.
#include "codegen/spirv/Serialize.h"
#include "codegen/spirv/SpirvBuilder.h"
#include "unittests/SPIRV/Validate.h"

#include <gtest/gtest.h>

using namespace agt::kernels;
using namespace agt::spirv;
using mlir::Value;

namespace {

struct KernelBuilderTest : testing::Test {
  KernelBuilderTest() { loadKernelDialects(context); }
  mlir::MLIRContext context;

  std::string validate(SpirvBuilder &k) {
    auto module = k.finish();
    auto words = serializeKernel(*module);
    return mlir::failed(words) ? "not serialised" : validateSpirv(*words);
  }
};

TEST_F(KernelBuilderTest, Elementwise) {
  SpirvBuilder k(mlir::UnknownLoc::get(&context),
                 {"exp", 64, {WordType::F32, WordType::F32}});
  k.guarded([&] {
    Value i = k.add(k.mul(k.workgroup(), 64), k.thread());
    k.ifThen(k.ult(i, k.scalar(0)), [&] {
      k.storeWord(1, i, k.fmul(k.exp(k.loadWord(0, i)), k.scalarF32(1)));
    });
  });
  EXPECT_EQ(validate(k), "");
}

TEST_F(KernelBuilderTest, EveryElementType) {
  for (agt_dtype dtype :
       {AGT_F32, AGT_F16, AGT_BF16, AGT_I8, AGT_I32, AGT_BOOL}) {
    SCOPED_TRACE(dtype);
    SpirvBuilder k(mlir::UnknownLoc::get(&context),
                   {"copy", 32, {wordTypeOf(dtype), wordTypeOf(dtype)}});
    Value i = k.add(k.mul(k.workgroup(), 32), k.thread());
    k.storeElement(1, dtype, i, k.loadElement(0, dtype, i));
    EXPECT_EQ(validate(k), "");
  }
}

TEST_F(KernelBuilderTest, SubgroupsLoopsAndSharedMemory) {
  SpirvBuilder k(mlir::UnknownLoc::get(&context),
                 {"mixed", 8, {WordType::F32, WordType::I32}});
  SharedArray shared = k.makeShared(k.f32Type(), 8);
  Variable sum = k.makeVariable(k.f32(0));
  k.forRange(k.i32(0), k.scalar(0), 8, [&](Value i) {
    Value x = k.loadWord(0, k.add(i, k.lane()));
    k.store(sum, k.fadd(k.load(sum), k.broadcast(k.exp2(x), 3)));
  });
  auto carried = k.forCarry(
      k.i32(0), k.i32(4), 1, {k.load(sum)},
      [&](Value, llvm::ArrayRef<Value> in) -> llvm::SmallVector<Value> {
        return {k.fma(in[0], in[0], k.f32(1))};
      });
  k.store(shared, k.thread(), carried[0]);
  k.barrier();
  Value other = k.load(shared, k.bitXor(k.thread(), k.i32(1)));
  k.storeWord(1, k.thread(),
              k.packPair(AGT_F16, other, k.shuffle(other, k.i32(2))));
  EXPECT_EQ(validate(k), "");
}

} // namespace
