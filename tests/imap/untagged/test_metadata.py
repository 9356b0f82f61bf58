"""METADATA responses."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.untagged.metadata import MetadataListener, quoted_mailbox
from tests.imap.play import ADDRESS, now
from tests.imap.recorder import connection, Recorder


class ListenerTests(SynchronousTestCase):
    """What others change (RFC 5464 section 4.4.2)."""

    def test_quoted(self) -> None:
        """The server is the empty name; others are spelled as the client reads them."""
        self.assertEqual((quoted_mailbox("", True), quoted_mailbox("a b", False)), (b'""', b'"a b"'))
        self.assertEqual(quoted_mailbox("ü", False), b"&APw-")

    def test_whose(self) -> None:
        """Only of the client's own mailbox, and of what it wants."""
        imap, other = Recorder(), "other@sim.test"
        now(imap.store.create(other))
        wanted: list[str] = []
        MetadataListener(connection(imap), lambda folder: bool(wanted.append(folder)) or folder == "INBOX")
        for mailbox in (ADDRESS, other):
            for folder in ("INBOX", "Sent"):
                now(imap.store.annotations.write(mailbox, folder, {"/private/x": b"1"}))
        self.assertEqual((imap.pending.take(), wanted), (b"* METADATA INBOX /private/x\r\n", ["INBOX", "Sent"]))
