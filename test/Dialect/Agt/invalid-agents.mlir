// RUN: agt-opt %s -split-input-file -verify-diagnostics

// Agents: one case for each constraint.

// record_type_c1
// expected-error @+1 {{'agt.record_type' op expected a type for each of 2 fields, got 1}}
agt.record_type @R ["a", "b"] : [i64]

// -----

// record_type_c2
// expected-error @+1 {{'agt.record_type' op has field 'a' twice}}
agt.record_type @R ["a", "a"] : [i64, i64]

// -----

// enum_type_c1
// expected-error @+1 {{'agt.enum_type' op has value 'a' twice}}
agt.enum_type @E ["a", "b", "a"]

// -----

// llm_c1
// expected-error @+1 {{'agt.llm' op expected the kind 'openai', 'mock' or 'graph', got 'other'}}
agt.llm @m "other"

// -----

// tool_c1
// expected-error @+1 {{'agt.tool' op expected the kind 'exec', 'http' or 'mcp', got 'smtp'}}
agt.tool @t "smtp" "pure" : (i64) -> i64 params ["n"] request {
^bb0(%n: i64, %token: !agt.string):
  agt.result
}

// -----

// tool_c2
// expected-error @+1 {{'agt.tool' op expected a request of ('i64', '!agt.string'), got ('i64')}}
agt.tool @t "exec" "pure" : (i64) -> i64 params ["n"] request {
^bb0(%n: i64):
  agt.result
}

// -----

// tool_c3
// expected-error @+1 {{'agt.tool' op expected a region 'reconcile' exactly when the effect is 'reconcile', which is 'reconcile'}}
agt.tool @t "exec" "reconcile" : (i64) -> i64 params ["n"] request {
^bb0(%n: i64, %token: !agt.string):
  agt.result
}

// -----

// tool_c4
// expected-error @+1 {{'agt.tool' op expected 1 names of parameters, got 0}}
agt.tool @t "exec" "pure" : (i64) -> i64 params [] request {
^bb0(%n: i64, %token: !agt.string):
  agt.result
}

// -----

// fn_c1
// expected-error @+1 {{'agt.fn' op expected values of agents and one result, got '(i32) -> i64'}}
agt.fn @f(%x: i32) -> i64 {
  %0 = arith.constant 1 : i64
  agt.finish %0 : i64
}

// -----

// fn_c2
agt.fn @f(%d: !agt.duration) -> !agt.duration {
  // expected-error @+1 {{'agt.sleep' op expected an agent around it, got fn 'f'}}
  agt.sleep %d step "sleep" hash "51"
  agt.finish %d : !agt.duration
}

// -----

// agent_c1
// expected-error @+1 {{'agt.agent' op expected values of agents and one result, got '(i64) -> ()'}}
agt.agent @a(%x: i64) {
  agt.result
}

// -----

// agent_c2
agt.agent @a(%x: i64) -> i64 {
  agt.node "n" {
    agt.finish %x : i64
  }
  // expected-error @+1 {{'agt.node' op is the second node 'n'}}
  agt.node "n" {
    agt.finish %x : i64
  }
  agt.start "n" max 3
}

// -----

// literal_c1
agt.fn @f(%x: i64) -> i64 {
  // expected-error @+1 {{'agt.literal' op expected a string for a string or an enum, or an int for a duration, got 3 : i64 for '!agt.string'}}
  %0 = agt.literal 3 : i64 as !agt.string
  agt.finish %x : i64
}

// -----

// none_c1
agt.fn @f(%x: i64) -> i64 {
  // expected-error @+1 {{'agt.none' op expected an option, got 'i64'}}
  %0 = agt.none : i64
  agt.finish %x : i64
}

// -----

// convert_c1
agt.fn @f(%x: f64) -> f64 {
  // expected-error @+1 {{'agt.convert' op cannot make a 'i64' of a 'f64'}}
  %0 = agt.convert %x : f64 -> i64
  agt.finish %x : f64
}

// -----

// calculate_c1
agt.fn @f(%x: i64) -> i64 {
  // expected-error @+1 {{'agt.calculate' op expected add, sub, mul, div or rem, got 'pow'}}
  %0 = agt.calculate "pow" %x, %x : (i64, i64) -> i64
  agt.finish %x : i64
}

