"""Drafts to octets."""

from __future__ import annotations

import email
import email.policy
from base64 import b64decode
from datetime import datetime, timedelta, timezone
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.compose.message import compose
from simmail.core.message.mail import Attachment, Draft
from simmail.core.message.parse import read
from simmail.core.mime.address import Address
from simmail.errors import Invalid
from tests.core.hostile import seconds

CLIENTS = ("gmail", "outlook", "apple", "iphone", "android", "plain")

DRAFT = Draft(
    message_id="<1@a.test>", date=datetime(2026, 3, 3, 9, tzinfo=timezone(timedelta(hours=1))),
    from_=Address("Maria Lopez", "maria@a.test"), to=(Address("", "app@sim.test"),), subject="Hello",
    text="Hi\n", key="job_1",
)
PDF = Attachment("offer.pdf", "application/pdf", b"%PDF\0\xff")
LOGO = Attachment("logo.png", "image/png", b"PNG", "logo@a.test", True)


def parsed(octets: bytes) -> Any:
    """The message as the standard library reads it."""
    return email.message_from_bytes(octets, policy=email.policy.default)


def structure(message: Any) -> Any:
    """Its shape: a type, or a type and its parts."""
    if message.is_multipart():
        return (message.get_content_subtype(), [structure(part) for part in message.iter_parts()])
    return message.get_content_type()


class ShapeTests(SynchronousTestCase):
    """What each client makes."""

    def test_plain(self) -> None:
        """A text alone is one part, with nothing that would name a program."""
        self.assertEqual(compose(DRAFT), (
            b"Date: Tue, 3 Mar 2026 09:00:00 +0100\r\nFrom: Maria Lopez <maria@a.test>\r\nTo: app@sim.test\r\n"
            b"Subject: Hello\r\nMessage-ID: <1@a.test>\r\nMIME-Version: 1.0\r\n"
            b"Content-Type: text/plain; charset=us-ascii\r\n"
            b"Content-Transfer-Encoding: 7bit\r\n\r\nHi\r\n"))

    def test_structures(self) -> None:
        """Both forms are alternatives, pictures are related, files are mixed; who holds whom is the client's."""
        full = replace(DRAFT, html="<p>Hi <img src='cid:logo@a.test'></p>", attachments=(PDF, LOGO))
        both = ("alternative", ["text/plain", "text/html"])
        outside = ("mixed", [("related", [both, "image/png"]), "application/pdf"])
        within = ("related", ["text/html", "image/png"])
        inside = ("mixed", [("alternative", ["text/plain", within]), "application/pdf"])
        for client in CLIENTS:
            self.assertEqual(structure(parsed(compose(replace(full, client=client)))),
                             outside if client in ("gmail", "outlook") else inside, client)
        for draft, shape in (
            (replace(DRAFT, html="<p>Hi</p>"), ("alternative", ["text/plain", "text/html"])),
            (replace(DRAFT, html="<p>Hi</p>", text=""), "text/html"),
            (replace(DRAFT, attachments=(PDF,)), ("mixed", ["text/plain", "application/pdf"])),
            (replace(DRAFT, attachments=(LOGO,)), ("mixed", ["text/plain", "image/png"])),
            (replace(DRAFT, html="<p>Hi</p>", text="", attachments=(LOGO,)), within),
            (replace(DRAFT, text=""), "text/plain"),
        ):
            self.assertEqual(structure(parsed(compose(draft))), shape)

    def test_headers(self) -> None:
        """Names, order and programs are the client's own."""
        for client, begins, holds in (
            ("gmail", "MIME-Version", b'boundary="000000000000'),
            ("outlook", "From", b"Thread-Topic: Hello\r\nThread-Index: "),
            ("apple", "From", b"X-Mailer: Apple Mail ("), ("iphone", "Content-Type", b"X-Mailer: iPhone Mail ("),
            ("android", "Date", b"User-Agent: K-9 Mail for Android"), ("plain", "Date", b"MIME-Version: 1.0"),
        ):
            octets = compose(replace(DRAFT, client=client, html="<p>Hi</p>"))
            self.assertTrue(octets.startswith(begins.encode() + b": "), octets)
            self.assertIn(holds, octets)

    def test_thread_index(self) -> None:
        """Outlook's index is the same for one conversation and grows by five octets with each answer."""
        def index(references: tuple[str, ...]) -> bytes:
            value = parsed(compose(replace(DRAFT, client="outlook", references=references)))["Thread-Index"]
            return b64decode(value)

        one, two = index(("<0@b>",)), index(("<0@b>", "<1@b>"))
        self.assertEqual((len(one), len(two)), (27, 32))
        self.assertEqual(one[:27], two[:27])

    def test_thread_index_without_ids(self) -> None:
        """It is not drawn from Message-IDs, which differ from run to run where the application gives none."""
        def octets(one: str) -> bytes:
            draft = replace(DRAFT, client="outlook", in_reply_to=one, references=(one,))
            return compose(draft).replace(one.encode(), b"")

        self.assertEqual(octets("<0@b>"), octets("<9@z>"))

    def test_repeatable(self) -> None:
        """The same draft gives the same octets, another key other boundaries and nothing else."""
        for client in CLIENTS:
            draft = replace(DRAFT, client=client, html="<p>Hi</p>", attachments=(PDF,))
            self.assertEqual(compose(draft), compose(draft))
            other = compose(replace(draft, key="job_2"))
            self.assertNotEqual(compose(draft), other)
            self.assertEqual(len(compose(draft)), len(other))

    def test_extra(self) -> None:
        """Further fields stand in the order given."""
        octets = compose(replace(DRAFT, extra=(("X-Service-Simulated", "yes"), ("X-Note", "Schöne"))))
        self.assertIn(b"X-Service-Simulated: yes\r\nX-Note: =?utf-8?q?Sch=C3=B6ne?=\r\n", octets)

    def test_optional_fields(self) -> None:
        """No Message-ID, no recipients."""
        octets = compose(replace(DRAFT, message_id="", to=()))
        self.assertNotIn(b"Message-ID", octets)
        self.assertIn(b"To: undisclosed-recipients:;\r\n", octets)


