//===- AgtMeshOps.td - Meshes, and which part of a value is where ---------===//

#ifndef AGT_MESH_OPS_TD
#define AGT_MESH_OPS_TD

include "mlir/IR/AttrTypeBase.td"

def Agt_ShardingAttr : AttrDef<Agt_Dialect, "Sharding"> {
  let mnemonic = "sharding";
  let summary = "which dims of a tensor are cut, over which axes of the mesh";
  let description = [{
    One entry a dim: `whole` where it is whole everywhere, else the axes it is cut
    over (the first is the slowest) and, for tokens, the balance. The order of
    tokens is that of attention.md section 2; it is why upstream's sharding,
    which has none, does not carry this.

    ```mlir
    #agt.sharding<[whole, cp zigzag, whole]>
    #agt.sharding<[tp, cp pe, whole]>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::agt::DimSplit">:$dims);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Whether no dim is cut.
    bool isWhole() const;
    /// The same without the cut of `dim`.
    ShardingAttr withWhole(unsigned dim) const;
    ShardingAttr with(unsigned dim, const ::agt::DimSplit &split) const;
    /// Nothing cut in `rank` dims.
    static ShardingAttr whole(::mlir::MLIRContext *context, unsigned rank);
  }];
}

def Agt_MeshOp : Agt_Op<"mesh", [Symbol]> {
  let summary = "positions that a graph runs on, along named axes";
  let description = [{
    One `mesh` declaration. Positions are numbered row by row, the last axis
    fastest. `links` are bytes per second along each axis, 0 where the source
    does not say.

    Example:

    ```mlir
    agt.mesh @pod axes ["cp", "tp"] sizes [4, 2] links [5.0e+10, 4.5e+11]
    ```

    **Constraints**
    - mesh_c1: there is at least one axis, and one size and one link for each.
    - mesh_c2: sizes are above 0.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$axes,
                       DenseI64ArrayAttr:$sizes, DenseF64ArrayAttr:$links);
  let assemblyFormat = "$sym_name `axes` $axes `sizes` $sizes `links` $links attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The product of the sizes.
    int64_t positions();
    /// The number of `axis`; nothing where there is none of that name.
    std::optional<unsigned> axisNumber(llvm::StringRef axis);
  }];
}

def Agt_ShardOp : Agt_Op<"shard", [Pure, SameOperandsAndResultType]> {
  let summary = "a value, and how it lies on the mesh";
  let description = [{
    The statement `shard x by S over cp balance zigzag`. The mesh is the graph's.
    What the author does not say is worked out by `agt-propagate-shardings`.

    Example:

    ```mlir
    %0 = agt.shard %q <[whole, cp zigzag, whole]> via ring : tensor<8x?x64xf32>
    ```

    **Constraints**
    - shard_c1: the sharding has an entry for each dim.
    - shard_c2: no axis cuts two dims.
  }];
  let arguments = (ins Agt_Tensor:$input, Agt_ShardingAttr:$sharding,
                       DefaultValuedAttr<Agt_ViaAttr, "::agt::Via::Ring">:$via);
  let results = (outs Agt_Tensor:$result);
  let assemblyFormat = "$input $sharding `via` `` $via attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // AGT_MESH_OPS_TD
