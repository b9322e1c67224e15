//===- AttributeJson.h - Attributes as JSON ---------------------*- C++ -*-===//
//
// What the runtime is told stands in the IR as attributes and in the program as
// JSON: strings, bools, numbers, lists and dictionaries as what they are.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_CODEGEN_HOST_ATTRIBUTEJSON_H
#define AGT_CODEGEN_HOST_ATTRIBUTEJSON_H

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

namespace agt::host {

/// `symbol` gives what a reference to a symbol becomes.
llvm::json::Value attributeJson(
    mlir::Attribute attribute,
    llvm::function_ref<llvm::json::Value(mlir::FlatSymbolRefAttr)> symbol);

/// The same without references.
llvm::json::Value attributeJson(mlir::Attribute attribute);

} // namespace agt::host

#endif // AGT_CODEGEN_HOST_ATTRIBUTEJSON_H
