"""Workers that serve one queue: what each run has done, and how they end.

usage: workers.py PROGRAM FOLDER [postgres]
"""

import contextlib
import os
import pathlib
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.environ["AGT_SOURCE"], "scripts"))
from fleet import Fleet
from postgres import Server

folder = pathlib.Path(sys.argv[2])
server = Server() if sys.argv[3:] == ["postgres"] else None
fleet = Fleet(sys.argv[1], folder, server)
agt, submit, worker, stop, end, part = fleet.agt, fleet.submit, fleet.worker, fleet.stop, fleet.end, fleet.part
states, await_states, events, lines, effects = fleet.states, fleet.await_states, fleet.events, fleet.lines, fleet.effects

with server or contextlib.nullcontext():
    @part("two workers")
    def _():
        for i in range(200):
            submit("small", f"s{i}", n=i)
        waiting = states()[0]
        pair = [worker(), worker()]
        await_states({"done": 200})
        told = end(*pair)
        owners = {events(f"s{i}", "claimed")[-1]["epoch"] for i in range(0, 200, 20)}
        return waiting, effects(), told, owners

    @part("killed in the middle")
    def _():
        for i in range(12):
            submit("chain", f"c{i}", n=i, seconds=0.2)
        first = worker("--concurrency", "12")
        while len(lines()) < 20:
            time.sleep(0.01)
        end(first, how=signal.SIGKILL)
        second = worker()
        await_states({"done": 12})
        return effects(), end(second)

    @part("stopped past its lease")
    def _():
        for i in range(6):
            submit("chain", f"c{i}", n=i, seconds=0.3)
        first = worker()
        while not lines():
            time.sleep(0.01)
        stop(first)
        second = worker()
        await_states({"done": 6})
        first.send_signal(signal.SIGCONT)
        time.sleep(1)
        await_states({"done": 6})
        (code, err), = end(first)
        taken = err.count("was taken over by another process; this one lets go of it")
        return effects(), (code, taken), end(second)

    @part("told to end")
    def _():
        for i in range(3):
            submit("chain", f"c{i}", n=i, seconds=0.5)
        first = worker("--concurrency", "2")
        while not lines():
            time.sleep(0.01)
        begin = time.monotonic()
        told = end(first)
        quick = time.monotonic() - begin < 2
        left = states()[0]
        begun = len(events("c0", "released") + events("c1", "released") + events("c2", "released"))
        second = worker()
        await_states({"done": 3})
        return told, quick, left, begun, effects(), end(second)

    @part("notice over")
    def _():
        submit("chain", "c", n=1, seconds=20)
        first = worker("--notice", "1s")
        while not lines():
            time.sleep(0.01)
        begin = time.monotonic()
        told = end(first)
        return told, 1 <= time.monotonic() - begin < 4, states()[0], len(events("c", "result"))

    @part("waiting holds no slot")
    def _():
        for i in range(8):
            submit("gate", f"g{i}", n=i)
        submit("child", "k", n=8)
        one = worker("--concurrency", "1")
        await_states({"waiting": 9})
        submit("small", "s", n=99)
        await_states({"waiting": 9, "done": 1})
        step = {f"g{i}": "approve" for i in range(8)} | {"k": "r/gate/approve"}
        for run, path in step.items():
            assert agt("approve", run, path, "yes").returncode == 0, run
            assert agt("signal", run, "word", '"w"').returncode == 0
        await_states({"done": 10}, seconds=20)
        return effects(), agt("start", "child", "--run", "k").stdout.strip(), end(one)

    @part("a run that kills its workers")
    def _():
        submit("poison", "p", n=1)
        submit("small", "s", n=1)
        codes = []
        for _ in range(3):
            one = worker("--concurrency", "1")
            one.communicate(timeout=30)
            fleet.workers.remove(one)
            codes.append(one.returncode)
        last = worker()
        await_states({"parked": 1, "done": 1})
        return codes, len(events("p", "claimed")), effects(), end(last)

    @part("cancelled")
    def _():
        submit("chain", "c", n=1, seconds=20)
        submit("gate", "g", n=2)
        one = worker()
        await_states({"running": 1, "waiting": 1})
        begin = time.monotonic()
        codes = [agt("cancel", run).returncode for run in ("c", "g")]
        quick = time.monotonic() - begin < 4
        return codes, quick, states()[0], end(one)

    @part("concurrency 1, forks three deep")
    def _():
        for i in range(3):
            submit("wide", f"w{i}", n=i)
        one = worker("--concurrency", "1")
        await_states({"done": 3})
        return effects(), end(one)

    @part("killed at fail points")
    def _():
        points = [f"{point}#{n}" for point in ("log.before", "log.after", "effect.before", "effect.after") for n in (2, 5)]
        killed = 0
        for point in points:
            for i in range(2):
                submit("chain", f"{point}.{i}", n=10 * points.index(point) + i, seconds=0.0)
            first = worker(AGT_FAIL=point)
            first.communicate(timeout=30)
            fleet.workers.remove(first)
            killed += first.returncode == -signal.SIGKILL
        second = worker()
        await_states({"done": 2 * len(points)})
        return killed, effects(), end(second)

    @part("same id again")
    def _():
        submit("small", "s", n=1)
        submit("small", "s", n=1)
        other = agt("submit", "small", "--run", "s", "--arg", "n=2")
        started = agt("start", "small", "--run", "s")
        return other.returncode, other.stderr.strip(), started.stdout.strip(), effects()

    @part("bad options")
    def _():
        return [agt("worker", *words).stderr.strip() for words in (["--concurrency", "0"], ["--notice", "soon"], ["x"])]
