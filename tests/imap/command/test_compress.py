"""COMPRESS, as a command."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.command.compress import compress
from simmail.imap.wire.compress import Inflater
from simmail.imap.wire.replies import Bad, No
from tests.imap.recorder import Recorder


class CompressTests(SynchronousTestCase):
    """When it begins (RFC 4978)."""

    def test_begins(self) -> None:
        """Behind its answer."""
        imap = Recorder()
        imap.do(compress, b"deflate")
        self.assertEqual((imap.sent, imap.compressed), (b"a OK DEFLATE active\r\n", True))

    def test_refused(self) -> None:
        """Another mechanism, and a second time."""
        imap = Recorder()
        self.assertRaises(No, imap.do, compress, b"LZ4")
        imap.inflater = Inflater(0)
        with self.assertRaises(No) as caught:
            imap.do(compress, b"DEFLATE")
        self.assertIn(b"[COMPRESSIONACTIVE]", caught.exception.line)
        self.assertFalse(imap.compressed)

    def test_ahead(self) -> None:
        """Nothing may follow it in the clear."""
        imap = Recorder()
        imap.ahead = True
        self.assertRaises(Bad, imap.do, compress, b"DEFLATE")
        self.assertEqual((imap.said_goodbye, imap.compressed), (["Nothing may follow COMPRESS"], False))
