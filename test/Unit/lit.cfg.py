"""Unit tests: lit's GoogleTest format over build/unittests."""

import os
import lit.formats

config.name = "agt-unit"
config.suffixes = []
config.test_source_root = config.test_exec_root = os.path.join(config.agt_build, "unittests")
config.test_format = lit.formats.GoogleTest(".", "Tests")
config.environment["AGT_SOURCE"] = config.agt_source
config.environment["AGT_VALIDATE"] = "1"
config.environment["AGT_VERIFY_EACH"] = "1"
for name in ("HOME", "PATH", "XDG_CACHE_HOME", "LP_NATIVE_VECTOR_WIDTH", "AGT_SLOW", "AGT_SEED"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
