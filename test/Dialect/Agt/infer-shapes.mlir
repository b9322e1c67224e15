// RUN: agt-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize -cse -split-input-file | FileCheck %s

// Every dim of a result is arithmetic on dims of the arguments.

// CHECK-LABEL: agt.graph @broadcast
// CHECK-SAME: %[[A:.*]]: tensor<4x1x?xf32>, %[[B:.*]]: tensor<?x1xf32>
agt.graph @broadcast(%a: tensor<4x1x?xf32>, %b: tensor<?x1xf32>) -> tensor<3xi64> {
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
  // CHECK-DAG: %[[N:.*]] = tensor.dim %[[B]], %[[C0]]
  // CHECK-DAG: %[[M:.*]] = tensor.dim %[[A]], %[[C2]]
  // CHECK: agt.scalar %[[N]]
  // CHECK: agt.scalar %[[M]]
  %0 = agt.add %a, %b : (tensor<4x1x?xf32>, tensor<?x1xf32>) -> tensor<4x?x?xf32>
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %0, %c1 : tensor<4x?x?xf32>
  %m = tensor.dim %0, %c2 : tensor<4x?x?xf32>
  %1 = agt.scalar %n : index -> tensor<i64>
  %2 = agt.scalar %m : index -> tensor<i64>
  %s = agt.reshape %1 [] : tensor<i64> -> tensor<1xi64>
  %t = agt.reshape %2 [] : tensor<i64> -> tensor<1xi64>
  %r = agt.concat %s, %t, %s axis 0 : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  agt.return %r : tensor<3xi64>
}

// -----

// CHECK-LABEL: agt.graph @chain
// CHECK-SAME: %[[X:.*]]: tensor<8x?x64xf32>, %[[W:.*]]: tensor<?x64xf32>, %[[P:.*]]: tensor<?xi32>
agt.graph @chain(%x: tensor<8x?x64xf32>, %w: tensor<?x64xf32>, %p: tensor<?xi32>) -> tensor<?xf32> {
  // CHECK-DAG: %[[T:.*]] = tensor.dim %[[X]]
  // CHECK-DAG: %[[N:.*]] = tensor.dim %[[W]]
  // CHECK-DAG: %[[TWICE:.*]] = arith.addi %[[N]], %[[N]]
  // CHECK: agt.full %{{.*}}[%[[TWICE]]]
  %0 = agt.rope %x, %p base 1.0e+04 scale 1.0 pairs halves : (tensor<8x?x64xf32>, tensor<?xi32>) -> tensor<8x?x64xf32>
  %1 = agt.linear %0, %w : (tensor<8x?x64xf32>, tensor<?x64xf32>) -> tensor<8x?x?xf32>
  %2 = agt.transpose %1 [0, 2, 1] : tensor<8x?x?xf32> -> tensor<8x?x?xf32>
  %3 = agt.concat %2, %2 axis 1 : (tensor<8x?x?xf32>, tensor<8x?x?xf32>) -> tensor<8x?x?xf32>
  %4 = agt.softmax %3 axis 1 : tensor<8x?x?xf32>
  %5 = agt.reduce sum %4 axis 0 : tensor<8x?x?xf32> -> tensor<?x?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %5, %c0 : tensor<?x?xf32>
  %t = tensor.dim %5, %c1 : tensor<?x?xf32>
  // CHECK: agt.scalar %[[T]]
  %z = agt.full %c0 [%n] : index -> tensor<?xf32>
  %u = agt.scalar %t : index -> tensor<f32>
  %r = agt.add %z, %u : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  agt.return %r : tensor<?xf32>
}

// -----

