"""APPEND on a connection in memory."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count

from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Unavailable
from simmail.imap.command.append import append, LARGE
from simmail.imap.wire.replies import Bad, No
from tests.imap.play import House, MESSAGES, now, START
from tests.imap.recorder import Recorder

MESSAGE = b"Subject: x\r\n\r\ny\r\n"


class AppendTests(SynchronousTestCase):
    """What is filed, and what is refused."""

    def setUp(self) -> None:
        self.house = House()
        self.imap = Recorder(self.house)

    def append(self, before: bytes, *messages: bytes) -> bytes:
        """The answer to messages behind some arguments; each stands where a C{?} is."""
        for message in messages:
            before = before.replace(b"?", b"{%d+}\r\n" % len(message), 1)
        answer: bytes = self.imap.do(append, before, *messages)[1]
        return answer

    def refused(self, line: bytes, before: bytes, *messages: bytes) -> None:
        """Refused so, and nothing is filed."""
        with self.assertRaises((Bad, No)) as caught:
            self.append(before, *messages)
        self.assertEqual(caught.exception.line, line)
        self.assertEqual(self.house.folder().counts()[0], 0)

    def octets(self, uid: int, folder: str = "INBOX") -> bytes:
        """A message."""
        octets: bytes = now(self.house.folder(folder).read(uid))
        return octets

    def test_plain(self) -> None:
        """A message with flags and a date; without one it is of now."""
        self.assertEqual(self.append(b'INBOX (\\Seen blue) " 1-Feb-2026 09:00:00 +0100" ?', MESSAGE),
                         b"[APPENDUID 1 1] APPEND completed")
        entry = self.house.folder().entry(1)
        self.assertEqual((entry.flags, entry.date),
                         (frozenset(("\\Seen", "blue")), datetime(2026, 2, 1, 8, tzinfo=UTC)))
        self.append(b"INBOX ?", MESSAGE)
        self.assertEqual((self.house.folder().entry(2).date, self.octets(2)), (START, MESSAGE))

    def test_one_instant(self) -> None:
        """Messages without a date are put there when they are dated, though the clock goes on meanwhile."""
        ticks = count()
        self.patch(self.imap, "now", lambda: START + timedelta(seconds=next(ticks)))
        self.append(b"INBOX ?", MESSAGE)
        self.append(b'INBOX ? " 1-Feb-2026 09:00:00 +0100" ?', MESSAGE, MESSAGE)
        folder = self.house.folder()
        dates = [folder.entry(uid).date for uid in (1, 2, 3)]
        first, second, third = now(folder.saved((1, 2, 3)))
        self.assertEqual((first, second, third), (dates[0], dates[1], dates[1]))
        self.assertLess(dates[0], dates[1])
        self.assertEqual(dates[2], datetime(2026, 2, 1, 8, tzinfo=UTC))

    def test_several(self) -> None:
        """All are filed, or none (RFC 3502)."""
        self.assertEqual(self.append(b"INBOX ? (\\Seen) ?", MESSAGE, MESSAGE), b"[APPENDUID 1 1:2] APPEND completed")
        self.assertRaises(No, self.append, b"INBOX ? ?", MESSAGE, b"")
        self.assertEqual(self.house.folder().counts()[0], 2)

    def test_line_ends(self) -> None:
        """Bare line feeds become line ends."""
        self.append(b"INBOX ?", b"Subject: x\n\ny\r\nz\n")
        self.assertEqual(self.octets(1), b"Subject: x\r\n\r\ny\r\nz\r\n")

    def test_large(self) -> None:
        """So they do in a large one, which is looked at elsewhere."""
        calls = []
        self.imap.context.in_thread = lambda call: (calls.append(1), self.house.factory.context.in_thread(call))[1]
        self.append(b"INBOX ?", MESSAGE + b"a\n" * LARGE)
        self.assertTrue(calls)
        self.assertEqual(self.octets(1), MESSAGE + b"a\r\n" * LARGE)

    def test_refused(self) -> None:
        """Nothing, NUL, nowhere, no room, no literal."""
        self.refused(b"NO [CANNOT] A message cannot be empty", b"INBOX ?", b"")
        self.refused(b"NO [CANNOT] A message cannot hold NUL", b"INBOX ?", b"a\0")
        self.refused(b"NO [TRYCREATE] There is no such mailbox", b"Nowhere ?", MESSAGE)
        self.refused(b"BAD Expected a literal", b"INBOX nothing")
        self.refused(b"BAD UTF8=ACCEPT is not enabled", b"INBOX UTF8 (?)", MESSAGE)
        self.house.status = "full"
        self.refused(b"NO [OVERQUOTA] The mailbox is full", b"INBOX ?", MESSAGE)

    def test_away(self) -> None:
        """A store that is in trouble says so."""
        self.house.store.away = True
        with self.assertRaises((No, Unavailable)):
            self.append(b"INBOX ?", MESSAGE)
        self.house.store.away = False
        self.assertEqual(self.house.folder().counts()[0], 0)

    def test_utf8(self) -> None:
        """Once it is enabled a message may come as UTF8 (RFC 6855 section 4)."""
        self.imap.enabled.add(b"UTF8=ACCEPT")
        self.append(b"INBOX UTF8 (?)", "Subject: ü\r\n\r\n".encode())
        self.assertEqual(self.octets(1), "Subject: ü\r\n\r\n".encode())

    def test_binary(self) -> None:
        """A literal8 may hold NUL where a part is binary, and nowhere else (RFC 3516)."""
        head = b"Content-Type: image/png\r\nContent-Transfer-Encoding: binary\r\n\r\n"
        self.imap.do(append, b"INBOX ~{%d+}\r\n" % len(head + b"\0"), head + b"\0")
        self.assertIn(b"Content-Transfer-Encoding: base64", self.octets(1))
        with self.assertRaises(No) as caught:
            self.imap.do(append, b"INBOX ~{3+}\r\n", b"a\0b")
        self.assertTrue(caught.exception.line.startswith(b"NO [UNKNOWN-CTE]"))

    def test_sent(self) -> None:
        """To Sent a message that is there already is not filed again (decisions, section 23)."""
        octets = MESSAGES["plain"].replace(b"\n", b"\r\n")
        self.house.deliver("plain", "Sent")
        self.assertEqual(self.append(b"Sent ?", octets), b"[APPENDUID 1 1] APPEND completed")
        self.assertEqual(self.append(b"Sent ?", MESSAGE), b"[APPENDUID 1 2] APPEND completed")
        self.assertEqual(self.append(b"INBOX ?", octets), b"[APPENDUID 1 1] APPEND completed")
        self.assertEqual((self.house.folder("Sent").counts()[0], self.house.folder().counts()[0]), (2, 1))
