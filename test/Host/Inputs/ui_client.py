"""What tests of `ui` need: the program, its server, plain HTTP, live events."""

import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import threading

program, folder = None, None
environment = dict(os.environ)


def set_up(path, scratch, database):
    global program, folder
    program, folder = path, pathlib.Path(scratch)
    environment["AGT_DB"] = database


def agt(*words, check=True):
    said = subprocess.run([program, *words], env=environment, text=True, capture_output=True, cwd=folder)
    assert not check or said.returncode in (0, 3), said
    return said


def start(agent, run, **args):
    words = [word for name, value in args.items()
             for word in ("--arg", f"{name}={value if isinstance(value, str) else json.dumps(value)}")]
    return agt("start", agent, "--run", run, *words, check=False).returncode


class Ui:
    """A server that ends with the block."""

    def __init__(self, *words, first="ui"):
        self.process = subprocess.Popen([program, first, *words], env=environment, text=True, cwd=folder,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = (self.process.stdout if first == "ui" else self.process.stderr).readline()
        self.address = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert self.address, line + self.process.stderr.read()
        self.port = int(self.address.group(1))
        self.token = ""
        if first == "ui":
            page = self.ask("GET", "/")[1]
            self.token = re.search(r'name="agt-token" content="([0-9a-f]{64})"', page).group(1)

    def ask(self, method, path, body=None, headers=None):
        """(status, text, headers)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request(method, path, body, headers or {})
        reply = connection.getresponse()
        text = reply.read().decode()
        connection.close()
        return reply.status, text, dict(reply.getheaders())

    def get(self, path):
        status, text, _ = self.ask("GET", path)
        return status, json.loads(text)

    def post(self, path, body, **headers):
        text = body if isinstance(body, str) else json.dumps(body)
        status, text, _ = self.ask("POST", path, text, {
            "Content-Type": "application/json", "X-Agt-Token": self.token, **headers})
        return status, json.loads(text)

    def stream(self, path, **headers):
        return Stream(self.port, path, headers)

    def end(self, how=signal.SIGTERM):
        """The exit code, and what is left on stderr."""
        self.process.send_signal(how)
        err = self.process.communicate(timeout=20)[1]
        return self.process.returncode, err

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


class Stream:
    """Server-sent events: (name, id, data) until the server ends them."""

    def __init__(self, port, path, headers):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.connection.request("GET", path, headers={"Accept": "text/event-stream", **headers})
        self.reply = self.connection.getresponse()
        self.status, self.type = self.reply.status, self.reply.getheader("Content-Type")

    def __iter__(self):
        name = number = data = None
        for line in iter(self.reply.readline, b""):
            key, _, value = line.decode().rstrip("\n").partition(": ")
            if key == "event":
                name = value
            elif key == "id":
                number = int(value)
            elif key == "data":
                data = json.loads(value)
            elif not key and name:
                yield name, number, data
                name = number = data = None

    def close(self):
        self.connection.close()


def together(*calls):
    """What they return, made at the same time."""
    results = [None] * len(calls)
    gate = threading.Barrier(len(calls))

    def run(i):
        gate.wait()
        results[i] = calls[i]()
    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
