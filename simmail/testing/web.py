"""
A web in memory: what is at an address is what a test put there.
"""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.defer import Deferred, succeed
from zope.interface import implementer

from simmail.core.decide.page_visit import Errand, Visit
from simmail.core.net.egress import NOWHERE
from simmail.core.net.hosts import matches
from simmail.core.net.url import BadUrl, parse
from simmail.interfaces import IBrowser

Page = Visit | Callable[[Errand], "Deferred[Visit]"]


@implementer(IBrowser)
class MemoryWeb:
    """
    Pages by address; everything else does not exist.

    @ivar visited: errands in the order they came.
    """

    def __init__(self) -> None:
        self.pages: dict[str, Page] = {}
        self.visited: list[Errand] = []

    def put(self, url: str, title: str = "", status: int = 200) -> None:
        """There is a page."""
        self.pages[url] = Visit(status, url, title, "text/html")

    def visit(self, errand: Errand) -> Deferred[Visit]:
        """What is there."""
        self.visited.append(errand)
        try:
            url = parse(errand.url)
        except BadUrl as error:
            return succeed(Visit(error=str(error)))
        if matches(url.host, errand.deny) or errand.allow is not None and not matches(url.host, errand.allow):
            return succeed(Visit(error="the link policy does not allow this host"))
        page = self.pages.get(str(url), Visit(error=NOWHERE))
        return succeed(page) if isinstance(page, Visit) else page(errand)
