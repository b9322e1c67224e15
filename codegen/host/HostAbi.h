//===- HostAbi.h - The runtime's functions as compiled code sees them -----===//
//
// agt/abi.def lists the functions once; here they become declarations of
// func.func, and calls of them.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_CODEGEN_HOST_HOSTABI_H
#define AGT_CODEGEN_HOST_HOSTABI_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace agt::host {

/// Finds the declaration of an ABI function in `module`, or makes it.
mlir::func::FuncOp declareAbi(mlir::ModuleOp module, llvm::StringRef name);

/// Offsets in bytes of the C structs that compiled code reads and writes.
struct TensorLayout {
  static constexpr int64_t size = 32;
  static constexpr int64_t shape = 16;
};

} // namespace agt::host

#endif // AGT_CODEGEN_HOST_HOSTABI_H
