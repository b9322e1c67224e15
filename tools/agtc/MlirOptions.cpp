#include "tools/agtc/MlirOptions.h"

#include "tools/agtc/Commands.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

bool agt::tool::parseMlirOptions(const std::vector<std::string> &options) {
  if (options.empty())
    return true;
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  std::vector<const char *> words{"agtc"};
  for (const std::string &option : options)
    words.push_back(option.c_str());
  return llvm::cl::ParseCommandLineOptions(words.size(), words.data(), "",
                                           &llvm::errs());
}

mlir::LogicalResult agt::tool::configure(mlir::PassManager &passes,
                                         const CompileOptions &options) {
  if (options.mlirOptions.empty())
    return mlir::success(); // they are not registered then
  mlir::applyDefaultTimingPassManagerCLOptions(passes);
  return mlir::applyPassManagerCLOptions(passes);
}
