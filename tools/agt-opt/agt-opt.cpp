//===- agt-opt.cpp - Runs passes on textual IR ----------------------------===//
//
// The tests' way into the middle of the compiler: parses a module, runs the
// passes named on the command line, prints the result. The dialects are those
// that agtc's pipelines go through, the upstream passes those that tests use.
//
//===----------------------------------------------------------------------===//

#include "dialect/Agt/Agt.h"
#include "dialect/Ring/Ring.h"
#include "passes/Passes.h"
#include "passes/Pipelines.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/AllExtensions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<agt::AgtDialect, agt::ring::RingDialect,
                  mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                  mlir::func::FuncDialect, mlir::gpu::GPUDialect,
                  mlir::LLVM::LLVMDialect, mlir::math::MathDialect,
                  mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                  mlir::spirv::SPIRVDialect, mlir::tensor::TensorDialect,
                  mlir::vector::VectorDialect>();
  mlir::func::registerAllExtensions(registry);

  agt::registerAgtPasses();
  agt::registerAgtPipelines();
  mlir::registerTransformsPasses();
  mlir::memref::registerMemRefPasses();
  return mlir::failed(
      mlir::MlirOptMain(argc, argv, "agt optimizer driver\n", registry));
}
