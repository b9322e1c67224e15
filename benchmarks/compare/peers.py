"""agt and its peers, each in processes of its own: who does a case, and how long it takes.

Results are arrays of f32, and text of models. Times are of one run; of a model, of
its prompt or of a token.
"""

import json
import math
import os
import pathlib
import shutil
import subprocess
import tempfile

import numpy as np

import cases

HERE = pathlib.Path(__file__).parent
PYTHON = "/usr/bin/python3"


class Missing(Exception):
    """A peer that is not there, or cannot do the work: the text says why."""


def threads() -> int:
    return len(os.sched_getaffinity(0))


class Agt:
    """Programs that are run anew for each measurement: one with a graph a case, and
    examples/models/llama.agt."""

    def __init__(self, build: pathlib.Path, folder: pathlib.Path, inputs: pathlib.Path, chosen: list[cases.Case]):
        self.agtc, self.folder, self.inputs = build / "bin/agtc", folder, inputs
        self.times: dict[tuple, float] = {}
        graphs = [case.graph() for case in chosen if not isinstance(case, cases.Model)]
        if graphs:
            (folder / "graphs.agt").write_text("\n".join(graphs))
            self.compile(folder / "graphs.agt", "graphs")
        # What a program computes depends on the types in its file.
        for model in {case.kind: case for case in chosen if isinstance(case, cases.Model)}.values():
            place = folder / model.kind
            place.mkdir(exist_ok=True)
            shutil.copy(HERE.parents[1] / "examples/models/llama.agt", place)
            link = place / "llama.gguf"
            link.unlink(missing_ok=True)
            link.symlink_to(model.path(inputs).resolve())
            self.compile(place / "llama.agt", f"llama-{model.kind}",
                         *(f"--define={name}={value}" for name, value in model.defines().items()))

    def compile(self, source: pathlib.Path, name: str, *options: str) -> None:
        subprocess.run([self.agtc, source, "-o", self.folder / name, *options], check=True)

    def call(self, name: str, *options: str) -> subprocess.CompletedProcess:
        done = subprocess.run([self.folder / name, *options], capture_output=True, text=True, errors="replace")
        if done.returncode:
            raise Missing(f"agt: {done.stderr.strip()}")
        return done

    def run(self, case: cases.Case, device: str, repeat: int, *options: str) -> float:
        inputs = [f"--in={array}={case.path(self.inputs, array)}" for array in case.arrays()]
        done = self.call("graphs", "run", case.name, "--device", device, f"--repeat={repeat}", "--stats=json",
                         *inputs, *options)
        return json.loads(done.stdout)["time_s"]

    def generate(self, case: cases.Model, device: str) -> tuple[str, float]:
        done = self.call(f"llama-{case.kind}", "generate", "chat", "--device", device, "--prompt", case.prompt(),
                         "--tokens", str(case.written()), "--stats=json")
        stats = json.loads(done.stderr)
        if stats["prompt_tokens"] != len(case.prompt_tokens()):
            raise Missing(f"agt: the prompt has {stats['prompt_tokens']} tokens")
        if case.step == "prompt":
            return done.stdout[:-1], stats["prompt_time_s"]
        return done.stdout[:-1], 1 / stats["tokens_per_s"]

    def output(self, case: cases.Case, device: str) -> np.ndarray | str:
        if isinstance(case, cases.Model):
            return self.generate(case, device)[0]
        path = self.folder / "o.npy"
        self.times[case, device] = self.run(case, device, 3, f"--out=o={path}")
        out = np.load(path)
        return cases.f32_of_bf16(out) if out.dtype == np.uint16 else out.astype(np.float32)

    def time(self, case: cases.Case, device: str, seconds: float) -> float:
        """The median of as many runs as take so many seconds; of a model, of one text."""
        if isinstance(case, cases.Model):
            return self.generate(case, device)[1]
        if (case, device) not in self.times:
            self.times[case, device] = self.run(case, device, 3)
        repeat = max(3, math.ceil(seconds / self.times[case, device]))
        return self.run(case, device, repeat)


class Process:
    """A worker that answers lines."""

    def __init__(self, command: list, **environment: str):
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(list(map(str, command)), text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.errors, env={**os.environ, **environment})

    def ask(self, line: str) -> str:
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            self.errors.seek(0)
            last = self.errors.read().strip().splitlines()[-1:] or ["it said nothing"]
            raise Missing(f"the worker ended: {last[0]}")
        return answer

    def ask_json(self, line: str) -> dict:
        answer = json.loads(self.ask(line))
        if "error" in answer:
            raise Missing(answer["error"])
        return answer


class Worker(Process):
    """One that speaks as `worker.py` says."""

    def output(self, case: cases.Case) -> np.ndarray:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "o.npy"
            self.ask_json(f"output {case.name} {path}")
            return np.load(path)

    def time(self, case: cases.Case, seconds: float) -> float:
        return self.ask_json(f"time {case.name} {seconds}")["time"]


