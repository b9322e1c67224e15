#!/usr/bin/env python3
"""A PostgreSQL server of one's own, for tests: from Debian's package, in a
temporary folder, on a Unix socket, gone at the end.

usage: postgres.py serve           prints the server's URL on a line, reads
                                   commands (`stop`, `start`, `kill`, `fresh`:
                                   no log in the database), one a line, answers
                                   each with `ok`, and takes everything away
                                   when its input ends
       postgres.py run COMMAND...  runs a command with AGT_DB set to that URL

The server refuses to run as root; for root it runs as the user `postgres`,
which the package makes. The role `locked` needs the password `sesame`, every
other role needs none.
"""

import ctypes
import glob
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse

PR_SET_PDEATHSIG = 1
# fsync: tests let the server crash, never the machine.
SETTINGS = ["fsync=off", "autovacuum=off", "max_connections=50",
            "shared_buffers=16MB", "log_min_messages=fatal"]


class Server:
    def __init__(self, settings=SETTINGS, port=None):
        """`settings`: its options NAME=VALUE. `port`: of 127.0.0.1, beside the socket; none by default."""
        self.settings, self.port, self.addresses = settings, port, "127.0.0.1"
        folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not folders:
            sys.exit("error: there is no PostgreSQL server here; install the package postgresql")
        self.programs = pathlib.Path(folders[-1])
        # Not TMPDIR: the server's user may not see it, and a socket's path is short.
        self.folder = tempfile.mkdtemp(prefix="agt-pg-", dir="/tmp")
        self.user = {}
        if os.geteuid() == 0:
            self.user = {"user": "postgres", "group": "postgres", "extra_groups": []}
            shutil.chown(self.folder, "postgres", "postgres")
        self.data = os.path.join(self.folder, "data")
        self.process = None
        try:
            self.make()
        except BaseException:
            self.close()
            raise

    def make(self):
        subprocess.run([self.programs / "initdb", "-D", self.data, "-U", "agt", "-A", "trust",
                        "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"],
                       check=True, stdout=subprocess.DEVNULL, cwd=self.folder, **self.user)
        rules = os.path.join(self.data, "pg_hba.conf")
        pathlib.Path(rules).write_text("local all locked scram-sha-256\nlocal all all trust\n"
                                       "host all all 127.0.0.1/32 trust\n")
        self.start()
        self.sql("CREATE ROLE locked LOGIN SUPERUSER PASSWORD 'sesame'")

    def url(self, user="agt", database="postgres"):
        where = f"127.0.0.1:{self.port}" if self.port else urllib.parse.quote(self.folder, safe="")
        return f"postgres://{user}@{where}/{database}"

    def sql(self, text, database="postgres"):
        command = [self.programs / "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", self.folder,
                   "-p", str(self.port or 5432), "-U", "agt", "-d", database, "-c", text]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def start(self):
        def with_parent():  # a helper that is killed takes its server along
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)
        where = [f"listen_addresses={self.addresses}", f"port={self.port}"] if self.port else ["listen_addresses="]
        words = [word for setting in [*self.settings, *where] for word in ("-c", setting)]
        log = open(os.path.join(self.folder, "log"), "ab")
        self.process = subprocess.Popen(
            [self.programs / "postgres", "-D", self.data, "-k", self.folder, *words],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
            start_new_session=True, preexec_fn=with_parent, **self.user)
        ready = [self.programs / "pg_isready", "-q", "-h", self.folder, "-p", str(self.port or 5432)]
        for _ in range(600):
            if subprocess.run(ready).returncode == 0:
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        sys.exit("error: the server did not start: "
                 + pathlib.Path(self.folder, "log").read_text(errors="replace"))

    def stop(self, how=signal.SIGINT):
        """SIGINT: at once, in order. SIGQUIT: as if it had crashed."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait()

    def close(self):
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def serve(server):
    print(server.url(), flush=True)
    for line in sys.stdin:
        {"stop": server.stop, "start": server.start,
         "kill": lambda: server.stop(signal.SIGQUIT),
         "fresh": lambda: server.sql("DROP SCHEMA IF EXISTS agt CASCADE")}[line.strip()]()
        print("ok", flush=True)


def main():
    if sys.argv[1:] != ["serve"] and (len(sys.argv) < 3 or sys.argv[1] != "run"):
        sys.exit(__doc__)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGINT, signal.SIG_IGN if sys.argv[1] == "serve" else signal.SIG_DFL)
    with Server() as server:
        if sys.argv[1] == "serve":
            serve(server)
            return 0
        return subprocess.run(sys.argv[2:], env={**os.environ, "AGT_DB": server.url()}).returncode


if __name__ == "__main__":
    sys.exit(main())
