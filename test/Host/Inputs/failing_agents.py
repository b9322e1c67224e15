"""Runs every agent of a program with n=2, and again: what they say and how they
end, a line each.

usage: failing_agents.py PROGRAM FOLDER
"""

import json
import subprocess
import sys

program, folder = sys.argv[1:]
db = ["--db", f"sqlite:{folder}/runs.db"]


def agt(*words):
    ended = subprocess.run([program, *words, *db], capture_output=True, text=True)
    return f"{ended.stdout}{ended.stderr}".strip().replace("\n", " ") + f" [{ended.returncode}]"


for agent in [a["name"] for a in json.loads(
        subprocess.run([program, "--json"], capture_output=True, text=True).stdout)["agents"]]:
    said = agt("start", agent, "--run", agent, "--arg", "n=2")
    print(f"{agent}: {said}")
    assert agt("resume", agent) == said, agt("resume", agent)
