"""The other servers of an installation, as one of them knows them: over real sockets of this machine."""

from __future__ import annotations

import socket
from types import SimpleNamespace
from typing import Any

import msgspec
from twisted.internet import reactor
from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.task import deferLater
from twisted.trial.unittest import TestCase

from simmail.errors import Invalid, NotFound, Unavailable
from simmail.interfaces import Handover
from simmail.workers.nodes import Nodes

SECRET = "a secret of servers"


class Echo(Protocol):
    """Says what it was given, and then what it hears, in capitals."""

    transport: Any

    def __init__(self, handover: Handover) -> None:
        self._handover = handover

    def connectionMade(self) -> None:
        self.transport.write(b"%s %s " % (self._handover.remote.encode(), self._handover.octets))

    def dataReceived(self, data: bytes) -> None:
        self.transport.write(data.upper())


class Accepted(Protocol):
    """A client's connection to the server that is to give it away."""

    transport: Any
    lost = False

    def connectionLost(self, reason: Any = None) -> None:
        self.lost = True


class NodesTests(TestCase):
    """The servers a and b."""

    def setUp(self) -> None:
        self.a, self.b = self.node("a"), self.node("b")
        self.accepted: list[Accepted] = []

    def node(self, name: str, secret: str = SECRET) -> Nodes:
        """A server."""
        made = Nodes(reactor, name, "127.0.0.1:0", secret)

        def ended() -> Deferred[None]:
            made.drain()
            made.close()
            return deferLater(reactor, 0.05)

        self.addCleanup(ended)
        return made

    def begin(self, node: Nodes, **answers: Any) -> None:
        """Have it answer."""
        factory = SimpleNamespace(resumed=Echo)
        node.begin(SimpleNamespace(answers=answers), {"smtp": factory})  # type: ignore[arg-type, dict-item]

    def acquaint(self) -> None:
        """Both know where the other is, and that b has the universe elm."""
        for one, other in ((self.a, self.b), (self.b, self.a)):
            one.meet(other.number, msgspec.json.encode(other.reached))
            one.meet(one.number, msgspec.json.encode(one.reached))
            self.assertEqual(one.servers, {one.number: one.reached, other.number: other.reached})
            one.place("elm", b'"b"')

    async def up(self, good: bool = True) -> None:
        """Wait until a has reached b."""
        for _ in range(200):
            if not self.a.away():
                return
            await deferLater(reactor, 0.01)
        raise AssertionError("never")

    @inlineCallbacks
    def test_questions(self) -> Any:
        """They are answered, refused as they are refused there, and not answered before all is there."""
        self.acquaint()
        self.assertEqual((self.a.owner("elm"), self.a.mine("elm"), self.b.mine("elm"), self.a.mine("ash")),
                         ("b", False, True, True))
        yield deferLater(reactor, 0.1)
        self.assertEqual((yield self.a.ask("twice", 2)), [None])
        self.assertEqual(self.a.away(), ["the server b is away; its universes wait for it"])

        def no() -> None:
            raise NotFound("none")

        self.begin(self.b, twice=lambda number: number * 2, no=no)
        yield Deferred.fromCoroutine(self.up())
        self.assertEqual((yield self.a.ask("twice", 2)), [4])
        self.assertEqual((yield self.a.ask_owner("elm", "twice", b"x")), b"xx")
        self.assertEqual((yield self.a.ask("looked")), [])
        yield self.assertFailure(self.a.ask_owner("elm", "no"), Unavailable)
        yield self.assertFailure(self.a.ask_owner("oak", "twice", 1), Unavailable)
        # Who has nothing is not waited for, nor missed.
        self.a.place("elm", b'"a"')
        self.b.drain()
        yield deferLater(reactor, 0.05)
        self.assertEqual((yield self.a.ask("twice", 2)), [])

    @inlineCallbacks
    def test_given(self) -> Any:
        """A client's connection goes on at the other server, with what was said, in both directions."""
        self.acquaint()
        self.begin(self.b)
        yield Deferred.fromCoroutine(self.up())
        client, accepted = yield Deferred.fromCoroutine(self.client())
        yield self.a.give("b", accepted.transport, True, lambda: Handover("submission", "192.0.2.1", b"RCPT"))
        self.assertTrue(accepted.lost)
        long = b"a" * 300_000
        expected = b"192.0.2.1 RCPT " + long.upper()
        client.sendall(long[:10])
        client.setblocking(False)
        sent, heard = 10, b""
        for _ in range(2000):
            try:
                sent += client.send(long[sent:])
            except BlockingIOError:
                pass
            yield deferLater(reactor, 0.002)
            try:
                heard += client.recv(1 << 20)
            except BlockingIOError:
                pass
            if len(heard) >= len(expected):
                break
        self.assertEqual(heard, expected)
        # When the one that has it ends it, it ends.
        for one in [*self.b._hearing, *reactor.getReaders()]:  # type: ignore[attr-defined]
            if getattr(one, "protocol", None).__class__ is Echo:
                one.loseConnection()
        for _ in range(200):
            yield deferLater(reactor, 0.01)
            try:
                self.assertEqual(client.recv(10), b"")
                return
            except BlockingIOError:
                pass
        self.fail("it is open still")

    async def client(self) -> tuple[socket.socket, Accepted]:
        """A client, and its connection to a."""
        made: Deferred[Accepted] = Deferred()

        def build(_: Any = None) -> Accepted:
            protocol = Accepted()
            reactor.callLater(0, made.callback, protocol)  # type: ignore[attr-defined]
            return protocol

        factory = Factory.forProtocol(build)  # type: ignore[arg-type]
        port = reactor.listenTCP(0, factory, interface="127.0.0.1")  # type: ignore[attr-defined]
        self.addCleanup(port.stopListening)
        client = socket.create_connection(("127.0.0.1", port.getHost().port))
        self.addCleanup(client.close)
        return client, await made

    @inlineCallbacks
    def test_away(self) -> Any:
        """Where the other is away, or knows another secret, the connection is as it was."""
        self.b.drain()
        self.b.close()
        self.b = self.node("b", "another secret of servers")
        self.begin(self.b)
        self.acquaint()
        yield deferLater(reactor, 0.3)
        client, accepted = yield Deferred.fromCoroutine(self.client())
        yield self.assertFailure(
            self.a.give("b", accepted.transport, True, lambda: Handover("smtp", "192.0.2.1", b"")), Unavailable)
        yield self.assertFailure(
            self.a.give("nobody", accepted.transport, True, lambda: Handover("smtp", "192.0.2.1", b"")), Unavailable)
        self.assertFalse(accepted.lost)
        self.assertEqual((yield self.a.ask("twice", 2)), [None])
        accepted.transport.loseConnection()

    def test_busy(self) -> None:
        """A port that another has is told by the name of the setting."""
        with self.assertRaises(Invalid) as raised:
            Nodes(reactor, "c", self.a.reached, SECRET)
        self.assertEqual(raised.exception.field, "server.peers")
