"""Reading the files of messages."""

from __future__ import annotations

import errno
import os
from typing import Any

from simmail.mailstore.maildir import files
from simmail.mailstore.maildir.files import Stub, read_files, shown_of, stub, verdicts_of
from tests.contracts.mailstores import a_mail, tiny_shown
from tests.mailstore.maildirs import MaildirTestCase


class Zebras:
    """Looks for an animal."""

    def verdict(self, octets: bytes) -> bool | None:
        return None if b"perhaps" in octets else b"zebra" in octets


class FileTests(MaildirTestCase):
    """A folder with two messages."""

    def setUp(self) -> None:
        super().setUp()
        self.deliver(1, 2)
        self.directory, self.paths = self.folder().directory, self.files()

    def read(self, *paths: str | None) -> list[bytes | None]:
        return read_files(self.layout, self.directory, paths)

    def test_read(self) -> None:
        """Whole messages, in the order asked; none where there is no file, alone or with others."""
        mails: list[bytes | None] = [a_mail("mail 1"), a_mail("mail 2")]
        self.assertEqual(self.read(*self.paths), mails)
        found = self.read(self.paths[1], None, "cur/none", "", self.paths[0])
        self.assertEqual(found, [mails[1], None, None, None, mails[0]])
        for path in (None, "", "cur/none"):
            self.assertEqual(self.read(path), [None])
        self.assertEqual(read_files(self.layout, "nobody", self.paths), [None, None])

    def test_links(self) -> None:
        """A link is no message, wherever it leads."""
        os.symlink("/etc/passwd", f"{self.layout.path}/{self.directory}/cur/link")
        self.assertEqual((self.read("cur/link"), self.read("cur/link", *self.paths)[0]), ([None], None))

    def test_unreadable(self) -> None:
        """What is wrong with one file harms that message alone: a stub says so, until it can be read."""
        path = f"{self.layout.path}/{self.directory}/{self.paths[0]}"
        os.rename(path, path + ".away")
        os.mkfifo(path)
        first, second = self.read(*self.paths)
        assert isinstance(first, Stub)
        self.assertIn(b"it is no file", first)
        self.assertEqual(second, a_mail("mail 2"))
        self.assertEqual(list(self.layout.damage.said), [f"{self.directory}/{self.paths[0]}"])
        os.rename(path + ".away", path)
        self.assertEqual((self.read(self.paths[0]), dict(self.layout.damage.said)), ([a_mail("mail 1")], {}))

    def test_expected(self) -> None:
        """A file that has as many octets as was expected is looked at no further; any other is looked at closely."""
        asked: list[int] = []
        real = os.fstat
        self.patch(os, "fstat", lambda fd: asked.append(fd) or real(fd))
        mails = [a_mail("mail 1"), a_mail("mail 2")]
        one, two = map(len, mails)
        for sizes, closely in (
            ((one, two), 0), ((one, two + 1), 1), ((one - 1, two), 1), ((None, two), 1), ((10**12, 0), 2), ((one,), 2),
        ):
            asked.clear()
            self.assertEqual(read_files(self.layout, self.directory, self.paths, sizes), mails)
            self.assertEqual(len(asked), closely, sizes)
        self.assertEqual(read_files(self.layout, self.directory, ["cur/none", None], (one, two)), [None, None])

    def test_expected_in_vain(self) -> None:
        """What stands in the place of an expected file is told as ever, until the file is there again."""
        mails = [a_mail("mail 1"), a_mail("mail 2")]
        sizes = list(map(len, mails))
        path = f"{self.layout.path}/{self.directory}/{self.paths[0]}"
        os.rename(path, path + ".away")
        self.assertEqual(read_files(self.layout, self.directory, self.paths, sizes), [None, mails[1]])
        for make, remove in ((os.mkfifo, os.unlink), (os.mkdir, os.rmdir)):
            make(path)
            found, second = read_files(self.layout, self.directory, self.paths, sizes)
            assert isinstance(found, Stub)
            self.assertIn(b"it is no file", found)
            self.assertEqual(second, mails[1])
            remove(path)
        self.assertEqual(list(self.layout.damage.said), [f"{self.directory}/{self.paths[0]}"])
        os.rename(path + ".away", path)
        self.assertEqual(read_files(self.layout, self.directory, self.paths, sizes), mails)
        self.assertEqual(dict(self.layout.damage.said), {})

    def test_large(self) -> None:
        """A file that is larger than any message is not read."""
        self.patch(files, "MOST_READ", 10)
        self.assertIsInstance(self.read(self.paths[0])[0], Stub)

    def test_disk_away(self) -> None:
        """What is wrong with the disk is no matter of one message."""
        def refuse(*args: Any, **where: Any) -> int:
            raise OSError(errno.ENOSPC, "full")
        self.patch(os, "open", refuse)
        self.assertRaises(OSError, self.read, self.paths[0])

    def test_pieces(self) -> None:
        """A file that is read in pieces is whole; one that became shorter is as short."""
        real = os.read
        self.patch(os, "read", lambda fd, count: real(fd, min(count, 7)))
        self.assertEqual(self.read(self.paths[0]), [a_mail("mail 1")])

    def test_looked_at(self) -> None:
        """What FETCH shows, and whether a text is there; none of what cannot be read."""
        self.put("cur/d-3,U=3,S=1:2,", b"Subject: zebra\r\n\r\n")
        self.put("cur/d-4,U=4,S=1:2,", b"Subject: perhaps\r\n\r\n")
        os.mkfifo(f"{self.layout.path}/{self.directory}/cur/d-5,U=5,S=1:2,")
        paths = [*self.files(), "cur/none"]
        shown = shown_of(self.layout, tiny_shown, self.directory, paths)
        expected = [tiny_shown(a_mail(f"mail {number}")) for number in (1, 2)]
        self.assertEqual(shown[:2] + shown[4:], [*expected, None, None])
        verdicts = verdicts_of(self.layout, Zebras(), self.directory, paths)
        self.assertEqual(verdicts, [False, False, True, None, None, None])

    def test_stub(self) -> None:
        """A stub is a message, with its own header or that of the message it stands for."""
        self.assertIn(b"\r\nSubject: Sorry\r\n", stub("Sorry", "It is gone."))
        self.assertTrue(stub("Sorry", "Ä", b"From: a@b\r\n").startswith(b"From: a@b\r\nMIME-Version: 1.0\r\n"))
        self.assertTrue(stub("Sorry", "\udcff").endswith(b"\r\n\r\n?\r\n"))
