"""Workers that ask one endpoint together: when its questions come.

usage: llm_limits.py LIMITED UNLIMITED FOLDER sqlite|postgres
"""

import contextlib
import http.server
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.environ["AGT_SOURCE"], "scripts"))
from postgres import Server

limited, unlimited, folder, kind = *sys.argv[1:3], pathlib.Path(sys.argv[3]), sys.argv[4]
CALLS, AT_ONCE, SECONDS = 5, 2, 2.0


class Endpoint(http.server.BaseHTTPRequestHandler):
    """Answers after a while, and keeps when each question has come and gone."""

    seen, lock = [], threading.Lock()

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        entry = [time.monotonic(), None]
        with Endpoint.lock:
            Endpoint.seen.append(entry)
        time.sleep(0.15)
        last = asked["messages"][-1]
        message = {"content": "an answer"}
        if asked["model"] == "one" and "with a tool" in last["content"]:
            message = {"content": "", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "word", "arguments": "{}"}}]}
        elif "wrong at first" in last["content"]:
            message = {"content": "none"}
        elif "not valid" in last["content"]:
            message = {"content": '{"value": 7}'}
        body = json.dumps({"model": "m", "choices": [{"message": message, "finish_reason": "stop"}]}).encode()
        entry[1] = time.monotonic()
        with contextlib.suppress(OSError):  # who has died does not listen
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_):
        pass


class Endpoints(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 200


endpoint = Endpoints(("127.0.0.1", 0), Endpoint)
threading.Thread(target=endpoint.serve_forever, daemon=True).start()


def served(program, url, runs, kill):
    """What the endpoint has seen of workers that serve the runs, and when one of them was killed."""
    Endpoint.seen.clear()
    environment = {**os.environ, "AGT_DB": url, "ENDPOINT": f"http://127.0.0.1:{endpoint.server_port}", "AGT_LEASE": "2"}
    for i in range(runs):
        subprocess.run([program, "submit", "asks", "--run", f"r{i}", "--arg", "n=3"], env=environment, check=True, capture_output=True)
    start = lambda: subprocess.Popen([program, "worker"], env=environment, stderr=subprocess.DEVNULL)
    workers, killed = [start() for _ in range(3)], None
    try:
        for _ in range(600):
            time.sleep(0.1)
            if kill and not killed and len(Endpoint.seen) > 8:
                killed = time.monotonic()
                workers[0].kill()
                workers.append(start())
            said = subprocess.run([program, "runs"], env=environment, text=True, capture_output=True).stdout
            if said.count(" done ") == runs:
                break
        else:
            sys.exit("the runs never end:\n" + said)
        for worker in workers:
            worker.send_signal(signal.SIGTERM)
        assert all(worker.wait(20) == (-9 if worker is workers[0] and kill else 0) for worker in workers)
    finally:
        for worker in workers:
            worker.kill()
    return sorted(Endpoint.seen), killed


def found(seen, killed):
    """How the limit is broken; "" where it is not."""
    begins = [begin for begin, _ in seen]
    # A question takes a moment to come: what starts together may come apart.
    close = min(b - a for a, b in zip(begins, begins[CALLS:]))
    # What a process was asking when it was killed is nobody's any more.
    counted = [(begin, end) for begin, end in seen if not (killed and begin <= killed <= end)]
    most = max(sum(begin <= one < end for begin, end in counted) for one, _ in counted)
    return ", ".join((["too many in a time"] if close < 0.9 * SECONDS else []) + (["too many at once"] if most > AT_ONCE else []))


server = Server() if kind == "postgres" else None
with server or contextlib.nullcontext():
    url = server.url() if server else f"sqlite:{folder}/limits.db"
    seen, killed = served(limited, url, 4, True)
    assert killed and len(seen) >= 24, (killed, len(seen))
    print(f"{kind}: with a limit:", found(seen, killed) or "kept")
    environment = {**os.environ, "AGT_DB": url, "ENDPOINT": f"http://127.0.0.1:{endpoint.server_port}"}
    said = subprocess.run([limited, "start", "nested", "--run", "n"], env=environment, text=True, capture_output=True, timeout=60)
    print(f"{kind}: nested:", said.returncode, said.stdout.strip(), said.stderr.strip())
    if server:
        server.sql("DROP SCHEMA IF EXISTS agt CASCADE")
    seen, _ = served(unlimited, url if server else f"sqlite:{folder}/unlimited.db", 4, False)
    print(f"{kind}: without one:", found(seen, None))
