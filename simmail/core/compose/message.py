"""
A L{Draft} to octets, as its author's mail program would write them: its parts, their encodings, and the header.

The same draft gives the same octets: nothing is drawn but from C{Draft.key}.
What MIME shape, which header fields in which order, how they are spelled and
what boundaries look like is the client's (decisions, section 8: "Mail a
persona writes looks like its client's").  No value can add a header field: CR,
LF and NUL in one are refused.  Source: RFC 2045, RFC 2046, RFC 2183, RFC 2231.
"""

from __future__ import annotations

import re
from base64 import b64encode
from binascii import b2a_base64, b2a_qp
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timezone
from types import MappingProxyType
from typing import NamedTuple

from simmail.core.message.mail import Attachment, Draft
from simmail.core.mime import encoded_word
from simmail.core.mime.address import Address, format_address
from simmail.core.rng import Dice
from simmail.core.time.instant import email_date
from simmail.errors import Invalid

#: Octets of a line: what RFC 5322 section 2.1.1 allows, and what it recommends.
LONGEST_LINE, USUAL_LINE = 998, 76

#: Characters of a parameter value that are not split up.
_ONE_PIECE = 60
_SIMPLE = re.compile(r"[A-Za-z0-9!#$&+^_`{|}~ .,()@=-]*")
_BARE = re.compile(r"[A-Za-z0-9!#$&+^_`{|}~.-]+")
_ATTRIBUTE_CHARS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$&+-.^_`{|}~")


class Entity(NamedTuple):
    """Content header fields (name, folded value) and a body with CRLF lines."""

    fields: tuple[tuple[str, str], ...]
    body: bytes

    def octets(self) -> bytes:
        """As a part of a multipart."""
        head = "".join([f"{name}: {value}\r\n" for name, value in self.fields])
        return head.encode("utf-8") + b"\r\n" + self.body


def text_part(subtype: str, text: str, eight_bit: bool, charset: str, bare: bool = False) -> Entity:
    """
    A text part, in 7bit where it can be, else 8bit if allowed, else whichever of the two encodings is shorter.

    @param charset: how UTF-8 is spelled; bare: C{us-ascii} where that is enough.
    """
    octets = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8").replace(b"\n", b"\r\n")
    if not octets.endswith(b"\n"):
        octets += b"\r\n"
    ascii_only = octets.isascii()
    short = max(map(len, octets.split(b"\r\n"))) <= LONGEST_LINE - 8 and b"\0" not in octets
    if ascii_only and short:
        encoding = "7bit"
    elif eight_bit and short:
        encoding = "8bit"
    elif len(octets.translate(None, _ASCII)) * 3 > len(octets):
        encoding, octets = "base64", base64_lines(octets)
    else:
        encoding, octets = "quoted-printable", quoted_printable(octets)
    label = "us-ascii" if ascii_only and bare else charset
    kind = f"text/{subtype}; charset={label if bare else quoted(label)}"
    return Entity((("Content-Type", kind), ("Content-Transfer-Encoding", encoding)), octets)


_ASCII = bytes(range(128))


def attachment_part(attachment: Attachment, inline: bool) -> Entity:
    """
    An attachment, in base64; an enclosed message as it is where it may be (RFC 2046 section 5.2.1).

    @param inline: it belongs to the HTML beside it.
    """
    kind, octets = attachment.content_type, attachment.octets
    encoding = "base64"
    if kind.lower().startswith("message/"):
        if _is_lines(octets):
            encoding = "7bit" if octets.isascii() else "8bit"
        else:
            kind = "application/octet-stream"
    given = [kind]
    disposition = ["inline" if inline else "attachment"]
    if attachment.filename:
        given += parameter("name", attachment.filename) if _SIMPLE.fullmatch(attachment.filename) else []
        disposition += parameter("filename", attachment.filename)
    fields = [("Content-Type", ";\r\n\t".join(given)), ("Content-Disposition", ";\r\n\t".join(disposition)),
              ("Content-Transfer-Encoding", encoding)]
    content_id = attachment.content_id.strip("<>")
    if content_id:
        fields.append(("Content-ID", f"<{content_id}>"))
    return Entity(tuple(fields), base64_lines(octets) if encoding == "base64" else octets)


def form_part(form: Attachment) -> Entity:
    """Another form of what a message says, as it is where its lines may be, else in base64; no file."""
    as_it_is = form.octets.isascii() and _is_lines(form.octets)
    octets = form.octets if as_it_is else base64_lines(form.octets)
    return Entity((("Content-Type", form.content_type),
                   ("Content-Transfer-Encoding", "7bit" if as_it_is else "base64")), octets)


def multipart(subtype: str, parts: Sequence[Entity], boundary: Callable[[int], str], extra: str = "") -> Entity:
    """
    A multipart.

    @param boundary: the n-th proposal for the delimiter; the first that no part holds is taken.
    @param extra: further parameters, such as the C{type} of multipart/related.
    """
    bodies = [part.octets() for part in parts]
    n = 0
    mark = boundary(n)
    while any(b"--" + mark.encode("ascii") in body for body in bodies):
        n += 1
        mark = boundary(n)
    delimiter = b"--" + mark.encode("ascii")
    body = b"".join([delimiter + b"\r\n" + one + b"\r\n" for one in bodies]) + delimiter + b"--\r\n"
    return Entity((("Content-Type", f"multipart/{subtype};\r\n\t{extra}boundary={quoted(mark)}"),), body)


def quoted(value: str) -> str:
    """A parameter value in quotes; it holds neither quotes nor backslashes."""
    return f'"{value}"'


def parameter(name: str, value: str) -> list[str]:
    """A parameter, as several numbered ones where it is long or not plain ASCII (RFC 2231)."""
    if len(value) <= _ONE_PIECE and _SIMPLE.fullmatch(value):
        return [f"{name}={value if _BARE.fullmatch(value) else quoted(value)}"]
    pieces: list[str] = []
    current: list[str] = []
    used = 0
    for character in value:
        piece = "".join(
            chr(octet) if octet in _ATTRIBUTE_CHARS else f"%{octet:02X}" for octet in character.encode("utf-8"))
        if used + len(piece) > _ONE_PIECE:
            pieces.append("".join(current))
            current, used = [], 0
        current.append(piece)
        used += len(piece)
    pieces.append("".join(current))
    pieces[0] = "utf-8''" + pieces[0]
    if len(pieces) == 1:
        return [f"{name}*={pieces[0]}"]
    return [f"{name}*{n}*={piece}" for n, piece in enumerate(pieces)]


def base64_lines(octets: bytes) -> bytes:
    """Base64 in lines of 76."""
    encoded = b2a_base64(octets, newline=False)
    return b"".join([encoded[at:at + USUAL_LINE] + b"\r\n" for at in range(0, len(encoded), USUAL_LINE)])


def quoted_printable(octets: bytes) -> bytes:
    """Quoted-printable of lines that end with CRLF; a lone dot never stands on a line."""
    return b2a_qp(octets, istext=True)


def _is_lines(octets: bytes) -> bool:
    """Whether octets are lines of a bearable length that end with CRLF."""
    if b"\0" in octets:
        return False
    without = octets.replace(b"\r\n", b"")
    return b"\r" not in without and b"\n" not in without and (
        max(map(len, octets.split(b"\r\n"))) <= LONGEST_LINE)


#: Where lines are folded (RFC 5322 section 2.1.1).
_FOLD = 78
_ID = re.compile(r"<[^<>\s\x00-\x1f\x7f]{1,900}>")
_NAME = re.compile(r"[!-9;-~]{1,76}")
#: A media type with its parameters (RFC 2045 section 5.1).
MEDIA_TYPE = re.compile(r"[A-Za-z0-9!#$&^_.+-]{1,60}/[A-Za-z0-9!#$&^_.+-]{1,100}(?:;[ !-~]{1,200})?")
_NOT_LOCAL, _NOT_DOMAIN = frozenset(' "(),:;<>\\'), frozenset(' "(),;<>\\')
_PREFIX = re.compile(r"(?:\s{0,4}(?:re|fwd?|aw|wg)\s{0,2}:)+\s{0,4}", re.IGNORECASE)


class _Shape(NamedTuple):
    """
    What a client makes of a draft.

    @ivar order: header fields as the client spells them; C{*} is where further ones stand.
    @ivar boundary: from dice and the level of the multipart, counted from the outside.
    @ivar related: what C{multipart/related} holds: C{html} with its pictures, or the whole C{alternative}.
    @ivar eight_bit: whether text goes out unencoded; bare: parameters without quotes, C{us-ascii} where enough.
    @ivar charset: how UTF-8 is spelled.
    """

    order: tuple[str, ...]
    boundary: Callable[[Dice, int], str]
    related: str = "html"
    eight_bit: bool = False
    bare: bool = False
    charset: str = "utf-8"
    mailer: tuple[tuple[str, str], ...] = ()
    mime: str = "1.0"


def _hex(dice: Dice, length: int, *key: str | int) -> str:
    return "".join(f"{dice.bits(*key, n):016x}" for n in range(-(-length // 16)))[:length]


def _gmail_boundary(dice: Dice, level: int) -> str:
    return "000000000000" + _hex(dice, 16, "boundary", level)


def _outlook_boundary(dice: Dice, level: int) -> str:
    return f"_{level:03d}_{dice.token(32, 'boundary', level).upper()}_"


def _uuid(dice: Dice, level: int) -> str:
    digits = _hex(dice, 32, "boundary", level).upper()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _apple_boundary(dice: Dice, level: int) -> str:
    return f"Apple-Mail=_{_uuid(dice, level)}"


def _iphone_boundary(dice: Dice, level: int) -> str:
    return f"Apple-Mail-{_uuid(dice, level)}"


def _android_boundary(dice: Dice, level: int) -> str:
    return "----" + dice.token(30, "boundary", level).upper()


def _plain_boundary(dice: Dice, level: int) -> str:
    return dice.token(20, "boundary", level)


_CONTENT = ("Content-Type", "Content-Transfer-Encoding")

_SHAPES = MappingProxyType({
    "gmail": _Shape(
        ("MIME-Version", "References", "In-Reply-To", "Reply-To", "From", "Date", "Message-ID", "Subject", "To", "Cc",
         "*", *_CONTENT),
        _gmail_boundary, "alternative", charset="UTF-8"),
    "outlook": _Shape(
        ("From", "To", "CC", "Reply-To", "Subject", "Thread-Topic", "Thread-Index", "Date", "Message-ID", "References",
         "In-Reply-To", "Accept-Language", "Content-Language", "X-MS-Has-Attach", "*", *_CONTENT, "MIME-Version"),
        _outlook_boundary, "alternative",
        mailer=(("Accept-Language", "en-US"), ("Content-Language", "en-US"))),
    "apple": _Shape(
        ("From", *_CONTENT, "Mime-Version", "Reply-To", "Subject", "Date", "References", "Cc", "To", "In-Reply-To",
         "Message-Id", "X-Mailer", "*"),
        _apple_boundary, bare=True, mime="1.0 (Mac OS X Mail 16.0 \\(3774.300.61.1.2\\))",
        mailer=(("X-Mailer", "Apple Mail (2.3774.300.61.1.2)"),)),
    "iphone": _Shape(
        (*_CONTENT, "From", "Mime-Version", "Reply-To", "Subject", "Date", "Message-Id", "References", "Cc",
         "In-Reply-To", "To", "X-Mailer", "*"),
        _iphone_boundary, bare=True, mime="1.0 (1.0)", mailer=(("X-Mailer", "iPhone Mail (21E236)"),)),
    "android": _Shape(
        ("Date", "From", "To", "CC", "Reply-To", "Subject", "User-Agent", "In-Reply-To", "References", "Message-ID",
         "*", "MIME-Version", *_CONTENT),
        _android_boundary, bare=True, mailer=(("User-Agent", "K-9 Mail for Android"),)),
    "plain": _Shape(
        ("Date", "From", "To", "Cc", "Reply-To", "Subject", "Message-ID", "References", "In-Reply-To", "*",
         "MIME-Version", *_CONTENT),
        _plain_boundary, eight_bit=True, bare=True),
})


def compose(draft: Draft) -> bytes:
    """
    The message, with CRLF lines.

    Its body is C{text}, C{html} or both, as given; inline attachments stand
    with the HTML.  An empty C{message_id} leaves the field out.

    @raise Invalid: CR, LF, NUL or lone surrogates where they cannot be, bad Message-IDs or types; the field is named.
    """
    shape = _SHAPES.get(draft.client, _SHAPES["plain"])
    _check(draft)
    content = _content(draft, shape)
    values: dict[str, str] = {
        "from": _addresses("From", (draft.from_,)),
        "date": email_date(draft.date),
        "subject": _text("Subject", draft.subject),
        "to": _addresses("To", draft.to) if draft.to or draft.cc else "undisclosed-recipients:;",
        "mime-version": shape.mime,
    }
    if draft.message_id:
        values["message-id"] = draft.message_id
    if draft.cc:
        values["cc"] = _addresses("Cc", draft.cc)
    if draft.reply_to:
        values["reply-to"] = _addresses("Reply-To", draft.reply_to)
    if draft.in_reply_to:
        values["in-reply-to"] = draft.in_reply_to
    if draft.references:
        values["references"] = _folded("References", draft.references)
    if draft.client == "outlook":
        topic = _PREFIX.sub("", draft.subject[:1000])
        values["thread-topic"] = _text("Thread-Topic", topic)
        values["thread-index"] = _thread_index(draft)
        values["x-ms-has-attach"] = "yes" if draft.attachments else ""
    for name, value in (*shape.mailer, *content.fields):
        values[name.lower()] = value
    lines: list[str] = []
    for name in shape.order:
        if name == "*":
            lines += [f"{key}: {_text(key, value)}" for key, value in draft.extra]
        elif name.lower() in values:
            lines.append(f"{name}: {values[name.lower()]}")
    return "\r\n".join([*lines, "", ""]).encode("utf-8") + content.body


def _content(draft: Draft, shape: _Shape) -> Entity:
    """The body and the content fields of the whole."""
    dice = Dice("compose").on(draft.key or draft.message_id)
    pictures = [one for one in draft.attachments if one.inline and one.content_id and draft.html]
    files = [one for one in draft.attachments if one not in pictures]
    # Counted from the outside, and written from the inside.
    level = bool(files) + bool(pictures) + bool(draft.text and draft.html or draft.forms)

    def wrapped(subtype: str, parts: Sequence[Entity], extra: str = "") -> Entity:
        nonlocal level
        level -= 1
        return multipart(subtype, parts, lambda n: shape.boundary(dice.on(n) if n else dice, level), extra)

    def written(subtype: str, text: str) -> Entity:
        return text_part(subtype, text, shape.eight_bit, shape.charset, shape.bare)

    forms = [form_part(one) for one in draft.forms]
    if not draft.html:
        whole = written("plain", draft.text)
        if forms:
            whole = wrapped("alternative", [whole, *forms])
    else:
        whole = written("html", draft.html)
        images = [attachment_part(one, True) for one in pictures]
        if images and shape.related == "html":
            whole = wrapped("related", [whole, *images], 'type="text/html"; ')
        if draft.text or forms:
            whole = wrapped("alternative", [*([written("plain", draft.text)] if draft.text else []), whole, *forms])
        if images and shape.related != "html":
            kind = "multipart/alternative" if draft.text or forms else "text/html"
            whole = wrapped("related", [whole, *images], f'type="{kind}"; ')
    if files:
        whole = wrapped("mixed", [whole, *[attachment_part(one, False) for one in files]])
    return whole


# Header values

def _folded(name: str, words: Iterable[str]) -> str:
    """Words joined by blanks, in lines of at most 78 characters where the words allow it."""
    lines: list[str] = []
    line = ""
    room = _FOLD - len(name) - 2
    for word in words:
        if line and len(line) + 1 + len(word) > room:
            lines.append(line)
            line, room = word, _FOLD - 1
        else:
            line = f"{line} {word}" if line else word
    lines.append(line)
    return "\r\n ".join(lines)


def _text(name: str, value: str) -> str:
    """An unstructured value."""
    words = value.split(" ") if encoded_word.plain(value) else encoded_word.encode(value) if value else []
    return _folded(name, words)


def _addresses(name: str, addresses: Sequence[Address]) -> str:
    words: list[str] = []
    for n, one in enumerate(addresses):
        text = format_address(one) + ("," if n < len(addresses) - 1 else "")
        # Whole mailboxes on a line where they fit; long ones are folded at their blanks.
        words += [text] if len(text) < _FOLD - 10 else text.split(" ")
    return _folded(name, words)


#: What stands before the colon in the subject of an answer.
_ANSWERING = frozenset(("re", "fwd", "fw", "aw", "wg"))


def _thread_index(draft: Draft) -> str:
    """Outlook's: the time of the first message, an id of the conversation, five octets for each answer since."""
    # Never drawn from a Message-ID: the application's own may differ from run to run.
    topic = draft.subject.strip().lower()
    while topic.partition(":")[0] in _ANSWERING:
        topic = topic.partition(":")[2].strip()
    dice = Dice("thread-index").on(draft.from_.address, *(one.address for one in draft.to[:1]), topic)
    # FILETIME counts 100 ns from 1601; its upper six octets are kept.
    ticks = int((draft.date - datetime(1601, 1, 1, tzinfo=timezone.utc)).total_seconds()) * 10_000_000
    stamp = (max(ticks, 0) >> 16).to_bytes(6, "big", signed=False)
    octets = b"\x01" + stamp[1:] + dice.bits("high").to_bytes(8, "big") + dice.bits("low").to_bytes(8, "big")
    for n in range(len(draft.references[:10])):
        octets += dice.bits("answer", n).to_bytes(8, "big")[:5]
    text = b64encode(octets).decode("ascii")
    return "\r\n ".join([text[at:at + 60] for at in range(0, len(text), 60)])


# Refusals

def _check(draft: Draft) -> None:
    """@raise Invalid: naming the field."""
    for field, text in (("subject", draft.subject), ("client", draft.client)):
        _line(field, text)
    for field, text in (("text", draft.text), ("html", draft.html), ("key", draft.key)):
        _encodable(field, text)
    if draft.message_id:
        _check_id("message_id", draft.message_id)
    if draft.in_reply_to:
        _check_id("in_reply_to", draft.in_reply_to)
    for n, one in enumerate(draft.references):
        _check_id(f"references.{n}", one)
    _check_address("from", draft.from_)
    for field, addresses in (("to", draft.to), ("cc", draft.cc), ("reply_to", draft.reply_to)):
        for n, address in enumerate(addresses):
            _check_address(f"{field}.{n}", address)
    for name, value in draft.extra:
        if not _NAME.fullmatch(name):
            raise Invalid("extra", "must be named as header fields are")
        _line(f"extra.{name}", value)
    for field, attachments in (("attachments", draft.attachments), ("forms", draft.forms)):
        for n, attachment in enumerate(attachments):
            _check_attachment(f"{field}.{n}", attachment)


def _line(field: str, text: str) -> None:
    if "\r" in text or "\n" in text or "\0" in text:
        raise Invalid(field, "must not hold CR, LF or NUL")
    _encodable(field, text)


def _encodable(field: str, text: str) -> None:
    try:
        _ = text.isascii() or text.encode("utf-8")
    except UnicodeEncodeError:
        raise Invalid(field, "must not hold lone surrogates") from None


def _check_id(field: str, text: str) -> None:
    _line(field, text)
    if not _ID.fullmatch(text) or not text.isprintable():
        raise Invalid(field, "must be a Message-ID in angle brackets")


def _check_address(field: str, address: Address) -> None:
    _line(field, address.name)
    _line(field, address.address)
    # The parser of headers knows a few addresses that the door does not, so only what would break the field is refused.
    local, _, domain = address.address.rpartition("@")
    if not address.address or not address.address.isprintable() or len(address.address) > 320 or not (
        address.address[0] == '"' or _NOT_LOCAL.isdisjoint(local)
    ) or not _NOT_DOMAIN.isdisjoint(domain):
        raise Invalid(field, "is not an email address")


def _check_attachment(field: str, attachment: Attachment) -> None:
    _line(f"{field}.filename", attachment.filename)
    _line(f"{field}.content_id", attachment.content_id)
    content_id = attachment.content_id.strip("<>")
    if content_id and not (_ID.fullmatch(f"<{content_id}>") and content_id.isprintable()):
        raise Invalid(f"{field}.content_id", "must not hold blanks or angle brackets")
    if not MEDIA_TYPE.fullmatch(attachment.content_type) or attachment.content_type.lower().startswith("multipart/"):
        raise Invalid(f"{field}.content_type", "must be a media type such as application/pdf")
