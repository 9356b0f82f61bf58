"""
Whether a message has what is searched, told from its octets at a glance.

An index that does not know a message yet need not learn it for that.  Most
messages do not have it: what a person reads of them stands in their octets, in
the order in which it is read, with nothing but markup and encodings in
between.  Where these could hide something nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from typing import NamedTuple

from simmail.core.message.folding import fold
from simmail.core.message.parse import filename_of, is_text
from simmail.core.message.search_text import header_text, is_searched
from simmail.core.mime import structure
from simmail.core.mime.headers import header_end, parameter
from simmail.core.mime.encodings import unquoted

#: Texts to be found, each in one of some fields (C{core.message.summary.SEARCHED}).
Wanted = Sequence[tuple[Sequence[str], str]]

#: Octets of which anything is said; of more it would take as long as to read them.
MOST = 1 << 18

_HEADER = frozenset(("in_subject", "in_from", "in_to", "in_cc", "in_header"))
#: Letters and digits stay together, whatever is done to what is between them.
_RUN = re.compile(rb"[0-9a-z]+")
#: Charsets in which letters may not be what they look like.
_ODD = re.compile(rb"(?:unicode-1-1-|x-)?utf-?(?:7|16|32)|iso-2022|hz-gb|csiso2022")
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?([^\s;\"'<>/]*)")
_USUAL = frozenset((b"", b"utf-8", b"utf8", b"us-ascii", b"ascii", b"iso-8859-1", b"windows-1252", b"cp1252"))
#: What is left out with all that is in it, where it is more than markup.
_LEFT_OUT = re.compile(
    rb"<(?:textarea|xmp|iframe|noembed|noframes|svg|math|template|select|title|plaintext)")
_UNSAID = re.compile(rb"<(?:!--|(script|style|head)\b)", re.IGNORECASE)
_COMMENT_END = re.compile(rb"-->")
_ENDS = {name: re.compile(rb"</%b[^<>]*+>?" % name, re.IGNORECASE) for name in (b"script", b"style", b"head")}
_TAG = re.compile(rb"<[^<>]*+>")
_ASIDE = re.compile(rb"<[^<>]*+>|\([^()]*+\)")
_SPECIALS = b'\\"()<>[],:;'
_ESCAPED_NAME = re.compile(rb"name\s*=\s*\"[^\"\\]*+\\")
_HOLDS_TAG = re.compile(rb"=\s*(?:\"[^\"<>]*+[<>]|'[^'<>]*+[<>])")


class _Term(NamedTuple):
    """
    One text.

    @ivar runs: of letters and digits that it has; of those only digits are C{numbers}.
    @ivar octets: the text itself if nothing but its place is in question, else empty.
    """

    fields: frozenset[str]
    runs: tuple[bytes, ...]
    numbers: tuple[bytes, ...]
    octets: bytes


class Sought:
    """
    Texts that a message must have all of.

    It goes to other processes.
    """

    def __init__(self, wanted: Wanted) -> None:
        self._terms = [_term(names, fold(text)) for names, text in wanted]

    def verdict(self, octets: bytes) -> bool | None:
        """Whether a message has them; None: that takes a closer look."""
        if len(octets) > MOST:
            return None
        glance = _Glance(octets)
        sure = True
        for term in self._terms:
            one = glance.verdict(term)
            if one is False:
                return False
            sure = sure and one is True
        return sure or None


def _term(names: Sequence[str], text: str) -> _Term:
    octets = text.encode("utf-8", "surrogatepass")
    runs = _RUN.findall(octets) if text.isascii() else []
    plain = bool(octets) and text.isascii() and text.isprintable()
    return _Term(frozenset(names), tuple([one for one in runs if not one.isdigit()]),
                 tuple([one for one in runs if one.isdigit()]), octets if plain else b"")


class _Glance:
    """What was seen of one message so far; all in lower case."""

    def __init__(self, octets: bytes) -> None:
        self._octets = octets
        self._lower = octets.lower()
        self._body = header_end(octets)
        self._said: bytes | None = None
        self._known = False
        self._root: structure.Part | None = None

    def verdict(self, term: _Term) -> bool | None:
        """Whether it has a text."""
        if not term.octets:
            return None
        if self._has(term):
            return True
        only_header = _HEADER.issuperset(term.fields)
        where = self._header() if only_header else self._all()
        if where is None:
            return None
        numbers = () if b"<li" in where else term.numbers
        if not (term.runs or numbers):
            return None
        return None if all([one in where for one in term.runs]) and all([one in where for one in numbers]) else False

    def _has(self, term: _Term) -> bool:
        """Whether it stands there as it is read, on one line."""
        lower = self._lower
        at = lower.find(term.octets)
        if at < 0 or not lower.isascii() or b"\0" in lower:
            return False
        if at < self._body:
            if "in_header" in term.fields:
                return b"=?" not in lower[:self._body] and at + len(term.octets) < self._body
            at = lower.find(term.octets, self._body)
        if at < 0 or "in_body" not in term.fields:
            return False
        return any([lower.find(term.octets, begin, end) >= 0 for begin, end in self._plain()])

    def _plain(self) -> list[tuple[int, int]]:
        """Where text stands as it is read."""
        found: list[tuple[int, int]] = []
        todo = [(self._parsed(), True)]
        while todo:
            part, root = todo.pop()
            head = part.head
            if part.is_multipart:
                todo += [(one, False) for one in part.parts]
            elif (head.subtype == b"plain" and is_text(head, root, filename_of(head))
                    and head.encoding not in (b"base64", b"quoted-printable")
                    and (parameter(head.parameters, b"charset") or b"").lower() in _USUAL):
                found.append((part.body, part.end))
        return found

    def _parsed(self) -> structure.Part:
        if self._root is None:
            self._root = structure.parse(self._octets)
        return self._root

    def _header(self) -> bytes | None:
        """The header section as it is read, None where that is not certain."""
        header = self._lower[:self._body]
        if b"\0" in header or header.count(b"\r") != header.count(b"\r\n"):
            return None
        if b"=?" in header or not header.isascii():
            header = fold(header_text(self._octets[:self._body])).encode("utf-8", "surrogatepass")
        # Of addresses only what is between these is read, and comments are not, nor is a second address.
        without = _ASIDE.sub(b"", header)
        if b"(" in without:
            return None
        return b"\n".join((header, header.translate(None, _SPECIALS), without.translate(None, _SPECIALS)))

    def _all(self) -> bytes | None:
        if not self._known:
            self._known = True
            self._said = self._whole()
        return self._said

    def _whole(self) -> bytes | None:
        """All of a message, as it is read and as it stands."""
        lower = self._lower
        header = self._header()
        if header is None or lower.find(b"=?", self._body) >= 0 or b"\0" in lower or b"name*" in lower:
            return None
        labels = _CHARSET.findall(lower)
        usual = _USUAL.issuperset(labels)
        if not usual and any([_ODD.match(label) for label in labels]):
            return None
        if b"base64" in lower and _hides(self._parsed()):
            return None
        if b"\\" in lower and _ESCAPED_NAME.search(lower) is not None:
            return None
        forms = [self._octets]
        if b"quoted-printable" in lower:
            forms.append(unquoted(self._octets[self._body:]))
        pieces = [header, lower]
        for form in forms:
            read = lower if form is self._octets else form.lower()
            if form is not self._octets and (b"\0" in read or b"=?" in read):
                return None
            if not read.isascii():
                if not usual:
                    return None
                try:
                    read = fold(form.decode("utf-8")).encode("utf-8")
                except UnicodeDecodeError:
                    return None
            if read is not lower:
                pieces.append(read)
            if b"html" in lower:
                said = _said(form, read)
                if said is None:
                    return None
                pieces.append(said)
        return b"\n".join(pieces)


def _hides(part: structure.Part) -> bool:
    """Whether anything that is searched is in base64."""
    head = part.head
    if part.parts:
        return head.encoding == b"base64" or any(map(_hides, part.parts))
    return head.encoding == b"base64" and is_searched(part)


def _said(octets: bytes, lower: bytes) -> bytes | None:
    """HTML without its markup and with its references resolved, None where that is not certain."""
    if b"<" not in lower and b"&" not in lower:
        return b""
    if _LEFT_OUT.search(lower) is not None or _HOLDS_TAG.search(lower) is not None:
        return None
    if b"display" in lower and b"none" in lower:
        return None
    # References are told apart by case.
    page = octets if b"&" in lower else lower
    if b"<!--" in lower or b"<s" in lower or b"<head" in lower:
        page = _seen(page)
    page = _TAG.sub(b"", page)
    if b"&" in lower:
        page = fold(unescape(b"\n".join((page, octets)).decode("utf-8", "replace"))).encode("utf-8", "surrogatepass")
    return page


def _seen(page: bytes) -> bytes:
    """HTML without what is not seen of it; what has no end goes on to the end."""
    found: list[bytes] = []
    at = 0
    while begin := _UNSAID.search(page, at):
        found.append(page[at:begin.start()])
        end = (_ENDS[begin[1].lower()] if begin[1] else _COMMENT_END).search(page, begin.end())
        at = end.end() if end is not None else len(page)
    found.append(page[at:])
    return b"".join(found)