class EncodingTests(SynchronousTestCase):
    """Octets that survive."""

    def test_choice(self) -> None:
        """7bit where it can be, 8bit for plain, else the shorter of the other two."""
        for client, text, encoding in (
            ("gmail", "Hi", "7bit"), ("gmail", "Grüße an alle", "quoted-printable"), ("gmail", "日本語", "base64"),
            ("gmail", "x" * 2000, "quoted-printable"), ("plain", "Grüße", "8bit"), ("plain", "ü" * 2000, "base64"),
            ("outlook", "a\0b", "quoted-printable"),
        ):
            message = parsed(compose(replace(DRAFT, client=client, text=text)))
            self.assertEqual(message["Content-Transfer-Encoding"], encoding, (client, text))

    def test_lines(self) -> None:
        """No line is over 998 octets, all end with CRLF, header lines stay near 78 characters."""
        many = tuple(Address(f"Somebody With A Name {n}", f"somebody{n}@somewhere.test") for n in range(200))
        for client in CLIENTS:
            octets = compose(replace(
                DRAFT, client=client, to=many, subject="Wort für Wort " * 60, text="ü" * 5000, html="<p>" + "x" * 9000,
                references=tuple(f"<{n}@a-long-host-name.test>" for n in range(50)),
                attachments=(replace(PDF, filename="ü" * 200),)))
            self.assertNotIn(b"\n", octets.replace(b"\r\n", b""))
            self.assertLessEqual(max(map(len, octets.split(b"\r\n"))), 998)
            head = octets.partition(b"\r\n\r\n")[0]
            self.assertLessEqual(max(map(len, head.split(b"\r\n"))), 90)
            mail = read(octets)
            self.assertEqual(mail.to, many)
            self.assertEqual(len(mail.references), 50)
            self.assertEqual(mail.attachments[0].filename, "ü" * 200)

    def test_boundary_in_the_text(self) -> None:
        """A text that holds the boundary gets another."""
        draft = replace(DRAFT, html="<p>Hi</p>")
        boundary = parsed(compose(draft)).get_boundary()
        evil = replace(draft, text=f"a\n--{boundary}--\nb")
        self.assertNotEqual(parsed(compose(evil)).get_boundary(), boundary)
        self.assertEqual(read(compose(evil)).text, f"a\n--{boundary}--\nb")

    def test_enclosed_message(self) -> None:
        """A message is enclosed as it is, unless it is none."""
        inner = Attachment("m.eml", "message/rfc822", b"Subject: x\r\n\r\nHi\r\n")
        self.assertEqual(read(compose(replace(DRAFT, attachments=(inner,)))).attachments, (inner,))
        broken = replace(inner, octets=b"Subject: x\n\nbare")
        self.assertEqual(read(compose(replace(DRAFT, attachments=(broken,)))).attachments,
                         (replace(broken, content_type="application/octet-stream"),))

    text = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\r\0"), max_size=300)
    one_line = st.characters(blacklist_categories=["Cs", "Cc", "Zl", "Zp"], blacklist_characters="/\\")
    name = st.text(one_line, max_size=80)
    kind = st.sampled_from(["application/pdf", "text/plain", "image/png"])

    @given(
        st.sampled_from(CLIENTS), text, text, name, name, name,
        st.lists(st.tuples(name, kind, st.binary(max_size=200)), max_size=3),
    )
    @settings(max_examples=150, deadline=None)
    def test_round_trip(
        self, client: str, text: str, html: str, subject: str, who: str, whom: str, files: list[tuple[str, str, bytes]],
    ) -> None:
        """What is written is read back, here and by the standard library."""
        attachments = tuple(Attachment(name.strip(" ."), kind, octets) for name, kind, octets in files)
        draft = replace(
            DRAFT, client=client, text=text, html=html.strip(), subject=" ".join(subject.split()),
            from_=Address(" ".join(who.split()), "a@b.test"), to=(Address(" ".join(whom.split()), "ü@b.test"),),
            attachments=attachments, in_reply_to="<0@b.test>", references=("<x@b.test>", "<0@b.test>"))
        octets = compose(draft)
        mail = read(octets)
        self.assertEqual(mail.subject, draft.subject)
        self.assertEqual((mail.from_, mail.to), (draft.from_, draft.to))
        self.assertEqual((mail.message_id, mail.in_reply_to), ("<1@a.test>", "<0@b.test>"))
        self.assertEqual(mail.references, draft.references)
        self.assertEqual(mail.date, draft.date)
        if text.strip():
            self.assertEqual(mail.text, text.rstrip("\n"))
        self.assertEqual(mail.html, draft.html)
        self.assertEqual([(one.content_type, one.octets) for one in mail.attachments],
                         [(one.content_type, one.octets) for one in attachments])
        for one, sent in zip(mail.attachments, attachments):
            self.assertEqual(one.filename, sent.filename or one.filename)
        theirs = parsed(octets)
        self.assertEqual(theirs["Message-ID"], "<1@a.test>")
        self.assertEqual(str(theirs["Subject"]), draft.subject)
        plain = theirs.get_body(("plain",))
        if text.strip():
            self.assertEqual(plain.get_content().replace("\r\n", "\n").rstrip("\n"), text.rstrip("\n"))
        self.assertEqual([part.get_payload(decode=True) for part in theirs.iter_attachments()] if attachments else [],
                         [one.octets for one in attachments])


