//===- Bytes.cpp - Tensors as they lie in memory --------------------------===//

#include "reference/Bytes.h"

#include "llvm/ADT/APFloat.h"

#include <cstring>

using namespace agt::reference;
using llvm::APFloat;
using llvm::ArrayRef;

size_t agt::reference::bytesOf(Element element) {
  switch (element) {
  case Element::F32:
  case Element::I32:
    return 4;
  case Element::F16:
  case Element::BF16:
    return 2;
  case Element::I64:
    return 8;
  default:
    return 1;
  }
}

static const llvm::fltSemantics &semanticsOf(Element element) {
  switch (element) {
  case Element::F16:
    return APFloat::IEEEhalf();
  case Element::BF16:
    return APFloat::BFloat();
  case Element::F8E4M3:
    return APFloat::Float8E4M3FN();
  default:
    return APFloat::IEEEsingle();
  }
}

/// The low `size` bytes of a word, little endian as the machines we run on.
static uint64_t loadWord(const unsigned char *from, size_t size) {
  uint64_t word = 0;
  std::memcpy(&word, from, size);
  return word;
}

static void readElement(Tensor &tensor, int64_t i, const unsigned char *from) {
  size_t size = bytesOf(tensor.element);
  uint64_t word = loadWord(from, size);
  if (tensor.isFloat())
    tensor.reals[i] =
        APFloat(semanticsOf(tensor.element), llvm::APInt(8 * size, word))
            .convertToDouble();
  else if (tensor.element == Element::Bool)
    tensor.ints[i] = word != 0;
  else
    tensor.ints[i] = wrapTo(tensor.element, static_cast<int64_t>(word));
}

Tensor agt::reference::fromBytes(Element element, ArrayRef<int64_t> shape,
                                 ArrayRef<int64_t> strides, const void *data) {
  Tensor tensor(element, shape);
  auto *bytes = static_cast<const unsigned char *>(data);
  int64_t size = bytesOf(element), i = 0;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    readElement(tensor, i++, bytes + offsetOf(index, strides) * size);
  });
  return tensor;
}

static uint64_t wordOf(const Tensor &tensor, int64_t i) {
  if (!tensor.isFloat())
    return static_cast<uint64_t>(tensor.ints[i]);
  APFloat value(tensor.reals[i]);
  bool ignored;
  value.convert(semanticsOf(tensor.element), APFloat::rmNearestTiesToEven,
                &ignored);
  return value.bitcastToAPInt().getZExtValue();
}

std::vector<unsigned char> agt::reference::toBytes(const Tensor &tensor) {
  size_t size = bytesOf(tensor.element);
  std::vector<unsigned char> bytes(tensor.size() * size);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    uint64_t word = wordOf(tensor, i);
    std::memcpy(bytes.data() + i * size, &word, size);
  }
  return bytes;
}
