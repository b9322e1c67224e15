// RUN: agt-opt %s --pass-pipeline='builtin.module(agt.graph(agt-propagate-shardings,agt-convert-to-ring),canonicalize,cse)' --split-input-file --verify-diagnostics | FileCheck %s

agt.mesh @m axes ["cp"] sizes [3] links [0.0]

// Element by element: on parts. Sizes in the whole are asked of arguments.
// CHECK-LABEL: agt.graph @part
// CHECK: %[[S:.*]] = tensor.dim %[[X:.*]], %c0
// CHECK: %[[R:.*]] = ring.place parts 3 step 1
// CHECK: %[[N:.*]] = ring.extent %[[R]] of %[[S]] parts 3 zigzag
// CHECK: %[[P:.*]] = ring.part %[[X]][%[[N]]] [#ring.cut<dim = 0, axis = "cp", parts = 3, step = 1, balance = zigzag>]
// CHECK: %[[E:.*]] = agt.exp %[[P]] : tensor<?x64xf32>
// CHECK: %[[W:.*]] = ring.whole %[[E]][%[[S]]] [#ring.cut<dim = 0
// CHECK: agt.return %[[W]]
agt.graph @part(%x: tensor<?x64xf32>) -> tensor<?x64xf32> attributes {mesh = "m"} {
  %0 = agt.shard %x <[cp zigzag, whole]> via ring : tensor<?x64xf32>
  %1 = agt.exp %0 : tensor<?x64xf32>
  agt.return %1 : tensor<?x64xf32>
}

// -----

agt.mesh @m axes ["cp"] sizes [3] links [0.0]

// Sizes that divide stay numbers.
// CHECK-LABEL: agt.graph @even
// CHECK: ring.part %{{.*}}[] {{.*}} : tensor<12x64xf32> -> tensor<4x64xf32>
agt.graph @even(%x: tensor<12x64xf32>) -> tensor<12x64xf32> attributes {mesh = "m"} {
  %0 = agt.shard %x <[cp zigzag, whole]> via ring : tensor<12x64xf32>
  %1 = agt.exp %0 : tensor<12x64xf32>
  agt.return %1 : tensor<12x64xf32>
}

// -----

agt.mesh @m axes ["cp"] sizes [3] links [0.0]

// A reduction over the dim that is cut needs it whole.
// CHECK-LABEL: agt.graph @whole
// CHECK: %[[E:.*]] = agt.exp
// CHECK: %[[G:.*]] = ring.gather %[[E]][%{{.*}}] [#ring.cut<dim = 0
// CHECK: agt.reduce sum %[[G]]
agt.graph @whole(%x: tensor<?x64xf32>) -> tensor<64xf32> attributes {mesh = "m"} {
  %0 = agt.shard %x <[cp, whole]> via ring : tensor<?x64xf32>
  %1 = agt.exp %0 : tensor<?x64xf32>
  %2 = agt.reduce sum %1 axis 0 : tensor<?x64xf32> -> tensor<64xf32>
  agt.return %2 : tensor<64xf32>
}

// -----

agt.mesh @m axes ["tp"] sizes [4] links [0.0]

// 5 heads are not cut in 4 parts: the elements of a head would come apart.
// CHECK-LABEL: agt.graph @heads
// CHECK: %[[E:.*]] = agt.exp
// CHECK: %[[G:.*]] = ring.gather %[[E]]
// CHECK: agt.reshape %[[G]][] : tensor<2x30xf32> -> tensor<2x5x6xf32>
agt.graph @heads(%x: tensor<2x30xf32>) -> tensor<2x5x6xf32> attributes {mesh = "m"} {
  %0 = agt.shard %x <[whole, tp]> via ring : tensor<2x30xf32>
  %1 = agt.exp %0 : tensor<2x30xf32>
  %2 = agt.reshape %1 [] : tensor<2x30xf32> -> tensor<2x5x6xf32>
  agt.return %2 : tensor<2x5x6xf32>
}

