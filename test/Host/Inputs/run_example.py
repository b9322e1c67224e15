"""Compiles an example, runs one graph on random input, compares with the oracle.

usage: run_example.py FILE [--only NAME] FOLDER GRAPH NAME=[i32:|i64:|bool:|f16:]DIM,... ...
"""

import json
import pathlib
import subprocess
import sys

import numpy as np

arguments = sys.argv[1:]
source = arguments.pop(0)
only = []
if arguments[0] == "--only":
    only, arguments = arguments[:2], arguments[2:]
folder, graph = pathlib.Path(arguments[0]), arguments[1]
numbers = np.random.default_rng(7)
inputs = []
for argument in arguments[2:]:
    name, _, dims = argument.partition("=")
    kind, _, dims = dims.rpartition(":")
    shape = [int(dim) for dim in dims.split(",")]
    data = {"i32": lambda: np.arange(np.prod(shape), dtype=np.int32).reshape(shape),
            "i64": lambda: 1 + np.arange(np.prod(shape), dtype=np.int64).reshape(shape),
            "f16": lambda: (numbers.standard_normal(shape) / 4).astype(np.float16),
            "bool": lambda: numbers.random(shape) < 0.5,
            "": lambda: (numbers.standard_normal(shape) / 4).astype(np.float32)}[kind]()
    path = folder / f"{graph}.{name}.npy"
    np.save(path, data)
    inputs += ["--in", f"{name}={path}"]

program = folder / "program"
subprocess.run(["agtc", source, *only, "-o", program], check=True)
held = json.loads(subprocess.run([program, "--json"], check=True, capture_output=True).stdout)
results = [r["name"] for g in held["graphs"] if g["name"] == graph for r in g["results"]]
paths = {kind: [folder / f"{graph}.{kind}.{i}.npy" for i in range(len(results))]
         for kind in ("got", "want", "bound")}
out = lambda kind, option: [w for path in paths[kind] for w in (option, path)]
subprocess.run([program, "run", graph, *inputs, *out("got", "--out")], check=True)
subprocess.run(["agtc", "run", "--reference", source, *only, graph, *inputs,
                *out("want", "--f64"), *out("bound", "--bounds")], check=True)
for got, want, bound in zip(*([np.load(p) for p in paths[k]] for k in ("got", "want", "bound"))):
    assert got.shape == want.shape, (got.shape, want.shape)
    assert (np.abs(got.astype(np.float64) - want) <= bound).all(), np.abs(got - want).max()
print(f"{graph}: {len(results)} results within their bounds")
