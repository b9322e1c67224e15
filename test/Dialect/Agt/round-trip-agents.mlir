// RUN: agt-opt %s | FileCheck %s
// RUN: agt-opt %s | agt-opt | FileCheck %s
// RUN: agt-opt %s --canonicalize --cse | FileCheck %s --check-prefix=KEPT

// The examples of the ops of agents: what is printed is what was written.

// CHECK: agt.record_type @Finding ["claim", "score"] : [!agt.string, f64]
// CHECK-SAME: score = {max = 1.000000e+00 : f64, min = 0.000000e+00 : f64}
agt.record_type @Finding ["claim", "score"] : [!agt.string, f64]
  {settings = {score = {max = 1.000000e+00 : f64, min = 0.000000e+00 : f64}}}
agt.record_type @Outline ["title"] : [!agt.string]
// CHECK: agt.enum_type @Severity ["low", "medium", "high"]
agt.enum_type @Severity ["low", "medium", "high"]
// CHECK: agt.llm @script "mock" {settings = {file = "/replies.json"}}
agt.llm @script "mock" {settings = {file = "/replies.json"}}
agt.llm @planner "openai" {settings = {endpoint = {env = "E"}, model = "m"}}

// CHECK-LABEL: agt.tool @find "exec" "pure" : (!agt.string) -> !agt.option<!agt.string> params ["key"] request {
agt.tool @find "exec" "pure" : (!agt.string) -> !agt.option<!agt.string>
    params ["key"] request {
^bb0(%key: !agt.string, %token: !agt.string):
  %0 = agt.literal "find" as !agt.string
  // CHECK: agt.make %{{.*}}, %{{.*}} : (!agt.string, !agt.string) -> !agt.list<!agt.string>
  %1 = agt.make %0, %key : (!agt.string, !agt.string) -> !agt.list<!agt.string>
  %2 = agt.none : !agt.option<!agt.string>
  agt.result %1, %2 : !agt.list<!agt.string>, !agt.option<!agt.string>
}

// CHECK-LABEL: agt.tool @notes.read "mcp" "pure" : () -> !agt.string params [] request {
agt.tool @notes.read "mcp" "pure" : () -> !agt.string params [] request {
^bb0(%token: !agt.string):
  // CHECK: agt.result{{$}}
  agt.result
}

// CHECK-LABEL: agt.tool @send "http" "reconcile"
agt.tool @send "http" "reconcile" : (!agt.string) -> !agt.string
    params ["text"] attributes {settings = {reconcile = @find}} request {
^bb0(%text: !agt.string, %token: !agt.string):
  %0 = agt.literal "KEY" as !agt.string
  // CHECK: agt.environment "secret"(%{{.*}})
  %1 = agt.environment "secret"(%0)
  agt.result %1, %text : !agt.string, !agt.string
// CHECK: } reconcile {
} reconcile {
^bb0(%text: !agt.string, %token: !agt.string):
  agt.result %token : !agt.string
}

// CHECK-LABEL: agt.fn @small(%{{.*}}: i64) -> i1
agt.fn @small(%x: i64) -> i1 {
  %0 = arith.constant 10 : i64
  // CHECK: agt.compare_values "lt" %{{.*}}, %{{.*}} : i64
  %1 = agt.compare_values "lt" %x, %0 : i64
  agt.finish %1 : i1
}

// CHECK-LABEL: agt.agent @values
agt.agent @values(%n: i64, %o: !agt.option<i64>, %list: !agt.list<i64>, %r: !agt.result<i64>,
                  %f: !agt.record<"Finding">, %s: !agt.string) -> i64 {
  // CHECK: agt.literal "low" as !agt.enum<"Severity">
  %0 = agt.literal "low" as !agt.enum<"Severity">
  // CHECK: agt.literal 1000000000 : i64 as !agt.duration
  %1 = agt.literal 1000000000 : i64 as !agt.duration
  // CHECK: agt.convert %{{.*}} : i64 -> !agt.option<f64>
  %2 = agt.convert %n : i64 -> !agt.option<f64>
  // CHECK: agt.calculate "add" %{{.*}}, %{{.*}} : (i64, i64) -> i64
  %3 = agt.calculate "add" %n, %n : (i64, i64) -> i64
  // CHECK: agt.append %{{.*}}, %{{.*}} : (!agt.list<i64>, !agt.list<i64>) -> !agt.list<i64>
  %4 = agt.append %list, %list : (!agt.list<i64>, !agt.list<i64>) -> !agt.list<i64>
  // CHECK: agt.text %{{.*}}, %{{.*}} : !agt.string, i64
  %5 = agt.text %s, %n : !agt.string, i64
  // CHECK: agt.field %{{.*}}[1] : !agt.record<"Finding"> -> f64
  %6 = agt.field %f[1] : !agt.record<"Finding"> -> f64
  // CHECK: agt.element %{{.*}}[%{{.*}}] : !agt.list<i64> -> i64
  %7 = agt.element %list[%n] : !agt.list<i64> -> i64
  // CHECK: agt.is_none %{{.*}} : !agt.option<i64>
  %8 = agt.is_none %o : !agt.option<i64>
  // CHECK: agt.unwrap %{{.*}} : !agt.option<i64> -> i64
  %9 = agt.unwrap %o : !agt.option<i64> -> i64
  // CHECK: agt.outcome "ok" %{{.*}} : !agt.result<i64> -> i1
  %10 = agt.outcome "ok" %r : !agt.result<i64> -> i1
  // CHECK: agt.library "trim"(%{{.*}}) : (!agt.string) -> !agt.string
  %11 = agt.library "trim"(%s) : (!agt.string) -> !agt.string
  // CHECK: agt.parse %{{.*}} : !agt.list<i64>
  %12 = agt.parse %s : !agt.list<i64>
  // CHECK: agt.call_fn @small(%{{.*}}) : (i64) -> i1
  %13 = agt.call_fn @small(%n) : (i64) -> i1
  // CHECK: agt.variable %{{.*}} : !agt.variable<i64>
  %14 = agt.variable %n : !agt.variable<i64>
  // CHECK: agt.load %{{.*}} : !agt.variable<i64>
  %15 = agt.load %14 : !agt.variable<i64>
  // CHECK: agt.assign %{{.*}} to %{{.*}} : !agt.variable<i64>
  agt.assign %15 to %14 : !agt.variable<i64>
  agt.finish %15 : i64
}

