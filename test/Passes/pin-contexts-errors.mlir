// RUN: agt-opt %s --agt-pin-contexts --split-input-file --verify-diagnostics

// expected-error @below {{'agt.llm' op expected a graph of the module as its setting 'graph'}}
agt.llm @tiny "graph" {settings = {graph = "decode", pin = 2 : i64}}

// -----

// expected-error @below {{'agt.llm' op expected a graph of the module as its setting 'pinned'}}
agt.llm @tiny "graph" {settings = {graph = "decode", pin = 2 : i64, pinned = "other"}}

// -----

// What is no graph of this program is not looked at.
agt.llm @script "mock" {settings = {file = "/r.json", pin = 2 : i64}}
