// See KernelRunner.h.
#include "unittests/SPIRV/KernelRunner.h"

#include "codegen/spirv/Kernels.h"
#include "codegen/spirv/Serialize.h"
#include "dialect/Agt/Shapes.h"
#include "passes/Passes.h"
#include "reference/Bytes.h"
#include "unittests/SPIRV/TestDevice.h"
#include "unittests/SPIRV/Validate.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstring>

using namespace mlir;
using agt::reference::Element;

namespace agt::test {

static agt_dtype dtypeOf(Element element) {
  return static_cast<agt_dtype>(static_cast<int>(element) + 1);
}

// ---- the plan of a graph ---------------------------------------------------

static int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto pair = cast<AffineBinaryOpExpr>(expr);
  int64_t x = evaluate(pair.getLHS(), symbols);
  int64_t y = evaluate(pair.getRHS(), symbols);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return x + y;
  case AffineExprKind::Mul:
    return x * y;
  case AffineExprKind::Mod:
    return x % y;
  case AffineExprKind::FloorDiv:
    return x / y;
  default:
    return (x + y - 1) / y;
  }
}

static std::string take(agt_status status) {
  if (!status)
    return "";
  std::string text = agt_status_message(status);
  agt_status_release(status);
  return text.empty() ? "failed" : text;
}

struct KernelRunner::Device {
  ~Device() { agt_context_destroy(context); }
  agt_context *context = nullptr;
};

namespace {

/// One run: values of the graph as they are recorded.
class Recorder {
public:
  struct Placed {
    agt_buffer *buffer = nullptr;
    std::vector<int64_t> shape;
  };

  using Prepared = KernelRunner::Prepared;
  using CodeOf = llvm::function_ref<const Prepared &(KernelOp)>;

  Recorder(agt_run *run, GraphOp graph, ArrayRef<Tensor> inputs) : run(run) {
    for (auto [i, input] : llvm::enumerate(inputs)) {
      Placed &placed = tensors[graph.getBody().getArgument(i)];
      check(agt_graph_input(run, i, &placed.buffer));
      placed.shape = input.shape;
    }
  }

  std::string record(GraphOp graph, CodeOf codeOf) {
    for (Operation &op : graph.getBody().front())
      llvm::TypeSwitch<Operation *>(&op)
          .Case([&](KernelOp kernel) { launch(kernel, codeOf(kernel)); })
          .Case<ReshapeOp, tensor::CastOp>([&](auto alias) {
            Placed placed = tensors[alias->getOperand(0)];
            placed.shape = shapeOf(alias->getResult(0),
                                   isa<ReshapeOp>(alias)
                                       ? alias->getOperands().drop_front()
                                       : ValueRange(),
                                   placed.shape);
            tensors[alias->getResult(0)] = placed;
          })
          .Case([&](RopeTableOp table) {
            Placed placed;
            int64_t dims = number(table.getDims());
            check(agt_graph_rope_table(
                run, dims, table.getBase().convertToDouble(),
                table.getScale().convertToDouble(), &placed.buffer));
            placed.shape = {dims / 2, 2};
            tensors[table.getResult()] = placed;
          })
          .Case([&](ReturnOp op) {
            for (auto [i, value] : llvm::enumerate(op.getOperands())) {
              const Placed &placed = tensors[value];
              check(
                  agt_graph_output(run, i, placed.buffer, placed.shape.data()));
            }
          });
    return problem;
  }

private:
  void check(agt_status status) {
    std::string text = take(status);
    if (problem.empty())
      problem = text;
  }

  std::vector<int64_t> shapeOf(Value value, ValueRange sizes,
                               ArrayRef<int64_t> otherwise) {
    std::vector<int64_t> shape;
    size_t next = 0;
    auto type = cast<RankedTensorType>(value.getType());
    for (auto [i, dim] : llvm::enumerate(type.getShape()))
      shape.push_back(!ShapedType::isDynamic(dim) ? dim
                      : sizes.empty()             ? otherwise[i]
                                                  : number(sizes[next++]));
    return shape;
  }

  int64_t number(Value value) {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return constant.getSExtValue();
    Operation *op = value.getDefiningOp();
    if (auto dim = dyn_cast<tensor::DimOp>(op))
      return tensors[dim.getSource()].shape[*dim.getConstantIndex()];
    int64_t x = number(op->getOperand(0)), y = number(op->getOperand(1));
    if (isa<arith::AddIOp>(op))
      return x + y;
    if (isa<arith::SubIOp>(op))
      return x - y;
    if (isa<arith::MulIOp>(op))
      return x * y;
    if (isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(op))
      return x / y;
    if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
      return (x + y - 1) / y;
    problem = "the test's recorder does not know " +
              op->getName().getStringRef().str();
    return 0;
  }