// -----

// calculate_c2
agt.fn @f(%x: f64) -> f64 {
  // expected-error @+1 {{'agt.calculate' op expected ints or durations, got 'f64'}}
  %0 = agt.calculate "add" %x, %x : (f64, f64) -> f64
  agt.finish %x : f64
}

// -----

// compare_values_c1
agt.fn @f(%x: i64) -> i64 {
  // expected-error @+1 {{'agt.compare_values' op expected eq, ne, lt, le, gt or ge, got 'like'}}
  %0 = agt.compare_values "like" %x, %x : i64
  agt.finish %x : i64
}

// -----

// append_c1
agt.fn @f(%x: i64, %s: !agt.string) -> i64 {
  // expected-error @+1 {{'agt.append' op expected strings or lists, got '!agt.string', 'i64' and '!agt.string'}}
  %0 = agt.append %s, %x : (!agt.string, i64) -> !agt.string
  agt.finish %x : i64
}

// -----

// make_c1
agt.fn @f(%x: i64) -> i64 {
  // expected-error @+1 {{'agt.make' op expected parts of types ('f64'), got ('i64')}}
  %0 = agt.make %x : (i64) -> !agt.list<f64>
  agt.finish %x : i64
}

// -----

// make_c2
agt.record_type @R ["a", "b"] : [i64, i64]
agt.fn @f(%x: i64) -> i64 {
  // expected-error @+1 {{'agt.make' op expected fields of types ('i64', 'i64'), got ('i64')}}
  %0 = agt.make %x : (i64) -> !agt.record<"R">
  agt.finish %x : i64
}

// -----

// make_c2: no record
agt.fn @f(%x: i64) -> i64 {
  // expected-error @+1 {{'agt.make' op expected the name of a record, got 'R'}}
  %0 = agt.make %x : (i64) -> !agt.record<"R">
  agt.finish %x : i64
}

// -----

// make_c3
agt.fn @f(%x: i64) -> i64 {
  // expected-error @+1 {{'agt.make' op expected a list, a tuple or a record, got '!agt.option<i64>'}}
  %0 = agt.make %x : (i64) -> !agt.option<i64>
  agt.finish %x : i64
}

// -----

// field_c1
agt.fn @f(%x: i64) -> i64 {
  // expected-error @+1 {{'agt.field' op expected a record or a tuple, got 'i64'}}
  %0 = agt.field %x[0] : i64 -> i64
  agt.finish %x : i64
}

// -----

// element_c1
agt.fn @f(%x: i64, %l: !agt.list<f64>) -> i64 {
  // expected-error @+1 {{'agt.element' op expected the element type 'f64', got 'i64'}}
  %0 = agt.element %l[%x] : !agt.list<f64> -> i64
  agt.finish %x : i64
}

// -----

// is_none_c1
agt.fn @f(%x: i64) -> i64 {
  // expected-error @+1 {{'agt.is_none' op expected an option, got 'i64'}}
  %0 = agt.is_none %x : i64
  agt.finish %x : i64
}

// -----

// unwrap_c1
agt.fn @f(%x: !agt.option<f64>, %y: i64) -> i64 {
  // expected-error @+1 {{'agt.unwrap' op expected what '!agt.option<f64>' holds, got 'i64'}}
  %0 = agt.unwrap %x : !agt.option<f64> -> i64
  agt.finish %y : i64
}

// -----

// outcome_c1
agt.fn @f(%x: i64) -> i64 {
  // expected-error @+1 {{'agt.outcome' op expected a result, got 'i64'}}
  %0 = agt.outcome "ok" %x : i64 -> i1
  agt.finish %x : i64
}

// -----

// outcome_c2
agt.fn @f(%x: !agt.result<i64>, %y: i64) -> i64 {
  // expected-error @+1 {{'agt.outcome' op expected ok, value, error or key with its type, got 'ok' as 'i64'}}
  %0 = agt.outcome "ok" %x : !agt.result<i64> -> i64
  agt.finish %y : i64
}

// -----

// call_fn_c1
agt.fn @f(%x: i64) -> i64 {
  // expected-error @+1 {{'agt.call_fn' op expected the name of a fn, got 'g'}}
  %0 = agt.call_fn @g(%x) : (i64) -> i64
  agt.finish %x : i64
}

