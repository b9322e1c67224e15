"""What a comparison prints: a table, and a plot of the same."""

import html
import json
import os
import pathlib
import statistics

HEADING = "How many times as fast agt is"


def machine() -> str:
    model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")),
                 "unknown processor")
    return f"{model}, {len(os.sched_getaffinity(0))} cores"


def write(folder: pathlib.Path, name: str, result: dict, text: str) -> None:
    """NAME.txt, .svg and .json."""
    folder.mkdir(parents=True, exist_ok=True)
    for suffix, content in ((".txt", text + "\n"), (".svg", picture(result)),
                            (".json", json.dumps(result, indent=1) + "\n")):
        (folder / (name + suffix)).write_text(content)


def seconds_text(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} us"


def table(result: dict) -> str:
    lines = [f"{result['machine']}, {result['date']}, median of {result['rounds']} rounds,"
             f" load average {result['load']:.1f}",
             *(f"{name}: {version}" for name, version in result["versions"].items()),
             "", f"{'work':46}  {'agt over':13} {'ratio':>6}  {'least to most':14} {'target':>6}  "
             f"{'agt':>8} {'peer':>8}  difference"]
    for row in result["rows"]:
        head = f"{row['title']:46}  {row['peer']:13}"
        if row["missing"]:
            lines.append(f"{head} not measured: {row['missing']}")
            continue
        ratios = row["ratios"]
        median = statistics.median(ratios)
        spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
        mark = " " if median >= row["target"] else "<"
        difference = f"{row['difference']:.0e}" if row["difference"] is not None else "-"
        ours, theirs = map(seconds_text, row["seconds"])
        lines.append(f"{head} {median:6.2f}  {spread:14} {mark}{row['target']:5.2f}  {ours:>8} {theirs:>8}  {difference}")
    return "\n".join(lines)


def picture(result: dict) -> str:
    """A line for each row: least to most, the median as a dot, the target as a stroke."""
    rows = [row for row in result["rows"] if not row["missing"]]
    left, width, line, top = 430, 960, 26, 52
    most = max(max(max(row["ratios"]), row["target"]) for row in rows) * 1.05
    x = lambda ratio: left + ratio * (width - left - 60) / most
    height = top + line * len(rows) + 40
    bottom = height - 34
    step = next(s for s in (0.5, 1, 2, 5, 10, 50, 1000) if most / s <= 10)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
             'font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="white"/>',
             f'<text x="12" y="18" font-size="14">{html.escape(result.get("heading", HEADING))}</text>',
             f'<text x="12" y="36" fill="#555">{html.escape(result["machine"])}, {result["date"]}, '
             f'{result["rounds"]} rounds in one run: median, least to most; the stroke is the target</text>']
    for tick in range(int(most / step) + 1):
        at = x(tick * step)
        parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{top}" y2="{bottom}" stroke="#e4e4e4"/>'
                     f'<text x="{at:.1f}" y="{bottom + 16}" text-anchor="middle">{tick * step:g}</text>')
    for number, row in enumerate(rows):
        y, ratios = top + line * number + line / 2, row["ratios"]
        median = statistics.median(ratios)
        colour = "#1b7f5c" if median >= row["target"] else "#d95f02"
        parts.append(
            f'<text x="12" y="{y + 4}">{html.escape(row["title"])}</text>'
            f'<text x="{left - 10}" y="{y + 4}" text-anchor="end" fill="#555">over {row["peer"]}</text>'
            f'<line x1="{x(min(ratios)):.1f}" x2="{x(max(ratios)):.1f}" y1="{y}" y2="{y}" stroke="{colour}" '
            'stroke-width="3" stroke-opacity="0.4"/>'
            f'<line x1="{x(row["target"]):.1f}" x2="{x(row["target"]):.1f}" y1="{y - 8}" y2="{y + 8}" stroke="#333"/>'
            f'<circle cx="{x(median):.1f}" cy="{y}" r="4.5" fill="{colour}"/>'
            f'<text x="{x(max(max(ratios), row["target"])) + 8:.1f}" y="{y + 4}">{median:.2f}</text>')
    return "\n".join(parts + ["</svg>"]) + "\n"
