// RUN: agt-opt %s --pass-pipeline='builtin.module(agt.graph(agt-lower-ring),canonicalize,cse)' --split-input-file | FileCheck %s

// Zigzag: pieces r and 2W - 1 - r of 2W.
// CHECK-LABEL: agt.graph @extent
// CHECK-DAG: %[[PIECES:.*]] = arith.constant 6 : index
// CHECK-DAG: %[[LAST:.*]] = arith.constant 5 : index
// CHECK: %[[R:.*]] = ring.place parts 3 step 1
// CHECK: %[[EACH:.*]] = arith.divui %[[S:.*]], %[[PIECES]]
// CHECK: %[[MORE:.*]] = arith.remui %[[S]], %[[PIECES]]
// CHECK: arith.cmpi ult, %[[R]], %[[MORE]]
// CHECK: %[[OTHER:.*]] = arith.subi %[[LAST]], %[[R]]
// CHECK: arith.cmpi ult, %[[OTHER]], %[[MORE]]
agt.graph @extent(%x: tensor<?xf32>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %x, %c0 : tensor<?xf32>
  %r = ring.place parts 3 step 1
  %n = ring.extent %r of %s parts 3 zigzag
  %p = ring.positions %r of %s [%n] parts 3 zigzag : tensor<?xi32>
  agt.return %p : tensor<?xi32>
}

// -----

// A step is a partial attention and a note; the results of two are merged in
// f32; rows are finished once.
// CHECK-LABEL: agt.graph @steps
// CHECK: ring.hop 0 owner %[[R:.*]]
// CHECK: %[[SUMS:.*]], %[[STATE:.*]] = agt.attention %{{.*}}, %{{.*}}, %{{.*}} partial
// CHECK-SAME: -> (tensor<2x3x4xf32>, tensor<2x3x2xf32>)
// CHECK: ring.hop 1 owner %[[R]] sees %[[SEES:.*]]
// CHECK: agt.attention %{{.*}} enabled(%[[SEES]]) partial
// CHECK: agt.max
// CHECK: agt.concat {{.*}} axis 2
// CHECK: agt.cast %{{.*}} : tensor<2x3x4xf32> -> tensor<2x3x4xf16>
agt.graph @steps(%q: tensor<2x3x4xf16>, %x: tensor<?xf32>) -> tensor<2x3x4xf16> {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %x, %c0 : tensor<?xf32>
  %r = ring.place parts 2 step 1
  %sees = arith.cmpi ne, %s, %c0 : index
  %p = ring.schedule "pass_kv" meets [array<i64: 0, 1>, array<i64: 1, 0>] {
    %p0 = ring.attend %q, %q, %q step 0 owner %r
        : (tensor<2x3x4xf16>, tensor<2x3x4xf16>, tensor<2x3x4xf16>, index)
        -> !ring.partial<tensor<2x3x4xf32>, base = 2>
    %p1 = ring.attend %q, %q, %q sees(%sees) step 1 owner %r
        : (tensor<2x3x4xf16>, tensor<2x3x4xf16>, tensor<2x3x4xf16>, i1, index)
        -> !ring.partial<tensor<2x3x4xf32>, base = 2>
    %m = ring.merge %p0, %p1 sees(%sees) : !ring.partial<tensor<2x3x4xf32>, base = 2>
    ring.yield %m : !ring.partial<tensor<2x3x4xf32>, base = 2>
  } : !ring.partial<tensor<2x3x4xf32>, base = 2>
  %o = ring.finalize %p layout hsd : (!ring.partial<tensor<2x3x4xf32>, base = 2>) -> tensor<2x3x4xf16>
  agt.return %o : tensor<2x3x4xf16>
}