// CHECK-LABEL: agt.graph @sizes
// CHECK-SAME: %[[Q:.*]]: tensor<8x?x?xf32>, %[[K:.*]]: tensor<2x?x?xf32>, %[[V:.*]]: tensor<2x?x?xf32>, %[[I:.*]]: tensor<?x?xi32>, %[[T:.*]]: tensor<9x?xf32>
agt.graph @sizes(%q: tensor<8x?x?xf32>, %k: tensor<2x?x?xf32>, %v: tensor<2x?x?xf32>, %i: tensor<?x?xi32>, %t: tensor<9x?xf32>) -> tensor<?x?x?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
  // CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
  // CHECK-DAG: %[[TOKENS:.*]] = tensor.dim %[[Q]], %[[C1]]
  // CHECK-DAG: %[[DIM:.*]] = tensor.dim %[[V]], %[[C2]]
  // CHECK-DAG: %[[IDS:.*]] = tensor.dim %[[I]], %[[C1]]
  // CHECK-DAG: %[[WIDTH:.*]] = tensor.dim %[[T]], %[[C1]]
  // CHECK-DAG: %[[KEYS:.*]] = tensor.dim %[[K]], %[[C1]]
  // CHECK-DAG: %[[BLOCKS:.*]] = arith.ceildivui %[[KEYS]], %[[C16]]
  // CHECK-DAG: %[[CUT:.*]] = arith.subi %[[IDS]], %[[C1]]
  // CHECK: agt.full %{{.*}}[%[[TOKENS]], %[[DIM]], %[[IDS]], %[[WIDTH]], %[[BLOCKS]], %[[CUT]]]
  %a = agt.attention %q, %k, %v : (tensor<8x?x?xf32>, tensor<2x?x?xf32>, tensor<2x?x?xf32>) -> tensor<8x?x?xf32>
  %0 = tensor.dim %a, %c1 : tensor<8x?x?xf32>
  %1 = tensor.dim %a, %c2 : tensor<8x?x?xf32>
  %e = agt.embed %t, %i : (tensor<9x?xf32>, tensor<?x?xi32>) -> tensor<?x?x?xf32>
  %2 = tensor.dim %e, %c1 : tensor<?x?x?xf32>
  %3 = tensor.dim %e, %c2 : tensor<?x?x?xf32>
  %b, %s = agt.quantize %k block 16 : tensor<2x?x?xf32> -> (tensor<2x?x?xi8>, tensor<2x?xf32>)
  %4 = tensor.dim %s, %c1 : tensor<2x?xf32>
  %c = agt.slice %i [%c1 to %2] axis 1 : tensor<?x?xi32> -> tensor<?x?xi32>
  %5 = tensor.dim %c, %c1 : tensor<?x?xi32>
  %r = agt.full %c0 [%0, %1, %2, %3, %4, %5] : index -> tensor<?x?x?x?x?x?xf32>
  agt.return %r : tensor<?x?x?x?x?x?xf32>
}

// -----

// CHECK-LABEL: agt.graph @more_sizes
// CHECK-SAME: %[[A:.*]]: tensor<?x?x3xf32>, %[[B:.*]]: tensor<3x?xf32>
agt.graph @more_sizes(%a: tensor<?x?x3xf32>, %b: tensor<3x?xf32>) -> tensor<?x?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG: %[[BATCH:.*]] = tensor.dim %[[A]], %[[C0]]
  // CHECK-DAG: %[[ROWS:.*]] = tensor.dim %[[A]], %[[C1]]
  // CHECK-DAG: %[[COLUMNS:.*]] = tensor.dim %[[B]], %[[C1]]
  // CHECK: agt.full %{{.*}}[%[[BATCH]], %[[ROWS]], %[[COLUMNS]], %[[COLUMNS]], %[[ROWS]]]
  %m = agt.matmul %a, %b : (tensor<?x?x3xf32>, tensor<3x?xf32>) -> tensor<?x?x?xf32>
  %0 = tensor.dim %m, %c0 : tensor<?x?x?xf32>
  %1 = tensor.dim %m, %c1 : tensor<?x?x?xf32>
  %2 = tensor.dim %m, %c2 : tensor<?x?x?xf32>
  %v, %i = agt.topk %m k 2 : tensor<?x?x?xf32> -> (tensor<?x?x2xf32>, tensor<?x?x2xi32>)
  %x = agt.argmax %m axis 1 : tensor<?x?x?xf32> -> tensor<?x?xi32>
  %3 = tensor.dim %x, %c1 : tensor<?x?xi32>
  %4 = tensor.dim %i, %c1 : tensor<?x?x2xi32>
  %r = agt.full %c0 [%0, %1, %2, %3, %4] : index -> tensor<?x?x?x?x?xf32>
  agt.return %r : tensor<?x?x?x?x?xf32>
}

// -----

// What a kernel computes is not looked into: its sizes say what it gives.
// CHECK-LABEL: agt.graph @kernel
// CHECK-SAME: %[[A:.*]]: tensor<?xf32>
agt.graph @kernel(%a: tensor<?xf32>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  // CHECK: %[[N:.*]] = tensor.dim %[[A]]
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %0 = agt.kernel "exp" (%x = %a : tensor<?xf32>) [%n] -> tensor<?xf32> {
    %e = agt.exp %x : tensor<?xf32>
    agt.yield %e : tensor<?xf32>
  }
  %1 = tensor.dim %0, %c0 : tensor<?xf32>
  // CHECK: agt.iota %[[N]]
  %r = agt.iota %1 : tensor<?xi32>
  agt.return %r : tensor<?xi32>
}
