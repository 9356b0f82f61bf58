"""SEARCH on a connection in memory."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.search.search import asks_modseq, numbered, search
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad, No
from simmail.imap.wire.search_keys import parse_keys
from tests.imap.play import House, now
from tests.imap.recorder import connection, Recorder


class SearchTests(SynchronousTestCase):
    """Six messages, of which some are gone."""

    def setUp(self) -> None:
        self.house = House()
        for number in range(6):
            self.house.deliver("other" if number % 2 else "plain", "INBOX", *(["\\Seen"] if number < 3 else []))
        now(self.house.folder().expunge([2]))
        self.imap = Recorder(self.house, "INBOX")

    def said(self, given: bytes, uid: bool = False) -> bytes:
        """What is said."""
        said, answer = self.imap.do(search, given, uid=uid)
        self.assertEqual(answer, b"SEARCH completed")
        return said

    def test_classic(self) -> None:
        """Numbers or UIDs, ascending; nothing is found in one line too."""
        self.assertEqual(self.said(b"SEEN"), b"* SEARCH 1 2\r\n")
        self.assertEqual(self.said(b"SEEN", uid=True), b"* SEARCH 1 3\r\n")
        self.assertEqual(self.said(b"CHARSET UTF-8 SUBJECT invoice UNSEEN", uid=True), b"* SEARCH 4 6\r\n")
        self.assertEqual(self.said(b"DELETED"), b"* SEARCH\r\n")

    def test_extended(self) -> None:
        """What is asked for is told (RFC 4731)."""
        for given_, expected in (
            (b"RETURN (MIN MAX COUNT) ALL", b" MIN 1 MAX 5 COUNT 5"), (b"RETURN () ALL", b" ALL 1:5"),
            (b"RETURN (PARTIAL -1:-2) ALL", b" PARTIAL (-1:-2 4:5)"), (b"RETURN (COUNT) DELETED", b" COUNT 0"),
            (b"RETURN (MIN PARTIAL 9:10) ALL", b" MIN 1 PARTIAL (9:10 NIL)"),
        ):
            self.assertEqual(self.said(given_), b'* ESEARCH (TAG "a")%b\r\n' % expected)
        self.assertEqual(self.said(b"RETURN (ALL) ALL", uid=True), b'* ESEARCH (TAG "a") UID ALL 1,3:6\r\n')

    def test_saved(self) -> None:
        """What is saved can be searched in; a search that is refused leaves nothing saved (RFC 5182)."""
        self.assertEqual(self.said(b"RETURN (SAVE) SEEN"), b"")
        self.assertEqual(self.said(b"$ FROM maria"), b"* SEARCH 1 2\r\n")
        self.assertRaises(No, self.said, b"RETURN (SAVE) CHARSET KOI8-R ALL")
        self.assertEqual(self.said(b"$"), b"* SEARCH\r\n")

    def test_modseq(self) -> None:
        """Who asks for mod-sequences is told the highest, and of them from then on (RFC 7162)."""
        highest = self.house.folder().entry(6).modseq
        self.assertEqual(self.said(b"MODSEQ %d" % highest), b"* SEARCH 5 (MODSEQ %d)\r\n" % highest)
        self.assertIn(b"CONDSTORE", self.imap.enabled)
        self.assertEqual(self.said(b"MODSEQ %d" % (highest + 100)), b"* SEARCH\r\n")

    def test_rev2(self) -> None:
        """In IMAP4rev2 every answer is an ESEARCH."""
        self.imap.enabled.add(b"IMAP4REV2")
        self.assertEqual(self.said(b"SEEN"), b'* ESEARCH (TAG "a") ALL 1:2\r\n')

    def test_no_numbers(self) -> None:
        """Without numbers none may be searched for (RFC 9586)."""
        self.imap.enabled.add(b"UIDONLY")
        self.assertRaises(Bad, self.said, b"1:2", uid=True)
        self.assertEqual(self.said(b"UID 1:3", uid=True), b"* SEARCH 1 3\r\n")

    def test_bad(self) -> None:
        """Options that are none, or exclude each other."""
        for text in (b"", b"RETURN (FOO) ALL", b"RETURN (PARTIAL 1:2 ALL) ALL", b"RETURN (PARTIAL 1:2 PARTIAL 3:4) ALL",
                     b"RETURN (MIN", b"RETURN ALL"):
            with self.assertRaises(Bad, msg=text):
                self.said(text)

    @given(st.sets(st.integers(1, 40)), st.sets(st.integers(1, 40)))
    def test_numbered(self, there: set[int], gone: set[int]) -> None:
        """The numbers of UIDs are their places."""
        selected = self.imap.require_selected()
        left = sorted(there - gone)
        selected.uids = type(selected.uids)("I", left)
        numbers = self.imap.run(numbered(connection(self.imap), selected, left))
        self.assertEqual(numbers, list(range(1, len(left) + 1)))

    def test_asks_modseq(self) -> None:
        """Wherever in the search it stands."""
        for text, expected in ((b"MODSEQ 1", True), (b"NOT MODSEQ 1", True), (b"OR SEEN (ALL MODSEQ 1)", True),
                               (b"SEEN", False), (b"OR SEEN NOT DELETED", False)):
            self.assertEqual(asks_modseq(parse_keys(Arguments(text))), expected, text)
