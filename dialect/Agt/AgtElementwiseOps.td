//===- AgtElementwiseOps.td - Functions element by element ----------------===//

#ifndef AGT_ELEMENTWISE_OPS_TD
#define AGT_ELEMENTWISE_OPS_TD

// Element by element with NumPy's broadcasting. Where both dims are `?` they
// are equal (the front end has required it). Computed in f32 (integers in
// their own width) and rounded once to the element type of the result.
class Agt_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : Agt_TensorOp<mnemonic, !listconcat(traits, [Agt_Pulled, Agt_Elementwise])>;

class Agt_BinaryOp<string mnemonic, string text, Type operand = Agt_NumberTensor,
                   list<Trait> traits = [], string element = "f32">
    : Agt_ElementwiseOp<mnemonic, !listconcat(traits, [Agt_InferType])> {
  let summary = text;
  let description = [{
    Broadcasts as NumPy does. Floats are computed in f32 and rounded once to
    the result's type, integers in their own width, wrapping.

    Example:

    ```mlir
    %0 = agt.}] # mnemonic # [{ %a, %b : (tensor<4x?x}] # element # [{>, tensor<?x}] # element # [{>) -> tensor<4x?x}] # element # [{>
    ```

    **Constraints**
    - binary_c1: the operands have one element type.
    - binary_c2: their shapes broadcast, and the result has the shape that this
      gives, and their element type.
  }];
  let arguments = (ins operand:$lhs, operand:$rhs);
  let results = (outs operand:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = Agt_InferDecl;
}

class Agt_UnaryOp<string mnemonic, string text, Type operand = Agt_FloatTensor,
                  list<Trait> traits = [], string element = "f32">
    : Agt_ElementwiseOp<mnemonic, !listconcat(traits, [SameOperandsAndResultType])> {
  let summary = text;
  let description = [{
    The result has the type of the input.

    Example:

    ```mlir
    %0 = agt.}] # mnemonic # [{ %a : tensor<4x?x}] # element # [{>
    ```
  }];
  let arguments = (ins operand:$input);
  let results = (outs operand:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Agt_AddOp : Agt_BinaryOp<"add", "`a + b`", Agt_NumberTensor, [Commutative]>;
def Agt_SubOp : Agt_BinaryOp<"sub", "`a - b`">;
def Agt_MulOp : Agt_BinaryOp<"mul", "`a * b`", Agt_NumberTensor, [Commutative]>;
def Agt_DivOp : Agt_BinaryOp<"div", "`a / b`; integers truncate, and by 0 give 0">;
def Agt_RemOp : Agt_BinaryOp<"rem", "`a % b`, with the sign of a; integers by 0 give 0">;
def Agt_MaxOp : Agt_BinaryOp<"max", "the larger; NaN if either is", Agt_NumberTensor, [Commutative]>;
def Agt_MinOp : Agt_BinaryOp<"min", "the smaller; NaN if either is", Agt_NumberTensor, [Commutative]>;
def Agt_AndOp : Agt_BinaryOp<"and", "both hold", Agt_BoolTensor, [Commutative], "i1">;
def Agt_OrOp : Agt_BinaryOp<"or", "either holds", Agt_BoolTensor, [Commutative], "i1">;

def Agt_CompareOp : Agt_ElementwiseOp<"compare", [Agt_InferType]> {
  let summary = "`a < b` and its like; with NaN only `ne` holds";
  let description = [{
    Broadcasts like the binary functions.

    Example:

    ```mlir
    %0 = agt.compare lt %a, %b : (tensor<4x?xf32>, tensor<?xf32>) -> tensor<4x?xi1>
    ```

    **Constraints**
    - compare_c1: the operands have one element type.
    - compare_c2: their shapes broadcast, and the result has the shape that this
      gives.
  }];
  let arguments = (ins Agt_CompareAttr:$kind, Agt_Tensor:$lhs, Agt_Tensor:$rhs);
  let results = (outs Agt_BoolTensor:$result);
  let assemblyFormat = [{
    `` $kind $lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = Agt_InferDecl;
}

def Agt_SelectOp : Agt_ElementwiseOp<"select", [Agt_InferType]> {
  let summary = "`where(c, a, b)`: a where c holds, else b";
  let description = [{
    Broadcasts like the binary functions.

    Example:

    ```mlir
    %0 = agt.select %c, %a, %b
        : (tensor<4x1xi1>, tensor<4x?xf32>, tensor<f32>) -> tensor<4x?xf32>
    ```

    **Constraints**
    - select_c1: `lhs` and `rhs` have one element type.
    - select_c2: the three shapes broadcast, and the result has the shape that this
      gives and the element type of `lhs`.
  }];
  let arguments = (ins Agt_BoolTensor:$condition, Agt_Tensor:$lhs, Agt_Tensor:$rhs);
  let results = (outs Agt_Tensor:$result);
  let assemblyFormat = [{
    $condition `,` $lhs `,` $rhs attr-dict `:`
    `(` type($condition) `,` type($lhs) `,` type($rhs) `)` `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = Agt_InferDecl;
}

def Agt_NegOp : Agt_UnaryOp<"neg", "`-a`", Agt_NumberTensor>;
def Agt_AbsOp : Agt_UnaryOp<"abs", "the magnitude", Agt_NumberTensor>;
def Agt_NotOp : Agt_UnaryOp<"not", "`!a`", Agt_BoolTensor, [], "i1">;
def Agt_ExpOp : Agt_UnaryOp<"exp", "e to the power">;
def Agt_LogOp : Agt_UnaryOp<"log", "natural logarithm">;
def Agt_SqrtOp : Agt_UnaryOp<"sqrt", "square root">;
def Agt_RsqrtOp : Agt_UnaryOp<"rsqrt", "one over the square root">;
def Agt_TanhOp : Agt_UnaryOp<"tanh", "hyperbolic tangent">;
def Agt_SigmoidOp : Agt_UnaryOp<"sigmoid", "`1 / (1 + exp(-a))`">;
def Agt_SiluOp : Agt_UnaryOp<"silu", "`a * sigmoid(a)`">;
def Agt_GeluOp : Agt_UnaryOp<"gelu", "`a * (1 + erf(a / sqrt(2))) / 2`">;
def Agt_GeluTanhOp : Agt_UnaryOp<"gelu_tanh",
  "gelu by its tanh form: `a/2 * (1 + tanh(sqrt(2/pi) * (a + 0.044715 a^3)))`">;
def Agt_ReluOp : Agt_UnaryOp<"relu", "`max(a, 0)`", Agt_NumberTensor>;
def Agt_CosOp : Agt_UnaryOp<"cos", "cosine">;
def Agt_SinOp : Agt_UnaryOp<"sin", "sine">;

def Agt_CastOp : Agt_ElementwiseOp<"cast"> {
  let summary = "another element type";
  let description = [{
    To smaller floats: to nearest, ties to even (f8e4m3 saturates; NaN stays).
    To integers: truncated, saturated, NaN to 0. To `i1`: not equal to 0.

    Example:

    ```mlir
    %0 = agt.cast %x : tensor<?x64xf32> -> tensor<?x64xf16>
    ```

    **Constraints**
    - cast_c1: the result has the shape of the input.
  }];
  let arguments = (ins Agt_Tensor:$input);
  let results = (outs Agt_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // AGT_ELEMENTWISE_OPS_TD