// -----

// call_fn_c1: of other types
agt.fn @f(%x: i64) -> i64 {
  // expected-error @+1 {{'agt.call_fn' op expected the types '(i64) -> i64', got '(i64) -> f64'}}
  %0 = agt.call_fn @f(%x) : (i64) -> f64
  agt.finish %x : i64
}

// -----

// environment_c1
agt.fn @f(%x: !agt.string) -> !agt.string {
  // expected-error @+1 {{'agt.environment' op expected a tool around it}}
  %0 = agt.environment "env"(%x)
  agt.finish %x : !agt.string
}

// -----

// assign_c1
agt.agent @a(%x: i64, %l: !agt.list<i64>) -> i64 {
  %0 = agt.variable %x : !agt.variable<i64>
  // expected-note @+1 {{the fork is here}}
  %1 = agt.fork "all" over %l step "f" hash "f0" : !agt.list<i64> -> !agt.list<i64> branch {
  ^bb0(%item: i64, %index: i64):
    // expected-error @+1 {{'agt.assign' op assigns a variable from outside its fork}}
    agt.assign %item to %0 : !agt.variable<i64>
    agt.give %item : i64
  }
  agt.finish %x : i64
}

// -----

// finish_c1
agt.fn @f(%x: i64) -> f64 {
  // expected-error @+1 {{'agt.finish' op expected a result of type 'f64', got 'i64'}}
  agt.finish %x : i64
}

// -----

// finish_c2
agt.agent @a(%x: i64, %l: !agt.list<i64>) -> i64 {
  %1 = agt.fork "all" over %l step "f" hash "f0" : !agt.list<i64> -> !agt.list<i64> branch {
  ^bb0(%item: i64, %index: i64):
    // expected-error @+1 {{'agt.finish' op expected an agent or a fn around it, and no fork between}}
    agt.finish %item : i64
  }
  agt.finish %x : i64
}

// -----

// if_c1
agt.fn @f(%x: i64, %c: i1) -> i64 {
  // expected-error @+1 {{'agt.if' op expected the second region to give ('i64'), got ()}}
  %0 = agt.if %c -> i64 {
    agt.result %x : i64
  } else {
    agt.result
  }
  agt.finish %x : i64
}

// -----

// for_c1
agt.fn @f(%x: i64, %l: !agt.list<f64>) -> i64 {
  // expected-error @+1 {{'agt.for' op expected the region to take ('f64'), got ('i64')}}
  agt.for "x" in %l : !agt.list<f64> {
  ^bb0(%e: i64):
    agt.result
  }
  agt.finish %x : i64
}

// -----

// loop_c1
agt.fn @f(%x: i64) -> i64 {
  // expected-error @+1 {{'agt.loop' op expected the region to take ('i64'), got ()}}
  agt.loop "i" max %x {
    agt.result
  }
  agt.finish %x : i64
}

// -----

// while_c1
agt.fn @f(%x: i64) -> i64 {
  // expected-error @+1 {{'agt.while' op expected the condition to give ('i1'), got ('i64')}}
  agt.while "while" max %x {
    agt.result %x : i64
  } do {
    agt.result
  }
  agt.finish %x : i64
}

// -----

// collect_c1
agt.fn @f(%x: i64, %c: i1, %l: !agt.list<f64>) -> i64 {
  // expected-error @+1 {{'agt.collect' op expected the region to take ('f64'), got ('i64')}}
  %0 = agt.collect "x" in %l : !agt.list<f64> -> !agt.list<i64> {
  ^bb0(%e: i64):
    agt.result %c, %e : i1, i64
  }
  agt.finish %x : i64
}

// -----

// collect_c2
agt.fn @f(%x: i64, %l: !agt.list<f64>) -> i64 {
  // expected-error @+1 {{'agt.collect' op expected the region to give ('i1', 'i64'), got ('i64')}}
  %0 = agt.collect "x" in %l : !agt.list<f64> -> !agt.list<i64> {
  ^bb0(%e: f64):
    agt.result %x : i64
  }
  agt.finish %x : i64
}

// -----

