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


class ListTests(SynchronousTestCase):
    """Parenthesised lists and options: one reader for all."""

    def read(self, octets: bytes, least: int = 0) -> tuple[list[bytes], bytes]:
        """The atoms of a list, and what is left."""
        arguments = Arguments(octets)
        return [arguments.atom() for _ in arguments.listed(least)], arguments.rest()

    def test_listed(self) -> None:
        """Elements with blanks between; none where none is needed."""
        self.assertEqual(self.read(b"(a b  c) d"), ([b"a", b"b", b"c"], b" d"))
        self.assertEqual(self.read(b"()"), ([], b""))
        for octets, least in ((b"()", 1), (b"(a", 0), (b"(a(b)", 0), (b"a", 0), (b"( a)", 0), (b"(a )", 0), (b"", 1)):
            with self.assertRaises(Bad, msg=octets):
                self.read(octets, least)

    def test_places(self) -> None:
        """The reader counts."""
        arguments = Arguments(b"(a b c)")
        self.assertEqual([(place, arguments.atom()) for place in arguments.listed()], [(0, b"a"), (1, b"b"), (2, b"c")])

    @given(st.lists(st.text("abc", min_size=1, max_size=3), max_size=5))
    def test_round_trip(self, words: list[str]) -> None:
        """What is written is read."""
        self.assertEqual(self.read(f"({' '.join(words)})x".encode()), ([word.encode() for word in words], b"x"))

    def options(self, octets: bytes) -> dict[bytes, object]:
        """Some options, one of whose arguments may be left out."""
        return Arguments(octets).options(
            {b"PLAIN": None, b"SIZE": Arguments.number, b"FLAGS": Arguments.flags}, "option", optional=b"FLAGS")

    def test_options(self) -> None:
        """Words in any case, with arguments where they have some."""
        self.assertEqual(self.options(b"(plain SIZE 5 FLAGS (\\Seen))"),
                         {b"PLAIN": None, b"SIZE": 5, b"FLAGS": ("\\Seen",)})
        self.assertEqual(self.options(b"(FLAGS PLAIN)"), {b"FLAGS": None, b"PLAIN": None})
        self.assertEqual(self.options(b"(PLAIN PLAIN)"), {b"PLAIN": None})
        self.assertEqual(self.options(b"()"), {})

    def test_bad_options(self) -> None:
        """What is not known is named, and what has an argument comes once."""
        for octets, said in ((b"(FOO)", b"BAD Unknown option FOO"), (b"(SIZE 1 SIZE 2)", b"BAD More than one SIZE"),
                             (b"(SIZE)", b"BAD Missing argument"), (b"(SIZE x)", b"BAD Expected a number")):
            with self.assertRaises(Bad, msg=octets) as caught:
                self.options(octets)
            self.assertEqual(caught.exception.line, said)

    def test_partial_range(self) -> None:
        """Ranges of results from either end, as they were asked for (RFC 9394)."""
        found = Arguments(b"5:1 x").partial_range()
        self.assertEqual((found.low, found.high, found.backwards, found.text), (1, 5, False, b"5:1"))
        self.assertTrue(Arguments(b"-1:-100").partial_range().backwards)
        for octets in (b"1", b"1:", b"0:1", b"1:-1", b"-1:1", b"1:*", b"*:1", b"1:4294967296"):
            with self.assertRaises(Bad, msg=octets):
                Arguments(octets).partial_range()

    def test_follows(self) -> None:
        """A look at what is next passes over nothing."""
        arguments = Arguments(b"return (x)")
        self.assertTrue(arguments.follows(b"RETURN ("))
        self.assertFalse(arguments.follows(b"RETURN X"))
        self.assertEqual(arguments.at, 0)
