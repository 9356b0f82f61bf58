"""A way between the service and what it uses, which can be turned elsewhere, made slow, cut, or made to refuse."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress


class Relay:
    """
    A port that leads to another.

    @ivar target: the port that new connections go to.
    @ivar delay: real seconds that each piece waits on its way there.
    @ivar answer: what is answered to each request instead, and then hung up; C{b""} for nothing.
    """

    def __init__(self, target: int) -> None:
        self.target, self.delay, self.answer = target, 0.0, b""
        self._open: list[socket.socket] = []
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        _begin(self._accept)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            _begin(lambda client=client: self._serve(client))  # type: ignore[misc]

    def _serve(self, client: socket.socket) -> None:
        try:
            server = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            client.close()
            return
        with self._lock:
            self._open += (client, server)
        _begin(lambda: self._carry(client, server, True))
        self._carry(server, client, False)

    def _carry(self, one: socket.socket, other: socket.socket, there: bool) -> None:
        with suppress(OSError):
            while octets := one.recv(65536):
                if there and self.answer:
                    one.sendall(self.answer)
                    break
                if there and self.delay:
                    time.sleep(self.delay)
                other.sendall(octets)
        for each in (one, other):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        """Break all connections off."""
        with self._lock:
            broken, self._open = self._open, []
        for one in broken:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def close(self) -> None:
        """No more."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()


def _begin(work: Callable[[], None]) -> None:
    threading.Thread(target=work, daemon=True).start()
