"""From the fields of a JSON body to a message."""

from __future__ import annotations

from base64 import encodebytes
from datetime import UTC, datetime
from email import message_from_bytes, policy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.mail import Attachment
from simmail.errors import Invalid
from simmail.rest.render.compose import (
    Enclosure, LONGEST_SUBJECT, MOST_HEADERS, attachment, base64, composed, header_text, inlined, one_address,
)

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PIXEL = "data:image/png;base64,iVBORw0KGgo="


def made(**fields: Any) -> Any:
    """The message, as Python's own parser reads it."""
    fields = {"sender": "Shop <shop@acme.test>", "to": ["b@acme.test"], **fields}
    return message_from_bytes(composed(NOW, **fields), policy=policy.default)


class ComposedTests(SynchronousTestCase):
    """A message."""

    def test_plain(self) -> None:
        """Its fields are those that were given; it has no Message-ID yet."""
        mail = made(subject="Grüße", text="Hello\n", cc=["C <c@acme.test>"], headers={"X-Ticket": "7"},
                    in_reply_to="<1@a.test>", references=["<0@a.test>"])
        self.assertEqual((mail["from"], mail["to"], mail["cc"], mail["subject"], mail["x-ticket"]),
                         ("Shop <shop@acme.test>", "b@acme.test", "C <c@acme.test>", "Grüße", "7"))
        self.assertEqual((mail["in-reply-to"], mail["references"], mail["message-id"]),
                         ("<1@a.test>", "<0@a.test> <1@a.test>", None))
        self.assertEqual(mail.get_content(), "Hello\r\n")

    def test_html(self) -> None:
        """Text is made of the HTML unless it is given; images in it become parts that it refers to, each once."""
        mail = made(html=f"<p>Hi <b>Bob</b></p><img src='{PIXEL}'><img src=\"{PIXEL}\">")
        self.assertEqual(mail.get_body(("plain",)).get_content().split(), ["Hi", "Bob"])
        images = [part for part in mail.walk() if part.get_content_type() == "image/png"]
        self.assertEqual([one.get_content() for one in images], [b"\x89PNG\r\n\x1a\n"])
        html = mail.get_body(("html",)).get_content()
        self.assertEqual(html.count("cid:" + images[0]["content-id"][1:-1]), 2)

    def test_enclosed(self) -> None:
        """Attachments keep their names, types and octets."""
        enclosed = attachment(Enclosure("Übersicht.PDF", "Application/PDF", "AAEC\r\nAw=="), "a")
        mail = made(text="x", attachments=[enclosed])
        [one] = mail.iter_attachments()
        self.assertEqual((one.get_filename(), one.get_content_type(), one.get_content()),
                         ("Übersicht.PDF", "application/pdf", b"\0\1\2\3"))

    def test_refused(self) -> None:
        """What cannot be is refused by the name of its field."""
        for fields, field in (
            ({"sender": "nobody"}, "from"), ({"to": ["b@acme.test", "x"]}, "to.1"),
            ({"cc": ["a@b.test, c@d.test"]}, "cc.0"),
            ({"subject": "x" * (LONGEST_SUBJECT + 1)}, "subject"), ({"subject": "a\rb"}, "subject"),
            ({"subject": "=?utf-8?B?YQ0KWDogeQ==?="}, "subject"), ({"subject": "=?utf-8?Q?a=0D=0AX:_y?="}, "subject"),
            ({"text": "a\0b"}, "text"), ({"html": "a\0b"}, "html"), ({"in_reply_to": "1@a.test"}, "in_reply_to"),
            ({"references": ["<1@a.test>", "x"]}, "references.1"),
            ({"html": "<img src='data:image/png;base64,!!!!'>"}, "html"),
            ({"headers": {"To": "x@y.test"}}, "headers.To"),
            ({"headers": {"Content-Type": "x"}}, "headers.Content-Type"),
            ({"headers": {"X-Service-Role": "x"}}, "headers.X-Service-Role"), ({"headers": {"A B": "x"}}, "headers"),
            ({"headers": {"X": "a\nb"}}, "headers.X"),
            ({"headers": {f"X-{n}": "y" for n in range(MOST_HEADERS + 1)}}, "headers"),
        ):
            self.assertEqual(self.assertRaises(Invalid, made, **fields).field, field)

    @given(st.text(max_size=60))
    def test_header_text(self, text: str) -> None:
        """Whatever is let into a header adds no line to it."""
        try:
            header_text(text, "subject", 50)
        except Invalid:
            return
        head = composed(NOW, "a@b.test", ["c@d.test"], subject=text, text="").partition(b"\r\n\r\n")[0]
        names = [line.partition(b":")[0] for line in head.split(b"\r\n") if line[:1] not in b" \t"]
        self.assertEqual(names.count(b"Subject"), 1)
        self.assertLessEqual({name.lower() for name in names}, {
            b"date", b"from", b"to", b"subject", b"mime-version", b"content-type", b"content-transfer-encoding"})


class PieceTests(SynchronousTestCase):
    """Addresses, attachments, images."""

    def test_address(self) -> None:
        """With a name or without; in lower case; one of them."""
        self.assertEqual(one_address("Ann Lee <Ann@Acme.test>", "to"), ("Ann Lee", "ann@acme.test"))
        self.assertEqual(one_address("B@ACME.TEST", "to"), ("", "b@acme.test"))
        for text in ("<a@b.test>, <c@d.test>", "<>", "a b@c.test", "Ann\r\nX: y <a@b.test>"):
            self.assertRaises(Invalid, one_address, text, "to")

    def test_attachment(self) -> None:
        """A name, a type or data that cannot be is told by its field."""
        for bad, field in (
            (Enclosure("a\nb", "text/plain", ""), "a.filename"), (Enclosure("a", "text", ""), "a.content_type"),
            (Enclosure("a", "text/plain\r\nX: y", ""), "a.content_type"),
            (Enclosure("a", "text/plain", "AB"), "a.data"),
        ):
            self.assertEqual(self.assertRaises(Invalid, attachment, bad, "a").field, field)

    @given(st.binary(max_size=200))
    def test_base64(self, octets: bytes) -> None:
        """What was encoded comes back, wherever its lines were broken."""
        self.assertEqual(base64(encodebytes(octets).decode(), "data"), octets)

    def test_images(self) -> None:
        """HTML without images is left alone; one that is no base64 is taken as it stands."""
        self.assertEqual(inlined("<p>data: here</p>", "a.test"), ("<p>data: here</p>", ()))
        html, images = inlined("<img SRC='data:image/svg+xml,%3Csvg/%3E'>", "a.test")
        self.assertEqual([(one.filename, one.content_type, one.octets) for one in images],
                         [("image-1.svg", "image/svg+xml", b"<svg/>")])
        self.assertIsInstance(images[0], Attachment)
        self.assertIn("cid:", html)
