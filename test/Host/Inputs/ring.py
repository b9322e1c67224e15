#!/usr/bin/env python3
"""Attention over a ring beside the oracle, and what the run says of itself.

usage: ring.py SOURCE PLACES BALANCE TOKENS...

SOURCE has graphs `full` and `causal` of q, k, v on a mesh of W places; BALANCE
stands in it for the balance. Every result is within the oracle's bound. With every key
visible the traffic is the sum of all shards but one at every place, to the
byte; no place ever has more than two shards of keys and values.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

source, places, balance = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
folder = pathlib.Path(tempfile.mkdtemp())
text = source.read_text().replace("BALANCE", balance)
program, file = folder / "ring", folder / "ring.agt"
file.write_text(text)


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit(f"{command}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def extents(tokens):
    pieces = 2 * places if balance == "zigzag" else places
    sizes = [tokens // pieces + (i < tokens % pieces) for i in range(pieces)]
    return [sizes[r] + sizes[pieces - 1 - r] for r in range(places)] if balance == "zigzag" else sizes


run("agtc", "--target=cpu", "--define", f"W={places}", file, "-o", program)
for tokens in map(int, sys.argv[4:]):
    rng = np.random.default_rng(tokens)
    given = []
    for name, heads in (("q", 4), ("k", 2), ("v", 2)):
        np.save(folder / f"{name}.npy", rng.uniform(-1, 1, (heads, tokens, 16)).astype(np.float32))
        given += ["--in", f"{name}={folder}/{name}.npy"]
    for graph in ("full", "causal"):
        stats = json.loads(run(program, "run", graph, "--device", "cpu", *given, "--out", folder / "got.npy",
                               "--stats=json"))
        run("agtc", "run", "--reference", file, graph, *given,
            "--f64", folder / "want.npy", "--bounds", folder / "bound.npy")
        got, want, bound = (np.load(folder / f"{n}.npy") for n in ("got", "want", "bound"))
        assert got.shape == want.shape, (got.shape, want.shape)
        assert (np.abs(got - want) <= bound).all(), f"{graph}, {tokens} tokens: {np.abs(got - want).max()}"
        own = extents(tokens)
        shard = [2 * 2 * 16 * 4 * n for n in own]  # keys and values, f32
        assert stats["positions"] == places
        if graph == "full" and min(own) > 0:  # nothing is sent to places without queries
            assert stats["bytes_moved"] == sum(sum(shard) - mine for mine in shard), stats
        assert stats["hops"] + stats["hops_skipped"] == places * places, stats
        assert stats["bytes_aux"] == 0, stats
        if places > 1 and tokens:
            most = 2 * max(shard)
            assert max(stats["kv_peak_memory"]) <= most, (stats["kv_peak_memory"], most)
    print(f"{places} places, {balance}, {tokens} tokens: ok")
