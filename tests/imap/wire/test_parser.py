"""Tokens of commands."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.wire.parser import Arguments, internal_date
from simmail.imap.wire.replies import Bad, No


class TokenTests(SynchronousTestCase):
    """Each kind of token."""

    def test_strings(self) -> None:
        """Quotes with escapes, literals of three kinds, atoms."""
        arguments = Arguments(b'"a \\"b\\" \\\\c" {3}\r\nd\r\n {0+}\r\n ~{1}\r\n\0')
        self.assertEqual(arguments.astring(), b'a "b" \\c')
        arguments.space()
        self.assertEqual(arguments.astring(), b"d\r\n")
        arguments.space()
        self.assertEqual(arguments.astring(), b"")
        arguments.space()
        self.assertEqual(arguments.string(), b"\0")
        arguments.end()

    def test_astring(self) -> None:
        """An astring may hold a closing bracket, an atom may not."""
        self.assertEqual(Arguments(b"a]b c").astring(), b"a]b")
        self.assertEqual(Arguments(b"a]b c").atom(), b"a")
        for octets in (b"", b"(", b" a", b"%", b'"a', b"{3}\r\nab", b"{3}", b"\\a", b'"a\\"', b"{1}\r\n\0"):
            self.assertRaises(Bad, Arguments(octets).astring)

    def test_numbers(self) -> None:
        """ASCII digits only, in range."""
        self.assertEqual(Arguments(b"0012").number(), 12)
        for octets in (b"-1", b"+5", b"1_0x", b"4294967296", "٣".encode(), b"9" * 5000, b""):
            reader = Arguments(octets)
            try:
                reader.number()
                reader.end()
            except Bad:
                continue
            self.fail(octets)

    def test_flags(self) -> None:
        """System flags in their spelling, keywords as they are, Recent dropped."""
        self.assertEqual(Arguments(b"(\\SEEN \\Recent $Junk a)").flags(), ("\\Seen", "$Junk", "a"))
        self.assertEqual(Arguments(b"()").flags(), ())
        self.assertEqual(Arguments(b"(\\Recent)").flags(), ())
        for octets in (b"(\\Foo)", b"(a", b"a)", b"(a  ", b"(" + b"x" * 200 + b")", b"(a\\Seen)"):
            self.assertRaises(Bad, Arguments(octets).flags)

    def test_dates(self) -> None:
        """Dates and date-times that exist."""
        self.assertEqual(Arguments(b"1-feb-2026").date(), date(2026, 2, 1))
        self.assertEqual(Arguments(b'"29-Feb-2024"').date(), date(2024, 2, 29))
        self.assertEqual(Arguments(b'" 1-Feb-2026 10:00:00 -0130"').date_time(),
                         datetime(2026, 2, 1, 10, tzinfo=timezone(-timedelta(minutes=90))))
        for octets in (b"30-Feb-2026", b"1-Foo-2026", b"1-Feb-0000", b"x"):
            self.assertRaises(Bad, Arguments(octets).date)
        for octets in (b'" 1-Jan-0001 00:00:00 +2300"', b'" 1-Feb-2026 25:00:00 +0000"',
                       b'" 1-Feb-2026 10:00:00 +9900"'):
            self.assertRaises(Bad, Arguments(octets).date_time)

    @given(st.datetimes(timezones=st.just(UTC), min_value=datetime(1900, 1, 1), max_value=datetime(2200, 1, 1)))
    def test_internal_date(self, moment: datetime) -> None:
        """INTERNALDATE is read as the instant it shows, to the second."""
        moment = moment.replace(microsecond=0)
        self.assertEqual(Arguments(internal_date(moment)).date_time(), moment)

    @given(st.binary(max_size=40), st.sampled_from(
        ["atom", "astring", "string", "number", "mailbox", "pattern", "set", "flag", "flags", "date", "date_time"]))
    def test_any(self, octets: bytes, kind: str) -> None:
        """Any octets are a token or Bad; a name of a mailbox may be No."""
        try:
            getattr(Arguments(octets), kind)()
        except Bad:
            pass
        except No:
            self.assertIn(kind, ("mailbox", "pattern"))
