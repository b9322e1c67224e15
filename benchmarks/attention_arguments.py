#!/usr/bin/env python3
"""What the arguments of attention cost, as ratios taken in one run.

usage: attention_arguments.py BUILD [--rounds N] [--device D] [--queries N] [--json]

Compiles one program with the same attention (8 query heads on 2 kv heads,
head_dim 128, f32) under each argument, and a decode step of one query over
32,768 keys in f16. In every round each is run once and divided by plain
attention of the same shapes in that round; medians of the ratios and their
spread are printed. Times are those that --stats reports: device work alone.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np

QKV = "q: tensor<f32, [8, S, 128]>, k: tensor<f32, [2, S, 128]>, v: tensor<f32, [2, S, 128]>"
RESULT = "-> (o: tensor<f32, [8, S, 128]>)"
# name: further parameters, arguments
GRAPHS = {
    "plain": ("", ""),
    "causal": ("", "mask = causal"),
    "window_256": ("", "mask = window(left = 127, right = 128)"),
    "window_causal_256": ("", "mask = window(left = 255) & causal"),
    "bias": (", b: tensor<f32, [S, S]>", "bias = b"),
    "mask": (", m: tensor<bool, [S, S]>", "mask = m"),
    "softcap": ("", "softcap = 30.0"),
    "alibi": (", s: tensor<f32, [8]>", "alibi = s"),
    "segments": (", seg: tensor<i32, [S]>", "q_seg = seg, kv_seg = seg"),
}
DECODE = """graph decode(q: tensor<f16, [8, N, 128]>, k: tensor<f16, [2, T, 128]>, v: tensor<f16, [2, T, 128]>)
    -> (o: tensor<f16, [8, N, 128]>)
{
  return attention(q, k, v);
}
"""


def program_text() -> str:
    graphs = [f"graph {name}({QKV}{params})\n    {RESULT}\n{{\n  return attention(q, k, v{', ' + args if args else ''});\n}}\n"
              for name, (params, args) in GRAPHS.items()]
    return "\n".join(graphs) + DECODE


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--device", default="vulkan")
    parser.add_argument("--queries", type=int, default=4096, help="tokens of q, k and v (4096)")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    tokens = arguments.queries
    numbers = np.random.default_rng(1)

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "a.agt").write_text(program_text())
        subprocess.run([arguments.build / "bin" / "agtc", folder / "a.agt", "-o", folder / "a"], check=True)
        arrays = {"q": numbers.uniform(-1, 1, (8, tokens, 128)).astype(np.float32),
                  "k": numbers.uniform(-1, 1, (2, tokens, 128)).astype(np.float32),
                  "v": numbers.uniform(-1, 1, (2, tokens, 128)).astype(np.float32),
                  "b": numbers.uniform(-1, 1, (tokens, tokens)).astype(np.float32),
                  "m": numbers.random((tokens, tokens)) < 0.5,
                  "s": np.full(8, 0.01, np.float32),
                  "seg": np.repeat(np.arange(8), -(-tokens // 8))[:tokens].astype(np.int32),
                  "dq": numbers.uniform(-1, 1, (8, 1, 128)).astype(np.float16),
                  "dk": numbers.uniform(-1, 1, (2, 32768, 128)).astype(np.float16),
                  "dv": numbers.uniform(-1, 1, (2, 32768, 128)).astype(np.float16)}
        for array, data in arrays.items():
            np.save(folder / f"{array}.npy", data)

        def run(graph: str, inputs: dict[str, str]) -> dict:
            done = subprocess.run([folder / "a", "run", graph, "--device", arguments.device, "--stats=json",
                                   *(f"--in={x}={folder}/{array}.npy" for x, array in inputs.items()),
                                   f"--out=o={folder}/o.npy"], check=True, capture_output=True, text=True)
            return json.loads(done.stdout)

        extra = {"bias": "b", "mask": "m", "alibi": "s", "segments": "seg"}
        ratios, rates = {name: [] for name in GRAPHS}, []
        for _ in range(arguments.rounds):
            times = {}
            for graph in GRAPHS:
                inputs = {x: x for x in ("q", "k", "v", *([extra[graph]] if graph in extra else []))}
                times[graph] = run(graph, inputs)["time_s"]
            for graph in GRAPHS:
                ratios[graph].append(times[graph] / times["plain"])
            decode = run("decode", {"q": "dq", "k": "dk", "v": "dv"})
            rates.append(decode["flops"] / decode["time_s"] / 1e9)
    result = {"tokens": tokens, "device": arguments.device,
              "time_over_plain": {name: {"median": statistics.median(r), "least": min(r), "most": max(r)}
                                  for name, r in ratios.items()},
              "decode_gflops": {"median": statistics.median(rates), "least": min(rates), "most": max(rates)}}
    if arguments.json:
        print(json.dumps(result, indent=1))
        return 0
    print(f"time over plain attention, {tokens} tokens, {arguments.device}")
    for graph, r in result["time_over_plain"].items():
        print(f"  {graph:18} {r['median']:7.3f}   ({r['least']:.3f} to {r['most']:.3f})")
    r = result["decode_gflops"]
    print(f"one query over 32768 keys: {r['median']:.2f} GFLOP/s ({r['least']:.2f} to {r['most']:.2f})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
