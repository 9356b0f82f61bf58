"""Flags that are noted and not in the names of files yet."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from simmail.mailstore.maildir import flaglog
from simmail.mailstore.maildir.filename import SEEN, mask_of
from tests.mailstore.maildirs import MaildirTestCase

UIDS = st.sets(st.integers(1, 2000)).map(sorted)


class FlagLogTests(MaildirTestCase):
    """One folder's log."""

    def setUp(self) -> None:
        super().setUp()
        self.deliver(1)
        self.directory = self.folder().directory

    def append(self, octets: bytes) -> None:
        flaglog.append(self.layout.root, self.directory, octets)

    def read(self) -> list[tuple[int, int, list[int]]]:
        return [(one.modseq, one.mask, [uid for uids in one.uids for uid in uids])
                for one in flaglog.read(self.layout.root, self.directory)]

    @given(UIDS)
    def test_runs(self, uids: list[int]) -> None:
        """UIDs are written in runs and read again."""
        text = flaglog.shown(uids)
        self.assertEqual([uid for run in flaglog.ranges(text) for uid in run], uids)

    def test_short(self) -> None:
        """Neighbours are one run."""
        self.assertEqual(flaglog.shown([1, 2, 3, 7, 9, 10]), "1:3,7,9:10")
        self.assertEqual((flaglog.shown([]), flaglog.line(5, SEEN, [])), ("", b""))

    def test_lines(self) -> None:
        """Lines are read in order; no flags are told as such."""
        self.append(flaglog.line(5, mask_of("FS"), [1, 2, 3]) + flaglog.line(6, 0, [2]))
        self.append(flaglog.line(0, SEEN, [9]))
        self.assertEqual(self.read(), [(5, mask_of("FS"), [1, 2, 3]), (6, 0, [2]), (0, SEEN, [9])])
        self.assertTrue(flaglog.is_marked(self.layout.root, self.directory))

    @given(st.binary(max_size=60))
    def test_garbage(self, octets: bytes) -> None:
        """Lines that cannot be understood, and half a line at the end, are none; those before and behind are."""
        flaglog.clear(self.layout.root, self.directory)
        garbage = octets.replace(b"\n", b"") + b" x\n"
        self.append(flaglog.line(5, SEEN, [1]) + garbage + flaglog.line(6, 0, [1]) + b"7 S 3")
        self.assertEqual(self.read(), [(5, SEEN, [1]), (6, 0, [1])])

    def test_cleared(self) -> None:
        """After that there is none, however often it is asked for."""
        self.append(flaglog.line(5, SEEN, [1]))
        for _ in range(2):
            flaglog.clear(self.layout.root, self.directory)
            self.assertFalse(flaglog.is_marked(self.layout.root, self.directory))
            self.assertEqual(self.read(), [])

    def test_disk_full(self) -> None:
        """Of lines that could not be written nothing is there."""
        self.append(flaglog.line(5, SEEN, [1]))
        real, calls = os.write, list[int]()

        def write(fd: int, octets: Any) -> int:
            calls.append(fd)
            if len(calls) == 2:
                raise OSError(28, "full")
            return real(fd, octets[:4])
        self.patch(os, "write", write)
        self.assertRaises(OSError, self.append, flaglog.line(6, SEEN, [2]))
        self.assertEqual(self.read(), [(5, SEEN, [1])])

    def test_no_file(self) -> None:
        """A pipe in its place holds nobody up."""
        os.mkfifo(f"{self.layout.path}/{self.directory}/{flaglog.FILE}")
        self.assertEqual(self.read(), [])
