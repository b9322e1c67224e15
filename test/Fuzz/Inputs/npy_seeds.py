"""Writes the tensor files that npy_fuzz starts from.

usage: npy_seeds.py FOLDER

One of each kind the readers tell apart: C and Fortran order, either byte
order, no dims, no elements, and a safetensors file.
"""

import json
import pathlib
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
np.save(folder / "c_order.npy", np.arange(6, dtype="<f4").reshape(2, 3))
np.save(folder / "fortran_big.npy", np.asfortranarray(np.arange(6, dtype=">i2").reshape(2, 3)))
np.save(folder / "scalar.npy", np.float16(1.5))
np.save(folder / "empty.npy", np.zeros((3, 0, 2), bool))
header = json.dumps({"x": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}},
                    separators=(",", ":")).encode()
(folder / "one.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + b"abcd")
