"""Tests for C{simmail.daemon.pdf_reader}: real PDFs, and what is sent as one; each is read by a process of its own."""

from __future__ import annotations

import zlib
from io import BytesIO
from typing import Any

from pypdf import PdfReader as Reader, PdfWriter
from pypdf.generic import NameObject, StreamObject
from twisted.internet.defer import Deferred, gatherResults
from twisted.trial.unittest import TestCase

from simmail.core.writer.attachment import pdf
from simmail.daemon.pdf_reader import LARGEST, PdfReader
from simmail.testing.universe import START
from tests.daemon.test_pdf_process import pages

PLAIN = pdf("Invoice", ["Total: 1.200,50 EUR"], START)


def encrypted(password: str) -> bytes:
    """The same, encrypted."""
    writer, into = PdfWriter(clone_from=Reader(BytesIO(PLAIN))), BytesIO()
    writer.encrypt(password, "owner", algorithm="AES-256")
    writer.write(into)
    return into.getvalue()


def content(stream: bytes) -> bytes:
    """A page whose content is this, compressed."""
    writer, into, packed = PdfWriter(clone_from=Reader(BytesIO(PLAIN))), BytesIO(), StreamObject()
    packed.set_data(zlib.compress(stream, 9))
    packed[NameObject("/Filter")] = NameObject("/FlateDecode")
    writer.pages[0][NameObject("/Contents")] = writer._add_object(packed)
    writer.write(into)
    return into.getvalue()


class PdfReaderTests(TestCase):
    """What becomes of octets."""

    def setUp(self) -> None:
        """One reader."""
        from twisted.internet import reactor

        self.reactor: Any = reactor
        self.reader = PdfReader(self.reactor)

    def read(self, octets: bytes) -> Deferred[str]:
        """What is made of them."""
        return Deferred.fromCoroutine(self.reader(octets))

    async def test_all(self) -> None:
        """Text where there is some; where not, a remark that says why, whatever was sent: several at once."""
        text = b"BT /F1 9 Tf (so it goes) Tj ET\n"
        cases = (
            (PLAIN, "Total: 1.200,50 EUR"), (content(text), "so it goes"), (pages(), ""),
            (encrypted(""), "Total: 1.200,50 EUR"), (encrypted("sesame"), "cannot be read: it is encrypted."),
            (PLAIN[:200], "cannot be read: it is broken."), (b"%PDF-1.7\n" + b"\0\xff<<[" * 99, "broken"),
            (b"", "broken"),
            (content(text * 2_000_000), "too much time or memory"), (content(b" " * 600_000_000), "too much"),
            (b"%PDF" + b"x" * LARGEST, "too large"),
        )
        for (octets, wanted), found in zip(cases, await gatherResults([self.read(one) for one, _ in cases])):
            self.assertIn(wanted, found, octets[:60])

    async def test_kept(self) -> None:
        """What was read is not read again."""
        before = await self.read(PLAIN)
        self.patch(self.reactor, "spawnProcess", None)
        self.assertEqual(await self.read(PLAIN), before)
