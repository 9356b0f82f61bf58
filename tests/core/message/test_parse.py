"""Octets to mail."""

from __future__ import annotations

import email.policy
from base64 import b64encode
from datetime import datetime, timedelta, timezone
from email.message import EmailMessage
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.mail import Attachment, Mail
from simmail.core.message.parse import Title, message_ids, read, read_headers, read_title
from simmail.core.mime.address import Address
from tests.core.hostile import seconds


def message(text: str) -> bytes:
    """Octets of a message written with LF and Latin-1."""
    return text.encode("latin-1").replace(b"\n", b"\r\n")


_NAMES = (b"From", b"from", b"Subject", b"SUBJECT", b"Message-ID", b"To", b"From ", b"Subject\t", b" From", b"X-From",
          b"", b"\nFrom", b"In-Reply-To", b"in-reply-to", b"In-Reply-To ")
_VALUES = (b" a@b.c", b" A <a@b.c>, d@e.f", b" <1@x>", b"", b" hi\r\n there", b" =?utf-8?q?x?=", b" caf\xc3\xa9",
           b" \xe9", b"a@b\n c", b" a\0b", b" \x0cx", b"\x0b y", b" <a b@c>", b"\rx")
_ENDS = (b"\r\n", b"\r\n", b"\n", b"\r\n\r\n", b"\n\n")


class QuotedTests(SynchronousTestCase):
    """Quoted-printable."""

    def test_text(self) -> None:
        """Blanks at the end of a line are none of the text of a message."""
        octets = message("Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
                         "Dear Maria,  \nthe code is 12= \n34.\n")
        self.assertEqual(read(octets).text, "Dear Maria,\nthe code is 1234.")


class TitleTests(SynchronousTestCase):
    """The four things a message is told apart by."""

    def test_plain(self) -> None:
        """They are taken from a plain header, and only from the header."""
        self.assertEqual(
            read_title(message("From: A <a@b.test>\nMessage-ID: <1@b.test>\nsubject:  Hi \n\nSubject: no\n")),
            Title("a@b.test", "Hi", "<1@b.test>", ""))
        answer = message("From: a@b.test\nIn-Reply-To: <0@c.test> (yours) <1@c.test>\n\nIn-Reply-To: <2@c.test>")
        self.assertEqual(read_title(answer), Title("a@b.test", "", "", "<0@c.test>"))

    @settings(max_examples=500, deadline=None)
    @given(st.lists(max_size=6, elements=st.tuples(
        st.sampled_from(_NAMES), st.sampled_from(_VALUES) | st.binary(max_size=12), st.sampled_from(_ENDS))))
    def test_same(self, rows: list[tuple[bytes, bytes, bytes]]) -> None:
        """Whatever the header, they are what reading all of it tells."""
        octets = b"".join([name + b":" + value + end for name, value, end in rows])
        mail = read_headers(octets)
        self.assertEqual(read_title(octets), Title(
            mail.from_.address, mail.subject, mail.message_id, mail.in_reply_to))


