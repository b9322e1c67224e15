// .npy files: every version, order and type there is, and every way a file can
// be wrong, with its whole text.
#include "runtime/Tensor/Npy.h"
#include "runtime/Support/Failure.h"
#include "runtime/Tensor/Tensor.h"
#include "unittests/Runtime/TempDir.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace agt::rt;

namespace {

// A file with the header `dict` and `data`.
std::string npy(const std::string &dict, const std::string &data,
                int version = 1) {
  std::string header = dict + "\n";
  std::string file = "\x93NUMPY";
  file += char(version);
  file += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    file += char(header.size() >> (8 * i));
  return file + header + data;
}

std::string dict(const std::string &descr, const std::string &shape,
                 const char *fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran +
         ", 'shape': " + shape + ", }";
}

StoredTensor read(const std::string &file) {
  return readNpy(reinterpret_cast<const unsigned char *>(file.data()),
                 file.size(), "x.npy");
}

std::string errorOf(const std::string &file) {
  try {
    read(file);
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.code, AGT_BAD_INPUT);
    const std::string prefix = "cannot read 'x.npy': ";
    EXPECT_EQ(failure.message.substr(0, prefix.size()), prefix);
    return failure.message.substr(prefix.size());
  }
  return "";
}

// The elements of a file bound as `dtype`, in C order.
std::string bytesOf(const std::string &file, agt_dtype dtype) {
  HostTensor tensor = bindStored(read(file), dtype, "x", "x.npy");
  agt_tensor view = tensor.view();
  std::string bytes(*tensorBytes(view.dtype, view.shape, view.rank), 0);
  copyContiguous(view, reinterpret_cast<unsigned char *>(bytes.data()));
  return bytes;
}

TEST(Npy, ReadsAllVersions) {
  for (int version : {1, 2, 3}) {
    std::string file = npy(dict("<i2", "(2, 1)"), "abcd", version);
    StoredTensor tensor = read(file);
    EXPECT_EQ(tensor.storage, Storage::I16);
    EXPECT_EQ(tensor.shape, (std::vector<int64_t>{2, 1}));
    EXPECT_TRUE(tensor.strides.empty());
    EXPECT_EQ(std::memcmp(tensor.data, "abcd", 4), 0);
  }
}

TEST(Npy, ReadsScalarsAndEmptyArrays) {
  EXPECT_TRUE(read(npy(dict("<f4", "()"), "abcd")).shape.empty());
  EXPECT_EQ(read(npy(dict("<f4", "(0,)"), "")).shape, std::vector<int64_t>{0});
  EXPECT_EQ(bytesOf(npy(dict("<f4", "()"), "abcd"), AGT_F32), "abcd");
  EXPECT_EQ(bytesOf(npy(dict(">f4", "(3, 0, 9)", "True"), ""), AGT_F32), "");
  // Dims beyond memory are fine where there are no elements.
  EXPECT_EQ(bytesOf(npy(dict("<f4", "(4611686018427387904, 4, 0)", "True"), ""),
                    AGT_F32),
            "");
}

TEST(Npy, ReadsWhatPython2AndOthersWrite) {
  EXPECT_EQ(read(npy("{'shape': (2L, 3L), 'fortran_order': False, \"descr\": "
                     "'|u1'}      ",
                     "abcdef"))
                .shape,
            (std::vector<int64_t>{2, 3}));
}

TEST(Npy, ReadsBothByteOrders) {
  EXPECT_EQ(bytesOf(npy(dict("<i4", "(2,)"), "abcdefgh"), AGT_I32), "abcdefgh");
  EXPECT_EQ(bytesOf(npy(dict(">i4", "(2,)"), "abcdefgh"), AGT_I32), "dcbahgfe");
  EXPECT_EQ(bytesOf(npy(dict("=i8", "(1,)"), "abcdefgh"), AGT_I64), "abcdefgh");
  EXPECT_EQ(bytesOf(npy(dict(">i1", "(2,)"), "ab"), AGT_I8), "ab");
}

TEST(Npy, ReadsFortranOrder) {
  EXPECT_EQ(bytesOf(npy(dict("|i1", "(2, 3)", "True"), "abcdef"), AGT_I8),
            "acebdf");
  EXPECT_EQ(bytesOf(npy(dict(">f2", "(2, 2)", "True"), "abcdefgh"), AGT_F16),
            "bafedchg");
  EXPECT_EQ(
      bytesOf(npy(dict("|i1", "(2, 1, 2, 2)", "True"), "abcdefgh"), AGT_I8),
      "aecgbfdh");
}

