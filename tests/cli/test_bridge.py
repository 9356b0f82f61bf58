"""C{simmail.cli.bridge}: lines in, requests out, answers back."""

from __future__ import annotations

import io
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.cli.bridge import Bridge

NEW = "2026-07-28"


class _Server(BaseHTTPRequestHandler):
    """Answers with what it was asked, C{hang} not before it is let or left."""

    def do_POST(self) -> None:
        """Answer one request."""
        server: Any = self.server
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        method = message["method"]
        if method == "hang":
            server.hanging.set()
            if not self.connection.recv(1):
                server.left.set()
            return
        if method == "refused":
            octets, status = b'{"error": "no such path"}', 404
        elif "id" not in message:
            octets, status = b"", 202
        else:
            told = {name.lower(): value for name, value in self.headers.items()}
            result: Any = {"protocolVersion": "2025-06-18"}
            if method != "initialize":
                result = {"headers": told, "path": self.path}
            octets, status = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode(), 200
        self.send_response(status)
        self.send_header("Content-Length", str(len(octets)))
        self.end_headers()
        self.wfile.write(octets)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


class _Lines(io.StringIO):
    """Lines of which the last comes when the server hangs."""

    def __init__(self, lines: list[str], hanging: Event) -> None:
        super().__init__("\n".join(lines))
        self._hanging = hanging

    def __next__(self) -> str:
        line = super().__next__()
        if "cancelled" in line:
            self._hanging.wait(5)
        return line


class BridgeTests(SynchronousTestCase):
    """The bridge, with a server on a socket."""

    def setUp(self) -> None:
        """A server."""
        self.server: Any = ThreadingHTTPServer(("127.0.0.1", 0), _Server)
        self.server.hanging, self.server.left = Event(), Event()
        Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def tearDown(self) -> None:
        """Stop it."""
        self.server.shutdown()
        self.server.server_close()

    def carry(self, *messages: Any, url: str = "") -> dict[Any, Any]:
        """What comes back for messages, by id."""
        out = io.StringIO()
        lines = [one if isinstance(one, str) else json.dumps({"jsonrpc": "2.0", **one}) for one in messages]
        url = url or f"http://127.0.0.1:{self.server.server_address[1]}"
        Bridge(url, "sm_key", "/mcp?tools=mail", out).carry(_Lines(lines, self.server.hanging))
        told = [json.loads(line) for line in out.getvalue().splitlines()]
        return {one["id"]: one.get("result", one.get("error")) for one in told}

    def test_handshake(self) -> None:
        """What is settled goes with every later request; a notification is not answered."""
        told = self.carry({"id": 1, "method": "initialize"}, {"method": "notifications/initialized"}, "",
                          {"id": "b", "method": "ping"})
        self.assertEqual(set(told), {1, "b"})
        headers = told["b"]["headers"]
        self.assertEqual((headers["mcp-protocol-version"], headers["authorization"], headers["accept"]),
                         ("2025-06-18", "Bearer sm_key", "application/json"))
        self.assertEqual(told["b"]["path"], "/mcp?tools=mail")

    def test_stateless(self) -> None:
        """Headers say what the body says, also what no header can hold as it is."""
        meta = {"io.modelcontextprotocol/protocolVersion": NEW}
        for name, field in (("reply", "reply"), ("r\u00e9ply", "=?base64?csOpcGx5?="),
                            ("a\r\nb", "=?base64?YQ0KYg==?=")):
            told = self.carry({"id": 1, "method": "tools/call", "params": {"_meta": meta, "name": name}})[1]["headers"]
            self.assertEqual((told["mcp-protocol-version"], told["mcp-method"], told["mcp-name"]),
                             (NEW, "tools/call", field))

    def test_wrong(self) -> None:
        """What is no message, what is refused, a server that is away: each is told."""
        self.assertEqual(self.carry("{", "[]", "7" * 5000)[None]["code"], -32700)
        self.assertIn("no such path", self.carry({"id": 1, "method": "refused"})[1]["message"])
        away = self.carry({"id": 1, "method": "ping"}, url="http://127.0.0.1:1")
        self.assertIn("does not answer", away[1]["message"])

    def test_cancelled(self) -> None:
        """What the client cancels is left, and not answered; what it asks meanwhile is."""
        told = self.carry({"id": 1, "method": "hang"}, {"id": 2, "method": "ping"},
                          {"method": "notifications/cancelled", "params": {"requestId": 1}})
        self.assertEqual(set(told), {2})
        self.assertTrue(self.server.left.wait(5))
