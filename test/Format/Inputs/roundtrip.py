"""Formats copies of all programs in some folders, twice; the second time must
change nothing, and the dumps of the AST (without places) must stay the same."""

import pathlib
import re
import subprocess
import sys

work = pathlib.Path(sys.argv[1])
count = 0
for folder in map(pathlib.Path, sys.argv[2:]):
    for program in sorted(folder.glob("*.agt")):
        copy = work / program.name
        copy.write_bytes(program.read_bytes())

        def ast():
            text = subprocess.run(["agtc", "--emit=ast", copy], check=True,
                                  capture_output=True, text=True).stdout
            return re.sub(r" <\d+:\d+, \d+:\d+>", "", text)

        before = ast()
        subprocess.run(["agtc", "fmt", copy], check=True)
        once = copy.read_bytes()
        subprocess.run(["agtc", "fmt", "--check", copy], check=True)
        subprocess.run(["agtc", "fmt", copy], check=True)
        if copy.read_bytes() != once or ast() != before:
            sys.exit(f"{program}: not stable")
        count += 1
sys.exit("no program found" if count == 0 else 0)
