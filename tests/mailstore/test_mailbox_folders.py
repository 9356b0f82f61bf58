"""Folders are made, renamed and removed, and subscribed to, on disk and in memory alike."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Conflict, Invalid, NotFound
from tests.contracts.mailstores import AT, DiskProvider, MemoryProvider, a_mail, result_of

MARIA = "maria@acme.test"


class FolderCases:
    """What both promise."""

    provider: Any

    def begin(self: Any) -> None:
        self.store = self.provider.store
        result_of(self.store.create(MARIA))

    def names(self: Any) -> set[str]:
        return {one.name for one in result_of(self.store.folders(MARIA))}

    def folder(self: Any, name: str) -> Any:
        return result_of(self.store.folder(MARIA, name))

    def test_made(self: Any) -> None:
        """Once; with a use if one is given that may be."""
        result_of(self.store.create_folder(MARIA, "Work/2026", "\\Archive"))
        self.assertIn("Work/2026", self.names())
        self.assertEqual(self.folder("Work/2026").special_use, "\\Archive")
        self.assertRaises(Conflict, result_of, self.store.create_folder(MARIA, "Work/2026"))
        self.assertRaises(Invalid, result_of, self.store.create_folder(MARIA, "a//b"))
        self.assertRaises(Invalid, result_of, self.store.create_folder(MARIA, "x", "\\Never"))
        self.assertRaises(NotFound, result_of, self.store.create_folder("nobody@acme.test", "x"))

    def test_deleted(self: Any) -> None:
        """With its messages; of a standard one only these, and never INBOX."""
        result_of(self.store.create_folder(MARIA, "Work"))
        for name in ("Work", "Sent"):
            result_of(self.folder(name).append(a_mail("x"), [], AT))
            result_of(self.store.delete_folder(MARIA, name))
        self.assertNotIn("Work", self.names())
        self.assertEqual(self.folder("Sent").counts()[0], 0)
        self.assertRaises(NotFound, result_of, self.store.delete_folder(MARIA, "Work"))
        self.assertRaises(Conflict, result_of, self.store.delete_folder(MARIA, "inbox"))

    def test_renamed(self: Any) -> None:
        """With all below it; who holds it is told that it is gone."""
        for name in ("Work", "Work/2026"):
            result_of(self.store.create_folder(MARIA, name))
        held = self.folder("Work/2026")
        result_of(held.append(a_mail("x"), ["Key"], AT))
        result_of(self.store.rename_folder(MARIA, "Work", "Play"))
        self.assertEqual(self.names() & {"Work", "Work/2026", "Play", "Play/2026"}, {"Play", "Play/2026"})
        self.assertEqual(self.folder("Play/2026").entry(1).flags, {"Key"})
        self.assertRaises(NotFound, result_of, held.read(1))
        self.assertRaises(Conflict, result_of, self.store.rename_folder(MARIA, "Play", "Play/below"))
        self.assertRaises(Conflict, result_of, self.store.rename_folder(MARIA, "Play", "Sent"))
        self.assertRaises(NotFound, result_of, self.store.rename_folder(MARIA, "Work", "More"))

    def test_inbox_renamed(self: Any) -> None:
        """Its messages go to a new folder, and it is empty (RFC 3501 section 6.3.5)."""
        inbox = self.folder("INBOX")
        result_of(inbox.append(a_mail("x"), ["\\Seen"], AT))
        result_of(self.store.annotations.write(MARIA, "INBOX", {"/private/x": b"y"}))
        later = AT + timedelta(days=1)
        result_of(self.store.rename_folder(MARIA, "INBOX", "Old", later))
        old = self.folder("Old")
        self.assertEqual((inbox.counts()[0], old.entry(1).flags), (0, {"\\Seen"}))
        self.assertEqual(result_of(old.saved([1])), [later])
        self.assertEqual(result_of(self.store.annotations.read(MARIA, "Old")), {"/private/x": b"y"})

    def test_subscribed(self: Any) -> None:
        """To names, of folders or not, until no more."""
        before = result_of(self.store.subscribed(MARIA))
        result_of(self.store.subscribe(MARIA, "Never", True))
        result_of(self.store.subscribe(MARIA, "Sent", False))
        self.assertEqual(result_of(self.provider.restart().subscribed(MARIA)), before - {"Sent"} | {"Never"})


class DiskTests(FolderCases, SynchronousTestCase):
    """C{MailboxFolders}."""

    def setUp(self) -> None:
        self.provider = DiskProvider(self.mktemp())
        self.addCleanup(lambda: self.provider.stop())
        self.begin()


class MemoryTests(FolderCases, SynchronousTestCase):
    """The store in memory."""

    def setUp(self) -> None:
        self.provider = MemoryProvider(self.mktemp())
        self.begin()
