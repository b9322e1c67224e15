"""How lit runs agt's tests: by stage, a folder each.

Shell tests are .agt, .mlir and .test files with RUN lines; unit tests are the
GoogleTest binaries in build/unittests. On the PATH: agtc, agt-opt, FileCheck,
not, split-file. Programs run under the Vulkan validation layer
(AGT_VALIDATE=1), so that a validation error fails the test, and MLIR's verifier
between all passes (AGT_VERIFY_EACH=1).
"""

import os
import shutil
import subprocess
import lit.formats

config.name = "agt"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".agt", ".mlir", ".test"]
config.excludes = ["Inputs", "lit.cfg.py", "lit.site.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.agt_build, "test")

path = [os.path.join(config.agt_build, "bin"),
        os.path.join(config.llvm_prefix, "bin"), config.environment.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
config.environment["AGT_VALIDATE"] = "1"
config.environment["AGT_VERIFY_EACH"] = "1"
config.environment["AGT_SOURCE"] = config.agt_source
for name in ("XDG_CACHE_HOME", "HOME", "LP_NATIVE_VECTOR_WIDTH", "AGT_SLOW", "AGT_SEED"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions += [
    ("%agt_source", config.agt_source),
    ("%agt_build", config.agt_build),
    ("%examples", os.path.join(config.agt_source, "examples")),
    ("%shared", os.path.join(config.agt_source, "..", "shared")),
    ("%python", "/usr/bin/python3"),
    ("%seed", os.environ.get("AGT_SEED", "0")),  # 0: libFuzzer draws one
    ("%llvm_include", os.path.join(config.llvm_prefix, "include")),
]
if os.environ.get("AGT_SLOW") == "1":
    config.available_features.add("slow")
for program in ("chromium", "faketime"):
    if shutil.which(program):
        config.available_features.add(program)
# May this user make network namespaces, and wires between them?
if shutil.which("ip") and subprocess.run(["unshare", "-n", "ip", "link", "add", "agt0", "type", "veth"],
                                         capture_output=True).returncode == 0:
    config.available_features.add("netns")
swiftshader = os.path.join(config.agt_build, "swiftshader", "icd.json")
if os.path.exists(swiftshader):
    config.available_features.add("swiftshader")
    config.substitutions.append(("%swiftshader", swiftshader))
if os.path.isdir(os.path.join(config.agt_source, "..", "shared", "examples")):
    config.available_features.add("shared")
