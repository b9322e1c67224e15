#!/usr/bin/env python3
"""One step of a fan-out over separate launches of the same branches, in one run.

usage: steps.py BUILD [--rounds N] [--prefixes P,...] [--branches N,...] [--new T,...]
                      [--results FOLDER]

A decoder with seeded weights (2 layers of 512, 8 query and 8 kv heads of 64, 22 MB, 8
KiB of keys and values a token) reads a prefix, and N branches read T tokens each behind
it, on the CPU target: once through an llm that stacks whoever is ready, and once through
one that is asked for one branch at a time. Times are those of the launches as the runs'
own trace has them, of separate ones the sum; both say the same behind every branch, or
the run fails. A prefix of 0 is the one token that texts begin with.

Printed are the separate time over that of the step, with the least and the largest of
the rounds, and beside it as target 0.8 of what this machine allows: of either, the
longer of its bytes (weights once a launch, keys and values as the trace counts them) at
the rate of reading and its operations at that of multiply-adds, both measured in the
same run (`machine_rates`). Then, the keys and values that either reads. --results writes
all of it with the machine and the date, as text, as JSON and as a plot.
"""

import argparse
import datetime
import json
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "examples/models/tiny"), str(ROOT / "benchmarks/compare")]
import make_model  # noqa: E402
import report  # noqa: E402

LAYERS, HIDDEN, FFN, HEADS, HEAD_DIM = 2, 512, 1024, 8, 64
MOST_ROWS = 256  # of a launch
WAIT_MS = 500
make_model.HIDDEN, make_model.FFN, make_model.LAYERS = HIDDEN, FFN, LAYERS
make_model.HEADS, make_model.KV_HEADS, make_model.CONTEXT = HEADS, HEADS, 4

AGENT = """
llm stacked = graph decode { tokenizer: "tiny.tok"; context: CONTEXT; wait: WAITms; };
llm separate = graph decode { tokenizer: "tiny.tok"; context: CONTEXT; };
fn letters(n: int) -> string { return join_text(["z" for i in range(n)], ""); }
agent steps(prefix_text: string, branches: list<int, max 32>, news: list<int, max 32>, rounds: int) -> int {
  budget: steps 1_000_000, wall 10h;
  let a = prefix(stacked, prefix_text);
  let b = prefix(separate, prefix_text);
  for r in range(rounds) {
    for n in branches {
      for t in news {
        let together = fork i in range(n) max 32 key i width 32 {
          yield ask stacked with a { user: letters(t); tokens: 1; };
        };
        let alone = fork i in range(n) max 32 key i width 1 {
          yield ask separate with b { user: letters(t); tokens: 1; };
        };
        if (json(together) != json(alone)) { fail "{n} branches of {t} tokens say {together} together, {alone} alone"; }
      }
    }
  }
  return 0;
}
"""


def build(arguments, folder: pathlib.Path) -> pathlib.Path:
    text = (ROOT / "examples/models/tiny/tiny.agt").read_text()
    text = text.replace("layers: 2; hidden: 32; heads: 4; kv_heads: 2; head_dim: 8; ffn: 48;",
                        f"layers: {LAYERS}; hidden: {HIDDEN}; heads: {HEADS}; kv_heads: {HEADS}; "
                        f"head_dim: {HEAD_DIM}; ffn: {FFN};")
    text = text[:text.index("llm babble")]
    context = max(arguments.prefixes) + max(arguments.new) + 2
    (folder / "steps.agt").write_text(text + AGENT.replace("CONTEXT", str(context)).replace("WAIT", str(WAIT_MS)))
    with open(folder / "tiny.bin", "wb") as file:
        file.write(struct.pack("<7i", HIDDEN, FFN, LAYERS, HEADS, HEADS, make_model.VOCABULARY, make_model.CONTEXT))
        for array in make_model.weights(1, True):
            file.write(array.tobytes())
    (folder / "tiny.tok").write_bytes(make_model.tokenizer())
    exe = folder / "steps"
    subprocess.run([arguments.build / "bin/agtc", "--target=cpu", folder / "steps.agt", "-o", exe], check=True)
    return exe


