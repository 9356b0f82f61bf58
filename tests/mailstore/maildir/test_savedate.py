"""When messages were saved: in the Maildir, whatever becomes of the index and of the process."""

from __future__ import annotations

import errno
import os
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Unavailable
from simmail.mailstore.maildir import flaglog, savedate
from tests.contracts.mailstores import AT, DiskProvider, a_delivery, a_mail, result_of

MARIA = "maria@acme.test"
LATER = AT + timedelta(days=3)


class SavedTests(SynchronousTestCase):
    """A store on disk."""

    def setUp(self) -> None:
        self.path = self.mktemp()
        self.provider = DiskProvider(self.path)
        result_of(self.provider.store.accept(a_delivery(0, MARIA)))

    def tearDown(self) -> None:
        self.provider.stop()

    def folder(self, name: str = "INBOX") -> Any:
        return result_of(self.provider.store.folder(MARIA, name))

    def file(self) -> Path:
        """That of the INBOX."""
        return next(Path(self.path).glob(f"mail/*/{MARIA}")) / savedate.FILE

    def test_delivered(self) -> None:
        """What is saved at its own date costs no file: a delivery, a message appended, several together."""
        folder = self.folder()
        result_of(folder.append(a_mail("now"), (), AT, AT))
        result_of(folder.append_all([(a_mail("one"), (), AT), (a_mail("two"), (), AT)], AT))
        self.assertFalse(self.file().exists())
        self.assertEqual(result_of(folder.saved([1, 2, 3, 4])), [AT] * 4)
        result_of(folder.append_all([(a_mail("one"), (), AT), (a_mail("two"), (), LATER)], LATER))
        self.assertEqual(result_of(folder.saved([5, 6])), [LATER, LATER])
        self.assertEqual(self.file().read_text().count("\n"), 1)

    def test_index_gone(self) -> None:
        """It does not need the index, nor an orderly end."""
        result_of(self.folder().append(a_mail("old"), (), AT, LATER))
        self.provider.die()
        shutil.rmtree(f"{self.path}/index")
        self.provider.start()
        self.assertEqual(result_of(self.folder().saved([1, 2])), [AT, LATER])

    def test_refused(self) -> None:
        """Where it cannot be noted nothing is appended or copied, and what was half written counts for nothing."""
        folder = self.folder()
        result_of(folder.append(a_mail("old"), (), AT, LATER))
        real, begun = os.write, list[int]()

        def half(fd: int, octets: Any) -> int:
            if os.readlink(f"/proc/self/fd/{fd}").endswith(savedate.FILE):
                if begun:
                    raise OSError(errno.ENOSPC, f"full behind {begun.pop()} octets")
                begun.append(real(fd, octets[:5]))
                return begun[0]
            return real(fd, octets)

        trouble = self.patch(os, "write", half)
        self.assertRaises(Unavailable, result_of, folder.append(a_mail("new"), (), AT, LATER))
        self.assertRaises(Unavailable, result_of, folder.copy([1], self.folder("Archive"), LATER))
        trouble.restore()
        self.assertEqual(len(self.file().read_text().splitlines()), 1)
        self.assertEqual(list(folder.uids), [1, 2])
        uid = result_of(folder.append(a_mail("newer"), (), AT, LATER + timedelta(1)))
        self.assertEqual(result_of(folder.saved([2, uid])), [LATER, LATER + timedelta(1)])

    def test_damaged(self) -> None:
        """Lines that cannot be understood are none, and so is one that was cut short."""
        uid = result_of(self.folder().append(a_mail("old"), (), AT, LATER))
        with self.file().open("a") as file:
            file.write(f"nonsense\n99999999999999999999 {uid}\n\xe9 1\n12 1,{uid}")
        self.assertEqual(result_of(self.folder().saved([1, uid])), [AT, LATER])

    def test_compact(self) -> None:
        """What is gone does not stay in the file for ever."""
        self.patch(savedate, "_STEP", 400)
        folder = self.folder()
        expected = {1: AT}
        for number in range(60):
            at = LATER + timedelta(seconds=number // 7)
            uid = result_of(folder.append(a_mail(f"n{number}"), (), AT, at))
            expected[uid] = at
            if number % 10:
                result_of(folder.expunge([uid]))
                del expected[uid]
        self.assertLess(self.file().stat().st_size, 700)
        self.assertEqual(result_of(folder.saved(list(folder.uids))), list(expected.values()))
        self.provider.die()
        self.provider.start()
        folder = self.folder()
        self.assertEqual(dict(zip(folder.uids, result_of(folder.saved(list(folder.uids))))), expected)

    def test_full_disk(self) -> None:
        """Where the file cannot be opened, the client is told that it is not taken."""
        real = os.open

        def full(path: Any, flags: int, *args: Any, **kwargs: Any) -> int:
            if str(path).endswith(savedate.FILE):
                raise OSError(errno.ENOSPC, "full")
            return real(path, flags, *args, **kwargs)

        self.patch(os, "open", full)
        self.assertRaises(Unavailable, result_of, self.folder().append(a_mail("new"), (), AT, LATER))

    @given(st.lists(st.tuples(st.integers(0, 3), st.sets(st.integers(1, 20), min_size=1)), max_size=6),
           st.sets(st.integers(1, 20)))
    def test_last_holds(self, changes: list[tuple[int, set[int]]], asked: set[int]) -> None:
        """The last line about a message holds; others have their own date."""
        expected = dict.fromkeys(range(1, 21), -1)
        text = ""
        for at, uids in changes:
            text += f"{at} {flaglog.shown(sorted(uids))}\n"
            expected.update(dict.fromkeys(uids, at))
        directory = self.file().parent
        (directory / savedate.FILE).write_text(text)
        root = os.open(directory, os.O_RDONLY)
        try:
            self.assertEqual(savedate.find(root, ".", sorted(asked), [-1] * len(asked)),
                             [expected[uid] for uid in sorted(asked)])
        finally:
            os.close(root)
