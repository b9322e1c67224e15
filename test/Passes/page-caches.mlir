// RUN: agt-opt --agt-page-caches --split-input-file --verify-roundtrip %s | FileCheck %s

// Places come in place of the length; what goes by positions gets those of the
// places. The author's graph stays as it is.

// CHECK-LABEL: agt.graph @decode(
// CHECK: kv_len
// CHECK: agt.llm @tiny "graph" {settings = {graph = "decode", pages = "decode in pages"}}
// CHECK: agt.llm @twin "graph" {settings = {graph = "decode", pages = "decode in pages"}}
// CHECK-LABEL: agt.graph @"decode in pages"(
// CHECK-SAME: %[[T:[a-z0-9]+]]: tensor<?xi32> {agt.name = "t"}
// CHECK-SAME: %[[POS:[a-z0-9]+]]: tensor<?xi32> {agt.input = {cache = "c", kind = "positions", tokens = 0 : i64, vocab = 9 : i64}
// CHECK-SAME: %[[PLACES:[a-z0-9]+]]: tensor<?xi32> {agt.input = {cache = "c", kind = "places"}, agt.name = "c.places"}
// CHECK-SAME: %[[KEYS:[a-z0-9]+]]: tensor<2x?x8xf32> {agt.input = {cache = "c", kind = "keys"
// CHECK-SAME: %[[AT:[a-z0-9]+]]: tensor<?xi32> {agt.input = {cache = "c", kind = "key_positions"}, agt.name = "c.key_positions"}
// CHECK-SAME: %[[SEES:[a-z0-9]+]]: tensor<?x?xi1> {agt.input = {cache = "c", kind = "visible"}, agt.name = "c.visible"}
// CHECK-SAME: attributes {agt.hidden}
// CHECK: %[[NEW:.*]] = agt.cache_append %[[KEYS]], %{{.*}} at %[[PLACES]]
// CHECK: agt.attention %{{.*}}, %[[NEW]], %[[NEW]] masks(%[[SEES]]) q_pos(%[[POS]]) kv_pos(%[[AT]]) causal bottom_right
// CHECK: agt.attention %{{.*}}, %[[NEW]], %[[NEW]] masks(%[[SEES]]) :
// CHECK-NOT: agt.graph
agt.graph @decode(%t: tensor<?xi32> {agt.name = "t"},
                  %pos: tensor<?xi32> {agt.input = {cache = "c", kind = "positions", tokens = 0 : i64, vocab = 9 : i64}, agt.name = "c"},
                  %len: tensor<1xi32> {agt.input = {cache = "c", kind = "length"}, agt.name = "c.length"},
                  %k: tensor<2x?x8xf32> {agt.input = {cache = "c", kind = "keys", layer = 0 : i64}, agt.name = "c.keys[0]"},
                  %new: tensor<2x?x8xf32>, %q: tensor<2x?x8xf32>) -> (tensor<2x?x8xf32>, tensor<2x?x8xf32>) attributes {doc = "words"} {
  %0 = agt.cache_append %k, %new at %pos : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<?xi32>) -> tensor<2x?x8xf32>
  %1 = agt.attention %q, %0, %0 kv_len(%len) causal bottom_right : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<1xi32>) -> tensor<2x?x8xf32>
  %2 = agt.attention %q, %0, %0 kv_len(%len) : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<1xi32>) -> tensor<2x?x8xf32>
  agt.return %1, %2 : tensor<2x?x8xf32>, tensor<2x?x8xf32>
}
agt.llm @tiny "graph" {settings = {graph = "decode"}}
agt.llm @twin "graph" {settings = {graph = "decode"}}

// -----

// Other models are nothing to it.

// CHECK: agt.llm @script "mock" {settings = {file = "/r.json"}}
// CHECK-NOT: agt.graph
agt.llm @script "mock" {settings = {file = "/r.json"}}
