"""SpamAssassin and rspamd, as servers of the tests' own speak their protocols."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import succeed
from twisted.internet.protocol import Factory, Protocol
from twisted.trial.unittest import TestCase

from simmail.config import Inspect
from simmail.core.inspection.engine import SpamEngine
from simmail.core.inspection.subject import Envelope
from simmail.outbound.http_client import Gate
from simmail.outbound.spam_engines import spam_engines
from tests.core.inspection.messages import BODY, GOOD
from tests.core.inspection.test_engine import RSPAMD, SPAMD

_HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"


class _Server(Protocol):
    """Answers once the message is there, and hangs up."""

    def __init__(self, heard: list[bytes], answer: bytes | None) -> None:
        self.heard, self.answer = heard, answer
        self.octets = b""

    def dataReceived(self, data: bytes) -> None:
        self.octets += data
        if self.octets.endswith(BODY) and self.answer is not None:
            self.heard.append(self.octets)
            assert self.transport is not None
            self.transport.write(self.answer)
            self.transport.loseConnection()


class SpamEngineTests(TestCase):
    """Asked over real sockets."""

    def serve(self, answer: bytes | None) -> int:
        """A server; its port."""
        self.heard: list[bytes] = []
        made: list[_Server] = []

        def build(address: Any) -> _Server:
            made.append(_Server(self.heard, answer))
            return made[-1]

        factory = Factory()
        factory.buildProtocol = build  # type: ignore[method-assign]
        port = reactor.listenTCP(0, factory, interface="127.0.0.1")  # type: ignore[attr-defined]
        self.addCleanup(port.stopListening)
        self.addCleanup(lambda: [one.transport.abortConnection() for one in made if one.transport])
        number: int = port.getHost().port
        return number

    def engine(self, make: Callable[[str], Inspect], port: int) -> SpamEngine:
        """The only filter of some options."""
        gate = Gate(reactor, lambda host: succeed(["127.0.0.1"]))
        self.addCleanup(gate.close)
        (one,) = spam_engines(make(f"127.0.0.1:{port}"), gate, reactor)
        return one

    async def test_spamd(self) -> None:
        """The message goes there whole, with its length."""
        one = self.engine(lambda place: Inspect(spamassassin=place), self.serve(SPAMD))
        found = await one.check(GOOD + BODY, Envelope())
        self.assertEqual((found.score, found.action, found.error), (1000.9, "spam", ""))
        self.assertEqual(self.heard, [
            b"REPORT SPAMC/1.5\r\nContent-length: %d\r\n\r\n" % len(GOOD + BODY) + GOOD + BODY])

    async def test_rspamd(self) -> None:
        """The message is posted, with how it came."""
        one = self.engine(lambda place: Inspect(rspamd=place), self.serve(_HTTP % (len(RSPAMD), RSPAMD)))
        found = await one.check(GOOD + BODY, Envelope("192.0.2.1", "mail.shop.example", "a@shop.example", "b@c.test"))
        self.assertEqual((found.score, found.action, found.error), (12.5, "add header", ""))
        (heard,) = self.heard
        self.assertTrue(heard.startswith(b"POST /checkv2 HTTP/1.1\r\n"))
        for field in (b"\r\nIp: 192.0.2.1\r\n", b"\r\nHelo: mail.shop.example\r\n", b"\r\nFrom: a@shop.example\r\n"):
            self.assertIn(field.lower(), heard.lower())

    async def test_failing(self) -> None:
        """A filter that is away, answers nonsense or hangs up is told as such, with the time it took."""
        for make in (lambda place: Inspect(spamassassin=place), lambda place: Inspect(rspamd=place)):
            for answer in (b"", b"nonsense\r\n\r\n"):
                found = await self.engine(make, self.serve(answer)).check(GOOD + BODY, Envelope())
                self.assertTrue(found.error, (make, answer))
                self.assertGreaterEqual(found.ms, 0)
            found = await self.engine(make, 1).check(GOOD + BODY, Envelope())
            self.assertTrue(found.error)

    def test_none(self) -> None:
        """Nothing is asked where nothing is configured."""
        self.assertEqual(spam_engines(Inspect(), Gate(reactor, lambda host: succeed([])), reactor), ())
