"""Asking a Redis a few things over a connection of their own."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from twisted.internet import reactor
from twisted.internet.protocol import Factory, Protocol
from twisted.trial.unittest import TestCase

from simmail.database.private import probe
from simmail.database.private.probe import ask
from simmail.errors import Unavailable


class Server(Protocol):
    """Says some octets when it has heard some."""

    heard = b""
    said: tuple[bytes, ...] = ()
    hang_up = False

    def dataReceived(self, data: bytes) -> None:
        type(self).heard += data
        assert self.transport is not None
        for octets in self.said:
            self.transport.write(octets)
        if self.hang_up:
            self.transport.loseConnection()


class ProbeTests(TestCase):
    """C{ask}."""

    def setUp(self) -> None:
        folder = tempfile.mkdtemp(prefix="simmail-test-")
        self.path = f"{folder}/socket"
        self.addCleanup(os.rmdir, folder)

    def serve(self, *said: bytes, hang_up: bool = False) -> type[Server]:
        kind = type("Serving", (Server,), {"said": said, "hang_up": hang_up, "heard": b""})
        port: Any = reactor.listenUNIX(self.path, Factory.forProtocol(kind))  # type: ignore[attr-defined]
        self.addCleanup(port.stopListening)
        return kind

    async def test_replies(self) -> None:
        """All that was asked goes out at once; replies come in any pieces, errors among them."""
        kind = self.serve(b"+PO", b"NG\r\n-ERR no\r", b"\n$3\r\na\0b\r\n")
        pong, error, octets = await ask(reactor, self.path, ("PING",), ("CONFIG", "GET", "dir"), ("GET", "k"))
        self.assertEqual((pong, str(error), octets), (b"PONG", "ERR no", b"a\0b"))
        self.assertEqual(kind.heard.count(b"\r\nPING\r\n"), 1)
        self.assertTrue(kind.heard.endswith(b"$1\r\nk\r\n"))

    async def test_hangs_up(self) -> None:
        """One that hangs up before it has answered all is away."""
        self.serve(b"+PONG\r\n", hang_up=True)
        with self.assertRaises(Unavailable) as raised:
            await ask(reactor, self.path, ("PING",), ("PING",))
        self.assertIn("closed", str(raised.exception))

    async def test_silent(self) -> None:
        """One that does not answer in time is away, and the connection to it is given up."""
        self.patch(probe, "ANSWER", 0.05)
        self.serve()
        with self.assertRaises(Unavailable) as raised:
            await ask(reactor, self.path, ("PING",))
        self.assertIn("does not answer", str(raised.exception))

    async def test_nobody(self) -> None:
        """Where nobody listens, or nobody accepts, that is told."""
        with self.assertRaises(Unavailable):
            await ask(reactor, self.path, ("PING",))
        Path(self.path).touch()
        with self.assertRaises(Unavailable):
            await ask(reactor, self.path, ("PING",))
        os.unlink(self.path)
