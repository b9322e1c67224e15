// Kernels on the device against the oracle: every function, every element type
// it takes, sizes that divide by nothing. Seeds are fixed and printed with a
// failure.
#include "unittests/SPIRV/KernelRunner.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

using namespace agt::test;
using agt::reference::Element;
using llvm::StringRef;

namespace {

/// Runs `body` (with `agt.return`) as a graph of `arguments` -> `results` on
/// random inputs, through the preferred variants and through the last ones.
class GraphTest {
public:
  GraphTest(std::string arguments, std::string results, std::string body)
      : text("agt.graph @f(" + arguments + ") -> (" + results + ") {\n" + body +
             "\n}") {}

  /// Values of the i-th input are drawn by `draw` instead.
  using Draw = std::function<Tensor(llvm::ArrayRef<int64_t>, std::mt19937 &)>;
  GraphTest &input(unsigned i, Draw draw) {
    draws[i] = std::move(draw);
    return *this;
  }
  GraphTest &indices(unsigned i, int64_t limit) {
    return input(i, [=](llvm::ArrayRef<int64_t> shape, std::mt19937 &random) {
      return randomIndices(elements[i], shape, limit, random);
    });
  }
  /// Runs once with each standard deviation.
  GraphTest &scaled(std::vector<double> scales) {
    spreads = std::move(scales);
    return *this;
  }
  /// Also through the variants from number `skip` on.
  GraphTest &variants(unsigned skip) {
    skips.push_back(skip);
    return *this;
  }
  GraphTest &kernels(unsigned count) {
    expectedKernels = count;
    return *this;
  }

  /// Each of `sizes` is the open dims of the inputs, in order.
  void check(std::vector<std::vector<int64_t>> sizes, unsigned seed = 1) {
    for (unsigned skip : skips) {
      KernelRunner runner;
      ASSERT_EQ(runner.compile(text, skip), "") << text;
      if (expectedKernels)
        EXPECT_EQ(runner.kernelCount(), *expectedKernels) << text;
      for (const std::vector<int64_t> &dims : sizes)
        for (double spread : spreads) {
          std::string said = runner.check(inputsOf(runner, dims, seed, spread));
          EXPECT_EQ(said, "") << text << "\nseed " << seed << ", dims "
                              << testing::PrintToString(dims) << ", spread "
                              << spread << ", skip " << skip;
        }
    }
  }

private:
  std::vector<Tensor> inputsOf(KernelRunner &runner,
                               const std::vector<int64_t> &dims, unsigned seed,
                               double spread) {
    std::mt19937 random(seed);
    std::vector<Tensor> inputs;
    size_t next = 0;
    auto types = runner.graph().getArgumentTypes();
    elements.clear();
    for (mlir::Type type : types)
      elements.push_back(agt::reference::elementOf(type));
    for (auto [i, type] : llvm::enumerate(types)) {
      std::vector<int64_t> shape;
      for (int64_t dim : mlir::cast<mlir::RankedTensorType>(type).getShape())
        shape.push_back(mlir::ShapedType::isDynamic(dim) ? dims.at(next++)
                                                         : dim);
      inputs.push_back(draws.count(i)
                           ? draws[i](shape, random)
                           : randomTensor(elements[i], shape, random, spread));
    }
    EXPECT_EQ(next, dims.size());
    return inputs;
  }