// try_c1
agt.fn @f(%x: i64) -> i64 {
  // expected-error @+1 {{'agt.try' op expected the handler to take ('!agt.record<"failure">'), got ()}}
  agt.try {
    agt.result
  } catch {
    agt.result
  }
  agt.finish %x : i64
}

// -----

// goto_c1
agt.agent @a(%x: i64) -> i64 {
  agt.node "n" {
    // expected-error @+1 {{'agt.goto' op expected the name of a node, got 'm'}}
    agt.goto "m"
  }
  agt.start "n" max 3
}

// -----

// goto_c2
agt.agent @a(%x: i64) -> i64 {
  agt.node "n" {
    // expected-error @+1 {{'agt.goto' op expected the node to take ('i64'), got ()}}
    agt.goto "n"(%x) : i64
  }
  agt.start "n" max 3
}

// -----

// start_c1
agt.agent @a(%x: i64) -> i64 {
  agt.node "n" {
  ^bb0(%y: i64):
    agt.finish %x : i64
  }
  // expected-error @+1 {{'agt.start' op expected the name of a node that takes nothing, got 'n'}}
  agt.start "n" max 3
}

// -----

// call_tool_c1
agt.agent @a(%x: i64) -> i64 {
  // expected-error @+1 {{'agt.call_tool' op expected the name of a tool, got 't'}}
  %0 = agt.call_tool @t(%x) step "t" hash "70" : (i64) -> i64
  agt.finish %x : i64
}

// -----

// call_tool_c1: of other types
agt.tool @t "exec" "pure" : (i64) -> i64 params ["n"] request {
^bb0(%n: i64, %token: !agt.string):
  agt.result
}
agt.agent @a(%x: i64) -> i64 {
  // expected-error @+1 {{'agt.call_tool' op expected the types '(i64) -> i64', got '(i64) -> f64'}}
  %0 = agt.call_tool @t(%x) step "t" hash "70" : (i64) -> f64
  agt.finish %x : i64
}

// -----

// call_agent_c1
agt.agent @a(%x: i64) -> i64 {
  // expected-error @+1 {{'agt.call_agent' op expected the name of an agent, got 'b'}}
  %0 = agt.call_agent @b(%x) step "b" hash "70" : (i64) -> i64
  agt.finish %x : i64
}

// -----

// ask_c1
agt.agent @a(%x: !agt.string) -> !agt.string {
  // expected-error @+1 {{'agt.ask' op expected the name of an llm, got 'm'}}
  %0 = agt.ask @m user(%x) step "ask.m" hash "70" -> !agt.string
  agt.finish %x : !agt.string
}

// -----

// ask_c2
agt.llm @m "mock"
agt.agent @a(%x: !agt.string) -> !agt.string {
  // expected-error @+1 {{'agt.ask' op expected the name of a tool, got 'm'}}
  %0 = agt.ask @m user(%x) tools [@m] step "ask.m" hash "70" -> !agt.string
  agt.finish %x : !agt.string
}

// -----

// receive_c1
agt.agent @a(%x: !agt.duration) -> !agt.duration {
  // expected-error @+1 {{'agt.receive' op expected an option, got '!agt.string'}}
  %0 = agt.receive "hint" within %x step "receive.hint" hash "f0" : !agt.string
  agt.finish %x : !agt.duration
}

// -----

// observe_c1
agt.agent @a(%x: f64) -> f64 {
  // expected-error @+1 {{'agt.observe' op expected now, random, uuid, env, read_file or open, got 'moon'}}
  %0 = agt.observe "moon"() step "moon" hash "01" : () -> f64
  agt.finish %x : f64
}

// -----

// observe_c2
agt.agent @a(%x: f64) -> f64 {
  // expected-error @+1 {{'agt.observe' op expected 0 values for 'now', got 1}}
  %0 = agt.observe "now"(%x) step "now" hash "01" : (f64) -> f64
  agt.finish %x : f64
}

// -----

// fork_c1
agt.agent @a(%x: i64, %l: !agt.list<i64>) -> i64 {
  // expected-error @+1 {{'agt.fork' op expected a number exactly for collect and quorum}}
  %1 = agt.fork "quorum" over %l step "f" hash "f0" : !agt.list<i64> -> !agt.list<!agt.result<i64>> branch {
  ^bb0(%item: i64, %index: i64):
    agt.give %item : i64
  }
  agt.finish %x : i64
}

