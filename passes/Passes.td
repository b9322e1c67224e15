//===- Passes.td - Passes over the agt dialect ----------------------------===//

#ifndef AGT_PASSES_TD
#define AGT_PASSES_TD

include "mlir/Pass/PassBase.td"

def PinContexts : Pass<"agt-pin-contexts", "::mlir::ModuleOp"> {
  let summary = "beginnings of texts that stay visible through windows";
  let description = [{
    For each llm with a setting `pin` adds a copy of its graph in which the
    attentions over the cache see as many first keys through their windows. The
    setting `pinned` of the llm names the copy, which `agt.hidden` keeps from
    people; llms that pin as many of one graph share it. The author's graph stays
    as it is. There is no copy where no attention over the cache has a window, or
    each pins as many itself: it would see what the graph sees.

    Before:

    ```mlir
    agt.graph @decode(%t: tensor<?xi32>, %pos: tensor<?xi32> {agt.input = {cache = "c", kind = "positions", tokens = 0, vocab = 9}}, %len: tensor<1xi32> {agt.input = {cache = "c", kind = "length"}}, %k: tensor<2x?x8xf32> {agt.input = {cache = "c", kind = "keys", layer = 0}}, %q: tensor<2x?x8xf32>) -> tensor<2x?x8xf32> {
      %0 = agt.attention %q, %k, %k kv_len(%len) causal bottom_right left 4 : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<1xi32>) -> tensor<2x?x8xf32>
      agt.return %0 : tensor<2x?x8xf32>
    }
    agt.llm @tiny "graph" {settings = {graph = "decode", pin = 2}}
    ```

    After, the copy:

    ```mlir
    agt.graph @"decode pinned 2"(%t: tensor<?xi32>, %pos: tensor<?xi32> {agt.input = {cache = "c", kind = "positions", tokens = 0, vocab = 9}}, %len: tensor<1xi32> {agt.input = {cache = "c", kind = "length"}}, %k: tensor<2x?x8xf32> {agt.input = {cache = "c", kind = "keys", layer = 0}}, %q: tensor<2x?x8xf32>) -> tensor<2x?x8xf32> attributes {agt.hidden} {
      %0 = agt.attention %q, %k, %k kv_len(%len) causal bottom_right left 4 pin 2 : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<1xi32>) -> tensor<2x?x8xf32>
      agt.return %0 : tensor<2x?x8xf32>
    }
    ```
  }];
  let options = [
    Option<"explain", "explain", "bool", "false",
           "Say as remarks through how many windows each llm sees">
  ];
  let statistics = [
    Statistic<"copies", "copies", "Number of decoders copied">
  ];
}

