//===- Link.h - From LLVM IR to files a person runs -------------*- C++ -*-===//
//
// Object files by LLVM's code generator for the host; executables and shared
// objects by the system's C compiler, with the static runtime beside agtc.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_CODEGEN_HOST_LINK_H
#define AGT_CODEGEN_HOST_LINK_H

#include "codegen/host/Manifest.h"

#include "llvm/Support/Error.h"

namespace llvm {
class Module;
}

namespace agt::host {

/// Where the runtime's archive and headers are, found from agtc's own path.
struct Toolchain {
  std::string runtimeArchive; // libagt_runtime.a
  std::string includeDir;     // holds agt/runtime.h
};
llvm::Expected<Toolchain> findToolchain(llvm::StringRef agtcPath);

/// Nobody calls a program but at its `main`: names that an author chose stay
/// apart from those of the runtime and the C library.
void keepNamesInside(llvm::Module &program);

/// The bytes of `module` as a relocatable object for this machine's
/// architecture.
llvm::Expected<std::string> objectCode(llvm::Module &module);

llvm::Error linkExecutable(const Toolchain &toolchain, llvm::StringRef object,
                           llvm::StringRef path);
llvm::Error linkLibrary(const Toolchain &toolchain, llvm::StringRef object,
                        llvm::StringRef path);

/// The C header of a library: one function a graph.
std::string headerText(const Manifest &manifest);

} // namespace agt::host

#endif // AGT_CODEGEN_HOST_LINK_H
