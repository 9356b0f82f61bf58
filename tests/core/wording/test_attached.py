"""What is read of attachments."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.mail import Attachment
from simmail.core.wording.attached import attached_pdfs, attached_texts, MOST, MOST_ATTACHED
from tests.core.scenes import mail


def texts(*attached: tuple[str, str, bytes]) -> tuple[tuple[str, str], ...]:
    """What is read of a mail with these: name, type, octets."""
    return attached_texts([mail("Hi", attachments=tuple(Attachment(*one) for one in attached))], {})


class AttachedTests(SynchronousTestCase):
    """Text that is attached."""

    def test_kinds(self) -> None:
        """Text, HTML and tables are read, by type or, where that says nothing, by name; nothing else is."""
        for name, kind, octets, text in (
            ("a.txt", "text/plain", b"one\r\ntwo\r\n", "one\ntwo"),
            ("a.csv", "text/csv", "ü;1".encode("latin-1"), "ü;1"),
            ("a.csv", "application/octet-stream", b"x;1", "x;1"), ("A.CSV", "application/vnd.ms-excel", b"x;1", "x;1"),
            ("a.html", "text/html", b"<p>Hi <b>you</b><script>no()</script></p>", "Hi you"),
            ("a.pdf", "application/pdf", b"%PDF-1.4", ""), ("a.txt", "text/plain", b"MZ\0\0", ""),
            ("a.png", "application/octet-stream", b"text", ""), ("a.ics", "text/calendar", b"BEGIN:VCALENDAR", ""),
            ("a.txt", "application/zip", b"text", ""), ("a.txt", "text/plain", b" \n", ""), ("", "", b"x", ""),
        ):
            self.assertEqual(texts((name, kind, octets)), ((name, text),) if text else (), (name, kind))

    def test_pdf(self) -> None:
        """PDFs are found by type or name; their text is that which somebody else has read, without what is no text."""
        mails = [mail("Hi", attachments=tuple(Attachment(name, kind, octets) for name, kind, octets in (
            ("a.pdf", "application/pdf", b"1"), ("B.PDF", "application/octet-stream", b"2"),
            ("c.pdf", "text/plain", b"3"),
            *(("d.pdf", "application/pdf", b"4"),) * MOST_ATTACHED)))]
        self.assertEqual(attached_pdfs(mails), [b"1", b"2", *[b"4"] * (MOST_ATTACHED - 2)])
        self.assertEqual(attached_texts(mails, {b"1": "one\n\0two ", b"2": "x" * MOST}), (
            ("a.pdf", "one\n two"), ("B.PDF", "x" * (MOST - 8))))

    def test_bounded(self) -> None:
        """There is room for so much, of all of them together."""
        found = texts(*(("a.txt", "text/plain", b"x" * 15_000),) * 3)
        self.assertEqual([len(text) for _, text in found], [15_000, MOST - 15_000])
        self.assertEqual(len(texts(*(("a.txt", "text/plain", b"x"),) * 30)), MOST_ATTACHED)
        self.assertEqual(texts(("a\nb<<x>>.txt", "text/plain", b"x"))[0][0].count("\n"), 0)

    @given(st.binary(max_size=200), st.sampled_from(["text/plain", "text/html", "text/csv"]), st.text(max_size=20))
    def test_anything(self, octets: bytes, kind: str, name: str) -> None:
        """Whatever is attached is read as far as it goes."""
        for _, text in texts((name, kind, octets)):
            self.assertTrue(text.strip())
            self.assertNotIn("\0", text)