TEST(Npy, TakesRawBitsForSmallFloats) {
  EXPECT_EQ(bytesOf(npy(dict("<u2", "(1,)"), "ab"), AGT_BF16), "ab");
  EXPECT_EQ(bytesOf(npy(dict(">u2", "(1,)"), "ab"), AGT_BF16), "ba");
  EXPECT_EQ(bytesOf(npy(dict("|u1", "(1,)"), "a"), AGT_F8E4M3), "a");
}

TEST(Npy, MakesBoolsZeroOrOne) {
  EXPECT_EQ(
      bytesOf(npy(dict("|b1", "(3,)"), std::string("\0\1\xff", 3)), AGT_BOOL),
      std::string("\0\1\1", 3));
}

TEST(Npy, RefusesOtherTypesThanTheParameters) {
  auto bind = [](const std::string &descr, size_t bytes, agt_dtype dtype) {
    try {
      bindStored(read(npy(dict(descr, "(1,)"), std::string(bytes, 0))), dtype,
                 "pos", "x.npy");
    } catch (const Failure &failure) {
      EXPECT_EQ(failure.code, AGT_BAD_INPUT);
      return failure.message;
    }
    return std::string();
  };
  EXPECT_EQ(bind("<i8", 8, AGT_I32),
            "expected i32 for 'pos', got i64 in 'x.npy'; NumPy makes i64 by "
            "default, save x.astype(numpy.int32)");
  EXPECT_EQ(bind("<f8", 8, AGT_F32),
            "expected f32 for 'pos', got f64 in 'x.npy'; NumPy makes f64 by "
            "default, save x.astype(numpy.float32)");
  EXPECT_EQ(bind("<f2", 2, AGT_BF16),
            "expected bf16 for 'pos', got f16 in 'x.npy'; bf16 is stored as "
            "bf16 or as its raw u16");
  EXPECT_EQ(bind("<u2", 2, AGT_F16),
            "expected f16 for 'pos', got u16 in 'x.npy'");
  EXPECT_EQ(bind("|u1", 1, AGT_BOOL),
            "expected bool for 'pos', got u8 in 'x.npy'");
}

TEST(Npy, RefusesTypesThatAreNoTensors) {
  auto typed = [](const std::string &descr) {
    return errorOf(npy(dict(descr, "(0,)"), ""));
  };
  const std::string rest = ", expected floats, integers or bools";
  EXPECT_EQ(typed("<c8"), "it holds complex numbers" + rest);
  EXPECT_EQ(typed("|O"), "it holds Python objects" + rest);
  EXPECT_EQ(typed("<U7"), "it holds strings" + rest);
  EXPECT_EQ(typed("|S7"), "it holds byte strings" + rest);
  EXPECT_EQ(typed("<M8[ns]"), "it holds times" + rest);
  EXPECT_EQ(typed("<f3"), "it holds elements of the unknown type '<f3'" + rest);
  EXPECT_EQ(typed(std::string("<f4\0", 4)),
            "it holds elements of the unknown type '<f4\\u{0}'" + rest);
  EXPECT_EQ(typed(""), "it holds elements of the unknown type ''" + rest);
  EXPECT_EQ(typed("<V2"),
            "it holds raw bytes (a bfloat16 or float8 array is to be saved as "
            "its unsigned integers: x.view(numpy.uint16) or "
            "x.view(numpy.uint8))" +
                rest);
  EXPECT_EQ(errorOf(npy("{'descr': [('a', '<f4')], 'fortran_order': False, "
                        "'shape': (1,), }",
                        "abcd")),
            "it holds records (a structured dtype), expected elements of one "
            "plain type");
}

TEST(Npy, RefusesFilesThatEndEarly) {
  std::string file = npy(dict("<f4", "(2,)"), "abcdefgh");
  EXPECT_EQ(errorOf(""), "it is empty, expected an .npy file");
  EXPECT_EQ(errorOf("hello, world"), "it is not an .npy file");
  EXPECT_EQ(errorOf(file.substr(0, 5)), "it is not an .npy file");
  EXPECT_EQ(errorOf(file.substr(0, 7)), "it ends within its header");
  EXPECT_EQ(errorOf(file.substr(0, 9)), "it ends within its header");
  EXPECT_EQ(errorOf(file.substr(0, 20)),
            "it ends within its header: expected 58 bytes of header, got 10");
  EXPECT_EQ(errorOf(file.substr(0, file.size() - 3)),
            "its header says [2] of f32, which takes 8 bytes, got 5");
  // No prefix of a file is a file.
  for (size_t n = 0; n < file.size(); ++n)
    EXPECT_NE(errorOf(file.substr(0, n)), "") << n;
}

