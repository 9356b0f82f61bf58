"""What every browser does: the real one, on a site next to it, and the one in memory."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred, fail, maybeDeferred
from twisted.trial.unittest import TestCase
from twisted.web.resource import Resource
from twisted.web.server import Site
from zope.interface.verify import verifyObject

from simmail.core.decide.page_visit import Errand, Visit
from simmail.core.net.egress import NOWHERE
from simmail.errors import NotFound
from simmail.interfaces import IBrowser
from simmail.outbound.browser import Browser
from simmail.outbound.http_client import Gate
from simmail.outbound.recording import Recorder, Replayer
from simmail.testing.web import MemoryWeb


class BrowserContract:
    """Mixed into a test case with C{site} (such as C{http://host:port}), C{browser} and C{there(path, title)}."""

    site: str
    browser: Any

    def there(self, path: str, title: str, status: int = 200) -> None:
        """There is a page."""
        raise NotImplementedError

    def errand(self, path: str, **more: Any) -> Errand:
        """To a page of the site, or elsewhere."""
        return Errand(path if "://" in path else self.site + path, "j_1", "Reader/1.0", **more)

    def test_interface(self) -> None:
        """It is a browser."""
        verifyObject(IBrowser, self.browser)

    async def test_page(self: Any) -> None:
        """A page has status, address and title; characters are its own."""
        self.there("/a", "Grüße & more")
        visit = await self.browser.visit(self.errand("/a"))
        self.assertEqual((visit.status, visit.final_url, visit.title, visit.content_type, visit.error, visit.broken),
                         (200, self.site + "/a", "Grüße & more", "text/html", "", False))

    async def test_error_page(self: Any) -> None:
        """An answer that is an error is an answer, and a broken link."""
        self.there("/gone", "Gone", 410)
        visit = await self.browser.visit(self.errand("/gone"))
        self.assertEqual((visit.status, visit.error, visit.broken), (410, "", True))

    async def test_nowhere(self: Any) -> None:
        """Where nobody is there is an error; the Deferred does not fail."""
        for url in ("http://nobody.invalid/", "http://127.0.0.9:81/", "http://printer/"):
            visit = await self.browser.visit(self.errand(url))
            self.assertEqual((visit.status, visit.error, visit.broken), (0, NOWHERE, True), url)

    async def test_improper(self: Any) -> None:
        """What is no address is an error as well."""
        for url in ("ftp://a.com/", "http://a:b@c.com/", "http://127.1/"):
            self.assertTrue((await self.browser.visit(self.errand(url))).error)

    async def test_policy(self: Any) -> None:
        """Hosts that are not allowed are not visited."""
        self.there("/a", "A")
        host = self.site.split("/")[2].partition(":")[0]
        for more, met in (({"deny": (host,)}, False), ({"allow": ("x.com",)}, False), ({"allow": (host,)}, True)):
            visit = await self.browser.visit(self.errand("/a", **more))
            self.assertEqual(visit.status == 200, met, more)
            self.assertEqual("policy" in visit.error, not met)


class Pages(Resource):
    """A site."""

    isLeaf = True

    def __init__(self) -> None:
        super().__init__()
        self.pages: dict[str, tuple[int, str]] = {}

    def render_GET(self, request: Any) -> bytes:
        status, title = self.pages[request.uri.decode()]
        request.setResponseCode(status)
        request.setHeader("Content-Type", "text/html; charset=utf-8")
        return f"<!doctype html><head><title>\n{title.replace('&', '&amp;')}\n</title>".encode()


class RealBrowserTests(BrowserContract, TestCase):
    """The one that dials."""

    def setUp(self) -> None:
        """A site that the operator listed."""
        from twisted.internet import reactor

        self.pages = Pages()
        self.port: Any = reactor.listenTCP(0, Site(self.pages), interface="127.0.0.1")  # type: ignore[attr-defined]
        place = f"127.0.0.1:{self.port.getHost().port}"
        self.site = f"http://{place}"
        self.browser = Browser(Gate(reactor, lambda host: fail(OSError("none"))), reactor, (place,))  # type: ignore

    def tearDown(self) -> Deferred[Any]:
        """The site closes."""
        return maybeDeferred(self.port.stopListening)

    def there(self, path: str, title: str, status: int = 200) -> None:
        self.pages.pages[path] = (status, title)

    async def test_recorded(self) -> None:
        """What was recorded is found again without the site, by the same job or by another; nothing else is."""
        folder = self.mktemp()
        self.there("/a", "A")
        recorder = Recorder(self.browser, folder)
        visit = await recorder.visit(self.errand("/a"))
        await recorder.visit(Errand("http://nobody.invalid/", "j_2", "x"))
        replayer = Replayer(folder)
        self.pages.pages.clear()
        self.assertEqual(await replayer.visit(self.errand("/a")), visit)
        self.assertEqual(await replayer.visit(Errand(self.site + "/a", "j_9", "x")), visit)
        self.assertEqual((await replayer.visit(Errand("http://nobody.invalid/", "j_2", "x"))).error, NOWHERE)
        for url, one_click in ((self.site + "/b", False), (self.site + "/a", True)):
            try:
                await replayer.visit(Errand(url, "j_1", "x", one_click=one_click))
            except NotFound as error:
                self.assertIn(url, str(error))
            else:
                self.fail(url)


class MemoryBrowserTests(BrowserContract, TestCase):
    """The one in memory."""

    site = "http://site.com"

    def setUp(self) -> None:
        """An empty web."""
        self.browser = self.web = MemoryWeb()

    def there(self, path: str, title: str, status: int = 200) -> None:
        self.web.put(self.site + path, title, status)

    async def test_visited(self) -> None:
        """It notes who came, and answers what it was told, late if need be."""
        late: Deferred[Visit] = Deferred()
        self.web.pages["http://site.com/late"] = lambda errand: late
        found = self.browser.visit(self.errand("/late"))
        self.assertNoResult(found)
        late.callback(Visit(200, "http://site.com/late"))
        self.assertEqual((await found).status, 200)
        self.assertEqual([one.url for one in self.web.visited], ["http://site.com/late"])
