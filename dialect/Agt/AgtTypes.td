//===- AgtTypes.td - Type constraints of the agt dialect ------------------===//

#ifndef AGT_TYPES_TD
#define AGT_TYPES_TD

include "mlir/IR/CommonTypeConstraints.td"

// With the names of the IR, so that errors are short.
class Agt_OneOf<list<Type> types, string names> : AnyTypeOf<types, names>;
def Agt_Element : Agt_OneOf<[F32, F16, BF16, F8E4M3FN, I8, I32, I64, I1],
  "f32, f16, bf16, f8E4M3FN, i8, i32, i64 or i1">;
def Agt_Float : Agt_OneOf<[F32, F16, BF16], "f32, f16 or bf16">;
def Agt_Number : Agt_OneOf<[F32, F16, BF16, I8, I32, I64],
  "f32, f16, bf16, i8, i32 or i64">;
def Agt_KeyElement : Agt_OneOf<[F32, F16, BF16, F8E4M3FN, I8],
  "f32, f16, bf16, f8E4M3FN or i8">;
def Agt_Narrow : Agt_OneOf<[F8E4M3FN, I8], "f8E4M3FN or i8">;
def Agt_Index : Agt_OneOf<[I32, I64], "i32 or i64">;

class Agt_TensorOf<Type element>
    : RankedTensorOf<[element], [], "tensor">;
def Agt_Tensor : Agt_TensorOf<Agt_Element>;
def Agt_FloatTensor : Agt_TensorOf<Agt_Float>;
def Agt_NumberTensor : Agt_TensorOf<Agt_Number>;
def Agt_KeyTensor : Agt_TensorOf<Agt_KeyElement>;
def Agt_NarrowTensor : Agt_TensorOf<Agt_Narrow>;
def Agt_IndexTensor : Agt_TensorOf<Agt_Index>;
def Agt_BoolTensor : Agt_TensorOf<I1>;
def Agt_I8Tensor : Agt_TensorOf<I8>;
def Agt_I32Tensor : Agt_TensorOf<I32>;
def Agt_F32Tensor : Agt_TensorOf<F32>;
def Agt_LeavesType : Type<CPred<"::mlir::isa<::agt::LeavesType>($_self)">,
  "leaves">, BuildableType<"::agt::LeavesType::get($_builder.getContext())">;
def Agt_Scalar : AnyTypeOf<[Index, F64], "index or f64">;

#endif // AGT_TYPES_TD
