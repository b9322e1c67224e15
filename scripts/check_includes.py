#!/usr/bin/env python3
"""Checks that includes between folders follow the arrows of docs/Architecture.md.

usage: check_includes.py [ROOT]

A folder is a stage; it may include itself and the stages named below. The
runtime includes nothing of LLVM, MLIR or ANTLR, and ANTLR's headers are seen
by frontend/Parse alone. Within the runtime nothing knows its command line.
"""

import pathlib
import re
import sys

ABI = "runtime/include/agt"
MAY_INCLUDE = {
    "grammar": set(),
    "frontend": {"dialect"},
    "dialect": set(),
    "reference": {"dialect"},
    "passes": {"dialect"},
    "codegen": {"dialect", "passes", ABI},
    "runtime": set(),
    "tools": {"dialect", "frontend", "reference", "passes", "codegen", ABI},
}
# Within codegen/: what a target is made of, then the targets, which do not know
# each other, then the program that holds them.
CODEGEN = {
    "common": set(),
    "kernels": {"common"},
    "spirv": {"common", "kernels"},
    "cpu": {"common", "kernels"},
    "host": {"common", "kernels", "spirv", "cpu"},
}
FOREIGN = {"runtime": re.compile(r"^(llvm|mlir|antlr4)")}
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)


def faults(root: pathlib.Path):
    for stage, allowed in MAY_INCLUDE.items():
        for path in sorted((root / stage).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".c", ".td", ".def"):
                continue
            name = path.relative_to(root)
            for target in INCLUDE.findall(path.read_text()):
                if target.startswith("antlr4") and "Parse" not in name.parts:
                    yield f"{name}: includes {target}: ANTLR stays in frontend/Parse"
                if stage in FOREIGN and FOREIGN[stage].match(target):
                    yield f"{name}: includes {target}: the runtime knows no compiler library"
                if target.startswith("runtime/Cli/") and name.parts[:2] != ("runtime", "Cli"):
                    yield f"{name}: includes {target}: nothing may know the command line"
                if stage == "codegen" and target.startswith("codegen/"):
                    own, other = name.parts[1], target.split("/")[1]
                    if other != own and other not in CODEGEN[own]:
                        yield f"{name}: includes {target}: codegen/{own}/ may not know codegen/{other}/"
                first = target.split("/")[0]
                if first == stage or first not in MAY_INCLUDE:
                    continue
                if not any(target.startswith(folder + "/") for folder in allowed):
                    yield f"{name}: includes {target}: {stage}/ may not know {first}/"


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found = list(faults(root))
    print("\n".join(found) if found else "includes follow the arrows")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
