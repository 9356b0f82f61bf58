"""Tests for C{simmail.core.insights.campaign}."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.insights.campaign import LONGEST, clean_subject, name_words, without_people
from tests.core.hostile import seconds

MARIA = frozenset(("maria", "rossi"))


class SubjectTests(SynchronousTestCase):
    """What is left of a subject."""

    def test_cleaned(self) -> None:
        """Reply marks of any language, numbers, addresses and names go, with what is empty without them."""
        for subject, cleaned in (
            ("AW: WG: Re: Invoice INV-2041 for Maria Rossi", "Invoice for"), ("[list] Fwd: Maria's offer", "offer"),
            ("Maria, your order #4711 has shipped!", "your order has shipped!"), ("Lease (LEASE-3)", "Lease"),
            ("50 % off until 2026-03-02", "off until"), ("Write to a@b.test or www.b.test", "Write to or"),
            ("4711", ""), ("", ""), ("Due (3 May)", "Due May"), ("RE: tr : Hello - 3", "Hello"),
        ):
            self.assertEqual(clean_subject(subject, MARIA), cleaned)

    def test_words_that_are_names(self) -> None:
        """A word in lower case is no name, and a part of a word is none."""
        self.assertEqual(clean_subject("Mark the date, Marketing: mark it, Mark", {"mark"}),
                         "the date, Marketing: mark it")

    def test_names(self) -> None:
        """Names are known, or suggested by the address; what somebody does is no name."""
        self.assertEqual(name_words("x@y.test", "Jean-Luc O'Neil"), {"jean-luc", "jean", "luc", "o'neil", "neil"})
        self.assertEqual(name_words("maria.rossi12@acme.test"), MARIA)
        self.assertEqual(name_words("billing@acme.test"), frozenset())

    def test_people(self) -> None:
        """Whole names go from what is shown to others, one of their words does not."""
        people = {"john smith", "anna maria berg"}
        self.assertEqual(without_people("Meeting with John Smith: notes", people), "Meeting with notes")
        self.assertEqual(without_people("Anna Maria Berg and John", people), "and John")
        self.assertEqual(without_people("News of smith", people), "News of smith")

    @settings(max_examples=200, deadline=None)
    @given(st.text(max_size=600), st.sets(st.sampled_from(("maria", "rossi"))))
    def test_any(self, subject: str, names: set[str]) -> None:
        """Whatever the subject, no digit, no address and no name is left, and cleaning it again changes nothing."""
        cleaned = clean_subject(subject + " Maria 3 a@b.test", names | {"maria"})
        self.assertLessEqual(len(cleaned), LONGEST)
        self.assertFalse(any(one.isdigit() and one.isdecimal() for one in cleaned) or "@" in cleaned)
        self.assertNotIn("Maria", cleaned.split())

    def test_hostile(self) -> None:
        """A long one costs no more than a short one."""
        for subject in ("Re: " * 50_000, "((((" * 50_000, "a" * 200_000, "[x] " * 50_000):
            self.assertLess(seconds(clean_subject, subject), 0.1)
