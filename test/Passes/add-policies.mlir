// RUN: agt-opt %s --pass-pipeline='builtin.module(agt.graph(agt-propagate-shardings),agt-add-policies)' | FileCheck %s

agt.mesh @m axes ["cp", "tp"] sizes [4, 2] links [0.0, 0.0]
agt.mesh @one axes ["cp"] sizes [1] links [0.0]

// Cut as the keys are: keys go round, as the statements ask for.
// CHECK: agt.graph @rounds({{.*}}) -> tensor<2x?x8xf32> attributes {agt.policy = "pass-kv", agt.rings = 1 : i64, mesh = "m"}
// CHECK: agt.graph private @"rounds.pass-q"({{.*}}) -> tensor<2x?x8xf32> attributes {agt.policy = "pass-q", agt.policy_of = @rounds, agt.rings = 1 : i64, mesh = "m"}
agt.graph @rounds(%x: tensor<2x?x8xf32>) -> tensor<2x?x8xf32> attributes {mesh = "m"} {
  %0 = agt.shard %x <[tp, cp, whole]> via ring : tensor<2x?x8xf32>
  %1 = agt.attention %0, %0, %0 : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>) -> tensor<2x?x8xf32>
  agt.return %1 : tensor<2x?x8xf32>
}

// Queries are whole: partial results are combined.
// CHECK: agt.graph @stays({{.*}}) -> tensor<2x1x8xf32> attributes {agt.policy = "pass-q", agt.rings = 2 : i64, mesh = "m"}
// CHECK: agt.graph private @"stays.pass-kv"({{.*}}) -> tensor<2x1x8xf32> attributes {agt.policy = "pass-kv", agt.policy_of = @stays
agt.graph @stays(%q: tensor<2x1x8xf32>, %k: tensor<2x?x8xf32>) -> tensor<2x1x8xf32> attributes {mesh = "m"} {
  %0 = agt.shard %k <[whole, cp, whole]> via ring : tensor<2x?x8xf32>
  %1 = agt.attention %q, %0, %0 : (tensor<2x1x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>) -> tensor<2x1x8xf32>
  %2 = agt.attention %1, %0, %0 : (tensor<2x1x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>) -> tensor<2x1x8xf32>
  agt.return %2 : tensor<2x1x8xf32>
}

// Some queries are cut and some whole.
// CHECK: agt.graph @both({{.*}} attributes {agt.policy = "pass-kv", agt.rings = 2 : i64, mesh = "m"}
// CHECK: agt.graph private @"both.pass-q"(
agt.graph @both(%q: tensor<2x1x8xf32>, %k: tensor<2x?x8xf32>) -> (tensor<2x1x8xf32>, tensor<2x?x8xf32>) attributes {mesh = "m"} {
  %0 = agt.shard %k <[whole, cp, whole]> via ring : tensor<2x?x8xf32>
  %1 = agt.attention %q, %0, %0 : (tensor<2x1x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>) -> tensor<2x1x8xf32>
  %2 = agt.attention %0, %0, %0 : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>) -> tensor<2x?x8xf32>
  agt.return %1, %2 : tensor<2x1x8xf32>, tensor<2x?x8xf32>
}

// One place: either way is the same.
// CHECK: agt.graph @alone({{.*}} attributes {agt.policy = "pass-kv", agt.rings = 1 : i64, mesh = "one"}
// CHECK-NOT: agt.graph private
agt.graph @alone(%x: tensor<2x?x8xf32>) -> tensor<2x?x8xf32> attributes {mesh = "one"} {
  %0 = agt.shard %x <[whole, cp, whole]> via ring : tensor<2x?x8xf32>
  %1 = agt.attention %0, %0, %0 : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>) -> tensor<2x?x8xf32>
  agt.return %1 : tensor<2x?x8xf32>
}

// Nothing to choose, and why.
// CHECK: agt.graph @heads({{.*}} attributes {agt.no_policy = "its positions share the heads of its attention", mesh = "m"}
agt.graph @heads(%x: tensor<4x?x8xf32>) -> tensor<4x?x8xf32> attributes {mesh = "m"} {
  %0 = agt.shard %x <[whole, cp, whole]> via ulysses : tensor<4x?x8xf32>
  %1 = agt.attention %0, %0, %0 : (tensor<4x?x8xf32>, tensor<4x?x8xf32>, tensor<4x?x8xf32>) -> tensor<4x?x8xf32>
  agt.return %1 : tensor<4x?x8xf32>
}
// CHECK: agt.graph @apart({{.*}} attributes {agt.no_policy = "every position has all keys of its attention", mesh = "m"}
agt.graph @apart(%q: tensor<4x?x8xf32>, %k: tensor<4x?x8xf32>) -> tensor<4x?x8xf32> attributes {mesh = "m"} {
  %0 = agt.shard %q <[whole, cp, whole]> via ring : tensor<4x?x8xf32>
  %1 = agt.attention %0, %k, %k : (tensor<4x?x8xf32>, tensor<4x?x8xf32>, tensor<4x?x8xf32>) -> tensor<4x?x8xf32>
  agt.return %1 : tensor<4x?x8xf32>
}
// CHECK: agt.graph @none({{.*}} attributes {agt.no_policy = "it has no attention", mesh = "m"}
agt.graph @none(%x: tensor<?xf32>) -> tensor<?xf32> attributes {mesh = "m"} {
  %0 = agt.shard %x <[cp]> via ring : tensor<?xf32>
  %1 = agt.exp %0 : tensor<?xf32>
  agt.return %1 : tensor<?xf32>
}
// On one device nothing is said.
// CHECK: agt.graph @single(%{{.*}}: tensor<?xf32>) -> tensor<?xf32> {
agt.graph @single(%x: tensor<?xf32>) -> tensor<?xf32> {
  %1 = agt.exp %x : tensor<?xf32>
  agt.return %1 : tensor<?xf32>
}