class HeaderTests(SynchronousTestCase):
    """Header fields."""

    sample = message(
        "Received: from a by b;\n\tTue, 3 Mar 2026 09:00:00 +0100\n"
        "From: =?utf-8?q?J=C3=B6rg?= <J@A.test>\nTo: \"Lopez, Maria\" <m@b.test>,\n x@y.test\nCc: z@y.test\n"
        "Reply-To: desk@a.test\nSubject: Re: =?iso-8859-1?q?Gr=FC=DFe?=\n =?iso-8859-1?q?_aus?= Bonn\n"
        "Date: Tue, 3 Mar 2026 09:00:00 +0100\nMessage-ID: <1@a.test>\nIn-Reply-To: <0@b.test> (yours)\n"
        "References: <x@b.test>\n <0@b.test>\nX-Service-Case: c_1\n\nHello\n"
    )

    def check(self, mail: Mail) -> None:
        self.assertEqual(mail.from_, Address("Jörg", "j@a.test"))
        self.assertEqual(mail.to, (Address("Lopez, Maria", "m@b.test"), Address("", "x@y.test")))
        self.assertEqual(mail.cc, (Address("", "z@y.test"),))
        self.assertEqual(mail.reply_to, (Address("", "desk@a.test"),))
        self.assertEqual(mail.subject, "Re: Grüße aus Bonn")
        self.assertEqual(mail.date, datetime(2026, 3, 3, 9, tzinfo=timezone(timedelta(hours=1))))
        self.assertEqual((mail.message_id, mail.in_reply_to), ("<1@a.test>", "<0@b.test>"))
        self.assertEqual(mail.references, ("<x@b.test>", "<0@b.test>"))
        self.assertEqual(mail.header("x-service-case"), "c_1")
        self.assertEqual(mail.headers[0], ("Received", "from a by b; Tue, 3 Mar 2026 09:00:00 +0100"))
        self.assertEqual(mail.size, len(self.sample))

    def test_whole(self) -> None:
        """Every field of the record, from folded and encoded headers."""
        mail = read(self.sample)
        self.check(mail)
        self.assertEqual((mail.text, mail.html, mail.format), ("Hello", "", "text"))

    def test_headers_only(self) -> None:
        """The same without bodies."""
        mail = read_headers(self.sample)
        self.check(mail)
        self.assertEqual((mail.text, mail.html, mail.attachments), ("", "", ()))
        self.assertEqual(read_headers(b"Subject: x").subject, "x")

    def test_formats_promised(self) -> None:
        """What the Content-Type at the top promises."""
        for kind, form in (("text/html", "html"), ("multipart/alternative; boundary=x", "both"), ("text/plain", "text"),
                           ("multipart/mixed; boundary=x", "text")):
            self.assertEqual(read_headers(message(f"Content-Type: {kind}\n\n")).format, form)

    def test_bare_lf(self) -> None:
        """Lines may end with LF alone."""
        mail = read(self.sample.replace(b"\r\n", b"\n"))
        self.assertEqual((mail.subject, mail.text), ("Re: Grüße aus Bonn", "Hello"))

    def test_raw_8_bit(self) -> None:
        """8-bit headers are UTF-8, and line by line Western where they are not."""
        mail = read(b"Subject: Gr\xfc\xdfe\r\nFrom: J\xc3\xb6rg <j@a.test>\r\n\r\n")
        self.assertEqual((mail.subject, mail.from_.name), ("Grüße", "Jörg"))

    def test_broken(self) -> None:
        """Lines that are no field are passed over, of repeated fields the first counts, of recipients all."""
        mail = read(message(
            "From x Tue Mar 3\nnonsense\nSubject: a\nSubject: b\n: c\nb ad: d\nTo: x@y.test\nTo: z@y.test\n\n"))
        self.assertEqual((mail.subject, mail.header("subject")), ("a", "a"))
        self.assertEqual([one.address for one in mail.to], ["x@y.test", "z@y.test"])
        self.assertEqual([name for name, _ in mail.headers], ["Subject", "Subject", "To", "To"])

    def test_sender_without_address(self) -> None:
        """A From without an address keeps what it says."""
        self.assertEqual(read(b"From: MAILER-DAEMON\r\n\r\n").from_, Address("MAILER-DAEMON", ""))
        self.assertEqual(read(b"").from_, Address("", ""))

    def test_values_are_one_line(self) -> None:
        """Decoding brings no line breaks in."""
        mail = read(b"Subject: =?utf-8?q?a=0D=0ABcc:_x@y?=\r\nX: a\rb\0c\r\n\r\n")
        self.assertEqual(mail.subject, "a Bcc: x@y")
        self.assertEqual(mail.header("x"), "a b c")

    def test_message_ids(self) -> None:
        """In angle brackets, cleaned of folding, or bare."""
        for value, ids in (
            ("<a@b>", ("<a@b>",)), ("<a@b> <c@d>", ("<a@b>", "<c@d>")), ("<a@b><c@d>", ("<a@b>", "<c@d>")),
            ("< a@ b >", ("<a@b>",)), ("a@b c@d", ("<a@b>", "<c@d>")), ("Your mail of Monday", ()), ("", ()),
            ("<<a@b>>", ("<a@b>",)), ("<a\x01@b> <c@d>", ("<c@d>",)),
        ):
            self.assertEqual(message_ids(value), ids, value)
        self.assertEqual(len(message_ids("<a@b>" * 5000)), 1000)

    def test_kept_once(self) -> None:
        """What is named again and again is in memory once, and so are the names of header fields."""
        ids = message_ids("<a@b> <c@d> " * 100)
        self.assertEqual((len(ids), len({id(one) for one in ids})), (200, 2))
        first, second = read(b"X-Some: 1\r\nX-Some: 2\r\n\r\n"), read(b"X-Some: 3\r\n\r\n")
        self.assertEqual(len({id(name) for mail in (first, second) for name, _ in mail.headers}), 1)


