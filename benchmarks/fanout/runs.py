#!/usr/bin/env python3
"""What branches over one context cost together and one by one, in one run.

usage: runs.py BUILD [--rounds N] [--new N] [--svg FILE] [--json]

A decoder with seeded weights (4 layers of 512, 8 query and 8 kv heads, 42 MB) reads
a context, and branches of a fork each write N tokens behind it, on the CPU target.
The same agent is run with all branches at a time (`width` as many as there are) and
one by one; each time is that from the context's event in the step log to the last
branch's, and the texts are compared. Printed is, for lengths of the context and
numbers of branches, one by one over together: the median of the rounds, the least
and the largest. --svg draws it.
"""

import argparse
import json
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile
from datetime import datetime

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples/models/tiny"))
import make_model  # noqa: E402

CONTEXT = 4096
make_model.HIDDEN, make_model.FFN, make_model.LAYERS = 512, 1024, 4
make_model.HEADS, make_model.KV_HEADS, make_model.CONTEXT = 8, 8, 4
LENGTHS, BRANCHES = (64, 1024, 3500), (1, 2, 4, 8)


def program() -> str:
    text = (pathlib.Path(make_model.__file__).parent / "tiny.agt").read_text()
    text = text.replace("layers: 2; hidden: 32; heads: 4; kv_heads: 2; head_dim: 8; ffn: 48;",
                        "layers: 4; hidden: 512; heads: 8; kv_heads: 8; head_dim: 64; ffn: 1024;")
    text = text.replace("context: 64", f"context: {CONTEXT}")
    return text + """
agent fan(length: int, branches: int, tokens: int, w: int) -> list<string> {
  budget: steps 100, wall 30m;
  let ctx = prefix(babble, join_text(["a" for i in range(length)], ""));
  let said = fork i in range(branches) max 64 key i width w {
    yield ask babble with ctx { user: "b"; tokens: tokens; temperature: 1.0; seed: i; };
  };
  return said;
}
"""


def write_model(folder: pathlib.Path) -> None:
    with open(folder / "tiny.bin", "wb") as file:
        file.write(struct.pack("<7i", make_model.HIDDEN, make_model.FFN, make_model.LAYERS,
                               make_model.HEADS, make_model.KV_HEADS, make_model.VOCABULARY,
                               make_model.CONTEXT))
        for array in make_model.weights(1, True):
            file.write(array.tobytes())
    (folder / "tiny.tok").write_bytes(make_model.tokenizer())


def picture(table: dict) -> str:
    """Branches to the right, the ratio upwards, a line for each length."""
    width, height, top = 420, 300, max(9, max(r for row in table.values() for r in row.values()))
    x = lambda n: 50 + (n - 1) * (width - 160) / (max(BRANCHES) - 1)
    y = lambda r: height - 40 - r * (height - 70) / top
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
             'font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="white"/>',
             '<text x="50" y="18">one by one over together: time of a fan-out</text>']
    for tick in range(0, int(top) + 1, 2):
        parts.append(f'<line x1="50" x2="{x(max(BRANCHES))}" y1="{y(tick)}" y2="{y(tick)}" stroke="#ddd"/>'
                     f'<text x="40" y="{y(tick) + 4}" text-anchor="end">{tick}</text>')
    for n in BRANCHES:
        parts.append(f'<text x="{x(n)}" y="{height - 22}" text-anchor="middle">{n}</text>')
    parts.append(f'<text x="{x(max(BRANCHES)) / 2 + 25}" y="{height - 5}" text-anchor="middle">branches</text>')
    for length, colour in zip(LENGTHS, ("#1f77b4", "#d95f02", "#1b9e77")):
        points = " ".join(f"{x(n):.1f},{y(table[length][n]):.1f}" for n in BRANCHES)
        last = max(BRANCHES)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
                     f'<text x="{x(last) + 6}" y="{y(table[length][last]) + 4}" fill="{colour}">'
                     f'{length} tokens</text>')
    return "\n".join(parts + ["</svg>"]) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--new", type=int, default=16)
    parser.add_argument("--svg", type=pathlib.Path)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_model(folder)
        (folder / "fan.agt").write_text(program())
        exe = folder / "fan"
        subprocess.run([arguments.build / "bin/agtc", "--target=cpu", folder / "fan.agt", "-o", exe], check=True)
        count = 0

        def run(length: int, branches: int, width: int) -> tuple:
            nonlocal count
            count += 1
            run, db = f"r{count}", f"sqlite:{folder}/log.db"
            given = [f"--arg={k}={v}" for k, v in
                     {"length": length, "branches": branches, "tokens": arguments.new, "w": width}.items()]
            done = subprocess.run([exe, "start", "fan", "--run", run, *given, "--db", db],
                                  check=True, capture_output=True, text=True)
            log = subprocess.run([exe, "log", run, "--json", "--db", db],
                                 check=True, capture_output=True, text=True)
            events = [json.loads(line) for line in log.stdout.splitlines()]
            when = lambda event: datetime.fromisoformat(event["time"].replace("Z", "+00:00")).timestamp()
            read = next(when(e) for e in events if e.get("path") == "ctx" and e["kind"] == "result")
            said = max(when(e) for e in events if e.get("path", "").startswith("said[") and e["kind"] == "result")
            return said - read, done.stdout

        ratios = {length: {n: [] for n in BRANCHES} for length in LENGTHS}
        for _ in range(arguments.rounds):
            for length in LENGTHS:
                for n in BRANCHES:
                    together, texts = run(length, n, n)
                    alone, same = run(length, n, 1)
                    if texts != same:
                        sys.exit(f"{n} branches over {length} tokens wrote something else together")
                    ratios[length][n].append(alone / max(together, 1e-3))
        median = {length: {n: statistics.median(all_) for n, all_ in row.items()} for length, row in ratios.items()}
    if arguments.svg:
        arguments.svg.write_text(picture(median))
    if arguments.json:
        print(json.dumps(ratios))
        return 0
    print(f"{arguments.new} new tokens a branch; one by one over together, median (least to largest)")
    print("context  " + "".join(f"{n:>4} branches       " for n in BRANCHES))
    for length in LENGTHS:
        print(f"{length:7}  " + "".join(
            f"{median[length][n]:6.2f} ({min(ratios[length][n]):.2f} to {max(ratios[length][n]):.2f}) " for n in BRANCHES))
    return 0


if __name__ == "__main__":
    sys.exit(main())
