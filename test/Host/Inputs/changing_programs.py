"""Starts a run with old.agt for each of the other builds, which goes on with it:
what that says, how it ends, and which notes the world has seen.

usage: changing_programs.py FOLDER
"""

import os
import pathlib
import subprocess
import sys

os.chdir(sys.argv[1])
db = ["--db", "sqlite:runs.db"]


def agt(program, *words):
    ended = subprocess.run([f"./{program}", *words, *db], capture_output=True, text=True)
    return f"{ended.stdout}{ended.stderr}".strip().replace("\n", " ") + f" [{ended.returncode}]"


builds = ["moved", "stop", "keep", "rerun", "fail"]
for build in ["old", *builds]:
    subprocess.run(["agtc", f"{build}.agt", "--target=cpu", "--cpu=native", "-o", build], check=True)


def go_on(build, run):
    said = agt(build, "resume", run)
    print(f"{build}: {said} {pathlib.Path(run + '.notes').read_text().split()}", flush=True)


for build in builds:
    started = agt("old", "start", "review", "--run", build, "--arg", f"file={build}.notes")
    assert started.endswith("[3]"), started
    assert agt("old", "approve", build, "approve", "yes").strip() == "[0]"
    go_on(build, build)
# What stopped goes on where it means what it meant.
go_on("old", "stop")
