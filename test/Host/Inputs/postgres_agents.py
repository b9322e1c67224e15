"""An agent on PostgreSQL that is killed, whose server crashes or goes away: what
it says, how it ends, and what the world has seen.

usage: postgres_agents.py PROGRAM FOLDER
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["AGT_SOURCE"], "scripts"))
from postgres import Server

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
server = Server()


def agt(*words, url=None):
    environment = {**os.environ, "AGT_DB": url or server.url(), "AGT_DB_WAIT": "3"}
    return subprocess.Popen([program, *words], env=environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def say(title, process):
    out, err = process.communicate()
    text = f"{title}: {out}{err}[{process.returncode}]"
    text = text.replace(server.folder, "SOCKET").replace(str(folder), "FOLDER")
    print(re.sub(r"20\d\d-\S*Z", "TIME", text), flush=True)


def count(run):
    return agt("start", "count", "--run", run, "--arg", "n=4", "--arg", f"file={folder}/{run}")


def lines(run):
    path = folder / run
    return path.read_text().splitlines() if path.exists() else []


def await_lines(run, n):
    for _ in range(400):
        if len(lines(run)) >= n:
            return
        time.sleep(0.02)
    sys.exit(f"{run} never came to its line {n}")


def finish(run):
    say(f"{run} approved", agt("approve", run, "approve", "yes"))
    say(f"{run} ended", agt("resume", run))
    print(f"{run} effects:", [line.split(" ")[1] for line in lines(run)], flush=True)


with server:
    # Killed with a call on its way; another process goes on.
    process = count("killed")
    await_lines("killed", 2)
    say("killed busy", agt("resume", "killed"))
    process.send_signal(signal.SIGKILL)
    process.communicate()
    say("killed", agt("resume", "killed"))
    finish("killed")
    # The server crashes in the middle and comes back: nobody notices.
    process = count("crash")
    await_lines("crash", 2)
    server.stop(signal.SIGQUIT)
    time.sleep(0.6)
    server.start()
    say("crash", process)
    finish("crash")
    # It does not come back in time.
    process = count("gone")
    await_lines("gone", 2)
    server.stop()
    say("gone", process)
    say("gone still", agt("resume", "gone"))
    server.start()
    say("gone again", agt("resume", "gone"))
    finish("gone")
    say("all", agt("runs"))
    say("nobody", agt("runs", url=server.url("locked:guess")))
    say("nowhere", agt("runs", url=server.url(database="nowhere")))
