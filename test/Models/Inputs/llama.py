"""A Llama decoder in numpy's float64, and llama2.c's tokenizer, both written
from their definitions: what programs are compared with.

usage: llama.py logits MODEL.bin TOKENS.npy OUT.npy ATOL
       llama.py greedy MODEL.bin TOKENIZER N [TEXT]   N tokens behind TEXT
       llama.py encode TOKENIZER TEXT            its tokens
"""

import struct
import sys

import numpy


def read_model(path):
    data = open(path, "rb").read()
    hidden, ffn, layers, heads, kv_heads, vocab, context = struct.unpack(
        "<7i", data[:28])
    values = numpy.frombuffer(data, "<f4", offset=28).astype(numpy.float64)
    at = 0

    def take(*shape):
        nonlocal at
        size = int(numpy.prod(shape))
        at += size
        return values[at - size:at].reshape(shape)

    kv = hidden // heads * kv_heads
    model = {"heads": heads, "kv_heads": kv_heads, "layers": layers}
    model["embedding"] = take(abs(vocab), hidden)
    for name, shape in [("norm1", (hidden,)), ("wq", (hidden, hidden)),
                        ("wk", (kv, hidden)), ("wv", (kv, hidden)),
                        ("wo", (hidden, hidden)), ("norm2", (hidden,)),
                        ("w1", (ffn, hidden)), ("w2", (hidden, ffn)),
                        ("w3", (ffn, hidden))]:
        model[name] = take(layers, *shape)
    model["norm"] = take(hidden)
    take(2, context, hidden // heads // 2)
    model["output"] = (model["embedding"] if vocab > 0
                       else take(abs(vocab), hidden))
    return model


def rms_norm(x, weight):
    return x / numpy.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * weight


def rope(x):
    """x [heads, tokens, dim]; neighbours turn together."""
    dim = x.shape[-1]
    rate = 10000.0 ** (-numpy.arange(0, dim, 2) / dim)
    angle = numpy.arange(x.shape[1])[:, None] * rate
    even, odd = x[..., 0::2], x[..., 1::2]
    turned = numpy.empty_like(x)
    turned[..., 0::2] = even * numpy.cos(angle) - odd * numpy.sin(angle)
    turned[..., 1::2] = even * numpy.sin(angle) + odd * numpy.cos(angle)
    return turned


def logits(model, tokens, left=None, pin=0):
    """With `left`, of keys before a query's own no more than so many, and the first
    `pin`."""
    x = model["embedding"][tokens]
    count = len(tokens)
    hidden = numpy.triu(numpy.ones((count, count), bool), 1)
    if left is not None:
        query, key = numpy.ogrid[:count, :count]
        hidden |= (query - key > left) & (key >= pin)

    def split(y, heads):
        return y.reshape(count, heads, -1).transpose(1, 0, 2)

    for l in range(model["layers"]):
        h = rms_norm(x, model["norm1"][l])
        q = rope(split(h @ model["wq"][l].T, model["heads"]))
        k = rope(split(h @ model["wk"][l].T, model["kv_heads"]))
        v = split(h @ model["wv"][l].T, model["kv_heads"])
        group = model["heads"] // model["kv_heads"]
        k, v = k.repeat(group, 0), v.repeat(group, 0)
        scores = q @ k.transpose(0, 2, 1) / numpy.sqrt(q.shape[-1])
        scores[:, hidden] = -numpy.inf
        weight = numpy.exp(scores - scores.max(-1, keepdims=True))
        weight /= weight.sum(-1, keepdims=True)
        a = (weight @ v).transpose(1, 0, 2).reshape(count, -1)
        x = x + a @ model["wo"][l].T
        f = rms_norm(x, model["norm2"][l])
        gate = f @ model["w1"][l].T
        g = gate / (1 + numpy.exp(-gate)) * (f @ model["w3"][l].T)
        x = x + g @ model["w2"][l].T
    return rms_norm(x, model["norm"]) @ model["output"].T


def read_tokenizer(path):
    data = open(path, "rb").read()
    at, tokens = 4, []
    while at < len(data):
        score, length = struct.unpack_from("<fi", data, at)
        tokens.append((data[at + 8:at + 8 + length], score))
        at += 8 + length
    return tokens


def encode(tokenizer, text):
    """The best pair first, each time anew."""
    numbers = {text: i for i, (text, _) in reversed(
        [*enumerate(tokenizer)][259:])}
    result = []
    for character in " " + text if text else "":
        raw = character.encode()
        if raw in numbers:
            result.append((numbers[raw], raw))
        else:
            result += [(3 + byte, None) for byte in raw]
    while True:
        best = None
        for i in range(len(result) - 1):
            a, b = result[i][1], result[i + 1][1]
            if a is None or b is None or a + b not in numbers:
                continue
            token = numbers[a + b]
            if best is None or tokenizer[token][1] > tokenizer[best[0]][1]:
                best = (token, i)
        if best is None:
            return [1] + [token for token, _ in result]
        token, i = best
        result[i:i + 2] = [(token, tokenizer[token][0])]


def decode(tokenizer, tokens):
    text, previous = b"", None
    for token in tokens:
        piece = tokenizer[token][0]
        if token < 3:
            piece = b""
        elif token < 259:
            piece = bytes([token - 3])
        elif previous == 1 and piece.startswith(b" "):
            piece = piece[1:]
        text += piece
        previous = token
    return text


def greedy(model, tokenizer, tokens, new, **seen):
    """The text that the model writes behind `tokens`."""
    tokens, count = list(tokens), len(tokens)
    for _ in range(new):
        tokens.append(int(logits(model, tokens, **seen)[-1].argmax()))
        if tokens[-1] in (1, 2):
            break
    # What stands before says whether a blank in front is the text's.
    text = decode(tokenizer, tokens[count - 1:])
    return text[len(decode(tokenizer, tokens[count - 1:count])):]


def main():
    command = sys.argv[1]
    if command == "logits":
        model, tokens, got, atol = sys.argv[2:6]
        want = logits(read_model(model), numpy.load(tokens))
        got = numpy.load(got)
        assert got.shape == want.shape and got.dtype == numpy.float32
        worst = numpy.abs(got - want).max()
        assert worst <= float(atol), f"logits depart by {worst}"
        print("logits agree")
    elif command == "greedy":
        model, tokenizer = read_model(sys.argv[2]), read_tokenizer(sys.argv[3])
        tokens = encode(tokenizer, "".join(sys.argv[5:]))
        sys.stdout.buffer.write(greedy(model, tokenizer, tokens, int(sys.argv[4])) + b"\n")
    elif command == "encode":
        print(*encode(read_tokenizer(sys.argv[2]), sys.argv[3]))


if __name__ == "__main__":
    main()
