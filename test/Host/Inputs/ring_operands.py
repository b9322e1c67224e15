#!/usr/bin/env python3
"""What an attention is told besides queries, keys and values, round a ring.

usage: ring_operands.py SOURCE PLACES BALANCE [heads]

With `heads` a second axis of two shares the heads: rings beside each other. Each graph of SOURCE is run on a mesh of PLACES positions, on one device and by
the oracle, over as many tokens as it has positions, fewer, more, one and none.
Both results are within the oracle's bound. What moves besides keys and values
is what the schedule promises, to the byte, and no position holds more than two
shards of these.
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
rings = 1
if sys.argv[4:] == ["heads"]:
    rings = 2
    for old, new in (("cp = W;", "cp = W, tp = 2;"), ("[4, S, 8]", "[H, S, 8]"), ("[2, S, 8]", "[G, S, 8]"),
                     ("[2, (S + 3", "[G, (S + 3"), ("    on m\n", "    where G = 2, H = 2 * G\n    on m\n"),
                     ("shard q,", "shard q by H over tp;\n  shard k, v by G over tp;\n  shard q,"),
                     ("shard x", "shard x by G over tp;\n  shard x")):
        assert old in text, old
        text = text.replace(old, new)


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit(f"{command}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def compile_(name, lines):
    file = folder / f"{name}.agt"
    file.write_text("\n".join(lines))
    run("agtc", "--target=cpu", "--define", f"W={places}", file, "-o", folder / name)
    return folder / name, file


mesh, mesh_source = compile_("mesh", text.splitlines())
# The same graphs without their mesh.
one, _ = compile_("one", [line for line in text.splitlines()
                          if not line.strip().startswith(("on m", "shard ", "mesh "))])


def extents(tokens):
    pieces = 2 * places if balance == "zigzag" else places
    sizes = [tokens // pieces + (i < tokens % pieces) for i in range(pieces)]
    return [sizes[r] + sizes[pieces - 1 - r] for r in range(places)] if balance == "zigzag" else sizes


def inputs(graph, tokens, rng):
    uniform = lambda *shape: rng.uniform(-1, 1, shape).astype(np.float32)
    made = {"q": uniform(4, tokens, 8), "k": uniform(2, tokens, 8), "v": uniform(2, tokens, 8)}
    if graph == "pairs":
        made |= {"m": rng.random((2, tokens, tokens)) < 0.7, "b": uniform(4, tokens, tokens).astype(np.float16)}
        made["m"] = np.repeat(made["m"], 2, axis=0)
    if graph in ("columns", "computed"):
        made |= {"m": rng.random(tokens) < 0.7, "b": uniform(4, 1, tokens), "s": uniform(4)}
    if graph == "eight":
        blocks = -(-tokens // 3)
        made["k"], made["v"] = (rng.integers(-127, 128, (2, tokens, 8)).astype(np.int8) for _ in range(2))
        made |= {name: rng.uniform(0.5, 1, (2, blocks)).astype(np.float32) / 127 for name in ("ks", "vs")}
        made["n"] = np.array([max(tokens - 2, 0)], np.int32)
    if graph == "packed":
        cut = np.sort(rng.integers(0, tokens + 1, (2, 2)))
        made |= {name: np.array([0, *at, tokens], np.int32) for name, at in zip(("qc", "kc"), cut)}
        made["s"] = uniform(4) * 0.1
    if graph == "self":
        made = {"x": uniform(2, tokens, 8), "s": np.sort(rng.integers(0, 3, tokens)).astype(np.int32),
                "p": rng.integers(0, tokens + 1, tokens).astype(np.int32)}
    return made


def auxiliary(graph, tokens):
    """Bytes a token of what goes round with keys and values, in all rings."""
    return {"computed": 16, "packed": 8 * rings, "self": 8 * rings}.get(graph, 0)


for graph in ("pairs", "columns", "computed", "eight", "packed", "self"):
    for tokens in sorted({0, 1, places - 1, 2 * places + 1, 150}):
        rng = np.random.default_rng(tokens)
        given = []
        for name, data in inputs(graph, tokens, rng).items():
            np.save(folder / f"{name}.npy", data)
            given += ["--in", f"{name}={folder}/{name}.npy"]
        stats = json.loads(run(mesh, "run", graph, "--device", "cpu", *given, "--out", folder / "got.npy",
                               "--stats=json", "--policy", "pass-kv"))
        run(one, "run", graph, "--device", "cpu", *given, "--out", folder / "one.npy")
        run("agtc", "run", "--reference", mesh_source, graph, *given,
            "--f64", folder / "want.npy", "--bounds", folder / "bound.npy")
        got, single, want, bound = (np.load(folder / f"{n}.npy") for n in ("got", "one", "want", "bound"))
        assert got.shape == want.shape, (got.shape, want.shape)
        for result in (got, single):
            off = np.abs(result - want)
            assert (off <= bound).all(), f"{graph}, {tokens} tokens: off by {off.max()}"
        own = extents(tokens)
        token = {"eight": 2 * 2 * 8, "self": 2 * 8 * 4}.get(graph, 2 * 2 * 8 * 4)
        if min(own) > 0 and graph in ("computed", "self"):  # every step sees something
            others = sum(sum(own) - mine for mine in own)
            assert stats["bytes_moved"] == token * others, (graph, tokens, stats)
            assert stats["bytes_aux"] == auxiliary(graph, tokens) * others, (graph, tokens, stats)
        if not auxiliary(graph, tokens):
            assert stats["bytes_aux"] == 0, (graph, tokens, stats)
        if places > 1 and tokens:
            # The queries of `self` are a shard of its keys, and stay.
            shards = 3 if graph == "self" else 2
            assert max(stats["kv_peak_memory"]) <= shards * token * max(own) // rings, (graph, tokens, stats)
print(f"{places} places, {balance}: ok")
