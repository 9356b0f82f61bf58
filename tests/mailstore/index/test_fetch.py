"""What the index knows of messages, and what it looks at because it does not know it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred, fail

from simmail.errors import NotFound, Unavailable
from tests.contracts.mailstores import a_mail, result_of, tiny_digest
from tests.mailstore.folders import MARIA, FolderCase


class FetchTests(FolderCase):
    """C{digests}, C{digested}, C{columns}, C{kept_text}."""

    def test_digests(self) -> None:
        """Of those messages that are there, once taken and once known."""
        self.fill(3)
        for _ in range(2):
            self.assertEqual(result_of(self.folder.digests([3, 9, 1])), {
                uid: tiny_digest(a_mail(f"mail {uid - 1}")) for uid in (1, 3)})
        self.assertEqual(result_of(self.folder.digests([])), {})

    def test_columns(self) -> None:
        """In the order that was asked for, whether all are known, none or some."""
        self.fill(4)
        result_of(self.folder.digests([2]))
        for _ in range(2):
            self.assertEqual(result_of(self.folder.columns([4, 2, 7, 1], ("subject", "format"))), (
                [4, 2, 1], [["mail 3", "mail 1", "mail 0"], ["html"] * 3]))
        self.assertEqual(result_of(self.folder.columns([], ("subject",))), ([], [[]]))
        self.assertEqual(result_of(self.folder.digested([1], ("subject",))), {1: ("mail 0",)})

    def test_columns_again(self) -> None:
        """What FETCH shows of many messages is answered without the index when they are asked for again."""
        self.fill(40)
        names, uids = ("envelope", "structure"), range(1, 41)
        result_of(self.folder.digests(uids))
        found = result_of(self.folder.columns(uids, names))
        result_of(self.folder.columns(uids, ("subject",)))
        self.patch(self.store.index, "call", lambda *args: fail(RuntimeError("asked")))
        self.assertEqual(result_of(self.folder.columns(uids, names)), found)
        for some, fields in ((uids[1:], names), (uids[:-1], names), (uids, names[:1]), (uids, ("subject",))):
            self.assertRaises(RuntimeError, result_of, self.folder.columns(some, fields))

    def test_columns_unread(self) -> None:
        """Of a message that cannot be read nothing is remembered."""
        self.fill(40)
        uids, names = range(1, 41), ("envelope", "structure")
        result_of(self.folder.digests(uids[:-1]))
        path = next(Path(self.path, "mail").rglob("*,U=40,*"))
        octets = path.read_bytes()
        path.unlink()
        path.mkdir()
        before = result_of(self.folder.columns(uids, names))
        path.rmdir()
        path.write_bytes(octets)
        self.assertNotEqual(result_of(self.folder.columns(uids, names)), before)

    def test_kept_text(self) -> None:
        """A text is answered if it is known; nothing is done to find it out."""
        self.fill(1)
        self.assertIsNone(result_of(self.folder.kept_text(1)))
        result_of(self.folder.digests([1]))
        self.provider.clock.pump([0.2] * 4)
        self.assertEqual(result_of(self.folder.kept_text(1)), "Hello\r\n")
        self.assertIsNone(result_of(self.folder.kept_text(9)))

    def test_index_away(self) -> None:
        """Without the index each message is looked at again."""
        self.fill(20)

        def away(*args: Any) -> Deferred[Any]:
            return fail(Unavailable("the index is away"))

        self.patch(self.store.index, "call", away)
        for _ in range(2):
            self.assertEqual(result_of(self.folder.digested([20, 3], ("subject",))), {20: ("mail 19",), 3: ("mail 2",)})
        self.assertIsNone(result_of(self.folder.kept_text(1)))

    def test_folder_gone(self) -> None:
        """Of a folder that is gone nothing is known."""
        result_of(self.store.create_folder(MARIA, "Work"))
        work = self.loaded("Work")
        result_of(self.store.delete_folder(MARIA, "Work"))
        self.assertRaises(NotFound, result_of, work.digests([1]))
        self.assertRaises(NotFound, result_of, work.kept_text(1))
