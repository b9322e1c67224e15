// RUN: agt-opt %s --split-input-file --verify-diagnostics

// attr_c1
// expected-error @below {{'agt.graph' op has 'agt.hiden', which no op has}}
agt.graph @f(%a: tensor<4xf32>) -> tensor<4xf32> attributes {agt.hiden} {
  agt.return %a : tensor<4xf32>
}

// -----

// attr_c2: where it belongs
agt.graph @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'agt.exp' op has 'agt.hidden' where it does not belong}}
  %e = agt.exp %a {agt.hidden} : tensor<4xf32>
  agt.return %e : tensor<4xf32>
}

// -----

// expected-error @below {{'agt.graph' op has 'agt.hidden' where it does not belong}}
agt.graph @f(%a: tensor<4xf32> {agt.hidden}) -> tensor<4xf32> {
  agt.return %a : tensor<4xf32>
}

// -----

// expected-error @below {{'agt.graph' op has 'agt.input' where it does not belong}}
agt.graph @f(%a: tensor<4xf32>) -> (tensor<4xf32> {agt.input = {kind = "length", cache = "c"}}) {
  agt.return %a : tensor<4xf32>
}

// -----

// attr_c2: its kind of value
// expected-error @below {{'agt.graph' op expected 'pass-kv' or 'pass-q' as 'agt.policy', got 7 : i64}}
agt.graph @f(%a: tensor<4xf32>) -> tensor<4xf32> attributes {agt.policy = 7} {
  agt.return %a : tensor<4xf32>
}

// -----

// expected-error @below {{'agt.graph' op expected an array of dictionaries as 'agt.data_checks', got 3 : i64}}
agt.graph @f(%a: tensor<4xf32>) -> tensor<4xf32> attributes {agt.data_checks = 3} {
  agt.return %a : tensor<4xf32>
}

// -----

// attr_c3
// expected-error @below {{'agt.graph' op expected the text 'kind' in 'agt.input', got {cache = "c", kind = 3 : i64}}}
agt.graph @f(%a: tensor<4xf32> {agt.input = {cache = "c", kind = 3}}) -> tensor<4xf32> {
  agt.return %a : tensor<4xf32>
}

// -----

// expected-error @below {{'agt.graph' op expected a known 'kind' in 'agt.input', got {cache = "c", kind = "lenght"}}}
agt.graph @f(%a: tensor<4xf32> {agt.input = {cache = "c", kind = "lenght"}}) -> tensor<4xf32> {
  agt.return %a : tensor<4xf32>
}

// -----

// expected-error @below {{'agt.graph' op expected the text 'tensor' of a weight in 'agt.input', got {kind = "weight", weights = "w"}}}
agt.graph @f(%a: tensor<4xf32> {agt.input = {weights = "w", kind = "weight"}}) -> tensor<4xf32> {
  agt.return %a : tensor<4xf32>
}

// -----

// expected-error @below {{'agt.graph' op expected the integer 'layer' in 'agt.input', got {cache = "c", kind = "keys"}}}
agt.graph @f(%a: tensor<4xf32> {agt.input = {cache = "c", kind = "keys"}}) -> tensor<4xf32> {
  agt.return %a : tensor<4xf32>
}

// -----

// expected-error @below {{'agt.graph' op expected the text 'cache' in 'agt.input', got {kind = "length"}}}
agt.graph @f(%a: tensor<4xf32> {agt.input = {kind = "length"}}) -> tensor<4xf32> {
  agt.return %a : tensor<4xf32>
}