// CHECK-LABEL: agt.agent @control
agt.agent @control(%c: i1, %n: i64, %list: !agt.list<i64>) -> i64 {
  // CHECK: agt.if %{{.*}} -> i64 {
  // CHECK: } else {
  %0 = agt.if %c -> i64 {
    agt.result %n : i64
  } else {
    agt.finish %n : i64
  }
  // CHECK: agt.for "x" in %{{.*}} : !agt.list<i64> {
  agt.for "x" in %list : !agt.list<i64> {
  ^bb0(%x: i64):
    agt.result
  }
  // CHECK: agt.loop "i" max %{{.*}} {
  agt.loop "i" max %n {
  ^bb0(%i: i64):
    agt.finish %i : i64
  }
  // CHECK: agt.while "while" max %{{.*}} {
  // CHECK: } do {
  agt.while "while" max %n {
    agt.result %c : i1
  } do {
    agt.result
  }
  // CHECK: agt.collect "x" in %{{.*}} : !agt.list<i64> -> !agt.list<i64> {
  %1 = agt.collect "x" in %list : !agt.list<i64> -> !agt.list<i64> {
  ^bb0(%x: i64):
    agt.result %c, %x : i1, i64
  }
  // CHECK: agt.try {
  agt.try {
    %2 = agt.literal "no" as !agt.string
    // CHECK: agt.fail %{{.*}}
    agt.fail %2
  // CHECK: } catch {
  } catch {
  ^bb0(%err: !agt.record<"failure">):
    agt.result
  }
  // CHECK: agt.node "plan" {
  agt.node "plan" {
    // CHECK: agt.goto "act"(%{{.*}}) : i64
    agt.goto "act"(%n) : i64
  }
  agt.node "act" {
  ^bb0(%x: i64):
    agt.finish %x : i64
  }
  // CHECK: agt.start "plan" max 40
  agt.start "plan" max 40
}

// A step is never dropped, merged or done for another: the second call of a
// pure tool stays, unused or not. A loop that may return stays as well.
// KEPT-LABEL: agt.agent @control
// KEPT: agt.loop "i"
// KEPT: agt.try
// KEPT-LABEL: agt.agent @steps
// KEPT: agt.call_tool @find
// KEPT: agt.call_tool @find
// KEPT: agt.observe "now"

