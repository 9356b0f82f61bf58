"""REPLACE on a connection in memory."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.command.replace import admit, replace
from simmail.imap.wire.replies import Bad, No
from tests.imap.play import House, now
from tests.imap.recorder import connection, Recorder

MESSAGE = b"Subject: new\r\n\r\ny\r\n"


class ReplaceTests(SynchronousTestCase):
    """A message instead of another (RFC 8508)."""

    def setUp(self) -> None:
        self.house = House()
        for _ in range(3):
            self.house.deliver()
        self.imap = Recorder(self.house, "INBOX")

    def replace(self, given: bytes, message: bytes = MESSAGE, uid: bool = False) -> tuple[bytes, bytes]:
        """What is said and answered."""
        said, answer = self.imap.do(replace, given + b" {%d+}\r\n" % len(message), message, uid=uid)
        return said, answer

    def test_replace(self) -> None:
        """The new one is told with its UID, and the old one is gone."""
        said, answer = self.replace(b"2 INBOX (\\Draft)")
        self.assertEqual((said, answer),
                         (b"* OK [APPENDUID 1 4] Replacement message ready\r\n", b"REPLACE completed"))
        self.assertEqual((list(self.house.folder().uids), now(self.house.folder().read(4))), ([1, 3, 4], MESSAGE))

    def test_elsewhere(self) -> None:
        """It may go to another mailbox, by UID too; with CONDSTORE the answer tells where that leads."""
        self.imap.enabled.add(b"CONDSTORE")
        _, answer = self.replace(b"3 Drafts", uid=True)
        self.assertRegex(answer, rb"\A\[HIGHESTMODSEQ \d+\] REPLACE completed\Z")
        self.assertEqual((list(self.house.folder().uids), self.house.folder("Drafts").counts()[0]), ([1, 2], 1))

    def test_refused(self) -> None:
        """What is not there, or not any more, or must not be changed."""
        now(self.house.folder().expunge([2]))
        for given, uid, code in ((b"9 INBOX", True, b"NONEXISTENT"), (b"2 INBOX", False, b"EXPUNGEISSUED"),
                                 (b"1 Nowhere", False, b"TRYCREATE")):
            with self.assertRaises(No) as caught:
                self.replace(given, uid=uid)
            self.assertIn(b"[%b]" % code, caught.exception.line)
        self.assertEqual(list(self.house.folder().uids), [1, 3])
        self.assertRaises(Bad, self.replace, b"1:2 INBOX")

    def test_full(self) -> None:
        """In a full mailbox the new one may not be larger."""
        self.house.status = "full"
        with self.assertRaises(No) as caught:
            self.replace(b"1 INBOX", MESSAGE + b"x" * 1000)
        self.assertIn(b"[OVERQUOTA]", caught.exception.line)
        self.replace(b"1 INBOX")
        self.assertEqual(list(self.house.folder().uids), [2, 3, 4])


class AdmitTests(SynchronousTestCase):
    """What is looked at before a message is sent."""

    def setUp(self) -> None:
        self.house = House()
        self.house.deliver()
        self.imap = Recorder(self.house, "INBOX")

    def admit(self, octets: bytes) -> None:
        """@raise No, Bad: it need not be sent."""
        self.imap.run(admit(connection(self.imap), octets))

    def test_may_come(self) -> None:
        """With flags, a date, as a literal8, within CATENATE, instead of another."""
        for octets in (b"a APPEND INBOX ", b'a APPEND INBOX (\\Seen) " 1-Feb-2026 09:00:00 +0000" ',
                       b"a APPEND INBOX ~", b"a APPEND INBOX CATENATE (TEXT ", b"a REPLACE 1 INBOX ",
                       b'a APPEND INBOX CATENATE (URL "/INBOX/;UID=1" TEXT ', b"a UID REPLACE 1 INBOX "):
            self.admit(octets)
        self.imap.enabled.add(b"UTF8=ACCEPT")
        self.admit(b"a APPEND INBOX UTF8 (")

    def test_need_not(self) -> None:
        """Wrong already, or in vain."""
        for octets, line in (
            (b"a APPEND Nowhere ", b"NO [TRYCREATE]"), (b"a APPEND INBOX (\\Foo) ", b"BAD Flag"),
            (b"a APPEND INBOX x ", b"BAD Expected a literal"), (b"a REPLACE 5 INBOX ", b"BAD There is no"),
            (b"a UID REPLACE 5 INBOX ", b"NO [NONEXISTENT]"), (b"a APPEND INBOX UTF8 (", b"BAD UTF8"),
        ):
            with self.assertRaises((Bad, No)) as caught:
                self.admit(octets)
            self.assertTrue(caught.exception.line.startswith(line), caught.exception.line)

    def test_states(self) -> None:
        """REPLACE needs a mailbox, and no numbers where there are none; a full mailbox takes nothing."""
        self.imap.enabled.add(b"UIDONLY")
        self.assertRaises(Bad, self.admit, b"a REPLACE 1 INBOX ")
        self.admit(b"a UID REPLACE 1 INBOX ")
        self.imap.deselect()
        self.assertRaises(Bad, self.admit, b"a UID REPLACE 1 INBOX ")
        self.house.status = "full"
        self.assertRaises(No, self.admit, b"a APPEND INBOX ")
