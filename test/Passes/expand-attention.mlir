// RUN: agt-opt %s --agt-expand-attention --cse --split-input-file | FileCheck %s

// What a kernel takes stays as it is: a mask that is the same for all heads, a
// bias for each of them.
// CHECK-LABEL: agt.graph @plain
// CHECK-NEXT: agt.attention %{{.*}}, %{{.*}}, %{{.*}} masks(%{{.*}}) bias(%{{.*}})
agt.graph @plain(%q: tensor<3x4x?x8xf32>, %k: tensor<3x2x?x8xf32>, %v: tensor<3x2x?x8xf32>,
                 %m: tensor<3x1x?x?xi1>, %b: tensor<4x1x?xf32>) -> tensor<3x4x?x8xf32> {
  %o = agt.attention %q, %k, %v masks(%m) bias(%b)
      : (tensor<3x4x?x8xf32>, tensor<3x2x?x8xf32>, tensor<3x2x?x8xf32>, tensor<3x1x?x?xi1>, tensor<4x1x?xf32>)
      -> tensor<3x4x?x8xf32>
  agt.return %o : tensor<3x4x?x8xf32>
}

// -----

// Two masks are one.
// CHECK-LABEL: agt.graph @two
// CHECK: %[[BOTH:.*]] = agt.and %[[A:.*]], %[[B:.*]] : (tensor<5x7xi1>, tensor<7xi1>) -> tensor<5x7xi1>
// CHECK: agt.attention {{.*}} masks(%[[BOTH]])
agt.graph @two(%q: tensor<1x5x8xf32>, %k: tensor<1x7x8xf32>, %v: tensor<1x7x8xf32>,
               %a: tensor<5x7xi1>, %b: tensor<7xi1>) -> tensor<1x5x8xf32> {
  %o = agt.attention %q, %k, %v masks(%a, %b)
      : (tensor<1x5x8xf32>, tensor<1x7x8xf32>, tensor<1x7x8xf32>, tensor<5x7xi1>, tensor<7xi1>)
      -> tensor<1x5x8xf32>
  agt.return %o : tensor<1x5x8xf32>
}

// -----

// A mask of whole rows has no keys of its own: it gets them.
// CHECK-LABEL: agt.graph @rows
// CHECK: %[[ALL:.*]] = agt.full %{{.*}}[] : f64 -> tensor<7xi1>
// CHECK: %[[MASK:.*]] = agt.and %{{.*}}, %[[ALL]] : (tensor<5x1xi1>, tensor<7xi1>) -> tensor<5x7xi1>
// CHECK: agt.attention {{.*}} masks(%[[MASK]])
agt.graph @rows(%q: tensor<1x5x8xf32>, %k: tensor<1x7x8xf32>, %v: tensor<1x7x8xf32>,
                %a: tensor<5x1xi1>) -> tensor<1x5x8xf32> {
  %o = agt.attention %q, %k, %v masks(%a)
      : (tensor<1x5x8xf32>, tensor<1x7x8xf32>, tensor<1x7x8xf32>, tensor<5x1xi1>) -> tensor<1x5x8xf32>
  agt.return %o : tensor<1x5x8xf32>
}

// -----

// Of two batch dims a bias and positions have one: they are stretched, which
// -0 and 0 do without changing a bit.
// CHECK-LABEL: agt.graph @batches
// CHECK: %[[MINUS:.*]] = arith.constant -0.000000e+00 : f64
// CHECK: %[[WIDE:.*]] = agt.full %[[MINUS]][] : f64 -> tensor<2x3x1x1x7xf32>
// CHECK: %[[BIAS:.*]] = agt.add %{{.*}}, %[[WIDE]]
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: %[[TALL:.*]] = agt.full %[[ZERO]][] : f64 -> tensor<2x3x1xi32>
// CHECK: %[[POS:.*]] = agt.add %{{.*}}, %[[TALL]]
// CHECK: agt.attention {{.*}} bias(%[[BIAS]]) q_pos(%[[POS]])
agt.graph @batches(%q: tensor<2x3x1x5x8xf32>, %k: tensor<2x3x1x7x8xf32>, %v: tensor<2x3x1x7x8xf32>,
                   %b: tensor<2x1x1x5x7xf32>, %p: tensor<1x3x5xi32>) -> tensor<2x3x1x5x8xf32> {
  %o = agt.attention %q, %k, %v bias(%b) q_pos(%p) causal bottom_right
      : (tensor<2x3x1x5x8xf32>, tensor<2x3x1x7x8xf32>, tensor<2x3x1x7x8xf32>, tensor<2x1x1x5x7xf32>, tensor<1x3x5xi32>)
      -> tensor<2x3x1x5x8xf32>
  agt.return %o : tensor<2x3x1x5x8xf32>
}

