"""Inputs for attention.test, and NumPy's own answer to compare with.

usage: attention.py make|check FOLDER
"""

import sys

import numpy as np

mode, folder = sys.argv[1:]
SHAPES = dict(q=(8, 10, 128), k=(2, 12, 128), v=(2, 12, 128))


def load(name):
    return np.load(f"{folder}/{name}.npy")


def make():
    numbers = np.random.default_rng(1)
    for name, shape in SHAPES.items():
        np.save(f"{folder}/{name}.npy", numbers.standard_normal(shape).astype(np.float32))
    np.save(f"{folder}/short.npy", np.zeros((2, 11, 128), np.float32))
    np.save(f"{folder}/half.npy", np.zeros((2, 12, 128), np.float16))


def expected():
    q, k, v = (load(name).astype(np.float64) for name in "qkv")
    k, v = (np.repeat(x, 4, axis=0) for x in (k, v))
    scores = np.einsum("hqd,hkd->hqk", q, k) / np.sqrt(128)
    hidden = np.arange(12) > np.arange(10)[:, None] + 2
    scores = np.where(hidden, -np.inf, scores)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return (weights / weights.sum(-1, keepdims=True)) @ v


def check():
    exact, rounded, bounds = load("exact"), load("o"), load("bounds")
    want = expected()
    assert exact.dtype == bounds.dtype == np.float64 and rounded.dtype == np.float32
    assert np.abs(exact - want).max() < 1e-14
    assert (rounded == exact.astype(np.float32)).all()
    # 2e-6 * (1 + X / 16) for values up to 4.
    assert bounds.shape == want.shape and 2e-6 < bounds.min() and bounds.max() < 2e-5
    print("agrees")


make() if mode == "make" else check()
