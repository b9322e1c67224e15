"""Two runs `r` of one agent on two step logs: one is killed and goes on while the
other one's call is on its way.

usage: same_name.py PROGRAM FOLDER
"""

import os
import pathlib
import subprocess
import sys
import time

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])


def naps(name, seconds, **more):
    environment = {**os.environ, "AGT_DB": f"sqlite:{folder}/{name}.db", "LEDGER": str(folder / name), "NAP": str(seconds), **more}
    return subprocess.Popen([program, "start", "naps", "--run", "r"], env=environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


other = naps("other", 60)
try:
    while not (folder / "other").exists() or not (folder / "other").read_text():
        time.sleep(0.01)
    killed = naps("killed", 0, AGT_FAIL="effect.before#1")
    killed.communicate(timeout=20)
    print("killed:", killed.returncode)
    again = naps("killed", 0)
    out, _ = again.communicate(timeout=20)
    print("goes on:", out.strip(), again.returncode)
    print("one token:", (folder / "killed").read_text() == (folder / "other").read_text())
    print("the other one:", "ended" if other.poll() is not None else "still in its call")
finally:
    other.kill()
    other.communicate()
