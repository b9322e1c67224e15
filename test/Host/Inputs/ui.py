"""The console page's server: its API, its guards, live events, metrics.

usage: ui.py PROGRAM FOLDER [postgres]
"""

import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import sys
import time

sys.path[:0] = [os.path.join(os.environ["AGT_SOURCE"], "scripts"), os.path.dirname(__file__)]
import prometheus_text
import ui_client
from postgres import Server
from ui_client import Ui, agt, start, together

folder = pathlib.Path(sys.argv[2])
server = Server() if sys.argv[3:] == ["postgres"] else None
ui_client.set_up(sys.argv[1], folder, server.url() if server else f"sqlite:{folder}/log.db")
HOSTILE = '<script>document.title="stolen"</script>&"\'<img src=x onerror=alert(1)>\u202e\x1b[31m'


def fresh():
    if server:
        server.sql("DROP SCHEMA IF EXISTS agt CASCADE")
    else:
        for path in folder.glob("log.db*"):
            path.unlink()


def part(name):
    def run(body):
        fresh()
        print(f"{name}:", *body(), flush=True)
    return run


def raw(port, data):
    """The first line of what the server answers to these bytes."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        with contextlib.suppress(OSError):
            connection.sendall(data)
        with contextlib.suppress(OSError):
            answer = b"".join(iter(lambda: connection.recv(4096), b"")).decode()
            first, body = answer.split("\r\n")[0], answer.partition("\r\n\r\n")[2]
            assert " 200 " in first or json.loads(body)["error"], answer
            return first
    return "closed"


def metrics(ui):
    status, text, headers = ui.ask("GET", "/metrics")
    assert status == 200 and headers["Content-Type"].startswith("text/plain; version=0.0.4"), headers
    return prometheus_text.parse(text)


def await_status(ui, run, wanted):
    for _ in range(300):
        if ui.get(f"/api/runs/{run}")[1]["run"]["status"] == wanted:
            return wanted
        time.sleep(0.1)
    sys.exit(f"{run} never was {wanted}")


with server or contextlib.nullcontext():
    @part("the address")
    def _():
        with Ui() as ui:
            yield ui.address.group(0).startswith("http://127.0.0.1:")
            try:
                socket.create_connection(("127.0.0.2", ui.port), timeout=5)
                yield "reached by another address"
            except OSError:
                yield "by no other address"
            taken = agt("ui", "--port", str(ui.port), check=False)
            yield taken.returncode, taken.stderr.strip().replace(str(ui.port), "PORT")
            _, page, headers = ui.ask("GET", "/")
            yield headers["Content-Security-Policy"].split(";")[0], headers["X-Content-Type-Options"]
            yield "Access-Control-Allow-Origin" in headers, "//" in page
            for name in ("/console.js", "/console.css", "/icon.svg"):
                assert ui.ask("GET", name)[0] == 200
            stream = ui.stream("/api/runs")  # does not hold the end up
            yield ui.end()
            stream.close()
        with Ui() as ui:
            yield ui.end(signal.SIGINT)

    @part("guards")
    def _():
        start("gate", "g", text="?")
        with Ui() as ui:
            path, body = "/api/runs/g/approve", json.dumps({"step": "approve", "answer": True})
            good = {"Content-Type": "application/json", "X-Agt-Token": ui.token}
            own = f"127.0.0.1:{ui.port}"
            for host in ("evil.example", f"evil.example:{ui.port}", "127.0.0.1.evil.example", "localhost@evil.example", ""):
                assert ui.ask("GET", "/api/runs", headers={"Host": host})[0] == 403, host
                assert ui.ask("GET", "/", headers={"Host": host})[0] == 403, host
                assert ui.ask("GET", "/metrics", headers={"Host": host})[0] == 403, host
                assert ui.ask("POST", path, body, {**good, "Host": host})[0] == 403, host
            for host in ("localhost", "LOCALHOST:1", "[::1]:80", own):
                assert ui.ask("GET", "/api/runs", headers={"Host": host})[0] == 200, host
            refused = [{}, {"X-Agt-Token": ""}, {"X-Agt-Token": "0" * 64}, {"X-Agt-Token": ui.token[:-1]},
                       {**good, "Origin": "http://evil.example"}, {**good, "Origin": "null"},
                       {**good, "Origin": f"https://{own}"}, {**good, "Origin": f"http://localhost:{ui.port}"},
                       {**good, "Sec-Fetch-Site": "cross-site"}, {**good, "Sec-Fetch-Site": "same-site"}]
            yield [ui.ask("POST", path, body, {"Content-Type": "application/json", **headers})[0] for headers in refused]
            yield ui.ask("GET", "/api/runs", headers={"Origin": "http://evil.example"})[0]
            yield ui.ask("POST", path, body, {**good, "Content-Type": "text/plain"})[0]
            yield [ui.ask(method, path, body, good)[0] for method in ("PUT", "DELETE", "OPTIONS", "GET")]
            yield ui.get("/api/runs/g")[1]["run"]["status"]
            yield ui.ask("POST", path, body, {**good, "Origin": f"http://{own}", "Sec-Fetch-Site": "same-origin"})[0]

    @part("no HTTP")
    def _():
        with Ui() as ui:
            host = f"Host: 127.0.0.1:{ui.port}\r\n"
            cases = ["garbage\r\n\r\n", f"GET / HTTP/1.1\r\n\r\n", f"GET / HTTP/1.1\r\n{host}Host: evil.example\r\n\r\n",
                     f"GET /../../etc/passwd HTTP/1.1\r\n{host}\r\n", f"GET /%00 HTTP/1.1\r\n{host}\r\n",
                     f"GET /api/runs/%zz HTTP/1.1\r\n{host}\r\n", f"GET /api/runs/%ff%00 HTTP/1.1\r\n{host}\r\n",
                     f"GET / HTTP/1.1\r\n{host}X: {'x' * 20000}\r\n\r\n", f"GET /{'x' * 20000} HTTP/1.1\r\n{host}\r\n",
                     f"POST /api/runs/x/cancel HTTP/1.1\r\n{host}Content-Length: 2000000\r\n\r\n{'x' * 1100000}",
                     f"POST / HTTP/1.1\r\n{host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                     f"GET / HTTP/1.1\r\n{host}Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n"]
            for case in cases:
                yield raw(ui.port, case.encode()).replace("HTTP/1.1 ", "")
            crowd = [socket.create_connection(("127.0.0.1", ui.port)) for _ in range(64)]
            time.sleep(0.5)
            yield "beside 64:", raw(ui.port, f"GET / HTTP/1.1\r\n{host}\r\n".encode()).replace("HTTP/1.1 ", "")
            for connection in crowd:
                connection.close()
            time.sleep(0.5)
            idle = [socket.create_connection(("127.0.0.1", ui.port)) for _ in range(30)]
            yield "beside 30 that say nothing:", ui.get("/api/runs")[0]
            for connection in idle:
                connection.close()

    @part("lists")
    def _():
        for i in range(7):
            agt("submit", "slow", "--run", f"s{i}")
        start("failing", "f", text=HOSTILE)
        start("gate", "g", text="?")
        with Ui() as ui:
            def pages(query, limit):
                ids, before = [], ""
                while True:
                    _, page = ui.get(f"/api/runs?limit={limit}{query}{before}")
                    ids.append([run["id"] for run in page["runs"]])
                    if "next" not in page:
                        return ids
                    before = f"&before={page['next']}"
            yield pages("", 4), pages("&state=queued", 7), pages("&agent=gate", 2), pages("&state=done", 2)
            first = ui.get("/api/runs")[1]["runs"]
            yield first[0]["waits"][0]["kind"], first[0]["waits"][0]["text"], first[0]["steps"], "error" in first[1]
            for query in ("state=odd", "before=x", "before=.x", "limit=x", "agent=%ff", "before=1.%00"):
                status, answer = ui.get(f"/api/runs?{query}")
                assert status == 400 and answer["error"], query
            yield ui.get("/api/runs?state=odd")[1]["error"]
            about = ui.get("/api/program")[1]
            yield about["program"], about["agents"]

    @part("a run")
    def _():
        start("wide", "w", keys=["a b", "]/[", HOSTILE], n=5000)
        with Ui() as ui:
            _, whole = ui.get("/api/runs/w")
            run, steps = whole["run"], whole["steps"]
            yield run["status"], run["steps"], sorted(step["kind"] for step in steps)
            big = next(step for step in steps if step["kind"] == "tool")
            value = ui.ask("GET", f"/api/runs/w/values/{big['result']['handle']}")
            yield big["result"]["bytes"], json.loads(value[1]) == "x" * 5000, value[2]["Content-Type"]
            result = ui.ask("GET", f"/api/runs/w/values/{run['result']['handle']}")[1]
            yield len(json.loads(result)), [len(text) for text in json.loads(result)]
            yield all(step["begin"] <= step["end"] for step in steps), ui.get(f"/api/runs/w?after={whole['seq']}")[1]["steps"]
            log = [json.loads(line) for line in agt("log", "w", "--json").stdout.splitlines()]
            yield ui.get("/api/runs/w/events")[1]["events"] == log
            yield [ui.get(path)[0] for path in ("/api/runs/none", "/api/runs/w/values/1.odd", "/api/runs/w/values/999999.args",
                                                "/api/runs/none/events", "/api/odd", "/api/runs/w/odd", "/odd")]
            yield ui.get("/api/runs/none")[1]["error"]

    @part("approve")
    def _():
        for run in ("y", "n", "two"):
            start("gate", run, text=HOSTILE)
        with Ui() as ui:
            step = ui.get("/api/runs/y")[1]["steps"][-1]
            yield step["question"] == HOSTILE, step["role"]
            path, answer = "/api/runs/y/approve", {"step": "approve", "answer": True, "shown": step["shown"], "by": "Ana"}
            yield ui.post(path, {**answer, "shown": "0" * 64})
            yield ui.post(path, answer), ui.post(path, answer)
            yield ui.post("/api/runs/n/approve", {"step": "approve", "answer": False})[0]
            yield agt("resume", "y").returncode, agt("resume", "n", check=False).returncode
            approved = next(step for step in ui.get("/api/runs/y")[1]["steps"] if step["kind"] == "approval")
            yield approved["result"], approved["by"]
            told = together(*[lambda how=how: ui.post("/api/runs/two/approve", {"step": "approve", "answer": how})[0]
                              for how in (True, False)])
            log = agt("log", "two", "--json").stdout
            yield sorted(told)[0], sorted(told)[1] in (404, 409), log.count('"kind":"approval"')
            for body in ("", "{", "[]", '{"step": 1, "answer": true}', '{"step": "approve"}', '{"answer": true}',
                         '{"step": "approve", "answer": "yes"}', '{"step": "approve", "answer": true, "odd": 1}', "[" * 1000):
                status, answer = ui.post(path, body)
                assert status == 400 and answer["error"], (body, status, answer)
            yield ui.post("/api/runs/none/approve", {})

    @part("signal, resolve, cancel")
    def _():
        start("inbox", "i")
        start("lose", "l", text=HOSTILE)
        start("lose", "m", text="m")
        start("slow", "s")
        with Ui() as ui:
            waits = {run["id"]: run["waits"][0]["kind"] for run in ui.get("/api/runs")[1]["runs"]}
            yield waits
            yield ui.post("/api/runs/i/signal", '{"name": "word", "value": 9007199254740993}')
            yield agt("resume", "i").stdout.strip(), ui.get("/api/runs/i")[1]["run"]["result"]
            yield ui.post("/api/runs/i/signal", {"name": "word", "value": 1})
            resolve = lambda run, **body: ui.post(f"/api/runs/{run}/resolve", {"step": "lost", **body})
            yield resolve("l", how="skip", value="no int"), resolve("l", how="odd"), resolve("l", how="skip")
            yield resolve("l", how="skip", value=17, by="Ana")[0], agt("resume", "l").stdout.strip()
            yield resolve("m", how="fail", by="Ana")[0], agt("resume", "m", check=False).returncode
            yield ui.get("/api/runs/m")[1]["steps"][0]["error"].split(":")[0]
            yield ui.post("/api/runs/s/cancel", {}), ui.post("/api/runs/s/cancel", ""), ui.post("/api/runs/m/cancel", {})

    @part("live")
    def _():
        start("gate", "g", text="?")
        with Ui() as ui:
            runs, events = ui.stream("/api/runs"), ui.stream("/api/runs/g/events")
            yield runs.status, runs.type
            seen = iter(events)
            before = [next(seen)[2]["kind"] for _ in range(5)]
            begin = time.monotonic()
            agt("approve", "g", "approve", "yes")
            _, number, event = next(seen)
            yield before, event["kind"], number == event["seq"], time.monotonic() - begin < 5
            yield next(iter(runs))[0]
            runs.close()
            agt("resume", "g")
            yield [(name, data.get("kind") or data.get("status")) for name, _, data in seen]
            again = ui.stream("/api/runs/g/events", **{"Last-Event-ID": str(number)})
            yield [name for name, _, _ in again], ui.stream("/api/runs/none/events").status

    @part("the log goes away")
    def _():
        start("gate", "g", text="?")
        with Ui() as ui:
            stream = ui.stream("/api/runs")
            if server:
                server.stop()
            else:
                for path in list(folder.glob("log.db*")):
                    path.rename(folder / f"away-{path.name}")
            status, answer = ui.get("/api/runs")
            yield status, bool(answer["error"]), ui.ask("GET", "/")[0]
            yield ui.post("/api/runs/g/approve", {"step": "approve", "answer": True})[0]
            yield next(name for name, _, _ in stream if name == "lost")
            yield prometheus_text.value(metrics(ui), "agt_step_log_up")
            if server:
                server.start()
            else:
                for path in folder.glob("away-*"):
                    path.rename(folder / path.name[len("away-"):])
            for _ in range(100):
                if ui.get("/api/runs")[0] == 200:
                    break
                time.sleep(0.1)
            yield [run["id"] for run in ui.get("/api/runs")[1]["runs"]]
            yield next(name for name, _, _ in stream if name == "change")
            yield ui.post("/api/runs/g/approve", {"step": "approve", "answer": True})[0], ui.end()[0]

    @part("metrics")
    def _():
        for i in range(3):
            agt("submit", "slow", "--run", f"s{i}")
        start("gate", "g", text="?")
        start("failing", "f", text="no")
        with Ui() as ui:
            known = metrics(ui)
            get = lambda name, **labels: prometheus_text.value(known, name, **labels)
            yield get("agt_runs", agent="slow", state="queued"), get("agt_runs", agent="gate", state="waiting"), get("agt_queue_runs")
            yield get("agt_queue_oldest_wait_seconds") > 0, get("agt_steps_total", agent="failing", kind="tool", outcome="failed")
            yield get("agt_step_attempts_total", agent="failing", kind="tool", outcome="failed"), get("agt_runs_ended_total", agent="failing", outcome="failed")
            yield get("agt_claims_total", agent="gate"), get("agt_step_log_up"), get("process_open_fds") > 3
            agt("gc", "--older", "0s")
            known = metrics(ui)
            yield "after gc:", get("agt_runs", agent="failing", state="failed"), get("agt_runs_ended_total", agent="failing", outcome="failed")
        agt("submit", "napping", "--run", "nap")
        ui_client.environment["AGT_LEASE"] = "1"
        with Ui("--metrics", "0", first="worker") as worker:
            busiest = 0
            for _ in range(200):
                known = metrics(worker)
                busiest = max(busiest, get("agt_worker_busy_slots"))
                if get("agt_runs", agent="napping", state="done"):
                    break
                time.sleep(0.1)
            yield "worker:", get("agt_runs", agent="slow", state="waiting"), get("agt_queue_runs"), get("agt_worker_slots"), busiest >= 1
            yield get("agt_worker_commits_total") >= 4, get("agt_worker_fenced_writes_total"), get("agt_worker_lease_renewals_total") >= 3
            # A claim that is not this worker's any more: what it writes is refused.
            agt("submit", "napping", "--run", "taken")
            while not get("agt_worker_busy_slots"):
                known = metrics(worker)
            worker.process.send_signal(signal.SIGSTOP)
            time.sleep(1.5)
            del ui_client.environment["AGT_LEASE"]
            agt("resume", "taken")
            worker.process.send_signal(signal.SIGCONT)
            for _ in range(100):
                known = metrics(worker)
                if get("agt_worker_fenced_writes_total"):
                    break
                time.sleep(0.1)
            yield "fenced:", get("agt_worker_fenced_writes_total") >= 1
            yield worker.ask("GET", "/")[0], worker.ask("GET", "/metrics", headers={"Host": "evil.example"})[0], worker.end()[0]

    @part("command line")
    def _():
        for words in (["--port", "70000"], ["--port", "x"], ["odd"], ["--db", "odd:"]):
            said = agt("ui", *words, check=False)
            yield said.returncode, said.stderr.strip()
        for port in ("-1", "0.0.0.0:9100", "[::]:9100", "127.0.0.1:70000"):
            said = agt("worker", "--metrics", port, check=False)
            yield said.returncode, said.stderr.strip()
