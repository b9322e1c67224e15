#!/usr/bin/env python3
"""Random products in native code, against float64: rows, terms and columns on both sides
of what kernels take at once, every type of both factors, biases, chains behind.

usage: products.py [--seed N] [--graphs N] [--rows N]
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np

from property import default_seed

# Near multiples of tiles of registers, of tiles of workgroups and of blocks of terms, and
# where one kernel ends and another begins.
ROWS = (1, 2, 3, 4, 5, 7, 8, 9, 10, 14, 15, 64, 130, 293, 294, 295, 590)
SIZES = (1, 2, 15, 16, 31, 33, 64, 126, 128, 129, 130, 255, 256, 258)
TYPES = ("f32", "f16", "bf16")
PROCESSORS = ("", "v4", "v3")
# Rounding of what is stored, and of its smallest numbers; and of sums of f32 over the sum
# of what is added.
ROUNDING = {"f32": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7}
SMALLEST = {"f32": 2.0**-126, "f16": 2.0**-24, "bf16": 2.0**-126}
SUMS = 2.0**-20


def stored(values: np.ndarray, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """What a file holds of `values`, and that as float64."""
    if dtype == "bf16":
        words = (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        return words, (words.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    numbers = values.astype({"f32": np.float32, "f16": np.float16}[dtype])
    return numbers, numbers.astype(np.float64)


def loaded(path: pathlib.Path, dtype: str) -> np.ndarray:
    data = np.load(path)
    return (data.astype(np.uint32) << 16).view(np.float32) if dtype == "bf16" else data


class Product:
    """y = x [rows, terms] by w, as `linear` or `matmul`."""

    def __init__(self, draw: random.Random, name: str):
        self.name = name
        self.terms, self.columns = draw.choice(SIZES), draw.choice(SIZES)
        self.x, self.w = draw.choice(TYPES), draw.choice(TYPES)
        if draw.random() < 0.5:
            self.w = self.x
        self.op = draw.choice(("linear", "linear", "matmul"))
        self.bias = self.op == "linear" and self.x == self.w and draw.random() < 0.3
        self.relu = draw.random() < 0.3
        # What is not of one type is multiplied in f32, and some of what is.
        self.wide = self.x != self.w or (not self.bias and draw.random() < 0.4)
        self.result = "f32" if self.wide else self.x
        # Columns of the first of two tensors that are joined, and added to the product.
        self.joined = draw.randrange(1, self.columns) if self.columns > 1 and draw.random() < 0.3 else 0

    def shape(self) -> list[int]:
        return [self.columns, self.terms] if self.op == "linear" else [self.terms, self.columns]

    def text(self) -> str:
        cast = lambda name, dtype: name if not self.wide or dtype == "f32" else f"cast({name}, f32)"
        bias = f", b: tensor<{self.w}, [{self.columns}]>" if self.bias else ""
        value = f"{self.op}({cast('x', self.x)}, {cast('w', self.w)}{', b' if self.bias else ''})"
        value = f"relu({value})" if self.relu else value
        if self.joined:
            part = lambda columns: f"tensor<{self.result}, [M, {columns}]>"
            bias += f", c: {part(self.joined)}, d: {part(self.columns - self.joined)}"
            value += " + concat(c, d, axis = 1)"
        return (f"graph {self.name}(x: tensor<{self.x}, [M, {self.terms}]>, w: tensor<{self.w}, {self.shape()}>{bias})"
                f" -> (y: tensor<{self.result}, [M, {self.columns}]>) {{\n  return {value};\n}}\n")

    def wrong(self, program: pathlib.Path, rows: int, numbers: np.random.Generator) -> str | None:
        """What is wrong with its result on any processor, or None."""
        folder = program.parent
        x, x64 = stored(numbers.standard_normal((rows, self.terms)), self.x)
        w, w64 = stored(numbers.standard_normal(self.shape()), self.w)
        b, b64 = stored(numbers.standard_normal(self.columns), self.w)
        j, j64 = stored(numbers.standard_normal((rows, self.columns)), self.result)
        given = {"x": x, "w": w, **({"b": b} if self.bias else {})}
        if self.joined:
            given |= {"c": j[:, :self.joined], "d": j[:, self.joined:]}
        command = [str(program), "run", self.name, "--device", "cpu", "--out", f"y={folder / 'y.npy'}"]
        for name, data in given.items():
            np.save(folder / f"{name}.npy", data)
            command += ["--in", f"{name}={folder / name}.npy"]
        side = w64.T if self.op == "linear" else w64
        want, most = x64 @ side, np.abs(x64) @ np.abs(side)
        if self.bias:
            want, most = want + b64, most + np.abs(b64)
        # Chains behind a product see it rounded to its type.
        bound = SUMS * most + 2 * ROUNDING[self.result] * (np.abs(want) + SUMS * most) + SMALLEST[self.result]
        want = np.maximum(want, 0) if self.relu else want
        if self.joined:
            want = want + j64
            bound = bound + 2 * ROUNDING[self.result] * np.abs(want)
        for processor in PROCESSORS:
            done = subprocess.run(["env", f"AGT_CPU_ISA={processor}", *command], capture_output=True, text=True,
                                  timeout=300)
            said = f"AGT_CPU_ISA={processor} {' '.join(command)}\n{done.stderr}"
            if done.returncode != 0:
                return f"exit {done.returncode}: {said}"
            off = np.abs(loaded(folder / "y.npy", self.result) - want)
            if not (off <= bound).all():
                at = np.unravel_index(np.argmax(~(off <= bound)), off.shape)
                return f"{rows} rows: at {at} off by {off[at]}, allowed {bound[at]}\n{self.text()}{said}"
        return None


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--graphs", type=int, default=24)
    parser.add_argument("--rows", type=int, default=3, help="how many numbers of rows a graph is run with")
    options = parser.parse_args()
    seed = default_seed() if options.seed is None else options.seed
    print(f"seed {seed}")
    draw, numbers = random.Random(seed), np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "products.agt"), pathlib.Path(folder, "products")
        products = [Product(draw, f"p{i}") for i in range(options.graphs)]
        source.write_text("".join(product.text() for product in products))
        subprocess.run(["agtc", str(source), "--target", "cpu", "-o", str(program)], check=True)
        for product in products:
            for rows in draw.sample(ROWS, options.rows):
                if wrong := product.wrong(program, rows, numbers):
                    print(f"seed {seed}: {wrong}")
                    return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
