"""The other processes, as one of them knows them."""

from __future__ import annotations

import os
import socket
from types import SimpleNamespace
from typing import Any

from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.protocol import Protocol
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Unavailable
from simmail.interfaces import Handover
from simmail.workers.peers import LEAVING, PATIENCE, Peers
from simmail.workers.share import WorkerShare
from tests.workers.turning import TurningReactor


class Peer:
    """
    A way to another process.

    @ivar takes: what it says of each connection that it is given; given: what was said of them.
    """

    def __init__(self, *takes: Any) -> None:
        self.up, self.takes = True, list(takes)
        self.given: list[Handover] = []
        self.waited: list[float] = []
        self.begun: Deferred[None] = Deferred()

    def ask(self, question: str, *arguments: Any) -> Deferred[Any]:
        return succeed([question, *arguments]) if self.up else fail(Unavailable("away"))

    def give(self, handover: Handover, descriptor: int) -> Deferred[Any]:
        os.fstat(descriptor)
        self.given.append(handover)
        took = self.takes.pop(0)
        self.up = bool(took)
        return took if isinstance(took, Deferred) else succeed(took)

    def when_up(self, patience: float) -> Deferred[None]:
        self.waited.append(patience)
        return self.begun


class PeersTests(SynchronousTestCase):
    """The second of three processes."""

    def setUp(self) -> None:
        self.reactor = TurningReactor()
        door = socket.socket(socket.AF_UNIX)
        self.peers = Peers(self.reactor, WorkerShare(1, 3, (), ("a", "b", "c"), door.detach(), ""), frozenset({"elm"}))
        self.addCleanup(self.peers._door._socket.close)
        self.first, self.third = Peer(), Peer()
        self.peers._links = {0: self.first, 2: self.third}  # type: ignore[dict-item]
        self.client, ours = socket.socketpair()
        self.addCleanup(self.client.close)
        self.transport = self.reactor.adopt(ours, Protocol())

    def give(self, told: Handover | None = Handover("smtp", "192.0.2.1", b"EHLO")) -> Deferred[None]:
        """Give the connection to the first process."""
        done = self.peers.give(0, self.transport, True, lambda: told)
        self.reactor.advance(0)
        return done

    def is_open(self) -> bool:
        """Whether the client's connection is."""
        self.client.setblocking(False)
        try:
            return self.client.recv(1) != b""
        except BlockingIOError:
            return True

    def test_begins(self) -> None:
        """It looks for all the others, and for nobody else."""
        self.assertEqual([one[0] for one in self.reactor.unixClients], ["a", "c"])

    def test_owner(self) -> None:
        """Some are always the first one's."""
        self.assertEqual((self.peers.owner("elm"), self.peers.mine("elm")), (0, False))
        self.assertEqual([name for name in ("ash", "birch", "fir") if self.peers.mine(name)],
                         [name for name in ("ash", "birch", "fir") if self.peers.owner(name) == 1])

    def test_ask(self) -> None:
        """All are asked; of one that is away there is no answer, and the owner fails."""
        self.first.up = False
        self.assertEqual(self.successResultOf(self.peers.ask("who", 1)), [None, ["who", 1]])
        self.failureResultOf(self.peers.ask_owner("elm", "who"), Unavailable)

    def test_answers(self) -> None:
        """Nobody is answered before it is known how; then a Deferred is waited for."""
        early = Deferred.fromCoroutine(self.peers._answer("twice", [2]))
        self.assertNoResult(early)
        later: Deferred[int] = Deferred()
        server: Any = SimpleNamespace(answers={"twice": lambda n: 2 * n, "later": lambda: later})
        self.peers.begin(server, {})
        self.assertEqual(self.successResultOf(early), 4)
        waiting = Deferred.fromCoroutine(self.peers._answer("later", []))
        self.assertNoResult(waiting)
        later.callback(3)
        self.assertEqual(self.successResultOf(waiting), 3)

    def test_taken(self) -> None:
        """A connection that is given goes on where it was made, with what is told of it."""
        told: list[Handover] = []

        def resumed(handover: Handover) -> Protocol:
            told.append(handover)
            return Protocol()

        server: Any = SimpleNamespace(answers={})
        self.peers.begin(server, {"imap": SimpleNamespace(resumed=resumed)})
        taken, other = socket.socketpair()
        self.addCleanup(other.close)
        work = Deferred.fromCoroutine(self.peers._take(
            {"listener": "imap", "remote": "::1", "octets": b"a LOGIN"}, taken.detach()))
        self.assertTrue(self.successResultOf(work))
        self.assertEqual(told, [Handover("imap", "::1", b"a LOGIN")])

    def test_given(self) -> None:
        """The other has it; here it is closed, and the client does not notice."""
        self.first.takes = [True]
        self.successResultOf(self.give())
        self.assertEqual(self.first.given, [Handover("smtp", "192.0.2.1", b"EHLO")])
        self.assertFalse(self.transport.connected and self.transport in self.reactor.readers)

    def test_given_to_the_next(self) -> None:
        """One that ends before it took it is waited for, and the one that follows is given it."""
        self.first.takes = [False, True]
        self.successResultOf(self.give())
        self.assertEqual((len(self.first.given), self.first.waited), (1, [PATIENCE]))
        self.assertTrue(self.is_open())
        self.first.begun.callback(None)
        self.assertEqual(len(self.first.given), 2)

    def test_lost(self) -> None:
        """One of which nobody knows is closed, and that is said."""
        self.first.takes = [fail(Unavailable("away"))]
        self.successResultOf(self.give())
        self.assertFalse(self.is_open())

    def test_stays(self) -> None:
        """One whose protocol keeps it, or whose owner is not there in time, is as it was."""
        self.successResultOf(self.give(None))
        self.first.up = False
        late = self.give()
        self.first.begun.errback(Unavailable("away"))
        self.failureResultOf(late, Unavailable)
        self.assertEqual(self.first.given, [])
        self.assertIn(self.transport, self.reactor.readers)

    def test_leave(self) -> None:
        """Connections that belong nowhere go to another that is there, which is given a moment to take them."""
        taking: Deferred[Any] = Deferred()
        self.first.up, self.third.takes = False, [taking]
        factory = SimpleNamespace(unbound=lambda: [(self.transport, lambda: Handover("http", "::1", b""))])
        self.peers._factories = {"http": factory}
        left = Deferred.fromCoroutine(self.peers.leave())
        self.reactor.advance(0)
        self.assertEqual(len(self.third.given), 1)
        self.assertNoResult(left)
        self.reactor.pump([0.01] * int(LEAVING / 0.01 + 2))
        self.successResultOf(left)
        taking.callback(True)

    def test_leave_while_giving(self) -> None:
        """What was just to be given away when it leaves is given first."""
        self.peers._factories = {}
        self.first.takes = [True]
        done = self.peers.give(0, self.transport, True, lambda: Handover("http", "::1", b"GET"))
        left = Deferred.fromCoroutine(self.peers.leave())
        self.assertNoResult(left)
        self.reactor.pump([0, 0.01, 0.01])
        self.successResultOf(done)
        self.successResultOf(left)
        self.assertEqual(len(self.first.given), 1)

    def test_leave_alone(self) -> None:
        """With nobody there nothing is given away."""
        self.first.up = self.third.up = False
        self.successResultOf(Deferred.fromCoroutine(self.peers.leave()))
