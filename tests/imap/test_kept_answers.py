"""Answers that are kept."""

from __future__ import annotations

from array import array
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.imap import kept_answers
from simmail.imap.kept_answers import LONGEST, KeptAnswer, KeptAnswers


class _Folder:
    """One folder is no other."""


class KeptAnswersTests(SynchronousTestCase):
    """C{KeptAnswers}."""

    def setUp(self) -> None:
        self.answers = KeptAnswers()
        self.folder: Any = _Folder()
        self.uids = array("I", [3, 5])
        self.numbers = array("I", [1, 2])

    def find(self, folder: Any = None, kind: bytes = b"A", uids: Any = None, numbers: Any = None) -> bytes | None:
        return self.answers.find(folder or self.folder, kind, uids or self.uids, numbers or self.numbers)

    def test_same(self) -> None:
        """Only the same question about the same messages, called the same, has the same answer."""
        self.answers.keep(self.folder, b"A", KeptAnswer(self.uids, self.numbers, b"x"))
        self.assertEqual(self.find(), b"x")
        self.assertEqual(self.find(uids=array("I", [3, 5])), b"x")
        for other in ({"folder": _Folder()}, {"kind": b"B"}, {"uids": array("I", [3, 6])}, {"uids": array("I", [3])},
                      {"numbers": self.uids}):
            self.assertIsNone(self.find(**other))
        self.answers.keep(self.folder, b"A", KeptAnswer(self.uids, self.uids, b"y"))
        self.assertEqual((self.find(), self.find(numbers=self.uids)), (None, b"y"))

    def test_room(self) -> None:
        """Long answers are not kept, and those used last are."""
        self.answers.keep(self.folder, b"A", KeptAnswer(self.uids, self.numbers, b"x" * (LONGEST + 1)))
        self.assertIsNone(self.find())
        self.patch(self.answers._kept, "room", 250)
        folders: list[Any] = [_Folder() for _ in range(3)]
        for folder in folders:
            self.answers.keep(folder, b"A", KeptAnswer(self.uids, self.numbers, b"x" * 100))
            self.find(folders[0])
        self.assertEqual([self.find(folder) is not None for folder in folders], [True, False, True])
        self.assertEqual(kept_answers._cost(KeptAnswer(self.uids, self.uids, b"x")), 9)

    def test_folder_gone(self) -> None:
        """An answer keeps no folder alive, and is nobody else's."""
        self.answers.keep(self.folder, b"A", KeptAnswer(self.uids, self.numbers, b"x"))
        self.folder = None
        self.folder = _Folder()
        self.assertIsNone(self.find())
