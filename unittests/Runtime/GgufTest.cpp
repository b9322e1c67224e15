// GGUF files, good and bad, and files of weights that have several parts.
#include "runtime/Weights/Gguf.h"
#include "runtime/Support/Failure.h"
#include "runtime/Weights/Weights.h"
#include "unittests/Runtime/GgufFile.h"
#include "unittests/Runtime/Refusal.h"
#include "unittests/Runtime/TempDir.h"

#include <gtest/gtest.h>

#include <functional>

using namespace agt::rt;
using namespace agt::rt::test;

namespace {

/// The text behind the file's name.
std::string errorOf(const std::string &content) {
  std::string message = messageOf([&] {
    Gguf(reinterpret_cast<const unsigned char *>(content.data()),
         content.size(), "m.gguf");
  });
  const std::string prefix = "cannot read 'm.gguf': ";
  if (message.empty())
    return "";
  EXPECT_EQ(message.substr(0, prefix.size()), prefix);
  return message.substr(prefix.size());
}

TEST(Gguf, ReadsTensorsTheOtherWayRound) {
  for (uint32_t version : {2u, 3u}) {
    GgufFile file;
    file.version = version;
    file.text("general.architecture", "llama").flag("odd", true);
    file.tensor("a", {2, 3}, 0, std::string(24, 'a'));
    file.tensor("h", {5}, 1, std::string(10, 'h'));
    file.tensor("none", {}, 26, "iiii");
    file.tensor("q", {64, 2, 1}, 8, std::string(4 * 34, 'q'));
    file.tensor("late", {256}, 10, std::string(84, 'l'));
    std::string content = file.bytes();
    auto *data = reinterpret_cast<const unsigned char *>(content.data());
    Gguf gguf(data, content.size(), "m.gguf");
    const std::vector<NamedStored> &tensors = gguf.tensors();
    ASSERT_EQ(tensors.size(), 5u);
    EXPECT_EQ(tensors[0].name, "a");
    EXPECT_EQ(tensors[0].tensor.shape, (std::vector<int64_t>{3, 2}));
    EXPECT_EQ(tensors[0].tensor.storage, Storage::F32);
    EXPECT_EQ((tensors[0].tensor.data - data) % 32, 0);
    EXPECT_EQ(*tensors[0].tensor.data, 'a');
    EXPECT_EQ(*tensors[1].tensor.data, 'h');
    EXPECT_EQ(tensors[2].tensor.shape, std::vector<int64_t>());
    EXPECT_EQ(tensors[3].tensor.shape, (std::vector<int64_t>{1, 2, 64}));
    EXPECT_EQ(tensors[3].tensor.bytes(), 4u * 34);
    EXPECT_EQ(rowBytes(tensors[3].tensor), 68);
    EXPECT_EQ(tensors[4].tensor.storage, Storage::Other);
    EXPECT_EQ(tensors[4].tensor.type(), "q2_k");
    EXPECT_EQ(*gguf.text("general.architecture"), "llama");
    EXPECT_TRUE(*gguf.flag("odd"));
    EXPECT_FALSE(gguf.text("nothing"));
  }
}

TEST(Gguf, ReadsValues) {
  GgufFile file;
  file.value("i8", 1, "\xfe").value("u16", 2, little(65535, 2));
  file.value("i64", 11, u64(uint64_t(-3))).value("u64", 10, u64(~uint64_t(0)));
  file.texts("words", {"a", "", "b c"}).floats("scores", {1.5f, -2});
  file.ints("kinds", {1, -6}).value("two", 7, "\2").number("n", 7);
  std::string content = file.bytes();
  Gguf gguf(reinterpret_cast<const unsigned char *>(content.data()),
            content.size(), "m");
  EXPECT_EQ(*gguf.whole("i8"), -2);
  EXPECT_EQ(*gguf.whole("u16"), 65535);
  EXPECT_EQ(*gguf.whole("i64"), -3);
  EXPECT_EQ(*gguf.texts("words"),
            (std::vector<std::string_view>{"a", "", "b c"}));
  EXPECT_EQ(*gguf.floats("scores"), (std::vector<float>{1.5f, -2}));
  EXPECT_EQ(*gguf.wholes("kinds"), (std::vector<int64_t>{1, -6}));
  EXPECT_EQ(messageOf([&] { gguf.whole("u64"); }),
            "cannot read 'm': its value 'u64' is not a whole number");
  EXPECT_EQ(messageOf([&] { gguf.flag("two"); }),
            "cannot read 'm': its value 'two' is not a bool");
  EXPECT_EQ(messageOf([&] { gguf.text("n"); }),
            "cannot read 'm': its value 'n' is not a string");
  EXPECT_EQ(messageOf([&] { gguf.texts("scores"); }),
            "cannot read 'm': its value 'scores' is not a list of strings");
  EXPECT_EQ(messageOf([&] { gguf.floats("kinds"); }),
            "cannot read 'm': its value 'kinds' is not a list of f32 numbers");
  EXPECT_EQ(messageOf([&] { gguf.wholes("scores"); }),
            "cannot read 'm': its value 'scores' is not a list of whole "
            "numbers");
}

TEST(Gguf, HeadersThatLieAreNamed) {
  EXPECT_EQ(errorOf(""), "it is not a GGUF file");
  EXPECT_EQ(errorOf("GGUX"), "it is not a GGUF file");
  EXPECT_EQ(errorOf("GGUF"), "it ends within the header of a GGUF file");
  EXPECT_EQ(errorOf("GGUF" + u32(1) + u64(0) + u64(0)),
            "it is version 1 of GGUF, expected 2 or 3");
  EXPECT_EQ(errorOf(std::string("GGUF\0\0\0\3", 8)),
            "it is a big-endian GGUF file");
  EXPECT_EQ(errorOf("GGUF" + u32(3) + u64(0)),
            "it ends within the header of a GGUF file");
  EXPECT_EQ(errorOf("GGUF" + u32(3) + u64(1) + u64(2)),
            "its header asks for 2 values and 1 tensors, which do not fit its "
            "24 bytes");
  EXPECT_EQ(errorOf("GGUF" + u32(3) + u64(~uint64_t(0)) + u64(0)),
            "its header asks for 0 values and 18446744073709551615 tensors, "
            "which do not fit its 24 bytes");
  EXPECT_EQ(errorOf(GgufFile().bytes()), "");
}

TEST(Gguf, ValuesThatLieAreNamed) {
  auto of = [](uint32_t type, const std::string &bytes) {
    return errorOf(GgufFile().value("key", type, bytes).bytes());
  };
  EXPECT_EQ(of(8, u64(1) + "a"), "");
  EXPECT_EQ(of(8, u64(2) + "a"), "it ends within its value 'key'");
  EXPECT_EQ(of(8, u64(~uint64_t(0)) + "a"), "it ends within its value 'key'");
  EXPECT_EQ(of(10, u32(1)), "it ends within its value 'key'");
  EXPECT_EQ(of(13, u64(1)), "its value 'key' has type 13, which is none");
  EXPECT_EQ(of(9, u32(0) + u64(2) + "ab"), "");
  EXPECT_EQ(of(9, u32(0) + u64(3) + "ab"), "it ends within its value 'key'");
  EXPECT_EQ(of(9, u32(12) + u64(uint64_t(1) << 61) + "ab"),
            "it ends within its value 'key'");
  EXPECT_EQ(of(9, u32(8) + u64(2) + ggufString("a") + u64(9)),
            "it ends within its value 'key'");
  EXPECT_EQ(of(9, u32(9) + u64(1) + u64(9)),
            "its value 'key' is an array of arrays");
  EXPECT_EQ(of(9, u32(99) + u64(1) + u64(9)),
            "its value 'key' has type 99, which is none");
  EXPECT_EQ(errorOf(GgufFile().number("a", 1).number("a", 2).bytes()),
            "it has two values 'a'");
  for (uint32_t bad : {0u, 24u})
    EXPECT_EQ(errorOf(GgufFile().number("general.alignment", bad).bytes()),
              "its 'general.alignment' is not a whole power of 2");
  EXPECT_EQ(errorOf(GgufFile().text("general.alignment", "32").bytes()),
            "its 'general.alignment' is not a whole power of 2");
}

TEST(Gguf, TensorsThatLieAreNamed) {
  auto of = [](const std::vector<uint64_t> &dims, uint32_t type,
               uint64_t offset, size_t bytes) {
    GgufFile file;
    file.described("a", dims, type, offset).data = std::string(bytes, 'x');
    return errorOf(file.bytes());
  };
  EXPECT_EQ(of({4}, 0, 0, 16), "");
  EXPECT_EQ(of({4}, 0, 32, 48), "");
  EXPECT_EQ(of({4}, 0, 0, 15),
            "its tensor 'a' lies outside the file's 15 bytes of data");
  EXPECT_EQ(of({4}, 0, 64, 48),
            "its tensor 'a' lies outside the file's 48 bytes of data");
  EXPECT_EQ(of({4}, 0, 0, 0),
            "its tensor 'a' lies outside the file's 0 bytes of data");
  EXPECT_EQ(of({4}, 0, 4, 48),
            "its tensor 'a' begins at byte 4 of the data, expected a multiple "
            "of 32");
  EXPECT_EQ(of({1, 1, 1, 1, 1}, 0, 0, 48),
            "its tensor 'a' has 5 dims, expected at most 4");
  EXPECT_EQ(of({~uint64_t(0)}, 0, 0, 48),
            "its tensor 'a' has a dim of 18446744073709551615");
  EXPECT_EQ(of({1ull << 62, 8}, 0, 0, 48),
            "its tensor 'a' is [8, 4611686018427387904] of f32, which no file "
            "holds");
  EXPECT_EQ(of({1ull << 40, 1ull << 40}, 8, 0, 48),
            "its tensor 'a' is [1099511627776, 1099511627776] of q8_0, which "
            "no file holds");
  EXPECT_EQ(of({33}, 8, 0, 68),
            "its tensor 'a' has rows of 33 numbers, expected whole blocks of "
            "32 for q8_0");
  EXPECT_EQ(of({}, 12, 0, 144),
            "its tensor 'a' has rows of 1 numbers, expected whole blocks of "
            "256 for q4_k");
  GgufFile twice;
  twice.tensor("a", {1}, 0, "xxxx").tensor("a", {1}, 0, "xxxx");
  EXPECT_EQ(errorOf(twice.bytes()), "it has two tensors 'a'");
  GgufFile shared;
  shared.described("a", {9}, 0, 0).described("b", {8}, 0, 32);
  shared.data = std::string(64, 'x');
  EXPECT_EQ(errorOf(shared.bytes()), "its tensors 'a' and 'b' share bytes");
  std::string cut = GgufFile().described("abc", {4}, 0, 0).bytes();
  for (size_t length = 24; length < cut.size(); ++length)
    EXPECT_NE(errorOf(cut.substr(0, length)), "");
  EXPECT_EQ(errorOf(cut.substr(0, cut.size() - 1)),
            "it ends within the description of its tensor 0");
}

// A type that came later is no reason to refuse the others.
TEST(Gguf, UnknownTypesAreNamedWhereTheyAreUsed) {
  TempDir dir;
  GgufFile file;
  file.tensor("new", {7}, 77, "1234567").tensor("a", {1}, 0, "xxxx");
  WeightsFile weights(dir.write("m.gguf", file.bytes()), "gguf");
  EXPECT_EQ(bindWeights(weights, "W", {{"a", AGT_F32, {1}}}).size(), 1u);
  EXPECT_EQ(
      messageOf([&] { bindWeights(weights, "W", {{"new", AGT_F32, {7}}}); }),
      "expected f32 for 'new', got type 77 of GGUF in '" + dir.path("m.gguf") +
          "'");
}

TEST(Gguf, PartsOfAModelAreNamed) {
  TempDir dir;
  auto open = [&](uint32_t parts) {
    std::string path =
        dir.write("m.gguf", GgufFile().number("split.count", parts).bytes());
    return messageOf([&] { WeightsFile(path, "gguf"); });
  };
  EXPECT_EQ(open(1), "");
  EXPECT_EQ(open(3), "cannot read '" + dir.path("m.gguf") +
                         "': it is one of 3 files ('split.count'), which have "
                         "to be merged");
}

TEST(Gguf, BlocksAreBoundAsBytes) {
  TempDir dir;
  GgufFile file;
  file.tensor("q", {64, 2}, 8, std::string(4 * 34, 'q'));
  file.tensor("f", {64, 2}, 0, std::string(512, 'f'));
  WeightsFile weights(dir.write("m.gguf", file.bytes()), "gguf");
  auto bind = [&](WantedTensor wanted) {
    return std::move(bindWeights(weights, "W", {std::move(wanted)})[0]);
  };
  HostTensor bytes = bind({"q", AGT_I8, {2, 68}, "q8_0"});
  EXPECT_EQ(bytes.dtype, AGT_I8);
  EXPECT_EQ(bytes.shape, (std::vector<int64_t>{2, 68}));
  EXPECT_EQ(*bytes.data, 'q');
  std::string in = " in '" + dir.path("m.gguf") + "'";
  EXPECT_EQ(messageOf([&] { bind({"q", AGT_F32, {2, 64}}); }),
            "expected f32 for 'q', got q8_0" + in);
  EXPECT_EQ(messageOf([&] { bind({"f", AGT_I8, {2, 68}, "q8_0"}); }),
            "expected q8_0 for 'f', got f32" + in);
  EXPECT_EQ(messageOf([&] { bind({"q", AGT_I8, {2, 36}, "q4_0"}); }),
            "expected q4_0 for 'q', got q8_0" + in);
  EXPECT_EQ(messageOf([&] { bind({"q", AGT_I8, {3, 34}, "q8_0"}); }),
            "tensor 'q' of '" + dir.path("m.gguf") +
                "' is [2, 64], the program was compiled for [3, 32]");
}

// ---- safetensors in several files -------------------------------------------

class ShardedTest : public ::testing::Test {
protected:
  /// A file of f32 tensors of one element each.
  void shard(const std::string &name, const std::vector<std::string> &tensors) {
    std::string header = "{", data;
    for (const std::string &tensor : tensors) {
      header += (data.empty() ? "\"" : ", \"") + tensor +
                R"(": {"dtype": "F32", "shape": [1], "data_offsets": [)" +
                std::to_string(data.size()) + ", " +
                std::to_string(data.size() + 4) + "]}";
      data += (tensor + "...").substr(0, 4);
    }
    header += "}";
    folder.write(name, u64(header.size()) + header + data);
  }
  WeightsFile read(const std::string &index) {
    return {folder.write("m.safetensors.index.json", index), "safetensors"};
  }
  std::string errorOf(const std::string &map) {
    std::string message = messageOf([&] {
      read(R"({"metadata": {"total_size": 8},
          "weight_map": )" +
           map + "}");
    });
    const std::string path = folder.path("");
    for (size_t at; (at = message.find(path)) != std::string::npos;)
      message.erase(at, path.size());
    return message;
  }
  TempDir folder;
};

TEST_F(ShardedTest, TensorsOfAllFiles) {
  shard("1.safetensors", {"a", "b"});
  shard("2.safetensors", {"c", "left"});
  WeightsFile file = read(R"( {"weight_map": {"a": "1.safetensors",
    "c": "2.safetensors", "b": "1.safetensors"}})");
  ASSERT_EQ(file.tensors().size(), 3u);
  for (const char *name : {"a", "b", "c"})
    EXPECT_EQ(*file.find(name)->data, name[0]);
  EXPECT_EQ(file.find("left"), nullptr);
}

