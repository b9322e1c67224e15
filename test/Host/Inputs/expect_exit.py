"""expect_exit.py CODE COMMAND...: runs it and fails unless it exits with CODE."""

import subprocess
import sys

code = subprocess.run(sys.argv[2:]).returncode
if code != int(sys.argv[1]):
    sys.exit(f"expected exit code {sys.argv[1]}, got {code}")
