"""A collector of traces for tests: OTLP over HTTP as JSON, read strictly.

`Collector(behave)` keeps what it is sent; `behave` says how a request is
answered: a status, "hang", or "cut" (the connection ends without an answer).
"""

import http.server
import json
import re
import threading
import time

HEX = {"traceId": r"[0-9a-f]{32}", "spanId": r"[0-9a-f]{16}", "parentSpanId": r"[0-9a-f]{16}"}
VALUES = {"stringValue": str, "intValue": str, "doubleValue": float, "boolValue": bool, "arrayValue": dict}


def value(json_value):
    assert len(json_value) == 1, json_value
    (kind, content), = json_value.items()
    assert isinstance(content, VALUES[kind]) or (kind == "doubleValue" and isinstance(content, int)), json_value
    if kind == "intValue":
        assert re.fullmatch(r"-?[0-9]+", content), json_value
        return int(content)
    return [value(one) for one in content["values"]] if kind == "arrayValue" else content


def attributes(entries):
    pairs = [(entry["key"], value(entry["value"])) for entry in entries]
    assert all(set(entry) == {"key", "value"} for entry in entries), entries
    assert len(dict(pairs)) == len(pairs), f"an attribute comes twice: {pairs}"
    return dict(pairs)


def span(raw):
    """The span with plain attributes; fails on what OTLP's JSON does not know."""
    assert set(raw) <= {"traceId", "spanId", "parentSpanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano",
                        "attributes", "events", "status", "droppedEventsCount"}, raw
    for key, pattern in HEX.items():
        assert key not in raw or re.fullmatch(pattern, raw[key]), raw
    assert raw["kind"] in (1, 3) and raw["name"], raw
    begin, end = int(raw["startTimeUnixNano"]), int(raw["endTimeUnixNano"])
    assert isinstance(raw["startTimeUnixNano"], str) and 1.6e18 < begin <= end < 4e18, raw
    events = []
    for event in raw.get("events", []):
        assert set(event) <= {"timeUnixNano", "name", "attributes"}, event
        events.append((event["name"], attributes(event.get("attributes", []))))
    status = raw.get("status", {})
    assert status.get("code") in (None, 2), status
    return {"trace": raw["traceId"], "id": raw["spanId"], "parent": raw.get("parentSpanId"), "name": raw["name"],
            "kind": raw["kind"], "begin": begin, "end": end, "attributes": attributes(raw["attributes"]),
            "events": events, "failed": status.get("code") == 2, "message": status.get("message", "")}


class Collector:
    def __init__(self, behave=lambda number: 200):
        self.requests, self.spans, self.resources, self.bodies = [], [], [], []
        self.lock = threading.Lock()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with outer.lock:
                    number = len(outer.requests)
                    outer.requests.append((time.time(), self.path, dict(self.headers)))
                how = behave(number)
                if how == "hang":
                    time.sleep(60)
                if how in ("hang", "cut"):
                    return
                if how == 200:
                    outer.keep(body)
                reply = b"{}"
                self.send_response(how)
                if how in (429, 503):
                    self.send_header("Retry-After", "1")
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):  # who hangs up is no news
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def keep(self, body):
        parsed = json.loads(body)
        assert set(parsed) == {"resourceSpans"}, parsed
        with self.lock:
            self.bodies.append(body.decode())
            for resource in parsed["resourceSpans"]:
                self.resources.append(attributes(resource["resource"]["attributes"]))
                for scope in resource["scopeSpans"]:
                    assert scope["scope"] == {"name": "agt"}, scope
                    self.spans += [span(raw) for raw in scope["spans"]]

    def end(self):
        self.server.shutdown()
        self.server.server_close()
