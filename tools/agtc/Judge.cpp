// `agtc judge FOLDER`: what a program's `run --check` kept in FOLDER, compared
// with the oracle kernel by kernel. The folder holds
//
//   graph.mlirbc   the program's graphs with their kernels formed
//   check.json     {"graph": name, "device": name, "inputs": [[size, ...]]}
//   input.N        the elements of input N, in C order
//   value.N        those of the N-th result of a kernel, as the device left it
#include "reference/Judge.h"
#include "dialect/Agt/Place.h"
#include "reference/Bytes.h"
#include "tools/agtc/Commands.h"
#include "tools/agtc/Source.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cmath>

using namespace agt;
using namespace agt::tool;
using reference::Element;
using reference::Tensor;
using reference::Verdict;

namespace {

class Judgement {
public:
  explicit Judgement(std::string folder) : folder(std::move(folder)) {}

  llvm::Error run();
  /// Prints a table of kernels; whether each is within its bounds.
  bool report() const;

private:
  llvm::Error readGraph();
  llvm::Expected<llvm::StringRef> read(const llvm::Twine &name);
  llvm::Expected<Tensor> readTensor(const llvm::Twine &name, Element element,
                                    llvm::ArrayRef<int64_t> shape);

  std::string folder;
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> files;
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  GraphOp graph;
  std::string device;
  std::vector<std::vector<int64_t>> shapes; // of the inputs
  std::vector<Verdict> verdicts;
};

template <typename... Values>
llvm::Error refuse(const char *format, Values &&...values) {
  return llvm::createStringError(
      llvm::formatv(format, std::forward<Values>(values)...).str());
}

} // namespace

llvm::Expected<llvm::StringRef> Judgement::read(const llvm::Twine &name) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return refuse("cannot read '{0}': {1}", path, file.getError().message());
  files.push_back(std::move(*file));
  return files.back()->getBuffer();
}

llvm::Expected<Tensor> Judgement::readTensor(const llvm::Twine &name,
                                             Element element,
                                             llvm::ArrayRef<int64_t> shape) {
  auto bytes = read(name);
  if (!bytes)
    return bytes.takeError();
  size_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  // Rooms on a device are whole words.
  if (bytes->size() < elements * reference::bytesOf(element))
    return refuse("'{0}' in '{1}' is too short for {2} {3}", name.str(), folder,
                  reference::nameOf(element), reference::formatShape(shape));
  Tensor tensor = reference::fromBytes(
      element, shape, reference::stridesOf(shape), bytes->data());
  files.pop_back();
  return tensor;
}

llvm::Error Judgement::readGraph() {
  auto text = read("check.json");
  if (!text)
    return text.takeError();
  auto json = llvm::json::parse(*text);
  if (!json)
    return json.takeError();
  std::string name;
  llvm::json::Path::Root root("check.json");
  llvm::json::ObjectMapper fields(*json, root);
  if (!fields || !fields.map("graph", name) || !fields.map("device", device) ||
      !fields.map("inputs", shapes))
    return root.getError();

  auto code = read("graph.mlirbc");
  if (!code)
    return code.takeError();
  context.loadDialect<AgtDialect, mlir::arith::ArithDialect,
                      mlir::math::MathDialect, mlir::scf::SCFDialect,
                      mlir::tensor::TensorDialect>();
  module = mlir::parseSourceString<mlir::ModuleOp>(*code, &context);
  if (module)
    graph = module->lookupSymbol<GraphOp>(name);
  if (!graph || graph.getNumArguments() != shapes.size())
    return refuse("'{0}' is not of a program that this version of agtc made",
                  folder);
  return llvm::Error::success();
}

llvm::Error Judgement::run() {
  if (llvm::Error error = readGraph())
    return error;
  std::vector<Tensor> inputs;
  for (auto [i, type] : llvm::enumerate(graph.getArgumentTypes())) {
    auto input = readTensor("input." + llvm::Twine(i),
                            reference::elementOf(type), shapes[i]);
    if (!input)
      return input.takeError();
    inputs.push_back(std::move(*input));
  }
  auto values = [&](size_t number, Element element,
                    llvm::ArrayRef<int64_t> shape) {
    return readTensor("value." + llvm::Twine(number), element, shape);
  };
  auto judged = reference::judge(graph, inputs, values);
  if (!judged)
    return judged.takeError();
  verdicts = std::move(*judged);
  return llvm::Error::success();
}

/// What the phase of a kernel is called in --stats.
static std::string labelOf(mlir::Operation *op) {
  if (auto kernel = mlir::dyn_cast<KernelOp>(op))
    return kernel.getLabel().str();
  return op->getName().stripDialect().str();
}

bool Judgement::report() const {
  size_t nameWidth = 6, placeWidth = 5;
  for (const Verdict &verdict : verdicts) {
    nameWidth = std::max(nameWidth, labelOf(verdict.op).size());
    placeWidth = std::max(placeWidth, placeOf(verdict.op->getLoc()).size());
  }
  auto line = [&](llvm::StringRef name, llvm::StringRef place,
                  llvm::StringRef error) {
    llvm::outs() << "  " << llvm::left_justify(name, nameWidth) << "  "
                 << llvm::left_justify(place, placeWidth) << "  " << error
                 << "\n";
  };
  GraphOp named = graph; // accessors of ops are not const
  llvm::outs() << named.getSymName() << " on " << device
               << ": each kernel beside the float64 oracle\n";
  if (!verdicts.empty())
    line("kernel", "place", "largest error / its bound");
  const Verdict *first = nullptr;
  for (const Verdict &verdict : verdicts) {
    if (verdict.fault && !first)
      first = &verdict;
    line(labelOf(verdict.op), placeOf(verdict.op->getLoc()),
         std::isinf(verdict.worst)
             ? std::string("no error allowed")
             : llvm::formatv("{0:F3}", verdict.worst).str());
  }
  llvm::outs().flush();
  if (!first)
    return true;
  std::string place = placeOf(first->op->getLoc());
  llvm::errs() << (place.empty() ? "" : place + ": ") << "error: '"
               << labelOf(first->op) << "' departs from the oracle "
               << *first->fault << "\n";
  return false;
}

int agt::tool::judge(const std::string &folder) {
  Judgement judgement(folder);
  if (llvm::Error error = judgement.run()) {
    complain(llvm::toString(std::move(error)));
    return BadUsage;
  }
  return judgement.report() ? Fine : ErrorsInProgram;
}