TEST(Npy, RefusesHeadersThatLie) {
  EXPECT_EQ(errorOf(npy(dict("<f4", "(2,)"), "abcdefghi")),
            "its header says [2] of f32, which takes 8 bytes, got 9");
  EXPECT_EQ(errorOf(npy(dict("<f4", "(1000000, 1000000)"), "abcd")),
            "its header says [1000000, 1000000] of f32, which takes "
            "4000000000000 bytes, got 4");
  EXPECT_EQ(
      errorOf(
          npy(dict("<f4", "(4611686018427387904, 4611686018427387904)"), "")),
      "its header says [4611686018427387904, 4611686018427387904] of f32, more "
      "than memory can hold");
  EXPECT_EQ(errorOf(npy(dict("<f8", "(2305843009213693952,)"), "")),
            "its header says [2305843009213693952] of f64, more than memory "
            "can hold");
  EXPECT_EQ(errorOf(npy(dict("<f4", "(9223372036854775808,)"), "")),
            "its header has a dim beyond 64 bits");
}

TEST(Npy, RefusesDamagedHeaders) {
  auto header = [](const std::string &text) { return errorOf(npy(text, "")); };
  EXPECT_EQ(header(dict("<f4", "(-1,)")),
            "its header is damaged: expected a dim at byte 51");
  EXPECT_EQ(header(dict("<f4", "(3)")),
            "its header is damaged: expected ',' at byte 52");
  EXPECT_EQ(header(dict("<f4", "3")),
            "its header is damaged: expected '(' at byte 50");
  EXPECT_EQ(header(dict("<f4", "(nan,)")),
            "its header is damaged: expected a dim at byte 51");
  EXPECT_EQ(header(dict("<f4", "(1,)", "Perhaps")),
            "its header is damaged: expected True or False at byte 34");
  EXPECT_EQ(header("{'descr': '<f4}"),
            "its header is damaged: expected a string that ends at byte 10");
  EXPECT_EQ(header(""), "its header is damaged: expected '{' at byte 1");
  EXPECT_EQ(header("{'descr': '<f4'"),
            "its header is damaged: expected '}' at byte 16");
  EXPECT_EQ(header(dict("<f4", "(0,)") + " more"),
            "its header is damaged: expected the header's end at byte 58");
  EXPECT_EQ(header("{}"), "its header lacks 'descr'");
  EXPECT_EQ(header("{'descr': '<f4', 'shape': ()}"),
            "its header lacks 'fortran_order'");
  EXPECT_EQ(header("{'descr': '<f4', 'fortran_order': True}"),
            "its header lacks 'shape'");
  EXPECT_EQ(header("{'color': 'red'}"), "its header has the unknown key "
                                        "'color'");
  std::string many = "(";
  for (int i = 0; i < 65; ++i)
    many += "1,";
  EXPECT_EQ(header(dict("<f4", many + ")")),
            "its header has more than 64 dims");
  std::string file = npy(dict("<f4", "(0,)"), "");
  file[6] = 4;
  EXPECT_EQ(errorOf(file),
            "its format version is 4.0, expected 1.0, 2.0 or 3.0");
}

TEST(Npy, WritesWhatItReads) {
  test::TempDir dir;
  std::vector<std::vector<int64_t>> shapes = {{},     {0},       {5},
                                              {2, 3}, {1, 0, 7}, {2, 1, 3, 4}};
  for (agt_dtype dtype : {AGT_F32, AGT_F16, AGT_BF16, AGT_F8E4M3, AGT_I8,
                          AGT_I32, AGT_I64, AGT_BOOL})
    for (const auto &shape : shapes) {
      agt_tensor tensor;
      allocateTensor(tensor, dtype, shape.data(), int(shape.size()));
      uint64_t bytes = *tensorBytes(tensor.dtype, tensor.shape, tensor.rank);
      auto *data = static_cast<unsigned char *>(tensor.data);
      for (uint64_t i = 0; i < bytes; ++i)
        data[i] = dtype == AGT_BOOL ? i % 2 : i * 37 % 256;
      OutputFile out(dir.path("t.npy"));
      writeNpy(out, tensor);
      out.commit();

      std::string file = dir.read("t.npy");
      EXPECT_EQ((file.size() - bytes) % 64, 0u);
      EXPECT_EQ(read(file).shape, shape);
      EXPECT_EQ(bytesOf(file, dtype),
                std::string(reinterpret_cast<char *>(data), bytes));
      agt_tensor_release(&tensor);
    }
}

} // namespace
