"""What a client remembers, and what it is told of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.fetch import resync as module
from simmail.imap.fetch.resync import catch_up, first_doubtful, parse_resync, Resync, tell_vanished
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad
from simmail.imap.wire.sequence import show_set
from tests.imap.play import House, now
from tests.imap.recorder import connection, Recorder

UIDS = st.sets(st.integers(1, 40), min_size=1, max_size=12).map(sorted)


class ParseTests(SynchronousTestCase):
    """The argument of QRESYNC (RFC 7162 section 3.2.5)."""

    def test_forms(self) -> None:
        """With known UIDs, with pairs, with both, with neither."""
        for text, expected in (
            (b"(7 20)", Resync(7, 20)), (b"(7 20 1:5)", Resync(7, 20, b"1:5")),
            (b"(7 20 1:5 (1,2 3,9))", Resync(7, 20, b"1:5", b"1,2", b"3,9")),
            (b"(7 20 (1 3))", Resync(7, 20, None, b"1", b"3")),
        ):
            self.assertEqual(parse_resync(Arguments(text)), expected)

    def test_bad(self) -> None:
        """Zero, stars, saved results, half a pair."""
        for text in (b"(0 20)", b"(7 0)", b"(7)", b"7 20", b"(7 20 *)", b"(7 20 $)", b"(7 20 1:*)", b"(7 20 (1))",
                     b"(7 20 (1:* 2))", b"(7 20 0)", b"(7 20"):
            with self.assertRaises(Bad, msg=text):
                parse_resync(Arguments(text))


class DoubtTests(SynchronousTestCase):
    """From where on the client and we may not agree."""

    @given(UIDS, UIDS)
    def test_model(self, ours: list[int], theirs: list[int]) -> None:
        """Behind the last pair that holds, of those before the first that does not."""
        numbers = show_set(range(1, len(theirs) + 1))
        expected = 1
        for one, other in zip(theirs, [*ours, 0]):
            if one != other:
                break
            expected = one + 1
        self.assertEqual(first_doubtful(ours, Resync(1, 1, None, numbers, show_set(theirs))), expected)

    def test_none(self) -> None:
        """Without pairs all is in doubt; very many are not looked at."""
        self.assertEqual(first_doubtful([1, 2], Resync(1, 1)), 1)
        self.patch(module, "PAIRS", 3)
        self.assertEqual(first_doubtful(range(1, 9), Resync(1, 1, None, b"1:8", b"1:8")), 4)


class TellTests(SynchronousTestCase):
    """On a folder where things happened."""

    def setUp(self) -> None:
        self.house = House()
        for _ in range(6):
            self.house.deliver()
        self.before = self.house.folder().highestmodseq
        now(self.house.folder().expunge([2, 3, 5]))
        now(self.house.folder().flag([4], ("\\Seen",), "+", None))
        self.imap = Recorder(self.house, "INBOX")
        self.imap.enabled |= {b"CONDSTORE", b"QRESYNC"}

    def test_catch_up(self) -> None:
        """What vanished, then what changed; only of what the client knows."""
        for known, vanished, changed in ((None, b"2:3,5", True), (b"3:5", b"3,5", True), (b"1:2", b"2", False)):
            before = len(self.imap.sent)
            self.imap.run(catch_up(connection(self.imap), self.imap.require_selected(), Resync(1, self.before, known)))
            said = self.imap.sent[before:]
            self.assertTrue(said.startswith(b"* VANISHED (EARLIER) %b\r\n" % vanished), said)
            self.assertEqual(b"UID 4 FLAGS (\\Seen)" in said, changed)

    def test_forgotten(self) -> None:
        """Where it is not known any more what vanished, all that is not there did, from the first doubt on."""
        selected = self.imap.require_selected()
        selected.folder.vanished = lambda since: now_none()  # type: ignore[attr-defined]

        async def now_none() -> None:
            return None

        self.imap.run(tell_vanished(connection(self.imap), selected, [(1, 100)], Resync(1, 1)))
        self.imap.run(tell_vanished(
            connection(self.imap), selected, [(1, 100)], Resync(1, 1, None, b"1,2", b"1,4")))
        self.assertEqual(self.imap.sent, b"* VANISHED (EARLIER) 2:3,5\r\n* VANISHED (EARLIER) 5\r\n")
