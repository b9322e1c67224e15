"""Norms of rows of every magnitude that f32 has, against float64.

usage: norms.py PROGRAM DEVICE FOLDER

A norm does not change with its row's scale, from rows of subnormals alone, which some devices
take for 0 in arithmetic, to rows whose squares are infinite.
"""

import pathlib
import subprocess
import sys

import numpy as np

MAGNITUDES = [1.5e-45, 1e-43, 1e-40, 1e-38, 3e-37, 1e-30, 1e-20, 1e-12, 1e-11, 1, 1e11, 1e20, 1e37, 8e37]


def rows(length: int, rng) -> np.ndarray:
    made = [rng.uniform(1, 4, length) * rng.choice([-1, 1], length) * m for m in MAGNITUDES]
    made += [[1e-42] + [0] * (length - 1), [3e38] + [1e-40] * (length - 1)]
    return np.array(made, np.float32)


def normalized(x: np.ndarray, eps: float, centred: bool) -> np.ndarray:
    x = x.astype(np.float64)
    if centred:
        x = x - x.mean(axis=1, keepdims=True)
    return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + eps)


def run(program, device, folder, graph, **inputs) -> np.ndarray:
    command = [program, "run", graph, "--device", device, "--out", f"{folder}/o.npy"]
    for name, data in inputs.items():
        np.save(folder / f"{name}.npy", data)
        command += ["--in", f"{name}={folder}/{name}.npy"]
    subprocess.run(command, check=True, timeout=300)
    return np.load(folder / "o.npy").astype(np.float64)


def check(what: str, got: np.ndarray, want: np.ndarray, tolerance: float = 1e-5):
    wrong = ~(np.abs(got - want) <= tolerance * np.maximum(1, np.abs(want)))
    if wrong.any():
        row, column = (int(i[0]) for i in np.nonzero(wrong))
        sys.exit(f"{what}: row {row}, element {column}: expected {want[row, column]}, got {got[row, column]}")


def main(program: str, device: str, folder: str):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(7)
    for length in (2, 5, 16, 33, 200, 1030):
        x, ones = rows(length, rng), np.ones(length, np.float32)
        for graph, eps in (("rms_zero", 0), ("rms_small", 1e-30)):
            check(f"{graph} of {length}", run(program, device, folder, graph, x=x, w=ones), normalized(x, eps, False))
        for graph, eps in (("layer_zero", 0), ("layer_small", 1e-30)):
            got = run(program, device, folder, graph, x=x, w=ones, b=0 * ones)
            check(f"{graph} of {length}", got, normalized(x, eps, True))
        # What has no deviation has a norm of 0, whatever its size.
        same = np.repeat(np.float32([[0], [2**-140], [2**-40], [1], [2**60], [2**126]]), 16, axis=1)
        got = run(program, device, folder, "layer_small", x=same, w=ones[:1].repeat(16), b=ones[:1].repeat(16))
        check("same elements", got, np.ones_like(got))
        # What the mean loses to rounding is no deviation either.
        same = np.repeat(np.float32([[0.1], [1234.5], [-1e4], [1e30], [3e38]]), length, axis=1)
        got = run(program, device, folder, "layer_small", x=same, w=ones, b=0 * ones)
        check("equal elements", got, np.zeros_like(got), 1e-3)
        far = (rng.standard_normal((4, length)) + [[100], [1e4], [-1e5], [1e6]]).astype(np.float32)
        got = run(program, device, folder, "layer_small", x=far, w=ones, b=0 * ones)
        check(f"far from 0, {length}", got, normalized(far, 1e-30, True))
    print("norms hold")


main(*sys.argv[1:])
