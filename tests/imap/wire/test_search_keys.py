"""Keys of SEARCH, read."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.wire.parser import Arguments, DEPTH
from simmail.imap.wire.replies import Bad, No
from simmail.imap.wire.search_keys import (
    Age, by_number, check_charset, Either, Every, Flagged, Header, Key, Messages, Modseq, Named, Not, ObjectId,
    parse_charset, parse_keys, Recent, Saved, Size, Text, When,
)

DAY = date(2026, 2, 1)


def keys(text: bytes | str) -> Every:
    """What a search asks for."""
    arguments = Arguments(text.encode() if isinstance(text, str) else text)
    found = parse_keys(arguments)
    arguments.end()
    return found


def key(text: bytes | str) -> Key:
    """One key."""
    (found,) = keys(text).keys
    return found


def written(one: Key) -> str:
    """A key as a client may write it."""
    if isinstance(one, Every):
        return "(" + " ".join(map(written, one.keys)) + ")"
    if isinstance(one, Either):
        return f"OR {written(one.first)} {written(one.second)}"
    if isinstance(one, Not):
        return f"NOT {written(one.key)}"
    if isinstance(one, Messages):
        return ("UID " if one.uid else "") + one.set.decode()
    if isinstance(one, Size):
        return f"{'LARGER' if one.larger else 'SMALLER'} {one.octets}"
    if isinstance(one, Text):
        return f'{"BODY" if one.body_only else "TEXT"} "{one.text}"'
    if isinstance(one, Age):
        return f"{'YOUNGER' if one.younger else 'OLDER'} {one.seconds}"
    assert isinstance(one, Flagged)
    return ("" if one.on else "UN") + one.flag[1:].upper()


LEAVES = st.one_of(
    st.builds(Messages, st.sampled_from([b"1", b"1:*", b"$", b"2,4:7"]), st.booleans()),
    st.builds(Flagged, st.sampled_from(["\\Seen", "\\Deleted", "\\Flagged"]), st.booleans()),
    st.builds(Size, st.booleans(), st.integers(0, 1 << 40)), st.builds(Age, st.booleans(), st.integers(1, 1 << 31)),
    st.builds(Text, st.text("abc äö", max_size=5), st.booleans()))
TREES = st.recursive(LEAVES, lambda below: st.one_of(
    st.builds(Not, below), st.builds(Either, below, below),
    st.builds(lambda some: Every(tuple(some)), st.lists(below, min_size=1, max_size=3))), max_leaves=8)


class KeyTests(SynchronousTestCase):
    """Each key (RFC 3501 section 6.4.4 and extensions)."""

    def test_flags(self) -> None:
        """Flags by name, keywords, and what is new."""
        self.assertEqual(key("answered"), Flagged("\\Answered", True))
        self.assertEqual(key("UNDRAFT"), Flagged("\\Draft", False))
        self.assertEqual(key("KEYWORD $Junk"), Flagged("$Junk", True))
        self.assertEqual(key("UNKEYWORD blue"), Flagged("blue", False))
        self.assertEqual(key("NEW"), Every((Recent(True), Flagged("\\Seen", False))))
        self.assertEqual((key("RECENT"), key("OLD")), (Recent(True), Recent(False)))

    def test_all(self) -> None:
        """ALL is no condition at all."""
        self.assertEqual(key("ALL"), Every(()))
        self.assertEqual(key("SAVEDATESUPPORTED"), Every(()))

    def test_texts(self) -> None:
        """Header fields, texts; an empty one asks whether the field is there."""
        self.assertEqual(key('SUBJECT "a b"'), Named("subject", "a b"))
        self.assertEqual(key('BCC ""'), Header("bcc", ""))
        self.assertEqual(key("HEADER X-Note Blue"), Header("x-note", "Blue"))
        self.assertEqual((key("TEXT x"), key("BODY x")), (Text("x", False), Text("x", True)))
        self.assertEqual(key(b"TEXT {3}\r\n\xc3\xbcx"), Text("üx", False))
        self.assertRaises(Bad, key, b'TEXT "\xff"')

    def test_dates(self) -> None:
        """Days of filing, of the header, of saving."""
        self.assertEqual(key("SINCE 1-Feb-2026"), When(False, ">=", DAY))
        self.assertEqual(key('SENTBEFORE "1-feb-2026"'), When(True, "<", DAY))
        self.assertEqual(key("SAVEDON 1-Feb-2026"), Saved("=", DAY))
        self.assertRaises(Bad, key, "ON 30-Feb-2026")

    def test_numbers(self) -> None:
        """Sizes of 63 bits, ages from one second on, mod-sequences with or without an entry."""
        self.assertEqual(key("LARGER 9223372036854775807"), Size(True, (1 << 63) - 1))
        self.assertEqual(key("OLDER 3600"), Age(False, 3600))
        self.assertEqual(key("MODSEQ 5"), Modseq(5))
        self.assertEqual(key('MODSEQ "/flags/\\\\seen" all 5'), Modseq(5))
        for text in ("LARGER -1", "YOUNGER 0", 'MODSEQ "/flags/x" nobody 5', "SMALLER 9223372036854775808"):
            self.assertRaises(Bad, key, text)

    def test_object_ids(self) -> None:
        """Identifiers as they are."""
        self.assertEqual(key("EMAILID Mab"), ObjectId("EMAILID", "Mab"))
        self.assertEqual(key("THREADID Tcd"), ObjectId("THREADID", "Tcd"))

    def test_unknown(self) -> None:
        """Another word is Bad, and so is a key without what it needs."""
        for text in ("FOO", "FOO x", "", "NOT", "OR SEEN", "(SEEN", "()", "SUBJECT", "KEYWORD \\Seen", "HEADER x"):
            with self.assertRaises(Bad, msg=text):
                keys(text)

    @given(TREES)
    def test_round_trip(self, tree: Key) -> None:
        """What is written is read."""
        self.assertEqual(key(written(tree)), tree)

    @given(st.binary(max_size=40))
    def test_nonsense(self, octets: bytes) -> None:
        """Any octets are keys, or Bad."""
        try:
            parse_keys(Arguments(octets))
        except Bad:
            pass

    def test_bounds(self) -> None:
        """Neither depth nor count is without end."""
        inner = "(" * DEPTH + "SEEN" + ")" * DEPTH
        self.assertIsInstance(key(inner), Every)
        self.assertRaises(Bad, key, f"({inner})")
        self.assertRaises(Bad, key, "NOT " * (DEPTH + 1) + "SEEN")
        self.assertEqual(len(keys("SEEN " * 4999 + "SEEN").keys), 5000)
        self.assertRaises(Bad, keys, "SEEN " * 5000 + "SEEN")


class NumberTests(SynchronousTestCase):
    """Which searches name sequence numbers (RFC 9586)."""

    def test_by_number(self) -> None:
        """Sets of numbers anywhere; UIDs and the saved result are none."""
        for text, expected in (
            ("1:3", True), ("UID 1:3", False), ("$", False), ("SEEN", False), ("NOT 1", True), ("OR SEEN 2", True),
            ("OR 2 SEEN", True), ("(SEEN (UNSEEN 4))", True), ("SEEN UID 1 $", False),
        ):
            self.assertEqual(by_number(keys(text)), expected, text)


class CharsetTests(SynchronousTestCase):
    """CHARSET."""

    def test_known(self) -> None:
        """Two are known, in any case; what follows is left."""
        for name in (b"utf-8", b"US-ASCII"):
            arguments = Arguments(b"CHARSET " + name + b" SEEN")
            parse_charset(arguments, False)
            self.assertEqual(arguments.rest(), b"SEEN")

    def test_unknown(self) -> None:
        """Any other is refused with those that are known."""
        with self.assertRaises(No) as caught:
            check_charset(b"KOI8-R")
        self.assertEqual(caught.exception.line, b"NO [BADCHARSET (US-ASCII UTF-8)] Charset not known")

    def test_utf8(self) -> None:
        """None once UTF8=ACCEPT is enabled (RFC 6855 section 3); without one it is all the same."""
        self.assertRaises(Bad, parse_charset, Arguments(b"CHARSET UTF-8 SEEN"), True)
        arguments = Arguments(b"SEEN")
        parse_charset(arguments, True)
        self.assertEqual(arguments.at, 0)
