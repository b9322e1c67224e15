#!/usr/bin/env python3
"""agt over the libraries that people use instead, as ratios taken in one run.

usage: compare.py BUILD PEERS [--rounds N] [--seconds S] [--only NAME,...] [--results FOLDER]

Called by `run.sh`, which fetches the peers: PEERS is a node_modules folder. All get
the same arrays and run in processes of their own on all processors, in turn: in every
round each case is measured once by agt and by each of its peers (every other round in
the other order), and the peer's time is divided by agt's of that round. Before that,
their results are compared. Printed are median, least and largest of the ratios;
--results writes them with the machine and the date, as text, as JSON and as a plot.
"""

import argparse
import dataclasses
import datetime
import json
import os
import pathlib
import statistics
import sys

import cases
import peers
import report


@dataclasses.dataclass(frozen=True)
class Row:
    """A line of the table: agt over `peer`, at least `target`."""

    case: str
    peer: str
    target: float
    device: str = "cpu"


ROWS = (
    Row("prefill", "ggml", 1.8),
    Row("prefill_f16", "ggml", 1.7),
    Row("causal", "ggml", 1.8),
    Row("stacked", "ggml", 1.8),
    Row("row_4096", "ggml", 1.0),
    Row("row_65536", "ggml", 1.05),
    Row("row_65536", "reading", 0.85),
    Row("prefill", "onnxruntime", 1.8),
    Row("matmul", "openblas", 0.95),
    Row("matmul", "onednn", 0.95),
    Row("matmul_bf16", "ggml", 1.5),
    Row("prefill", "multiply-add", 0.75),
    Row("token_f32", "llama.cpp", 1.0),
    Row("token_f32", "reading", 0.85),
    Row("token_q8_0", "llama.cpp", 1.0),
    Row("token_q8_0", "reading", 0.85),
    Row("prompt_f32", "llama.cpp", 1.2),
    Row("prompt_q8_0", "llama.cpp", 1.2),
    Row("row_32768", "ggml-vulkan", 3.0, device="vulkan"),
)


def check(ours, theirs, case: cases.Case, peer: str) -> float:
    """How far the results are apart. Same work gives the same."""
    difference = case.difference(ours, theirs)
    if not difference <= case.tolerance():
        raise peers.Missing(f"results differ by {difference:.1e}, {peer}'s from agt's")
    return difference


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("peers", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.5, help="of each measurement (0.5)")
    parser.add_argument("--only", default=",".join(cases.CASES), help="cases, by name")
    parser.add_argument("--results", type=pathlib.Path, help="folder to write DATE.txt, .json and .svg to")
    arguments = parser.parse_args()
    chosen = arguments.only.split(",")
    for name in chosen:
        if name not in cases.CASES:
            sys.exit(f"no case is called '{name}': there are {', '.join(cases.CASES)}")

    folder = arguments.build / "compare"
    inputs = folder / "inputs"
    inputs.mkdir(parents=True, exist_ok=True)
    rows = [row for row in ROWS if row.case in chosen]
    for name in chosen:
        cases.CASES[name].write_inputs(inputs)
    agt = peers.Agt(arguments.build, folder, inputs, [cases.CASES[name] for name in chosen])
    others = peers.Peers(arguments.build, arguments.peers, inputs)

    missing: dict[Row, str] = {}
    differences: dict[Row, float] = {}
    for row in rows:
        case = cases.CASES[row.case]
        try:
            theirs = others.output(row.peer, case)
            if theirs is not None:
                differences[row] = check(agt.output(case, row.device), theirs, case, row.peer)
        except peers.Missing as reason:
            missing[row] = str(reason)
            print(f"{row.case}: {row.peer}: {reason}", file=sys.stderr)
    rows_left = [row for row in rows if row not in missing]

    ratios: dict[Row, list] = {row: [] for row in rows_left}
    times: dict[Row, list] = {row: [] for row in rows_left}
    for number in range(arguments.rounds):
        for name, device in dict.fromkeys((row.case, row.device) for row in rows_left):
            case = cases.CASES[name]
            here = [row for row in rows_left if (row.case, row.device) == (name, device)]
            order = [None, *here][::-1 if number % 2 else 1]
            measured = {row: others.time(row.peer, case, arguments.seconds) if row
                        else agt.time(case, device, arguments.seconds) for row in order}
            for row in here:
                ratios[row].append(measured[row] / measured[None])
                times[row].append((measured[None], measured[row]))
        print(f"round {number + 1} of {arguments.rounds}", file=sys.stderr)

    result = {
        "machine": report.machine(), "date": datetime.date.today().isoformat(), "rounds": arguments.rounds,
        "load": os.getloadavg()[2], "versions": others.versions(),
        "rows": [{"case": row.case, "title": cases.CASES[row.case].title, "peer": row.peer, "target": row.target,
                  "ratios": ratios.get(row, []), "missing": missing.get(row),
                  "difference": differences.get(row),
                  "seconds": [statistics.median(t[i] for t in times[row]) for i in (0, 1)] if row in times else None}
                 for row in rows]}
    text = report.table(result)
    print(text)
    if arguments.results:
        report.write(arguments.results, result["date"], result, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