// -----

agt.mesh @m axes ["cp"] sizes [3] links [0.0]

// What is posted before a step is awaited behind it; the first step is always
// taken, others where something is seen.
// CHECK-LABEL: agt.graph @ring
// CHECK: ring.schedule "pass_kv" meets [array<i64: 0, 2, 1>, array<i64: 1, 0, 2>, array<i64: 2, 1, 0>] {
// CHECK:   %[[T0:.*]] = ring.shift %{{.*}} move kv
// CHECK:   %[[P0:.*]] = ring.attend {{.*}} step 0 owner
// CHECK:   %[[K1:.*]] = ring.await %[[T0]]
// CHECK:   %[[T1:.*]] = ring.shift %[[K1]]
// CHECK:   %[[SEES:.*]] = ring.sees
// CHECK:   %[[P1:.*]] = ring.attend %{{.*}}, %[[K1]], %[[K1]] sees(%[[SEES]]) {{.*}} step 1 owner
// CHECK:   %[[M1:.*]] = ring.merge %[[P0]], %[[P1]] sees(%[[SEES]])
// CHECK:   %[[K2:.*]] = ring.await %[[T1]]
// CHECK-NOT: ring.shift
// CHECK:   ring.attend %{{.*}}, %[[K2]], %[[K2]] sees(%{{.*}}) {{.*}} step 2 owner
// CHECK:   ring.yield
// CHECK: ring.finalize
agt.graph @ring(%q: tensor<8x?x64xf32>, %k: tensor<2x?x64xf32>) -> tensor<8x?x64xf32> attributes {mesh = "m"} {
  %0 = agt.shard %q <[whole, cp, whole]> via ring : tensor<8x?x64xf32>
  %1 = agt.shard %k <[whole, cp, whole]> via ring : tensor<2x?x64xf32>
  %2 = agt.attention %0, %1, %1 causal bottom_right
      : (tensor<8x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>) -> tensor<8x?x64xf32>
  agt.return %2 : tensor<8x?x64xf32>
}

// -----

agt.mesh @m axes ["cp"] sizes [3] links [0.0]

// Queries are whole: keys stay where they are.
// CHECK-LABEL: agt.graph @stationary
// CHECK: %[[OWN:.*]] = ring.attend {{.*}} step 0
// CHECK: %[[ALL:.*]] = ring.combine %[[OWN]] cut <dim = 0, axis = "cp", parts = 3
// CHECK: ring.finalize %[[ALL]]
// CHECK-NOT: ring.gather
// CHECK: agt.return
agt.graph @stationary(%q: tensor<8x4x64xf32>, %k: tensor<2x?x64xf32>) -> tensor<8x4x64xf32> attributes {mesh = "m"} {
  %1 = agt.shard %k <[whole, cp, whole]> via ring : tensor<2x?x64xf32>
  %2 = agt.attention %q, %1, %1 causal bottom_right
      : (tensor<8x4x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>) -> tensor<8x4x64xf32>
  agt.return %2 : tensor<8x4x64xf32>
}

// -----

agt.mesh @m axes ["cp"] sizes [3] links [0.0]

