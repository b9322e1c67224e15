"""Attention with random combinations of arguments, against a second reading of
the rules in NumPy: whole arrays of pairs, where the oracle goes row by row.

usage: attention_random.py FOLDER CASES SEED
"""

import subprocess
import sys

import numpy as np

folder, cases, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


class Case:
    """One program, its inputs, and what it should give."""

    def __init__(self, numbers):
        self.rng = numbers
        self.inputs, self.types, self.arguments, self.masks = {}, {}, [], []
        self.batch = (int(numbers.integers(1, 4)),) if self.chance(0.5) else ()
        self.kv_heads = int(numbers.integers(1, 3))
        self.heads = self.kv_heads * int(numbers.integers(1, 4))
        self.queries, self.keys = (int(n) for n in numbers.integers(0, 9, 2))
        self.dim, self.value_dim = (int(n) for n in numbers.integers(1, 6, 2))
        self.shd = self.chance(0.3)

    def chance(self, p):
        return self.rng.random() < p

    def floats(self, *shape):
        return self.rng.uniform(-1, 1, shape).astype(np.float32)

    def add(self, name, value):
        dtype = {"float32": "f32", "int32": "i32", "bool": "bool"}[value.dtype.name]
        self.inputs[name] = value
        self.types[name] = f"tensor<{dtype}, [{', '.join(map(str, value.shape))}]>"
        return name

    def argument(self, name, value):
        self.arguments.append(f"{name} = {self.add(name, value)}")
        return value

    def build(self):
        b, h, hk = self.batch, self.heads, self.kv_heads
        q = self.floats(*b, h, self.queries, self.dim)
        k = self.floats(*b, hk, self.keys, self.dim)
        v = self.floats(*b, hk, self.keys, self.value_dim)
        for name, value in dict(q=q, k=k, v=v).items():
            self.add(name, np.swapaxes(value, -3, -2).copy() if self.shd else value)
        if self.shd:
            self.arguments.append("layout = shd")
        wide = [x.astype(np.float64) for x in (q, k, v)]
        wide[1], wide[2] = (np.repeat(x, h // hk, axis=-3) for x in wide[1:])
        self.want = self.attend(*wide)

    def attend(self, q, k, v):
        scale = 1 / np.sqrt(self.dim)
        if self.chance(0.3):
            scale = 0.75
            self.arguments.append("scale = 0.75")
        x = scale * (q @ np.swapaxes(k, -1, -2))
        if self.chance(0.3):
            self.arguments.append("softcap = 0.5")
            x = 0.5 * np.tanh(x / 0.5)
        visible, distance = self.visibility()
        visible = np.broadcast_to(visible, x.shape)
        if self.chance(0.3):
            shape = [self.heads, 1, self.keys] if self.chance(0.5) else [self.queries, self.keys]
            x = x + self.argument("bias", self.floats(*shape))
        if self.chance(0.3):
            x = x + self.argument("alibi", self.floats(self.heads))[:, None, None] * distance
        sink = None
        if self.chance(0.3):
            sink = self.argument("sink", self.floats(self.heads))[:, None, None].astype(np.float64)
        return self.softmax(np.where(visible, x, -np.inf), v, sink)

    @staticmethod
    def softmax(x, v, sink):
        largest = x.max(-1, keepdims=True, initial=-np.inf)
        if sink is not None:
            largest = np.maximum(largest, sink)
        safe = np.where(np.isinf(largest), 0, largest)
        weights = np.exp(x - safe)
        total = weights.sum(-1, keepdims=True)
        if sink is not None:
            total = total + np.exp(sink - safe)
        with np.errstate(divide="ignore", invalid="ignore"):
            output = np.where(total > 0, weights @ v / total, 0)
            return output, (safe + np.log(total))[..., 0]

    def per_token(self, name, tokens, low, high):
        """Integers for every token, with or without batch dims."""
        shape = (*self.batch, tokens) if self.chance(0.5) else (tokens,)
        value = self.argument(name, self.rng.integers(low, high, shape).astype(np.int32))
        return np.broadcast_to(value, (*self.batch, tokens))

    def visibility(self):
        """What each query sees ([..., 1, queries, keys]), and key - query positions."""
        q_index = np.broadcast_to(np.arange(self.queries), (*self.batch, self.queries))
        k_index = np.broadcast_to(np.arange(self.keys), (*self.batch, self.keys))
        q_segment, k_segment = np.zeros_like(q_index), np.zeros_like(k_index)
        count = np.full((*self.batch, 1), self.keys)
        top_left = self.chance(0.3)
        packed = self.chance(0.25)
        if self.batch and not packed and self.chance(0.4):
            length = self.argument("kv_len", self.rng.integers(0, self.keys + 1, self.batch).astype(np.int32))
            count = length[:, None]
        shift = 0 if top_left else count - self.queries
        visible = (k_index < count)[..., None, :]
        if packed:
            q_index, q_segment, k_index, k_segment, shift = self.pack(top_left)
        q_pos, k_pos = q_index + shift, k_index
        if self.chance(0.25):
            q_pos = self.per_token("q_pos", self.queries, 0, 12)
        if self.chance(0.25):
            k_pos = self.per_token("kv_pos", self.keys, 0, 12)
        if not packed and self.chance(0.25):
            q_segment = self.per_token("q_seg", self.queries, 0, 3)
            k_segment = self.per_token("kv_seg", self.keys, 0, 3)
        distance = k_pos[..., None, :] - q_pos[..., :, None]
        visible = visible & (q_segment[..., :, None] == k_segment[..., None, :])
        if top_left or self.chance(0.5):
            self.masks.append("causal(top_left)" if top_left else "causal")
            visible = visible & (distance <= 0)
        visible = (visible & self.window(distance, k_pos))[..., None, :, :]
        if self.chance(0.3):
            visible = visible & self.mask_tensor()
        if self.masks:
            self.arguments.append("mask = " + " & ".join(self.masks))
        return visible, distance[..., None, :, :]

    def window(self, distance, k_pos):
        if self.chance(0.6):
            return True
        left, right = (int(n) for n in self.rng.integers(0, 4, 2))
        sides = [f"left = {left}"] if self.chance(0.7) else []
        inside = distance >= -left if sides else np.full(distance.shape, True)
        if not sides or self.chance(0.5):
            sides.append(f"right = {right}")
            inside = inside & (distance <= right)
        self.masks.append(f"window({', '.join(sides)})")
        if self.chance(0.5):
            self.arguments.append("pin = 2")
            inside = inside | (k_pos < 2)[..., None, :]
        return inside

    def mask_tensor(self):
        shape = [(self.keys,), (self.heads, self.queries, self.keys), (self.heads, 1, self.keys)][self.rng.integers(3)]
        mask = self.rng.random(shape) < 0.7
        self.masks.append(self.add("m", mask))
        return mask

    def cut(self, tokens, parts):
        """Offsets of sequences; tokens past the last are in none."""
        inner = np.sort(self.rng.integers(0, tokens + 1, parts))
        return np.concatenate([[0], inner]).astype(np.int32)

    def pack(self, top_left):
        parts = int(self.rng.integers(1, 4))
        q_cu = self.argument("q_cu", self.cut(self.queries, parts))
        k_cu = self.argument("kv_cu", self.cut(self.keys, parts))
        q_index, k_index = np.zeros(self.queries, int), np.zeros(self.keys, int)
        q_segment, k_segment = np.full(self.queries, -1), np.full(self.keys, -2)
        for s in range(parts):
            n, m = q_cu[s + 1] - q_cu[s], k_cu[s + 1] - k_cu[s]
            q_index[q_cu[s]:q_cu[s + 1]] = np.arange(n) + (0 if top_left else m - n)
            k_index[k_cu[s]:k_cu[s + 1]] = np.arange(m)
            q_segment[q_cu[s]:q_cu[s + 1]] = k_segment[k_cu[s]:k_cu[s + 1]] = s
        return q_index, q_segment, k_index, k_segment, 0

    def source(self):
        params = ", ".join(f"{name}: {type}" for name, type in self.types.items())
        rows = [*self.batch, *([self.queries, self.heads] if self.shd else [self.heads, self.queries])]
        dims = ", ".join(map(str, rows))
        return (f"graph g({params})\n    -> (o: tensor<f32, [{dims}, {self.value_dim}]>, lse: tensor<f32, [{dims}]>)\n"
                f"{{\n  return attention_lse({', '.join(['q', 'k', 'v', *self.arguments])});\n}}\n")

    def run(self):
        path = f"{folder}/case.agt"
        with open(path, "w") as file:
            file.write(self.source())
        command = ["agtc", "run", "--reference", path, "g", "--f64", f"o={folder}/o.npy", "--f64", f"lse={folder}/l.npy"]
        for name, value in self.inputs.items():
            np.save(f"{folder}/{name}.npy", value)
            command += ["--in", f"{name}={folder}/{name}.npy"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        output, lse = np.load(f"{folder}/o.npy"), np.load(f"{folder}/l.npy")
        if self.shd:
            output, lse = np.swapaxes(output, -3, -2), np.swapaxes(lse, -2, -1)
        for got, want in zip((output, lse), self.want):
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


for number in range(cases):
    case = Case(np.random.default_rng([seed, number]))
    case.build()
    try:
        case.run()
    except Exception:
        print(f"case {number} of seed {seed}:\n{case.source()}")
        raise
print(f"{cases} cases agree")
