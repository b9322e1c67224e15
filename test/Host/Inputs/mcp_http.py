"""Agents that call an MCP server over streamable HTTP, on the loopback: answers
as JSON and as streams, sessions that expire, streams that break.

usage: mcp_http.py PROGRAM FOLDER

The server's path says how it answers; what it sees it notes, without tokens.
"""

import http.server
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import threading
import time

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
os.environ["LEDGER"] = str(folder / "ledger")
sys.argv[1:] = []
sys.path.insert(0, os.path.dirname(__file__))
import mcp_server

noted = []
sessions = {}  # id: calls that it still knows
streams = {}   # event id: what comes behind it


def note(*words):
    noted.append(" ".join(words))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", kind="application/json", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def events(self, *parts, hold=0):
        """Parts as they are, on a stream that ends behind them."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Connection", "close")
        self.end_headers()
        for part in parts:
            self.wfile.write(part.encode())
            self.wfile.flush()
            time.sleep(hold)
        self.close_connection = True

    def do_GET(self):
        last = self.headers["Last-Event-ID"]
        note("GET", last)
        if self.path == "/lost":
            return self.answer(404, b"no such stream")
        rest = streams.get(last)
        self.events(*(rest or []))

    def do_DELETE(self):
        note("DELETE", "known" if self.headers["Mcp-Session-Id"] in sessions else "unknown")
        self.answer(200)

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        mode, method, id = self.path[1:], message.get("method", "reply"), message.get("id")
        if "text/event-stream" not in self.headers["Accept"] or "application/json" not in self.headers["Accept"]:
            note("bad Accept", self.headers["Accept"])
        if method == "initialize":
            session = f"session-{len(sessions)}"
            sessions[session] = 1 if mode == "expires" else 1000
            note("initialize", self.headers["Authorization"])
            result = {"protocolVersion": "2025-06-18" if mode == "middle" else message["params"]["protocolVersion"],
                      "capabilities": {"tools": {}}, "serverInfo": {"name": "mock", "version": "1"}}
            body = json.dumps({"jsonrpc": "2.0", "id": id, "result": result}).encode()
            return self.answer(200, body, **({} if mode == "plain" else {"Mcp_Session_Id": session}))
        session = self.headers["Mcp-Session-Id"]
        if method == "tools/call":
            note("call", self.headers["MCP-Protocol-Version"], session or "no session")
        elif method != "tools/list":
            note(method, message.get("params", {}).get("reason", ""))
        if id is None or "method" not in message:
            return self.answer(202)
        if mode != "plain" and sessions.get(session, 0) <= 0:
            return self.answer(404, b"no such session")
        if method == "tools/list":
            return self.answer(200, json.dumps({"jsonrpc": "2.0", "id": id, "result": {"tools": mcp_server.TOOLS}}).encode())
        sessions[session] = sessions.get(session, 0) - 1
        self.call(mode, id, message["params"])

    def call(self, mode, id, params):
        def event(data, number=None):
            head = f"id: {id}-{number}\n" if number is not None else ""
            return f"{head}data: {json.dumps(data)}\n\n"
        if mode in ("busy", "broken", "forbidden"):
            status = {"busy": 429, "broken": 503, "forbidden": 403}[mode]
            first = "first" not in streams
            streams["first"] = True
            if first or mode == "forbidden":
                return self.answer(status, mode.encode())
        result = mcp_server.call(params["name"], params["arguments"], params["_meta"])
        answer = {"jsonrpc": "2.0", "id": id, "result": result}
        progress = {"jsonrpc": "2.0", "method": "notifications/progress",
                    "params": {"progressToken": params["_meta"]["progressToken"], "progress": 1}}
        if mode == "stream":
            text = ": a comment\r\n\r\n" + event(progress, 0) + f"data: {json.dumps(answer)[:17]}\ndata:{json.dumps(answer)[17:]}\n\n"
            return self.events(*[text[i:i + 7] for i in range(0, len(text), 7)])
        if mode == "resumes":  # twice, and told how long to wait
            streams[f"{id}-0"] = [event(progress, 1)]
            streams[f"{id}-1"] = [event(answer, 2)]
            return self.events(f"retry: 20\nid: {id}-0\ndata:\n\n")
        if mode == "lost":
            return self.events(event(progress, 0))
        if mode == "cut":
            return self.events(event(progress))
        if mode == "drips":  # progress and never an answer
            return self.events(*[event(progress)] * 60, hold=0.2)
        if mode == "silent":
            return self.events(": nothing\n\n", hold=4)
        if mode == "other":
            return self.events(event({**answer, "id": id + 1}), event({**answer, "id": str(id)}), "data: {]\n\n", event({"jsonrpc": "2.0", "id": 9, "method": "ping"}))
        if mode == "endless":
            self.events()
            while True:
                self.wfile.write(b"data: " + b"x" * 65536)
        if mode == "hangs-up":
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        self.answer(200, json.dumps(answer).encode())


def start(mode, agent, run, **args):
    words = [program, "start", agent, "--run", run, "--db", f"sqlite:{folder}/log.db"]
    for name, value in args.items():
        words += ["--arg", f"{name}={value}"]
    environment = {**os.environ, "MCP_URL": f"http://127.0.0.1:{server.server_port}/{mode}", "MCP_KEY": "sesame"}
    return subprocess.run(words, env=environment, text=True, capture_output=True)


def say(mode, agent, within=14, **args):
    streams.clear()
    noted.clear()
    begin = time.monotonic()
    process = start(mode, agent, f"{mode}-{agent}", **args)
    took = time.monotonic() - begin
    late = "" if took < within else f" after {took:.1f} s"
    text = f"{mode}: {process.stdout}{process.stderr}".rstrip().replace(str(server.server_port), "PORT").replace(str(folder), "FOLDER")
    text = re.sub("after \\d+ ms", "after TIME", text)
    path = folder / "ledger"
    done = [" ".join(line.split(" ")[:2]) for line in path.read_text().splitlines()] if path.exists() else []
    path.unlink(missing_ok=True)
    print(f"{text} [{process.returncode}]{late} {done or ''}".rstrip(), flush=True)
    print("  seen: " + "; ".join(re.sub(r"session-\d+", "S", words).strip() for words in noted), flush=True)


class Quiet(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


server = Quiet(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
for mode in ("json", "plain", "middle", "stream", "resumes", "busy", "forbidden"):
    say(mode, "note", text="x")
for mode in ("broken", "lost", "cut", "other", "hangs-up", "endless"):
    say(mode, "kept", text="x")
say("cut", "once", text="x")
say("silent", "slow", seconds=0, progress="false")
say("drips", "slow", seconds=0, progress="false")
say("expires", "twice", text="x")
server.shutdown()
server.server_close()
say("nobody", "note", text="x")
