"""What every sender of webhooks does: the real one, to endpoints next to it, and the one in memory."""

from __future__ import annotations

import time
from typing import Any

from twisted.internet.defer import succeed
from twisted.internet.task import deferLater
from twisted.trial.unittest import TestCase
from zope.interface.verify import verifyObject

from simmail.core.net.egress import NOWHERE
from simmail.core.webhook.retry import WebhookAnswer
from simmail.interfaces import IWebhookSender
from simmail.outbound.http_client import Gate
from simmail.outbound.webhook_sender import KEPT, WebhookSender
from simmail.testing.endpoints import MemoryEndpoints
from tests.journeys.site import Site

HEADERS = (("Content-Type", "application/json"), ("webhook-id", "evt_1"))


class WebhookSenderContract:
    """Mixed into a test case with C{site} (such as C{http://host:port}), C{sender} and C{there(path, status)}."""

    site: str
    sender: Any

    def there(self, path: str, status: int) -> None:
        """There is an endpoint."""
        raise NotImplementedError

    def test_interface(self) -> None:
        """It is a sender."""
        verifyObject(IWebhookSender, self.sender)

    async def test_answer(self: Any) -> None:
        """Whatever status an endpoint answers is an answer."""
        for status in (200, 204, 404, 500):
            self.there(f"/{status}", status)
            answer = await self.sender.send(f"{self.site}/{status}", HEADERS, b"{}")
            self.assertEqual((answer.status, answer.error), (status, ""))

    async def test_nowhere(self: Any) -> None:
        """Where nobody is there is an error; the Deferred does not fail."""
        for url in ("http://127.0.0.9:81/", "http://10.0.0.1/"):
            answer = await self.sender.send(url, HEADERS, b"{}")
            self.assertEqual((answer.status, answer.error), (0, NOWHERE), url)

    async def test_vet(self: Any) -> None:
        """What must not be reached is known before; what does not resolve may be there later."""
        self.there("/", 200)
        self.assertEqual(await self.sender.vet(f"{self.site}/"), "")
        self.assertEqual(await self.sender.vet("https://not-there.example.org/"), "")
        for url in ("http://127.0.0.1:9/", "http://[::1]/", "http://10.1.2.3/"):
            self.assertEqual(await self.sender.vet(url), NOWHERE, url)
        self.assertIn("only http", await self.sender.vet("ftp://example.org/"))


class MemoryTests(WebhookSenderContract, TestCase):
    """The one in memory."""

    def setUp(self) -> None:
        """Nobody is there yet."""
        self.site, self.sender = "http://app.example.com", MemoryEndpoints()

    def there(self, path: str, status: int) -> None:
        """There is an endpoint."""
        self.sender.replies[self.site + path] = WebhookAnswer(status)


class RealTests(WebhookSenderContract, TestCase):
    """The real one, over sockets."""

    def setUp(self) -> None:
        """A site next to it, of the laboratory."""
        from twisted.internet import reactor

        self.pages = Site()
        self.addCleanup(self.pages.close)
        self.site = f"http://{self.pages.place}"

        def addresses(host: str) -> Any:
            raise OSError("no such name")

        self.gate = Gate(reactor, lambda host: succeed(None).addCallback(lambda _: addresses(host)), kept=KEPT,
                         quiet=0.0)
        self.sender = WebhookSender(self.gate, reactor, (self.pages.place,))  # type: ignore[arg-type]
        self.reactor: Any = reactor

    async def tearDown(self) -> None:
        """Kept connections are closed."""
        self.gate.close()
        await deferLater(self.reactor, 0.05)

    def there(self, path: str, status: int) -> None:
        """There is an endpoint."""
        self.pages.pages[path] = (status, "an answer", 0)

    async def test_request(self) -> None:
        """Method, headers and body are as given; there is no redirect to follow."""
        self.there("/hook", 204)
        self.pages.pages["/away"] = (302, "/hook", 0)
        await self.sender.send(f"{self.site}/hook?a=1", HEADERS, b'{"type":"x"}')
        answer = await self.sender.send(f"{self.site}/away", HEADERS, b"{}")
        self.assertEqual(answer.status, 302)
        hits = self.pages.hits
        self.assertEqual([(one.method, one.path) for one in hits], [("POST", "/hook?a=1"), ("POST", "/away")])
        headers = {name.lower(): value for name, value in hits[0].headers.items()}
        self.assertEqual((hits[0].body, headers["webhook-id"], headers["content-type"]),
                         (b'{"type":"x"}', "evt_1", "application/json"))

    async def test_late(self) -> None:
        """Ten seconds are all an attempt has; what is slow holds nothing else up."""
        self.pages.pages["/slow"] = (200, "late", 30)
        self.there("/quick", 200)
        begin = time.monotonic()
        slow = self.sender.send(f"{self.site}/slow", HEADERS, b"{}")
        quick = await self.sender.send(f"{self.site}/quick", HEADERS, b"{}")
        self.assertEqual(quick.status, 200)
        self.assertLess(time.monotonic() - begin, 5)
        answer = await slow
        self.assertEqual((answer.status, answer.error), (0, "no answer within 10 s"))
        self.assertTrue(9.5 <= time.monotonic() - begin <= 15, time.monotonic() - begin)
