"""What a worker of the comparison does: one library in a process of its own.

A worker answers lines on its standard input, each with one line of JSON:

  time NAME SECONDS   {"time": of one run}: the median of the runs that fit into so many
                      seconds, at least three, behind one that is not counted
  output NAME FILE    {}: the result of a run is in FILE, as `.npy`

or {"error": what is the matter}.
"""

import dataclasses
import json
import statistics
import sys
import time
import traceback
from typing import Callable

import numpy as np

import cases


@dataclasses.dataclass
class Prepared:
    """Work that is ready to run: inputs where the library wants them."""

    run: Callable[[], None]
    output: Callable[[], np.ndarray]


def median_time(run: Callable[[], None], seconds: float) -> float:
    run()
    times, begin = [], time.perf_counter()
    while len(times) < 3 or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def serve(prepare: Callable[[cases.Case], Prepared]) -> None:
    """Answers until the input ends. Each case is prepared when it is first asked for."""
    answers, sys.stdout = sys.stdout, sys.stderr  # libraries may print what they like
    prepared: dict[str, Prepared] = {}
    for line in sys.stdin:
        command, name, argument = line.split(maxsplit=2)
        try:
            if name not in prepared:
                prepared[name] = prepare(cases.CASES[name])
            answer = {}
            if command == "time":
                answer["time"] = median_time(prepared[name].run, float(argument))
            else:
                prepared[name].run()
                np.save(argument.strip(), prepared[name].output())
        except Exception as error:
            traceback.print_exc()
            answer = {"error": str(error)}
        print(json.dumps(answer), file=answers, flush=True)
