"""Random graphs of agt, with inputs for them.

A graph is grown value by value: each step draws a function of language.md
section 3 and operands whose shapes suit it, making new parameters where none
do. Sizes are drawn small and awkward (1, odd, one past a power of two, and
now and then 0).
A dim is written as a number or as a name bound by a parameter, at random, so
that both compiled-in and run-time sizes are met.

Functions that are not continuous (comparisons, argmax, casts to integers, ids)
take inputs only, never computed floats: there the last bit decides, and both
answers are right.
"""

import dataclasses
import random

import numpy as np

SIZES = [1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 31, 33, 64]
HEAD_DIMS = [1, 2, 3, 4, 8, 16, 20, 32, 33, 64, 80, 128, 160, 256]
UNARY = ["exp", "tanh", "sigmoid", "silu", "gelu", "gelu_tanh", "relu", "abs", "cos", "sin"]
NUMPY = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "i64": np.int64,
         "i8": np.int8, "bool": np.bool_}


@dataclasses.dataclass
class Value:
    name: str
    shape: tuple
    dtype: str
    is_input: bool = False


class Graph:
    """One graph: its text, and its inputs by name."""

    def __init__(self, name: str, rng: random.Random, without=()):
        self.name = name
        self.rng = rng
        self.id_types = [t for t in ("i32", "i64") if t not in without]
        self.numbers = np.random.default_rng(rng.getrandbits(63))
        self.params: list[str] = []
        self.inputs: dict[str, np.ndarray] = {}
        self.lines: list[str] = []
        self.values: list[Value] = []
        self.dims: dict[int, str] = {}
        self.results: list[Value] = []

    # Parts of the text.

    def dim(self, size: int) -> str:
        """A size as a parameter's dim: a number, or a name for it. A 1 is
        written, for only then does it stretch to another dim."""
        if size == 1 or self.rng.random() < 0.5:
            return str(size)
        return self.dims.setdefault(size, f"N{len(self.dims)}")

    def param(self, shape, dtype="f32", data=None) -> Value:
        name = f"p{len(self.params)}"
        dims = ", ".join(self.dim(size) for size in shape)
        self.params.append(f"{name}: tensor<{dtype}, [{dims}]>")
        if data is None:
            data = self.random_data(shape, dtype)
        self.inputs[name] = np.ascontiguousarray(data.astype(NUMPY[dtype])).reshape(shape)
        value = Value(name, tuple(shape), dtype, True)
        self.values.append(value)
        return value

    def random_data(self, shape, dtype):
        if dtype == "bool":
            return self.numbers.random(shape) < 0.5
        if dtype in ("i32", "i64", "i8"):
            return self.numbers.integers(-100, 100, shape)
        data = np.clip(self.numbers.standard_normal(shape), -4, 4)
        # Now and then so small that products vanish, or subnormal.
        return data * 10.0 ** self.numbers.uniform(-44, -20) if self.rng.random() < 0.05 else data

    def let(self, text: str, shape, dtype) -> Value:
        name = f"v{len(self.lines)}"
        self.lines.append(f"  let {name} = {text};")
        value = Value(name, tuple(shape), dtype)
        self.values.append(value)
        return value

    def size(self) -> int:
        return 0 if self.rng.random() < 0.03 else self.rng.choice(SIZES)

    def pick(self, rank=None, dtype=("f32", "f16"), inputs=False) -> Value:
        """A value that suits, or a new parameter."""
        found = [v for v in self.values
                 if (rank is None or len(v.shape) >= rank) and v.dtype in dtype
                 and (v.is_input or not inputs)]
        if found and self.rng.random() < 0.8:
            return self.rng.choice(found)
        rank = max(rank or 0, self.rng.randint(1, 3))
        return self.param([self.size() for _ in range(rank)], self.rng.choice(dtype))

    # Steps. Each adds one value.

    def unary(self):
        x = self.pick()
        return self.let(f"{self.rng.choice(UNARY)}({x.name})", x.shape, x.dtype)

    def positive_unary(self):
        x = self.pick()
        function = self.rng.choice(["log", "sqrt", "rsqrt"])
        return self.let(f"{function}(abs({x.name}) + 0.5)", x.shape, x.dtype)

    def partner(self, x: Value) -> tuple[str, tuple]:
        """Something that broadcasts with x, and the shape of both together."""
        kind = self.rng.randrange(4)
        if kind == 0:
            return self.rng.choice(["0.5", "2.0", "-1.25", "3"]), x.shape
        if kind == 1:
            return x.name, x.shape
        shape = [1 if self.rng.random() < 0.3 else size for size in x.shape]
        if self.rng.random() < 0.3:
            shape = shape[self.rng.randint(0, len(shape)):]
        if not shape:
            return "1.5", x.shape
        same = [v for v in self.values if v.shape == tuple(shape) and v.dtype == x.dtype]
        y = self.rng.choice(same) if same and kind == 2 else self.param(shape, x.dtype)
        return y.name, x.shape

    def binary(self):
        x = self.pick()
        other, shape = self.partner(x)
        operator = self.rng.choice(["+", "-", "*"])
        if self.rng.random() < 0.2:
            call = self.rng.choice(["max", "min"])
            return self.let(f"{call}({x.name}, {other})", shape, x.dtype)
        if self.rng.random() < 0.15:
            return self.let(f"{x.name} / (abs({other}) + 1.0)" if not other[0].isdigit()
                            and other[0] != "-" else f"{x.name} / {other.lstrip('-')}", shape, x.dtype)
        return self.let(f"{x.name} {operator} {other}", shape, x.dtype)

    def integer(self):
        x = self.pick(dtype=("i32",), inputs=True)
        other = self.rng.choice(["3", "7", x.name])
        operator = self.rng.choice(["+", "-", "*"])
        return self.let(f"{x.name} {operator} {other}", x.shape, x.dtype)

    def where(self):
        x = self.pick(inputs=True)
        y = self.param(x.shape, x.dtype)
        compare = self.rng.choice(["<", "<=", ">", ">=", "==", "!="])
        return self.let(f"where({x.name} {compare} {y.name}, {x.name}, {self.rng.choice(['0.0', y.name])})",
                        x.shape, x.dtype)

    def cast(self):
        x = self.pick()
        to = "f16" if x.dtype == "f32" else "f32"
        return self.let(f"cast({x.name}, {to})", x.shape, to)

    def cast_integer(self):
        x = self.pick(inputs=True)
        to = self.rng.choice(["i32", "i8"])
        return self.let(f"cast({x.name} * 10.0, {to})" if x.dtype == "f32" else f"cast({x.name}, {to})",
                        x.shape, to)

    def reduce(self):
        x = self.pick(rank=1)
        axis = self.rng.randrange(len(x.shape))
        keep = self.rng.random() < 0.5
        shape = [size for i, size in enumerate(x.shape) if i != axis or keep]
        if keep:
            shape[axis] = 1
        call = self.rng.choice(["sum", "mean", "amax", "amin"])
        written = axis if self.rng.random() < 0.5 else axis - len(x.shape)
        keep_text = ", keep = true" if keep else ""
        return self.let(f"{call}({x.name}, axis = {written}{keep_text})", shape, x.dtype)

    def argmax(self):
        x = self.pick(rank=1, inputs=True)
        axis = self.rng.randrange(len(x.shape))
        shape = [size for i, size in enumerate(x.shape) if i != axis]
        return self.let(f"argmax({x.name}, axis = {axis})", shape, "i32")

    def topk(self):
        x = self.pick(rank=1, inputs=True)
        k = self.rng.randint(min(x.shape[-1], 1), min(x.shape[-1], 6))
        name = f"v{len(self.lines)}"
        self.lines.append(f"  let ({name}, {name}i) = topk({x.name}, {k});")
        values = Value(name, x.shape[:-1] + (k,), x.dtype)
        indices = Value(name + "i", x.shape[:-1] + (k,), "i32")
        self.values += [values, indices]
        return indices

    def softmax(self):
        x = self.pick(rank=1)
        axis = self.rng.randrange(len(x.shape))
        return self.let(f"softmax({x.name}, axis = {axis})", x.shape, x.dtype)

    def norm(self):
        x = self.far_from_one() if self.rng.random() < 0.3 else self.pick(rank=1)
        w = self.param([x.shape[-1]], x.dtype)
        eps = self.rng.choice(["", ", eps = 1e-5", ", eps = 1e-30", ", eps = 0.0", ", eps = 3.0"])
        if self.rng.random() < 0.5:
            return self.let(f"rms_norm({x.name}, {w.name}{eps})", x.shape, x.dtype)
        b = self.param([x.shape[-1]], x.dtype)
        return self.let(f"layer_norm({x.name}, {w.name}, {b.name}{eps})", x.shape, x.dtype)

    def far_from_one(self):
        """Rows of magnitudes that f32 has and their squares do not; only for
        functions that take them."""
        shape = [self.size() for _ in range(self.rng.randint(1, 3))]
        magnitudes = 10.0 ** self.numbers.uniform(-44, 37, shape[:-1] + [1])
        data = self.numbers.standard_normal(shape).clip(-3, 3) * magnitudes
        x = self.param(shape, "f32", data)
        self.values.remove(x)
        return x

    def matmul(self):
        x = self.pick(rank=2)
        n = self.size()
        lead = list(x.shape[:-2]) if self.rng.random() < 0.5 else []
        y = self.param(lead + [x.shape[-1], n], x.dtype)
        return self.let(f"matmul({x.name}, {y.name})", x.shape[:-1] + (n,), x.dtype)

    def linear(self):
        x = self.pick(rank=1)
        n = self.size()
        w = self.param([n, x.shape[-1]], x.dtype)
        bias = f", {self.param([n], x.dtype).name}" if self.rng.random() < 0.4 else ""
        return self.let(f"linear({x.name}, {w.name}{bias})", x.shape[:-1] + (n,), x.dtype)

    def transpose(self):
        x = self.pick(rank=2)
        order = list(range(len(x.shape)))
        self.rng.shuffle(order)
        return self.let(f"transpose({x.name}, {order})", [x.shape[i] for i in order], x.dtype)

    def reshape(self):
        x = self.pick(rank=1)
        total = int(np.prod(x.shape))
        if total == 0:
            first = self.size()
            return self.let(f"reshape({x.name}, [{first}, 0])", [first, 0], x.dtype)
        first = self.rng.choice([f for f in range(1, min(total, 64) + 1) if total % f == 0])
        return self.let(f"reshape({x.name}, [{first}, -1])", [first, total // first], x.dtype)

    def slice(self):
        x = self.pick(rank=1)
        axis = self.rng.randrange(len(x.shape))
        start = self.rng.randint(0, max(x.shape[axis] - 1, 0))
        stop = self.rng.randint(min(start + 1, x.shape[axis]), x.shape[axis])
        shape = list(x.shape)
        shape[axis] = stop - start
        return self.let(f"slice({x.name}, axis = {axis}, start = {start}, stop = {stop})", shape, x.dtype)

    def concat(self):
        x = self.pick(rank=1)
        axis = self.rng.randrange(len(x.shape))
        shape = list(x.shape)
        shape[axis] = self.size()
        y = self.param(shape, x.dtype)
        total = list(x.shape)
        total[axis] += shape[axis]
        return self.let(f"concat({x.name}, {y.name}, axis = {axis})", total, x.dtype)

    def rope(self):
        tokens, dim = self.size(), 2 * self.rng.choice([1, 2, 4, 8, 16, 32])
        heads = self.rng.randint(1, 3)
        x = self.param([heads, tokens, dim], self.rng.choice(["f32", "f16"]))
        far = self.rng.choice([100, 100_000, 2_000_000])
        pos = self.param([tokens], "i32", self.numbers.integers(0, far, tokens))
        pairs = self.rng.choice(["interleaved", "halves"])
        dims = f", dims = {self.rng.randrange(2, dim + 1, 2)}" if self.rng.random() < 0.3 else ""
        base = self.rng.choice(["", ", base = 500_000", ", base = 1e6"])
        return self.let(f"rope({x.name}, {pos.name}{base}, pairs = {pairs}{dims})", x.shape, x.dtype)

    def embed(self):
        rows, width, count = self.size(), self.size(), self.size()
        rows = rows or (1 if count else 0)
        table = self.param([rows, width], self.rng.choice(["f32", "f16"]))
        ids = self.param([count], self.rng.choice(self.id_types), self.numbers.integers(0, max(rows, 1), count))
        return self.let(f"embed({table.name}, {ids.name})", (count, width), table.dtype)

    def iota(self):
        n = self.size()
        return self.let(f"cast(iota({n}), f32) * 0.125", (n,), "f32")

    def heads(self):
        count, width, tokens = self.rng.randint(1, 4), self.size(), self.size()
        x = self.param([tokens, count * width], self.rng.choice(["f32", "f16"]))
        split = self.let(f"heads({x.name}, {count})", (count, tokens, width), x.dtype)
        if self.rng.random() < 0.5:
            return split
        return self.let(f"unheads({split.name})", x.shape, x.dtype)

    def attention(self):
        dtype = self.rng.choice(["f32", "f32", "f16"])
        kv_heads, group = self.rng.randint(1, 3), self.rng.randint(1, 4)
        dim, value_dim = self.rng.choice(HEAD_DIMS), self.rng.choice(HEAD_DIMS)
        if self.rng.random() < 0.6:
            value_dim = dim
        lengths = [0, 1, 2, 7, 8, 9, 31, 64, 100, 127, 128, 129, 200, 300]
        queries, keys = self.rng.choice(lengths), self.rng.choice(lengths)
        if queries == 0 and keys == 0:
            queries = 5
        batch = [self.rng.randint(1, 3)] if self.rng.random() < 0.3 else []
        bounded = lambda shape: self.numbers.uniform(-1, 1, shape)
        spread = self.rng.choice([1.0, 1.0, 4.0])
        q_shape = batch + [kv_heads * group, queries, dim]
        q = self.param(q_shape, dtype, bounded(q_shape) * spread)
        k_shape, v_shape = batch + [kv_heads, keys, dim], batch + [kv_heads, keys, value_dim]
        k = self.param(k_shape, dtype, bounded(k_shape) * spread)
        v = self.param(v_shape, dtype, bounded(v_shape))
        mask = self.rng.choice(["", ", mask = causal", ", mask = causal(top_left)", ", mask = causal(bottom_right)"])
        scale = self.rng.choice(["", "", ", scale = 0.25", ", scale = 1"])
        return self.let(f"attention({q.name}, {k.name}, {v.name}{mask}{scale})",
                        batch + [kv_heads * group, queries, value_dim], dtype)

    STEPS = [(unary, 4), (positive_unary, 1), (binary, 6), (integer, 1), (where, 1), (cast, 1),
             (cast_integer, 1), (reduce, 3), (argmax, 1), (topk, 1), (softmax, 2), (norm, 2),
             (matmul, 2), (linear, 2), (transpose, 2), (reshape, 2), (slice, 2), (concat, 1),
             (rope, 2), (embed, 1), (iota, 1), (heads, 1), (attention, 6)]

    def grow(self) -> "Graph":
        steps, weights = zip(*self.STEPS)
        last = None
        for step in self.rng.choices(steps, weights, k=self.rng.randint(1, 5)):
            last = step(self)
        results = [last]
        computed = [v for v in self.values if not v.is_input and v is not last]
        if computed and self.rng.random() < 0.4:
            results.append(self.rng.choice(computed))
        self.results = results
        return self

    def text(self) -> str:
        # A name must be bound by a parameter that has it bare: all are.
        types = [f"r{i}: tensor<{v.dtype}, [{', '.join(str(s) for s in v.shape)}]>"
                 for i, v in enumerate(self.results)]
        body = "\n".join(self.lines)
        returned = ", ".join(v.name for v in self.results)
        returned = f"({returned})" if len(self.results) > 1 else returned
        return (f"graph {self.name}({', '.join(self.params)})\n    -> ({', '.join(types)})\n"
                f"{{\n{body}\n  return {returned};\n}}\n")
