// RUN: agt-opt %s --pass-pipeline='builtin.module(agt-expand-attention{packed-on-mesh},agt.graph(agt-propagate-shardings,agt-cut-at-leaves))' --split-input-file --verify-diagnostics | FileCheck %s

// Keys go round: whatever their axes cut is cut between blocks of 128 tokens.
// CHECK-LABEL: agt.graph @round
// CHECK-SAME: #agt.sharding<[whole, cp leaves, whole]>
// CHECK: agt.silu {{.*}} {agt.shardings = [#agt.sharding<[whole, cp leaves, whole]>]}
agt.mesh @m axes ["cp"] sizes [4] links [0.0]
agt.graph @round(%q: tensor<4x?x8xf32>, %k: tensor<4x?x8xf32>) -> tensor<4x?x8xf32> attributes {mesh = "m"} {
  %0 = agt.shard %q <[whole, cp, whole]> via ring : tensor<4x?x8xf32>
  %1 = agt.shard %k <[whole, cp, whole]> via ring : tensor<4x?x8xf32>
  %2 = agt.silu %1 : tensor<4x?x8xf32>
  %3 = agt.attention %0, %2, %1 : (tensor<4x?x8xf32>, tensor<4x?x8xf32>, tensor<4x?x8xf32>) -> tensor<4x?x8xf32>
  agt.return %3 : tensor<4x?x8xf32>
}

// -----

// Where positions share the heads no keys move, and nothing changes.
// CHECK-LABEL: agt.graph @apart
// CHECK-NOT: leaves
agt.mesh @m axes ["cp"] sizes [4] links [0.0]
agt.graph @apart(%q: tensor<4x?x8xf32>) -> tensor<4x?x8xf32> attributes {mesh = "m"} {
  %0 = agt.shard %q <[cp, whole, whole]> via ring : tensor<4x?x8xf32>
  %3 = agt.attention %0, %0, %0 : (tensor<4x?x8xf32>, tensor<4x?x8xf32>, tensor<4x?x8xf32>) -> tensor<4x?x8xf32>
  agt.return %3 : tensor<4x?x8xf32>
}

// -----

// CHECK-LABEL: agt.graph @striped
// CHECK-SAME: #agt.sharding<[whole, cp zigzag_leaves, whole]>
agt.mesh @m axes ["cp"] sizes [4] links [0.0]
// expected-remark @below {{striped tokens are dealt out as zigzag: with --reproducible parts are whole blocks of 128 tokens}}
agt.graph @striped(%q: tensor<4x?x8xf32>) -> tensor<4x?x8xf32> attributes {mesh = "m"} {
  %0 = agt.shard %q <[whole, cp striped, whole]> via ring : tensor<4x?x8xf32>
  %3 = agt.attention %0, %0, %0 : (tensor<4x?x8xf32>, tensor<4x?x8xf32>, tensor<4x?x8xf32>) -> tensor<4x?x8xf32>
  agt.return %3 : tensor<4x?x8xf32>
}
