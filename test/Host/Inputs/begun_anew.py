"""Runs that stopped within a step, and what the next build makes of them.

usage: begun_anew.py FOLDER
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

os.chdir(sys.argv[1])
pathlib.Path("mock.json").write_text(json.dumps([
    {"match": {"user": "hello"}, "times": 1,
     "reply": {"tool_calls": [{"name": "note", "arguments": {"text": "t1"}}, {"name": "note", "arguments": {"text": "t2"}}]}},
    {"match": {"user": "bye"}, "times": 1,
     "reply": {"tool_calls": [{"name": "note", "arguments": {"text": "t3"}}]}},
    {"match": {}, "reply": "fine"}]))
asks = '''tool note(text: string) -> string { exec: ["sh", "-c", "echo $0 | tee -a noted", text]; effect: idempotent; }
llm m = mock { file: "mock.json"; };
agent talk(n: int) -> string {
  budget: steps 50, wall 5m;
  let a = ask m { user: "WORD {n}"; tools: [note]; max: 4; CHANGE };
  if (!approve "go?" by "x" within 1h else false) { fail "no"; }
  return a;
}
'''
once = '''tool act(text: string) -> RESULT { exec: ["sh", "-c", "echo $0 >> acted; kill -9 $$", text]; effect: once; CHANGE }
agent a(n: int) -> string { budget: steps 5, wall 1m; let b = act("b"); return "done"; }
'''
again = '''tool busy(text: string) -> string { exec: ["sh", "-c", "test -e ready || exit 75; echo ready"]; effect: pure; retry: 3 exponential(3s, max 3s); }
agent tries(n: int) -> string { budget: steps 50, wall 1h; let b = busy("x"); return b; }
'''


def build(name, text, **words):
    for word, value in words.items():
        text = text.replace(word, value)
    pathlib.Path(name + ".agt").write_text(text)
    subprocess.run(["agtc", name + ".agt", "--target=cpu", "--cpu=native", "-o", name], check=True)


def run(*command, **more):
    ended = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **more})
    return ended.returncode, ended.stdout.strip(), ended.stderr.strip().splitlines()[:1]


def verdict(old, new, db):
    code, said, _ = run("agtc", "diff", old + ".agt", new + ".agt", "--json", "--db", db)
    runs = json.loads(said)["runs"]
    return [code] + [(entry["verdict"], entry["gone"]) for entry in runs]


db = "sqlite:again.db"
build("tries", again)
first = subprocess.Popen(["./tries", "start", "tries", "--run", "r", "--arg", "n=1", "--db", db])
while "unknown" not in run("./tries", "log", "r", "--db", db)[1]:
    time.sleep(0.05)
first.send_signal(signal.SIGKILL)
first.wait()
print("between two tries:", verdict("tries", "tries", db))
pathlib.Path("ready").touch()
print("the next try:", *run("./tries", "resume", "r", "--db", db), flush=True)

db = "sqlite:talk.db"
build("hello", asks, WORD="hello", CHANGE="")
build("bye", asks, WORD="bye", CHANGE="on_change: rerun;")
print("within an ask:", run("./hello", "start", "talk", "--run", "k", "--arg", "n=1", "--db", db, AGT_FAIL="effect.after#2")[0],
      verdict("hello", "hello", db))
print("it goes on:", run("./hello", "resume", "k", "--db", db)[0], pathlib.Path("noted").read_text().split())
print("anew:", verdict("hello", "bye", db), run("./bye", "resume", "k", "--db", db, AGT_FAIL="effect.after#2")[0],
      run("./bye", "resume", "k", "--db", db)[0])
print("and on:", run("./bye", "approve", "k", "approve", "yes", "--db", db)[0], *run("./bye", "resume", "k", "--db", db)[:2],
      sorted(set(pathlib.Path("noted").read_text().split())), flush=True)

db = "sqlite:once.db"
build("act", once, RESULT="string", CHANGE="")
build("acts", once, RESULT="string?", CHANGE="on_change: rerun;")
print("parked:", run("./act", "start", "a", "--run", "o", "--arg", "n=1", "--db", db)[0], verdict("act", "acts", db))
print("still:", run("./acts", "resume", "o", "--db", db)[0], pathlib.Path("acted").read_text().split())
