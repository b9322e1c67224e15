// RUN: agt-opt %s -split-input-file -verify-diagnostics

// Weights and caches: one case for each constraint.

// weights_c1
// expected-error @+1 {{'agt.weights' op expected the format 'llama2c', 'safetensors', 'gguf' or 'npy', got 'zip'}}
agt.weights @W "/w.zip" format "zip"

// -----

// cache_append_c1
agt.graph @f(%c: tensor<?x8xf32>, %r: tensor<4x?x8xf32>, %s: tensor<?xi32>) {
  // expected-error @+1 {{'agt.cache_append' op expected a cache of 3 dims, got 'tensor<?x8xf32>'}}
  %0 = agt.cache_append %c, %r at %s : (tensor<?x8xf32>, tensor<4x?x8xf32>, tensor<?xi32>) -> tensor<?x8xf32>
  agt.return
}

// -----

// cache_append_c2
agt.graph @f(%c: tensor<4x?x8xf32>, %r: tensor<2x?x8xf32>, %s: tensor<?xi32>) {
  // expected-error @+1 {{'agt.cache_append' op expected rows of type 'tensor<4x?x8xf32>', got 'tensor<2x?x8xf32>'}}
  %0 = agt.cache_append %c, %r at %s : (tensor<4x?x8xf32>, tensor<2x?x8xf32>, tensor<?xi32>) -> tensor<4x?x8xf32>
  agt.return
}

// -----

// cache_append_c3
agt.graph @f(%c: tensor<4x?x8xf32>, %r: tensor<4x3x8xf32>, %s: tensor<2xi32>) {
  // expected-error @+1 {{'agt.cache_append' op expected slots of type 'tensor<3xi32>', got 'tensor<2xi32>'}}
  %0 = agt.cache_append %c, %r at %s : (tensor<4x?x8xf32>, tensor<4x3x8xf32>, tensor<2xi32>) -> tensor<4x?x8xf32>
  agt.return
}

// -----

// cache_append_c4
agt.graph @f(%c: tensor<4x?x8xf32>, %r: tensor<4x3x8xf32>, %s: tensor<3xi32>) {
  // expected-error @+1 {{'agt.cache_append' op expected a result of type 'tensor<4x?x8xf32>', got 'tensor<4x?x8xf16>'}}
  %0 = agt.cache_append %c, %r at %s : (tensor<4x?x8xf32>, tensor<4x3x8xf32>, tensor<3xi32>) -> tensor<4x?x8xf16>
  agt.return
}

// -----

// unpack_blocks_c1
agt.graph @f(%b: tensor<4x?xi8>) {
  // expected-error @+1 {{'agt.unpack_blocks' op expected bytes with a last dim that is known, got 'tensor<4x?xi8>'}}
  %0 = agt.unpack_blocks %b as q8_0 : tensor<4x?xi8> -> tensor<4x?xf32>
  agt.return
}

// -----

// unpack_blocks_c2
agt.graph @f(%b: tensor<4x68xi8>) {
  // expected-error @+1 {{'agt.unpack_blocks' op expected rows of whole blocks of 144 bytes, got rows of 68}}
  %0 = agt.unpack_blocks %b as q4_k : tensor<4x68xi8> -> tensor<4x64xf32>
  agt.return
}

// -----

// unpack_blocks_c3
agt.graph @f(%b: tensor<4x68xi8>) {
  // expected-error @+1 {{'agt.unpack_blocks' op expected a result of type 'tensor<4x64xf32>', got 'tensor<4x68xf32>'}}
  %0 = agt.unpack_blocks %b as q8_0 : tensor<4x68xi8> -> tensor<4x68xf32>
  agt.return
}
