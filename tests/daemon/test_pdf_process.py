"""Tests for C{simmail.daemon.pdf_process}: how much of a PDF is read."""

from __future__ import annotations

from io import BytesIO

from pypdf import PdfReader, PdfWriter
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.writer.attachment import pdf
from simmail.daemon.pdf_process import CHARACTERS, PAGES, read
from simmail.testing.universe import START


def pages(*lines: str) -> bytes:
    """A PDF of one page a line."""
    writer, into = PdfWriter(), BytesIO()
    for line in lines:
        writer.append(PdfReader(BytesIO(pdf("Title", [line], START))))
    writer.write(into)
    return into.getvalue()


class ReadTests(SynchronousTestCase):
    """What is read."""

    def test_text(self) -> None:
        """The lines of every page, as they stand there."""
        text = read(pages("Total: 1.200,50 EUR", "Zahlbar bis März"))
        self.assertLess(text.index("Total: 1.200,50 EUR"), text.index("Zahlbar bis März"))

    def test_bounded(self) -> None:
        """The first pages, and so many characters of them."""
        text = read(pages(*(f"page no. {nth}." for nth in range(PAGES + 2))))
        self.assertIn(f"page no. {PAGES - 1}.", text)
        self.assertNotIn(f"page no. {PAGES}.", text)
        self.assertLessEqual(len(read(pages(*["many words " * 170] * 15))), CHARACTERS + 2 * PAGES)
