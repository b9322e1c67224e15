//===- AgtTypes.td - Type constraints of the agt dialect ------------------===//

#ifndef AGT_TYPES_TD
#define AGT_TYPES_TD

include "mlir/IR/CommonTypeConstraints.td"

def Agt_Element : AnyTypeOf<[F32, F16, BF16, F8E4M3FN, I8, I32, I64, I1]>;
def Agt_FloatElement : AnyTypeOf<[F32, F16, BF16]>;

def Agt_Tensor : RankedTensorOf<[Agt_Element]>;
def Agt_FloatTensor : RankedTensorOf<[F32, F16, BF16]>;
def Agt_NumberTensor : RankedTensorOf<[F32, F16, BF16, I8, I32, I64]>;
def Agt_KeyTensor : RankedTensorOf<[F32, F16, BF16, F8E4M3FN, I8]>;
def Agt_BoolTensor : RankedTensorOf<[I1]>;
def Agt_IndexTensor : RankedTensorOf<[I32, I64]>;
def Agt_I32Tensor : RankedTensorOf<[I32]>;
def Agt_F32Tensor : RankedTensorOf<[F32]>;
def Agt_Scalar : AnyTypeOf<[Index, F64]>;

#endif // AGT_TYPES_TD
