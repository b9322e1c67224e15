// RUN: agt-opt %s --verify-roundtrip | FileCheck %s

// Every op of the dialect, as one position of a ring of three records it.

// CHECK-LABEL: agt.graph @ring
agt.graph @ring(%q: tensor<8x?x64xf32>, %k: tensor<2x?x64xf32>, %sink: tensor<8xf32>)
    -> (tensor<8x?x64xf32>, tensor<8x?xf32>) attributes {mesh = "m"} {
  %c1 = arith.constant 1 : index
  %s = tensor.dim %q, %c1 : tensor<8x?x64xf32>
  // CHECK: ring.place parts 3 step 1
  %r = ring.place parts 3 step 1
  // CHECK: ring.extent %{{.*}} of %{{.*}} parts 3 zigzag
  %n = ring.extent %r of %s parts 3 zigzag
  // CHECK: ring.part %{{.*}}[%{{.*}}] [#ring.cut<dim = 1, axis = "cp", parts = 3, step = 1, balance = zigzag>] : tensor<8x?x64xf32> -> tensor<8x?x64xf32>
  %q0 = ring.part %q [%n] [#ring.cut<dim = 1, axis = "cp", parts = 3, step = 1, balance = zigzag>]
      : tensor<8x?x64xf32> -> tensor<8x?x64xf32>
  %k0 = ring.part %k [%n] [#ring.cut<dim = 1, axis = "cp", parts = 3, step = 1, balance = zigzag>]
      : tensor<2x?x64xf32> -> tensor<2x?x64xf32>
  // CHECK: ring.positions %{{.*}} of %{{.*}}[%{{.*}}] parts 3 zigzag : tensor<?xi32>
  %at = ring.positions %r of %s [%n] parts 3 zigzag : tensor<?xi32>
  %c0 = arith.constant 0 : index
  // CHECK: ring.sees %{{.*}}, %{{.*}} of %{{.*}}, %{{.*}} offset %{{.*}} <parts = 3, queries = zigzag, keys = zigzag, causal = true, left = -1, right = -1, pin = 0>
  %sees = ring.sees %r, %r of %s, %s offset %c0
        <parts = 3, queries = zigzag, keys = zigzag, causal = true, left = -1, right = -1, pin = 0>
  // CHECK: ring.needed %{{.*}} after 0 of %{{.*}}, %{{.*}} offset
  %needed = ring.needed %r after 0 of %s, %s offset %c0
        <parts = 3, queries = zigzag, keys = zigzag, causal = true, left = -1, right = -1, pin = 0>
  // CHECK: ring.schedule "pass_kv" meets [array<i64: 0, 2, 1>, array<i64: 1, 0, 2>, array<i64: 2, 1, 0>]
  %p = ring.schedule "pass_kv" meets [array<i64: 0, 2, 1>, array<i64: 1, 0, 2>, array<i64: 2, 1, 0>] {
    // CHECK: ring.shift %{{.*}}[%{{.*}}] sends %{{.*}} receives %{{.*}} move kv cut <dim = 1
    %t = ring.shift %k0 [%n] sends %needed receives %needed move kv
        cut <dim = 1, axis = "cp", parts = 3, step = 1, balance = zigzag>
        : tensor<2x?x64xf32> -> !ring.token<tensor<2x?x64xf32>>
    // CHECK: ring.attend %{{.*}}, %{{.*}}, %{{.*}} q_pos(%{{.*}}) kv_pos(%{{.*}}) step 0 owner %{{.*}} causal bottom_right
    %p0 = ring.attend %q0, %k0, %k0 q_pos(%at) kv_pos(%at) step 0 owner %r causal bottom_right
        : (tensor<8x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<?xi32>, tensor<?xi32>, index)
        -> !ring.partial<tensor<8x?x64xf32>, base = 2>
    // CHECK: ring.await %{{.*}}[%{{.*}}] : <tensor<2x?x64xf32>> -> tensor<2x?x64xf32>
    %k1 = ring.await %t [%n] : !ring.token<tensor<2x?x64xf32>> -> tensor<2x?x64xf32>
    %p1 = ring.attend %q0, %k1, %k1 sees(%sees) step 1 owner %r
        : (tensor<8x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>, i1, index)
        -> !ring.partial<tensor<8x?x64xf32>, base = 2>
    // CHECK: ring.merge %{{.*}}, %{{.*}} sees(%{{.*}}) : <tensor<8x?x64xf32>, base = 2>
    %both = ring.merge %p0, %p1 sees(%sees) : !ring.partial<tensor<8x?x64xf32>, base = 2>
    // CHECK: ring.combine %{{.*}} cut <dim = 0, axis = "cp", parts = 3, step = 1, balance = contiguous> : <tensor<8x?x64xf32>, base = 2>
    %all = ring.combine %both cut <dim = 0, axis = "cp", parts = 3, step = 1, balance = contiguous>
        : !ring.partial<tensor<8x?x64xf32>, base = 2>
    // CHECK: ring.shift %{{.*}} move partial cut {{.*}} by 2 : tensor<8x?x64xf32>
    %far = ring.shift %q0 [%n] sends %needed receives %needed move partial
        cut <dim = 1, axis = "cp", parts = 3, step = 1, balance = zigzag> by 2
        : tensor<8x?x64xf32> -> !ring.token<tensor<8x?x64xf32>>
    %q2 = ring.await %far [%n] : !ring.token<tensor<8x?x64xf32>> -> tensor<8x?x64xf32>
    // CHECK: ring.scatter %{{.*}} rows(%{{.*}}, %{{.*}}, %{{.*}}) sends(%{{.*}}, %{{.*}}) receives(%{{.*}}, %{{.*}}) cut <dim = 1, {{.*}}> : !ring.partial<tensor<8x?x64xf32>, base = 2>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32> -> !ring.partial<tensor<8x?x64xf32>, base = 2>
    %own = ring.scatter %both rows(%at, %at, %at) sends(%sees, %sees) receives(%sees, %needed)
        cut <dim = 1, axis = "cp", parts = 3, step = 1, balance = zigzag>
        : !ring.partial<tensor<8x?x64xf32>, base = 2>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
        -> !ring.partial<tensor<8x?x64xf32>, base = 2>
    // CHECK: ring.hop 1 owner %{{.*}} sees %{{.*}}
    ring.hop 1 owner %r sees %sees
    ring.yield %all : !ring.partial<tensor<8x?x64xf32>, base = 2>
  } : !ring.partial<tensor<8x?x64xf32>, base = 2>
  // CHECK: ring.finalize %{{.*}} sink(%{{.*}}) layout hsd : (!ring.partial<tensor<8x?x64xf32>, base = 2>, tensor<8xf32>) -> (tensor<8x?x64xf32>, tensor<8x?xf32>)
  %o, %lse = ring.finalize %p sink(%sink) layout hsd
      : (!ring.partial<tensor<8x?x64xf32>, base = 2>, tensor<8xf32>) -> (tensor<8x?x64xf32>, tensor<8x?xf32>)
  // CHECK: ring.gather %{{.*}}[%{{.*}}] [#ring.cut
  %g = ring.gather %lse [%s] [#ring.cut<dim = 1, axis = "cp", parts = 3, step = 1, balance = zigzag>]
      : tensor<8x?xf32> -> tensor<8x?xf32>
  // CHECK: ring.whole %{{.*}}[%{{.*}}] [#ring.cut
  %w = ring.whole %o [%s] [#ring.cut<dim = 1, axis = "cp", parts = 3, step = 1, balance = zigzag>]
      : tensor<8x?x64xf32> -> tensor<8x?x64xf32>
  %l = ring.whole %g [%s] [] : tensor<8x?xf32> -> tensor<8x?xf32>
  agt.return %w, %l : tensor<8x?x64xf32>, tensor<8x?xf32>
}

// CHECK: agt.mesh @m axes ["cp"] sizes [3] links [0.000000e+00]
agt.mesh @m axes ["cp"] sizes [3] links [0.0]

// CHECK-LABEL: agt.graph @shard
agt.graph @shard(%q: tensor<8x?x64xf32>) -> tensor<8x?x64xf32> attributes {mesh = "m"} {
  // CHECK: agt.shard %{{.*}} <[whole, cp zigzag, whole]> via ring : tensor<8x?x64xf32>
  %0 = agt.shard %q <[whole, cp zigzag, whole]> via ring : tensor<8x?x64xf32>
  agt.return %0 : tensor<8x?x64xf32>
}
