"""Flags and dates as the store keeps them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.time.instant import microseconds, of_microseconds
from simmail.errors import Invalid
from simmail.mailstore.maildir.filename import bit_of_keyword, letters_of, mask_of
from simmail.mailstore.maildir.flags import canonical, canonical_all, is_keyword


class FlagTests(SynchronousTestCase):
    """Spelling and bits."""

    def test_canonical(self) -> None:
        """System flags are spelled one way; keywords stay, once each regardless of case."""
        self.assertEqual([canonical(flag) for flag in ("\\SEEN", "\\answered", "$forwarded", "$MDNSent")],
                         ["\\Seen", "\\Answered", "$Forwarded", "$MDNSent"])
        self.assertEqual(canonical_all(["a", "\\seen", "A", "\\Seen", "b"]), ("A", "\\Seen", "b"))
        self.assertEqual([is_keyword(flag) for flag in ("\\Seen", "$Forwarded", "x")], [False, False, True])

    def test_refused(self) -> None:
        """What is no flag that can be stored."""
        for flag in ("", "\\Recent", "\\X", "a b", "a(", "]", "ä", "a\r", "x" * 65, "%"):
            self.assertRaises(Invalid, canonical, flag)

    @given(st.integers(0, 2**32 - 1))
    def test_letters(self, mask: int) -> None:
        """Every set of flags has its letters, sorted as Maildir asks for, and comes back."""
        letters = letters_of(mask)
        self.assertEqual(mask_of(letters), mask)
        self.assertEqual(list(letters), sorted(set(letters)))

    def test_letters_of_maildir(self) -> None:
        """Letters mean what they mean to all programs; unknown ones mean nothing."""
        self.assertEqual(letters_of(mask_of("SRFTDP")), "DFPRST")
        self.assertEqual(mask_of("XY1"), 0)
        self.assertEqual(mask_of("az"), bit_of_keyword(0) | bit_of_keyword(25))


class DateTests(SynchronousTestCase):
    """Instants."""

    @given(st.datetimes(min_value=datetime(1900, 1, 1), max_value=datetime(2400, 1, 1)), st.integers(-23, 23))
    def test_there_and_back(self, naive: datetime, hours: int) -> None:
        """An instant comes back to the microsecond, in UTC."""
        at = naive.replace(tzinfo=timezone(timedelta(hours=hours)))
        self.assertEqual(of_microseconds(microseconds(at)), at)
        self.assertEqual(of_microseconds(microseconds(at)).tzinfo, UTC)

    def test_naive(self) -> None:
        """Without a zone it is no instant."""
        self.assertRaises(Invalid, microseconds, datetime(2026, 1, 1))
