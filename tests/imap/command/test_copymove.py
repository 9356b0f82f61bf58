"""COPY, MOVE and EXPUNGE."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.command.copymove import copy, expunge, move
from simmail.imap.wire.replies import Bad, No
from tests.imap.play import House, now
from tests.imap.recorder import Recorder


class CopyTests(SynchronousTestCase):
    """On a folder of five messages."""

    def setUp(self) -> None:
        self.house = House()
        for number in range(5):
            self.house.deliver("plain", "INBOX", *(["\\Deleted"] if number % 2 else []))
        self.imap = Recorder(self.house, "INBOX")

    def refused(self, code: bytes, command: Any, given: bytes, **options: Any) -> None:
        """Refused with a code; nothing is copied."""
        with self.assertRaises(No) as caught:
            self.imap.do(command, given, **options)
        self.assertIn(b"[%b]" % code, caught.exception.line)
        self.assertEqual(self.house.folder("Archive").counts()[0], 0)

    def test_copy(self) -> None:
        """The answer pairs old and new UIDs (RFC 4315)."""
        _, answer = self.imap.do(copy, b"2:3,5 Archive")
        self.assertEqual(answer, b"[COPYUID 1 2:3,5 1:3] COPY completed")
        self.assertEqual(self.house.folder("Archive").having("\\Deleted"), [1])
        self.assertEqual(self.imap.do(copy, b"99 Archive", uid=True)[1], b"COPY completed")

    def test_move(self) -> None:
        """The pairs are told first, and what goes is told at the end (RFC 6851)."""
        said, answer = self.imap.do(move, b"4 Archive", uid=True)
        self.assertEqual((said, answer), (b"* OK [COPYUID 1 4 1] Moved\r\n", b"MOVE completed"))
        assert self.imap.selected is not None
        self.assertTrue(self.imap.selected.removing)
        self.assertEqual(list(self.house.folder().uids), [1, 2, 3, 5])

    def test_expunged(self) -> None:
        """By number nothing is copied of what is partly gone; by UID what is left."""
        now(self.house.folder().expunge([2]))
        self.refused(b"EXPUNGEISSUED", copy, b"1:3 Archive")
        self.assertEqual(self.imap.do(copy, b"1:3 Archive", uid=True)[1], b"[COPYUID 1 1,3 1:2] COPY completed")

    def test_nowhere(self) -> None:
        """A mailbox that is not there could be made; no message of that number."""
        self.refused(b"TRYCREATE", copy, b"1 Nowhere")
        self.assertRaises(Bad, self.imap.do, copy, b"6 Archive")
        self.assertRaises(Bad, self.imap.do, copy, b"1")

    def test_full(self) -> None:
        """A full mailbox takes no copies; moving changes nothing of what it holds."""
        self.house.status = "full"
        self.refused(b"OVERQUOTA", copy, b"1 Archive")
        self.assertEqual(self.imap.do(move, b"1 Archive")[1], b"MOVE completed")

    def test_read_only(self) -> None:
        """From a mailbox that is only examined it can be copied, and not moved."""
        self.imap = Recorder(self.house, "INBOX", read_only=True)
        self.refused(b"READ-ONLY", move, b"1 Archive")
        self.refused(b"READ-ONLY", expunge, b"")
        self.assertIn(b"COPYUID", self.imap.do(copy, b"1 Archive")[1])

    def test_expunge(self) -> None:
        """What is marked goes; by UID only of some."""
        self.assertEqual(self.imap.do(expunge, b"1:3", uid=True)[1], b"EXPUNGE completed")
        self.assertEqual(list(self.house.folder().uids), [1, 3, 4, 5])
        self.imap.enabled.add(b"CONDSTORE")
        self.assertRegex(self.imap.do(expunge, b"")[1], rb"\A\[HIGHESTMODSEQ \d+\] EXPUNGE completed\Z")
        self.assertEqual(list(self.house.folder().uids), [1, 3, 5])

    def test_unknown_stay(self) -> None:
        """What the client was never told of stays."""
        self.house.deliver("plain", "INBOX", "\\Deleted")
        self.imap.do(expunge, b"")
        self.assertEqual(list(self.house.folder().uids), [1, 3, 5, 6])

    def test_noted(self) -> None:
        """What the client puts into its own mailbox is noted, where somebody would show it."""
        selected = self.imap.selected
        assert selected is not None
        self.imap.do(copy, b"1 INBOX")
        self.assertEqual(selected.filed, set())
        selected.arrived = []
        self.imap.do(copy, b"1:2 INBOX")
        self.assertEqual(selected.filed, {7, 8})
