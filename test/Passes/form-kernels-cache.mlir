// RUN: agt-opt %s -pass-pipeline='builtin.module(agt.graph(agt-form-kernels))' | FileCheck %s

// What makes the rows is computed as they are stored; the cache is memory, and
// nothing is computed of it in that kernel.
// CHECK-LABEL: agt.graph @append
agt.graph @append(%keys: tensor<4x?x8xf32>, %k: tensor<?x32xf32>, %slots: tensor<?xi32>) -> tensor<4x?x8xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %k, %c0 : tensor<?x32xf32>
  // CHECK: %[[A:.*]] = agt.kernel "transpose_neg_cache_append" (
  // CHECK-SAME: = %arg0 : tensor<4x?x8xf32>
  %0 = agt.reshape %k [%t] : tensor<?x32xf32> -> tensor<?x4x8xf32>
  %1 = agt.transpose %0 [1, 0, 2] : tensor<?x4x8xf32> -> tensor<4x?x8xf32>
  %2 = agt.neg %1 : tensor<4x?x8xf32>
  %3 = agt.cache_append %keys, %2 at %slots
      : (tensor<4x?x8xf32>, tensor<4x?x8xf32>, tensor<?xi32>) -> tensor<4x?x8xf32>
  // CHECK: %[[E:.*]] = agt.kernel "exp" (%{{.*}} = %[[A]] : tensor<4x?x8xf32>)
  %4 = agt.exp %3 : tensor<4x?x8xf32>
  // CHECK: agt.return %[[E]]
  agt.return %4 : tensor<4x?x8xf32>
}

// A cache that is computed is stored first.
// CHECK-LABEL: agt.graph @made
agt.graph @made(%k: tensor<4x?x8xf32>, %slots: tensor<?xi32>, %n: tensor<?xf32>) -> tensor<4x?x8xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %size = tensor.dim %n, %c0 : tensor<?xf32>
  // CHECK: %[[C:.*]] = agt.kernel "full"
  %0 = agt.full %zero [%size] : f64 -> tensor<4x?x8xf32>
  // CHECK: agt.kernel "cache_append" (%{{.*}} = %[[C]] : tensor<4x?x8xf32>
  %1 = agt.cache_append %0, %k at %slots
      : (tensor<4x?x8xf32>, tensor<4x?x8xf32>, tensor<?xi32>) -> tensor<4x?x8xf32>
  agt.return %1 : tensor<4x?x8xf32>
}
