"""Tests for C{simmail.daemon.listening.listeners}."""

from __future__ import annotations

import os
import socket

from msgspec import structs
from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from simmail.config import Listen
from simmail.daemon.listening.listeners import NAMES, TITLES, bind, inherited
from simmail.errors import Invalid

FREE = Listen(smtp=0, smtps=0, submission=0, imap=0, imaps=0, http=0)


class ListenerTests(SynchronousTestCase):
    """Ports are taken, all or none."""

    def test_all(self) -> None:
        """Every listener is bound and listens, under the name and title that are shown."""
        taken = bind(replace(FREE, auth=0))
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

    def given(self, *hosts: str) -> tuple[int, list[int]]:
        """Sockets on descriptors one behind the other, as systemd has them; the first of them, and the ports."""
        # Behind all that other tests have left open.
        first, ports = max(map(int, os.listdir("/dev/fd"))) + 10, []
        for number, host in enumerate(hosts, first):
            with socket.create_server((host, 0)) as made:
                os.dup2(made.fileno(), number)
                ports.append(made.getsockname()[1])
        return first, ports

    def test_given(self) -> None:
        """Sockets of systemd are taken by their ports, for this process only; what has none is bound as ever."""
        first, [http, smtp] = self.given("127.0.0.1", "127.0.0.1")
        said = {"LISTEN_PID": "7", "LISTEN_FDS": "2"}
        self.assertEqual([inherited(one, 8, first) for one in (said, {}, {"LISTEN_PID": "8"})], [[], [], []])
        taken = bind(structs.replace(FREE, smtp=smtp, http=http), 0, inherited(said, 7, first))
        for one in taken:
            self.addCleanup(one.socket.close)
            self.assertFalse(one.socket.get_inheritable() or one.socket.getblocking())
            socket.create_connection(("127.0.0.1", one.port), 5).close()
        self.assertEqual([one.name for one in taken if one.socket.fileno() in (first, first + 1)], ["smtp", "http"])

    def test_given_otherwise(self) -> None:
        """A socket that nothing is configured for, others can reach or nobody can connect to is refused."""
        first, [port] = self.given("0.0.0.0")
        said = {"LISTEN_PID": "7", "LISTEN_FDS": "1"}
        [held] = inherited(said, 7, first)
        self.addCleanup(held.close)
        error = self.assertRaises(Invalid, bind, FREE, 0, [held])
        self.assertIn(f"nothing is configured to listen at port {port}", str(error))
        error = self.assertRaises(Invalid, bind, structs.replace(FREE, http=port), 0, [held])
        self.assertEqual(error.field, "listen.host")
        with socket.socketpair()[0] as pair, open(os.devnull, encoding="ascii") as file:
            for number in (os.dup(pair.fileno()), file.fileno()):
                error = self.assertRaises(Invalid, inherited, said, 7, number)
                self.assertEqual(error.field, "LISTEN_FDS")

    def test_no_such_host(self) -> None:
        """A host that is no name, or is another machine's, is told."""
        for host in ("nowhere..test", "x" * 64 + ".test", "192.0.2.1"):
            error = self.assertRaises(Invalid, bind, structs.replace(FREE, host=host))
            self.assertEqual(error.field, "listen.smtp")
            self.assertIn(f"SMTP cannot listen on {host}:0: ", str(error))

    def test_too_far(self) -> None:
        """A base that moves a port past the last one is refused."""
        self.assertIn("65535", str(self.assertRaises(Invalid, bind, Listen(), 65000)))
