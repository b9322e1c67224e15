// CpuBuilder: one kernel for the CPU under the ABI of agt/runtime.h
// (agt_cpu_fn), as a func.func of `arith`, `math`, `scf` and `vector` ops with
// `llvm` ops for memory.
//
// Indices are 64 bits wide and written with operators (Index); memory is
// reached through typed pointers (Pointer). Values of vectors are f32 and i32,
// as many lanes as the ops' own types say: under ValueBuilder::Lanes the shared
// builders of scores, softmax and elementary functions compute vectors.
#ifndef AGT_CODEGEN_CPU_CPUBUILDER_H
#define AGT_CODEGEN_CPU_CPUBUILDER_H

#include "codegen/common/ValueBuilder.h"
#include "runtime/include/agt/runtime.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace agt::cpu {

class CpuBuilder;

/// A 64-bit integer.
struct Index {
  CpuBuilder *b = nullptr;
  mlir::Value v;
};
Index operator+(Index x, Index y);
Index operator-(Index x, Index y);
Index operator*(Index x, Index y);
Index operator/(Index x, Index y); // of numbers that are not negative
Index operator%(Index x, Index y); // likewise
Index operator+(Index x, int64_t y);
Index operator-(Index x, int64_t y);
Index operator*(Index x, int64_t y);
Index operator/(Index x, int64_t y);
Index operator%(Index x, int64_t y);
Index min(Index x, Index y);
Index max(Index x, Index y);
Index min(Index x, int64_t y);
Index max(Index x, int64_t y);
mlir::Value operator<(Index x, Index y);
mlir::Value operator<(Index x, int64_t y);
inline Index ceilDiv(Index x, int64_t y) { return (x + (y - 1)) / y; }

/// The address of an element of a type; + moves by elements.
struct Pointer {
  CpuBuilder *b = nullptr;
  mlir::Value v;
  mlir::Type element;
};
Pointer operator+(Pointer p, Index offset);
Pointer operator+(Pointer p, int64_t offset);
/// Of one in memory.
int64_t bytesOf(mlir::Type element);

class CpuBuilder : public codegen::ValueBuilder {
public:
  /// Appends the function `name` to `module`.
  CpuBuilder(mlir::ModuleOp module, llvm::StringRef name, mlir::Location loc);
  /// Ends the function.
  void finish();

  /// Goes on in a function that another builder has begun, where that one
  /// stands. The launch (group, scalars, buffers, scratch) is that one's to
  /// read.
  CpuBuilder(ValueBuilder &other, mlir::func::FuncOp function);
  /// Stands where `other` stands.
  void follow(ValueBuilder &other);

  Index index(int64_t value);
  Index index(Value i32); // sign-extended
  Value narrow(Index i);  // its low 32 bits

  // The launch. scalar(0) is the first that agt_graph_launch was given.
  Index group();
  Index groups();
  Index scalar(unsigned number);
  Value scalarF32(unsigned number);
  Pointer buffer(unsigned number, mlir::Type element);
  Pointer scratch(mlir::Type element, int64_t byteOffset);

  /// The type of an element in memory: bf16 is i16 there.
  mlir::Type memoryType(agt_dtype dtype);

  Value load(Pointer p);                // one element
  Value load(Pointer p, int64_t lanes); // as many neighbours
  void store(Pointer p, Value value);
  /// Asks for `bytes` bytes a page behind `p`, where a stream will come to:
  /// processors read ahead by themselves, but not into the next page. Nothing
  /// need be there.
  void readAhead(Pointer p, int64_t bytes);
  /// Elements as f32 (floats and i8); lanes = 0 is one, a scalar.
  Value loadF32(Pointer p, agt_dtype dtype, int64_t lanes);
  void storeF32(Pointer p, agt_dtype dtype, Value value, int64_t lanes);

  /// A scalar in every lane.
  Value splat(Value scalar, int64_t lanes);
  Value shuffle(Value x, Value y, llvm::ArrayRef<int64_t> mask);
  /// 0, 1, 2, ... as i32.
  Value laneNumbers(int64_t lanes);
  /// All lanes combined, in all lanes, as a tree.
  Value combineLanes(Value x, int64_t lanes,
                     llvm::function_ref<Value(Value, Value)> combine);

  void loop(Index from, Index to, int64_t step,
            llvm::function_ref<void(Index)> body);
  llvm::SmallVector<Value> loop(
      Index from, Index to, int64_t step, llvm::ArrayRef<Value> init,
      llvm::function_ref<llvm::SmallVector<Value>(Index, llvm::ArrayRef<Value>)>
          body);

private:
  mlir::func::FuncOp func;
};

} // namespace agt::cpu

#endif // AGT_CODEGEN_CPU_CPUBUILDER_H