def PageCaches : Pass<"agt-page-caches", "::mlir::ModuleOp"> {
  let summary = "decoders that read many sequences in a launch";
  let description = [{
    For each graph that an llm is made of (its `pinned` where it has one, else its
    `graph`) adds a copy in which the cache is a pool
    of places that many sequences share: its tokens may be of several sequences,
    each with its position in its own, its place in the pool, and the places that
    it may see. What an author wrote about positions (causal, windows, pins) goes
    by the positions of the tokens at those places. The setting `pages` of the llm
    names the copy, which `agt.hidden` keeps from people.

    Before:

    ```mlir
    agt.graph @decode(%t: tensor<?xi32>, %pos: tensor<?xi32> {agt.input = {cache = "c", kind = "positions", tokens = 0, vocab = 9}}, %len: tensor<1xi32> {agt.input = {cache = "c", kind = "length"}}, %k: tensor<2x?x8xf32> {agt.input = {cache = "c", kind = "keys", layer = 0}}, %new: tensor<2x?x8xf32>, %q: tensor<2x?x8xf32>) -> tensor<2x?x8xf32> {
      %0 = agt.cache_append %k, %new at %pos : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<?xi32>) -> tensor<2x?x8xf32>
      %1 = agt.attention %q, %0, %0 kv_len(%len) causal bottom_right : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<1xi32>) -> tensor<2x?x8xf32>
      agt.return %1 : tensor<2x?x8xf32>
    }
    agt.llm @tiny "graph" {settings = {graph = "decode"}}
    ```

    After, the copy:

    ```mlir
    agt.graph @"decode in pages"(%t: tensor<?xi32>, %pos: tensor<?xi32> {agt.input = {cache = "c", kind = "positions", tokens = 0, vocab = 9}}, %places: tensor<?xi32> {agt.input = {cache = "c", kind = "places"}}, %k: tensor<2x?x8xf32> {agt.input = {cache = "c", kind = "keys", layer = 0}}, %new: tensor<2x?x8xf32>, %q: tensor<2x?x8xf32>, %at: tensor<?xi32> {agt.input = {cache = "c", kind = "key_positions"}}, %visible: tensor<?x?xi1> {agt.input = {cache = "c", kind = "visible"}}) -> tensor<2x?x8xf32> attributes {agt.hidden} {
      %0 = agt.cache_append %k, %new at %places : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<?xi32>) -> tensor<2x?x8xf32>
      %1 = agt.attention %q, %0, %0 masks(%visible) q_pos(%pos) kv_pos(%at) causal bottom_right : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<?x?xi1>, tensor<?xi32>, tensor<?xi32>) -> tensor<2x?x8xf32>
      agt.return %1 : tensor<2x?x8xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"copies", "copies", "Number of decoders copied">
  ];
}

def SplitRope : Pass<"agt-split-rope"> {
  let summary = "frequencies of rotations on the host, rotations on the device";
  let description = [{
    Replaces `agt.rope` by `agt.rope_table`, which the host program fills once
    with 64-bit fractions of a turn, and `agt.rotate`, which is element-wise and
    fuses. Rotations with equal base, scale and dims share a table after CSE.

    Before:

    ```mlir
    %r = agt.rope %x, %pos base 1.0e+04 scale 1.0 pairs halves
        : (tensor<8x?x64xf32>, tensor<?xi32>) -> tensor<8x?x64xf32>
    ```

    After:

    ```mlir
    %dims = arith.constant 64 : index
    %table = agt.rope_table %dims base 1.0e+04 scale 1.0 : tensor<32x2xi32>
    %r = agt.rotate %x, %pos, %table pairs halves
        : (tensor<8x?x64xf32>, tensor<?xi32>, tensor<32x2xi32>) -> tensor<8x?x64xf32>
    ```
  }];
  let statistics = [
    Statistic<"rotations", "rotations", "Number of rotations split">
  ];
}

def ExpandAttention : Pass<"agt-expand-attention"> {
  let summary = "attention with what its kernels take";
  let description = [{
    Rewrites operands of `agt.attention` that kernels do not take as they are:
    several masks become one; masks and biases that broadcast along the keys or
    along some of the batch dims are stretched; offsets of packed sequences
    (`q_cu`, `kv_cu`) become segments and, where something asks for positions,
    positions. An attention with more operands than a launch has room for gets
    its segments as a mask.

    With `packed-on-mesh` graphs on a mesh alone are rewritten, and of them only
    what has offsets: segments can be cut as tokens are, and offsets cannot.

    Before:

    ```mlir
    %o = agt.attention %q, %k, %v masks(%a, %b)
        : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<?x?xi1>, tensor<?xi1>)
        -> tensor<2x?x8xf32>
    ```

    After:

    ```mlir
    %m = agt.and %a, %b : (tensor<?x?xi1>, tensor<?xi1>) -> tensor<?x?xi1>
    %o = agt.attention %q, %k, %v masks(%m)
        : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<?x?xi1>)
        -> tensor<2x?x8xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"packedOnMesh", "packed-on-mesh", "bool", "false",
           "Only rewrite offsets of packed sequences, in graphs on a mesh">
  ];
  let statistics = [
    Statistic<"expanded", "expanded", "Number of attentions rewritten">
  ];
}

def PropagateShardings : Pass<"agt-propagate-shardings", "::agt::GraphOp"> {
  let summary = "how every value of a graph lies on its mesh";
  let description = [{
    Spreads what `agt.shard` says to all values, forwards and backwards, through
    the dims that ops walk together. Arguments get `agt.sharding`, results of
    ops `agt.shardings`. What the author said stays; where it cannot hold (heads
    that positions cannot share) that is an error.

    Before:

    ```mlir
    agt.graph @f(%x: tensor<?x64xf32>) -> tensor<?x64xf32> attributes {mesh = "ring4"} {
      %0 = agt.shard %x <[cp, whole]> via ring : tensor<?x64xf32>
      %1 = agt.silu %0 : tensor<?x64xf32>
      agt.return %1 : tensor<?x64xf32>
    }
    ```

    After:

    ```mlir
    agt.graph @f(%x: tensor<?x64xf32> {agt.sharding = #agt.sharding<[cp, whole]>}) -> tensor<?x64xf32> attributes {mesh = "ring4"} {
      %0 = agt.shard %x <[cp, whole]> via ring {agt.shardings = [#agt.sharding<[cp, whole]>]} : tensor<?x64xf32>
      %1 = agt.silu %0 {agt.shardings = [#agt.sharding<[cp, whole]>]} : tensor<?x64xf32>
      agt.return %1 : tensor<?x64xf32>
    }
    ```
  }];
}

