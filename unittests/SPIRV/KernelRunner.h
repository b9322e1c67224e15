// KernelRunner: IR text through agt-form-kernels and the kernel builders onto
// the device, and beside it through the oracle.
//
// Launches are recorded by the runtime's ABI as a compiled graph would; the
// index arithmetic around them is evaluated here.
#ifndef AGT_UNITTESTS_SPIRV_KERNELRUNNER_H
#define AGT_UNITTESTS_SPIRV_KERNELRUNNER_H

#include "codegen/spirv/KernelCode.h"
#include "reference/Interpreter.h"
#include "runtime/include/agt/runtime.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <memory>
#include <random>
#include <string>

namespace agt::test {

using reference::Tensor;

/// What went wrong, or nothing.
using Problem = std::string;

class KernelRunner {
public:
  KernelRunner();
  ~KernelRunner();

  /// Parses, forms kernels, builds them and has every module validated. A run
  /// skips variants before number `skipVariants` of each kernel (the last one
  /// stays) and takes the first that the device can run, small as it may be.
  Problem compile(llvm::StringRef text, unsigned skipVariants = 0);
  /// Runs on the device and compares with the oracle.
  Problem check(llvm::ArrayRef<Tensor> inputs);
  /// The device's results.
  Problem run(llvm::ArrayRef<Tensor> inputs, std::vector<Tensor> &results);

  GraphOp graph() { return *module->getOps<GraphOp>().begin(); }
  unsigned kernelCount() const { return kernels.size(); }
  /// What any variant of any kernel needs of the device.
  uint32_t features() const {
    uint32_t all = 0;
    for (const auto &[op, kernel] : kernels)
      for (const agt_kernel_variant &variant : kernel->variants)
        all |= variant.features;
    return all;
  }

  /// A kernel as the runtime sees it. The runtime knows kernels by address:
  /// they live as long as the context.
  struct Prepared {
    spirv::KernelCode code;
    std::vector<agt_kernel_variant> variants;
    std::vector<agt_cpu_variant> native;
    agt_kernel kernel;
  };

private:
  struct Device;

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> source, module;
  static std::unique_ptr<Prepared> prepare(spirv::KernelCode code,
                                           std::vector<agt_cpu_variant> native,
                                           unsigned skip);
  std::map<mlir::Operation *, std::unique_ptr<Prepared>> kernels;
  std::unique_ptr<Device> device;
};

/// Values that a test of any function should meet: most of them ordinary, some
/// zero, tiny, huge; rounded to the type. Integers are small, with some extreme
/// ones; indices are 0..limit-1.
Tensor randomTensor(reference::Element element, llvm::ArrayRef<int64_t> shape,
                    std::mt19937 &random, double scale = 1);
Tensor randomIndices(reference::Element element, llvm::ArrayRef<int64_t> shape,
                     int64_t limit, std::mt19937 &random);

} // namespace agt::test

#endif // AGT_UNITTESTS_SPIRV_KERNELRUNNER_H
