#!/usr/bin/env python3
"""ggml's side of the comparison: its graph operations, called through its C API.

usage: ggml.py LIBRARIES INPUTS THREADS [--device CPU|Vulkan0]

LIBRARIES is the folder with libggml*.so of a node-llama-cpp package, INPUTS the one
with the arrays of `cases.py`. A worker as `worker.py` says. The package comes without
headers, so what is called is declared here.
"""

import argparse
import ctypes
import os
import pathlib

import numpy as np

import cases
import worker

Handle = ctypes.c_void_p
TYPES = {"f32": 0, "f16": 1, "bf16": 30}  # enum ggml_type
MAX_THREADS = 512  # GGML_MAX_N_THREADS


class InitParams(ctypes.Structure):  # ggml_init_params
    _fields_ = [("mem_size", ctypes.c_size_t), ("mem_buffer", Handle), ("no_alloc", ctypes.c_bool)]


class ThreadpoolParams(ctypes.Structure):  # ggml_threadpool_params
    _fields_ = [("cpumask", ctypes.c_bool * MAX_THREADS), ("n_threads", ctypes.c_int), ("prio", ctypes.c_int),
                ("poll", ctypes.c_uint32), ("strict_cpu", ctypes.c_bool), ("paused", ctypes.c_bool)]


class Library:
    def __init__(self, folder: pathlib.Path):
        load = lambda name: ctypes.CDLL(str(folder / name), mode=ctypes.RTLD_GLOBAL)
        self.base = load("libggml-base.so")
        self.registry = load(next(p.name for p in sorted(folder.glob("libggml.*so"))))
        i64, f32, size = ctypes.c_int64, ctypes.c_float, ctypes.c_size_t
        for name, result, arguments in (
                ("ggml_init", Handle, [InitParams]),
                ("ggml_new_tensor_3d", Handle, [Handle, ctypes.c_int, i64, i64, i64]),
                ("ggml_flash_attn_ext", Handle, [Handle, Handle, Handle, Handle, Handle, f32, f32, f32]),
                ("ggml_mul_mat", Handle, [Handle, Handle, Handle]),
                ("ggml_new_graph", Handle, [Handle]),
                ("ggml_build_forward_expand", None, [Handle, Handle]),
                ("ggml_backend_alloc_ctx_tensors", Handle, [Handle, Handle]),
                ("ggml_backend_tensor_set", None, [Handle, Handle, size, size]),
                ("ggml_backend_tensor_get", None, [Handle, Handle, size, size]),
                ("ggml_backend_graph_compute", ctypes.c_int, [Handle, Handle]),
                ("ggml_backend_reg_get_proc_address", Handle, [Handle, ctypes.c_char_p]),
                ("ggml_threadpool_params_init", None, [Handle, ctypes.c_int])):
            self.declare(self.base, name, result, arguments)
        for name, result, arguments in (
                ("ggml_backend_load_all_from_path", None, [ctypes.c_char_p]),
                ("ggml_backend_init_by_name", Handle, [ctypes.c_char_p, ctypes.c_char_p]),
                ("ggml_backend_reg_by_name", Handle, [ctypes.c_char_p])):
            self.declare(self.registry, name, result, arguments)
        self.ggml_backend_load_all_from_path(str(folder).encode())

    def declare(self, library, name, result, arguments):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
        setattr(self, name, function)

    def of_cpu(self, name: str, result, arguments):
        """A function of the CPU backend, which is loaded for the processor found."""
        registry = self.ggml_backend_reg_by_name(b"CPU")
        address = self.ggml_backend_reg_get_proc_address(registry, name.encode())
        assert address, f"ggml's CPU backend has no {name}"
        return ctypes.CFUNCTYPE(result, *arguments)(address)


