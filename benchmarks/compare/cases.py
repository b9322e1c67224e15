"""The work that is compared: shapes, inputs, and the same as graphs of agt.

Arrays are of uniform numbers in [-1, 1), rounded to the type they are stored in, and
lie in one folder as `.npy` files that every worker reads: bf16 as the upper half of an
f32, in 16-bit words.
"""

import dataclasses
import pathlib
import sys
import zlib

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples/models/tiny"))
import formats  # noqa: E402
import make_model  # noqa: E402

NUMPY = {"f32": np.float32, "f16": np.float16, "bf16": np.uint16}


def bf16_of_f32(x: np.ndarray) -> np.ndarray:
    """Words of bf16, rounded to the nearest, ties to even."""
    bits = x.astype(np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def f32_of_bf16(words: np.ndarray) -> np.ndarray:
    return (words.astype(np.uint32) << 16).view(np.float32)


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    title: str

    def arrays(self) -> dict[str, tuple[str, tuple]]:
        """Name of an input: its type and shape."""
        raise NotImplementedError

    def tolerance(self) -> float:
        """How far results of the same work may be apart."""
        raise NotImplementedError

    def difference(self, ours: np.ndarray, theirs: np.ndarray) -> float:
        """How far they are apart, over the largest number."""
        if ours.shape != theirs.shape:
            raise ValueError(f"results of shape {ours.shape} and {theirs.shape}")
        return float(np.max(np.abs(ours - theirs)) / np.max(np.abs(ours)))

    def path(self, folder: pathlib.Path, array: str) -> pathlib.Path:
        dtype, shape = self.arrays()[array]
        return folder / f"{array}-{dtype}-{'x'.join(map(str, shape))}.npy"

    def load(self, folder: pathlib.Path, array: str) -> np.ndarray:
        return np.load(self.path(folder, array), mmap_mode="r")

    def write_inputs(self, folder: pathlib.Path) -> None:
        for array, (dtype, shape) in self.arrays().items():
            path = self.path(folder, array)
            if path.exists():
                continue
            numbers = np.random.default_rng(zlib.crc32(path.name.encode()))
            data = numbers.random(shape, np.float32) * 2 - 1
            data = bf16_of_f32(data) if dtype == "bf16" else data.astype(NUMPY[dtype])
            part = path.with_suffix(".part")
            with open(part, "wb") as file:
                np.save(file, data)
            part.rename(path)


@dataclasses.dataclass(frozen=True)
class Attention(Case):
    """q of f32 [heads, queries, dim], keys and values of `keys_type`."""

    heads: int
    kv_heads: int
    queries: int
    keys: int
    keys_type: str
    causal: bool = False
    dim: int = 128

    def arrays(self):
        keys = self.keys_type, (self.kv_heads, self.keys, self.dim)
        return {"q": ("f32", (self.heads, self.queries, self.dim)), "k": keys, "v": keys}

    def tolerance(self):
        # ggml adds up values of f16 in f16, which shows where rows are few.
        return 1e-5 if self.keys_type == "f32" else 0.05

    def flops(self) -> float:
        pairs = self.queries * self.keys / (2 if self.causal else 1)
        return 4.0 * self.heads * pairs * self.dim

    def bytes_read(self) -> int:
        return 2 * self.kv_heads * self.keys * self.dim * np.dtype(NUMPY[self.keys_type]).itemsize

    def graph(self) -> str:
        keys = f"tensor<{self.keys_type}, [{self.kv_heads}, T, {self.dim}]>"
        queries = f"tensor<f32, [{self.heads}, S, {self.dim}]>"
        mask = ", mask = causal" if self.causal else ""
        return (f"graph {self.name}(q: {queries}, k: {keys}, v: {keys}) -> (o: {queries})\n"
                f"{{\n  return attention(q, k, v{mask});\n}}\n")


@dataclasses.dataclass(frozen=True)
class Product(Case):
    """x [rows, terms] by the transposed of w [columns, terms], as layers have it."""

    rows: int
    terms: int
    columns: int
    dtype: str

    def arrays(self):
        return {"x": (self.dtype, (self.rows, self.terms)), "w": (self.dtype, (self.columns, self.terms))}

    def tolerance(self):
        # agt's result of bf16 is bf16.
        return 1e-5 if self.dtype == "f32" else 2.0 ** -8

    def flops(self) -> float:
        return 2.0 * self.rows * self.terms * self.columns

    def graph(self) -> str:
        of = lambda shape: f"tensor<{self.dtype}, [{', '.join(map(str, shape))}]>"
        return (f"graph {self.name}(x: {of(('M', self.terms))}, w: {of((self.columns, self.terms))})"
                f" -> (o: {of(('M', self.columns))})\n{{\n  return linear(x, w);\n}}\n")


@dataclasses.dataclass(frozen=True)
class Model(Case):
    """A Llama of 206 million seeded weights in a GGUF file: a prompt of `tokens`, or
    as many tokens one by one behind a short prompt."""

    kind: str  # of its matrices, f32 or q8_0
    step: str  # prompt or token
    tokens: int

    LAYERS, HIDDEN, FFN, HEADS, CONTEXT = 16, 1024, 2816, 16, 1024

    def arrays(self):
        return {}

    def path(self, folder: pathlib.Path, array: str = "") -> pathlib.Path:
        return folder / f"llama-{self.kind}.gguf"

    def prompt(self) -> str:
        """Capital letters are a token each; a blank and a mark stand in front."""
        count = self.tokens - 2 if self.step == "prompt" else 14
        return "".join(chr(ord("A") + i * i % 26) for i in range(count))

    def prompt_tokens(self) -> list[int]:
        return [1, 259] + [3 + byte for byte in self.prompt().encode()]

    def written(self) -> int:
        return 1 if self.step == "prompt" else self.tokens + 1

    def matrices(self) -> dict[str, tuple[int, int]]:
        """Of a layer: rows and columns."""
        square, up, down = (self.HIDDEN, self.HIDDEN), (self.FFN, self.HIDDEN), (self.HIDDEN, self.FFN)
        return {"attn_q": square, "attn_k": square, "attn_v": square, "attn_output": square,
                "ffn_gate": up, "ffn_up": up, "ffn_down": down}

    def bytes_read(self) -> int:
        """The matrices that a token is multiplied with."""
        numbers = self.LAYERS * sum(rows * columns for rows, columns in self.matrices().values())
        numbers += make_model.VOCABULARY * self.HIDDEN
        return numbers * 4 if self.kind == "f32" else numbers // 32 * 34

    def tolerance(self):
        # Products of q8_0 have their other side rounded to 8 bits in ggml.
        return 0.5 if self.kind == "f32" else 1.0

    def difference(self, ours: str, theirs: str) -> float:
        """The part of the text that is not the same from its beginning."""
        same = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
        return 1 - same / max(len(ours), len(theirs), 1)

    def write_inputs(self, folder: pathlib.Path) -> None:
        path = self.path(folder)
        if path.exists():
            return
        numbers = np.random.default_rng(1)

        def matrix(rows: int, columns: int):
            spread = columns ** -0.5
            if self.kind == "f32":
                return (numbers.standard_normal((rows, columns), np.float32) * np.float32(spread))
            blocks = np.empty((rows, columns // 32), np.dtype([("scale", "<f2"), ("numbers", "i1", 32)]))
            blocks["numbers"] = numbers.integers(-127, 128, blocks["numbers"].shape, np.int8)
            blocks["scale"] = spread / 74  # the numbers' own spread
            return formats.Blocks((rows, columns), 8, blocks.tobytes())

        ones = np.ones(self.HIDDEN, np.float32)
        tensors = {"token_embd.weight": matrix(make_model.VOCABULARY, self.HIDDEN), "output_norm.weight": ones,
                   "output.weight": matrix(make_model.VOCABULARY, self.HIDDEN)}
        for layer in range(self.LAYERS):
            for name in ("attn_norm", "ffn_norm"):
                tensors[f"blk.{layer}.{name}.weight"] = ones
            for name, (rows, columns) in self.matrices().items():
                tensors[f"blk.{layer}.{name}.weight"] = matrix(rows, columns)
        values = {"general.architecture": "llama", "llama.context_length": self.CONTEXT,
                  "llama.embedding_length": self.HIDDEN, "llama.block_count": self.LAYERS,
                  "llama.feed_forward_length": self.FFN, "llama.attention.head_count": self.HEADS,
                  "llama.attention.head_count_kv": self.HEADS, "llama.rope.freq_base": 10000.0,
                  "llama.rope.dimension_count": self.HIDDEN // self.HEADS,
                  "llama.attention.layer_norm_rms_epsilon": 1e-5, "llama.vocab_size": make_model.VOCABULARY}
        part = path.with_suffix(".part")
        formats.write_gguf(part, {**make_model.gguf_tokenizer(), **values}, tensors)
        part.rename(path)

    def defines(self) -> dict[str, object]:
        """What examples/models/llama.agt is told."""
        return {"LAYERS": self.LAYERS, "HEADS": self.HEADS, "KV_HEADS": self.HEADS,
                "HEAD_DIM": self.HIDDEN // self.HEADS, "VOCAB": make_model.VOCABULARY, "ROPE_BASE": 10000.0,
                "ROPE_FACTOR": 1.0, "CONTEXT": self.CONTEXT}


CASES = {case.name: case for case in (
    Attention("prefill", "attention, 4 heads, 2048 x 2048 x 128, f32", 4, 4, 2048, 2048, "f32"),
    Attention("prefill_f16", "the same, f16 keys and values", 4, 4, 2048, 2048, "f16"),
    Attention("causal", "causal 8192, 8 query on 2 kv heads, f16", 8, 2, 8192, 8192, "f16", causal=True),
    Attention("stacked", "160 stacked rows, 8 on 2 heads, 4096 keys, f16", 8, 2, 160, 4096, "f16"),
    Attention("row_4096", "one row, 8 heads, 4096 keys, f16", 8, 8, 1, 4096, "f16"),
    Attention("row_65536", "one row, 8 heads, 65536 keys, f16", 8, 8, 1, 65536, "f16"),
    Attention("row_32768", "one row, 8 on 2 heads, 32768 keys, f16, Vulkan", 8, 2, 1, 32768, "f16"),
    Product("matmul", "matmul 512 x 4096 x 4096, f32", 512, 4096, 4096, "f32"),
    Product("matmul_bf16", "matmul 512 x 4096 x 4096, bf16", 512, 4096, 4096, "bf16"),
    Model("token_f32", "a token of a 206M Llama, f32", "f32", "token", 32),
    Model("token_q8_0", "a token of a 206M Llama, q8_0", "q8_0", "token", 32),
    Model("prompt_f32", "a prompt of 512 tokens, 206M Llama, f32", "f32", "prompt", 512),
    Model("prompt_q8_0", "a prompt of 512 tokens, 206M Llama, q8_0", "q8_0", "prompt", 512),
)}
