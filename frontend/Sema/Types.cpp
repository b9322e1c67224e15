#include "frontend/Sema/Types.h"
#include "frontend/Sema/Suggest.h"

using namespace agt::sema;

// In the order of DType.
static const llvm::StringRef names[] = {"f32", "f16", "bf16", "f8e4m3",
                                        "i8",  "i32", "i64",  "bool"};

llvm::StringRef agt::sema::dtypeName(DType dtype) {
  return names[unsigned(dtype)];
}

llvm::ArrayRef<llvm::StringRef> agt::sema::dtypeNames() { return names; }

std::optional<DType> agt::sema::parseDType(llvm::StringRef name) {
  for (unsigned i = 0; i < std::size(names); ++i)
    if (names[i] == name)
      return DType(i);
  return std::nullopt;
}

std::string agt::sema::describeTensors(DTypeSet set) {
  if (set == anyDType)
    return "a tensor";
  if (set == floatDTypes)
    return "a float tensor (f32, f16 or bf16)";
  if (set == numberDTypes)
    return "a tensor of numbers";
  std::string text;
  unsigned count = 0;
  for (unsigned i = 0; i < std::size(names); ++i) {
    if (!contains(set, DType(i)))
      continue;
    set &= ~setOf(DType(i));
    if (count++ > 0)
      text += set == 0 ? " or " : ", ";
    text += names[i];
  }
  return count == 1 ? (text[0] == 'i' || text[0] == 'f' ? "an " : "a ") + text +
                          " tensor"
                    : "a tensor of " + text;
}

std::string agt::sema::shapeText(llvm::ArrayRef<Dim> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + shape[i]->str();
  return text + "]";
}

std::string TensorType::str() const {
  return "tensor<" + dtypeName(dtype).str() + ", " + shapeText(shape) + ">";
}
