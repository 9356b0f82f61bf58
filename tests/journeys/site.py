"""A small web site on loopback, and what was asked of it."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from time import sleep
from typing import Any, NamedTuple


class Hit(NamedTuple):
    """One request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Site:
    """
    Answers until it is closed.

    @ivar hits: requests in the order they came.
    @ivar connections: how many were made, requests or not.
    @ivar pages: what is at a path: status, title or where to go, and seconds it takes.
    """

    def __init__(self, pages: dict[str, tuple[int, str, float]] | None = None, host: str = "127.0.0.1") -> None:
        self.pages = pages or {}
        self.hits: list[Hit] = []
        self.connections = 0
        self._lock = Lock()
        self._server = _Server((host, 0), _Handler)
        self._server.site = self
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._server.server_address[1])

    @property
    def place(self) -> str:
        """As C{lab_hosts} lists it."""
        return f"127.0.0.1:{self.port}"

    @property
    def paths(self) -> list[str]:
        """What was asked for."""
        with self._lock:
            return [hit.path for hit in self.hits]

    def note(self, hit: Hit | None) -> None:
        """A connection, or a request."""
        with self._lock:
            if hit is None:
                self.connections += 1
            else:
                self.hits.append(hit)

    def close(self) -> None:
        """Stop."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    site: Site
    daemon_threads = True
    block_on_close = False

    def process_request(self, request: Any, client_address: Any) -> None:
        self.site.note(None)
        super().process_request(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        self.server.site.note(Hit(self.command, self.path, dict(self.headers), self.rfile.read(length)))
        status, told, seconds = self.server.site.pages.get(self.path, (404, "Not here", 0.0))
        sleep(seconds)
        body = b"" if status in (301, 302, 307) else f"<html><title>{told}</title><p>Welcome</html>".encode()
        try:
            self.send_response(status)
            if not body:
                # As octets: a field takes Latin-1 only.
                self.send_header("Location", told.encode("utf-8").decode("latin-1"))
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Set-Cookie", "seen=1")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            pass

    do_POST = do_GET

    def log_message(self, format: str, *args: Any) -> None:
        pass
