// RUN: agt-opt %s --pass-pipeline='builtin.module(agt-split-rope,canonicalize,cse,agt.graph(agt-form-kernels),canonicalize,cse,agt.graph(agt-verify-kernels))' --split-input-file | FileCheck %s

// A chain is one kernel; the size of its result is a dim of an argument.
// CHECK-LABEL: agt.graph @chain(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x64xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %{{.*}}
// CHECK: %[[K:.*]] = agt.kernel "silu_mul" ({{.*}}) [%[[N]]] -> tensor<?x64xf32>
// CHECK: agt.silu
// CHECK: agt.mul
// CHECK: agt.yield
// CHECK: agt.return %[[K]]
agt.graph @chain(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %s = agt.silu %x : tensor<?x64xf32>
  %m = agt.mul %s, %y : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  agt.return %m : tensor<?x64xf32>
}

// -----

// Rows that are put in another order are read in that order by a product, and
// what follows it element by element is computed as it stores.
// CHECK-LABEL: agt.graph @around_a_product
// CHECK-COUNT-1: agt.kernel "transpose_linear_silu_add"
// CHECK-NOT: agt.kernel
agt.graph @around_a_product(%x: tensor<4x?x8xf32>, %w: tensor<64x32xf32>, %y: tensor<?x64xf32>)
    -> tensor<?x64xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<4x?x8xf32>
  %t = agt.transpose %x [1, 0, 2] : tensor<4x?x8xf32> -> tensor<?x4x8xf32>
  %u = agt.reshape %t [%n] : tensor<?x4x8xf32> -> tensor<?x32xf32>
  %l = agt.linear %u, %w : (tensor<?x32xf32>, tensor<64x32xf32>) -> tensor<?x64xf32>
  %s = agt.silu %l : tensor<?x64xf32>
  %r = agt.add %s, %y : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  agt.return %r : tensor<?x64xf32>
}

// -----

// A product reads each element many times: what costs is computed before.
// CHECK-LABEL: agt.graph @before_a_product
// CHECK: agt.kernel "gelu"
// CHECK: agt.kernel "linear"
agt.graph @before_a_product(%x: tensor<?x32xf32>, %w: tensor<64x32xf32>) -> tensor<?x64xf32> {
  %g = agt.gelu %x : tensor<?x32xf32>
  %l = agt.linear %g, %w : (tensor<?x32xf32>, tensor<64x32xf32>) -> tensor<?x64xf32>
  agt.return %l : tensor<?x64xf32>
}

// -----

// Two products have a kernel each; the later one takes what follows both.
// CHECK-LABEL: agt.graph @gate
// CHECK: agt.kernel "linear"
// CHECK: agt.kernel "silu_linear_mul"
// CHECK-NOT: agt.kernel
agt.graph @gate(%x: tensor<?x32xf32>, %a: tensor<64x32xf32>, %b: tensor<64x32xf32>) -> tensor<?x64xf32> {
  %g = agt.linear %x, %a : (tensor<?x32xf32>, tensor<64x32xf32>) -> tensor<?x64xf32>
  %s = agt.silu %g : tensor<?x64xf32>
  %u = agt.linear %x, %b : (tensor<?x32xf32>, tensor<64x32xf32>) -> tensor<?x64xf32>
  %m = agt.mul %s, %u : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  agt.return %m : tensor<?x64xf32>
}

// -----

