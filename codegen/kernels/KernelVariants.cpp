// See KernelVariants.h.
#include "codegen/kernels/KernelVariants.h"

#include "dialect/Agt/Attributes.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace agt::kernels {

Operation *anchorOf(KernelOp kernel) {
  for (Operation &op : kernel.getBody().front())
    if (op.hasTrait<Anchor>())
      return &op;
  return nullptr;
}

LogicalResult buildVariants(VariantSet &variants) {
  Operation *anchor = anchorOf(variants.kernel());
  if (!anchor)
    return buildElementwise(variants);
  return llvm::TypeSwitch<Operation *, LogicalResult>(anchor)
      .Case<MatmulOp, LinearOp>(
          [&](auto) { return buildProduct(variants, anchor); })
      .Case([&](QuantizeOp op) { return buildQuantize(variants, op); })
      .Case([&](CacheAppendOp op) { return buildCacheAppend(variants, op); })
      .Default([&](Operation *op) { return buildRows(variants, op); });
}

namespace {
class NoVariants : public VariantSet {
public:
  using VariantSet::VariantSet;
  LogicalResult add(const VariantPlan &,
                    llvm::function_ref<void(Evaluator &)>) override {
    return success();
  }
};
} // namespace

FailureOr<LaunchSize> launchOf(KernelOp kernel) {
  NoVariants none(kernel);
  if (failed(buildVariants(none)))
    return failure();
  return std::move(none.launch());
}

std::string kernelKey(KernelOp kernel) {
  std::string key;
  llvm::raw_string_ostream out(key);
  OpPrintingFlags flags;
  flags.printGenericOpForm().useLocalScope().skipRegions(false);
  // Values print by their number in the body, so names outside do not show.
  for (Value input : kernel.getInputs())
    out << input.getType() << ';';
  for (Type result : kernel.getResultTypes())
    out << result << ';';
  for (Operation &op : kernel.getBody().front()) {
    op.print(out, flags);
    out << '\n';
  }
  return key;
}

bool VariantSet::isReproducible() {
  auto graph = op->getParentOfType<GraphOp>();
  return graph && graph->hasAttr(kReproducible);
}

ArrayRef<uint32_t> VariantSet::subgroupSizes() {
  static const uint32_t sizes[] = {8, 4, 16, 32};
  return sizes;
}

Values combineLanes(
    KernelBuilder &k, uint32_t size, Values values,
    llvm::function_ref<Values(ArrayRef<Value>, ArrayRef<Value>)> combine) {
  if (size <= 1)
    return values;
  auto fromLanes = [&](llvm::function_ref<Value(Value)> move) {
    Values moved;
    for (Value value : values)
      moved.push_back(move(value));
    return moved;
  };
  // Small subgroups belong to CPU drivers, where a broadcast with a constant
  // lane is one instruction and a shuffle is not.
  if (size > 16) {
    for (uint32_t distance = 1; distance < size; distance *= 2) {
      Value partner = k.bitXor(k.thread(), k.i32(distance));
      values = combine(values, fromLanes([&](Value value) {
                         return k.shuffle(value, partner);
                       }));
    }
    return values;
  }
  SmallVector<Values> tree;
  for (uint32_t lane = 0; lane < size; ++lane)
    tree.push_back(
        fromLanes([&](Value value) { return k.broadcast(value, lane); }));
  while (tree.size() > 1) {
    SmallVector<Values> next;
    for (size_t i = 0; i < tree.size(); i += 2)
      next.push_back(combine(tree[i], tree[i + 1]));
    tree = std::move(next);
  }
  return tree.front();
}

} // namespace agt::kernels