// Queries that are cut may go to the keys: all of them meet each place's keys,
// and every place gets the partial results of its own rows back.
// CHECK-LABEL: agt.graph @to_keys
// CHECK: %[[R:.*]] = ring.place parts 3 step 1
// CHECK-DAG: %[[Q:.*]] = ring.part %arg0
// CHECK-DAG: %[[K:.*]] = ring.part %arg1
// CHECK: %[[ALL:.*]] = ring.gather %[[Q]][%{{.*}}] [#ring.cut<dim = 1, axis = "cp", parts = 3, step = 1, balance = zigzag>]
// CHECK: %[[P:.*]] = ring.attend %[[ALL]], %[[K]], %[[K]] {{.*}} step 0 owner %[[R]]
// CHECK: %[[R0:.*]] = ring.positions %[[R]] of
// CHECK: %[[TO1:.*]] = arith.remui
// CHECK: %[[TO2:.*]] = arith.remui
// CHECK: %[[R1:.*]] = ring.positions %[[TO1]] of
// CHECK: %[[S1:.*]] = ring.sees %[[TO1]], %[[R]] of
// CHECK: %[[G1:.*]] = ring.sees %[[R]], %[[TO2]] of
// CHECK: %[[R2:.*]] = ring.positions %[[TO2]] of
// CHECK: %[[S2:.*]] = ring.sees %[[TO2]], %[[R]] of
// CHECK: %[[G2:.*]] = ring.sees %[[R]], %[[TO1]] of
// CHECK: %[[OWN:.*]] = ring.scatter %[[P]] rows(%[[R0]], %[[R1]], %[[R2]]) sends(%[[S1]], %[[S2]]) receives(%[[G1]], %[[G2]])
// CHECK: ring.finalize %[[OWN]]
agt.graph @to_keys(%q: tensor<8x?x64xf32>, %k: tensor<2x?x64xf32>) -> tensor<8x?x64xf32>
    attributes {mesh = "m", agt.policy = "pass-q"} {
  %0 = agt.shard %q <[whole, cp zigzag, whole]> via ring : tensor<8x?x64xf32>
  %1 = agt.shard %k <[whole, cp zigzag, whole]> via ring : tensor<2x?x64xf32>
  %2 = agt.attention %0, %1, %1 causal bottom_right
      : (tensor<8x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>) -> tensor<8x?x64xf32>
  agt.return %2 : tensor<8x?x64xf32>
}

// -----

agt.mesh @m axes ["cp"] sizes [3] links [0.0]

// Queries that are whole may be cut, for keys to go round; the result is returned
// in parts.
// CHECK-LABEL: agt.graph @rounds
// CHECK: ring.part %arg0[%{{.*}}] [#ring.cut<dim = 1
// CHECK: ring.schedule "pass_kv"
// CHECK: %[[O:.*]] = ring.finalize
// CHECK-NOT: ring.gather
// CHECK: ring.whole %[[O]][] [#ring.cut<dim = 1, axis = "cp", parts = 3, step = 1, balance = striped>]
agt.graph @rounds(%q: tensor<8x4x64xf32>, %k: tensor<2x?x64xf32>) -> tensor<8x4x64xf32>
    attributes {mesh = "m", agt.policy = "pass-kv"} {
  %1 = agt.shard %k <[whole, cp striped, whole]> via ring : tensor<2x?x64xf32>
  %2 = agt.attention %q, %1, %1 causal bottom_right
      : (tensor<8x4x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>) -> tensor<8x4x64xf32>
  agt.return %2 : tensor<8x4x64xf32>
}

// -----

agt.mesh @m axes ["cp"] sizes [3] links [0.0]

// The axis that cuts the keys cuts the batch as well: a place has all keys of its
// own entries.
// CHECK-LABEL: agt.graph @entries
// CHECK: %[[Q:.*]] = ring.part %arg0[] [#ring.cut<dim = 0, axis = "cp", parts = 3, step = 1, balance = contiguous>]
// CHECK: %[[K:.*]] = ring.part %arg1[%{{.*}}] [#ring.cut<dim = 0, axis = "cp", parts = 3, step = 1, balance = contiguous>]
// CHECK-NOT: ring.combine
// CHECK: agt.attention %[[Q]], %[[K]], %[[K]]
agt.graph @entries(%q: tensor<6x8x4x64xf32>, %k: tensor<6x2x?x64xf32>) -> tensor<6x8x4x64xf32> attributes {mesh = "m"} {
  %0 = agt.shard %q <[cp, whole, whole, whole]> via ring : tensor<6x8x4x64xf32>
  %1 = agt.shard %k <[whole, whole, cp, whole]> via ring : tensor<6x2x?x64xf32>
  %2 = agt.attention %0, %1, %1 : (tensor<6x8x4x64xf32>, tensor<6x2x?x64xf32>, tensor<6x2x?x64xf32>) -> tensor<6x8x4x64xf32>
  agt.return %2 : tensor<6x8x4x64xf32>
}

