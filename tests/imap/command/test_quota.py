"""QUOTA: the room there is."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.command.quota import check_room, get_quota, get_quota_root
from simmail.imap.wire.replies import Bad, No
from tests.imap.recorder import connection, Recorder


class QuotaTests(SynchronousTestCase):
    """One root for the whole mailbox (RFC 9208)."""

    def setUp(self) -> None:
        self.imap = Recorder()
        for folder in ("INBOX", "Archive"):
            self.imap.house.deliver("plain", folder)
        self.imap.store.space = lambda: (10 * 1024 * 1024, 1 << 40)

    def test_disk(self) -> None:
        """What is used, in units of 1024 octets rounded up, and the disk as the limit."""
        said, _ = self.imap.do(get_quota, b'""')
        self.assertEqual(said, b'* QUOTA "" (STORAGE 1 10241)\r\n')

    def test_full(self) -> None:
        """A mailbox that is full has room for what it holds and no more."""
        self.imap.house.status = "full"
        self.assertEqual(self.imap.do(get_quota, b'""')[0], b'* QUOTA "" (STORAGE 1 1 MESSAGE 2 2)\r\n')
        with self.assertRaises(No) as caught:
            check_room(connection(self.imap))
        self.assertEqual(caught.exception.line, b"NO [OVERQUOTA] The mailbox is full")
        self.imap.house.status = "ok"
        check_room(connection(self.imap))

    def test_root(self) -> None:
        """Every mailbox has the one root."""
        said, _ = self.imap.do(get_quota_root, b"inbox")
        self.assertTrue(said.startswith(b'* QUOTAROOT INBOX ""\r\n* QUOTA "" (STORAGE'))

    def test_refused(self) -> None:
        """No other root, no mailbox that is not there."""
        self.assertRaises(No, self.imap.do, get_quota, b"root")
        self.assertRaises(No, self.imap.do, get_quota_root, b"Nowhere")
        self.assertRaises(Bad, self.imap.do, get_quota, b'"" x')