// -----

// fork_c2
agt.agent @a(%x: i64, %l: !agt.list<i64>) -> i64 {
  // expected-error @+1 {{'agt.fork' op expected a branch of ('i64', 'i64'), got ('f64', 'i64')}}
  %1 = agt.fork "all" over %l step "f" hash "f0" : !agt.list<i64> -> !agt.list<i64> branch {
  ^bb0(%item: f64, %index: i64):
    agt.give %index : i64
  }
  agt.finish %x : i64
}

// -----

// fork_c3
agt.agent @a(%x: i64, %l: !agt.list<i64>) -> i64 {
  // expected-error @+1 {{'agt.fork' op expected a list, got 'i64'}}
  %1 = agt.fork "all" over %l step "f" hash "f0" : !agt.list<i64> -> i64 branch {
  ^bb0(%item: i64, %index: i64):
    %m = agt.literal "no" as !agt.string
    agt.fail %m
  }
  agt.finish %x : i64
}

// -----

// give_c1
agt.agent @a(%x: i64, %l: !agt.list<i64>) -> i64 {
  %1 = agt.fork "first" over %l step "f" hash "f0" : !agt.list<i64> -> f64 branch {
  ^bb0(%item: i64, %index: i64):
    // expected-error @+1 {{'agt.give' op expected a branch to yield 'f64', got 'i64'}}
    agt.give %item : i64
  }
  agt.finish %x : i64
}

// -----

// join_c1
agt.agent @a(%x: i64, %l: !agt.list<i64>) -> i64 {
  // expected-error @+1 {{'agt.join' op expected flatten, dedupe, rank, take, evidence, reduce or budget, got 'shuffle'}}
  %1 = agt.join %l [{op = "shuffle"}] step "j" hash "70" : !agt.list<i64> -> !agt.list<i64>
  agt.finish %x : i64
}

// -----

// join_c2
agt.agent @a(%x: i64, %l: !agt.list<i64>) -> i64 {
  // expected-error @+1 {{'agt.join' op expected 1 numbers, got 0}}
  %1 = agt.join %l [{op = "take"}] step "j" hash "70" : !agt.list<i64> -> !agt.list<i64>
  agt.finish %x : i64
}

// -----

// random_tensor_c1
agt.test "t" {
  %n = arith.constant 2 : i64
  // expected-error @+1 {{'agt.random_tensor' op expected 2 sizes for 'tensor<?x?xf32>', got 1}}
  %0 = agt.random_tensor [%n] seed %n : tensor<?x?xf32>
  agt.result
}

// -----

// run_graph_c1
agt.test "t" {
  // expected-error @+1 {{'agt.run_graph' op expected the name of a graph, got 'none'}}
  %0 = agt.run_graph @none() : () -> tensor<?xf32>
  agt.result
}

// -----

// run_graph_c2
agt.graph @g(%x: tensor<4xf32>, %w: tensor<4xf32> {agt.input = {kind = "weight", weights = "f", tensor = "w"}}) -> tensor<4xf32> {
  agt.return %x : tensor<4xf32>
}
agt.test "t" {
  %n = arith.constant 4 : i64
  %x = agt.random_tensor [%n] seed %n : tensor<4xf32>
  %0 = agt.run_graph @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'agt.run_graph' op expected the types of 'g'}}
  %1 = agt.run_graph @g(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  agt.result
}

// -----

// rerank_c1
agt.agent @a(%x: !agt.list<!agt.string>, %q: !agt.string, %n: i64) -> !agt.list<!agt.string> {
  // expected-error @+1 {{'agt.rerank' op expected the name of an llm or a tool, got 'nobody'}}
  %1 = agt.rerank %x by %q with @nobody take %n step "r" hash "71" : !agt.list<!agt.string> -> !agt.list<!agt.string>
  agt.finish %1 : !agt.list<!agt.string>
}

// -----

// prefix_c1
agt.agent @a(%x: !agt.string) -> !agt.string {
  // expected-error @+1 {{'agt.prefix' op expected the name of an llm, got 'nobody'}}
  %1 = agt.prefix @nobody reads %x step "p" hash "71"
  agt.finish %x : !agt.string
}
