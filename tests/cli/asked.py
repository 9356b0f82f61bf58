"""A server that notes what it is asked, at a state folder."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from twisted.trial.unittest import SynchronousTestCase


class AskedTestCase(SynchronousTestCase):
    """
    Tests of what the server is asked.

    @ivar asked: command, path, header C{Authorization} and body of each request; says: status and body of each answer.
    """

    def setUp(self) -> None:
        """It answers what the test says."""
        self.asked: list[tuple[Any, ...]] = []
        self.says: tuple[int, bytes] = (200, b"{}")
        case = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                case.asked.append((self.command, self.path, self.headers["Authorization"], body))
                self.send_response(case.says[0])
                self.end_headers()
                self.wfile.write(case.says[1])

            do_DELETE = do_GET = do_PATCH = do_POST

            def log_message(self, *words: Any) -> None:
                """Nobody reads it."""

        server = HTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.state = Path(self.mktemp())
        self.state.mkdir()
        (self.state / "endpoints.json").write_text(json.dumps(
            {"http": {"host": "127.0.0.1", "port": server.server_port}}))
        (self.state / "admin.key").write_text("sm_1_x\n")
