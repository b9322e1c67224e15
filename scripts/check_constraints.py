#!/usr/bin/env python3
"""Each constraint of a dialect is documented, checked and tested.

A constraint is a tag such as `attention_c1`. It stands in the op's
documentation (dialect/*/*.td), at the check (dialect/*/*.cpp) and at a failing
case (test/Dialect/*/invalid-*.mlir); the three sets must be equal.
"""

import pathlib
import re
import sys


def tags(pattern):
    found = set()
    for path in ROOT.glob(pattern):
        found |= set(re.findall(r"\b[a-z_]+_c\d+\b", path.read_text()))
    return found


ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
places = {
    "documented": tags("dialect/*/*.td"),
    "checked": tags("dialect/*/*.cpp"),
    "tested": tags("test/Dialect/*/invalid-*.mlir"),
}
everything = set().union(*places.values())
faults = [f"error: {tag} is not {place}"
          for place, known in places.items() for tag in sorted(everything - known)]
print("\n".join(faults) or f"{len(everything)} constraints")
sys.exit(bool(faults) or not everything)
