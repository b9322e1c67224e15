"""A strict reader of Prometheus' text format, version 0.0.4."""

import math
import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? ([^ ]+)")
PARTS = {"histogram": ("_bucket", "_sum", "_count")}


def number(text):
    """As the format has it: Go's numbers, of which we write a part."""
    assert re.fullmatch(r"[+-]?Inf|NaN|[+-]?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?", text), text
    return float(text.replace("Inf", "inf"))


def check_histogram(name, samples):
    """Buckets of one set of labels rise up to the one that is the count."""
    series = {}
    for (part, labels), content in samples.items():
        plain = dict(labels)
        bound = plain.pop("le", None)
        assert (bound is not None) == (part == "_bucket"), (name, part, labels)
        entry = series.setdefault(tuple(sorted(plain.items())), {"_bucket": []})
        if part == "_bucket":
            entry[part].append((number(bound), content))
        else:
            entry[part] = content
    for labels, entry in series.items():
        bounds, counts = zip(*entry["_bucket"])
        assert list(bounds) == sorted(set(bounds)) and bounds[-1] == math.inf, (name, labels, bounds)
        assert list(counts) == sorted(counts), (name, labels, counts)
        assert counts[-1] == entry["_count"] and entry["_sum"] >= 0, (name, labels, entry)


def parse(text):
    """{name: (type, {labels: value})}, of a histogram {(part, labels): value}; fails
    on what the format forbids."""
    assert text.endswith("\n"), "the last line does not end"
    families, current, seen = {}, None, set()
    for line in text[:-1].split("\n"):
        help_line = re.fullmatch(rf"# HELP ({NAME}) (.+)", line)
        type_line = re.fullmatch(rf"# TYPE ({NAME}) (counter|gauge|histogram)", line)
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
            part = name[len(current):] if name.startswith(current) else None
            assert families[current] and part in PARTS.get(families[current][0], ("",)), f"{name} stands in another family"
            assert (name, labels) not in seen, f"{line} comes twice"
            seen.add((name, labels))
            pairs = re.findall(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"', labels or "")
            assert len({key for key, _ in pairs}) == len(pairs), line
            plain = tuple(sorted((key, re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], content))
                                 for key, content in pairs))
            families[current][1][(part, plain) if part else plain] = number(value)
            assert families[current][0] == "gauge" or number(value) >= 0, line
    assert all(families.values()), "a family has no type"
    for name, (kind, samples) in families.items():
        if kind == "histogram":
            check_histogram(name, samples)
    return families


def value(families, name, part="", **labels):
    plain = tuple(sorted(labels.items()))
    return families[name][1].get((part, plain) if part else plain)
