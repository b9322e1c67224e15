// RUN: agt-opt %s -split-input-file -verify-diagnostics

// Products, reductions, norms, rotation: one case for each constraint.

// matmul_c1
agt.graph @f(%a: tensor<4xf32>, %b: tensor<4x4xf32>) {
  // expected-error @+1 {{'agt.matmul' op expected operands of at least 2 dims, got 'tensor<4xf32>'}}
  %0 = agt.matmul %a, %b : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
  agt.return
}

// -----

// matmul_c2
agt.graph @f(%a: tensor<4x4xf32>, %b: tensor<4x4xf16>) {
  // expected-error @+1 {{'agt.matmul' op expected operands of one element type, got 'tensor<4x4xf32>' and 'tensor<4x4xf16>'}}
  %0 = agt.matmul %a, %b : (tensor<4x4xf32>, tensor<4x4xf16>) -> tensor<4x4xf32>
  agt.return
}

// -----

// matmul_c3
agt.graph @f(%a: tensor<4x3xf32>, %b: tensor<2x5xf32>) {
  // expected-error @+1 {{'agt.matmul' op expected 3 rows in the second operand, got 2}}
  %0 = agt.matmul %a, %b : (tensor<4x3xf32>, tensor<2x5xf32>) -> tensor<4x5xf32>
  agt.return
}

// -----

// matmul_c4
agt.graph @f(%a: tensor<6x4x3xf32>, %b: tensor<7x3x5xf32>) {
  // expected-error @+1 {{'agt.matmul' op expected leading dims that broadcast, got 'tensor<6x4x3xf32>' and 'tensor<7x3x5xf32>'}}
  %0 = agt.matmul %a, %b : (tensor<6x4x3xf32>, tensor<7x3x5xf32>) -> tensor<6x4x5xf32>
  agt.return
}

// -----

// matmul_c5
agt.graph @f(%a: tensor<6x4x3xf32>, %b: tensor<3x5xf32>) {
  // expected-error @+1 {{'agt.matmul' op expected a result of type 'tensor<6x4x5xf32>', got 'tensor<4x5xf32>'}}
  %0 = agt.matmul %a, %b : (tensor<6x4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  agt.return
}

// -----

// linear_c1
agt.graph @f(%x: tensor<f32>, %w: tensor<4x4xf32>) {
  // expected-error @+1 {{'agt.linear' op expected an input of at least 1 dims, got 'tensor<f32>'}}
  %0 = agt.linear %x, %w : (tensor<f32>, tensor<4x4xf32>) -> tensor<4xf32>
  agt.return
}

// -----

// linear_c2
agt.graph @f(%x: tensor<2x3xf32>, %w: tensor<5x4xf32>) {
  // expected-error @+1 {{'agt.linear' op expected a weight of type 'tensor<?x3xf32>', got 'tensor<5x4xf32>'}}
  %0 = agt.linear %x, %w : (tensor<2x3xf32>, tensor<5x4xf32>) -> tensor<2x5xf32>
  agt.return
}

// -----

// linear_c3
agt.graph @f(%x: tensor<2x3xf32>, %w: tensor<5x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{'agt.linear' op expected a bias of type 'tensor<5xf32>', got 'tensor<3xf32>'}}
  %0 = agt.linear %x, %w bias %b : (tensor<2x3xf32>, tensor<5x3xf32>, tensor<3xf32>) -> tensor<2x5xf32>
  agt.return
}

// -----

// linear_c4
agt.graph @f(%x: tensor<2x3xf32>, %w: tensor<5x3xf32>) {
  // expected-error @+1 {{'agt.linear' op expected a result of type 'tensor<2x5xf32>', got 'tensor<2x3xf32>'}}
  %0 = agt.linear %x, %w : (tensor<2x3xf32>, tensor<5x3xf32>) -> tensor<2x3xf32>
  agt.return
}

// -----

// reduce_c1
agt.graph @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'agt.reduce' op expected an axis of a tensor of 2 dims, got -1}}
  %0 = agt.reduce sum %x axis -1 : tensor<2x3xf32> -> tensor<2xf32>
  agt.return
}

// -----

// reduce_c2
agt.graph @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'agt.reduce' op expected a result of type 'tensor<2x1xf32>', got 'tensor<2xf32>'}}
  %0 = agt.reduce sum %x axis 1 keep : tensor<2x3xf32> -> tensor<2xf32>
  agt.return
}

// -----

// argmax_c1
agt.graph @f(%x: tensor<f32>) {
  // expected-error @+1 {{'agt.argmax' op expected an axis of a tensor of 0 dims, got 0}}
  %0 = agt.argmax %x axis 0 : tensor<f32> -> tensor<i32>
  agt.return
}

// -----

// argmax_c2
agt.graph @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'agt.argmax' op expected a result of type 'tensor<3xi32>', got 'tensor<2xi32>'}}
  %0 = agt.argmax %x axis 0 : tensor<2x3xf32> -> tensor<2xi32>
  agt.return
}

