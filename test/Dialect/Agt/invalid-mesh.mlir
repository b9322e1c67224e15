// RUN: agt-opt %s -split-input-file -verify-diagnostics

// Meshes and shardings: one case for each constraint.

// mesh_c1
// expected-error @+1 {{'agt.mesh' op expected a size and a link for each of one or more axes, got 2 axes, 1 sizes and 1 links}}
agt.mesh @m axes ["cp", "tp"] sizes [3] links [0.0]

// -----

// mesh_c2
// expected-error @+1 {{'agt.mesh' op expected sizes above 0, got 0}}
agt.mesh @m axes ["cp"] sizes [0] links [0.0]

// -----

// shard_c1
agt.graph @f(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{'agt.shard' op expected a sharding of 2 dims, got 1}}
  %0 = agt.shard %x <[cp]> via ring : tensor<4x5xf32>
  agt.return
}

// -----

// shard_c2
agt.graph @f(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{'agt.shard' op expected each axis once, got 'cp' twice}}
  %0 = agt.shard %x <[cp, tp cp]> via ring : tensor<4x5xf32>
  agt.return
}

// -----

agt.graph @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected 'whole' or the axes of a mesh}}
  %0 = agt.shard %x <[zigzag]> via ring : tensor<4xf32>
  agt.return
}