TEST_F(ShardedTest, IndexesThatLieAreNamed) {
  shard("1", {"a", "b"});
  shard("2", {"c", "a"});
  const std::string index = "cannot read 'm.safetensors.index.json': ";
  EXPECT_EQ(errorOf(R"({"a": "1", "b": "1"})"), "");
  EXPECT_EQ(errorOf(R"({"a": "1", "x": "1", "y": "1"})"),
            index + "'1' lacks 2 tensors that should be in it: 'x' and 'y'");
  EXPECT_EQ(errorOf(R"({"c": "1"})"),
            index + "'1' lacks 1 tensor that should be in it: 'c'");
  EXPECT_EQ(errorOf(R"({"a": "3"})"),
            "cannot read '3': No such file or directory");
  EXPECT_EQ(errorOf(R"({"a": "1", "a": "2"})"),
            index + "it names tensor 'a' twice");
  EXPECT_EQ(errorOf(R"({"a": "1", "c": "2"})"),
            index + "tensor 'a' is in both '1' and '2'");
  for (const char *path : {"../1", "/1", "x/../../1", "", "x//1", ".."})
    EXPECT_EQ(errorOf(std::string(R"({"a": ")") + path + "\"}"),
              index + "the file '" + path +
                  "' of its tensor 'a' is not in its folder");
  EXPECT_EQ(errorOf(R"({"a": 1})"), index + "it names no file for tensor 'a'");
  EXPECT_EQ(errorOf("[]"), index + "it has no object 'weight_map'");
  EXPECT_EQ(errorOf("{"), index + "it is not JSON");
  folder.write("4", "no tensors here");
  EXPECT_NE(errorOf(R"({"a": "4"})")
                .find("cannot read '4': it is not a "
                      ".safetensors file or ends within"),
            std::string::npos);
}

} // namespace
