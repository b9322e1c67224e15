#!/usr/bin/env python3
"""Prints the shape and the first numbers of an .npy file, without NumPy."""

import array
import ast
import sys


def main() -> int:
    with open(sys.argv[1], "rb") as file:
        file.read(8)
        header = ast.literal_eval(file.read(int.from_bytes(file.read(2), "little")).decode())
        values = array.array("f", file.read(4 * 6))
    shape = " x ".join(str(dim) for dim in header["shape"])
    print(f"{sys.argv[1]}: {header['descr']} {shape}: " + " ".join(f"{v:.5f}" for v in values) + " ...")
    return 0


if __name__ == "__main__":
    sys.exit(main())