// CHECK-LABEL: agt.agent @steps
// CHECK-SAME: attributes {settings = {budget = {steps = 5 : i64}}}
agt.agent @steps(%s: !agt.string {agt.name = "s"}, %n: i64, %d: !agt.duration,
                 %items: !agt.list<!agt.string, 8>, %deep: !agt.list<!agt.list<i64>>) -> !agt.string
    attributes {settings = {budget = {steps = 5 : i64}}} {
  // CHECK: agt.call_tool @find(%{{.*}}) step "found" hash "5e0c" : (!agt.string) -> !agt.option<!agt.string>
  %0 = agt.call_tool @find(%s) step "found" hash "5e0c" : (!agt.string) -> !agt.option<!agt.string>
  // CHECK: step "again" hash "5e0c" {on_change = "keep", was = "old"}
  %1 = agt.call_tool @find(%s) step "again" hash "5e0c" {on_change = "keep", was = "old"}
    : (!agt.string) -> !agt.option<!agt.string>
  // CHECK: agt.ask @planner user(%{{.*}}) tools [@find] max(%{{.*}}) step "outline" hash "c0de" -> !agt.record<"Outline">
  %2 = agt.ask @planner user(%s) tools [@find] max(%n) step "outline" hash "c0de" -> !agt.record<"Outline">
  // CHECK: agt.call_agent @steps
  %3 = agt.call_agent @steps(%s, %n, %d, %items, %deep) step "child" hash "77aa"
    : (!agt.string, i64, !agt.duration, !agt.list<!agt.string, 8>, !agt.list<!agt.list<i64>>) -> !agt.string
  // CHECK: agt.approve %{{.*}} by %{{.*}} within %{{.*}} else false step "approve" hash "a0"
  %4 = agt.approve %s by %s within %d else false step "approve" hash "a0"
  // CHECK: agt.sleep %{{.*}} step "sleep" hash "51"
  agt.sleep %d step "sleep" hash "51"
  // CHECK: agt.emit %{{.*}} step "emit" hash "e0"
  agt.emit %s step "emit" hash "e0"
  // CHECK: agt.receive "hint" within %{{.*}} step "receive.hint" hash "f0" : !agt.option<!agt.string>
  %5 = agt.receive "hint" within %d step "receive.hint" hash "f0" : !agt.option<!agt.string>
  // CHECK: agt.observe "env"(%{{.*}}) step "env" hash "0e" : (!agt.string) -> !agt.option<!agt.string>
  %6 = agt.observe "env"(%s) step "env" hash "0e" : (!agt.string) -> !agt.option<!agt.string>
  %7 = agt.observe "now"() step "now" hash "01" : () -> f64
  // CHECK: agt.fork "collect" least(%{{.*}}) over %{{.*}} width(%{{.*}}) max(%{{.*}}) step "found2" hash "f0"
  // CHECK-SAME: : !agt.list<!agt.string, 8> -> !agt.list<!agt.result<i64>, 8> keys {
  // CHECK: } branch {
  %8 = agt.fork "collect" least(%n) over %items width(%n) max(%n) step "found2" hash "f0"
      : !agt.list<!agt.string, 8> -> !agt.list<!agt.result<i64>, 8> keys {
  ^bb0(%item: !agt.string):
    agt.result %item : !agt.string
  } branch {
  ^bb0(%item: !agt.string, %index: i64):
    // CHECK: agt.give %{{.*}} : i64
    agt.give %n : i64
  }
  // CHECK: agt.join %{{.*}} [{op = "flatten"}, {op = "take"}](%{{.*}}) step "top" hash "70"
  %9 = agt.join %deep [{op = "flatten"}, {op = "take"}](%n) step "top" hash "70"
    : !agt.list<!agt.list<i64>> -> !agt.list<i64>
  // CHECK: agt.rerank %{{.*}} by %{{.*}} with @planner take %{{.*}} step "best" hash "71" : !agt.list<!agt.string> -> !agt.list<!agt.string, 5>
  %texts = agt.make %s, %s : (!agt.string, !agt.string) -> !agt.list<!agt.string>
  %best = agt.rerank %texts by %s with @planner take %n step "best" hash "71"
    : !agt.list<!agt.string> -> !agt.list<!agt.string, 5>
  // CHECK: %[[CTX:.*]] = agt.prefix @planner reads %{{.*}} step "ctx" hash "72"
  %ctx = agt.prefix @planner reads %s step "ctx" hash "72"
  // CHECK: agt.ask @planner with(%[[CTX]]) user(%{{.*}}) step "with" hash "73" -> !agt.string
  %with = agt.ask @planner with(%ctx) user(%s) step "with" hash "73" -> !agt.string
  agt.finish %s : !agt.string
}

// CHECK-LABEL: agt.test "a word is a word" {
agt.test "a word is a word" {
  // CHECK: agt.mock @planner "/replies.json"
  agt.mock @planner "/replies.json"
  // CHECK: agt.calls @planner : i64
  %0 = agt.calls @planner : i64
  %1 = arith.constant true
  // CHECK: agt.expect %{{.*}} "a == b"(%{{.*}}, %{{.*}}) : i64, i64
  agt.expect %1 "a == b"(%0, %0) : i64, i64
  // CHECK: %[[X:.*]] = agt.random_tensor[%{{.*}}] seed %{{.*}} : tensor<?xf32>
  %2 = agt.random_tensor [%0] seed %0 : tensor<?xf32>
  // CHECK: %[[Y:.*]] = agt.run_graph @twice(%[[X]]) : (tensor<?xf32>) -> tensor<?xf32>
  %3 = agt.run_graph @twice(%2) : (tensor<?xf32>) -> tensor<?xf32>
  %4 = arith.constant 1.0 : f64
  // CHECK: agt.expect_close %[[Y]], %[[X]] "y and x" atol %{{.*}} rtol %{{.*}} : tensor<?xf32>, tensor<?xf32>
  agt.expect_close %3, %2 "y and x" atol %4 rtol %4 : tensor<?xf32>, tensor<?xf32>
  agt.result
}

agt.graph @twice(%x: tensor<?xf32>) -> tensor<?xf32> {
  agt.return %x : tensor<?xf32>
}
