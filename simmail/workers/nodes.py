"""
The other servers of an installation, as one of them knows them.

Each hears the others at a port of its own, over TLS with the secret that all know.  One connection to each carries
questions and answers; a client's connection that is given away is carried on one more, from the server that accepted it
to the one that has the universe.  Source: decisions, section 20.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import convert
from twisted.internet.defer import Deferred, DeferredList, fail, succeed
from twisted.internet.error import CannotListenError
from twisted.internet.protocol import ClientFactory, Factory, Protocol, connectionDone
from twisted.internet.task import deferLater, LoopingCall
from twisted.logger import Logger
from twisted.protocols.tls import TLSMemoryBIOFactory
from twisted.python.failure import Failure
from zope.interface import implementer

from simmail.core.net.hosts import is_address
from simmail.errors import Invalid, Unavailable
from simmail.interfaces import Handover, INodes
from simmail.workers.handover import adopted, carried, detached, HowItGoesOn, joined
from simmail.workers.link import ANSWER, GIVE, HELLO, LONGEST, Hearing, PeerLink
from simmail.workers.trust import SecretTls

if TYPE_CHECKING:
    from simmail.server.server import MailServer

#: Real seconds for an answer, for a connection, and between two looks whether another still answers.
PATIENCE, CONNECTED, BEAT = 2.0, 2.0, 3.0
#: Real seconds before another try to connect.
AGAIN = 0.3

#: What each server is asked by those who watch it, and no other.
_OWN = frozenset(("looked", "figures"))

#: Where a connection goes on in a server that does not listen where it was made: TLS is seen to already.
_LIKE = {"smtps": ("submission", "smtp"), "submission": ("smtp", "smtps"), "smtp": ("submission", "smtps"),
         "imap": ("imaps",), "imaps": ("imap",)}


def _away(node: str) -> Unavailable:
    return Unavailable(f"the server {node} is away; try again later" if node else "no server has it just now")


class _Host(Hearing):
    """The end of a connection that another server has made: it asks, or gives a client's connection."""

    def __init__(self, nodes: Nodes, *more: Any) -> None:
        super().__init__(*more)
        self._nodes = nodes

    def greet(self) -> None:
        if self._nodes.hears:
            super().greet()

    def heard(self, kind: int, *rest: Any) -> None:
        if kind != GIVE:
            super().heard(kind, *rest)
            return
        number, told = rest
        # The other one waits for it, and sends what the client says behind it.
        self.say(ANSWER, number, True)
        self._take(told, self.transport)


class _Guest(Protocol):
    """
    The end of a connection by which a client's is given away, until it is taken.

    @ivar taken: what has come already of what the client is told.
    """

    transport: Any

    def __init__(self) -> None:
        self.up: Deferred[None] = Deferred()
        self.taken: Deferred[bytes] = Deferred()
        self._octets = b""

    def give(self, handover: Handover) -> Deferred[bytes]:
        """Deferred: it is taken."""
        frame = msgspec.msgpack.encode((GIVE, 0, handover))
        self.transport.write(len(frame).to_bytes(4, "big") + frame)
        return self.taken

    def dataReceived(self, data: bytes) -> None:
        self._octets += data
        for told in self._frames():
            if told[0] == HELLO and not self.up.called:
                self.up.callback(None)
            elif told[0] == ANSWER:
                rest, self._octets = self._octets, b""
                self.taken.callback(rest)
                return
            else:
                self.transport.loseConnection()
                return

    def _frames(self) -> Iterator[Any]:
        while len(self._octets) >= 4:
            end = 4 + int.from_bytes(self._octets[:4], "big")
            if end > LONGEST or len(self._octets) < end:
                return
            frame, self._octets = self._octets[4:end], self._octets[end:]
            yield msgspec.msgpack.decode(frame)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        for waiting in (self.up, self.taken):
            if not waiting.called:
                waiting.errback(_away("asked"))
                waiting.addErrback(lambda failure: None)


