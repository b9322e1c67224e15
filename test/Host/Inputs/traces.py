"""Traces of programs that are killed and go on, as a collector sees them, and
collectors that are not well.

usage: traces.py PROGRAM FOLDER
"""

import http.server
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(__file__))
from collector import Collector

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
SECRETS = {"WRITER_KEY": "writerkey-5566", "TOOL_KEY": "toolkey-7788"}
HEADER = "headervalue-9900"


class Writer(http.server.BaseHTTPRequestHandler):
    """The endpoint of the llm `writer`. Every other request is one too many."""

    asked = 0

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        assert self.headers["Authorization"] == "Bearer " + SECRETS["WRITER_KEY"]
        Writer.asked += 1
        if Writer.asked % 2:
            self.send_response(429)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body = json.dumps({"model": "writer-1-0613", "usage": {"prompt_tokens": 11, "completion_tokens": 5},
                           "choices": [{"message": {"content": "a written text"}, "finish_reason": "stop"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


writer = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Writer)
threading.Thread(target=writer.serve_forever, daemon=True).start()


def environment(name, url, **more):
    return {**os.environ, **SECRETS, "AGT_DB": f"sqlite:{folder}/{name}.db", "LEDGER": f"{folder}/{name}.ledger",
            "WRITER": f"http://user:password@127.0.0.1:{writer.server_port}/v1", "OTEL_EXPORTER_OTLP_ENDPOINT": url,
            "OTEL_EXPORTER_OTLP_HEADERS": f"x-key={HEADER},x-other=a%20b", "OTEL_BSP_SCHEDULE_DELAY": "20", **more}


def agt(environment, *words):
    said = subprocess.run([program, *words], env=environment, text=True, capture_output=True, cwd=folder)
    return said.returncode, said.stdout.strip(), said.stderr.strip()


def until(condition, what):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    sys.exit(f"never: {what}")


def settled(collector):
    """Once nothing has come for a while."""
    count = -1
    while count != len(collector.spans):
        count = len(collector.spans)
        time.sleep(0.7)


def kill_at(environment, mark, collector, *words):
    """Ends the program at once while it is where it makes a mark, and all it has to say is said."""
    process = subprocess.Popen([program, *words], env=environment, cwd=folder, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    until(pathlib.Path(f"{environment['LEDGER']}.at{mark}").exists, f"at {mark}")
    settled(collector)
    process.kill()
    process.wait()
    pathlib.Path(f"{environment['LEDGER']}.{mark}").touch()


def check(spans, whole=True):
    """What holds for every trace of one run."""
    assert len({span["trace"] for span in spans}) == 1, {span["trace"] for span in spans}
    by_id = {span["id"]: span for span in spans}
    assert len(by_id) == len(spans), "a span came twice"
    roots = [span for span in spans if span["parent"] is None]
    assert len(roots) == (1 if whole else len(roots)), roots
    for span in spans:
        path = span["attributes"].get("agt.step.path", "")
        parent = by_id.get(span["parent"])
        if whole and span["parent"] is not None:
            assert parent, f"no parent: {span}"
            above = parent["attributes"].get("agt.step.path", "")
            assert path.startswith(above) and path != above, (path, above)
            # The log says when it was written, a moment later.
            assert span["begin"] >= parent["begin"] - 100_000_000, (span, parent)
            assert span["end"] <= parent["end"] + 100_000_000 or parent["attributes"]["agt.outcome"] != "done", (span, parent)
    return by_id


def tree(spans):
    below = {}
    for span in spans:
        below.setdefault(span["parent"], []).append(span)

    def show(span, depth):
        said = span["attributes"]
        extra = [said.get("agt.outcome", "")]
        if "agt.step.attempt" in said:
            extra.append(f"attempt {said['agt.step.attempt']}")
        if span["failed"]:
            extra.append(f"error {said['error.type']}: {span['message']}")
        extra += [name + ("" if "agt.found" not in more else f" {more['agt.found']}") for name, more in span["events"]]
        print("  " * depth + f"{span['name']} [{said.get('agt.step.path', '')}] " + ", ".join(extra))
        # What began in the same millisecond: first what ended first.
        order = lambda one: (one["begin"], one["end"], one["attributes"]["agt.step.path"])
        for one in sorted(below.get(span["id"], []), key=order):
            show(one, depth + 1)
    show(below[None][0], 0)


def no_secrets(collector, *further):
    for body in collector.bodies:
        for word in (*SECRETS.values(), HEADER, "password", *further):
            assert word not in body, (word, body)


def run_through(name, collector, **more):
    """The whole of `work`, killed twice."""
    env = environment(name, collector.url, **more)
    words = ("start", "work", "--run", "r1", "--arg", "topic=zebrafish")
    kill_at(env, 1, collector, *words)
    kill_at(env, 2, collector, *words)
    assert agt(env, *words)[0] == 3
    assert agt(env, "approve", "r1", "approve", "yes")[0] == 0
    code, _, said = agt(env, "resume", "r1")
    if code == 3:
        time.sleep(0.4)
        code, _, said = agt(env, "resume", "r1")
    assert code == 0, said
    assert agt(env, "resume", "r1")[0] == 0  # over: nothing more is sent
    return env


def killed_and_continued():
    collector = Collector()
    run_through("killed", collector)
    check(collector.spans)
    # Forks' branches begin and end in any order.
    fork = next(one for one in collector.spans if one["name"] == "fork found")
    for span in collector.spans:
        if span["attributes"].get("agt.step.path", "").startswith("found["):
            span["begin"], span["end"] = fork["begin"], fork["end"]
    tree(collector.spans)
    no_secrets(collector, "zebrafish", "You plan", "answered word", "merged", "written text", "publish", "prompted", "done with")
    for _, path, headers in collector.requests:
        assert (path, headers["x-key"], headers["x-other"]) == ("/v1/traces", HEADER, "a b"), headers
        assert headers["Content-Type"] == "application/json", headers
    for name in ("chat planner", "chat writer-1", "execute_tool look", "invoke_agent work"):
        span = [span for span in collector.spans if span["name"] == name][-1]
        said = {key: content for key, content in sorted(span["attributes"].items())
                if not re.match(r"agt\.(epoch|program.hash|run.id|step)|server.port", key)}
        print(f"{name}, kind {span['kind']}:", json.dumps(said))
    print("calls of models in all:", *[sum(span["attributes"].get(f"gen_ai.usage.{which}_tokens", 0) for span in collector.spans)
                                       for which in ("input", "output")])
    resource = {key: content for key, content in collector.resources[0].items() if key not in ("service.version", "process.pid")}
    print("resource:", json.dumps(resource))
    collector.end()


def with_content():
    collector = Collector()
    run_through("content", collector, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT="true", OTEL_SERVICE_NAME="named",
                OTEL_RESOURCE_ATTRIBUTES="service.name=other,deployment.environment.name=a%20test")
    check(collector.spans)
    no_secrets(collector)
    span = next(span for span in collector.spans if span["name"] == "chat planner" and not span["failed"])
    for key in ("gen_ai.system_instructions", "gen_ai.input.messages", "gen_ai.output.messages"):
        print(f"{key}:", span["attributes"][key])
    for span in sorted((span for span in collector.spans if span["name"] == "execute_tool shaky"), key=lambda span: span["begin"]):
        print("shaky:", span["message"] or "no error", span["attributes"].get("gen_ai.tool.call.result"))
    print("named:", collector.resources[0]["service.name"], collector.resources[0]["deployment.environment.name"])
    collector.end()


def killed_everywhere():
    """What is lost with a process may be missing; nothing comes twice or under another name."""
    collector = Collector()
    env = environment("everywhere", collector.url)
    for mark in (1, 2):
        pathlib.Path(f"{env['LEDGER']}.{mark}").touch()
    words, kills, code = ("start", "work", "--run", "r1", "--arg", "topic=zebrafish"), 0, -9
    for n in range(200):
        point = ("effect.after", "log.after", "effect.before", "log.before")[n % 4]
        code, _, said = agt({**env, "AGT_FAIL": f"{point}#{2 + n // 4}"}, *words)
        kills += code == -9
        if code == 3 and "asks for an approval" in said:
            agt(env, "approve", "r1", "approve", "yes")
        elif code == 3:
            time.sleep(0.25)
        elif code == 0:
            break
        assert code in (-9, 3), (code, said)
    assert code == 0 and kills > 10, (code, kills)
    check(collector.spans, whole=False)
    roots = [span["name"] for span in collector.spans if span["parent"] is None]
    print("killed everywhere: roots", roots)
    collector.end()


def cancelled():
    collector = Collector()
    env = environment("cancelled", collector.url)
    assert agt(env, "start", "waiting", "--run", "r1")[0] == 3
    assert agt(env, "cancel", "r1")[0] == 0
    check(collector.spans)
    tree(collector.spans)
    collector.end()


def served():
    """By workers: traces of several runs."""
    collector = Collector()
    env = environment("served", collector.url)
    for i in range(5):
        agt(env, "submit", "many", "--run", f"m{i}", "--arg", "n=3")
    workers = [subprocess.Popen([program, "worker"], env=env, cwd=folder, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    until(lambda: agt(env, "runs")[1].count("done") == 5, "all done")
    for process in workers:
        process.send_signal(signal.SIGTERM)
    print("workers end:", [process.wait(20) for process in workers], [process.stderr.read() for process in workers])
    traces = {}
    for span in collector.spans:
        traces.setdefault(span["trace"], []).append(span)
    for spans in traces.values():
        check(spans)
    print("workers:", sorted(len(spans) for spans in traces.values()))
    collector.end()


def not_well():
    def timed(name, behave, agent, *arguments, url=None, **more):
        collector = Collector(behave)
        begin = time.time()
        code, answer, said = agt(environment(name, url or collector.url, **more), "start", agent, "--run", "r1", *arguments)
        took = time.time() - begin
        collector.end()
        return (code, answer, re.sub(r":\d+", ":PORT", said), took), collector

    many = ("many", "--arg", "n=20")
    ok, collector = timed("well", lambda number: 200, *many)
    print("well:", *ok[:3], len(collector.spans), "spans")
    for name, behave, more in (
            ("down", None, {"url": "http://127.0.0.1:1"}),
            ("hangs", lambda number: "hang", {"OTEL_EXPORTER_OTLP_TIMEOUT": "60000"}),
            ("hangs and is given up", lambda number: "hang", {"OTEL_EXPORTER_OTLP_TIMEOUT": "300"}),
            ("hangs with a short queue", lambda number: "hang", {"OTEL_BSP_MAX_QUEUE_SIZE": "3", "OTEL_BSP_SCHEDULE_DELAY": "0"}),
            ("hangs up", lambda number: "cut", {}),
            ("says 429", lambda number: 429, {}),
            ("says 503", lambda number: 503, {}),
            ("says 400", lambda number: 400, {})):
        bad, collector = timed(name.replace(" ", "-"), behave, *many, **more)
        assert bad[:2] == ok[:2], bad
        assert bad[3] < ok[3] + 8, (name, bad, ok)
        print(f"{name}:", re.sub(r"\d+ of 42", "N of 42", bad[2]))
        no_secrets(collector)
        assert HEADER not in bad[2]
    # It gets better: all of it comes, once.
    better, collector = timed("better", lambda number: [503, 429, 200][min(number, 2)], "napping", "--arg", "seconds=3.5")
    check(collector.spans)
    print("gets better:", *better[:3], len(collector.spans), "spans,", len(collector.requests) >= 3)
    later = [time for time, _, _ in collector.requests]
    print("Retry-After is kept:", all(b - a > 0.9 for a, b in zip(later, later[1:3])))


def switched_off():
    collector = Collector()
    for name, more in (("disabled", {"OTEL_SDK_DISABLED": "TRUE"}), ("none", {"OTEL_TRACES_EXPORTER": "none"}),
                       ("unset", {"OTEL_EXPORTER_OTLP_ENDPOINT": ""})):
        print(f"{name}:", *agt(environment(name, collector.url, **more), "start", "many", "--run", "r", "--arg", "n=1"),
              len(collector.requests))
    own = environment("own", "http://127.0.0.1:1", OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=collector.url + "/elsewhere",
                      OTEL_SDK_DISABLED="1", OTEL_TRACES_EXPORTER="zipkin", OTEL_EXPORTER_OTLP_TIMEOUT="soon",
                      OTEL_EXPORTER_OTLP_TRACES_HEADERS="nonsense", OTEL_EXPORTER_OTLP_PROTOCOL="grpc")
    print("own endpoint:", *agt(own, "start", "many", "--run", "r", "--arg", "n=1"), {path for _, path, _ in collector.requests})
    print("no URL:", *agt(environment("odd", "collector.example:4318"), "start", "many", "--run", "r", "--arg", "n=1"))
    collector.end()


for part in (killed_and_continued, with_content, killed_everywhere, cancelled, served, not_well, switched_off):
    print(f"--- {part.__name__}", flush=True)
    part()