class Machine:
    """What it does at most; asked once for each amount."""

    def __init__(self, build_folder: pathlib.Path):
        self.process = subprocess.Popen([build_folder / "bin/machine_rates"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.known: dict[str, float] = {}

    def ask(self, words: str) -> float:
        if words not in self.known:
            print(words, file=self.process.stdin, flush=True)
            self.known[words] = float(self.process.stdout.readline())
        return self.known[words]

    def seconds(self, launches: int, kv_bytes: int, rows: int, pairs: int) -> float:
        """The least that so many launches take which read so much, with so many pairs
        of a row and a key."""
        matrices = LAYERS * (4 * HIDDEN * HIDDEN + 3 * HIDDEN * FFN) + make_model.VOCABULARY * HIDDEN
        read = 4 * matrices * launches + kv_bytes
        flops = 2 * rows * matrices + 4 * pairs * HEADS * HEAD_DIM * LAYERS
        # The amount of one launch says which caches hold it.
        amount = max(1 << 20, read // launches >> 20 << 20)
        return max(read / self.ask(f"read {amount} 0.5"), flops / self.ask("multiply_add 0.5"))


def take(launches: list, rows: int) -> list:
    """The next launches, of so many rows."""
    taken = []
    while rows > 0:
        taken.append(launches.pop(0))
        rows -= taken[-1]["args"]["rows"]
    if rows:
        sys.exit("launches of the trace are not those of the steps")
    return taken


def measure(arguments, exe: pathlib.Path, prefix: int) -> dict:
    """Of each number of branches and of new tokens the rounds: (step, separate)
    launches."""
    folder = exe.parent
    text = "z" * max(0, prefix - 2)  # what begins a text, and a blank
    trace = folder / "trace.json"
    run, db = f"p{prefix}", f"sqlite:{folder}/log.db"
    subprocess.run([exe, "start", "steps", "--run", run, "--arg", f"prefix_text={text}", "--arg",
                    f"branches={json.dumps(arguments.branches)}", "--arg", f"news={json.dumps(arguments.new)}", "--arg",
                    f"rounds={arguments.rounds + 1}", "--db", db, "--trace", trace],
                   check=True, stdout=subprocess.DEVNULL)
    events = json.loads(trace.read_text())["traceEvents"]
    names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    launches = {name: [e for e in events if e["ph"] == "X" and names[e["tid"]] == name] for name in names.values()}
    for each in launches.values():
        each.sort(key=lambda e: e["ts"])
        take(each, max(prefix, 1))
    rounds: dict = {(n, t): [] for n in arguments.branches for t in arguments.new}
    for number in range(arguments.rounds + 1):
        for n in arguments.branches:
            for t in arguments.new:
                both = take(launches["stacked"], n * t), take(launches["separate"], n * t)
                if number > 0:  # the first makes plans
                    rounds[n, t].append(both)
    return rounds


def whole(step: list, rows: int) -> bool:
    """Whether all branches came in time to be launched together."""
    return step[0]["args"]["way"] != "together" or len(step) == -(-rows // MOST_ROWS)


def row_of(machine: Machine, prefix: int, n: int, t: int, rounds: list) -> dict:
    row = {"title": f"{n} branch{'es' * (n > 1)}, prefix {prefix}, {t} new", "peer": "separate", "target": 0.0, "ratios": [],
           "seconds": None, "difference": None, "missing": None, "branches": n, "prefix": prefix, "new": t}
    kept = [both for both in rounds if whole(both[0], n * t)]
    if not kept:
        return row | {"missing": f"branches did not come within {WAIT_MS} ms of each other"}
    seconds = [[sum(e["dur"] for e in launches) / 1e6 for launches in both] for both in kept]
    read = [statistics.median(sum(e["args"]["kv_bytes_read"] for e in both[i]) for both in kept) for i in (0, 1)]
    pairs = n * t * max(prefix, 1) + n * t * (t + 1) // 2
    least = [machine.seconds(count, bytes_read, n * t, pairs)
             for count, bytes_read in ((-(-n * t // MOST_ROWS), read[0]), (n, read[1]))]
    return row | {"target": 0.8 * least[1] / least[0], "ratios": [alone / step for step, alone in seconds],
                  "seconds": [statistics.median(s[i] for s in seconds) for i in (0, 1)], "kv_bytes": read,
                  "rounds_left_out": len(rounds) - len(kept), "least_seconds": least}


def bytes_table(rows: list) -> str:
    lines = ["", f"{'keys and values read, in MB':46}  {'step':>10} {'separate':>10} {'of them':>8}"]
    for row in rows:
        if not row["missing"]:
            step, alone = row["kv_bytes"]
            lines.append(f"{row['title']:46}  {step / 1e6:10.2f} {alone / 1e6:10.2f} {step / alone:8.3f}")
    return "\n".join(lines)


def main() -> int:
    numbers = lambda text: [int(word) for word in text.split(",")]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--prefixes", type=numbers, default=[0, 64, 1024, 4096, 16384])
    parser.add_argument("--branches", type=numbers, default=[1, 2, 4, 8, 16, 32])
    parser.add_argument("--new", type=numbers, default=[1, 4, 16, 64])
    parser.add_argument("--results", type=pathlib.Path, help="folder to write fanout-DATE.txt, .json and .svg to")
    arguments = parser.parse_args()
    machine = Machine(arguments.build)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        exe = build(arguments, pathlib.Path(name))
        for prefix in arguments.prefixes:
            rounds = measure(arguments, exe, prefix)
            rows += [row_of(machine, prefix, n, t, both) for (n, t), both in rounds.items()]
            print(f"prefix {prefix}", file=sys.stderr)
    result = {"heading": "Separate launches over one step of a fan-out; the stroke is 0.8 of what the machine allows",
              "machine": report.machine(), "date": datetime.date.today().isoformat(), "rounds": arguments.rounds,
              "load": os.getloadavg()[2], "versions": {}, "rates": machine.known, "rows": rows}
    text = report.table(result) + "\n" + bytes_table(rows)
    print(text)
    if arguments.results:
        report.write(arguments.results, f"fanout-{result['date']}", result, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
