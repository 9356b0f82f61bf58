"""
The other processes, as one of them knows them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import convert
from twisted.internet.defer import Deferred, DeferredList, gatherResults
from twisted.internet.task import deferLater
from twisted.logger import Logger
from zope.interface import implementer

from simmail.concurrency import Waiting
from simmail.errors import Unavailable
from simmail.interfaces import IPeers, Handover
from simmail.workers.handover import adopted, carried, detached, HowItGoesOn
from simmail.workers.link import PeerPort, PeerLink
from simmail.workers.share import WorkerShare, owner

if TYPE_CHECKING:
    from simmail.server.server import MailServer

#: Real seconds in which another process has to take what one leaves that ends.
LEAVING = 1.0

#: Real seconds for which a connection waits for another process that ends or begins.
PATIENCE = 15.0


@implementer(IPeers)
class Peers:
    """
    The other processes of the service.

    @param reactor: of this process.
    @param first: ids of universes that the first process has.
    """

    log = Logger()
    apart = False

    def __init__(self, reactor: Any, share: WorkerShare, first: frozenset[str]) -> None:
        self._reactor = reactor
        self._share = share
        self.number = share.number
        self._first = first
        self._answers: dict[str, Callable[..., Any]] = {}
        self._factories: Mapping[str, Any] = {}
        self._begun = False
        self._moving = 0
        self._ready: Waiting[None] = Waiting(reactor)
        # Heard from the first moment: what others say meanwhile waits until it is understood.
        self._door = PeerPort(reactor, share.door, self._answer, self._take)
        self._links = {
            number: PeerLink(reactor, partial(reactor.connectUNIX, path))
            for number, path in enumerate(share.doors) if number != share.number}

    def begin(self, server: MailServer, factories: Mapping[str, Any]) -> None:
        """Answer the others from now on; C{factories}: what goes on with connections, by listener."""
        self._answers, self._factories, self._begun = dict(server.answers), factories, True
        for factory in factories.values():
            self._answers.update(getattr(factory, "answers", {}))
            context = getattr(factory, "context", None)
            if context is not None:
                context.peers, context.server = self, server
        self._ready.wake(None)

    def drain(self) -> None:
        """Take no more connections."""
        self._door.close()

    async def leave(self) -> None:
        """Give connections that belong nowhere yet to another process, for this one alone ends."""
        link = next((one for one in self._links.values() if one.up), None)
        if link is None:
            return
        await gatherResults([
            Deferred.fromCoroutine(self._give(link, transport, True, handover))
            for factory in self._factories.values() for transport, handover in factory.unbound()])
        until = self._reactor.seconds() + LEAVING
        while self._moving and self._reactor.seconds() < until:
            await deferLater(self._reactor, 0.01)

    def close(self) -> None:
        """Ask nothing more."""
        for link in self._links.values():
            link.close()

    # IPeers

    def owner(self, name: str) -> int:
        return owner(name, self._share.count, self._first)

    def mine(self, name: str) -> bool:
        return self.owner(name) == self._share.number

    def ask(self, question: str, *arguments: Any) -> Deferred[list[Any]]:
        asked = [link.ask(question, *arguments) for link in self._links.values()]
        return DeferredList(asked, consumeErrors=True).addCallback(
            lambda told: [value if good else None for good, value in told])

    def ask_owner(self, name: str, question: str, *arguments: Any) -> Deferred[Any]:
        return self._links[self.owner(name)].ask(question, *arguments)

    def give(self, number: int, transport: Any, direct: bool, handover: HowItGoesOn) -> Deferred[None]:
        return Deferred.fromCoroutine(self._give(self._links[number], transport, direct, handover))

    async def _give(self, link: PeerLink, transport: Any, direct: bool, handover: HowItGoesOn) -> None:
        # Whoever leaves waits for it from here on.
        self._moving += 1
        try:
            if not link.up:
                await link.when_up(PATIENCE)
            # Not from within the reading of the transport.
            await deferLater(self._reactor, 0)
            # The client may have left.
            told = handover() if transport.connected and not transport.disconnecting else None
            if told is not None:
                descriptor = detached(transport) if direct else carried(self._reactor, transport)
                Deferred.fromCoroutine(self._given(link, told, descriptor))
        finally:
            self._moving -= 1

    async def _given(self, link: PeerLink, handover: Handover, descriptor: int) -> None:
        """Have it taken; if the other process ends before it took it, by the one that follows."""
        self._moving += 1
        try:
            taken = False
            while not taken:
                taken = await link.give(handover, descriptor)
                if not taken and not link.up:
                    await link.when_up(PATIENCE)
        except Unavailable as error:
            self.log.warn("a connection was lost: {error}", error=error)
        except Exception:
            self.log.failure("a connection could not be given away")
        finally:
            os.close(descriptor)
            self._moving -= 1

    # What others say

    async def _answer(self, question: str, arguments: list[Any]) -> Any:
        await self._understood()
        answer = self._answers[question](*arguments)
        return await answer if hasattr(answer, "__await__") else answer

    async def _take(self, told: dict[str, Any], descriptor: int) -> bool:
        await self._understood()
        handover = convert(told, Handover)
        adopted(self._reactor, descriptor, self._factories[handover.listener].resumed(handover))
        return True

    async def _understood(self) -> None:
        if not self._begun:
            await self._ready.wait()
