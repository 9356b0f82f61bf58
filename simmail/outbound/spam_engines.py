"""
SpamAssassin (spamd protocol) and rspamd (HTTP), where the operator has configured them.

Sources: SpamAssassin's spamd/PROTOCOL; rspamd documentation, "Rspamd protocol".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, TCP6ClientEndpoint, connectProtocol
from twisted.internet.error import TimeoutError as ConnectTimeout
from twisted.internet.protocol import Protocol

from simmail.config import Inspect
from simmail.core.inspection.engine import (
    BadEngineAnswer, EngineName, EngineReport, SpamEngine, read_rspamd, read_spamd,
)
from simmail.core.inspection.subject import Envelope
from simmail.outbound.http_client import Gate, PATIENCE, Request, Unreachable

#: Octets of an answer that are read.
_MOST = 1024 * 1024


class _Engine:
    """Times a question, and makes a failure a report."""

    name: EngineName

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor

    async def check(self, octets: bytes, envelope: Envelope) -> EngineReport:
        """Return what the filter says, and how long it took."""
        begin = self._reactor.seconds()
        try:
            found = await Deferred.fromCoroutine(self._ask(octets, envelope)).addTimeout(PATIENCE, self._reactor)
        except CancelledError:
            raise
        except (BadEngineAnswer, Unreachable) as error:
            found = EngineReport(self.name, error=str(error))
        except Exception as error:
            late = isinstance(error, (TimeoutError, ConnectTimeout))
            found = EngineReport(self.name, error=f"no answer within {PATIENCE:g} s" if late else "no connection")
        took = round((self._reactor.seconds() - begin) * 1000)
        return EngineReport(found.engine, found.score, found.threshold, found.action, found.rules, took, found.error)

    async def _ask(self, octets: bytes, envelope: Envelope) -> EngineReport:
        raise NotImplementedError


class Spamd(_Engine):
    """SpamAssassin's spamd at C{host:port}."""

    name = "spamassassin"

    def __init__(self, reactor: Any, place: str) -> None:
        super().__init__(reactor)
        host, _, port = place.rpartition(":")
        self._host, self._port = host.strip("[]"), int(port)

    async def _ask(self, octets: bytes, envelope: Envelope) -> EngineReport:
        endpoint = (TCP6ClientEndpoint if ":" in self._host else TCP4ClientEndpoint)(
            self._reactor, self._host, self._port, timeout=int(PATIENCE))
        line: _Conversation = await connectProtocol(endpoint, _Conversation(
            b"REPORT SPAMC/1.5\r\nContent-length: %d\r\n\r\n" % len(octets) + octets))
        try:
            return read_spamd(await line.answer)
        finally:
            line.hang_up()


class _Conversation(Protocol):
    """Says one thing and listens until the other side hangs up."""

    def __init__(self, question: bytes) -> None:
        self._question = question
        self._heard: list[bytes] = []
        self._size = 0
        self.answer: Deferred[bytes] = Deferred()

    def connectionMade(self) -> None:
        assert self.transport is not None
        self.transport.write(self._question)

    def dataReceived(self, data: bytes) -> None:
        self._heard.append(data)
        self._size += len(data)
        if self._size > _MOST:
            self.hang_up()

    def connectionLost(self, reason: Any = None) -> None:
        if not self.answer.called:
            self.answer.callback(b"".join(self._heard))

    def hang_up(self) -> None:
        """End it."""
        if self.transport is not None:
            self.transport.loseConnection()


class Rspamd(_Engine):
    """rspamd's normal worker at C{host:port}, through the gate."""

    name = "rspamd"

    def __init__(self, reactor: Any, place: str, gate: Gate) -> None:
        super().__init__(reactor)
        self._place = place
        self._gate = gate

    async def _ask(self, octets: bytes, envelope: Envelope) -> EngineReport:
        known = (("IP", envelope.ip), ("Helo", envelope.helo), ("From", envelope.sender or ""),
                 ("Rcpt", envelope.recipient))
        headers = tuple((name, value) for name, value in known if value and value.isascii() and value.isprintable())
        answer = await self._gate.fetch(Request(
            f"http://{self._place}/checkv2", "POST", headers, octets, (self._place,), redirects=0))
        if answer.status != 200:
            raise BadEngineAnswer(f"HTTP status {answer.status}")
        return read_rspamd(answer.body)


def spam_engines(options: Inspect, gate: Gate, reactor: Any) -> tuple[SpamEngine, ...]:
    """Return the filters that are configured."""
    made: list[tuple[str, Callable[[str], SpamEngine]]] = [
        (options.spamassassin, lambda place: Spamd(reactor, place)),
        (options.rspamd, lambda place: Rspamd(reactor, place, gate))]
    return tuple(make(place) for place, make in made if place)