class OnnxRuntime(Process):
    def __init__(self, modules: pathlib.Path, inputs: pathlib.Path):
        super().__init__(["node", HERE / "onnx.cjs", modules, threads()])
        self.inputs = inputs

    def question(self, command: str, case: cases.Attention, argument) -> dict:
        files = {array: str(case.path(self.inputs, array)) for array in case.arrays()}
        work = {"name": case.name, "heads": case.heads, "queries": case.queries, "keys": case.keys,
                "dim": case.dim, **files}
        return self.ask_json(json.dumps({"command": command, "work": work, "argument": argument}))

    def output(self, case: cases.Attention) -> np.ndarray:
        with tempfile.NamedTemporaryFile() as file:
            self.question("output", case, file.name)
            data = np.fromfile(file.name, np.float32)
        return data.reshape(case.queries, case.heads, case.dim).transpose(1, 0, 2)

    def time(self, case: cases.Attention, seconds: float) -> float:
        return self.question("time", case, seconds)["time"]


class LlamaCpp(Process):
    def __init__(self, modules: pathlib.Path, inputs: pathlib.Path):
        super().__init__(["node", HERE / "llama.mjs", modules, threads()])
        self.inputs = inputs

    def generate(self, case: cases.Model) -> dict:
        return self.ask_json(json.dumps({"path": str(case.path(self.inputs).resolve()),
                                         "prompt": case.prompt_tokens(), "tokens": case.written()}))

    def output(self, case: cases.Model) -> str:
        return self.generate(case)["text"]

    def time(self, case: cases.Model, seconds: float) -> float:
        return self.generate(case)["promptSeconds" if case.step == "prompt" else "seconds"]


class Machine(Process):
    """The time the work would take at the machine's own rates; it gives no results."""

    def __init__(self, build: pathlib.Path):
        super().__init__([build / "bin/machine_rates"])

    def output(self, case: cases.Case) -> None:
        return None


class MultiplyAdds(Machine):
    def time(self, case: cases.Case, seconds: float) -> float:
        return case.flops() / float(self.ask(f"multiply_add {seconds}"))


class Reading(Machine):
    def time(self, case: cases.Attention | cases.Model, seconds: float) -> float:
        return case.bytes_read() / float(self.ask(f"read {case.bytes_read()} {seconds}"))


class Peers:
    """All of them by name, started when they are first asked."""

    def __init__(self, build: pathlib.Path, modules: pathlib.Path, inputs: pathlib.Path):
        self.modules = modules
        ggml = lambda package, *options: [
            PYTHON, HERE / "ggml.py", modules / "@node-llama-cpp" / package / "bins" / package, inputs, threads(),
            *options]
        blas = lambda library: [PYTHON, HERE / "blas.py", library, inputs, threads()]
        self.makers = {
            "ggml": lambda: Worker(ggml("linux-x64")),
            # Drivers on the CPU are left out unless they are named.
            "ggml-vulkan": lambda: Worker(ggml("linux-x64-vulkan", "--device", "Vulkan0"), GGML_VK_VISIBLE_DEVICES="0"),
            "onnxruntime": lambda: OnnxRuntime(modules, inputs),
            "llama.cpp": lambda: LlamaCpp(modules, inputs),
            "openblas": lambda: Worker(blas("openblas")),
            "onednn": lambda: Worker(blas("onednn")),
            "multiply-add": lambda: MultiplyAdds(build),
            "reading": lambda: Reading(build),
        }
        self.workers: dict[str, Process] = {}

    def of(self, name: str) -> Process:
        if name not in self.workers:
            self.workers[name] = self.makers[name]()
        return self.workers[name]

    def output(self, name: str, case: cases.Case) -> np.ndarray | str | None:
        return self.of(name).output(case)

    def time(self, name: str, case: cases.Case, seconds: float) -> float:
        return self.of(name).time(case, seconds)

    def versions(self) -> dict[str, str]:
        """Of the peers that were asked."""
        npm = lambda package: json.loads((self.modules / package / "package.json").read_text())["version"]
        debian = lambda package: subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package],
                                                capture_output=True, text=True).stdout

        def ggml() -> str:
            folder = self.modules / "@node-llama-cpp/linux-x64"
            metadata = json.loads((folder / "bins/linux-x64/_nlcBuildMetadata.json").read_text())
            return f"llama.cpp {metadata['buildOptions']['llamaCpp']['release']} of @node-llama-cpp/linux-x64 " \
                   f"{npm('@node-llama-cpp/linux-x64')}"

        said = {"ggml": ggml, "ggml-vulkan": ggml,
                "llama.cpp": lambda: f"node-llama-cpp {npm('node-llama-cpp')}",
                "onnxruntime": lambda: f"onnxruntime-node {npm('onnxruntime-node')}",
                "openblas": lambda: f"Debian's OpenBLAS {debian('libopenblas0-pthread')}",
                "onednn": lambda: f"Debian's oneDNN {debian('libdnnl2')}"}
        return {name: said[name]() for name in self.workers if name in said}
