// SpirvBuilder: a kernel as a gpu.module of `arith`, `math` and `scf` ops with
// `spirv` ops for memory and subgroups; and what only kernels of SPIR-V use:
// shared memory, words of 64 bits, cooperative matrices.
//
//   SpirvBuilder k(loc, {"relu", /*workgroupSize=*/64,
//                        {WordType::F32, WordType::F32}});
//   k.guarded([&] { relu(k); });
//   OwningOpRef<ModuleOp> module = k.finish();
//
// Memory: push constants hold the address of the scalars and one address a
// buffer.
#ifndef AGT_CODEGEN_SPIRV_SPIRVBUILDER_H
#define AGT_CODEGEN_SPIRV_SPIRVBUILDER_H

#include "codegen/kernels/KernelBuilder.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVTypes.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace agt::spirv {

using kernels::KernelBuilder;
using kernels::Variable;
using kernels::WordType;

struct KernelConfig {
  std::string name;
  int32_t workgroupSize = 1;
  std::vector<WordType> buffers;
  /// For devices with cooperative matrices (AGT_FEATURE_COOPMAT and
  /// AGT_FEATURE_FLOAT16): see matrixTargetEnv.
  bool matrices = false;
};

/// An array all invocations of a workgroup share.
struct SharedArray {
  mlir::Value pointer;
  mlir::Type element;
};

class SpirvBuilder : public KernelBuilder {
public:
  SpirvBuilder(mlir::Location loc, KernelConfig config);

  /// The module; the builder is empty afterwards.
  mlir::OwningOpRef<mlir::ModuleOp> finish();
  /// Runs body in the workgroups that have work (numbers below scalars[0]).
  void guarded(llvm::function_ref<void()> body);

  Value workgroup() override; // x + y * gl_NumWorkGroups.x
  Value thread() override;
  Value lane();     // number in the subgroup
  Value subgroup(); // number in the workgroup
  Value scalar(unsigned index) override;

  Value loadWord(unsigned buffer, Value index) override;
  void storeWord(unsigned buffer, Value index, Value value) override;
  /// By atomic and/or.
  void storeNarrow(unsigned buffer, Value index, Value bits,
                   unsigned width) override;
  /// The same buffer under another number with words of another type. Not for
  /// SwiftShader.
  unsigned view(unsigned buffer, WordType type);
  /// A word of an I64 buffer as two f32 or i32, low first.
  std::pair<Value, Value> loadDouble(unsigned buffer, Value index,
                                     mlir::Type half);
  void storeDouble(unsigned buffer, Value index, Value low, Value high);
  /// Both 16-bit elements of a word as f32: low, high.
  std::pair<Value, Value> unpackPair(agt_dtype dtype, Value word);

  using KernelBuilder::makeVariable;
  Variable makeVariable(mlir::Type type) override;
  Value load(Variable v) override;
  void store(Variable v, Value value) override;

  Value broadcast(Value value, unsigned lane) override;
  Value shuffle(Value value, Value lane) override;

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

private:
  Value element(Value pointer, Value index);
  Value entryValue(llvm::function_ref<Value()> make);
  mlir::spirv::MemoryAccessAttr sharedAccess();

  bool matrices;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::gpu::GPUModuleOp gpuModule;
  mlir::gpu::GPUFuncOp func;
  mlir::Operation *head = nullptr; // values for all go right after it
  std::vector<Value> pointers;     // scalars, then buffers
  llvm::DenseMap<unsigned, Value> scalars;
  Value firstMember; // 0, as SPIR-V wants it for structs
  Value workgroupValue, threadValue, laneValue, subgroupValue;
  unsigned sharedCount = 0;
};

} // namespace agt::spirv

#endif // AGT_CODEGEN_SPIRV_SPIRVBUILDER_H
