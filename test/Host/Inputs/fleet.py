"""Workers of one step log as tests see them: what is submitted, how runs stand, how
processes end, and which effects the file $LEDGER has.
"""

import atexit
import collections
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import time


class Fleet:
    """`server`: a PostgreSQL server (scripts/postgres.py); without one the log is a file in `folder`."""

    def __init__(self, program, folder: pathlib.Path, server=None, **environment):
        self.program, self.folder, self.server = program, folder, server
        self.environment = {**os.environ, "AGT_DB": server.url() if server else f"sqlite:{folder}/log.db",
                            "LEDGER": str(folder / "ledger"), "AGT_LEASE": "2", **environment}
        self.workers = []
        # One that is left stopped would keep what it guards from every later run.
        atexit.register(lambda: [process.kill() for process in self.workers])

    def agt(self, *words, **more):
        return subprocess.run([self.program, *words], env={**self.environment, **more}, text=True, capture_output=True)

    def submit(self, agent, run, **args):
        words = [word for name, value in args.items() for word in ("--arg", f"{name}={value}")]
        said = self.agt("submit", agent, "--run", run, *words)
        assert (said.returncode, said.stdout) == (0, run + "\n"), said

    def worker(self, *words, before=(), **more):
        """`before`: a command that starts it, as `ip netns exec NAME`."""
        process = subprocess.Popen([*before, self.program, "worker", *words], env={**self.environment, **more}, text=True,
                                   stderr=subprocess.PIPE)
        self.workers.append(process)
        return process

    def is_locked(self):
        """Whether a transaction of somebody's is open."""
        if self.server:
            return self.server.sql(
                "SELECT count(*) FROM pg_stat_activity WHERE state IN ('active', 'idle in transaction')"
                " AND pid <> pg_backend_pid() AND backend_type = 'client backend'").strip() != "0"
        database = sqlite3.connect(self.folder / "log.db", timeout=0.2, isolation_level=None)
        try:
            database.execute("BEGIN IMMEDIATE")
            database.execute("ROLLBACK")
            return False
        except sqlite3.OperationalError:
            return True
        finally:
            database.close()

    def stop(self, process):
        """Stops it between transactions: in one it would keep everybody else from writing."""
        while True:
            process.send_signal(signal.SIGSTOP)
            if not self.is_locked():
                return
            process.send_signal(signal.SIGCONT)
            time.sleep(0.02)

    def end(self, *processes, how=signal.SIGTERM):
        """How they ended, and what they said."""
        for process in processes:
            process.send_signal(how)
        told = []
        for process in processes:
            err = process.communicate(timeout=30)[1]
            self.workers.remove(process)
            told.append((process.returncode, err))
        return told

    def states(self):
        """status: how many runs; and the runs."""
        lines = [json.loads(line) for line in self.agt("runs", "--json").stdout.splitlines()]
        return dict(collections.Counter(line["status"] for line in lines)), {line["run"]: line for line in lines}

    def await_states(self, wanted, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            counts, _ = self.states()
            if counts == wanted:
                return
            time.sleep(0.1)
        sys.exit(f"never came to {wanted}, is {self.states()}")

    def events(self, run, kind):
        lines = map(json.loads, self.agt("log", run, "--json").stdout.splitlines())
        return [event for event in lines if event["kind"] == kind]

    def lines(self):
        """Of the ledger, so far."""
        path = self.folder / "ledger"
        return path.read_text().splitlines() if path.exists() else []

    def effects(self):
        """The effects since the last look; how many were there more than once."""
        lines = self.lines()
        (self.folder / "ledger").unlink(missing_ok=True)
        counts = collections.Counter(line.split()[0] for line in lines)
        return len(counts), sum(count > 1 for count in counts.values())

    def fresh(self):
        """An empty log and ledger."""
        if self.server:
            self.server.sql("DROP SCHEMA IF EXISTS agt CASCADE")
        else:
            for path in self.folder.glob("log.db*"):
                path.unlink()
        self.effects()

    def part(self, name):
        """Decorates what is done on a fresh log; its results are a line."""
        def run(body):
            self.fresh()
            print(f"{name}:", *body(), flush=True)
            assert not self.workers
        return run
