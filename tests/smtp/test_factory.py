"""Who may connect, and how a server stops."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.smtp.door import Door


class ServerTests(SynchronousTestCase):
    """Counting, sweeping, draining."""

    def test_limits(self) -> None:
        """In all, and from one address; who leaves makes room."""
        door = Door({"smtp": {"connections": 3, "connections_per_address": 2}})
        first, second, third = (door.connect("192.0.2.1") for _ in range(3))
        self.assertTrue(second.taken().startswith(b"220 "))
        self.assertTrue(third.taken().startswith(b"421 4.7.0 Too many connections"))
        self.assertTrue(third.closed())
        self.assertTrue(door.connect("192.0.2.2").taken().startswith(b"220 "))
        self.assertTrue(door.connect("192.0.2.3").taken().startswith(b"421 "))
        first.end()
        self.assertTrue(door.connect("192.0.2.1").taken().startswith(b"220 "))
        self.assertEqual(len(door.factory.connections), 3)

    def test_one_timer(self) -> None:
        """All sessions have one timer between them, and none of them is left when nobody is there."""
        door = Door()
        before = len(door.server.reactor.getDelayedCalls())
        wires = [door.hello() for _ in range(3)]
        self.assertEqual(len(door.server.reactor.getDelayedCalls()), before + 1)
        for wire in wires:
            wire.end()
        self.assertEqual(len(door.server.reactor.getDelayedCalls()), before)

    def test_drain(self) -> None:
        """Who does nothing hears goodbye; a message on its way may arrive; a new client is turned away."""
        door = Door()
        # What a universe does once it has begun is done.
        door.server.reactor.advance(1.0)
        before = len(door.server.reactor.getDelayedCalls())
        idle, sending = door.hello(), door.transaction()
        drained = door.factory.drain(5.0)
        self.assertEqual(idle.taken(), b"421 4.3.2 Shutting down; closing connection\r\n")
        self.assertNoResult(drained)
        self.assertTrue(door.connect().taken().startswith(b"421 4.3.2"))
        sending.send(b"Subject: x\r\n\r\n.\r\n")
        self.assertTrue(sending.closed())
        self.assertEqual(len(door.mail("maria@acme.test")), 1)
        self.successResultOf(drained)
        # What arrived is scored in a moment.
        door.server.reactor.advance(1.0)
        self.assertEqual(len(door.server.reactor.getDelayedCalls()), before)

    def test_patience(self) -> None:
        """There is an end to that."""
        door = Door()
        sending = door.transaction()
        drained = door.factory.drain(5.0)
        door.pass_time(5)
        self.assertTrue(sending.aborted)
        self.successResultOf(drained)
