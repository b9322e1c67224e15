"""A service whose effects are POSTs under a token: what came when, and how often."""

import collections
import http.server
import threading
import time


class World:
    """`answer(token, n)`: what the n-th post of a token is answered (status, headers); None: nothing."""

    def __init__(self, answer):
        self.answer, self.lock = answer, threading.Lock()
        self.posts = collections.Counter()  # token -> how often it has acted
        self.times = []                     # of all posts
        self.over = threading.Event()       # those without an answer are let go of
        world = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def say(self, status, body, headers=()):
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                with world.lock:
                    there = world.posts[self.path] > 0
                self.say(200, b"posted" if there else b"")

            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                with world.lock:
                    world.times.append(time.monotonic())
                    n = len(world.times)
                said = world.answer(self.path, n)
                if said is None or said[0] == 200:
                    with world.lock:
                        world.posts[self.path] += 1
                try:
                    if said is None:
                        world.over.wait(30)
                        self.close_connection = True
                    else:
                        self.say(said[0], b"posted", said[1:])
                except OSError:
                    pass  # who has died does not listen

        class Threads(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 1000

            def handle_error(self, *_):
                pass  # who has died says nothing more

        self.server = Threads(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.over.set()
        self.server.shutdown()
        self.server.server_close()