// -----

// topk_c1
agt.graph @f(%x: tensor<f32>) {
  // expected-error @+1 {{'agt.topk' op expected an input of at least 1 dims, got 'tensor<f32>'}}
  %0, %1 = agt.topk %x k 1 : tensor<f32> -> (tensor<1xf32>, tensor<1xi32>)
  agt.return
}

// -----

// topk_c2
agt.graph @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'agt.topk' op expected k of 0 to 3, got 4}}
  %0, %1 = agt.topk %x k 4 : tensor<2x3xf32> -> (tensor<2x4xf32>, tensor<2x4xi32>)
  agt.return
}

// -----

// topk_c2: of a dim that is open
agt.graph @f(%x: tensor<2x?xf32>) {
  // expected-error @+1 {{'agt.topk' op expected k of 0 to the size of the last dim, got -1}}
  %0, %1 = agt.topk %x k -1 : tensor<2x?xf32> -> (tensor<2x4xf32>, tensor<2x4xi32>)
  agt.return
}

// -----

// topk_c3
agt.graph @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'agt.topk' op expected values of type 'tensor<2x2xf32>', got 'tensor<2x3xf32>'}}
  %0, %1 = agt.topk %x k 2 : tensor<2x3xf32> -> (tensor<2x3xf32>, tensor<2x2xi32>)
  agt.return
}

// -----

// topk_c4
agt.graph @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'agt.topk' op expected indices of type 'tensor<2x2xi32>', got 'tensor<2xi32>'}}
  %0, %1 = agt.topk %x k 2 : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2xi32>)
  agt.return
}

// -----

// softmax_c1
agt.graph @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'agt.softmax' op expected an axis of a tensor of 2 dims, got 2}}
  %0 = agt.softmax %x axis 2 : tensor<2x3xf32>
  agt.return
}

// -----

// rms_norm_c1
agt.graph @f(%x: tensor<f32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{'agt.rms_norm' op expected an input of at least 1 dims, got 'tensor<f32>'}}
  %0 = agt.rms_norm %x, %w eps 1.0e-05 : (tensor<f32>, tensor<4xf32>) -> tensor<f32>
  agt.return
}

// -----

// rms_norm_c2
agt.graph @f(%x: tensor<2x3xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{'agt.rms_norm' op expected a weight of type 'tensor<3xf32>', got 'tensor<4xf32>'}}
  %0 = agt.rms_norm %x, %w eps 1.0e-05 : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  agt.return
}

// -----

// rms_norm_c3
agt.graph @f(%x: tensor<2x3xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'agt.rms_norm' op expected a result of type 'tensor<2x3xf32>', got 'tensor<2x3xf16>'}}
  %0 = agt.rms_norm %x, %w eps 1.0e-05 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf16>
  agt.return
}

// -----

// layer_norm_c1
agt.graph @f(%x: tensor<f32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{'agt.layer_norm' op expected an input of at least 1 dims, got 'tensor<f32>'}}
  %0 = agt.layer_norm %x, %w eps 1.0e-05 : (tensor<f32>, tensor<4xf32>) -> tensor<f32>
  agt.return
}

// -----

// layer_norm_c2
agt.graph @f(%x: tensor<2x3xf32>, %w: tensor<3xf16>) {
  // expected-error @+1 {{'agt.layer_norm' op expected a weight of type 'tensor<3xf32>', got 'tensor<3xf16>'}}
  %0 = agt.layer_norm %x, %w eps 1.0e-05 : (tensor<2x3xf32>, tensor<3xf16>) -> tensor<2x3xf32>
  agt.return
}

// -----

// layer_norm_c3
agt.graph @f(%x: tensor<2x3xf32>, %w: tensor<3xf32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{'agt.layer_norm' op expected a bias of type 'tensor<3xf32>', got 'tensor<2xf32>'}}
  %0 = agt.layer_norm %x, %w bias %b eps 1.0e-05 : (tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  agt.return
}

// -----

// layer_norm_c4
agt.graph @f(%x: tensor<2x3xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'agt.layer_norm' op expected a result of type 'tensor<2x3xf32>', got 'tensor<3x3xf32>'}}
  %0 = agt.layer_norm %x, %w eps 1.0e-05 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  agt.return
}

// -----

// rope_c1
agt.graph @f(%x: tensor<4xf32>, %p: tensor<4xi32>) {
  // expected-error @+1 {{'agt.rope' op expected an input of at least 2 dims, got 'tensor<4xf32>'}}
  %0 = agt.rope %x, %p base 1.0 scale 1.0 pairs halves : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  agt.return
}

// -----

