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

// -----

// The rows of each place are taken out of all, then all are sent, and what comes
// back is merged with this place's own: that of the place before it first.
// CHECK-LABEL: agt.graph @scatter
// CHECK: %[[SUMS:.*]], %[[STATE:.*]] = agt.attention %{{.*}} partial : {{.*}} -> (tensor<2x6x4xf32>, tensor<2x6x2xf32>)
// CHECK: %[[T:.*]] = agt.transpose %[[SUMS]] [1, 0, 2]
// CHECK: agt.embed %{{.*}}, %arg2 : (tensor<6x8xf32>, tensor<2xi32>) -> tensor<2x8xf32>
// CHECK: agt.embed %{{.*}}, %arg2 : (tensor<6x4xf32>, tensor<2xi32>) -> tensor<2x4xf32>
// CHECK: agt.embed %{{.*}}, %arg3
// CHECK: agt.embed %{{.*}}, %arg3
// CHECK: agt.embed %{{.*}}, %arg4
// CHECK: agt.embed %{{.*}}, %arg4
// CHECK-NOT: agt.embed
// CHECK: %[[A:.*]] = ring.shift %{{.*}} sends %[[S1:.*]] receives %[[G1:.*]] move partial cut <dim = 1, axis = "cp", parts = 3, step = 1, balance = contiguous> : tensor<2x2x4xf32>
// CHECK: %[[B:.*]] = ring.shift %{{.*}} sends %[[S1]] receives %[[G1]] move partial {{.*}} : tensor<2x2x2xf32>
// CHECK: %[[C:.*]] = ring.shift %{{.*}} sends %[[G1]] receives %[[S1]] move partial {{.*}} by 2 : tensor<2x2x4xf32>
// CHECK: %[[D:.*]] = ring.shift %{{.*}} sends %[[G1]] receives %[[S1]] move partial {{.*}} by 2 : tensor<2x2x2xf32>
// CHECK: ring.await %[[A]]
// CHECK: ring.await %[[B]]
// CHECK: arith.index_castui %[[G1]]
// CHECK: agt.concat
// CHECK: ring.await %[[C]]
// CHECK: ring.await %[[D]]
// CHECK: arith.index_castui %[[S1]]
// CHECK: agt.concat
agt.graph @scatter(%q: tensor<2x6x4xf32>, %k: tensor<2x2x4xf32>, %r0: tensor<2xi32>, %r1: tensor<2xi32>,
                   %r2: tensor<2xi32>) -> tensor<2x2x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = ring.place parts 3 step 1
  %s = arith.cmpi ne, %r, %c0 : index
  %g = arith.cmpi ne, %r, %c1 : index
  %p = ring.attend %q, %k, %k step 0 owner %r
      : (tensor<2x6x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>, index) -> !ring.partial<tensor<2x6x4xf32>, base = 2>
  %m = ring.scatter %p rows(%r0, %r1, %r2) sends(%s, %g) receives(%g, %s)
      cut <dim = 1, axis = "cp", parts = 3, step = 1, balance = contiguous>
      : !ring.partial<tensor<2x6x4xf32>, base = 2>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
      -> !ring.partial<tensor<2x2x4xf32>, base = 2>
  %o = ring.finalize %m layout hsd : (!ring.partial<tensor<2x2x4xf32>, base = 2>) -> tensor<2x2x4xf32>
  agt.return %o : tensor<2x2x4xf32>
}