// -----

agt.mesh @m axes ["cp"] sizes [3] links [0.0]

// A mask of pairs is with its queries, all keys of it: each step takes the
// columns of the shard it meets. Nothing but keys and values moves.
// CHECK-LABEL: agt.graph @mask
// CHECK: %[[R:.*]] = ring.place parts 3 step 1
// CHECK: %[[M:.*]] = ring.part %arg1[] [#ring.cut<dim = 0, axis = "cp", parts = 3, step = 1, balance = contiguous>] : tensor<6x6xi1> -> tensor<2x6xi1>
// CHECK: ring.shift {{.*}} move kv
// CHECK-NOT: ring.shift
// CHECK: %[[P0:.*]] = ring.positions %[[R]] of
// CHECK: %[[E0:.*]] = agt.embed %[[T:.*]], %[[P0]] : (tensor<6x2xi1>, tensor<2xi32>) -> tensor<2x2xi1>
// CHECK: %[[M0:.*]] = agt.transpose %[[E0]] [1, 0]
// CHECK: ring.attend {{.*}} masks(%[[M0]]) step 0 owner %[[R]]
// CHECK: ring.shift {{.*}} move kv
// CHECK-NOT: ring.shift
// CHECK: %[[P1:.*]] = ring.positions %[[R1:.*]] of
// CHECK: %[[E1:.*]] = agt.embed %[[T]], %[[P1]]
// CHECK: %[[M1:.*]] = agt.transpose %[[E1]] [1, 0]
// CHECK: ring.attend {{.*}} masks(%[[M1]]) step 1 owner %[[R1]]
agt.graph @mask(%q: tensor<8x6x64xf32>, %m: tensor<6x6xi1>) -> tensor<8x6x64xf32> attributes {mesh = "m"} {
  %0 = agt.shard %q <[whole, cp, whole]> via ring : tensor<8x6x64xf32>
  %2 = agt.attention %0, %0, %0 masks(%m)
      : (tensor<8x6x64xf32>, tensor<8x6x64xf32>, tensor<8x6x64xf32>, tensor<6x6xi1>) -> tensor<8x6x64xf32>
  agt.return %2 : tensor<8x6x64xf32>
}

// -----

agt.mesh @m axes ["cp"] sizes [3] links [0.0]

// One value that is queries, keys and values: the queries stay as they are.
// CHECK-LABEL: agt.graph @self
// CHECK: %[[X:.*]] = ring.part %arg0
// CHECK: ring.attend %[[X]], %[[X]], %[[X]] step 0
// CHECK: %[[K1:.*]] = ring.await
// CHECK: ring.attend %[[X]], %[[K1]], %[[K1]] sees({{.*}}) step 1
// CHECK: %[[K2:.*]] = ring.await
// CHECK: ring.attend %[[X]], %[[K2]], %[[K2]] sees({{.*}}) step 2
agt.graph @self(%x: tensor<8x6x64xf32>) -> tensor<8x6x64xf32> attributes {mesh = "m"} {
  %0 = agt.shard %x <[whole, cp, whole]> via ring : tensor<8x6x64xf32>
  %1 = agt.attention %0, %0, %0
      : (tensor<8x6x64xf32>, tensor<8x6x64xf32>, tensor<8x6x64xf32>) -> tensor<8x6x64xf32>
  agt.return %1 : tensor<8x6x64xf32>
}

// -----

agt.mesh @m axes ["cp"] sizes [3] links [0.0]

