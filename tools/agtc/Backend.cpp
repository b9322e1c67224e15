// `agtc`'s later stages: one library call each, then a file.
#include "tools/agtc/Backend.h"
#include "codegen/common/Verify.h"
#include "codegen/host/Link.h"
#include "codegen/host/Program.h"
#include "passes/Mesh/ScheduleText.h"
#include "passes/Pipelines.h"
#include "tools/agtc/MlirOptions.h"
#include "tools/agtc/Source.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace agt;
using namespace agt::tool;

namespace {

class Backend {
public:
  Backend(ModuleOp module, const CompileOptions &options)
      : module(module), options(options) {}

  int run();

private:
  int emitText(llvm::function_ref<void(llvm::raw_ostream &)> print);
  int emitKernels();
  int emitSpirv();
  int emitObjectFile(llvm::Module &lowered);
  int emitLinked(llvm::Module &lowered, host::ProgramKind kind);
  int link(llvm::Module &lowered, host::ProgramKind kind);
  int writeHeader();
  int fail(llvm::Error error);
  bool chooseTargets();
  bool namesFitLibrary();
  void warnOfSharedLaunches();

  ModuleOp module;
  const CompileOptions &options;
  host::Program program;
};

/// What the program is called: the stem of its output, of its source else. A
/// library libX.so is the program X.
std::string programName(const CompileOptions &options) {
  llvm::StringRef path =
      options.output.empty() ? options.input : options.output;
  llvm::StringRef stem = llvm::sys::path::stem(path);
  if (options.emit == "lib" && !options.output.empty())
    stem.consume_front("lib");
  return stem.str();
}

/// Where this agtc is: the runtime lies beside it.
std::string executablePath() {
  static int anchor;
  return llvm::sys::fs::getMainExecutable(nullptr, &anchor);
}

} // namespace

int Backend::fail(llvm::Error error) {
  complain(llvm::toString(std::move(error)));
  return BadUsage;
}

int Backend::emitText(llvm::function_ref<void(llvm::raw_ostream &)> print) {
  std::string text;
  llvm::raw_string_ostream out(text);
  print(out);
  return writeResult(options, options.output, text);
}

/// The gpu.modules that kernels are made of, a comment before each variant, and
/// the functions of native code, a module for each level of processors.
int Backend::emitKernels() {
  return emitText([&](llvm::raw_ostream &out) {
    for (const host::Kernel &kernel : program.kernels.kernels())
      for (const spirv::KernelBinary &variant : kernel.variants)
        out << "// " << kernel.name << " for " << variant.profile << "\n"
            << variant.source->get() << "\n";
    program.kernels.native().print(out);
  });
}

/// One .spv a variant, KERNEL.PROFILE.spv, in the folder -o names.
int Backend::emitSpirv() {
  if (!mayWrite(options))
    return ErrorsInProgram;
  std::string folder = resultPath(options);
  std::error_code code = llvm::sys::fs::create_directories(folder);
  if (!code && !llvm::sys::fs::is_directory(folder))
    code = std::make_error_code(std::errc::not_a_directory);
  if (code) {
    complain("cannot write '" + folder + "': " + code.message());
    return BadUsage;
  }
  for (auto [number, kernel] : llvm::enumerate(program.kernels.kernels())) {
    for (const spirv::KernelBinary &variant : kernel.variants) {
      std::string name = (llvm::Twine(number) + "." + kernel.name + "." +
                          variant.profile + ".spv")
                             .str();
      llvm::replace(name, '/', '-');
      llvm::SmallString<128> path(folder);
      llvm::sys::path::append(path, name);
      llvm::StringRef bytes(
          reinterpret_cast<const char *>(variant.words.data()),
          4 * variant.words.size());
      if (!writeOutput(path.str().str(), bytes))
        return BadUsage;
    }
  }
  return Fine;
}

int Backend::emitObjectFile(llvm::Module &lowered) {
  llvm::Expected<std::string> code = host::objectCode(lowered);
  if (!code)
    return fail(code.takeError());
  return writeResult(options, resultPath(options), *code);
}

int Backend::link(llvm::Module &lowered, host::ProgramKind kind) {
  if (!mayWrite(options))
    return ErrorsInProgram;
  auto toolchain = host::findToolchain(executablePath());
  if (!toolchain)
    return fail(toolchain.takeError());
  if (kind == host::ProgramKind::Executable)
    host::keepNamesInside(lowered);
  llvm::Expected<std::string> code = host::objectCode(lowered);
  if (!code)
    return fail(code.takeError());
  llvm::SmallString<128> object;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("agtc", "o", object)) {
    complain("cannot write a temporary file: " + error.message());
    return BadUsage;
  }
  llvm::FileRemover remover(object);
  if (!writeOutput(object.str().str(), *code))
    return BadUsage;
  auto *linkAs = kind == host::ProgramKind::Library ? host::linkLibrary
                                                    : host::linkExecutable;
  if (llvm::Error error = linkAs(*toolchain, object, resultPath(options)))
    return fail(std::move(error));
  return Fine;
}

