"""Tests for C{simmail.daemon.listeners}."""

from __future__ import annotations

import socket

from msgspec import structs
from twisted.trial.unittest import SynchronousTestCase

from simmail.config import Listen
from simmail.daemon.listeners import NAMES, TITLES, bind
from simmail.errors import Invalid

FREE = Listen(smtp=0, smtps=0, submission=0, imap=0, imaps=0, http=0)


class ListenerTests(SynchronousTestCase):
    """Ports are taken, all or none."""

    def test_all(self) -> None:
        """Every listener is bound and listens, under the name and title that are shown."""
        taken = bind(FREE)
        for one in taken:
            self.addCleanup(one.socket.close)
            self.assertEqual(one.socket.getsockname(), ("127.0.0.1", one.port))
            socket.create_connection(("127.0.0.1", one.port), 5).close()
        self.assertEqual(tuple(one.name for one in taken), NAMES)
        self.assertEqual(set(TITLES), set(NAMES))

    def test_switched_off(self) -> None:
        """A port of null is no listener."""
        [one] = bind(Listen(smtp=None, smtps=None, submission=None, imap=None, imaps=None, http=0))
        self.addCleanup(one.socket.close)
        self.assertEqual(one.name, "http")

    def test_busy(self) -> None:
        """When one is busy none is kept."""
        with socket.socket() as held, socket.create_server(("127.0.0.1", 0)) as busy:
            # Bound and not listening: nobody else is given this port, and it can be listened on.
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            held.bind(("127.0.0.1", 0))
            free = held.getsockname()[1]
            error = self.assertRaises(Invalid, bind, Listen(
                smtp=free, smtps=0, submission=0, imap=0, imaps=0, http=busy.getsockname()[1]))
            self.assertEqual(error.field, "listen.http")
            socket.create_server(("127.0.0.1", free)).close()

    def test_no_such_host(self) -> None:
        """A host that is no name, or is another machine's, is told."""
        for host in ("nowhere..test", "x" * 64 + ".test", "192.0.2.1"):
            error = self.assertRaises(Invalid, bind, structs.replace(FREE, host=host))
            self.assertEqual(error.field, "listen.smtp")
            self.assertIn(f"SMTP cannot listen on {host}:0: ", str(error))

    def test_too_far(self) -> None:
        """A base that moves a port past the last one is refused."""
        self.assertIn("65535", str(self.assertRaises(Invalid, bind, Listen(), 65000)))
