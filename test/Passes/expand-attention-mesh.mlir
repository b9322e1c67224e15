// RUN: agt-opt %s --pass-pipeline='builtin.module(agt-expand-attention{packed-on-mesh=true},agt.graph(agt-propagate-shardings,agt-convert-to-ring),canonicalize,cse)' | FileCheck %s

// On a mesh offsets of packed sequences become segments, which are cut as tokens
// are and go round with the keys; positions likewise. Masks are left as they are.
agt.mesh @m axes ["cp"] sizes [2] links [0.0]

// What the run has to check of the inputs is noted on the graph.
// CHECK-LABEL: agt.graph @packed
// CHECK-SAME: agt.data_checks = [{axis = 1 : i64, input = 3 : i64, of = 0 : i64, place = #loc{{[0-9]*}}}, {axis = 1 : i64, input = 3 : i64, of = 1 : i64, place = #loc{{[0-9]*}}}]
// CHECK: ring.schedule
// CHECK-COUNT-2: ring.shift {{.*}} move kv
// CHECK: %[[POS:.*]] = ring.shift {{.*}} move aux
// CHECK: %[[SEG:.*]] = ring.shift {{.*}} move aux
// CHECK: ring.attend {{.*}} masks(%{{.*}}, %{{.*}}) q_pos(%[[QP:.*]]) kv_pos(%{{.*}}) q_seg(%[[QS:.*]]) kv_seg(%{{.*}}) step 0
// CHECK: %[[POS1:.*]] = ring.await %[[POS]]
// CHECK: %[[SEG1:.*]] = ring.await %[[SEG]]
// CHECK: ring.attend {{.*}} q_pos(%[[QP]]) kv_pos(%[[POS1]]) q_seg(%[[QS]]) kv_seg(%[[SEG1]]) step 1
agt.graph @packed(%q: tensor<1x?x8xf32>, %k: tensor<1x?x8xf32>, %v: tensor<1x?x8xf32>, %a: tensor<3xi32>,
                  %m: tensor<?x1xi1>) -> tensor<1x?x8xf32> attributes {mesh = "m"} {
  %0 = agt.shard %q <[whole, cp, whole]> via ring : tensor<1x?x8xf32>
  %1 = agt.shard %k <[whole, cp, whole]> via ring : tensor<1x?x8xf32>
  %o = agt.attention %0, %1, %v masks(%m, %m) q_cu(%a) kv_cu(%a) causal bottom_right
      : (tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<?x1xi1>, tensor<?x1xi1>, tensor<3xi32>, tensor<3xi32>)
      -> tensor<1x?x8xf32>
  agt.return %o : tensor<1x?x8xf32>
}

// Kernels get to it later.
// CHECK-LABEL: agt.graph @one_device
// CHECK: agt.attention {{.*}} q_cu(%{{.*}}) kv_cu(%{{.*}})
agt.graph @one_device(%q: tensor<1x?x8xf32>, %a: tensor<3xi32>) -> tensor<1x?x8xf32> {
  %o = agt.attention %q, %q, %q q_cu(%a) kv_cu(%a)
      : (tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<3xi32>, tensor<3xi32>) -> tensor<1x?x8xf32>
  agt.return %o : tensor<1x?x8xf32>
}
