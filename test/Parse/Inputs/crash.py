"""Kills agtc while it reads from a pipe and looks at what it leaves behind."""

import os
import pathlib
import signal
import subprocess
import sys

work = pathlib.Path(sys.argv[1])
pipe = work / "pipe.agt"
os.mkfifo(pipe)
agtc = subprocess.Popen(["agtc", "--emit=ast", str(pipe)], stderr=subprocess.PIPE, text=True,
                        env=dict(os.environ, TMPDIR=str(work)))
# Opening waits until agtc has opened its end: it is past its start then.
with open(pipe, "w"):
    agtc.send_signal(signal.SIGSEGV)
    errors = agtc.communicate(timeout=60)[1]
reports = list(work.glob("agtc-crash-*.agt"))
assert agtc.returncode == 70, (agtc.returncode, errors)
assert "agtc: error: this is a bug in agtc" in errors, errors
assert len(reports) == 1 and str(reports[0]) in errors, (reports, errors)
assert reports[0].read_text().startswith("// agtc --emit=ast "), reports[0].read_text()
