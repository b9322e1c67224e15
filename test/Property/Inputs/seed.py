"""Where run_tests.py takes AGT_SEED from.

usage: seed.py SCRIPTS REPOSITORY PLAIN   (two empty folders, the second outside any repository)
"""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from run_tests import seed_of

repository, plain = map(pathlib.Path, sys.argv[2:])
os.environ.pop("AGT_SEED", None)
os.environ["AGT_SLOW"] = "0"
os.environ["GIT_CEILING_DIRECTORIES"] = str(plain.parent)


def git(*words: str):
    identity = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(repository), *identity, *words], check=True, capture_output=True)


git("init", "--quiet")
seeds = []
for text in ("one", "two", "one"):
    (repository / "file").write_text(text)
    git("add", "file")
    git("commit", "--quiet", "-m", text)
    seeds.append(seed_of(repository))
assert seeds[0] == seeds[2] and seeds[0] != seeds[1], f"the tree decides, not the commit: {seeds}"
assert seed_of(repository) == seeds[2], "drawn again"

os.environ["AGT_SEED"] = "12"
assert seed_of(repository) == 12, "what is set stays"
del os.environ["AGT_SEED"]
assert seed_of(plain) != seed_of(plain), "the clock decides where there is no repository"
os.environ["AGT_SLOW"] = "1"
assert seed_of(repository) != seed_of(repository), "slow runs draw afresh"
