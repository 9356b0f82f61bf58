"""What is kept at hand is bounded by what it costs."""

from __future__ import annotations

from twisted.internet.defer import Deferred, fail, succeed
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.delivery import Copy
from simmail.errors import Unavailable
from simmail.mailstore.memory.mailstore import MemoryMailStore
from simmail.universe.cache import DocumentCache, LEAST, LONGEST_READ, MailCache, PLACE, TIMES
from tests.contracts.mailstores import a_delivery


def mail(n: int, size: int = 100) -> bytes:
    """One of its own."""
    return b"Subject: %d\r\n\r\n" % n + b"x" * size


class DocumentCacheTests(SynchronousTestCase):
    """Documents."""

    def setUp(self) -> None:
        """Room for three small ones; what is missing is fetched."""
        self.fetched: list[str] = []
        self.cache = DocumentCache(self.fetch, 3 * PLACE + 30)

    def fetch(self, table: str, keys: list[str]) -> Deferred[list[bytes | None]]:
        """The key is the document."""
        self.fetched += keys
        if "away" in keys:
            return fail(Unavailable("away"))
        return succeed([key.encode() for key in keys])

    def get(self, *keys: str) -> list[bytes | None]:
        """Ask for documents of one table."""
        return self.successResultOf(Deferred.fromCoroutine(self.cache.get([("t", key) for key in keys])))

    def test_expected(self) -> None:
        """What will be asked for is fetched ahead; whether that fails is nobody's concern until then."""
        self.cache.expect([("t", "a"), ("t", "b"), ("t", "away")])
        self.assertEqual(self.get("a", "b"), [b"a", b"b"])
        self.assertEqual(self.fetched, ["a", "b", "away"])

    def test_away(self) -> None:
        """What fails at once for several is told once, and asked again later."""
        for _ in range(2):
            self.failureResultOf(Deferred.fromCoroutine(self.cache.get([("t", "away"), ("u", "away")])), Unavailable)
        self.assertEqual(self.fetched, ["away"] * 4)

    def test_oldest_goes_first(self) -> None:
        """What was used lately stays."""
        self.get("a", "b", "c")
        self.get("a")
        self.get("d")
        self.assertEqual(self.get("a", "c", "d"), [b"a", b"c", b"d"])
        self.assertEqual(self.fetched, ["a", "b", "c", "d"])
        self.get("b")
        self.assertEqual(self.fetched[4:], ["b"])

    def test_long_one(self) -> None:
        """A document longer than the shelf is not kept, and answered all the same."""
        self.get("a", "b")
        long = "x" * 4 * PLACE
        self.assertEqual(self.get(long, "a"), [long.encode(), b"a"])
        self.get("a")
        self.assertEqual(self.fetched[-1], "a")

    def test_grown_again_and_again(self) -> None:
        """A document counts as it is now."""
        for n in range(50):
            self.cache.put("t", "a", b"x" * (n % 20))
        self.cache.put("t", "a", b"")
        self.get("b", "c")
        self.get("a")
        self.assertEqual(self.fetched, ["b", "c"])

    def test_many_at_once(self) -> None:
        """More than there is room for."""
        keys = [str(n) for n in range(10)]
        self.assertEqual(self.get(*keys), [key.encode() for key in keys])


class MailCacheTests(SynchronousTestCase):
    """Mails."""

    def test_small_ones_cost_too(self) -> None:
        """The number of small mails is bounded, and where they were filed is forgotten with them."""
        readings = MailCache(most=5 * (LEAST + TIMES * len(mail(0))))
        for n in range(8):
            readings.filed(Copy("a@x.test", "INBOX", n, 1), mail(n))
        self.assertEqual(len(readings._mails), 5)
        self.assertEqual(len(readings._places), 5)
        self.assertEqual(len(readings._octets), 5)

    def test_read_once(self) -> None:
        """The same octets give the same mail."""
        readings = MailCache()
        self.assertIs(readings.read(mail(1)), readings.read(mail(1)))
        self.assertEqual(readings.read(mail(2)).subject, "2")

    def test_long_and_filed(self) -> None:
        """A long mail that was looked at in its folder is kept by nobody."""
        store, readings = MemoryMailStore("main"), MailCache()
        delivery = a_delivery(1, "a@x.test", octets=mail(1, LONGEST_READ))
        [copy] = self.successResultOf(store.accept(delivery))
        folder = self.successResultOf(store.folder(copy.mailbox, copy.folder))
        seen = self.successResultOf(Deferred.fromCoroutine(readings.at(folder, copy.uid)))
        self.assertEqual(seen.subject, "1")
        self.assertEqual((len(readings._large), len(readings._mails)), (0, 0))
