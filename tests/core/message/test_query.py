"""Tests for C{simmail.core.message.query}."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.query import MOST, Term, parse
from simmail.errors import Invalid


class QueryTests(SynchronousTestCase):
    """What people type, as terms."""

    def test_words_and_phrases(self) -> None:
        """Words are in lower case; quotes hold blanks together, also one that is never closed."""
        self.assertEqual(parse(' Budget "For March" '), (Term("text", "budget"), Term("text", "for march")))
        self.assertEqual(parse('"open end'), (Term("text", "open end"),))
        self.assertEqual(parse('"from:maria"'), (Term("text", "from:maria"),))
        self.assertEqual(parse(""), ())

    def test_keys(self) -> None:
        """A key that is known is one; what is not is a word."""
        self.assertEqual(parse('From:"Maria Keller"'), (Term("from", "maria keller"),))
        self.assertEqual(parse("re:x http://x.test"), (Term("text", "re:x"), Term("text", "http://x.test")))
        self.assertEqual(parse("header:X-Id=A=b"), (Term("header", "a=b", name="x-id"),))

    def test_unknown(self) -> None:
        """A search word that is not known is refused, with those that are; text with a colon is text."""
        for text, word in (("foo:bar", "foo"), ("budget -Form:maria", "Form"), ('sender:"Maria Keller"', "sender"),
                           ("has-attachment:yes", "has-attachment"), ("is_unread:1", "is_unread")):
            with self.assertRaises(Invalid) as caught:
                parse(text, "query")
            self.assertIn(f"{word}: is no search word; there are after:, before:, case:", str(caught.exception))
            self.assertEqual(caught.exception.field, "query")
        for text in ("Re:", "RE:budget", "AW:x", "http://x.test:80/y", "mailto:a@b.test", "10:30", "x.test:80", "a@b:c",
                     "std::string", "foo:", '"foo:bar"', 'x"foo:bar"', "50%:y", "größe:7", ":x", "Fwd:"):
            self.assertEqual([term.field for term in parse(text)], ["text"], text)

    def test_folded(self) -> None:
        """Texts are as they are compared."""
        self.assertEqual(parse("GRÜSSE from:STRAßE"), (Term("text", "gru\u0308sse"), Term("from", "strasse")))

    def test_not(self) -> None:
        """A minus turns a term round; one alone, or within a word, is text."""
        self.assertEqual(parse("-is:unread"), (Term("flag", "\\Seen", False, on=False),))
        self.assertEqual(parse("- a-b -"), (Term("text", "-"), Term("text", "a-b"), Term("text", "-")))

    def test_sizes_and_dates(self) -> None:
        """Sizes with units, days and instants."""
        self.assertEqual([parse(f"larger:{one}")[0].size for one in ("20", "20k", "5M", "2KB")],
                         [20, 20480, 5242880, 2048])
        self.assertEqual(parse("after:2026-03-01")[0].at, datetime(2026, 3, 1, tzinfo=UTC))
        self.assertEqual(parse("before:2026-03-01t09:30:00z")[0].at, datetime(2026, 3, 1, 9, 30, tzinfo=UTC))

    @given(st.text(alphabet='ab:"- =kM0\t\u00e4\\', max_size=60) | st.text(max_size=40))
    def test_anything(self, text: str) -> None:
        """Anything is terms or a refusal that says what is wrong."""
        try:
            terms = parse(text)
        except Invalid as error:
            self.assertIn(":", str(error))
            return
        self.assertLessEqual(len(terms), MOST)
        for term in terms:
            self.assertTrue(term.field != "text" or term.text)
