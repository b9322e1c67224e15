"""The fault harness of several processes: what becomes of runs whose workers are killed
together, cut off from the database, stopped or live by another clock, and whether the
harness sees it when a safeguard is off.

usage: fleet_faults.py PROGRAM FOLDER sqlite|postgres PART...

PART is `herd N`, `cut`, `clock`, `fenced`, `fencing`, `jitter`, `queue N` or `crowd SECONDS`.
"""

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.environ["AGT_SOURCE"], "scripts"))
from fleet import Fleet
from postgres import SETTINGS, Server
from world import World

LIMIT, SECOND = 40, 1.0  # of faults.agt
folder = pathlib.Path(sys.argv[2])


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def most_within(times, seconds):
    """The most of the times that lie within any stretch of so many seconds."""
    times = sorted(times)
    return max((sum(begin <= time < begin + seconds for time in times[i:]) for i, begin in enumerate(times)), default=0)


class Connections:
    """The most connections of programs to the server at a time."""

    def __init__(self, server):
        self.server, self.most, self.ending = server, 0, threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self):
        while not self.ending.wait(0.2):
            count = self.server.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'agt'")
            self.most = max(self.most, int(count))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ending.set()
        self.thread.join()


def submit_all(fleet, agent, count, **args):
    """Eight at a time: a process each."""
    def some(first):
        for i in range(first, count, 8):
            fleet.submit(agent, f"r{i}", n=i, **args)
    threads = [threading.Thread(target=some, args=(first,)) for first in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def results_twice(fleet, runs):
    """Steps that the log ends twice, and runs that it does."""
    twice = 0
    for run in runs:
        ends = [event.get("path", "") for kind in ("result", "reconciled", "run_done") for event in fleet.events(run, kind)
                if event.get("result") is not None]
        twice += len(ends) != len(set(ends))
    return twice


def herd(fleet, count):
    """So many runs at work, all workers killed at one moment."""
    # Every other post that nobody answers has acted; killing is what ends them.
    killed = threading.Event()
    world = World(lambda token, n: (200,) if killed.is_set() or n % 3 == 0 else None if n % 3 == 1 else (503,))
    fleet.environment["WORLD"] = world.url
    submit_all(fleet, "posts", count)
    with Connections(fleet.server) if fleet.server else contextlib.nullcontext() as connections:
        first = [fleet.worker("--concurrency", str(-(-count // 4))) for _ in range(4)]
        while len(world.times) < count // 2:
            time.sleep(0.02)
        running = fleet.states()[0].get("running", 0)
        for process in first:
            process.send_signal(signal.SIGKILL)
        codes = {code for code, _ in fleet.end(*first, how=signal.SIGKILL)}
        killed.set()
        begin = len(world.times)
        second = [fleet.worker("--concurrency", str(-(-count // 4))) for _ in range(4)]
        fleet.await_states({"done": count}, seconds=300)
        told = fleet.end(*second)
    twice = sum(n > 1 for n in world.posts.values())
    # What starts within a second may arrive in a little less.
    rate = max(most_within(world.times[:begin], 0.9 * SECOND), most_within(world.times[begin:], 0.9 * SECOND))
    world.close()
    return (f"killed {codes}, some at work: {running > count // 4};", len(world.posts), "effects,", twice, "twice;",
            "rate", "kept" if rate <= LIMIT else f"{rate} in a second",
            "connections", "few" if not fleet.server or connections.most <= 2 * 4 + 2 else connections.most, told == [(0, "")] * 4)


class Wire:
    """A network namespace with one wire to this one."""

    def __init__(self):
        self.name = f"agt{os.getpid()}"
        self.near, self.far, self.net = f"a{os.getpid()}", f"b{os.getpid()}", f"10.{os.getpid() % 200 + 20}.7"
        self.ip("netns", "add", self.name)
        self.ip("link", "add", self.near, "type", "veth", "peer", "name", self.far, "netns", self.name)
        self.ip("addr", "add", f"{self.net}.1/24", "dev", self.near)
        self.ip("link", "set", self.near, "up")
        self.ip("-n", self.name, "addr", "add", f"{self.net}.2/24", "dev", self.far)
        self.ip("-n", self.name, "link", "set", self.far, "up")

    def ip(self, *words):
        subprocess.run(["ip", *words], check=True)

    def cut(self, is_cut):
        self.ip("link", "set", self.near, "down" if is_cut else "up")

    def close(self):
        self.ip("netns", "del", self.name)


def cut(fleet):
    """A worker whose wire to the database is cut for longer than its lease holds."""
    wire = Wire()
    try:
        server = fleet.server
        server.addresses += f",{wire.net}.1"
        with open(os.path.join(server.data, "pg_hba.conf"), "a") as rules:
            rules.write(f"host all all {wire.net}.0/24 trust\n")
        server.stop()
        server.start()
        for i in range(6):
            fleet.submit("chain", f"c{i}", n=i, seconds=0.3)
        far = f"postgres://agt@{wire.net}.1:{server.port}/postgres"
        first = fleet.worker(before=("ip", "netns", "exec", wire.name), AGT_DB=far, AGT_DB_WAIT="60")
        while len(fleet.lines()) < 8:
            assert first.poll() is None, first.communicate()
            time.sleep(0.01)
        wire.cut(True)
        second = fleet.worker()
        fleet.await_states({"done": 6})
        wire.cut(False)
        # Not before it has heard of what it missed.
        told = []
        for line in first.stderr:
            told.append(line)
            if len(told) == 6:
                break
        taken = sum("was taken over by another process; this one lets go of it" in line for line in told)
        codes = [code for code, _ in fleet.end(first)]
        return fleet.effects(), "taken over:", taken, codes, results_twice(fleet, [f"c{i}" for i in range(6)]), fleet.end(second)
    finally:
        wire.close()


def faketime_library():
    program = pathlib.Path(shutil.which("faketime")).resolve()
    return str(next((program.parent.parent / "lib").glob("**/faketime/libfaketime.so.1")))


def clock(fleet):
    """Workers that are three hours early and late: no run is taken from the other one, no sleep is longer or shorter."""
    for i in range(12):
        fleet.submit("naps", f"n{i}", n=i)
    # By faketime(1)'s library: the program itself would not hand signals on. The boot clock is nobody's to set.
    moved = lambda by: fleet.worker("--concurrency", "4", FAKETIME=by, FAKETIME_DONT_FAKE_MONOTONIC="1", LD_PRELOAD=faketime_library())
    both = [moved("+3h"), moved("-3h")]
    fleet.await_states({"done": 12}, seconds=30)
    told = fleet.end(*both)
    # Claimed to begin, and to go on behind the sleep.
    claims = max(len(fleet.events(f"n{i}", "claimed")) for i in range(12))
    return fleet.effects(), claims, results_twice(fleet, [f"n{i}" for i in range(12)]), told


def stopped_past_lease(fleet, fail):
    """Effects and steps that were twice where a worker is stopped past its lease, until there are any."""
    for _ in range(5):
        fleet.fresh()
        for i in range(6):
            fleet.submit("chain", f"c{i}", n=i, seconds=0.3)
        first = fleet.worker(AGT_FAIL=fail)
        while len(fleet.lines()) < 8:
            time.sleep(0.01)
        fleet.stop(first)
        second = fleet.worker(AGT_FAIL=fail)
        fleet.await_states({"done": 6})
        first.send_signal(signal.SIGCONT)
        time.sleep(1.5)
        fleet.end(first, second)
        twice = fleet.effects()[1] + results_twice(fleet, [f"c{i}" for i in range(6)])
        if twice or not fail.startswith("off:"):
            return twice
    return 0


def fenced(fleet):
    """A worker that is stopped past its lease."""
    return stopped_past_lease(fleet, "none#1"), "twice"


def fencing(fleet):
    """The control: writes of a worker that has lost its runs are not refused."""
    return ("some" if stopped_past_lease(fleet, "off:fencing") else "none"), "twice"


def crowd_of_retries(fleet, fail, count=24):
    """Of so many calls that are refused at one moment, the most that come again within 0.7 s."""
    fleet.fresh()
    gate = threading.Barrier(count)

    def answer(token, n):
        if n > count:
            return (200,)
        gate.wait(20)
        return (429, ("Retry-After", "1"))
    world = World(answer)
    fleet.environment["WORLD"] = world.url
    for i in range(count):
        fleet.submit("knocks", f"k{i}", n=i)
    one = fleet.worker("--concurrency", str(count), AGT_FAIL=fail)
    fleet.await_states({"done": count})
    fleet.end(one)
    world.close()
    assert len(world.times) == 2 * count, len(world.times)
    first, again = sorted(world.times)[count - 1], sorted(world.times)[count:]
    assert again[0] - first >= 1, "came again before Retry-After"
    return most_within(again, 0.7)


def jitter(fleet):
    """The control: delays are the same for all."""
    return ("with it", "spread" if crowd_of_retries(fleet, "none#1") <= 18 else "together",
            "without it", "together" if crowd_of_retries(fleet, "off:jitter") > 18 else "spread")


def queue(fleet, count):
    """Two processes and one log, so many runs in the queue."""
    submit_all(fleet, "small", count)
    waiting = fleet.states()[0]
    pair = [fleet.worker(), fleet.worker()]
    fleet.await_states({"done": count}, seconds=600)
    return waiting, fleet.effects(), fleet.end(*pair)


def crowd(fleet, seconds):
    """Eight processes for so long: four workers and four that start, list, read and approve."""
    said, done, end = [], [], time.monotonic() + seconds
    workers = [fleet.worker() for _ in range(4)]

    def client(k):
        i = 0
        while time.monotonic() < end:
            run = f"x{k}.{i}"
            for words in (["submit" if i % 2 else "start", "small", "--run", run, "--arg", f"n={1000 * k + i}"], ["runs"], ["log", run]):
                got = fleet.agt(*words)
                if got.returncode != 0:
                    said.append((words, got.returncode, got.stderr))
            done.append(run)
            i += 1
    threads = [threading.Thread(target=client, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    fleet.await_states({"done": len(done)}, seconds=120)
    effects = fleet.effects()
    return ("enough" if len(done) > seconds else len(done), said[:3], effects[0] == len(done), effects[1], fleet.end(*workers))


def main():
    kind, words = sys.argv[3], sys.argv[4:]
    server = Server(SETTINGS, free_port()) if kind == "postgres" else None
    with server or contextlib.nullcontext():
        fleet = Fleet(sys.argv[1], folder, server)
        while words:
            name = words.pop(0)
            given = [int(words.pop(0))] if words and words[0].isdigit() else []
            fleet.part(name)(lambda: globals()[name](fleet, *given))


main()
