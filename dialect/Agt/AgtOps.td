//===- AgtOps.td - All ops of the agt dialect, by kind --------------------===//

#ifndef AGT_OPS_TD
#define AGT_OPS_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

include "dialect/Agt/AgtDialect.td"
include "dialect/Agt/AgtTypes.td"
include "dialect/Agt/AgtEnums.td"
include "dialect/Agt/AgtGraphOps.td"
include "dialect/Agt/AgtElementwiseOps.td"
include "dialect/Agt/AgtShapeOps.td"
include "dialect/Agt/AgtReductionOps.td"
include "dialect/Agt/AgtAttentionOps.td"
include "dialect/Agt/AgtModelOps.td"
include "dialect/Agt/AgtMeshOps.td"
include "dialect/Agt/AgtKernelOps.td"
include "dialect/Agt/AgtAgentTypes.td"
include "dialect/Agt/AgtAgentDeclOps.td"
include "dialect/Agt/AgtAgentValueOps.td"
include "dialect/Agt/AgtAgentControlOps.td"
include "dialect/Agt/AgtAgentStepOps.td"
include "dialect/Agt/AgtAgentTestOps.td"

#endif // AGT_OPS_TD
