// RUN: agt-opt %s --pass-pipeline='builtin.module(agt.graph(agt-propagate-shardings))' --split-input-file --verify-diagnostics | FileCheck %s

agt.mesh @m axes ["cp", "tp"] sizes [2, 4] links [0.0, 0.0]

// Forwards, through what one loop walks, and backwards to arguments.
// CHECK-LABEL: agt.graph @both
// CHECK-SAME: %{{[a-z0-9]*}}: tensor<?x64xf32> {agt.sharding = #agt.sharding<[cp zigzag, whole]>}
// CHECK-SAME: %{{[a-z0-9]*}}: tensor<?x64xf32> {agt.sharding = #agt.sharding<[cp zigzag, whole]>}
agt.graph @both(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>) -> tensor<?x64xf32> attributes {mesh = "m"} {
  %0 = agt.shard %x <[cp zigzag, whole]> via ring : tensor<?x64xf32>
  // CHECK: agt.add %{{.*}}, %{{.*}} {agt.shardings = [#agt.sharding<[cp zigzag, whole]>]}
  %1 = agt.add %0, %y : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  agt.return %1 : tensor<?x64xf32>
}

// -----

agt.mesh @m axes ["cp", "tp"] sizes [2, 4] links [0.0, 0.0]

// A weight cut by its outputs cuts what the product gives, heads and all.
// CHECK-LABEL: agt.graph @heads
agt.graph @heads(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x?x8xf32> attributes {mesh = "m"} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %0 = agt.shard %w <[tp, whole]> via ring : tensor<64x64xf32>
  // CHECK: agt.linear {{.*}} {agt.shardings = [#agt.sharding<[whole, tp]>]}
  %1 = agt.linear %x, %0 : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  // CHECK: agt.reshape {{.*}} {agt.shardings = [#agt.sharding<[whole, tp, whole]>]}
  %2 = agt.reshape %1 [%n] : tensor<?x64xf32> -> tensor<?x8x8xf32>
  // CHECK: agt.transpose {{.*}} {agt.shardings = [#agt.sharding<[tp, whole, whole]>]}
  %3 = agt.transpose %2 [1, 0, 2] : tensor<?x8x8xf32> -> tensor<8x?x8xf32>
  agt.return %3 : tensor<8x?x8xf32>
}

// -----

agt.mesh @m axes ["cp", "tp"] sizes [2, 4] links [0.0, 0.0]

// Queries do not cut keys: they are other tokens.
// CHECK-LABEL: agt.graph @queries
// CHECK-SAME: %{{.*}}: tensor<8x?x16xf32> {agt.sharding = #agt.sharding<[whole, cp, whole]>}, %{{.*}}: tensor<8x?x16xf32>)
agt.graph @queries(%q: tensor<8x?x16xf32>, %k: tensor<8x?x16xf32>) -> tensor<8x?x16xf32> attributes {mesh = "m"} {
  %0 = agt.shard %q <[whole, cp, whole]> via ring : tensor<8x?x16xf32>
  // CHECK: agt.attention {{.*}} {agt.shardings = [#agt.sharding<[whole, cp, whole]>]}
  %1 = agt.attention %0, %k, %k : (tensor<8x?x16xf32>, tensor<8x?x16xf32>, tensor<8x?x16xf32>) -> tensor<8x?x16xf32>
  agt.return %1 : tensor<8x?x16xf32>
}

// -----

agt.mesh @m axes ["cp", "tp"] sizes [2, 4] links [0.0, 0.0]

agt.graph @fewer(%q: tensor<8x5x16xf32>, %k: tensor<2x5x16xf32>) -> tensor<8x5x16xf32> attributes {mesh = "m"} {
  %0 = agt.shard %q <[tp, whole, whole]> via ring : tensor<8x5x16xf32>
  // expected-error @+1 {{attention with 2 heads cannot be shared by the 4 positions of 'tp'}}
  %1 = agt.attention %0, %k, %k : (tensor<8x5x16xf32>, tensor<2x5x16xf32>, tensor<2x5x16xf32>) -> tensor<8x5x16xf32>
  agt.return %1 : tensor<8x5x16xf32>
}

// -----

agt.mesh @m axes ["cp", "tp"] sizes [2, 4] links [0.0, 0.0]

agt.graph @order(%x: tensor<?xf32>) -> tensor<?xf32> attributes {mesh = "m"} {
  // expected-error @+1 {{a dim cut over several axes takes them as mesh 'm' orders them, one after the other}}
  %0 = agt.shard %x <[tp cp]> via ring : tensor<?xf32>
  agt.return %0 : tensor<?xf32>
}

// -----

agt.mesh @m axes ["cp", "tp"] sizes [2, 4] links [0.0, 0.0]

agt.graph @apart(%q: tensor<8x5x16xf32>, %k: tensor<4x5x16xf32>) -> tensor<8x5x16xf32> attributes {mesh = "m"} {
  %0 = agt.shard %q <[tp striped, whole, whole]> via ring : tensor<8x5x16xf32>
  // expected-error @+1 {{heads are shared in contiguous parts, not striped}}
  %1 = agt.attention %0, %k, %k : (tensor<8x5x16xf32>, tensor<4x5x16xf32>, tensor<4x5x16xf32>) -> tensor<8x5x16xf32>
  agt.return %1 : tensor<8x5x16xf32>
}
