// RUN: agt-opt %s -split-input-file -verify-diagnostics

// Attention: one case for each constraint.

// attention_c1
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<1x2x6x16xf32>, %v: tensor<2x6x16xf32>) {
  // expected-error @+1 {{'agt.attention' op expected query, key and value of one rank of at least 3, got 'tensor<8x5x16xf32>', 'tensor<1x2x6x16xf32>' and 'tensor<2x6x16xf32>'}}
  %o = agt.attention %q, %k, %v
      : (tensor<8x5x16xf32>, tensor<1x2x6x16xf32>, tensor<2x6x16xf32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c2
agt.graph @f(%q: tensor<3x8x5x16xf32>, %k: tensor<4x2x6x16xf32>, %v: tensor<3x2x6x16xf32>) {
  // expected-error @+1 {{'agt.attention' op expected the batch dims of the query in key and value, got 'tensor<3x8x5x16xf32>', 'tensor<4x2x6x16xf32>' and 'tensor<3x2x6x16xf32>'}}
  %o = agt.attention %q, %k, %v
      : (tensor<3x8x5x16xf32>, tensor<4x2x6x16xf32>, tensor<3x2x6x16xf32>) -> tensor<3x8x5x16xf32>
  agt.return
}

// -----

// attention_c3
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x16xf32>) {
  // expected-error @+1 {{'agt.attention' op expected a key of dim 16, got 8}}
  %o = agt.attention %q, %k, %v
      : (tensor<8x5x16xf32>, tensor<2x6x8xf32>, tensor<2x6x16xf32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c4
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<4x6x16xf32>) {
  // expected-error @+1 {{'agt.attention' op expected a value with heads 2, got 4}}
  %o = agt.attention %q, %k, %v
      : (tensor<8x5x16xf32>, tensor<2x6x16xf32>, tensor<4x6x16xf32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c4: its tokens
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x7x16xf32>) {
  // expected-error @+1 {{'agt.attention' op expected a value with tokens 6, got 7}}
  %o = agt.attention %q, %k, %v
      : (tensor<8x5x16xf32>, tensor<2x6x16xf32>, tensor<2x7x16xf32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c4: in the other layout
agt.graph @f(%q: tensor<5x12x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x7x16xf32>) {
  // expected-error @+1 {{'agt.attention' op expected a value with heads 6, got 7}}
  %o = agt.attention %q, %k, %v layout shd
      : (tensor<5x12x16xf32>, tensor<2x6x16xf32>, tensor<2x7x16xf32>) -> tensor<5x12x16xf32>
  agt.return
}

// -----

// attention_c5
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<3x6x16xf32>, %v: tensor<3x6x16xf32>) {
  // expected-error @+1 {{'agt.attention' op expected heads of the key that divide 8, got 3}}
  %o = agt.attention %q, %k, %v
      : (tensor<8x5x16xf32>, tensor<3x6x16xf32>, tensor<3x6x16xf32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c5: no heads at all
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<0x6x16xf32>, %v: tensor<0x6x16xf32>) {
  // expected-error @+1 {{'agt.attention' op expected heads of the key that divide 8, got 0}}
  %o = agt.attention %q, %k, %v
      : (tensor<8x5x16xf32>, tensor<0x6x16xf32>, tensor<0x6x16xf32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c6
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x4xf32>) {
  // expected-error @+1 {{'agt.attention' op expected a result of type 'tensor<8x5x4xf32>', got 'tensor<8x5x16xf32>'}}
  %o = agt.attention %q, %k, %v
      : (tensor<8x5x16xf32>, tensor<2x6x16xf32>, tensor<2x6x4xf32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c7
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>) {
  // expected-error @+1 {{'agt.attention' op expected a lse of type 'tensor<8x5xf32>', got 'tensor<5x8xf32>'}}
  %o, %l = agt.attention %q, %k, %v
      : (tensor<8x5x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>) -> (tensor<8x5x16xf32>, tensor<5x8xf32>)
  agt.return
}

// -----

// attention_c8: masks
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>, %m: tensor<6x5xi1>) {
  // expected-error @+1 {{'agt.attention' op expected a mask that broadcasts to 'tensor<8x5x6xi1>', got 'tensor<6x5xi1>'}}
  %o = agt.attention %q, %k, %v masks(%m)
      : (tensor<8x5x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>, tensor<6x5xi1>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c8: bias
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>, %b: tensor<2x5x6xf32>) {
  // expected-error @+1 {{'agt.attention' op expected a bias that broadcasts to 'tensor<8x5x6xf32>', got 'tensor<2x5x6xf32>'}}
  %o = agt.attention %q, %k, %v bias(%b)
      : (tensor<8x5x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>, tensor<2x5x6xf32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c9: sink
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>, %s: tensor<2xf32>) {
  // expected-error @+1 {{'agt.attention' op expected a sink of type 'tensor<8xf32>', got 'tensor<2xf32>'}}
  %o = agt.attention %q, %k, %v sink(%s)
      : (tensor<8x5x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>, tensor<2xf32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c9: alibi
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>, %s: tensor<8x1xf32>) {
  // expected-error @+1 {{'agt.attention' op expected alibi slopes of type 'tensor<8xf32>', got 'tensor<8x1xf32>'}}
  %o = agt.attention %q, %k, %v alibi(%s)
      : (tensor<8x5x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>, tensor<8x1xf32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c10: positions
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>, %p: tensor<5xi32>) {
  // expected-error @+1 {{'agt.attention' op expected kv_pos [tokens] or 'tensor<6xi32>', got 'tensor<5xi32>'}}
  %o = agt.attention %q, %k, %v kv_pos(%p)
      : (tensor<8x5x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>, tensor<5xi32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c10: a batch
agt.graph @f(%q: tensor<3x8x5x16xf32>, %k: tensor<3x2x6x16xf32>, %v: tensor<3x2x6x16xf32>, %p: tensor<2x5xi32>) {
  // expected-error @+1 {{'agt.attention' op expected q_pos [tokens] or 'tensor<3x5xi32>', got 'tensor<2x5xi32>'}}
  %o = agt.attention %q, %k, %v q_pos(%p)
      : (tensor<3x8x5x16xf32>, tensor<3x2x6x16xf32>, tensor<3x2x6x16xf32>, tensor<2x5xi32>) -> tensor<3x8x5x16xf32>
  agt.return
}

// -----

// attention_c10: one for all
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>, %p: tensor<1xi32>) {
  // expected-error @+1 {{'agt.attention' op expected q_pos [tokens] or 'tensor<5xi32>', got 'tensor<1xi32>'}}
  %o = agt.attention %q, %k, %v q_pos(%p)
      : (tensor<8x5x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>, tensor<1xi32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c11
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>, %p: tensor<5xi32>) {
  // expected-error @+1 {{'agt.attention' op expected q_seg and kv_seg, or q_cu and kv_cu, or none of them}}
  %o = agt.attention %q, %k, %v q_seg(%p)
      : (tensor<8x5x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>, tensor<5xi32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c11: both kinds
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>, %p: tensor<5xi32>, %r: tensor<6xi32>, %s: tensor<3xi32>, %t: tensor<3xi32>) {
  // expected-error @+1 {{'agt.attention' op expected q_seg and kv_seg, or q_cu and kv_cu, or none of them}}
  %o = agt.attention %q, %k, %v q_seg(%p) kv_seg(%r) q_cu(%s) kv_cu(%t)
      : (tensor<8x5x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>, tensor<5xi32>, tensor<6xi32>, tensor<3xi32>, tensor<3xi32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c12
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>, %p: tensor<3xi32>, %r: tensor<3x1xi32>) {
  // expected-error @+1 {{'agt.attention' op expected offsets of one dim, got 'tensor<3x1xi32>'}}
  %o = agt.attention %q, %k, %v q_cu(%p) kv_cu(%r)
      : (tensor<8x5x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>, tensor<3xi32>, tensor<3x1xi32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c12: of one size
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>, %p: tensor<3xi32>, %r: tensor<4xi32>) {
  // expected-error @+1 {{'agt.attention' op expected as many offsets in kv_cu as in q_cu, got 'tensor<4xi32>' and 'tensor<3xi32>'}}
  %o = agt.attention %q, %k, %v q_cu(%p) kv_cu(%r)
      : (tensor<8x5x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>, tensor<3xi32>, tensor<4xi32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c13
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>, %n: tensor<5xi32>) {
  // expected-error @+1 {{'agt.attention' op expected kv_len that broadcasts to 'tensor<1xi32>', got 'tensor<5xi32>'}}
  %o = agt.attention %q, %k, %v kv_len(%n)
      : (tensor<8x5x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>, tensor<5xi32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c13: of a batch
agt.graph @f(%q: tensor<3x8x5x16xf32>, %k: tensor<3x2x6x16xf32>, %v: tensor<3x2x6x16xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{'agt.attention' op expected kv_len that broadcasts to 'tensor<3xi32>', got 'tensor<2xi32>'}}
  %o = agt.attention %q, %k, %v kv_len(%n)
      : (tensor<3x8x5x16xf32>, tensor<3x2x6x16xf32>, tensor<3x2x6x16xf32>, tensor<2xi32>) -> tensor<3x8x5x16xf32>
  agt.return
}

// -----

// attention_c14: no scales
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<2x6x16xi8>, %v: tensor<2x6x16xf32>) {
  // expected-error @+1 {{'agt.attention' op expected scales and block of a key of type 'tensor<2x6x16xi8>'}}
  %o = agt.attention %q, %k, %v
      : (tensor<8x5x16xf32>, tensor<2x6x16xi8>, tensor<2x6x16xf32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c14: scales of nothing
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>, %s: tensor<2x3xf32>) {
  // expected-error @+1 {{'agt.attention' op expected no scales and block of a value of type 'tensor<2x6x16xf32>'}}
  %o = agt.attention %q, %k, %v v_scale(%s) v_block 2
      : (tensor<8x5x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>, tensor<2x3xf32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c14: no block
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<2x6x16xi8>, %v: tensor<2x6x16xf32>, %s: tensor<2x3xf32>) {
  // expected-error @+1 {{'agt.attention' op expected scales and block of a key of type 'tensor<2x6x16xi8>'}}
  %o = agt.attention %q, %k, %v k_scale(%s)
      : (tensor<8x5x16xf32>, tensor<2x6x16xi8>, tensor<2x6x16xf32>, tensor<2x3xf32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c14: an empty block
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<2x6x16xi8>, %v: tensor<2x6x16xf32>, %s: tensor<2x3xf32>) {
  // expected-error @+1 {{'agt.attention' op expected a block of at least 1 token, got 0}}
  %o = agt.attention %q, %k, %v k_scale(%s) k_block 0
      : (tensor<8x5x16xf32>, tensor<2x6x16xi8>, tensor<2x6x16xf32>, tensor<2x3xf32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c15
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<2x6x16xi8>, %v: tensor<2x6x16xf32>, %s: tensor<2x2xf32>) {
  // expected-error @+1 {{'agt.attention' op expected scales of type 'tensor<2x3xf32>', got 'tensor<2x2xf32>'}}
  %o = agt.attention %q, %k, %v k_scale(%s) k_block 2
      : (tensor<8x5x16xf32>, tensor<2x6x16xi8>, tensor<2x6x16xf32>, tensor<2x2xf32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c16: left
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>) {
  // expected-error @+1 {{'agt.attention' op expected left of at least 0, got -1}}
  %o = agt.attention %q, %k, %v left -1
      : (tensor<8x5x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c16: right
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>) {
  // expected-error @+1 {{'agt.attention' op expected right of at least 0, got -2}}
  %o = agt.attention %q, %k, %v right -2
      : (tensor<8x5x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c16: pin
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>) {
  // expected-error @+1 {{'agt.attention' op expected pin of at least 0, got -3}}
  %o = agt.attention %q, %k, %v pin -3
      : (tensor<8x5x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c17
agt.graph @f(%q: tensor<8x5x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>) {
  // expected-error @+1 {{'agt.attention' op expected a softcap above 0, got 0.000000e+00}}
  %o = agt.attention %q, %k, %v softcap 0.0
      : (tensor<8x5x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c18
agt.graph @f(%q: tensor<8x5x16xf32>) {
  // expected-error @+1 {{'agt.attention' op expected a partial result with a state and without a sink}}
  %o = agt.attention %q, %q, %q partial
      : (tensor<8x5x16xf32>, tensor<8x5x16xf32>, tensor<8x5x16xf32>) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c18
agt.graph @f(%q: tensor<8x5x16xf32>) {
  // expected-error @+1 {{'agt.attention' op expected a state of type 'tensor<8x5x2xf32>', got 'tensor<8x5xf32>'}}
  %o, %s = agt.attention %q, %q, %q partial
      : (tensor<8x5x16xf32>, tensor<8x5x16xf32>, tensor<8x5x16xf32>) -> (tensor<8x5x16xf32>, tensor<8x5xf32>)
  agt.return
}

// -----

// attention_c19
agt.graph @f(%q: tensor<8x5x16xf32>) {
  %b = arith.constant true
  // expected-error @+1 {{'agt.attention' op expected 'enabled' with 'partial' alone}}
  %o = agt.attention %q, %q, %q enabled(%b)
      : (tensor<8x5x16xf32>, tensor<8x5x16xf32>, tensor<8x5x16xf32>, i1) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c20
agt.graph @f(%q: tensor<8x5x16xf32>) {
  %c = arith.constant 5 : index
  %l = agt.leaves %c parts 1 leaves
  // expected-error @+1 {{'agt.attention' op expected 'into' with 'owner', and both with 'partial'}}
  %o = agt.attention %q, %q, %q into(%l) partial
      : (tensor<8x5x16xf32>, tensor<8x5x16xf32>, tensor<8x5x16xf32>, !agt.leaves) -> !agt.leaves
  agt.return
}

// -----

// attention_c20
agt.graph @f(%q: tensor<8x5x16xf32>) {
  %c = arith.constant 5 : index
  %l = agt.leaves %c parts 1 leaves
  // expected-error @+1 {{'agt.attention' op expected leaves as the result of 'into', without a state or a sink}}
  %o = agt.attention %q, %q, %q into(%l) owner(%c) partial
      : (tensor<8x5x16xf32>, tensor<8x5x16xf32>, tensor<8x5x16xf32>, !agt.leaves, index) -> tensor<8x5x16xf32>
  agt.return
}

// -----

// attention_c20
agt.graph @f(%q: tensor<8x5x16xf32>) {
  // expected-error @+1 {{'agt.attention' op expected a tensor as the result without 'into'}}
  %o = agt.attention %q, %q, %q
      : (tensor<8x5x16xf32>, tensor<8x5x16xf32>, tensor<8x5x16xf32>) -> !agt.leaves
  agt.return
}

// -----

// leaves_c1
agt.graph @f(%q: tensor<8x5x16xf32>) {
  %c = arith.constant 5 : index
  // expected-error @+1 {{'agt.leaves' op expected a part at least, of whole leaves, got 4 zigzag}}
  %l = agt.leaves %c parts 4 zigzag
  agt.return
}

// -----

// leaves_c1
agt.graph @f(%q: tensor<8x5x16xf32>) {
  %c = arith.constant 5 : index
  // expected-error @+1 {{'agt.leaves' op expected a part at least, of whole leaves, got 0 leaves}}
  %l = agt.leaves %c parts 0 leaves
  agt.return
}

// -----

// root_c1
agt.graph @f(%q: tensor<8x5x16xf32>) {
  %c = arith.constant 5 : index
  %l = agt.leaves %c parts 1 leaves
  // expected-error @+1 {{'agt.root' op expected a result of type 'tensor<8x5x16xf32>', got 'tensor<8x5x4xf32>'}}
  %o = agt.root %l of %q, %q : (!agt.leaves, tensor<8x5x16xf32>, tensor<8x5x16xf32>) -> tensor<8x5x4xf32>
  agt.return
}

// -----

// root_c2
agt.graph @f(%q: tensor<8x5x16xf32>) {
  %c = arith.constant 5 : index
  %l = agt.leaves %c parts 1 leaves
  // expected-error @+1 {{'agt.root' op expected a lse of type 'tensor<8x5xf32>', got 'tensor<8xf32>'}}
  %o:2 = agt.root %l of %q, %q : (!agt.leaves, tensor<8x5x16xf32>, tensor<8x5x16xf32>) -> (tensor<8x5x16xf32>, tensor<8xf32>)
  agt.return
}

// -----

// root_c3
agt.graph @f(%q: tensor<8x5x16xf32>, %s: tensor<5xf32>) {
  %c = arith.constant 5 : index
  %l = agt.leaves %c parts 1 leaves
  // expected-error @+1 {{'agt.root' op expected a sink of type 'tensor<8xf32>', got 'tensor<5xf32>'}}
  %o = agt.root %l of %q, %q sink(%s) : (!agt.leaves, tensor<8x5x16xf32>, tensor<8x5x16xf32>, tensor<5xf32>) -> tensor<8x5x16xf32>
  agt.return
}
