// RUN: agt-opt %s -inline -split-input-file | FileCheck %s

// Where the caller knows more than the callee, casts stand between.
// CHECK-LABEL: agt.graph @caller
// CHECK-SAME: %[[A:.*]]: tensor<5xf32>
agt.graph @caller(%a: tensor<5xf32>) -> tensor<5xf32> {
  // CHECK-NEXT: %[[IN:.*]] = tensor.cast %[[A]] : tensor<5xf32> to tensor<?xf32>
  // CHECK-NEXT: %[[E:.*]] = agt.exp %[[IN]] : tensor<?xf32>
  // CHECK-NEXT: %[[OUT:.*]] = tensor.cast %[[E]] : tensor<?xf32> to tensor<5xf32>
  // CHECK-NEXT: agt.return %[[OUT]]
  %0 = agt.call @callee(%a) : (tensor<5xf32>) -> tensor<5xf32>
  agt.return %0 : tensor<5xf32>
}
agt.graph @callee(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = agt.exp %a : tensor<?xf32>
  agt.return %0 : tensor<?xf32>
}

// -----

// Several results, and a call inside a call.
// CHECK-LABEL: agt.graph @outer
// CHECK-SAME: %[[A:.*]]: tensor<?xf32>
agt.graph @outer(%a: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  // CHECK-NOT: agt.call
  // CHECK: %[[E:.*]] = agt.exp %[[A]]
  // CHECK: %[[S:.*]] = agt.sin %[[E]]
  // CHECK: agt.return %[[S]], %[[E]]
  %0:2 = agt.call @middle(%a) : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  agt.return %0#1, %0#0 : tensor<?xf32>, tensor<?xf32>
}
agt.graph private @middle(%a: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = agt.exp %a : tensor<?xf32>
  %1 = agt.call @inner(%0) : (tensor<?xf32>) -> tensor<?xf32>
  agt.return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
agt.graph private @inner(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = agt.sin %a : tensor<?xf32>
  agt.return %0 : tensor<?xf32>
}
