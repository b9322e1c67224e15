// See Gguf.h. A file is, little endian: "GGUF"; u32 version; u64 number of
// tensors; u64 number of values. Then the values: a string as key, u32 type,
// the value; a string is u64 length and bytes, an array u32 type of its
// elements, u64 count, the elements. Then for each tensor: its name, u32 number
// of dims, u64 dims (the fastest first), u32 type, u64 offset. What offsets
// count from is the next multiple of "general.alignment", 32 where that is not
// given.
#include "runtime/Weights/GgufReader.h"

#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace agt::rt {
namespace {

/// A type of tensors by the file's number.
struct TensorType {
  uint32_t number;
  const char *name;
  Storage storage;
  uint64_t numbers, bytes; // of a block
};

// Types that agt does not compute with have their sizes here all the same:
// where they lie is checked, and they are named.
const TensorType tensorTypes[] = {
    {0, "f32", Storage::F32, 1, 4},
    {1, "f16", Storage::F16, 1, 2},
    {2, "q4_0", Storage::Q4_0, 32, 18},
    {3, "q4_1", Storage::Other, 32, 20},
    {6, "q5_0", Storage::Other, 32, 22},
    {7, "q5_1", Storage::Other, 32, 24},
    {8, "q8_0", Storage::Q8_0, 32, 34},
    {9, "q8_1", Storage::Other, 32, 36},
    {10, "q2_k", Storage::Other, 256, 84},
    {11, "q3_k", Storage::Other, 256, 110},
    {12, "q4_k", Storage::Q4_K, 256, 144},
    {13, "q5_k", Storage::Other, 256, 176},
    {14, "q6_k", Storage::Q6_K, 256, 210},
    {15, "q8_k", Storage::Other, 256, 292},
    {16, "iq2_xxs", Storage::Other, 256, 66},
    {17, "iq2_xs", Storage::Other, 256, 74},
    {18, "iq3_xxs", Storage::Other, 256, 98},
    {19, "iq1_s", Storage::Other, 256, 50},
    {20, "iq4_nl", Storage::Other, 32, 18},
    {21, "iq3_s", Storage::Other, 256, 110},
    {22, "iq2_s", Storage::Other, 256, 82},
    {23, "iq4_xs", Storage::Other, 256, 136},
    {24, "i8", Storage::I8, 1, 1},
    {25, "i16", Storage::I16, 1, 2},
    {26, "i32", Storage::I32, 1, 4},
    {27, "i64", Storage::I64, 1, 8},
    {28, "f64", Storage::F64, 1, 8},
    {29, "iq1_m", Storage::Other, 256, 56},
    {30, "bf16", Storage::BF16, 1, 2},
    {34, "tq1_0", Storage::Other, 256, 54},
    {35, "tq2_0", Storage::Other, 256, 66},
    {39, "mxfp4", Storage::Other, 32, 17},
};

constexpr uint32_t mostDims = 4;
constexpr uint64_t defaultAlignment = 32;

/// A tensor as the header tells of it, and its size.
struct Described {
  NamedStored entry;
  uint64_t offset = 0, bytes = 0;
};

const TensorType *findType(uint32_t number) {
  for (const TensorType &type : tensorTypes)
    if (type.number == number)
      return &type;
  return nullptr;
}

Described readTensor(GgufReader &reader, uint64_t number) {
  std::string what = "the description of its tensor " + std::to_string(number);
  Described tensor;
  tensor.entry.name = std::string(reader.string(what));
  const std::string name = "its tensor '" + tensor.entry.name + "'";
  uint32_t dims = reader.u32(what);
  if (dims > mostDims)
    fail(AGT_BAD_INPUT, name + " has " + std::to_string(dims) +
                            " dims, expected at most " +
                            std::to_string(mostDims));
  StoredTensor &stored = tensor.entry.tensor;
  for (uint32_t i = 0; i < dims; ++i) {
    uint64_t dim = reader.u64(what);
    if (dim > uint64_t(INT64_MAX))
      fail(AGT_BAD_INPUT, name + " has a dim of " + std::to_string(dim));
    stored.shape.insert(stored.shape.begin(), int64_t(dim));
  }
  uint32_t typeNumber = reader.u32(what);
  tensor.offset = reader.u64(what);
  const TensorType *type = findType(typeNumber);
  stored.storage = type ? type->storage : Storage::Other;
  if (stored.storage == Storage::Other)
    stored.typeName =
        type ? type->name : "type " + std::to_string(typeNumber) + " of GGUF";
  if (!type) // what came later; where it ends is not known
    return tensor;
  uint64_t row = stored.shape.empty() ? 1 : uint64_t(stored.shape.back());
  if (row % type->numbers)
    fail(AGT_BAD_INPUT, name + " has rows of " + std::to_string(row) +
                            " numbers, expected whole blocks of " +
                            std::to_string(type->numbers) + " for " +
                            type->name);
  tensor.bytes = type->bytes;
  bool fits =
      !__builtin_mul_overflow(tensor.bytes, row / type->numbers, &tensor.bytes);
  for (size_t i = 0; i + 1 < stored.shape.size(); ++i)
    fits = fits && !__builtin_mul_overflow(
                       tensor.bytes, uint64_t(stored.shape[i]), &tensor.bytes);
  if (!fits)
    fail(AGT_BAD_INPUT,
         name + " is " + shapeText(stored.shape.data(), stored.shape.size()) +
             " of " + type->name + ", which no file holds");
  return tensor;
}

/// Tensors lie in the data, begin at multiples of the alignment and share no
/// byte.
void checkPlaces(const std::vector<Described> &tensors, uint64_t size,
                 uint64_t alignment) {
  std::vector<const Described *> order;
  for (const Described &tensor : tensors) {
    const std::string name = "its tensor '" + tensor.entry.name + "'";
    if (tensor.offset % alignment)
      fail(AGT_BAD_INPUT, name + " begins at byte " +
                              std::to_string(tensor.offset) +
                              " of the data, expected a multiple of " +
                              std::to_string(alignment));
    if (tensor.offset > size || tensor.bytes > size - tensor.offset)
      fail(AGT_BAD_INPUT, name + " lies outside the file's " +
                              std::to_string(size) + " bytes of data");
    if (tensor.bytes)
      order.push_back(&tensor);
  }
  auto before = [](const Described *a, const Described *b) {
    return a->offset < b->offset;
  };
  std::sort(order.begin(), order.end(), before);
  for (size_t i = 1; i < order.size(); ++i)
    if (order[i - 1]->offset + order[i - 1]->bytes > order[i]->offset)
      fail(AGT_BAD_INPUT, "its tensors '" + order[i - 1]->entry.name +
                              "' and '" + order[i]->entry.name +
                              "' share bytes");
}

} // namespace

