"""Random quantised blocks of GGUF files, and the numbers in them.

The numbers come from the bytes as the formats are laid out, those of all blocks at
once; nothing is rounded: they are float64.
"""

import numpy

FORMATS = {"q4_0": (2, 32, 18), "q8_0": (8, 32, 34), "q4_k": (12, 256, 144),
           "q6_k": (14, 256, 210)}  # GGUF's number; numbers and bytes of a block


def random_blocks(draw, name, rows, numbers, spread=0.02):
    """The bytes of rows, u8 [rows, bytes]; factors are finite, `spread` their
    standard deviation."""
    _, each, size = FORMATS[name]
    data = draw.integers(0, 256, (rows, numbers // each, size)).astype("u1")

    def factor(at):
        halves = (draw.standard_normal(data.shape[:2]) * spread).astype("<f2")
        data[:, :, at:at + 2] = halves[..., None].view("u1")

    factor(208 if name == "q6_k" else 0)
    if name == "q4_k":
        factor(2)
    return data.reshape(rows, -1)


# Of all blocks: b[i] is byte i of each, and so are the numbers in the results.


def _half(b, at):
    return (b[at] | b[at + 1] << 8).astype("<u2").view("<f2").astype("f8")


def _signed(byte):
    return byte - 256 * (byte > 127)


def _q4_0(b):
    d = _half(b, 0)
    return [d * ((b[2 + i % 16] >> (4 * (i // 16)) & 15) - 8) for i in range(32)]


def _q8_0(b):
    return [_half(b, 0) * _signed(x) for x in b[2:34]]


def _q4_k(b):
    d, m, packed, q = _half(b, 0), _half(b, 2), b[4:16], b[16:]
    numbers = []
    for part in range(8):
        if part < 4:
            s, t = packed[part] & 63, packed[part + 4] & 63
        else:
            s = packed[part + 4] & 15 | packed[part - 4] >> 6 << 4
            t = packed[part + 4] >> 4 | packed[part] >> 6 << 4
        for i in range(32):
            byte = q[part // 2 * 32 + i]
            numbers.append(d * s * (byte >> 4 * (part % 2) & 15) - m * t)
    return numbers


def _q6_k(b):
    d, low, high, scales = _half(b, 208), b[:128], b[128:192], b[192:208]
    numbers = [None] * 256
    for side in range(2):
        for i in range(32):
            h = high[side * 32 + i]
            a, c = low[side * 64 + i], low[side * 64 + 32 + i]
            for n, four in enumerate([a & 15, c & 15, a >> 4, c >> 4]):
                at = side * 128 + n * 32 + i
                q = (four | (h >> 2 * n & 3) << 4) - 32
                numbers[at] = d * _signed(scales[at // 16]) * q
    return numbers


def unpack(name, data):
    """float64 [rows, numbers] of u8 [rows, bytes]."""
    size, of = FORMATS[name][2], {"q4_0": _q4_0, "q8_0": _q8_0, "q4_k": _q4_k,
                                  "q6_k": _q6_k}[name]
    numbers = of(data.reshape(-1, size).T.astype(int))
    return numpy.stack(numbers, axis=1).reshape(len(data), -1)
