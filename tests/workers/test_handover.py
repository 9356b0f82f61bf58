"""Connections that go from one process to another."""

from __future__ import annotations

import os
import socket
from typing import Any

from twisted.internet.protocol import Protocol
from twisted.trial.unittest import SynchronousTestCase

from simmail.workers.handover import adopted, carried, detached
from tests.workers.turning import TurningReactor


class Heard(Protocol):
    """Notes what it hears."""

    def __init__(self) -> None:
        self.octets = b""
        self.lost = False
        self.transport: Any

    def dataReceived(self, data: bytes) -> None:
        self.octets += data

    def connectionLost(self, reason: Any = None) -> None:
        self.lost = True


class HandoverTests(SynchronousTestCase):
    """A client, and the connection that a protocol has to it."""

    def setUp(self) -> None:
        self.reactor, self.protocol = TurningReactor(), Heard()
        self.client, ours = socket.socketpair()
        self.client.settimeout(1)
        self.addCleanup(self.client.close)
        self.transport = self.reactor.adopt(ours, self.protocol)

    def test_detached(self) -> None:
        """The protocol is told that it is over; the connection is open, and another has it."""
        taken = detached(self.transport)
        self.assertTrue(self.protocol.lost)
        self.assertEqual((self.reactor.readers, self.reactor.writers), (set(), set()))
        follower = Heard()
        adopted(self.reactor, taken, follower)
        self.assertRaises(OSError, os.fstat, taken)
        self.client.sendall(b"one")
        self.reactor.turn()
        follower.transport.write(b"two")
        self.reactor.turn()
        self.assertEqual((self.protocol.octets, follower.octets, self.client.recv(9)), (b"", b"one", b"two"))

    def test_carried(self) -> None:
        """What is said goes both ways through who had the connection, until either end closes."""
        for closing in ("client", "follower"):
            self.setUp()
            follower = Heard()
            adopted(self.reactor, carried(self.reactor, self.transport), follower)
            self.assertTrue(self.protocol.lost)
            self.client.sendall(b"one")
            self.reactor.turn()
            follower.transport.write(b"two")
            self.reactor.turn()
            self.assertEqual((self.protocol.octets, follower.octets, self.client.recv(9)), (b"", b"one", b"two"))
            if closing == "client":
                self.client.close()
            else:
                follower.transport.loseConnection()
            self.reactor.turn()
            self.assertTrue(follower.lost)
            self.assertEqual((self.reactor.readers, self.reactor.writers), (set(), set()))
            if closing == "follower":
                self.assertEqual(self.client.recv(9), b"")
