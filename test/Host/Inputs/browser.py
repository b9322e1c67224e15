"""Debian's Chromium without a window, led over its pipe."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time


class Browser:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="agt-chromium-")
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()

        def place():  # the pipe is where Chromium expects it
            os.dup2(theirs_in, 13), os.dup2(theirs_out, 14)
            os.dup2(13, 3), os.dup2(14, 4)
        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe",
             f"--user-data-dir={self.folder}", "about:blank"],
            preexec_fn=place, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.folder, "XDG_CACHE_HOME": self.folder, "TZ": "UTC", "LANG": "C.UTF-8"})
        os.close(theirs_in), os.close(theirs_out)
        self.reader, self.writer = os.fdopen(ours_in, "rb"), os.fdopen(ours_out, "wb")
        self.number, self.rest, self.errors = 0, b"", []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self.session = None
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if getattr(self, "session", None):
            message["sessionId"] = self.session
        self.writer.write(json.dumps(message).encode() + b"\0")
        self.writer.flush()
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                assert "result" in answer, answer
                return answer["result"]

    def read(self):
        while b"\0" not in self.rest:
            piece = os.read(self.reader.fileno(), 1 << 16)
            assert piece, "chromium has ended"
            self.rest += piece
        text, _, self.rest = self.rest.partition(b"\0")
        answer = json.loads(text)
        if answer.get("method") == "Runtime.exceptionThrown":
            self.errors.append(answer["params"]["exceptionDetails"]["exception"].get("description"))
        if answer.get("method") == "Log.entryAdded" and answer["params"]["entry"]["source"] != "network":
            self.errors.append(answer["params"]["entry"]["text"])
        return answer

    def open(self, url):
        """A new document, also where the URLs differ behind the # alone."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=url)

    def run(self, script):
        """What a JavaScript expression gives."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def until(self, script, seconds=30):
        """Waits until an expression is true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if self.run(f"(() => {{ try {{ return !!({script}) }} catch (error) {{ return null }} }})()"):
                    return
            except AssertionError:
                pass  # the document went away meanwhile
            time.sleep(0.05)
        raise SystemExit(f"never came true: {script}\n" + self.run("document.body.innerText"))

    def key(self, name, code, text=""):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code,
                      **({"text": text} if text and kind == "keyDown" else {}))

    def size(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def picture(self, path):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.reader.close()
        self.writer.close()
        shutil.rmtree(self.folder, ignore_errors=True)
