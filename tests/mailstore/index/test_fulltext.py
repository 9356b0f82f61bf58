"""Full text: found sooner, never something else."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.folding import fold
from simmail.core.message.summary import Digest
from simmail.mailstore.index import fulltext
from simmail.mailstore.index.index import Index
from simmail.mailstore.index.messages import Unread, span
from tests.contracts.mailstores import a_mail, tiny_digest

# Few characters, so that texts are found; case, quotes, wildcards, NUL, other scripts, a fold that grows.
_TEXT = st.text(st.sampled_from("abAB \"%_\\\0äßİK\r\n"), max_size=12)
_QUERY = st.text(st.sampled_from("abABsS \"%_\\\0äÄß"), min_size=1, max_size=6)
_DIGESTS = st.lists(st.builds(
    lambda subject, text, header: replace(
        tiny_digest(b""), subject=subject, text=text, header=header.encode("utf-8", "replace")),
    _TEXT, _TEXT, _TEXT), min_size=1, max_size=6)


class FullTextTests(SynchronousTestCase):
    """The words of digests."""

    def setUp(self) -> None:
        self.path = f"{self.mktemp()}.sqlite"
        self.index = self.opened()
        self.number = self.index.folder("a", "INBOX", 1)

    def opened(self) -> Index:
        index = Index(self.path, tiny_digest)
        self.addCleanup(index.close)
        return index

    def put(self, first: int, last: int, text: str = "Hello\r\n") -> None:
        self.index.digests.take(
            self.number, [
                Unread(uid, 0, a_mail(f"mail {uid}", f"{text} {uid:05}.")) for uid in range(first, last + 1)])

    def found(self, text: str, name: str = "in_body") -> list[int]:
        return self.index.digests.containing(self.number, (name,), fold(text))

    def learn(self) -> int:
        """Learn everything; in how many goes."""
        goes = 1
        while self.index.fulltext.learn():
            goes += 1
        return goes

    def waiting(self) -> Any:
        return self.index._file.sql.execute("select count(*) from unsearched").fetchone()[0]

    def asked(self) -> list[str]:
        """The statements of each search from now on."""
        statements: list[str] = []
        self.index._file.sql.set_trace_callback(statements.append)
        return statements

    @settings(deadline=None, max_examples=150)
    @given(_DIGESTS, _DIGESTS, st.lists(_QUERY, min_size=1, max_size=8))
    def test_same(self, learned: list[Digest], waiting: list[Digest], queries: list[str]) -> None:
        """What is learned and what waits are found alike, as a plain comparison finds them."""
        index = self.index
        number = index.folder(os.urandom(8).hex(), "INBOX", 1)
        index.digests.put(number, [Unread(uid, 0, b"") for uid, _ in enumerate(learned, 1)], learned)
        while index.fulltext.learn():
            pass
        index.digests.put(number, [Unread(uid, 0, b"") for uid, _ in enumerate(waiting, 100)], waiting)
        held = dict(enumerate(learned, 1)) | dict(enumerate(waiting, 100))
        for query in queries:
            for names in (("in_body",), ("in_subject", "in_header")):
                expected = [uid for uid, digest in held.items()
                            if any(fold(query) in getattr(digest, name) for name in names)]
                self.assertEqual(index.digests.containing(number, names, fold(query)), expected, (names, query))

    def test_used(self) -> None:
        """Once learned, a text is looked for among the words; a short one still is compared with all."""
        self.put(1, 200)
        self.assertEqual(self.found("00123."), [123])
        self.learn()
        self.assertEqual(self.waiting(), 0)
        asked = self.asked()
        self.assertEqual(self.found("LLO\r\n 00123."), [123])
        self.assertEqual(self.found("mail 77", "in_subject"), [77])
        self.assertEqual(self.found("sender"), [])
        self.assertEqual(len(self.found("mÄria", "in_from")), 200)
        self.assertTrue(all("words match" in one for one in asked if "instr" in one), asked)
        self.assertEqual(len(self.found("l")), 200)
        self.assertEqual(self.found("8."), [uid for uid in range(1, 201) if uid % 10 == 8])

    def test_in_goes(self) -> None:
        """Learning is done a little at a time, and goes on after a restart."""
        self.put(1, 150)
        self.assertTrue(self.index.fulltext.learn())
        self.assertEqual(self.waiting(), 150 - fulltext._MOST)
        self.index.close()
        self.index = self.opened()
        self.number = self.index.folder("a", "INBOX", 1)
        self.learn()
        self.assertEqual(self.waiting(), 0)
        self.assertEqual(self.found(" 00150."), [150])
        self.patch(fulltext, "_OCTETS", 1000)
        self.put(151, 160, "x" * 600)
        self.assertGreater(self.learn(), 8)
        self.assertEqual(self.found("xxx 00155"), [155])

    def test_learned_of_one(self) -> None:
        """What is learned of one folder leaves the others as they are."""
        self.put(1, 100)
        other = self.index.folder("b", "INBOX", 1)
        self.index.digests.copy(self.number, other, [(uid, uid) for uid in range(1, 101)])
        ids = span(self.number)
        self.assertEqual(self.index.fulltext.unlearned(*ids), 100)
        self.assertEqual([self.index.fulltext.learn(*ids) for _ in range(2)], [True, False])
        self.assertEqual((self.index.fulltext.unlearned(*ids), self.waiting()), (0, 100))
        self.assertEqual(self.index.fulltext.waiting, 100)
        self.assertEqual(self.found("00077."), [77])
        self.learn()
        self.assertEqual((self.waiting(), self.index.fulltext.waiting), (0, 0))
        self.assertEqual(self.index.digests.containing(other, ("in_body",), "00077."), [77])

    def test_copied_and_gone(self) -> None:
        """Copies are found; what is expunged, or of a folder that is gone, is not."""
        self.put(1, 10)
        self.learn()
        other = self.index.folder("b", "INBOX", 1)
        self.index.digests.copy(self.number, other, [(3, 30), (4, 40)])
        self.index.digests.expunge(self.number, [4, 5])
        for _ in range(2):
            self.assertEqual(self.found("Hello"), [1, 2, 3, 6, 7, 8, 9, 10])
            self.assertEqual(self.index.digests.containing(other, ("in_body",), " 00004"), [40])
            self.learn()
        self.index.forget("a")
        # The number may be used again.
        self.number = self.index.folder("a", "INBOX", 2)
        self.assertEqual(self.found("Hello"), [])
        self.put(1, 1)
        self.assertEqual(self.found("Hello"), [1])

    def test_waste(self) -> None:
        """What is gone stays until there is more of it than of the rest; then all is learned anew."""
        self.patch(fulltext, "_WASTE", 20)
        self.put(1, 100)
        self.learn()
        self.index.digests.expunge(self.number, list(range(1, 41)))
        self.learn()
        self.assertEqual(self.words(" 00001."), 1)
        self.index.digests.expunge(self.number, list(range(41, 91)))
        self.assertEqual(self.found(" 00095."), [95])
        self.learn()
        self.assertEqual(self.words(" 00001."), 0)
        self.assertEqual(self.words(" 00095."), 1)
        self.assertEqual(self.found("hello"), list(range(91, 101)))

    def words(self, text: str) -> Any:
        """How many messages the table of words knows for a text."""
        return self.index._file.sql.execute("select count(*) from words where words match ?", (
            " AND ".join(fulltext._trigrams(text)),)).fetchone()[0]

    def test_range(self) -> None:
        """Of a range of UIDs only those in it."""
        self.put(1, 20)
        for _ in range(2):
            self.assertEqual(self.index.digests.containing(self.number, ("in_body",), "hello", 5, 7), [5, 6, 7])
            self.learn()

    def test_without_trigrams(self) -> None:
        """A SQLite that does not know them finds the same."""
        self.patch(fulltext, "EXTRAS", ("create virtual table words using fts5(text, tokenize='unheard-of')",))
        self.path = f"{self.mktemp()}.sqlite"
        self.index = self.opened()
        self.number = self.index.folder("a", "INBOX", 1)
        self.put(1, 20)
        self.assertFalse(self.index.fulltext.learn())
        self.assertEqual(self.found("hello\r\n 00007"), [7])