// One value that says where queries are and where keys are: it stays and goes
// round.
// CHECK-LABEL: agt.graph @positions
// CHECK: %[[P:.*]] = ring.part %arg1
// CHECK: ring.shift {{.*}} move kv
// CHECK: %[[T:.*]] = ring.shift %[[P]]{{.*}} move aux
// CHECK: ring.attend {{.*}} q_pos(%[[P]]) kv_pos(%[[P]])
// CHECK: %[[P1:.*]] = ring.await %[[T]]
// CHECK: ring.attend {{.*}} q_pos(%[[P]]) kv_pos(%[[P1]])
agt.graph @positions(%x: tensor<8x6x64xf32>, %p: tensor<6xi32>) -> tensor<8x6x64xf32> attributes {mesh = "m"} {
  %0 = agt.shard %x <[whole, cp, whole]> via ring : tensor<8x6x64xf32>
  %1 = agt.attention %0, %0, %0 q_pos(%p) kv_pos(%p) causal bottom_right
      : (tensor<8x6x64xf32>, tensor<8x6x64xf32>, tensor<8x6x64xf32>, tensor<6xi32>, tensor<6xi32>) -> tensor<8x6x64xf32>
  agt.return %1 : tensor<8x6x64xf32>
}

// -----

agt.mesh @m axes ["cp"] sizes [3] links [0.0]

// What the keys alone have of a bias: here whole if it is an input, round with
// the keys if it lies in parts.
// CHECK-LABEL: agt.graph @columns
// CHECK: %[[B:.*]] = agt.exp {{.*}} : tensor<2xf32>
// CHECK: ring.shift %{{.*}} move kv
// CHECK: %[[T:.*]] = ring.shift %[[B]]{{.*}} move aux
// CHECK-NOT: ring.shift
// CHECK: %[[M:.*]] = agt.embed
// CHECK: %[[OF:.*]] = agt.reshape %[[M]][] : tensor<2x1xi1> -> tensor<2xi1>
// CHECK: ring.attend {{.*}} masks(%[[OF]]) bias(%[[B]]) step 0
// CHECK: %[[B1:.*]] = ring.await %[[T]]
// CHECK: ring.attend {{.*}} bias(%[[B1]]) step 1
agt.graph @columns(%x: tensor<8x6x64xf32>, %m: tensor<6xi1>, %b: tensor<6xf32>) -> tensor<8x6x64xf32> attributes {mesh = "m"} {
  %0 = agt.shard %x <[whole, cp, whole]> via ring : tensor<8x6x64xf32>
  %1 = agt.exp %b : tensor<6xf32>
  %2 = agt.attention %0, %0, %0 masks(%m) bias(%1)
      : (tensor<8x6x64xf32>, tensor<8x6x64xf32>, tensor<8x6x64xf32>, tensor<6xi1>, tensor<6xf32>) -> tensor<8x6x64xf32>
  agt.return %2 : tensor<8x6x64xf32>
}

// -----

agt.mesh @m axes ["cp"] sizes [3] links [0.0]

