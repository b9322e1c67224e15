// RUN: agt-opt %s -split-input-file -verify-diagnostics

// One case for each constraint.

// place_c1
agt.graph @f() {
  // expected-error @+1 {{'ring.place' op expected a step above 0, got 0}}
  %r = ring.place parts 3 step 0
  agt.return
}

// -----

// extent_c1
agt.graph @f() {
  %r = ring.place parts 3 step 1
  // expected-error @+1 {{'ring.extent' op expected parts above 0, got 0}}
  %n = ring.extent %r of %r parts 0 zigzag
  agt.return
}

// -----

// part_c1
agt.graph @f(%x: tensor<6xf32>) {
  %y = agt.neg %x : tensor<6xf32>
  // expected-error @+1 {{'ring.part' op expected an argument of the graph, got a value of its body}}
  %p = ring.part %y [] [] : tensor<6xf32> -> tensor<6xf32>
  agt.return
}

// -----

// part_c2
agt.graph @f(%x: tensor<6xf32>) {
  // expected-error @+1 {{'ring.part' op expected 1 sizes, one for each open dim of the results, got 0}}
  %p = ring.part %x [] [] : tensor<6xf32> -> tensor<?xf32>
  agt.return
}

// -----

// part_c3
agt.graph @f(%x: tensor<6xf32>) {
  // expected-error @+1 {{'ring.part' op expected cuts of different dims of 1, got [#ring.cut<dim = 1, axis = "cp", parts = 3, step = 1, balance = contiguous>]}}
  %p = ring.part %x [] [#ring.cut<dim = 1, axis = "cp", parts = 3, step = 1, balance = contiguous>]
      : tensor<6xf32> -> tensor<2xf32>
  agt.return
}

// -----

// whole_c1
agt.graph @f(%x: tensor<6xf32>) {
  // expected-error @+1 {{'ring.whole' op expected 'agt.return' as its reader, got 'agt.neg'}}
  %w = ring.whole %x [] [] : tensor<6xf32> -> tensor<6xf32>
  %y = agt.neg %w : tensor<6xf32>
  agt.return
}

// -----

// whole_c2
agt.graph @f(%x: tensor<6xf32>) {
  // expected-error @+1 {{'ring.whole' op expected 1 sizes, one for each open dim of the results, got 0}}
  %w = ring.whole %x [] [] : tensor<6xf32> -> tensor<?xf32>
  agt.return
}

// -----

// whole_c3
agt.graph @f(%x: tensor<6xf32>) {
  // expected-error @+1 {{'ring.whole' op expected cuts of different dims of 1, got [#ring.cut<dim = 2, axis = "cp", parts = 3, step = 1, balance = contiguous>]}}
  %w = ring.whole %x [] [#ring.cut<dim = 2, axis = "cp", parts = 3, step = 1, balance = contiguous>]
      : tensor<6xf32> -> tensor<18xf32>
  agt.return
}

// -----

// positions_c1
agt.graph @f() {
  %r = ring.place parts 3 step 1
  // expected-error @+1 {{'ring.positions' op expected one dim, got 'tensor<2x3xi32>'}}
  %p = ring.positions %r of %r [] parts 3 zigzag : tensor<2x3xi32>
  agt.return
}

// -----

// positions_c2
agt.graph @f() {
  %r = ring.place parts 3 step 1
  // expected-error @+1 {{'ring.positions' op expected parts above 0, got -1}}
  %p = ring.positions %r of %r [] parts -1 zigzag : tensor<2xi32>
  agt.return
}

// -----

// shift_c1
agt.graph @f(%x: tensor<2x6xf32>, %n: tensor<6xf32>) {
  %r = ring.place parts 3 step 1
  %b = arith.constant true
  // expected-error @+1 {{'ring.shift' op expected a token of 'tensor<2x6xf32>', got 'tensor<3x6xf32>'}}
  %t = ring.shift %x [%r] sends %b receives %b move kv
      cut <dim = 1, axis = "cp", parts = 3, step = 1, balance = contiguous>
      : tensor<2x6xf32> -> !ring.token<tensor<3x6xf32>>
  agt.return
}

// -----

// await_c1, await_c2
agt.graph @f(%x: tensor<2x6xf32>) {
  %r = ring.place parts 3 step 1
  %b = arith.constant true
  %t = ring.shift %x [%r] sends %b receives %b move kv
      cut <dim = 1, axis = "cp", parts = 3, step = 1, balance = contiguous>
      : tensor<2x6xf32> -> !ring.token<tensor<2x?xf32>>
  // expected-error @+1 {{'ring.await' op expected 'tensor<2x?xf32>', got 'tensor<2x6xf32>'}}
  %y = ring.await %t [] : !ring.token<tensor<2x?xf32>> -> tensor<2x6xf32>
  agt.return
}

// -----

// gather_c1
agt.graph @f(%x: tensor<6xf32>) {
  // expected-error @+1 {{'ring.gather' op expected 1 sizes, one for each open dim of the results, got 0}}
  %g = ring.gather %x [] [] : tensor<6xf32> -> tensor<?xf32>
  agt.return
}

// -----

// gather_c2
agt.graph @f(%x: tensor<6xf32>) {
  // expected-error @+1 {{'ring.gather' op expected cuts of different dims of 1, got [#ring.cut<dim = -1, axis = "cp", parts = 3, step = 1, balance = contiguous>]}}
  %g = ring.gather %x [] [#ring.cut<dim = -1, axis = "cp", parts = 3, step = 1, balance = contiguous>]
      : tensor<6xf32> -> tensor<18xf32>
  agt.return
}

// -----

// gather_c2
agt.graph @f(%x: tensor<6xf32>) {
  // expected-error @+1 {{'ring.gather' op expected cuts of different dims of 1, got [#ring.cut<dim = 0, axis = "cp", parts = 3, step = 1, balance = contiguous>, #ring.cut<dim = 0, axis = "tp", parts = 2, step = 3, balance = contiguous>]}}
  %g = ring.gather %x [] [#ring.cut<dim = 0, axis = "cp", parts = 3, step = 1, balance = contiguous>]
      kept [#ring.cut<dim = 0, axis = "tp", parts = 2, step = 3, balance = contiguous>] : tensor<6xf32> -> tensor<18xf32>
  agt.return
}

// -----

// schedule_c1
agt.graph @f() {
  %r = ring.place parts 3 step 1
  // expected-error @+1 {{'ring.schedule' op expected permutations of 2 places, got array<i64: 0, 0>}}
  %0 = ring.schedule "pass_kv" meets [array<i64: 0, 0>, array<i64: 1, 0>] {
    ring.yield %r : index
  } : index
  agt.return
}

// -----

// schedule_c2
agt.graph @f() {
  %r = ring.place parts 3 step 1
  // expected-error @+1 {{'ring.schedule' op expected each place at a shard of its own in step 0}}
  %0 = ring.schedule "pass_kv" meets [array<i64: 0, 1>, array<i64: 0, 1>] {
    ring.yield %r : index
  } : index
  agt.return
}

// -----

// schedule_c3
agt.graph @f() {
  // expected-error @+1 {{'ring.schedule' op expected values of types 'index', got}}
  %0 = ring.schedule "pass_kv" meets [array<i64: 0>] {
    ring.yield
  } : index
  agt.return
}

// -----

// attend_c1
agt.graph @f(%q: tensor<2x3x4xf32>) {
  %r = ring.place parts 3 step 1
  %b = arith.constant true
  // expected-error @+1 {{'ring.attend' op expected no 'sees' in the first step}}
  %p = ring.attend %q, %q, %q sees(%b) step 0 owner %r
      : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, i1, index)
      -> !ring.partial<tensor<2x3x4xf32>, base = 2>
  agt.return
}

// -----

// attend_c2
agt.graph @f(%q: tensor<2x3x4xf32>) {
  %r = ring.place parts 3 step 1
  // expected-error @+1 {{'ring.attend' op expected sums 'tensor<2x3x4xf32>', got 'tensor<2x3x5xf32>'}}
  %p = ring.attend %q, %q, %q step 0 owner %r
      : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, index)
      -> !ring.partial<tensor<2x3x5xf32>, base = 2>
  agt.return
}

// -----

// finalize_c1
agt.graph @f(%q: tensor<2x3x4xf32>) {
  %r = ring.place parts 3 step 1
  %p = ring.attend %q, %q, %q step 0 owner %r
      : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, index)
      -> !ring.partial<tensor<2x3x4xf32>, base = 2>
  // expected-error @+1 {{'ring.finalize' op expected the shape of 'tensor<2x3x4xf32>', got 'tensor<2x3x5xf32>'}}
  %o = ring.finalize %p layout hsd : (!ring.partial<tensor<2x3x4xf32>, base = 2>) -> tensor<2x3x5xf32>
  agt.return
}

// -----

// finalize_c2
agt.graph @f(%q: tensor<2x3x4xf32>) {
  %r = ring.place parts 3 step 1
  %p = ring.attend %q, %q, %q step 0 owner %r
      : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, index)
      -> !ring.partial<tensor<2x3x4xf32>, base = 2>
  // expected-error @+1 {{'ring.finalize' op expected a lse of the shape of 'tensor<2x3x4xf32>' without its last dim, got 'tensor<2x4xf32>'}}
  %o, %l = ring.finalize %p layout hsd
      : (!ring.partial<tensor<2x3x4xf32>, base = 2>) -> (tensor<2x3x4xf32>, tensor<2x4xf32>)
  agt.return
}

// -----

// expected-error @+1 {{expected sums in f32, got 'tensor<2xf16>'}}
func.func private @f(!ring.partial<tensor<2xf16>, base = 2>)

// -----

// expected-error @+1 {{expected base 2, got 10}}
func.func private @f(!ring.partial<tensor<2xf32>, base = 10>)

// -----

// shift_c2
agt.graph @f(%x: tensor<6xf32>) {
  %r = ring.place parts 3 step 1
  %yes = arith.constant true
  // expected-error @+1 {{'ring.shift' op expected a distance above 0 and below 3, got 3}}
  %t = ring.shift %x [%r] sends %yes receives %yes move kv
      cut <dim = 0, axis = "cp", parts = 3, step = 1, balance = contiguous> by 3
      : tensor<6xf32> -> !ring.token<tensor<6xf32>>
  agt.return
}

// -----

// scatter_c1
agt.graph @f(%q: tensor<1x6x4xf32>, %at: tensor<2xi32>) {
  %r = ring.place parts 3 step 1
  %yes = arith.constant true
  %p = ring.attend %q, %q, %q step 0 owner %r
      : (tensor<1x6x4xf32>, tensor<1x6x4xf32>, tensor<1x6x4xf32>, index) -> !ring.partial<tensor<1x6x4xf32>, base = 2>
  // expected-error @+1 {{'ring.scatter' op expected rows of 3 places, and one fewer of what is sent and received, got 2, 2 and 1}}
  %s = ring.scatter %p rows(%at, %at) sends(%yes, %yes) receives(%yes)
      cut <dim = 1, axis = "cp", parts = 3, step = 1, balance = contiguous>
      : !ring.partial<tensor<1x6x4xf32>, base = 2>, tensor<2xi32>, tensor<2xi32> -> !ring.partial<tensor<1x2x4xf32>, base = 2>
  agt.return
}

// -----

// scatter_c2
agt.graph @f(%q: tensor<1x6x4xf32>, %at: tensor<2xi32>) {
  %r = ring.place parts 3 step 1
  %yes = arith.constant true
  %p = ring.attend %q, %q, %q step 0 owner %r
      : (tensor<1x6x4xf32>, tensor<1x6x4xf32>, tensor<1x6x4xf32>, index) -> !ring.partial<tensor<1x6x4xf32>, base = 2>
  // expected-error @+1 {{'ring.scatter' op expected sums of 'tensor<1x6x4xf32>' but for dim 1, got 'tensor<1x2x8xf32>'}}
  %s = ring.scatter %p rows(%at, %at, %at) sends(%yes, %yes) receives(%yes, %yes)
      cut <dim = 1, axis = "cp", parts = 3, step = 1, balance = contiguous>
      : !ring.partial<tensor<1x6x4xf32>, base = 2>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32> -> !ring.partial<tensor<1x2x8xf32>, base = 2>
  agt.return
}
