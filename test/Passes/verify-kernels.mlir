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