class _Giving(ClientFactory):
    """Makes one such connection."""

    noisy = False

    def __init__(self, guest: _Guest) -> None:
        self._guest = guest

    def buildProtocol(self, addr: Any) -> Protocol:
        """Return it."""
        return self._guest

    def clientConnectionFailed(self, connector: Any, reason: Failure) -> None:
        """There will be none."""
        self._guest.connectionLost(reason)


@implementer(INodes)
class Nodes:
    """
    The other servers of the installation.

    @param node: the name of this one; place: C{server.peers}; secret: what all know.
    @raise Invalid: nobody can listen there.
    """

    log = Logger()
    apart = True

    def __init__(self, reactor: Any, node: str, place: str, secret: str) -> None:
        self._reactor = reactor
        self.number = node
        self.placed: dict[str, str] = {}
        self.servers: dict[str, str] = {}
        self._tls = SecretTls(secret)
        self._answers: dict[str, Callable[..., Any]] = {}
        self._factories: Mapping[str, Any] = {}
        self._hearing: set[Hearing] = set()
        self._links: dict[str, PeerLink] = {}
        self._places: dict[str, tuple[str, int]] = {}
        self._begun = False
        host, _, port = place.rpartition(":")
        host = host.strip("[]")
        factory = Factory.forProtocol(lambda: _Host(self, self._answer, self._take, self._hearing))
        factory.noisy = False
        outer = TLSMemoryBIOFactory(self._tls, False, factory)
        outer.noisy = False
        try:
            self._port = reactor.listenTCP(int(port), outer, interface=host if is_address(host) else "")
        except CannotListenError as error:
            raise Invalid("server.peers", f"{place}: {error.socketError}") from None
        self.reached = f"{f'[{host}]' if ':' in host else host}:{self._port.getHost().port}"
        self._beat = LoopingCall(self._look)
        self._beat.clock = reactor

    def begin(self, server: MailServer, factories: Mapping[str, Any]) -> None:
        """Answer the others from now on; C{factories}: what goes on with connections, by listener."""
        self._answers, self._factories, self._begun = {**server.answers, "beat": lambda: None}, factories, True
        for factory in factories.values():
            context = getattr(factory, "context", None)
            if context is not None:
                context.peers, context.server = self, server
        for one in list(self._hearing):
            one.greet()
        self._beat.start(BEAT, now=False)

    def drain(self) -> None:
        """Take no more connections, and answer no more questions."""
        self._port.stopListening()
        for one in list(self._hearing):
            one.end()

    async def leave(self) -> None:
        """Nobody follows in the place of this one."""

    def close(self) -> None:
        """Ask nothing more."""
        if self._beat.running:
            self._beat.stop()
        for link in self._links.values():
            link.close()
        for one in list(self._hearing):
            one.transport.abortConnection()

    def away(self) -> list[str]:
        """Return who has universes and does not answer, for people."""
        return [f"the server {name} is away; its universes wait for it"
                for name in sorted({*self.placed.values()} - {self.number})
                if name not in self._links or not self._links[name].up]

    def _look(self) -> None:
        for link in self._links.values():
            if link.up:
                # Whoever was cut off does not tell.
                link.ask("beat", patience=PATIENCE).addErrback(_drop, link)

    # INodes

    def place(self, name: str, octets: bytes | None) -> None:
        self.placed.pop(name, None)
        if octets is not None:
            self.placed[name] = str(msgspec.json.decode(octets))

    def meet(self, name: str, octets: bytes | None) -> None:
        self.servers.pop(name, None)
        if octets is not None:
            self.servers[name] = str(msgspec.json.decode(octets))
        if name == self.number:
            if octets is None:
                self.log.critical("this server was removed from the installation; start it again to have it be in it")
            return
        host, _, port = self.servers.get(name, "").rpartition(":")
        place = host.strip("[]"), int(port or 0)
        if self._places.get(name) == place:
            return
        link = self._links.pop(name, None)
        if link is not None:
            link.close()
        self._places[name] = place
        if port:
            self._links[name] = PeerLink(self._reactor, partial(self._dial, *place), AGAIN)

    def alive(self) -> set[str]:
        return {self.number, *(name for name, link in self._links.items() if link.up)}

    def owner(self, name: str) -> str:
        return self.placed.get(name, "")

    def mine(self, name: str) -> bool:
        return self.placed.get(name, self.number) == self.number

    def ask(self, question: str, *arguments: Any) -> Deferred[list[Any]]:
        if question in _OWN:
            return succeed([])
        links = list(self._links.items())
        having = {*self.placed.values()}
        asked = [link.ask(question, *arguments, patience=PATIENCE) for _, link in links]
        # Who has nothing need not be there.
        return DeferredList(asked, consumeErrors=True).addCallback(lambda told: [
            value if good else None for (name, _), (good, value) in zip(links, told) if good or name in having])

    def ask_owner(self, name: str, question: str, *arguments: Any) -> Deferred[Any]:
        return self.ask_node(self.owner(name), question, *arguments)

    def ask_node(self, name: str, question: str, *arguments: Any, patience: float = PATIENCE) -> Deferred[Any]:
        link = self._links.get(name)
        return fail(_away(name)) if link is None else link.ask(question, *arguments, patience=patience)

    def give(self, owner: str, transport: Any, direct: bool, handover: HowItGoesOn) -> Deferred[None]:
        return Deferred.fromCoroutine(self._give(owner, transport, direct, handover))

    async def _give(self, owner: str, transport: Any, direct: bool, handover: HowItGoesOn) -> None:
        link = self._links.get(owner)
        if link is None or not link.up:
            raise _away(owner)
        guest = _Guest()
        self._dial(*self._places[owner], _Giving(guest))
        try:
            await guest.up.addTimeout(CONNECTED, self._reactor, lambda _, timeout: Failure(_away(owner)))
            # Not from within the reading of the transport.
            await deferLater(self._reactor, 0)
        except Unavailable:
            if guest.transport is not None:
                guest.transport.abortConnection()
            raise
        # The client may have left.
        told = handover() if transport.connected and not transport.disconnecting else None
        if told is None:
            guest.transport.loseConnection()
            return
        descriptor = detached(transport) if direct else carried(self._reactor, transport)
        Deferred.fromCoroutine(self._given(guest, told, descriptor)).addErrback(
            lambda failure: self.log.failure("a connection could not be given away", failure))

    async def _given(self, guest: _Guest, told: Handover, descriptor: int) -> None:
        try:
            rest = await guest.give(told)
        except Unavailable as error:
            os.close(descriptor)
            self.log.warn("a connection was lost: {error}", error=error)
            return
        joined(self._reactor, guest.transport, descriptor).dataReceived(rest)

    # What others say

    def _dial(self, host: str, port: int, factory: ClientFactory) -> None:
        outer = TLSMemoryBIOFactory(self._tls, True, factory)
        outer.noisy = False
        self._reactor.connectTCP(host, port, outer, timeout=CONNECTED)

    def _answer(self, question: str, arguments: list[Any]) -> Any:
        answer = self._answers[question](*arguments)
        return Deferred.fromCoroutine(answer) if hasattr(answer, "__await__") and hasattr(answer, "send") else answer

    def _take(self, told: dict[str, Any], transport: Any) -> None:
        handover = convert(told, Handover)
        factory = next((self._factories[name] for name in (handover.listener, *_LIKE.get(handover.listener, ()))
                        if name in self._factories), None)
        if factory is None:
            self.log.warn("a connection for {listener} cannot be taken: nobody listens there",
                          listener=handover.listener)
            transport.loseConnection()
            return
        adopted(self._reactor, carried(self._reactor, transport), factory.resumed(handover))

    @property
    def hears(self) -> bool:
        """Whether others are answered."""
        return self._begun


def _drop(failure: Failure, link: PeerLink) -> None:
    link.drop()
