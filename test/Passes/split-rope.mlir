// RUN: agt-opt %s --agt-split-rope --cse --split-input-file | FileCheck %s

// Rotations of equal frequencies share a table; the rest of the op stays.
// CHECK-LABEL: agt.graph @shared
// CHECK: %[[DIMS:.*]] = arith.constant 64 : index
// CHECK: %[[TABLE:.*]] = agt.rope_table %[[DIMS]] base 1.000000e+04 scale 5.000000e-01 : tensor<32x2xi32>
// CHECK: agt.rotate %{{.*}}, %{{.*}}, %[[TABLE]] pairs halves
// CHECK-NOT: agt.rope_table
// CHECK: agt.rotate %{{.*}}, %{{.*}}, %[[TABLE]] pairs interleaved
// CHECK-NOT: agt.rope
agt.graph @shared(%x: tensor<8x?x64xf32>, %y: tensor<2x?x64xf16>, %pos: tensor<?xi32>)
    -> (tensor<8x?x64xf32>, tensor<2x?x64xf16>) {
  %a = agt.rope %x, %pos base 1.0e4 scale 0.5 pairs halves
      : (tensor<8x?x64xf32>, tensor<?xi32>) -> tensor<8x?x64xf32>
  %b = agt.rope %y, %pos base 1.0e4 scale 0.5 pairs interleaved
      : (tensor<2x?x64xf16>, tensor<?xi32>) -> tensor<2x?x64xf16>
  agt.return %a, %b : tensor<8x?x64xf32>, tensor<2x?x64xf16>
}

// -----

// Only the first dims turn: the table is that long.
// CHECK-LABEL: agt.graph @part
// CHECK: %[[DIMS:.*]] = arith.constant 16 : index
// CHECK: agt.rope_table %[[DIMS]] {{.*}} : tensor<8x2xi32>
agt.graph @part(%x: tensor<?x64xf32>, %pos: tensor<?xi32>) -> tensor<?x64xf32> {
  %a = agt.rope %x, %pos base 1.0e4 scale 1.0 pairs halves dims 16
      : (tensor<?x64xf32>, tensor<?xi32>) -> tensor<?x64xf32>
  agt.return %a : tensor<?x64xf32>
}

// -----

// An open last dim makes a table of open length.
// CHECK-LABEL: agt.graph @open
// CHECK: %[[DIM:.*]] = tensor.dim %{{.*}}, %{{.*}} : tensor<?x?xf32>
// CHECK: agt.rope_table %[[DIM]] {{.*}} : tensor<?x2xi32>
agt.graph @open(%x: tensor<?x?xf32>, %pos: tensor<?xi32>) -> tensor<?x?xf32> {
  %a = agt.rope %x, %pos base 1.0e4 scale 1.0 pairs halves
      : (tensor<?x?xf32>, tensor<?xi32>) -> tensor<?x?xf32>
  agt.return %a : tensor<?x?xf32>
}