// -----

// Packed sequences: segments, of which tokens in none are -1 and -2; without a
// mask that asks for positions there are none.
// CHECK-LABEL: agt.graph @packed
// CHECK: %[[COLUMN:.*]] = agt.reshape %{{.*}}[] : tensor<5xi32> -> tensor<5x1xi32>
// CHECK: agt.compare le %{{.*}}, %[[COLUMN]] : (tensor<2xi32>, tensor<5x1xi32>) -> tensor<5x2xi1>
// CHECK: agt.compare gt %{{.*}}, %[[COLUMN]] : (tensor<2xi32>, tensor<5x1xi32>) -> tensor<5x2xi1>
// CHECK: agt.reduce sum %{{.*}} axis 1 : tensor<5x2xi32> -> tensor<5xi32>
// CHECK: agt.attention {{.*}} q_seg(%{{.*}}) kv_seg(%{{.*}}) {agt.kv_cu_input = 4 : i64, agt.q_cu_input = 3 : i64} :
agt.graph @packed(%q: tensor<1x5x8xf32>, %k: tensor<1x7x8xf32>, %v: tensor<1x7x8xf32>,
                  %a: tensor<3xi32>, %b: tensor<3xi32>) -> tensor<1x5x8xf32> {
  %o = agt.attention %q, %k, %v q_cu(%a) kv_cu(%b)
      : (tensor<1x5x8xf32>, tensor<1x7x8xf32>, tensor<1x7x8xf32>, tensor<3xi32>, tensor<3xi32>) -> tensor<1x5x8xf32>
  agt.return %o : tensor<1x5x8xf32>
}

// -----

// A causal mask within the sequences asks for positions as well.
// CHECK-LABEL: agt.graph @packed_causal
// CHECK: agt.attention {{.*}} q_pos(%{{.*}}) kv_pos(%{{.*}}) q_seg(%{{.*}}) kv_seg(%{{.*}}) causal
agt.graph @packed_causal(%q: tensor<1x?x8xf32>, %k: tensor<1x?x8xf32>, %v: tensor<1x?x8xf32>,
                         %a: tensor<?xi32>, %b: tensor<?xi32>) -> tensor<1x?x8xf32> {
  %o = agt.attention %q, %k, %v q_cu(%a) kv_cu(%b) causal bottom_right
      : (tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<?xi32>, tensor<?xi32>) -> tensor<1x?x8xf32>
  agt.return %o : tensor<1x?x8xf32>
}

// -----

// Everything at once is more than a launch has room for: segments become part
// of the mask.
// CHECK-LABEL: agt.graph @all
// CHECK: %[[SAME:.*]] = agt.compare eq %{{.*}}, %{{.*}} : (tensor<1x5x1xi32>, tensor<1x1x7xi32>) -> tensor<1x5x7xi1>
// CHECK: %[[MASK:.*]] = agt.and %{{.*}}, %[[SAME]]
// CHECK: agt.attention {{.*}} masks(%[[MASK]])
// CHECK-NOT: q_seg
agt.graph @all(%q: tensor<1x5x8xf32>, %k: tensor<1x7x8xi8>, %v: tensor<1x7x8xi8>, %m: tensor<5x7xi1>,
               %b: tensor<5x7xf32>, %s: tensor<1xf32>, %al: tensor<1xf32>, %qp: tensor<5xi32>,
               %kp: tensor<7xi32>, %qs: tensor<5xi32>, %ks: tensor<7xi32>, %n: tensor<1xi32>,
               %kc: tensor<1x1xf32>, %vc: tensor<1x1xf32>) -> (tensor<1x5x8xf32>, tensor<1x5xf32>) {
  %o, %l = agt.attention %q, %k, %v masks(%m) bias(%b) sink(%s) alibi(%al) q_pos(%qp) kv_pos(%kp)
        q_seg(%qs) kv_seg(%ks) kv_len(%n) k_scale(%kc) v_scale(%vc) causal bottom_right k_block 7 v_block 7
      : (tensor<1x5x8xf32>, tensor<1x7x8xi8>, tensor<1x7x8xi8>, tensor<5x7xi1>, tensor<5x7xf32>, tensor<1xf32>,
         tensor<1xf32>, tensor<5xi32>, tensor<7xi32>, tensor<5xi32>, tensor<7xi32>, tensor<1xi32>,
         tensor<1x1xf32>, tensor<1x1xf32>) -> (tensor<1x5x8xf32>, tensor<1x5xf32>)
  agt.return %o, %l : tensor<1x5x8xf32>, tensor<1x5xf32>
}