class Case(NamedTuple):
    """A body under a Content-Type and an encoding, and the text in it."""

    kind: str
    encoding: str
    body: bytes
    text: str


class BodyTests(SynchronousTestCase):
    """Bodies."""

    def test_encodings(self) -> None:
        """Charsets and transfer encodings, right and wrong ones."""
        for case in (
            Case("text/plain; charset=utf-8", "8bit", "Grüße".encode(), "Grüße"),
            Case("text/plain; charset=ISO-8859-1", "quoted-printable", b"Gr=FC=\r\n=DFe", "Grüße"),
            Case("text/plain; charset=utf-8", "BASE64", b64encode("Grüße".encode()), "Grüße"),
            Case("text/plain; charset=utf-8", "base64", b64encode("Grüße".encode()).rstrip(b"="), "Grüße"),
            Case("text/plain; charset=utf-8", "base64", b"SGVsbG8g!!! d29ybGQ", "Hello world"),
            Case("text/plain; charset=utf-8", "base64", b"!", ""),
            Case("text/plain; charset=zlib", "7bit", b"Hello", "Hello"),
            Case("text/plain; charset=unicode_escape", "7bit", b"\\u0041", "\\u0041"),
            Case("text/plain; charset=\"no-such\"", "x-unknown", b"Gr\xfc\xdfe", "Grüße"),
            Case("text", "", b"Hello", "Hello"),
            Case("", "", b"a\r\nb\rc\nd\0\r\n\r\n", "a\nb\nc\nd"),
        ):
            octets = b"Content-Type: %b\r\nContent-Transfer-Encoding: %b\r\n\r\n%b" % (
                case.kind.encode(), case.encoding.encode(), case.body)
            self.assertEqual(read(octets).text, case.text, case)

    def test_html_only(self) -> None:
        """HTML alone is rendered as text."""
        mail = read(message("Content-Type: text/html\n\n<p>Hello <a href='https://x.test/'>you</a></p>\n"))
        self.assertEqual((mail.text, mail.format), ("Hello you <https://x.test/>", "html"))
        self.assertEqual(mail.html, "<p>Hello <a href='https://x.test/'>you</a></p>")

    def test_alternative(self) -> None:
        """Both forms, and the rendered HTML where the plain one is blank."""
        for plain, text in (("Plain", "Plain"), (" ", "Rich")):
            mail = read(message(
                f"Content-Type: multipart/alternative; boundary=b\n\n--b\n\n{plain}\n"
                "--b\nContent-Type: text/html\n\n<b>Rich</b>\n--b--\n"))
            self.assertEqual((mail.text, mail.html, mail.format), (text, "<b>Rich</b>", "both"))

    def test_mixed_texts(self) -> None:
        """Texts one after the other are read one after the other, in both forms."""
        mail = read(message(
            "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n\n<b>Rich</b>\n"
            "--b\n\n1 < 2\n--b--\n"))
        self.assertEqual(mail.text, "Rich\n1 < 2")
        self.assertEqual(mail.html, '<b>Rich</b>\n<div style="white-space: pre-wrap">1 &lt; 2</div>')

    def test_missing_delimiters(self) -> None:
        """A multipart without boundary, delimiter or end is still read."""
        for text in (
            "Content-Type: multipart/mixed\n\nHello\n", "Content-Type: multipart/mixed; boundary=b\n\nHello\n",
            "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nHello\n",
            "Content-Type: multipart/mixed; boundary=\"b\n\n--b\n\nHello",
        ):
            self.assertIn("Hello", read(message(text)).text, text)

    @given(st.binary(max_size=400))
    @settings(max_examples=200)
    def test_any_octets(self, octets: bytes) -> None:
        """Any octets are a mail whose texts can be encoded."""
        for prefix in (b"", b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n",
                       b"Content-Type: text/html\r\n\r\n"):
            mail = read(prefix + octets)
            "".join((
                mail.text, mail.html, mail.subject, mail.from_.name, *(v for _, v in mail.headers),
            )).encode()

    @given(st.lists(st.sampled_from([
        b"Content-Type: multipart/mixed; boundary=b\r\n", b"Content-Type: text/html; charset=utf-7\r\n",
        b"--b\r\n", b"--b--\r\n", b"\r\n", b"Content-Transfer-Encoding: base64\r\n",
        b"Content-Disposition: attachment; filename*=x''%FF\r\n",
        b"From: \"a\" <\xff@b>, (\r\n", b"x", b"Content-Type: message/rfc822\r\n", b" fold\r\n",
    ]), max_size=30).map(b"".join))
    @settings(max_examples=200)
    def test_any_structure(self, octets: bytes) -> None:
        """Any order of the pieces of MIME is a mail."""
        self.assertEqual(read(octets).size, len(octets))


