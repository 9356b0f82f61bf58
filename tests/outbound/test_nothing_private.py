"""
Every notation of a private place, by every road out: links, webhooks, the inspection and the writer.

A listener on loopback, IPv4 and IPv6, counts who comes.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from twisted.internet.defer import Deferred, gatherResults, succeed
from twisted.internet.protocol import Factory, Protocol
from twisted.trial.unittest import TestCase

from simmail.config import Ai
from simmail.core.decide.page_visit import Errand
from simmail.core.html.links import Link
from simmail.core.records.settings import LinkPolicy
from simmail.core.wording.chat import ChatMessage, ChatQuery
from simmail.outbound.browser import Browser
from simmail.outbound.http_client import Gate
from simmail.outbound.language_model import ChatModel
from simmail.outbound.web_files import WebFiles
from simmail.outbound.webhook_sender import WebhookSender
from simmail.universe.inspection.link_check import LinkCheck
from tests.journeys.reaching import Closet
from tests.outbound.notations import NAMES, urls

QUERY = ChatQuery("0" * 16, 0, (ChatMessage("user", "Say something."),), {})

#: Answers why an address is not reached.
Road = Callable[[str], Coroutine[Any, Any, str]]


class _Away(Protocol):
    """Sends whoever asks for a number to the address with that number."""

    factory: Any

    def dataReceived(self, data: bytes) -> None:
        assert self.transport is not None
        nth = data.split(b" ", 2)[1].split(b"/")[1]
        to = b""
        if nth.isdigit():
            to = self.factory.tried[int(nth)].encode("utf-8")
            self.factory.asked.add(int(nth))
        # Anything else is a redirect that was read as a path here.
        status = b"307 Away\r\nLocation: " + to if to else b"200 OK"
        self.transport.write(b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        self.transport.loseConnection()


class NothingPrivateTests(TestCase):
    """Said, redirected to, or meant by a name."""

    def setUp(self) -> None:
        """A listener that nobody may reach, and a place of the operator's that redirects there."""
        from twisted.internet import reactor

        self.reactor: Any = reactor
        self.closet = Closet()
        self.addCleanup(self.closet.close)
        self.tried = urls(self.closet.port)
        factory: Any = Factory.forProtocol(_Away)
        factory.noisy = False
        # A field holds no line break; what is cut off by one is another address.
        factory.tried = [one.replace("\r", "").replace("\n", "") for one in self.tried]
        factory.asked = self.asked = set()
        self.front = self.reactor.listenTCP(0, factory, interface="127.0.0.1", backlog=1000)
        self.addCleanup(self.front.stopListening)
        self.place = f"127.0.0.1:{self.front.getHost().port}"
        self.names = dict(NAMES)
        self.gate = Gate(reactor, self.addresses, quiet=0.0, at_once=1000)
        self.addCleanup(self.gate.close)

    def addresses(self, host: str) -> Deferred[list[str]]:
        """What the name system says: whatever is asked for is here."""
        return succeed(self.names.get(host, ["127.0.0.1"]))

    async def nothing(self, *roads: Road) -> None:
        """Nothing of the table is reached by any of the roads, each of which answers why."""
        for road in roads:
            whys = await gatherResults([Deferred.fromCoroutine(road(url)) for url in self.tried])
            for url, why in zip(self.tried, whys):
                self.assertTrue(why, url)
        self.assertEqual(self.closet.connections, 0)

    async def led(self, road: Road) -> None:
        """No redirect leads to anything of the table; each was asked for."""
        await gatherResults([
            Deferred.fromCoroutine(road(f"http://{self.place}/{nth}")) for nth in range(len(self.tried))])
        self.assertEqual(self.asked, set(range(len(self.tried))))
        self.assertEqual(self.closet.connections, 0)

    async def test_links(self) -> None:
        """What people open."""
        browser = Browser(self.gate, self.reactor, (self.place,))

        async def visit(url: str) -> str:
            return (await browser.visit(Errand(url, "j_1", "Reader/1.0"))).error

        await self.nothing(visit)
        await self.led(visit)

    async def test_webhooks(self) -> None:
        """What is told to others, and whether an address is taken at all."""
        sender = WebhookSender(self.gate, self.reactor, (self.place,))

        async def send(url: str) -> str:
            return (await sender.send(url, (), b"{}")).error

        async def vet(url: str) -> str:
            return await sender.vet(url)

        await self.nothing(send, vet)
        await self.led(send)

    async def test_webhook_renamed(self) -> None:
        """A name that was public when the webhook was put, and is not when it is sent."""
        sender = WebhookSender(self.gate, self.reactor)
        for address in ("127.0.0.1", "::1", "::ffff:127.0.0.1", "10.0.0.1", "169.254.169.254"):
            self.names["changing.site.com."] = ["93.184.215.14"]
            url = f"http://changing.site.com:{self.closet.port}/"
            self.assertEqual(await sender.vet(url), "")
            self.names["changing.site.com."] = [address]
            self.assertTrue((await sender.send(url, (), b"{}")).error)
        self.assertEqual(self.closet.connections, 0)

    async def test_inspection(self) -> None:
        """Links of a mail that are checked."""
        check = LinkCheck(Browser(self.gate, self.reactor, (self.place,)), LinkPolicy)

        async def look(url: str) -> str:
            (found,) = await check.look((Link(url, "", "", "other"),))
            return "" if found.ok else found.why

        await self.nothing(look)
        await self.led(look)

    async def test_published(self) -> None:
        """Files that a domain says it publishes for mail, by https as they have to be."""
        files = WebFiles(self.gate)

        async def fetch(url: str) -> str:
            return (await files(url, True)).error

        self.tried = [url.replace("http:", "https:", 1) for url in self.tried]
        await self.nothing(fetch)

    async def test_writer(self) -> None:
        """The model's server is where the operator says, and sends nobody elsewhere."""
        async def ask(url: str) -> str:
            model = ChatModel(self.gate, self.reactor, Ai(base_url=url, model="m"))
            model.level = "text"
            return (await model.ask(QUERY)).error

        await self.led(ask)
