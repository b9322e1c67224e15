// RUN: agt-opt %s --pass-pipeline='builtin.module(agt.graph(agt-form-kernels{explain=true}))' --verify-diagnostics

// What shares a kernel, and why a value has memory of its own.
agt.graph @f(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>) -> (tensor<4x8xf32>, tensor<4x16xf32>) {
  // expected-note @below {{'exp' is computed in it}}
  %e = agt.exp %x : tensor<4x8xf32>
  // expected-remark @below {{kernel 'exp_add' of 2 ops; 'add' has memory because it is read outside kernels}}
  %a = agt.add %e, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-remark @below {{kernel 'tanh' of 1 op; 'tanh' has memory because a product reads it many times}}
  %t = agt.tanh %x : tensor<4x8xf32>
  // expected-remark @below {{kernel 'linear' of 1 op; 'linear' has memory because it is read outside kernels}}
  %l = agt.linear %t, %w : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  agt.return %a, %l : tensor<4x8xf32>, tensor<4x16xf32>
}