class AttachmentTests(SynchronousTestCase):
    """Attachments."""

    def one(self, headers: str, body: str = "AAEC") -> Attachment:
        mail = read(message(f"Content-Type: multipart/mixed; boundary=b\n\n--b\n{headers}\n\n{body}\n--b--\n"))
        (attachment,) = mail.attachments
        return attachment

    def test_plain_case(self) -> None:
        """Name, type, octets."""
        self.assertEqual(
            self.one('Content-Type: application/PDF\nContent-Disposition: attachment; filename="a b.pdf"\n'
                     "Content-Transfer-Encoding: base64"),
            Attachment("a b.pdf", "application/pdf", b"\0\1\2"))

    def test_names(self) -> None:
        """RFC 2231, encoded words, raw octets, continuations, the type's name; never a path or a control."""
        for headers, name in (
            ("Content-Disposition: attachment; filename*=utf-8''%e2%82%ac.pdf", "€.pdf"),
            ("Content-Disposition: attachment; filename*0*=iso-8859-1'de'%fc; filename*1=\"b.pdf\"", "üb.pdf"),
            ('Content-Disposition: attachment; filename="=?utf-8?q?=C3=BC.pdf?="', "ü.pdf"),
            ('Content-Disposition: attachment; filename="\xfc.pdf"', "ü.pdf"),
            ('Content-Type: application/pdf; name="x.pdf"', "x.pdf"),
            ('Content-Disposition: attachment; filename="../../etc/passwd"', "passwd"),
            ('Content-Disposition: attachment; filename="C:\\\\temp\\\\x.doc"', "x.doc"),
            ("Content-Disposition: attachment; filename*=utf-8''a%0D%0Ab%00.txt", "a b .txt"),
            ('Content-Disposition: attachment; filename=".."', "text.txt"),
            ("Content-Type: text/calendar", "invite.ics"), ("Content-Type: image/png", "image.png"),
            ("Content-Type: application/x-y", "attachment.bin"),
            (f'Content-Disposition: attachment; filename="{"a" * 300}.pdf"', "a" * 251 + ".pdf"),
        ):
            self.assertEqual(self.one(headers).filename, name, headers)

    def test_inline(self) -> None:
        """Pictures of the page carry their Content-ID without brackets."""
        mail = read(message(
            "Content-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n<img src='cid:p@x'>\n"
            "--b\nContent-Type: image/png\nContent-ID: <p@x>\n\nPNG\n--b--\n"))
        self.assertEqual(mail.attachments, (Attachment("image.png", "image/png", b"PNG", "p@x", True),))

    def test_text_as_attachment(self) -> None:
        """A text part with a name, or marked as one, is an attachment; the whole message never is for its name."""
        for headers in ('Content-Type: text/plain; name="x.txt"', "Content-Disposition: attachment"):
            self.assertEqual(self.one(headers, "Hello").octets, b"Hello")
        self.assertEqual(read(message('Content-Type: text/plain; name="x.txt"\n\nHello')).text, "Hello")

    def test_enclosed_message(self) -> None:
        """An enclosed message is one attachment, unread."""
        self.assertEqual(self.one("Content-Type: message/rfc822", "Subject: x\n\nHello"),
                         Attachment("message.eml", "message/rfc822", b"Subject: x\r\n\r\nHello"))

    def test_other_forms(self) -> None:
        """A third form of the text is not shown; an invitation is."""
        mail = read(message(
            "Content-Type: multipart/alternative; boundary=b\n\n--b\n\nHi\n"
            "--b\nContent-Type: text/x-amp-html\n\n<amp>\n"
            "--b\nContent-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR\n--b--\n"))
        self.assertEqual((mail.text, [one.filename for one in mail.attachments]), ("Hi", ["invite.ics"]))

    def test_limits(self) -> None:
        """Past the limits the rest is one opaque part."""
        class Small(NamedTuple):
            depth: int = 2
            parts: int = 4

        one = "--b\nContent-Type: image/png\n\nx\n"
        octets = message("Content-Type: multipart/mixed; boundary=b\n\n" + one * 9 + "--b--\n")
        kinds = [one.content_type for one in read(octets, Small()).attachments]
        self.assertEqual(kinds, ["image/png", "image/png", "application/octet-stream"])
        self.assertEqual(len(read(octets).attachments), 9)


