"""Files that another program put into a folder get their UIDs."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from simmail.core.records.delivery import Copy
from simmail.mailstore.delivery.external import Adopted, adopt, foreign_copy, foreign_id, read_stray
from simmail.mailstore.maildir.filename import SEEN, packed, unpacked
from simmail.mailstore.maildir.files import read_files
from tests.contracts.mailstores import a_mail, tiny_shown
from tests.mailstore.maildirs import MARIA, MaildirTestCase

MAIL = a_mail("foreign")


class AdoptTests(MaildirTestCase):
    """An INBOX with one message."""

    def setUp(self) -> None:
        super().setUp()
        self.deliver(1)
        self.owed: list[list[str]] = []

    def adopt(self, *strays: str, **kwargs: Any) -> Adopted:
        return adopt(self.maildirs, MARIA, "INBOX", packed(strays), self.owed.append, **kwargs)

    def octets(self, uid: int) -> bytes | None:
        path = next(path for path in self.files() if f",U={uid}," in path)
        return read_files(self.layout, self.folder().directory, [path])[0]

    @given(st.integers(1, 2**32 - 1), st.integers(1, 2**32 - 1), st.text(min_size=1, max_size=20))
    def test_ids(self, uid: int, uidvalidity: int, mailbox: str) -> None:
        """Its id says where a message is, whatever its mailbox is called."""
        copy = Copy(mailbox, "INBOX", uid, uidvalidity)
        self.assertEqual(foreign_copy(foreign_id(copy)), copy)

    def test_delivered(self) -> None:
        """What is in new/ was delivered: it is owed before it is there; what is in cur/ has its flags."""
        self.put("new/1772.host", MAIL)
        self.put("cur/1773.host:2,S", MAIL)
        there: list[list[str]] = []

        def owe(ids: list[str]) -> None:
            there.append(self.keys())
            self.owed.append(ids)
        found = adopt(
            self.maildirs, MARIA, "INBOX", packed(["new/1772.host", "cur/1773.host:2,S"]), owe, tiny_shown)
        self.assertEqual(self.owed, [[f"foreign-77-2-{MARIA}"]])
        self.assertIn("1772.host", there[0])
        self.assertEqual(found.owed, [(f"foreign-77-2-{MARIA}", Copy(MARIA, "INBOX", 2, 77))])
        self.assertEqual([(row.uid, row.mask, row.recent, row.key, row.size) for row in found.rows()], [
            (2, 0, True, "1772.host", len(MAIL)), (3, SEEN, False, "1773.host", len(MAIL))])
        self.assertEqual(found.shown, {2: tiny_shown(MAIL), 3: tiny_shown(MAIL)})
        self.assertEqual((self.keys(), found.failed, found.lost), (["d-1", "1772.host", "1773.host"], False, []))

    def test_bare_line_feeds(self) -> None:
        """Lines end in CRLF afterwards; the date of the file stays."""
        self.put("cur/1773.host:2,", MAIL.replace(b"\r\n", b"\n"))
        path = f"{self.layout.path}/{self.folder().directory}/cur/1773.host:2,"
        os.utime(path, (1000, 1000))
        (row,) = self.adopt("cur/1773.host:2,").rows()
        self.assertEqual((self.octets(2), row.date, os.path.exists(path)), (MAIL, 1000 * 10**6, False))

    def test_half_done(self) -> None:
        """A crash came between the new file and the removal of the old one: it is there once afterwards."""
        self.put("cur/1773.host:2,", MAIL.replace(b"\r\n", b"\n"))
        trouble = self.patch(os, "unlink", self.refuse)
        self.assertRaises(ZeroDivisionError, self.adopt, "cur/1773.host:2,")
        trouble.restore()
        self.maildirs.folders.forget(MARIA)
        self.assertEqual(len(self.files()), 3)
        self.assertEqual((self.adopt("cur/1773.host:2,").rows(), self.keys()), ([], ["d-1", "1773.host"]))

    def refuse(self, *args: Any, **where: Any) -> None:
        raise ZeroDivisionError

    def test_gone(self) -> None:
        """What goes away meanwhile is left out, and owed nothing."""
        self.put("new/1772.host", MAIL)
        path = f"{self.layout.path}/{self.folder().directory}/new/1772.host"
        strays = packed(["new/none", "new/1772.host"])
        found = adopt(self.maildirs, MARIA, "INBOX", strays, lambda ids: os.unlink(path))
        self.assertEqual((found.rows(), found.lost, found.owed), ([], [f"foreign-77-2-{MARIA}"], []))

    def test_refused(self) -> None:
        """What cannot be taken is to be tried again; what is not owed for the disk refused is not there."""
        self.put("new/1772.host", MAIL)
        real = os.rename

        def rename(source: str, *args: Any, **where: Any) -> None:
            if "1772" in source:
                raise PermissionError(13, "no")
            real(source, *args, **where)
        trouble = self.patch(os, "rename", rename)
        found = self.adopt("new/1772.host")
        trouble.restore()
        self.assertEqual((found.rows(), found.failed, found.lost), ([], True, [f"foreign-77-2-{MARIA}"]))
        strays = packed(["new/1772.host"])
        self.assertRaises(ZeroDivisionError, adopt, self.maildirs, MARIA, "INBOX", strays, self.refuse)
        self.assertEqual([row.uid for row in self.adopt("new/1772.host").rows()], [4])

    def test_no_files(self) -> None:
        """Pipes, links and directories are no messages, and nobody waits for them."""
        directory = f"{self.layout.path}/{self.folder().directory}/cur"
        os.mkfifo(f"{directory}/pipe")
        os.symlink("/etc/passwd", f"{directory}/link")
        os.mkdir(f"{directory}/directory")
        found = self.adopt("cur/pipe", "cur/link", "cur/directory")
        self.assertEqual((found.rows(), found.failed, found.uids), ([], False, []))

    def test_large(self) -> None:
        """Of a message that is too large a stub is shown; the file is put aside."""
        self.put("cur/1773.host:2,", MAIL + b"x" * 200_000)
        found = self.adopt("cur/1773.host:2,", most=100_000, shown=tiny_shown)
        self.assertIn(b"Subject: foreign", self.octets(2) or b"")
        aside = os.listdir(f"{self.layout.path}/{self.folder().directory}/simmail-large")
        self.assertEqual((len(found.rows()), aside), (1, ["1773.host:2,"]))

    def test_odd_name(self) -> None:
        """A name that is no UTF-8 is taken like any other."""
        odd = os.fsdecode(b"cur/\xff\xfe:2,S")
        self.put(odd, MAIL)
        found = self.adopt(odd)
        self.assertEqual((found.masks, len(unpacked(found.keys)[0])), ([SEEN], 32))
        self.assertEqual(self.octets(2), MAIL)

    def test_read(self) -> None:
        """Of a large file the octets are read later."""
        self.put("cur/small", b"x" * 10)
        self.put("cur/large", b"x" * 70_000)
        directory = os.open(f"{self.layout.path}/{self.folder().directory}", os.O_RDONLY)
        self.addCleanup(os.close, directory)
        for name, octets, size in (("small", b"x" * 10, 10), ("large", None, 70_000)):
            stray = read_stray(directory, f"cur/{name}")
            assert stray is not None
            self.assertEqual((stray.octets, stray.size), (octets, size))
        self.assertIsNone(read_stray(directory, "cur/none"))
