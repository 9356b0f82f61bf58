"""Tests for C{simmail.core.message.search_match}: what is told at a glance is so."""

from __future__ import annotations

from base64 import b64encode
from binascii import b2a_qp
from time import process_time

from hypothesis import example, given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.folding import fold
from simmail.core.message.search_match import Sought
from simmail.core.message.summarize import digest
from simmail.core.message.summary import SEARCHED
from tests.core.message.test_search_text import BOUNCE, MIXED

_SOME = ("ab", "AB", "b1", "1", " ", " ", "\n", "\r\n", "ä", "Ä", "ß", "ﬁ", "\u212a", "<b>", "</b>", "<p>",
         "<ol><li>", "<!--x-->", "<style>", "</style>", "&auml;", "&#97;", "&amp;", "=?utf-8?q?ab?=", "=", "=\r\n",
         "\"", "'", "\\", "(", ")", "<a href='ab", "'>", "<span style='display:none'>", "</span>", "<title>",
         "<img alt=\"a&#98;\">", "@", ".", "\0")
_TEXT = st.lists(st.sampled_from(_SOME), max_size=10).map("".join)
_LINE = _TEXT.map(lambda text: " ".join(text.split()))
_CHARSETS = ("utf-8", "us-ascii", "iso-8859-1", "utf-16", "utf-7", "shift_jis", "gbk", "koi8-r")


def _part(kind: str, charset: str, encoding: str, text: str, name: str) -> bytes:
    octets = text.encode(charset, "replace")
    octets = {"7bit": lambda: octets, "base64": lambda: b64encode(octets), "quoted-printable": lambda: b2a_qp(octets)}[
        encoding]()
    disposition = f'Content-Disposition: attachment; filename="{name}"\r\n' if name else ""
    return (f"Content-Type: {kind}; charset={charset}\r\nContent-Transfer-Encoding: {encoding}\r\n{disposition}\r\n"
            ).encode() + octets + b"\r\n"


_PARTS = st.builds(
    _part, st.sampled_from(("text/plain", "text/html", "text/csv", "message/rfc822", "application/pdf")),
    st.sampled_from(_CHARSETS), st.sampled_from(("7bit", "base64", "quoted-printable")), _TEXT,
    st.just("") | _LINE)
_HEADERS = st.builds(
    lambda subject, author, other: f"Subject: {subject}\r\nFrom: {author} <ab@b1.test>\r\nX: {other}\r\n".encode(),
    _LINE, _LINE, _LINE)
_MESSAGES = st.builds(lambda header, part: header + part, _HEADERS, _PARTS) | st.builds(
    lambda header, kind, parts: header + b"Content-Type: multipart/%b; boundary=zz\r\n\r\n--zz\r\n" % kind.encode()
    + b"--zz\r\n".join(parts) + b"--zz--\r\n",
    _HEADERS, st.sampled_from(("mixed", "alternative", "related")), st.lists(_PARTS, min_size=1, max_size=3))
_WANTED = st.lists(st.tuples(
    st.lists(st.sampled_from(SEARCHED), min_size=1, max_size=3, unique=True),
    st.text(st.sampled_from("aAbBkKfis1äß <@."), max_size=5)), min_size=1, max_size=2)


class SoughtTests(SynchronousTestCase):
    """Verdicts against the digest."""

    @given(_MESSAGES, _WANTED)
    @settings(deadline=None, max_examples=1500)
    @example("From: ﬁ<b>ab <ab@b1.test>\r\n\r\n".encode(), [(("in_from",), "iA")])
    @example(BOUNCE, [(("in_body",), "failed")])
    @example(MIXED, [(("in_body",), "markup")])
    @example(MIXED, [(("in_body", "in_header"), "apfel")])
    def test_true(self, octets: bytes, wanted: list[tuple[list[str], str]]) -> None:
        """Whatever a verdict says the digest says too."""
        verdict = Sought(wanted).verdict(octets)
        if verdict is not None:
            one = digest(octets)
            self.assertIs(verdict, all(any(fold(text) in getattr(one, name) for name in names)
                                       for names, text in wanted))

    def test_told(self) -> None:
        """Of usual mail nearly all is told."""
        every = ("in_header", "in_body", "in_parts")
        plain = (b"From: Maria <maria@acme.test>\r\nSubject: Hello there\r\n"
                 b"Content-Type: multipart/alternative; boundary=b\r\n\r\n"
                 b"--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nThis is message 12.\r\n"
                 b"--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>This is <b>mes</b>sage 12.</p>\r\n--b--\r\n")
        for octets, text, verdict in (
            (plain, "message 12", True), (plain, "Hello There", True), (plain, "unicorn", False),
            (plain, "message 13", False), (plain, "messages", False), (plain, "ä", None),
            (plain.replace(b"is m", "für Ünicode m".encode()), "unicorn", False), (BOUNCE, "unicorn", False),
            (BOUNCE.replace(b"text/plain", b"text/plain\r\nContent-Transfer-Encoding: quoted-printable"),
             "unicorn", False),
        ):
            if octets is BOUNCE or b"MAILER" in octets:
                octets = octets.replace(b"=?utf-8?q?Gr=C3=BC=C3=9Fe?=", b"x")
            self.assertIs(Sought([(every, text)]).verdict(octets), verdict, (octets, text))
        self.assertIs(Sought([(("in_subject",), "Maria")]).verdict(plain), None)
        self.assertIs(Sought([(("in_subject",), "unicorn")]).verdict(plain), False)
        self.assertIs(Sought([(every, "hello"), (every, "unicorn")]).verdict(plain), False)
        self.assertIs(Sought([(every, "hello"), (("in_body",), "12.")]).verdict(plain), True)

    def test_hostile(self) -> None:
        """A look takes no longer for what was made to take long."""
        sought = Sought([(("in_body", "in_header"), "unicorn")])
        for piece in (b"<", b"<a ", b"<!--", b"<style>", b'= "', b"='", b"(", b'name="', b"&", b"charset=", b"=\n",
                      b" \n", b"display", b"=?", b"\\"):
            octets = b"Content-Type: text/html\r\n\r\nquoted-printable" + piece * (250_000 // len(piece))
            began = process_time()
            sought.verdict(octets)
            self.assertLess(process_time() - began, 1.0, piece)
