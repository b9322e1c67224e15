// RUN: agt-opt --agt-pin-contexts --split-input-file --verify-roundtrip %s | FileCheck %s
// RUN: agt-opt --agt-pin-contexts --agt-page-caches --split-input-file %s | FileCheck %s --check-prefix=PAGES
// RUN: agt-opt --agt-pin-contexts=explain=true --split-input-file %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// Windows over the cache, on either side, and not those that pin more themselves, nor
// attentions without a window or over what is no cache. Llms that pin as many share it.

// CHECK-LABEL: agt.graph @decode(
// CHECK-NOT: pin 3
// CHECK: agt.llm @none "graph" {settings = {graph = "decode"}}
// CHECK: agt.llm @three "graph" {settings = {graph = "decode", pin = 3 : i64, pinned = "decode pinned 3"}}
// CHECK: agt.llm @twin "graph" {settings = {graph = "decode", pin = 3 : i64, pinned = "decode pinned 3"}}
// CHECK: agt.llm @one "graph" {settings = {graph = "decode", pin = 1 : i64, pinned = "decode pinned 1"}}
// CHECK: agt.llm @zero "graph" {settings = {graph = "decode", pin = 0 : i64}}
// CHECK-LABEL: agt.graph @"decode pinned 3"(
// CHECK-SAME: attributes {agt.hidden}
// CHECK: agt.attention {{.*}} left 4 pin 3 :
// CHECK: agt.attention {{.*}} right 2 pin 3 :
// CHECK: agt.attention {{.*}} left 4 pin 9 :
// CHECK: agt.attention {{.*}} causal bottom_right :
// CHECK: agt.attention %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} left 4 :
// CHECK-LABEL: agt.graph @"decode pinned 1"(
// CHECK: agt.attention {{.*}} left 4 pin 1 :
// CHECK-NOT: agt.graph @

// In pages the copies are copied.

// PAGES: agt.llm @none "graph" {settings = {graph = "decode", pages = "decode in pages"}}
// PAGES: agt.llm @three "graph" {settings = {graph = "decode", pages = "decode pinned 3 in pages", pin = 3 : i64, pinned = "decode pinned 3"}}
// PAGES-LABEL: agt.graph @"decode pinned 3 in pages"(
// PAGES: agt.attention {{.*}} q_pos({{.*}}) kv_pos({{.*}}) {{.*}} left 4 pin 3 :

// WHY: remark: 'pin: 3' opens the windows of 2 of 4 attentions over the cache to the first tokens
// WHY: remark: 'pin: 3' opens the windows of 2 of 4 attentions over the cache to the first tokens
// WHY: remark: 'pin: 1' opens the windows of 2 of 4 attentions over the cache to the first tokens
agt.graph @decode(%t: tensor<?xi32> {agt.name = "t"},
                  %pos: tensor<?xi32> {agt.input = {cache = "c", kind = "positions", tokens = 0 : i64, vocab = 9 : i64}, agt.name = "c"},
                  %len: tensor<1xi32> {agt.input = {cache = "c", kind = "length"}, agt.name = "c.length"},
                  %k: tensor<2x?x8xf32> {agt.input = {cache = "c", kind = "keys", layer = 0 : i64}, agt.name = "c.keys[0]"},
                  %new: tensor<2x?x8xf32>, %q: tensor<2x?x8xf32>) -> (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>) attributes {doc = "words"} {
  %0 = agt.cache_append %k, %new at %pos : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<?xi32>) -> tensor<2x?x8xf32>
  %1 = agt.attention %q, %0, %0 kv_len(%len) causal bottom_right left 4 : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<1xi32>) -> tensor<2x?x8xf32>
  %2 = agt.attention %q, %0, %0 kv_len(%len) right 2 : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<1xi32>) -> tensor<2x?x8xf32>
  %3 = agt.attention %q, %0, %0 kv_len(%len) causal bottom_right left 4 pin 9 : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<1xi32>) -> tensor<2x?x8xf32>
  %4 = agt.attention %q, %0, %0 kv_len(%len) causal bottom_right : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<1xi32>) -> tensor<2x?x8xf32>
  %5 = agt.attention %q, %new, %new left 4 : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>) -> tensor<2x?x8xf32>
  agt.return %1, %2, %3, %4, %5 : tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>
}
agt.llm @none "graph" {settings = {graph = "decode"}}
agt.llm @three "graph" {settings = {graph = "decode", pin = 3 : i64}}
agt.llm @twin "graph" {settings = {graph = "decode", pin = 3 : i64}}
agt.llm @one "graph" {settings = {graph = "decode", pin = 1 : i64}}
agt.llm @zero "graph" {settings = {graph = "decode", pin = 0 : i64}}
