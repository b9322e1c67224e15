#!/usr/bin/env python3
"""An MCP server on its standard streams, for tests, and how such servers go wrong.

usage: mcp_server.py [MODE]

`note`, `once` and `kept` write what they do into the file $LEDGER, a line each:
the tool, its text, the token in `_meta`. MODE is one of the faults below; ""
is a server that behaves.
"""

import json
import os
import sys
import time

MODE = sys.argv[1] if len(sys.argv) > 1 else ""
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
TREE = {"type": "object", "properties": {"child": {"$ref": "#"}, "text": {"$ref": "#/$defs/A"}},
        "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}}}
ITEM = {"type": "object", "properties": {"name": {"type": "string"}, "note": {"type": ["string", "null"]},
                                         "size": {"type": "integer"}}, "required": ["name", "size"]}
TOOLS = [
    {"name": "echo", "inputSchema": TREE if MODE == "recursive" else TEXT},
    {"name": "add", "inputSchema": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                                    "required": ["a", "b"], "additionalProperties": False},
     "outputSchema": {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}},
    {"name": "items", "inputSchema": {"type": "object", "properties": {"item": {"$ref": "#/$defs/Item"}},
                                      "$defs": {"Item": ITEM}, "required": ["item"]},
     "outputSchema": {"type": "object", "properties": {"result": {"type": "array", "items": ITEM}}, "required": ["result"]}},
    {"name": "note", "inputSchema": TEXT},
    {"name": "once", "inputSchema": TEXT},
    {"name": "kept", "inputSchema": TEXT},
    {"name": "find", "inputSchema": {"type": "object", "properties": {"token": {"type": "string"}}, "required": ["token"]}},
    {"name": "slow", "inputSchema": {"type": "object", "properties": {"seconds": {"type": "number"}, "progress": {"type": "boolean"}}}},
]
if MODE == "missing":
    TOOLS = [tool for tool in TOOLS if tool["name"] != "find"] + [{"name": "fined", "inputSchema": TEXT}]
if MODE == "argument":
    TOOLS[1]["inputSchema"]["properties"]["b"] = {"type": "string"}
if MODE == "required":
    TOOLS[0] = {"name": "echo", "inputSchema": {**TEXT, "required": ["text", "language"]}}
if MODE == "result":
    TOOLS[1]["outputSchema"]["properties"] = {"total": {"type": "integer"}}
if MODE == "task":
    TOOLS[0]["execution"] = {"taskSupport": "required"}


def say(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def ledger(*words):
    with open(os.environ["LEDGER"], "a") as file:
        file.write(" ".join(words) + "\n")


def seen(token):
    path = os.environ["LEDGER"]
    lines = open(path).read().splitlines() if os.path.exists(path) else []
    return [line.split()[1] for line in lines if line.endswith(token)]


def text(words, **more):
    return {"content": [{"type": "text", "text": words}], **more}


def call(name, args, meta):
    token = meta.get("agt/token", "")
    if name == "echo":
        return text(args["text"] + " " + meta["agt/step"] if args["text"] == "where" else args["text"])
    if name == "add":
        if MODE == "huge":
            return {"content": [], "structuredContent": {"sum": 2 ** 80}}
        return text("it is a secret", structuredContent={"sum": args["a"] + args["b"]})
    if name == "items":
        item = args["item"]
        return {"content": [], "structuredContent": {"result": [{**item, "absent": "note" not in item}] * 2}}
    if name == "find":
        return text("".join(seen(token if MODE == "blind" else args["token"])[:1]))
    if name == "slow":
        for i in range(int(args["seconds"] * 10)):
            time.sleep(0.1)
            if args["progress"]:
                say({"method": "notifications/progress", "params": {"progressToken": meta["progressToken"], "progress": i}})
        return text("slept")
    if args["text"] == "wrong":
        return text("that is wrong", isError=True)
    if args["text"] == "refused":
        return None
    ledger(name, args["text"], token)
    deaths = os.environ.get("DEATHS")
    if deaths and not os.path.exists(deaths):
        open(deaths, "w").close()
        print("I die", file=sys.stderr)
        sys.exit(7)
    return text(name + " " + args["text"])


def misbehave(request):
    """Before the answer to a call; True: there will be none."""
    id = request["id"]
    if MODE == "endless":
        while True:
            sys.stdout.write("x" * 65536)
    if MODE == "flood":
        while True:
            say({"method": "notifications/message", "params": {"level": "info", "data": "y" * 10000}})
    if MODE == "chatter":
        for i in range(2000):
            sys.stdout.write(f"log line {i}\n")
    if MODE == "garbage":
        sys.stdout.write("hello\n[1, 2]\n{\"id\": 3}\n\n{\"method\": 5}\n" + "[" * 100000 + "\n")
    if MODE == "ids":
        for wrong in (id + 1000, str(id), -1, 2 ** 70, 1.5, None, True):
            say({"id": wrong, "result": text("of another")})
        return True
    if MODE == "shapes":
        say({"id": id, "result": [1]})
        return True
    if MODE == "asks":
        say({"id": "p", "method": "ping"})
        say({"id": 77, "method": "sampling/createMessage", "params": {}})
        for _ in range(2):
            ledger("asked", json.dumps(json.loads(sys.stdin.readline()), sort_keys=True).replace(" ", ""))
    if MODE == "closes":
        os.close(1)
        time.sleep(60)
    return False


def serve():
    if MODE == "dead":
        sys.exit("I will not")
    for line in sys.stdin:
        message = json.loads(line)
        method, id, params = message["method"], message.get("id"), message.get("params", {})
        if method == "initialize":
            version = {"old": "2024-11-05", "middle": "2025-06-18"}.get(MODE, params["protocolVersion"])
            say({"id": id, "result": {"protocolVersion": version, "capabilities": {"tools": {}},
                                      "serverInfo": {"name": "mock", "version": "1"}}})
        elif method == "tools/list":
            start = int(params.get("cursor", 0))
            page = TOOLS[start:start + 3]
            more = {"nextCursor": "0" if MODE == "pages" else str(start + 3)} if start + 3 < len(TOOLS) or MODE == "pages" else {}
            say({"id": id, "result": {"tools": page, **more}})
        elif method == "notifications/cancelled":
            ledger("cancelled", params["reason"].replace(" ", "-"))
        elif method == "tools/call":
            if misbehave(message):
                continue
            result = call(params["name"], params["arguments"], params["_meta"])
            if result is None:
                say({"id": id, "error": {"code": -32602, "message": "no such note"}})
            else:
                say({"id": id, "result": result})


if __name__ == "__main__":
    serve()
