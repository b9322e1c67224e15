"""An editor: opens a file in `agtc lsp`, asks, and prints the answers.

usage: client.py FILE QUESTION...

Questions: hover LINE:COLUMN, definition LINE:COLUMN (both from 0, as the protocol counts),
symbols, format, change TEXTFILE, open FILE, close, raw JSON. What the server says by itself, the
diagnostics behind each open and change, is printed as it comes.
"""

import json
import pathlib
import subprocess
import sys


class Editor:
    def __init__(self):
        self.server = subprocess.Popen(["agtc", "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0

    def send(self, body: str):
        data = body.encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.server.stdin.flush()

    def notify(self, method: str, **params):
        self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    def receive(self) -> dict:
        length = 0
        while (line := self.server.stdout.readline().strip()):
            name, value = line.split(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return json.loads(self.server.stdout.read(length))

    def ask(self, method: str, **params):
        self.number += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}))
        answer = self.receive()
        assert answer["id"] == self.number, answer
        return answer.get("result", answer.get("error"))


def place(start: dict) -> str:
    return f"{start['line']}:{start['character']}"


def name_of(uri: str) -> str:
    return uri.rsplit("/", 1)[-1]


def show_diagnostics(message: dict):
    assert message["method"] == "textDocument/publishDiagnostics", message
    params = message["params"]
    print(f"diagnostics of {name_of(params['uri'])}, version {params['version']}:")
    for said in params["diagnostics"]:
        where = said["range"]
        print(f"  {place(where['start'])}-{place(where['end'])} {said['severity']} {said['source']}: {said['message']}")
        for note in said.get("relatedInformation", []):
            location = note["location"]
            print(f"    {name_of(location['uri'])} {place(location['range']['start'])}: {note['message']}")


def show_symbols(symbols: list, indent: str = "  "):
    for symbol in symbols:
        print(f"{indent}{symbol['name']} ({symbol['kind']}) at {place(symbol['selectionRange']['start'])}")
        show_symbols(symbol.get("children", []), indent + "  ")


def main(path: str, *questions: str) -> int:
    editor = Editor()
    capabilities = editor.ask("initialize", processId=None, capabilities={})["capabilities"]
    print("provides", *sorted(capabilities))
    editor.notify("initialized")
    uri, version = "", 0

    def open_file(name: str):
        nonlocal uri, version
        uri, version = pathlib.Path(name).resolve().as_uri(), 1
        text = pathlib.Path(name).read_text()
        editor.notify("textDocument/didOpen",
                      textDocument={"uri": uri, "languageId": "agt", "version": version, "text": text})
        show_diagnostics(editor.receive())

    open_file(path)
    words = iter(questions)
    for question in words:
        document = {"uri": uri}
        if question in ("hover", "definition"):
            line, character = map(int, next(words).split(":"))
            answer = editor.ask(f"textDocument/{question}", textDocument=document,
                                position={"line": line, "character": character})
            if answer is None:
                print(f"{question}: nothing")
            elif question == "hover":
                print("hover:", json.dumps(answer["contents"]["value"]))
            else:
                print("definition:", name_of(answer["uri"]), place(answer["range"]["start"]))
        elif question == "symbols":
            print("symbols:")
            show_symbols(editor.ask("textDocument/documentSymbol", textDocument=document))
        elif question == "format":
            print("format:", json.dumps(editor.ask("textDocument/formatting", textDocument=document,
                                                   options={"tabSize": 2, "insertSpaces": True})))
        elif question == "change":
            version += 1
            editor.notify("textDocument/didChange", textDocument={"uri": uri, "version": version},
                          contentChanges=[{"text": pathlib.Path(next(words)).read_text()}])
            show_diagnostics(editor.receive())
        elif question == "open":
            open_file(next(words))
        elif question == "close":
            editor.notify("textDocument/didClose", textDocument=document)
            show_diagnostics(editor.receive())
        elif question == "raw":
            editor.send(next(words))
        elif question == "leave":  # without a word
            editor.server.stdin.close()
            print("exit", editor.server.wait(timeout=60))
            return 0
        else:
            sys.exit(f"no such question: {question}")
    editor.ask("shutdown")
    editor.notify("exit")
    print("exit", editor.server.wait(timeout=60))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
