#!/usr/bin/env python3
"""A small service that fails as real ones do, for the stories beside it.

usage: service.py bucket create NAME TOKEN | bucket find TOKEN
       service.py tracker file TITLE (the body on stdin) | tracker find TOKEN
       service.py search TOPIC | publish TITLE TOKEN (the body on stdin)
       service.py published TOKEN

Its state is a folder, SERVICE_STATE (default ./service-state), one file a thing,
and `ledger`, a line for every effect. What makes something fails *after* it has
done it the first time: the answer is lost (exit 75), as when a connection drops
or a gateway says 504. Making the same thing again is an error of its own.
"""

import json
import os
import pathlib
import sys

STATE = pathlib.Path(os.environ.get("SERVICE_STATE", "service-state"))
LOST = 75  # the answer is not known


def things(kind):
    folder = STATE / kind
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def make(kind, name, token, record):
    path = things(kind) / name
    if path.exists():
        sys.exit(f"{kind} '{name}' already exists")
    first = not (STATE / "ledger").exists()
    path.write_text(json.dumps({"token": token, **record}))
    with open(STATE / "ledger", "a") as ledger:
        print(kind, name, file=ledger)
    if first:
        print("the connection was reset", file=sys.stderr)
        sys.exit(LOST)
    print(json.dumps(record))


def find(kind, token):
    for path in sorted(things(kind).iterdir()):
        record = json.loads(path.read_text())
        if token in (record.pop("token"), *record.get("marks", [])):
            record.pop("marks", None)
            print(json.dumps(record))
            return


def file_issue(title):
    """Filing twice is possible here: that is what the marker is for."""
    body = sys.stdin.read()
    number = len(list(things("issue").iterdir())) + 1
    mark = body.rsplit("<!-- ", 1)[-1].split(" -->")[0]
    make("issue", str(number), mark, {"number": number, "title": title})


def main(args):
    match args:
        case ["bucket", "create", name, token]:
            make("bucket", name, token, {"name": name})
        case ["bucket", "find", token]:
            find("bucket", token)
        case ["tracker", "file", title]:
            file_issue(title)
        case ["tracker", "find", token]:
            find("issue", token)
        case ["search", topic]:
            print(json.dumps([f"{topic}: one", f"{topic}: two"]))
        case ["publish", title, token]:
            sys.stdin.read()
            make("report", token, token, {"url": "https://example.org/" + title})
        case ["published", token]:
            find("report", token)
        case _:
            sys.exit(__doc__)


main(sys.argv[1:])
