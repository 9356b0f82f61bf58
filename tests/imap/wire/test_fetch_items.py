"""Items of FETCH, and what finds fields of a header."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.wire.fetch_items import Item, Since, parse_items, parse_modifiers
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad
from simmail.imap.wire.sequence import PartialRange

PART = st.lists(st.integers(1, 99), max_size=3)
NAME = st.text("abcDEF-", min_size=1, max_size=8)


def item(text: bytes) -> Item:
    """The one item of a text."""
    arguments = Arguments(text)
    (found,) = parse_items(arguments)
    arguments.end()
    return found


class ItemTests(SynchronousTestCase):
    """What each item means (RFC 3501 section 6.4.5)."""

    def test_simple(self) -> None:
        """Items without a section, in any case."""
        for name in ("ENVELOPE", "FLAGS", "INTERNALDATE", "RFC822.SIZE", "BODYSTRUCTURE", "UID", "MODSEQ", "EMAILID",
                     "THREADID", "SAVEDATE"):
            self.assertEqual(item(name.lower().encode()), Item(name, name.encode()))

    def test_macros(self) -> None:
        """ALL, FAST and FULL stand for others, and only alone."""
        for macro, count, last in ((b"ALL", 4, "ENVELOPE"), (b"fast", 3, "RFC822.SIZE"), (b"Full", 5, "BODY")):
            found = parse_items(Arguments(macro))
            self.assertEqual((len(found), found[-1].kind), (count, last))
        self.assertRaises(Bad, parse_items, Arguments(b"(FLAGS ALL)"))

    def test_list(self) -> None:
        """A list keeps its order, and names each once."""
        found = parse_items(Arguments(b"(UID FLAGS uid BODY.PEEK[] BODY.PEEK[])"))
        self.assertEqual([one.kind for one in found], ["UID", "FLAGS", "BODY[]"])

    def test_old(self) -> None:
        """RFC822 and its kin are sections under another label."""
        self.assertEqual(item(b"RFC822"), Item("BODY[]", b"RFC822", sets_seen=True))
        self.assertEqual(item(b"rfc822.header"), Item("BODY[]", b"RFC822.HEADER", section="HEADER"))
        self.assertEqual(item(b"RFC822.TEXT"), Item("BODY[]", b"RFC822.TEXT", section="TEXT", sets_seen=True))

    def test_sections(self) -> None:
        """Parts, kinds, partials; only what is no PEEK marks as seen."""
        found = item(b"BODY[1.2.mime]<5.10>")
        self.assertEqual((found.path, found.section, found.partial, found.sets_seen), ((1, 2), "MIME", (5, 10), True))
        self.assertEqual(found.label, b"BODY[1.2.MIME]<5>")
        found = item(b"BODY.PEEK[3]")
        self.assertEqual((found.path, found.section, found.label, found.sets_seen), ((3,), "", b"BODY[3]", False))
        self.assertEqual(item(b"body.peek[text]").label, b"BODY[TEXT]")
        self.assertEqual(item(b"BODY"), Item("BODY", b"BODY"))

    def test_bad_sections(self) -> None:
        """What is no section."""
        for text in (b"BODY[", b"BODY[]x", b"BODY[0]", b"BODY[1.]", b"BODY[MIME]", b"BODY[1TEXT]", b"BODY[FOO]",
                     b"BODY[]<1>", b"BODY[]<1.0>", b"BODY[]<.1>", b"BODY[" + b"1." * 101 + b"1]",
                     b"BODY[HEADER.FIELDS]", b"BODY[HEADER.FIELDS ()]", b"BODY[HEADER.FIELDS (a:b)]", b"FOO", b"",
                     b"BODY[HEADER.FIELDS (" + b"a " * 1001 + b"a)]", b"(" + b"BODY[1] " * 201 + b"UID)"):
            with self.assertRaises(Bad, msg=text):
                item(text)

    def test_binary(self) -> None:
        """BINARY of a part, its size, and nothing of its header (RFC 3516)."""
        self.assertEqual(item(b"BINARY[1.2]<0.3>"),
                         Item("BINARY", b"BINARY[1.2]<0>", (1, 2), partial=(0, 3), sets_seen=True))
        self.assertEqual(item(b"BINARY.PEEK[1]"), Item("BINARY", b"BINARY[1]", (1,)))
        self.assertEqual(item(b"BINARY.SIZE[]"), Item("BINARY.SIZE", b"BINARY.SIZE[]"))
        for text in (b"BINARY[1.]", b"BINARY[TEXT]", b"BINARY", b"BINARY.SIZE[1]<0.1>"):
            with self.assertRaises(Bad, msg=text):
                item(text)

    def test_preview(self) -> None:
        """PREVIEW may be lazy (RFC 8970)."""
        for text in (b"PREVIEW", b"PREVIEW (LAZY)", b"preview (lazy)"):
            self.assertEqual(item(text), Item("PREVIEW", b"PREVIEW"))

    @given(PART, st.sampled_from(["", "HEADER", "TEXT"]), st.tuples(st.integers(0, 99), st.integers(1, 99)) | st.none())
    def test_any_section(self, path: list[int], section: str, partial: tuple[int, int] | None) -> None:
        """What is written is read, and named in the answer as it was asked for but for the count."""
        inner = ".".join([*map(str, path), *([section] if section else [])])
        cut = f"<{partial[0]}.{partial[1]}>" if partial else ""
        found = item(f"BODY[{inner}]{cut}".encode())
        self.assertEqual((found.path, found.section, found.partial), (tuple(path), section, partial))
        self.assertEqual(found.label.decode(), f"BODY[{inner}]" + (f"<{partial[0]}>" if partial else ""))

    @given(st.binary(max_size=40))
    def test_nonsense(self, octets: bytes) -> None:
        """Any octets are items or Bad, and what is left of them is left."""
        arguments = Arguments(octets)
        try:
            parse_items(arguments)
        except Bad:
            return
        self.assertLessEqual(arguments.at, len(octets))


class FieldTests(SynchronousTestCase):
    """Header fields by name."""

    HEADER = (b"Subject: a\r\n b\r\nTo : x\r\nsubject:c\r\nSubjectively: no\r\nnonsense\r\n more\r\nX-a: 1\r\n\r\n")

    def test_wanted(self) -> None:
        """Fields of a name in any case, folded ones whole, with blanks before the colon."""
        found = item(b"BODY[HEADER.FIELDS (SUBJECT to)]").fields
        assert found is not None
        self.assertEqual(found.findall(self.HEADER), [b"Subject: a\r\n b\r\n", b"To : x\r\n", b"subject:c\r\n"])

    def test_others(self) -> None:
        """All but some, also what is no field; not the blank line."""
        found = item(b"BODY[HEADER.FIELDS.NOT (SUBJECT TO)]").fields
        assert found is not None
        self.assertEqual(found.findall(self.HEADER), [b"Subjectively: no\r\n", b"nonsense\r\n more\r\n", b"X-a: 1\r\n"])

    def test_label(self) -> None:
        """Names are said as they were asked for, quoted where they have to be."""
        self.assertEqual(item(b'BODY[HEADER.FIELDS (To "a(b" {1}\r\nx)]').label, b'BODY[HEADER.FIELDS (To "a(b" x)]')

    def test_many(self) -> None:
        """Of very many names no pattern is made; they are there to be compared."""
        found = item(b"BODY[HEADER.FIELDS (%b)]" % b" ".join(b"x%d" % n for n in range(40)))
        self.assertEqual((found.fields, len(found.names)), (None, 40))

    @given(st.lists(NAME, min_size=1, max_size=4), st.lists(NAME, max_size=6))
    def test_divided(self, asked: list[str], there: list[str]) -> None:
        """A field is among the wanted or among the others, never both."""
        header = "".join(f"{name}: {n}\r\n" for n, name in enumerate(there)).encode() + b"\r\n"
        names = " ".join(asked)
        wanted, others = (item(f"BODY[HEADER.FIELDS{way} ({names})]".encode()).fields for way in ("", ".NOT"))
        assert wanted is not None and others is not None
        lower = {name.lower() for name in asked}
        self.assertEqual(len(wanted.findall(header)), sum(name.lower() in lower for name in there))
        self.assertEqual(len(others.findall(header)), sum(name.lower() not in lower for name in there))


class ModifierTests(SynchronousTestCase):
    """What comes behind the items."""

    def test_all(self) -> None:
        """CHANGEDSINCE, with VANISHED, and PARTIAL."""
        for text, expected in (
            (b"", (None, None)), (b" (CHANGEDSINCE 7)", (Since(7, False), None)),
            (b" (VANISHED CHANGEDSINCE 7)", (Since(7, True), None)),
            (b" (PARTIAL -1:-5)", (None, PartialRange(1, 5, True, b"-1:-5"))),
            (b" (partial 1:5 changedsince 0)", (Since(0, False), PartialRange(1, 5, False, b"1:5"))),
        ):
            self.assertEqual(parse_modifiers(Arguments(text)), expected)

    def test_bad(self) -> None:
        """VANISHED alone, what is not known, and what comes twice."""
        for text in (b" ()", b" (VANISHED)", b" (VANISHED PARTIAL 1:2)", b" (FOO)", b" (CHANGEDSINCE)", b" x",
                     b" (PARTIAL 1:2 PARTIAL 3:4)", b" (CHANGEDSINCE 9223372036854775808)"):
            with self.assertRaises(Bad, msg=text):
                parse_modifiers(Arguments(text))
