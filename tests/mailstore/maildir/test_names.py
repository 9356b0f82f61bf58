"""Names on disk."""

from __future__ import annotations

import os

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Invalid, NotFound
from simmail.mailstore.maildir.names import (
    HASHED, check_folder, check_mailbox, existing_folder, folder_dir, folder_of, is_inferior, mailbox_dir, mailbox_of,
)

_TEXT = st.text(max_size=60)
_ODD = st.text(alphabet="&-.,+/%@~ \\aAzÄ日😀\t", max_size=12)


class MailboxTests(SynchronousTestCase):
    """Mailboxes."""

    def test_plain(self) -> None:
        """An ordinary address is its own name."""
        self.assertEqual(mailbox_dir("maria.weiss+tag_1-2@acme.test"), "maria.weiss+tag_1-2@acme.test")

    def test_escaped(self) -> None:
        """Everything else is escaped, and nothing begins with a dot."""
        for mailbox, directory in (
            ("../x", "%2E.%2Fx"), (".hidden", "%2Ehidden"), ("A@b", "%41@b"), ("ä@b", "%C3%A4@b"), ("a%b", "a%25b"),
            ("a b", "a%20b"), ("..", "%2E."),
        ):
            self.assertEqual(mailbox_dir(mailbox), directory)
            self.assertEqual(mailbox_of(directory), mailbox)

    def test_long(self) -> None:
        """What is too long for a file name is hashed, to a name that no escape makes."""
        directory = mailbox_dir("x" * 201)
        self.assertTrue(directory.startswith(HASHED))
        self.assertIsNone(mailbox_of(directory))
        self.assertNotEqual(directory, mailbox_dir("x" * 202))
        self.assertEqual(mailbox_dir("x" * 200), "x" * 200)

    @given(_TEXT | _ODD)
    def test_there_and_back(self, mailbox: str) -> None:
        """A name is refused, or it stays inside its directory and comes back exactly."""
        try:
            directory = mailbox_dir(mailbox)
        except Invalid:
            self.assertRaises(Invalid, check_mailbox, mailbox)
            return
        self.assertTrue(directory.isascii() and len(directory) <= 200)
        self.assertEqual(os.path.normpath(f"/root/{directory}"), f"/root/{directory}")
        self.assertFalse(directory.startswith((".", "-")) and directory.startswith("."))
        if not directory.startswith(HASHED):
            self.assertEqual(mailbox_of(directory), mailbox)

    @given(_TEXT | st.text(alphabet="%2Ee.aA@Cc3", max_size=9))
    def test_one_name_for_each(self, directory: str) -> None:
        """A directory is a mailbox only when the mailbox has that directory."""
        mailbox = mailbox_of(directory)
        if mailbox is not None:
            self.assertEqual(mailbox_dir(mailbox), directory)


class FolderTests(SynchronousTestCase):
    """Folders."""

    def test_known(self) -> None:
        """Names as RFC 3501 section 5.1.3 and Maildir++ have them."""
        for name, directory in (
            ("INBOX", ""), ("inbox", ""), ("Sent", ".Sent"), ("Archive/2026", ".Archive.2026"),
            ("~peter/mail/台北/日本語", ".~peter.mail.&U,BTFw-.&ZeVnLIqe-"), ("a&b", ".a&-b"), ("v1.0", ".v1&AC4-0"),
            ("Entwürfe", ".Entw&APw-rfe"), ("inbox/x", ".INBOX.x"), ("...", ".&AC4ALgAu-"), ("😀", ".&2D3eAA-"),
        ):
            self.assertEqual(folder_dir(name), directory)
            if directory:
                self.assertEqual(folder_of(directory), check_folder(name))

    def test_not_ours(self) -> None:
        """What is no folder of Maildir++, and what is too long."""
        for directory in ("Sent", "", ".", "..", "...", "." + "a" * 200, ".ü" * 90, ".a" * 33):
            self.assertIsNone(folder_of(directory), directory)

    def test_escaped(self) -> None:
        """What another program called as we never would is shown under an escape, and found under it."""
        for directory, name in (
            (".a..b", "a/�/b"), (".INBOX", "�49NBOX"), (".inbox.x", "�69nbox/x"), (".&", "�26"),
            (".&AGE-.b", "�26AGE-/b"), (".&AC4", "�26AC4"), (".&AC4ALg-", "�26AC4ALg-"), (".&AAA-", "�26AAA-"),
            (".&,,0-", "�26,,0-"), (".ü", "�C3�BC"), (".a\n", "a�0A"), (".\udcff", "�FF"), ("..x", "�/x"), (".x.",
                                                                                                            "x/�"),
        ):
            self.assertEqual(folder_of(directory), name)
            self.assertEqual(existing_folder(name), name)
            self.assertEqual(folder_dir(name), directory)
            self.assertRaises(Invalid, check_folder, name)

    def test_no_escapes(self) -> None:
        """An escape of what has a name of its own, or that leads elsewhere, is that of no folder."""
        for name in ("�", "�/�", "�41", "a�62", "�2E�2E", "�2F", "�00", "�26-", "�6", "�zz", "��", "a�", "�e9",
                     "�49NBOX/x"):
            self.assertRaises(NotFound, existing_folder, name)

    def test_refused(self) -> None:
        """Impossible names are invalid to make, and not there to use."""
        for name in ("", "/", "a//b", "a/", ".", "..", "a/..", "../a", "./a", "\r", "a\x7f", "\x80", "\udc80",
                     "x" * 201, "/".join("a" * 33)):
            self.assertRaises(Invalid, check_folder, name)
            self.assertRaises(NotFound, existing_folder, name)

    @given(st.lists(_TEXT | _ODD, min_size=1, max_size=4).map("/".join))
    def test_there_and_back(self, name: str) -> None:
        """A name is refused, or it is one directory below its mailbox and comes back exactly."""
        try:
            directory = folder_dir(name)
        except Invalid:
            return
        if directory:
            self.assertTrue(directory.startswith(".") and directory not in (".", "..") and "/" not in directory)
            self.assertTrue(len(directory) <= 200)
            self.assertTrue("�" in name or (directory.isascii() and directory.isprintable()))
            self.assertEqual(folder_of(directory), existing_folder(name))

    @given(_TEXT | st.text(alphabet="&AaEC4w-,.+�ü\udcff", max_size=12))
    def test_one_name_for_each(self, directory: str) -> None:
        """A directory is a folder only when the folder has that directory."""
        name = folder_of(directory)
        if name is not None:
            self.assertEqual(folder_dir(name), directory)

    def test_inferior(self) -> None:
        """Inferiors are below, not merely alike."""
        self.assertTrue(is_inferior("a/b", "a"))
        self.assertFalse(is_inferior("ab", "a"))
        self.assertFalse(is_inferior("a", "a"))