// A masked and scaled softmax is one kernel; one of something dear is two.
// CHECK-LABEL: agt.graph @softmax
// CHECK: agt.kernel "select_softmax"
// CHECK: agt.kernel "exp_gelu"
// CHECK: agt.kernel "softmax"
agt.graph @softmax(%x: tensor<?x?xf32>, %m: tensor<?x?xi1>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %low = arith.constant -1.0e9 : f64
  %l = agt.scalar %low : f64 -> tensor<f32>
  %w = agt.select %m, %x, %l : (tensor<?x?xi1>, tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  %p = agt.softmax %w axis 1 : tensor<?x?xf32>
  %e = agt.exp %x : tensor<?x?xf32>
  %g = agt.gelu %e : tensor<?x?xf32>
  %q = agt.softmax %g axis 1 : tensor<?x?xf32>
  agt.return %p, %q : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// A move is repeated in each reader; arithmetic on two tensors is not.
// CHECK-LABEL: agt.graph @readers
// CHECK-DAG: agt.kernel "transpose_exp"
// CHECK-DAG: agt.kernel "transpose_reduce"
// CHECK-DAG: agt.kernel "add"
// CHECK-DAG: agt.kernel "log"
agt.graph @readers(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>)
    -> (tensor<8x4xf32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4xf32>) {
  %t = agt.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %e = agt.exp %t : tensor<8x4xf32>
  %s = agt.reduce sum %t axis 1 : tensor<8x4xf32> -> tensor<8xf32>
  %a = agt.add %x, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %l = agt.log %a : tensor<4x8xf32>
  %m = agt.reduce max %a axis 1 : tensor<4x8xf32> -> tensor<4xf32>
  agt.return %e, %s, %l, %m : tensor<8x4xf32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4xf32>
}

// -----

// A reshape of what is in memory is a name for the same bytes.
// CHECK-LABEL: agt.graph @alias
// CHECK: %[[E:.*]] = agt.kernel "exp"
// CHECK: %[[R:.*]] = agt.reshape %[[E]]
// CHECK: agt.return %[[R]]
agt.graph @alias(%x: tensor<4x8xf32>) -> tensor<32xf32> {
  %e = agt.exp %x : tensor<4x8xf32>
  %r = agt.reshape %e [] : tensor<4x8xf32> -> tensor<32xf32>
  agt.return %r : tensor<32xf32>
}

// -----

// Attention is a kernel of its own; checks and results that are arguments stay.
// CHECK-LABEL: agt.graph @outside(
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<2x?x16xf32>
// CHECK: agt.require
// CHECK: %[[K:.*]] = agt.kernel "transpose_rotate"
// CHECK: %[[A:.*]] = agt.attention %[[Q]], %[[K]], %[[Q]]
// CHECK: agt.return %[[A]], %[[Q]]
agt.graph @outside(%q: tensor<2x?x16xf32>, %k: tensor<?x2x16xf32>, %pos: tensor<?xi32>)
    -> (tensor<2x?x16xf32>, tensor<2x?x16xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %pos, %c0 : tensor<?xi32>
  %m = tensor.dim %k, %c0 : tensor<?x2x16xf32>
  %same = arith.cmpi eq, %n, %m : index
  agt.require %same, "'k' has {0} tokens in dim T, and 'pos' has {1}"(%m, %n)
  %t = agt.transpose %k [1, 0, 2] : tensor<?x2x16xf32> -> tensor<2x?x16xf32>
  %r = agt.rope %t, %pos base 1.0e4 scale 1.0 pairs halves
      : (tensor<2x?x16xf32>, tensor<?xi32>) -> tensor<2x?x16xf32>
  %a = agt.attention %q, %r, %q causal bottom_right
      : (tensor<2x?x16xf32>, tensor<2x?x16xf32>, tensor<2x?x16xf32>) -> tensor<2x?x16xf32>
  agt.return %a, %q : tensor<2x?x16xf32>, tensor<2x?x16xf32>
}

// -----

// No kernel has more inputs than a launch has room for.
// CHECK-LABEL: agt.graph @many
// CHECK: %[[FIRST:.*]] = agt.kernel "concat"
// CHECK: agt.kernel "concat_concat" ({{.*}} = %[[FIRST]] : tensor<78xf32>)
agt.graph @many(%a: tensor<1xf32>, %b: tensor<2xf32>, %c: tensor<3xf32>, %d: tensor<4xf32>, %e: tensor<5xf32>,
                %f: tensor<6xf32>, %g: tensor<7xf32>, %h: tensor<8xf32>, %i: tensor<9xf32>, %j: tensor<10xf32>,
                %k: tensor<11xf32>, %l: tensor<12xf32>, %m: tensor<13xf32>, %n: tensor<14xf32>, %o: tensor<15xf32>)
    -> tensor<120xf32> {
  %r = agt.concat %a, %b, %c, %d, %e, %f, %g, %h, %i, %j, %k, %l, %m, %n, %o axis 0
      : (tensor<1xf32>, tensor<2xf32>, tensor<3xf32>, tensor<4xf32>, tensor<5xf32>, tensor<6xf32>, tensor<7xf32>,
         tensor<8xf32>, tensor<9xf32>, tensor<10xf32>, tensor<11xf32>, tensor<12xf32>, tensor<13xf32>, tensor<14xf32>,
         tensor<15xf32>) -> tensor<120xf32>
  agt.return %r : tensor<120xf32>
}

// -----

// A cast, as an inlined call leaves it, hides no size.
// CHECK-LABEL: agt.graph @through_cast
// CHECK-DAG: %[[B:.*]] = tensor.dim %arg0, %c0
// CHECK-DAG: %[[S:.*]] = tensor.dim %arg0, %c2
// CHECK: agt.kernel "add_transpose" ({{.*}}) [%[[B]], %[[S]]] -> tensor<?x?x3x8xf32>
agt.graph @through_cast(%x: tensor<?x3x?x8xf32>) -> tensor<?x?x3x8xf32> {
  %wide = tensor.cast %x : tensor<?x3x?x8xf32> to tensor<?x?x?x8xf32>
  %sum = agt.add %wide, %wide : (tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32>
  %back = tensor.cast %sum : tensor<?x?x?x8xf32> to tensor<?x3x?x8xf32>
  %t = agt.transpose %back [0, 2, 1, 3] : tensor<?x3x?x8xf32> -> tensor<?x?x3x8xf32>
  agt.return %t : tensor<?x?x3x8xf32>
}

// -----

// Quantised weights are unpacked where they are read, by each that reads them: no
// kernel makes f32 of all of them.
// CHECK-LABEL: agt.graph @blocks
// CHECK-DAG: agt.kernel "unpack_blocks_linear"
// CHECK-DAG: agt.kernel "unpack_blocks_embed"
// CHECK-DAG: agt.kernel "unpack_blocks_exp"
// CHECK-NOT: agt.kernel "unpack_blocks"
agt.graph @blocks(%x: tensor<?x64xf32>, %t: tensor<?xi32>, %b: tensor<8x68xi8>)
    -> (tensor<?x8xf32>, tensor<?x64xf32>, tensor<8x64xf32>) {
  %w = agt.unpack_blocks %b as q8_0 : tensor<8x68xi8> -> tensor<8x64xf32>
  %l = agt.linear %x, %w : (tensor<?x64xf32>, tensor<8x64xf32>) -> tensor<?x8xf32>
  %e = agt.embed %w, %t : (tensor<8x64xf32>, tensor<?xi32>) -> tensor<?x64xf32>
  %r = agt.exp %w : tensor<8x64xf32>
  agt.return %l, %e, %r : tensor<?x8xf32>, tensor<?x64xf32>, tensor<8x64xf32>
}

// -----

// Each step asks for the last one at two places: after four of them a value is
// needed at sixteen, and has memory instead.
// CHECK-LABEL: agt.graph @doubled
// CHECK: %[[FIRST:.*]] = agt.kernel "transpose_add_transpose_add_etc" ({{.*}} = %{{.*}} : tensor<8x8xf32>)
// CHECK: agt.kernel "transpose_add_transpose_add_etc" ({{.*}} = %[[FIRST]] : tensor<8x8xf32>)
// CHECK-NOT: agt.kernel
agt.graph @doubled(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %t0 = agt.transpose %x [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  %a0 = agt.add %x, %t0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %t1 = agt.transpose %a0 [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  %a1 = agt.add %a0, %t1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %t2 = agt.transpose %a1 [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  %a2 = agt.add %a1, %t2 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %t3 = agt.transpose %a2 [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  %a3 = agt.add %a2, %t3 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %t4 = agt.transpose %a3 [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  %a4 = agt.add %a3, %t4 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %t5 = agt.transpose %a4 [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  %a5 = agt.add %a4, %t5 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %t6 = agt.transpose %a5 [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  %a6 = agt.add %a5, %t6 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %t7 = agt.transpose %a6 [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  %a7 = agt.add %a6, %t7 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  agt.return %a7 : tensor<8x8xf32>
}
