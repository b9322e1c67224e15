#!/usr/bin/env python3
"""Attentions on a ring whose way is chosen or forced, beside the oracle.

usage: policy.py SOURCE PLACES BALANCE QUERIES,KEYS...

SOURCE has graphs on a mesh of W places, with the balance contiguous. Each runs
as it likes and either way. Every result is within the oracle's bound; the way
is the one that was forced, or whose bytes are fewer; what moves is what was
compared, to the byte.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

source, places, balance = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
folder = pathlib.Path(tempfile.mkdtemp())
program, file = folder / "policy", folder / "policy.agt"
file.write_text(source.read_text().replace("balance contiguous", f"balance {balance}"))
GRAPHS = {"few": "qkv", "stays": "qkv", "told": ["q", "k", "v", "m", "b", "s", "a", "qs", "ks"], "layers": "qkvw"}
RESULTS = {"told": ["o", "lse"]}


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def save(queries, keys):
    rng = np.random.default_rng(1000 * queries + keys)
    near = lambda *shape: rng.uniform(-1, 1, shape).astype(np.float32)
    segments = lambda n: np.sort(rng.integers(0, 3, n)).astype(np.int32)
    arrays = {"q": near(4, queries, 16), "k": near(2, keys, 16), "v": near(2, keys, 16),
              "m": rng.random((queries, keys)) < 0.8, "b": near(4, 1, keys), "s": near(4), "a": abs(near(4)) / 10,
              "qs": segments(queries), "ks": segments(keys), "w": near(16, 16) / 4}
    for name, data in arrays.items():
        np.save(folder / f"{name}.npy", data)


def outputs(graph, kind):
    return [f"{name}={folder / kind}.{name}.npy" for name in RESULTS.get(graph, ["o"])]


def options(option, values):
    return [word for value in values for word in (option, value)]


run("agtc", "--target=cpu", "--cpu=native", "--define", f"W={places}", file, "-o", program)
for queries, keys in (map(int, words.split(",")) for words in sys.argv[4:]):
    save(queries, keys)
    for graph, inputs in GRAPHS.items():
        given = options("--in", [f"{name}={folder}/{name}.npy" for name in inputs])
        run("agtc", "run", "--reference", file, graph, *given, *options("--f64", outputs(graph, "want")),
            *options("--bounds", outputs(graph, "bound")))
        compared = None
        for forced in (None, "pass-kv", "pass-q"):
            stats = json.loads(run(program, "run", graph, "--device", "cpu", *given, "--stats=json",
                                   *options("--out", outputs(graph, "got")), *(["--policy", forced] * bool(forced))))
            where = f"{graph}, {places} places, {balance}, {queries} queries, {keys} keys, {forced}"
            for name in RESULTS.get(graph, ["o"]):
                got, want, bound = (np.load(folder / f"{kind}.{name}.npy") for kind in ("got", "want", "bound"))
                assert got.shape == want.shape, where
                close = (np.abs(got - want) <= bound) | (got == want) | (np.isnan(got) & np.isnan(want))
                assert close.all(), f"{where}, {name}: {np.abs(got - want).max()}"
            compared = compared or stats.get("policy_bytes")
            least = "pass-kv" if places == 1 else min(compared, key=compared.get)
            assert stats["policy"] == (forced or least), (where, stats["policy"], compared)
            moved = stats["bytes_moved"] + stats["bytes_aux"]
            assert moved == (compared[stats["policy"]] if compared else 0), (where, moved, compared)
            # Few queries of many keys go to these, and many stay.
            if places > 1 and graph in ("few", "layers") and not forced:
                assert stats["policy"] == "pass-q" or keys < 20 * max(queries, 1) or keys < 100, (where, compared)
                assert stats["policy"] == "pass-kv" or queries < keys or queries < 3 * places, (where, compared)
    print(f"{places} places, {balance}, {queries} queries of {keys} keys: ok")
