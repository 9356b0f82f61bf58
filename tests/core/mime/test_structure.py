"""The MIME structure as offsets."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.mime.headers import fields, head_among, head_of, header_end, value
from simmail.core.mime.structure import DEPTH, Part, parse
from tests.core.hostile import seconds

NESTED = b"\r\n".join([
    b"Subject: outer", b"Content-Type: multipart/mixed; boundary=outer", b"", b"preamble",
    b"--outer", b"Content-Type: multipart/alternative;", b" boundary=\"in ner\"", b"",
    b"--in ner", b"Content-Type: text/plain; charset=utf-8", b"", b"hello", b"world",
    b"--in ner  ", b"Content-Type: text/html", b"", b"<p>hello</p>", b"--in ner--", b"",
    b"--outer", b"Content-Type: message/rfc822", b"", b"Subject: inner", b"", b"letter", b"",
    b"--outer", b"Content-Type: application/pdf; name*0*=utf-8''a%20; name*1=\"b.pdf\"",
    b"Content-Disposition: attachment; filename=my file.pdf", b"Content-Transfer-Encoding: base64", b"", b"AAAA",
    b"--outer--", b"epilogue", b""])


def texts(part: Part, octets: bytes) -> object:
    """The contents of all leaves, nested as the parts are."""
    if part.parts:
        return [texts(one, octets) for one in part.parts]
    return octets[part.body:part.end]


class StructureTests(SynchronousTestCase):
    """Well-formed mail."""

    def test_plain(self) -> None:
        """A message without MIME fields is one plain text part."""
        octets = b"Subject: hi\r\n\r\none\r\ntwo\r\n"
        part = parse(octets)
        self.assertEqual((part.head.type, part.head.subtype, part.lines, part.parts), (b"text", b"plain", 2, ()))
        self.assertEqual(octets[part.body:part.end], b"one\r\ntwo\r\n")

    def test_nested(self) -> None:
        """Parts nest; the line end before a delimiter belongs to the delimiter."""
        self.assertEqual(
            texts(parse(NESTED), NESTED),
            [[b"hello\r\nworld", b"<p>hello</p>"], [b"letter\r\n"], b"AAAA"])

    def test_paths(self) -> None:
        """Part numbers count as RFC 3501 section 6.4.5 says."""
        part = parse(NESTED)
        found = {path: part.find(path) for path in [(1, 1), (1, 2), (2, 1), (3,)]}
        self.assertEqual(
            [NESTED[one.body:one.end] for one in found.values() if one],
            [b"hello\r\nworld", b"<p>hello</p>", b"letter\r\n", b"AAAA"])
        for path in [(4,), (1, 3), (1, 1, 1), (2, 2), (2, 1, 1), (3, 1)]:
            self.assertIsNone(part.find(path))

    def test_path_of_a_single_part(self) -> None:
        """The text of a message that is no multipart is part 1, and nothing is below it."""
        part = parse(b"Subject: x\r\n\r\nbody")
        self.assertIs(part.find((1,)), part)
        self.assertIsNone(part.find((1, 1)))
        self.assertIsNone(part.find((2,)))

    def test_path_into_a_bare_message(self) -> None:
        """Of a message that is nothing but an enclosed one, 1 is that message and 1.1 its text."""
        octets = b"Content-Type: message/rfc822\r\n\r\nSubject: in\r\n\r\ntext"
        part = parse(octets)
        first, second = part.find((1,)), part.find((1, 1))
        assert first is not None and second is not None
        self.assertEqual(octets[first.body:first.end], b"Subject: in\r\n\r\ntext")
        self.assertEqual(octets[second.body:second.end], b"text")

    def test_heads(self) -> None:
        """RFC 2231 segments are joined; a file name with a blank and without quotes is read whole."""
        head = parse(NESTED).parts[2].head
        self.assertEqual(head.parameters, ((b"name*", b"utf-8''a%20b.pdf"),))
        self.assertEqual(head.disposition, (b"attachment", ((b"filename", b"my file.pdf"),)))
        self.assertEqual(head.encoding, b"base64")

    def test_digest_default(self) -> None:
        """In multipart/digest a part without a type is a message."""
        octets = b"Content-Type: multipart/digest; boundary=x\r\n\r\n--x\r\n\r\nSubject: a\r\n\r\nA\r\n--x--\r\n"
        (only,) = parse(octets).parts
        self.assertTrue(only.is_message)

    def test_bare_line_feeds(self) -> None:
        """Line feeds alone end lines too."""
        octets = NESTED.replace(b"\r\n", b"\n")
        self.assertEqual(texts(parse(octets), octets), [[b"hello\nworld", b"<p>hello</p>"], [b"letter\n"], b"AAAA"])


class BrokenTests(SynchronousTestCase):
    """Mail that is not as it should be."""

    def test_no_parts(self) -> None:
        """A multipart in which no delimiter is found shows its content as one text."""
        for head in (b"boundary=x", b"", b'boundary=""'):
            octets = b"Content-Type: multipart/mixed; " + head + b"\r\n\r\nthe text\r\n"
            part = parse(octets)
            self.assertTrue(part.is_multipart)
            self.assertEqual(texts(part, octets), [b"the text\r\n"])

    def test_never_closed(self) -> None:
        """Without a closing delimiter all ends at the end."""
        octets = NESTED[:NESTED.index(b"--in ner--")]
        self.assertEqual(texts(parse(octets), octets), [[b"hello\r\nworld", b"<p>hello</p>\r\n"]])

    def test_delimiter_without_line_end(self) -> None:
        """A delimiter that the message ends in, before its line does, closes a part and begins none."""
        for cut in (b"", b" ", b"\r"):
            octets = NESTED[:NESTED.index(b"--in ner  ")] + b"--in ner" + cut
            self.assertEqual(texts(parse(octets), octets), [[b"hello\r\nworld"]])
        self.assertEqual(texts(parse(octets + b"\n"), octets + b"\n"), [[b"hello\r\nworld", b""]])
        alone = b"Content-Type: multipart/mixed; boundary=x\r\n\r\n--x"
        self.assertEqual(texts(parse(alone), alone), [b"--x"])

    def test_inner_never_closed(self) -> None:
        """A delimiter of an outer multipart ends the inner ones."""
        octets = NESTED.replace(b"--in ner--\r\n", b"")
        self.assertEqual(
            texts(parse(octets), octets), [[b"hello\r\nworld", b"<p>hello</p>\r\n"], [b"letter\r\n"], b"AAAA"])

    def test_header_cut_by_delimiter(self) -> None:
        """A delimiter in a header section ends the part, which is empty."""
        head = b"Content-Type: multipart/mixed; boundary=x\r\n\r\n"
        octets = head + b"--x\r\nContent-Type: text/html\r\n--x\r\n\r\nb\r\n--x--"
        part = parse(octets)
        self.assertEqual(texts(part, octets), [b"", b"b"])
        self.assertEqual(part.parts[0].head.subtype, b"html")

    def test_same_boundary_inside(self) -> None:
        """An inner multipart may use the boundary of the outer one."""
        inner = b"Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\ninner\r\n--x--\r\n"
        octets = b"Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n" + inner + b"--x\r\n\r\nouter\r\n--x--\r\n"
        self.assertEqual(texts(parse(octets), octets), [[b"inner"], b"outer"])

    def test_bad_types(self) -> None:
        """What is no media type is plain text (RFC 2045 section 5.2)."""
        for text in (b"text", b";", b"/", b"text/", b"\xff\xfe", b'"text/html"'):
            head = parse(b"Content-Type: " + text + b"\r\n\r\nx").head
            self.assertEqual((head.type, head.subtype), (b"text", b"plain"))

    def test_trailing_semicolon(self) -> None:
        """A semicolon at the end of a Content-Type is nothing."""
        head = parse(b"Content-Type: text/html; charset=utf-8;\r\n\r\nx").head
        self.assertEqual((head.subtype, head.parameters), (b"html", ((b"charset", b"utf-8"),)))


class LimitTests(SynchronousTestCase):
    """Structures without end."""

    def test_depth(self) -> None:
        """What is nested deeper than the limit is one opaque part."""
        octets = b"Content-Type: message/rfc822\r\n\r\n" * 50 + b"text"
        part, levels = parse(octets, depth=10), 0
        while part.parts:
            part, levels = part.parts[0], levels + 1
        self.assertEqual((levels, part.head.subtype), (10, b"octet-stream"))
        self.assertTrue(octets[part.body:part.end].endswith(b"text"))

    def test_parts(self) -> None:
        """The parts past the limit are one opaque part."""
        octets = b"Content-Type: multipart/mixed; boundary=x\r\n\r\n" + b"--x\r\n\r\na\r\n" * 50 + b"--x--\r\n"
        part = parse(octets, parts=10)
        self.assertEqual(len(part.parts), 9)
        self.assertEqual([one.head.subtype for one in part.parts[-2:]], [b"plain", b"octet-stream"])
        self.assertEqual(octets.count(b"--x\r\n", part.parts[-1].body), 50 - 9)

    def test_linear(self) -> None:
        """Hostile shapes of 2 MiB take time in proportion, well under what one quadratic step would."""
        size = 1 << 21
        head = b"Content-Type: multipart/mixed; boundary=x\r\n\r\n"
        for octets in (
            head + b"\n--y" * (size // 4), head + b"--x\r\n\r\n" * (size // 7),
            head + b"--x\r\na: b\r\n" * (size // 11),
            b"Content-Type: message/rfc822\r\n\r\n" * (size // 32), b"\n" * size, b"a:\n " * (size // 4),
            b"".join(b"Content-Type: multipart/a; boundary=x%d\r\n\r\n--x%d\r\n" % (i, i) for i in range(200))
            + b"\n" * size,
            b"Content-Type: a/b" + b";x*1=\"" * (size // 6), b"Content-Type: a/b" + b"(\"" * (size // 2),
        ):
            self.assertLess(seconds(parse, octets), 5.0)

    def test_dashes(self) -> None:
        """25 MiB of lines that begin like a delimiter take well under a second, also when the open parts change."""
        size = 25 << 20
        head = b"Content-Type: multipart/mixed; boundary=x\r\n\r\n"
        part = b"Content-Type: multipart/a; boundary=z%d\r\n\r\n"
        for octets in (
            head + b"\n--" * (size // 3), head + b"\n--y" * (size // 4), head + b"\n-- a b c d " * (size // 12),
            head + b"\n--" + b"y " * (size // 2), head + b"\n--" + b" " * size, head + b"\n--  \t" * (size // 6),
            b"".join(part % i + b"--z%d\r\n" % i for i in range(99)) + b"\n--y" * (size // 4),
            head + b"".join(b"--x\n" + part % i + b"\n--y" * 6000 + b"\n" for i in range(900)),
        ):
            self.assertLess(seconds(parse, octets), 3.0)

    def test_windows(self) -> None:
        """A delimiter is found wherever it stands among lines that look like one, long ones and short ones."""
        for before in (*range(4000, 4200), 9_000, 100_000):
            for filler in (b"--y\n" * (before // 4), b"\n" + b"-" * before, b"--" + b"y " * (before // 2)):
                octets = b"Content-Type: multipart/mixed; boundary=x\n\n--x\n\n" + filler + b"\n--x-- \t\r\nafter"
                inner = parse(octets).parts[0]
                self.assertEqual(octets[inner.body:inner.end], filler)

    def test_many_fields(self) -> None:
        """Parts with very many fields cost what their octets cost."""
        octets = b"Content-Type: multipart/mixed; boundary=x\r\n\r\n" + (
            b"--x\r\n" + b"a:b\r\n" * 5000 + b"Content-ID: <1>\r\n\r\nt\r\n") * 900
        self.assertLess(seconds(parse, octets), 2.0)
        self.assertEqual({one.head.id for one in parse(octets).parts}, {b"<1>"})


LINES = st.sampled_from([
    b"", b"--x", b"--x--", b"--y", b"--y--", b"text", b"Content-Type: multipart/mixed; boundary=x",
    b"Content-Type: multipart/digest; boundary=\"y\"", b"Content-Type: message/rfc822", b"Content-Type: text/html",
    b"Subject: s", b" folded", b"\xff\x00", b"Content-Type: ;=\"", b"--", b"\r"])


class AnyTests(SynchronousTestCase):
    """Any octets have a structure."""

    def check(self, octets: bytes) -> None:
        """Parts lie inside their parent, in order, with sane offsets."""
        waiting = [parse(octets, depth=8, parts=20)]
        while waiting:
            part = waiting.pop()
            self.assertLessEqual(0, part.start)
            self.assertLessEqual(part.start, part.body)
            self.assertLessEqual(part.body, part.end)
            self.assertLessEqual(part.end, len(octets))
            self.assertGreaterEqual(part.lines, 0)
            at = part.body
            for one in part.parts:
                self.assertGreaterEqual(one.start, at)
                at = one.end
            waiting.extend(part.parts)

    @given(st.binary(max_size=300))
    def test_any_octets(self, octets: bytes) -> None:
        """Random octets."""
        self.check(octets)

    @given(st.lists(LINES, max_size=40), st.sampled_from([b"\r\n", b"\n"]))
    def test_any_lines(self, lines: list[bytes], end: bytes) -> None:
        """Random lines of the kind that matter."""
        self.check(end.join(lines))


BOUNDARIES = st.sampled_from([b"x", b"xy", b"x--", b"y", b"y z", b"=_1"])
ENDS = st.sampled_from([b"\r\n", b"\n"])
HEADS = st.sampled_from([
    b"", b"Content-Type: text/plain; charset=utf-8", b"Content-Type: text/html", b"CONTENT-TYPE : text/html",
    b"Content-Disposition: attachment;\r\n\tfilename=a.pdf", b"Content-Type: message/rfc822", b"Subject: s",
    b"Content-Type: message/rfc822\r\n\r\nSubject: in", b"Content-Type"])
TEXTS = st.sampled_from([
    b"", b"text", b"--", b"--x", b"--x-", b"--x--", b"-- x", b"--y  ", b"\r", b"a\n\n--xy", b"\r\n\r\n", b" --x",
    b"\xff\0"])
KINDS = st.sampled_from([b"mixed", b"alternative", b"digest", b"related"])


@st.composite
def entities(draw: st.DrawFn, depth: int = 4) -> bytes:
    """A part as programs write them, more or less; often a multipart of such."""
    end = draw(ENDS)
    if not depth or draw(st.integers(0, 2)) == 0:
        return draw(HEADS) + end + draw(st.sampled_from([end, b"", b"a: b" + end + end])) + draw(TEXTS)
    boundary, after = draw(BOUNDARIES), draw(st.sampled_from([b"", b"", b" \t", b"\x0b", b" --"]))
    shown = boundary + draw(st.sampled_from([b"", b"", b"", b" ", b"z"]))
    pieces = [b'Content-Type: multipart/%b; boundary="%b"' % (draw(KINDS), shown) + end + end + draw(TEXTS)]
    for part in draw(st.lists(entities(depth - 1), max_size=draw(st.sampled_from([1, 3, 11])))):
        pieces.append(end + b"--" + boundary + after + end + part)
    last = end + b"--" + boundary
    pieces.append(draw(st.sampled_from([b"", end, last + b"--", last])))
    return b"".join(pieces) + draw(st.sampled_from([b"", end, end + b"epilogue"]))


class ShortcutTests(SynchronousTestCase):
    """Most messages are looked through without keeping account of what is open; nobody can tell."""

    def check(self, octets: bytes) -> None:
        """C{octets} have the same structure either way; with another limit no short cut is taken."""
        self.assertEqual(parse(octets), parse(octets, DEPTH - 1))
        body = header_end(octets)
        self.assertEqual(head_among(fields(octets[:body])), head_of(octets[:body]))

    @given(entities())
    def test_written(self, octets: bytes) -> None:
        """Messages nearly as programs write them."""
        self.check(octets)

    @given(st.lists(LINES, max_size=40), ENDS)
    def test_any_lines(self, lines: list[bytes], end: bytes) -> None:
        """Random lines of the kind that matter."""
        self.check(end.join([b"Content-Type: multipart/mixed; boundary=x", b"", *lines]))

    def test_real(self) -> None:
        """All messages that other tests have."""
        for path in Path(__file__).parents[2].rglob("*.eml"):
            octets = path.read_bytes()
            self.check(octets)
            self.check(octets.replace(b"\n", b"\r\n"))

    def test_many(self) -> None:
        """More parts, and more levels, than the short cut knows."""
        for parts, levels in ((9, 3), (10, 1), (9, 4), (2, 9)):
            octets = b"text"
            for level in range(levels):
                octets = b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n" % level + (
                    b"--b%d\r\n" % level + octets + b"\r\n") * parts + b"--b%d--\r\n" % level
            self.check(octets)


class FieldTests(SynchronousTestCase):
    """Header fields."""

    def test_fields(self) -> None:
        """Fields come in order, whole and raw; what is no field is left out."""
        header = b"From x\r\nA: 1\r\nB:2\r\n\tmore\r\nno field\r\nA : 3\r\n\r\n"
        self.assertEqual(fields(header), [(b"a", b"A: 1\r\n"), (b"b", b"B:2\r\n\tmore\r\n"), (b"a", b"A : 3\r\n")])

    def test_value(self) -> None:
        """A value is unfolded; the white space of the fold stays."""
        self.assertEqual(value(b"B: one\r\n\ttwo \r\n"), b"one\ttwo")
