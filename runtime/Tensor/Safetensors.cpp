// See Safetensors.h. A file is: the header's length in 8 bytes, little endian;
// the header, a JSON object {name: {"dtype", "shape", "data_offsets": [begin,
// end]}} with an optional "__metadata__"; the data that offsets count in.
#include "runtime/Tensor/Safetensors.h"

#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"
#include "runtime/Tensor/Tensor.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

namespace agt::rt {

using Json = nlohmann::ordered_json;

namespace {
struct TypeName {
  const char *name;
  Storage storage;
};
} // namespace

static const TypeName typeNames[] = {
    {"F64", Storage::F64},        {"F32", Storage::F32},
    {"F16", Storage::F16},        {"BF16", Storage::BF16},
    {"F8_E4M3", Storage::F8E4M3}, {"F8_E5M2", Storage::F8E5M2},
    {"I64", Storage::I64},        {"I32", Storage::I32},
    {"I16", Storage::I16},        {"I8", Storage::I8},
    {"U64", Storage::U64},        {"U32", Storage::U32},
    {"U16", Storage::U16},        {"U8", Storage::U8},
    {"BOOL", Storage::Bool},
};

// Types that came after this was written are no reason to refuse a file.
static Storage storageOf(const std::string &dtype) {
  for (const TypeName &entry : typeNames)
    if (dtype == entry.name)
      return entry.storage;
  return Storage::Other;
}

// A JSON list of whole numbers >= 0.
static std::vector<int64_t> numbers(const Json &entry, const char *key,
                                    const std::string &tensor) {
  auto refuse = [&] {
    fail(AGT_BAD_INPUT, "its tensor '" + tensor + "' has no list of whole " +
                            "numbers as '" + key + "'");
  };
  auto list = entry.find(key);
  if (list == entry.end() || !list->is_array())
    refuse();
  std::vector<int64_t> values;
  for (const Json &value : *list) {
    if (!value.is_number_integer() || value < 0 ||
        (value.is_number_unsigned() &&
         value.get<uint64_t>() > uint64_t(INT64_MAX)))
      refuse();
    values.push_back(value.get<int64_t>());
  }
  return values;
}

static StoredTensor readEntry(const std::string &name, const Json &entry,
                              const unsigned char *data, uint64_t size) {
  if (!entry.is_object() || !entry.contains("dtype") ||
      !entry["dtype"].is_string())
    fail(AGT_BAD_INPUT, "its tensor '" + name + "' has no dtype");
  StoredTensor tensor;
  tensor.storage = storageOf(entry["dtype"].get<std::string>());
  tensor.shape = numbers(entry, "shape", name);
  std::vector<int64_t> offsets = numbers(entry, "data_offsets", name);
  if (offsets.size() != 2 || offsets[0] > offsets[1] ||
      uint64_t(offsets[1]) > size)
    fail(AGT_BAD_INPUT, "its tensor '" + name + "' lies outside the file's " +
                            std::to_string(size) + " bytes of data");
  uint64_t got = uint64_t(offsets[1] - offsets[0]);
  uint64_t needed = storageBytes(tensor.storage);
  bool fits = true;
  for (int64_t dim : tensor.shape)
    fits = fits && !__builtin_mul_overflow(needed, uint64_t(dim), &needed);
  if (tensor.storage != Storage::Other && (!fits || needed != got))
    fail(AGT_BAD_INPUT,
         "its tensor '" + name + "' is " +
             shapeText(tensor.shape.data(), tensor.shape.size()) + " of " +
             storageName(tensor.storage) + ", which does not fit its " +
             std::to_string(got) + " bytes");
  tensor.data = data + offsets[0];
  return tensor;
}

// The format leaves no byte of the data to two tensors or to none: that is a
// damaged file, or one that hides something.
static void checkCover(std::vector<std::array<uint64_t, 2>> parts,
                       uint64_t size) {
  std::sort(parts.begin(), parts.end());
  uint64_t covered = 0;
  for (auto [begin, end] : parts) {
    if (begin != covered)
      fail(AGT_BAD_INPUT,
           "its bytes " + std::to_string(std::min(begin, covered)) + " to " +
               std::to_string(std::max(begin, covered) - 1) + " belong to " +
               (begin < covered ? "two tensors" : "no tensor"));
    covered = end;
  }
  if (covered != size)
    fail(AGT_BAD_INPUT, "its last " + std::to_string(size - covered) +
                            " bytes belong to no tensor");
}

// The names of the header, which JSON itself lets stand there twice.
static Json parseHeader(const char *text, uint64_t length) {
  std::set<std::string> names;
  std::string twice;
  auto look = [&](int depth, Json::parse_event_t event, Json &parsed) {
    if (depth == 1 && event == Json::parse_event_t::key &&
        !names.insert(parsed.get<std::string>()).second)
      twice = parsed.get<std::string>();
    return true;
  };
  Json header;
  try {
    header = Json::parse(text, text + length, look);
  } catch (const Json::exception &) {
    fail(AGT_BAD_INPUT, "its header is not JSON");
  }
  if (!twice.empty())
    fail(AGT_BAD_INPUT, "it has two tensors '" + twice + "'");
  return header;
}

static std::vector<NamedStored> parse(const unsigned char *data, size_t size) {
  uint64_t length = 0;
  if (size < 8)
    fail(AGT_BAD_INPUT, "it is too short for a .safetensors file");
  for (int i = 0; i < 8; ++i)
    length |= uint64_t(data[i]) << (8 * i);
  if (length > size - 8)
    fail(AGT_BAD_INPUT, "it is not a .safetensors file or ends within its "
                        "header: expected " +
                            std::to_string(length) + " bytes of header, got " +
                            std::to_string(size - 8));
  auto *text = reinterpret_cast<const char *>(data + 8);
  Json header = parseHeader(text, length);
  if (!header.is_object())
    fail(AGT_BAD_INPUT, "its header is not a JSON object");
  const unsigned char *content = data + 8 + length;
  uint64_t bytes = size - 8 - length;
  std::vector<NamedStored> tensors;
  std::vector<std::array<uint64_t, 2>> parts;
  for (const auto &[name, entry] : header.items()) {
    if (name == "__metadata__")
      continue;
    tensors.push_back({name, readEntry(name, entry, content, bytes)});
    parts.push_back({entry["data_offsets"][0].get<uint64_t>(),
                     entry["data_offsets"][1].get<uint64_t>()});
  }
  checkCover(std::move(parts), bytes);
  return tensors;
}

std::vector<NamedStored> readSafetensors(const unsigned char *data, size_t size,
                                         const std::string &path) {
  try {
    return parse(data, size);
  } catch (const Failure &failure) {
    fail(failure.code, "cannot read '" + path + "': " + failure.message);
  }
}

static const char *typeNameOf(agt_dtype dtype) {
  switch (dtype) {
  case AGT_F32:
    return "F32";
  case AGT_F16:
    return "F16";
  case AGT_BF16:
    return "BF16";
  case AGT_F8E4M3:
    return "F8_E4M3";
  case AGT_I8:
    return "I8";
  case AGT_I32:
    return "I32";
  case AGT_I64:
    return "I64";
  case AGT_BOOL:
    return "BOOL";
  }
  return "U8";
}

static uint64_t bytesOf(const agt_tensor &tensor) {
  return *tensorBytes(tensor.dtype, tensor.shape, tensor.rank);
}

void writeSafetensors(OutputFile &file,
                      const std::vector<NamedTensor> &tensors) {
  Json header = Json::object();
  uint64_t offset = 0;
  for (const NamedTensor &entry : tensors) {
    const agt_tensor &tensor = entry.tensor;
    std::vector<int64_t> shape(tensor.shape, tensor.shape + tensor.rank);
    uint64_t end = offset + bytesOf(tensor);
    header[entry.name] = {{"dtype", typeNameOf(tensor.dtype)},
                          {"shape", shape},
                          {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  unsigned char length[8];
  for (int i = 0; i < 8; ++i)
    length[i] = static_cast<unsigned char>(uint64_t(text.size()) >> (8 * i));
  file.write(length, sizeof length);
  file.write(text);
  for (const NamedTensor &entry : tensors)
    file.write(entry.tensor.data, bytesOf(entry.tensor));
}

} // namespace agt::rt
