"""What compare.test looks at. usage: compare.py FOLDER"""

import pathlib
import sys
import xml.dom.minidom

import numpy as np

import cases
import report

folder = pathlib.Path(sys.argv[1])
graphs = [case.graph() for case in cases.CASES.values() if not isinstance(case, cases.Model)]
assert len(graphs) > 5
(folder / "graphs.agt").write_text("\n".join(graphs))

model = cases.CASES["token_f32"]
print(f"prompt of {len(model.prompt())} capital letters in {len(model.prompt_tokens())} tokens")

halves = np.array([0x3F808000, 0x3F818000, 0x3F808001], np.uint32).view(np.float32)
assert cases.bf16_of_f32(halves).tolist() == [0x3F80, 0x3F82, 0x3F81]
print("a matrix of bf16 is rounded to even")
assert (model.difference("abcd", "abcd"), model.difference("abcd", "abxd")) == (0, 0.5)
print("the same text, and half of it")


def row(title, peer, target, ratios, seconds, difference=None, missing=None):
    return {"title": title, "peer": peer, "target": target, "ratios": ratios, "seconds": seconds,
            "difference": difference, "missing": missing}


result = {"machine": "a processor, 2 cores", "date": "2026-12-01", "rounds": 3, "load": 0.5,
          "versions": {"ggml": "1.2.3"},
          "rows": [row("fast work", "ggml", 1.8, [2.0, 3.0, 1.5], [0.01, 0.02], 1e-6),
                   row("slow work", "onednn", 0.95, [0.5, 0.4, 0.6], [2e-6, 1e-6]),
                   row("lost work", "ggml-vulkan", 3.0, [], None, missing="no driver")]}
print(report.table(result))
picture = xml.dom.minidom.parseString(report.picture(result))
print(len(picture.getElementsByTagName("circle")), "lines in the picture")
