"""
What FETCH asks for: the grammar of its items.

Source: RFC 3501 section 6.4.5, RFC 3516 (BINARY), RFC 7162 (MODSEQ), RFC 8474 (OBJECTID), RFC 8514 (SAVEDATE),
RFC 8970 (PREVIEW), RFC 9394 (PARTIAL).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad
from simmail.imap.wire.sequence import PartialRange

_MOST_ITEMS = 200
_MOST_NAMES = 1000
_LONGEST_PATH = 100
#: Of so many header names a pattern is quicker than looking at each field.
_MOST_TRIED = 30


class Since(NamedTuple):
    """Only what changed after a mod-sequence (RFC 7162 section 3.1.4); with what vanished, or without."""

    modseq: int
    vanished: bool


def parse_modifiers(arguments: Arguments) -> tuple[Since | None, PartialRange | None]:
    """Read FETCH modifiers: what has changed, and which page of the messages (RFC 9394 section 3.3)."""
    if arguments.at_end():
        return None, None
    arguments.space()
    found = arguments.options(_MODIFIERS, "FETCH modifier")
    modseq, page = found.get(b"CHANGEDSINCE"), found.get(b"PARTIAL")
    vanished = b"VANISHED" in found
    if modseq is None and (vanished or page is None):
        raise Bad("Expected CHANGEDSINCE")
    return Since(modseq, vanished) if modseq is not None else None, page


_MODIFIERS: Mapping[bytes, Callable[[Arguments], Any] | None] = MappingProxyType({
    b"CHANGEDSINCE": Arguments.number64, b"VANISHED": None, b"PARTIAL": Arguments.partial_range})


class Item(NamedTuple):
    """
    One item.

    @ivar kind: C{"FLAGS"}, ... ; C{"BODY[]"} for every section, C{"BINARY"} and C{"BINARY.SIZE"}.
    @ivar label: what the answer calls it.
    @ivar path: the numbers of the part, empty for the whole message.
    @ivar section: C{""}, C{"HEADER"}, C{"TEXT"}, C{"MIME"}, C{"HEADER.FIELDS"} or C{"HEADER.FIELDS.NOT"}.
    @ivar names: of header fields, in lower case.
    @ivar fields: finds those of a header section that are asked for; None when there are too many names.
    @ivar partial: (first octet, how many), or None for all.
    @ivar sets_seen: whether reading it marks the message as seen.
    """

    kind: str
    label: bytes
    path: tuple[int, ...] = ()
    section: str = ""
    names: frozenset[bytes] = frozenset()
    fields: re.Pattern[bytes] | None = None
    partial: tuple[int, int] | None = None
    sets_seen: bool = False


_SIMPLE = frozenset((
    b"ENVELOPE", b"FLAGS", b"INTERNALDATE", b"RFC822.SIZE", b"BODYSTRUCTURE", b"UID",
    b"MODSEQ", b"EMAILID", b"THREADID", b"SAVEDATE"))
_FAST = (b"FLAGS", b"INTERNALDATE", b"RFC822.SIZE")
_MACROS = {b"ALL": (*_FAST, b"ENVELOPE"), b"FAST": _FAST, b"FULL": (*_FAST, b"ENVELOPE", b"BODY")}


def parse_items(arguments: Arguments) -> list[Item]:
    """One item, a macro, or a list of items.  @raise Bad: none of these."""
    if arguments.peek() != b"(":
        name = _name(arguments)
        if name in _MACROS:
            return [Item(one.decode("ascii"), one) for one in _MACROS[name]]
        return [_item(arguments, name)]
    items: list[Item] = []
    for _ in arguments.listed(1):
        items.append(_item(arguments, _name(arguments)))
        if len(items) > _MOST_ITEMS:
            raise Bad("Too many FETCH items")
    return list(dict.fromkeys(items))


def _name(arguments: Arguments) -> bytes:
    # An atom may hold "[" but not here, where a section follows.
    start = arguments.at
    octets = arguments.octets
    while octets[arguments.at:arguments.at + 1].isalnum() or octets[arguments.at:arguments.at + 1] in (b".", b"-"):
        if not octets[arguments.at:arguments.at + 1]:
            break
        arguments.at += 1
    if arguments.at == start or arguments.at - start > 50:
        raise Bad("Expected a FETCH item")
    return octets[start:arguments.at].upper()


def _item(arguments: Arguments, name: bytes) -> Item:
    if name in _SIMPLE:
        return Item(name.decode("ascii"), name)
    if name == b"RFC822":
        return Item("BODY[]", name, sets_seen=True)
    if name == b"RFC822.HEADER":
        return Item("BODY[]", name, section="HEADER")
    if name == b"RFC822.TEXT":
        return Item("BODY[]", name, section="TEXT", sets_seen=True)
    if name in (b"BODY", b"BODY.PEEK") and arguments.peek() == b"[":
        return _section(arguments, name == b"BODY")
    if name == b"BODY":
        return Item("BODY", name)
    if name in (b"BINARY", b"BINARY.PEEK", b"BINARY.SIZE") and arguments.peek() == b"[":
        return _binary(arguments, name)
    if name == b"PREVIEW":
        arguments.skip(b" (LAZY)")
        return Item("PREVIEW", name)
    raise Bad(f"Unknown FETCH item {name.decode('ascii')}")


def _path(arguments: Arguments) -> tuple[int, ...]:
    path: list[int] = []
    while arguments.peek().isdigit():
        path.append(arguments.number(1))
        if len(path) > _LONGEST_PATH:
            raise Bad("Part number too long")
        if arguments.peek() != b".":
            break
        arguments.at += 1
    return tuple(path)


def _section(arguments: Arguments, sets_seen: bool) -> Item:
    arguments.expect(b"[")
    start = arguments.at
    path = _path(arguments)
    dotted = bool(path) and arguments.octets[arguments.at - 1:arguments.at] == b"."
    section, names, pattern = "", frozenset[bytes](), None
    label = arguments.octets[start:arguments.at]
    if arguments.peek() != b"]":
        if path and not dotted:
            raise Bad("Expected ] after a part number")
        name = _name(arguments)
        if name not in (b"HEADER", b"TEXT", b"MIME", b"HEADER.FIELDS", b"HEADER.FIELDS.NOT"):
            raise Bad("Unknown section")
        if name == b"MIME" and not path:
            raise Bad("MIME needs a part number")
        section = name.decode("ascii")
        label += name
        if section.startswith("HEADER.F"):
            arguments.space()
            listed = _header_names(arguments)
            names = frozenset(one.lower() for one in listed)
            if len(names) <= _MOST_TRIED:
                pattern = _fields(names, section == "HEADER.FIELDS")
            label += b" (%b)" % b" ".join(map(_shown_name, listed))
    elif dotted:
        raise Bad("Expected a section")
    arguments.expect(b"]")
    partial = _partial(arguments)
    label = b"BODY[%b]" % label + (b"<%d>" % partial[0] if partial else b"")
    return Item("BODY[]", label, path, section, names, pattern, partial, sets_seen)


def _fields(names: frozenset[bytes], wanted: bool) -> re.Pattern[bytes]:
    """What finds the fields of these names in a header section, or all else but the blank line; folded lines too."""
    name = rb"(?:%b)[ \t]*+:" % b"|".join(map(re.escape, sorted(names)))
    if not wanted:
        name = rb"(?!%b)(?![ \t]|\r?(?:\n|\Z))" % name
    return re.compile(rb"^%b[^\n]*+(?:\n[ \t][^\n]*+)*\n?" % name, re.IGNORECASE | re.MULTILINE)


def _header_names(arguments: Arguments) -> list[bytes]:
    names: list[bytes] = []
    for _ in arguments.listed(1):
        names.append(arguments.astring())
        if len(names) > _MOST_NAMES:
            raise Bad("Too many header names")
    if not all(name and all(0x20 < octet < 0x7F and octet != 0x3A for octet in name) for name in names):
        raise Bad("Not a header name")
    return names


def _shown_name(name: bytes) -> bytes:
    if all(octet not in b'(){%*"\\]' for octet in name):
        return name
    return b'"%b"' % name.replace(b"\\", b"\\\\").replace(b'"', b'\\"')


def _partial(arguments: Arguments) -> tuple[int, int] | None:
    if not arguments.skip(b"<"):
        return None
    start = arguments.number64()
    arguments.expect(b".")
    count = arguments.number64(1)
    arguments.expect(b">")
    return start, count


def _binary(arguments: Arguments, name: bytes) -> Item:
    arguments.expect(b"[")
    path = _path(arguments)
    if path and arguments.octets[arguments.at - 1:arguments.at] == b".":
        raise Bad("Expected a part number")
    arguments.expect(b"]")
    shown = b".".join(b"%d" % number for number in path)
    if name == b"BINARY.SIZE":
        return Item("BINARY.SIZE", b"BINARY.SIZE[%b]" % shown, path)
    partial = _partial(arguments)
    label = b"BINARY[%b]" % shown + (b"<%d>" % partial[0] if partial else b"")
    return Item("BINARY", label, path, partial=partial, sets_seen=name == b"BINARY")
