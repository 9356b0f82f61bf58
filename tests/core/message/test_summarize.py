"""Taking digests."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.base_subject import base_subject, is_reply
from simmail.core.message.summarize import digest, preview
from simmail.core.message.summary import Enclosed
from simmail.core.mime.address import Address
from tests.core.hostile import seconds

MESSAGE = (
    "From: =?utf-8?q?J=C3=BCrgen?= <juergen@acme.test>\r\nTo: a@sim.test, B <b@sim.test>\r\nCc: c@sim.test\r\n"
    "Subject: =?utf-8?b?UmU6IEdyw7zDn2U=?=\r\nDate: Thu, 1 Jan 2026 09:00:00 +0100\r\nMessage-ID: <2@acme.test>\r\n"
    "In-Reply-To: <1@sim.test>\r\nReferences: <0@sim.test>\r\n <1@sim.test>\r\n"
    "Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: multipart/alternative; boundary=y\r\n\r\n"
    "--y\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
    "Sch=C3=B6ne   Gr=C3=BC=\r\n=C3=9Fe\r\n--y\r\nContent-Type: text/html\r\n\r\n<p>other</p>\r\n--y--\r\n"
    "--x\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename*=utf-8''a%C3%A4%20b.pdf\r\n\r\n"
    "AAAA\r\n--x--\r\n").encode()


class DigestTests(SynchronousTestCase):
    """What the index keeps."""

    def test_whole(self) -> None:
        """Every field of an ordinary message."""
        taken = digest(MESSAGE)
        self.assertEqual(taken.header, MESSAGE[:MESSAGE.index(b"\r\n\r\n") + 4])
        self.assertEqual((taken.message_id, taken.in_reply_to), ("<2@acme.test>", "<1@sim.test>"))
        self.assertEqual(taken.references, ("<0@sim.test>", "<1@sim.test>"))
        self.assertEqual((taken.subject, taken.base_subject), ("Re: Grüße", "Grüße"))
        self.assertEqual(taken.from_, (Address("Jürgen", "juergen@acme.test"),))
        self.assertEqual(taken.to, (Address("", "a@sim.test"), Address("B", "b@sim.test")))
        self.assertEqual(taken.cc, (Address("", "c@sim.test"),))
        self.assertEqual(taken.sent, datetime(2026, 1, 1, 9, tzinfo=timezone(timedelta(hours=1))))
        self.assertEqual(taken.text.strip(), "Schöne   Grüße")
        self.assertEqual(taken.preview, "Schöne Grüße")
        self.assertEqual(taken.filenames, ("aä b.pdf",))
        self.assertEqual(taken.attachments, (Enclosed("aä b.pdf", "application/pdf", 4),))
        self.assertEqual(taken.format, "both")
        self.assertTrue(taken.envelope.startswith(b'("Thu, 1 Jan 2026 09:00:00 +0100" "=?utf-8?b?'))
        self.assertIn(b'"alternative"', taken.structure)
        self.assertIn(b'"alternative"', taken.body)

    def test_html_only(self) -> None:
        """HTML is searched as what it shows."""
        taken = digest(b"Content-Type: text/html\r\n\r\n<style>p{}</style><p>Hello&nbsp;<b>you</b><!-- no --></p>")
        self.assertEqual(taken.preview, "Hello you")

    def test_routes(self) -> None:
        """Routes are no part of an address, but are searched: ENVELOPE has them (RFC 3501 section 6.4.4)."""
        taken = digest(b"From: Ann <@A.test,@b.test:ann@c.test>\r\nTo: x@d.test, <@e.test:y@f.test>\r\n"
                       b"Cc: z@g.test\r\n\r\n")
        self.assertEqual(taken.from_, (Address("Ann", "ann@c.test"),))
        self.assertEqual(taken.in_from, "ann <ann@c.test>\n@a.test,@b.test")
        self.assertIn("@e.test", taken.in_to)
        self.assertNotIn("@a.test", taken.in_to)
        self.assertEqual(taken.in_cc, " <z@g.test>")

    @given(st.binary(max_size=400))
    def test_any(self, octets: bytes) -> None:
        """Any octets have a digest."""
        self.assertEqual(digest(octets).envelope[:1], b"(")

    def test_hostile(self) -> None:
        """Hostile bodies take no time."""
        for piece in (b"<", b"<style", b"<!--", b"<div>", b"&"):
            octets = piece * ((1 << 20) // len(piece))
            self.assertLess(seconds(digest, b"Content-Type: text/html\r\n\r\n" + octets) + seconds(
                digest, b"Subject: " + octets[:90000] + b"\r\nDate: " + octets + b"\r\nReferences: " + octets
                + b"\r\n\r\n"), 5.0)


class BaseSubjectTests(SynchronousTestCase):
    """RFC 5256 section 2.1."""

    def test_table(self) -> None:
        """Prefixes, blobs and trailers come off; what is left alone stays."""
        for subject, expected in (
            ("hello", "hello"), ("Re: hello", "hello"), ("RE: Fwd: re: hello", "hello"), ("Fw: hello (fwd)", "hello"),
            ("[list] Re: [list] hello", "hello"), ("Re[2]: hello", "hello"), ("[Fwd: Re: hello]", "hello"),
            ("[list]", "[list]"), ("Re: ", ""), ("", ""), ("  a \t b ", "a b"), ("Reply: x", "Reply: x"),
            ("Regarding", "Regarding"), ("[a][b] hello", "hello"),
        ):
            self.assertEqual(base_subject(subject), expected, subject)

    def test_reply(self) -> None:
        """What replies and forwards put around a subject tells them; the name of a list does not (section 3)."""
        for subject in ("Re: a", "fwd: a", "a (fwd)", "[Fwd: a]", "[list] Re: a", "[list] [other] Re[2]: a", "Re:"):
            self.assertTrue(is_reply(subject), subject)
            self.assertTrue(digest(f"Subject: {subject}\r\n\r\n".encode()).is_reply, subject)
        for subject in ("a", "[list] a", "[a][b]  c", "[list]", "  a  b ", "", "AW: a"):
            self.assertFalse(is_reply(subject), subject)
            self.assertFalse(digest(f"Subject: {subject}\r\n\r\n".encode()).is_reply, subject)

    @given(st.text(alphabet="Refwd:[]() a", max_size=40))
    def test_idempotent(self, subject: str) -> None:
        """A base subject is its own base subject."""
        once = base_subject(subject)
        self.assertEqual(base_subject(once), once)


class PieceTests(SynchronousTestCase):
    """The small ones."""

    def test_preview(self) -> None:
        """256 characters, white space folded."""
        self.assertEqual(preview(" a \r\n\r\n b "), "a b")
        self.assertEqual(len(preview("word " * 200)), 256)
