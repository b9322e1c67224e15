// KernelBuilder: one compute kernel under the ABI of agt/runtime.h, as a
// gpu.module of `arith`, `math` and `scf` ops with `spirv` ops for memory and
// subgroups.
//
//   KernelBuilder k(loc, {"relu", /*workgroupSize=*/64,
//                         {WordType::F32, WordType::F32}});
//   k.guarded([&] {
//     Value i = k.add(k.mul(k.workgroup(), 64), k.thread());
//     k.ifThen(k.ult(i, k.scalar(0)), [&] {
//       k.storeWord(1, i, k.fmaxNaN(k.loadWord(0, i), k.f32(0)));
//     });
//   });
//   OwningOpRef<ModuleOp> module = k.finish();
//
// Memory: push constants hold the address of the scalars and one address a
// buffer. A buffer is an array of 32-bit words, all read as one type
// (SwiftShader does not survive a cast of a pointer); narrower elements are
// taken out of words. Indices are i32: buffers of up to 2^31 words.
#ifndef AGT_CODEGEN_SPIRV_KERNELBUILDER_H
#define AGT_CODEGEN_SPIRV_KERNELBUILDER_H

#include "codegen/common/ValueBuilder.h"
#include "runtime/include/agt/runtime.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVTypes.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <utility>
#include <vector>

namespace agt::spirv {

/// I64 words (two elements of 32 bits, four of 16) need AGT_FEATURE_INT64 and
/// rows that begin at whole ones; where a load is a gather they halve the cost.
enum class WordType { F32, I32, I64 };

/// How a buffer of such elements is best read: f32 as floats, others as words.
inline WordType wordTypeOf(agt_dtype dtype) {
  return dtype == AGT_F32 ? WordType::F32 : WordType::I32;
}

struct KernelConfig {
  std::string name;
  int32_t workgroupSize = 1;
  std::vector<WordType> buffers;
  /// For devices with cooperative matrices (AGT_FEATURE_COOPMAT and
  /// AGT_FEATURE_FLOAT16): see matrixTargetEnv.
  bool matrices = false;
};

/// A variable of the invocation: registers, where drivers find enough of them.
struct Variable {
  mlir::Value pointer;
};

/// An array all invocations of a workgroup share.
struct SharedArray {
  mlir::Value pointer;
  mlir::Type element;
};

class KernelBuilder : public codegen::ValueBuilder {
public:
  KernelBuilder(mlir::Location loc, KernelConfig config);
  ~KernelBuilder() override;

  /// The module; the builder is empty afterwards.
  mlir::OwningOpRef<mlir::ModuleOp> finish();

  // Where this invocation stands.
  virtual Value workgroup(); // linear number, x + y * gl_NumWorkGroups.x
  virtual Value thread();    // number in the workgroup
  Value lane();      // number in the subgroup
  /// Runs body in the workgroups that have work (numbers below scalars[0]).
  void guarded(llvm::function_ref<void()> body);

  // Scalars of the launch, the number of workgroups not counted: scalar(0) is
  // the first that agt_graph_launch was given.
  virtual Value scalar(unsigned index);
  Value scalarF32(unsigned index);

  /// The same buffer under another number with words of another type. Not for
  /// SwiftShader.
  unsigned view(unsigned buffer, WordType type);

  // Words of buffers, as the buffer's type.
  virtual Value loadWord(unsigned buffer, Value index);
  virtual void storeWord(unsigned buffer, Value index, Value value);
  Value loadI32(unsigned buffer, Value index); // bits, whatever the word type
  void storeI32(unsigned buffer, Value index, Value bits);

  /// A word of an I64 buffer as two f32 or i32, low first.
  std::pair<Value, Value> loadDouble(unsigned buffer, Value index,
                                     mlir::Type half);
  void storeDouble(unsigned buffer, Value index, Value low, Value high);

  // Elements. F32, F16 and BF16 come as f32; I32 as i32; I8 sign-extended and
  // BOOL zero-extended to i32.
  Value loadElement(unsigned buffer, agt_dtype dtype, Value index);
  /// Both 16-bit elements of a word as f32: low, high.
  std::pair<Value, Value> unpackPair(agt_dtype dtype, Value word);
  /// Two f32 rounded to 16 bits each and packed, low first.
  Value packPair(agt_dtype dtype, Value low, Value high);
  /// Stores one element. Elements narrower than a word go in by atomic and/or,
  /// so that neighbours in the same word may be stored by anyone at any time.
  /// Faster where it can be done: own whole words and use packPair.
  void storeElement(unsigned buffer, agt_dtype dtype, Value index, Value value);

  /// Stores the low `width` (8 or 16) bits of element `index` likewise.
  virtual void storeNarrow(unsigned buffer, Value index, Value bits,
                           unsigned width);

  // Variables, made at the top of the function.
  virtual Variable makeVariable(mlir::Type type);
  Variable makeVariable(Value init);
  virtual Value load(Variable v);
  virtual void store(Variable v, Value value);

  // Subgroups: every invocation must be there.
  Value broadcast(Value value, unsigned lane);
  Value shuffle(Value value, Value lane);

  // Shared memory.
  SharedArray makeShared(mlir::Type element, int64_t size);
  Value load(const SharedArray &array, Value index);
  void store(const SharedArray &array, Value index, Value value);
  void barrier(); // of the workgroup, for shared memory

  // Cooperative matrices of 16 x 16 elements, one a subgroup: f16 operands
  // from shared memory, f32 sums. Rows begin `pitch` elements apart, at
  // multiples of 16 bytes.
  enum class Matrix { A, B, Sum };
  mlir::Type matrixType(Matrix use);
  Value subgroup(); // number in the workgroup
  Value loadMatrix(const SharedArray &array, Value index, int64_t pitch,
                   Matrix use, bool transposed);
  void storeMatrix(const SharedArray &array, Value index, int64_t pitch,
                   Value sum);
  Value zeroSum();
  Value multiplyAdd(Value a, Value b, Value sum);
  /// Element `index` of an f16 buffer of I32 words, exactly.
  Value loadHalf(unsigned buffer, Value index);
  Value zeroHalf();

  Value fmaxAny(Value x, Value y) override;
  Value f32FromHalf(Value bits) override;

protected:
  /// For targets that run kernels of independent invocations (no subgroups, no
  /// shared memory) by other means: the derived class makes the function and
  /// overrides all that touches it.
  KernelBuilder(mlir::Location loc, std::vector<WordType> buffers);
  mlir::Type wordType(unsigned buffer);

private:
  Value element(Value pointer, Value index);
  Value entryValue(llvm::function_ref<Value()> make);
  mlir::spirv::MemoryAccessAttr sharedAccess();

  KernelConfig config;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::gpu::GPUModuleOp gpuModule;
  mlir::gpu::GPUFuncOp func;
  mlir::Operation *head = nullptr;     // values for all go right after it
  std::vector<Value> pointers;         // scalars, then buffers
  llvm::DenseMap<unsigned, Value> scalars;
  Value firstMember; // 0, as SPIR-V wants it for structs
  Value workgroupValue, threadValue, laneValue, subgroupValue;
  unsigned sharedCount = 0;
};

} // namespace agt::spirv

#endif // AGT_CODEGEN_SPIRV_KERNELBUILDER_H
