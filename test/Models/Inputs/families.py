"""Decoders of a family with random weights in GGUF files, matrices of each type:
the logits of the program that examples/models/FAMILY.agt makes, on each device, and
those of the interpreter are numpy's in float64. So are the chances of tokens that
are written one by one, by `serve` and by `generate`.

usage: families.py FAMILY EXAMPLES FOLDER   FOLDER is made

What numpy does is written from the models' definitions, whose names it has, and
not from the .agt files.
"""

import http.client
import json
import math
import pathlib
import signal
import subprocess
import sys

import numpy

import blocks
import formats
import make_model

LAYERS, HIDDEN, FFN, VOCAB = 2, 256, 256, make_model.VOCABULARY
# So that numbers are about 1/16, whatever a block's numbers are multiplied with.
SPREADS = {"q4_0": 0.013, "q8_0": 0.0008, "q4_k": 0.0004, "q6_k": 0.000045}
TYPES = ["f32", "f16", "bf16", *SPREADS]
# The one that is asked for a text, token by token.
STEPS = {"llama": "q4_k", "mistral": "f16", "qwen": "q8_0", "qwen2": "bf16",
         "gemma": "q6_k", "gemma3": "q4_0", "phi": "q8_0", "phi2": "f32"}
TOKENS, END = [1, 39, 0, 5, 5, 270, 13, 4, 30], 2
DEVICES = ["cpu", "vulkan"]

#===------------------------------------------------------------------------===#
# What models are made of
#===------------------------------------------------------------------------===#


def rms_norm(x, weight, eps):
    return x / numpy.sqrt((x * x).mean(-1, keepdims=True) + eps) * weight


def layer_norm(x, weight, bias, eps):
    x = x - x.mean(-1, keepdims=True)
    return x / numpy.sqrt((x * x).mean(-1, keepdims=True) + eps) * weight + bias


def silu(x):
    return x / (1 + numpy.exp(-x))


