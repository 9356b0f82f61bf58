"""File names in headers, and fields turned into messages."""

from __future__ import annotations

import contextlib
from datetime import datetime, timezone
from email import message_from_bytes, policy

from hypothesis import example, given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.mail import Attachment
from simmail.core.message.parse import read
from simmail.core.message.summarize import digest
from simmail.core.records.folder import Entry
from simmail.errors import Invalid
from simmail.rest.render.compose import Enclosure, attachment, composed, inlined, one_address
from simmail.rest.render.message import disposition, download, listed, shown
from tests.core.hostile import seconds

NOW = datetime(2026, 3, 2, 9, tzinfo=timezone.utc)


class DispositionTests(SynchronousTestCase):
    """Content-Disposition (RFC 6266)."""

    def test_names(self) -> None:
        """Plain names are quoted; others come twice; folders are left out."""
        for name, expected in (
            ("a b.pdf", 'attachment; filename="a b.pdf"'),
            ("Grüße.pdf", "attachment; filename=\"Gr__e.pdf\"; filename*=UTF-8''Gr%C3%BC%C3%9Fe.pdf"),
            ("../../etc/passwd", 'attachment; filename="passwd"'), ("C:\\x\\y.exe", 'attachment; filename="y.exe"'),
            ('a"b.txt', "attachment; filename=\"a_b.txt\"; filename*=UTF-8''a%22b.txt"),
            ("", 'attachment; filename="attachment"'), ("a/", 'attachment; filename="attachment"'),
            ("a\r\nSet-Cookie: x", "attachment; filename=\"aSet-Cookie_ x\"; filename*=UTF-8''aSet-Cookie%3A%20x"),
        ):
            self.assertEqual(disposition(name), expected)

    @given(st.text())
    @example("\ud800")
    def test_any_name(self, name: str) -> None:
        """Whatever the name, the value is one line of ASCII with one quoted name."""
        value = disposition(name)
        self.assertTrue(value.isascii() and value.isprintable())
        self.assertEqual(value.count('"'), 2)

    def test_types(self) -> None:
        """A type that is none is served as octets."""
        for given_type, served in (("image/png", "image/png"), ("text/html\r\nX: y", "application/octet-stream"),
                                   ("", "application/octet-stream"), ("x", "application/octet-stream")):
            self.assertEqual(download(Attachment("a", given_type, b""), 0).content_type, served)


class NamedTests(SynchronousTestCase):
    """Who has no address."""

    def test_same(self) -> None:
        """A list and the whole message name them alike; of groups only the members are recipients."""
        octets = (b'From: "Mail Delivery System" <MAILER-DAEMON>\r\nTo: undisclosed-recipients:;\r\n'
                  b"Cc: Team: tom@acme.test, root;\r\nSubject: x\r\n\r\nfailed\r\n")
        entry = Entry(1, frozenset(), len(octets), NOW, 1, False)
        for message in (listed("INBOX", entry, digest(octets)), shown("INBOX", entry, read(octets))):
            self.assertEqual((message.from_, message.from_name), ("mailer-daemon", "Mail Delivery System"))
            self.assertEqual((message.to, message.cc), ([], ["tom@acme.test", "root"]))
        mail = read(octets)
        self.assertEqual((mail.from_.address, [one.address for one in mail.cc]), ("", ["tom@acme.test"]))


class WritingTests(SynchronousTestCase):
    """From fields to octets."""

    def test_same_octets(self) -> None:
        """The same fields at the same instant make the same message."""
        first, second = (composed(NOW, "a@b.test", ["c@d.test"], subject="s", html="<p>x</p>", attachments=[
            Attachment("a.txt", "text/plain", b"x")]) for _ in range(2))
        self.assertEqual(first, second)
        self.assertNotIn(b"Message-ID", first)
        self.assertNotIn(b"\n", first.replace(b"\r\n", b""))

    def test_dates(self) -> None:
        """The Date is the simulated instant."""
        message = message_from_bytes(composed(NOW, "a@b.test", ["c@d.test"]), policy=policy.default)
        self.assertEqual(message["Date"].datetime, NOW)

    @given(st.text(max_size=80))
    @example('"a b"@c.test')
    @example("A <a@b.test>, b@c.test")
    @example("<a@b.test")
    def test_any_address(self, text: str) -> None:
        """Whatever is given as an address, the answer is one in lower case or a refusal that names the field."""
        try:
            found = one_address(text, "to.0")
        except Invalid as error:
            self.assertEqual(error.field, "to.0")
        else:
            self.assertEqual(found.address, found.address.lower())
            self.assertIn("@", found.address)

    def test_data_images(self) -> None:
        """Only data: images of src attributes are taken out, percent-encoded ones too."""
        html = ('<img src=\'data:image/svg+xml;charset=utf-8,%3Csvg/%3E\'><img SRC = "data:image/png;base64,iVBO Rw0K">'
                '<a href="data:image/png;base64,x">data:image/png;base64,x</a>')
        changed, images = inlined(html, "sim.test")
        self.assertEqual([(one.filename, one.content_type, one.octets) for one in images], [
            ("image-1.svg", "image/svg+xml", b"<svg/>"), ("image-2.png", "image/png", b"\x89PNG\r\n")])
        self.assertEqual(changed.count("cid:"), 2)
        self.assertIn('<a href="data:', changed)

    def test_linear(self) -> None:
        """Hostile HTML takes no time: half attributes without end, by the megabyte."""
        for piece in ('src="data:image/png;base64,', "src='data:image/png;base64,A", "src = ", 'src="data:'):
            def hostile(text: str = piece * (1_000_000 // len(piece))) -> None:
                with contextlib.suppress(Invalid):
                    inlined(text, "sim.test")

            self.assertLess(seconds(hostile), 1.0, piece)

    def test_enclosure(self) -> None:
        """Base64 with line breaks is taken; rubbish is refused by field."""
        given_one = Enclosure("a", "Text/Plain; charset=utf-8", "YW\r\nJj")
        self.assertEqual(attachment(given_one, "attachments.0").octets, b"abc")
        for data in ("YWJ", "YW=Jj", "ä", "YWJj!"):
            error = self.assertRaises(Invalid, attachment, Enclosure("a", "text/plain", data), "attachments.0")
            self.assertEqual(error.field, "attachments.0.data", data)
