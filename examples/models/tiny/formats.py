"""Writes tensors and vocabularies in the formats that models come in.

Small and plain: everything is in memory, and only what these examples and tests
need is there.
"""

import json
import struct

import numpy

# Types of GGUF by number: of values, and of tensors that are numbers.
U32, I32, F32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
TENSOR_TYPES = {"float32": 0, "float16": 1, "int8": 24, "int16": 25,
                "int32": 26, "int64": 27, "float64": 28}
ALIGNMENT = 32


class Blocks:
    """A tensor of quantised blocks: its shape in numbers, GGUF's type, bytes."""

    def __init__(self, shape, number, data):
        self.shape, self.number, self.data = shape, number, data


def _string(text):
    data = text if isinstance(text, bytes) else text.encode()
    return struct.pack("<Q", len(data)) + data


def _value(value):
    """A value with its type in front."""
    if isinstance(value, bool):
        return struct.pack("<I?", BOOL, value)
    if isinstance(value, int):
        return struct.pack("<II", U32, value)
    if isinstance(value, float):
        return struct.pack("<If", F32, value)
    if isinstance(value, (str, bytes)):
        return struct.pack("<I", STRING) + _string(value)
    kinds = {str: (STRING, _string), bytes: (STRING, _string),
             float: (F32, lambda x: struct.pack("<f", x)),
             int: (I32, lambda x: struct.pack("<i", x))}
    kind, pack = kinds[type(value[0])] if value else (I32, None)
    return struct.pack("<IIQ", ARRAY, kind, len(value)) + b"".join(map(pack, value))


def write_gguf(path, values, tensors, version=3):
    """values: {key: bool, int, float, text or list}; tensors: {name: array or
    Blocks}, in C order. A uint16 array is bf16."""
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(values))
    for key, value in values.items():
        head += _string(key) + _value(value)
    data = bytearray()
    for name, tensor in tensors.items():
        blocks = isinstance(tensor, Blocks)
        number = (tensor.number if blocks else 30 if tensor.dtype == numpy.uint16
                  else TENSOR_TYPES[tensor.dtype.name])
        data += bytes(-len(data) % ALIGNMENT)
        dims = tensor.shape[::-1]  # the fastest first
        head += _string(name) + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims,
                                            number, len(data))
        data += tensor.data if blocks else tensor.tobytes()
    with open(path, "wb") as file:
        file.write(head + bytes(-len(head) % ALIGNMENT) + data)


def write_safetensors(path, tensors):
    """tensors: {name: array}."""
    names = {"float32": "F32", "float16": "F16", "int32": "I32", "uint16": "BF16"}
    header, data = {}, bytearray()
    for name, tensor in tensors.items():
        end = len(data) + tensor.nbytes
        header[name] = {"dtype": names[tensor.dtype.name],
                        "shape": list(tensor.shape),
                        "data_offsets": [len(data), end]}
        data += tensor.tobytes()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)
