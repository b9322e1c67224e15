"""Runs the graphs of functions.agt and compares each result with NumPy.

usage: functions.py PROGRAM FOLDER
"""

import math
import subprocess
import sys

import numpy as np

program, folder = sys.argv[1:]
numbers = np.random.default_rng(7)
checked = 0


def random(*shape):
    return numbers.uniform(-2, 2, shape).astype(np.float32)


def integers(*shape, low=-9, high=9):
    return numbers.integers(low, high, shape).astype(np.int32)


def run(graph, inputs, wanted):
    """Runs a graph; `wanted` are the results in declared order."""
    global checked
    command = ["agtc", "run", "--reference", program, graph]
    for name, value in inputs.items():
        np.save(f"{folder}/{name}.npy", value)
        command += ["--in", f"{name}={folder}/{name}.npy"]
    files = [f"{folder}/out{i}.npy" for i in range(len(wanted))]
    for file in files:
        command += ["--f64", file]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    for i, (file, want) in enumerate(zip(files, wanted)):
        got, want = np.load(file), np.asarray(want, np.float64)
        assert got.shape == want.shape, f"{graph} {i}: {got.shape}, expected {want.shape}"
        error = np.abs(got - want).max(initial=0)
        assert error <= 1e-12 * max(1, np.abs(want).max(initial=0)), f"{graph} {i}: off by {error}"
        checked += 1


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def elementary(n, m):
    a, b, p = random(n, m), random(m), np.abs(random(n, m)) + np.float32(0.1)
    x, y, z = (v.astype(np.float64) for v in (a, b, p))
    erf = np.vectorize(math.erf, otypes=[float])
    inner = np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)
    run("elementary", dict(a=a, b=b, p=p),
        [x + y, x - y, x * y, x / z, -x, np.maximum(x, y), np.minimum(x, y), np.where(x < y, x, y), np.exp(x),
         np.log(z), np.sqrt(z), 1 / np.sqrt(z), np.tanh(x), sigmoid(x), x * sigmoid(x),
         x * (1 + erf(x / np.sqrt(2))) / 2, x / 2 * (1 + np.tanh(inner)), np.maximum(x, 0), np.abs(x), np.cos(x),
         np.sin(x), 2 * x + 0.5])


def whole(n):
    i, j = integers(n, low=-300, high=300), integers(n)
    safe = np.where(j == 0, 1, j)
    quotient = np.where(j == 0, 0, np.trunc(i / safe))
    remainder = np.where(j == 0, 0, np.fmod(i, safe))
    run("integers", dict(i=i, j=j),
        [i + j, quotient, remainder, np.maximum(i, j), i == j, (i < j) & (i > 0), i * 0.5, np.clip(i, -128, 127)])


def reductions(n, m):
    a = random(n, m)
    x = a.astype(np.float64)
    order = np.argsort(-x, axis=1, kind="stable")[:, :2]
    run("reductions", dict(a=a),
        [x.sum(1), x.mean(0), x.max(1, keepdims=True), x.min(0), x.argmax(1), np.take_along_axis(x, order, 1), order,
         softmax(x, 1), softmax(x, 0)])


def products(h, n, k, m):
    inputs = dict(a=random(h, n, k), b=random(k, m), w=random(m, k), c=random(m), n=random(k), m=random(k))
    a, b, w, c, scale, shift = (v.astype(np.float64) for v in inputs.values())
    centred = a - a.mean(-1, keepdims=True)
    run("products", inputs,
        [a @ b, a @ w.T, a @ w.T + c, a / np.sqrt((a * a).mean(-1, keepdims=True) + 1e-5) * scale,
         centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-6) * scale + shift])


def shapes(n, t):
    a, ids = random(n, 6), integers(t, low=0, high=n)
    run("shapes", dict(a=a, ids=ids),
        [a.T, a.reshape(n, 3, 2).transpose(1, 0, 2), a, a[:, 1:3], np.concatenate([a, -a]), a[ids], a.reshape(-1),
         np.arange(t), np.full((t, 2), 1.5), a.astype(np.float16)])


def rotated(x, pos, base, dims, halves, scale):
    x = x.astype(np.float64)
    half = dims // 2
    angle = pos[:, None] * scale * base ** (-2.0 * np.arange(half) / dims)
    first = np.arange(half) if halves else 2 * np.arange(half)
    second = first + (half if halves else 1)
    result = x.copy()
    result[..., first] = x[..., first] * np.cos(angle) - x[..., second] * np.sin(angle)
    result[..., second] = x[..., first] * np.sin(angle) + x[..., second] * np.cos(angle)
    return result


def rotations(h, t):
    x, pos = random(h, t, 8), integers(t, low=0, high=5000)
    run("rotations", dict(x=x, pos=pos),
        [rotated(x, pos, 10000, 8, False, 1), rotated(x, pos, 500, 8, True, 0.25), rotated(x, pos, 10000, 4, False, 1)])


def quantised(h, t):
    x = random(h, t, 8)
    values = np.zeros(x.shape)
    back = np.zeros(x.shape)
    for start in range(0, t, 3):
        block = x[:, start:start + 3].astype(np.float64)
        scale = np.abs(block).max((1, 2), keepdims=True) / 127
        values[:, start:start + 3] = np.rint(block / scale)
        back[:, start:start + 3] = np.rint(block / scale) * scale
    run("quantised", dict(x=x), [values, back])


def looped(n, m):
    a = random(n, m)
    run("looped", dict(a=a), [((a.astype(np.float64) * 0.5 + 1) * 0.5 + 1) * 0.5 + 1])


elementary(5, 7)
elementary(1, 1)
whole(40)
reductions(3, 9)
reductions(4, 2)
products(2, 3, 5, 4)
products(1, 1, 1, 1)
shapes(4, 5)
shapes(1, 0)
rotations(2, 6)
quantised(2, 7)
looped(2, 3)
print(checked, "results agree")
