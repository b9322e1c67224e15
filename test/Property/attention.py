#!/usr/bin/env python3
"""Random attentions with every argument of language.md section 3, run by the
compiled program and by the float64 oracle.

usage: attention.py [--seed N] [--programs N] [--graphs N] [--device D] [--keep DIR]
                    [--without FEATURE] [--mesh | --reproducible]

A case is a handful of choices (Case). One that fails is made smaller, choice by
choice, as long as it fails; what is left is printed as an .agt file and kept
with its .npy files and the commands that show it.

With --mesh every attention is on a mesh of 1 to 8 positions and cut over its
tokens; where they meet on a ring, the way that they do is drawn as well.

With --reproducible the programs are compiled so, and every attention is there several
times: without a mesh, and on meshes of other sizes and balances. All must give the same bits.
"""

import dataclasses
import functools
import pathlib
import random
import sys
import tempfile

import numpy as np

from property import Compared, compare, invalid_spirv, options, run

LENGTHS = [0, 1, 2, 5, 7, 8, 9, 31, 33, 64, 100, 127, 128, 129, 200, 257, 300]
DIMS = [1, 2, 3, 4, 8, 16, 20, 32, 33, 64, 80, 128, 160, 256]
# Choices that a case may leave out, and what it is without them.
ABSENT = {"masks": [], "bias": None, "causal": "", "window": None, "pin": 0, "sink": False,
          "softcap": None, "alibi": False, "q_pos": None, "kv_pos": None, "segments": None, "packed": 0,
          "kv_len": None, "lse": False, "scale": "", "layout": "hsd", "spoil": "", "k_block": 0,
          "v_block": 0, "spread": 1.0, "derived": False, "alias": False,
          "mesh": 0, "balance": "contiguous", "cut": "both", "via": "ring", "policy": ""}


@dataclasses.dataclass
class Case:
    seed: int
    dtype: str = "f32"  # of q and the result
    k_type: str = "f32"
    v_type: str = "f32"
    batch: list = dataclasses.field(default_factory=list)
    kv_heads: int = 1
    group: int = 1
    queries: int = 1
    keys: int = 1
    dim: int = 1
    value_dim: int = 1
    names: bool = False  # dims as names, known only at run time
    masks: list = dataclasses.field(default_factory=list)  # of shapes: which of the dims stretch
    bias: tuple | None = None  # the same, and its type
    causal: str = ""
    window: tuple | None = None
    pin: int = 0
    sink: bool = False
    softcap: float | None = None
    alibi: bool = False
    q_pos: str | None = None  # "tokens" or "batch"
    kv_pos: str | None = None
    segments: str | None = None
    packed: int = 0  # sequences
    kv_len: str | None = None
    lse: bool = False
    scale: str = ""
    layout: str = "hsd"
    spoil: str = ""  # values that are not finite
    k_block: int = 0
    v_block: int = 0
    spread: float = 1.0
    derived: bool = False  # masks and bias are computed by the graph
    alias: bool = False  # queries and keys share what says where they are, and k is v
    mesh: int = 0  # positions
    balance: str = "contiguous"
    cut: str = "both"  # which tokens: "queries", "keys" or both
    via: str = "ring"
    policy: str = ""  # of rings: what the run is forced to

    def heads(self):
        return self.kv_heads * self.group

    def features(self):
        return [name for name, absent in ABSENT.items() if getattr(self, name) != absent]