  std::string text;
  std::map<unsigned, Draw> draws;
  std::vector<Element> elements;
  std::vector<double> spreads = {1};
  std::vector<unsigned> skips = {0, 100};
  std::optional<unsigned> expectedKernels;
};

std::string tensor(StringRef dims, StringRef element) {
  return ("tensor<" + dims + element + ">").str();
}

const char *const kFloats[] = {"f32", "f16", "bf16"};
const char *const kNumbers[] = {"f32", "f16", "bf16", "i8", "i32", "i64"};
const char *const kAll[] = {"f32", "f16", "bf16", "f8E4M3FN",
                            "i8",  "i32", "i64",  "i1"};

// ---- element by element ----------------------------------------------------

TEST(Elementwise, Binary) {
  for (StringRef element : kNumbers)
    for (StringRef op : {"add", "sub", "mul", "div", "rem", "max", "min"}) {
      std::string t = tensor("?x", element);
      GraphTest("%x: " + t + ", %y: " + t, t,
                llvm::formatv("%r = agt.{0} %x, %y : ({1}, {1}) -> {1}\n"
                              "agt.return %r : {1}",
                              op, t))
          .kernels(1)
          .check({{0, 0}, {1, 1}, {7, 7}, {301, 301}});
    }
}

TEST(Elementwise, Unary) {
  for (StringRef element : kFloats)
    for (StringRef op :
         {"neg", "abs", "exp", "log", "sqrt", "rsqrt", "tanh", "sigmoid",
          "silu", "gelu", "gelu_tanh", "relu", "cos", "sin"}) {
      std::string t = tensor("?x", element);
      std::vector<double> scales = {0.1, 3, 30};
      if (element != "f16")
        scales.insert(scales.end(), {1e4, 1e30});
      GraphTest(
          "%x: " + t, t,
          llvm::formatv("%r = agt.{0} %x : {1}\nagt.return %r : {1}", op, t))
          .scaled(scales)
          .check({{1000}});
    }
}

// What arithmetic has corners for.
TEST(Elementwise, SpecialValues) {
  std::vector<double> values = {0.0,
                                -0.0,
                                1,
                                -1,
                                INFINITY,
                                -INFINITY,
                                NAN,
                                0x1p-149,
                                -0x1p-126,
                                0x1.fffffep127,
                                -0x1.fffffep127,
                                88.7,
                                -87.4,
                                -103.9,
                                0.5,
                                2147483648.0,
                                -2147483904.0,
                                16777217};
  auto draw = [&](size_t stride) {
    return [values, stride](llvm::ArrayRef<int64_t> shape, std::mt19937 &) {
      Tensor x(Element::F32, shape);
      for (int64_t i = 0; i < x.size(); ++i)
        x.reals[i] = float(values[i / stride % values.size()]);
      return x;
    };
  };
  int64_t n = values.size();
  for (StringRef op :
       {"neg", "abs", "exp", "log", "sqrt", "rsqrt", "tanh", "sigmoid", "silu",
        "gelu", "gelu_tanh", "relu", "cos", "sin"})
    GraphTest("%x: tensor<?xf32>", "tensor<?xf32>",
              llvm::formatv("%r = agt.{0} %x : tensor<?xf32>\n"
                            "agt.return %r : tensor<?xf32>",
                            op))
        .input(0, draw(1))
        .check({{n}});
  for (StringRef op : {"add", "mul", "div", "rem", "max", "min"})
    GraphTest("%x: tensor<?xf32>, %y: tensor<?xf32>", "tensor<?xf32>",
              llvm::formatv("%r = agt.{0} %x, %y : (tensor<?xf32>, "
                            "tensor<?xf32>) -> tensor<?xf32>\n"
                            "agt.return %r : tensor<?xf32>",
                            op))
        .input(0, draw(1))
        .input(1, draw(n))
        .check({{n * n, n * n}});
  for (StringRef to : kAll) {
    std::string t = tensor("?x", to);
    GraphTest("%x: tensor<?xf32>", t,
              llvm::formatv("%r = agt.cast %x : tensor<?xf32> -> {0}\n"
                            "agt.return %r : {0}",
                            t))
        .input(0, draw(1))
        .check({{n}});
  }
}

TEST(Elementwise, UnaryIntegers) {
  for (StringRef element : {"i8", "i32", "i64"})
    for (StringRef op : {"neg", "abs", "relu"}) {
      std::string t = tensor("?x", element);
      GraphTest(
          "%x: " + t, t,
          llvm::formatv("%r = agt.{0} %x : {1}\nagt.return %r : {1}", op, t))
          .check({{257}});
    }
}

TEST(Elementwise, Casts) {
  for (StringRef from : kAll)
    for (StringRef to : kAll) {
      std::string a = tensor("?x", from), b = tensor("?x", to);
      GraphTest("%x: " + a, b,
                llvm::formatv("%r = agt.cast %x : {0} -> {1}\n"
                              "agt.return %r : {1}",
                              a, b))
          .scaled({1, 50})
          .check({{399}});
    }
}

TEST(Elementwise, CompareAndSelect) {
  for (StringRef element : kAll)
    for (StringRef kind : {"eq", "ne", "lt", "le", "gt", "ge"}) {
      if (element == "i1" && kind != "eq" && kind != "ne")
        continue;
      std::string t = tensor("?x", element);
      GraphTest(
          "%x: " + t + ", %y: " + t, t + ", tensor<?xi1>",
          llvm::formatv(
              "%c = agt.compare {0} %x, %y : ({1}, {1}) -> tensor<?xi1>\n"
              "%r = agt.select %c, %y, %x : (tensor<?xi1>, {1}, {1}) -> {1}\n"
              "agt.return %r, %c : {1}, tensor<?xi1>",
              kind, t))
          .check({{123, 123}});
    }
}

TEST(Elementwise, Broadcasts) {
  for (StringRef element : {"f32", "f16", "i8"}) {
    std::string a = tensor("?x1x6x", element), b = tensor("?x1x", element),
                c = tensor("", element), r = tensor("?x?x6x", element);
    GraphTest("%a: " + a + ", %b: " + b + ", %c: " + c, r,
              llvm::formatv("%x = agt.add %a, %b : ({0}, {1}) -> {3}\n"
                            "%y = agt.mul %x, %c : ({3}, {2}) -> {3}\n"
                            "agt.return %y : {3}",
                            a, b, c, r))
        .kernels(1)
        .check({{3, 5}, {1, 1}, {4, 1}, {0, 3}});
  }
}

TEST(Elementwise, ScalarsAndSizes) {
  GraphTest("%x: tensor<?x5xf32>",
            "tensor<?x5xf32>, tensor<?xi32>, tensor<3x?xf16>",
            R"mlir(
      %c0 = arith.constant 0 : index
      %half = arith.constant 0.5 : f64
      %n = tensor.dim %x, %c0 : tensor<?x5xf32>
      %s = agt.scalar %n : index -> tensor<f32>
      %h = agt.scalar %half : f64 -> tensor<f32>
      %a = agt.div %x, %s : (tensor<?x5xf32>, tensor<f32>) -> tensor<?x5xf32>
      %b = agt.add %a, %h : (tensor<?x5xf32>, tensor<f32>) -> tensor<?x5xf32>
      %i = agt.iota %n : tensor<?xi32>
      %f = agt.full %half [%n] : f64 -> tensor<3x?xf16>
      agt.return %b, %i, %f : tensor<?x5xf32>, tensor<?xi32>, tensor<3x?xf16>)mlir")
      .check({{1}, {9}});
}

// ---- shapes ----------------------------------------------------------------

TEST(Shapes, MovesOfEveryType) {
  for (StringRef element : kAll) {
    std::string a = tensor("?x6x4x", element), b = tensor("4x?x6x", element),
                c = tensor("4x?x2x3x", element),
                d = tensor("4x?x2x2x", element),
                e = tensor("4x?x2x5x", element);
    GraphTest("%x: " + a, e,
              llvm::formatv(R"mlir(
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %n = tensor.dim %x, %c0 : {0}
      %t = agt.transpose %x [2, 0, 1] : {0} -> {1}
      %r = agt.reshape %t [%n] : {1} -> {2}
      %s = agt.slice %r [%c1 to %c3] axis 3 : {2} -> {3}
      %k = agt.concat %r, %s axis 3 : ({2}, {3}) -> {4}
      agt.return %k : {4})mlir",
                            a, b, c, d, e))
        .kernels(1)
        .check({{1}, {5}, {0}});
  }
}

