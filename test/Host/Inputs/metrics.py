"""What /metrics says of runs whose story is known, in Prometheus' text format.

usage: metrics.py PROGRAM FOLDER [postgres]
"""

import contextlib
import http.server
import json
import os
import pathlib
import sys
import threading
import time

sys.path[:0] = [os.path.join(os.environ["AGT_SOURCE"], "scripts"), os.path.dirname(__file__)]
import prometheus_text
import ui_client
from postgres import Server
from ui_client import Ui, agt

folder = pathlib.Path(sys.argv[2])
MODEL = 'wri"ter\\1\nx'


class Writer(http.server.BaseHTTPRequestHandler):
    """The endpoint of the llm `writer`, which is busy once."""

    busy = True

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps({"model": MODEL, "usage": {"prompt_tokens": 11, "completion_tokens": 5},
                           "choices": [{"message": {"content": "a text"}, "finish_reason": "stop"}]}).encode()
        self.send_response(429 if Writer.busy else 200)
        Writer.busy = False
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def metrics(ui):
    status, text, headers = ui.ask("GET", "/metrics")
    assert status == 200 and headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8", headers
    return prometheus_text.parse(text)


def show(families):
    for name, (kind, samples) in families.items():
        if not name.startswith("agt_") or name in ("agt_build_info", "agt_queue_oldest_wait_seconds"):
            continue
        for labels, value in sorted(samples.items()):
            if kind == "histogram":
                part, labels = labels
                if part != "_count":
                    continue
            print(name, " ".join(f"{key}={content!r}" for key, content in labels), f"{value:g}")


writer = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Writer)
threading.Thread(target=writer.serve_forever, daemon=True).start()
server = Server() if sys.argv[3:] == ["postgres"] else None
with server or contextlib.nullcontext():
    ui_client.set_up(sys.argv[1], folder, server.url() if server else f"sqlite:{folder}/log.db")
    environment = ui_client.environment
    environment.update(WRITER=f"http://127.0.0.1:{writer.server_port}", WRITER_KEY="writerkey", TOOL_KEY="toolkey",
                       LEDGER=str(folder / "ledger"))
    for mark in (1, 2):
        pathlib.Path(folder / f"ledger.{mark}").touch()
    start = ("start", "work", "--run", "r", "--arg", "topic=tides")
    environment["AGT_FAIL"] = "effect.before#1"
    assert agt(*start, check=False).returncode == -9
    del environment["AGT_FAIL"]
    assert agt(*start).returncode == 3
    agt("approve", "r", "approve", "yes")
    assert agt("resume", "r").returncode == 3
    time.sleep(0.4)
    assert agt("resume", "r").returncode == 0
    assert agt("start", "lost", "--run", "l").returncode == 3
    with Ui() as ui:
        before = metrics(ui)
        print("parked:", prometheus_text.value(before, "agt_runs", agent="lost", state="parked"))
        agt("resolve", "l", "n", "skip", "7")
        assert agt("resume", "l").stdout == "7\n"
        agt("start", "waiting", "--run", "w")
        agt("cancel", "w")
        show(metrics(ui))
        # What was counted does not fall.
        agt("gc", "--older", "0s")
        after = metrics(ui)
        for name, (kind, samples) in before.items():
            if kind != "gauge" and name.startswith("agt_"):
                for labels, value in samples.items():
                    assert after[name][1][labels] >= value, (name, labels)
        print("after gc:", prometheus_text.value(after, "agt_run_duration_seconds", "_count", agent="work", outcome="done"),
              sorted(before) == sorted(after), ui.end())
    # A worker whose collector is not there.
    environment["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://127.0.0.1:1"
    environment["OTEL_BSP_MAX_QUEUE_SIZE"] = "2"
    environment["OTEL_BSP_SCHEDULE_DELAY"] = "10"
    with Ui("--metrics", "127.0.0.1:0", first="worker") as worker:
        agt("submit", "many", "--run", "m", "--arg", "n=20")
        for _ in range(200):
            known = metrics(worker)
            # The run may be over before the first request to the collector has failed.
            if (prometheus_text.value(known, "agt_runs", agent="many", state="done")
                    and prometheus_text.value(known, "agt_trace_requests_total", outcome="failed")):
                break
            time.sleep(0.05)
        get = lambda name, **labels: prometheus_text.value(known, name, **labels)
        print("drops:", get("agt_trace_spans_total", outcome="dropped") > 10, get("agt_trace_spans_total", outcome="exported"),
              get("agt_trace_queue_spans") <= 4, get("agt_trace_requests_total", outcome="failed") >= 1)
        code, said = worker.end()
        print("worker ends:", code, said.count("spans were dropped"))