def gelu_tanh(x):
    return x / 2 * (1 + numpy.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def plain_frequencies(dims, base):
    return numpy.array([base ** (-2 * i / dims) for i in range(dims // 2)])


def llama3_frequencies(dims, base, factor, context, low=1, high=4):
    frequencies = []
    for frequency in plain_frequencies(dims, base):
        length = 2 * math.pi / frequency  # of a wave
        if length > context / low:
            frequency /= factor
        elif length >= context / high:
            smooth = (context / length - low) / (high - low)
            frequency *= (1 - smooth) / factor + smooth
        frequencies.append(frequency)
    return numpy.array(frequencies)


def turn(x, frequencies, neighbours):
    """x [heads, tokens, dim]: pairs turn by position times frequency, what has no
    frequency stays. Neighbours are pairs, or i and i + half of what turns."""
    count = 2 * len(frequencies)
    angle = numpy.arange(x.shape[1])[:, None] * frequencies
    if neighbours:
        first, second = slice(0, count, 2), slice(1, count, 2)
    else:
        first, second = slice(0, count // 2), slice(count // 2, count)
    a, b, turned = x[..., first], x[..., second], x.copy()
    turned[..., first] = a * numpy.cos(angle) - b * numpy.sin(angle)
    turned[..., second] = a * numpy.sin(angle) + b * numpy.cos(angle)
    return turned


def split(x, heads):
    return x.reshape(len(x), heads, -1).transpose(1, 0, 2)


def attention(q, k, v, window=None, scale=None, cap=None):
    """A query sees `window` keys, its own the last of them."""
    group = q.shape[0] // k.shape[0]
    k, v = k.repeat(group, 0), v.repeat(group, 0)
    scores = q @ k.transpose(0, 2, 1) * (scale or q.shape[-1] ** -0.5)
    if cap:
        scores = cap * numpy.tanh(scores / cap)
    at = numpy.arange(q.shape[1])
    behind = at[:, None] - at
    scores[:, (behind < 0) | (behind >= (window or len(at)))] = -numpy.inf
    weight = numpy.exp(scores - scores.max(-1, keepdims=True))
    weight /= weight.sum(-1, keepdims=True)
    return (weight @ v).transpose(1, 0, 2).reshape(q.shape[1], -1)


class Layer:
    """The tensors of one layer: layer.linear(x, "attn_q") and so on."""

    def __init__(self, tensors, number):
        self.tensors, self.prefix = tensors, f"blk.{number}."

    def weight(self, name):
        return self.tensors[self.prefix + name + ".weight"]

    def linear(self, x, name):
        bias = self.tensors.get(self.prefix + name + ".bias", 0)
        return x @ self.weight(name).T + bias

    def norm(self, x, name, eps):
        return rms_norm(x, self.weight(name), eps)

    def gated(self, x, activation):
        gate = activation(self.linear(x, "ffn_gate"))
        return self.linear(gate * self.linear(x, "ffn_up"), "ffn_down")


#===------------------------------------------------------------------------===#
# The families
#===------------------------------------------------------------------------===#


def run_llama(w, tokens, neighbours=True, window=None, eps=1e-5, heads=4, shared=2,
              frequencies=None, output="output.weight"):
    """Llama, and what differs from it in a few numbers."""
    x = w["token_embd.weight"][tokens]
    for l in range(LAYERS):
        layer = Layer(w, l)
        h = layer.norm(x, "attn_norm", eps)
        q, k = split(layer.linear(h, "attn_q"), heads), split(layer.linear(h, "attn_k"), shared)
        if "blk.0.attn_q_norm.weight" in w:
            q, k = layer.norm(q, "attn_q_norm", eps), layer.norm(k, "attn_k_norm", eps)
        v = split(layer.linear(h, "attn_v"), shared)
        a = attention(turn(q, frequencies, neighbours), turn(k, frequencies, neighbours), v, window)
        x = x + layer.linear(a, "attn_output")
        x = x + layer.gated(layer.norm(x, "ffn_norm", eps), silu)
    return rms_norm(x, w["output_norm.weight"], eps) @ w[output].T


def llama(w, tokens):
    return run_llama(w, tokens, frequencies=llama3_frequencies(64, 100.0, 8.0, 32.0))


def mistral(w, tokens):
    return run_llama(w, tokens, window=4, frequencies=plain_frequencies(64, 10000.0))


def qwen(w, tokens):
    return run_llama(w, tokens, neighbours=False, eps=1e-6, output="token_embd.weight",
                     frequencies=plain_frequencies(128, 1e6))


def qwen2(w, tokens):
    return run_llama(w, tokens, neighbours=False, eps=1e-6,
                     frequencies=plain_frequencies(64, 1e6))


def gemma(w, tokens):
    frequencies, eps = plain_frequencies(64, 10000.0), 1e-6
    x = w["token_embd.weight"][tokens] * math.sqrt(HIDDEN)
    for l in range(LAYERS):
        layer = Layer(w, l)
        h = layer.norm(x, "attn_norm", eps)
        q = turn(split(layer.linear(h, "attn_q"), 4), frequencies, False)
        k = turn(split(layer.linear(h, "attn_k"), 2), frequencies, False)
        v = split(layer.linear(h, "attn_v"), 2)
        a = attention(q, k, v, None if l % 2 else 4, 1 / math.sqrt(100), cap=2.0)
        x = x + layer.norm(layer.linear(a, "attn_output"), "post_attention_norm", eps)
        f = layer.gated(layer.norm(x, "ffn_norm", eps), gelu_tanh)
        x = x + layer.norm(f, "post_ffw_norm", eps)
    y = rms_norm(x, w["output_norm.weight"], eps) @ w["token_embd.weight"].T
    return 3.0 * numpy.tanh(y / 3.0)


def gemma3(w, tokens):
    eps = 1e-6
    x = w["token_embd.weight"][tokens] * math.sqrt(HIDDEN)
    for l in range(LAYERS):
        layer, sees_all = Layer(w, l), l % 2 == 1
        frequencies = (plain_frequencies(64, 1e6) / 8 if sees_all else
                       plain_frequencies(64, 10000.0))
        h = layer.norm(x, "attn_norm", eps)
        q = layer.norm(split(layer.linear(h, "attn_q"), 4), "attn_q_norm", eps)
        k = layer.norm(split(layer.linear(h, "attn_k"), 1), "attn_k_norm", eps)
        v = split(layer.linear(h, "attn_v"), 1)
        a = attention(turn(q, frequencies, False), turn(k, frequencies, False), v,
                      None if sees_all else 4, 1 / math.sqrt(100))
        x = x + layer.norm(layer.linear(a, "attn_output"), "post_attention_norm", eps)
        f = layer.gated(layer.norm(x, "ffn_norm", eps), gelu_tanh)
        x = x + layer.norm(f, "post_ffw_norm", eps)
    return rms_norm(x, w["output_norm.weight"], eps) @ w["token_embd.weight"].T


def phi(w, tokens):
    frequencies, eps = plain_frequencies(64, 10000.0), 1e-5
    x = w["token_embd.weight"][tokens]
    for l in range(LAYERS):
        layer = Layer(w, l)
        qkv = layer.linear(layer.norm(x, "attn_norm", eps), "attn_qkv")
        q, k, v = numpy.split(qkv, [256, 384], axis=1)
        a = attention(turn(split(q, 4), frequencies, False),
                      turn(split(k, 2), frequencies, False), split(v, 2), window=4)
        x = x + layer.linear(a, "attn_output")
        gate, up = numpy.split(layer.linear(layer.norm(x, "ffn_norm", eps), "ffn_up"), 2, axis=1)
        x = x + layer.linear(silu(gate) * up, "ffn_down")
    return rms_norm(x, w["output_norm.weight"], eps) @ w["output.weight"].T


def phi2(w, tokens):
    frequencies, eps = plain_frequencies(32, 10000.0), 1e-5
    x = w["token_embd.weight"][tokens]
    for l in range(LAYERS):
        layer = Layer(w, l)
        h = layer_norm(x, layer.weight("attn_norm"), w[f"blk.{l}.attn_norm.bias"], eps)
        q, k, v = [split(layer.linear(h, name), 4) for name in ("attn_q", "attn_k", "attn_v")]
        a = attention(turn(q, frequencies, False), turn(k, frequencies, False), v)
        x = x + layer.linear(a, "attn_output") + layer.linear(
            gelu_tanh(layer.linear(h, "ffn_up")), "ffn_down")
    y = layer_norm(x, w["output_norm.weight"], w["output_norm.bias"], eps)
    return y @ w["output.weight"].T + w["output.bias"]


# Matrices of a layer: rows, and columns that are not HIDDEN. Then vectors: norms
# (about 1) and biases. Then those of the whole, and what the .agt file is told.
ATTENTION = {"attn_q": 256, "attn_k": 128, "attn_v": 128, "attn_output": HIDDEN}
GATED = {"ffn_gate": FFN, "ffn_up": FFN, "ffn_down": HIDDEN}
NORMS = {"attn_norm": HIDDEN, "ffn_norm": HIDDEN}
SANDWICH = {**NORMS, "post_attention_norm": HIDDEN, "post_ffw_norm": HIDDEN}
FAMILIES = {
    "llama": (llama, {**ATTENTION, **GATED}, NORMS, {}, ["output"],
              "HEADS=4 KV_HEADS=2 HEAD_DIM=64 ROPE_BASE=100.0 ROPE_CONTEXT=32.0"),
    "mistral": (mistral, {**ATTENTION, **GATED}, NORMS, {}, ["output"],
                "HEADS=4 KV_HEADS=2 HEAD_DIM=64 WINDOW=4"),
    "qwen": (qwen, {**ATTENTION, **GATED, "attn_q": 512, "attn_k": 256, "attn_v": 256},
             {**NORMS, "attn_q_norm": 128, "attn_k_norm": 128}, {}, [],
             "HEADS=4 KV_HEADS=2 HEAD_DIM=128"),
    "qwen2": (qwen2, {**ATTENTION, **GATED}, NORMS,
              {"attn_q": 256, "attn_k": 128, "attn_v": 128}, ["output"],
              "HEADS=4 KV_HEADS=2 HEAD_DIM=64 OUTPUT=output.weight"),
    "gemma": (gemma, {**ATTENTION, **GATED}, SANDWICH, {}, [],
              "HEADS=4 KV_HEADS=2 HEAD_DIM=64 HIDDEN=256 QUERY_SCALAR=100 WINDOW=4 "
              "ATTENTION_CAP=2.0 OUTPUT_CAP=3.0"),
    "gemma3": (gemma3, {**ATTENTION, **GATED, "attn_k": 64, "attn_v": 64},
               {**SANDWICH, "attn_q_norm": 64, "attn_k_norm": 64}, {}, [],
               "HEADS=4 KV_HEADS=1 HEAD_DIM=64 HIDDEN=256 QUERY_SCALAR=100 WINDOW=4 "
               "PERIOD=2 ROPE_SCALE=0.125"),
    "phi": (phi, {"attn_qkv": 512, "attn_output": HIDDEN, "ffn_up": 2 * FFN, "ffn_down": HIDDEN},
            NORMS, {}, ["output"], "HEADS=4 KV_HEADS=2 HEAD_DIM=64 FFN=256 WINDOW=4"),
    "phi2": (phi2, {**ATTENTION, "attn_k": 256, "attn_v": 256, "ffn_up": FFN, "ffn_down": HIDDEN},
             {"attn_norm": HIDDEN},
             {"attn_q": 256, "attn_k": 256, "attn_v": 256, "attn_output": HIDDEN,
              "ffn_up": FFN, "ffn_down": HIDDEN, "attn_norm": HIDDEN},
             ["output", "output bias", "output_norm bias"],
             "HEADS=4 HEAD_DIM=64"),
}
WIDE = {"attn_output": "attn_q"}  # has as many columns as that has rows

#===------------------------------------------------------------------------===#
# Files, programs, comparisons
#===------------------------------------------------------------------------===#


class Model:
    """Random tensors: as a GGUF file has them, and as numbers."""

    def __init__(self, family, kind, seed):
        _, matrices, norms, biases, outer, _ = FAMILIES[family]
        self.draw, self.kind = numpy.random.default_rng(seed), kind
        self.tensors, self.numbers = {}, {}
        self.matrix("token_embd", VOCAB, HIDDEN)
        self.vector("output_norm.weight", HIDDEN, 1)
        for l in range(LAYERS):
            for name, rows in matrices.items():
                columns = matrices.get(WIDE.get(name), HIDDEN)
                self.matrix(f"blk.{l}.{name}", rows, columns)
            for name, size in norms.items():
                self.vector(f"blk.{l}.{name}.weight", size, 1)
            for name, size in biases.items():
                self.vector(f"blk.{l}.{name}.bias", size, 0)
        if "output" in outer:
            self.matrix("output", VOCAB, HIDDEN)
        if "output bias" in outer:
            self.vector("output.bias", VOCAB, 0)
        if "output_norm bias" in outer:
            self.vector("output_norm.bias", HIDDEN, 0)

    def vector(self, name, size, around):
        data = (around + 0.1 * self.draw.standard_normal(size)).astype("<f4")
        self.tensors[name], self.numbers[name] = data, data.astype("f8")

    def matrix(self, name, rows, columns):
        name += ".weight"
        if self.kind in SPREADS:
            data = blocks.random_blocks(self.draw, self.kind, rows, columns,
                                        SPREADS[self.kind])
            number = blocks.FORMATS[self.kind][0]
            self.tensors[name] = formats.Blocks((rows, columns), number, data.tobytes())
            self.numbers[name] = blocks.unpack(self.kind, data)
            return
        data = (self.draw.standard_normal((rows, columns)) / 16).astype("<f4")
        if self.kind == "bf16":
            self.tensors[name] = data.view("<u2")[:, 1::2].copy()
            data = (data.view("<u4") & 0xFFFF0000).view("<f4")
        else:
            data = self.tensors[name] = data.astype({"f32": "<f4", "f16": "<f2"}[self.kind])
        self.numbers[name] = data.astype("f8")

    def write(self, path):
        formats.write_gguf(path, make_model.gguf_tokenizer(), self.tensors)


class Program:
    """What the .agt file of a family makes of a model's file."""

    def __init__(self, family, examples, folder):
        self.reference, *_, defines = FAMILIES[family]
        self.agt, self.gguf = folder / f"{family}.agt", folder / f"{family}.gguf"
        self.source = (examples / f"{family}.agt").read_text()
        self.folder, self.exe = folder, str(folder / "exe")
        self.told = [word for define in
                     f"LAYERS={LAYERS} VOCAB={VOCAB} CONTEXT=64 {defines}".split()
                     for word in ("--define", define)]

    def build(self, model, *options, cache="f32"):
        """`cache`: the type of its keys and values."""
        assert self.source.count("kv: f16;") == 1
        self.agt.write_text(self.source.replace("kv: f16;", f"kv: {cache};"))
        model.write(self.gguf)
        subprocess.run(["agtc", str(self.agt), "-o", self.exe, "--cpu=native",
                        *self.told, *options], check=True)

    def logits(self, device):
        """Of TOKENS, by the program or by the interpreter."""
        numpy.save(self.folder / "t.npy", numpy.array(TOKENS, "<i4"))
        command = (["agtc", "run", *self.told, "--reference", str(self.agt)]
                   if device == "reference" else [self.exe, "run", "--device", device])
        subprocess.run([*command, "decode", "--in", f"tokens={self.folder}/t.npy",
                        "--out", f"{self.folder}/out.npy"], check=True)
        return numpy.load(self.folder / "out.npy")

    def chat(self, device, text, count):
        """The answer's choice, with the chances of its tokens."""
        server = subprocess.Popen([self.exe, "serve", "--port", "0", "--device", device],
                                  stdout=subprocess.PIPE, text=True)
        try:
            host = server.stdout.readline().strip()[len("http://"):-len("/v1")]
            connection = http.client.HTTPConnection(host, timeout=60)
            connection.request("POST", "/v1/chat/completions", json.dumps({
                "model": "chat", "messages": [{"role": "user", "content": text}],
                "temperature": 0, "max_tokens": count, "logprobs": True,
                "top_logprobs": 20}), {"Content-Type": "application/json"})
            reply = connection.getresponse()
            body = reply.read().decode()
            assert reply.status == 200, body
            return json.loads(body)["choices"][0]
        finally:
            server.send_signal(signal.SIGTERM)
            assert server.wait(20) == 0

    def said(self, device, text, count):
        """The same from `generate`."""
        done = subprocess.run([self.exe, "generate", "chat", "--device", device, "--prompt",
                               text, "--tokens", str(count)], stdout=subprocess.PIPE, check=True)
        return done.stdout.decode()[:-1]

    def tokens(self, text):
        done = subprocess.run([self.exe, "tokens", "chat", "--text", text],
                              stdout=subprocess.PIPE, check=True)
        return [int(word) for word in done.stdout.split()]


def check_steps(program, model, kind):
    """A prompt and tokens behind it, one by one: the chances of the likeliest are
    numpy's, which reads everything again for each."""
    text = "ab cd abc"
    prompt = program.tokens(text)
    wanted, tokens = [], list(prompt)
    while len(wanted) < 8:
        logits = program.reference(model.numbers, tokens)[-1]
        largest = logits.max()
        chances = numpy.sort(logits - largest - math.log(numpy.exp(logits - largest).sum()))
        # A file's seed where rounding could choose another is no good.
        assert chances[-1] - chances[-2] > 1e-3, (kind, len(wanted), chances[-2:])
        tokens.append(int(logits.argmax()))
        if tokens[-1] == END:
            break
        wanted.append(chances[:-21:-1])
    assert len(wanted) > 4, (kind, tokens)
    for device in DEVICES:
        got = program.chat(device, text, len(wanted))
        chances = got["logprobs"]["content"]
        assert len(chances) == len(wanted), (kind, device, got, tokens)
        for i, want in enumerate(wanted):
            assert chances[i]["logprob"] == chances[i]["top_logprobs"][0]["logprob"]
            off = numpy.abs([each["logprob"] for each in chances[i]["top_logprobs"]] - want)
            assert off.max() < 1e-3, (kind, device, i, off, want)
        said = program.said(device, text, len(wanted))
        assert said == got["message"]["content"], (kind, device, said, got)


def main():
    family, folder = sys.argv[1], pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True)
    program = Program(family, pathlib.Path(sys.argv[2]), folder)
    for seed, kind in enumerate(TYPES):
        model = Model(family, kind, seed)
        want = program.reference(model.numbers, TOKENS)
        size = numpy.abs(want).max()
        assert 0.1 < size < 1e3, (kind, size)

        def check(device, tolerance):
            off = numpy.abs(program.logits(device) - want).max()
            assert off < tolerance * size, (kind, device, off, size)

        steps = kind == STEPS[family]
        program.build(model, *([] if steps else ["--only", "decode"]))
        check("reference", 1e-6)
        for device in DEVICES:
            check(device, 1e-5)
        if steps:
            check_steps(program, model, kind)
            program.build(model, "--only", "decode", "--target=cpu", cache="f16")
            check("cpu", 3e-3)


if __name__ == "__main__":
    main()
