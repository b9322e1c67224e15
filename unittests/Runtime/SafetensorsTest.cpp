// .safetensors files, good and bad.
#include "runtime/Tensor/Safetensors.h"
#include "runtime/Support/Failure.h"
#include "runtime/Tensor/Tensor.h"
#include "unittests/Runtime/TempDir.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace agt::rt;

namespace {

std::string file(const std::string &header, const std::string &data) {
  std::string text;
  for (int i = 0; i < 8; ++i)
    text += char(uint64_t(header.size()) >> (8 * i));
  return text + header + data;
}

std::vector<NamedStored> read(const std::string &content) {
  return readSafetensors(
      reinterpret_cast<const unsigned char *>(content.data()), content.size(),
      "w.safetensors");
}

std::string errorOf(const std::string &content) {
  try {
    read(content);
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.code, AGT_BAD_INPUT);
    const std::string prefix = "cannot read 'w.safetensors': ";
    EXPECT_EQ(failure.message.substr(0, prefix.size()), prefix);
    return failure.message.substr(prefix.size());
  }
  return "";
}

TEST(Safetensors, ReadsNamedTensors) {
  std::string content = file(
      R"({"__metadata__": {"format": "pt"},
          "b": {"dtype": "BF16", "shape": [2, 1], "data_offsets": [4, 8]},
          "a": {"dtype": "F32", "shape": [], "data_offsets": [0, 4]},
          "e": {"dtype": "I64", "shape": [0], "data_offsets": [8, 8]}})",
      "abcdefgh");
  std::vector<NamedStored> tensors = read(content);
  ASSERT_EQ(tensors.size(), 3u);
  EXPECT_EQ(tensors[0].name, "b");
  EXPECT_EQ(tensors[0].tensor.storage, Storage::BF16);
  EXPECT_EQ(tensors[0].tensor.shape, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(std::memcmp(tensors[0].tensor.data, "efgh", 4), 0);
  EXPECT_EQ(tensors[1].name, "a");
  EXPECT_EQ(tensors[2].tensor.bytes(), 0u);
}

TEST(Safetensors, RefusesBadFiles) {
  EXPECT_EQ(errorOf("abc"), "it is too short for a .safetensors file");
  EXPECT_EQ(errorOf("\x93NUMPY\1\0v"),
            "it is too short for a .safetensors file");
  EXPECT_EQ(errorOf(file("{}", "").substr(0, 9)),
            "it is not a .safetensors file or ends within its header: expected "
            "2 bytes of header, got 1");
  EXPECT_EQ(errorOf(file("{\"a\": ", "")), "its header is not JSON");
  EXPECT_EQ(errorOf(file("{\"\xff\": 1}", "")), "its header is not JSON");
  EXPECT_EQ(errorOf(file("[]", "")), "its header is not a JSON object");
  EXPECT_EQ(errorOf(file(R"({"a": 3})", "")), "its tensor 'a' has no dtype");
  EXPECT_EQ(errorOf(file(R"({"a": {"dtype": "F99"}})", "")),
            "its tensor 'a' has no list of whole numbers as 'shape'");
  auto tensor = [](const char *shape, const char *offsets) {
    return errorOf(file(std::string(R"({"a": {"dtype": "F32", "shape": )") +
                            shape + R"(, "data_offsets": )" + offsets + "}}",
                        "abcdefgh"));
  };
  EXPECT_EQ(tensor("[2]", "[0, 8]"), "");
  EXPECT_EQ(tensor("2", "[0, 8]"),
            "its tensor 'a' has no list of whole numbers as 'shape'");
  EXPECT_EQ(tensor("[2.5]", "[0, 8]"),
            "its tensor 'a' has no list of whole numbers as 'shape'");
  EXPECT_EQ(tensor("[-2]", "[0, 8]"),
            "its tensor 'a' has no list of whole numbers as 'shape'");
  EXPECT_EQ(tensor("[18446744073709551615]", "[0, 8]"),
            "its tensor 'a' has no list of whole numbers as 'shape'");
  EXPECT_EQ(tensor("[2]", "[0, 9]"),
            "its tensor 'a' lies outside the file's 8 bytes of data");
  EXPECT_EQ(tensor("[2]", "[8, 0]"),
            "its tensor 'a' lies outside the file's 8 bytes of data");
  EXPECT_EQ(tensor("[2]", "[0]"),
            "its tensor 'a' lies outside the file's 8 bytes of data");
  EXPECT_EQ(tensor("[3]", "[0, 8]"),
            "its tensor 'a' is [3] of f32, which does not fit its 8 bytes");
  EXPECT_EQ(tensor("[4611686018427387904, 8]", "[0, 8]"),
            "its tensor 'a' is [4611686018427387904, 8] of f32, which does not "
            "fit its 8 bytes");
}

