// RUN: agt-opt %s --pass-pipeline='builtin.module(agt.graph(agt-propagate-shardings,agt-convert-to-ring{explain=true}))' --split-input-file -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark:

agt.mesh @m axes ["cp", "tp"] sizes [2, 2] links [1.0e+9, 0.0] {agt.target = {f32 = 1.0e+12}}

// Heads that another axis shares are counted once a place, and rings beside each
// other all.
agt.graph @beside(%q: tensor<4x8x4xf32>, %k: tensor<2x8x4xf32>, %s: tensor<8xi32>) -> tensor<4x8x4xf32> attributes {mesh = "m"} {
  %0 = agt.shard %q <[tp, cp striped, whole]> via ring : tensor<4x8x4xf32>
  %1 = agt.shard %k <[tp, cp striped, whole]> via ring : tensor<2x8x4xf32>
// CHECK: remark: keys and values go round the 2 positions of 'cp', striped (pass-KV): queries are cut as they are
  %2 = agt.attention %0, %1, %1 q_seg(%s) kv_seg(%s) causal bottom_right
      : (tensor<4x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<8xi32>, tensor<8xi32>) -> tensor<4x8x4xf32>
  agt.return %2 : tensor<4x8x4xf32>
}
// CHECK: note: the most loaded position has 1.11 times the mean work
// CHECK: note: none of the 2 hops is skipped
// CHECK: note: pass-KV moves 256 B in all, at most 64 B to a position; pass-Q would move 1.28 KB
// CHECK: note: with every key visible pass-Q moves less below 250 queries for each 1,000 keys
// CHECK: note: positions, segments and masks add 64 B
// CHECK: note: 0.5 % of the transfer time is hidden under compute; a hop whose keys are all visible is hidden from 500 tokens a position on

// -----

agt.mesh @m axes ["cp"] sizes [2] links [0.0]

// Positions that are data say nothing before there are any.
agt.graph @data(%q: tensor<1x8x4xf32>, %p: tensor<8xi32>) -> tensor<1x8x4xf32> attributes {mesh = "m"} {
  %0 = agt.shard %q <[whole, cp, whole]> via ring : tensor<1x8x4xf32>
// CHECK: remark: keys and values go round the 2 positions of 'cp', contiguous (pass-KV)
  %1 = agt.attention %0, %0, %0 q_pos(%p) causal bottom_right
      : (tensor<1x8x4xf32>, tensor<1x8x4xf32>, tensor<1x8x4xf32>, tensor<8xi32>) -> tensor<1x8x4xf32>
  agt.return %1 : tensor<1x8x4xf32>
}
// CHECK: note: the most loaded position has 1.00 times the mean work, every key taken as visible, since positions or lengths are data
// CHECK: note: none of the 2 hops is skipped
// CHECK: note: pass-KV moves 128 B in all, at most 64 B to a position; pass-Q would move 320 B
// CHECK: note: with every key visible pass-Q moves less below 400 queries for each 1,000 keys
// CHECK: note: whether transfers are hidden is not known: mesh 'm' declares no link for 'cp'

// -----

agt.mesh @m axes ["a", "b"] sizes [2, 2] links [1.0e+9, 1.0e+9]

// Queries and keys that are cut over different axes do not meet on a ring.
agt.graph @gathered(%q: tensor<1x8x4xf32>, %k: tensor<1x?x4xf32>) -> tensor<1x8x4xf32> attributes {mesh = "m"} {
  %0 = agt.shard %q <[whole, a, whole]> via ring : tensor<1x8x4xf32>
  %1 = agt.shard %k <[whole, b, whole]> via ring : tensor<1x?x4xf32>
// CHECK: remark: queries are cut over the 2 positions of 'a', contiguous, and all keys and values are at each: they were cut otherwise and are gathered
  %2 = agt.attention %0, %1, %1 : (tensor<1x8x4xf32>, tensor<1x?x4xf32>, tensor<1x?x4xf32>) -> tensor<1x8x4xf32>
  agt.return %2 : tensor<1x8x4xf32>
}
// CHECK: note: the number of keys is not known when this is compiled; what follows is for 8 queries and 65,536 keys
// CHECK: note: the most loaded position has 1.00 times the mean work

// -----

agt.mesh @m axes ["cp"] sizes [2] links [1.0e+9]

// Whole everywhere: nothing is shared, and nothing said.
agt.graph @whole(%q: tensor<1x8x4xf32>) -> tensor<1x8x4xf32> attributes {mesh = "m"} {
  %0 = agt.attention %q, %q, %q : (tensor<1x8x4xf32>, tensor<1x8x4xf32>, tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
  agt.return %0 : tensor<1x8x4xf32>
}

// -----

agt.mesh @m axes ["cp"] sizes [2] links [1.0e+9]

agt.graph @rate(%q: tensor<1x8x4xf32>) -> tensor<1x8x4xf32> attributes {mesh = "m"} {
  %0 = agt.shard %q <[whole, cp zigzag, whole]> via ring : tensor<1x8x4xf32>
// CHECK: remark: keys and values go round the 2 positions of 'cp', zigzag (pass-KV): queries are cut as they are
  %1 = agt.attention %0, %0, %0 : (tensor<1x8x4xf32>, tensor<1x8x4xf32>, tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
  agt.return %1 : tensor<1x8x4xf32>
}
// CHECK: note: the most loaded position has 1.00 times the mean work
// CHECK: note: none of the 2 hops is skipped
// CHECK: note: pass-KV moves 128 B in all, at most 64 B to a position; pass-Q would move 320 B
// CHECK: note: with every key visible pass-Q moves less below 400 queries for each 1,000 keys
// CHECK: note: whether transfers are hidden is not known: mesh 'm' has no target that declares a rate for f32