def random_case(seed: str) -> Case:
    rng = random.Random(seed)
    maybe = lambda p: rng.random() < p
    case = Case(seed=rng.getrandbits(32))
    case.dtype = rng.choice(["f32", "f32", "f16", "bf16"])
    case.k_type = case.v_type = rng.choice([case.dtype, case.dtype, "f32", "f16", "bf16"])
    if maybe(0.2):
        case.k_type, case.k_block = rng.choice(["i8", "f8e4m3"]), rng.choice([1, 3, 16, 64, 500])
    if maybe(0.2):
        case.v_type, case.v_block = rng.choice(["i8", "f8e4m3"]), rng.choice([1, 3, 16, 64, 500])
    case.batch = rng.choice([[], [], [2], [3], [2, 2], [1]])
    scaled = case.k_block or case.v_block
    case.kv_heads, case.group = rng.randint(1, 3), rng.choice([1, 1, 2, 3, 8])
    case.queries, case.keys = rng.choice(LENGTHS), rng.choice(LENGTHS)
    if case.queries == 0 and case.keys == 0:
        case.queries = 5
    if scaled:  # (N + n - 1)/n says how many tokens share a scale: N has to be a name
        case.keys = max(case.keys, 2)
    case.dim = rng.choice(DIMS)
    case.value_dim = case.dim if maybe(0.6) else rng.choice(DIMS)
    case.names = maybe(0.4) or bool(scaled)
    for _ in range(rng.choice([0, 0, 0, 1, 1, 2])):
        case.masks.append((stretching(rng, case), rng.choice(["even", "few", "many", "blocks"])))
    if maybe(0.25):
        case.bias = (stretching(rng, case), rng.choice(["f32", "f16", "bf16"]), maybe(0.3))
    case.causal = rng.choice(["", "", "causal", "causal(top_left)", "causal(bottom_right)"])
    if maybe(0.35):
        case.window = rng.choice([(0, 0), (3, None), (None, 2), (40, 7), (128, 0), (200, None), (1, 1)])
        case.pin = rng.choice([0, 0, 1, 4, 130, 1000])
    case.sink = maybe(0.2)
    case.softcap = rng.choice([None, None, None, 2.0, 30.0])
    case.alibi = maybe(0.2)
    if maybe(0.2):
        case.packed = rng.choice([1, 2, 3, 7])
    elif maybe(0.2):
        case.segments = rng.choice(["tokens", "batch"])
    if maybe(0.15):
        case.q_pos = rng.choice(["tokens", "batch"])
    if maybe(0.15):
        case.kv_pos = rng.choice(["tokens", "batch"])
    if maybe(0.2):
        case.kv_len = rng.choice(["one", "batch"]) if case.batch else "one"
    case.lse = maybe(0.35)
    case.scale = rng.choice(["", "", "", "0.25", "1.0"])
    case.layout = rng.choice(["hsd", "hsd", "shd"])
    case.spoil = rng.choice([""] * 8 + ["nan values", "inf values", "nan keys", "denormal"])
    case.spread = rng.choice([1.0, 1.0, 1.0, 4.0, 60.0])
    if case.spoil == "inf values":
        case.spread = 1.0  # a weight that f32 does not have would be 0 times infinity
    return case


def on_mesh(case: Case) -> Case:
    """The case cut over a mesh."""
    rng = random.Random(case.seed)
    short = lambda n: rng.choice([n, n, 0, 1, 2, 3, 17])
    mesh = rng.choice([1, 2, 2, 3, 4, 5, 8])
    queries, keys = ([rng.choice([n, mesh - 1, 2 * mesh + 1]) for n in (short(case.queries), short(case.keys))])
    case = dataclasses.replace(
        case, mesh=mesh, balance=rng.choice(["contiguous", "zigzag", "striped"]), queries=queries, keys=keys,
        cut=rng.choice(["both"] * 4 + ["queries", "keys"]), derived=rng.random() < 0.3)
    if rng.random() < 0.2:  # every position has all keys: as on one device
        mesh = rng.choice([2, 3])
        return dataclasses.replace(case, mesh=mesh, kv_heads=mesh * rng.randint(1, 2), names=False, via="ulysses")
    policy = rng.choice(["", "pass-kv", "pass-q"]) if case.cut != "queries" else ""
    return dataclasses.replace(case, alias=rng.random() < 0.2, policy=policy)


