// RUN: agt-opt %s -cse | FileCheck %s

// CHECK-LABEL: agt.graph @same
agt.graph @same(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[E:.*]] = agt.exp
  // CHECK-NEXT: agt.return %[[E]], %[[E]]
  %0 = agt.exp %a : tensor<4xf32>
  %1 = agt.exp %a : tensor<4xf32>
  agt.return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
