"""Searches that are kept up to date, on a connection in memory."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.imap import contexts
from simmail.imap.search import updates
from simmail.imap.search.search import search
from simmail.imap.search.sort import sort
from simmail.imap.search.updates import cancel_update
from simmail.imap.untagged.tell import tell
from simmail.imap.wire.replies import Bad, No
from tests.imap.play import House, now
from tests.imap.recorder import connection, Recorder


class UpdateTests(SynchronousTestCase):
    """RFC 5267 section 4."""

    def setUp(self) -> None:
        self.house = House()
        for _ in range(3):
            self.house.deliver()
        self.imap = Recorder(self.house, "INBOX")

    def told(self) -> list[bytes]:
        """What is told of the results."""
        before = len(self.imap.sent)
        self.imap.run(tell(connection(self.imap), True))
        return [line for line in self.imap.sent[before:].splitlines() if b"SEARCH" in line or b"UPDATE" in line]

    def flag(self, uid: int, mode: str = "+") -> None:
        """A message is seen, or is not."""
        now(self.house.folder().flag([uid], ("\\Seen",), mode, None))

    def test_to_and_fro(self) -> None:
        """What comes into the results and what leaves them is told, by UID where that was asked."""
        self.imap.do(search, b"RETURN (UPDATE ALL) SEEN", uid=True)
        self.flag(2)
        self.assertEqual(self.told(), [b'* ESEARCH (TAG "a") UID ADDTO (0 2)'])
        self.flag(2, "-")
        self.assertEqual(self.told(), [b'* ESEARCH (TAG "a") UID REMOVEFROM (0 2)'])
        self.flag(1)
        self.flag(1, "-")
        self.assertEqual(self.told(), [])

    def test_expunged(self) -> None:
        """What goes is told before its number is another's."""
        self.imap.do(search, b"RETURN (UPDATE COUNT) ALL")
        now(self.house.folder().expunge([2]))
        self.assertEqual(self.told(), [b'* ESEARCH (TAG "a") REMOVEFROM (0 2)'])

    def test_arrived(self) -> None:
        """New mail comes into the results, and is shown where that was asked for (RFC 5465 section 7)."""
        self.imap.do(search, b"RETURN (UPDATE (UID FLAGS)) SUBJECT invoice")
        self.house.deliver("other")
        self.house.deliver("plain")
        self.assertEqual(self.told(), [b'* ESEARCH (TAG "a") ADDTO (0 4)'])
        self.assertRegex(self.imap.sent, rb"\* 4 FETCH \(UID 4 FLAGS \([^)]*\)\)\r\n")
        self.assertNotIn(b"* 5 FETCH", self.imap.sent)

    def test_sorted(self) -> None:
        """In an order each has its place."""
        self.imap.do(sort, b"RETURN (UPDATE ALL) (REVERSE ARRIVAL) UTF-8 UNSEEN")
        self.house.deliver()
        self.assertEqual(self.told(), [b'* ESEARCH (TAG "a") ADDTO (1 4)'])
        self.flag(3)
        self.assertEqual(self.told(), [b'* ESEARCH (TAG "a") REMOVEFROM (2 3)'])

    def test_too_many(self) -> None:
        """An order of too many is given up, and that is told; so is one search too many."""
        self.patch(updates, "MOST_SORTED", 3)
        self.imap.do(sort, b"RETURN (UPDATE ALL) (ARRIVAL) UTF-8 ALL")
        self.house.deliver()
        self.assertEqual(self.told(), [b'* NO [NOUPDATE "a"] Too many results'])
        self.patch(contexts, "MOST", 1)
        self.imap.tag = b"b"
        self.imap.do(search, b"RETURN (UPDATE) ALL")
        self.imap.tag = b"c"
        self.assertIn(b'* NO [NOUPDATE "c"] Too many contexts\r\n', self.imap.do(search, b"RETURN (UPDATE) ALL")[0])

    def test_by_age(self) -> None:
        """What changes as time goes by is not kept up to date."""
        said, _ = self.imap.do(search, b"RETURN (UPDATE) NOT YOUNGER 60")
        self.assertIn(b"[NOUPDATE", said)

    def test_cancel(self) -> None:
        """What is cancelled is told no more; a tag that has none is refused, one in use not taken again."""
        self.imap.do(search, b"RETURN (UPDATE) SEEN")
        self.assertRaises(Bad, self.imap.do, search, b"RETURN (UPDATE) SEEN")
        self.assertRaises(No, self.imap.do, cancel_update, b'"a" "b"')
        self.imap.do(cancel_update, b'"a"')
        self.flag(1)
        self.assertEqual(self.told(), [])
        self.assertRaises(Bad, self.imap.do, cancel_update, b"")
