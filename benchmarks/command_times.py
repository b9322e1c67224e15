#!/usr/bin/env python3
"""How long a person waits: compiling, the first run, the runs after it.

usage: command_times.py BUILD [--rounds N] [--device D]

Compiles examples/attention.agt and runs its graph on 4 x 2048 x 128 input, the
first time with an empty shader cache (the driver compiles), then with the
cache filled. Prints the median and the spread of each in seconds, and the
program's start without a device. "over compute" is the run less the time of
the device work that --stats reports for it.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def timed(command: list[str], env: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=env)
    return time.perf_counter() - start


def report(name: str, times: list[float]) -> None:
    print(f"{name:34} {statistics.median(times):8.3f} s   ({min(times):.3f} to {max(times):.3f})")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--device", default="vulkan", help="what --device of the program takes (vulkan)")
    arguments = parser.parse_args()
    source = pathlib.Path(__file__).resolve().parent.parent

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        cache = folder / "cache"
        env = dict(os.environ, XDG_CACHE_HOME=str(cache), MESA_SHADER_CACHE_DIR=str(cache / "mesa"))
        program = folder / "attention"
        compile_ = [str(arguments.build / "bin" / "agtc"), str(source / "examples" / "attention.agt"), "-o", str(program)]
        report("agtc, whole", [timed(compile_, env) for _ in range(arguments.rounds)])
        report("EXE (no device touched)", [timed([str(program)], env) for _ in range(arguments.rounds)])
        report("EXE run --help", [timed([str(program), "run", "--help"], env) for _ in range(arguments.rounds)])

        subprocess.run([sys.executable, str(source / "examples" / "make_input.py"), name,
                        *(f"{x}=4,2048,128" for x in "qkv")], check=True)
        run = [str(program), "run", "attend", "--device", arguments.device,
               *(f"--in={x}={folder}/{x}.npy" for x in "qkv"), f"--out=o={folder}/o.npy"]
        first, later, over = [], [], []
        for _ in range(arguments.rounds):
            shutil.rmtree(cache, ignore_errors=True)
            first.append(timed(run, env))
            later.append(timed(run, env))
            stats = folder / "stats.json"
            timed([*run, f"--stats=json:{stats}"], env)
            over.append(later[-1] - json.loads(stats.read_text())["time_s"])
        report("first run (empty shader cache)", first)
        report("second run", later)
        report("second run, over compute", over)
    return 0


if __name__ == "__main__":
    sys.exit(main())
