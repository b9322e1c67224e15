// RUN: agt-opt %s -split-input-file -verify-diagnostics

// Kernels and tables of rotations: one case for each constraint.

// kernel_c1
agt.graph @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{'agt.kernel' op expected body arguments of types ('tensor<4xf32>'), got ('tensor<5xf32>')}}
  "agt.kernel"(%a) <{label = "k", operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%x: tensor<5xf32>):
    agt.yield
  }) : (tensor<4xf32>) -> ()
  agt.return
}

// -----

// kernel_c2
agt.graph @f() {
  %n = arith.constant 1 : i32
  // expected-error @+1 {{'agt.kernel' op operand #0 must be variadic of tensor of f32, f16, bf16, f8E4M3FN, i8, i32, i64 or i1 values or index or 64-bit float, but got 'i32'}}
  agt.kernel "k" (%x = %n : i32) {
  }
  agt.return
}

// -----

// kernel_c3
agt.graph @f(%a: tensor<?xf32>) {
  // expected-error @+1 {{'agt.kernel' op expected 1 sizes, one for each open dim of the results, got 0}}
  %0 = agt.kernel "k" (%x = %a : tensor<?xf32>) -> tensor<?xf32> {
    agt.yield %x : tensor<?xf32>
  }
  agt.return
}

// -----

// kernel_c4
agt.graph @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{'agt.kernel' op expected yielded values of types ('tensor<4xf16>'), got ('tensor<4xf32>')}}
  %0 = agt.kernel "k" (%x = %a : tensor<4xf32>) -> tensor<4xf16> {
    agt.yield %x : tensor<4xf32>
  }
  agt.return
}

// -----

// rope_table_c1
agt.graph @f() {
  %n = arith.constant 8 : index
  // expected-error @+1 {{'agt.rope_table' op expected a result of type 'tensor<?x2xi32>', got 'tensor<4xi32>'}}
  %0 = agt.rope_table %n base 1.0 scale 1.0 : tensor<4xi32>
  agt.return
}

// -----

// rotate_c1
agt.graph @f(%x: tensor<5x4xf32>, %p: tensor<4xi32>, %t: tensor<2x2xi32>) {
  // expected-error @+1 {{'agt.rotate' op expected positions [tokens] or [batch..., tokens] of 'tensor<5x4xf32>', got 'tensor<4xi32>'}}
  %0 = agt.rotate %x, %p, %t pairs halves : (tensor<5x4xf32>, tensor<4xi32>, tensor<2x2xi32>) -> tensor<5x4xf32>
  agt.return
}

// -----

// rotate_c2
agt.graph @f(%x: tensor<5x4xf32>, %p: tensor<5xi32>, %t: tensor<2xi32>) {
  // expected-error @+1 {{'agt.rotate' op expected a table of type 'tensor<?x2xi32>', got 'tensor<2xi32>'}}
  %0 = agt.rotate %x, %p, %t pairs halves : (tensor<5x4xf32>, tensor<5xi32>, tensor<2xi32>) -> tensor<5x4xf32>
  agt.return
}

// -----

// rotate_c3
agt.graph @f(%x: tensor<5x4xf32>, %p: tensor<5xi32>, %t: tensor<3x2xi32>) {
  // expected-error @+1 {{'agt.rotate' op expected a table of at most 2 rows, got 3}}
  %0 = agt.rotate %x, %p, %t pairs halves : (tensor<5x4xf32>, tensor<5xi32>, tensor<3x2xi32>) -> tensor<5x4xf32>
  agt.return
}

// -----

// rotate_c4
agt.graph @f(%x: tensor<5x4xf32>, %p: tensor<5xi32>, %t: tensor<2x2xi32>) {
  // expected-error @+1 {{'agt.rotate' op expected a result of type 'tensor<5x4xf32>', got 'tensor<4x4xf32>'}}
  %0 = agt.rotate %x, %p, %t pairs halves : (tensor<5x4xf32>, tensor<5xi32>, tensor<2x2xi32>) -> tensor<4x4xf32>
  agt.return
}
