// RUN: agt-opt %s -split-input-file -verify-diagnostics

// Graphs, calls, checks, scalars: one case for each constraint.

// graph_c1
// expected-error @+1 {{'agt.graph' op expected a body, got a declaration}}
agt.graph private @f(tensor<4xf32>)

// -----

// graph_c2
// expected-error @+1 {{'agt.graph' op expected tensors as arguments and results, got 'memref<4xf32>'}}
agt.graph @f(%a: memref<4xf32>) {
  agt.return
}

// -----

// graph_c2: an element type that the dialect does not have
// expected-error @+1 {{'agt.graph' op expected tensors as arguments and results, got 'tensor<4xf64>'}}
agt.graph @f(%a: tensor<4xf64>) {
  agt.return
}

// -----

// return_c1
// expected-note @+1 {{the results are declared here}}
agt.graph @f(%a: tensor<4xf32>) -> tensor<5xf32> {
  // expected-error @+1 {{'agt.return' op expected values of types ('tensor<5xf32>'), got ('tensor<4xf32>')}}
  agt.return %a : tensor<4xf32>
}

// -----

// return_c1: one too few
// expected-note @+1 {{the results are declared here}}
agt.graph @f(%a: tensor<4xf32>) -> tensor<5xf32> {
  // expected-error @+1 {{'agt.return' op expected values of types ('tensor<5xf32>'), got ()}}
  agt.return
}

// -----

// call_c1
agt.graph @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{'agt.call' op expected the name of a graph, got 'g'}}
  %0 = agt.call @g(%a) : (tensor<4xf32>) -> tensor<4xf32>
  agt.return
}

// -----

// call_c2
agt.graph @g(%a: tensor<?x64xf32>) {
  agt.return
}
agt.graph @f(%a: tensor<4x32xf32>) {
  // expected-error @+1 {{'agt.call' op expected arguments of types ('tensor<?x64xf32>'), got ('tensor<4x32xf32>')}}
  agt.call @g(%a) : (tensor<4x32xf32>) -> ()
  agt.return
}

// -----

// call_c3
agt.graph @g(%a: tensor<?xf32>) -> tensor<?xf32> {
  agt.return %a : tensor<?xf32>
}
agt.graph @f(%a: tensor<?xf32>) {
  // expected-error @+1 {{'agt.call' op expected results of types ('tensor<?xf32>'), got ('tensor<?xf16>')}}
  %0 = agt.call @g(%a) : (tensor<?xf32>) -> tensor<?xf16>
  agt.return
}

// -----

// require_c1
agt.graph @f() {
  %true = arith.constant true
  %n = arith.constant 1 : index
  // expected-error @+1 {{'agt.require' op expected a value for {1} of the message, got 1 values}}
  agt.require %true, "{0} and {1}"(%n)
  agt.return
}

// -----

// scalar_c1
agt.graph @f() {
  %n = arith.constant 1 : index
  // expected-error @+1 {{'agt.scalar' op expected a result without dims, got 'tensor<1xf32>'}}
  %0 = agt.scalar %n : index -> tensor<1xf32>
  agt.return
}