TEST(Shapes, ConcatOfMany) {
  std::string arguments, names, types;
  for (int i = 0; i < 20; ++i) {
    arguments += llvm::formatv("{0}%a{1}: tensor<?x3xf16>", i ? ", " : "", i);
    names += llvm::formatv("{0}%a{1}", i ? ", " : "", i);
    types += i ? ", tensor<?x3xf16>" : "tensor<?x3xf16>";
  }
  std::vector<int64_t> sizes;
  for (int i = 0; i < 20; ++i)
    sizes.push_back(i % 4);
  GraphTest(arguments, "tensor<?x3xf16>",
            "%r = agt.concat " + names + " axis 0 : (" + types +
                ") -> tensor<?x3xf16>\nagt.return %r : tensor<?x3xf16>")
      .check({sizes});
}

TEST(Shapes, Embed) {
  for (StringRef element : kAll)
    for (StringRef index : {"i32", "i64"}) {
      std::string t = tensor("?x7x", element), i = tensor("3x?x", index),
                  r = tensor("3x?x7x", element);
      GraphTest("%t: " + t + ", %i: " + i, r,
                llvm::formatv("%r = agt.embed %t, %i : ({0}, {1}) -> {2}\n"
                              "agt.return %r : {2}",
                              t, i, r))
          .indices(1, 12) // some are outside
          .check({{10, 5}, {0, 3}});
    }
}

