// RUN: agt-opt %s --pass-pipeline='builtin.module(agt.graph(agt-verify-kernels))' --split-input-file --verify-diagnostics

// Work outside a kernel.
agt.graph @work(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'agt.exp' op stands outside a kernel after agt-form-kernels}}
  %e = agt.exp %x : tensor<4xf32>
  agt.return %e : tensor<4xf32>
}

// -----

// The size of something that has yet to be computed.
agt.graph @size(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = agt.kernel "exp" (%a = %x : tensor<?xf32>) [%n] -> tensor<?xf32> {
    %r = agt.exp %a : tensor<?xf32>
    agt.yield %r : tensor<?xf32>
  }
  // expected-error @below {{'tensor.dim' op stands outside a kernel after agt-form-kernels}}
  %m = tensor.dim %e, %c0 : tensor<?xf32>
  %i = agt.kernel "iota" (%s = %m : index) [%m] -> tensor<?xi32> {
    %r = agt.iota %s : tensor<?xi32>
    agt.yield %r : tensor<?xi32>
  }
  agt.return %e : tensor<?xf32>
}

// -----

// Arithmetic of the host is on numbers.
agt.graph @tensors(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'arith.constant' op stands outside a kernel after agt-form-kernels}}
  %one = arith.constant dense<1.0> : tensor<4xf32>
  // expected-error @below {{'arith.addf' op stands outside a kernel after agt-form-kernels}}
  %y = arith.addf %x, %one : tensor<4xf32>
  agt.return %y : tensor<4xf32>
}

// -----

// Which dim is asked for is known.
agt.graph @which(%x: tensor<?x?xf32>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %i = tensor.dim %x, %c0 : tensor<?x?xf32>
  // expected-error @below {{'tensor.dim' op stands outside a kernel after agt-form-kernels}}
  %n = tensor.dim %x, %i : tensor<?x?xf32>
  %r = agt.kernel "iota" (%s = %n : index) [%n] -> tensor<?xi32> {
    %k = agt.iota %s : tensor<?xi32>
    agt.yield %k : tensor<?xi32>
  }
  agt.return %r : tensor<?xi32>
}

// -----

// What agt-lower-ring takes away is gone, what it leaves stays.
agt.graph @place(%x: tensor<4xf32>) -> tensor<4xf32> {
  %p = ring.place parts 4 step 1
  agt.return %x : tensor<4xf32>
}
