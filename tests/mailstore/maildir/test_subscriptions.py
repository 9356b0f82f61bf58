"""The names a mailbox is subscribed to."""

from __future__ import annotations

import os

from simmail.core.records.delivery import SPECIAL_FOLDERS
from simmail.mailstore.maildir.layout import SUBSCRIPTIONS
from simmail.mailstore.maildir.subscriptions import subscriptions, write_subscriptions
from tests.mailstore.maildirs import MaildirTestCase


class SubscriptionTests(MaildirTestCase):
    """One mailbox."""

    def setUp(self) -> None:
        super().setUp()
        self.deliver(1)
        self.box = self.folder().directory

    def test_from_the_start(self) -> None:
        """Until something is written it is the standard folders."""
        self.assertEqual(subscriptions(self.layout, self.box), [name for name, _ in SPECIAL_FOLDERS])

    def test_written(self) -> None:
        """What was written is read, one name a line, as other programs have it; none is none."""
        write_subscriptions(self.layout, self.box, ["INBOX", "Ärger/x y"])
        self.assertEqual(subscriptions(self.layout, self.box), ["INBOX", "Ärger/x y"])
        self.assertEqual(self.layout.read(f"{self.box}/{SUBSCRIPTIONS}"), "INBOX\nÄrger/x y\n".encode())
        write_subscriptions(self.layout, self.box, [])
        self.assertEqual(subscriptions(self.layout, self.box), [])

    def test_damaged(self) -> None:
        """Octets of no name, half a line, and something else in its place do no harm."""
        self.layout.write(f"{self.box}/{SUBSCRIPTIONS}", b"a\n\xff\nb")
        self.assertEqual(subscriptions(self.layout, self.box), ["a", "\ufffd"])
        os.unlink(f"{self.layout.path}/{self.box}/{SUBSCRIPTIONS}")
        os.mkdir(f"{self.layout.path}/{self.box}/{SUBSCRIPTIONS}")
        self.assertEqual(len(subscriptions(self.layout, self.box)), len(SPECIAL_FOLDERS))
