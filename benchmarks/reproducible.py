#!/usr/bin/env python3
"""What --reproducible costs, as ratios taken in one run.

usage: reproducible.py BUILD [--rounds N] [--device D] [--json]

Attention of 8 query heads on 2 kv heads, head_dim 128, f32: a prompt, some rows and one
row over a long cache; and a product by a matrix of weights. Each by a program compiled
with --reproducible and by one without. In every round both are run in turn and the time
of the first is divided by the second's; medians of the ratios and their spread are
printed. Times are those that --stats reports: device work alone, the median of 5.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np

SOURCE = """
graph attend(q: tensor<f32, [8, S, 128]>, k: tensor<f32, [2, T, 128]>, v: tensor<f32, [2, T, 128]>)
    -> (o: tensor<f32, [8, S, 128]>)
{
  return attention(q, k, v, mask = causal);
}
graph product(x: tensor<f32, [S, 1024]>, w: tensor<f32, [1024, 1024]>) -> (o: tensor<f32, [S, 1024]>)
{
  return linear(x, w);
}
"""
# Of attention queries and keys, of a product rows.
CASES = {"2048 rows, 2048 keys": ("attend", 2048, 2048), "16 rows, 8192 keys": ("attend", 16, 8192),
         "1 row, 8192 keys": ("attend", 1, 8192), "product of 512 rows": ("product", 512, 0),
         "product of 1 row": ("product", 1, 0)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    numbers = np.random.default_rng(1)
    results = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "a.agt").write_text(SOURCE)
        for program, options in (("same", ["--reproducible"]), ("free", [])):
            subprocess.run([arguments.build / "bin" / "agtc", folder / "a.agt", *options, "-o", folder / program],
                           check=True)
        for case, (graph, rows, keys) in CASES.items():
            shapes = ({"q": (8, rows, 128), "k": (2, keys, 128), "v": (2, keys, 128)} if graph == "attend" else
                      {"x": (rows, 1024), "w": (1024, 1024)})
            for array, shape in shapes.items():
                np.save(folder / f"{array}.npy", numbers.uniform(-1, 1, shape).astype(np.float32))

            def seconds(program: str) -> float:
                done = subprocess.run([folder / program, "run", graph, "--device", arguments.device, "--repeat=5",
                                       "--stats=json", *(f"--in={x}={folder}/{x}.npy" for x in shapes),
                                       f"--out=o={folder}/o.npy"], check=True, capture_output=True, text=True)
                return json.loads(done.stdout)["time_s"]

            ratios = [seconds("same") / seconds("free") for _ in range(arguments.rounds)]
            results[case] = {"median": statistics.median(ratios), "least": min(ratios), "most": max(ratios)}
    if arguments.json:
        print(json.dumps({"device": arguments.device, "time_over_free": results}, indent=1))
        return 0
    print(f"time with --reproducible over time without, {arguments.device}")
    for case, r in results.items():
        print(f"  {case:24} {r['median']:6.3f}   ({r['least']:.3f} to {r['most']:.3f})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
