"""
C{simmail mcp}: the Model Context Protocol on standard input and output, carried to a server's C{/mcp}.

For clients that start what they speak to.  A message is a line; each is a
request of its own, so that a wait holds up nothing.  What a client cancels is
left, which ends it there.  Source: Model Context Protocol, "Transports" (stdio).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from threading import Lock, Thread
from typing import Any, TextIO
from urllib.parse import urlencode, urlsplit

from simmail.cli.client import base
from simmail.errors import Invalid

_META = "io.modelcontextprotocol/"

#: Real seconds without a word from the server: longer than any wait.
PATIENCE = 120.0


def add_bridge(bridge: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    bridge.add_argument("--url", help="where the server answers (default: that of the state folder)")
    bridge.add_argument("--tools", choices=("mail", "world"), help="for the agent under test, or for who tests")
    bridge.add_argument("--address", help="the one mailbox that the tools of mail are of")
    bridge.add_argument("--advance", action="store_true", help="a wait for mail moves the simulated clock")
    bridge.set_defaults(do=run)


def run(parsed: argparse.Namespace) -> int:
    """Carry messages until standard input ends; the key is that of C{SIMMAILD_KEY}, else of the state folder."""
    key = os.environ.get("SIMMAILD_KEY", "").strip()
    if not key:
        try:
            key = (parsed.folder / "admin.key").read_text(encoding="utf-8").strip()
        except OSError as error:
            raise Invalid("", f"give a key in SIMMAILD_KEY; {parsed.folder / 'admin.key'}: {error.strerror}") from None
    asked = {"tools": parsed.tools, "address": parsed.address, "advance": "1" if parsed.advance else None}
    query = urlencode({name: value for name, value in asked.items() if value})
    Bridge((parsed.url or base(parsed.folder)).rstrip("/"), key, f"/mcp?{query}", sys.stdout).carry(sys.stdin)
    return 0


class Bridge:
    """
    Messages of one client.

    @param out: where answers go, a line each.
    """

    def __init__(self, url: str, key: str, path: str, out: TextIO) -> None:
        self._url = urlsplit(url)
        self._key = key
        self._path = self._url.path + path
        self._out = out
        self._lock = Lock()
        self._open: dict[Any, Any] = {}
        self._revision: str | None = None

    def carry(self, lines: TextIO) -> None:
        """Carry every line to the server, and return when all are answered."""
        threads: list[Thread] = []
        for line in lines:
            if not line.strip():
                continue
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                message = None
            if not isinstance(message, dict):
                self._fail(None, -32700, "a line must be one JSON-RPC message")
            elif message.get("method") == "notifications/cancelled":
                self._leave(message)
            elif message.get("method") == "initialize":
                # What comes behind it is of the revision it settles.
                self._ask(line, message)
            else:
                threads = [one for one in threads if one.is_alive()]
                threads.append(Thread(target=self._ask, args=(line, message), daemon=True))
                threads[-1].start()
        for thread in threads:
            thread.join()

    def _ask(self, line: str, message: dict[str, Any]) -> None:
        from http.client import HTTPConnection, HTTPException, HTTPSConnection

        kind = HTTPSConnection if self._url.scheme == "https" else HTTPConnection
        connection = kind(self._url.hostname or "", self._url.port, timeout=PATIENCE)
        id = message.get("id")
        self._open[json.dumps(id)] = connection
        try:
            connection.request("POST", self._path, line.encode(), self._headers(message))
            octets = connection.getresponse().read()
            if octets:
                answer = json.loads(octets)
                if message.get("method") == "initialize" and "result" in answer:
                    self._revision = answer["result"]["protocolVersion"]
                if not isinstance(answer, dict) or "jsonrpc" not in answer:
                    raise ValueError(str(answer)[:200])
                if id is not None:
                    # What is refused before it is read is told without the id.
                    self._say({**answer, "id": id})
        except (OSError, HTTPException, ValueError) as error:
            if self._open.get(json.dumps(id)) is connection and id is not None:
                self._fail(id, -32000, f"the server does not answer: {error}")
        finally:
            self._open.pop(json.dumps(id), None)
            connection.close()

    def _headers(self, message: dict[str, Any]) -> dict[str, str]:
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json",
                   "Accept": "application/json"}
        params = message.get("params")
        meta = params.get("_meta") if isinstance(params, dict) else None
        said = meta.get(_META + "protocolVersion") if isinstance(meta, dict) else None
        if isinstance(said, str):
            headers.update({"MCP-Protocol-Version": _field(said), "Mcp-Method": _field(str(message.get("method", "")))})
            name = params.get("name", params.get("uri")) if isinstance(params, dict) else None
            if isinstance(name, str):
                headers["Mcp-Name"] = _field(name)
        elif self._revision is not None:
            headers["MCP-Protocol-Version"] = self._revision
        return headers

    def _leave(self, message: dict[str, Any]) -> None:
        params = message.get("params")
        connection = self._open.pop(json.dumps(params.get("requestId")), None) if isinstance(params, dict) else None
        if connection is not None and connection.sock is not None:
            import socket

            connection.sock.shutdown(socket.SHUT_RDWR)

    def _fail(self, id: Any, code: int, text: str) -> None:
        self._say({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}})

    def _say(self, answer: Any) -> None:
        with self._lock:
            self._out.write(json.dumps(answer, separators=(",", ":")) + "\n")
            self._out.flush()


def _field(value: str) -> str:
    """Return text as a header field can hold it."""
    if value.isascii() and value.isprintable() and value == value.strip() and not value.startswith("=?base64?"):
        return value
    from base64 import b64encode

    return f"=?base64?{b64encode(value.encode('utf-8', 'surrogatepass')).decode('ascii')}?="
