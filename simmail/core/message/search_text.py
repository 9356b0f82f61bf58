"""
What of a message is searched: all that a person who reads it would find.

Besides its text these are the HTML part where there is a text part too, the
messages within it with their headers, delivery reports, texts, calendars and
headers that are attached, and what attachments are called.
Source: RFC 3501 section 6.4.4 (BODY, TEXT); decisions, section 5.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape

from simmail.core.message.mail import Mail
from simmail.core.message.parse import filename_of, is_text
from simmail.core.mime import encoded_word, encodings, structure
from simmail.core.mime.headers import SMALL, parameter

#: Characters that are searched of a body, of the header fields of its parts, and of a header section.
MOST, MOST_OF_PARTS = 1 << 20, 1 << 16
#: Messages within messages that are encoded, which are taken apart.
_DEEPEST = 3

_CONTROLS = re.compile(r"[\x00-\t\x0b-\x1f\x7f-\x9f\u2028\u2029]+")
_FOLD = re.compile(rb"\r?\n[ \t]++")


def header_text(section: bytes) -> str:
    """A header section as it is searched: unfolded, its encoded words decoded, lines that end with LF."""
    # Those of parts are the same in many messages.
    return _again(section) if len(section) <= SMALL else _again.__wrapped__(section)


@lru_cache(1024)
def _again(section: bytes) -> str:
    if b"\n " in section or b"\n\t" in section:
        section = _FOLD.sub(b" ", section)
    try:
        text = section.decode("utf-8")
    except UnicodeDecodeError:
        text = "\n".join(map(encodings.decode, section.split(b"\n")))
    text = text.replace("\r\n", "\n")
    if "=?" in text:
        return "\n".join([encoded_word.decode(line) for line in text.split("\n")])
    return _CONTROLS.sub(" ", text)


def is_searched(part: structure.Part) -> bool:
    """Whether what is in a part that has none below it is text: C{text} and C{message} of any kind, and calendars."""
    head = part.head
    return head.type in (b"text", b"message") or (head.type == b"application" and head.subtype == b"ics")


def words(octets: bytes, root: structure.Part, mail: Mail, begin: int) -> tuple[str, str]:
    """
    What is searched of a body besides the first C{begin} characters of its text, to be put behind them; and the
    headers of the messages in it with what attachments are called.

    @param mail: what is read of it.
    """
    gathered = _Gathered(mail, begin)
    gathered.take(octets, root, True)
    return "\n".join(gathered.found)[:max(MOST - begin, 0)], "".join(gathered.headers)[:MOST_OF_PARTS]


def part_headers(octets: bytes, root: structure.Part) -> str:
    """The header fields of the parts, which say nothing to a person but are part of the body in IMAP."""
    found: list[str] = []
    todo = list(reversed(root.parts))
    while todo:
        part = todo.pop()
        if part.start < part.body:
            found.append(header_text(octets[part.start:part.body]))
        todo += reversed(part.parts[0].parts if part.is_message else part.parts)
    return "".join(found)[:MOST_OF_PARTS]


class _Gathered:
    """
    What was found so far.

    @ivar found: texts; the first is what follows in the text of the message itself.
    @ivar headers: header sections of messages in it, names of attachments.
    """

    def __init__(self, mail: Mail, begin: int) -> None:
        self._mail = mail
        self._depth = 0
        self.headers: list[str] = []
        self.found = [mail.text[begin:begin + MOST]]
        self._left = MOST - len(self.found[0])

    def take(self, octets: bytes, part: structure.Part, root: bool, enclosed: bool = False) -> None:
        """
        What is in a part.

        @param root: it is a message; enclosed: in another one.
        """
        head = part.head
        if self._left <= 0:
            return
        if part.is_multipart:
            for one in part.parts:
                self.take(octets, one, False, enclosed)
            return
        name = filename_of(head)
        if name:
            self.headers.append(f"{name}\n")
        if head.description:
            self.headers.append(f"{encoded_word.decode(encodings.decode(head.description))}\n")
        if part.is_message:
            self._message(octets, part)
        elif is_searched(part):
            self._text(octets, part, not enclosed and is_text(head, root, name))

    def _message(self, octets: bytes, part: structure.Part) -> None:
        inner = part.parts[0]
        if part.head.encoding in (b"base64", b"quoted-printable"):
            if self._depth >= _DEEPEST:
                return
            octets = encodings.content_of(octets, part)
            inner = structure.parse(octets)
        self.headers.append(header_text(octets[inner.start:inner.body]))
        self._depth += 1
        self.take(octets, inner, True, True)
        self._depth -= 1

    def _text(self, octets: bytes, part: structure.Part, read: bool) -> None:
        head = part.head
        markup = head.type == b"text" and head.subtype == b"html"
        if read and (not markup or self._mail.format == "html"):
            # It is in the text of the message.
            return
        content = encodings.content_of(octets, part)
        if head.subtype == b"rfc822-headers":
            self._add(header_text(content))
            return
        label = parameter(head.parameters, b"charset") or b""
        text = encodings.decode(content[:4 * MOST], label.decode("ascii", "replace")).replace("\r\n", "\n")
        if markup:
            text = said(text)
            if " ".join(text.split()) in " ".join(self._mail.text.split()):
                # As mail programs write it: the same twice.
                return
        elif head.type == b"message":
            text = "\n".join([encoded_word.decode(line) if "=?" in line else line for line in text.split("\n")])
        self._add(text)

    def _add(self, text: str) -> None:
        text = text[:self._left]
        self.found.append(text)
        self._left -= len(text) + 1


_COMMENT = re.compile(r"-->")
_UNSAID = re.compile(r"<(?:!--|(script|style)\b)", re.IGNORECASE | re.ASCII)
_ENDS = {name: re.compile(f"</{name}[^<>]*+>?", re.IGNORECASE) for name in ("script", "style")}
_INLINE = re.compile(
    r"</?(?:a|abbr|acronym|b|bdi|bdo|big|cite|code|data|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|"
    r"strong|sub|sup|time|tt|u|var|wbr)\b[^<>]*+>", re.IGNORECASE)
_TAG = re.compile(r"<[/!?a-zA-Z][^<>]*+>")
_VALUE = re.compile(r"[ \"'](?:href|alt|title)\s{0,9}=\s{0,9}(?:\"([^\"<>]++)\"|'([^'<>]++)')", re.IGNORECASE)


def said(markup: str) -> str:
    """
    What HTML says, in a fraction of the time that it takes to render it: its text, each block on a line of its own,
    then where links lead and what is shown in place of pictures.
    """
    page = _seen(markup) if "<!--" in markup or "<s" in markup or "<S" in markup else markup
    page = " ".join(page.split())
    text = _TAG.sub("\n", _INLINE.sub("", page)).strip()
    if "=" in page:
        text = "\n".join([text, *dict.fromkeys([one or other for one, other in _VALUE.findall(page)])])
    return unescape(text) if "&" in text else text


def _seen(markup: str) -> str:
    """HTML without comments, scripts and styles; one that has no end goes on to the end."""
    found: list[str] = []
    at = 0
    while begin := _UNSAID.search(markup, at):
        found.append(markup[at:begin.start()])
        end = (_ENDS[begin[1].lower()] if begin[1] else _COMMENT).search(markup, begin.end())
        at = end.end() if end is not None else len(markup)
    found.append(markup[at:])
    return "".join(found)
