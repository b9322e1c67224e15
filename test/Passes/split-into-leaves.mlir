// RUN: agt-opt %s --pass-pipeline='builtin.module(agt.graph(agt-split-into-leaves))' | FileCheck %s

// The sink takes part once, at the root; what else the attention is told goes by
// pairs and stays.
// CHECK-LABEL: agt.graph @attend
// CHECK-SAME: agt.reproducible
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[TOKENS:.*]] = tensor.dim %arg1, %{{.*}} : tensor<?x2x64xf16>
// CHECK: %[[NONE:.*]] = agt.leaves %[[TOKENS]] parts 1 leaves
// CHECK: %[[ALL:.*]] = agt.attention %arg0, %arg1, %arg2 alibi(%arg4) into(%[[NONE]]) owner(%[[C0]]) causal bottom_right layout shd partial
// CHECK-SAME: -> !agt.leaves
// CHECK: %[[O:.*]], %[[LSE:.*]] = agt.root %[[ALL]] of %arg0, %arg2 sink(%arg3) layout shd
// CHECK-SAME: -> (tensor<?x8x32xf32>, tensor<?x8xf32>)
// CHECK: agt.return %[[O]], %[[LSE]]
agt.graph @attend(%q: tensor<?x8x64xf32>, %k: tensor<?x2x64xf16>, %v: tensor<?x2x32xf16>,
                  %sink: tensor<8xf32>, %slopes: tensor<8xf32>) -> (tensor<?x8x32xf32>, tensor<?x8xf32>) {
  %o:2 = agt.attention %q, %k, %v sink(%sink) alibi(%slopes) causal bottom_right layout shd
      : (tensor<?x8x64xf32>, tensor<?x2x64xf16>, tensor<?x2x32xf16>, tensor<8xf32>, tensor<8xf32>)
      -> (tensor<?x8x32xf32>, tensor<?x8xf32>)
  agt.return %o#0, %o#1 : tensor<?x8x32xf32>, tensor<?x8xf32>
}