def CutAtLeaves : Pass<"agt-cut-at-leaves", "::agt::GraphOp"> {
  let summary = "shards of keys are whole leaves";
  let description = [{
    For `--reproducible`. What an attention makes of a block of 128 keys, a leaf,
    must not depend on the mesh, so no leaf may lie on two positions: where the
    keys of an attention go round, every dim that is cut by their axes is cut
    between leaves. Striped tokens become zigzag, with a remark.

    Before:

    ```mlir
    agt.mesh @m axes ["cp"] sizes [2] links [0.0]
    agt.graph @f(%q: tensor<2x?x4xf32> {agt.sharding = #agt.sharding<[whole, cp zigzag, whole]>}, %k: tensor<2x?x4xf32> {agt.sharding = #agt.sharding<[whole, cp zigzag, whole]>}) -> tensor<2x?x4xf32> attributes {mesh = "m"} {
      %0 = agt.attention %q, %k, %k {agt.shardings = [#agt.sharding<[whole, cp zigzag, whole]>]} : (tensor<2x?x4xf32>, tensor<2x?x4xf32>, tensor<2x?x4xf32>) -> tensor<2x?x4xf32>
      agt.return %0 : tensor<2x?x4xf32>
    }
    ```

    After, with `#s = #agt.sharding<[whole, cp zigzag_leaves, whole]>`: every
    sharding is `#s`.
  }];
}

def AddPolicies : Pass<"agt-add-policies", "::mlir::ModuleOp"> {
  let summary = "a graph with rings once for each way they can go";
  let description = [{
    Keys and queries of an attention on a ring meet either way: keys go round
    ("pass-kv"), or queries go to the keys and partial results back ("pass-q").
    A graph that has such attentions gets `agt.policy`, the way that its
    statements ask for, and is there once more for the other way, as a private
    graph with `agt.policy_of`: the runtime chooses at each launch. Attentions of
    one graph go the same way. Where no ring has two places, one program goes
    both ways. `agt-propagate-shardings` has run.

    Before:

    ```mlir
    agt.graph @f(%x: tensor<4x?x64xf32> {agt.sharding = #agt.sharding<[whole, cp, whole]>}) -> tensor<4x?x64xf32> attributes {mesh = "ring4"} {
      ...
    }
    ```

    After:

    ```mlir
    agt.graph @f(...) attributes {mesh = "ring4", agt.policy = "pass-kv", agt.rings = 1} {
      ...
    }
    agt.graph private @"f.pass-q"(...) attributes {mesh = "ring4", agt.policy = "pass-q", agt.policy_of = @f, agt.rings = 1} {
      ...
    }
    ```
  }];
}

def ConvertToRing : Pass<"agt-convert-to-ring", "::agt::GraphOp"> {
  let summary = "a graph on a mesh as the program of one position";
  let description = [{
    Every value becomes the part that a position holds, every op works on parts,
    and what lies elsewhere is moved here. Attention whose keys are cut as its
    queries are becomes a `ring.schedule`, one whose queries are whole attends
    them to the keys of each place; `agt.policy` of the graph, where it is there,
    says which (`agt-add-policies`). `agt-propagate-shardings` has run.

    Before:

    ```mlir
    agt.graph @f(%x: tensor<?x64xf32> {agt.sharding = #agt.sharding<[cp, whole]>}) -> tensor<?x64xf32> attributes {mesh = "ring4"} {
      %1 = agt.silu %x {agt.shardings = [#agt.sharding<[cp, whole]>]} : tensor<?x64xf32>
      agt.return %1 : tensor<?x64xf32>
    }
    ```

    After:

    ```mlir
    %s = tensor.dim %x, %c0 : tensor<?x64xf32>
    %r = ring.place parts 4 step 1
    %n = ring.extent %r of %s parts 4 contiguous
    %0 = ring.part %x [%n] [#ring.cut<dim = 0, axis = "cp", parts = 4, step = 1, balance = contiguous>]
        : tensor<?x64xf32> -> tensor<?x64xf32>
    %1 = agt.silu %0 : tensor<?x64xf32>
    %2 = ring.whole %1 [%s] [#ring.cut<dim = 0, axis = "cp", parts = 4, step = 1, balance = contiguous>]
        : tensor<?x64xf32> -> tensor<?x64xf32>
    agt.return %2 : tensor<?x64xf32>
    ```
  }];
  let dependentDialects = ["::agt::ring::RingDialect"];
  let options = [
    Option<"explain", "explain", "bool", "false",
           "Say as remarks how each attention is shared, why, and what it costs">
  ];
}

