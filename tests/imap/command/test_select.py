"""SELECT and its kin on a connection in memory."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.command.select import close, examine, identify, logout, namespace, noop, select, unselect
from simmail.imap.wire.replies import Bad, No
from tests.imap.play import House, now
from tests.imap.recorder import Recorder


class SelectTests(SynchronousTestCase):
    """The selected state."""

    def setUp(self) -> None:
        self.house = House()
        self.house.deliver("plain", "INBOX", "\\Seen")
        self.house.deliver()
        self.house.deliver()
        self.imap = Recorder(self.house)

    def test_select(self) -> None:
        """All that a client has to know (RFC 3501 section 6.3.1)."""
        said, answer = self.imap.do(select, b"inbox")
        for line in (rb"FLAGS \(\\Answered .*\)", rb"3 EXISTS", rb"2 RECENT", rb"OK \[UNSEEN 2\] .*",
                     rb"OK \[PERMANENTFLAGS \(.* \\\*\)\] .*", rb"OK \[UIDVALIDITY 1\] .*", rb"OK \[UIDNEXT 4\] .*",
                     rb"OK \[HIGHESTMODSEQ \d+\] .*", rb"OK \[MAILBOXID \([\w-]+\)\] .*"):
            self.assertRegex(said, rb"(?m)^\* %b\r$" % line)
        self.assertEqual((answer, self.imap.state), (b"[READ-WRITE] SELECT completed", "select"))

    def test_examine(self) -> None:
        """Only to look at: no flag can be changed, and what is recent stays so for others."""
        said, answer = self.imap.do(examine, b"INBOX")
        self.assertIn(b"[PERMANENTFLAGS ()]", said)
        self.assertEqual(answer, b"[READ-ONLY] EXAMINE completed")
        self.assertIn(b"* 2 RECENT", Recorder(self.house).do(select, b"INBOX")[0])
        self.assertIn(b"* 0 RECENT", Recorder(self.house).do(select, b"INBOX")[0])

    def test_rev2(self) -> None:
        """In IMAP4rev2 the name is told, and neither RECENT nor UNSEEN (RFC 9051 section 6.3.2)."""
        self.imap.enabled.add(b"IMAP4REV2")
        said, _ = self.imap.do(select, b"inbox")
        self.assertIn(b'* LIST () "/" INBOX\r\n', said)
        self.assertNotIn(b"RECENT", said)
        self.assertNotIn(b"UNSEEN", said)

    def test_fails(self) -> None:
        """A SELECT that fails leaves nothing selected; one that cannot be read changes nothing."""
        self.imap.do(select, b"INBOX")
        self.assertRaises(Bad, self.imap.do, select, b"Drafts (FOO)")
        self.assertIsNotNone(self.imap.selected)
        self.assertRaises(No, self.imap.do, select, b"Nowhere")
        self.assertIsNone(self.imap.selected)
        self.assertIn(b"* OK [CLOSED]", self.imap.sent)

    def test_condstore(self) -> None:
        """Parameters: what they switch on, and what has to be on before."""
        self.imap.do(select, b"INBOX (CONDSTORE)")
        self.assertIn(b"CONDSTORE", self.imap.enabled)
        self.assertRaises(Bad, self.imap.do, select, b"INBOX (QRESYNC (1 1))")

    def test_qresync(self) -> None:
        """What vanished and what changed is told to who remembers (RFC 7162 section 3.2.5)."""
        folder = self.house.folder()
        before = folder.highestmodseq
        now(folder.expunge([1]))
        now(folder.flag([3], ("\\Flagged",), "+", None))
        self.imap.enabled |= {b"CONDSTORE", b"QRESYNC"}
        said, _ = self.imap.do(select, b"INBOX (QRESYNC (1 %d))" % before)
        self.assertIn(b"* VANISHED (EARLIER) 1\r\n", said)
        self.assertRegex(said, rb"\* 2 FETCH \(UID 3 FLAGS \(.*\\Flagged.*\) MODSEQ \(\d+\)\)\r\n\Z")
        said, _ = self.imap.do(select, b"INBOX (QRESYNC (77 %d))" % before)
        self.assertNotIn(b"VANISHED", said)
        self.imap.enabled.add(b"UIDONLY")
        self.assertRaises(Bad, self.imap.do, select, b"INBOX (QRESYNC (1 1 1:3 (1 1)))")

    def test_close(self) -> None:
        """CLOSE expunges without a word; UNSELECT does not."""
        self.imap.do(select, b"INBOX")
        now(self.house.folder().flag([1], ("\\Deleted",), "+", None))
        self.imap.do(unselect, b"")
        self.assertEqual((self.imap.selected, self.house.folder().counts()[0]), (None, 3))
        self.imap.do(select, b"INBOX")
        said, answer = self.imap.do(close, b"")
        self.assertEqual((said, answer), (b"", b"CLOSE completed"))
        self.assertEqual(list(self.house.folder().uids), [2, 3])

    def test_close_examined(self) -> None:
        """What was only examined stays as it is; with QRESYNC the answer says up to where all is known."""
        now(self.house.folder().flag([1], ("\\Deleted",), "+", None))
        self.imap.do(examine, b"INBOX")
        self.imap.enabled.add(b"QRESYNC")
        self.assertRegex(self.imap.do(close, b"")[1], rb"\A\[HIGHESTMODSEQ \d+\] CLOSE completed\Z")
        self.assertEqual(self.house.folder().counts()[0], 3)


class PlainTests(SynchronousTestCase):
    """Commands that change nothing."""

    def test_identify(self) -> None:
        """ID is read and dropped; thirty fields are enough (RFC 2971)."""
        imap = Recorder()
        for given in (b"NIL", b"()", b'("name" "x" "version" NIL)', b"(" + b'"a" "b" ' * 29 + b'"a" "b")'):
            self.assertRegex(imap.do(identify, given)[0], rb'\A\* ID \("name" "simmail" "version" ".*"\)\r\n\Z')
        for given in (b"", b"(a b)", b'("a")', b"(" + b'"a" "b" ' * 30 + b'"a" "b")', b"NIL x"):
            with self.assertRaises(Bad, msg=given):
                imap.do(identify, given)

    def test_others(self) -> None:
        """NAMESPACE, NOOP and LOGOUT take no arguments."""
        imap = Recorder()
        self.assertEqual(imap.do(namespace, b"")[0], b'* NAMESPACE (("" "/")) NIL NIL\r\n')
        self.assertEqual(imap.do(noop, b"")[0], b"")
        self.assertEqual((imap.do(logout, b"")[0], imap.logging_out), (b"* BYE Logging out\r\n", True))
        for command in (namespace, noop, logout, unselect):
            self.assertRaises(Bad, imap.do, command, b"x")
