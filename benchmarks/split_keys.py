#!/usr/bin/env python3
"""What splitting few rows over the keys gains and costs, as ratios taken in one run.

usage: split_keys.py BUILD [--rounds N] [--device D] [--json]

One query of 8 heads in f16 over 4,096 to 65,536 keys of 1, 2 and 8 kv heads,
by a program as agtc makes it and by one in which nothing is split. In every
round each is run in turn and the time of the first is divided by the second's;
medians of the ratios and their spread are printed. Times are those that --stats
reports: device work alone, the median of 5.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np

HEADS = [1, 2, 8]
KEYS = [4096, 16384, 65536]


def graph(kv: int) -> str:
    tensor = lambda heads, tokens: f"tensor<f16, [{heads}, {tokens}, 128]>"
    return (f"graph kv{kv}(q: {tensor(8, 1)}, k: {tensor(kv, 'T')}, v: {tensor(kv, 'T')}) -> (o: {tensor(8, 1)})\n"
            "{\n  return attention(q, k, v);\n}\n")


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
        (folder / "a.agt").write_text("\n".join(map(graph, HEADS)))
        for program, option in (("split", "1024"), ("whole", "0")):
            subprocess.run([arguments.build / "bin" / "agtc", folder / "a.agt", "--split-keys", option, "-o",
                            folder / program], check=True)
        np.save(folder / "q.npy", numbers.uniform(-1, 1, (8, 1, 128)).astype(np.float16))
        for kv in HEADS:
            for keys in KEYS:
                for array in "kv":
                    np.save(folder / f"{array}.npy", numbers.uniform(-1, 1, (kv, keys, 128)).astype(np.float16))

                def seconds(program: str) -> float:
                    done = subprocess.run([folder / program, "run", f"kv{kv}", "--device", arguments.device,
                                           "--repeat=5", "--stats=json", *(f"--in={x}={folder}/{x}.npy" for x in "qkv"),
                                           f"--out=o={folder}/o.npy"], check=True, capture_output=True, text=True)
                    return json.loads(done.stdout)["time_s"]

                pairs = [(seconds("split"), seconds("whole")) for _ in range(arguments.rounds)]
                ratios = [split / whole for split, whole in pairs]
                read = 2 * kv * keys * 128 * 2  # bytes of keys and values
                results[f"{kv} kv heads, {keys} keys"] = {
                    "median": statistics.median(ratios), "least": min(ratios), "most": max(ratios),
                    "gigabytes_per_second": read / statistics.median(split for split, _ in pairs) / 1e9}
    if arguments.json:
        print(json.dumps({"device": arguments.device, "time_over_whole": results}, indent=1))
        return 0
    print(f"one query of 8 heads, time split over time whole, {arguments.device}")
    for case, r in results.items():
        print(f"  {case:24} {r['median']:6.3f}   ({r['least']:.3f} to {r['most']:.3f})   "
              f"{r['gigabytes_per_second']:6.2f} GB/s of keys and values")
    return 0


if __name__ == "__main__":
    sys.exit(main())
