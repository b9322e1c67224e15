// Weights: which tensors a file has, and the uses of them in graphs. Their
// types are the file's, read when the program is compiled; the program compares
// again when it starts, since `--weights` may give it another file.
#include "frontend/Sema/ExprChecker.h"
#include "frontend/Sema/Suggest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace agt;
using namespace agt::sema;

std::string agt::sema::absolutePath(const Checker &checker,
                                    const ast::StringLit &literal) {
  const llvm::SourceMgr &sources = checker.diags.sourceMgr();
  llvm::StringRef file =
      sources.getMemoryBuffer(bufferOf(sources, literal.loc()))
          ->getBufferIdentifier();
  llvm::SmallString<128> path(llvm::sys::path::parent_path(file));
  llvm::sys::path::append(path, *literal.constant());
  llvm::sys::fs::make_absolute(path);
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path.str().str();
}

static const llvm::StringRef formats[] = {"llama2c", "safetensors", "gguf",
                                          "npy"};

void Checker::checkWeights(const ast::WeightsDecl &decl) {
  llvm::StringRef format = decl.format.text;
  if (!llvm::is_contained(formats, format))
    diags.error(decl.format.range, "unknown format '" + format +
                                       "', expected " + oneOf(formats) +
                                       didYouMean(format, formats));
}

const WeightsInfo *Checker::weights(const ast::WeightsDecl &decl) {
  auto [entry, fresh] = weightsFiles.try_emplace(&decl);
  WeightsInfo &info = entry->second;
  if (!fresh)
    return info.decl ? &info : nullptr;
  if (!llvm::is_contained(formats, decl.format.text) || !decl.path->constant())
    return nullptr; // reported where it is declared
  info.path = absolutePath(*this, *decl.path);
  if (options.readWeights)
    info.header = options.readWeights(info.path, decl.format.text.str());
  else
    info.header.error = "nothing here can read files";
  if (!info.header.error.empty()) {
    // Without a program to make, a file need not be there.
    if (options.nothing)
      return nullptr;
    diags.error(decl.path->range, "the tensors of weights '" + decl.name.text +
                                      "' are not known: " + info.header.error);
    return nullptr;
  }
  info.decl = &decl;
  return &info;
}

/// The tensor of that name, or null. An .npy file holds one, whatever its name.
static const WeightTensor *findTensor(const WeightsInfo &info,
                                      llvm::StringRef name) {
  if (info.decl->format.text == "npy")
    return &info.header.tensors.front();
  for (const WeightTensor &tensor : info.header.tensors)
    if (tensor.name == name)
      return &tensor;
  return nullptr;
}

static std::string suggestion(const Checker &checker, const WeightsInfo &info,
                              llvm::StringRef name) {
  if (!checker.suggests())
    return "";
  std::vector<llvm::StringRef> names;
  for (const WeightTensor &tensor : info.header.tensors)
    names.push_back(tensor.name);
  return didYouMean(name, names);
}

Value ExprChecker::checkWeight(const ast::WeightsDecl &decl,
                               const ast::IndexExpr &expr) {
  if (!graph)
    return error(expr.range, "weights can be used in graphs only");
  if (expr.indices.size() != 1)
    return error(expr.range, "weights take one name, as in " + decl.name.text +
                                 "[\"norm.weight\"]");
  Value name = check(*expr.indices[0]);
  if (name.isPoison())
    return name;
  if (name.kind != Value::String)
    return error(expr.indices[0]->range,
                 "expected the name of a tensor, got " + describe(name));
  const WeightsInfo *info = checker.weights(decl);
  if (!info)
    return Value::poison();
  const WeightTensor *tensor = findTensor(*info, name.text);
  if (!tensor) {
    diags
        .error(expr.indices[0]->range,
               "'" + decl.name.text + "' has no tensor '" + name.text + "'" +
                   suggestion(checker, *info, name.text))
        .note(decl.path->range, "this file was read");
    return Value::poison();
  }
  bool blocks = tensor->rowBytes > 0;
  std::optional<DType> dtype = blocks ? DType::F32 : parseDType(tensor->dtype);
  if (!dtype)
    return error(expr.range, "tensor '" + name.text + "' is of " +
                                 tensor->dtype +
                                 ", which is no dtype of graphs");
  TensorType type{*dtype, {}};
  for (int64_t dim : tensor->shape)
    type.shape.push_back(dims.constant(dim));
  if (!checker.checkSize(type, expr.range))
    return Value::poison();
  HiddenInput input{HiddenInput::Weight, expr.range};
  input.weights = &decl;
  input.tensor = tensor->name;
  if (!blocks)
    return Value::ofTensor(type, graph->hiddenInput(input, type).value);
  // Bytes as they are stored; numbers are made of them where they are read.
  input.blocks = tensor->dtype;
  TensorType bytes{DType::I8, type.shape};
  bytes.shape.back() = dims.constant(tensor->rowBytes);
  if (!checker.checkSize(bytes, expr.range))
    return Value::poison();
  Inst inst(Op::UnpackBlocks, expr.range);
  inst.operands = {graph->hiddenInput(input, bytes).value};
  inst.text = tensor->dtype;
  return graph->emit(std::move(inst), type);
}
