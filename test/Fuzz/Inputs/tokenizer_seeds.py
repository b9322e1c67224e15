"""Writes the files that gguf_fuzz and tokenizer_fuzz start from.

usage: tokenizer_seeds.py FOLDER

FOLDER/gguf: weights alone, and both kinds of tokenizers; FOLDER/json: both kinds
of tokenizer.json. Vocabularies are whole, since one that lacks a byte is refused.
"""

import json
import pathlib
import sys

import numpy

import formats

folder = pathlib.Path(sys.argv[1])
for name in ("gguf", "json"):
    (folder / name).mkdir(parents=True, exist_ok=True)

own = {*range(33, 127), *range(161, 173), *range(174, 256)}
later = iter(range(256, 400))
characters = [chr(b) if b in own else chr(next(later)) for b in range(256)]
names = [f"<0x{b:02X}>" for b in range(256)]
blank = "\u2581"

formats.write_gguf(folder / "gguf" / "weights", {"general.alignment": 32}, {
    "a": numpy.ones((2, 3), "<f4"), "q": formats.Blocks((1, 32), 8, bytes(34))})
key = "tokenizer.ggml."
formats.write_gguf(folder / "gguf" / "bytes", {
    key + "model": "gpt2", key + "pre": "qwen2",
    key + "tokens": [*characters, "ab", "<s>", "<x>"],
    key + "token_type": [1] * 257 + [3, 4], key + "merges": ["a b"],
    key + "bos_token_id": 257, key + "add_bos_token": True}, {})
formats.write_gguf(folder / "gguf" / "characters", {
    key + "model": "llama", key + "tokens": ["<s>", *names, blank, "a", blank + "a"],
    key + "token_type": [3] + [6] * 256 + [1] * 3,
    key + "scores": [float(i) for i in range(260)], key + "bos_token_id": 0}, {})


def added(number, name, special):
    return {"id": number, "content": name, "single_word": False, "lstrip": False,
            "rstrip": False, "normalized": False, "special": special}


def write(name, value):
    (folder / "json" / name).write_text(
        json.dumps(value, ensure_ascii=False, separators=(",", ":")))


write("bytes", {
    "version": "1.0", "added_tokens": [added(257, "<s>", True)],
    "normalizer": {"type": "NFC"},
    "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": r"\p{N}"}, "behavior": "Isolated",
         "invert": False},
        {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}]},
    "post_processor": {"type": "TemplateProcessing",
                       "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
                                  {"Sequence": {"id": "A", "type_id": 0}}],
                       "pair": [],
                       "special_tokens": {"<s>": {"id": "<s>", "ids": [257],
                                                  "tokens": ["<s>"]}}},
    "decoder": {"type": "ByteLevel"},
    "model": {"type": "BPE", "vocab": {t: i for i, t in
                                       enumerate([*characters, "ab"])},
              "merges": ["a b"]}})
write("characters", {
    "added_tokens": [added(0, "<s>", True), added(260, "<x>", False)],
    "normalizer": {"type": "Sequence", "normalizers": [
        {"type": "Prepend", "prepend": blank},
        {"type": "Replace", "pattern": {"String": " "}, "content": blank}]},
    "pre_tokenizer": None,
    "decoder": {"type": "Sequence", "decoders": [
        {"type": "Replace", "pattern": {"String": blank}, "content": " "},
        {"type": "ByteFallback"}, {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
    "model": {"type": "BPE", "byte_fallback": True,
              "vocab": {t: i for i, t in
                        enumerate(["<s>", *names, blank, "a", blank + "a"])},
              "merges": [[blank, "a"]]}})
