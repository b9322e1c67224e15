// KernelBuilder: one compute kernel under the ABI of agt/runtime.h, written
// once and made by each target in its own way.
//
//   void relu(KernelBuilder &k) {
//     Value i = k.add(k.mul(k.workgroup(), 64), k.thread());
//     k.ifThen(k.ult(i, k.scalar(0)), [&] {
//       k.storeWord(1, i, k.fmaxNaN(k.loadWord(0, i), k.f32(0)));
//     });
//   }
//
// A target has words of memory, variables and subgroups (of one invocation, if
// it has none); elements of every type stand on those here.
//
// A buffer is an array of 32-bit words, all read as one type (SwiftShader does
// not survive a cast of a pointer); narrower elements are taken out of words.
// Indices are i32: buffers of up to 2^31 words.
#ifndef AGT_CODEGEN_KERNELS_KERNELBUILDER_H
#define AGT_CODEGEN_KERNELS_KERNELBUILDER_H

#include "codegen/common/ValueBuilder.h"
#include "runtime/include/agt/runtime.h"

#include <utility>
#include <vector>

namespace agt::kernels {

/// I64 words (two elements of 32 bits, four of 16) need AGT_FEATURE_INT64 and
/// rows that begin at whole ones; where a load is a gather they halve the cost.
enum class WordType { F32, I32, I64 };

/// How a buffer of such elements is best read: f32 as floats, others as words.
inline WordType wordTypeOf(agt_dtype dtype) {
  return dtype == AGT_F32 ? WordType::F32 : WordType::I32;
}

/// A variable of the invocation: registers, where targets find enough of them.
struct Variable {
  mlir::Value pointer;
};

class KernelBuilder : public codegen::ValueBuilder {
public:
  ~KernelBuilder() override;

  // Where this invocation stands.
  virtual Value workgroup() = 0; // linear number, x + y * width of the launch
  virtual Value thread() = 0;    // number in the workgroup

  // Scalars of the launch, the number of workgroups not counted: scalar(0) is
  // the first that agt_graph_launch was given.
  virtual Value scalar(unsigned index) = 0;
  Value scalarF32(unsigned index);

  // Words of buffers, as the buffer's type.
  virtual Value loadWord(unsigned buffer, Value index) = 0;
  virtual void storeWord(unsigned buffer, Value index, Value value) = 0;
  Value loadI32(unsigned buffer, Value index); // bits, whatever the word type
  void storeI32(unsigned buffer, Value index, Value bits);

  // Elements. F32, F16 and BF16 come as f32; I32 as i32; I8 sign-extended and
  // BOOL zero-extended to i32.
  Value loadElement(unsigned buffer, agt_dtype dtype, Value index);
  /// Two f32 rounded to 16 bits each and packed, low first.
  Value packPair(agt_dtype dtype, Value low, Value high);
  /// Stores one element. Elements narrower than a word may have neighbours in
  /// it that are stored by anyone at any time (storeNarrow). Faster where it
  /// can be done: own whole words and use packPair.
  void storeElement(unsigned buffer, agt_dtype dtype, Value index, Value value);

  /// Stores the low `width` (8 or 16) bits of element `index`, and nothing
  /// else of its word.
  virtual void storeNarrow(unsigned buffer, Value index, Value bits,
                           unsigned width) = 0;

  // Variables, made at the top of the function.
  virtual Variable makeVariable(mlir::Type type) = 0;
  Variable makeVariable(Value init);
  virtual Value load(Variable v) = 0;
  virtual void store(Variable v, Value value) = 0;

  // Subgroups: every invocation must be there.
  virtual Value broadcast(Value value, unsigned lane) = 0;
  virtual Value shuffle(Value value, Value lane) = 0;

protected:
  KernelBuilder(mlir::Location loc, std::vector<WordType> buffers);

  WordType wordsOf(unsigned buffer) const { return buffers[buffer]; }
  mlir::Type wordType(unsigned buffer);
  unsigned bufferCount() const { return buffers.size(); }
  /// Another buffer behind the others.
  unsigned addBuffer(WordType type);

private:
  std::vector<WordType> buffers;
};

} // namespace agt::kernels

#endif // AGT_CODEGEN_KERNELS_KERNELBUILDER_H
