"""Changes of messages that are in a folder."""

from __future__ import annotations

import os

from simmail.core.records.delivery import ReplacedMessage
from simmail.errors import NotFound
from simmail.mailstore.delivery import changes
from simmail.mailstore.journal.records import Departure
from simmail.mailstore.maildir import flaglog
from simmail.mailstore.maildir.filename import SEEN, packed
from tests.mailstore.maildirs import AT, MARIA, MaildirTestCase, TOM


class ChangeTests(MaildirTestCase):
    """An INBOX with three messages, UIDVALIDITY 77."""

    def setUp(self) -> None:
        super().setUp()
        self.deliver(1, 2, 3)
        self.modseq = self.folder().uids.highestmodseq

    def test_renamed(self) -> None:
        """Files are renamed under one MODSEQ; of those that are not there the position is told."""
        old = self.files()
        new = [f"cur/d-{number},U={number},S=1:2,S" for number in (1, 2, 3)]
        done = changes.RenameFiles(
            AT, MARIA, "INBOX", packed([old[0], "new/none,U=9,S=1", old[2]]), packed(new), 1).do(self.folders)
        self.assertEqual((done.modseq, done.failed), (self.modseq + 1, [1]))
        self.assertEqual(self.files(), [new[0], old[1], new[2]])
        self.assertNotEqual(done.before, done.after)
        self.assertEqual(self.departures, [])

    def test_renamed_quietly(self) -> None:
        """Without a MODSEQ of its own the answer has the one that is."""
        done = changes.RenameFiles(
            AT, MARIA, "INBOX", packed(self.files()[:1]), packed(["cur/d-1,U=1,S=1:2,S"]), 0).do(self.folders)
        self.assertEqual((done.modseq, self.folder().uids.highestmodseq), (self.modseq, self.modseq))

    def test_odd_names(self) -> None:
        """A name that is no UTF-8 can be renamed."""
        odd = os.fsdecode(b"cur/\xff\xfe,U=4,S=1:2,")
        self.put(odd)
        changes.RenameFiles(AT, MARIA, "INBOX", packed([odd]), packed([odd + "S"]), 1).do(self.folders)
        self.assertEqual(self.files()[3], odd + "S")

    def test_removed(self) -> None:
        """Files go; it is told of all that were asked for, also of those that were gone."""
        files = self.files()
        done = changes.RemoveFiles(AT, MARIA, "INBOX", packed([files[0], "new/none,U=9,S=1"])).do(self.folders)
        self.assertEqual((done.modseq, done.failed, self.files()), (self.modseq + 1, [1], files[1:]))
        self.assertEqual(self.departures, [Departure("main", MARIA, "INBOX", 77, (1, 9))])
        self.assertEqual(self.folder().uids.expunged, self.modseq + 1)

    def test_removed_half(self) -> None:
        """When the disk refuses half way it is told of those that are gone, and the lock is let go."""
        files, real = self.files(), os.unlink

        def unlink(path: str, **where: int) -> None:
            if "d-2" in path:
                raise OSError(5, "broken")
            real(path, **where)
        trouble = self.patch(os, "unlink", unlink)
        self.assertRaises(OSError, changes.RemoveFiles(AT, MARIA, "INBOX", packed(files)).do, self.folders)
        trouble.restore()
        self.assertEqual((self.files(), [one.uids for one in self.departures]), (files[1:], [(1,)]))
        changes.RemoveFiles(AT, MARIA, "INBOX", packed(files[1:])).do(self.folders)
        self.assertEqual(self.files(), [])

    def test_modseq(self) -> None:
        """What was noticed uses up a MODSEQ; of messages that are gone it is told."""
        self.assertEqual(changes.BumpModseq(AT, MARIA, "INBOX", []).do(self.folders), self.modseq + 1)
        self.assertEqual((self.departures, self.folder().uids.expunged), ([], 0))
        self.assertEqual(changes.BumpModseq(AT, MARIA, "INBOX", [2, 3]).do(self.folders), self.modseq + 2)
        self.assertEqual(([one.uids for one in self.departures], self.folder().uids.expunged), (
            [(2, 3)], self.modseq + 2))

    def test_noted(self) -> None:
        """Flags are noted with one MODSEQ, or none, and forgotten together."""
        groups = [(SEEN, [1, 2]), (0, [3])]
        self.assertEqual(changes.NoteFlags(AT, MARIA, "INBOX", groups, 1).do(self.folders), self.modseq + 1)
        self.assertEqual(changes.NoteFlags(AT, MARIA, "INBOX", [(0, [1])], 0).do(self.folders), 0)
        read = flaglog.read(self.layout.root, self.folder().directory)
        self.assertEqual([(one.modseq, one.mask) for one in read], [
            (self.modseq + 1, SEEN), (self.modseq + 1, 0), (0, 0)])
        changes.ClearFlagLog(AT, MARIA, "INBOX").do(self.folders)
        self.assertEqual(flaglog.read(self.layout.root, self.folder().directory), [])

    def test_keywords(self) -> None:
        """Keywords get places, each once, whatever their case, until there is no room."""
        def define(keywords: list[str], used: int) -> tuple[bool, tuple[str, ...]]:
            return changes.DefineKeywords(AT, MARIA, "INBOX", keywords, used).do(self.folders)
        self.assertEqual(define(["Red", "blue"], 0), (True, ("Red", "blue")))
        self.assertEqual(define(["RED", "green"], 0b11), (True, ("Red", "blue", "green")))
        enough, table = define([f"k{number}" for number in range(30)], (1 << 26) - 1)
        self.assertEqual((enough, len(table)), (False, 26))

    def test_not_there(self) -> None:
        """A folder that is not there is not made."""
        self.assertRaises(NotFound, changes.BumpModseq(AT, TOM, "INBOX", []).do, self.folders)
        self.assertRaises(NotFound, changes.BumpModseq(AT, MARIA, "Projects", []).do, self.folders)

    def test_replaced(self) -> None:
        """A message that has a successor goes, under whatever name it has by now; once."""
        files = self.files()
        self.assertIsNone(changes.remove_replaced(self.folders, ReplacedMessage(TOM, "INBOX", 1, files[0])))
        self.assertIsNone(changes.remove_replaced(self.folders, ReplacedMessage(MARIA, "INBOX", 9, "new/none")))
        renamed = ReplacedMessage(MARIA, "INBOX", 2, "cur/d-2,U=2,S=1:2,S")
        done = changes.remove_replaced(self.folders, renamed)
        assert done is not None
        self.assertEqual((done.modseq, self.files()), (self.modseq + 1, [files[0], files[2]]))
        self.assertEqual(self.departures, [Departure("main", MARIA, "INBOX", 77, (2,))])
        self.assertIsNone(changes.remove_replaced(self.folders, renamed))