  void launch(KernelOp kernel, const Prepared &prepared) {
    std::vector<agt_buffer *> buffers;
    std::vector<int64_t> scalars;
    for (Value input : kernel.getInputs()) {
      if (auto type = dyn_cast<RankedTensorType>(input.getType())) {
        const Placed &placed = tensors[input];
        buffers.push_back(placed.buffer);
        for (int64_t i = 0; i < type.getRank(); ++i)
          if (type.isDynamicDim(i))
            scalars.push_back(placed.shape[i]);
      } else if (input.getType().isIndex()) {
        scalars.push_back(number(input));
      } else {
        APFloat value(0.0);
        matchPattern(input, m_ConstantFloat(&value));
        float f = value.convertToDouble();
        int32_t bits;
        std::memcpy(&bits, &f, 4);
        scalars.push_back(bits);
      }
    }
    ValueRange sizes = kernel.getSizes();
    for (Value result : kernel.getResults()) {
      Placed &placed = tensors[result];
      size_t open =
          cast<RankedTensorType>(result.getType()).getNumDynamicDims();
      placed.shape = shapeOf(result, sizes.take_front(open), {});
      sizes = sizes.drop_front(open);
      int64_t bytes =
          reference::bytesOf(reference::elementOf(result.getType()));
      for (int64_t dim : placed.shape)
        bytes *= dim;
      check(agt_graph_alloc(run, bytes, &placed.buffer));
      buffers.push_back(placed.buffer);
    }
    enqueue(prepared, buffers, scalars);
  }

  void enqueue(const Prepared &prepared, ArrayRef<agt_buffer *> buffers,
               ArrayRef<int64_t> scalars) {
    int64_t work[4];
    for (unsigned i = 0; i < 4; ++i)
      work[i] = evaluate(prepared.code.launch.work[i], scalars);
    check(agt_graph_launch(
        run, &prepared.kernel, buffers.data(), buffers.size(), scalars.data(),
        scalars.size(), work,
        static_cast<double>(evaluate(prepared.code.launch.flops, scalars)),
        prepared.code.name.c_str(), "test"));
  }

  agt_run *run;
  std::string problem;
  DenseMap<Value, Placed> tensors;
};

} // namespace

// ---- the runner ------------------------------------------------------------

KernelRunner::KernelRunner() : context(MLIRContext::Threading::DISABLED) {
  context.loadDialect<AgtDialect>();
}
KernelRunner::~KernelRunner() = default;

Problem KernelRunner::compile(llvm::StringRef text, unsigned skip) {
  kernels.clear();
  device.reset();
  source = parseSourceString<ModuleOp>(text, ParserConfig(&context), "test");
  if (!source)
    return "the module does not parse";
  module = source->clone();
  PassManager passes(&context);
  passes.addPass(createSplitRope());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addNestedPass<GraphOp>(createFormKernels());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addNestedPass<GraphOp>(createVerifyKernels());
  if (failed(passes.run(*module)))
    return "the passes fail";
  Problem problem;
  graph().walk([&](KernelOp kernel) {
    auto code = spirv::buildKernel(kernel);
    if (failed(code)) {
      problem = "kernel '" + kernel.getLabel().str() + "' is not built";
      return;
    }
    // Once is enough: those that skip variants have the same ones.
    for (const spirv::KernelBinary &variant : code->variants) {
      if (skip > 0)
        break;
      std::string said = validateSpirv(variant.words);
      if (!said.empty() && problem.empty())
        problem =
            kernel.getLabel().str() + ", " + variant.profile + ": " + said;
    }
    kernels[kernel] = prepare(std::move(*code), nativeVariants(kernel), skip);
  });
  return problem;
}

std::unique_ptr<KernelRunner::Prepared>
KernelRunner::prepare(spirv::KernelCode code,
                      std::vector<agt_cpu_variant> native, unsigned skip) {
  auto prepared = std::make_unique<Prepared>();
  prepared->code = std::move(code);
  prepared->native = std::move(native);
  const auto &variants = prepared->code.variants;
  for (size_t i = std::min<size_t>(skip, variants.size() - 1);
       i < variants.size(); ++i) {
    const spirv::KernelBinary &v = variants[i];
    prepared->variants.push_back({v.words.data(),
                                  v.words.size() * 4,
                                  v.subgroupSize,
                                  v.features,
                                  0,
                                  {v.tile[0], v.tile[1], v.tile[2], v.tile[3]},
                                  0});
  }
  prepared->kernel = {prepared->code.name.c_str(), prepared->variants.data(),
                      static_cast<uint32_t>(prepared->variants.size()),
                      static_cast<uint32_t>(prepared->native.size()),
                      prepared->native.data()};
  return prepared;
}