class LibraryTests(SynchronousTestCase):
    """What the standard library writes."""

    @given(st.text(min_size=1, max_size=100), st.text(max_size=60), st.binary(max_size=60))
    @settings(max_examples=60, deadline=None)
    def test_reads_the_same(self, text: str, subject: str, octets: bytes) -> None:
        """Subject, text and attachment of a message the library wrote come out."""
        subject = " ".join(c for c in subject.split() if c.isprintable())
        text = "".join(c for c in text if c.isprintable() or c == "\n").strip() or "x"
        theirs = EmailMessage(email.policy.SMTP)
        theirs["Subject"] = subject
        theirs.set_content(text)
        theirs.add_alternative("<b>x</b>", subtype="html")
        theirs.add_attachment(octets, maintype="application", subtype="pdf", filename="ü x.pdf")
        mail = read(theirs.as_bytes())
        self.assertEqual(mail.text, text)
        self.assertEqual(mail.html, "<b>x</b>")
        self.assertEqual(mail.attachments, (Attachment("ü x.pdf", "application/pdf", octets),))


class CostTests(SynchronousTestCase):
    """Hostile input."""

    def test_linear(self) -> None:
        """Four megabytes of anything are read in seconds, whatever they repeat."""
        size = 4_000_000
        for start, unit in (
            ("", "a: b\n"), ("", " \n"), ("Subject: ", "=?utf-8?q?a?="), ("Subject: x\n", " fold\n"),
            ("To: ", "a@b,"), ("To: ", "("), ("References: ", "<a@b>"), ("References: ", "<"),
            ("Content-Type: multipart/mixed; boundary=b\n\n", "--b\n\n"),
            ("Content-Type: multipart/mixed; boundary=b\n\n", "--b"),
            ("Content-Type: multipart/mixed; boundary=b\n\n", "\n--"),
            ("", "Content-Type: multipart/mixed; boundary=b\n\n--b\n"), ("", "Content-Type: message/rfc822\n\n"),
            ("Content-Type: text/html\n\n", "<div>"), ("Content-Type: text/html\n\n", "<b x='&#9;'>"),
            ("Content-Transfer-Encoding: quoted-printable\n\n", "="), ("Content-Transfer-Encoding: base64\n\n", "A="),
            ("Content-Type: text/plain; charset=utf-7\n\n", "+"), ("Content-Type: text/plain; ", "a*0*=x;"),
            ("Content-Disposition: attachment; ", "filename*0=\"x"), ("Date: ", "1 ("), ("Message-ID: ", "< "),
        ):
            octets = message(start + unit * (size // len(unit)))
            self.assertLess(seconds(read, octets), 5.0, (start, unit))
            self.assertLess(seconds(read_headers, octets), 3.0, (start, unit))

    def test_many_pages(self) -> None:
        """Many parts of HTML together cost no more than one of them may."""
        octets = message("Content-Type: multipart/mixed; boundary=b\n\n" + (
            "--b\nContent-Type: text/html\n\n" + "<p>t" * 6000 + "\n") * 900)
        self.assertLess(seconds(read, octets), 4.0)
        self.assertTrue(read(octets).text.startswith("t\n\nt\n\nt"))