class RefusalTests(SynchronousTestCase):
    """No value adds a line."""

    def test_fields(self) -> None:
        """CR, LF and NUL are Invalid wherever a header is made of them, and the field is named."""
        for bad in ("a\r\nBcc: x@y", "a\nb", "a\rb", "a\0b"):
            for field, draft in (
                ("subject", replace(DRAFT, subject=bad)), ("message_id", replace(DRAFT, message_id=f"<{bad}>")),
                ("in_reply_to", replace(DRAFT, in_reply_to=f"<{bad}>")),
                ("references.1", replace(DRAFT, references=("<a@b>", f"<{bad}>"))),
                ("from", replace(DRAFT, from_=Address(bad, "a@b"))),
                ("from", replace(DRAFT, from_=Address("", f"{bad}@b"))),
                ("to.0", replace(DRAFT, to=(Address(bad, "a@b"),))),
                ("cc.0", replace(DRAFT, cc=(Address("", f"a@{bad}"),))),
                ("reply_to.0", replace(DRAFT, reply_to=(Address(bad, "a@b"),))),
                ("extra.X-A", replace(DRAFT, extra=(("X-A", bad),))),
                ("extra", replace(DRAFT, extra=((bad, "x"),))),
                ("attachments.0.filename", replace(DRAFT, attachments=(replace(PDF, filename=bad),))),
                ("attachments.0.content_id", replace(DRAFT, attachments=(replace(PDF, content_id=bad),))),
                ("attachments.0.content_type", replace(DRAFT, attachments=(replace(PDF, content_type=f"a/{bad}"),))),
            ):
                self.assertEqual(self.assertRaises(Invalid, compose, draft).field, field, bad)

    def test_forms(self) -> None:
        """Things that are not what they must be."""
        for field, draft in (
            ("message_id", replace(DRAFT, message_id="1@a.test")), ("message_id", replace(DRAFT, message_id="<a b@c>")),
            ("in_reply_to", replace(DRAFT, in_reply_to="<a><b>")), ("to.0", replace(DRAFT, to=(Address("x", ""),))),
            ("to.0", replace(DRAFT, to=(Address("", "a@b>, <c@d"),))),
            ("to.0", replace(DRAFT, to=(Address("", "a,b@c"),))),
            ("attachments.0.content_type", replace(DRAFT, attachments=(replace(PDF, content_type="multipart/x"),))),
            ("attachments.0.content_type", replace(DRAFT, attachments=(replace(PDF, content_type="pdf"),))),
            ("extra", replace(DRAFT, extra=(("X A", "b"),))), ("text", replace(DRAFT, text="\ud800")),
            ("subject", replace(DRAFT, subject="\ud800")), ("html", replace(DRAFT, html="\ud800")),
        ):
            self.assertEqual(self.assertRaises(Invalid, compose, draft).field, field, draft)

    def test_encoded_words_are_quoted(self) -> None:
        """Text that looks like an encoded word stays text."""
        draft = replace(DRAFT, subject="=?utf-8?q?a=0D=0ABcc:_x?=", from_=Address("=?utf-8?q?x?=", "a@b.test"))
        mail = read(compose(draft))
        self.assertEqual((mail.subject, mail.from_.name), (draft.subject, draft.from_.name))

    @given(st.text(alphabet="a\r\n\0:= \u00fc<>@,\"?", max_size=30), st.sampled_from(CLIENTS))
    @settings(max_examples=200)
    def test_no_header_is_added(self, text: str, client: str) -> None:
        """Whatever a value holds, the fields are those of the draft, or it is Invalid."""
        names = [name for name, _ in read(compose(replace(DRAFT, client=client, extra=(("X-A", "b"),)))).headers]
        for draft in (
            replace(DRAFT, subject=text), replace(DRAFT, from_=Address(text, "a@b.test")),
            replace(DRAFT, extra=(("X-A", text),)), replace(DRAFT, to=(Address(text, "a@b.test"),)),
        ):
            draft = replace(draft, client=client, extra=draft.extra or (("X-A", "b"),))
            try:
                octets = compose(draft)
            except Invalid:
                continue
            self.assertEqual([name for name, _ in read(octets).headers], names)
            self.assertEqual(read(octets).text, "Hi")

    def test_cost(self) -> None:
        """Twenty megabytes of attachment take a moment."""
        large = replace(PDF, octets=bytes(20_000_000))
        self.assertLess(seconds(compose, replace(DRAFT, attachments=(large,))), 3.0)
        self.assertLess(seconds(compose, replace(DRAFT, text="ü" * 2_000_000, subject="ü" * 10_000)), 3.0)
