"""Files that domains publish for mail, over real TLS."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import succeed

from simmail.core.inspection.sender.published import WebFile
from simmail.core.net.egress import NOWHERE
from simmail.outbound.http_client import Gate
from simmail.outbound.web_files import WebFiles
from tests.outbound.test_secure import TlsTestCase


class WebFileTests(TlsTestCase):
    """What comes, and what is not asked for."""

    def files(self, trust: Any, host: str = "shop.site.com") -> WebFiles:
        """What fetches, at this machine."""
        gate = Gate(self.reactor, lambda name: succeed(["127.0.0.1"]), trust=trust)
        self.addCleanup(gate.close)
        return WebFiles(gate, (f"{host}:{self.number}",))

    async def test_fetched(self) -> None:
        """By https, from whom the certificate is for."""
        url = f"https://shop.site.com:{self.number}/.well-known/mta-sts.txt"
        found = await self.files(self.trust)(url, False)
        self.assertEqual((found.status, found.body, found.error), (200, b"for shop.site.com:%d" % self.number, ""))
        self.assertTrue(found.content_type.startswith("text/html"))

    async def test_refused(self) -> None:
        """Not from whom nobody vouches for, not in the clear, not from this machine unless the operator says so."""
        url = f"https://shop.site.com:{self.number}/"
        for files, asked, why in (
            (self.files(None), url, "the certificate is not to be trusted"),
            (self.files(self.trust, "other.site.com"), url.replace("shop", "other"),
             "the certificate is for another name"),
            (self.files(self.trust), url.replace("https", "http"), "its address is not https"),
            (self.files(self.trust, "other.site.com"), url, NOWHERE),
        ):
            self.assertEqual(await files(asked, True), WebFile(error=why))
