"""The store on disk: what its contract with the one in memory does not say."""

from __future__ import annotations

import os
from pathlib import Path

from twisted.logger import capturedLogs
from twisted.internet.defer import Deferred, fail
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Invalid, NotFound, Unavailable
from simmail.mailstore.index.index import Index
from tests.contracts.mailstores import AT, DiskProvider, a_delivery, a_mail, result_of

MARIA, TOM = "maria@acme.test", "tom@acme.test"


class StoreTests(SynchronousTestCase):
    """C{MailStore}."""

    def setUp(self) -> None:
        self.path = Path(self.mktemp())
        self.provider = DiskProvider(str(self.path))
        self.addCleanup(lambda: self.provider.stop())
        self.store = self.provider.store

    def test_ids(self) -> None:
        """An id of a delivery becomes part of a name of a file, so it may be no other than that."""
        for id in ("", "a/b", "../x", "a,b", "x" * 65, "a\0"):
            delivery = a_delivery(1, MARIA)
            self.assertRaises(Invalid, result_of, self.store.accept(type(delivery)(
                id, "main", delivery.placements, delivery.octets, AT)))
        self.assertEqual(self.store.mailboxes(), [])

    def test_checked(self) -> None:
        """Names and flags are spelled one way before they are on disk, and the universe is the store's own."""
        delivery = a_delivery(1, (MARIA, "inbox", ("\\seen", "Work", "work")))
        (copy,) = result_of(self.store.accept(type(delivery)(
            "d-1", "other", delivery.placements, delivery.octets, AT, b"owed")))
        self.assertEqual(copy.folder, "INBOX")
        folder = result_of(self.store.folder(MARIA, "Inbox"))
        self.assertEqual(folder.entry(1).flags, {"\\Seen", "work"})
        self.assertEqual(result_of(self.store.uncommitted()), ["d-1"])

    def test_no_index(self) -> None:
        """The index is a convenience: removed while the store runs or rests, nothing is missed."""
        for number in range(3):
            result_of(self.store.accept(a_delivery(number, MARIA)))
        before = result_of(result_of(self.store.folder(MARIA, "INBOX")).digests([1, 2, 3]))
        self.assertEqual(sorted(before), [1, 2, 3])
        result_of(self.store.index.call(Index.erase))
        self.assertEqual(result_of(result_of(self.store.folder(MARIA, "INBOX")).digests([1, 2, 3])), before)
        self.provider.stop()
        for name in os.listdir(self.path / "index"):
            os.unlink(self.path / "index" / name)
        self.store = self.provider.start()
        self.assertEqual(result_of(result_of(self.store.folder(MARIA, "INBOX")).digests([1, 2, 3])), before)

    def test_gone_meanwhile(self) -> None:
        """A mailbox that another program removes is gone within a second, with all that is known of it."""
        result_of(self.store.accept(a_delivery(1, MARIA, TOM)))
        folder = result_of(self.store.folder(MARIA, "INBOX"))
        kinds: list[str] = []
        folder.listen(lambda change: kinds.append(change.kind))
        (self.path / "mail" / "main" / MARIA).rename(self.path / "elsewhere")
        self.provider.clock.advance(1.5)
        self.assertEqual((self.store.mailboxes(), kinds), ([TOM], ["reset"]))
        self.assertRaises(NotFound, result_of, folder.read(1))
        self.assertEqual(set(result_of(self.store.counts())), {TOM})

    def test_nobody_waits(self) -> None:
        """What goes wrong where nobody waits is logged, unless it was only refused."""
        with capturedLogs() as events:
            self.store.later(fail(NotFound("gone")))
        self.assertEqual(events, [])
        self.store.later(fail(ValueError("odd")))
        self.assertEqual(len(self.flushLoggedErrors(ValueError)), 1)

    def test_closed(self) -> None:
        """A store that is closed takes no more, once; an unknown folder of it is as it was on disk."""
        result_of(self.store.accept(a_delivery(1, MARIA)))
        for _ in range(2):
            closing: Deferred[None] = self.store.close()
            self.assertIsNone(result_of(closing))
        self.provider.journal.writer._stopped = True
        self.assertRaises(Unavailable, result_of, self.store.accept(a_delivery(2, MARIA)))
        self.provider.journal.writer._stopped = False
        result_of(self.provider.journal.close())
        self.store = self.provider.start()
        self.assertEqual(result_of(result_of(self.store.folder(MARIA, "INBOX")).read(1)), a_mail("mail 1"))

    def test_no_disk(self) -> None:
        """Where the mail cannot be, the store says so instead of beginning."""
        (self.path / "file").write_text("x")
        self.provider.stop()
        real, self.provider.path = self.provider.path, str(self.path / "file")
        self.assertRaises((Unavailable, OSError), self.provider.start)
        self.provider.path = real
        self.store = self.provider.start()
