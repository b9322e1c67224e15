// RUN: agt-opt %s -split-input-file -verify-diagnostics

// Functions element by element: one case for each constraint.

// binary_c1
agt.graph @f(%a: tensor<4xf32>, %b: tensor<4xf16>) {
  // expected-error @+1 {{'agt.add' op expected operands of one element type, got 'f32' and 'f16'}}
  %0 = agt.add %a, %b : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  agt.return
}

// -----

// binary_c2: shapes that do not broadcast
agt.graph @f(%a: tensor<4x3xf32>, %b: tensor<4xf32>) {
  // expected-error @+2 {{expected shapes that broadcast, got 'tensor<4x3xf32>' and 'tensor<4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = agt.add %a, %b : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  agt.return
}

// -----

// binary_c2: another result
agt.graph @f(%a: tensor<4x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+2 {{'agt.add' op inferred type(s) 'tensor<4x3xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = agt.add %a, %b : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  agt.return
}

// -----

// operands that are not numbers
agt.graph @f(%a: tensor<4xi1>) {
  // expected-error @+1 {{'agt.add' op operand #0 must be tensor of f32, f16, bf16, i8, i32 or i64 values, but got 'tensor<4xi1>'}}
  %0 = agt.add %a, %a : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  agt.return
}

// -----

// compare_c1
agt.graph @f(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  // expected-error @+1 {{'agt.compare' op expected operands of one element type, got 'f32' and 'i32'}}
  %0 = agt.compare lt %a, %b : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xi1>
  agt.return
}

// -----

// compare_c2
agt.graph @f(%a: tensor<4xf32>, %b: tensor<1x4xf32>) {
  // expected-error @+2 {{'agt.compare' op inferred type(s) 'tensor<1x4xi1>' are incompatible with return type(s) of operation 'tensor<4xi1>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = agt.compare lt %a, %b : (tensor<4xf32>, tensor<1x4xf32>) -> tensor<4xi1>
  agt.return
}

// -----

// select_c1
agt.graph @f(%c: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xf16>) {
  // expected-error @+1 {{'agt.select' op expected operands of one element type, got 'f32' and 'f16'}}
  %0 = agt.select %c, %a, %b : (tensor<4xi1>, tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  agt.return
}

// -----

// select_c2
agt.graph @f(%c: tensor<5xi1>, %a: tensor<4xf32>) {
  // expected-error @+2 {{expected shapes that broadcast, got 'tensor<5xi1>' and 'tensor<4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = agt.select %c, %a, %a : (tensor<5xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  agt.return
}

// -----

// unary functions keep the type
agt.graph @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{'agt.exp' op requires the same type for all operands and results}}
  %0 = "agt.exp"(%a) : (tensor<4xf32>) -> tensor<5xf32>
  agt.return
}

// -----

// cast_c1
agt.graph @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{'agt.cast' op expected a result of type 'tensor<4xf16>', got 'tensor<5xf16>'}}
  %0 = agt.cast %a : tensor<4xf32> -> tensor<5xf16>
  agt.return
}