def LowerRing : Pass<"agt-lower-ring", "::agt::GraphOp"> {
  let summary = "schedules as launches and transfers";
  let description = [{
    `ring.attend` becomes a partial `agt.attention` and a `ring.hop`;
    `ring.merge` and `ring.finalize` become functions element by element, which
    fuse; `ring.extent` becomes arithmetic. What is left of the ring dialect the
    host program does: places, parts and transfers.

    Before:

    ```mlir
    %n = ring.extent %r of %s parts 4 contiguous
    ```

    After:

    ```mlir
    %c4 = arith.constant 4 : index
    %each = arith.divui %s, %c4 : index
    %more = arith.remui %s, %c4 : index
    %longer = arith.cmpi ult, %r, %more : index
    %extra = arith.index_castui %longer : i1 to index
    %n = arith.addi %each, %extra : index
    ```
  }];
}

def SplitIntoLeaves : Pass<"agt-split-into-leaves", "::agt::GraphOp"> {
  let summary = "attention whose bits do not depend on how it is launched";
  let description = [{
    For `--reproducible`. An attention that has all its keys adds them, block by
    block, to an `agt.leaves` of its own, whose root is the result. (The steps of
    a ring share one: `agt-convert-to-ring`.)

    Before:

    ```mlir
    %0 = agt.attention %q, %k, %v : (tensor<8x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>) -> tensor<8x?x64xf32>
    ```

    After:

    ```mlir
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %dim = tensor.dim %k, %c1 : tensor<2x?x64xf32>
    %0 = agt.leaves %dim parts 1 leaves
    %1 = agt.attention %q, %k, %v into(%0) owner(%c0) partial : (tensor<8x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>, !agt.leaves, index) -> !agt.leaves
    %2 = agt.root %1 of %q, %v : (!agt.leaves, tensor<8x?x64xf32>, tensor<2x?x64xf32>) -> tensor<8x?x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FormKernels : Pass<"agt-form-kernels", "::agt::GraphOp"> {
  let summary = "ops grouped into kernels: one kernel for a chain";
  let description = [{
    Groups the ops of a graph into `agt.kernel`s. A kernel holds at most one op
    that loops (its anchor: a product, a reduction, a norm, a quantisation).
    Element-wise and shape functions before it are computed where their
    elements are asked for; element-wise ones after it, of the same shape, as it
    stores. A value with several readers is computed in each of them where that
    is cheap, else it gets a kernel and memory of its own. A concat of more parts
    than a launch has room for becomes a tree first.

    Outside kernels stay attention (a kernel of its own), reshapes of what is in
    memory (names for the same bytes), tables of frequencies, checks and index
    arithmetic; `agt-verify-kernels` says so. Calls must be inlined and
    rotations split before. Remarks say what was fused, and why not.

    Before:

    ```mlir
    %s = agt.silu %gate : tensor<?x64xf32>
    %m = agt.mul %s, %up : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
    agt.return %m : tensor<?x64xf32>
    ```

    After:

    ```mlir
    %t = tensor.dim %gate, %c0 : tensor<?x64xf32>
    %m = agt.kernel "silu_mul" (%a = %gate : tensor<?x64xf32>, %b = %up : tensor<?x64xf32>)
        [%t] -> tensor<?x64xf32> {
      %s = agt.silu %a : tensor<?x64xf32>
      %p = agt.mul %s, %b : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
      agt.yield %p : tensor<?x64xf32>
    }
    agt.return %m : tensor<?x64xf32>
    ```
  }];
  let options = [
    Option<"explain", "explain", "bool", "false",
           "Say as remarks what was fused, and why not">
  ];
  let statistics = [
    Statistic<"kernels", "kernels", "Number of kernels formed">,
    Statistic<"fusedOps", "fused-ops", "Number of ops that share a kernel with another">
  ];
}

def VerifyKernels : Pass<"agt-verify-kernels", "::agt::GraphOp"> {
  let summary = "checks that a graph is a list of launches";
  let description = [{
    After `agt-form-kernels` a graph holds `agt.kernel`, `agt.attention`,
    `agt.reshape`, `agt.rope_table`, `agt.require`, `agt.return`, `tensor.cast`,
    `tensor.dim` of arguments with a known number, what `agt-lower-ring` leaves of
    `ring`, and `arith` and `math` on numbers. Anything else is an error at its
    place. Nothing is changed.
  }];
}

#endif // AGT_PASSES_TD
