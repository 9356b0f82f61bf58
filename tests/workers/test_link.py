"""What processes of one service say to one another."""

from __future__ import annotations

import os
import socket
from functools import partial
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionDone
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Invalid, TooMany, Unavailable
from simmail.workers.link import AGAIN, PATIENCE, PeerLink, PeerPort
from tests.workers.turning import TurningReactor


class Wire(StringTransport):
    """One end of a connection in memory, over which descriptors go too."""

    def __init__(self) -> None:
        super().__init__()
        self.descriptors: list[int] = []

    def sendFileDescriptor(self, descriptor: int) -> None:
        self.descriptors.append(descriptor)


class Door(TurningReactor):
    """Lets in who is adopted: C{hearing} is the last one."""

    hearing: Any = None

    def adoptStreamConnection(self, fileDescriptor: int, addressFamily: int, factory: Any) -> None:
        self.hearing = factory.buildProtocol(None)
        self.hearing.makeConnection(Wire())


class LinkTests(SynchronousTestCase):
    """The way to a process that hears at a door."""

    def setUp(self) -> None:
        self.reactor, self.path = Door(), self.mktemp()[-90:]
        self.answers: list[tuple[str, list[Any]]] = []
        self.taken: list[tuple[Any, int]] = []
        self.result: Any = None
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(f"\0{self.path}")
        listening.listen()
        self.address = listening.getsockname()
        self.port = PeerPort(self.reactor, listening.detach(), self.answer, self.take)
        self.addCleanup(self.port.connectionLost, Failure(ConnectionDone()))
        self.link = PeerLink(self.reactor, partial(self.reactor.connectUNIX, self.path))

    def answer(self, question: str, arguments: list[Any]) -> Any:
        self.answers.append((question, arguments))
        if isinstance(self.result, Exception):
            raise self.result
        return self.result

    def take(self, handover: dict[str, Any], descriptor: int) -> Any:
        self.taken.append((handover, descriptor))
        return True if self.result is None else self.result

    def connect(self) -> None:
        """Both ends are there, and the greeting was heard."""
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(self.address)
            self.port.doRead()
        self.asking = self.link.buildProtocol(None)
        self.asking.makeConnection(Wire())
        self.pump()

    def pump(self) -> None:
        """Carry what both have said."""
        ends = self.asking, self.reactor.hearing
        while any(one.transport.value() or one.transport.descriptors for one in ends):
            for one, other in (ends, ends[::-1]):
                said, descriptors = one.transport.value(), one.transport.descriptors
                one.transport.clear()
                one.transport.descriptors = []
                for descriptor in descriptors:
                    other.fileDescriptorReceived(descriptor)
                other.dataReceived(said)

    def lose(self) -> None:
        """The other process has died."""
        for one in (self.asking, self.reactor.hearing):
            one.connectionLost(Failure(ConnectionDone()))

    def test_asked(self) -> None:
        """A question has its answer, in whatever order they come."""
        self.connect()
        first: Deferred[Any] = Deferred()
        self.result = first
        slow = self.link.ask("slow", 1, "two")
        self.pump()
        self.result = {"a": [1]}
        quick = self.link.ask("quick")
        self.pump()
        self.assertEqual(self.answers, [("slow", [1, "two"]), ("quick", [])])
        self.assertEqual(self.successResultOf(quick), {"a": [1]})
        self.assertNoResult(slow)
        first.callback("at last")
        self.pump()
        self.assertEqual(self.successResultOf(slow), "at last")

    def test_refused(self) -> None:
        """Refusals come back with their text; what is wrong there is told there."""
        self.connect()
        for wrong, kind in ((Invalid("name", "is taken"), Unavailable), (TooMany("slowly", 7.5), TooMany),
                            (ValueError("a defect"), Unavailable)):
            self.result = wrong
            asked = self.link.ask("may I")
            self.pump()
            error = self.failureResultOf(asked, kind).value
            self.assertEqual(str(error), str(wrong))
            self.assertEqual(getattr(error, "retry_after", None), getattr(wrong, "retry_after", None))
        self.assertEqual(len(self.flushLoggedErrors(ValueError)), 1)

    def test_away(self) -> None:
        """Nobody waits for one that is not there; it is looked for until it is."""
        self.failureResultOf(self.link.ask("anything"), Unavailable)
        self.assertFalse(self.successResultOf(self.link.give({}, 0)))
        waiting = self.link.when_up(1.0)
        self.link.clientConnectionFailed(None, Failure(ConnectionDone()))
        self.reactor.advance(AGAIN)
        self.assertEqual([one[0] for one in self.reactor.unixClients], [self.path] * 2)
        self.assertFalse(self.link.up)
        self.connect()
        self.successResultOf(waiting)
        self.assertTrue(self.link.up)
        self.lose()
        self.failureResultOf(self.link.ask("anything"), Unavailable)
        waiting = self.link.when_up(1.0)
        self.reactor.advance(1.0)
        self.failureResultOf(waiting, Unavailable)

    def test_dies(self) -> None:
        """What it was asked fails, and of what it was given nobody knows; another try is made."""
        self.connect()
        asked, given = self.link.ask("anything"), self.link.give({}, 5)
        self.lose()
        self.failureResultOf(asked, Unavailable)
        self.failureResultOf(given, Unavailable)
        self.reactor.advance(AGAIN)
        self.assertEqual(len(self.reactor.unixClients), 2)
        self.connect()
        self.result = 1
        again = self.link.ask("again")
        self.pump()
        self.assertEqual(self.successResultOf(again), 1)

    def test_patience(self) -> None:
        """One that does not answer is waited for so long; an answer that comes later changes nothing."""
        self.connect()
        late: Deferred[Any] = Deferred()
        self.result = late
        asked = self.link.ask("anything")
        self.pump()
        self.reactor.advance(PATIENCE)
        self.failureResultOf(asked, Unavailable)
        late.callback(1)
        self.pump()
        self.assertTrue(self.link.up)

    def test_given(self) -> None:
        """Descriptors come with what is said of them, in order."""
        self.connect()
        given = [self.link.give({"octets": n}, 70 + n) for n in range(3)]
        self.pump()
        self.assertEqual(self.taken, [({"octets": n}, 70 + n) for n in range(3)])
        self.assertEqual([self.successResultOf(one) for one in given], [True] * 3)

    def test_ends(self) -> None:
        """One that ends in order takes nothing any more, and says so: others may have what it was given."""
        self.connect()
        asked, given = self.link.ask("anything"), self.link.give({}, 70)
        self.port.close()
        self.pump()
        self.assertEqual((self.answers, self.taken), ([], []))
        self.failureResultOf(asked, Unavailable)
        self.assertFalse(self.successResultOf(given))
        self.assertFalse(self.link.up)

    def test_left_open(self) -> None:
        """Descriptors that nothing was said of are closed with the connection."""
        self.connect()
        read, write = os.pipe()
        self.addCleanup(os.close, write)
        self.reactor.hearing.fileDescriptorReceived(read)
        self.lose()
        self.assertRaises(OSError, os.fstat, read)

    def test_closed(self) -> None:
        """Nobody is looked for any more."""
        self.link.clientConnectionFailed(None, Failure(ConnectionDone()))
        self.link.close()
        self.assertEqual(self.reactor.getDelayedCalls(), [])
        self.link.lost()
        self.assertEqual(self.reactor.getDelayedCalls(), [])
