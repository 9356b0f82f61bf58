"""GETMETADATA and SETMETADATA on a connection in memory."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.command import metadata as module
from simmail.imap.command.metadata import get_metadata, set_metadata
from simmail.imap.untagged.metadata import MetadataListener
from simmail.imap.wire.replies import Bad, No
from tests.imap.recorder import connection, Recorder


class MetadataTests(SynchronousTestCase):
    """Annotations of mailboxes and of the server (RFC 5464)."""

    def setUp(self) -> None:
        self.imap = Recorder()

    def get(self, given: bytes) -> tuple[bytes, bytes]:
        """What is said and answered."""
        said, answer = self.imap.do(get_metadata, given)
        return said, answer

    def test_there_and_back(self) -> None:
        """What is set is got, NUL and all; names are in lower case, what is not there is NIL."""
        self.imap.do(set_metadata, b'INBOX (/private/comment "mine" /Shared/X ~{2}\r\na\0)')
        said, answer = self.get(b"INBOX (/private/comment /shared/x /private/none)")
        self.assertEqual(
            said, b'* METADATA INBOX (/private/comment "mine" /shared/x ~{2}\r\na\0 /private/none NIL)\r\n')
        self.assertEqual(answer, b"GETMETADATA completed")
        self.imap.do(set_metadata, b"INBOX (/private/comment NIL)")
        self.assertEqual(self.get(b"INBOX /private/comment")[0], b"* METADATA INBOX (/private/comment NIL)\r\n")

    def test_depth(self) -> None:
        """What lies below a name, one level or all; then what is not there is left out."""
        self.imap.do(set_metadata, b'"" (/private/a "1" /private/a/b "2" /private/a/b/c "3" /private/ab "4")')
        for depth, count in ((b"0", 1), (b"1", 2), (b"infinity", 3)):
            said, _ = self.get(b'(DEPTH %b) "" /private/a' % depth)
            self.assertEqual(said.count(b"/private/"), count)
        self.assertEqual(self.get(b'(DEPTH 1) "" /private/z')[0], b"")

    def test_maxsize(self) -> None:
        """Values over a size are left out, and how long the longest is is told; options may stand behind too."""
        self.imap.do(set_metadata, b'INBOX (/private/a "12345" /private/b "1")')
        for given in (b"(MAXSIZE 3) INBOX (/private/a /private/b)", b"INBOX (MAXSIZE 3) (/private/a /private/b)"):
            said, answer = self.get(given)
            self.assertEqual(said, b'* METADATA INBOX (/private/b "1")\r\n')
            self.assertEqual(answer, b"[METADATA LONGENTRIES 5] GETMETADATA completed")

    def test_refused(self) -> None:
        """What cannot be changed, is too large, too many, nowhere, or has no room."""
        self.patch(module, "LARGEST", 3)
        for given, code in ((b'"" (/shared/a "x")', b"NOPERM"), (b'INBOX (/private/a "1234")', b"METADATA MAXSIZE 3"),
                            (b'Nowhere (/private/a "x")', b"NONEXISTENT")):
            with self.assertRaises(No) as caught:
                self.imap.do(set_metadata, given)
            self.assertIn(b"[%b]" % code, caught.exception.line)
        self.imap.house.status = "full"
        self.assertRaises(No, self.imap.do, set_metadata, b'INBOX (/private/a "x")')
        self.imap.do(set_metadata, b"INBOX (/private/a NIL)")
        self.assertRaises(No, self.get, b"Nowhere /private/a")

    def test_bad(self) -> None:
        """Names that are none, and options that are none."""
        for given in (b"INBOX /x", b"INBOX /private/*", b"INBOX ()", b"INBOX /private/" + b"x" * 300,
                      b"(FOO) INBOX /private/a", b"(DEPTH 2) INBOX /private/a", b"(MAXSIZE) INBOX /private/a"):
            with self.assertRaises(Bad, msg=given):
                self.get(given)
        for given in (b"INBOX ()", b"INBOX (/private/a)", b'INBOX (/private "x")', b"INBOX (/private/a x)",
                      b"INBOX (" + b" ".join(b'/private/a%d "x"' % number for number in range(201)) + b")"):
            with self.assertRaises(Bad, msg=given):
                self.imap.do(set_metadata, given)

    def test_told(self) -> None:
        """Who listens hears what others change, once for each entry, and not what it does itself."""
        other = Recorder(self.imap.house)
        listener = MetadataListener(connection(other), lambda folder: folder != "Drafts")
        for value in (b"1", b"2"):
            self.imap.do(set_metadata, b'INBOX (/private/a "%b" /shared/b "x")' % value)
        self.imap.do(set_metadata, b'Drafts (/private/a "x")')
        self.imap.do(set_metadata, b'"" (/private/a "x")')
        other.do(set_metadata, b'INBOX (/private/own "x")')
        self.assertEqual(other.pending.take(), b"* METADATA INBOX /shared/b\r\n* METADATA INBOX /private/a\r\n"
                                               b'* METADATA "" /private/a\r\n')
        listener.stop()
        self.imap.do(set_metadata, b'INBOX (/private/a "3")')
        self.assertEqual(other.pending.take(), b"")
