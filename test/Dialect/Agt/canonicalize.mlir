// RUN: agt-opt %s -canonicalize -split-input-file | FileCheck %s

// A check that holds goes, one that fails stays for the run to report.
// CHECK-LABEL: agt.graph @require
agt.graph @require() {
  %true = arith.constant true
  %false = arith.constant false
  // CHECK-NOT: "holds"
  agt.require %true, "holds"
  // CHECK: agt.require %{{.*}}, "fails"
  agt.require %false, "fails"
  agt.return
}

// -----

// CHECK-LABEL: agt.graph @require_same_dim
agt.graph @require_same_dim(%a: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %same = arith.cmpi eq, %n, %n : index
  // CHECK-NOT: agt.require
  agt.require %same, "a dim is itself"
  agt.return
}

// -----

// CHECK-LABEL: agt.graph @transpose_identity
// CHECK-SAME: %[[A:.*]]: tensor<?x4xf32>
agt.graph @transpose_identity(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = agt.transpose %a [0, 1] : tensor<?x4xf32> -> tensor<?x4xf32>
  // CHECK-NEXT: agt.return %[[A]]
  agt.return %0 : tensor<?x4xf32>
}

// -----

// CHECK-LABEL: agt.graph @transpose_back
// CHECK-SAME: %[[A:.*]]: tensor<?x4x5xf32>
agt.graph @transpose_back(%a: tensor<?x4x5xf32>) -> tensor<?x4x5xf32> {
  %0 = agt.transpose %a [1, 2, 0] : tensor<?x4x5xf32> -> tensor<4x5x?xf32>
  %1 = agt.transpose %0 [2, 0, 1] : tensor<4x5x?xf32> -> tensor<?x4x5xf32>
  // CHECK-NEXT: agt.return %[[A]]
  agt.return %1 : tensor<?x4x5xf32>
}

// -----

// CHECK-LABEL: agt.graph @transpose_twice
// CHECK-SAME: %[[A:.*]]: tensor<3x4x5xf32>
agt.graph @transpose_twice(%a: tensor<3x4x5xf32>) -> tensor<5x3x4xf32> {
  %0 = agt.transpose %a [1, 2, 0] : tensor<3x4x5xf32> -> tensor<4x5x3xf32>
  %1 = agt.transpose %0 [1, 2, 0] : tensor<4x5x3xf32> -> tensor<5x3x4xf32>
  // CHECK-NEXT: %[[T:.*]] = agt.transpose %[[A]] [2, 0, 1] : tensor<3x4x5xf32> -> tensor<5x3x4xf32>
  // CHECK-NEXT: agt.return %[[T]]
  agt.return %1 : tensor<5x3x4xf32>
}

// -----

// CHECK-LABEL: agt.graph @cast
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>
agt.graph @cast(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = agt.cast %a : tensor<4xf32> -> tensor<4xf32>
  // A cast there and back loses bits, and stays.
  // CHECK: agt.cast
  // CHECK: %[[B:.*]] = agt.cast
  %1 = agt.cast %a : tensor<4xf32> -> tensor<4xf16>
  %2 = agt.cast %1 : tensor<4xf16> -> tensor<4xf32>
  // CHECK: agt.return %[[A]], %[[B]]
  agt.return %0, %2 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: agt.graph @slice_whole
// CHECK-SAME: %[[A:.*]]: tensor<?x4xf32>
agt.graph @slice_whole(%a: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %a, %c0 : tensor<?x4xf32>
  %0 = agt.slice %a [%c0 to %n] axis 0 : tensor<?x4xf32> -> tensor<?x4xf32>
  %1 = agt.slice %a [%c0 to %c4] axis 1 : tensor<?x4xf32> -> tensor<?x4xf32>
  // CHECK-NOT: agt.slice
  // CHECK: agt.return %[[A]], %[[A]]
  agt.return %0, %1 : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// A slice of the same type may still be another: sizes decide.
// CHECK-LABEL: agt.graph @slice_part
agt.graph @slice_part(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %b, %c0 : tensor<?xf32>
  // CHECK: %[[S:.*]] = agt.slice
  %0 = agt.slice %a [%c0 to %n] axis 0 : tensor<?xf32> -> tensor<?xf32>
  // CHECK: agt.return %[[S]]
  agt.return %0 : tensor<?xf32>
}

// -----

// CHECK-LABEL: agt.graph @concat_one
// CHECK-SAME: %[[A:.*]]: tensor<?xf32>
agt.graph @concat_one(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = agt.concat %a axis 0 : (tensor<?xf32>) -> tensor<?xf32>
  // CHECK-NEXT: agt.return %[[A]]
  agt.return %0 : tensor<?xf32>
}

// -----

// One open dim is fixed by the number of elements; two are not.
// CHECK-LABEL: agt.graph @reshape
// CHECK-SAME: %[[A:.*]]: tensor<?x4xf32>, %[[B:.*]]: tensor<?x?xf32>
agt.graph @reshape(%a: tensor<?x4xf32>, %b: tensor<?x?xf32>) -> (tensor<?x4xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %b, %c0 : tensor<?x?xf32>
  %m = tensor.dim %b, %c1 : tensor<?x?xf32>
  %0 = agt.reshape %a [%n] : tensor<?x4xf32> -> tensor<?x4xf32>
  // CHECK: %[[R:.*]] = agt.reshape %[[B]]
  %1 = agt.reshape %b [%m, %n] : tensor<?x?xf32> -> tensor<?x?xf32>
  // CHECK: agt.return %[[A]], %[[R]]
  agt.return %0, %1 : tensor<?x4xf32>, tensor<?x?xf32>
}

// -----

// Functions have no effects: what is not used goes, checks stay.
// CHECK-LABEL: agt.graph @unused
agt.graph @unused(%a: tensor<?xf32>, %b: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %m = tensor.dim %b, %c0 : tensor<?xf32>
  // CHECK-NOT: agt.exp
  %0 = agt.exp %a : tensor<?xf32>
  %same = arith.cmpi eq, %n, %m : index
  // CHECK: agt.require
  agt.require %same, "stays"
  agt.return
}
