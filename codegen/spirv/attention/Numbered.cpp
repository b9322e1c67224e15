// See Numbered.h.
#include "codegen/spirv/attention/Numbered.h"

#include "codegen/kernels/attention/Launch.h"
#include "codegen/spirv/Serialize.h"
#include "codegen/spirv/SpirvBuilder.h"

using namespace mlir;
using namespace agt::kernels;
using namespace agt::kernels::attention;

namespace agt::spirv::attention {

static constexpr int64_t kWorkgroup = 64;

FailureOr<KernelCode> buildNumbered(Location loc, const AttentionSpec &spec,
                                    const Numbered &kernel) {
  SpirvBuilder b(loc, {kernel.name, kWorkgroup, wordTypesOf(spec)});
  b.guarded([&] {
    Value number = b.add(b.mul(b.workgroup(), kWorkgroup), b.thread());
    b.ifThen(b.lt(number, kernel.count(b)),
             [&] { kernel.emit(b, spec, number); });
  });
  OwningOpRef<ModuleOp> module = b.finish();
  auto words = serializeKernel(*module);
  if (failed(words))
    return failure();

  KernelCode code;
  code.name = kernel.name;
  code.launch = launchOf(kernel, loc.getContext());
  KernelBinary binary;
  binary.profile = "any";
  binary.tile = {kWorkgroup, 1, 1, 1};
  binary.words = std::move(*words);
  binary.source = std::make_shared<OwningOpRef<ModuleOp>>(std::move(module));
  code.variants.push_back(std::move(binary));
  return code;
}

} // namespace agt::spirv::attention