class Ggml:
    def __init__(self, folder: pathlib.Path, inputs: pathlib.Path, threads: int, device: str):
        self.lib, self.inputs = Library(folder), inputs
        self.backend = self.lib.ggml_backend_init_by_name(device.encode(), None)
        assert self.backend, f"ggml has no device {device}"
        if device == "CPU":
            self.set_threads(threads)

    def set_threads(self, threads: int) -> None:
        """A pool that stays between graphs, each thread on its own processor."""
        params = ThreadpoolParams()
        self.lib.ggml_threadpool_params_init(ctypes.byref(params), threads)
        for processor in sorted(os.sched_getaffinity(0))[:threads]:
            params.cpumask[processor] = True
        params.strict_cpu = True
        pool = self.lib.of_cpu("ggml_threadpool_new", Handle, [Handle])(ctypes.byref(params))
        self.lib.of_cpu("ggml_backend_cpu_set_threadpool", None, [Handle, Handle])(self.backend, pool)
        self.lib.of_cpu("ggml_backend_set_n_threads", None, [Handle, ctypes.c_int])(self.backend, threads)

    def prepare(self, case: cases.Case) -> worker.Prepared:
        lib = self.lib
        context = lib.ggml_init(InitParams(1 << 20, None, True))
        tensors = {}

        def tensor(name: str, dtype: str, shape: tuple) -> int:
            tensors[name] = lib.ggml_new_tensor_3d(context, TYPES[dtype], *reversed((1, 1, *shape)[-3:]))
            return tensors[name]

        if isinstance(case, cases.Attention):
            c = case
            q = tensor("q", "f32", (c.heads, c.queries, c.dim))
            k = tensor("k", c.keys_type, (c.kv_heads, c.keys, c.dim))
            v = tensor("v", c.keys_type, (c.kv_heads, c.keys, c.dim))
            mask = tensor("mask", "f16", (1, c.queries, c.keys)) if c.causal else None
            result = lib.ggml_flash_attn_ext(context, q, k, v, mask, c.dim ** -0.5, 0, 0)
            shape, order = (c.queries, c.heads, c.dim), (1, 0, 2)
        else:
            # The left side is f32, and made bf16 by the operation.
            w = tensor("w", case.dtype, (case.columns, case.terms))
            x = tensor("x", "f32", (case.rows, case.terms))
            result = lib.ggml_mul_mat(context, w, x)
            shape, order = (case.rows, case.columns), (0, 1)
        graph = lib.ggml_new_graph(context)
        lib.ggml_build_forward_expand(graph, result)
        assert lib.ggml_backend_alloc_ctx_tensors(context, self.backend), "no memory for ggml's tensors"
        for name, handle in tensors.items():
            data = causal_mask(case) if name == "mask" else self.array(case, name)
            data = np.ascontiguousarray(data)
            lib.ggml_backend_tensor_set(handle, data.ctypes.data, 0, data.nbytes)

        def run() -> None:
            status = lib.ggml_backend_graph_compute(self.backend, graph)
            assert status == 0, f"ggml failed with status {status}"

        def output() -> np.ndarray:
            data = np.empty(shape, np.float32)
            lib.ggml_backend_tensor_get(result, data.ctypes.data, 0, data.nbytes)
            return data.transpose(order)

        return worker.Prepared(run, output)

    def array(self, case: cases.Case, name: str) -> np.ndarray:
        data = case.load(self.inputs, name)
        if name == "x" and case.dtype == "bf16":
            return cases.f32_of_bf16(data)
        return data


def causal_mask(case: cases.Attention) -> np.ndarray:
    """Query i sees the keys up to i + keys - queries."""
    mask = np.zeros((case.queries, case.keys), np.float16)
    for i in range(case.queries):
        mask[i, i + case.keys - case.queries + 1:] = -np.inf
    return mask


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("libraries", type=pathlib.Path)
    parser.add_argument("inputs", type=pathlib.Path)
    parser.add_argument("threads", type=int)
    parser.add_argument("--device", default="CPU")
    arguments = parser.parse_args()
    worker.serve(Ggml(arguments.libraries.resolve(), arguments.inputs, arguments.threads, arguments.device).prepare)


if __name__ == "__main__":
    main()
