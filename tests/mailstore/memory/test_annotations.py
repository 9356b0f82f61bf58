"""Annotations of the store in memory."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import NotFound, OverAllowance
from simmail.mailstore.memory.mailstore import MemoryMailStore
from tests.contracts.mailstores import result_of

MARIA = "maria@acme.test"


class AnnotationTests(SynchronousTestCase):
    """C{AnnotationsInMemory}."""

    def setUp(self) -> None:
        self.store = MemoryMailStore("main")
        result_of(self.store.create(MARIA))
        self.told: list[Any] = []
        self.store.annotations.listen(lambda *args: self.told.append(args))

    def write(self, folder: str, changes: dict[str, bytes | None]) -> None:
        result_of(self.store.annotations.write(MARIA, folder, changes, "me"))

    def test_written(self) -> None:
        """Of a folder or of the mailbox; only what has become another is told, with who did it."""
        self.write("inbox", {"/private/a": b"1", "/private/b": b"2"})
        self.write("INBOX", {"/private/a": b"1", "/private/b": None, "/private/c": None})
        self.write("", {"/shared/comment": b"x"})
        self.assertEqual(result_of(self.store.annotations.read(MARIA, "INBOX")), {"/private/a": b"1"})
        self.assertEqual(result_of(self.store.annotations.read(MARIA, "")), {"/shared/comment": b"x"})
        self.assertEqual(self.told, [
            (MARIA, "INBOX", ("/private/a", "/private/b"), "me"), (MARIA, "INBOX", ("/private/b",), "me"),
            (MARIA, "", ("/shared/comment",), "me")])

    def test_refused(self) -> None:
        """Of a folder that is not there, or more than there is room for: nothing changes."""
        self.assertRaises(NotFound, self.write, "Never", {"/private/a": b"1"})
        self.assertRaises(OverAllowance, self.write, "INBOX", {"/private/a": b"x" * (2 << 20), "/private/b": b"1"})
        self.assertEqual((result_of(self.store.annotations.read(MARIA, "INBOX")), self.told), ({}, []))
