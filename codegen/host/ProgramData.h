//===- ProgramData.h - The constant data of a program -----------*- C++ -*-===//
//
// Kernels, descriptors and the manifest as LLVM constants laid out as the C
// structs of agt/runtime.h, beside the host functions that refer to them.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_CODEGEN_HOST_PROGRAMDATA_H
#define AGT_CODEGEN_HOST_PROGRAMDATA_H

#include "codegen/host/GraphLowering.h"
#include "codegen/host/Manifest.h"

namespace llvm {
class Module;
}

namespace agt::host {

enum class ProgramKind { Executable, Library };

/// Defines what host functions refer to. An executable also gets `main`. `ir`
/// are the graphs as bytecode, or empty.
void addProgramData(llvm::Module &module, const Manifest &manifest,
                    const KernelTable &kernels, ProgramKind kind,
                    llvm::StringRef ir);

} // namespace agt::host

#endif // AGT_CODEGEN_HOST_PROGRAMDATA_H
