// Kernels on the device against the oracle.
#include "unittests/SPIRV/KernelRunner.h"

#include <gtest/gtest.h>

using namespace agt::test;
using agt::reference::Element;

namespace {

TEST(Kernels, Chain) {
  KernelRunner runner;
  ASSERT_EQ(runner.compile(R"mlir(
    agt.graph @f(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>)
        -> tensor<?x64xf32> {
      %s = agt.silu %x : tensor<?x64xf32>
      %m = agt.mul %s, %y : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
      agt.return %m : tensor<?x64xf32>
    })mlir"),
            "");
  EXPECT_EQ(runner.kernelCount(), 1u);
  std::mt19937 random(1);
  for (int64_t rows : {0, 1, 7, 100})
    EXPECT_EQ(runner.check({randomTensor(Element::F32, {rows, 64}, random),
                            randomTensor(Element::F32, {rows, 64}, random)}),
              "");
}

} // namespace
