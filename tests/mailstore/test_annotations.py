"""Annotations of folders and mailboxes of the store on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import NotFound
from simmail.mailstore.maildir.annotations import FILE
from tests.contracts.mailstores import DiskProvider, result_of

MARIA = "maria@acme.test"
COMMENT = "/private/comment"


class AnnotationTests(SynchronousTestCase):
    """C{Annotations}: read by the reader, written by the writer."""

    def setUp(self) -> None:
        self.path = Path(self.mktemp())
        self.provider = DiskProvider(str(self.path))
        self.addCleanup(lambda: self.provider.stop())
        self.store = self.provider.store
        result_of(self.store.create(MARIA))
        self.told: list[Any] = []
        self.store.annotations.listen(lambda *args: self.told.append(args))

    def write(self, folder: str, value: bytes | None, origin: object = None) -> None:
        result_of(self.store.annotations.write(MARIA, folder, {COMMENT: value}, origin))

    def read(self, folder: str) -> Any:
        return result_of(self.store.annotations.read(MARIA, folder))

    def test_durable(self) -> None:
        """What was answered outlives the process, and is told with who did it; what changes nothing is not told."""
        self.write("inbox", b"\0\xff", "me")
        self.write("INBOX", b"\0\xff", "me")
        self.assertEqual(self.told, [(MARIA, "INBOX", (COMMENT,), "me")])
        self.store = self.provider.crash()
        self.assertEqual((self.read("INBOX"), self.read("")), ({COMMENT: b"\0\xff"}, {}))

    def test_made(self) -> None:
        """A standard folder that was only shown is made for it; removing what is not there makes nothing."""
        self.write("Archive", None)
        self.assertFalse((self.path / "mail" / "main" / MARIA / ".Archive").exists())
        self.write("Archive", b"x")
        self.assertTrue((self.path / "mail" / "main" / MARIA / ".Archive" / FILE).exists())

    def test_spoilt(self) -> None:
        """A file that another program has spoilt says nothing, and is written anew."""
        self.write("INBOX", b"x")
        (self.path / "mail" / "main" / MARIA / FILE).write_bytes(b"{nonsense")
        self.assertEqual(self.read("INBOX"), {})
        self.write("INBOX", b"y")
        self.assertEqual(self.read("INBOX"), {COMMENT: b"y"})

    def test_nowhere(self) -> None:
        """There is no mailbox, or no folder, of that name."""
        for mailbox, folder in (("nobody@acme.test", ""), (MARIA, "Never"), (MARIA, "a//b")):
            self.assertRaises(NotFound, result_of, self.store.annotations.read(mailbox, folder))
            self.assertRaises(NotFound, result_of, self.store.annotations.write(mailbox, folder, {COMMENT: b"x"}))
        self.assertEqual(self.told, [])
