#!/usr/bin/env python3
"""What a ring costs and hides, as ratios taken in one run.

usage: ring.py BUILD [--rounds N] [--tokens N] [--places N] [--json]

One program with the same attention (8 query heads on 2 kv heads, head_dim 64,
f32) on one device and on rings that share it, without a mask, and causal in each
balance. In every round each is run once and divided by one device of that round;
medians and spread are printed. Then the ring is run with links slowed down so far
that the planner says transfers take half of the compute, and the part of their
time that is under compute is read from the measured timeline.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np

HEADS, KV_HEADS, DIM = 8, 2, 64


def graph(name: str, mesh: str, shard: str, mask: str) -> str:
    shape = lambda heads: f"tensor<f32, [{heads}, S, {DIM}]>"
    return (f"graph {name}(q: {shape(HEADS)}, k: {shape(KV_HEADS)}, v: {shape(KV_HEADS)}) -> {shape(HEADS)} {mesh}\n"
            f"{{\n  {shard}\n  return attention(q, k, v{mask});\n}}\n")


def program(places: int) -> str:
    text = f"mesh ring {{ axes: cp = {places}; }}\n"
    text += graph("one", "", "", "") + graph("one_causal", "", "", ", mask = causal")
    for balance in ("contiguous", "zigzag", "striped"):
        shard = f"shard q, k, v by S over cp balance {balance};"
        text += graph(f"causal_{balance}", "on ring", shard, ", mask = causal")
        if balance == "contiguous":
            text += graph("full", "on ring", shard, "")
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=8192)
    parser.add_argument("--places", type=int, default=4)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    tokens, places = arguments.tokens, arguments.places
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "a.agt").write_text(program(places))
        subprocess.run([arguments.build / "bin" / "agtc", "--target=cpu", folder / "a.agt", "-o", folder / "a"],
                       check=True)
        numbers = np.random.default_rng(1)
        for array, heads in (("q", HEADS), ("k", KV_HEADS), ("v", KV_HEADS)):
            np.save(folder / f"{array}.npy", numbers.uniform(-1, 1, (heads, tokens, DIM)).astype(np.float32))

        def run(which: str, *more: str) -> dict:
            done = subprocess.run([folder / "a", "run", which, "--device", "cpu", "--stats=json", *more,
                                   *(f"--in={x}={folder}/{x}.npy" for x in "qkv"), f"--out={folder}/o.npy"],
                                  check=True, capture_output=True, text=True)
            return json.loads(done.stdout)

        rings = {"full": "one", **{f"causal_{b}": "one_causal" for b in ("contiguous", "zigzag", "striped")}}
        ratios = {ring: [] for ring in rings}
        for _ in range(arguments.rounds):
            times = {which: run(which)["time_s"] for which in ("one", "one_causal", *rings)}
            for ring, alone in rings.items():
                ratios[ring].append(times[ring] / times[alone])
        plain = run("full")
        # All links together carry bytes_moved in places * (places - 1) transfers, one after the other at each
        # link: half the compute is the time for (places - 1) of them.
        rate = plain["bytes_moved"] / places / (plain["time_s"] / 2)
        hidden = []
        for _ in range(arguments.rounds):
            slowed = run("full", f"--link-rate=cp={rate / 1e6:.3f}MB/s")
            hidden.append(slowed["transfer_hidden_s"] / slowed["transfer_time_s"])
    spread = lambda values: {"median": statistics.median(values), "least": min(values), "most": max(values)}
    result = {"tokens": tokens, "places": places, "time_over_one_device": {r: spread(v) for r, v in ratios.items()},
              "link_bytes_per_s": rate, "transfer_time_hidden": spread(hidden),
              "bytes_moved": plain["bytes_moved"], "kv_peak_memory": max(plain["kv_peak_memory"])}
    if arguments.json:
        print(json.dumps(result, indent=1))
        return 0
    print(f"{places} positions that share the CPU, {tokens} tokens, time over one position doing all")
    for ring, r in result["time_over_one_device"].items():
        print(f"  {ring:18} {r['median']:6.3f}   ({r['least']:.3f} to {r['most']:.3f})")
    r = result["transfer_time_hidden"]
    print(f"links of {rate / 1e6:.1f} MB/s: {100 * r['median']:.1f} % of transfer time under compute "
          f"({100 * r['least']:.1f} to {100 * r['most']:.1f})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
