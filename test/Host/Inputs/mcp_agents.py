"""Agents that call an MCP server, a good one and bad ones: what they say, how
long it takes, and what the server has done.

usage: mcp_agents.py PROGRAM FOLDER
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import time

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
server = os.path.join(os.path.dirname(__file__), "mcp_server.py")
runs = 0


def start(agent, mode="", run=None, command="start", **args):
    global runs
    runs += 1
    words = [program, command, *([agent, "--run"] if command == "start" else []), run or f"r{runs}",
             "--db", f"sqlite:{folder}/log.db"]
    for name, value in args.items():
        words += ["--arg", f"{name}={value}"]
    environment = {**os.environ, "MCP_SERVER": server, "MCP_MODE": mode, "LEDGER": str(folder / "ledger")}
    if mode == "dies":
        environment["DEATHS"] = str(folder / f"died{runs}")
    return subprocess.Popen(words, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def ledger():
    """What was done since the last look, without the tokens."""
    path = folder / "ledger"
    lines = path.read_text().splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    done = sorted(" ".join(line.split(" ")[:2]) for line in lines)
    return done if len(done) < 6 else f"{len(set(done))} effects"


def servers():
    return subprocess.run(["pgrep", "-f", server], capture_output=True, text=True).stdout.split()


def say(title, process, within=14):
    begin = time.monotonic()
    out, err = process.communicate()
    took = time.monotonic() - begin
    text = f"{title}: {out}{err}".rstrip().replace(str(folder), "FOLDER")
    text = re.sub(r"20\d\d-\S*Z|\(\d\S* m?s\)$", "TIME", text)
    late = "" if took < within else f" after {took:.1f} s"
    print(f"{text} [{process.returncode}]{late} {ledger() or ''}".rstrip(), flush=True)


def await_ledger(word):
    for _ in range(400):
        path = folder / "ledger"
        if path.exists() and word in path.read_text():
            return
        time.sleep(0.02)
    sys.exit(f"the server never came to {word}")


# Answers, and their forms.
say("text", start("echo", text="a\u00e4\nb"))
say("where", start("echo", text="where"))
say("structured", start("add", a=2, b=40))
say("wrapped", start("items", note='"x"'))
say("none is left out", start("items", note="null"))
say("middle version", start("echo", "middle", text="x"))
say("many at once", start("many", n=40))
say("chosen by a model", start("chosen", q="q"))
print("steps:", subprocess.run([program, "log", f"r{runs}", "--db", f"sqlite:{folder}/log.db", "--json"],
                               text=True, capture_output=True).stdout.count('"kind":"result","'))
say("in a test", subprocess.Popen([program, "test"], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  env={**os.environ, "MCP_SERVER": server, "MCP_MODE": ""}))

# Failures.
say("tool error", start("note", text="wrong"))
say("error answer", start("note", text="refused"))
say("too slow", start("slow", seconds=2, progress="false"))
say("slow with progress", start("slow", seconds=2, progress="true"))
say("progress for ever", start("slow", seconds=6, progress="true"))
say("dies, idempotent", start("note", "dies", text="x"))
say("dies, found", start("kept", "dies", text="x"))
say("dies, once", start("once", "dies", text="x"))

# Servers that are not there, or are another one.
for mode in ("dead", "old", "missing", "argument", "required", "result", "task", "pages"):
    say(mode, start("add" if mode in ("argument", "result") else "echo", mode, **({"a": 1, "b": 2} if mode in ("argument", "result") else {"text": "x"})))

# Servers that mean no good.
for mode in ("endless", "flood", "chatter", "garbage", "ids", "shapes", "closes", "asks", "recursive"):
    say(mode, start("once" if mode in ("ids", "shapes", "flood") else "echo", mode, text="x"))
say("huge", start("add", "huge", a=1, b=2))

# Killed with a call on its way: the server goes too, and the effect is found.
process = start("slow", run="killed", seconds=60, progress="true")
while not servers():
    time.sleep(0.02)
time.sleep(0.3)
process.send_signal(signal.SIGKILL)
process.wait()
for _ in range(100):
    if not servers():
        break
    time.sleep(0.02)
print("left behind:", servers(), flush=True)

# What was done is replayed, and the server is not started for it.
say("waits", start("later", run="later", text="x"))
say("waits still, without a server", start("", "dead", run="later", command="resume"))
subprocess.run([program, "approve", "later", "approve", "yes", "--db", f"sqlite:{folder}/log.db"], check=True)
say("needs it again", start("", "dead", run="later", command="resume"))
print("left behind:", servers(), flush=True)
