#!/usr/bin/env python3
"""Writes .npy files of standard normal float32 numbers, without NumPy.

usage: make_input.py FOLDER NAME=DIM,DIM,... [NAME=DIM,...]
"""

import array
import math
import pathlib
import random
import sys


def write_npy(path: pathlib.Path, shape: list[int], values: array.array) -> None:
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    if sys.byteorder == "big":
        values.byteswap()
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little"))
        out.write(header.encode() + values.tobytes())


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    folder = pathlib.Path(sys.argv[1])
    for number, argument in enumerate(sys.argv[2:]):
        name, _, dims = argument.partition("=")
        shape = [int(dim) for dim in dims.split(",")]
        normal = random.Random(number).gauss
        values = array.array("f", (normal(0.0, 1.0) for _ in range(math.prod(shape))))
        write_npy(folder / f"{name}.npy", shape, values)
    return 0


if __name__ == "__main__":
    sys.exit(main())
