"""Connections that are kept for the next webhook, and everything that can be wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import gatherResults, succeed
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.task import deferLater
from twisted.trial.unittest import TestCase

from simmail.core.net.egress import NOWHERE
from simmail.core.webhook.retry import WebhookAnswer
from simmail.outbound.http_client import Gate, Request
from simmail.outbound.webhook_sender import KEPT, MOST, WebhookSender
from tests.outbound.notations import HOSTS, URLS

GOOD = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class _Endpoint(Protocol):
    factory: Any

    def connectionMade(self) -> None:
        self.nth = 0
        self.factory.connections += 1

    def dataReceived(self, data: bytes) -> None:
        if b"POST" in data:
            self.nth += 1
            self.factory.requests += 1
            self.factory.answer(self, self.nth)


class KeptTests(TestCase):
    """A raw endpoint that answers as a test says."""

    def setUp(self) -> None:
        """It listens."""
        from twisted.internet import reactor

        self.reactor: Any = reactor
        self.factory: Any = Factory.forProtocol(_Endpoint)
        self.factory.noisy = False
        self.factory.connections = self.factory.requests = 0
        self.port = self.reactor.listenTCP(0, self.factory, interface="127.0.0.1")
        place = f"127.0.0.1:{self.port.getHost().port}"
        self.url = f"http://{place}/hook"
        self.gate = Gate(reactor, lambda host: succeed(["127.0.0.1"]), kept=KEPT, quiet=0.0)
        self.sender = WebhookSender(self.gate, self.reactor, (place,))

    async def tearDown(self) -> None:
        """Nothing is left open."""
        self.gate.close()
        await deferLater(self.reactor, 0.05)
        await self.port.stopListening()

    def answers(self, answer: Callable[[Any, int], object]) -> None:
        """C{answer(connection, nth request on it)} writes what comes back."""
        self.factory.answer = answer

    async def send(self) -> WebhookAnswer:
        """One request."""
        return await self.sender.send(self.url, (("webhook-id", "evt_1"),), b"{}")

    async def test_kept(self) -> None:
        """Twenty requests, one connection."""
        self.answers(lambda one, nth: one.transport.write(GOOD))
        for _ in range(20):
            self.assertEqual((await self.send()).body, "ok")
        self.assertEqual((self.factory.connections, self.factory.requests), (1, 20))

    async def test_no_more_answers(self) -> None:
        """A request on a kept connection that gets no answer fails in time, and is not sent twice."""
        self.answers(lambda one, nth: one.transport.write(GOOD) if nth == 1 else None)
        self.assertEqual((await self.send()).status, 200)
        answer = await self.gate.fetch(Request(
            self.url, "POST", (), b"{}", (self.url.split("/")[2],), redirects=0, patience=0.3)).addErrback(
                lambda failure: str(failure.value))
        self.assertEqual(answer, "no answer within 0.3 s")
        self.assertEqual(self.factory.requests, 2)

    async def test_come_to_its_end(self) -> None:
        """A kept connection that the other side closes as the next request comes is no failed attempt."""
        self.answers(lambda one, nth: one.transport.write(GOOD) if nth == 1 else one.transport.loseConnection())
        for _ in range(3):
            self.assertEqual((await self.send()).status, 200)
        self.assertEqual(self.factory.connections, 3)

    async def test_closed_without_answer(self) -> None:
        """A new connection that is closed is a failed attempt, and is not tried again at once."""
        self.answers(lambda one, nth: one.transport.loseConnection())
        answer = await self.send()
        self.assertEqual((answer.status, answer.error), (0, "no answer in HTTP"))
        self.assertEqual(self.factory.requests, 1)

    async def test_no_http(self) -> None:
        """What answers in another language is told so."""
        self.answers(lambda one, nth: one.transport.write(b"220 mx ESMTP\r\n"))
        answer = await self.send()
        self.assertEqual(answer.status, 0)
        self.assertTrue(answer.error)

    async def test_long_body(self) -> None:
        """The first kilobyte is kept, a megabyte is not read, and the next request gets through."""
        long = b"HTTP/1.1 500 Oops\r\nContent-Length: 10000000\r\n\r\n" + b"x" * 1_000_000
        self.answers(lambda one, nth: one.transport.write(long))
        answer = await self.send()
        self.assertEqual((answer.status, len(answer.body)), (500, MOST))
        self.answers(lambda one, nth: one.transport.write(GOOD))
        self.assertEqual((await self.send()).status, 200)

    async def test_endless_head(self) -> None:
        """A head without an end is cut off."""
        self.answers(lambda one, nth: one.transport.write(b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 50_000))
        answer = await self.send()
        self.assertEqual((answer.status, answer.error), (0, "the head of the answer has no end"))

    async def test_fields(self) -> None:
        """What an endpoint wishes comes back."""
        self.answers(lambda one, nth: one.transport.write(
            b"HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nWebhook-Delivery: disable\r\nContent-Length: 0\r\n\r\n"))
        answer = await self.send()
        self.assertEqual((answer.status, answer.retry_after, answer.directive), (503, "7", "disable"))

    async def test_nothing_private(self) -> None:
        """However it is written, this machine gets nothing."""
        self.answers(lambda one, nth: one.transport.write(GOOD))
        sender, port = WebhookSender(self.gate, self.reactor), self.port.getHost().port
        urls = [*(f"http://{host}:{port}/" for host in HOSTS), *(url.replace(":@", f":{port}") for url in URLS)]
        answers = await gatherResults([sender.send(url, (), b"{}") for url in urls])
        for url, answer in zip(urls, answers):
            self.assertEqual((answer.status, bool(answer.error)), (0, True), url)
        for url, why in zip(urls, await gatherResults([sender.vet(url) for url in urls])):
            self.assertTrue(why, url)
        self.assertEqual(self.factory.connections, 0)
        self.assertEqual((await sender.send(self.url, (), b"{}")).error, NOWHERE)
