#!/usr/bin/env python3
"""Matrix products of Debian's OpenBLAS or oneDNN, called through their C APIs.

usage: blas.py openblas|onednn INPUTS THREADS

A worker as `worker.py` says. Both get the operands as they lie, x [rows, terms] and
w [columns, terms], f32, and write [rows, columns].
"""

import argparse
import ctypes
import os
import pathlib

import numpy as np

import cases
import worker

Handle = ctypes.c_void_p
Dims = ctypes.c_int64 * 12  # DNNL_MAX_NDIMS


class OpenBlas:
    ROW_MAJOR, NO_TRANS, TRANS = 101, 111, 112

    def __init__(self, threads: int):
        self.library = ctypes.CDLL("libopenblas.so.0")
        self.library.openblas_set_num_threads(threads)

    def product(self, x: np.ndarray, w: np.ndarray, out: np.ndarray):
        (rows, terms), columns = x.shape, w.shape[0]
        at = lambda array: Handle(array.ctypes.data)
        one, zero = ctypes.c_float(1), ctypes.c_float(0)
        gemm = self.library.cblas_sgemm
        return lambda: gemm(self.ROW_MAJOR, self.NO_TRANS, self.TRANS, rows, columns, terms,
                            one, at(x), terms, at(w), terms, zero, at(out), columns)


class Argument(ctypes.Structure):  # dnnl_exec_arg_t
    _fields_ = [("number", ctypes.c_int), ("memory", Handle)]


class OneDnn:
    """The matmul primitive of oneDNN 2."""

    CPU, F32 = 1, 3  # dnnl_engine_kind_t, dnnl_data_type_t
    SRC, WEIGHTS, DST = 1, 33, 17  # DNNL_ARG_...
    DESCRIPTION_BYTES = 1 << 16  # more than any of the descriptions it fills in

    def __init__(self, threads: int):
        os.environ["OMP_NUM_THREADS"] = str(threads)  # before it is loaded
        self.library = ctypes.CDLL("libdnnl.so.2")
        self.engine, self.stream = Handle(), Handle()
        self.call("dnnl_engine_create", ctypes.byref(self.engine), self.CPU, ctypes.c_size_t(0))
        self.call("dnnl_stream_create", ctypes.byref(self.stream), self.engine, 1)

    def call(self, name: str, *arguments) -> None:
        status = getattr(self.library, name)(*arguments)
        if status:
            raise RuntimeError(f"{name} failed with status {status}")

    def description(self, dims: tuple, strides: tuple):
        result = ctypes.create_string_buffer(self.DESCRIPTION_BYTES)
        self.call("dnnl_memory_desc_init_by_strides", result, 2, Dims(*dims), self.F32, Dims(*strides))
        return result

    def memory(self, description, array: np.ndarray) -> Handle:
        result = Handle()
        self.call("dnnl_memory_create", ctypes.byref(result), description, self.engine, Handle(array.ctypes.data))
        return result

    def product(self, x: np.ndarray, w: np.ndarray, out: np.ndarray):
        (rows, terms), columns = x.shape, w.shape[0]
        source = self.description((rows, terms), (terms, 1))
        weights = self.description((terms, columns), (1, terms))
        target = self.description((rows, columns), (columns, 1))
        operation = ctypes.create_string_buffer(self.DESCRIPTION_BYTES)
        self.call("dnnl_matmul_desc_init", operation, source, weights, None, target)
        chosen, primitive = Handle(), Handle()
        self.call("dnnl_primitive_desc_create", ctypes.byref(chosen), operation, None, self.engine, None)
        self.call("dnnl_primitive_create", ctypes.byref(primitive), chosen)
        arguments = (Argument * 3)((self.SRC, self.memory(source, x)), (self.WEIGHTS, self.memory(weights, w)),
                                   (self.DST, self.memory(target, out)))

        def run() -> None:
            self.call("dnnl_primitive_execute", primitive, self.stream, 3, arguments)
            self.call("dnnl_stream_wait", self.stream)

        return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", choices=("openblas", "onednn"))
    parser.add_argument("inputs", type=pathlib.Path)
    parser.add_argument("threads", type=int)
    arguments = parser.parse_args()
    library = {"openblas": OpenBlas, "onednn": OneDnn}[arguments.library](arguments.threads)

    def prepare(case: cases.Product) -> worker.Prepared:
        x, w = (np.array(case.load(arguments.inputs, name)) for name in ("x", "w"))
        out = np.empty((case.rows, case.columns), np.float32)
        run = library.product(x, w, out)
        # The library has addresses only: the arrays live as long as what runs.
        return worker.Prepared(run, lambda: (x, w, out)[2])

    worker.serve(prepare)


if __name__ == "__main__":
    main()
