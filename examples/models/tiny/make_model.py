#!/usr/bin/env python3
"""Makes a small decoder with seeded weights, and a vocabulary for it.

usage: make_model.py FOLDER [--seed N] [--untied]

Writes one model in three ways, for an .agt file each:

    tiny.bin (llama2.c's layout, "version 0"), tiny.tok     tiny.agt
    tiny.gguf, with its tokenizer                           tiny_gguf.agt
    model.safetensors, tokenizer.json                       tiny_safetensors.agt

What it says makes no sense, and is the same on every machine.
"""

import argparse
import json
import pathlib
import struct

import numpy

import formats

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


# Names in GGUF and in Hugging Face's files, in the order of llama2.c's arrays.
LAYER_NAMES = [
    ("attn_norm", "input_layernorm"),
    ("attn_q", "self_attn.q_proj"),
    ("attn_k", "self_attn.k_proj"),
    ("attn_v", "self_attn.v_proj"),
    ("attn_output", "self_attn.o_proj"),
    ("ffn_norm", "post_attention_layernorm"),
    ("ffn_gate", "mlp.gate_proj"),
    ("ffn_down", "mlp.down_proj"),
    ("ffn_up", "mlp.up_proj"),
]


def named(arrays, hugging):
    """The arrays as tensors by name; one that the output shares stands once."""
    outer = (["model.embed_tokens", "model.norm", "lm_head"] if hugging else
             ["token_embd", "output_norm", "output"])
    prefix = "model.layers." if hugging else "blk."
    tensors = {outer[0] + ".weight": arrays[0]}
    for i, names in enumerate(LAYER_NAMES):
        for layer in range(LAYERS):
            name = f"{prefix}{layer}.{names[hugging]}.weight"
            tensors[name] = arrays[1 + i][layer]
    tensors[outer[1] + ".weight"] = arrays[10]
    if len(arrays) > 12:
        tensors[outer[2] + ".weight"] = arrays[12]
    return tensors


def characters():
    """The vocabulary as SentencePiece has it: U+2581 for a blank."""
    tokens = ["<unk>", "<s>", "</s>"] + ["<0x%02X>" % b for b in range(256)]
    return tokens + [text.replace(" ", "\u2581") for text in TEXTS]


def gguf_tokenizer():
    tokens, key = characters(), "tokenizer.ggml."
    return {
        key + "model": "llama",
        key + "tokens": tokens,
        key + "scores": [0.0] * 259 + [float(len(text)) for text in TEXTS],
        key + "token_type": [2, 3, 3] + [6] * 256 + [1] * len(TEXTS),
        key + "bos_token_id": 1,
        key + "eos_token_id": 2,
    }


def json_tokenizer():
    """The same with merges: longer texts first, from any two that make them."""
    tokens = characters()
    texts = sorted((t for t in tokens[259:] if len(t) > 1), key=len, reverse=True)
    merges = [[text[:i], text[i:]] for text in texts for i in range(1, len(text))
              if text[:i] in tokens and text[i:] in tokens]
    marks = [{"id": i, "content": tokens[i], "single_word": False,
              "lstrip": False, "rstrip": False, "normalized": False,
              "special": True} for i in range(3)]
    blank = "\u2581"
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": marks,
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Prepend", "prepend": blank},
            {"type": "Replace", "pattern": {"String": " "}, "content": blank}]},
        "pre_tokenizer": None,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
                       {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [1],
                                       "tokens": ["<s>"]}}},
        "decoder": {"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": blank}, "content": " "},
            {"type": "ByteFallback"}, {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
        "model": {"type": "BPE", "dropout": None, "unk_token": "<unk>",
                  "fuse_unk": True, "byte_fallback": True,
                  "vocab": {text: i for i, text in enumerate(tokens)},
                  "merges": merges},
    }


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
        arrays = weights(args.seed, not args.untied)
        for array in arrays:
            file.write(array.tobytes())
    (args.folder / "tiny.tok").write_bytes(tokenizer())
    formats.write_gguf(args.folder / "tiny.gguf",
                       {"general.architecture": "llama", **gguf_tokenizer()},
                       named(arrays, hugging=False))
    formats.write_safetensors(args.folder / "model.safetensors",
                              named(arrays, hugging=True))
    (args.folder / "tokenizer.json").write_text(
        json.dumps(json_tokenizer(), ensure_ascii=False, indent=1),
        encoding="utf-8")


if __name__ == "__main__":
    main()