std::string entry(const char *name, const char *dtype, int from, int to) {
  return std::string("\"") + name + R"(": {"dtype": ")" + dtype +
         R"(", "shape": [)" + std::to_string(to - from) +
         R"(], "data_offsets": [)" + std::to_string(from) + ", " +
         std::to_string(to) + "]}";
}

TEST(Safetensors, EveryByteBelongsToOneTensor) {
  auto two = [](std::string first, std::string second) {
    return errorOf(file("{" + first + ", " + second + "}", "abcdefgh"));
  };
  EXPECT_EQ(two(entry("a", "U8", 3, 8), entry("b", "U8", 0, 3)), "");
  EXPECT_EQ(two(entry("a", "U8", 0, 3), entry("b", "U8", 4, 8)),
            "its bytes 3 to 3 belong to no tensor");
  EXPECT_EQ(two(entry("a", "U8", 0, 5), entry("b", "U8", 3, 8)),
            "its bytes 3 to 4 belong to two tensors");
  EXPECT_EQ(two(entry("a", "U8", 0, 3), entry("b", "U8", 3, 6)),
            "its last 2 bytes belong to no tensor");
  EXPECT_EQ(two(entry("a", "U8", 0, 4), entry("a", "U8", 4, 8)),
            "it has two tensors 'a'");
  EXPECT_EQ(errorOf(file("{}", "")), "");
}

TEST(Safetensors, TypesThatAgtDoesNotHaveAreNoFault) {
  std::string content =
      file("{" + entry("a", "F4", 0, 4) + ", " + entry("b", "U8", 4, 8) + "}",
           "abcdefgh");
  std::vector<NamedStored> tensors = read(content);
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors[0].tensor.storage, Storage::Other);
  try {
    bindStored(tensors[0].tensor, AGT_F32, "x", "w.safetensors");
    FAIL();
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.message, "expected f32 for 'x', got a type that agt does "
                               "not have in 'w.safetensors'");
  }
}

TEST(Safetensors, WritesWhatItReads) {
  test::TempDir dir;
  std::vector<NamedTensor> tensors;
  std::vector<int64_t> shape = {3, 2};
  for (agt_dtype dtype : {AGT_F32, AGT_F16, AGT_BF16, AGT_F8E4M3, AGT_I8,
                          AGT_I32, AGT_I64, AGT_BOOL}) {
    agt_tensor tensor;
    allocateTensor(tensor, dtype, shape.data(), 2);
    std::memset(tensor.data, 1, *tensorBytes(dtype, shape.data(), 2));
    tensors.push_back({"t" + std::to_string(dtype), tensor});
  }
  OutputFile out(dir.path("t.safetensors"));
  writeSafetensors(out, tensors);
  out.commit();
  std::string content = dir.read("t.safetensors");
  std::vector<NamedStored> stored = read(content);
  ASSERT_EQ(stored.size(), tensors.size());
  for (size_t i = 0; i < stored.size(); ++i) {
    EXPECT_EQ(stored[i].name, tensors[i].name);
    HostTensor bound = bindStored(stored[i].tensor, tensors[i].tensor.dtype,
                                  "x", "t.safetensors");
    EXPECT_EQ(bound.shape, shape);
    EXPECT_EQ(std::memcmp(bound.data, tensors[i].tensor.data,
                          stored[i].tensor.bytes()),
              0);
    agt_tensor_release(&tensors[i].tensor);
  }
}

} // namespace