TEST(Shapes, Rope) {
  auto positions = [](Element element) {
    return [element](llvm::ArrayRef<int64_t> shape, std::mt19937 &random) {
      Tensor tensor(element, shape);
      for (int64_t &p : tensor.ints)
        p = int64_t(random() % 2000000) - 1000;
      return tensor;
    };
  };
  for (StringRef element : kFloats)
    for (StringRef index : {"i32", "i64"})
      for (StringRef pairs : {"interleaved", "halves"})
        for (StringRef dims : {"", "dims 6"}) {
          if (index == "i64" && element != "f32")
            continue;
          std::string t = tensor("2x3x?x10x", element);
          std::string p = tensor("2x?x", index);
          GraphTest("%x: " + t + ", %p: " + p, t,
                    llvm::formatv("%r = agt.rope %x, %p base 1.0e4 scale 1.5 "
                                  "pairs {0} {1} : ({2}, {3}) -> {2}\n"
                                  "agt.return %r : {2}",
                                  pairs, dims, t, p))
              .input(1, positions(index == "i64" ? Element::I64 : Element::I32))
              .kernels(1)
              .check({{7, 7}, {0, 0}});
        }
}

// Ids and positions of 64 bits need no 64-bit integers of the device.
TEST(Shapes, WideIndicesOnNarrowDevices) {
  KernelRunner runner;
  ASSERT_EQ(runner.compile(R"mlir(
    agt.graph @f(%t: tensor<9x8xf32>, %i: tensor<?xi64>) -> tensor<?x8xf32> {
      %e = agt.embed %t, %i : (tensor<9x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>
      %r = agt.rope %e, %i base 1.0e4 scale 1.0 pairs halves
          : (tensor<?x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>
      agt.return %r : tensor<?x8xf32>
    })mlir"),
            "");
  EXPECT_EQ(runner.features() & AGT_FEATURE_INT64, 0u);
  Tensor ids = Tensor::integers(Element::I64, {5},
                                {8, 0, -1, int64_t(1) << 32, INT64_MIN});
  std::mt19937 random(1);
  EXPECT_EQ(runner.check({randomTensor(Element::F32, {9, 8}, random), ids}),
            "");
}

// ---- along an axis ---------------------------------------------------------

TEST(Rows, Reductions) {
  for (StringRef element : kNumbers)
    for (StringRef kind : {"sum", "mean", "max", "min"})
      for (int axis : {0, 1, 2}) {
        bool rest = element != "f32" && kind != "sum" && kind != "max";
        if (rest || (axis != 2 && element != "f32"))
          continue;
        std::string t = tensor("?x?x?x", element);
        std::string keep = tensor(axis == 0   ? "1x?x?x"
                                  : axis == 1 ? "?x1x?x"
                                              : "?x?x1x",
                                  element);
        std::string drop = tensor("?x?x", element);
        GraphTest(
            "%x: " + t, keep + ", " + drop,
            llvm::formatv("%k = agt.reduce {0} %x axis {1} keep : {2} -> {3}\n"
                          "%d = agt.reduce {0} %x axis {1} : {2} -> {4}\n"
                          "agt.return %k, %d : {3}, {4}",
                          kind, axis, t, keep, drop))
            .check({{3, 5, 7}, {2, 1, 500}, {0, 2, 3}, {2, 3, 0}, {4, 0, 2}});
      }
}

TEST(Rows, LongSums) {
  GraphTest("%x: tensor<?x?xf32>", "tensor<?xf32>",
            "%d = agt.reduce sum %x axis 1 : tensor<?x?xf32> -> tensor<?xf32>\n"
            "agt.return %d : tensor<?xf32>")
      .check({{2, 100000}});
}

TEST(Rows, ArgmaxAndTopk) {
  for (StringRef element : kNumbers) {
    std::string t = tensor("?x?x", element), v = tensor("?x5x", element);
    GraphTest("%x: " + t,
              "tensor<?xi32>, tensor<?xi32>, " + v + ", tensor<?x5xi32>",
              llvm::formatv(
                  "%a = agt.argmax %x axis 1 : {0} -> tensor<?xi32>\n"
                  "%b = agt.argmax %x axis 0 : {0} -> tensor<?xi32>\n"
                  "%v, %i = agt.topk %x k 5 : {0} -> ({1}, tensor<?x5xi32>)\n"
                  "agt.return %a, %b, %v, %i : tensor<?xi32>, tensor<?xi32>, "
                  "{1}, tensor<?x5xi32>",
                  t, v))
        .input(0,
               [=](llvm::ArrayRef<int64_t> shape, std::mt19937 &random) {
                 // Few values: many are equal. Some NaN.
                 Tensor x = randomTensor(element == "i8"    ? Element::I8
                                         : element == "i32" ? Element::I32
                                         : element == "i64" ? Element::I64
                                         : element == "f16" ? Element::F16
                                         : element == "f32" ? Element::F32
                                                            : Element::BF16,
                                         shape, random);
                 for (double &value : x.reals)
                   value =
                       random() % 20 ? std::round(value * 2) / 2 : std::nan("");
                 return x;
               })
        .check({{3, 5}, {2, 77}, {0, 9}});
  }
}

TEST(Rows, Softmax) {
  for (StringRef element : kFloats)
    for (int axis : {0, 1, 2}) {
      std::string t = tensor("?x?x?x", element);
      GraphTest("%x: " + t, t,
                llvm::formatv("%r = agt.softmax %x axis {0} : {1}\n"
                              "agt.return %r : {1}",
                              axis, t))
          .scaled({4})
          .check({{3, 5, 7}, {1, 2, 300}, {2, 0, 3}, {1, 1, 1}});
    }
}

TEST(Rows, Norms) {
  for (StringRef element : kFloats)
    for (StringRef length : {"?", "8", "64", "100", "256"}) {
      std::string t = tensor(("?x" + length + "x").str(), element);
      std::string w = tensor((length + "x").str(), element);
      std::vector<std::vector<int64_t>> sizes = {{1}, {5}, {0}};
      if (length == "?")
        sizes = {{3, 33, 33, 33}, {2, 1000, 1000, 1000}, {1, 1, 1, 1}};
      GraphTest("%x: " + t + ", %w: " + w + ", %b: " + w, t + ", " + t,
                llvm::formatv(
                    "%r = agt.rms_norm %x, %w eps 1.0e-5 : ({0}, {1}) -> {0}\n"
                    "%l = agt.layer_norm %x, %w bias %b eps 1.0e-5 : ({0}, "
                    "{1}, {1}) -> {0}\n"
                    "agt.return %r, %l : {0}, {0}",
                    t, w))
          .check(sizes);
    }
}

TEST(Rows, ProducersAndEpilogues) {
  GraphTest("%x: tensor<?x?xf16>, %m: tensor<?x?xi1>", "tensor<?x?xf16>",
            R"mlir(
      %low = arith.constant 0xFFF0000000000000 : f64
      %scale = arith.constant 0.25 : f64
      %a = agt.scalar %scale : f64 -> tensor<f16>
      %b = agt.scalar %low : f64 -> tensor<f16>
      %s = agt.mul %x, %a : (tensor<?x?xf16>, tensor<f16>) -> tensor<?x?xf16>
      %w = agt.select %m, %s, %b : (tensor<?x?xi1>, tensor<?x?xf16>, tensor<f16>) -> tensor<?x?xf16>
      %p = agt.softmax %w axis 1 : tensor<?x?xf16>
      %r = agt.add %p, %x : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>
      agt.return %r : tensor<?x?xf16>)mlir")
      .kernels(1)
      .check({{3, 50, 3, 50}, {2, 9, 2, 9}});
}

// ---- products --------------------------------------------------------------

TEST(Products, Linear) {
  for (StringRef element : kFloats)
    for (StringRef width : {"?", "1", "24", "200"}) {
      std::string x = tensor(("2x?x" + width + "x").str(), element);
      std::string w = tensor(("?x" + width + "x").str(), element);
      std::string b = tensor("?x", element), r = tensor("2x?x?x", element);
      std::vector<std::vector<int64_t>> sizes = {
          {1, 5, 5}, {9, 40, 40}, {0, 3, 3}, {3, 0, 0}, {40, 17, 17}};
      if (width == "?")
        sizes = {{1, 3, 5, 3, 5},
                 {9, 130, 40, 130, 40},
                 {3, 0, 4, 0, 4},
                 {33, 300, 17, 300, 17}};
      GraphTest("%x: " + x + ", %w: " + w + ", %b: " + b, r,
                llvm::formatv(
                    "%r = agt.linear %x, %w bias %b : ({0}, {1}, {2}) -> {3}\n"
                    "agt.return %r : {3}",
                    x, w, b, r))
          .kernels(1)
          .variants(4) // low tiles
          .check(sizes);
    }
}

TEST(Products, MatmulOfBatches) {
  for (StringRef element : kFloats) {
    std::string a = tensor("?x1x?x?x", element), b = tensor("3x?x?x", element),
                r = tensor("?x3x?x?x", element);
    GraphTest("%a: " + a + ", %b: " + b, r,
              llvm::formatv("%r = agt.matmul %a, %b : ({0}, {1}) -> {2}\n"
                            "agt.return %r : {2}",
                            a, b, r))
        .variants(4)
        .check({{2, 5, 7, 7, 9}, {1, 20, 33, 33, 18}, {2, 1, 0, 0, 4}});
  }
}

TEST(Products, Fused) {
  // Heads put together before, a residual and a gate after.
  GraphTest(
      "%x: tensor<4x?x8xf32>, %w: tensor<64x32xf32>, %y: tensor<?x64xf32>",
      "tensor<?x64xf32>", R"mlir(
      %c1 = arith.constant 1 : index
      %n = tensor.dim %x, %c1 : tensor<4x?x8xf32>
      %t = agt.transpose %x [1, 0, 2] : tensor<4x?x8xf32> -> tensor<?x4x8xf32>
      %u = agt.reshape %t [%n] : tensor<?x4x8xf32> -> tensor<?x32xf32>
      %l = agt.linear %u, %w : (tensor<?x32xf32>, tensor<64x32xf32>) -> tensor<?x64xf32>
      %s = agt.silu %l : tensor<?x64xf32>
      %r = agt.mul %s, %y : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
      agt.return %r : tensor<?x64xf32>)mlir")
      .kernels(1)
      .variants(4)
      .check({{1, 1}, {50, 50}, {0, 0}});
}

// Quantised factors stay as they are stored: the product reads their bytes, and
// so does a gather; each is one kernel.
TEST(Products, OfQuantisedBlocks) {
  struct Format {
    const char *name;
    int64_t row, block;           // bytes of 256 numbers, and of a block
    std::vector<int64_t> factors; // their upper bytes in a block
  };
  for (const Format &format :
       {Format{"q4_0", 144, 18, {1}}, Format{"q8_0", 272, 34, {1}},
        Format{"q4_k", 144, 144, {1, 3}}, Format{"q6_k", 210, 210, {209}}}) {
    // Any bytes, but for factors that are infinite or no number.
    auto blocks = [&](llvm::ArrayRef<int64_t> shape, std::mt19937 &random) {
      std::vector<int64_t> bytes(size_t(shape[0] * shape[1]));
      for (size_t i = 0; i < bytes.size(); ++i) {
        bool factor =
            llvm::is_contained(format.factors, int64_t(i) % format.block);
        bytes[i] = int8_t(random() & (factor ? 0xbf : 0xff));
      }
      return Tensor::integers(Element::I8, shape, bytes);
    };
    std::string w = llvm::formatv("tensor<20x{0}xi8>", format.row).str();
    std::string unpack =
        llvm::formatv("%u = agt.unpack_blocks %w as {0} : {1} -> "
                      "tensor<20x256xf32>\n",
                      format.name, w)
            .str();
    GraphTest("%x: tensor<?x256xf32>, %w: " + w, "tensor<?x20xf32>",
              unpack + "%r = agt.linear %x, %u : (tensor<?x256xf32>, "
                       "tensor<20x256xf32>) -> tensor<?x20xf32>\n"
                       "agt.return %r : tensor<?x20xf32>")
        .input(1, blocks)
        .kernels(1)
        .variants(4)
        .check({{1}, {50}});
    GraphTest("%t: tensor<?xi32>, %w: " + w, "tensor<?x256xf32>",
              unpack +
                  "%r = agt.embed %u, %t : (tensor<20x256xf32>, tensor<?xi32>) "
                  "-> tensor<?x256xf32>\n"
                  "agt.return %r : tensor<?x256xf32>")
        .indices(0, 20)
        .input(1, blocks)
        .kernels(1)
        .check({{5}, {0}});
  }
}

// ---- quantisation ----------------------------------------------------------

TEST(Quantisation, ThereAndBack) {
  for (StringRef narrow : {"i8", "f8E4M3FN"})
    for (StringRef element : kFloats) {
      std::string x = tensor("2x?x6x", element), v = tensor("2x?x6x", narrow);
      GraphTest(
          "%x: " + x, v + ", tensor<2x?xf32>, tensor<2x?x6xf32>",
          llvm::formatv(
              "%v, %s = agt.quantize %x block 4 : {0} -> ({1}, "
              "tensor<2x?xf32>)\n"
              "%d = agt.dequantize %v, %s block 4 : ({1}, tensor<2x?xf32>) -> "
              "tensor<2x?x6xf32>\n"
              "agt.return %v, %s, %d : {1}, tensor<2x?xf32>, tensor<2x?x6xf32>",
              x, v))
          .check({{1}, {4}, {9}, {0}});
    }
}

} // namespace
