"""A strict reader of Prometheus' text format, version 0.0.4."""

import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? ([^ ]+)")
UNITS = ("_seconds", "_bytes", "_total", "_info")


def parse(text):
    """{name: (type, {labels: value})}; fails on what the format forbids."""
    assert text.endswith("\n"), "the last line does not end"
    families, current, seen = {}, None, set()
    for line in text[:-1].split("\n"):
        help_line = re.fullmatch(rf"# HELP ({NAME}) (.+)", line)
        type_line = re.fullmatch(rf"# TYPE ({NAME}) (counter|gauge)", line)
        if help_line:
            assert help_line[1] not in families, f"{help_line[1]} comes twice"
            current = help_line[1]
            families[current] = None
        elif type_line:
            assert type_line[1] == current and families[current] is None, line
            families[current] = (type_line[2], {})
            assert (type_line[2] == "counter") == current.endswith("_total"), f"the name of the counter {current}"
            assert not re.search(r"_(ms|millis|kb|mb|minutes|ns)(_|$)", current), f"{current} is in no base unit"
        else:
            sample = SAMPLE.fullmatch(line)
            assert sample, f"no sample: {line}"
            name, labels, value = sample.groups()
            assert name == current and families[name], f"{name} stands in another family"
            assert (name, labels) not in seen, f"{line} comes twice"
            seen.add((name, labels))
            pairs = re.findall(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"', labels or "")
            assert len({key for key, _ in pairs}) == len(pairs), line
            plain = tuple(sorted((key, re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], content))
                                 for key, content in pairs))
            families[name][1][plain] = float(value)
            assert families[name][0] == "gauge" or float(value) >= 0, line
    assert all(families.values()), "a family has no type"
    return families


def value(families, name, **labels):
    return families[name][1].get(tuple(sorted(labels.items())))
