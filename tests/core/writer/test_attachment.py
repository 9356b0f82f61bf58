"""PDF and CSV files made on the fly."""

from __future__ import annotations

import csv as standard
import io
import re
from datetime import datetime, timezone

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.tables import language
from simmail.core.message.mail import Attachment
from simmail.core.writer import attachment

WRITTEN = datetime(2026, 3, 2, 9, 40, tzinfo=timezone.utc)
EN = language("en")


def document(what: str, reference: str = "FA-118", code: str = "en") -> Attachment:
    return attachment.document(
        what, reference=reference, author="Maria Lindqvist", organisation="Norrland Print", reader="Dana Novak",
        written=WRITTEN, facts=[("delivery address", "Hafenvägen 12, Malmö")], language=language(code),
        date="2 March 2026")


def objects(octets: bytes) -> dict[int, bytes]:
    """The objects of a PDF, found through its cross-reference table as a reader does."""
    start = int(octets.rsplit(b"startxref\n", 1)[1].split(b"\n")[0])
    table = octets[start:].split(b"\n")
    assert table[0] == b"xref"
    count = int(table[1].split()[1])
    found = {}
    for number, entry in enumerate(table[2:2 + count]):
        assert len(entry) == 19, entry  # and the LF: 20 octets each
        offset, _, kind = entry.split()
        if kind == b"n":
            head = b"%d 0 obj\n" % number
            assert octets[int(offset):].startswith(head)
            found[number] = octets[int(offset) + len(head):octets.index(b"\nendobj\n", int(offset))]
    return found


class PdfTests(SynchronousTestCase):
    """The PDF writer."""

    def test_structure(self) -> None:
        """The table leads to every object, the page tree to every page, each stream is as long as it says."""
        octets = attachment.pdf("A title (draft)", [f"line {n}" for n in range(100)], WRITTEN)
        self.assertTrue(octets.startswith(b"%PDF-1.4\n"))
        self.assertTrue(octets.endswith(b"%%EOF\n"))
        found = objects(octets)
        self.assertIn(b"/Type /Catalog", found[1])
        kids = [int(number) for number in re.findall(rb"(\d+) 0 R", found[2])]
        self.assertEqual(len(kids), 3)
        for kid in kids:
            self.assertIn(b"/Type /Page ", found[kid])
            (content,) = re.findall(rb"/Contents (\d+) 0 R", found[kid])
            head, stream = found[int(content)].split(b"\nstream\n")
            self.assertEqual(int(re.findall(rb"/Length (\d+)", head)[0]), len(stream.removesuffix(b"\nendstream")))

    def test_text(self) -> None:
        """Brackets and backslashes are escaped, letters beyond WinAnsi replaced."""
        octets = attachment.pdf("T", ["a (b) \\ ü € 中\x01"], WRITTEN)
        self.assertIn(b"(a \\(b\\) \\\\ \xfc \x80 ?) Tj", octets)

    @given(st.text(max_size=300), st.lists(st.text(max_size=300), max_size=5))
    def test_anything(self, title: str, lines: list[str]) -> None:
        """Any text makes a file whose parts are found again, the same each time."""
        octets = attachment.pdf(title, lines, WRITTEN)
        self.assertGreaterEqual(len(objects(octets)), 7)
        self.assertEqual(octets, attachment.pdf(title, lines, WRITTEN))


class DocumentTests(SynchronousTestCase):
    """What is attached."""

    def test_pdf(self) -> None:
        """A signed agreement is a PDF with its reference, both parties, what is known, and a signature."""
        one = document("the signed framework agreement")
        self.assertEqual((one.filename, one.content_type), ("signed-framework-agreement-FA-118.pdf", "application/pdf"))
        for text in (b"Signed framework agreement", b"FA-118", b"Maria Lindqvist", b"Dana Novak", b"Hafenv\xe4gen",
                     b"Signed: Maria"):
            self.assertIn(text, one.octets)

    def test_csv(self) -> None:
        """A list is a CSV file that reads back."""
        one = document("our price list", "")
        self.assertEqual((one.filename, one.content_type), ("price-list.csv", "text/csv"))
        rows = list(standard.reader(io.StringIO(one.octets.decode("utf-8"))))
        self.assertEqual(rows[0], ["Item", "Detail"])
        self.assertIn(["delivery address", "Hafenvägen 12, Malmö"], rows)

    def test_german(self) -> None:
        """German documents carry German words and plain file names."""
        one = document("die unterschriebene Auftragsbestätigung", "AB-5530", "de")
        self.assertEqual(one.filename, "unterschriebene-auftragsbestaetigung-AB-5530.pdf")
        self.assertIn("Unterzeichnet: Maria".encode("cp1252"), one.octets)

    @given(st.text(max_size=200))
    def test_any_name(self, what: str) -> None:
        """Whatever is asked for, the file has a plain name."""
        name = document(what, "").filename
        self.assertRegex(name, r"\A[A-Za-z0-9][A-Za-z0-9-]*\.(pdf|csv)\Z")