Problem KernelRunner::run(ArrayRef<Tensor> inputs,
                          std::vector<Tensor> &results) {
  if (!device) {
    auto opened = std::make_unique<Device>();
    std::string failed =
        take(agt_context_create(testDevice(), &opened->context));
    if (!failed.empty())
      return failed;
    device = std::move(opened);
  }
  std::vector<std::vector<unsigned char>> bytes;
  std::vector<agt_tensor> in;
  std::vector<agt_param> params, resultParams;
  for (const Tensor &input : inputs) {
    bytes.push_back(reference::toBytes(input));
    in.push_back({bytes.back().data(), dtypeOf(input.element),
                  static_cast<int>(input.rank()), input.shape.data(), nullptr});
    params.push_back(
        {"in", dtypeOf(input.element), static_cast<int32_t>(input.rank())});
  }
  for (Type type : graph().getResultTypes())
    resultParams.push_back(
        {"out", dtypeOf(reference::elementOf(type)),
         static_cast<int32_t>(cast<RankedTensorType>(type).getRank())});
  agt_graph description = {"test",
                           "test",
                           params.data(),
                           resultParams.data(),
                           static_cast<uint32_t>(params.size()),
                           static_cast<uint32_t>(resultParams.size()),
                           nullptr,
                           nullptr};
  agt_run *plan = nullptr;
  std::string problem =
      take(agt_graph_begin(device->context, &description, in.data(), in.size(),
                           resultParams.size(), &plan));
  if (!problem.empty())
    return problem;
  Recorder recorder(plan, graph(), inputs);
  problem = recorder.record(graph(), [&](KernelOp kernel) -> const Prepared & {
    return *kernels.find(kernel)->second;
  });
  if (!problem.empty())
    return problem;
  std::vector<agt_tensor> out(resultParams.size());
  problem = take(agt_graph_end(plan, out.data()));
  if (!problem.empty())
    return problem;
  results.clear();
  for (auto [tensor, type] : llvm::zip_equal(out, graph().getResultTypes())) {
    ArrayRef<int64_t> shape(tensor.shape, tensor.rank);
    results.push_back(reference::fromBytes(reference::elementOf(type), shape,
                                           reference::stridesOf(shape),
                                           tensor.data));
    agt_tensor_release(&tensor);
  }
  return "";
}

Problem KernelRunner::check(ArrayRef<Tensor> inputs) {
  std::vector<Tensor> got;
  Problem problem = run(inputs, got);
  if (!problem.empty())
    return problem;
  auto want = reference::run(*source->getOps<GraphOp>().begin(), inputs);
  if (!want)
    return llvm::toString(want.takeError());
  for (auto [i, pair] : llvm::enumerate(llvm::zip_equal(got, *want))) {
    auto [mine, right] = pair;
    if (auto difference = reference::compare(mine, right))
      return "result " + std::to_string(i) + ": " + *difference;
  }
  return "";
}

// ---- values ----------------------------------------------------------------

Tensor randomTensor(Element element, ArrayRef<int64_t> shape,
                    std::mt19937 &random, double scale) {
  Tensor tensor(element, shape);
  std::normal_distribution<double> normal(0, scale);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (!tensor.isFloat()) {
      bool extreme = random() % 16 == 0;
      int64_t value = extreme ? int64_t(random()) << (random() % 33)
                              : int64_t(random() % 21) - 10;
      tensor.ints[i] = reference::wrapTo(element, value);
      continue;
    }
    float value = normal(random);
    switch (random() % 32) {
    case 0:
      value = 0;
      break;
    case 1:
      value = std::copysign(std::ldexp(1.0, -int(random() % 16)), value);
      break;
    case 2:
      value *= 8;
      break;
    default:
      break;
    }
    tensor.reals[i] = reference::roundTo(element, value);
  }
  return tensor;
}

Tensor randomIndices(Element element, ArrayRef<int64_t> shape, int64_t limit,
                     std::mt19937 &random) {
  Tensor tensor(element, shape);
  for (int64_t &value : tensor.ints)
    value = random() % limit;
  return tensor;
}

} // namespace agt::test