// No cut keeps blocks of scales whole: every place has all scales, and each key of
// a step gets its own.
// CHECK-LABEL: agt.graph @scales
// CHECK-SAME: agt.data_checks = [{axis = 1 : i64, block = 4 : i64, heads_first = true, input = 2 : i64, of = 1 : i64, place = #loc{{[0-9]*}}}, {
// CHECK: %[[AT:.*]] = ring.positions
// CHECK: %[[FOUR:.*]] = agt.scalar %c4
// CHECK: %[[BLOCK:.*]] = agt.div %[[AT]], %[[FOUR]]
// CHECK: %[[E:.*]] = agt.embed %{{.*}}, %[[BLOCK]] : (tensor<2x8xf32>, tensor<2xi32>) -> tensor<2x8xf32>
// CHECK: %[[S:.*]] = agt.transpose %[[E]] [1, 0]
// CHECK: ring.attend {{.*}} k_scale(%[[S]]) v_scale(%[[S]]) step 0 owner {{.*}} k_block 1 v_block 1
agt.graph @scales(%q: tensor<8x6x64xf32>, %k: tensor<8x6x64xi8>, %s: tensor<8x2xf32>) -> tensor<8x6x64xf32> attributes {mesh = "m"} {
  %0 = agt.shard %q <[whole, cp, whole]> via ring : tensor<8x6x64xf32>
  %1 = agt.shard %k <[whole, cp, whole]> via ring : tensor<8x6x64xi8>
  %2 = agt.attention %0, %1, %1 k_scale(%s) v_scale(%s) k_block 4 v_block 4
      : (tensor<8x6x64xf32>, tensor<8x6x64xi8>, tensor<8x6x64xi8>, tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x6x64xf32>
  agt.return %2 : tensor<8x6x64xf32>
}

// -----

agt.mesh @m axes ["cp", "tp"] sizes [2, 2] links [0.0, 0.0]

// Via ulysses every place has all tokens of some heads; those that tp has cut are
// cut further. What reaches the attention from arguments is cut by heads at
// once, whatever the statement says of its tokens.
// CHECK-LABEL: agt.graph @ulysses
// CHECK-NOT: ring.gather
// CHECK: %[[Q:.*]] = ring.part %arg0[%{{.*}}] [#ring.cut<dim = 0, axis = "tp", parts = 4, step = 1, balance = contiguous>] : tensor<8x?x16xf32> -> tensor<2x?x16xf32>
// CHECK: %[[K:.*]] = ring.part %arg1{{.*}} -> tensor<1x?x16xf32>
// CHECK: %[[O:.*]] = agt.attention %[[Q]], %[[K]], %[[K]] causal
// CHECK-NOT: ring.gather
// CHECK: ring.whole %[[O]]
agt.graph @ulysses(%q: tensor<8x?x16xf32>, %k: tensor<4x?x16xf32>) -> tensor<8x?x16xf32> attributes {mesh = "m"} {
  %0 = agt.shard %q <[tp, cp zigzag, whole]> via ulysses : tensor<8x?x16xf32>
  %1 = agt.shard %k <[tp, cp zigzag, whole]> via ulysses : tensor<4x?x16xf32>
  %2 = agt.attention %0, %1, %1 causal bottom_right : (tensor<8x?x16xf32>, tensor<4x?x16xf32>, tensor<4x?x16xf32>) -> tensor<8x?x16xf32>
  agt.return %2 : tensor<8x?x16xf32>
}

// -----

agt.mesh @m axes ["cp", "tp"] sizes [2, 2] links [0.0, 0.0]

agt.graph @few(%q: tensor<8x?x16xf32>, %k: tensor<2x?x16xf32>) -> tensor<8x?x16xf32> attributes {mesh = "m"} {
  %0 = agt.shard %q <[tp, cp, whole]> via ulysses : tensor<8x?x16xf32>
  // expected-error @+1 {{attention with 2 heads cannot be shared by the 4 positions of 'cp' and 'tp'}}
  %1 = agt.attention %0, %k, %k : (tensor<8x?x16xf32>, tensor<2x?x16xf32>, tensor<2x?x16xf32>) -> tensor<8x?x16xf32>
  agt.return %1 : tensor<8x?x16xf32>
}

// -----

agt.mesh @m axes ["cp", "pp", "tp"] sizes [2, 2, 2] links [0.0, 0.0, 0.0]

agt.graph @apart(%q: tensor<8x?x16xf32>, %k: tensor<8x?x16xf32>) -> tensor<8x?x16xf32> attributes {mesh = "m"} {
  %0 = agt.shard %q <[tp, cp, whole]> via ulysses : tensor<8x?x16xf32>
  // expected-error @+1 {{heads are shared over axes that mesh 'm' has one after the other, and these are not}}
  %1 = agt.attention %0, %k, %k : (tensor<8x?x16xf32>, tensor<8x?x16xf32>, tensor<8x?x16xf32>) -> tensor<8x?x16xf32>
  agt.return %1 : tensor<8x?x16xf32>
}
