"""
GETMETADATA and SETMETADATA: annotations of mailboxes, and of the server.

Mailboxes have private and shared entries, the server has private ones, which
are those of the client's own mailbox.  Names are kept in lower case.
Source: RFC 5464.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from simmail.core.mime.bodystructure import string
from simmail.errors import NotFound, OverAllowance
from simmail.imap.command.quota import check_room
from simmail.imap.connection import ImapConnection
from simmail.imap.fetch.sections import binary
from simmail.imap.untagged.metadata import quoted_mailbox
from simmail.imap.wire.names import quoted_name
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad, No

#: Octets of a value, and of the name of an entry; entries of one command.
LARGEST, LONGEST, MOST = 64 * 1024, 255, 200
_ANY_DEPTH = 1000

_NAME = re.compile(r"/(?:private|shared)(?:/[^/*%\x00-\x1f\x7f-\U0010ffff]+)*")


async def get_metadata(imap: ImapConnection, arguments: Arguments) -> bytes:
    """GETMETADATA."""
    arguments.space()
    most, depth = _options(arguments)
    folder = _mailbox(arguments)
    arguments.space()
    if arguments.follows(b"(MAX") or arguments.follows(b"(DEP"):
        # Where the examples of the RFC have it.
        most, depth = _options(arguments)
    names = _names(arguments)
    arguments.end()
    entries = await _read(imap, folder)
    found: dict[str, bytes | None] = {}
    longest = 0
    for name in names:
        below = [one for one in entries if one.startswith(name + "/") and one[len(name) + 1:].count("/") < depth]
        for one in [name, *sorted(below)]:
            value = entries.get(one)
            if value is not None and most is not None and len(value) > most:
                longest = max(longest, len(value))
            elif value is not None or not depth:
                found[one] = value
    if found:
        shown = [b"%b %b" % (quoted_name(name, True), b"NIL" if value is None else binary(value) if b"\0" in value
                             else string(value)) for name, value in found.items()]
        await imap.send(b"* METADATA %b (%b)\r\n" % (quoted_mailbox(folder, imap.utf8), b" ".join(shown)))
    if longest:
        return b"[METADATA LONGENTRIES %d] GETMETADATA completed" % longest
    return b"GETMETADATA completed"


async def set_metadata(imap: ImapConnection, arguments: Arguments) -> None:
    """SETMETADATA: all entries or none."""
    arguments.space()
    folder = _mailbox(arguments)
    arguments.space()
    changes: dict[str, bytes | None] = {}
    for _ in arguments.listed(1):
        name = _name(arguments)
        if name.count("/") < 2:
            raise Bad("An entry has a name below /private or /shared")
        arguments.space()
        changes[name] = arguments.nstring()
        if len(changes) > MOST:
            raise Bad("Too many entries")
    arguments.end()
    if not folder and any(name.startswith("/shared/") for name in changes):
        raise No("Shared annotations of the server cannot be changed", "NOPERM")
    if any(value is not None and len(value) > LARGEST for value in changes.values()):
        raise No("An annotation is too large", f"METADATA MAXSIZE {LARGEST}")
    if any(value is not None for value in changes.values()):
        check_room(imap)
    try:
        await imap.store.annotations.write(imap.address, folder, changes, imap)
    except NotFound:
        raise No("There is no such mailbox", "NONEXISTENT") from None
    except OverAllowance:
        raise No("There are too many annotations", "METADATA TOOMANY") from None


async def _read(imap: ImapConnection, folder: str) -> dict[str, bytes]:
    try:
        found: dict[str, bytes] = await imap.store.annotations.read(imap.address, folder)
    except NotFound:
        raise No("There is no such mailbox", "NONEXISTENT") from None
    return found


def _options(arguments: Arguments) -> tuple[int | None, int]:
    """Read MAXSIZE and DEPTH, where they are next."""
    if arguments.peek() != b"(":
        return None, 0
    found = arguments.options(_OPTIONS, "option")
    arguments.space()
    return found.get(b"MAXSIZE"), found.get(b"DEPTH", 0)


def _depth(arguments: Arguments) -> int:
    value = arguments.word()
    if value not in (b"0", b"1", b"INFINITY"):
        raise Bad("Expected 0, 1 or infinity")
    return _ANY_DEPTH if value == b"INFINITY" else int(value)


_OPTIONS: Mapping[bytes, Callable[[Arguments], int]] = MappingProxyType({
    b"MAXSIZE": Arguments.number, b"DEPTH": _depth})


def _mailbox(arguments: Arguments) -> str:
    """A mailbox name, C{""} for the server."""
    octets = arguments.astring()
    return arguments.named(octets) if octets else ""


def _names(arguments: Arguments) -> Iterable[str]:
    if arguments.peek() != b"(":
        return [_name(arguments)]
    names: list[str] = []
    for _ in arguments.listed(1):
        names.append(_name(arguments))
        if len(names) > MOST:
            raise Bad("Too many entries")
    return dict.fromkeys(names)


def _name(arguments: Arguments) -> str:
    name = arguments.astring().decode("latin-1").lower()
    if len(name) > LONGEST or not _NAME.fullmatch(name):
        raise Bad("Not the name of an entry such as /private/comment")
    return name
