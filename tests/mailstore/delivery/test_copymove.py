"""Messages that come into a folder from another one."""

from __future__ import annotations

import os
from typing import Any

from simmail.errors import NotFound
from simmail.mailstore.delivery.changes import DefineKeywords
from simmail.mailstore.delivery.copymove import Sources, Transfer
from simmail.mailstore.delivery.folders import SYSTEM_MASK
from simmail.mailstore.journal.records import Departure, Destination
from simmail.mailstore.maildir import savedate
from simmail.mailstore.maildir.filename import Row, SEEN, packed, parse
from tests.contracts.mailstores import a_delivery
from tests.mailstore.maildirs import AT, MARIA, MaildirTestCase, TOM


class TransferTests(MaildirTestCase):
    """Three messages in an INBOX, the second of which is read and has a keyword."""

    def setUp(self) -> None:
        super().setUp()
        self.deliver(1)
        self.maildirs.file(a_delivery(2, (MARIA, "INBOX", ("\\Seen", "red"))))
        self.deliver(3)
        self.deliver(9, to=TOM)
        DefineKeywords(AT, TOM, "INBOX", ["blue"], 0).do(self.folders)
        self.red = 1 << SYSTEM_MASK.bit_length()
        self.rows = []
        for path in self.files():
            key, uid, size, _ = parse(path[4:]) or ("", 0, 0, None)
            mask = SEEN | self.red if uid == 2 else 0
            self.rows.append(Row(uid, mask, size, 7, 1, not mask, key))

    def transfer(self, move: bool, paths: list[str] | None = None, saved: int | None = None) -> Any:
        sources = Sources(
            packed(paths or self.files()), packed(row.key for row in self.rows), [row.size for row in self.rows],
            [row.mask for row in self.rows], {0: (), self.red: ("red",)}, saved)
        return Transfer(AT, MARIA, "INBOX", sources, (TOM, "INBOX"), move).do(self.folders)

    def test_copied(self) -> None:
        """Copies have the next UIDs and the flags of the folder they are in; the others stay."""
        before = self.files()
        done = self.transfer(False)
        self.assertEqual((done.uid, done.missing, done.table, done.source), (2, [], ("blue", "red"), None))
        self.assertEqual((self.files(), self.departures), (before, []))
        self.assertEqual(self.keys(TOM), ["d-9", "d-1", "d-2", "d-3"])
        rows = done.rows(self.rows)
        self.assertEqual([(row.uid, row.mask, row.recent, row.modseq - done.modseq) for row in rows], [
            (2, 0, True, 0), (3, SEEN | self.red << 1, False, 1), (4, 0, True, 2)])
        self.assertTrue(self.files(TOM)[2].endswith(":2,Sb"))

    def test_moved(self) -> None:
        """Of a move it is told where they went, and the source has a MODSEQ for it."""
        modseq = self.folder().uids.highestmodseq
        done = self.transfer(True)
        self.assertEqual((self.files(), self.keys(TOM)), ([], ["d-9", "d-1", "d-2", "d-3"]))
        self.assertEqual(done.source.modseq, modseq + 1)
        uidvalidity = self.folder(TOM).uids.uidvalidity
        self.assertEqual(self.departures, [
            Departure("main", MARIA, "INBOX", 77, (1, 2, 3), Destination(TOM, "INBOX", uidvalidity, (2, 3, 4)))])
        # What came is known: it is not filed again.
        self.assertEqual(self.maildirs.file(a_delivery(1, TOM)).copies[0].uid, 2)

    def test_missing(self) -> None:
        """A file that is not there is told, the others go; its UID is left out."""
        paths = self.files()
        os.unlink(f"{self.layout.path}/{self.folder().directory}/{paths[1]}")
        done = self.transfer(True, paths)
        self.assertEqual((done.missing, [row.uid for row in done.rows(self.rows)]), ([1], [2, 4]))
        to = self.departures[0].to
        assert to is not None
        self.assertEqual((self.departures[0].uids, to.uids), ((1, 3), (2, 4)))

    def test_refused(self) -> None:
        """When the disk refuses half way nothing of the slice is copied or moved; UIDs are not given again."""
        for move, name in ((False, "link"), (True, "rename")):
            before, real, calls = self.files(), getattr(os, name), list[str]()

            def refuse(*args: Any, real: Any = real, calls: list[str] = calls, **where: int) -> None:
                calls.append(args[0])
                if len(calls) == 3:
                    raise OSError(28, "full")
                real(*args, **where)
            trouble = self.patch(os, name, refuse)
            self.assertRaises(OSError, self.transfer, move)
            trouble.restore()
            self.assertEqual((self.files(), self.keys(TOM), self.departures), (before, ["d-9"], []))
        self.assertEqual(self.transfer(False).uid, 8)

    def test_saved(self) -> None:
        """When they were put there is noted, where that is not their own date."""
        self.transfer(False, saved=12345)
        directory = self.folder(TOM).directory
        self.assertEqual(savedate.find(self.layout.root, directory, [1, 2, 4], [5, 5, 5]), [5, 12345, 12345])

    def test_no_target(self) -> None:
        """A folder that is not there is not made."""
        nothing = Transfer(AT, MARIA, "INBOX", Sources(b"", b"", [], [], {}), (TOM, "Projects"), False)
        self.assertRaises(NotFound, nothing.do, self.folders)
