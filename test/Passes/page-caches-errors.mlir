// RUN: agt-opt %s --agt-page-caches --split-input-file --verify-diagnostics

// expected-error @below {{'agt.llm' op expected a graph of the module as its setting 'graph'}}
agt.llm @tiny "graph" {settings = {graph = "decode"}}

// -----

// expected-error @below {{'agt.graph' op has the length of a cache as input 1, and no positions of it}}
agt.graph @decode(%t: tensor<?xi32>, %len: tensor<1xi32> {agt.input = {cache = "c", kind = "length"}}) -> tensor<?xi32> {
  agt.return %t : tensor<?xi32>
}
agt.llm @tiny "graph" {settings = {graph = "decode"}}
