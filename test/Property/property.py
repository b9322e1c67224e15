#!/usr/bin/env python3
"""Random graphs, run by the compiled program and by the float64 oracle.

usage: property.py [--seed N] [--programs N] [--graphs N] [--device D] [--keep DIR]
                   [--without TYPE]

Each program holds --graphs graphs. Every result must be within the bound that
the oracle gives for it (docs/Oracle.md), exactly equal where it is an
integer or a bool. A failing case is kept as an .agt file with its .npy files
and the commands that show it.
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np

from graphs import Graph


def run(command: list[str]) -> subprocess.CompletedProcess:
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def differs(got: np.ndarray, want: np.ndarray, bound: np.ndarray) -> str | None:
    """What is wrong with a result, or None."""
    if got.shape != want.shape:
        return f"expected shape {want.shape}, got {got.shape}"
    if got.dtype.kind in "iub":
        wrong = got != want
    else:
        got, want = got.astype(np.float64), want.astype(np.float64)
        with np.errstate(invalid="ignore"):
            close = np.abs(got - want) <= bound
        wrong = ~(close | (got == want) | (np.isnan(got) & np.isnan(want)))
    if not wrong.any():
        return None
    index = tuple(int(i[0]) for i in np.nonzero(wrong)) if wrong.ndim else ()
    allowed = f" +- {bound[index]:.3g}" if got.dtype.kind == "f" else ""
    return (f"{int(wrong.sum())} of {wrong.size} elements are wrong, first at {index}: "
            f"expected {want[index]}{allowed}, got {got[index]}")


def check(graph: Graph, source: pathlib.Path, program: pathlib.Path, folder: pathlib.Path,
          device: str) -> str | None:
    inputs = []
    for name, data in graph.inputs.items():
        path = folder / f"{graph.name}.{name}.npy"
        np.save(path, data)
        inputs += ["--in", f"{name}={path}"]
    paths = {kind: [folder / f"{graph.name}.{kind}.r{i}.npy" for i in range(len(graph.results))]
             for kind in ("got", "want", "bound")}
    outputs = lambda kind, option: [word for i, path in enumerate(paths[kind])
                                    for word in (option, f"r{i}={path}")]
    ours = [str(program), "run", graph.name, "--device", device, *inputs, *outputs("got", "--out")]
    oracle = ["agtc", "run", "--reference", str(source), graph.name, *inputs,
              *outputs("want", "--f64"), *outputs("bound", "--bounds")]
    for command in (ours, oracle):
        done = run(command)
        if done.returncode != 0:
            return f"exit {done.returncode}: {' '.join(command)}\n{done.stderr}"
    for got, want, bound in zip(*paths.values()):
        if wrong := differs(np.load(got), np.load(want), np.load(bound)):
            return f"{got.name}: {wrong}\n{' '.join(ours)}\n{' '.join(oracle)}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(32))
    parser.add_argument("--programs", type=int, default=1)
    parser.add_argument("--graphs", type=int, default=50)
    parser.add_argument("--device", default="vulkan")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--without", action="append", default=[], help="an element type to leave out")
    arguments = parser.parse_args()

    print(f"seed {arguments.seed}: {arguments.programs} programs of {arguments.graphs} graphs", flush=True)
    failures = 0
    for number in range(arguments.programs):
        seed = arguments.seed + number
        graphs = [Graph(f"g{i}", random.Random(f"{seed}.{i}"), arguments.without).grow() for i in range(arguments.graphs)]
        folder = pathlib.Path(arguments.keep or tempfile.mkdtemp(prefix="agt-property-")) / str(seed)
        folder.mkdir(parents=True, exist_ok=True)
        source, program = folder / "graphs.agt", folder / "graphs"
        source.write_text("\n".join(g.text() for g in graphs))
        done = run(["agtc", str(source), "-o", str(program)])
        if done.returncode != 0:
            print(f"seed {seed}: agtc failed ({done.returncode}) on {source}\n{done.stderr}")
            failures += 1
            continue
        for graph in graphs:
            if wrong := check(graph, source, program, folder, arguments.device):
                failures += 1
                print(f"seed {seed}, graph {graph.name}: {wrong}\n{graph.text()}", flush=True)
            else:
                for path in folder.glob(f"{graph.name}.*.npy"):
                    path.unlink()
    total = arguments.programs * arguments.graphs
    print(f"{total} cases, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
