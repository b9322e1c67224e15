"""Runs an agent in several processes at once on one step log, and checks that
their calls keep the tool's limit together.

usage: limited_calls.py PROGRAM FOLDER sqlite|postgres
"""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["AGT_SOURCE"], "scripts"))
from postgres import Server

program, folder, kind = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
SECOND = 1_000_000_000


def runs(url):
    stamps = folder / f"{kind}.stamps"
    processes = [subprocess.Popen([program, "start", "stamps", "--run", f"r{i}", "--arg", "n=4", "--arg",
                                   f"file={stamps}", "--db", url]) for i in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    events = sorted((int(time), what) for what, time in map(str.split, stamps.read_text().splitlines()))
    begins = [time for time, what in events if what == "begin"]
    assert len(begins) == 12, len(begins)
    running = most = 0
    for _, what in events:
        running += 1 if what == "begin" else -1
        most = max(most, running)
    # A process takes some time to start: what starts together may write apart.
    close = min(b - a for a, b in zip(begins, begins[3:]))
    assert most == 2, most
    assert close > 0.9 * SECOND, close
    print(f"{kind}: at most {most} at once, at most 3 a second")


if kind == "postgres":
    with Server() as server:
        runs(server.url())
else:
    runs(f"sqlite:{folder}/limited.db")