bool Gguf::isOne(const unsigned char *data, size_t size) {
  return size >= 4 && std::memcmp(data, "GGUF", 4) == 0;
}

Gguf::Gguf(const unsigned char *data, size_t size, const std::string &path)
    : path(path) {
  try {
    parse(data, size);
  } catch (const Failure &failure) {
    fail(failure.code, "cannot read '" + path + "': " + failure.message);
  }
}

void Gguf::parse(const unsigned char *data, size_t size) {
  if (!isOne(data, size))
    fail(AGT_BAD_INPUT, "it is not a GGUF file");
  GgufReader reader(data, size);
  const std::string header = "the header of a GGUF file";
  reader.take(4, header);
  uint32_t version = reader.u32(header);
  if (version == 0x02000000 || version == 0x03000000)
    fail(AGT_BAD_INPUT, "it is a big-endian GGUF file");
  if (version != 2 && version != 3)
    fail(AGT_BAD_INPUT, "it is version " + std::to_string(version) +
                            " of GGUF, expected 2 or 3");
  uint64_t tensorCount = reader.u64(header), valueCount = reader.u64(header);
  // The least that a value and the description of a tensor can be.
  constexpr uint64_t leastValue = 8 + 4 + 1, leastTensor = 8 + 4 + 4 + 8;
  if (valueCount > reader.left() / leastValue ||
      tensorCount > reader.left() / leastTensor)
    fail(AGT_BAD_INPUT, "its header asks for " + std::to_string(valueCount) +
                            " values and " + std::to_string(tensorCount) +
                            " tensors, which do not fit its " +
                            std::to_string(size) + " bytes");
  for (uint64_t i = 0; i < valueCount; ++i) {
    std::string key(reader.string("its value " + std::to_string(i)));
    GgufValue value = reader.value("its value '" + key + "'");
    if (!values.emplace(key, value).second)
      fail(AGT_BAD_INPUT, "it has two values '" + key + "'");
  }
  int64_t alignment = defaultAlignment;
  if (const GgufValue *given = find("general.alignment")) {
    alignment =
        given->type == GgufType::Array || given->type == GgufType::String
            ? 0
            : ggufWhole(given->type, given->bytes).value_or(0);
    if (alignment < 1 || (alignment & (alignment - 1)))
      fail(AGT_BAD_INPUT, "its 'general.alignment' is not a whole power of 2");
  }
  std::vector<Described> described;
  std::set<std::string> names;
  for (uint64_t i = 0; i < tensorCount; ++i) {
    described.push_back(readTensor(reader, i));
    const std::string &name = described.back().entry.name;
    if (!names.insert(name).second)
      fail(AGT_BAD_INPUT, "it has two tensors '" + name + "'");
  }
  uint64_t rest = reader.position() % uint64_t(alignment);
  uint64_t padding = rest ? uint64_t(alignment) - rest : 0;
  uint64_t bytes = reader.left() > padding ? reader.left() - padding : 0;
  checkPlaces(described, bytes, uint64_t(alignment));
  for (Described &tensor : described) {
    tensor.entry.tensor.data =
        data + std::min<uint64_t>(reader.position() + padding, size) +
        tensor.offset;
    list.push_back(std::move(tensor.entry));
  }
}

} // namespace agt::rt
