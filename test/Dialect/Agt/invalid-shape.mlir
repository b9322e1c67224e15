// RUN: agt-opt %s -split-input-file -verify-diagnostics

// Functions that move elements: one case for each constraint.

// reshape_c1
agt.graph @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{'agt.reshape' op expected 1 sizes, one for each open dim of the results, got 0}}
  %0 = agt.reshape %a [] : tensor<4xf32> -> tensor<?xf32>
  agt.return
}

// -----

// reshape_c2
agt.graph @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{'agt.reshape' op expected a result of element type 'f32', got 'f16'}}
  %0 = agt.reshape %a [] : tensor<4xf32> -> tensor<2x2xf16>
  agt.return
}

// -----

// reshape_c3
agt.graph @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{'agt.reshape' op expected a result of 4 elements, got 6}}
  %0 = agt.reshape %a [] : tensor<4xf32> -> tensor<3x2xf32>
  agt.return
}

// -----

// transpose_c1
agt.graph @f(%a: tensor<4x5xf32>) {
  // expected-error @+1 {{'agt.transpose' op expected a permutation of 0 to 1, got [0, 0]}}
  %0 = agt.transpose %a [0, 0] : tensor<4x5xf32> -> tensor<4x4xf32>
  agt.return
}

// -----

// transpose_c2
agt.graph @f(%a: tensor<4x5xf32>) {
  // expected-error @+1 {{'agt.transpose' op expected a result of type 'tensor<5x4xf32>', got 'tensor<4x5xf32>'}}
  %0 = agt.transpose %a [1, 0] : tensor<4x5xf32> -> tensor<4x5xf32>
  agt.return
}

// -----

// slice_c1
agt.graph @f(%a: tensor<4xf32>) {
  %n = arith.constant 1 : index
  // expected-error @+1 {{'agt.slice' op expected an axis of a tensor of 1 dims, got 1}}
  %0 = agt.slice %a [%n to %n] axis 1 : tensor<4xf32> -> tensor<0xf32>
  agt.return
}

// -----

// slice_c2
agt.graph @f(%a: tensor<4x5xf32>) {
  %n = arith.constant 1 : index
  // expected-error @+1 {{'agt.slice' op expected a result of type 'tensor<4x?xf32>', got 'tensor<3x?xf32>'}}
  %0 = agt.slice %a [%n to %n] axis 1 : tensor<4x5xf32> -> tensor<3x?xf32>
  agt.return
}

// -----

// slice_c3
agt.graph @f(%a: tensor<4x5xf32>) {
  %n = arith.constant 1 : index
  // expected-error @+1 {{'agt.slice' op expected at most 5 elements along axis 1, got 6}}
  %0 = agt.slice %a [%n to %n] axis 1 : tensor<4x5xf32> -> tensor<4x6xf32>
  agt.return
}

// -----

// concat_c1
agt.graph @f() {
  // expected-error @+1 {{'agt.concat' op expected at least one tensor, got none}}
  %0 = agt.concat axis 0 : () -> tensor<4xf32>
  agt.return
}

// -----

// concat_c2
agt.graph @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{'agt.concat' op expected an axis of a tensor of 1 dims, got 1}}
  %0 = agt.concat %a axis 1 : (tensor<4xf32>) -> tensor<4xf32>
  agt.return
}

// -----

// concat_c3
agt.graph @f(%a: tensor<4x2xf32>, %b: tensor<5x2xf32>) {
  // expected-error @+1 {{'agt.concat' op expected a tensor of type 'tensor<4x2xf32>', got 'tensor<5x2xf32>'}}
  %0 = agt.concat %a, %b axis 1 : (tensor<4x2xf32>, tensor<5x2xf32>) -> tensor<4x4xf32>
  agt.return
}

// -----

// concat_c3: another number of dims
agt.graph @f(%a: tensor<4x2xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{'agt.concat' op expected a tensor of type 'tensor<4x2xf32>', got 'tensor<4xf32>'}}
  %0 = agt.concat %a, %b axis 1 : (tensor<4x2xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  agt.return
}

// -----

// concat_c4
agt.graph @f(%a: tensor<4x2xf32>) {
  // expected-error @+1 {{'agt.concat' op expected a result of type 'tensor<4x4xf32>', got 'tensor<4x3xf32>'}}
  %0 = agt.concat %a, %a axis 1 : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x3xf32>
  agt.return
}

// -----

// iota_c1
agt.graph @f() {
  %n = arith.constant 1 : index
  // expected-error @+1 {{'agt.iota' op expected a result of type 'tensor<?xi32>', got 'tensor<1x1xi32>'}}
  %0 = agt.iota %n : tensor<1x1xi32>
  agt.return
}

// -----

// full_c1
agt.graph @f() {
  %n = arith.constant 1 : index
  // expected-error @+1 {{'agt.full' op expected 0 sizes, one for each open dim of the results, got 1}}
  %0 = agt.full %n [%n] : index -> tensor<4xi32>
  agt.return
}

// -----

// embed_c1
agt.graph @f(%t: tensor<4xf32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{'agt.embed' op expected a table of 2 dims, got 'tensor<4xf32>'}}
  %0 = agt.embed %t, %i : (tensor<4xf32>, tensor<2xi32>) -> tensor<2xf32>
  agt.return
}

// -----

// embed_c2
agt.graph @f(%t: tensor<4x8xf32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{'agt.embed' op expected a result of type 'tensor<2x8xf32>', got 'tensor<2x4xf32>'}}
  %0 = agt.embed %t, %i : (tensor<4x8xf32>, tensor<2xi32>) -> tensor<2x4xf32>
  agt.return
}
