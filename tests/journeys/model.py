"""A language model on loopback, behind real HTTP, for a service in a process of its own."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any

from tests.outbound.model_server import completion, content


class Model:
    """
    Answers until it is closed; every check lets its words pass.

    @ivar letters: questions about mails, in the order they came.
    @ivar free: set when it answers; cleared, it thinks until it is set.
    """

    def __init__(self) -> None:
        self.letters: list[dict[str, Any]] = []
        self.free = Event()
        self.free.set()
        self._lock = Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.model = self
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    def note(self, query: dict[str, Any]) -> None:
        """A question came."""
        if "Say hello" not in query["messages"][-1]["content"]:
            with self._lock:
                self.letters.append(query)

    def close(self) -> None:
        """Answer nobody any more."""
        self.free.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    model: Model
    daemon_threads = True
    block_on_close = False


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        query = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.model.note(query)
        self.server.model.free.wait(60)
        body = completion(content(query))
        try:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            pass  # whoever asked is gone

    def log_message(self, format: str, *args: Any) -> None:
        pass
