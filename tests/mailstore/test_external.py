"""Files that another program puts into a folder in great numbers, and how their digests are taken."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred, fail
from twisted.internet.task import Clock, deferLater
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import NotFound, Unavailable
from simmail.mailstore import external
from simmail.mailstore.index.mail_index import MailIndex
from simmail.mailstore.writer.requests import Adopt, ReadShown
from tests.contracts.mailstores import DiskProvider, a_delivery, a_mail, result_of, tiny_shown

MARIA = "maria@acme.test"
NAMES = ("structure", "envelope")


class ManyTests(SynchronousTestCase):
    """An INBOX into which another program puts messages."""

    def setUp(self) -> None:
        self.path = self.mktemp()
        self.provider = DiskProvider(self.path)
        self.addCleanup(lambda: self.provider.stop())
        self.store = self.provider.store
        result_of(self.store.accept(a_delivery(0, MARIA)))
        self.box = Path(self.path, "mail", "main", MARIA)
        self.asked: list[type[Any]] = []
        self.refused: dict[int, Exception] = {}
        self.patch(self.store.writer, "call", self.call(self.store.writer.call))

    def call(self, real: Callable[..., Deferred[Any]]) -> Callable[..., Deferred[Any]]:
        """The writer notes what it is asked and refuses some of it, by number."""
        def call(request: Any) -> Deferred[Any]:
            self.asked.append(type(request))
            error = self.refused.get(len(self.asked))
            return fail(error) if error is not None else real(request)
        return call

    def put(self, count: int) -> None:
        for number in range(count):
            (self.box / "cur" / f"{1772355600 + number}.M1P1.host:2,").write_bytes(a_mail(f"foreign {number}"))

    def folder(self) -> Any:
        return result_of(self.store.folder(MARIA, "INBOX"))

    def known(self, folder: Any) -> Any:
        """What the index knows of what FETCH shows."""
        index = self.store.index.tables
        return index.digests.fetch(index.folder(MARIA, "INBOX", folder.uidvalidity), list(folder.uids), NAMES)

    def expected(self, count: int, first: int = 2) -> dict[int, Any]:
        return {first + number: tiny_shown(a_mail(f"foreign {number}"))[::-1] for number in range(count)}

    def test_looked_at_before_asked(self) -> None:
        """Of many, what FETCH shows is known once they have their UIDs, which are in the order of their names."""
        self.put(650)
        self.assertEqual(self.known(self.folder()), self.expected(650))

    def test_order(self) -> None:
        """Many are sorted in pieces, with turns for others between them."""
        self.patch(external, "_SORTED", 10)
        names = [f"{'new' if number % 3 else 'cur'}/{number * 7919 % 1000:04d}.host" for number in range(95)]
        clock, pauses = Clock(), []

        def pause(reactor: Clock, seconds: float) -> Deferred[None]:
            pauses.append(seconds)
            return deferLater(reactor, seconds)

        self.patch(external, "deferLater", pause)
        done = Deferred.fromCoroutine(external.in_order(names, clock))
        self.assertNoResult(done)
        clock.advance(0)
        self.assertEqual(pauses, [0] * 9)
        self.assertEqual(list(self.successResultOf(done)), sorted(names, key=lambda name: name[4:]))
        self.assertEqual(list(self.successResultOf(Deferred.fromCoroutine(external.in_order([], clock)))), [])

    def test_writer_looks(self) -> None:
        """What the index has no time for the writer looks at, but at nothing large and at no more than can be kept."""
        self.patch(external, "_BEHIND", 0)
        looked: list[int] = []
        real = MailIndex.take_envelopes

        async def glance(index: MailIndex, folder: Any, uids: Any) -> None:
            looked.extend(uids)
            await real(index, folder, uids)

        self.patch(MailIndex, "take_envelopes", glance)
        self.put(650)
        octets = a_mail("foreign 650", "x" * (1 << 17))
        (self.box / "cur" / "1772356999.M1P1.host:2,").write_bytes(octets)
        self.assertEqual(self.known(self.folder()), {**self.expected(650), 652: tiny_shown(octets)[::-1]})
        self.assertEqual(looked, [652])
        looked.clear()
        self.patch(external, "_MOST_KEPT", 0)
        for number in range(700, 1300):
            (self.box / "cur" / f"{1772360000 + number}.M1P1.host:2,").write_bytes(a_mail(f"foreign {number}"))
        result_of(self.folder().poll())
        self.assertEqual(looked, list(range(653, 1253)))

    def test_few_wait(self) -> None:
        """Few are looked at when they are asked for."""
        self.put(400)
        folder = self.folder()
        self.assertEqual(self.known(folder), {})
        self.assertEqual(result_of(folder.digested(range(2, 402), NAMES)), self.expected(400))
        self.assertEqual(self.known(folder), self.expected(400))

    def test_half_each(self) -> None:
        """The writer takes half of what many ask for, but nothing large; of few it is asked nothing."""
        self.put(400)
        large = self.box / "cur" / "1772355999.M1P1.host:2,"
        octets = a_mail("foreign 399", "x" * (1 << 17))
        large.write_bytes(octets)
        folder = self.folder()
        self.asked.clear()
        found = result_of(folder.digested(range(2, 402), NAMES))
        self.assertEqual(self.asked, [ReadShown] * 7)
        self.assertEqual(found, {**self.expected(399), 401: tiny_shown(octets)[::-1]})
        self.asked.clear()
        result_of(folder.digested(range(2, 402), ("subject",)))
        self.assertEqual(self.asked, [])

    def test_writer_away(self) -> None:
        """What the writer cannot take is taken without it."""
        self.put(400)
        folder = self.folder()
        self.asked.clear()
        self.refused = {2: Unavailable("away"), 3: Unavailable("away")}
        self.assertEqual(result_of(folder.digested(range(2, 402), NAMES)), self.expected(400))

    def test_gone(self) -> None:
        """Files that are gone are left out, whoever should have read them."""
        self.put(400)
        folder = self.folder()
        for uid in (5, 390):
            os.unlink(self.box / folder.paths([uid])[0])
        expected = self.expected(400)
        del expected[5], expected[390]
        self.assertEqual(result_of(folder.digested(range(2, 402), NAMES)), expected)

    def test_refused_half_way(self) -> None:
        """When the writer goes away half way, those that have UIDs are known, and the others get theirs later."""
        self.put(650)
        self.refused = {3: Unavailable("away")}
        self.assertRaises(Unavailable, self.folder)
        self.assertLessEqual(self.asked.count(Adopt), 4)
        self.refused = {}
        folder = self.folder()
        self.assertEqual(len(folder.uids), 651)
        subjects = {octets for _, octets in result_of(folder.reads(list(folder.uids)))}
        self.assertEqual(len(subjects), 651)

    def test_folder_gone(self) -> None:
        """When the folder has gone meanwhile nothing is left to try again."""
        self.put(650)
        self.refused = {3: NotFound("gone"), 4: NotFound("gone")}
        names = [f"cur/{name}" for name in os.listdir(self.box / "cur") if "host" in name]
        self.assertFalse(result_of(self.store.adopt(MARIA, "INBOX", names)))
