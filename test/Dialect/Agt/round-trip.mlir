// RUN: agt-opt %s | agt-opt | FileCheck %s
// RUN: agt-opt %s --verify-roundtrip -o /dev/null
// One space between any two words:
// RUN: agt-opt %s | not grep -E '[^ ]  +[^ ]'

// The example of every op, as its documentation has it.

// CHECK-LABEL: agt.graph @scores(
// CHECK-SAME: tensor<?x64xf32> {agt.name = "q"}
// CHECK-SAME: -> (tensor<?x?xf32> {agt.name = "out"}) attributes {doc = "all pairs"}
agt.graph @scores(%q: tensor<?x64xf32> {agt.name = "q"},
                  %k: tensor<?x64xf32> {agt.name = "k"})
    -> (tensor<?x?xf32> {agt.name = "out"}) attributes {doc = "all pairs"} {
  // CHECK: agt.linear %{{.*}}, %{{.*}} : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x?xf32>
  %0 = agt.linear %q, %k : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x?xf32>
  // CHECK: agt.return %{{.*}} : tensor<?x?xf32>
  agt.return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: agt.graph private @nothing() attributes {mesh = "ring4"} {
agt.graph private @nothing() attributes {mesh = "ring4"} {
  // CHECK-NEXT: agt.return
  agt.return
}

// CHECK-LABEL: agt.graph @numbers
agt.graph @numbers(%q: tensor<5x64xf32>, %k: tensor<?x64xf32>) -> tensor<5x?xf32> {
  %c0 = arith.constant 0 : index
  // CHECK: %[[T:.*]] = tensor.dim
  %t = tensor.dim %k, %c0 : tensor<?x64xf32>
  %c5 = arith.constant 5 : index
  // CHECK: %[[SAME:.*]] = arith.cmpi
  %same = arith.cmpi eq, %t, %c5 : index
  // CHECK: agt.require %[[SAME]], "a check without values"
  agt.require %same, "a check without values"
  // CHECK: agt.require %[[SAME]], "'k' has {1} tokens in dim S, and 'q' has {0}"(%[[T]], %{{.*}})
  agt.require %same, "'k' has {1} tokens in dim S, and 'q' has {0}"(%t, %c5)
  // CHECK: agt.scalar %[[T]] : index -> tensor<f32>
  %1 = agt.scalar %t : index -> tensor<f32>
  // CHECK: agt.call @scores(%{{.*}}, %{{.*}}) : (tensor<5x64xf32>, tensor<?x64xf32>) -> tensor<5x?xf32>
  %0 = agt.call @scores(%q, %k) : (tensor<5x64xf32>, tensor<?x64xf32>) -> tensor<5x?xf32>
  agt.return %0 : tensor<5x?xf32>
}

// CHECK-LABEL: agt.graph @binary
agt.graph @binary(%a: tensor<4x?xf32>, %b: tensor<?xf32>, %c: tensor<4x?xi1>, %d: tensor<?xi1>) {
  // CHECK: agt.add %{{.*}}, %{{.*}} : (tensor<4x?xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  %0 = agt.add %a, %b : (tensor<4x?xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  // CHECK: agt.sub
  %1 = agt.sub %a, %b : (tensor<4x?xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  // CHECK: agt.mul
  %2 = agt.mul %a, %b : (tensor<4x?xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  // CHECK: agt.div
  %3 = agt.div %a, %b : (tensor<4x?xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  // CHECK: agt.rem
  %4 = agt.rem %a, %b : (tensor<4x?xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  // CHECK: agt.max
  %5 = agt.max %a, %b : (tensor<4x?xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  // CHECK: agt.min
  %6 = agt.min %a, %b : (tensor<4x?xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  // CHECK: agt.and %{{.*}}, %{{.*}} : (tensor<4x?xi1>, tensor<?xi1>) -> tensor<4x?xi1>
  %7 = agt.and %c, %d : (tensor<4x?xi1>, tensor<?xi1>) -> tensor<4x?xi1>
  // CHECK: agt.or
  %8 = agt.or %c, %d : (tensor<4x?xi1>, tensor<?xi1>) -> tensor<4x?xi1>
  // CHECK: agt.compare lt %{{.*}}, %{{.*}} : (tensor<4x?xf32>, tensor<?xf32>) -> tensor<4x?xi1>
  %9 = agt.compare lt %a, %b : (tensor<4x?xf32>, tensor<?xf32>) -> tensor<4x?xi1>
  // CHECK: agt.select %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x?xi1>, tensor<4x?xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  %10 = agt.select %c, %a, %b : (tensor<4x?xi1>, tensor<4x?xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  agt.return
}

// CHECK-LABEL: agt.graph @unary
agt.graph @unary(%a: tensor<4x?xf32>, %c: tensor<4x?xi1>) {
  // CHECK: agt.neg %{{.*}} : tensor<4x?xf32>
  %0 = agt.neg %a : tensor<4x?xf32>
  // CHECK: agt.abs
  %1 = agt.abs %a : tensor<4x?xf32>
  // CHECK: agt.not %{{.*}} : tensor<4x?xi1>
  %2 = agt.not %c : tensor<4x?xi1>
  // CHECK: agt.exp
  %3 = agt.exp %a : tensor<4x?xf32>
  // CHECK: agt.log
  %4 = agt.log %a : tensor<4x?xf32>
  // CHECK: agt.sqrt
  %5 = agt.sqrt %a : tensor<4x?xf32>
  // CHECK: agt.rsqrt
  %6 = agt.rsqrt %a : tensor<4x?xf32>
  // CHECK: agt.tanh
  %7 = agt.tanh %a : tensor<4x?xf32>
  // CHECK: agt.sigmoid
  %8 = agt.sigmoid %a : tensor<4x?xf32>
  // CHECK: agt.silu
  %9 = agt.silu %a : tensor<4x?xf32>
  // CHECK: agt.gelu
  %10 = agt.gelu %a : tensor<4x?xf32>
  // CHECK: agt.gelu_tanh
  %11 = agt.gelu_tanh %a : tensor<4x?xf32>
  // CHECK: agt.relu
  %12 = agt.relu %a : tensor<4x?xf32>
  // CHECK: agt.cos
  %13 = agt.cos %a : tensor<4x?xf32>
  // CHECK: agt.sin
  %14 = agt.sin %a : tensor<4x?xf32>
  // CHECK: agt.cast %{{.*}} : tensor<4x?xf32> -> tensor<4x?xf16>
  %15 = agt.cast %a : tensor<4x?xf32> -> tensor<4x?xf16>
  agt.return
}

// CHECK-LABEL: agt.graph @shapes
agt.graph @shapes(%x: tensor<?x256xf32>, %y: tensor<?x8x64xf32>, %t: tensor<512x64xf32>, %i: tensor<?xi32>) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[N:.*]] = tensor.dim
  %n = tensor.dim %x, %c0 : tensor<?x256xf32>
  %v = arith.constant 1.5 : f64
  // CHECK: agt.reshape %{{.*}}[%[[N]]] : tensor<?x256xf32> -> tensor<?x8x32xf32>
  %0 = agt.reshape %x [%n] : tensor<?x256xf32> -> tensor<?x8x32xf32>
  // CHECK: agt.transpose %{{.*}} [1, 0, 2] : tensor<?x8x64xf32> -> tensor<8x?x64xf32>
  %1 = agt.transpose %y [1, 0, 2] : tensor<?x8x64xf32> -> tensor<8x?x64xf32>
  // CHECK: agt.slice %{{.*}}[%{{.*}} to %[[N]]] axis 0 : tensor<?x256xf32> -> tensor<?x256xf32>
  %2 = agt.slice %x [%c0 to %n] axis 0 : tensor<?x256xf32> -> tensor<?x256xf32>
  // CHECK: agt.concat %{{.*}}, %{{.*}} axis 1 : (tensor<?x256xf32>, tensor<?x256xf32>) -> tensor<?x512xf32>
  %3 = agt.concat %x, %x axis 1 : (tensor<?x256xf32>, tensor<?x256xf32>) -> tensor<?x512xf32>
  // CHECK: agt.iota %[[N]] : tensor<?xi32>
  %4 = agt.iota %n : tensor<?xi32>
  // CHECK: agt.full %{{.*}}[%[[N]]] : f64 -> tensor<?x64xf32>
  %5 = agt.full %v [%n] : f64 -> tensor<?x64xf32>
  // CHECK: agt.full %[[N]][] : index -> tensor<2xi64>
  %6 = agt.full %n [] : index -> tensor<2xi64>
  // CHECK: agt.embed %{{.*}}, %{{.*}} : (tensor<512x64xf32>, tensor<?xi32>) -> tensor<?x64xf32>
  %7 = agt.embed %t, %i : (tensor<512x64xf32>, tensor<?xi32>) -> tensor<?x64xf32>
  agt.return
}

// CHECK-LABEL: agt.graph @compute
agt.graph @compute(%x: tensor<8x?x64xf32>, %w: tensor<64x64xf32>, %b: tensor<64xf32>, %p: tensor<?xi32>) {
  // CHECK: agt.matmul %{{.*}}, %{{.*}} : (tensor<8x?x64xf32>, tensor<64x64xf32>) -> tensor<8x?x64xf32>
  %0 = agt.matmul %x, %w : (tensor<8x?x64xf32>, tensor<64x64xf32>) -> tensor<8x?x64xf32>
  // CHECK: agt.linear %{{.*}}, %{{.*}} bias %{{.*}} : (tensor<8x?x64xf32>, tensor<64x64xf32>, tensor<64xf32>) -> tensor<8x?x64xf32>
  %1 = agt.linear %x, %w bias %b : (tensor<8x?x64xf32>, tensor<64x64xf32>, tensor<64xf32>) -> tensor<8x?x64xf32>
  // CHECK: agt.reduce mean %{{.*}} axis 2 keep : tensor<8x?x64xf32> -> tensor<8x?x1xf32>
  %2 = agt.reduce mean %x axis 2 keep : tensor<8x?x64xf32> -> tensor<8x?x1xf32>
  // CHECK: agt.reduce sum %{{.*}} axis 1 : tensor<8x?x64xf32> -> tensor<8x64xf32>
  %3 = agt.reduce sum %x axis 1 : tensor<8x?x64xf32> -> tensor<8x64xf32>
  // CHECK: agt.argmax %{{.*}} axis 2 : tensor<8x?x64xf32> -> tensor<8x?xi32>
  %4 = agt.argmax %x axis 2 : tensor<8x?x64xf32> -> tensor<8x?xi32>
  // CHECK: agt.topk %{{.*}} k 4 : tensor<8x?x64xf32> -> (tensor<8x?x4xf32>, tensor<8x?x4xi32>)
  %5, %6 = agt.topk %x k 4 : tensor<8x?x64xf32> -> (tensor<8x?x4xf32>, tensor<8x?x4xi32>)
  // CHECK: agt.softmax %{{.*}} axis 1 : tensor<8x?x64xf32>
  %7 = agt.softmax %x axis 1 : tensor<8x?x64xf32>
  // CHECK: agt.rms_norm %{{.*}}, %{{.*}} eps 1.000000e-05 : (tensor<8x?x64xf32>, tensor<64xf32>) -> tensor<8x?x64xf32>
  %8 = agt.rms_norm %x, %b eps 1.0e-05 : (tensor<8x?x64xf32>, tensor<64xf32>) -> tensor<8x?x64xf32>
  // CHECK: agt.layer_norm %{{.*}}, %{{.*}} bias %{{.*}} eps 1.000000e-05 : (tensor<8x?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<8x?x64xf32>
  %9 = agt.layer_norm %x, %b bias %b eps 1.0e-05 : (tensor<8x?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<8x?x64xf32>
  // CHECK: agt.layer_norm %{{.*}}, %{{.*}} eps 1.000000e-05 : (tensor<8x?x64xf32>, tensor<64xf32>) -> tensor<8x?x64xf32>
  %10 = agt.layer_norm %x, %b eps 1.0e-05 : (tensor<8x?x64xf32>, tensor<64xf32>) -> tensor<8x?x64xf32>
  // CHECK: agt.rope %{{.*}}, %{{.*}} base 1.000000e+04 scale 1.000000e+00 pairs interleaved dims 32 : (tensor<8x?x64xf32>, tensor<?xi32>) -> tensor<8x?x64xf32>
  %11 = agt.rope %x, %p base 1.0e+04 scale 1.0 pairs interleaved dims 32 : (tensor<8x?x64xf32>, tensor<?xi32>) -> tensor<8x?x64xf32>
  // CHECK: %[[V:.*]], %[[S:.*]] = agt.quantize %{{.*}} block 16 : tensor<8x?x64xf32> -> (tensor<8x?x64xi8>, tensor<8x?xf32>)
  %12, %13 = agt.quantize %x block 16 : tensor<8x?x64xf32> -> (tensor<8x?x64xi8>, tensor<8x?xf32>)
  // CHECK: agt.dequantize %[[V]], %[[S]] block 16 : (tensor<8x?x64xi8>, tensor<8x?xf32>) -> tensor<8x?x64xf32>
  %14 = agt.dequantize %12, %13 block 16 : (tensor<8x?x64xi8>, tensor<8x?xf32>) -> tensor<8x?x64xf32>
  agt.return
}

// CHECK-LABEL: agt.graph @attention
agt.graph @attention(%q: tensor<8x?x64xf32>, %k: tensor<2x?x64xf32>, %v: tensor<2x?x64xf32>) -> tensor<8x?x64xf32> {
  // CHECK: agt.attention %{{.*}}, %{{.*}}, %{{.*}} causal bottom_right : (tensor<8x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>) -> tensor<8x?x64xf32>
  %o = agt.attention %q, %k, %v causal bottom_right
      : (tensor<8x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>) -> tensor<8x?x64xf32>
  agt.return %o : tensor<8x?x64xf32>
}

// Every clause: operands by name, attributes after them.
// CHECK-LABEL: agt.graph @attention_clauses
agt.graph @attention_clauses(%q: tensor<3x?x8x64xf16>, %k: tensor<3x?x2x64xi8>, %v: tensor<3x?x2x32xf8E4M3FN>,
    %ks: tensor<3x2x?xf32>, %vs: tensor<3x2x?xf32>, %m: tensor<?x?xi1>, %n: tensor<3x1x1x?xi1>, %b: tensor<?xf32>,
    %h: tensor<8xf32>, %qp: tensor<?xi32>, %kp: tensor<3x?xi32>, %l: tensor<3xi32>) {
  %scale = arith.constant 0.125 : f64
  // CHECK: %{{[^ ]+}}, %{{[^ ]+}} = agt.attention %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} scale(%{{[^ ]+}})
  // CHECK-SAME: masks(%{{[^ ]+}}, %{{[^ ]+}}) bias(%{{[^ ]+}}) sink(%{{[^ ]+}}) alibi(%{{[^ ]+}})
  // CHECK-SAME: q_pos(%{{[^ ]+}}) kv_pos(%{{[^ ]+}}) q_seg(%{{[^ ]+}}) kv_seg(%{{[^ ]+}}) kv_len(%{{[^ ]+}})
  // CHECK-SAME: k_scale(%{{[^ ]+}}) v_scale(%{{[^ ]+}})
  // CHECK-SAME: causal top_left left 7 right 1 pin 4 softcap 3.000000e+01 k_block 16 v_block 32 layout shd :
  %o, %lse = agt.attention %q, %k, %v scale(%scale) masks(%m, %n) bias(%b) sink(%h) alibi(%h)
      q_pos(%qp) kv_pos(%kp) q_seg(%qp) kv_seg(%kp) kv_len(%l) k_scale(%ks) v_scale(%vs)
      causal top_left left 7 right 1 pin 4 softcap 30.0 k_block 16 v_block 32 layout shd
      : (tensor<3x?x8x64xf16>, tensor<3x?x2x64xi8>, tensor<3x?x2x32xf8E4M3FN>, f64, tensor<?x?xi1>,
         tensor<3x1x1x?xi1>, tensor<?xf32>, tensor<8xf32>, tensor<8xf32>, tensor<?xi32>, tensor<3x?xi32>,
         tensor<?xi32>, tensor<3x?xi32>, tensor<3xi32>, tensor<3x2x?xf32>, tensor<3x2x?xf32>)
      -> (tensor<3x?x8x32xf16>, tensor<3x?x8xf32>)
  agt.return
}

// CHECK-LABEL: agt.graph @attention_packed
agt.graph @attention_packed(%q: tensor<8x?x64xf32>, %c: tensor<?xi32>) {
  // CHECK: agt.attention %{{.*}}, %{{.*}}, %{{.*}} q_cu(%{{.*}}) kv_cu(%{{.*}}) :
  %o = agt.attention %q, %q, %q q_cu(%c) kv_cu(%c)
      : (tensor<8x?x64xf32>, tensor<8x?x64xf32>, tensor<8x?x64xf32>, tensor<?xi32>, tensor<?xi32>) -> tensor<8x?x64xf32>
  agt.return
}

// CHECK-LABEL: agt.graph @kernels
agt.graph @kernels(%gate: tensor<?x64xf32>, %up: tensor<?x64xf32>, %x: tensor<8x?x64xf32>, %p: tensor<?xi32>) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[T:.*]] = tensor.dim
  %t = tensor.dim %gate, %c0 : tensor<?x64xf32>
  // CHECK: agt.kernel "silu_mul" (%[[A:.*]] = %{{.*}} : tensor<?x64xf32>, %[[B:.*]] = %{{.*}} : tensor<?x64xf32>) [%[[T]]] -> tensor<?x64xf32> {
  %r = agt.kernel "silu_mul" (%a = %gate : tensor<?x64xf32>, %b = %up : tensor<?x64xf32>)
      [%t] -> tensor<?x64xf32> {
    // CHECK-NEXT: %[[S:.*]] = agt.silu %[[A]] : tensor<?x64xf32>
    %s = agt.silu %a : tensor<?x64xf32>
    // CHECK-NEXT: %[[M:.*]] = agt.mul %[[S]], %[[B]]
    %m = agt.mul %s, %b : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
    // CHECK-NEXT: agt.yield %[[M]] : tensor<?x64xf32>
    agt.yield %m : tensor<?x64xf32>
  }
  // CHECK: agt.kernel "nothing" () attributes {note = "kept"} {
  // CHECK-NEXT: agt.yield
  agt.kernel "nothing" () attributes {note = "kept"} {
  }
  %c64 = arith.constant 64 : index
  // CHECK: %[[TABLE:.*]] = agt.rope_table %{{.*}} base 1.000000e+04 scale 1.000000e+00 : tensor<32x2xi32>
  %table = agt.rope_table %c64 base 1.0e+04 scale 1.0 : tensor<32x2xi32>
  // CHECK: agt.rotate %{{.*}}, %{{.*}}, %[[TABLE]] pairs halves : (tensor<8x?x64xf32>, tensor<?xi32>, tensor<32x2xi32>) -> tensor<8x?x64xf32>
  %0 = agt.rotate %x, %p, %table pairs halves
      : (tensor<8x?x64xf32>, tensor<?xi32>, tensor<32x2xi32>) -> tensor<8x?x64xf32>
  agt.return
}

// CHECK: agt.weights @W "/models/stories.bin" format "llama2c"
agt.weights @W "/models/stories.bin" format "llama2c"

// CHECK-LABEL: agt.graph @blocks
agt.graph @blocks(%b: tensor<?x68xi8>, %c: tensor<2x420xi8>) {
  // CHECK: agt.unpack_blocks %{{.*}} as q8_0 : tensor<?x68xi8> -> tensor<?x64xf32>
  %0 = agt.unpack_blocks %b as q8_0 : tensor<?x68xi8> -> tensor<?x64xf32>
  // CHECK: agt.unpack_blocks %{{.*}} as q6_k : tensor<2x420xi8> -> tensor<2x512xf32>
  %1 = agt.unpack_blocks %c as q6_k : tensor<2x420xi8> -> tensor<2x512xf32>
  agt.return
}

// CHECK-LABEL: agt.graph @cache
agt.graph @cache(%keys: tensor<4x?x8xf32>, %k: tensor<4x?x8xf32>, %slots: tensor<?xi32>) {
  // CHECK: agt.cache_append %{{.*}}, %{{.*}} at %{{.*}} : (tensor<4x?x8xf32>, tensor<4x?x8xf32>, tensor<?xi32>) -> tensor<4x?x8xf32>
  %0 = agt.cache_append %keys, %k at %slots
      : (tensor<4x?x8xf32>, tensor<4x?x8xf32>, tensor<?xi32>) -> tensor<4x?x8xf32>
  agt.return
}
