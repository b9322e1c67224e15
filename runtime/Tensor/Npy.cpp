// See Npy.h. A file is: 6 bytes of magic, 2 of version, the header's length
// (2 bytes in version 1, else 4, little endian), the header, the elements.
#include "runtime/Tensor/Npy.h"

#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"
#include "runtime/Tensor/Dtype.h"
#include "runtime/Tensor/NpyHeader.h"
#include "runtime/Tensor/Tensor.h"

#include <cstring>
#include <optional>

namespace agt::rt {

static constexpr unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

[[noreturn]] static void damaged(const std::string &text) {
  fail(AGT_BAD_INPUT, text);
}

// What a type code stands for that no parameter can be, for messages.
static std::string foreignType(const std::string &descr, char kind) {
  switch (kind) {
  case 'c':
    return "complex numbers";
  case 'O':
    return "Python objects";
  case 'S':
  case 'a':
    return "byte strings";
  case 'U':
    return "strings";
  case 'M':
  case 'm':
    return "times";
  case 'V':
    return "raw bytes (a bfloat16 or float8 array is to be saved as its "
           "unsigned integers: x.view(numpy.uint16) or x.view(numpy.uint8))";
  default:
    return "elements of the unknown type '" + printable(descr) + "'";
  }
}

static std::optional<Storage> storageOf(char kind, const std::string &size) {
  static const struct {
    char kind;
    const char *size;
    Storage storage;
  } table[] = {
      {'f', "2", Storage::F16}, {'f', "4", Storage::F32},
      {'f', "8", Storage::F64}, {'i', "1", Storage::I8},
      {'i', "2", Storage::I16}, {'i', "4", Storage::I32},
      {'i', "8", Storage::I64}, {'u', "1", Storage::U8},
      {'u', "2", Storage::U16}, {'u', "4", Storage::U32},
      {'u', "8", Storage::U64}, {'b', "1", Storage::Bool},
  };
  for (const auto &entry : table)
    if (entry.kind == kind && size == entry.size)
      return entry.storage;
  return std::nullopt;
}

static void readType(const std::string &descr, StoredTensor &tensor) {
  bool hasOrder =
      !descr.empty() && std::strchr("<>|=", descr[0]) && descr[0] != 0;
  std::string code = hasOrder ? descr.substr(1) : descr;
  char kind = code.empty() ? 0 : code[0];
  std::optional<Storage> storage =
      storageOf(kind, code.empty() ? "" : code.substr(1));
  if (!storage)
    damaged("it holds " + foreignType(descr, kind) +
            ", expected floats, integers or bools");
  tensor.storage = *storage;
  tensor.swapped = hasOrder && descr[0] == '>' && storageBytes(*storage) > 1;
}

static void readShape(const NpyHeader &header, StoredTensor &tensor) {
  tensor.shape = header.shape;
  if (!header.fortranOrder)
    return;
  int64_t stride = 1;
  for (int64_t dim : tensor.shape) {
    tensor.strides.push_back(stride);
    // Only strides of empty tensors can overflow, and nobody follows them.
    if (__builtin_mul_overflow(stride, dim, &stride))
      stride = 0;
  }
}

// The bytes of all elements; nothing when they do not fit 63 bits.
static std::optional<uint64_t> bytesOf(const StoredTensor &tensor) {
  uint64_t elements = 1;
  for (int64_t dim : tensor.shape)
    if (dim == 0)
      return 0;
  for (int64_t dim : tensor.shape)
    if (__builtin_mul_overflow(elements, uint64_t(dim), &elements))
      return std::nullopt;
  uint64_t bytes;
  if (__builtin_mul_overflow(elements, storageBytes(tensor.storage), &bytes) ||
      bytes >> 63)
    return std::nullopt;
  return bytes;
}

static std::string promise(const StoredTensor &tensor) {
  return "its header says " +
         shapeText(tensor.shape.data(), tensor.shape.size()) + " of " +
         storageName(tensor.storage);
}

static StoredTensor parse(const unsigned char *data, size_t size) {
  if (size < sizeof magic || std::memcmp(data, magic, sizeof magic) != 0)
    damaged(size == 0 ? "it is empty, expected an .npy file"
                      : "it is not an .npy file");
  if (size < 8)
    damaged("it ends within its header");
  int version = data[6];
  if (version < 1 || version > 3 || data[7] != 0)
    damaged("its format version is " + std::to_string(version) + "." +
            std::to_string(data[7]) + ", expected 1.0, 2.0 or 3.0");
  size_t lengthBytes = version == 1 ? 2 : 4;
  if (size < 8 + lengthBytes)
    damaged("it ends within its header");
  size_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= size_t(data[8 + i]) << (8 * i);
  size_t start = 8 + lengthBytes;
  if (length > size - start)
    damaged("it ends within its header: expected " + std::to_string(length) +
            " bytes of header, got " + std::to_string(size - start));

  NpyHeader header =
      parseNpyHeader({reinterpret_cast<const char *>(data + start), length});
  StoredTensor tensor;
  readType(header.descr, tensor);
  readShape(header, tensor);
  tensor.data = data + start + length;
  std::optional<uint64_t> needed = bytesOf(tensor);
  uint64_t got = size - start - length;
  if (!needed)
    damaged(promise(tensor) + ", more than memory can hold");
  if (*needed != got)
    damaged(promise(tensor) + ", which takes " + std::to_string(*needed) +
            " bytes, got " + std::to_string(got));
  return tensor;
}

StoredTensor readNpy(const unsigned char *data, size_t size,
                     const std::string &path) {
  try {
    return parse(data, size);
  } catch (const Failure &failure) {
    fail(failure.code, "cannot read '" + path + "': " + failure.message);
  }
}

static const char *descrOf(agt_dtype dtype) {
  switch (dtype) {
  case AGT_F32:
    return "<f4";
  case AGT_F16:
    return "<f2";
  case AGT_BF16:
    return "<u2";
  case AGT_F8E4M3:
    return "|u1";
  case AGT_I8:
    return "|i1";
  case AGT_I32:
    return "<i4";
  case AGT_I64:
    return "<i8";
  case AGT_BOOL:
    return "|b1";
  }
  return "|V1";
}

void writeNpy(OutputFile &file, const agt_tensor &tensor) {
  std::string header = std::string("{'descr': '") + descrOf(tensor.dtype) +
                       "', 'fortran_order': False, 'shape': (";
  for (int i = 0; i < tensor.rank; ++i)
    header += (i ? " " : "") + std::to_string(tensor.shape[i]) +
              (i + 1 < tensor.rank || tensor.rank == 1 ? "," : "");
  header += "), }";
  // The elements start at a multiple of 64, after a line break.
  size_t unpadded = 10 + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header += '\n';
  char length[2] = {char(header.size() & 255), char(header.size() >> 8)};
  file.write(magic, sizeof magic);
  file.write("\1\0", 2);
  file.write(length, 2);
  file.write(header);
  file.write(tensor.data,
             *tensorBytes(tensor.dtype, tensor.shape, tensor.rank));
}

} // namespace agt::rt