/// The C header of a library, beside it.
int Backend::writeHeader() {
  llvm::SmallString<128> header(
      llvm::sys::path::parent_path(resultPath(options)));
  llvm::sys::path::append(header, program.manifest.program + ".h");
  return writeOutput(header.str().str(), host::headerText(program.manifest))
             ? Fine
             : BadUsage;
}

int Backend::emitLinked(llvm::Module &lowered, host::ProgramKind kind) {
  int result = link(lowered, kind);
  return result == Fine && kind == host::ProgramKind::Library ? writeHeader()
                                                              : result;
}

/// The functions of a library are named after its graphs and agents, beside
/// those of agt/runtime.h and agt/agent.h.
bool Backend::namesFitLibrary() {
  bool fit = true;
  for (Operation &op : *module.getBody()) {
    if (!isa<GraphOp, AgentOp>(op))
      continue;
    llvm::StringRef name = SymbolTable::getSymbolName(&op);
    if (name != "agt" && !name.starts_with("agt_"))
      continue;
    op.emitError("in a library names that begin with 'agt_' are the runtime's: "
                 "'")
        << name << "' would give '" << name
        << (isa<GraphOp>(op) ? "_graph'" : "_start'");
    fit = false;
  }
  return fit;
}

// The native code of a program is for the levels that --cpu names, or for all.
bool Backend::chooseTargets() {
  if (options.target == "vulkan")
    return true;
  auto targets = cpu::parseTargets(options.cpu);
  if (!targets) {
    complain("native code is made for x86-64-v3 and x86-64-v4, which this "
             "processor is not: name one with --cpu");
    return false;
  }
  program.kernels.native() = cpu::Program(*targets, options.explain);
  program.kernels.wantsSpirv = options.target != "cpu";
  return true;
}

/// What a reproducible program cannot promise.
void Backend::warnOfSharedLaunches() {
  for (LlmOp op : module.getOps<LlmOp>())
    if (DictionaryAttr settings = op.getSettingsAttr();
        settings && settings.contains("pages"))
      op.emitWarning("agents and 'serve' ask '")
          << op.getSymName()
          << "' in launches that all share who ask at the same time, keys in "
             "the order of their pages: the bits of its answers are not "
             "reproducible there";
}

int Backend::run() {
  if (options.emit == "spirv" && options.target == "cpu") {
    complain("there is no SPIR-V with --target=cpu; --emit=kernels shows what "
             "native code is made of");
    return BadUsage;
  }
  if (options.verifyEach)
    codegen::verifyEachPass();
  if (!chooseTargets())
    return BadUsage;
  program.kernels.splitKeys = options.splitKeys;
  PipelineOptions pipeline{options.explain, options.reproducible};
  auto configured = [this](PassManager &passes) {
    return configure(passes, options);
  };
  if (failed(host::lower(module, configured, [&](OpPassManager &passes) {
        buildModelPipeline(passes, options.explain);
      })))
    return ErrorsInProgram;
  if (options.reproducible)
    warnOfSharedLaunches();
  program.manifest = host::describeProgram(module, programName(options));
  if (options.emit == "lib" && !namesFitLibrary())
    return ErrorsInProgram;
  if (failed(host::lower(module, configured, [&](OpPassManager &passes) {
        buildRingPipeline(passes, pipeline);
      })))
    return ErrorsInProgram;
  if (options.emit == "ring")
    return emitText([&](llvm::raw_ostream &out) {
      printSchedules(module, out);
      module.print(out);
    });
  if (failed(host::lower(module, configured,
                         [&](OpPassManager &passes) {
                           buildKernelPipeline(passes, options.explain);
                         })) ||
      failed(host::keepGraphs(module, program)) ||
      (options.reproducible &&
       failed(host::lower(module, configured, buildLeavesPipeline))) ||
      failed(host::lowerToHost(module, program)))
    return ErrorsInProgram;
  if (options.emit == "kernels")
    return emitKernels();
  if (options.emit == "spirv")
    return emitSpirv();
  if (options.emit == "host")
    return emitText([&](llvm::raw_ostream &out) { module.print(out); });

  llvm::LLVMContext context;
  auto kind = options.emit == "lib" ? host::ProgramKind::Library
                                    : host::ProgramKind::Executable;
  std::unique_ptr<llvm::Module> lowered =
      host::lowerToLLVM(module, program, kind, context, configured);
  if (!lowered)
    return ErrorsInProgram;
  if (options.emit == "llvm")
    return emitText(
        [&](llvm::raw_ostream &out) { lowered->print(out, nullptr); });
  if (options.emit == "obj")
    return emitObjectFile(*lowered);
  return emitLinked(*lowered, kind);
}

int agt::tool::emitBackend(ModuleOp module, const CompileOptions &options) {
  return Backend(module, options).run();
}
