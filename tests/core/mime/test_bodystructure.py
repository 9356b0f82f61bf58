"""ENVELOPE and BODYSTRUCTURE."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.mime.bodystructure import addresses_of, body, envelope, string, structure
from simmail.core.mime.bodystructure import shown as both
from simmail.core.mime.headers import fields, header_end
from simmail.core.mime.structure import parse
from tests.core.hostile import seconds

#: Of which headers are put together that are hard to take apart.
PIECES = (
    b"Subject", b"subject ", b"FROM", b"To\t", b"Cc", b"sender", b"In-Reply-To", b"X-Foo", b"garbage line",
    b"Content-Type", b"CONTENT-Disposition", b"content-\x01", b"Content-Transfer-Encoding", b":", b":", b": ", b"\r\n",
    b"\r\n", b"\n", b"\r", b"\r\n ", b"\n\t", b" ", b"\0", b"\xff", b"a@b.test", b"Max <m@b.test>",
    b"text/plain; charset=x", b"base64", b"multipart/mixed; boundary=b", b"\r\n--b\r\n", b"message/rfc822", b"\r\n\r\n")


def shown(octets: bytes) -> bytes:
    """The BODYSTRUCTURE of a message."""
    return structure(parse(octets), octets)


class StringTests(SynchronousTestCase):
    """Strings of the protocol."""

    def test_kinds(self) -> None:
        """Quoted where it can be, literal where it cannot; NUL never goes out."""
        self.assertEqual(string(b""), b'""')
        self.assertEqual(string(b'a "b" \\'), b'"a \\"b\\" \\\\"')
        self.assertEqual(string(b"gr\xc3\xbc\xc3\x9fe"), b"{7}\r\ngr\xc3\xbc\xc3\x9fe")
        self.assertEqual(string(b"a\r\nb"), b"{4}\r\na\r\nb")
        self.assertEqual(string(b"a\0"), b"{2}\r\na\x80")


class AddressTests(SynchronousTestCase):
    """Address structures."""

    def expect(self, text: bytes, *expected: bytes) -> None:
        """C{text} is shown as these structures."""
        self.assertEqual(addresses_of(text), b"(%b)" % b"".join(b"(%b)" % one for one in expected))

    def test_usual(self) -> None:
        """The forms that real mail has."""
        self.expect(b"maria@acme.test", b'NIL NIL "maria" "acme.test"')
        self.expect(b"<maria@acme.test>", b'NIL NIL "maria" "acme.test"')
        self.expect(b"Maria Acme <maria@acme.test>", b'"Maria Acme" NIL "maria" "acme.test"')
        self.expect(b'"Acme, Maria" <maria@acme.test>', b'"Acme, Maria" NIL "maria" "acme.test"')
        self.expect(b"maria@acme.test (Maria)", b'"Maria" NIL "maria" "acme.test"')
        self.expect(b"a@b, =?utf-8?q?C?= <c@d>", b'NIL NIL "a" "b"', b'"=?utf-8?q?C?=" NIL "c" "d"')
        self.expect(b"J. R. Smith <j@b>", b'"J. R. Smith" NIL "j" "b"')
        self.expect(b"<a@[127.0.0.1]>", b'NIL NIL "a" "[127.0.0.1]"')

    def test_groups(self) -> None:
        """A group begins without a host and ends without anything (RFC 3501 section 7.4.2)."""
        self.expect(b"undisclosed-recipients:;", b'NIL NIL "undisclosed-recipients" NIL', b"NIL NIL NIL NIL")
        self.expect(b"Team: a@b, C <c@d>; e@f", b'NIL NIL "Team" NIL', b'NIL NIL "a" "b"', b'"C" NIL "c" "d"',
                    b"NIL NIL NIL NIL", b'NIL NIL "e" "f"')

    def test_routes(self) -> None:
        """An obsolete source route has its own place."""
        self.expect(b"<@one,@two:user@host>", b'NIL "@one,@two" "user" "host"')

    def test_broken(self) -> None:
        """What has no host has an empty one, never NIL, which would open a group."""
        self.expect(b"postmaster", b'NIL NIL "postmaster" ""')
        self.expect(b'"never closed <a@b', b'NIL NIL "never closed <a@b" ""')
        self.expect(b"Gr\xc3\xbc\xc3\x9fe <a@b>", b'{7}\r\nGr\xc3\xbc\xc3\x9fe NIL "a" "b"')
        self.assertEqual(addresses_of(b" , ,, "), b"NIL")
        self.assertEqual(addresses_of(None), b"NIL")


class EnvelopeTests(SynchronousTestCase):
    """The whole envelope."""

    def test_example(self) -> None:
        """The example of RFC 3501 section 8."""
        header = (
            b"Date: Wed, 17 Jul 1996 02:23:25 -0700 (PDT)\r\nFrom: Terry Gray <gray@cac.washington.edu>\r\n"
            b"Subject: IMAP4rev1 WG mtg summary and minutes\r\nTo: imap@cac.washington.edu\r\n"
            b"cc: minutes@CNRI.Reston.VA.US, John Klensin <KLENSIN@MIT.EDU>\r\n"
            b"Message-Id: <B27397-0100000@cac.washington.edu>\r\nMIME-Version: 1.0\r\n\r\n")
        gray = b'(("Terry Gray" NIL "gray" "cac.washington.edu"))'
        self.assertEqual(envelope(fields(header)), (
            b'("Wed, 17 Jul 1996 02:23:25 -0700 (PDT)" "IMAP4rev1 WG mtg summary and minutes" %b %b %b '
            b'((NIL NIL "imap" "cac.washington.edu")) '
            b'((NIL NIL "minutes" "CNRI.Reston.VA.US")("John Klensin" NIL "KLENSIN" "MIT.EDU")) NIL NIL '
            b'"<B27397-0100000@cac.washington.edu>")') % (gray, gray, gray))

    def test_empty(self) -> None:
        """A message without a header has an envelope of nothing."""
        self.assertEqual(envelope([]), b"(NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL)")

    def test_eight_bit_subject(self) -> None:
        """A raw 8-bit header is a literal."""
        self.assertIn(b"{3}\r\n\xff\xfeb", envelope(fields(b"Subject: \xff\xfeb\r\n")))


class StructureTests(SynchronousTestCase):
    """BODYSTRUCTURE and BODY."""

    def test_plain(self) -> None:
        """Defaults are spelled out."""
        octets = b"Subject: x\r\n\r\none\r\n"
        self.assertEqual(
            shown(octets), b'("text" "plain" ("charset" "us-ascii") NIL NIL "7bit" 5 1 NIL NIL NIL NIL)')
        self.assertEqual(
            body(parse(octets), octets), b'("text" "plain" ("charset" "us-ascii") NIL NIL "7bit" 5 1)')

    def test_multipart(self) -> None:
        """Parts stand side by side without blanks; extension data follow."""
        octets = (b"Content-Type: multipart/mixed; boundary=Bx\r\n\r\n--Bx\r\n\r\na\r\n--Bx\r\n"
                  b"Content-Type: image/png; name=\"a\\\"b.png\"\r\nContent-ID: <1@x>\r\n"
                  b"Content-Disposition: inline; filename=b.png\r\nContent-Transfer-Encoding: BASE64\r\n"
                  b"Content-Language: en, de\r\nContent-MD5: Q2hlY2s=\r\nContent-Location: http://x/\r\n\r\n"
                  b"AAAA\r\n--Bx--\r\n")
        self.assertEqual(shown(octets), (
            b'(("text" "plain" ("charset" "us-ascii") NIL NIL "7bit" 1 0 NIL NIL NIL NIL)'
            b'("image" "png" ("name" "a\\"b.png") "<1@x>" NIL "base64" 4 "Q2hlY2s=" '
            b'("inline" ("filename" "b.png")) ("en" "de") "http://x/") "mixed" ("boundary" "Bx") NIL NIL NIL)'))

    def test_message(self) -> None:
        """An enclosed message has its envelope, its structure and its lines."""
        octets = b"Content-Type: message/rfc822\r\n\r\nSubject: in\r\n\r\none\r\n"
        self.assertEqual(shown(octets), (
            b'("message" "rfc822" NIL NIL NIL "7bit" 20 (NIL "in" NIL NIL NIL NIL NIL NIL NIL NIL) '
            b'("text" "plain" ("charset" "us-ascii") NIL NIL "7bit" 5 1 NIL NIL NIL NIL) 3 NIL NIL NIL NIL)'))

    def test_room(self) -> None:
        """Of parts that say too much of themselves no more is told, and the structure keeps its shape."""
        mixed = b"Content-Type: multipart/mixed; boundary=x\r\n\r\n"
        said = mixed + (b"--x\r\nContent-ID: " + b'"' * 26000 + b"\r\n\r\nx\r\n") * 900
        sent = mixed + (b"--x\r\nContent-Type: message/rfc822\r\n\r\nTo: " + b"a@b," * 6000 + b"\r\n\r\nx\r\n") * 900
        for octets in (said, sent):
            part = parse(octets)
            answer = structure(part, octets)
            self.assertLess(len(answer), 3 << 20)
            self.assertTrue(balanced(answer))
            self.assertTrue(balanced(body(part, octets)))
            self.assertLess(seconds(structure, part, octets), 3.0)
        # The first ones are told whole.
        self.assertIn(b"{26000}\r\n", structure(parse(said), said))
        self.assertEqual(structure(parse(sent), sent).count(b'(NIL NIL "a" "b")') % 6000, 0)

    @given(st.binary(max_size=200), st.sampled_from([b"Content-Type: ", b"From: ", b"Content-Disposition: ", b""]))
    def test_any(self, octets: bytes, name: bytes) -> None:
        """Any octets give one balanced list, without NUL."""
        message = name + octets
        for answer in (shown(message), envelope(fields(message))):
            self.assertTrue(balanced(answer), answer)
            self.assertNotIn(b"\0", answer)

    @given(st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join))
    def test_both_at_once(self, octets: bytes) -> None:
        """What FETCH shows, from those fields alone that it tells of, is what all fields give."""
        expected = envelope(fields(octets[:header_end(octets)])), shown(octets)
        self.assertEqual(both(octets), expected)


def balanced(answer: bytes) -> bool:
    """Whether it is one parenthesised list, as a client would read it."""
    at = depth = 0
    while at < len(answer):
        char = answer[at:at + 1]
        if char == b'"':
            at += 1
            while answer[at:at + 1] != b'"':
                at += 2 if answer[at:at + 1] == b"\\" else 1
        elif char == b"{":
            end = answer.index(b"}\r\n", at)
            at = end + 2 + int(answer[at + 1:end])
        elif char == b"(":
            depth += 1
        elif char == b")":
            depth -= 1
            if not depth:
                return at == len(answer) - 1
        at += 1
    return False
