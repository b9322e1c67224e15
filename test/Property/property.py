#!/usr/bin/env python3
"""Random graphs, run by the compiled program and by the float64 oracle.

usage: property.py [--seed N] [--programs N] [--graphs N] [--device D] [--keep DIR]
                   [--without TYPE]

Each program holds --graphs graphs. Every result must be within the bound that
the oracle gives for it (docs/Oracle.md); where that is infinite anything is right,
and nearly nowhere may it be. A failing case is kept as an .agt file with its .npy files
and the commands that show it.
"""

import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import zlib

import numpy as np

from graphs import Graph


def run(command: list[str]) -> subprocess.CompletedProcess:
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


class Compared:
    """Elements that were looked at, and those of them for which the oracle has a bound: where
    it has none (what follows a tie that a device may round either way) anything is taken."""

    elements = bounded = results = 0

    @classmethod
    def closes(cls) -> str | None:
        """What is wrong with a whole run, or None: one in which nearly all is taken shows nothing."""
        share = cls.bounded / cls.elements if cls.elements else 1
        print(f"{cls.elements} elements, {100 * share:.1f} % with a bound")
        # Of few results one may have most elements, and no bound.
        if share >= LEAST_BOUNDED or cls.results < 20:
            return None
        return f"expected a bound for {LEAST_BOUNDED:.0%} of the elements"


LEAST_BOUNDED = 0.5


def differs(got: np.ndarray, want: np.ndarray, bound: np.ndarray) -> str | None:
    """What is wrong with a result, or None."""
    if got.shape != want.shape:
        return f"expected shape {want.shape}, got {got.shape}"
    Compared.results += 1
    Compared.elements += bound.size
    Compared.bounded += int((bound != np.inf).sum())
    wrong = (got != want) & (bound != np.inf)
    if wrong.any():
        numbers, wanted = got.astype(np.float64), want.astype(np.float64)
        with np.errstate(invalid="ignore"):
            close = np.abs(numbers - wanted) <= bound
        # Integers too large for a float64 may look closer than they are.
        wrong &= ~((close & (bound > 0)) | (np.isnan(numbers) & np.isnan(wanted)))
    if not wrong.any():
        return None
    index = tuple(int(i[0]) for i in np.nonzero(wrong)) if wrong.ndim else ()
    allowed = f" +- {bound[index]:.3g}" if got.dtype.kind == "f" else ""
    return (f"{int(wrong.sum())} of {wrong.size} elements are wrong, first at {index}: "
            f"expected {want[index]}{allowed}, got {got[index]}")


def compare(name: str, inputs: dict[str, np.ndarray], results: dict, source: pathlib.Path,
            program: pathlib.Path, folder: pathlib.Path, device: str, more: tuple = ()) -> str | None:
    """Runs graph `name` both ways; what is wrong, or None. `results` says of each result by
    name how its array is read as numbers, `more` is for the program's command line."""
    given = []
    for input_, data in inputs.items():
        path = folder / f"{name}.{input_}.npy"
        np.save(path, data)
        given += ["--in", f"{input_}={path}"]
    path = lambda kind, result: folder / f"{name}.{kind}.{result}.npy"
    outputs = lambda kind, option: [word for result in results
                                    for word in (option, f"{result}={path(kind, result)}")]
    ours = [str(program), "run", name, "--device", device, *more, *given, *outputs("got", "--out")]
    oracle = ["agtc", "run", "--reference", str(source), name, *given,
              *outputs("want", "--f64"), *outputs("bound", "--bounds")]
    for command in (ours, oracle):
        done = run(command)
        if done.returncode != 0:
            return f"exit {done.returncode}: {' '.join(command)}\n{done.stderr}"
    for result, read in results.items():
        got, want, bound = (np.load(path(kind, result)) for kind in ("got", "want", "bound"))
        if wrong := differs(read(got), want, bound):
            return f"{path('got', result).name}: {wrong}\n{' '.join(ours)}\n{' '.join(oracle)}"
    return None


def invalid_spirv(source: pathlib.Path, folder: pathlib.Path) -> str | None:
    """What spirv-val says of the kernels of a program, for all devices and not this one alone.
    Debian's is older than cooperative matrices and does not know their capability."""
    done = run(["agtc", str(source), "--emit=spirv", "-o", str(folder / "spirv")])
    if done.returncode != 0:
        return f"--emit=spirv: exit {done.returncode}\n{done.stderr}"
    modules = sorted((folder / "spirv").glob("*.spv"))
    assert modules
    for module in modules:
        if module.name.endswith(".gpu-matrix.spv"):
            continue
        done = run(["spirv-val", "--target-env", "vulkan1.3", str(module)])
        if done.returncode != 0:
            return f"{module}: {done.stdout}{done.stderr}"
    shutil.rmtree(folder / "spirv")
    return None


def default_seed() -> int:
    """From AGT_SEED where it is set, a stream for each set of options and of variables that
    choose a device, so that runs that differ in them draw different cases; else by chance."""
    if not (start := os.environ.get("AGT_SEED")):
        return random.SystemRandom().getrandbits(32)
    chosen = [os.environ.get(name) for name in ("LP_NATIVE_VECTOR_WIDTH", "AGT_VULKAN_AS_GPU", "AGT_CPU_ISA")]
    return zlib.crc32(repr((start, chosen, sys.argv[1:])).encode())


def options(text: str, without: str) -> argparse.ArgumentParser:
    """What every program of random cases takes."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=default_seed())
    parser.add_argument("--programs", type=int, default=1)
    parser.add_argument("--graphs", type=int, default=50)
    parser.add_argument("--device", default="vulkan")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--without", action="append", default=[], help=without)
    return parser


def main() -> int:
    arguments = options(__doc__, "an element type to leave out").parse_args()

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
        if number == 0 and arguments.device == "vulkan" and (wrong := invalid_spirv(source, folder)):
            print(f"seed {seed}: {wrong}")
            failures += 1
        for graph in graphs:
            results = {f"r{i}": np.asarray for i in range(len(graph.results))}
            if wrong := compare(graph.name, graph.inputs, results, source, program, folder, arguments.device):
                failures += 1
                print(f"seed {seed}, graph {graph.name}: {wrong}\n{graph.text()}", flush=True)
            else:
                for path in folder.glob(f"{graph.name}.*.npy"):
                    path.unlink()
    total = arguments.programs * arguments.graphs
    print(f"{total} cases, {failures} failed")
    if wrong := Compared.closes():
        print(wrong)
        failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
