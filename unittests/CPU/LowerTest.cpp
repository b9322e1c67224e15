// Lowering of CPU kernels: what MLIR's verifier sees of it.
#include "codegen/cpu/Lower.h"
#include "codegen/common/Verify.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <gtest/gtest.h>

using namespace agt;

TEST(Lower, VerifiesBetweenPassesWhereItIsAsked) {
  codegen::verifyEachPass();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  cpu::loadKernelDialects(context);
  mlir::ParserConfig config(&context, /*verifyAfterParse=*/false);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      R"mlir(func.func @f() -> i32 { "func.return"() : () -> () })mlir",
      config);
  ASSERT_TRUE(module);
  std::string said;
  mlir::ScopedDiagnosticHandler handler(
      &context,
      [&](mlir::Diagnostic &diagnostic) { said += diagnostic.str() + "\n"; });
  llvm::LLVMContext target;
  EXPECT_EQ(cpu::translateKernels(
                *module, cpu::parseTargets("x86-64-v3")->front(), target),
            nullptr);
  EXPECT_EQ(said, "'func.return' op has 0 operands, but enclosing function "
                  "(@f) returns 1\n");
}