// rope_c2
agt.graph @f(%x: tensor<8x5x4xf32>, %p: tensor<6xi32>) {
  // expected-error @+1 {{'agt.rope' op expected positions [tokens] or [batch..., tokens] of 'tensor<8x5x4xf32>', got 'tensor<6xi32>'}}
  %0 = agt.rope %x, %p base 1.0 scale 1.0 pairs halves : (tensor<8x5x4xf32>, tensor<6xi32>) -> tensor<8x5x4xf32>
  agt.return
}

// -----

// rope_c3
agt.graph @f(%x: tensor<5x4xf32>, %p: tensor<5xi32>) {
  // expected-error @+1 {{'agt.rope' op expected an even number of dims up to 4, got 6}}
  %0 = agt.rope %x, %p base 1.0 scale 1.0 pairs halves dims 6 : (tensor<5x4xf32>, tensor<5xi32>) -> tensor<5x4xf32>
  agt.return
}

// -----

// rope_c3: an odd dim
agt.graph @f(%x: tensor<5x3xf32>, %p: tensor<5xi32>) {
  // expected-error @+1 {{'agt.rope' op expected an even number of dims up to 3, got 3}}
  %0 = agt.rope %x, %p base 1.0 scale 1.0 pairs halves : (tensor<5x3xf32>, tensor<5xi32>) -> tensor<5x3xf32>
  agt.return
}

// -----

// rope_c4
agt.graph @f(%x: tensor<5x4xf32>, %p: tensor<5xi32>) {
  // expected-error @+1 {{'agt.rope' op expected a result of type 'tensor<5x4xf32>', got 'tensor<5x2xf32>'}}
  %0 = agt.rope %x, %p base 1.0 scale 1.0 pairs halves : (tensor<5x4xf32>, tensor<5xi32>) -> tensor<5x2xf32>
  agt.return
}

// -----

// quantize_c1
agt.graph @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'agt.quantize' op expected an input of at least 2 dims, got 'tensor<4xf32>'}}
  %0, %1 = agt.quantize %x block 2 : tensor<4xf32> -> (tensor<4xi8>, tensor<2xf32>)
  agt.return
}

// -----

// quantize_c2
agt.graph @f(%x: tensor<5x4xf32>) {
  // expected-error @+1 {{'agt.quantize' op expected a block of at least 1 token, got 0}}
  %0, %1 = agt.quantize %x block 0 : tensor<5x4xf32> -> (tensor<5x4xi8>, tensor<3xf32>)
  agt.return
}

// -----

// quantize_c3
agt.graph @f(%x: tensor<5x4xf32>) {
  // expected-error @+1 {{'agt.quantize' op expected values of type 'tensor<5x4xi8>', got 'tensor<5x5xi8>'}}
  %0, %1 = agt.quantize %x block 2 : tensor<5x4xf32> -> (tensor<5x5xi8>, tensor<3xf32>)
  agt.return
}

// -----

// quantize_c4
agt.graph @f(%x: tensor<5x4xf32>) {
  // expected-error @+1 {{'agt.quantize' op expected scales of type 'tensor<3xf32>', got 'tensor<2xf32>'}}
  %0, %1 = agt.quantize %x block 2 : tensor<5x4xf32> -> (tensor<5x4xi8>, tensor<2xf32>)
  agt.return
}

// -----

// dequantize_c1
agt.graph @f(%x: tensor<4xi8>, %s: tensor<2xf32>) {
  // expected-error @+1 {{'agt.dequantize' op expected values of at least 2 dims, got 'tensor<4xi8>'}}
  %0 = agt.dequantize %x, %s block 2 : (tensor<4xi8>, tensor<2xf32>) -> tensor<4xf32>
  agt.return
}

// -----

// dequantize_c2
agt.graph @f(%x: tensor<5x4xi8>, %s: tensor<3xf32>) {
  // expected-error @+1 {{'agt.dequantize' op expected a block of at least 1 token, got -1}}
  %0 = agt.dequantize %x, %s block -1 : (tensor<5x4xi8>, tensor<3xf32>) -> tensor<5x4xf32>
  agt.return
}

// -----

// dequantize_c3
agt.graph @f(%x: tensor<5x4xi8>, %s: tensor<2xf32>) {
  // expected-error @+1 {{'agt.dequantize' op expected scales of type 'tensor<3xf32>', got 'tensor<2xf32>'}}
  %0 = agt.dequantize %x, %s block 2 : (tensor<5x4xi8>, tensor<2xf32>) -> tensor<5x4xf32>
  agt.return
}

// -----

// dequantize_c4
agt.graph @f(%x: tensor<5x4xi8>, %s: tensor<3xf32>) {
  // expected-error @+1 {{'agt.dequantize' op expected a result of type 'tensor<5x4xf32>', got 'tensor<4x5xf32>'}}
  %0 = agt.dequantize %x, %s block 2 : (tensor<5x4xi8>, tensor<3xf32>) -> tensor<4x5xf32>
  agt.return
}
