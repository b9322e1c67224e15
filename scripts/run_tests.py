#!/usr/bin/env python3
"""Runs every test through lit and closes with `N passed, N failed`.

lit runs the shell tests of test/ and, by its GoogleTest format, every unit
test; fuzz and property runs are shell tests too. Tests run in as many
processes as there are cores. What failed is printed whole.

Random tests draw their cases from AGT_SEED. Where it is not set it follows from
the commit's tree, so that a run before landing and the one of CI draw the same;
runs with AGT_SLOW=1, and those without a repository, draw by the clock.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time


def seed_of(source: pathlib.Path) -> int:
    """What random tests of the tree at `source` start from."""
    if os.environ.get("AGT_SEED"):
        return int(os.environ["AGT_SEED"])
    tree = subprocess.run(["git", "-C", str(source), "rev-parse", "HEAD^{tree}"], capture_output=True, text=True)
    if tree.returncode != 0 or os.environ.get("AGT_SLOW") == "1":
        return time.time_ns() // 1000 % 2**32
    return int(tree.stdout[:8], 16)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--filter", help="a regular expression of test names")
    arguments = parser.parse_args()

    prefix = subprocess.run(["llvm-config-22", "--prefix"], check=True,
                            capture_output=True, text=True).stdout.strip()
    os.environ["AGT_SEED"] = str(seed_of(arguments.source))
    print(f"AGT_SEED={os.environ['AGT_SEED']}", flush=True)
    results = arguments.build / "test-results.json"
    results.unlink(missing_ok=True)
    command = [sys.executable, f"{prefix}/bin/lit", "-v", "--no-progress-bar",
               "--time-tests", "-j", str(os.cpu_count()), "-o", str(results),
               str(arguments.build / "test")]
    if arguments.filter:
        command[2:2] = ["--filter", arguments.filter]
    code = subprocess.run(command).returncode

    if not results.exists():
        print("error: lit wrote no results", file=sys.stderr)
        return 1
    tests = json.loads(results.read_text())["tests"]
    codes = [test["code"] for test in tests]
    passed = sum(c in ("PASS", "FLAKYPASS", "XFAIL") for c in codes)
    failed = sum(c in ("FAIL", "XPASS", "TIMEOUT", "UNRESOLVED") for c in codes)
    skipped = [test["name"] for test, c in zip(tests, codes)
               if c in ("UNSUPPORTED", "SKIPPED", "EXCLUDED")]
    for name in skipped:
        print(f"skipped: {name}")
    if failed == 0 and (code != 0 or passed == 0):
        failed = 1
    print(f"{passed} passed, {failed} failed", flush=True)
    return 0 if failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