def twins(case: Case) -> list[Case]:
    """The case on one device and on meshes, tokens in any order."""
    rng = random.Random(case.seed)
    # Long enough for blocks on several positions, or of no token at all.
    short = lambda: rng.choice([0, 1, 127, 128, 129, 200, 385, 640, 900])
    case = dataclasses.replace(case, queries=short(), keys=max(short(), 2 if case.k_block or case.v_block else 0))
    meshes = [(1, "contiguous"), (2, "striped"), (3, "zigzag"), (4, "contiguous"), (5, "zigzag"), (8, "contiguous")]
    return [case] + [dataclasses.replace(case, mesh=mesh, balance=balance,
                                         cut=rng.choice(["both", "both", "keys", "queries"]))
                     for mesh, balance in rng.sample(meshes, 3)]


def stretching(rng, case):
    """Which of [batch..., heads, queries, keys] a mask has whole; leading ones may be missing."""
    whole = [rng.random() < 0.6 for _ in range(len(case.batch) + 3)]
    return tuple(whole[rng.choice([0, 0, len(case.batch), len(case.batch) + 1]):])


def bf16(x):
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


STORED = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "bool": np.bool_, "i8": np.int8}


class Build:
    """A case as an agt graph and its inputs."""

    def __init__(self, case: Case, name: str):
        if case.alias:
            case = dataclasses.replace(
                case, keys=case.queries, value_dim=case.dim, v_type=case.k_type, v_block=case.k_block,
                kv_pos=case.q_pos, packed=0)
        # What a mesh cuts has a name.
        self.keys_dim = "T" if case.alias else "S"
        self.case, self.name = case, name
        self.rng = np.random.default_rng(case.seed)
        self.params, self.inputs = [], {}
        self.arguments = []
        c = case
        order = lambda heads, tokens, dim: c.batch + ([heads, tokens, dim] if c.layout == "hsd"
                                                      else [tokens, heads, dim])
        self.axis = len(c.batch) + (1 if c.layout == "hsd" else 0)
        self.q_shape = order(c.heads(), c.queries, c.dim)
        self.o_shape = order(c.heads(), c.queries, c.value_dim)
        self.tensor("q", c.dtype, self.q_shape, self.uniform(self.q_shape) * c.spread, self.axis)
        self.keys("k", c.k_type, order(c.kv_heads, c.keys, c.dim), c.k_block, c.spread)
        if c.alias:
            self.arguments += [a.replace("k_scale", "v_scale") for a in self.arguments]
        else:
            self.keys("v", c.v_type, order(c.kv_heads, c.keys, c.value_dim), c.v_block, 1.0)
        self.masks()
        self.biases()
        self.tokens()

    def uniform(self, shape):
        return self.rng.uniform(-1, 1, shape)

    def tensor(self, name, dtype, shape, data, tokens=None):
        """`tokens` is the dim of tokens: named, where a mesh cuts it."""
        self.inputs[name] = self.store(dtype, np.asarray(data).reshape(shape))
        self.params.append(f"{name}: {self.type(dtype, shape, tokens, 'T' if name[0] in 'qo' else self.keys_dim)}")

    def type(self, dtype, shape, tokens, letter):
        dims = [letter if self.case.mesh and i == tokens else self.dim(size) for i, size in enumerate(shape)]
        return f"tensor<{dtype}, [{', '.join(dims)}]>"

    def dim(self, size):
        return f"N{size}" if self.case.names and size > 1 else str(size)

    @staticmethod
    def store(dtype, data):
        if dtype == "bf16":
            return bf16(data)
        if dtype == "f8e4m3":
            return np.asarray(data).astype(np.uint8)
        return np.ascontiguousarray(data.astype(STORED[dtype]))

    def keys(self, name, dtype, shape, block, spread):
        c = self.case
        if block:
            heads, tokens = c.kv_heads, c.keys
            if dtype == "i8":
                data = self.rng.integers(-127, 128, shape)
            else:  # raw bits, NaN left out
                data = self.rng.integers(0, 256, shape)
                data = np.where((data & 0x7F) == 0x7F, 0x30, data)
            self.tensor(name, dtype, shape, data, self.axis)
            largest = 127 if dtype == "i8" else 448
            scales = c.batch + [heads, -(-tokens // block)]
            known = self.keys_dim if c.mesh else self.dim(tokens)
            dims = [self.dim(size) for size in scales[:-1]] + [f"({known} + {block} - 1)/{block}"]
            self.params.append(f"{name}s: tensor<f32, [{', '.join(dims)}]>")
            self.inputs[name + "s"] = (self.rng.uniform(0.5, 1, scales) * spread / largest).astype(np.float32)
            self.arguments.append(f"{name}_scale = {name}s")
            return
        data = self.uniform(shape) * spread
        axis = len(shape) - (2 if c.layout == "hsd" else 3)
        if c.spoil and c.keys and c.spoil != "denormal" and c.spoil.endswith("keys" if name == "k" else "values"):
            at = [slice(None)] * len(shape)
            at[axis] = self.rng.integers(0, c.keys, 2)
            data[tuple(at)] = np.nan if c.spoil.startswith("nan") else np.inf
        if c.spoil == "denormal":
            data = data * (1e-39 if dtype != "f16" else 1e-6)
        self.tensor(name, dtype, shape, data, axis)

    def stretched(self, whole):
        c = self.case
        full = c.batch + [c.heads(), c.queries, c.keys]
        return [size if all_there else 1 for size, all_there in zip(full[len(full) - len(whole):], whole)]

    def masks(self):
        c, terms = self.case, []
        if c.causal:
            terms.append(c.causal)
        if c.window:
            left, right = c.window
            sides = [f"left = {left}"] * (left is not None) + [f"right = {right}"] * (right is not None)
            terms.append(f"window({', '.join(sides)})")
        for i, (whole, kind) in enumerate(c.masks):
            shape = self.stretched(whole)
            data = self.rng.random(shape) < {"even": 0.5, "few": 0.02, "many": 0.97, "blocks": 0.5}[kind]
            if kind == "blocks" and shape[-1] > 128:
                data[..., 128:] = False
            self.tensor(f"m{i}", "bool", shape, data)
            terms.append(f"(!m{i})" if c.derived else f"m{i}")
        self.rng.shuffle(terms)
        if terms:
            self.arguments.append("mask = " + " & ".join(terms))
        if c.pin:
            self.arguments.append(f"pin = {c.pin}")

    def biases(self):
        c = self.case
        if c.bias:
            whole, dtype, holes = c.bias
            shape = self.stretched(whole)
            data = self.rng.normal(0, 2, shape)
            if holes:
                data = np.where(self.rng.random(shape) < 0.3, -np.inf, data)
            self.tensor("b", dtype, shape, data)
            self.arguments.append("bias = b + b" if c.derived else "bias = b")
        if c.sink:
            self.tensor("sink", "f32", [c.heads()], self.rng.normal(0, 2, c.heads()))
            self.arguments.append("sink = sink")
        if c.softcap:
            self.arguments.append(f"softcap = {c.softcap}")
        if c.alibi:
            self.tensor("slopes", "f32", [c.heads()], self.rng.uniform(0, 0.1, c.heads()))
            self.arguments.append("alibi = slopes")
        if c.scale:
            self.arguments.append(f"scale = {c.scale}")
        if c.layout != "hsd":
            self.arguments.append(f"layout = {c.layout}")

    def tokens(self):
        c = self.case
        shape = lambda kind, n: (c.batch if kind == "batch" else []) + [n]
        for name, kind, n in (("q_pos", c.q_pos, c.queries), ("kv_pos", c.kv_pos, c.keys)):
            if kind and c.alias and name == "kv_pos":
                self.arguments.append("kv_pos = q_pos")
            elif kind:
                size = shape(kind, n)
                self.tensor(name, "i32", size, self.rng.integers(-5, max(c.keys, c.queries) + 5, size),
                            len(size) - 1)
                self.arguments.append(f"{name} = {name}")
        if c.segments:
            for name, n in (("q_seg", c.queries), ("kv_seg", c.keys)):
                if c.alias and name == "kv_seg":
                    self.arguments.append("kv_seg = q_seg")
                    continue
                size = shape(c.segments, n)
                self.tensor(name, "i32", size, np.sort(self.rng.integers(0, 4, size), axis=-1), len(size) - 1)
                self.arguments.append(f"{name} = {name}")
        if c.packed:
            for name, n in (("q_cu", c.queries), ("kv_cu", c.keys)):
                offsets = np.sort(self.rng.integers(0, n + 1, c.packed + 1))
                # Tokens behind the last are in no sequence.
                offsets[0], offsets[-1] = 0, self.rng.choice([offsets[-1], n])
                self.params.append(f"{name}: tensor<i32, [{c.packed + 1}]>")
                self.inputs[name] = offsets.astype(np.int32)
                self.arguments.append(f"{name} = {name}")
        if c.kv_len:
            size = c.batch if c.kv_len == "batch" else [1]
            self.tensor("kv_len", "i32", size, self.rng.integers(0, c.keys + 2, size))
            self.arguments.append("kv_len = kv_len")

    def results(self):
        found = [("o", self.case.dtype, self.o_shape)]
        if self.case.lse:
            found.append(("lse", "f32", self.o_shape[:-1]))
        return found

    def text(self):
        call = "attention_lse" if self.case.lse else "attention"
        # Of the log-sums the heads stand last where layout is shd.
        results = ", ".join(f"{name}: {self.type(dtype, shape, self.axis, 'T')}"
                            for name, dtype, shape in self.results())
        arguments = ", ".join(["q", "k", "k" if self.case.alias else "v"] + self.arguments)
        return (f"graph {self.name}({', '.join(self.params)})\n    -> ({results})\n"
                f"{self.mesh()}{{\n{self.shards()}  return {call}({arguments});\n}}\n")

    def mesh(self):
        return f"    on mesh{self.case.mesh}\n" if self.case.mesh else ""

    def shards(self):
        c = self.case
        if not c.mesh:
            return ""
        keys = ("k" if c.alias else "k, v", self.keys_dim)
        cut = {"both": [("q", "T"), keys], "queries": [("q", "T")], "keys": [keys]}[c.cut]
        return "".join(f"  shard {names} by {dim} over cp balance {c.balance} via {c.via};\n" for names, dim in cut)


def decoded(array, dtype):
    if dtype == "bf16" and array.dtype == np.uint16:
        return (array.astype(np.uint32) << 16).view(np.float32)
    return array


def check(build: Build, source, program, folder, device):
    """What is wrong, or None."""
    results = {name: functools.partial(decoded, dtype=dtype) for name, dtype, _ in build.results()}
    c = build.case
    forced = ("--policy", c.policy) if c.mesh and c.via == "ring" and c.cut != "queries" and c.policy else ()
    return compare(build.name, build.inputs, results, source, program, folder, device, forced)


def check_twins(builds, source, program, folder, device):
    """What is wrong with builds of one case, or None."""
    for build in builds:
        if wrong := check(build, source, program, folder, device):
            return wrong
    for name, _, _ in builds[0].results():
        path = lambda build: folder / f"{build.name}.got.{name}.npy"
        first = np.load(path(builds[0]))
        for build in builds[1:]:
            other = np.load(path(build))
            if differ := int((first.view(np.uint8) != other.view(np.uint8)).sum() if first.ndim else 0):
                return (f"{differ} bytes of {name} are not those without a mesh: {path(build)} over "
                        f"{build.case.mesh} positions, {build.case.balance}, cut {build.case.cut}")
    return None


def compile_graphs(builds, folder, name, device, more=()):
    """The program, or what agtc says."""
    source, program = folder / f"{name}.agt", folder / name
    meshes = sorted({b.case.mesh for b in builds} - {0})
    source.write_text("\n".join([f"mesh mesh{n} {{ axes: cp = {n}; }}" for n in meshes] + [b.text() for b in builds]))
    # Parts of a block each: keys are split wherever rows are few.
    done = run(["agtc", f"--target={device}", "--split-keys=64", *more, str(source), "-o", str(program)])
    return source, program, done.stderr if done.returncode else None


def smaller(case: Case):
    """Cases with one choice less or one size less."""
    for name in case.features():
        changes = {name: ABSENT[name]}
        if name in ("k_block", "v_block"):
            changes[name[0] + "_type"] = case.dtype
        if name == "window":
            changes["pin"] = 0
        yield dataclasses.replace(case, **changes)
    if len(case.masks) > 1:
        yield dataclasses.replace(case, masks=case.masks[:1])
    if case.batch and not (case.masks or case.bias):
        yield dataclasses.replace(case, batch=[], kv_len=case.kv_len and "one")
    for name in ("dtype", "k_type", "v_type"):
        if getattr(case, name) in ("f16", "bf16"):
            yield dataclasses.replace(case, **{name: "f32"})
    if case.names and not (case.k_block or case.v_block):
        yield dataclasses.replace(case, names=False)
    for name in ("kv_heads", "group", "queries", "keys", "dim", "value_dim"):
        size = getattr(case, name)
        least = 2 if name == "keys" and (case.k_block or case.v_block) else 1
        for less in sorted({least, size // 2, size - 1}):
            if least <= less < size:
                yield dataclasses.replace(case, **{name: less})


def shrink(case: Case, builds_of, folder, device, more, tries=150):
    """A smaller case that fails too, and what is wrong with it."""
    def failure(case):
        builds = builds_of(case, "smallest")
        source, program, trouble = compile_graphs(builds, folder, "smallest", device, more)
        return f"agtc failed\n{trouble}" if trouble else check_twins(builds, source, program, folder, device)

    wrong, progress = failure(case), True
    while wrong and progress and tries > 0:
        progress = False
        for candidate in smaller(case):
            tries -= 1
            if found := failure(candidate):
                case, wrong, progress = candidate, found, True
                break
            if tries <= 0:
                break
    if wrong:
        failure(case)  # its files are the last ones
    return case, wrong


def main() -> int:
    parser = options(__doc__, "a feature to leave out (see Case)")
    parser.add_argument("--mesh", action="store_true")
    parser.add_argument("--reproducible", action="store_true")
    arguments = parser.parse_args()
    more = ("--reproducible",) if arguments.reproducible else ()

    def builds_of(case, name):
        return [Build(twin, f"{name}.{i}".replace(".", "_")) for i, twin in
                enumerate(twins(case) if arguments.reproducible else [case])]

    print(f"seed {arguments.seed}: {arguments.programs} programs of {arguments.graphs} attentions", flush=True)
    failures = 0
    for number in range(arguments.programs):
        seed = arguments.seed + number
        cases = [random_case(f"{seed}.{i}") for i in range(arguments.graphs)]
        cases = [on_mesh(c) for c in cases] if arguments.mesh else cases
        cases = [dataclasses.replace(c, **{f: ABSENT[f] for f in arguments.without}) for c in cases]
        folder = pathlib.Path(arguments.keep or tempfile.mkdtemp(prefix="agt-attention-")) / str(seed)
        folder.mkdir(parents=True, exist_ok=True)
        builds = [builds_of(case, f"g{i}") for i, case in enumerate(cases)]
        source, program, trouble = compile_graphs(sum(builds, []), folder, "graphs", arguments.device, more)
        if trouble:
            print(f"seed {seed}: agtc failed on {source}\n{trouble}")
            failures += 1
            continue
        if number == 0 and arguments.device == "vulkan" and (wrong := invalid_spirv(source, folder)):
            print(f"seed {seed}: {wrong}")
            failures += 1
        for case, group in zip(cases, builds):
            wrong = check_twins(group, source, program, folder, arguments.device)
            if not wrong:
                for build in group:
                    for path in folder.glob(f"{build.name}.*.npy"):
                        path.unlink()
                continue
            failures += 1
            print(f"seed {seed}, graph {group[0].name}: {wrong}\n{group[0].text()}", flush=True)
            if failures <= 3:
                small, wrong = shrink(case, builds_of, folder, arguments.device, more)
                print(f"smallest case that fails ({folder}/smallest.agt): {wrong}\n{Build(small, 'smallest').text()}",
                      flush=True)
    print(f"{arguments.programs * arguments.graphs} cases, {failures} failed")
    if wrong := Compared.closes():
        print(wrong)
        failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
