"""Two runs of old.agt wait, one of them within a fork; what `agtc diff` says of each
other build, and that nothing was written.

usage: survey_builds.py SOURCE FOLDER
"""

import json
import os
import pathlib
import subprocess
import sys

source = pathlib.Path(sys.argv[1]).read_text()
os.chdir(sys.argv[2])
one = 'let one = note("one");'
words = {"EFFECT": "pure", "FIRST": one, "LAST": "", "PARAM": "x: int", "CHANGE": "", "BRANCH": "",
         "NAME": "review"}
builds = {
    "old": {},
    "later": {"LAST": 'let three = note("three");', "BRANCH": 'let after = note("after");'},
    "effect": {"EFFECT": "idempotent"},
    "keep": {"EFFECT": "idempotent", "CHANGE": "on_change: keep;"},
    "rerun": {"EFFECT": "idempotent", "CHANGE": "on_change: rerun;"},
    "gone": {"FIRST": ""},
    "added": {"FIRST": one + ' let more = note("more");'},
    "param": {"PARAM": "x: bool"},
    "renamed": {"NAME": "reviews"},
}
for build, changes in builds.items():
    text = source
    for word, value in {**words, **changes}.items():
        text = text.replace(word, value)
    pathlib.Path(build + ".agt").write_text(text)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


db = ["--db", "sqlite:runs.db"]
subprocess.run(["agtc", "old.agt", "--target=cpu", "--cpu=native", "-o", "old"], check=True)
assert run("./old", "start", "review", "--run", "r", "--arg", "x=1", *db).returncode == 3
assert run("./old", "start", "many", "--run", "m", "--arg", "n=3", *db).returncode == 3
assert run("./old", "approve", "m", "found[1]/approve", "yes", *db).returncode == 0
before = [run("./old", "log", name, "--json", *db).stdout for name in "rm"]
for build in builds:
    said = run("agtc", "diff", "old.agt", build + ".agt", *db)
    print(f"{build}: [{said.returncode}]\n{said.stdout}{said.stderr}", end="", flush=True)
assert before == [run("./old", "log", name, "--json", *db).stdout for name in "rm"]

as_json = json.loads(run("agtc", "diff", "old.agt", "effect.agt", "--json", *db).stdout)
assert (as_json["safe"], as_json["needs_a_decision"], as_json["blocked"]) == (0, 2, 0), as_json
many = as_json["runs"][1]
print("json:", many["run"], many["verdict"], [change["step"] for change in many["changed"]], many["next"])
print("steps:", [(step["step"], step["state"]) for step in as_json["steps"]])

# What was said is what happens.
subprocess.run(["agtc", "later.agt", "--target=cpu", "--cpu=native", "-o", "later"], check=True)
run("./old", "approve", "r", "approve", "yes", *db)
gone_on = run("./later", "resume", "r", *db)
print("goes on:", gone_on.stdout.strip(), gone_on.stderr.strip(), gone_on.returncode)
over = run("agtc", "diff", "old.agt", "later.agt", *db)
print("later:", over.stdout.splitlines()[-1], over.returncode)

for line, words in {"no database": ["old.agt", "later.agt", "--db", "sqlite:none.db"],
                    "no such URL": ["old.agt", "later.agt", "--db", "runs.db"],
                    "no file": ["old.agt", "none.agt", *db],
                    "no agents": ["old.agt", "empty.agt", *db],
                    "an error": ["broken.agt", "old.agt", *db]}.items():
    pathlib.Path("empty.agt").write_text("const x = 1;\n")
    pathlib.Path("broken.agt").write_text("agent a( -> int { return 1; }\n")
    said = run("agtc", "diff", *words)
    print(f"{line}: {said.stdout}{said.stderr.splitlines()[0]} [{said.returncode}]")
assert not pathlib.Path("none.db").exists()
