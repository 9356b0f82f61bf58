"""What is pending is told."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.untagged.tell import tell
from tests.imap.play import House, now
from tests.imap.recorder import connection, Recorder


class TellTests(SynchronousTestCase):
    """On a connection in memory."""

    def setUp(self) -> None:
        self.house = House()
        for _ in range(3):
            self.house.deliver()
        self.imap = Recorder(self.house, "INBOX")

    def told(self, expunges: bool = True) -> bytes:
        """What is told now."""
        before = len(self.imap.sent)
        self.imap.run(tell(connection(self.imap), expunges))
        return self.imap.sent[before:]

    def test_nothing(self) -> None:
        """Nothing pending, nothing told; also where no mailbox is selected."""
        self.assertEqual(self.told(), b"")
        self.imap.deselect()
        self.imap.pending.put("x", b"* x\r\n")
        self.assertEqual(self.told(), b"* x\r\n")

    def test_order(self) -> None:
        """What is beside the mailbox first, then what goes, what comes, and flags."""
        now(self.house.folder().expunge([1]))
        self.house.deliver()
        now(self.house.folder().flag([2], ("\\Seen",), "+", None))
        self.imap.pending.put("x", b"* x\r\n")
        self.assertRegex(self.told(), rb"\A\* x\r\n\* 1 EXPUNGE\r\n\* 3 EXISTS\r\n\* \d RECENT\r\n"
                                      rb"\* 1 FETCH \(FLAGS \(\\Seen\)\)\r\n\Z")
        self.assertEqual(self.told(), b"")

    def test_numbers_stay(self) -> None:
        """Where messages may not vanish they do so later, but for who is told at any time."""
        now(self.house.folder().expunge([1]))
        self.assertEqual(self.told(expunges=False), b"")

        class AtOnce:
            """A notifier with nothing else to tell."""

            at_once = True

            async def gather(self) -> None:
                """Nothing."""

            async def show_new(self, selected: Any) -> None:
                """Nothing."""

        self.imap.notifier = AtOnce()
        self.assertEqual(self.told(expunges=False), b"* 1 EXPUNGE\r\n")

    def test_read_only(self) -> None:
        """Who only looks takes nothing that is recent away from others."""
        self.imap = Recorder(self.house, "INBOX", read_only=True)
        self.house.deliver()
        self.assertEqual(self.told(), b"* 4 EXISTS\r\n* 0 RECENT\r\n")
        self.assertIn(4, now(self.house.folder().take_recent()))

    def test_reset(self) -> None:
        """A mailbox that is not what it was is the end."""
        now(self.house.store.create_folder(self.imap.address, "x"))
        self.imap = Recorder(self.house, "x")
        now(self.house.store.delete_folder(self.imap.address, "x"))
        self.assertEqual(self.told(), b"")
        self.assertEqual(self.imap.said_goodbye, ["The mailbox is not what it was"])
