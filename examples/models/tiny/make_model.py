#!/usr/bin/env python3
"""Makes a small decoder with seeded weights, and a vocabulary for it.

usage: make_model.py FOLDER [--seed N] [--untied]

Writes FOLDER/tiny.bin (llama2.c's layout, "version 0") and FOLDER/tiny.tok
(llama2.c's tokenizer), which tiny.agt reads. What it says makes no sense, and is
the same on every machine.
"""

import argparse
import pathlib
import struct

import numpy

HIDDEN, FFN, LAYERS, HEADS, KV_HEADS, CONTEXT = 32, 48, 2, 4, 2, 64
TEXTS = [" ", "a", "b", "c", "d", "e", " a", "ab", "cd", " ab", "abc", "\n"]
VOCABULARY = 259 + len(TEXTS)


def weights(seed, tied):
    """The arrays in the file's order, float32; rows of unit variance."""
    draw = numpy.random.Generator(numpy.random.PCG64(seed))
    kv = HIDDEN // HEADS * KV_HEADS

    def matrix(*shape):
        scale = shape[-1] ** -0.5
        return (draw.standard_normal(shape) * scale).astype("<f4")

    def norm(*shape):
        return (1 + 0.1 * draw.standard_normal(shape)).astype("<f4")

    arrays = [
        matrix(VOCABULARY, HIDDEN) * 4,  # embedding: logits that differ
        norm(LAYERS, HIDDEN),
        matrix(LAYERS, HIDDEN, HIDDEN),  # wq
        matrix(LAYERS, kv, HIDDEN),  # wk
        matrix(LAYERS, kv, HIDDEN),  # wv
        matrix(LAYERS, HIDDEN, HIDDEN),  # wo
        norm(LAYERS, HIDDEN),
        matrix(LAYERS, FFN, HIDDEN),  # w1
        matrix(LAYERS, HIDDEN, FFN),  # w2
        matrix(LAYERS, FFN, HIDDEN),  # w3
        norm(HIDDEN),
        numpy.zeros((2, CONTEXT, HIDDEN // HEADS // 2), "<f4"),  # unused
    ]
    if not tied:
        arrays.append(matrix(VOCABULARY, HIDDEN) * 4)
    return arrays


def tokenizer():
    """Three marks, 256 raw bytes, then texts; a longer one merges first."""
    tokens = [b"<unk>", b"\n<s>\n", b"\n</s>\n"]
    tokens += [b"<0x%02X>" % byte for byte in range(256)]
    tokens += [text.encode() for text in TEXTS]
    data = struct.pack("<i", max(map(len, tokens)))
    for token in tokens:
        data += struct.pack("<fi", float(len(token)), len(token)) + token
    return data


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--untied", action="store_true")
    args = parser.parse_args()
    vocabulary = -VOCABULARY if args.untied else VOCABULARY
    with open(args.folder / "tiny.bin", "wb") as file:
        file.write(struct.pack("<7i", HIDDEN, FFN, LAYERS, HEADS, KV_HEADS,
                               vocabulary, CONTEXT))
        for array in weights(args.seed, not args.untied):
            file.write(array.tobytes())
    (args.folder / "tiny.tok").write_bytes(tokenizer())


if __name__ == "__main__":
    main()
