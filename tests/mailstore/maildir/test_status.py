"""Folders that are not loaded, counted by the names of their files."""

from __future__ import annotations

import os
import shutil

from simmail.mailstore.maildir import flaglog
from simmail.mailstore.maildir.filename import SEEN, times_of
from simmail.mailstore.maildir.status import count_mailboxes, survey
from tests.contracts.mailstores import a_mail
from tests.mailstore.maildirs import MARIA, MaildirTestCase, TOM


class StatusTests(MaildirTestCase):
    """One universe."""

    def setUp(self) -> None:
        super().setUp()
        self.deliver(1, 2, 3)
        self.directory = self.folder().directory

    def test_counted(self) -> None:
        """Messages, those unread and recent, their octets; what has no UID yet is told."""
        self.put("cur/d-8,U=8,S=100:2,S")
        self.put("new/1772.host")
        found = survey(self.layout.root, self.directory)
        sizes = sum(len(a_mail(f"mail {number}")) for number in (1, 2, 3))
        self.assertEqual(found[:5], (4, 3, 3, 100 + sizes, ["new/1772.host"]))
        self.assertEqual(found.times, times_of(self.layout.root, self.directory))

    def test_noted(self) -> None:
        """Flags that are noted count as set: what is read is neither unread nor recent."""
        flaglog.append(self.layout.root, self.directory, flaglog.line(9, SEEN, [1, 2]) + flaglog.line(10, 0, [2]))
        self.assertEqual(survey(self.layout.root, self.directory)[:3], (3, 2, 1))

    def test_mailboxes(self) -> None:
        """Folders that hold something, by mailbox; mailboxes that are not there are left out."""
        self.deliver(4, to=(TOM, "Archive"))
        self.assertEqual(count_mailboxes(self.layout, [TOM, "nobody@acme.test", MARIA]), [
            (TOM, {"Archive": (1, 1)}), (MARIA, {"INBOX": (3, 3)})])

    def test_removed_meanwhile(self) -> None:
        """A folder that goes while it is counted is left out, and no other."""
        self.deliver(4, to=(MARIA, "Archive"))
        archive = f"{self.layout.path}/{self.folder(name='Archive').directory}"
        shutil.rmtree(f"{archive}/new")
        open(f"{archive}/new", "w").close()
        self.assertEqual(count_mailboxes(self.layout, [MARIA]), [(MARIA, {"INBOX": (3, 3)})])
        self.assertTrue(os.path.isfile(f"{archive}/new"))
