"""Texts in the mail of one folder, or of many, whatever the index has learned of it."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings, strategies as st

from simmail.core.message.folding import fold
from simmail.errors import NotFound
from simmail.mailstore.index import search
from tests.contracts.mailstores import AT, a_mail, result_of
from tests.mailstore.folders import MARIA, FolderCase


class SearchTests(FolderCase):
    """C{containing} of a folder, and of a store."""

    def test_one(self) -> None:
        """In any of some fields, whatever the case; in slices, some known and some not."""
        self.patch(search, "LOOKED", 3)
        self.fill(10)
        result_of(self.folder.digests([2, 3, 4]))
        for _ in range(2):
            self.assertEqual(result_of(self.folder.containing(("in_subject", "in_body"), "MAIL 7")), [8])
            self.assertEqual(result_of(self.folder.containing(("in_body",), "mail 7")), [])
            self.assertEqual(result_of(self.folder.containing(("in_body",), "hello")), list(range(1, 11)))

    def test_gone(self) -> None:
        """A folder that is gone is no hindrance to the others; asked alone, it is gone."""
        self.fill(2)
        result_of(self.store.create_folder(MARIA, "Work"))
        work = self.loaded("Work")
        result_of(work.append(a_mail("mail 1"), [], AT))
        result_of(self.store.delete_folder(MARIA, "Work"))
        found = result_of(self.store.containing([work, self.folder], [(("in_subject",), "mail 1")]))
        self.assertEqual([list(uids) for uids in found], [[], [2]])
        self.assertRaises(NotFound, result_of, work.containing(("in_subject",), "mail 1"))

    def test_expunged(self) -> None:
        """What was expunged is not found any more."""
        self.fill(3)
        self.assertEqual(result_of(self.folder.containing(("in_subject",), "mail")), [1, 2, 3])
        result_of(self.folder.expunge([2]))
        self.assertEqual(result_of(self.folder.containing(("in_subject",), "mail")), [1, 3])

    def test_any(self) -> None:
        """The answer is that of a plain comparison of all messages."""
        words = ["apple", "apples", "pear", "Äpfel", "a%b", "a_b", "x"]

        @settings(max_examples=15, deadline=None)
        @given(st.lists(st.sampled_from(words), max_size=4), st.sampled_from([*words, "p", "PP", "zz", "", "%", "_"]))
        def same(bodies: list[str], text: str) -> None:
            uids: dict[int, str] = {}
            for body in bodies:
                uids[result_of(self.folder.append(a_mail("s", f"{body}\r\n"), [], AT))] = body
            every: list[int] = result_of(self.folder.containing(("in_body",), text))
            self.assertEqual([uid for uid in every if uid in uids],
                             [uid for uid, body in uids.items() if fold(text) in fold(f"{body}\r\n")])

        same()


class PackTests(FolderCase):
    """Many folders are asked for together."""

    def test_packs(self) -> None:
        """As many as have not too many messages together."""
        self.patch(search, "LOOKED", 5)
        counted: list[Any] = []
        for number, count in enumerate((2, 4, 1, 6)):
            result_of(self.store.create_folder(MARIA, f"F{number}"))
            folder = self.loaded(f"F{number}")
            for one in range(count):
                result_of(folder.append(a_mail(f"wanted {one}"), [], AT))
            counted.append(folder)
        self.assertEqual(list(search._packs(counted, range(4))), [[0], [1, 2], [3]])
        found = result_of(self.store.containing(counted, [(("in_subject",), "wanted 1")]))
        self.assertEqual([list(uids) for uids in found], [[2], [2], [], [2]])
